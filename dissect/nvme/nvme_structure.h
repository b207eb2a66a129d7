/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data structures in the data of commands. Data in a capsule is dissected with its command; data that RDMA moves by the packet that
 * completes it, from its first byte.
 */
#ifndef DISSECT_NVME_NVME_STRUCTURE_H
#define DISSECT_NVME_NVME_STRUCTURE_H

#include "dissect/engine/structure.h"
#include "dissect/nvme/nvme.h"

/* Most bytes of a command's data that are kept to be dissected. */
#define NVME_MOST_STRUCTURED 0x10000

/*
 * The protocol of the data of a command: NVME_COMMAND_LENGTH bytes, code as NVME_CODE(). PROTOCOL_PAYLOAD: bytes without a structure, or one
 * that is not dissected.
 */
uint16_t nvme_data_protocol(uint32_t code, const uint8_t *command);

/* Structures of four bytes, one for each number of a byte; those that are zero are not shown. */
#define NVME_CODES 256
#define NVME_CODE_LENGTH 4

struct nvme_codes {
	const char *label;
	size_t row;                /* of the number */
};

/* A `visit` for each NVME_CODES structures of the layer, with their labels and rows in `codes`. */
void nvme_visit_codes(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, const struct nvme_codes *codes);

/* Groups of any length: a header, then items. */
struct nvme_groups {
	const char *label;
	uint32_t header;           /* bytes */
	/* Bytes of a group with a whole header, at most `left`. */
	uint32_t (*length)(const uint8_t *group, uint32_t left);
	/* Visits the items from `at` to `end` of the layer. NULL: they have no rows. */
	void (*items)(const uint8_t *bytes, const struct rtap_layer *layer, uint32_t at, uint32_t end, struct rtap_visitor *visitor);
};

/* Adds a layer of at most `count` groups; payload follows. */
enum result nvme_parse_groups(struct parse *parse, uint16_t protocol, const struct nvme_groups *groups, uint32_t count);
void nvme_visit_groups(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor,
		       const struct nvme_groups *groups);

/*
 * A row whose place counts from the item that has it, in a group, or in a layer with several such items: nvme_visit_rows(). The places of
 * NVME_ITEM_BYTES() are bytes that are not a number.
 */
#define NVME_ITEM(name, label, place, show, names) \
	{ name, label, place, show, RTAP_LITTLE | RTAP_UNPLACED | RTAP_REPEATS, names, NULL, NULL }
#define NVME_ITEM_BYTES(name, label, at, length, more) \
	{ name, label, NVME_BYTES(at, length), RTAP_BYTES, RTAP_UNPLACED | RTAP_REPEATS | (more), NULL, NULL, NULL }

/* Passes such rows, from `first` up to `end`, of the item that begins `at` bytes into the layer, as far as they are before `limit`. */
void nvme_visit_rows(const uint8_t *bytes, const struct rtap_layer *layer, struct rtap_visitor *visitor, size_t first, size_t end, uint32_t at,
		     uint32_t limit);

#define NVME_FORMATS 64 /* most formats of a namespace */

#define NVME_TEXT(name, at, length) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return structure_text(packet, layer, value, at, length); \
	}

/* Places in bytes, and in bits from the least significant bit of a byte. */
#define NVME_BYTES(at, count) (at) * 8, (count) * 8
#define NVME_BITS(at, bit, width) (at) * 8 + (bit), width

#define NVME_RESERVED(name, place) { name, "Reserved", place, RTAP_HEX, RTAP_LITTLE | RTAP_BULK, NULL, NULL, NULL }

/* Rows of an element, of which a layer has any number. */
#define NVME_EACH(name, label, place, show, names) { name, label, place, show, RTAP_LITTLE | RTAP_REPEATS, names, NULL, NULL }
#define NVME_EACH_WHOLE(name, label, place) { name, label, place, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS | RTAP_REPEATS, NULL, NULL, NULL }
#define NVME_EACH_RESERVED(name, place) { name, "Reserved", place, RTAP_HEX, RTAP_LITTLE | RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL }

/* The protocol NVME_identifier, with the rows of name_fields; `next_protocol` follows it. */
#define NVME_STRUCTURE(name, identifier, filter, label, section, length, next_protocol) \
	STRUCTURE(nvme_##name, name##_fields, PROTOCOL_NVME_##identifier, filter, label, section, length, next_protocol)
#define NVME_ELEMENTS(name, identifier, filter, label, section, length, until_zero) \
	ELEMENTS(nvme_##name, name##_fields, PROTOCOL_NVME_##identifier, filter, label, section, length, until_zero)

#endif
