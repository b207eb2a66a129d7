/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RNBD over RTRS: requests in RDMA WRITEs with immediate data, each with the data that the client wrote, or with descriptors of the memory
 * into which the server WRITEs; responses in immediate data of SENDs or WRITEs.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/dissect.h"
#include "dissect/engine/line.h"
#include "dissect/rnbd/rnbd.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/rnbd/rtrs_private.h"
#include "reassembly/block_effect.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/store/memory.h"
#include "reassembly/upper/claim.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/rnbd_session.h"
#include "reassembly/upper/upper_layers.h"

#define NUMBER_TEXT 24
/* Identifiers of commands: the buffer's place in immediate data, or one of these. */
#define ID_INFO (UINT64_C(1) << 32)
#define ID_HEARTBEAT (UINT64_C(1) << 33)
#define ERROR_IO 5                 /* EIO */
#define USUAL_PLACE_BITS 19        /* Linux's queue depth of 512, where nothing else is known */
#define MOST_PIECES 256            /* descriptors of a request whose memory is followed */

enum kind { KIND_UNKNOWN, KIND_INFO, KIND_HEARTBEAT, KIND_USER, KIND_SESS_INFO, KIND_OPEN, KIND_CLOSE, KIND_IO };

/* The list of layers, which names it. */
extern const struct upper_layer rnbd_layer;

/* A connection's state. */
struct state {
	struct commands commands;
	struct rnbd_session *session; /* NULL: unknown */
	uint8_t place_bits;        /* learned from requests and responses; 0: unknown */
};

struct rnbd_result {
	struct operation head;
	char id[NUMBER_TEXT], status[NUMBER_TEXT], name[NUMBER_TEXT];
};

/* Memory of the client, in the order of the data. */
struct extent {
	uint64_t address;
	uint32_t length, key;
};

struct rnbd_command {
	struct command command;
	uint8_t kind;              /* enum kind */
	uint8_t operation;         /* enum rnbd_operation */
	bool is_write;             /* the data is in the request */
	bool is_taken;             /* `carried` has it */
	bool has_status;
	uint16_t status;           /* error number; 0: success */
	uint32_t device_id, bytes, tail_length;
	uint64_t sector, data_length;
	const struct rnbd_device *device; /* NULL: unknown */
	char *name;                /* of the device to be opened; on the heap */
	struct coverage carried, cut; /* data in the request: which bytes were captured, and these if they are wanted */
	struct extent *pieces;      /* on the heap */
	uint32_t piece_count;
};

static struct rnbd_command *rnbd_of(struct command *command)
{
	return (struct rnbd_command *)command;
}

static struct state *state_of(const struct connection *connection)
{
	return connection->upper_state;
}

static unsigned place_bits_of(const struct state *state)
{
	if (state->session && state->session->place_bits)
		return state->session->place_bits;
	return state->place_bits ? state->place_bits : USUAL_PLACE_BITS;
}

static bool knows_place_bits(const struct state *state)
{
	return (state->session && state->session->place_bits) || state->place_bits;
}

static const char *name_of(const struct rnbd_command *command, struct rnbd_result *operation)
{
	const char *name;

	switch (command->kind) {
	case KIND_INFO: return "info";
	case KIND_HEARTBEAT: return "heartbeat";
	case KIND_SESS_INFO: return "session info";
	case KIND_OPEN: return "open";
	case KIND_CLOSE: return "close";
	case KIND_USER: return command->is_write ? "write" : "read";
	case KIND_IO:
		name = rnbd_operation_name(command->operation, command->is_write && command->data_length);
		if (!name)
			snprintf(operation->name, NUMBER_TEXT, "operation %u", command->operation);
		return name ? name : operation->name;
	default: return "unknown command";
	}
}

static void show_status(struct rnbd_result *operation, const struct rnbd_command *command)
{
	struct rtap_operation *shown = &operation->head.shown;
	const char *name = rtrs_private_errno_name(command->status);

	shown->has_status = command->has_status;
	if (!command->has_status)
		return;
	shown->ok = !command->status;
	if (!name)
		snprintf(operation->status, NUMBER_TEXT, "errno %u", command->status);
	shown->status = name ? name : operation->status;
}

static void show_command(struct rnbd_result *operation, const struct rnbd_command *command)
{
	struct rtap_operation *shown = &operation->head.shown;
	const struct state *state = state_of(command->command.request.connection);

	shown->layer = command->kind == KIND_USER ? "rtrs" : "rnbd";
	shown->name = name_of(command, operation);
	if (command->command.id == ID_INFO || command->command.id == ID_HEARTBEAT)
		snprintf(operation->id, NUMBER_TEXT, "%s", shown->name);
	else
		snprintf(operation->id, NUMBER_TEXT, "%" PRIu64, command->command.id >> place_bits_of(state));
	shown->id = operation->id;
	if (state->session && state->session->name)
		operation_add_text(&operation->head, "session", state->session->name);
}

/* What statistics and findings need to know. */
static uint8_t flags_of(const struct rnbd_command *command)
{
	if (command->kind == KIND_HEARTBEAT)
		return RTAP_OPERATION_KEEP_ALIVE;
	if (command->kind != KIND_IO)
		return 0;
	return RTAP_OPERATION_ON_DEVICE | (command->has_status && command->status == ERROR_IO ? RTAP_OPERATION_DEVICE_ERROR : 0);
}

/* The device's path or, if it is unknown, its number. */
static void show_object(struct rtap_tracker *tracker, struct rnbd_result *operation, const struct rnbd_command *command)
{
	const char *name = command->device ? command->device->name : command->name;
	size_t size = (name ? strlen(name) : 0) + NUMBER_TEXT;
	char *text;

	if (!name && command->kind != KIND_IO && command->kind != KIND_CLOSE)
		return;
	text = memory_new(size);
	if (!text)
		tracker->counters.evictions++;
	else if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "device %" PRIu32, command->device_id);
	operation->head.object = text;
}

/* The data in the request, as far as its message has it. */
static void take_data(struct rtap_tracker *tracker, struct rnbd_command *command, const struct message *message)
{
	const struct coverage *data = &message->coverage;
	uint64_t end = message_known_end(message), length = command->data_length, begin;
	unsigned keep = tracker->take_effect && data->bytes ? COVERAGE_BYTES : COVERAGE_ONLY;

	if (command->is_taken || !command->is_write || !length || !message->has_last || end < length + command->tail_length)
		return;
	command->is_taken = true;
	begin = end - command->tail_length - length;
	if (!coverage_copy(&command->carried, data, begin, begin + length, (uint64_t)0 - begin, keep) ||
	    !coverage_copy(&command->cut, &message->cut, begin, begin + length, (uint64_t)0 - begin, COVERAGE_ONLY))
		tracker->counters.evictions++;
	request_charge(&tracker->budget, &command->command.request, coverage_memory(&command->carried) + coverage_memory(&command->cut), 0);
	if (message->operation && command->carried.total)
		operation_add_data(message->operation, message->shown.first_frame, message->shown.time_ns, message->shown.last_frame,
				   message->shown.time_end_ns);
}

static void sent(struct rtap_tracker *tracker, struct message *message)
{
	take_data(tracker, rnbd_of((struct command *)message->request), message);
}

static void conclude(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	struct rnbd_command *command = rnbd_of(generic);
	struct rnbd_result *operation = (struct rnbd_result *)generic->request.message->operation;
	struct rtap_operation *shown = &operation->head.shown;

	(void)response;
	show_command(operation, command);
	show_status(operation, command);
	show_object(tracker, operation, command);
	shown->flags = flags_of(command);
	operation_add_number(&operation->head, "queue_depth", generic->depth);
	if (command->carried.total) {
		shown->data_bytes += command->carried.total;
		shown->carried = shown->carried ? RTAP_CARRIED_MIXED : RTAP_CARRIED_INLINE;
	}
	if (command->kind != KIND_IO)
		return;
	operation_add_number(&operation->head, "opcode", command->operation);
	operation_add_number(&operation->head, "device_id", command->device_id);
	if (command->operation == RNBD_FLUSH || command->sector > UINT64_MAX / RNBD_SECTOR)
		return;
	operation_add_number(&operation->head, "sector", command->sector);
	shown->has_offset = shown->has_length = true;
	shown->offset = command->sector * RNBD_SECTOR;
	shown->length = command->bytes;
}

/* The data that the server wrote, in one piece, from the regions. */
static void join(struct rtap_tracker *tracker, const struct rnbd_command *command, struct coverage *joined, struct coverage *cut)
{
	const struct request *request = &command->command.request;
	bool good = true;
	uint64_t at = 0;

	for (uint32_t i = 0; i < command->piece_count && good; at += command->pieces[i++].length) {
		const struct extent *piece = &command->pieces[i];
		const struct region *region = request->regions;

		while (region < request->regions + request->region_count &&
		       (region->key != piece->key || region->begin > piece->address || region->end < piece->address + piece->length))
			region++;
		if (region == request->regions + request->region_count)
			continue;
		good = coverage_copy(joined, &region->data, piece->address - region->begin, piece->address - region->begin + piece->length,
				     at - (piece->address - region->begin), COVERAGE_BYTES) &&
		       coverage_copy(cut, &region->cut, piece->address - region->begin, piece->address - region->begin + piece->length,
				     at - (piece->address - region->begin), COVERAGE_ONLY);
	}
	if (!good)
		tracker->counters.evictions++;
}

/* The response to an open request names the device. */
static void learn_device(struct rtap_tracker *tracker, struct state *state, struct rnbd_command *command)
{
	struct coverage data = { 0 }, cut = { 0 };
	const struct coverage_run *run;
	const uint8_t *bytes;

	join(tracker, command, &data, &cut);
	run = data.count ? coverage_runs(&data) : NULL;
	bytes = run && !run->begin && run->end >= RNBD_OPEN_RSP_LENGTH ? coverage_bytes(&data, run) : NULL;
	if (bytes && little_bits(bytes, RNBD_TYPE) == RNBD_OPEN_RSP && command->name) {
		uint32_t id = (uint32_t)little_bits(bytes, RNBD_OPEN_RSP_DEVICE);

		rnbd_session_open(tracker, state->session, id, command->name);
		command->device_id = id;
		command->device = rnbd_session_device(state->session, id);
	}
	coverage_fini(&data);
	coverage_fini(&cut);
}

static void give(struct rtap_tracker *tracker, const struct rnbd_command *command, struct block_effect *effect)
{
	struct coverage data = { 0 }, cut = { 0 };

	if (!command->has_status || command->status) {
		if (command->operation == RNBD_READ)
			return;
		effect->kind = BLOCK_SPOILED;
	} else if (command->operation == RNBD_READ) {
		join(tracker, command, &data, &cut);
		effect->kind = BLOCK_READ;
		effect->data = &data;
		effect->cut = &cut;
	} else if (command->operation == RNBD_WRITE) {
		effect->kind = BLOCK_WRITTEN;
		effect->data = &command->carried;
		effect->cut = &command->cut;
	} else {
		effect->kind = command->data_length || command->operation > RNBD_WRITE_ZEROES ? BLOCK_SPOILED : BLOCK_ZEROED;
	}
	tracker->take_effect(tracker->options.owner, effect);
	coverage_fini(&data);
	coverage_fini(&cut);
}

static void ended(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	const struct rnbd_command *command = rnbd_of(generic);
	const struct request *request = &generic->request;
	const struct rtap_connection *connection = &request->connection->shown;
	const struct state *state = state_of(request->connection);
	struct block_effect effect = { .unit = command->device_id, .request_frame = request->first_frame, .time_ns = request->time_ns };
	char text[RNBD_TEXT], number[NUMBER_TEXT];

	if (!tracker->take_effect || !request->is_seen || command->kind != KIND_IO || command->operation == RNBD_FLUSH || !command->bytes ||
	    command->sector > UINT64_MAX / RNBD_SECTOR)
		return;
	effect.target = rnbd_target_text(state->session, request->from_a ? &connection->b : &connection->a, text);
	snprintf(number, sizeof number, "device-%" PRIu32, command->device_id);
	effect.name = command->device ? command->device->name : number;
	effect.response_frame = response ? response->shown.first_frame : request->first_frame;
	effect.offset = command->sector * RNBD_SECTOR;
	effect.length = command->bytes;
	give(tracker, command, &effect);
}

static void release(struct rtap_tracker *tracker, struct command *generic)
{
	struct rnbd_command *command = rnbd_of(generic);

	(void)tracker;
	coverage_fini(&command->carried);
	coverage_fini(&command->cut);
	free(command->pieces);
	free(command->name);
}

static void learn(void *to, const void *from)
{
	struct state *state = to;
	const struct state *other = from;

	if (!state->session)
		state->session = other->session;
	if (!state->place_bits)
		state->place_bits = other->place_bits;
}

static const struct command_layer layer = {
	.size = sizeof(struct rnbd_command), .state_size = sizeof(struct state), .conclude = conclude, .ended = ended, .release = release,
	.learn = learn,
};

static bool is_set_up(const struct connection *connection)
{
	return handshake_consumer_of(connection) == RTAP_CM_CONSUMER_RTRS;
}

/* REQ and REP name the session and the queue depth. */
static void set_up(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	const uint8_t *bytes = packet->sources[cm->source].bytes + cm->private_offset;
	struct state *state;

	if (cm->private_length < RTRS_PRIVATE_LENGTH)
		return;
	connection->layer = &rnbd_layer;
	state = command_state_make(tracker, connection, &layer);
	if (!state)
		return;
	if (from_a && !state->session)
		state->session = rnbd_session_find(tracker, &connection->shown.a, &connection->shown.b, bytes + RTRS_REQUEST_PATHS_AT);
	else if (!from_a && state->session && little_bits(bytes, RTRS_RESPONSE_MAGIC) == RTRS_MAGIC)
		state->session->place_bits = (uint8_t)rtrs_place_bits((uint32_t)little_bits(bytes, RTRS_RESPONSE_DEPTH));
}

/* `from_client`: the packet's sender is the client. */
static void find_session(struct upper_work *work, struct state *state, bool from_client)
{
	const struct rtap_connection *shown = &work->connection->shown;
	bool client_is_a = work->from_a == from_client;

	if (!state->session)
		state->session = rnbd_session_find(work->tracker, client_is_a ? &shown->a : &shown->b, client_is_a ? &shown->b : &shown->a, NULL);
}

/* A request's message waits for its end, also where no operations are wanted: its data is copied when it is settled. */
static void begin_operation(struct upper_work *work, struct rnbd_command *command)
{
	request_operation(work->tracker, &command->command.request, work->message, sizeof(struct rnbd_result), NULL);
	command->command.request.message = work->message;
	work->message->request = &command->command.request;
}

/* Whether the message is of no request or response yet. */
static bool is_new(const struct upper_work *work)
{
	return work->message && !work->message->request && !work->message->operation;
}

/* A message of its own kind, without memory. */
static struct rnbd_command *begin_simple(struct upper_work *work, uint64_t id, enum kind kind)
{
	struct rnbd_command *command = is_new(work) ? rnbd_of(command_begin(work, id)) : NULL;

	if (!command)
		return NULL;
	command->kind = (uint8_t)kind;
	begin_operation(work, command);
	return command;
}

/* A response whose request was not captured. */
static void show_alone(struct upper_work *work, const struct rnbd_command *command)
{
	struct rnbd_result *operation;
	struct rtap_operation *shown;

	if (!work->tracker->options.operation || work->message->operation)
		return;
	operation = operation_create(work->tracker, work->message, sizeof *operation, NULL);
	if (!operation)
		return;
	shown = &operation->head.shown;
	show_command(operation, command);
	show_status(operation, command);
	shown->from_a = !work->from_a;
	shown->response_frame = work->message->shown.first_frame;
	shown->time_ns = shown->time_end_ns = work->message->shown.time_ns;
	operation->head.concluded = true;
}

static struct rnbd_command *answer(struct upper_work *work, uint64_t id, uint32_t status)
{
	struct rnbd_command *command = is_new(work) ? rnbd_of(command_answered(work, id)) : NULL;

	if (!command)
		return NULL;
	command->has_status = true;
	command->status = (uint16_t)status;
	command->command.request.has_failed = status;
	if (command->command.request.is_seen)
		return command;
	if (id == ID_INFO || id == ID_HEARTBEAT)
		command->kind = id == ID_INFO ? KIND_INFO : KIND_HEARTBEAT;
	show_alone(work, command);
	return command;
}

/* The place in immediate data of the buffer in a response: learns how many bits the rest has, if just one number fits. */
static uint64_t place_of_buffer(struct upper_work *work, struct state *state, uint32_t buffer)
{
	unsigned found = 0;

	if (knows_place_bits(state) || !buffer)
		return (uint64_t)buffer << place_bits_of(state);
	for (unsigned bits = RTRS_LEAST_PLACE_BITS; bits < 28; bits++) {
		const struct command *command = command_find(work->connection, !work->from_a, (uint64_t)buffer << bits);

		if (!command || !command->request.is_seen)
			continue;
		if (found)
			return (uint64_t)buffer << USUAL_PLACE_BITS;
		found = bits;
	}
	state->place_bits = (uint8_t)found;
	return (uint64_t)buffer << place_bits_of(state);
}

static void take_response(struct upper_work *work, struct state *state, uint32_t immediate)
{
	uint64_t id = place_of_buffer(work, state, rtrs_response_buffer(immediate));
	struct rnbd_command *command = answer(work, id, rtrs_response_errno(immediate));

	if (command && command->kind == KIND_OPEN && !command->status)
		learn_device(work->tracker, state, command);
}

static char *name_to_open(struct rtap_tracker *tracker, const uint8_t *message)
{
	size_t length = strnlen((const char *)message + RNBD_NAME_AT, RNBD_NAME_LENGTH), size;
	char text[RNBD_TEXT], *copy;
	struct line line;

	line_init(&line, text, sizeof text - 1);
	line_escaped(&line, message + RNBD_NAME_AT, length);
	*line.next = '\0';
	size = strlen(text) + 1;
	copy = memory_new(size);
	if (copy)
		memcpy(copy, text, size);
	else
		tracker->counters.evictions++;
	return copy;
}

/* What the message of RTRS's user says. */
static void read_user(struct rtap_tracker *tracker, const struct state *state, const struct rtrs_request *request, struct rnbd_command *command)
{
	const uint8_t *message = request->user;

	command->kind = KIND_USER;
	if (!message)
		return;
	switch (rnbd_protocol_of(message, request->user_length)) {
	case PROTOCOL_RNBD_SESS_INFO: command->kind = KIND_SESS_INFO; break;
	case PROTOCOL_RNBD_OPEN:
		command->kind = KIND_OPEN;
		command->name = name_to_open(tracker, message);
		break;
	case PROTOCOL_RNBD_CLOSE:
		command->kind = KIND_CLOSE;
		command->device_id = (uint32_t)little_bits(message, RNBD_CLOSE_DEVICE);
		break;
	case PROTOCOL_RNBD_IO:
		command->kind = KIND_IO;
		command->operation = (uint8_t)little_bits(message, RNBD_IO_OPERATION);
		command->device_id = (uint32_t)little_bits(message, RNBD_IO_DEVICE);
		command->sector = little_bits(message, RNBD_IO_SECTOR);
		command->bytes = (uint32_t)little_bits(message, RNBD_IO_BYTES);
		break;
	default: return;
	}
	if (command->kind == KIND_CLOSE || command->kind == KIND_IO)
		command->device = rnbd_session_device(state->session, command->device_id);
}

/* The memory into which the server writes. */
static void name_memory(struct upper_work *work, struct rnbd_command *command, const struct rtrs_request *request)
{
	struct region_name names[MOST_PIECES];
	struct request *base = &command->command.request;
	bool wants_bytes = command->kind == KIND_OPEN || (work->tracker->take_effect && command->kind == KIND_IO);
	uint32_t count = request->descriptor_count < MOST_PIECES ? request->descriptor_count : MOST_PIECES;

	command->pieces = count ? memory_new(count * sizeof *command->pieces) : NULL;
	if (!command->pieces) {
		work->tracker->counters.evictions += count != 0;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *descriptor = request->descriptors + i * RTRS_DESCRIPTOR_LENGTH;
		struct extent piece = {
			.address = little_bits(descriptor, RTRS_DESCRIPTOR_ADDRESS), .key = (uint32_t)little_bits(descriptor, RTRS_DESCRIPTOR_KEY),
			.length = (uint32_t)little_bits(descriptor, RTRS_DESCRIPTOR_BYTES),
		};

		if (!piece.length || piece.address + piece.length < piece.address)
			continue;
		names[command->piece_count] = (struct region_name){ .begin = piece.address, .end = piece.address + piece.length, .key = piece.key, .number = i };
		command->pieces[command->piece_count++] = piece;
	}
	request_charge(&work->tracker->budget, base, count * sizeof *command->pieces, 0);
	if (!command->piece_count || !command_name(work, &command->command, names, command->piece_count))
		return;
	for (uint32_t i = 0; i < base->region_count; i++)
		base->regions[i].keep_bytes |= wants_bytes;
	request_open(work->tracker, base, work->message);
}

/* The last bytes of the WRITE in the packet, as far as they are in one piece. */
static struct rtap_span tail_of(const struct upper_work *work)
{
	const struct rtap_payload *payload = &work->packet->payload;
	const struct message *message = work->message;
	const struct coverage *data = message ? &message->coverage : NULL;
	const struct coverage_run *run = data && data->count ? &coverage_runs(data)[data->count - 1] : NULL;

	if (run && data->bytes && message->has_last && run->end == message_known_end(message) && run->end - run->begin <= UINT32_MAX)
		return (struct rtap_span){ coverage_bytes(data, run), (uint32_t)(run->end - run->begin) };
	if (!work->packet->ib.has_immediate || payload->captured < payload->wire)
		return (struct rtap_span){ NULL, 0 };
	return (struct rtap_span){ work->packet->sources[payload->source].bytes + payload->offset, payload->captured };
}

static bool find_request(const struct upper_work *work, struct rtap_span tail, struct rtrs_request *request)
{
	const struct message *message = work->message;
	uint64_t total = message && message->shown.request_seen ? message->shown.length : 0;

	return message && message->shown.has_immediate && tail.length && (!total || tail.length <= total) &&
	       rtrs_find_request(tail.bytes, tail.length, total, (uint32_t)message->shown.immediate, request);
}

/* Shows a request that ended in this packet. */
static void show_request(struct upper_work *work, const struct rtrs_request *request)
{
	bool is_alone = ib_opcodes[work->packet->ib.opcode].place == IB_ONLY;

	if (work->packet->upper == RTAP_UPPER_RTRS || (!is_alone && !request->user))
		return;
	work->context->upper = RTAP_UPPER_RTRS;
	if (!is_alone) {
		work->context->chunk = (struct rtap_span){ request->user, request->tail_length };
		work->context->chunk_protocol = PROTOCOL_RTRS_WRITE;
	}
	work->dissect(work);
}

static void take_request(struct upper_work *work, struct state *state)
{
	uint32_t immediate = (uint32_t)work->message->shown.immediate;
	struct rtrs_request request;
	struct rnbd_command *command;

	if (!find_request(work, tail_of(work), &request))
		return;
	find_session(work, state, true);
	show_request(work, &request);
	if (!is_new(work))
		return;
	command = rnbd_of(command_begin(work, rtrs_request_place(immediate) - (request.data_length + request.user_length)));
	if (!command)
		return;
	command->is_write = request.type == RTRS_WRITE;
	command->data_length = request.data_length;
	command->tail_length = request.tail_length;
	read_user(work->tracker, state, &request, command);
	begin_operation(work, command);
	if (!command->is_write)
		name_memory(work, command, &request);
}

/* Immediate data of a SEND or a WRITE. */
static void take_immediate(struct upper_work *work, struct state *state)
{
	uint32_t immediate = work->message ? (uint32_t)work->message->shown.immediate : 0;

	if (!work->message || !work->message->shown.has_immediate)
		return;
	switch (rtrs_immediate_type(immediate)) {
	case RTRS_IMM_REQUEST:
		if (work->message->shown.verb == RTAP_VERB_WRITE)
			take_request(work, state);
		break;
	case RTRS_IMM_RESPONSE:
	case RTRS_IMM_RESPONSE_INVALIDATES:
		find_session(work, state, false);
		take_response(work, state, immediate);
		break;
	case RTRS_IMM_HEARTBEAT: begin_simple(work, ID_HEARTBEAT, KIND_HEARTBEAT); break;
	case RTRS_IMM_HEARTBEAT_ACK: answer(work, ID_HEARTBEAT, 0); break;
	}
}

static const struct rtap_layer *layer_of(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

/* The exchange that names the session and the server's chunks. */
static void take_information(struct upper_work *work, struct state *state)
{
	const struct rtap_packet *packet = work->packet;
	const struct rtap_layer *request = layer_of(packet, PROTOCOL_RTRS_INFO_REQ), *response = layer_of(packet, PROTOCOL_RTRS_INFO_RSP);

	if (request && request->length == RTRS_INFO_REQUEST_LENGTH) {
		const uint8_t *name = layer_bytes(packet, request) + RTRS_NAME_AT;

		find_session(work, state, true);
		rnbd_session_set_name(work->tracker, state->session, name, strnlen((const char *)name, RTRS_NAME_LENGTH));
		begin_simple(work, ID_INFO, KIND_INFO);
	} else if (response && response->length == RTRS_INFO_RESPONSE_LENGTH) {
		find_session(work, state, false);
		if (state->session && !state->session->place_bits)
			state->session->place_bits = (uint8_t)rtrs_place_bits((uint32_t)little_bits(layer_bytes(packet, response), RTRS_INFO_COUNT));
		answer(work, ID_INFO, 0);
	}
}

/* Data that the server wrote: the response to an open or session information request is shown where it ends. */
static void take_data_written(struct upper_work *work)
{
	const struct rtap_payload *payload = &work->packet->payload;
	const struct rnbd_command *command = rnbd_of((struct command *)work->message->region->request);
	const uint8_t *bytes = work->packet->sources[payload->source].bytes + payload->offset;

	claim_data(work->tracker, work->message, work->result);
	if ((command->kind != KIND_OPEN && command->kind != KIND_SESS_INFO) || work->message->shown.frames != 1 || payload->captured < payload->wire)
		return;
	work->context->chunk = (struct rtap_span){ bytes, payload->captured };
	work->context->chunk_protocol = rnbd_protocol_of(bytes, payload->captured);
	if (work->context->chunk_protocol != PROTOCOL_NONE)
		work->dissect(work);
}

/* Whether a WRITE whose connection is unknown proves itself. */
static bool is_recognised(const struct upper_work *work)
{
	const struct message *message = work->message;
	struct rtrs_request request;

	return message && message->shown.verb == RTAP_VERB_WRITE && message->shown.request_seen && !work->context->no_heuristics &&
	       find_request(work, tail_of(work), &request) &&
	       rtrs_request_proves_itself(&request, message->shown.length);
}

static bool is_rtrs(const struct upper_work *work)
{
	return work->is_known || work->packet->upper == RTAP_UPPER_RTRS || is_recognised(work);
}

static bool take_packet(struct upper_work *work)
{
	struct message *message = work->message;
	struct state *state;

	if (message && message->region && upper_data_is_over(work->result, message))
		take_data_written(work);
	else if (!(message && message->region) && !is_rtrs(work))
		return false;
	state = command_state_make(work->tracker, work->connection, &layer);
	if (!state)
		return false;
	if (work->packet->upper != RTAP_UPPER_RTRS && ib_opcodes[work->packet->ib.opcode].place == IB_ONLY && !(message && message->region)) {
		work->context->upper = RTAP_UPPER_RTRS;
		work->dissect(work);
	} else if (message && message->shown.verb == RTAP_VERB_SEND && work->packet->upper != RTAP_UPPER_RTRS) {
		work->context->upper = RTAP_UPPER_RTRS;
		work->dissect(work);
	}
	if (message && message->shown.verb == RTAP_VERB_SEND)
		take_information(work, state);
	take_immediate(work, state);
	return true;
}

/* The bytes of requests are kept: those of several packets to show them, all if the data is wanted. */
static void claim(struct rtap_tracker *tracker, struct message *message)
{
	const struct connection *connection = message->connection;

	claim_memory.claim(tracker, message);
	if (message->region)
		return;
	if (connection->layer == &rnbd_layer)
		message->bytes_wanted |= !message->has_last || tracker->take_effect;
	else if (!connection->layer && tracker->take_effect)
		message->bytes_wanted = true;
}

static bool may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return connection->layer == &rnbd_layer || claim_memory.may_want(tracker, connection);
}

static void settle_data(struct rtap_tracker *tracker, struct message *message)
{
	claim_memory.settled(tracker, message);
}

static void forget_data(struct message *message)
{
	claim_memory.forget(message);
}

static void lost_data(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss)
{
	claim_memory.lost(tracker, message, loss);
}

static const struct upper_memory memory = {
	.may_want = may_want, .claim = claim, .settled = settle_data, .forget = forget_data, .lost = lost_data,
};

/* What is missing of a request is known once its message is settled. */
static void settled(struct rtap_tracker *tracker, struct message *message)
{
	const struct request *request = message->request;

	if (request->message && request->message->stream && !assembly_is_whole(request->message))
		message_settle(tracker, request->message);
	else if (request->message && request->message->stream)
		sent(tracker, request->message);
	command_settled(tracker, message);
}

const struct upper_layer rnbd_layer = {
	.name = "rnbd",
	.init = rnbd_sessions_init,
	.carried = RTAP_UPPER_RTRS,
	.is_set_up = is_set_up,
	.set_up = set_up,
	.takes_immediates = true,
	.packet = take_packet,
	.memory = &memory,
	.settled = settled,
	.sent = sent,
	.detach = command_detach,
	.merged = command_merged,
	.end = command_end,
	.over = command_over,
	.fini = rnbd_sessions_fini,
};
