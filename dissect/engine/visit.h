/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The walk through a packet's layers and tables that rtap_packet_visit() performs. Outputs that visit millions of fields pass
 * their callbacks to the inline functions by name, so that the compiler merges the walk and the callback into one loop.
 */
#ifndef DISSECT_ENGINE_VISIT_H
#define DISSECT_ENGINE_VISIT_H

#include "dissect/engine/protocol.h"

/* Processes a field of a table: the `field` callback of a visitor. */
typedef void visit_value(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			const struct rtap_value *value, const struct rtap_place *place);

/*
 * Processes the row `id`, whose bytes are in `header`, together with some of the rows after it, and returns their number; 0: the row
 * has to be processed on its own.
 */
typedef size_t visit_row_values(struct rtap_visitor *visitor, const struct rtap_packet *packet, const struct rtap_layer *layer,
			       const uint8_t *header, rtap_field_id id);

static inline bool visit_wants(const struct rtap_visitor *visitor, rtap_field_id id)
{
	return visitor->wanted[id / 64] >> (id % 64) & 1;
}

/* Returns whether a visitor wants any field of the protocol. */
bool visit_wants_any(const struct rtap_visitor *visitor, uint16_t protocol);

/* Passes a field without a fixed position to a visitor. Does nothing if the field is not wanted. */
void visit_field(struct rtap_visitor *visitor, const struct rtap_layer *layer, uint16_t protocol, size_t index,
		 const struct rtap_value *value, uint32_t offset, uint32_t length);

/* Passes an anomaly at `offset` of the layer's source to a visitor, as a value of the field "rdmatap.anomaly". */
void visit_anomaly(struct rtap_visitor *visitor, const struct rtap_layer *layer, enum rtap_anomaly_code code, uint32_t offset);

/*
 * Passes the fields of one header to a visitor, in a layer of a protocol with `in_units`: `unit` is the layer with the position
 * of that header.
 */
void visit_unit(const struct rtap_packet *packet, const struct rtap_layer *unit, struct rtap_visitor *visitor);

/* visit_unit() for each header of `stride` bytes in such a layer, each in a group of its own: "Entry 0". */
void visit_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, uint32_t stride);

/* The value of a row without `derive` whose bits are all captured. */
static inline void visit_read(const uint8_t *header, const struct rtap_field *field, struct rtap_value *value)
{
	const uint8_t *first = header + field->bit_offset / 8;

	/* most are whole bytes */
	if (unlikely(field->flags & RTAP_LITTLE))
		value->number = little_bits(header, field->bit_offset, field->bit_width);
	else if (field->show >= RTAP_IPV4 && field->show <= RTAP_TEXT)
		value->data = (struct rtap_span){ first, field->bit_width / 8u };
	else if (field->bit_offset % 8)
		value->number = bits(header, field->bit_offset, field->bit_width);
	else if (field->bit_width == 16)
		value->number = load16(first);
	else if (field->bit_width == 8)
		value->number = first[0];
	else if (field->bit_width == 32)
		value->number = load32(first);
	else
		value->number = bits(header, field->bit_offset, field->bit_width);
}

/* Visits the rows from `field` to `end` of the layer's protocol; the first one has this id. */
static inline __attribute__((always_inline)) void visit_rows(const struct rtap_packet *packet, const struct rtap_layer *layer,
							     struct rtap_visitor *visitor, const struct rtap_field *field,
							     const struct rtap_field *end, rtap_field_id id, visit_value *report,
							     visit_row_values *report_rows)
{
	unsigned left_out = (visitor->on_demand ? 0u : RTAP_ON_DEMAND) | (visitor->bulk ? 0u : RTAP_BULK);
	const uint8_t *header = layer_bytes(packet, layer);
	const uint64_t *wanted = visitor->wanted;
	uint64_t layer_bits = (uint64_t)layer->length * 8;
	struct rtap_value value = { 0 };
	size_t shown;

	for (; field < end; field++, id++) {
		uint32_t first = field->bit_offset, after = first + field->bit_width;

		if (wanted ? !(wanted[id / 64] >> (id % 64) & 1) : (field->flags & left_out) != 0)
			continue;
		if (field->flags & RTAP_UNPLACED) {
			if (!field->derive || !field->derive(packet, layer, &value))
				continue;
		} else {
			if (report_rows && (shown = report_rows(visitor, packet, layer, header, id))) {
				field += shown - 1;
				id = (rtap_field_id)(id + shown - 1);
				continue;
			}
			if (after > layer_bits)
				continue;
			if (!field->derive)
				visit_read(header, field, &value);
			else if (!field->derive(packet, layer, &value))
				continue;
		}
		report(visitor, id, field, &value,
		     &(struct rtap_place){ layer->source, layer->offset + first / 8, (after + 7) / 8 - first / 8 });
	}
}

/* The row of a field of the layer's protocol. */
static inline const struct rtap_field *visit_row(const struct rtap_layer *layer, rtap_field_id id)
{
	return &protocol_by_number(layer->protocol)->table.fields[id - protocol_field_id(layer->protocol, 0)];
}

/* Visits the table's rows, except those that the protocol's visit() supplies. Most are plain bits, read without a call. */
static inline __attribute__((always_inline)) void visit_table(const struct rtap_packet *packet, const struct rtap_layer *layer,
							      struct rtap_visitor *visitor, visit_value *report, visit_row_values *report_rows)
{
	const struct rtap_field *fields = protocol_by_number(layer->protocol)->table.fields;

	visit_rows(packet, layer, visitor, fields, fields + protocol_rows_with_values(layer->protocol),
		   protocol_field_id(layer->protocol, 0), report, report_rows);
}

static inline __attribute__((always_inline)) void visit_layer(const struct rtap_packet *packet, const struct rtap_layer *layer,
							      struct rtap_visitor *visitor, visit_value *report, visit_row_values *report_rows)
{
	const struct protocol *protocol = protocol_by_number(layer->protocol);

	if (report && !protocol->table.in_units)
		visit_table(packet, layer, visitor, report, report_rows);
	if (protocol->visit && (!visitor->wanted || visit_wants_any(visitor, layer->protocol)))
		protocol->visit(packet, layer, visitor);
}

/* rtap_packet_visit() for a visitor whose `field` callback is `report`; `report_rows` may be NULL. */
static inline __attribute__((always_inline)) void visit_packet(const struct rtap_packet *packet, struct rtap_visitor *visitor,
							       visit_value *report, visit_row_values *report_rows)
{
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		const struct rtap_protocol *table = &protocol_by_number(layer->protocol)->table;

		if (layer->within)
			continue;
		if (visitor->enter)
			visitor->enter(visitor, table->label, &(struct rtap_place){ layer->source, layer->offset, layer->length });
		visit_layer(packet, layer, visitor, report, report_rows);
		for (uint8_t j = 0; visitor->anomaly && j < packet->anomaly_count; j++)
			if (packet->anomalies[j].layer == i)
				visitor->anomaly(visitor, &packet->anomalies[j]);
		if (visitor->leave)
			visitor->leave(visitor);
	}
}

#endif
