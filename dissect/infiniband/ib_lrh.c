/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Local Route Header (IBTA vol. 1, 7.7), the raw header after it (5.3), and the variant CRC (7.8.2).
 */
#include "config.h"

#include "dissect/engine/ends.h"
#include "dissect/engine/ethertype.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_crc.h"
#include "dissect/engine/parse.h"

/* Link next header */
#define LNH_RAW 0
#define LNH_IPV6 1
#define LNH_LOCAL 2
#define LNH_GLOBAL 3

static const struct rtap_name lnh_names[] = {
	{ LNH_RAW, "Raw" },
	{ LNH_IPV6, "IPv6 (no IBA transport)" },
	{ LNH_LOCAL, "IBA local" },
	{ LNH_GLOBAL, "IBA global" },
	{ 0, NULL },
};

static const struct rtap_field lrh_fields[] = {
	{ "infiniband.lrh.vl", "Virtual Lane", LRH_VL, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.lrh.lver", "Link Version", LRH_LVER, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.lrh.sl", "Service Level", LRH_SL, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.lrh.reserved2", "Reserved", LRH_RESERVED_2, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.lrh.lnh", "Link Next Header", LRH_LNH, RTAP_HEX, 0, lnh_names, NULL, NULL },
	{ "infiniband.lrh.dlid", "Destination Local ID", LRH_DLID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.lrh.reserved5", "Reserved", LRH_RESERVED_5, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.lrh.pktlen", "Packet Length", LRH_PKT_LEN, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.lrh.slid", "Source Local ID", LRH_SLID, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
};

static uint16_t after_lrh(uint8_t lnh)
{
	switch (lnh) {
	case LNH_RAW: return PROTOCOL_RWH;
	case LNH_IPV6: return PROTOCOL_IPV6;
	case LNH_LOCAL: return PROTOCOL_BTH;
	default: return PROTOCOL_GRH;
	}
}

static void place_vcrc(struct parse *parse, uint32_t offset)
{
	parse_place_layer(parse, PROTOCOL_VCRC, offset, VCRC_LENGTH);
	if (parse->context->check_icrc && ib_check_vcrc(parse->packet) == RTAP_CRC_BAD)
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VCRC, offset);
}

static enum result parse_lrh(struct parse *parse)
{
	struct rtap_ib_facts *ib = &parse->packet->ib;
	uint32_t start = parse_offset(parse), length;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_LRH, LRH_LENGTH, &header);

	if (result != OK)
		return result;
	length = (uint32_t)bits(header, LRH_PKT_LEN) * 4;
	ib->has_lrh = true;
	ib->lnh = (uint8_t)bits(header, LRH_LNH);
	ib->slid = (uint16_t)bits(header, LRH_SLID);
	ib->dlid = (uint16_t)bits(header, LRH_DLID);
	ib->lrh_offset = start;
	ib->crc_start_layer = (uint8_t)(parse->packet->layer_count - 1);
	if (length < LRH_LENGTH) {
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_TOO_SHORT, start);
		return MALFORMED;
	}
	if (length - LRH_LENGTH + VCRC_LENGTH <= parse->cursor.wire)
		place_vcrc(parse, start + length);
	if (!cursor_narrow(&parse->cursor, length - LRH_LENGTH))
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, start);
	parse->next = after_lrh(ib->lnh);
	return OK;
}

static void summary_lrh(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < LRH_LENGTH)
		return;
	ends_summary_lids(packet, layer, (uint32_t)bits(header, LRH_SLID), (uint32_t)bits(header, LRH_DLID), line);
}

const struct protocol lrh_protocol = {
	.table = { "infiniband.lrh", "Local Route Header", "IBTA vol. 1, 7.7", LRH_LENGTH, FIELDS(lrh_fields) },
	.parse = parse_lrh,
	.summary = summary_lrh,
};

#define RWH_LENGTH 4
#define RWH_RESERVED 0, 16
#define RWH_ETHERTYPE 16, 16

static const struct rtap_field rwh_fields[] = {
	{ "infiniband.rwh.reserved", "Reserved", RWH_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.rwh.etype", "Ethertype", RWH_ETHERTYPE, RTAP_HEX, 0, ethertype_names, NULL, NULL },
};

static enum result parse_rwh(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_RWH, RWH_LENGTH, &header);

	if (result == OK)
		parse->next = ethertype_protocol((uint16_t)bits(header, RWH_ETHERTYPE));
	return result;
}

static void summary_rwh(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < RWH_LENGTH)
		return;
	line_text(line, "raw ethertype ");
	line_hex(line, bits(header, RWH_ETHERTYPE), 4);
	line_char(line, ' ');
}

const struct protocol rwh_protocol = {
	.table = { "infiniband.rwh", "Raw Header", "IBTA vol. 1, 5.3", RWH_LENGTH, FIELDS(rwh_fields) },
	.parse = parse_rwh,
	.summary = summary_rwh,
};
