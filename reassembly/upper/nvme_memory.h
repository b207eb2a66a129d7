/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Host memory that a command names: by a keyed descriptor in SGL1, or by a segment of descriptors in the capsule. Base, 4.1.2.
 */
#ifndef REASSEMBLY_UPPER_NVME_MEMORY_H
#define REASSEMBLY_UPPER_NVME_MEMORY_H

#include "reassembly/upper/command.h"

#define NVME_MOST_PIECES 256   /* MSDBD has eight bits */

struct nvme_piece {
	uint64_t address, position; /* position in the data of the command */
	uint32_t length, key;
};

/*
 * The pieces of memory, in the order of the data. `command`: at least the bytes up to SGL1; `inside`: data in the capsule.
 * *length: bytes of the data, those in the capsule included. Bit buckets take no memory. *is_partial: some of the data is neither in these nor all in
 * the capsule. Returns their number, at most NVME_MOST_PIECES.
 */
uint32_t nvme_memory_read(const uint8_t *command, struct rtap_span inside, struct nvme_piece *pieces, uint64_t *length, bool *is_partial);

/* The data of all pieces, each at its position. False: out of memory. */
bool nvme_memory_join(const struct command *command, const struct nvme_piece *pieces, uint32_t count, struct coverage *data, struct coverage *cut);

#endif
