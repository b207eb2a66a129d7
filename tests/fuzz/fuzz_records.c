/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is made of records: columns as CSV, JSON and text, groups of operations, filters of keys, trace events, the story of a
 * connection, packets as CSV. Every row of CSV has the cells of the header, everything else is well-formed.
 * Input: byte 0 chooses one of these, byte 1 options, byte 2 the limit of memory and the columns, byte 3 is the length of a display
 * filter's text, which follows; the rest is a capture file.
 */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdmatap/tracker.h>

#include "capture/source.h"
#include "output/export/export_trace.h"
#include "output/message/column_keys.h"
#include "output/message/columns.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/message/operations.h"
#include "output/message/record_filter.h"
#include "output/packet/fields.h"
#include "output/packet/printer.h"
#include "output/stats/operation_groups.h"
#include "output/stats/why_text.h"

#include "harness.h"
#include "text_checks.h"

#define HEADER_LENGTH 4
#define MOST_INPUT (1 << 17)

enum subject { COLUMNS, GROUPS, FILTERS, TRACE, WHY, CSV, SUBJECTS };
enum record { MESSAGES, OPERATIONS, CONNECTIONS, RECORDS };

static const char *const commands[RECORDS] = { "messages", "operations", "connections" };

struct run {
	enum subject subject;
	uint8_t options;
	struct printer printer;
	struct columns columns[RECORDS];
	struct record_filter filters[RECORDS];
	struct operation_groups groups;
	struct export_trace *trace;
	struct why *why;
	uint64_t connection; /* of the story */
	struct fields_format *fields;
	struct rtap_tracker *tracker;
};

static int file = -1;

static void message_json_of(const void *what, struct line *line) { message_json(what, line); }
static void operation_json_of(const void *what, struct line *line) { operation_json(what, line); }
static void connection_json_of(const void *what, struct line *line) { connection_json(what, line); }

static void (*const json_of[RECORDS])(const void *what, struct line *line) = { message_json_of, operation_json_of, connection_json_of };

/* Cells of a row that begins at `text`; *next is the next row. RFC 4180, 2. */
static size_t count_cells(const char *text, const char *end, const char **next)
{
	size_t cells = 1;
	bool quoted = false;

	for (; text < end && (quoted || *text != '\n'); text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (*text == ',' && !quoted)
			cells++;
	}
	REQUIRE(text < end && !quoted);
	*next = text + 1;
	return cells;
}

static void check_csv(const char *text, size_t length, size_t columns)
{
	for (const char *end = text + length; text < end; )
		REQUIRE(count_cells(text, end, &text) == columns);
}

/* What the printer wrote since the last call. */
static void check_written(struct run *run, enum columns_form form, size_t columns)
{
	off_t length;
	char *text;

	REQUIRE(!printer_flush(&run->printer));
	length = lseek(file, 0, SEEK_END);
	REQUIRE(length >= 0);
	if (length) {
		text = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, file, 0);
		REQUIRE(text != MAP_FAILED);
		check_lines(text, (size_t)length, form == COLUMNS_JSON, true);
		if (form == COLUMNS_CSV)
			check_csv(text, (size_t)length, columns);
		munmap(text, (size_t)length);
	}
	REQUIRE(!ftruncate(file, 0) && lseek(file, 0, SEEK_SET) == 0);
}

static void take_record(struct run *run, enum record kind, const void *what)
{
	const struct columns *columns = &run->columns[kind];

	if (run->subject == FILTERS && run->filters[kind].filter)
		record_filter_match(&run->filters[kind], json_of[kind], what);
	if (run->subject != COLUMNS)
		return;
	REQUIRE(!printer_write(&run->printer, columns_write_record, &(struct columns_record){ columns, json_of[kind], what }));
	check_written(run, columns->form, columns->count);
}

static void take_message(void *owner, const struct rtap_message *message)
{
	struct run *run = owner;

	take_record(run, MESSAGES, message);
	if (run->trace)
		export_trace_message(run->trace, message);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct run *run = owner;

	take_record(run, OPERATIONS, operation);
	if (run->trace)
		export_trace_operation(run->trace, operation);
	if (run->subject == GROUPS)
		operation_groups_add(&run->groups, operation);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct run *run = owner;

	take_record(run, CONNECTIONS, connection);
	if (run->trace)
		export_trace_connection(run->trace, connection);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct run *run = owner;

	(void)turned;
	if (run->trace)
		export_trace_merge(run->trace, from, into);
}

static void take_packet(struct run *run, const struct rtap_packet *packet)
{
	struct congestion_pause pause;

	if (run->trace) {
		export_trace_packet(run->trace, packet);
		if (congestion_pause_of(packet, &pause))
			export_trace_pause(run->trace, &pause);
	}
	if (run->why && packet->flow.present && packet->flow.connection == run->connection)
		why_packet(run->why, packet, run->options & 1);
	if (run->fields)
		REQUIRE(!printer_packet(&run->printer, &run->fields->format, packet));
	if (run->subject == FILTERS)
		for (int kind = 0; kind < RECORDS; kind++)
			rtap_filter_match(run->filters[kind].filter, packet);
}

/* All keys, or some of them. */
static void choose_columns(struct run *run, unsigned set)
{
	for (int kind = 0; kind < RECORDS; kind++) {
		struct columns *columns = &run->columns[kind];
		size_t number = 0;

		columns->form = (enum columns_form)(run->options % 3);
		columns->skips_empty = run->options & 0x80;
		for (const struct column_keys *keys = column_tables; set && keys->command; keys++)
			for (const struct column_key *key = keys->keys; !strcmp(keys->command, commands[kind]) && key->name; key++)
				if (!strstr(key->name, "[]") && number++ % set == 0)
					REQUIRE(columns_add(columns, key->name, NULL) == RTAP_STATUS_OK);
		REQUIRE(columns_complete(columns, commands[kind], NULL));
	}
}

/* Made once: finding names takes longer than all the rest. */
static struct fields_format *choose_fields(unsigned set)
{
	static struct fields_format formats[16];
	struct fields_format *fields = &formats[set % 16];
	struct rtap_error error;

	if (fields->column_count)
		return fields;
	fields_format_init(fields);
	fields_format_csv(fields);
	if (set % 16 == 0)
		REQUIRE(fields_format_add_line(fields, &error) == RTAP_STATUS_OK);
	for (size_t id = set; set % 16 && id < rtap_field_count(); id += 16)
		REQUIRE(fields_format_add(fields, rtap_field_by_id((rtap_field_id)id)->name, &error) == RTAP_STATUS_OK);
	return fields;
}

/* False: the filter's text is none. */
static bool open_subject(struct run *run, const char *filter, unsigned set)
{
	struct why_subject subject = { .connection = set + 1, .first_frame = run->options & 2 ? 3 : 0, .last_frame = run->options & 2 ? 90 : 0 };
	struct rtap_error error;
	bool opened = run->subject != FILTERS;
	char name[32];

	switch (run->subject) {
	case COLUMNS:
		choose_columns(run, set);
		break;
	case GROUPS:
		run->groups.by = (enum operation_by)(1 + set % (OPERATION_BY_COUNT - 1));
		run->groups.max_memory = run->options & 4 ? 1 << 10 : 1 << 20;
		break;
	case FILTERS:
		for (int kind = 0; kind < RECORDS; kind++)
			if (*filter && record_filter_open(&run->filters[kind], commands[kind], filter, &error) == RTAP_STATUS_OK)
				opened = true;
		break;
	case TRACE:
		snprintf(name, sizeof name, "/proc/self/fd/%d", file);
		REQUIRE(export_trace_open(&run->trace, name, &error) == RTAP_STATUS_OK);
		break;
	case WHY:
		run->connection = subject.connection;
		run->why = why_create(&subject, run->options & 4 ? 10 : 100000);
		REQUIRE(run->why != NULL);
		break;
	default:
		run->fields = choose_fields(set);
		REQUIRE(!printer_packet(&run->printer, &run->fields->format, NULL));
		break;
	}
	return opened;
}

static void open_tracker(struct run *run, unsigned memory)
{
	struct rtap_tracker_options options = {
		.size = sizeof options, .max_memory = UINT64_C(4096) << memory, .owner = run,
	};

	if (run->subject <= TRACE) {
		options.message = take_message;
		options.connection = take_connection;
		options.operation = take_operation;
		options.merged = take_merge;
		options.checksums = run->options & 8;
	}
	REQUIRE(rtap_tracker_open(&run->tracker, &options, NULL) == RTAP_STATUS_OK);
}

static void read_file(struct rtap_source *source, struct run *run)
{
	struct rtap_batch *batch;
	struct rtap_packet packet;
	struct rtap_error error;
	enum rtap_status status;

	while ((status = rtap_source_read_batch(source, &batch, &error)) != RTAP_STATUS_END) {
		if (status != RTAP_STATUS_OK)
			continue;
		for (size_t i = 0; i < batch->count; i++) {
			if (run->trace)
				export_trace_begin(run->trace, batch->frames[i].time_ns);
			rtap_tracker_frame(run->tracker, &batch->frames[i], &packet);
			take_packet(run, &packet);
		}
		rtap_batch_release(batch);
	}
	rtap_tracker_finish(run->tracker);
}

struct group_row {
	const struct operation_groups *groups;
	const struct operation_group *group;
};

static void write_group(const void *what, struct line *line)
{
	const struct group_row *row = what;

	operation_group_json(row->groups, row->group, line);
}

static void finish_groups(struct run *run)
{
	static const struct clock_listing times = { .form = CLOCK_UTC };
	const struct operation_group **sorted = operation_groups_sorted(&run->groups, (enum operation_groups_sort)(run->options >> 4 & 3));
	struct stats_table table;
	size_t rows;

	REQUIRE(sorted != NULL);
	for (uint64_t i = 0; i < run->groups.count; i++)
		REQUIRE(!printer_write(&run->printer, write_group, &(struct group_row){ &run->groups, sorted[i] }));
	check_written(run, COLUMNS_JSON, 0);
	operation_groups_table(&table, &run->groups, sorted, run->groups.count, run->options & 8 ? &times : NULL);
	rows = stats_table_finish(&table);
	for (size_t i = 0; rows && i < rows + 2; i++)
		REQUIRE(!printer_write(&run->printer, stats_table_write, &(struct stats_table_row){ &table, i }));
	check_written(run, COLUMNS_TEXT, 0);
	stats_table_fini(&table);
	free(sorted);
}

/* One object of several lines. */
static void check_trace(void)
{
	off_t length = lseek(file, 0, SEEK_END);
	size_t kept = 0;
	char *text;

	REQUIRE(length > 0);
	text = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	REQUIRE(text != MAP_FAILED);
	for (off_t i = 0; i < length; i++)
		if (text[i] != '\n')
			text[kept++] = text[i];
	check_object(text, kept);
	munmap(text, (size_t)length);
}

struct event_row {
	const struct why *why;
	size_t index;
};

static const struct why_style plain = { 0 };

static void write_heading(const void *what, struct line *line) { why_heading(what, &plain, line); }
static void write_heading_json(const void *what, struct line *line) { why_heading_json(what, line); }
static void write_verdict(const void *what, struct line *line) { why_verdict(what, line); }
static void write_verdict_json(const void *what, struct line *line) { why_verdict_json(what, line); }

static void write_event(const void *what, struct line *line)
{
	const struct event_row *row = what;

	why_event(row->why, row->index, &plain, line);
}

static void write_event_json(const void *what, struct line *line)
{
	const struct event_row *row = what;

	why_event_json(row->why, row->index, line);
}

static void finish_why(struct run *run)
{
	size_t events = why_event_count(run->why);

	for (int json = 0; json < 2; json++) {
		REQUIRE(!printer_write(&run->printer, json ? write_heading_json : write_heading, run->why));
		for (size_t i = 0; i < events; i++)
			REQUIRE(!printer_write(&run->printer, json ? write_event_json : write_event, &(struct event_row){ run->why, i }));
		REQUIRE(!printer_write(&run->printer, json ? write_verdict_json : write_verdict, run->why));
		check_written(run, json ? COLUMNS_JSON : COLUMNS_TEXT, 0);
	}
	why_destroy(run->why);
}

static void finish_subject(struct run *run)
{
	struct rtap_error error;

	if (run->subject == GROUPS)
		finish_groups(run);
	if (run->trace) {
		REQUIRE(export_trace_close(run->trace, &error) == RTAP_STATUS_OK);
		check_trace();
	}
	if (run->why)
		finish_why(run);
	if (run->fields)
		check_written(run, COLUMNS_CSV, run->fields->column_count);
}

static void run_subject(struct run *run, const char *filter, const uint8_t *data, struct rtap_source *source)
{
	if (file < 0)
		file = memfd_create("output", MFD_CLOEXEC);
	REQUIRE(file >= 0 && !ftruncate(file, 0) && lseek(file, 0, SEEK_SET) == 0);
	REQUIRE(!printer_init(&run->printer, file, false));
	if (open_subject(run, filter, data[2] >> 4)) {
		open_tracker(run, data[2] & 15);
		read_file(source, run);
		finish_subject(run);
		rtap_tracker_close(run->tracker);
	}
	operation_groups_fini(&run->groups);
	for (int kind = 0; kind < RECORDS; kind++)
		record_filter_close(&run->filters[kind]);
	printer_fini(&run->printer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEADER_LENGTH || size - HEADER_LENGTH < data[3] || size > MOST_INPUT)
		return 0;

	static struct run run;
	size_t before = HEADER_LENGTH + data[3];
	uint8_t *copy = malloc(size - before + 1);
	struct rtap_span span = { copy, (uint32_t)(size - before) };
	struct rtap_source *source;
	struct rtap_error error;
	char filter[256] = "";

	REQUIRE(copy != NULL);
	memcpy(copy, data + before, size - before);
	memcpy(filter, data + HEADER_LENGTH, data[3]);
	run = (struct run){ .subject = (enum subject)(data[0] % SUBJECTS), .options = data[1] };
	if (source_open_memory(&source, &span, 1, 0, 0, &error) == RTAP_STATUS_OK) {
		run_subject(&run, filter, data, source);
		rtap_source_close(source);
	}
	free(copy);
	return 0;
}
