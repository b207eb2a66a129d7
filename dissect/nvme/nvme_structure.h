/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data structures in the data of commands. Data in a capsule is dissected with its command; data that RDMA moves by the packet that
 * completes it, from its first byte.
 */
#ifndef DISSECT_NVME_NVME_STRUCTURE_H
#define DISSECT_NVME_NVME_STRUCTURE_H

#include "dissect/nvme/nvme.h"

struct parse;

/* Most bytes of a command's data that are kept to be dissected. */
#define NVME_MOST_STRUCTURED 0x10000

/*
 * The protocol of the data of a command: NVME_COMMAND_LENGTH bytes, code as NVME_CODE(). PROTOCOL_PAYLOAD: bytes without a structure, or one
 * that is not dissected.
 */
uint16_t nvme_data_protocol(uint32_t code, const uint8_t *command);

/* Adds a layer of at most `length` bytes; what follows it is `next`. */
enum result nvme_parse_structure(struct parse *parse, uint16_t protocol, uint32_t length, uint16_t next);

/* Adds a layer of all elements of `stride` bytes; up to the first that is all zero with `until_zero`. What is left is payload. */
enum result nvme_parse_elements(struct parse *parse, uint16_t protocol, uint32_t stride, bool until_zero);

/* Text that ends at its first zero byte, in `length` bytes from `at` of the layer. */
bool nvme_derive_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at, uint32_t length);

/* ": NVMe Identify Controller", of a layer that begins the data that RDMA moved. */
void nvme_summary_structure(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);

#define NVME_TEXT(name, at, length) \
	static bool derive_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value) \
	{ \
		return nvme_derive_text(packet, layer, value, at, length); \
	}

/* Places in bytes, and in bits from the least significant bit of a byte. */
#define NVME_BYTES(at, count) (at) * 8, (count) * 8
#define NVME_BITS(at, bit, width) (at) * 8 + (bit), width

#define NVME_RESERVED(name, place) { name, "Reserved", place, RTAP_HEX, RTAP_LITTLE | RTAP_BULK, NULL, NULL, NULL }

/* Rows of an element, of which a layer has any number. */
#define NVME_EACH(name, label, place, show, names) { name, label, place, show, RTAP_LITTLE | RTAP_REPEATS, names, NULL, NULL }
#define NVME_EACH_WHOLE(name, label, place) { name, label, place, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS | RTAP_REPEATS, NULL, NULL, NULL }
#define NVME_EACH_RESERVED(name, place) { name, "Reserved", place, RTAP_HEX, RTAP_LITTLE | RTAP_BULK | RTAP_REPEATS, NULL, NULL, NULL }

/* Defines the protocol NVME_identifier of one structure, with the rows of name_fields; `next_protocol` follows it. */
#define NVME_STRUCTURE(name, identifier, filter, label, section, length, next_protocol) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return nvme_parse_structure(parse, PROTOCOL_NVME_##identifier, length, next_protocol); \
	} \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, length, FIELDS(name##_fields) }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.summary = nvme_summary_structure, \
	};

/* The same of elements of `length` bytes, up to the end of the data or, with `until_zero`, an element of zeros. */
#define NVME_ELEMENTS(name, identifier, filter, label, section, length, until_zero) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return nvme_parse_elements(parse, PROTOCOL_NVME_##identifier, length, until_zero); \
	} \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		visit_units(packet, layer, visitor, length); \
	} \
	const struct protocol nvme_##name##_protocol = { \
		.table = { filter, label, section, length, FIELDS(name##_fields), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.visit = visit_##name, \
		.summary = nvme_summary_structure, \
	};

#endif
