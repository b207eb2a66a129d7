/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/histogram.h"

#define PARTS (UINT64_C(1) << HISTOGRAM_PART_BITS)

static unsigned bucket_of(uint64_t value)
{
	unsigned shift;

	if (value < PARTS)
		return (unsigned)value;
	if (value >> HISTOGRAM_VALUE_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63 - HISTOGRAM_PART_BITS - (unsigned)__builtin_clzll(value);
	return (shift + 1) << HISTOGRAM_PART_BITS | (unsigned)(value >> shift & (PARTS - 1));
}

uint64_t histogram_begin(unsigned bucket)
{
	return bucket < PARTS ? bucket : (PARTS | (bucket & (PARTS - 1))) << ((bucket >> HISTOGRAM_PART_BITS) - 1);
}

/* The middle of its values. */
static uint64_t value_of(unsigned bucket)
{
	unsigned shift = (bucket >> HISTOGRAM_PART_BITS) - 1;

	if (bucket < PARTS)
		return bucket;
	return ((PARTS | (bucket & (PARTS - 1))) << shift) + ((UINT64_C(1) << shift) - 1) / 2;
}

static void bucket_add(uint32_t *bucket, uint32_t count)
{
	*bucket = *bucket > UINT32_MAX - count ? UINT32_MAX : *bucket + count;
}

/* Begins the group: its place, from 1; 0: memory is out. */
static uint8_t add_group(struct histogram *histogram, unsigned group)
{
	if (histogram->group_count == histogram->group_room) {
		unsigned room = histogram->group_room ? histogram->group_room * 2u : 4;
		struct histogram_group *larger;

		room = room < HISTOGRAM_GROUPS ? room : HISTOGRAM_GROUPS;
		larger = realloc(histogram->groups, room * sizeof *larger);
		if (!larger)
			return 0;
		histogram->groups = larger;
		histogram->group_room = (uint8_t)room;
	}
	histogram->groups[histogram->group_count] = (struct histogram_group){ { 0 } };
	return histogram->places[group] = ++histogram->group_count;
}

/* NULL: memory is out. */
static struct histogram_group *group_of(struct histogram *histogram, unsigned group)
{
	uint8_t place = histogram->places[group] ? histogram->places[group] : add_group(histogram, group);

	return place ? &histogram->groups[place - 1] : NULL;
}

static void add_to_sum(struct histogram *histogram, uint64_t sum)
{
	histogram->sum = histogram->sum > UINT64_MAX - sum ? UINT64_MAX : histogram->sum + sum;
}

bool histogram_add(struct histogram *histogram, uint64_t value)
{
	unsigned bucket = bucket_of(value);
	struct histogram_group *group = group_of(histogram, bucket >> HISTOGRAM_PART_BITS);

	if (!histogram->count || value < histogram->least)
		histogram->least = value;
	if (value > histogram->largest)
		histogram->largest = value;
	histogram->count++;
	add_to_sum(histogram, value);
	histogram->unplaced += !group;
	if (group)
		bucket_add(&group->counts[bucket & (PARTS - 1)], 1);
	return group;
}

uint64_t histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	uint64_t unplaced = 0;

	if (!other->count)
		return 0;
	if (!histogram->count || other->least < histogram->least)
		histogram->least = other->least;
	if (other->largest > histogram->largest)
		histogram->largest = other->largest;
	histogram->count += other->count;
	add_to_sum(histogram, other->sum);
	for (unsigned i = 0; i < HISTOGRAM_GROUPS; i++) {
		const struct histogram_group *from = other->places[i] ? &other->groups[other->places[i] - 1] : NULL;
		struct histogram_group *group = from ? group_of(histogram, i) : NULL;

		for (unsigned part = 0; from && part < PARTS; part++) {
			if (group)
				bucket_add(&group->counts[part], from->counts[part]);
			else
				unplaced += from->counts[part];
		}
	}
	histogram->unplaced += unplaced + other->unplaced;
	return unplaced;
}

uint32_t histogram_bucket(const struct histogram *histogram, unsigned bucket)
{
	uint8_t place = histogram->places[bucket >> HISTOGRAM_PART_BITS];

	return place ? histogram->groups[place - 1].counts[bucket & (PARTS - 1)] : 0;
}

void histogram_fini(struct histogram *histogram)
{
	free(histogram->groups);
	*histogram = (struct histogram){ .groups = NULL };
}

uint64_t histogram_above(const struct histogram *histogram, uint64_t value)
{
	uint64_t count = 0;

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
		count += value_of(bucket) >= value ? histogram_bucket(histogram, bucket) : 0;
	return count || histogram->largest < value ? count : 1;
}

/* Looks on from `bucket`, below which are `below` values, for the bucket that holds the value of this rank. */
static unsigned find_rank(const struct histogram *histogram, uint64_t rank, unsigned bucket, uint64_t *below)
{
	while (bucket < HISTOGRAM_BUCKETS - 1) {
		uint8_t place = histogram->places[bucket >> HISTOGRAM_PART_BITS];
		uint32_t count = place ? histogram->groups[place - 1].counts[bucket & (PARTS - 1)] : 0;

		if (place && *below + count >= rank)
			break;
		*below += count;
		/* of a group that is empty, all are passed */
		bucket = place ? bucket + 1 : (bucket | (PARTS - 1)) + 1;
	}
	return bucket;
}

void histogram_percentiles(const struct histogram *histogram, const unsigned *permilles, unsigned count, uint64_t *values)
{
	uint64_t placed = histogram->count - histogram->unplaced, below = 0;
	unsigned bucket = bucket_of(histogram->least);

	for (unsigned i = 0; i < count; i++) {
		uint64_t rank = placed / 1000 * permilles[i] + (placed % 1000 * permilles[i] + 999) / 1000, value;

		bucket = find_rank(histogram, rank, bucket, &below);
		/* the last bucket holds what no other does */
		value = bucket < HISTOGRAM_BUCKETS - 1 ? value_of(bucket) : histogram->largest;
		value = value < histogram->least ? histogram->least : value;
		values[i] = value > histogram->largest ? histogram->largest : value;
	}
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned permille)
{
	uint64_t value;

	histogram_percentiles(histogram, &permille, 1, &value);
	return value;
}
