/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "base/array.h"
#include "capture/source.h"
#include "cli/print_error.h"
#include "mpi/inputs.h"
#include "mpi/ranks.h"
#include "mpi/split.h"

/* Files that share packets are placed together if the busiest rank has at most one part in LESS_EQUAL more bytes by that. */
#define LESS_EQUAL 32

static void add(struct inputs *inputs, const char *name, uint64_t size)
{
	size_t room = inputs->room;
	char **names = array_grow(inputs->names, &room, inputs->count + 1, sizeof *names);
	uint64_t *sizes = names ? realloc(inputs->sizes, room * sizeof *sizes) : NULL;
	char *copy = strdup(name);

	if (!sizes || !copy)
		ranks_lack_memory();
	inputs->names = names;
	inputs->sizes = sizes;
	inputs->room = room;
	names[inputs->count] = copy;
	sizes[inputs->count++] = size;
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length > end_length && !strcmp(name + length - end_length, end);
}

static bool is_capture_name(const char *name)
{
	static const char *const ends[] = { ".pcap", ".pcapng", ".cap", ".erf" }, *const packed[] = { "", ".gz", ".zst", ".lz4" };
	char end[32];

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		for (size_t j = 0; j < sizeof packed / sizeof packed[0]; j++) {
			snprintf(end, sizeof end, "%s%s", ends[i], packed[j]);
			if (ends_with(name, end))
				return true;
		}
	return false;
}

/* A file that does not exist is reported by the rank that reads it. */
static void add_file(struct inputs *inputs, const char *name)
{
	struct stat found;

	add(inputs, name, stat(name, &found) ? 0 : (uint64_t)found.st_size);
}

static bool add_directory(struct inputs *inputs, const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, alphasort);
	size_t before = inputs->count;

	if (count < 0) {
		print_error("%s: %s", directory, strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		char *path;

		if (is_capture_name(entries[i]->d_name)) {
			if (asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0)
				ranks_lack_memory();
			add_file(inputs, path);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	if (inputs->count == before)
		print_error("%s: no capture files (names that end in .pcap, .pcapng, .cap or .erf, also with .gz, .zst or .lz4)", directory);
	return inputs->count > before;
}

static bool add_list(struct inputs *inputs, const char *list)
{
	FILE *file = fopen(list, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (!file) {
		print_error("%s: %s", list, strerror(errno));
		return false;
	}
	while ((length = getline(&line, &room, file)) > 0) {
		while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
			line[--length] = '\0';
		if (length)
			add_file(inputs, line);
	}
	free(line);
	fclose(file);
	return true;
}

static bool look_up(struct inputs *inputs, const char *const *given, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct stat found;
		bool added = true;

		if (!strcmp(given[i], "-")) {
			print_error("-: standard input cannot be read by several ranks (name files)");
			return false;
		}
		if (!stat(given[i], &found) && S_ISDIR(found.st_mode))
			added = add_directory(inputs, given[i]);
		else if (ends_with(given[i], ".list") || ends_with(given[i], ".txt"))
			added = add_list(inputs, given[i]);
		else
			add_file(inputs, given[i]);
		if (!added)
			return false;
	}
	if (!inputs->count)
		print_error("nothing to read (name captures, a directory or a list of them)");
	return inputs->count;
}

/* Gives all ranks the names that rank 0 found. */
static bool share(struct inputs *inputs, int rank, bool found)
{
	uint64_t sizes[2] = { 0, 0 }; /* number of files; bytes of their names */
	char *text, *next;

	for (size_t i = 0; found && !rank && i < inputs->count; i++)
		sizes[1] += strlen(inputs->names[i]) + 1;
	sizes[0] = found ? inputs->count : 0;
	MPI_Bcast(sizes, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (!sizes[0])
		return false;
	next = text = ranks_get(sizes[1], 1);
	for (size_t i = 0; !rank && i < inputs->count; i++)
		next = stpcpy(next, inputs->names[i]) + 1;
	MPI_Bcast(text, ranks_count(sizes[1], "the names of the captures are longer than 2 GiB (name fewer)"), MPI_BYTE, 0, MPI_COMM_WORLD);
	next = text;
	for (uint64_t i = 0; rank && i < sizes[0]; i++, next += strlen(next) + 1)
		add(inputs, next, 0);
	free(text);
	MPI_Bcast(inputs->sizes, (int)sizes[0], MPI_UINT64_T, 0, MPI_COMM_WORLD);
	return true;
}

static void split_large(struct inputs *inputs, unsigned ranks, const struct input_division *division)
{
	inputs->splits = ranks_get(inputs->count, sizeof *inputs->splits);
	for (size_t i = 0; ranks > 1 && i < inputs->count; i++)
		if (inputs->sizes[i] >= division->least)
			inputs->splits[i] = split_create(inputs->names[i], inputs->sizes[i], division->piece);
}

struct placed {
	uint64_t size;
	size_t index;
};

static int compare_placed(const void *one, const void *other)
{
	const struct placed *a = one, *b = other;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* The largest file first, each to the rank that has the fewest bytes; rank 0 has some in advance. `splits`: of files that need no place. */
static unsigned *place(const struct inputs *inputs, unsigned ranks, unsigned counting, struct split *const *splits)
{
	struct placed *placed = ranks_get(inputs->count, sizeof *placed);
	uint64_t *loads = ranks_get(ranks, sizeof *loads);
	unsigned *places = ranks_get(inputs->count, sizeof *places);

	for (size_t i = 0; i < inputs->count; i++) {
		placed[i] = (struct placed){ inputs->sizes[i], i };
		loads[0] += (uint64_t)((double)inputs->sizes[i] * counting / 1000);
	}
	qsort(placed, inputs->count, sizeof *placed, compare_placed);
	for (size_t i = 0; i < inputs->count; i++) {
		unsigned least = 0;

		for (unsigned j = 1; j < ranks; j++)
			if (loads[j] < loads[least])
				least = j;
		loads[least] += splits && splits[placed[i].index] ? 0 : placed[i].size + 1;
		places[placed[i].index] = least;
	}
	free(placed);
	free(loads);
	return places;
}

static bool can_be_opened(const char *name)
{
	struct rtap_source *source;
	struct rtap_error error;

	if (rtap_source_open_files(&source, &name, 1, &error)) {
		print_error("%s (the job continues without it)", error.text);
		return false;
	}
	rtap_source_close(source);
	return true;
}

/* Leaves out the files that their ranks cannot open. */
static void leave_out(struct inputs *inputs, const unsigned *ranks, unsigned rank)
{
	int *good = ranks_get(inputs->count, sizeof *good), *all = ranks_get(inputs->count, sizeof *all);
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++)
		good[i] = ranks[i] == rank && (inputs->splits[i] || can_be_opened(inputs->names[i]));
	MPI_Allreduce(good, all, (int)inputs->count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (size_t i = 0; i < inputs->count; i++) {
		if (!all[i]) {
			free(inputs->names[i]);
			continue;
		}
		inputs->names[kept] = inputs->names[i];
		inputs->sizes[kept] = inputs->sizes[i];
		inputs->splits[kept] = inputs->splits[i];
		inputs->surveyors[kept] = inputs->surveyors[i];
		inputs->readers[kept++] = inputs->readers[i];
	}
	inputs->unreadable += inputs->count - kept;
	inputs->count = kept;
	free(good);
	free(all);
}

bool inputs_find(struct inputs *inputs, const char *const *given, size_t count, const struct input_division *division)
{
	int rank, ranks;

	*inputs = (struct inputs){ .count = 0 };
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!share(inputs, rank, rank || look_up(inputs, given, count)))
		return false;
	split_large(inputs, (unsigned)ranks, division);
	inputs->readers = place(inputs, (unsigned)ranks, division->counting, inputs->splits);
	inputs->surveyors = place(inputs, (unsigned)ranks, 0, NULL);
	leave_out(inputs, inputs->readers, (unsigned)rank);
	leave_out(inputs, inputs->surveyors, (unsigned)rank);
	return inputs->count;
}

/* Each file after its partner, with those that it is the partner of in turn. */
static size_t *order_by_partners(size_t count, const uint64_t *partners)
{
	size_t *order = ranks_get(count, sizeof *order), *first = ranks_get(count, sizeof *first), *next = ranks_get(count, sizeof *next);
	size_t ordered = 0;

	/* lists of files by partner; 0: the end, as the first file has none */
	for (size_t i = count; i-- > 1;)
		if (partners[i] < i) {
			next[i] = first[partners[i]];
			first[partners[i]] = i;
		}
	for (size_t root = 0; root < count; root++) {
		size_t at = root;

		if (partners[root] < root)
			continue;
		/* down to the first one, else to the next one, of the file or of those above it */
		for (;;) {
			order[ordered++] = at;
			if (first[at]) {
				at = first[at];
				continue;
			}
			while (at != root && !next[at])
				at = partners[at];
			if (at == root)
				break;
			at = next[at];
		}
	}
	free(first);
	free(next);
	return order;
}

static uint64_t load_of(const struct inputs *inputs, size_t file)
{
	return inputs->splits[file] ? 0 : inputs->sizes[file] + 1;
}

/* Bytes of the rank that has the most; rank 0 has `ahead` in advance. */
static uint64_t largest_load(const struct inputs *inputs, const unsigned *places, unsigned ranks, uint64_t ahead)
{
	uint64_t *loads = ranks_get(ranks, sizeof *loads), most = 0;

	loads[0] = ahead;
	for (size_t i = 0; i < inputs->count; i++)
		loads[places[i]] += load_of(inputs, i);
	for (unsigned i = 0; i < ranks; i++)
		most = loads[i] > most ? loads[i] : most;
	free(loads);
	return most;
}

/* Successive files on one rank until it has its share. */
static unsigned *place_in_order(const struct inputs *inputs, const size_t *order, unsigned ranks, uint64_t ahead)
{
	unsigned *places = ranks_get(inputs->count, sizeof *places), rank = 0;
	uint64_t total = ahead, load = ahead;

	for (size_t i = 0; i < inputs->count; i++)
		total += load_of(inputs, i);
	for (size_t i = 0; i < inputs->count; i++) {
		uint64_t size = load_of(inputs, order[i]);

		while (rank + 1 < ranks && load + size / 2 > total / ranks) {
			rank++;
			load = 0;
		}
		places[order[i]] = rank;
		load += size;
	}
	return places;
}

static bool all_can_be_opened(const struct inputs *inputs, const unsigned *places, unsigned rank)
{
	bool good = true;

	for (size_t i = 0; good && i < inputs->count; i++)
		good = places[i] != rank || inputs->splits[i] || inputs->readers[i] == rank || !access(inputs->names[i], R_OK);
	return ranks_agree(good);
}

void inputs_place_together(struct inputs *inputs, const uint64_t *partners, unsigned counting)
{
	size_t *order = order_by_partners(inputs->count, partners);
	uint64_t ahead = 0, most;
	unsigned *places;
	int rank, ranks;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; i < inputs->count; i++)
		ahead += (uint64_t)((double)inputs->sizes[i] * counting / 1000);
	places = place_in_order(inputs, order, (unsigned)ranks, ahead);
	most = largest_load(inputs, inputs->readers, (unsigned)ranks, ahead);
	if (largest_load(inputs, places, (unsigned)ranks, ahead) <= most + most / LESS_EQUAL && all_can_be_opened(inputs, places, (unsigned)rank))
		memcpy(inputs->readers, places, inputs->count * sizeof *places);
	free(order);
	free(places);
}

void inputs_fini(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->names[i]);
	for (size_t i = 0; inputs->splits && i < inputs->count; i++)
		split_destroy(inputs->splits[i]);
	free(inputs->splits);
	free(inputs->names);
	free(inputs->sizes);
	free(inputs->readers);
	free(inputs->surveyors);
}
