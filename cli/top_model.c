/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/top_model.h"
#include "output/message/messages.h"
#include "output/message/operations.h"
#include "output/stats/finding_text.h"

#define NS_A_SECOND 1000000000

bool top_model_init(struct top_model *model)
{
	*model = (struct top_model){ .operations = calloc(TOP_OPERATIONS, sizeof *model->operations) };
	return model->operations;
}

void top_model_fini(struct top_model *model)
{
	free(model->rows);
	free(model->before);
	free(model->operations);
	*model = (struct top_model){ .rows = NULL };
}

/* Copies the printable part of the line, without its newline, to `text`. */
static void finish_text(char *text, size_t size, const struct line *line)
{
	size_t length = (size_t)(line->next - text);

	if (length >= size)
		length = size - 1;
	text[length] = 0;
	for (char *c = text; *c; c++) {
		if (*c == '\n')
			*c = 0;
		else if (*c < ' ' || *c > '~')
			*c = '?';
		if (!*c)
			break;
	}
}

static void put_end(const struct rtap_end *end, struct line *line)
{
	if (end->address_length == 2) {
		line_text(line, "lid ");
		line_dec(line, (uint64_t)end->address[0] << 8 | end->address[1]);
	} else if (end->address_length) {
		line_ip(line, end->address, end->address_length);
	} else {
		line_char(line, '?');
	}
	if (end->qpn_known) {
		line_text(line, ":0x");
		line_hex_digits(line, end->qpn, 1);
	} else if (end->port_known) {
		line_char(line, ':');
		line_dec(line, end->port);
	}
}

static uint64_t slowest(const struct stats_direction *direction)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < RTAP_KIND_COUNT; i++) {
		const struct stats_operations *operations = direction->operations[i];
		uint64_t latency = operations ? histogram_percentile(&operations->latency_ns, 990) : 0;

		if (latency > found)
			found = latency;
	}
	return found;
}

static void add_direction(struct top_row *row, const struct stats_direction *direction)
{
	uint64_t latency = slowest(direction);

	row->packets += direction->packets;
	row->bytes += direction->wire_bytes;
	if (latency > row->latency_ns)
		row->latency_ns = latency;
	row->retransmissions += stats_event_of(direction, STATS_RETRANSMISSION)->count;
	row->naks += stats_event_of(direction, STATS_NAK_SEQUENCE)->count + stats_event_of(direction, STATS_RNR)->count;
	row->cnps += stats_event_of(direction, STATS_CNP)->count;
	for (unsigned i = 0; direction->incidents && i < RTAP_RECOVERY_COUNT; i++)
		if (direction->incidents->recoveries[i].time_lost_ns > 0)
			row->time_lost_ns += (uint64_t)direction->incidents->recoveries[i].time_lost_ns;
}

static struct top_row row_of(const struct stats_connection *connection)
{
	struct top_row row = { .number = connection->shown.number };
	struct line line;

	line_init(&line, row.service, sizeof row.service - 1);
	if (!finding_service(connection, &line))
		line_char(&line, '-');
	finish_text(row.service, sizeof row.service, &line);
	line_init(&line, row.ends, sizeof row.ends - 1);
	put_end(&connection->shown.a, &line);
	line_text(&line, " > ");
	put_end(&connection->shown.b, &line);
	finish_text(row.ends, sizeof row.ends, &line);
	add_direction(&row, &connection->directions[0]);
	add_direction(&row, &connection->directions[1]);
	return row;
}

static uint64_t rank_of(const struct top_row *row, enum top_sort sort)
{
	switch (sort) {
	case TOP_SORT_RATE: return row->rate;
	case TOP_SORT_LATENCY: return row->latency_ns;
	case TOP_SORT_TIME_LOST: return row->time_lost_ns;
	case TOP_SORT_RETRANSMISSIONS: return row->retransmissions;
	case TOP_SORT_CNPS: return row->cnps;
	case TOP_SORT_PACKETS: return row->packets;
	default: return 0;
	}
}

static int compare(const void *left, const void *right, void *model)
{
	const struct top_row *a = left, *b = right;
	uint64_t rank = rank_of(a, ((struct top_model *)model)->sort), other = rank_of(b, ((struct top_model *)model)->sort);

	if (rank != other)
		return rank > other ? -1 : 1;
	/* connections without current traffic: most bytes first */
	if (((struct top_model *)model)->sort == TOP_SORT_RATE && a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_numbers(const void *left, const void *right)
{
	const struct top_row *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

static bool append(struct top_row **rows, size_t *count, size_t *room, const struct top_row *row)
{
	struct top_row *larger = array_grow(*rows, room, *count + 1, sizeof *larger);

	if (!larger)
		return false;
	*rows = larger;
	(*rows)[(*count)++] = *row;
	return true;
}

static void set_rates(const struct top_model *model, struct top_row *row, int64_t passed_ns)
{
	const struct top_row *before = model->before_count ? bsearch(row, model->before, model->before_count, sizeof *before, compare_numbers) : NULL;
	uint64_t bytes = row->bytes - (before && before->bytes <= row->bytes ? before->bytes : 0);
	uint64_t packets = row->packets - (before && before->packets <= row->packets ? before->packets : 0);

	row->rate = (uint64_t)((double)bytes * NS_A_SECOND / (double)passed_ns);
	row->packet_rate = (uint64_t)((double)packets * NS_A_SECOND / (double)passed_ns);
}

static bool passes(const struct top_model *model, const struct top_row *row)
{
	return !*model->filter || strcasestr(row->service, model->filter) || strcasestr(row->ends, model->filter);
}

void top_model_refresh(struct top_model *model, const struct stats *stats, int64_t now_ns)
{
	int64_t passed_ns = now_ns - model->before_ns;
	struct top_row *all = NULL;
	size_t count = 0, room = 0;

	model->connections = 0;
	for (uint64_t i = 0; i < stats->table_room; i++) {
		struct top_row row;

		if (!stats->table[i] || !stats->table[i]->reported)
			continue;
		row = row_of(stats->table[i]);
		if (model->before_ns && passed_ns > 0)
			set_rates(model, &row, passed_ns);
		model->connections++;
		if (!append(&all, &count, &room, &row))
			break;
	}
	free(model->before);
	if (count)
		qsort(all, count, sizeof *all, compare_numbers);
	model->before = all;
	model->before_count = count;
	model->before_ns = now_ns;
	top_model_arrange(model);
}

void top_model_arrange(struct top_model *model)
{
	model->count = 0;
	for (size_t i = 0; i < model->before_count; i++)
		if (passes(model, &model->before[i]) && !append(&model->rows, &model->count, &model->room, &model->before[i]))
			break;
	if (model->count)
		qsort_r(model->rows, model->count, sizeof *model->rows, compare, model);
}

static struct top_operation *next_operation(struct top_model *model, uint64_t connection, bool is_message)
{
	struct top_operation *operation = &model->operations[model->operation_count++ % TOP_OPERATIONS];

	operation->connection = connection;
	operation->is_message = is_message;
	return operation;
}

void top_model_operation(struct top_model *model, const struct rtap_operation *operation)
{
	static const struct clock_listing times = { .form = CLOCK_ABSOLUTE, .digits = 6 };
	struct top_operation *kept;
	struct line line;

	if (!operation->connection)
		return;
	kept = next_operation(model, operation->connection->number, false);
	line_init(&line, kept->text, sizeof kept->text - 1);
	operation_text(operation, &times, true, &line);
	finish_text(kept->text, sizeof kept->text, &line);
}

void top_model_message(struct top_model *model, const struct rtap_message *message)
{
	static const struct clock_listing times = { .form = CLOCK_ABSOLUTE, .digits = 6 };
	struct top_operation *kept;
	struct line line;

	if (!message->connection || message->is_rpc)
		return;
	kept = next_operation(model, message->connection->number, true);
	line_init(&line, kept->text, sizeof kept->text - 1);
	message_text(message, &times, true, &line);
	finish_text(kept->text, sizeof kept->text, &line);
}

void top_model_merge(struct top_model *model, uint64_t from, uint64_t into)
{
	for (size_t i = 0; i < TOP_OPERATIONS; i++)
		if (model->operations[i].connection == from)
			model->operations[i].connection = into;
}

static size_t latest_of_kind(const struct top_model *model, uint64_t connection, bool messages, const struct top_operation **found, size_t most)
{
	uint64_t kept = model->operation_count < TOP_OPERATIONS ? model->operation_count : TOP_OPERATIONS;
	size_t count = 0;

	for (uint64_t i = 1; i <= kept && count < most; i++) {
		const struct top_operation *operation = &model->operations[(model->operation_count - i) % TOP_OPERATIONS];

		if (operation->connection == connection && operation->is_message == messages)
			found[count++] = operation;
	}
	return count;
}

size_t top_model_latest(const struct top_model *model, uint64_t connection, const struct top_operation **found, size_t most)
{
	size_t count = latest_of_kind(model, connection, false, found, most);

	return count ? count : latest_of_kind(model, connection, true, found, most);
}
