/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether a wrong invariant CRC is held against a packet. Some drivers show what they send before the device has filled the CRC
 * in: all frames of such a sender are wrong or zero, on the interface where they are captured, and their data is good.
 *
 * A sender (interface and source address) of which a right CRC was seen fills it in: a wrong one is a corrupt packet. Of a sender of which
 * none was seen, the frames that follow in the batch are looked at: one right CRC among them, and the packet is corrupt. If there
 * are only wrong ones, or after ICRC_LOOKS looks without a right one, the sender's CRCs mean nothing until a right one comes. Where
 * nothing follows (a live capture that pauses), a wrong CRC is not held against the packet.
 */
#ifndef REASSEMBLY_INFINIBAND_ICRC_SENDER_H
#define REASSEMBLY_INFINIBAND_ICRC_SENDER_H

#include "reassembly/state.h"

#define ICRC_LOOKS 4
#define ICRC_SENDERS 16384 /* most that are remembered */

/* A packet of the sender has a right CRC. */
void icrc_sender_note_good(struct rtap_tracker *tracker, const struct rtap_packet *packet);

/* Whether a packet whose CRC is wrong is corrupt; else that of its sender means nothing. */
bool icrc_sender_holds(struct rtap_tracker *tracker, const struct rtap_packet *packet);

void icrc_senders_fini(struct rtap_tracker *tracker);

#endif
