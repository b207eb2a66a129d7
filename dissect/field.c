/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading fields out of layers by their tables, and walking a packet with a visitor.
 */
#include "config.h"

#include "dissect/protocol.h"

const char *rtap_name_of(const struct rtap_name *names, uint64_t value)
{
	if (names)
		for (; names->name && names->value <= value; names++)
			if (names->value == value)
				return names->name;
	return NULL;
}

static bool is_bytes(enum rtap_show show)
{
	return show >= RTAP_IPV4 && show <= RTAP_TEXT;
}

static void read_bits(const struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_field *field,
		      struct rtap_value *value)
{
	const uint8_t *header = layer_bytes(packet, layer);

	const uint8_t *first = header + field->bit_offset / 8;

	if (is_bytes(field->show)) {
		value->data.bytes = first;
		value->data.length = field->bit_width / 8u;
		return;
	}
	/* most are whole bytes */
	switch (field->bit_offset % 8 ? 0 : field->bit_width) {
	case 8: value->number = first[0]; break;
	case 16: value->number = load16(first); break;
	case 32: value->number = load32(first); break;
	default: value->number = bits(header, field->bit_offset, field->bit_width);
	}
}

bool rtap_layer_field(const struct rtap_packet *packet, const struct rtap_layer *layer, const struct rtap_field *field,
		      struct rtap_value *value)
{
	if (field->flags & RTAP_UNPLACED)
		return field->derive && field->derive(packet, layer, value);
	if (field->bit_offset + (uint32_t)field->bit_width > (uint64_t)layer->length * 8)
		return false;
	if (field->derive)
		return field->derive(packet, layer, value);
	read_bits(packet, layer, field, value);
	return true;
}

static bool wanted(const struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field)
{
	if (visitor->wanted)
		return visitor->wanted[id / 64] >> (id % 64) & 1;
	return (visitor->on_demand || !(field->flags & RTAP_ON_DEMAND)) && (visitor->bulk || !(field->flags & RTAP_BULK));
}

void visit_field(struct rtap_visitor *visitor, const struct rtap_layer *layer, uint8_t protocol, size_t index,
		 const struct rtap_value *value, uint32_t offset, uint32_t length)
{
	const struct rtap_field *field = &protocol_by_number(protocol)->table.fields[index];
	rtap_field_id id = protocol_field_id(protocol, index);

	if (visitor->field && wanted(visitor, id, field))
		visitor->field(visitor, id, field, value, &(struct rtap_place){ layer->source, offset, length });
}

/* Whether a visitor wants any field of the protocol: visiting it is a waste otherwise. */
static bool wants_any(const struct rtap_visitor *visitor, uint8_t protocol)
{
	size_t first = protocol_field_id(protocol, 0);
	size_t behind = first + protocol_by_number(protocol)->table.field_count;

	if (!visitor->wanted)
		return true;
	for (size_t id = first; id < behind; id++)
		if (visitor->wanted[id / 64] >> (id % 64) & 1)
			return true;
	return false;
}

static void tell_row(const struct rtap_layer *layer, struct rtap_visitor *visitor, rtap_field_id id,
		     const struct rtap_field *field, const struct rtap_value *value)
{
	uint32_t first = field->bit_offset / 8u, behind = (field->bit_offset + field->bit_width + 7u) / 8;

	visitor->field(visitor, id, field, value, &(struct rtap_place){ layer->source, layer->offset + first, behind - first });
}

/* Rows that visit() tells are passed over; of the others most are plain bits, which are read without a call. */
static void visit_table(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct rtap_protocol *table = &protocol_by_number(layer->protocol)->table;
	rtap_field_id id = protocol_field_id(layer->protocol, 0);
	unsigned left_out = (visitor->on_demand ? 0u : RTAP_ON_DEMAND) | (visitor->bulk ? 0u : RTAP_BULK);
	uint64_t layer_bits = (uint64_t)layer->length * 8;
	struct rtap_value value = { 0 };

	const struct rtap_field *end = table->fields + protocol_rows_with_values(layer->protocol);

	for (const struct rtap_field *field = table->fields; field < end; field++, id++) {
		if (visitor->wanted ? !wanted(visitor, id, field) : field->flags & left_out)
			continue;
		if (field->derive || field->flags & RTAP_UNPLACED) {
			if (!rtap_layer_field(packet, layer, field, &value))
				continue;
		} else {
			if (field->bit_offset + (uint32_t)field->bit_width > layer_bits)
				continue;
			read_bits(packet, layer, field, &value);
		}
		tell_row(layer, visitor, id, field, &value);
	}
}

void visit_unit(const struct rtap_packet *packet, const struct rtap_layer *unit, struct rtap_visitor *visitor)
{
	if (visitor->field)
		visit_table(packet, unit, visitor);
}

void rtap_layer_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct protocol *protocol = protocol_by_number(layer->protocol);

	if (visitor->field && !protocol->table.in_units)
		visit_table(packet, layer, visitor);
	if (protocol->visit && wants_any(visitor, layer->protocol))
		protocol->visit(packet, layer, visitor);
}

void rtap_packet_visit(const struct rtap_packet *packet, struct rtap_visitor *visitor)
{
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		const struct rtap_protocol *table = &protocol_by_number(layer->protocol)->table;

		if (layer->within)
			continue;
		if (visitor->enter)
			visitor->enter(visitor, table->label, &(struct rtap_place){ layer->source, layer->offset, layer->length });
		rtap_layer_visit(packet, layer, visitor);
		for (uint8_t j = 0; visitor->anomaly && j < packet->anomaly_count; j++)
			if (packet->anomalies[j].layer == i)
				visitor->anomaly(visitor, &packet->anomalies[j]);
		if (visitor->leave)
			visitor->leave(visitor);
	}
}

const char *rtap_field_json_type(const struct rtap_field *field)
{
	switch ((enum rtap_show)field->show) {
	case RTAP_DEC:
	case RTAP_HEX:
		return field->bit_width > 32 ? "string" : "number";
	case RTAP_HEX8:
	case RTAP_HEX16:
	case RTAP_HEX24:
	case RTAP_HEX32:
	case RTAP_BOOL:
		return "number";
	default:
		return "string";
	}
}

const char *rtap_field_type(const struct rtap_field *field)
{
	static const char *const sizes[] = { "uint8", "uint8", "uint16", "uint24", "uint32", "uint64" };
	unsigned size = (field->bit_width + 7u) / 8;

	switch ((enum rtap_show)field->show) {
	case RTAP_NONE: return "none";
	case RTAP_HEX8: return "uint8";
	case RTAP_HEX16: return "uint16";
	case RTAP_HEX24: return "uint24";
	case RTAP_HEX32: return "uint32";
	case RTAP_HEX64: return "uint64";
	case RTAP_DEC:
	case RTAP_HEX: return sizes[size > 4 ? 5 : size];
	case RTAP_BOOL: return "bool";
	case RTAP_IPV4: return "ipv4";
	case RTAP_IPV6: return "ipv6";
	case RTAP_ETHER: return "ether";
	case RTAP_EUI64: return "eui64";
	case RTAP_BYTES: return "bytes";
	case RTAP_TEXT: return "text";
	case RTAP_SECONDS: return "seconds";
	}
	return "none";
}
