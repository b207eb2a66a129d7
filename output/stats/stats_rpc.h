/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting of RPCs.
 */
#ifndef OUTPUT_STATS_STATS_RPC_H
#define OUTPUT_STATS_STATS_RPC_H

#include <rdmatap/operation.h>

#include "output/stats/stats.h"

/* Counts the call and the reply of an operation, for stats_operation(). */
void stats_rpc_operation(struct stats *stats, const struct rtap_operation *operation);

/* Whether the row of an operation in compound procedures is part of that procedure's row. */
bool stats_rpc_is_part(const struct stats_rpc *operation, const struct stats_rpc *procedure);

#endif
