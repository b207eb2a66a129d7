/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/path_tree.h"
#include "dissect/engine/line.h"
#include "dissect/smb/smb_text.h"
#include "reassembly/file_effect.h"
#include "reassembly/upper/name_text.h"
#include "reassembly/upper/smb_names.h"
#include "reassembly/upper/upper_layers.h"

/* Bytes of a path: those of the most components. A short request can name a file with a long path. */
#define MOST_PATH (PATH_TREE_LEVELS * (NAME_TEXT_MAX + 1))

/* A file or directory at its place. */
struct smb_node {
	struct path_node head;
	struct smb_file *file;    /* NULL: no id stands for it */
};

/* Kinds of keys: the last word. */
enum { KEY_OF_TREE, KEY_OF_FILE, KEY_OF_SESSION, KEY_OF_BOUND, KEY_OF_RESUME };

/* An id. Evicted when memory is short. */
struct entry {
	struct budget_entry budget;
	uint64_t hash;
	uint64_t key[6];
	struct smb_file *file;    /* of a session: NULL */
	uint8_t server[16];       /* of a session: the address with which it was set up */
	uint8_t server_length;
};

struct smb_names {
	struct map map;           /* of ids */
	struct path_tree tree;    /* of struct smb_node */
	uint64_t renames;         /* of directories with files below them */
	bool has_bound;           /* some session has connections to several addresses */
	uint64_t unseen;
};

static struct smb_names *names_of(const struct rtap_tracker *tracker)
{
	return tracker->upper_states[UPPER_smb];
}

bool smb_names_init(struct rtap_tracker *tracker)
{
	struct smb_names *names = memory_new_zeroed(1, sizeof *names);

	tracker->upper_states[UPPER_smb] = names;
	if (names)
		names->tree.node_size = sizeof(struct smb_node);
	return names;
}

uint64_t smb_names_unseen(struct rtap_tracker *tracker, bool more)
{
	return names_of(tracker)->unseen += more;
}

void smb_name_release(struct smb_name *name)
{
	if (name && !--name->references)
		free(name);
}

static struct smb_name *make_name(const char *path)
{
	size_t length = strlen(path);
	struct smb_name *name = memory_new(sizeof *name + length + 1);

	if (!name)
		return NULL;
	name->references = 1;
	memcpy(name->path, path, length + 1);
	return name;
}

/* The file has no place any more. */
static void leave_place(struct rtap_tracker *tracker, struct smb_file *file)
{
	if (!file->node)
		return;
	file->node->file = NULL;
	path_tree_release(&names_of(tracker)->tree, &file->node->head);
	file->node = NULL;
}

void smb_file_release(struct rtap_tracker *tracker, struct smb_file *file)
{
	if (!file || --file->references)
		return;
	leave_place(tracker, file);
	smb_name_release(file->name);
	free(file);
}

static void drop_entry(struct rtap_tracker *tracker, struct entry *entry)
{
	map_remove(&names_of(tracker)->map, entry->hash, entry);
	budget_give(&tracker->budget, &entry->budget, entry->budget.bytes);
	smb_file_release(tracker, entry->file);
	free(entry);
}

void smb_names_fini(struct rtap_tracker *tracker)
{
	struct smb_names *names = names_of(tracker);

	if (!names)
		return;
	for (size_t i = 0; i < names->map.room; i++) {
		struct entry *entry = names->map.slots[i].value;

		if (!entry)
			continue;
		budget_give(&tracker->budget, &entry->budget, entry->budget.bytes);
		smb_file_release(tracker, entry->file);
		free(entry);
	}
	map_fini(&names->map);
	path_tree_fini(&names->tree, NULL);
	free(names);
	tracker->upper_states[UPPER_smb] = NULL;
}

static void evict(struct budget_entry *budget, void *owner)
{
	struct rtap_tracker *tracker = owner;

	tracker->counters.evictions++;
	drop_entry(tracker, (struct entry *)((char *)budget - offsetof(struct entry, budget)));
}

static bool is_key(const void *value, const void *wanted)
{
	return !memcmp(((const struct entry *)value)->key, ((const struct smb_key *)wanted)->words, sizeof(struct smb_key));
}

static struct entry *look_up(struct rtap_tracker *tracker, const struct smb_key *key)
{
	const struct map *map = &names_of(tracker)->map;

	return map->count ? map_find(map, map_hash(key->words, 6), is_key, key) : NULL;
}

static const struct rtap_end *end_of(const struct connection *connection, bool is_a)
{
	return is_a ? &connection->shown.a : &connection->shown.b;
}

static struct smb_key key_of_address(const uint8_t *bytes, uint8_t length)
{
	uint8_t address[16] = { 0 };

	memcpy(address, bytes, length <= 16 ? length : 16);
	return (struct smb_key){ { load64(address), load64(address + 8) } };
}

/* The session that was bound to a connection with this server. NULL: none. */
static const struct entry *bound_of(struct rtap_tracker *tracker, const struct rtap_end *server, uint64_t session)
{
	struct smb_key key;
	struct entry *entry;

	if (!names_of(tracker)->has_bound)
		return NULL;
	key = key_of_address(server->address, server->address_length);
	key.words[2] = session;
	key.words[5] = KEY_OF_BOUND;
	entry = look_up(tracker, &key);
	if (entry)
		budget_touch(&tracker->budget, &entry->budget);
	return entry;
}

static struct smb_key key_of(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session)
{
	const struct rtap_end *server = end_of(connection, server_is_a);
	const struct entry *bound = bound_of(tracker, server, session);
	struct smb_key key = bound ? key_of_address(bound->server, bound->server_length) : key_of_address(server->address, server->address_length);

	key.words[2] = session;
	return key;
}

struct smb_key smb_key_of_tree(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session, uint32_t tree)
{
	struct smb_key key = key_of(tracker, connection, server_is_a, session);

	key.words[3] = tree;
	return key;
}

struct smb_key smb_key_of_file(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session,
			       const uint8_t *id)
{
	struct smb_key key = key_of(tracker, connection, server_is_a, session);

	key.words[3] = load64(id);
	key.words[4] = load64(id + 8);
	key.words[5] = KEY_OF_FILE;
	return key;
}

struct smb_key smb_key_of_resume(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session,
				 const uint8_t *resume)
{
	struct smb_key key = key_of(tracker, connection, server_is_a, session);

	for (uint32_t i = 0; i < 3; i++)
		key.words[2 + i] = load64(resume + 8 * i);
	key.words[5] = KEY_OF_RESUME;
	return key;
}

struct smb_file *smb_file_find(struct rtap_tracker *tracker, const struct smb_key *key)
{
	struct entry *entry = look_up(tracker, key);

	if (!entry)
		return NULL;
	budget_touch(&tracker->budget, &entry->budget);
	entry->file->references++;
	return entry->file;
}

void smb_key_drop(struct rtap_tracker *tracker, const struct smb_key *key)
{
	struct entry *entry = look_up(tracker, key);

	if (entry)
		drop_entry(tracker, entry);
}

/* Adds a key; `size`: memory that is charged for what it stands for. NULL: out of memory, which is counted. */
static struct entry *make_entry(struct rtap_tracker *tracker, const struct smb_key *key, size_t size)
{
	struct entry *entry;

	smb_key_drop(tracker, key);
	entry = memory_new_zeroed(1, sizeof *entry);
	if (entry) {
		memcpy(entry->key, key->words, sizeof entry->key);
		entry->hash = map_hash(key->words, 6);
		entry->budget = (struct budget_entry){ .evict = evict, .owner = tracker };
	}
	if (!entry || !map_add(&names_of(tracker)->map, entry->hash, entry)) {
		tracker->counters.evictions++;
		free(entry);
		return NULL;
	}
	budget_charge(&tracker->budget, &entry->budget, sizeof *entry + size);
	return entry;
}

/* Adds a key that stands for the file; `size`: memory that is charged for both. */
static void add_entry(struct rtap_tracker *tracker, const struct smb_key *key, struct smb_file *file, size_t size)
{
	struct entry *entry = make_entry(tracker, key, sizeof *file + size);

	if (!entry)
		return;
	entry->file = file;
	file->references++;
}

void smb_key_set(struct rtap_tracker *tracker, const struct smb_key *key, struct smb_file *file)
{
	add_entry(tracker, key, file, 0);
}

void smb_session_set(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, const uint64_t guid[2], uint64_t session,
		     bool is_bound)
{
	const struct smb_key key = { { guid[0], guid[1], session, 0, 0, KEY_OF_SESSION } };
	const struct rtap_end *end = end_of(connection, server_is_a);
	struct smb_key bound = key_of_address(end->address, end->address_length);
	const struct entry *first = is_bound ? look_up(tracker, &key) : NULL;
	struct entry from = { .server_length = end->address_length <= 16 ? end->address_length : 16 }, *entry;

	if ((!guid[0] && !guid[1]) || (is_bound && !first))
		return;
	bound.words[2] = session;
	bound.words[5] = KEY_OF_BOUND;
	memcpy(from.server, end->address, from.server_length);
	if (!is_bound)
		smb_key_drop(tracker, &bound);
	else if (!memcmp(first->server, from.server, sizeof from.server))
		return;
	else
		from = *first;
	entry = make_entry(tracker, is_bound ? &bound : &key, 0);
	if (!entry)
		return;
	memcpy(entry->server, from.server, sizeof from.server);
	entry->server_length = from.server_length;
	names_of(tracker)->has_bound |= is_bound;
}

/* A file with a reference, and with a name for now. */
static struct smb_file *create_file(struct rtap_tracker *tracker, const char *path)
{
	struct smb_file *file = memory_new_zeroed(1, sizeof *file);

	if (file) {
		file->references = 1;
		file->renames = names_of(tracker)->renames;
		file->name = make_name(path);
	}
	if (file && file->name)
		return file;
	tracker->counters.evictions++;
	free(file);
	return NULL;
}

void smb_share_set(struct rtap_tracker *tracker, const struct smb_key *key, const char *path)
{
	struct smb_file *file = create_file(tracker, path);

	smb_key_drop(tracker, key);
	if (!file)
		return;
	add_entry(tracker, key, file, strlen(path));
	smb_file_release(tracker, file);
}

/* `is_of_id`: `from` is that of a file id. */
static void report_rename(struct rtap_tracker *tracker, const char *from, const char *to, bool is_of_id, const struct smb_change *change)
{
	struct file_effect effect = { .kind = FILE_RENAMED, .path = from, .new_path = to, .is_of_id = is_of_id, .unseen = names_of(tracker)->unseen };

	effect.bytes.request_frame = change->request_frame;
	effect.bytes.response_frame = change->response_frame;
	effect.bytes.time_ns = change->time_ns;
	if (tracker->take_file_effect && from && to)
		tracker->take_file_effect(tracker->file_effect_owner, &effect);
}

/* The names of files below it change with the node's. */
static void note_moved(struct smb_names *names, const struct smb_node *node)
{
	names->renames += node->head.references > (node->file ? 1 : 0);
}

/* Another file has the path of the node now. */
static void set_aside(struct rtap_tracker *tracker, struct smb_node *node, const struct smb_change *change)
{
	struct smb_names *names = names_of(tracker);
	char *from = path_tree_text(&node->head), *to;

	if (node->file) {
		/* it keeps its last name */
		smb_name_release(smb_file_name(tracker, node->file));
		node->file->is_aside = true;
	}
	if (!path_tree_set_aside(&names->tree, &node->head, FILE_ASIDE_MARK)) {
		tracker->counters.evictions++;
		if (node->file)
			leave_place(tracker, node->file);
		free(from);
		return;
	}
	note_moved(names, node);
	to = path_tree_text(&node->head);
	report_rename(tracker, from, to, false, change);
	free(from);
	free(to);
}

/* The path of the file in other cases, which only the id on the disk proves; on the heap. NULL: there is none. */
static char *other_case(const struct path_tree *tree, const char *path, uint64_t disk_id)
{
	const struct smb_node *node = (const struct smb_node *)path_tree_find_folded(tree, path);

	return node && node->file && node->file->disk_id == disk_id ? path_tree_text(&node->head) : NULL;
}

/* The node at the path, with a reference. */
static struct smb_node *node_at(struct path_tree *tree, struct smb_node *node, const char *path)
{
	if (!node)
		return (struct smb_node *)path_tree_get(tree, path);
	node->head.references++;
	return node;
}

/* `node`: at the path; NULL: none. */
static struct smb_file *open_at(struct rtap_tracker *tracker, const struct smb_key *key, const char *path, struct smb_node *node, bool is_new,
				uint64_t disk_id, const struct smb_change *change)
{
	struct path_tree *tree = &names_of(tracker)->tree;
	uint64_t before = tree->memory;
	struct smb_file *file;

	if (node && node->file && node->file->since < change->request_frame &&
	    (is_new || (disk_id && node->file->disk_id && disk_id != node->file->disk_id))) {
		set_aside(tracker, node, change);
		node = NULL;
	}
	node = node_at(tree, node, path);
	if (node && node->file) {
		file = node->file;
		file->references++;
		path_tree_release(tree, &node->head);
	} else {
		file = create_file(tracker, path);
		if (!file) {
			path_tree_release(tree, node ? &node->head : NULL);
			return NULL;
		}
		file->since = change->response_frame;
		file->node = node;
		if (node)
			node->file = file;
	}
	if (disk_id)
		file->disk_id = disk_id;
	add_entry(tracker, key, file, (size_t)(tree->memory > before ? tree->memory - before : 0) + strlen(path));
	return file;
}

struct smb_file *smb_file_open(struct rtap_tracker *tracker, const struct smb_key *key, const char *path, bool is_new, uint64_t disk_id,
			       const struct smb_change *change)
{
	const struct path_tree *tree = &names_of(tracker)->tree;
	struct smb_node *node;
	struct smb_file *file;
	char *other;

	/* can end another file at the path */
	smb_key_drop(tracker, key);
	node = (struct smb_node *)path_tree_find(tree, path);
	other = is_new || !disk_id || node ? NULL : other_case(tree, path, disk_id);
	if (other)
		node = (struct smb_node *)path_tree_find(tree, other);
	file = open_at(tracker, key, other ? other : path, node, is_new, disk_id, change);
	free(other);
	return file;
}

struct smb_file *smb_file_named(struct rtap_tracker *tracker, const struct smb_key *key, const char *before, const char *path,
				const struct smb_change *change)
{
	struct smb_node *replaced = (struct smb_node *)path_tree_find(&names_of(tracker)->tree, path);

	if (replaced)
		set_aside(tracker, replaced, change);
	report_rename(tracker, before, path, true, change);
	return smb_file_open(tracker, key, path, false, 0, change);
}

/* The file has this place only, and not what is below it. */
static void take_place(struct rtap_tracker *tracker, struct smb_file *file, const char *path)
{
	struct path_tree *tree = &names_of(tracker)->tree;
	struct smb_node *node = (struct smb_node *)path_tree_get(tree, path);

	leave_place(tracker, file);
	if (node && node->file) {
		path_tree_release(tree, &node->head);
		return;
	}
	file->node = node;
	if (node)
		node->file = file;
}

void smb_file_rename(struct rtap_tracker *tracker, struct smb_file *file, const char *path, const struct smb_change *change)
{
	struct smb_names *names = names_of(tracker);
	struct smb_node *replaced = (struct smb_node *)path_tree_find(&names->tree, path);
	char *from = smb_file_path(tracker, file);

	if (!from || (replaced && replaced == file->node)) {
		free(from);
		return;
	}
	if (replaced)
		set_aside(tracker, replaced, change);
	if (file->node && path_tree_move(&names->tree, &file->node->head, path))
		note_moved(names, file->node);
	else
		take_place(tracker, file, path);
	smb_name_release(file->name);
	file->name = make_name(path);
	file->renames = names->renames;
	file->since = change->response_frame;
	file->is_aside = false;
	report_rename(tracker, from, path, false, change);
	free(from);
}

struct smb_name *smb_file_name(struct rtap_tracker *tracker, struct smb_file *file)
{
	const struct smb_names *names = names_of(tracker);

	if (file->node && !file->is_aside && file->renames != names->renames) {
		char *path = path_tree_text(&file->node->head);

		smb_name_release(file->name);
		file->name = path ? make_name(path) : NULL;
		file->renames = names->renames;
		free(path);
	}
	if (file->name)
		file->name->references++;
	return file->name;
}

char *smb_file_path(struct rtap_tracker *tracker, struct smb_file *file)
{
	struct smb_name *name = file->node ? NULL : smb_file_name(tracker, file);
	char *path = NULL;

	if (file->node)
		return path_tree_text(&file->node->head);
	if (name && (path = memory_new(strlen(name->path) + 1)))
		memcpy(path, name->path, strlen(name->path) + 1);
	smb_name_release(name);
	return path;
}

static size_t add_component(char *path, size_t at, const uint8_t *name, size_t length)
{
	char component[NAME_TEXT_MAX + 1];
	size_t taken = name_text(name, length, component);

	if (at)
		path[at++] = '/';
	memcpy(path + at, component, taken);
	return at + taken;
}

char *smb_path(const char *before, const uint8_t *utf16, uint32_t length)
{
	uint32_t used = length > 0xffff ? 0xffff : length;
	uint8_t *text = memory_new(used / 2 * 3 + 4), *end, *next;
	size_t at = before ? strlen(before) : 0;
	char *path = NULL;

	if (!text)
		return NULL;
	end = smb_text_put(text, utf16, used);
	/* a byte takes at most three; a short component is not longer than its escapes */
	path = memory_new(at + (size_t)(end - text) * 3 + 4);
	if (!path) {
		free(text);
		return NULL;
	}
	if (before)
		memcpy(path, before, at);
	for (const uint8_t *name = text; name < end; name = next + 1) {
		next = memchr(name, '\\', (size_t)(end - name));
		if (!next)
			next = end;
		if (next > name)
			at = add_component(path, at, name, (size_t)(next - name));
		if (at > MOST_PATH) {
			at = 0;
			break;
		}
	}
	path[at] = '\0';
	free(text);
	return path;
}

static const char *show_address(const uint8_t *address, uint8_t length, char *text)
{
	struct line line;

	line_init(&line, text, SMB_SERVER_TEXT - 1);
	line_address(&line, address, length);
	*line.next = '\0';
	return text;
}

const char *smb_server(const struct connection *connection, bool server_is_a, char *text)
{
	const struct rtap_end *end = end_of(connection, server_is_a);

	return show_address(end->address, end->address_length, text);
}

const char *smb_server_of(struct rtap_tracker *tracker, const struct connection *connection, bool server_is_a, uint64_t session, char *text)
{
	const struct entry *bound = bound_of(tracker, end_of(connection, server_is_a), session);

	return bound ? show_address(bound->server, bound->server_length, text) : smb_server(connection, server_is_a, text);
}
