/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/stats/stats_log.h"
#include "output/stats/stats_packet.h"

enum kind { PACKET, MESSAGE, CONNECTION, MERGE, RESOLVED, PAUSE };

/* Header of each entry. */
struct head {
	uint32_t kind;
	uint32_t length; /* including the header; a multiple of 8 */
};

struct packet_entry {
	struct head head;
	struct stats_sight sight;
};

/* Followed by operations. */
struct message_entry {
	struct head head;
	uint64_t connection; /* number; 0: none */
	uint64_t partner;
	uint64_t never_seen; /* bytes of it */
	uint32_t copied;     /* size of the message that follows, rounded up to 8 */
	uint8_t rnr_retries[2]; /* of its connection */
	bool closed;         /* time of the last rdma_disconnect in the connection's life cycle */
	int64_t closed_ns;
};

/* Followed by the events of its life cycle. */
struct connection_entry {
	struct head head;
	struct rtap_connection connection;
};

struct pause_entry {
	struct head head;
	struct congestion_pause pause;
};

struct merge_entry {
	struct head head;
	uint64_t from, into;
	bool turned;
};

struct resolved_entry {
	struct head head;
	uint64_t frame;
	struct rtap_flow_facts flow;
};

static inline size_t rounded(size_t length)
{
	return (length + 7) & ~(size_t)7;
}

/* Allocates an entry. NULL: no room. */
static inline void *add(struct stats_log *log, enum kind kind, size_t length)
{
	struct head *head = (struct head *)(log->bytes + log->used);

	length = rounded(length);
	if (length > sizeof log->bytes - log->used)
		return NULL;
	log->used += length;
	*head = (struct head){ kind, (uint32_t)length };
	return head;
}

bool stats_log_packet(struct stats_log *log, const struct rtap_packet *packet)
{
	struct packet_entry *entry = add(log, PACKET, sizeof *entry);

	if (entry)
		stats_sight(&entry->sight, packet);
	return entry;
}

/* The part of a message that is copied: RPC and management values are at the end and absent from most messages. */
#define PLAIN_LENGTH rounded(offsetof(struct rtap_message, missing))
#define RPC_LENGTH rounded(offsetof(struct rtap_message, is_mad))

/* The time that shows whether a request refused by RNR NAKs was abandoned. */
static void note_end(struct message_entry *entry, const struct rtap_connection *connection)
{
	memcpy(entry->rnr_retries, connection->rnr_retries, sizeof entry->rnr_retries);
	for (uint32_t i = 0; i < connection->life_count; i++) {
		const struct rtap_life_event *event = &connection->life[i];

		if (strcmp(event->name, "rdma_disconnect") || (entry->closed && event->time_ns < entry->closed_ns))
			continue;
		entry->closed = true;
		entry->closed_ns = event->time_ns;
	}
}

bool stats_log_message(struct stats_log *log, const struct rtap_message *message)
{
	size_t operations = message->item_count * sizeof *message->items;
	size_t copied = message->is_mad ? sizeof *message : message->is_rpc ? RPC_LENGTH : PLAIN_LENGTH;
	struct message_entry *entry = add(log, MESSAGE, sizeof *entry + copied + operations);
	uint8_t *after = (uint8_t *)(entry + 1);

	if (!entry)
		return false;
	entry->connection = message->connection ? message->connection->number : 0;
	entry->partner = message->partner;
	entry->never_seen = message->missing_count ? stats_never_seen(message) : 0;
	entry->copied = (uint32_t)copied;
	entry->closed = false;
	if (message->connection && message->outcome == RTAP_OUTCOME_RNR)
		note_end(entry, message->connection);
	/* copies of constant length compile to a few moves */
	if (copied == PLAIN_LENGTH)
		memcpy(after, message, PLAIN_LENGTH);
	else if (copied == RPC_LENGTH)
		memcpy(after, message, RPC_LENGTH);
	else
		memcpy(after, message, sizeof *message);
	if (operations)
		memcpy(after + copied, message->items, operations);
	return true;
}

bool stats_log_connection(struct stats_log *log, const struct rtap_connection *connection)
{
	size_t life = connection->life_count * sizeof *connection->life;
	struct connection_entry *entry = add(log, CONNECTION, sizeof *entry + life);

	if (!entry)
		return false;
	entry->connection = *connection;
	if (life)
		memcpy(entry + 1, connection->life, life);
	return true;
}

bool stats_log_merge(struct stats_log *log, uint64_t from, uint64_t into, bool turned)
{
	struct merge_entry *entry = add(log, MERGE, sizeof *entry);

	if (!entry)
		return false;
	entry->from = from;
	entry->into = into;
	entry->turned = turned;
	return true;
}

bool stats_log_resolve(struct stats_log *log, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct resolved_entry *entry = add(log, RESOLVED, sizeof *entry);

	if (!entry)
		return false;
	entry->frame = frame;
	entry->flow = *flow;
	return true;
}

bool stats_log_pause(struct stats_log *log, const struct congestion_pause *pause)
{
	struct pause_entry *entry = add(log, PAUSE, sizeof *entry);

	if (entry)
		entry->pause = *pause;
	return entry;
}

static void count_message(const struct message_entry *entry, struct stats *stats)
{
	const uint8_t *after = (const uint8_t *)(entry + 1);
	struct rtap_missing missing = { .length = entry->never_seen, .length_known = true, .reason = RTAP_MISSING_NOT_CAPTURED };
	struct rtap_life_event end = { .name = "rdma_disconnect", .time_ns = entry->closed_ns };
	struct rtap_connection connection;
	struct rtap_message message;

	/* no other member of a message's connection is counted */
	connection.number = entry->connection;
	memcpy(connection.rnr_retries, entry->rnr_retries, sizeof entry->rnr_retries);
	connection.life = &end;
	connection.life_count = entry->closed;
	message.is_rpc = message.is_mad = false;
	message.item_count = 0;
	memcpy(&message, after, entry->copied);
	message.connection = entry->connection ? &connection : NULL;
	message.missing = &missing;
	message.missing_count = entry->never_seen > 0;
	message.partner = entry->partner;
	message.items = (const void *)(after + entry->copied);
	stats_message(stats, &message);
}

static void count_connection(const struct connection_entry *entry, struct stats *stats)
{
	struct rtap_connection connection = entry->connection;

	connection.life = (const void *)(entry + 1);
	stats_connection(stats, &connection);
}

void stats_log_count(const struct stats_log *log, struct stats *stats)
{
	for (size_t at = 0; at < log->used;) {
		const struct head *head = (const struct head *)(log->bytes + at);
		const struct resolved_entry *resolved;
		const struct merge_entry *merge;

		switch ((enum kind)head->kind) {
		case PACKET:
			stats_add_sight(stats, &((const struct packet_entry *)head)->sight);
			break;
		case MESSAGE:
			count_message((const struct message_entry *)head, stats);
			break;
		case CONNECTION:
			count_connection((const struct connection_entry *)head, stats);
			break;
		case PAUSE:
			congestion_note_pause(stats, &((const struct pause_entry *)head)->pause);
			break;
		case MERGE:
			merge = (const struct merge_entry *)head;
			stats_merge(stats, merge->from, merge->into, merge->turned);
			break;
		case RESOLVED:
			resolved = (const struct resolved_entry *)head;
			stats_resolve(stats, resolved->frame, &resolved->flow);
			break;
		}
		at += head->length;
	}
}
