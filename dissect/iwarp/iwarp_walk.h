/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Iteration over the FPDUs that end in a packet, and over their fields.
 */
#ifndef DISSECT_IWARP_IWARP_WALK_H
#define DISSECT_IWARP_IWARP_WALK_H

#include "dissect/iwarp/iwarp.h"
#include "dissect/engine/protocol.h"

/* An iterator over the FPDUs that end in a packet. */
struct iwarp_walk {
	const struct rtap_packet *packet;
	uint32_t next;        /* index in the list, or offset in source 0 */
	struct rtap_fpdu own; /* the FPDU if there is no list */
};

/* Starts the iteration, which is empty if the packet has no FPDUs. */
void iwarp_walk_init(struct iwarp_walk *walk, const struct rtap_packet *packet);

/* Returns the next FPDU, valid until the next call, or NULL after the last. For its facts: fpdu_head(), iwarp_read(). */
const struct rtap_fpdu *iwarp_next_fpdu(struct iwarp_walk *walk);

/* Whether it is an FPDU of an earlier segment, whose start was found only now: the packet shows it after later ones. */
static inline bool iwarp_is_late(const struct rtap_packet *packet, const struct rtap_fpdu *fpdu)
{
	return packet->fpdus.list && fpdu->last_frame < packet->frame->number;
}

/* Whether the packet has such FPDUs. */
bool iwarp_has_late(const struct rtap_packet *packet);

/* Finds the source with these bytes. False: none has them. */
bool iwarp_find_source(const struct rtap_packet *packet, const struct rtap_span *bytes, uint8_t *source);

/* An FPDU being visited. */
struct iwarp_unit {
	const struct rtap_packet *packet;
	struct rtap_visitor *visitor;
	const struct rtap_fpdu *fpdu;
	struct rtap_layer layer;  /* of the protocol visited: source and offset of the FPDU's bytes */
	const uint8_t *head;
	uint32_t head_length;
	enum result result;       /* of iwarp_read() */
	struct rtap_iwarp_facts facts;
};

/* Calls `report` for each FPDU of the packet after reading its headers; within a group "FPDU" if there are several. */
void iwarp_visit_units(const struct rtap_packet *packet, const struct rtap_layer *layer, struct rtap_visitor *visitor,
		       void (*report)(struct iwarp_unit *unit));

/*
 * Passes a field of the unit's layer, at byte `at` of the head, to the visitor. iwarp_show_bytes() passes bytes of the head;
 * iwarp_show_text() passes text that does not occur in the packet.
 */
void iwarp_show(struct iwarp_unit *unit, size_t row, uint64_t number, uint32_t at, uint32_t length);
void iwarp_show_bytes(struct iwarp_unit *unit, size_t row, uint32_t at, uint32_t length);
void iwarp_show_text(struct iwarp_unit *unit, size_t row, const char *text);

#endif
