/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Base Transport Header, and the parts after it: extended headers, payload, pad, invariant CRC.
 * IBTA vol. 1, 9.2; FECN and BECN: A17.9.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_crc.h"
#include "dissect/infiniband/ib_ext.h"
#include "dissect/engine/parse.h"
#include "dissect/infiniband/upper.h"

static const struct rtap_field bth_fields[] = {
	{ "infiniband.bth.opcode", "Opcode", BTH_OPCODE, RTAP_DEC, RTAP_OPCODE, ib_opcode_names, NULL, NULL },
	{ "infiniband.bth.se", "Solicited Event", BTH_SOLICITED, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.bth.m", "Migration Request", BTH_MIGRATION, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.bth.padcnt", "Pad Count", BTH_PAD_COUNT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.bth.tver", "Header Version", BTH_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.bth.p_key", "Partition Key", BTH_P_KEY, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.bth.fecn", "Forward Congestion Notification", BTH_FECN, RTAP_BOOL, 0, NULL, NULL, "A17.9" },
	{ "infiniband.bth.becn", "Backward Congestion Notification", BTH_BECN, RTAP_BOOL, 0, NULL, NULL, "A17.9" },
	{ "infiniband.bth.reserved6", "Reserved", BTH_RESERVED_6, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.bth.destqp", "Destination Queue Pair", BTH_DEST_QP, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.bth.a", "Acknowledge Request", BTH_ACK_REQUEST, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "infiniband.bth.reserved7", "Reserved", BTH_RESERVED_7, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.bth.psn", "Packet Sequence Number", BTH_PSN, RTAP_DEC, RTAP_IS_PSN, NULL, NULL, NULL },
};

/* Reads the facts of a header that precedes the cursor. */
static void note_facts(struct parse *parse, const uint8_t *header)
{
	struct rtap_ib_facts *ib = &parse->packet->ib;

	ib->has_bth = true;
	ib->source = parse->source;
	ib->bth_offset = parse_offset(parse) - BTH_LENGTH;
	ib->opcode = (uint8_t)bits(header, BTH_OPCODE);
	ib->solicited_event = bits(header, BTH_SOLICITED);
	ib->migration_request = bits(header, BTH_MIGRATION);
	ib->pad_count = (uint8_t)bits(header, BTH_PAD_COUNT);
	ib->p_key = (uint16_t)bits(header, BTH_P_KEY);
	ib->fecn = bits(header, BTH_FECN);
	ib->becn = bits(header, BTH_BECN);
	ib->dest_qpn = (uint32_t)bits(header, BTH_DEST_QP);
	ib->ack_request = bits(header, BTH_ACK_REQUEST);
	ib->psn = (uint32_t)bits(header, BTH_PSN);
}

static __attribute__((noinline)) void check_icrc(struct parse *parse)
{
	struct rtap_ib_facts *ib = &parse->packet->ib;

	ib->icrc_status = (uint8_t)ib_check_icrc(parse->packet);
	if (ib->icrc_status == RTAP_CRC_BAD)
		parse_anomaly(parse, RTAP_ANOMALY_BAD_ICRC, ib->icrc_offset);
}

/* The invariant CRC is the last four bytes by the length fields, never by the frame's end. Returns how many bytes are before it. */
static inline uint32_t place_icrc(struct parse *parse)
{
	struct rtap_ib_facts *ib = &parse->packet->ib;
	uint32_t before = parse->cursor.wire - ICRC_LENGTH;

	if (unlikely(parse->cursor.wire < ICRC_LENGTH))
		return parse->cursor.wire;
	ib->icrc_on_wire = true;
	ib->icrc_offset = parse_offset(parse) + before;
	parse_place_layer(parse, PROTOCOL_ICRC, ib->icrc_offset, ICRC_LENGTH);
	if (unlikely(parse->context->check_icrc))
		check_icrc(parse);
	return before;
}

/*
 * After incomplete extended headers. If the capture truncated them, the CRC is unverifiable, and the length of the payload on the wire
 * is still known.
 */
static __attribute__((noinline)) enum result parse_cut(struct parse *parse, const struct ib_opcode *opcode, enum result result)
{
	struct rtap_packet *packet = parse->packet;
	uint64_t begin = (uint64_t)packet->ib.bth_offset + BTH_LENGTH + ib_extended_length(opcode) + packet->ib.pad_count;

	if (result != TRUNCATED)
		return result;
	(void)place_icrc(parse);
	if (packet->ib.icrc_on_wire && begin <= packet->ib.icrc_offset)
		packet->payload = (struct rtap_payload){ parse->source, parse_offset(parse), 0, packet->ib.icrc_offset - (uint32_t)begin };
	return result;
}

/* After the extended headers. */
static inline enum result parse_rest_of_packet(struct parse *parse, const struct ib_opcode *opcode)
{
	struct rtap_packet *packet = parse->packet;
	uint32_t left = place_icrc(parse);

	/* pad bytes belong to the transport, whatever is in the payload: IBTA vol. 1, 9.2.1 */
	if (unlikely(packet->ib.pad_count > left))
		parse_anomaly(parse, RTAP_ANOMALY_PAD_BEYOND_PAYLOAD, packet->ib.bth_offset);
	else
		left -= packet->ib.pad_count;
	cursor_narrow(&parse->cursor, left);
	return upper_begin(parse, opcode);
}

static __attribute__((noinline)) enum result parse_reserved(struct parse *parse, const struct ib_opcode *opcode)
{
	parse_anomaly(parse, RTAP_ANOMALY_UNKNOWN_OPCODE, parse->packet->ib.bth_offset);
	return parse_rest_of_packet(parse, opcode);
}

static __attribute__((noinline)) enum result parse_extended(struct parse *parse, const struct ib_opcode *opcode)
{
	enum result result = ib_parse_extended(parse, opcode);

	return result == OK ? parse_rest_of_packet(parse, opcode) : parse_cut(parse, opcode, result);
}

static enum result parse(struct parse *parse)
{
	const struct ib_opcode *opcode;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_BTH, BTH_LENGTH, &header);

	if (result != OK)
		return result;
	note_facts(parse, header);
	opcode = &ib_opcodes[bits(header, BTH_OPCODE)];
	if (unlikely(opcode->class == IB_RESERVED))
		return parse_reserved(parse, opcode);
	if (opcode->headers)
		return parse_extended(parse, opcode);
	return parse_rest_of_packet(parse, opcode);
}

/* The columns: operation, PSN, length. */
#define OPERATION_WIDTH 16
#define PSN_LIMIT 10000000
#define LENGTH_LIMIT 1000
#define NO_LENGTH "     "

/* Right-aligned in as many columns as `limit`, a power of ten, has digits. */
static char *put_right(char *to, uint32_t number, uint32_t limit)
{
	for (; limit > number && limit > 1; limit /= 10)
		*to++ = ' ';
	return line_put_dec(to, number);
}

#define UD_SEND_ONLY (IB_UD | 0x04)

static bool lacks_payload(uint8_t opcode)
{
	switch (ib_opcodes[opcode].class) {
	case IB_READ_REQUEST:
	case IB_ACKNOWLEDGE:
	case IB_ATOMIC:
	case IB_ATOMIC_ACKNOWLEDGE:
	case IB_CONGESTION:
	case IB_FLUSH:
	case IB_RESYNC:
		return true;
	default:
		return false;
	}
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const struct ib_opcode_words *words;
	char spare[160 + LINE_PAD];
	char *begin, *to, *number, *length;

	if (layer->length < BTH_LENGTH)
		return;
	/* every management datagram is one */
	if (packet->mad.present && ib->opcode == UD_SEND_ONLY)
		return;
	words = &ib_opcode_words[ib->opcode];
	begin = line_begin(line, spare, sizeof spare);
	memcpy(begin, words->text, sizeof words->text);
	to = words->length ? begin + words->length : line_put_hex(line_put(begin, "opcode 0x"), ib->opcode, 2);
	/* of management datagrams these are always alike */
	if (!packet->mad.present) {
		number = to;
		to = line_put_pad(begin, to, OPERATION_WIDTH);
		to = length = put_right(to, ib->psn, PSN_LIMIT);
		/* by the standard those have none: IBTA vol. 1, 9.2.1 */
		if (packet->payload.wire || !lacks_payload(ib->opcode)) {
			*to++ = ' ';
			to = put_right(to, packet->payload.wire, LENGTH_LIMIT);
		} else if (ib_opcodes[ib->opcode].class == IB_READ_REQUEST) {
			*to++ = ' ';
			to = put_right(to, ib->dma_length, LENGTH_LIMIT);
		} else {
			to = line_put(to, NO_LENGTH);
		}
		if (begin == line->next && layer_has_upper(packet, layer)) {
			line_spare_within(line, length, to, LINE_SPARE_PACKET);
			line_spare_within(line, number, length, LINE_SPARE_PACKET);
			line_spare_within(line, begin, to, LINE_SPARE_OPERATION);
		} else if (begin == line->next && ib->has_aeth && ib->aeth_kind != RTAP_AETH_ACK && ib_opcodes[ib->opcode].class == IB_ACKNOWLEDGE) {
			/* the NAK follows */
			line_spare_within(line, begin, number, LINE_SPARE_DETAIL);
		} else if (begin == line->next) {
			line_spare_within(line, length, to, LINE_SPARE_LAST);
			line_spare_within(line, number, length, LINE_SPARE_LAST);
		}
	} else {
		to = line_put(to, ": ");
	}
	if (ib->solicited_event)
		to = line_put(to, " SE");
	if (ib->fecn)
		to = line_put(to, " FECN");
	if (ib->becn)
		to = line_put(to, " BECN");
	line_end(line, begin, to);
}

const struct protocol bth_protocol = {
	.table = { "infiniband.bth", "Base Transport Header", "IBTA vol. 1, 9.2", BTH_LENGTH, FIELDS(bth_fields) },
	.parse = parse,
	.summary = summary,
};
