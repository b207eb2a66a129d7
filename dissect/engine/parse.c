/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Helpers of parse functions: layers, anomalies, and limits by length fields.
 */
#include "config.h"

#include "dissect/engine/anomaly.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/prp.h"

void parse_anomaly(struct parse *parse, enum rtap_anomaly_code code, uint32_t offset)
{
	struct rtap_packet *packet = parse->packet;
	uint8_t layer = packet->layer_count ? (uint8_t)(packet->layer_count - 1) : 0;

	/* a quoted packet is cut on purpose, and its faults are not this packet's */
	if (!parse->quoted)
		packet_anomaly(packet, code, layer, offset);
}

static void note_failure(struct parse *parse, enum result result, uint32_t offset)
{
	parse_anomaly(parse, result == TRUNCATED ? RTAP_ANOMALY_TRUNCATED : RTAP_ANOMALY_MALFORMED, offset);
}

enum result parse_cut_layer(struct parse *parse, uint16_t protocol, uint32_t length)
{
	uint32_t offset = parse_offset(parse);
	enum result result = length > parse->cursor.wire ? MALFORMED : TRUNCATED;

	if (parse->packet->layer_count == RTAP_MAX_LAYERS) {
		parse_anomaly(parse, RTAP_ANOMALY_TOO_MANY_LAYERS, offset);
		return MALFORMED;
	}
	packet_add_layer(parse->packet, protocol, parse->source, offset, parse->cursor.captured);
	note_failure(parse, result, offset);
	return result;
}

enum result parse_more(struct parse *parse, uint32_t more, const uint8_t **bytes)
{
	struct rtap_layer *layer = &parse->packet->layers[parse->packet->layer_count - 1];
	uint32_t offset = parse_offset(parse);
	enum result result = cursor_take(&parse->cursor, more, bytes);

	layer->length += result == OK ? more : parse->cursor.captured;
	if (result != OK)
		note_failure(parse, result, offset);
	return result;
}

/* Places the bytes after the packet: padding, a captured FCS, and between them the trailer of a protocol. */
static void place_trailer(struct parse *parse, uint32_t begin, uint32_t end)
{
	uint32_t offset;

	if (parse->cursor.captured == parse->cursor.wire && prp_find(parse, begin, end, &offset)) {
		if (offset > begin)
			parse_place_layer(parse, PROTOCOL_TRAILER, begin, offset - begin);
		parse_place_layer(parse, PROTOCOL_PRP, offset, PRP_LENGTH);
		begin = offset + PRP_LENGTH;
	}
	if (end > begin)
		parse_place_layer(parse, PROTOCOL_TRAILER, begin, end - begin);
}

void parse_narrow_unequal(struct parse *parse, uint32_t length, uint32_t offset)
{
	struct cursor *cursor = &parse->cursor;

	if (length > cursor->wire)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, offset);
	else if (!parse->narrowed && length < cursor->captured)
		place_trailer(parse, parse_offset(parse) + length, parse_offset(parse) + cursor->captured);
	cursor_narrow(cursor, length);
	parse->narrowed = true;
}

bool parse_enter(struct parse *parse, struct rtap_span bytes)
{
	struct rtap_packet *packet = parse->packet;

	if (packet->source_count == RTAP_MAX_SOURCES)
		return false;
	packet->sources[packet->source_count].bytes = bytes.bytes;
	packet->sources[packet->source_count].captured = packet->sources[packet->source_count].wire = bytes.length;
	parse_set_source(parse, packet->source_count++);
	parse->cursor = (struct cursor){ bytes.bytes, bytes.length, bytes.length };
	return true;
}
