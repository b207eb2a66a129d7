/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -V: every layer, group and field on a row of its own; fields that do not fill whole bytes with their bits in place.
 */
#include "config.h"

#include "dissect/protocol.h"
#include "output/text.h"

#define MAX_SHOWN_BYTES 32

struct tree {
	struct rtap_visitor visitor;
	struct line *line;
	unsigned depth;
	const struct rtap_packet *packet;
	const struct rtap_field *whole; /* the field whose parts follow, or NULL */
};

static void indent(struct tree *tree)
{
	for (unsigned i = 0; i < tree->depth; i++)
		line_bytes(tree->line, "    ", 4);
}

static void enter(struct rtap_visitor *visitor, const char *label, struct rtap_place place)
{
	struct tree *tree = (struct tree *)visitor;

	(void)place;
	indent(tree);
	line_text(tree->line, label);
	line_char(tree->line, '\n');
	tree->depth++;
	tree->whole = NULL;
}

static void leave(struct rtap_visitor *visitor)
{
	((struct tree *)visitor)->depth--;
}

/* "..01 0... = " for bits 2 to 4 */
static void write_bits(struct tree *tree, const struct rtap_field *field, struct rtap_place place)
{
	unsigned skipped = field->bit_offset % 8, end = skipped + field->bit_width;
	const uint8_t *bytes = tree->packet->sources[place.source].bytes + place.offset;

	for (unsigned i = 0; i < place.length * 8; i++) {
		if (i && i % 4 == 0)
			line_char(tree->line, ' ');
		if (i < skipped || i >= end)
			line_char(tree->line, '.');
		else
			line_char(tree->line, bytes[i / 8] >> (7 - i % 8) & 1 ? '1' : '0');
	}
	line_text(tree->line, " = ");
}

static void write_value(struct tree *tree, const struct rtap_field *field, const struct rtap_value *value)
{
	const char *name = rtap_name_of(field->names, value->number);
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
	} else {
		line_value(line, field, value);
	}
}

static bool is_part(const struct rtap_field *whole, const struct rtap_field *field)
{
	return whole && !(field->flags & RTAP_UNPLACED) && field->bit_offset >= whole->bit_offset &&
	       field->bit_offset + field->bit_width <= whole->bit_offset + whole->bit_width;
}

static void write_field(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			const struct rtap_value *value, struct rtap_place place)
{
	struct tree *tree = (struct tree *)visitor;

	(void)id;
	indent(tree);
	if (is_part(tree->whole, field))
		line_bytes(tree->line, "    ", 4);
	else
		tree->whole = field->flags & RTAP_PARTS ? field : NULL;
	if (!(field->flags & RTAP_UNPLACED) && (field->bit_offset % 8 || field->bit_width % 8))
		write_bits(tree, field, place);
	line_text(tree->line, field->label);
	line_text(tree->line, ": ");
	write_value(tree, field, value);
	line_char(tree->line, '\n');
}

static void write_label(struct rtap_visitor *visitor, const char *text, struct rtap_place place)
{
	struct tree *tree = (struct tree *)visitor;

	(void)place;
	indent(tree);
	line_char(tree->line, '[');
	line_text(tree->line, text);
	line_text(tree->line, "]\n");
}

static void write_anomaly(struct rtap_visitor *visitor, const struct rtap_anomaly *anomaly)
{
	struct tree *tree = (struct tree *)visitor;

	indent(tree);
	line_text(tree->line, "[Anomaly ");
	line_text(tree->line, rtap_anomaly_name((enum rtap_anomaly_code)anomaly->code));
	line_text(tree->line, " at byte ");
	line_dec(tree->line, anomaly->offset);
	line_text(tree->line, ": ");
	line_text(tree->line, rtap_anomaly_meaning((enum rtap_anomaly_code)anomaly->code));
	line_text(tree->line, "]\n");
}

void tree_write(const struct rtap_packet *packet, struct line *line)
{
	struct tree tree = {
		.visitor = {
			.enter = enter, .field = write_field, .label = write_label, .anomaly = write_anomaly, .leave = leave,
			.on_demand = true, .bulk = true,
		},
		.line = line,
		.packet = packet,
	};

	rtap_packet_visit(packet, &tree.visitor);
}
