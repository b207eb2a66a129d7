/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A walk over the FPDUs that end in a packet, and over their fields.
 */
#ifndef DISSECT_IWARP_IWARP_WALK_H
#define DISSECT_IWARP_IWARP_WALK_H

#include "dissect/iwarp/iwarp.h"
#include "dissect/engine/protocol.h"

/* A walk over the FPDUs that end in a packet. */
struct iwarp_walk {
	const struct rtap_packet *packet;
	uint32_t next;        /* index in the list, or offset in source 0 */
	struct rtap_fpdu own; /* the FPDU where there is no list */
};

/* Begins a walk. The packet has fpdus (fpdus.count > 0) or the walk is empty. */
void iwarp_walk_init(struct iwarp_walk *walk, const struct rtap_packet *packet);

/* The next FPDU, valid until the next call or the end of the walk; NULL behind the last. Its facts: fpdu_head(), iwarp_read(). */
const struct rtap_fpdu *iwarp_next_fpdu(struct iwarp_walk *walk);

/* The source that holds these bytes, if any does. */
bool iwarp_find_source(const struct rtap_packet *packet, const struct rtap_span *bytes, uint8_t *source);

/* An FPDU while a visitor is told of it. */
struct iwarp_unit {
	const struct rtap_packet *packet;
	struct rtap_visitor *visitor;
	const struct rtap_fpdu *fpdu;
	struct rtap_layer layer;  /* of the protocol that is told: source and offset of the FPDU's bytes */
	const uint8_t *head;
	uint32_t head_length;
	enum result result;       /* of iwarp_read() */
	struct rtap_iwarp_facts facts;
};

/* Calls `tell` for each FPDU of the packet with its head read, inside a group "FPDU" if there are several. */
void iwarp_visit_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor,
		       void (*tell)(struct iwarp_unit *unit));

/*
 * Tells a field of the unit's layer that stands at byte `at` of the head. iwarp_tell_bytes() tells the bytes themselves: the
 * head has them. iwarp_tell_text() tells what stands nowhere in the packet.
 */
void iwarp_tell(struct iwarp_unit *unit, size_t row, uint64_t number, uint32_t at, uint32_t length);
void iwarp_tell_bytes(struct iwarp_unit *unit, size_t row, uint32_t at, uint32_t length);
void iwarp_tell_text(struct iwarp_unit *unit, size_t row, const char *text);

#endif
