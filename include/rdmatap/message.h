/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages and connections, as rtap_tracker_frame() reassembles them from packets, and the names of their values. Plain values.
 */
#ifndef RDMATAP_MESSAGE_H
#define RDMATAP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/frame.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of messages. X(identifier, name) */
#define RTAP_MESSAGE_KINDS(X) \
	X(SEND, "send") X(WRITE, "write") X(READ, "read") X(ATOMIC, "atomic") X(FLUSH, "flush") X(UD, "ud") \
	X(RPC_CALL, "rpc_call") X(RPC_REPLY, "rpc_reply") X(MAD, "mad") \
	X(IMMEDIATE, "immediate") X(TERMINATE, "terminate") /* of iWARP: RFC 7306, RFC 5040 */

/* The operation that the requester posted. */
#define RTAP_VERBS(X) \
	X(SEND, "send") X(WRITE, "write") X(READ, "read") X(COMPARE_SWAP, "compare_swap") X(FETCH_ADD, "fetch_add") \
	X(ATOMIC_WRITE, "atomic_write") X(FLUSH, "flush")

/* Outcome of a request. */
#define RTAP_OUTCOMES(X) \
	X(NONE, "") /* the service has no responses */ \
	X(UNANSWERED, "unanswered") X(GOOD, "good") X(RNR, "rnr") X(SEQUENCE_ERROR, "sequence error") \
	X(INVALID_REQUEST, "invalid request") X(REMOTE_ACCESS_ERROR, "remote access error") \
	X(REMOTE_OPERATIONAL_ERROR, "remote operational error") X(INVALID_RD_REQUEST, "invalid RD request")

/* Reasons why bytes of a message are missing. */
#define RTAP_MISSING_REASONS(X) \
	X(NOT_CAPTURED, "not_captured") X(SNAPPED, "snapped") X(EVICTED, "evicted")

/* Anomalies of a connection's packets, counted per connection. */
#define RTAP_CONNECTION_ANOMALIES(X) \
	X(NOT_CAPTURED, "lost") /* packets not captured */ \
	X(NOT_CAPTURED_UNACKNOWLEDGED, "lost_unacknowledged") /* those of them that the receiver may lack: the network may have lost them */ \
	X(OUT_OF_ORDER, "out_of_order") X(RETRANSMISSION, "retransmission") X(DUPLICATE, "duplicate") \
	X(CAPTURED_TWICE, "captured_twice") X(DIFFERING_REPEAT, "differing_repeat") X(UNEXPECTED_RESPONSE, "unexpected_response") \
	X(NAK_SEQUENCE, "nak_sequence") X(NAK_INVALID_REQUEST, "nak_invalid_request") X(NAK_ACCESS, "nak_access") \
	X(NAK_OPERATION, "nak_operation") X(NAK_INVALID_RD, "nak_invalid_rd") X(RNR, "rnr") X(CNP, "cnp") \
	X(BAD_ICRC, "bad_icrc") X(CUT, "cut") /* truncated frames */ \
	X(LENGTH_MISMATCH, "length_mismatch") /* messages whose packets do not add up to the announced length */ \
	X(RESYNCHRONISED, "resynchronised") /* PSN sequence restarted: another user of the QPN, or a long idle time */ \
	X(EVICTED, "evicted") \
	X(BAD_FPDU_CRC, "bad_fpdu_crc") \
	X(UNFRAMED, "unframed") /* ranges of a TCP stream in which no FPDU was found */ \
	X(PATH_CHANGE, "path_changes") /* RoCE v2: changes of the UDP source port, by which networks choose paths */

#define RTAP_MESSAGE_ENUM(prefix, identifier) RTAP_##prefix##_##identifier,
#define RTAP_KIND_ENUM(identifier, name) RTAP_MESSAGE_ENUM(KIND, identifier)
#define RTAP_VERB_ENUM(identifier, name) RTAP_MESSAGE_ENUM(VERB, identifier)
#define RTAP_OUTCOME_ENUM(identifier, name) RTAP_MESSAGE_ENUM(OUTCOME, identifier)
#define RTAP_REASON_ENUM(identifier, name) RTAP_MESSAGE_ENUM(MISSING, identifier)
#define RTAP_CONNECTION_ANOMALY_ENUM(identifier, name) RTAP_MESSAGE_ENUM(CONNECTION_ANOMALY, identifier)
enum rtap_message_kind { RTAP_MESSAGE_KINDS(RTAP_KIND_ENUM) RTAP_KIND_COUNT };
enum rtap_verb { RTAP_VERBS(RTAP_VERB_ENUM) RTAP_VERB_COUNT };
enum rtap_outcome { RTAP_OUTCOMES(RTAP_OUTCOME_ENUM) RTAP_OUTCOME_COUNT };
enum rtap_missing_reason { RTAP_MISSING_REASONS(RTAP_REASON_ENUM) RTAP_MISSING_COUNT };
enum rtap_connection_anomaly { RTAP_CONNECTION_ANOMALIES(RTAP_CONNECTION_ANOMALY_ENUM) RTAP_CONNECTION_ANOMALY_COUNT };
#undef RTAP_KIND_ENUM
#undef RTAP_VERB_ENUM
#undef RTAP_OUTCOME_ENUM
#undef RTAP_REASON_ENUM
#undef RTAP_CONNECTION_ANOMALY_ENUM
#undef RTAP_MESSAGE_ENUM

/* Names as shown in output; "unknown" for other values. */
const char *rtap_message_kind_name(enum rtap_message_kind kind);
const char *rtap_verb_name(enum rtap_verb verb);
const char *rtap_outcome_name(enum rtap_outcome outcome);
const char *rtap_missing_reason_name(enum rtap_missing_reason reason);
const char *rtap_connection_anomaly_name(enum rtap_connection_anomaly anomaly);

/* Missing bytes of a message. */
struct rtap_missing {
	uint64_t offset, length; /* bytes */
	bool length_known;       /* false: the packets that give the length were not captured */
	uint8_t reason;          /* enum rtap_missing_reason */
};

enum rtap_transport {
	RTAP_TRANSPORT_RC, RTAP_TRANSPORT_UC, RTAP_TRANSPORT_UD, RTAP_TRANSPORT_XRC, RTAP_TRANSPORT_IWARP,
	RTAP_TRANSPORT_TCP, RTAP_TRANSPORT_UDP, /* of ONC RPC without RDMA */
};
const char *rtap_transport_name(enum rtap_transport transport);

/* One end of a connection. */
struct rtap_end {
	uint8_t address[16];
	uint8_t address_length; /* 4 or 16; 2: a LID; 0: unknown */
	bool qpn_known, psn_known, last_psn_known, port_known;
	uint16_t port;          /* iWARP, TCP and UDP */
	uint32_t qpn;
	uint32_t psn;           /* of the first request sent (or, from the CM, to be sent) */
	uint32_t last_psn;      /* of the last request seen */
};

/* An event in the life of a connection, in RDMA CM terms. */
struct rtap_life_event {
	const char *name;       /* static: "rdma_connect" */
	uint64_t frame;
	int64_t time_ns;
	uint32_t reason;        /* reason of a reject (UD: its status); status of an apr; else 0 */
	uint32_t capture_point; /* of the frame, for communication management messages */
	uint32_t repeats;       /* number of times the message was repeated */
	int64_t last_ns;        /* time of the last repeat; valid if repeats is not 0 */
	bool unanswered;        /* it requires a response, and none was seen */
	uint8_t by[16];         /* address that joined or left a multicast group */
	uint8_t by_length;      /* 4 or 16; 2: a LID; 0 for all other events */
};

#define RTAP_MAX_LIFE_EVENTS 12

/* A connection: two communicating ends, from the first packet seen to the last. */
struct rtap_connection {
	uint64_t number;        /* from 1, by first frame */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	uint8_t transport;      /* enum rtap_transport */
	bool learned_by_cm;     /* false: inferred from the packets */
	bool learned_by_mpa;    /* iWARP: the MPA Request or Reply was seen */
	bool has_service;
	uint64_t service_id;    /* CM */
	uint32_t path_mtu;      /* bytes; 0: unknown */
	bool retries_known;     /* the REQ was seen: the three below are valid */
	uint8_t ack_timeout;    /* Local ACK Timeout: 4.096 us * 2^n; 0: none */
	uint8_t retry_count, rnr_retry_count;
	uint8_t rnr_retries[2]; /* of a (from the REP) and b (from the REQ); 7: unlimited, or the message was not seen */
	struct rtap_end a, b;   /* a: sender of the CM REQ, or of the first request seen */
	bool has_private[2];    /* the private data of a, b had the message of RFC 8797: the three below */
	bool remote_invalidation[2];
	uint32_t send_size[2], receive_size[2];
	const struct rtap_life_event *life; /* borrowed for the duration of the callback */
	uint32_t life_count;    /* at most RTAP_MAX_LIFE_EVENTS */
	uint64_t packets, messages, bytes; /* bytes: message payload */
	uint64_t anomaly_counts[RTAP_CONNECTION_ANOMALY_COUNT];
	const char *layer;      /* of a reported connection: the upper layer that it carries, "nvme"; static; NULL: not known */
};

/* A part of a message of an upper layer: an operation of an NFSv4 COMPOUND, or the procedure of other RPCs. */
struct rtap_item {
	const char *name;       /* static; NULL: the number has no name */
	const char *status_name; /* static or NULL */
	uint32_t number, status;
	bool has_status;        /* replies */
};

/* A message. Borrowed for the duration of the callback. */
struct rtap_message {
	uint64_t number;        /* from 1, by first frame */
	const struct rtap_connection *connection; /* NULL for management datagrams */
	bool from_a;            /* a is the requester */
	uint8_t kind, verb, outcome; /* enum rtap_message_kind, rtap_verb, rtap_outcome */
	bool complete;          /* all bytes are known, including those of a response with data */
	bool length_known, request_seen;
	bool has_immediate, has_invalidate, has_crc, has_latency, has_key;
	bool has_msn;           /* iWARP: `psn` is the MSN; without it the message has neither */
	bool bytes_evicted;     /* requested, but dropped because of the memory limit */
	bool wanted;            /* rtap_tracker_options.wanted returned true for one of its packets */
	uint8_t lost_to;        /* causes of time_lost_us: one bit for each enum rtap_recovery */
	uint32_t psn;           /* of the first packet; iWARP: the MSN of untagged messages */
	uint32_t time_lost_us;  /* by recoveries that began with this message; UINT32_MAX: that or more */
	uint64_t first_frame, last_frame; /* excluding acknowledgements */
	uint64_t frames;        /* frames with new data */
	uint64_t repeats;       /* packets with only data seen before */
	uint64_t answered_in;   /* frame of the acknowledgement or last response; 0: none */
	int64_t time_ns, time_end_ns;
	int64_t latency_ns;     /* from the first frame to the one in `answered_in` */
	uint64_t length;        /* payload bytes; if length_known is false, those known so far */
	const struct rtap_missing *missing;
	uint32_t missing_count;
	uint32_t r_key, invalidated_r_key; /* iWARP: STags */
	uint32_t rdma_version_low; /* with has_rdma_versions */
	uint64_t immediate;     /* 32 bits; 64 bits for kind IMMEDIATE */
	uint64_t virtual_address; /* iWARP: tagged offset */
	uint64_t swap_or_add, compare, original; /* atomics */
	/* RPC calls and replies: valid with is_rpc */
	bool is_rpc, program_known, reply_chunk;
	bool has_rpc_status, rpc_accepted; /* replies: from the RPC header */
	bool has_status;        /* replies: the program's own status */
	bool has_rdma_versions; /* ERR_VERS lists the supported RPC-over-RDMA versions */
	uint32_t xid, program, version, procedure;
	uint32_t rpc_status, status, rdma_error; /* accept_stat or reject_stat; the program's status; error of RDMA_ERROR, 0: none */
	uint32_t rdma_version;  /* of RPC-over-RDMA; 0: unknown */
	const char *status_name;
	const struct rtap_item *items;
	uint32_t item_count;
	uint32_t read_chunks, write_chunks;
	uint32_t credits;       /* RPC-over-RDMA: requested by a call or granted by a reply; 0: unknown */
	/* management datagrams: valid with is_mad; names are static or NULL */
	bool is_mad, mad_is_answer;
	uint8_t mad_class, mad_method;
	uint16_t mad_attribute, mad_status;
	uint8_t rmpp_type;      /* 0: no RMPP; 1 DATA, 2 ACK, 3 STOP, 4 ABORT */
	/* RPC: repeated packets of its SEND and of the READs and WRITEs of its chunks; UINT16_MAX: that or more */
	uint16_t resent;
	uint32_t rmpp_segment;  /* of an ACK, or of DATA that is not part of a multi-segment message; else 0 */
	/* of a multi-segment message, whose `length` is that of its data: number of segments, as far as known; number not seen */
	uint32_t segments, segments_lost;
	uint64_t retry_of;      /* frame of the first, unanswered request of this transaction; 0: not a retry */
	uint64_t transaction_id;
	const char *mad_class_name, *mad_method_name, *mad_attribute_name, *mad_status_name;
	uint64_t partner;       /* number of a call's reply or a reply's call; likewise for MADs; 0: unknown */
	uint32_t crc32;         /* of the bytes, as zlib's crc32(); valid with has_crc */
	uint32_t rdma_version_high; /* with has_rdma_versions */
	struct rtap_span bytes; /* if requested, and if none is missing */
};

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
