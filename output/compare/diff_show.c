/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dissect/engine/line_name.h"
#include "output/compare/diff_show.h"
#include "output/message/columns.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/packet/printer.h"

static const char *const kind_names[DIFF_KINDS] = {
	[DIFF_SAME] = "same", [DIFF_CHANGED] = "changed", [DIFF_REMOVED] = "removed", [DIFF_ADDED] = "added", [DIFF_MOVED] = "moved",
	[DIFF_CONNECTION_REMOVED] = "connection_removed", [DIFF_CONNECTION_ADDED] = "connection_added",
};

/* A step to write, and the names of the files. */
struct written {
	const struct diff_show *show;
	const struct diff_step *step;
	const struct diff_totals *totals;
};

static const char *line_of(const struct diff_side *side)
{
	return side->file->text + side->line->offset;
}

static bool is_frame(const struct canon_token *token)
{
	return token->name_length == 5 && !memcmp(token->name, "frame", 5);
}

/* A number without leading zeros, with no more digits than JSON numbers represent exactly. */
static bool is_number(const struct canon_token *token)
{
	for (size_t i = 0; i < token->value_length; i++)
		if (token->value[i] < '0' || token->value[i] > '9')
			return false;
	return token->value_length && token->value_length < 16 && token->value[0] != '0';
}

/* The frame number of the line, which is not compared. */
static bool frame_of(const struct diff_side *side, struct canon_token *frame)
{
	const char *end = line_of(side) + side->line->length, *at = canon_line_values(line_of(side), end);

	while (canon_token_next(&at, end, frame))
		if (is_frame(frame))
			return is_number(frame);
	return false;
}

/* Canonical text is ASCII, but an edited file can contain anything: other bytes are shown as \xNN. */
static void text_bytes(struct line *line, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = (uint8_t)bytes[i];

		if (byte >= ' ' && byte < 0x7f) {
			line_char(line, bytes[i]);
			continue;
		}
		line_text(line, "\\x");
		line_hex_digits(line, byte, 2);
	}
}

static void text_role(struct line *line, const struct canon_role *role)
{
	text_bytes(line, role->role, strlen(role->role));
}

/* As text, or as the contents of a JSON string. */
static void put_bytes(struct line *line, const char *bytes, size_t length, bool json)
{
	if (!json) {
		text_bytes(line, bytes, length);
		return;
	}
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = (uint8_t)bytes[i];

		if (byte < ' ' || byte >= 0x7f) {
			line_text(line, "\\u");
			line_hex_digits(line, byte, 4);
			continue;
		}
		if (byte == '"' || byte == '\\')
			line_char(line, '\\');
		line_char(line, bytes[i]);
	}
}

/* A line without its frame. */
static void put_line(struct line *line, const struct diff_side *side, bool json)
{
	const char *at = line_of(side), *end = at + side->line->length, *values = canon_line_values(at, end);
	struct canon_token token;

	put_bytes(line, at, (size_t)(values - at), json);
	while (canon_token_next(&values, end, &token)) {
		if (is_frame(&token))
			continue;
		line_char(line, ' ');
		put_bytes(line, token.name, token.name_length + 1 + token.value_length, json);
	}
}

#define MORE_COLUMNS 22 /* " ... 1234 more fields" */

/* A line without its frame: the fields that LINE_COLUMNS hold, and how many follow. */
static void text_start(struct line *line, const char *begin, const struct diff_side *side)
{
	const char *at = line_of(side), *end = at + side->line->length, *values = canon_line_values(at, end);
	struct canon_token token;
	uint64_t more = 0;

	text_bytes(line, at, (size_t)(values - at));
	while (canon_token_next(&values, end, &token)) {
		size_t length = token.name_length + 1 + token.value_length;

		if (is_frame(&token))
			continue;
		/* the first one that does not fit, and all after it */
		more += more || (size_t)(line->next - begin) + 1 + length > LINE_COLUMNS - MORE_COLUMNS;
		if (more)
			continue;
		line_char(line, ' ');
		text_bytes(line, token.name, length);
	}
	if (!more)
		return;
	line_text(line, " ... ");
	line_count(line, more, "more field", "more fields");
}

static void text_line(struct line *line, char mark, const struct diff_side *side, bool is_wide)
{
	const char *begin = line->next;

	line_char(line, mark);
	if (is_wide)
		put_line(line, side, false);
	else
		text_start(line, begin, side);
	line_char(line, '\n');
}

static void text_place(struct line *line, const char *name, const struct diff_side *side)
{
	struct canon_token frame;

	if (!side->line || !side->number)
		return;
	line_text(line, name);
	line_dec(line, side->number);
	if (!frame_of(side, &frame))
		return;
	line_text(line, " (frame ");
	line_bytes(line, frame.value, frame.value_length);
	line_char(line, ')');
}

static const struct canon_role *role_of(const struct diff_step *step)
{
	return step->a.role ? step->a.role : step->b.role;
}

static void write_header(const void *what, struct line *line)
{
	const struct written *written = what;
	const struct diff_step *step = written->step;

	if (!written->show->begun) {
		line_text(line, "--- ");
		line_escaped(line, (const uint8_t *)written->show->a_name, strlen(written->show->a_name));
		line_text(line, "\n+++ ");
		line_escaped(line, (const uint8_t *)written->show->b_name, strlen(written->show->b_name));
		line_char(line, '\n');
	}
	line_text(line, "@@ ");
	text_role(line, role_of(step));
	if (step->kind != DIFF_CONNECTION_REMOVED && step->kind != DIFF_CONNECTION_ADDED)
		line_text(line, step->setup ? ", setup" : step->level == CANON_PACKETS ? ", packet" : ", message");
	text_place(line, " -", &step->a);
	text_place(line, " +", &step->b);
	line_text(line, " @@\n");
}

#define CHANGE_COLUMNS 8 /* around a change's name and values */

static void text_value(struct line *line, const char *value, size_t length)
{
	if (value)
		text_bytes(line, value, length);
	else
		line_text(line, "absent");
}

static void text_change(struct line *line, const struct diff_change *change)
{
	text_bytes(line, change->name, change->name_length);
	line_text(line, ": ");
	text_value(line, change->a, change->a_length);
	line_text(line, " -> ");
	text_value(line, change->b, change->b_length);
	/* a name that corresponded to another one before */
	if (change->a && change->b && change->a_length == change->b_length && !memcmp(change->a, change->b, change->a_length))
		line_text(line, " (not the same one as before)");
}

/* "! length: 300 -> 308; packets: 2 -> 1", on several lines unless `is_wide`. */
static void text_changes(struct line *line, const struct diff_step *step, bool is_wide)
{
	const char *begin = line->next, *before = "! ";

	if (step->kind == DIFF_MOVED) {
		line_text(line, "! the same, but elsewhere in the order");
		before = "; ";
	}
	for (size_t i = 0; i < step->change_count; i++) {
		const struct diff_change *change = &step->changes[i];
		size_t length = change->name_length + change->a_length + change->b_length + CHANGE_COLUMNS;

		if (!is_wide && before[0] == ';' && (size_t)(line->next - begin) + length > LINE_COLUMNS) {
			line_char(line, '\n');
			begin = line->next;
			before = "! ";
		}
		line_text(line, before);
		text_change(line, change);
		before = "; ";
	}
	line_char(line, '\n');
}

static void text_alone(struct line *line, const struct diff_step *step)
{
	line_text(line, step->a.role ? "-connection " : "+connection ");
	text_role(line, role_of(step));
	if (step->exchanged)
		line_text(line, step->a.role ? "\n! B has it with client and server exchanged; their lines are not compared"
					     : "\n! A has it with client and server exchanged; their lines are not compared");
	line_char(line, '\n');
}

static void write_difference(const void *what, struct line *line)
{
	const struct diff_step *step = ((const struct written *)what)->step;
	bool is_wide = ((const struct written *)what)->show->wide;

	switch (step->kind) {
	case DIFF_CONNECTION_REMOVED:
	case DIFF_CONNECTION_ADDED:
		text_alone(line, step);
		return;
	default:
		break;
	}
	if (step->kind == DIFF_SAME) {
		text_line(line, ' ', &step->a, is_wide);
		return;
	}
	if (step->kind != DIFF_ADDED)
		text_line(line, '-', &step->a, is_wide);
	if (step->kind != DIFF_REMOVED)
		text_line(line, '+', &step->b, is_wide);
	if (step->kind == DIFF_CHANGED || step->kind == DIFF_MOVED)
		text_changes(line, step, is_wide);
}

static int put(struct diff_show *show, void (*write)(const void *what, struct line *line), const struct diff_step *step)
{
	struct written written = { .show = show, .step = step };

	return printer_write(show->printer, write, &written);
}

/* Equal lines are kept until a difference follows, unless one has just been printed. */
static int text_same(struct diff_show *show, const struct diff_step *step)
{
	if (show->after) {
		show->after--;
		return put(show, write_difference, step);
	}
	show->context[show->context_at] = *step;
	show->context_at = (show->context_at + 1) % DIFF_CONTEXT;
	show->context_count += show->context_count < DIFF_CONTEXT;
	return 0;
}

static int step_text(struct diff_form *form, const struct diff_step *step)
{
	struct diff_show *show = (struct diff_show *)form;
	int result = 0;

	if (show->role != role_of(step) || show->level != step->level) {
		show->role = role_of(step);
		show->level = step->level;
		show->context_count = show->context_at = show->after = 0;
	}
	if (step->kind == DIFF_SAME)
		return text_same(show, step);
	if (!show->after)
		result = put(show, write_header, step);
	show->begun = true;
	for (unsigned i = show->context_count; !result && i; i--)
		result = put(show, write_difference, &show->context[(show->context_at + DIFF_CONTEXT - i) % DIFF_CONTEXT]);
	show->context_count = 0;
	show->after = step->setup ? 0 : DIFF_CONTEXT;
	return result ? result : put(show, write_difference, step);
}

static void json_side(struct line *line, const char *key, const struct diff_side *side)
{
	struct canon_token frame;

	if (!side->line)
		return;
	object_key(line, key);
	line_char(line, '{');
	if (side->number)
		object_number(line, "number", side->number);
	if (frame_of(side, &frame)) {
		object_key(line, "frame");
		line_bytes(line, frame.value, frame.value_length);
	}
	object_key(line, "line");
	line_char(line, '"');
	put_line(line, side, true);
	line_bytes(line, "\"}", 2);
}

static void json_value(struct line *line, const char *key, const char *value, size_t length)
{
	if (!value)
		return;
	object_key(line, key);
	json_string(line, (const uint8_t *)value, length);
}

static void write_json(const void *what, struct line *line)
{
	const struct diff_step *step = ((const struct written *)what)->step;
	const struct diff_side *side = step->a.line ? &step->a : &step->b;

	line_char(line, '{');
	object_text(line, "type", kind_names[step->kind]);
	json_value(line, "connection", role_of(step)->role, strlen(role_of(step)->role));
	if (side->line)
		object_text(line, "level", step->setup ? "setup" : step->level == CANON_PACKETS ? "packet" : "message");
	if (side->line && side->line->direction)
		object_text(line, "direction", side->line->direction == '>' ? "client>server" : "server>client");
	if (step->exchanged)
		object_bool(line, "exchanged", true);
	json_side(line, "a", &step->a);
	json_side(line, "b", &step->b);
	if (step->kind == DIFF_CHANGED || step->kind == DIFF_MOVED) {
		object_key(line, "fields");
		line_char(line, '[');
		for (size_t i = 0; i < step->change_count; i++) {
			const struct diff_change *change = &step->changes[i];

			if (i)
				line_char(line, ',');
			line_char(line, '{');
			json_value(line, "name", change->name, change->name_length);
			json_value(line, "a", change->a, change->a_length);
			json_value(line, "b", change->b, change->b_length);
			line_char(line, '}');
		}
		line_char(line, ']');
	}
	line_bytes(line, "}\n", 2);
}

static void write_record(const void *what, struct line *line)
{
	columns_write(((const struct written *)what)->show->columns, write_json, what, line);
}

static int step_json(struct diff_form *form, const struct diff_step *step)
{
	return step->kind == DIFF_SAME ? 0 : put((struct diff_show *)form, write_record, step);
}

static int count_change(struct diff_show *show, const struct diff_change *change)
{
	struct diff_field_count *field_counts;

	for (size_t i = 0; i < show->tally_count; i++) {
		if (strlen(show->field_counts[i].name) != change->name_length || memcmp(show->field_counts[i].name, change->name, change->name_length))
			continue;
		show->field_counts[i].count++;
		return 0;
	}
	field_counts = array_grow(show->field_counts, &show->tally_room, show->tally_count + 1, sizeof *field_counts);
	if (!field_counts)
		return -ENOMEM;
	show->field_counts = field_counts;
	show->field_counts[show->tally_count] = (struct diff_field_count){ strndup(change->name, change->name_length), 1 };
	if (!show->field_counts[show->tally_count].name)
		return -ENOMEM;
	show->tally_count++;
	return 0;
}

static int step_stat(struct diff_form *form, const struct diff_step *step)
{
	struct diff_show *show = (struct diff_show *)form;
	int result = 0;

	for (size_t i = 0; !result && i < step->change_count; i++)
		result = count_change(show, &step->changes[i]);
	return result;
}

static void init(struct diff_show *show, int (*step)(struct diff_form *form, const struct diff_step *step), struct printer *printer,
		 const char *a_name, const char *b_name)
{
	*show = (struct diff_show){ .form.step = step, .printer = printer, .a_name = a_name, .b_name = b_name };
}

void diff_show_text(struct diff_show *show, struct printer *printer, const char *a_name, const char *b_name, bool is_wide)
{
	init(show, step_text, printer, a_name, b_name);
	show->wide = is_wide;
}

int diff_show_records(struct diff_show *show, struct printer *printer, const char *a_name, const char *b_name, const struct columns *columns)
{
	init(show, step_json, printer, a_name, b_name);
	show->columns = columns;
	return columns->form == COLUMNS_CSV ? printer_write(printer, columns_write_header, columns) : 0;
}

void diff_show_stat(struct diff_show *show, struct printer *printer, const char *a_name, const char *b_name)
{
	init(show, step_stat, printer, a_name, b_name);
}

static void write_json_end(const void *what, struct line *line)
{
	const struct diff_totals *totals = ((const struct written *)what)->totals;

	line_char(line, '{');
	object_text(line, "type", "summary");
	object_bool(line, "same", !diff_differs(totals));
	object_key(line, "connections");
	line_char(line, '{');
	object_number(line, "a", totals->a_roles);
	object_number(line, "b", totals->b_roles);
	object_number(line, "both", totals->matched_roles);
	object_number(line, "changed", totals->changed_setups);
	line_char(line, '}');
	object_key(line, "lines");
	line_char(line, '{');
	object_number(line, "a", totals->a_lines);
	object_number(line, "b", totals->b_lines);
	for (int kind = DIFF_SAME; kind <= DIFF_MOVED; kind++)
		object_number(line, kind_names[kind], totals->kinds[kind]);
	line_bytes(line, "}}\n", 3);
}

static void write_end_record(const void *what, struct line *line)
{
	columns_write(((const struct written *)what)->show->columns, write_json_end, what, line);
}

static int more_often(const void *left, const void *right)
{
	const struct diff_field_count *a = left, *b = right;

	return a->count != b->count ? a->count < b->count ? 1 : -1 : strcmp(a->name, b->name);
}

static void write_stat(const void *what, struct line *line)
{
	const struct written *written = what;
	const struct diff_totals *totals = written->totals;

	line_text(line, "connections: ");
	line_dec(line, totals->a_roles);
	line_text(line, " and ");
	line_dec(line, totals->b_roles);
	line_text(line, ", in both ");
	line_dec(line, totals->matched_roles);
	line_text(line, ", changed ");
	line_dec(line, totals->changed_setups);
	line_text(line, "\nmessages and packets: ");
	line_dec(line, totals->a_lines);
	line_text(line, " and ");
	line_dec(line, totals->b_lines);
	line_text(line, "\n");
	for (int kind = DIFF_SAME; kind <= DIFF_MOVED; kind++) {
		line_text(line, "  ");
		line_text(line, kind_names[kind]);
		line_text(line, ": ");
		line_dec(line, totals->kinds[kind]);
		line_char(line, '\n');
	}
	if (written->show->tally_count)
		line_text(line, "changed by field:\n");
	for (size_t i = 0; i < written->show->tally_count; i++) {
		line_text(line, "  ");
		line_text(line, written->show->field_counts[i].name);
		line_text(line, ": ");
		line_dec(line, written->show->field_counts[i].count);
		line_char(line, '\n');
	}
}

int diff_show_end(struct diff_show *show, const struct diff_totals *totals)
{
	struct written written = { .show = show, .totals = totals };

	if (show->form.step == step_json)
		return printer_write(show->printer, write_end_record, &written);
	if (show->form.step != step_stat)
		return 0;
	if (show->tally_count)
		qsort(show->field_counts, show->tally_count, sizeof *show->field_counts, more_often);
	return printer_write(show->printer, write_stat, &written);
}

void diff_show_fini(struct diff_show *show)
{
	for (size_t i = 0; i < show->tally_count; i++)
		free(show->field_counts[i].name);
	free(show->field_counts);
}
