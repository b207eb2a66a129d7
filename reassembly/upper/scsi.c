/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/scsi/scsi_data.h"
#include "reassembly/block_effect.h"
#include "reassembly/missing_list.h"
#include "reassembly/operation.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/scsi.h"
#include "reassembly/upper/scsi_copy.h"
#include "reassembly/upper/scsi_memory.h"

#define TAG_TEXT 20
#define NAME_TEXT 24
#define STATUS_TEXT 128
#define OBJECT_TEXT 64         /* longer ones are on the heap */
#define CAPACITY_10_LENGTH 8
#define CAPACITY_16_LENGTH 12  /* bytes needed */
#define UNMAP_HEADER 8
#define UNMAP_LENGTH 16

struct scsi_operation {
	struct operation head;
	char id[TAG_TEXT], name[NAME_TEXT], status[STATUS_TEXT], object[OBJECT_TEXT];
};

static struct scsi_request *scsi_of(struct command *command)
{
	return (struct scsi_request *)command;
}

static void show_status(struct scsi_operation *operation, const struct scsi_request *request)
{
	struct rtap_operation *shown = &operation->head.shown;
	const char *name = rtap_name_of(scsi_status_names, request->status);
	const char *key = request->sense.has_key ? rtap_name_of(scsi_sense_key_names, request->sense.key) : NULL;
	const char *code = request->sense.has_code ? rtap_name_of(scsi_additional_names, request->sense.code) : NULL;

	shown->has_status = request->has_status || request->rejected;
	if (!request->has_status) {
		shown->status = request->rejected ? operation->status : NULL;
		snprintf(operation->status, STATUS_TEXT, "rejected: %s", request->rejected ? request->rejected : "");
		return;
	}
	if (request->is_other) {
		shown->ok = request->is_good;
		shown->status = request->result ? request->result : operation->status;
		if (!request->result)
			snprintf(operation->status, STATUS_TEXT, "response 0x%02x", request->status);
		return;
	}
	shown->ok = request->status == SCSI_GOOD;
	shown->status = name ? name : operation->status;
	if (!name)
		snprintf(operation->status, STATUS_TEXT, "status 0x%02x", request->status);
	if (!key)
		return;
	shown->status = operation->status;
	if (code)
		snprintf(operation->status, STATUS_TEXT, "%s: %s", key, code);
	else if (request->sense.has_code)
		snprintf(operation->status, STATUS_TEXT, "%s: code 0x%04x", key, request->sense.code);
	else
		snprintf(operation->status, STATUS_TEXT, "%s", key);
}

static void show_command(struct scsi_operation *operation, const struct scsi_request *request)
{
	struct rtap_operation *shown = &operation->head.shown;
	struct line line;

	shown->layer = scsi_session_of(request)->layer;
	if (!request->cdb.name)
		snprintf(operation->name, NAME_TEXT, "opcode 0x%02x", request->cdb.opcode);
	shown->name = request->cdb.name ? request->cdb.name : operation->name;
	line_init(&line, operation->id, TAG_TEXT - 1);
	line_hex(&line, request->command.id, 1);
	*line.next = '\0';
	shown->id = operation->id;
}

static void show_object(struct scsi_operation *operation, const struct scsi_request *request)
{
	char address[SCSI_TARGET_TEXT];
	const char *target = scsi_target(scsi_session_of(request), &request->command.request, address);
	size_t size = strlen(target) + NAME_TEXT;
	struct line line;
	char *text;

	text = operation_object_room(&operation->head, operation->object, OBJECT_TEXT, size);
	if (!text)
		return;
	line_init(&line, text, size - 1);
	line_text(&line, target);
	if (!request->is_other || request->has_lun) {
		line_char(&line, '/');
		line_dec(&line, request->lun);
	}
	*line.next = '\0';
}

/* Flags for statistics and findings: enum rtap_operation_flag. Status: SAM-5, 5.3.1; sense keys: SPC-5, 4.4.8. */
static uint8_t flags_of(const struct scsi_request *request)
{
	const struct scsi_sense *sense = &request->sense;
	uint8_t flags = request->cdb.has_blocks || request->cdb.effect != SCSI_NONE ? RTAP_OPERATION_ON_DEVICE : 0;

	if (request->is_other)
		return request->other_flags;
	if (request->cdb.effect == SCSI_WRITES && !request->carried_length && request->length && request->length <= scsi_session_of(request)->most_carried)
		flags |= RTAP_OPERATION_COULD_BE_INLINE;
	if (!request->has_status || request->status == SCSI_GOOD)
		return flags;
	if (request->status == SCSI_TASK_ABORTED || (sense->has_key && sense->key == SCSI_ABORTED_COMMAND))
		flags |= RTAP_OPERATION_ABORTED;
	if (sense->has_key && (sense->key == SCSI_MEDIUM_ERROR || sense->key == SCSI_HARDWARE_ERROR))
		flags |= RTAP_OPERATION_DEVICE_ERROR;
	return flags;
}

/* Missing parts of the data in further SENDs. Without the last of these SENDs, the position of the remaining data is unknown. */
static void show_unsolicited(struct rtap_tracker *tracker, struct scsi_operation *operation, const struct scsi_request *request)
{
	struct missing_list list = { .reason = RTAP_MISSING_NOT_CAPTURED };
	const struct coverage none = { 0 };

	missing_list_add_holes(&list, &request->carried, &none, 0, request->awaits_last ? request->out_length : request->carried_length);
	tracker->counters.evictions += list.failed;
	operation->head.shown.complete &= !list.count && !list.failed;
	operation_add_missing(tracker, &operation->head, list.items, list.count, RTAP_OPERATION_PART_REQUEST);
	free(list.items);
}

/* Without the tables all data is unknown. */
static void show_without_tables(struct rtap_tracker *tracker, struct scsi_operation *operation, const struct scsi_request *request)
{
	const struct rtap_missing all = { .length = request->length, .length_known = true, .reason = RTAP_MISSING_NOT_CAPTURED };
	bool is_out = request->piece_count && request->pieces[0].is_out;

	operation->head.shown.carried = RTAP_CARRIED_NONE;
	operation->head.shown.data_bytes = 0;
	if (!request->has_status || request->status != SCSI_GOOD)
		return;
	operation->head.shown.complete = false;
	operation_add_missing(tracker, &operation->head, &all, 1, is_out ? RTAP_OPERATION_PART_READ : RTAP_OPERATION_PART_WRITE);
}

static void conclude(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	struct scsi_request *request = scsi_of(generic);
	struct scsi_operation *operation = (struct scsi_operation *)generic->request.message->operation;
	struct rtap_operation *shown = &operation->head.shown;
	uint32_t size = scsi_block_size(scsi_session_of(request), request->lun);

	(void)response;
	show_command(operation, request);
	show_status(operation, request);
	show_object(operation, request);
	if (request->carried_length) {
		shown->data_bytes += request->carried_is_whole ? request->carried_length : request->carried.total;
		shown->carried = shown->carried ? RTAP_CARRIED_MIXED : RTAP_CARRIED_INLINE;
	}
	if (request->has_unsolicited)
		show_unsolicited(tracker, operation, request);
	if (request->awaits_tables)
		show_without_tables(tracker, operation, request);
	shown->flags = flags_of(request);
	shown->has_controller = scsi_session_of(request)->has_nexus;
	shown->controller = scsi_session_of(request)->nexus;
	shown->has_queue = scsi_session_of(request)->has_cid;
	shown->queue = scsi_session_of(request)->cid;
	if (!request->is_other)
		operation_add_number(&operation->head, "opcode", request->cdb.opcode);
	operation_add_number(&operation->head, "queue_depth", generic->depth);
	if (!request->cdb.has_blocks)
		return;
	operation_add_number(&operation->head, "lba", request->cdb.lba);
	operation_add_number(&operation->head, "blocks", request->cdb.blocks);
	if (!size || request->cdb.lba > UINT64_MAX / size)
		return;
	shown->has_offset = shown->has_length = true;
	shown->offset = request->cdb.lba * size;
	shown->length = (uint64_t)request->cdb.blocks * size;
}

/* The data of one direction in one piece, from its regions. */
static void join(struct rtap_tracker *tracker, const struct scsi_request *request, bool is_out, struct coverage *joined, struct coverage *cut)
{
	uint64_t at = !is_out ? 0 : request->awaits_last ? request->out_length : request->carried_length;
	bool good = !is_out || coverage_copy(joined, &request->carried, 0, at, 0, COVERAGE_BYTES);

	for (uint32_t i = 0; i < request->piece_count && good && !request->awaits_tables; i++) {
		const struct scsi_piece *piece = &request->pieces[i];
		const struct region_name range = { .begin = piece->address, .end = piece->address + piece->length, .key = piece->key, .is_read = is_out };

		if (piece->is_out != is_out)
			continue;
		good = command_copy_data(&request->command, &range, at, joined, cut);
		at += piece->length;
	}
	if (!good)
		tracker->counters.evictions++;
}

/* READ CAPACITY: SBC-4, 5.20 and 5.21. */
static void learn_capacity(struct rtap_tracker *tracker, struct scsi_request *request)
{
	bool is_long = request->cdb.opcode == SCSI_SERVICE_IN_16;
	struct coverage data = { 0 }, cut = { 0 };
	const uint8_t *bytes;
	uint64_t length;

	join(tracker, request, false, &data, &cut);
	bytes = coverage_first_bytes(&data, &length);
	if (bytes && length >= (is_long ? CAPACITY_16_LENGTH : CAPACITY_10_LENGTH))
		scsi_note_block_size(scsi_session_of(request), request->lun, load32(bytes + (is_long ? 8 : 4)), true);
	coverage_fini(&data);
	coverage_fini(&cut);
}

#define DEVICE_IDENTIFICATION 0x83 /* VPD page */

/* INQUIRY: the designators of the unit. SPC-5, 7.7.6. */
static void learn_designators(struct rtap_tracker *tracker, const struct scsi_request *request)
{
	struct coverage data = { 0 }, cut = { 0 };
	char address[SCSI_TARGET_TEXT];
	const uint8_t *bytes;
	uint64_t length;

	join(tracker, request, false, &data, &cut);
	bytes = coverage_first_bytes(&data, &length);
	if (bytes && length > 1 && bytes[1] == DEVICE_IDENTIFICATION)
		scsi_units_learn(scsi_session_of(request)->units, tracker, scsi_target(scsi_session_of(request), &request->command.request, address),
				 request->lun, bytes, length);
	coverage_fini(&data);
	coverage_fini(&cut);
}

/* Whether a command that was not successful may have changed blocks. SAM-5, 5.3.1; SPC-5, 4.4.8. */
static bool may_have_begun(const struct scsi_request *request)
{
	static const uint16_t refused = 1u << 2 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 0xe; /* sense keys */

	if (!request->has_status || request->status == SCSI_TASK_ABORTED)
		return true;
	return request->status == SCSI_CHECK_CONDITION && !(request->sense.has_key && refused >> request->sense.key & 1);
}

static void give(struct rtap_tracker *tracker, struct block_effect *effect, enum block_effect_kind kind)
{
	effect->kind = kind;
	tracker->take_effect(tracker->effect_owner, effect);
}

/* UNMAP's parameter list: SBC-4, 5.36.2. What of it was not captured can name any blocks. */
static void unmap(struct rtap_tracker *tracker, struct block_effect *effect, const struct coverage *data, uint32_t size)
{
	uint64_t length = 0;
	const uint8_t *bytes = coverage_first_bytes(data, &length);

	for (uint64_t at = UNMAP_HEADER; bytes && at + UNMAP_LENGTH <= length; at += UNMAP_LENGTH) {
		uint64_t lba = load64(bytes + at);

		if (lba > UINT64_MAX / size)
			continue;
		effect->offset = lba * size;
		effect->length = (uint64_t)load32(bytes + at + 8) * size;
		if (effect->length)
			give(tracker, effect, BLOCK_ZEROED);
	}
	if (bytes && length >= UNMAP_HEADER && length >= UNMAP_HEADER + (uint64_t)load16(bytes + 2))
		return;
	effect->offset = effect->length = 0;
	effect->to_end = true;
	give(tracker, effect, BLOCK_SPOILED);
}

/* WRITE SAME: the data is one block, which is written to all. */
static void fill(struct rtap_tracker *tracker, const struct scsi_request *request, struct block_effect *effect,
		 const struct coverage *data, uint32_t size)
{
	uint64_t length;
	const uint8_t *bytes = coverage_first_bytes(data, &length);
	uint8_t any = 0;

	for (uint32_t i = 0; bytes && i < size && i < length; i++)
		any |= bytes[i];
	/* Without data: zeros. With the UNMAP bit, other data is written, or the blocks have any contents: SBC-4, 4.7.3.4. */
	if (!request->length || (bytes && length >= size && !any)) {
		give(tracker, effect, BLOCK_ZEROED);
		return;
	}
	if (request->cdb.is_unmapped) {
		give(tracker, effect, BLOCK_SPOILED);
		return;
	}
	effect->data = data;
	effect->period = size;
	give(tracker, effect, BLOCK_REPEATED);
}

/* Copies: where they write is in their data, whether they succeeded or not. */
static void copy(struct rtap_tracker *tracker, const struct scsi_request *request, struct block_effect *effect,
		 const struct coverage *data, uint32_t size)
{
	uint64_t length;
	const uint8_t *bytes = coverage_first_bytes(data, &length);

	effect->data = effect->cut = NULL;
	if (request->cdb.effect == SCSI_COPIES)
		scsi_copy_extended(tracker, &(struct scsi_copy){
			.bytes = bytes, .length = length, .is_long = request->cdb.action == SCSI_COPY_LID4, .units = scsi_session_of(request)->units,
			.is_good = request->has_status && request->status == SCSI_GOOD,
		}, effect);
	else
		scsi_copy_token(tracker, bytes, length, size, effect);
}

static void report_effect(struct rtap_tracker *tracker, const struct scsi_request *request, struct block_effect *effect, uint32_t size)
{
	bool is_out = request->cdb.effect != SCSI_READS, moves_blocks = !is_out || request->cdb.effect == SCSI_WRITES;
	struct coverage data = { 0 }, cut = { 0 }, half = { 0 };

	join(tracker, request, is_out, &data, &cut);
	/* data that is longer has protection information among it: SBC-4, 4.21 */
	if (!moves_blocks || request->command.request.has_moved || request->length <= effect->length) {
		effect->data = &data;
		effect->cut = &cut;
	}
	switch (request->cdb.effect) {
	case SCSI_READS: give(tracker, effect, BLOCK_READ); break;
	case SCSI_WRITES: give(tracker, effect, BLOCK_WRITTEN); break;
	case SCSI_COMPARES_AND_WRITES: /* the data to compare precedes the data to write */
		if (!coverage_copy(&half, &data, effect->length, 2 * effect->length, (uint64_t)0 - effect->length, COVERAGE_BYTES))
			tracker->counters.evictions++;
		effect->data = &half;
		effect->cut = NULL;
		give(tracker, effect, BLOCK_WRITTEN);
		break;
	case SCSI_SAME:
		effect->data = effect->cut = NULL;
		fill(tracker, request, effect, &data, size);
		break;
	case SCSI_CHANGES: case SCSI_CHANGES_ALL:
		give(tracker, effect, BLOCK_SPOILED);
		break;
	case SCSI_UNMAPS:
		effect->data = effect->cut = NULL;
		if (size)
			unmap(tracker, effect, &data, size);
		break;
	case SCSI_COPIES: case SCSI_PASTES: copy(tracker, request, effect, &data, size); break;
	}
	coverage_fini(&data);
	coverage_fini(&cut);
	coverage_fini(&half);
}

static void ended(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	struct scsi_request *request = scsi_of(generic);
	struct block_effect effect = { .unit = request->lun, .request_frame = generic->request.first_frame, .time_ns = generic->request.time_ns };
	uint32_t size = scsi_block_size(scsi_session_of(request), request->lun);
	bool is_good = request->has_status && request->status == SCSI_GOOD;
	char address[SCSI_TARGET_TEXT];

	if (!generic->request.is_seen)
		return;
	if (is_good && scsi_reads_capacity(&request->cdb))
		learn_capacity(tracker, request);
	if (is_good && request->structures[false] == PROTOCOL_SCSI_VPD && tracker->take_effect)
		learn_designators(tracker, request);
	if (!tracker->take_effect || request->cdb.effect == SCSI_NONE || (request->cdb.effect < SCSI_UNMAPS && !request->cdb.has_blocks) ||
	    (request->cdb.has_blocks && !request->cdb.blocks && request->cdb.effect != SCSI_SAME))
		return;
	effect.target = scsi_target(scsi_session_of(request), &request->command.request, address);
	effect.address = address;
	effect.is_nameless = effect.target == address;
	effect.response_frame = response ? response->shown.first_frame : generic->request.first_frame;
	if (size && request->cdb.lba <= UINT64_MAX / size) {
		effect.offset = request->cdb.lba * size;
		effect.length = (uint64_t)request->cdb.blocks * size;
	}
	/* WRITE SAME with a number of 0 blocks extends to the end: SBC-4, 5.45 */
	if (request->cdb.effect == SCSI_CHANGES_ALL || (request->cdb.effect == SCSI_SAME && !request->cdb.blocks && size))
		effect.to_end = true;
	if (is_good || (request->cdb.effect >= SCSI_COPIES && may_have_begun(request)))
		report_effect(tracker, request, &effect, size);
	else if (request->cdb.effect != SCSI_READS && request->cdb.effect != SCSI_UNMAPS && request->cdb.effect < SCSI_COPIES && may_have_begun(request))
		give(tracker, &effect, BLOCK_SPOILED);
}

static void release(struct rtap_tracker *tracker, struct command *generic)
{
	(void)tracker;
	scsi_session_of(scsi_of(generic))->open_tables -= scsi_of(generic)->awaits_tables;
	coverage_fini(&scsi_of(generic)->carried);
	coverage_fini(&scsi_of(generic)->gathered);
	if (scsi_of(generic)->pieces != scsi_of(generic)->few)
		free(scsi_of(generic)->pieces);
}

static void learn(void *to, const void *from)
{
	struct scsi_session *session = to;
	const struct scsi_session *other = from;

	session->layer = other->layer;
	session->units = other->units;
	if (!*session->target)
		memcpy(session->target, other->target, sizeof session->target);
	if (!session->has_nexus && other->has_nexus) {
		session->has_nexus = true;
		session->nexus = other->nexus;
		session->has_cid = other->has_cid;
		session->cid = other->cid;
	}
	for (uint32_t i = 0; i < other->lun_count; i++)
		scsi_note_block_size(session, other->luns[i].lun, other->luns[i].block_size, other->luns[i].is_sure);
}

static void answered(struct command *to, const struct command *from)
{
	const struct scsi_request *alone = (const struct scsi_request *)from;
	struct scsi_request *request = scsi_of(to);

	if (request->is_other != alone->is_other)
		return;
	request->has_status = alone->has_status;
	request->status = alone->status;
	request->sense = alone->sense;
	request->is_good = alone->is_good;
	request->result = alone->result;
}

static const struct command_layer layer = {
	.size = sizeof(struct scsi_request), .state_size = sizeof(struct scsi_session), .conclude = conclude, .answered = answered, .ended = ended,
	.release = release, .learn = learn,
};

struct scsi_session *scsi_session_make(struct rtap_tracker *tracker, struct connection *connection, const char *name, struct scsi_units *units)
{
	struct scsi_session *session = command_state_make(tracker, connection, &layer);

	if (session) {
		session->layer = name;
		session->units = units;
	}
	return session;
}

/* The size of a block by the length of the data: of all blocks, of these twice, or of one. */
static void guess_block_size(const struct scsi_request *request)
{
	const struct scsi_command *cdb = &request->cdb;
	uint64_t blocks = cdb->effect == SCSI_READS || cdb->effect == SCSI_WRITES ? cdb->blocks :
			  cdb->effect == SCSI_COMPARES_AND_WRITES ? (uint64_t)cdb->blocks * 2 : cdb->effect == SCSI_SAME ? 1 : 0;

	if (blocks && request->length && request->length % blocks == 0 && request->length / blocks <= UINT32_MAX)
		scsi_note_block_size(scsi_session_of(request), request->lun, (uint32_t)(request->length / blocks), false);
}

void scsi_take_command(struct upper_work *work, const struct scsi_command_unit *sent)
{
	struct scsi_request *request = (struct scsi_request *)command_begin(work, sent->tag);

	if (!request)
		return;
	scsi_read_command(sent->cdb, sent->cdb_length, &request->cdb);
	request->lun = sent->lun;
	request->carried_length = request->length = sent->carried_length;
	request->carried_is_whole = sent->carried.length == sent->carried_length && !sent->has_unsolicited;
	if (sent->carried_length > scsi_session_of(request)->most_carried)
		scsi_session_of(request)->most_carried = sent->carried_length;
	request->length += sent->length;
	for (uint32_t i = 0; i < sent->piece_count && !sent->length; i++)
		request->length += sent->pieces[i].length;
	request->awaits_tables = sent->has_tables;
	scsi_session_of(request)->open_tables += sent->has_tables;
	for (int is_out = 0; is_out < 2; is_out++)
		request->structures[is_out] = request->length <= SCSI_MOST_STRUCTURED ? scsi_data_protocol(sent->cdb, sent->cdb_length, is_out) : PROTOCOL_PAYLOAD;
	if (request->cdb.has_blocks && request->cdb.blocks)
		guess_block_size(request);
	request_operation(work->tracker, &request->command.request, work->message, sizeof(struct scsi_operation));
	if (sent->has_unsolicited)
		scsi_memory_keep(request, sent);
	else
		scsi_memory_name(work, request, sent);
	scsi_memory_carry(work, request, 0, sent->carried);
}

void scsi_take_other(struct upper_work *work, uint64_t tag, const char *name, const uint64_t *lun, uint8_t flags)
{
	struct scsi_request *request = (struct scsi_request *)command_begin(work, tag);

	if (!request)
		return;
	request->is_other = true;
	request->other_flags = flags;
	request->structures[0] = request->structures[1] = PROTOCOL_PAYLOAD;
	request->cdb = (struct scsi_command){ .name = name };
	request->has_lun = lun;
	request->lun = lun ? *lun : 0;
	request_operation(work->tracker, &request->command.request, work->message, sizeof(struct scsi_operation));
	if (!command_name(work, &request->command, NULL, 0))
		work->tracker->counters.evictions++;
}

/* Whether data of one direction, complete up to `length`, continues in the next piece of memory, or is incomplete data out. */
static bool continues(const struct scsi_request *request, bool is_out, uint64_t length)
{
	uint64_t end = is_out ? request->carried_length : 0;
	bool at_boundary = false;

	for (uint32_t i = 0; i < request->piece_count; i++) {
		if (request->pieces[i].is_out != is_out)
			continue;
		end += request->pieces[i].length;
		at_boundary |= end == length;
	}
	return length < end && (is_out || at_boundary);
}

/*
 * A target can send less data than the initiator's buffers hold, and fills one piece of memory after another: data-in is shown as
 * far as it is present from the first byte. Data-out is shown when it is complete.
 */
bool scsi_take_data(struct upper_work *work)
{
	struct scsi_request *request = (struct scsi_request *)work->message->region->request;
	bool is_out = work->message->region->is_read, is_last;
	struct coverage cut = { 0 };
	uint64_t length, before = coverage_memory(&request->gathered);
	const uint8_t *bytes;

	if (request->awaits_base && is_out && !scsi_memory_find_base(work, request))
		return false;
	is_last = region_take_data(work->tracker, work->message, work->result);
	if (request->awaits_tables) {
		if (is_last)
			scsi_memory_take_table(work, request);
		return false;
	}
	if (request->structures[is_out] == PROTOCOL_PAYLOAD)
		return false;
	coverage_fini(&request->gathered);
	request->gathered = (struct coverage){ 0 };
	join(work->tracker, request, is_out, &request->gathered, &cut);
	coverage_fini(&cut);
	request_charge(&work->tracker->budget, &request->command.request, coverage_memory(&request->gathered), before);
	bytes = coverage_first_bytes(&request->gathered, &length);
	if (!bytes || length <= request->shown_length || continues(request, is_out, length))
		return false;
	request->shown_length = length;
	work->context->upper = work->connection->layer->carried;
	work->context->chunk = (struct rtap_span){ bytes, (uint32_t)length };
	work->context->chunk_protocol = request->structures[is_out];
	work->context->request = (struct packet_request){ .is_known = true, .frame = request->command.request.first_frame,
							  .time_ns = request->command.request.time_ns };
	return true;
}

/* A response whose command was not captured. */
static void show_alone(struct upper_work *work, const struct scsi_request *request)
{
	struct scsi_operation *operation = command_operation_alone(work, sizeof *operation);

	if (!operation)
		return;
	show_command(operation, request);
	operation->head.shown.name = "unknown command";
	show_status(operation, request);
}

/* How much of the memory must have been read and written: all but the residual counts. */
static void take_residuals(struct scsi_request *request, const struct scsi_response_unit *unit)
{
	uint64_t unused[2] = { unit->unused_in, unit->unused_out };
	struct request *base = &request->command.request;

	if (!unused[0] && !unused[1])
		return;
	for (uint32_t i = 0; i < request->piece_count; i++)
		base->moved[request->pieces[i].is_out] += request->pieces[i].length;
	if (unit->is_either && !base->moved[true] && !request->carried_length)
		unused[0] = unit->unused_out;
	for (int is_out = 0; is_out < 2; is_out++)
		base->moved[is_out] -= unused[is_out] < base->moved[is_out] ? unused[is_out] : base->moved[is_out];
	base->has_moved = true;
}

void scsi_take_response(struct upper_work *work, const struct scsi_response_unit *unit)
{
	struct scsi_request *request = (struct scsi_request *)command_answered(work, unit->tag);

	if (!request)
		return;
	request->has_status = true;
	request->status = unit->status;
	request->command.request.has_failed = unit->status != SCSI_GOOD;
	scsi_read_sense(unit->sense.bytes, unit->sense.length, &request->sense);
	if (request->awaits_tables)
		request_forget_memory(work->tracker, &request->command.request);
	else
		take_residuals(request, unit);
	if (!request->command.request.is_seen)
		show_alone(work, request);
}

void scsi_take_reject(struct upper_work *work, uint64_t tag, const char *reason)
{
	struct command *command = command_of_response(work, tag);

	if (command && command->request.is_seen)
		scsi_of(command)->rejected = reason;
}

static struct packet_request known_of(const struct command *command)
{
	if (!command || !command->request.is_seen)
		return (struct packet_request){ 0 };
	return (struct packet_request){ .is_known = true, .frame = command->request.first_frame, .time_ns = command->request.time_ns,
					.name = ((const struct scsi_request *)command)->cdb.name };
}

struct packet_request scsi_known(const struct upper_work *work, uint64_t tag)
{
	return known_of(command_of_response(work, tag));
}

struct packet_request scsi_known_of_data(const struct upper_work *work, uint64_t tag)
{
	return known_of(command_find(work->connection, work->from_a, tag));
}

void scsi_take_other_response(struct upper_work *work, uint64_t tag, int code, bool is_good, const char *result)
{
	struct scsi_request *request = (struct scsi_request *)command_answered(work, tag);

	if (!request)
		return;
	request->is_other = true;
	request->has_status = code >= 0;
	request->status = code < 0 ? 0 : (uint8_t)code;
	request->is_good = is_good;
	request->result = result;
	if (!request->command.request.is_seen)
		show_alone(work, request);
}
