/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/engine/clear.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/connection.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_recovery.h"
#include "reassembly/kept_ahead.h"
#include "base/memory.h"
#include "reassembly/message_list.h"
#include "reassembly/message_pair.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/upper.h"

#define CACHE_LINE 64
#define MOST_SPARE 1024 /* messages kept for reuse */

/* Invalidates the places after a message; NULL: all. */
static void discard_places_after(struct rtap_tracker *tracker, struct message *last)
{
	struct message *message = last ? TAILQ_NEXT(last, waiting) : TAILQ_FIRST(&tracker->waiting);

	for (; message && message->place; message = TAILQ_NEXT(message, waiting))
		message->place = 0;
	tracker->last_placed = last;
	if (tracker->last_ready && !tracker->last_ready->place)
		tracker->last_ready = last;
}

static void place_next(struct rtap_tracker *tracker)
{
	struct message *last = tracker->last_placed, *next = last ? TAILQ_NEXT(last, waiting) : TAILQ_FIRST(&tracker->waiting);

	next->place = last ? last->place + 1 : 1;
	tracker->last_placed = next;
}

static __attribute__((noinline)) void leave_place(struct rtap_tracker *tracker, struct message *message)
{
	struct message *before = TAILQ_PREV(message, message_list, waiting);

	if (before || tracker->last_placed == message)
		discard_places_after(tracker, before);
	else if (tracker->last_ready == message)
		tracker->last_ready = NULL;
	message->place = 0;
}

static inline void unlink_waiting(struct rtap_tracker *tracker, struct message *message)
{
	if (message->place)
		leave_place(tracker, message);
	if (tracker->last_late == message)
		tracker->last_late = NULL;
	TAILQ_REMOVE(&tracker->waiting, message, waiting);
}

/* Most search steps for the position of a late message. Beyond that its position is approximate. */
#define MOST_PASSED 1024

/* Inserts into the waiting list; NULL: first. */
static inline void insert_after(struct rtap_tracker *tracker, struct message *message, struct message *before)
{
	if (before)
		TAILQ_INSERT_AFTER(&tracker->waiting, before, message, waiting);
	else
		TAILQ_INSERT_HEAD(&tracker->waiting, message, waiting);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* Where to search for the position of a late message: the nearest of the first, the last, and the late one before it, which often precedes it. */
static struct message *nearest(const struct rtap_tracker *tracker, uint64_t frame)
{
	struct message *first = TAILQ_FIRST(&tracker->waiting), *last = TAILQ_LAST(&tracker->waiting, message_list);
	struct message *near = distance(frame, first->shown.first_frame) < distance(frame, last->shown.first_frame) ? first : last;
	struct message *late = tracker->last_late;

	return late && distance(frame, late->shown.first_frame) < distance(frame, near->shown.first_frame) ? late : near;
}

/* link_waiting() of a late message. */
static __attribute__((cold, noinline)) void link_late(struct rtap_tracker *tracker, struct message *message)
{
	uint64_t frame = message->shown.first_frame;
	struct message *before = nearest(tracker, frame), *after;
	unsigned passed = 0;

	for (; passed < MOST_PASSED && before && before->shown.first_frame > frame; passed++)
		before = TAILQ_PREV(before, message_list, waiting);
	for (; passed < MOST_PASSED && before && (after = TAILQ_NEXT(before, waiting)) && after->shown.first_frame <= frame; passed++)
		before = after;
	after = before ? TAILQ_NEXT(before, waiting) : TAILQ_FIRST(&tracker->waiting);
	if (after && after->place) {
		if (tracker->last_placed->place - after->place < MOST_PASSED)
			discard_places_after(tracker, before);
		else
			before = tracker->last_placed;
	}
	insert_after(tracker, message, before);
	tracker->last_late = message;
}

/*
 * Usually at the end. A response that had to wait for its request's queue pair belongs earlier in the list. After the end of
 * the input all waiting messages may be late: they are sorted together later.
 */
static inline void link_waiting(struct rtap_tracker *tracker, struct message *message)
{
	const struct message *last = TAILQ_LAST(&tracker->waiting, message_list);

	if (last && last->shown.first_frame > message->shown.first_frame && !tracker->finishes)
		link_late(tracker, message);
	else
		TAILQ_INSERT_TAIL(&tracker->waiting, message, waiting);
}

bool message_is_due_before(const void *one, const void *other)
{
	return ((const struct message *)one)->due_ns < ((const struct message *)other)->due_ns;
}

void message_set_deferred(void *message, size_t at)
{
	((struct message *)message)->deferred = at + 1;
}

/* Another message may now be the first deferred one. */
static void note_due(struct rtap_tracker *tracker)
{
	const struct message *first = heap_first(&tracker->deferred.heap);

	tracker->deferred.due_ns = first ? first->due_ns : UINT64_MAX;
}

static __attribute__((cold, noinline)) void leave_deferred(struct rtap_tracker *tracker, struct message *message)
{
	heap_remove(&tracker->deferred.heap, message->deferred - 1);
	message->deferred = 0;
	note_due(tracker);
}

void message_release(struct rtap_tracker *tracker, struct message *message)
{
	message->request = NULL;
	if (!message->deferred)
		return;
	leave_deferred(tracker, message);
	message->due_ns = tracker->budget.clock_ns;
	/* it cannot fail: there is room for as many elements as before */
	if (heap_add(&tracker->deferred.heap, message))
		note_due(tracker);
}

static __attribute__((cold, noinline)) void unlink_half(struct connection *connection, struct message *message)
{
	TAILQ_REMOVE(&connection->half, message, half);
	message->is_half = false;
}

void messages_move(struct connection *from, struct connection *to, bool from_a)
{
	struct message *message;

	while ((message = TAILQ_FIRST(&from->half))) {
		unlink_half(from, message);
		message->connection = to;
		message->shown.from_a = from_a;
		from->references--;
		to->references++;
	}
}

static inline void free_message(struct rtap_tracker *tracker, struct message *message)
{
	struct connection *connection = message->connection;

	unlink_waiting(tracker, message);
	if (message->deferred)
		leave_deferred(tracker, message);
	if (message->is_half)
		unlink_half(connection, message);
	/* Most messages have none of these: calls would cost more than the checks. */
	if (message->exchange)
		mad_exchange_discard(message);
	if (message->reference)
		*message->reference = NULL;
	if (message->transfer)
		rmpp_discard(message);
	coverage_fini(&message->coverage);
	coverage_fini(&message->cut);
	if (message->shown.missing)
		free((void *)(uintptr_t)message->shown.missing);
	if (message->shown.items && message->shown.items != &message->item)
		upper_release(tracker, message);
	if (message->memory)
		budget_give(&tracker->budget, message->stream ? &connection->entry : &tracker->messages, message->memory);
	if (message->stream)
		message_list_leave(message);
	if (message->awaits_ack)
		ddp_half_end_wait(message);
	if (message->recovers)
		ddp_recovery_discard(message);
	if (MEMORY_REUSED && tracker->spare_count < MOST_SPARE) {
		TAILQ_INSERT_HEAD(&tracker->spare, message, link);
		tracker->spare_count++;
	} else {
		free(message);
	}
	budget_give(&tracker->budget, &tracker->messages, sizeof *message);
	if (connection) {
		connection->references--;
		connection_release(tracker, connection);
	}
}

static inline void fetch_lines(const char *at)
{
	__builtin_prefetch(at, 1);
	__builtin_prefetch(at + CACHE_LINE, 1);
	__builtin_prefetch(at + 2 * CACHE_LINE, 1);
	__builtin_prefetch(at + 3 * CACHE_LINE, 1);
}

/* Prefetches the next message to be used. Unrolled: a loop would take longer. */
static inline void fetch(const struct message *message)
{
	static_assert(offsetof(struct message, by_psn) < 14 * CACHE_LINE, "nearly all of a message is fetched");
	if (!message)
		return;
	fetch_lines((const char *)message);
	fetch_lines((const char *)message + 4 * CACHE_LINE);
	fetch_lines((const char *)message + 8 * CACHE_LINE);
}

/* The number of a message further down the queue than the first one, which has the last number given. */
static uint64_t number_of(struct rtap_tracker *tracker, const struct message *wanted)
{
	while (!wanted->place)
		place_next(tracker);
	return tracker->counters.messages + (wanted->place - TAILQ_FIRST(&tracker->waiting)->place);
}

/* Whether neither the message nor those before it can change any more. */
static bool is_ready(const struct rtap_tracker *tracker, const struct message *message)
{
	return message->place && tracker->last_ready && message->place <= tracker->last_ready->place;
}

/*
 * The message to wait for, among the first one and those between it and its response, whose numbers must be known. NULL:
 * none of them changes any more.
 */
static struct message *awaited_by(struct rtap_tracker *tracker, struct message *message)
{
	if (message_is_held(message))
		return message;
	if (message->stream) {
		if (!message_is_final(tracker, message))
			return message;
		message_settle(tracker, message);
		/* A SEND that is complete can wait for the end of its request. */
		if (message_is_held(message))
			return message;
	}
	if ((message->awaits_ack || message->answered) && message->connection->ddp && !message_final_ddp(tracker, message))
		return message;
	/* What was found ready stays ready. */
	while (message->partner && !is_ready(tracker, message->partner)) {
		struct message *last = tracker->last_ready, *next = last ? TAILQ_NEXT(last, waiting) : message;

		/* A message that only reserves a place can be dropped again. */
		if (next->reserves || (next->stream && !message_is_final(tracker, next)))
			return next;
		if (next->stream)
			message_settle(tracker, next);
		if (!next->place)
			place_next(tracker);
		tracker->last_ready = next;
	}
	/* The result of a request does not change its place: only the message itself is waited for, and time that its response loses. */
	if (message->partner && (message->partner->request || (message->partner->awaits_ack && !message_final_ddp(tracker, message->partner))))
		return message->partner;
	return NULL;
}

/* The segments of a management transfer: replaces their counts by those of the whole. */
static __attribute__((cold, noinline)) void settle_transfer(struct rtap_tracker *tracker, struct message *message)
{
	struct rtap_message *shown = &message->shown;

	message->gathers = false;
	budget_give(&tracker->budget, &tracker->messages, message->memory);
	message_settle(tracker, message);
	shown->segments_lost = shown->segments > shown->frames ? shown->segments - (uint32_t)shown->frames : 0;
}

static void report(struct rtap_tracker *tracker, struct message *message)
{
	struct rtap_message *shown = &message->shown;

	if (message->gathers)
		settle_transfer(tracker, message);
	/* Memory is short, or the input has ended. */
	if (message->request)
		upper_detach(message);
	shown->number = ++tracker->counters.messages;
	if (message->partner) {
		shown->partner = number_of(tracker, message->partner);
		message->partner->shown.partner = shown->number;
		message->partner->partner = NULL;
	}
	tracker->counters.incomplete_messages += !shown->complete;
	shown->connection = message->connection ? &message->connection->shown : NULL;
	if (tracker->options.message)
		tracker->options.message(tracker->options.owner, shown);
	if (message->operation) {
		operation_report(tracker, message);
		operation_destroy(tracker, message);
	}
	free_message(tracker, message);
}

void message_drop(struct rtap_tracker *tracker, struct message *message)
{
	if (message->keeps_ahead)
		kept_ahead_leave(tracker, message);
	upper_discard(message);
	operation_destroy(tracker, message);
	message_unpair(message);
	free_message(tracker, message);
}

/* Moves to the end of the waiting list, as if it had begun now. */
static void queue_again(struct rtap_tracker *tracker, struct message *message)
{
	unlink_waiting(tracker, message);
	TAILQ_INSERT_TAIL(&tracker->waiting, message, waiting);
	message->queued_ns = tracker->budget.clock_ns;
}

/* How often a deferred message is checked before it is given up. */
#define ASIDE_CHECKS 64

/* When to check whether a message is finished: soon, and as soon as what it waits for is given up. */
static uint64_t check_time(const struct rtap_tracker *tracker, const struct message *message)
{
	const struct budget *budget = &tracker->budget;
	uint64_t wait_ns = budget->give_up_ns / ASIDE_CHECKS + 1, silent_ns = 0;

	/* message_release() ends the wait */
	if (upper_holds(message))
		return UINT64_MAX;
	if (message->reference && message->connection)
		silent_ns = budget->clock_ns - message->connection->entry.used_ns;
	else if (message->stream && tracker->now_ns > message->active_ns)
		silent_ns = (uint64_t)tracker->now_ns - (uint64_t)message->active_ns;
	/* no output needs the report: check rarely */
	if (!tracker->reports && silent_ns > wait_ns)
		wait_ns = 3 * silent_ns;
	if (silent_ns < budget->give_up_ns && budget->give_up_ns - silent_ns < wait_ns)
		wait_ns = budget->give_up_ns - silent_ns;
	return budget->clock_ns + wait_ns;
}

/* Defers it: it no longer delays later messages. Without memory it is reported in its turn. */
static void defer(struct rtap_tracker *tracker, struct message *message)
{
	struct heap *heap = &tracker->deferred.heap;
	size_t room = heap->room;

	queue_again(tracker, message);
	if (message->deferred)
		return;
	message->due_ns = check_time(tracker, message);
	if (!heap_add(heap, message)) {
		tracker->counters.evictions++;
		return;
	}
	budget_charge(&tracker->budget, &tracker->messages, (heap->room - room) * sizeof *heap->items);
	note_due(tracker);
}

/* With its partner: a request is reported before its response. */
static void defer_both(struct rtap_tracker *tracker, struct message *message)
{
	struct message *partner = message->partner;

	if (partner && message->is_response)
		defer(tracker, partner);
	defer(tracker, message);
	if (partner && !message->is_response)
		defer(tracker, partner);
}

static bool is_over(const struct rtap_tracker *tracker, const struct message *message)
{
	if (message_is_held(message) || (message->stream && !message_is_final(tracker, message)))
		return false;
	return !((message->awaits_ack || message->answered) && message->connection->ddp) || message_final_ddp(tracker, message);
}

/* Moves it before all messages whose places are not computed yet. */
static void bring_forward(struct rtap_tracker *tracker, struct message *message)
{
	struct message *before = tracker->last_placed;

	if (message->deferred)
		leave_deferred(tracker, message);
	if (message->place)
		return;
	unlink_waiting(tracker, message);
	insert_after(tracker, message, before);
	place_next(tracker);
}

void messages_check_deferred(struct rtap_tracker *tracker)
{
	while (tracker->deferred.due_ns <= tracker->budget.clock_ns) {
		struct message *message = heap_first(&tracker->deferred.heap), *partner = message->partner;

		if (!is_over(tracker, message) || (partner && !is_over(tracker, partner))) {
			message->due_ns = check_time(tracker, message);
			heap_settle_first(&tracker->deferred.heap);
			note_due(tracker);
			continue;
		}
		/* A request is reported before its response. */
		if (partner && message->is_response) {
			bring_forward(tracker, partner);
			bring_forward(tracker, message);
		} else {
			bring_forward(tracker, message);
			if (partner)
				bring_forward(tracker, partner);
		}
	}
}

#define IDLE_CHECK_NS (GRACE_NS / 8) /* capture time between checks while a request really waits */

/* Settles what no longer changes of the messages that the request of the message can wait for. */
static __attribute__((cold, noinline)) void settle_idle(struct rtap_tracker *tracker, const struct message *message)
{
	struct connection *connection = message->connection;
	struct message *data, *last = NULL;

	for (int side = 0; side < 2 && !connection->ddp; side++)
		messages_settle(tracker, &connection->streams[side], false);
	/* the data can be on other connections */
	for (; message->request && (data = TAILQ_FIRST(&message->request->claimed)) && data != last && !data->connection->ddp; last = data)
		messages_settle(tracker, data->stream, false);
	if (message->request)
		tracker->idle_check_ns = tracker->now_ns + IDLE_CHECK_NS;
}

void messages_report_ready(struct rtap_tracker *tracker)
{
	struct message *message;

	while ((message = TAILQ_FIRST(&tracker->waiting))) {
		struct message *awaited;

		if (message_may_be_idle(tracker, message))
			settle_idle(tracker, message);
		awaited = awaited_by(tracker, message);
		if (!awaited) {
			fetch(TAILQ_NEXT(message, waiting));
			report(tracker, message);
			continue;
		}
		if (!message_is_overdue(tracker, message))
			break;
		/* Between it and a partner that was deferred, all messages of the queue are: they are not waited for. */
		if (awaited == message || awaited == message->partner || (message->partner && message->partner->deferred))
			defer_both(tracker, message);
		else
			defer(tracker, awaited);
	}
}

struct place {
	struct message *message;
	size_t at;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	uint64_t first = a->message->shown.first_frame, second = b->message->shown.first_frame;

	if (first != second)
		return first < second ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* Sorts by first frames. Without memory the order is unchanged. */
static void put_in_order(struct rtap_tracker *tracker)
{
	struct message *message;
	struct place *places;
	size_t count = 0;
	bool is_ordered = true;

	TAILQ_FOREACH(message, &tracker->waiting, waiting) {
		const struct message *next = TAILQ_NEXT(message, waiting);

		is_ordered &= !next || message->shown.first_frame <= next->shown.first_frame;
		count++;
	}
	places = is_ordered ? NULL : memory_new(count * sizeof *places);
	if (!places)
		return;
	count = 0;
	TAILQ_FOREACH(message, &tracker->waiting, waiting) {
		places[count] = (struct place){ message, count };
		count++;
	}
	discard_places_after(tracker, NULL);
	qsort(places, count, sizeof *places, compare_places);
	TAILQ_INIT(&tracker->waiting);
	for (size_t i = 0; i < count; i++)
		TAILQ_INSERT_TAIL(&tracker->waiting, places[i].message, waiting);
	free(places);
}

void messages_flush(struct rtap_tracker *tracker)
{
	struct message *message;

	put_in_order(tracker);
	while ((message = TAILQ_FIRST(&tracker->waiting))) {
		if (message->stream)
			message_settle(tracker, message);
		report(tracker, message);
	}
}

void messages_evict_first(struct rtap_tracker *tracker)
{
	struct message *message = TAILQ_FIRST(&tracker->waiting);

	if (message->stream) {
		message->evicted = true;
		tracker->counters.evictions++;
		message_settle(tracker, message);
	} else if (upper_holds(message)) {
		tracker->counters.evictions++;
		upper_detach(message);
	} else if (message->reference) {
		tracker->counters.evictions++;
		/* A message that only reserves a place has nothing to report. */
		if (message->reserves) {
			message_drop(tracker, message);
			return;
		}
	} else if (message->transfer) {
		message->evicted = !rmpp_is_whole(message->transfer);
		tracker->counters.evictions += message->evicted;
	}
	report(tracker, message);
}

struct message *message_create(struct rtap_tracker *tracker, struct connection *connection, uint64_t frame, int64_t time_ns)
{
	struct message *message = TAILQ_FIRST(&tracker->spare);

	if (message) {
		TAILQ_REMOVE(&tracker->spare, message, link);
		fetch(TAILQ_FIRST(&tracker->spare));
		tracker->spare_count--;
	} else {
		message = memory_new(sizeof *message);
		if (message)
			message->coverage = message->cut = (struct coverage){ 0 };
	}
	if (!message) {
		tracker->counters.evictions++;
		return NULL;
	}
	budget_charge(&tracker->budget, &tracker->messages, sizeof *message);
	clear_bytes(message, offsetof(struct message, coverage));
	message->shown.first_frame = message->shown.last_frame = frame;
	message->shown.time_ns = message->shown.time_end_ns = time_ns;
	message->connection = connection;
	message->queued_ns = tracker->budget.clock_ns;
	if (connection) {
		connection->references++;
		if (!connection->flows[0] != !connection->flows[1]) {
			TAILQ_INSERT_TAIL(&connection->half, message, half);
			message->is_half = true;
		}
	}
	link_waiting(tracker, message);
	return message;
}

void messages_fini(struct rtap_tracker *tracker)
{
	struct message *message;

	while ((message = TAILQ_FIRST(&tracker->waiting)))
		message_drop(tracker, message);
	heap_fini(&tracker->deferred.heap);
	while ((message = TAILQ_FIRST(&tracker->spare))) {
		TAILQ_REMOVE(&tracker->spare, message, link);
		free(message);
	}
}
