/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/map.h"
#include "base/memory.h"
#include "dissect/engine/packet_ends.h"
#include "dissect/net/erf.h"
#include "reassembly/join/transmission.h"
#include "reassembly/packet_identity.h"

/* Most transmissions within JOIN_WINDOW_NS: 26 MB; memory grows with their number. Powers of two. */
#define MOST_ROOM 65536
#define LEAST_ROOM 4096
#define BUCKETS 65536
#define NONE UINT32_MAX

/* A packet without its own identification, captured again within this time, was duplicated by the network; later, it was retransmitted. */
#define AT_ONCE_NS 1000000
/* How many times as long as the next transmission an earlier one with the same bytes is not on the way. */
#define MUCH_LONGER 4

#define ECN_MASK 0x3
#define ECN_CE 0x3 /* RFC 3168, 5 */

struct entry {
	struct transmission shown;
	uint32_t next;             /* in its bucket, an older one; NONE: the last */
	int64_t last_ns;           /* of its latest capture */
};

#define SENDERS 256

/* Whether a sender numbers its packets: then a packet with the same number is a copy, not a retransmission. */
struct sender {
	uint16_t last_id;
	uint32_t packets, same;
};

/* The latest transmission of a flow that each point captured, by number + 1 and slot. */
struct latest {
	struct transmission_flow flow;
	uint64_t numbers[JOIN_POINTS];
};

/* Most pairs of hosts: 512 hosts that all send to each other have half of it. */
#define PATHS (UINT32_C(1) << 18)

/* The addresses of two hosts, the lower first. */
struct hosts {
	uint8_t addresses[2][16];
	uint8_t length;            /* 0: packets without addresses */
};

struct path {
	struct transmission_path shown; /* the first member */
	SLIST_ENTRY(path) link;
	struct hosts hosts;
};

/* Of one, with its place in the map, which is half empty at times. */
#define PATH_MEMORY (sizeof(struct path) + 32)

/* Number of entries; a flow replaces another one in the same entry. */
#define FLOWS 4096

struct transmissions {
	void (*take)(void *owner, const struct transmission *transmission);
	void *owner;
	uint64_t begun, passed;    /* numbers: entries from `passed` to `begun` are open, each at its number modulo `room` */
	uint32_t room, most_room;
	uint64_t forced_out, uncompared;
	unsigned points;
	uint64_t *frames;          /* of each point so far */
	struct map paths;
	uint32_t most_paths;
	SLIST_HEAD(, path) all_paths;
	struct path *last_path;    /* of the packet before; NULL: none */
	struct sender senders[SENDERS]; /* by address; addresses may share one */
	struct latest latest[FLOWS];
	uint32_t buckets[BUCKETS];
	struct entry *entries;
};

struct transmissions *transmissions_create(unsigned points, uint64_t max_memory, void (*take)(void *owner, const struct transmission *transmission),
					   void *owner)
{
	struct transmissions *transmissions = memory_new_zeroed(1, sizeof *transmissions);

	if (!transmissions)
		return NULL;
	transmissions->room = transmissions->most_room = LEAST_ROOM;
	while (transmissions->most_room < MOST_ROOM && 2 * transmissions->most_room * sizeof(struct entry) <= max_memory)
		transmissions->most_room *= 2;
	transmissions->entries = memory_new_zeroed(transmissions->room, sizeof transmissions->entries[0]);
	transmissions->frames = calloc(points, sizeof *transmissions->frames);
	if (!transmissions->entries || !transmissions->frames) {
		transmissions_destroy(transmissions);
		return NULL;
	}
	transmissions->points = points;
	transmissions->most_paths = max_memory / PATH_MEMORY < PATHS ? (uint32_t)(max_memory / PATH_MEMORY) : PATHS;
	transmissions->take = take;
	transmissions->owner = owner;
	memset(transmissions->buckets, 0xff, sizeof transmissions->buckets);
	return transmissions;
}

void transmissions_destroy(struct transmissions *transmissions)
{
	struct path *path;

	if (!transmissions)
		return;
	while ((path = SLIST_FIRST(&transmissions->all_paths))) {
		SLIST_REMOVE_HEAD(&transmissions->all_paths, link);
		free(path);
	}
	map_fini(&transmissions->paths);
	free(transmissions->entries);
	free(transmissions->frames);
	free(transmissions);
}

/* The oldest one. */
static const struct entry *oldest(const struct transmissions *transmissions)
{
	return &transmissions->entries[transmissions->passed % transmissions->room];
}

/* Passes on the oldest one. It is the last of its bucket, because newer ones are entered before it. */
static void pass_on(struct transmissions *transmissions)
{
	uint32_t place = (uint32_t)(transmissions->passed++ % transmissions->room);
	struct entry *entry = &transmissions->entries[place];
	uint32_t *link = &transmissions->buckets[entry->shown.hash % BUCKETS];

	while (*link != place)
		link = &transmissions->entries[*link].next;
	*link = entry->next;
	transmissions->take(transmissions->owner, &entry->shown);
}

static void enter(struct transmissions *transmissions, uint32_t place)
{
	uint32_t *bucket = &transmissions->buckets[transmissions->entries[place].shown.hash % BUCKETS];

	transmissions->entries[place].next = *bucket;
	*bucket = place;
}

/* Doubles the room of open entries. False: there is as much as may be, or no memory. */
static bool grow(struct transmissions *transmissions)
{
	struct entry *all = transmissions->entries, *entries = NULL;
	uint32_t room = 2 * transmissions->room;

	if (transmissions->room < transmissions->most_room)
		entries = memory_new_zeroed(room, sizeof *entries);
	if (!entries)
		return false;
	memset(transmissions->buckets, 0xff, sizeof transmissions->buckets);
	transmissions->entries = entries;
	for (uint64_t number = transmissions->passed; number < transmissions->begun; number++) {
		entries[number % room] = all[number % transmissions->room];
		enter(transmissions, (uint32_t)(number % room));
	}
	transmissions->room = room;
	free(all);
	return true;
}

static void pass_on_old(struct transmissions *transmissions, int64_t now_ns)
{
	while (transmissions->passed < transmissions->begun) {
		int64_t age_ns;

		if (!__builtin_sub_overflow(now_ns, oldest(transmissions)->last_ns, &age_ns) && age_ns < JOIN_WINDOW_NS)
			break;
		pass_on(transmissions);
	}
	if (transmissions->begun - transmissions->passed < transmissions->room || grow(transmissions))
		return;
	transmissions->forced_out += oldest(transmissions)->shown.seen != oldest(transmissions)->shown.path->captured;
	pass_on(transmissions);
}

void transmissions_finish(struct transmissions *transmissions)
{
	while (transmissions->passed < transmissions->begun)
		pass_on(transmissions);
}

uint64_t transmissions_forced_out(const struct transmissions *transmissions)
{
	return transmissions->forced_out;
}

uint64_t transmissions_uncompared(const struct transmissions *transmissions)
{
	return transmissions->uncompared;
}

static bool is_of_hosts(const void *path, const void *hosts)
{
	return !memcmp(&((const struct path *)path)->hosts, hosts, sizeof(struct hosts));
}

static struct path *add_path(struct transmissions *transmissions, uint64_t hash, const struct hosts *hosts)
{
	struct path *path = transmissions->paths.count < transmissions->most_paths ? calloc(1, sizeof *path) : NULL;

	if (!path)
		return NULL;
	path->hosts = *hosts;
	for (unsigned point = 0; transmissions->points <= JOIN_POINTS && point < transmissions->points; point++)
		path->shown.points[path->shown.count++] = point;
	if (!map_add(&transmissions->paths, hash, path)) {
		free(path);
		return NULL;
	}
	SLIST_INSERT_HEAD(&transmissions->all_paths, path, link);
	return path;
}

/* NULL: there are too many, or no memory. */
static struct path *path_of(struct transmissions *transmissions, const struct transmission_flow *flow)
{
	bool is_lower = memcmp(flow->source, flow->destination, sizeof flow->source) < 0;
	struct hosts hosts = { .length = flow->address_length };
	uint64_t words[5] = { hosts.length };
	struct path *path;

	memcpy(hosts.addresses[!is_lower], flow->source, sizeof flow->source);
	memcpy(hosts.addresses[is_lower], flow->destination, sizeof flow->destination);
	if (transmissions->last_path && is_of_hosts(transmissions->last_path, &hosts))
		return transmissions->last_path;
	memcpy(words + 1, hosts.addresses, sizeof hosts.addresses);
	path = map_find(&transmissions->paths, map_hash(words, 5), is_of_hosts, &hosts);
	if (!path)
		path = add_path(transmissions, map_hash(words, 5), &hosts);
	transmissions->last_path = path;
	return path;
}

/* The slot of a point; JOIN_POINTS: none is left. */
static unsigned slot_of(struct transmission_path *path, unsigned point)
{
	unsigned slot = 0;

	while (slot < path->count && path->points[slot] != point)
		slot++;
	if (slot == path->count && slot < JOIN_POINTS)
		path->points[path->count++] = point;
	return slot;
}

static bool numbers_packets(const struct sender *sender)
{
	return sender->packets && sender->same * 5 < sender->packets;
}

static void note_id(struct sender *sender, uint16_t id)
{
	sender->packets++;
	sender->same += id == sender->last_id;
	sender->last_id = id;
	if (sender->packets < UINT16_MAX)
		return;
	sender->packets /= 2;
	sender->same /= 2;
}

/* Time since another point than this one captured it first; 0: none did before. */
static int64_t delay_ns(const struct entry *entry, int64_t now_ns, unsigned slot)
{
	int64_t longest_ns = 0, passed_ns;

	for (uint32_t others = entry->shown.seen & ~(UINT32_C(1) << slot); others; others &= others - 1)
		if (!__builtin_sub_overflow(now_ns, entry->shown.times_ns[__builtin_ctz(others)], &passed_ns) && passed_ns > longest_ns)
			longest_ns = passed_ns;
	return longest_ns;
}

/*
 * Whether a packet right after one that this point captured is a second copy of that, and not of an earlier transmission with the same bytes,
 * which would have been on the way for much longer.
 */
static bool is_second_copy(const struct entry *captured, const struct entry *earlier, int64_t now_ns, unsigned slot)
{
	int64_t usual_ns = delay_ns(captured, captured->shown.times_ns[slot], slot), earlier_ns = delay_ns(earlier, now_ns, slot), since_ns;

	return !__builtin_sub_overflow(now_ns, captured->shown.times_ns[slot], &since_ns) && since_ns < AT_ONCE_NS &&
	       earlier_ns >= AT_ONCE_NS && earlier_ns / MUCH_LONGER > usual_ns;
}

/*
 * The newest copy that this point has not captured; without one, *doubled is the newest that it has. Retransmissions that look the same are
 * farther apart than the copies of one transmission.
 */
static struct entry *find(struct transmissions *transmissions, const struct transmission_sight *sight, const struct transmission_path *path,
			  unsigned slot, struct entry **doubled)
{
	const uint32_t bit = UINT32_C(1) << slot;

	*doubled = NULL;
	for (uint32_t at = transmissions->buckets[sight->hash % BUCKETS]; at != NONE; at = transmissions->entries[at].next) {
		struct entry *entry = &transmissions->entries[at];

		if (entry->shown.hash != sight->hash || entry->shown.path != path || (entry->shown.has_icrc && sight->has_icrc && entry->shown.icrc != sight->icrc))
			continue;
		if (!(entry->shown.seen & bit))
			return *doubled && is_second_copy(*doubled, entry, sight->time_ns, slot) ? NULL : entry;
		if (!*doubled)
			*doubled = entry;
	}
	return NULL;
}

static void name_flow(struct transmission_flow *flow, const struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	packet_ends(packet, &source, &destination);
	flow->address_length = source.address_length;
	memcpy(flow->source, source.address, sizeof flow->source);
	memcpy(flow->destination, destination.address, sizeof flow->destination);
	flow->is_tcp = !packet->ib.has_bth;
	flow->destination_id = flow->is_tcp ? (uint32_t)packet->source_port << 16 | packet->destination_port : packet->ib.dest_qpn;
}

static bool is_repeat(const struct rtap_flow_facts *flow)
{
	return flow->present && (flow->analysis == RTAP_PSN_RETRANSMISSION || flow->tcp_analysis == RTAP_TCP_RETRANSMISSION);
}

static bool is_late(struct transmissions *transmissions, const struct transmission *shown, unsigned slot)
{
	const struct transmission_flow *flow = &shown->flow;
	uint32_t place = (flow->destination_id ^ flow->destination_id >> 16) * 31 +
			 (flow->address_length ? flow->source[flow->address_length - 1] : 0);
	struct latest *latest = &transmissions->latest[place % FLOWS];
	uint64_t before;

	if (memcmp(&latest->flow, flow, sizeof *flow)) {
		memset(latest, 0, sizeof *latest);
		memcpy(&latest->flow, flow, sizeof *flow);
	}
	before = latest->numbers[slot];
	if (shown->number + 1 > before)
		latest->numbers[slot] = shown->number + 1;
	return shown->number + 1 < before;
}

void transmission_sight(struct transmission_sight *sight, const struct rtap_packet *packet, const struct packet_identity *identity, unsigned point)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	struct packet_identity own;

	/* with its padding: flows are compared whole */
	memset(sight, 0, sizeof *sight);
	sight->point = point;
	sight->time_ns = packet->frame->time_ns;
	if (!identity && packet_identify(packet, &own))
		identity = &own;
	sight->is_identified = identity;
	if (!identity)
		return;
	sight->hash = identity->hash;
	sight->fixed_hash = identity->fixed;
	sight->icrc = identity->icrc;
	sight->has_icrc = identity->has_icrc;
	name_flow(&sight->flow, packet);
	sight->opcode = packet->ib.opcode;
	sight->sequence = packet->ib.has_bth ? packet->ib.psn : packet->tcp.sequence;
	sight->length = erf_wire_length(packet);
	sight->ip_id = packet->ip_id;
	sight->sender = packet_sender(packet);
	sight->is_marked = packet->address_length && (packet->traffic_class & ECN_MASK) == ECN_CE;
	sight->is_repeat = is_repeat(flow);
	sight->has_connection = flow->present;
	sight->connection = flow->connection;
	sight->from_a = flow->from_a;
	sight->has_source_qpn = flow->has_source_qpn;
	sight->source_qpn = flow->source_qpn;
}

/* A packet of a point that has this slot. */
static void note_capture(struct transmissions *transmissions, struct entry *entry, const struct transmission_sight *sight, unsigned slot)
{
	struct transmission *shown = &entry->shown;
	uint32_t bit = UINT32_C(1) << slot;

	shown->seen |= bit;
	shown->frames[slot] = transmissions->frames[sight->point];
	shown->times_ns[slot] = entry->last_ns = sight->time_ns;
	if (sight->is_marked)
		shown->marked |= bit;
	if (is_late(transmissions, shown, slot))
		shown->late |= bit;
	shown->is_repeat |= sight->is_repeat;
	if (!sight->has_connection)
		return;
	shown->connection = sight->connection;
	shown->from_a = sight->from_a;
	shown->has_source_qpn = sight->has_source_qpn;
	shown->source_qpn = sight->source_qpn;
}

static struct entry *begin(struct transmissions *transmissions, const struct transmission_sight *sight,
			   const struct transmission_path *path)
{
	uint32_t place = (uint32_t)(transmissions->begun % transmissions->room);
	struct entry *entry = &transmissions->entries[place];

	memset(entry, 0, sizeof *entry);
	entry->shown.hash = sight->hash;
	entry->shown.fixed_hash = sight->fixed_hash;
	entry->shown.icrc = sight->icrc;
	entry->shown.has_icrc = sight->has_icrc;
	entry->shown.number = transmissions->begun++;
	entry->shown.opcode = sight->opcode;
	entry->shown.sequence = sight->sequence;
	entry->shown.length = sight->length;
	entry->shown.path = path;
	memcpy(&entry->shown.flow, &sight->flow, sizeof sight->flow);
	enter(transmissions, place);
	return entry;
}

enum transmission_copy transmissions_take(struct transmissions *transmissions, const struct transmission_sight *sight)
{
	struct sender *sender = &transmissions->senders[sight->sender];
	struct entry *found, *doubled;
	struct path *path;
	unsigned slot;
	int64_t age_ns;

	transmissions->frames[sight->point]++;
	if (!sight->is_identified)
		return TRANSMISSION_UNKNOWN;
	path = path_of(transmissions, &sight->flow);
	slot = path ? slot_of(&path->shown, sight->point) : JOIN_POINTS;
	if (slot == JOIN_POINTS) {
		transmissions->uncompared++;
		return TRANSMISSION_UNKNOWN;
	}
	path->shown.captured |= UINT32_C(1) << slot;
	pass_on_old(transmissions, sight->time_ns);
	found = find(transmissions, sight, &path->shown, slot, &doubled);
	if (found) {
		note_capture(transmissions, found, sight, slot);
		return TRANSMISSION_AGAIN;
	}
	if (doubled && (numbers_packets(sender) ||
			(!__builtin_sub_overflow(sight->time_ns, doubled->shown.times_ns[slot], &age_ns) && age_ns < AT_ONCE_NS))) {
		doubled->shown.doubled |= UINT32_C(1) << slot;
		return TRANSMISSION_AGAIN;
	}
	note_id(sender, sight->ip_id);
	note_capture(transmissions, begin(transmissions, sight, &path->shown), sight, slot);
	return TRANSMISSION_FIRST;
}
