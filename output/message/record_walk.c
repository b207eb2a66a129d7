/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdint.h>
#include <string.h>

#include "dissect/engine/line.h"
#include "output/message/record_walk.h"

static void append(struct record_walk *walk, const char *text, size_t length)
{
	if (walk->length + length > RECORD_NAME_MOST)
		length = RECORD_NAME_MOST - walk->length;
	memcpy(walk->name + walk->length, text, length);
	walk->length += length;
	walk->name[walk->length] = 0;
}

static void cut(struct record_walk *walk, size_t length)
{
	walk->length = length;
	walk->name[length] = 0;
}

/* After the closing quote. */
static const char *string_end(const char *begin)
{
	const char *next = begin + 1;

	for (; *next != '"'; next++)
		if (*next == '\\')
			next++;
	return next + 1;
}

static void value(struct record_walk *walk);

static void members(struct record_walk *walk)
{
	size_t before = walk->length;

	while (*walk->next++ != '}') {
		const char *key = walk->next, *end;

		if (*key == '}')
			continue;
		end = string_end(key);
		if (before)
			append(walk, ".", 1);
		append(walk, key + 1, (size_t)(end - key) - 2);
		walk->next = end + 1;
		value(walk);
		cut(walk, before);
	}
}

static void elements(struct record_walk *walk)
{
	size_t before = walk->length;

	for (uint64_t index = 0; *walk->next++ != ']'; index++) {
		char number[24], *end;

		if (*walk->next == ']')
			continue;
		number[0] = '[';
		end = line_put_dec(number + 1, index);
		*end++ = ']';
		append(walk, number, (size_t)(end - number));
		value(walk);
		cut(walk, before);
	}
}

/* Passes over a value. The nesting is that of the program's own records. */
static void value(struct record_walk *walk)
{
	const char *begin = walk->next;

	switch (*begin) {
	case '{': members(walk); break;
	case '[': elements(walk); break;
	case '"': walk->next = string_end(begin); break;
	default: walk->next += strcspn(begin, ",]}"); break;
	}
	if (walk->length)
		walk->value(walk, walk->name, begin, (size_t)(walk->next - begin));
}

void record_walk(struct record_walk *walk, const char *text)
{
	walk->next = text;
	cut(walk, 0);
	value(walk);
}

bool record_is_named(const char *key, const char *name)
{
	while (*key) {
		if (*key != *name)
			return false;
		if (*name++ == '[' && *name != ']') {
			size_t digits = strspn(name, "0123456789");

			if (!digits)
				return false;
			name += digits;
		}
		key++;
	}
	return !*name;
}
