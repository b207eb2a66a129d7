/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "output/check/violation.h"

void violations_add(struct violations *violations, const struct violation *violation)
{
	if (!violations->is_checked[violation->rule])
		return;
	violations->counts[violation->rule]++;
	if (violations->kept[violation->rule] == violations->most)
		return;
	if (violations->count == violations->room) {
		struct violation *larger = array_grow(violations->list, &violations->room, violations->count + 1, sizeof *larger);

		if (!larger) {
			violations->refused++;
			return;
		}
		violations->list = larger;
	}
	violations->list[violations->count++] = *violation;
	violations->kept[violation->rule]++;
}

static int by_frame(const void *one, const void *other)
{
	const struct violation *a = one, *b = other;

	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	return (a->rule > b->rule) - (a->rule < b->rule);
}

void violations_sort(struct violations *violations)
{
	if (violations->count)
		qsort(violations->list, violations->count, sizeof *violations->list, by_frame);
}

void violations_fini(struct violations *violations)
{
	free(violations->list);
	violations->list = NULL;
	violations->count = violations->room = 0;
}
