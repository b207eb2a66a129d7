/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics: what a capture amounts to in numbers, as `rdmatap stats` counts them; doc/stats.md says what each number means.
 *
 * Everything is counted as it comes, and can be looked at in between: what is told is a snapshot. Feed it from a tracker:
 * rtap_stats_packet() behind each rtap_tracker_frame(), the other three from the tracker's callbacks of the same names.
 * One thread at a time.
 */
#ifndef RDMATAP_STATS_H
#define RDMATAP_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct rtap_stats;

/*
 * max_memory: bytes that the counts may take, 0: 64 MiB; connections beyond that are counted in rtap_stats_totals only. NULL:
 * memory is out.
 */
struct rtap_stats *rtap_stats_open(uint64_t max_memory);

/* Frees. NULL is ignored. */
void rtap_stats_close(struct rtap_stats *stats);

/* A packet that rtap_tracker_frame() filled; a message; a connection; two connections that are one; the place of a packet
 * that came before its connection was known: see rdmatap/tracker.h. */
void rtap_stats_packet(struct rtap_stats *stats, const struct rtap_packet *packet);
void rtap_stats_message(struct rtap_stats *stats, const struct rtap_message *message);
void rtap_stats_connection(struct rtap_stats *stats, const struct rtap_connection *connection);
void rtap_stats_merged(struct rtap_stats *stats, uint64_t from, uint64_t into, bool turned);
void rtap_stats_resolved(struct rtap_stats *stats, uint64_t frame, const struct rtap_flow_facts *flow);

/* How values are distributed. Percentiles are at most 1/32 from the exact ones, the others exact. All 0 if there are none. */
struct rtap_distribution {
	uint64_t count, sum;
	uint64_t least, median, percentile_90, percentile_99, largest;
};

/* Of the whole capture. */
struct rtap_stats_totals {
	uint64_t packets, wire_bytes;
	uint64_t rdma_packets;           /* InfiniBand's or RoCE's transport, or of a connection of iWARP */
	uint64_t connections;
	uint64_t messages, incomplete_messages; /* but for RPC calls and replies */
	int64_t first_ns, last_ns;       /* the earliest and the latest time stamp, nanoseconds since 1970-01-01 UTC */
};

void rtap_stats_totals(const struct rtap_stats *stats, struct rtap_stats_totals *totals);

/* What one end of a connection sent; of RPC calls, what it asked for. */
struct rtap_stats_direction {
	uint64_t packets, wire_bytes;
	uint64_t payload_bytes;          /* without what was repeated */
	uint64_t repeated_bytes;
	uint64_t retransmissions, duplicates, out_of_order;
	uint64_t gaps;                   /* packets behind PSNs that had not been seen */
	uint64_t nak_sequence, nak_invalid_request, nak_access, nak_operation, nak_invalid_rd, rnr_naks;
	uint64_t ce_marks, cnps;         /* congestion: RFC 3168; IBTA annex A17 */
	uint64_t bad_icrc;
	uint64_t unanswered;             /* requests without an answer for a second or more */
	uint64_t rpc_calls, rpc_replies; /* RPCs that it called, and those of them that were answered */
};

/*
 * The connection behind the one numbered `after` (0: the first), by number as in rtap_connection.number and
 * rtap_flow_facts.connection; 0: there is no further one.
 */
uint64_t rtap_stats_next(const struct rtap_stats *stats, uint64_t after);

/* What end a, or else b, of a connection sent. False: no such connection; then *direction is zeroed. */
bool rtap_stats_direction(const struct rtap_stats *stats, uint64_t connection, bool from_a, struct rtap_stats_direction *direction);

/* The messages of one kind that one end of a connection asked for. */
struct rtap_stats_operations {
	uint64_t messages, incomplete, unanswered, refused;
	uint64_t bytes;                      /* lengths as announced */
	struct rtap_distribution size;       /* bytes */
	struct rtap_distribution latency_ns; /* of requests that were answered well */
};

/* kind: enum rtap_message_kind. False: there were none; then *operations is zeroed. */
bool rtap_stats_operations(const struct rtap_stats *stats, uint64_t connection, bool from_a, enum rtap_message_kind kind,
			   struct rtap_stats_operations *operations);

/* RPCs of one procedure, or (is_operation) the operations of one kind within procedures that have several. */
struct rtap_stats_rpc {
	bool program_known, is_operation;
	uint32_t program, version, procedure, operation;
	const char *name;                    /* static; NULL: a number without one */
	uint64_t calls, replies, errors, rejected;
	uint64_t unanswered;                 /* in the capture */
	uint64_t call_bytes, reply_bytes;
	struct rtap_distribution latency_ns; /* of an operation: of the calls that hold it */
};

/* How many there are, and the index-th of them in the order in which they came. False: index is beyond; then *rpc is zeroed. */
size_t rtap_stats_rpc_count(const struct rtap_stats *stats);
bool rtap_stats_rpc(const struct rtap_stats *stats, size_t index, struct rtap_stats_rpc *rpc);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
