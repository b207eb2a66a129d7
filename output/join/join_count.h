/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets lost, duplicated, reordered, delayed and marked between capture points, by direction of each connection.
 */
#ifndef OUTPUT_JOIN_JOIN_COUNT_H
#define OUTPUT_JOIN_JOIN_COUNT_H

#include <stddef.h>

#include "output/join/join_stall.h"
#include "output/join/join_unmatched.h"
#include "output/stats/histogram.h"
#include "reassembly/join/transmission.h"

/* Largest number of combinations of points that captured a packet, per direction. */
#define JOIN_GROUPS 64

/* Lost packets of one direction that are listed. */
#define JOIN_LISTED 10000

/* Nearer than this to the begin or the end of another capture, it is unknown whether a packet was lost. */
#define JOIN_EDGE_NS INT64_C(5000000)

/* Delays over time: their intervals get longer with the capture. */
#define JOIN_INTERVALS 64
#define JOIN_INTERVAL_NS INT64_C(1000000)

/* Delays of the packets that the first point captured in one interval. */
struct join_interval {
	uint64_t count, least, largest, sum; /* ns */
};

struct join_delays {
	int64_t begin_ns, interval_ns;  /* of the first interval; interval_ns 0: no packet yet */
	unsigned points;                /* of the packets counted: as many as any packet passed */
	struct join_interval intervals[JOIN_INTERVALS];
};

/* Packets that the same points captured, while these points were capturing. */
struct join_group {
	uint32_t seen, active;         /* by point, a bit each */
	uint64_t count, bytes;
};

/* Packets of one direction kept before a second point has captured any of its hosts: those that the network may have lost. */
#define JOIN_EARLY 64

/* The packets of one direction. Bits and arrays are by slot of its path. */
struct join_direction {
	struct transmission_flow flow;
	const struct transmission_path *path;
	uint32_t number;               /* by first packet */
	uint64_t connection;           /* 0: unknown */
	bool from_a, has_source_qpn;
	uint32_t source_qpn;
	struct join_direction *opposite; /* NULL: none is known */
	struct join_direction *way_back; /* this, or the one between its hosts with the most packets; NULL: none */
	uint32_t points;               /* that captured any, a bit each */
	uint64_t packets, bytes;       /* each transmission once */
	uint64_t mistimed;             /* of these, captured at points whose times do not fit together: not lost */
	uint64_t seen[JOIN_POINTS];
	struct join_group groups[JOIN_GROUPS];
	unsigned group_count;
	uint64_t ungrouped;            /* packets beyond JOIN_GROUPS: not evaluated */
	struct join_group resent[JOIN_GROUPS]; /* retransmissions, by the points that the previous transmission had reached */
	unsigned resent_count;
	uint64_t doubled[JOIN_POINTS], reordered[JOIN_POINTS], marked[JOIN_POINTS]; /* between the previous point and this one */
	uint64_t before[JOIN_POINTS][JOIN_POINTS]; /* packets that the first point captured before the second one */
	struct histogram *delays[JOIN_POINTS][JOIN_POINTS]; /* from the first to the second; NULL: none */
	struct join_delays *over_time;  /* from the first to the last point of the packets that most points captured; NULL: none */
	struct transmission *missed;   /* not captured at a point that was capturing */
	size_t missed_count, missed_room;
	/* Set by join_finish(): */
	unsigned order[JOIN_POINTS];   /* slots, as packets pass their points */
	unsigned order_count;
};

/* The hop between two adjacent points on the path. */
struct join_hop {
	unsigned from, to;             /* points */
	uint64_t captured;             /* packets that `from` captured */
	uint64_t lost, lost_bytes;
	uint64_t unjudged;             /* packets that `from` captured last, while no later point was capturing */
	uint64_t uncaptured;           /* packets that later points captured, and `to` did not */
	uint64_t doubled, reordered, marked;
	const struct histogram *delay_ns; /* NULL: no packet was captured by both */
};

struct join_point {
	int64_t first_ns, last_ns;     /* times of its first and last packet */
	uint64_t packets, unknown;     /* unknown: packets without identifying values */
	bool is_used;
};

struct join {
	struct join_point *points;
	unsigned point_count;
	struct join_direction **directions; /* in order of their first packet; after join_finish(), of their connections */
	size_t direction_count, direction_room;
	uint64_t uncounted;            /* packets whose direction or delays found no memory */
	struct join_stalls stalls;
	struct join_unmatcheds unmatcheds;
	struct histogram_memory memory;
};

/* NULL: out of memory. max_memory: bytes. */
struct join *join_create(unsigned points, uint64_t max_memory);

/* Records a packet of a point. Call it before its transmission is passed on. */
void join_note_point(struct join *join, unsigned point, int64_t time_ns, bool is_known);

/* Counts a transmission; `owner` is a struct join. */
void join_take(void *owner, const struct transmission *transmission);

/* Connection `from` turned out to be connection `into`; turned: the ends are exchanged. */
void join_merge(struct join *join, uint64_t from, uint64_t into, bool turned);

/* Call after the last packet: determines the order of the points and pairs the directions. */
void join_finish(struct join *join);

/* The hop from the `index`-th to the next point on the path of a direction. */
struct join_hop join_hop_of(const struct join_direction *direction, unsigned index);

/* Finds the hop at which a packet was lost; its index is stored in *hop. False: not lost, or unknown. */
bool join_lost_at(const struct join_direction *direction, uint32_t seen, uint32_t active, unsigned *hop);

/* Number of lost packets of a direction that are not among `missed`. */
uint64_t join_unlisted(const struct join *join, const struct join_direction *direction);

/* The points on the path of a transmission that were capturing, by slot. */
uint32_t join_active(const struct join *join, const struct transmission *transmission);

/* Retransmissions whose first transmission had reached the last point. */
uint64_t join_resent_after_arrival(const struct join_direction *direction);

/* NULL is ignored. */
void join_destroy(struct join *join);

#endif
