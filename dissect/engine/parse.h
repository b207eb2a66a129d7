/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Context and helpers of the protocols' parse functions.
 */
#ifndef DISSECT_ENGINE_PARSE_H
#define DISSECT_ENGINE_PARSE_H

#include "dissect/engine/protocol.h"

/* A dissection in progress. */
struct parse {
	struct rtap_packet *packet;
	const struct rtap_context *context;
	struct cursor cursor; /* the bytes left for the next header */
	const uint8_t *source_bytes; /* the first byte of `source`: parse_set_source() sets both */
	uint8_t source;
	uint16_t next;        /* enum protocol_number of the next header; set by the parse function */
	bool narrowed;        /* a network header has given the packet's end in the frame */
	bool quoted;          /* inside an ICMP error: the start of another packet, whose headers set no facts */
	bool (*more)(struct parse *parse); /* for packets with several messages: called after each one, sets up the next */
	uint32_t unit;        /* position of the next message, for `more` */
	const struct rtap_context *packet_context; /* for `more`: `context` may be that of one message */
};

/* Takes `more` bytes that belong to the last layer (options), which grows by those of them that were captured. */
enum result parse_more(struct parse *parse, uint32_t more, const uint8_t **bytes);

/* Continues in reassembled bytes, as the packet's next source. False, and nothing changes, if it has too many sources. */
bool parse_enter(struct parse *parse, struct rtap_span bytes);

/* Records an anomaly of the last layer at `offset` in its source. */
void parse_anomaly(struct parse *parse, enum rtap_anomaly_code code, uint32_t offset);

/* Switches to a source of the packet; the caller sets the cursor. */
static inline void parse_set_source(struct parse *parse, uint8_t source)
{
	parse->source = source;
	parse->source_bytes = parse->packet->sources[source].bytes;
}

/* Offset of the next byte in its source. */
static inline uint32_t parse_offset(const struct parse *parse)
{
	return (uint32_t)(parse->cursor.next - parse->source_bytes);
}

/* The rest of the cursor as a payload. */
static inline struct rtap_payload parse_rest(const struct parse *parse)
{
	return (struct rtap_payload){ parse->source, parse_offset(parse), parse->cursor.captured, parse->cursor.wire };
}

/* Records the rest of the cursor as the packet's payload, except within the payload of an InfiniBand transport header. */
static inline void parse_note_payload(struct parse *parse)
{
	if (!parse->packet->ib.has_bth)
		parse->packet->payload = parse_rest(parse);
}

/* parse_layer() for a truncated header or one layer too many: never OK. */
enum result parse_cut_layer(struct parse *parse, uint16_t protocol, uint32_t length);

/*
 * Appends a layer of `length` bytes at the cursor's position and takes them. On failure it appends a truncated layer with the
 * bytes present and records the anomaly.
 */
static inline enum result parse_layer(struct parse *parse, uint16_t protocol, uint32_t length, const uint8_t **bytes)
{
	struct rtap_packet *packet = parse->packet;

	if (unlikely(packet->layer_count == RTAP_MAX_LAYERS || length > parse->cursor.captured)) {
		enum result result = parse_cut_layer(parse, protocol, length);

		*bytes = NULL;
		if (result == OK)
			__builtin_unreachable(); /* lets the compiler omit the callers' success path here */
		return result;
	}
	packet_add_layer(packet, protocol, parse->source, parse_offset(parse), length);
	return cursor_take(&parse->cursor, length, bytes);
}

/*
 * Appends a layer at a position outside of the cursor (CRCs, trailers). Bytes not captured are left out; if all are missing, the
 * layer has no bytes.
 */
static inline void parse_place_layer(struct parse *parse, uint16_t protocol, uint32_t offset, uint32_t length)
{
	struct rtap_packet *packet = parse->packet;
	uint32_t captured = packet->sources[parse->source].captured;

	if (unlikely(offset > captured))
		offset = captured;
	if (unlikely(length > captured - offset))
		length = captured - offset;
	if (unlikely(packet->layer_count == RTAP_MAX_LAYERS))
		parse_anomaly(parse, RTAP_ANOMALY_TOO_MANY_LAYERS, offset);
	else
		packet_add_layer(packet, protocol, parse->source, offset, length);
}

/* parse_narrow() to a length that differs from the cursor's. */
void parse_narrow_unequal(struct parse *parse, uint32_t length, uint32_t offset);

/*
 * Narrows the cursor to `length` bytes, as given by a length field at `offset` of the source. Bytes of the frame after the
 * outermost packet become its trailer. A length beyond the frame is recorded as an anomaly and changes nothing.
 */
static inline void parse_narrow(struct parse *parse, uint32_t length, uint32_t offset)
{
	if (unlikely(length != parse->cursor.wire))
		parse_narrow_unequal(parse, length, offset);
	else
		parse->narrowed = true;
}

#endif
