/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of o2iblnd and the parts after it. Lustre, lnet/klnds/o2iblnd/o2iblnd-idl.h, o2iblnd.c (kiblnd_unpack_msg).
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "dissect/engine/line.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"
#include "dissect/lnet/lnet.h"
#include "dissect/lnet/lnet_names.h"

#define VERSION_1 0x11
#define VERSION_2 0x12
#define PRIVATE_LENGTH 56
#define REJECT_LENGTH 24
#define DONE_LENGTH 12
#define PUT_ACK_LENGTH 16

const struct rtap_name lnet_type_names[] = {
	{ LNET_CONNREQ, "CONNREQ" }, { LNET_CONNACK, "CONNACK" }, { LNET_NOOP, "NOOP" }, { LNET_IMMEDIATE, "IMMEDIATE" }, { LNET_PUT_REQ, "PUT_REQ" },
	{ LNET_PUT_NAK, "PUT_NAK" }, { LNET_PUT_ACK, "PUT_ACK" }, { LNET_PUT_DONE, "PUT_DONE" }, { LNET_GET_REQ, "GET_REQ" },
	{ LNET_GET_DONE, "GET_DONE" }, { 0, NULL },
};

const struct rtap_name lnet_header_type_names[] = {
	{ LNET_ACK, "ACK" }, { LNET_PUT, "PUT" }, { LNET_GET, "GET" }, { LNET_REPLY, "REPLY" }, { LNET_HELLO, "HELLO" }, { 0, NULL },
};

/* Networks that identifiers name: lnet/include/uapi/linux/lnet/nidstr.h. */
static const struct rtap_name network_names[] = {
	{ 2, "tcp" }, { 5, "o2ib" }, { 9, "lo" }, { 13, "gni" }, { 14, "gip" }, { 15, "ptlf" }, { 16, "kfi" }, { 0, NULL },
};

static const char *lnet_type_name(uint8_t type)
{
	return rtap_name_of(lnet_type_names, type);
}

const char *lnet_header_type_name(uint32_t type)
{
	return rtap_name_of(lnet_header_type_names, type);
}

void lnet_nid_text(uint64_t nid, char text[LNET_NID_TEXT])
{
	uint32_t address = (uint32_t)nid, network = (uint32_t)(nid >> 32);
	const char *name = rtap_name_of(network_names, network >> 16);
	const uint8_t bytes[] = { (uint8_t)(address >> 24), (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address };
	char *next = text;

	if (nid == UINT64_MAX) {
		*line_put(next, "any") = '\0';
		return;
	}
	next = line_put(line_put_ipv4(next, bytes), "@");
	next = name ? line_put(next, name) : line_put(line_put_hex(line_put(next, "0x"), network >> 16, 4), ":");
	if (!name || network & 0xffff)
		next = line_put_dec(next, network & 0xffff);
	*next = '\0';
}

/* Whether the bytes begin with the magic number of one or the other order. */
static bool lnet_is_little(const uint8_t *header)
{
	return little_bits(header, 0, 32) == LNET_MAGIC;
}

static bool lnet_is_big(const uint8_t *header)
{
	return load32(header) == LNET_MAGIC;
}

/* Bytes that a message of that type has at least; UNKNOWN_TYPE: there is none. */
#define UNKNOWN_TYPE UINT32_MAX
static uint32_t least_length(uint8_t type)
{
	switch (type) {
	case LNET_CONNREQ: case LNET_CONNACK: return LNET_LENGTH + LNET_DESCRIPTOR_LENGTH;
	case LNET_NOOP: return LNET_LENGTH;
	case LNET_IMMEDIATE: return LNET_LENGTH + LNET_HEADER_LENGTH;
	case LNET_PUT_REQ: return LNET_LENGTH + LNET_HEADER_LENGTH + LNET_COOKIE_LENGTH;
	case LNET_PUT_ACK: return LNET_LENGTH + PUT_ACK_LENGTH + LNET_DESCRIPTOR_LENGTH;
	case LNET_PUT_NAK: case LNET_PUT_DONE: case LNET_GET_DONE: return LNET_LENGTH + DONE_LENGTH;
	case LNET_GET_REQ: return LNET_LENGTH + LNET_HEADER_LENGTH + LNET_COOKIE_LENGTH + LNET_DESCRIPTOR_LENGTH;
	default: return UNKNOWN_TYPE;
	}
}

/* Magic number, version and type are those of a message. */
static bool is_header(const uint8_t *header)
{
	bool is_little = lnet_is_little(header);
	uint64_t version = lnet_bits(is_little, header, 32, 16);

	return (is_little || lnet_is_big(header)) && (version == VERSION_1 || version == VERSION_2) &&
	       least_length(header[LNET_TYPE_AT]) != UNKNOWN_TYPE;
}

bool lnet_recognise(const struct cursor *payload)
{
	const uint8_t *header = payload->next;

	return payload->captured >= LNET_LENGTH && is_header(header) && lnet_bits(lnet_is_little(header), header, LNET_NOB) == payload->wire &&
	       payload->wire >= least_length(header[LNET_TYPE_AT]);
}

bool lnet_is_request(const uint8_t *bytes, uint32_t length)
{
	return length >= PRIVATE_LENGTH && is_header(bytes) && bytes[LNET_TYPE_AT] == LNET_CONNREQ &&
	       lnet_bits(lnet_is_little(bytes), bytes, LNET_NOB) == PRIVATE_LENGTH;
}

uint16_t lnet_private_protocol(const uint8_t *bytes, uint32_t length, bool is_reject)
{
	if (length < (is_reject ? REJECT_LENGTH : PRIVATE_LENGTH) || (!lnet_is_little(bytes) && !lnet_is_big(bytes)))
		return PROTOCOL_NONE;
	if (is_reject)
		return lnet_is_little(bytes) ? PROTOCOL_LNET_REJECT : PROTOCOL_LNET_REJECT_BE;
	return lnet_is_little(bytes) ? PROTOCOL_LNET_CONNECT : PROTOCOL_LNET_CONNECT_BE;
}

/* The sum that o2iblnd computes over a message, with zeros in the place of the checksum. */
static uint32_t checksum(const uint8_t *bytes, uint32_t length)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < length; i++)
		sum = (sum << 1 | sum >> 31) + (i >= 12 && i < 16 ? 0 : bytes[i]);
	return sum ? sum : 1;
}

static bool derive_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);
	uint32_t captured = packet->sources[layer->source].captured - layer->offset, nob, sum;
	const char *text;

	if (layer->length < LNET_LENGTH)
		return false;
	nob = (uint32_t)lnet_bits(lnet_is_little(header), header, LNET_NOB);
	sum = (uint32_t)lnet_bits(lnet_is_little(header), header, LNET_CHECKSUM);
	text = !sum ? "off" : nob > captured ? "unverifiable" : checksum(header, nob) == sum ? "good" : "bad";
	value->data = (struct rtap_span){ (const uint8_t *)text, (uint32_t)strlen(text) };
	return true;
}

#define STATUS_ROW { "lnet.cksum.status", "Checksum Status", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_ON_DEMAND | RTAP_COMPARED, \
	NULL, derive_status, NULL }

static const struct rtap_field little_fields[] = { LNET_ROWS(RTAP_LITTLE), STATUS_ROW, LNET_NID_ROWS("lnet.src", "lnet.dst") };
static const struct rtap_field big_fields[] = { LNET_ROWS(0), STATUS_ROW, LNET_NID_ROWS("lnet.src", "lnet.dst") };

#define SOURCE_ROW 11          /* after the rows of the header and of the checksum's status */

static void visit_nid(const struct rtap_layer *layer, size_t row, uint64_t nid, uint32_t at, struct rtap_visitor *visitor)
{
	char text[LNET_NID_TEXT];

	lnet_nid_text(nid, text);
	visit_field(visitor, layer, layer->protocol, row, &(struct rtap_value){ .data = { (const uint8_t *)text, (uint32_t)strlen(text) } },
		    layer->offset + at, 8);
}

static void visit_header(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < LNET_LENGTH)
		return;
	visit_nid(layer, SOURCE_ROW, lnet_bits(lnet_is_little(header), header, LNET_SOURCE), 16, visitor);
	visit_nid(layer, SOURCE_ROW + 1, lnet_bits(lnet_is_little(header), header, LNET_DESTINATION), 32, visitor);
}

static void summary_header(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *name;
	char *begin;

	line_text(line, ": LNet ");
	if (layer->length < LNET_LENGTH)
		return;
	name = lnet_type_name(header[LNET_TYPE_AT]);
	if (name)
		line_text(line, name);
	else
		line_hex(line, header[LNET_TYPE_AT], 2);
	if (header[LNET_CREDITS_AT]) {
		begin = line->next;
		line_char(line, ' ');
		line_count(line, header[LNET_CREDITS_AT], "credit", "credits");
		line_spare(line, begin, LINE_SPARE_LOWER);
	}
}

/* The header of the message that a later layer is part of. */
static const uint8_t *header_of(const struct parse *parse)
{
	for (uint8_t i = parse->packet->layer_count; i-- > 0;) {
		const struct rtap_layer *layer = &parse->packet->layers[i];

		if (layer->protocol == PROTOCOL_LNET || layer->protocol == PROTOCOL_LNET_BE)
			return layer->length >= LNET_LENGTH ? layer_bytes(parse->packet, layer) : NULL;
	}
	return NULL;
}

static uint16_t in_order(const uint8_t *header, uint16_t little, uint16_t big)
{
	return lnet_is_little(header) ? little : big;
}

/* The protocol of the part after the header. */
static uint16_t part_of(const uint8_t *header)
{
	switch (header[LNET_TYPE_AT]) {
	case LNET_CONNREQ: case LNET_CONNACK: return in_order(header, PROTOCOL_LNET_PARAMETERS, PROTOCOL_LNET_PARAMETERS_BE);
	case LNET_IMMEDIATE: case LNET_PUT_REQ: case LNET_GET_REQ: return PROTOCOL_LNET_HEADER;
	case LNET_PUT_ACK: return PROTOCOL_LNET_PUT_ACK;
	case LNET_PUT_NAK: case LNET_PUT_DONE: case LNET_GET_DONE: return in_order(header, PROTOCOL_LNET_DONE, PROTOCOL_LNET_DONE_BE);
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse_header(struct parse *parse)
{
	const uint8_t *header = parse->cursor.next;
	bool is_big = parse->cursor.captured >= 4 && lnet_is_big(header);
	enum result result;
	uint32_t nob;

	if (parse->cursor.captured < 4 || (!is_big && !lnet_is_little(header))) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	parse->packet->upper = RTAP_UPPER_LNET;
	result = parse_layer(parse, is_big ? PROTOCOL_LNET_BE : PROTOCOL_LNET, LNET_LENGTH, &header);
	if (result != OK)
		return result;
	nob = (uint32_t)lnet_bits(!is_big, header, LNET_NOB);
	if (nob >= LNET_LENGTH)
		parse_narrow(parse, nob - LNET_LENGTH, parse_offset(parse) - LNET_LENGTH + 8);
	if (parse->cursor.wire)
		parse->next = part_of(header);
	return OK;
}

const struct protocol lnet_protocol = {
	.table = { "lnet", "LNet over RDMA", "Lustre, o2iblnd-idl.h", LNET_LENGTH, FIELDS(little_fields) },
	.scope = SCOPE_CALL, .parse = parse_header, .visit = visit_header, .summary = summary_header,
};

const struct protocol lnet_be_protocol = {
	.table = { "lnet.be", "LNet over RDMA, big-endian", "Lustre, o2iblnd-idl.h", LNET_LENGTH, FIELDS(big_fields) },
	.scope = SCOPE_CALL, .visit = visit_header, .summary = summary_header,
};

/* The private data of REQ and REP. */
static const struct rtap_field connect_fields[] = { LNET_ROWS(RTAP_LITTLE), LNET_PARAMETER_ROWS(384, RTAP_LITTLE) };
static const struct rtap_field connect_be_fields[] = { LNET_ROWS(0), LNET_PARAMETER_ROWS(384, 0) };

static void summary_connect(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	char text[LNET_NID_TEXT], *begin;

	if (layer->length < PRIVATE_LENGTH)
		return;
	lnet_nid_text(lnet_bits(lnet_is_little(header), header, LNET_SOURCE), text);
	line_text(line, " LNet");
	begin = line->next;
	line_char(line, ' ');
	line_text(line, text);
	lnet_nid_text(lnet_bits(lnet_is_little(header), header, LNET_DESTINATION), text);
	line_text(line, " > ");
	line_text(line, text);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

const struct protocol lnet_connect_protocol = {
	.table = { "lnet_private", "LNet Connection Parameters", "Lustre, o2iblnd-idl.h", PRIVATE_LENGTH, FIELDS(connect_fields) },
	.scope = SCOPE_MESSAGE, .summary = summary_connect,
};

const struct protocol lnet_connect_be_protocol = {
	.table = { "lnet_private_be", "LNet Connection Parameters, big-endian", "Lustre, o2iblnd-idl.h", PRIVATE_LENGTH, FIELDS(connect_be_fields) },
	.scope = SCOPE_MESSAGE, .summary = summary_connect,
};

/* The private data of a REJ. */
const struct rtap_name lnet_reject_names[] = {
	{ 1, "connection race" }, { 2, "no resources" }, { 3, "fatal" }, { 4, "incompatible version" }, { 5, "stale connection" },
	{ 6, "incompatible number of fragments" }, { 7, "incompatible queue depth" }, { 8, "invalid service" }, { 9, "not ready yet" }, { 0, NULL },
};

#define REJECT_ROWS(order) \
	{ "lnet.rej.magic", "Magic", 0, 32, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	{ "lnet.rej.version", "Version", 32, 16, RTAP_HEX, (order), NULL, NULL, NULL }, \
	{ "lnet.rej.why", "Reason", 48, 8, RTAP_DEC, 0, lnet_reject_names, NULL, NULL }, \
	{ "lnet.rej.padding", "Padding", 56, 8, RTAP_HEX, 0, NULL, NULL, NULL }, \
	{ "lnet.rej.incarnation", "Incarnation", 64, 64, RTAP_HEX, (order) | RTAP_IGNORED, NULL, NULL, NULL }, \
	LNET_PARAMETER_ROWS(128, order)

static const struct rtap_field reject_fields[] = { REJECT_ROWS(RTAP_LITTLE) };
static const struct rtap_field reject_be_fields[] = { REJECT_ROWS(0) };

static void summary_reject(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length == REJECT_LENGTH ? rtap_name_of(lnet_reject_names, layer_bytes(packet, layer)[6]) : NULL;

	line_text(line, " LNet ");
	line_text(line, name ? name : "reject");
}

const struct protocol lnet_reject_protocol = {
	.table = { "lnet_reject", "LNet Connection Reject", "Lustre, o2iblnd-idl.h", REJECT_LENGTH, FIELDS(reject_fields) },
	.scope = SCOPE_MESSAGE, .summary = summary_reject,
};

const struct protocol lnet_reject_be_protocol = {
	.table = { "lnet_reject_be", "LNet Connection Reject, big-endian", "Lustre, o2iblnd-idl.h", REJECT_LENGTH, FIELDS(reject_be_fields) },
	.scope = SCOPE_MESSAGE, .summary = summary_reject,
};

/* A part whose length is fixed. */
static enum result parse_part(struct parse *parse, uint16_t protocol, uint16_t next)
{
	const uint8_t *part;
	enum result result = parse_layer(parse, protocol, protocol_by_number(protocol)->table.length, &part);

	if (result == OK && parse->cursor.wire)
		parse->next = next;
	return result;
}

#define PART(name, identifier, following, filter, label, bytes) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return parse_part(parse, PROTOCOL_LNET_##identifier, following); \
	} \
	const struct protocol lnet_##name##_protocol = { \
		.table = { filter, label, "Lustre, o2iblnd-idl.h", bytes, FIELDS(name##_fields) }, .scope = SCOPE_CALL, .parse = parse_##name, \
	};

static const struct rtap_field parameters_fields[] = { LNET_PARAMETER_ROWS(0, RTAP_LITTLE) };
static const struct rtap_field parameters_be_fields[] = { LNET_PARAMETER_ROWS(0, 0) };
PART(parameters, PARAMETERS, PROTOCOL_PAYLOAD, "lnet.conn", "LNet Connection Parameters", 8)
PART(parameters_be, PARAMETERS_BE, PROTOCOL_PAYLOAD, "lnet.conn.be", "LNet Connection Parameters, big-endian", 8)

/* Cookies are their owner's: whoever answers returns the same bytes. */
#define COOKIE(name, label, at) { name, label, at, 64, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL }
#define DONE_ROWS(order) COOKIE("lnet.cookie", "Cookie", 0), { "lnet.status", "Status", 64, 32, RTAP_HEX, (order), NULL, NULL, NULL }

static const struct rtap_field done_fields[] = { DONE_ROWS(RTAP_LITTLE) };
static const struct rtap_field done_be_fields[] = { DONE_ROWS(0) };
PART(done, DONE, PROTOCOL_PAYLOAD, "lnet.done", "LNet Completion", DONE_LENGTH)
PART(done_be, DONE_BE, PROTOCOL_PAYLOAD, "lnet.done.be", "LNet Completion, big-endian", DONE_LENGTH)

static uint16_t descriptor_after(const struct parse *parse)
{
	const uint8_t *header = header_of(parse);

	return header && header[LNET_TYPE_AT] != LNET_PUT_REQ ? in_order(header, PROTOCOL_LNET_DESCRIPTOR, PROTOCOL_LNET_DESCRIPTOR_BE) : PROTOCOL_PAYLOAD;
}

static const struct rtap_field cookie_fields[] = { COOKIE("lnet.cookie", "Cookie", 0) };
PART(cookie, COOKIE, descriptor_after(parse), "lnet.request", "LNet Request", LNET_COOKIE_LENGTH)

static const struct rtap_field put_ack_fields[] = {
	COOKIE("lnet.src_cookie", "Cookie of the Request", 0), COOKIE("lnet.dst_cookie", "Cookie of the Completion", 64),
};
PART(put_ack, PUT_ACK, descriptor_after(parse), "lnet.putack", "LNet PUT Acknowledgement", PUT_ACK_LENGTH)

/* Memory of the sender: a key, and fragments. */
#define FRAGMENT_ROWS(order) \
	{ "lnet.rd.key", "Key", 0, 32, RTAP_HEX, (order) | RTAP_IS_RKEY, NULL, NULL, NULL }, \
	{ "lnet.rd.nfrags", "Fragments", 32, 32, RTAP_DEC, (order), NULL, NULL, NULL }, \
	{ "lnet.rd.nob", "Length", 64, 32, RTAP_DEC, (order) | RTAP_REPEATS | RTAP_UNPLACED, NULL, NULL, NULL }, \
	{ "lnet.rd.addr", "Address", 96, 64, RTAP_HEX, (order) | RTAP_REPEATS | RTAP_UNPLACED | RTAP_IS_ADDRESS, NULL, NULL, NULL }

static const struct rtap_field descriptor_fields[] = { FRAGMENT_ROWS(RTAP_LITTLE) };
static const struct rtap_field descriptor_be_fields[] = { FRAGMENT_ROWS(0) };

static void visit_descriptor(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *descriptor = layer_bytes(packet, layer);
	bool is_little = layer->protocol == PROTOCOL_LNET_DESCRIPTOR;

	for (uint32_t at = LNET_DESCRIPTOR_LENGTH; at + LNET_FRAGMENT_LENGTH <= layer->length; at += LNET_FRAGMENT_LENGTH) {
		struct rtap_value length = { .number = lnet_bits(is_little, descriptor + at, 0, 32) };
		struct rtap_value address = { .number = lnet_bits(is_little, descriptor + at, 32, 64) };

		visit_field(visitor, layer, layer->protocol, 2, &length, layer->offset + at, 4);
		visit_field(visitor, layer, layer->protocol, 3, &address, layer->offset + at + 4, 8);
	}
}

static enum result take_descriptor(struct parse *parse, bool is_little)
{
	const uint8_t *descriptor, *fragments;
	uint16_t protocol = is_little ? PROTOCOL_LNET_DESCRIPTOR : PROTOCOL_LNET_DESCRIPTOR_BE;
	enum result result = parse_layer(parse, protocol, LNET_DESCRIPTOR_LENGTH, &descriptor);
	uint64_t count;

	if (result != OK)
		return result;
	count = lnet_bits(is_little, descriptor, 32, 32);
	if (count > LNET_MOST_FRAGMENTS)
		count = LNET_MOST_FRAGMENTS;
	result = parse_more(parse, (uint32_t)count * LNET_FRAGMENT_LENGTH, &fragments);
	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static enum result parse_descriptor(struct parse *parse)
{
	return take_descriptor(parse, true);
}

static enum result parse_descriptor_be(struct parse *parse)
{
	return take_descriptor(parse, false);
}

const struct protocol lnet_descriptor_protocol = {
	.table = { "lnet.rd", "LNet RDMA Descriptor", "Lustre, o2iblnd-idl.h", LNET_DESCRIPTOR_LENGTH, FIELDS(descriptor_fields) },
	.scope = SCOPE_CALL, .parse = parse_descriptor, .visit = visit_descriptor,
};

const struct protocol lnet_descriptor_be_protocol = {
	.table = { "lnet.rd.be", "LNet RDMA Descriptor, big-endian", "Lustre, o2iblnd-idl.h", LNET_DESCRIPTOR_LENGTH, FIELDS(descriptor_be_fields) },
	.scope = SCOPE_CALL, .parse = parse_descriptor_be, .visit = visit_descriptor,
};
