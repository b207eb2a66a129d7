/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One direction of a TCP connection: what is told, what waits, what is given up. For tcp_stream.c; others may only want what it has shown ahead.
 */
#ifndef REASSEMBLY_STREAM_TCP_HALF_H
#define REASSEMBLY_STREAM_TCP_HALF_H

#include "reassembly/stream/tcp_stream.h"

/* How far from where a direction stands its bytes and acknowledgements can be: the largest window (RFC 7323, 2.3). */
#define TCP_HALF_AHEAD (UINT64_C(1) << 30)
#define TCP_HALF_BEHIND (UINT64_C(1) << 26)

/* Data of one segment, at positions of its direction. */
struct tcp_segment {
	uint64_t begin, end;
	const uint8_t *bytes;
	uint32_t captured;   /* of end - begin */
	uint32_t interface;
	struct tcp_bytes told; /* what is told of its bytes, but for their offset and span */
	bool has_digest;     /* of its bytes; else it is worked out if it is needed */
	uint32_t digest;
};

/* The position of a sequence number, next to where the direction stands. */
static inline uint64_t tcp_half_unwrap(const struct tcp_half *half, uint32_t sequence)
{
	return half->next + (uint64_t)(int64_t)(int32_t)(sequence - (uint32_t)half->next);
}

/* By which a segment that comes again is known to have the same bytes. */
uint32_t tcp_digest(const uint8_t *bytes, uint32_t length);

/* Of half->holder. The user is not told: it may be the one that asks for memory. */
void tcp_half_evict(struct budget_holder *holder, void *owner);

/* Of half->holder: nothing came for long. Passes on what waits, and gives its gaps up. */
void tcp_half_give_up(struct budget_holder *holder, void *owner);

void tcp_half_init(struct tcp_half *half, struct tcp_connection *connection, bool from_a);

/* The first byte of the direction has this sequence number. */
void tcp_half_start(struct tcp_half *half, uint32_t sequence);

/*
 * Takes data, which is cut to what comes before the direction's end, and told by the segment's own `told`; the half has started. Fills
 * analysis, differs and missing of `facts`.
 */
void tcp_half_data(struct tcp_half *half, struct tcp_segment *segment, bool no_room, struct tcp_segment_facts *facts);

/* The direction's last byte is before `position`. */
void tcp_half_finish(struct tcp_half *half, uint64_t position);

/* What the other end acknowledges. */
void tcp_half_acknowledge(struct tcp_half *half, const struct rtap_tcp_facts *tcp);

/* What is acknowledged may still come for so many segments of the connection, or so long; without acknowledgements, longer. */
#define TCP_HALF_GRACE_SEGMENTS 64
#define TCP_HALF_GRACE_NS INT64_C(100000000)
#define TCP_HALF_UNHEARD_NS INT64_C(2000000000)

/* Whether there is no mark, or its time is up. */
static inline bool tcp_half_is_due(const struct tcp_half *half, uint64_t segments, int64_t now_ns)
{
	return !half->has_mark || segments >= half->due_segments || now_ns >= half->due_ns;
}

/* Tells what waits no longer. To be called if something waits, or if tcp_half_is_due(). */
void tcp_half_settle(struct tcp_half *half, int64_t now_ns);

/* Tells all that waits: nothing more will come. */
void tcp_half_flush(struct tcp_half *half);

/* Frees what is queued. */
void tcp_half_fini(struct tcp_half *half);

/* The segment at hand, told by `ahead` as `frame`, is wanted: this is remembered until it is told in its turn. */
void tcp_half_want(struct tcp_connection *connection, bool from_a, uint64_t frame);

#endif
