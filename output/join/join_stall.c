/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/join/join_stall.h"

/* The last packets of a connection. */
struct stall_connection {
	SLIST_ENTRY(stall_connection) link;
	uint64_t number;
	struct join_brief last, lost; /* lost: the latest that a point missed, since the latest retransmission */
};

static bool is_shorter(const void *one, const void *other)
{
	return ((const struct join_stall *)one)->duration_ns < ((const struct join_stall *)other)->duration_ns;
}

static bool is_number(const void *value, const void *key)
{
	return ((const struct stall_connection *)value)->number == *(const uint64_t *)key;
}

/* NULL: there are too many, or no memory. */
static struct stall_connection *connection_of(struct join_stalls *stalls, uint64_t number, uint64_t most)
{
	uint64_t hash = map_hash(&number, 1);
	struct stall_connection *connection = map_find(&stalls->by_connection, hash, is_number, &number);

	if (connection)
		return connection;
	connection = stalls->connections < most ? calloc(1, sizeof *connection) : NULL;
	if (!connection || !map_add(&stalls->by_connection, hash, connection)) {
		free(connection);
		return NULL;
	}
	connection->number = number;
	SLIST_INSERT_HEAD(&stalls->all, connection, link);
	stalls->connections++;
	return connection;
}

static struct join_brief brief_of(const struct join_direction *direction, const struct transmission *transmission, uint32_t active)
{
	unsigned first = (unsigned)__builtin_ctz(transmission->seen), last = first;

	for (unsigned slot = first; slot < transmission->path->count; slot++) {
		if (!(transmission->seen >> slot & 1))
			continue;
		if (transmission->times_ns[slot] < transmission->times_ns[first])
			first = slot;
		if (transmission->times_ns[slot] > transmission->times_ns[last])
			last = slot;
	}
	return (struct join_brief){
		.direction = direction, .seen = transmission->seen, .active = active, .number = transmission->number,
		.frame = transmission->frames[first], .point = transmission->path->points[first], .time_ns = transmission->times_ns[first],
		.last_ns = transmission->times_ns[last], .is_repeat = transmission->is_repeat,
	};
}

/* Keeps the longest ones. */
static void keep(struct join_stalls *stalls, const struct join_stall *stall)
{
	struct join_stall *kept;

	stalls->longest.before = is_shorter;
	if (stalls->longest.count == JOIN_STALLS) {
		kept = heap_first(&stalls->longest);
		if (kept->duration_ns >= stall->duration_ns)
			return;
		*kept = *stall;
		heap_settle_first(&stalls->longest);
		return;
	}
	kept = malloc(sizeof *kept);
	if (!kept)
		return;
	*kept = *stall;
	if (!heap_add(&stalls->longest, kept))
		free(kept);
}

void join_stalls_take(struct join_stalls *stalls, const struct join_direction *direction, const struct transmission *transmission,
		      uint32_t active, uint32_t missed, uint64_t most_connections)
{
	struct stall_connection *connection;
	struct join_stall stall = { .after = brief_of(direction, transmission, active), .connection = transmission->connection };

	if (!transmission->connection)
		return;
	connection = connection_of(stalls, transmission->connection, most_connections);
	if (!connection) {
		stalls->uncounted++;
		return;
	}
	stall.before = connection->last;
	stall.lost = connection->lost;
	if (stall.before.direction && !__builtin_sub_overflow(stall.after.time_ns, stall.before.time_ns, &stall.duration_ns) &&
	    stall.duration_ns >= JOIN_STALL_NS) {
		stalls->pauses++;
		keep(stalls, &stall);
	}
	if (stall.after.is_repeat)
		connection->lost.direction = NULL;
	if (missed)
		connection->lost = stall.after;
	connection->last = stall.after;
}

void join_stalls_fini(struct join_stalls *stalls)
{
	struct stall_connection *connection;

	while ((connection = SLIST_FIRST(&stalls->all))) {
		SLIST_REMOVE_HEAD(&stalls->all, link);
		free(connection);
	}
	for (size_t i = 0; i < stalls->longest.count; i++)
		free(stalls->longest.items[i]);
	heap_fini(&stalls->longest);
	map_fini(&stalls->by_connection);
}
