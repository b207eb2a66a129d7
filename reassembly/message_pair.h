/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A request and its response: each is reported with the number of the other.
 */
#ifndef REASSEMBLY_MESSAGE_PAIR_H
#define REASSEMBLY_MESSAGE_PAIR_H

#include "reassembly/state.h"

/* Ends the pair of the message, if it is in one. */
static inline void message_unpair(struct message *message)
{
	if (message->partner)
		message->partner->partner = NULL;
	message->partner = NULL;
}

/* The pairs that the two were in before end: a damaged or forged response can answer two requests. */
static inline void message_pair(struct message *request, struct message *response)
{
	message_unpair(request);
	message_unpair(response);
	request->partner = response;
	response->partner = request;
	response->is_response = true;
}

#endif
