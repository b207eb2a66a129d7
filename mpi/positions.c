/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sort by samples: a few keys of each rank divide the range of keys into one part for each rank. Each rank receives all keys of its part,
 * in one sorted run from each rank, merges them and sends the positions back. Every rank sends and receives about as much as it has: 8 bytes for
 * a key and 8 for its position if that is possible (struct announcement), else 24 and 16.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/heap.h"
#include "mpi/positions.h"
#include "mpi/ranks.h"

#define SAMPLES 8 /* keys of each rank by which the range is divided */
#define LOWER_BITS 32

/* What each rank has. */
struct announcement {
	struct position_key samples[SAMPLES];
	int64_t least, most;       /* `major` of its keys */
	uint64_t can_be_short;     /* their times are `major`, and the lower half of `minor` is 0 */
};

/* Keys of one rank in the part of this one. */
struct run {
	struct position_key key;   /* the next one */
	size_t next, end;          /* indexes among the keys received */
};

/* What each rank has in its part. */
struct part {
	uint64_t count;
	int64_t first_ns, last_ns;
	uint64_t gap_count;
	struct position_gap gaps[POSITIONS_GAPS]; /* but one before the first item */
};

/* The position of a short key. */
struct short_position {
	uint32_t position;         /* in its part */
	uint32_t passed_ns;        /* since the item before it */
};

/* Short keys have `major` less the base in the upper half, and the upper half of `minor` in the lower one. */
struct sorting {
	int size;
	int64_t gap_ns;
	bool is_short;
	int64_t base;              /* least `major` of all ranks */
	MPI_Datatype key_type, position_type;
	struct announcement *announced;
	struct position_key *samples;
	uint64_t *short_keys;      /* of this rank */
	struct short_position *short_positions; /* of these */
	void *received;            /* keys: uint64_t, or struct position_key */
	void *found;               /* their positions: struct short_position, or struct position */
	struct run *runs;
	struct part *parts;
	int *counts, *begins, *received_counts, *received_begins;
};

static bool key_is_before(const struct position_key *a, const struct position_key *b)
{
	return a->major != b->major ? a->major < b->major : a->minor < b->minor;
}

static int compare_keys(const void *one, const void *other)
{
	return key_is_before(one, other) ? -1 : key_is_before(other, one);
}

static bool run_is_before(const void *one, const void *other)
{
	const struct run *a = one, *b = other;

	if (key_is_before(&a->key, &b->key) || key_is_before(&b->key, &a->key))
		return key_is_before(&a->key, &b->key);
	return a < b;
}

/* Shares samples of the keys, and whether those of all ranks can be short. */
static void announce(struct sorting *sorting, const struct position_key *keys, size_t count)
{
	struct announcement own = { .least = INT64_MAX, .most = INT64_MIN, .can_be_short = true };
	int64_t most = INT64_MIN;

	for (size_t i = 0; i < count && own.can_be_short; i++)
		own.can_be_short = keys[i].time_ns == keys[i].major && !(keys[i].minor & UINT32_MAX);
	if (count) {
		own.least = keys[0].major;
		own.most = keys[count - 1].major;
	}
	for (size_t i = 0; i < SAMPLES; i++)
		own.samples[i] = count ? keys[(2 * i + 1) * count / (2 * SAMPLES)] : (struct position_key){ .major = INT64_MAX, .minor = UINT64_MAX };
	MPI_Allgather(&own, sizeof own, MPI_BYTE, sorting->announced, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
	sorting->is_short = true;
	sorting->base = INT64_MAX;
	for (int i = 0; i < sorting->size; i++) {
		const struct announcement *announced = &sorting->announced[i];

		memcpy(sorting->samples + i * SAMPLES, announced->samples, sizeof announced->samples);
		sorting->is_short &= announced->can_be_short;
		sorting->base = announced->least < sorting->base ? announced->least : sorting->base;
		most = announced->most > most ? announced->most : most;
	}
	/* without any key, the difference is 1 */
	sorting->is_short &= (uint64_t)most - (uint64_t)sorting->base <= UINT32_MAX;
}

/* Sets how many keys go to each rank. */
static void divide(struct sorting *sorting, const struct position_key *keys, size_t count)
{
	size_t sample_count = (size_t)sorting->size * SAMPLES, at = 0, used = 0;

	qsort(sorting->samples, sample_count, sizeof *sorting->samples, compare_keys);
	/* ranks without items have no say */
	while (used < sample_count && !(sorting->samples[used].major == INT64_MAX && sorting->samples[used].minor == UINT64_MAX))
		used++;
	for (int i = 0; i < sorting->size; i++) {
		const struct position_key *limit = used ? &sorting->samples[(size_t)(i + 1) * used / (size_t)sorting->size] : NULL;
		size_t low = at, high = count;

		while (limit && i + 1 < sorting->size && low < high) {
			size_t middle = low + (high - low) / 2;

			if (key_is_before(&keys[middle], limit))
				low = middle + 1;
			else
				high = middle;
		}
		if (i + 1 == sorting->size)
			low = count;
		sorting->begins[i] = (int)at;
		sorting->counts[i] = (int)(low - at);
		at = low;
	}
}

static bool is_gap(const struct sorting *sorting, int64_t before_ns, int64_t time_ns)
{
	int64_t passed_ns;

	return time_ns > before_ns && (__builtin_sub_overflow(time_ns, before_ns, &passed_ns) || passed_ns >= sorting->gap_ns);
}

static struct position_key received_key(const struct sorting *sorting, size_t index)
{
	const struct position_key *keys = sorting->received;
	const uint64_t *short_keys = sorting->received;
	int64_t major;

	if (!sorting->is_short)
		return keys[index];
	major = (int64_t)((uint64_t)sorting->base + (short_keys[index] >> LOWER_BITS));
	return (struct position_key){ .major = major, .minor = short_keys[index] << LOWER_BITS, .time_ns = major };
}

static void set_found(struct sorting *sorting, size_t index, uint64_t position, int64_t before_ns, int64_t time_ns)
{
	struct short_position *short_positions = sorting->found;
	struct position *positions = sorting->found;

	if (sorting->is_short)
		short_positions[index] = (struct short_position){ (uint32_t)position, (uint32_t)((uint64_t)time_ns - (uint64_t)before_ns) };
	else
		positions[index] = (struct position){ position, before_ns };
}

/* The runs with any keys, in the order of their first ones. */
static bool begin_runs(struct sorting *sorting, struct heap *heads)
{
	for (int i = 0; i < sorting->size; i++) {
		struct run *run = &sorting->runs[i];

		run->next = (size_t)sorting->received_begins[i];
		run->end = run->next + (size_t)sorting->received_counts[i];
		if (run->next == run->end)
			continue;
		run->key = received_key(sorting, run->next);
		if (!heap_add(heads, run))
			return false;
	}
	return true;
}

/* Merges the runs received. Positions count from the part's begin. */
static bool merge(struct sorting *sorting, struct part *part)
{
	struct heap heads = { .before = run_is_before };
	bool begun = begin_runs(sorting, &heads);
	struct run *run;

	*part = (struct part){ .count = 0 };
	while (begun && (run = heap_first(&heads))) {
		int64_t time_ns = run->key.time_ns;

		if (!part->count)
			part->first_ns = part->last_ns = time_ns;
		if (is_gap(sorting, part->last_ns, time_ns) && part->gap_count < POSITIONS_GAPS)
			part->gaps[part->gap_count++] = (struct position_gap){ part->count, part->last_ns, time_ns };
		set_found(sorting, run->next, part->count++, part->last_ns, time_ns);
		part->last_ns = time_ns;
		if (++run->next == run->end) {
			heap_remove_first(&heads);
			continue;
		}
		run->key = received_key(sorting, run->next);
		heap_settle_first(&heads);
	}
	heap_fini(&heads);
	return begun;
}

/* Exchanges what each part has. */
static void join_parts(struct sorting *sorting, const struct part *own, struct positions_total *total)
{
	MPI_Allgather(own, sizeof *own, MPI_BYTE, sorting->parts, sizeof *own, MPI_BYTE, MPI_COMM_WORLD);
	*total = (struct positions_total){ .gaps = ranks_get((size_t)sorting->size * (POSITIONS_GAPS + 1), sizeof *total->gaps) };
	for (int i = 0; i < sorting->size; i++) {
		const struct part *part = &sorting->parts[i];

		if (!part->count)
			continue;
		if (!total->count)
			total->first_ns = part->first_ns;
		else if (is_gap(sorting, total->last_ns, part->first_ns))
			total->gaps[total->gap_count++] = (struct position_gap){ total->count, total->last_ns, part->first_ns };
		for (uint64_t j = 0; j < part->gap_count; j++) {
			total->gaps[total->gap_count] = part->gaps[j];
			total->gaps[total->gap_count++].position += total->count;
		}
		total->count += part->count;
		total->last_ns = part->last_ns;
	}
}

/* Positions in parts become those among all. */
static void count_from_first(const struct sorting *sorting, const struct position_key *keys, struct position *positions)
{
	uint64_t before = 0;
	int64_t last_ns = 0;

	for (int i = 0; i < sorting->size; i++) {
		const struct part *part = &sorting->parts[i];
		size_t begin = (size_t)sorting->begins[i], end = begin + (size_t)sorting->counts[i];

		for (size_t j = begin; sorting->is_short && j < end; j++)
			positions[j] = (struct position){ sorting->short_positions[j].position,
							  keys[j].time_ns - (int64_t)sorting->short_positions[j].passed_ns };
		for (size_t j = begin; j < end; j++) {
			if (before && !positions[j].position)
				positions[j].before_ns = last_ns;
			positions[j].position += before;
		}
		before += part->count;
		last_ns = part->count ? part->last_ns : last_ns;
	}
}

/* Sends keys to the ranks of their parts. False: out of memory. */
static bool send_keys(struct sorting *sorting, const struct position_key *keys, size_t count)
{
	size_t received = 0, key_size = sorting->is_short ? sizeof *sorting->short_keys : sizeof *keys;
	size_t position_size = sorting->is_short ? sizeof *sorting->short_positions : sizeof(struct position);
	size_t short_count = sorting->is_short ? count : 0;

	MPI_Alltoall(sorting->counts, 1, MPI_INT, sorting->received_counts, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < sorting->size; i++) {
		sorting->received_begins[i] = (int)received;
		received += (size_t)sorting->received_counts[i];
	}
	sorting->received = malloc((received + 1) * key_size);
	sorting->found = malloc((received + 1) * position_size);
	sorting->short_keys = malloc((short_count + 1) * sizeof *sorting->short_keys);
	sorting->short_positions = malloc((short_count + 1) * sizeof *sorting->short_positions);
	if (!ranks_agree(sorting->received && sorting->found && sorting->short_keys && sorting->short_positions && received <= INT_MAX))
		return false;
	for (size_t i = 0; i < short_count; i++)
		sorting->short_keys[i] = ((uint64_t)keys[i].major - (uint64_t)sorting->base) << LOWER_BITS | keys[i].minor >> LOWER_BITS;
	MPI_Type_contiguous((int)key_size, MPI_BYTE, &sorting->key_type);
	MPI_Type_contiguous((int)position_size, MPI_BYTE, &sorting->position_type);
	MPI_Type_commit(&sorting->key_type);
	MPI_Type_commit(&sorting->position_type);
	MPI_Alltoallv(sorting->is_short ? (const void *)sorting->short_keys : keys, sorting->counts, sorting->begins, sorting->key_type,
		      sorting->received, sorting->received_counts, sorting->received_begins, sorting->key_type, MPI_COMM_WORLD);
	return true;
}

/* Sends the positions back. */
static void send_positions(struct sorting *sorting, const struct position_key *keys, struct position *positions)
{
	MPI_Alltoallv(sorting->found, sorting->received_counts, sorting->received_begins, sorting->position_type,
		      sorting->is_short ? (void *)sorting->short_positions : positions, sorting->counts, sorting->begins, sorting->position_type,
		      MPI_COMM_WORLD);
	count_from_first(sorting, keys, positions);
}

static bool sort(struct sorting *sorting, const struct position_key *keys, size_t count, struct position *positions, struct positions_total *total)
{
	size_t size = (size_t)sorting->size;
	struct part own;

	sorting->announced = malloc(size * sizeof *sorting->announced);
	sorting->samples = malloc(size * SAMPLES * sizeof *sorting->samples);
	sorting->parts = malloc(size * sizeof *sorting->parts);
	sorting->runs = malloc(size * sizeof *sorting->runs);
	sorting->counts = malloc(4 * size * sizeof *sorting->counts);
	if (!ranks_agree(sorting->announced && sorting->samples && sorting->parts && sorting->runs && sorting->counts && count <= INT_MAX))
		return false;
	sorting->begins = sorting->counts + size;
	sorting->received_counts = sorting->begins + size;
	sorting->received_begins = sorting->received_counts + size;
	announce(sorting, keys, count);
	divide(sorting, keys, count);
	if (!send_keys(sorting, keys, count) || !ranks_agree(merge(sorting, &own)))
		return false;
	join_parts(sorting, &own, total);
	send_positions(sorting, keys, positions);
	return true;
}

bool positions_find(const struct position_key *keys, size_t count, int64_t gap_ns, struct position *positions, struct positions_total *total)
{
	struct sorting sorting = { .gap_ns = gap_ns, .key_type = MPI_DATATYPE_NULL, .position_type = MPI_DATATYPE_NULL };
	bool found;

	*total = (struct positions_total){ .count = 0 };
	MPI_Comm_size(MPI_COMM_WORLD, &sorting.size);
	found = sort(&sorting, keys, count, positions, total);
	if (sorting.key_type != MPI_DATATYPE_NULL) {
		MPI_Type_free(&sorting.key_type);
		MPI_Type_free(&sorting.position_type);
	}
	free(sorting.announced);
	free(sorting.samples);
	free(sorting.short_keys);
	free(sorting.short_positions);
	free(sorting.parts);
	free(sorting.runs);
	free(sorting.counts);
	free(sorting.received);
	free(sorting.found);
	return found;
}
