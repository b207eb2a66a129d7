/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: frames built from bytes, and their packets.
 */
#ifndef TESTS_FRAME_KIT_H
#define TESTS_FRAME_KIT_H

#include <stdlib.h>
#include <string.h>

#include <rdmatap/visitor.h>

#include "dissect/dissect.h"
#include "dissect/engine/packet.h"

/* A frame in a heap block of exactly its captured size, so that a sanitizer sees every byte read after it. */
struct kit {
	struct rtap_frame frame;
	struct rtap_packet packet;
	uint8_t *block;
};

static inline void kit_dissect(struct kit *kit, uint32_t link_type, const uint8_t *bytes, uint32_t captured, uint32_t wire,
			       const struct rtap_context *context)
{
	kit->block = malloc(captured ? captured : 1);
	memcpy(kit->block, bytes, captured);
	kit->frame = (struct rtap_frame){
		.bytes = kit->block, .captured_length = captured, .wire_length = wire, .link_type = link_type, .number = 1,
	};
	dissect_frame(&kit->frame, context, &kit->packet);
}

static inline void kit_free(struct kit *kit)
{
	free(kit->block);
}

static inline bool kit_has_anomaly(const struct kit *kit, enum rtap_anomaly_code code)
{
	for (uint8_t i = 0; i < kit->packet.anomaly_count; i++)
		if (kit->packet.anomalies[i].code == code)
			return true;
	return false;
}

struct kit_finder {
	struct rtap_visitor visitor;
	const char *name;
	struct rtap_value value;
	unsigned seen;
};

static inline void kit_found(struct rtap_visitor *visitor, rtap_field_id id, const struct rtap_field *field,
			     const struct rtap_value *value, const struct rtap_place *place)
{
	struct kit_finder *finder = (struct kit_finder *)visitor;

	(void)id;
	(void)place;
	if (!strcmp(field->name, finder->name) && !finder->seen++)
		finder->value = *value;
}

/* The number of occurrences of a field; stores its first value in *value unless that is NULL. */
static inline unsigned kit_field(const struct kit *kit, const char *name, struct rtap_value *value)
{
	struct kit_finder finder = { .visitor = { .field = kit_found, .on_demand = true, .bulk = true }, .name = name };

	rtap_packet_visit(&kit->packet, &finder.visitor);
	if (value)
		*value = finder.value;
	return finder.seen;
}

/* Layers of the packet as "frame eth ip udp infiniband.bth". */
static inline void kit_layers(const struct kit *kit, char *text, size_t size)
{
	text[0] = 0;
	for (uint8_t i = 0; i < kit->packet.layer_count; i++) {
		strncat(text, i ? " " : "", size - strlen(text) - 1);
		strncat(text, rtap_protocol_by_number(kit->packet.layers[i].protocol)->name, size - strlen(text) - 1);
	}
}

/* Builds a native InfiniBand frame: LRH (local), BTH with the opcode, then `rest` and four bytes for the CRC. Returns its length. */
static inline uint32_t kit_ib_frame(uint8_t *frame, uint8_t opcode, uint8_t pad, const uint8_t *rest, uint32_t rest_length)
{
	uint32_t length = 8 + 12 + rest_length + 4, words = length / 4;

	memset(frame, 0, length);
	frame[1] = 0x02; /* LNH: IBA local */
	frame[3] = 1;
	frame[4] = (uint8_t)(words >> 8);
	frame[5] = (uint8_t)words;
	frame[7] = 2;
	frame[8] = opcode;
	frame[9] = (uint8_t)(pad << 4);
	frame[15] = 0x11; /* destination QP 0x000011 */
	frame[19] = 7;    /* PSN 7 */
	memcpy(frame + 20, rest, rest_length);
	return length;
}

#endif
