/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a protocol's parse function works with.
 */
#ifndef DISSECT_ENGINE_PARSE_H
#define DISSECT_ENGINE_PARSE_H

#include "dissect/engine/protocol.h"

/* A dissection under way. */
struct parse {
	struct rtap_packet *packet;
	const struct rtap_context *context;
	struct cursor cursor; /* what the headers so far leave for the next one */
	const uint8_t *source_bytes; /* the first byte of `source`: parse_set_source() sets both */
	uint8_t source;
	uint8_t next;         /* enum protocol_number of what follows; the parse function sets it */
	bool narrowed;        /* a network header has told where the packet ends in the frame */
	bool quoted;          /* inside an ICMP error: the beginning of another packet, whose headers give no facts */
	bool (*more)(struct parse *parse); /* the packet holds several messages: called when one has been parsed, sets up the next */
	uint32_t unit;        /* where that is; for `more` */
	const struct rtap_context *packet_context; /* for `more`: `context` may be that of one message */
};

/* Takes `more` bytes that belong to the layer appended last (options); it grows by what of them is there. */
enum result parse_more(struct parse *parse, uint32_t more, const uint8_t **bytes);

/* Goes on in bytes that were put together, as the packet's next source. False, and nothing changes, if it has too many. */
bool parse_enter(struct parse *parse, struct rtap_span bytes);

/* Notes an anomaly of the layer found last, `offset` counted in its source. */
void parse_anomaly(struct parse *parse, enum rtap_anomaly_code code, uint32_t offset);

/* Goes on in that source of the packet; the cursor is the caller's to set. */
static inline void parse_set_source(struct parse *parse, uint8_t source)
{
	parse->source = source;
	parse->source_bytes = parse->packet->sources[source].bytes;
}

/* Offset in its source of the next byte. */
static inline uint32_t parse_offset(const struct parse *parse)
{
	return (uint32_t)(parse->cursor.next - parse->source_bytes);
}

/* All that the cursor holds, as a payload. */
static inline struct rtap_payload parse_rest(const struct parse *parse)
{
	return (struct rtap_payload){ parse->source, parse_offset(parse), parse->cursor.captured, parse->cursor.wire };
}

/* Notes that what the cursor holds is the packet's payload; not if it is itself the payload of InfiniBand's transport. */
static inline void parse_note_payload(struct parse *parse)
{
	if (!parse->packet->ib.has_bth)
		parse->packet->payload = parse_rest(parse);
}

/* parse_layer() of a header that is not all there, or that is one too many: never OK. */
enum result parse_cut_layer(struct parse *parse, uint8_t protocol, uint32_t length);

/*
 * Appends a layer of `length` bytes at the cursor's position and takes them. On failure what is there of it becomes a
 * cut layer and the anomaly is noted.
 */
static inline enum result parse_layer(struct parse *parse, uint8_t protocol, uint32_t length, const uint8_t **bytes)
{
	struct rtap_packet *packet = parse->packet;

	if (unlikely(packet->layer_count == RTAP_MAX_LAYERS || length > parse->cursor.captured)) {
		enum result result = parse_cut_layer(parse, protocol, length);

		*bytes = NULL;
		if (result == OK)
			__builtin_unreachable(); /* so that what callers do with a header is not prepared for */
		return result;
	}
	packet_add_layer(packet, protocol, parse->source, parse_offset(parse), length);
	return cursor_take(&parse->cursor, length, bytes);
}

/*
 * Appends a layer at a place that no cursor moves over (CRCs, trailers). What the capture cut off of it is left out; if
 * all was, the layer is there with no bytes.
 */
static inline void parse_place_layer(struct parse *parse, uint8_t protocol, uint32_t offset, uint32_t length)
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

/* parse_narrow() to another length than the cursor has. */
void parse_narrow_unequal(struct parse *parse, uint32_t length, uint32_t offset);

/*
 * Narrows the cursor to the `length` bytes that a length field at `offset` of the source tells. What the frame holds
 * behind the outermost packet becomes its trailer. A length beyond the frame is noted and changes nothing.
 */
static inline void parse_narrow(struct parse *parse, uint32_t length, uint32_t offset)
{
	if (unlikely(length != parse->cursor.wire))
		parse_narrow_unequal(parse, length, offset);
	else
		parse->narrowed = true;
}

#endif
