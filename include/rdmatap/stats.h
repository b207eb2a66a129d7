/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of a capture, as `rdmatap stats` shows them; doc/stats.md defines each number.
 *
 * Statistics are updated continuously and can be read at any time; the functions return snapshots. Feed them from a tracker:
 * call rtap_stats_packet() after each rtap_tracker_frame(), and the others from the tracker's callbacks of the same names.
 * `size` is the size of the struct that is filled: sizeof *totals.
 * One thread at a time.
 */
#ifndef RDMATAP_STATS_H
#define RDMATAP_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdmatap/error.h>
#include <rdmatap/message.h>
#include <rdmatap/operation.h>
#include <rdmatap/packet.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct rtap_stats;

struct rtap_stats_options {
	size_t size;         /* sizeof(struct rtap_stats_options) */
	/* limit for the statistics' memory in bytes, 0: 64 MiB; connections beyond it are counted in rtap_stats_totals only */
	uint64_t max_memory;
};

/* options: NULL for the defaults. FAILED: *stats is NULL. */
enum rtap_status rtap_stats_open(struct rtap_stats **stats, const struct rtap_stats_options *options, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Frees. NULL is ignored. */
void rtap_stats_close(struct rtap_stats *stats);

/*
 * Count a packet that rtap_tracker_frame() filled; a message; a connection; the merging of two connections; the flow facts of a
 * packet that preceded the detection of its connection: see rdmatap/tracker.h.
 */
void rtap_stats_packet(struct rtap_stats *stats, const struct rtap_packet *packet);
void rtap_stats_message(struct rtap_stats *stats, const struct rtap_message *message);
/* An operation: needed for counts and findings of upper layers, RPC included. cheap_operations of the tracker is enough. */
void rtap_stats_operation(struct rtap_stats *stats, const struct rtap_operation *operation);
void rtap_stats_connection(struct rtap_stats *stats, const struct rtap_connection *connection);
void rtap_stats_merged(struct rtap_stats *stats, uint64_t from, uint64_t into, bool turned);
void rtap_stats_resolved(struct rtap_stats *stats, uint64_t frame, const struct rtap_flow_facts *flow);

/* A distribution of values. Percentiles are within 1/32 of the exact ones, the other numbers exact. All 0 without values. */
struct rtap_distribution {
	uint64_t count, sum;
	uint64_t least, median, percentile_90, percentile_99, largest;
};

/* Totals of the whole capture. */
struct rtap_stats_totals {
	uint64_t packets, wire_bytes;
	uint64_t rdma_packets;           /* with an InfiniBand or RoCE transport header, or on an iWARP connection */
	uint64_t connections;
	uint64_t messages, incomplete_messages; /* excluding RPC calls and replies */
	int64_t first_ns, last_ns;       /* the earliest and the latest time stamp, nanoseconds since 1970-01-01 UTC */
};

void rtap_stats_totals(const struct rtap_stats *stats, struct rtap_stats_totals *totals, size_t size);

/* Traffic sent by one end of a connection; RPCs are counted for the caller. */
struct rtap_stats_direction {
	uint64_t packets, wire_bytes;
	uint64_t payload_bytes;          /* excluding repeated bytes */
	uint64_t repeated_bytes;
	uint64_t retransmissions, duplicates, out_of_order;
	uint64_t gaps;                   /* packets after PSNs not seen */
	uint64_t nak_sequence, nak_invalid_request, nak_access, nak_operation, nak_invalid_rd, rnr_naks;
	uint64_t ce_marks, cnps;         /* congestion: RFC 3168; IBTA annex A17 */
	uint64_t bad_icrc;
	uint64_t unanswered;             /* requests without a response for 1 s or more */
	uint64_t rpc_calls, rpc_replies; /* RPCs called by this end, and those of them with a reply */
};

/*
 * Returns the number of the connection after the one numbered `after` (0: the first one); numbers are those of
 * rtap_connection.number and rtap_flow_facts.connection. Returns 0 after the last one.
 */
uint64_t rtap_stats_next(const struct rtap_stats *stats, uint64_t after);

/* Traffic sent by end a (from_a) or b of a connection. False: no such connection; *direction is zeroed. */
bool rtap_stats_direction(const struct rtap_stats *stats, uint64_t connection, bool from_a, struct rtap_stats_direction *direction,
			  size_t size);

/* Messages of one kind that one end of a connection requested. */
struct rtap_stats_operations {
	uint64_t messages, incomplete, unanswered, refused;
	uint64_t bytes;                      /* lengths as announced */
	struct rtap_distribution size;       /* bytes */
	struct rtap_distribution latency_ns; /* of successful requests */
};

/* False: no such messages; *operations is zeroed. */
bool rtap_stats_operations(const struct rtap_stats *stats, uint64_t connection, bool from_a, enum rtap_message_kind kind,
			   struct rtap_stats_operations *operations, size_t size);

/* RPCs of one procedure, or (is_operation) the operations of one kind within compound procedures. */
struct rtap_stats_rpc {
	bool program_known, is_operation;
	uint32_t program, version, procedure, operation;
	const char *name;                    /* static; NULL: the number has no name */
	uint64_t calls, replies, errors, rejected;
	uint64_t unanswered;                 /* in the capture */
	uint64_t call_bytes, reply_bytes;
	struct rtap_distribution latency_ns; /* for an operation: of the calls that contain it */
};

/* The number of entries, and entry `index` in order of first occurrence. False: index out of range; *rpc is zeroed. */
size_t rtap_stats_rpc_count(const struct rtap_stats *stats);
bool rtap_stats_rpc(const struct rtap_stats *stats, size_t index, struct rtap_stats_rpc *rpc, size_t size);

/* How much a finding matters. */
enum rtap_severity { RTAP_SEVERITY_ERROR, RTAP_SEVERITY_WARNING, RTAP_SEVERITY_NOTE };

/* "error", "warning", "note"; "unknown" for other values. */
const char *rtap_severity_name(enum rtap_severity severity);

/* A problem found by one rule; doc/stats.md lists the rules and their thresholds. */
struct rtap_finding {
	const char *rule;            /* its name: "timeouts"; static */
	const char *text;            /* as `rdmatap stats` prints it; valid until the findings are closed */
	enum rtap_severity severity;
	bool has_direction, from_a;  /* it concerns what this end sent */
	uint64_t connection;         /* number; 0: no single connection */
	uint64_t count, of;          /* occurrences, and the number of which they are a part; of: 0: not part of a whole */
	uint64_t time_lost_ns;       /* 0: unknown */
	uint64_t first_frame, last_frame; /* 0: unknown */
};

/* The findings at a moment: a copy. Close it before the statistics. */
struct rtap_findings;

/* Applies the rules to the statistics so far. FAILED: out of memory, *findings is NULL. */
enum rtap_status rtap_findings_open(struct rtap_findings **findings, const struct rtap_stats *stats, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Frees. NULL is ignored. */
void rtap_findings_close(struct rtap_findings *findings);

/* Finding `index`, the worst first. False: there is none; *finding is zeroed. `size` is sizeof *finding. */
bool rtap_findings_get(const struct rtap_findings *findings, size_t index, struct rtap_finding *finding, size_t size);

/* Number of all findings; only the 200 worst are kept for rtap_findings_get(). */
uint64_t rtap_findings_total(const struct rtap_findings *findings);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
