/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/stats/stats.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_mad.h"
#include "output/stats/stats_usage.h"
#include "output/stats/stats_work.h"

/* RNR retries, of three bits. IBTA vol. 1, 9.7.5.2.8. */
#define RNR_WITHOUT_LIMIT 7

#define FIRST_EVENTS 2
#define SIZE_OF_EVENTS(room) (sizeof(struct stats_events) + (room) * sizeof(struct stats_occurrences))

const char *stats_event_name(enum stats_event event)
{
	static const char *const names[] = {
#define STATS_EVENT_NAME(identifier, name) name,
		STATS_EVENTS(STATS_EVENT_NAME)
#undef STATS_EVENT_NAME
	};

	return names[event];
}

const char *stats_recovery_words(enum rtap_recovery cause)
{
	static const char *const words[RTAP_RECOVERY_COUNT] = {
		"nothing", "a sequence NAK", "a missing response (implied NAK)", "an RNR NAK", "a timeout",
	};

	return words[cause];
}

int64_t stats_lost_to(const struct stats *stats, const struct stats_direction *direction, enum rtap_recovery cause)
{
	const struct stats_incidents *incidents = stats_incidents_of(direction);
	bool is_open_ended = cause == RTAP_RECOVERY_ZERO_WINDOW && incidents->closed;

	return ns_sum(incidents->recoveries[cause].time_lost_ns, is_open_ended ? ns_elapsed(incidents->closed_ns, stats->now_ns) : 0);
}

int64_t stats_time_lost(const struct stats *stats, const struct stats_direction *direction)
{
	int64_t sum = 0;

	for (int cause = 0; cause < RTAP_RECOVERY_COUNT; cause++)
		sum = ns_sum(sum, stats_lost_to(stats, direction, (enum rtap_recovery)cause));
	return sum;
}

struct stats *stats_create(const struct stats_options *options)
{
	struct stats *stats = calloc(1, sizeof *stats);

	if (!stats)
		return NULL;
	stats->options = *options;
	stats->interval_ns = options->interval_ns;
	/* the rest is shared by the connections */
	stats->values.most = options->max_memory / 8 * 3;
	stats->values.most_by_values = options->max_memory / 4;
	stats->options.max_memory -= stats->values.most;
	/* allocated beyond the limit: counts everything without room elsewhere */
	for (int i = 0; i < 2; i++) {
		struct stats_direction *direction = &stats->others.directions[i];

		direction->incidents = calloc(1, sizeof *direction->incidents);
		direction->events = calloc(1, SIZE_OF_EVENTS(STATS_EVENT_COUNT));
		if (!direction->incidents || !direction->events) {
			stats_destroy(stats);
			return NULL;
		}
		direction->events->room = STATS_EVENT_COUNT;
	}
	return stats;
}

/* False: out of memory. */
static bool make_event_room(struct stats *stats, struct stats_direction *direction)
{
	struct stats_events *old = direction->events, *larger;
	unsigned room = old ? old->room * 2u : FIRST_EVENTS;

	room = room < STATS_EVENT_COUNT ? room : STATS_EVENT_COUNT;
	larger = stats_allocate(stats, SIZE_OF_EVENTS(room));
	if (!larger)
		return false;
	if (old) {
		memcpy(larger, old, SIZE_OF_EVENTS(old->count));
		stats_free(stats, old, SIZE_OF_EVENTS(old->room));
	}
	larger->room = (uint8_t)room;
	direction->events = larger;
	return true;
}

struct stats_occurrences *stats_event(struct stats *stats, struct stats_direction *direction, enum stats_event event)
{
	struct stats_events *events = direction->events;

	if (events && events->places[event])
		return &events->list[events->places[event] - 1];
	if ((!events || events->count == events->room) && !make_event_room(stats, direction)) {
		stats->uncounted_messages++;
		return stats_event(stats, &stats->others.directions[0], event);
	}
	events = direction->events;
	events->places[event] = ++events->count;
	return &events->list[events->count - 1];
}

const struct stats_occurrences *stats_event_of(const struct stats_direction *direction, enum stats_event event)
{
	static const struct stats_occurrences none;
	const struct stats_events *events = direction->events;

	return events && events->places[event] ? &events->list[events->places[event] - 1] : &none;
}

struct stats_incidents *stats_incidents(struct stats *stats, struct stats_direction *direction)
{
	if (!direction->incidents)
		direction->incidents = stats_allocate(stats, sizeof *direction->incidents);
	if (direction->incidents)
		return direction->incidents;
	stats->uncounted_messages++;
	return stats->others.directions[0].incidents;
}

void stats_note_event(struct stats *stats, struct stats_direction *direction, enum stats_event event, uint64_t frame, int64_t time_ns)
{
	stats_count(stats_event(stats, direction, event), frame, time_ns);
}

const struct stats_incidents *stats_incidents_of(const struct stats_direction *direction)
{
	static const struct stats_incidents none;

	return direction->incidents ? direction->incidents : &none;
}

static void give_operations(struct stats *stats, struct stats_operations *operations)
{
	if (!operations)
		return;
	histogram_fini(&operations->size, &stats->values);
	histogram_fini(&operations->latency_ns, &stats->values);
	stats_free(stats, operations, sizeof *operations);
}

static bool make_room(struct stats *stats, uint64_t number)
{
	uint64_t room = stats->table_room ? stats->table_room * 2 : 64;
	struct stats_connection **larger;

	while (room < number && room <= UINT64_MAX / 4)
		room *= 2;
	if ((room - stats->table_room) > (stats->options.max_memory - stats->memory) / sizeof *larger)
		return false;
	larger = realloc(stats->table, room * sizeof *larger);
	if (!larger)
		return false;
	memset(larger + stats->table_room, 0, (room - stats->table_room) * sizeof *larger);
	stats->memory += (room - stats->table_room) * sizeof *larger;
	stats->table = larger;
	stats->table_room = room;
	return true;
}

struct stats_connection *stats_begin(struct stats *stats, uint64_t number)
{
	struct stats_connection *begun = NULL;

	/* connections are numbered from 1 */
	if (!number)
		return &stats->others;
	/* the rest is for their operations and events */
	if (!stats->is_full && (number <= stats->table_room || make_room(stats, number)) &&
	    stats->connection_memory < stats->options.max_memory / 3 * 2)
		begun = stats_allocate(stats, sizeof *begun);
	if (!begun) {
		stats->is_full = true;
		return &stats->others;
	}
	stats->connection_memory += sizeof *begun;
	stats->table[number - 1] = begun;
	return begun;
}

/* The direction's operations; those of `others` if out of memory; NULL if these do not exist either. */
static struct stats_operations *operations_of(struct stats *stats, struct stats_direction *direction, bool is_second, uint8_t kind)
{
	struct stats_operations **place = &direction->operations[kind], **shared = &stats->others.directions[is_second].operations[kind];

	if (!*place && place != shared)
		*place = stats_allocate(stats, sizeof **place);
	if (*place)
		return *place;
	stats->uncounted_messages += place != shared;
	/* there are few kinds, so `others` may exceed the limit */
	if (!*shared) {
		stats->options.max_memory += sizeof **shared;
		stats->values.most += 2 * HISTOGRAM_MEMORY;
		*shared = stats_allocate(stats, sizeof **shared);
	}
	return *shared;
}

static void interval_add(struct stats_interval *interval, const struct stats_interval *other)
{
	interval->packets += other->packets;
	interval->bytes += other->bytes;
	interval->messages += other->messages;
	interval->retransmissions += other->retransmissions;
	interval->naks += other->naks;
	interval->cnps += other->cnps;
	interval->ce_marks += other->ce_marks;
}

static bool make_interval_room(struct stats *stats, uint64_t count)
{
	size_t before = stats->interval_room;
	struct stats_interval *larger = array_grow(stats->intervals, &stats->interval_room, count, sizeof *larger);

	if (!larger)
		return false;
	memset(larger + before, 0, (stats->interval_room - before) * sizeof *larger);
	stats->intervals = larger;
	return true;
}

struct stats_interval *stats_interval(struct stats *stats, int64_t time_ns)
{
	uint64_t index;

	if (!stats->interval_ns || !stats->packets)
		return NULL;
	for (;;) {
		index = time_ns > stats->begin_ns ? ((uint64_t)time_ns - (uint64_t)stats->begin_ns) / (uint64_t)stats->interval_ns : 0;
		if (index < stats->open_interval)
			index = stats->open_interval;
		if (index < STATS_INTERVALS)
			break;
		/* merge pairs of intervals */
		for (uint64_t i = 0; i < stats->interval_count; i++) {
			struct stats_interval one = stats->intervals[i];

			stats->intervals[i] = (struct stats_interval){ 0 };
			interval_add(&stats->intervals[i / 2], &one);
		}
		stats->interval_count = (stats->interval_count + 1) / 2;
		stats->open_interval /= 2;
		stats->interval_ns = stats->interval_ns > INT64_MAX / 2 ? INT64_MAX : stats->interval_ns * 2;
		stats->longer_intervals = true;
	}
	if (index >= stats->interval_room && !make_interval_room(stats, index + 1)) {
		stats->outside_intervals++;
		return NULL;
	}
	if (index >= stats->interval_count)
		stats->interval_count = index + 1;
	return &stats->intervals[index];
}

#define FIRST_READS 8
#define SIZE_OF_READS(room) (sizeof(struct stats_reads) + (room) * sizeof(uint64_t))

/* False: the limit is reached, or out of memory. */
static bool make_reads_room(struct stats *stats, struct stats_direction *asker)
{
	struct stats_reads *reads = asker->reads, *larger;

	if (reads->room == STATS_READS)
		return false;
	larger = stats_allocate(stats, SIZE_OF_READS(2 * reads->room));
	if (!larger) {
		stats->uncounted_messages++;
		return false;
	}
	*larger = (struct stats_reads){ .count = reads->count, .most = reads->most, .room = 2 * reads->room };
	for (uint32_t i = 0; i < reads->count; i++)
		larger->answered_in[i] = reads->answered_in[(reads->first + i) % reads->room];
	stats_free(stats, reads, SIZE_OF_READS(reads->room));
	asker->reads = larger;
	return true;
}

/* READs and atomics are answered in order: those answered before this request are complete. */
static void note_read(struct stats *stats, struct stats_direction *asker, const struct rtap_message *message)
{
	struct stats_reads *reads = asker->reads;

	if (!reads) {
		reads = asker->reads = stats_allocate(stats, SIZE_OF_READS(FIRST_READS));
		if (!reads) {
			stats->uncounted_messages++;
			return;
		}
		reads->room = FIRST_READS;
	}
	while (reads->count && reads->answered_in[reads->first] < message->first_frame) {
		reads->first = (reads->first + 1) % reads->room;
		reads->count--;
	}
	if (reads->count == reads->room && make_reads_room(stats, asker))
		reads = asker->reads;
	if (reads->count < reads->room)
		reads->answered_in[(reads->first + reads->count++) % reads->room] = message->answered_in;
	if (reads->count > reads->most)
		reads->most = reads->count;
}

static void add_operation(struct stats *stats, struct stats_operations *operations, const struct rtap_message *message)
{
	operations->messages++;
	operations->incomplete += !message->complete;
	operations->unanswered += message->outcome == RTAP_OUTCOME_UNANSWERED;
	operations->refused += message->outcome > RTAP_OUTCOME_GOOD;
	operations->bytes += message->length;
	if (message->length_known)
		stats_add_value(stats, &operations->size, message->length);
	if (!message->has_latency || message->outcome != RTAP_OUTCOME_GOOD || message->latency_ns < 0)
		return;
	if (!operations->latency_ns.count || (uint64_t)message->latency_ns > operations->latency_ns.largest)
		operations->slowest_frame = message->first_frame;
	stats_add_value(stats, &operations->latency_ns, (uint64_t)message->latency_ns);
}

/* Bytes of a message whose packets are entirely missing from the capture. */
static uint64_t stats_never_seen(const struct rtap_message *message)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < message->missing_count; i++)
		if (message->missing[i].reason != RTAP_MISSING_SNAPPED && message->missing[i].length_known)
			bytes += message->missing[i].length;
	return bytes;
}

/* Payload bytes of a message. Atomics return their values in headers. */
static void note_payload(struct stats_connection *connection, const struct rtap_message *message)
{
	struct stats_direction *sender = stats_sent_by(connection, message->from_a != (message->kind == RTAP_KIND_READ));

	if (message->kind != RTAP_KIND_FLUSH && (message->kind != RTAP_KIND_ATOMIC || message->verb == RTAP_VERB_ATOMIC_WRITE))
		sender->payload_bytes += message->length - stats_never_seen(message);
}

uint64_t stats_repeated(const struct stats_direction *direction)
{
	uint64_t once = direction->is_tcp ? direction->new_bytes : direction->payload_bytes;

	return direction->carried_bytes > once ? direction->carried_bytes - once : 0;
}

/*
 * Whether a request that received RNR NAKs was abandoned: the retries are exhausted, the connection was closed after the last NAK, or
 * the retransmission is long overdue. Otherwise the capture ended before.
 */
static bool is_given_up(const struct stats *stats, const struct stats_direction *asker, const struct rtap_message *message)
{
	const struct rtap_connection *connection = message->connection;
	int64_t until_ns = stats_incidents_of(asker)->rnr_until_ns;
	uint8_t retries = connection->rnr_retries[!message->from_a];

	if (retries < RNR_WITHOUT_LIMIT && asker->rnr_naks > retries)
		return true;
	for (uint32_t i = 0; i < connection->life_count; i++)
		if (!strcmp(connection->life[i].name, "rdma_disconnect") && connection->life[i].time_ns >= message->time_end_ns)
			return true;
	return ns_elapsed(until_ns, stats->now_ns) >= STATS_UNANSWERED_NS;
}

void stats_message(struct stats *stats, const struct rtap_message *message)
{
	struct stats_connection *connection = message->connection ? stats_find(stats, message->connection->number) : NULL;
	struct stats_direction *asker = NULL;
	struct stats_operations *operations;
	struct stats_interval *interval;

	/* counted as an operation */
	if (message->is_rpc)
		return;
	if (connection)
		stats_usage_message(stats, connection, message);
	/* the sender of a reply is not the requester */
	if (connection)
		asker = stats_sent_by(connection, message->from_a != (message->kind == RTAP_KIND_RPC_REPLY));
	stats->messages++;
	stats->incomplete += !message->complete;
	interval = stats_interval(stats, message->time_ns);
	if (interval)
		interval->messages++;
	if (message->is_mad)
		stats_mad_message(stats, message);
	if (!asker)
		return;
	note_payload(connection, message);
	operations = operations_of(stats, asker, asker != &connection->directions[0], message->kind);
	if (operations)
		add_operation(stats, operations, message);
	if (connection != &stats->others && (message->kind == RTAP_KIND_READ || message->kind == RTAP_KIND_ATOMIC) && message->request_seen &&
	    message->answered_in)
		note_read(stats, asker, message);
	if (message->outcome == RTAP_OUTCOME_RNR && is_given_up(stats, asker, message))
		stats_note_event(stats, asker, STATS_RNR_GIVEN_UP, message->first_frame, message->time_ns);
	if (message->outcome == RTAP_OUTCOME_UNANSWERED && ns_elapsed(message->time_end_ns, stats->now_ns) >= STATS_UNANSWERED_NS)
		stats_note_event(stats, asker, STATS_UNANSWERED, message->first_frame, message->time_ns);
}

static void note_reject(struct stats *stats, const struct rtap_life_event *event)
{
	stats_count(&stats->rejected, event->frame, event->time_ns);
	for (unsigned i = 0; i < STATS_REASONS; i++) {
		struct stats_reject *reject = &stats->rejects[i];

		if (i < stats->reject_count && reject->reason != event->reason)
			continue;
		if (i == stats->reject_count)
			stats->reject_count++;
		reject->reason = event->reason;
		stats_count(&reject->occurrences, event->frame, event->time_ns);
		return;
	}
}

static void note_setup(struct stats *stats, const struct rtap_life_event *asked, const struct rtap_life_event *established)
{
	int64_t elapsed_ns = ns_elapsed(asked->time_ns, established->time_ns);

	if (established->time_ns < asked->time_ns)
		return;
	stats_add_value(stats, &stats->setup_ns, (uint64_t)elapsed_ns);
	if (elapsed_ns >= STATS_SLOW_SETUP_NS)
		stats_count(&stats->slow_setups, asked->frame, asked->time_ns);
}

/* Names are NULL-terminated. */
static bool is_one_of(const struct rtap_life_event *event, const char *const names[])
{
	for (; *names; names++)
		if (!strcmp(event->name, *names))
			return true;
	return false;
}

/* Whether the message shows that a REQ was received. */
static bool is_answer(const struct rtap_life_event *event)
{
	static const char *const names[] = { "mra", "rdma_accept", "rdma_reject", "established", NULL };

	return is_one_of(event, names);
}

/* Whether the message is retransmitted until answered: REQ, REP, DREQ. The others are repeated with the message that they answer. */
static bool asks(const struct rtap_life_event *event)
{
	static const char *const names[] = { "rdma_connect", "rdma_accept", "rdma_disconnect", NULL };

	return is_one_of(event, names);
}

static void note_life(struct stats *stats, const struct rtap_connection *connection)
{
	const struct rtap_life_event *asked = NULL;
	bool answered = connection->messages;

	for (uint32_t i = 0; i < connection->life_count; i++) {
		const struct rtap_life_event *event = &connection->life[i];

		if (!strcmp(event->name, "rdma_connect"))
			asked = event;
		else if (!strcmp(event->name, "rdma_reject"))
			note_reject(stats, event);
		else if (asked && !strcmp(event->name, "established"))
			note_setup(stats, asked, event);
		answered |= is_answer(event);
		if (asks(event) && event->repeats)
			stats_occurrences_merge(&stats->cm_repeats,
						&(struct stats_occurrences){ event->repeats, event->frame, event->frame,
									     event->time_ns, event->time_ns });
	}
	if (asked && (asked->unanswered || !answered) && ns_elapsed(asked->time_ns, stats->now_ns) >= STATS_UNANSWERED_NS)
		stats_count(&stats->cm_unanswered, asked->frame, asked->time_ns);
}

/* The RDMA IP CM service IDs of TCP ports begin with this: IBTA annex A11.3. */
#define SERVICE_OF_PORTS UINT64_C(0x106)

/* 0: unknown. */
static uint16_t service_port_of(const struct rtap_connection *connection)
{
	if (connection->has_service)
		return connection->service_id >> 16 == SERVICE_OF_PORTS ? (uint16_t)connection->service_id : 0;
	return connection->b.port_known ? connection->b.port : 0;
}

/* NULL: no events, or out of memory. */
static struct rtap_life_event *take_life(struct stats *stats, const struct rtap_connection *connection)
{
	size_t size = connection->life_count * sizeof connection->life[0];
	struct rtap_life_event *life = size ? stats_allocate(stats, size) : NULL;

	if (life)
		memcpy(life, connection->life, size);
	return life;
}

static void give_life(struct stats *stats, struct stats_shown *shown)
{
	stats_free(stats, shown->life, shown->life_count * sizeof *shown->life);
}

static void note_end(struct stats_shown *shown, const struct rtap_connection *connection)
{
	shown->is_set_up = connection->life_count;
	for (uint32_t i = 0; i < connection->life_count && !shown->is_closed; i++)
		if (!strcmp(connection->life[i].name, "rdma_disconnect")) {
			shown->is_closed = true;
			shown->closed_ns = connection->life[i].time_ns;
		}
}

static void show(struct stats *stats, struct stats_connection *found, const struct rtap_connection *connection)
{
	found->reported = true;
	give_life(stats, &found->shown);
	found->shown = (struct stats_shown){
		.number = connection->number,
		.time_ns = connection->time_ns,
		.time_end_ns = connection->time_end_ns,
		.transport = connection->transport,
		.retries_known = connection->retries_known,
		.ack_timeout = connection->ack_timeout,
		.retry_count = connection->retry_count,
		.rnr_retry_count = connection->rnr_retry_count,
		.service_port = service_port_of(connection),
		.a = connection->a,
		.b = connection->b,
		.packets = connection->packets,
		.messages = connection->messages,
		.bytes = connection->bytes,
		.life = stats->options.lives ? take_life(stats, connection) : NULL,
	};
	/* without operations: another connection requested those whose data it carries */
	if (connection->layer && !found->has_layer && !found->shown.service_port) {
		found->layer = connection->layer;
		stats_usage_drop(stats, found);
	}
	note_end(&found->shown, connection);
	if (found->shown.life)
		found->shown.life_count = (uint8_t)connection->life_count;
	else if (stats->options.lives && connection->life_count)
		stats->uncounted_messages++;
	memcpy(found->shown.anomaly_counts, connection->anomaly_counts, sizeof found->shown.anomaly_counts);
}

void stats_connection(struct stats *stats, const struct rtap_connection *connection)
{
	struct stats_connection *found = stats_find(stats, connection->number);

	stats->connections++;
	note_life(stats, connection);
	if (found == &stats->others) {
		stats->summed++;
		for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
			found->shown.anomaly_counts[i] += connection->anomaly_counts[i];
		return;
	}
	show(stats, found, connection);
}

void stats_connection_so_far(struct stats *stats, const struct rtap_connection *connection)
{
	struct stats_connection *found = stats_find(stats, connection->number);

	if (found != &stats->others)
		show(stats, found, connection);
}

static void operations_merge(struct stats *stats, struct stats_operations *operations, const struct stats_operations *other)
{
	operations->messages += other->messages;
	operations->incomplete += other->incomplete;
	operations->unanswered += other->unanswered;
	operations->refused += other->refused;
	operations->bytes += other->bytes;
	if (other->latency_ns.count && (!operations->latency_ns.count || other->latency_ns.largest > operations->latency_ns.largest))
		operations->slowest_frame = other->slowest_frame;
	histogram_merge(&operations->size, &other->size, &stats->values);
	histogram_merge(&operations->latency_ns, &other->latency_ns, &stats->values);
}

static void recovery_merge(struct stats_recovery *into, const struct stats_recovery *from)
{
	stats_occurrences_merge(&into->occurrences, &from->occurrences);
	into->time_lost_ns = ns_sum(into->time_lost_ns, from->time_lost_ns);
	into->doubled += from->doubled;
	into->late += from->late;
	if (from->most_attempts > into->most_attempts)
		into->most_attempts = from->most_attempts;
	if (from->least_ns && (!into->least_ns || from->least_ns < into->least_ns))
		into->least_ns = from->least_ns;
	if (from->most_ns > into->most_ns)
		into->most_ns = from->most_ns;
}

void stats_note_late(struct stats *stats, struct stats_direction *direction, uint64_t packets, int64_t late_ns)
{
	struct stats_reordering *reordering = &stats_incidents(stats, direction)->reordering;

	reordering->count++;
	reordering->packets += packets;
	if (packets > reordering->most_packets)
		reordering->most_packets = packets;
	reordering->sum_ns = ns_sum(reordering->sum_ns, late_ns);
	if (late_ns > reordering->most_ns)
		reordering->most_ns = late_ns;
}

static void reordering_merge(struct stats_reordering *into, const struct stats_reordering *from)
{
	into->count += from->count;
	into->packets += from->packets;
	if (from->most_packets > into->most_packets)
		into->most_packets = from->most_packets;
	into->sum_ns = ns_sum(into->sum_ns, from->sum_ns);
	if (from->most_ns > into->most_ns)
		into->most_ns = from->most_ns;
}

static void incidents_merge(struct stats *stats, struct stats_direction *direction, const struct stats_direction *other)
{
	const struct stats_incidents *from = other->incidents;
	struct stats_incidents *into = from ? stats_incidents(stats, direction) : NULL;

	for (int i = 0; other->events && i < STATS_EVENT_COUNT; i++)
		if (other->events->places[i])
			stats_occurrences_merge(stats_event(stats, direction, (enum stats_event)i), stats_event_of(other, (enum stats_event)i));
	if (!from)
		return;
	for (int i = 0; i < RTAP_RECOVERY_COUNT; i++)
		recovery_merge(&into->recoveries[i], &from->recoveries[i]);
	reordering_merge(&into->reordering, &from->reordering);
	if (from->worst_burst.occurrences.count > into->worst_burst.occurrences.count)
		into->worst_burst = from->worst_burst;
}

/* A half has sent requests only: it has no outstanding responses and no CNPs. */
static void direction_merge(struct stats *stats, struct stats_direction *direction, struct stats_direction *other)
{
	if (other->packets)
		stats_add_times(&direction->first_ns, &direction->last_ns, !direction->packets, other->first_ns, other->last_ns);
	congestion_merge(stats, direction, other);
	direction->packets += other->packets;
	direction->wire_bytes += other->wire_bytes;
	direction->payload_bytes += other->payload_bytes;
	direction->new_bytes += other->new_bytes;
	direction->carried_bytes += other->carried_bytes;
	direction->is_tcp |= other->is_tcp;
	if (other->attempts > direction->attempts)
		direction->attempts = other->attempts;
	direction->data_packets += other->data_packets;
	direction->retransmission_runs += other->retransmission_runs;
	direction->calls += other->calls;
	direction->replies += other->replies;
	if (other->most_calls_in_flight > direction->most_calls_in_flight)
		direction->most_calls_in_flight = other->most_calls_in_flight;
	incidents_merge(stats, direction, other);
	stats_work_merge(stats, direction, other);
	for (int i = 0; i < RTAP_KIND_COUNT; i++) {
		if (!direction->operations[i]) {
			direction->operations[i] = other->operations[i];
		} else if (other->operations[i]) {
			operations_merge(stats, direction->operations[i], other->operations[i]);
			give_operations(stats, other->operations[i]);
		}
		other->operations[i] = NULL;
	}
	if (!direction->marked && other->marked) {
		direction->marked = true;
		direction->marked_ns = other->marked_ns;
	}
}

static void connection_destroy(struct stats *stats, struct stats_connection *connection)
{
	for (int i = 0; i < 2; i++) {
		struct stats_direction *direction = &connection->directions[i];

		for (int kind = 0; kind < RTAP_KIND_COUNT; kind++)
			give_operations(stats, direction->operations[kind]);
		if (connection == &stats->others) {
			free(direction->incidents);
			free(direction->events);
		} else {
			stats_free(stats, direction->incidents, sizeof *direction->incidents);
			if (direction->events)
				stats_free(stats, direction->events, SIZE_OF_EVENTS(direction->events->room));
		}
		congestion_destroy(stats, direction);
		stats_work_destroy(stats, direction);
		if (direction->reads)
			stats_free(stats, direction->reads, SIZE_OF_READS(direction->reads->room));
		if (direction->reaction_ns)
			histogram_fini(direction->reaction_ns, &stats->values);
		stats_free(stats, direction->reaction_ns, sizeof *direction->reaction_ns);
	}
	give_life(stats, &connection->shown);
	stats_usage_drop(stats, connection);
	if (connection == &stats->others)
		return;
	stats->connection_memory -= sizeof *connection;
	stats_free(stats, connection, sizeof *connection);
}

void stats_merge(struct stats *stats, uint64_t from, uint64_t into, bool turned)
{
	struct stats_connection *connection = stats_find(stats, into), *other = stats_find(stats, from);

	/* counts already in `others` remain there */
	if (other == &stats->others || other == connection)
		return;
	for (int i = 0; i < 2; i++)
		direction_merge(stats, &connection->directions[i ^ turned], &other->directions[i]);
	connection->is_renumbered = true;
	stats_usage_merge(stats, connection, other, turned);
	if (!connection->layer)
		connection->layer = other->layer;
	if (!connection->program_known && other->program_known) {
		connection->program_known = true;
		connection->program = other->program;
		connection->version = other->version;
	}
	connection_destroy(stats, other);
	stats->table[from - 1] = NULL;
}

void stats_destroy(struct stats *stats)
{
	if (!stats)
		return;
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i])
			connection_destroy(stats, stats->table[i]);
	connection_destroy(stats, &stats->others);
	for (unsigned i = 0; i < stats->rpc_count; i++) {
		histogram_fini(&stats->rpcs[i]->latency_ns, &stats->values);
		free(stats->rpcs[i]);
	}
	stats_mad_fini(stats);
	stats_work_fini(stats);
	histogram_fini(&stats->setup_ns, &stats->values);
	free(stats->unassigned_packets);
	free(stats->pauses);
	free(stats->table);
	free(stats->intervals);
	free(stats);
}
