/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures that are changed at random with knowledge of their headers, and whose lengths, checksums and CRCs are put right again, so that the
 * changes reach the upper layers. The same seed makes the same of the same captures.
 */
#ifndef RDMATAP_TESTS_FUZZ_MUTATOR_H
#define RDMATAP_TESTS_FUZZ_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

struct mutant_frame {
	uint8_t *bytes;          /* on the heap */
	uint32_t captured, wire;
	int64_t time_ns;
};

/* Frames of one link type. All zero: an empty one. */
struct mutant {
	struct mutant_frame *frames;
	size_t count, room;
	uint32_t link_type;
	uint64_t random;         /* state of the generator */
};

/* Takes the frames of a capture file in memory that are of its first frame's link type. Returns how many there are. */
size_t mutant_read(struct mutant *mutant, const uint8_t *file, size_t length);

/* Adds copies of frames of another capture. */
void mutant_copy(struct mutant *mutant, const struct mutant *from, size_t first, size_t count);

/* Mixes a part of another capture in; often as if it were between the same ends. */
void mutant_splice(struct mutant *mutant, const struct mutant *other);

/* Makes up to so many changes. */
void mutant_change(struct mutant *mutant, unsigned changes);

/* Writes as many frames as fit as a pcap file. Returns its length. */
size_t mutant_write(const struct mutant *mutant, uint8_t *file, size_t room);

void mutant_fini(struct mutant *mutant);

/* The next random number below `limit`, which is not 0. */
uint32_t mutant_below(struct mutant *mutant, uint32_t limit);

#endif
