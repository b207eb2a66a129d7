/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/stats/histogram.h"

#define PARTS (UINT64_C(1) << HISTOGRAM_PART_BITS)
/* Initial room for values, for groups. */
#define FIRST_VALUES 4
#define FIRST_GROUPS 2

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

static void bucket_add(uint32_t *bucket, uint64_t count)
{
	*bucket = count > UINT32_MAX - *bucket ? UINT32_MAX : (uint32_t)(*bucket + count);
}

static uint64_t size_of_values(uint32_t room)
{
	return sizeof(struct histogram_values) + room * sizeof(uint64_t);
}

static uint64_t size_of_buckets(uint32_t room)
{
	return sizeof(struct histogram_buckets) + room * sizeof(struct histogram_group);
}

/* Whether the limit allows `more` bytes. */
static bool allows(const struct histogram_memory *memory, uint64_t more)
{
	return !memory || (memory->used <= memory->most && more <= memory->most - memory->used);
}

/* NULL: out of memory, or over the limit. */
static struct histogram_buckets *make_group_room(struct histogram *histogram, struct histogram_memory *memory)
{
	struct histogram_buckets *larger;
	uint32_t before = histogram->buckets ? histogram->buckets->room : 0, room = before ? before * 2 : FIRST_GROUPS;
	uint64_t more;

	room = room < HISTOGRAM_GROUPS ? room : HISTOGRAM_GROUPS;
	more = size_of_buckets(room) - (before ? size_of_buckets(before) : 0);
	if (!allows(memory, more))
		return NULL;
	larger = realloc(histogram->buckets, size_of_buckets(room));
	if (!larger)
		return NULL;
	if (memory)
		memory->used += more;
	if (!before)
		*larger = (struct histogram_buckets){ .count = 0 };
	larger->room = (uint8_t)room;
	return histogram->buckets = larger;
}

/* NULL: out of memory. */
static struct histogram_group *group_of(struct histogram *histogram, unsigned group, struct histogram_memory *memory)
{
	struct histogram_buckets *buckets = histogram->buckets;

	if (buckets && buckets->places[group])
		return &buckets->groups[buckets->places[group] - 1];
	if (!buckets || buckets->count == buckets->room)
		buckets = make_group_room(histogram, memory);
	if (!buckets)
		return NULL;
	buckets->groups[buckets->count] = (struct histogram_group){ { 0 } };
	buckets->places[group] = ++buckets->count;
	return &buckets->groups[buckets->count - 1];
}

static void add_to_sum(struct histogram *histogram, uint64_t sum)
{
	histogram->sum = histogram->sum > UINT64_MAX - sum ? UINT64_MAX : histogram->sum + sum;
}

/* Adds `count` values to a bucket. */
static void place(struct histogram *histogram, unsigned bucket, uint64_t count, struct histogram_memory *memory)
{
	struct histogram_group *group = group_of(histogram, bucket >> HISTOGRAM_PART_BITS, memory);

	if (group) {
		bucket_add(&group->counts[bucket & (PARTS - 1)], count);
		return;
	}
	histogram->unplaced += count;
	if (memory)
		memory->unplaced += count;
}

static void free_values(struct histogram_values *values, struct histogram_memory *memory)
{
	if (memory && values) {
		memory->used -= size_of_values(values->room);
		memory->used_by_values -= size_of_values(values->room);
	}
	free(values);
}

/* Switches from stored values to buckets. */
static void spill(struct histogram *histogram, struct histogram_memory *memory)
{
	struct histogram_values *values = histogram->values;
	uint64_t size = values ? size_of_values(values->room) : 0;

	histogram->values = NULL;
	/* the counters take the place of the values */
	if (memory)
		memory->used -= size;
	for (uint64_t i = 0; values && i < histogram->count; i++)
		place(histogram, bucket_of(values->list[i]), 1, memory);
	if (memory)
		memory->used += size;
	free_values(values, memory);
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
	if (!allows(memory, more) || (memory && more > memory->most_by_values - memory->used_by_values))
		return false;
	larger = realloc(histogram->values, size_of_values(room));
	if (memory)
		memory->refused += !larger;
	if (!larger)
		return false;
	if (memory) {
		memory->used += more;
		memory->used_by_values += more;
	}
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

/* Whether all values are equal, and so are not stored. */
static bool is_uniform(const struct histogram *histogram)
{
	return histogram->count && !histogram->values && !histogram->buckets && !histogram->unplaced;
}

/* Stores equal values, because `more` others follow. */
static void store_uniform(struct histogram *histogram, uint64_t more, struct histogram_memory *memory)
{
	uint64_t count = histogram->count;

	if (more > HISTOGRAM_VALUES || count > HISTOGRAM_VALUES || !make_room(histogram, count + more, memory)) {
		place(histogram, bucket_of(histogram->least), count, memory);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		histogram->values->list[i] = histogram->least;
}

/* Slow path: adds equal values that are among the first, or have no room among the stored ones. */
static __attribute__((noinline)) void add_beyond(struct histogram *histogram, uint64_t value, uint64_t count, struct histogram_memory *memory)
{
	if (!histogram->count || (is_uniform(histogram) && value == histogram->least))
		return;
	if (is_uniform(histogram))
		store_uniform(histogram, count, memory);
	if (!keeps(histogram, count, memory)) {
		place(histogram, bucket_of(value), count, memory);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		histogram->values->list[histogram->count + i] = value;
}

void histogram_add(struct histogram *histogram, uint64_t value, struct histogram_memory *memory)
{
	struct histogram_values *values = histogram->values;

	if (values && histogram->count < values->room) {
		values->list[histogram->count] = value;
		values->sorted = false;
	} else {
		add_beyond(histogram, value, 1, memory);
	}
	if (!histogram->count || value < histogram->least)
		histogram->least = value;
	if (value > histogram->largest)
		histogram->largest = value;
	histogram->count++;
	add_to_sum(histogram, value);
}

/* Adds the values of another histogram, stored or in buckets. */
static void merge_values(struct histogram *histogram, const struct histogram *other, struct histogram_memory *memory)
{
	if (is_uniform(other)) {
		add_beyond(histogram, other->least, other->count, memory);
		return;
	}
	if (is_uniform(histogram))
		store_uniform(histogram, other->count, memory);
	if (other->values && keeps(histogram, other->count, memory)) {
		memcpy(histogram->values->list + histogram->count, other->values->list, other->count * sizeof other->values->list[0]);
		return;
	}
	spill(histogram, memory);
	for (uint64_t i = 0; other->values && i < other->count; i++)
		place(histogram, bucket_of(other->values->list[i]), 1, memory);
	for (unsigned bucket = 0; !other->values && bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint64_t count = histogram_bucket(other, bucket);

		if (count)
			place(histogram, bucket, count, memory);
	}
}

void histogram_merge(struct histogram *histogram, const struct histogram *other, struct histogram_memory *memory)
{
	if (!other->count)
		return;
	merge_values(histogram, other, memory);
	if (!histogram->count || other->least < histogram->least)
		histogram->least = other->least;
	if (other->largest > histogram->largest)
		histogram->largest = other->largest;
	histogram->count += other->count;
	add_to_sum(histogram, other->sum);
	histogram->unplaced += other->unplaced;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* For fewer values than these, the passes of a radix sort cost more than qsort(). */
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
	const struct histogram_buckets *buckets = histogram->buckets;
	uint8_t at = buckets ? buckets->places[bucket >> HISTOGRAM_PART_BITS] : 0;

	if (is_uniform(histogram))
		return bucket == bucket_of(histogram->least) ? histogram->count : 0;
	if (histogram->values)
		return (bucket < HISTOGRAM_BUCKETS - 1 ? count_below(histogram, histogram_begin(bucket + 1)) : histogram->count) -
		       count_below(histogram, histogram_begin(bucket));
	return at ? buckets->groups[at - 1].counts[bucket & (PARTS - 1)] : 0;
}

void histogram_fini(struct histogram *histogram, struct histogram_memory *memory)
{
	if (memory && histogram->buckets)
		memory->used -= size_of_buckets(histogram->buckets->room);
	free_values(histogram->values, memory);
	free(histogram->buckets);
	*histogram = (struct histogram){ .count = 0 };
}

uint64_t histogram_above(const struct histogram *histogram, uint64_t value)
{
	uint64_t count = 0;

	if (is_uniform(histogram))
		return histogram->least >= value ? histogram->count : 0;
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
	const struct histogram_buckets *buckets = histogram->buckets;

	while (bucket < HISTOGRAM_BUCKETS - 1) {
		uint8_t place = buckets ? buckets->places[bucket >> HISTOGRAM_PART_BITS] : 0;
		uint32_t count = place ? buckets->groups[place - 1].counts[bucket & (PARTS - 1)] : 0;

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
