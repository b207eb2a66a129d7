/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * UDP. RFC 768. RoCEv2 is known by destination port 4791 alone (IBTA annex A17): the source port is flow entropy.
 * So it is with VXLAN (RFC 7348, section 5), VXLAN-GPE (port 4790 of IANA's registry), GENEVE (RFC 8926, 3.3), MPLS (RFC 7510, section 3), GTP-U
 * (3GPP TS 29.281, 4.4.2.3) and LISP (RFC 9300, 5.3).
 */
#include "config.h"

#include "dissect/engine/ends.h"
#include "dissect/engine/parse.h"
#include "dissect/infiniband/upper.h"
#include "dissect/net/udp.h"
#include "dissect/rpc/rpc.h"

#define UDP_LENGTH 8
#define UDP_SRC 0, 16
#define UDP_DST 16, 16
#define UDP_LEN 32, 16
#define UDP_CHECKSUM 48, 16

#define PORT_GTP 2152
#define PORT_LISP 4341
#define PORT_VXLAN 4789
#define PORT_VXLAN_GPE 4790
#define PORT_ROCE_V2 4791
#define PORT_GENEVE 6081
#define PORT_MPLS 6635

static const struct rtap_field udp_fields[] = {
	{ "udp.srcport", "Source Port", UDP_SRC, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "udp.dstport", "Destination Port", UDP_DST, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "udp.length", "Length", UDP_LEN, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "udp.checksum", "Checksum", UDP_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
};

static bool is_declared_roce(const struct rtap_context *context, uint16_t port)
{
	for (size_t i = 0; i < context->decode_as_count; i++)
		if (context->decode_as[i].by == RTAP_DECODE_UDP_PORT && context->decode_as[i].number == port)
			return true;
	return false;
}

/* ONC RPC replies cannot be recognised by content, but by a port or by their call. */
static bool is_rpc(const struct parse *parse)
{
	bool trusted = rpc_port(parse->packet->source_port) || rpc_port(parse->packet->destination_port) || parse->context->rpc_known;

	return (trusted || !parse->context->no_heuristics) && rpc_recognise(&parse->cursor, trusted);
}

uint16_t upper_of_datagram(const struct parse *parse)
{
	return is_rpc(parse) ? PROTOCOL_RPC : PROTOCOL_PAYLOAD;
}

/* The version of GTP-U. A port of a client may have the number by chance. */
static bool is_gtp(const struct cursor *cursor)
{
	return cursor->captured ? cursor->next[0] >> 4 == 3 : cursor->wire;
}

/* Payload of another port than those of RoCE and VXLAN. */
static __attribute__((noinline)) enum result begin_other(struct parse *parse)
{
	switch (parse->packet->destination_port) {
	case PORT_VXLAN_GPE: parse->next = PROTOCOL_VXLAN_GPE; break;
	case PORT_LISP: parse->next = PROTOCOL_LISP; break;
	case PORT_GENEVE: parse->next = PROTOCOL_GENEVE; break;
	case PORT_MPLS: parse->next = PROTOCOL_MPLS; break;
	default: parse->next = upper_of_datagram(parse); break;
	}
	if (parse->packet->destination_port == PORT_GTP && is_gtp(&parse->cursor))
		parse->next = PROTOCOL_GTP;
	return OK;
}

/* The cursor is after the header and narrowed to the payload. */
static inline enum result after_udp(struct parse *parse, const uint8_t *header)
{
	struct rtap_packet *packet = parse->packet;

	if (unlikely(parse->quoted)) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	packet->source_port = (uint16_t)bits(header, UDP_SRC);
	packet->destination_port = (uint16_t)bits(header, UDP_DST);
	parse_note_payload(parse);
	if (packet->destination_port == PORT_ROCE_V2 || is_declared_roce(parse->context, packet->destination_port))
		parse->next = PROTOCOL_BTH;
	else if (packet->destination_port == PORT_VXLAN)
		parse->next = PROTOCOL_VXLAN;
	else
		return begin_other(parse);
	return OK;
}

/* A length other than the number of bytes at the cursor. */
static __attribute__((noinline)) enum result parse_unequal(struct parse *parse, const uint8_t *header, uint32_t start)
{
	uint32_t length = (uint32_t)bits(header, UDP_LEN);

	if (length && length < UDP_LENGTH) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	/* 0 means the rest of the IP payload: RFC 2675, section 4; segmentation offload also leaves 0 */
	parse_narrow(parse, length ? length - UDP_LENGTH : parse->cursor.wire, start);
	return after_udp(parse, header);
}

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_UDP, UDP_LENGTH, &header);

	if (result != OK)
		return result;
	if (unlikely(bits(header, UDP_LEN) != parse->cursor.wire + UDP_LENGTH))
		return parse_unequal(parse, header, start);
	parse->narrowed = true;
	return after_udp(parse, header);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const struct rtap_layer *next = layer_after(packet, layer);

	if (layer->length < UDP_LENGTH || (next && next->protocol != PROTOCOL_PAYLOAD && next->protocol != PROTOCOL_RPC))
		return;
	line_text(line, "UDP");
	if (!ends_show_ports(packet)) {
		line_char(line, ' ');
		line_dec(line, bits(header, UDP_SRC));
		line_text(line, " > ");
		line_dec(line, bits(header, UDP_DST));
	}
	line_text(line, " len ");
	line_dec(line, bits(header, UDP_LEN));
}

const struct protocol udp_protocol = {
	.table = { "udp", "User Datagram Protocol", "RFC 768", UDP_LENGTH, FIELDS(udp_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.summary = summary,
};
