/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The use (usage.h) of connections without a known layer. Its memory is at most an eighth of that of statistics: further connections have none.
 */
#ifndef OUTPUT_STATS_STATS_USAGE_H
#define OUTPUT_STATS_STATS_USAGE_H

#include "output/stats/stats.h"
#include "output/stats/usage.h"

/* Counts a message of the connection. */
void stats_usage_message(struct stats *stats, struct stats_connection *connection, const struct rtap_message *message);

/* The connection carries RPC or operations of an upper layer, or ends: frees its usage. */
void stats_usage_drop(struct stats *stats, struct stats_connection *connection);

/* Adds the usage of the other half of a connection. */
void stats_usage_merge(struct stats *stats, struct stats_connection *into, struct stats_connection *from, bool turned);

#endif
