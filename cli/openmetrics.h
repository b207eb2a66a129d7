/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --openmetrics: metrics in a file that is replaced again and again, or by HTTP.
 */
#ifndef CLI_OPENMETRICS_H
#define CLI_OPENMETRICS_H

#include <stdbool.h>
#include <stdint.h>

struct counting;
struct openmetrics;

/* Binds the address (default: loopback) or prepares the file. NULL: failed; an error was printed. */
struct openmetrics *openmetrics_open(const char *target, int64_t interval_ns);

/* Call often, from the counting thread: if due (`at_once`: now), writes the file, or updates the response of the HTTP server. */
void openmetrics_publish(struct openmetrics *openmetrics, struct counting *counting, bool at_once);

/* As `merged` of struct counting. */
void openmetrics_merge(struct openmetrics *openmetrics, uint64_t from, uint64_t into, bool turned);

/* NULL is ignored. */
void openmetrics_close(struct openmetrics *openmetrics);

#endif
