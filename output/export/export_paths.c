/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/export/export_paths.h"
#include "reassembly/file_effect.h"

#define ROOT "smb"
#define SEPARATOR '~'
#define ASIDE "~2"            /* a file that has its name no more leaves it to another one */
#define MARK '\2'              /* in the names of files that were replaced */

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

/* Decodes the node's component. A name ends at a control character. The number after it keeps files apart that have no name any more. */
static size_t name_of(const struct path *path, uint8_t name[DISK_NAME_MAX])
{
	size_t length = 0;

	while ((uint8_t)path->node.name[length] >= ' ')
		length++;
	return length <= DISK_NAME_MAX ? decode(path->node.name, length, name) : 0;
}

static struct disk_entry *make(struct paths *paths, struct disk_entry *parent, const struct path *path, bool is_a_directory)
{
	uint8_t name[DISK_NAME_MAX + sizeof ASIDE];
	size_t length = name_of(path, name);

	if (strpbrk(path->node.name, (const char[]){ MARK, FILE_ASIDE_MARK, 0 })) {
		memcpy(name + length, ASIDE, strlen(ASIDE));
		length += strlen(ASIDE);
	}
	return parent && length ? disk_make(paths->disk, parent, name, length, is_a_directory, SEPARATOR) : NULL;
}

static struct path *parent_of(const struct path *path)
{
	return (struct path *)path->node.parent;
}

/* The directory of a file or directory, created if necessary. NULL: the disk failed, or too deep. */
static struct disk_entry *directory_of(struct paths *paths, const struct path *path)
{
	struct path *missing[PATH_TREE_LEVELS], *above;
	struct disk_entry *entry;
	size_t count = 0;

	for (above = parent_of(path); above && !above->directory && count < PATH_TREE_LEVELS; above = parent_of(above))
		missing[count++] = above;
	if (!above && !paths->root)
		paths->root = disk_make(paths->disk, &paths->disk->root, (const uint8_t *)ROOT, strlen(ROOT), true, SEPARATOR);
	for (entry = above ? above->directory : paths->root; count && entry; entry = missing[count]->directory) {
		count--;
		missing[count]->directory = make(paths, entry, missing[count], true);
		/* it remains when its last file is moved */
		missing[count]->node.references += missing[count]->directory != NULL;
	}
	return entry;
}

void paths_init(struct paths *paths, struct disk *disk, uint64_t max_memory)
{
	*paths = (struct paths){ .disk = disk, .max_memory = max_memory, .tree = { .node_size = sizeof(struct path) } };
}

struct path *paths_find(const struct paths *paths, const char *path)
{
	return (struct path *)path_tree_find(&paths->tree, path);
}

struct path *paths_make_file(struct paths *paths, const char *text)
{
	struct path *path = paths->tree.memory < paths->max_memory ? (struct path *)path_tree_get(&paths->tree, text) : NULL;
	struct disk_entry *directory = path ? directory_of(paths, path) : NULL;

	if (path && !path->entry)
		path->entry = make(paths, directory, path, false);
	if (path && path->entry)
		return path;
	path_tree_release(&paths->tree, path ? &path->node : NULL);
	return NULL;
}

/* Moves what the path has on the disk to where the path is now. */
static bool place(struct paths *paths, struct path *path)
{
	struct disk_entry *directory = path->directory || path->entry ? directory_of(paths, path) : NULL;
	uint8_t name[DISK_NAME_MAX];
	size_t length = name_of(path, name);

	if (!path->directory && !path->entry)
		return true;
	if (!directory || !length)
		return false;
	if (path->directory)
		disk_move(paths->disk, path->directory, directory, name, length);
	if (path->entry)
		disk_move(paths->disk, path->entry, directory, name, length);
	return true;
}

bool paths_move(struct paths *paths, const char *from, const char *to)
{
	struct path *path = paths_find(paths, from), *replaced = paths_find(paths, to);

	if (replaced && replaced != path && (!path_tree_set_aside(&paths->tree, &replaced->node, MARK) || !place(paths, replaced)))
		return false;
	if (!path || path == replaced)
		return true;
	return path_tree_move(&paths->tree, &path->node, to) && place(paths, path);
}

void paths_fini(struct paths *paths)
{
	path_tree_fini(&paths->tree, NULL);
}
