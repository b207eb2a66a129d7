/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares the tree with a model: a list of all paths, in which the move of a directory rewrites the paths below it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/memory.h"
#include "base/path_tree.h"

#define STEPS 3000
#define MOST_ENTRIES 4000
#define MOST_HANDLES 32
#define PATH_ROOM (1 << 17)

/* These functions stand in for those of base/memory.c: the allocation that `until_failure` counts down to fails. */
_Thread_local uint64_t memory_failed;
static unsigned until_failure;

static bool fails(void)
{
	bool now = until_failure && !--until_failure;

	memory_failed += now;
	return now;
}

void *memory_new(size_t bytes)
{
	return fails() ? NULL : malloc(bytes);
}

void *memory_new_zeroed(size_t count, size_t size)
{
	return fails() ? NULL : calloc(count, size);
}

void *memory_resize(void *old, size_t bytes)
{
	return fails() ? NULL : realloc(old, bytes);
}

/* A file or directory of the model. */
struct entry {
	char *path;               /* components with one slash between each two */
	unsigned owners;
	uint32_t height;
	struct path_node *node;   /* NULL: not known yet */
};

struct owned {
	struct path_node head;
	uint64_t zero;
};

struct model {
	struct path_tree tree;    /* what is tested */
	struct entry *entries[MOST_ENTRIES];
	unsigned count;
	struct entry *handles[MOST_HANDLES]; /* one for each reference of an owner */
	unsigned handle_count;
	uint64_t aside;
	uint64_t dice;
	unsigned done[8], failed; /* operations of each kind that succeeded, and failed allocations */
	char path[PATH_ROOM];
};

enum operation { GET, RELEASE, FIND, MOVE, REFUSED_BELOW, REFUSED_TAKEN, REFUSED_DEEP, SET_ASIDE };

static unsigned roll(struct model *model, unsigned sides)
{
	model->dice = model->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((model->dice >> 33) % sides);
}

static unsigned levels_of(const char *path)
{
	unsigned levels = *path ? 1 : 0;

	for (; *path; path++)
		levels += *path == '/';
	return levels;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) && path[length] == '/';
}

static struct entry *entry_at(const struct model *model, const char *path)
{
	for (unsigned i = 0; i < model->count; i++)
		if (!strcmp(model->entries[i]->path, path))
			return model->entries[i];
	return NULL;
}

/* The directory of a path; "": none. On the heap. */
static char *directory_of(const char *path)
{
	const char *last = strrchr(path, '/');

	return strndup(path, last ? (size_t)(last - path) : 0);
}

/* The path with one slash between each two components, on the heap. */
static char *plain(const char *path)
{
	char *text = malloc(strlen(path) + 1), *at = text;

	cr_assert(text);
	for (; *path; path++)
		if (*path != '/')
			*at++ = *path;
		else if (at > text && path[1] && path[1] != '/')
			*at++ = '/';
	*at = '\0';
	return text;
}

/* The directories of an entry are as high as it requires. */
static void raise_directories(struct model *model, const struct entry *entry)
{
	const unsigned levels = levels_of(entry->path);

	for (unsigned i = 0; i < model->count; i++) {
		struct entry *directory = model->entries[i];
		uint32_t height;

		if (!is_below(entry->path, directory->path))
			continue;
		height = levels - levels_of(directory->path) + entry->height;
		if (directory->height < height)
			directory->height = height;
	}
}

/* Removes the entry at the path, and its directories, as far as nobody needs them. */
static void prune(struct model *model, const char *start)
{
	for (char *path = strdup(start), *directory; ; path = directory) {
		struct entry *entry = entry_at(model, path);
		unsigned below = 0, place = 0;

		for (unsigned i = 0; entry && i < model->count; i++) {
			below += is_below(model->entries[i]->path, path);
			place = model->entries[i] == entry ? i : place;
		}
		directory = directory_of(path);
		free(path);
		if (!entry || entry->owners || below) {
			free(directory);
			return;
		}
		model->entries[place] = model->entries[--model->count];
		free(entry->path);
		free(entry);
	}
}

/* Adds an owner of the path. NULL: too deep. */
static struct entry *model_get(struct model *model, const char *path)
{
	struct entry *entry = NULL;
	unsigned level = 0;

	for (const char *end = path; *end; ) {
		char *beginning;

		end += strspn(end, "/");
		end += strcspn(end, "/");
		beginning = strndup(path, (size_t)(end - path));
		if (level++ == PATH_TREE_LEVELS) {
			free(beginning);
			prune(model, entry->path);
			return NULL;
		}
		entry = entry_at(model, beginning);
		if (entry) {
			free(beginning);
			continue;
		}
		cr_assert(model->count < MOST_ENTRIES);
		entry = model->entries[model->count++] = calloc(1, sizeof *entry);
		entry->path = beginning;
		raise_directories(model, entry);
	}
	if (entry)
		entry->owners++;
	return entry;
}

static void model_release(struct model *model, struct entry *entry)
{
	char *path = strdup(entry->path);

	entry->owners--;
	prune(model, path);
	free(path);
}

static void rewrite(struct model *model, struct entry *entry, const char *path)
{
	char *before = strdup(entry->path), *directory = directory_of(before);

	for (unsigned i = 0; i < model->count; i++) {
		char *old = model->entries[i]->path, *text;

		if (model->entries[i] != entry && !is_below(old, before))
			continue;
		cr_assert_geq(asprintf(&text, "%s%s", path, old + strlen(before)), 0);
		model->entries[i]->path = text;
		free(old);
	}
	raise_directories(model, entry);
	prune(model, directory);
	free(before);
	free(directory);
}

/* What the tree should do with the move. */
static bool model_move(struct model *model, struct entry *entry, const char *path)
{
	char *directory = directory_of(path);
	struct entry *parent = *directory ? model_get(model, directory) : NULL;
	enum operation result = MOVE;

	if (*directory && !parent)
		result = REFUSED_DEEP;
	else if (is_below(path, entry->path))
		result = REFUSED_BELOW;
	else if (entry_at(model, path))
		result = REFUSED_TAKEN;
	else if (levels_of(path) + entry->height > PATH_TREE_LEVELS)
		result = REFUSED_DEEP;
	else
		rewrite(model, entry, path);
	if (parent)
		model_release(model, parent);
	free(directory);
	model->done[result]++;
	return result == MOVE;
}

static void add_component(struct model *model, size_t *at, const char *name, unsigned slashes)
{
	cr_assert_lt(*at + strlen(name) + slashes, PATH_ROOM);
	*at += (size_t)sprintf(model->path + *at, "%.*s%s", (int)slashes, "///", name);
}

/* In model->path: near an existing one, or deep, or long. `is_plain`: no superfluous slashes. */
static const char *choose_path(struct model *model, bool is_plain)
{
	static const char *const names[] = { "a", "b", "c", "d", "name" };
	unsigned more = roll(model, 3);
	char name[302];
	size_t at = 0;

	*model->path = '\0';
	if (model->count && roll(model, 4)) {
		add_component(model, &at, model->entries[roll(model, model->count)]->path, is_plain ? 0 : roll(model, 3));
		if (!roll(model, 3)) {
			char *directory = directory_of(model->path);

			at = (size_t)sprintf(model->path, "%s", directory);
			free(directory);
		}
	}
	if (!roll(model, 40))
		more = 100 + roll(model, 40);
	for (more += !at; more; more--) {
		snprintf(name, sizeof name, "%s", names[roll(model, 5)]);
		if (!roll(model, 30)) {
			/* equal in the bytes that are hashed */
			memset(name, 'l', 300);
			name[299] = names[roll(model, 4)][0];
			name[299 + roll(model, 2)] = '\0';
		}
		add_component(model, &at, name, at ? is_plain ? 1 : 1 + roll(model, 3) : 0);
	}
	if (!is_plain && !roll(model, 4))
		add_component(model, &at, "", 1);
	return model->path;
}

/* The whole tree is that of the model. */
static void compare(struct model *model)
{
	uint64_t memory = 0;

	cr_assert_eq(model->tree.nodes.count, model->count);
	for (unsigned i = 0; i < model->count; i++) {
		struct entry *entry = model->entries[i];
		const char *last = strrchr(entry->path, '/');
		struct path_node *node = path_tree_find(&model->tree, entry->path);
		unsigned children = 0;
		char *text;

		cr_assert(node && (!entry->node || entry->node == node), "%s", entry->path);
		entry->node = node;
		for (unsigned j = 0; j < model->count; j++) {
			const char *path = model->entries[j]->path;

			children += is_below(path, entry->path) && !strchr(path + strlen(entry->path) + 1, '/');
		}
		cr_assert_eq(node->references, entry->owners + children, "%s", entry->path);
		cr_assert_eq(node->height, entry->height, "%s: %u, not %u", entry->path, node->height, entry->height);
		cr_assert_leq(levels_of(entry->path) + node->height, PATH_TREE_LEVELS);
		cr_assert_eq(((struct owned *)node)->zero, 0);
		text = path_tree_text(node);
		cr_assert_str_eq(text, entry->path);
		free(text);
		memory += sizeof(struct owned) + strlen(last ? last + 1 : entry->path) + 1;
	}
	cr_assert_eq(model->tree.memory, memory);
}

/* An allocation failed: nothing changed, except that directories were made for a while, and numbers used up. */
static void adopt_traces(struct model *model)
{
	model->failed++;
	for (unsigned i = 0; i < model->count; i++) {
		struct entry *entry = model->entries[i];
		const struct path_node *node = path_tree_find(&model->tree, entry->path);

		cr_assert(node, "%s", entry->path);
		cr_assert_geq(node->height, entry->height);
		entry->height = node->height;
	}
	cr_assert_leq(model->tree.aside - model->aside, 1);
	model->aside = model->tree.aside;
	cr_assert_eq(model->tree.nodes.count, model->count);
}

/* Whether an allocation failed since the last call. */
static bool has_failed(struct model *model)
{
	bool failed = memory_failed;

	until_failure = 0;
	memory_failed = 0;
	if (failed)
		adopt_traces(model);
	return failed;
}

static void get(struct model *model)
{
	const char *path = choose_path(model, false);
	struct path_node *node = path_tree_get(&model->tree, path);
	char *text = plain(path);
	struct entry *entry;

	if (has_failed(model)) {
		cr_assert_null(node);
	} else {
		entry = model_get(model, text);
		cr_assert_eq(!node, !entry, "%s", text);
		if (entry) {
			cr_assert(!entry->node || entry->node == node);
			entry->node = node;
			model->handles[model->handle_count++] = entry;
			model->done[GET]++;
		}
	}
	free(text);
}

static void release(struct model *model)
{
	unsigned i = roll(model, model->handle_count);
	struct entry *entry = model->handles[i];

	model->handles[i] = model->handles[--model->handle_count];
	path_tree_release(&model->tree, entry->node);
	model_release(model, entry);
	model->done[RELEASE]++;
}

static void find(struct model *model)
{
	const char *path = choose_path(model, false);
	char *text = plain(path);
	struct entry *entry = entry_at(model, text);
	struct path_node *node = path_tree_find(&model->tree, path);

	cr_assert_eq(!node, !entry, "%s", text);
	cr_assert(!entry || !entry->node || entry->node == node, "%s", text);
	model->done[FIND] += node != NULL;
	free(text);
}

static void move(struct model *model)
{
	struct entry *entry = model->handles[roll(model, model->handle_count)];
	char *path = strdup(choose_path(model, true));
	bool is_moved;

	if (!roll(model, 8)) {
		free(path);
		cr_assert_geq(asprintf(&path, "%s/%s", entry->path, roll(model, 2) ? "a" : "b/c"), 0);
	}
	is_moved = path_tree_move(&model->tree, entry->node, path);
	if (has_failed(model))
		cr_assert_not(is_moved);
	else
		cr_assert_eq(is_moved, model_move(model, entry, path), "%s to %s: %d", entry->path, path, is_moved);
	free(path);
}

static void set_aside(struct model *model)
{
	struct entry *entry = model->handles[roll(model, model->handle_count)];
	const char *last = strrchr(entry->path, '/');
	size_t directory = last ? (size_t)(last + 1 - entry->path) : 0;
	char mark = roll(model, 2) ? '\1' : '\2', *path;
	bool is_aside = path_tree_set_aside(&model->tree, entry->node, mark);

	if (has_failed(model)) {
		cr_assert_not(is_aside);
		return;
	}
	cr_assert(is_aside);
	cr_assert_geq(asprintf(&path, "%.*s%c%llu", (int)(directory + strcspn(entry->path + directory, (const char[]){ mark, '\0' })), entry->path, mark,
			       (unsigned long long)++model->aside), 0);
	rewrite(model, entry, path);
	free(path);
	model->done[SET_ASIDE]++;
}

static void text(struct model *model)
{
	struct entry *entry = model->handles[roll(model, model->handle_count)];
	char *path = path_tree_text(entry->node);

	if (has_failed(model))
		cr_assert_null(path);
	else
		cr_assert_str_eq(path, entry->path);
	free(path);
}

static unsigned dropped;

static void count_dropped(struct path_node *node)
{
	cr_assert(node->name);
	dropped++;
}

static void finish(struct model *model)
{
	dropped = 0;
	path_tree_fini(&model->tree, count_dropped);
	cr_expect_eq(dropped, model->count);
	for (unsigned i = 0; i < model->count; i++) {
		free(model->entries[i]->path);
		free(model->entries[i]);
	}
	free(model);
}

/* `failures`: one of so many operations lacks memory; 0: none. */
static void run(unsigned seed, unsigned failures)
{
	struct model *model = calloc(1, sizeof *model);

	cr_assert(model);
	model->tree.node_size = sizeof(struct owned);
	model->dice = seed;
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned kind = roll(model, 10);

		if (failures && !roll(model, failures))
			until_failure = 1 + roll(model, 6);
		if (!model->handle_count || (kind < 3 && model->handle_count < MOST_HANDLES))
			get(model);
		else if (kind < 5)
			release(model);
		else if (kind == 5)
			find(model);
		else if (kind < 8)
			move(model);
		else if (kind == 8 && !roll(model, 3))
			set_aside(model);
		else
			text(model);
		until_failure = 0;
		if (step % 16 == 0)
			compare(model);
	}
	for (enum operation i = 0; i <= SET_ASIDE; i++)
		cr_expect_geq(model->done[i], 5, "seed %u: operation %d: %u", seed, (int)i, model->done[i]);
	cr_expect(!failures || model->failed >= 50, "seed %u: %u", seed, model->failed);
	compare(model);
	if (seed % 2)
		finish(model);
	else {
		while (model->handle_count)
			release(model);
		cr_expect_eq(model->tree.nodes.count, 0);
		cr_expect_eq(model->tree.memory, 0);
		finish(model);
	}
}

TestSuite(path_tree, .timeout = HANG_SECONDS);

Test(path_tree, is_a_list_of_paths_in_which_moves_rewrite_beginnings)
{
	for (unsigned seed = 1; seed <= 2; seed++)
		run(seed, 0);
}

Test(path_tree, finds_paths_that_differ_in_case)
{
	struct path_tree tree = { .node_size = sizeof(struct path_node) };
	struct path_node *upper = path_tree_get(&tree, "srv/Dir/A.TXT"), *lower = path_tree_get(&tree, "srv/Dir/a.txt");

	cr_assert(upper && lower && upper != lower);
	cr_expect_eq(path_tree_find_folded(&tree, "srv/Dir/A.TXT"), upper);
	cr_expect_eq(path_tree_find_folded(&tree, "srv/Dir/a.txt"), lower);
	path_tree_release(&tree, lower);
	cr_expect_eq(path_tree_find_folded(&tree, "SRV/dir/a.tXt"), upper);
	cr_expect_null(path_tree_find(&tree, "srv/Dir/a.txt"));
	/* other characters are not letters: '@' and '`', '[' and '{' differ as letters do */
	for (const char *path = "srv/dir/a.tx\0srv/dir/a.txtt\0srv/dir\0srv/dir/a.txt/b\0"; *path; path += strlen(path) + 1)
		cr_expect(!path_tree_find_folded(&tree, path) || path_tree_find_folded(&tree, path) == upper->parent, "%s", path);
	path_tree_release(&tree, path_tree_get(&tree, "@["));
	lower = path_tree_get(&tree, "@[");
	cr_expect_null(path_tree_find_folded(&tree, "`{"));
	path_tree_release(&tree, lower);
	path_tree_release(&tree, upper);
	cr_expect_eq(tree.memory, 0);
	path_tree_fini(&tree, NULL);
}

Test(path_tree, is_unchanged_by_what_fails_for_lack_of_memory)
{
	for (unsigned seed = 1; seed <= 2; seed++)
		run(seed, 4);
}
