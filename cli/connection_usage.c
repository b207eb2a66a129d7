/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cli/connection_usage.h"
#include "output/stats/usage.h"

struct usage_entry {
	uint64_t number;           /* of the connection */
	bool has_layer;            /* it carries RPC */
	struct usage usage;
};

static uint64_t hash_of(uint64_t number)
{
	return map_hash(&number, 1);
}

static bool is_number(const void *value, const void *key)
{
	return ((const struct usage_entry *)value)->number == *(const uint64_t *)key;
}

static struct usage_entry *find(const struct connection_usages *usages, uint64_t number)
{
	return map_find(&usages->map, hash_of(number), is_number, &number);
}

/* NULL: out of memory. */
static struct usage_entry *entry_of(struct connection_usages *usages, uint64_t number)
{
	struct usage_entry *entry = usages->last;

	if (entry && entry->number == number)
		return entry;
	entry = find(usages, number);
	if (entry)
		return usages->last = entry;
	entry = usages->memory + sizeof *entry <= usages->max_memory ? memory_new_zeroed(1, sizeof *entry) : NULL;
	if (entry) {
		entry->number = number;
		if (map_add(&usages->map, hash_of(number), entry)) {
			usages->memory += sizeof *entry;
			return entry;
		}
	}
	free(entry);
	usages->uncounted++;
	return NULL;
}

void connection_usage_message(struct connection_usages *usages, const struct rtap_message *message)
{
	struct usage_entry *entry;

	if (!message->connection)
		return;
	entry = message->is_rpc ? find(usages, message->connection->number) : entry_of(usages, message->connection->number);
	if (!entry)
		return;
	entry->has_layer |= message->is_rpc;
	if (!entry->has_layer)
		usage_message(&entry->usage, message);
}

void connection_usage_merge(struct connection_usages *usages, uint64_t from, uint64_t into, bool turned)
{
	struct usage_entry *half = find(usages, from), *whole = half ? entry_of(usages, into) : NULL;

	if (whole) {
		whole->has_layer |= half->has_layer;
		usage_merge(&whole->usage, &half->usage, turned);
	}
	if (half)
		connection_usage_end(usages, from);
}

const struct usage *connection_usage_of(const struct connection_usages *usages, const struct rtap_connection *connection)
{
	const struct usage_entry *entry = connection->layer ? NULL : find(usages, connection->number);

	if (!entry || entry->has_layer || !entry->usage.messages)
		return NULL;
	/* counts that began late would be wrong */
	return usages->uncounted && entry->usage.messages < connection->messages ? NULL : &entry->usage;
}

void connection_usage_end(struct connection_usages *usages, uint64_t number)
{
	struct usage_entry *entry = find(usages, number);

	if (!entry)
		return;
	if (usages->last == entry)
		usages->last = NULL;
	map_remove(&usages->map, hash_of(number), entry);
	usages->memory -= sizeof *entry;
	free(entry);
}

void connection_usages_fini(struct connection_usages *usages)
{
	for (size_t i = 0; i < usages->map.room; i++)
		free(usages->map.slots[i].value);
	map_fini(&usages->map);
}
