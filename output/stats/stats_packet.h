/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting of packets.
 */
#ifndef OUTPUT_STATS_STATS_PACKET_H
#define OUTPUT_STATS_STATS_PACKET_H

#include "output/stats/packet_sums.h"

/* What the packet shows; STATS_EVENT_COUNT: nothing. */
enum stats_event stats_event_of_packet(const struct stats_packet_facts *facts);

/* Of a packet with a BTH. */
enum congestion_kind stats_kind_of(const struct stats_packet_facts *facts);

/* Gathers what is counted of a packet. */
void stats_packet_facts(struct stats_packet_facts *facts, const struct rtap_packet *packet);

/* Counts a packet by its facts. */
void stats_count_packet(struct stats *stats, const struct stats_packet_facts *facts);

/* Counts packets together. */
void stats_add_sum(struct stats *stats, const struct packet_sum *sum);

/* Counts a packet of rtap_tracker_frame(): both of the above. */
void stats_packet(struct stats *stats, const struct rtap_packet *packet);

/* The tracker's callback. */
void stats_resolve(struct stats *stats, uint64_t frame, const struct rtap_flow_facts *flow);

#endif
