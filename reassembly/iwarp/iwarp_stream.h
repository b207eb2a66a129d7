/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iWARP on a TCP connection: from the bytes of both directions to FPDUs, by what the MPA Request and Reply agreed upon
 * (RFC 5044, 7.1; RFC 6581), and from there to messages and to the packet view.
 *
 * A stream is iWARP that begins with a Request or a Reply; one seen from the middle if its bytes prove it (fpdu.h) or its
 * port is NFS/RDMA's or SMB Direct's. What the two ends said is taken in the order of cause and effect: an FPDU waits,
 * for IWARP_WAIT_SEGMENTS of the connection at most, until the bytes of the other direction are taken that its sender had acknowledged.
 */
#ifndef REASSEMBLY_IWARP_IWARP_STREAM_H
#define REASSEMBLY_IWARP_IWARP_STREAM_H

#include "dissect/iwarp/mpa_setup.h"
#include "reassembly/iwarp/iwarp_half.h"

#define IWARP_WAIT_SEGMENTS 256

/* What has become of the question whether a stream is iWARP. */
enum iwarp_verdict { IWARP_PERHAPS, IWARP_YES, IWARP_NO };

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

enum iwarp_verdict iwarp_stream_verdict(const struct iwarp_stream *stream);

/* A segment of the stream was taken; `packet` shows it. Counts it, and takes what need not wait any more. */
void iwarp_stream_segment(struct iwarp_stream *stream, const struct tcp_segment_facts *facts, struct rtap_packet *packet);

#endif
