/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/parse.h"
#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/nvme/nvme_structure.h"

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
	return little_bits(command, NVME_SGL_TYPE) != NVME_SGL_KEYED;
}

bool nvme_derive_sgl_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	const uint8_t *command = layer_bytes(packet, layer);

	value->number = little_bits(command, NVME_SGL_RESERVED);
	return little_bits(command, NVME_SGL_TYPE) != NVME_SGL_KEYED;
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

uint16_t nvme_carried(const uint8_t *command, uint8_t queue)
{
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
