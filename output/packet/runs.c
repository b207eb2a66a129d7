/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/engine/protocol.h"
#include "output/packet/runs.h"

#define RUN_MISSES 64 /* excess of misses over hits at which a run is split */

_Static_assert(RUN_WAYS == 32, "run_find() takes five bits of the hash");

/* Whether a row depends only on bytes of its header. */
static bool is_plain(const struct rtap_field *field)
{
	if (field->flags & (RTAP_UNPLACED | RTAP_REPEATS | RTAP_ON_DEMAND | RTAP_BULK))
		return false;
	return !field->derive || field->flags & RTAP_OWN_BYTES;
}

static uint32_t first_byte(const struct rtap_field *field)
{
	return field->bit_offset / 8u;
}

static uint32_t byte_after(const struct rtap_field *field)
{
	return (field->bit_offset + field->bit_width + 7u) / 8;
}

/* Appends a run of these rows; a single row forms no run. */
static void add_run(struct runs *runs, const struct rtap_field *field, rtap_field_id id, uint8_t rows)
{
	struct row_run run = { .first = id, .rows = rows, .offset = UINT16_MAX };
	uint32_t after = 0;

	if (rows < 2)
		return;
	for (uint8_t i = 0; i < rows; i++) {
		if (first_byte(&field[i]) < run.offset)
			run.offset = (uint16_t)first_byte(&field[i]);
		if (byte_after(&field[i]) > after)
			after = byte_after(&field[i]);
	}
	run.length = (uint8_t)(after - run.offset);
	runs->runs[runs->count++] = run;
	runs->at[id] = (uint16_t)runs->count;
}

/* Number of rows from `field` on that can form one run. */
static uint8_t count_rows(const struct rtap_field *field, const struct rtap_field *end, rtap_field_id id, const rtap_field_id *first_ids)
{
	uint32_t from = UINT32_MAX, to = 0;
	uint8_t rows = 0;

	for (; field < end && (id + rows) / 64 == id / 64 && is_plain(field); field++, rows++) {
		if (first_ids && first_ids[id + rows] != id + rows)
			break;
		from = first_byte(field) < from ? first_byte(field) : from;
		to = byte_after(field) > to ? byte_after(field) : to;
		if (to - from > RUN_BYTES)
			break;
	}
	return rows;
}

static void add_runs(struct runs *runs, uint16_t protocol, const rtap_field_id *first_ids)
{
	const struct rtap_field *field = protocol_by_number(protocol)->table.fields;
	const struct rtap_field *end = field + protocol_rows_with_values(protocol);
	rtap_field_id id = protocol_field_id(protocol, 0);

	while (field < end) {
		uint8_t rows = count_rows(field, end, id, first_ids);

		add_run(runs, field, id, rows);
		if (!rows)
			rows = 1;
		field += rows;
		id = (rtap_field_id)(id + rows);
	}
}

bool runs_init(struct runs *runs, const rtap_field_id *first_ids)
{
	/* a split drops at least one row, so the number of runs is bounded */
	*runs = (struct runs){
		.at = calloc(rtap_field_count(), sizeof *runs->at),
		.runs = malloc(rtap_field_count() * sizeof *runs->runs),
	};
	if (!runs->at || !runs->runs)
		return false;
	for (size_t i = 0; i < PROTOCOL_COUNT; i++)
		add_runs(runs, (uint16_t)i, first_ids);
	return true;
}

void runs_fini(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		free(runs->runs[i].texts);
	free(runs->runs);
	free(runs->at);
}

static bool covers(const struct rtap_field *field, uint32_t byte)
{
	return first_byte(field) <= byte && byte < byte_after(field);
}

/* Splits a run into the rows before and those after the byte that changed most often. */
static void split(struct runs *runs, struct row_run *run)
{
	const struct rtap_field *field = rtap_field_by_id(run->first);
	uint8_t most = 0, before = 0, after;

	for (uint8_t i = 1; i < run->length; i++)
		if (run->changes[i] > run->changes[most])
			most = i;
	while (before < run->rows && !covers(&field[before], run->offset + (uint32_t)most))
		before++;
	/* a byte of no row removes the run */
	before = before < run->rows ? before : 0;
	for (after = before; after < run->rows && covers(&field[after], run->offset + (uint32_t)most);)
		after++;
	after = after > before ? after : run->rows;
	free(run->texts);
	run->texts = NULL;
	runs->at[run->first] = 0;
	add_run(runs, field, run->first, before);
	add_run(runs, field + after, (rtap_field_id)(run->first + after), (uint8_t)(run->rows - after));
}

static void note_miss(struct row_run *run, const uint8_t *bytes)
{
	run->misses++;
	for (uint8_t i = 0; i < run->length; i++)
		run->changes[i] = (uint16_t)(run->changes[i] + (bytes[i] != run->missed[i]));
	memcpy(run->missed, bytes, run->length);
}

void runs_keep(struct runs *runs, struct row_run *run, const uint8_t *header, uint16_t variant, uint64_t after, const char *start,
	       const struct line *line)
{
	size_t length = (size_t)(line->next - start);
	struct run_text *text;
	uint64_t words[2];

	note_miss(run, header + run->offset);
	if (run->misses == RUN_MISSES) {
		split(runs, run);
		return;
	}
	if (!run->texts)
		run->texts = calloc(RUN_WAYS, sizeof *run->texts);
	if (!run->texts || line->cut || length > RUN_TEXT)
		return;
	run_words(run, header, words);
	text = run_find(run, words);
	memcpy(text->words, words, sizeof words);
	text->variant = variant;
	text->after = after;
	text->length = (uint16_t)length;
	memcpy(text->text, start, length);
}
