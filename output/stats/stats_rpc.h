/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is counted of RPC messages.
 */
#ifndef OUTPUT_STATS_STATS_RPC_H
#define OUTPUT_STATS_STATS_RPC_H

#include "output/stats/stats.h"

/* RPC messages; called by stats_message(). `caller` sent the call; NULL: not known. in_order: all that it sent is of one connection. */
void stats_rpc_message(struct stats *stats, const struct rtap_message *message, struct stats_direction *caller, bool in_order);

#endif
