/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "output/export/export_names.h"

/* Most directories above a file. Also bounds the walk up if peers report a loop. */
#define MAX_LEVELS (DISK_MAX_DEPTH - 1)
#define STEPS_OF_NAME 64

struct handle {
	struct node *node;
	struct handle *next; /* of the same node */
	const struct server *server;
	uint64_t hash;
	size_t length;
	uint8_t bytes[];
};

struct name {
	struct node *directory, *node;
	struct name *next, *previous;     /* of the same node; the first has no previous one */
	struct name *before, *after;      /* in the same directory */
	uint64_t hash;
	size_t length;
	uint8_t bytes[];
};

static uint64_t hash_bytes(uint64_t first, const uint8_t *bytes, size_t length)
{
	uint64_t hash = first;

	while (length) {
		uint64_t words[2] = { hash, 0 };
		size_t here = length < 8 ? length : 8;

		memcpy(&words[1], bytes, here);
		words[1] ^= (uint64_t)length << 56;
		hash = map_hash(words, 2);
		bytes += here;
		length -= here;
	}
	return hash;
}

static bool same_bytes(const uint8_t *bytes, size_t length, struct piece piece)
{
	return length == piece.length && (!length || !memcmp(bytes, piece.bytes, length));
}

/* Keys of the maps. */
struct handle_key {
	const struct server *server;
	struct piece handle;
};

struct name_key {
	const struct node *directory;
	struct piece name;
};

struct id_key {
	const struct server *server;
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
	const struct node *node = value;
	const struct id_key *sought = key;

	return node->server == sought->server && node->fileid == sought->fileid && node->fsid[0] == sought->fsid[0] &&
	       node->fsid[1] == sought->fsid[1];
}

static bool is_server(const void *value, const void *key)
{
	const struct server *server = value;
	const struct rtap_end *end = key;

	return server->length == end->address_length && !memcmp(server->address, end->address, server->length);
}

static uint64_t hash_of_name(const struct node *directory, struct piece name)
{
	return hash_bytes((uint64_t)(uintptr_t)directory ^ name.length, name.bytes, name.length);
}

static uint64_t hash_of_id(const struct server *server, const uint64_t *fsid, uint64_t fileid)
{
	return map_hash((const uint64_t[]){ (uintptr_t)server, fsid[0], fsid[1], fileid }, 4);
}

void names_init(struct names *names, struct disk *disk, uint64_t max_memory)
{
	*names = (struct names){ .disk = disk, .max_memory = max_memory };
}

/* Idle nodes: without a file or names in them, and not a root. They are evicted, the least recently used first. */
static void leave_idle(struct names *names, struct node *node)
{
	if (!node->is_idle)
		return;
	*(node->newer ? &node->newer->older : &names->newest) = node->older;
	*(node->older ? &node->older->newer : &names->oldest) = node->newer;
	node->newer = node->older = NULL;
	node->is_idle = false;
}

static void touch(struct names *names, struct node *node)
{
	leave_idle(names, node);
	if (node->is_root || node->children || node->entry)
		return;
	node->is_idle = true;
	node->older = names->newest;
	*(names->newest ? &names->newest->newer : &names->oldest) = node;
	names->newest = node;
}

static struct node *new_node(struct names *names, struct server *server)
{
	struct node *node;

	if (names->memory + names->disk->memory >= names->max_memory && !names->oldest) {
		names->refused++;
		return NULL;
	}
	node = calloc(1, sizeof *node);
	if (!node) {
		names->refused++;
		return NULL;
	}
	node->server = server;
	node->doubt = server->doubt;
	node->previous = names->last;
	*(names->last ? &names->last->next : &names->first) = node;
	names->last = node;
	names->memory += sizeof *node;
	touch(names, node);
	return node;
}

/* Removes a name from all lists and frees it. */
static void drop_name(struct names *names, struct name *name)
{
	map_remove(&names->names, name->hash, name);
	*(name->previous ? &name->previous->next : &name->node->names) = name->next;
	if (name->next)
		name->next->previous = name->previous;
	*(name->before ? &name->before->after : &name->directory->children) = name->after;
	if (name->after)
		name->after->before = name->before;
	if (name->node->placed == name)
		name->node->placed = NULL;
	if (!name->directory->children)
		touch(names, name->directory);
	names->memory -= sizeof *name + name->length;
	free(name);
}

static void forget_id(struct names *names, struct node *node)
{
	if (node->has_id)
		map_remove(&names->ids, hash_of_id(node->server, node->fsid, node->fileid), node);
	node->has_id = false;
}

static void drop_node(struct names *names, struct node *node)
{
	leave_idle(names, node);
	forget_id(names, node);
	while (node->names)
		drop_name(names, node->names);
	while (node->handles) {
		struct handle *handle = node->handles;

		node->handles = handle->next;
		map_remove(&names->handles, handle->hash, handle);
		names->memory -= sizeof *handle + handle->length;
		free(handle);
	}
	*(node->previous ? &node->previous->next : &names->first) = node->next;
	*(node->next ? &node->next->previous : &names->last) = node->previous;
	ranges_fini(&node->ranges);
	names->memory -= sizeof *node;
	free(node);
}

void names_trim(struct names *names)
{
	while (names->memory + names->disk->memory > names->max_memory && names->oldest) {
		drop_node(names, names->oldest);
		names->forgotten++;
	}
}

struct server *names_server(struct names *names, const struct rtap_end *end)
{
	uint64_t hash = hash_bytes(end->address_length, end->address, end->address_length);
	struct server *server = map_find(&names->servers, hash, is_server, end);

	if (server)
		return server;
	server = names->memory < names->max_memory ? calloc(1, sizeof *server) : NULL;
	if (!server)
		return NULL;
	server->length = end->address_length;
	memcpy(server->address, end->address, end->address_length);
	if (!map_add(&names->servers, hash, server)) {
		free(server);
		return NULL;
	}
	server->next = names->all_servers;
	names->all_servers = server;
	names->memory += sizeof *server;
	return server;
}

/* Frees a node that has no more names in it. */
void names_fini(struct names *names)
{
	for (struct node *node = names->first; node; node = node->next)
		while (node->names)
			drop_name(names, node->names);
	while (names->first)
		drop_node(names, names->first);
	while (names->all_servers) {
		struct server *server = names->all_servers;

		names->all_servers = server->next;
		free(server);
	}
	map_fini(&names->handles);
	map_fini(&names->names);
	map_fini(&names->ids);
	map_fini(&names->servers);
}

static struct handle *find_handle(const struct names *names, const struct server *server, struct piece handle)
{
	const struct handle_key key = { server, handle };

	return map_find(&names->handles, hash_bytes((uintptr_t)server, handle.bytes, handle.length), is_handle, &key);
}

bool names_knows_handle(const struct names *names, const struct server *server, struct piece handle)
{
	return find_handle(names, server, handle);
}

static bool add_handle(struct names *names, struct node *node, struct piece piece)
{
	struct handle *handle = calloc(1, sizeof *handle + piece.length);

	if (!handle)
		return false;
	handle->hash = hash_bytes((uintptr_t)node->server, piece.bytes, piece.length);
	if (!map_add(&names->handles, handle->hash, handle)) {
		free(handle);
		return false;
	}
	handle->node = node;
	handle->server = node->server;
	handle->length = piece.length;
	memcpy(handle->bytes, piece.bytes, piece.length);
	handle->next = node->handles;
	node->handles = handle;
	names->memory += sizeof *handle + piece.length;
	return true;
}

void names_add_handle(struct names *names, struct node *node, struct piece handle)
{
	if (!add_handle(names, node, handle))
		names->refused++;
}

struct node *names_of_handle(struct names *names, struct server *server, struct piece handle)
{
	struct handle *found;
	struct node *node;

	if (!handle.bytes)
		return NULL;
	found = find_handle(names, server, handle);
	if (found) {
		touch(names, found->node);
		return found->node;
	}
	node = new_node(names, server);
	if (node && !add_handle(names, node, handle)) {
		drop_node(names, node);
		names->refused++;
		return NULL;
	}
	return node;
}

static struct name *find_name(const struct names *names, const struct node *directory, struct piece name)
{
	const struct name_key key = { directory, name };

	if (!directory || !name.bytes)
		return NULL;
	return map_find(&names->names, hash_of_name(directory, name), is_name, &key);
}

struct node *names_find(const struct names *names, const struct node *directory, struct piece piece)
{
	struct name *name = find_name(names, directory, piece);

	return name ? name->node : NULL;
}

struct node *names_parent(const struct node *node)
{
	return node->names ? node->names->directory : NULL;
}

/* Whether the node has a path from a root. */
static bool is_rooted(const struct node *node)
{
	for (unsigned level = 0; node && level < MAX_LEVELS; level++) {
		if (node->is_root)
			return true;
		node = names_parent(node);
	}
	return false;
}

static bool is_above(const struct node *node, const struct node *below)
{
	for (unsigned level = 0; below && level < MAX_LEVELS; level++) {
		if (below == node)
			return true;
		below = below->is_root ? NULL : names_parent(below);
	}
	return below != NULL;
}

/* The disk entry of a rooted directory, created with its parents. NULL: the disk failed, too deep, or one is exported as a file. */
static struct disk_entry *place_directory(struct names *names, struct node *node)
{
	struct node *path[MAX_LEVELS];
	struct disk_entry *entry = &names->disk->root;
	unsigned depth = 0;

	for (; !node->is_root && !(node->entry && node->placed); node = names_parent(node)) {
		if (node->entry && !node->entry->is_directory)
			return NULL;
		path[depth++] = node;
	}
	if (!node->is_root)
		entry = node->entry->is_directory ? node->entry : NULL;
	while (depth && entry) {
		node = path[--depth];
		entry = disk_make(names->disk, entry, node->names->bytes, node->names->length, true, '~');
		node->entry = entry;
		node->placed = entry ? node->names : NULL;
		touch(names, node);
	}
	return entry;
}

/* Moves a node's file or directory to its path, if it has both and is stored elsewhere. */
static void settle(struct names *names, struct node *node)
{
	struct disk_entry *directory;

	if (!node->entry || !node->names || !is_rooted(node->names->directory))
		return;
	directory = place_directory(names, node->names->directory);
	if (!directory || (node->placed == node->names && node->entry->parent == directory))
		return;
	disk_move(names->disk, node->entry, directory, node->names->bytes, node->names->length);
	node->placed = node->names;
}

/*
 * The next node of a walk over everything below `top`. The first names of all nodes form a tree; only `top` itself can occur again, if
 * peers reported a directory inside itself. The number of steps per name is limited, in case a large directory is moved out of the
 * tree and back repeatedly.
 */
static struct node *next_below(struct names *names, struct node *node, const struct node *top)
{
	struct name *name = node->children;

	for (;;) {
		for (; name; name = name->after) {
			if (!names->steps) {
				names->unsettled++;
				return NULL;
			}
			names->steps--;
			if (name == name->node->names && !name->node->is_root && name->node != top)
				return name->node;
		}
		if (node == top)
			return NULL;
		name = node->names->after;
		node = node->names->directory;
	}
}

/* A node's path changed. If it had one before, everything below moves with its directory; else everything below now has a path too. */
static void settle_below(struct names *names, struct node *top, bool was_rooted)
{
	struct node *node = top;

	settle(names, node);
	while (!was_rooted && (node = next_below(names, node, top)))
		settle(names, node);
}

static bool add_name(struct names *names, struct node *directory, struct piece piece, struct node *node)
{
	struct name *name = calloc(1, sizeof *name + piece.length);

	if (!name)
		return false;
	name->hash = hash_of_name(directory, piece);
	if (!map_add(&names->names, name->hash, name)) {
		free(name);
		return false;
	}
	name->directory = directory;
	name->node = node;
	name->length = piece.length;
	if (piece.length)
		memcpy(name->bytes, piece.bytes, piece.length);
	name->next = node->names;
	if (name->next)
		name->next->previous = name;
	node->names = name;
	name->after = directory->children;
	if (name->after)
		name->after->before = name;
	directory->children = name;
	names->memory += sizeof *name + piece.length;
	leave_idle(names, directory);
	names->steps += STEPS_OF_NAME;
	return true;
}

/* Both nodes are the same file, looked up with a different handle. */
static bool is_same(const struct node *one, const struct node *other)
{
	return one->has_id && other->has_id && one->fileid == other->fileid && one->fsid[0] == other->fsid[0] &&
	       one->fsid[1] == other->fsid[1];
}

static void take_handles(struct node *node, struct node *from)
{
	while (from->handles) {
		struct handle *handle = from->handles;

		from->handles = handle->next;
		handle->node = node;
		handle->next = node->handles;
		node->handles = handle;
	}
}

struct node *names_bind(struct names *names, struct node *directory, struct piece piece, struct node *node)
{
	struct name *old = find_name(names, directory, piece), *first = node->names;
	bool was_rooted = is_rooted(node);

	if (old && old->node == node)
		return node;
	if (old && !old->node->handles && !node->names && !node->entry) {
		/* created by name before its handle was known */
		take_handles(old->node, node);
		return old->node;
	}
	if (old && is_same(old->node, node) && !node->names && !node->entry) {
		take_handles(old->node, node);
		return old->node;
	}
	if (node->is_root || is_above(node, directory))
		return node;
	if (old)
		names_unbind(names, directory, piece);
	if (!add_name(names, directory, piece, node)) {
		names->refused++;
		return node;
	}
	node->gone = false;
	/* another name of the same file: the export keeps the first one */
	if (was_rooted && first) {
		struct name *added = node->names;

		node->names = first;
		first->previous = NULL;
		added->next = first->next;
		if (added->next)
			added->next->previous = added;
		added->previous = first;
		first->next = added;
	} else {
		settle_below(names, node, was_rooted);
	}
	return node;
}

void names_unbind(struct names *names, struct node *directory, struct piece piece)
{
	struct name *name = find_name(names, directory, piece);
	struct node *node;
	bool was_rooted;

	if (!name)
		return;
	node = name->node;
	was_rooted = is_rooted(node);
	drop_name(names, name);
	/* it is then stored under another of its names */
	if (node->names) {
		settle_below(names, node, was_rooted);
		return;
	}
	node->gone = true;
	forget_id(names, node);
	if (node->entry && node->entry->is_directory) {
		disk_vacate(names->disk, node->entry);
		node->entry = NULL;
		if (!node->children)
			touch(names, node);
	}
}

void names_rename(struct names *names, struct node *from, struct piece old, struct node *to, struct piece piece)
{
	struct name *name = find_name(names, from, old);
	struct node *node;
	bool was_rooted;

	if (!name) {
		names_unbind(names, to, piece);
		return;
	}
	node = name->node;
	was_rooted = is_rooted(node);
	/* two names of one file: no effect. RFC 8881, 18.26.3 */
	if (names_find(names, to, piece) == node || is_above(node, to))
		return;
	names_unbind(names, to, piece);
	if (!add_name(names, to, piece, node)) {
		names->refused++;
		return;
	}
	drop_name(names, name);
	settle_below(names, node, was_rooted);
}

struct node *names_make(struct names *names, struct node *directory, struct piece piece)
{
	struct node *node = new_node(names, directory->server);

	if (node && !add_name(names, directory, piece, node)) {
		drop_node(names, node);
		names->refused++;
		return NULL;
	}
	return node;
}

struct node *names_root(struct names *names, struct server *server)
{
	if (!server->root) {
		server->root = new_node(names, server);
		if (server->root)
			names_be_root(names, server->root);
	}
	return server->root;
}

void names_be_root(struct names *names, struct node *node)
{
	if (node->is_root || node->names)
		return;
	node->is_root = true;
	leave_idle(names, node);
	settle_below(names, node, false);
}

void names_identify(struct names *names, struct node *node, const uint64_t fsid[2], uint64_t fileid)
{
	if (node->has_id || node->gone)
		return;
	node->fsid[0] = fsid[0];
	node->fsid[1] = fsid[1];
	node->fileid = fileid;
	node->has_id = map_add(&names->ids, hash_of_id(node->server, fsid, fileid), node);
}

struct node *names_of_id(const struct names *names, const struct server *server, const uint64_t fsid[2], uint64_t fileid)
{
	const struct id_key key = { server, fsid, fileid };

	return map_find(&names->ids, hash_of_id(server, fsid, fileid), is_id, &key);
}

struct node *names_nameless(const struct names *names, const struct server *server, const uint64_t fsid[2], uint64_t fileid)
{
	struct node *node = names_of_id(names, server, fsid, fileid);

	return node && !node->names && !node->is_root ? node : NULL;
}

struct disk_entry *names_place(struct names *names, struct node *node)
{
	struct disk_entry *directory = NULL;
	char hash[9];

	if (node->entry && node->entry->is_directory) {
		names->contrary++;
		return NULL;
	}
	if (node->entry)
		return node->entry;
	if (node->names && is_rooted(node->names->directory))
		directory = place_directory(names, node->names->directory);
	if (directory)
		node->entry = disk_make(names->disk, directory, node->names->bytes, node->names->length, false, '~');
	if (node->entry) {
		node->placed = node->names;
	} else {
		directory = disk_by_handle(names->disk);
		if (!directory)
			return NULL;
		snprintf(hash, sizeof hash, "%08lx", node->handles ? crc32_z(0, node->handles->bytes, node->handles->length) : 0);
		node->entry = disk_make(names->disk, directory, (const uint8_t *)hash, 8, false, '-');
	}
	leave_idle(names, node);
	return node->entry;
}
