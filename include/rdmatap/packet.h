/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RDMATAP_PACKET_H
#define RDMATAP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/anomaly.h>
#include <rdmatap/field.h>
#include <rdmatap/frame.h>

#pragma GCC visibility push(default)

#define RTAP_MAX_LAYERS 64
#define RTAP_MAX_ANOMALIES 8
#define RTAP_MAX_SOURCES 4
#define RTAP_PROTOCOL_WORDS 2

/* One header found in a packet. */
struct rtap_layer {
	uint8_t protocol; /* number in the registry */
	uint8_t source;   /* index into the packet's sources; 0 is the frame */
	uint32_t offset;  /* of the header's first byte in its source */
	uint32_t length;  /* bytes of it that are there; less than the header's when it was cut */
};

/* Something that should not be. */
struct rtap_anomaly {
	uint8_t code;     /* enum rtap_anomaly_code */
	uint8_t layer;    /* index of the layer that it was found in */
	uint32_t offset;  /* in that layer's source */
};

/* What the transport headers of InfiniBand or RoCE say; host order. Valid while has_bth is set. */
struct rtap_ib_facts {
	bool has_lrh, has_grh, has_bth, has_deth, has_reth, has_aeth, has_atomic, has_immediate, has_ieth;
	uint8_t lnh;             /* LRH link next header */
	uint8_t opcode;
	uint8_t pad_count;
	uint8_t syndrome;        /* AETH */
	bool ack_request, solicited_event, migration_request, fecn, becn;
	uint16_t p_key;
	uint16_t slid, dlid;     /* LRH */
	uint32_t dest_qpn, psn;
	uint32_t src_qpn, q_key; /* DETH */
	uint32_t msn;            /* AETH */
	uint32_t r_key;          /* RETH, AtomicETH */
	uint32_t dma_length;     /* RETH */
	uint32_t immediate, invalidated_r_key;
	uint32_t xrc_srq;        /* XRCETH */
	uint64_t virtual_address; /* RETH, AtomicETH */
	uint64_t swap_or_add, compare, original; /* AtomicETH, AtomicAckETH */
	uint8_t crc_start_layer; /* index of the layer whose header the invariant CRC's rules start from: IP, GRH or LRH */
	uint32_t lrh_offset;     /* in source 0 */
	uint32_t bth_offset;     /* in its source */
	uint32_t icrc_offset;    /* where the invariant CRC is by the length fields */
	bool icrc_on_wire;       /* false: the length fields leave no room for it */
	uint8_t source;
	uint8_t icrc_status;     /* enum rtap_crc_status; not UNCHECKED only if the context asked for the check */
};

/* How a CRC compares with the packet's bytes. */
enum rtap_crc_status {
	RTAP_CRC_UNCHECKED,
	RTAP_CRC_GOOD,
	RTAP_CRC_BAD,
	RTAP_CRC_UNVERIFIABLE, /* not all covered bytes were captured */
};

/* What the packet carries behind its transport headers. Captured bytes may be fewer than wire bytes. */
struct rtap_payload {
	uint8_t source;
	uint32_t offset;
	uint32_t captured;
	uint32_t wire;
};

/*
 * A piece of an IP datagram, where the dissection ended, or the datagram that was put together and dissected on.
 * RFC 791, 3.2; RFC 8200, 4.5. Of two fragment headers, one within the other, it is about the one reached last.
 */
struct rtap_fragment_facts {
	bool present;            /* the dissection ended here: the packet is a piece */
	bool whole;              /* it went on in the context's datagram, which is source `datagram_source` */
	bool more;               /* not the datagram's last piece */
	uint8_t protocol;        /* IP protocol number of what was fragmented */
	uint8_t layer;           /* index of the layer with the fragment's header */
	uint8_t datagram_source;
	uint32_t identification;
	uint32_t header_length;  /* of the IP header and what follows it up to the fragment header; of a whole one: the first piece's */
	uint32_t datagram_offset; /* of the piece's first byte in the datagram */
	struct rtap_payload piece;
};

/* An IP datagram put together of its fragments. */
struct rtap_datagram {
	struct rtap_span bytes;  /* what was captured of it, from its first byte to the first one missing; bytes NULL: none */
	uint32_t wire;           /* how long it was */
	uint32_t header_length;  /* as in struct rtap_fragment_facts, of the piece at offset 0 */
	uint8_t protocol;        /* IP protocol number by the piece at offset 0 */
};

/* What a TCP segment is in its stream. X(identifier, name) */
#define RTAP_TCP_ANALYSES(X) \
	X(NONE, "") /* no data, nothing to tell */ \
	X(NEW, "new") \
	X(GAP, "gap") /* bytes before it were not seen */ \
	X(OUT_OF_ORDER, "out_of_order") /* fills a gap or a part of it */ \
	X(RETRANSMISSION, "retransmission") /* all bytes were there before */ \
	X(OVERLAP, "overlap") /* some were */ \
	X(CAPTURED_TWICE, "captured_twice") /* the same segment on another interface */ \
	X(KEEP_ALIVE, "keep_alive") \
	X(WINDOW_PROBE, "window_probe") /* one byte although the receiver has no room */ \
	X(OUTSIDE, "outside") /* too far away to belong to the stream */

enum rtap_tcp_analysis {
#define RTAP_TCP_ENUM(identifier, name) RTAP_TCP_##identifier,
	RTAP_TCP_ANALYSES(RTAP_TCP_ENUM)
#undef RTAP_TCP_ENUM
	RTAP_TCP_ANALYSIS_COUNT
};

enum rtap_tcp_flag {
	RTAP_TCP_FLAG_FIN = 0x01,
	RTAP_TCP_FLAG_SYN = 0x02,
	RTAP_TCP_FLAG_RST = 0x04,
	RTAP_TCP_FLAG_PSH = 0x08,
	RTAP_TCP_FLAG_ACK = 0x10,
	RTAP_TCP_FLAG_URG = 0x20,
};

#define RTAP_TCP_SACK_BLOCKS 4

/* What a TCP header says; host order. RFC 9293, 3.1; selective acknowledgement: RFC 2018; window scale: RFC 7323. */
struct rtap_tcp_facts {
	bool present;
	bool has_scale;          /* the option is there: window_scale is valid */
	uint8_t flags;           /* enum rtap_tcp_flag, or'ed */
	uint8_t window_scale;
	uint8_t sack_count;
	uint16_t window;         /* unscaled */
	uint32_t sequence, acknowledgment;
	struct rtap_payload payload; /* also of TCP within InfiniBand's payload; captured is 0 if the options were cut */
	struct {
		uint32_t left, right; /* right is behind the last byte */
	} sack[RTAP_TCP_SACK_BLOCKS];
};

/* What an RPC-over-RDMA header says. Offsets count from the header's first byte. RFC 8166, section 4. */
struct rtap_rpcrdma_facts {
	bool present;
	uint32_t xid, version, credits, message_type;
	uint32_t read_segments, write_chunks;
	bool reply_chunk;
	uint32_t error_code;
	uint32_t length;      /* bytes of the header with its chunk lists */
};

/* What an RPC header says. RFC 5531, section 9. */
struct rtap_rpc_facts {
	bool present, is_reply, accepted;
	uint32_t xid, program, version, procedure; /* the last three of a reply only if the context told */
	bool program_known;
	uint32_t status; /* accept_stat or reject_stat */
};

/* The headers of one frame and what was read from them. Filled by rtap_dissect(); the caller's memory. */
struct rtap_packet {
	const struct rtap_frame *frame;
	struct {
		const uint8_t *bytes;
		uint32_t captured, wire;
	} sources[RTAP_MAX_SOURCES];
	uint8_t source_count;
	uint8_t layer_count;
	uint8_t anomaly_count;       /* stored; later ones are only counted */
	uint32_t anomalies_found;
	uint64_t protocols[RTAP_PROTOCOL_WORDS]; /* which protocols occur, one bit each */
	/* addresses of the innermost network header; NULL without one */
	const uint8_t *source_address, *destination_address;
	uint8_t address_length;      /* 4 or 16 */
	uint16_t source_port, destination_port;
	struct rtap_fragment_facts fragment;
	struct rtap_ib_facts ib;
	struct rtap_tcp_facts tcp;
	struct rtap_payload payload;
	struct rtap_rpcrdma_facts rpcrdma;
	struct rtap_rpc_facts rpc;
	struct rtap_anomaly anomalies[RTAP_MAX_ANOMALIES];
	struct rtap_layer layers[RTAP_MAX_LAYERS];
};

/* Protocols that a queue pair's payload can be declared to be. */
enum rtap_upper {
	RTAP_UPPER_UNKNOWN,
	RTAP_UPPER_DATA,    /* opaque */
	RTAP_UPPER_RPCRDMA,
	RTAP_UPPER_IPOIB,
};

/* "--decode-as": what goes to a QPN or UDP port is taken for a protocol. */
struct rtap_decode_as {
	enum { RTAP_DECODE_QPN, RTAP_DECODE_UDP_PORT } by;
	uint32_t number;
	uint8_t upper; /* by QPN: enum rtap_upper; by UDP port: taken for RoCEv2 */
};

/* What a single packet cannot tell. All zero: nothing is known. Borrowed for the call. */
struct rtap_context {
	const struct rtap_decode_as *decode_as;
	uint32_t decode_as_count;
	bool check_icrc;      /* recompute the CRCs of each packet: wrong ones become anomalies */
	bool no_heuristics;   /* recognise by ports, types and decode_as only, never by content */
	uint8_t upper;        /* enum rtap_upper: what this queue pair carries */
	bool rpc_known;       /* the three below are those of the call that an RPC reply answers */
	uint32_t rpc_program, rpc_version, rpc_procedure;
	struct rtap_datagram datagram; /* that this packet completed: dissected as a source of its own behind the fragment header */
	struct rtap_span message; /* bytes put together that end in this packet: dissected as the next source instead of its payload */
};

/*
 * Dissects one frame. Reads only the captured bytes, allocates nothing, keeps nothing.
 * The packet borrows the frame. What goes wrong is an anomaly of the packet.
 */
void rtap_dissect(const struct rtap_frame *frame, const struct rtap_context *context, struct rtap_packet *packet);

static inline bool rtap_packet_has(const struct rtap_packet *packet, uint8_t protocol)
{
	return packet->protocols[protocol / 64] >> (protocol % 64) & 1;
}

#pragma GCC visibility pop

#endif
