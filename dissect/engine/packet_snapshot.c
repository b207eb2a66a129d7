/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "dissect/engine/clear.h"
#include "dissect/engine/packet_snapshot.h"
#include "dissect/engine/protocol.h"

/* The start of each packet: from the source count up to the facts. */
#define HEAD offsetof(struct rtap_packet, source_count)
#define HEAD_LENGTH (offsetof(struct rtap_packet, fragment) - HEAD)

/* Facts that not every packet has, in the order in which they are written. X(bit, member, whether the packet has them) */
#define PARTS(X) \
	X(0, ib, packet->ib.has_bth || packet->ib.has_lrh || packet->ib.has_grh || packet->fragment.present) \
	X(1, rpcrdma, packet->rpcrdma.present || packet->rpcrdma.length) \
	X(2, rpc, packet->rpc.present || packet->rpc.xid) \
	X(3, flow, has_any(&packet->flow, sizeof packet->flow / 8))

/* Parts that only few RoCE packets have. */
#define FURTHER_PARTS(X) \
	X(4, fragment, packet->fragment.present || packet->fragment.whole) \
	X(5, mad, packet_has(packet, PROTOCOL_MAD)) \
	X(6, cm, packet->cm.present || packet->cm.attribute) \
	X(7, tcp, packet->tcp.present) \
	X(8, mpa, packet->mpa.present) \
	X(9, fpdus, packet->fpdus.count) \
	X(10, paths, packet->path_count) \
	X(11, carrier, packet->carrier.present)

#define HAS_FURTHER(parts) ((parts) >> 4)

/* Facts from state have many parts, each of which may be present without the others. */
_Static_assert(sizeof(struct rtap_flow_facts) % 8 == 0, "it is all words");

static inline bool has_any(const void *facts, size_t words)
{
	const uint8_t *next = facts;
	uint64_t word, any = 0;

#pragma GCC unroll 8
	for (; words; words--, next += 8) {
		memcpy(&word, next, 8);
		any |= word;
	}
	return any;
}

/* For constant lengths: the copies compile to a few moves. */
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
 * Copies layers, whose number varies, so that calling memcpy() would cost more than the copy. A few bytes after the last may be
 * copied too: the room for all of them is a multiple of a piece.
 */
#define PIECE 16
#define FEW_LAYERS 8 /* most packets have no more: of these all are copied, in a few moves */
#define LAYER_PIECES(packet) (((packet)->layer_count * sizeof(struct rtap_layer) + PIECE - 1) / PIECE)

_Static_assert(RTAP_MAX_LAYERS * sizeof(struct rtap_layer) % PIECE == 0, "the last piece is whole");

static inline uint8_t *put_layers(uint8_t *to, const struct rtap_packet *packet)
{
	const uint8_t *from = (const uint8_t *)packet->layers;

	if (packet->layer_count <= FEW_LAYERS)
		return put(to, from, FEW_LAYERS * sizeof packet->layers[0]);
	for (size_t count = LAYER_PIECES(packet); count; count--, from += PIECE)
		to = put(to, from, PIECE);
	return to;
}

static inline const uint8_t *get_layers(const uint8_t *from, struct rtap_packet *packet)
{
	uint8_t *to = (uint8_t *)packet->layers;

	if (packet->layer_count <= FEW_LAYERS)
		return get(from, to, FEW_LAYERS * sizeof packet->layers[0]);
	for (size_t count = LAYER_PIECES(packet); count; count--, to += PIECE)
		from = get(from, to, PIECE);
	return from;
}

/*
 * What a packet borrows besides its frame follows it: this struct, the bytes of its other sources, its list of FPDUs, the positions of
 * their bytes, and those bytes that are in no source. Positions are offsets in the snapshot, which may be moved; 0: in the frame.
 */
struct borrowed {
	uint32_t sources[RTAP_MAX_SOURCES], captured[RTAP_MAX_SOURCES], wire[RTAP_MAX_SOURCES];
	uint32_t list, fpdus; /* the list, and an offset for each FPDU in it */
};

static size_t aligned(size_t length)
{
	return (length + 7) & ~(size_t)7;
}

static bool is_within(const uint8_t *bytes, size_t length, const uint8_t *start, size_t room)
{
	uintptr_t from = (uintptr_t)start, at = (uintptr_t)bytes;

	return at >= from && at - from <= room && length <= room - (at - from);
}

/* The source that has these bytes, or RTAP_MAX_SOURCES. */
static unsigned source_of(const struct rtap_packet *packet, const uint8_t *bytes, size_t length)
{
	for (unsigned i = 0; i < packet->source_count; i++)
		if (is_within(bytes, length, packet->sources[i].bytes, packet->sources[i].captured))
			return i;
	return RTAP_MAX_SOURCES;
}

/* Returns whether an address is in the frame, or NULL. */
static bool stays(const struct rtap_packet *packet, const uint8_t *address)
{
	return !address || source_of(packet, address, 1) == 0;
}

size_t packet_snapshot_size(const struct rtap_packet *packet)
{
	const struct rtap_fpdus *fpdus = &packet->fpdus;
	size_t size = aligned(sizeof(struct borrowed));

	if (!packet_borrows(packet))
		return SNAPSHOT_SIZE;
	if (!stays(packet, packet->source_address) || !stays(packet, packet->destination_address) ||
	    !stays(packet, packet->carrier.source_address) || !stays(packet, packet->carrier.destination_address) ||
	    !stays(packet, packet->cm.source_address) || !stays(packet, packet->cm.destination_address))
		return 0;
	for (uint8_t i = 1; i < packet->source_count; i++)
		size += aligned(packet->sources[i].captured);
	for (uint32_t i = 0; fpdus->list && i < fpdus->count && size <= SNAPSHOT_BORROWED; i++) {
		const struct rtap_fpdu *fpdu = &fpdus->list[i];

		if (fpdu->upper && fpdu->upper->message.bytes)
			return 0;
		size += aligned(sizeof *fpdu + sizeof(uint32_t));
		if (source_of(packet, fpdu->bytes.bytes, fpdu->bytes.length) == RTAP_MAX_SOURCES)
			size += aligned(fpdu->bytes.length);
	}
	return size <= SNAPSHOT_BORROWED ? SNAPSHOT_SIZE + size : 0;
}

/* Copies bytes to the end of the snapshot, which moves. Returns where they are. */
static uint32_t copy_bytes(uint8_t *snapshot, uint32_t *end, const void *bytes, size_t length)
{
	uint32_t place = *end;

	if (length)
		memcpy(snapshot + place, bytes, length);
	*end += (uint32_t)aligned(length);
	return place;
}

static void copy_fpdus(const struct rtap_packet *packet, struct borrowed *borrowed, uint8_t *snapshot, uint32_t *end)
{
	const struct rtap_fpdus *fpdus = &packet->fpdus;
	uint32_t *places;

	borrowed->list = copy_bytes(snapshot, end, fpdus->list, fpdus->count * sizeof *fpdus->list);
	borrowed->fpdus = *end;
	places = (uint32_t *)(void *)(snapshot + *end);
	*end += (uint32_t)aligned(fpdus->count * sizeof *places);
	for (uint32_t i = 0; i < fpdus->count; i++) {
		const struct rtap_span *bytes = &fpdus->list[i].bytes;
		unsigned source = source_of(packet, bytes->bytes, bytes->length);

		places[i] = 0;
		if (source == RTAP_MAX_SOURCES)
			places[i] = copy_bytes(snapshot, end, bytes->bytes, bytes->length);
		else if (source)
			places[i] = borrowed->sources[source] + (uint32_t)(bytes->bytes - packet->sources[source].bytes);
	}
}

/* Returns where the snapshot ends then. */
static size_t copy_borrowed(const struct rtap_packet *packet, uint8_t *snapshot, size_t length)
{
	struct borrowed *borrowed = (struct borrowed *)(void *)(snapshot + length);
	uint32_t end = (uint32_t)(length + aligned(sizeof *borrowed));

	for (uint8_t i = 1; i < packet->source_count; i++) {
		borrowed->captured[i] = packet->sources[i].captured;
		borrowed->wire[i] = packet->sources[i].wire;
		borrowed->sources[i] = copy_bytes(snapshot, &end, packet->sources[i].bytes, packet->sources[i].captured);
	}
	if (packet->fpdus.list)
		copy_fpdus(packet, borrowed, snapshot, &end);
	return end;
}

/* Makes the packet borrow the bytes stored with it, at `length`. */
static void restore_borrowed(uint8_t *snapshot, size_t length, struct rtap_packet *packet)
{
	const struct borrowed *borrowed = (const struct borrowed *)(const void *)(snapshot + length);
	struct rtap_fpdus *fpdus = &packet->fpdus;
	const uint32_t *places;
	struct rtap_fpdu *list;

	for (uint8_t i = 1; i < packet->source_count; i++) {
		packet->sources[i].bytes = snapshot + borrowed->sources[i];
		packet->sources[i].captured = borrowed->captured[i];
		packet->sources[i].wire = borrowed->wire[i];
	}
	if (!fpdus->list)
		return;
	fpdus->list = list = (struct rtap_fpdu *)(void *)(snapshot + borrowed->list);
	places = (const uint32_t *)(const void *)(snapshot + borrowed->fpdus);
	for (uint32_t i = 0; i < fpdus->count; i++) {
		if (places[i])
			list[i].bytes.bytes = snapshot + places[i];
		/* of the dissection, which is done */
		list[i].upper = NULL;
	}
}

size_t packet_snapshot_take(const struct rtap_packet *packet, uint8_t *snapshot)
{
	uint8_t *next = snapshot + sizeof(uint16_t);
	uint16_t parts = 0;
	size_t length;

	next = put(next, (const uint8_t *)packet + HEAD, HEAD_LENGTH);
	next = put(next, &packet->payload, sizeof packet->payload);
#define PUT(bit, member, has) \
	if (has) { \
		parts |= 1u << bit; \
		next = put(next, &packet->member, sizeof packet->member); \
	}
	PARTS(PUT)
	FURTHER_PARTS(PUT)
#undef PUT
	memcpy(snapshot, &parts, sizeof parts);
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		next = put(next, &packet->anomalies[i], sizeof packet->anomalies[i]);
	length = aligned((size_t)(put_layers(next, packet) - snapshot));
	return packet_borrows(packet) ? copy_borrowed(packet, snapshot, length) : length;
}

size_t packet_snapshot_restore(uint8_t *snapshot, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	const uint8_t *next;
	uint16_t parts;
	size_t length;

	clear_bytes(packet, offsetof(struct rtap_packet, anomalies));
	packet->frame = frame;
	packet->sources[0].bytes = frame->bytes;
	packet->sources[0].captured = frame->captured_length;
	packet->sources[0].wire = frame->wire_length;
	next = get(snapshot, &parts, sizeof parts);
	next = get(next, (uint8_t *)packet + HEAD, HEAD_LENGTH);
	next = get(next, &packet->payload, sizeof packet->payload);
#define GET(bit, member, has) \
	if (parts & 1u << bit) \
		next = get(next, &packet->member, sizeof packet->member);
	PARTS(GET)
	if (HAS_FURTHER(parts)) {
		FURTHER_PARTS(GET)
	}
#undef GET
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		next = get(next, &packet->anomalies[i], sizeof packet->anomalies[i]);
	length = aligned((size_t)(get_layers(next, packet) - snapshot));
	if (packet_borrows(packet))
		restore_borrowed(snapshot, length, packet);
	return length;
}
