/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUTPUT_STATS_STATS_WAITS_JSON_H
#define OUTPUT_STATS_STATS_WAITS_JSON_H

#include "output/stats/stats_form.h"
#include "output/stats/stats_jobs.h"

/* Of struct stats_form; record->what is a struct stats_job or struct stats_job_host of record->jobs. */
void stats_job_json(const void *record, struct line *line);
void stats_host_json(const void *record, struct line *line);

/* The member "waits" of a connection's requests. */
void stats_waits_json(const struct stats_waits *waits, struct line *line);

/* A member with the host's address. */
void stats_waits_host(const char *key, const uint8_t address[16], uint8_t address_length, struct line *line);

#endif
