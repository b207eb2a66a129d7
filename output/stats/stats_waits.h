/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delays of operations of layers that attribute them to an end (rdmatap/operation.h, enum rtap_wait), by connection and by pair of
 * hosts; the sums of jobs and hosts are in stats_jobs.h.
 */
#ifndef OUTPUT_STATS_STATS_WAITS_H
#define OUTPUT_STATS_STATS_WAITS_H

#include <rdmatap/operation.h>

#include "output/stats/stats.h"

/* Causes of delays: RTAP_WAIT_REQUESTER to RTAP_WAIT_ALL, in this order. */
enum stats_delay { STATS_DELAY_REQUESTER, STATS_DELAY_RESPONDER, STATS_DELAY_NETWORK, STATS_DELAY_ALL, STATS_DELAY_COUNT };

/* Minimum delay of a delayed operation; shorter delays count in sums only. */
#define STATS_DELAYED_NS INT64_C(1000000)

/* Delays of one kind. */
struct stats_delayed {
	const char *name;           /* static, as in the operations' values; NULL: none */
	struct stats_occurrences delayed; /* operations, with the frames of their requests */
	int64_t time_ns;            /* of all operations, in sum */
	int64_t longest_ns;
	uint64_t longest_frame;     /* its request */
};

/* The part of an end's delays in which that end did not wait itself. */
struct stats_own {
	struct stats_occurrences delayed;
	int64_t time_ns, longest_ns;
	int64_t delayed_ns;         /* of the delayed operations, in sum */
	uint64_t unknown;           /* delayed operations for which this part is unknown: the whole delay is counted */
};

struct stats_waits {
	uint64_t count, bytes;      /* operations, and their data */
	int64_t begin_ns, end_ns;   /* of the first and the last frame */
	struct stats_delayed delays[STATS_DELAY_COUNT];
	struct stats_own own[2];    /* by enum stats_delay: of the requester, of the responder */
};

#define STATS_LINKS 1024

/* Operations of one layer that one host requests of another. */
struct stats_link {
	const char *layer;          /* static */
	uint8_t addresses[2][16];   /* of the requester and the responder */
	uint8_t address_length;
	struct stats_waits waits;
};

struct stats_requests;

/* Counts the delays of an operation, if its layer provides them. */
void stats_waits_operation(struct stats *stats, struct stats_requests *requests, const struct rtap_operation *operation);

void stats_own_merge(struct stats_own *into, const struct stats_own *from);
void stats_waits_merge(struct stats_waits *into, const struct stats_waits *from);

/* Duration in nanoseconds. */
int64_t stats_waits_span(const struct stats_waits *waits);

#endif
