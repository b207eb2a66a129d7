/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rtap_tracker_frame() in two halves, the first of which needs no state.
 */
#ifndef REASSEMBLY_TRACKER_H
#define REASSEMBLY_TRACKER_H

#include <rdmatap/tracker.h>

#include "reassembly/captured_copies.h"
#include "reassembly/upper/rpc_exchange.h"

/* Dissects a frame by itself. May be called by any thread at any time, for any frame. */
void tracker_dissect(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/* As tracker_dissect(), and works out what tracker_take() else would of the payload: so that another thread has done it. */
void tracker_dissect_ahead(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/* The frames from now on are these, or others if `frames` is NULL: they may be looked at before it is their turn. */
void tracker_set_batch(struct rtap_tracker *tracker, const struct rtap_frame *frames, size_t count);

/*
 * The frames are of several files, which may hold the same packets: what was there before is only counted. Called before the first
 * frame. at_the_same_time: some are known to. False: memory is out.
 */
bool tracker_join_captures(struct rtap_tracker *tracker, bool at_the_same_time);

/* What was found by that; `packets` is 0 if it was not called. */
struct captured_copies_summary tracker_joined(const struct rtap_tracker *tracker);

/* What rtap_tracker_frame() does of the next frame, of which tracker_dissect() has made the packet. */
void tracker_take(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet);

/*
 * Called before the first frame: the tracker tells each RPC call with its reply, in the order of the replies within a connection,
 * with the owner of its options. `payload`: with the bytes of all chunks.
 */
void tracker_tell_exchanges(struct rtap_tracker *tracker, rpc_take_exchange *take, bool payload);

#endif
