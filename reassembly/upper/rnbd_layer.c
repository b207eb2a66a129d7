/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RNBD over RTRS: requests in RDMA WRITEs with immediate data, each with the data that the client wrote, or with descriptors of the memory
 * into which the server WRITEs; responses in immediate data of SENDs or WRITEs.
 */
#include "config.h"

#include <string.h>

#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/engine/line.h"
#include "dissect/rnbd/rnbd.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/rnbd/rtrs_private.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/rnbd_command.h"
#include "reassembly/upper/rnbd_session.h"
#include "reassembly/upper/upper_layers.h"

#define MOST_PIECES 256            /* maximum number of tracked memory descriptors of a request */
#define RNBD_IO_PADDED 32          /* bytes of an I/O message */

/* The list of layers, which names it. */
extern const struct upper_layer rnbd_layer;

static bool knows_place_bits(const struct rnbd_state *state)
{
	return (state->session && state->session->place_bits) || state->place_bits;
}

static void request_settled(struct rtap_tracker *tracker, struct message *message)
{
	rnbd_command_take_data(tracker, rnbd_command_of((struct command *)message->request), message);
}

static bool is_set_up(const struct connection *connection)
{
	return handshake_consumer_of(connection) == RTAP_CM_CONSUMER_RTRS;
}

/* REQ and REP name the session and the queue depth. */
static void set_up(struct rtap_tracker *tracker, struct connection *connection, const struct rtap_packet *packet, bool from_a)
{
	const struct rtap_cm_facts *cm = &packet->cm;
	const uint8_t *bytes = packet->sources[cm->source].bytes + cm->private_offset;
	struct rnbd_state *state;

	if (cm->private_length < RTRS_PRIVATE_LENGTH)
		return;
	connection->layer = &rnbd_layer;
	state = command_state_make(tracker, connection, &rnbd_command_layer);
	if (!state)
		return;
	if (from_a && !state->session)
		state->session = rnbd_session_find(tracker, &connection->shown.a, &connection->shown.b, bytes + RTRS_REQUEST_PATHS_AT);
	else if (!from_a && state->session && little_bits(bytes, RTRS_RESPONSE_MAGIC) == RTRS_MAGIC)
		state->session->place_bits = (uint8_t)rtrs_place_bits((uint32_t)little_bits(bytes, RTRS_RESPONSE_DEPTH));
}

/* `from_client`: the packet's sender is the client. */
static void find_session(struct upper_work *work, struct rnbd_state *state, bool from_client)
{
	const struct rtap_connection *shown = &work->connection->shown;
	bool client_is_a = work->from_a == from_client;

	if (!state->session)
		state->session = rnbd_session_find(work->tracker, client_is_a ? &shown->a : &shown->b, client_is_a ? &shown->b : &shown->a, NULL);
}

/* Whether the message is not assigned to a request or response yet: also not to one that has ended, but its data can be. */
static bool is_new(const struct upper_work *work)
{
	const struct message *message = work->message;

	return message && !message->request && !message->operation && (!message->request_number || message->region);
}

/* A message of its own kind, without memory. */
static struct rnbd_command *begin_simple(struct upper_work *work, uint64_t id, enum rnbd_kind kind)
{
	struct rnbd_command *command = is_new(work) ? rnbd_command_of(command_begin(work, id)) : NULL;

	if (!command)
		return NULL;
	command->kind = (uint8_t)kind;
	rnbd_command_begin_operation(work, command);
	return command;
}

static struct rnbd_command *answer(struct upper_work *work, uint64_t id, uint32_t status)
{
	struct command *asked = command_find(work->connection, !work->from_a, id);
	struct rnbd_command *command;

	/* a client uses the lowest free buffer: the buffer, and its memory, soon belong to another request */
	if (asked && asked->request.has_regions && is_new(work) && region_may_be_anothers(&asked->request, work->message))
		command_await_nothing(work->tracker, asked);
	command = is_new(work) ? rnbd_command_of(command_answered(work, id)) : NULL;
	if (!command)
		return NULL;
	command->has_status = true;
	command->status = (uint16_t)status;
	command->command.request.has_failed = status;
	if (command->command.request.is_seen)
		return command;
	if (id == RNBD_ID_INFO || id == RNBD_ID_HEARTBEAT)
		command->kind = id == RNBD_ID_INFO ? RNBD_KIND_INFO : RNBD_KIND_HEARTBEAT;
	rnbd_command_show_alone(work, command);
	return command;
}

/*
 * Number of bits of immediate data after the buffer of a response, if only one number fits a request, and it is the largest one that fits
 * all requests; 0: unknown. A response to a request before the capture fits a later one of another buffer by chance.
 */
static unsigned find_place_bits(const struct connection *connection, bool requester_is_a, uint32_t buffer)
{
	const struct rnbd_state *state = connection->upper_state;
	unsigned found = 0;

	for (unsigned bits = RTRS_LEAST_PLACE_BITS; bits < 28; bits++) {
		const struct command *command = command_find(connection, requester_is_a, (uint64_t)buffer << bits);

		if (!command || !command->request.is_seen)
			continue;
		if (found)
			return 0;
		found = bits;
	}
	return state->buffers << (63 - found) == UINT64_C(1) << 63 ? found : 0;
}

/* The buffer in the immediate data of a response: learns how many bits follow its number. */
static uint64_t place_of_buffer(struct upper_work *work, struct rnbd_state *state, uint32_t buffer)
{
	if (!knows_place_bits(state) && buffer)
		state->place_bits = (uint8_t)find_place_bits(work->connection, !work->from_a, buffer);
	return (uint64_t)buffer << rnbd_command_place_bits(state);
}

/* The waiting request that a packet's immediate data answers. NULL: it answers none, or an unknown one. */
static struct command *answered_by(const struct connection *connection, const struct rtap_packet *packet, bool requester_is_a)
{
	const struct rnbd_state *state = connection->upper_state;
	uint32_t immediate = packet->ib.immediate, buffer = rtrs_response_buffer(immediate);
	enum rtrs_immediate type = rtrs_immediate_type(immediate);
	struct command *command;
	unsigned bits;

	if (!state || !packet->ib.has_immediate || (type != RTRS_IMM_RESPONSE && type != RTRS_IMM_RESPONSE_INVALIDATES))
		return NULL;
	bits = knows_place_bits(state) || !buffer ? rnbd_command_place_bits(state) : find_place_bits(connection, requester_is_a, buffer);
	command = command_find(connection, requester_is_a, (uint64_t)buffer << bits);
	return command && command->request.is_seen && !command->request.is_answered ? command : NULL;
}

/* Whether immediate data is that of a response without an error, for a buffer of a waiting request. */
static bool answers(const struct connection *connection, const struct rtap_packet *packet)
{
	return !rtrs_response_errno(packet->ib.immediate) && answered_by(connection, packet, connection->flows[1]);
}

/* Adds the request that a response answers to the packet. */
static void know_request(struct upper_work *work)
{
	struct command *command = is_new(work) ? answered_by(work->connection, work->packet, !work->from_a) : NULL;

	if (!command || (command->request.has_regions && region_may_be_anothers(&command->request, work->message)))
		return;
	work->context->request = (struct packet_request){ .is_known = true, .frame = command->request.first_frame, .time_ns = command->request.time_ns,
							  .name = rnbd_command_name(rnbd_command_of(command)) };
	/* it was dissected already, if its connection is known to carry RTRS */
	work->packet->request = work->context->request;
}

static void take_response(struct upper_work *work, struct rnbd_state *state, uint32_t immediate)
{
	uint64_t id = place_of_buffer(work, state, rtrs_response_buffer(immediate));
	struct rnbd_command *command = answer(work, id, rtrs_response_errno(immediate));

	if (command && command->kind == RNBD_KIND_OPEN && !command->status)
		rnbd_command_learn_device(work->tracker, state, command);
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

/* Reads the message of the layer above RTRS. */
static void read_user(struct rtap_tracker *tracker, const struct rnbd_state *state, const struct rtrs_request *request, struct rnbd_command *command)
{
	const uint8_t *message = request->user;

	command->kind = RNBD_KIND_USER;
	if (!message)
		return;
	switch (rnbd_protocol_of(message, request->user_length)) {
	case PROTOCOL_RNBD_SESS_INFO: command->kind = RNBD_KIND_SESS_INFO; break;
	case PROTOCOL_RNBD_OPEN:
		command->kind = RNBD_KIND_OPEN;
		command->name = name_to_open(tracker, message);
		break;
	case PROTOCOL_RNBD_CLOSE:
		command->kind = RNBD_KIND_CLOSE;
		command->device_id = (uint32_t)little_bits(message, RNBD_CLOSE_DEVICE);
		break;
	case PROTOCOL_RNBD_IO:
		command->kind = RNBD_KIND_IO;
		command->operation = (uint8_t)little_bits(message, RNBD_IO_OPERATION);
		command->device_id = (uint32_t)little_bits(message, RNBD_IO_DEVICE);
		command->sector = little_bits(message, RNBD_IO_SECTOR);
		command->bytes = (uint32_t)little_bits(message, RNBD_IO_BYTES);
		break;
	default: return;
	}
	if (command->kind == RNBD_KIND_CLOSE || command->kind == RNBD_KIND_IO)
		command->device = rnbd_session_device(state->session, command->device_id);
}

/* The memory into which the server writes. */
static void name_memory(struct upper_work *work, struct rnbd_command *command, const struct rtrs_request *request)
{
	struct region_name names[MOST_PIECES];
	struct request *base = &command->command.request;
	bool wants_bytes = command->kind == RNBD_KIND_OPEN || (work->tracker->take_effect && command->kind == RNBD_KIND_IO);
	uint32_t count = request->descriptor_count < MOST_PIECES ? request->descriptor_count : MOST_PIECES;

	command->pieces = count ? memory_new(count * sizeof *command->pieces) : NULL;
	if (!command->pieces) {
		work->tracker->counters.evictions += count != 0;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *descriptor = request->descriptors + i * RTRS_DESCRIPTOR_LENGTH;
		struct rnbd_extent piece = {
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

/*
 * The end of a request or a response was not captured, so that it is unknown what it is: from here on, the memory that a previous request
 * names may be another one's.
 */
static void note_unreadable(const struct upper_work *work)
{
	const struct message *message = work->message;
	struct psn_stream *stream = message ? message->stream : NULL;

	if (stream && message->low < stream->next)
		psn_note_unknown(stream, message->low, stream->next);
}

static void take_request(struct upper_work *work, struct rnbd_state *state)
{
	uint32_t immediate = (uint32_t)work->message->shown.immediate;
	struct rtrs_request request;
	struct rnbd_command *command;

	if (!find_request(work, tail_of(work), &request)) {
		if (work->packet->payload.captured < work->packet->payload.wire)
			note_unreadable(work);
		return;
	}
	find_session(work, state, true);
	show_request(work, &request);
	if (!is_new(work))
		return;
	command = rnbd_command_of(command_begin(work, rtrs_request_place(immediate) - (request.data_length + request.user_length)));
	if (!command)
		return;
	state->buffers |= command->command.id;
	command->is_write = request.type == RTRS_WRITE;
	command->data_length = request.data_length;
	command->tail_length = request.tail_length;
	read_user(work->tracker, state, &request, command);
	rnbd_command_begin_operation(work, command);
	if (!command->is_write)
		name_memory(work, command, &request);
}

/* Immediate data of a SEND or a WRITE. */
static void take_immediate(struct upper_work *work, struct rnbd_state *state)
{
	uint32_t immediate = work->message ? (uint32_t)work->message->shown.immediate : 0;

	if (ib_opcodes[work->packet->ib.opcode].headers & IB_IMMDT && !work->packet->ib.has_immediate)
		note_unreadable(work);
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
	case RTRS_IMM_HEARTBEAT: begin_simple(work, RNBD_ID_HEARTBEAT, RNBD_KIND_HEARTBEAT); break;
	case RTRS_IMM_HEARTBEAT_ACK: answer(work, RNBD_ID_HEARTBEAT, 0); break;
	}
}

static const struct rtap_layer *layer_of(const struct rtap_packet *packet, uint16_t protocol)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == protocol)
			return &packet->layers[i];
	return NULL;
}

/* Takes the exchange that names the session and the server's chunks. */
static void take_information(struct upper_work *work, struct rnbd_state *state)
{
	const struct rtap_packet *packet = work->packet;
	const struct rtap_layer *request = layer_of(packet, PROTOCOL_RTRS_INFO_REQ), *response = layer_of(packet, PROTOCOL_RTRS_INFO_RSP);

	if (request && request->length == RTRS_INFO_REQUEST_LENGTH) {
		const uint8_t *name = layer_bytes(packet, request) + RTRS_NAME_AT;

		find_session(work, state, true);
		rnbd_session_set_name(work->tracker, state->session, name, strnlen((const char *)name, RTRS_NAME_LENGTH));
		begin_simple(work, RNBD_ID_INFO, RNBD_KIND_INFO);
	} else if (response && response->length == RTRS_INFO_RESPONSE_LENGTH) {
		find_session(work, state, false);
		if (state->session && !state->session->place_bits)
			state->session->place_bits = (uint8_t)rtrs_place_bits((uint32_t)little_bits(layer_bytes(packet, response), RTRS_INFO_COUNT));
		answer(work, RNBD_ID_INFO, 0);
	}
}

/* Takes data that the server wrote. The response to an open or session information request is shown in its last packet. */
static void take_data_written(struct upper_work *work, struct rnbd_state *state)
{
	const struct rtap_payload *payload = &work->packet->payload;
	struct rnbd_command *command = rnbd_command_of((struct command *)work->message->region->request);
	const uint8_t *bytes = work->packet->sources[payload->source].bytes + payload->offset;

	region_take_data(work->tracker, work->message, work->result);
	/* data that was sent again after the response */
	if (command->kind == RNBD_KIND_OPEN && command->has_status && !command->status)
		rnbd_command_learn_device(work->tracker, state, command);
	if ((command->kind != RNBD_KIND_OPEN && command->kind != RNBD_KIND_SESS_INFO) || work->message->shown.frames != 1 ||
	    payload->captured < payload->wire)
		return;
	work->context->chunk = (struct rtap_span){ bytes, payload->captured };
	work->context->chunk_protocol = rnbd_protocol_of(bytes, payload->captured);
	if (work->context->chunk_protocol != PROTOCOL_NONE)
		work->dissect(work);
}

/* Whether a WRITE on an unknown connection is certainly one of RTRS. */
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
	struct rnbd_state *state;

	if (!(message && message->region) && !is_rtrs(work))
		return false;
	state = command_state_make(work->tracker, work->connection, &rnbd_command_layer);
	if (!state)
		return false;
	if (message && message->region && upper_data_is_over(work->result, message))
		take_data_written(work, state);
	if (ib_opcodes[work->packet->ib.opcode].place == IB_ONLY && !(message && message->region))
		know_request(work);
	if (work->packet->upper != RTAP_UPPER_RTRS && ib_opcodes[work->packet->ib.opcode].place == IB_ONLY && !(message && message->region)) {
		work->context->upper = RTAP_UPPER_RTRS;
		work->dissect(work);
	} else if (message && message->shown.verb == RTAP_VERB_SEND && work->packet->upper != RTAP_UPPER_RTRS) {
		work->context->upper = RTAP_UPPER_RTRS;
		work->dissect(work);
	}
	if (message && message->shown.verb == RTAP_VERB_SEND) {
		/* for the key of the memory */
		message->leads_response |= work->packet->ib.has_ieth && !work->packet->payload.wire;
		take_information(work, state);
	}
	take_immediate(work, state);
	return true;
}

/*
 * Whether the message's length is that of whole sectors with an I/O message of RNBD after them, padded or not, so that its last packet has
 * all that is needed but the data.
 */
static bool ends_in_its_last_packet(const struct message *message)
{
	static const uint32_t tails[] = { RNBD_IO_LENGTH + RTRS_WRITE_LENGTH, RNBD_IO_PADDED + RTRS_WRITE_LENGTH };
	uint64_t length = message->shown.length;
	uint32_t pmtu = message->stream ? message->stream->pmtu : 0;

	for (int i = 0; i < 2 && pmtu; i++)
		if (length > tails[i] && (length - tails[i]) % RNBD_SECTOR == 0)
			return (length - 1) % pmtu + 1 >= tails[i];
	return false;
}

/* The bytes of requests are kept: those of several packets to show them, all if the data is wanted. */
static void claim(struct rtap_tracker *tracker, struct message *message)
{
	const struct connection *connection = message->connection;

	region_claim(tracker, message);
	if (message->region)
		return;
	if (connection->layer == &rnbd_layer && !tracker->take_effect && ends_in_its_last_packet(message))
		message->bytes_wanted = false;
	else if (connection->layer == &rnbd_layer)
		message->bytes_wanted |= !message->has_last || tracker->take_effect;
	else if (!connection->layer && tracker->take_effect)
		message->bytes_wanted = true;
}

static bool may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return connection->layer == &rnbd_layer || region_may_want(tracker, connection);
}

static const struct upper_memory memory = {
	.may_want = may_want, .claim = claim, .data_settled = request_data_settled, .unclaim = region_unclaim, .lost = request_take_lost,
};

/* The missing ranges of a request are known once its message is settled. */
static void response_settled(struct rtap_tracker *tracker, struct message *message)
{
	const struct request *request = message->request;

	if (request->message && request->message->stream && !assembly_is_whole(request->message))
		message_settle(tracker, request->message);
	else if (request->message && request->message->stream)
		request_settled(tracker, request->message);
	command_settled(tracker, message);
}

const struct upper_layer rnbd_layer = {
	.name = "rnbd",
	.beside = "rtrs",
	.init = rnbd_sessions_init,
	.carried = RTAP_UPPER_RTRS,
	.is_set_up = is_set_up,
	.set_up = set_up,
	.takes_immediates = true,
	.packet = take_packet,
	.answers = answers,
	.memory = &memory,
	.response_settled = response_settled,
	.request_settled = request_settled,
	.detach = command_detach,
	.merged = command_merged,
	.end = command_end,
	.over = command_over,
	.fini = rnbd_sessions_fini,
};
