/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "capture/capture_points.h"
#include "capture/source.h"
#include "capture/source_metadata.h"
#include "mpi/interfaces.h"
#include "mpi/ranks.h"

#define MOST_TEXT 256 /* bytes of a name, description or filter that are shared */

static const char too_many[] = "the captures have too many interfaces for so many ranks (start fewer ranks, with --threads)";

/* An interface as it is sent. */
struct shared {
	struct rtap_interface interface; /* without its pointers */
	uint32_t rank, change, file, index; /* change: of the rank; index: among the interfaces of the file */
	uint64_t kind;                   /* capture_part_kind() */
	struct position_key begin;       /* its first frame; valid with has_begun */
	bool has_begun, is_regular;      /* is_regular: the file */
	char name[MOST_TEXT], description[MOST_TEXT], filter[MOST_TEXT];
};

/* An interface of this rank. */
struct local {
	size_t own_file;                 /* among the files of this rank */
	uint32_t file, number;           /* among all */
	uint32_t index;                  /* in the file */
	bool is_numbered, has_begun;
	struct position_key begin;       /* valid with has_begun */
	uint64_t dropped, received, dropped_by_system; /* as they were last noted */
};

/* An interface that has a number. Several ranks read a file that is split, each with all of its interfaces. */
struct numbered {
	uint32_t file, index;
	bool has_point;
	uint16_t point;
};

/* An interface that is to get a capture point. */
struct beginning {
	struct position_key key;
	uint32_t rank, change;           /* for equal keys: of one file, in the order of its frames */
	uint32_t number;
	struct capture_part part;
};

struct interfaces {
	const char *const *names;
	int rank, size;
	struct local *local;
	size_t count, room;
	struct shared *changes;
	size_t change_count, change_room;
	struct numbered *numbered;       /* by number */
	size_t numbered_count, numbered_room;
	struct beginning *beginnings;    /* in no order */
	size_t beginning_count, beginning_room;
	struct capture_points points;
};

struct interfaces *interfaces_create(const char *const *names)
{
	struct interfaces *interfaces = calloc(1, sizeof *interfaces);

	if (!interfaces)
		return NULL;
	interfaces->names = names;
	MPI_Comm_rank(MPI_COMM_WORLD, &interfaces->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &interfaces->size);
	return interfaces;
}

void interfaces_destroy(struct interfaces *interfaces)
{
	if (!interfaces)
		return;
	free(interfaces->local);
	free(interfaces->changes);
	free(interfaces->numbered);
	free(interfaces->beginnings);
	capture_points_fini(&interfaces->points);
	free(interfaces);
}

static void copy_text(char *to, const char *from)
{
	snprintf(to, MOST_TEXT, "%s", from ? from : "");
}

static bool note_change(struct interfaces *interfaces, const struct rtap_source *source, size_t index)
{
	const struct rtap_interface *interface = rtap_source_interface(source, index);
	struct shared *changes = array_grow(interfaces->changes, &interfaces->change_room, interfaces->change_count + 1, sizeof *changes);
	struct local *local = &interfaces->local[index];

	if (!changes)
		return false;
	interfaces->changes = changes;
	changes += interfaces->change_count++;
	memset(changes, 0, sizeof *changes);
	changes->interface = *interface;
	changes->interface.file = changes->interface.name = changes->interface.description = changes->interface.filter = NULL;
	changes->rank = (uint32_t)interfaces->rank;
	changes->change = (uint32_t)interfaces->change_count;
	changes->index = local->index;
	changes->file = local->file;
	changes->kind = capture_part_kind(interface);
	changes->begin = local->begin;
	changes->has_begun = local->has_begun;
	changes->is_regular = source_file_is_regular(source, local->own_file);
	copy_text(changes->name, interface->name);
	copy_text(changes->description, interface->description);
	copy_text(changes->filter, interface->filter);
	local->dropped = interface->dropped;
	local->received = interface->received;
	local->dropped_by_system = interface->dropped_by_system.value;
	return true;
}

static bool add_local(struct interfaces *interfaces, const struct rtap_source *source, const struct rtap_interface *interface,
		      const uint32_t *file_numbers)
{
	struct local *local = array_grow(interfaces->local, &interfaces->room, interfaces->count + 1, sizeof *local);
	size_t file = 0;

	if (!local)
		return false;
	while (file + 1 < source_file_count(source) && source_file(source, file) != interface->file)
		file++;
	interfaces->local = local;
	local += interfaces->count++;
	*local = (struct local){ .own_file = file, .file = file_numbers[file] };
	for (const struct local *before = interfaces->local; before < local; before++)
		local->index += before->own_file == file;
	return true;
}

bool interfaces_note(struct interfaces *interfaces, const struct rtap_source *source, const uint32_t *file_numbers)
{
	for (size_t i = 0; i < rtap_source_interface_count(source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);
		bool is_new = i == interfaces->count;

		if (is_new && !add_local(interfaces, source, interface, file_numbers))
			return false;
		if (!is_new && interfaces->local[i].dropped == interface->dropped && interfaces->local[i].received == interface->received &&
		    interfaces->local[i].dropped_by_system == interface->dropped_by_system.value)
			continue;
		if (!note_change(interfaces, source, i))
			return false;
	}
	return true;
}

size_t interfaces_file(const struct interfaces *interfaces, uint32_t interface)
{
	return interfaces->local[interface].own_file;
}

uint64_t interfaces_changes(const struct interfaces *interfaces)
{
	return interfaces->change_count;
}

uint32_t interfaces_number(const struct interfaces *interfaces, uint32_t interface)
{
	return interfaces->local[interface].number;
}

bool interfaces_has_begun(const struct interfaces *interfaces, uint32_t interface)
{
	return interfaces->local[interface].has_begun;
}

bool interfaces_begin(struct interfaces *interfaces, const struct rtap_source *source, uint32_t interface, const struct position_key *key)
{
	interfaces->local[interface].has_begun = true;
	interfaces->local[interface].begin = *key;
	return note_change(interfaces, source, interface);
}

uint16_t interfaces_point(const struct interfaces *interfaces, uint32_t interface)
{
	return interfaces->numbered[interfaces->local[interface].number].point;
}

/* As one process that opens the files in their order does. */
static int compare_shared(const void *one, const void *other)
{
	const struct shared *a = one, *b = other;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->change > b->change) - (a->change < b->change);
}

/* The number of an interface; the next one if it has none. */
static size_t find_number(const struct interfaces *interfaces, uint32_t file, uint32_t index)
{
	size_t number = 0;

	while (number < interfaces->numbered_count && (interfaces->numbered[number].file != file || interfaces->numbered[number].index != index))
		number++;
	return number;
}

static bool add_number(struct interfaces *interfaces, const struct shared *shared, struct source_metadata *metadata)
{
	struct numbered *numbered = array_grow(interfaces->numbered, &interfaces->numbered_room, interfaces->numbered_count + 1, sizeof *numbered);
	struct rtap_interface interface = shared->interface;
	uint32_t number;

	if (!numbered)
		return false;
	interfaces->numbered = numbered;
	numbered[interfaces->numbered_count++] = (struct numbered){ .file = shared->file, .index = shared->index };
	interface.file = interfaces->names[shared->file];
	interface.name = shared->name;
	interface.description = shared->description;
	interface.filter = shared->filter;
	return !metadata || source_metadata_add_interface(metadata, &interface, &number);
}

/* What is counted while reading. */
static void update(struct rtap_interface *known, const struct rtap_interface *interface)
{
	known->has_received = interface->has_received;
	known->received = interface->received;
	known->has_dropped = interface->has_dropped;
	known->dropped = interface->dropped;
	known->dropped_by_system = interface->dropped_by_system;
}

static bool add_beginning(struct interfaces *interfaces, const struct shared *shared, uint32_t number)
{
	struct beginning *beginnings = array_grow(interfaces->beginnings, &interfaces->beginning_room, interfaces->beginning_count + 1,
						  sizeof *beginnings);

	if (!beginnings)
		return false;
	interfaces->beginnings = beginnings;
	beginnings[interfaces->beginning_count++] = (struct beginning){
		.key = shared->begin, .rank = shared->rank, .change = shared->change, .number = number,
		.part = { .file = shared->is_regular ? interfaces->names[shared->file] : NULL, .file_number = shared->file, .index = shared->index,
			  .kind = shared->kind },
	};
	return true;
}

static bool take_changes(struct interfaces *interfaces, struct shared *all, size_t count, struct source_metadata *metadata)
{
	qsort(all, count, sizeof *all, compare_shared);
	for (size_t i = 0; i < count; i++) {
		size_t number = find_number(interfaces, all[i].file, all[i].index);

		if (number == interfaces->numbered_count && !add_number(interfaces, &all[i], metadata))
			return false;
		if (metadata)
			update(source_metadata_interface(metadata, number), &all[i].interface);
		if (all[i].has_begun && !interfaces->numbered[number].has_point && !add_beginning(interfaces, &all[i], (uint32_t)number))
			return false;
	}
	for (size_t i = 0; i < interfaces->count; i++) {
		struct local *local = &interfaces->local[i];

		if (!local->is_numbered)
			local->number = (uint32_t)find_number(interfaces, local->file, local->index);
		local->is_numbered = true;
	}
	return true;
}

bool interfaces_share(struct interfaces *interfaces, struct source_metadata *metadata)
{
	int own = ranks_count(interfaces->change_count * sizeof *interfaces->changes, too_many);
	int *counts = ranks_get(2 * (size_t)interfaces->size, sizeof *counts), *begins = counts + interfaces->size;
	struct shared *all;
	size_t total = 0;
	bool shared;

	MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < interfaces->size; i++) {
		begins[i] = ranks_count(total, too_many);
		total += (size_t)counts[i];
	}
	all = ranks_get(total, 1);
	MPI_Allgatherv(interfaces->changes, own, MPI_BYTE, all, counts, begins, MPI_BYTE, MPI_COMM_WORLD);
	shared = take_changes(interfaces, all, total / sizeof *all, metadata);
	interfaces->change_count = 0;
	free(all);
	free(counts);
	return shared;
}

static int compare_keys(const struct position_key *a, const struct position_key *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return (a->minor > b->minor) - (a->minor < b->minor);
}

/* The latest first. */
static int compare_beginnings(const void *one, const void *other)
{
	const struct beginning *a = other, *b = one;
	int order = compare_keys(&a->key, &b->key);

	if (!order && a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return order ? order : (a->change > b->change) - (a->change < b->change);
}

bool interfaces_need_points(const struct interfaces *interfaces, const struct position_key *last)
{
	for (size_t i = 0; i < interfaces->beginning_count; i++)
		if (compare_keys(&interfaces->beginnings[i].key, last) <= 0)
			return true;
	return false;
}

/* What a beginning is compared with. */
struct files_at {
	const int64_t *latest_ns;
	int64_t begin_ns;
	size_t file;
};

/* Frames with equal times are in the order of their files. */
static bool has_ended(const void *owner, size_t file_number)
{
	const struct files_at *at = owner;
	int64_t latest_ns = at->latest_ns[file_number];

	return latest_ns < at->begin_ns || (latest_ns == at->begin_ns && file_number < at->file);
}

void interfaces_set_points(struct interfaces *interfaces, const struct position_key *last, const int64_t *latest_ns)
{
	qsort(interfaces->beginnings, interfaces->beginning_count, sizeof *interfaces->beginnings, compare_beginnings);
	while (interfaces->beginning_count) {
		const struct beginning *next = &interfaces->beginnings[interfaces->beginning_count - 1];
		struct numbered *numbered = &interfaces->numbered[next->number];
		const struct files_at at = { latest_ns, next->key.major, next->part.file_number };

		if (compare_keys(&next->key, last) > 0)
			break;
		/* of a file that is split, each rank has a beginning */
		if (!numbered->has_point)
			numbered->point = capture_points_begin(&interfaces->points, &next->part, next->number, has_ended, &at);
		numbered->has_point = true;
		interfaces->beginning_count--;
	}
}
