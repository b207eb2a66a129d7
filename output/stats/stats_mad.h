/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams by kind.
 */
#ifndef OUTPUT_STATS_STATS_MAD_H
#define OUTPUT_STATS_STATS_MAD_H

#include "output/stats/stats.h"

/* Counts a management datagram, for stats_message(). */
void stats_mad_message(struct stats *stats, const struct rtap_message *message);

void stats_mad_fini(struct stats *stats);

#endif
