/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether a wrong invariant CRC means a corrupt packet. Some drivers capture transmitted packets before the device
 * has filled in the CRC: on the capturing interface all CRCs of such a sender are wrong or zero although the data is good.
 *
 * A sender (interface and source address) with at least one good CRC fills them in: a wrong CRC means a corrupt packet. For
 * other senders the following frames of the batch are examined: if one of them has a good CRC, the packet is corrupt. If all
 * are wrong, or ICRC_SEARCHES searches found no good one, the sender's CRCs are ignored until a good one arrives. If no frames
 * follow (a live capture that pauses), a wrong CRC is ignored.
 */
#ifndef REASSEMBLY_INFINIBAND_ICRC_SENDER_H
#define REASSEMBLY_INFINIBAND_ICRC_SENDER_H

#include "reassembly/state.h"

#define ICRC_SEARCHES 4
#define ICRC_SENDERS 16384 /* most senders kept */

/* A packet of the sender has a good CRC. */
void icrc_sender_note_good(struct rtap_tracker *tracker, const struct rtap_packet *packet);

/* Whether the sender's CRCs count: its packet with a wrong one is corrupt. False: they are ignored. */
bool icrc_sender_is_reliable(struct rtap_tracker *tracker, const struct rtap_packet *packet);

void icrc_senders_fini(struct rtap_tracker *tracker);

#endif
