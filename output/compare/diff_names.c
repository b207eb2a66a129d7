/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/compare/canon_map.h"
#include "output/compare/diff_names.h"

static uint64_t number(const char *at, const char *end)
{
	uint64_t value = 0;
	unsigned base = 10;

	if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
		base = 16;
		at += 2;
	}
	for (; at < end; at++) {
		unsigned digit = *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10 : (unsigned)(*at - '0');

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	return value;
}

struct diff_name diff_name_next(const char **at, const char *end)
{
	const char *begin = *at, *comma = memchr(begin, ',', (size_t)(end - begin)), *stop = comma ? comma : end;
	struct diff_name part = { .has_offset = false };
	const char *sign = begin, *hash = begin;

	while (sign < stop && *sign != '+' && *sign != '-')
		sign++;
	while (hash < sign && *hash != '#')
		hash++;
	part.name = canon_mark(0, begin, (size_t)(sign - begin));
	part.base = canon_mark(0, begin, (size_t)(hash - begin));
	part.has_offset = sign < stop;
	if (part.has_offset)
		part.offset = *sign == '-' ? -number(sign + 1, stop) : number(sign + 1, stop);
	*at = comma ? comma + 1 : NULL;
	return part;
}
