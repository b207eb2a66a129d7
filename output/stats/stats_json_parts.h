/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of the statistics as JSON.
 */
#ifndef OUTPUT_STATS_STATS_JSON_PARTS_H
#define OUTPUT_STATS_STATS_JSON_PARTS_H

#include "dissect/engine/line.h"
#include "output/stats/histogram.h"
#include "output/stats/stats.h"

/* A record and its type; its end, with the newline. */
void stats_json_begin(const char *type, struct line *line);
void stats_json_end(struct line *line);

/* Begins an object in an array, and an object with a key. */
void stats_json_element(struct line *line, bool is_first);
void stats_json_object(struct line *line, const char *key);

/* Nothing without values, or if `histogram` is NULL. */
void stats_json_distribution(const char *key, const struct histogram *histogram, bool is_time, struct line *line);

/* count, first_frame, last_frame; an object with them, if there are any. */
void stats_json_occurrences_members(const struct stats_occurrences *occurrences, struct line *line);
void stats_json_occurrences(const char *key, const struct stats_occurrences *counted, struct line *line);

#endif
