/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP streams: segments put into order, separately for each direction. RFC 9293; selective acknowledgement: RFC 2018.
 *
 * The user gets the bytes of each direction in order and without overlap: bytes and holes follow each other with no gap in
 * the offsets. Offsets count from the first byte after the SYN, or from the first byte seen if there was none. The first
 * copy of a byte counts. Bytes in order are borrowed from the frame; bytes after a gap are copied under the budget. A gap is
 * given up when the receiver has acknowledged it and it does not arrive within 64 segments of the connection or 100 ms of
 * capture time (at most twice that); if no acknowledgements are captured, after 2 seconds; when memory for the bytes after
 * it runs out; or when the connection ends. A connection ends one second after both FINs or a reset. Its segments are still
 * recognised for TCP_FINISHED_NS afterwards.
 */
#ifndef REASSEMBLY_STREAM_TCP_STREAM_H
#define REASSEMBLY_STREAM_TCP_STREAM_H

#include <sys/queue.h>

#include "base/map.h"
#include "dissect/engine/packet.h"
#include "reassembly/store/budget.h"
#include "reassembly/store/tree.h"

#define TCP_FINISHED_NS INT64_C(60000000000) /* longer than the interval between retransmissions of a FIN: RFC 6298, 2.4 */

enum tcp_hole_reason {
	TCP_HOLE_NOT_CAPTURED, /* the receiver has the bytes, or that is unknown */
	TCP_HOLE_SNAPPED,      /* the capture truncated the segment */
	TCP_HOLE_EVICTED,      /* evicted for memory */
	TCP_HOLE_LOST,         /* the receiver sends acknowledgements, but never for these bytes */
};

enum tcp_life { TCP_LIFE_SYN, TCP_LIFE_SYN_ACK, TCP_LIFE_MIDSTREAM, TCP_LIFE_FIN, TCP_LIFE_RST };

enum tcp_end {
	TCP_END_CLOSED,  /* both directions finished */
	TCP_END_RESET,
	TCP_END_REUSED,  /* the ports are used by a new connection */
	TCP_END_EVICTED, /* the oldest connection when another one needed memory */
	TCP_END_INPUT,   /* the capture ended */
};

/* Bytes of one direction, in order. */
struct tcp_bytes {
	uint64_t offset;
	struct rtap_span span; /* borrowed for the call */
	uint64_t frame;        /* number of their frame; not later than the current frame */
	int64_t time_ns;       /* of that frame */
	uint64_t acknowledged; /* by that frame: a position of the other direction, at most its tcp_half.acknowledged if that has started */
	bool was_ahead, wanted; /* result of `ahead` for them; argument of tcp_half_want() */
};

struct tcp_hole {
	uint64_t offset, length;
	enum tcp_hole_reason reason;
};

struct tcp_connection;

/* Callbacks. They must not call tcp_stream_segment(). All except `owner` and `ahead` are required. */
struct tcp_stream_user {
	void *owner;
	/* First call for a connection. End A opened it or, if that was not seen, was seen first. */
	void (*begin)(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet);
	void (*life)(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life,
		     const struct rtap_packet *packet);
	void (*bytes)(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes);
	void (*hole)(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole);
	/* Last call. The connection is freed afterwards. */
	void (*end)(void *owner, struct tcp_connection *connection, enum tcp_end reason);
	/*
	 * A segment that is new, complete and after a gap. Its bytes are delivered later, in order, with the result of this
	 * call.
	 */
	bool (*ahead)(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes);
};

/* Bytes after a gap. */
struct tcp_queued {
	struct tree_node node; /* by position */
	TAILQ_ENTRY(tcp_queued) link;
	uint64_t begin, end;   /* positions */
	uint64_t frame, acknowledged;
	int64_t time_ns;
	uint32_t captured;     /* of end - begin */
	bool was_ahead, wanted;
	uint8_t bytes[];
};

/* A recent segment, kept to recognise a repeat. */
struct tcp_recent {
	uint64_t begin;
	int64_t time_ns;
	uint32_t length, captured, point;
	uint32_t digest;       /* tcp_digest() of its captured bytes */
};

#define TCP_RECENT 8

/*
 * One direction. Positions are sequence numbers unwrapped to 64 bits. `next` is delivered next; all queued bytes are after
 * it.
 */
struct tcp_half {
	struct tcp_connection *connection;
	bool from_a, started, has_isn, has_fin, has_acknowledged, has_stray, has_window, has_zero;
	uint32_t zero;            /* sequence number before the first byte that was seen or acknowledged first: relative ones are since it */
	uint32_t isn, stray;      /* stray: sequence number after a segment outside of the window */
	uint16_t window;          /* last window of this end, unscaled */
	uint64_t base, next;      /* base: offset 0 */
	uint64_t highest, fin;    /* after the last byte seen; after the direction's last byte */
	uint64_t acknowledged;    /* by the other end */
	uint64_t evicted_to;      /* bytes after gaps were evicted up to here */
	uint64_t settled;         /* gaps below it are not waited for any more */
	uint64_t mark;            /* `settled` moves here when the connection has this many segments, or at this time */
	uint64_t due_segments;
	int64_t due_ns;
	bool has_mark;
	uint8_t sack_count;
	struct {
		uint64_t left, right;
	} sack[RTAP_TCP_SACK_BLOCKS]; /* latest of the other end */
	TAILQ_HEAD(tcp_queue, tcp_queued) pieces; /* by position */
	struct tcp_queued *newest; /* inserted last; NULL: removed */
	struct tree queue;
	struct budget_entry entry; /* of the queue */
	struct tcp_recent recent[TCP_RECENT];
	uint8_t recent_at;
};

/* What all packets of one direction have in common: source and destination address, address length and ports. */
struct tcp_key {
	uint64_t words[5];
};

struct tcp_connection {
	void *user;               /* the user's own */
	bool ignored;             /* set by the user, permanently: bytes and holes are not delivered any more, and segments are ignored */
	uint8_t addresses[2][16]; /* of b; of a */
	uint16_t ports[2];
	uint8_t address_length;
	uint64_t segments;
	/* private to tcp_stream from here on */
	struct tcp_half halves[2]; /* from b; from a */
	struct tcp_streams *streams;
	TAILQ_ENTRY(tcp_connection) link;
	uint64_t hash;
	struct tcp_key keys[2];    /* of packets from b; from a */
	bool closed, reset;
	int64_t last_ns;
};

TAILQ_HEAD(tcp_connections, tcp_connection);

/* A finished connection, kept so that its repeated segments do not start a new one. */
struct tcp_finished {
	TAILQ_ENTRY(tcp_finished) link;
	uint64_t hash;
	struct tcp_key keys[2];   /* of packets from b; from a */
	uint32_t isn[2], first[2], end[2]; /* sequence numbers; first: oldest byte that may be repeated, end: after the last byte */
	bool has_isn[2], started[2];
	int64_t last_ns;
};

struct tcp_streams {
	struct tcp_stream_user user;
	struct budget *budget;
	struct budget_entry entry; /* of connections */
	struct map map;
	struct tcp_connections open, closed; /* in the order of their last segments */
	struct map finished_map;
	TAILQ_HEAD(, tcp_finished) finished; /* in the order of their end */
	/* connections: started, evicted; segments without memory for their connection; evicted queues of a direction */
	uint64_t connections, evicted_connections, unkept, evicted_queues;
	uint64_t forced_holes;       /* holes given up because memory ran out */
	uint64_t differing;          /* segments with other bytes than the first copy */
	uint64_t analyses[RTAP_TCP_ANALYSIS_COUNT];
};

/* The place of a segment in its connection. */
struct tcp_segment_facts {
	struct tcp_connection *connection; /* NULL: belongs to none */
	bool from_a;
	bool differs;                /* bytes differ from the first copy */
	uint8_t analysis;            /* enum rtap_tcp_analysis */
	uint64_t offset;             /* of its first byte; wraps for bytes before the start of a stream captured from the middle */
	uint64_t missing;            /* with RTAP_TCP_GAP: missing bytes right before it */
};

/* `user` is copied, `budget` borrowed. */
void tcp_streams_init(struct tcp_streams *streams, struct budget *budget, const struct tcp_stream_user *user);

/*
 * Processes a packet with packet->tcp.present. Calls the user for everything that it delivers or ends. For bytes that were
 * already delivered, a difference from the first copy is detected only if the whole segment is repeated.
 */
void tcp_stream_segment(struct tcp_streams *streams, const struct rtap_packet *packet, struct tcp_segment_facts *facts);

/* The same for a copy of a segment from another file, which was already processed. */
void tcp_stream_copy(struct tcp_streams *streams, const struct rtap_packet *packet, struct tcp_segment_facts *facts);

/* Fills the relative numbers of a packet's TCP header, if its connection is known. */
void tcp_stream_relative(const struct tcp_segment_facts *facts, struct rtap_tcp_facts *tcp);

/* Computes in advance what tcp_stream_segment() needs of the payload. Thread-safe. */
void tcp_stream_digest(struct rtap_packet *packet);

/* Adds the anomaly that the packet's bytes differ. */
void tcp_stream_note_difference(struct rtap_packet *packet);

/* The input has ended: delivers waiting bytes and ends all connections. */
void tcp_streams_flush(struct tcp_streams *streams);

/* Frees everything without callbacks. Must always be called. */
void tcp_streams_fini(struct tcp_streams *streams);

#endif
