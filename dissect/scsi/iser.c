/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"
#include "dissect/scsi/iser.h"
#include "dissect/scsi/scsi.h"

const struct rtap_name iser_names[] = { { ISER_CONTROL, "control" }, { ISER_HELLO, "hello" }, { ISER_HELLO_REPLY, "hello reply" }, { 0, NULL } };

static const struct rtap_name iscsi_names[] = {
	{ ISCSI_NOP_OUT, "NOP-Out" }, { ISCSI_COMMAND, "SCSI Command" }, { ISCSI_TASK_MANAGEMENT, "Task Management Request" },
	{ ISCSI_LOGIN, "Login Request" }, { ISCSI_TEXT, "Text Request" }, { ISCSI_DATA_OUT, "Data-Out" }, { ISCSI_LOGOUT, "Logout Request" },
	{ ISCSI_SNACK, "SNACK Request" }, { ISCSI_NOP_IN, "NOP-In" }, { ISCSI_RESPONSE, "SCSI Response" },
	{ ISCSI_TASK_MANAGEMENT_RESPONSE, "Task Management Response" },
	{ ISCSI_LOGIN_RESPONSE, "Login Response" }, { ISCSI_TEXT_RESPONSE, "Text Response" }, { ISCSI_DATA_IN, "Data-In" },
	{ ISCSI_LOGOUT_RESPONSE, "Logout Response" }, { ISCSI_R2T, "R2T" }, { ISCSI_ASYNC, "Asynchronous Message" }, { ISCSI_REJECT, "Reject" },
	{ 0, NULL },
};

static bool is_name(uint8_t opcode)
{
	return rtap_name_of(iscsi_names, opcode);
}

bool iser_recognise(const struct cursor *payload)
{
	const uint8_t *header = payload->next, *pdu = header + ISER_LENGTH;

	if (payload->captured < ISER_LENGTH + ISCSI_LENGTH || header[0] >> 4 != ISER_CONTROL || header[0] & 3 || header[1] | header[2] | header[3] ||
	    (!(header[0] & ISER_WRITE_VALID) && bits(header, ISER_WRITE_STAG)) || (!(header[0] & ISER_READ_VALID) && bits(header, ISER_READ_STAG)))
		return false;
	return !(pdu[0] & 0x80) && is_name(pdu[0] & 0x3f) &&
	       payload->wire == ISER_LENGTH + ISCSI_LENGTH + bits(pdu, ISCSI_AHS_LENGTH) * 4 + ((bits(pdu, ISCSI_DATA_LENGTH) + 3) & ~UINT64_C(3));
}

static const struct rtap_field iser_fields[] = {
	{ "iser.flags", "Flags", 0, 8, RTAP_HEX, RTAP_PARTS, NULL, NULL, NULL },
	{ "iser.flags.opcode", "Opcode", 0, 4, RTAP_HEX, RTAP_OPCODE, iser_names, NULL, NULL },
	{ "iser.flags.wsv", "Write STag Valid", 4, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.flags.rsv", "Read STag Valid", 5, 1, RTAP_BOOL, 0, NULL, NULL, NULL },
	{ "iser.flags.reserved", "Reserved", 6, 2, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iser.reserved", "Reserved", 8, 24, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iser.write_stag", "Write STag", ISER_WRITE_STAG, RTAP_HEX, RTAP_IS_RKEY, NULL, NULL, NULL },
	{ "iser.write_base_offset", "Write Base Offset", ISER_WRITE_BASE, RTAP_HEX, RTAP_IS_ADDRESS, NULL, NULL, NULL },
	{ "iser.read_stag", "Read STag", ISER_READ_STAG, RTAP_HEX, RTAP_IS_RKEY, NULL, NULL, NULL },
	{ "iser.read_base_offset", "Read Base Offset", ISER_READ_BASE, RTAP_HEX, RTAP_IS_ADDRESS, NULL, NULL, NULL },
};

static enum result parse_iser(struct parse *parse)
{
	const uint8_t *header;
	enum result result;
	uint8_t opcode;

	parse->packet->request = parse->context->request;
	opcode = parse->cursor.wire >= ISER_LENGTH && parse->cursor.captured ? parse->cursor.next[0] >> 4 : 0;
	if (opcode < ISER_CONTROL || opcode > ISER_HELLO_REPLY) {
		parse->next = PROTOCOL_PAYLOAD;
		return OK;
	}
	parse->packet->upper = RTAP_UPPER_ISER;
	if (opcode != ISER_CONTROL) {
		parse->next = opcode == ISER_HELLO ? PROTOCOL_ISER_HELLO : PROTOCOL_ISER_HELLO_REPLY;
		return OK;
	}
	result = parse_layer(parse, PROTOCOL_ISER, ISER_LENGTH, &header);
	if (result == OK && parse->cursor.wire)
		parse->next = parse->cursor.wire >= ISCSI_LENGTH ? PROTOCOL_ISCSI : PROTOCOL_PAYLOAD;
	return result;
}

static void summary_iser(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet;
	(void)layer;
	line_text(line, ": iSER");
}

const struct protocol iser_protocol = {
	.table = { "iser", "iSER", "RFC 7145, 9.2", ISER_LENGTH, FIELDS(iser_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_iser,
	.summary = summary_iser,
};

static uint8_t opcode_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer_bytes(packet, layer)[0] & 0x3f;
}

/* Parts that only PDUs of some opcodes have; all bytes are also in one row or another. */
static bool derive_if(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, bool has,
	unsigned at, unsigned width)
{
	if (!has || layer->length * 8 < at + width)
		return false;
	value->number = bits(layer_bytes(packet, layer), at, width);
	return true;
}

static bool is_request(uint8_t opcode)
{
	return opcode < 0x20;
}

static bool is_login(uint8_t opcode)
{
	return opcode == ISCSI_LOGIN || opcode == ISCSI_LOGIN_RESPONSE;
}

static bool is_text(uint8_t opcode)
{
	return opcode == ISCSI_TEXT || opcode == ISCSI_TEXT_RESPONSE;
}

static bool is_data(uint8_t opcode)
{
	return opcode == ISCSI_DATA_OUT || opcode == ISCSI_DATA_IN;
}

static bool has_lun(uint8_t opcode)
{
	return opcode == ISCSI_COMMAND || opcode == ISCSI_TASK_MANAGEMENT || opcode == ISCSI_NOP_OUT || opcode == ISCSI_NOP_IN || opcode == ISCSI_DATA_OUT ||
	       opcode == ISCSI_DATA_IN || opcode == ISCSI_SNACK || opcode == ISCSI_R2T || opcode == ISCSI_ASYNC;
}

#define OF(name, condition, at, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		uint8_t opcode = layer->length ? opcode_of(packet, layer) : 0; \
		\
		return layer->length && derive_if(packet, layer, value, condition, at, width); \
	}

OF(immediate, is_request(opcode) && opcode != ISCSI_DATA_OUT && opcode != ISCSI_SNACK, 1, 1)
OF(no_immediate, !is_request(opcode) || opcode == ISCSI_DATA_OUT || opcode == ISCSI_SNACK, 1, 1)
OF(expected, opcode == ISCSI_COMMAND, 160, 32)
OF(final, opcode == ISCSI_COMMAND, 8, 1)
OF(reads, opcode == ISCSI_COMMAND, 9, 1)
OF(writes, opcode == ISCSI_COMMAND, 10, 1)
OF(attribute, opcode == ISCSI_COMMAND, 13, 3)
OF(command_sn, is_request(opcode) && opcode != ISCSI_DATA_OUT && opcode != ISCSI_SNACK, 192, 32)
OF(expected_status_sn, is_request(opcode), 224, 32)
OF(status_sn, !is_request(opcode), 192, 32)
OF(expected_command_sn, !is_request(opcode), 224, 32)
OF(max_command_sn, !is_request(opcode), 256, 32)
OF(response, opcode == ISCSI_RESPONSE, 16, 8)
OF(status, opcode == ISCSI_RESPONSE || (opcode == ISCSI_DATA_IN && layer->length > 1 && layer_bytes(packet, layer)[1] & 1), 24, 8)
OF(residual, opcode == ISCSI_RESPONSE, 352, 32)
OF(login_status, opcode == ISCSI_LOGIN_RESPONSE, 288, 16)
OF(logout_reason, opcode == ISCSI_LOGOUT, 9, 7)
OF(logout_response, opcode == ISCSI_LOGOUT_RESPONSE, 16, 8)
OF(function, opcode == ISCSI_TASK_MANAGEMENT, 9, 7)
OF(function_response, opcode == ISCSI_TASK_MANAGEMENT_RESPONSE, 16, 8)
OF(async_event, opcode == ISCSI_ASYNC, 288, 8)
OF(referenced, opcode == ISCSI_TASK_MANAGEMENT, 160, 32)
OF(transfer_tag, opcode == ISCSI_NOP_OUT || opcode == ISCSI_NOP_IN || opcode == ISCSI_R2T || opcode == ISCSI_TEXT ||
	opcode == ISCSI_TEXT_RESPONSE || opcode == ISCSI_DATA_OUT || opcode == ISCSI_DATA_IN || opcode == ISCSI_SNACK, 160, 32)
OF(r2t_number, opcode == ISCSI_R2T, 288, 32)
OF(r2t_offset, opcode == ISCSI_R2T, 320, 32)
OF(r2t_length, opcode == ISCSI_R2T, 352, 32)
OF(reject_reason, opcode == ISCSI_REJECT, 16, 8)
OF(login_transit, is_login(opcode), 8, 1)
OF(login_goes_on, is_login(opcode), 9, 1)
OF(login_stage, is_login(opcode), 12, 2)
OF(login_next, is_login(opcode), 14, 2)
OF(version_max, is_login(opcode), 16, 8)
OF(version_min, opcode == ISCSI_LOGIN, 24, 8)
OF(version_active, opcode == ISCSI_LOGIN_RESPONSE, 24, 8)
OF(session, is_login(opcode), 112, 16)
OF(connection_id, opcode == ISCSI_LOGIN || opcode == ISCSI_LOGOUT, 160, 16)
OF(text_final, is_text(opcode), 8, 1)
OF(text_goes_on, is_text(opcode), 9, 1)
OF(bidirectional_overflow, opcode == ISCSI_RESPONSE, 11, 1)
OF(bidirectional_underflow, opcode == ISCSI_RESPONSE, 12, 1)
OF(overflow, opcode == ISCSI_RESPONSE, 13, 1)
OF(underflow, opcode == ISCSI_RESPONSE, 14, 1)
OF(bidirectional_residual, opcode == ISCSI_RESPONSE, 320, 32)
OF(expected_data_sn, opcode == ISCSI_RESPONSE, 288, 32)
OF(referenced_sn, opcode == ISCSI_TASK_MANAGEMENT, 256, 32)
OF(time_to_wait, opcode == ISCSI_LOGOUT_RESPONSE, 320, 16)
OF(time_to_retain, opcode == ISCSI_LOGOUT_RESPONSE, 336, 16)
OF(event_code, opcode == ISCSI_ASYNC, 296, 8)
OF(event_first, opcode == ISCSI_ASYNC, 304, 16)
OF(event_second, opcode == ISCSI_ASYNC, 320, 16)
OF(event_third, opcode == ISCSI_ASYNC, 336, 16)
OF(data_final, is_data(opcode), 8, 1)
OF(data_acknowledge, opcode == ISCSI_DATA_IN, 9, 1)
OF(data_overflow, opcode == ISCSI_DATA_IN, 13, 1)
OF(data_underflow, opcode == ISCSI_DATA_IN, 14, 1)
OF(data_has_status, opcode == ISCSI_DATA_IN, 15, 1)
OF(data_number, is_data(opcode), 288, 32)
OF(data_offset, is_data(opcode), 320, 32)
OF(data_residual, opcode == ISCSI_DATA_IN, 352, 32)
OF(snack_type, opcode == ISCSI_SNACK, 12, 4)
OF(snack_begin, opcode == ISCSI_SNACK, 320, 32)
OF(snack_length, opcode == ISCSI_SNACK, 352, 32)

OF(isid_type, is_login(opcode), 64, 2)
OF(isid_a, is_login(opcode), 66, 6)
OF(isid_b, is_login(opcode), 72, 16)
OF(isid_c, is_login(opcode), 88, 8)
OF(isid_d, is_login(opcode), 96, 16)
OF(reference_number, opcode == ISCSI_COMMAND, 24, 8)
OF(lun_mode, has_lun(opcode), 64, 2)
OF(lun, has_lun(opcode), 66, 14)

static bool derive_isid(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	if (layer->length < ISCSI_LENGTH || !is_login(opcode_of(packet, layer)))
		return false;
	value->data.bytes = layer_bytes(packet, layer) + ISCSI_ISID_AT;
	value->data.length = ISCSI_ISID_LENGTH;
	return true;
}

/* Of a response, or of data that follows its command. */
static bool derive_request_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	uint8_t opcode = layer->length ? opcode_of(packet, layer) : 0;

	return (opcode == ISCSI_RESPONSE || opcode == ISCSI_DATA_OUT) && scsi_request_frame(packet, layer, value);
}

static bool derive_scsi_request_frame(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return layer->length && opcode_of(packet, layer) == ISCSI_RESPONSE && scsi_request_frame(packet, layer, value);
}

static bool derive_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return layer->length && opcode_of(packet, layer) == ISCSI_RESPONSE && scsi_request_time(packet, layer, value);
}

/* The first two bytes of data that has sense data. RFC 7143, 11.4.7.2. */
static bool derive_sense_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *pdu = layer_bytes(packet, layer);
	uint32_t captured = packet->sources[layer->source].captured, at;

	if (layer->length < ISCSI_LENGTH || opcode_of(packet, layer) != ISCSI_RESPONSE || pdu[ISCSI_STATUS_AT] != SCSI_CHECK_CONDITION)
		return false;
	at = ISCSI_LENGTH + (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4;
	if (bits(pdu, ISCSI_DATA_LENGTH) < 2 || captured < layer->offset || captured - layer->offset < at + 2)
		return false;
	value->number = load16(pdu + at);
	return true;
}

static const struct rtap_name function_names[] = {
	{ 1, "ABORT TASK" }, { 2, "ABORT TASK SET" }, { 3, "CLEAR ACA" }, { 4, "CLEAR TASK SET" }, { 5, "LOGICAL UNIT RESET" },
	{ 6, "TARGET WARM RESET" }, { 7, "TARGET COLD RESET" }, { 8, "TASK REASSIGN" }, { 0, NULL },
};

/* RFC 7143, 11.6.1, 11.15.1 and 11.13.5. */
const struct rtap_name iscsi_task_result_names[] = {
	{ 0, "function complete" }, { 1, "task does not exist" }, { 2, "LUN does not exist" }, { 3, "task still allegiant" },
	{ 4, "task allegiance reassignment not supported" }, { 5, "function not supported" }, { 6, "function authorization failed" },
	{ 255, "function rejected" }, { 0, NULL },
};

const struct rtap_name iscsi_logout_result_names[] = {
	{ 0, "connection or session closed" }, { 1, "CID not found" }, { 2, "connection recovery not supported" }, { 3, "cleanup failed" }, { 0, NULL },
};

const struct rtap_name iscsi_login_status_names[] = {
	{ 0x0000, "success" }, { 0x0101, "target moved temporarily" }, { 0x0102, "target moved permanently" }, { 0x0200, "initiator error" },
	{ 0x0201, "authentication failure" }, { 0x0202, "authorization failure" }, { 0x0203, "target not found" }, { 0x0204, "target removed" },
	{ 0x0205, "unsupported version" }, { 0x0206, "too many connections" }, { 0x0207, "missing parameter" }, { 0x0208, "cannot include in session" },
	{ 0x0209, "session type not supported" }, { 0x020a, "session does not exist" }, { 0x020b, "invalid request during login" },
	{ 0x0300, "target error" }, { 0x0301, "service unavailable" }, { 0x0302, "out of resources" }, { 0, NULL },
};

/* RFC 7143, 11.16.1. */
static const struct rtap_name snack_names[] = { { 0, "Data or R2T" }, { 1, "Status" }, { 2, "DataACK" }, { 3, "R-Data" }, { 0, NULL } };

static const struct rtap_name async_event_names[] = {
	{ 0, "SCSI asynchronous event" }, { 1, "target requests logout" }, { 2, "target drops connection" }, { 3, "target drops all connections" },
	{ 4, "target requests negotiation" }, { 5, "tasks terminated" }, { 255, "vendor specific" }, { 0, NULL },
};

/* RFC 7143, 11.17.1. */
const struct rtap_name iscsi_reject_names[] = {
	{ 2, "data digest error" }, { 3, "SNACK reject" }, { 4, "protocol error" }, { 5, "command not supported" }, { 6, "too many immediate commands" },
	{ 7, "task in progress" }, { 8, "invalid data acknowledgement" }, { 9, "invalid PDU field" }, { 10, "long operation reject" },
	{ 12, "waiting for logout" }, { 0, NULL },
};

/* RFC 7143, 11.12.3. */
static const struct rtap_name stage_names[] = {
	{ 0, "security negotiation" }, { 1, "operational negotiation" }, { 3, "full feature phase" }, { 0, NULL },
};

/* RFC 7143, 11.12.5. */
static const struct rtap_name isid_type_names[] = { { 0, "IEEE OUI" }, { 1, "IANA enterprise number" }, { 2, "random" }, { 0, NULL } };

static const struct rtap_name logout_reason_names[] = {
	{ 0, "close session" }, { 1, "close connection" }, { 2, "remove connection for recovery" }, { 0, NULL },
};

const char *iscsi_request_name(const uint8_t *pdu)
{
	const char *name = NULL;

	switch (pdu[0] & 0x3f) {
	case ISCSI_TASK_MANAGEMENT:
		name = rtap_name_of(function_names, bits(pdu, ISCSI_FUNCTION));
		return name ? name : "Task Management";
	case ISCSI_NOP_OUT: return "NOP";
	case ISCSI_LOGIN: return "Login";
	case ISCSI_TEXT: return "Text";
	case ISCSI_LOGOUT: return "Logout";
	default: return NULL;
	}
}

#define SEQUENCE(name, label, at, derive) \
	{ name, label, at, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive, NULL }
/* The data segment, without its padding. False: there is none, or it was not captured. */
static bool find_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_span *data, uint32_t *left)
{
	const uint8_t *pdu = layer_bytes(packet, layer);
	uint32_t end = layer->source == packet->payload.source ? packet->payload.offset + packet->payload.captured :
		       packet->sources[layer->source].captured;
	uint32_t at, length;

	if (layer->length < ISCSI_LENGTH || end < layer->offset)
		return false;
	at = ISCSI_LENGTH + (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4;
	length = (uint32_t)bits(pdu, ISCSI_DATA_LENGTH);
	end -= layer->offset;
	if (!length || end < at || end - at < length)
		return false;
	*data = (struct rtap_span){ pdu + at, length };
	*left = end - at - length;
	return true;
}

static bool derive_data_of(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint8_t from_initiator,
			   uint8_t from_target)
{
	uint32_t left;

	return find_data(packet, layer, &value->data, &left) &&
	       (opcode_of(packet, layer) == from_initiator || opcode_of(packet, layer) == from_target);
}

static bool derive_immediate_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_data_of(packet, layer, value, ISCSI_COMMAND, ISCSI_COMMAND);
}

static bool derive_ping_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_data_of(packet, layer, value, ISCSI_NOP_OUT, ISCSI_NOP_IN);
}

static bool derive_event_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_data_of(packet, layer, value, ISCSI_ASYNC, ISCSI_ASYNC);
}

/* The data segment ends with a whole word: RFC 7143, 11.2.3. */
static bool derive_padding(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	uint32_t left, padding;
	struct rtap_span data;

	if (!find_data(packet, layer, &data, &left))
		return false;
	padding = -data.length & 3u;
	value->data = (struct rtap_span){ data.bytes + data.length, padding < left ? padding : left };
	return value->data.length;
}

#define SOME(name, label, at, width, show, names, derive) \
	{ name, label, at, width, show, RTAP_UNPLACED | RTAP_SOMETIMES, names, derive, NULL }
#define DATA(name, label, derive) { name, label, 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_BULK, NULL, derive, NULL }

static const struct rtap_field iscsi_fields[] = {
	{ "iscsi.reserved", "Reserved", 0, 1, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iscsi.I", "Immediate Delivery", 1, 1, RTAP_BOOL, RTAP_SOMETIMES, NULL, derive_immediate, NULL },
	{ "iscsi.reserved1", "Reserved", 1, 1, RTAP_HEX, RTAP_SOMETIMES, NULL, derive_no_immediate, NULL },
	{ "iscsi.opcode", "Opcode", ISCSI_OPCODE, RTAP_HEX, RTAP_OPCODE, iscsi_names, NULL, NULL },
	{ "iscsi.flags", "Flags", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iscsi.opcode_specific", "Opcode Specific", 16, 16, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iscsi.totalahslength", "Total AHS Length (words)", ISCSI_AHS_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "iscsi.datasegmentlength", "Data Segment Length", ISCSI_DATA_LENGTH, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "iscsi.lun_or_specific", "LUN or Opcode Specific", 64, 64, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "iscsi.initiatortasktag", "Initiator Task Tag", ISCSI_TAG, RTAP_HEX, RTAP_IGNORED, NULL, NULL, NULL },
	{ "iscsi.opcode_specific_20", "Opcode Specific", 160, 224, RTAP_BYTES, 0, NULL, NULL, NULL },
	SOME("iscsi.scsicommand.F", "Final", 8, 1, RTAP_BOOL, NULL, derive_final),
	SOME("iscsi.scsicommand.R", "Reads", 9, 1, RTAP_BOOL, NULL, derive_reads),
	SOME("iscsi.scsicommand.W", "Writes", 10, 1, RTAP_BOOL, NULL, derive_writes),
	SOME("iscsi.scsicommand.attr", "Task Attribute", 13, 3, RTAP_HEX, NULL, derive_attribute),
	SOME("iscsi.scsicommand.expecteddatatransferlength", "Expected Data Transfer Length", 160, 32, RTAP_DEC, NULL, derive_expected),
	SEQUENCE("iscsi.cmdsn", "CmdSN", 192, derive_command_sn),
	SEQUENCE("iscsi.expstatsn", "ExpStatSN", 224, derive_expected_status_sn),
	SEQUENCE("iscsi.statsn", "StatSN", 192, derive_status_sn),
	SEQUENCE("iscsi.expcmdsn", "ExpCmdSN", 224, derive_expected_command_sn),
	SEQUENCE("iscsi.maxcmdsn", "MaxCmdSN", 256, derive_max_command_sn),
	SOME("iscsi.scsiresponse.response", "Response", 16, 8, RTAP_HEX, NULL, derive_response),
	SOME("iscsi.scsiresponse.status", "Status", 24, 8, RTAP_HEX, scsi_status_names, derive_status),
	SOME("iscsi.scsiresponse.residualcount", "Residual Count", 352, 32, RTAP_DEC, NULL, derive_residual),
	SOME("iscsi.login.status", "Login Status", 288, 16, RTAP_HEX, iscsi_login_status_names, derive_login_status),
	SOME("iscsi.logout.reason", "Logout Reason", 9, 7, RTAP_HEX, logout_reason_names, derive_logout_reason),
	SOME("iscsi.logout.response", "Logout Response", 16, 8, RTAP_HEX, iscsi_logout_result_names, derive_logout_response),
	SOME("iscsi.taskmanfun.function", "Task Management Function", 9, 7, RTAP_HEX, function_names, derive_function),
	SOME("iscsi.taskmanfun.response", "Task Management Response", 16, 8, RTAP_HEX, iscsi_task_result_names, derive_function_response),
	{ "iscsi.taskmanfun.referencedtasktag", "Referenced Task Tag", 160, 32, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL,
	  derive_referenced, NULL },
	{ "iscsi.targettransfertag", "Target Transfer Tag", 160, 32, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL,
		derive_transfer_tag, NULL },
	SOME("iscsi.r2tsn", "R2TSN", 288, 32, RTAP_DEC, NULL, derive_r2t_number),
	SOME("iscsi.bufferOffset", "Buffer Offset", 320, 32, RTAP_DEC, NULL, derive_r2t_offset),
	SOME("iscsi.bufferOffset", "Buffer Offset", 320, 32, RTAP_DEC, NULL, derive_data_offset),
	SOME("iscsi.desireddatalength", "Desired Data Length", 352, 32, RTAP_DEC, NULL, derive_r2t_length),
	SOME("iscsi.asyncevent", "Asynchronous Event", 288, 8, RTAP_HEX, async_event_names, derive_async_event),
	SOME("iscsi.reject.reason", "Reject Reason", 16, 8, RTAP_HEX, iscsi_reject_names, derive_reject_reason),
	SOME("iscsi.login.T", "Transit", 8, 1, RTAP_BOOL, NULL, derive_login_transit),
	SOME("iscsi.login.C", "Continue", 9, 1, RTAP_BOOL, NULL, derive_login_goes_on),
	SOME("iscsi.login.csg", "Current Stage", 12, 2, RTAP_HEX, stage_names, derive_login_stage),
	SOME("iscsi.login.nsg", "Next Stage", 14, 2, RTAP_HEX, stage_names, derive_login_next),
	SOME("iscsi.versionmax", "Version Max", 16, 8, RTAP_HEX, NULL, derive_version_max),
	SOME("iscsi.versionmin", "Version Min", 24, 8, RTAP_HEX, NULL, derive_version_min),
	SOME("iscsi.versionactive", "Version Active", 24, 8, RTAP_HEX, NULL, derive_version_active),
	{ "iscsi.tsih", "Target Session Identifying Handle", 112, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_session, NULL },
	{ "iscsi.isid", "Initiator's Part of the Session ID", 64, 48, RTAP_BYTES, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_isid, NULL },
	SOME("iscsi.isid.t", "Type", 64, 2, RTAP_HEX, isid_type_names, derive_isid_type),
	SOME("iscsi.isid.a", "A", 66, 6, RTAP_HEX, NULL, derive_isid_a),
	SOME("iscsi.isid.b", "B", 72, 16, RTAP_HEX, NULL, derive_isid_b),
	SOME("iscsi.isid.c", "C", 88, 8, RTAP_HEX, NULL, derive_isid_c),
	SOME("iscsi.isid.d", "D", 96, 16, RTAP_HEX, NULL, derive_isid_d),
	SOME("iscsi.scsicommand.crn", "Command Reference Number", 24, 8, RTAP_DEC, NULL, derive_reference_number),
	SOME("scsi.lun.address_mode", "Address Mode", 64, 2, RTAP_HEX, NULL, derive_lun_mode),
	SOME("scsi.lun", "LUN", 66, 14, RTAP_HEX, NULL, derive_lun),
	{ "iscsi.request_frame", "Command in Frame", 0, 64, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_request_frame, NULL },
	SOME("iscsi.time", "Time since the Command", 0, 64, RTAP_SECONDS, NULL, derive_time),
	{ "scsi.request_frame", "Command in Frame", 0, 64, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED | RTAP_ON_DEMAND,
		NULL, derive_scsi_request_frame, NULL },
	{ "scsi.time", "Time since the Command", 0, 64, RTAP_SECONDS, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_ON_DEMAND, NULL, derive_time, NULL },
	{ "scsi.status", "SCSI Status", 24, 8, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_OPCODE, scsi_status_names, derive_status, NULL },
	SOME("iscsi.scsiresponse.senselength", "Sense Length", 0, 16, RTAP_DEC, NULL, derive_sense_length),
	SOME("iscsi.cid", "Connection ID", 160, 16, RTAP_HEX, NULL, derive_connection_id),
	SOME("iscsi.text.F", "Final", 8, 1, RTAP_BOOL, NULL, derive_text_final),
	SOME("iscsi.text.C", "Continue", 9, 1, RTAP_BOOL, NULL, derive_text_goes_on),
	SOME("iscsi.scsiresponse.o", "Bidirectional Read Residual Overflow", 11, 1, RTAP_BOOL, NULL, derive_bidirectional_overflow),
	SOME("iscsi.scsiresponse.u", "Bidirectional Read Residual Underflow", 12, 1, RTAP_BOOL, NULL, derive_bidirectional_underflow),
	SOME("iscsi.scsiresponse.O", "Residual Overflow", 13, 1, RTAP_BOOL, NULL, derive_overflow),
	SOME("iscsi.scsiresponse.U", "Residual Underflow", 14, 1, RTAP_BOOL, NULL, derive_underflow),
	SOME("iscsi.scsiresponse.bidireadresidualcount", "Bidirectional Read Residual Count", 320, 32, RTAP_DEC, NULL, derive_bidirectional_residual),
	SOME("iscsi.expdatasn", "ExpDataSN", 288, 32, RTAP_HEX, NULL, derive_expected_data_sn),
	SEQUENCE("iscsi.refcmdsn", "RefCmdSN", 256, derive_referenced_sn),
	{ "iscsi.time2wait", "Time2Wait", 320, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_COMPARED, NULL, derive_time_to_wait, NULL },
	{ "iscsi.time2retain", "Time2Retain", 336, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_COMPARED, NULL, derive_time_to_retain, NULL },
	SOME("iscsi.eventvendorcode", "Event Vendor Code", 296, 8, RTAP_HEX, NULL, derive_event_code),
	SOME("iscsi.parameter1", "Parameter 1", 304, 16, RTAP_HEX, NULL, derive_event_first),
	SOME("iscsi.parameter2", "Parameter 2", 320, 16, RTAP_HEX, NULL, derive_event_second),
	SOME("iscsi.parameter3", "Parameter 3", 336, 16, RTAP_HEX, NULL, derive_event_third),
	SOME("iscsi.scsidata.F", "Final", 8, 1, RTAP_BOOL, NULL, derive_data_final),
	SOME("iscsi.scsidata.A", "Acknowledge", 9, 1, RTAP_BOOL, NULL, derive_data_acknowledge),
	SOME("iscsi.scsidata.O", "Residual Overflow", 13, 1, RTAP_BOOL, NULL, derive_data_overflow),
	SOME("iscsi.scsidata.U", "Residual Underflow", 14, 1, RTAP_BOOL, NULL, derive_data_underflow),
	SOME("iscsi.scsidata.S", "Has Status", 15, 1, RTAP_BOOL, NULL, derive_data_has_status),
	SOME("iscsi.datasn", "DataSN", 288, 32, RTAP_DEC, NULL, derive_data_number),
	SOME("iscsi.scsidata.readresidualcount", "Residual Count", 352, 32, RTAP_DEC, NULL, derive_data_residual),
	SOME("iscsi.snack.type", "SNACK Type", 12, 4, RTAP_DEC, snack_names, derive_snack_type),
	SOME("iscsi.snack.begrun", "BegRun", 320, 32, RTAP_HEX, NULL, derive_snack_begin),
	SOME("iscsi.snack.runlength", "RunLength", 352, 32, RTAP_DEC, NULL, derive_snack_length),
	DATA("iscsi.immediatedata", "Immediate Data", derive_immediate_data),
	DATA("iscsi.pingdata", "Ping Data", derive_ping_data),
	DATA("iscsi.asynceventdata", "Asynchronous Event Data", derive_event_data),
	DATA("iscsi.padding", "Padding", derive_padding),
};

#define ISCSI_EVENT_AT 36        /* of an asynchronous message; 0: sense data is reported */

/* Two bytes with its length precede sense data; other data can follow. RFC 7143, 11.4.7.2, 11.9.4. */
static uint16_t take_sense(struct parse *parse)
{
	uint32_t at = parse_offset(parse);
	const uint8_t *length;

	if (cursor_take(&parse->cursor, 2, &length) != OK)
		return PROTOCOL_PAYLOAD;
	if (load16(length) > parse->cursor.wire)
		parse_anomaly(parse, RTAP_ANOMALY_LENGTH_BEYOND_FRAME, at);
	cursor_narrow(&parse->cursor, load16(length));
	return load16(length) ? PROTOCOL_SCSI_SENSE : PROTOCOL_NONE;
}

/* The protocol of the data segment, which the cursor has. */
static uint16_t data_of(struct parse *parse, const uint8_t *pdu)
{
	switch (pdu[0] & 0x3f) {
	case ISCSI_RESPONSE: return pdu[ISCSI_STATUS_AT] == SCSI_CHECK_CONDITION ? take_sense(parse) : PROTOCOL_PAYLOAD;
	case ISCSI_ASYNC: return pdu[ISCSI_EVENT_AT] ? PROTOCOL_PAYLOAD : take_sense(parse);
	case ISCSI_LOGIN: case ISCSI_LOGIN_RESPONSE: case ISCSI_TEXT: case ISCSI_TEXT_RESPONSE: return PROTOCOL_ISCSI_TEXT;
	case ISCSI_REJECT: return parse->cursor.wire >= ISCSI_LENGTH ? PROTOCOL_ISCSI_REJECTED : PROTOCOL_PAYLOAD;
	default: return PROTOCOL_PAYLOAD;
	}
}

/* Parses the iSCSI header, which includes the CDB; sense data and text follow as data. */
static enum result parse_pdu(struct parse *parse, uint16_t protocol)
{
	const uint8_t *pdu;
	enum result result = parse_layer(parse, protocol, ISCSI_LENGTH, &pdu);

	if (result != OK)
		return result;
	if ((pdu[0] & 0x3f) == ISCSI_COMMAND)
		parse_place_layer(parse, PROTOCOL_SCSI_CDB, parse_offset(parse) - ISCSI_LENGTH + ISCSI_CDB_AT, SCSI_CDB_LENGTH);
	if (!parse->cursor.wire)
		return OK;
	if (protocol == PROTOCOL_ISCSI)
		parse->next = bits(pdu, ISCSI_AHS_LENGTH) ? PROTOCOL_ISCSI_AHS : data_of(parse, pdu);
	else
		parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

static enum result parse_iscsi(struct parse *parse)
{
	return parse_pdu(parse, PROTOCOL_ISCSI);
}

/* RFC 7143, 11.17.4: the whole header of the rejected PDU. */
static enum result parse_rejected(struct parse *parse)
{
	return parse_pdu(parse, PROTOCOL_ISCSI_REJECTED);
}

/* Additional header segments: a length that counts from after the type, the type, a byte, the rest; padded to words. RFC 7143, 11.2.2. */
enum { ROW_AHS_CDB = 3, ROW_AHS_READ_LENGTH, ROW_AHS_UNKNOWN };

static const struct rtap_name ahs_names[] = {
	{ ISCSI_EXTENDED_CDB, "extended CDB" }, { ISCSI_BIDIRECTIONAL, "bidirectional read length" }, { 0, NULL },
};

static const struct rtap_field ahs_fields[] = {
	{ "iscsi.ahs.length", "AHS Length", 0, 16, RTAP_DEC, RTAP_REPEATS, NULL, NULL, NULL },
	{ "iscsi.ahs.type", "AHS Type", 16, 8, RTAP_DEC, RTAP_REPEATS, ahs_names, NULL, NULL },
	{ "iscsi.ahs.specific", "AHS Specific", 24, 8, RTAP_HEX, RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_AHS_CDB] = { "iscsi.ahs.extended_cdb", "Extended CDB", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_AHS_READ_LENGTH] = { "iscsi.ahs.bidir.length", "Bidirectional Read Data Length", 0, 32, RTAP_DEC,
				  RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_AHS_UNKNOWN] = { "iscsi.ahs.unknown_blob", "Data of Another AHS", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static enum result parse_ahs(struct parse *parse)
{
	const uint8_t *pdu = parse->cursor.next - ISCSI_LENGTH, *segments;
	uint32_t length = (uint32_t)bits(pdu, ISCSI_AHS_LENGTH) * 4;
	enum result result = parse_layer(parse, PROTOCOL_ISCSI_AHS, length < parse->cursor.wire ? length : parse->cursor.wire, &segments);

	if (result == OK && parse->cursor.wire)
		parse->next = data_of(parse, pdu);
	return result;
}

static void visit_segment(const struct rtap_layer *layer, const uint8_t *segment, uint32_t at, struct rtap_visitor *visitor)
{
	uint32_t length = load16(segment) - 1u;
	struct rtap_value value = { .data = { segment + ISCSI_AHS_HEADER, length } };
	size_t row = ROW_AHS_UNKNOWN;

	if (segment[2] == ISCSI_BIDIRECTIONAL && length == 4) {
		row = ROW_AHS_READ_LENGTH;
		value = (struct rtap_value){ .number = load32(segment + ISCSI_AHS_HEADER) };
	} else if (segment[2] == ISCSI_EXTENDED_CDB) {
		row = ROW_AHS_CDB;
	}
	if (length)
		visit_field(visitor, layer, PROTOCOL_ISCSI_AHS, row, &value, layer->offset + at + ISCSI_AHS_HEADER, length);
}

static void visit_ahs(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *bytes = layer_bytes(packet, layer);
	struct rtap_layer unit = *layer;

	for (uint32_t at = 0, length; at + ISCSI_AHS_HEADER <= layer->length; at += (3 + length + 3) / 4 * 4) {
		length = load16(bytes + at);
		unit.offset = layer->offset + at;
		unit.length = ISCSI_AHS_HEADER;
		visit_unit(packet, &unit, visitor);
		if (!length || at + 3 + length > layer->length)
			return;
		visit_segment(layer, bytes + at, at, visitor);
	}
}

const struct protocol iscsi_ahs_protocol = {
	.table = { "iscsi.ahs", "iSCSI Additional Header Segments", "RFC 7143, 11.2.2", ISCSI_AHS_HEADER, FIELDS(ahs_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_ahs,
	.visit = visit_ahs,
};

static void summary_iscsi(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *pdu = layer_bytes(packet, layer);
	const char *name = layer->length ? rtap_name_of(iscsi_names, pdu[0] & 0x3f) : NULL;
	char *begin = line->next;

	if (!name || layer->length < ISCSI_LENGTH)
		return;
	line_char(line, ' ');
	if ((pdu[0] & 0x3f) == ISCSI_COMMAND) {
		line_text(line, "LUN ");
		line_dec(line, scsi_lun(pdu + ISCSI_LUN_AT));
		return;
	}
	line_text(line, (pdu[0] & 0x3f) == ISCSI_RESPONSE && packet->request.name ? packet->request.name : name);
	if ((pdu[0] & 0x3f) == ISCSI_REJECT) {
		name = rtap_name_of(iscsi_reject_names, pdu[ISCSI_RESPONSE_AT]);
		line_text(line, ": ");
		line_text(line, name ? name : "unknown reason");
	}
	if ((pdu[0] & 0x3f) != ISCSI_RESPONSE)
		return;
	/* the status is that of a response */
	line_spare(line, begin, packet->request.name ? LINE_SPARE_LAST : LINE_SPARE_DETAIL);
	name = rtap_name_of(scsi_status_names, pdu[ISCSI_STATUS_AT]);
	line_char(line, ' ');
	line_text(line, name ? name : "unknown status");
}

const struct protocol iscsi_protocol = {
	.table = { "iscsi", "iSCSI", "RFC 7143, chapter 11", ISCSI_LENGTH, FIELDS(iscsi_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_iscsi,
	.summary = summary_iscsi,
};

static void summary_rejected(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, " of");
	summary_iscsi(packet, layer, line);
}

const struct protocol iscsi_rejected_protocol = {
	.table = { "iscsi.rejected", "Rejected iSCSI PDU", "RFC 7143, 11.17.4", ISCSI_LENGTH, FIELDS(iscsi_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_rejected,
	.summary = summary_rejected,
};

/* Keys and values, each ended by a zero byte. RFC 7143, 6.1. */
static const struct rtap_field text_fields[] = {
	{ "iscsi.keyvalue", "Key and Value", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
};

static enum result parse_text(struct parse *parse)
{
	const uint8_t *text;

	return parse_layer(parse, PROTOCOL_ISCSI_TEXT, parse->cursor.captured ? parse->cursor.captured : 1, &text);
}

static void visit_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *text = layer_bytes(packet, layer);

	for (uint32_t at = 0, length; at < layer->length; at += length + 1) {
		length = (uint32_t)strnlen((const char *)text + at, layer->length - at);
		if (length)
			visit_field(visitor, layer, PROTOCOL_ISCSI_TEXT, 0, &(struct rtap_value){ .data = { text + at, length } }, layer->offset + at, length);
	}
}

const struct protocol iscsi_text_protocol = {
	.table = { "iscsi.text", "iSCSI Text", "RFC 7143, 6.1", 0, FIELDS(text_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_text,
	.visit = visit_text,
};
