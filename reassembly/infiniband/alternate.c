/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/cursor.h"
#include "dissect/engine/packet_ends.h"
#include "dissect/management/cm_paths.h"
#include "reassembly/connection.h"
#include "reassembly/connection_life.h"
#include "reassembly/infiniband/alternate.h"
#include "reassembly/infiniband/handshake_ids.h"

#define PATHS 2
#define LID_LENGTH 2

/* The packets of one end on a path that the connection does not use now. */
struct direction {
	uint64_t words[6]; /* source and destination as GIDs or LIDs, queue pair of the destination, whether LIDs */
	uint64_t hash;
	struct connection *connection;
	bool from_a, is_known;
	bool has_migrated; /* an odd number of times since the path was loaded */
};

/*
 * A path of a LAP takes the place of the older one, but not of the one in use: its messages come from there too.
 */
struct alternate {
	struct rtap_end offered[2];             /* addresses of b; of a */
	bool is_offered;
	unsigned in_use;                        /* paths[] whose addresses the connection uses; PATHS: those of its REQ */
	struct path {
		unsigned former;                /* in_use before the migration to it */
		struct direction directions[2]; /* from b; from a */
		struct handshake *ids[2];       /* the communication ids of b; of a at these addresses; NULL: none */
	} paths[PATHS];
};

_Static_assert(sizeof(struct alternate) + 2 * PATHS * (sizeof(struct handshake) + 4 * sizeof(struct map_slot)) <= ALTERNATE_MEMORY,
	       "what is charged");

/* An IPv4 address is that of its GID. A17.4.2. */
static void gid_of(const struct rtap_end *end, uint64_t words[2])
{
	uint8_t gid[16] = { [10] = 0xff, [11] = 0xff };

	if (end->address_length == 4)
		memcpy(gid + 12, end->address, 4);
	else
		memcpy(gid, end->address, 16);
	memcpy(words, gid, 16);
}

static void words_of(const struct rtap_end *source, const struct rtap_end *destination, uint64_t qpn, uint64_t words[6])
{
	gid_of(source, words);
	gid_of(destination, words + 2);
	words[4] = qpn;
	words[5] = source->address_length == LID_LENGTH;
}

static bool same_words(const void *value, const void *key)
{
	return !memcmp(((const struct direction *)value)->words, key, sizeof((struct direction *)0)->words);
}

static void unindex_direction(struct rtap_tracker *tracker, struct direction *direction)
{
	if (direction->is_known)
		map_remove(&tracker->alternates, direction->hash, direction);
	direction->is_known = false;
}

/* Two connections cannot have the same: the first keeps it. */
static void index_direction(struct rtap_tracker *tracker, struct direction *direction)
{
	direction->hash = map_hash(direction->words, 6);
	direction->is_known = !map_find(&tracker->alternates, direction->hash, same_words, direction->words) && map_add(&tracker->alternates, direction->hash, direction);
}

static void discard_path(struct rtap_tracker *tracker, struct path *path)
{
	for (int i = 0; i < 2; i++) {
		unindex_direction(tracker, &path->directions[i]);
		if (path->ids[i])
			handshake_ids_drop(&tracker->handshakes, path->ids[i]);
		path->ids[i] = NULL;
	}
}

/* The address by which packets on the path come: an IPv4 one in a GID, or a LID if no packet needs a GRH. */
static struct rtap_end end_of(const struct rtap_end *primary, const uint8_t *gid, uint16_t lid, bool stays_local)
{
	static const uint8_t ipv4_prefix[12] = { [10] = 0xff, [11] = 0xff };
	struct rtap_end end = { 0 };

	if (primary->address_length == LID_LENGTH && stays_local) {
		end.address[0] = (uint8_t)(lid >> 8);
		end.address[1] = (uint8_t)lid;
		end.address_length = LID_LENGTH;
	} else if (primary->address_length == 4 && !memcmp(gid, ipv4_prefix, sizeof ipv4_prefix)) {
		memcpy(end.address, gid + sizeof ipv4_prefix, 4);
		end.address_length = 4;
	} else {
		memcpy(end.address, gid, 16);
		end.address_length = 16;
	}
	return end;
}

void alternate_note(struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	const struct rtap_end *primary = from_a ? &connection->shown.a : &connection->shown.b;
	struct alternate *alternate = connection->alternate;
	struct cm_path path;

	if (!cm_alternate_path(packet, &path)) {
		if (alternate)
			alternate->is_offered = false;
		return;
	}
	if (!alternate) {
		connection->alternate = alternate = memory_new_zeroed(1, sizeof *alternate);
		if (!alternate)
			return;
		alternate->in_use = PATHS;
		connection->resized = true;
	}
	alternate->offered[from_a] = end_of(primary, path.local_gid, path.local_lid, path.stays_local);
	alternate->offered[!from_a] = end_of(primary, path.remote_gid, path.remote_lid, path.stays_local);
	alternate->is_offered = true;
}

/* Messages about the connection can come from these addresses, too. */
static struct handshake *alias_of(struct rtap_tracker *tracker, const struct rtap_end *end, struct handshake *handshake)
{
	struct handshake *alias = NULL;

	if (handshake && !handshake_ids_find(&tracker->handshakes, end, handshake->id, 0))
		alias = handshake_ids_add(&tracker->handshakes, end, handshake->id, 0);
	if (!alias)
		return NULL;
	alias->alias_of = handshake;
	alias->connection = handshake->connection;
	return alias;
}

void alternate_load(struct rtap_tracker *tracker, struct connection *connection)
{
	struct alternate *alternate = connection->alternate;
	const struct rtap_connection *shown = &connection->shown;
	struct path *path;

	if (!alternate || !alternate->is_offered)
		return;
	path = &alternate->paths[alternate->in_use == 0];
	alternate->is_offered = false;
	discard_path(tracker, path);
	for (int from_a = 0; from_a < 2; from_a++) {
		const struct rtap_end *receiver = from_a ? &shown->b : &shown->a;
		struct direction *direction = &path->directions[from_a];

		path->ids[from_a] = alias_of(tracker, &alternate->offered[from_a], connection->handshakes[from_a]);
		direction->connection = connection;
		direction->from_a = from_a;
		direction->has_migrated = false;
		words_of(&alternate->offered[from_a], &alternate->offered[!from_a], receiver->qpn, direction->words);
		if (receiver->qpn_known)
			index_direction(tracker, direction);
	}
}

/* Addresses of a flow's packets. */
static void words_of_flow(const struct flow_key *key, uint64_t words[6])
{
	struct rtap_end source = { .address_length = (uint8_t)(key->words[5] >> 8) }, destination = { .address_length = (uint8_t)key->words[5] };

	flow_key_address(&key->words[0], source.address_length, source.address);
	flow_key_address(&key->words[2], destination.address_length, destination.address);
	words_of(&source, &destination, key->words[4], words);
}

/* Each direction migrates by itself: the first one is an event. */
static void note_migration(const struct rtap_packet *packet, struct direction *direction)
{
	struct connection *connection = direction->connection;
	struct alternate *alternate = connection->alternate;
	unsigned number = direction >= alternate->paths[1].directions;
	struct path *path = &alternate->paths[number];

	direction->has_migrated = !direction->has_migrated;
	if (direction->has_migrated == path->directions[!direction->from_a].has_migrated)
		return;
	if (direction->has_migrated)
		path->former = alternate->in_use;
	alternate->in_use = direction->has_migrated ? number : path->former;
	if (connection->shown.life_count < RTAP_MAX_LIFE_EVENTS - CONNECTION_LIFE_END)
		connection_life_event(connection, "path_migrated", packet->frame->number, packet->frame->time_ns, 0);
}

struct flow *alternate_migrate(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct rtap_end source, destination;
	struct flow_key key;
	uint64_t words[6];
	struct direction *direction;
	struct flow *flow;

	if (!tracker->alternates.count)
		return NULL;
	packet_ends(packet, &source, &destination);
	words_of(&source, &destination, destination.qpn, words);
	direction = map_find(&tracker->alternates, map_hash(words, 6), same_words, words);
	flow = direction ? direction->connection->flows[direction->from_a] : NULL;
	if (!flow || flow->pending_count)
		return NULL;
	unindex_direction(tracker, direction);
	words_of_flow(&flow->key, direction->words);
	key = flow_key_of(&source, &destination, destination.qpn, 0, false);
	if (!flow_move(tracker, flow, &key))
		return NULL;
	index_direction(tracker, direction);
	note_migration(packet, direction);
	return flow;
}

void alternate_discard(struct rtap_tracker *tracker, struct connection *connection)
{
	if (!connection->alternate)
		return;
	for (int i = 0; i < PATHS; i++)
		discard_path(tracker, &connection->alternate->paths[i]);
	free(connection->alternate);
	connection->alternate = NULL;
	connection->resized = true;
}
