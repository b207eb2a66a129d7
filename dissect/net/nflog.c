/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets logged by Linux Netfilter: a header, and attributes of which one is the packet.
 * https://www.tcpdump.org/linktypes/LINKTYPE_NFLOG.html. Lengths and types are in the byte order of the host that captured, numbers in the
 * attributes in network order.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/engine/visit.h"

#define NFLOG_LENGTH 4
#define NFLOG_FAMILY 0, 8
#define NFLOG_VERSION 8, 8
#define NFLOG_RESOURCE 16, 16

/* Linux AF_ values */
#define FAMILY_IPV4 2
#define FAMILY_IPV6 10

#define ATTRIBUTE_LENGTH 4
#define TYPE_MASK 0x7fff
#define TYPE_BOUND 256 /* there are fewer types */

enum { TYPE_HEADER = 1, TYPE_MARK = 2, TYPE_INDEV = 4, TYPE_OUTDEV = 5, TYPE_PHYSICAL_INDEV = 6, TYPE_PHYSICAL_OUTDEV = 7, TYPE_PAYLOAD = 9,
       TYPE_PREFIX = 10, TYPE_UID = 11, TYPE_GID = 14 };

static const struct rtap_name family_names[] = {
	{ 0, "Unspecified" }, { 1, "Inet" }, { FAMILY_IPV4, "IPv4" }, { 3, "ARP" }, { 5, "Netdev" }, { 7, "Bridge" }, { FAMILY_IPV6, "IPv6" },
	{ 0, NULL },
};

static const struct rtap_name type_names[] = {
	{ TYPE_HEADER, "Packet header" }, { TYPE_MARK, "Mark" }, { 3, "Time" }, { TYPE_INDEV, "Input interface" }, { TYPE_OUTDEV, "Output interface" },
	{ TYPE_PHYSICAL_INDEV, "Physical input interface" }, { TYPE_PHYSICAL_OUTDEV, "Physical output interface" }, { 8, "Hardware address" },
	{ TYPE_PAYLOAD, "Payload" }, { TYPE_PREFIX, "Prefix" }, { TYPE_UID, "UID" }, { 12, "Sequence number" }, { 13, "Global sequence number" },
	{ TYPE_GID, "GID" }, { 15, "Hardware type" }, { 16, "Hardware header" }, { 17, "Hardware header length" }, { 0, NULL },
};

/* Linux NF_INET_ values */
static const struct rtap_name hook_names[] = {
	{ 0, "Prerouting" }, { 1, "Local in" }, { 2, "Forward" }, { 3, "Local out" }, { 4, "Postrouting" }, { 0, NULL },
};

enum { ROW_LENGTH, ROW_TYPE, ROW_PROTOCOL, ROW_HOOK, ROW_INDEV, ROW_OUTDEV, ROW_PHYSICAL_INDEV, ROW_PHYSICAL_OUTDEV, ROW_PREFIX, ROW_UID, ROW_GID,
       ROW_VALUE };

#define REPEATS RTAP_UNPLACED | RTAP_REPEATS

static const struct rtap_field nflog_fields[] = {
	[ROW_LENGTH] = { "nflog.tlv_length", "Attribute Length", 0, 16, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_TYPE] = { "nflog.tlv_type", "Attribute Type", 0, 15, RTAP_DEC, REPEATS, type_names, NULL, NULL },
	[ROW_PROTOCOL] = { "nflog.protocol", "Protocol", 0, 16, RTAP_HEX, REPEATS, ethertype_names, NULL, NULL },
	[ROW_HOOK] = { "nflog.hook", "Hook", 0, 8, RTAP_DEC, REPEATS, hook_names, NULL, NULL },
	[ROW_INDEV] = { "nflog.ifindex_indev", "Input Interface", 0, 32, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_OUTDEV] = { "nflog.ifindex_outdev", "Output Interface", 0, 32, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_PHYSICAL_INDEV] = { "nflog.ifindex_physindev", "Physical Input Interface", 0, 32, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_PHYSICAL_OUTDEV] = { "nflog.ifindex_physoutdev", "Physical Output Interface", 0, 32, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_PREFIX] = { "nflog.prefix", "Prefix", 0, 0, RTAP_TEXT, REPEATS, NULL, NULL, NULL },
	[ROW_UID] = { "nflog.uid", "UID", 0, 32, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_GID] = { "nflog.gid", "GID", 0, 32, RTAP_DEC, REPEATS, NULL, NULL, NULL },
	[ROW_VALUE] = { "nflog.tlv_value", "Value", 0, 0, RTAP_BYTES, REPEATS, NULL, NULL, NULL },
	{ "nflog.family", "Family", NFLOG_FAMILY, RTAP_DEC, 0, family_names, NULL, NULL },
	{ "nflog.version", "Version", NFLOG_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "nflog.res_id", "Resource ID", NFLOG_RESOURCE, RTAP_DEC, 0, NULL, NULL, NULL },
};

/* An attribute at `bytes`, of which `left` were captured; false: its header was not captured or its length is wrong. */
struct attribute {
	uint16_t length, type;
	bool is_big;
};

/* No type has a number as great as each has in the other byte order. */
static bool read_attribute(const uint8_t *bytes, uint32_t left, struct attribute *attribute)
{
	if (left < ATTRIBUTE_LENGTH)
		return false;
	attribute->is_big = (little16(bytes + 2) & TYPE_MASK) >= TYPE_BOUND;
	attribute->length = attribute->is_big ? load16(bytes) : little16(bytes);
	attribute->type = (attribute->is_big ? load16(bytes + 2) : little16(bytes + 2)) & TYPE_MASK;
	return attribute->length >= ATTRIBUTE_LENGTH;
}

/* Attributes begin at multiples of four bytes. */
static uint32_t room_of(const struct attribute *attribute)
{
	return (attribute->length + 3u) & ~3u;
}

/* The bytes after the header of an attribute. The last one need not be padded. */
static uint32_t room_within(const struct attribute *attribute, uint32_t left)
{
	uint32_t length = attribute->length - ATTRIBUTE_LENGTH, room = room_of(attribute) - ATTRIBUTE_LENGTH;

	return left < room && left >= length ? left : room;
}

static uint16_t protocol_of(uint8_t family, uint16_t type)
{
	switch (family) {
	case FAMILY_IPV4: return PROTOCOL_IPV4;
	case FAMILY_IPV6: return PROTOCOL_IPV6;
	default: return ethertype_protocol(type);
	}
}

/* Takes the attributes up to the packet, to which it narrows the cursor. Those after it are not read: Linux has none there. */
static enum result parse_attributes(struct parse *parse, uint8_t family)
{
	uint16_t type = 0;

	while (parse->cursor.wire) {
		uint32_t start = parse_offset(parse);
		struct attribute attribute = { 0 };
		const uint8_t *bytes;
		enum result result = parse_more(parse, ATTRIBUTE_LENGTH, &bytes);

		if (result != OK)
			return result;
		if (!read_attribute(bytes, ATTRIBUTE_LENGTH, &attribute)) {
			parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
			return MALFORMED;
		}
		if (attribute.type == TYPE_PAYLOAD) {
			parse_narrow(parse, attribute.length - ATTRIBUTE_LENGTH, start);
			parse->next = protocol_of(family, type);
			return OK;
		}
		result = parse_more(parse, room_within(&attribute, parse->cursor.wire), &bytes);
		if (result != OK)
			return result;
		if (attribute.type == TYPE_HEADER && attribute.length >= ATTRIBUTE_LENGTH + 2)
			type = load16(bytes);
	}
	return OK;
}

static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_NFLOG, NFLOG_LENGTH, &header);

	if (result != OK)
		return result;
	if (bits(header, NFLOG_VERSION)) {
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start + 1);
		return MALFORMED;
	}
	return parse_attributes(parse, (uint8_t)bits(header, NFLOG_FAMILY));
}

static void visit_number(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, uint64_t number, uint32_t offset, uint32_t length)
{
	struct rtap_value value = { .number = number };

	visit_field(visitor, layer, PROTOCOL_NFLOG, row, &value, layer->offset + offset, length);
}

static void visit_bytes(struct rtap_visitor *visitor, const struct rtap_layer *layer, size_t row, const uint8_t *bytes, uint32_t offset, uint32_t length)
{
	struct rtap_value value = { .data = { bytes, length } };

	visit_field(visitor, layer, PROTOCOL_NFLOG, row, &value, layer->offset + offset, length);
}

/* Attributes whose value is a number of 32 bits; 0: another one. */
static size_t row_of_number(uint16_t type)
{
	switch (type) {
	case TYPE_INDEV: return ROW_INDEV;
	case TYPE_OUTDEV: return ROW_OUTDEV;
	case TYPE_PHYSICAL_INDEV: return ROW_PHYSICAL_INDEV;
	case TYPE_PHYSICAL_OUTDEV: return ROW_PHYSICAL_OUTDEV;
	case TYPE_UID: return ROW_UID;
	case TYPE_GID: return ROW_GID;
	default: return 0;
	}
}

static void visit_content(struct rtap_visitor *visitor, const struct rtap_layer *layer, const struct attribute *attribute, const uint8_t *bytes,
			  uint32_t offset)
{
	uint32_t length = attribute->length - ATTRIBUTE_LENGTH;
	size_t row = row_of_number(attribute->type);

	if (attribute->type == TYPE_HEADER && length >= 3) {
		visit_number(visitor, layer, ROW_PROTOCOL, load16(bytes), offset, 2);
		visit_number(visitor, layer, ROW_HOOK, bytes[2], offset + 2, 1);
	} else if (attribute->type == TYPE_PREFIX) {
		visit_bytes(visitor, layer, ROW_PREFIX, bytes, offset, (uint32_t)strnlen((const char *)bytes, length));
	} else if (row && length == 4) {
		visit_number(visitor, layer, row, load32(bytes), offset, 4);
	} else if (length) {
		visit_bytes(visitor, layer, ROW_VALUE, bytes, offset, length);
	}
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	struct attribute attribute;

	for (uint32_t offset = NFLOG_LENGTH; offset < layer->length && read_attribute(header + offset, layer->length - offset, &attribute);
	     offset += room_of(&attribute)) {
		visit_number(visitor, layer, ROW_LENGTH, attribute.length, offset, 2);
		visit_number(visitor, layer, ROW_TYPE, attribute.type, offset + 2, 2);
		if (attribute.type != TYPE_PAYLOAD && attribute.length <= layer->length - offset)
			visit_content(visitor, layer, &attribute, header + offset + ATTRIBUTE_LENGTH, offset + ATTRIBUTE_LENGTH);
	}
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);

	if (layer->length < NFLOG_LENGTH || (next && next->protocol != PROTOCOL_PAYLOAD))
		return;
	line_text(line, "NFLOG family ");
	line_dec(line, bits(layer_bytes(packet, layer), NFLOG_FAMILY));
	payload_summary_length(packet, next, line);
}

const struct protocol nflog_protocol = {
	.table = { "nflog", "Linux Netfilter Log", "tcpdump.org, LINKTYPE_NFLOG", 0, FIELDS(nflog_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
