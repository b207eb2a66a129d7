/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From FPDUs to messages: RFC 5041 (DDP), RFC 5040 and RFC 7306 (RDMAP). FPDUs arrive in the order of their stream, and
 * after everything of the other direction that their sender had received. So a message ends with its last segment, or when
 * another message takes its place. In the connection's streams the stream offset of a message's first FPDU takes the place
 * of the PSN. READs are in the requester's stream.
 */
#ifndef REASSEMBLY_IWARP_DDP_MESSAGE_H
#define REASSEMBLY_IWARP_DDP_MESSAGE_H

#include "reassembly/iwarp/ddp_half.h"

/*
 * Processes the next FPDU of a direction, which has no wrong CRC and came in `frames` frames. `shown` is its number in the
 * packet view, or IWARP_NOT_SHOWN: a Send or chunk that it completes gets its context there.
 */
void ddp_message_fpdu(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		      uint32_t frames, uint32_t shown);

/* `length` bytes of a direction's stream with FPDUs are lost for good. */
void ddp_message_lost(struct connection *connection, bool from_a, uint64_t length);

/* Settles all messages being reassembled. */
void ddp_message_end(struct rtap_tracker *tracker, struct connection *connection);

#endif
