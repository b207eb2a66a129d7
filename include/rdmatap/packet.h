/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dissection of frames: their headers, and the facts read from them. Facts, layers and anomalies are returned by pointer, so that their
 * structs can get further members.
 */
#ifndef RDMATAP_PACKET_H
#define RDMATAP_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/anomaly.h>
#include <rdmatap/error.h>
#include <rdmatap/field.h>
#include <rdmatap/frame.h>
#include <rdmatap/iwarp.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* One header found in a packet. */
struct rtap_layer {
	uint16_t protocol; /* number in the registry */
	uint8_t source;   /* index into the packet's sources; 0 is the frame */
	/* part of an earlier layer's records; that layer visits its fields in order, and rtap_packet_visit() skips it */
	bool within;
	uint32_t offset;  /* of the header's first byte in its source */
	uint32_t length;  /* bytes present; fewer than the header's length if it was truncated */
};

/* An anomaly found in a packet. */
struct rtap_anomaly {
	uint8_t code;     /* enum rtap_anomaly_code */
	uint8_t layer;    /* index of the layer in which it was found */
	uint32_t offset;  /* in that layer's source */
};

/* Type of an acknowledgement: bits 6 and 5 of the AETH syndrome; bit 7 is reserved and ignored. IBTA vol. 1, 9.7.5.2.1. */
enum rtap_aeth_kind { RTAP_AETH_ACK, RTAP_AETH_RNR_NAK, RTAP_AETH_RESERVED, RTAP_AETH_NAK };

/* NAK codes; others are reserved. IBTA vol. 1, 9.7.5.2.2. */
enum rtap_nak_code {
	RTAP_NAK_SEQUENCE_ERROR, RTAP_NAK_INVALID_REQUEST, RTAP_NAK_REMOTE_ACCESS, RTAP_NAK_REMOTE_OPERATIONAL, RTAP_NAK_INVALID_RD,
	RTAP_NAK_COUNT,
};

/* Contents of the InfiniBand or RoCE transport headers, in host order. Valid if has_bth is set. */
struct rtap_ib_facts {
	bool has_lrh, has_grh, has_bth, has_deth, has_reth, has_aeth, has_atomic, has_immediate, has_ieth;
	uint8_t lnh;             /* LRH link next header */
	uint8_t opcode;
	uint8_t pad_count;
	uint8_t aeth_kind;       /* enum rtap_aeth_kind */
	uint8_t aeth_value;      /* depending on the kind: credit code, RNR timer code or NAK code (enum rtap_nak_code) */
	bool ack_request, solicited_event, migration_request, fecn, becn;
	uint8_t syndrome;        /* AETH, unchanged */
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
	uint8_t crc_start_layer; /* index of the layer at which the invariant CRC's coverage starts: IP, GRH or LRH */
	uint32_t lrh_offset;     /* in source 0 */
	uint32_t bth_offset;     /* in its source */
	uint32_t icrc_offset;    /* position of the invariant CRC according to the length fields */
	bool icrc_on_wire;       /* false: the length fields leave no room for it */
	uint8_t source;
	uint8_t icrc_status;     /* enum rtap_crc_status; UNCHECKED unless the context requests the check */
};

/* Result of a CRC check. */
enum rtap_crc_status {
	RTAP_CRC_UNCHECKED,
	RTAP_CRC_GOOD,
	RTAP_CRC_BAD,
	RTAP_CRC_UNVERIFIABLE, /* not all covered bytes were captured */
	RTAP_CRC_OFF,          /* not in use on this connection (MPA) or by this sender (invariant CRC): the field has no meaning */
};

/* The payload after the transport headers. Captured bytes may be fewer than wire bytes. */
struct rtap_payload {
	uint8_t source;
	uint32_t offset;
	uint32_t captured;
	uint32_t wire;
};

/* Role of a TCP segment in its stream. X(identifier, name) */
#define RTAP_TCP_ANALYSES(X) \
	X(NONE, "") /* no data */ \
	X(NEW, "new") \
	X(GAP, "gap") /* bytes before it were not seen */ \
	X(OUT_OF_ORDER, "out_of_order") /* fills all or part of a gap */ \
	X(RETRANSMISSION, "retransmission") /* all bytes had been seen before */ \
	X(OVERLAP, "overlap") /* some bytes had been seen before */ \
	X(CAPTURED_TWICE, "captured_twice") /* the same segment at another capture point */ \
	X(KEEP_ALIVE, "keep_alive") \
	X(WINDOW_PROBE, "window_probe") /* one byte although the receive window is zero */ \
	X(OUTSIDE, "outside") /* sequence number too far away to belong to the stream */

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

/* Contents of a TCP header, in host order. RFC 9293, 3.1; selective acknowledgement: RFC 2018; window scale: RFC 7323. */
struct rtap_tcp_facts {
	bool present;
	bool has_scale;          /* the option is present: window_scale is valid */
	uint8_t flags;           /* enum rtap_tcp_flag, or'ed */
	uint8_t window_scale;
	uint8_t sack_count;
	bool has_digest;         /* digest is valid; rtap_dissect() does not compute it */
	uint16_t window;         /* unscaled */
	uint32_t sequence, acknowledgment;
	bool has_relative;       /* the connection is known: the numbers below are those above, relative to the first ones of each end */
	uint32_t relative_sequence, relative_acknowledgment; /* a SYN has 0, the first byte of data 1; without ACK not relative */
	struct rtap_payload payload; /* also for TCP within an InfiniBand payload; captured is 0 if the options were truncated */
	struct {
		uint32_t left, right; /* right is the sequence number after the last byte */
	} sack[RTAP_TCP_SACK_BLOCKS];
	uint32_t digest;         /* CRC-32 of the payload's captured bytes */
};

/* Contents of an RPC-over-RDMA header. RFC 8166, section 4. */
struct rtap_rpcrdma_facts {
	bool present;
	uint32_t xid, version, credits, message_type;
	uint32_t read_segments, write_chunks;
	bool reply_chunk;
	uint32_t error_code;
	/* bytes of the header with its chunk lists; with `present` unset: of a header in an earlier packet, whose message this one continues */
	uint32_t length;
};

/* Contents of an RPC header. RFC 5531, section 9. */
struct rtap_rpc_facts {
	bool present, is_reply, accepted;
	uint32_t xid, program, version, procedure; /* in a reply, the last three are valid only if the context has them */
	bool program_known;
	bool is_callback; /* the program is treated as the NFSv4 callback program */
	uint32_t status; /* accept_stat or reject_stat */
	bool record_mark; /* a record mark precedes it (RFC 5531, section 11) */
	uint32_t flavor; /* of a call's credential or a reply's verifier */
	/* RPCSEC_GSS (RFC 2203): in a reply, those of the call if the context has them */
	uint32_t gss_procedure, gss_service;
	bool has_body;        /* readable arguments or results follow */
	bool is_private;      /* arguments or results are encrypted */
	uint32_t header_length; /* bytes from the XID up to arguments or results; 0: the header is incomplete */
	uint32_t body_length; /* of arguments or results if RPCSEC_GSS gives their length; else UINT32_MAX */
	uint64_t reply_frame; /* in a call: the frame that shows its reply; 0: not in the context */
	uint64_t call_frame;  /* in a reply: the frame that shows its call; 0: not in the context */
	int64_t call_time_ns; /* of that frame */
};

/*
 * The consumer whose private data a connection's CM messages carry. The REQ identifies it, by its service ID or by content.
 * X(identifier, name)
 */
#define RTAP_CM_CONSUMERS(X) \
	X(UNKNOWN, "unknown: REQ not captured") X(OTHER, "other") \
	X(NFS, "NFS") X(SMB_DIRECT, "SMB Direct") X(NVME, "NVMe") X(ISER, "iSER") X(SRP, "SRP") X(SRP_RDMA_CM, "SRP") X(RDS, "RDS") \
	X(RDS_IPV6, "RDS") X(RTRS, "RTRS") X(LNET, "LNet")

enum rtap_cm_consumer {
#define RTAP_CM_CONSUMER_ENUM(identifier, name) RTAP_CM_CONSUMER_##identifier,
	RTAP_CM_CONSUMERS(RTAP_CM_CONSUMER_ENUM)
#undef RTAP_CM_CONSUMER_ENUM
	RTAP_CM_CONSUMER_COUNT
};

/*
 * Contents of a communication management message, in host order. Valid if `present` is set; each value is valid only in the
 * messages named. IBTA vol. 1, chapter 12.
 */
struct rtap_cm_facts {
	bool present;
	uint8_t attribute;          /* 0x10 REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP, 0x1a APR */
	uint8_t transport_type;     /* REQ: 0 RC, 1 UC, 2 RD, 3: see the extended type */
	uint8_t extended_transport; /* REQ: 1 XRC */
	uint8_t ack_timeout;        /* REQ: 4.096 us * 2^n; 0: none */
	uint8_t retry_count;    /* REQ */
	uint8_t rnr_retry_count; /* REQ, REP: to be used by the message's recipient */
	uint8_t mtu_code;           /* REQ: 1 is 256 bytes, 5 is 4096 */
	uint8_t subject;            /* MRA, REJ: the message referred to: 0 REQ, 1 REP, 2 LAP or none */
	uint8_t sidr_status;        /* SIDR_REP: 0 is success */
	uint8_t path_status;        /* APR: 0 is success */
	uint8_t address_length;     /* 4 or 16 with an IP CM header, else 0 */
	uint8_t source;             /* in which private_offset counts */
	uint8_t consumer;           /* REQ, REP, REJ: enum rtap_cm_consumer; for REP and REJ taken from the context */
	uint8_t upper;              /* enum rtap_upper that the private data shows; RTAP_UPPER_RPCRDMA: by the RFC 8797 message */
	bool remote_invalidation;   /* RFC 8797: R flag */
	uint16_t reject_reason;     /* REJ */
	uint16_t source_port, destination_port; /* with an IP CM header */
	uint32_t local_id, remote_id; /* of the sender and of the recipient; SIDR: local_id is the Request ID */
	uint32_t local_qpn;         /* REQ, REP, SIDR_REP: the sender's */
	uint32_t local_eecn;        /* REQ, REP: the sender's; in an XRC REP it is the QPN */
	uint32_t remote_qpn;        /* DREQ, LAP: the recipient's */
	uint32_t flow_label;        /* REQ: of the primary path; 0: none */
	uint32_t starting_psn;      /* REQ, REP: of the first packet that the recipient will send */
	uint32_t q_key;             /* REQ, REP, SIDR_REP */
	uint32_t send_size, receive_size; /* RFC 8797, bytes */
	uint32_t private_offset, private_length; /* the consumer's private data, after any IP CM header; 0 unless captured in full */
	uint64_t transaction_id;    /* of the MAD header */
	uint64_t service_id;        /* REQ, SIDR_REQ, SIDR_REP */
	const uint8_t *source_address, *destination_address; /* from the IP CM header, borrowed from the frame; NULL without one */
};

/* Contents of a management datagram, in host order. Valid if `present` is set. IBTA vol. 1, 13.4; RMPP: 13.6. */
struct rtap_mad_facts {
	bool present;
	bool rmpp;               /* the RMPP Active flag is set: the values named rmpp_ are valid */
	uint8_t management_class, class_version, method;
	uint8_t rmpp_type, rmpp_flags, rmpp_status;
	uint8_t source;          /* in which data_offset counts */
	uint8_t record_source;   /* likewise for record_offset */
	uint8_t shape;           /* which layout, of an attribute with several */
	uint16_t variant;        /* protocol of the part of the attribute that depends on its content */
	uint16_t status, attribute; /* status of a directed-route SMP without the D bit */
	uint32_t modifier;
	uint32_t rmpp_segment, rmpp_length; /* the header's last two words: by type, segment and payload length, or segment and window */
	uint32_t data_offset, data_captured; /* an RMPP segment's data after the class header, as far as captured */
	/* records shown: offset of the first, distance from one to the next, number; bytes */
	uint32_t record_offset, record_stride, record_count;
	uint64_t transaction_id;
};

/* Role of a packet in its connection's PSN sequence. X(identifier, name) */
#define RTAP_PSN_ANALYSES(X) \
	X(NONE, "") /* unknown, or a service without a sequence */ \
	X(IN_ORDER, "in_order") \
	X(GAP, "gap") /* packets before it were not seen */ \
	X(OUT_OF_ORDER, "out_of_order") /* late, but seen only once */ \
	X(RETRANSMISSION, "retransmission") \
	X(DUPLICATE, "duplicate") /* repeated at once, without a reason for a retransmission */ \
	X(CAPTURED_TWICE, "captured_twice") /* the same frame at another capture point */ \
	X(UNEXPECTED, "unexpected_response") /* response without a request seen */ \
	X(RESYNCHRONISED, "resynchronised") /* far from the preceding packets: the sequence restarts */

enum rtap_psn_analysis {
#define RTAP_PSN_ENUM(identifier, name) RTAP_PSN_##identifier,
	RTAP_PSN_ANALYSES(RTAP_PSN_ENUM)
#undef RTAP_PSN_ENUM
	RTAP_PSN_COUNT
};

/* Why a requester, or for iWARP TCP, retransmits or waits. X(identifier, name) */
#define RTAP_RECOVERIES(X) \
	X(NONE, "") \
	X(SEQUENCE_NAK, "sequence_nak") \
	X(IMPLIED_NAK, "implied_nak") /* a response was missing: IBTA vol. 1, 9.7.5.2.8 */ \
	X(RNR, "rnr") \
	X(TIMEOUT, "timeout") \
	X(FAST_RETRANSMIT, "fast_retransmit") /* TCP: the receiver had reported a hole */ \
	X(TCP_TIMEOUT, "timeout") \
	X(ZERO_WINDOW, "zero_window") /* TCP: the receive window of the other end was closed */

enum rtap_recovery {
#define RTAP_RECOVERY_ENUM(identifier, name) RTAP_RECOVERY_##identifier,
	RTAP_RECOVERIES(RTAP_RECOVERY_ENUM)
#undef RTAP_RECOVERY_ENUM
	RTAP_RECOVERY_COUNT
};

/* iWARP: a recovery of TCP, or a closed window, that begins or ends with a segment. */
struct rtap_tcp_recovery {
	uint8_t cause;           /* enum rtap_recovery, from RTAP_RECOVERY_FAST_RETRANSMIT on */
	bool from_a;             /* whose data wait */
	bool begins;
	uint64_t frame;          /* with which it began */
	int64_t begin_ns, end_ns; /* unless `begins` is set: of the time lost */
};

/* Facts about a packet that depend on the packets before it. Filled by rtap_tracker_frame(). */
struct rtap_flow_facts {
	bool present;
	bool from_a;             /* direction in the connection */
	bool differs;            /* a repeat whose bytes differ from the original's */
	bool completes;          /* the packet that completes a message */
	bool has_latency;
	bool beside_rdma;        /* on a TCP or UDP connection that carries ONC RPC */
	bool is_late;            /* with recovery: so long after the NAK that the NAK may have been lost and a timeout may have caused it */
	uint8_t analysis;        /* enum rtap_psn_analysis */
	uint8_t tcp_analysis;    /* enum rtap_tcp_analysis, for iWARP segments; else RTAP_TCP_NONE */
	uint8_t recovery;        /* enum rtap_recovery, for the request or segment that begins one */
	uint8_t attempt;         /* with recovery: number of the retry without progress, from 1; 255: 255 or more */
	uint8_t lost_to;         /* enum rtap_recovery: the cause of time_lost_ns */
	uint8_t kind, verb;      /* of the completed message: enum rtap_message_kind, rtap_verb */
	uint32_t missing;        /* with RTAP_PSN_GAP: PSNs not seen immediately before it */
	uint64_t connection;     /* number */
	/* the sender's queue pair, from the connection: packets name only their destination's; the DETH's is in rtap_ib_facts */
	bool has_source_qpn;
	uint32_t source_qpn;
	uint64_t message_first_frame, message_frames, message_length; /* of the completed message */
	uint64_t request_frame;  /* of the request answered; 0: none */
	int64_t latency_ns;      /* since that frame */
	int64_t time_lost_ns;    /* to recovery, up to this packet; iWARP: of recoveries that end with it, in either direction */
	/*
	 * With RTAP_PSN_OUT_OF_ORDER: packets of its sequence, and time, since the arrival of the first packet that was sent after it;
	 * 0: unknown. RFC 4737, 4.2 and 4.3.
	 */
	uint32_t late_packets;
	int64_t late_ns;
	const struct rtap_tcp_recovery *tcp_recoveries; /* valid until the tracker processes the next frame */
	uint8_t tcp_recovery_count;
	bool hides_fpdus;        /* iWARP: bytes after a gap, or where the start of FPDUs is searched; later packets show the FPDUs that end in it, or none does */
};

/* Protocols that a queue pair's payload can be declared to be. X(identifier, name in --decode-as) */
#define RTAP_UPPERS(X) \
	X(DATA, "data") /* opaque */ \
	X(RPCRDMA, "rpcrdma") \
	X(IPOIB, "ipoib") \
	X(EOIB, "eoib") \
	X(NVME, "nvme") \
	X(SRP, "srp") \
	X(ISER, "iser") \
	X(RDS, "rds") \
	X(SMB_DIRECT, "smbdirect") \
	X(RTRS, "rtrs") X(LNET, "lnet")

#define RTAP_UPPER_ENUM(identifier, name) RTAP_UPPER_##identifier,
enum rtap_upper { RTAP_UPPER_UNKNOWN, RTAP_UPPERS(RTAP_UPPER_ENUM) RTAP_UPPER_COUNT };
#undef RTAP_UPPER_ENUM

/* NULL for UNKNOWN and other values. */
const char *rtap_upper_name(enum rtap_upper upper);

/* "--decode-as": decode what is sent to a QPN or UDP port as a given protocol. */
enum rtap_decode_by { RTAP_DECODE_QPN, RTAP_DECODE_UDP_PORT };

struct rtap_decode_as {
	enum rtap_decode_by by;
	uint32_t number;
	uint8_t upper; /* by QPN: enum rtap_upper; by UDP port: unused, the port is decoded as RoCEv2 */
};

/* How frames are dissected. */
struct rtap_dissect_options {
	size_t size;          /* sizeof(struct rtap_dissect_options) */
	const struct rtap_decode_as *decode_as; /* borrowed until the packet or tracker is closed */
	size_t decode_as_count;
	bool check_icrc;      /* recompute the CRCs of each packet and report wrong ones as anomalies */
	bool no_heuristics;   /* recognise protocols by ports, types and decode_as only, never by content */
};

/* The headers of one frame and the facts read from them. */
struct rtap_packet;

/*
 * Makes an empty packet, for rtap_dissect() or rtap_tracker_frame(); each frame replaces its contents. The options are those of
 * rtap_dissect(); NULL: the defaults. FAILED: *packet is NULL.
 */
enum rtap_status rtap_packet_open(struct rtap_packet **packet, const struct rtap_dissect_options *options, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Frees. NULL is ignored. */
void rtap_packet_close(struct rtap_packet *packet);

/*
 * Dissects one frame without knowledge of others. Reads only the captured bytes and keeps no state; the packet borrows the frame. Errors
 * in the frame are reported as anomalies of the packet. Threads may dissect at the same time, each with a packet of its own.
 */
void rtap_dissect(struct rtap_packet *packet, const struct rtap_frame *frame);

/*
 * The contents of a packet, which remain valid until the next frame is dissected or the packet is closed. None of these functions may be
 * called for an empty packet.
 */
const struct rtap_frame *rtap_packet_frame(const struct rtap_packet *packet);

/* The layers, outermost first; see also rtap_packet_layer(). NULL: there are not so many. */
size_t rtap_packet_layer_count(const struct rtap_packet *packet);
const struct rtap_layer *rtap_packet_layer_at(const struct rtap_packet *packet, size_t index);

/* Returns whether the packet has a header of the protocol (its number in the registry). */
bool rtap_packet_has(const struct rtap_packet *packet, uint16_t protocol);

/* The anomalies, in the order in which they were found; only the first few are kept. NULL: there are not so many. */
size_t rtap_packet_anomaly_count(const struct rtap_packet *packet);
const struct rtap_anomaly *rtap_packet_anomaly(const struct rtap_packet *packet, size_t index);

/*
 * Addresses of the network header that carries the BTH, else of the innermost one: 4 or 16 bytes in network order; none without one. Those of
 * IP over InfiniBand are the addresses of the InfiniBand packet.
 */
struct rtap_span rtap_packet_source_address(const struct rtap_packet *packet);
struct rtap_span rtap_packet_destination_address(const struct rtap_packet *packet);

/* Ports of the TCP or UDP header after that network header. False: there is none; they are unchanged. */
bool rtap_packet_ports(const struct rtap_packet *packet, uint16_t *source, uint16_t *destination) __attribute__((warn_unused_result));

/*
 * Queue pairs. The source's is in the DETH of datagrams; for other packets only a tracker knows it, from the connection. False: unknown,
 * *qpn is unchanged.
 */
bool rtap_packet_source_qpn(const struct rtap_packet *packet, uint32_t *qpn) __attribute__((warn_unused_result));
bool rtap_packet_destination_qpn(const struct rtap_packet *packet, uint32_t *qpn) __attribute__((warn_unused_result));

/* The captured payload after the transport headers; *wire_length, if not NULL, is set to its length on the wire. */
struct rtap_span rtap_packet_payload(const struct rtap_packet *packet, uint32_t *wire_length);

/* Facts of one kind of header. NULL: the packet has none. */
const struct rtap_ib_facts *rtap_packet_ib(const struct rtap_packet *packet); /* LRH, GRH or BTH */
const struct rtap_mad_facts *rtap_packet_mad(const struct rtap_packet *packet);
const struct rtap_cm_facts *rtap_packet_cm(const struct rtap_packet *packet);
const struct rtap_tcp_facts *rtap_packet_tcp(const struct rtap_packet *packet);
const struct rtap_mpa_facts *rtap_packet_mpa(const struct rtap_packet *packet);
const struct rtap_rpcrdma_facts *rtap_packet_rpcrdma(const struct rtap_packet *packet);
const struct rtap_rpc_facts *rtap_packet_rpc(const struct rtap_packet *packet);
/* Facts that only rtap_tracker_frame() knows. NULL: none, for example the packet belongs to no connection. */
const struct rtap_flow_facts *rtap_packet_flow(const struct rtap_packet *packet);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
