/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/clear.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_list.h"
#include "reassembly/operation.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/region.h"

#define MOST_EXAMINED 256   /* messages of a requester that are looked at for the command of a response */
#define MOST_COMMANDS 65536 /* waiting commands of a connection: as many as NVMe has identifiers */

struct key {
	const struct connection *connection;
	uint64_t id;
	bool from_a;
};

static struct command *command_of(struct request *request)
{
	return (struct command *)request;
}

static struct commands *commands_of(const struct command *command)
{
	return command->request.connection->upper_state;
}

static bool is_key(const void *value, const void *wanted)
{
	const struct command *command = value;
	const struct key *key = wanted;

	return command->id == key->id && command->request.from_a == key->from_a;
}

static uint64_t hash_of(const struct key *key)
{
	return map_hash((const uint64_t[]){ key->id, key->from_a }, 2);
}

static void unmap(struct command *command)
{
	struct commands *commands = commands_of(command);

	if (!command->is_mapped)
		return;
	command->is_mapped = false;
	map_remove(&commands->waiting, command->hash, command);
	commands->outstanding -= command->request.is_seen && !command->request.is_answered;
}

static void map_in(struct rtap_tracker *tracker, struct command *command)
{
	struct commands *commands = commands_of(command);
	const struct key key = { .id = command->id, .from_a = command->request.from_a };

	command->hash = hash_of(&key);
	command->is_mapped = map_add(&commands->waiting, command->hash, command);
	if (command->is_mapped)
		commands->outstanding += command->request.is_seen && !command->request.is_answered;
	else
		tracker->counters.evictions++;
}

/* Fills the operation with the known values. */
static void conclude(struct rtap_tracker *tracker, struct command *command, struct message *response)
{
	struct operation *operation = request_conclude(tracker, &command->request, response);

	if (!operation)
		return;
	operation->shown.depth = command->depth;
	commands_of(command)->layer->conclude(tracker, command, response);
}

static void end_command(struct rtap_tracker *tracker, struct command *command, struct message *response)
{
	const struct command_layer *layer = commands_of(command)->layer;

	request_drop_doubtful(tracker, &command->request);
	conclude(tracker, command, response);
	if (layer->ended)
		layer->ended(tracker, command, response);
	if (layer->ended && tracker->take_effect && response && !command->request.is_seen && !command->request.has_failed)
		tracker->take_effect(tracker->effect_owner, &(struct block_effect){ .kind = BLOCK_UNSEEN });
	unmap(command);
	request_end(tracker, &command->request);
	region_free_room(&command->request);
	if (layer->release)
		layer->release(tracker, command);
	spare_blocks_give(&tracker->spare_commands, command, layer->size);
}

static struct command *command_of_entry(struct budget_entry *entry)
{
	return (struct command *)((char *)entry - offsetof(struct command, request.entry));
}

static void give_up(struct budget_entry *entry, void *owner)
{
	struct command *command = command_of_entry(entry);

	end_command(owner, command, command->request.response);
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;

	tracker->counters.evictions++;
	give_up(entry, owner);
}

void *command_state_make(struct rtap_tracker *tracker, struct connection *connection, const struct command_layer *layer)
{
	struct commands *state = connection->upper_state;

	if (state)
		return state;
	state = upper_state_create(tracker, connection, layer->state_size);
	if (state)
		state->layer = layer;
	return state;
}

static struct command *create(struct upper_work *work, uint64_t id, bool from_a)
{
	struct rtap_tracker *tracker = work->tracker;
	const struct request_list *waiting = &work->connection->requests.lists[false];
	size_t size = ((struct commands *)work->connection->upper_state)->layer->size;
	struct command *command;

	while (waiting->count >= MOST_COMMANDS) {
		tracker->counters.evictions++;
		end_command(tracker, command_of(TAILQ_FIRST(&waiting->queue)), NULL);
	}
	command = spare_blocks_take(&tracker->spare_commands, size);
	if (!command) {
		tracker->counters.evictions++;
		return NULL;
	}
	clear_bytes(command, size);
	command->id = id;
	command->request.entry = (struct budget_entry){ .evict = evict, .give_up = give_up, .owner = tracker };
	budget_charge(&tracker->budget, &command->request.entry, spare_blocks_room(size));
	request_begin(tracker, &command->request, work->connection, from_a);
	return command;
}

struct command *command_find(const struct connection *connection, bool requester_is_a, uint64_t id)
{
	const struct commands *commands = connection->upper_state;
	const struct key key = { .id = id, .from_a = requester_is_a };

	return commands ? map_find(&commands->waiting, hash_of(&key), is_key, &key) : NULL;
}

const uint8_t *command_front(const struct message *message, uint64_t length)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);
	uint64_t begin = message_position(message);

	if (message->shown.verb != RTAP_VERB_SEND || message->request || message->request_number || message->operation || !message->coverage.count)
		return NULL;
	if (!message->has_first || run->begin != begin || run->end - begin < length || assembly_is_whole(message))
		return NULL;
	return coverage_bytes(&message->coverage, run);
}

struct message *command_unfinished(const struct upper_work *work, uint64_t id, bool (*is_it)(const struct message *message, uint64_t id))
{
	const struct psn_stream *stream = &work->connection->streams[!work->from_a];
	const struct command *known = command_find(work->connection, !work->from_a, id);
	/* packets are missing before the last message only if there are gaps */
	unsigned left = work->connection->ddp ? 0 : stream->gaps.count ? MOST_EXAMINED : 1;

	for (struct message *message = TAILQ_LAST(&stream->messages, message_list); message && left; message = message_list_before(message), left--) {
		if (known && known->request.is_seen && message->low <= known->request.psn)
			return NULL;
		if (is_it(message, id))
			return message;
	}
	return NULL;
}

struct upper_work command_work(struct rtap_tracker *tracker, struct message *send, struct message *response)
{
	return (struct upper_work){
		.tracker = tracker, .connection = send->connection, .from_a = send->shown.from_a, .is_known = true, .message = send, .response = response,
	};
}

bool command_add_packets(struct upper_work *work, void (*add)(struct upper_work *work, struct command *command))
{
	const struct message *send = work->message;
	struct request *request = send->request_number ? request_find(send->connection, send->request_number) : NULL;

	if (request && request->is_seen && request->psn == send->low && request->from_a == send->shown.from_a)
		add(work, command_of(request));
	return send->request_number;
}

void command_opened(const struct upper_work *work)
{
	struct request *request = request_find(work->connection, work->message->request_number);

	if (request && !request->is_answered && request->response == work->response)
		request->response = NULL;
}

struct command *command_of_response(const struct upper_work *work, uint64_t id)
{
	const struct message *message = work->message;

	if (message && message->request && message->request->response == message)
		return command_of(message->request);
	return command_find(work->connection, !work->from_a, id);
}

/* The operation of a response without a command is dropped: its command is known now. */
static void discard_alone(struct rtap_tracker *tracker, struct command *command)
{
	if (command->request.response)
		operation_destroy(tracker, command->request.response);
}

/*
 * Whether the command of a response, which was captured first, can be in a message of the requester that was captured now: it is not beyond
 * what had been captured when the response was, and the requester had not acknowledged the response yet.
 */
static bool may_precede(const struct upper_work *work, const struct command *alone)
{
	const struct message *response = alone->request.response;

	return response && work->message->low <= alone->place && work->connection->streams[!work->from_a].acknowledged <= response->low;
}

struct command *command_begin(struct upper_work *work, uint64_t id)
{
	struct command *command = command_find(work->connection, work->from_a, id);
	struct commands *commands = work->connection->upper_state;

	/* the command of a response can be captured after it; a later command means that the response's own command was lost */
	if (command && !command->request.is_seen && may_precede(work, command)) {
		unmap(command);
		discard_alone(work->tracker, command);
	} else {
		if (command && command->request.is_seen)
			end_command(work->tracker, command, NULL);
		else if (command)
			unmap(command);
		command = create(work, id, work->from_a);
		if (!command)
			return NULL;
	}
	if (work->response && !command->request.response)
		command->request.response = work->response;
	request_seen(&command->request, work->message);
	work->message->request_number = command->request.number;
	if (!command->request.is_answered)
		map_in(work->tracker, command);
	command->depth = commands->outstanding;
	return command;
}

bool command_name(struct upper_work *work, struct command *command, struct region_name *names, uint32_t count)
{
	struct rtap_tracker *tracker = work->tracker;

	if (!count)
		return true;
	if (!region_create_all(tracker, &command->request, names, count)) {
		tracker->counters.evictions++;
		return false;
	}
	return true;
}

/*
 * The highest PSN at which a command that is captured after its response can begin: one in a gap, if the acknowledged PSNs end in
 * a gap; else the next PSN, if the connection was captured from its setup on. 0: none, for the response is of a command before
 * the capture.
 */
static uint64_t place_of(const struct connection *connection, const struct psn_stream *stream)
{
	const struct psn_gap *last = stream->gaps.count ? &stream->gaps.list[stream->gaps.count - 1] : NULL;

	if (last && last->end >= stream->next)
		return stream->next - 1;
	return connection->shown.learned_by_cm || connection->shown.learned_by_mpa ? stream->next : stream->gaps.count ? stream->next - 1 : 0;
}

static void take_answer(struct command *command, struct message *response)
{
	request_answered(&command->request, response);
	response->request_number = command->request.number;
}

void command_await_nothing(struct rtap_tracker *tracker, struct command *command)
{
	unmap(command);
	if (command->request.has_regions)
		region_close_all(tracker, &command->request);
}

void command_answer(struct upper_work *work, struct command *command)
{
	unmap(command);
	take_answer(command, work->message);
	request_reconsider(work->tracker, &command->request, work->message);
}

struct command *command_answered(struct upper_work *work, uint64_t id)
{
	struct command *command = command_find(work->connection, !work->from_a, id);

	if (command && (command->request.is_answered || !command->request.is_seen)) {
		unmap(command);
		command = NULL;
	}
	if (command) {
		command_answer(work, command);
		return command;
	}
	command = create(work, id, !work->from_a);
	if (!command)
		return NULL;
	work->connection->requests.unknown_responses++;
	command->place = place_of(work->connection, &work->connection->streams[!work->from_a]);
	take_answer(command, work->message);
	map_in(work->tracker, command);
	request_reconsider(work->tracker, &command->request, work->message);
	return command;
}

bool command_copy_data(const struct command *command, const struct region_name *range, uint64_t at, struct coverage *joined, struct coverage *cut)
{
	for (uint32_t i = 0; i < command->request.region_count; i++) {
		const struct region *region = &command->request.regions[i];
		uint64_t begin = range->begin - region->begin, end = range->end - region->begin;

		if (region->is_read != range->is_read || region->key != range->key || region->begin > range->begin || region->end < range->end)
			continue;
		return coverage_copy(joined, &region->data, begin, end, at - begin, COVERAGE_BYTES) &&
		       coverage_copy(cut, &region->cut, begin, end, at - begin, COVERAGE_ONLY);
	}
	return true;
}

void command_pass(struct rtap_tracker *tracker, struct command *from, struct command *to)
{
	struct message *send = from->request.message;

	from->request.message = NULL;
	to->request.message = send;
	to->request.operation_size = from->request.operation_size;
	if (send)
		send->request = &to->request;
	end_command(tracker, from, NULL);
}

void *command_operation_alone(struct upper_work *work, size_t size)
{
	struct message *response = work->message;
	struct operation *operation = work->tracker->options.operation && !response->operation ?
					      operation_create(work->tracker, response, size, NULL) : NULL;

	if (!operation)
		return NULL;
	operation->shown.from_a = !work->from_a;
	operation->shown.response_frame = response->shown.first_frame;
	operation->shown.time_ns = operation->shown.time_end_ns = response->shown.time_ns;
	operation->concluded = true;
	return operation;
}

void command_settled(struct rtap_tracker *tracker, struct message *message)
{
	end_command(tracker, command_of(message->request), message);
}

void command_detach(struct message *message)
{
	struct command *command = command_of(message->request);
	struct rtap_tracker *tracker = command->request.entry.owner;

	conclude(tracker, command, command->request.response);
}

/* The merge of the two directions showed the command of a response. */
static void join(struct rtap_tracker *tracker, struct command *alone)
{
	struct request *request = &alone->request;
	struct command *command = command_find(request->connection, request->from_a, alone->id);
	struct message *response = request->response;

	/* the response of an earlier command, which was not captured, may have the same identifier */
	if (!command || command == alone || !command->request.is_seen || command->request.is_answered || !response ||
	    response->shown.first_frame < command->request.first_frame)
		return;
	discard_alone(tracker, alone);
	if (commands_of(alone)->layer->answered)
		commands_of(alone)->layer->answered(command, alone);
	command->request.has_failed = request->has_failed;
	request->response = NULL;
	end_command(tracker, alone, NULL);
	unmap(command);
	request_answered(&command->request, response);
}

void command_merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct commands *old = from->upper_state, *state = old ? command_state_make(tracker, to, old->layer) : to->upper_state;
	struct request *request, *next;

	if (!old || !state)
		return;
	if (state->layer->learn)
		state->layer->learn(state, old);
	for (int answered = 0; answered < 2; answered++)
		while (!TAILQ_EMPTY(&from->requests.lists[answered].queue)) {
			struct command *command = command_of(TAILQ_FIRST(&from->requests.lists[answered].queue));
			bool was_mapped = command->is_mapped;
			struct command *other;

			unmap(command);
			request_move(tracker, &command->request, to, turned);
			other = command_find(to, command->request.from_a, command->id);
			if (other && !other->request.is_seen && command->request.is_seen)
				unmap(other);
			if (was_mapped && (!other || !other->is_mapped))
				map_in(tracker, command);
		}
	command_over(tracker, from);
	for (request = TAILQ_FIRST(&to->requests.lists[true].queue); request; request = next) {
		next = TAILQ_NEXT(request, link);
		if (!request->is_seen)
			join(tracker, command_of(request));
	}
	for (int side = 0; side < 2; side++)
		request_claim_waiting(tracker, &to->streams[side]);
}

void command_end(struct rtap_tracker *tracker, struct connection *connection)
{
	struct request *request;

	for (int answered = 1; answered >= 0; answered--)
		while ((request = TAILQ_FIRST(&connection->requests.lists[answered].queue)))
			end_command(tracker, command_of(request), request->response);
}

void command_over(struct rtap_tracker *tracker, struct connection *connection)
{
	struct commands *commands = connection->upper_state;

	if (!commands)
		return;
	map_fini(&commands->waiting);
	upper_state_destroy(tracker, connection, commands->layer->state_size);
}
