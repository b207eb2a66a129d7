/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/export/export_names.h"

static void take_created(struct name_tree *tree, struct name_node *name)
{
	struct node *node = (struct node *)name;

	(void)tree;
	node->doubt = names_server(node)->doubt;
}

static void take_dropped(struct name_tree *tree, struct name_node *name)
{
	(void)tree;
	ranges_fini(&((struct node *)name)->ranges);
}

static void set_entry(struct names *names, struct node *node, struct disk_entry *entry, struct name *placed)
{
	node->entry = entry;
	node->name.placed = entry ? placed : NULL;
	name_tree_keep(&names->tree, &node->name, entry);
}

/* The disk entry of a rooted directory, created with its parents. NULL: the disk failed, too deep, or one is exported as a file. */
static struct disk_entry *place_directory(struct names *names, struct name_node *name)
{
	struct node *path[NAME_TREE_LEVELS], *node = (struct node *)name;
	struct disk_entry *entry = &names->disk->root;
	unsigned depth = 0;

	for (; !node->name.is_root && !(node->entry && node->name.placed); node = (struct node *)name_tree_parent(&node->name)) {
		if (node->entry && !node->entry->is_directory)
			return NULL;
		path[depth++] = node;
	}
	if (!node->name.is_root)
		entry = node->entry->is_directory ? node->entry : NULL;
	while (depth && entry) {
		struct name *placed;

		node = path[--depth];
		placed = LIST_FIRST(&node->name.names);
		entry = disk_make(names->disk, entry, placed->bytes, placed->length, true, '~');
		set_entry(names, node, entry, placed);
	}
	return entry;
}

static bool has_path(const struct node *node)
{
	const struct name_node *directory = name_tree_parent(&node->name);

	return directory && name_tree_is_rooted(directory);
}

/* Moves a node's file or directory to its path, if it has both and is stored elsewhere. */
static void take_moved(struct name_tree *tree, struct name_node *name)
{
	struct names *names = (struct names *)tree;
	struct node *node = (struct node *)name;
	struct name *first = LIST_FIRST(&name->names);
	struct disk_entry *directory;

	if (!node->entry || !has_path(node))
		return;
	directory = place_directory(names, first->directory);
	if (!directory || (name->placed == first && node->entry->parent == directory))
		return;
	disk_move(names->disk, node->entry, directory, first->bytes, first->length);
	name->placed = first;
}

/* A file stays where it is; a removed directory is no longer that of this node. */
static void take_unnamed(struct name_tree *tree, struct name_node *name)
{
	struct names *names = (struct names *)tree;
	struct node *node = (struct node *)name;

	if (!node->entry || !node->entry->is_directory)
		return;
	disk_vacate(names->disk, node->entry);
	set_entry(names, node, NULL, NULL);
}

void names_init(struct names *names, struct disk *disk, uint64_t max_memory)
{
	*names = (struct names){ .disk = disk };
	name_tree_init(&names->tree, sizeof(struct node), sizeof(struct server), max_memory);
	names->tree.beside = &disk->memory;
	names->tree.created = take_created;
	names->tree.dropped = take_dropped;
	names->tree.moved = take_moved;
	names->tree.unnamed = take_unnamed;
}

void names_fini(struct names *names)
{
	name_tree_fini(&names->tree);
}

struct disk_entry *names_place(struct names *names, struct node *node)
{
	struct disk_entry *directory, *entry = NULL;
	struct name *first = LIST_FIRST(&node->name.names);
	char hash[9];

	if (node->entry && node->entry->is_directory) {
		names->contrary++;
		return NULL;
	}
	if (node->entry)
		return node->entry;
	directory = has_path(node) ? place_directory(names, first->directory) : NULL;
	if (directory)
		entry = disk_make(names->disk, directory, first->bytes, first->length, false, '~');
	if (entry) {
		set_entry(names, node, entry, first);
		return entry;
	}
	directory = disk_by_handle(names->disk);
	if (!directory)
		return NULL;
	snprintf(hash, sizeof hash, "%08" PRIx32, name_tree_hash(&node->name));
	entry = disk_make(names->disk, directory, (const uint8_t *)hash, 8, false, '-');
	set_entry(names, node, entry, NULL);
	return entry;
}
