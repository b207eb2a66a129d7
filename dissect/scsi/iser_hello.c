/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iSER Hello and HelloReply: the resources for RDMA READs that each end has. RFC 7145, 9.3 and 9.4.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/scsi/iser.h"

#define IRD 16, 16
#define REJECTED 7, 1

#define HELLO_RESERVED { "iser.hello.reserved", "Reserved", 32, 192, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL }

static const struct rtap_field hello_fields[] = {
	{ "iser.flags", "Flags", 0, 8, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "iser.flags.opcode", "Opcode", 0, 4, RTAP_HEX, RTAP_OPCODE, iser_names, NULL, NULL },
	{ "iser.flags.reserved", "Reserved", 4, 4, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iser.maxver", "Maximum Version", 8, 4, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "iser.minver", "Minimum Version", 12, 4, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "iser.ird", "Incoming READs of the Initiator", IRD, RTAP_HEX, 0, NULL, NULL, NULL },
	HELLO_RESERVED,
};

static const struct rtap_field hello_reply_fields[] = {
	{ "iser.flags", "Flags", 0, 8, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "iser.flags.opcode", "Opcode", 0, 4, RTAP_HEX, RTAP_OPCODE, iser_names, NULL, NULL },
	{ "iser.flags.reserved", "Reserved", 4, 3, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iser.flags.rej", "Rejected", REJECTED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.maxver", "Maximum Version", 8, 4, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "iser.curver", "Current Version", 12, 4, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "iser.ord", "Outgoing READs of the Target", IRD, RTAP_HEX, 0, NULL, NULL, NULL },
	HELLO_RESERVED,
};

static enum result parse_with(struct parse *parse, uint16_t protocol)
{
	const uint8_t *hello;
	enum result result = parse_layer(parse, protocol, ISER_LENGTH, &hello);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static enum result parse_hello(struct parse *parse)
{
	return parse_with(parse, PROTOCOL_ISER_HELLO);
}

static enum result parse_hello_reply(struct parse *parse)
{
	return parse_with(parse, PROTOCOL_ISER_HELLO_REPLY);
}

static void summary_hello(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": iSER Hello");
	if (layer->length < ISER_LENGTH)
		return;
	line_text(line, " IRD ");
	line_dec(line, bits(layer_bytes(packet, layer), IRD));
}

static void summary_hello_reply(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": iSER HelloReply");
	if (layer->length < ISER_LENGTH)
		return;
	line_text(line, bits(layer_bytes(packet, layer), REJECTED) ? " rejected, ORD " : " ORD ");
	line_dec(line, bits(layer_bytes(packet, layer), IRD));
}

const struct protocol iser_hello_protocol = {
	.table = { "iser.hello", "iSER Hello", "RFC 7145, 9.3", ISER_LENGTH, FIELDS(hello_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_hello,
	.summary = summary_hello,
};

const struct protocol iser_hello_reply_protocol = {
	.table = { "iser.hello_reply", "iSER HelloReply", "RFC 7145, 9.4", ISER_LENGTH, FIELDS(hello_reply_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_hello_reply,
	.summary = summary_hello_reply,
};
