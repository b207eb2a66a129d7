/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layers of one command: the 40 bytes that all have, then a part that depends on it: dwords 10 to 15.
 */
#ifndef DISSECT_NVME_NVME_PARTS_H
#define DISSECT_NVME_NVME_PARTS_H

#include "dissect/nvme/nvme.h"

struct parse;

#define NVME_COMMON_LENGTH 40
#define NVME_PART_LENGTH 24
#define NVME_SGL_RESERVED 288, 24

/* Whether an SGL descriptor of this type has an address: in others these bytes are reserved, or of the vendor. Base, 4.1.2.1. */
static inline bool nvme_sgl_has_address(uint64_t type)
{
	return type <= NVME_SGL_KEYED && type != NVME_SGL_BIT_BUCKET;
}

/* Whether it has a length of 4 bytes, and 3 reserved ones. */
static inline bool nvme_sgl_has_long_length(uint64_t type)
{
	return type <= NVME_SGL_TRANSPORT && type != NVME_SGL_KEYED;
}

/* Adds the part at the cursor; data follows it. */
enum result nvme_parse_part(struct parse *parse, uint16_t protocol);

/* The protocol of the data in the capsule of a completely captured command. */
uint16_t nvme_carried(const uint8_t *command, uint8_t queue);

/* The first layer of that protocol; NULL: there is none. */
const struct rtap_layer *nvme_layer_of(const struct rtap_packet *packet, uint16_t protocol);

/* Defines the protocol NVME_identifier with the rows of the array name_fields. */
#define NVME_PART(name, identifier, filter, label, section) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return nvme_parse_part(parse, PROTOCOL_NVME_##identifier); \
	} \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, NVME_PART_LENGTH, FIELDS(name##_fields) }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
	};

bool nvme_derive_sgl_address(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
bool nvme_derive_keyed_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
bool nvme_derive_key(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
bool nvme_derive_long_length(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
bool nvme_derive_sgl_reserved(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
bool nvme_derive_queue(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value);
extern const struct rtap_name nvme_sgl_type_names[], nvme_sgl_subtype_names[];

/* SGL1, in the last 16 of the 40 bytes: keyed, with a length of 3 bytes, or in the capsule. Base, 4.1.2.1. */
#define NVME_SGL_ROWS \
	{ "nvme.cmd.sgl1.addr", "Address", NVME_SGL_ADDRESS, RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_IS_ADDRESS, NULL, \
	  nvme_derive_sgl_address, NULL }, \
	{ "nvme.cmd.sgl1.len", "Length", NVME_SGL_LENGTH, RTAP_DEC, RTAP_LITTLE | RTAP_SOMETIMES, NULL, nvme_derive_keyed_length, NULL }, \
	{ "nvme.cmd.sgl1.key", "Key", NVME_SGL_KEY, RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES | RTAP_IS_RKEY, NULL, nvme_derive_key, NULL }, \
	{ "nvme.cmd.sgl1.len", "Length", NVME_SGL_LONG_LENGTH, RTAP_DEC, RTAP_LITTLE | RTAP_SOMETIMES, NULL, nvme_derive_long_length, NULL }, \
	{ "nvme.cmd.sgl1.rsvd", "Reserved", NVME_SGL_RESERVED, RTAP_HEX, RTAP_LITTLE | RTAP_SOMETIMES, NULL, nvme_derive_sgl_reserved, NULL }, \
	{ "nvme.cmd.sgl.subtype", "Descriptor Subtype", NVME_SGL_SUBTYPE, RTAP_HEX, RTAP_LITTLE, nvme_sgl_subtype_names, NULL, NULL }, \
	{ "nvme.cmd.sgl.type", "Descriptor Type", NVME_SGL_TYPE, RTAP_HEX, RTAP_LITTLE, nvme_sgl_type_names, NULL, NULL },

/* The queue that the command or response is on, from the connection. */
#define NVME_QUEUE_ROW \
	{ "nvme-rdma.cmd.qid", "Queue Identifier", 0, 16, RTAP_HEX, RTAP_UNPLACED | RTAP_SOMETIMES, NULL, nvme_derive_queue, NULL }

#endif
