/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which management datagram answers which: a response has its request's transaction id, class and attribute, and goes the other way.
 * IBTA vol. 1, 13.4.6.4, 13.5.2.
 *
 * Transaction ids are compared as a whole, unless one's upper half is 0: a kernel puts its client's number there, and what was
 * captured above it does not have it. Directed-route and LID-routed packets are of one class. A request that comes again before it
 * is answered is a retry, a message of its own that names the first one's frame: the time to the answer counts from that.
 *
 * A request is remembered for 60 s, which is longer than anyone waits. Its message waits 2 s for the answer's, so that each can name
 * the other; later answers still name the request's frame.
 */
#ifndef REASSEMBLY_MANAGEMENT_MAD_EXCHANGE_H
#define REASSEMBLY_MANAGEMENT_MAD_EXCHANGE_H

#include <rdmatap/message.h>
#include <rdmatap/packet.h>

#include "reassembly/store/budget.h"
#include "reassembly/store/map.h"

struct message;
struct mad_exchange;

/* All zero but `budget`, which is borrowed until the end, is empty. */
struct mad_exchanges {
	struct budget *budget;
	struct map map;
	struct mad_exchange *first, *last; /* in the order of their first requests */
	struct mad_exchange *first_held;   /* the first whose request's message waits; none before it does */
};

/*
 * Takes a packet with a MAD into account; `message` is its message, or NULL. Fills packet->flow of retries and answers, and what the
 * message has of the MAD.
 */
void mad_exchange_packet(struct mad_exchanges *exchanges, struct rtap_packet *packet, struct message *message,
			 const struct rtap_end *source, const struct rtap_end *destination);

/* Whether it asks for an answer; of a request of several segments, the first does. */
bool mad_exchange_asks(const struct rtap_mad_facts *mad);

/* Time has come to `now_ns`: lets messages go that waited long enough, and forgets old requests. */
void mad_exchange_advance(struct mad_exchanges *exchanges, int64_t now_ns);

/* No message waits any more: the input has ended. */
void mad_exchange_finish(struct mad_exchanges *exchanges);

/* Forgets a message that goes. */
void mad_exchange_forget(struct message *message);

void mad_exchange_fini(struct mad_exchanges *exchanges);

#endif
