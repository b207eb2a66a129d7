/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/smb/smb_text.h"
#include "reassembly/upper/name_text.h"
#include "reassembly/upper/smb_names.h"
#include "reassembly/upper/upper_layers.h"

struct smb_names {
	struct map map;
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

/* Removes the key; the path stays while requests refer to it. */
static void unmap(struct rtap_tracker *tracker, struct smb_name *name)
{
	map_remove(&names_of(tracker)->map, name->hash, name);
	name->is_mapped = false;
	budget_give(&tracker->budget, &name->entry, name->entry.bytes);
	smb_name_release(name);
}

void smb_names_fini(struct rtap_tracker *tracker)
{
	struct smb_names *names = names_of(tracker);

	if (!names)
		return;
	for (size_t i = 0; i < names->map.room; i++) {
		struct smb_name *name = names->map.slots[i].value;

		if (!name)
			continue;
		budget_give(&tracker->budget, &name->entry, name->entry.bytes);
		smb_name_release(name);
	}
	map_fini(&names->map);
	free(names);
	tracker->upper_states[UPPER_smb] = NULL;
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;

	tracker->counters.evictions++;
	unmap(tracker, (struct smb_name *)((char *)entry - offsetof(struct smb_name, entry)));
}

static struct smb_key key_of(const struct connection *connection, bool server_is_a)
{
	const struct rtap_end *server = server_is_a ? &connection->shown.a : &connection->shown.b;
	uint8_t address[16] = { 0 };

	memcpy(address, server->address, server->address_length <= 16 ? server->address_length : 16);
	return (struct smb_key){ { load64(address), load64(address + 8) } };
}

struct smb_key smb_key_of_tree(const struct connection *connection, bool server_is_a, uint64_t session, uint32_t tree)
{
	struct smb_key key = key_of(connection, server_is_a);

	key.words[2] = session;
	key.words[3] = tree;
	return key;
}

struct smb_key smb_key_of_file(const struct connection *connection, bool server_is_a, uint64_t session, const uint8_t *id)
{
	struct smb_key key = key_of(connection, server_is_a);

	key.words[2] = session;
	key.words[3] = load64(id);
	key.words[4] = load64(id + 8);
	key.words[5] = 1;
	return key;
}

static bool is_key(const void *value, const void *wanted)
{
	return !memcmp(((const struct smb_name *)value)->key, ((const struct smb_key *)wanted)->words, sizeof(struct smb_key));
}

static struct smb_name *look_up(struct rtap_tracker *tracker, const struct smb_key *key)
{
	const struct map *map = &names_of(tracker)->map;

	return map->count ? map_find(map, map_hash(key->words, 6), is_key, key) : NULL;
}

struct smb_name *smb_name_find(struct rtap_tracker *tracker, const struct smb_key *key)
{
	struct smb_name *name = look_up(tracker, key);

	if (!name)
		return NULL;
	budget_touch(&tracker->budget, &name->entry);
	name->references++;
	return name;
}

void smb_name_drop(struct rtap_tracker *tracker, const struct smb_key *key)
{
	struct smb_name *name = look_up(tracker, key);

	if (name)
		unmap(tracker, name);
}

void smb_name_set(struct rtap_tracker *tracker, const struct smb_key *key, const char *path)
{
	size_t length = strlen(path), size = sizeof(struct smb_name) + length + 1;
	struct smb_name *name;

	smb_name_drop(tracker, key);
	name = memory_new_zeroed(1, size);
	if (!name) {
		tracker->counters.evictions++;
		return;
	}
	memcpy(name->key, key->words, sizeof name->key);
	memcpy(name->path, path, length + 1);
	name->hash = map_hash(key->words, 6);
	name->references = 1;
	name->entry = (struct budget_entry){ .evict = evict, .owner = tracker };
	name->is_mapped = map_add(&names_of(tracker)->map, name->hash, name);
	if (!name->is_mapped) {
		tracker->counters.evictions++;
		free(name);
		return;
	}
	budget_charge(&tracker->budget, &name->entry, size);
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
	}
	path[at] = '\0';
	free(text);
	return path;
}

const char *smb_server(const struct connection *connection, bool server_is_a, char *text)
{
	const struct rtap_end *end = server_is_a ? &connection->shown.a : &connection->shown.b;
	struct line line;

	line_init(&line, text, SMB_SERVER_TEXT - 1);
	if (end->address_length == 4 || end->address_length == 16)
		line_ip(&line, end->address, end->address_length);
	else
		line_text(&line, "unknown");
	*line.next = '\0';
	return text;
}
