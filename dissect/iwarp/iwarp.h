/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DDP and RDMAP headers: opcodes, facts, and plausibility checks.
 */
#ifndef DISSECT_IWARP_IWARP_H
#define DISSECT_IWARP_IWARP_H

#include "dissect/engine/packet.h"
#include "dissect/engine/protocol.h"

#define DDP_TAGGED_LENGTH 14      /* RFC 5041, 4.2 */
#define DDP_UNTAGGED_LENGTH 18    /* RFC 5041, 4.3 */
/* Contents of the DDP and RDMAP headers of one FPDU, in host order. */
struct rtap_iwarp_facts {
	bool tagged, last;
	uint8_t ddp_version, rdmap_version;
	uint8_t ddp_reserved, rdmap_reserved;
	uint8_t opcode;            /* enum rtap_rdmap_opcode; others are reserved */
	uint32_t stag;             /* tagged */
	uint64_t tagged_offset;    /* tagged */
	uint32_t qn, msn, mo;      /* untagged */
	uint32_t invalidate_stag;  /* untagged: of the two Sends with Invalidate; 0 in others (RFC 5040) */
	bool has_read, has_atomic, has_original, has_immediate, has_terminate; /* the RDMAP header is complete */
	uint32_t sink_stag, source_stag, read_length; /* Read Request */
	uint64_t sink_offset, source_offset;
	uint32_t atomic_opcode, request_identifier, remote_stag; /* Atomic Request; the identifier also in a response */
	uint64_t remote_offset, swap_or_add, swap_or_add_mask, compare, compare_mask;
	uint64_t original;         /* Atomic Response */
	uint64_t immediate;        /* Immediate Data: eight bytes */
	uint8_t error_layer, error_type, error_code; /* Terminate */
	uint32_t payload_offset;   /* in the ULPDU, after the headers */
	uint32_t payload_length;   /* ULP bytes in this FPDU; 0 if the opcode carries none */
};

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

/* How far the numbers of one queue may run ahead: some stacks count all queues by one counter. */
#define IWARP_MSN_STEP 64

#endif
