/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading fields out of layers by their tables, and walking a packet with a visitor.
 */
#include "config.h"

#include "dissect/visit.h"

const char *rtap_name_of(const struct rtap_name *names, uint64_t value)
{
	if (names)
		for (; names->name && names->value <= value; names++)
			if (names->value == value)
				return names->name;
	return NULL;
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
	visit_read(layer_bytes(packet, layer), field, value);
	return true;
}

static bool wanted(const struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field)
{
	if (visitor->wanted)
		return visit_wants(visitor, id);
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

bool visit_wants_any(const struct rtap_visitor *visitor, uint8_t protocol)
{
	size_t first = protocol_field_id(protocol, 0);
	size_t behind = first + protocol_by_number(protocol)->table.field_count;

	if (!visitor->wanted)
		return true;
	for (size_t id = first; id < behind; id++)
		if (visit_wants(visitor, (rtap_field_id)id))
			return true;
	return false;
}

void visit_unit(const struct rtap_packet *packet, const struct rtap_layer *unit, struct rtap_visitor *visitor)
{
	if (visitor->field)
		visit_table(packet, unit, visitor, visitor->field, NULL);
}

void rtap_layer_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	visit_layer(packet, layer, visitor, visitor->field, NULL);
}

void rtap_packet_visit(const struct rtap_packet *packet, struct rtap_visitor *visitor)
{
	visit_packet(packet, visitor, visitor->field, NULL);
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
