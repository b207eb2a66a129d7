/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time that iWARP messages lose to TCP recoveries. A retransmitted segment, and the time lost to the recovery that it
 * begins, count for the message with its first byte; the time of a closed window, for the message that was not sent
 * completely. Messages to be reported wait until TCP acknowledges their last byte, because the time lost is known only then.
 */
#ifndef REASSEMBLY_IWARP_DDP_RECOVERY_H
#define REASSEMBLY_IWARP_DDP_RECOVERY_H

#include "reassembly/state.h"

/*
 * A segment was processed whose data begin at a stream offset. The members of `flow` about TCP are valid. Call it before
 * ddp_half_acknowledged().
 */
void ddp_recovery_segment(struct rtap_tracker *tracker, struct connection *connection, uint64_t offset, const struct rtap_flow_facts *flow);

/* A message with `recovers` set is freed. */
void ddp_recovery_discard(struct message *message);

/* The connection's state of DDP is about to be freed; its messages may be freed later. */
void ddp_recovery_end(struct ddp *ddp);

#endif
