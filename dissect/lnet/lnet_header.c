/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LNet's own header: who, which type, and a part that depends on the type. Little-endian. Lustre, lnet-idl.h.
 */
#include "config.h"

#include <string.h>

#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"
#include "dissect/lnet/lnet.h"
#include "dissect/lnet/lnet_names.h"

#define PART_LENGTH 40

#define ROW(name, label, at, width, show, flags) { "lnet.hdr." name, label, at, width, RTAP_##show, RTAP_LITTLE | (flags), NULL, NULL, NULL }

static const struct rtap_field fields[] = {
	ROW("dest_nid", "Destination NID", 0, 64, HEX, RTAP_IGNORED),
	ROW("src_nid", "Source NID", 64, 64, HEX, RTAP_IGNORED),
	ROW("dest_pid", "Destination PID", 128, 32, DEC, 0),
	ROW("src_pid", "Source PID", 160, 32, DEC, 0),
	{ "lnet.hdr.type", "Message Type", LNET_HEADER_TYPE, RTAP_DEC, RTAP_LITTLE | RTAP_OPCODE, lnet_header_type_names, NULL, NULL },
	ROW("payload_length", "Payload Length", 224, 32, DEC, 0),
	LNET_NID_ROWS("lnet.hdr.src", "lnet.hdr.dest"),
};

#define SOURCE_ROW 6

static void visit_nid(const struct rtap_layer *layer, size_t row, uint64_t nid, uint32_t at, struct rtap_visitor *visitor)
{
	char text[LNET_NID_TEXT];

	lnet_nid_text(nid, text);
	visit_field(visitor, layer, layer->protocol, row, &(struct rtap_value){ .data = { (const uint8_t *)text, (uint32_t)strlen(text) } },
		    layer->offset + at, 8);
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < LNET_COMMON_LENGTH)
		return;
	visit_nid(layer, SOURCE_ROW, little_bits(header, LNET_HEADER_SOURCE), 8, visitor);
	visit_nid(layer, SOURCE_ROW + 1, little_bits(header, LNET_HEADER_DESTINATION), 0, visitor);
}

static enum result parse_header(struct parse *parse)
{
	static const uint16_t parts[] = {
		[LNET_ACK] = PROTOCOL_LNET_ACK, [LNET_PUT] = PROTOCOL_LNET_PUT, [LNET_GET] = PROTOCOL_LNET_GET, [LNET_REPLY] = PROTOCOL_LNET_REPLY,
		[LNET_HELLO] = PROTOCOL_LNET_HELLO,
	};
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_LNET_HEADER, LNET_COMMON_LENGTH, &header);
	uint64_t type;

	if (result != OK)
		return result;
	type = little_bits(header, LNET_HEADER_TYPE);
	parse->next = type < sizeof parts / sizeof *parts ? parts[type] : PROTOCOL_LNET_OTHER;
	return OK;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	char text[LNET_NID_TEXT];
	const char *name;

	if (layer->length < LNET_COMMON_LENGTH)
		return;
	name = lnet_header_type_name((uint32_t)little_bits(header, LNET_HEADER_TYPE));
	line_char(line, ' ');
	line_text(line, name ? name : "unknown type");
	line_char(line, ' ');
	lnet_nid_text(little_bits(header, LNET_HEADER_SOURCE), text);
	line_text(line, text);
	line_text(line, " > ");
	lnet_nid_text(little_bits(header, LNET_HEADER_DESTINATION), text);
	line_text(line, text);
	/* that of a GET is in its reply */
	if (!little_bits(header, LNET_HEADER_PAYLOAD))
		return;
	line_char(line, ' ');
	line_count(line, little_bits(header, LNET_HEADER_PAYLOAD), "byte", "bytes");
}

const struct protocol lnet_header_protocol = {
	.table = { "lnet.hdr", "LNet Header", "Lustre, lnet-idl.h", LNET_COMMON_LENGTH, FIELDS(fields) },
	.scope = SCOPE_CALL, .parse = parse_header, .visit = visit, .summary = summary,
};

/* The part after LNet's header: a cookie, or the payload of an immediate message. */
static uint16_t after_header(const struct parse *parse)
{
	for (uint8_t i = parse->packet->layer_count; i-- > 0;) {
		const struct rtap_layer *layer = &parse->packet->layers[i];

		if (layer->protocol == PROTOCOL_LNET || layer->protocol == PROTOCOL_LNET_BE)
			return layer_bytes(parse->packet, layer)[LNET_TYPE_AT] == LNET_IMMEDIATE ? PROTOCOL_PAYLOAD : PROTOCOL_LNET_COOKIE;
	}
	return PROTOCOL_PAYLOAD;
}

static enum result parse_part(struct parse *parse, uint16_t protocol)
{
	const uint8_t *part;
	enum result result = parse_layer(parse, protocol, PART_LENGTH, &part);

	if (result == OK && parse->cursor.wire)
		parse->next = after_header(parse);
	return result;
}

/* A handle is its owner's: whoever answers returns the same bytes. */
#define HANDLE(name, label) { "lnet.hdr." name, label, 0, 128, RTAP_BYTES, RTAP_IGNORED, NULL, NULL, NULL }
#define UNUSED(at, width) { "lnet.hdr.unused", "Unused", at, width, RTAP_BYTES, RTAP_IGNORED, NULL, NULL, NULL }
#define MATCH { "lnet.hdr.match_bits", "Match Bits", 128, 64, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL }

static const struct rtap_field ack_fields[] = {
	HANDLE("dst_wmd", "Memory Descriptor"), MATCH, ROW("mlength", "Length Taken", 192, 32, DEC, 0), UNUSED(224, 96),
};
static const struct rtap_field put_fields[] = {
	HANDLE("ack_wmd", "Memory Descriptor for the ACK"), MATCH, ROW("hdr_data", "Header Data", 192, 64, HEX, RTAP_IGNORED),
	ROW("ptl_index", "Portal", 256, 32, DEC, 0), ROW("offset", "Offset", 288, 32, DEC, 0),
};
static const struct rtap_field get_fields[] = {
	HANDLE("return_wmd", "Memory Descriptor for the REPLY"), MATCH, ROW("ptl_index", "Portal", 192, 32, DEC, 0),
	ROW("src_offset", "Offset", 224, 32, DEC, 0), ROW("sink_length", "Length", 256, 32, DEC, 0), UNUSED(288, 32),
};
static const struct rtap_field reply_fields[] = { HANDLE("dst_wmd", "Memory Descriptor"), UNUSED(128, 192) };
static const struct rtap_field hello_fields[] = {
	ROW("incarnation", "Incarnation", 0, 64, HEX, RTAP_IGNORED), ROW("hello_type", "Connection Type", 64, 32, DEC, 0), UNUSED(96, 224),
};
static const struct rtap_field other_fields[] = { UNUSED(0, 320) };

#define PART(name, identifier, filter, label) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return parse_part(parse, PROTOCOL_LNET_##identifier); \
	} \
	const struct protocol lnet_##name##_protocol = { \
		.table = { filter, label, "Lustre, lnet-idl.h", PART_LENGTH, FIELDS(name##_fields) }, .scope = SCOPE_CALL, .parse = parse_##name, \
	};

PART(ack, ACK, "lnet.ack", "LNet ACK")
PART(put, PUT, "lnet.put", "LNet PUT")
PART(get, GET, "lnet.get", "LNet GET")
PART(reply, REPLY, "lnet.reply", "LNet REPLY")
PART(hello, HELLO, "lnet.hello", "LNet HELLO")
PART(other, OTHER, "lnet.other", "LNet Message of Unknown Type")
