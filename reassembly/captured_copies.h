/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets captured at several places into separate files, whose clocks can differ by any amount. Copies are recognised by
 * identity (reassembly/packet_identity.h), and by the invariant CRC if both copies have it.
 */
#ifndef REASSEMBLY_CAPTURED_COPIES_H
#define REASSEMBLY_CAPTURED_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/packet.h"

struct packet_identity;

/* The recent packets of all capture points. */
struct captured_copies;

/* at_the_same_time: the files are known to contain the same packets. NULL: out of memory. */
struct captured_copies *captured_copies_create(bool at_the_same_time);

enum captured_copy {
	CAPTURED_FIRST,            /* first copy, or a retransmission */
	CAPTURED_ELSEWHERE,        /* another point captured it, this one did not */
	CAPTURED_DOUBLED,          /* this point just captured it: the network duplicated it */
};

/* Looks up the packet among the recent ones and adds it. `end`: where the frames that follow its own in memory end; NULL: unknown. */
enum captured_copy captured_copies_take(struct captured_copies *copies, const struct rtap_packet *packet, const struct rtap_frame *end);

/* The identity of the packet that was looked up last; NULL: it has none. */
const struct packet_identity *captured_copies_last(const struct captured_copies *copies);

struct captured_copies_summary {
	uint64_t packets;          /* packets captured before */
	uint32_t interface, other; /* of the first of them: of its own point; of that of the first copy */
	int64_t offset_ns;         /* by how much `interface`'s clock is ahead of `other`'s, estimated from packets in both directions */
};

struct captured_copies_summary captured_copies_summary(const struct captured_copies *copies);

/* NULL is ignored. */
void captured_copies_destroy(struct captured_copies *copies);

#endif
