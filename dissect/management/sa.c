/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration: the header after the RMPP header, its component mask, and the registry of records. IBTA vol. 1, 15.2.
 */
#include "config.h"

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"
#include "dissect/management/mad_registry.h"
#include "dissect/management/sa.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

#define SA_SM_KEY 0, 64
#define SA_ATTRIBUTE_OFFSET 64, 16
#define SA_RESERVED 80, 16
#define SA_COMPONENT_MASK 96, 64

/* The attribute offset counts words of eight bytes. 15.2.1.1 */
#define OFFSET_UNIT 8

enum row { ROW_WHOLE, ROW_SM_KEY, ROW_OFFSET, ROW_RESERVED, ROW_MASK, ROW_COMPONENT, ROW_DATA };

/* Header and data, if all was captured. */
static bool derive_after(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer) + at, RMPP_SEGMENT_LENGTH - at };
	return packet->sources[layer->source].captured - layer->offset >= RMPP_SEGMENT_LENGTH;
}

static bool derive_data(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	return derive_after(packet, layer, value, SA_HEADER_LENGTH);
}

static bool derive_whole(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value)
{
	value->data = (struct rtap_span){ layer_bytes(packet, layer), SA_HEADER_LENGTH };
	return layer->length == SA_HEADER_LENGTH;
}

static const struct rtap_field sa_fields[] = {
	[ROW_WHOLE] = { "infiniband.sa.drdlid", "SA Packet", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_whole, NULL },
	[ROW_SM_KEY] = { "infiniband.sa.smkey", "SM_Key", SA_SM_KEY, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_OFFSET] = { "infiniband.sa.attributeoffset", "Attribute Offset", SA_ATTRIBUTE_OFFSET, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_RESERVED] = { "infiniband.sa.reserved", "Reserved", SA_RESERVED, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_MASK] = { "infiniband.sa.componentmask", "Component Mask", SA_COMPONENT_MASK, RTAP_HEX, 0, NULL, NULL, NULL },
	[ROW_COMPONENT] = { "infiniband.sa.component", "Component", 0, 0, RTAP_TEXT, RTAP_UNPLACED | RTAP_REPEATS, NULL, NULL, NULL },
	[ROW_DATA] = { "infiniband.sa.subnetadmindata", "Subnet Admin Data", 0, 0, RTAP_BYTES, RTAP_UNPLACED | RTAP_BULK, NULL, derive_data, NULL },
};

/* The components that the mask names. */
static void visit_sa(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct mad_attribute *attribute = mad_attribute_of(&packet->mad);
	uint64_t mask;

	if (layer->length < SA_HEADER_LENGTH || !attribute)
		return;
	mask = bits(layer_bytes(packet, layer), SA_COMPONENT_MASK);
	for (uint8_t i = 0; i < attribute->component_count; i++) {
		const char *name = attribute->components[i];
		struct rtap_value value = { .data = { (const uint8_t *)name, (uint32_t)strlen(name) } };

		if (mask >> i & 1)
			visit_field(visitor, layer, PROTOCOL_SA, ROW_COMPONENT, &value, layer->offset + 12, 8);
	}
}

/* Records of `length` bytes in all at the cursor. */
static void take_records(struct parse *parse, uint32_t length, uint32_t stride)
{
	const struct mad_attribute *attribute = mad_attribute_of(&parse->packet->mad);
	uint32_t offset = parse_offset(parse), count;

	if (!attribute || !attribute->parts[0].elements || stride < attribute->length) {
		if (attribute && attribute->parts[0].elements && length)
			parse_anomaly(parse, RTAP_ANOMALY_MALFORMED, offset);
		parse->next = length ? PROTOCOL_PAYLOAD : PROTOCOL_NONE;
		return;
	}
	/* the last one need not be filled up */
	count = length / stride + (length % stride >= attribute->length);
	mad_place_attribute(parse, offset, length, stride, count);
}

void sa_take_segment(struct parse *parse, const uint8_t *header)
{
	uint32_t stride = (uint32_t)bits(header, SA_ATTRIBUTE_OFFSET) * OFFSET_UNIT;
	const struct rtap_mad_facts *facts = &parse->packet->mad;
	bool is_only = facts->rmpp_flags & RMPP_FLAG_FIRST && facts->rmpp_flags & RMPP_FLAG_LAST;
	uint32_t length = facts->rmpp_length > SA_HEADER_LENGTH ? facts->rmpp_length - SA_HEADER_LENGTH : 0;

	if (parse->context->records.bytes) {
		if (parse_enter(parse, parse->context->records))
			take_records(parse, parse->cursor.wire, stride);
		return;
	}
	if (is_only && length <= parse->cursor.wire)
		take_records(parse, length, stride);
	else
		parse->next = PROTOCOL_PAYLOAD;
}

static enum result parse_sa(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_SA, SA_HEADER_LENGTH, &header);

	if (result != OK)
		return result;
	packet->mad.source = parse->source;
	packet->mad.data_offset = parse_offset(parse);
	packet->mad.data_captured = parse->cursor.captured;
	if (packet->mad.rmpp)
		sa_take_segment(parse, header);
	else
		mad_take_data(parse, RMPP_SEGMENT_LENGTH - SA_HEADER_LENGTH);
	return OK;
}

static void summary_sa(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	(void)layer;
	if (packet->mad.record_count > 1) {
		line_text(line, " records ");
		line_dec(line, packet->mad.record_count);
	}
}

const struct protocol sa_protocol = {
	.table = { "infiniband.sa", "Subnet Administration", "IBTA vol. 1, 15.2.1.1", SA_HEADER_LENGTH, FIELDS(sa_fields) },
	.scope = SCOPE_MESSAGE,
	.parse = parse_sa,
	.visit = visit_sa,
	.summary = summary_sa,
};
