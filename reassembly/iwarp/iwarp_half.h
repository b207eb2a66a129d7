/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The two directions of an iWARP stream: what is known of each, what of it waits, and what messages want to know of it.
 */
#ifndef REASSEMBLY_IWARP_IWARP_HALF_H
#define REASSEMBLY_IWARP_IWARP_HALF_H

#include "dissect/iwarp/mpa_setup.h"
#include "reassembly/iwarp/fpdu.h"
#include "reassembly/stream/tcp_stream.h"

struct rtap_tracker;
struct connection;
struct iwarp_stream;

/* What waits for the other direction: an FPDU, or bytes without one. */
struct iwarp_waiting {
	struct iwarp_waiting *next;
	struct rtap_fpdu fpdu;
	uint32_t frames;
	uint64_t lost;        /* not 0: bytes without an FPDU, and no FPDU */
	uint64_t offset;      /* of the stream, where it begins */
	uint64_t needs;       /* position of the other direction: tcp_half.next */
	uint64_t segments;    /* of the connection, when it began to wait */
	uint64_t filling;     /* of the view then, in which `shown` is this FPDU, if not UINT32_MAX */
	uint32_t shown;
	bool wanted;          /* the frame that showed it was */
	uint8_t bytes[];
};

#define IWARP_CALLS 64 /* shown ahead of their turn that are remembered: as many as clients and servers commonly agree upon */

/* A call that was shown ahead of its turn. */
struct iwarp_call {
	uint64_t offset;      /* of the stream, where its FPDU begins */
	uint64_t frame;       /* that shows it */
	int64_t time_ns;
	struct rtap_rpc_facts rpc;
};

enum iwarp_stage {
	IWARP_NOTHING, /* no byte was seen */
	IWARP_SETUP,   /* in a Request or Reply */
	IWARP_FRAMES,
};

struct iwarp_half {
	struct fpdu_sink sink;
	struct iwarp_stream *stream;
	bool from_a;          /* of the TCP connection */
	bool begun;           /* its first byte will be the first one of all */
	bool has_setup;       /* `mpa` is known */
	enum iwarp_stage stage;
	uint8_t setup[MPA_SETUP_LENGTH + MPA_MAX_PRIVATE];
	uint32_t setup_length;
	uint64_t setup_frame; /* that its last byte came in */
	int64_t setup_time_ns;
	struct rtap_mpa_facts mpa;
	struct fpdu_framer framer;
	bool was_ahead, wanted; /* of the bytes being taken: their FPDUs were shown in their own frame; which was wanted */
	uint64_t acknowledged; /* stream offset up to which the messages know it */
	uint64_t searched;    /* bytes in which no proof was found */
	struct iwarp_waiting *first, *last;
	uint32_t waiting;
	uint64_t waiting_bytes;
	struct iwarp_call *calls; /* NULL, or IWARP_CALLS of them, the oldest ones overwritten */
	uint32_t call_count;  /* noted so far */
};

struct iwarp_stream {
	struct rtap_tracker *tracker;
	struct tcp_connection *tcp;
	struct iwarp_half halves[2];     /* from the TCP connection's b; a */
	struct connection *connection;   /* NULL: none yet, or given up for memory */
	struct budget_holder holder;     /* of all that is held here */
	bool proven, refused;
	bool resumed;         /* it had a connection before */
	bool turned;          /* the TCP connection's a is the connection's b */
	bool opener_known;
	uint8_t fins;
};

/* Which end of the connection sent what this end of the TCP connection did. */
static inline bool iwarp_side_of(const struct iwarp_stream *stream, bool from_a)
{
	return from_a != stream->turned;
}

/* Up to where a direction is taken. While FPDUs are searched, those that may be found count as to come. */
static inline uint64_t iwarp_half_taken(const struct iwarp_half *half)
{
	const struct tcp_half *tcp = &half->stream->tcp->halves[half->from_a];

	if (half->first)
		return tcp->base + half->first->offset;
	if (half->stage == IWARP_FRAMES && half->framer.searching && half->framer.held_length)
		return tcp->base + half->framer.start;
	return tcp->next;
}

/* A call that one side of the connection sent was shown in its frame, but is not taken yet: it is remembered until then. */
void iwarp_half_note_call(struct iwarp_stream *stream, bool side, const struct rtap_fpdu *fpdu, const struct rtap_rpc_facts *rpc);

/* The latest call with this XID among those, or NULL; valid until the next one is noted. */
const struct iwarp_call *iwarp_half_find_call(const struct iwarp_stream *stream, bool side, uint32_t xid);

/* Those that were noted of a direction are forgotten. */
void iwarp_half_forget_calls(struct iwarp_half *half);

/* How many READs and atomics one side of the connection may have outstanding by what the two agreed upon; 0: it is not known. */
uint32_t iwarp_half_most_requests(const struct iwarp_stream *stream, bool side);

/* Its connection is no more: what comes later begins another one. */
void iwarp_half_forget_connection(struct iwarp_stream *stream);

#endif
