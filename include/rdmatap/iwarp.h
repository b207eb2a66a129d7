/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP headers: MPA (RFC 5044, RFC 6581) and RDMAP (RFC 5040, RFC 7306).
 */
#ifndef RDMATAP_IWARP_H
#define RDMATAP_IWARP_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Contents of an MPA Request or Reply, in host order. Valid if `present` is set. RFC 5044, 7.1.1; RFC 6581, sections 6 and 9. */
struct rtap_mpa_facts {
	bool present, is_reply;
	bool markers;       /* M: the sender of this frame requires markers in the FPDUs that it receives */
	bool crc;           /* C: CRCs are in use if either side sets it */
	bool rejected;      /* R, in a reply */
	bool enhanced;      /* S, revision 2 or later, with the four bytes present: peer_to_peer to ord are valid */
	uint8_t revision;
	bool peer_to_peer;  /* A: the initiator's first FPDU is one of the three types below */
	bool rtr_send, rtr_write, rtr_read; /* B, C, D */
	uint16_t ird, ord;  /* 0x3fff: not negotiated */
	uint16_t private_length; /* PD_Length: all private data, including the four bytes of RFC 6581 */
	uint32_t length;    /* stream bytes of the whole frame; FPDUs follow it */
	uint8_t upper;      /* enum rtap_upper that the private data shows; RTAP_UPPER_RPCRDMA: RFC 8797, the fields below are valid */
	bool remote_invalidation;
	uint32_t send_size, receive_size; /* bytes */
};

/* RDMAP opcodes. RFC 5040, 4.1; RFC 7306, section 4. */
enum rtap_rdmap_opcode {
	RTAP_RDMAP_WRITE = 0,
	RTAP_RDMAP_READ_REQUEST = 1,
	RTAP_RDMAP_READ_RESPONSE = 2,
	RTAP_RDMAP_SEND = 3,
	RTAP_RDMAP_SEND_INVALIDATE = 4,
	RTAP_RDMAP_SEND_SE = 5,
	RTAP_RDMAP_SEND_SE_INVALIDATE = 6,
	RTAP_RDMAP_TERMINATE = 7,
	RTAP_RDMAP_IMMEDIATE = 8,
	RTAP_RDMAP_IMMEDIATE_SE = 9,
	RTAP_RDMAP_ATOMIC_REQUEST = 10,
	RTAP_RDMAP_ATOMIC_RESPONSE = 11,
};

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
