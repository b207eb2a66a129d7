/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/clear.h"
#include "dissect/engine/crc32.h"
#include "reassembly/upper/name_tree.h"

#define STEPS_OF_NAME 64

struct handle {
	struct name_node *node;
	SLIST_ENTRY(handle) link; /* in the handles of the node */
	const struct name_server *server;
	uint64_t hash;
	size_t length;
	uint8_t bytes[];
};

#define HASHED_WORDS 17 /* most handles and names have no more */

static uint64_t hash_bytes(uint64_t first, const uint8_t *bytes, size_t length)
{
	uint64_t words[HASHED_WORDS], hash = first;

	do {
		size_t here = length < 8 * (HASHED_WORDS - 1) ? length : 8 * (HASHED_WORDS - 1), count = 1 + (here + 7) / 8;

		words[0] = hash ^ (uint64_t)length << 48;
		words[count - 1] = count > 1 ? 0 : words[0];
		if (here)
			call_memcpy(words + 1, bytes, here);
		hash = map_hash(words, count);
		bytes += here;
		length -= here;
	} while (length);
	return hash;
}

static bool same_bytes(const uint8_t *bytes, size_t length, struct rtap_span piece)
{
	return length == piece.length && (!length || !memcmp(bytes, piece.bytes, length));
}

/* Keys of the maps. */
struct handle_key {
	const struct name_server *server;
	struct rtap_span handle;
};

struct name_key {
	const struct name_node *directory;
	struct rtap_span name;
};

struct id_key {
	const struct name_server *server;
	const uint64_t *fsid;
	uint64_t fileid;
};

static bool is_handle(const void *value, const void *key)
{
	const struct handle *handle = value;
	const struct handle_key *sought = key;

	return handle->server == sought->server && same_bytes(handle->bytes, handle->length, sought->handle);
}

static bool is_name(const void *value, const void *key)
{
	const struct name *name = value;
	const struct name_key *sought = key;

	return name->directory == sought->directory && same_bytes(name->bytes, name->length, sought->name);
}

static bool is_id(const void *value, const void *key)
{
	const struct name_node *node = value;
	const struct id_key *sought = key;

	return node->server == sought->server && node->fileid == sought->fileid && node->fsid[0] == sought->fsid[0] &&
	       node->fsid[1] == sought->fsid[1];
}

static bool is_server(const void *value, const void *key)
{
	const struct name_server *server = value;
	const struct rtap_end *end = key;

	return server->length == end->address_length && !memcmp(server->address, end->address, server->length);
}

static uint64_t hash_of_name(const struct name_node *directory, struct rtap_span name)
{
	return hash_bytes((uint64_t)(uintptr_t)directory ^ name.length, name.bytes, name.length);
}

static uint64_t hash_of_id(const struct name_server *server, const uint64_t *fsid, uint64_t fileid)
{
	return map_hash((const uint64_t[]){ (uintptr_t)server, fsid[0], fsid[1], fileid }, 4);
}

void name_tree_init(struct name_tree *tree, size_t node_size, size_t server_size, uint64_t max_memory)
{
	*tree = (struct name_tree){ .node_size = node_size, .server_size = server_size, .max_memory = max_memory };
	TAILQ_INIT(&tree->nodes);
	TAILQ_INIT(&tree->idle);
}

static uint64_t used_memory(const struct name_tree *tree)
{
	return tree->memory + (tree->beside ? *tree->beside : 0);
}

/* Idle nodes are not kept, have no names in them and are not a root. They are evicted, the least recently used first. */
static void leave_idle(struct name_tree *tree, struct name_node *node)
{
	if (!node->is_idle)
		return;
	TAILQ_REMOVE(&tree->idle, node, idle);
	node->is_idle = false;
}

static void touch(struct name_tree *tree, struct name_node *node)
{
	leave_idle(tree, node);
	if (node->is_root || !LIST_EMPTY(&node->children) || node->is_kept)
		return;
	node->is_idle = true;
	TAILQ_INSERT_TAIL(&tree->idle, node, idle);
}

static struct name_node *new_node(struct name_tree *tree, struct name_server *server)
{
	struct name_node *node;

	if (used_memory(tree) >= tree->max_memory && TAILQ_EMPTY(&tree->idle)) {
		tree->refused++;
		return NULL;
	}
	node = memory_new_zeroed(1, tree->node_size);
	if (!node) {
		tree->refused++;
		return NULL;
	}
	node->server = server;
	TAILQ_INSERT_TAIL(&tree->nodes, node, link);
	tree->memory += tree->node_size;
	if (tree->created)
		tree->created(tree, node);
	touch(tree, node);
	return node;
}

/* Removes a name from all lists and frees it. */
static void drop_name(struct name_tree *tree, struct name *name)
{
	map_remove(&tree->names, name->hash, name);
	LIST_REMOVE(name, link);
	LIST_REMOVE(name, beside);
	if (name->node->placed == name)
		name->node->placed = NULL;
	if (LIST_EMPTY(&name->directory->children))
		touch(tree, name->directory);
	tree->memory -= sizeof *name + name->length;
	free(name);
}

static void discard_id(struct name_tree *tree, struct name_node *node)
{
	if (node->has_id)
		map_remove(&tree->ids, hash_of_id(node->server, node->fsid, node->fileid), node);
	node->has_id = false;
}

static void drop_node(struct name_tree *tree, struct name_node *node)
{
	struct handle *handle;

	leave_idle(tree, node);
	discard_id(tree, node);
	while (!LIST_EMPTY(&node->names))
		drop_name(tree, LIST_FIRST(&node->names));
	while ((handle = SLIST_FIRST(&node->handles))) {
		SLIST_REMOVE_HEAD(&node->handles, link);
		map_remove(&tree->handles, handle->hash, handle);
		tree->memory -= sizeof *handle + handle->length;
		free(handle);
	}
	TAILQ_REMOVE(&tree->nodes, node, link);
	if (tree->dropped)
		tree->dropped(tree, node);
	name_tree_mounted(tree, node, (struct rtap_span){ NULL, 0 });
	tree->memory -= tree->node_size;
	free(node);
}

void name_tree_trim(struct name_tree *tree)
{
	while (used_memory(tree) > tree->max_memory && !TAILQ_EMPTY(&tree->idle)) {
		drop_node(tree, TAILQ_FIRST(&tree->idle));
		tree->evicted++;
	}
}

static uint64_t hash_of_server(const struct rtap_end *end)
{
	return hash_bytes(end->address_length, end->address, end->address_length);
}

struct name_server *name_tree_find_server(struct name_tree *tree, const struct rtap_end *end)
{
	if (!tree->latest || !is_server(tree->latest, end))
		tree->latest = map_find(&tree->servers, hash_of_server(end), is_server, end);
	return tree->latest;
}

struct name_server *name_tree_server(struct name_tree *tree, const struct rtap_end *end)
{
	struct name_server *server = name_tree_find_server(tree, end);

	if (server)
		return server;
	server = tree->memory < tree->max_memory ? memory_new_zeroed(1, tree->server_size) : NULL;
	if (!server)
		return NULL;
	server->length = end->address_length;
	memcpy(server->address, end->address, end->address_length);
	if (!map_add(&tree->servers, hash_of_server(end), server)) {
		free(server);
		return NULL;
	}
	SLIST_INSERT_HEAD(&tree->all_servers, server, link);
	tree->memory += tree->server_size;
	return server;
}

void name_tree_fini(struct name_tree *tree)
{
	struct name_server *server;
	struct name_node *node;

	TAILQ_FOREACH(node, &tree->nodes, link)
		while (!LIST_EMPTY(&node->names))
			drop_name(tree, LIST_FIRST(&node->names));
	while (!TAILQ_EMPTY(&tree->nodes))
		drop_node(tree, TAILQ_FIRST(&tree->nodes));
	while ((server = SLIST_FIRST(&tree->all_servers))) {
		SLIST_REMOVE_HEAD(&tree->all_servers, link);
		free(server);
	}
	map_fini(&tree->handles);
	map_fini(&tree->names);
	map_fini(&tree->ids);
	map_fini(&tree->servers);
}

static struct handle *find_handle(const struct name_tree *tree, const struct name_server *server, struct rtap_span handle)
{
	const struct handle_key key = { server, handle };

	return map_find(&tree->handles, hash_bytes((uintptr_t)server, handle.bytes, handle.length), is_handle, &key);
}

struct name_node *name_tree_find_handle(struct name_tree *tree, const struct name_server *server, struct rtap_span handle)
{
	struct handle *found = find_handle(tree, server, handle);

	if (found)
		touch(tree, found->node);
	return found ? found->node : NULL;
}

uint32_t name_tree_hash(const struct name_node *node)
{
	const struct handle *handle = SLIST_FIRST(&node->handles);
	uint32_t hash = handle ? crc32_of(0, handle->bytes, handle->length) : 0;

	crc32_release();
	return hash;
}

static bool add_handle(struct name_tree *tree, struct name_node *node, struct rtap_span piece)
{
	struct handle *handle = memory_new(sizeof *handle + piece.length);

	if (!handle)
		return false;
	handle->hash = hash_bytes((uintptr_t)node->server, piece.bytes, piece.length);
	if (!map_add(&tree->handles, handle->hash, handle)) {
		free(handle);
		return false;
	}
	handle->node = node;
	handle->server = node->server;
	handle->length = piece.length;
	memcpy(handle->bytes, piece.bytes, piece.length);
	SLIST_INSERT_HEAD(&node->handles, handle, link);
	tree->memory += sizeof *handle + piece.length;
	return true;
}

void name_tree_add_handle(struct name_tree *tree, struct name_node *node, struct rtap_span handle)
{
	if (!add_handle(tree, node, handle))
		tree->refused++;
}

struct name_node *name_tree_of_handle(struct name_tree *tree, struct name_server *server, struct rtap_span handle)
{
	struct name_node *node;

	if (!handle.bytes)
		return NULL;
	node = name_tree_find_handle(tree, server, handle);
	if (node)
		return node;
	node = new_node(tree, server);
	if (node && !add_handle(tree, node, handle)) {
		drop_node(tree, node);
		tree->refused++;
		return NULL;
	}
	return node;
}

static struct name *find_name(const struct name_tree *tree, const struct name_node *directory, struct rtap_span name)
{
	const struct name_key key = { directory, name };

	if (!directory || !name.bytes)
		return NULL;
	return map_find(&tree->names, hash_of_name(directory, name), is_name, &key);
}

struct name_node *name_tree_find(const struct name_tree *tree, const struct name_node *directory, struct rtap_span piece)
{
	struct name *name = find_name(tree, directory, piece);

	return name ? name->node : NULL;
}

struct name_node *name_tree_parent(const struct name_node *node)
{
	return LIST_EMPTY(&node->names) ? NULL : LIST_FIRST(&node->names)->directory;
}

bool name_tree_is_rooted(const struct name_node *node)
{
	for (unsigned level = 0; node && level < NAME_TREE_LEVELS; level++) {
		if (node->is_root)
			return true;
		node = name_tree_parent(node);
	}
	return false;
}

static bool is_above(const struct name_node *node, const struct name_node *below)
{
	for (unsigned level = 0; below && level < NAME_TREE_LEVELS; level++) {
		if (below == node)
			return true;
		below = below->is_root ? NULL : name_tree_parent(below);
	}
	return below != NULL;
}

/*
 * The next node of a walk over everything below `top`. The first names of all nodes form a tree; only `top` itself can occur again, if
 * peers reported a directory inside itself. The number of steps per name is limited, in case a large directory is moved out of the
 * tree and back repeatedly.
 */
static struct name_node *next_below(struct name_tree *tree, struct name_node *node, const struct name_node *top)
{
	struct name *name = LIST_FIRST(&node->children);

	for (;;) {
		for (; name; name = LIST_NEXT(name, beside)) {
			if (!tree->steps) {
				tree->unsettled++;
				return NULL;
			}
			tree->steps--;
			if (name == LIST_FIRST(&name->node->names) && !name->node->is_root && name->node != top)
				return name->node;
		}
		if (node == top)
			return NULL;
		name = LIST_FIRST(&node->names);
		node = name->directory;
		name = LIST_NEXT(name, beside);
	}
}

/* A node's path changed. If it had one before, everything below moves with its directory; else everything below now has a path too. */
static void settle_below(struct name_tree *tree, struct name_node *top, bool was_rooted)
{
	struct name_node *node = top;

	if (!tree->moved)
		return;
	tree->moved(tree, node);
	while (!was_rooted && (node = next_below(tree, node, top)))
		tree->moved(tree, node);
}

static bool add_name(struct name_tree *tree, struct name_node *directory, struct rtap_span piece, struct name_node *node)
{
	struct name *name = memory_new(sizeof *name + piece.length);

	if (!name)
		return false;
	name->hash = hash_of_name(directory, piece);
	if (!map_add(&tree->names, name->hash, name)) {
		free(name);
		return false;
	}
	name->directory = directory;
	name->node = node;
	name->length = piece.length;
	if (piece.length)
		memcpy(name->bytes, piece.bytes, piece.length);
	LIST_INSERT_HEAD(&node->names, name, link);
	LIST_INSERT_HEAD(&directory->children, name, beside);
	tree->memory += sizeof *name + piece.length;
	leave_idle(tree, directory);
	tree->steps += STEPS_OF_NAME;
	return true;
}

/* Both nodes are the same file, looked up with a different handle. */
static bool is_same(const struct name_node *one, const struct name_node *other)
{
	return one->has_id && other->has_id && one->fileid == other->fileid && one->fsid[0] == other->fsid[0] &&
	       one->fsid[1] == other->fsid[1];
}

static void take_handles(struct name_node *node, struct name_node *from)
{
	struct handle *handle;

	while ((handle = SLIST_FIRST(&from->handles))) {
		SLIST_REMOVE_HEAD(&from->handles, link);
		handle->node = node;
		SLIST_INSERT_HEAD(&node->handles, handle, link);
	}
}

struct name_node *name_tree_bind(struct name_tree *tree, struct name_node *directory, struct rtap_span piece, struct name_node *node)
{
	struct name *old = find_name(tree, directory, piece), *first = LIST_FIRST(&node->names);
	bool was_rooted = name_tree_is_rooted(node);

	if (old && old->node == node)
		return node;
	if (old && SLIST_EMPTY(&old->node->handles) && LIST_EMPTY(&node->names) && !node->is_kept) {
		/* created by name before its handle was known */
		take_handles(old->node, node);
		return old->node;
	}
	if (old && is_same(old->node, node) && LIST_EMPTY(&node->names) && !node->is_kept) {
		take_handles(old->node, node);
		return old->node;
	}
	if (node->is_root || is_above(node, directory))
		return node;
	if (old)
		name_tree_unbind(tree, directory, piece);
	if (!add_name(tree, directory, piece, node)) {
		tree->refused++;
		return node;
	}
	node->gone = false;
	/* another name of the same file: the export uses the first one */
	if (was_rooted && first) {
		LIST_REMOVE(first, link);
		LIST_INSERT_HEAD(&node->names, first, link);
	} else {
		settle_below(tree, node, was_rooted);
	}
	return node;
}

void name_tree_unbind(struct name_tree *tree, struct name_node *directory, struct rtap_span piece)
{
	struct name *name = find_name(tree, directory, piece);
	struct name_node *node;
	bool was_rooted;

	if (!name)
		return;
	node = name->node;
	was_rooted = name_tree_is_rooted(node);
	drop_name(tree, name);
	/* it is then stored under another of its names */
	if (!LIST_EMPTY(&node->names)) {
		settle_below(tree, node, was_rooted);
		return;
	}
	node->gone = true;
	discard_id(tree, node);
	if (tree->unnamed)
		tree->unnamed(tree, node);
}

void name_tree_rename(struct name_tree *tree, struct name_node *from, struct rtap_span old, struct name_node *to, struct rtap_span piece)
{
	struct name *name = find_name(tree, from, old);
	struct name_node *node;
	bool was_rooted;

	if (!name) {
		name_tree_unbind(tree, to, piece);
		return;
	}
	node = name->node;
	was_rooted = name_tree_is_rooted(node);
	/* two names of one file: no effect. RFC 8881, 18.26.3 */
	if (name_tree_find(tree, to, piece) == node || is_above(node, to))
		return;
	name_tree_unbind(tree, to, piece);
	if (!add_name(tree, to, piece, node)) {
		tree->refused++;
		return;
	}
	drop_name(tree, name);
	settle_below(tree, node, was_rooted);
}

struct name_node *name_tree_make(struct name_tree *tree, struct name_node *directory, struct rtap_span piece)
{
	struct name_node *node = new_node(tree, directory->server);

	if (node && !add_name(tree, directory, piece, node)) {
		drop_node(tree, node);
		tree->refused++;
		return NULL;
	}
	return node;
}

struct name_node *name_tree_root(struct name_tree *tree, struct name_server *server)
{
	if (!server->root) {
		server->root = new_node(tree, server);
		if (server->root)
			name_tree_be_root(tree, server->root);
	}
	return server->root;
}

void name_tree_be_root(struct name_tree *tree, struct name_node *node)
{
	if (node->is_root || !LIST_EMPTY(&node->names))
		return;
	node->is_root = true;
	leave_idle(tree, node);
	settle_below(tree, node, false);
}

void name_tree_mounted(struct name_tree *tree, struct name_node *root, struct rtap_span path)
{
	if (root->mounted)
		tree->memory -= strlen(root->mounted) + 1;
	free(root->mounted);
	root->mounted = path.length && tree->memory < tree->max_memory ? memory_new(path.length + 1) : NULL;
	if (!root->mounted)
		return;
	memcpy(root->mounted, path.bytes, path.length);
	root->mounted[path.length] = 0;
	tree->memory += strlen(root->mounted) + 1;
}

void name_tree_keep(struct name_tree *tree, struct name_node *node, bool keep)
{
	node->is_kept = keep;
	touch(tree, node);
}

void name_tree_identify(struct name_tree *tree, struct name_node *node, const uint64_t fsid[2], uint64_t fileid)
{
	if (node->has_id || node->gone)
		return;
	node->fsid[0] = fsid[0];
	node->fsid[1] = fsid[1];
	node->fileid = fileid;
	node->has_id = map_add(&tree->ids, hash_of_id(node->server, fsid, fileid), node);
}

struct name_node *name_tree_of_id(const struct name_tree *tree, const struct name_server *server, const uint64_t fsid[2], uint64_t fileid)
{
	const struct id_key key = { server, fsid, fileid };

	return map_find(&tree->ids, hash_of_id(server, fsid, fileid), is_id, &key);
}
