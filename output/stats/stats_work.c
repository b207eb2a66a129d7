/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_count.h"
#include "output/stats/stats_work.h"

const char *stats_work_size_name(enum stats_size size)
{
	static const char *const names[] = {
#define STATS_SIZE_NAME(identifier, limit, name) name,
		STATS_SIZES(STATS_SIZE_NAME)
#undef STATS_SIZE_NAME
	};

	return names[size];
}

uint64_t stats_work_size_limit(enum stats_size size)
{
	static const uint64_t limits[] = {
#define STATS_SIZE_LIMIT(identifier, limit, name) limit,
		STATS_SIZES(STATS_SIZE_LIMIT)
#undef STATS_SIZE_LIMIT
	};

	return limits[size];
}

const struct stats_operation_tables *stats_work_tables(const struct stats *stats)
{
	static const struct stats_operation_tables none;

	return stats->operations ? stats->operations : &none;
}

size_t stats_work_row_size(size_t length)
{
	return sizeof(struct stats_work_row) + length + 1;
}

static void work_merge(struct stats *stats, struct stats_work *into, const struct stats_work *from)
{
	into->count += from->count;
	into->completed += from->completed;
	into->unanswered += from->unanswered;
	into->failed += from->failed;
	into->incomplete += from->incomplete;
	into->bytes += from->bytes;
	for (int i = 0; i < RTAP_CARRIED_COUNT; i++)
		into->data_bytes[i] += from->data_bytes[i];
	into->repeats += from->repeats;
	into->time_lost_us += from->time_lost_us;
	if (from->latency_ns.count && (!into->latency_ns.count || from->latency_ns.largest > into->latency_ns.largest)) {
		into->slowest_frame = from->slowest_frame;
		into->slowest_connection = from->slowest_connection;
	}
	histogram_merge(&into->latency_ns, &from->latency_ns, &stats->values);
}

static void slow_merge(struct stats_slow *into, const struct stats_slow *from)
{
	stats_occurrences_merge(&into->occurrences, &from->occurrences);
	into->time_ns = ns_sum(into->time_ns, from->time_ns);
	if (from->longest_ns > into->longest_ns)
		into->longest_ns = from->longest_ns;
}

void stats_work_merge(struct stats *stats, struct stats_direction *into, struct stats_direction *from)
{
	struct stats_requests *requests = into->requests, *other = from->requests;

	if (!requests || !other) {
		into->requests = requests ? requests : other;
		from->requests = NULL;
		return;
	}
	work_merge(stats, &requests->work, &other->work);
	if (!requests->has_controller && other->has_controller) {
		requests->has_controller = true;
		requests->has_queue = other->has_queue;
		requests->queue = other->queue;
		requests->controller = other->controller;
	}
	if (other->depth > requests->depth)
		requests->depth = other->depth;
	requests->part_count += other->part_count;
	for (int i = 0; i < STATS_PART_COUNT; i++)
		requests->part_ns[i] = ns_sum(requests->part_ns[i], other->part_ns[i]);
	stats_occurrences_merge(&requests->overdue, &other->overdue);
	stats_occurrences_merge(&requests->keep_alives_overdue, &other->keep_alives_overdue);
	stats_occurrences_merge(&requests->aborts, &other->aborts);
	stats_occurrences_merge(&requests->aborted, &other->aborted);
	stats_occurrences_merge(&requests->device_errors, &other->device_errors);
	stats_occurrences_merge(&requests->not_inline, &other->not_inline);
	requests->inline_writes += other->inline_writes;
	slow_merge(&requests->slow_device, &other->slow_device);
	slow_merge(&requests->slow_network, &other->slow_network);
	slow_merge(&requests->credit_waits, &other->credit_waits);
	stats_occurrences_merge(&requests->last_credits, &other->last_credits);
	if (requests->waits && other->waits)
		stats_waits_merge(requests->waits, other->waits);
	if (requests->waits)
		return;
	requests->waits = other->waits;
	requests->link = other->link;
	other->waits = NULL;
}

void stats_work_destroy(struct stats *stats, struct stats_direction *direction)
{
	if (!direction->requests)
		return;
	histogram_fini(&direction->requests->work.latency_ns, &stats->values);
	stats_free(stats, direction->requests->waits, sizeof *direction->requests->waits);
	stats_free(stats, direction->requests, sizeof *direction->requests);
	direction->requests = NULL;
}

static void row_destroy(struct stats *stats, struct stats_work_row *row)
{
	struct stats_work_status *status;

	if (!row)
		return;
	while ((status = SLIST_FIRST(&row->statuses))) {
		SLIST_REMOVE_HEAD(&row->statuses, link);
		stats_free(stats, status, sizeof *status);
	}
	for (int i = 0; i < STATS_SIZE_COUNT; i++) {
		if (!row->sizes[i])
			continue;
		histogram_fini(&row->sizes[i]->latency_ns, &stats->values);
		stats_free(stats, row->sizes[i], sizeof *row->sizes[i]);
	}
	for (int i = 0; i < STATS_PART_COUNT; i++)
		histogram_fini(&row->parts_ns[i], &stats->values);
	histogram_fini(&row->work.latency_ns, &stats->values);
	stats_free(stats, row, stats_work_row_size(strlen(row->name)));
}

static void table_fini(struct stats *stats, struct stats_work_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		row_destroy(stats, table->rows[i]);
	row_destroy(stats, table->others);
	stats_free(stats, table->rows, table->room * sizeof(struct stats_work_row *));
	map_fini(&table->map);
}

void stats_work_fini(struct stats *stats)
{
	if (!stats->operations)
		return;
	table_fini(stats, &stats->operations->names);
	table_fini(stats, &stats->operations->objects);
	for (unsigned i = 0; i < stats->operations->group_count; i++)
		stats_free(stats, stats->operations->groups[i], sizeof(struct stats_group));
	for (unsigned i = 0; i < stats->operations->link_count; i++)
		stats_free(stats, stats->operations->links[i], sizeof(struct stats_link));
	stats_free(stats, stats->operations, sizeof *stats->operations);
	stats->operations = NULL;
}
