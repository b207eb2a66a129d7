/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The FPDUs of a TCP segment. RFC 5044, section 4. All of them share three layers: MPA, DDP and RDMAP. Their payloads follow
 * message by message.
 */
#include "config.h"

#include <rdmatap/message.h>

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "dissect/iwarp/mpa_fpdu.h"
#include "dissect/iwarp/mpa_setup.h"
#include "dissect/engine/parse.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/infiniband/upper.h"
#include "dissect/engine/visit.h"

/* Without a CRC only a row of this many FPDUs is evidence. */
#define MIN_UNCHECKED 4
/* Layers reserved for a message's content; FPDUs beyond the packet's room are still visited by the three layers. */
#define LAYERS_KEPT 8

/*
 * Whether a whole TCP payload is FPDUs back to back, by content alone: all with good CRCs, or at least four with CRC 0 and
 * headers that are plausible one after the other. *fpdus gets them.
 */
static bool recognise(const struct cursor *payload, struct rtap_fpdus *fpdus)
{
	const uint8_t *next = payload->next;
	uint32_t left = payload->captured;
	struct rtap_iwarp_facts facts, previous;
	struct rtap_fpdu fpdu;

	*fpdus = (struct rtap_fpdus){ .length = left };
	if (payload->wire != payload->captured)
		return false;
	while (left) {
		if (!fpdu_take_plain(next, left, &fpdu) ||
		    iwarp_read(next + MPA_LENGTH_LENGTH, fpdu.ulpdu_length, fpdu.ulpdu_length, &facts) != OK ||
		    !iwarp_is_plausible(&facts, fpdu.ulpdu_length))
			return false;
		if (!fpdus->count)
			fpdus->crc_status = fpdu_crc_field(&fpdu) ? RTAP_CRC_GOOD : RTAP_CRC_OFF;
		if (fpdus->crc_status == RTAP_CRC_GOOD ? fpdu_check_crc(&fpdu) != RTAP_CRC_GOOD : fpdu_crc_field(&fpdu) != 0)
			return false;
		if (fpdus->count && !iwarp_follows(&previous, &facts))
			return false;
		previous = facts;
		fpdus->count++;
		next += fpdu.bytes.length;
		left -= fpdu.bytes.length;
	}
	fpdus->framing = fpdus->crc_status == RTAP_CRC_GOOD ? RTAP_FPDU_RECOVERED : RTAP_FPDU_RECOVERED_NO_CRC;
	return fpdus->count >= (fpdus->crc_status == RTAP_CRC_GOOD ? 1 : MIN_UNCHECKED);
}

uint16_t iwarp_after_setup(const struct parse *parse)
{
	struct rtap_fpdus fpdus;

	if (parse->context->is_iwarp)
		return parse->context->fpdu_count ? PROTOCOL_MPA_FPDU : PROTOCOL_PAYLOAD;
	/* FPDUs without a list are the frame's */
	if (parse->context->no_heuristics || parse->context->not_iwarp || parse->source)
		return PROTOCOL_PAYLOAD;
	return recognise(&parse->cursor, &fpdus) ? PROTOCOL_MPA_FPDU : PROTOCOL_PAYLOAD;
}

uint16_t iwarp_of_stream(const struct parse *parse)
{
	if (parse->cursor.captured < MPA_KEY_LENGTH && !parse->context->fpdu_count)
		return PROTOCOL_PAYLOAD;
	if ((parse->context->is_iwarp || !(parse->context->no_heuristics || parse->context->not_iwarp)) && mpa_is_setup(&parse->cursor))
		return PROTOCOL_MPA_REQUEST;
	return iwarp_after_setup(parse);
}

uint16_t iwarp_presume(struct parse *parse)
{
	const uint8_t *head = parse->cursor.next + MPA_LENGTH_LENGTH, *send = head + DDP_UNTAGGED_LENGTH;
	uint32_t length = parse->cursor.captured, offset = parse_offset(parse), head_length;
	enum rtap_crc_status crc_status = RTAP_CRC_OFF;
	struct rtap_fpdu fpdu;

	/* a few bytes rule out nearly everything else */
	if (length != parse->cursor.wire || !fpdu_take_plain(parse->cursor.next, length, &fpdu) || fpdu.bytes.length != length ||
	    !iwarp_is_whole_send(head, fpdu.ulpdu_length) || !rpcrdma_may_be(send, fpdu.ulpdu_length - DDP_UNTAGGED_LENGTH) ||
	    parse->source || parse->packet->layer_count + 3 + LAYERS_KEPT > RTAP_MAX_LAYERS)
		return PROTOCOL_PAYLOAD;
	if (fpdu_crc_field(&fpdu))
		crc_status = fpdu_check_crc(&fpdu);
	if (crc_status == RTAP_CRC_BAD)
		return PROTOCOL_PAYLOAD;
	parse->packet->fpdus = (struct rtap_fpdus){
		.count = 1, .offset = offset, .length = length, .crc_status = (uint8_t)crc_status, .framing = RTAP_FPDU_IN_STEP,
	};
	head_length = fpdu.ulpdu_length < RTAP_FPDU_HEAD ? fpdu.ulpdu_length : RTAP_FPDU_HEAD;
	packet_add_layer(parse->packet, PROTOCOL_MPA_FPDU, 0, offset, length);
	packet_add_layer(parse->packet, PROTOCOL_DDP, 0, offset + MPA_LENGTH_LENGTH, head_length);
	packet_add_layer(parse->packet, PROTOCOL_RDMAP, 0, offset + MPA_LENGTH_LENGTH + 1, head_length - 1);
	length = fpdu.ulpdu_length - DDP_UNTAGGED_LENGTH;
	parse->cursor = (struct cursor){ send, length, length };
	return PROTOCOL_RPCRDMA;
}

/* Makes the bytes a source if they are in none yet. False: no room. */
static bool add_source(struct rtap_packet *packet, const struct rtap_span *bytes, uint8_t *source)
{
	if (iwarp_find_source(packet, bytes, source))
		return true;
	if (packet->source_count == RTAP_MAX_SOURCES || !bytes->bytes)
		return false;
	*source = packet->source_count++;
	packet->sources[*source].bytes = bytes->bytes;
	packet->sources[*source].captured = bytes->length;
	packet->sources[*source].wire = bytes->length;
	return true;
}

/* Sets the cursor to bytes in any source; they are truncated if `wire` is larger. */
static bool enter_bytes(struct parse *parse, const struct rtap_span *bytes, uint32_t wire)
{
	uint8_t source = parse->source;

	if (!add_source(parse->packet, bytes, &source))
		return false;
	parse_set_source(parse, source);
	/* the FPDU's source ends where the capture does */
	if (wire > bytes->length)
		parse->packet->sources[source].wire = (uint32_t)(bytes->bytes - parse->source_bytes) + wire;
	parse->cursor = (struct cursor){ bytes->bytes, bytes->length, wire };
	return true;
}

/* Prepares the dissection of an FPDU's payload. False: nothing to show. */
static bool begin_unit(struct parse *parse, const struct rtap_context *context, const struct rtap_fpdu *fpdu)
{
	struct rtap_iwarp_facts facts;
	struct rtap_span bytes;
	uint32_t length, wire;
	const uint8_t *head = fpdu_head(fpdu, &length);
	bool whole;

	if (iwarp_read(head, length, fpdu->ulpdu_length, &facts) != OK)
		return false;
	parse->context = fpdu->upper ? fpdu->upper : context;
	/* the FPDU completed a chunk that contains a whole RPC message, or the data of a request */
	if ((facts.opcode == RTAP_RDMAP_READ_RESPONSE || facts.opcode == RTAP_RDMAP_WRITE) && fpdu->upper && fpdu->upper->chunk.bytes) {
		parse->context = fpdu->upper;
		return enter_bytes(parse, &fpdu->upper->chunk, fpdu->upper->chunk.length) && upper_begin_chunk(parse, fpdu->upper);
	}
	whole = iwarp_is_send(facts.opcode) && !facts.tagged && facts.last;
	wire = facts.payload_length;
	if (whole && fpdu->upper && fpdu->upper->message.bytes) {
		bytes = fpdu->upper->message;
		wire = bytes.length;
	} else if (wire && fpdu_front(fpdu, facts.payload_offset, &bytes)) {
		whole = whole && !facts.mo;
	} else {
		return false;
	}
	/* a frame whose CRC is wrong feeds nothing */
	if (fpdu->crc_status == RTAP_CRC_BAD)
		whole = false;
	if (!bytes.length || !enter_bytes(parse, &bytes, wire))
		return false;
	parse->next = whole ? upper_of_iwarp_send(parse) : PROTOCOL_PAYLOAD;
	return true;
}

/*
 * Contiguous FPDUs in the frame with equal properties need no list once their payloads are dissected: the packet then borrows
 * only the frame.
 */
static void unlist(struct rtap_packet *packet)
{
	struct rtap_fpdus *fpdus = &packet->fpdus;
	const struct rtap_fpdu *first = fpdus->list;
	uintptr_t start = (uintptr_t)packet->sources[0].bytes, at;
	uint32_t length = 0;

	if (!first || !fpdus->count)
		return;
	at = (uintptr_t)first->bytes.bytes;
	if (at < start || at - start > packet->sources[0].captured)
		return;
	for (const struct rtap_fpdu *fpdu = first; fpdu < first + fpdus->count; fpdu++) {
		if ((fpdu->upper && fpdu->upper->message.bytes) || fpdu->split || fpdu->gap_count ||
		    fpdu->skewed_markers || fpdu->first_marker < fpdu->bytes.length ||
		    fpdu->crc_status != first->crc_status || fpdu->framing != first->framing || (uintptr_t)fpdu->bytes.bytes != at + length)
			return;
		length += fpdu->bytes.length;
	}
	if (length > packet->sources[0].captured - (at - start))
		return;
	*fpdus = (struct rtap_fpdus){
		.count = fpdus->count, .offset = (uint32_t)(at - start), .length = length, .crc_status = first->crc_status,
		  .framing = first->framing,
	};
}

bool iwarp_enter_fpdu(struct parse *parse, const struct rtap_fpdu *fpdu)
{
	return parse->packet->layer_count + LAYERS_KEPT <= RTAP_MAX_LAYERS && begin_unit(parse, parse->context, fpdu);
}

bool iwarp_lacks_room(const struct rtap_packet *packet)
{
	return packet->fpdus.count > 1 && (packet->layer_count + LAYERS_KEPT > RTAP_MAX_LAYERS || packet->source_count == RTAP_MAX_SOURCES);
}

bool iwarp_end_fpdus(struct rtap_packet *packet, uint32_t first)
{
	const struct rtap_fpdus *fpdus = &packet->fpdus;

	for (const struct rtap_fpdu *fpdu = fpdus->list + first; fpdu < fpdus->list + fpdus->count; fpdu++) {
		struct rtap_iwarp_facts facts;
		uint32_t length;
		const uint8_t *head = fpdu_head(fpdu, &length);

		if (fpdu->crc_status == RTAP_CRC_BAD || fpdu->framing != RTAP_FPDU_IN_STEP || fpdu->skewed_markers ||
		    iwarp_read(head, length, fpdu->ulpdu_length, &facts) != OK || !iwarp_opcodes[facts.opcode].name)
			return false;
	}
	unlist(packet);
	return true;
}

/* Goes to the next FPDU that carries something. The context is the packet's again for each. */
static bool more(struct parse *parse)
{
	const struct rtap_fpdu *fpdu;
	struct iwarp_walk walk;

	iwarp_walk_init(&walk, parse->packet);
	if (parse->unit)
		walk.next = parse->unit;
	while (parse->packet->layer_count + LAYERS_KEPT <= RTAP_MAX_LAYERS && (fpdu = iwarp_next_fpdu(&walk))) {
		parse->unit = walk.next;
		if (begin_unit(parse, parse->packet_context, fpdu))
			return true;
	}
	unlist(parse->packet);
	return false;
}

static void note_anomalies(struct parse *parse)
{
	const struct rtap_fpdu *fpdu;
	struct iwarp_walk walk;
	bool bad = false, recovered = false, skewed = false, unknown = false, malformed = false;
	uint32_t offset = parse->packet->fpdus.offset;

	iwarp_walk_init(&walk, parse->packet);
	while ((fpdu = iwarp_next_fpdu(&walk))) {
		struct rtap_iwarp_facts facts;
		uint32_t length;
		const uint8_t *head = fpdu_head(fpdu, &length);

		malformed |= iwarp_read(head, length, fpdu->ulpdu_length, &facts) == MALFORMED;
		unknown = unknown || !iwarp_opcodes[facts.opcode].name;
		bad = bad || fpdu->crc_status == RTAP_CRC_BAD;
		recovered = recovered || (fpdu->framing != RTAP_FPDU_IN_STEP && parse->packet_context->is_iwarp);
		skewed = skewed || fpdu->skewed_markers;
	}
	if (malformed)
		parse_anomaly(parse, RTAP_ANOMALY_MALFORMED, offset);
	if (unknown)
		parse_anomaly(parse, RTAP_ANOMALY_UNKNOWN_OPCODE, offset);
	if (bad)
		parse_anomaly(parse, RTAP_ANOMALY_BAD_FPDU_CRC, offset);
	if (recovered)
		parse_anomaly(parse, RTAP_ANOMALY_FPDU_RECOVERED, offset);
	if (skewed)
		parse_anomaly(parse, RTAP_ANOMALY_SKEWED_MARKERS, offset);
}

/* The layers are at the segment's bytes; those of DDP and RDMAP at the first FPDU's headers if these are in the frame. */
static void place_layers(struct parse *parse)
{
	struct rtap_fpdus *fpdus = &parse->packet->fpdus;
	const struct rtap_fpdu *fpdu;
	struct iwarp_walk walk;
	struct rtap_span head = { NULL, 0 }, captured = { NULL, 0 };
	uint32_t offset = fpdus->offset;
	uint8_t source = 0, own = parse->source;

	parse_place_layer(parse, PROTOCOL_MPA_FPDU, offset, fpdus->length);
	note_anomalies(parse);
	iwarp_walk_init(&walk, parse->packet);
	fpdu = iwarp_next_fpdu(&walk);
	if (fpdu) {
		head.bytes = fpdu_head(fpdu, &head.length);
		captured = fpdu->bytes;
		/* zeros replace missing bytes and belong to no source */
		if (fpdu->gap_count && fpdu->gaps[0].reason == RTAP_MISSING_SNAPPED)
			captured.length = fpdu->gaps[0].offset;
	}
	if (head.bytes && head.length >= 2 && add_source(parse->packet, &captured, &source) &&
	    iwarp_find_source(parse->packet, &head, &source)) {
		parse_set_source(parse, source);
		offset = (uint32_t)(head.bytes - parse->source_bytes);
	} else {
		head.length = 0;
	}
	parse_place_layer(parse, PROTOCOL_DDP, offset, head.length);
	parse_place_layer(parse, PROTOCOL_RDMAP, offset + (head.length ? 1 : 0), head.length ? head.length - 1 : 0);
	parse_set_source(parse, own);
}

static enum result parse(struct parse *parse)
{
	struct rtap_fpdus *fpdus = &parse->packet->fpdus;
	const struct rtap_context *context = parse->context;

	if (context->is_iwarp)
		*fpdus = (struct rtap_fpdus){ .list = context->fpdus, .count = context->fpdu_count, .length = parse->cursor.captured };
	else if (parse->source || !recognise(&parse->cursor, fpdus))
		return MALFORMED;
	fpdus->offset = parse_offset(parse);
	if (parse->packet->layer_count + 3 > RTAP_MAX_LAYERS) {
		parse_anomaly(parse, RTAP_ANOMALY_TOO_MANY_LAYERS, fpdus->offset);
		return MALFORMED;
	}
	parse->packet_context = context;
	place_layers(parse);
	parse->more = more;
	return OK;
}

enum row { ROW_LENGTH, ROW_PAD, ROW_CRC, ROW_CRC_CHECK, ROW_STATUS, ROW_MARKER_RESERVED, ROW_MARKER_POINTER, ROW_FRAMING };

#define UNIT RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL

static const struct rtap_field fpdu_fields[] = {
	[ROW_LENGTH] = { "iwarp_mpa.ulpdulength", "ULPDU Length", 0, 16, RTAP_DEC, UNIT, "RFC 5044, 4.1" },
	[ROW_PAD] = { "iwarp_mpa.pad", "Pad", 0, 0, RTAP_BYTES, UNIT, "RFC 5044, 4.1" },
	[ROW_CRC] = { "iwarp_mpa.crc", "CRC, not in Use", 0, 32, RTAP_HEX, RTAP_IGNORED | UNIT, "RFC 5044, 4.4" },
	[ROW_CRC_CHECK] = { "iwarp_mpa.crc_check", "CRC", 0, 32, RTAP_HEX, RTAP_IGNORED | UNIT, "RFC 5044, 4.4" },
	/* on demand as the status of the other CRCs, though it costs nothing here: outputs are to treat all alike */
	[ROW_STATUS] = { "iwarp_mpa.crc.status", "Status of CRC", 0, 0, RTAP_TEXT, RTAP_ON_DEMAND | UNIT, "RFC 5044, 4.4" },
	[ROW_MARKER_RESERVED] = { "iwarp_mpa.marker_res", "Marker Reserved", 0, 16, RTAP_HEX, UNIT, "RFC 5044, 4.2" },
	[ROW_MARKER_POINTER] = { "iwarp_mpa.marker_fpduptr", "FPDU Pointer", 0, 16, RTAP_DEC, RTAP_IGNORED | UNIT, "RFC 5044, 4.2" },
	[ROW_FRAMING] = { "iwarp_mpa.framing", "Framing", 0, 0, RTAP_TEXT, RTAP_IGNORED | UNIT, "RFC 5044, 4.3" },
};

static const char *status_text(uint8_t status)
{
	switch (status) {
	case RTAP_CRC_GOOD: return "good";
	case RTAP_CRC_BAD: return "bad";
	case RTAP_CRC_OFF: return "off";
	default: return "unverifiable";
	}
}

/* Returns whether an FPDU's bytes from `offset` are present. */
static bool is_there(const struct rtap_fpdu *fpdu, uint32_t offset, uint32_t length)
{
	for (uint8_t i = 0; i < fpdu->gap_count; i++)
		if (fpdu->gaps[i].offset < offset + length && offset < fpdu->gaps[i].offset + fpdu->gaps[i].length)
			return false;
	return true;
}

static void report_markers(struct iwarp_unit *unit)
{
	const struct rtap_fpdu *fpdu = unit->fpdu;

	for (uint32_t at = fpdu->first_marker; at < fpdu->bytes.length; at += MPA_MARKER_INTERVAL) {
		const uint8_t *marker = fpdu->bytes.bytes + at;
		uint32_t pointer = load16(marker + 2);

		if (!is_there(fpdu, at, MPA_MARKER_LENGTH))
			continue;
		if (fpdu->skewed_markers)
			pointer = (uint32_t)(marker[3] << 8 | marker[2]);
		iwarp_show(unit, ROW_MARKER_RESERVED, load16(marker), 0, 0);
		iwarp_show(unit, ROW_MARKER_POINTER, pointer, 0, 0);
	}
}

static void report(struct iwarp_unit *unit)
{
	const struct rtap_fpdu *fpdu = unit->fpdu;
	uint32_t content = fpdu_content_length(fpdu->ulpdu_length), pad = fpdu_pad_length(fpdu->ulpdu_length);
	uint32_t pad_at = fpdu_offset(MPA_LENGTH_LENGTH + fpdu->ulpdu_length, fpdu->first_marker);
	uint32_t crc_at = fpdu_offset(content - MPA_CRC_LENGTH, fpdu->first_marker);
	struct rtap_value value = { .data = { fpdu->bytes.bytes + pad_at, pad } };

	iwarp_show(unit, ROW_LENGTH, fpdu->ulpdu_length, 0, 0);
	if (pad && is_there(fpdu, pad_at, pad))
		visit_field(unit->visitor, &unit->layer, PROTOCOL_MPA_FPDU, ROW_PAD, &value, unit->layer.offset, 0);
	if (is_there(fpdu, crc_at, MPA_CRC_LENGTH))
		iwarp_show(unit, fpdu->crc_status == RTAP_CRC_OFF ? ROW_CRC : ROW_CRC_CHECK, fpdu_crc_field(fpdu), 0, 0);
	iwarp_show_text(unit, ROW_STATUS, status_text(fpdu->crc_status));
	report_markers(unit);
	if (fpdu->framing != RTAP_FPDU_IN_STEP)
		iwarp_show_text(unit, ROW_FRAMING, fpdu->framing == RTAP_FPDU_RECOVERED ? "recovered" : "recovered (no CRC)");
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	iwarp_visit_units(packet, layer, visitor, report);
}

const struct protocol mpa_fpdu_protocol = {
	.table = { "iwarp_mpa.fpdu", "Marker PDU Aligned Framing", "RFC 5044, section 4", 0, FIELDS(fpdu_fields) },
	.parse = parse,
	.visit = visit,
};
