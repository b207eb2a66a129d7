/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State: packets in, messages and connections out. A tracker is used by one thread at a time; callbacks are made by that
 * thread.
 */
#ifndef RDMATAP_TRACKER_H
#define RDMATAP_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* All state that outlives a packet: connections, PSN streams, messages in the making. One thread at a time. */
struct rtap_tracker;

struct rtap_tracker_options {
	uint64_t max_memory;         /* bytes that state may take; 0: 512 MiB */
	struct rtap_context context; /* for dissecting; borrowed pointers in it must outlive the tracker */
	bool bytes;                  /* keep the bytes of all messages: rtap_message.bytes */
	bool checksums;              /* work out rtap_message.crc32, and notice repeats that differ */
	/* Each may be NULL. Messages come in the order of their first frames, but for those under way for longer than give_up_ns;
	 * connections in that of their first frames, but for those that memory made give way or that were over for so long. */
	void (*message)(void *owner, const struct rtap_message *message);
	void (*connection)(void *owner, const struct rtap_connection *connection);
	/* Two connections turned out to be the halves of one: packets whose flow named `from` are of `into`, and `from` is never told.
	 * turned: end a of the one is end b of the other. */
	void (*merged)(void *owner, uint64_t from, uint64_t into, bool turned);
	/* A packet that came before it was known whose it is: what packet->flow would have been, had it been. */
	void (*resolved)(void *owner, uint64_t frame, const struct rtap_flow_facts *flow);
	/* What packets show of RPC replies is of no interest: they have neither their calls' procedures nor what stands in chunks. Messages
	 * are the same. */
	bool bare_replies;
	/* Whether a packet makes its message wanted: rtap_message.wanted. May be NULL. */
	bool (*wanted)(void *owner, const struct rtap_packet *packet);
	void *owner;
	/* Connections, messages and calls without a sign of life for so long are reported as they stand; nanoseconds of the capture, at most
	 * INT64_MAX / 2; 0: 60 s */
	uint64_t give_up_ns;
};

/* What state did, for the summary at the end. */
struct rtap_tracker_counters {
	uint64_t messages, incomplete_messages, connections;
	uint64_t evictions;          /* things given up for want of memory before they were done */
	uint64_t refused;            /* times the system had no memory: what needed it is missing or not whole */
	uint64_t unsupported;        /* packets of services that are not put together (RD) */
	uint64_t icrc_ignored;       /* packets with a wrong invariant CRC of senders that never fill it in: used as if it were right */
	uint64_t fragmented_whole, fragmented_lost; /* IP datagrams in fragments: put together; not, or refused */
	uint64_t trouble[RTAP_TROUBLE_COUNT];
	uint64_t peak_memory;        /* bytes */
};

/* NULL: memory is out. Options are copied. */
struct rtap_tracker *rtap_tracker_open(const struct rtap_tracker_options *options);

/*
 * Dissects the next frame with all that is known of its connection, and takes it into account; packet->flow holds what
 * that told. Frames must come in order. The packet borrows from the frame and, until the next call, from the tracker.
 */
void rtap_tracker_frame(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/* The input has ended: tells all messages and connections that are left. */
void rtap_tracker_finish(struct rtap_tracker *tracker);

struct rtap_tracker_counters rtap_tracker_counters(const struct rtap_tracker *tracker);

/* Frees. NULL is ignored. */
void rtap_tracker_close(struct rtap_tracker *tracker);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
