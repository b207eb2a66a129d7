/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compact copies of packets, for later use or for another thread. struct rtap_packet has room for the contents of any frame;
 * most packets use a fifth of it.
 */
#ifndef DISSECT_ENGINE_PACKET_SNAPSHOT_H
#define DISSECT_ENGINE_PACKET_SNAPSHOT_H

#include "dissect/engine/packet.h"

/* Maximum size of a snapshot that borrows only its frame, as every packet dissected without context does. */
#define SNAPSHOT_SIZE (sizeof(struct rtap_packet) + 16)

/* Maximum of other borrowed bytes copied with a snapshot: copying more costs more than it saves. */
#define SNAPSHOT_BORROWED ((size_t)16 << 10)

/* Whether the packet refers to memory other than its frame's. */
static inline bool packet_borrows(const struct rtap_packet *packet)
{
	return packet->source_count > 1 || packet->fpdus.list;
}

/* Maximum size of the packet's snapshot. 0: none can be taken. */
size_t packet_snapshot_size(const struct rtap_packet *packet);

/*
 * Writes the packet to `snapshot`, which has packet_snapshot_size() bytes and is aligned for pointers; returns the size used,
 * a multiple of 8. The copy still borrows the frame's bytes.
 */
size_t packet_snapshot_take(const struct rtap_packet *packet, uint8_t *snapshot);

/*
 * Restores the packet from its frame and what packet_snapshot_take() wrote; other borrowed bytes are now borrowed from `snapshot`. Returns
 * the size used without these bytes.
 */
size_t packet_snapshot_restore(uint8_t *snapshot, const struct rtap_frame *frame, struct rtap_packet *packet);

#endif
