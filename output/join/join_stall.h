/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pauses of a connection and their place: a host that sent nothing, or the network in which a packet was lost or delayed.
 */
#ifndef OUTPUT_JOIN_JOIN_STALL_H
#define OUTPUT_JOIN_JOIN_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/heap.h"
#include "base/map.h"
#include "reassembly/join/transmission.h"

/* Minimum time without packets of a connection that counts as a pause. */
#define JOIN_STALL_NS INT64_C(10000000)

/* Number of longest pauses listed. */
#define JOIN_STALLS 1000

struct join_direction;

/* The stored values of a transmission. */
struct join_brief {
	const struct join_direction *direction; /* NULL: none */
	uint32_t seen, active;         /* slots of the points that captured it, that were capturing; a bit each */
	uint64_t number, frame;        /* by the first capture: among all transmissions, in the file of its point */
	unsigned point;                /* of the first capture; not a slot */
	int64_t time_ns, last_ns;      /* of the first and the last capture */
	bool is_repeat;
};

struct join_stall {
	struct join_brief before, after; /* the packets before and after the pause */
	struct join_brief lost;        /* the latest packet of the connection before `after` that a point missed */
	uint64_t connection;
	int64_t duration_ns;
};

/* All zero: none. */
struct join_stalls {
	struct map by_connection;
	SLIST_HEAD(, stall_connection) all;
	struct heap longest;           /* of struct join_stall, the shortest first */
	uint64_t pauses;               /* of all connections */
	uint64_t connections, uncounted; /* uncounted: packets of connections for which there was no memory */
};

/* Processes a transmission, which `missed` did not capture. Call in the order of their first captures. */
void join_stalls_take(struct join_stalls *stalls, const struct join_direction *direction, const struct transmission *transmission,
		      uint32_t active, uint32_t missed, uint64_t most_connections);

void join_stalls_fini(struct join_stalls *stalls);

#endif
