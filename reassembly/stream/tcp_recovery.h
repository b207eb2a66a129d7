/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time lost by TCP under iWARP: retransmissions after the receiver reported a hole (fast retransmit: RFC 5681, 3.2; RFC 6675) or after a
 * timeout (RFC 6298; tail loss probes: RFC 8985, 7), and closed receive windows.
 */
#ifndef REASSEMBLY_STREAM_TCP_RECOVERY_H
#define REASSEMBLY_STREAM_TCP_RECOVERY_H

#include "dissect/engine/packet.h"

/* State of one direction. All zero: no segment seen. */
struct tcp_recovery {
	bool known, acknowledged_known;     /* `next` is valid; `acknowledged` is valid */
	bool sacked;                        /* the receiver has bytes after `acknowledged` */
	bool recovers, waits;               /* retransmitting up to recovery_end; none of it acknowledged yet */
	bool has_gap;                       /* gap_segments and gap_ns are valid */
	bool closed;                        /* the other end's window is closed */
	uint8_t cause;                      /* of the recovery: enum rtap_recovery */
	uint32_t next, acknowledged;        /* sequence numbers */
	uint32_t recovery_end;
	uint32_t repeated_acks;
	uint64_t segments, gap_segments;    /* segments with data; their number before the last one that left a gap */
	int64_t gap_ns;                     /* time of that segment */
	int64_t progress_ns;                /* last time that new bytes were sent or acknowledged */
	int64_t answered_ns;                /* time of the other end's last acknowledgement */
	int64_t new_ns;                     /* last time that new bytes were sent */
	uint64_t begin_frame;               /* first retransmitted segment of the recovery */
	int64_t begin_ns;                   /* progress_ns when the recovery began */
	int64_t again_ns;                   /* time of the last retransmission */
	uint64_t closed_frame;
	int64_t closed_ns;
};

/* Most recoveries that one segment can begin or end: in its own direction and, by its acknowledgement, in the other. */
#define TCP_RECOVERIES 4

struct tcp_recoveries {
	struct rtap_tcp_recovery list[TCP_RECOVERIES];
	uint8_t count;
};

/*
 * Processes a segment that is no copy of an earlier one. `sender`: its own direction, whose data end `from_a` sent; `other`:
 * the direction that it acknowledges. flow->tcp_analysis is valid. Fills `found` and the members of `flow` about recoveries
 * and lateness.
 */
void tcp_recovery_segment(struct tcp_recovery *sender, struct tcp_recovery *other, bool from_a, const struct rtap_packet *packet,
			  struct tcp_recoveries *found, struct rtap_flow_facts *flow);

#endif
