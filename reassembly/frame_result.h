/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results of the state for the current frame, passed between the processing steps. They determine the dissection of parts that depend on
 * the state, and whether the frame's messages are wanted.
 */
#ifndef REASSEMBLY_FRAME_RESULT_H
#define REASSEMBLY_FRAME_RESULT_H

#include "dissect/engine/packet.h"

struct connection;
struct message;

/* All zero: nothing. Messages can be freed before they are reported if they are joined to others: frame_result_discard(). */
struct frame_result {
	struct frame_result *outer;    /* of the frame, while a response that waited for its requester is processed; else NULL */
	struct connection *asked;      /* connection of the request in the frame; NULL: not a request, or unknown */
	struct message *touched;       /* message that the frame belongs to */
	struct message *completed;     /* completed by the frame */
	struct message *cut;           /* a truncated SEND that ends with the frame */
	struct message *touched_upper; /* message of the upper layer that the frame completed */
	struct rtap_span records;      /* data of the RMPP transfer that the frame completed */
	bool icrc_ignored;             /* the frame has a wrong invariant CRC that is ignored */
};

/* The message is about to be freed. */
static inline void frame_result_discard(struct frame_result *result, const struct message *message)
{
	for (; result; result = result->outer) {
		if (result->touched == message)
			result->touched = NULL;
		if (result->completed == message)
			result->completed = NULL;
		if (result->cut == message)
			result->cut = NULL;
	}
}

#endif
