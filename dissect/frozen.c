/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "dissect/frozen.h"
#include "dissect/protocol.h"

/* What stands at the front of each packet: from the source count up to the facts. */
#define HEAD offsetof(struct rtap_packet, source_count)
#define HEAD_LENGTH (offsetof(struct rtap_packet, fragment) - HEAD)

/* Facts that not every packet has, in the order in which they are written. X(bit, member, whether the packet has them) */
#define PARTS(X) \
	X(0, fragment, packet->fragment.present || packet->fragment.whole) \
	X(1, ib, packet->ib.has_bth || packet->ib.has_lrh || packet->ib.has_grh) \
	X(2, mad, rtap_packet_has(packet, PROTOCOL_MAD)) \
	X(3, cm, packet->cm.present || packet->cm.attribute) \
	X(4, tcp, packet->tcp.present) \
	X(5, mpa, packet->mpa.present) \
	X(6, fpdus, packet->fpdus.count) \
	X(7, rpcrdma, packet->rpcrdma.present || packet->rpcrdma.length) \
	X(8, rpc, packet->rpc.present) \
	X(9, flow, has_any(&packet->flow, sizeof packet->flow / 8))

/* What state tells comes in many parts, each of which can be there without the others. */
_Static_assert(sizeof(struct rtap_flow_facts) % 8 == 0, "it is all words");

static inline bool has_any(const void *facts, size_t words)
{
	const uint8_t *next = facts;
	uint64_t word, any = 0;

	for (; words; words--, next += 8) {
		memcpy(&word, next, 8);
		any |= word;
	}
	return any;
}

/* Lengths that the compiler knows: copies of them are a few moves. */
static inline uint8_t *put(uint8_t *to, const void *from, size_t length)
{
	memcpy(to, from, length);
	return to + length;
}

static inline const uint8_t *get(const uint8_t *from, void *to, size_t length)
{
	memcpy(to, from, length);
	return from + length;
}

/*
 * Layers: of any number, so that a call of memcpy() would cost more than the copy. A few bytes behind the last may be copied too:
 * the room for all of them is a multiple of a piece.
 */
#define PIECE 16
#define LAYER_PIECES(packet) (((packet)->layer_count * sizeof(struct rtap_layer) + PIECE - 1) / PIECE)

_Static_assert(RTAP_MAX_LAYERS * sizeof(struct rtap_layer) % PIECE == 0, "the last piece is whole");

static inline uint8_t *put_layers(uint8_t *to, const struct rtap_packet *packet)
{
	const uint8_t *from = (const uint8_t *)packet->layers;

	for (size_t count = LAYER_PIECES(packet); count; count--, from += PIECE)
		to = put(to, from, PIECE);
	return to;
}

static inline const uint8_t *get_layers(const uint8_t *from, struct rtap_packet *packet)
{
	uint8_t *to = (uint8_t *)packet->layers;

	for (size_t count = LAYER_PIECES(packet); count; count--, to += PIECE)
		from = get(from, to, PIECE);
	return from;
}

bool packet_is_of_frame(const struct rtap_packet *packet)
{
	return packet->source_count == 1 && !packet->fpdus.list;
}

size_t packet_freeze(const struct rtap_packet *packet, uint8_t *frozen)
{
	uint8_t *next = frozen + sizeof(uint16_t);
	uint16_t parts = 0;

	next = put(next, (const uint8_t *)packet + HEAD, HEAD_LENGTH);
	next = put(next, &packet->payload, sizeof packet->payload);
#define PUT(bit, member, has) \
	if (has) { \
		parts |= 1u << bit; \
		next = put(next, &packet->member, sizeof packet->member); \
	}
	PARTS(PUT)
#undef PUT
	memcpy(frozen, &parts, sizeof parts);
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		next = put(next, &packet->anomalies[i], sizeof packet->anomalies[i]);
	next = put_layers(next, packet);
	return (size_t)(next - frozen);
}

size_t packet_thaw(const uint8_t *frozen, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	const uint8_t *next;
	uint16_t parts;

	memset(packet, 0, offsetof(struct rtap_packet, anomalies));
	packet->frame = frame;
	packet->sources[0].bytes = frame->bytes;
	packet->sources[0].captured = frame->captured_length;
	packet->sources[0].wire = frame->wire_length;
	next = get(frozen, &parts, sizeof parts);
	next = get(next, (uint8_t *)packet + HEAD, HEAD_LENGTH);
	next = get(next, &packet->payload, sizeof packet->payload);
#define GET(bit, member, has) \
	if (parts & 1u << bit) \
		next = get(next, &packet->member, sizeof packet->member);
	PARTS(GET)
#undef GET
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		next = get(next, &packet->anomalies[i], sizeof packet->anomalies[i]);
	next = get_layers(next, packet);
	return (size_t)(next - frozen);
}
