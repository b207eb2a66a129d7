/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting of RPC messages.
 */
#ifndef OUTPUT_STATS_STATS_RPC_H
#define OUTPUT_STATS_STATS_RPC_H

#include "output/stats/stats.h"

/* Counts an RPC message, for stats_message(). `caller` sent the call; NULL: unknown. in_order: all its calls are of one connection. */
void stats_rpc_message(struct stats *stats, const struct rtap_message *message, struct stats_direction *caller, bool in_order);

#endif
