/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/connection.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_upper.h"
#include "reassembly/iwarp/iwarp_half.h"
#include "reassembly/message_queue.h"

/* After the maximum of outstanding requests was reached this often, more are not expected. */
#define OFTEN 16
/* After this many consecutive responses to consecutive requests, no unseen request is outstanding. */
#define ROW 3
#define LEAST_OVERHEAD (MPA_LENGTH_LENGTH + DDP_TAGGED_LENGTH + MPA_CRC_LENGTH)
#define LARGEST_PAYLOAD (UINT16_MAX - DDP_TAGGED_LENGTH)
#define ATOMIC_RESPONSE (MPA_LENGTH_LENGTH + DDP_UNTAGGED_LENGTH + 12 + MPA_CRC_LENGTH) /* RFC 7306, 5.2.3 */

/* The requests that the current direction answers. */
static struct ddp_reads *reads_of(const struct ddp_work *work)
{
	return &work->connection->ddp->halves[!work->from_a].reads;
}

static struct message *first_of(const struct ddp_work *work)
{
	return TAILQ_FIRST(&work->connection->streams[!work->from_a].messages);
}

static bool is_request(const struct message *message)
{
	return (message->shown.kind == RTAP_KIND_READ || message->shown.kind == RTAP_KIND_ATOMIC) && message->shown.request_seen;
}

/* Position after the last segment of a READ's data, which may lack bytes. */
static uint64_t covered(const struct message *message)
{
	return message->reported_end ? message->reported_end - MESSAGE_ORIGIN : 0;
}

/*
 * Whether a segment's position is within what a READ requested, and its bytes not present yet. A response has the length that was requested
 * (RFC 5040, 5.2.2), so its last segment ends there.
 */
static bool is_asked_by(const struct message *message, const struct rtap_iwarp_facts *facts)
{
	uint64_t offset = facts->tagged_offset - message->sink_offset;

	if (message->shown.kind != RTAP_KIND_READ || !message->shown.request_seen || message->sink_stag != facts->stag)
		return false;
	if (offset > message->shown.length || facts->payload_length > message->shown.length - offset ||
	    (offset == message->shown.length && message->shown.length))
		return false;
	return covered(message) <= offset && (!facts->last || offset + facts->payload_length == message->shown.length);
}

/* Requests before an MSN are no longer expected to be answered. */
static void skip_requests_before(const struct ddp_work *work, bool side, uint32_t msn)
{
	struct message *message = TAILQ_FIRST(&work->connection->streams[side].messages), *next;

	for (; message; message = next) {
		next = TAILQ_NEXT(message, link);
		if (!is_request(message))
			continue;
		if ((int32_t)(message->shown.psn - msn) >= 0)
			return;
		message_settle(work->tracker, message);
	}
}

static void begin_anew(struct ddp_reads *reads, uint32_t msn)
{
	*reads = (struct ddp_reads){ .begun = true, .next = msn, .end = msn };
}

/* Requests that cannot be outstanding any more because of the number after them were answered in missing bytes. */
static void apply_limit(const struct ddp_work *work, bool side)
{
	struct ddp_reads *reads = &work->connection->ddp->halves[side].reads;
	uint32_t limit = iwarp_half_most_requests(work->connection->iwarp, side), over;

	if (reads->times >= OFTEN && (!limit || reads->deepest < limit))
		limit = reads->deepest;
	over = reads->end - reads->next;
	if (!limit || over <= limit)
		return;
	over -= limit;
	if (over > reads->ahead)
		over = reads->ahead;
	reads->next += over;
	reads->ahead -= over;
	skip_requests_before(work, side, reads->next);
}

static void note_depth(struct ddp_reads *reads)
{
	uint32_t depth = reads->end - reads->next;

	if (depth > reads->deepest) {
		reads->deepest = depth;
		reads->times = 0;
	}
	reads->times += depth == reads->deepest;
}

/* Whether none of the last READs had this sink. Adds it to them. */
static bool is_new_sink(struct ddp_reads *reads, const struct message *message)
{
	uint32_t count = reads->sink_count < DDP_READS_SINKS ? reads->sink_count : DDP_READS_SINKS;
	bool is_new = true;

	for (uint32_t i = 0; i < count; i++)
		is_new = is_new && (reads->sinks[i].stag != message->sink_stag || reads->sinks[i].offset != message->sink_offset);
	reads->several_sinks |= is_new && count;
	reads->sinks[reads->sink_count % DDP_READS_SINKS].stag = message->sink_stag;
	reads->sinks[reads->sink_count++ % DDP_READS_SINKS].offset = message->sink_offset;
	return is_new;
}

/* MSN after the last request that can exist: each missing request occupies some of the missing bytes. */
static uint32_t end_of(const struct ddp_reads *reads)
{
	uint64_t more = reads->lost / DDP_READ_REQUEST_FPDU;

	return reads->end + (more < DDP_MOST_REQUESTS ? (uint32_t)more : DDP_MOST_REQUESTS);
}

void ddp_reads_asked(const struct ddp_work *work, struct message *message)
{
	struct ddp_reads *reads = &work->connection->ddp->halves[work->from_a].reads;
	uint32_t msn = message->shown.psn;

	if (!reads->begun) {
		bool is_lost = reads->lost, early_lost = reads->early_lost;
		uint32_t early = reads->early;

		begin_anew(reads, msn);
		/* The first request has number 1; others were lost if bytes were. */
		if (work->connection->shown.learned_by_mpa && !work->connection->iwarp->resumed && msn - 1 < (is_lost ? DDP_MOST_REQUESTS : 1)) {
			reads->known = true;
			reads->next = 1 + (early < msn ? early : msn);
			reads->ahead = early_lost && reads->next < msn ? msn - reads->next : 0;
			/* of a response under way */
			reads->low = reads->next;
			reads->high = reads->next + reads->ahead;
		}
	} else if (msn != reads->end && (!reads->lost || msn - reads->end >= DDP_MOST_REQUESTS)) {
		/* The sender does not count as the standard requires. */
		begin_anew(reads, msn);
	}
	reads->end = msn + 1;
	reads->lost = 0;
	if (!reads->known)
		message->sink_is_new = message->shown.kind == RTAP_KIND_READ && is_new_sink(reads, message);
	/* answered before it was processed: the order of cause and effect is unknown */
	if ((int32_t)(reads->end - reads->next) <= 0)
		return;
	if (reads->known && !reads->ahead && !work->connection->ddp->halves[!work->from_a].lost)
		note_depth(reads);
	else if (reads->known)
		apply_limit(work, work->from_a);
}

/* Minimum of stream bytes for `length` bytes of a response. */
static uint64_t least_bytes(uint64_t length)
{
	return length + LEAST_OVERHEAD * (length ? (length + LARGEST_PAYLOAD - 1) / LARGEST_PAYLOAD : 1);
}

/* Stream bytes for them in segments of the responder's usual size. */
static uint64_t usual_bytes(uint64_t length, uint32_t segment)
{
	uint64_t whole = segment && length > segment ? (length - 1) / segment : 0;

	return whole * fpdu_content_length(DDP_TAGGED_LENGTH + segment) +
	       fpdu_content_length(DDP_TAGGED_LENGTH + (uint32_t)(length - whole * segment));
}

static uint64_t least_of(const struct message *message)
{
	if (!message)
		return LEAST_OVERHEAD;
	return message->shown.kind == RTAP_KIND_ATOMIC ? ATOMIC_RESPONSE : least_bytes(message->shown.length - covered(message));
}

/* The request with that MSN at or after `message`, which is advanced; NULL: not seen. */
static struct message *find_request(struct message **message, uint32_t msn)
{
	uint32_t tried = 0;

	while (*message && tried++ < DDP_MOST_REQUESTS && (!is_request(*message) || (int32_t)((*message)->shown.psn - msn) < 0))
		*message = TAILQ_NEXT(*message, link);
	return *message && is_request(*message) && (*message)->shown.psn == msn ? *message : NULL;
}

/*
 * How many of the next requests the missing bytes may answer. *exact: the number whose responses have exactly that length;
 * 0: unknown.
 */
static uint32_t fit_in(const struct ddp_work *work, const struct ddp_reads *reads, uint64_t lost, uint32_t *exact)
{
	const struct ddp_half *half = &work->connection->ddp->halves[work->from_a];
	struct message *at = first_of(work);
	uint64_t least = 0, usual = 0;
	bool all_known = !half->has_writes && !half->lost_send;
	uint32_t count = 0;

	*exact = 0;
	for (uint32_t msn = reads->next; msn != end_of(reads) && count < DDP_MOST_REQUESTS; msn++) {
		const struct message *message = find_request(&at, msn);

		least += least_of(message);
		if (least > lost)
			break;
		count++;
		all_known = all_known && message && message->shown.kind == RTAP_KIND_READ;
		usual += all_known ? usual_bytes(message->shown.length - covered(message), half->largest) : 0;
		if (all_known && usual == lost)
			*exact = count;
	}
	return count;
}

void ddp_reads_lost(const struct ddp_work *work)
{
	struct ddp_half *half = &work->connection->ddp->halves[work->from_a];
	struct ddp_reads *reads = reads_of(work);
	uint32_t outstanding = end_of(reads) - reads->next, exact = 0, more;
	bool is_unassigned = half->write && half->write->shown.kind == RTAP_KIND_READ;

	reads->early_lost |= !reads->begun;
	/* an unassigned response can be that of `next`: then bytes of this one are not missing */
	reads->was_certain = reads->known && !reads->ahead && !is_unassigned;
	if (!reads->known || (int32_t)outstanding <= 0)
		return;
	if (is_unassigned)
		more = outstanding;
	else if (reads->ahead)
		more = half->lost / LEAST_OVERHEAD < outstanding ? (uint32_t)(half->lost / LEAST_OVERHEAD) : outstanding;
	else
		more = fit_in(work, reads, half->lost, &exact);
	reads->ahead = reads->ahead + more < outstanding ? reads->ahead + more : outstanding;
	if (exact) {
		reads->next += exact;
		reads->ahead = 0;
		reads->was_certain = false;
		skip_requests_before(work, !work->from_a, reads->next);
	} else if (reads->ahead) {
		apply_limit(work, !work->from_a);
	}
}

/* Whether the current segment can begin or continue the response to this READ after `skipped` missing bytes of others. */
static bool may_answer(const struct ddp_work *work, const struct message *message, uint64_t skipped)
{
	const struct ddp_half *half = &work->connection->ddp->halves[work->from_a];
	uint64_t offset = work->facts.tagged_offset - message->sink_offset, before;

	if (!is_asked_by(message, &work->facts))
		return false;
	before = offset - covered(message);
	/* Only bytes missing right before it can contain its beginning. */
	if (!half->lost)
		return !before || message == half->read;
	return !reads_of(work)->was_certain || skipped + (before ? least_bytes(before) : 0) <= half->lost;
}

/* The only outstanding READ that matches this data; NULL: none, or several. */
static struct message *only_one(const struct ddp_work *work)
{
	const struct ddp_reads *reads = reads_of(work);
	struct message *found = NULL, *message = first_of(work);

	for (uint32_t tried = 0; message; message = TAILQ_NEXT(message, link), tried++) {
		if (tried == DDP_MOST_REQUESTS)
			return NULL;
		if (!is_asked_by(message, &work->facts) || (int32_t)(message->shown.psn - reads->next) < 0)
			continue;
		if (found)
			return NULL;
		found = message;
	}
	return found;
}

/* An unassigned response may be that of any READ that matches it: later ones for its sink are not known to be its. */
static void doubt_all(const struct ddp_work *work)
{
	struct message *message = first_of(work);

	for (uint32_t tried = 0; message && tried < DDP_MOST_REQUESTS; message = TAILQ_NEXT(message, link), tried++)
		if (is_asked_by(message, &work->facts))
			message->sink_is_new = false;
}

struct message *ddp_reads_owner(const struct ddp_work *work)
{
	const struct ddp_half *half = &work->connection->ddp->halves[work->from_a];
	struct ddp_reads *reads = reads_of(work);
	struct message *owner = NULL, *at = first_of(work);
	uint32_t last = reads->next + reads->ahead, count = 0;
	uint64_t skipped = 0;

	if (!half->lost && half->read && is_asked_by(half->read, &work->facts))
		return half->read;
	/* An unassigned response continues. */
	if (!half->lost && half->write && half->write->shown.kind == RTAP_KIND_READ && half->write->shown.r_key == work->facts.stag &&
	    half->next_offset == work->facts.tagged_offset)
		return NULL;
	reads->low = reads->high = reads->next;
	if (!reads->known) {
		owner = only_one(work);
		/* RPC servers use one sink per READ. */
		if (owner && (owner->region || (owner->sink_is_new && reads->several_sinks)))
			return owner;
		doubt_all(work);
		return NULL;
	}
	for (uint32_t msn = reads->next; msn != end_of(reads); msn++) {
		struct message *message = find_request(&at, msn);

		/* A READ that was not seen may match any data. */
		if (!message || may_answer(work, message, skipped)) {
			reads->low = count ? reads->low : msn;
			reads->high = msn;
			owner = count++ ? NULL : message;
		}
		skipped += least_of(message);
		if (msn == last)
			break;
	}
	/* none: the responder skips requests; several: RPC servers use one sink per READ under way */
	if (count == 1 || owner)
		return owner;
	owner = only_one(work);
	return !count || (owner && owner->region) ? owner : NULL;
}

void ddp_reads_answered(const struct ddp_work *work, const struct message *message)
{
	struct ddp_reads *reads = reads_of(work);

	reads->early += !reads->begun;
	if (message) {
		reads->row = message->shown.psn == reads->next ? reads->row + 1 : 0;
		reads->known = reads->known || reads->row >= ROW;
		reads->next = message->shown.psn + 1;
		reads->ahead = 0;
	} else if (!reads->known) {
		reads->row = 0;
	} else {
		reads->next = reads->low + 1;
		reads->ahead = reads->high - reads->low;
		skip_requests_before(work, !work->from_a, reads->next);
	}
}

void ddp_reads_unseen_answered(const struct ddp_work *work)
{
	struct ddp_reads *reads = reads_of(work);
	struct message *at = first_of(work);
	uint32_t last = reads->next + reads->ahead, count = 0;

	for (uint32_t msn = reads->next; reads->known && msn != end_of(reads); msn++) {
		if (!find_request(&at, msn)) {
			reads->low = count++ ? reads->low : msn;
			reads->high = msn;
		}
		if (msn == last)
			break;
	}
	if (count || !reads->known)
		ddp_reads_answered(work, NULL);
}

void ddp_reads_torn(const struct ddp_work *work, const struct message *message)
{
	struct ddp_reads *reads = reads_of(work);

	if (!reads->known || message->shown.psn != reads->next)
		return;
	reads->next++;
	reads->ahead -= reads->ahead > 0;
}
