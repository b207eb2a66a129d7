/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What iWARP's messages carry, for the upper layer of their connection: upper.h.
 */
#ifndef REASSEMBLY_IWARP_DDP_UPPER_H
#define REASSEMBLY_IWARP_DDP_UPPER_H

#include "dissect/iwarp/iwarp.h"
#include "reassembly/state.h"

/* An FPDU being taken. */
struct ddp_work {
	struct rtap_tracker *tracker;
	struct connection *connection;
	bool from_a;
	const struct rtap_fpdu *fpdu;
	uint32_t frames;
	uint32_t shown;            /* its number in the packet view, or IWARP_NOT_SHOWN */
	struct rtap_iwarp_facts facts;
};

/* An FPDU ahead of a gap, or one that waits, is shown; messages get it when its turn comes. The view gets what its dissection needs. */
void ddp_upper_ahead(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		       uint32_t shown);

/* A Send is whole, with these bytes, or the capture cut off what was behind them; `put_together`: they are the message's own. */
void ddp_upper_send(struct ddp_work *work, struct message *message, const struct rtap_span *bytes, bool put_together);

/* A READ is whole. */
void ddp_upper_read(struct ddp_work *work, struct message *message);

/* A Terminate: what it quotes was refused. RFC 5040, 4.8. */
void ddp_upper_refuse(struct ddp_work *work);

#endif
