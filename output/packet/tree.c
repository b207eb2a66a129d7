/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -V: one row for every layer, group and field; fields that do not fill whole bytes show their bits in place.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>

#include "dissect/engine/visit.h"
#include "output/packet/runs.h"
#include "output/packet/text.h"
#include "output/packet/tree.h"

#define MAX_SHOWN_BYTES 32

#define HEAD_SIZE (5 * ROW_STEP)
#define MAX_DEPTH 10      /* deeper rows are not indented further */
#define BIT_ROW_BYTES 8   /* most bytes that a bit field spans */

/* Visitor state: cached values are written immediately. */
enum simple { OTHER, DECIMAL, HEXADECIMAL, SECONDS };

/* Text before a field's value: constant except for the bits in it. */
struct row_head {
	uint8_t depth;   /* indentation level plus 1; 0: not created yet */
	uint8_t bits_at; /* position of the bits in the text; 0: none */
	uint8_t kind;    /* enum simple */
	uint8_t digits;  /* of HEXADECIMAL, at least */
	uint16_t length;
	char text[HEAD_SIZE];
};

#define TITLES 64

/* A layer's row. */
struct title {
	const char *label; /* that of its protocol, always present; NULL: no cache */
	uint16_t length;
	char text[2 * ROW_STEP];
};

struct tree_memory {
	struct title titles[TITLES]; /* by their labels' addresses */
	struct rows rows;
	struct runs runs;
	struct row_head heads[]; /* by field id */
};

struct tree {
	struct rtap_visitor visitor;
	struct line *line;
	struct tree_memory *memory; /* or NULL */
	unsigned depth;
	const struct rtap_packet *packet;
	const struct rtap_field *whole; /* the field whose parts follow, or NULL */
};

/* Four columns a level. */
static void indent(struct line *line, unsigned depth)
{
	for (unsigned i = 0; i < depth && i < MAX_DEPTH; i++)
		line_bytes(line, "    ", 4);
}

static void write_title(struct tree_memory *memory, const char *label, struct line *line)
{
	struct title *title = &memory->titles[(uintptr_t)label / 8 % TITLES];
	struct line made;

	if (title->label != label) {
		line_init(&made, title->text, sizeof title->text);
		line_text(&made, label);
		line_char(&made, '\n');
		assert(!made.cut);
		title->length = (uint16_t)(made.next - title->text);
		title->label = label;
	}
	line_steps(line, title->text, title->length);
}

static void enter(struct rtap_visitor *visitor, const char *label, const struct rtap_place *place)
{
	struct tree *tree = (struct tree *)visitor;

	(void)place;
	if (tree->memory && !tree->depth) {
		write_title(tree->memory, label, tree->line);
	} else {
		indent(tree->line, tree->depth);
		line_text(tree->line, label);
		line_char(tree->line, '\n');
	}
	tree->depth++;
	tree->whole = NULL;
}

static void leave(struct rtap_visitor *visitor)
{
	((struct tree *)visitor)->depth--;
}

/* Whether the field's bits are shown: it does not fill whole bytes. */
static bool shows_bits(const struct rtap_field *field)
{
	return !(field->flags & RTAP_UNPLACED) && (field->bit_offset % 8 || field->bit_width % 8);
}

static enum simple kind_of(const struct rtap_field *field)
{
	if (field->names || field->show > RTAP_HEX64)
		return field->show == RTAP_SECONDS ? SECONDS : OTHER;
	return field->show == RTAP_DEC ? DECIMAL : field->show == RTAP_NONE ? OTHER : HEXADECIMAL;
}

static void make_head(struct row_head *head, const struct rtap_field *field, unsigned depth, uint32_t bytes)
{
	static const char dots[] = ".... .... .... .... .... .... .... .... .... .... .... .... .... .... .... ....";
	struct line line;

	line_init(&line, head->text, sizeof head->text);
	indent(&line, depth);
	head->bits_at = 0;
	if (shows_bits(field) && bytes <= BIT_ROW_BYTES) {
		head->bits_at = (uint8_t)(line.next - head->text);
		line_bytes(&line, dots, bytes * 10 - 1);
		line_text(&line, " = ");
	}
	line_text(&line, field->label);
	line_text(&line, ": ");
	head->length = (uint16_t)(line.next - head->text);
	head->depth = (uint8_t)(depth + 1);
	head->kind = head->bits_at ? OTHER : (uint8_t)kind_of(field);
	head->digits = (uint8_t)line_hex_width(field);
}

/* Writes a field's bits into its row: "..01 0..." for bits 2 to 4. */
static void put_bits(char *row, const struct rtap_field *field, const uint8_t *bytes)
{
	unsigned first = field->bit_offset % 8u, end = first + field->bit_width, last = (end + 7) / 8 * 8 - 1;

	for (unsigned i = first; i < end; i++) {
		/* a little-endian number is shown from its most significant bit on */
		bool is_little = field->flags & RTAP_LITTLE;
		unsigned at = is_little ? last - i : i;

		row[at + at / 4] = (char)('0' + (bytes[i / 8] >> (is_little ? i % 8 : 7 - i % 8) & 1));
	}
}

static void write_head(struct tree *tree, rtap_field_id id, const struct rtap_field *field, unsigned depth, const struct rtap_place *place)
{
	struct row_head own, *head = tree->memory ? &tree->memory->heads[id] : &own;
	char *row = tree->line->next;

	if (!tree->memory || head->depth != depth + 1)
		make_head(head, field, depth, place->length);
	line_steps(tree->line, head->text, head->length);
	if (head->bits_at && !tree->line->cut)
		put_bits(row + head->bits_at, field, tree->packet->sources[place->source].bytes + place->offset);
}

static void write_value(struct tree *tree, const struct rtap_field *field, const struct rtap_value *value)
{
	const char *name = field->names ? rtap_name_of(field->names, value->number) : NULL;
	struct line *line = tree->line;

	if (field->show == RTAP_BOOL) {
		line_text(line, value->number ? "True" : "False");
	} else if (field->show == RTAP_BYTES && value->data.length > MAX_SHOWN_BYTES) {
		line_hex_bytes(line, value->data.bytes, MAX_SHOWN_BYTES, 0);
		line_text(line, "... (");
		line_dec(line, value->data.length);
		line_text(line, " bytes)");
	} else if (name) {
		line_text(line, name);
		line_text(line, " (");
		line_value(line, field, value);
		line_char(line, ')');
	} else if (field->show == RTAP_DEC) {
		line_dec(line, value->number);
	} else {
		line_value(line, field, value);
	}
}

static bool is_part(const struct rtap_field *whole, const struct rtap_field *field)
{
	return whole && !(field->flags & RTAP_UNPLACED) && field->bit_offset >= whole->bit_offset &&
	       field->bit_offset + field->bit_width <= whole->bit_offset + whole->bit_width;
}

/* A field's bits as shown in its row; none if it spans too many bytes. */
static uint64_t bits_of(const struct tree *tree, const struct rtap_field *field, const struct rtap_place *place)
{
	if (place->length > BIT_ROW_BYTES)
		return 0;
	return (field->flags & RTAP_LITTLE ? little_bits : bits)(tree->packet->sources[place->source].bytes + place->offset,
								 field->bit_offset % 8u, field->bit_width);
}

static void write_row(struct tree *tree, rtap_field_id id, const struct rtap_field *field, unsigned depth,
		      const struct rtap_value *value, const struct rtap_place *place)
{
	write_head(tree, id, field, depth, place);
	write_value(tree, field, value);
	line_char(tree->line, '\n');
}

/* Writes a row that is not cached; `row`, which may be NULL, is its cache slot. */
static __attribute__((noinline)) void write_new_row(struct tree *tree, rtap_field_id id, const struct rtap_field *field, unsigned depth,
						    const struct rtap_value *value, const struct rtap_place *place,
						    struct row *row, uint64_t bits_shown)
{
	const char *start = tree->line->next;
	struct row_key key;

	write_row(tree, id, field, depth, value, place);
	if (row && row_key_init(&key, field, value, depth + 1)) {
		key.words[1] |= bits_shown;
		rows_keep(&tree->memory->rows, id, row, &key, start, tree->line);
	}
}

/* Writes a row without bits whose prefix is cached. */
static inline void write_simple(struct line *line, const struct row_head *head, uint64_t number)
{
	char spare[HEAD_SIZE + LINE_SHORT];
	char *begin = line_begin(line, spare, sizeof spare), *to = begin + head->length;

	memcpy(begin, head->text, 2 * ROW_STEP);
	if (head->length > 2 * ROW_STEP)
		memcpy(begin + 2 * ROW_STEP, head->text + 2 * ROW_STEP, HEAD_SIZE - 2 * ROW_STEP);
	if (head->kind == DECIMAL) {
		to = line_put_dec(to, number);
	} else if (head->kind == HEXADECIMAL) {
		memcpy(to, "0x", 2);
		to = line_put_hex(to + 2, number, head->digits);
	} else {
		to = line_put_seconds(to, (int64_t)number);
	}
	*to++ = '\n';
	line_end(line, begin, to);
}

static inline __attribute__((always_inline)) void write_field(struct rtap_visitor *visitor, rtap_field_id id,
							      const struct rtap_field *field, const struct rtap_value *value,
							      const struct rtap_place *place)
{
	struct tree *tree = (struct tree *)visitor;
	unsigned part = is_part(tree->whole, field), depth = tree->depth + part;
	struct row *row = NULL;
	uint64_t bits_shown = 0;
	struct row_key key;

	if (!part)
		tree->whole = field->flags & RTAP_PARTS ? field : NULL;
	if (tree->memory && tree->memory->heads[id].kind != OTHER && tree->memory->heads[id].depth == depth + 1) {
		write_simple(tree->line, &tree->memory->heads[id], value->number);
		return;
	}
	if (tree->memory && row_key_init(&key, field, value, depth + 1)) {
		/* the bits shown may differ from those of the value */
		if (field->derive && shows_bits(field))
			key.words[1] = bits_shown = bits_of(tree, field, place);
		row = rows_find(&tree->memory->rows, id, &key);
		if (row && row_is(row, &key)) {
			rows_copy(&tree->memory->rows, id, row, tree->line);
			return;
		}
	}
	write_new_row(tree, id, field, depth, value, place, row, bits_shown);
}

/* Writes the rows of a run that is not cached. */
static __attribute__((noinline)) void write_new_run(struct tree *tree, const struct rtap_layer *layer, const uint8_t *header,
						    struct row_run *run)
{
	const struct rtap_field *field = visit_row(layer, run->first);
	const char *start = tree->line->next;

	visit_rows(tree->packet, layer, &tree->visitor, field, field + run->rows, run->first, write_field, NULL);
	runs_keep(&tree->memory->runs, run, header, (uint16_t)(tree->depth + 1), (uintptr_t)tree->whole, start, tree->line);
}

/* Writes the rows of a run, unless they may be parts of a preceding field. */
static inline __attribute__((always_inline)) size_t write_rows(struct rtap_visitor *visitor, const struct rtap_packet *packet,
							       const struct rtap_layer *layer, const uint8_t *header, rtap_field_id id)
{
	struct tree *tree = (struct tree *)visitor;
	struct row_run *run = tree->memory ? runs_at(&tree->memory->runs, id, layer) : NULL;
	struct run_text *text;
	uint64_t words[2];
	size_t rows;

	(void)packet;
	if (!run || tree->whole)
		return 0;
	rows = run->rows;
	run_words(run, header, words);
	text = run_find(run, words);
	if (text && run_is(text, words, (uint16_t)(tree->depth + 1))) {
		tree->whole = (const struct rtap_field *)(uintptr_t)text->after;
		run_copy(run, text, tree->line);
	} else {
		write_new_run(tree, layer, header, run);
	}
	return rows;
}

static void write_label(struct rtap_visitor *visitor, const char *text, const struct rtap_place *place)
{
	struct tree *tree = (struct tree *)visitor;

	(void)place;
	indent(tree->line, tree->depth);
	line_char(tree->line, '[');
	line_text(tree->line, text);
	line_text(tree->line, "]\n");
}

static void write_anomaly(struct rtap_visitor *visitor, const struct rtap_anomaly *anomaly)
{
	struct tree *tree = (struct tree *)visitor;

	indent(tree->line, tree->depth);
	line_text(tree->line, "[Anomaly ");
	line_text(tree->line, rtap_anomaly_name((enum rtap_anomaly_code)anomaly->code));
	line_text(tree->line, " at byte ");
	line_dec(tree->line, anomaly->offset);
	line_text(tree->line, ": ");
	line_text(tree->line, rtap_anomaly_meaning((enum rtap_anomaly_code)anomaly->code));
	line_text(tree->line, "]\n");
}

struct tree_memory *tree_memory_create(void)
{
	struct tree_memory *memory = calloc(1, sizeof *memory + rtap_field_count() * sizeof memory->heads[0]);

	if (!memory)
		return NULL;
	if (!rows_init(&memory->rows) || !runs_init(&memory->runs, NULL)) {
		tree_memory_destroy(memory);
		return NULL;
	}
	return memory;
}

void tree_memory_destroy(struct tree_memory *memory)
{
	if (!memory)
		return;
	rows_fini(&memory->rows);
	runs_fini(&memory->runs);
	free(memory);
}

void tree_write(struct tree_memory *memory, const struct rtap_packet *packet, struct line *line)
{
	struct tree tree = {
		.visitor = {
			.enter = enter, .field = write_field, .label = write_label, .anomaly = write_anomaly, .leave = leave,
			.on_demand = true, .bulk = true,
		},
		.line = line,
		.memory = memory,
		.packet = packet,
	};

	visit_packet(packet, &tree.visitor, write_field, write_rows);
}
