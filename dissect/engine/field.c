/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading fields from layers by their tables, and properties of fields.
 */
#include "config.h"

#include "dissect/engine/visit.h"

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
	unsigned size = (field->bit_width + 7u) / 8 + !!(field->flags & RTAP_WIDER);

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
