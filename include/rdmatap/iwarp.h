/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP headers: MPA (RFC 5044, RFC 6581), DDP (RFC 5041) and RDMAP (RFC 5040, RFC 7306).
 */
#ifndef RDMATAP_IWARP_H
#define RDMATAP_IWARP_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/frame.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct rtap_context;

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
	bool has_rpc_private; /* RFC 8797: the fields below are valid */
	bool remote_invalidation;
	uint32_t send_size, receive_size; /* bytes */
};

#define RTAP_FPDU_GAPS 4
#define RTAP_FPDU_HEAD 72 /* maximum length of DDP and RDMAP headers together */
#define RTAP_NO_MARKER UINT32_MAX

/* Bytes of an FPDU that were not captured. */
struct rtap_fpdu_gap {
	uint32_t offset, length; /* within the FPDU's bytes */
	uint8_t reason;          /* as passed to the framer */
};

/* How the start of an FPDU was found. */
enum rtap_fpdu_framing {
	RTAP_FPDU_IN_STEP,         /* by lengths, counted from the MPA Request or Reply */
	RTAP_FPDU_RECOVERED,       /* resynchronised within the stream; confirmed by the CRC */
	RTAP_FPDU_RECOVERED_NO_CRC, /* resynchronised within the stream by consecutive consistent headers; CRCs are not in use */
};

/* One FPDU of a stream. RFC 5044, 4.1. */
struct rtap_fpdu {
	/* as sent, from ULPDU_Length (or the marker immediately before it) through the CRC, including markers; bytes in gaps are 0 */
	struct rtap_span bytes;
	uint64_t stream_offset;   /* of the first byte */
	uint64_t first_frame, last_frame;     /* numbers of the frames with its first and its last byte */
	int64_t first_time_ns, last_time_ns;  /* their times */
	/*
	 * for the last FPDU of a Send: its `message` (if reassembled) and the context for its dissection; for the last one of a
	 * Read Response: a `chunk`; else NULL
	 */
	const struct rtap_context *upper;
	/* offset of the first marker in `bytes`; further ones follow every 512 bytes; RTAP_NO_MARKER or beyond the end: none */
	uint32_t first_marker;
	uint16_t ulpdu_length;
	uint8_t crc_status;       /* enum rtap_crc_status */
	uint8_t framing;          /* enum rtap_fpdu_framing */
	bool skewed_markers;      /* markers as in old stacks: the interval excludes CRC bytes, FPDUPTR is little-endian */
	bool split;               /* `bytes` is a copy of the framer's: the FPDU came in several segments, or before synchronisation */
	uint8_t gap_count;
	struct rtap_fpdu_gap gaps[RTAP_FPDU_GAPS]; /* in order, not adjacent */
	uint8_t head[RTAP_FPDU_HEAD]; /* the ULPDU's first bytes without the marker within them; filled only if there is one */
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

/* The FPDUs that end in one TCP segment. Walk them with iwarp_next_fpdu(). */
struct rtap_fpdus {
	const struct rtap_fpdu *list; /* NULL: they are contiguous, from `offset` in source 0 */
	uint32_t count;
	uint32_t offset, length;
	uint8_t crc_status, framing;  /* of all of them if `list` is NULL */
};

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
