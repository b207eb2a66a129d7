/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "output/join/join_unmatched.h"

#define LEAST_PLACES 1024
#define MOST_PLACES 65536
/* Places in which one can be. */
#define WAYS 4
/* Numbers kept: more packets than that are still counted. */
#define MOST_NUMBERS 65536

uint32_t join_unmatched_room(uint64_t max_memory)
{
	uint32_t room = LEAST_PLACES;

	while (room < MOST_PLACES && 2 * room * sizeof(struct join_unmatched) <= max_memory)
		room *= 2;
	return room;
}

/* The first of its places. Not by `hash`, which differs for each run: the choice of what is replaced would be random. */
static struct join_unmatched *places_of(const struct join_unmatcheds *unmatcheds, const struct transmission *transmission)
{
	return &unmatcheds->places[transmission->fixed_hash & (unmatcheds->room - WAYS)];
}

static bool is_other_half(const struct join_unmatched *found, const struct transmission *transmission)
{
	return found->path == transmission->path && found->hash == transmission->hash && !(found->seen & transmission->seen) &&
	       !(found->has_icrc && transmission->has_icrc && found->icrc != transmission->icrc);
}

struct join_unmatched *join_unmatched_find(const struct join_unmatcheds *unmatcheds, const struct transmission *transmission)
{
	struct join_unmatched *places;

	if (!unmatcheds->places)
		return NULL;
	places = places_of(unmatcheds, transmission);
	for (unsigned i = 0; i < WAYS; i++)
		if (is_other_half(&places[i], transmission))
			return &places[i];
	return NULL;
}

struct join_unmatched *join_unmatched_keep(struct join_unmatcheds *unmatcheds, const struct transmission *transmission)
{
	struct join_unmatched *kept, *places;

	if (!unmatcheds->places && !(unmatcheds->places = calloc(unmatcheds->room, sizeof *kept)))
		return NULL;
	kept = places = places_of(unmatcheds, transmission);
	for (unsigned i = 1; i < WAYS && kept->path; i++)
		if (!places[i].path || places[i].number < kept->number)
			kept = &places[i];
	*kept = (struct join_unmatched){
		.path = transmission->path, .hash = transmission->hash, .number = transmission->number, .icrc = transmission->icrc,
		.has_icrc = transmission->has_icrc, .seen = transmission->seen,
	};
	return kept;
}

void join_unmatched_remove(struct join_unmatcheds *unmatcheds, struct join_unmatched *unmatched)
{
	uint64_t *larger = NULL;

	if (unmatcheds->count < MOST_NUMBERS)
		larger = array_grow(unmatcheds->numbers, &unmatcheds->number_room, unmatcheds->count + 1, sizeof *larger);
	if (larger) {
		unmatcheds->numbers = larger;
		unmatcheds->numbers[unmatcheds->count++] = unmatched->number;
	}
	unmatched->path = NULL;
}

static int compare(const void *left, const void *right)
{
	const uint64_t *one = left, *other = right;

	return *one != *other ? *one < *other ? -1 : 1 : 0;
}

void join_unmatched_sort(struct join_unmatcheds *unmatcheds)
{
	if (unmatcheds->count)
		qsort(unmatcheds->numbers, unmatcheds->count, sizeof *unmatcheds->numbers, compare);
}

bool join_unmatched_contains(const struct join_unmatcheds *unmatcheds, uint64_t number)
{
	return unmatcheds->count && bsearch(&number, unmatcheds->numbers, unmatcheds->count, sizeof number, compare);
}

void join_unmatched_fini(struct join_unmatcheds *unmatcheds)
{
	free(unmatcheds->places);
	free(unmatcheds->numbers);
}
