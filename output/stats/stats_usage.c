/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/stats/stats_count.h"
#include "output/stats/stats_usage.h"

void stats_usage_drop(struct stats *stats, struct stats_connection *connection)
{
	connection->has_layer = true;
	if (!connection->usage)
		return;
	stats->usage_memory -= sizeof *connection->usage;
	stats_free(stats, connection->usage, sizeof *connection->usage);
	connection->usage = NULL;
}

/* NULL: out of memory; then the connection never gets a usage, because counts that begin late would be wrong. */
static struct usage *usage_of(struct stats *stats, struct stats_connection *connection)
{
	if (connection->usage)
		return connection->usage;
	if (stats->usage_memory < stats->options.max_memory / 8)
		connection->usage = stats_allocate(stats, sizeof *connection->usage);
	if (connection->usage) {
		stats->usage_memory += sizeof *connection->usage;
	} else {
		connection->has_layer = true;
		stats->unpatterned++;
	}
	return connection->usage;
}

void stats_usage_message(struct stats *stats, struct stats_connection *connection, const struct rtap_message *message)
{
	struct usage *usage;

	if (connection->has_layer || connection == &stats->others)
		return;
	usage = usage_of(stats, connection);
	if (usage)
		usage_message(usage, message);
}

void stats_usage_merge(struct stats *stats, struct stats_connection *into, struct stats_connection *from, bool turned)
{
	if (into->has_layer || from->has_layer) {
		stats_usage_drop(stats, into);
	} else if (into->usage && from->usage) {
		usage_merge(into->usage, from->usage, turned);
	} else if (from->usage) {
		into->usage = from->usage;
		from->usage = NULL;
		if (turned)
			usage_turn(into->usage);
	}
}
