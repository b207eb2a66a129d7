/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/crc32.h"
#include "reassembly/upper/name_text.h"
#include "reassembly/upper/nfs_names.h"
#include "reassembly/upper/rpc_names.h"

#define TREE_SHARE 8 /* part of the memory limit */
#define ELLIPSIS "..."

struct rpc_names {
	struct nfs_names walk;
	struct name_tree tree;
	struct budget_entry entry;
	uint64_t lost; /* nodes and names evicted or refused, that are counted */
};

static struct rpc_names *names_of(struct rtap_tracker *tracker)
{
	struct rpc_names *names = tracker->names;

	if (names)
		return names;
	names = memory_new_zeroed(1, sizeof *names);
	if (!names)
		return NULL;
	name_tree_init(&names->tree, sizeof(struct name_node), sizeof(struct name_server), tracker->budget.limit / TREE_SHARE);
	calls_init(&names->walk, &names->tree, false);
	names->entry.apart = true;
	tracker->names = names;
	return names;
}

/* NULL: unknown. */
static const struct name_node *find(struct rtap_tracker *tracker, const struct rtap_end *end, struct rtap_span handle)
{
	struct name_server *server = tracker->names ? name_tree_find_server(&tracker->names->tree, end) : NULL;

	if (!server)
		return NULL;
	return handle.bytes ? name_tree_find_handle(&tracker->names->tree, server, handle) : server->root;
}

bool rpc_names_identified(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle)
{
	const struct name_node *node = find(tracker, server, handle);

	/* only directories show where a file system begins */
	return node && (!LIST_EMPTY(&node->names) || node->is_root) && (node->has_id || LIST_EMPTY(&node->children));
}

/* Updates the charge for the tree's memory. */
static void charge(struct rtap_tracker *tracker, struct rpc_names *names)
{
	uint64_t now = names->tree.memory + names->walk.calls.kept_room, before = names->entry.bytes;

	if (now > before)
		budget_charge(&tracker->budget, &names->entry, now - before);
	else
		budget_give(&tracker->budget, &names->entry, before - now);
}

/* The names of a server, created if there are none. NULL: out of memory, which is counted. */
static struct name_server *enter(struct rtap_tracker *tracker, const struct rtap_end *end)
{
	struct rpc_names *names = names_of(tracker);
	struct name_server *server = names ? name_tree_server(&names->tree, end) : NULL;

	if (!server)
		tracker->counters.evictions++;
	return server;
}

/* Call after names were entered: updates the charge and the counts. */
static void leave(struct rtap_tracker *tracker, struct rpc_names *names)
{
	uint64_t lost;

	name_tree_trim(&names->tree);
	lost = names->tree.evicted + names->tree.refused;
	tracker->counters.evictions += lost - names->lost;
	names->lost = lost;
	charge(tracker, names);
}

void rpc_names_learn(struct rtap_tracker *tracker, const struct rpc_exchange *exchange)
{
	struct name_server *server = calls_is_about_files(exchange) ? enter(tracker, &exchange->server) : NULL;

	if (!server)
		return;
	calls_walk(&tracker->names->walk, server, exchange);
	leave(tracker, tracker->names);
}

void rpc_names_found(struct rtap_tracker *tracker, const struct rtap_end *address, struct rtap_span directory, struct rtap_span name,
		     struct rtap_span handle)
{
	struct name_server *server = enter(tracker, address);

	if (!server)
		return;
	nfs_names_found(&tracker->names->walk, server, directory, name, handle);
	leave(tracker, tracker->names);
}

void rpc_names_removed(struct rtap_tracker *tracker, const struct rtap_end *address, struct rtap_span directory, struct rtap_span name)
{
	struct name_server *server = enter(tracker, address);

	if (!server)
		return;
	nfs_names_removed(&tracker->names->walk, server, directory, name);
	leave(tracker, tracker->names);
}

static void write_hash(uint32_t hash, struct line *line)
{
	line_text(line, "fh:0x");
	line_hex_digits(line, hash, 8);
}

/* Climbs to the first node without a name above it. NULL: too far up. */
static const struct name_node *top_of(const struct name_node *node, const struct name_node *path[NAME_TREE_LEVELS], unsigned *depth)
{
	for (*depth = 0; !node->is_root && !LIST_EMPTY(&node->names); node = name_tree_parent(node)) {
		if (*depth == NAME_TREE_LEVELS)
			return NULL;
		path[(*depth)++] = node;
	}
	return node;
}

/* False: it has none, and no handle to show in its place. */
static bool write_path(const struct name_node *node, struct line *line)
{
	const struct name_node *path[NAME_TREE_LEVELS];
	unsigned depth;
	const struct name_node *top = top_of(node, path, &depth);

	if (!top || (!top->is_root && SLIST_EMPTY(&top->handles)))
		return false;
	if (!top->is_root)
		write_hash(name_tree_hash(top), line);
	while (depth) {
		char component[NAME_TEXT_MAX + 1];
		const struct name *name = LIST_FIRST(&path[--depth]->names);

		line_char(line, '/');
		line_bytes(line, component, name_text(name->bytes, name->length, component));
	}
	return true;
}

void rpc_names_path(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle, struct line *line)
{
	const struct name_node *node = find(tracker, server, handle);
	uint32_t hash;

	if ((node && write_path(node, line)) || !handle.bytes)
		return;
	hash = crc32_of(0, handle.bytes, handle.length);
	crc32_release();
	write_hash(hash, line);
}

#define HASH_LENGTH 13 /* "fh:0x12345678" */

/* Writes what a path begins with before `at`, which has room for it: "..." if more is above. */
static char *put_begin(const struct name_node *top, bool is_whole, char *at)
{
	struct line line;

	if (is_whole && top->is_root)
		return at;
	if (!is_whole || SLIST_EMPTY(&top->handles)) {
		at -= strlen(ELLIPSIS);
		memcpy(at, ELLIPSIS, strlen(ELLIPSIS));
		return at;
	}
	at -= HASH_LENGTH;
	line_init(&line, at, HASH_LENGTH);
	write_hash(name_tree_hash(top), &line);
	return at;
}

const char *rpc_names_tail(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle, char text[PACKET_PATH_MOST])
{
	const struct name_node *node = find(tracker, server, handle);
	char *end = text + PACKET_PATH_MOST, *at = end;
	unsigned level = 0;

	if (!node || (!node->is_root && LIST_EMPTY(&node->names)))
		return end;
	if (node->is_root)
		*--at = '/';
	for (; !node->is_root && !LIST_EMPTY(&node->names) && level < NAME_TREE_LEVELS; node = name_tree_parent(node), level++) {
		char component[NAME_TEXT_MAX + 1];
		const struct name *name = LIST_FIRST(&node->names);
		int length = (int)name_text(name->bytes, name->length, component), room = (int)(at - text) - HASH_LENGTH - 1;

		/* only the end of a very long name */
		if (at == end && length > room) {
			int skipped = length - room;

			while (skipped < length && ((uint8_t)component[skipped] & 0xc0) == 0x80)
				skipped++;
			at -= length - skipped;
			memcpy(at, component + skipped, (size_t)(length - skipped));
			break;
		}
		if (length > room)
			break;
		at -= length;
		memcpy(at, component, (size_t)length);
		*--at = '/';
	}
	return put_begin(node, node->is_root || LIST_EMPTY(&node->names), at);
}

static bool is_border(const struct name_node *below, const struct name_node *node)
{
	return below->fsid[0] != node->fsid[0] || below->fsid[1] != node->fsid[1];
}

/* The highest directory that is not known to be in another file system. */
static const struct name_node *beginning_of(const struct name_node *node)
{
	const struct name_node *identified = node->has_id ? node : NULL, *top = node;

	for (unsigned level = 0; level < NAME_TREE_LEVELS; level++) {
		const struct name_node *parent = top->is_root ? NULL : name_tree_parent(top);

		if (!parent)
			break;
		if (parent->has_id && identified && is_border(identified, parent))
			/* a file is in the file system of its directory */
			return LIST_EMPTY(&top->children) ? parent : top;
		if (parent->has_id)
			identified = parent;
		top = parent;
	}
	return top;
}

bool rpc_names_export(struct rtap_tracker *tracker, const struct rtap_end *server, struct rtap_span handle, struct line *line)
{
	const struct name_node *node = find(tracker, server, handle), *path[NAME_TREE_LEVELS], *top;
	const char *begin = line->next;
	unsigned depth;

	if (!node)
		return false;
	top = top_of(node, path, &depth);
	if (!top || !top->is_root)
		return false;
	if (top->mounted)
		line_text(line, top->mounted);
	else
		write_path(beginning_of(node), line);
	if (line->next == begin)
		line_char(line, '/');
	return true;
}

void rpc_names_fini(struct rtap_tracker *tracker)
{
	struct rpc_names *names = tracker->names;

	if (!names)
		return;
	budget_give(&tracker->budget, &names->entry, names->entry.bytes);
	calls_fini(&names->walk);
	name_tree_fini(&names->tree);
	free(names);
	tracker->names = NULL;
}
