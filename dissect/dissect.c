/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Entry of the dissection: from the link type down, header by header, each parse function naming the next.
 */
#include "config.h"

#include <stddef.h>

#include "dissect/engine/clear.h"
#include "dissect/dissect.h"
#include "dissect/engine/parse.h"
#include "dissect/registry.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_header.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/net/tcp.h"
#include "dissect/infiniband/upper.h"

/* Raw IP is identified only by its version field. */
static uint8_t raw_protocol(const struct rtap_frame *frame)
{
	switch (frame->captured_length ? frame->bytes[0] >> 4 : 4) {
	case 4: return PROTOCOL_IPV4;
	case 6: return PROTOCOL_IPV6;
	default: return PROTOCOL_PAYLOAD;
	}
}

static uint8_t first_protocol(const struct rtap_frame *frame)
{
	/* the one that most frames have */
	switch (__builtin_expect(frame->link_type, RTAP_LINK_ETHERNET)) {
	case RTAP_LINK_NULL: return PROTOCOL_LOOPBACK;
	case RTAP_LINK_ETHERNET: return PROTOCOL_ETHERNET;
	case RTAP_LINK_RAW: return raw_protocol(frame);
	case RTAP_LINK_LOOP: return PROTOCOL_LOOPBACK;
	case RTAP_LINK_LINUX_SLL: return PROTOCOL_COOKED;
	case RTAP_LINK_ERF: return PROTOCOL_ERF;
	case RTAP_LINK_IPV4: return PROTOCOL_IPV4;
	case RTAP_LINK_IPV6: return PROTOCOL_IPV6;
	case RTAP_LINK_IPOIB: return PROTOCOL_IPOIB_LINK;
	case RTAP_LINK_INFINIBAND: return PROTOCOL_LRH;
	case RTAP_LINK_LINUX_SLL2: return PROTOCOL_COOKED2;
	default: return PROTOCOL_NONE;
	}
}

static inline void run(struct parse *parse)
{
	do {
		while (parse->next != PROTOCOL_NONE) {
			uint8_t current = parse->next;

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
		.cursor = { frame->bytes, frame->captured_length, frame->wire_length },
	};
}

void rtap_dissect(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet)
{
	static const struct rtap_context nothing_known;
	struct parse parse = parse_frame(frame, context ? context : &nothing_known, packet);

	parse.next = first_protocol(frame);
	packet_add_layer(packet, PROTOCOL_FRAME, 0, 0, frame->captured_length);
	if (unlikely(parse.next == PROTOCOL_NONE))
		parse_anomaly(&parse, RTAP_ANOMALY_UNKNOWN_LINK_TYPE, 0);
	run(&parse);
}

/* A layer of that protocol went; unless one of the first `count` is of it too, the packet has none any more. */
static void forget_protocol(struct rtap_packet *packet, uint8_t count, uint8_t protocol)
{
	for (uint8_t i = 0; i < count; i++)
		if (packet->layers[i].protocol == protocol)
			return;
	packet->protocols[protocol / 64] &= ~(UINT64_C(1) << (protocol % 64));
}

/* Removes a layer and all layers after it. */
static void forget_layers(struct rtap_packet *packet, uint8_t from)
{
	uint8_t kept = 0;

	for (uint8_t i = from; i < packet->layer_count; i++)
		forget_protocol(packet, from, packet->layers[i].protocol);
	packet->layer_count = from;
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].layer < from)
			packet->anomalies[kept++] = packet->anomalies[i];
	packet->anomalies_found -= packet->anomaly_count - kept;
	packet->anomaly_count = kept;
}

/* A dissection from `offset` of a layer's source on, to the end of what the transport carried. */
static struct parse parse_behind(struct rtap_packet *packet, const struct rtap_context *context, uint8_t source, uint32_t offset)
{
	const struct rtap_payload *payload = &packet->payload;
	struct parse parse = { .packet = packet, .context = context };
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
	parse_set_source(&parse, source);
	parse.cursor = (struct cursor){ parse.source_bytes + offset, captured - offset, wire - offset };
	return parse;
}

/* If a reply was read completely, knowing its call affects only what follows the header. */
static bool learn_call(struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_context *context)
{
	uint8_t behind = (uint8_t)(layer - packet->layers + 1), more = (uint8_t)(packet->layer_count - behind);
	const struct rpc_program *known;
	uint32_t length;

	if (packet->rpc.record_mark || more > 1 || (more && layer[1].protocol != PROTOCOL_PAYLOAD) || behind == RTAP_MAX_LAYERS)
		return false;
	if (!rpc_learn_call(&packet->rpc, context))
		return false;
	known = rpc_program_of_body(&packet->rpc);
	if (!known)
		return true;
	length = more ? layer[1].length : 0;
	if (more)
		forget_layers(packet, behind);
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
	parse = parse_behind(packet, context, layer->source, layer->offset);
	parse.next = PROTOCOL_RPC;
	forget_layers(packet, (uint8_t)(layer - packet->layers));
	packet->rpc = (struct rtap_rpc_facts){ 0 };
	run(&parse);
}

void packet_dissect_follows(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_layer *layer = packet->layers;
	struct parse parse;

	while (layer->protocol != PROTOCOL_RPCRDMA)
		layer++;
	parse = parse_behind(packet, context, layer->source, layer->offset + layer->length);
	parse.next = PROTOCOL_PAYLOAD;
	forget_layers(packet, (uint8_t)(layer - packet->layers + 1));
	packet->rpc = (struct rtap_rpc_facts){ 0 };
	run(&parse);
}

void packet_forget_segment(struct rtap_packet *packet)
{
	uint8_t behind = packet->layer_count;

	while (packet->layers[behind - 1].protocol != PROTOCOL_TCP)
		behind--;
	forget_layers(packet, behind);
	if (!packet->fpdus.count)
		return;
	packet->fpdus = (struct rtap_fpdus){ 0 };
	packet->rpcrdma = (struct rtap_rpcrdma_facts){ 0 };
	packet->rpc = (struct rtap_rpc_facts){ 0 };
}

/* Of what a segment carries. */
static struct parse parse_segment(struct rtap_packet *packet, const struct rtap_context *context)
{
	const struct rtap_payload *payload = &packet->tcp.payload;
	struct parse parse = { .packet = packet, .context = context, .narrowed = true };

	parse_set_source(&parse, payload->source);
	parse.cursor = (struct cursor){ parse.source_bytes + payload->offset, payload->captured, payload->wire };
	return parse;
}

void packet_dissect_segment(struct rtap_packet *packet, const struct rtap_context *context)
{
	struct parse parse = parse_segment(packet, context);

	/* it has said so, and would again */
	if (packet->layer_count == RTAP_MAX_LAYERS) {
		struct rtap_flow_facts flow = packet->flow;

		rtap_dissect(packet->frame, context, packet);
		packet->flow = flow;
		return;
	}
	parse.next = upper_of_segment(&parse);
	/* nothing else was presumed */
	if (parse.next == PROTOCOL_PAYLOAD && !packet->fpdus.count && rtap_packet_has(packet, PROTOCOL_PAYLOAD))
		return;
	packet_forget_segment(packet);
	run(&parse);
}

/* Appends the layers and anomalies of a Send at `offset` of source 0. */
static void append(struct rtap_packet *packet, const struct rtap_packet *send, uint32_t offset)
{
	uint8_t before = packet->layer_count;

	for (uint8_t i = 0; i < send->layer_count; i++) {
		packet->layers[before + i] = send->layers[i];
		packet->layers[before + i].offset += offset;
	}
	packet->layer_count = (uint8_t)(before + send->layer_count);
	for (unsigned i = 0; i < RTAP_PROTOCOL_WORDS; i++)
		packet->protocols[i] |= send->protocols[i];
	for (uint8_t i = 0; i < send->anomaly_count && packet->anomaly_count < RTAP_MAX_ANOMALIES; i++) {
		packet->anomalies[packet->anomaly_count] = send->anomalies[i];
		packet->anomalies[packet->anomaly_count].layer = (uint8_t)(before + send->anomalies[i].layer);
		packet->anomalies[packet->anomaly_count++].offset += offset;
	}
	packet->anomalies_found += send->anomalies_found;
}

/* Finds the bytes of a Send in the frame. False: not all of them are there, or its dissection has other sources too. */
static bool find_in_frame(const struct rtap_packet *packet, const struct rtap_packet *send, uint32_t *offset)
{
	uintptr_t start = (uintptr_t)packet->sources[0].bytes, at = (uintptr_t)send->sources[0].bytes;
	uint32_t captured = packet->sources[0].captured;

	if (send->source_count != 1 || at < start || at - start > captured || send->sources[0].captured > captured - (at - start))
		return false;
	*offset = (uint32_t)(at - start);
	return true;
}

void packet_graft_send(struct rtap_packet *packet, const struct rtap_context *context, const struct rtap_packet *send)
{
	struct parse parse = parse_segment(packet, context);
	uint32_t offset;

	if (packet->layer_count + 3 + send->layer_count > RTAP_MAX_LAYERS || !find_in_frame(packet, send, &offset)) {
		packet_dissect_segment(packet, context);
		return;
	}
	packet_forget_segment(packet);
	if (registry[PROTOCOL_MPA_FPDU]->parse(&parse) != OK)
		return;
	append(packet, send, offset);
	packet->rpcrdma = send->rpcrdma;
	packet->rpc = send->rpc;
	parse.unit = 1;
	(void)parse.more(&parse);
}

void packet_dissect_send(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet)
{
	struct parse parse = parse_frame(frame, context, packet);

	parse.next = upper_of_iwarp_send(&parse);
	run(&parse);
	packet->payload = (struct rtap_payload){ 0, 0, frame->captured_length, frame->wire_length };
}
