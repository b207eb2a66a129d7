/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Durations and sizes for people: three digits and a unit.
 */
#ifndef OUTPUT_PACKET_UNITS_H
#define OUTPUT_PACKET_UNITS_H

#include "dissect/engine/line.h"

/* "3.42 s", "54.0 ms". Not negative. */
void units_time(int64_t time_ns, struct line *line);

/* "512 B", "65.5 KB": powers of 1000. */
void units_bytes(uint64_t bytes, struct line *line);

#endif
