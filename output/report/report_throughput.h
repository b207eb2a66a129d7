/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The throughput of one connection over time: bytes on the wire in slices of equal duration, which doubles as needed.
 */
#ifndef OUTPUT_REPORT_REPORT_THROUGHPUT_H
#define OUTPUT_REPORT_REPORT_THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>

#define REPORT_THROUGHPUT_SLICES 240

/* Initialise with zero. */
struct report_throughput {
	int64_t begin_ns, width_ns; /* of the first slice; width_ns 0: empty */
	uint64_t bytes[2][REPORT_THROUGHPUT_SLICES]; /* sent by a; by b */
};

/* Adds bytes that an end (0: a) sent at a time. Times before the first one count for that. */
void report_throughput_add(struct report_throughput *throughput, int64_t time_ns, int side, uint64_t bytes);

/* Adds all of `other`, with its ends exchanged if `turned` is set. */
void report_throughput_merge(struct report_throughput *throughput, const struct report_throughput *other, bool turned);

#endif
