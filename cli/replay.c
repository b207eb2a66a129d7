/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap replay: sends the frames of captures.
 */
#include "config.h"

#include <inttypes.h>
#include <sys/prctl.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/privileges.h"
#include "cli/reader.h"
#include "cli/replay.h"
#include "cli/responses.h"

#define NS_A_SECOND 1000000000
#define LONGEST_SLEEP_NS (NS_A_SECOND / 10) /* an interrupt just before a sleep would not end it */
#define TIMER_SLACK_NS 1000
#define SENT_BETWEEN_RESPONSES 8192
#define ROCE "udp dst port 4791 or ether proto 0x8915 or (vlan and (udp dst port 4791 or ether proto 0x8915))"

struct replay {
	const struct options *options;
	struct rtap_source *source;
	struct rtap_bpf *bpf;
	struct rtap_bpf *roce;       /* until the first RoCE packet is sent; NULL after it */
	struct rtap_sender *sender;
	struct responses *responses; /* NULL: not requested */
	uint64_t responses_due;      /* check for responses when this number is sent; 0: no check yet */
	int64_t start_ns;    /* due time of the first frame, monotonic clock; 0: none yet */
	int64_t first_ns;    /* time of that frame in the capture */
	uint64_t taken;      /* frames that passed -f */
	uint64_t sent, sent_bytes;
	uint64_t cut, of_other_link, refused;
	struct rtap_error refusal; /* the first */
	bool stop;           /* nothing more to send or to read */
	int status;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_A_SECOND + now.tv_nsec;
}

/* Due time of a frame, the nth of those taken. */
static int64_t due_ns(const struct replay *replay, const struct rtap_frame *frame, uint64_t nth)
{
	const struct options *options = replay->options;
	double after;

	if (options->at_once)
		return replay->start_ns;
	if (options->rate)
		after = (double)(nth - 1) * NS_A_SECOND / (double)options->rate;
	else
		after = (double)(frame->relative_ns - replay->first_ns) / options->speed;
	/* Limit the time to a century, which does not overflow. */
	return replay->start_ns + (int64_t)(after < 0 ? 0 : after > 3e18 ? 3e18 : after);
}

static void sleep_until(int64_t wake_ns)
{
	while (!interrupted) {
		int64_t now = now_ns(), next = wake_ns - now > LONGEST_SLEEP_NS ? now + LONGEST_SLEEP_NS : wake_ns;
		const struct timespec until = { .tv_sec = next / NS_A_SECOND, .tv_nsec = next % NS_A_SECOND };

		if (now >= wake_ns)
			return;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

static void fail(struct replay *replay, const struct rtap_error *error)
{
	print_error("%s", error->text);
	replay->status = EXIT_ERROR;
	replay->stop = true;
}

/* A host that has the destination address responds to the recorded packets, also to connection requests. */
static void warn_of_answers(struct replay *replay, const struct rtap_frame *frames, size_t count)
{
	for (size_t i = 0; replay->roce && i < count; i++) {
		bool match;

		if (rtap_bpf_match(replay->roce, &frames[i], &match, NULL) != RTAP_STATUS_OK || !match)
			continue;
		print_error("frame %" PRIu64 " is RoCE: a host that has its destination address answers, and can keep connections half open (send to a host "
			    "or network made for it)", frames[i].number);
		rtap_bpf_close(replay->roce);
		replay->roce = NULL;
	}
}

static void send_now(struct replay *replay, const struct rtap_frame *frames, size_t count)
{
	while (count && !replay->stop) {
		struct rtap_error error;
		size_t sent;
		enum rtap_status status = rtap_sender_send(replay->sender, frames, count, &sent, &error);

		replay->sent += sent;
		for (size_t i = 0; i < sent; i++)
			replay->sent_bytes += frames[i].captured_length;
		frames += sent;
		count -= sent;
		if (status == RTAP_STATUS_OK)
			continue;
		if (error.code == RTAP_ERROR_CLOSED) {
			fail(replay, &error);
			return;
		}
		if (!replay->refused++)
			rtap_error_set(&replay->refusal, error.code, "frame %" PRIu64 ": %s", frames->number, error.text);
		frames++;
		count--;
	}
}

/* Whether the frame can be sent; frames left out are counted. */
static bool is_sendable(struct replay *replay, const struct rtap_frame *frame)
{
	if (frame->link_type != rtap_sender_link_type(replay->sender))
		replay->of_other_link++;
	else if (frame->captured_length < frame->wire_length)
		replay->cut++;
	else
		return true;
	return false;
}

static bool passes(struct replay *replay, const struct rtap_frame *frame)
{
	struct rtap_error error;
	bool match = true;

	if (replay->bpf && rtap_bpf_match(replay->bpf, frame, &match, &error) != RTAP_STATUS_OK) {
		fail(replay, &error);
		return false;
	}
	return match;
}

/* Moves the frames to send to the front of the batch. Returns their number; *last: no more frames are needed. */
static size_t choose(struct replay *replay, struct rtap_batch *batch, bool *last)
{
	uint64_t most = replay->options->count;
	size_t kept = 0;

	for (size_t i = 0; i < batch->count && !replay->stop && (!most || replay->taken < most); i++) {
		if (!passes(replay, &batch->frames[i]))
			continue;
		replay->taken++;
		if (is_sendable(replay, &batch->frames[i]))
			batch->frames[kept++] = batch->frames[i];
	}
	*last = most && replay->taken >= most;
	return kept;
}

/* Responses are queued, so checking for them does not delay sending; the queue is emptied from time to time. */
static bool take_responses(struct replay *replay)
{
	if (!replay->responses || (replay->sent < replay->responses_due && replay->responses_due))
		return true;
	replay->responses_due = replay->sent + SENT_BETWEEN_RESPONSES;
	replay->stop |= !responses_write(replay->responses, 0);
	return !replay->stop;
}

static void send_batch(struct replay *replay, struct rtap_batch *batch)
{
	bool last;
	size_t count = choose(replay, batch, &last), at = 0;

	if (count && !replay->start_ns) {
		replay->start_ns = now_ns();
		replay->first_ns = batch->frames[0].relative_ns;
	}
	while (at < count && !replay->stop) {
		uint64_t nth = replay->sent + replay->refused + 1;
		size_t end = at + 1;
		int64_t now;

		sleep_until(due_ns(replay, &batch->frames[at], nth));
		if (interrupted)
			return;
		now = now_ns();
		/* Frames already due are sent together. */
		while (end < count && due_ns(replay, &batch->frames[end], nth + (end - at)) <= now)
			end++;
		warn_of_answers(replay, batch->frames + at, end - at);
		send_now(replay, batch->frames + at, end - at);
		at = end;
		if (!take_responses(replay))
			return;
	}
	replay->stop |= last;
}

static void send_all(struct replay *replay)
{
	while (!replay->stop && !interrupted) {
		struct rtap_batch *batch;
		struct rtap_error error;
		enum rtap_status status = rtap_source_read_batch(replay->source, &batch, &error);

		if (status == RTAP_STATUS_END)
			break;
		if (status == RTAP_STATUS_OK)
			send_batch(replay, batch);
		else
			print_error("%s", error.text);
		rtap_batch_release(batch);
		if (status != RTAP_STATUS_OK)
			replay->status = EXIT_ERROR;
		if (status == RTAP_STATUS_FAILED)
			break;
	}
}

static void finish(struct replay *replay)
{
	double seconds = replay->start_ns ? (double)(now_ns() - replay->start_ns) / NS_A_SECOND : 0;
	struct rtap_error error;
	uint64_t lost;

	if (rtap_sender_flush(replay->sender, &lost, &error) != RTAP_STATUS_OK) {
		replay->sent -= lost;
		fail(replay, &error);
	}
	if (replay->responses && !responses_write(replay->responses, RESPONSES_WAIT_MS))
		replay->status = EXIT_ERROR;
	if (replay->cut)
		print_error("%" COUNT " truncated by the capture and not sent", COUNTED(replay->cut, "frame was", "frames were"));
	if (replay->of_other_link)
		print_error("%" COUNT " not sent: link type other than %s, which %s requires", COUNTED(replay->of_other_link, "frame was", "frames were"),
			 rtap_link_type_name(rtap_sender_link_type(replay->sender)), replay->options->device);
	if (replay->refused)
		print_error("%" COUNT " refused, the first: %s", COUNTED(replay->refused, "frame was", "frames were"), replay->refusal.text);
	if (replay->cut || replay->of_other_link || replay->refused)
		replay->status = EXIT_ERROR;
	printf("%" COUNT ", %" COUNT " sent in %.6f s\n", COUNTED(replay->sent, "packet", "packets"),
	       COUNTED(replay->sent_bytes, "byte", "bytes"), seconds);
}

static bool open_all(struct replay *replay)
{
	const struct options *options = replay->options;
	struct account account;
	struct rtap_error error;

	if (reader_would_overwrite(options)) {
		replay->status = EXIT_ERROR;
		return false;
	}
	if ((options->capture_filter && rtap_bpf_open(&replay->bpf, options->capture_filter, &error) != RTAP_STATUS_OK) ||
	    rtap_bpf_open(&replay->roce, ROCE, &error) != RTAP_STATUS_OK ||
	    rtap_source_open_files(&replay->source, options->inputs, options->input_count, &error) != RTAP_STATUS_OK ||
	    rtap_sender_open(&replay->sender, options->device, &error) != RTAP_STATUS_OK) {
		if (!interrupted)
			fail(replay, &error);
		return false;
	}
	replay->status = EXIT_ERROR;
	if (options->checksums && rtap_sender_compute_checksums(replay->sender, &error) != RTAP_STATUS_OK) {
		fail(replay, &error);
		return false;
	}
	if (!privileges_find(options->user, &account))
		return false;
	if (options->write_name) {
		replay->responses = responses_open(options->device, rtap_sender_link_type(replay->sender), options->write_name, &account);
		if (!replay->responses)
			return false;
	}
	if (!privileges_give_up(&account, false))
		return false;
	replay->status = EXIT_DONE;
	return true;
}

int command_replay(int argc, char **argv)
{
	struct options options;
	struct replay replay = { .options = &options };

	if (!options_parse(&options, COMMAND_REPLAY, argc, argv)) {
		replay.status = EXIT_ERROR;
	} else if (open_all(&replay)) {
		prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
		send_all(&replay);
		finish(&replay);
	}
	if (!responses_close(replay.responses))
		replay.status = EXIT_ERROR;
	rtap_sender_close(replay.sender);
	rtap_source_close(replay.source);
	rtap_bpf_close(replay.bpf);
	rtap_bpf_close(replay.roce);
	options_fini(&options);
	return replay.status;
}
