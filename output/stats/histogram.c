/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/stats/histogram.h"

#define PARTS (UINT64_C(1) << HISTOGRAM_PART_BITS)
/* Initial room for values. */
#define FIRST_VALUES 8

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

/* The middle of a bucket. */
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

/* Adds a group. Returns its index from 1; 0: out of memory. */
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

/* NULL: out of memory. */
static struct histogram_group *group_of(struct histogram *histogram, unsigned group)
{
	uint8_t place = histogram->places[group] ? histogram->places[group] : add_group(histogram, group);

	return place ? &histogram->groups[place - 1] : NULL;
}

static void add_to_sum(struct histogram *histogram, uint64_t sum)
{
	histogram->sum = histogram->sum > UINT64_MAX - sum ? UINT64_MAX : histogram->sum + sum;
}

/* Adds `count` values to a bucket. */
static bool place(struct histogram *histogram, unsigned bucket, uint32_t count)
{
	struct histogram_group *group = group_of(histogram, bucket >> HISTOGRAM_PART_BITS);

	if (group)
		bucket_add(&group->counts[bucket & (PARTS - 1)], count);
	else
		histogram->unplaced += count;
	return group;
}

static uint64_t size_of_values(uint32_t room)
{
	return sizeof(struct histogram_values) + room * sizeof(uint64_t);
}

static void forget_values(struct histogram *histogram, struct histogram_memory *memory)
{
	if (memory && histogram->values)
		memory->used -= size_of_values(histogram->values->room);
	free(histogram->values);
	histogram->values = NULL;
}

/* Switches from stored values to buckets. */
static void spill(struct histogram *histogram, struct histogram_memory *memory)
{
	for (uint64_t i = 0; histogram->values && i < histogram->count; i++)
		place(histogram, bucket_of(histogram->values->list[i]), 1);
	forget_values(histogram, memory);
}

/* Makes room for `count` values. False: too many, or out of memory. */
static bool make_room(struct histogram *histogram, uint64_t count, struct histogram_memory *memory)
{
	uint32_t before = histogram->values ? histogram->values->room : 0, room = before ? before : FIRST_VALUES;
	uint64_t more;
	struct histogram_values *larger;

	if (count > HISTOGRAM_VALUES)
		return false;
	while (room < count)
		room *= 2;
	if (room == before)
		return true;
	more = size_of_values(room) - (before ? size_of_values(before) : 0);
	if (memory && more > memory->most - memory->used)
		return false;
	larger = realloc(histogram->values, size_of_values(room));
	if (memory)
		memory->refused += !larger;
	if (!larger)
		return false;
	if (memory)
		memory->used += more;
	larger->room = room;
	histogram->values = larger;
	return true;
}

/* Whether `count` more values can be stored; otherwise all are moved to buckets. */
static bool keeps(struct histogram *histogram, uint64_t count, struct histogram_memory *memory)
{
	if (histogram->count && !histogram->values)
		return false;
	if (make_room(histogram, histogram->count + count, memory)) {
		histogram->values->sorted = false;
		return true;
	}
	spill(histogram, memory);
	return false;
}

/* Slow path: no room among the stored values. */
static __attribute__((noinline)) bool add_beyond(struct histogram *histogram, uint64_t value, struct histogram_memory *memory)
{
	if (!keeps(histogram, 1, memory))
		return place(histogram, bucket_of(value), 1);
	histogram->values->list[histogram->count] = value;
	return true;
}

bool histogram_add(struct histogram *histogram, uint64_t value, struct histogram_memory *memory)
{
	struct histogram_values *values = histogram->values;
	bool placed = true;

	if (values && histogram->count < values->room) {
		values->list[histogram->count] = value;
		values->sorted = false;
	} else {
		placed = add_beyond(histogram, value, memory);
	}
	if (!histogram->count || value < histogram->least)
		histogram->least = value;
	if (value > histogram->largest)
		histogram->largest = value;
	histogram->count++;
	add_to_sum(histogram, value);
	return placed;
}

/* Adds the values of another histogram, stored or in buckets. */
static void merge_values(struct histogram *histogram, const struct histogram *other, struct histogram_memory *memory)
{
	if (other->values && keeps(histogram, other->count, memory)) {
		memcpy(histogram->values->list + histogram->count, other->values->list, other->count * sizeof other->values->list[0]);
		return;
	}
	spill(histogram, memory);
	for (uint64_t i = 0; other->values && i < other->count; i++)
		place(histogram, bucket_of(other->values->list[i]), 1);
	for (unsigned bucket = 0; !other->values && bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint32_t count = (uint32_t)histogram_bucket(other, bucket);

		if (count)
			place(histogram, bucket, count);
	}
}

uint64_t histogram_merge(struct histogram *histogram, const struct histogram *other, struct histogram_memory *memory)
{
	uint64_t unplaced = histogram->unplaced;

	if (!other->count)
		return 0;
	merge_values(histogram, other, memory);
	if (!histogram->count || other->least < histogram->least)
		histogram->least = other->least;
	if (other->largest > histogram->largest)
		histogram->largest = other->largest;
	histogram->count += other->count;
	add_to_sum(histogram, other->sum);
	unplaced = histogram->unplaced - unplaced;
	histogram->unplaced += other->unplaced;
	return unplaced;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Insertion sort up to this number of values. */
#define FEW 64

/* Radix sort by bytes, the lowest first. */
static void sort(uint64_t *list, uint64_t count, uint64_t largest)
{
	uint64_t other[HISTOGRAM_VALUES], *from = list, *to = other, *swapped;

	if (count < FEW) {
		qsort(list, count, sizeof list[0], compare);
		return;
	}
	for (unsigned shift = 0; shift < 64 && largest >> shift; shift += 8) {
		uint32_t ends[256] = { 0 }, at = 0;

		for (uint64_t i = 0; i < count; i++)
			ends[from[i] >> shift & 255]++;
		for (unsigned i = 0; i < 256; i++) {
			uint32_t some = ends[i];

			ends[i] = at;
			at += some;
		}
		for (uint64_t i = 0; i < count; i++)
			to[ends[from[i] >> shift & 255]++] = from[i];
		swapped = from;
		from = to;
		to = swapped;
	}
	if (from != list)
		memcpy(list, from, count * sizeof list[0]);
}

/* Steps per value after which sorting is as fast as selection. */
#define MOST_STEPS 16

/* Rank from 1; 0: no values. */
static uint64_t rank_of(uint64_t count, unsigned permille)
{
	return count / 1000 * permille + (count % 1000 * permille + 999) / 1000;
}

/* The stored values in ascending order. */
static const uint64_t *sorted(const struct histogram *histogram)
{
	struct histogram_values *values = histogram->values;

	if (!values->sorted)
		sort(values->list, histogram->count, histogram->largest);
	values->sorted = true;
	return values->list;
}

/*
 * Quickselect: moves to `rank` the value that sorting from `left` to `right` would put there, with no smaller value after it. False: too
 * many steps; the order is undefined.
 */
static bool select_rank(uint64_t *list, int64_t left, int64_t right, int64_t rank, int64_t *steps)
{
	while (left < right) {
		int64_t i = left, j = right;
		uint64_t pivot = list[rank];

		*steps -= right - left;
		if (*steps < 0)
			return false;
		while (i <= j) {
			while (list[i] < pivot)
				i++;
			while (list[j] > pivot)
				j--;
			if (i <= j) {
				uint64_t moved = list[i];

				list[i++] = list[j];
				list[j--] = moved;
			}
		}
		if (j < rank)
			left = i;
		if (rank < i)
			right = j;
	}
	return true;
}

/* Percentiles of stored values. `permilles` ascend. */
static void select_percentiles(const struct histogram *histogram, const unsigned *permilles, unsigned count, uint64_t *values)
{
	struct histogram_values *kept = histogram->values;
	int64_t left = 0, steps = (int64_t)histogram->count * MOST_STEPS;

	for (unsigned i = 0; i < count; i++) {
		uint64_t rank = rank_of(histogram->count, permilles[i]), at = rank ? rank - 1 : 0;

		if (!kept->sorted && !select_rank(kept->list, left, (int64_t)histogram->count - 1, (int64_t)at, &steps))
			sorted(histogram);
		values[i] = kept->list[at];
		left = (int64_t)at;
	}
}

/* Number of stored values less than `value`. */
static uint64_t count_below(const struct histogram *histogram, uint64_t value)
{
	const uint64_t *list = sorted(histogram);
	uint64_t low = 0, high = histogram->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t histogram_bucket(const struct histogram *histogram, unsigned bucket)
{
	uint8_t at = histogram->places[bucket >> HISTOGRAM_PART_BITS];

	if (histogram->values)
		return (bucket < HISTOGRAM_BUCKETS - 1 ? count_below(histogram, histogram_begin(bucket + 1)) : histogram->count) -
		       count_below(histogram, histogram_begin(bucket));
	return at ? histogram->groups[at - 1].counts[bucket & (PARTS - 1)] : 0;
}

void histogram_fini(struct histogram *histogram, struct histogram_memory *memory)
{
	forget_values(histogram, memory);
	free(histogram->groups);
	*histogram = (struct histogram){ .groups = NULL };
}

uint64_t histogram_above(const struct histogram *histogram, uint64_t value)
{
	uint64_t count = 0;

	if (histogram->values) {
		for (uint64_t i = 0; i < histogram->count; i++)
			count += histogram->values->list[i] >= value;
		return count;
	}
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
		count += value_of(bucket) >= value ? histogram_bucket(histogram, bucket) : 0;
	return count || histogram->largest < value ? count : 1;
}

/* Finds the bucket of this rank, starting at `bucket`, with `below` values in lower buckets. */
static unsigned find_rank(const struct histogram *histogram, uint64_t rank, unsigned bucket, uint64_t *below)
{
	while (bucket < HISTOGRAM_BUCKETS - 1) {
		uint8_t place = histogram->places[bucket >> HISTOGRAM_PART_BITS];
		uint32_t count = place ? histogram->groups[place - 1].counts[bucket & (PARTS - 1)] : 0;

		if (place && *below + count >= rank)
			break;
		*below += count;
		/* skip an empty group */
		bucket = place ? bucket + 1 : (bucket | (PARTS - 1)) + 1;
	}
	return bucket;
}

void histogram_percentiles(const struct histogram *histogram, const unsigned *permilles, unsigned count, uint64_t *values)
{
	uint64_t placed = histogram->count - histogram->unplaced, below = 0;
	unsigned bucket = bucket_of(histogram->least);

	if (histogram->least == histogram->largest) {
		for (unsigned i = 0; i < count; i++)
			values[i] = histogram->least;
		return;
	}
	if (histogram->values) {
		select_percentiles(histogram, permilles, count, values);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t rank = rank_of(placed, permilles[i]), value;

		bucket = find_rank(histogram, rank, bucket, &below);
		/* the last bucket holds the remaining values */
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
