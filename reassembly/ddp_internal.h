/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between ddp_message.c and ddp_upper.c.
 */
#ifndef REASSEMBLY_DDP_INTERNAL_H
#define REASSEMBLY_DDP_INTERNAL_H

#include "reassembly/ddp_message.h"

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

/* A Send is whole, with these bytes, or the capture cut off what was behind them; `put_together`: they are the message's own. */
void ddp_hear_send(struct ddp_work *work, struct message *message, const struct rtap_span *bytes, bool put_together);

/* A READ is whole. */
void ddp_hear_read(struct ddp_work *work, struct message *message);

/* A Terminate: what it quotes was refused. RFC 5040, 4.8. */
void ddp_refuse(struct ddp_work *work);

#endif
