/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stateful tracking: reassembles packets into messages and connections. One thread at a time may use a tracker; callbacks run in
 * that thread.
 */
#ifndef RDMATAP_TRACKER_H
#define RDMATAP_TRACKER_H

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

/* All state kept between packets: connections, PSN streams, messages being reassembled. */
struct rtap_tracker;

struct rtap_tracker_options {
	size_t size;                 /* sizeof(struct rtap_tracker_options) */
	uint64_t max_memory;         /* limit for the state in bytes; 0: 512 MiB */
	const struct rtap_dissect_options *dissect; /* NULL: the defaults; borrowed for the call */
	bool bytes;                  /* keep the bytes of all messages: rtap_message.bytes */
	bool checksums;              /* compute rtap_message.crc32 and detect repeats that differ */
	/*
	 * Each callback may be NULL. Messages are reported in the order of their first frames, except those in progress for longer
	 * than give_up_ns; connections in the order of their first frames, except those evicted or idle for longer than that.
	 */
	void (*message)(void *owner, const struct rtap_message *message);
	void (*connection)(void *owner, const struct rtap_connection *connection);
	/*
	 * Two connections are the two halves of one: packets whose flow has number `from` belong to `into`, and `from` is never
	 * reported. turned: end a of one is end b of the other.
	 */
	void (*merged)(void *owner, uint64_t from, uint64_t into, bool turned);
	/* Called with the flow facts of an earlier packet whose connection was unknown when it was dissected. */
	void (*resolved)(void *owner, uint64_t frame, const struct rtap_flow_facts *flow);
	/* Dissect RPC replies in packets without their calls' procedures and without chunk contents. Messages are not affected. */
	bool bare_replies;
	/* Returns whether a packet marks its message as wanted (rtap_message.wanted). May be NULL. */
	bool (*wanted)(void *owner, const struct rtap_packet *packet);
	void *owner;
	/*
	 * Connections, messages and calls without activity for this time are reported unfinished; nanoseconds of capture time, at most
	 * INT64_MAX / 2; 0: 60 s
	 */
	uint64_t give_up_ns;
	/*
	 * Called with each operation of an upper layer once it is final, in the order of the requests as with `message`. NULL: operations
	 * are not tracked.
	 */
	void (*operation)(void *owner, const struct rtap_operation *operation);
	/*
	 * Report operations of layers that must decode message bodies for all members (RTAP_OPERATION_COSTLY: RPC) without what only
	 * the bodies show, because decoding takes as long as the rest of the tracker's work: object, offset, length, data, missing
	 * bytes, identifier and values of the layer are not set. A call repeated over TCP or UDP is an operation
	 * again. No operation has missing ranges, or the CRC-32 of what it carries.
	 */
	bool cheap_operations;
};

/* Counters of the tracker, for a summary. */
struct rtap_tracker_counters {
	uint64_t messages, incomplete_messages, connections;
	uint64_t evictions;          /* objects dropped because of the memory limit before they were complete */
	uint64_t refused;            /* failed allocations: the affected objects are missing or incomplete */
	uint64_t unsupported;        /* packets of services without reassembly (RD) */
	uint64_t icrc_ignored;       /* packets with a wrong invariant CRC from senders that never compute it: treated as correct */
	uint64_t fragmented_whole, fragmented_lost; /* fragmented IP datagrams: reassembled; incomplete or refused */
	uint64_t anomaly_counts[RTAP_CONNECTION_ANOMALY_COUNT];
	uint64_t peak_memory;        /* bytes */
};

/* Copies the options; NULL: the defaults, without callbacks. FAILED: *tracker is NULL. */
enum rtap_status rtap_tracker_open(struct rtap_tracker **tracker, const struct rtap_tracker_options *options, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Dissects the next frame with the state of its connection, updates the state, and fills the packet's flow facts. Frames must be passed in
 * order. The packet borrows from the frame and, until the next call, from the tracker.
 */
void rtap_tracker_frame(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/* End of input: reports all remaining messages and connections. */
void rtap_tracker_finish(struct rtap_tracker *tracker);

/* `size` is sizeof *counters. */
void rtap_tracker_counters(const struct rtap_tracker *tracker, struct rtap_tracker_counters *counters, size_t size);

/* Frees. NULL is ignored. */
void rtap_tracker_close(struct rtap_tracker *tracker);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
