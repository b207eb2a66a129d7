/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_count.h"
#include "output/stats/stats_usage.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_rpc.h"

#define KEY_WORDS (STATS_OBJECT_TEXT / 8 + 1)
#define FIRST_ROWS 16

/* The bytes that it works on; 0: none, or unknown. Without a place in an object, a length is that of a buffer, of which the data may be a part. */
static uint64_t size_of(const struct rtap_operation *operation)
{
	if (!operation->has_offset && operation->has_data_bytes && operation->complete)
		return operation->data_bytes;
	return operation->has_length ? operation->length : operation->data_bytes;
}

static bool is_answered(const struct rtap_operation *operation)
{
	return operation->response_frame != 0;
}

/* The operation has no response, or waits for an event. */
static bool expects_no_response(const struct rtap_operation *operation)
{
	return operation->one_way || operation->flags & RTAP_OPERATION_WAITS;
}

/* Whether the request was captured, but no response within a second or more of further capture. */
static bool is_overdue(const struct stats *stats, const struct rtap_operation *operation)
{
	return operation->request_frame && !is_answered(operation) && !expects_no_response(operation) &&
	       ns_elapsed(operation->time_end_ns, stats->now_ns) >= STATS_UNANSWERED_NS;
}

static bool has_latency(const struct rtap_operation *operation)
{
	return operation->has_latency && operation->latency_ns >= 0 && !(operation->flags & RTAP_OPERATION_WAITS);
}

static uint64_t frame_of(const struct rtap_operation *operation)
{
	return operation->request_frame ? operation->request_frame : operation->response_frame;
}

/* The parts of its time. False: unknown, or it has no data apart from request and response. */
static bool parts_of(const struct rtap_operation *operation, int64_t parts_ns[STATS_PART_COUNT])
{
	if (!has_latency(operation) || !operation->first_data_frame || operation->first_data_ns < 0 ||
	    operation->last_data_ns < operation->first_data_ns || operation->latency_ns < operation->last_data_ns)
		return false;
	parts_ns[STATS_PART_BEFORE] = operation->first_data_ns;
	parts_ns[STATS_PART_DATA] = operation->last_data_ns - operation->first_data_ns;
	parts_ns[STATS_PART_AFTER] = operation->latency_ns - operation->last_data_ns;
	return true;
}

static void work_add(struct stats *stats, struct stats_work *work, const struct rtap_operation *operation)
{
	work->count++;
	work->completed += is_answered(operation);
	work->unanswered += !is_answered(operation) && !expects_no_response(operation);
	work->failed += operation->has_status && !operation->ok;
	work->incomplete += (is_answered(operation) || operation->one_way) && !operation->complete;
	work->bytes += size_of(operation);
	work->data_bytes[operation->carried < RTAP_CARRIED_COUNT ? operation->carried : RTAP_CARRIED_NONE] += operation->data_bytes;
	work->repeats += operation->repeats;
	work->time_lost_us += operation->time_lost_us;
	if (!has_latency(operation))
		return;
	if (!work->latency_ns.count || (uint64_t)operation->latency_ns > work->latency_ns.largest) {
		work->slowest_frame = frame_of(operation);
		work->slowest_connection = operation->connection ? operation->connection->number : 0;
	}
	stats_add_value(stats, &work->latency_ns, (uint64_t)operation->latency_ns);
}

struct row_key {
	const char *layer, *name;
	size_t length;
};

static bool is_row(const void *value, const void *wanted)
{
	const struct stats_work_row *row = value;
	const struct row_key *key = wanted;

	return (row->layer == key->layer || !strcmp(row->layer, key->layer)) && !strncmp(row->name, key->name, key->length) && !row->name[key->length];
}

static uint64_t hash_of(const struct row_key *key)
{
	size_t count = 2 + (key->length + 7) / 8;
	uint64_t words[KEY_WORDS + 2];

	words[0] = key->length;
	words[1] = words[count - 1] = 0;
	memcpy(&words[1], key->layer, strnlen(key->layer, sizeof words[1]));
	memcpy(words + 2, key->name, key->length);
	return map_hash(words, count);
}

/* False: out of memory. */
static bool make_row_room(struct stats *stats, struct stats_work_table *table)
{
	size_t room = table->room ? 2 * table->room : FIRST_ROWS;
	struct stats_work_row **larger;

	if (table->count < table->room)
		return true;
	larger = stats_allocate(stats, room * sizeof *larger);
	if (!larger)
		return false;
	if (table->count)
		memcpy(larger, table->rows, table->count * sizeof *larger);
	stats_free(stats, table->rows, table->room * sizeof *larger);
	table->rows = larger;
	table->room = room;
	return true;
}

/* A new row. NULL: out of memory. */
static struct stats_work_row *row_create(struct stats *stats, struct stats_work_table *table, const struct row_key *key, uint64_t hash)
{
	struct stats_work_row *row = make_row_room(stats, table) ? stats_allocate(stats, stats_work_row_size(key->length)) : NULL;

	if (!row)
		return NULL;
	row->layer = key->layer;
	row->hash = hash;
	memcpy(row->name, key->name, key->length);
	if (!map_add(&table->map, hash, row)) {
		stats_free(stats, row, stats_work_row_size(key->length));
		return NULL;
	}
	table->rows[table->count++] = row;
	return row;
}

/* The row of the operations for which there is no other. NULL: out of memory. */
static struct stats_work_row *others_of(struct stats *stats, struct stats_work_table *table)
{
	stats->operations->uncounted++;
	/* there are two of them, so they may exceed the limit */
	if (!table->others) {
		stats->options.max_memory += stats_work_row_size(0);
		table->others = stats_allocate(stats, stats_work_row_size(0));
	}
	return table->others;
}

static struct stats_work_row *row_of(struct stats *stats, struct stats_work_table *table, const char *layer, const char *name, size_t most)
{
	struct row_key key = { layer, name, strnlen(name, STATS_OBJECT_TEXT - 1) };
	struct stats_work_row *row = table->last;
	uint64_t hash;

	if (row && is_row(row, &key))
		return row;
	hash = hash_of(&key);
	row = map_find(&table->map, hash, is_row, &key);
	if (!row && table->count < most)
		row = row_create(stats, table, &key, hash);
	if (!row)
		return others_of(stats, table);
	table->last = row;
	return row;
}

static void note_status(struct stats *stats, struct stats_work_row *row, const struct rtap_operation *operation)
{
	const char *name = operation->status ? operation->status : "unknown";
	struct stats_work_status *status, *last = NULL;

	SLIST_FOREACH(status, &row->statuses, link) {
		if (!strncmp(status->name, name, STATS_STATUS_TEXT - 1))
			break;
		last = status;
	}
	if (!status && row->status_count < STATS_STATUSES && (status = stats_allocate(stats, sizeof *status))) {
		row->status_count++;
		memcpy(status->name, name, strnlen(name, STATS_STATUS_TEXT - 1));
		if (last)
			SLIST_INSERT_AFTER(last, status, link);
		else
			SLIST_INSERT_HEAD(&row->statuses, status, link);
	}
	if (status)
		stats_count(&status->occurrences, frame_of(operation), operation->time_ns);
	else
		row->other_statuses++;
}

static void note_size(struct stats *stats, struct stats_work_row *row, const struct rtap_operation *operation)
{
	uint64_t bytes = size_of(operation);
	int size = 0;
	struct stats_sized *sized;

	while (bytes > stats_work_size_limit((enum stats_size)size))
		size++;
	if (!row->sizes[size])
		row->sizes[size] = stats_allocate(stats, sizeof *row->sizes[size]);
	sized = row->sizes[size];
	if (!sized) {
		stats->operations->uncounted++;
		return;
	}
	sized->count++;
	sized->bytes += bytes;
	if (has_latency(operation))
		stats_add_value(stats, &sized->latency_ns, (uint64_t)operation->latency_ns);
}

static void row_add(struct stats *stats, struct stats_work_row *row, const struct rtap_operation *operation)
{
	if (!row)
		return;
	work_add(stats, &row->work, operation);
	if (operation->has_status && !operation->ok)
		stats_count(&row->failures, frame_of(operation), operation->time_ns);
	if (is_overdue(stats, operation))
		stats_count(&row->overdue, operation->request_frame, operation->time_ns);
}

static void count_by_name(struct stats *stats, const struct rtap_operation *operation)
{
	struct stats_work_row *row = row_of(stats, &stats->operations->names, operation->layer, operation->name ? operation->name : "", STATS_NAMES);
	int64_t parts_ns[STATS_PART_COUNT];

	row_add(stats, row, operation);
	if (!row)
		return;
	if (operation->has_status && !operation->ok)
		note_status(stats, row, operation);
	if (size_of(operation))
		note_size(stats, row, operation);
	if (!parts_of(operation, parts_ns))
		return;
	for (int i = 0; i < STATS_PART_COUNT; i++)
		stats_add_value(stats, &row->parts_ns[i], (uint64_t)parts_ns[i]);
}

static struct stats_group *group_of(struct stats *stats, const struct rtap_operation *operation)
{
	const struct rtap_connection *connection = operation->connection;
	const struct rtap_end *ends[2] = { operation->from_a ? &connection->a : &connection->b, operation->from_a ? &connection->b : &connection->a };
	struct stats_operation_tables *tables = stats->operations;
	struct stats_group *group;

	for (unsigned i = 0; i < tables->group_count; i++) {
		group = tables->groups[i];
		if (group->address_length == ends[0]->address_length && !strcmp(group->layer, operation->layer) &&
		    !memcmp(group->addresses[0], ends[0]->address, sizeof group->addresses[0]) &&
		    !memcmp(group->addresses[1], ends[1]->address, sizeof group->addresses[1]))
			return group;
	}
	group = tables->group_count < STATS_GROUPS ? stats_allocate(stats, sizeof *group) : NULL;
	if (!group)
		return NULL;
	tables->groups[tables->group_count++] = group;
	*group = (struct stats_group){ .layer = operation->layer, .address_length = ends[0]->address_length, .connection = connection->number };
	for (int i = 0; i < 2; i++)
		memcpy(group->addresses[i], ends[i]->address, sizeof group->addresses[i]);
	return group;
}

/* Without any request for longer than the timeout, the responder ends the session. */
static void note_keep_alive(struct stats_group *group, const struct rtap_operation *operation)
{
	int64_t time_ns = operation->time_ns, gap_ns = ns_elapsed(group->last_ns, time_ns);

	if (group->last_frame && group->keep_alive_ns && gap_ns > group->keep_alive_ns) {
		stats_count(&group->missed, group->last_frame, group->last_ns);
		stats_count(&group->missed, operation->request_frame, time_ns);
		group->missed.count--;
		if (gap_ns > group->gap_ns)
			group->gap_ns = gap_ns;
	}
	if (operation->keep_alive_ms) {
		group->keep_alive_ns = INT64_C(1000000) * operation->keep_alive_ms;
		group->connection = operation->connection->number;
	}
	if (operation->flags & RTAP_OPERATION_KEEP_ALIVE)
		group->connection = operation->connection->number;
	if (time_ns > group->last_ns || !group->last_frame)
		group->last_ns = time_ns;
	if (operation->request_frame > group->last_frame)
		group->last_frame = operation->request_frame;
	/* a response does not restart the timer, but shows that the session is alive */
	if (operation->has_latency && time_ns + operation->latency_ns > group->last_ns && !(operation->flags & RTAP_OPERATION_WAITS))
		group->last_ns = time_ns + operation->latency_ns;
}

static void count_slow(struct stats_slow *slow, const struct rtap_operation *operation, int64_t time_ns)
{
	stats_count(&slow->occurrences, operation->request_frame, operation->time_ns);
	slow->time_ns = ns_sum(slow->time_ns, time_ns);
	if (time_ns > slow->longest_ns)
		slow->longest_ns = time_ns;
}

/* Time that one end lost to recoveries in an interval. INT64_MAX: there were more than are kept. */
static int64_t lost_between(const struct stats_direction *direction, int64_t begin_ns, int64_t end_ns)
{
	const struct stats_incidents *incidents = stats_incidents_of(direction);
	uint64_t kept = incidents->time_lost_count < STATS_TIMES_LOST ? incidents->time_lost_count : STATS_TIMES_LOST;
	int64_t sum_ns = 0;

	if (kept == STATS_TIMES_LOST && incidents->times_lost[incidents->time_lost_count % STATS_TIMES_LOST].end_ns > begin_ns)
		return INT64_MAX;
	for (uint64_t i = 0; i < kept; i++) {
		const struct stats_time_lost *loss = &incidents->times_lost[i];
		int64_t until_ns = loss->end_ns < end_ns ? loss->end_ns : end_ns, from_ns = loss->end_ns - loss->lost_ns;

		sum_ns = ns_sum(sum_ns, ns_elapsed(from_ns > begin_ns ? from_ns : begin_ns, until_ns));
	}
	return sum_ns;
}

/* Time that an operation lost to recoveries: its own, and those of other operations of its connection that it had to wait for. */
static int64_t lost_of(const struct stats_connection *connection, const struct rtap_operation *operation)
{
	int64_t lost_ns = (int64_t)operation->time_lost_us * 1000;

	for (int i = 0; i < 2; i++) {
		int64_t one_ns = lost_between(&connection->directions[i], operation->time_ns, operation->time_ns + operation->latency_ns);

		lost_ns = one_ns > lost_ns ? one_ns : lost_ns;
	}
	return lost_ns < operation->latency_ns ? lost_ns : operation->latency_ns;
}

/* Attributes a slow operation to the part of the path that took at least half of its time, if any. */
static void note_slow(const struct stats_connection *connection, struct stats_requests *requests, const struct rtap_operation *operation,
		      const int64_t *parts_ns)
{
	int64_t lost_ns, half_ns = operation->latency_ns / 2;
	int64_t device_ns = parts_ns ? parts_ns[STATS_PART_BEFORE] + parts_ns[STATS_PART_AFTER] : operation->latency_ns;

	if (!has_latency(operation) || operation->latency_ns < STATS_SLOW_NS || !operation->request_frame)
		return;
	lost_ns = lost_of(connection, operation);
	if (lost_ns >= half_ns)
		count_slow(&requests->slow_network, operation, operation->latency_ns);
	else if (operation->flags & RTAP_OPERATION_ON_DEVICE && lost_ns <= half_ns / 2 && device_ns - lost_ns >= half_ns)
		count_slow(&requests->slow_device, operation, operation->latency_ns);
}

/* The layers that have credits say what they cost, by these names (doc/json.md). */
static void note_credits(struct stats_requests *requests, const struct rtap_operation *operation)
{
	for (uint32_t i = 0; i < operation->value_count; i++) {
		const struct rtap_named_value *value = &operation->values[i];

		if (value->type == RTAP_VALUE_NUMBER && !strcmp(value->name, "credit_wait"))
			count_slow(&requests->credit_waits, operation, ns_signed(value->number));
		else if (value->type == RTAP_VALUE_BOOL && !strcmp(value->name, "last_credit"))
			stats_count(&requests->last_credits, frame_of(operation), operation->time_ns);
	}
}

static void note_events(struct stats *stats, struct stats_requests *requests, const struct rtap_operation *operation)
{
	const struct {
		uint8_t flag;
		struct stats_occurrences *occurrences;
	} events[] = {
		{ RTAP_OPERATION_ABORT, &requests->aborts }, { RTAP_OPERATION_ABORTED, &requests->aborted },
		{ RTAP_OPERATION_DEVICE_ERROR, &requests->device_errors }, { RTAP_OPERATION_COULD_BE_INLINE, &requests->not_inline },
	};

	for (size_t i = 0; operation->flags && i < sizeof events / sizeof events[0]; i++)
		if (operation->flags & events[i].flag)
			stats_count(events[i].occurrences, frame_of(operation), operation->time_ns);
	if (is_overdue(stats, operation)) {
		bool is_keep_alive = operation->flags & RTAP_OPERATION_KEEP_ALIVE;

		stats_count(is_keep_alive ? &requests->keep_alives_overdue : &requests->overdue, operation->request_frame, operation->time_ns);
	}
	requests->inline_writes += operation->flags & RTAP_OPERATION_ON_DEVICE && operation->carried == RTAP_CARRIED_INLINE;
}

/* The requester's counters, created if necessary. NULL: out of memory. */
static struct stats_requests *requests_of(struct stats *stats, const struct rtap_operation *operation)
{
	struct stats_connection *connection = stats_find(stats, operation->connection->number);
	struct stats_direction *direction = stats_sent_by(connection, operation->from_a);

	if (!connection->has_layer)
		stats_usage_drop(stats, connection);
	if (!direction->requests) {
		direction->requests = stats_allocate(stats, sizeof *direction->requests);
		if (direction->requests && connection != &stats->others)
			direction->requests->group = group_of(stats, operation);
	}
	return direction->requests;
}

static void count_by_connection(struct stats *stats, const struct rtap_operation *operation)
{
	struct stats_requests *requests = operation->connection ? requests_of(stats, operation) : NULL;
	int64_t parts_ns[STATS_PART_COUNT];
	bool has_parts = parts_of(operation, parts_ns);

	if (!requests) {
		stats->operations->uncounted++;
		return;
	}
	requests->layer = operation->layer;
	stats_operation_layer(stats, operation);
	work_add(stats, &requests->work, operation);
	if (operation->has_controller) {
		requests->has_controller = true;
		requests->has_queue = operation->has_queue;
		requests->queue = operation->queue;
		requests->controller = operation->controller;
	}
	if (operation->depth > requests->depth)
		requests->depth = operation->depth;
	if (has_parts) {
		requests->part_count++;
		for (int i = 0; i < STATS_PART_COUNT; i++)
			requests->part_ns[i] = ns_sum(requests->part_ns[i], parts_ns[i]);
	}
	stats_waits_operation(stats, requests, operation);
	note_events(stats, requests, operation);
	note_credits(requests, operation);
	note_slow(stats_find(stats, operation->connection->number), requests, operation, has_parts ? parts_ns : NULL);
	if (requests->group && operation->request_frame)
		note_keep_alive(requests->group, operation);
}

void stats_operation_layer(struct stats *stats, const struct rtap_operation *operation)
{
	if (operation->connection)
		stats_find(stats, operation->connection->number)->layer = operation->layer;
}

void stats_operation(struct stats *stats, const struct rtap_operation *operation)
{
	if (operation->flags & RTAP_OPERATION_COSTLY) {
		stats_rpc_operation(stats, operation);
		return;
	}
	if (!stats->operations) {
		stats->options.max_memory += sizeof *stats->operations;
		stats->operations = stats_allocate(stats, sizeof *stats->operations);
	}
	if (!stats->operations) {
		stats->uncounted_messages++;
		return;
	}
	count_by_name(stats, operation);
	if (operation->object)
		row_add(stats, row_of(stats, &stats->operations->objects, operation->layer, operation->object, STATS_OBJECTS), operation);
	count_by_connection(stats, operation);
}
