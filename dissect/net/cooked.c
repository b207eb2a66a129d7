/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pseudo link-layer headers of Linux in captures from any interface ("cooked"), versions 1 and 2.
 * https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html and LINKTYPE_LINUX_SLL2.html
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

#define SLL_LENGTH 16
#define SLL_PACKET_TYPE 0, 16
#define SLL_HARDWARE 16, 16
#define SLL_ADDRESS_LENGTH 32, 16
#define SLL_ADDRESS 48, 64
#define SLL_PROTOCOL 112, 16

#define SLL2_LENGTH 20
#define SLL2_PROTOCOL 0, 16
#define SLL2_RESERVED 16, 16
#define SLL2_INTERFACE 32, 32
#define SLL2_HARDWARE 64, 16
#define SLL2_PACKET_TYPE 80, 8
#define SLL2_ADDRESS_LENGTH 88, 8
#define SLL2_ADDRESS 96, 64

#define ADDRESS_ROOM 8

/* Linux ARPHRD_ values whose protocol field is no Ethertype, or a GRE one. */
#define HARDWARE_IPGRE 778
#define HARDWARE_NETLINK 824

static const struct rtap_name packet_type_names[] = {
	{ 0, "to us" }, { 1, "broadcast" }, { 2, "multicast" }, { 3, "to another host" }, { 4, "sent by us" }, { 0, NULL },
};

/* Linux ARPHRD_ values */
static const struct rtap_name hardware_names[] = {
	{ 1, "Ethernet" }, { 32, "InfiniBand" }, { 512, "PPP" }, { 768, "IP tunnel" }, { 769, "IPv6 tunnel" }, { 772, "Loopback" },
	{ 776, "IPv6 in IPv4" }, { HARDWARE_IPGRE, "GRE" }, { HARDWARE_NETLINK, "Netlink" }, { 65534, "None" }, { 0, NULL },
};

#define LINUX_TYPE_LLC 0x0004

/* Protocols below the least Ethertype. Linux ETH_P_ values. */
static const struct rtap_name linux_type_names[] = {
	{ 0x0001, "802.3 without LLC" }, { LINUX_TYPE_LLC, "802.2 LLC" }, { 0x000c, "CAN" }, { 0, NULL },
};

/* Where the two versions differ; all zero for a header that was cut. */
struct place {
	const uint8_t *address;
	uint32_t address_length;
	uint16_t hardware, protocol;
};

static struct place find_place(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < (layer->protocol == PROTOCOL_COOKED ? SLL_LENGTH : SLL2_LENGTH))
		return (struct place){ 0 };
	if (layer->protocol == PROTOCOL_COOKED)
		return (struct place){ header + 6, (uint32_t)bits(header, SLL_ADDRESS_LENGTH), (uint16_t)bits(header, SLL_HARDWARE),
				       (uint16_t)bits(header, SLL_PROTOCOL) };
	return (struct place){ header + 12, (uint32_t)bits(header, SLL2_ADDRESS_LENGTH), (uint16_t)bits(header, SLL2_HARDWARE),
			       (uint16_t)bits(header, SLL2_PROTOCOL) };
}

/* The first `length` bytes of the address if the address is so long. */
static bool derive_address(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t length)
{
	struct place place = find_place(packet, layer);

	value->data = (struct rtap_span){ place.address, length };
	return place.address && place.address_length == length;
}

static bool derive_mac(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_address(packet, layer, value, 6);
}

static bool derive_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_address(packet, layer, value, 4);
}

static bool derive_other(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct place place = find_place(packet, layer);
	uint32_t length = place.address_length < ADDRESS_ROOM ? place.address_length : ADDRESS_ROOM;

	value->data = (struct rtap_span){ place.address, length };
	return length && length != 4 && length != 6;
}

static bool derive_unused(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct place place = find_place(packet, layer);

	if (!place.address || place.address_length >= ADDRESS_ROOM)
		return false;
	value->data = (struct rtap_span){ place.address + place.address_length, ADDRESS_ROOM - place.address_length };
	return true;
}

static bool derive_ethertype(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct place place = find_place(packet, layer);

	value->number = place.protocol;
	return place.hardware != HARDWARE_IPGRE && place.hardware != HARDWARE_NETLINK && place.protocol >= ETHERTYPE_LEAST;
}

static bool derive_linux_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct place place = find_place(packet, layer);

	value->number = place.protocol;
	return place.address && place.hardware != HARDWARE_IPGRE && (place.hardware == HARDWARE_NETLINK || place.protocol < ETHERTYPE_LEAST);
}

static bool derive_gre_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	struct place place = find_place(packet, layer);

	value->number = place.protocol;
	return place.hardware == HARDWARE_IPGRE;
}

#define ADDRESS_FIELDS(place) \
	{ "sll.src.eth", "Source", place, RTAP_ETHER, RTAP_SOMETIMES, NULL, derive_mac, NULL }, \
	{ "sll.src.ipv4", "Source", place, RTAP_IPV4, RTAP_SOMETIMES, NULL, derive_ipv4, NULL }, \
	{ "sll.src.other", "Source", place, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_other, NULL }, \
	{ "sll.unused", "Unused", place, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_unused, NULL }

#define PROTOCOL_FIELDS(place) \
	{ "sll.etype", "Protocol", place, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_ethertype, NULL }, \
	{ "sll.ltype", "Protocol", place, RTAP_HEX, RTAP_SOMETIMES, linux_type_names, derive_linux_type, NULL }, \
	{ "sll.gretype", "Protocol", place, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_gre_type, NULL }

static const struct rtap_field cooked_fields[] = {
	{ "sll.pkttype", "Packet Type", SLL_PACKET_TYPE, RTAP_DEC, 0, packet_type_names, NULL, NULL },
	{ "sll.hatype", "Hardware Type", SLL_HARDWARE, RTAP_DEC, 0, hardware_names, NULL, NULL },
	{ "sll.halen", "Address Length", SLL_ADDRESS_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	ADDRESS_FIELDS(SLL_ADDRESS),
	PROTOCOL_FIELDS(SLL_PROTOCOL),
};

static const struct rtap_field cooked2_fields[] = {
	PROTOCOL_FIELDS(SLL2_PROTOCOL),
	{ "sll.reserved", "Reserved", SLL2_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "sll.ifindex", "Interface", SLL2_INTERFACE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "sll.hatype", "Hardware Type", SLL2_HARDWARE, RTAP_DEC, 0, hardware_names, NULL, NULL },
	{ "sll.pkttype", "Packet Type", SLL2_PACKET_TYPE, RTAP_DEC, 0, packet_type_names, NULL, NULL },
	{ "sll.halen", "Address Length", SLL2_ADDRESS_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	ADDRESS_FIELDS(SLL2_ADDRESS),
};

static enum result parse_header(struct parse *parse, uint16_t protocol, uint32_t length)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, length, &header);
	struct place place;

	if (result != OK)
		return result;
	place = find_place(parse->packet, &parse->packet->layers[parse->packet->layer_count - 1]);
	/* small numbers are Linux's own, never a length */
	if (place.hardware == HARDWARE_NETLINK || place.protocol < ETHERTYPE_LEAST)
		parse->next = place.hardware != HARDWARE_NETLINK && place.protocol == LINUX_TYPE_LLC ? PROTOCOL_LLC : PROTOCOL_PAYLOAD;
	else
		parse->next = ethertype_protocol(place.protocol);
	return OK;
}

static enum result parse_cooked(struct parse *parse)
{
	return parse_header(parse, PROTOCOL_COOKED, SLL_LENGTH);
}

static enum result parse_cooked2(struct parse *parse)
{
	return parse_header(parse, PROTOCOL_COOKED2, SLL2_LENGTH);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	struct place place = find_place(packet, layer);

	if (!place.address || (next && next->protocol != PROTOCOL_PAYLOAD && next->protocol != PROTOCOL_LLC))
		return;
	line_hex_bytes(line, place.address, place.address_length < ADDRESS_ROOM ? place.address_length : ADDRESS_ROOM, ':');
	if (place.address_length)
		line_char(line, ' ');
	if (next && next->protocol == PROTOCOL_LLC)
		return;
	if (place.hardware != HARDWARE_NETLINK && place.protocol >= ETHERTYPE_LEAST) {
		ethertype_summary(packet, layer, place.protocol, line);
		return;
	}
	line_text(line, "protocol ");
	line_hex(line, place.protocol, 4);
	payload_summary_length(packet, next, line);
}

const struct protocol cooked_protocol = {
	.table = { "sll", "Linux Cooked Capture", "tcpdump.org, LINKTYPE_LINUX_SLL", SLL_LENGTH, FIELDS(cooked_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_cooked,
	.summary = summary,
};

const struct protocol cooked2_protocol = {
	.table = { "sll.v2", "Linux Cooked Capture v2", "tcpdump.org, LINKTYPE_LINUX_SLL2", SLL2_LENGTH, FIELDS(cooked2_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_cooked2,
	.summary = summary,
};
