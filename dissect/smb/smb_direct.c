/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SMB Direct: negotiation of a connection, and transfers: a header and a fragment of an SMB message, or credits only. [MS-SMBD] 2.2.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/smb/smb.h"
#include "dissect/smb/smb_direct.h"

#define LEAST_RECEIVE 128        /* [MS-SMBD] 3.1.5.2 */
#define LEAST_FRAGMENTED 131072
#define MAX_FRAGMENTED 128, 32   /* of the request */

static bool is_request(const uint8_t *bytes)
{
	return little_bits(bytes, 0, 16) == SMB_DIRECT_VERSION && little_bits(bytes, 16, 16) >= SMB_DIRECT_VERSION &&
	       little_bits(bytes, SMB_DIRECT_REQUEST_CREDITS) && little_bits(bytes, MAX_FRAGMENTED);
}

/* The data of a transfer of 32 bytes begins at 24, which no status of a response is. */
static bool is_response(const uint8_t *bytes)
{
	return little_bits(bytes, 0, 16) == SMB_DIRECT_VERSION && little_bits(bytes, 16, 16) >= SMB_DIRECT_VERSION &&
	       (little_bits(bytes, 96, 32) >> 30 == 3 || !little_bits(bytes, 96, 32));
}

bool smb_direct_is_placed(const uint8_t *header, uint32_t wire)
{
	uint64_t offset = little_bits(header, SMB_DIRECT_OFFSET), length = little_bits(header, SMB_DIRECT_DATA_LENGTH);

	return length ? offset >= SMB_DIRECT_LEAST_OFFSET && offset % 8 == 0 && offset + length <= wire : !offset;
}

static bool is_transfer(const uint8_t *bytes, uint32_t wire)
{
	return smb_direct_is_placed(bytes, wire) && (little_bits(bytes, SMB_DIRECT_DATA_LENGTH) ||
						     (!little_bits(bytes, SMB_DIRECT_REMAINING) && wire < SMB_DIRECT_LEAST_OFFSET));
}

/* Whether the message can only be a transfer, by its length, and its data is where no data may be. */
static bool is_misplaced(const uint8_t *bytes, uint32_t captured, uint32_t wire)
{
	return captured >= SMB_DIRECT_LENGTH && wire > SMB_DIRECT_RESPONSE_LENGTH && !smb_direct_is_placed(bytes, wire);
}

/*
 * On a connection of SMB Direct: a SEND of the length of a negotiation that is no transfer, not even one with a wrong field. A request has its sizes where
 * a transfer of 20 bytes has three zeros; a response has its status where a transfer has the offset of its data.
 */
static bool is_negotiation(const uint8_t *bytes, uint32_t wire)
{
	unsigned sizes = 0;

	if (is_transfer(bytes, wire))
		return false;
	for (unsigned at = 64; at < 160; at += 32)
		sizes += little_bits(bytes, at, 32) != 0;
	return wire == SMB_DIRECT_REQUEST_LENGTH ? sizes > 1 : little_bits(bytes, 96, 32) >> 30 == 3 || !little_bits(bytes, 96, 32);
}

/* Which of its three layouts a SEND of SMB Direct has; PROTOCOL_NONE: none. `length`: bytes on the wire. is_known: of a connection of SMB Direct. */
static uint16_t smb_direct_layout(const uint8_t *bytes, uint32_t captured, uint32_t length, bool is_known)
{
	if (length == SMB_DIRECT_REQUEST_LENGTH && captured >= SMB_DIRECT_REQUEST_LENGTH && (is_request(bytes) || (is_known && is_negotiation(bytes, length))))
		return PROTOCOL_SMB_DIRECT_REQUEST;
	if (length == SMB_DIRECT_RESPONSE_LENGTH && captured >= SMB_DIRECT_RESPONSE_LENGTH && (is_response(bytes) || (is_known && is_negotiation(bytes, length))))
		return PROTOCOL_SMB_DIRECT_RESPONSE;
	if (captured < SMB_DIRECT_LENGTH)
		return length < SMB_DIRECT_LENGTH ? PROTOCOL_NONE : PROTOCOL_SMB_DIRECT;
	return is_transfer(bytes, length) ? PROTOCOL_SMB_DIRECT : PROTOCOL_NONE;
}

/* Receivers ignore reserved bits; what is to be recognised by its content has to be as it is sent. */
static bool has_reserved(const uint8_t *bytes, uint16_t layout)
{
	switch (layout) {
	case PROTOCOL_SMB_DIRECT_REQUEST: return little_bits(bytes, 32, 16);
	case PROTOCOL_SMB_DIRECT_RESPONSE: return little_bits(bytes, 48, 16);
	default: return little_bits(bytes, SMB_DIRECT_RESERVED) || little_bits(bytes, SMB_DIRECT_FLAGS) & ~UINT64_C(1);
	}
}

/* A transfer with a message of SMB, whose header the first bytes begin. */
static bool is_message(const struct cursor *payload)
{
	const uint8_t *bytes = payload->next, *message = bytes + SMB_DIRECT_LEAST_OFFSET;

	if (payload->captured < SMB_DIRECT_LEAST_OFFSET + 6 || little_bits(bytes, SMB_DIRECT_OFFSET) != SMB_DIRECT_LEAST_OFFSET ||
	    !is_transfer(bytes, payload->wire) || has_reserved(bytes, PROTOCOL_SMB_DIRECT))
		return false;
	return load32(message) == SMB_ID ? little_bits(message, SMB2_HEADER_SIZE) == SMB2_HEADER_LENGTH : smb_is_id(load32(message));
}

bool smb_direct_recognise(const struct cursor *payload)
{
	const uint8_t *bytes = payload->next;
	uint16_t layout;

	if (payload->wire != SMB_DIRECT_REQUEST_LENGTH && payload->wire != SMB_DIRECT_RESPONSE_LENGTH)
		return is_message(payload);
	if (payload->captured < SMB_DIRECT_LENGTH)
		return false;
	layout = smb_direct_layout(bytes, payload->captured, payload->wire, false);
	if (has_reserved(bytes, layout))
		return false;
	switch (layout) {
	case PROTOCOL_SMB_DIRECT_REQUEST:
		return little_bits(bytes, 96, 32) >= LEAST_RECEIVE && little_bits(bytes, MAX_FRAGMENTED) >= LEAST_FRAGMENTED;
	case PROTOCOL_SMB_DIRECT_RESPONSE:
		return little_bits(bytes, 32, 16) == SMB_DIRECT_VERSION && little_bits(bytes, SMB_DIRECT_RESPONSE_GRANTED) &&
		       little_bits(bytes, 192, 32) >= LEAST_RECEIVE && little_bits(bytes, 224, 32) >= LEAST_FRAGMENTED;
	case PROTOCOL_SMB_DIRECT: return is_message(payload);
	default: return false;
	}
}

#define AT(bit, width) bit, width
#define ROW(name, label, place, show, flags, names) { "smb_direct." name, label, place, show, RTAP_LITTLE | (flags), names, NULL, NULL }

static const struct rtap_field request_fields[] = {
	ROW("version.min", "Lowest Version", AT(0, 16), RTAP_HEX, RTAP_OPCODE, NULL),
	ROW("version.max", "Highest Version", AT(16, 16), RTAP_HEX, 0, NULL),
	ROW("negotiate.reserved", "Reserved", AT(32, 16), RTAP_HEX, 0, NULL),
	ROW("credits.requested", "Credits Requested", SMB_DIRECT_REQUEST_CREDITS, RTAP_DEC, RTAP_IGNORED, NULL),
	ROW("preferred_send_size", "Preferred Send Size", AT(64, 32), RTAP_DEC, 0, NULL),
	ROW("max_receive_size", "Maximum Receive Size", AT(96, 32), RTAP_DEC, 0, NULL),
	ROW("max_fragmented_size", "Maximum Fragmented Size", MAX_FRAGMENTED, RTAP_DEC, 0, NULL),
};

static const struct rtap_field response_fields[] = {
	ROW("version.min", "Lowest Version", AT(0, 16), RTAP_HEX, RTAP_OPCODE, NULL),
	ROW("version.max", "Highest Version", AT(16, 16), RTAP_HEX, 0, NULL),
	ROW("version.negotiated", "Negotiated Version", AT(32, 16), RTAP_HEX, 0, NULL),
	ROW("negotiate.reserved", "Reserved", AT(48, 16), RTAP_HEX, 0, NULL),
	ROW("credits.requested", "Credits Requested", AT(64, 16), RTAP_DEC, RTAP_IGNORED, NULL),
	ROW("credits.granted", "Credits Granted", SMB_DIRECT_RESPONSE_GRANTED, RTAP_DEC, RTAP_IGNORED, NULL),
	ROW("status", "Status", AT(96, 32), RTAP_HEX, 0, smb_status_names),
	ROW("max_read_write_size", "Maximum Read or Write Size", AT(128, 32), RTAP_DEC, 0, NULL),
	ROW("preferred_send_size", "Preferred Send Size", AT(160, 32), RTAP_DEC, 0, NULL),
	ROW("max_receive_size", "Maximum Receive Size", AT(192, 32), RTAP_DEC, 0, NULL),
	ROW("max_fragmented_size", "Maximum Fragmented Size", AT(224, 32), RTAP_DEC, 0, NULL),
};

static const struct rtap_field transfer_fields[] = {
	ROW("credits.requested", "Credits Requested", SMB_DIRECT_CREDITS_REQUESTED, RTAP_DEC, RTAP_IGNORED, NULL),
	ROW("credits.granted", "Credits Granted", SMB_DIRECT_CREDITS_GRANTED, RTAP_DEC, RTAP_IGNORED, NULL),
	ROW("flags", "Flags", SMB_DIRECT_FLAGS, RTAP_HEX, RTAP_PARTS | RTAP_IGNORED, NULL),
	ROW("flags.response_requested", "Response Requested", AT(32, 1), RTAP_BOOL, RTAP_IGNORED, NULL),
	ROW("flags.reserved", "Reserved", AT(33, 15), RTAP_HEX, 0, NULL),
	ROW("reserved", "Reserved", SMB_DIRECT_RESERVED, RTAP_HEX, 0, NULL),
	ROW("remaining_length", "Remaining Length", SMB_DIRECT_REMAINING, RTAP_DEC, 0, NULL),
	ROW("data_offset", "Data Offset", SMB_DIRECT_OFFSET, RTAP_DEC, 0, NULL),
	ROW("data_length", "Data Length", SMB_DIRECT_DATA_LENGTH, RTAP_DEC, 0, NULL),
};

static enum result parse_negotiation(struct parse *parse, uint16_t protocol, uint32_t length)
{
	const uint8_t *bytes;
	enum result result = parse_layer(parse, protocol, length, &bytes);

	if (result == OK && parse->cursor.wire)
		parse->next = PROTOCOL_PAYLOAD;
	return result;
}

static enum result parse_request(struct parse *parse)
{
	return parse_negotiation(parse, PROTOCOL_SMB_DIRECT_REQUEST, SMB_DIRECT_REQUEST_LENGTH);
}

static enum result parse_response(struct parse *parse)
{
	return parse_negotiation(parse, PROTOCOL_SMB_DIRECT_RESPONSE, SMB_DIRECT_RESPONSE_LENGTH);
}

static void summary_request(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": SMB Direct negotiate");
	if (layer->length < SMB_DIRECT_REQUEST_LENGTH)
		return;
	line_text(line, ", asks for ");
	line_count(line, little_bits(layer_bytes(packet, layer), SMB_DIRECT_REQUEST_CREDITS), "credit", "credits");
}

static void summary_response(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	line_text(line, ": SMB Direct negotiate response");
	if (layer->length < SMB_DIRECT_RESPONSE_LENGTH)
		return;
	line_text(line, ", grants ");
	line_count(line, little_bits(layer_bytes(packet, layer), SMB_DIRECT_RESPONSE_GRANTED), "credit", "credits");
}

const struct protocol smb_direct_request_protocol = {
	.table = { "smb_direct.negotiate_request", "SMB Direct Negotiate Request", "[MS-SMBD] 2.2.1", SMB_DIRECT_REQUEST_LENGTH, FIELDS(request_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_request,
	.summary = summary_request,
};

const struct protocol smb_direct_response_protocol = {
	.table = { "smb_direct.negotiate_response", "SMB Direct Negotiate Response", "[MS-SMBD] 2.2.2", SMB_DIRECT_RESPONSE_LENGTH,
		FIELDS(response_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_response,
	.summary = summary_response,
};

/* A message of several fragments is shown with the one that completes it. Else only a fragment that is a message is dissected. */
static enum result parse_data(struct parse *parse, const uint8_t *header)
{
	uint32_t length = (uint32_t)little_bits(header, SMB_DIRECT_DATA_LENGTH);
	uint32_t before = (uint32_t)little_bits(header, SMB_DIRECT_OFFSET) - SMB_DIRECT_LENGTH;
	const struct rtap_span whole = parse->context->chunk;
	const uint8_t *unused;
	enum result result;

	if (!length)
		return OK;
	result = cursor_take(&parse->cursor, before, &unused);
	if (result != OK)
		return result;
	if (whole.bytes) {
		parse->next = parse_enter(parse, whole) ? PROTOCOL_SMB2 : PROTOCOL_PAYLOAD;
		return OK;
	}
	parse_narrow(parse, length, parse_offset(parse));
	if (!little_bits(header, SMB_DIRECT_REMAINING) && parse->cursor.captured >= 4 && smb_is_id(load32(parse->cursor.next)))
		parse->next = PROTOCOL_SMB2;
	else
		parse->next = PROTOCOL_PAYLOAD;
	return OK;
}

/* The start of every SEND; negotiations continue in their own protocols. */
static enum result parse_transfer(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	bool is_known = parse->context->upper == RTAP_UPPER_SMB_DIRECT;
	uint16_t layout = smb_direct_layout(parse->cursor.next, parse->cursor.captured, parse->cursor.wire, is_known);
	const uint8_t *header;
	enum result result;

	packet->request = parse->context->request;
	if (layout == PROTOCOL_NONE && is_known && is_misplaced(parse->cursor.next, parse->cursor.captured, parse->cursor.wire)) {
		packet->upper = RTAP_UPPER_SMB_DIRECT;
		result = parse_layer(parse, PROTOCOL_SMB_DIRECT, SMB_DIRECT_LENGTH, &header);
		parse_anomaly(parse, RTAP_ANOMALY_MALFORMED, parse_offset(parse));
		parse->next = PROTOCOL_PAYLOAD;
		return result;
	}
	if (layout == PROTOCOL_NONE) {
		parse->next = parse->cursor.wire ? PROTOCOL_PAYLOAD : PROTOCOL_NONE;
		return OK;
	}
	packet->upper = RTAP_UPPER_SMB_DIRECT;
	if (layout != PROTOCOL_SMB_DIRECT) {
		parse->next = layout;
		return OK;
	}
	result = parse_layer(parse, PROTOCOL_SMB_DIRECT, SMB_DIRECT_LENGTH, &header);
	return result == OK ? parse_data(parse, header) : result;
}

static void summary_transfer(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *after = layer_after(packet, layer);
	const uint8_t *header = layer_bytes(packet, layer);

	if (after && after->protocol != PROTOCOL_PAYLOAD)
		return;
	line_text(line, ": SMB Direct");
	if (layer->length < SMB_DIRECT_LENGTH)
		return;
	if (little_bits(header, SMB_DIRECT_DATA_LENGTH)) {
		line_char(line, ' ');
		line_dec(line, little_bits(header, SMB_DIRECT_DATA_LENGTH));
		line_text(line, " B, ");
		line_dec(line, little_bits(header, SMB_DIRECT_REMAINING));
		line_text(line, " B follow");
	} else {
		line_text(line, " grants ");
		line_count(line, little_bits(header, SMB_DIRECT_CREDITS_GRANTED), "credit", "credits");
	}
}

const struct protocol smb_direct_protocol = {
	.table = { "smb_direct", "SMB Direct Data Transfer", "[MS-SMBD] 2.2.3", SMB_DIRECT_LENGTH, FIELDS(transfer_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_transfer,
	.summary = summary_transfer,
};
