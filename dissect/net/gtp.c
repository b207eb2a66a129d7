/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * GPRS tunnelling protocol for user data (GTP-U), which carries IP packets or Ethernet frames: the session decides which. 3GPP TS 29.281, section 5.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/engine/visit.h"
#include "dissect/net/unmarked.h"

#define GTP_LENGTH 8
#define GTP_FLAGS 0, 8
#define GTP_VERSION 0, 3
#define GTP_IS_GTP 3, 1
#define GTP_RESERVED 4, 1
#define GTP_HAS_EXTENSION 5, 1
#define GTP_HAS_SEQUENCE 6, 1
#define GTP_HAS_NUMBER 7, 1
#define GTP_HAS_ANY 5, 3
#define GTP_MESSAGE 8, 8
#define GTP_BYTES 16, 16
#define GTP_TUNNEL 32, 32

#define MESSAGE_DATA 255

/* If any of three flags is set, all three fields are there. 5.1. */
#define WORDS_LENGTH 4
#define NEXT_AT 11

/* A chain: the first byte is the length in words, the last one the type of the next. 5.2.1. */
#define WORD 4
#define MOST_EXTENSIONS 16

enum { ROW_SEQUENCE, ROW_NUMBER, ROW_EXTENSION_WORDS, ROW_EXTENSION_NEXT };

static const struct rtap_name message_names[] = {
	{ 1, "Echo request" }, { 2, "Echo response" }, { 26, "Error indication" }, { 31, "Supported extension headers" }, { 253, "Tunnel status" },
	{ 254, "End marker" }, { MESSAGE_DATA, "Data" }, { 0, NULL },
};

static const struct rtap_name extension_names[] = {
	{ 0x00, "None" }, { 0x20, "Service class" }, { 0x40, "UDP port" }, { 0x81, "RAN container" }, { 0x82, "Long PDCP number" },
	{ 0x83, "Xw RAN container" }, { 0x84, "NR RAN container" }, { 0x85, "PDU session container" }, { 0xc0, "PDCP number" }, { 0, NULL },
};

#define EXTENSION RTAP_UNPLACED | RTAP_REPEATS

static const struct rtap_field gtp_fields[] = {
	[ROW_SEQUENCE] = { "gtp.seq_number", "Sequence Number", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, NULL },
	[ROW_NUMBER] = { "gtp.npdu_number", "N-PDU Number", 0, 8, RTAP_HEX, RTAP_UNPLACED, NULL, NULL, NULL },
	[ROW_EXTENSION_WORDS] = { "gtp.ext_hdr.length", "Extension Header Length in Words", 0, 8, RTAP_DEC, EXTENSION, NULL, NULL, "3GPP TS 29.281, 5.2.1" },
	[ROW_EXTENSION_NEXT] = { "gtp.ext_hdr.next", "Next Extension Header", 0, 8, RTAP_HEX, EXTENSION, extension_names, NULL, "3GPP TS 29.281, 5.2.1" },
	{ "gtp.flags", "Flags", GTP_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "gtp.flags.version", "Version", GTP_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "gtp.flags.payload", "GTP, not GTP'", GTP_IS_GTP, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "gtp.flags.reserved", "Reserved", GTP_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "gtp.flags.e", "Extension Header Present", GTP_HAS_EXTENSION, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "gtp.flags.s", "Sequence Number Present", GTP_HAS_SEQUENCE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "gtp.flags.pn", "N-PDU Number Present", GTP_HAS_NUMBER, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "gtp.message", "Message", GTP_MESSAGE, RTAP_HEX, RTAP_COMPARED, message_names, NULL, NULL },
	{ "gtp.length", "Length", GTP_BYTES, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "gtp.teid", "Tunnel Endpoint", GTP_TUNNEL, RTAP_HEX, 0, NULL, NULL, NULL },
};

static enum result parse_extensions(struct parse *parse)
{
	const uint8_t *bytes;

	for (unsigned i = 0; i < MOST_EXTENSIONS; i++) {
		uint32_t start = parse_offset(parse), length;
		enum result result = parse_more(parse, 1, &bytes);

		if (result != OK)
			return result;
		length = bytes[0] * WORD;
		if (!length) {
			parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
			return MALFORMED;
		}
		result = parse_more(parse, length - 1, &bytes);
		if (result != OK || !bytes[length - 2])
			return result;
	}
	parse_anomaly(parse, RTAP_ANOMALY_TOO_MANY_LAYERS, parse_offset(parse));
	return MALFORMED;
}

/* If the capture ends here, the header that it lacks is most likely that of IPv4. */
static uint16_t after_gtp(const struct cursor *cursor)
{
	return cursor->captured ? unmarked_protocol(cursor) : PROTOCOL_IPV4;
}

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header, *words;
	enum result result = parse_layer(parse, PROTOCOL_GTP, GTP_LENGTH, &header);

	if (result != OK)
		return result;
	if (bits(header, GTP_VERSION) != 1 || !bits(header, GTP_IS_GTP)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start);
		return MALFORMED;
	}
	parse_narrow(parse, (uint32_t)bits(header, GTP_BYTES), start + 2);
	if (bits(header, GTP_HAS_ANY))
		result = parse_more(parse, WORDS_LENGTH, &words);
	if (result == OK && bits(header, GTP_HAS_EXTENSION) && header[NEXT_AT])
		result = parse_extensions(parse);
	if (result == OK && parse->cursor.wire)
		parse->next = bits(header, GTP_MESSAGE) == MESSAGE_DATA ? after_gtp(&parse->cursor) : PROTOCOL_PAYLOAD;
	return result;
}

static void visit_number(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number, uint32_t offset)
{
	struct rtap_value value = { .number = number };

	visit_field(visitor, layer, PROTOCOL_GTP, row, &value, layer->offset + offset, row == ROW_SEQUENCE ? 2 : 1);
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = GTP_LENGTH + WORDS_LENGTH, length;
	uint8_t next;

	if (layer->length < offset || !bits(header, GTP_HAS_ANY))
		return;
	if (bits(header, GTP_HAS_SEQUENCE))
		visit_number(visitor, layer, ROW_SEQUENCE, load16(header + GTP_LENGTH), GTP_LENGTH);
	if (bits(header, GTP_HAS_NUMBER))
		visit_number(visitor, layer, ROW_NUMBER, header[GTP_LENGTH + 2], GTP_LENGTH + 2);
	if (!bits(header, GTP_HAS_EXTENSION))
		return;
	next = header[NEXT_AT];
	visit_number(visitor, layer, ROW_EXTENSION_NEXT, next, NEXT_AT);
	for (; next && offset < layer->length; offset += length) {
		length = header[offset] * WORD;
		if (!length || length > layer->length - offset)
			return;
		next = header[offset + length - 1];
		visit_number(visitor, layer, ROW_EXTENSION_WORDS, length / WORD, offset);
		visit_number(visitor, layer, ROW_EXTENSION_NEXT, next, offset + length - 1);
	}
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const struct rtap_layer *next = layer_after(packet, layer);
	char *begin = line->next;
	const char *name;

	if (layer->length < GTP_LENGTH)
		return;
	line_text(line, "GTP-U teid ");
	line_hex(line, bits(header, GTP_TUNNEL), 8);
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
	if (next && next->protocol != PROTOCOL_PAYLOAD)
		return;
	name = rtap_name_of(message_names, bits(header, GTP_MESSAGE));
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "message ");
		line_dec(line, bits(header, GTP_MESSAGE));
	}
	payload_summary_length(packet, next, line);
}

const struct protocol gtp_protocol = {
	.table = { "gtp", "GPRS Tunnelling Protocol", "3GPP TS 29.281, 5.1", 0, FIELDS(gtp_fields) },
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
