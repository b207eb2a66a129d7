/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of SMB 2 and 3, of each command of a compound, and the headers of encrypted and compressed messages. [MS-SMB2] 2.2.1, 2.2.41,
 * 2.2.42.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"
#include "dissect/engine/parse.h"
#include "dissect/smb/smb2_class.h"

#define TRANSFORM_LENGTH 52
#define COMPRESSION_LENGTH 16
#define SMB2_NEXT_AT 20
#define CHANNEL_SEQUENCE 64, 16
#define PROCESS_ID 256, 32

static bool is_response(const uint8_t *header)
{
	return little_bits(header, SMB2_FLAGS) & SMB2_IS_RESPONSE;
}

static bool is_async(const uint8_t *header)
{
	return little_bits(header, SMB2_FLAGS) & SMB2_IS_ASYNC;
}

/* Values that not all headers have. A header that was cut before its flags has none of them. */
static const uint8_t *whole(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer->length >= SMB2_HEADER_LENGTH ? layer_bytes(packet, layer) : NULL;
}

static bool derive_channel_sequence(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, CHANNEL_SEQUENCE) : 0;
	return header && !is_response(header);
}

static bool derive_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 10, 2 };
	return header && !is_response(header);
}

static bool derive_status(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, SMB2_STATUS) : 0;
	return header && is_response(header);
}

static bool derive_requested(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, SMB2_CREDITS) : 0;
	return header && !is_response(header);
}

static bool derive_granted(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, SMB2_CREDITS) : 0;
	return header && is_response(header);
}

static bool derive_async_id(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, SMB2_ASYNC_ID) : 0;
	return header && is_async(header);
}

static bool derive_process(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, PROCESS_ID) : 0;
	return header && !is_async(header);
}

static bool derive_tree(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = header ? little_bits(header, SMB2_TREE_ID) : 0;
	return header && !is_async(header);
}

/* The frame of the request, and the time since then: from the connection. */
static bool derive_response_to(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = packet->request.frame;
	return header && is_response(header) && packet->request.frame;
}

static bool derive_time(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *header = whole(packet, layer);

	value->number = (uint64_t)(packet->frame->time_ns - packet->request.time_ns);
	return header && is_response(header) && packet->request.frame;
}

#define SOMETIMES(name, label, place, show, flags, names, derive) \
	{ "smb2." name, label, place, show, RTAP_LITTLE | RTAP_SOMETIMES | (flags), names, derive, NULL }

static const struct rtap_field header_fields[] = {
	{ "smb2.protocol_id", "Protocol Id", 0, 32, RTAP_HEX, 0, NULL, NULL, NULL },
	SMB2_ROW("header_len", "Header Length", 4, 2, RTAP_DEC, NULL),
	SMB2_FLAGGED("credit.charge", "Credit Charge", 6, 2, RTAP_DEC, RTAP_IGNORED, NULL),
	SOMETIMES("channel_sequence", "Channel Sequence", CHANNEL_SEQUENCE, RTAP_DEC, RTAP_IGNORED, NULL, derive_channel_sequence),
	{ "smb2.reserved", "Reserved", 80, 16, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_reserved, NULL },
	SOMETIMES("nt_status", "NT Status", SMB2_STATUS, RTAP_HEX, RTAP_OPCODE, smb_status_names, derive_status),
	SMB2_FLAGGED("cmd", "Command", 12, 2, RTAP_DEC, RTAP_OPCODE, smb2_command_names),
	SOMETIMES("credits.requested", "Credits Requested", SMB2_CREDITS, RTAP_DEC, RTAP_IGNORED, NULL, derive_requested),
	SOMETIMES("credits.granted", "Credits Granted", SMB2_CREDITS, RTAP_DEC, RTAP_IGNORED, NULL, derive_granted),
	SMB2_FLAGGED("flags", "Flags", 16, 4, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("flags.response", "Response", 16, 0),
	SMB2_BIT("flags.async", "Asynchronous", 16, 1),
	SMB2_BIT("flags.chained", "Related", 16, 2),
	SMB2_BIT("flags.signature", "Signed", 16, 3),
	SMB2_BITS("flags.priority", "Priority", 16, 4, 3, RTAP_DEC),
	SMB2_BITS("flags.reserved", "Reserved", 16, 7, 21, RTAP_HEX),
	SMB2_BIT("flags.dfs", "DFS", 16, 28),
	SMB2_BIT("flags.replay", "Replay", 16, 29),
	SMB2_BITS("flags.reserved2", "Reserved", 16, 30, 2, RTAP_HEX),
	SMB2_ROW("chain_offset", "Next Command", 20, 4, RTAP_HEX, NULL),
	SMB2_FLAGGED("msg_id", "Message Id", 24, 8, RTAP_DEC, RTAP_IGNORED, NULL),
	SOMETIMES("aid", "Async Id", SMB2_ASYNC_ID, RTAP_HEX, RTAP_IGNORED, NULL, derive_async_id),
	SOMETIMES("pid", "Process Id", PROCESS_ID, RTAP_HEX, RTAP_IGNORED, NULL, derive_process),
	SOMETIMES("tid", "Tree Id", SMB2_TREE_ID, RTAP_HEX, RTAP_IS_CONTEXT, NULL, derive_tree),
	SMB2_FLAGGED("sesid", "Session Id", 40, 8, RTAP_HEX, RTAP_IS_SESSION, NULL),
	SMB2_GUID("signature", "Signature", 48, 0),
	{ "smb2.response_to", "Request in Frame", 0, 32, RTAP_DEC, RTAP_UNPLACED | RTAP_SOMETIMES | RTAP_IGNORED, NULL, derive_response_to, NULL },
	{ "smb2.time", "Time since Request", 0, 64, RTAP_SECONDS, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, derive_time, NULL },
};

/* The layer of a command's body. `size`: its first two bytes. */
static uint16_t body_protocol(uint16_t command, bool answers, uint32_t status, uint16_t size)
{
	static const uint16_t requests[SMB2_COMMAND_COUNT] = {
		[SMB2_NEGOTIATE] = PROTOCOL_SMB2_NEGOTIATE_REQUEST, [SMB2_SESSION_SETUP] = PROTOCOL_SMB2_SESSION_REQUEST,
		[SMB2_LOGOFF] = PROTOCOL_SMB2_EMPTY, [SMB2_TREE_CONNECT] = PROTOCOL_SMB2_TREE_REQUEST, [SMB2_TREE_DISCONNECT] = PROTOCOL_SMB2_EMPTY,
		[SMB2_CREATE] = PROTOCOL_SMB2_CREATE_REQUEST, [SMB2_CLOSE] = PROTOCOL_SMB2_CLOSE_REQUEST, [SMB2_FLUSH] = PROTOCOL_SMB2_FLUSH_REQUEST,
		[SMB2_READ] = PROTOCOL_SMB2_READ_REQUEST, [SMB2_WRITE] = PROTOCOL_SMB2_WRITE_REQUEST, [SMB2_LOCK] = PROTOCOL_SMB2_LOCK_REQUEST,
		[SMB2_IOCTL] = PROTOCOL_SMB2_IOCTL_REQUEST, [SMB2_CANCEL] = PROTOCOL_SMB2_EMPTY, [SMB2_ECHO] = PROTOCOL_SMB2_EMPTY,
		[SMB2_QUERY_DIRECTORY] = PROTOCOL_SMB2_DIRECTORY_REQUEST, [SMB2_CHANGE_NOTIFY] = PROTOCOL_SMB2_NOTIFY_REQUEST,
		[SMB2_QUERY_INFO] = PROTOCOL_SMB2_QUERY_REQUEST, [SMB2_SET_INFO] = PROTOCOL_SMB2_SET_REQUEST,
		[SMB2_OPLOCK_BREAK] = PROTOCOL_SMB2_OPLOCK_BREAK,
	};
	static const uint16_t responses[SMB2_COMMAND_COUNT] = {
		[SMB2_NEGOTIATE] = PROTOCOL_SMB2_NEGOTIATE_RESPONSE, [SMB2_SESSION_SETUP] = PROTOCOL_SMB2_SESSION_RESPONSE,
		[SMB2_LOGOFF] = PROTOCOL_SMB2_EMPTY, [SMB2_TREE_CONNECT] = PROTOCOL_SMB2_TREE_RESPONSE, [SMB2_TREE_DISCONNECT] = PROTOCOL_SMB2_EMPTY,
		[SMB2_CREATE] = PROTOCOL_SMB2_CREATE_RESPONSE, [SMB2_CLOSE] = PROTOCOL_SMB2_CLOSE_RESPONSE, [SMB2_FLUSH] = PROTOCOL_SMB2_EMPTY,
		[SMB2_READ] = PROTOCOL_SMB2_READ_RESPONSE, [SMB2_WRITE] = PROTOCOL_SMB2_WRITE_RESPONSE, [SMB2_LOCK] = PROTOCOL_SMB2_EMPTY,
		[SMB2_IOCTL] = PROTOCOL_SMB2_IOCTL_RESPONSE, [SMB2_CANCEL] = PROTOCOL_SMB2_EMPTY, [SMB2_ECHO] = PROTOCOL_SMB2_EMPTY,
		[SMB2_QUERY_DIRECTORY] = PROTOCOL_SMB2_OUTPUT_RESPONSE, [SMB2_CHANGE_NOTIFY] = PROTOCOL_SMB2_NOTIFY_RESPONSE,
		[SMB2_QUERY_INFO] = PROTOCOL_SMB2_OUTPUT_RESPONSE, [SMB2_SET_INFO] = PROTOCOL_SMB2_SET_RESPONSE,
		[SMB2_OPLOCK_BREAK] = PROTOCOL_SMB2_OPLOCK_BREAK,
	};
	/* statuses other than success with which the normal response of the command is sent: [MS-SMB2] 3.3.4.4 */
	bool has_body = (command == SMB2_SESSION_SETUP && status == SMB_MORE_PROCESSING_REQUIRED) || status == SMB_BUFFER_OVERFLOW ||
			(command == SMB2_CHANGE_NOTIFY && status == SMB_NOTIFY_ENUM_DIR);

	if (command >= SMB2_COMMAND_COUNT)
		return PROTOCOL_PAYLOAD;
	if (answers && status && size == 9 && !has_body)
		return PROTOCOL_SMB2_ERROR;
	if (command == SMB2_OPLOCK_BREAK && size != 24)
		return size == 44 ? PROTOCOL_SMB2_LEASE_BREAK : PROTOCOL_SMB2_LEASE_ACKNOWLEDGE;
	return (answers ? responses : requests)[command];
}

/* Commands before the current one in its message: they have the headers since that of SMB Direct. */
static uint32_t commands_before(const struct rtap_packet *packet)
{
	uint32_t count = 0;

	for (uint8_t i = packet->layer_count; i && packet->layers[i - 1].protocol != PROTOCOL_SMB_DIRECT; i--)
		count += packet->layers[i - 1].protocol == PROTOCOL_SMB2;
	return count - (count > 0);
}

/* The structures in a command's buffer. `body` begins with the body, whose layer is the last one. */
static void parse_buffer(struct parse *parse, const uint8_t *header, struct cursor body)
{
	const struct rtap_packet *packet = parse->packet;
	uint16_t protocol = packet->layers[packet->layer_count - 1].protocol;
	uint32_t unit = protocol == PROTOCOL_SMB2_OUTPUT_RESPONSE ? commands_before(packet) : 0, detail, offset, length;
	const uint8_t *bytes = body.next;

	if (protocol == PROTOCOL_SMB2_OUTPUT_RESPONSE && unit < PACKET_REQUEST_DETAILS)
		detail = parse->context->request.details[unit];
	else if (protocol == PROTOCOL_SMB2_SET_REQUEST)
		detail = (uint32_t)little_bits(bytes, 16, 16);
	else
		return;
	offset = (uint32_t)little_bits(bytes, protocol == PROTOCOL_SMB2_SET_REQUEST ? 64 : 16, 16);
	length = (uint32_t)little_bits(bytes, 32, 32);
	if (!detail || offset < SMB2_HEADER_LENGTH || cursor_take(&body, offset - SMB2_HEADER_LENGTH, &bytes) != OK)
		return;
	parse->cursor = body;
	if (length <= body.wire && !cursor_narrow(&parse->cursor, length))
		return;
	smb2_class_parse(parse, (uint16_t)little_bits(header, SMB2_COMMAND), detail);
}

/* Takes the body: all bytes up to the next command, or the end. */
static enum result parse_body(struct parse *parse, const uint8_t *header, uint32_t length)
{
	struct cursor rest = parse->cursor, body;
	const uint8_t *bytes = rest.next;
	uint16_t size = rest.captured >= 2 ? (uint16_t)little_bits(bytes, 0, 16) : 0, protocol;
	uint32_t fixed;
	enum result result;

	protocol = body_protocol((uint16_t)little_bits(header, SMB2_COMMAND), is_response(header), (uint32_t)little_bits(header, SMB2_STATUS), size);
	fixed = protocol_by_number(protocol)->table.length;
	if (!cursor_narrow(&parse->cursor, length))
		return MALFORMED;
	body = parse->cursor;
	/* bytes truncated after the fixed part are reported where they are shown */
	result = parse_layer(parse, protocol, parse->cursor.captured > fixed ? parse->cursor.captured : fixed, &bytes);
	if (result != OK)
		return result;
	parse_buffer(parse, header, body);
	parse->cursor = rest;
	return cursor_take(&parse->cursor, length, &bytes);
}

static enum result parse_header(struct parse *parse)
{
	const uint8_t *header;
	uint32_t id = parse->cursor.captured >= 4 ? load32(parse->cursor.next) : SMB_ID, next, length;
	enum result result;

	if (id != SMB_ID) {
		parse->next = id == SMB_ID_ENCRYPTED ? PROTOCOL_SMB2_TRANSFORM : id == SMB_ID_COMPRESSED ? PROTOCOL_SMB2_COMPRESSION : PROTOCOL_PAYLOAD;
		return OK;
	}
	result = parse_layer(parse, PROTOCOL_SMB2, SMB2_HEADER_LENGTH, &header);
	if (result != OK)
		return result;
	next = (uint32_t)little_bits(header, SMB2_NEXT);
	length = next ? next - SMB2_HEADER_LENGTH : parse->cursor.wire;
	if (next && (next < SMB2_HEADER_LENGTH || length > parse->cursor.wire)) {
		parse_anomaly(parse, next < SMB2_HEADER_LENGTH ? RTAP_ANOMALY_LENGTH_TOO_SHORT : RTAP_ANOMALY_LENGTH_BEYOND_PLACE,
			      parse_offset(parse) - SMB2_HEADER_LENGTH + SMB2_NEXT_AT);
		next = 0;
		length = parse->cursor.wire;
	}
	result = parse_body(parse, header, length);
	if (result == OK && next)
		parse->next = PROTOCOL_SMB2;
	return result;
}

#define STATUS "STATUS_" /* before all names but "OK" */

/* The path of the file that a request names by its id, if known. */
static void summary_path(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	char *begin;

	for (uint8_t i = 0; i < packet->path_count; i++) {
		const struct packet_path *path = &packet->paths.list[i];

		if (path->layer != layer - packet->layers)
			continue;
		line_char(line, ' ');
		begin = line->next;
		line_bytes(line, packet->paths.text + path->at, path->length);
		line_name_add(line, begin);
	}
}

static void summary_header(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);
	bool is_first = layer == packet->layers || (layer[-1].protocol < PROTOCOL_SMB2_NEGOTIATE_REQUEST || layer[-1].protocol > PROTOCOL_SMB2_ERROR);
	const char *name;
	uint32_t status;
	char *begin;

	line_text(line, is_first ? ": SMB2 " : "; ");
	if (layer->length < SMB2_HEADER_LENGTH)
		return;
	begin = line->next;
	name = rtap_name_of(smb2_command_names, little_bits(header, SMB2_COMMAND));
	if (name)
		line_text(line, name);
	else
		line_hex(line, little_bits(header, SMB2_COMMAND), 4);
	if (is_response(header)) {
		status = (uint32_t)little_bits(header, SMB2_STATUS);
		name = status ? rtap_name_of(smb_status_names, status) : "OK";
		line_char(line, ' ');
		if (name)
			line_text(line, name);
		else
			line_hex(line, status, 8);
		if (name && status)
			line_spare_within(line, line->next - strlen(name), line->next - strlen(name) + strlen(STATUS), LINE_SPARE_LOWER);
	} else {
		summary_path(packet, layer, line);
	}
	if (!is_first)
		line_spare(line, begin, LINE_SPARE_MORE);
}

const struct protocol smb2_protocol = {
	.table = { "smb2", "SMB2 Header", "[MS-SMB2] 2.2.1", SMB2_HEADER_LENGTH, FIELDS(header_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_header,
	.summary = summary_header,
};

/* Header of an encrypted message: [MS-SMB2] 2.2.41. */
static const struct rtap_field transform_fields[] = {
	{ "smb2.protocol_id", "Protocol Id", 0, 32, RTAP_HEX, 0, NULL, NULL, NULL },
	SMB2_GUID("header.transform.signature", "Signature", 4, 0),
	SMB2_GUID("header.transform.nonce", "Nonce", 20, 0),
	SMB2_ROW("header.transform.msg_size", "Message Size", 36, 4, RTAP_DEC, NULL),
	SMB2_RESERVED("header.transform.reserved", 40, 2),
	SMB2_FLAGGED("header.transform.flags", "Flags", 42, 2, RTAP_HEX, RTAP_PARTS, NULL),
	SMB2_BIT("header.transform.flags.encrypted", "Encrypted", 42, 0),
	SMB2_BITS("header.transform.flags.reserved", "Reserved", 42, 1, 15, RTAP_HEX),
	SMB2_FLAGGED("sesid", "Session Id", 44, 8, RTAP_HEX, RTAP_IS_SESSION, NULL),
};

static enum result parse_opaque(struct parse *parse, uint16_t protocol, uint32_t length)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, protocol, length, &header);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static enum result parse_transform(struct parse *parse)
{
	return parse_opaque(parse, PROTOCOL_SMB2_TRANSFORM, TRANSFORM_LENGTH);
}

static void summary_transform(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": SMB2 encrypted");
	if (layer->length < TRANSFORM_LENGTH)
		return;
	line_text(line, ", ");
	line_count(line, little_bits(layer_bytes(packet, layer), 288, 32), "byte", "bytes");
}

const struct protocol smb2_transform_protocol = {
	.table = { "smb2.header.transform", "SMB2 Transform Header", "[MS-SMB2] 2.2.41", TRANSFORM_LENGTH, FIELDS(transform_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_transform,
	.summary = summary_transform,
};

/* Header of a compressed message: [MS-SMB2] 2.2.42. */
static const struct rtap_name compression_names[] = {
	{ 0, "none" }, { 1, "LZNT1" }, { 2, "LZ77" }, { 3, "LZ77+Huffman" }, { 4, "Pattern_V1" }, { 5, "LZ4" }, { 0, NULL },
};

static const struct rtap_name compression_flag_names[] = { { 0, "not chained" }, { 1, "chained" }, { 0, NULL } };

static const struct rtap_field compression_fields[] = {
	{ "smb2.protocol_id", "Protocol Id", 0, 32, RTAP_HEX, 0, NULL, NULL, NULL },
	SMB2_ROW("header.comp_transform.original_size", "Original Size", 4, 4, RTAP_DEC, NULL),
	SMB2_ROW("header.comp_transform.comp_alg", "Compression Algorithm", 8, 2, RTAP_HEX, compression_names),
	SMB2_ROW("header.comp_transform.flags", "Flags", 10, 2, RTAP_HEX, compression_flag_names),
	SMB2_ROW("header.comp_transform.offset", "Offset or Length", 12, 4, RTAP_HEX, NULL),
};

static enum result parse_compression(struct parse *parse)
{
	return parse_opaque(parse, PROTOCOL_SMB2_COMPRESSION, COMPRESSION_LENGTH);
}

static void summary_compression(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)packet, (void)layer;
	line_text(line, ": SMB2 compressed");
}

const struct protocol smb2_compression_protocol = {
	.table = { "smb2.header.comp_transform", "SMB2 Compression Transform Header", "[MS-SMB2] 2.2.42", COMPRESSION_LENGTH, FIELDS(compression_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_compression,
	.summary = summary_compression,
};
