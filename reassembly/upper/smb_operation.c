/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/smb/smb2_info.h"
#include "reassembly/file_effect.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/missing_list.h"
#include "reassembly/operation.h"
#include "reassembly/upper/smb_operation.h"

#define ID_TEXT 32
#define NAME_TEXT 24
#define STATUS_TEXT 24
#define OBJECT_TEXT 64

struct smb_operation {
	struct operation head;
	char id[ID_TEXT], name[NAME_TEXT], status[STATUS_TEXT], object[OBJECT_TEXT];
	char *other;              /* on the heap: path after a rename, or of what was copied; NULL: none */
};

static void show_id(struct smb_operation *operation, uint64_t id)
{
	*line_put_dec(operation->id, id) = '\0';
	operation->head.shown.id = operation->id;
}

static void show_name(struct smb_operation *operation, uint16_t command)
{
	const char *name = rtap_name_of(smb2_command_names, command);

	if (!name)
		snprintf(operation->name, NAME_TEXT, "command 0x%04x", command);
	operation->head.shown.layer = "smb";
	operation->head.shown.name = name ? name : operation->name;
}

static void show_status(struct smb_operation *operation, const struct smb_part *part)
{
	struct rtap_operation *shown = &operation->head.shown;
	const char *name = rtap_name_of(smb_status_names, part->status);

	shown->has_status = part->is_answered;
	if (!part->is_answered)
		return;
	if (!name)
		snprintf(operation->status, STATUS_TEXT, "0x%08x", part->status);
	shown->status = name ? name : operation->status;
	shown->ok = !smb_is_error(part->status) || part->status == SMB_MORE_PROCESSING_REQUIRED;
}

/* "10.0.0.1/share/dir/file"; of a command about a tree, that; of one about a session, the server. */
static void show_object(struct smb_operation *operation, const struct request *request, const struct smb_part *part)
{
	bool is_of_server = part->command <= SMB2_LOGOFF || part->command == SMB2_ECHO;
	char server[SMB_SERVER_TEXT];
	const char *path = is_of_server ? smb_server(request->connection, !request->from_a, server) : smb_part_path(part);
	size_t size = path ? strlen(path) + 1 : 0;

	char *text = path ? operation_object_room(&operation->head, operation->object, OBJECT_TEXT, size) : NULL;

	if (text)
		memcpy(text, path, size);
}

/* The size of the part's memory, and the bytes of it that were read or written. */
static void count_data(const struct request *request, const struct smb_part *part, uint64_t *present, uint64_t *length)
{
	*present = *length = 0;
	for (uint32_t i = 0; i < part->piece_count; i++) {
		const struct smb_piece *piece = &part->pieces[i];
		bool is_read = part->command == SMB2_WRITE;

		*length += piece->length;
		for (uint32_t j = 0; j < request->region_count; j++) {
			const struct region *region = &request->regions[j];
			uint64_t begin = piece->address - region->begin, end = begin + piece->length;

			if (region->is_read != is_read || region->key != piece->key || region->begin > piece->address || region->end < piece->address + piece->length)
				continue;
			for (uint32_t k = coverage_find(&region->data, begin); k < region->data.count; k++) {
				const struct coverage_run *run = &coverage_runs(&region->data)[k];
				uint64_t from = run->begin > begin ? run->begin : begin, to = run->end < end ? run->end : end;

				if (from >= to)
					break;
				*present += to - from;
			}
			break;
		}
	}
}

static void show_data(struct smb_operation *operation, const struct request *request, const struct smb_part *part)
{
	struct rtap_operation *shown = &operation->head.shown;
	bool is_read = part->command == SMB2_READ;
	uint64_t present, length;

	count_data(request, part, &present, &length);
	if (is_read && part->moved < length)
		length = part->moved;
	if (part->piece_count && !part->inline_length && !smb_is_error(part->status) && present < length)
		shown->complete = false;
	shown->data_bytes = present + part->inline_seen;
	shown->carried = present && part->inline_length ? RTAP_CARRIED_MIXED :
			 present			? (is_read ? RTAP_CARRIED_WRITE : RTAP_CARRIED_READ) :
			 part->inline_length		? RTAP_CARRIED_INLINE :
							  RTAP_CARRIED_NONE;
	if (!part->piece_count) {
		shown->first_data_frame = shown->last_data_frame = 0;
		shown->first_data_ns = shown->last_data_ns = 0;
	}
}

/* Flags for statistics and findings: enum rtap_operation_flag. Status codes: [MS-ERREF] 2.3.1. */
static uint8_t flags_of(const struct smb_part *part)
{
	uint8_t flags = 0;

	switch (part->command) {
	case SMB2_ECHO: flags = RTAP_OPERATION_KEEP_ALIVE; break;
	case SMB2_CHANGE_NOTIFY: flags = RTAP_OPERATION_WAITS; break;
	case SMB2_READ: case SMB2_WRITE: case SMB2_FLUSH: flags = RTAP_OPERATION_ON_DEVICE; break;
	default: break;
	}
	switch (part->is_answered ? part->status : 0) {
	case 0xc0000120: return flags | RTAP_OPERATION_ABORTED; /* CANCELLED */
	case 0xc0000032: case 0xc000003e: case 0xc000003f: case 0xc000009c: case 0xc0000185: /* DISK_CORRUPT_ERROR ... IO_DEVICE_ERROR */
		return flags | RTAP_OPERATION_DEVICE_ERROR;
	default: return flags;
	}
}

static void release(struct operation *operation)
{
	free(((struct smb_operation *)operation)->other);
}

/* Another path than that of the object. */
static void add_path(struct smb_operation *operation, const char *key, const char *path)
{
	operation->other = strdup(path);
	operation->head.release = release;
	if (operation->other)
		operation_add_text(&operation->head, key, operation->other);
}

static void add_source(struct rtap_tracker *tracker, struct smb_operation *operation, const struct smb_part *part)
{
	struct smb_name *name = part->source ? smb_file_name(tracker, part->source) : NULL;

	if (name)
		add_path(operation, "from", name->path);
	smb_name_release(name);
}

/* What is asked for or set, and the new size or path. */
static void add_class(struct smb_operation *operation, const struct smb_part *part)
{
	const char *name = smb2_info_name((uint8_t)part->detail, (uint8_t)(part->detail >> 8));

	if (name)
		operation_add_text(&operation->head, "info", name);
	if (part->command != SMB2_SET_INFO)
		return;
	if (part->has_size)
		operation_add_number(&operation->head, "size", part->size);
	if (part->path)
		add_path(operation, "to", part->path);
}

static void add_values(struct rtap_tracker *tracker, struct smb_operation *operation, const struct smb_request *request, const struct smb_part *part)
{
	struct operation *head = &operation->head;
	const char *name;

	operation_add_number(head, "opcode", part->command);
	if (part->command == SMB2_IOCTL && (name = rtap_name_of(smb_control_names, part->detail)))
		operation_add_text(head, "control", name);
	add_source(tracker, operation, part);
	if (part->command == SMB2_QUERY_INFO || part->command == SMB2_SET_INFO)
		add_class(operation, part);
	operation_add_number(head, "queue_depth", request->command.depth);
	if (part->interim_frame)
		operation_add_number(head, "pending_frame", part->interim_frame);
	if (request->part_count > 1 && !request->has_more)
		operation_add_number(head, "compound", request->part_count);
	if (request->sends > 1 && !request->seen[0].lacks_packets)
		operation_add_number(head, "fragments", request->sends);
	if (request->has_credits)
		operation_add_number(head, "credits", request->credits);
	if (part != request->parts)
		return;
	if (request->waited_ns)
		operation_add_number(head, "credit_wait", request->waited_ns);
	if (request->is_last_credit)
		operation_add_bool(head, "last_credit", true);
}

void smb_operation_begin(struct upper_work *work, struct smb_request *request)
{
	request_operation(work->tracker, &request->command.request, work->message, sizeof(struct smb_operation));
}

/* Copies the values common to all operations of a message from the first one, which request_conclude() filled. */
static void copy_common(struct rtap_operation *shown, const struct rtap_operation *first)
{
	uint64_t number = shown->number;

	*shown = *first;
	shown->number = number;
	shown->missing = NULL;
	shown->missing_count = shown->value_count = 0;
	shown->values = NULL;
	shown->time_lost_us = 0;
	shown->repeats = 0;
}

/* The request began with its first fragment. */
static void begin_earlier(struct rtap_operation *shown, const struct smb_request *request)
{
	int64_t earlier = shown->time_ns - request->first_ns;

	if (request->sends < 2 || earlier < 0)
		return;
	shown->request_frame = request->first_frame;
	shown->time_ns = request->first_ns;
	shown->latency_ns += earlier;
	shown->first_data_ns += earlier;
	shown->last_data_ns += earlier;
}

/* The response of a command came before the last one of the compound. */
static void show_own_response(struct rtap_operation *shown, const struct smb_request *request, const struct smb_part *part)
{
	if (!part->is_answered || !part->answer_frame || part->answer_frame == request->response_frame)
		return;
	shown->response_frame = part->answer_frame;
	shown->time_end_ns = part->answer_ns > shown->time_ns ? part->answer_ns : shown->time_ns;
	shown->latency_ns = part->answer_ns - shown->time_ns;
	shown->has_latency = shown->latency_ns >= 0;
	shown->complete = request_is_whole(request->command.request.message);
	shown->has_data_bytes = true;
}

/* Fragments before the last, whose SENDs are not those of the operation. */
static void add_truncated(struct rtap_tracker *tracker, struct operation *operation, const struct smb_request *request,
			  const struct message *response)
{
	const struct message *sends[2] = { request->command.request.message, response };
	static const enum rtap_operation_part in[2] = { RTAP_OPERATION_PART_REQUEST, RTAP_OPERATION_PART_RESPONSE };

	for (int i = 0; i < 2; i++) {
		const struct rtap_missing hole = { .offset = request->whole_until[i], .reason = RTAP_MISSING_SNAPPED };

		if (!sends[i] || hole.offset == UINT64_MAX || !request_is_whole(sends[i]))
			continue;
		operation->shown.complete = false;
		operation_add_missing(tracker, operation, &hole, 1, in[i]);
	}
}

/* What is missing of messages of which packets are missing: offsets count in the message, not in one of its SENDs. */
static void add_lacking(struct rtap_tracker *tracker, struct operation *operation, const struct smb_request *request)
{
	static const enum rtap_operation_part in[2] = { RTAP_OPERATION_PART_REQUEST, RTAP_OPERATION_PART_RESPONSE };
	const struct coverage none = { 0 };

	for (int i = 0; i < 2; i++) {
		struct missing_list list = { .reason = RTAP_MISSING_NOT_CAPTURED };

		if (!request->seen[i].lacks_packets)
			continue;
		missing_list_add_holes(&list, &request->seen[i].present, &none, 0, request->seen[i].wire);
		tracker->counters.evictions += list.failed;
		operation->shown.complete &= !list.count && !list.failed;
		operation_add_missing(tracker, operation, list.items, list.count, in[i]);
		free(list.items);
	}
}

/* Forgets what request_conclude() showed of the SEND itself. */
static void forget_missing(struct operation *operation, const struct smb_request *request)
{
	struct rtap_operation_missing *missing = (struct rtap_operation_missing *)(uintptr_t)operation->shown.missing;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < operation->shown.missing_count; i++)
		if (!(missing[i].part == RTAP_OPERATION_PART_REQUEST && request->seen[0].lacks_packets) &&
		    !(missing[i].part == RTAP_OPERATION_PART_RESPONSE && request->seen[1].lacks_packets))
			missing[kept++] = missing[i];
	operation->shown.missing_count = kept;
}

void smb_operation_conclude(struct rtap_tracker *tracker, struct command *command, const struct message *response)
{
	const struct smb_request *request = (const struct smb_request *)command;
	struct message *send = command->request.message;
	struct operation *first = send->operation, *next = first;

	for (uint32_t i = 1; i < request->part_count && next; i++)
		next = operation_append(tracker, send, sizeof(struct smb_operation));
	next = first;
	forget_missing(first, request);
	recovery_add_time(&first->shown.time_lost_us, request->lost.time_us);
	first->shown.repeats += request->lost.repeats;
	begin_earlier(&first->shown, request);
	if (response && request->response_frame)
		first->shown.response_frame = request->response_frame;
	for (uint32_t i = 0; i < request->part_count && next; i++, next = SLIST_NEXT(next, link))
		if (next != first)
			copy_common(&next->shown, &first->shown);
	next = first;
	for (uint32_t i = 0; i < request->part_count && next; i++, next = SLIST_NEXT(next, link)) {
		struct smb_operation *operation = (struct smb_operation *)next;
		const struct smb_part *part = &request->parts[i];

		show_id(operation, part->id);
		show_name(operation, part->command);
		show_status(operation, part);
		show_object(operation, &command->request, part);
		show_own_response(&operation->head.shown, request, part);
		show_data(operation, &command->request, part);
		add_truncated(tracker, next, request, response);
		add_lacking(tracker, next, request);
		operation->head.shown.has_offset = operation->head.shown.has_length = part->has_range;
		operation->head.shown.offset = part->offset;
		operation->head.shown.length = part->length;
		operation->head.shown.flags = flags_of(part);
		add_values(tracker, operation, request, part);
		operation->head.concluded = true;
	}
}

/* An operation of one message alone, which the current SEND completes. */
static struct smb_operation *begin_alone(struct upper_work *work, const struct smb_whole *whole, bool from_a)
{
	struct smb_operation *operation;
	struct rtap_operation *shown;

	if (!work->tracker->options.operation || !work->message)
		return NULL;
	operation = work->message->operation ? operation_append(work->tracker, work->message, sizeof *operation) :
					       operation_create(work->tracker, work->message, sizeof *operation, NULL);
	if (!operation)
		return NULL;
	shown = &operation->head.shown;
	shown->from_a = from_a;
	shown->time_ns = shown->time_end_ns = work->message->shown.time_ns;
	if (whole->first_ns < shown->time_ns)
		shown->time_ns = whole->first_ns;
	operation->head.concluded = true;
	return operation;
}

void smb_operation_alone(struct upper_work *work, const struct smb_whole *whole, const struct smb_request *request)
{
	for (uint32_t i = 0; i < request->part_count; i++) {
		const struct smb_part *part = &request->parts[i];
		struct smb_operation *operation = begin_alone(work, whole, !work->from_a);

		if (!operation)
			return;
		show_id(operation, part->id);
		show_name(operation, part->command);
		show_status(operation, part);
		operation_add_number(&operation->head, "opcode", part->command);
		operation->head.shown.response_frame = whole->first_frame;
	}
}

void smb_operation_notice(struct upper_work *work, const struct smb_whole *whole)
{
	struct smb_operation *operation = begin_alone(work, whole, work->from_a);
	uint16_t command = (uint16_t)little_bits(whole->bytes.bytes, SMB2_COMMAND);
	uint64_t id = little_bits(whole->bytes.bytes, SMB2_MESSAGE_ID);

	if (!operation)
		return;
	show_name(operation, command);
	show_id(operation, id);
	operation->head.shown.request_frame = whole->first_frame;
	operation->head.shown.one_way = operation->head.shown.complete = true;
	operation->head.shown.flags = command == SMB2_CANCEL ? RTAP_OPERATION_ABORT : 0;
	operation_add_number(&operation->head, "opcode", command);
}

void smb_operation_opaque(struct upper_work *work, const struct smb_whole *whole)
{
	struct smb_operation *operation = begin_alone(work, whole, work->from_a);
	uint32_t id = whole->bytes.length >= 4 ? load32(whole->bytes.bytes) : 0;

	if (!operation)
		return;
	/* of an encrypted message only the session is readable */
	if (id == SMB_ID_ENCRYPTED && whole->bytes.length >= 52)
		snprintf(operation->id, ID_TEXT, "session 0x%" PRIx64, little_bits(whole->bytes.bytes, 352, 64));
	operation->head.shown.layer = "smb";
	operation->head.shown.name = id == SMB_ID_ENCRYPTED ? "encrypted" : id == SMB_ID_COMPRESSED ? "compressed" : "truncated";
	operation->head.shown.id = *operation->id ? operation->id : NULL;
	operation->head.shown.one_way = true;
	operation->head.shown.request_frame = whole->first_frame;
	operation->head.shown.complete = whole->bytes.length == whole->wire;
	operation->head.shown.has_data_bytes = true;
	operation->head.shown.data_bytes = whole->wire;
	operation->head.shown.carried = RTAP_CARRIED_INLINE;
	if (whole->sends > 1 && !whole->lacks_packets)
		operation_add_number(&operation->head, "fragments", whole->sends);
}

/* The part's data: in its memory, one piece after the other, or in the message. */
static bool join_data(const struct request *request, const struct smb_part *part, struct coverage *data, struct coverage *cut)
{
	uint64_t at = part->inline_length;
	bool good = coverage_copy(data, &part->data, 0, at, 0, COVERAGE_BYTES);

	for (uint32_t i = 0; i < part->piece_count && good; i++) {
		const struct smb_piece *piece = &part->pieces[i];

		for (uint32_t j = 0; j < request->region_count && good; j++) {
			const struct region *region = &request->regions[j];
			uint64_t begin = piece->address - region->begin;

			if (region->key != piece->key || region->begin > piece->address || region->end < piece->address + piece->length)
				continue;
			good = coverage_copy(data, &region->data, begin, begin + piece->length, at - begin, COVERAGE_BYTES) &&
			       coverage_copy(cut, &region->cut, begin, begin + piece->length, at - begin, COVERAGE_ONLY);
			break;
		}
		at += piece->length;
	}
	return good;
}

static void report_data(struct rtap_tracker *tracker, const struct smb_request *request, const struct smb_part *part, struct file_effect *effect)
{
	struct coverage data = { 0 }, cut = { 0 };
	bool is_read = part->command == SMB2_READ, is_sure = part->is_answered && !smb_is_error(part->status);

	if (is_read && !is_sure)
		return;
	effect->kind = FILE_DATA;
	effect->bytes.kind = is_read ? BLOCK_READ : is_sure ? BLOCK_WRITTEN : BLOCK_SPOILED;
	effect->bytes.offset = part->offset;
	effect->bytes.length = is_sure ? part->moved : part->length;
	/* a failed command changes nothing, unless the server had begun to write */
	if (part->is_answered && !is_sure)
		return;
	if (!join_data(&request->command.request, part, &data, &cut))
		tracker->counters.evictions++;
	effect->bytes.data = &data;
	effect->bytes.cut = &cut;
	if (effect->bytes.length)
		tracker->take_file_effect(tracker->file_effect_owner, effect);
	effect->bytes.data = effect->bytes.cut = NULL;
	coverage_fini(&data);
	coverage_fini(&cut);
}

/* A change that no data show. */
static void report_change(struct rtap_tracker *tracker, const struct smb_part *part, struct file_effect *effect)
{
	bool is_failed = part->is_answered && smb_is_error(part->status), is_to_end = part->length == UINT64_MAX;
	char *source = part->source && part->is_answered && !is_failed && !is_to_end ? smb_file_path(tracker, part->source) : NULL;

	/* a copy can fail after some bytes */
	if (is_failed && part->changes != SMB_COPIES)
		return;
	effect->kind = FILE_DATA;
	effect->bytes.kind = part->changes == SMB_ZEROES && part->is_answered ? BLOCK_ZEROED : source ? BLOCK_COPIED : BLOCK_SPOILED;
	effect->source = source;
	effect->bytes.source = part->source_at;
	effect->bytes.offset = part->offset;
	effect->bytes.to_end = is_to_end;
	effect->bytes.length = is_to_end ? 0 : part->length;
	effect->is_bounded = part->changes != SMB_COPIES || !part->is_answered || is_failed || is_to_end;
	for (uint32_t i = 0; i < part->chunk_count; i++) {
		effect->bytes.source = part->chunks[i].source;
		effect->bytes.offset = part->chunks[i].offset;
		effect->bytes.length = part->chunks[i].length;
		if (effect->bytes.length)
			tracker->take_file_effect(tracker->file_effect_owner, effect);
	}
	if (!part->chunk_count && (effect->bytes.length || is_to_end))
		tracker->take_file_effect(tracker->file_effect_owner, effect);
	effect->is_bounded = effect->bytes.to_end = false;
	effect->source = NULL;
	effect->bytes.source = 0;
	free(source);
}

static void report_size(struct rtap_tracker *tracker, struct file_effect *effect, uint64_t size, bool is_seen)
{
	effect->kind = is_seen ? FILE_SIZE_SEEN : FILE_RESIZED;
	effect->size = size;
	tracker->take_file_effect(tracker->file_effect_owner, effect);
}

/* The size of a file whose path is not known. */
static void report_part_size(struct rtap_tracker *tracker, const struct smb_part *part, struct file_effect *effect)
{
	effect->is_new = part->command == SMB2_CREATE && part->action == SMB_CREATED;
	if (part->command == SMB2_CREATE)
		report_size(tracker, effect, part->action == SMB_OPENED ? part->size : 0, part->action == SMB_OPENED);
	else if (part->command == SMB2_SET_INFO)
		report_size(tracker, effect, part->size, false);
}

/* Whether the response shows that some file changed. Of SET_INFO it may be the size. */
static bool is_change(const struct smb_part *part)
{
	if (!part->is_answered || smb_is_error(part->status))
		return false;
	return part->command == SMB2_WRITE || part->command == SMB2_SET_INFO || part->changes ||
	       (part->command == SMB2_CREATE && part->action != SMB_OPENED && part->action != SMB_CREATED);
}

/* Reports the range that changed of a file that may be any one of the tree. */
static void report_range(struct rtap_tracker *tracker, const struct smb_request *request, const struct smb_part *part, struct file_effect *effect)
{
	if (part->is_answered && smb_is_error(part->status))
		return;
	if (part->command == SMB2_WRITE && part->has_range && part->length) {
		effect->bytes.offset = part->offset;
		effect->bytes.length = part->is_answered ? part->moved : part->length;
	} else if (part->changes) {
		effect->bytes.offset = part->offset;
		effect->bytes.length = part->length == UINT64_MAX ? UINT64_MAX - part->offset : part->length;
	} else if (part->command == SMB2_SET_INFO && part->has_size) {
		effect->bytes.offset = part->size;
		effect->bytes.length = UINT64_MAX - part->size;
	} else {
		return;
	}
	if (effect->bytes.length)
		smb_part_report_unseen(tracker, &request->command.request, part, effect);
}

/* The file was opened by a request that was not captured: its path is `id`. */
static void report_part_of_id(struct rtap_tracker *tracker, const struct smb_request *request, const struct smb_part *part,
			      struct file_effect *effect, const char *id)
{
	bool is_failed = part->is_answered && smb_is_error(part->status);

	effect->path = effect->via = id;
	effect->is_of_id = true;
	if (part->command == SMB2_READ || part->command == SMB2_WRITE)
		report_data(tracker, request, part, effect);
	else if (part->changes)
		report_change(tracker, part, effect);
	else if (part->is_answered && !is_failed && part->has_size)
		report_part_size(tracker, part, effect);
	report_range(tracker, request, part, effect);
}

/* The file may end there now. */
static void report_spoiled(struct rtap_tracker *tracker, struct file_effect *effect, uint64_t end)
{
	effect->kind = FILE_DATA;
	effect->bytes.kind = BLOCK_SPOILED;
	effect->bytes.offset = end;
	effect->bytes.to_end = effect->is_bounded = true;
	tracker->take_file_effect(tracker->file_effect_owner, effect);
}

/* The file is known, as far as its path is. */
static void report_part(struct rtap_tracker *tracker, const struct smb_request *request, const struct smb_part *part, const struct smb_file *file,
			struct file_effect *effect)
{
	effect->is_of_id = file && file->is_treeless;
	effect->size = file ? file->size : 0;
	effect->disk_id = file ? file->disk_id : 0;
	if (part->command == SMB2_READ || part->command == SMB2_WRITE)
		report_data(tracker, request, part, effect);
	else if (part->changes)
		report_change(tracker, part, effect);
	/* the response was not captured, or not whole */
	else if (part->command == SMB2_CREATE && part->overwrites && !part->has_file && !(part->is_answered && smb_is_error(part->status)))
		report_spoiled(tracker, effect, 0);
	else if (part->command == SMB2_SET_INFO && part->has_size && !part->is_answered)
		report_spoiled(tracker, effect, part->size);
	/* new sizes were reported with the response */
	if (!effect->is_of_id || (part->command == SMB2_SET_INFO && part->has_size))
		return;
	effect->first = file->since;
	report_range(tracker, request, part, effect);
}

void smb_operation_ended(struct rtap_tracker *tracker, struct command *command, const struct message *response)
{
	const struct smb_request *request = (const struct smb_request *)command;
	const struct request *base = &command->request;
	uint64_t latest = base->connection->shown.last_frame;

	if (!tracker->take_file_effect)
		return;
	latest = latest > base->first_frame ? latest : base->first_frame;
	for (uint32_t i = 0; i < request->part_count; i++) {
		const struct smb_part *part = &request->parts[i];
		char *path = smb_part_file_path(tracker, part);
		const struct smb_file *file = part->creates ? part->creates->file : part->file;
		struct file_effect effect = { .path = path, .unseen = request->unseen, .shift = part->shift, .part = (uint8_t)i };
		char unknown[SMB_PATH_OF_ID];

		effect.bytes.request_frame = base->first_frame;
		/* without a response it may have been executed at any time since */
		effect.bytes.response_frame = part->end_frame ? part->end_frame : response ? response->shown.first_frame : latest;
		effect.bytes.time_ns = base->time_ns;
		if (!base->is_seen || (!path && !part->has_file)) {
			if (is_change(part))
				smb_part_report_unseen(tracker, base, part, &effect);
		} else if (!path) {
			smb_part_path_of_id(tracker, base, part, unknown);
			report_part_of_id(tracker, request, part, &effect, unknown);
		} else {
			report_part(tracker, request, part, file, &effect);
		}
		free(path);
	}
}
