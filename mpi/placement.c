/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <rdmatap/source.h>

#include "dissect/dissect.h"
#include "dissect/engine/packet.h"
#include "mpi/placement.h"
#include "mpi/ranks.h"
#include "mpi/unit.h"

#define SAMPLE_FRAMES 4096     /* of each file */
#define MOST_UNITS (1 << 14)   /* of one rank that are shared */
#define FIRST_ROOM (1 << 10)
#define MOST_LOAD 1.05         /* of a rank, relative to the average, at which it gets no more because it reads them */

/* A unit, and what one rank read of it. */
struct seen {
	uint64_t unit, hosts[2];
	uint64_t frames;
	uint32_t rank;
	uint32_t is_joint;         /* some of it writes with immediate data */
};

/* A host of a job. */
struct member {
	uint64_t host;
	uint32_t group;            /* index of another of the same group, nearer to the first; its own: it is the first */
	uint32_t rank;             /* of the first one of a group: where it is analysed */
};

/* A hash table; units are hashes themselves. 0: empty. */
struct placement {
	struct seen *places;
	size_t count, room;        /* room: a power of two */
	struct member *members;    /* in ascending order of hosts */
	size_t member_count;
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

/* Adds up what was seen of a unit. */
static bool add(struct placement *placement, const struct seen *more)
{
	struct seen *seen;

	if (!more->unit)
		return true;
	if (!make_room(placement))
		return false;
	seen = find(placement, more->unit);
	placement->count += !seen->unit;
	seen->unit = more->unit;
	memcpy(seen->hosts, more->hosts, sizeof seen->hosts);
	seen->frames += more->frames;
	seen->rank = more->rank;
	seen->is_joint |= more->is_joint;
	return true;
}

/* IBTA vol. 1, table 38: RDMA WRITE Last and Only with immediate data, of any transport. */
static bool writes_with_immediate(const struct rtap_frame *frame)
{
	struct rtap_packet packet;

	dissect_frame(frame, NULL, &packet);
	return packet.ib.has_bth && ((packet.ib.opcode & 0x1f) == 0x09 || (packet.ib.opcode & 0x1f) == 0x0b);
}

/* Errors are reported when the file is read as an input. */
static bool sample_file(struct placement *placement, const char *name, bool apart)
{
	const struct rtap_frame *frame;
	struct rtap_source *source;
	struct rtap_error error;
	bool added = true;

	if (rtap_source_open_files(&source, &name, 1, &error) != RTAP_STATUS_OK)
		return true;
	for (unsigned i = 0; added && i < SAMPLE_FRAMES && rtap_source_read_frame(source, &frame, &error) == RTAP_STATUS_OK; i++) {
		struct seen seen = { .frames = 1, .is_joint = !apart && writes_with_immediate(frame) };

		seen.unit = unit_of(frame, seen.hosts);
		added = add(placement, &seen);
	}
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
			sum.is_joint |= all[next].is_joint;
			if (all[next].frames > most) {
				most = all[next].frames;
				sum.rank = all[next].rank;
			}
		}
		all[units++] = sum;
	}
	return units;
}

static int compare_members(const void *one, const void *other)
{
	const struct member *a = one, *b = other;

	return (a->host > b->host) - (a->host < b->host);
}

static struct member *find_member(const struct placement *placement, uint64_t host)
{
	return placement->member_count ? bsearch(&(struct member){ .host = host }, placement->members, placement->member_count,
						 sizeof *placement->members, compare_members) : NULL;
}

/* The first member of a host's group. NULL: it is in none. Each step halves the way of those after it. */
static struct member *group_of(const struct placement *placement, uint64_t host)
{
	struct member *member = find_member(placement, host);

	while (member && &placement->members[member->group] != member) {
		member->group = placement->members[member->group].group;
		member = &placement->members[member->group];
	}
	return member;
}

/* The group of both hosts; NULL: they are not in the same one. */
static struct member *common_group(const struct placement *placement, const uint64_t hosts[2])
{
	struct member *group = group_of(placement, hosts[0]);

	return group && group == group_of(placement, hosts[1]) ? group : NULL;
}

/* Hosts that write with immediate data to each other are in one group. */
static bool find_groups(struct placement *placement, const struct seen *units, size_t count)
{
	size_t members = 0, kept = 0;

	for (size_t i = 0; i < count; i++)
		members += 2 * units[i].is_joint;
	placement->members = calloc(members + 1, sizeof *placement->members);
	if (!placement->members)
		return false;
	members = 0;
	for (size_t i = 0; i < count; i++)
		for (unsigned end = 0; units[i].is_joint && end < 2; end++)
			placement->members[members++].host = units[i].hosts[end];
	qsort(placement->members, members, sizeof *placement->members, compare_members);
	for (size_t i = 0; i < members; i++)
		if (!kept || placement->members[kept - 1].host != placement->members[i].host)
			placement->members[kept++].host = placement->members[i].host;
	placement->member_count = kept;
	for (size_t i = 0; i < kept; i++)
		placement->members[i].group = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		if (units[i].is_joint)
			group_of(placement, units[i].hosts[0])->group = group_of(placement, units[i].hosts[1])->group;
	return true;
}

static unsigned least_loaded(const struct placement *placement, const uint64_t *loads)
{
	unsigned least = 0;

	for (unsigned i = 1; i < placement->ranks; i++)
		if (loads[i] < loads[least])
			least = i;
	return least;
}

/* Each group to the rank that has least. */
static bool place_groups(struct placement *placement, const struct seen *units, size_t count, uint64_t *loads)
{
	uint64_t *frames = calloc(placement->member_count + 1, sizeof *frames);

	if (!frames)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct member *group = common_group(placement, units[i].hosts);

		if (group)
			frames[group - placement->members] += units[i].frames;
	}
	for (size_t i = 0; i < placement->member_count; i++) {
		if (placement->members[i].group != i)
			continue;
		placement->members[i].rank = least_loaded(placement, loads);
		loads[placement->members[i].rank] += frames[i];
	}
	free(frames);
	return true;
}

/* Groups first. Then each unit to its reader unless that has its share; else to the rank that has least. Rank 0 has some in advance. */
static bool place(struct placement *placement, struct seen *units, size_t count, unsigned counting)
{
	uint64_t *loads = calloc(placement->ranks, sizeof *loads), total = 0;
	bool placed = loads;

	for (size_t i = 0; placed && i < count; i++)
		total += units[i].frames;
	if (placed) {
		loads[0] = total * counting / 1000;
		total += loads[0];
	}
	qsort(units, count, sizeof *units, compare_frames);
	placed = placed && find_groups(placement, units, count) && place_groups(placement, units, count, loads);
	for (size_t i = 0; placed && i < count; i++) {
		const struct member *group = common_group(placement, units[i].hosts);

		if (!group) {
			if ((double)(loads[units[i].rank] + units[i].frames) > MOST_LOAD * (double)total / placement->ranks)
				units[i].rank = least_loaded(placement, loads);
			loads[units[i].rank] += units[i].frames;
		} else {
			units[i].rank = group->rank;
		}
		placed = add(placement, &units[i]);
	}
	free(loads);
	return placed;
}

/* Shares what all ranks saw. NULL: out of memory. */
static struct seen *share(const struct placement *placement, int rank, size_t *count)
{
	int own, *sizes = ranks_get(2 * placement->ranks, sizeof *sizes), *begins = sizes + placement->ranks;
	struct seen *list = ranks_get(placement->count, sizeof *list), *all;
	size_t total = 0, used = 0;

	for (size_t i = 0; i < placement->room; i++)
		if (placement->places[i].unit) {
			list[used] = placement->places[i];
			list[used++].rank = (uint32_t)rank;
		}
	qsort(list, used, sizeof *list, compare_frames);
	own = (int)((used < MOST_UNITS ? used : MOST_UNITS) * sizeof *list);
	MPI_Allgather(&own, 1, MPI_INT, sizes, 1, MPI_INT, MPI_COMM_WORLD);
	for (unsigned i = 0; i < placement->ranks; i++) {
		begins[i] = ranks_count(total, "too many pairs of hosts for so many ranks (start fewer ranks, with --threads)");
		total += (size_t)sizes[i];
	}
	all = ranks_get(total, 1);
	MPI_Allgatherv(list, own, MPI_BYTE, all, sizes, begins, MPI_BYTE, MPI_COMM_WORLD);
	*count = total / sizeof *all;
	free(list);
	free(sizes);
	return all;
}

struct placement *placement_create(const char *const *names, size_t count, const unsigned *readers, bool apart, unsigned counting)
{
	struct placement seen = { .places = NULL }, *placement = calloc(1, sizeof *placement);
	struct seen *units = NULL;
	int rank, ranks;
	bool placed = placement;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	seen.ranks = (unsigned)ranks;
	for (size_t i = 0; i < count; i++)
		if (readers[i] == (unsigned)rank && !sample_file(&seen, names[i], apart))
			ranks_lack_memory();
	units = share(&seen, rank, &count);
	free(seen.places);
	if (placed) {
		placement->ranks = (unsigned)ranks;
		placed = make_room(placement) && place(placement, units, sum_up(units, count), counting);
	}
	free(units);
	if (placed)
		return placement;
	placement_destroy(placement);
	return NULL;
}

unsigned placement_rank(const struct placement *placement, uint64_t unit, const uint64_t hosts[2])
{
	const struct seen *seen = unit ? find(placement, unit) : NULL;
	const struct member *group;

	if (seen && seen->unit)
		return seen->rank;
	group = unit ? common_group(placement, hosts) : NULL;
	return group ? group->rank : (unsigned)(unit % placement->ranks);
}

void placement_destroy(struct placement *placement)
{
	if (!placement)
		return;
	free(placement->places);
	free(placement->members);
	free(placement);
}
