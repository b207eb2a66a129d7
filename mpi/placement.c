/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <rdmatap/source.h>

#include "mpi/placement.h"
#include "mpi/unit.h"

#define SAMPLE_FRAMES 4096     /* of each file */
#define MOST_UNITS (1 << 14)   /* of one rank that are shared */
#define FIRST_ROOM (1 << 10)
#define MOST_LOAD 1.05         /* of a rank, relative to the average, at which it gets no more because it reads them */

/* A unit, and what one rank read of it. */
struct seen {
	uint64_t unit;
	uint64_t frames;
	uint32_t rank;
};

/* A hash table; units are hashes themselves. 0: empty. */
struct placement {
	struct seen *places;
	size_t count, room;        /* room: a power of two */
	unsigned ranks;
};

static struct seen *find(const struct placement *placement, uint64_t unit)
{
	size_t at = unit & (placement->room - 1);

	while (placement->places[at].unit && placement->places[at].unit != unit)
		at = (at + 1) & (placement->room - 1);
	return &placement->places[at];
}

static bool make_room(struct placement *placement)
{
	struct placement larger = { .room = placement->room ? 2 * placement->room : FIRST_ROOM };

	if (2 * placement->count < placement->room)
		return true;
	larger.places = calloc(larger.room, sizeof *larger.places);
	if (!larger.places)
		return false;
	for (size_t i = 0; i < placement->room; i++)
		if (placement->places[i].unit)
			*find(&larger, placement->places[i].unit) = placement->places[i];
	free(placement->places);
	placement->places = larger.places;
	placement->room = larger.room;
	return true;
}

static bool add(struct placement *placement, uint64_t unit, uint64_t frames)
{
	struct seen *seen;

	if (!unit)
		return true;
	if (!make_room(placement))
		return false;
	seen = find(placement, unit);
	placement->count += !seen->unit;
	seen->unit = unit;
	seen->frames += frames;
	return true;
}

/* Errors are reported when the file is read as an input. */
static bool sample_file(struct placement *placement, const char *name)
{
	const struct rtap_frame *frame;
	struct rtap_source *source;
	struct rtap_error error;
	bool added = true;

	if (rtap_source_open_files(&source, &name, 1, &error) != RTAP_STATUS_OK)
		return true;
	for (unsigned i = 0; added && i < SAMPLE_FRAMES && rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK; i++)
		added = add(placement, unit_of(frame), 1);
	rtap_source_close(source);
	return added;
}

static int compare_seen(const void *one, const void *other)
{
	const struct seen *a = one, *b = other;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The units with the most frames first. */
static int compare_frames(const void *one, const void *other)
{
	const struct seen *a = one, *b = other;

	if (a->frames != b->frames)
		return a->frames > b->frames ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

/* Adds up what ranks saw of one unit. `rank`: the one that saw most. Returns the number of units. */
static size_t sum_up(struct seen *all, size_t count)
{
	size_t units = 0;

	qsort(all, count, sizeof *all, compare_seen);
	for (size_t i = 0, next; i < count; i = next) {
		struct seen sum = all[i];
		uint64_t most = sum.frames;

		for (next = i + 1; next < count && all[next].unit == sum.unit; next++) {
			sum.frames += all[next].frames;
			if (all[next].frames > most) {
				most = all[next].frames;
				sum.rank = all[next].rank;
			}
		}
		all[units++] = sum;
	}
	return units;
}

/* Each unit to its reader unless that has its share; else to the rank that has least. */
static bool place(struct placement *placement, struct seen *units, size_t count)
{
	uint64_t *loads = calloc(placement->ranks, sizeof *loads), total = 0;

	if (!loads)
		return false;
	qsort(units, count, sizeof *units, compare_frames);
	for (size_t i = 0; i < count; i++)
		total += units[i].frames;
	for (size_t i = 0; i < count; i++) {
		unsigned rank = units[i].rank;

		if ((double)(loads[rank] + units[i].frames) > MOST_LOAD * (double)total / placement->ranks) {
			rank = 0;
			for (unsigned j = 1; j < placement->ranks; j++)
				if (loads[j] < loads[rank])
					rank = j;
		}
		loads[rank] += units[i].frames;
		if (!add(placement, units[i].unit, units[i].frames))
			break;
		find(placement, units[i].unit)->rank = rank;
	}
	free(loads);
	return true;
}

/* Shares what all ranks saw. NULL: out of memory. */
static struct seen *share(const struct placement *placement, int rank, size_t *count)
{
	int own = 0, total = 0, *sizes = malloc(2 * placement->ranks * sizeof *sizes), *begins = sizes + placement->ranks;
	struct seen *list = malloc((placement->count + 1) * sizeof *list), *all;

	if (!sizes || !list)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (size_t i = 0; i < placement->room; i++)
		if (placement->places[i].unit) {
			list[own] = placement->places[i];
			list[own++].rank = (uint32_t)rank;
		}
	qsort(list, (size_t)own, sizeof *list, compare_frames);
	own = (own < MOST_UNITS ? own : MOST_UNITS) * (int)sizeof *list;
	MPI_Allgather(&own, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
	for (unsigned i = 0; i < placement->ranks; i++) {
		begins[i] = total;
		total += sizes[i];
	}
	all = malloc((size_t)total + 1);
	if (!all)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Allgatherv(list, own, MPI_BYTE, all, sizes, begins, MPI_BYTE, MPI_COMM_WORLD);
	*count = (size_t)total / sizeof *all;
	free(list);
	free(sizes);
	return all;
}

struct placement *placement_create(const char *const *names, size_t count, const unsigned *readers)
{
	struct placement seen = { .places = NULL }, *placement = calloc(1, sizeof *placement);
	struct seen *units = NULL;
	int rank, ranks;
	bool placed = placement;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	seen.ranks = (unsigned)ranks;
	for (size_t i = 0; i < count; i++)
		if (readers[i] == (unsigned)rank && !sample_file(&seen, names[i]))
			MPI_Abort(MPI_COMM_WORLD, 2);
	units = share(&seen, rank, &count);
	free(seen.places);
	if (placed) {
		placement->ranks = (unsigned)ranks;
		placed = make_room(placement) && place(placement, units, sum_up(units, count));
	}
	free(units);
	if (placed)
		return placement;
	placement_destroy(placement);
	return NULL;
}

unsigned placement_rank(const struct placement *placement, uint64_t unit)
{
	const struct seen *seen = unit ? find(placement, unit) : NULL;

	return seen && seen->unit ? seen->rank : (unsigned)(unit % placement->ranks);
}

void placement_destroy(struct placement *placement)
{
	if (!placement)
		return;
	free(placement->places);
	free(placement);
}
