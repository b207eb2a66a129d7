/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entry of the dissection: from the link type down, header by header, each parse function naming the next.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "dissect/dissect.h"
#include "dissect/engine/clear.h"
#include "dissect/engine/parse.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_ext.h"
#include "dissect/infiniband/upper.h"
#include "dissect/iwarp/mpa_fpdu.h"
#include "dissect/management/cm.h"
#include "dissect/management/cm_private.h"
#include "dissect/management/sa.h"
#include "dissect/net/ip.h"
#include "dissect/net/link_type.h"
#include "dissect/net/tcp.h"
#include "dissect/net/udp.h"
#include "dissect/registry.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_header.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpcrdma.h"

static inline void run(struct parse *parse)
{
	do {
		while (parse->next != PROTOCOL_NONE) {
			uint16_t current = parse->next;

			parse->next = PROTOCOL_NONE;
			if (registry[current]->parse(parse) != OK)
				break;
		}
	} while (parse->more && parse->more(parse));
}

/* Starts the dissection of a whole frame with an empty packet. */
static inline struct parse parse_frame(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet)
{
	clear_bytes(packet, offsetof(struct rtap_packet, anomalies));
	packet->frame = frame;
	packet->sources[0].bytes = frame->bytes;
	packet->sources[0].captured = frame->captured_length;
	packet->sources[0].wire = frame->wire_length;
	packet->source_count = 1;
	return (struct parse){
		.packet = packet, .context = context, .source_bytes = frame->bytes,
		.cursor = { frame->bytes, frame->captured_length, frame->wire_length }, .next = PROTOCOL_NONE,
	};
}

void dissect_frame(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet)
{
	static const struct rtap_context nothing_known;
	struct parse parse = parse_frame(frame, context ? context : &nothing_known, packet);

	parse.next = link_type_protocol(frame->link_type, &parse.cursor);
	packet_add_layer(packet, PROTOCOL_FRAME, 0, 0, frame->captured_length);
	if (unlikely(parse.next == PROTOCOL_NONE))
		parse_anomaly(&parse, RTAP_ANOMALY_UNKNOWN_LINK_TYPE, 0);
	run(&parse);
}

void rtap_dissect(struct rtap_packet *packet, const struct rtap_frame *frame)
{
	dissect_frame(frame, &((const struct opened_packet *)packet)->context, packet);
	packet_restore_carrier(packet);
}

/* Updates the set of protocols after a layer was removed: the packet still has the protocol if one of the first `count` layers is of it. */
static void discard_protocol(struct rtap_packet *packet, uint8_t count, uint16_t protocol)
{
	for (uint8_t i = 0; i < count; i++)
		if (packet->layers[i].protocol == protocol)
			return;
	packet->protocols[protocol / 64] &= ~(UINT64_C(1) << (protocol % 64));
}

/* Removes a layer and all layers after it. */
static void discard_layers(struct rtap_packet *packet, uint8_t from)
{
	uint8_t kept = 0;

	for (uint8_t i = from; i < packet->layer_count; i++)
		discard_protocol(packet, from, packet->layers[i].protocol);
	packet->layer_count = from;
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].layer < from)
			packet->anomalies[kept++] = packet->anomalies[i];
	packet->anomalies_found -= packet->anomaly_count - kept;
	packet->anomaly_count = kept;
}

/* A dissection of a part of a layer's source. */
static struct parse parse_part(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_payload *part)
{
	struct parse parse = { .packet = packet, .context = context, .narrowed = true, .next = PROTOCOL_NONE };

	parse_set_source(&parse, part->source);
	parse.cursor = (struct cursor){ parse.source_bytes + part->offset, part->captured, part->wire };
	return parse;
}

/* Continues at `offset` of a layer's source, up to the end of the transport's payload. */
static struct parse parse_after(struct rtap_packet *packet, const struct rtap_context *context, uint8_t source, uint32_t offset)
{
	const struct rtap_payload *payload = &packet->payload;
	uint32_t captured = packet->sources[source].captured, wire = packet->sources[source].wire;

	if (source == payload->source) {
		captured = payload->offset + payload->captured;
		wire = payload->offset + payload->wire;
	}
	/* the layer may follow the transport's payload */
	if (captured < offset)
		captured = offset;
	if (wire < captured)
		wire = captured;
	return parse_part(packet, context, &(struct rtap_payload){ source, offset, captured - offset, wire - offset });
}

/* The last layer of a protocol, which the packet has. */
static const struct rtap_layer *last_layer(const struct rtap_packet *packet, uint16_t protocol)
{
	const struct rtap_layer *layer = packet->layers + packet->layer_count - 1;

	while (layer->protocol != protocol)
		layer--;
	return layer;
}

/* Removes the layers after the headers, and reassembled bytes; sources up to `source` stay. */
static void discard_body(struct rtap_packet *packet, uint8_t from, uint8_t source)
{
	discard_layers(packet, from);
	while (packet->source_count > source + 1)
		memset(&packet->sources[--packet->source_count], 0, sizeof packet->sources[0]);
	packet->upper = RTAP_UPPER_UNKNOWN;
	packet->request = (struct packet_request){ 0 };
	packet->rpcrdma = (struct rtap_rpcrdma_facts){ 0 };
	packet->rpc = (struct rtap_rpc_facts){ 0 };
}

/* The first layer after the transport headers and the CRCs. */
static uint8_t first_of_body(const struct rtap_packet *packet)
{
	uint8_t body = (uint8_t)(last_layer(packet, PROTOCOL_BTH) - packet->layers);

	while (body < packet->layer_count && packet->layers[body].protocol >= PROTOCOL_BTH && packet->layers[body].protocol <= PROTOCOL_VCRC)
		body++;
	return body;
}

void packet_dissect_payload(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	uint8_t body = first_of_body(packet);
	struct parse parse;

	/* a truncated header, or no room for more layers: nothing follows */
	if (packet->payload.offset != packet->ib.bth_offset + BTH_LENGTH + ib_extended_length(opcode) || body == RTAP_MAX_LAYERS)
		return;
	discard_body(packet, body, packet->payload.source);
	parse = parse_part(packet, context, &packet->payload);
	if (upper_begin(&parse, opcode) == OK)
		run(&parse);
}

void packet_dissect_records(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	const struct rtap_payload data = { mad->source, mad->data_offset, mad->data_captured, mad->data_captured };
	uint16_t protocol = packet_has(packet, PROTOCOL_SA) ? PROTOCOL_SA : PROTOCOL_MAD_VENDOR;
	const struct rtap_layer *header;
	struct parse parse;

	if (!packet_has(packet, protocol))
		return;
	header = last_layer(packet, protocol);
	if (header->length < protocol_by_number(protocol)->table.length)
		return;
	discard_body(packet, (uint8_t)(header - packet->layers + 1), mad->source);
	parse = parse_part(packet, context, &data);
	if (protocol == PROTOCOL_SA)
		sa_take_segment(&parse, layer_bytes(packet, header));
	else if (parse_enter(&parse, context->records))
		parse.next = PROTOCOL_PAYLOAD;
	run(&parse);
}

void packet_dissect_private(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_layer *message = last_layer(packet, cm_protocol(packet->cm.attribute));
	uint8_t after = (uint8_t)(message - packet->layers + 1);
	bool has_more = after < packet->layer_count;
	struct rtap_layer more = { .protocol = PROTOCOL_NONE };
	struct parse parse = { .packet = packet, .context = context };
	uint16_t consumer;

	parse_set_source(&parse, message->source);
	consumer = cm_private_protocol(&parse, message);
	if (consumer == PROTOCOL_NONE)
		return;
	if (has_more)
		more = packet->layers[after];
	discard_layers(packet, after);
	parse_place_layer(&parse, consumer, message->offset + protocol_by_number(message->protocol)->table.length,
			  protocol_by_number(consumer)->table.length);
	if (has_more)
		parse_place_layer(&parse, more.protocol, more.offset, more.length);
}

void packet_dissect_datagram(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_fragment_facts *fragment = &packet->fragment;
	struct parse parse = parse_part(packet, context, &fragment->piece);

	if (packet->source_count == RTAP_MAX_SOURCES)
		return;
	if (packet->layers[packet->layer_count - 1].protocol == PROTOCOL_PAYLOAD)
		discard_layers(packet, (uint8_t)(packet->layer_count - 1));
	ip_enter_datagram(&parse);
	run(&parse);
}

void packet_dissect_udp(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_layer *layer = last_layer(packet, PROTOCOL_UDP);
	const struct rtap_payload *payload = &packet->payload;
	uint8_t after = (uint8_t)(layer - packet->layers + 1);
	struct parse parse;

	/* the payload is that of an outer packet, not of this layer, or there is no room for more layers */
	if (layer->source != payload->source || layer->offset + layer->length != payload->offset || after == RTAP_MAX_LAYERS)
		return;
	discard_body(packet, after, payload->source);
	parse = parse_part(packet, context, payload);
	parse.next = upper_of_datagram(&parse);
	run(&parse);
}

/* If a reply was read completely, knowing its call affects only what follows the header. */
static bool learn_call(struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_context *context)
{
	uint8_t after = (uint8_t)(layer - packet->layers + 1), more = (uint8_t)(packet->layer_count - after);
	const struct rpc_program *known;
	uint32_t length;

	if (packet->rpc.record_mark || more > 1 || (more && layer[1].protocol != PROTOCOL_PAYLOAD) || after == RTAP_MAX_LAYERS)
		return false;
	if (!rpc_learn_call(&packet->rpc, context))
		return false;
	known = rpc_program_of_body(&packet->rpc);
	if (!known)
		return true;
	length = more ? layer[1].length : 0;
	if (more)
		discard_layers(packet, after);
	packet_add_layer(packet, known->tables->protocol, layer->source, layer->offset + layer->length, length);
	return true;
}

void packet_dissect_reply(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_layer *layer = packet->layers;
	struct parse parse;

	while (layer->protocol != PROTOCOL_RPC)
		layer++;
	if (learn_call(packet, layer, context))
		return;
	parse = parse_after(packet, context, layer->source, layer->offset);
	parse.next = PROTOCOL_RPC;
	discard_layers(packet, (uint8_t)(layer - packet->layers));
	packet->rpc = (struct rtap_rpc_facts){ 0 };
	run(&parse);
}

void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_layer *layer = packet->layers;
	struct parse parse;

	while (layer->protocol != PROTOCOL_RPCRDMA)
		layer++;
	parse = parse_after(packet, context, layer->source, layer->offset + layer->length);
	parse.next = PROTOCOL_PAYLOAD;
	discard_layers(packet, (uint8_t)(layer - packet->layers + 1));
	packet->rpc = (struct rtap_rpc_facts){ 0 };
	run(&parse);
}

/* The first layer after one of TCP's or RDMAP's. */
static uint8_t first_after(const struct rtap_packet *packet, uint16_t protocol)
{
	return (uint8_t)(last_layer(packet, protocol) - packet->layers + 1);
}

void packet_discard_segment(struct rtap_packet *packet)
{
	uint8_t after = first_after(packet, PROTOCOL_TCP);

	if (!packet->fpdus.count) {
		discard_layers(packet, after);
		return;
	}
	packet->fpdus = (struct rtap_fpdus){ 0 };
	discard_body(packet, after, packet->tcp.payload.source);
}

#define FPDU_LAYERS 3 /* MPA, DDP, RDMAP */

static bool has_room_after_tcp(const struct rtap_packet *packet)
{
	return packet->layer_count < RTAP_MAX_LAYERS || packet->layers[RTAP_MAX_LAYERS - 1].protocol != PROTOCOL_TCP;
}

bool packet_begin_fpdus(struct rtap_packet *packet, const struct rtap_context *context)
{
	struct parse parse = parse_part(packet, context, &packet->tcp.payload);

	/* so that nothing fails once layers are removed */
	if (upper_of_segment(&parse) != PROTOCOL_MPA_FPDU || packet->layer_count + FPDU_LAYERS > RTAP_MAX_LAYERS)
		return false;
	packet_discard_segment(packet);
	return registry[PROTOCOL_MPA_FPDU]->parse(&parse) == OK;
}

bool packet_dissect_fpdu(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_fpdu *fpdu)
{
	struct parse parse = parse_part(packet, context, &packet->tcp.payload);

	if (!iwarp_enter_fpdu(&parse, fpdu))
		return false;
	packet->payload = (struct rtap_payload){ parse.source, parse_offset(&parse), parse.cursor.captured, parse.cursor.wire };
	run(&parse);
	return true;
}

bool packet_take_body(struct rtap_packet *packet, struct packet_body *body)
{
	uint8_t first = first_after(packet, PROTOCOL_RDMAP);

	body->count = (uint8_t)(packet->layer_count - first);
	if (!body->count)
		return true;
	/* they would refer to other layers */
	if (packet->anomaly_count)
		return false;
	body->upper = packet->upper;
	body->rpcrdma = packet->rpcrdma;
	body->rpc = packet->rpc;
	memcpy(body->layers, packet->layers + first, body->count * sizeof body->layers[0]);
	discard_body(packet, first, (uint8_t)(packet->source_count - 1));
	return true;
}

void packet_discard_fpdu(struct rtap_packet *packet, uint8_t source_count)
{
	discard_body(packet, first_after(packet, PROTOCOL_RDMAP), (uint8_t)(source_count - 1));
}

bool packet_return_body(struct rtap_packet *packet, const struct packet_body *body)
{
	uint8_t first, own;

	if (!body->count)
		return true;
	first = first_after(packet, PROTOCOL_RDMAP);
	own = (uint8_t)(packet->layer_count - first);
	if (packet->layer_count + body->count > RTAP_MAX_LAYERS || packet->anomaly_count)
		return false;
	memmove(packet->layers + first + body->count, packet->layers + first, own * sizeof packet->layers[0]);
	memcpy(packet->layers + first, body->layers, body->count * sizeof body->layers[0]);
	packet->layer_count = (uint8_t)(packet->layer_count + body->count);
	for (uint8_t i = 0; i < body->count; i++)
		packet->protocols[body->layers[i].protocol / 64] |= UINT64_C(1) << (body->layers[i].protocol % 64);
	if (packet->upper == RTAP_UPPER_UNKNOWN)
		packet->upper = body->upper;
	if (!packet->rpcrdma.present && !packet->rpcrdma.length)
		packet->rpcrdma = body->rpcrdma;
	if (!packet->rpc.present)
		packet->rpc = body->rpc;
	return true;
}

bool packet_end_fpdus(struct rtap_packet *packet, const struct rtap_context *context, uint32_t begun)
{
	packet->fpdus.list = context->fpdus;
	packet->fpdus.count = context->fpdu_count;
	return iwarp_end_fpdus(packet, begun);
}

void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context)
{
	struct parse parse = parse_part(packet, context, &packet->tcp.payload);

	if (!has_room_after_tcp(packet))
		return;
	parse.next = upper_of_segment(&parse);
	/* nothing else was presumed */
	if (parse.next == PROTOCOL_PAYLOAD && !packet->fpdus.count && packet_has(packet, PROTOCOL_PAYLOAD))
		return;
	packet_discard_segment(packet);
	run(&parse);
}

void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet)
{
	struct parse parse = parse_frame(frame, context, packet);

	parse.next = upper_of_iwarp_send(&parse);
	run(&parse);
	packet->payload = (struct rtap_payload){ 0, 0, frame->captured_length, frame->wire_length };
}

void packet_dissect_chunk(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet)
{
	struct parse parse = parse_frame(frame, context, packet);

	if (upper_begin_chunk(&parse, context))
		run(&parse);
}
