/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RDMAP: the control field, and the headers of Read Request, Terminate, Immediate Data and Atomics. RFC 5040, section 4;
 * RFC 7306. Send, Write and Read Response have no header but DDP's.
 */
#include "config.h"

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "dissect/iwarp/terminate.h"
#include "dissect/engine/line_fit.h"
#include "dissect/engine/visit.h"

enum row {
	ROW_VERSION, ROW_RSV, ROW_OPCODE, ROW_RESERVED, ROW_INVALIDATE,
	ROW_SINK_STAG, ROW_SINK_OFFSET, ROW_SIZE, ROW_SOURCE_STAG, ROW_SOURCE_OFFSET,
	ROW_LAYER, ROW_TYPE_RDMA, ROW_TYPE_DDP, ROW_TYPE_LLP, ROW_TYPE, ROW_CODE_RDMA, ROW_CODE_TAGGED, ROW_CODE_UNTAGGED, ROW_CODE,
	ROW_CODE_LLP, ROW_M, ROW_D, ROW_R, ROW_TERM_RESERVED, ROW_SEGMENT_LENGTH, ROW_TERM_DDP, ROW_TERM_RDMA, ROW_LAYOUT,
	ROW_CAUSE_OPCODE, ROW_CAUSE_STAG, ROW_CAUSE_OFFSET, ROW_CAUSE_QN, ROW_CAUSE_MSN, ROW_CAUSE_MO,
	ROW_CAUSE_SINK_STAG, ROW_CAUSE_SINK_OFFSET, ROW_CAUSE_SIZE, ROW_CAUSE_SOURCE_STAG, ROW_CAUSE_SOURCE_OFFSET,
	ROW_ATOMIC_RESERVED, ROW_ATOMIC_OPCODE, ROW_IDENTIFIER, ROW_REMOTE_STAG, ROW_REMOTE_OFFSET, ROW_ADD, ROW_ADD_MASK, ROW_SWAP,
	ROW_SWAP_MASK, ROW_COMPARE, ROW_COMPARE_MASK, ROW_ORIGINAL_IDENTIFIER, ROW_ORIGINAL, ROW_IMMEDIATE,
	ROW_REASSEMBLED_IN, ROW_REASSEMBLED_LENGTH, ROW_REASSEMBLED_DATA,
};

#define UNIT RTAP_UNPLACED | RTAP_REPEATS
#define NUMBER(name, label, width, shown, flags, names, section) { name, label, 0, width, shown, UNIT | (flags), names, NULL, section }

static const struct rtap_field rdma_fields[] = {
	[ROW_VERSION] = NUMBER("iwarp_rdma.version", "Version", 2, RTAP_DEC, 0, NULL, "RFC 5040, 4.1"),
	[ROW_RSV] = NUMBER("iwarp_rdma.rsv", "Reserved", 2, RTAP_HEX, 0, NULL, "RFC 5040, 4.1"),
	[ROW_OPCODE] = NUMBER("iwarp_rdma.opcode", "Opcode", 4, RTAP_HEX, RTAP_OPCODE, rdmap_opcode_names, "RFC 5040, 4.1"),
	[ROW_RESERVED] = NUMBER("iwarp_rdma.reserved", "Reserved", 32, RTAP_BYTES, 0, NULL, "RFC 5040, 4.1"),
	[ROW_INVALIDATE] = NUMBER("iwarp_rdma.inval_stag", "Invalidate STag", 32, RTAP_DEC, RTAP_IS_STAG, NULL, "RFC 5040, 4.1"),
	[ROW_SINK_STAG] = NUMBER("iwarp_rdma.sinkstag", "Data Sink STag", 32, RTAP_HEX, RTAP_IS_STAG, NULL, "RFC 5040, 4.4"),
	[ROW_SINK_OFFSET] = NUMBER("iwarp_rdma.sinkto", "Data Sink Tagged Offset", 64, RTAP_HEX, RTAP_IS_ADDRESS, NULL, "RFC 5040, 4.4"),
	[ROW_SIZE] = NUMBER("iwarp_rdma.rdmardsz", "Read Message Size", 32, RTAP_DEC, 0, NULL, "RFC 5040, 4.4"),
	[ROW_SOURCE_STAG] = NUMBER("iwarp_rdma.srcstag", "Data Source STag", 32, RTAP_HEX, RTAP_IS_STAG, NULL, "RFC 5040, 4.4"),
	[ROW_SOURCE_OFFSET] = NUMBER("iwarp_rdma.srcto", "Data Source Tagged Offset", 64, RTAP_HEX, RTAP_IS_ADDRESS, NULL, "RFC 5040, 4.4"),
	[ROW_LAYER] = NUMBER("iwarp_rdma.term_layer", "Layer", 4, RTAP_HEX, 0, rdmap_layer_names, "RFC 5040, 4.8"),
	[ROW_TYPE_RDMA] = NUMBER("iwarp_rdma.term_etype_rdma", "Error Type of RDMAP", 4, RTAP_HEX, 0, rdmap_type_names, "RFC 5040, 4.8"),
	[ROW_TYPE_DDP] = NUMBER("iwarp_rdma.term_etype_ddp", "Error Type of DDP", 4, RTAP_HEX, 0, ddp_type_names, "RFC 5041, 7.2"),
	[ROW_TYPE_LLP] = NUMBER("iwarp_rdma.term_etype_llp", "Error Type of MPA", 4, RTAP_HEX, 0, llp_type_names, "RFC 5044, section 8"),
	[ROW_TYPE] = NUMBER("iwarp_rdma.term_etype", "Error Type", 4, RTAP_HEX, 0, NULL, "RFC 5040, 4.8"),
	[ROW_CODE_RDMA] = NUMBER("iwarp_rdma.term_errcode_rdma", "Error Code of RDMAP", 8, RTAP_HEX, 0, rdmap_code_names, "RFC 5040, 4.8"),
	[ROW_CODE_TAGGED] = NUMBER("iwarp_rdma.term_errcode_ddp_tagged", "Error Code of DDP", 8, RTAP_HEX, 0, ddp_tagged_code_names,
				   "RFC 5041, 7.2"),
	[ROW_CODE_UNTAGGED] = NUMBER("iwarp_rdma.term_errcode_ddp_untagged", "Error Code of DDP", 8, RTAP_HEX, 0, ddp_untagged_code_names,
				     "RFC 5041, 7.2"),
	[ROW_CODE] = NUMBER("iwarp_rdma.term_errcode", "Error Code", 8, RTAP_HEX, 0, NULL, "RFC 5040, 4.8"),
	[ROW_CODE_LLP] = NUMBER("iwarp_rdma.term_errcode_llp", "Error Code of MPA", 8, RTAP_HEX, 0, llp_code_names, "RFC 6581, section 8"),
	[ROW_M] = NUMBER("iwarp_rdma.term_hdrct_m", "DDP Segment Length Valid", 1, RTAP_BOOL, 0, NULL, "RFC 5040, 4.8"),
	[ROW_D] = NUMBER("iwarp_rdma.hdrct_d", "DDP Header Included", 1, RTAP_BOOL, 0, NULL, "RFC 5040, 4.8"),
	[ROW_R] = NUMBER("iwarp_rdma.hdrct_r", "RDMAP Header Included", 1, RTAP_BOOL, 0, NULL, "RFC 5040, 4.8"),
	[ROW_TERM_RESERVED] = NUMBER("iwarp_rdma.term_rsvd", "Reserved", 16, RTAP_HEX, 0, NULL, "RFC 5040, 4.8"),
	[ROW_SEGMENT_LENGTH] = NUMBER("iwarp_rdma.term_ddp_seg_len", "DDP Segment Length", 16, RTAP_BYTES, 0, NULL, "RFC 5040, 4.8"),
	[ROW_TERM_DDP] = NUMBER("iwarp_rdma.term_ddp_h", "Terminated DDP Header", 0, RTAP_BYTES, 0, NULL, "RFC 5040, 4.8"),
	[ROW_TERM_RDMA] = NUMBER("iwarp_rdma.term_rdma_h", "Terminated RDMAP Header", 0, RTAP_BYTES, 0, NULL, "RFC 5040, 4.8"),
	[ROW_LAYOUT] = NUMBER("iwarp_rdma.term_layout", "Layout", 0, RTAP_TEXT, 0, NULL, "-"),
	[ROW_CAUSE_OPCODE] = NUMBER("iwarp_rdma.term_ddp_h.opcode", "Terminated Opcode", 4, RTAP_HEX, RTAP_IGNORED, rdmap_opcode_names,
	  "RFC 5040, 4.8"),
	[ROW_CAUSE_STAG] = NUMBER("iwarp_rdma.term_ddp_h.stag", "Terminated Steering Tag", 32, RTAP_HEX, RTAP_IGNORED, NULL, "RFC 5040, 4.8"),
	[ROW_CAUSE_OFFSET] = NUMBER("iwarp_rdma.term_ddp_h.tagged_offset", "Terminated Tagged Offset", 64, RTAP_HEX, RTAP_IGNORED, NULL,
	  "RFC 5040, 4.8"),
	[ROW_CAUSE_QN] = NUMBER("iwarp_rdma.term_ddp_h.qn", "Terminated Queue Number", 32, RTAP_DEC, RTAP_IGNORED, NULL, "RFC 5040, 4.8"),
	[ROW_CAUSE_MSN] = NUMBER("iwarp_rdma.term_ddp_h.msn", "Terminated Message Sequence Number", 32, RTAP_DEC, RTAP_IGNORED, NULL,
	  "RFC 5040, 4.8"),
	[ROW_CAUSE_MO] = NUMBER("iwarp_rdma.term_ddp_h.mo", "Terminated Message Offset", 32, RTAP_DEC, RTAP_IGNORED, NULL, "RFC 5040, 4.8"),
	[ROW_CAUSE_SINK_STAG] = NUMBER("iwarp_rdma.term_rdma_h.sinkstag", "Terminated Data Sink STag", 32, RTAP_HEX, RTAP_IGNORED, NULL,
	  "RFC 5040, 4.8"),
	[ROW_CAUSE_SINK_OFFSET] = NUMBER("iwarp_rdma.term_rdma_h.sinkto", "Terminated Data Sink Tagged Offset", 64, RTAP_HEX, RTAP_IGNORED, NULL,
					 "RFC 5040, 4.8"),
	[ROW_CAUSE_SIZE] = NUMBER("iwarp_rdma.term_rdma_h.rdmardsz", "Terminated Read Message Size", 32, RTAP_DEC, RTAP_IGNORED, NULL,
	  "RFC 5040, 4.8"),
	[ROW_CAUSE_SOURCE_STAG] = NUMBER("iwarp_rdma.term_rdma_h.srcstag", "Terminated Data Source STag", 32, RTAP_HEX, RTAP_IGNORED, NULL,
					 "RFC 5040, 4.8"),
	[ROW_CAUSE_SOURCE_OFFSET] = NUMBER("iwarp_rdma.term_rdma_h.srcto", "Terminated Data Source Tagged Offset", 64, RTAP_HEX, RTAP_IGNORED, NULL,
					   "RFC 5040, 4.8"),
	[ROW_ATOMIC_RESERVED] = NUMBER("iwarp_rdma.atomic.reserved", "Reserved", 28, RTAP_DEC, 0, NULL, "RFC 7306, 5.2.1"),
	[ROW_ATOMIC_OPCODE] = NUMBER("iwarp_rdma.atomic.opcode", "Atomic Opcode", 4, RTAP_DEC, 0, rdmap_atomic_names, "RFC 7306, 5.2.1"),
	[ROW_IDENTIFIER] = NUMBER("iwarp_rdma.atomic.request_identifier", "Request Identifier", 32, RTAP_DEC, RTAP_IGNORED, NULL,
	  "RFC 7306, 5.2.1"),
	[ROW_REMOTE_STAG] = NUMBER("iwarp_rdma.atomic.remote_stag", "Remote STag", 32, RTAP_DEC, RTAP_IS_STAG, NULL, "RFC 7306, 5.2.1"),
	[ROW_REMOTE_OFFSET] = NUMBER("iwarp_rdma.atomic.remote_tagged_offset", "Remote Tagged Offset", 64, RTAP_DEC, RTAP_IS_ADDRESS, NULL,
				     "RFC 7306, 5.2.1"),
	[ROW_ADD] = NUMBER("iwarp_rdma.atomic.add_data", "Add Data", 64, RTAP_DEC, RTAP_COMPARED, NULL, "RFC 7306, 5.2.1"),
	[ROW_ADD_MASK] = NUMBER("iwarp_rdma.atomic.add_mask", "Add Mask", 64, RTAP_HEX, RTAP_COMPARED, NULL, "RFC 7306, 5.2.1"),
	[ROW_SWAP] = NUMBER("iwarp_rdma.atomic.swap_data", "Swap Data", 64, RTAP_DEC, RTAP_COMPARED, NULL, "RFC 7306, 5.2.1"),
	[ROW_SWAP_MASK] = NUMBER("iwarp_rdma.atomic.swap_mask", "Swap Mask", 64, RTAP_HEX, RTAP_COMPARED, NULL, "RFC 7306, 5.2.1"),
	[ROW_COMPARE] = NUMBER("iwarp_rdma.atomic.compare_data", "Compare Data", 64, RTAP_DEC, RTAP_COMPARED, NULL, "RFC 7306, 5.2.1"),
	[ROW_COMPARE_MASK] = NUMBER("iwarp_rdma.atomic.compare_mask", "Compare Mask", 64, RTAP_HEX, RTAP_COMPARED, NULL, "RFC 7306, 5.2.1"),
	[ROW_ORIGINAL_IDENTIFIER] = NUMBER("iwarp_rdma.atomic.original_request_identifier", "Original Request Identifier", 32, RTAP_DEC,
					   RTAP_IGNORED, NULL, "RFC 7306, 5.2.2"),
	[ROW_ORIGINAL] = NUMBER("iwarp_rdma.atomic.original_remote_data_value", "Original Remote Data Value", 64, RTAP_DEC, RTAP_COMPARED, NULL,
				"RFC 7306, 5.2.2"),
	[ROW_IMMEDIATE] = NUMBER("iwarp_rdma.immediate_data", "Immediate Data", 64, RTAP_BYTES, RTAP_COMPARED, NULL, "RFC 7306, 6.1"),
	/* for Sends reassembled from several FPDUs, only if the context has the message; the first is for views that know later frames */
	[ROW_REASSEMBLED_IN] = NUMBER("iwarp_rdma.send.reassembled_in", "Reassembled in Frame", 32, RTAP_DEC, RTAP_IGNORED, NULL, "RFC 5041, 5.1"),
	[ROW_REASSEMBLED_LENGTH] = NUMBER("iwarp_rdma.send.reassembled.length", "Reassembled Length", 32, RTAP_DEC, RTAP_IGNORED, NULL,
	  "RFC 5041, 5.1"),
	[ROW_REASSEMBLED_DATA] = { "iwarp_rdma.send.reassembled.data", "Reassembled Data", 0, 0, RTAP_BYTES, UNIT | RTAP_BULK, NULL, NULL,
				   "RFC 5041, 5.1" },
};

#define CONTROL_AT 1
#define RESERVED_AT 2 /* Invalidate STag in two of the Sends */
#define READ_LENGTH 28
#define TERMINATE_LENGTH 4

/* RFC 5040, 4.4, from the header at `at` on; `row` is the first of five. */
static void report_read(struct iwarp_unit *unit, enum row row, uint32_t at)
{
	const uint8_t *header = unit->head + at;

	iwarp_show(unit, row, load32(header), at, 4);
	iwarp_show(unit, row + 1, load64(header + 4), at + 4, 8);
	iwarp_show(unit, row + 2, load32(header + 12), at + 12, 4);
	iwarp_show(unit, row + 3, load32(header + 16), at + 16, 4);
	iwarp_show(unit, row + 4, load64(header + 20), at + 20, 8);
}

static void report_error(struct iwarp_unit *unit, const struct iwarp_terminate *terminate, uint32_t at)
{
	static const struct {
		enum row type, codes[3]; /* codes of error types 0, 1, 2 */
	} rows[] = {
		{ ROW_TYPE_RDMA, { ROW_CODE, ROW_CODE_RDMA, ROW_CODE_RDMA } },
		{ ROW_TYPE_DDP, { ROW_CODE, ROW_CODE_TAGGED, ROW_CODE_UNTAGGED } },
		{ ROW_TYPE_LLP, { ROW_CODE_LLP, ROW_CODE, ROW_CODE } },
		{ ROW_TYPE, { ROW_CODE, ROW_CODE, ROW_CODE } },
	};
	unsigned layer = terminate->layer < 3 ? terminate->layer : 3;
	enum row code = terminate->type < 3 ? rows[layer].codes[terminate->type] : layer == 0 ? ROW_CODE_RDMA : ROW_CODE;

	iwarp_show(unit, ROW_LAYER, terminate->layer, at, 1);
	iwarp_show(unit, rows[layer].type, terminate->type, at, 1);
	iwarp_show(unit, code, terminate->code, at + 1, 1);
}

/* The main values of the DDP header that caused it. */
static void report_cause(struct iwarp_unit *unit, uint32_t at, uint32_t length)
{
	struct rtap_iwarp_facts cause;

	/* only DDP's header is quoted, without RDMAP's: a result of TRUNCATED is accepted */
	if (iwarp_read(unit->head + at, length, UINT16_MAX, &cause) == MALFORMED)
		return;
	iwarp_show(unit, ROW_CAUSE_OPCODE, cause.opcode, at + CONTROL_AT, 1);
	if (cause.tagged) {
		iwarp_show(unit, ROW_CAUSE_STAG, cause.stag, at + 2, 4);
		iwarp_show(unit, ROW_CAUSE_OFFSET, cause.tagged_offset, at + 6, 8);
	} else {
		iwarp_show(unit, ROW_CAUSE_QN, cause.qn, at + 6, 4);
		iwarp_show(unit, ROW_CAUSE_MSN, cause.msn, at + 10, 4);
		iwarp_show(unit, ROW_CAUSE_MO, cause.mo, at + 14, 4);
	}
}

static void read_terminate(const struct iwarp_unit *unit, uint32_t at, struct iwarp_terminate *terminate)
{
	iwarp_read_terminate(unit->head + at, unit->head_length - at - TERMINATE_LENGTH,
			     unit->fpdu->ulpdu_length - at - TERMINATE_LENGTH, terminate);
}

static void report_terminate(struct iwarp_unit *unit, uint32_t at)
{
	struct iwarp_terminate terminate;

	read_terminate(unit, at, &terminate);
	report_error(unit, &terminate, at);
	iwarp_show(unit, ROW_M, terminate.segment_length_valid, at + 2, 1);
	iwarp_show(unit, ROW_D, terminate.ddp_included, at + 2, 1);
	iwarp_show(unit, ROW_R, terminate.rdma_included, at + 2, 1);
	iwarp_show(unit, ROW_TERM_RESERVED, terminate.reserved, at + 2, 2);
	iwarp_show_text(unit, ROW_LAYOUT, terminate.soft ? "soft-iWARP" : "RFC 5040");
	if (terminate.segment_length_at)
		iwarp_show_bytes(unit, ROW_SEGMENT_LENGTH, at + terminate.segment_length_at, 2);
	if (terminate.ddp_at) {
		iwarp_show_bytes(unit, ROW_TERM_DDP, at + terminate.ddp_at, terminate.ddp_length);
		report_cause(unit, at + terminate.ddp_at, terminate.ddp_length);
	}
	if (terminate.rdma_at) {
		iwarp_show_bytes(unit, ROW_TERM_RDMA, at + terminate.rdma_at, READ_LENGTH);
		report_read(unit, ROW_CAUSE_SINK_STAG, at + terminate.rdma_at);
	}
}

#define FETCH_ADD 0
#define CMP_SWAP 2

static void report_atomic(struct iwarp_unit *unit, uint32_t at)
{
	const struct rtap_iwarp_facts *facts = &unit->facts;

	iwarp_show(unit, ROW_ATOMIC_RESERVED, bits(unit->head + at, 0, 28), at, 4);
	iwarp_show(unit, ROW_ATOMIC_OPCODE, facts->atomic_opcode, at + 3, 1);
	iwarp_show(unit, ROW_IDENTIFIER, facts->request_identifier, at + 4, 4);
	iwarp_show(unit, ROW_REMOTE_STAG, facts->remote_stag, at + 8, 4);
	iwarp_show(unit, ROW_REMOTE_OFFSET, facts->remote_offset, at + 12, 8);
	if (facts->atomic_opcode == FETCH_ADD) {
		iwarp_show(unit, ROW_ADD, facts->swap_or_add, at + 20, 8);
		iwarp_show(unit, ROW_ADD_MASK, facts->swap_or_add_mask, at + 28, 8);
	} else {
		iwarp_show(unit, ROW_SWAP, facts->swap_or_add, at + 20, 8);
		iwarp_show(unit, ROW_SWAP_MASK, facts->swap_or_add_mask, at + 28, 8);
	}
	iwarp_show(unit, ROW_COMPARE, facts->compare, at + 36, 8);
	iwarp_show(unit, ROW_COMPARE_MASK, facts->compare_mask, at + 44, 8);
}

static void report_reserved(struct iwarp_unit *unit)
{
	if (unit->facts.tagged || unit->head_length < RESERVED_AT + 4)
		return;
	if (iwarp_opcodes[unit->facts.opcode].invalidates)
		iwarp_show(unit, ROW_INVALIDATE, load32(unit->head + RESERVED_AT), RESERVED_AT, 4);
	else if (unit->facts.opcode <= RTAP_RDMAP_TERMINATE)
		iwarp_show_bytes(unit, ROW_RESERVED, RESERVED_AT, 4);
}

static void report_message(struct iwarp_unit *unit)
{
	const struct rtap_context *upper = unit->fpdu->upper;
	struct rtap_value value = { 0 };

	if (!upper || !upper->message.bytes)
		return;
	value.number = upper->message.length;
	visit_field(unit->visitor, &unit->layer, PROTOCOL_RDMAP, ROW_REASSEMBLED_LENGTH, &value, unit->layer.offset, 0);
	value = (struct rtap_value){ .data = upper->message };
	visit_field(unit->visitor, &unit->layer, PROTOCOL_RDMAP, ROW_REASSEMBLED_DATA, &value, unit->layer.offset, 0);
}

static void report(struct iwarp_unit *unit)
{
	const struct rtap_iwarp_facts *facts = &unit->facts;

	if (unit->head_length < 2)
		return;
	iwarp_show(unit, ROW_VERSION, facts->rdmap_version, CONTROL_AT, 1);
	iwarp_show(unit, ROW_RSV, facts->rdmap_reserved, CONTROL_AT, 1);
	iwarp_show(unit, ROW_OPCODE, facts->opcode, CONTROL_AT, 1);
	report_reserved(unit);
	if (facts->has_read)
		report_read(unit, ROW_SINK_STAG, DDP_UNTAGGED_LENGTH);
	if (facts->has_terminate)
		report_terminate(unit, DDP_UNTAGGED_LENGTH);
	if (facts->has_atomic)
		report_atomic(unit, DDP_UNTAGGED_LENGTH);
	if (facts->has_original) {
		iwarp_show(unit, ROW_ORIGINAL_IDENTIFIER, facts->request_identifier, DDP_UNTAGGED_LENGTH, 4);
		iwarp_show(unit, ROW_ORIGINAL, facts->original, DDP_UNTAGGED_LENGTH + 4, 8);
	}
	if (facts->has_immediate)
		iwarp_show_bytes(unit, ROW_IMMEDIATE, DDP_UNTAGGED_LENGTH, 8);
	report_message(unit);
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	iwarp_visit_units(packet, layer, visitor, report);
}

static char *put_key(char *to, const char *label, uint64_t key, unsigned digits)
{
	return line_put_hex(line_put(to, label), key, digits);
}

static char *put_place(char *to, uint32_t stag, uint64_t offset)
{
	return put_key(put_key(to, " 0x", stag, 8), "+0x", offset, 1);
}

/* Where the parts of an FPDU's text begin that long lines omit; NULL: it has none. Without an end they reach to the text's end. */
struct unit_parts {
	char *place, *after_place;
	char *own; /* the memory of a READ's requester */
	char *last;
	char *numbers, *after_numbers; /* of an error that has a name */
};

static char *put_error(char *to, const struct rtap_iwarp_facts *facts, struct unit_parts *parts)
{
	const char *name = rtap_name_of(rdmap_layer_names, facts->error_layer);
	const char *code = rdmap_code_name(facts->error_layer, facts->error_type, facts->error_code);

	*to++ = ' ';
	to = name ? line_put(to, name) : line_put_dec(to, facts->error_layer);
	parts->numbers = to;
	to = line_put_dec(line_put(to, " type "), facts->error_type);
	to = line_put_dec(line_put(to, " code "), facts->error_code);
	parts->after_numbers = code ? to : parts->numbers;
	return code ? line_put(line_put(line_put(to, " ("), code), ")") : to;
}

/* Values of the headers of some opcodes. */
static char *put_details(char *to, const struct rtap_iwarp_facts *facts, struct unit_parts *parts)
{
	if (facts->has_read) {
		parts->place = to;
		to = put_place(to, facts->source_stag, facts->source_offset);
		parts->after_place = parts->own = to;
		return put_place(line_put(to, " into"), facts->sink_stag, facts->sink_offset);
	}
	if (facts->has_atomic) {
		to = put_place(to, facts->remote_stag, facts->remote_offset);
		to = put_key(to, facts->atomic_opcode == FETCH_ADD ? " add 0x" : facts->atomic_opcode == CMP_SWAP ? " swap 0x" : " operand 0x",
			     facts->swap_or_add, 1);
	}
	if (facts->has_original)
		to = put_key(to, " original 0x", facts->original, 1);
	if (facts->has_immediate)
		to = put_key(to, " 0x", facts->immediate, 16);
	return facts->has_terminate ? put_error(to, facts, parts) : to;
}

/* The columns: operation, length. */
#define OPERATION_WIDTH 16
#define LENGTH_LIMIT 1000

/* Bytes of payload, of a READ request those to be read. Right-aligned in the column, or with a label. */
static char *put_length(char *to, uint32_t length, bool is_column)
{
	if (!is_column)
		return line_put_dec(line_put(to, " len "), length);
	*to++ = ' ';
	for (uint32_t limit = LENGTH_LIMIT; limit > length && limit > 1; limit /= 10)
		*to++ = ' ';
	return line_put_dec(to, length);
}

/* The operations with short names, for the column. */
static const struct rtap_name operation_words[] = {
	{ RTAP_RDMAP_SEND_INVALIDATE, "Send Inv" }, { RTAP_RDMAP_SEND_SE, "Send SE" }, { RTAP_RDMAP_SEND_SE_INVALIDATE, "Send SE Inv" },
	{ RTAP_RDMAP_IMMEDIATE, "Immediate" }, { RTAP_RDMAP_IMMEDIATE_SE, "Immediate SE" }, { RTAP_RDMAP_ATOMIC_RESPONSE, "Atomic Rsp" },
	{ 0, NULL },
};

/* Operation and length of the first FPDU are columns. `is_whole`: the end of a message is shown too; `has_upper`: and its contents. */
static char *put_unit(char *to, const struct rtap_fpdu *fpdu, bool is_first, bool is_whole, bool has_upper,
		      struct unit_parts *parts)
{
	char *begin = to;
	struct rtap_iwarp_facts facts;
	const struct iwarp_opcode *opcode;
	const char *name;
	uint32_t length;
	const uint8_t *head = fpdu_head(fpdu, &length);

	if (iwarp_read(head, length, fpdu->ulpdu_length, &facts) != OK && length < 2)
		return to;
	opcode = &iwarp_opcodes[facts.opcode];
	name = rtap_name_of(operation_words, facts.opcode);
	name = name ? name : opcode->name;
	to = name ? line_put(to, name) : line_put_dec(line_put(to, "reserved opcode "), facts.opcode);
	if (is_first)
		to = line_put_pad(begin, to, OPERATION_WIDTH) - 1;
	if (opcode->has_payload || facts.has_read)
		to = put_length(to, facts.has_read ? facts.read_length : facts.payload_length, is_first);
	if (facts.tagged && !has_upper) {
		parts->place = to;
		to = put_place(to, facts.stag, facts.tagged_offset);
		parts->after_place = to;
	} else if (!facts.tagged) {
		if (!opcode->has_payload)
			to = line_put_dec(line_put(to, " msn "), facts.msn);
		if (facts.mo)
			to = line_put_dec(line_put(to, " mo "), facts.mo);
	}
	if (opcode->invalidates && !is_whole)
		to = put_key(to, " inv 0x", facts.invalidate_stag, 8);
	to = put_details(to, &facts, parts);
	/* a request is in one segment: RFC 5040, 5.2 */
	if (!facts.last || is_whole || facts.opcode == RTAP_RDMAP_READ_REQUEST)
		return to;
	parts->last = to;
	return line_put(to, " last");
}

/* Marks the parts of the FPDU whose text begins at `begin` and ends the line. */
static void spare_unit(struct line *line, const struct unit_parts *parts, char *begin, uint32_t index, const struct rtap_packet *packet)
{
	uint32_t count = packet->fpdus.count;

	if (parts->place)
		line_spare_within(line, parts->place, parts->after_place, LINE_SPARE_MEMORY);
	if (parts->numbers)
		line_spare_within(line, parts->numbers, parts->after_numbers, LINE_SPARE_DETAIL);
	if (parts->own)
		line_spare(line, parts->own, LINE_SPARE_PARTS);
	if (parts->last && count > 1)
		line_spare(line, parts->last, LINE_SPARE_PARTS);
	/* the first of all, and the last, remain */
	if (index && index + 1 < count)
		line_spare(line, begin, LINE_SPARE_MORE);
}

/* Maximum number of FPDUs of a segment in its summary. */
#define SUMMARY_UNITS 3
/* Upper limit of the text of one FPDU. */
#define UNIT_MOST (320 + LINE_PAD)

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_fpdu *fpdu;
	struct iwarp_walk walk;
	uint32_t count = 0;
	bool has_upper = packet->fpdus.count == 1 && layer_has_upper(packet, layer);
	char *whole = line->next;
	bool is_whole = has_upper || (packet->fpdus.count == 1 && packet->flow.completes);

	iwarp_walk_init(&walk, packet);
	while (count < SUMMARY_UNITS && (fpdu = iwarp_next_fpdu(&walk))) {
		char spare[UNIT_MOST], *begin, *end;
		struct unit_parts parts = { 0 };

		if (count)
			line_text(line, "; ");
		begin = line_begin(line, spare, sizeof spare);
		end = put_unit(begin, fpdu, !count, is_whole, has_upper, &parts);
		line_end(line, begin, end);
		if (line->next == end)
			spare_unit(line, &parts, begin, count, packet);
		count++;
	}
	if (packet->fpdus.count > count) {
		line_text(line, "; ");
		line_dec(line, packet->fpdus.count - count);
		line_text(line, " more");
	}
	/* of several, the last can have an upper layer */
	if ((has_upper || packet->fpdus.count > 1) && !line->cut)
		line_spare(line, whole, LINE_SPARE_OPERATION);
	/* elsewhere the numbers of messages and STags give the order */
	if (packet->flow.tcp_analysis > RTAP_TCP_NEW) {
		char *begin = line->next;

		line_text(line, " seq ");
		line_dec(line, packet->tcp.sequence);
		line_spare(line, begin, LINE_SPARE_LOWER);
	}
}

const struct protocol rdmap_protocol = {
	.table = { "iwarp_rdma", "Remote Direct Memory Access Protocol", "RFC 5040, section 4", 0, FIELDS(rdma_fields) },
	.visit = visit,
	.summary = summary,
};
