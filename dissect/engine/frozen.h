/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets kept for later, or for another thread, in as few bytes as will do: a packet has room for all that any frame can
 * have, of which most have a fifth.
 */
#ifndef DISSECT_ENGINE_FROZEN_H
#define DISSECT_ENGINE_FROZEN_H

#include <rdmatap/packet.h>

/* Bytes that a frozen packet takes at most if it borrows nothing but its frame, as every one does that is dissected by itself. */
#define FROZEN_SIZE (sizeof(struct rtap_packet) + 16)

/* What else a packet may borrow to be frozen with a copy of it: copying more costs more than it saves. */
#define FROZEN_LOANS ((size_t)16 << 10)

/* Bytes that the packet takes at most. 0: it cannot be frozen. */
size_t packet_frozen_size(const struct rtap_packet *packet);

/*
 * Writes the packet to `frozen`, which has packet_frozen_size() bytes and is aligned for pointers; returns how many of them it took,
 * which is a multiple of 8. It goes on borrowing the frame's bytes.
 */
size_t packet_freeze(const struct rtap_packet *packet, uint8_t *frozen);

/*
 * Makes the packet again of what packet_freeze() wrote of it, and its frame; what else it borrowed, it now borrows from `frozen`. Returns
 * the bytes that it took but for these.
 */
size_t packet_thaw(uint8_t *frozen, const struct rtap_frame *frame, struct rtap_packet *packet);

#endif
