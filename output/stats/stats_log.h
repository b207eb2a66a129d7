/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A log of events to count, in order, so that a thread other than the owner of the state can count them.
 */
#ifndef OUTPUT_STATS_STATS_LOG_H
#define OUTPUT_STATS_STATS_LOG_H

#include <stddef.h>

#include "output/stats/stats.h"

/* Enough for some hundred packets with their messages. */
#define STATS_LOG_ROOM ((32u << 10) - 64)

struct stats_log {
	size_t used;
	_Alignas(8) uint8_t bytes[STATS_LOG_ROOM];
};

/* Initialises or empties a log. */
static inline void stats_log_clear(struct stats_log *log)
{
	log->used = 0;
}

/* Each logs the arguments of the function without "log" in its name. False: no room; nothing is logged. */
bool stats_log_packet(struct stats_log *log, const struct rtap_packet *packet);
bool stats_log_message(struct stats_log *log, const struct rtap_message *message);
bool stats_log_connection(struct stats_log *log, const struct rtap_connection *connection);
bool stats_log_pause(struct stats_log *log, const struct congestion_pause *pause);
bool stats_log_merge(struct stats_log *log, uint64_t from, uint64_t into, bool turned);
bool stats_log_resolve(struct stats_log *log, uint64_t frame, const struct rtap_flow_facts *flow);

/* Counts all logged events. */
void stats_log_count(const struct stats_log *log, struct stats *stats);

#endif
