/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"
#include "dissect/scsi/scsi.h"
#include "dissect/scsi/srp.h"

#define HEAD_LENGTH 16        /* of information units without a separate layout */
#define INDIRECT_LENGTH 20    /* before its descriptors: the table's own, and the length of all */
#define IMMEDIATE_LENGTH 4    /* the length of the data, which ends the unit */

static const struct rtap_name opcode_names[] = {
	{ SRP_TASK_MANAGEMENT, "SRP_TSK_MGMT" }, { SRP_COMMAND, "SRP_CMD" }, { SRP_INITIATOR_LOGOUT, "SRP_I_LOGOUT" },
	{ SRP_CREDIT_RESPONSE, "SRP_CRED_RSP" }, { SRP_AER_RESPONSE, "SRP_AER_RSP" }, { SRP_TARGET_LOGOUT, "SRP_T_LOGOUT" },
	{ SRP_CREDIT_REQUEST, "SRP_CRED_REQ" }, { SRP_AER_REQUEST, "SRP_AER_REQ" }, { SRP_RESPONSE, "SRP_RSP" }, { 0, NULL },
};

static const struct rtap_name format_names[] = {
	{ SRP_NO_DATA, "no data" }, { SRP_DIRECT, "direct" }, { SRP_INDIRECT, "indirect" }, { SRP_IMMEDIATE, "immediate" }, { 0, NULL },
};

static const struct rtap_name attribute_names[] = { { 0, "simple" }, { 1, "head of queue" }, { 2, "ordered" }, { 4, "ACA" }, { 0, NULL } };

uint32_t srp_descriptor_length(const uint8_t *command, bool is_out)
{
	uint32_t count = (uint32_t)(is_out ? bits(command, SRP_OUT_COUNT) : bits(command, SRP_IN_COUNT));

	switch (is_out ? bits(command, SRP_OUT_FORMAT) : bits(command, SRP_IN_FORMAT)) {
	case SRP_NO_DATA: return 0;
	case SRP_DIRECT: return SRP_DESCRIPTOR_LENGTH;
	case SRP_INDIRECT: return INDIRECT_LENGTH + count * SRP_DESCRIPTOR_LENGTH;
	case SRP_IMMEDIATE: return is_out ? IMMEDIATE_LENGTH : UINT32_MAX;
	default: return UINT32_MAX;
	}
}

bool srp_recognise(const struct cursor *payload)
{
	const uint8_t *command = payload->next;
	uint32_t out, in, any = 0;
	struct scsi_command scsi;

	if (payload->captured < SRP_COMMAND_LENGTH || command[0] != SRP_COMMAND || command[1] & 0xf8)
		return false;
	any |= command[2] | command[3] | command[4] | load32(command + 16) | command[28] | command[30];
	out = srp_descriptor_length(command, true);
	in = srp_descriptor_length(command, false);
	if (any || command[29] & 0xf8 || out == UINT32_MAX || in == UINT32_MAX)
		return false;
	scsi_read_command(command + SRP_CDB_AT, SCSI_CDB_LENGTH, &scsi);
	return scsi.name && payload->wire == SRP_COMMAND_LENGTH + bits(command, SRP_ADDITIONAL_CDB) * 4 + out + in;
}

static const struct rtap_field command_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.cmd.sol_not", "Solicited Notification", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.cmd.rsvd0", "Reserved", 16, 24, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.cmd.out_format", "Data Out Descriptor Format", SRP_OUT_FORMAT, RTAP_HEX, 0, format_names, NULL, NULL },
	{ "srp.cmd.in_format", "Data In Descriptor Format", SRP_IN_FORMAT, RTAP_HEX, 0, format_names, NULL, NULL },
	{ "srp.cmd.out_count", "Data Out Descriptors", SRP_OUT_COUNT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.cmd.in_count", "Data In Descriptors", SRP_IN_COUNT, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "srp.cmd.rsvd1", "Reserved", 128, 32, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.cmd.lun", "LUN", SRP_LUN_AT * 8, 64, RTAP_HEX, RTAP_COMPARED, NULL, NULL, NULL },
	{ "srp.cmd.rsvd2", "Reserved", 224, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.cmd.rsvd3", "Reserved", 232, 5, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.cmd.task_attr", "Task Attribute", 237, 3, RTAP_HEX, 0, attribute_names, NULL, NULL },
	{ "srp.cmd.rsvd4", "Reserved", 240, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.cmd.add_cdb_len", "Additional CDB Length (words)", SRP_ADDITIONAL_CDB, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.cmd.rsvd5", "Reserved", 254, 2, RTAP_HEX, 0, NULL, NULL, NULL },
};

static void summary_command(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": SRP");
	if (layer->length < SRP_CDB_AT)
		return;
	line_text(line, " LUN ");
	line_dec(line, scsi_lun(layer_bytes(packet, layer) + SRP_LUN_AT));
}

/* What follows the CDB: the rest of a long one, and the memory of the data, first that of data-out. SRP, 5.6.2, 6.8. */
enum buffer_row { ROW_CDB, ROW_TABLE_ADDRESS, ROW_TABLE_KEY, ROW_TABLE_LENGTH, ROW_DATA_LENGTH, ROW_ADDRESS, ROW_KEY, ROW_LENGTH, ROW_IMMEDIATE };

#define BUFFER_ROW(name, label, width, show, flags) \
	{ "srp.buf." name, label, 0, width, RTAP_##show, RTAP_UNPLACED | RTAP_REPEATS | (flags), NULL, NULL, NULL }

static const struct rtap_field buffer_fields[] = {
	[ROW_CDB] = { "srp.cmd.add_cdb", "Additional CDB", 0, 0, RTAP_BYTES, RTAP_UNPLACED, NULL, NULL, NULL },
	[ROW_TABLE_ADDRESS] = BUFFER_ROW("table.addr", "Address of the Table", 64, HEX, RTAP_IS_ADDRESS),
	[ROW_TABLE_KEY] = BUFFER_ROW("table.rkey", "R_Key of the Table", 32, HEX, RTAP_IS_RKEY),
	[ROW_TABLE_LENGTH] = BUFFER_ROW("table.len", "Length of the Table", 32, DEC, 0),
	[ROW_DATA_LENGTH] = BUFFER_ROW("data_len", "Length of all Data", 32, DEC, 0),
	[ROW_ADDRESS] = BUFFER_ROW("addr", "Address", 64, HEX, RTAP_IS_ADDRESS),
	[ROW_KEY] = BUFFER_ROW("rkey", "R_Key", 32, HEX, RTAP_IS_RKEY),
	[ROW_LENGTH] = BUFFER_ROW("len", "Length", 32, DEC, 0),
	[ROW_IMMEDIATE] = BUFFER_ROW("imm_len", "Length of the Immediate Data", 32, DEC, 0),
};

static void visit_number(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, enum buffer_row row, uint32_t at)
{
	uint32_t width = buffer_fields[row].bit_width;
	struct rtap_value value = { .number = bits(layer_bytes(packet, layer) + at, 0, width) };

	visit_field(visitor, layer, layer->protocol, row, &value, layer->offset + at, width / 8);
}

/* The descriptor of a table, or of memory. */
static void visit_descriptor(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, enum buffer_row row, uint32_t at)
{
	visit_number(packet, layer, visitor, row, at);
	visit_number(packet, layer, visitor, row + 1, at + 8);
	visit_number(packet, layer, visitor, row + 2, at + 12);
}

/* The command before the layer. */
static const uint8_t *command_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return packet->sources[layer->source].bytes + layer->offset - SRP_COMMAND_LENGTH;
}

static void visit_buffers(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *command = command_of(packet, layer);
	uint32_t at = (uint32_t)bits(command, SRP_ADDITIONAL_CDB) * 4;

	if (at && at <= layer->length)
		visit_field(visitor, layer, layer->protocol, ROW_CDB, &(struct rtap_value){ .data = { layer_bytes(packet, layer), at } }, layer->offset, at);
	for (int is_out = 1; is_out >= 0; is_out--) {
		uint64_t format = is_out ? bits(command, SRP_OUT_FORMAT) : bits(command, SRP_IN_FORMAT);
		uint32_t length = srp_descriptor_length(command, is_out), end = length < layer->length ? at + length : layer->length;

		if (format == SRP_IMMEDIATE && at + IMMEDIATE_LENGTH <= layer->length)
			visit_number(packet, layer, visitor, ROW_IMMEDIATE, at);
		if (format == SRP_INDIRECT && at + INDIRECT_LENGTH <= layer->length) {
			visit_descriptor(packet, layer, visitor, ROW_TABLE_ADDRESS, at);
			visit_number(packet, layer, visitor, ROW_DATA_LENGTH, at + SRP_DESCRIPTOR_LENGTH);
		}
		if (format == SRP_INDIRECT)
			at += INDIRECT_LENGTH;
		for (; format != SRP_IMMEDIATE && at + SRP_DESCRIPTOR_LENGTH <= end && end <= layer->length; at += SRP_DESCRIPTOR_LENGTH)
			visit_descriptor(packet, layer, visitor, ROW_ADDRESS, at);
		at = end;
	}
}

/* Of an unknown format the length is unknown. */
static enum result parse_buffers(struct parse *parse)
{
	const uint8_t *command = parse->cursor.next - SRP_COMMAND_LENGTH, *buffers;
	uint32_t more = (uint32_t)bits(command, SRP_ADDITIONAL_CDB) * 4, out = srp_descriptor_length(command, true), in = srp_descriptor_length(command, false);
	bool is_known = out != UINT32_MAX && in != UINT32_MAX;
	uint32_t length = more + (is_known ? out + in : 0);
	enum result result = length ? parse_layer(parse, PROTOCOL_SRP_BUFFERS, length, &buffers) : OK;

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

const struct protocol srp_buffers_protocol = {
	.table = { "srp.buf", "SRP Data Buffers", "SRP (ANSI INCITS 365), 5.6.2, 6.8", 0, FIELDS(buffer_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_buffers,
	.visit = visit_buffers,
};

/* SRP, table 23. */
const struct rtap_name srp_result_names[] = {
	{ 0, "function complete" }, { 2, "request fields invalid" }, { 4, "function not supported" }, { 5, "function failed" }, { 0, NULL },
};

/* The result of task management, in response data after the header: SRP, 6.9. */
static bool derive_result(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *response = layer_bytes(packet, layer);
	uint32_t after = layer->offset + SRP_RESPONSE_LENGTH + SRP_RESULT_AT;

	if (layer->length < SRP_RESPONSE_LENGTH || !(response[18] & SRP_HAS_REASON) || bits(response, SRP_REASON_LENGTH) <= SRP_RESULT_AT ||
	    after >= packet->sources[layer->source].captured)
		return false;
	value->number = response[SRP_RESPONSE_LENGTH + SRP_RESULT_AT];
	return true;
}

static const struct rtap_field response_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.rsp.sol_not", "Solicited Notification", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.rsp.rsvd0", "Reserved", 16, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.rsp.req_lim_delta", "Request Limit Delta", 32, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "srp.rsp.rsvd1", "Reserved", 128, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.rsp.rsvd2", "Reserved", 144, 2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.rsp.diunder", "Data In Underflow", 146, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "srp.rsp.diover", "Data In Overflow", 147, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "srp.rsp.dounder", "Data Out Underflow", 148, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "srp.rsp.doover", "Data Out Overflow", 149, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "srp.rsp.snsvalid", "Sense Data Valid", 150, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "srp.rsp.rspvalid", "Response Data Valid", 151, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "scsi.status", "Status", 152, 8, RTAP_HEX, RTAP_OPCODE, scsi_status_names, NULL, NULL },
	{ "srp.rsp.data_out_res_cnt", "Data Out Residual Count", 160, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.rsp.data_in_res_cnt", "Data In Residual Count", 192, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.rsp.sense_data_len", "Sense Data Length", SRP_SENSE_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.rsp.resp_data_len", "Response Data Length", SRP_REASON_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.rsp.rsp_code", "Result of Task Management", 0, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_OPCODE, srp_result_names, derive_result,
	  NULL },
	{ "scsi.request_frame", "Command in Frame", 0, 64, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, scsi_request_frame, NULL },
	{ "scsi.time", "Time since the Command", 0, 64, RTAP_SECONDS, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, scsi_request_time, NULL },
};

static void summary_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name;

	line_text(line, ": SRP");
	if (layer->length < SRP_RESPONSE_LENGTH)
		return;
	if (packet->request.name) {
		char *begin = line->next;

		line_char(line, ' ');
		line_text(line, packet->request.name);
		line_spare(line, begin, LINE_SPARE_LAST);
	}
	name = rtap_name_of(scsi_status_names, layer_bytes(packet, layer)[SRP_STATUS_AT]);
	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else
		line_hex(line, layer_bytes(packet, layer)[SRP_STATUS_AT], 2);
}

#define SENSE_LENGTH_AT 28
#define REASON_LENGTH_AT 32

/* Sense data follows the response data, which only task management has. */
static enum result parse_response(struct parse *parse)
{
	const uint8_t *response, *reason;
	enum result result = parse_layer(parse, PROTOCOL_SRP_RESPONSE, SRP_RESPONSE_LENGTH, &response);
	uint32_t before, start;

	if (result != OK)
		return result;
	start = parse_offset(parse) - SRP_RESPONSE_LENGTH;
	before = response[18] & SRP_HAS_REASON ? (uint32_t)bits(response, SRP_REASON_LENGTH) : 0;
	if (parse->cursor.wire < before)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, start + REASON_LENGTH_AT);
	if (!(response[18] & SRP_HAS_SENSE) || parse->cursor.wire <= before) {
		parse->next = parse->cursor.wire ? PROTOCOL_PAYLOAD : PROTOCOL_NONE;
		return OK;
	}
	result = cursor_take(&parse->cursor, before, &reason);
	if (result == OK && bits(response, SRP_SENSE_LENGTH) > parse->cursor.wire)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, start + SENSE_LENGTH_AT);
	if (result == OK)
		parse->next = PROTOCOL_SCSI_SENSE;
	return result;
}

const struct protocol srp_response_protocol = {
	.table = { "srp.rsp", "SRP Response", "SRP (ANSI INCITS 365), 6.9", SRP_RESPONSE_LENGTH, FIELDS(response_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_response,
	.summary = summary_response,
};

/* All begin with the opcode and have the tag at the same place. */
static const struct rtap_field unit_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.unit.specific", "Opcode Specific", 8, 56, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
};

static void summary_unit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length ? rtap_name_of(opcode_names, layer_bytes(packet, layer)[0]) : NULL;

	line_text(line, ": ");
	line_text(line, name ? name : "SRP");
}

/* SRP, 6.7. */
const struct rtap_name srp_function_names[] = {
	{ 0x01, "ABORT TASK" }, { 0x02, "ABORT TASK SET" }, { 0x04, "CLEAR TASK SET" }, { 0x08, "LOGICAL UNIT RESET" }, { 0x40, "CLEAR ACA" }, { 0, NULL },
};

static const struct rtap_field task_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.task.sol_not", "Solicited Notification", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.task.rsvd0", "Reserved", 16, 48, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "srp.task.rsvd1", "Reserved", 128, 32, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.task.lun", "LUN", SRP_LUN_AT * 8, 64, RTAP_HEX, RTAP_COMPARED, NULL, NULL, NULL },
	{ "srp.task.rsvd2", "Reserved", 224, 16, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.task.function", "Function", SRP_TASK_FUNCTION_AT * 8, 8, RTAP_HEX, RTAP_OPCODE, srp_function_names, NULL, NULL },
	{ "srp.task.rsvd3", "Reserved", 248, 8, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.task.managed_tag", "Tag of the Managed Task", 256, 64, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "srp.task.rsvd4", "Reserved", 320, 64, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

static enum result parse_task(struct parse *parse)
{
	const uint8_t *task;
	enum result result = parse_layer(parse, PROTOCOL_SRP_TASK, SRP_TASK_LENGTH, &task);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static void summary_task(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *task = layer_bytes(packet, layer);
	const char *name = layer->length == SRP_TASK_LENGTH ? rtap_name_of(srp_function_names, task[SRP_TASK_FUNCTION_AT]) : NULL;

	line_text(line, ": SRP ");
	line_text(line, name ? name : "task management");
	if (layer->length < SRP_TASK_LENGTH)
		return;
	line_text(line, " LUN ");
	line_dec(line, scsi_lun(task + SRP_LUN_AT));
}

const struct protocol srp_task_protocol = {
	.table = { "srp.task", "SRP Task Management", "SRP (ANSI INCITS 365), 6.7", SRP_TASK_LENGTH, FIELDS(task_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_task,
	.summary = summary_task,
};

/* Requests of the target: credits, and an asynchronous event, whose sense data follows. SRP, 6.10 and 6.12. */
static const struct rtap_field credit_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.credit.sol_not", "Solicited Notification", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.credit.rsvd0", "Reserved", 16, 16, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.credit.req_lim_delta", "Request Limit Delta", 32, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
};

#define EVENT_LENGTH 36

static const struct rtap_field event_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.aer.sol_not", "Solicited Notification", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.aer.rsvd0", "Reserved", 16, 16, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.aer.req_lim_delta", "Request Limit Delta", 32, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "srp.aer.rsvd1", "Reserved", 128, 32, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.aer.lun", "LUN", SRP_LUN_AT * 8, 64, RTAP_HEX, RTAP_COMPARED, NULL, NULL, NULL },
	{ "srp.aer.sense_data_len", "Sense Data Length", 224, 32, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "srp.aer.rsvd2", "Reserved", 256, 32, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
};

static enum result parse_credit(struct parse *parse)
{
	const uint8_t *unit;
	enum result result = parse_layer(parse, PROTOCOL_SRP_CREDIT, HEAD_LENGTH, &unit);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static enum result parse_event(struct parse *parse)
{
	const uint8_t *unit;
	enum result result = parse_layer(parse, PROTOCOL_SRP_EVENT, EVENT_LENGTH, &unit);

	if (result == OK && load32(unit + SENSE_LENGTH_AT) > parse->cursor.wire)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, parse_offset(parse) - EVENT_LENGTH + SENSE_LENGTH_AT);
	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_SCSI_SENSE;
	return result;
}

/* SRP, 6.5: a target ends the connection. */
static const struct rtap_name logout_names[] = {
	{ 0, "no reason" }, { 1, "inactive channel" }, { 2, "invalid information unit" }, { 3, "unexpected response" }, { 4, "multi-channel action" },
	{ 6, "unsupported descriptor format" }, { 7, "unsupported data buffer" }, { 8, "sender of too many units" }, { 0, NULL },
};

static const struct rtap_field logout_fields[] = {
	{ "srp.opcode", "Opcode", 0, 8, RTAP_HEX, RTAP_OPCODE, opcode_names, NULL, NULL },
	{ "srp.t_logout.sol_not", "Solicited Notification", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "srp.t_logout.rsvd0", "Reserved", 16, 16, RTAP_HEX, RTAP_BULK, NULL, NULL, NULL },
	{ "srp.t_logout.reason", "Reason", 32, 32, RTAP_HEX, 0, logout_names, NULL, NULL },
	{ "srp.tag", "Tag", SRP_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
};

static enum result parse_logout(struct parse *parse)
{
	const uint8_t *unit;
	enum result result = parse_layer(parse, PROTOCOL_SRP_TARGET_LOGOUT, HEAD_LENGTH, &unit);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

const struct protocol srp_credit_protocol = {
	.table = { "srp.credit", "SRP Credit Request", "SRP (ANSI INCITS 365), 6.10", HEAD_LENGTH, FIELDS(credit_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_credit,
	.summary = summary_unit,
};

const struct protocol srp_event_protocol = {
	.table = { "srp.aer", "SRP Asynchronous Event Request", "SRP (ANSI INCITS 365), 6.12", EVENT_LENGTH, FIELDS(event_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_event,
	.summary = summary_unit,
};

const struct protocol srp_target_logout_protocol = {
	.table = { "srp.t_logout", "SRP Target Logout", "SRP (ANSI INCITS 365), 6.5", HEAD_LENGTH, FIELDS(logout_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_logout,
	.summary = summary_unit,
};

/* The protocol of a unit by its opcode. */
static uint16_t unit_of(uint8_t opcode)
{
	switch (opcode) {
	case SRP_RESPONSE: return PROTOCOL_SRP_RESPONSE;
	case SRP_TASK_MANAGEMENT: return PROTOCOL_SRP_TASK;
	case SRP_CREDIT_REQUEST: return PROTOCOL_SRP_CREDIT;
	case SRP_AER_REQUEST: return PROTOCOL_SRP_EVENT;
	case SRP_TARGET_LOGOUT: return PROTOCOL_SRP_TARGET_LOGOUT;
	default: return PROTOCOL_SRP_UNIT;
	}
}

static enum result parse_other(struct parse *parse)
{
	const uint8_t *unit;
	enum result result = parse_layer(parse, PROTOCOL_SRP_UNIT, HEAD_LENGTH, &unit);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

const struct protocol srp_unit_protocol = {
	.table = { "srp.unit", "SRP Information Unit", "SRP (ANSI INCITS 365), chapter 6", HEAD_LENGTH, FIELDS(unit_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_other,
	.summary = summary_unit,
};

/* The start of every unit; those that are not commands continue elsewhere. */
static enum result parse_command(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *command;
	enum result result;

	packet->request = parse->context->request;
	if (!parse->cursor.captured || !rtap_name_of(opcode_names, parse->cursor.next[0])) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	packet->upper = RTAP_UPPER_SRP;
	if (parse->cursor.next[0] != SRP_COMMAND) {
		parse->next = unit_of(parse->cursor.next[0]);
		return OK;
	}
	result = parse_layer(parse, PROTOCOL_SRP_COMMAND, SRP_CDB_AT, &command);
	if (result == OK)
		parse->next = PROTOCOL_SCSI_CDB;
	return result;
}

const struct protocol srp_command_protocol = {
	.table = { "srp.cmd", "SRP Command", "SRP (ANSI INCITS 365), 6.8", SRP_CDB_AT, FIELDS(command_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_command,
	.summary = summary_command,
};
