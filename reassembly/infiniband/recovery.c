/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "base/nanoseconds.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/upper.h"

/*
 * A requester reacts to a NAK, or to a hole in the responses, immediately, but the capturing machines may be slow. Later
 * retransmissions are timeouts. If communication management agreed on a timeout, that is the limit.
 */
#define PROMPT_NS (INT64_C(1000000000) / 2)
/* A recovery later after its NAK may be a timeout: adaptive retransmission starts with less than the Local ACK Timeout. */
#define LATE_NAK_NS INT64_C(4000000)
/* A requester reacts sooner than this to a response, if it has waited for a timeout before. */
#define RECENT_NS INT64_C(4000000)
/* 31 is 8,796 s. IBTA vol. 1, 12.7.34. */
#define ACK_TIMEOUT_NS(code) (INT64_C(4096) << (code))

void recovery_nak(struct psn_stream *stream, enum rtap_recovery cause, int64_t time_ns, int64_t wait_ns)
{
	stream->recovery.nak_unused = true;
	stream->recovery.nak_cause = (uint8_t)cause;
	stream->recovery.nak_ns = ns_sum(time_ns, wait_ns);
}

static bool is_before(int64_t time_ns, int64_t begin_ns, int64_t length_ns)
{
	return time_ns <= begin_ns || (uint64_t)time_ns - (uint64_t)begin_ns < (uint64_t)length_ns;
}

static int64_t longest_reaction(const struct psn_stream *stream)
{
	uint8_t code = stream->connection->shown.ack_timeout;

	return code ? ACK_TIMEOUT_NS(code & 31) : PROMPT_NS;
}

/* has_paused: a timeout has passed since the last retransmission. If its length is known, only a recent response can be the cause. */
static enum rtap_recovery cause_of(const struct psn_stream *stream, uint64_t psn, bool is_read, bool has_paused, int64_t time_ns)
{
	const struct recovery *recovery = &stream->recovery;
	int64_t prompt_ns = longest_reaction(stream);

	if (recovery->nak_unused && is_before(time_ns, recovery->nak_ns, prompt_ns))
		return (enum rtap_recovery)recovery->nak_cause;
	if (has_paused && stream->connection->shown.ack_timeout && prompt_ns > RECENT_NS)
		prompt_ns = RECENT_NS;
	/* A later response shows the requester that one is missing. IBTA vol. 1, 9.7.5.2.8 */
	if (is_read && recovery->later_psn > psn && is_before(time_ns, recovery->later_ns, prompt_ns))
		return RTAP_RECOVERY_IMPLIED_NAK;
	return RTAP_RECOVERY_TIMEOUT;
}

/* Each packet was captured, whole or truncated. */
static bool has_all_packets(const struct message *message)
{
	return message->has_first && message->has_last && message->coverage.total + message->cut.total >= message_known_length(message);
}

/* The upper layer has the bytes of the message already, because they passed the capture; the receiver lacks some. */
static bool was_passed_on(const struct message *message)
{
	bool may_be_one = message->shown.verb == RTAP_VERB_SEND || message->request; /* of a request, or a response */

	return message->has_landed || (may_be_one && message->request_number && has_all_packets(message));
}

static void note_late_loss(struct rtap_tracker *tracker, const struct message *message, uint64_t time_us, uint8_t cause)
{
	struct upper_loss loss = { .cause = cause };

	recovery_add_time(&loss.time_us, time_us);
	upper_lost(tracker, message, &loss);
}

/* Adds the time lost until now since `since_ns`, if known, without time already counted. */
static void lose(struct rtap_tracker *tracker, struct psn_stream *stream, int64_t since_ns, int64_t time_ns, struct message *message,
		 struct rtap_flow_facts *flow)
{
	struct recovery *recovery = &stream->recovery;
	int64_t lost_ns;

	if (since_ns == INT64_MIN)
		since_ns = time_ns;
	if (since_ns < recovery->counted_ns)
		since_ns = recovery->counted_ns;
	if (recovery->counted_ns < time_ns)
		recovery->counted_ns = time_ns;
	if (since_ns >= time_ns)
		return;
	lost_ns = ns_elapsed(since_ns, time_ns);
	if (message) {
		recovery_add_time(&message->shown.time_lost_us, (uint64_t)lost_ns / 1000);
		message->shown.lost_to |= (uint8_t)(1u << recovery->cause);
		/* Before that, the request copies the losses of the message. */
		if (was_passed_on(message))
			note_late_loss(tracker, message, (uint64_t)lost_ns / 1000, recovery->cause);
	}
	if (!flow)
		return;
	flow->lost_to = recovery->cause;
	flow->time_lost_ns = lost_ns;
}

/* Of a request: when it was sent, or noticed to be missing. */
static int64_t progress_of_request(const struct psn_stream *stream, int64_t time_ns)
{
	int64_t since_ns = stream->recovery.since_ns;

	/* the time of one that was acknowledged is not kept: it was sent before the first one that is not acknowledged */
	if (since_ns == INT64_MIN)
		psn_time_of(&stream->requests, stream->acknowledged < stream->next ? stream->acknowledged : stream->next - 1, time_ns, &since_ns);
	return since_ns;
}

/* When the last progress before the retransmission was seen. */
static int64_t last_progress(const struct psn_stream *stream, uint64_t psn, const struct message *message, bool is_read, int64_t time_ns)
{
	int64_t since_ns = stream->recovery.since_ns, response_ns;

	if (!is_read)
		return progress_of_request(stream, time_ns);
	/* not if its first transmission was not captured */
	if (message && message->shown.time_ns > since_ns && message->shown.time_ns < time_ns)
		since_ns = message->shown.time_ns;
	response_ns = psn_missing_since(stream, psn);
	if (response_ns > since_ns)
		since_ns = response_ns;
	if (psn_time_of(&stream->responses, psn - 1, time_ns, &response_ns) && response_ns > since_ns)
		since_ns = response_ns;
	return since_ns;
}

void recovery_note_again(struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn, uint64_t count, struct message *message,
			 bool is_read, int64_t time_ns, struct rtap_flow_facts *flow)
{
	struct recovery *recovery = &stream->recovery;
	/* after that, the requester had waited for an acknowledgement of the packets before */
	bool has_paused = !is_before(time_ns, recovery->again_ns, longest_reaction(stream));

	if (!recovery->running || psn < recovery->end || has_paused) {
		recovery->cause = (uint8_t)cause_of(stream, psn, is_read, has_paused, time_ns);
		if (psn > recovery->first || stream->acknowledged > recovery->acknowledged)
			recovery->attempt = 0;
		if (recovery->attempt < UINT8_MAX)
			recovery->attempt++;
		recovery->acknowledged = stream->acknowledged;
		flow->recovery = recovery->cause;
		flow->attempt = recovery->attempt;
		flow->is_late = recovery->cause == RTAP_RECOVERY_SEQUENCE_NAK && !is_before(time_ns, recovery->nak_ns, LATE_NAK_NS);
		lose(tracker, stream, last_progress(stream, psn, message, is_read, time_ns), time_ns, message, flow);
		recovery->first = psn;
		recovery->awaited = is_read ? psn : 0;
		recovery->nak_unused = false;
		recovery->later_psn = 0;
	}
	recovery->running = true;
	recovery->end = psn + count;
	recovery->again_ns = time_ns;
	/* Before the acknowledgement, nothing shows that the receiver took an earlier transmission. IBTA vol. 1, 9.7.5.1.1 */
	if (message && psn >= stream->acknowledged && was_passed_on(message))
		upper_lost(tracker, message, &(struct upper_loss){ .taken_ns = time_ns });
}

void recovery_end(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *message, int64_t time_ns,
		  struct rtap_flow_facts *flow)
{
	stream->recovery.awaited = 0;
	lose(tracker, stream, stream->recovery.counted_ns, time_ns, message, flow);
}
