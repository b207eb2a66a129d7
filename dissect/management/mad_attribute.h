/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layers from the parts of an attribute, and fields from these layers.
 */
#ifndef DISSECT_MANAGEMENT_MAD_ATTRIBUTE_H
#define DISSECT_MANAGEMENT_MAD_ATTRIBUTE_H

#include "dissect/management/mad.h"
#include "dissect/engine/parse.h"

/* Value names shared by several tables. */
extern const struct rtap_name mad_node_types[], mad_mtus[], mad_rates[];

/*
 * Adds layers for the packet's attribute: `count` records, `stride` bytes apart, from `offset` of the current source, with `length`
 * bytes on the wire. Bytes not captured are left out. Does nothing if the attribute is unknown.
 */
void mad_place_attribute(struct parse *parse, uint32_t offset, uint32_t length, uint32_t stride, uint32_t count);

/* Takes the `length` bytes at the cursor as the class's attribute; an unknown attribute becomes plain data. */
void mad_take_data(struct parse *parse, uint32_t length);

/* `visit` of the parts' protocols: walks the records and their elements. */
void mad_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);

/* The text of up to `length` bytes at `at` of a header, ended by a zero byte if shorter. For tables. */
bool mad_derive_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
		     uint32_t length);

/* A protocol that is part of an attribute. */
#define MAD_PART(object, filter_name, label, section, size, rows) \
	const struct protocol object = { \
		.table = { filter_name, label, section, size, sizeof(rows) / sizeof(rows[0]), rows, true }, \
		.scope = SCOPE_MESSAGE, \
		.visit = mad_visit, \
	};

#endif
