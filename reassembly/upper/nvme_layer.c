/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NVMe over RDMA: commands of a queue, each with the data that the controller READs from the host or WRITEs to it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/engine/line.h"
#include "dissect/infiniband/ib.h"
#include "dissect/nvme/nvme_command.h"
#include "dissect/nvme/nvme_names.h"
#include "dissect/nvme/nvme_parts.h"
#include "dissect/nvme/nvme_structure.h"
#include "reassembly/message_extent.h"
#include "reassembly/operation.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/nvme_effect.h"
#include "reassembly/upper/nvme_memory.h"
#include "reassembly/upper/nvme_state.h"
#include "reassembly/upper/upper_layers.h"

#define CID_TEXT 8
#define NUMBER_TEXT 24
#define OBJECT_TEXT 96 /* longer ones are on the heap */

struct nvme_operation {
	struct operation head;
	char id[CID_TEXT], name[NUMBER_TEXT], status[NUMBER_TEXT], object[OBJECT_TEXT];
};

struct nvme_command {
	struct command command;
	uint8_t bytes[NVME_COMMAND_LENGTH];
	uint8_t captured;         /* of `bytes` */
	bool has_status;
	uint16_t status;          /* without the phase bit */
	uint32_t code;            /* NVME_CODE */
	uint32_t data_length;     /* according to the SGL */
	uint32_t in_capsule;      /* bytes of it in the capsule */
	uint32_t in_capsule_seen; /* those captured before the first gap */
	bool is_partial;          /* the SGL locates some of the data in a way that is not supported */
	uint64_t result;          /* of the response */
	struct coverage carried;  /* data in the capsule, if it is wanted */
	struct nvme_piece *pieces; /* on the heap, if the command names several pieces of memory; else NULL */
	uint32_t piece_count;
};

static struct nvme_command *nvme_of(struct command *command)
{
	return (struct nvme_command *)command;
}

static struct nvme_queue *queue_of(const struct nvme_command *command)
{
	return command->command.request.connection->upper_state;
}

/* Commands that move no data, or none that is known, have 0. */
static uint32_t blocks_of(const struct nvme_command *command)
{
	if (command->captured < NVME_COMMAND_LENGTH || nvme_part_of(command->code) != PROTOCOL_NVME_BLOCKS)
		return 0;
	return (uint32_t)little_bits(command->bytes, NVME_NLB) + 1;
}

static uint32_t nsid_of(const struct nvme_command *command)
{
	return (uint32_t)little_bits(command->bytes, NVME_NSID);
}

/* The size of a block according to the command's length: its data has whole blocks, unless metadata is among it. 0: unknown. */
static uint32_t own_block_size(const struct nvme_command *command)
{
	uint32_t blocks = blocks_of(command), size = blocks ? command->data_length / blocks : 0;

	return size >= NVME_LEAST_BLOCK && !(size & (size - 1)) && command->data_length % blocks == 0 ? size : 0;
}

static void learn_block_size(struct rtap_tracker *tracker, const struct nvme_command *command)
{
	uint32_t size = own_block_size(command);

	if (size)
		nvme_note_block_size(tracker, &command->command.request, nsid_of(command), size, false);
}

static uint32_t block_size_of(const struct rtap_tracker *tracker, const struct nvme_command *command)
{
	return nvme_block_size(tracker, &command->command.request, nsid_of(command), own_block_size(command));
}

static void show_command(struct nvme_operation *operation, const struct nvme_command *command)
{
	const char *name = nvme_command_name(command->code);
	struct rtap_operation *shown = &operation->head.shown;
	struct line line;

	shown->layer = "nvme";
	if (!name)
		snprintf(operation->name, sizeof operation->name, "opcode 0x%02x", (unsigned)(command->code & 0xff));
	shown->name = name ? name : operation->name;
	line_init(&line, operation->id, sizeof operation->id - 1);
	line_hex(&line, command->command.id, 4);
	*line.next = '\0';
	shown->id = operation->id;
}

static void show_status(struct nvme_operation *operation, const struct nvme_command *command)
{
	struct rtap_operation *shown = &operation->head.shown;
	const char *name = nvme_status_name(command->code, command->status);

	shown->has_status = command->has_status;
	if (!command->has_status)
		return;
	shown->ok = !NVME_STATUS_CODE(command->status);
	if (!name)
		snprintf(operation->status, sizeof operation->status, "status 0x%03x", NVME_STATUS_CODE(command->status));
	shown->status = shown->ok ? "success" : name ? name : operation->status;
}

/* "nqn.test/1" */
static void show_object(struct nvme_operation *operation, const struct nvme_queue *queue, uint32_t nsid)
{
	const char *target = nvme_target_name(queue);
	size_t size = target ? strlen(target) + NUMBER_TEXT : NUMBER_TEXT;
	struct line line;
	char *text;

	if (!target && !nsid)
		return;
	text = operation_object_room(&operation->head, operation->object, OBJECT_TEXT, size);
	if (!text)
		return;
	line_init(&line, text, size - 1);
	line_text(&line, target ? target : "?");
	if (nsid) {
		line_char(&line, '/');
		line_dec(&line, nsid);
	}
	*line.next = '\0';
}

static void show_blocks(struct rtap_tracker *tracker, struct nvme_operation *operation, const struct nvme_command *command)
{
	struct rtap_operation *shown = &operation->head.shown;
	uint32_t blocks = blocks_of(command), size = block_size_of(tracker, command);
	uint64_t first = little_bits(command->bytes, NVME_SLBA);

	if (!blocks)
		return;
	operation_add_number(&operation->head, "slba", first);
	operation_add_number(&operation->head, "blocks", blocks);
	/* the response to Zone Append has the address of its data */
	if (command->code == NVME_CODE(NVME_SPACE_IO, NVME_ZONE_APPEND)) {
		if (!command->has_status || NVME_STATUS_CODE(command->status))
			return;
		first = command->result;
	}
	if (!size || first > UINT64_MAX / size)
		return;
	shown->has_offset = shown->has_length = true;
	shown->offset = first * size;
	shown->length = (uint64_t)blocks * size;
}

/* Bytes in the capsule count as data, like those in regions. */
static void add_in_capsule(struct rtap_operation *shown, const struct nvme_command *command)
{
	if (!command->in_capsule)
		return;
	shown->data_bytes += command->in_capsule_seen;
	shown->carried = shown->carried ? RTAP_CARRIED_MIXED : RTAP_CARRIED_INLINE;
}

/* Flags of the kind of command, for statistics. */
static uint8_t kind_flags(const struct nvme_command *command)
{
	switch (command->code) {
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_KEEP_ALIVE): return RTAP_OPERATION_KEEP_ALIVE;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_ABORT): return RTAP_OPERATION_ABORT;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_ASYNC_EVENT): return RTAP_OPERATION_WAITS;
	default: break;
	}
	if (NVME_CODE_SPACE(command->code) != NVME_SPACE_IO)
		return 0;
	return (command->code & 0xff) == NVME_CANCEL ? RTAP_OPERATION_ABORT : RTAP_OPERATION_ON_DEVICE;
}

/* Base, 3.3.3.2.1, and figures 94 to 97. */
static uint8_t status_flags(uint16_t status)
{
	switch (NVME_STATUS_CODE(status)) {
	case 0x004: case 0x006: /* Data Transfer Error, Internal Error */
		return RTAP_OPERATION_DEVICE_ERROR;
	case 0x007: case 0x008: case 0x01b: case 0x371: /* aborted: by request, with its queue, by a reservation, by the host */
		return RTAP_OPERATION_ABORTED;
	case 0x285: case 0x286: case 0x287: /* Compare Failure, Access Denied, Deallocated or Unwritten Logical Block */
		return 0;
	default:
		return NVME_STATUS_CODE(status) >> 8 == 2 ? RTAP_OPERATION_DEVICE_ERROR : 0; /* media and data integrity */
	}
}

static void show_facts(struct rtap_operation *shown, const struct nvme_command *command, const struct nvme_queue *queue)
{
	shown->flags = kind_flags(command) | (command->has_status ? status_flags(command->status) : 0);
	if (shown->carried == RTAP_CARRIED_READ && shown->flags & RTAP_OPERATION_ON_DEVICE && command->data_length <= nvme_most_in_capsule(queue))
		shown->flags |= RTAP_OPERATION_COULD_BE_INLINE;
	shown->has_controller = shown->has_queue = queue->has_id && queue->id && queue->has_controller;
	shown->queue = queue->id;
	shown->controller = queue->controller;
	shown->keep_alive_ms = queue->keep_alive_ms;
}

/* The kind of queue, which decides what an opcode means, can become known after the command: by a response, if the capture began late. */
static void name_again(struct rtap_tracker *tracker, struct nvme_command *command)
{
	const struct nvme_queue *queue = queue_of(command);

	if (NVME_CODE_SPACE(command->code) != NVME_SPACE_UNKNOWN || queue->kind == NVME_SPACE_UNKNOWN || command->captured < NVME_COMMON_LENGTH)
		return;
	command->code = nvme_code(command->bytes, queue->kind);
	learn_block_size(tracker, command);
}

static void conclude(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	struct nvme_command *command = nvme_of(generic);
	struct nvme_operation *operation = (struct nvme_operation *)generic->request.message->operation;
	const struct nvme_queue *queue = queue_of(command);

	(void)response;
	name_again(tracker, command);
	show_command(operation, command);
	show_status(operation, command);
	show_object(operation, queue, NVME_CODE_SPACE(command->code) == NVME_SPACE_FABRICS || nsid_of(command) == UINT32_MAX ? 0 : nsid_of(command));
	add_in_capsule(&operation->head.shown, command);
	operation->head.shown.complete &= !command->is_partial || !command->has_status || NVME_STATUS_CODE(command->status);
	show_facts(&operation->head.shown, command, queue);
	operation_add_number(&operation->head, "opcode", command->bytes[0]);
	if (queue->has_id)
		operation_add_number(&operation->head, "qid", queue->id);
	if (queue->has_controller)
		operation_add_number(&operation->head, "cntlid", queue->controller);
	operation_add_number(&operation->head, "queue_depth", generic->depth);
	show_blocks(tracker, operation, command);
}

/*
 * Whether metadata may follow each block of the data: the data is longer than the blocks, by as much for each. It can also be an SGL that is
 * longer than the data: Base, 4.1.2; NVM, 5.2.3.
 */
static bool has_metadata_within(const struct rtap_tracker *tracker, const struct nvme_command *command)
{
	uint64_t blocks = blocks_of(command), size = block_size_of(tracker, command);

	return blocks && size && command->data_length > blocks * size && command->data_length % blocks == 0;
}

/* The command has ended: reports its effect on blocks. */
static void ended(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	const struct nvme_command *command = nvme_of(generic);
	const struct request *request = &generic->request;
	struct coverage data = { 0 }, cut = { 0 };
	bool is_joined = command->pieces, is_mixed;

	if (!tracker->take_effect || !request->is_seen || command->captured < NVME_COMMAND_LENGTH)
		return;
	if (is_joined && !nvme_memory_join(generic, command->pieces, command->piece_count, &data, &cut))
		tracker->counters.evictions++;
	is_mixed = has_metadata_within(tracker, command);
	nvme_effect(tracker, &(struct nvme_ended){
		.queue = queue_of(command), .request = request, .block_size = block_size_of(tracker, command), .bytes = command->bytes,
		.code = command->code, .has_status = command->has_status, .status = command->status, .result = command->result, .response_frame = response ? response->shown.first_frame : request->first_frame,
		.data = is_mixed ? NULL : is_joined ? &data : request->region_count ? &request->regions[0].data : &command->carried,
		.cut = is_mixed ? NULL : is_joined ? &cut : request->region_count ? &request->regions[0].cut : NULL,
	});
	coverage_fini(&data);
	coverage_fini(&cut);
}

static void release(struct rtap_tracker *tracker, struct command *generic)
{
	(void)tracker;
	coverage_fini(&nvme_of(generic)->carried);
	free(nvme_of(generic)->pieces);
}

static void answered(struct command *to, const struct command *from)
{
	const struct nvme_command *alone = (const struct nvme_command *)from;
	struct nvme_command *command = nvme_of(to);

	command->has_status = alone->has_status;
	command->status = alone->status;
	command->result = alone->result;
}

static const struct command_layer commands = {
	.size = sizeof(struct nvme_command), .state_size = sizeof(struct nvme_queue), .conclude = conclude, .answered = answered, .ended = ended,
	.release = release, .learn = nvme_queue_learn,
};

/* The protocol of its data; PROTOCOL_PAYLOAD: its data is not dissected. */
static uint16_t structure_of(const struct nvme_command *command)
{
	if (command->captured < NVME_COMMAND_LENGTH || command->data_length > NVME_MOST_STRUCTURED)
		return PROTOCOL_PAYLOAD;
	return nvme_data_protocol(command->code, command->bytes);
}

/* Whether the bytes of the command's data are needed. */
static bool wants_data(const struct rtap_tracker *tracker, const struct nvme_command *command)
{
	return structure_of(command) != PROTOCOL_PAYLOAD || nvme_wants_data(command->code, command->bytes) ||
	       (tracker->take_effect && NVME_CODE_SPACE(command->code) == NVME_SPACE_IO);
}

/* Data in the capsule, which follows the command's layers. */
static struct rtap_span inside_of(const struct rtap_packet *packet, const struct rtap_layer *part)
{
	const struct rtap_layer *data = part + 1;

	if (data >= packet->layers + packet->layer_count || data->source != part->source || data->offset != part->offset + part->length)
		return (struct rtap_span){ NULL, 0 };
	return (struct rtap_span){ layer_bytes(packet, data), data->length };
}

/* Keeps the data in the capsule, which is at an offset after the command's layers. */
static void keep_carried(struct upper_work *work, struct nvme_command *command, const struct rtap_layer *part)
{
	struct budget *budget = &work->tracker->budget;
	struct rtap_span data = inside_of(work->packet, part);
	uint64_t fresh, at;

	if (!command->in_capsule || command->captured < NVME_COMMAND_LENGTH || !data.length)
		return;
	at = little_bits(command->bytes, NVME_SGL_ADDRESS);
	if (at >= data.length)
		return;
	data.bytes += at;
	data.length -= (uint32_t)at;
	command->in_capsule_seen = data.length < command->in_capsule ? data.length : command->in_capsule;
	if (!wants_data(work->tracker, command))
		return;
	if (!coverage_add(&command->carried, 0, data.bytes, command->in_capsule_seen, 0, COVERAGE_BYTES, &fresh))
		work->tracker->counters.evictions++;
	request_charge(budget, &command->command.request, coverage_memory(&command->carried), 0);
}

/* A response whose command was not captured. */
static void show_alone(struct upper_work *work, const struct nvme_command *command)
{
	struct nvme_operation *operation = command_operation_alone(work, sizeof *operation);

	if (!operation)
		return;
	show_command(operation, command);
	operation->head.shown.name = "unknown command";
	show_status(operation, command);
	show_object(operation, queue_of(command), 0);
}

/* Sets facts that are not in the packet's bytes for its dissection. */
static void show(struct upper_work *work, const struct packet_request *known)
{
	bool in_place = !work->keep && work->packet->upper == RTAP_UPPER_NVME;

	if (in_place && nvme_learn(work->packet, known))
		return;
	work->context->upper = RTAP_UPPER_NVME;
	work->context->request = *known;
	work->dissect(work);
}

static struct packet_request known_of(const struct nvme_queue *queue)
{
	return (struct packet_request){ .queue_known = queue->has_id, .queue = queue->id, .queue_kind = queue->kind };
}

/* Facts about the command, shown in its packets. `detail`: the property, the feature, or the form of a report. */
static void know_command(struct packet_request *known, const struct nvme_command *command)
{
	bool is_feature = command->code == NVME_CODE(NVME_SPACE_ADMIN, NVME_SET_FEATURES) || command->code == NVME_CODE(NVME_SPACE_ADMIN, NVME_GET_FEATURES);

	known->is_known = true;
	known->code = command->code;
	known->frame = command->command.request.first_frame;
	known->time_ns = command->command.request.time_ns;
	if (command->captured == NVME_COMMAND_LENGTH)
		known->detail = (uint32_t)little_bits(command->bytes + NVME_COMMON_LENGTH, NVME_AT(is_feature ? 0 : 1, 0, is_feature ? 11 : 32));
}

/* Several pieces of memory are kept, to join their data. */
static void keep_pieces(struct upper_work *work, struct nvme_command *command, const struct nvme_piece *pieces, uint32_t count)
{
	command->pieces = memory_new(count * sizeof *pieces);
	if (!command->pieces) {
		work->tracker->counters.evictions++;
		return;
	}
	memcpy(command->pieces, pieces, count * sizeof *pieces);
	command->piece_count = count;
	request_charge(&work->tracker->budget, &command->command.request, count * sizeof *pieces, 0);
}

/* Sets the host memory that the command names. */
static void name_memory(struct upper_work *work, struct nvme_command *command, const struct nvme_piece *pieces, uint32_t count)
{
	uint8_t direction = nvme_direction_of(command->bytes);
	bool moves = nvme_is_to_controller(direction) || nvme_is_to_host(direction);
	struct region_name names[NVME_MOST_PIECES];
	uint32_t named = 0;

	for (uint32_t i = 0; i < count && moves; i++) {
		uint64_t end = pieces[i].address + pieces[i].length;

		if (end > pieces[i].address)
			names[named++] = (struct region_name){ .begin = pieces[i].address, .end = end, .key = pieces[i].key, .number = i,
							       .is_read = nvme_is_to_controller(direction) };
	}
	if (named > 1)
		keep_pieces(work, command, pieces, count);
	if (!command_name(work, &command->command, names, named) || !named)
		return;
	for (uint32_t i = 0; i < command->command.request.region_count && wants_data(work->tracker, command); i++)
		command->command.request.regions[i].keep_bytes = true;
	request_open(work->tracker, &command->command.request, work->message);
}

/* Connect names the queue. `part`: after the common part. */
static void learn_queue(struct nvme_queue *queue, const uint8_t *part)
{
	nvme_queue_number(queue, (uint16_t)little_bits(part, NVME_AT(0, 16, 16)));
	queue->keep_alive_ms = (uint32_t)little_bits(part, NVME_AT(2, 0, 32));
}

/* In its data it names the subsystem. */
static void learn_connect(struct upper_work *work, struct nvme_queue *queue)
{
	const struct rtap_packet *packet = work->packet;
	const struct rtap_layer *part = nvme_layer_of(packet, PROTOCOL_NVME_CONNECT_PART);
	const struct rtap_layer *data = nvme_layer_of(packet, PROTOCOL_NVME_CONNECT_DATA);

	if (part && part->length == NVME_PART_LENGTH)
		learn_queue(queue, layer_bytes(packet, part));
	if (data)
		nvme_learn_connect(work->tracker, queue, (struct rtap_span){ layer_bytes(packet, data), data->length });
}

/* Data in the capsule that the packets of its SEND have, which need not be all. */
static void carry_present(struct upper_work *work, struct command *generic)
{
	struct rtap_tracker *tracker = work->tracker;
	const struct message *message = work->message;
	struct nvme_command *command = nvme_of(generic);
	uint64_t before = coverage_memory(&command->carried), at = little_bits(command->bytes, NVME_SGL_ADDRESS);
	uint64_t begin = message_position(message) + NVME_COMMAND_LENGTH;
	bool keeps = wants_data(tracker, command);

	if (!command->in_capsule || at > UINT32_MAX || (keeps && !message->coverage.bytes))
		return;
	begin += at;
	if (!coverage_copy(&command->carried, &message->coverage, begin, begin + command->in_capsule, 0 - begin, keeps ? COVERAGE_BYTES : COVERAGE_ONLY))
		tracker->counters.evictions++;
	command->in_capsule_seen = (uint32_t)command->carried.total;
	request_charge(&tracker->budget, &command->command.request, coverage_memory(&command->carried), before);
}

/* A command in these bytes of the SEND; `inside`: those that follow in the capsule. NULL: out of memory, which is counted. */
static struct nvme_command *begin_command(struct upper_work *work, struct nvme_queue *queue, const uint8_t *bytes, uint8_t captured, struct rtap_span inside)
{
	struct nvme_command *command = (struct nvme_command *)command_begin(work, little_bits(bytes, NVME_CID));
	struct nvme_piece pieces[NVME_MOST_PIECES];
	uint32_t count;
	uint64_t length;

	if (!command)
		return NULL;
	command->captured = captured;
	memcpy(command->bytes, bytes, command->captured);
	command->code = nvme_code(command->bytes, queue->kind);
	if (command->code == NVME_CODE(NVME_SPACE_ADMIN, NVME_ASYNC_EVENT))
		command->command.request.entry.give_up = NULL; /* it waits for as long as there is no event */
	count = nvme_memory_read(command->bytes, inside, pieces, &length, &command->is_partial);
	command->data_length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
	if (little_bits(bytes, NVME_SGL_TYPE) == NVME_SGL_DATA && little_bits(bytes, NVME_SGL_SUBTYPE) == NVME_SGL_IS_OFFSET)
		command->in_capsule = command->data_length;
	if (command->in_capsule > queue->in_capsule && queue->kind == NVME_SPACE_IO && NVME_CODE_SPACE(command->code) != NVME_SPACE_FABRICS)
		queue->in_capsule = command->in_capsule;
	learn_block_size(work->tracker, command);
	request_operation(work->tracker, &command->command.request, work->message, sizeof(struct nvme_operation));
	name_memory(work, command, pieces, count);
	return command;
}

/* The command at the begin of a SEND of which packets are missing. NULL: none that is not known yet. */
static const uint8_t *front_of(const struct message *message)
{
	const uint8_t *bytes = command_front(message, NVME_COMMAND_LENGTH);

	return bytes && nvme_is_command(bytes) ? bytes : NULL;
}

static bool has_front(const struct message *message, uint64_t id)
{
	const uint8_t *bytes = front_of(message);

	return bytes && little_bits(bytes, NVME_CID) == id;
}

/* A Connect of which later packets are missing. */
static void learn_front_of_connect(struct rtap_tracker *tracker, struct nvme_queue *queue, const uint8_t *bytes, struct rtap_span inside)
{
	uint64_t at = little_bits(bytes, NVME_SGL_ADDRESS);

	learn_queue(queue, bytes + NVME_COMMON_LENGTH);
	if (little_bits(bytes, NVME_SGL_TYPE) == NVME_SGL_DATA && little_bits(bytes, NVME_SGL_SUBTYPE) == NVME_SGL_IS_OFFSET && at < inside.length)
		nvme_learn_connect(tracker, queue, (struct rtap_span){ inside.bytes + at, inside.length - (uint32_t)at });
}

static void take_front(struct rtap_tracker *tracker, struct nvme_queue *queue, struct message *message, struct message *response)
{
	struct upper_work work = command_work(tracker, message, response);
	const struct coverage_run *run = coverage_runs(&message->coverage);
	const uint8_t *bytes = front_of(message);
	struct rtap_span inside = { bytes + NVME_COMMAND_LENGTH, (uint32_t)(run->end - run->begin - NVME_COMMAND_LENGTH) };
	struct nvme_command *command;

	if (bytes[0] != NVME_FABRICS)
		nvme_queue_guess(queue, bytes[0]);
	else if (bytes[4] == NVME_CONNECT)
		learn_front_of_connect(tracker, queue, bytes, inside);
	command = begin_command(&work, queue, bytes, NVME_COMMAND_LENGTH, inside);
	command_opened(&work);
	if (command)
		carry_present(&work, &command->command);
}

/* A SEND is settled of which packets are missing. */
static void take_incomplete(struct rtap_tracker *tracker, struct message *message)
{
	struct upper_work work = command_work(tracker, message, NULL);
	struct nvme_queue *queue;

	if (command_add_packets(&work, carry_present) || !front_of(message))
		return;
	queue = command_state_make(tracker, message->connection, &commands);
	if (queue)
		take_front(tracker, queue, message, NULL);
}

static void take_command(struct upper_work *work, struct nvme_queue *queue)
{
	struct rtap_packet *packet = work->packet;
	const struct rtap_layer *layer = nvme_layer_of(packet, PROTOCOL_NVME_COMMAND);
	const struct rtap_layer *fabrics = nvme_layer_of(packet, PROTOCOL_NVME_FABRICS);
	struct nvme_command *command;
	struct packet_request known;
	const uint8_t *bytes;
	uint32_t captured;

	layer = fabrics ? fabrics : layer;
	if (!layer || layer->length < NVME_COMMON_LENGTH)
		return;
	bytes = layer_bytes(packet, layer);
	if (fabrics)
		learn_connect(work, queue);
	else
		nvme_queue_guess(queue, bytes[0]);
	known = known_of(queue);
	show(work, &known);
	if (work->message && work->result->completed == work->message && command_add_packets(work, carry_present))
		return;
	if (!upper_is_new(work))
		return;
	/* the packet may have been dissected again */
	layer = nvme_layer_of(packet, fabrics ? PROTOCOL_NVME_FABRICS : PROTOCOL_NVME_COMMAND);
	if (!layer || layer->length < NVME_COMMON_LENGTH)
		return;
	bytes = layer_bytes(packet, layer);
	captured = layer + 1 < packet->layers + packet->layer_count && layer[1].source == layer->source &&
				   layer[1].offset == layer->offset + NVME_COMMON_LENGTH ? layer[1].length : 0;
	command = begin_command(work, queue, bytes, (uint8_t)(NVME_COMMON_LENGTH + (captured < NVME_PART_LENGTH ? captured : NVME_PART_LENGTH)),
				inside_of(packet, layer + 1));
	if (command)
		keep_carried(work, command, layer + 1);
}

/* Learns from a successful command about the queue and its namespaces. */
static void learn_result(struct upper_work *work, struct nvme_queue *queue, const struct nvme_command *command)
{
	const struct request *request = &command->command.request;
	const struct region *region = request->region_count ? &request->regions[0] : NULL;
	const struct coverage_run *run = region ? coverage_runs(&region->data) : NULL;
	const uint8_t *data = run && run->begin == 0 ? coverage_bytes(&region->data, run) : NULL;

	if (NVME_STATUS_CODE(command->status))
		return;
	if (command->code == NVME_CODE(NVME_SPACE_FABRICS, NVME_CONNECT)) {
		if (data)
			nvme_learn_connect(work->tracker, queue, (struct rtap_span){ data, run->end < NVME_CONNECT_LENGTH ? (uint32_t)run->end : NVME_CONNECT_LENGTH });
		queue->has_controller = true;
		queue->controller = (uint16_t)command->result;
	} else if (nvme_is_identify_namespace(command->code, command->bytes) && data && run->end >= NVME_IDENTIFY_LENGTH) {
		nvme_learn_namespace(work->tracker, request, nsid_of(command), data);
	} else if (nvme_is_identify_zones(command->code, command->bytes) && data && run->end >= NVME_IDENTIFY_LENGTH) {
		nvme_learn_zones(work->tracker, request, nsid_of(command), data);
	} else if (nvme_is_identify_controller(command->code, command->bytes) && data && run->end >= NVME_IDENTIFY_LENGTH) {
		nvme_learn_controller(queue, data);
	}
}

static void take_response(struct upper_work *work, struct nvme_queue *queue, const uint8_t *bytes)
{
	uint64_t id = little_bits(bytes, NVME_RESPONSE_CID);
	struct packet_request known;
	struct message *unfinished = upper_is_new(work) ? command_unfinished(work, id, has_front) : NULL;
	struct command *generic;
	struct nvme_command *command;
	uint16_t status = (uint16_t)little_bits(bytes, NVME_STATUS);
	uint64_t result = little_bits(bytes, 0, 64);

	if (!queue->has_id && little_bits(bytes, NVME_SQID))
		nvme_queue_number(queue, (uint16_t)little_bits(bytes, NVME_SQID));
	known = known_of(queue);
	if (unfinished)
		take_front(work->tracker, queue, unfinished, work->message);
	generic = command_of_response(work, id);
	if (generic && generic->request.is_seen) {
		name_again(work->tracker, nvme_of(generic));
		know_command(&known, nvme_of(generic));
	}
	show(work, &known);
	if (!upper_is_new(work))
		return;
	command = (struct nvme_command *)command_answered(work, id);
	if (!command)
		return;
	command->has_status = true;
	command->status = status;
	command->command.request.has_failed = NVME_STATUS_CODE(status);
	command->result = result;
	if (command->command.request.is_seen)
		learn_result(work, queue, command);
	else
		show_alone(work, command);
}

/* Processes the data of a command. The packet that completes it shows it, if it has a structure. */
static bool take_data(struct upper_work *work)
{
	const struct region *region = work->message->region;
	const struct nvme_command *command = (const struct nvme_command *)region->request;
	const struct nvme_queue *queue = work->connection->upper_state;
	uint16_t protocol = structure_of(command);
	const struct coverage_run *run;

	region_take_data(work->tracker, work->message, work->result);
	run = coverage_runs(&region->data);
	if (!queue || protocol == PROTOCOL_PAYLOAD || command->pieces || !region->keep_bytes || region->data.count != 1 ||
	    run->begin || run->end != region->end - region->begin)
		return false;
	work->context->upper = RTAP_UPPER_NVME;
	work->context->chunk = (struct rtap_span){ coverage_bytes(&region->data, run), (uint32_t)run->end };
	work->context->chunk_protocol = protocol;
	work->context->request = known_of(queue);
	know_command(&work->context->request, command);
	return true;
}

/* A READ or WRITE of iWARP. */
static bool take_placed(struct upper_work *work)
{
	if (!take_data(work) || !work->keep(work, &work->context->chunk))
		return false;
	work->dissect(work);
	return true;
}

/* A response is one packet: also the last packet of a command can have its length. */
static bool is_response_packet(const struct rtap_packet *packet, bool is_iwarp)
{
	return packet->payload.wire == NVME_RESPONSE_LENGTH && (is_iwarp || ib_opcodes[packet->ib.opcode].place == IB_ONLY);
}

static bool take_packet(struct upper_work *work)
{
	const struct rtap_payload *payload = &work->packet->payload;
	const struct message *message = work->message;
	uint8_t response[NVME_RESPONSE_LENGTH];
	struct nvme_queue *queue;
	bool is_response;

	if (message && message->region) {
		if (take_data(work))
			work->dissect(work);
		return true;
	}
	if (work->packet->upper != RTAP_UPPER_NVME && !work->is_known)
		return false;
	if (message && message->shown.verb != RTAP_VERB_SEND)
		return false;
	is_response = is_response_packet(work->packet, work->fpdu);
	if (is_response && payload->captured < NVME_RESPONSE_LENGTH)
		return false;
	queue = command_state_make(work->tracker, work->connection, &commands);
	if (!queue)
		return false;
	if (is_response) {
		memcpy(response, work->packet->sources[payload->source].bytes + payload->offset, sizeof response);
		take_response(work, queue, response);
		return true;
	}
	if (work->packet->upper != RTAP_UPPER_NVME) {
		const struct packet_request known = known_of(queue);

		show(work, &known);
	}
	take_command(work, queue);
	return true;
}

/* A capsule is shown before the commands get it: its queue may be known. */
static void show_ahead(struct upper_work *work)
{
	const struct nvme_queue *queue = work->connection->layer ? work->connection->upper_state : NULL;
	struct packet_request known;

	if (!queue || !queue->has_id || work->packet->upper != RTAP_UPPER_NVME || is_response_packet(work->packet, true))
		return;
	known = known_of(queue);
	show(work, &known);
}

/* A response that has the identifier of a waiting command, and the key of its memory or all that a response must have. Base, 3.3.3.2. */
static bool answers(const struct connection *connection, const struct rtap_packet *packet)
{
	const struct nvme_queue *queue = connection->upper_state;
	const struct rtap_payload *payload = &packet->payload;
	const uint8_t *bytes = packet->sources[payload->source].bytes + payload->offset;
	const struct nvme_command *command;
	uint16_t status;

	if (!queue || !is_response_packet(packet, false) || payload->captured < NVME_RESPONSE_LENGTH)
		return false;
	command = (const struct nvme_command *)command_find(connection, connection->flows[1], little_bits(bytes, NVME_RESPONSE_CID));
	if (!command || !command->command.request.is_seen || command->command.request.is_answered)
		return false;
	if (packet->ib.has_ieth)
		return little_bits(command->bytes, NVME_SGL_TYPE) == NVME_SGL_KEYED && little_bits(command->bytes, NVME_SGL_KEY) == packet->ib.invalidated_r_key;
	status = (uint16_t)little_bits(bytes, NVME_STATUS);
	return (little_bits(bytes, NVME_RESPONSE_CID) || little_bits(bytes, NVME_SQHD)) && !little_bits(bytes, NVME_PHASE) &&
	       (!queue->has_id || little_bits(bytes, NVME_SQID) == queue->id) &&
	       (NVME_STATUS_CODE(status) ? nvme_status_name(command->code, status) != NULL : !status);
}

static const uint16_t ports[] = { NVME_PORT, NVME_PORT_DISCOVERY, 0 };

const struct upper_layer nvme_layer = {
	.name = "nvme",
	.init = nvme_state_init,
	.ports = ports,
	.carried = RTAP_UPPER_NVME,
	.packet = take_packet,
	.answers = answers,
	.read = take_placed,
	.ahead = show_ahead,
	.memory = &request_memory,
	.response_settled = command_settled,
	.incomplete = take_incomplete,
	.detach = command_detach,
	.merged = command_merged,
	.end = command_end,
	.over = command_over,
	.fini = nvme_state_fini,
};
