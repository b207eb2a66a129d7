/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Passes the contents of iWARP messages to the upper layer of their connection: upper.h.
 */
#ifndef REASSEMBLY_IWARP_DDP_UPPER_H
#define REASSEMBLY_IWARP_DDP_UPPER_H

#include "dissect/iwarp/iwarp.h"
#include "reassembly/state.h"

/* An FPDU being processed. */
struct ddp_work {
	struct rtap_tracker *tracker;
	struct connection *connection;
	bool from_a;
	const struct rtap_fpdu *fpdu;
	uint32_t frames;
	uint32_t shown;            /* its number in the packet view, or IWARP_NOT_SHOWN */
	struct rtap_iwarp_facts facts;
};

/*
 * Shows an FPDU that is after a gap or waits, in the frame that completes its Send if that is in several. `shown` may be IWARP_NOT_SHOWN. The
 * messages get it later, in order. Adds to the view what its dissection needs.
 */
void ddp_upper_ahead(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		       uint32_t shown);

/*
 * A Send is complete with these bytes, or the capture truncated the rest. `put_together`: they are the message's reassembled
 * bytes.
 */
void ddp_upper_send(struct ddp_work *work, struct message *message, const struct rtap_span *bytes, bool put_together);

/* A READ or Write is complete. */
void ddp_upper_data(struct ddp_work *work, struct message *message);

/* A Terminate: the message that it quotes was refused. RFC 5040, 4.8. */
void ddp_upper_refuse(struct ddp_work *work);

#endif
