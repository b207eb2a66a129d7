/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time lost by TCP under iWARP: retransmissions after the receiver reported a hole (fast retransmit: RFC 5681, 3.2; RFC 6675) or after a
 * timeout (RFC 6298; tail loss probes: RFC 8985, 7), and closed receive windows.
 */
#ifndef OUTPUT_STATS_TCP_RECOVERY_H
#define OUTPUT_STATS_TCP_RECOVERY_H

#include <rdmatap/packet.h>


/* X(identifier, name) */
#define TCP_RECOVERIES(X) X(FAST, "fast_retransmit") X(TIMEOUT, "timeout") X(ZERO_WINDOW, "zero_window")

enum tcp_recovery_cause {
#define TCP_RECOVERY_ENUM(identifier, name) TCP_RECOVERY_##identifier,
	TCP_RECOVERIES(TCP_RECOVERY_ENUM)
#undef TCP_RECOVERY_ENUM
	TCP_RECOVERY_COUNT
};

const char *tcp_recovery_name(enum tcp_recovery_cause cause);

struct tcp_recovery_count {
	uint64_t count, lost_ns;            /* occurrences, and their total time */
	uint64_t first_frame, last_frame;   /* in which the first and the last began */
};

/* The last recovery and the last closed window. */
#define TCP_LOSSES 2

struct tcp_loss {
	uint64_t noted_in;                  /* frame; 0: none yet */
	int64_t begin_ns, end_ns;
	uint8_t cause;                      /* enum tcp_recovery_cause */
};

/* State of one direction. */
struct tcp_recovery {
	bool known, acknowledged_known;     /* `next` is valid; `acknowledged` is valid */
	bool sacked;                        /* the receiver has bytes after `acknowledged` */
	bool recovers, waits;               /* retransmitting up to recovery_end; none of it acknowledged yet */
	bool closed;                        /* the other end's window is closed */
	uint8_t cause;                      /* of the recovery: enum tcp_recovery_cause */
	uint32_t next, acknowledged;        /* sequence numbers */
	uint32_t recovery_end;
	uint32_t repeated_acks;
	uint64_t segments, gap_segments;    /* segments with data; their number before the last one that left a gap */
	int64_t gap_ns;                     /* time of that segment */
	int64_t progress_ns;                /* last time that new bytes were sent or acknowledged */
	int64_t answered_ns;                /* time of the other end's last acknowledgement */
	int64_t new_ns;                     /* last time that new bytes were sent */
	int64_t begin_ns;                   /* progress_ns when the recovery began */
	int64_t again_ns;                   /* time of the last retransmission */
	int64_t closed_ns;
	struct tcp_recovery_count counts[TCP_RECOVERY_COUNT];
	struct tcp_loss losses[TCP_LOSSES];
};

/* The members of a segment that recovery uses. */
struct tcp_recovery_segment {
	uint32_t sequence, acknowledgment;
	uint16_t window;
	uint8_t flags;                      /* enum rtap_tcp_flag */
	bool sacks;                         /* has a selective acknowledgement of bytes after `acknowledgment` */
};

static inline void tcp_recovery_see(struct tcp_recovery_segment *segment, const struct rtap_tcp_facts *tcp)
{
	segment->sequence = tcp->sequence;
	segment->acknowledgment = tcp->acknowledgment;
	segment->window = tcp->window;
	segment->flags = tcp->flags;
	segment->sacks = false;
	/* a block below it reports a duplicate: RFC 2883 */
	for (unsigned i = 0; i < tcp->sack_count; i++)
		segment->sacks |= (int32_t)(tcp->sack[i].left - tcp->acknowledgment) > 0;
}

struct stats;
struct stats_connection;
struct stats_direction;
struct stats_sight;

/* Counts an iWARP segment. */
void tcp_recovery_note(struct stats *stats, struct stats_connection *connection, const struct stats_sight *sight);

/* Time lost to a cause, including a window that is still closed at last_ns. */
uint64_t tcp_recovery_lost_ns(const struct tcp_recovery *recovery, enum tcp_recovery_cause cause, int64_t last_ns);

#endif
