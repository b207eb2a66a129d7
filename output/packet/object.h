/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writing of JSON objects, member by member. A comma is inserted before every member but the first.
 */
#ifndef OUTPUT_PACKET_OBJECT_H
#define OUTPUT_PACKET_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/line.h"

/* Appends the member's name with the preceding comma, if any. */
void object_key(struct line *line, const char *key);
void object_number(struct line *line, const char *key, uint64_t number);
void object_bool(struct line *line, const char *key, bool value);
/* `text` is trusted and is not escaped. */
void object_text(struct line *line, const char *key, const char *text);
/* "0x..." with `digits` digits. */
void object_hex(struct line *line, const char *key, uint64_t number, unsigned digits);
/*
 * object_time: nanoseconds since 1970 as a string of seconds with nine decimals, and as an integer with the key KEY_ns;
 * object_seconds: a duration as a number.
 */
void object_time(struct line *line, const char *key, int64_t nanoseconds);
void object_seconds(struct line *line, const char *key, int64_t nanoseconds);

#endif
