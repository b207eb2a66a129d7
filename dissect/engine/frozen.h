/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compact copies of packets, for later use or for another thread. struct rtap_packet has room for the contents of any frame;
 * most packets use a fifth of it.
 */
#ifndef DISSECT_ENGINE_FROZEN_H
#define DISSECT_ENGINE_FROZEN_H

#include <rdmatap/packet.h>

/* Maximum size of a frozen packet that borrows only its frame, as every packet dissected without context does. */
#define FROZEN_SIZE (sizeof(struct rtap_packet) + 16)

/* Maximum of other borrowed bytes copied with a frozen packet: copying more costs more than it saves. */
#define FROZEN_BORROWED ((size_t)16 << 10)

/* Maximum size of the packet when frozen. 0: it cannot be frozen. */
size_t packet_frozen_size(const struct rtap_packet *packet);

/*
 * Writes the packet to `frozen`, which has packet_frozen_size() bytes and is aligned for pointers; returns the size used,
 * a multiple of 8. The copy still borrows the frame's bytes.
 */
size_t packet_freeze(const struct rtap_packet *packet, uint8_t *frozen);

/*
 * Restores the packet from its frame and what packet_freeze() wrote; other borrowed bytes are now borrowed from `frozen`. Returns
 * the size used without these bytes.
 */
size_t packet_thaw(uint8_t *frozen, const struct rtap_frame *frame, struct rtap_packet *packet);

#endif
