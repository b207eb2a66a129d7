/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a capture amounts to in numbers: by connection and direction, by RPC procedure, by kind of management datagram, over time.
 * Everything is counted as it comes; no packet and no message is kept. doc/stats.md says what each number means.
 */
#ifndef OUTPUT_STATS_STATS_H
#define OUTPUT_STATS_STATS_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "output/stats/congestion.h"
#include "output/stats/histogram.h"
#include "output/stats/tcp_recovery.h"

/* Things that happen to the packets of one direction. X(identifier, name) */
#define STATS_EVENTS(X) \
	X(RETRANSMISSION, "retransmissions") X(DUPLICATE, "duplicates") X(OUT_OF_ORDER, "out_of_order") \
	X(GAP, "gaps") /* packets behind PSNs that had not been seen */ \
	X(CAPTURED_TWICE, "captured_twice") X(UNEXPECTED, "unexpected_responses") \
	X(RESYNCHRONISED, "resynchronised") X(BAD_ICRC, "bad_icrc") \
	X(AFTER_NAK, "recoveries_after_nak") /* runs of retransmissions of requests that a NAK asked for */ \
	X(AFTER_TIMEOUT, "recoveries_after_timeout") /* those that nobody asked for */ \
	X(AFTER_HOLE, "recoveries_after_missing_response") /* those of READs of which a response was missing */ \
	X(READ_RESTART, "read_restarts") /* READ requests sent again */ \
	X(NO_CREDIT, "no_credit") /* acknowledgements that let the other end send nothing more: IBTA vol. 1, 9.7.7.2 */ \
	X(NAK_SEQUENCE, "nak_sequence") X(NAK_INVALID_REQUEST, "nak_invalid_request") X(NAK_ACCESS, "nak_access") \
	X(NAK_OPERATION, "nak_operation") X(NAK_INVALID_RD, "nak_invalid_rd") X(RNR, "rnr_naks") \
	X(CE_MARK, "ce_marks") /* congestion experienced: RFC 3168 */ \
	X(CNP, "cnps") \
	X(RNR_GIVEN_UP, "rnr_given_up") /* requests that had RNR NAKs to the end, which was not that of the capture */ \
	X(UNANSWERED, "unanswered") /* requests without an answer for a second or more of the capture */

enum stats_event {
#define STATS_EVENT_ENUM(identifier, name) STATS_##identifier,
	STATS_EVENTS(STATS_EVENT_ENUM)
#undef STATS_EVENT_ENUM
	STATS_EVENT_COUNT
};

const char *stats_event_name(enum stats_event event);

/* How often something was, and in which frames first and last. */
struct stats_tally {
	uint64_t count, first_frame, last_frame;
};

/* The messages of one kind that one side asked for. */
struct stats_operations {
	uint64_t messages, incomplete, unanswered, refused;
	uint64_t bytes;                     /* lengths as announced */
	struct histogram size, latency_ns;  /* latency: of requests that were answered well */
	uint64_t slowest_frame;             /* first frame of the one that took longest */
};

/* READs under way that are told apart. */
#define STATS_READS 256

/* When the READs and atomics under way were answered: frames, in a ring, of which most need a few places. */
struct stats_reads {
	uint32_t first, count, most, room;
	uint64_t answered_in[];
};

/* Recoveries from one cause. */
struct stats_recovery {
	struct stats_tally tally;           /* frames: of the first requests sent again */
	int64_t time_lost_ns;
	int64_t least_ns, most_ns;          /* from the last progress, or the attempt before, to an attempt; 0: not known of any */
	int64_t last_ns;                    /* of the last one; 0: not known */
	uint32_t doubled;                   /* attempts that waited twice as long as the one before */
	uint32_t late;                      /* recoveries so long after their NAK that a timer may have begun them */
	uint8_t most_attempts;              /* without progress between */
};

/* Losses within a second of the first of them. */
struct stats_burst {
	int64_t begin_ns;
	struct stats_tally tally;           /* its frames are those that were sent again first */
};

/* What happened to the packets of one direction: to most nothing does. */
/* Packets that came late and were sent once: RFC 4737, 4.2 and 4.3. */
struct stats_reordering {
	uint64_t count, packets, most_packets;
	int64_t sum_ns, most_ns;
};

struct stats_incidents {
	struct stats_tally events[STATS_EVENT_COUNT];
	struct stats_burst last_burst, worst_burst;
	struct stats_recovery recoveries[RTAP_RECOVERY_COUNT]; /* by enum rtap_recovery */
	int64_t rnr_until_ns;               /* up to when the last RNR NAK asked to wait, or when it was sent again */
	struct stats_reordering reordering;
};

/* What one end of a connection sent; of messages and RPC calls, what it asked for. First what each packet counts in. */
struct stats_direction {
	uint64_t packets, wire_bytes;
	uint64_t payload_bytes;             /* each byte of a message once */
	uint64_t carried_bytes;             /* with what was repeated; of TCP the payload of segments */
	uint64_t new_bytes;                 /* of TCP: of these, what was not sent before */
	uint64_t data_packets;              /* with a payload */
	int64_t first_ns, last_ns;
	bool marked;                        /* and no CNP since */
	bool refused;                       /* a sequence or RNR NAK asked for a retransmission that did not begin yet */
	uint8_t attempts;                   /* to send the same again since the last answer */
	uint8_t rnr_naks;                   /* since the last answer; 255: at least */
	bool is_tcp;
	bool recovers;                      /* iWARP: the last segment with data was a retransmission */
	struct stats_incidents *incidents;  /* NULL: none */
	struct stats_operations *operations[RTAP_KIND_COUNT]; /* NULL: none */
	struct stats_reads *reads;          /* NULL: none */
	struct congestion_window window;
	struct congestion_usual usual;      /* class and kinds of most packets */
	struct congestion *congestion;      /* the others; NULL: none */
	struct congestion_cnps *cnps;       /* NULL: none, from it or to it */
	struct tcp_recovery *recovery;      /* of iWARP; NULL: no segment yet */
	struct histogram *reaction_ns;      /* from the first CE mark to the CNP that answers it; NULL: none */
	int64_t marked_ns;
	uint64_t losses;                    /* runs of retransmissions */
	uint64_t rnr_wait_us;               /* sum of the timers that its RNR NAKs told */
	uint64_t calls, replies;            /* RPCs that it called, and those of them that were answered */
	uint32_t calls_in_flight, most_calls_in_flight;
	uint32_t least_credits, most_credits; /* granted to it; 0: not known */
};

/* Of a connection, as it was told, what is shown with its counts. */
struct stats_shown {
	uint64_t number;
	int64_t time_ns, time_end_ns;
	uint8_t transport;                  /* enum rtap_transport */
	uint8_t life_count;
	bool retries_known;                 /* the three below are as in struct rtap_connection */
	uint8_t ack_timeout, retry_count, rnr_retry_count;
	struct rtap_end a, b;
	uint64_t packets, messages, bytes, trouble[RTAP_TROUBLE_COUNT]; /* as in struct rtap_connection */
	struct rtap_life_event *life;       /* if asked for; NULL: nothing happened */
};

struct stats_connection {
	bool told;                          /* shown is valid */
	struct stats_shown shown;
	struct stats_direction directions[2]; /* what a sent; what b sent */
};

#define STATS_STATUSES 12

struct stats_status {
	const char *name;                   /* static; NULL: only a number */
	uint32_t number;
	struct stats_tally tally;
};

/* RPCs of one procedure, or operations of one kind within procedures that have several. */
struct stats_rpc {
	uint32_t program, version, procedure, operation;
	bool program_known, is_operation;
	const char *name;                   /* static; NULL: a number without one */
	uint64_t calls, replies, repeats, errors, rejected;
	uint64_t unanswered;                /* in the capture */
	struct stats_tally overdue;         /* those of them that waited for a second or more of it */
	uint64_t call_bytes, reply_bytes;
	uint64_t with_read_chunks, with_write_chunks, with_reply_chunk;
	struct histogram latency_ns;        /* of an operation: of the calls that hold it */
	uint64_t slowest_frame, slowest_connection; /* first frame of the reply that took longest */
	struct stats_tally first_error;     /* of errors */
	struct stats_tally first_rejected;
	struct stats_status statuses[STATS_STATUSES];
	unsigned status_count;
	uint64_t other_statuses;            /* errors beyond those */
};

/* Management datagrams of one kind. */
struct stats_mad {
	uint8_t management_class, method;
	uint16_t attribute;
	const char *class_name, *method_name, *attribute_name; /* static or NULL */
	struct stats_tally tally;
	uint64_t bytes, errors;             /* errors: with a status other than 0 */
	struct histogram latency_ns;        /* of answers, since their request */
};

struct stats_interval {
	uint64_t packets, bytes, messages, retransmissions, naks, cnps, ce_marks;
};

#define STATS_REASONS 16

struct stats_reject {
	uint32_t reason;
	struct stats_tally tally;
};

struct stats_options {
	uint64_t max_memory;                /* bytes */
	int64_t interval_ns;                /* 0: no time series */
	bool sampled;                       /* packets are missing from the capture by intent: sampling.h */
	bool lives;                         /* what happened to connections is kept */
};

/* An answer can still come when the capture ends: so long it must have been waited for. */
#define STATS_UNANSWERED_NS INT64_C(1000000000)

/* From one loss to those that are of the same burst. */
#define STATS_BURST_NS INT64_C(1000000000)

#define STATS_SLOW_SETUP_NS INT64_C(1000000000)

#define STATS_MADS 512
#define STATS_RPCS 1024
#define STATS_RECENT_RPCS 64
#define STATS_INTERVALS 100000

struct stats {
	struct stats_options options;
	uint64_t memory;                    /* bytes taken, but for what has a fixed limit */
	struct histogram_memory values;     /* kept by histograms: a quarter of the limit, which is not in `memory` */
	uint64_t packets, wire_bytes;
	uint64_t rdma_packets;              /* with a BTH, or of a connection of iWARP */
	uint64_t connection_memory;         /* of these bytes, those of connections without their operations: at most half of the limit */
	uint64_t uncounted_messages;        /* and packets: memory was too short for their operations and events, which are in `others` */
	uint64_t unassigned;                /* RDMA packets of no connection that was known when they came */
	struct stats_sight *sights;         /* of the last of them, by the lower bits of the frame's number; NULL: of none */
	struct stats_tally loose[STATS_EVENT_COUNT]; /* in packets of no connection that was known: NAKs, CE marks, CNPs */
	int64_t begin_ns;                   /* of the first packet: intervals count from it */
	int64_t first_ns, last_ns;          /* the earliest and the latest */
	uint64_t messages, incomplete;      /* but for RPC calls and replies */
	struct stats_tally bad_icrc;        /* in packets of no known connection, too */
	uint64_t connections;
	uint64_t summed;                    /* connections that memory was too short for: in `others` */
	struct stats_connection **table;    /* by number - 1; NULL: never seen, or merged, or summed */
	bool is_full;                       /* no more rows: a connection is in one or in `others`, not in both */
	uint64_t table_room;
	struct stats_connection others;     /* counts only: what goes by order (READs under way, reactions) is not known of them */
	struct histogram setup_ns;          /* from REQ to RTU */
	struct stats_tally slow_setups;     /* that took STATS_SLOW_SETUP_NS or more */
	struct stats_tally cm_repeats;      /* REQs, REPs and DREQs sent again; frames: in which they came first */
	struct stats_tally cm_unanswered;   /* attempts to connect without an answer for a second or more of the capture */
	struct stats_tally rejected;
	struct stats_reject rejects[STATS_REASONS]; /* further reasons count in `rejected` only */
	unsigned reject_count;
	struct stats_mad *mads[STATS_MADS]; /* in the order in which they came */
	unsigned mad_count;
	uint64_t other_mads;
	struct stats_rpc *rpcs[STATS_RPCS]; /* in the order in which they came */
	unsigned rpc_count;
	struct stats_rpc *recent_rpcs[STATS_RECENT_RPCS]; /* found last, by their numbers */
	uint64_t other_rpcs;                /* calls and replies beyond those */
	struct congestion_ports *pauses;    /* NULL: none */
	struct stats_interval *intervals;
	uint64_t interval_count, interval_room;
	uint64_t unplaced_values;           /* sizes and times for which memory was out: in no percentile */
	uint64_t outside_intervals;         /* packets and messages for whose interval memory was out */
	int64_t interval_ns;                /* as asked for, or as many times that as there had to be */
	bool longer_intervals;              /* than were asked for */
};

/* NULL: memory is out. */
struct stats *stats_create(const struct stats_options *options);

/* What is counted of a packet. */
struct stats_sight {
	uint64_t frame;                     /* number */
	int64_t time_ns;
	uint64_t connection;                /* number; valid with flow.present */
	uint32_t wire_bytes, payload_bytes;
	/* The first of the packet's facts, as they stand there: copied as one. */
	struct stats_flow_head {
		bool present, from_a, differs, completes, has_latency, beside_rdma, is_late;
		uint8_t analysis, tcp_analysis, recovery, attempt, lost_to, kind, verb;
		uint32_t missing;
	} flow;
	int64_t time_lost_ns, late_ns;
	uint32_t late_packets;
	struct stats_ib_head {
		bool has_lrh, has_grh, has_bth, has_deth, has_reth, has_aeth, has_atomic, has_immediate, has_ieth;
		uint8_t lnh, opcode, pad_count, aeth_kind, aeth_value;
		bool ack_request, solicited_event;
	} ib;
	bool bad_icrc, is_mad;
	bool is_counted;                    /* but for what is known of its connection, which it has now */
	uint16_t class;                     /* congestion_class_of() */
	struct tcp_recovery_segment tcp;    /* without a BTH */
};

/* Packets of no known connection that are remembered, in case it gets known. */
#define STATS_LOOSE 1024

/* The tracker's callbacks. */
void stats_message(struct stats *stats, const struct rtap_message *message);
void stats_connection(struct stats *stats, const struct rtap_connection *connection);
/* What was counted for the connection `from` belongs to `into`; turned: end a of it is end b there. */
void stats_merge(struct stats *stats, uint64_t from, uint64_t into, bool turned);

/* From one time to a later one; 0 if it is earlier. Time stamps can be centuries apart. */
static inline int64_t stats_elapsed(int64_t from_ns, int64_t to_ns)
{
	uint64_t elapsed = to_ns > from_ns ? (uint64_t)to_ns - (uint64_t)from_ns : 0;

	return elapsed > INT64_MAX ? INT64_MAX : (int64_t)elapsed;
}

/* The connection's counts, begun if there are none; `others` if memory is too short. */
struct stats_connection *stats_begin(struct stats *stats, uint64_t number);

static inline struct stats_connection *stats_find(struct stats *stats, uint64_t number)
{
	struct stats_connection *found = number - 1 < stats->table_room ? stats->table[number - 1] : NULL;

	return found ? found : stats_begin(stats, number);
}

/* The length of `interval` in nanoseconds is stats->interval_ns. NULL: no time series, or out of memory. */
struct stats_interval *stats_interval(struct stats *stats, int64_t time_ns);

/* Bytes of a message whose packets are not in the capture, not even in part. */
uint64_t stats_never_seen(const struct rtap_message *message);

/* Payload that was there before. */
uint64_t stats_repeated(const struct stats_direction *direction);

/* What happened to the direction, to be added to; if memory is out, what is counted of connections together. */
struct stats_incidents *stats_incidents(struct stats *stats, struct stats_direction *direction);

/* The same to be read. */
const struct stats_incidents *stats_incidents_of(const struct stats_direction *direction);

/* "sequence_nak". */
const char *stats_recovery_name(enum rtap_recovery cause);

/* "a sequence NAK". */
const char *stats_recovery_words(enum rtap_recovery cause);

/* To recoveries of all causes, in nanoseconds. */
int64_t stats_time_lost(const struct stats_direction *direction);

void stats_note_event(struct stats *stats, struct stats_direction *direction, enum stats_event event, uint64_t frame);

void stats_note_late(struct stats *stats, struct stats_direction *direction, uint64_t packets, int64_t late_ns);

/* Frees. NULL is ignored. */
void stats_destroy(struct stats *stats);

#endif
