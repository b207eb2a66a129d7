/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sort by samples: a few keys of each rank divide the range of keys into one part for each rank. Each rank receives all keys of its part,
 * in one sorted run from each rank, merges them and sends the positions back. Every rank sends and receives about as much as it has.
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

/* Keys of one rank in the part of this one. */
struct run {
	const struct position_key *next, *end;
	struct position *place;
};

/* What each rank has in its part. */
struct part {
	uint64_t count;
	int64_t first_ns, last_ns;
	uint64_t gap_count;
	struct position_gap gaps[POSITIONS_GAPS]; /* but one before the first item */
};

struct sorting {
	int size, rank;
	int64_t gap_ns;
	MPI_Datatype key_type, position_type;
	struct position_key *samples, *received;
	struct position *found;
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

	if (key_is_before(a->next, b->next) || key_is_before(b->next, a->next))
		return key_is_before(a->next, b->next);
	return a < b;
}

/* Sets how many keys go to each rank. */
static void divide(struct sorting *sorting, const struct position_key *keys, size_t count)
{
	struct position_key own[SAMPLES];
	size_t sample_count = (size_t)sorting->size * SAMPLES, at = 0, used = 0;

	for (size_t i = 0; i < SAMPLES; i++)
		own[i] = count ? keys[(2 * i + 1) * count / (2 * SAMPLES)] : (struct position_key){ .major = INT64_MAX, .minor = UINT64_MAX };
	MPI_Allgather(own, SAMPLES, sorting->key_type, sorting->samples, SAMPLES, sorting->key_type, MPI_COMM_WORLD);
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

/* Merges the runs received. Positions count from the part's begin. */
static bool merge(struct sorting *sorting, struct part *part)
{
	struct heap heads = { .before = run_is_before };
	struct run *run;

	*part = (struct part){ .count = 0 };
	for (int i = 0; i < sorting->size; i++) {
		run = &sorting->runs[i];
		run->next = sorting->received + sorting->received_begins[i];
		run->end = run->next + sorting->received_counts[i];
		run->place = sorting->found + sorting->received_begins[i];
		if (run->next < run->end && !heap_add(&heads, run)) {
			heap_fini(&heads);
			return false;
		}
	}
	while ((run = heap_first(&heads))) {
		int64_t time_ns = run->next->time_ns;

		if (!part->count)
			part->first_ns = part->last_ns = time_ns;
		if (is_gap(sorting, part->last_ns, time_ns) && part->gap_count < POSITIONS_GAPS)
			part->gaps[part->gap_count++] = (struct position_gap){ part->count, part->last_ns, time_ns };
		*run->place++ = (struct position){ part->count++, part->last_ns };
		part->last_ns = time_ns;
		if (++run->next == run->end)
			heap_remove_first(&heads);
		else
			heap_settle_first(&heads);
	}
	heap_fini(&heads);
	return true;
}

/* Exchanges what each part has, and makes positions count from the begin of all. */
static void join_parts(struct sorting *sorting, const struct part *own, struct positions_total *total)
{
	uint64_t before = 0, own_end = (uint64_t)own->count;
	int64_t last_ns = 0;

	MPI_Allgather(own, sizeof *own, MPI_BYTE, sorting->parts, sizeof *own, MPI_BYTE, MPI_COMM_WORLD);
	*total = (struct positions_total){ .gaps = ranks_get((size_t)sorting->size * (POSITIONS_GAPS + 1), sizeof *total->gaps) };
	for (int i = 0; i < sorting->size; i++) {
		const struct part *part = &sorting->parts[i];

		if (i == sorting->rank) {
			before = total->count;
			last_ns = total->last_ns;
		}
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
	for (uint64_t i = 0; i < own_end; i++) {
		if (before && !sorting->found[i].position)
			sorting->found[i].before_ns = last_ns;
		sorting->found[i].position += before;
	}
}

static bool sort(struct sorting *sorting, const struct position_key *keys, size_t count, struct position *positions, struct positions_total *total)
{
	size_t size = (size_t)sorting->size, received = 0;
	struct part own;

	sorting->samples = malloc(size * SAMPLES * sizeof *sorting->samples);
	sorting->parts = malloc(size * sizeof *sorting->parts);
	sorting->runs = malloc(size * sizeof *sorting->runs);
	sorting->counts = malloc(4 * size * sizeof *sorting->counts);
	if (!ranks_agree(sorting->samples && sorting->parts && sorting->runs && sorting->counts && count <= INT_MAX))
		return false;
	sorting->begins = sorting->counts + size;
	sorting->received_counts = sorting->begins + size;
	sorting->received_begins = sorting->received_counts + size;
	divide(sorting, keys, count);
	MPI_Alltoall(sorting->counts, 1, MPI_INT, sorting->received_counts, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < sorting->size; i++) {
		sorting->received_begins[i] = (int)received;
		received += (size_t)sorting->received_counts[i];
	}
	sorting->received = malloc((received + 1) * sizeof *sorting->received);
	sorting->found = malloc((received + 1) * sizeof *sorting->found);
	if (!ranks_agree(sorting->received && sorting->found && received <= INT_MAX))
		return false;
	MPI_Alltoallv(keys, sorting->counts, sorting->begins, sorting->key_type, sorting->received, sorting->received_counts,
		      sorting->received_begins, sorting->key_type, MPI_COMM_WORLD);
	if (!ranks_agree(merge(sorting, &own)))
		return false;
	join_parts(sorting, &own, total);
	MPI_Alltoallv(sorting->found, sorting->received_counts, sorting->received_begins, sorting->position_type, positions, sorting->counts,
		      sorting->begins, sorting->position_type, MPI_COMM_WORLD);
	return true;
}

bool positions_find(const struct position_key *keys, size_t count, int64_t gap_ns, struct position *positions, struct positions_total *total)
{
	struct sorting sorting = { .gap_ns = gap_ns };
	bool found;

	*total = (struct positions_total){ .count = 0 };
	MPI_Comm_size(MPI_COMM_WORLD, &sorting.size);
	MPI_Comm_rank(MPI_COMM_WORLD, &sorting.rank);
	MPI_Type_contiguous(sizeof *keys, MPI_BYTE, &sorting.key_type);
	MPI_Type_contiguous(sizeof *positions, MPI_BYTE, &sorting.position_type);
	MPI_Type_commit(&sorting.key_type);
	MPI_Type_commit(&sorting.position_type);
	found = sort(&sorting, keys, count, positions, total);
	MPI_Type_free(&sorting.key_type);
	MPI_Type_free(&sorting.position_type);
	free(sorting.samples);
	free(sorting.parts);
	free(sorting.runs);
	free(sorting.counts);
	free(sorting.received);
	free(sorting.found);
	return found;
}
