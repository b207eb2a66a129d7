/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fabrics commands, and the data of Connect. Base, chapter 6.
 */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_command.h"
#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/nvme/nvme_properties.h"
#include "dissect/nvme/nvme_structure.h"

#define CONNECT_DATA_LENGTH 1024

static uint8_t type_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return layer_bytes(packet, layer)[4];
}

static bool has_sgl(uint8_t type)
{
	return type == NVME_CONNECT || type == NVME_AUTHENTICATION_SEND || type == NVME_AUTHENTICATION_RECEIVE;
}

static uint64_t sgl_type_of(const struct rtap_packet *packet, const struct rtap_layer *layer)
{
	return little_bits(layer_bytes(packet, layer), NVME_SGL_TYPE);
}

/* A number at these bits of a command with an SGL. */
static bool derive_sgl(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, unsigned at, unsigned width)
{
	value->number = little_bits(layer_bytes(packet, layer), at, width);
	return has_sgl(type_of(packet, layer));
}

static bool derive_address(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_ADDRESS) && nvme_sgl_has_address(sgl_type_of(packet, layer));
}

static bool derive_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_LENGTH) && sgl_type_of(packet, layer) == NVME_SGL_KEYED;
}

static bool derive_key(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_KEY) && sgl_type_of(packet, layer) == NVME_SGL_KEYED;
}

static bool derive_long_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_LONG_LENGTH) && nvme_sgl_has_long_length(sgl_type_of(packet, layer));
}

static bool derive_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_RESERVED) && nvme_sgl_has_long_length(sgl_type_of(packet, layer));
}

static bool derive_subtype(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_SUBTYPE);
}

static bool derive_type(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_sgl(packet, layer, value, NVME_SGL_TYPE);
}

static bool derive_no_sgl(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + 24, 16 };
	return !has_sgl(type_of(packet, layer));
}

#define SGL_ROW(name, label, place, show, more, names, derive) \
	{ "nvme.cmd." name, label, place, show, RTAP_LITTLE | RTAP_SOMETIMES | (more), names, derive, NULL }

static const struct rtap_name opcode_names[] = { { NVME_FABRICS, "Fabrics Command" }, { 0, NULL } };

static const struct rtap_field fabrics_fields[] = {
	{ "nvme.fabrics.cmd.opc", "Opcode", NVME_OPCODE, RTAP_HEX, 0, opcode_names, NULL, NULL },
	NVME_ROW("nvme.fabrics.cmd.rsvd", "Flags", NVME_AT(0, 8, 8), RTAP_HEX, NULL),
	{ "nvme.fabrics.cmd.cid", "Command Identifier", NVME_CID, RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.fctype", "Fabrics Command Type", NVME_FCTYPE, RTAP_HEX, RTAP_OPCODE, nvme_fabrics_names, NULL, NULL },
	{ "nvme.fabrics.cmd.rsvd1", "Reserved", 40, 152, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.rsvd2", "Reserved", 192, 128, RTAP_BYTES, RTAP_SOMETIMES, NULL, derive_no_sgl, NULL },
	SGL_ROW("sgl1.addr", "Address", NVME_SGL_ADDRESS, RTAP_HEX, RTAP_IS_ADDRESS, NULL, derive_address),
	SGL_ROW("sgl1.len", "Length", NVME_SGL_LENGTH, RTAP_DEC, 0, NULL, derive_length),
	SGL_ROW("sgl1.key", "Key", NVME_SGL_KEY, RTAP_HEX, RTAP_IS_RKEY, NULL, derive_key),
	SGL_ROW("sgl1.len", "Length", NVME_SGL_LONG_LENGTH, RTAP_DEC, 0, NULL, derive_long_length),
	SGL_ROW("sgl1.rsvd", "Reserved", NVME_SGL_RESERVED, RTAP_HEX, 0, NULL, derive_reserved),
	SGL_ROW("sgl.subtype", "Descriptor Subtype", NVME_SGL_SUBTYPE, RTAP_HEX, 0, nvme_sgl_subtype_names, derive_subtype),
	SGL_ROW("sgl.type", "Descriptor Type", NVME_SGL_TYPE, RTAP_HEX, 0, nvme_sgl_type_names, derive_type),
	NVME_QUEUE_ROW,
};

static uint16_t part_of(uint8_t type)
{
	switch (type) {
	case NVME_CONNECT: return PROTOCOL_NVME_CONNECT_PART;
	case NVME_PROPERTY_GET: case NVME_PROPERTY_SET: return PROTOCOL_NVME_PROPERTY;
	case NVME_AUTHENTICATION_SEND: case NVME_AUTHENTICATION_RECEIVE: return PROTOCOL_NVME_AUTHENTICATION;
	case NVME_DISCONNECT: return PROTOCOL_NVME_DISCONNECT_PART;
	default: return PROTOCOL_NVME_DWORDS;
	}
}

static enum result parse_fabrics(struct parse *parse)
{
	const uint8_t *command;
	enum result result = parse_layer(parse, PROTOCOL_NVME_FABRICS, NVME_COMMON_LENGTH, &command);

	if (parse->packet->layers[parse->packet->layer_count - 1].protocol == PROTOCOL_NVME_FABRICS)
		parse->packet->upper = RTAP_UPPER_NVME;
	if (result == OK)
		parse->next = part_of(command[4]);
	return result;
}

static const struct rtap_name property_names[] = {
	{ 0x00, "Controller Capabilities" }, { 0x08, "Version" }, { 0x14, "Controller Configuration" }, { 0x1c, "Controller Status" },
	{ 0x20, "NVM Subsystem Reset" }, { 0x68, "Controller Ready Timeouts" }, { 0, NULL },
};

static const char *property_name(uint64_t offset)
{
	return rtap_name_of(property_names, offset);
}

static void summary_fabrics(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const struct rtap_layer *part = layer_after(packet, layer);
	const uint8_t *command = layer_bytes(packet, layer);
	const char *name;

	line_text(line, ": NVMe ");
	if (layer->length < NVME_COMMON_LENGTH)
		return;
	name = rtap_name_of(nvme_fabrics_names, command[4]);
	line_text(line, name ? name : "Fabrics command");
	if (part && part->protocol == PROTOCOL_NVME_CONNECT_PART && part->length == NVME_PART_LENGTH) {
		line_text(line, " queue ");
		line_dec(line, little_bits(layer_bytes(packet, part), NVME_AT(0, 16, 16)));
	} else if (part && part->protocol == PROTOCOL_NVME_PROPERTY && part->length == NVME_PART_LENGTH) {
		name = property_name(little_bits(layer_bytes(packet, part), NVME_AT(1, 0, 32)));
		line_char(line, ' ');
		line_text(line, name ? name : "of unknown name");
	}
	nvme_summary_cid(line, little_bits(command, NVME_CID));
}

const struct protocol nvme_fabrics_protocol = {
	.table = { "nvme.fabrics.cmd", "NVMe Fabrics Command", "Base, chapter 6", NVME_COMMON_LENGTH, FIELDS(fabrics_fields) },
	.scope = SCOPE_CALL,
	.parse = parse_fabrics,
	.summary = summary_fabrics,
};

/* Base, 6.3. */
static const struct rtap_name priority_names[] = { { 0, "urgent" }, { 1, "high" }, { 2, "medium" }, { 3, "low" }, { 0, NULL } };

static const struct rtap_field connect_fields[] = {
	NVME_ROW("nvme.fabrics.cmd.connect.recfmt", "Record Format", NVME_AT(0, 0, 16), RTAP_DEC, NULL),
	NVME_ROW("nvme.fabrics.cmd.connect.qid", "Queue Identifier", NVME_AT(0, 16, 16), RTAP_DEC, NULL),
	NVME_ROW("nvme.fabrics.cmd.connect.sqsize", "Submission Queue Size less 1", NVME_AT(1, 0, 16), RTAP_DEC, NULL),
	NVME_WHOLE("nvme.fabrics.cmd.connect.cattr", "Connect Attributes", NVME_AT(1, 16, 8)),
	NVME_ROW("nvme.fabrics.cmd.connect.cattr.pc", "Priority Class", NVME_AT(1, 16, 2), RTAP_HEX, priority_names),
	NVME_ROW("nvme.fabrics.cmd.connect.cattr.dfc", "Disable SQ Flow Control", NVME_AT(1, 18, 1), RTAP_HEX, NULL),
	NVME_ROW("nvme.fabrics.cmd.connect.cattr.dioq", "Support Deletion of I/O Queues", NVME_AT(1, 19, 1), RTAP_HEX, NULL),
	NVME_ROW("nvme.fabrics.cmd.connect.cattr.rsvd", "Reserved", NVME_AT(1, 20, 4), RTAP_HEX, NULL),
	{ "nvme.fabrics.cmd.connect.rsvd2", "Reserved", 56, 8, RTAP_BYTES, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.fabrics.cmd.connect.kato", "Keep Alive Timeout", NVME_AT(2, 0, 32), RTAP_DEC, NULL),
	{ "nvme.fabrics.cmd.connect.rsvd3", "Reserved", 96, 96, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(connect, CONNECT_PART, "nvme.fabrics.cmd.connect", "NVMe Connect", "Base, 6.3")

NVME_TEXT(subnqn, NVME_CONNECT_SUBNQN, NVME_NQN_LENGTH)
NVME_TEXT(hostnqn, NVME_CONNECT_HOSTNQN, NVME_NQN_LENGTH)

static const struct rtap_field connect_data_fields[] = {
	{ "nvme.fabrics.cmd.connect.data.hostid", "Host Identifier", 0, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.connect.data.cntrlid", "Controller Identifier", NVME_AT(4, 0, 16), RTAP_HEX, RTAP_LITTLE | RTAP_IGNORED, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.connect.data.rsvd0", "Reserved", 144, 1904, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.connect.data.subnqn", "Subsystem NQN", NVME_CONNECT_SUBNQN * 8, NVME_NQN_LENGTH * 8, RTAP_TEXT, RTAP_COMPARED, NULL,
	  derive_subnqn, NULL },
	{ "nvme.fabrics.cmd.connect.data.hostnqn", "Host NQN", NVME_CONNECT_HOSTNQN * 8, NVME_NQN_LENGTH * 8, RTAP_TEXT, 0, NULL, derive_hostnqn, NULL },
	{ "nvme.fabrics.cmd.connect.data.rsvd1", "Reserved", 6144, 2048, RTAP_BYTES, RTAP_BULK, NULL, NULL, NULL },
};

NVME_STRUCTURE(connect_data, CONNECT_DATA, "nvme.fabrics.cmd.connect.data", "NVMe Connect Data", "Base, 6.3", CONNECT_DATA_LENGTH, PROTOCOL_PAYLOAD)

/* Base, 6.4 and 6.6. Offsets are those of controller properties: Base, 3.1.3. */
static const struct rtap_name size_names[] = { { 0, "4 bytes" }, { 1, "8 bytes" }, { 0, NULL } };

/* The value that Property Set writes to a property. */
static bool derive_set(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value,
		       uint32_t offset, unsigned low, unsigned width)
{
	const struct rtap_layer *command = nvme_layer_of(packet, PROTOCOL_NVME_FABRICS);
	const uint8_t *dwords = layer_bytes(packet, layer);

	value->number = little_bits(dwords, 64 + low, width);
	return command && type_of(packet, command) == NVME_PROPERTY_SET && little_bits(dwords, NVME_AT(1, 0, 32)) == offset;
}

#define SET_PROPERTY(name, offset, low, width, show, filter, label, names) \
	static bool derive_set_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return derive_set(packet, layer, value, offset, low, width); \
	}
#define SET_ROW(name, offset, low, width, show, filter, label, names) \
	{ "nvme.fabrics." filter, label, NVME_AT(2, low, width), show, RTAP_LITTLE | RTAP_SOMETIMES, names, derive_set_##name, NULL },

NVME_PROPERTIES(SET_PROPERTY)

static const struct rtap_field property_fields[] = {
	NVME_WHOLE("nvme.fabrics.cmd.prop_get_set.attrib", "Attributes", NVME_AT(0, 0, 8)),
	NVME_ROW("nvme.fabrics.cmd.prop_get_set.attrib.size", "Property Size", NVME_AT(0, 0, 3), RTAP_HEX, size_names),
	NVME_ROW("nvme.fabrics.cmd.prop_get_set.attrib.rsvd", "Reserved", NVME_AT(0, 3, 5), RTAP_HEX, NULL),
	{ "nvme.fabrics.cmd.prop_get_set.rsvd1", "Reserved", 8, 24, RTAP_BYTES, 0, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.prop_get_set.offset", "Offset", NVME_AT(1, 0, 32), RTAP_HEX, RTAP_LITTLE | RTAP_OPCODE, property_names, NULL, NULL },
	NVME_WHOLE("nvme.fabrics.prop_get_set.data.8B", "Value", NVME_AT(2, 0, 64)),
	NVME_PROPERTIES(SET_ROW)
	{ "nvme.fabrics.cmd.prop_get_set.rsvd3", "Reserved", 128, 64, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(property, PROPERTY, "nvme.fabrics.cmd.prop_get_set", "NVMe Property", "Base, 6.4 and 6.6")

/* Base, 6.1 and 6.2. */
static const struct rtap_field authentication_fields[] = {
	{ "nvme.fabrics.cmd.auth.rsvd2", "Reserved", 0, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.auth.spsp0", "SP Specific 0", 8, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.auth.spsp1", "SP Specific 1", 16, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	{ "nvme.fabrics.cmd.auth.secp", "Security Protocol", 24, 8, RTAP_HEX, 0, NULL, NULL, NULL },
	NVME_ROW("nvme.fabrics.cmd.auth.al", "Transfer or Allocation Length", NVME_AT(1, 0, 32), RTAP_DEC, NULL),
	{ "nvme.fabrics.cmd.auth.rsvd3", "Reserved", 64, 128, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(authentication, AUTHENTICATION, "nvme.fabrics.cmd.auth", "NVMe Authentication", "Base, 6.1 and 6.2")

/* Base, 6.5. */
static const struct rtap_field disconnect_fields[] = {
	NVME_ROW("nvme.fabrics.cmd.disconnect.recfmt", "Record Format", NVME_AT(0, 0, 16), RTAP_DEC, NULL),
	{ "nvme.fabrics.cmd.disconnect.rsvd1", "Reserved", 16, 176, RTAP_BYTES, 0, NULL, NULL, NULL },
};

NVME_PART(disconnect, DISCONNECT_PART, "nvme.fabrics.cmd.disconnect", "NVMe Disconnect", "Base, 6.5")
