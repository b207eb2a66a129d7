/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/connection.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_recovery.h"
#include "reassembly/infiniband/alternate.h"
#include "reassembly/infiniband/expectation.h"
#include "reassembly/infiniband/handshake_ids.h"
#include "reassembly/iwarp/iwarp_half.h"
#include "reassembly/message_list.h"
#include "base/memory.h"
#include "reassembly/infiniband/multicast.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper.h"

/* Packets in flight when a connection was closed still belong to it. */
#define CLOSING_NS INT64_C(1000000000)

static struct connection *connection_of(struct budget_entry *entry)
{
	return (struct connection *)((char *)entry - offsetof(struct connection, entry));
}

/* Settles all incomplete messages. Later packets of them count as repeats. */
static void settle_all(struct rtap_tracker *tracker, struct connection *connection)
{
	for (int i = 0; i < 2; i++) {
		struct psn_stream *stream = &connection->streams[i];

		messages_settle(tracker, stream, true);
		gaps_settle(tracker, stream, UINT64_MAX);
		psn_fini(stream);
	}
	upper_end(tracker, connection);
	if (connection->ddp)
		ddp_half_end_waits(connection);
	expectation_discard_all(tracker, connection);
}

/*
 * No packet for a long time: concludes the connection, which becomes idle and keeps only what it needs to recognise repeats. A closed one
 * is reported, even if earlier ones are not.
 */
static void give_up(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = connection_of(entry);

	connection->references++;
	connection->leaves = connection->retired;
	if (!connection->retired) {
		if (connection->upper_stream)
			connection->layer->socket->give_up(connection);
		settle_all(tracker, connection);
		connection_charge(tracker, connection);
	}
	connection->references--;
	connection_release(tracker, connection);
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = connection_of(entry);
	struct message *message;

	/* Evicting an idle connection loses nothing. */
	if (!entry->is_idle) {
		tracker->counters.evictions++;
		connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_EVICTED]++;
	}
	for (int i = 0; i < 2; i++)
		TAILQ_FOREACH(message, &connection->streams[i].messages, link)
			message->evicted = true;
	connection->references++;
	connection_retire(tracker, connection);
	connection->leaves = true;
	budget_give(&tracker->budget, entry, entry->bytes);
	connection->memory = 0;
	connection->references--;
	connection_release(tracker, connection);
}

struct connection *connection_create(struct rtap_tracker *tracker, uint64_t frame, int64_t time_ns)
{
	struct connection *connection = memory_new_zeroed(1, sizeof *connection);

	if (!connection)
		return NULL;
	connection->shown.number = ++tracker->connection_number;
	connection->resized = true;
	tracker->counters.connections++;
	connection->shown.first_frame = connection->shown.last_frame = frame;
	connection->shown.time_ns = connection->shown.time_end_ns = time_ns;
	connection->entry = (struct budget_entry){ .evict = evict, .give_up = give_up, .owner = tracker };
	for (int i = 0; i < 2; i++) {
		connection->shown.rnr_retries[i] = 7;
		connection->streams[i].connection = connection;
		connection->streams[i].from_a = i == 1;
		connection->streams[i].reliable = true;
		message_list_init(&connection->streams[i]);
	}
	TAILQ_INIT(&connection->half);
	request_init_all(&connection->requests);
	TAILQ_INSERT_TAIL(&tracker->connections, connection, link);
	return connection;
}

/*
 * The first connection may have changed. Times are not always in the order of frames: it can be due before the previous one.
 */
static void note_due(struct rtap_tracker *tracker)
{
	if (!TAILQ_EMPTY(&tracker->closing))
		connections_due(tracker, TAILQ_FIRST(&tracker->closing)->closed_ns, CLOSING_NS);
}

void connection_close(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->closed)
		return;
	connection->closed = true;
	connection->closed_ns = tracker->now_ns;
	TAILQ_INSERT_TAIL(&tracker->closing, connection, closing_link);
	note_due(tracker);
}

static void leave_closing(struct rtap_tracker *tracker, struct connection *connection)
{
	TAILQ_REMOVE(&tracker->closing, connection, closing_link);
	note_due(tracker);
}

void connection_retire(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->retired)
		return;
	if (connection->closed)
		leave_closing(tracker, connection);
	connection->closed = connection->retired = true;
	connection_note_first(tracker);
	connection->references++;
	settle_all(tracker, connection);
	upper_over(tracker, connection);
	for (int i = 0; i < 2; i++) {
		if (connection->flows[i])
			flow_destroy(tracker, connection->flows[i]);
		connection->flows[i] = NULL;
	}
	if (connection->iwarp)
		iwarp_half_discard_connection(connection->iwarp);
	if (connection->upper_stream)
		connection->layer->socket->discard(connection);
	connection->upper_stream = NULL;
	if (connection->ddp)
		ddp_recovery_end(connection->ddp);
	free(connection->ddp);
	connection->ddp = NULL;
	multicast_discard(tracker, connection);
	alternate_discard(tracker, connection);
	handshake_ids_discard(tracker, connection);
	connection_charge(tracker, connection);
	connection->leaves |= connection->entry.is_idle;
	connection->references--;
}

void connection_drop(struct rtap_tracker *tracker, struct connection *connection)
{
	if (connection->closed && !connection->retired)
		leave_closing(tracker, connection);
	connection->closed = connection->retired = true;
	expectation_discard_all(tracker, connection);
	alternate_discard(tracker, connection);
	handshake_ids_discard(tracker, connection);
	connection_leave(tracker, connection);
	tracker->counters.connections--;
	connection_release(tracker, connection);
}

static void report_first(struct rtap_tracker *tracker)
{
	struct connection *connection = TAILQ_FIRST(&tracker->connections);

	connection->shown.layer = connection->layer ? connection->layer->name : NULL;
	connection_report(tracker, connection);
	connection_release(tracker, connection);
}

void connections_do_due(struct rtap_tracker *tracker)
{
	struct connection *connection;

	tracker->due_ns = INT64_MAX;
	upper_advance(tracker);
	while ((connection = TAILQ_FIRST(&tracker->closing)) && tracker->now_ns - connection->closed_ns >= CLOSING_NS) {
		connection_retire(tracker, connection);
		if (connection->leaves)
			connection_release(tracker, connection);
	}
	note_due(tracker);
	while ((connection = TAILQ_FIRST(&tracker->connections)) && connection->retired && !connection->references)
		report_first(tracker);
	connection_note_first(tracker);
}

void connections_flush(struct rtap_tracker *tracker)
{
	while (!TAILQ_EMPTY(&tracker->connections)) {
		connection_retire(tracker, TAILQ_FIRST(&tracker->connections));
		report_first(tracker);
	}
}

void connections_fini(struct rtap_tracker *tracker)
{
	tracker->options.connection = NULL;
	connections_flush(tracker);
	for (size_t i = 0; i < tracker->flows.room;)
		if (tracker->flows.slots[i].value)
			flow_destroy(tracker, tracker->flows.slots[i].value);
		else
			i++;
	map_fini(&tracker->flows);
	map_fini(&tracker->alternates);
	multimap_fini(&tracker->expectations);
	multimap_fini(&tracker->waiting_flows);
	multimap_fini(&tracker->ports);
}
