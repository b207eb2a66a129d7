/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What rtap_tracker_frame() makes of packets: messages, the connections that they belong to, and names for it all. Plain
 * values.
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

/* What a message is. X(identifier, name) */
#define RTAP_MESSAGE_KINDS(X) \
	X(SEND, "send") X(WRITE, "write") X(READ, "read") X(ATOMIC, "atomic") X(FLUSH, "flush") X(UD, "ud") \
	X(RPC_CALL, "rpc_call") X(RPC_REPLY, "rpc_reply") X(MAD, "mad") \
	X(IMMEDIATE, "immediate") X(TERMINATE, "terminate") /* of iWARP: RFC 7306, RFC 5040 */

/* The operation that the requester posted. */
#define RTAP_VERBS(X) \
	X(SEND, "send") X(WRITE, "write") X(READ, "read") X(COMPARE_SWAP, "compare_swap") X(FETCH_ADD, "fetch_add") \
	X(ATOMIC_WRITE, "atomic_write") X(FLUSH, "flush")

/* How a request ended. */
#define RTAP_OUTCOMES(X) \
	X(NONE, "") /* the service gives no answers */ \
	X(UNANSWERED, "unanswered") X(GOOD, "good") X(RNR, "rnr") X(SEQUENCE_ERROR, "sequence error") \
	X(INVALID_REQUEST, "invalid request") X(REMOTE_ACCESS_ERROR, "remote access error") \
	X(REMOTE_OPERATIONAL_ERROR, "remote operational error") X(INVALID_RD_REQUEST, "invalid RD request")

/* Why bytes of a message are not there. */
#define RTAP_MISSING_REASONS(X) \
	X(NOT_CAPTURED, "not_captured") X(SNAPPED, "snapped") X(EVICTED, "evicted")

/* What can be wrong with a connection's packets; counted by connection. */
#define RTAP_CONNECTION_ANOMALIES(X) \
	X(LOST, "lost") /* packets that were never captured */ \
	X(OUT_OF_ORDER, "out_of_order") X(RETRANSMISSION, "retransmission") X(DUPLICATE, "duplicate") \
	X(CAPTURED_TWICE, "captured_twice") X(DIFFERING_REPEAT, "differing_repeat") X(UNEXPECTED_RESPONSE, "unexpected_response") \
	X(NAK_SEQUENCE, "nak_sequence") X(NAK_INVALID_REQUEST, "nak_invalid_request") X(NAK_ACCESS, "nak_access") \
	X(NAK_OPERATION, "nak_operation") X(NAK_INVALID_RD, "nak_invalid_rd") X(RNR, "rnr") X(CNP, "cnp") \
	X(BAD_ICRC, "bad_icrc") X(CUT, "cut") /* frames captured in part */ \
	X(LENGTH_MISMATCH, "length_mismatch") /* messages whose packets do not add up to what they announced */ \
	X(RESYNCHRONISED, "resynchronised") /* PSNs went on elsewhere: another user of the QPN, or a long silence */ \
	X(EVICTED, "evicted") \
	X(BAD_FPDU_CRC, "bad_fpdu_crc") \
	X(UNFRAMED, "unframed") /* stretches of a TCP stream in which no FPDU was found */ \
	X(PATH_CHANGE, "path_changes") /* RoCE v2: packets with another UDP source port than the one before: networks choose paths by it */

#define RTAP_MESSAGE_ENUM(prefix, identifier) RTAP_##prefix##_##identifier,
#define RTAP_KIND_ENUM(identifier, name) RTAP_MESSAGE_ENUM(KIND, identifier)
#define RTAP_VERB_ENUM(identifier, name) RTAP_MESSAGE_ENUM(VERB, identifier)
#define RTAP_OUTCOME_ENUM(identifier, name) RTAP_MESSAGE_ENUM(OUTCOME, identifier)
#define RTAP_REASON_ENUM(identifier, name) RTAP_MESSAGE_ENUM(MISSING, identifier)
#define RTAP_TROUBLE_ENUM(identifier, name) RTAP_MESSAGE_ENUM(TROUBLE, identifier)
enum rtap_message_kind { RTAP_MESSAGE_KINDS(RTAP_KIND_ENUM) RTAP_KIND_COUNT };
enum rtap_verb { RTAP_VERBS(RTAP_VERB_ENUM) RTAP_VERB_COUNT };
enum rtap_outcome { RTAP_OUTCOMES(RTAP_OUTCOME_ENUM) RTAP_OUTCOME_COUNT };
enum rtap_missing_reason { RTAP_MISSING_REASONS(RTAP_REASON_ENUM) RTAP_MISSING_COUNT };
enum rtap_trouble { RTAP_CONNECTION_ANOMALIES(RTAP_TROUBLE_ENUM) RTAP_TROUBLE_COUNT };
#undef RTAP_KIND_ENUM
#undef RTAP_VERB_ENUM
#undef RTAP_OUTCOME_ENUM
#undef RTAP_REASON_ENUM
#undef RTAP_TROUBLE_ENUM
#undef RTAP_MESSAGE_ENUM

/* Their names as shown; "unknown" for a value that is none of them. */
const char *rtap_message_kind_name(enum rtap_message_kind kind);
const char *rtap_verb_name(enum rtap_verb verb);
const char *rtap_outcome_name(enum rtap_outcome outcome);
const char *rtap_missing_reason_name(enum rtap_missing_reason reason);
const char *rtap_trouble_name(enum rtap_trouble trouble);

/* Bytes of a message that are not there. */
struct rtap_missing {
	uint64_t offset, length; /* bytes */
	bool length_known;       /* false: the packets that would tell were not captured */
	uint8_t reason;          /* enum rtap_missing_reason */
};

enum rtap_transport {
	RTAP_TRANSPORT_RC, RTAP_TRANSPORT_UC, RTAP_TRANSPORT_UD, RTAP_TRANSPORT_XRC, RTAP_TRANSPORT_IWARP,
	RTAP_TRANSPORT_TCP, RTAP_TRANSPORT_UDP, /* of ONC RPC beside RDMA */
};
const char *rtap_transport_name(enum rtap_transport transport);

/* An end of a connection. */
struct rtap_end {
	uint8_t address[16];
	uint8_t address_length; /* 4, 16; 2: a LID; 0: not known */
	bool qpn_known, psn_known, last_psn_known, port_known;
	uint16_t port;          /* iWARP, TCP and UDP */
	uint32_t qpn;
	uint32_t psn;           /* of the first request that it sent (or, by CM, is to send) */
	uint32_t last_psn;      /* of the last one seen */
};

/* Something that happened to a connection, in the words of the RDMA CM. */
struct rtap_life_event {
	const char *name;       /* static: "rdma_connect" */
	uint64_t frame;
	int64_t time_ns;
	uint32_t reason;        /* of a reject, with UD the status; status of an apr; else 0 */
	uint32_t interface;     /* of the frame, of messages of communication management */
	uint32_t repeats;       /* how often the message came again */
	int64_t last_ns;        /* when it did last; valid with repeats */
	bool unanswered;        /* it asks for an answer, of which there is no sign */
	uint8_t by[16];         /* who joined or left a multicast group */
	uint8_t by_length;      /* 4, 16; 2: a LID; 0: told of no other event */
};

#define RTAP_MAX_LIFE_EVENTS 12

/* Two ends that talk, from the first sign of them to the last. */
struct rtap_connection {
	uint64_t number;        /* from 1, by first frame */
	uint64_t first_frame, last_frame;
	int64_t time_ns, time_end_ns;
	uint8_t transport;      /* enum rtap_transport */
	bool learned_by_cm;     /* false: inferred from the packets */
	bool learned_by_mpa;    /* iWARP: the MPA Request or Reply was seen */
	bool has_service;
	uint64_t service_id;    /* CM */
	uint32_t path_mtu;      /* bytes; 0: not known */
	bool retries_known;     /* the REQ was seen: the three below are valid */
	uint8_t ack_timeout;    /* Local ACK Timeout: 4.096 us times 2 to the power of it; 0: none */
	uint8_t retry_count, rnr_retry_count;
	uint8_t rnr_retries[2]; /* how often a, b sends again after RNR NAKs, by the REP, the REQ: 7: without a limit, or it was not seen */
	struct rtap_end a, b;   /* a: sent the CM's REQ, or the first request seen */
	bool has_private[2];    /* the message of RFC 8797 was in a's, b's private data */
	bool remote_invalidation[2];
	uint32_t send_size[2], receive_size[2];
	const struct rtap_life_event *life; /* borrowed for the call that the connection is told in */
	uint32_t life_count;    /* at most RTAP_MAX_LIFE_EVENTS */
	uint64_t packets, messages, bytes; /* bytes: payload of its messages */
	uint64_t trouble[RTAP_TROUBLE_COUNT];
};

/* An operation of an RPC: NFSv4 has several in one call, the others one. */
struct rtap_operation {
	const char *name;       /* static; NULL: a number without a name */
	const char *status_name; /* static or NULL */
	uint32_t number, status;
	bool has_status;        /* replies */
};

/* One thing that was said. Borrowed for the call that it is told in. */
struct rtap_message {
	uint64_t number;        /* from 1, by first frame */
	const struct rtap_connection *connection; /* NULL: none (management datagrams) */
	bool from_a;            /* who asked */
	uint8_t kind, verb, outcome; /* enum rtap_message_kind, rtap_verb, rtap_outcome */
	bool complete;          /* every byte is known, and a request that is answered with data was */
	bool length_known, request_seen;
	bool has_immediate, has_invalidate, has_crc, has_latency, has_key;
	bool has_msn;           /* iWARP: `psn` is its MSN; else it has neither */
	bool bytes_evicted;     /* asked for, but over the memory limit */
	bool wanted;            /* a packet of it was, by rtap_tracker_options.wanted */
	uint8_t lost_to;        /* what time_lost_us was lost to: a bit for each enum rtap_recovery */
	uint32_t psn;           /* of its first packet; iWARP: the MSN of untagged messages */
	uint32_t time_lost_us;  /* to recoveries that began with it; UINT32_MAX: as much or more */
	uint64_t first_frame, last_frame; /* acknowledgements do not count */
	uint64_t frames;        /* that brought something new */
	uint64_t repeats;       /* packets that brought again what was there */
	uint64_t answered_in;   /* frame of the acknowledgement or last response; 0: none */
	int64_t time_ns, time_end_ns;
	int64_t latency_ns;     /* from the first frame to the one that answered */
	uint64_t length;        /* bytes of payload; with length_known false those that are known of */
	const struct rtap_missing *missing;
	uint32_t missing_count;
	uint32_t r_key, invalidated_r_key; /* iWARP: STags */
	uint32_t rdma_version_low; /* with has_rdma_versions */
	uint64_t immediate;     /* 32 bits, but 64 of kind IMMEDIATE */
	uint64_t virtual_address; /* iWARP: tagged offset */
	uint64_t swap_or_add, compare, original; /* atomics */
	/* RPC calls and replies, with is_rpc */
	bool is_rpc, program_known, reply_chunk;
	bool has_rpc_status, rpc_accepted; /* replies: of the RPC header */
	bool has_status;        /* replies: the program's own */
	bool has_rdma_versions; /* ERR_VERS says which versions of RPC-over-RDMA can be had */
	uint32_t xid, program, version, procedure;
	uint32_t rpc_status, status, rdma_error; /* accept_stat or reject_stat; the program's; of RDMA_ERROR, 0: none */
	uint32_t rdma_version;  /* of RPC-over-RDMA; 0: not known */
	const char *status_name;
	const struct rtap_operation *operations;
	uint32_t operation_count;
	uint32_t read_chunks, write_chunks;
	uint32_t credits;       /* RPC over RDMA: that a call asks for, that a reply grants; 0: not known */
	/* management datagrams, with is_mad; names are static or NULL */
	bool is_mad, mad_is_answer;
	uint8_t mad_class, mad_method;
	uint16_t mad_attribute, mad_status;
	uint8_t rmpp_type;      /* 0: not of RMPP; 1 DATA, 2 ACK, 3 STOP, 4 ABORT */
	/* RPC: packets that came again of the SEND that carries it and of the READs and WRITEs of its chunks; UINT16_MAX: at least */
	uint16_t resent;
	uint32_t rmpp_segment;  /* of ACK, and of DATA that is no part of a message of several segments; else 0 */
	/* of a message of several, whose length is that of their data: how many it has, as far as known; not seen */
	uint32_t segments, segments_lost;
	uint64_t retry_of;      /* frame of the first request of this transaction, which was not answered; 0: it is no retry */
	uint64_t transaction_id;
	const char *mad_class_name, *mad_method_name, *mad_attribute_name, *mad_status_name;
	uint64_t partner;       /* number of the reply to a call, of the call that a reply answers, and so of MADs; 0: not known */
	uint32_t crc32;         /* zlib's, of the bytes: with has_crc */
	uint32_t rdma_version_high; /* with has_rdma_versions */
	struct rtap_span bytes; /* if they were asked for and all are there */
};

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
