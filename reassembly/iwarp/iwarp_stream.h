/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP on a TCP connection: from the bytes of both directions to FPDUs, as negotiated by the MPA Request and Reply
 * (RFC 5044, 7.1; RFC 6581), and on to messages and to the packet view.
 *
 * A stream is iWARP if it begins with a Request or Reply. A stream captured from the middle is iWARP if its bytes prove it
 * (fpdu.h) or its port is that of NFS/RDMA or SMB Direct. The two directions are processed in the order of cause and effect:
 * an FPDU waits, for at most IWARP_WAIT_SEGMENTS of the connection, until the bytes of the other direction that its sender
 * had acknowledged are processed. After a Request it waits, as long as TCP waits for captured bytes, for the first of them too.
 */
#ifndef REASSEMBLY_IWARP_IWARP_STREAM_H
#define REASSEMBLY_IWARP_IWARP_STREAM_H

#include "dissect/iwarp/mpa_setup.h"
#include "reassembly/iwarp/iwarp_half.h"

#define IWARP_WAIT_SEGMENTS 256

/* Whether a stream is iWARP. */
enum iwarp_verdict { IWARP_PERHAPS, IWARP_YES, IWARP_NO };

/* Call when `tcp` begins. NULL: out of memory. */
struct iwarp_stream *iwarp_stream_create(struct rtap_tracker *tracker, struct tcp_connection *tcp);

/* The stream ends: delivers what is left and frees it. */
void iwarp_stream_end(struct iwarp_stream *stream);

/* The stream is not iWARP: frees it. */
void iwarp_stream_destroy(struct iwarp_stream *stream);

/* As in tcp_stream_user. */
void iwarp_stream_life(struct iwarp_stream *stream, bool from_a, enum tcp_life life, const struct rtap_packet *packet);
void iwarp_stream_bytes(struct iwarp_stream *stream, bool from_a, const struct tcp_bytes *bytes);
void iwarp_stream_hole(struct iwarp_stream *stream, bool from_a, const struct tcp_hole *hole);

/* As in tcp_stream_user: shows FPDUs that are entirely inside the segment in its frame. */
bool iwarp_stream_ahead(struct iwarp_stream *stream, bool from_a, const struct tcp_bytes *bytes);

enum iwarp_verdict iwarp_stream_verdict(const struct iwarp_stream *stream);

/* A segment of the stream was processed; `packet` shows it. Counts it and processes what no longer has to wait. */
void iwarp_stream_segment(struct iwarp_stream *stream, const struct tcp_segment_facts *facts, struct rtap_packet *packet);

#endif
