/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "reassembly/join/transmission.h"
#include "reassembly/packet_identity.h"

/* Most transmissions within JOIN_WINDOW_NS: 26 MB. */
#define ROOM 65536
#define BUCKETS 65536
#define NONE UINT32_MAX

/* A packet without its own identification, captured again within this time, was duplicated by the network; later, it was retransmitted. */
#define AT_ONCE_NS 1000000

#define ECN_MASK 0x3
#define ECN_CE 0x3 /* RFC 3168, 5 */

struct entry {
	struct transmission shown;
	uint64_t hash;
	uint32_t icrc;
	bool has_icrc;
	uint32_t next;             /* in its bucket, an older one; NONE: the last */
	int64_t last_ns;           /* of its latest capture */
};

#define SENDERS 256

/* Whether a sender numbers its packets: then a packet with the same number is a copy, not a retransmission. */
struct sender {
	uint16_t last_id;
	uint32_t packets, same;
};

/* The latest transmission of a flow that each point captured, by number + 1. */
struct latest {
	struct transmission_flow flow;
	uint64_t numbers[JOIN_POINTS];
};

/* Number of entries; a flow replaces another one in the same entry. */
#define FLOWS 4096

struct transmissions {
	void (*take)(void *owner, const struct transmission *transmission);
	void *owner;
	uint64_t begun, passed;    /* numbers: entries from `passed` to `begun` are open, each at its number modulo ROOM */
	uint64_t forced_out;
	uint64_t frames[JOIN_POINTS]; /* of each point so far */
	struct sender senders[SENDERS]; /* by address; addresses may share one */
	struct latest latest[FLOWS];
	uint32_t buckets[BUCKETS];
	struct entry entries[ROOM];
};

struct transmissions *transmissions_create(void (*take)(void *owner, const struct transmission *transmission), void *owner)
{
	struct transmissions *transmissions = memory_new_zeroed(1, sizeof *transmissions);

	if (!transmissions)
		return NULL;
	transmissions->take = take;
	transmissions->owner = owner;
	memset(transmissions->buckets, 0xff, sizeof transmissions->buckets);
	return transmissions;
}

void transmissions_destroy(struct transmissions *transmissions)
{
	free(transmissions);
}

/* Passes on the oldest one. It is the last of its bucket, because newer ones are entered before it. */
static void pass_on(struct transmissions *transmissions)
{
	uint32_t place = (uint32_t)(transmissions->passed++ % ROOM);
	struct entry *entry = &transmissions->entries[place];
	uint32_t *link = &transmissions->buckets[entry->hash % BUCKETS];

	while (*link != place)
		link = &transmissions->entries[*link].next;
	*link = entry->next;
	transmissions->take(transmissions->owner, &entry->shown);
}

static void pass_on_old(struct transmissions *transmissions, int64_t now_ns)
{
	while (transmissions->passed < transmissions->begun) {
		const struct entry *oldest = &transmissions->entries[transmissions->passed % ROOM];
		int64_t age_ns;

		if (!__builtin_sub_overflow(now_ns, oldest->last_ns, &age_ns) && age_ns < JOIN_WINDOW_NS)
			break;
		pass_on(transmissions);
	}
	if (transmissions->begun - transmissions->passed < ROOM)
		return;
	transmissions->forced_out++;
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

/*
 * The newest copy that this point has not captured; without one, *doubled is the newest that it has. Retransmissions that look the same are
 * farther apart than the copies of one transmission.
 */
static struct entry *find(struct transmissions *transmissions, uint64_t hash, const struct packet_identity *identity, uint32_t bit,
			  struct entry **doubled)
{
	*doubled = NULL;
	for (uint32_t at = transmissions->buckets[hash % BUCKETS]; at != NONE; at = transmissions->entries[at].next) {
		struct entry *entry = &transmissions->entries[at];

		if (entry->hash != hash || (entry->has_icrc && identity->has_icrc && entry->icrc != identity->icrc))
			continue;
		if (!(entry->shown.seen & bit))
			return entry;
		if (!*doubled)
			*doubled = entry;
	}
	return NULL;
}

static void name_flow(struct transmission_flow *flow, const struct rtap_packet *packet)
{
	if (packet->address_length) {
		flow->address_length = packet->address_length;
		memcpy(flow->source, packet->source_address, packet->address_length);
		memcpy(flow->destination, packet->destination_address, packet->address_length);
	}
	flow->is_tcp = !packet->ib.has_bth;
	flow->destination_id = flow->is_tcp ? (uint32_t)packet->source_port << 16 | packet->destination_port : packet->ib.dest_qpn;
}

static bool is_repeat(const struct rtap_flow_facts *flow)
{
	return flow->present && (flow->analysis == RTAP_PSN_RETRANSMISSION || flow->tcp_analysis == RTAP_TCP_RETRANSMISSION);
}

static bool is_late(struct transmissions *transmissions, const struct transmission *shown, unsigned point)
{
	const struct transmission_flow *flow = &shown->flow;
	uint32_t place = (flow->destination_id ^ flow->destination_id >> 16) * 31 + (flow->address_length ? flow->source[flow->address_length - 1] : 0);
	struct latest *latest = &transmissions->latest[place % FLOWS];
	uint64_t before;

	if (memcmp(&latest->flow, flow, sizeof *flow)) {
		memset(latest, 0, sizeof *latest);
		memcpy(&latest->flow, flow, sizeof *flow);
	}
	before = latest->numbers[point];
	if (shown->number + 1 > before)
		latest->numbers[point] = shown->number + 1;
	return shown->number + 1 < before;
}

static void note_capture(struct transmissions *transmissions, struct entry *entry, const struct rtap_packet *packet, unsigned point)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	struct transmission *shown = &entry->shown;
	uint32_t bit = UINT32_C(1) << point;

	shown->seen |= bit;
	shown->frames[point] = transmissions->frames[point];
	shown->times_ns[point] = entry->last_ns = packet->frame->time_ns;
	if (packet->address_length && (packet->traffic_class & ECN_MASK) == ECN_CE)
		shown->marked |= bit;
	if (is_late(transmissions, shown, point))
		shown->late |= bit;
	shown->is_repeat |= is_repeat(flow);
	if (!flow->present)
		return;
	shown->connection = flow->connection;
	shown->from_a = flow->from_a;
	shown->has_source_qpn = flow->has_source_qpn;
	shown->source_qpn = flow->source_qpn;
}

static void begin(struct transmissions *transmissions, const struct rtap_packet *packet, const struct packet_identity *identity, uint64_t hash,
		  unsigned point)
{
	uint32_t place = (uint32_t)(transmissions->begun % ROOM), *bucket = &transmissions->buckets[hash % BUCKETS];
	struct entry *entry = &transmissions->entries[place];

	/* with its padding: flows are compared whole */
	memset(entry, 0, sizeof *entry);
	entry->hash = hash;
	entry->icrc = identity->icrc;
	entry->has_icrc = identity->has_icrc;
	entry->next = *bucket;
	entry->shown.number = transmissions->begun++;
	entry->shown.opcode = packet->ib.opcode;
	entry->shown.sequence = packet->ib.has_bth ? packet->ib.psn : packet->tcp.sequence;
	entry->shown.length = packet->frame->wire_length;
	*bucket = place;
	name_flow(&entry->shown.flow, packet);
	note_capture(transmissions, entry, packet, point);
}

enum transmission_copy transmissions_take(struct transmissions *transmissions, const struct rtap_packet *packet, unsigned point)
{
	struct sender *sender = &transmissions->senders[packet_sender(packet)];
	struct packet_identity identity;
	struct entry *found, *doubled;
	uint64_t hash;
	int64_t age_ns;

	transmissions->frames[point]++;
	if (!packet_identify(packet, &identity))
		return TRANSMISSION_UNKNOWN;
	pass_on_old(transmissions, packet->frame->time_ns);
	hash = map_hash(identity.words, PACKET_IDENTITY_WORDS);
	found = find(transmissions, hash, &identity, UINT32_C(1) << point, &doubled);
	if (found) {
		note_capture(transmissions, found, packet, point);
		return TRANSMISSION_AGAIN;
	}
	if (doubled && (numbers_packets(sender) || (!__builtin_sub_overflow(packet->frame->time_ns, doubled->shown.times_ns[point], &age_ns) &&
						    age_ns < AT_ONCE_NS))) {
		doubled->shown.doubled |= UINT32_C(1) << point;
		return TRANSMISSION_AGAIN;
	}
	note_id(sender, packet->ip_id);
	begin(transmissions, packet, &identity, hash, point);
	return TRANSMISSION_FIRST;
}
