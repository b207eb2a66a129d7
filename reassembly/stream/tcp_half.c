/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/crc32.h"
#include "dissect/engine/cursor.h"
#include "reassembly/stream/tcp_half.h"
#include "reassembly/time_windows.h"

/* Most queued pieces that one segment may overlap; real segments overlap a few. */
#define MOST_OVERLAPPED 256

static struct tcp_streams *streams_of(const struct tcp_half *half)
{
	return half->connection->streams;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void unlink_queued(struct tcp_half *half, struct tcp_queued *queued)
{
	TAILQ_REMOVE(&half->pieces, queued, link);
	tree_remove(&half->queue, &queued->node);
	if (half->newest == queued)
		half->newest = NULL;
}

static void free_queued(struct tcp_half *half, struct tcp_queued *queued)
{
	unlink_queued(half, queued);
	budget_give(streams_of(half)->budget, &half->entry, sizeof *queued + queued->captured);
	free(queued);
}

static struct tcp_queued *queued_of(const struct tree_node *node)
{
	return node ? (struct tcp_queued *)((char *)(uintptr_t)node - offsetof(struct tcp_queued, node)) : NULL;
}

static int by_begin(const struct tree_node *a, const struct tree_node *b)
{
	uint64_t left = queued_of(a)->begin, right = queued_of(b)->begin;

	return left < right ? -1 : left > right;
}

/* Pieces do not overlap: their ends are in the order of their beginnings. */
static int ends_after(const struct tree_node *node, const void *position)
{
	return queued_of(node)->end <= *(const uint64_t *)position ? -1 : 1;
}

static void free_queue(struct tcp_half *half)
{
	while (!TAILQ_EMPTY(&half->pieces))
		free_queued(half, TAILQ_FIRST(&half->pieces));
}

void tcp_half_evict(struct budget_entry *entry, void *owner)
{
	struct tcp_half *half = owner;

	(void)entry;
	streams_of(half)->evicted_queues++;
	half->evicted_to = most(half->evicted_to, TAILQ_LAST(&half->pieces, tcp_queue)->end);
	free_queue(half);
}

void tcp_half_init(struct tcp_half *half, struct tcp_connection *connection, bool from_a)
{
	half->connection = connection;
	half->from_a = from_a;
	half->entry = (struct budget_entry){ .evict = tcp_half_evict, .give_up = tcp_half_give_up, .owner = half };
	TAILQ_INIT(&half->pieces);
	half->queue.order = by_begin;
}

void tcp_half_start(struct tcp_half *half, uint32_t sequence)
{
	half->started = true;
	half->base = half->next = half->highest = tcp_half_origin(sequence);
}

void tcp_half_fini(struct tcp_half *half)
{
	free_queue(half);
}

static void report_hole(struct tcp_half *half, uint64_t begin, uint64_t end, enum tcp_hole_reason reason)
{
	struct tcp_streams *streams = streams_of(half);
	struct tcp_hole hole;

	if (begin >= end)
		return;
	hole = (struct tcp_hole){ begin - half->base, end - begin, reason };
	streams->user.hole(streams->user.owner, half->connection, half->from_a, &hole);
}

/* Bytes up to `end` will not be delivered. */
static void give_up(struct tcp_half *half, uint64_t end, enum tcp_hole_reason reason)
{
	uint64_t begin = half->next, evicted = most(begin, least(end, half->evicted_to));

	half->next = end;
	report_hole(half, begin, evicted, TCP_HOLE_EVICTED);
	report_hole(half, evicted, end, reason);
}

/* Delivers bytes of a segment from `next` to `end`. */
static void report(struct tcp_half *half, struct tcp_segment *segment, uint64_t end)
{
	struct tcp_streams *streams = streams_of(half);
	uint64_t begin = half->next, cut = least(end, most(begin, segment->begin + segment->captured));

	half->next = end;
	if (begin < cut) {
		segment->delivered.offset = begin - half->base;
		segment->delivered.span = (struct rtap_span){ segment->bytes + (begin - segment->begin), (uint32_t)(cut - begin) };
		streams->user.bytes(streams->user.owner, half->connection, half->from_a, &segment->delivered);
	}
	report_hole(half, cut, end, TCP_HOLE_SNAPPED);
}

/* Delivers queued bytes at `next` and frees them. */
static void report_queued(struct tcp_half *half)
{
	struct tcp_queued *queued;

	while ((queued = TAILQ_FIRST(&half->pieces)) && queued->begin <= half->next) {
		struct tcp_segment segment = {
			.begin = queued->begin, .end = queued->end, .bytes = queued->bytes, .captured = queued->captured,
			.delivered = { .frame = queued->frame, .acknowledged = queued->acknowledged, .time_ns = queued->time_ns,
				  .was_ahead = queued->was_ahead, .wanted = queued->wanted },
		};

		if (queued->end > half->next)
			report(half, &segment, queued->end);
		free_queued(half, queued);
	}
}

/* The first queued piece that ends after `position`. */
static struct tcp_queued *first_after(const struct tcp_half *half, uint64_t position)
{
	struct tcp_queued *first = TAILQ_FIRST(&half->pieces);

	if (!first || TAILQ_LAST(&half->pieces, tcp_queue)->end <= position)
		return NULL;
	if (first->end > position)
		return first;
	return queued_of(tree_at_or_after(&half->queue, ends_after, &position));
}

/* Copies a part of a segment to the queue before `after` (NULL: at the end). False: out of memory. */
static bool enqueue(struct tcp_half *half, const struct tcp_segment *segment, uint64_t begin, uint64_t end,
		    struct tcp_queued *after)
{
	uint64_t captured_end = least(end, segment->begin + segment->captured);
	uint32_t captured = captured_end > begin ? (uint32_t)(captured_end - begin) : 0;
	struct tcp_queued *queued;

	if (!budget_take(streams_of(half)->budget, &half->entry, sizeof *queued + captured))
		return false;
	queued = memory_new(sizeof *queued + captured);
	if (!queued) {
		budget_give(streams_of(half)->budget, &half->entry, sizeof *queued + captured);
		return false;
	}
	*queued = (struct tcp_queued){
		.begin = begin, .end = end, .frame = segment->delivered.frame, .time_ns = segment->delivered.time_ns,
		.captured = captured, .acknowledged = segment->delivered.acknowledged,
	};
	if (captured)
		memcpy(queued->bytes, segment->bytes + (begin - segment->begin), captured);
	if (after)
		TAILQ_INSERT_BEFORE(after, queued, link);
	else
		TAILQ_INSERT_TAIL(&half->pieces, queued, link);
	tree_insert(&half->queue, &queued->node);
	half->newest = queued;
	return true;
}

/* Gives up the first gap although it may still arrive. */
static void force(struct tcp_half *half)
{
	streams_of(half)->forced_holes++;
	give_up(half, TAILQ_FIRST(&half->pieces)->begin, TCP_HOLE_EVICTED);
	report_queued(half);
}

/* Delivers the parts of a segment that are next, alternating with queued bytes. True: nothing of the segment is left. */
static bool report_in_turn(struct tcp_half *half, struct tcp_segment *segment)
{
	while (half->next < segment->end && segment->begin <= half->next) {
		const struct tcp_queued *first = TAILQ_FIRST(&half->pieces);

		report(half, segment, first ? least(segment->end, first->begin) : segment->end);
		report_queued(half);
	}
	return half->next >= segment->end;
}

/* Queues the parts of a segment that are not queued yet. False: out of memory. */
static bool keep(struct tcp_half *half, const struct tcp_segment *segment)
{
	uint64_t position = most(segment->begin, half->next);

	while (position < segment->end) {
		struct tcp_queued *after = first_after(half, position);
		uint64_t end = after ? least(segment->end, after->begin) : segment->end;

		if (position < end && !enqueue(half, segment, position, end, after))
			return false;
		position = after ? after->end : end;
	}
	return true;
}

static void place(struct tcp_half *half, struct tcp_segment *segment)
{
	const struct tcp_queued *first;

	while (!report_in_turn(half, segment)) {
		if (keep(half, segment))
			return;
		/* Without a gap before it, it needs no memory. */
		first = TAILQ_FIRST(&half->pieces);
		if (first && first->begin < segment->begin)
			force(half);
		else
			give_up(half, segment->begin, TCP_HOLE_EVICTED);
	}
}

/* How many bytes of a segment are queued, and whether they differ. */
static uint64_t overlap(struct tcp_half *half, const struct tcp_segment *segment, bool *differs)
{
	const struct tcp_queued *first;
	uint64_t sum = 0;
	uint32_t count = 0;

	for (struct tcp_queued *queued = first_after(half, segment->begin); queued && queued->begin < segment->end;
	     queued = TAILQ_NEXT(queued, link)) {
		uint64_t begin = most(segment->begin, queued->begin), end = least(segment->end, queued->end);
		uint64_t both = least(least(end, segment->begin + segment->captured), queued->begin + queued->captured);

		sum += end - begin;
		if (begin < both && memcmp(queued->bytes + (begin - queued->begin), segment->bytes + (begin - segment->begin),
					   both - begin))
			*differs = true;
		count++;
	}
	/* A sender of tiny pieces must not cause all of them to be examined again for each segment. */
	while (count > MOST_OVERLAPPED && (first = TAILQ_FIRST(&half->pieces)) && first->begin < segment->end)
		force(half);
	return sum;
}

/* Not inlined: SSE instructions of the caller would come between the CRC and its release. */
__attribute__((noinline)) uint32_t tcp_digest(const uint8_t *bytes, uint32_t length)
{
	uint32_t crc = crc32_of(0, bytes, length);

	crc32_release();
	return crc;
}

static uint32_t digest_of(const struct tcp_segment *segment)
{
	return segment->has_digest ? segment->digest : tcp_digest(segment->bytes, segment->captured);
}

static const struct tcp_recent *recent_like(const struct tcp_half *half, const struct tcp_segment *segment)
{
	for (const struct tcp_recent *recent = half->recent; recent < half->recent + TCP_RECENT; recent++)
		if (recent->length && recent->begin == segment->begin && recent->length == segment->end - segment->begin)
			return recent;
	return NULL;
}

static void remember(struct tcp_half *half, const struct tcp_segment *segment)
{
	half->recent[half->recent_at++ % TCP_RECENT] = (struct tcp_recent){
		.begin = segment->begin, .length = (uint32_t)(segment->end - segment->begin), .captured = segment->captured,
		.point = segment->point, .digest = digest_of(segment), .time_ns = segment->delivered.time_ns,
	};
}

/* A segment without new bytes. */
static enum rtap_tcp_analysis analyse_repeat(const struct tcp_half *half, const struct tcp_segment *segment, bool *differs)
{
	const struct tcp_recent *recent = recent_like(half, segment);
	int64_t apart;

	if (segment->end - segment->begin == 1 && segment->end == half->highest && !recent)
		return RTAP_TCP_KEEP_ALIVE;
	if (!recent)
		return RTAP_TCP_RETRANSMISSION;
	if (recent->captured == segment->captured && recent->digest != digest_of(segment))
		*differs = true;
	apart = segment->delivered.time_ns - recent->time_ns;
	if (!*differs && recent->point != segment->point && apart <= TWICE_NS && apart >= -TWICE_NS)
		return RTAP_TCP_CAPTURED_TWICE;
	return RTAP_TCP_RETRANSMISSION;
}

static void analyse(struct tcp_half *half, const struct tcp_segment *segment, bool no_room,
		    struct tcp_segment_facts *facts)
{
	uint64_t length = segment->end - segment->begin, next = half->next, known = overlap(half, segment, &facts->differs);

	if (segment->begin < next)
		known += least(segment->end, next) - segment->begin;
	if (known == length)
		facts->analysis = (uint8_t)analyse_repeat(half, segment, &facts->differs);
	else if (known)
		facts->analysis = RTAP_TCP_OVERLAP;
	else if (segment->begin < half->highest)
		facts->analysis = RTAP_TCP_OUT_OF_ORDER;
	else if (segment->begin > half->highest)
		facts->analysis = RTAP_TCP_GAP;
	else
		facts->analysis = length == 1 && no_room ? RTAP_TCP_WINDOW_PROBE : RTAP_TCP_NEW;
	if (facts->analysis == RTAP_TCP_GAP)
		facts->missing = segment->begin - half->highest;
}

/* A segment with only new bytes, completely queued. */
static void report_ahead(struct tcp_half *half, const struct tcp_segment *segment)
{
	struct tcp_streams *streams = streams_of(half);
	struct tcp_bytes bytes = segment->delivered;
	bool was_ahead;

	bytes.offset = segment->begin - half->base;
	bytes.span = (struct rtap_span){ segment->bytes, segment->captured };
	was_ahead = streams->user.ahead(streams->user.owner, half->connection, half->from_a, &bytes);

	/* The user may have needed memory: the piece may be gone. */
	if (half->newest && half->newest->frame == segment->delivered.frame)
		half->newest->was_ahead = was_ahead;
}

void tcp_half_want(struct tcp_connection *connection, bool from_a, uint64_t frame)
{
	struct tcp_half *half = &connection->halves[from_a];

	if (half->newest && half->newest->frame == frame)
		half->newest->wanted = true;
}

static bool is_repeat(uint8_t analysis)
{
	return analysis == RTAP_TCP_RETRANSMISSION || analysis == RTAP_TCP_KEEP_ALIVE || analysis == RTAP_TCP_CAPTURED_TWICE;
}

void tcp_half_data(struct tcp_half *half, struct tcp_segment *segment, bool no_room, struct tcp_segment_facts *facts)
{
	analyse(half, segment, no_room, facts);
	if (!is_repeat(facts->analysis))
		remember(half, segment);
	if (half->has_fin && segment->end > half->fin) {
		segment->end = most(segment->begin, half->fin);
		segment->captured = (uint32_t)least(segment->captured, segment->end - segment->begin);
	}
	half->highest = most(half->highest, segment->end);
	if (segment->begin < segment->end)
		place(half, segment);
	if (segment->begin > half->next && segment->captured == segment->end - segment->begin && streams_of(half)->user.ahead &&
	    !half->connection->ignored &&
	    (facts->analysis == RTAP_TCP_GAP || facts->analysis == RTAP_TCP_NEW || facts->analysis == RTAP_TCP_OUT_OF_ORDER))
		report_ahead(half, segment);
}

void tcp_half_finish(struct tcp_half *half, uint64_t position)
{
	if (half->has_fin || position < half->highest)
		return;
	half->has_fin = true;
	half->fin = position;
}

void tcp_half_acknowledge(struct tcp_half *half, const struct rtap_tcp_facts *tcp)
{
	uint64_t position = tcp_half_unwrap(half, tcp->acknowledgment);

	if (position > half->highest + TCP_HALF_AHEAD)
		return;
	if (!half->has_acknowledged)
		half->has_mark = false;
	if (!half->has_acknowledged || position > half->acknowledged)
		half->acknowledged = position;
	half->has_acknowledged = true;
	half->sack_count = tcp->sack_count;
	for (uint8_t i = 0; i < tcp->sack_count; i++) {
		half->sack[i].left = tcp_half_unwrap(half, tcp->sack[i].left);
		half->sack[i].right = tcp_half_unwrap(half, tcp->sack[i].right);
	}
}

void tcp_half_settle(struct tcp_half *half, int64_t now_ns)
{
	uint64_t segments = half->connection->segments;
	const struct tcp_queued *first;

	if (tcp_half_is_due(half, segments, now_ns)) {
		if (half->has_mark)
			half->settled = most(half->settled, half->mark);
		half->has_mark = true;
		half->mark = half->has_acknowledged ? half->acknowledged : half->highest;
		half->due_segments = half->has_acknowledged ? segments + TCP_HALF_GRACE_SEGMENTS : UINT64_MAX;
		half->due_ns = now_ns + (half->has_acknowledged ? TCP_HALF_GRACE_NS : TCP_HALF_UNHEARD_NS);
	}
	while ((first = TAILQ_FIRST(&half->pieces)) && first->begin <= half->settled) {
		give_up(half, first->begin, TCP_HOLE_NOT_CAPTURED);
		report_queued(half);
	}
}

/* Up to where, from `position` on, the receiver has all bytes or none; *has: which. */
static uint64_t same_until(const struct tcp_half *half, uint64_t position, bool *has)
{
	uint64_t until = UINT64_MAX;

	*has = position < half->acknowledged;
	if (*has)
		return half->acknowledged;
	for (uint8_t i = 0; i < half->sack_count; i++) {
		if (half->sack[i].left <= position && position < half->sack[i].right) {
			*has = true;
			return half->sack[i].right;
		}
		if (half->sack[i].left > position)
			until = least(until, half->sack[i].left);
	}
	return until;
}

/* No more bytes arrive: those that the receiver never acknowledged were lost. */
static void give_up_last(struct tcp_half *half, uint64_t end)
{
	while (half->next < end) {
		bool has;
		uint64_t until = least(end, same_until(half, half->next, &has));

		give_up(half, until, has || !half->has_acknowledged ? TCP_HOLE_NOT_CAPTURED : TCP_HOLE_LOST);
	}
}

/* Delivers all queued bytes. */
static void report_all_queued(struct tcp_half *half)
{
	const struct tcp_queued *first;

	while ((first = TAILQ_FIRST(&half->pieces))) {
		give_up_last(half, first->begin);
		report_queued(half);
	}
}

void tcp_half_give_up(struct budget_entry *entry, void *owner)
{
	/* The user must not evict what is being delivered. */
	entry->evict = NULL;
	report_all_queued(owner);
	entry->evict = tcp_half_evict;
}

void tcp_half_flush(struct tcp_half *half)
{
	report_all_queued(half);
	if (half->has_fin)
		give_up_last(half, half->fin);
	else if (half->has_acknowledged && half->acknowledged > half->next + 1) /* 1 may be a FIN that was not seen */
		give_up_last(half, half->acknowledged);
	else if (half->evicted_to > half->next)
		give_up_last(half, half->evicted_to);
}
