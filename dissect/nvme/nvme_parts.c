/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/nvme/nvme_structure.h"

bool nvme_derive_sgl_address(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *command = layer_bytes(packet, layer);

	value->number = little_bits(command, NVME_SGL_ADDRESS);
	return nvme_sgl_has_address(little_bits(command, NVME_SGL_TYPE));
}

bool nvme_derive_keyed_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *command = layer_bytes(packet, layer);

	value->number = little_bits(command, NVME_SGL_LENGTH);
	return little_bits(command, NVME_SGL_TYPE) == NVME_SGL_KEYED;
}

bool nvme_derive_key(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *command = layer_bytes(packet, layer);

	value->number = little_bits(command, NVME_SGL_KEY);
	return little_bits(command, NVME_SGL_TYPE) == NVME_SGL_KEYED;
}

bool nvme_derive_long_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *command = layer_bytes(packet, layer);

	value->number = little_bits(command, NVME_SGL_LONG_LENGTH);
	return nvme_sgl_has_long_length(little_bits(command, NVME_SGL_TYPE));
}

bool nvme_derive_sgl_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *command = layer_bytes(packet, layer);

	value->number = little_bits(command, NVME_SGL_RESERVED);
	return nvme_sgl_has_long_length(little_bits(command, NVME_SGL_TYPE));
}

bool nvme_derive_queue(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	(void)layer;
	value->number = packet->request.queue;
	return packet->request.queue_known;
}

const struct rtap_name nvme_sgl_type_names[] = {
	{ 0, "Data Block" }, { 1, "Bit Bucket" }, { 2, "Segment" }, { 3, "Last Segment" }, { 4, "Keyed Data Block" }, { 5, "Transport Data Block" },
	{ 15, "Vendor Specific" }, { 0, NULL },
};

const struct rtap_name nvme_sgl_subtype_names[] = {
	{ 0, "Address" }, { 1, "Offset" }, { 10, "Transport Specific" }, { 15, "Invalidate Key" }, { 0, NULL },
};

const struct rtap_layer *nvme_layer_of(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; packet_has(packet, protocol) && i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

/* Descriptors in the capsule have their parts at the same places as SGL1, without the command before it. */
#define LIST_SUBTYPE 120, 4
#define LIST_TYPE 124, 4

static bool is_keyed(uint64_t type)
{
	return type == NVME_SGL_KEYED;
}

#define LISTED(name, has, at, width) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		const uint8_t *descriptor = layer_bytes(packet, layer); \
\
		value->number = little_bits(descriptor, at, width); \
		return has(little_bits(descriptor, LIST_TYPE)); \
	}

LISTED(list_address, nvme_sgl_has_address, 0, 64)
LISTED(list_length, is_keyed, 64, 24)
LISTED(list_key, is_keyed, 88, 32)
LISTED(list_long_length, nvme_sgl_has_long_length, 64, 32)
LISTED(list_reserved, nvme_sgl_has_long_length, 96, 24)

#define SOME_LISTED(name, label, at, width, show, more, derive) \
	{ name, label, at, width, show, RTAP_LITTLE | RTAP_REPEATS | RTAP_SOMETIMES | (more), NULL, derive, NULL }

static const struct rtap_field sgl_list_fields[] = {
	SOME_LISTED("nvme.cmd.sgl_list.addr", "Address", 0, 64, RTAP_HEX, RTAP_IS_ADDRESS, derive_list_address),
	SOME_LISTED("nvme.cmd.sgl_list.len", "Length", 64, 24, RTAP_DEC, 0, derive_list_length),
	SOME_LISTED("nvme.cmd.sgl_list.key", "Key", 88, 32, RTAP_HEX, RTAP_IS_RKEY, derive_list_key),
	SOME_LISTED("nvme.cmd.sgl_list.len", "Length", 64, 32, RTAP_DEC, 0, derive_list_long_length),
	SOME_LISTED("nvme.cmd.sgl_list.rsvd", "Reserved", 96, 24, RTAP_HEX, 0, derive_list_reserved),
	NVME_EACH("nvme.cmd.sgl_list.subtype", "Descriptor Subtype", LIST_SUBTYPE, RTAP_HEX, nvme_sgl_subtype_names),
	NVME_EACH("nvme.cmd.sgl_list.type", "Descriptor Type", LIST_TYPE, RTAP_HEX, nvme_sgl_type_names),
};

NVME_ELEMENTS(sgl_list, SGL_LIST, "nvme.cmd.sgl_list", "NVMe SGL Descriptors", "Base, 4.1.2.1", NVME_SGL_DESCRIPTOR, false)

/* Whether SGL1 is a segment at the start of the data in the capsule. */
static bool has_list(const uint8_t *command)
{
	uint64_t type = little_bits(command, NVME_SGL_TYPE);

	return (type == NVME_SGL_SEGMENT || type == NVME_SGL_LAST_SEGMENT) && little_bits(command, NVME_SGL_SUBTYPE) == NVME_SGL_IS_OFFSET &&
	       !little_bits(command, NVME_SGL_ADDRESS);
}

uint16_t nvme_carried(const uint8_t *command, uint8_t queue)
{
	if (has_list(command))
		return PROTOCOL_NVME_SGL_LIST;
	if (little_bits(command, NVME_SGL_TYPE) != NVME_SGL_DATA || little_bits(command, NVME_SGL_SUBTYPE) != NVME_SGL_IS_OFFSET ||
	    little_bits(command, NVME_SGL_ADDRESS))
		return PROTOCOL_PAYLOAD;
	return nvme_data_protocol(nvme_code(command, queue), command);
}

enum result nvme_parse_part(struct parse *parse, uint16_t protocol)
{
	const uint8_t *dwords;
	enum result result = parse_layer(parse, protocol, NVME_PART_LENGTH, &dwords);

	if (result == OK && parse->cursor.wire)
		parse->next = nvme_carried(dwords - NVME_COMMON_LENGTH, parse->packet->request.queue_kind);
	return result;
}
