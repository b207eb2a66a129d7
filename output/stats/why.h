/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The events of one connection, or of the part of it that belongs to one operation: runs of ordinary packets, gaps,
 * retransmissions with the place of the loss relative to the capture point, NAKs, recoveries with their time, silences; and a
 * verdict. Causes that the capture does not prove are marked as likely.
 */
#ifndef OUTPUT_STATS_WHY_H
#define OUTPUT_STATS_WHY_H

#include <rdmatap/message.h>
#include <rdmatap/operation.h>
#include <rdmatap/packet.h>

#include "dissect/engine/line.h"

/* Where a retransmitted packet was lost. X(identifier, JSON name, words) */
#define WHY_PLACES(X) \
	X(UNKNOWN, "unknown", "lost in an unknown place") \
	X(BEFORE, "before_capture", "lost before it reached the capture") \
	X(AFTER, "after_capture", "lost after it had passed the capture") \
	X(ANSWER, "answer_after_capture", "answered, and the answer was lost after it had passed the capture") \
	X(RECEIVER, "receiver", "not accepted, as the receiver had posted no receive") \
	X(SILENT, "no_answer", "passed the capture, and no answer was captured: lost after it, or not answered in time")

enum why_place {
#define WHY_PLACE_ENUM(identifier, name, words) WHY_##identifier,
	WHY_PLACES(WHY_PLACE_ENUM)
#undef WHY_PLACE_ENUM
	WHY_PLACE_COUNT
};

/* Kinds of events. X(identifier, JSON name) */
#define WHY_EVENTS(X) \
	X(PACKETS, "packets") X(GAP, "gap") X(AGAIN, "retransmission") X(DUPLICATE, "duplicate") X(LATE, "out_of_order") \
	X(UNEXPECTED, "unexpected_response") X(NAK, "nak") X(RNR, "rnr_nak") X(CNP, "cnp") X(RECOVERY, "recovery") X(SILENCE, "silence")

enum why_event_kind {
#define WHY_EVENT_ENUM(identifier, name) WHY_EVENT_##identifier,
	WHY_EVENTS(WHY_EVENT_ENUM)
#undef WHY_EVENT_ENUM
};

struct why_event {
	uint8_t kind;            /* enum why_event_kind */
	bool from_a;             /* of its packets; of a silence: of the packet that ended it */
	bool is_mixed;           /* packets of both ends */
	bool has_psn;
	bool is_response_lost;   /* recoveries: the lost packet is a READ response, or nothing is known of it */
	uint8_t cause, attempt;  /* recoveries: enum rtap_recovery */
	uint8_t place;           /* recoveries: enum why_place */
	uint8_t code;            /* NAKs */
	const char *what;        /* static: "WRITE", "READ response"; NULL: of several kinds */
	uint64_t first_frame, last_frame, packets, bytes;
	int64_t time_ns, end_ns;
	uint32_t psn, last_psn, missing; /* missing: PSNs before a gap */
	uint64_t seen_frame;     /* recoveries: the frame in which the lost packet, or its answer, passed; 0: none */
	int64_t lost_ns;         /* time lost to recoveries, up to its last packet */
};

#define WHY_DELAYS 8

/* A delay of the operation, reported by its layer. */
struct why_delay {
	const char *name;        /* static: as in struct rtap_named_value */
	uint8_t wait;            /* enum rtap_wait */
	int64_t time_ns;
};

struct usage;
struct why;

/* The connection, or the part of it, that is explained. */
struct why_subject {
	struct rtap_end a, b;
	uint64_t connection;
	char service[80];
	uint64_t packets;        /* of the whole connection, if that is explained; 0: unknown */
	const struct usage *usage; /* of the whole connection; NULL: its layer is known, or nothing is known of it */
	bool has_operation;      /* the next ones are valid */
	uint64_t operation, request_frame, response_frame;
	bool from_a, has_latency, has_status, ok, one_way;
	int64_t latency_ns;
	const char *layer;       /* static: "nfs" */
	char name[160];          /* "nfs READ /a/b" */
	char status[64];
	char verdict[32];        /* the cause of its delay, reported by its layer; empty: unknown */
	struct why_delay delays[WHY_DELAYS];
	unsigned delay_count;
	uint64_t first_frame, last_frame; /* only packets between these frames; 0: all */
	uint8_t ack_timeout;     /* Local ACK Timeout, known from CM: 4.096 us * 2^n; 0: unknown */
	int64_t end_ns;          /* with last_frame: and later packets up to this time */
};

/* NULL: out of memory. `most`: events listed. */
struct why *why_create(const struct why_subject *subject, uint64_t most);
void why_destroy(struct why *why);

/* Adds a packet of the connection. turned: it has the numbers of a half in which end a is the subject's end b. */
void why_packet(struct why *why, const struct rtap_packet *packet, bool turned);

/* The last frame added between those of the subject; the subject's if there is none. */
uint64_t why_last_frame(const struct why *why);

/* Number of events of the packets added so far. */
size_t why_event_count(struct why *why);

#endif
