/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DISSECT_FILTER_FILTER_TIME_H
#define DISSECT_FILTER_FILTER_TIME_H

#include "dissect/filter/filter_lex.h"

/*
 * Reads a time, with or without quotes: "2026-11-20", "2026-11-20 15:07:38.5", "2026-11-20T15:07Z", "Nov 20, 2026 15:07:38", as
 * nanoseconds since 1970. It is local time unless "Z" or "UTC" follows. False: it is none, or beyond 64 bits.
 */
bool filter_time_read(const struct filter_token *token, uint64_t *number, bool *negative);

#endif
