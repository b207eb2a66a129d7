/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of a capture: by connection and direction, by RPC procedure, by kind of management datagram, over time. Packets and
 * messages are counted as they arrive and are not stored. doc/stats.md defines each number.
 */
#ifndef OUTPUT_STATS_STATS_H
#define OUTPUT_STATS_STATS_H

#include <rdmatap/message.h>

#include "base/nanoseconds.h"
#include "dissect/engine/packet.h"
#include "output/stats/congestion.h"
#include "output/stats/histogram.h"

struct stats_operation_tables;
struct usage;
struct stats_requests;

/* Events of the packets of one direction. X(identifier, name) */
#define STATS_EVENTS(X) \
	X(RETRANSMISSION, "retransmissions") X(DUPLICATE, "duplicates") X(OUT_OF_ORDER, "out_of_order") \
	X(GAP, "gaps") /* packets that follow missing PSNs */ \
	X(CAPTURED_TWICE, "captured_twice") X(UNEXPECTED, "unexpected_responses") \
	X(RESYNCHRONISED, "resynchronised") X(BAD_ICRC, "bad_icrc") \
	X(AFTER_NAK, "recoveries_after_nak") /* runs of retransmitted requests after a NAK */ \
	X(AFTER_TIMEOUT, "recoveries_after_timeout") /* those without a NAK */ \
	X(AFTER_HOLE, "recoveries_after_missing_response") /* those of READs with a missing response */ \
	X(READ_RESTART, "read_restarts") /* READ requests sent again */ \
	X(NO_CREDIT, "no_credit") /* acknowledgements that grant the other end no credit: IBTA vol. 1, 9.7.7.2 */ \
	X(NAK_SEQUENCE, "nak_sequence") X(NAK_INVALID_REQUEST, "nak_invalid_request") X(NAK_ACCESS, "nak_access") \
	X(NAK_OPERATION, "nak_operation") X(NAK_INVALID_RD, "nak_invalid_rd") X(RNR, "rnr_naks") \
	X(CE_MARK, "ce_marks") /* congestion experienced: RFC 3168 */ \
	X(CNP, "cnps") \
	X(RNR_GIVEN_UP, "rnr_given_up") /* requests abandoned after RNR NAKs, before the end of the capture */ \
	X(UNANSWERED, "unanswered") /* requests without a response for at least one second of the capture */

enum stats_event {
#define STATS_EVENT_ENUM(identifier, name) STATS_##identifier,
	STATS_EVENTS(STATS_EVENT_ENUM)
#undef STATS_EVENT_ENUM
	STATS_EVENT_COUNT
};

const char *stats_event_name(enum stats_event event);

/* Number of occurrences, the frames of the first and the last, and the times of these frames. */
struct stats_occurrences {
	uint64_t count, first_frame, last_frame;
	int64_t first_ns, last_ns;
};

/* Messages of one kind requested by one end. */
struct stats_operations {
	uint64_t messages, incomplete, unanswered, refused;
	uint64_t bytes;                     /* announced lengths */
	struct histogram size, latency_ns;  /* latency: of successful requests */
	uint64_t slowest_frame;             /* first frame of the slowest one */
};

/* Most outstanding READs that are tracked individually. */
#define STATS_READS 256

/* Ring of the response frames of outstanding READs and atomics; most directions need few entries. */
struct stats_reads {
	uint32_t first, count, most, room;
	uint64_t answered_in[];
};

/* Recoveries with one cause. */
struct stats_recovery {
	struct stats_occurrences occurrences;           /* frames: of the first retransmitted requests */
	int64_t time_lost_ns;
	int64_t least_ns, most_ns;          /* time to an attempt from the last progress or the previous attempt; 0: unknown for all */
	int64_t last_ns;                    /* the same for the last attempt; 0: unknown */
	uint32_t doubled;                   /* attempts that waited twice as long as the previous one */
	uint32_t late;                      /* recoveries so long after their NAK that a timer may have started them */
	uint8_t most_attempts;              /* without intermediate progress */
};

/* Losses within a second of the first of them. */
struct stats_burst {
	int64_t begin_ns;
	struct stats_occurrences occurrences;           /* frames: of the first retransmitted packets */
};

/* Packets sent once and captured late: RFC 4737, 4.2 and 4.3. */
struct stats_reordering {
	uint64_t count, packets, most_packets;
	int64_t sum_ns, most_ns;
};

/* Events of the packets of one direction; most directions have few kinds, or none. */
struct stats_events {
	uint8_t count, room;
	uint8_t places[STATS_EVENT_COUNT];  /* index in `list` of each event, from 1; 0: did not occur */
	struct stats_occurrences list[];
};

/* Time lost to a recovery, until end_ns. */
struct stats_time_lost {
	int64_t end_ns, lost_ns;
};

/* Losses that are kept, to compare them with the times of operations. */
#define STATS_TIMES_LOST 64

/* Losses and recoveries of one direction, allocated when the first one occurs; most directions have none. */
struct stats_incidents {
	struct stats_burst last_burst, worst_burst;
	struct stats_recovery recoveries[RTAP_RECOVERY_COUNT]; /* by enum rtap_recovery */
	struct stats_time_lost times_lost[STATS_TIMES_LOST]; /* the latest ones: number n in n % STATS_TIMES_LOST */
	uint64_t time_lost_count;
	int64_t rnr_until_ns;               /* end of the wait requested by the last RNR NAK, or time of the retransmission */
	struct stats_reordering reordering;
	bool closed;                        /* iWARP: the other end's receive window is closed, since closed_ns */
	int64_t closed_ns;
};

/* Data sent by one end of a connection; messages and RPC calls requested by it. Counters of every packet come first. */
struct stats_direction {
	uint64_t packets, wire_bytes;
	uint64_t payload_bytes;             /* each byte of a message once */
	uint64_t carried_bytes;             /* including retransmissions; TCP: payload of segments */
	uint64_t new_bytes;                 /* TCP: carried bytes that were not sent before */
	uint64_t data_packets;              /* with a payload */
	int64_t first_ns, last_ns;
	bool marked;                        /* CE mark seen and no CNP since */
	uint8_t attempts;                   /* retransmissions since the last response */
	uint8_t rnr_naks;                   /* since the last response; 255: or more */
	bool is_tcp;
	bool recovers;                      /* iWARP: the last segment with data was a retransmission */
	struct stats_events *events;        /* NULL: none */
	struct stats_incidents *incidents;  /* NULL: none */
	struct stats_operations *operations[RTAP_KIND_COUNT]; /* NULL: none */
	struct stats_reads *reads;          /* NULL: none */
	struct congestion_window window;
	struct congestion_usual usual;      /* class and kinds of most packets */
	struct congestion *congestion;      /* packets of other classes; NULL: none */
	struct congestion_cnps *cnps;       /* sent and received; NULL: none */
	struct histogram *reaction_ns;      /* from the first CE mark to the CNP that it caused; NULL: none */
	int64_t marked_ns;
	uint64_t retransmission_runs;
	uint64_t rnr_wait_us;               /* sum of the timers of its RNR NAKs */
	struct stats_requests *requests;    /* operations of upper layers that it requested; NULL: none */
	uint64_t calls, replies;            /* RPC calls that it sent, and those of them with a reply */
	uint32_t most_calls_in_flight;
	uint32_t least_credits, most_credits; /* granted to it; 0: unknown */
};

/* Members of a reported connection that are printed with its counters. */
struct stats_shown {
	uint64_t number;
	int64_t time_ns, time_end_ns;
	uint8_t transport;                  /* enum rtap_transport */
	uint8_t life_count;
	bool retries_known;                 /* the next three are as in struct rtap_connection */
	uint8_t ack_timeout, retry_count, rnr_retry_count;
	uint16_t service_port;              /* IP port that the connection was made to; 0: unknown */
	struct rtap_end a, b;
	uint64_t packets, messages, bytes, anomaly_counts[RTAP_CONNECTION_ANOMALY_COUNT]; /* as in struct rtap_connection */
	struct rtap_life_event *life;       /* with stats_options.lives; NULL: no events */
	bool is_set_up;                     /* its setup was seen */
	bool is_closed;                     /* it was closed, since closed_ns */
	int64_t closed_ns;
};

struct stats_connection {
	bool reported;                      /* `shown` is valid */
	bool is_renumbered;                 /* some of its packets preceded it, or had the number of a connection merged with it */
	bool program_known;                 /* RPC: the next two are valid */
	uint32_t program, version;          /* of its calls; NFS if there are several programs */
	const char *layer;                  /* static: of its operations; NULL: it has none, or only RPC */
	bool has_layer;                     /* it carries RPC, or operations of an upper layer; or memory for its use is exhausted */
	struct usage *usage;                /* without `has_layer`: how it is used; NULL: unknown for lack of memory */
	struct stats_shown shown;
	struct stats_direction directions[2]; /* sent by a; sent by b */
};

/* What one end sent. */
static inline struct stats_direction *stats_sent_by(struct stats_connection *connection, bool from_a)
{
	return &connection->directions[!from_a];
}

#define STATS_STATUSES 12

struct stats_status {
	const char *name;                   /* static; NULL: unnamed */
	uint32_t number;
	struct stats_occurrences occurrences;
};

/* RPCs of one procedure, or operations of one kind in compound procedures. */
struct stats_rpc {
	uint32_t program, version, procedure, operation;
	bool program_known, is_operation;
	const char *name;                   /* static; NULL: unnamed */
	uint64_t calls, replies, repeats, errors, rejected;
	uint64_t unanswered;                /* calls without a reply in the capture */
	struct stats_occurrences overdue;         /* those of them at least one second before the end of the capture */
	uint64_t call_bytes, reply_bytes;
	uint64_t with_read_chunks, with_write_chunks, with_reply_chunk;
	struct histogram latency_ns;        /* of an operation: latency of the calls that contain it */
	uint64_t slowest_frame, slowest_connection; /* first frame of the slowest reply */
	struct stats_occurrences first_error;     /* frames of errors */
	struct stats_occurrences first_rejected;
	struct stats_status statuses[STATS_STATUSES];
	unsigned status_count;
	uint64_t other_statuses;            /* errors with statuses beyond the table */
};

/* Management datagrams of one kind. */
struct stats_mad {
	uint8_t management_class, method;
	uint16_t attribute;
	const char *class_name, *method_name, *attribute_name; /* static or NULL */
	struct stats_occurrences occurrences;
	uint64_t bytes, errors;             /* errors: with a status other than 0 */
	struct histogram latency_ns;        /* of responses, from their request */
};

struct stats_interval {
	uint64_t packets, bytes, messages, retransmissions, naks, cnps, ce_marks;
};

#define STATS_REASONS 16

struct stats_reject {
	uint32_t reason;
	struct stats_occurrences occurrences;
};

struct stats_options {
	uint64_t max_memory;                /* bytes */
	int64_t interval_ns;                /* 0: no time series */
	bool sampled;                       /* packets are missing from the capture by design: sampling.h */
	bool lives;                         /* keep the life cycle events of connections */
};

/* Least time without a response: one may still arrive after the end of the capture. */
#define STATS_UNANSWERED_NS INT64_C(1000000000)

/* Losses within this time of the first form one burst. */
#define STATS_BURST_NS INT64_C(1000000000)

#define STATS_SLOW_SETUP_NS INT64_C(1000000000)

#define STATS_MADS 512
#define STATS_RPCS 1024
#define STATS_RECENT_RPCS 64
#define STATS_INTERVALS 100000

struct stats {
	struct stats_options options;
	uint64_t memory;                    /* bytes allocated, except those with a fixed limit */
	struct histogram_memory values;     /* of histograms: three eighths of the limit, not included in `memory` */
	uint64_t packets, wire_bytes;
	uint64_t rdma_packets;              /* with a BTH, or of an iWARP connection */
	uint64_t usage_memory;              /* part of `memory` for the use of connections: at most an eighth of its limit */
	uint64_t connection_memory;         /* part of `memory` for connections without their operations: at most two thirds of its limit */
	uint64_t uncounted_messages;        /* messages and packets whose operations and events are in `others` for lack of memory */
	uint64_t unassigned;                /* RDMA packets of no connection known when they arrived */
	struct stats_packet_facts *unassigned_packets;         /* the last of these, by the low bits of the frame number; NULL: none */
	struct stats_occurrences unassigned_events[STATS_EVENT_COUNT]; /* in packets of no known connection: NAKs, CE marks, CNPs */
	int64_t begin_ns;                   /* time of the first packet; intervals start here */
	int64_t first_ns, last_ns;          /* earliest and latest time */
	int64_t now_ns;                     /* time of the last packet: not the latest one where a clock was set back */
	uint64_t messages, incomplete;      /* without RPC calls and replies */
	struct stats_occurrences bad_icrc;        /* including packets of no known connection */
	uint64_t connections;
	uint64_t unpatterned;               /* connections without a known layer whose pattern is unknown for lack of memory */
	uint64_t summed;                    /* connections counted in `others` for lack of memory */
	struct stats_connection **table;    /* by number - 1; NULL: never seen, merged, or summed */
	bool is_full;                       /* no more rows: a connection is either in a row or in `others` */
	uint64_t table_room;
	struct stats_connection others;     /* counters only; state that depends on order (outstanding READs, reactions) is not tracked */
	struct histogram setup_ns;          /* from REQ to RTU */
	struct stats_occurrences slow_setups;     /* of STATS_SLOW_SETUP_NS or more */
	struct stats_occurrences cm_repeats;      /* retransmitted REQs, REPs and DREQs; frames: of the first transmissions */
	struct stats_occurrences cm_unanswered;   /* connection attempts without a response for at least one second of the capture */
	struct stats_occurrences rejected;
	struct stats_reject rejects[STATS_REASONS]; /* further reasons count in `rejected` only */
	unsigned reject_count;
	struct stats_mad *mads[STATS_MADS]; /* in order of first appearance */
	unsigned mad_count;
	uint64_t other_mads;
	struct stats_rpc *rpcs[STATS_RPCS]; /* in order of first appearance */
	unsigned rpc_count;
	struct stats_rpc *recent_rpcs[STATS_RECENT_RPCS]; /* cache of lookups, by a hash of the numbers */
	uint64_t other_rpcs;                /* calls and replies beyond the table */
	struct stats_operation_tables *operations; /* of upper layers; NULL: none */
	struct congestion_ports *pauses;    /* NULL: none */
	struct stats_interval *intervals;
	uint64_t interval_count;
	size_t interval_room;
	uint64_t outside_intervals;         /* packets and messages not in intervals for lack of memory */
	int64_t interval_ns;                /* as requested, or a multiple of it */
	uint64_t open_interval;             /* index: what belongs to earlier ones, which were printed, counts in this one */
	bool longer_intervals;              /* interval_ns is longer than requested */
};

/* NULL: out of memory. */
struct stats *stats_create(const struct stats_options *options);

/* The data of a packet that are counted. */
struct stats_packet_facts {
	uint64_t frame;                     /* number */
	int64_t time_ns;
	uint64_t connection;                /* number; valid with flow.present */
	uint32_t wire_bytes, payload_bytes;
	/* The first members of struct rtap_flow_facts, in the same order: copied as a block. */
	struct stats_flow_head {
		bool present, from_a, differs, completes, has_latency, beside_rdma, is_late;
		uint8_t analysis, tcp_analysis, recovery, attempt, lost_to, kind, verb;
		uint32_t missing;
	} flow;
	struct stats_ib_head {
		bool has_lrh, has_grh, has_bth, has_deth, has_reth, has_aeth, has_atomic, has_immediate, has_ieth;
		uint8_t lnh, opcode, pad_count, aeth_kind, aeth_value;
		bool ack_request, solicited_event;
	} ib;
	bool bad_icrc, is_mad;
	bool is_counted;                    /* already counted, except for its connection, which is known now */
	uint16_t class;                     /* congestion_class_of() */
	/* As in struct rtap_flow_facts; 0 in nearly all packets. */
	int64_t time_lost_ns, late_ns;
	const struct rtap_tcp_recovery *tcp_recoveries;
	uint32_t late_packets;
	uint8_t tcp_recovery_count;
};

/* Without the members that are 0 in nearly all packets. */
#define STATS_USUAL_FACTS offsetof(struct stats_packet_facts, time_lost_ns)

/* Number of packets of no known connection that are kept until it becomes known. */
#define STATS_UNASSIGNED_KEPT 1024

/* The tracker's callbacks. */
void stats_message(struct stats *stats, const struct rtap_message *message);
void stats_connection(struct stats *stats, const struct rtap_connection *connection);
/* Adds the counts of connection `from` to `into`; turned: end a of `from` is end b of `into`. */
void stats_merge(struct stats *stats, uint64_t from, uint64_t into, bool turned);

/* The connection's counters, created if necessary; `others` if out of memory. */
struct stats_connection *stats_begin(struct stats *stats, uint64_t number);

/* Whether anything was counted that findings are about. */
static inline bool stats_has_rdma(const struct stats *stats)
{
	return stats->rdma_packets || stats->connections;
}

/* The connection of this number. NULL: none is counted under it. */
static inline struct stats_connection *stats_known(const struct stats *stats, uint64_t number)
{
	return number - 1 < stats->table_room ? stats->table[number - 1] : NULL;
}

/* The same, begun now if it is unknown; without memory for it, stats->others. */
static inline struct stats_connection *stats_find(struct stats *stats, uint64_t number)
{
	struct stats_connection *found = stats_known(stats, number);

	return found ? found : stats_begin(stats, number);
}

/* Live: updates an open connection with its current state. stats_connection() follows at its end. */
void stats_connection_so_far(struct stats *stats, const struct rtap_connection *connection);

/* The interval that contains `time_ns`. NULL: no time series, or out of memory. */
struct stats_interval *stats_interval(struct stats *stats, int64_t time_ns);

/* Bytes of retransmitted payload. */
uint64_t stats_repeated(const struct stats_direction *direction);

/* Occurrences of an event for writing, created if necessary; those of `others` if out of memory. */
struct stats_occurrences *stats_event(struct stats *stats, struct stats_direction *direction, enum stats_event event);

/* The same for reading. */
const struct stats_occurrences *stats_event_of(const struct stats_direction *direction, enum stats_event event);

/* The direction's incidents for writing, created if necessary; those of `others` if out of memory. */
struct stats_incidents *stats_incidents(struct stats *stats, struct stats_direction *direction);

/* The direction's incidents for reading. */
const struct stats_incidents *stats_incidents_of(const struct stats_direction *direction);

/* "a sequence NAK". */
const char *stats_recovery_words(enum rtap_recovery cause);

/* Time lost to recoveries with one cause, in nanoseconds, including a receive window that is still closed. */
int64_t stats_lost_to(const struct stats *stats, const struct stats_direction *direction, enum rtap_recovery cause);

/* Time lost to recoveries of all causes. */
int64_t stats_time_lost(const struct stats *stats, const struct stats_direction *direction);

void stats_note_event(struct stats *stats, struct stats_direction *direction, enum stats_event event, uint64_t frame, int64_t time_ns);

void stats_note_late(struct stats *stats, struct stats_direction *direction, uint64_t packets, int64_t late_ns);

/* Frees. NULL is ignored. */
void stats_destroy(struct stats *stats);

#endif
