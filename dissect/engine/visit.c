/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walking a packet with a visitor.
 */
#include "config.h"

#include <stdio.h>

#include "dissect/frame.h"
#include "dissect/engine/visit.h"

static bool wanted(const struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field)
{
	if (visitor->wanted)
		return visit_wants(visitor, id);
	return (visitor->on_demand || !(field->flags & RTAP_ON_DEMAND)) && (visitor->bulk || !(field->flags & RTAP_BULK));
}

void visit_field(struct rtap_visitor *visitor, const struct rtap_layer *layer, uint16_t protocol, size_t index,
		 const struct rtap_value *value, uint32_t offset, uint32_t length)
{
	const struct rtap_field *field = &protocol_by_number(protocol)->table.fields[index];
	rtap_field_id id = protocol_field_id(protocol, index);

	if (visitor->field && wanted(visitor, id, field))
		visitor->field(visitor, id, field, value, &(struct rtap_place){ layer->source, offset, length });
}

void visit_anomaly(struct rtap_visitor *visitor, const struct rtap_layer *layer, enum rtap_anomaly_code code, uint32_t offset)
{
	const char *name = rtap_anomaly_name(code);
	struct rtap_value value = { .data = { (const uint8_t *)name, (uint32_t)strlen(name) } };

	visit_field(visitor, layer, PROTOCOL_FRAME, FRAME_ROW_ANOMALY, &value, offset, 0);
}

bool visit_wants_any(const struct rtap_visitor *visitor, uint16_t protocol)
{
	size_t first = protocol_field_id(protocol, 0);
	size_t after = first + protocol_by_number(protocol)->table.field_count;

	if (!visitor->wanted)
		return true;
	for (size_t id = first; id < after; id++)
		if (visit_wants(visitor, (rtap_field_id)id))
			return true;
	return false;
}

void visit_unit(const struct rtap_packet *packet, const struct rtap_layer *unit, struct rtap_visitor *visitor)
{
	if (visitor->field)
		visit_table(packet, unit, visitor, visitor->field, NULL);
}

void visit_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor, uint32_t stride)
{
	struct rtap_layer unit = *layer;
	uint32_t count = layer->length / stride + (layer->length % stride != 0);
	char label[24];

	for (uint32_t i = 0; i < count; i++) {
		unit.offset = layer->offset + i * stride;
		unit.length = layer->length - i * stride < stride ? layer->length - i * stride : stride;
		snprintf(label, sizeof label, "Entry %u", i);
		if (visitor->enter && count > 1)
			visitor->enter(visitor, label, &(struct rtap_place){ unit.source, unit.offset, unit.length });
		visit_unit(packet, &unit, visitor);
		if (visitor->leave && count > 1)
			visitor->leave(visitor);
	}
}

void rtap_layer_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_layer(packet, layer, visitor, visitor->field, NULL);
}

void rtap_packet_visit(const struct rtap_packet *packet, struct rtap_visitor *visitor)
{
	visit_packet(packet, visitor, visitor->field, NULL);
}
