/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * MPA's Request and Reply, by which a TCP connection becomes an iWARP one. RFC 5044, 7.1.1; enhanced: RFC 6581, 6 and 9.
 */
#include "config.h"

#include "dissect/management/cm_private.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/mpa_fpdu.h"
#include "dissect/iwarp/mpa_setup.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/infiniband/upper.h"
#include "dissect/engine/visit.h"

#define NOT_NEGOTIATED 0x3fff

static bool derive_private_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length <= MPA_SETUP_LENGTH)
		return false;
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + MPA_SETUP_LENGTH, layer->length - MPA_SETUP_LENGTH };
	return true;
}

static const struct rtap_name depth_names[] = { { NOT_NEGOTIATED, "not negotiated" }, { 0, NULL } };

enum row {
	ROW_KEY, ROW_MARKERS, ROW_CRC, ROW_REJECT, ROW_RES, ROW_ENHANCED, ROW_REST, ROW_REVISION, ROW_PD_LENGTH, ROW_PRIVATE,
	ROW_PEER, ROW_RTR_SEND, ROW_IRD, ROW_RTR_WRITE, ROW_RTR_READ, ROW_ORD,
};

#define ENHANCED RTAP_UNPLACED, NULL, NULL, "RFC 6581, section 9"

#define SETUP_ROWS(key_name) \
	[ROW_KEY] = { key_name, "Key", MPA_SETUP_KEY, RTAP_BYTES, 0, NULL, NULL, NULL }, \
	[ROW_MARKERS] = { "iwarp_mpa.marker_flag", "Markers", MPA_SETUP_MARKERS, RTAP_BOOL, 0, NULL, NULL, NULL }, \
	[ROW_CRC] = { "iwarp_mpa.crc_flag", "CRC", MPA_SETUP_CRC, RTAP_BOOL, 0, NULL, NULL, NULL }, \
	[ROW_REJECT] = { "iwarp_mpa.rej_flag", "Rejected", MPA_SETUP_REJECT, RTAP_BOOL, 0, NULL, NULL, NULL }, \
	[ROW_RES] = { "iwarp_mpa.res", "Reserved (Revision 1)", MPA_SETUP_RES, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL }, \
	[ROW_ENHANCED] = { "iwarp_mpa.enhanced_flag", "Enhanced Setup", MPA_SETUP_ENHANCED, RTAP_BOOL, 0, NULL, NULL, "RFC 6581, section 6" }, \
	[ROW_REST] = { "iwarp_mpa.reserved", "Reserved", MPA_SETUP_REST, RTAP_HEX, 0, NULL, NULL, "RFC 6581, section 6" }, \
	[ROW_REVISION] = { "iwarp_mpa.rev", "Revision", MPA_SETUP_REVISION, RTAP_DEC, 0, NULL, NULL, NULL }, \
	[ROW_PD_LENGTH] = { "iwarp_mpa.pdlength", "Private Data Length", MPA_SETUP_PD_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL }, \
	[ROW_PRIVATE] = { "iwarp_mpa.privatedata", "Private Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, derive_private_data, NULL }, \
	[ROW_PEER] = { "iwarp_mpa.p2p_flag", "Peer to Peer", 0, 1, RTAP_BOOL, ENHANCED }, \
	[ROW_RTR_SEND] = { "iwarp_mpa.rtr_send_flag", "Ready to Receive by Send", 0, 1, RTAP_BOOL, ENHANCED }, \
	[ROW_IRD] = { "iwarp_mpa.ird", "Inbound Read Queue Depth", 0, 14, RTAP_DEC, RTAP_UNPLACED, depth_names, NULL, "RFC 6581, 9.1" }, \
	[ROW_RTR_WRITE] = { "iwarp_mpa.rtr_write_flag", "Ready to Receive by Write", 0, 1, RTAP_BOOL, ENHANCED }, \
	[ROW_RTR_READ] = { "iwarp_mpa.rtr_read_flag", "Ready to Receive by Read", 0, 1, RTAP_BOOL, ENHANCED }, \
	[ROW_ORD] = { "iwarp_mpa.ord", "Outbound Read Queue Depth", 0, 14, RTAP_DEC, RTAP_UNPLACED, depth_names, NULL, "RFC 6581, 9.1" }

static const struct rtap_field request_fields[] = { SETUP_ROWS("iwarp_mpa.key.req") };
static const struct rtap_field reply_fields[] = { SETUP_ROWS("iwarp_mpa.key.rep") };

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct rtap_mpa_facts *facts = &packet->mpa;
	const struct { size_t row; uint64_t number; uint32_t at; } rows[] = {
		{ ROW_PEER, facts->peer_to_peer, 0 }, { ROW_RTR_SEND, facts->rtr_send, 0 }, { ROW_IRD, facts->ird, 0 },
		{ ROW_RTR_WRITE, facts->rtr_write, 2 }, { ROW_RTR_READ, facts->rtr_read, 2 }, { ROW_ORD, facts->ord, 2 },
	};

	if (!facts->enhanced)
		return;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rtap_value value = { .number = rows[i].number };

		visit_field(visitor, layer, layer->protocol, rows[i].row, &value, layer->offset + MPA_SETUP_LENGTH + rows[i].at, 2);
	}
}

/* A frame that continues in the next segment is shown up to the end of this one. */
static enum result parse(struct parse *parse)
{
	uint32_t start = parse_offset(parse), more, captured;
	struct cursor cursor = parse->cursor;
	struct rpcrdma_private message;
	struct rtap_mpa_facts facts;
	uint16_t protocol;
	const uint8_t *bytes, *data;
	enum result result;

	if (mpa_read_setup(&cursor, &facts) == OK || facts.length)
		parse->packet->mpa = facts;
	protocol = facts.is_reply ? PROTOCOL_MPA_REPLY : PROTOCOL_MPA_REQUEST;
	result = parse_layer(parse, protocol, MPA_SETUP_LENGTH, &bytes);
	if (result != OK)
		return result;
	if (facts.private_length > MPA_MAX_PRIVATE)
		parse_anomaly(parse, RTAP_ANOMALY_PRIVATE_DATA_TOO_LONG, start + MPA_SETUP_LENGTH - 2);
	more = facts.private_length < parse->cursor.wire ? facts.private_length : parse->cursor.wire;
	data = parse->cursor.next;
	captured = parse->cursor.captured < more ? parse->cursor.captured : more;
	result = parse_more(parse, more, &bytes);
	bytes = facts.upper == RTAP_UPPER_RPCRDMA && !parse->context->no_heuristics ? rpcrdma_find_private(data, captured, &message) : NULL;
	if (bytes)
		parse_place_layer(parse, PROTOCOL_RPCRDMA_PRIVATE, start + MPA_SETUP_LENGTH + (uint32_t)(bytes - data), RPCRDMA_PRIVATE_LENGTH);
	if (result == OK && parse->cursor.wire)
		parse->next = iwarp_after_setup(parse);
	return result;
}

static void summary_enhanced(const struct rtap_mpa_facts *facts, struct line *line)
{
	line_text(line, " IRD ");
	line_dec(line, facts->ird);
	line_text(line, " ORD ");
	line_dec(line, facts->ord);
	if (!facts->peer_to_peer)
		return;
	line_text(line, " peer to peer");
	if (facts->rtr_send)
		line_text(line, " send");
	if (facts->rtr_write)
		line_text(line, " write");
	if (facts->rtr_read)
		line_text(line, " read");
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_mpa_facts *facts = &packet->mpa;
	char *begin;

	line_text(line, layer->protocol == PROTOCOL_MPA_REPLY ? "MPA Reply" : "MPA Request");
	if (layer->length < MPA_SETUP_LENGTH)
		return;
	if (facts->rejected)
		line_text(line, " rejected");
	begin = line->next;
	line_text(line, " rev ");
	line_dec(line, facts->revision);
	/* IRD and ORD are of revision 2 */
	if (facts->enhanced)
		line_spare(line, begin, LINE_SPARE_LOWER);
	if (facts->markers)
		line_text(line, " markers");
	if (facts->crc)
		line_text(line, " CRC");
	if (facts->enhanced)
		summary_enhanced(facts, line);
	begin = line->next;
	line_text(line, " private ");
	line_dec(line, facts->private_length);
	line_text(line, " B");
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

const struct protocol mpa_request_protocol = {
	.table = { "iwarp_mpa.req", "MPA Request", "RFC 5044, 7.1.1", MPA_SETUP_LENGTH, FIELDS(request_fields) },
	.parse = parse,
	.visit = visit,
	.summary = summary,
};

const struct protocol mpa_reply_protocol = {
	.table = { "iwarp_mpa.rep", "MPA Reply", "RFC 5044, 7.1.1", MPA_SETUP_LENGTH, FIELDS(reply_fields) },
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
