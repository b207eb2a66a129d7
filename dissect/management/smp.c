/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet management packets: LID routed and directed route, after the MAD header. IBTA vol. 1, 14.2.1.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

#define DATA_LENGTH 64

/* LID routed. 14.2.1.1. Positions count from the end of the MAD header. */
#define LID_LENGTH (MAD_LENGTH - MAD_HEADER_LENGTH)
#define LID_DATA_AT 40
#define LID_M_KEY 0, 64
#define LID_RESERVED0 64, 256
#define LID_DATA 320, 512
#define LID_RESERVED1 832, 1024

/* Directed route. 14.2.1.2. */
#define DIRECTED_LENGTH (MAD_LENGTH - MAD_HEADER_LENGTH)
#define DIRECTED_DATA_AT 40
#define DIRECTED_INITIAL_AT 104
#define DIRECTED_RETURN_AT 168
#define DIRECTED_M_KEY 0, 64
#define DIRECTED_SLID 64, 16
#define DIRECTED_DLID 80, 16
#define DIRECTED_RESERVED 96, 224
#define DIRECTED_DATA 320, 512
#define DIRECTED_INITIAL 832, 512
#define DIRECTED_RETURN 1344, 512

/* In the preceding MAD header: the byte with the D bit, and the hops. */
#define DIRECTION_BEFORE 20
#define HOP_POINTER_BEFORE 18
#define HOP_COUNT_BEFORE 17
#define MAX_HOPS 63

/* The attribute is within the header's layer, which is truncated with it. */
static enum result parse_smp(struct parse *parse, uint16_t protocol, uint32_t length, uint32_t data_at)
{
	uint32_t offset = parse_offset(parse), wire = parse->cursor.wire;
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, length, &header);
	uint32_t left = wire > data_at ? wire - data_at : 0;

	mad_place_attribute(parse, offset + data_at, left < DATA_LENGTH ? left : DATA_LENGTH, DATA_LENGTH, 1);
	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static enum result parse_lid(struct parse *parse)
{
	return parse_smp(parse, PROTOCOL_SMP_LID, LID_LENGTH, LID_DATA_AT);
}

static enum result parse_directed(struct parse *parse)
{
	return parse_smp(parse, PROTOCOL_SMP_DIRECTED, DIRECTED_LENGTH, DIRECTED_DATA_AT);
}

/* The whole MAD, whose header precedes the layer. */
static bool derive_lid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) - MAD_HEADER_LENGTH, MAD_LENGTH };
	return layer->length == LID_LENGTH;
}

static const struct rtap_field lid_fields[] = {
	{ "infiniband.smplid", "Subnet Management Packet", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_lid, NULL },
	{ "infiniband.smplid.mkey", "M_Key", LID_M_KEY, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.smplid.reserved0", "Reserved", LID_RESERVED0, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "infiniband.smplid.smpdata", "SMP Data", LID_DATA, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "infiniband.smplid.reserved1", "Reserved", LID_RESERVED1, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

const struct protocol smp_lid_protocol = {
	.table = { "infiniband.smplid", "Subnet Management Packet (LID Routed)", "IBTA vol. 1, 14.2.1.1", LID_LENGTH, FIELDS(lid_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_lid,
};

static bool derive_directed(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) - MAD_HEADER_LENGTH, MAD_LENGTH };
	return layer->length == DIRECTED_LENGTH;
}

static uint8_t before(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t bytes)
{
	return *(layer_bytes(packet, layer) - bytes);
}

static bool is_returning(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return before(packet, layer, DIRECTION_BEFORE) & 0x80;
}

static bool derive_way(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const char *way = is_returning(packet, layer) ? "returning" : "outbound";

	value->data = (struct rtap_span){ (const uint8_t *)way, (uint32_t)strlen(way) };
	return true;
}

enum directed_row {
	ROW_WHOLE, ROW_M_KEY, ROW_SLID, ROW_DLID, ROW_RESERVED, ROW_DATA, ROW_INITIAL, ROW_RETURN, ROW_WAY, ROW_HOP, ROW_RETURN_HOP,
};

static const struct rtap_field directed_fields[] = {
	[ROW_WHOLE] = { "infiniband.smpdirected", "Subnet Management Packet", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL,
			derive_directed, NULL },
	[ROW_M_KEY] = { "infiniband.smplid.mkey", "M_Key", DIRECTED_M_KEY, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	[ROW_SLID] = { "infiniband.smpdirected.drslid", "DrSLID", DIRECTED_SLID, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	[ROW_DLID] = { "infiniband.smpdirected.drdlid", "DrDLID", DIRECTED_DLID, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	[ROW_RESERVED] = { "infiniband.smpdirected.reserved", "Reserved", DIRECTED_RESERVED, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	[ROW_DATA] = { "infiniband.smplid.smpdata", "SMP Data", DIRECTED_DATA, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	[ROW_INITIAL] = { "infiniband.smpdirected.initialpath", "Initial Path", DIRECTED_INITIAL, RTAP_BYTES, 0, NULL, NULL, NULL },
	[ROW_RETURN] = { "infiniband.smpdirected.returnpath", "Return Path", DIRECTED_RETURN, RTAP_BYTES, 0, NULL, NULL, NULL },
	[ROW_WAY] = { "infiniband.smpdirected.direction", "Direction", 0, 0, RTAP_TEXT, RTAP_UNPLACED, NULL, derive_way, NULL },
	[ROW_HOP] = { "infiniband.smpdirected.hop", "Leaves by Port", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_RETURN_HOP] = { "infiniband.smpdirected.returnhop", "Came in by Port", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL,
			     NULL },
};

/* The ports of a path, of which entry 0 is not used. 14.2.2. */
static void visit_path(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, size_t row,
		       uint32_t at, uint32_t hops)
{
	for (uint32_t hop = 1; hop <= hops && at + hop < layer->length; hop++) {
		struct rtap_value value = { .number = layer_bytes(packet, layer)[at + hop] };

		visit_field(visitor, layer, PROTOCOL_SMP_DIRECTED, row, &value, layer->offset + at + hop, 1);
	}
}

/*
 * The requester sets the initial path; each hop records the return path, which an outgoing packet therefore has up to the hop at the
 * hop pointer.
 */
static void visit_directed(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	uint32_t count = before(packet, layer, HOP_COUNT_BEFORE), pointer = before(packet, layer, HOP_POINTER_BEFORE);
	uint32_t returned = is_returning(packet, layer) || pointer > count ? count : pointer;

	if (count > MAX_HOPS)
		return;
	visit_path(packet, layer, visitor, ROW_HOP, DIRECTED_INITIAL_AT, count);
	visit_path(packet, layer, visitor, ROW_RETURN_HOP, DIRECTED_RETURN_AT, returned);
}

/* ", outbound 1,4 at hop 1 of 2" */
static void summary_directed(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	uint32_t count = before(packet, layer, HOP_COUNT_BEFORE);

	line_text(line, is_returning(packet, layer) ? " returning" : " outbound");
	for (uint32_t hop = 1; hop <= count && count <= MAX_HOPS && DIRECTED_INITIAL_AT + hop < layer->length; hop++) {
		line_char(line, hop == 1 ? ' ' : ',');
		line_dec(line, layer_bytes(packet, layer)[DIRECTED_INITIAL_AT + hop]);
	}
	line_text(line, " hop ");
	line_dec(line, before(packet, layer, HOP_POINTER_BEFORE));
	line_text(line, " of ");
	line_dec(line, count);
}

const struct protocol smp_directed_protocol = {
	.table = { "infiniband.smpdirected", "Subnet Management Packet (Directed Route)", "IBTA vol. 1, 14.2.1.2", DIRECTED_LENGTH,
		   FIELDS(directed_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_directed,
	.visit = visit_directed,
	.summary = summary_directed,
};
