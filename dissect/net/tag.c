/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tags that end with the Ethertype of what follows: VLAN tags, the customer's and the service's (IEEE 802.1Q, 9.6), the tag of a backbone
 * service instance, with the customer's addresses (9.7), those of port extenders, VN-Tag (Cisco) and
 * E-Tag (IEEE 802.1BR, 7.5), and that of HSR rings (IEC 62439-3, 5.7).
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"

#define TAG_LENGTH 4
#define TAG_PRIORITY 0, 3
#define TAG_DEI 3, 1
#define TAG_ID 4, 12
#define TAG_TYPE 16, 16

/* The last two bytes are a type or a length, as those of an Ethernet header. */
static bool derive_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = load16(layer_bytes(packet, layer) + layer->length - 2);
	return value->number >= ETHERTYPE_LEAST || !value->number;
}

static bool derive_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = load16(layer_bytes(packet, layer) + layer->length - 2);
	return value->number && value->number < ETHERTYPE_LEAST;
}

static const struct rtap_field vlan_fields[] = {
	{ "vlan.priority", "Priority", TAG_PRIORITY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vlan.dei", "Drop Eligible", TAG_DEI, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "vlan.id", "VLAN", TAG_ID, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vlan.etype", "Type", TAG_TYPE, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_type, NULL },
	{ "vlan.len", "Length", TAG_TYPE, RTAP_DEC, RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_length, NULL },
};

/* Service tags in a row are named in pairs, the outer one of the service, the inner one of the customer, as Wireshark names them. */
enum service_place { SERVICE_ALONE, SERVICE_OUTER, SERVICE_INNER, SERVICE_UNKNOWN };

static enum service_place place_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	unsigned before = 0;

	/* the frame is the first layer */
	while (layer[-1 - (int)before].protocol == PROTOCOL_SERVICE_VLAN)
		before++;
	if (before % 2)
		return SERVICE_INNER;
	if (layer->length < TAG_LENGTH)
		return SERVICE_UNKNOWN;
	return ethertype_protocol((uint16_t)bits(layer_bytes(packet, layer), TAG_TYPE)) == PROTOCOL_SERVICE_VLAN ? SERVICE_OUTER : SERVICE_ALONE;
}

static bool derive_service(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, enum service_place place)
{
	value->number = bits(layer_bytes(packet, layer), TAG_ID);
	return place_of(packet, layer) == place;
}

static bool derive_alone(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_service(packet, layer, value, SERVICE_ALONE);
}

static bool derive_outer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_service(packet, layer, value, SERVICE_OUTER);
}

static bool derive_inner(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_service(packet, layer, value, SERVICE_INNER);
}

static const struct rtap_field service_vlan_fields[] = {
	{ "ieee8021ad.priority", "Priority", TAG_PRIORITY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ad.dei", "Drop Eligible", TAG_DEI, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ad.id", "Service VLAN", TAG_ID, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_alone, NULL },
	{ "ieee8021ad.svid", "Service VLAN", TAG_ID, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_outer, NULL },
	{ "ieee8021ad.cvid", "Customer VLAN", TAG_ID, RTAP_DEC, RTAP_SOMETIMES, NULL, derive_inner, NULL },
	{ "ieee8021ad.etype", "Type", TAG_TYPE, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_type, NULL },
	{ "ieee8021ad.len", "Length", TAG_TYPE, RTAP_DEC, RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_length, NULL },
};

static inline enum result parse_tag(struct parse *parse, uint16_t protocol, uint32_t length)
{
	uint32_t type = parse_offset(parse) + length - 2;
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, length, &header);

	if (result == OK)
		ethertype_begin(parse, load16(header + length - 2), type);
	return result;
}

static enum result parse_vlan(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_VLAN, TAG_LENGTH);
}

static enum result parse_service_vlan(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_SERVICE_VLAN, TAG_LENGTH);
}

static void summary_tag(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line, const char *name, uint64_t number)
{
	char *begin = line->next;

	line_text(line, name);
	line_dec(line, number);
	line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
	ethertype_summary(packet, layer, load16(layer_bytes(packet, layer) + layer->length - 2), line);
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == TAG_LENGTH)
		summary_tag(packet, layer, line, "vlan ", bits(layer_bytes(packet, layer), TAG_ID));
}

const struct protocol vlan_protocol = {
	.table = { "vlan", "802.1Q Tag", "IEEE 802.1Q, 9.6", TAG_LENGTH, FIELDS(vlan_fields) },
	.parse = parse_vlan,
	.summary = summary,
};

const struct protocol service_vlan_protocol = {
	.table = { "ieee8021ad", "802.1ad Service Tag", "IEEE 802.1Q, 9.6", TAG_LENGTH, FIELDS(service_vlan_fields) },
	.parse = parse_service_vlan,
	.summary = summary,
};

#define SERVICE_LENGTH 18
#define SERVICE_PRIORITY 0, 3
#define SERVICE_DROP 3, 1
#define SERVICE_NO_ADDRESSES 4, 1
#define SERVICE_RESERVED_1 5, 1
#define SERVICE_RESERVED_2 6, 2
#define SERVICE_ID 8, 24
#define SERVICE_DST 32, 48
#define SERVICE_SRC 80, 48
#define SERVICE_TYPE 128, 16

static const struct rtap_field service_fields[] = {
	{ "ieee8021ah.priority", "Priority", SERVICE_PRIORITY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ah.drop", "Drop Eligible", SERVICE_DROP, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ah.nca", "No Customer Addresses", SERVICE_NO_ADDRESSES, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ah.res1", "Reserved", SERVICE_RESERVED_1, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ah.res2", "Reserved", SERVICE_RESERVED_2, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ah.isid", "Service Instance", SERVICE_ID, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ieee8021ah.cdst", "Customer Destination", SERVICE_DST, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "ieee8021ah.csrc", "Customer Source", SERVICE_SRC, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "ieee8021ah.etype", "Type", SERVICE_TYPE, RTAP_HEX, 0, ethertype_names, NULL, NULL },
};

static enum result parse_service(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_SERVICE_INSTANCE, SERVICE_LENGTH);
}

static void summary_service(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == SERVICE_LENGTH)
		summary_tag(packet, layer, line, "i-sid ", bits(layer_bytes(packet, layer), SERVICE_ID));
}

const struct protocol service_instance_protocol = {
	.table = { "ieee8021ah", "802.1ah Service Instance Tag", "IEEE 802.1Q, 9.7", SERVICE_LENGTH, FIELDS(service_fields) },
	.parse = parse_service,
	.summary = summary_service,
};

#define VNTAG_LENGTH 6
#define VNTAG_DIRECTION 0, 1
#define VNTAG_POINTER 1, 1
#define VNTAG_DST 2, 14
#define VNTAG_LOOPED 16, 1
#define VNTAG_RESERVED 17, 1
#define VNTAG_VERSION 18, 2
#define VNTAG_SRC 20, 12
#define VNTAG_TYPE 32, 16

static const struct rtap_field vntag_fields[] = {
	{ "vntag.dir", "From Bridge", VNTAG_DIRECTION, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "vntag.ptr", "Destination is a List", VNTAG_POINTER, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "vntag.dst", "Destination", VNTAG_DST, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vntag.looped", "Looped", VNTAG_LOOPED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "vntag.r", "Reserved", VNTAG_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vntag.version", "Version", VNTAG_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vntag.src", "Source", VNTAG_SRC, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "vntag.etype", "Type", VNTAG_TYPE, RTAP_HEX, RTAP_SOMETIMES, ethertype_names, derive_type, NULL },
	{ "vntag.len", "Length", VNTAG_TYPE, RTAP_DEC, RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_length, NULL },
};

static enum result parse_vntag(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_VNTAG, VNTAG_LENGTH);
}

static void summary_vntag(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length == VNTAG_LENGTH)
		summary_tag(packet, layer, line, "vif ", bits(header, VNTAG_DIRECTION) ? bits(header, VNTAG_DST) : bits(header, VNTAG_SRC));
}

const struct protocol vntag_protocol = {
	.table = { "vntag", "VN-Tag", "Cisco VN-Link", VNTAG_LENGTH, FIELDS(vntag_fields) },
	.parse = parse_vntag,
	.summary = summary_vntag,
};

#define ETAG_LENGTH 8
#define ETAG_PRIORITY 0, 3
#define ETAG_DEI 3, 1
#define ETAG_INGRESS 4, 12
#define ETAG_RESERVED 16, 2
#define ETAG_GROUP 18, 2
#define ETAG_CHANNEL 20, 12
#define ETAG_INGRESS_MORE 32, 8
#define ETAG_CHANNEL_MORE 40, 8
#define ETAG_TYPE 48, 16

static const struct rtap_field etag_fields[] = {
	{ "etag.pcp", "Priority", ETAG_PRIORITY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "etag.dei", "Drop Eligible", ETAG_DEI, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "etag.iecid_base", "Ingress E-channel", ETAG_INGRESS, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "etag.resv", "Reserved", ETAG_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "etag.group", "Group", ETAG_GROUP, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "etag.ecid_base", "E-channel", ETAG_CHANNEL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "etag.iecid_ext", "Ingress E-channel Extension", ETAG_INGRESS_MORE, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "etag.ecid_ext", "E-channel Extension", ETAG_CHANNEL_MORE, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "etag.etype", "Type", ETAG_TYPE, RTAP_HEX, 0, ethertype_names, NULL, NULL },
};

static enum result parse_etag(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_ETAG, ETAG_LENGTH);
}

static void summary_etag(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == ETAG_LENGTH)
		summary_tag(packet, layer, line, "e-cid base ", bits(layer_bytes(packet, layer), ETAG_CHANNEL));
}

const struct protocol etag_protocol = {
	.table = { "etag", "802.1BR E-Tag", "IEEE 802.1BR, 7.5", ETAG_LENGTH, FIELDS(etag_fields) },
	.parse = parse_etag,
	.summary = summary_etag,
};

#define HSR_LENGTH 6
#define HSR_PATH 0, 4
#define HSR_NETWORK 0, 3
#define HSR_LANE 3, 1
#define HSR_SIZE 4, 12
#define HSR_SEQUENCE 16, 16
#define HSR_TYPE 32, 16

static const struct rtap_name lane_names[] = { { 0, "A" }, { 1, "B" }, { 0, NULL } };

static const struct rtap_field hsr_fields[] = {
	{ "hsr.path", "Path", HSR_PATH, RTAP_DEC, RTAP_PARTS, NULL, NULL, NULL },
	{ "hsr.netid", "Network", HSR_NETWORK, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "hsr.laneid", "Lane", HSR_LANE, RTAP_DEC, 0, lane_names, NULL, NULL },
	{ "hsr.lsdu_size", "Size", HSR_SIZE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "hsr.sequence_nr", "Sequence Number", HSR_SEQUENCE, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "hsr.type", "Type", HSR_TYPE, RTAP_HEX, 0, ethertype_names, NULL, NULL },
};

static enum result parse_hsr(struct parse *parse)
{
	return parse_tag(parse, PROTOCOL_HSR, HSR_LENGTH);
}

static void summary_hsr(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	if (layer->length == HSR_LENGTH)
		summary_tag(packet, layer, line, "hsr seq ", bits(layer_bytes(packet, layer), HSR_SEQUENCE));
}

const struct protocol hsr_protocol = {
	.table = { "hsr", "High-availability Seamless Redundancy Tag", "IEC 62439-3, 5.7", HSR_LENGTH, FIELDS(hsr_fields) },
	.parse = parse_hsr,
	.summary = summary_hsr,
};
