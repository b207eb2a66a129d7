/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each rank looks for a record after the beginning of its stretch and goes over the records from there to where the next rank found one. Then
 * the ranks compare, one after the other: where the records of the rank before do not end at the one found, or interfaces were described
 * in between, the rank goes over its stretch again. So a wrong guess costs time only.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "capture/source.h"
#include "cli/print_error.h"
#include "mpi/ranks.h"
#include "mpi/shared_file.h"
#include "mpi/split.h"
#include "mpi/walk.h"

#define TAG_LINK 21
#define TAG_DESCRIPTIONS 22

static const char too_many[] = "a file is divided into too many parts (raise --max-memory or --split)";

/* What the stretches of the ranks before have. */
struct link {
	uint64_t end, frames, parts, descriptions;
	int64_t latest_ns;
	uint64_t is_over;         /* the file is broken there */
	uint64_t has_failed;
};

struct split {
	struct shared_file *file;
	int rank, size;
	struct walk walk;
	uint64_t begin, limit;    /* of the stretch; begin UINT64_MAX: nothing was found */
	struct stream_span *guessed; /* descriptions with which it was walked */
	size_t guessed_count;
	struct source_parts parts;
	struct source_part *list; /* of `parts` */
	struct stream_span *spans; /* of its stream */
	bool is_broken, was_wrong; /* was_wrong: the stretch was read again */
};

/* Where the stretch of a rank begins, before the records are known. */
static uint64_t stretch(uint64_t size, int rank, int ranks)
{
	return size / (uint64_t)ranks * (uint64_t)rank;
}

/* Sets the limits of this rank's stretch to records that it and others found. */
static void find_limits(struct split *split)
{
	uint64_t *found = ranks_get((size_t)split->size, sizeof *found);
	uint64_t from = stretch(split->walk.size, split->rank, split->size);

	split->begin = from;
	if (split->rank)
		split->begin = from ? walk_search(&split->walk, from, stretch(split->walk.size, split->rank + 1, split->size)) : UINT64_MAX;
	MPI_Allgather(&split->begin, 1, MPI_UINT64_T, found, 1, MPI_UINT64_T, MPI_COMM_WORLD);
	split->limit = split->walk.size;
	for (int i = split->size - 1; i > split->rank; i--)
		if (found[i] != UINT64_MAX)
			split->limit = found[i];
	free(found);
}

static bool is_as_guessed(const struct split *split, const struct link *before, const struct stream_span *spans)
{
	return split->begin == before->end && before->descriptions == split->guessed_count &&
	       !memcmp(spans, split->guessed, split->guessed_count * sizeof *spans);
}

/* Goes over the records from where those of the ranks before end, if that was not done. Adds what they are to the link. */
static void check(struct split *split, struct link *link, const struct stream_span *spans)
{
	struct walk *walk = &split->walk;

	if (!is_as_guessed(split, link, spans)) {
		split->was_wrong = split->begin != UINT64_MAX;
		walk->has_failed = false;
		walk_describe(walk, spans, link->descriptions);
		walk_records(walk, link->end, link->is_over ? 0 : split->limit);
	}
	for (size_t i = 0; i < walk->count; i++) {
		walk->parts[i].first += link->frames;
		if (walk->parts[i].latest_ns < link->latest_ns)
			walk->parts[i].latest_ns = link->latest_ns;
	}
	link->frames += walk->frames;
	link->parts += walk->count;
	link->end = walk->end;
	link->descriptions = walk->descriptions.count;
	if (walk->latest_ns > link->latest_ns)
		link->latest_ns = walk->latest_ns;
	split->is_broken = walk->is_broken && !link->is_over;
	link->is_over |= walk->is_broken;
	link->has_failed |= walk->has_failed;
}

static int span_bytes(const struct link *link)
{
	return ranks_count(link->descriptions * sizeof(struct stream_span), too_many);
}

/* Compares with the ranks before. Returns the number of parts of these. */
static uint64_t compare(struct split *split, struct link *link)
{
	struct stream_span *spans = NULL;
	uint64_t parts;

	*link = (struct link){ .latest_ns = INT64_MIN };
	if (split->rank) {
		MPI_Recv(link, sizeof *link, MPI_BYTE, split->rank - 1, TAG_LINK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		spans = ranks_get(link->descriptions, sizeof *spans);
		MPI_Recv(spans, span_bytes(link), MPI_BYTE, split->rank - 1, TAG_DESCRIPTIONS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	parts = link->parts;
	if (split->rank) {
		check(split, link, spans);
	} else {
		split->guessed_count = 0;
		check(split, link, split->guessed);
	}
	if (split->is_broken) {
		struct rtap_error error;

		walk_explain(&split->walk, link->frames, &error);
		print_error("%s", error.text);
	}
	if (split->rank + 1 < split->size) {
		MPI_Send(link, sizeof *link, MPI_BYTE, split->rank + 1, TAG_LINK, MPI_COMM_WORLD);
		MPI_Send(split->walk.descriptions.spans, span_bytes(link), MPI_BYTE, split->rank + 1, TAG_DESCRIPTIONS, MPI_COMM_WORLD);
	}
	free(spans);
	return parts;
}

/* The last rank knows all descriptions. */
static void share_descriptions(struct split *split, struct link *link)
{
	struct stream_span *spans;

	MPI_Bcast(link, sizeof *link, MPI_BYTE, split->size - 1, MPI_COMM_WORLD);
	spans = ranks_get(link->descriptions, sizeof *spans);
	if (split->rank == split->size - 1 && link->descriptions)
		memcpy(spans, split->walk.descriptions.spans, (size_t)span_bytes(link));
	MPI_Bcast(spans, span_bytes(link), MPI_BYTE, split->size - 1, MPI_COMM_WORLD);
	walk_describe(&split->walk, spans, link->descriptions);
	free(spans);
}

/* Deals out the parts of all ranks, in turn. first: number of the first of this rank's stretch. */
static void deal(struct split *split, uint64_t first)
{
	const struct walk *walk = &split->walk;
	size_t ranks = (size_t)split->size, total = 0;
	int *counts = ranks_get(4 * ranks, sizeof *counts), *begins = counts + ranks, *received = begins + ranks, *places = received + ranks;
	struct source_part *sorted = ranks_get(walk->count, sizeof *sorted);
	size_t at = 0;

	(void)ranks_count(walk->count * sizeof *sorted, too_many);
	for (size_t i = 0; i < ranks; i++) {
		begins[i] = (int)(at * sizeof *sorted);
		for (size_t j = 0; j < walk->count; j++)
			if ((first + j) % ranks == i)
				sorted[at++] = walk->parts[j];
		counts[i] = (int)(at * sizeof *sorted) - begins[i];
	}
	MPI_Alltoall(counts, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
	for (size_t i = 0; i < ranks; i++) {
		places[i] = ranks_count(total, too_many);
		total += (size_t)received[i];
	}
	(void)ranks_count(total, too_many);
	split->list = ranks_get(total / sizeof *sorted, sizeof *sorted);
	MPI_Alltoallv(sorted, counts, begins, MPI_BYTE, split->list, received, places, MPI_BYTE, MPI_COMM_WORLD);
	split->parts.parts = split->list;
	split->parts.count = total / sizeof *sorted;
	free(sorted);
	free(counts);
}

/* Cuts what is before an offset off. False: there is nothing beyond. */
static bool cut(struct stream_span *span, uint64_t offset)
{
	uint64_t end = span->begin + span->length;

	if (end <= offset)
		return false;
	*span = (struct stream_span){ offset, end - offset };
	return true;
}

/* A file of the parts of this rank and all descriptions, in their order. */
static void lay_out(struct split *split)
{
	const struct descriptions *known = &split->walk.descriptions;
	struct source_parts *parts = &split->parts;
	size_t next = 0, count = 0;

	split->spans = ranks_get(known->count + 2 * parts->count, sizeof *split->spans);
	for (size_t i = 0; i <= parts->count; i++) {
		const struct source_part *part = i < parts->count ? &parts->parts[i] : NULL;

		for (; next < known->count && (!part || known->spans[next].begin < part->begin); next++) {
			split->spans[count++] = known->spans[next];
			if (part && cut(&known->spans[next], part->begin)) {
				split->spans[count - 1].length = part->begin - split->spans[count - 1].begin;
				break;
			}
		}
		if (!part)
			break;
		split->spans[count++] = (struct stream_span){ part->begin, part->length };
		while (next < known->count && known->spans[next].begin < part->begin + part->length && !cut(&known->spans[next], part->begin + part->length))
			next++;
	}
	parts->stream = (struct stream_spans){ .spans = split->spans, .count = count, .read_at = shared_file_read_at, .owner = split->file };
}

/* Where this rank's records are. */
static void walk_stretch(struct split *split)
{
	struct walk *walk = &split->walk;

	find_limits(split);
	split->guessed_count = walk->descriptions.count;
	split->guessed = ranks_get(walk->descriptions.count, sizeof *split->guessed);
	if (walk->descriptions.count)
		memcpy(split->guessed, walk->descriptions.spans, walk->descriptions.count * sizeof *split->guessed);
	if (split->begin != UINT64_MAX)
		walk_records(walk, split->begin, split->limit);
}

struct split *split_create(const char *name, uint64_t size, uint64_t piece)
{
	struct split *split = ranks_get(1, sizeof *split);
	struct link link;
	uint64_t first;
	bool can;

	MPI_Comm_rank(MPI_COMM_WORLD, &split->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &split->size);
	split->file = shared_file_open(name);
	split->walk = (struct walk){ .name = name, .file = split->file, .size = size, .piece = piece };
	/* without a shared file system, other ranks can have other files of this name */
	can = split->file && shared_file_size(split->file) == size && walk_begin(&split->walk);
	if (!ranks_agree(can)) {
		split_destroy(split);
		return NULL;
	}
	walk_stretch(split);
	first = compare(split, &link);
	share_descriptions(split, &link);
	if (link.has_failed || split->walk.has_failed) {
		split_destroy(split);
		return NULL;
	}
	deal(split, first);
	lay_out(split);
	return split;
}

const struct source_parts *split_parts(const struct split *split)
{
	return &split->parts;
}

uint64_t split_bytes(const struct split *split)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < split->parts.count; i++)
		bytes += split->parts.parts[i].length;
	return bytes;
}

bool split_is_broken(const struct split *split)
{
	return split->is_broken;
}

bool split_was_wrong(const struct split *split)
{
	return split->was_wrong;
}

void split_destroy(struct split *split)
{
	if (!split)
		return;
	walk_fini(&split->walk);
	shared_file_close(split->file);
	free(split->guessed);
	free(split->list);
	free(split->spans);
	free(split);
}
