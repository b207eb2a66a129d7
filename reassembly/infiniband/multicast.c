/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/engine/protocol.h"
#include "reassembly/connection.h"
#include "reassembly/connection_life.h"
#include "base/memory.h"
#include "reassembly/infiniband/multicast.h"

#define MAX_GROUPS 4096
#define MAX_EVENTS RTAP_MAX_LIFE_EVENTS

/* RFC 2236, 2.1; RFC 9776, 4.2.12 */
enum { IGMP_V1_REPORT = 0x12, IGMP_V2_REPORT = 0x16, IGMP_LEAVE = 0x17, IGMP_V3_REPORT = 0x22 };
/* RFC 2710, 3.1; RFC 9777, 5.2.12 */
enum { MLD_REPORT = 131, MLD_DONE = 132, MLD_V2_REPORT = 143 };
enum { MODE_IS_EXCLUDE = 2, CHANGE_TO_INCLUDE = 3, CHANGE_TO_EXCLUDE = 4 };
/* IBTA vol. 1, 13.4.4; 15.2.2. The record follows the headers of MAD, RMPP and SA. */
enum { CLASS_SUBNET_ADMINISTRATION = 3, METHOD_SET = 2, METHOD_DELETE = 0x15, MC_MEMBER_RECORD = 0x38, RECORD_OFFSET = 56 };

struct group {
	uint8_t address[16];
	uint8_t length;
	uint64_t hash;
	struct rtap_life_event events[MAX_EVENTS];
	uint32_t event_count;
	LIST_HEAD(, connection) connections; /* to the group */
};

struct group_key {
	const uint8_t *address;
	uint8_t length;
};

static uint64_t hash_of(const struct group_key *key)
{
	uint64_t words[3] = { key->length };

	memcpy(words + 1, key->address, key->length);
	return map_hash(words, 3);
}

static bool same_group(const void *value, const void *wanted)
{
	const struct group *group = value;
	const struct group_key *key = wanted;

	return group->length == key->length && !memcmp(group->address, key->address, key->length);
}

static bool is_multicast(const uint8_t *address, uint8_t length)
{
	return (length == 4 && address[0] >> 4 == 0xe) || (length == 16 && address[0] == 0xff);
}

static struct group *group_of(struct rtap_tracker *tracker, const uint8_t *address, uint8_t length)
{
	struct group_key key = { address, length };
	uint64_t hash = hash_of(&key);
	struct group *group = map_find(&tracker->groups, hash, same_group, &key);

	if (group || tracker->groups.count == MAX_GROUPS)
		return group;
	group = memory_new_zeroed(1, sizeof *group);
	if (!group)
		return NULL;
	memcpy(group->address, address, length);
	group->length = length;
	group->hash = hash;
	if (!map_add(&tracker->groups, hash, group)) {
		free(group);
		return NULL;
	}
	return group;
}

static bool is_known(const struct rtap_life_event *events, uint32_t count, const struct rtap_life_event *event)
{
	/* Reports are repeated periodically: only changes count. */
	for (uint32_t i = count; i-- > 0;)
		if (events[i].by_length == event->by_length && !memcmp(events[i].by, event->by, event->by_length))
			return events[i].name == event->name;
	return false;
}

static void note(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source, const uint8_t *address,
		 uint8_t length, bool joins)
{
	static const char join[] = "rdma_join_multicast", leave[] = "rdma_leave_multicast";
	struct rtap_life_event event = { .name = joins ? join : leave, .frame = packet->frame->number, .time_ns = packet->frame->time_ns };
	struct group *group = is_multicast(address, length) ? group_of(tracker, address, length) : NULL;
	struct connection *connection;

	if (!group)
		return;
	event.by_length = source->address_length;
	memcpy(event.by, source->address, sizeof event.by);
	if (is_known(group->events, group->event_count, &event))
		return;
	/* The list of events is full, too. */
	if (group->event_count == MAX_EVENTS)
		return;
	group->events[group->event_count++] = event;
	LIST_FOREACH(connection, &group->connections, group_link)
		connection_life_add(connection, &event);
}

/* Records of a version 3 report for IPv4, or a version 2 report for IPv6. */
static void records(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source, struct cursor cursor,
		    uint8_t length)
{
	const uint8_t *header, *group, *sources;

	while (cursor_take(&cursor, 4, &header) == OK && cursor_take(&cursor, length, &group) == OK) {
		uint16_t count = load16(header + 2);

		if (header[0] == CHANGE_TO_EXCLUDE || header[0] == MODE_IS_EXCLUDE)
			note(tracker, packet, source, group, length, true);
		else if (header[0] == CHANGE_TO_INCLUDE && !count)
			note(tracker, packet, source, group, length, false);
		if (cursor_take(&cursor, (uint32_t)count * length + header[1] * 4u, &sources) != OK)
			break;
	}
}

static void igmp(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source, struct cursor cursor)
{
	const uint8_t *header;

	if (cursor_take(&cursor, 8, &header) != OK)
		return;
	if (header[0] == IGMP_V3_REPORT)
		records(tracker, packet, source, cursor, 4);
	else if (header[0] == IGMP_V1_REPORT || header[0] == IGMP_V2_REPORT || header[0] == IGMP_LEAVE)
		note(tracker, packet, source, header + 4, 4, header[0] != IGMP_LEAVE);
}

static void mld(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source, struct cursor cursor)
{
	const uint8_t *header, *group;

	if (cursor_take(&cursor, 8, &header) != OK)
		return;
	if (header[0] == MLD_V2_REPORT)
		records(tracker, packet, source, cursor, 16);
	else if ((header[0] == MLD_REPORT || header[0] == MLD_DONE) && cursor_take(&cursor, 16, &group) == OK)
		note(tracker, packet, source, group, 16, header[0] == MLD_REPORT);
}

static void subnet_administration(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
				  struct cursor cursor)
{
	const uint8_t *mad;

	if (cursor_take(&cursor, RECORD_OFFSET + 16, &mad) != OK || mad[1] != CLASS_SUBNET_ADMINISTRATION || load16(mad + 16) != MC_MEMBER_RECORD)
		return;
	if (mad[3] == METHOD_SET || mad[3] == METHOD_DELETE)
		note(tracker, packet, source, mad + RECORD_OFFSET, 16, mad[3] == METHOD_SET);
}

void multicast_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source)
{
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];
		uint32_t left = packet->sources[layer->source].captured - layer->offset;
		struct cursor cursor = { layer_bytes(packet, layer), left, left };

		if (layer->protocol == PROTOCOL_IGMP)
			igmp(tracker, packet, source, cursor);
		else if (layer->protocol == PROTOCOL_ICMPV6)
			mld(tracker, packet, source, cursor);
		else if (layer->protocol == PROTOCOL_MAD)
			subnet_administration(tracker, packet, source, cursor);
	}
}

void multicast_follow(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_end *end)
{
	struct group *group = is_multicast(end->address, end->address_length) ? group_of(tracker, end->address, end->address_length) : NULL;

	if (!group)
		return;
	for (uint32_t i = 0; i < group->event_count; i++)
		connection_life_add(connection, &group->events[i]);
	connection->group = group;
	LIST_INSERT_HEAD(&group->connections, connection, group_link);
}

void multicast_discard(struct rtap_tracker *tracker, struct connection *connection)
{
	(void)tracker;
	if (!connection->group)
		return;
	LIST_REMOVE(connection, group_link);
	connection->group = NULL;
}

void multicast_fini(struct rtap_tracker *tracker)
{
	map_fini_values(&tracker->groups);
}
