/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"
#include "dissect/rnbd/rnbd.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/rnbd/rtrs_private.h"

#define SECTION "Linux, drivers/infiniband/ulp/rtrs"
#define IMMEDIATE_LENGTH 4
#define LEAST_CHUNK 4096           /* bytes; also the page in which the position of a header is exact, whatever the queue depth */
#define AT(offset, width) offset, width
#define ROW(name, label, at, show) { name, label, at, show, RTAP_LITTLE, NULL, NULL, NULL }

static const struct rtap_name type_names[] = {
	{ RTRS_INFO_REQUEST, "information request" }, { RTRS_INFO_RESPONSE, "information response" }, { RTRS_WRITE, "write" },
	{ RTRS_READ, "read" }, { RTRS_RKEY, "key response" }, { 0, NULL },
};

static const struct rtap_name immediate_names[] = {
	{ RTRS_IMM_REQUEST, "request" }, { RTRS_IMM_RESPONSE, "response" }, { RTRS_IMM_RESPONSE_INVALIDATES, "response with invalidation" },
	{ RTRS_IMM_HEARTBEAT, "heartbeat" }, { RTRS_IMM_HEARTBEAT_ACK, "heartbeat acknowledgement" }, { 0, NULL },
};

/* READ descriptors are the last bytes; the length of the message before the header says where the header is. */
static bool find_read(const uint8_t *tail, uint32_t length, struct rtrs_request *request)
{
	for (uint32_t count = 0; count <= RTRS_MOST_DESCRIPTORS && RTRS_READ_LENGTH + count * RTRS_DESCRIPTOR_LENGTH <= length; count++) {
		const uint8_t *header = tail + length - RTRS_READ_LENGTH - count * RTRS_DESCRIPTOR_LENGTH;

		if (little_bits(header, RTRS_TYPE) != RTRS_READ || little_bits(header, RTRS_READ_COUNT) != count ||
		    little_bits(header, RTRS_READ_FLAGS) & ~UINT64_C(3) || (uint32_t)(header - tail) != little_bits(header, RTRS_USER_LENGTH))
			continue;
		*request = (struct rtrs_request){ .type = RTRS_READ, .header = header, .descriptors = header + RTRS_READ_LENGTH, .descriptor_count = count,
						  .tail_length = length };
		for (uint32_t i = 0; i < count; i++)
			request->data_length += little_bits(request->descriptors + i * RTRS_DESCRIPTOR_LENGTH, RTRS_DESCRIPTOR_BYTES);
		return true;
	}
	return false;
}

static bool find_write(const uint8_t *tail, uint32_t length, uint64_t total, struct rtrs_request *request)
{
	const uint8_t *header = tail + length - RTRS_WRITE_LENGTH;
	uint64_t user = little_bits(header, RTRS_USER_LENGTH);

	if (little_bits(header, RTRS_TYPE) != RTRS_WRITE || (total && total < user + RTRS_WRITE_LENGTH))
		return false;
	*request = (struct rtrs_request){ .type = RTRS_WRITE, .header = header, .tail_length = (uint32_t)user + RTRS_WRITE_LENGTH };
	/* the message's beginning was not captured: the user's message may have the length of the data */
	if (total)
		request->data_length = total - request->tail_length;
	else if (user >= RNBD_IO_LENGTH && user + RTRS_WRITE_LENGTH <= length && little_bits(header - user, RNBD_TYPE) == RNBD_IO &&
		 little_bits(header - user, RNBD_IO_OPERATION) == RNBD_WRITE)
		request->data_length = little_bits(header - user, RNBD_IO_BYTES);
	return true;
}

/* Whether the position in the immediate data is that of the header; completes the request. */
static bool is_at(const uint8_t *tail, uint32_t immediate, struct rtrs_request *request)
{
	request->user_length = (uint32_t)little_bits(request->header, RTRS_USER_LENGTH);
	if (request->user_length <= (uint32_t)(request->header - tail))
		request->user = request->header - request->user_length;
	return (request->data_length + request->user_length) % LEAST_CHUNK == immediate % LEAST_CHUNK &&
	       request->data_length + request->user_length <= rtrs_request_place(immediate);
}

/* The header of a write is at the end; that of a read is searched only if there is none. */
bool rtrs_find_request(const uint8_t *tail, uint32_t length, uint64_t total, uint32_t immediate, struct rtrs_request *request)
{
	if (rtrs_immediate_type(immediate) != RTRS_IMM_REQUEST || length < RTRS_WRITE_LENGTH)
		return false;
	if (find_write(tail, length, total, request) && is_at(tail, immediate, request))
		return true;
	return (!total || total == length) && find_read(tail, length, request) && is_at(tail, immediate, request);
}

bool rtrs_request_proves_itself(const struct rtrs_request *request, uint64_t total)
{
	return total && request->user && rnbd_agrees(request->user, request->user_length, request->type == RTRS_READ, request->data_length);
}

bool rtrs_is_rkey_response(const uint8_t *payload, uint32_t length, uint32_t immediate)
{
	enum rtrs_immediate type = rtrs_immediate_type(immediate);

	return length == RTRS_RKEY_LENGTH && (type == RTRS_IMM_RESPONSE || type == RTRS_IMM_RESPONSE_INVALIDATES) &&
	       little_bits(payload, RTRS_TYPE) == RTRS_RKEY && little_bits(payload, RTRS_RKEY_BUFFER) == rtrs_response_buffer(immediate);
}

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

/* A printable name, with zeros up to the end. */
static bool is_information_request(const uint8_t *message)
{
	uint32_t length = 0;

	while (length < RTRS_NAME_LENGTH && message[RTRS_NAME_AT + length] >= ' ' && message[RTRS_NAME_AT + length] < 0x7f)
		length++;
	return length && is_zero(message + RTRS_NAME_AT + length, RTRS_INFO_REQUEST_LENGTH - RTRS_NAME_AT - length);
}

/* All chunks have the same length, a power of two of whole pages. */
static bool is_information_response(const uint8_t *message, uint32_t length, uint32_t wire)
{
	uint64_t count = little_bits(message, RTRS_INFO_COUNT);
	const uint8_t *first = message + RTRS_INFO_RESPONSE_LENGTH, *second = first + RTRS_DESCRIPTOR_LENGTH;
	uint64_t bytes;

	if (count < 2 || wire != RTRS_INFO_RESPONSE_LENGTH + count * RTRS_DESCRIPTOR_LENGTH ||
	    length < RTRS_INFO_RESPONSE_LENGTH + 2 * RTRS_DESCRIPTOR_LENGTH || !is_zero(message + 4, 4))
		return false;
	bytes = little_bits(first, RTRS_DESCRIPTOR_BYTES);
	return bytes >= LEAST_CHUNK && !(bytes & (bytes - 1)) && little_bits(second, RTRS_DESCRIPTOR_BYTES) == bytes &&
	       !(little_bits(first, RTRS_DESCRIPTOR_ADDRESS) % LEAST_CHUNK) && !(little_bits(second, RTRS_DESCRIPTOR_ADDRESS) % LEAST_CHUNK) &&
	       little_bits(first, RTRS_DESCRIPTOR_ADDRESS) != little_bits(second, RTRS_DESCRIPTOR_ADDRESS);
}

bool rtrs_recognise(const struct cursor *payload)
{
	const uint8_t *message = payload->next;

	if (payload->captured < RTRS_INFO_RESPONSE_LENGTH)
		return false;
	switch (little_bits(message, RTRS_TYPE)) {
	case RTRS_INFO_REQUEST:
		return payload->wire == RTRS_INFO_REQUEST_LENGTH && payload->captured == payload->wire && is_information_request(message);
	case RTRS_INFO_RESPONSE: return is_information_response(message, payload->captured, payload->wire);
	default: return false;
	}
}

/* The immediate data, whose bytes are a layer of the transport too. */
static const struct rtap_field rtrs_imm_request_fields[] = {
	{ "rtrs.imm.type", "Type", 0, 4, RTAP_DEC, RTAP_OPCODE, immediate_names, NULL, NULL },
	{ "rtrs.imm.place", "Buffer and Position of the Header", 4, 28, RTAP_HEX32, RTAP_IGNORED, NULL, NULL, NULL },
};

static void summary_rtrs_imm_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *request = layer_after(packet, layer);
	char *begin;

	line_char(line, ':');
	begin = line->next;
	line_text(line, " RTRS");
	if (request && layer_after(packet, request))
		line_spare(line, begin, LINE_SPARE_LOWER);
}

static bool derive_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = (uint64_t)(packet->frame->time_ns - packet->request.time_ns);
	return packet->request.frame;
}

static const struct rtap_field rtrs_imm_response_fields[] = {
	{ "rtrs.imm.type", "Type", 0, 4, RTAP_DEC, RTAP_OPCODE, immediate_names, NULL, NULL },
	{ "rtrs.imm.errno", "Error Number", 4, 9, RTAP_DEC, 0, rtrs_private_errno_names, NULL, NULL },
	{ "rtrs.imm.buf_id", "Buffer", 13, 19, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "rtrs.time", "Time since the Request", 0, 64, RTAP_SECONDS, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, derive_time, NULL },
};

static void summary_error(struct line *line, uint64_t number)
{
	const char *name = rtap_name_of(rtrs_private_errno_names, number);

	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else {
		line_text(line, "errno ");
		line_dec(line, number);
	}
}

static void summary_rtrs_imm_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": RTRS ");
	if (packet->request.name) {
		line_text(line, packet->request.name);
		line_char(line, ' ');
	}
	line_text(line, "response");
	if (layer->length < IMMEDIATE_LENGTH)
		return;
	line_text(line, " buffer ");
	line_dec(line, bits(layer_bytes(packet, layer), 13, 19));
	summary_error(line, bits(layer_bytes(packet, layer), 4, 9));
}

static const struct rtap_field rtrs_imm_heartbeat_fields[] = {
	{ "rtrs.imm.type", "Type", 0, 4, RTAP_DEC, RTAP_OPCODE, immediate_names, NULL, NULL },
	{ "rtrs.imm.reserved", "Reserved", 4, 28, RTAP_HEX32, 0, NULL, NULL, NULL },
};

static void summary_rtrs_imm_heartbeat(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length ? rtap_name_of(immediate_names, layer_bytes(packet, layer)[0] >> 4) : NULL;

	line_text(line, ": RTRS ");
	line_text(line, name ? name : "immediate data of an unknown type");
}

#define IMMEDIATE(object, filter_name, label) \
	const struct protocol object##_protocol = { \
		.table = { filter_name, label, SECTION, IMMEDIATE_LENGTH, FIELDS(object##_fields) }, \
		.scope = SCOPE_CALL, \
		.summary = summary_##object, \
	};

IMMEDIATE(rtrs_imm_request, "rtrs.imm.request", "RTRS Immediate Data of a Request")
IMMEDIATE(rtrs_imm_response, "rtrs.imm.response", "RTRS Immediate Data of a Response")
IMMEDIATE(rtrs_imm_heartbeat, "rtrs.imm.heartbeat", "RTRS Immediate Data of a Heartbeat")

static void add_immediate(struct rtap_packet *packet)
{
	const struct rtap_layer *layer = packet->layers;
	uint16_t protocol;

	while (layer < packet->layers + packet->layer_count && layer->protocol != PROTOCOL_IMMDT)
		layer++;
	if (layer == packet->layers + packet->layer_count || layer->length < IMMEDIATE_LENGTH || packet->layer_count == RTAP_MAX_LAYERS)
		return;
	switch (rtrs_immediate_type(packet->ib.immediate)) {
	case RTRS_IMM_REQUEST: protocol = PROTOCOL_RTRS_IMM_REQUEST; break;
	case RTRS_IMM_RESPONSE:
	case RTRS_IMM_RESPONSE_INVALIDATES: protocol = PROTOCOL_RTRS_IMM_RESPONSE; break;
	default: protocol = PROTOCOL_RTRS_IMM_HEARTBEAT;
	}
	packet_add_layer(packet, protocol, layer->source, layer->offset, IMMEDIATE_LENGTH);
}

/* Descriptors fill their layer. */
static const struct rtap_field rtrs_desc_fields[] = {
	{ "rtrs.desc.addr", "Address", RTRS_DESCRIPTOR_ADDRESS, RTAP_HEX, RTAP_LITTLE | RTAP_REPEATS | RTAP_IS_ADDRESS, NULL, NULL, NULL },
	{ "rtrs.desc.key", "R_Key", RTRS_DESCRIPTOR_KEY, RTAP_HEX, RTAP_LITTLE | RTAP_REPEATS | RTAP_IS_RKEY, NULL, NULL, NULL },
	{ "rtrs.desc.len", "Length", RTRS_DESCRIPTOR_BYTES, RTAP_DEC, RTAP_LITTLE | RTAP_REPEATS, NULL, NULL, NULL },
};

static void visit_descriptors(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	struct rtap_layer unit = *layer;

	unit.length = RTRS_DESCRIPTOR_LENGTH;
	for (uint32_t end = layer->offset + layer->length; unit.offset + RTRS_DESCRIPTOR_LENGTH <= end; unit.offset += RTRS_DESCRIPTOR_LENGTH)
		visit_unit(packet, &unit, visitor);
}

const struct protocol rtrs_desc_protocol = {
	.table = { "rtrs.desc", "RTRS Memory Descriptors", SECTION, 0, FIELDS(rtrs_desc_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.visit = visit_descriptors,
};

static void add_count(struct line *line, const char *text, uint64_t count)
{
	line_text(line, text);
	line_dec(line, count);
}

/* Information request and response, key response: SENDs. */
#define TYPE_ROW { "rtrs.type", "Type", RTRS_TYPE, RTAP_DEC, RTAP_LITTLE | RTAP_OPCODE, type_names, NULL, NULL },

static bool derive_name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *name = layer_bytes(packet, layer) + RTRS_NAME_AT;
	uint32_t length = 0;

	if (layer->length < RTRS_NAME_AT + RTRS_NAME_LENGTH)
		return false;
	while (length < RTRS_NAME_LENGTH && name[length])
		length++;
	value->data = (struct rtap_span){ name, length };
	return true;
}

static const struct rtap_field rtrs_info_req_fields[] = {
	TYPE_ROW
	{ "rtrs.info_req.pathname", "Path Name", RTRS_NAME_AT * 8, RTRS_NAME_LENGTH * 8, RTAP_TEXT, 0, NULL, derive_name, NULL },
	{ "rtrs.info_req.reserved", "Reserved", 2056, 120, RTAP_BYTES, 0, NULL, NULL, NULL },
};

static void summary_rtrs_info_req(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	struct rtap_value name;

	line_text(line, ": RTRS information request ");
	if (derive_name(packet, layer, &name))
		line_escaped(line, name.data.bytes, name.data.length);
}

static const struct rtap_field rtrs_info_rsp_fields[] = {
	TYPE_ROW
	ROW("rtrs.info_rsp.sg_cnt", "Descriptors", RTRS_INFO_COUNT, RTAP_DEC),
	ROW("rtrs.info_rsp.reserved", "Reserved", AT(32, 32), RTAP_HEX),
};

static void summary_rtrs_info_rsp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": RTRS information response");
	if (layer->length >= RTRS_INFO_RESPONSE_LENGTH)
		add_count(line, " chunks ", little_bits(layer_bytes(packet, layer), RTRS_INFO_COUNT));
}

static const struct rtap_field rtrs_rkey_rsp_fields[] = {
	TYPE_ROW
	{ "rtrs.rkey_rsp.buf_id", "Buffer", RTRS_RKEY_BUFFER, RTAP_DEC, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	{ "rtrs.rkey_rsp.rkey", "New R_Key", 32, 32, RTAP_HEX, RTAP_LITTLE | RTAP_IS_RKEY, NULL, NULL, NULL },
};

static void summary_rtrs_rkey_rsp(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin;

	if (layer->length < RTRS_RKEY_LENGTH)
		return;
	begin = line->next;
	line_text(line, " new rkey ");
	line_hex(line, little_bits(layer_bytes(packet, layer), 32, 32), 1);
	line_spare(line, begin, LINE_SPARE_MEMORY);
}

/* The request of the layer above says more. */
static void summary_message(const struct rtap_packet *packet, const struct rtap_layer *layer, const char *name, struct line *line)
{
	char *begin = line->next;

	line_text(line, name);
	if (layer_after(packet, layer))
		line_spare(line, begin, LINE_SPARE_LOWER);
}

/* The headers of requests: after the user's message, shown before it. */
static const struct rtap_field rtrs_write_fields[] = {
	TYPE_ROW
	ROW("rtrs.usr_len", "User Message Length", RTRS_USER_LENGTH, RTAP_DEC),
};

static void summary_rtrs_write(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	summary_message(packet, layer, " write request", line);
}

static const struct rtap_field rtrs_read_fields[] = {
	TYPE_ROW
	ROW("rtrs.usr_len", "User Message Length", RTRS_USER_LENGTH, RTAP_DEC),
	{ "rtrs.read.flags", "Flags", RTRS_READ_FLAGS, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL },
	ROW("rtrs.read.flags.need_inval", "Invalidate the Key", AT(32, 1), RTAP_BOOL),
	ROW("rtrs.read.flags.new_rkey", "Send a New Key", AT(33, 1), RTAP_BOOL),
	ROW("rtrs.read.flags.reserved", "Reserved", AT(34, 14), RTAP_HEX),
	ROW("rtrs.read.sg_cnt", "Descriptors", RTRS_READ_COUNT, RTAP_DEC),
};

static void summary_rtrs_read(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	summary_message(packet, layer, " read request", line);
}

#define MESSAGE(object, filter_name, label, length) \
	const struct protocol object##_protocol = { \
		.table = { filter_name, label, SECTION, length, FIELDS(object##_fields) }, \
		.scope = SCOPE_CALL, \
		.summary = summary_##object, \
	};

MESSAGE(rtrs_info_rsp, "rtrs.info_rsp", "RTRS Information Response", RTRS_INFO_RESPONSE_LENGTH)
MESSAGE(rtrs_rkey_rsp, "rtrs.rkey_rsp", "RTRS Key Response", RTRS_RKEY_LENGTH)
MESSAGE(rtrs_read, "rtrs.read", "RTRS Read Request", RTRS_READ_LENGTH)

/* As many whole descriptors as there are, up to `count`. */
static void take_descriptors(struct parse *parse, uint64_t count)
{
	uint64_t present = parse->cursor.captured / RTRS_DESCRIPTOR_LENGTH;
	const uint8_t *bytes;

	if (count > present)
		count = present;
	if (count && parse_layer(parse, PROTOCOL_RTRS_DESC, (uint32_t)count * RTRS_DESCRIPTOR_LENGTH, &bytes) != OK)
		return;
}

static enum result parse_send(struct parse *parse)
{
	const uint8_t *message;
	enum result result;

	switch (parse->cursor.captured >= 2 ? little_bits(parse->cursor.next, RTRS_TYPE) : UINT64_MAX) {
	case RTRS_INFO_REQUEST: return parse_layer(parse, PROTOCOL_RTRS_INFO_REQ, RTRS_INFO_REQUEST_LENGTH, &message);
	case RTRS_INFO_RESPONSE:
		result = parse_layer(parse, PROTOCOL_RTRS_INFO_RSP, RTRS_INFO_RESPONSE_LENGTH, &message);
		if (result == OK)
			take_descriptors(parse, little_bits(message, RTRS_INFO_COUNT));
		break;
	case RTRS_RKEY: return parse_layer(parse, PROTOCOL_RTRS_RKEY_RSP, RTRS_RKEY_LENGTH, &message);
	default: result = OK;
	}
	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

/* The message of RTRS's user is RNBD's. */
static void begin_user(struct parse *parse, const struct rtrs_request *request)
{
	uint16_t protocol = request->user ? rnbd_protocol_of(request->user, request->user_length) : PROTOCOL_NONE;

	if (protocol == PROTOCOL_NONE)
		return;
	parse->cursor = (struct cursor){ request->user, request->user_length, request->user_length };
	parse->next = protocol;
}

/* Bytes that the client writes, before the header and the message. */
static void place_data(struct parse *parse, const uint8_t *begin, const struct rtrs_request *request)
{
	const uint8_t *end = request->user ? request->user : request->header;

	if (end > begin && parse->packet->layer_count < RTAP_MAX_LAYERS)
		parse_place_layer(parse, PROTOCOL_PAYLOAD, (uint32_t)(begin - parse->source_bytes), (uint32_t)(end - begin));
}

static enum result parse_request(struct parse *parse)
{
	const uint8_t *begin = parse->cursor.next;
	const struct rtap_ib_facts *ib = &parse->packet->ib;
	uint64_t total = parse->source || !ib->has_reth ? 0 : ib->dma_length;
	struct rtrs_request request;
	bool is_read;

	if (parse->cursor.captured < parse->cursor.wire ||
	    !rtrs_find_request(begin, parse->cursor.captured, total, ib->immediate, &request)) {
		parse->next = parse->cursor.wire ? PROTOCOL_PAYLOAD : PROTOCOL_NONE;
		return OK;
	}
	is_read = request.type == RTRS_READ;
	parse_place_layer(parse, is_read ? PROTOCOL_RTRS_READ : PROTOCOL_RTRS_WRITE, (uint32_t)(request.header - parse->source_bytes),
			  is_read ? RTRS_READ_LENGTH : RTRS_WRITE_LENGTH);
	if (request.descriptor_count)
		parse_place_layer(parse, PROTOCOL_RTRS_DESC, (uint32_t)(request.descriptors - parse->source_bytes),
				  request.descriptor_count * RTRS_DESCRIPTOR_LENGTH);
	begin_user(parse, &request);
	if (request.type == RTRS_WRITE)
		place_data(parse, begin, &request);
	return OK;
}

static void begin(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;

	packet->upper = RTAP_UPPER_RTRS;
	packet->request = parse->context->request;
	if (packet->ib.has_immediate)
		add_immediate(packet);
}

static enum result parse_any_send(struct parse *parse)
{
	begin(parse);
	return parse->cursor.wire ? parse_send(parse) : OK;
}

static enum result parse_any_write(struct parse *parse)
{
	begin(parse);
	if (parse->packet->ib.has_immediate && rtrs_immediate_type(parse->packet->ib.immediate) == RTRS_IMM_REQUEST)
		return parse_request(parse);
	parse->next = parse->cursor.wire ? PROTOCOL_PAYLOAD : PROTOCOL_NONE;
	return OK;
}

/* The start of every SEND; those that are no information request continue elsewhere. */
const struct protocol rtrs_info_req_protocol = {
	.table = { "rtrs.info_req", "RTRS Information Request", SECTION, RTRS_INFO_REQUEST_LENGTH, FIELDS(rtrs_info_req_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_any_send,
	.summary = summary_rtrs_info_req,
};

/* Likewise of every WRITE with immediate data. */
const struct protocol rtrs_write_protocol = {
	.table = { "rtrs.write", "RTRS Write Request", SECTION, RTRS_WRITE_LENGTH, FIELDS(rtrs_write_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_any_write,
	.summary = summary_rtrs_write,
};
