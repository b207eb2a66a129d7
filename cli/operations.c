/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap operations: lists the operations of upper layers.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "base/array.h"
#include "cli/listing.h"
#include "cli/operations.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "output/message/operations.h"
#include "output/packet/colour.h"
#include "output/packet/printer.h"
#include "output/stats/operation_groups.h"

#define FIRST_LINE 512

/* A line to be sorted: highest rank first, then in the order of operations. */
struct ranked {
	uint64_t rank, number;
	char *text;
	size_t length;
};

struct operation_listing {
	struct listing base;
	struct ranked *lines;
	size_t count, room;
	uint64_t bytes;   /* of the lines */
	uint64_t dropped; /* lines dropped for lack of memory */
	struct operation_groups groups; /* --by */
};

struct group_item {
	const struct operation_groups *groups;
	const struct operation_group *group;
};

struct item {
	const struct operation_listing *listing;
	const struct rtap_operation *operation;
};

static void operation_json_of(const void *what, struct line *line)
{
	operation_json(what, line);
}

static enum colour colour_of(const struct rtap_operation *operation)
{
	if (operation->has_status && !operation->ok)
		return COLOUR_ERROR;
	return operation->complete && !operation->time_lost_us ? COLOUR_NONE : COLOUR_LOSS;
}

static void write_item(const void *what, struct line *line)
{
	const struct item *item = what;
	const struct columns *columns = &item->listing->base.options->columns;
	enum colour colour = item->listing->base.colour ? colour_of(item->operation) : COLOUR_NONE;

	if (columns_are_made(columns)) {
		columns_write(columns, operation_json_of, item->operation, line);
		return;
	}
	colour_begin(colour, line);
	operation_text(item->operation, &item->listing->base.times, item->listing->base.options->wide, line);
	colour_end(colour, line);
}

static void write_line(const void *what, struct line *line)
{
	const struct ranked *ranked = what;

	line_bytes(line, ranked->text, ranked->length);
}

static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/* Sorts the lines and frees all after the first `most`. */
static void cut(struct operation_listing *listing, size_t most)
{
	if (listing->count)
		qsort(listing->lines, listing->count, sizeof *listing->lines, compare);
	while (listing->count > most) {
		struct ranked *last = &listing->lines[--listing->count];

		listing->bytes -= last->length;
		free(last->text);
	}
}

/* Unknown values rank last. */
static uint64_t rank_of(const struct rtap_operation *operation, enum operations_sort sort)
{
	switch (sort) {
	case OPERATIONS_BY_BYTES:
		return operation->has_data_bytes ? operation->data_bytes + 1 : 0;
	case OPERATIONS_BY_TIME:
		/* the earliest first */
		return ~((uint64_t)operation->time_ns ^ UINT64_C(1) << 63);
	default:
		return operation->has_latency ? (uint64_t)operation->latency_ns + 1 : 0;
	}
}

/* Formats the item into allocated memory. False: out of memory. */
static bool format(const struct item *item, struct ranked *ranked)
{
	for (size_t size = FIRST_LINE;; size *= 2) {
		char *larger = realloc(ranked->text, size);
		struct line line;

		if (!larger)
			return false;
		ranked->text = larger;
		line_init(&line, larger, size);
		write_item(item, &line);
		ranked->length = (size_t)(line.next - larger);
		if (!line.cut)
			return true;
	}
}

static bool add(struct operation_listing *listing, const struct ranked *ranked)
{
	struct ranked *lines = array_grow(listing->lines, &listing->room, listing->count + 1, sizeof *lines);

	if (!lines)
		return false;
	listing->lines = lines;
	listing->lines[listing->count++] = *ranked;
	listing->bytes += ranked->length;
	return true;
}

/* Stores the line of an operation for sorting. */
static void keep(struct operation_listing *listing, const struct rtap_operation *operation)
{
	const struct options *options = listing->base.options;
	struct item item = { listing, operation };
	struct ranked ranked = { .rank = rank_of(operation, options->sort), .number = operation->number };
	char *exact;

	if (!format(&item, &ranked) || !(exact = realloc(ranked.text, ranked.length))) {
		free(ranked.text);
		listing->dropped++;
		return;
	}
	ranked.text = exact;
	if (!add(listing, &ranked)) {
		free(ranked.text);
		listing->dropped++;
		return;
	}
	if (options->top && listing->count >= 2 * options->top)
		cut(listing, (size_t)options->top);
	if (listing->bytes + listing->count * sizeof *listing->lines > options->max_memory) {
		listing->dropped += listing->count - listing->count / 2;
		cut(listing, listing->count / 2);
	}
}

static bool is_listed(struct operation_listing *listing, const struct rtap_operation *operation)
{
	const struct options *options = listing->base.options;

	return !(options->incomplete && operation->complete) && !(options->failed && !(operation->has_status && !operation->ok)) &&
	       !(options->slower_ns && !(operation->has_latency && operation->latency_ns >= options->slower_ns)) &&
	       !(options->layer && strcmp(options->layer, operation->layer)) &&
	       reader_selects(&listing->base.reader, operation->wanted, operation_json_of, operation);
}

static void show(void *owner, const struct rtap_operation *operation)
{
	struct operation_listing *listing = owner;
	struct item item = { listing, operation };

	listing->base.reader.selected |= operation->wanted;
	listing->base.reader.packets.records++;
	if (listing->base.reader.unwritable || aborted || !is_listed(listing, operation))
		return;
	listing->base.reader.packets.listed++;
	if (listing->base.options->by)
		operation_groups_add(&listing->groups, operation);
	else if (listing->base.options->sort)
		keep(listing, operation);
	else
		reader_write(&listing->base.reader, write_item, &item);
	clock_listed(&listing->base.times, operation->time_ns);
}

static void write_sorted(struct operation_listing *listing)
{
	uint64_t top = listing->base.options->top;

	cut(listing, top && top < listing->count ? (size_t)top : listing->count);
	for (size_t i = 0; i < listing->count && !listing->base.reader.unwritable && !aborted; i++)
		reader_wrote(&listing->base.reader, printer_write(&listing->base.reader.printer, write_line, &listing->lines[i]));
	if (listing->dropped)
		print_error("%" PRIu64 " %s not listed for lack of memory (raise --max-memory)",
			    COUNTED(listing->dropped, "operation was", "operations were"));
}

static void group_json(const void *what, struct line *line)
{
	const struct group_item *item = what;

	operation_group_json(item->groups, item->group, line);
}

static void write_table(struct operation_listing *listing, const struct operation_group *const *sorted, uint64_t count)
{
	struct reader *reader = &listing->base.reader;
	/* groups have no previous line: no time differences */
	struct clock_listing times = { .form = listing->base.times.form, .digits = listing->base.times.digits, .first_ns = listing->base.times.first_ns };
	struct stats_table table;
	size_t rows;

	operation_groups_table(&table, &listing->groups, sorted, count, listing->base.options->clock_given ? &times : NULL);
	table.shortens_last = !listing->base.options->wide;
	rows = stats_table_finish(&table);
	/* without a title */
	for (size_t i = 1; rows && i < rows + 2 && !reader->unwritable && !aborted; i++)
		reader_wrote(reader, printer_write(&reader->printer, stats_table_write, &(struct stats_table_row){ &table, i }));
	stats_table_fini(&table);
}

static void write_records(struct operation_listing *listing, const struct operation_group *const *sorted, uint64_t count)
{
	struct reader *reader = &listing->base.reader;

	for (uint64_t i = 0; i < count && !reader->unwritable && !aborted; i++)
		reader_write_columns(reader, group_json, &(struct group_item){ &listing->groups, sorted[i] });
}

static void write_groups(struct operation_listing *listing)
{
	static const enum operation_groups_sort sorts[] = {
		[OPERATIONS_BY_LATENCY] = OPERATION_GROUPS_BY_LATENCY, [OPERATIONS_BY_BYTES] = OPERATION_GROUPS_BY_BYTES,
		[OPERATIONS_BY_COUNT] = OPERATION_GROUPS_BY_COUNT, [OPERATIONS_BY_TIME] = OPERATION_GROUPS_BY_TIME,
	};
	const struct options *options = listing->base.options;
	struct operation_groups *groups = &listing->groups;
	const struct operation_group **sorted = operation_groups_sorted(groups, sorts[options->sort]);
	uint64_t count = options->top && options->top < groups->count ? options->top : groups->count;

	if (!sorted) {
		print_error("out of memory");
		listing->base.reader.status = EXIT_ERROR;
		return;
	}
	if (columns_are_made(&options->columns))
		write_records(listing, sorted, count);
	else
		write_table(listing, sorted, count);
	if (groups->refused)
		print_error("%" PRIu64 " %s counted under (others) for lack of memory (raise --max-memory)",
			    COUNTED(groups->refused, "operation was", "operations were"));
	free(sorted);
}

static int run(const struct options *options)
{
	struct operation_listing listing = {
		.base = { .options = options, .times.form = options->clock }, .groups = { .by = options->by, .max_memory = options->max_memory / 2 },
	};
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory,
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.operation = show,
		.owner = &listing,
	};

	listing.base.omits_details = !columns_are_made(&options->columns) && !options->display_filter;
	if (listing_read(&listing.base, &tracking)) {
		if (options->by)
			write_groups(&listing);
		else
			write_sorted(&listing);
		listing_finish(&listing.base);
	}
	cut(&listing, 0);
	free(listing.lines);
	operation_groups_fini(&listing.groups);
	return listing_close(&listing.base);
}

int command_operations(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, COMMAND_OPERATIONS, argc, argv) ? run(&options) : EXIT_ERROR;

	options_fini(&options);
	return status;
}
