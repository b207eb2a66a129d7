/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Logical link control, in frames with a length in place of an Ethertype (IEEE 802.2, 5.2 and 5.4), and the subnetwork access protocol, which
 * adds an Ethertype again (IEEE 802, 9.3; IP in it: RFC 1042).
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"

#define LLC_LEAST 3
#define LLC_LONG 4
#define LLC_DSAP 0, 8
#define LLC_DESTINATION 0, 7
#define LLC_IS_GROUP 7, 1
#define LLC_SSAP 8, 8
#define LLC_SOURCE 8, 7
#define LLC_IS_RESPONSE 15, 1
#define LLC_CONTROL 16, 8
#define LLC_FORMAT 22, 2

#define FORMAT_UNNUMBERED 3
#define CONTROL_DATA 3 /* unnumbered information, not polled */

#define SAP_IPV4 0x06
#define SAP_SNAP 0xaa

#define SNAP_LENGTH 5
#define SNAP_ORGANIZATION 0, 24
#define SNAP_TYPE 24, 16
#define ORGANIZATION_NONE 0
#define ORGANIZATION_TUNNEL 0x0000f8 /* IEEE 802.1H, bridge tunnel: Ethertypes too */

static const struct rtap_name sap_names[] = {
	{ 0x00, "Null" }, { 0x02, "LLC management" }, { SAP_IPV4, "IPv4" }, { 0x42, "Spanning tree" }, { SAP_SNAP, "SNAP" }, { 0xe0, "IPX" },
	{ 0xf0, "NetBIOS" }, { 0xfe, "ISO" }, { 0xff, "Global" }, { 0, NULL },
};

static bool is_unnumbered(const uint8_t *header)
{
	return bits(header, LLC_FORMAT) == FORMAT_UNNUMBERED;
}

/* One byte, or two with sequence numbers, the less significant first. */
static bool derive_control(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < LLC_LEAST)
		return false;
	value->number = layer->length < LLC_LONG ? header[2] : little16(header + 2);
	return true;
}

/* The type of the frame's format: one bit of an information frame, two of others. */
static bool derive_format(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	uint64_t format = bits(layer_bytes(packet, layer), LLC_FORMAT);

	value->number = format & 1 ? format : 0;
	return true;
}

static const struct rtap_name format_names[] = { { 0, "Information" }, { 1, "Supervisory" }, { FORMAT_UNNUMBERED, "Unnumbered" }, { 0, NULL } };

static const struct rtap_field llc_fields[] = {
	{ "llc.dsap", "Destination Service Access Point", LLC_DSAP, RTAP_HEX, RTAP_PARTS, sap_names, NULL, NULL },
	{ "llc.dsap.sap", "Access Point", LLC_DESTINATION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "llc.dsap.ig", "Group", LLC_IS_GROUP, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "llc.ssap", "Source Service Access Point", LLC_SSAP, RTAP_HEX, RTAP_PARTS, sap_names, NULL, NULL },
	{ "llc.ssap.sap", "Access Point", LLC_SOURCE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "llc.ssap.cr", "Response", LLC_IS_RESPONSE, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "llc.control", "Control", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_IGNORED, NULL, derive_control, NULL },
	{ "llc.control.ftype", "Format", LLC_FORMAT, RTAP_HEX, 0, format_names, derive_format, NULL },
};

static enum result parse_llc(struct parse *parse)
{
	const uint8_t *header, *more;
	enum result result = parse_layer(parse, PROTOCOL_LLC, LLC_LEAST, &header);

	if (result == OK && !is_unnumbered(header))
		result = parse_more(parse, LLC_LONG - LLC_LEAST, &more);
	if (result != OK)
		return result;
	parse->next = PROTOCOL_PAYLOAD;
	if (bits(header, LLC_CONTROL) == CONTROL_DATA && bits(header, LLC_DSAP) == SAP_SNAP)
		parse->next = PROTOCOL_SNAP;
	else if (bits(header, LLC_CONTROL) == CONTROL_DATA && bits(header, LLC_DSAP) == SAP_IPV4)
		parse->next = PROTOCOL_IPV4;
	return OK;
}

static void summary_llc(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	const char *name;

	if (layer->length < LLC_LEAST || (next && next->protocol != PROTOCOL_PAYLOAD))
		return;
	line_text(line, "LLC ");
	line_hex(line, bits(layer_bytes(packet, layer), LLC_DSAP), 2);
	name = rtap_name_of(sap_names, bits(layer_bytes(packet, layer), LLC_DSAP));
	if (name) {
		line_text(line, " (");
		line_text(line, name);
		line_char(line, ')');
	}
	payload_summary_length(packet, next, line);
}

const struct protocol llc_protocol = {
	.table = { "llc", "Logical Link Control", "IEEE 802.2, 5.2", 0, FIELDS(llc_fields) },
	.parse = parse_llc,
	.summary = summary_llc,
};

static bool has_ethertype(const uint8_t *header)
{
	return bits(header, SNAP_ORGANIZATION) == ORGANIZATION_NONE || bits(header, SNAP_ORGANIZATION) == ORGANIZATION_TUNNEL;
}

static bool derive_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), SNAP_TYPE);
	return has_ethertype(layer_bytes(packet, layer));
}

static bool derive_protocol(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), SNAP_TYPE);
	return !has_ethertype(layer_bytes(packet, layer));
}

static const struct rtap_field snap_fields[] = {
	{ "llc.oui", "Organization", SNAP_ORGANIZATION, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "llc.type", "Type", SNAP_TYPE, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_type, NULL },
	{ "llc.pid", "Protocol", SNAP_TYPE, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_protocol, NULL },
};

static enum result parse_snap(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_SNAP, SNAP_LENGTH, &header);

	if (result == OK)
		parse->next = has_ethertype(header) ? ethertype_protocol((uint16_t)bits(header, SNAP_TYPE)) : PROTOCOL_PAYLOAD;
	return result;
}

static void summary_snap(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < SNAP_LENGTH)
		return;
	if (has_ethertype(header)) {
		ethertype_summary(packet, layer, (uint16_t)bits(header, SNAP_TYPE), line);
		return;
	}
	line_text(line, "SNAP ");
	line_hex(line, bits(header, SNAP_ORGANIZATION), 6);
	line_text(line, " protocol ");
	line_hex(line, bits(header, SNAP_TYPE), 4);
	payload_summary_length(packet, next, line);
}

const struct protocol snap_protocol = {
	.table = { "llc.snap", "Subnetwork Access Protocol", "IEEE 802, 9.3", SNAP_LENGTH, FIELDS(snap_fields) },
	.parse = parse_snap,
	.summary = summary_snap,
};
