/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON objects written member by member. The first member of an object follows its brace, the others a comma.
 */
#ifndef OUTPUT_PACKET_OBJECT_H
#define OUTPUT_PACKET_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/line.h"

/* The member's name and what stands before it. */
void object_key(struct line *line, const char *key);
void object_number(struct line *line, const char *key, uint64_t number);
void object_bool(struct line *line, const char *key, bool value);
/* `text` is ours: it holds nothing that JSON would want escaped. */
void object_text(struct line *line, const char *key, const char *text);
/* "0x..." of `digits` digits. */
void object_hex(struct line *line, const char *key, uint64_t number, unsigned digits);
/* Nanoseconds since 1970 as a string with nine decimals; object_seconds: a span of time as a number. */
void object_time(struct line *line, const char *key, int64_t nanoseconds);
void object_seconds(struct line *line, const char *key, int64_t nanoseconds);

#endif
