/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtap_tracker_frame() in two steps, the first of which needs no state.
 */
#ifndef REASSEMBLY_TRACKER_H
#define REASSEMBLY_TRACKER_H

#include <rdmatap/tracker.h>

#include "dissect/engine/packet.h"
#include "reassembly/captured_copies.h"
#include "reassembly/file_effect.h"

/* Dissects a frame without state. Thread-safe. */
void tracker_dissect(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/*
 * As tracker_dissect(), and also computes what tracker_take() would compute from the payload, to move that work to another
 * thread.
 */
void tracker_dissect_ahead(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/* The following frames are these, which may be examined in advance. `frames` NULL: unknown. */
void tracker_set_batch(struct rtap_tracker *tracker, const struct rtap_frame *frames, size_t count);

/*
 * Passes the effects of storage commands on blocks to `take`; within a connection in the order of responses. Call before the
 * first frame.
 */
void tracker_report_blocks(struct rtap_tracker *tracker, block_take_effect *take, void *owner);

/* The same for operations on files identified by paths. */
void tracker_report_files(struct rtap_tracker *tracker, file_take_effect *take, void *owner);

/* Sets the answered calls of the capture, in the order of their frames; borrowed. Call before the first frame. */
void tracker_set_replies(struct rtap_tracker *tracker, const struct rtap_reply *replies, size_t count);

/* Packets of calls get the paths of the files that they are about, as far as earlier packets show them. Call before the first frame. */
void tracker_show_files(struct rtap_tracker *tracker);

/* Operations need no CRC-32 of what they carry, for which the bytes are read, and no missing ranges. Call before the first frame. */
void tracker_omit_details(struct rtap_tracker *tracker);

/*
 * Messages are wanted, but not the data that requests of upper layers move, nor what it shows: it is not collected. Call before the first
 * frame.
 */
void tracker_omit_data(struct rtap_tracker *tracker);

/*
 * The frames come from several files, which may contain the same packets: later copies are only counted. Call before the
 * first frame. at_the_same_time: some files are known to overlap. False: out of memory.
 */
bool tracker_join_captures(struct rtap_tracker *tracker, bool at_the_same_time);

/* The identity of the last packet taken, which other points capture too; NULL: it has none, or without tracker_join_captures(). */
const struct packet_identity *tracker_identity(const struct rtap_tracker *tracker);

/* The result; `packets` is 0 without tracker_join_captures(). */
struct captured_copies_summary tracker_joined(const struct rtap_tracker *tracker);

/*
 * Live: a message that is not finished delays the report of later ones by at most this time of the capture. Call before the first frame.
 */
void tracker_set_patience(struct rtap_tracker *tracker, uint64_t patience_ns);

/* The order of messages does not matter: one that is not finished delays later ones only for part of the time after which it is given up. */
void tracker_set_any_order(struct rtap_tracker *tracker);

/*
 * Live: advances the time by `passed_ns` without a frame, since the last frame or call. Reports messages and connections
 * that are now final.
 */
void tracker_pass_time(struct rtap_tracker *tracker, int64_t passed_ns);

/* Live: passes the current state of each connection that is not reported yet to `take`. */
void tracker_show_connections(const struct rtap_tracker *tracker, void (*take)(void *owner, const struct rtap_connection *connection),
			      void *owner);

/* Connections created so far, as rtap_tracker_counters() has them. */
uint64_t tracker_connections(const struct rtap_tracker *tracker);

/* The rest of rtap_tracker_frame() for the next frame, with the packet from tracker_dissect(). */
void tracker_take(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

#endif
