/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "output/export/export_place.h"

static struct contents *contents_of(struct name_tree *tree)
{
	return (struct contents *)((char *)tree - offsetof(struct contents, tree));
}

static void take_created(struct name_tree *tree, struct name_node *name)
{
	struct node *node = (struct node *)name;

	(void)tree;
	node->doubt = ((struct server *)node->name.server)->doubt;
}

static void take_dropped(struct name_tree *tree, struct name_node *name)
{
	(void)tree;
	ranges_fini(&((struct node *)name)->ranges);
	ranges_fini(&((struct node *)name)->pending);
}

static void set_entry(struct contents *contents, struct node *node, struct disk_entry *entry, struct name *placed)
{
	node->entry = entry;
	node->name.placed = entry ? placed : NULL;
	name_tree_keep(&contents->tree, &node->name, entry);
}

/* The disk entry of a rooted directory, created with its parents. NULL: the disk failed, too deep, or one is exported as a file. */
static struct disk_entry *place_directory(struct contents *contents, struct name_node *name)
{
	struct node *path[NAME_TREE_LEVELS], *node = (struct node *)name;
	struct disk_entry *entry = &contents->disk->root;
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
		entry = disk_make(contents->disk, entry, placed->bytes, placed->length, true, '~');
		set_entry(contents, node, entry, placed);
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
	struct contents *contents = contents_of(tree);
	struct node *node = (struct node *)name;
	struct name *first = LIST_FIRST(&name->names);
	struct disk_entry *directory;

	if (!node->entry || !has_path(node))
		return;
	directory = place_directory(contents, first->directory);
	if (!directory || (name->placed == first && node->entry->parent == directory))
		return;
	disk_move(contents->disk, node->entry, directory, first->bytes, first->length);
	name->placed = first;
}

/* A file stays where it is; a removed directory is no longer that of this node. */
static void take_unnamed(struct name_tree *tree, struct name_node *name)
{
	struct contents *contents = contents_of(tree);
	struct node *node = (struct node *)name;

	if (!node->entry || !node->entry->is_directory)
		return;
	disk_vacate(contents->disk, node->entry);
	set_entry(contents, node, NULL, NULL);
}

struct disk_entry *place_file(struct contents *contents, struct node *node)
{
	struct disk_entry *directory, *entry = NULL;
	struct name *first = LIST_FIRST(&node->name.names);
	char hash[9];

	if (node->entry && node->entry->is_directory) {
		contents->on_directories++;
		return NULL;
	}
	if (node->entry)
		return node->entry;
	directory = has_path(node) ? place_directory(contents, first->directory) : NULL;
	if (directory)
		entry = disk_make(contents->disk, directory, first->bytes, first->length, false, '~');
	if (entry) {
		set_entry(contents, node, entry, first);
		return entry;
	}
	directory = disk_by_handle(contents->disk);
	if (!directory)
		return NULL;
	snprintf(hash, sizeof hash, "%08" PRIx32, name_tree_hash(&node->name));
	entry = disk_make(contents->disk, directory, (const uint8_t *)hash, 8, false, '-');
	set_entry(contents, node, entry, NULL);
	return entry;
}

void place_init(struct contents *contents)
{
	contents->tree.created = take_created;
	contents->tree.dropped = take_dropped;
	contents->tree.moved = take_moved;
	contents->tree.unnamed = take_unnamed;
}
