/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Output of the canonical dissection: the records of each group in frame order, with renamed values.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/compare/canon_internal.h"
#include "output/compare/canon_write.h"
#include "output/message/columns.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/packet/printer.h"

/* A record being written. */
struct shown {
	const char *type;
	char direction;          /* 0: none */
	const char *record;
	size_t length;
	struct canon_names *names;
	uint64_t connection;     /* JSON */
	const struct columns *columns;
};

/* "message > kind=send length=16" */
static void show_text(const void *what, struct line *line)
{
	const struct shown *shown = what;

	line_text(line, shown->type);
	if (shown->direction) {
		line_char(line, ' ');
		line_char(line, shown->direction);
	}
	canon_names_write(shown->names, shown->record, shown->length, line);
	line_char(line, '\n');
}

/* Names and values of a line of text, as members of JSON objects, or as keys of one. Values hold no spaces. */
static void json_fields(struct line *line, const char *text, size_t length, bool as_keys)
{
	const char *end = text + length;

	while (text < end) {
		const char *next = memchr(text + 1, ' ', (size_t)(end - text - 1)), *stop = next ? next : end;
		const char *equals = memchr(text, '=', (size_t)(stop - text));

		if (equals) {
			if (line->next[-1] != '[')
				line_char(line, ',');
			if (!as_keys)
				line_text(line, "{\"name\":");
			json_string(line, (const uint8_t *)text + 1, (size_t)(equals - text - 1));
			line_text(line, as_keys ? ":" : ",\"value\":");
			json_string(line, (const uint8_t *)equals + 1, (size_t)(stop - equals - 1));
			if (!as_keys)
				line_char(line, '}');
		}
		text = stop;
	}
}

/* The renamed text is created at the end of the buffer and then converted to JSON before it. With -e the values are keys, too. */
static void write_record(const void *what, struct line *line)
{
	const struct shown *shown = what;
	size_t room = (size_t)(line->end - line->next) / 8;
	struct line named;

	line_init(&named, line->end - room, room);
	canon_names_write(shown->names, shown->record, shown->length, &named);
	if (named.cut || room < 64) {
		line->cut = true;
		return;
	}
	line->end -= room;
	line_char(line, '{');
	object_number(line, "connection", shown->connection);
	object_text(line, "type", shown->type);
	if (shown->direction)
		object_text(line, "direction", shown->direction == '>' ? "client>server" : "server>client");
	object_key(line, "fields");
	line_char(line, '[');
	json_fields(line, line->end, (size_t)(named.next - line->end), false);
	line_char(line, ']');
	if (shown->columns->count)
		json_fields(line, line->end, (size_t)(named.next - line->end), true);
	line_bytes(line, "}\n", 2);
}

static void show_record(const void *what, struct line *line)
{
	const struct shown *shown = what;

	columns_write(shown->columns, write_record, shown, line);
}

static int show(struct printer *printer, const struct shown *shown)
{
	return printer_write(printer, shown->columns ? show_record : show_text, shown);
}

/* Merges records of several streams by frame. Of equal ones that of the earlier stream comes first. */
struct merge {
	struct spool_reader readers[2 * STREAMS];
	bool live[2 * STREAMS], swapped[2 * STREAMS];
	unsigned count;
};

static int merge_add(struct merge *merge, const struct canon *canon, const struct group *group, enum group_stream stream, bool swapped)
{
	int result;

	spool_reader_init(&merge->readers[merge->count], &canon->spool, &group->streams[stream]);
	result = spool_reader_next(&merge->readers[merge->count]);
	merge->live[merge->count] = result > 0;
	merge->swapped[merge->count++] = swapped;
	return result < 0 ? result : 0;
}

/* -1: no more. */
static int merge_first(const struct merge *merge)
{
	int first = -1;

	for (unsigned i = 0; i < merge->count; i++)
		if (merge->live[i] && (first < 0 || merge->readers[i].order < merge->readers[first].order))
			first = (int)i;
	return first;
}

static int write_streams(const struct canon *canon, const struct group *group, const char *type, unsigned streams, struct shown *shown,
			 struct printer *printer)
{
	struct merge merge = { .count = 0 };
	int first, result = 0;

	for (int stream = 0; stream < STREAMS && !result; stream++) {
		if (!(streams >> stream & 1))
			continue;
		result = merge_add(&merge, canon, group, (enum group_stream)stream, false);
		if (!result && group->part)
			result = merge_add(&merge, canon, group->part, (enum group_stream)stream, group->part_swapped);
	}
	while (!result && (first = merge_first(&merge)) >= 0) {
		struct spool_reader *reader = &merge.readers[first];
		char direction = reader->record[0];

		if (merge.swapped[first])
			direction = direction == '>' ? '<' : '>';
		shown->type = type;
		shown->direction = direction;
		shown->record = reader->record + 1;
		shown->length = reader->length - 1;
		result = show(printer, shown);
		if (!result) {
			int more = spool_reader_next(reader);

			merge.live[first] = more > 0;
			result = more < 0 ? more : 0;
		}
	}
	for (unsigned i = 0; i < merge.count; i++)
		spool_reader_fini(&merge.readers[i]);
	return result;
}

static int write_group(const struct canon *canon, const struct group *group, uint64_t number, struct printer *printer)
{
	struct canon_names names = { .failed = false }, packet_names = { .failed = false };
	struct shown shown = { .names = &names, .connection = number, .type = "connection", .record = group->role->text, .length = group->role->length,
			       .columns = canon->options.columns };
	int result = show(printer, &shown);

	if (!result && group->setup) {
		shown.type = "setup";
		shown.record = group->setup;
		shown.length = group->setup_length;
		result = show(printer, &shown);
	}
	if (!result)
		result = write_streams(canon, group, "message", 1u << STREAM_MESSAGES | 1u << STREAM_REFUSALS, &shown, printer);
	/* separate names, so that names in messages do not depend on whether packets are printed */
	shown.names = &packet_names;
	if (!result)
		result = write_streams(canon, group, "packet", 1u << STREAM_PACKETS, &shown, printer);
	if (!result && (names.failed || packet_names.failed))
		result = -ENOMEM;
	canon_names_fini(&names);
	canon_names_fini(&packet_names);
	return result;
}

/* Reads data at *offset into new memory and advances *offset. */
static int read_back(const struct canon *canon, uint64_t *offset, size_t length, void *into)
{
	void **memory = into;
	int result;

	if (!length)
		return 0;
	*memory = malloc(length);
	result = *memory ? spool_read(&canon->spool, *offset, *memory, length) : -ENOMEM;
	*offset += length;
	return result;
}

static int write_entry(const struct canon *canon, const struct canon_entry *entry, uint64_t number, struct printer *printer)
{
	struct group group = { .role = entry->role }, part = { .role = NULL }, *halves[2] = { &group, &part };
	struct canon_sealed sealed;
	uint64_t offset = entry->offset + sizeof sealed;
	int result = spool_read(&canon->spool, entry->offset, &sealed, sizeof sealed);

	if (result)
		return result;
	group.setup_length = sealed.setup_length;
	group.part_swapped = sealed.part_swapped != 0;
	result = read_back(canon, &offset, sealed.setup_length, &group.setup);
	for (int half = 0; half < 2; half++)
		for (int i = 0; i < STREAMS && !result; i++) {
			struct spool_stream *stream = &halves[half]->streams[i];

			stream->extent_count = sealed.extents[half][i];
			result = read_back(canon, &offset, stream->extent_count * sizeof *stream->extents, &stream->extents);
			if (half && stream->extent_count)
				group.part = &part;
		}
	if (!result)
		result = write_group(canon, &group, number, printer);
	for (int half = 0; half < 2; half++)
		for (int i = 0; i < STREAMS; i++)
			free(halves[half]->streams[i].extents);
	free(group.setup);
	return result;
}

static const char *level_name(const struct canon *canon)
{
	return canon->options.level == CANON_PACKETS ? "packets" : "messages";
}

static void write_head(const void *what, struct line *line)
{
	const struct canon *canon = what;

	line_text(line, CANON_MAGIC " ");
	line_dec(line, CANON_VERSION);
	line_text(line, " level=");
	line_text(line, level_name(canon));
	if (canon->options.keep.count)
		line_text(line, " keep=");
	for (size_t i = 0; i < canon->options.keep.count; i++) {
		if (i)
			line_char(line, ',');
		line_text(line, canon->options.keep.names[i]);
	}
	line_char(line, '\n');
}

static void write_json_head(const void *what, struct line *line)
{
	line_char(line, '{');
	object_text(line, "type", CANON_MAGIC);
	object_number(line, "version", CANON_VERSION);
	object_text(line, "level", level_name(what));
	line_bytes(line, "}\n", 2);
}

static void write_head_record(const void *what, struct line *line)
{
	const struct columns *columns = ((const struct canon *)what)->options.columns;

	if (columns->form == COLUMNS_CSV)
		columns_write_header(columns, line);
	columns_write(columns, write_json_head, what, line);
}

/* The last line. */
struct foot {
	uint64_t connections;
	const char *incomplete;
	const struct columns *columns;
};

/* A truncated file lacks this. */
static void write_foot(const void *what, struct line *line)
{
	const struct foot *foot = what;

	line_text(line, "end connections=");
	line_dec(line, foot->connections);
	if (foot->incomplete) {
		line_text(line, " incomplete=");
		line_text(line, foot->incomplete);
	}
	line_char(line, '\n');
}

static void write_json_foot(const void *what, struct line *line)
{
	const struct foot *foot = what;

	line_char(line, '{');
	object_text(line, "type", "end");
	object_number(line, "connections", foot->connections);
	if (foot->incomplete)
		object_text(line, "incomplete", foot->incomplete);
	line_bytes(line, "}\n", 2);
}

static void write_foot_record(const void *what, struct line *line)
{
	columns_write(((const struct foot *)what)->columns, write_json_foot, what, line);
}

int canon_write_groups(const struct canon *canon, const char *incomplete, struct printer *printer)
{
	struct foot foot = { .incomplete = incomplete, .columns = canon->options.columns };
	int result = printer_write(printer, foot.columns ? write_head_record : write_head, canon);

	for (size_t i = 0; !result && i < canon->entry_count; i++)
		result = write_entry(canon, &canon->entries[i], ++foot.connections, printer);
	return result ? result : printer_write(printer, foot.columns ? write_foot_record : write_foot, &foot);
}
