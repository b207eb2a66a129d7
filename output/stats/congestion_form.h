/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion statistics as text and as JSON (doc/json.md): parts of the records of statistics.
 */
#ifndef OUTPUT_STATS_CONGESTION_FORM_H
#define OUTPUT_STATS_CONGESTION_FORM_H

#include "dissect/engine/line.h"
#include "output/stats/stats.h"

/* Lines of a direction. */
void congestion_text(const struct stats_direction *direction, struct line *line);
void congestion_json(const struct stats_direction *direction, struct line *line);

/* PAUSE and PFC of the whole capture, by port and priority. */
void congestion_ports_text(const struct stats *stats, struct line *line);
void congestion_ports_json(const struct stats *stats, struct line *line);

#endif
