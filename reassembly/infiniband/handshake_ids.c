/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reassembly/infiniband/handshake_ids.h"

uint64_t handshake_ids_memory(const struct connection *connection)
{
	const uint64_t one = sizeof(struct handshake) + 2 * sizeof(struct map_slot);

	return (connection->handshakes[0] ? one : 0) + (connection->handshakes[1] ? one : 0) + (connection->resolution ? one : 0);
}

static void words_of(const struct rtap_end *end, uint32_t id, unsigned kind, uint64_t words[4])
{
	memcpy(words, end->address, sizeof end->address);
	words[2] = (uint64_t)end->address_length << 32 | id;
	words[3] = kind;
}

static bool same_words(const void *value, const void *key)
{
	return !memcmp(((const struct handshake *)value)->words, key, sizeof((struct handshake *)0)->words);
}

struct handshake *handshake_ids_find(const struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind)
{
	uint64_t words[4];

	words_of(end, id, kind, words);
	return map_find(map, map_hash(words, 4), same_words, words);
}

struct handshake *handshake_ids_add(struct map *map, const struct rtap_end *end, uint32_t id, unsigned kind)
{
	struct handshake *handshake = memory_new_zeroed(1, sizeof *handshake);

	if (!handshake)
		return NULL;
	handshake->id = id;
	words_of(end, id, kind, handshake->words);
	handshake->hash = map_hash(handshake->words, 4);
	if (!map_add(map, handshake->hash, handshake)) {
		free(handshake);
		return NULL;
	}
	return handshake;
}

void handshake_ids_drop(struct map *map, struct handshake *handshake)
{
	map_remove(map, handshake->hash, handshake);
	free(handshake);
}

void handshake_ids_leave_resolved(struct connection *connection)
{
	if (!connection->resolved)
		return;
	SLIST_REMOVE(&connection->resolved->resolved, connection, connection, resolved_link);
	connection->resolved->waiting--;
	connection->resolved = NULL;
}

void handshake_ids_discard(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->handshakes[0] == connection->handshakes[1])
		connection->handshakes[1] = NULL;
	for (int i = 0; i < 2; i++) {
		if (connection->handshakes[i])
			handshake_ids_drop(&tracker->handshakes, connection->handshakes[i]);
		connection->handshakes[i] = NULL;
	}
	handshake_ids_leave_resolved(connection);
	if (connection->resolution)
		handshake_ids_drop(&tracker->services, connection->resolution);
	connection->resolution = NULL;
}
