/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/rnbd/rnbd.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/rnbd/rtrs_private.h"
#include "reassembly/block_effect.h"
#include "reassembly/message_extent.h"
#include "reassembly/operation.h"
#include "reassembly/upper/rnbd_command.h"

#define NUMBER_TEXT 24
#define OBJECT_TEXT 96 /* longer ones are on the heap */
#define ERROR_IO 5                 /* EIO */
#define USUAL_PLACE_BITS 19        /* Linux's queue depth of 512, where nothing else is known */

struct rnbd_result {
	struct operation head;
	char id[NUMBER_TEXT], status[NUMBER_TEXT], name[NUMBER_TEXT], object[OBJECT_TEXT];
};

static struct rnbd_state *state_of(const struct connection *connection)
{
	return connection->upper_state;
}

unsigned rnbd_command_place_bits(const struct rnbd_state *state)
{
	if (state->session && state->session->place_bits)
		return state->session->place_bits;
	return state->place_bits ? state->place_bits : USUAL_PLACE_BITS;
}

const char *rnbd_command_name(const struct rnbd_command *command)
{
	switch (command->kind) {
	case RNBD_KIND_INFO: return "info";
	case RNBD_KIND_HEARTBEAT: return "heartbeat";
	case RNBD_KIND_SESS_INFO: return "session info";
	case RNBD_KIND_OPEN: return "open";
	case RNBD_KIND_CLOSE: return "close";
	case RNBD_KIND_USER: return command->is_write ? "write" : "read";
	case RNBD_KIND_IO: return rnbd_operation_name(command->operation, command->is_write && command->data_length);
	default: return NULL;
	}
}

static const char *name_of(const struct rnbd_command *command, struct rnbd_result *operation)
{
	const char *name = rnbd_command_name(command);

	if (name || command->kind != RNBD_KIND_IO)
		return name ? name : "unknown command";
	snprintf(operation->name, NUMBER_TEXT, "operation %u", command->operation);
	return operation->name;
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
		*line_put_dec(line_put(operation->status, "errno "), command->status) = '\0';
	shown->status = name ? name : operation->status;
}

static void show_command(struct rnbd_result *operation, const struct rnbd_command *command)
{
	struct rtap_operation *shown = &operation->head.shown;
	const struct rnbd_state *state = state_of(command->command.request.connection);

	shown->layer = command->kind == RNBD_KIND_USER ? "rtrs" : "rnbd";
	shown->name = name_of(command, operation);
	shown->id = operation->id;
	if (command->command.id == RNBD_ID_INFO || command->command.id == RNBD_ID_HEARTBEAT)
		shown->id = shown->name;
	else
		*line_put_dec(operation->id, command->command.id >> rnbd_command_place_bits(state)) = '\0';
	if (state->session && state->session->name)
		operation_add_text(&operation->head, "session", state->session->name);
}

/* Flags for statistics and findings: enum rtap_operation_flag. */
static uint8_t flags_of(const struct rnbd_command *command)
{
	if (command->kind == RNBD_KIND_HEARTBEAT)
		return RTAP_OPERATION_KEEP_ALIVE;
	if (command->kind != RNBD_KIND_IO)
		return 0;
	return RTAP_OPERATION_ON_DEVICE | (command->has_status && command->status == ERROR_IO ? RTAP_OPERATION_DEVICE_ERROR : 0);
}

/* The device's path or, if it is unknown, its number. */
static void show_object(struct rtap_tracker *tracker, struct rnbd_result *operation, const struct rnbd_command *command)
{
	const char *name = command->device ? command->device->name : command->name;
	size_t size = (name ? strlen(name) : 0) + NUMBER_TEXT;
	char *text;

	if (!name && command->kind != RNBD_KIND_IO && command->kind != RNBD_KIND_CLOSE)
		return;
	text = operation_object_room(&operation->head, operation->object, OBJECT_TEXT, size);
	if (!text)
		tracker->counters.evictions++;
	else if (name)
		*line_put(text, name) = '\0';
	else
		*line_put_dec(line_put(text, "device "), command->device_id) = '\0';
}

void rnbd_command_take_data(struct rtap_tracker *tracker, struct rnbd_command *command, const struct message *message)
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
	if (command->carried.total)
		operation_note_data(&command->command.request.data, message->shown.first_frame, message->shown.time_ns,
				    message->shown.last_frame, message->shown.time_end_ns);
}

void rnbd_command_begin_operation(struct upper_work *work, struct rnbd_command *command)
{
	request_operation(work->tracker, &command->command.request, work->message, sizeof(struct rnbd_result));
	command->command.request.message = work->message;
	work->message->request = &command->command.request;
}

void rnbd_command_show_alone(struct upper_work *work, const struct rnbd_command *command)
{
	struct rnbd_result *operation = command_operation_alone(work, sizeof *operation);

	if (!operation)
		return;
	show_command(operation, command);
	show_status(operation, command);
}

static void conclude(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	struct rnbd_command *command = rnbd_command_of(generic);
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
	if (command->kind != RNBD_KIND_IO)
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
		const struct rnbd_extent *piece = &command->pieces[i];
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

void rnbd_command_learn_device(struct rtap_tracker *tracker, struct rnbd_state *state, struct rnbd_command *command)
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
	tracker->take_effect(tracker->effect_owner, effect);
	coverage_fini(&data);
	coverage_fini(&cut);
}

static void ended(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	const struct rnbd_command *command = rnbd_command_of(generic);
	const struct request *request = &generic->request;
	const struct rtap_connection *connection = &request->connection->shown;
	const struct rnbd_state *state = state_of(request->connection);
	struct block_effect effect = { .unit = command->device_id, .request_frame = request->first_frame, .time_ns = request->time_ns };
	char text[RNBD_TEXT], number[NUMBER_TEXT];

	if (!tracker->take_effect || !request->is_seen || command->kind != RNBD_KIND_IO || command->operation == RNBD_FLUSH || !command->bytes ||
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
	struct rnbd_command *command = rnbd_command_of(generic);

	(void)tracker;
	coverage_fini(&command->carried);
	coverage_fini(&command->cut);
	free(command->pieces);
	free(command->name);
}

static void learn(void *to, const void *from)
{
	struct rnbd_state *state = to;
	const struct rnbd_state *other = from;

	if (!state->session)
		state->session = other->session;
	if (!state->place_bits)
		state->place_bits = other->place_bits;
	state->buffers |= other->buffers;
}

static void answered(struct command *to, const struct command *from)
{
	rnbd_command_of(to)->has_status = ((const struct rnbd_command *)from)->has_status;
	rnbd_command_of(to)->status = ((const struct rnbd_command *)from)->status;
}

const struct command_layer rnbd_command_layer = {
	.size = sizeof(struct rnbd_command), .state_size = sizeof(struct rnbd_state), .conclude = conclude, .answered = answered, .ended = ended,
	.release = release, .learn = learn,
};
