/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of link, network and tunnel headers: bytes out of text, and text out of packets.
 */
#ifndef TESTS_NETWORK_KIT_H
#define TESTS_NETWORK_KIT_H

#include <stdio.h>

#include "dissect/engine/protocol.h"
#include "tests/frame_kit.h"

/* Bytes of a hexadecimal text, which must fit; returns how many. */
static inline uint32_t kit_bytes(const char *hex, uint8_t *bytes)
{
	uint32_t length = 0;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[length++] = (uint8_t)byte;
	return length;
}

/* The one-line text without time and notes, ended by a zero byte. */
static inline void kit_summary(const struct kit *kit, char *text, size_t size)
{
	struct line line;

	line_init(&line, text, size - 1);
	for (uint8_t i = 0; i < kit->packet.layer_count; i++) {
		const struct rtap_layer *layer = &kit->packet.layers[i];
		const struct protocol *protocol = protocol_by_number(layer->protocol);

		if (protocol->summary)
			protocol->summary(&kit->packet, layer, &line);
	}
	*line.next = 0;
}

struct kit_printer {
	struct rtap_visitor visitor;
	const char *name;
	struct line line;
	unsigned seen;
};

static inline void kit_print(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			     const struct rtap_value *value, const struct rtap_place *place)
{
	struct kit_printer *printer = (struct kit_printer *)visitor;

	(void)id;
	(void)place;
	if (printer->name && strcmp(field->name, printer->name))
		return;
	if (printer->seen++)
		line_char(&printer->line, ',');
	line_value(&printer->line, field, value);
}

/* All values of a field (NULL: of all fields), joined by commas, ended by a zero byte. */
static inline void kit_values(const struct kit *kit, const char *name, char *text, size_t size)
{
	struct kit_printer printer = { .visitor = { .field = kit_print, .on_demand = true, .bulk = true }, .name = name };

	line_init(&printer.line, text, size - 1);
	rtap_packet_visit(&kit->packet, &printer.visitor);
	*printer.line.next = 0;
}

#endif
