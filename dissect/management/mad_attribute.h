/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From an attribute's parts to layers, and from layers to fields.
 */
#ifndef DISSECT_MANAGEMENT_MAD_ATTRIBUTE_H
#define DISSECT_MANAGEMENT_MAD_ATTRIBUTE_H

#include "dissect/management/mad.h"
#include "dissect/engine/parse.h"

/* Value names that several tables have. */
extern const struct rtap_name mad_node_types[], mad_mtus[], mad_rates[];

/*
 * Makes layers of the packet's attribute: `count` records, `stride` bytes apart, from `offset` of the current source on, which has
 * `length` bytes for them on the wire. What was not captured is left out. Nothing if the attribute is not known.
 */
void mad_place_attribute(struct parse *parse, uint32_t offset, uint32_t length, uint32_t stride, uint32_t count);

/* The attribute of a class whose data are the `length` bytes at the cursor; what is not known is data. */
void mad_take_data(struct parse *parse, uint32_t length);

/* For the protocols of parts: walks the records and their elements. */
void mad_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor);

/* The text of `length` bytes at `at` of a header, up to the first zero byte. For tables. */
bool mad_derive_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
		     uint32_t length);

/* A protocol that is part of an attribute. */
#define MAD_PART(object, filter_name, label, section, size, rows) \
	const struct protocol object = { \
		.table = { filter_name, label, section, size, sizeof(rows) / sizeof(rows[0]), rows, true }, \
		.visit = mad_visit, \
	};

#endif
