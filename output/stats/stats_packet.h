/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is counted of a packet.
 */
#ifndef OUTPUT_STATS_STATS_PACKET_H
#define OUTPUT_STATS_STATS_PACKET_H

#include "output/stats/stats.h"

void stats_sight(struct stats_sight *sight, const struct rtap_packet *packet);
void stats_add_sight(struct stats *stats, const struct stats_sight *sight);

/* What rtap_tracker_frame() has made of a frame: both in one. */
void stats_packet(struct stats *stats, const struct rtap_packet *packet);

/* The tracker's callback. */
void stats_resolve(struct stats *stats, uint64_t frame, const struct rtap_flow_facts *flow);

#endif
