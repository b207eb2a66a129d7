/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets that were captured at several places, each into a file of its own: their clocks can differ by any time. A packet is known
 * again by its identity (reassembly/packet_identity.h), and by the invariant CRC where both copies have it.
 */
#ifndef REASSEMBLY_CAPTURED_COPIES_H
#define REASSEMBLY_CAPTURED_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/packet.h>

/* The last packets of all interfaces. */
struct captured_copies;

/* at_the_same_time: files are known to have the same packets. NULL: memory is out. */
struct captured_copies *captured_copies_create(bool at_the_same_time);

enum captured_copy {
	CAPTURED_FIRST,            /* or it was sent again */
	CAPTURED_ELSEWHERE,        /* another interface had it, and this one had not */
	CAPTURED_DOUBLED,          /* this interface had it just now: the network doubled it */
};

/* Looks for the packet among the last ones, and remembers it. */
enum captured_copy captured_copies_take(struct captured_copies *copies, const struct rtap_packet *packet);

struct captured_copies_summary {
	uint64_t packets;          /* that were there before */
	uint32_t interface, other; /* of the first of them: its own, and where it was first */
	int64_t offset_ns;         /* by how much `interface`'s clock is ahead of `other`'s, as far as packets in both directions tell */
};

struct captured_copies_summary captured_copies_summary(const struct captured_copies *copies);

/* NULL is ignored. */
void captured_copies_destroy(struct captured_copies *copies);

#endif
