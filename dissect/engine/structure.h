/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data of an upper layer that is a structure, or any number of equal elements: protocols that a table describes.
 */
#ifndef DISSECT_ENGINE_STRUCTURE_H
#define DISSECT_ENGINE_STRUCTURE_H

#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

/* Adds a layer of at most `length` bytes; what follows it is `next`. The packet gets the facts about the request from the context. */
enum result structure_parse(struct parse *parse, uint16_t protocol, uint32_t length, uint16_t next);

/* Adds a layer of all elements of `stride` bytes; up to the first that is all zero with `until_zero`. The rest is payload. */
enum result structure_parse_elements(struct parse *parse, uint16_t protocol, uint32_t stride, bool until_zero);

/* A `derive`: text that ends at its first zero byte, in `length` bytes from `at` of the layer, which has them. */
bool structure_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at, uint32_t length);

/* ": NVMe Identify Controller", of a layer that begins the data that RDMA moved. */
void structure_summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line);

/* Defines NAME_protocol with these rows; `next_protocol` follows it. */
#define STRUCTURE(name, rows, number, filter, label, section, length, next_protocol) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return structure_parse(parse, number, length, next_protocol); \
	} \
	const struct protocol name##_protocol = { \
		.table = { filter, label, section, length, FIELDS(rows) }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.summary = structure_summary, \
	};

/* The same of elements of `length` bytes, up to the end of the data or, with `until_zero`, an element of zeros. */
#define ELEMENTS(name, rows, number, filter, label, section, length, until_zero) \
	static enum result parse_##name(struct parse *parse) \
	{ \
		return structure_parse_elements(parse, number, length, until_zero); \
	} \
	static void visit_##name(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor) \
	{ \
		visit_units(packet, layer, visitor, length); \
	} \
	const struct protocol name##_protocol = { \
		.table = { filter, label, section, length, FIELDS(rows), .in_units = true }, \
		.scope = SCOPE_CALL, \
		.parse = parse_##name, \
		.visit = visit_##name, \
		.summary = structure_summary, \
	};

#endif
