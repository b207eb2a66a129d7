/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From an attribute's parts to layers, and from layers to fields, record by record.
 */
#include "config.h"

#include <stdio.h>

#include "dissect/management/mad.h"
#include "dissect/management/mad_attribute.h"
#include "dissect/management/mad_registry.h"
#include "dissect/engine/parse.h"
#include "dissect/engine/visit.h"

/* IBTA vol. 1, 14.2.5.3 */
const struct rtap_name mad_node_types[] = { { 1, "channel adapter" }, { 2, "switch" }, { 3, "router" }, { 0, NULL } };

/* IBTA vol. 1, 14.2.5.6 */
const struct rtap_name mad_mtus[] = { { 1, "256" }, { 2, "512" }, { 3, "1024" }, { 4, "2048" }, { 5, "4096" }, { 0, NULL } };

/* Of all lanes together. IBTA vol. 1, 15.2.5.16 */
const struct rtap_name mad_rates[] = {
	{ 2, "2.5 Gbps" }, { 3, "10 Gbps" }, { 4, "30 Gbps" }, { 5, "5 Gbps" }, { 6, "20 Gbps" }, { 7, "40 Gbps" }, { 8, "60 Gbps" },
	{ 9, "80 Gbps" }, { 10, "120 Gbps" }, { 11, "14 Gbps" }, { 12, "56 Gbps" }, { 13, "112 Gbps" }, { 14, "168 Gbps" },
	{ 15, "25 Gbps" }, { 16, "100 Gbps" }, { 17, "200 Gbps" }, { 18, "300 Gbps" }, { 19, "28 Gbps" }, { 20, "50 Gbps" },
	{ 21, "400 Gbps" }, { 22, "600 Gbps" }, { 23, "800 Gbps" }, { 24, "1200 Gbps" }, { 25, "1600 Gbps" }, { 0, NULL },
};

/* SGIDCount and DGIDCount of a MultiPathRecord. IBTA vol. 1, 15.2.5.20. */
#define MULTI_PATH_COUNTS_AT 15

bool mad_derive_text(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_value *value, uint32_t at,
		     uint32_t length)
{
	const uint8_t *text = layer_bytes(packet, layer) + at;

	value->data = (struct rtap_span){ text, (uint32_t)strnlen((const char *)text, length) };
	return true;
}

/* Positions and repetitions of the parts of one record. */
struct records {
	const struct rtap_packet *packet;
	const struct mad_attribute *attribute;
	const uint8_t *bytes;  /* of the source */
	uint32_t captured;     /* of the source */
};

static struct records records_of(const struct rtap_packet *packet)
{
	return (struct records){ packet, mad_attribute_of(&packet->mad), packet->sources[packet->mad.record_source].bytes,
				 packet->sources[packet->mad.record_source].captured };
}

static uint16_t protocol_of(const struct rtap_packet *packet, const struct mad_attribute *attribute, const struct mad_part *part)
{
	bool is_last = part + 1 == attribute->parts + MAD_MAX_PARTS || !part[1].elements;

	return attribute->variant && is_last ? packet->mad.variant : part->protocol;
}

static uint32_t elements_of(const struct records *records, const struct mad_part *part, uint32_t record_at)
{
	const uint8_t *counts = records->bytes + record_at + MULTI_PATH_COUNTS_AT;

	if (part->elements != MAD_COUNTED)
		return part->elements;
	return record_at + MULTI_PATH_COUNTS_AT + 2 <= records->captured ? (uint32_t)counts[0] + counts[1] : 0;
}

static const struct mad_part *end_of(const struct mad_attribute *attribute)
{
	const struct mad_part *part = attribute->parts;

	while (part < attribute->parts + MAD_MAX_PARTS && part->elements)
		part++;
	return part;
}

/* Captured bytes of the record from `at`, at most up to the start of the next record. */
static uint32_t left_of(const struct records *records, uint32_t record_at, uint32_t at)
{
	uint32_t end = record_at + records->packet->mad.record_stride;

	if (end > records->captured)
		end = records->captured;
	return at < end ? end - at : 0;
}

/* The headers of one part in one record. `named`: each in its own group. */
static void visit_part(const struct records *records, const struct mad_part *part, struct rtap_layer *unit, uint32_t record_at, bool named,
		       struct rtap_visitor *visitor)
{
	const struct rtap_protocol *table = &protocol_by_number(unit->protocol)->table;
	uint32_t elements = elements_of(records, part, record_at);
	uint32_t at = record_at + part->offset;

	for (uint32_t i = 0; i < elements; i++, at += table->length) {
		uint32_t left = left_of(records, record_at, at);
		char label[32];

		if (!left)
			break;
		unit->offset = at;
		unit->length = left < table->length ? left : table->length;
		snprintf(label, sizeof label, "Entry %u", i);
		if (named && visitor->enter)
			visitor->enter(visitor, elements > 1 ? label : table->label,
				       &(struct rtap_place){ unit->source, at, unit->length });
		visit_unit(records->packet, unit, visitor);
		if (named && visitor->leave)
			visitor->leave(visitor);
	}
}

/* All parts of one record, for a walk over the whole packet. */
static void visit_record(const struct records *records, uint32_t record_at, struct rtap_layer *unit, struct rtap_visitor *visitor)
{
	const struct mad_attribute *attribute = records->attribute;

	for (const struct mad_part *part = attribute->parts; part < end_of(attribute); part++) {
		unit->protocol = protocol_of(records->packet, attribute, part);
		if (unit->protocol != PROTOCOL_NONE)
			visit_part(records, part, unit, record_at, part != attribute->parts || part->elements > 1, visitor);
	}
}

static const struct mad_part *part_of(const struct records *records, uint16_t protocol)
{
	const struct mad_attribute *attribute = records->attribute;

	for (const struct mad_part *part = attribute->parts; part < end_of(attribute); part++)
		if (protocol_of(records->packet, attribute, part) == protocol)
			return part;
	return NULL;
}

void mad_visit(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor)
{
	const struct rtap_mad_facts *mad = &packet->mad;
	struct records records = records_of(packet);
	const struct mad_part *part = records.attribute ? part_of(&records, layer->protocol) : NULL;
	struct rtap_layer unit = *layer;
	uint32_t at = mad->record_offset;

	if (!part || mad->record_source != layer->source)
		return;
	for (uint32_t i = 0; i < mad->record_count && at < records.captured; i++, at += mad->record_stride) {
		bool grouped = mad->record_count > 1 && !layer->within;
		char label[32];

		snprintf(label, sizeof label, "Record %u", i + 1);
		if (grouped && visitor->enter)
			visitor->enter(visitor, label, &(struct rtap_place){ layer->source, at, left_of(&records, at, at) });
		unit.protocol = layer->protocol;
		/* a visitor that wants only some fields also visits each part's own layer */
		if (visitor->wanted || layer->within)
			visit_part(&records, part, &unit, at, false, visitor);
		else
			visit_record(&records, at, &unit, visitor);
		if (grouped && visitor->leave)
			visitor->leave(visitor);
	}
}

static void place_part(struct parse *parse, uint16_t protocol, uint32_t offset, uint32_t length, bool within)
{
	struct rtap_packet *packet = parse->packet;
	uint8_t before = packet->layer_count;

	parse_place_layer(parse, protocol, offset, length);
	if (packet->layer_count > before)
		packet->layers[before].within = within;
}

void mad_place_attribute(struct parse *parse, uint32_t offset, uint32_t length, uint32_t stride, uint32_t count)
{
	struct rtap_packet *packet = parse->packet;
	const struct mad_attribute *attribute = mad_attribute_of(&packet->mad);
	uint32_t captured = packet->sources[parse->source].captured;
	uint32_t there = offset < captured ? captured - offset : 0;

	if (!attribute || !attribute->parts[0].elements || !count || !there)
		return;
	packet->mad.record_source = parse->source;
	packet->mad.record_offset = offset;
	packet->mad.record_stride = stride;
	packet->mad.record_count = count;
	packet->mad.variant = PROTOCOL_NONE;
	if (attribute->variant && there >= attribute->length && length >= attribute->length)
		packet->mad.variant = attribute->variant(packet->sources[parse->source].bytes + offset);
	for (const struct mad_part *part = attribute->parts; part < end_of(attribute); part++) {
		uint16_t protocol = protocol_of(packet, attribute, part);

		if (protocol != PROTOCOL_NONE && part->offset < length)
			place_part(parse, protocol, offset + part->offset, length - part->offset, part != attribute->parts);
	}
}

void mad_take_data(struct parse *parse, uint32_t length)
{
	const struct mad_attribute *attribute = mad_attribute_of(&parse->packet->mad);
	uint32_t offset = parse_offset(parse);

	if (length > parse->cursor.wire)
		length = parse->cursor.wire;
	if (!attribute || !attribute->parts[0].elements) {
		parse->next = PROTOCOL_PAYLOAD;
		return;
	}
	if (length < attribute->length)
		parse_anomaly(parse, parse->cursor.captured < attribute->length && parse->cursor.wire > parse->cursor.captured ?
			      RTAP_ANOMALY_TRUNCATED : RTAP_ANOMALY_MALFORMED, offset);
	mad_place_attribute(parse, offset, length, length, 1);
}
