/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting of packets.
 */
#ifndef OUTPUT_STATS_STATS_PACKET_H
#define OUTPUT_STATS_STATS_PACKET_H

#include "output/stats/stats.h"

void stats_sight(struct stats_sight *sight, const struct rtap_packet *packet);
void stats_add_sight(struct stats *stats, const struct stats_sight *sight);

/* Counts a packet of rtap_tracker_frame(): both of the above. */
void stats_packet(struct stats *stats, const struct rtap_packet *packet);

/* The tracker's callback. */
void stats_resolve(struct stats *stats, uint64_t frame, const struct rtap_flow_facts *flow);

#endif
