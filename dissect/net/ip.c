/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IPv4 and IPv6. RFC 791, 3.1; RFC 8200, section 3.
 */
#include "config.h"

#include "dissect/net/ip.h"
#include "dissect/engine/ends.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/payload.h"
#include "dissect/engine/visit.h"

static const struct rtap_name version_names[] = { { 4, "IPv4" }, { 6, "IPv6" }, { 0, NULL } };

#define OPTION_END 0
#define OPTION_NOP 1

/* IANA, IP option numbers */
static const struct rtap_name option_names[] = {
	{ OPTION_END, "End of options" }, { OPTION_NOP, "No operation" }, { 7, "Record route" }, { 68, "Time stamp" }, { 130, "Security" },
	{ 131, "Loose source route" }, { 137, "Strict source route" }, { 148, "Router alert" }, { 0, NULL },
};

static const struct rtap_name ecn_names[] = {
	{ 0, "Not-ECT" }, { 1, "ECT(1)" }, { 2, "ECT(0)" }, { 3, "CE" }, { 0, NULL },
};

/* IANA, protocol numbers */
const struct rtap_name ip_protocol_names[] = {
	{ 0, "Hop-by-hop options" },
	{ 1, "ICMP" },
	{ 2, "IGMP" },
	{ 4, "IPv4" },
	{ 6, "TCP" },
	{ 17, "UDP" },
	{ 41, "IPv6" },
	{ 43, "Routing" },
	{ 44, "Fragment" },
	{ 46, "RSVP" },
	{ 47, "GRE" },
	{ 50, "ESP" },
	{ 51, "AH" },
	{ 58, "ICMPv6" },
	{ 59, "No next header" },
	{ 60, "Destination options" },
	{ 88, "EIGRP" },
	{ 89, "OSPF" },
	{ 97, "EtherIP" },
	{ 103, "PIM" },
	{ 112, "VRRP" },
	{ 115, "L2TP" },
	{ 132, "SCTP" },
	{ 135, "Mobility" },
	{ 136, "UDP-Lite" },
	{ 137, "MPLS" },
	{ 139, "HIP" },
	{ 140, "Shim6" },
	{ 143, "Ethernet" },
	{ 0, NULL },
};

const uint16_t ip_protocols[256] = {
	[0] = PROTOCOL_HOP_OPTIONS,
	[1] = PROTOCOL_ICMP,
	[2] = PROTOCOL_IGMP,
	[4] = PROTOCOL_IPV4,
	[6] = PROTOCOL_TCP,
	[17] = PROTOCOL_UDP,
	[41] = PROTOCOL_IPV6,
	[43] = PROTOCOL_ROUTING,
	[44] = PROTOCOL_FRAGMENT,
	[47] = PROTOCOL_GRE,
	[51] = PROTOCOL_AUTHENTICATION,
	[58] = PROTOCOL_ICMPV6,
	[60] = PROTOCOL_DESTINATION_OPTIONS,
	[97] = PROTOCOL_ETHERIP,
	[137] = PROTOCOL_MPLS,
	[143] = PROTOCOL_ETHERNET,
};

/* All bytes of the packet that an IP header begins. */
static uint32_t packet_length(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const uint8_t *header = layer_bytes(packet, layer);
	bool is_ipv4 = layer->protocol == PROTOCOL_IPV4;
	uint32_t length = (uint32_t)(is_ipv4 ? bits(header, IPV4_LENGTH) : bits(header, IPV6_PLEN));

	if (!length)
		return packet->sources[layer->source].wire - layer->offset;
	return is_ipv4 ? length : length + IPV6_LENGTH;
}

/* The IP header in front of a layer, or NULL. */
static const struct rtap_layer *network_before(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	while (layer-- != packet->layers)
		if (layer->protocol == PROTOCOL_IPV4 || layer->protocol == PROTOCOL_IPV6)
			return layer;
	return NULL;
}

bool ip_bytes_after(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t header_length,
		     uint64_t *bytes)
{
	const struct rtap_layer *network = network_before(packet, layer);
	uint32_t left, length, start;

	if (!network || network->length < IPV4_MIN_LENGTH)
		return false;
	/* after a fragment's header, the whole datagram is a separate source */
	start = network->source == layer->source ? network->offset : 0;
	left = packet->sources[layer->source].wire - start;
	length = network->source == layer->source ? packet_length(packet, network) : left;
	if (length > left)
		length = left;
	header_length += layer->offset - start;
	*bytes = length > header_length ? length - header_length : 0;
	return true;
}

void ip_summary_next(const struct rtap_packet *packet, const struct rtap_layer *layer, uint8_t number, struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	const char *name;

	if (next && (next->protocol == PROTOCOL_IPV4 || next->protocol == PROTOCOL_IPV6 || next->protocol == PROTOCOL_ETHERNET))
		line_text(line, "IP tunnel ");
	if (next && next->protocol != PROTOCOL_PAYLOAD)
		return;
	name = rtap_name_of(ip_protocol_names, number);
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "protocol ");
		line_dec(line, number);
	}
	payload_summary_length(packet, next, line);
}

void ip_summary_fragment(const struct rtap_packet *packet, const struct rtap_layer *layer, uint64_t id, uint64_t offset,
			 struct line *line)
{
	const struct rtap_layer *next = layer_after(packet, layer);
	char *begin = line->next;

	line_text(line, "fragment id ");
	line_hex(line, id, 4);
	line_text(line, " offset ");
	line_dec(line, offset);
	/* after the fragment that completed the datagram, the datagram has its own text */
	if (next && next->source == layer->source)
		payload_summary_length(packet, next, line);
	else
		line_char(line, ' ');
	line_spare(line, begin, LINE_SPARE_OUTER);
}

static bool derive_header_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = bits(layer_bytes(packet, layer), IPV4_IHL) * 4;
	return true;
}

/* Segmentation offload leaves 0: use the length of the frame. */
static bool derive_total_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->number = packet_length(packet, layer);
	return true;
}

enum { ROW_OPTION_TYPE, ROW_OPTION_LENGTH };

static const struct rtap_field ipv4_fields[] = {
	[ROW_OPTION_TYPE] = { "ip.opt.type", "Option", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS | RTAP_COMPARED, option_names, NULL, NULL },
	[ROW_OPTION_LENGTH] = { "ip.opt.len", "Option Length", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	{ "ip.version", "Version", IPV4_VERSION, RTAP_DEC, 0, version_names, NULL, NULL },
	{ "ip.hdr_len", "Header Length", IPV4_IHL, RTAP_DEC, RTAP_OWN_BYTES, NULL, derive_header_length, NULL },
	{ "ip.dsfield", "Differentiated Services", IPV4_TOS, RTAP_HEX, RTAP_PARTS, NULL, NULL, "RFC 2474, section 3" },
	{ "ip.dsfield.dscp", "DSCP", IPV4_DSCP, RTAP_DEC, RTAP_COMPARED, NULL, NULL, "RFC 2474, section 3" },
	{ "ip.dsfield.ecn", "ECN", IPV4_ECN, RTAP_DEC, RTAP_COMPARED, ecn_names, NULL, "RFC 3168, section 5" },
	{ "ip.len", "Total Length", IPV4_LENGTH, RTAP_DEC, 0, NULL, derive_total_length, NULL },
	{ "ip.id", "Identification", IPV4_ID, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ip.flags", "Flags", IPV4_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "ip.flags.rb", "Reserved", IPV4_RESERVED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ip.flags.df", "Don't Fragment", IPV4_DF, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ip.flags.mf", "More Fragments", IPV4_MF, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "ip.frag_offset", "Fragment Offset", IPV4_FRAGMENT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ip.ttl", "Time to Live", IPV4_TTL, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
	{ "ip.proto", "Protocol", IPV4_PROTOCOL, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ip.checksum", "Header Checksum", IPV4_CHECKSUM, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ip.src", "Source Address", IPV4_SRC, RTAP_IPV4, 0, NULL, NULL, NULL },
	{ "ip.dst", "Destination Address", IPV4_DST, RTAP_IPV4, 0, NULL, NULL, NULL },
};

/* Queue pairs have the addresses of the network that carries them, whatever their messages carry. */
static __attribute__((cold, noinline)) void keep_carrier(struct rtap_packet *packet)
{
	if (packet->carrier.present)
		return;
	packet->carrier = (struct packet_carrier){ true, packet->address_length, packet->traffic_class, packet->ip_id, packet->source_port,
						   packet->destination_port, packet->source_address, packet->destination_address };
}

static void note_addresses(struct parse *parse, const uint8_t *source, uint8_t length)
{
	struct rtap_packet *packet = parse->packet;

	if (parse->quoted)
		return;
	if (unlikely(packet->ib.has_bth))
		keep_carrier(packet);
	packet->source_address = source;
	packet->destination_address = source + length;
	packet->address_length = length;
	/* the CRC of an InfiniBand packet has nothing to do with the IP header that it carries */
	if (!packet->ib.has_bth)
		packet->ib.crc_start_layer = (uint8_t)(packet->layer_count - 1);
}

static bool is_version(const struct parse *parse, unsigned version)
{
	return !parse->cursor.captured || parse->cursor.next[0] >> 4 == version;
}

/* A packet of another version is not dissected, but shown as data. */
static __attribute__((noinline)) enum result pass_over_version(struct parse *parse)
{
	parse->next = PROTOCOL_PAYLOAD;
	parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, parse_offset(parse));
	return OK;
}

static const struct rtap_layer *last_layer_of(const struct rtap_packet *packet, uint16_t protocol)
{
	const struct rtap_layer *layer = packet->layers + packet->layer_count - 1;

	while (layer->protocol != protocol)
		layer--;
	return layer;
}

void ip_enter_datagram(struct parse *parse)
{
	const struct rtap_datagram *datagram = &parse->context->datagram;
	struct rtap_packet *packet = parse->packet;
	struct rtap_fragment_facts *facts = &packet->fragment;

	packet->sources[packet->source_count].bytes = datagram->bytes.bytes;
	packet->sources[packet->source_count].captured = datagram->bytes.length;
	packet->sources[packet->source_count].wire = datagram->wire;
	parse_set_source(parse, packet->source_count++);
	parse->cursor = (struct cursor){ datagram->bytes.bytes, datagram->bytes.length, datagram->wire };
	parse->next = ip_protocol(datagram->protocol);
	facts->present = false;
	facts->whole = true;
	facts->datagram_source = parse->source;
	facts->header_length = datagram->header_length;
	facts->protocol = datagram->protocol;
}

void ip_begin_fragment(struct parse *parse, uint16_t protocol, const struct rtap_fragment_facts *header)
{
	struct rtap_packet *packet = parse->packet;
	const struct rtap_layer *layer = last_layer_of(packet, protocol);
	const struct rtap_layer *network = network_before(packet, layer + 1);
	struct rtap_fragment_facts facts = *header;

	parse->next = PROTOCOL_PAYLOAD;
	if (parse->quoted)
		return;
	facts.whole = packet->fragment.whole;
	facts.layer = (uint8_t)(layer - packet->layers);
	facts.piece = parse_rest(parse);
	if (network && network->source == parse->source)
		facts.header_length = (protocol == PROTOCOL_IPV4 ? parse_offset(parse) : layer->offset) - network->offset;
	facts.present = true;
	packet->fragment = facts;
	if (parse->context->datagram.bytes.bytes && !facts.whole && packet->source_count < RTAP_MAX_SOURCES)
		ip_enter_datagram(parse);
}

static __attribute__((noinline)) enum result begin_ipv4_fragment(struct parse *parse, const uint8_t *header, uint32_t start,
								 uint32_t length)
{
	parse_narrow(parse, length, start);
	ip_begin_fragment(parse, PROTOCOL_IPV4, &(struct rtap_fragment_facts){
		.more = bits(header, IPV4_MF),
		.protocol = (uint8_t)bits(header, IPV4_PROTOCOL),
		.identification = (uint32_t)bits(header, IPV4_ID),
		.datagram_offset = (uint32_t)bits(header, IPV4_FRAGMENT) * 8,
	});
	return OK;
}

/* The cursor is after the header, which starts at `start` of its source. */
static inline enum result after_ipv4(struct parse *parse, const uint8_t *header, uint32_t start, uint32_t header_length)
{
	uint32_t total = (uint32_t)bits(header, IPV4_LENGTH), length = total ? total - header_length : parse->cursor.wire;

	/* both 0 in a whole datagram */
	if (unlikely(bits(header, IPV4_MF_AND_FRAGMENT) != 0))
		return begin_ipv4_fragment(parse, header, start, length);
	parse->next = ip_protocol((uint8_t)bits(header, IPV4_PROTOCOL));
	parse_narrow(parse, length, start);
	return OK;
}

static inline void note_ipv4(struct parse *parse, const uint8_t *header)
{
	note_addresses(parse, header + 12, 4);
	if (parse->quoted)
		return;
	parse->packet->ip_id = (uint16_t)bits(header, IPV4_ID);
	parse->packet->traffic_class = (uint8_t)bits(header, IPV4_TOS);
}

/* Reads the values of every header. */
static inline enum result take_ipv4(struct parse *parse, const uint8_t **header)
{
	enum result result = parse_layer(parse, PROTOCOL_IPV4, IPV4_MIN_LENGTH, header);

	if (result == OK)
		note_ipv4(parse, *header);
	return result;
}

/* Slow path: a truncated header, another version, options, or lengths that need checks. */
static __attribute__((noinline)) enum result parse_odd_ipv4(struct parse *parse)
{
	uint32_t start = parse_offset(parse), total, header_length;
	const uint8_t *header, *options;
	enum result result;

	if (!is_version(parse, 4))
		return pass_over_version(parse);
	result = take_ipv4(parse, &header);
	if (result != OK)
		return result;
	total = (uint32_t)bits(header, IPV4_LENGTH);
	header_length = (uint32_t)bits(header, IPV4_IHL) * 4;
	if (header_length < IPV4_MIN_LENGTH || (total && total < header_length)) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	result = parse_more(parse, header_length - IPV4_MIN_LENGTH, &options);
	return result == OK ? after_ipv4(parse, header, start, header_length) : result;
}

/* The first byte of a header without options: version and length in words. */
#define IPV4_PLAIN (4 << 4 | IPV4_MIN_LENGTH / 4)

static enum result parse_ipv4(struct parse *parse)
{
	const uint8_t *header = parse->cursor.next;
	uint32_t start = parse_offset(parse);
	enum result result;

	if (unlikely(parse->cursor.captured < IPV4_MIN_LENGTH || header[0] != IPV4_PLAIN || bits(header, IPV4_LENGTH) < IPV4_MIN_LENGTH))
		return parse_odd_ipv4(parse);
	result = take_ipv4(parse, &header);
	return result == OK ? after_ipv4(parse, header, start, IPV4_MIN_LENGTH) : result;
}

/* Options of one byte (0, 1) or with a length that counts the whole option. RFC 791, 3.1. */
static void visit_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t offset = IPV4_MIN_LENGTH, length;

	for (; offset < layer->length; offset += length) {
		uint8_t type = header[offset];
		struct rtap_value value = { .number = type };

		length = type <= OPTION_NOP ? 1 : layer->length - offset < 2 ? 0 : header[offset + 1];
		if (length > layer->length - offset || length < (type <= OPTION_NOP ? 1 : 2))
			return;
		visit_field(visitor, layer, PROTOCOL_IPV4, ROW_OPTION_TYPE, &value, layer->offset + offset, 1);
		if (type == OPTION_END)
			return;
		value.number = length;
		if (type != OPTION_NOP)
			visit_field(visitor, layer, PROTOCOL_IPV4, ROW_OPTION_LENGTH, &value, layer->offset + offset + 1, 1);
	}
}

static void summary_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < IPV4_MIN_LENGTH)
		return;
	ends_summary(packet, layer, false, header + 12, 4, line);
	if (bits(header, IPV4_MF_AND_FRAGMENT))
		ip_summary_fragment(packet, layer, bits(header, IPV4_ID), bits(header, IPV4_FRAGMENT) * 8, line);
	else
		ip_summary_next(packet, layer, (uint8_t)bits(header, IPV4_PROTOCOL), line);
}

const struct protocol ipv4_protocol = {
	.table = { "ip", "Internet Protocol Version 4", "RFC 791, 3.1", 0, FIELDS(ipv4_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_ipv4,
	.visit = visit_ipv4,
	.summary = summary_ipv4,
};

static const struct rtap_field ipv6_fields[] = {
	{ "ip.version", "Version", IPV6_VERSION, RTAP_DEC, RTAP_PARTS, version_names, NULL, NULL },
	{ "ipv6.version", "Version", IPV6_VERSION, RTAP_DEC, 0, version_names, NULL, NULL },
	{ "ipv6.tclass", "Traffic Class", IPV6_TCLASS, RTAP_HEX32, RTAP_PARTS, NULL, NULL, NULL },
	{ "ipv6.tclass.dscp", "DSCP", IPV6_DSCP, RTAP_DEC, RTAP_COMPARED, NULL, NULL, "RFC 2474, section 3" },
	{ "ipv6.tclass.ecn", "ECN", IPV6_ECN, RTAP_DEC, RTAP_COMPARED, ecn_names, NULL, "RFC 3168, section 5" },
	{ "ipv6.flow", "Flow Label", IPV6_FLOW, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "ipv6.plen", "Payload Length", IPV6_PLEN, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "ipv6.nxt", "Next Header", IPV6_NEXT, RTAP_DEC, 0, ip_protocol_names, NULL, NULL },
	{ "ipv6.hlim", "Hop Limit", IPV6_HOPS, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
	{ "ipv6.src", "Source Address", IPV6_SRC, RTAP_IPV6, 0, NULL, NULL, NULL },
	{ "ipv6.dst", "Destination Address", IPV6_DST, RTAP_IPV6, 0, NULL, NULL, NULL },
};

#define NO_NEXT_HEADER 59

static enum result parse_ipv6(struct parse *parse)
{
	uint32_t start = parse_offset(parse), length;
	const uint8_t *header;
	uint8_t next;
	enum result result;

	if (unlikely(!is_version(parse, 6)))
		return pass_over_version(parse);
	result = parse_layer(parse, PROTOCOL_IPV6, IPV6_LENGTH, &header);
	if (result != OK)
		return result;
	note_addresses(parse, header + 8, 16);
	if (!parse->quoted) {
		parse->packet->ip_id = 0;
		parse->packet->traffic_class = (uint8_t)bits(header, IPV6_TCLASS);
	}
	length = (uint32_t)bits(header, IPV6_PLEN);
	next = (uint8_t)bits(header, IPV6_NEXT);
	parse_narrow(parse, length || next == NO_NEXT_HEADER ? length : parse->cursor.wire, start);
	parse->next = ip_protocol(next);
	return OK;
}

static void summary_ipv6(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < IPV6_LENGTH)
		return;
	ends_summary(packet, layer, false, header + 8, 16, line);
	ip_summary_next(packet, layer, (uint8_t)bits(header, IPV6_NEXT), line);
}

const struct protocol ipv6_protocol = {
	.table = { "ipv6", "Internet Protocol Version 6", "RFC 8200, section 3", IPV6_LENGTH, FIELDS(ipv6_fields) },
	.scope = SCOPE_CAPTURE,
	.parse = parse_ipv6,
	.summary = summary_ipv6,
};
