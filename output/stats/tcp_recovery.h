/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What TCP under iWARP lost time to: segments sent again because the receiver reported a hole (fast retransmit: RFC 5681, 3.2; RFC 6675)
 * or because a timer ran out (RFC 6298; tail loss probes: RFC 8985, 7), and receive windows that were closed.
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
	uint64_t count, lost_ns;            /* times, and what they took */
	uint64_t first_frame, last_frame;   /* in which they began */
};

/* Time lost last to a recovery, and to a closed window. */
#define TCP_LOSSES 2

struct tcp_loss {
	uint64_t noted_in;                  /* frame; 0: none yet */
	int64_t begin_ns, end_ns;
	uint8_t cause;                      /* enum tcp_recovery_cause */
};

/* Of what one end sends. */
struct tcp_recovery {
	bool known, acknowledged_known;     /* `next`; `acknowledged` */
	bool sacked;                        /* the receiver has bytes behind `acknowledged` */
	bool recovers, waits;               /* sent again up to recovery_end; and nothing of it is acknowledged yet */
	bool closed;                        /* the other end's window is */
	uint8_t cause;                      /* of the recovery: enum tcp_recovery_cause */
	uint32_t next, acknowledged;        /* sequence numbers */
	uint32_t recovery_end;
	uint32_t repeated_acks;
	uint64_t segments, gap_segments;    /* with data; before the last one that left a gap */
	int64_t gap_ns;                     /* when that came */
	int64_t progress_ns;                /* when new bytes were sent or acknowledged last */
	int64_t answered_ns;                /* when the other end's last acknowledgement came */
	int64_t new_ns;                     /* when new bytes were sent last */
	int64_t begin_ns;                   /* progress_ns when the recovery began */
	int64_t again_ns;                   /* when something was sent again last */
	int64_t closed_ns;
	struct tcp_recovery_count counts[TCP_RECOVERY_COUNT];
	struct tcp_loss losses[TCP_LOSSES];
};

/* What is needed of a segment. */
struct tcp_recovery_segment {
	uint32_t sequence, acknowledgment;
	uint16_t window;
	uint8_t flags;                      /* enum rtap_tcp_flag */
	bool sacks;                         /* it has a selective acknowledgement of bytes behind `acknowledgment` */
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

/* A segment of iWARP. */
void tcp_recovery_note(struct stats *stats, struct stats_connection *connection, const struct stats_sight *sight);

/* The time that it took, with a window that is still closed at last_ns. */
uint64_t tcp_recovery_lost_ns(const struct tcp_recovery *recovery, enum tcp_recovery_cause cause, int64_t last_ns);

#endif
