/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Command capsules: the submission queue entry and, after it, data. The last six dwords depend on the command: nvme_admin.c, nvme_io.c,
 * nvme_fabrics.c. Base, 3.3.3.1 and 4.1.
 */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_admin.h"
#include "dissect/nvme/nvme_command.h"
#include "dissect/nvme/nvme_io.h"
#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_parts.h"

static uint32_t code_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return nvme_code(layer_bytes(packet, layer), packet->request.queue_kind);
}

/* The opcode, with the names of the admin queue, of I/O queues, or of both. */
static bool derive_opcode(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, enum nvme_space space)
{
	value->number = layer_bytes(packet, layer)[0];
	return NVME_CODE_SPACE(code_of(packet, layer)) == space;
}

static bool derive_admin_opcode(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_opcode(packet, layer, value, NVME_SPACE_ADMIN);
}

static bool derive_io_opcode(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_opcode(packet, layer, value, NVME_SPACE_IO);
}

static bool derive_any_opcode(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_opcode(packet, layer, value, NVME_SPACE_UNKNOWN);
}

static const struct rtap_name fuse_names[] = { { 0, "normal" }, { 1, "first of two fused" }, { 2, "second of two fused" }, { 0, NULL } };
static const struct rtap_name psdt_names[] = {
	{ 0, "PRP" }, { 1, "SGL, metadata by address" }, { 2, "SGL, metadata by SGL" }, { 0, NULL },
};

static const struct rtap_field command_fields[] = {
	{ "nvme.cmd.opc", "Opcode", NVME_OPCODE, RTAP_HEX, RTAP_SOMETIMES | RTAP_OPCODE, nvme_admin_names, derive_admin_opcode, NULL },
	{ "nvme.cmd.opc", "Opcode", NVME_OPCODE, RTAP_HEX, RTAP_SOMETIMES | RTAP_OPCODE, nvme_io_names, derive_io_opcode, NULL },
	{ "nvme.cmd.opc", "Opcode", NVME_OPCODE, RTAP_HEX, RTAP_SOMETIMES | RTAP_OPCODE, nvme_either_names, derive_any_opcode, NULL },
	NVME_ROW("nvme.cmd.fuse_op", "Fuse Operation", NVME_AT(0, 8, 2), RTAP_HEX, fuse_names),
	NVME_ROW("nvme.cmd.rsvd", "Reserved", NVME_AT(0, 10, 4), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.psdt", "PRP or SGL", NVME_AT(0, 14, 2), RTAP_HEX, psdt_names),
	{ "nvme.cmd.cid", "Command Identifier", NVME_CID, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.nsid", "Namespace Identifier", NVME_NSID, RTAP_HEX, NULL),
	{ "nvme.cmd.rsvd1", "Reserved", 64, 64, RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.cmd.mptr", "Metadata Pointer", NVME_AT(4, 0, 64), RTAP_HEX, NULL),
	NVME_SGL_ROWS
	NVME_QUEUE_ROW,
};

/* The protocol of the last six dwords. */
uint16_t nvme_part_of(uint32_t code)
{
	switch (NVME_CODE_SPACE(code)) {
	case NVME_SPACE_ADMIN: return nvme_admin_part((uint8_t)code);
	case NVME_SPACE_IO: return nvme_io_part((uint8_t)code);
	default: return PROTOCOL_NVME_DWORDS;
	}
}

bool nvme_is_command(const uint8_t *bytes)
{
	unsigned psdt = bytes[1] >> 6;

	return psdt == 1 || psdt == 2 || (!(bytes[1] & 0x3c) && (bytes[0] == NVME_FABRICS || nvme_command_name(nvme_code(bytes, NVME_SPACE_UNKNOWN))));
}

/* The start of every capsule; opcodes with a separate layout continue in their own part. */
static enum result parse_command(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *command;
	enum result result;

	if (parse->cursor.wire < NVME_COMMAND_LENGTH || parse->cursor.captured < 5 || !nvme_is_command(parse->cursor.next)) {
		parse->next = parse->cursor.wire == NVME_RESPONSE_LENGTH ? PROTOCOL_NVME_RESPONSE : PROTOCOL_PAYLOAD;
		return OK;
	}
	packet->request = parse->context->request;
	if (parse->cursor.next[0] == NVME_FABRICS) {
		parse->next = PROTOCOL_NVME_FABRICS;
		return OK;
	}
	result = parse_layer(parse, PROTOCOL_NVME_COMMAND, NVME_COMMON_LENGTH, &command);
	if (packet->layers[packet->layer_count - 1].protocol == PROTOCOL_NVME_COMMAND)
		packet->upper = RTAP_UPPER_NVME;
	if (result != OK)
		return result;
	parse->next = nvme_part_of(nvme_code(command, packet->request.queue_kind));
	return OK;
}

bool nvme_learn(struct rtap_packet *packet, const struct packet_request *known)
{
	struct rtap_layer *layer = packet->layers;
	uint16_t part;
	uint8_t layers = packet->layer_count;

	packet->request = *known;
	while (layer < packet->layers + layers && layer->protocol != PROTOCOL_NVME_COMMAND)
		layer++;
	if (layer + 1 >= packet->layers + layers || layer->length < NVME_COMMON_LENGTH)
		return true;
	part = nvme_part_of(nvme_code(layer_bytes(packet, layer), known->queue_kind));
	if (layer[1].protocol == part)
		return true;
	/* Without the queue, an opcode that only one kind of queue has was taken for that one. */
	if (layer[1].protocol != PROTOCOL_NVME_DWORDS)
		return false;
	if (layer[1].length == NVME_PART_LENGTH && nvme_carried(layer_bytes(packet, layer), known->queue_kind) != PROTOCOL_PAYLOAD)
		return false;
	packet->protocols[PROTOCOL_NVME_DWORDS / 64] &= ~(UINT64_C(1) << PROTOCOL_NVME_DWORDS % 64);
	packet->protocols[part / 64] |= UINT64_C(1) << part % 64;
	layer[1].protocol = part;
	return true;
}

/* " LBA 256 8 blocks", or the subject of an admin command. */
static void summary_part(const struct rtap_layer *part, const uint8_t *dwords, struct line *line)
{
	const char *subject = nvme_admin_subject(part->protocol, dwords[0]);

	if (subject) {
		line_char(line, ' ');
		line_text(line, subject);
	} else if (part->protocol == PROTOCOL_NVME_BLOCKS) {
		line_text(line, " LBA ");
		line_dec(line, little_bits(dwords, NVME_AT(0, 0, 64)));
		line_char(line, ' ');
		line_count(line, little_bits(dwords, NVME_AT(2, 0, 16)) + 1, "block", "blocks");
	}
}

void nvme_summary_cid(struct line *line, uint64_t cid)
{
	char *begin = line->next;

	line_text(line, " CID ");
	line_hex(line, cid, 4);
	line_spare(line, begin, LINE_SPARE_PARTS);
}

static void summary_command(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *part = layer_after(packet, layer);
	const uint8_t *command = layer_bytes(packet, layer);
	const char *name;

	line_text(line, ": NVMe ");
	if (layer->length < NVME_COMMON_LENGTH)
		return;
	name = nvme_command_name(code_of(packet, layer));
	if (name) {
		line_text(line, name);
	} else {
		line_text(line, "opcode ");
		line_hex(line, command[0], 2);
	}
	if (little_bits(command, NVME_NSID)) {
		line_text(line, " namespace ");
		if (little_bits(command, NVME_NSID) == UINT32_MAX)
			line_text(line, "all");
		else
			line_dec(line, little_bits(command, NVME_NSID));
	}
	if (part && part->length == NVME_PART_LENGTH)
		summary_part(part, layer_bytes(packet, part), line);
	nvme_summary_cid(line, little_bits(command, NVME_CID));
}

const struct protocol nvme_command_protocol = {
	.table = { "nvme.cmd", "NVMe Command", "Base, 3.3.3.1", NVME_COMMON_LENGTH, FIELDS(command_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_command,
	.summary = summary_command,
};

/* The dwords of a command without a separate layout. */
static const struct rtap_field dwords_fields[] = {
	NVME_ROW("nvme.cmd.dword10", "Dword 10", NVME_AT(0, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword11", "Dword 11", NVME_AT(1, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword12", "Dword 12", NVME_AT(2, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword13", "Dword 13", NVME_AT(3, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword14", "Dword 14", NVME_AT(4, 0, 32), RTAP_HEX, NULL),
	NVME_ROW("nvme.cmd.dword15", "Dword 15", NVME_AT(5, 0, 32), RTAP_HEX, NULL),
};

NVME_PART(dwords, DWORDS, "nvme.cmd.dwords", "NVMe Command Dwords", "Base, 3.3.3.1")

static bool is_zero(const uint8_t *bytes, uint32_t length)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < length; i++)
		any |= bytes[i];
	return !any;
}

/* An SGL as hosts write it: keyed, or an offset of data or descriptors in the capsule, which has that much; or empty. Fabrics 1.1, 7.3.5.2. */
static bool has_sgl(const uint8_t *command, uint32_t wire)
{
	uint64_t subtype = little_bits(command, NVME_SGL_SUBTYPE), address = little_bits(command, NVME_SGL_ADDRESS);
	uint64_t length = little_bits(command, NVME_SGL_LONG_LENGTH);

	switch (little_bits(command, NVME_SGL_TYPE)) {
	case NVME_SGL_KEYED:
		if (wire != NVME_COMMAND_LENGTH)
			return false;
		length = little_bits(command, NVME_SGL_LENGTH);
		return (subtype == NVME_SGL_IS_ADDRESS || subtype == NVME_SGL_INVALIDATES) &&
		       (length ? little_bits(command, NVME_SGL_KEY) != 0 : !address);
	case NVME_SGL_DATA:
		return subtype == NVME_SGL_IS_OFFSET ? length && is_zero(command + 36, 3) && address + length <= wire - NVME_COMMAND_LENGTH :
						       !subtype && !address && !length;
	case NVME_SGL_SEGMENT: case NVME_SGL_LAST_SEGMENT:
		return subtype == NVME_SGL_IS_OFFSET && length && !(length % NVME_SGL_DESCRIPTOR) && is_zero(command + 36, 3) && !address &&
		       length <= wire - NVME_COMMAND_LENGTH;
	default: return false;
	}
}

bool nvme_recognise(const struct cursor *payload)
{
	const uint8_t *command = payload->next;

	if (payload->captured < NVME_COMMON_LENGTH || payload->wire < NVME_COMMAND_LENGTH || command[1] != 0x40)
		return false;
	if (command[0] == NVME_FABRICS) {
		if (!rtap_name_of(nvme_fabrics_names, command[4]) || !is_zero(command + 5, 19))
			return false;
		return command[4] == NVME_CONNECT || command[4] == NVME_AUTHENTICATION_SEND || command[4] == NVME_AUTHENTICATION_RECEIVE ?
			       has_sgl(command, payload->wire) : payload->wire == NVME_COMMAND_LENGTH && is_zero(command + 24, 15);
	}
	return nvme_command_name(nvme_code(command, NVME_SPACE_UNKNOWN)) && is_zero(command + 8, 16) && has_sgl(command, payload->wire);
}
