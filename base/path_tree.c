/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/path_tree.h"

#define HASHED 248            /* bytes of a component that are hashed at once */
#define NUMBER_TEXT 24

/* A component in a directory. */
struct place {
	const struct path_node *parent;
	const char *name;
	size_t length;
};

static uint8_t fold(char c)
{
	return (uint8_t)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* `is_folded`: equal for names that differ in the case of ASCII letters only. */
static uint64_t hash_of(const struct place *place, bool is_folded)
{
	uint64_t hash = (uintptr_t)place->parent;

	for (size_t at = 0, length; at < place->length; at += length) {
		uint64_t words[2 + HASHED / 8];
		size_t count;

		length = place->length - at < HASHED ? place->length - at : HASHED;
		count = 2 + (length + 7) / 8;
		words[0] = hash;
		words[count - 1] = 0;
		words[1] = place->length;
		memcpy(words + 2, place->name + at, length);
		for (size_t i = 0; is_folded && i < length; i++)
			((uint8_t *)(words + 2))[i] = fold(place->name[at + i]);
		hash = map_hash(words, count);
	}
	return hash;
}

static bool is_at(const void *value, const void *wanted)
{
	const struct path_node *node = value;
	const struct place *place = wanted;

	return node->parent == place->parent && !strncmp(node->name, place->name, place->length) && !node->name[place->length];
}

static bool is_folded_at(const void *value, const void *wanted)
{
	const struct path_node *node = value;
	const struct place *place = wanted;
	size_t i = 0;

	while (i < place->length && fold(node->name[i]) == fold(place->name[i]))
		i++;
	return node->parent == place->parent && i == place->length && !node->name[i];
}

static struct path_node *find(const struct path_tree *tree, const struct place *place)
{
	return map_find(&tree->nodes, hash_of(place, false), is_at, place);
}

/* The next component; false: there is none. */
static bool next_place(const char **path, struct place *place)
{
	const char *at = *path;

	while (*at == '/')
		at++;
	place->name = at;
	/* components are short */
	while (*at && *at != '/')
		at++;
	place->length = (size_t)(at - place->name);
	*path = at;
	return place->length;
}

struct path_node *path_tree_find(const struct path_tree *tree, const char *path)
{
	struct path_node *node = NULL;
	struct place place;

	for (unsigned level = 0; next_place(&path, &place); level++) {
		place.parent = node;
		node = level < PATH_TREE_LEVELS ? find(tree, &place) : NULL;
		if (!node)
			return NULL;
	}
	return node;
}

struct path_node *path_tree_find_folded(const struct path_tree *tree, const char *path)
{
	struct path_node *node = NULL, *exact;
	struct place place;

	for (unsigned level = 0; next_place(&path, &place); level++) {
		place.parent = node;
		exact = level < PATH_TREE_LEVELS ? find(tree, &place) : NULL;
		node = exact || level >= PATH_TREE_LEVELS ? exact : map_find(&tree->folded, hash_of(&place, true), is_folded_at, &place);
		if (!node)
			return NULL;
	}
	return node;
}

static void raise_height(struct path_node *node)
{
	for (uint32_t height = node->height + 1; (node = node->parent) && node->height < height; height++)
		node->height = height;
}

/* Of names that differ in case, one is in the index: the others would all have its hash. */
static void enter_folded(struct path_tree *tree, struct path_node *node, const struct place *place)
{
	node->folded_hash = hash_of(place, true);
	node->is_folded = !map_find(&tree->folded, node->folded_hash, is_folded_at, place) && map_add(&tree->folded, node->folded_hash, node);
}

static void leave(struct path_tree *tree, struct path_node *node)
{
	map_remove(&tree->nodes, node->hash, node);
	if (node->is_folded)
		map_remove(&tree->folded, node->folded_hash, node);
}

static struct path_node *create(struct path_tree *tree, struct path_node *parent, const struct place *place)
{
	struct path_node *node = memory_new_zeroed(1, tree->node_size);

	if (!node)
		return NULL;
	node->name = memory_new(place->length + 1);
	node->hash = hash_of(place, false);
	if (!node->name || !map_add(&tree->nodes, node->hash, node)) {
		free(node->name);
		free(node);
		return NULL;
	}
	memcpy(node->name, place->name, place->length);
	node->name[place->length] = '\0';
	node->parent = parent;
	enter_folded(tree, node, place);
	if (parent)
		parent->references++;
	tree->memory += tree->node_size + place->length + 1;
	raise_height(node);
	return node;
}

static void drop(struct path_tree *tree, struct path_node *node)
{
	leave(tree, node);
	tree->memory -= tree->node_size + strlen(node->name) + 1;
	free(node->name);
	free(node);
}

void path_tree_release(struct path_tree *tree, struct path_node *node)
{
	struct path_node *parent;

	for (; node && !--node->references; node = parent) {
		parent = node->parent;
		drop(tree, node);
	}
}

struct path_node *path_tree_get(struct path_tree *tree, const char *path)
{
	struct path_node *node = NULL, *next;
	struct place place;

	for (unsigned level = 0; next_place(&path, &place); level++) {
		place.parent = node;
		next = level < PATH_TREE_LEVELS ? find(tree, &place) : NULL;
		if (!next && level < PATH_TREE_LEVELS)
			next = create(tree, node, &place);
		if (next)
			next->references++;
		path_tree_release(tree, node);
		if (!next)
			return NULL;
		node = next;
	}
	return node;
}

/* Gives a node another name in a directory, and its reference of that. Fails, without any effect, if out of memory. */
static bool put(struct path_tree *tree, struct path_node *node, struct path_node *parent, const struct place *place)
{
	char *name = memory_new(place->length + 1);
	struct path_node *before = node->parent;
	bool has_room;

	if (!name)
		return false;
	memcpy(name, place->name, place->length);
	name[place->length] = '\0';
	leave(tree, node);
	node->hash = hash_of(place, false);
	has_room = map_add(&tree->nodes, node->hash, node);
	assert(has_room);
	(void)has_room; /* one was removed */
	tree->memory = tree->memory - strlen(node->name) + place->length; /* 64 bits, also if the name becomes shorter */
	free(node->name);
	node->name = name;
	node->parent = parent;
	enter_folded(tree, node, place);
	raise_height(node);
	path_tree_release(tree, before);
	return true;
}

/* Whether the node can be put into the directory. */
static bool may_be_in(const struct path_node *node, const struct path_node *parent)
{
	uint32_t levels = node->height + 1;

	for (; parent; parent = parent->parent, levels++)
		if (parent == node)
			return false;
	return levels <= PATH_TREE_LEVELS;
}

bool path_tree_move(struct path_tree *tree, struct path_node *node, const char *path)
{
	const char *last = strrchr(path, '/');
	size_t length = last ? (size_t)(last - path) : 0;
	struct path_node *parent = NULL;
	struct place place = { .name = last ? last + 1 : path };

	if (length) {
		char *directory = memory_new(length + 1);

		if (!directory)
			return false;
		memcpy(directory, path, length);
		directory[length] = '\0';
		parent = path_tree_get(tree, directory);
		free(directory);
		if (!parent)
			return false;
	}
	place.parent = parent;
	place.length = strlen(place.name);
	if (place.length && may_be_in(node, parent) && !find(tree, &place) && put(tree, node, parent, &place))
		return true;
	path_tree_release(tree, parent);
	return false;
}

bool path_tree_set_aside(struct path_tree *tree, struct path_node *node, char mark)
{
	size_t length = strcspn(node->name, (const char[]){ mark, '\0' }), size = length + NUMBER_TEXT;
	struct place place = { .parent = node->parent };
	char *name = memory_new(size);
	bool good;

	if (!name)
		return false;
	place.length = (size_t)snprintf(name, size, "%.*s%c%" PRIu64, (int)length, node->name, mark, ++tree->aside);
	place.name = name;
	/* put() returns the reference of the old directory */
	if (node->parent)
		node->parent->references++;
	good = put(tree, node, node->parent, &place);
	if (!good)
		path_tree_release(tree, node->parent);
	free(name);
	return good;
}

char *path_tree_text(const struct path_node *node)
{
	size_t size = 0, at;
	char *text;

	for (const struct path_node *next = node; next; next = next->parent)
		size += strlen(next->name) + 1;
	text = memory_new(size);
	if (!text)
		return NULL;
	at = size;
	for (const struct path_node *next = node; next; next = next->parent) {
		size_t length = strlen(next->name);

		text[--at] = next == node ? '\0' : '/';
		at -= length;
		memcpy(text + at, next->name, length);
	}
	return text;
}

void path_tree_fini(struct path_tree *tree, void (*drop_node)(struct path_node *node))
{
	for (size_t i = 0; i < tree->nodes.room; i++) {
		struct path_node *node = tree->nodes.slots[i].value;

		if (!node)
			continue;
		if (drop_node)
			drop_node(node);
		free(node->name);
		free(node);
	}
	map_fini(&tree->nodes);
	map_fini(&tree->folded);
}
