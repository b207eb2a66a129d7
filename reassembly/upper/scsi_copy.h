/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What copy commands of SCSI change: EXTENDED COPY (SPC-4, 6.4 and 6.5) and WRITE USING TOKEN (SBC-4, 5.58). Their parameter data
 * names where blocks were written. What was written is known if EXTENDED COPY names units by designators that INQUIRY has shown;
 * else the blocks are unknown.
 */
#ifndef REASSEMBLY_UPPER_SCSI_COPY_H
#define REASSEMBLY_UPPER_SCSI_COPY_H

#include "reassembly/block_effect.h"
#include "reassembly/state.h"
#include "reassembly/upper/scsi_units.h"

struct scsi_copy {
	const uint8_t *bytes;      /* the parameter data starts with them; it may be cut */
	uint64_t length;
	bool is_long;              /* the list identifier has four bytes */
	bool is_good;              /* the command was successful */
	const struct scsi_units *units;
};

void scsi_copy_extended(struct rtap_tracker *tracker, const struct scsi_copy *copy, struct block_effect *effect);

/* The ranges are of the effect's unit, with blocks of `block_size` bytes; 0: unknown. */
void scsi_copy_token(struct rtap_tracker *tracker, const uint8_t *bytes, uint64_t length, uint32_t block_size, struct block_effect *effect);

#endif
