/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arguments and results of RPC programs in the packet view. The tables say what is there; here a walk's values become
 * fields or words of the one-line text.
 */
#include "config.h"

#include "dissect/rpc_body.h"
#include "dissect/rpc_programs.h"

/* Extents of a packet's body: bytes and what the capture or chunks took out. */
#define PACKET_EXTENTS 2

const struct xdr_program *rpc_body_program(const struct rtap_rpc_facts *facts)
{
	return facts->has_body ? rpc_program_tables(facts) : NULL;
}

enum result rpc_body_walk(const struct rtap_rpc_facts *facts, struct xdr *xdr, struct xdr_sink *sink)
{
	const struct xdr_program *program = rpc_body_program(facts);
	const struct xdr_item *items = NULL;
	struct xdr_walk walk;
	enum result result = OK;
	uint64_t outer;

	if (!program)
		return OK;
	walk.xdr = xdr;
	walk.sink = sink;
	walk.tag = walk.depth = 0;
	walk.is_reply = facts->is_reply;
	sink->fields = protocol_by_number(program->protocol)->table.fields;
	xdr_tell(&walk, program->procedure_row, facts->procedure, 0);
	if (facts->procedure < program->count)
		items = facts->is_reply ? program->procedures[facts->procedure].reply : program->procedures[facts->procedure].call;
	if (program->minor_row == XDR_NO_ROW && sink->operation)
		sink->operation(sink, facts->procedure, rtap_name_of(rpc_procedure_names(facts), facts->procedure), xdr->position);
	if (!items)
		return OK;
	if (facts->body_length != UINT32_MAX)
		result = xdr_narrow(xdr, facts->body_length, &outer);
	if (result == OK)
		result = xdr_walk_items(&walk, items);
	if (facts->body_length != UINT32_MAX && result == OK)
		xdr_widen(xdr, outer);
	return result;
}

/* The walk over one layer of a packet, whose facts may be those of another message when a segment holds several. */
struct body {
	struct xdr_extent extents[PACKET_EXTENTS];
	struct xdr xdr;
	const struct rtap_rpc_facts *facts;
	struct rtap_rpc_facts own;
};

/* Bytes that belong to the body but are not in the packet: cut off by the capture, or in chunks. */
static uint64_t missing(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	const struct rtap_payload *payload = &packet->payload;

	if (packet->rpcrdma.read_segments || packet->rpcrdma.write_chunks)
		return UINT32_MAX;
	return layer->source == payload->source ? payload->wire - payload->captured : 0;
}

static void body_init(struct body *body, const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	body->extents[0] = (struct xdr_extent){ XDR_BYTES, layer_bytes(packet, layer), 0, layer->length };
	body->extents[1] = (struct xdr_extent){ XDR_HOLE, NULL, 0, missing(packet, layer) };
	body->facts = rpc_layer_facts(packet, layer, &body->own);
	xdr_init(&body->xdr, body->extents, PACKET_EXTENTS, PACKET_EXTENTS);
}

/* Fields of the packet view. */
struct field_sink {
	struct xdr_sink sink;
	struct rtap_visitor *visitor;
	const struct rtap_layer *layer;
};

static bool is_bytes(const struct rtap_field *field)
{
	return field->show == RTAP_BYTES || field->show == RTAP_TEXT;
}

static uint32_t place_of(const struct rtap_layer *layer, uint64_t offset)
{
	return layer->offset + (uint32_t)(offset < layer->length ? offset : layer->length);
}

static void tell_field(struct xdr_sink *sink, const struct xdr_told *told)
{
	struct field_sink *fields = (struct field_sink *)sink;
	struct rtap_value value = { told->number, told->data };

	if (is_bytes(&sink->fields[told->row]) && !told->data.bytes)
		return;
	visit_field(fields->visitor, fields->layer, fields->layer->protocol, told->row, &value,
		    place_of(fields->layer, told->offset), (uint32_t)told->length);
}

static void enter_group(struct xdr_sink *sink, const char *label, uint64_t offset)
{
	struct field_sink *fields = (struct field_sink *)sink;

	fields->visitor->enter(fields->visitor, label,
			       &(struct rtap_place){ fields->layer->source, place_of(fields->layer, offset), 0 });
}

static void leave_group(struct xdr_sink *sink)
{
	struct field_sink *fields = (struct field_sink *)sink;

	fields->visitor->leave(fields->visitor);
}

void rpc_body_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	bool groups = visitor->enter && visitor->leave;
	struct field_sink fields = {
		.sink = { .value = tell_field, .enter = groups ? enter_group : NULL, .leave = groups ? leave_group : NULL,
			  .hashes = true },
		.visitor = visitor,
		.layer = layer,
	};
	struct body body;
	enum result result;

	body_init(&body, packet, layer);
	result = rpc_body_walk(body.facts, &body.xdr, &fields.sink);
	/* nobody looked into the body before, so that it is not among the packet's anomalies */
	if (result != OK && visitor->anomaly) {
		enum rtap_anomaly_code code = result == MALFORMED ? RTAP_ANOMALY_MALFORMED : RTAP_ANOMALY_TRUNCATED;

		if (result == MALFORMED || !packet->rpcrdma.present)
			visitor->anomaly(visitor, &(struct rtap_anomaly){ (uint8_t)code, (uint8_t)(layer - packet->layers),
									  place_of(layer, body.xdr.position) });
	}
}

/* Words of the one-line text. */
struct line_sink {
	struct xdr_sink sink;
	struct line *line;
	const struct xdr_program *program;
	const struct rtap_rpc_facts *facts;
	bool procedure_shown;
};

static void show_procedure(struct line_sink *text)
{
	if (text->procedure_shown)
		return;
	text->procedure_shown = true;
	line_char(text->line, ' ');
	rpc_line_procedure(text->facts, text->line);
}

static void show_number(struct line *line, const struct rtap_name *names, uint64_t number)
{
	const char *name = rtap_name_of(names, number);

	if (name)
		line_text(line, name);
	else
		line_dec(line, number);
}

static void show_value(struct xdr_sink *sink, const struct xdr_told *told)
{
	struct line_sink *text = (struct line_sink *)sink;
	const struct rtap_field *field = &sink->fields[told->row];
	const struct rpc_summary_row *row = text->program->summary;

	if (told->row == text->program->minor_row) {
		line_char(text->line, '.');
		line_dec(text->line, told->number);
		return;
	}
	while (row->row != told->row && row->row != XDR_NO_ROW)
		row++;
	if (row->row == XDR_NO_ROW)
		return;
	show_procedure(text);
	line_text(text->line, row->text);
	if (row->hex)
		line_hex(text->line, told->number, 8);
	else if (field->show == RTAP_TEXT && told->data.bytes)
		line_escaped(text->line, told->data.bytes, told->data.length);
	else if (!is_bytes(field))
		show_number(text->line, field->names, told->number);
}

static void show_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct line_sink *text = (struct line_sink *)sink;

	(void)offset;
	show_procedure(text);
	/* the procedure itself is shown already */
	if (text->program->minor_row == XDR_NO_ROW)
		return;
	line_char(text->line, ' ');
	if (name)
		line_text(text->line, name);
	else
		line_dec(text->line, number);
}

/* Only that of the whole, or of what failed. */
static void show_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	struct line_sink *text = (struct line_sink *)sink;

	if (text->procedure_shown && !status && text->program->minor_row != XDR_NO_ROW)
		return;
	show_procedure(text);
	line_char(text->line, ' ');
	if (!status)
		line_text(text->line, "OK");
	else if (name)
		line_text(text->line, name);
	else
		line_dec(text->line, status);
}

void rpc_body_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct line_sink text = {
		.sink = { .value = show_value, .operation = show_operation, .status = show_status },
		.line = line,
	};
	struct body body;
	enum result result;

	body_init(&body, packet, layer);
	text.facts = body.facts;
	text.program = rpc_body_program(body.facts);
	if (!text.program)
		return;
	line_char(line, ' ');
	rpc_line_program(body.facts, line);
	result = rpc_body_walk(body.facts, &body.xdr, &text.sink);
	show_procedure(&text);
	if (result == MALFORMED)
		line_text(line, " [malformed]");
}
