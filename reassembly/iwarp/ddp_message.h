/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From FPDUs to messages: RFC 5041 (DDP), RFC 5040 and RFC 7306 (RDMAP). FPDUs come in the order of their stream, and
 * those of one direction behind what of the other their sender had received; so a message is over as soon as its last
 * segment was there, or another message took its place. In the connection's streams messages stand at the stream offset of
 * their first FPDU instead of a PSN; READs in the requester's stream.
 */
#ifndef REASSEMBLY_IWARP_DDP_MESSAGE_H
#define REASSEMBLY_IWARP_DDP_MESSAGE_H

#include "reassembly/iwarp/ddp_half.h"

/*
 * Takes the next FPDU of a direction, whose CRC is not wrong; `frames` brought it. `shown` is its number in the packet
 * view, or IWARP_NOT_SHOWN: a Send that it ends, a chunk that it completes get their context there.
 */
void ddp_message_fpdu(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		      uint32_t frames, uint32_t shown);

/* `length` bytes of a direction's stream held FPDUs that nobody will see. */
void ddp_message_lost(struct connection *connection, bool from_a, uint64_t length);

/* Settles all that is under way. */
void ddp_message_end(struct rtap_tracker *tracker, struct connection *connection);

#endif
