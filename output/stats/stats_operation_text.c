/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "output/packet/units.h"
#include "output/stats/stats_operation_text.h"

/* Statuses listed with a name. */
#define STATUSES 2

static void escaped(struct stats_table *table, const char *text)
{
	line_escaped(stats_table_begin(table), (const uint8_t *)text, strlen(text));
	stats_table_end(table);
}

void stats_operation_latencies(struct stats_table *table, const struct histogram *latency_ns)
{
	static const unsigned permilles[] = { 500, 990 };
	uint64_t percentiles[2] = { 0, 0 };

	if (latency_ns->count)
		histogram_percentiles(latency_ns, permilles, 2, percentiles);
	stats_table_time(table, ns_signed(percentiles[0]));
	stats_table_time(table, ns_signed(percentiles[1]));
	stats_table_time(table, ns_signed(latency_ns->count ? latency_ns->largest : 0));
}

/* "Write Fault 12, Internal Error 1", the first ones. */
static void statuses(const struct stats_work_row *row, struct line *line)
{
	const struct stats_work_status *status;
	unsigned count = 0;

	SLIST_FOREACH(status, &row->statuses, link) {
		if (count == STATUSES)
			break;
		line_text(line, count++ ? ", " : "");
		line_escaped(line, (const uint8_t *)status->name, strlen(status->name));
		line_char(line, ' ');
		line_dec(line, status->occurrences.count);
	}
}

#define NAME_WIDTH 26 /* the longest names are those of SCSI, up to 42 characters */

static void row_names(struct stats_table *table, const struct stats_work_row *row)
{
	const char *name = !row->layer ? "(others)" : *row->name ? row->name : "unknown";
	char begin[NAME_WIDTH + 1];

	if (strlen(name) > NAME_WIDTH) {
		snprintf(begin, sizeof begin, "%.*s...", NAME_WIDTH - 3, name);
		name = begin;
	}
	stats_table_text(table, row->layer);
	escaped(table, name);
}

static void name_row(struct stats_table *table, const struct stats_work_row *row)
{
	row_names(table, row);
	stats_table_number(table, row->work.count);
	stats_table_number(table, row->work.incomplete);
	stats_table_number(table, row->work.unanswered);
	stats_table_number(table, row->work.failed);
	stats_operation_latencies(table, &row->work.latency_ns);
	stats_table_bytes(table, row->work.bytes);
	stats_table_number(table, row->work.repeats);
	statuses(row, stats_table_begin(table));
	stats_table_end(table);
}

void stats_operation_rows(const struct stats *stats, struct stats_table *table)
{
	const struct stats_work_table *names = &stats_work_tables(stats)->names;

	for (size_t i = 0; i < names->count; i++)
		name_row(table, names->rows[i]);
	if (names->others)
		name_row(table, names->others);
}

static void part_cells(struct stats_table *table, const struct histogram *part_ns)
{
	static const unsigned permilles[] = { 500, 990 };
	uint64_t percentiles[2];

	histogram_percentiles(part_ns, permilles, 2, percentiles);
	stats_table_time(table, ns_signed(percentiles[0]));
	stats_table_time(table, ns_signed(percentiles[1]));
}

void stats_operation_parts(const struct stats *stats, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "layer", true, false }, { "operation", true, false }, { "count", false, false }, { "first data: p50", false, false },
		{ "p99", false, false }, { "last data: p50", false, false }, { "p99", false, false }, { "response: p50", false, false },
		{ "p99", false, false }, { "lost", false, true }, { NULL, false, false },
	};
	const struct stats_work_table *names = &stats_work_tables(stats)->names;

	stats_table_init(table, "Time of operations with data", columns);
	for (size_t i = 0; i < names->count; i++) {
		const struct stats_work_row *row = names->rows[i];

		if (!row->parts_ns[STATS_PART_DATA].count)
			continue;
		row_names(table, row);
		stats_table_number(table, row->parts_ns[STATS_PART_DATA].count);
		for (int part = 0; part < STATS_PART_COUNT; part++)
			part_cells(table, &row->parts_ns[part]);
		stats_table_time(table, ns_signed(row->work.time_lost_us * 1000));
	}
}

void stats_operation_sizes(const struct stats *stats, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "layer", true, false }, { "operation", true, false }, { "size", true, false }, { "count", false, false }, { "bytes", false, false },
		{ "p50", false, false }, { "p99", false, false }, { "max.", false, false }, { NULL, false, false },
	};
	const struct stats_work_table *names = &stats_work_tables(stats)->names;

	stats_table_init(table, "Operations by size", columns);
	for (size_t i = 0; i < names->count; i++) {
		const struct stats_work_row *row = names->rows[i];

		for (int size = 0; size < STATS_SIZE_COUNT; size++) {
			if (!row->sizes[size])
				continue;
			row_names(table, row);
			stats_table_text(table, stats_work_size_name((enum stats_size)size));
			stats_table_number(table, row->sizes[size]->count);
			stats_table_bytes(table, row->sizes[size]->bytes);
			stats_operation_latencies(table, &row->sizes[size]->latency_ns);
		}
	}
}

/* Most bytes first, then most operations. */
static int compare_work(const struct stats_work *a, const struct stats_work *b)
{
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->count < b->count) - (a->count > b->count);
}

static int compare_rows(const void *left, const void *right)
{
	const struct stats_work_row *a = *(const struct stats_work_row *const *)left, *b = *(const struct stats_work_row *const *)right;
	int order = compare_work(&a->work, &b->work);

	return order ? order : strcmp(a->name, b->name);
}

static void object_row(struct stats_table *table, const struct stats_work_row *row)
{
	stats_table_text(table, row->layer);
	stats_table_number(table, row->work.count);
	stats_table_number(table, row->work.unanswered);
	stats_table_number(table, row->work.failed);
	stats_table_bytes(table, row->work.bytes);
	stats_operation_latencies(table, &row->work.latency_ns);
	stats_table_time(table, ns_signed(row->work.time_lost_us * 1000));
	escaped(table, row->layer ? row->name : "(others)");
}

void stats_operation_objects(const struct stats *stats, uint64_t most, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "layer", true, false }, { "count", false, false }, { "unanswered", false, false }, { "errors", false, false },
		{ "bytes", false, false }, { "p50", false, false }, { "p99", false, false }, { "max.", false, false }, { "lost", false, true },
		{ "object", true, false }, { NULL, false, false },
	};
	const struct stats_work_table *objects = &stats_work_tables(stats)->objects;
	const struct stats_work_row **sorted = objects->count ? calloc(objects->count, sizeof *sorted) : NULL;

	stats_table_init(table, "Operations by object", columns);
	table->shortens_last = true;
	table->failed |= objects->count && !sorted;
	if (sorted) {
		memcpy(sorted, objects->rows, objects->count * sizeof *sorted);
		qsort(sorted, objects->count, sizeof *sorted, compare_rows);
	}
	for (uint64_t i = 0; sorted && i < objects->count && i < most; i++)
		object_row(table, sorted[i]);
	if (objects->others)
		object_row(table, objects->others);
	free(sorted);
}

/* Requests of one end of a connection. */
struct requester {
	const struct stats_connection *connection;
	const struct stats_requests *requests;
};

static int compare_requesters(const void *left, const void *right)
{
	const struct requester *a = left, *b = right;
	int order = compare_work(&a->requests->work, &b->requests->work);

	return order ? order : (a->connection->shown.number > b->connection->shown.number) - (a->connection->shown.number < b->connection->shown.number);
}

static void percent_cell(struct stats_table *table, int64_t part_ns, int64_t all_ns)
{
	struct line *line = stats_table_begin(table);

	if (part_ns > 0 && all_ns > 0)
		units_percent((uint64_t)part_ns, (uint64_t)all_ns, line);
	stats_table_end(table);
}

static void connection_row(struct stats_table *table, const struct requester *requester)
{
	const struct stats_requests *requests = requester->requests;
	int64_t all_ns = requests->part_ns[STATS_PART_BEFORE] + requests->part_ns[STATS_PART_DATA] + requests->part_ns[STATS_PART_AFTER];

	stats_table_number(table, requester->connection->shown.number);
	stats_table_text(table, requests->layer);
	if (requests->has_queue)
		line_dec(stats_table_begin(table), requests->queue);
	else
		stats_table_begin(table);
	stats_table_end(table);
	stats_table_number(table, requests->work.count);
	stats_table_number(table, requests->work.unanswered);
	stats_table_number(table, requests->work.failed);
	stats_table_bytes(table, requests->work.bytes);
	stats_operation_latencies(table, &requests->work.latency_ns);
	stats_table_number(table, requests->depth);
	percent_cell(table, requests->part_ns[STATS_PART_BEFORE], all_ns);
	percent_cell(table, requests->part_ns[STATS_PART_DATA], all_ns);
	percent_cell(table, requests->part_ns[STATS_PART_AFTER], all_ns);
	stats_table_time(table, ns_signed(requests->work.time_lost_us * 1000));
}

static size_t gather_requesters(const struct stats *stats, struct requester *list)
{
	size_t count = 0;

	for (uint64_t i = 0; i < stats->table_room; i++)
		for (int side = 0; stats->table[i] && side < 2; side++) {
			if (!stats->table[i]->directions[side].requests)
				continue;
			if (list)
				list[count] = (struct requester){ stats->table[i], stats->table[i]->directions[side].requests };
			count++;
		}
	return count;
}

void stats_operation_connections(const struct stats *stats, uint64_t most, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "#", false, false }, { "layer", true, false }, { "queue", false, false }, { "count", false, false }, { "unanswered", false, false },
		{ "errors", false, false }, { "bytes", false, false }, { "p50", false, false }, { "p99", false, false }, { "max.", false, false },
		{ "depth", false, false }, { "to data", false, true }, { "data", false, true }, { "to resp.", false, true }, { "lost", false, true },
		{ NULL, false, false },
	};
	size_t count = gather_requesters(stats, NULL);
	struct requester *list = count ? calloc(count, sizeof *list) : NULL;

	stats_table_init(table, "Operations by connection", columns);
	table->failed |= count && !list;
	if (!list)
		return;
	gather_requesters(stats, list);
	qsort(list, count, sizeof *list, compare_requesters);
	for (uint64_t i = 0; i < count && i < most; i++)
		connection_row(table, &list[i]);
	free(list);
}
