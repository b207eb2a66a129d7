/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp_walk.h"
#include "dissect/engine/visit.h"

void iwarp_walk_init(struct iwarp_walk *walk, const struct rtap_packet *packet)
{
	walk->packet = packet;
	walk->next = packet->fpdus.list ? 0 : packet->fpdus.offset;
}

const struct rtap_fpdu *iwarp_next_fpdu(struct iwarp_walk *walk)
{
	const struct rtap_fpdus *fpdus = &walk->packet->fpdus;
	const struct rtap_packet *packet = walk->packet;

	if (fpdus->list)
		return walk->next < fpdus->count ? &fpdus->list[walk->next++] : NULL;
	if (!fpdus->count || !fpdu_take_plain(packet->sources[0].bytes + walk->next, fpdus->offset + fpdus->length - walk->next, &walk->own))
		return NULL;
	walk->own.upper = NULL;
	walk->own.crc_status = fpdus->crc_status;
	walk->own.framing = fpdus->framing;
	walk->own.skewed_markers = false;
	walk->own.split = false;
	walk->next += walk->own.bytes.length;
	return &walk->own;
}

bool iwarp_find_source(const struct rtap_packet *packet, const struct rtap_span *bytes, uint8_t *source)
{
	uintptr_t at = (uintptr_t)bytes->bytes;

	for (uint8_t i = 0; i < packet->source_count; i++) {
		uintptr_t start = (uintptr_t)packet->sources[i].bytes;
		uint32_t captured = packet->sources[i].captured;

		if (at >= start && at - start <= captured && bytes->length <= captured - (at - start)) {
			*source = i;
			return true;
		}
	}
	return false;
}

void iwarp_show(struct iwarp_unit *unit, size_t row, uint64_t number, uint32_t at, uint32_t length)
{
	struct rtap_value value = { .number = number };

	visit_field(unit->visitor, &unit->layer, unit->layer.protocol, row, &value, unit->layer.offset + at, length);
}

void iwarp_show_bytes(struct iwarp_unit *unit, size_t row, uint32_t at, uint32_t length)
{
	struct rtap_value value = { .data = { unit->head + at, length } };

	visit_field(unit->visitor, &unit->layer, unit->layer.protocol, row, &value, unit->layer.offset + at, length);
}

void iwarp_show_text(struct iwarp_unit *unit, size_t row, const char *text)
{
	struct rtap_value value = { .data = { (const uint8_t *)text, (uint32_t)strlen(text) } };

	visit_field(unit->visitor, &unit->layer, unit->layer.protocol, row, &value, unit->layer.offset, 0);
}

/* Position of the unit's head: if markers interrupt it, or no source has it, values have the layer's position. */
static void place_unit(struct iwarp_unit *unit, const struct rtap_layer *layer)
{
	struct rtap_span head = { unit->head, unit->head_length };
	uint8_t source;

	unit->layer = *layer;
	if (!iwarp_find_source(unit->packet, &head, &source))
		return;
	unit->layer.source = source;
	unit->layer.offset = (uint32_t)(head.bytes - unit->packet->sources[source].bytes);
}

void iwarp_visit_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor,
		       void (*report)(struct iwarp_unit *unit))
{
	struct iwarp_unit unit = { .packet = packet, .visitor = visitor };
	bool grouped = packet->fpdus.count > 1;
	struct iwarp_walk walk;

	iwarp_walk_init(&walk, packet);
	while ((unit.fpdu = iwarp_next_fpdu(&walk))) {
		unit.head = fpdu_head(unit.fpdu, &unit.head_length);
		unit.result = iwarp_read(unit.head, unit.head_length, unit.fpdu->ulpdu_length, &unit.facts);
		place_unit(&unit, layer);
		if (grouped && visitor->enter)
			visitor->enter(visitor, "FPDU", &(struct rtap_place){ unit.layer.source, unit.layer.offset, unit.head_length });
		report(&unit);
		if (grouped && visitor->leave)
			visitor->leave(visitor);
	}
}

bool iwarp_has_late(const struct rtap_packet *packet)
{
	struct iwarp_walk walk;
	const struct rtap_fpdu *fpdu;

	if (!packet->fpdus.list)
		return false;
	iwarp_walk_init(&walk, packet);
	while ((fpdu = iwarp_next_fpdu(&walk)))
		if (iwarp_is_late(packet, fpdu))
			return true;
	return false;
}
