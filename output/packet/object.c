/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/object.h"

void object_key(struct line *line, const char *key)
{
	char before = line->next[-1];

	if (before != '{' && before != '[')
		line_char(line, ',');
	line_char(line, '"');
	line_text(line, key);
	line_bytes(line, "\":", 2);
}

void object_number(struct line *line, const char *key, uint64_t number)
{
	object_key(line, key);
	line_dec(line, number);
}

void object_bool(struct line *line, const char *key, bool value)
{
	object_key(line, key);
	line_text(line, value ? "true" : "false");
}

void object_text(struct line *line, const char *key, const char *text)
{
	object_key(line, key);
	line_char(line, '"');
	line_text(line, text);
	line_char(line, '"');
}

void object_hex(struct line *line, const char *key, uint64_t number, unsigned digits)
{
	object_key(line, key);
	line_char(line, '"');
	line_hex(line, number, digits);
	line_char(line, '"');
}

void object_seconds(struct line *line, const char *key, int64_t nanoseconds)
{
	object_key(line, key);
	line_seconds(line, nanoseconds);
}

void object_time(struct line *line, const char *key, int64_t nanoseconds)
{
	object_key(line, key);
	line_char(line, '"');
	line_seconds(line, nanoseconds);
	line_bytes(line, "\",\"", 3);
	line_text(line, key);
	line_text(line, "_ns\":");
	if (nanoseconds < 0)
		line_char(line, '-');
	line_dec(line, nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds);
}
