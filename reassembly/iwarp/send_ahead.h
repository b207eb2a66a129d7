/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The segments of a Send that are shown before the messages get them: the frame of the last one shows the whole Send.
 */
#ifndef REASSEMBLY_IWARP_SEND_AHEAD_H
#define REASSEMBLY_IWARP_SEND_AHEAD_H

#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "reassembly/state.h"

/* All zero: no segment. */
struct send_ahead {
	uint8_t *bytes;       /* of consecutive segments */
	uint32_t length, room;
	uint32_t before;      /* bytes of the Send before them, which its message has */
	uint32_t msn;
	uint64_t next;        /* stream offset after the last one */
};

/*
 * Adds a segment of a Send. `begun`: the message that has the segments before the first one that is ahead, up to stream offset `begun_end`;
 * or NULL. True: it is the last one, and send->bytes has the `length` bytes of the whole Send.
 */
bool send_ahead_add(struct send_ahead *send, const struct rtap_fpdu *fpdu, const struct rtap_iwarp_facts *facts,
		    const struct message *begun, uint64_t begun_end);

/* Discards the segments. */
void send_ahead_discard(struct send_ahead *send);

#endif
