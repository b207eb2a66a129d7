/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DDP and RDMAP headers: opcodes, facts, and plausibility checks.
 */
#ifndef DISSECT_IWARP_IWARP_H
#define DISSECT_IWARP_IWARP_H

#include <rdmatap/iwarp.h>

#include "dissect/engine/protocol.h"

#define DDP_TAGGED_LENGTH 14      /* RFC 5041, 4.2 */
#define DDP_UNTAGGED_LENGTH 18    /* RFC 5041, 4.3 */
/* Properties of an opcode. RFC 5040, figures 4 and 5; RFC 7306, figures 2 and 3. */
struct iwarp_opcode {
	const char *name;       /* NULL: reserved */
	bool tagged;
	uint8_t qn;             /* untagged */
	bool has_payload;       /* ULP bytes may follow */
	uint8_t header_length;  /* of the RDMAP header after the DDP header, in the first segment of the message; 0: none */
	bool invalidates, solicited;
};

extern const struct iwarp_opcode iwarp_opcodes[16];

/* Returns whether the opcode is one of the four Sends. */
static inline bool iwarp_is_send(uint8_t opcode)
{
	return opcode >= RTAP_RDMAP_SEND && opcode <= RTAP_RDMAP_SEND_SE_INVALIDATE;
}

/*
 * Reads the DDP and RDMAP headers at the start of a ULPDU of `ulpdu_length` bytes, the first `length` of which are at
 * `head` (without markers; see fpdu_head()). TRUNCATED: a header extends beyond the captured bytes. MALFORMED: the ULPDU is
 * too short for its headers. *facts has what was read; payload_offset is the end of the last complete header.
 */
enum result iwarp_read(const uint8_t *head, uint32_t length, uint32_t ulpdu_length, struct rtap_iwarp_facts *facts);

/*
 * Returns whether the headers comply with the standard: versions, reserved bits, opcode, tagged flag, queue number, lengths.
 * For finding FPDUs in a stream.
 */
bool iwarp_is_plausible(const struct rtap_iwarp_facts *facts, uint32_t ulpdu_length);

/* Returns whether a ULPDU starts with the headers of a standard-compliant Send that it contains as a whole. RFC 5041, 4.3. */
bool iwarp_is_whole_send(const uint8_t *ulpdu, uint32_t ulpdu_length);

/*
 * Returns whether `next` may directly follow `previous` in one direction: segments of a message are contiguous and numbers
 * continue. Both must be plausible by themselves. RFC 5041, 5.1 and 5.2.
 */
bool iwarp_follows(const struct rtap_iwarp_facts *previous, const struct rtap_iwarp_facts *next);

#endif
