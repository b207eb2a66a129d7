/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Matches management datagrams to their requests: a response has its request's transaction id, class and attribute, and
 * travels in the other direction. IBTA vol. 1, 13.4.6.4, 13.5.2.
 *
 * Whole transaction ids are compared, unless the upper half of one is 0: the kernel puts its client's number there, and
 * captures above the kernel do not have it. Directed-route and LID-routed packets have the same class. A request that is
 * repeated before it is answered is a retry, a message of its own that names the frame of the first one. The response time
 * counts from the first one.
 *
 * A request is remembered for 60 s, which is longer than any timeout. Its message waits 2 s for that of the response, so
 * that each can name the other. Later responses still name the request's frame.
 */
#ifndef REASSEMBLY_MANAGEMENT_MAD_EXCHANGE_H
#define REASSEMBLY_MANAGEMENT_MAD_EXCHANGE_H

#include <sys/queue.h>

#include <rdmatap/message.h>

#include "base/map.h"
#include "dissect/engine/packet.h"
#include "reassembly/store/budget.h"

struct message;
struct mad_exchange;

struct mad_exchanges {
	struct budget *budget;
	struct map map;
	TAILQ_HEAD(, mad_exchange) list; /* in the order of first requests */
	struct mad_exchange *first_held; /* first one whose request's message waits; NULL: none */
};

/* The budget is borrowed until the end. */
void mad_exchange_init(struct mad_exchanges *exchanges, struct budget *budget);

/*
 * Processes a packet with a MAD; `message` is its message, or NULL. Fills packet->flow of retries and responses, and the MAD
 * part of the message.
 */
void mad_exchange_packet(struct mad_exchanges *exchanges, struct rtap_packet *packet, struct message *message,
			 const struct rtap_end *source, const struct rtap_end *destination);

/* Whether the MAD requests an answer. Of a request with several segments, the first does. */
bool mad_exchange_asks(const struct rtap_mad_facts *mad);

/* Advances to `now_ns`: releases messages that waited long enough, and discards old requests. */
void mad_exchange_advance(struct mad_exchanges *exchanges, int64_t now_ns);

/* The input has ended: no message waits any more. */
void mad_exchange_finish(struct mad_exchanges *exchanges);

/* Forgets a message that is destroyed. */
void mad_exchange_discard(struct message *message);

void mad_exchange_fini(struct mad_exchanges *exchanges);

#endif
