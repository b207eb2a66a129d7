/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is to be counted, noted in the order in which it is told, so that another thread than the one that has the state can count it.
 */
#ifndef OUTPUT_STATS_STATS_LOG_H
#define OUTPUT_STATS_STATS_LOG_H

#include <stddef.h>

#include "output/stats/stats.h"

/* Some hundred packets with their messages. */
#define STATS_LOG_ROOM ((32u << 10) - 64)

struct stats_log {
	size_t used;
	_Alignas(8) uint8_t bytes[STATS_LOG_ROOM];
};

/* Empties it, or begins one that is not initialised. */
static inline void stats_log_clear(struct stats_log *log)
{
	log->used = 0;
}

/* Note what the functions without "log" count. False: there is no room for it, nothing is noted. */
bool stats_log_packet(struct stats_log *log, const struct rtap_packet *packet);
bool stats_log_message(struct stats_log *log, const struct rtap_message *message);
bool stats_log_connection(struct stats_log *log, const struct rtap_connection *connection);
bool stats_log_pause(struct stats_log *log, const struct congestion_pause *pause);
bool stats_log_merge(struct stats_log *log, uint64_t from, uint64_t into, bool turned);
bool stats_log_resolve(struct stats_log *log, uint64_t frame, const struct rtap_flow_facts *flow);

/* Counts all that is noted. */
void stats_log_count(const struct stats_log *log, struct stats *stats);

#endif
