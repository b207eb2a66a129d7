/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics of operations as JSON.
 */
#ifndef OUTPUT_STATS_STATS_OPERATION_JSON_H
#define OUTPUT_STATS_STATS_OPERATION_JSON_H

#include "dissect/engine/line.h"
#include "output/stats/stats_work.h"

/* Records (struct stats_record) of a struct stats_work_row by name, and by object. */
void stats_operation_json(const void *record, struct line *line);
void stats_object_json(const void *record, struct line *line);

/* The member "requests" of a direction. */
void stats_requests_json(const struct stats_requests *requests, struct line *line);

#endif
