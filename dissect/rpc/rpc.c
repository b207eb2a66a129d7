/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ONC RPC version 2: the header of a call or reply. RFC 5531, section 9.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/rpc/rpc.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_header.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_walk.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/infiniband/upper.h"
#include "dissect/engine/visit.h"

bool rpc_recognise(const struct cursor *payload, bool trusted)
{
	const uint8_t *bytes = payload->next;
	uint32_t program;

	if (payload->captured < MIN_REPLY_LENGTH)
		return false;
	if (load32(bytes + 4) == REPLY)
		return trusted && load32(bytes + 8) <= MSG_DENIED;
	if (load32(bytes + 4) != CALL || payload->wire < MIN_CALL_LENGTH || load32(bytes + 8) != RPC_VERSION_2)
		return false;
	program = load32(bytes + 12);
	return trusted || rtap_name_of(rpc_program_names, program);
}

bool rpc_recognise_record(const struct cursor *payload, bool trusted)
{
	struct cursor record = *payload;
	uint32_t mark;

	return cursor_u32(&record, &mark) == OK && mark & RPC_LAST_FRAGMENT && cursor_narrow(&record, mark & ~RPC_LAST_FRAGMENT) &&
	       rpc_recognise(&record, trusted);
}

/* Returns whether the next header is in a TCP segment itself and so has a record mark before it. */
static bool is_record(const struct parse *parse)
{
	const struct rtap_packet *packet = parse->packet;
	uint8_t i = packet->layer_count;

	while (i > 0 && packet->layers[i - 1].protocol >= PROTOCOL_RPC && packet->layers[i - 1].protocol < PROTOCOL_PAYLOAD)
		i--;
	/* reassembled data has no record marks */
	return i > 0 && packet->layers[i - 1].protocol == PROTOCOL_TCP && packet->layers[i - 1].source == parse->source;
}

/* The program's layer, or plain payload. */
static void parse_body(struct parse *parse, const struct rtap_rpc_facts *facts)
{
	const struct rpc_program *known = rpc_program_of_body(facts);
	uint32_t length = parse->cursor.captured < facts->body_length ? parse->cursor.captured : facts->body_length;

	if (known)
		parse_place_layer(parse, known->tables->protocol, parse_offset(parse), length);
	else if (parse->cursor.captured)
		parse_place_layer(parse, PROTOCOL_PAYLOAD, parse_offset(parse), length);
}

/* The frame of the first reply to the call in a frame; 0: not known. */
static uint64_t reply_to(const struct rtap_context *context, uint64_t call_frame)
{
	size_t low = 0, high = context->reply_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (context->replies[middle].call_frame < call_frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low < context->reply_count && context->replies[low].call_frame == call_frame ? context->replies[low].frame : 0;
}

/* Walks the header as far as present; `length` is then its length. */
static enum result walk_message(const struct parse *parse, bool with_mark, struct rtap_rpc_facts *facts, uint32_t *length)
{
	struct xdr_extent extents[] = {
		{ XDR_BYTES, parse->cursor.next, 0, parse->cursor.captured },
		{ XDR_HOLE, NULL, 0, parse->cursor.wire - parse->cursor.captured },
	};
	struct xdr xdr;
	struct rpc_walk walk = { .xdr = &xdr, .context = parse->context, .facts.record_mark = with_mark };
	enum result result;

	xdr_init(&xdr, extents, 2, 2);
	result = rpc_walk_header(&walk);
	*facts = walk.facts;
	*length = rpc_walk_position(&walk);
	return result;
}

/* A call of another version of RPC: what follows is unknown. RFC 5531, 9: the answer is RPC_MISMATCH. */
static bool has_other_version(const uint8_t *header, uint32_t length, bool with_mark)
{
	uint32_t at = with_mark ? RPC_RECORD_MARK_LENGTH : 0;

	return length >= at + RPC_TYPE_END + 4 && load32(header + at + 4) == CALL && load32(header + at + RPC_TYPE_END) != RPC_VERSION_2;
}

static enum result parse_message(struct parse *parse, bool with_mark)
{
	uint32_t start = parse_offset(parse), length;
	struct rtap_rpc_facts facts = { .present = false };
	enum result walked = OK, result;
	const uint8_t *header;

	length = with_mark ? 0 : rpc_plain_header(parse->cursor.next, parse->cursor.captured, parse->context, &facts);
	if (!length)
		walked = walk_message(parse, with_mark, &facts, &length);
	result = parse_layer(parse, PROTOCOL_RPC, walked == OK ? length : parse->cursor.captured, &header);
	if (result != OK)
		return result;
	facts.present = true;
	/* the snap length can end after the XID: then it is not known to be a call */
	if (walked == TRUNCATED && length < RPC_TYPE_END + (with_mark ? RPC_RECORD_MARK_LENGTH : 0))
		facts = (struct rtap_rpc_facts){ .xid = facts.xid };
	if (parse->context->replies && !facts.is_reply)
		facts.reply_frame = reply_to(parse->context, parse->packet->frame->number);
	/* of several records the facts are the first's */
	if (!parse->packet->rpc.present)
		parse->packet->rpc = facts;
	if (parse->packet->rpcrdma.present && length && facts.xid != parse->packet->rpcrdma.xid)
		parse_anomaly(parse, RTAP_ANOMALY_XID_MISMATCH, start);
	if (walked == MALFORMED && has_other_version(header, parse->packet->layers[parse->packet->layer_count - 1].length, with_mark))
		parse_anomaly(parse, RTAP_ANOMALY_BAD_VERSION, start + (with_mark ? RPC_RECORD_MARK_LENGTH : 0) + RPC_TYPE_END);
	else if (walked != OK)
		parse_anomaly(parse, walked == TRUNCATED ? RTAP_ANOMALY_TRUNCATED : RTAP_ANOMALY_MALFORMED, start + length);
	else
		parse_body(parse, &facts);
	return walked;
}

static enum result parse(struct parse *parse)
{
	struct cursor rest = parse->cursor;
	const uint8_t *record;
	uint32_t length;
	enum result result;

	if (!is_record(parse))
		return parse_message(parse, false);
	if (parse->cursor.captured < RPC_RECORD_MARK_LENGTH)
		return parse_message(parse, true);
	length = (load32(rest.next) & ~RPC_LAST_FRAGMENT) + RPC_RECORD_MARK_LENGTH;
	cursor_narrow(&parse->cursor, length);
	result = parse_message(parse, true);
	if (result != OK || cursor_take(&rest, length, &record) != OK)
		return result;
	parse->cursor = rest;
	if (rpc_recognise_record(&rest, true))
		parse->next = PROTOCOL_RPC;
	else if (rest.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

/* The procedure's name needs program and version too, so it is no value name of its row. */
static void label_procedure(const struct rtap_rpc_facts *facts, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	char text[64];
	struct line line;

	if (!visitor->label || !facts->program_known)
		return;
	line_init(&line, text, sizeof text - 1);
	rpc_line_program(facts, &line);
	line_char(&line, ' ');
	rpc_line_procedure(facts, &line);
	*line.next = 0;
	visitor->label(visitor, text, &(struct rtap_place){ layer->source, layer->offset, layer->length });
}

/* The checksum follows the body that it protects. RFC 2203, 5.3.2.2. */
static void visit_checksum(const struct rtap_packet *packet, const struct rtap_layer *layer, uint32_t body_length,
			   struct rtap_visitor *visitor)
{
	uint64_t from = (uint64_t)layer->offset + layer->length + body_length;
	uint32_t captured = packet->sources[layer->source].captured;
	struct cursor cursor = { 0 };
	struct rtap_value value = { 0 };

	if (from > captured)
		return;
	cursor.next = packet->sources[layer->source].bytes + from;
	cursor.captured = cursor.wire = captured - (uint32_t)from;
	if (cursor_u32(&cursor, &value.data.length) == OK && cursor_take(&cursor, value.data.length, &value.data.bytes) == OK)
		visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_GSS_CHECKSUM, &value, (uint32_t)from + 4, value.data.length);
}

static void visit_call_known(const struct rtap_packet *packet, const struct rtap_rpc_facts *facts, const struct rtap_layer *layer,
			     struct rtap_visitor *visitor)
{
	struct rtap_value since = { .number = (uint64_t)(packet->frame->time_ns - facts->call_time_ns) };

	/* not in the reply, but known of its call */
	visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_PROGRAM, &(struct rtap_value){ .number = facts->program }, layer->offset, 0);
	visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_PROGRAM_VERSION, &(struct rtap_value){ .number = facts->version }, layer->offset, 0);
	visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_PROCEDURE, &(struct rtap_value){ .number = facts->procedure }, layer->offset, 0);
	if (!facts->call_frame)
		return;
	visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_CALL_FRAME, &(struct rtap_value){ .number = facts->call_frame }, layer->offset, 0);
	visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_TIME, &since, layer->offset, 0);
}

static void visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	struct rtap_rpc_facts own;
	const struct rtap_rpc_facts *facts = rpc_layer_facts(packet, layer, &own);
	const struct rtap_context context = {
		.rpc_known = facts->program_known, .rpc_flavor = facts->flavor,
		.rpc_gss_procedure = facts->gss_procedure, .rpc_gss_service = facts->gss_service,
	};
	/* the body, whose length RPCSEC_GSS gives, is after the layer */
	struct xdr_extent extents[] = { { XDR_BYTES, layer_bytes(packet, layer), 0, layer->length }, { XDR_HOLE, NULL, 0, UINT32_MAX } };
	struct xdr xdr;
	struct rpc_walk walk = {
		.xdr = &xdr, .layer = layer, .visitor = visitor, .context = &context, .facts.record_mark = packet->rpc.record_mark,
	};
	enum result walked;

	xdr_init(&xdr, extents, 2, 2);
	walked = rpc_walk_header(&walk);
	label_procedure(facts, layer, visitor);
	if (walked == OK && facts->body_length != UINT32_MAX)
		visit_checksum(packet, layer, facts->body_length, visitor);
	if (walked == OK && facts->is_reply && facts->program_known)
		visit_call_known(packet, facts, layer, visitor);
	if (walked == OK && facts->reply_frame)
		visit_field(visitor, layer, PROTOCOL_RPC, RPC_ROW_REPLY_FRAME, &(struct rtap_value){ .number = facts->reply_frame },
		  layer->offset, 0);
}

static void summary_status(const struct rtap_rpc_facts *facts, struct line *line)
{
	const char *status = rtap_name_of(facts->accepted ? rpc_accept_names : rpc_reject_names, facts->status);

	line_text(line, facts->accepted ? " " : " denied: ");
	if (status) {
		line_text(line, status);
	} else {
		line_text(line, "status ");
		line_dec(line, facts->status);
	}
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct rtap_rpc_facts own;
	const struct rtap_rpc_facts *facts = rpc_layer_facts(packet, layer, &own);
	const struct rtap_layer *after = layer_after(packet, layer);

	line_text(line, ": ");
	/* RFC 9289, 4.1: a NULL call with this flavor asks whether the server can do TLS */
	if (!facts->is_reply && facts->flavor == AUTH_TLS)
		line_text(line, "AUTH_TLS ");
	if (facts->flavor == RPCSEC_GSS && facts->gss_procedure != GSS_DATA) {
		line_text(line, rpc_gss_procedure_names[facts->gss_procedure <= GSS_DESTROY ? facts->gss_procedure : GSS_INIT].name);
		line_char(line, ' ');
	}
	/* the layer of arguments or results names the procedure */
	if (after && protocol_by_number(after->protocol)->programs)
		return;
	if (facts->program_known) {
		rpc_line_program(facts, line);
		line_char(line, ' ');
		rpc_line_procedure(facts, line);
	} else {
		line_text(line, "RPC");
	}
	/* a reply's status follows */
	if (!facts->program_known || (facts->is_reply && !(facts->call_frame && facts->header_length)))
		rpc_program_line_exchange(facts, line);
	if (facts->is_private)
		line_text(line, " (encrypted)");
	if (facts->is_reply && facts->header_length)
		summary_status(facts, line);
	rpcrdma_summary_chunks(packet, layer, line);
}

const struct protocol rpc_protocol = {
	.table = { "rpc", "Remote Procedure Call", "RFC 5531, section 9", 0, FIELDS(rpc_fields) },
	.scope = SCOPE_CALL,
	.parse = parse,
	.visit = visit,
	.summary = summary,
};
