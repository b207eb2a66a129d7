/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requesters and responders of reliable connections (IBTA vol. 1, 9.7) that execute the records of fuzz_transfers.c over a network that
 * loses, repeats and delays packets, past a capture point that misses some, truncates them and writes them late.
 */
#ifndef RDMATAP_TESTS_FUZZ_TRANSFER_MODEL_H
#define RDMATAP_TESTS_FUZZ_TRANSFER_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network_model.h"

#define TRANSFER_CONNECTIONS 2
#define TRANSFER_DIRECTIONS (2 * TRANSFER_CONNECTIONS) /* of requests: 2 * connection + side of the requester */
#define TRANSFER_MESSAGES 64
#define TRANSFER_PACKETS 40      /* most of a message */
#define TRANSFER_ANSWERS 64
#define TRANSFER_FIRST_PSN (UINT64_C(1) << 24) /* PSNs of the model are not wrapped */

/* Byte 0 of the header. */
enum {
	TRANSFER_CM = 1,         /* the setup is captured */
	TRANSFER_TWO = 2,        /* connections, between the same hosts */
	TRANSFER_SAME_QPNS = 4,  /* of both ends */
	TRANSFER_IDS = 8,        /* senders count their IPv4 identifications */
	TRANSFER_PORTS = 16,     /* the source port follows from the queue pairs; otherwise all have the same */
	TRANSFER_EVERY_ACK = 32, /* acknowledgements are not coalesced */
	/* 64, 128: those of the harness */
};

/* Byte 0 of a record: above TRANSFER_FETCH_ADD nothing is posted. */
enum transfer_verb {
	TRANSFER_SEND, TRANSFER_SEND_IMMEDIATE, TRANSFER_SEND_INVALIDATE, TRANSFER_WRITE, TRANSFER_WRITE_IMMEDIATE, TRANSFER_READ,
	TRANSFER_COMPARE_SWAP, TRANSFER_FETCH_ADD, TRANSFER_VERBS,
};
enum { TRANSFER_OF_SECOND = 16, TRANSFER_BY_B = 32, TRANSFER_UNSIGNALED = 64, TRANSFER_ACKS_WITHIN = 128 };

/* Beyond those of the network. */
enum transfer_fault {
	TRANSFER_NOT_READY = NETWORK_FAULT_KINDS, /* the responder answers the request with an RNR NAK */
	TRANSFER_REFUSED,        /* the responder answers the request with a NAK that ends the connection */
	TRANSFER_FAULT_KINDS,
};

enum transfer_cause { TRANSFER_NO_CAUSE, TRANSFER_BY_NAK, TRANSFER_BY_IMPLIED_NAK, TRANSFER_BY_RNR, TRANSFER_BY_TIMEOUT };

struct transfer_message {
	unsigned index, direction;
	enum transfer_verb verb;
	uint64_t psn, end;       /* PSNs, not wrapped */
	uint64_t packets;        /* that carry its data, requests or responses */
	uint64_t length, virtual_address;
	uint32_t r_key, immediate;
	bool is_signaled, acks_within;
	bool was_answered[TRANSFER_PACKETS]; /* the responder sent this response */
	bool is_crossed;         /* it was requested again while a response to it was on the way */
	const struct transfer_frame *completed; /* the response that completes it for the requester; NULL: none */
};

struct transfer_frame {
	struct network_fate fate;
	unsigned direction;      /* of the requests that it is, or answers */
	bool is_response, ack_request, is_again; /* is_again: sent before, or its data was */
	uint8_t opcode, syndrome, cause; /* cause: enum transfer_cause, of the first request of a run of retransmissions */
	uint64_t psn;
	struct transfer_message *message; /* NULL: ACK or NAK */
	uint64_t offset;         /* of its payload in the message */
	uint32_t length;         /* of its payload; READ requests: what is requested */
	uint32_t msn;
	uint16_t id;
};

struct transfer_requester {
	uint64_t first, posted, next, sent, acknowledged; /* PSNs: of the first packet; after the last posted; of the next packet; after the highest
							     sent; all below are answered */
	int64_t active_ns, wait_ns;
	uint8_t cause;
	bool recovers, has_failed;
};

struct transfer_answer {
	uint8_t syndrome;
	uint64_t psn, first, end; /* data: from psn to end */
	uint32_t msn;
	struct transfer_message *message; /* NULL: ACK or NAK */
};

struct transfer_responder {
	uint64_t expected;
	uint32_t msn;
	bool has_refused, has_failed;
	struct transfer_answer answers[TRANSFER_ANSWERS];
	unsigned first, count;
};

struct transfer_model {
	uint8_t options;
	uint32_t path_mtu;
	struct network net;
	unsigned message_count;
	struct transfer_message messages[TRANSFER_MESSAGES];
	struct transfer_requester requesters[TRANSFER_DIRECTIONS];
	struct transfer_responder responders[TRANSFER_DIRECTIONS];
	uint16_t ids[2];
	struct transfer_frame frames[NETWORK_FRAMES]; /* net.frame_count of them */
};

/* Runs an input of at least NETWORK_HEADER bytes. */
void transfer_run(struct transfer_model *model, const uint8_t *input, size_t length);

/* The message that has the PSN, or NULL. */
struct transfer_message *transfer_message_at(struct transfer_model *model, unsigned direction, uint64_t psn);

static inline bool transfer_is_answered_by_data(const struct transfer_message *message)
{
	return message->verb >= TRANSFER_READ;
}

/* The bytes of a message's data from `begin` up to but excluding `end`; of an atomic: of the original value. */
void transfer_fill(const struct transfer_message *message, uint64_t begin, uint64_t end, uint8_t *bytes);

#endif
