/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP streams: segments put in order, each direction by itself. RFC 9293; selective acknowledgement: RFC 2018.
 *
 * The user is told the bytes of each direction in order and without overlap: bytes and holes follow each other with no
 * gap in the offsets. Offsets count from the first byte behind the SYN, or from the first byte seen if there was none.
 * Of bytes seen twice the first copy counts. Bytes in order are borrowed from the frame; what is ahead of a gap is copied
 * under the budget. A gap waits until the receiver has acknowledged it and it still did not come within 64 segments of the
 * connection or 100 ms of capture time (twice that at most), or, if no acknowledgement is captured at all, for 2 seconds;
 * until memory for what is ahead of it is out; or until the connection ends. It is over a second after both FINs or a reset; for
 * TCP_OVER_NS more, a segment of it that comes again is known.
 */
#ifndef REASSEMBLY_STREAM_TCP_STREAM_H
#define REASSEMBLY_STREAM_TCP_STREAM_H

#include <rdmatap/packet.h>

#include "reassembly/store/budget.h"
#include "reassembly/store/map.h"
#include "reassembly/store/tree.h"

#define TCP_OVER_NS INT64_C(60000000000) /* longer than retransmissions of a FIN are apart: RFC 6298, 2.4 */

enum tcp_hole_reason {
	TCP_HOLE_NOT_CAPTURED, /* the receiver has the bytes, or it is not known whether it has */
	TCP_HOLE_SNAPPED,      /* the capture cut the segment off */
	TCP_HOLE_EVICTED,      /* given up for memory */
	TCP_HOLE_LOST,         /* the receiver acknowledges, but never these bytes */
};

enum tcp_life { TCP_LIFE_SYN, TCP_LIFE_SYN_ACK, TCP_LIFE_MIDSTREAM, TCP_LIFE_FIN, TCP_LIFE_RST };

enum tcp_end {
	TCP_END_CLOSED,  /* both directions finished */
	TCP_END_RESET,
	TCP_END_REUSED,  /* the ports serve another connection now */
	TCP_END_EVICTED, /* unused for longest when memory for another one was needed */
	TCP_END_INPUT,   /* the capture ends */
};

/* Bytes of one direction, in order. */
struct tcp_bytes {
	uint64_t offset;
	struct rtap_span span; /* borrowed for the call */
	uint64_t frame;        /* that they came in; not later than the one at hand */
	int64_t time_ns;       /* of that frame */
	uint64_t acknowledged; /* by that frame: a position of the other direction, not behind its tcp_half.acknowledged */
	bool was_ahead, wanted; /* what `ahead` returned of them; what tcp_half_want() was told */
};

struct tcp_hole {
	uint64_t offset, length;
	enum tcp_hole_reason reason;
};

struct tcp_connection;

/* Who is told. No call may lead back into tcp_stream_segment(). All but `owner` and `ahead` are set. */
struct tcp_stream_user {
	void *owner;
	/* Before anything else; end A is who opened it or, if that was not seen, who was seen first. */
	void (*begin)(void *owner, struct tcp_connection *connection, const struct rtap_packet *packet);
	void (*life)(void *owner, struct tcp_connection *connection, bool from_a, enum tcp_life life,
		     const struct rtap_packet *packet);
	void (*bytes)(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes);
	void (*hole)(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_hole *hole);
	/* After everything else; the connection is freed behind it. */
	void (*end)(void *owner, struct tcp_connection *connection, enum tcp_end reason);
	/* A segment that is new, whole and ahead of a gap, which will be told in its turn; what is returned is remembered until then. */
	bool (*ahead)(void *owner, struct tcp_connection *connection, bool from_a, const struct tcp_bytes *bytes);
};

/* Bytes ahead of a gap. */
struct tcp_queued {
	struct tree_node node; /* by position */
	struct tcp_queued *before, *behind;
	uint64_t begin, end;   /* positions */
	uint64_t frame, acknowledged;
	int64_t time_ns;
	uint32_t captured;     /* of end - begin */
	bool was_ahead, wanted;
	uint8_t bytes[];
};

/* A segment seen lately, to know it again. */
struct tcp_recent {
	uint64_t begin;
	int64_t time_ns;
	uint32_t length, captured, interface;
	uint32_t digest;       /* tcp_digest() of its captured bytes */
};

#define TCP_RECENT 8

/*
 * One direction. Positions are sequence numbers unwrapped to 64 bits; `next` is the one to be told next, and all that is
 * queued lies behind it.
 */
struct tcp_half {
	struct tcp_connection *connection;
	bool from_a, started, has_isn, has_fin, has_acknowledged, has_stray, has_window;
	uint32_t isn, stray;      /* stray: sequence number behind a segment that lay outside */
	uint16_t window;          /* that this end has told last, unscaled */
	uint64_t base, next;      /* base: offset 0 */
	uint64_t highest, fin;    /* behind the last byte seen; behind the last byte of all */
	uint64_t acknowledged;    /* by the other end */
	uint64_t evicted_to;      /* bytes ahead of gaps up to here were evicted */
	uint64_t settled;         /* gaps below it wait no longer */
	uint64_t mark;            /* will be settled when the time is up: when the connection has so many segments, or it is so late */
	uint64_t due_segments;
	int64_t due_ns;
	bool has_mark;
	uint8_t sack_count;
	struct {
		uint64_t left, right;
	} sack[RTAP_TCP_SACK_BLOCKS]; /* the other end's latest */
	struct tcp_queued *first, *last;
	struct tcp_queued *newest; /* put there last; NULL: it is gone */
	struct tree queue;
	struct budget_holder holder; /* of what is queued */
	struct tcp_recent recent[TCP_RECENT];
	uint8_t recent_at;
};

/* What all packets of one direction have: source and destination address, length of the addresses and ports. */
struct tcp_key {
	uint64_t words[5];
};

struct tcp_connection {
	void *user;               /* the user's own */
	bool deaf;                /* set by the user, for good: neither bytes nor holes are told any more, and segments not looked at */
	uint8_t addresses[2][16]; /* of b; of a */
	uint16_t ports[2];
	uint8_t address_length;
	uint64_t segments;
	/* what follows is tcp_stream's own */
	struct tcp_half halves[2]; /* from b; from a */
	struct tcp_streams *streams;
	struct tcp_connection *older, *newer;
	uint64_t hash;
	struct tcp_key keys[2];    /* of packets from b; from a */
	bool closed, reset;
	int64_t last_ns;
};

struct tcp_connections {
	struct tcp_connection *oldest, *newest;
};

/* What is remembered of a connection that is over: segments of it that come again begin no other. */
struct tcp_over {
	struct tcp_over *older, *newer;
	uint64_t hash;
	struct tcp_key keys[2];   /* of packets from b; from a */
	uint32_t isn[2], first[2], end[2]; /* sequence numbers; first: of the oldest byte that may come again, end: behind the last one */
	bool has_isn[2], started[2];
	int64_t last_ns;
};

struct tcp_streams {
	struct tcp_stream_user user;
	struct budget *budget;
	struct budget_holder holder; /* of connections */
	struct map map;
	bool is_copy;                /* the segment at hand is another file's: it was taken before */
	struct tcp_connections open, closed; /* in the order of their last segments */
	struct map over_map;
	struct tcp_over *over_oldest, *over_newest; /* in the order in which they ended */
	/* connections begun, ended for memory; segments without memory for their connection; queues evicted, of a direction */
	uint64_t connections, evicted_connections, unkept, evicted_queues;
	uint64_t forced_holes;       /* that waited no longer because memory was out */
	uint64_t differing;          /* segments that have other bytes than the first copy */
	uint64_t analyses[RTAP_TCP_ANALYSIS_COUNT];
};

/* What a segment is. */
struct tcp_segment_facts {
	struct tcp_connection *connection; /* NULL: belongs to none */
	bool from_a;
	bool differs;                /* from what it repeats */
	uint8_t analysis;            /* enum rtap_tcp_analysis */
	uint64_t offset;             /* of its first byte; what lies before a stream seen from the middle wraps */
	uint64_t missing;            /* with RTAP_TCP_GAP: bytes not seen right before it */
};

/* `user` is copied, `budget` borrowed. */
void tcp_streams_init(struct tcp_streams *streams, struct budget *budget, const struct tcp_stream_user *user);

/*
 * Takes a packet with packet->tcp.present. The user is told of all that it brings or ends. That bytes differ from their
 * first copy is seen of bytes told already only if the whole segment comes again.
 */
void tcp_stream_segment(struct tcp_streams *streams, const struct rtap_packet *packet, struct tcp_segment_facts *facts);

/* Works out ahead what tcp_stream_segment() needs of the payload's bytes, if there are any. For any thread. */
void tcp_stream_digest(struct rtap_packet *packet);

/* Makes it an anomaly of the packet that its bytes differ. */
void tcp_stream_note_difference(struct rtap_packet *packet);

/* The input has ended: tells what is still waiting, and the ends. */
void tcp_streams_flush(struct tcp_streams *streams);

/* Frees everything without telling; to be called in any case. */
void tcp_streams_fini(struct tcp_streams *streams);

#endif
