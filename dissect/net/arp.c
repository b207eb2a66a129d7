/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address resolution. RFC 826; the header gives the lengths of the addresses. InfiniBand hardware addresses have
 * 20 bytes: flags, queue pair, GID (RFC 4391, 9.1.1).
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

#define ARP_LENGTH 8
#define ARP_HW_TYPE 0, 16
#define ARP_PROTO_TYPE 16, 16
#define ARP_HW_SIZE 32, 8
#define ARP_PROTO_SIZE 40, 8
#define ARP_OPCODE 48, 16

#define HW_ETHERNET 1
#define HW_IEEE_802 6
#define HW_INFINIBAND 32
#define PROTO_IPV4 0x0800

/* IANA, address resolution protocol parameters */
static const struct rtap_name hw_names[] = {
	{ HW_ETHERNET, "Ethernet" }, { HW_IEEE_802, "IEEE 802" }, { 18, "Fibre Channel" }, { 24, "IEEE 1394.1995" },
	{ HW_INFINIBAND, "InfiniBand" }, { 0, NULL },
};

#define REQUEST 1
#define REPLY 2

static const struct rtap_name opcode_names[] = {
	{ REQUEST, "request" }, { REPLY, "reply" }, { 3, "reverse request" }, { 4, "reverse reply" },
	{ 8, "inverse request" }, { 9, "inverse reply" }, { 10, "nak" }, { 0, NULL },
};

enum { ROW_SENDER, ROW_TARGET = 4 };
enum { HW, HW_MAC, PROTO, PROTO_IP };

#define ADDRESS_FIELDS(row, prefix, label) \
	[row + HW] = { prefix ".hw", label " Hardware Address", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, NULL, NULL }, \
	[row + HW_MAC] = { prefix ".hw_mac", label " MAC Address", 0, 48, RTAP_ETHER, RTAP_UNPLACED, NULL, NULL, NULL }, \
	[row + PROTO] = { prefix ".proto", label " Protocol Address", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, NULL, NULL }, \
	[row + PROTO_IP] = { prefix ".proto_ipv4", label " IP Address", 0, 32, RTAP_IPV4, RTAP_UNPLACED, NULL, NULL, NULL }

static const struct rtap_field arp_fields[] = {
	ADDRESS_FIELDS(ROW_SENDER, "arp.src", "Sender"),
	ADDRESS_FIELDS(ROW_TARGET, "arp.dst", "Target"),
	{ "arp.hw.type", "Hardware Type", ARP_HW_TYPE, RTAP_DEC, 0, hw_names, NULL, NULL },
	{ "arp.proto.type", "Protocol Type", ARP_PROTO_TYPE, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "arp.hw.size", "Hardware Address Length", ARP_HW_SIZE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "arp.proto.size", "Protocol Address Length", ARP_PROTO_SIZE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "arp.opcode", "Opcode", ARP_OPCODE, RTAP_DEC, 0, opcode_names, NULL, NULL },
};

static uint32_t addresses_length(const uint8_t *header)
{
	return 2 * (uint32_t)(bits(header, ARP_HW_SIZE) + bits(header, ARP_PROTO_SIZE));
}

static enum result parse(struct parse *parse)
{
	const uint8_t *header, *addresses;
	enum result result = parse_layer(parse, PROTOCOL_ARP, ARP_LENGTH, &header);

	if (result == OK)
		result = parse_more(parse, addresses_length(header), &addresses);
	if (result == OK)
		parse_narrow(parse, 0, parse_offset(parse));
	return result;
}

static bool has_mac(const uint8_t *header)
{
	uint64_t type = bits(header, ARP_HW_TYPE);

	return (type == HW_ETHERNET || type == HW_IEEE_802) && bits(header, ARP_HW_SIZE) == 6;
}

static bool has_ipv4(const uint8_t *header)
{
	return bits(header, ARP_PROTO_TYPE) == PROTO_IPV4 && bits(header, ARP_PROTO_SIZE) == 4;
}

static bool is_whole(const struct rtap_layer *layer, const uint8_t *header)
{
	return layer->length >= ARP_LENGTH && layer->length == ARP_LENGTH + addresses_length(header);
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = ARP_LENGTH;

	if (!is_whole(layer, header))
		return;
	for (unsigned row = ROW_SENDER; row <= ROW_TARGET; row += ROW_TARGET) {
		struct rtap_value value = { .data = { header + offset, (uint32_t)bits(header, ARP_HW_SIZE) } };

		if (value.data.length)
			visit_field(visitor, layer, PROTOCOL_ARP, row + (has_mac(header) ? HW_MAC : HW), &value,
				    layer->offset + offset, value.data.length);
		offset += value.data.length;
		value.data = (struct rtap_span){ header + offset, (uint32_t)bits(header, ARP_PROTO_SIZE) };
		if (value.data.length)
			visit_field(visitor, layer, PROTOCOL_ARP, row + (has_ipv4(header) ? PROTO_IP : PROTO), &value,
				    layer->offset + offset, value.data.length);
		offset += value.data.length;
	}
}

/* "10.0.0.1", or the bytes of an address of another protocol */
static void summary_proto(const uint8_t *header, const uint8_t *address, struct line *line)
{
	if (has_ipv4(header))
		line_ipv4(line, address);
	else
		line_hex_bytes(line, address, bits(header, ARP_PROTO_SIZE), 0);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const uint8_t *sender, *target;
	const char *name;

	if (!is_whole(layer, header)) {
		line_text(line, "ARP");
		return;
	}
	sender = header + ARP_LENGTH + bits(header, ARP_HW_SIZE);
	target = sender + bits(header, ARP_PROTO_SIZE) + bits(header, ARP_HW_SIZE);
	name = rtap_name_of(opcode_names, bits(header, ARP_OPCODE));
	line_text(line, "ARP ");
	switch (bits(header, ARP_OPCODE)) {
	case REQUEST:
		line_text(line, "who-has ");
		summary_proto(header, target, line);
		line_text(line, " tell ");
		summary_proto(header, sender, line);
		break;
	case REPLY:
		summary_proto(header, sender, line);
		line_text(line, " is-at ");
		line_hex_bytes(line, header + ARP_LENGTH, bits(header, ARP_HW_SIZE), ':');
		break;
	default:
		line_text(line, name ? name : "opcode ");
		if (!name)
			line_dec(line, bits(header, ARP_OPCODE));
	}
}

const struct protocol arp_protocol = {
	.table = { "arp", "Address Resolution Protocol", "RFC 826", 0, FIELDS(arp_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
