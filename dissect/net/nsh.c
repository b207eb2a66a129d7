/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network service header. RFC 8300, section 2.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/engine/visit.h"
#include "dissect/net/next_protocol.h"

#define NSH_LENGTH 8
#define NSH_VERSION 0, 2
#define NSH_OAM 2, 1
#define NSH_CRITICAL 3, 1 /* unassigned since RFC 8300 */
#define NSH_TTL 4, 6
#define NSH_WORDS 10, 6
#define NSH_TYPE 16, 8
#define NSH_NEXT 24, 8
#define NSH_PATH 32, 24
#define NSH_INDEX 56, 8

#define TYPE_FIXED 1 /* four words of context */
#define TYPE_VARIABLE 2
#define WORD 4

/* A header of variable context: the length is that of the data after it, in bytes; what follows begins at a whole word. RFC 8300, 2.5.1. */
#define CONTEXT_LENGTH 4
#define CONTEXT_CLASS 0, 16
#define CONTEXT_TYPE 16, 8
#define CONTEXT_UNASSIGNED 24, 1
#define CONTEXT_BYTES 25, 7

enum { ROW_WORD, ROW_CLASS, ROW_TYPE, ROW_UNASSIGNED, ROW_BYTES, ROW_DATA };

#define CONTEXT RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, "RFC 8300, 2.5.1"

static const struct rtap_field nsh_fields[] = {
	[ROW_WORD] = { "nsh.contextheader", "Context", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, "RFC 8300, 2.4" },
	[ROW_CLASS] = { "nsh.metadata.class", "Metadata Class", 0, 16, RTAP_HEX, CONTEXT },
	[ROW_TYPE] = { "nsh.metadata.type", "Metadata Type", 0, 8, RTAP_HEX, CONTEXT },
	[ROW_UNASSIGNED] = { "nsh.metadata.unassigned", "Unassigned", 0, 1, RTAP_DEC, CONTEXT },
	[ROW_BYTES] = { "nsh.metadata.length", "Metadata Length", 0, 7, RTAP_DEC, CONTEXT },
	[ROW_DATA] = { "nsh.metadata", "Metadata", 0, 0, RTAP_BYTES, CONTEXT },
	{ "nsh.version", "Version", NSH_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.Obit", "OAM", NSH_OAM, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.CBit", "Unassigned", NSH_CRITICAL, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.ttl", "Time to Live", NSH_TTL, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.length", "Length in Words", NSH_WORDS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.mdtype", "Metadata Form", NSH_TYPE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.nextproto", "Next Protocol", NSH_NEXT, RTAP_DEC, 0, next_protocol_names, NULL, NULL },
	{ "nsh.spi", "Service Path", NSH_PATH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nsh.si", "Service Index", NSH_INDEX, RTAP_DEC, 0, NULL, NULL, NULL },
};

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse), length;
	const uint8_t *header, *context;
	enum result result = parse_layer(parse, PROTOCOL_NSH, NSH_LENGTH, &header);

	if (result != OK)
		return result;
	length = (uint32_t)bits(header, NSH_WORDS) * WORD;
	if (bits(header, NSH_VERSION) || length < NSH_LENGTH) {
		parse_anomaly(parse, bits(header, NSH_VERSION) ? RTAP_ANOMALY_BAD_VERSION : RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	result = parse_more(parse, length - NSH_LENGTH, &context);
	if (result == OK)
		parse->next = next_protocol((uint8_t)bits(header, NSH_NEXT));
	return result;
}

static void visit_number(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number, uint32_t offset)
{
	struct rtap_value value = { .number = number };

	visit_field(visitor, layer, PROTOCOL_NSH, row, &value, layer->offset + offset, row == ROW_CLASS ? 2 : 1);
}

static void visit_bytes(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, const uint8_t *header, uint32_t offset,
			uint32_t length)
{
	struct rtap_value value = { .data = { header + offset, length } };

	if (length)
		visit_field(visitor, layer, PROTOCOL_NSH, row, &value, layer->offset + offset, length);
}

static void visit_variable(const struct rtap_layer *layer, const uint8_t *header, struct rtap_visitor *visitor)
{
	uint32_t offset = NSH_LENGTH, length;

	for (; layer->length >= offset + CONTEXT_LENGTH; offset += CONTEXT_LENGTH + (length + WORD - 1) / WORD * WORD) {
		const uint8_t *context = header + offset;

		length = (uint32_t)bits(context, CONTEXT_BYTES);
		if (length > layer->length - offset - CONTEXT_LENGTH)
			return;
		visit_number(visitor, layer, ROW_CLASS, bits(context, CONTEXT_CLASS), offset);
		visit_number(visitor, layer, ROW_TYPE, bits(context, CONTEXT_TYPE), offset + 2);
		visit_number(visitor, layer, ROW_UNASSIGNED, bits(context, CONTEXT_UNASSIGNED), offset + 3);
		visit_number(visitor, layer, ROW_BYTES, length, offset + 3);
		visit_bytes(visitor, layer, ROW_DATA, header, offset + CONTEXT_LENGTH, length);
	}
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < NSH_LENGTH)
		return;
	if (bits(header, NSH_TYPE) == TYPE_FIXED)
		for (uint32_t offset = NSH_LENGTH; layer->length >= offset + WORD; offset += WORD)
			visit_bytes(visitor, layer, ROW_WORD, header, offset, WORD);
	else if (bits(header, NSH_TYPE) == TYPE_VARIABLE)
		visit_variable(layer, header, visitor);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const struct rtap_layer *next = layer_after(packet, layer);
	char *begin = line->next;

	if (layer->length < NSH_LENGTH)
		return;
	line_text(line, "NSH ");
	line_dec(line, bits(header, NSH_PATH));
	line_char(line, '/');
	line_dec(line, bits(header, NSH_INDEX));
	if (next && next->protocol == PROTOCOL_PAYLOAD) {
		payload_summary_length(packet, next, line);
		return;
	}
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

const struct protocol nsh_protocol = {
	.table = { "nsh", "Network Service Header", "RFC 8300, section 2", 0, FIELDS(nsh_fields) },
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
