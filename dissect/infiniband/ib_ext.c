/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The extended transport headers. IBTA vol. 1, 9.3; FETH: A19.4.
 */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_ext.h"
#include "dissect/infiniband/ib_opcode.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"

/* Reliable Datagram Extended Transport Header. 9.3.1. */
#define RDETH_LENGTH 4
#define RDETH_RESERVED 0, 8
#define RDETH_EE_CONTEXT 8, 24

static const struct rtap_field rdeth_fields[] = {
	{ "infiniband.rdeth.reserved8", "Reserved", RDETH_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.rdeth.eecnxt", "End-to-End Context", RDETH_EE_CONTEXT, RTAP_DEC, RTAP_IS_QP, NULL, NULL, NULL },
};

/* Datagram Extended Transport Header. 9.3.2. */
#define DETH_LENGTH 8
#define DETH_Q_KEY 0, 32
#define DETH_RESERVED 32, 8
#define DETH_SRC_QP 40, 24

static const struct rtap_field deth_fields[] = {
	{ "infiniband.deth.q_key", "Queue Key", DETH_Q_KEY, RTAP_HEX64, RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.deth.reserved8", "Reserved", DETH_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.deth.srcqp", "Source Queue Pair", DETH_SRC_QP, RTAP_HEX32, RTAP_IS_QP, NULL, NULL, NULL },
};

/* XRC Extended Transport Header. A14.2.2. */
#define XRCETH_LENGTH 4
#define XRCETH_RESERVED 0, 8
#define XRCETH_SRQ 8, 24

static const struct rtap_field xrceth_fields[] = {
	{ "infiniband.xrceth.reserved", "Reserved", XRCETH_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.xrceth.srq", "XRC Shared Receive Queue", XRCETH_SRQ, RTAP_HEX, RTAP_IS_QP, NULL, NULL, NULL },
};

/* FLUSH Extended Transport Header. A19.4. */
#define FETH_LENGTH 4
#define FETH_RESERVED 0, 26
#define FETH_SELECTIVITY 26, 2
#define FETH_PLACEMENT 28, 4

static const struct rtap_name selectivity_names[] = {
	{ 0, "memory region range" }, { 1, "whole memory region" }, { 0, NULL },
};

static const struct rtap_name placement_names[] = {
	{ 1, "global visibility" }, { 2, "persistence" }, { 3, "global visibility and persistence" }, { 0, NULL },
};

static const struct rtap_field feth_fields[] = {
	{ "infiniband.feth.reserved", "Reserved", FETH_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "infiniband.feth.sel", "Selectivity Level", FETH_SELECTIVITY, RTAP_DEC, 0, selectivity_names, NULL, NULL },
	{ "infiniband.feth.plt", "Placement Type", FETH_PLACEMENT, RTAP_DEC, 0, placement_names, NULL, NULL },
};

/* RDMA Extended Transport Header. 9.3.3. */
#define RETH_LENGTH 16
#define RETH_ADDRESS 0, 64
#define RETH_R_KEY 64, 32
#define RETH_DMA_LENGTH 96, 32

static const struct rtap_field reth_fields[] = {
	{ "infiniband.reth.va", "Virtual Address", RETH_ADDRESS, RTAP_HEX, RTAP_IS_ADDRESS, NULL, NULL, NULL },
	{ "infiniband.reth.r_key", "Remote Key", RETH_R_KEY, RTAP_HEX, RTAP_IS_RKEY, NULL, NULL, NULL },
	{ "infiniband.reth.dmalen", "DMA Length", RETH_DMA_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
};

/* ATOMIC Extended Transport Header. 9.3.4. */
#define ATOMICETH_LENGTH 28
#define ATOMICETH_ADDRESS 0, 64
#define ATOMICETH_R_KEY 64, 32
#define ATOMICETH_SWAP 96, 64
#define ATOMICETH_COMPARE 160, 64

static const struct rtap_field atomiceth_fields[] = {
	{ "infiniband.reth.va", "Virtual Address", ATOMICETH_ADDRESS, RTAP_HEX, RTAP_IS_ADDRESS, NULL, NULL, NULL },
	{ "infiniband.reth.r_key", "Remote Key", ATOMICETH_R_KEY, RTAP_HEX, RTAP_IS_RKEY, NULL, NULL, NULL },
	{ "infiniband.atomiceth.swapdt", "Swap or Add Data", ATOMICETH_SWAP, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
	{ "infiniband.atomiceth.cmpdt", "Compare Data", ATOMICETH_COMPARE, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
};

/* ACK Extended Transport Header. 9.3.5. */
#define AETH_LENGTH 4
#define AETH_SYNDROME 0, 8
#define AETH_RESERVED 0, 1
#define AETH_KIND 1, 2
#define AETH_CODE 3, 5
#define AETH_MSN 8, 24

#define CREDITS_NOT_USED 31

static const struct rtap_name aeth_kind_names[] = {
	{ RTAP_AETH_ACK, "ACK" }, { RTAP_AETH_RNR_NAK, "RNR NAK" }, { RTAP_AETH_RESERVED, "Reserved" }, { RTAP_AETH_NAK, "NAK" }, { 0, NULL },
};

static const struct rtap_name nak_names[] = {
	{ RTAP_NAK_SEQUENCE_ERROR, "PSN sequence error" },
	{ RTAP_NAK_INVALID_REQUEST, "invalid request" },
	{ RTAP_NAK_REMOTE_ACCESS, "remote access error" },
	{ RTAP_NAK_REMOTE_OPERATIONAL, "remote operational error" },
	{ RTAP_NAK_INVALID_RD, "invalid RD request" },
	{ 0, NULL },
};

static bool derive_code(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, unsigned kind)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (!layer->length)
		return false;
	value->number = bits(header, AETH_CODE);
	return bits(header, AETH_KIND) == kind;
}

static bool derive_credits(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_code(packet, layer, value, RTAP_AETH_ACK);
}

static bool derive_timer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_code(packet, layer, value, RTAP_AETH_RNR_NAK);
}

static bool derive_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_code(packet, layer, value, RTAP_AETH_RESERVED);
}

static bool derive_error(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_code(packet, layer, value, RTAP_AETH_NAK);
}

static bool derive_timer_us(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	bool there = derive_timer(packet, layer, value);

	value->number = there ? ib_rnr_timer_us((uint8_t)value->number) : 0;
	return there;
}

static bool derive_credit_messages(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	bool there = derive_credits(packet, layer, value) && value->number != CREDITS_NOT_USED;

	value->number = there ? ib_credits((uint8_t)value->number) : 0;
	return there;
}

static const struct rtap_field aeth_fields[] = {
	{ "infiniband.aeth.syndrome", "Syndrome", AETH_SYNDROME, RTAP_DEC, RTAP_PARTS | RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.aeth.syndrome.reserved", "Reserved", AETH_RESERVED, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.aeth.syndrome.opcode", "Kind", AETH_KIND, RTAP_DEC, 0, aeth_kind_names, NULL, "9.7.5.2.2" },
	{ "infiniband.aeth.syndrome.credit_count", "Credit Count", AETH_CODE, RTAP_DEC, RTAP_SOMETIMES | RTAP_OWN_BYTES, NULL, derive_credits, "9.7.7.2" },
	{ "infiniband.aeth.syndrome.timer", "RNR Timer", AETH_CODE, RTAP_DEC, RTAP_SOMETIMES | RTAP_OWN_BYTES | RTAP_COMPARED, NULL,
	  derive_timer, "9.7.5.2.8" },
	{ "infiniband.aeth.syndrome.reserved_value", "Reserved", AETH_CODE, RTAP_DEC, RTAP_SOMETIMES | RTAP_OWN_BYTES, NULL, derive_reserved, NULL },
	{ "infiniband.aeth.syndrome.error_code", "NAK Code", AETH_CODE, RTAP_DEC, RTAP_SOMETIMES | RTAP_OWN_BYTES, nak_names, derive_error, "9.7.5.2.2" },
	{ "infiniband.aeth.msn", "Message Sequence Number", AETH_MSN, RTAP_DEC, RTAP_IS_MSN, NULL, NULL, NULL },
	{ "rdmatap.aeth.credits", "Credits, as messages", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_credit_messages, "9.7.7.2" },
	{ "rdmatap.aeth.rnr_timer_us", "RNR Timer, in microseconds", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_timer_us, "9.7.5.2.8" },
};

/* ATOMIC Acknowledge Extended Transport Header. 9.3.5.3. */
#define ATOMICACKETH_LENGTH 8
#define ATOMICACKETH_ORIGINAL 0, 64

static const struct rtap_field atomicacketh_fields[] = {
	{ "infiniband.atomicacketh.origremdt", "Original Remote Data", ATOMICACKETH_ORIGINAL, RTAP_DEC, RTAP_COMPARED, NULL, NULL, NULL },
};

/* Immediate Data Extended Transport Header. 9.3.6. */
#define IMMDT_LENGTH 4
#define IMMDT_DATA 0, 32

static const struct rtap_field immdt_fields[] = {
	{ "infiniband.immdt", "Immediate Data", IMMDT_DATA, RTAP_BYTES, RTAP_COMPARED, NULL, NULL, NULL },
};

/* Invalidate Extended Transport Header. 9.3.7. */
#define IETH_LENGTH 4
#define IETH_R_KEY 0, 32

static const struct rtap_field ieth_fields[] = {
	{ "infiniband.ieth", "Invalidated Remote Key", IETH_R_KEY, RTAP_BYTES, RTAP_IS_RKEY, NULL, NULL, NULL },
};

/* Reserved payload of a congestion notification packet. A10.3.2, A17.9.3. */
#define CNP_PAYLOAD_LENGTH 16
#define CNP_PAYLOAD_RESERVED 0, 128

static const struct rtap_field cnp_payload_fields[] = {
	{ "infiniband.cnp.reserved", "Reserved", CNP_PAYLOAD_RESERVED, RTAP_BYTES, 0, NULL, NULL, NULL },
};

static void note_reth(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_reth = true;
	ib->virtual_address = bits(header, RETH_ADDRESS);
	ib->r_key = (uint32_t)bits(header, RETH_R_KEY);
	ib->dma_length = (uint32_t)bits(header, RETH_DMA_LENGTH);
}

static void note_atomiceth(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_atomic = true;
	ib->virtual_address = bits(header, ATOMICETH_ADDRESS);
	ib->r_key = (uint32_t)bits(header, ATOMICETH_R_KEY);
	ib->swap_or_add = bits(header, ATOMICETH_SWAP);
	ib->compare = bits(header, ATOMICETH_COMPARE);
}

static void note_deth(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_deth = true;
	ib->q_key = (uint32_t)bits(header, DETH_Q_KEY);
	ib->src_qpn = (uint32_t)bits(header, DETH_SRC_QP);
}

static void note_xrceth(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->xrc_srq = (uint32_t)bits(header, XRCETH_SRQ);
}

static void note_aeth(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_aeth = true;
	ib->syndrome = (uint8_t)bits(header, AETH_SYNDROME);
	ib->aeth_kind = (uint8_t)bits(header, AETH_KIND);
	ib->aeth_value = (uint8_t)bits(header, AETH_CODE);
	ib->msn = (uint32_t)bits(header, AETH_MSN);
}

static void note_atomicacketh(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_atomic = true;
	ib->original = bits(header, ATOMICACKETH_ORIGINAL);
}

static void note_immdt(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_immediate = true;
	ib->immediate = (uint32_t)bits(header, IMMDT_DATA);
}

static void note_ieth(struct rtap_ib_facts *ib, const uint8_t *header)
{
	ib->has_ieth = true;
	ib->invalidated_r_key = (uint32_t)bits(header, IETH_R_KEY);
}

/* By their bits' places, which is the order in which they follow one another: IBTA vol. 1, table 38. */
static const struct extended_header {
	uint16_t protocol, length;
} extended_headers[] = {
	[__builtin_ctz(IB_RDETH)] = { PROTOCOL_RDETH, RDETH_LENGTH },
	[__builtin_ctz(IB_DETH)] = { PROTOCOL_DETH, DETH_LENGTH },
	[__builtin_ctz(IB_XRCETH)] = { PROTOCOL_XRCETH, XRCETH_LENGTH },
	[__builtin_ctz(IB_FETH)] = { PROTOCOL_FETH, FETH_LENGTH },
	[__builtin_ctz(IB_RETH)] = { PROTOCOL_RETH, RETH_LENGTH },
	[__builtin_ctz(IB_ATOMICETH)] = { PROTOCOL_ATOMICETH, ATOMICETH_LENGTH },
	[__builtin_ctz(IB_AETH)] = { PROTOCOL_AETH, AETH_LENGTH },
	[__builtin_ctz(IB_ATOMICACKETH)] = { PROTOCOL_ATOMICACKETH, ATOMICACKETH_LENGTH },
	[__builtin_ctz(IB_IMMDT)] = { PROTOCOL_IMMDT, IMMDT_LENGTH },
	[__builtin_ctz(IB_IETH)] = { PROTOCOL_IETH, IETH_LENGTH },
	[__builtin_ctz(IB_CNP_RESERVED)] = { PROTOCOL_CNP_PAYLOAD, CNP_PAYLOAD_LENGTH },
};

static inline void note_facts(struct rtap_ib_facts *ib, enum ib_header which, const uint8_t *header)
{
	switch (which) {
	case IB_DETH: note_deth(ib, header); break;
	case IB_XRCETH: note_xrceth(ib, header); break;
	case IB_RETH: note_reth(ib, header); break;
	case IB_ATOMICETH: note_atomiceth(ib, header); break;
	case IB_AETH: note_aeth(ib, header); break;
	case IB_ATOMICACKETH: note_atomicacketh(ib, header); break;
	case IB_IMMDT: note_immdt(ib, header); break;
	case IB_IETH: note_ieth(ib, header); break;
	case IB_RDETH:
	case IB_FETH:
	case IB_CNP_RESERVED:
		break;
	}
}

enum result ib_parse_extended(struct parse *parse, const struct ib_opcode *opcode)
{
	for (unsigned left = opcode->headers; left; left &= left - 1) {
		const struct extended_header *extended = &extended_headers[__builtin_ctz(left)];
		const uint8_t *header;
		enum result result = parse_layer(parse, extended->protocol, extended->length, &header);

		if (result != OK)
			return result;
		note_facts(&parse->packet->ib, (enum ib_header)(left & -left), header);
	}
	return OK;
}

uint32_t ib_extended_length(const struct ib_opcode *opcode)
{
	uint32_t length = 0;

	for (unsigned left = opcode->headers; left; left &= left - 1)
		length += extended_headers[__builtin_ctz(left)].length;
	return length;
}

#define WELL_KNOWN_Q_KEY 0x80010000

static void summary_deth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	char *begin;

	if (layer->length < DETH_LENGTH)
		return;
	/* every datagram to QP1 has the well-known one, and QP0 has none: IBTA vol. 1, 3.5.3 and 10.2.4 */
	if (packet->ib.dest_qpn <= 1 && bits(header, DETH_Q_KEY) == (packet->ib.dest_qpn ? WELL_KNOWN_Q_KEY : 0))
		return;
	begin = line->next;
	line_text(line, " q_key ");
	line_hex(line, bits(header, DETH_Q_KEY), 1);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_xrceth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < XRCETH_LENGTH)
		return;
	line_text(line, " srq ");
	line_hex(line, bits(layer_bytes(packet, layer), XRCETH_SRQ), 1);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_feth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *placement, *selectivity;
	char *begin = line->next;

	if (layer->length < FETH_LENGTH)
		return;
	placement = rtap_name_of(placement_names, bits(header, FETH_PLACEMENT));
	selectivity = rtap_name_of(selectivity_names, bits(header, FETH_SELECTIVITY));
	line_char(line, ' ');
	line_text(line, placement ? placement : "unknown placement");
	line_text(line, " of ");
	line_text(line, selectivity ? selectivity : "unknown selectivity");
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

/* R_Key and virtual address. */
static void summary_address(struct line *line, uint64_t address, uint64_t r_key)
{
	char *begin = line->next;

	line_char(line, ' ');
	line_hex(line, r_key, 1);
	line_char(line, '+');
	line_hex(line, address, 1);
	line_spare(line, begin, LINE_SPARE_MEMORY);
}

static void summary_reth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	char *begin;

	if (layer->length < RETH_LENGTH)
		return;
	if (layer_has_upper(packet, layer))
		return;
	summary_address(line, bits(header, RETH_ADDRESS), bits(header, RETH_R_KEY));
	/* that of a READ request is a column, that of a WRITE in one packet is its payload's */
	if (ib_opcodes[packet->ib.opcode].class == IB_READ_REQUEST ||
	    (packet->payload.wire && bits(header, RETH_DMA_LENGTH) == packet->payload.wire))
		return;
	begin = line->next;
	line_text(line, " dma ");
	line_dec(line, bits(header, RETH_DMA_LENGTH));
	line_spare(line, begin, LINE_SPARE_MEMORY);
}

static void summary_atomiceth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	bool swap;
	char *begin;

	if (layer->length < ATOMICETH_LENGTH)
		return;
	swap = ib_opcodes[packet->ib.opcode].verb == RTAP_VERB_COMPARE_SWAP;
	summary_address(line, bits(header, ATOMICETH_ADDRESS), bits(header, ATOMICETH_R_KEY));
	begin = line->next;
	line_text(line, swap ? " swap " : " add ");
	line_hex(line, bits(header, ATOMICETH_SWAP), 1);
	if (swap) {
		line_text(line, " compare ");
		line_hex(line, bits(header, ATOMICETH_COMPARE), 1);
	}
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_aeth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	const char *nak;
	uint8_t code;
	char *begin;

	if (layer->length < AETH_LENGTH)
		return;
	code = (uint8_t)bits(header, AETH_CODE);
	switch (bits(header, AETH_KIND)) {
	case RTAP_AETH_ACK:
		if (code != CREDITS_NOT_USED) {
			line_text(line, " credits ");
			line_dec(line, ib_credits(code));
		}
		break;
	case RTAP_AETH_RNR_NAK:
		line_text(line, " RNR NAK wait ");
		line_dec(line, ib_rnr_timer_us(code));
		line_text(line, " us");
		break;
	case RTAP_AETH_NAK:
		nak = rtap_name_of(nak_names, code);
		line_text(line, " NAK ");
		if (nak)
			line_text(line, nak);
		else
			line_dec(line, code);
		break;
	default:
		line_text(line, " reserved syndrome ");
		line_hex(line, bits(header, AETH_SYNDROME), 2);
	}
	/* a READ response acknowledges the READ */
	if (ib_opcodes[packet->ib.opcode].class == IB_READ_RESPONSE)
		return;
	begin = line->next;
	line_text(line, " msn ");
	line_dec(line, bits(header, AETH_MSN));
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_atomicacketh(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < ATOMICACKETH_LENGTH)
		return;
	line_text(line, " was ");
	line_hex(line, bits(layer_bytes(packet, layer), ATOMICACKETH_ORIGINAL), 1);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_immdt(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < IMMDT_LENGTH || layer_has_upper(packet, layer))
		return;
	line_text(line, " imm ");
	line_hex(line, bits(layer_bytes(packet, layer), IMMDT_DATA), 8);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

static void summary_ieth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin = line->next;

	if (layer->length < IETH_LENGTH || layer_has_upper(packet, layer))
		return;
	line_text(line, " inv ");
	line_hex(line, bits(layer_bytes(packet, layer), IETH_R_KEY), 1);
	line_spare(line, begin, LINE_SPARE_DETAIL);
}

#define EXTENDED(object, filter_name, label, section, size, rows, line_part) \
	const struct protocol object = { \
		.table = { filter_name, label, section, size, FIELDS(rows) }, \
		.summary = line_part, \
	};

EXTENDED(rdeth_protocol, "infiniband.rdeth", "Reliable Datagram Extended Transport Header", "IBTA vol. 1, 9.3.1", RDETH_LENGTH,
	 rdeth_fields, NULL)
EXTENDED(deth_protocol, "infiniband.deth", "Datagram Extended Transport Header", "IBTA vol. 1, 9.3.2", DETH_LENGTH,
	 deth_fields, summary_deth)
EXTENDED(xrceth_protocol, "infiniband.xrceth", "XRC Extended Transport Header", "IBTA vol. 1, A14.2.2", XRCETH_LENGTH,
	 xrceth_fields, summary_xrceth)
EXTENDED(feth_protocol, "infiniband.feth", "FLUSH Extended Transport Header", "IBTA vol. 1, A19.4", FETH_LENGTH,
	 feth_fields, summary_feth)
EXTENDED(reth_protocol, "infiniband.reth", "RDMA Extended Transport Header", "IBTA vol. 1, 9.3.3", RETH_LENGTH,
	 reth_fields, summary_reth)
EXTENDED(atomiceth_protocol, "infiniband.atomiceth", "ATOMIC Extended Transport Header", "IBTA vol. 1, 9.3.4", ATOMICETH_LENGTH,
	 atomiceth_fields, summary_atomiceth)
EXTENDED(aeth_protocol, "infiniband.aeth", "ACK Extended Transport Header", "IBTA vol. 1, 9.3.5", AETH_LENGTH,
	 aeth_fields, summary_aeth)
EXTENDED(atomicacketh_protocol, "infiniband.atomicacketh", "ATOMIC Acknowledge Extended Transport Header", "IBTA vol. 1, 9.3.5.3",
	 ATOMICACKETH_LENGTH, atomicacketh_fields, summary_atomicacketh)
EXTENDED(immdt_protocol, "infiniband.immdt", "Immediate Data Extended Transport Header", "IBTA vol. 1, 9.3.6", IMMDT_LENGTH,
	 immdt_fields, summary_immdt)
EXTENDED(ieth_protocol, "infiniband.ieth", "Invalidate Extended Transport Header", "IBTA vol. 1, 9.3.7", IETH_LENGTH,
	 ieth_fields, summary_ieth)
EXTENDED(cnp_payload_protocol, "infiniband.cnp", "Congestion Notification", "IBTA vol. 1, A10.3.2, A17.9.3", CNP_PAYLOAD_LENGTH,
	 cnp_payload_fields, NULL)
