/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP on a TCP connection: from the bytes of both directions to FPDUs, by what the MPA Request and Reply agreed upon
 * (RFC 5044, 7.1; RFC 6581), and from there to messages and to the packet view.
 *
 * A stream is iWARP that begins with a Request or a Reply; one seen from the middle if its bytes prove it (fpdu.h) or its
 * port is NFS/RDMA's or SMB Direct's. What the two ends said is taken in the order of cause and effect: an FPDU waits,
 * for IWARP_WAIT_SEGMENTS of the connection at most, until the bytes of the other direction are taken that its sender had acknowledged.
 */
#ifndef REASSEMBLY_IWARP_STREAM_H
#define REASSEMBLY_IWARP_STREAM_H

#include "dissect/mpa_setup.h"
#include "reassembly/fpdu.h"
#include "reassembly/tcp_stream.h"

#define IWARP_WAIT_SEGMENTS 256

struct rtap_tracker;
struct connection;
struct iwarp_stream;
struct iwarp_view;

/* What has become of the question whether a stream is iWARP. */
enum iwarp_verdict { IWARP_PERHAPS, IWARP_YES, IWARP_NO };

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

/* NULL: memory is out. `tcp` has just begun. */
struct iwarp_stream *iwarp_stream_create(struct rtap_tracker *tracker, struct tcp_connection *tcp);

/* The stream ends: tells what is left, and frees. */
void iwarp_stream_end(struct iwarp_stream *stream);

/* It was something else: frees. */
void iwarp_stream_destroy(struct iwarp_stream *stream);

/* As tcp_stream_user's. */
void iwarp_stream_life(struct iwarp_stream *stream, bool from_a, enum tcp_life life, const struct rtap_packet *packet);
void iwarp_stream_bytes(struct iwarp_stream *stream, bool from_a, const struct tcp_bytes *bytes);
void iwarp_stream_hole(struct iwarp_stream *stream, bool from_a, const struct tcp_hole *hole);

/* As tcp_stream_user's: FPDUs that lie wholly in the segment are shown in its frame. */
bool iwarp_stream_ahead(struct iwarp_stream *stream, bool from_a, const struct tcp_bytes *bytes);

/* The frame at hand is done, and wanted: so are the messages that get what it showed ahead of a gap. */
void iwarp_stream_want(struct iwarp_view *view);

/* A call that one side of the connection sent was shown in its frame, but is not taken yet: it is remembered until then. */
void iwarp_stream_note_call(struct iwarp_stream *stream, bool side, const struct rtap_fpdu *fpdu, const struct rtap_rpc_facts *rpc);

/* The latest call with this XID among those, or NULL; valid until the next one is noted. */
const struct iwarp_call *iwarp_stream_find_call(const struct iwarp_stream *stream, bool side, uint32_t xid);

/* How many READs and atomics one side of the connection may have outstanding by what the two agreed upon; 0: it is not known. */
uint32_t iwarp_stream_most_requests(const struct iwarp_stream *stream, bool side);

enum iwarp_verdict iwarp_stream_verdict(const struct iwarp_stream *stream);

/* A segment of the stream was taken; `packet` shows it. Counts it, and takes what need not wait any more. */
void iwarp_stream_segment(struct iwarp_stream *stream, const struct tcp_segment_facts *facts, struct rtap_packet *packet);

/* Its connection is no more: what comes later begins another one. */
void iwarp_stream_forget(struct iwarp_stream *stream);

#endif
