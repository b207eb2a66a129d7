/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/expectation.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/kept_ahead.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_list.h"
#include "reassembly/message_settle.h"
#include "reassembly/upper.h"

#define TORN_NS (2 * NANOSECONDS)

bool message_final_given_up(const struct rtap_tracker *tracker, const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	const struct message *last = TAILQ_LAST(&stream->messages, message_list);
	int64_t now = tracker->now_ns;
	uint64_t end, newest, passed;
	bool after_read;

	if (stream->connection->closed && now - stream->connection->closed_ns >= GRACE_NS)
		return true;
	end = message->end > message->high ? message->end : message->high + 1;
	/* A READ uses the PSNs of all its responses at once. */
	after_read = message->shown.verb == RTAP_VERB_READ ||
		     (assembly_same_verb(last, RTAP_VERB_READ) && last->end >= stream->next);
	newest = after_read ? stream->acknowledged : stream->next;
	if (newest > end + PSN_WINDOW || now - message->active_ns >= (int64_t)tracker->budget.give_up_ns)
		return true;
	/* requests after it show nothing as long as a response may still come, or be requested again */
	passed = stream->acknowledged > stream->low ? newest : stream->next;
	return passed > end && now - message->active_ns >= HOLE_NS;
}

bool message_final_ddp(const struct rtap_tracker *tracker, const struct message *message)
{
	int64_t waited = tracker->now_ns - message->active_ns;
	bool is_in_vain;

	if (message->answered)
		return message->connection->shown.packets - message->answered_at >= GRACE_PACKETS ||
		       tracker->now_ns - message->answered_ns >= GRACE_NS;
	is_in_vain = message->awaits_ack ? !message->connection->ddp->halves[ddp_half_side_of(message)].is_acknowledged : message->torn;

	return waited >= (is_in_vain ? TORN_NS : (int64_t)tracker->budget.give_up_ns);
}

/* PSN after the message; 0: unknown. */
static uint64_t end_of(const struct message *message)
{
	return message->end ? message->end : message->has_last ? message->high + 1 : 0;
}

/* Whether exactly one packet of it is missing before those that were seen. The request of an atomic is all of it, even if truncated. */
static bool lacks_first_only(const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	const struct message *before = message_list_before(message);
	uint64_t end = before ? end_of(before) : stream->settled_end;

	return end && end + 1 == message->low && stream->pmtu && message->shown.kind != RTAP_KIND_ATOMIC;
}

/* Finds the missing bytes of messages whose packets carry data. */
static void add_holes(struct message *message, struct missing_list *list)
{
	struct rtap_message *shown = &message->shown;
	uint64_t start = message_position(message);
	bool announced = shown->request_seen && shown->verb != RTAP_VERB_SEND;

	shown->length_known = true;
	if (!announced) {
		if (!message->has_first && message->stream && lacks_first_only(message)) {
			start -= message->stream->pmtu;
			shown->psn = (uint32_t)(message->low - 1) & PSN_MASK;
			shown->length = coverage_end(&message->coverage) > coverage_end(&message->cut) ? coverage_end(&message->coverage) :
					coverage_end(&message->cut);
			shown->length = shown->length > start ? shown->length - start : 0;
		} else {
			shown->length = message_known_length(message);
			/* A restarted READ also answers with a First: only the request shows where it begins. */
			if (!message->has_first || shown->verb == RTAP_VERB_READ) {
				shown->length_known = false;
				missing_list_add(list, (struct rtap_missing){ 0, 0, false, message->request_cut && !message->evicted ?
									  RTAP_MISSING_SNAPPED : list->reason });
			}
		}
	}
	if (message->begin_unknown) {
		shown->length_known = false;
		missing_list_add(list, (struct rtap_missing){ 0, 0, false, list->reason });
	}
	list->origin = start;
	missing_list_add_holes(list, &message->coverage, &message->cut, start, start + shown->length);
	if (!announced && !message->has_last) {
		shown->length_known = false;
		missing_list_add(list, (struct rtap_missing){ shown->length, 0, false, list->reason });
	}
}

void message_missing_so_far(const struct message *message, struct missing_list *list)
{
	list->reason = message->evicted ? RTAP_MISSING_EVICTED : RTAP_MISSING_NOT_CAPTURED;
	list->origin = message_position(message);
	missing_list_add_holes(list, &message->coverage, &message->cut, list->origin, message_known_end(message));
	if (message->shown.verb == RTAP_VERB_SEND && !message->has_last)
		missing_list_add(list, (struct rtap_missing){ message_known_length(message), 0, false, list->reason });
}

/* Responses that were not captured; the requester may lack them if it had no time to request them again. For requests, gaps are counted. */
static void count_missing_responses(const struct rtap_tracker *tracker, struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	const struct psn_stream *stream = message->stream;
	uint64_t packets = 0, *counts;

	if (shown->verb != RTAP_VERB_READ || !stream || !stream->pmtu ||
	    (!message->has_last && stream->acknowledged < message->end && !message->coverage.count))
		return;
	for (uint32_t i = 0; i < shown->missing_count; i++)
		if (shown->missing[i].reason == RTAP_MISSING_NOT_CAPTURED && shown->missing[i].length_known)
			packets += (shown->missing[i].length + stream->pmtu - 1) / stream->pmtu;
	counts = message->connection->shown.anomaly_counts;
	counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED] += packets;
	if (!message_final_psn(tracker, message))
		counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED_UNACKNOWLEDGED] += packets;
}

/* Packets whose lengths do not match their PSNs can cover more than the message. */
static bool covers_exactly(const struct message *message)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);
	uint64_t start = message_position(message), length = message->shown.length;

	if (message->shown.kind == RTAP_KIND_FLUSH)
		return true;
	if (!length)
		return !message->coverage.count;
	return message->coverage.count == 1 && run->begin == start && run->end == start + length;
}

static bool adds_up(const struct message *message)
{
	const struct rtap_message *shown = &message->shown;

	return !shown->request_seen || (shown->verb != RTAP_VERB_WRITE && shown->verb != RTAP_VERB_READ) ||
	       (message_known_length(message) <= shown->length &&
		(!message->has_last || !shown->length || message_known_length(message) == shown->length));
}

static void give_crc_and_bytes(const struct rtap_tracker *tracker, struct message *message)
{
	struct rtap_message *shown = &message->shown;
	const struct coverage_run *run = coverage_runs(&message->coverage);

	if (shown->kind == RTAP_KIND_FLUSH)
		return;
	if (tracker->keep & COVERAGE_CRC) {
		shown->has_crc = !message->coverage.count || run->crc_known;
		shown->crc32 = message->coverage.count && run->crc_known ? run->crc : 0;
	}
	if (tracker->keep & COVERAGE_BYTES && message->coverage.bytes)
		shown->bytes = (struct rtap_span){ coverage_bytes(&message->coverage, run), (uint32_t)shown->length };
}

/* Most messages: all bytes in one run, from the first packet to the last. */
static bool is_plain(const struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	const struct coverage_run *run = coverage_runs(&message->coverage);

	if (message->evicted || message->begin_unknown || !message->has_last || !message_is_one_run(message))
		return false;
	switch (shown->verb) {
	case RTAP_VERB_SEND:
		return message->has_first && !shown->request_seen;
	case RTAP_VERB_WRITE:
		return message->has_first && shown->request_seen && run->end - run->begin == shown->length;
	case RTAP_VERB_READ:
		return shown->request_seen && run->end - run->begin == shown->length;
	default:
		return false;
	}
}

/* Whether all bytes are present; adds missing ranges to the list. */
static bool find_holes(const struct rtap_tracker *tracker, struct message *message)
{
	struct rtap_message *shown = &message->shown;
	struct missing_list list = { .reason = message->evicted ? RTAP_MISSING_EVICTED : RTAP_MISSING_NOT_CAPTURED };
	bool adds;

	if (shown->kind == RTAP_KIND_FLUSH)
		shown->length_known = true;
	else
		add_holes(message, &list);
	shown->missing = list.items;
	shown->missing_count = list.count;
	count_missing_responses(tracker, message);
	adds = adds_up(message);
	if (!adds)
		message->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_LENGTH_MISMATCH]++;
	return adds && !list.count && !list.failed && !message->evicted && covers_exactly(message) &&
	       (!message_is_answered_by_data(message) || message->has_last || shown->verb == RTAP_VERB_ATOMIC_WRITE) &&
	       (message_is_answered_by_data(message) ? shown->request_seen : message->has_first);
}

/* A READ of which neither the request nor a Last was seen. */
static bool is_open_read(const struct message *message)
{
	return message->shown.verb == RTAP_VERB_READ && !message->shown.request_seen && !message->has_last;
}

/*
 * Whether its request can be one for the rest of a READ that began before it and whose end is not known: it is not the first one that was sent for
 * these PSNs, or responses of such a READ were seen: of its own, a First or Only that was captured before it shows where it begins.
 */
static bool may_be_rest(const struct message *message)
{
	const struct psn_stream *stream = message->stream;
	const struct message *before = message_list_before(message);

	if (message->shown.verb != RTAP_VERB_READ || message->follows_end || !stream)
		return false;
	if (before ? end_of(before) == message->low : stream->settled_end == message->low)
		return false;
	return message->came_late || (message->begun_by_response && !message->begun_by_first) || (before ? is_open_read(before) : stream->settled_is_open);
}

/* The message is the last one that has settled. */
static void note_settled(struct psn_stream *stream, const struct message *message)
{
	struct message *next = message_list_after(message);

	if (message->high >= stream->settled_high)
		stream->settled_high = message->high + 1;
	if (message->end > stream->settled_high)
		stream->settled_high = message->end;
	stream->settled_end = end_of(message);
	stream->settled_is_open = is_open_read(message);
	if (next && next->low == stream->settled_end)
		next->follows_end = true;
}

void message_compute_result(const struct rtap_tracker *tracker, struct message *message)
{
	struct rtap_message *shown = &message->shown;

	message->begin_unknown |= may_be_rest(message);
	if (is_plain(message)) {
		shown->length = message->coverage.total;
		shown->length_known = shown->complete = true;
	} else {
		shown->complete = find_holes(tracker, message);
	}
	if (message->stream && message->stream->reliable && !shown->outcome)
		shown->outcome = RTAP_OUTCOME_UNANSWERED;
	if (shown->complete)
		give_crc_and_bytes(tracker, message);
}

void message_settle(struct rtap_tracker *tracker, struct message *message)
{
	struct connection *connection = message->connection;

	message_compute_result(tracker, message);
	/* a whole one was counted when it was */
	if (message->bytes_dropped && !message->shown.complete && message->shown.verb == RTAP_VERB_SEND)
		tracker->counters.evictions += !message->shown.bytes_evicted && !message->evicted;
	if (message->keeps_ahead)
		kept_ahead_leave(tracker, message);
	upper_settled(tracker, message);
	if (message->stream) {
		budget_give(&tracker->budget, &connection->entry, message->memory);
		note_settled(message->stream, message);
		message_list_leave(message);
		if (connection->ddp) {
			upper_written(message);
			ddp_half_await_ack(tracker, message);
		}
	}
	if (connection) {
		connection->shown.messages++;
		connection->shown.bytes += message->coverage.total;
	}
	/* no longer needed */
	coverage_fini(&message->cut);
	if (!message->shown.bytes.bytes)
		coverage_fini(&message->coverage);
	message->memory = coverage_memory(&message->coverage) + message->shown.missing_count * sizeof *message->shown.missing;
	budget_charge(&tracker->budget, &tracker->messages, message->memory);
}

/*
 * The PSN below which missing packets are final: that of the oldest incomplete message if the gap is acknowledged, old or far
 * below the newest PSN; else up to what is acknowledged.
 */
static uint64_t final_below(const struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	const struct psn_gap *oldest = &stream->gaps.list[0];
	const struct message *first = TAILQ_FIRST(&stream->messages);
	uint64_t settled = first ? first->low : stream->settled_end;

	if (settled <= stream->acknowledged || tracker->now_ns - oldest->time_ns >= HOLE_NS || stream->next > oldest->end + PSN_WINDOW)
		return settled;
	return stream->acknowledged;
}

void gaps_settle(const struct rtap_tracker *tracker, struct psn_stream *stream, uint64_t psn)
{
	struct psn_given_up given_up = psn_end_gaps(stream, psn);
	uint64_t *counts = stream->connection->shown.anomaly_counts;

	if (!given_up.packets || expectation_may_have_requests(tracker, stream))
		return;
	counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED] += given_up.packets;
	counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED_UNACKNOWLEDGED] += given_up.unacknowledged;
}

void messages_settle(struct rtap_tracker *tracker, struct psn_stream *stream, bool all)
{
	struct message *first;

	while ((first = TAILQ_FIRST(&stream->messages)) && (all || message_final_psn(tracker, first)))
		message_settle(tracker, first);
	psn_end_response_gaps(stream, stream->settled_high);
	/* Gaps before the first settled message wait until the connection ends (connection_lifecycle.c). */
	if (stream->gaps.count && stream->settled_end)
		gaps_settle(tracker, stream, all ? stream->settled_end : final_below(tracker, stream));
}
