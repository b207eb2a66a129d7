/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The headers of DDP and RDMAP: opcodes, facts, and whether they are what a sender sends.
 */
#ifndef DISSECT_IWARP_IWARP_H
#define DISSECT_IWARP_IWARP_H

#include <rdmatap/iwarp.h>

#include "dissect/engine/protocol.h"

#define DDP_TAGGED_LENGTH 14      /* RFC 5041, 4.2 */
#define DDP_UNTAGGED_LENGTH 18    /* RFC 5041, 4.3 */
/* All that is known of an opcode. RFC 5040, figures 4 and 5; RFC 7306, figures 2 and 3. */
struct iwarp_opcode {
	const char *name;       /* NULL: reserved */
	bool tagged;
	uint8_t qn;             /* untagged */
	bool has_payload;       /* bytes of the upper layer may follow */
	uint8_t header_length;  /* of the RDMAP header behind DDP's, in the segment that begins the message; 0 none */
	bool invalidates, solicited;
};

extern const struct iwarp_opcode iwarp_opcodes[16];

/* Whether the opcode is one of the four Sends. */
static inline bool iwarp_is_send(uint8_t opcode)
{
	return opcode >= RTAP_RDMAP_SEND && opcode <= RTAP_RDMAP_SEND_SE_INVALIDATE;
}

/*
 * Reads the DDP and RDMAP headers at the head of a ULPDU of `ulpdu_length` bytes, of which the first `length` are at
 * `head` (without markers; see fpdu_head()). TRUNCATED: a header goes on behind what was captured. MALFORMED: the ULPDU is
 * too short for its headers. *facts hold what was read; payload_offset is behind the last whole header.
 */
enum result iwarp_read(const uint8_t *head, uint32_t length, uint32_t ulpdu_length, struct rtap_iwarp_facts *facts);

/*
 * Whether headers are what a sender that keeps to the standard sends: versions, reserved bits, opcode, tagged flag, queue
 * number, lengths. For finding FPDUs in a stream.
 */
bool iwarp_is_plausible(const struct rtap_iwarp_facts *facts, uint32_t ulpdu_length);

/* Whether a ULPDU begins as a Send does that fits into it, and that a sender which keeps to the standard sends. RFC 5041, 4.3. */
bool iwarp_is_whole_send(const uint8_t *ulpdu, uint32_t ulpdu_length);

/*
 * Whether `next` may directly follow `previous` in one direction: segments of a message stand together, and numbers go on.
 * Both are plausible by themselves. RFC 5041, 5.1 and 5.2.
 */
bool iwarp_follows(const struct rtap_iwarp_facts *previous, const struct rtap_iwarp_facts *next);

#endif
