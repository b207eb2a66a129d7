/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets kept for later, or for another thread, in as few bytes as will do: a packet has room for all that any frame can
 * have, of which most have a fifth.
 */
#ifndef DISSECT_FROZEN_H
#define DISSECT_FROZEN_H

#include <rdmatap/packet.h>

/* Bytes that a frozen packet takes at most. */
#define FROZEN_SIZE (sizeof(struct rtap_packet) + 16)

/* Whether the packet borrows nothing but its frame, and so can be frozen. */
bool packet_is_of_frame(const struct rtap_packet *packet);

/* Writes the packet to `frozen`, which has FROZEN_SIZE bytes; returns how many of them it took. It goes on borrowing the frame's bytes. */
size_t packet_freeze(const struct rtap_packet *packet, uint8_t *frozen);

/* Makes the packet again of what packet_freeze() wrote of it, and its frame. Returns the bytes that it took. */
size_t packet_thaw(const uint8_t *frozen, const struct rtap_frame *frame, struct rtap_packet *packet);

#endif
