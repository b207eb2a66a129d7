/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One direction of a TCP connection: what is delivered, what waits, what is given up. For tcp_stream.c. Other users may only
 * call tcp_half_want().
 */
#ifndef REASSEMBLY_STREAM_TCP_HALF_H
#define REASSEMBLY_STREAM_TCP_HALF_H

#include "reassembly/stream/tcp_stream.h"

/* Largest distance of bytes and acknowledgements from the current position: the largest window (RFC 7323, 2.3). */
#define TCP_HALF_AHEAD (UINT64_C(1) << 30)
#define TCP_HALF_PAST (UINT64_C(1) << 26)

/* Data of one segment, at positions of its direction. */
struct tcp_segment {
	uint64_t begin, end;
	const uint8_t *bytes;
	uint32_t captured;   /* of end - begin */
	uint32_t point;
	struct tcp_bytes delivered; /* what is delivered with its bytes, except offset and span */
	bool has_digest;     /* `digest` is valid; else it is computed when needed */
	uint32_t digest;
};

/* The position of a sequence number, nearest to the current one. */
static inline uint64_t tcp_half_unwrap(const struct tcp_half *half, uint32_t sequence)
{
	return half->next + (uint64_t)(int64_t)(int32_t)(sequence - (uint32_t)half->next);
}

/* The position of the first sequence number of a direction. Positions before it stay positive. */
static inline uint64_t tcp_half_origin(uint32_t sequence)
{
	return (UINT64_C(1) << 40) + sequence;
}

/* Digest by which a repeated segment is known to have the same bytes. */
uint32_t tcp_digest(const uint8_t *bytes, uint32_t length);

/* For half->entry. Does not call the user, which may be the one that requests memory. */
void tcp_half_evict(struct budget_entry *entry, void *owner);

/* For half->entry, after long inactivity: delivers waiting bytes and gives up the gaps. */
void tcp_half_give_up(struct budget_entry *entry, void *owner);

void tcp_half_init(struct tcp_half *half, struct tcp_connection *connection, bool from_a);

/* Starts the direction at the sequence number of its first byte. */
void tcp_half_start(struct tcp_half *half, uint32_t sequence);

/*
 * Processes data of a direction that has started. Cuts it at the direction's end and delivers it with the segment's own
 * `delivered`. Fills analysis, differs and missing of `facts`.
 */
void tcp_half_data(struct tcp_half *half, struct tcp_segment *segment, bool no_room, struct tcp_segment_facts *facts);

/* The direction ends at `position`. */
void tcp_half_finish(struct tcp_half *half, uint64_t position);

/* Processes the acknowledgements of the other end. */
void tcp_half_acknowledge(struct tcp_half *half, const struct rtap_tcp_facts *tcp);

/*
 * Acknowledged bytes may still arrive within this many segments of the connection or this time; without acknowledgements,
 * within a longer time.
 */
#define TCP_HALF_GRACE_SEGMENTS 64
#define TCP_HALF_GRACE_NS INT64_C(100000000)
#define TCP_HALF_UNHEARD_NS INT64_C(2000000000)

/* Whether there is no mark, or it has expired. */
static inline bool tcp_half_is_due(const struct tcp_half *half, uint64_t segments, int64_t now_ns)
{
	return !half->has_mark || segments >= half->due_segments || now_ns >= half->due_ns;
}

/* Delivers bytes that no longer wait. Call if bytes wait, or if tcp_half_is_due(). */
void tcp_half_settle(struct tcp_half *half, int64_t now_ns);

/* Delivers all waiting bytes: no more will arrive. */
void tcp_half_flush(struct tcp_half *half);

/* Frees the queue. */
void tcp_half_fini(struct tcp_half *half);

/* The current segment, passed to `ahead` as `frame`, is wanted. This is kept until its bytes are delivered in order. */
void tcp_half_want(struct tcp_connection *connection, bool from_a, uint64_t frame);

#endif
