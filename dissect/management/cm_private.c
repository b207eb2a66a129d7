/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Private data in messages of communication management: the header of the RDMA IP CM service (IBTA vol. 1, annex A11)
 * and the message of RPC-over-RDMA (RFC 8797).
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/management/cm.h"
#include "dissect/management/cm_consumers.h"
#include "dissect/management/cm_private.h"
#include "dissect/engine/parse.h"
#include "dissect/infiniband/upper.h"

/* Header of the RDMA IP CM service. A11.5. */
#define IP_CM_LENGTH 36
#define IP_CM_MAJOR 0, 4
#define IP_CM_MINOR 4, 4
#define IP_CM_IP_VERSION 8, 4
#define IP_CM_RESERVED 12, 4
#define IP_CM_SOURCE_PORT 16, 16
#define IP_CM_SOURCE 32, 128
#define IP_CM_SOURCE_IPV4 128, 32
#define IP_CM_DESTINATION 160, 128
#define IP_CM_DESTINATION_IPV4 256, 32

static bool is_ipv4(const uint8_t *header)
{
	return bits(header, IP_CM_IP_VERSION) == 4;
}

/* The bytes of an address of 16 bytes, or the last four of them */
static bool derive_address(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
			   bool want_ipv4)
{
	const uint8_t *header = layer_bytes(packet, layer);

	value->data = (struct rtap_span){ header + at, want_ipv4 ? 4 : 16 };
	return is_ipv4(header) == want_ipv4;
}

static bool derive_source_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_address(packet, layer, value, 16, true);
}

static bool derive_source_ipv6(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_address(packet, layer, value, 4, false);
}

static bool derive_destination_ipv4(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_address(packet, layer, value, 32, true);
}

static bool derive_destination_ipv6(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_address(packet, layer, value, 20, false);
}

/* Bytes of private data that the message in front of the header has room for. */
static uint32_t private_length(const struct rtap_layer *message)
{
	return CM_DATA_LENGTH - protocol_by_number(message->protocol)->table.length;
}

static bool derive_whole(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), layer->length };
	return layer->length == private_length(layer - 1);
}

static bool derive_consumer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (!derive_whole(packet, layer, value))
		return false;
	value->data.bytes += IP_CM_LENGTH;
	value->data.length -= IP_CM_LENGTH;
	return true;
}

static const struct rtap_field ip_cm_fields[] = {
	{ "infiniband.cm.req.ip_cm", "IP CM Private Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_whole, NULL },
	{ "infiniband.cm.req.ip_cm.majv", "IP CM Major Version", IP_CM_MAJOR, RTAP_HEX8, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.ip_cm.minv", "IP CM Minor Version", IP_CM_MINOR, RTAP_HEX8, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.ip_cm.ipv", "IP CM IP Version", IP_CM_IP_VERSION, RTAP_HEX8, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.ip_cm.reserved", "IP CM Reserved", IP_CM_RESERVED, RTAP_HEX8, 0, NULL, NULL, NULL },
	{ "infiniband.cm.req.ip_cm.sport", "IP CM Source Port", IP_CM_SOURCE_PORT, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.cm.req.ip_cm.sip6", "IP CM Source IP", IP_CM_SOURCE, RTAP_IPV6, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_source_ipv6, NULL },
	{ "infiniband.cm.req.ip_cm.sip4", "IP CM Source IP", IP_CM_SOURCE_IPV4, RTAP_IPV4, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_source_ipv4, NULL },
	{ "infiniband.cm.req.ip_cm.dip6", "IP CM Destination IP", IP_CM_DESTINATION, RTAP_IPV6, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_destination_ipv6, NULL },
	{ "infiniband.cm.req.ip_cm.dip4", "IP CM Destination IP", IP_CM_DESTINATION_IPV4, RTAP_IPV4, RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_destination_ipv4, NULL },
	{ "infiniband.cm.req.ip_cm.private", "IP CM Consumer Private Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL,
	  derive_consumer, NULL },
};

static void note_ip(struct rtap_cm_facts *facts, const uint8_t *header)
{
	bool ipv4 = is_ipv4(header);

	facts->source_port = (uint16_t)bits(header, IP_CM_SOURCE_PORT);
	facts->destination_port = (uint16_t)facts->service_id;
	facts->address_length = ipv4 ? 4 : 16;
	facts->source_address = header + (ipv4 ? 16 : 4);
	facts->destination_address = header + (ipv4 ? 32 : 20);
}

static enum result parse_ip(struct parse *parse)
{
	const struct rtap_layer *message = &parse->packet->layers[parse->packet->layer_count - 1];
	uint32_t offset = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_IP_CM, IP_CM_LENGTH, &header);

	if (result != OK)
		return result;
	if (bits(header, IP_CM_MAJOR))
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, offset);
	if (is_ipv4(header) || bits(header, IP_CM_IP_VERSION) == 6)
		note_ip(&parse->packet->cm, header);
	else
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, offset + 1);
	return cm_take_private(parse, private_length(message) - IP_CM_LENGTH);
}

const struct protocol ip_cm_protocol = {
	.table = { "infiniband.cm.ip_cm", "RDMA IP CM Service", "IBTA vol. 1, A11", IP_CM_LENGTH, FIELDS(ip_cm_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_ip,
};

/* A11.3: the prefix, the IP protocol's number, its port */
static const struct rtap_name ip_protocol_names[] = { { 0x06, "TCP" }, { 0x11, "UDP" }, { 0x3f, "IB" }, { 0, NULL } };

void cm_summary_service(const struct rtap_packet *packet, const struct rtap_layer *message, uint64_t service_id, struct line *line)
{
	const struct rtap_layer *after = layer_after(packet, message);
	const char *name = rtap_name_of(ip_protocol_names, service_id >> 16 & 0xff);

	line_text(line, " service ");
	if (service_id >> 24 != CM_IP_SERVICE_PREFIX) {
		line_hex(line, service_id, 16);
		return;
	}
	if (after && after->protocol == PROTOCOL_IP_CM && packet->cm.destination_address) {
		bool ipv4 = packet->cm.address_length == 4;

		line_text(line, ipv4 ? "" : "[");
		line_ip(line, packet->cm.destination_address, packet->cm.address_length);
		line_text(line, ipv4 ? ":" : "]:");
	}
	line_dec(line, service_id & 0xffff);
	line_char(line, '/');
	if (name)
		line_text(line, name);
	else
		line_hex(line, service_id >> 16 & 0xff, 2);
}

/* RPC-over-RDMA's message. RFC 8797, section 4. */
#define RPC_PRIVATE_FORMAT 0, 32
#define RPC_PRIVATE_VERSION 32, 8
#define RPC_PRIVATE_FLAGS 40, 8
#define RPC_PRIVATE_FLAGS_RESERVED 40, 7
#define RPC_PRIVATE_R 47, 1
#define RPC_PRIVATE_SEND_SIZE 48, 8
#define RPC_PRIVATE_RECEIVE_SIZE 56, 8

#define RPC_PRIVATE_MAGIC 0xf6ab0e18
#define RPC_PRIVATE_VERSION_1 1

/* RFC 8797, 4.2: a size is written as its KiB less one */
static uint32_t decoded_size(uint64_t encoded)
{
	return ((uint32_t)encoded + 1) * 1024;
}

static bool derive_send_size(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length < RPCRDMA_PRIVATE_LENGTH)
		return false;
	value->number = decoded_size(bits(layer_bytes(packet, layer), RPC_PRIVATE_SEND_SIZE));
	return true;
}

static bool derive_receive_size(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length < RPCRDMA_PRIVATE_LENGTH)
		return false;
	value->number = decoded_size(bits(layer_bytes(packet, layer), RPC_PRIVATE_RECEIVE_SIZE));
	return true;
}

static const struct rtap_field rpc_private_fields[] = {
	{ "rpcordma.private.format", "Format Identifier", RPC_PRIVATE_FORMAT, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "rpcordma.private.version", "Version", RPC_PRIVATE_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "rpcordma.private.flags", "Flags", RPC_PRIVATE_FLAGS, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "rpcordma.private.reserved", "Reserved", RPC_PRIVATE_FLAGS_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "rpcordma.private.r", "Remote Invalidation Supported", RPC_PRIVATE_R, RTAP_BOOL, 0, NULL, NULL, "RFC 8797, 4.1" },
	{ "rpcordma.private.send_size_code", "Send Size, encoded", RPC_PRIVATE_SEND_SIZE, RTAP_DEC, 0, NULL, NULL, "RFC 8797, 4.2" },
	{ "rpcordma.private.receive_size_code", "Receive Size, encoded", RPC_PRIVATE_RECEIVE_SIZE, RTAP_DEC, 0, NULL, NULL, "RFC 8797, 4.2" },
	{ "rpcordma.private.send_size", "Send Size, in bytes", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_send_size, "RFC 8797, 4.2" },
	{ "rpcordma.private.receive_size", "Receive Size, in bytes", 0, 32, RTAP_DEC, RTAP_UNPLACED, NULL, derive_receive_size,
	  "RFC 8797, 4.2" },
};

static void summary_rpc_private(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *message = layer_bytes(packet, layer);
	char *begin;

	if (layer->length < RPCRDMA_PRIVATE_LENGTH)
		return;
	line_text(line, " RPC/RDMA");
	begin = line->next;
	line_text(line, " send ");
	line_dec(line, decoded_size(bits(message, RPC_PRIVATE_SEND_SIZE)));
	line_text(line, " recv ");
	line_dec(line, decoded_size(bits(message, RPC_PRIVATE_RECEIVE_SIZE)));
	if (bits(message, RPC_PRIVATE_R))
		line_text(line, " inv");
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

const struct protocol rpcrdma_private_protocol = {
	/* not "rpcordma.private": "rpcordma" would include it, and a connection request is not an RPC-over-RDMA message */
	.table = { "rpcordma_private", "RPC-over-RDMA Private Message", "RFC 8797, section 4", RPCRDMA_PRIVATE_LENGTH, FIELDS(rpc_private_fields) },
	.scope = SCOPE_MESSAGE,
	.summary = summary_rpc_private,
};

const uint8_t *rpcrdma_find_private(const uint8_t *bytes, uint32_t length, struct rpcrdma_private *message)
{
	const uint8_t *end = bytes + length;

	for (; end - bytes >= RPCRDMA_PRIVATE_LENGTH; bytes++) {
		bytes = memchr(bytes, RPC_PRIVATE_MAGIC >> 24, (size_t)(end - bytes) - RPCRDMA_PRIVATE_LENGTH + 1);
		if (!bytes)
			break;
		if (bits(bytes, RPC_PRIVATE_FORMAT) != RPC_PRIVATE_MAGIC || bits(bytes, RPC_PRIVATE_VERSION) != RPC_PRIVATE_VERSION_1)
			continue;
		message->remote_invalidation = bits(bytes, RPC_PRIVATE_R);
		message->send_size = decoded_size(bits(bytes, RPC_PRIVATE_SEND_SIZE));
		message->receive_size = decoded_size(bits(bytes, RPC_PRIVATE_RECEIVE_SIZE));
		return bytes;
	}
	return NULL;
}

static void note_rpc_private(struct rtap_cm_facts *facts, const struct rpcrdma_private *message)
{
	facts->upper = RTAP_UPPER_RPCRDMA;
	facts->remote_invalidation = message->remote_invalidation;
	facts->send_size = message->send_size;
	facts->receive_size = message->receive_size;
}

/* Only connection requests and replies contain the message, which is recognised by its content. */
static bool may_hold_rpc_private(const struct parse *parse)
{
	uint8_t attribute = parse->packet->cm.attribute;

	return !parse->context->no_heuristics && (attribute == CM_REQ || attribute == CM_REP);
}

static void note_consumer(struct parse *parse, uint32_t offset, uint32_t length)
{
	struct rtap_cm_facts *facts = &parse->packet->cm;

	facts->source = parse->source;
	facts->private_offset = offset;
	facts->private_length = length;
}

uint16_t cm_private_protocol(const struct parse *parse, const struct rtap_layer *message)
{
	uint32_t fixed = protocol_by_number(message->protocol)->table.length;
	uint16_t consumer = cm_consumer_protocol(parse, layer_bytes(parse->packet, message) + fixed, message->length - fixed);

	return parse->packet->cm.upper == RTAP_UPPER_RPCRDMA ? PROTOCOL_NONE : consumer;
}

enum result cm_take_private(struct parse *parse, uint32_t length)
{
	const uint8_t *bytes = parse->cursor.next, *message = NULL, *taken;
	uint32_t offset = parse_offset(parse);
	uint32_t captured = parse->cursor.captured < length ? parse->cursor.captured : length;
	struct rpcrdma_private facts;
	uint16_t consumer = PROTOCOL_NONE;
	enum result result;

	consumer = cm_consumer_protocol(parse, bytes, captured);
	if (may_hold_rpc_private(parse))
		message = rpcrdma_find_private(bytes, captured, &facts);
	if (message)
		consumer = PROTOCOL_NONE;
	result = parse_more(parse, length, &taken);
	if (consumer != PROTOCOL_NONE)
		parse_place_layer(parse, consumer, offset, protocol_by_number(consumer)->table.length);
	if (message) {
		note_rpc_private(&parse->packet->cm, &facts);
		parse_place_layer(parse, PROTOCOL_RPCRDMA_PRIVATE, offset + (uint32_t)(message - bytes), RPCRDMA_PRIVATE_LENGTH);
	}
	if (result != OK)
		return result;
	note_consumer(parse, offset, length);
	if (parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

bool cm_derive_private(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	uint32_t fixed = protocol_by_number(layer->protocol)->table.length;

	if (layer->length != CM_DATA_LENGTH)
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + fixed, CM_DATA_LENGTH - fixed };
	return true;
}
