/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages of in-band authentication, which Authentication Send and Receive carry: AUTH_Negotiate and those of DH-HMAC-CHAP. Base 2.0, 8.13.
 */
#include "config.h"

#include "dissect/nvme/nvme_structure.h"

#define HEADER 6             /* bytes of all messages */
#define MESSAGE_ID 1
#define DESCRIPTOR 64        /* of an authentication protocol */
#define HASH_COUNT 2
#define GROUP_COUNT 3
#define HASHES 4
#define GROUPS 34
#define MOST_IDENTIFIERS 30  /* of hash functions, and of groups */
/* Of messages with values, after the header. */
#define BODY 10
#define VALUE_LENGTH 0
#define HAS_VALUE 2
#define KEY_LENGTH 32, 16

enum { NEGOTIATE = 0x00, CHALLENGE = 0x01, REPLY = 0x02, SUCCESS1 = 0x03, SUCCESS2 = 0x04, FAILURE2 = 0xf0, FAILURE1 = 0xf1 };

static const struct rtap_name type_names[] = { { 0, "common message" }, { 1, "DH-HMAC-CHAP" }, { 0, NULL } };

static const struct rtap_name message_names[] = {
	{ NEGOTIATE, "AUTH_Negotiate" }, { CHALLENGE, "DH-HMAC-CHAP_Challenge" }, { REPLY, "DH-HMAC-CHAP_Reply" },
	{ SUCCESS1, "DH-HMAC-CHAP_Success1" }, { SUCCESS2, "DH-HMAC-CHAP_Success2" }, { FAILURE2, "AUTH_Failure2" },
	{ FAILURE1, "AUTH_Failure1" }, { 0, NULL },
};

static const struct rtap_field auth_fields[] = {
	NVME_ROW("nvme.auth.type", "Authentication Type", NVME_BYTES(0, 1), RTAP_HEX, type_names),
	NVME_ROW("nvme.auth.id", "Message", NVME_BYTES(1, 1), RTAP_HEX, message_names),
	NVME_RESERVED("nvme.auth.rsvd2", NVME_BYTES(2, 2)),
	{ "nvme.auth.tid", "Transaction Identifier", NVME_BYTES(4, 2), RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
};

static uint16_t body_of(uint8_t message)
{
	switch (message) {
	case NEGOTIATE: return PROTOCOL_NVME_AUTH_NEGOTIATE;
	case CHALLENGE: return PROTOCOL_NVME_AUTH_CHALLENGE;
	case REPLY: return PROTOCOL_NVME_AUTH_REPLY;
	case SUCCESS1: return PROTOCOL_NVME_AUTH_SUCCESS1;
	case SUCCESS2: return PROTOCOL_NVME_AUTH_SUCCESS2;
	case FAILURE1: case FAILURE2: return PROTOCOL_NVME_AUTH_FAILURE;
	default: return PROTOCOL_PAYLOAD;
	}
}

static enum result parse_auth(struct parse *parse)
{
	uint16_t next = parse->cursor.captured >= HEADER ? body_of(parse->cursor.next[MESSAGE_ID]) : PROTOCOL_PAYLOAD;

	return structure_parse(parse, PROTOCOL_NVME_AUTH, HEADER, next);
}

static void summary_auth(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length >= HEADER ? rtap_name_of(message_names, layer_bytes(packet, layer)[MESSAGE_ID]) : NULL;

	line_text(line, ": ");
	line_text(line, name ? name : "NVMe authentication message");
}

const struct protocol nvme_auth_protocol = {
	.table = { "nvme.auth", "NVMe Authentication Message", "Base 2.0, 8.13.4", HEADER, FIELDS(auth_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_auth,
	.summary = summary_auth,
};

/* AUTH_Negotiate: one descriptor follows for each protocol. */
static const struct rtap_name channel_names[] = {
	{ 0, "no secure channel" }, { 1, "secure channel" }, { 2, "new TLS PSK" }, { 3, "replaced TLS PSK" }, { 0, NULL },
};

static const struct rtap_field auth_negotiate_fields[] = {
	NVME_ROW("nvme.auth.negotiate.sc_c", "Secure Channel Concatenation", NVME_BYTES(0, 1), RTAP_HEX, channel_names),
	NVME_ROW("nvme.auth.negotiate.napd", "Number of Protocol Descriptors", NVME_BYTES(1, 1), RTAP_DEC, NULL),
};

#define AUTH_PROTOCOL(name, identifier, filter, label, section, length, parse_it, visit_it) \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, length, FIELDS(name##_fields) }, \
		.scope = SCOPE_CALL, \
		.parse = parse_it, \
		.visit = visit_it, \
	};

static enum result parse_negotiate(struct parse *parse)
{
	return structure_parse(parse, PROTOCOL_NVME_AUTH_NEGOTIATE, 2, PROTOCOL_NVME_AUTH_DESCRIPTORS);
}

AUTH_PROTOCOL(auth_negotiate, AUTH_NEGOTIATE, "nvme.auth.negotiate", "NVMe AUTH_Negotiate", "Base 2.0, 8.13.4", 2, parse_negotiate, NULL)

static const struct rtap_name protocol_names[] = { { 1, "DH-HMAC-CHAP" }, { 0, NULL } };
static const struct rtap_name hash_names[] = { { 1, "SHA-256" }, { 2, "SHA-384" }, { 3, "SHA-512" }, { 0, NULL } };
static const struct rtap_name group_names[] = {
	{ 0, "NULL" }, { 1, "ffdhe2048" }, { 2, "ffdhe3072" }, { 3, "ffdhe4096" }, { 4, "ffdhe6144" }, { 5, "ffdhe8192" }, { 0, NULL },
};

enum { ROW_HASH = 5, ROW_GROUP };

static const struct rtap_field auth_descriptors_fields[] = {
	NVME_EACH("nvme.auth.negotiate.authid", "Protocol", NVME_BYTES(0, 1), RTAP_HEX, protocol_names),
	NVME_EACH_RESERVED("nvme.auth.negotiate.rsvd1", NVME_BYTES(1, 1)),
	NVME_EACH("nvme.auth.negotiate.halen", "Number of Hash Functions", NVME_BYTES(HASH_COUNT, 1), RTAP_DEC, NULL),
	NVME_EACH("nvme.auth.negotiate.dhlen", "Number of Diffie-Hellman Groups", NVME_BYTES(GROUP_COUNT, 1), RTAP_DEC, NULL),
	{ "nvme.auth.negotiate.idlist", "Identifiers", NVME_BYTES(HASHES, 60), RTAP_BYTES, RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_HASH] = { "nvme.auth.negotiate.hashid", "Hash Function", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS | RTAP_COMPARED, hash_names,
		       NULL, NULL },
	[ROW_GROUP] = { "nvme.auth.negotiate.dhgid", "Diffie-Hellman Group", 0, 8, RTAP_DEC, RTAP_UNPLACED | RTAP_REPEATS, group_names, NULL, NULL },
};

static enum result parse_descriptors(struct parse *parse)
{
	return structure_parse_elements(parse, PROTOCOL_NVME_AUTH_DESCRIPTORS, DESCRIPTOR, true);
}

static void visit_identifiers(const struct rtap_layer *unit, const uint8_t *descriptor, struct rtap_visitor *visitor, uint8_t count, uint32_t at,
			      size_t row)
{
	for (uint32_t i = 0; i < count && i < MOST_IDENTIFIERS; i++)
		visit_field(visitor, unit, PROTOCOL_NVME_AUTH_DESCRIPTORS, row, &(struct rtap_value){ .number = descriptor[at + i] },
			    unit->offset + at + i, 1);
}

static void visit_descriptors(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	struct rtap_layer unit = *layer;

	for (uint32_t at = 0; at + DESCRIPTOR <= layer->length; at += DESCRIPTOR) {
		const uint8_t *descriptor = layer_bytes(packet, layer) + at;

		unit.offset = layer->offset + at;
		unit.length = DESCRIPTOR;
		visit_unit(packet, &unit, visitor);
		visit_identifiers(&unit, descriptor, visitor, descriptor[HASH_COUNT], HASHES, ROW_HASH);
		visit_identifiers(&unit, descriptor, visitor, descriptor[GROUP_COUNT], GROUPS, ROW_GROUP);
	}
}

const struct protocol nvme_auth_descriptors_protocol = {
	.table = { "nvme.auth.negotiate.descriptor", "NVMe Authentication Protocols", "Base 2.0, 8.13.5.2", DESCRIPTOR,
		   FIELDS(auth_descriptors_fields), .in_units = true },
	.scope = SCOPE_CALL,
	.parse = parse_descriptors,
	.visit = visit_descriptors,
};

/* The values after the body of a message are rows of its table from ROW_VALUES on. */
struct part {
	uint32_t length;
	size_t row;
};

/* Bytes of `length` after the body, as far as the message has them. */
static enum result parse_values(struct parse *parse, uint16_t protocol, unsigned values, bool has_key)
{
	const uint8_t *body = parse->cursor.next;
	uint32_t length = BODY;

	if (parse->cursor.captured >= BODY)
		length += values * body[VALUE_LENGTH] + (has_key ? (uint32_t)little_bits(body, KEY_LENGTH) : 0);
	return structure_parse(parse, protocol, length, PROTOCOL_PAYLOAD);
}

static void visit_values(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, const struct part *parts,
			 size_t count)
{
	uint32_t at = BODY;

	for (size_t i = 0; i < count; at += parts[i++].length)
		if (parts[i].length && at + parts[i].length <= layer->length)
			visit_field(visitor, layer, layer->protocol, parts[i].row,
				    &(struct rtap_value){ .data = { layer_bytes(packet, layer) + at, parts[i].length } }, layer->offset + at,
				    parts[i].length);
}

#define VALUE_ROW(name, label) { name, label, 0, 8, RTAP_BYTES, RTAP_UNPLACED | RTAP_IGNORED, NULL, NULL, NULL }

enum { CHALLENGE_VALUE = 6, CHALLENGE_KEY };

static const struct rtap_field auth_challenge_fields[] = {
	NVME_ROW("nvme.auth.challenge.hl", "Hash Length", NVME_BYTES(VALUE_LENGTH, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.auth.challenge.rsvd7", NVME_BYTES(1, 1)),
	{ "nvme.auth.challenge.hashid", "Hash Function", NVME_BYTES(2, 1), RTAP_DEC, RTAP_LITTLE | RTAP_COMPARED, hash_names, NULL, NULL },
	NVME_ROW("nvme.auth.challenge.dhgid", "Diffie-Hellman Group", NVME_BYTES(3, 1), RTAP_DEC, group_names),
	NVME_ROW("nvme.auth.challenge.dhvlen", "Length of the Diffie-Hellman Value", KEY_LENGTH, RTAP_DEC, NULL),
	{ "nvme.auth.challenge.seqnum", "Sequence Number", NVME_BYTES(6, 4), RTAP_DEC, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	[CHALLENGE_VALUE] = VALUE_ROW("nvme.auth.challenge.cval", "Challenge Value C1"),
	[CHALLENGE_KEY] = VALUE_ROW("nvme.auth.challenge.dhv", "Diffie-Hellman Value of the Controller"),
};

static enum result parse_challenge(struct parse *parse)
{
	return parse_values(parse, PROTOCOL_NVME_AUTH_CHALLENGE, 1, true);
}

static void visit_challenge(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *body = layer_bytes(packet, layer);

	if (layer->length >= BODY)
		visit_values(packet, layer, visitor, (const struct part[]){
			{ body[VALUE_LENGTH], CHALLENGE_VALUE }, { (uint32_t)little_bits(body, KEY_LENGTH), CHALLENGE_KEY } }, 2);
}

AUTH_PROTOCOL(auth_challenge, AUTH_CHALLENGE, "nvme.auth.challenge", "NVMe DH-HMAC-CHAP_Challenge", "Base 2.0, 8.13.5.3", BODY, parse_challenge,
	      visit_challenge)

enum { REPLY_RESPONSE = 6, REPLY_CHALLENGE, REPLY_KEY };

static const struct rtap_field auth_reply_fields[] = {
	NVME_ROW("nvme.auth.reply.hl", "Hash Length", NVME_BYTES(VALUE_LENGTH, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.auth.reply.rsvd7", NVME_BYTES(1, 1)),
	{ "nvme.auth.reply.cvalid", "Challenge Valid", NVME_BYTES(HAS_VALUE, 1), RTAP_HEX, RTAP_LITTLE | RTAP_COMPARED, NULL, NULL, NULL },
	NVME_RESERVED("nvme.auth.reply.rsvd9", NVME_BYTES(3, 1)),
	NVME_ROW("nvme.auth.reply.dhvlen", "Length of the Diffie-Hellman Value", KEY_LENGTH, RTAP_DEC, NULL),
	{ "nvme.auth.reply.seqnum", "Sequence Number", NVME_BYTES(6, 4), RTAP_DEC, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	[REPLY_RESPONSE] = VALUE_ROW("nvme.auth.reply.rval", "Response Value R1"),
	[REPLY_CHALLENGE] = VALUE_ROW("nvme.auth.reply.cval", "Challenge Value C2"),
	[REPLY_KEY] = VALUE_ROW("nvme.auth.reply.dhv", "Diffie-Hellman Value of the Host"),
};

static enum result parse_reply(struct parse *parse)
{
	return parse_values(parse, PROTOCOL_NVME_AUTH_REPLY, 2, true);
}

static void visit_reply(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const uint8_t *body = layer_bytes(packet, layer);

	if (layer->length >= BODY)
		visit_values(packet, layer, visitor, (const struct part[]){
			{ body[VALUE_LENGTH], REPLY_RESPONSE }, { body[VALUE_LENGTH], REPLY_CHALLENGE },
			{ (uint32_t)little_bits(body, KEY_LENGTH), REPLY_KEY } }, 3);
}

AUTH_PROTOCOL(auth_reply, AUTH_REPLY, "nvme.auth.reply", "NVMe DH-HMAC-CHAP_Reply", "Base 2.0, 8.13.5.4", BODY, parse_reply, visit_reply)

enum { SUCCESS_RESPONSE = 4 };

static const struct rtap_field auth_success1_fields[] = {
	NVME_ROW("nvme.auth.success1.hl", "Hash Length", NVME_BYTES(VALUE_LENGTH, 1), RTAP_DEC, NULL),
	NVME_RESERVED("nvme.auth.success1.rsvd7", NVME_BYTES(1, 1)),
	{ "nvme.auth.success1.rvalid", "Response Valid", NVME_BYTES(HAS_VALUE, 1), RTAP_HEX, RTAP_LITTLE | RTAP_COMPARED, NULL, NULL, NULL },
	{ "nvme.auth.success1.rsvd9", "Reserved", NVME_BYTES(3, 7), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	[SUCCESS_RESPONSE] = VALUE_ROW("nvme.auth.success1.rval", "Response Value R2"),
};

static enum result parse_success1(struct parse *parse)
{
	return parse_values(parse, PROTOCOL_NVME_AUTH_SUCCESS1, 1, false);
}

static void visit_success1(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	if (layer->length >= BODY)
		visit_values(packet, layer, visitor, &(struct part){ layer_bytes(packet, layer)[VALUE_LENGTH], SUCCESS_RESPONSE }, 1);
}

AUTH_PROTOCOL(auth_success1, AUTH_SUCCESS1, "nvme.auth.success1", "NVMe DH-HMAC-CHAP_Success1", "Base 2.0, 8.13.5.5", BODY, parse_success1,
	      visit_success1)

static const struct rtap_field auth_success2_fields[] = {
	{ "nvme.auth.success2.rsvd6", "Reserved", NVME_BYTES(0, BODY), RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

static enum result parse_success2(struct parse *parse)
{
	return structure_parse(parse, PROTOCOL_NVME_AUTH_SUCCESS2, BODY, PROTOCOL_PAYLOAD);
}

AUTH_PROTOCOL(auth_success2, AUTH_SUCCESS2, "nvme.auth.success2", "NVMe DH-HMAC-CHAP_Success2", "Base 2.0, 8.13.5.6", BODY, parse_success2, NULL)

static const struct rtap_name reason_names[] = { { 1, "authentication failure" }, { 0, NULL } };

static const struct rtap_name explanation_names[] = {
	{ 1, "authentication failed" }, { 2, "authentication protocol not usable" }, { 3, "secure channel concatenation mismatch" },
	{ 4, "hash function not usable" }, { 5, "DH group not usable" }, { 6, "incorrect payload" }, { 7, "incorrect protocol message" }, { 0, NULL },
};

static const struct rtap_field auth_failure_fields[] = {
	NVME_ROW("nvme.auth.failure.rescode", "Reason", NVME_BYTES(0, 1), RTAP_HEX, reason_names),
	NVME_ROW("nvme.auth.failure.rescode_exp", "Explanation", NVME_BYTES(1, 1), RTAP_HEX, explanation_names),
};

static enum result parse_failure(struct parse *parse)
{
	return structure_parse(parse, PROTOCOL_NVME_AUTH_FAILURE, 2, PROTOCOL_PAYLOAD);
}

static void summary_failure(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const char *name = layer->length >= 2 ? rtap_name_of(explanation_names, layer_bytes(packet, layer)[1]) : NULL;

	line_text(line, ": ");
	line_text(line, name ? name : "unknown reason");
}

const struct protocol nvme_auth_failure_protocol = {
	.table = { "nvme.auth.failure", "NVMe Authentication Failure", "Base 2.0, 8.13.4", 2, FIELDS(auth_failure_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_failure,
	.summary = summary_failure,
};
