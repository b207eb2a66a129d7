/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The registry: all protocols, and the names that find them and their fields.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/registry.h"

const struct protocol *const registry[PROTOCOL_COUNT] = {
#define ROW(identifier, object) [PROTOCOL_##identifier] = &object,
	PROTOCOLS(ROW)
#undef ROW
};

#define BLOCK 16 /* fields */

/* The protocol of the first field of each block. */
static uint16_t protocol_of_block[(UINT16_MAX + 1) / BLOCK];

__attribute__((constructor)) static void register_all(void)
{
	uint16_t protocol = 0;

	protocol_register(registry);
	for (uint32_t id = 0; id < protocol_first_ids[PROTOCOL_COUNT]; id += BLOCK) {
		while (protocol_first_ids[protocol + 1] <= id)
			protocol++;
		protocol_of_block[id / BLOCK] = protocol;
	}
}

/* Names that denote several fields or protocols. */
static const struct alias {
	const char *name;
	const char *stands_for[2];
} aliases[] = {
	{ "eth.addr", { "eth.dst", "eth.src" } },
	{ "ip.addr", { "ip.src", "ip.dst" } },
	{ "ipv6.addr", { "ipv6.src", "ipv6.dst" } },
	{ "udp.port", { "udp.srcport", "udp.dstport" } },
	{ "tcp.port", { "tcp.srcport", "tcp.dstport" } },
};

size_t rtap_protocol_count(void)
{
	return PROTOCOL_COUNT;
}

const struct rtap_protocol *rtap_protocol_by_number(uint16_t number)
{
	return number < PROTOCOL_COUNT ? &registry[number]->table : NULL;
}

size_t rtap_field_count(void)
{
	return protocol_field_id(PROTOCOL_COUNT, 0);
}

/* The protocol of a field; *index is the field's place in its table. */
static uint16_t find_protocol(rtap_field_id id, size_t *index)
{
	uint16_t protocol = protocol_of_block[id / BLOCK];

	*index = id;
	if (id >= protocol_first_ids[PROTOCOL_COUNT])
		return PROTOCOL_NONE;
	while (protocol_first_ids[protocol + 1] <= id)
		protocol++;
	*index = (size_t)(id - protocol_first_ids[protocol]);
	return protocol;
}

const struct rtap_field *rtap_field_by_id(rtap_field_id id)
{
	size_t index;
	uint16_t number = find_protocol(id, &index);

	return number == PROTOCOL_NONE ? NULL : &registry[number]->table.fields[index];
}

uint16_t rtap_field_protocol(rtap_field_id id)
{
	size_t index;

	return find_protocol(id, &index);
}

/* Fields by the hash of their names, from the first lookup on. */
static struct {
	pthread_once_t once;
	rtap_field_id *first; /* of the fields of each hash, plus 1; 0: none. NULL: out of memory */
	rtap_field_id *next;  /* by field: the next one of that hash, in ascending order, plus 1 */
} by_name = { .once = PTHREAD_ONCE_INIT };

#define HASHES 8192

static size_t hash_of(const char *name)
{
	uint32_t hash = 2166136261;

	/* FNV-1a */
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return (hash ^ hash >> 16) % HASHES;
}

static void index_names(void)
{
	size_t count = rtap_field_count();
	rtap_field_id *ids = memory_new_zeroed(HASHES + count, sizeof *ids);

	if (!ids)
		return;
	by_name.first = ids;
	by_name.next = ids + HASHES;
	for (uint16_t i = PROTOCOL_COUNT; i-- > 0;) {
		const struct rtap_protocol *table = &registry[i]->table;

		for (size_t j = table->field_count; j-- > 0;) {
			rtap_field_id *first = &by_name.first[hash_of(table->fields[j].name)];

			count--;
			by_name.next[count] = *first;
			*first = (rtap_field_id)(count + 1);
		}
	}
}

__attribute__((destructor)) static void free_names(void)
{
	free(by_name.first);
}

/* Without the index. */
static size_t search_names(const char *name, rtap_field_id *ids, size_t found, size_t room)
{
	for (size_t id = 0; id < rtap_field_count(); id++) {
		if (strcmp(rtap_field_by_id((rtap_field_id)id)->name, name))
			continue;
		if (found < room)
			ids[found] = (rtap_field_id)id;
		found++;
	}
	return found;
}

static size_t find_exact(const char *name, rtap_field_id *ids, size_t found, size_t room)
{
	pthread_once(&by_name.once, index_names);
	if (!by_name.first)
		return search_names(name, ids, found, room);
	for (rtap_field_id next = by_name.first[hash_of(name)]; next; next = by_name.next[next - 1]) {
		if (strcmp(rtap_field_by_id((rtap_field_id)(next - 1))->name, name))
			continue;
		if (found < room)
			ids[found] = (rtap_field_id)(next - 1);
		found++;
	}
	return found;
}

size_t rtap_field_find(const char *name, rtap_field_id *ids, size_t room)
{
	size_t found = find_exact(name, ids, 0, room);

	for (size_t i = 0; !found && i < sizeof aliases / sizeof aliases[0]; i++)
		if (!strcmp(aliases[i].name, name))
			for (size_t j = 0; j < 2; j++)
				found = find_exact(aliases[i].stands_for[j], ids, found, room);
	return found;
}

size_t rtap_protocol_find(const char *name, uint16_t *numbers, size_t room)
{
	size_t length = strlen(name), found = 0;

	for (uint16_t i = 0; length && i < PROTOCOL_COUNT; i++) {
		const char *own = registry[i]->table.name;

		/* "infiniband" denotes infiniband.bth and all other headers of InfiniBand */
		if (strncmp(own, name, length) || (own[length] && own[length] != '.'))
			continue;
		if (found < room)
			numbers[found] = i;
		found++;
	}
	return found;
}
