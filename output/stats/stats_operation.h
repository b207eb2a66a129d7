/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts operations of upper layers: stats_work.h.
 */
#ifndef OUTPUT_STATS_STATS_OPERATION_H
#define OUTPUT_STATS_STATS_OPERATION_H

#include <rdmatap/operation.h>

#include "output/stats/stats_work.h"

/* The tracker's callback. RPCs are counted by stats_rpc.h. */
void stats_operation(struct stats *stats, const struct rtap_operation *operation);

/* Notes only the layer that the connection carries. Not for RPCs. */
void stats_operation_layer(struct stats *stats, const struct rtap_operation *operation);

#endif
