/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "output/export/export_paths.h"

#define ROOT "smb"
#define SEPARATOR '~'

struct directory {
	struct disk_entry *entry;
	size_t length;
	char path[];
};

/* The start of a path. */
struct prefix {
	const char *path;
	size_t length;
};

static uint64_t hash_of(const struct prefix *prefix)
{
	return map_hash((const uint64_t[]){ prefix->length, crc32_z(0, (const uint8_t *)prefix->path, prefix->length) }, 2);
}

static bool is_directory(const void *value, const void *wanted)
{
	const struct directory *directory = value;
	const struct prefix *prefix = wanted;

	return directory->length == prefix->length && !memcmp(directory->path, prefix->path, prefix->length);
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes a component to the name; disk_make() encodes it again to the same component. */
static size_t decode(const char *component, size_t length, uint8_t *name)
{
	size_t at = 0;

	for (size_t i = 0; i < length; i++) {
		int high = component[i] == '%' && i + 2 < length ? digit_of(component[i + 1]) : -1, low = high >= 0 ? digit_of(component[i + 2]) : -1;

		name[at++] = (uint8_t)(low >= 0 ? high << 4 | low : component[i]);
		i += low >= 0 ? 2 : 0;
	}
	return at;
}

/* Length of the path up to its last component, and where that begins. */
static struct prefix parent_of(const struct prefix *prefix, struct prefix *last)
{
	size_t at = prefix->length;

	while (at && prefix->path[at - 1] != '/')
		at--;
	*last = (struct prefix){ prefix->path + at, prefix->length - at };
	return (struct prefix){ prefix->path, at ? at - 1 : 0 };
}

static struct disk_entry *make(struct paths *paths, struct disk_entry *parent, const struct prefix *name, bool is_a_directory)
{
	uint8_t decoded[DISK_NAME_MAX];

	if (name->length > DISK_NAME_MAX)
		return NULL;
	return disk_make(paths->disk, parent, decoded, decode(name->path, name->length, decoded), is_a_directory, SEPARATOR);
}

static struct disk_entry *keep(struct paths *paths, const struct prefix *prefix, struct disk_entry *entry)
{
	size_t size = sizeof(struct directory) + prefix->length;
	struct directory *directory = entry && paths->memory + size <= paths->max_memory ? malloc(size) : NULL;

	if (!directory)
		return NULL;
	directory->entry = entry;
	directory->length = prefix->length;
	memcpy(directory->path, prefix->path, prefix->length);
	if (!map_add(&paths->directories, hash_of(prefix), directory)) {
		free(directory);
		return NULL;
	}
	paths->memory += size;
	return entry;
}

/* The directory of a path, created if necessary; the empty path is the root. */
static struct disk_entry *directory_of(struct paths *paths, struct prefix prefix)
{
	struct prefix missing[DISK_MAX_DEPTH], last;
	struct disk_entry *entry = NULL;
	size_t count = 0;

	for (;;) {
		const struct directory *directory = map_find(&paths->directories, hash_of(&prefix), is_directory, &prefix);

		if (directory) {
			entry = directory->entry;
			break;
		}
		if (count == DISK_MAX_DEPTH)
			return NULL;
		missing[count++] = prefix;
		if (!prefix.length)
			break;
		prefix = parent_of(&prefix, &last);
	}
	while (count) {
		const struct prefix *next = &missing[--count];

		parent_of(next, &last);
		if (next->length)
			entry = keep(paths, next, make(paths, entry, &last, true));
		else
			entry = keep(paths, next, disk_make(paths->disk, &paths->disk->root, (const uint8_t *)ROOT, strlen(ROOT), true, SEPARATOR));
		if (!entry)
			return NULL;
	}
	return entry;
}

struct disk_entry *paths_make_file(struct paths *paths, const char *path)
{
	struct prefix last, parent = parent_of(&(struct prefix){ path, strlen(path) }, &last);
	struct disk_entry *directory = directory_of(paths, parent);

	return directory ? make(paths, directory, &last, false) : NULL;
}

bool paths_move(struct paths *paths, struct disk_entry *entry, const char *path)
{
	struct prefix last, parent = parent_of(&(struct prefix){ path, strlen(path) }, &last);
	struct disk_entry *directory = directory_of(paths, parent);
	uint8_t decoded[DISK_NAME_MAX];

	if (!directory || last.length > DISK_NAME_MAX)
		return false;
	disk_move(paths->disk, entry, directory, decoded, decode(last.path, last.length, decoded));
	return true;
}

void paths_fini(struct paths *paths)
{
	for (size_t i = 0; i < paths->directories.room; i++)
		free(paths->directories.slots[i].value);
	map_fini(&paths->directories);
}
