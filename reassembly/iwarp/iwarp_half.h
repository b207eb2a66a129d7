/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of the two directions of an iWARP stream, including queued FPDUs and the positions that messages need.
 */
#ifndef REASSEMBLY_IWARP_IWARP_HALF_H
#define REASSEMBLY_IWARP_IWARP_HALF_H

#include "dissect/iwarp/mpa_setup.h"
#include "reassembly/iwarp/fpdu.h"
#include "reassembly/iwarp/send_ahead.h"
#include "reassembly/stream/tcp_recovery.h"
#include "reassembly/stream/tcp_stream.h"

struct rtap_tracker;
struct connection;
struct iwarp_stream;

/* An FPDU, or bytes without one, that waits for the other direction. */
struct iwarp_waiting {
	STAILQ_ENTRY(iwarp_waiting) link;
	struct rtap_fpdu fpdu;
	uint32_t frames;
	uint64_t lost;        /* not 0: number of bytes without an FPDU */
	uint64_t offset;      /* stream offset of its first byte */
	uint64_t needs;       /* needed position of the other direction: tcp_half.next */
	uint64_t segments;    /* segments of the connection when it began to wait */
	uint64_t filling;     /* view->fillings when `shown` was set; `shown` may be UINT32_MAX */
	uint32_t shown;
	bool wanted;          /* the frame that showed it is wanted */
	uint8_t bytes[];
};

#define IWARP_REQUESTS 64 /* requests shown out of order that are kept: as many as clients and servers commonly negotiate */
#define IWARP_FACTS 96

/* A request of an upper layer that was shown out of order. */
struct iwarp_request {
	uint64_t offset;      /* stream offset of its FPDU */
	uint64_t frame;       /* number of the frame that shows it */
	int64_t time_ns;
	uint64_t id;          /* by which the layer finds it */
	uint8_t facts[IWARP_FACTS]; /* of the layer */
};

enum iwarp_stage {
	IWARP_NOTHING, /* no byte seen */
	IWARP_SETUP,   /* within a Request or Reply */
	IWARP_FRAMES,
};

struct iwarp_half {
	struct fpdu_sink sink;
	struct iwarp_stream *stream;
	bool from_a;          /* of the TCP connection */
	bool begun;           /* the stream was seen from its first byte */
	bool has_setup;       /* `mpa` is valid */
	enum iwarp_stage stage;
	uint8_t setup[MPA_SETUP_LENGTH + MPA_MAX_PRIVATE];
	uint32_t setup_length;
	uint64_t setup_frame; /* number of the frame with its last byte */
	int64_t setup_time_ns;
	struct rtap_mpa_facts mpa;
	struct fpdu_framer framer;
	bool was_ahead, wanted; /* of the current bytes: their FPDUs were shown in their own frame; that frame is wanted */
	uint64_t ahead_from;  /* of all bytes from this stream offset up to the current ones, the FPDUs were shown in their own frames */
	uint64_t acknowledged; /* acknowledged stream offset that messages know */
	struct tcp_recovery recovery; /* of the data of this direction */
	uint64_t searched;    /* bytes without proof of iWARP */
	STAILQ_HEAD(, iwarp_waiting) queue; /* in the order of the stream */
	uint32_t waiting;
	uint64_t waiting_bytes;
	struct send_ahead ahead; /* segments of a Send that were shown ahead */
	struct iwarp_request *requests; /* NULL, or a ring of IWARP_REQUESTS */
	uint32_t request_count; /* number of requests ever added */
};

struct iwarp_stream {
	struct rtap_tracker *tracker;
	struct tcp_connection *tcp;
	struct iwarp_half halves[2];     /* from the TCP connection's b; a */
	struct connection *connection;   /* NULL: none yet, or given up for memory */
	struct budget_entry entry;       /* of all memory held here */
	struct tcp_recoveries recoveries; /* that the current segment begins or ends */
	bool proven, refused;
	bool resumed;         /* it had a connection before */
	bool turned;          /* end a of the TCP connection is end b of the connection */
	bool opener_known;
	uint8_t fins;
};

/* Translates a direction of the TCP connection to one of the connection. */
static inline bool iwarp_side_of(const struct iwarp_stream *stream, bool from_a)
{
	return from_a != stream->turned;
}

/*
 * Position up to which a direction is processed. During a search, bytes that may still contain FPDUs count as not processed.
 */
static inline uint64_t iwarp_half_taken(const struct iwarp_half *half)
{
	const struct tcp_half *tcp = &half->stream->tcp->halves[half->from_a];

	if (!STAILQ_EMPTY(&half->queue))
		return tcp->base + STAILQ_FIRST(&half->queue)->offset;
	if (half->stage == IWARP_FRAMES && half->framer.searching && half->framer.held_length)
		return tcp->base + half->framer.start;
	return tcp->next;
}

/* Remembers a request that was shown in its frame but is not processed yet, with `size` bytes of facts, at most IWARP_FACTS. */
void iwarp_half_note_request(struct iwarp_stream *stream, bool side, const struct rtap_fpdu *fpdu, uint64_t id,
			     const void *facts, size_t size);

/* The latest remembered request with this id, or NULL. Valid until the next iwarp_half_note_request(). */
const struct iwarp_request *iwarp_half_find_request(const struct iwarp_stream *stream, bool side, uint64_t id);

/* Discards what is kept of FPDUs shown ahead in a direction: requests, and the segments of a Send. */
void iwarp_half_discard_ahead(struct iwarp_half *half);

/* Most READs and atomics that one side of the connection may have outstanding, as negotiated; 0: unknown. */
uint32_t iwarp_half_most_requests(const struct iwarp_stream *stream, bool side);

/* The connection is destroyed: later FPDUs start another one. */
void iwarp_half_discard_connection(struct iwarp_stream *stream);

#endif
