/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State while the events are collected, for why.c and why_text.c.
 */
#ifndef OUTPUT_STATS_WHY_STATE_H
#define OUTPUT_STATS_WHY_STATE_H

#include "output/stats/why.h"

/* The frame of a PSN's first packet. */
struct why_seen {
	uint64_t frame;
	uint32_t psn;
};

#define WHY_SEEN 65536

/* The PSN that a receiver expects, as far as the capture shows. */
struct why_order {
	bool known;
	bool is_open;   /* the number of PSNs of the last request, a READ, is unknown */
	bool is_strict; /* only `next` is accepted: a recovery began there */
	uint32_t next;
};

struct why {
	struct why_subject subject;
	struct why_event *events;
	size_t room;
	uint64_t count, most, unlisted; /* unlisted: events beyond `most` */
	struct why_seen *seen[2][2];     /* by sender is b, is a response: packets that the receiver accepts if they arrive */
	struct why_order orders[2][2];   /* likewise */
	/* the last recovery of requests sent by a, b: packets with later PSNs captured before it were discarded by the receiver */
	bool went_back[2];
	uint32_t back_psn[2];
	uint64_t back_frame[2];
	bool acknowledged_known[2];      /* of requests sent by a, b */
	uint32_t acknowledged[2];        /* PSN of the newest positive response */
	uint64_t acknowledged_in[2];     /* its frame */
	bool any;
	int64_t begin_ns, end_ns;
	uint64_t packets, begin_frame, end_frame;
	uint64_t retransmitted[2];       /* sent by a, b */
	uint64_t naks[2], fatal_naks[2], rnr[2], cnps[2];
	struct {
		uint64_t count;
		int64_t lost_ns;
		uint64_t places[WHY_PLACE_COUNT];
	} recoveries[2][RTAP_RECOVERY_COUNT]; /* of requests sent by a, b */
	bool recovers[2];                /* TCP: a recovery of segments sent by a, b has begun and not ended */
	uint64_t bytes;                  /* of all packets */
	uint64_t pauses[2];              /* listed silences without a recovery in them, ended by a packet of a, b */
	int64_t paused_ns[2];            /* their sum */
	int64_t silence_ns;              /* the longest one without a recovery in it */
	uint64_t silence_frame;          /* that ended it */
	bool silence_from_a;
};

#endif
