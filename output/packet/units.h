/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Durations, sizes, rates and shares for people: three digits and a unit.
 */
#ifndef OUTPUT_PACKET_UNITS_H
#define OUTPUT_PACKET_UNITS_H

#include "dissect/engine/line.h"

/* "3.42 s", "54.0 ms", "0 s", "86400 s". Not negative. */
void units_time(int64_t time_ns, struct line *line);

/* "512 B", "65.5 KB": powers of 1000. */
void units_bytes(uint64_t bytes, struct line *line);

/* The same, written at `to`: at most UNITS_MOST bytes are overwritten. Returns the end of the text. */
#define UNITS_MOST 32
char *units_put_time(char *to, int64_t time_ns);
char *units_put_bytes(char *to, uint64_t bytes);

/* "48.9 Mb/s": bits per second. */
void units_bit_rate(uint64_t bytes_per_second, struct line *line);

/* "5.5 %", "100.0 %"; below one percent "0.05 %". */
void units_percent(uint64_t part, uint64_t whole, struct line *line);

#endif
