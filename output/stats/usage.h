/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Use of a connection with an unknown upper layer: the pattern of its messages, the memory that they access, and outliers with their
 * cause. Messages are added in the order of their first frames; memory is constant.
 */
#ifndef OUTPUT_STATS_USAGE_H
#define OUTPUT_STATS_USAGE_H

#include <rdmatap/message.h>

#include "dissect/engine/line.h"

/* X(identifier, name) */
#define USAGE_PATTERNS(X) \
	X(FEW, "few messages") /* too few for a pattern */ \
	X(PING_PONG, "ping-pong") /* both ends in turn, messages of one kind and size */ \
	X(REQUESTS, "request-response") /* both ends in turn, or as many SENDs of each, of different sizes */ \
	X(NOTIFY, "writes with notification") /* WRITEs of one end, the last of a run with immediate data */ \
	X(POLLING, "polling") /* READs of the same memory again and again */ \
	X(STREAM, "streaming") /* one end sends, or reads */ \
	X(STREAMS, "streaming both ways") \
	X(ATOMICS, "atomics") X(MIXED, "mixed")
#define USAGE_PATTERN_ENUM(identifier, name) USAGE_##identifier,
enum usage_pattern { USAGE_PATTERNS(USAGE_PATTERN_ENUM) USAGE_PATTERN_COUNT };
#undef USAGE_PATTERN_ENUM

const char *usage_pattern_name(enum usage_pattern pattern);

#define USAGE_KINDS (RTAP_KIND_UD + 1) /* the first of enum rtap_message_kind */

/* Messages of one kind requested by one end. */
struct usage_kind {
	uint64_t count, immediates, bytes;
	uint64_t least, most;       /* bytes */
	uint64_t common;            /* the size of most of them, if one size is that of more than half; confirmed by `commons` */
	uint64_t votes, commons;    /* commons: those of the size `common` since it is the candidate */
	uint64_t answered;          /* with a latency */
	int64_t latency_ns;         /* of these, in sum */
};

#define USAGE_REGIONS 8

/* Memory of one key at one end. */
struct usage_region {
	uint32_t key;
	uint64_t begin, end;        /* virtual addresses accessed: the first, and one after the last */
	uint64_t messages, bytes;
};

#define USAGE_SLOWEST 4

struct usage_slow {
	uint64_t frame, length;
	int64_t latency_ns;
	uint32_t time_lost_us;
	uint8_t kind, lost_to;      /* lost_to: a bit for each enum rtap_recovery */
	bool from_a;
};

/* Times of an end from the other end's message, or its own previous one, to its next message. */
struct usage_turn {
	uint64_t count;
	int64_t sum_ns, longest_ns;
	uint64_t longest_frame;     /* the message after it */
};

/* Index 0: end a. All zero: no messages. */
struct usage {
	uint64_t messages, turns;   /* turns: messages after one of the other end */
	struct usage_kind kinds[2][USAGE_KINDS];
	uint64_t notified;          /* runs of WRITEs of one end that end with immediate data */
	uint64_t polls;             /* READs of the same memory as the previous READ, after its end */
	struct usage_turn answers[2], pauses[2]; /* after the other's message; after its own */
	struct usage_region regions[2][USAGE_REGIONS]; /* memory of the end */
	uint64_t unlisted[2];       /* messages to further keys */
	struct usage_slow slowest[USAGE_SLOWEST]; /* the slowest first */
	bool last_from_a, last_had_immediate;
	uint8_t last_kind;
	int64_t last_ns;
	uint32_t last_key;
	uint64_t last_address, last_length;
};

/* Other kinds of messages (RPC, MADs, Terminate) are ignored. */
void usage_message(struct usage *usage, const struct rtap_message *message);

/* Exchanges ends a and b. */
void usage_turn(struct usage *usage);

/* Adds the counts of the other half of a connection. */
void usage_merge(struct usage *usage, const struct usage *other, bool turned);

/* The pattern; *kind: of most messages, enum rtap_message_kind; *from_a: their requester, for patterns with one requesting end. */
enum usage_pattern usage_pattern(const struct usage *usage, uint8_t *kind, bool *from_a);

/* Whether there are enough messages for a pattern. */
bool usage_has_pattern(const struct usage *usage);

/* Size of more than half of the messages. False: none. */
bool usage_common_size(const struct usage_kind *kind, uint64_t *size);

/* An outlier. */
struct usage_outlier {
	uint64_t frame, length;
	int64_t time_ns, usual_ns;  /* latency, or time of an end before the message */
	uint8_t kind;               /* enum rtap_message_kind */
	bool from_a;                /* requested by a; with is_turn: a caused the time */
	bool is_turn;               /* the time of an end before the message; else the message's own latency */
	const char *cause;          /* static */
};

#define USAGE_OUTLIERS (USAGE_SLOWEST + 2)

/* Fills the array of USAGE_OUTLIERS, the longest first. Returns their number. */
unsigned usage_outliers(const struct usage *usage, struct usage_outlier *outliers);

#endif
