/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "base/heap.h"
#include "cli/joined.h"
#include "cli/reader.h"
#include "mpi/exchange.h"
#include "mpi/fact.h"
#include "mpi/facts.h"
#include "mpi/ranks.h"
#include "mpi/totals.h"
#include "output/stats/packet_sums.h"
#include "output/stats/stats_packet.h"
#include "reassembly/tracker.h"

#define TAG_FACTS 20
#define BROKEN "what another rank has found is broken: this is a bug in rdmatap-mpi"

/* A message with what a fact has of its connection. */
struct received_message {
	struct rtap_message message;
	struct rtap_connection connection;
};

/* Facts of one rank that rank 0 counts, and its numbers of connections among those of all. */
struct run {
	const uint8_t *next, *end;
	uint64_t order;
	uint64_t *numbers;
	size_t count, room;
	struct received_message parts[2]; /* request and response of the next operation */
	bool has_part[2];
};

struct facts {
	struct exchange *exchange;
	struct rtap_tracker_options counts; /* the command's own callbacks */
	struct rtap_tracker *tracker; /* these are the command's */
	struct stats *stats;
	struct packet_sums *sums;  /* NULL: each packet is passed */
	struct joined *joined;
	int rank, size;
	uint8_t *bytes;
	size_t used, room;
	/* Twice the number of the frame that is taken, plus 1; in a gap before a frame: without that. At the end: what the last message followed. */
	uint64_t order;
	int64_t now_ns;           /* time of the frame or of the end of the gap */
	int64_t before_ns;        /* time of the frame of any rank before that */
	uint64_t passed_order;    /* for which this was passed */
	bool has_begun;           /* a frame was taken */
	bool is_finishing;
	uint64_t connections;     /* of this rank, so far */
	uint64_t all_connections; /* rank 0: of all ranks */
	struct run *runs;         /* rank 0 */
	uint8_t **received;       /* rank 0: what these are in, of each rank but itself; NULL: nothing */
	uint64_t passed;          /* bytes */
	double counting_s;
};

bool facts_can_keep(const struct options *options)
{
	return !options->openmetrics && !options->explain;
}

bool facts_can_join(const struct options *options)
{
	/* -w writes the packets themselves */
	return !options->write_name;
}

static const char *encode(const char *text)
{
	if (!fact_text_encode(&text))
		ranks_give_up("a name of the statistics is not of this program: this is a bug in rdmatap-mpi");
	return text;
}

/* Room for the data of a fact. */
static void *add(struct facts *facts, enum fact_kind kind, size_t size)
{
	struct fact_head head = { facts->order, (uint32_t)kind, (uint32_t)FACT_ALIGNED(size) };
	uint8_t *bytes = array_grow(facts->bytes, &facts->room, facts->used + sizeof head + head.size, 1);

	if (!bytes)
		ranks_lack_memory();
	facts->bytes = bytes;
	bytes += facts->used;
	facts->used += sizeof head + head.size;
	memcpy(bytes, &head, sizeof head);
	return bytes + sizeof head;
}

static void put_life(struct rtap_life_event *to, const struct rtap_life_event *life, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		to[i] = life[i];
		to[i].name = encode(to[i].name);
	}
}

static void get_life(struct rtap_life_event *life, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		life[i].name = fact_text_decode(life[i].name);
}

static void pass_sum(void *owner, const struct packet_sum *sum)
{
	memcpy(add(owner, FACT_SUM, sizeof *sum), sum, sizeof *sum);
}

/* The statistics have seen the frames before what is added next; sums of packets are passed late. At the end, rank 0 knows the time. */
static void pass_time(struct facts *facts)
{
	if (!facts->sums || facts->is_finishing || facts->order == facts->passed_order)
		return;
	*(int64_t *)add(facts, FACT_TIME, sizeof facts->before_ns) = facts->before_ns;
	facts->passed_order = facts->order;
}

static void put_message(struct facts *facts, enum fact_kind kind, const struct rtap_message *message)
{
	const struct rtap_connection *connection = message->connection;
	/* they show whether the request was given up */
	uint32_t life = connection && message->outcome == RTAP_OUTCOME_RNR ? connection->life_count : 0;
	struct message_fact *fact;
	struct message_copy *copy;
	struct rtap_item *items;

	fact = add(facts, kind, sizeof *fact + life * sizeof fact->life[0] + message_copy_size(message));
	fact->life_count = life;
	if (connection) {
		memcpy(fact->rnr_retries, connection->rnr_retries, sizeof fact->rnr_retries);
		put_life(fact->life, connection->life, life);
	}
	copy = (void *)(fact->life + life);
	message_copy_fill(copy, message);
	items = (void *)(copy->after + message->missing_count * sizeof message->missing[0]);
	for (uint32_t i = 0; i < message->item_count; i++) {
		items[i].name = encode(items[i].name);
		items[i].status_name = encode(items[i].status_name);
	}
	copy->message.status_name = encode(message->status_name);
	copy->message.mad_class_name = encode(message->mad_class_name);
	copy->message.mad_method_name = encode(message->mad_method_name);
	copy->message.mad_attribute_name = encode(message->mad_attribute_name);
	copy->message.mad_status_name = encode(message->mad_status_name);
}

static void keep_message(void *owner, const struct rtap_message *message)
{
	struct facts *facts = owner;

	if (facts->is_finishing && message->first_frame > facts->order)
		facts->order = message->first_frame;
	/* statistics count RPCs as operations */
	if (facts->stats && message->is_rpc)
		return;
	pass_time(facts);
	put_message(facts, FACT_MESSAGE, message);
}

static void keep_operation(void *owner, const struct rtap_operation *operation)
{
	struct operation_fact *fact;
	struct rtap_named_value *values;

	pass_time(owner);
	if (operation->request)
		put_message(owner, FACT_REQUEST, operation->request);
	if (operation->response)
		put_message(owner, FACT_RESPONSE, operation->response);
	fact = add(owner, FACT_OPERATION, sizeof *fact + operation_copy_size(operation) - sizeof fact->copy);
	operation_copy_fill(&fact->copy, operation);
	values = (void *)(fact->copy.after + operation->missing_count * sizeof operation->missing[0]);
	for (uint32_t i = 0; i < operation->value_count; i++)
		values[i].name = encode(values[i].name);
	fact->layer = encode(operation->layer);
}

static void keep_connection(void *owner, const struct rtap_connection *connection)
{
	struct facts *facts = owner;
	struct connection_fact *fact;

	/* at the end they follow the messages of all ranks */
	if (facts->is_finishing)
		facts->order = UINT64_MAX;
	pass_time(facts);
	fact = add(facts, FACT_CONNECTION, sizeof *fact + connection->life_count * sizeof fact->life[0]);
	fact->connection = *connection;
	put_life(fact->life, connection->life, connection->life_count);
}

static void keep_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct facts *facts = owner;

	if (facts->sums) {
		packet_sums_interrupt(facts->sums, from);
		packet_sums_interrupt(facts->sums, into);
	}
	*(struct merged_fact *)add(owner, FACT_MERGED, sizeof(struct merged_fact)) = (struct merged_fact){ from, into, turned };
}

static void keep_resolved(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct facts *facts = owner;

	if (facts->sums)
		packet_sums_interrupt(facts->sums, flow->connection);
	*(struct resolved_fact *)add(owner, FACT_RESOLVED, sizeof(struct resolved_fact)) = (struct resolved_fact){ frame, *flow };
}

static void keep(void *owner, struct rtap_tracker_options *tracking)
{
	struct facts *facts = owner;

	facts->counts = *tracking;
	tracking->owner = facts;
	tracking->message = tracking->message ? keep_message : NULL;
	tracking->operation = tracking->operation ? keep_operation : NULL;
	tracking->connection = tracking->connection ? keep_connection : NULL;
	tracking->merged = tracking->merged ? keep_merge : NULL;
	tracking->resolved = tracking->resolved ? keep_resolved : NULL;
}

static void opened(void *owner, struct rtap_tracker *tracker, struct stats *stats, struct joined *joined)
{
	struct facts *facts = owner;

	facts->tracker = tracker;
	facts->stats = stats;
	facts->joined = joined;
	/* over time, each packet counts in its interval */
	if (stats && !stats->interval_ns && !(facts->sums = packet_sums_create(pass_sum, facts)))
		ranks_lack_memory();
}

/* Connections that were created since. */
static void note_created(struct facts *facts, const struct rtap_tracker *tracker)
{
	uint64_t connections = tracker_connections(tracker);

	if (connections == facts->connections)
		return;
	*(uint64_t *)add(facts, FACT_CREATED, sizeof(uint64_t)) = connections - facts->connections;
	facts->connections = connections;
}

/* What nobody continues is given up in gaps, as where one process takes the frame of another rank that ends them. */
static void pass_gaps(struct facts *facts, uint64_t until)
{
	const struct exchange_gap *gap;
	int64_t passed_ns;

	while ((gap = exchange_next_gap(facts->exchange, until))) {
		if (!facts->has_begun || gap->time_ns <= facts->now_ns || __builtin_sub_overflow(gap->time_ns, facts->now_ns, &passed_ns))
			continue;
		facts->order = 2 * gap->frame;
		facts->now_ns = gap->time_ns;
		facts->before_ns = gap->before_ns;
		tracker_pass_time(facts->tracker, passed_ns);
		note_created(facts, facts->tracker);
	}
}

static void begins(void *owner, const struct rtap_frame *frame)
{
	struct facts *facts = owner;

	pass_gaps(facts, frame->number);
	facts->order = 2 * frame->number + 1;
	facts->before_ns = frame->time_ns - frame->delta_ns;
	facts->now_ns = frame->time_ns;
	facts->has_begun = true;
}

static void took(void *owner, const struct rtap_tracker *tracker, const struct rtap_frame *frame)
{
	(void)frame;
	note_created(owner, tracker);
}

static void count(void *owner, const struct rtap_packet *packet)
{
	struct facts *facts = owner;
	size_t recoveries = packet->flow.tcp_recovery_count * sizeof packet->flow.tcp_recoveries[0];
	struct packet_fact *fact;
	struct stats_packet_facts packet_facts;

	stats_packet_facts(&packet_facts, packet);
	if (facts->sums && packet_sums_take(facts->sums, &packet_facts))
		return;
	if (!(packet_facts.time_lost_ns | packet_facts.late_ns | packet_facts.late_packets | packet_facts.tcp_recovery_count)) {
		memcpy(add(facts, FACT_PACKET, STATS_USUAL_FACTS), &packet_facts, STATS_USUAL_FACTS);
		return;
	}
	fact = add(facts, FACT_RARE_PACKET, sizeof *fact + recoveries);
	fact->facts = packet_facts;
	if (recoveries)
		memcpy(fact->recoveries, packet->flow.tcp_recoveries, recoveries);
}

static void count_pause(void *owner, const struct congestion_pause *pause)
{
	*(struct congestion_pause *)add(owner, FACT_PAUSE, sizeof *pause) = *pause;
}

static void pass_joined(void *owner, const struct transmission_sight *sight)
{
	/* with its padding */
	memcpy(add(owner, FACT_JOINED, sizeof *sight), sight, sizeof *sight);
}

static uint64_t number_of(const struct run *run, uint64_t number)
{
	return number - 1 < run->count ? run->numbers[number - 1] : number;
}

static void count_connection(struct facts *facts, const struct run *run, struct connection_fact *fact)
{
	get_life(fact->life, fact->connection.life_count);
	fact->connection.life = fact->life;
	fact->connection.number = number_of(run, fact->connection.number);
	facts->counts.connection(facts->counts.owner, &fact->connection);
}

/* The message and its connection borrow from the fact. */
static void get_message(const struct run *run, struct message_fact *fact, struct received_message *received)
{
	struct message_copy *copy = (void *)(fact->life + fact->life_count);
	struct rtap_message *message = &received->message;
	struct rtap_item *items;

	received->connection = (struct rtap_connection){ .life = fact->life, .life_count = fact->life_count };
	message_copy_restore(copy, message, &received->connection);
	received->connection.number = number_of(run, received->connection.number);
	memcpy(received->connection.rnr_retries, fact->rnr_retries, sizeof fact->rnr_retries);
	get_life(fact->life, fact->life_count);
	items = (void *)(uintptr_t)message->items;
	for (uint32_t i = 0; i < message->item_count; i++) {
		items[i].name = fact_text_decode(items[i].name);
		items[i].status_name = fact_text_decode(items[i].status_name);
	}
	message->status_name = fact_text_decode(message->status_name);
	message->mad_class_name = fact_text_decode(message->mad_class_name);
	message->mad_method_name = fact_text_decode(message->mad_method_name);
	message->mad_attribute_name = fact_text_decode(message->mad_attribute_name);
	message->mad_status_name = fact_text_decode(message->mad_status_name);
}

static void count_message(struct facts *facts, const struct run *run, struct message_fact *fact)
{
	struct received_message received;

	get_message(run, fact, &received);
	facts->counts.message(facts->counts.owner, &received.message);
}

/* Keeps a message of the operation that follows. */
static void take_part(struct run *run, bool is_response, struct message_fact *fact)
{
	get_message(run, fact, &run->parts[is_response]);
	run->has_part[is_response] = true;
}

static void count_operation(struct facts *facts, struct run *run, struct operation_fact *fact)
{
	struct rtap_operation *operation = operation_copy_restore(&fact->copy);
	struct rtap_named_value *values = (void *)(uintptr_t)operation->values;

	for (uint32_t i = 0; i < operation->value_count; i++)
		values[i].name = fact_text_decode(values[i].name);
	operation->layer = fact_text_decode(fact->layer);
	fact->copy.connection.number = number_of(run, fact->copy.connection.number);
	operation->request = run->has_part[0] ? &run->parts[0].message : NULL;
	operation->response = run->has_part[1] ? &run->parts[1].message : NULL;
	facts->counts.operation(facts->counts.owner, operation);
	run->has_part[0] = run->has_part[1] = false;
}

static void count_sum(struct facts *facts, const struct run *run, struct packet_sum *sum)
{
	sum->connection = sum->connection ? number_of(run, sum->connection) : 0;
	stats_add_sum(facts->stats, sum);
}

static void count_packet(struct facts *facts, const struct run *run, const void *usual)
{
	struct stats_packet_facts packet_facts = { .time_lost_ns = 0 };

	memcpy(&packet_facts, usual, STATS_USUAL_FACTS);
	packet_facts.connection = number_of(run, packet_facts.connection);
	stats_count_packet(facts->stats, &packet_facts);
}

static void count_rare_packet(struct facts *facts, const struct run *run, struct packet_fact *fact)
{
	fact->facts.connection = number_of(run, fact->facts.connection);
	fact->facts.tcp_recoveries = fact->recoveries;
	stats_count_packet(facts->stats, &fact->facts);
}

static void count_joined(struct facts *facts, const struct run *run, struct transmission_sight *sight)
{
	sight->connection = number_of(run, sight->connection);
	joined_take(facts->joined, sight);
}

static void count_fact(struct facts *facts, struct run *run, enum fact_kind kind, void *data)
{
	struct merged_fact *merged = data;
	struct resolved_fact *resolved = data;

	switch (kind) {
	case FACT_CREATED:
	case FACT_KIND_COUNT:
		break;
	case FACT_TIME:
		facts->stats->now_ns = *(const int64_t *)data;
		break;
	case FACT_SUM:
		count_sum(facts, run, data);
		break;
	case FACT_PACKET:
		count_packet(facts, run, data);
		break;
	case FACT_RARE_PACKET:
		count_rare_packet(facts, run, data);
		break;
	case FACT_JOINED:
		count_joined(facts, run, data);
		break;
	case FACT_PAUSE:
		congestion_note_pause(facts->stats, data);
		break;
	case FACT_MESSAGE:
		count_message(facts, run, data);
		break;
	case FACT_REQUEST:
	case FACT_RESPONSE:
		take_part(run, kind == FACT_RESPONSE, data);
		break;
	case FACT_OPERATION:
		count_operation(facts, run, data);
		break;
	case FACT_CONNECTION:
		count_connection(facts, run, data);
		break;
	case FACT_MERGED:
		facts->counts.merged(facts->counts.owner, number_of(run, merged->from), number_of(run, merged->into), merged->turned);
		break;
	case FACT_RESOLVED:
		resolved->flow.connection = number_of(run, resolved->flow.connection);
		facts->counts.resolved(facts->counts.owner, resolved->frame, &resolved->flow);
		break;
	}
}

/* Gives the next numbers to connections that the rank created. */
static void number_connections(struct facts *facts, struct run *run, uint64_t created)
{
	uint64_t *numbers = array_grow(run->numbers, &run->room, run->count + created, sizeof *numbers);

	if (!numbers)
		ranks_lack_memory();
	run->numbers = numbers;
	while (created--)
		numbers[run->count++] = ++facts->all_connections;
}

static struct fact_head head_at(const struct run *run, const uint8_t *at)
{
	struct fact_head head;

	if (!fact_read_head(at, run->end, &head))
		ranks_give_up(BROKEN);
	return head;
}

/* The facts of one frame: connections that it created are numbered first. */
static void count_next(struct facts *facts, struct run *run)
{
	const unsigned points = facts->joined ? facts->joined->form.point_count : 0;
	const uint8_t *at;
	struct fact_head head;

	for (at = run->next; at < run->end && (head = head_at(run, at)).order == run->order; at += sizeof head + head.size)
		if (head.kind == FACT_CREATED && fact_is_whole(&head, at + sizeof head, points))
			number_connections(facts, run, *(const uint64_t *)(at + sizeof head));
	for (; run->next < at; run->next += sizeof head + head.size) {
		head = head_at(run, run->next);
		if (!fact_is_whole(&head, run->next + sizeof head, points))
			ranks_give_up(BROKEN);
		count_fact(facts, run, head.kind, (void *)(uintptr_t)(run->next + sizeof head));
	}
}

static bool is_before(const void *one, const void *other)
{
	const struct run *a = one, *b = other;

	return a->order != b->order ? a->order < b->order : a < b;
}

/* Counts the facts of all ranks in order. */
static void count_runs(void *owner)
{
	struct facts *facts = owner;
	struct heap heads = { .before = is_before };
	double begin = MPI_Wtime();
	struct run *run;

	for (int i = 0; !facts->rank && i < facts->size; i++) {
		run = &facts->runs[i];
		if (run->next == run->end)
			continue;
		run->order = head_at(run, run->next).order;
		if (!heap_add(&heads, run))
			ranks_lack_memory();
	}
	while ((run = heap_first(&heads))) {
		count_next(facts, run);
		if (run->next == run->end) {
			heap_remove_first(&heads);
			continue;
		}
		run->order = head_at(run, run->next).order;
		heap_settle_first(&heads);
	}
	heap_fini(&heads);
	for (int i = 0; i < facts->size; i++) {
		free(facts->received[i]);
		facts->received[i] = NULL;
	}
	facts->used = 0;
	facts->counting_s += MPI_Wtime() - begin;
}

/* Collective: rank 0 gets what was found since the last call. count_runs() follows. */
static void gather(void *owner)
{
	struct facts *facts = owner;
	int *sizes = ranks_get((size_t)facts->size, sizeof *sizes), own;

	pass_gaps(facts, UINT64_MAX);
	if (facts->sums)
		packet_sums_pass(facts->sums);
	own = ranks_count(facts->used, "one round has more than 2 GiB of facts (lower --max-memory)");
	facts->passed += facts->used;
	MPI_Gather(&own, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (facts->rank && own)
		MPI_Send(facts->bytes, own, MPI_BYTE, 0, TAG_FACTS, MPI_COMM_WORLD);
	for (int i = 0; !facts->rank && i < facts->size; i++) {
		if (i && sizes[i] && !(facts->received[i] = malloc((size_t)sizes[i])))
			ranks_lack_memory();
		if (facts->received[i])
			MPI_Recv(facts->received[i], sizes[i], MPI_BYTE, i, TAG_FACTS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		facts->runs[i].next = i ? facts->received[i] : facts->bytes;
		facts->runs[i].end = facts->runs[i].next + sizes[i];
	}
	free(sizes);
}

/* The input has ended: what the tracker still has follows. */
static void ends(void *owner)
{
	struct facts *facts = owner;

	exchange_serve(facts->exchange);
	gather(facts);
	count_runs(facts);
	if (facts->stats)
		facts->stats->now_ns = exchange_last_ns(facts->exchange);
	facts->is_finishing = true;
	facts->order = 0;
	/* connections that are created at the end; deliver() sets how many */
	*(uint64_t *)add(facts, FACT_CREATED, sizeof(uint64_t)) = 0;
}

static void deliver(void *owner, struct reader *reader, const struct rtap_tracker *tracker)
{
	struct facts *facts = owner;

	*(uint64_t *)(facts->bytes + sizeof(struct fact_head)) = tracker_connections(tracker) - facts->connections;
	gather(facts);
	count_runs(facts);
	totals_share(reader, tracker);
}

struct facts *facts_create(struct exchange *exchange)
{
	struct facts *facts = calloc(1, sizeof *facts);

	if (!facts)
		return NULL;
	facts->exchange = exchange;
	MPI_Comm_rank(MPI_COMM_WORLD, &facts->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &facts->size);
	facts->runs = calloc((size_t)facts->size, sizeof *facts->runs);
	facts->received = calloc((size_t)facts->size, sizeof *facts->received);
	if (facts->runs && facts->received)
		return facts;
	facts_destroy(facts);
	return NULL;
}

void facts_set_feed(struct facts *facts, struct feed *set)
{
	set->keep = keep;
	set->opened = opened;
	set->begins = begins;
	set->took = took;
	set->count = count;
	set->count_pause = count_pause;
	set->join = pass_joined;
	set->ends = ends;
	set->deliver = deliver;
	set->owner = facts;
	exchange_call_in_rounds(facts->exchange, gather, count_runs, facts);
}

uint64_t facts_bytes(const struct facts *facts)
{
	return facts->passed;
}

double facts_counting_s(const struct facts *facts)
{
	return facts->counting_s;
}

void facts_destroy(struct facts *facts)
{
	if (!facts)
		return;
	for (int i = 0; i < facts->size; i++) {
		if (facts->runs)
			free(facts->runs[i].numbers);
		if (facts->received)
			free(facts->received[i]);
	}
	free(facts->runs);
	free(facts->received);
	packet_sums_destroy(facts->sums);
	free(facts->bytes);
	free(facts);
}
