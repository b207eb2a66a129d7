/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/infiniband/ib.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/kept_ahead.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_list.h"
#include "reassembly/message_queue.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/upper.h"

#define MAX_IN_FLIGHT 8192
/* SENDs of up to this size are reassembled for upper protocols; bulk data uses RDMA. */
#define MAX_SEND_BYTES (256u << 10)
/*
 * For messages that keep bytes without a known need: divisor of the memory limit, and a minimum unless that exceeds a
 * quarter of the limit.
 */
#define AHEAD_SHARE 128
#define LEAST_AHEAD (UINT64_C(1) << 20)
#define MOST_RESERVED 16384 /* bytes of a message for which memory is taken at once */

uint64_t assembly_packets_of(uint64_t length, uint32_t pmtu)
{
	return length <= pmtu ? 1 : (length + pmtu - 1) / pmtu;
}

uint64_t assembly_psn_count(uint64_t length, uint32_t pmtu)
{
	if (pmtu)
		return assembly_packets_of(length, pmtu);
	return length <= 256 ? 1 : 0;
}

static bool has_announced_length(const struct message *message)
{
	return message->shown.request_seen && (message->shown.verb == RTAP_VERB_WRITE || message->shown.verb == RTAP_VERB_READ);
}

void assembly_change_path_mtu(struct psn_stream *stream, uint32_t pmtu)
{
	bool was_presumed = stream->pmtu_is_presumed, was_known = stream->pmtu && !was_presumed;
	struct message *message;

	if (!ib_is_path_mtu(pmtu))
		return;
	stream->pmtu = pmtu;
	stream->pmtu_is_presumed = false;
	/* For those that begin while it is known, the end is computed then. */
	for (message = was_known ? NULL : TAILQ_FIRST(&stream->messages); message; message = TAILQ_NEXT(message, link)) {
		if (!has_announced_length(message) || (message->end && !was_presumed))
			continue;
		message->end = message->low + assembly_packets_of(message->shown.length, pmtu);
		/* It may have arrived late, in a gap, before its number of PSNs was known. */
		if (message->shown.verb == RTAP_VERB_READ)
			psn_fill(stream, message->low, message->end);
	}
	/* A READ uses the PSNs of all its responses. */
	message = TAILQ_LAST(&stream->messages, message_list);
	if (message && message->end > stream->next)
		stream->next = message->end;
}

static const uint8_t kind_of_verb[] = {
	[RTAP_VERB_SEND] = RTAP_KIND_SEND, [RTAP_VERB_WRITE] = RTAP_KIND_WRITE, [RTAP_VERB_READ] = RTAP_KIND_READ,
	[RTAP_VERB_COMPARE_SWAP] = RTAP_KIND_ATOMIC, [RTAP_VERB_FETCH_ADD] = RTAP_KIND_ATOMIC,
	[RTAP_VERB_ATOMIC_WRITE] = RTAP_KIND_ATOMIC, [RTAP_VERB_FLUSH] = RTAP_KIND_FLUSH,
};

void assembly_set_verb(struct message *message, enum rtap_verb verb)
{
	message->shown.kind = kind_of_verb[verb];
	message->shown.verb = (uint8_t)verb;
}

struct message *assembly_create(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
				const struct piece *piece, enum rtap_verb verb)
{
	struct message *message;

	if (stream->in_flight >= MAX_IN_FLIGHT) {
		struct message *first = TAILQ_FIRST(&stream->messages);
		bool was_before = before == first;

		first->evicted = true;
		tracker->counters.evictions++;
		message_settle(tracker, first);
		if (was_before)
			before = NULL;
	}
	message = message_create(tracker, stream->connection, piece->frame, piece->time_ns);
	if (!message)
		return NULL;
	assembly_set_verb(message, verb);
	message->shown.from_a = stream->from_a;
	message->shown.psn = (uint32_t)psn & PSN_MASK;
	message->low = message->high = message->origin = psn;
	message_list_enter(stream, message, before);
	return message;
}

static void account_change(struct rtap_tracker *tracker, struct message *message, uint64_t memory)
{
	struct budget_entry *entry = message->connection ? &message->connection->entry : &tracker->messages;

	if (memory > message->memory)
		budget_charge(&tracker->budget, entry, memory - message->memory);
	else
		budget_give(&tracker->budget, entry, message->memory - memory);
	if (message->keeps_ahead)
		tracker->ahead.bytes += memory - message->memory;
	message->memory = memory;
	if (!message->keeps_ahead && message->coverage.bytes && !message->region && !(tracker->keep & COVERAGE_BYTES) && message->stream)
		kept_ahead_enter(tracker, message);
}

/* Updates the charge for a payload that has grown. */
static inline void account(struct rtap_tracker *tracker, struct message *message)
{
	uint64_t memory = coverage_memory(&message->coverage) + coverage_memory(&message->cut);

	if (memory != message->memory)
		account_change(tracker, message, memory);
}

static void drop_bytes(struct message *message)
{
	message->bytes_wanted = false;
	message->bytes_dropped = true;
	coverage_drop_bytes(&message->coverage);
}

static bool keeps_bytes(const struct rtap_tracker *tracker, const struct message *message)
{
	return !message->bytes_dropped && (tracker->keep & COVERAGE_BYTES || message->bytes_wanted);
}

/* Drops the bytes. Length, coverage and times stay exact. */
static void evict_bytes(struct rtap_tracker *tracker, struct message *message)
{
	drop_bytes(message);
	message->shown.bytes_evicted = true;
	tracker->counters.evictions++;
	account(tracker, message);
}

uint8_t *assembly_take_bytes(struct rtap_tracker *tracker, struct message *message)
{
	uint8_t *bytes = message->coverage.bytes;

	message->bytes_wanted = false;
	message->coverage.bytes = NULL;
	message->coverage.bytes_room = 0;
	if (message->keeps_ahead)
		kept_ahead_leave(tracker, message);
	account(tracker, message);
	return bytes;
}

/*
 * The oldest messages that keep bytes without a known need drop them until the rest is within its share. A SEND that is
 * complete was shown. The loss is counted only if the SEND is completed later, or if a call names the memory of the READ or
 * WRITE: region_store().
 */
static void __attribute__((noinline)) relieve_ahead(struct rtap_tracker *tracker)
{
	uint64_t limit = tracker->budget.limit / AHEAD_SHARE, least = tracker->budget.limit / 4;

	if (least > LEAST_AHEAD)
		least = LEAST_AHEAD;
	if (limit < least)
		limit = least;
	while (tracker->ahead.bytes > limit) {
		struct message *oldest = TAILQ_FIRST(&tracker->ahead.list);

		drop_bytes(oldest);
		kept_ahead_leave(tracker, oldest);
		account(tracker, oldest);
	}
}

/* Whether memory suffices for the message to keep these bytes too. */
static bool fits_in_message(const struct rtap_tracker *tracker, const struct message *message, uint64_t position, uint64_t length)
{
	uint64_t room = coverage_room_for(&message->coverage, position, length), limit = tracker->budget.limit;

	return room == message->coverage.bytes_room ||
	       (room <= limit / 4 && tracker->budget.used + room - message->coverage.bytes_room <= limit);
}

uint64_t assembly_add_bytes(struct rtap_tracker *tracker, struct message *message, uint64_t position, const struct piece *piece)
{
	unsigned keep = (tracker->keep & ~(unsigned)COVERAGE_BYTES) | (keeps_bytes(tracker, message) ? COVERAGE_BYTES : 0u);
	uint64_t fresh, cut_fresh = 0;

	/* Bytes are kept of all packets or of none; a truncated packet has none to keep. */
	if ((keep & COVERAGE_BYTES) && piece->captured && ((message->coverage.count && !message->coverage.bytes) || !piece->bytes)) {
		drop_bytes(message);
		keep &= ~(unsigned)COVERAGE_BYTES;
	}
	if (keep & COVERAGE_BYTES && !fits_in_message(tracker, message, position, piece->captured)) {
		evict_bytes(tracker, message);
		keep &= ~(unsigned)COVERAGE_BYTES;
	}
	if (keep & COVERAGE_BYTES && has_announced_length(message) && message->shown.length <= MOST_RESERVED && piece->captured && piece->wire < message->shown.length)
		coverage_reserve(&message->coverage, message_position(message), (size_t)message->shown.length);
	if (!coverage_add(&message->coverage, position, piece->bytes, piece->captured, piece->crc, keep, &fresh))
		message->evicted = true;
	else if (piece->wire > piece->captured &&
		 !coverage_add(&message->cut, position + piece->captured, NULL, piece->wire - piece->captured, 0, COVERAGE_ONLY, &cut_fresh))
		message->evicted = true;
	if (message->bytes_wanted && !(tracker->keep & COVERAGE_BYTES) && message->shown.verb == RTAP_VERB_SEND &&
	    message->coverage.total > MAX_SEND_BYTES)
		drop_bytes(message);
	account(tracker, message);
	if (message->keeps_ahead)
		relieve_ahead(tracker);
	return fresh;
}

uint64_t assembly_add_payload(struct rtap_tracker *tracker, struct message *message, uint64_t psn, const struct piece *piece)
{
	const struct psn_stream *stream = message->stream;
	uint64_t position = MESSAGE_ORIGIN + (psn - message->origin) * stream->pmtu;

	if (psn != message->origin && !stream->pmtu)
		return 0;
	/* Fast path: nothing is truncated, and no memory is needed. */
	if (piece->wire == piece->captured && !message->bytes_wanted &&
	    coverage_append(&message->coverage, position, piece->captured, piece->crc, tracker->keep))
		return piece->captured;
	return assembly_add_bytes(tracker, message, position, piece);
}

void assembly_note_repeat(struct rtap_tracker *tracker, struct message *message)
{
	message->shown.repeats++;
	upper_lost(tracker, message, &(struct upper_loss){ .repeats = 1 });
}

void assembly_join(struct rtap_tracker *tracker, struct message *message, struct message *other, struct frame_result *result)
{
	struct rtap_message *shown = &message->shown, *taken = &other->shown;
	uint64_t shift = (other->origin - message->origin) * message->stream->pmtu;
	unsigned keep = tracker->keep & COVERAGE_CRC;

	if (other->coverage.bytes && keeps_bytes(tracker, message)) {
		const struct coverage_run *run = coverage_runs(&other->coverage);

		if (fits_in_message(tracker, message, run->begin + shift, run[other->coverage.count - 1].end - run->begin))
			keep |= COVERAGE_BYTES;
		else
			evict_bytes(tracker, message);
	}
	if (!coverage_join(&message->coverage, &other->coverage, shift, keep) ||
	    !coverage_join(&message->cut, &other->cut, shift, COVERAGE_ONLY))
		message->evicted = true;
	if (other->high > message->high)
		message->high = other->high;
	message->has_last |= other->has_last;
	message->ends_with_immediate |= other->ends_with_immediate;
	shown->frames += taken->frames;
	shown->repeats += taken->repeats;
	assembly_cover_frame(shown, taken->first_frame, taken->time_ns);
	assembly_cover_frame(shown, taken->last_frame, taken->time_end_ns);
	shown->wanted |= taken->wanted;
	shown->bytes_evicted |= taken->bytes_evicted;
	if (taken->has_immediate) {
		shown->has_immediate = true;
		shown->immediate = taken->immediate;
	}
	if (taken->has_invalidate) {
		shown->has_invalidate = true;
		shown->invalidated_r_key = taken->invalidated_r_key;
	}
	frame_result_discard(result, other);
	message_drop(tracker, other);
	account(tracker, message);
}

/* Whether a packet other than a First can belong to the message before it. */
static bool continues(const struct message *message, enum rtap_verb verb, uint64_t psn)
{
	if (!assembly_same_verb(message, verb))
		return false;
	if (message->end)
		return psn < message->end;
	if (psn <= message->high)
		return true;
	/* One lost packet cannot be both the Last of one message and the First of the next. */
	return !message->has_last && psn <= message->high + 2;
}

bool assembly_is_continued_by(const struct message *message, const struct message *next, uint64_t psn)
{
	if (!assembly_same_verb(next, (enum rtap_verb)message->shown.verb) || next->has_first || next->shown.request_seen)
		return false;
	return message->end ? next->low < message->end : next->low <= psn + 2;
}

bool assembly_may_be_one(const struct message *message, const struct message *next)
{
	return assembly_same_verb(message, RTAP_VERB_SEND) && assembly_same_verb(next, RTAP_VERB_SEND) && !message->has_last && !next->has_first;
}

bool assembly_continues_at(const struct message *read, uint64_t psn)
{
	return psn == read->high + 1 && !read->has_last && (read->coverage.count || read->cut.count);
}

void assembly_take_restart(struct rtap_tracker *tracker, struct message *read, uint64_t psn, uint32_t r_key, uint64_t address, uint64_t length)
{
	struct rtap_message *shown = &read->shown;
	uint64_t before = (psn - read->low) * read->stream->pmtu;

	if (!read->stream->pmtu)
		return;
	read->begin_unknown = true;
	shown->request_seen = shown->has_key = true;
	shown->r_key = r_key;
	shown->virtual_address = address - before;
	shown->length = before + length;
	read->end = read->low + assembly_packets_of(shown->length, read->stream->pmtu);
	upper_claim(tracker, read);
}

struct message *assembly_begin_earlier(struct rtap_tracker *tracker, struct message *read, struct frame_result *result)
{
	struct message *before = message_list_before(read);
	const struct rtap_message shown = read->shown;
	uint64_t psn = read->low;

	if (!before || before->shown.request_seen || !continues(before, RTAP_VERB_READ, psn)) {
		read->begin_unknown = true;
		return read;
	}
	/* its request repeats that of the READ */
	read->shown.frames--;
	assembly_join(tracker, before, read, result);
	assembly_note_repeat(tracker, before);
	assembly_take_restart(tracker, before, psn, shown.r_key, shown.virtual_address, shown.length);
	return before;
}

struct message *assembly_message_of(struct rtap_tracker *tracker, struct psn_stream *stream, struct message *before, uint64_t psn,
				    const struct ib_opcode *opcode, const struct piece *piece)
{
	enum rtap_verb verb = (enum rtap_verb)opcode->verb;
	struct message *next = before ? TAILQ_NEXT(before, link) : TAILQ_FIRST(&stream->messages), *message;
	bool begins = opcode->place == IB_FIRST || opcode->place == IB_ONLY;

	/* A restarted READ has Firsts and Lasts in its middle. */
	if (verb == RTAP_VERB_READ && assembly_same_verb(before, verb) &&
	    (before->shown.request_seen ? !before->end || psn < before->end : assembly_is_inside(before, psn) || assembly_continues_at(before, psn)))
		return before;
	if (before && before->low == psn && (begins == before->has_first || before->shown.request_seen))
		return assembly_same_verb(before, verb) ? before : NULL;
	if (!begins && continues(before, verb, psn))
		return before;
	/* Its packets so far arrived without its beginning. */
	if (opcode->place != IB_LAST && opcode->place != IB_ONLY && assembly_same_verb(next, verb) && !next->has_first &&
	    !next->shown.request_seen && next->low <= psn + 2 && (next->origin == next->low || stream->pmtu))
		return next;
	/* It repeats reported data. */
	if (psn < stream->settled_high)
		return NULL;
	message = assembly_create(tracker, stream, before, psn, piece, verb);
	if (!message)
		return NULL;
	/* The memory is unknown before a WRITE's first packet or a READ's request. */
	message->bytes_wanted = verb == RTAP_VERB_SEND ? opcode->place != IB_ONLY :
							 (verb == RTAP_VERB_READ || !begins) && upper_may_want(tracker, stream->connection);
	if (verb == RTAP_VERB_SEND && !begins)
		stream->fragment_psn = psn;
	return message;
}

void assembly_join_those_after(struct rtap_tracker *tracker, struct message *message, struct frame_result *result)
{
	struct message *next;

	while ((next = message_list_after(message)) && !message->has_last && assembly_is_continued_by(message, next, message->high) &&
	       message->stream->pmtu)
		assembly_join(tracker, message, next, result);
}

static bool covers_all(const struct message *message, uint64_t begin, uint64_t length)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	return !length || (message->coverage.count == 1 && run->begin <= begin && run->end >= begin + length);
}

/* Up to the last known byte. */
static bool covers_known(const struct message *message)
{
	uint64_t begin = message_position(message), end = message_known_end(message);

	return end <= begin || covers_all(message, begin, end - begin);
}

bool assembly_is_whole(const struct message *message)
{
	switch (message->shown.verb) {
	case RTAP_VERB_SEND:
		return message->has_first && message->has_last && (message_is_one_run(message) || covers_known(message));
	case RTAP_VERB_WRITE:
		/* the capture can cut its header off */
		if (!message->shown.length && !message->shown.request_seen)
			return message->has_first && message->has_last && covers_known(message);
		return message->has_first && (message->has_last || message->shown.length) &&
		       covers_all(message, message_position(message), message->shown.length);
	case RTAP_VERB_READ:
		return message->shown.request_seen && !message->begin_unknown && message->has_last &&
		       covers_all(message, message_position(message), message->shown.length);
	case RTAP_VERB_ATOMIC_WRITE:
		return message->shown.request_seen && message->coverage.total == 8;
	default: /* one request, one response */
		return message->shown.request_seen && message->has_last;
	}
}
