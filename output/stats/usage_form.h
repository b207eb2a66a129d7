/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUTPUT_STATS_USAGE_FORM_H
#define OUTPUT_STATS_USAGE_FORM_H

#include "output/stats/usage.h"

/* "ping-pong by send, 8 bytes", without a newline. */
void usage_pattern_text(const struct usage *usage, struct line *line);

/* Lines for the pattern, each region and each outlier, each begun with `indent`. Nothing without a pattern. */
void usage_text(const struct usage *usage, const char *indent, struct line *line);

/* An object as the value of that key. */
void usage_json(const char *key, const struct usage *usage, struct line *line);

#endif
