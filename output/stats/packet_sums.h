/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums of usual packets, which are counted together: statistics of connections that different processes analyse. A packet is usual if its
 * order among other packets does not matter, so that the statistics are the same as if each packet were counted alone.
 */
#ifndef OUTPUT_STATS_PACKET_SUMS_H
#define OUTPUT_STATS_PACKET_SUMS_H

#include "output/stats/stats.h"

/* Packets of one direction with one traffic class. */
struct packet_sum {
	uint64_t connection;                /* number; 0: packets that are not of InfiniBand, of no connection */
	uint64_t packets, wire_bytes;       /* without copies */
	int64_t first_ns, last_ns;          /* earliest and latest time of these */
	struct stats_occurrences copies;    /* captured twice */
	uint64_t copied_bytes;
	int64_t first_copy_ns, last_copy_ns; /* earliest and latest time */
	uint64_t data_packets, carried_bytes;
	int64_t window_ns;                  /* the first packet, of window_bytes, begins a window of congestion_begin_window() */
	uint32_t window_bytes;              /* 0: it does not */
	uint32_t kinds[CONGESTION_KIND_COUNT]; /* packets of each */
	uint8_t order[CONGESTION_KIND_COUNT]; /* the kinds, as they came first */
	uint8_t kind_count;
	uint16_t class;
	uint8_t from_a;                     /* 0 or 1 */
};

struct packet_sums;

/* pass: gets each sum when it ends. NULL: out of memory. */
struct packet_sums *packet_sums_create(void (*pass)(void *owner, const struct packet_sum *sum), void *owner);

/* Adds a packet. False: it is not usual and has to be counted alone, now; sums of its connection have been passed. */
bool packet_sums_take(struct packet_sums *sums, const struct stats_packet_facts *facts);

/* Passes the sums of a connection, whose counters are going to be changed by something else than its packets. */
void packet_sums_interrupt(struct packet_sums *sums, uint64_t connection);

/* Passes all sums. */
void packet_sums_pass(struct packet_sums *sums);

/* NULL is ignored. Sums that have not been passed are lost. */
void packet_sums_destroy(struct packet_sums *sums);

#endif
