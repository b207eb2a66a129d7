/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/engine/crc32.h"
#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_status.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/upper/name_text.h"
#include "reassembly/upper/nfs_calls.h"
#include "reassembly/upper/rpc_names.h"
#include "reassembly/upper/rpc_operation.h"
#include "reassembly/upper/rpc_state.h"

#define MOUNT_MNT 1
#define MOST_KEPT (2u << 20) /* bytes of a call or reply that is kept for its names */
#define MOST_PATH 4096  /* bytes of a path; a longer one is not shown */
#define HASH_TEXT 11    /* "0x12345678" */
#define NUMBER_TEXT 24
#define TO_THE_END UINT64_MAX /* length of LOCK and others: RFC 8881, 18.10.3 */

struct rpc_operation {
	struct operation head;
	char id[HASH_TEXT], name[NUMBER_TEXT], status[NUMBER_TEXT], handle[HASH_TEXT];
	char *to, *export;        /* on the heap, or NULL */
	struct rpc_part *kept[2]; /* call and reply, if they have names of files; NULL: they have none */
	bool has_reply, was_rejected; /* a reply was seen; the call was not executed */
	struct rpc_noted noted;
};

static struct rpc_operation *operation_of(const struct message *message)
{
	return message && message->operation && !message->operation->is_shared ? (struct rpc_operation *)message->operation : NULL;
}

static void conclude_alone(struct rtap_tracker *tracker, struct message *message)
{
	bool is_reply = message->shown.kind == RTAP_KIND_RPC_REPLY;

	rpc_operation_conclude(tracker, is_reply ? NULL : message, is_reply ? message : NULL, !is_reply);
}

static void release(struct operation *operation)
{
	struct rpc_operation *own = (struct rpc_operation *)operation;

	free(own->kept[0]);
	free(own->kept[1]);
	free(own->to);
	free(own->export);
}

static void conclude_brief(struct rtap_tracker *tracker, struct message *message);

/* The operation that all messages share. NULL: out of memory, which is counted. */
static struct operation *brief_of(struct rtap_tracker *tracker)
{
	struct rpc_state *state = rpc_state_of(tracker);

	if (!state->brief && (state->brief = memory_new_zeroed(1, sizeof *state->brief))) {
		state->brief->head.conclude = conclude_brief;
		state->brief->head.is_shared = true;
	}
	tracker->counters.evictions += !state->brief;
	return state->brief ? &state->brief->head : NULL;
}

void rpc_operation_begin(struct rtap_tracker *tracker, struct message *message, bool known_call)
{
	struct rpc_operation *operation;

	if (!tracker->options.operation || message->operation)
		return;
	if (!rpc_operation_decodes(tracker)) {
		message->operation = brief_of(tracker);
		return;
	}
	operation = operation_create(tracker, message, sizeof *operation, known_call ? NULL : conclude_alone);
	if (operation)
		operation->head.release = release;
}

struct rpc_noted *rpc_operation_noted(struct message *message, const struct rtap_rpc_facts *facts)
{
	struct rpc_operation *operation = operation_of(message);
	struct rpc_noted *noted;

	if (!operation)
		return NULL;
	noted = &operation->noted;
	memset(noted, 0, offsetof(struct rpc_noted, text));
	noted->is_callback = facts->is_callback;
	noted->is_nfs = facts->is_callback;
	if (!facts->program_known)
		return noted;
	noted->is_nfs |= facts->program == RPC_PROGRAM_NFS;
	noted->is_compound = facts->program == RPC_PROGRAM_NFS && facts->version == 4;
	noted->is_nfs3 = facts->program == RPC_PROGRAM_NFS && facts->version == 3;
	noted->is_mount = facts->program == RPC_PROGRAM_MOUNT && facts->procedure == MOUNT_MNT;
	return noted;
}

static const struct rpc_place unknown_place, root_place = { .is_root = true };

/* False: no room is left. */
static bool note_text(struct rpc_noted *noted, const void *bytes, size_t length, struct rpc_text *text)
{
	if (length > sizeof noted->text - noted->text_used)
		return false;
	*text = (struct rpc_text){ noted->text_used, (uint16_t)length };
	memcpy(noted->text + noted->text_used, bytes, length);
	noted->text_used = (uint16_t)(noted->text_used + length);
	return true;
}

/* How an operation of a COMPOUND changes the current and the saved handle. RFC 8881, 16.2.3.1. */
static void follow_handles(struct rpc_noted *noted, uint32_t number)
{
	noted->descends = false;
	switch (number) {
	case NFS4_PUTROOTFH:
		noted->current = root_place;
		break;
	case NFS4_SAVEFH:
		noted->saved = noted->current;
		break;
	case NFS4_RESTOREFH:
		noted->current = noted->saved;
		break;
	case NFS4_LOOKUP:
	case NFS4_OPEN:
	case NFS4_CREATE:
		noted->descends = true;
		break;
	case NFS4_PUTFH: /* its value follows */
	case NFS4_PUTPUBFH:
	case NFS4_LOOKUPP:
	case NFS4_OPENATTR:
	case NFS4_SECINFO:
	case NFS4_SECINFO_NO_NAME:
		noted->current = unknown_place;
		break;
	}
}

/* Whether another item describes the work of the COMPOUND better than the main one so far. */
static bool is_better(const struct rpc_noted *noted, uint8_t tier)
{
	if (!noted->has_item || tier < noted->tier)
		return true;
	/* These operations only set the starting point of the others. */
	return noted->is_compound && tier == noted->tier &&
	       (noted->number == NFS4_PUTROOTFH || noted->number == NFS4_PUTPUBFH || noted->number == NFS4_LOOKUP);
}

void rpc_operation_item(struct rpc_noted *noted, uint32_t number, const char *name)
{
	uint8_t tier = noted->is_compound ? nfs4_tier(number) : noted->is_callback && number == NFS_CB_SEQUENCE;

	noted->is_main = is_better(noted, tier);
	if (noted->is_main) {
		bool is_rename = noted->is_compound && number == NFS4_RENAME;

		noted->has_item = true;
		noted->tier = tier;
		noted->number = number;
		noted->name = name;
		/* RENAME moves a name of the saved directory. */
		noted->place = !noted->is_compound ? unknown_place : is_rename ? noted->saved : noted->current;
		noted->to = is_rename ? noted->current : unknown_place;
		noted->has_offset = noted->has_length = noted->has_file = noted->has_to_file = false;
	}
	if (noted->is_compound) {
		follow_handles(noted, number);
		noted->has_names |= calls_has_names4(number);
		noted->has_identity |= number == NFS4_GETATTR;
		noted->has_data |= number == NFS4_READ || number == NFS4_WRITE || number == NFS4_READ_PLUS;
	} else {
		noted->has_names = noted->is_mount || (noted->is_nfs3 && calls_has_names3(number));
		noted->has_identity = noted->is_nfs3 && number == NFS3_GETATTR;
	}
}

/* The current file is that name, noted last with its length before it, in the current directory. */
static void descend(struct rpc_noted *noted, const struct rpc_text *name)
{
	struct rpc_text *path = &noted->current.path, before = *path, with_length = { (uint16_t)(name->at - 2), (uint16_t)(name->length + 2) };

	noted->descends = false;
	if (!before.length || before.at + before.length == with_length.at) {
		path->at = before.length ? before.at : with_length.at;
	} else if (!note_text(noted, noted->text + before.at, before.length, path) ||
		   !note_text(noted, noted->text + with_length.at, with_length.length, &with_length)) {
		noted->current = unknown_place;
		return;
	}
	path->length = (uint16_t)(before.length + with_length.length);
}

static void note_name(struct rpc_noted *noted, const struct xdr_value *value)
{
	bool is_to = value->tag == NFS_TAG_TO;
	uint16_t length = (uint16_t)value->data.length;
	struct rpc_text name;

	if (!value->data.bytes || value->data.length > sizeof noted->text || !note_text(noted, &length, sizeof length, &name) ||
	    !note_text(noted, value->data.bytes, length, &name)) {
		if (noted->descends)
			noted->current = unknown_place;
		return;
	}
	if (noted->is_main && is_to && !noted->has_to_file) {
		noted->to_file = name;
		noted->has_to_file = true;
	} else if (noted->is_main && !is_to && !noted->has_file) {
		noted->file = name;
		noted->has_file = true;
	}
	if (noted->descends)
		descend(noted, &name);
}

static void note_handle(struct rpc_noted *noted, const struct xdr_value *value)
{
	struct rpc_place place = { .known = true };

	if (!value->data.bytes || !note_text(noted, value->data.bytes, value->data.length, &place.handle))
		return;
	if (noted->is_compound)
		noted->current = place;
	else if (noted->is_main && value->tag == NFS_TAG_TO)
		noted->to = place;
	/* LINK of NFSv3 names the file before the directory. */
	else if (noted->is_main && (!noted->place.known || value->tag == NFS_TAG_DIRECTORY))
		noted->place = place;
}

void rpc_operation_value(struct rpc_noted *noted, const struct xdr_value *value)
{
	if (value->row == NFS_FHANDLE)
		note_handle(noted, value);
	/* The call has only a path. */
	if (noted->is_mount)
		note_name(noted, value);
	if (!noted->is_nfs)
		return;
	if (value->row == NFS_NAME || value->row == NFS_COMPONENT)
		note_name(noted, value);
	if (!noted->is_main || value->tag == NFS_TAG_TO)
		return;
	switch (value->row) {
	case NFS_OFFSET3:
	case NFS_OFFSET4:
		if (!noted->has_offset)
			noted->offset = value->number;
		noted->has_offset = true;
		break;
	case NFS_COUNT3:
	case NFS_COUNT4:
	case NFS_LENGTH4:
	case NFS_WRITE_LENGTH:
		/* READDIR has a count without an offset. */
		if (!noted->has_offset || noted->has_length)
			break;
		noted->length = value->number;
		noted->has_length = value->number != TO_THE_END;
		break;
	}
}

uint64_t rpc_operation_unwanted(const struct rpc_noted *noted)
{
	static const uint16_t rows[] = {
		NFS_FHANDLE, NFS_NAME, NFS_COMPONENT, NFS_OFFSET3, NFS_OFFSET4, NFS_COUNT3, NFS_COUNT4, NFS_LENGTH4, NFS_WRITE_LENGTH,
	};
	uint64_t wanted = 0;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		wanted |= UINT64_C(1) << rows[i] % 64;
	return noted->is_mount ? 0 : ~wanted;
}

void rpc_operation_chunks(struct rpc_noted *noted, const struct rpc_chunks *lists, bool is_reply)
{
	for (uint32_t i = 0; i < lists->count; i++) {
		const struct chunk_segment *segment = &lists->segments[i];

		/* A chunk at position 0 is the call itself: RFC 8166, 3.5.3. */
		if (segment->list == CHUNK_READ)
			*(segment->chunk ? &noted->read_bytes : &noted->call_bytes) += segment->length;
		else if (is_reply)
			*(segment->list == CHUNK_REPLY ? &noted->reply_bytes : &noted->write_bytes) += segment->length;
	}
}

/* A copy of a part with its bytes, and its size. NULL: too large, or out of memory. */
static struct rpc_part *copy_part(const struct rpc_part *part, size_t *size)
{
	size_t extents = part->extent_count * sizeof *part->extents;
	uint64_t bytes = 0;
	struct rpc_part *copy;
	struct xdr_extent *copied;
	uint8_t *to;

	for (uint32_t i = 0; i < part->extent_count; i++)
		bytes += part->extents[i].kind == XDR_BYTES ? part->extents[i].length : 0;
	if (bytes > MOST_KEPT)
		return NULL;
	*size = sizeof *copy + extents + (size_t)bytes;
	copy = memory_new(*size);
	if (!copy)
		return NULL;
	*copy = *part;
	copy->missing = NULL;
	copy->missing_count = 0;
	copied = (struct xdr_extent *)(copy + 1);
	copy->extents = copied;
	if (extents)
		memcpy(copied, part->extents, extents);
	to = (uint8_t *)(copied + part->extent_count);
	for (uint32_t i = 0; i < part->extent_count; i++) {
		if (copied[i].kind != XDR_BYTES)
			continue;
		if (copied[i].length)
			memcpy(to, copied[i].bytes, copied[i].length);
		copied[i].bytes = to;
		to += copied[i].length;
	}
	return copy;
}

void rpc_operation_keep(struct rtap_tracker *tracker, struct message *message, const struct rpc_part *part, bool read)
{
	struct rpc_operation *operation = operation_of(message);
	const struct rpc_noted *noted = &operation->noted;
	struct rpc_part **kept = &operation->kept[part->facts.is_reply];
	bool is_wanted = noted->has_names || (noted->has_identity && !noted->has_data) || (!read && part->facts.is_reply && noted->is_compound);
	size_t size;

	if (!is_wanted || noted->is_callback || *kept)
		return;
	*kept = copy_part(part, &size);
	if (!*kept) {
		tracker->counters.evictions++;
		return;
	}
	operation->head.memory += size;
	budget_charge(&tracker->budget, &tracker->messages, size);
}

static struct rtap_span piece_of(const struct rpc_noted *noted, struct rpc_text text)
{
	return (struct rtap_span){ noted->text + text.at, text.length };
}

static struct rtap_span handle_of(const struct rpc_noted *noted, const struct rpc_place *place)
{
	return place->is_root ? (struct rtap_span){ NULL, 0 } : piece_of(noted, place->handle);
}

static void write_name(struct rtap_span name, struct line *line)
{
	char component[NAME_TEXT_MAX + 1];

	line_char(line, '/');
	line_bytes(line, component, name_text(name.bytes, name.length, component));
}

static void write_hex(char text[HASH_TEXT], uint32_t number)
{
	struct line line;

	line_init(&line, text, HASH_TEXT - 1);
	line_text(&line, "0x");
	line_hex_digits(&line, number, 8);
	*line.next = 0;
}

static char *copy_line(const struct line *line, const char *begin)
{
	size_t length = (size_t)(line->next - begin);
	char *copy = line->cut ? NULL : memory_new(length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, begin, length);
	copy[length] = 0;
	return copy;
}

/* The path of a place and, unless it is NULL, of a name in it. NULL: unknown. */
static char *make_path(struct rtap_tracker *tracker, const struct rtap_end *server, const struct rpc_noted *noted, const struct rpc_place *place,
		       const struct rpc_text *file)
{
	char text[MOST_PATH];
	struct line line;
	uint32_t end = (uint32_t)place->path.at + place->path.length;

	line_init(&line, text, sizeof text);
	if (place->known || place->is_root) {
		rpc_names_path(tracker, server, handle_of(noted, place), &line);
		for (uint32_t at = place->path.at; at < end;) {
			uint16_t length;

			memcpy(&length, noted->text + at, sizeof length);
			at += sizeof length;
			write_name((struct rtap_span){ noted->text + at, length }, &line);
			at += length;
		}
	} else if (!file) {
		return NULL;
	} else {
		line_char(&line, '?');
	}
	if (file)
		write_name(piece_of(noted, *file), &line);
	if (line.next == text)
		line_char(&line, '/');
	return copy_line(&line, text);
}

static char *make_mounted(const struct rpc_noted *noted)
{
	struct rtap_span path = piece_of(noted, noted->file);
	char text[MOST_PATH];
	struct line line;

	line_init(&line, text, sizeof text);
	line_bytes(&line, (const char *)path.bytes, path.length);
	return copy_line(&line, text);
}

static char *make_export(struct rtap_tracker *tracker, const struct rtap_end *server, const struct rpc_noted *noted)
{
	char text[MOST_PATH];
	struct line line;

	line_init(&line, text, sizeof text);
	if (!(noted->place.known || noted->place.is_root) || !rpc_names_export(tracker, server, handle_of(noted, &noted->place), &line))
		return NULL;
	return copy_line(&line, text);
}

/* Enters the names in the call and its reply in the tree of names. */
static void learn(struct rtap_tracker *tracker, const struct rpc_operation *operation, const struct rtap_end *server)
{
	struct rpc_exchange exchange = { .server = *server };
	const struct rpc_noted *noted = &operation->noted;

	if (!operation->kept[0] || operation->was_rejected || (operation->has_reply && !operation->kept[1]))
		return;
	/* Only one file is identified, and it is already known. */
	if (!noted->has_names && noted->place.known && !noted->place.path.length &&
	    rpc_names_identified(tracker, server, handle_of(noted, &noted->place)))
		return;
	exchange.call = *operation->kept[0];
	if (operation->kept[1])
		exchange.reply = *operation->kept[1];
	rpc_names_learn(tracker, &exchange);
}

/* Called in the order of requests: a client knows the handle in a request from the response to an earlier one. */
static void complete(struct rtap_tracker *tracker, struct operation *head)
{
	struct rpc_operation *operation = (struct rpc_operation *)head;
	const struct rpc_noted *noted = &operation->noted;
	const struct rtap_connection *connection = head->shown.connection;
	/* Callbacks are about files of the caller. */
	const struct rtap_end *server = head->shown.from_a != noted->is_callback ? &connection->b : &connection->a;

	learn(tracker, operation, server);
	if (!head->shown.request_frame)
		return;
	if (noted->is_mount)
		head->object = noted->has_file ? make_mounted(noted) : NULL;
	else
		head->object = make_path(tracker, server, noted, &noted->place, noted->has_file ? &noted->file : NULL);
	if (noted->has_to_file)
		operation->to = make_path(tracker, server, noted, &noted->to, &noted->to_file);
	operation->export = noted->is_mount ? NULL : make_export(tracker, server, noted);
	if (noted->place.known) {
		struct rtap_span handle = handle_of(noted, &noted->place);

		write_hex(operation->handle, crc32_of(0, handle.bytes, handle.length));
		crc32_release();
		operation_add_text(head, "handle", operation->handle);
	}
	if (operation->to)
		operation_add_text(head, "to", operation->to);
	if (operation->export)
		operation_add_text(head, "export", operation->export);
}

/* Whether the main operation of a COMPOUND or CB_COMPOUND only prepares others, which would follow if the message were whole. */
static bool only_prepares(const struct rpc_noted *noted)
{
	if (noted->is_callback)
		return noted->tier > 0;
	return noted->is_compound && (noted->tier > 1 || noted->number == NFS4_PUTROOTFH || noted->number == NFS4_PUTPUBFH);
}

static const char *name_of(struct rpc_operation *owner, const struct rpc_operation *call, const struct rpc_operation *reply,
			   const struct rtap_message *message)
{
	const struct rpc_operation *from = call && call->noted.has_item ? call : reply && reply->noted.has_item ? reply : NULL;
	const struct rpc_program *program = message->program_known ? rpc_program_find(message->program, message->version) : NULL;
	bool is_main = from && (message->complete || !only_prepares(&from->noted));
	const char *name = is_main ? from->noted.name : program ? rpc_program_procedure(program, message->procedure) : NULL;

	if (name || !(from || message->program_known))
		return name;
	snprintf(owner->name, sizeof owner->name, "%" PRIu32, from ? from->noted.number : message->procedure);
	return owner->name;
}

/* Sets the number of data bytes and how they were transferred. */
static void conclude_data(struct rtap_operation *shown, const struct rpc_noted *call, const struct rpc_noted *reply)
{
	const struct {
		uint64_t bytes;
		enum rtap_carried carried;
		const char *carrier;
	} ways[] = {
		{ (call ? call->inline_bytes : 0) + (reply ? reply->inline_bytes : 0), RTAP_CARRIED_INLINE, NULL },
		{ call ? call->read_bytes : 0, RTAP_CARRIED_READ, "read chunk" },
		{ call ? call->call_bytes : 0, RTAP_CARRIED_READ, "call chunk" },
		{ reply ? reply->write_bytes : 0, RTAP_CARRIED_WRITE, "write chunk" },
		{ reply ? reply->reply_bytes : 0, RTAP_CARRIED_WRITE, "reply chunk" },
	};
	unsigned kinds = 0;

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		if (!ways[i].bytes)
			continue;
		if (shown->carried != ways[i].carried)
			shown->carried = kinds ? RTAP_CARRIED_MIXED : (uint8_t)ways[i].carried;
		shown->carrier = kinds++ ? NULL : ways[i].carrier;
		shown->data_bytes += ways[i].bytes;
	}
	shown->has_data_bytes = call && reply && call->data_known && reply->data_known;
}

static void conclude_status(struct rpc_operation *operation, const struct rtap_message *reply, const struct rpc_noted *noted)
{
	struct rtap_operation *shown = &operation->head.shown;
	bool is_success = !reply->rdma_error && reply->rpc_accepted && !reply->rpc_status;

	if (!reply->has_rpc_status && !reply->rdma_error)
		return;
	/* An accepted call can have failed. */
	if (is_success && !reply->has_status && !(noted && noted->results_known))
		return;
	shown->has_status = true;
	shown->status = rpc_status_name(reply);
	shown->ok = is_success && !(reply->has_status && reply->status);
	if (!is_success || shown->ok || reply->status_name)
		return;
	snprintf(operation->status, sizeof operation->status, "%" PRIu32, reply->status);
	shown->status = operation->status;
}

static void conclude_times(struct rtap_operation *shown, const struct rtap_message *call, const struct rtap_message *reply)
{
	const struct rtap_message *first = call ? call : reply;

	shown->time_ns = first->time_ns;
	shown->time_end_ns = call ? call->time_end_ns : reply->time_end_ns;
	if (reply && reply->time_end_ns > shown->time_end_ns)
		shown->time_end_ns = reply->time_end_ns;
	if (shown->last_data_frame && shown->last_data_ns > shown->time_end_ns)
		shown->time_end_ns = shown->last_data_ns;
	shown->has_latency = first->has_latency;
	shown->latency_ns = first->latency_ns;
	/* the reply was retransmitted */
	if (call && shown->has_latency && shown->time_ns + shown->latency_ns > shown->time_end_ns)
		shown->time_end_ns = shown->time_ns + shown->latency_ns;
	shown->first_data_ns -= shown->time_ns;
	shown->last_data_ns -= shown->time_ns;
}

static void add_losses(struct rtap_operation *operation, const struct rtap_message *message)
{
	operation->repeats += message->resent;
	recovery_add_time(&operation->time_lost_us, message->time_lost_us);
	operation->wanted |= message->wanted;
}

static void add_message(struct rtap_tracker *tracker, struct operation *operation, const struct message *message, const struct rpc_noted *noted)
{
	const struct rtap_message *shown = &message->shown;

	if (noted && noted->inline_bytes)
		operation_add_data(operation, shown->first_frame, shown->time_ns, shown->last_frame, shown->time_end_ns);
	operation_add_missing(tracker, operation, shown->missing, shown->missing_count,
			      shown->kind == RTAP_KIND_RPC_REPLY ? RTAP_OPERATION_PART_RESPONSE : RTAP_OPERATION_PART_REQUEST);
	add_losses(&operation->shown, shown);
}

static const char *layer_of(const struct rtap_message *message)
{
	return message->program_known && message->program == RPC_PROGRAM_NFS ? "nfs" : "rpc";
}

static bool has_repeats(const struct connection *connection)
{
	return connection->shown.transport != RTAP_TRANSPORT_TCP && connection->shown.transport != RTAP_TRANSPORT_UDP;
}

static void fill(struct rtap_tracker *tracker, struct rpc_operation *operation, struct message *call, struct message *reply)
{
	struct operation *head = &operation->head;
	struct rtap_operation *shown = &head->shown;
	const struct rpc_operation *call_operation = operation_of(call), *reply_operation = operation_of(reply);
	const struct rpc_noted *asked = call_operation ? &call_operation->noted : NULL;
	const struct rpc_noted *answered = reply_operation ? &reply_operation->noted : NULL;
	const struct message *first = call ? call : reply;
	const struct rtap_message *known = call && call->shown.program_known ? &call->shown : reply ? &reply->shown : &call->shown;

	shown->from_a = call ? call->shown.from_a : !reply->shown.from_a;
	shown->layer = (asked && asked->is_nfs) || (answered && answered->is_nfs) ? "nfs" : layer_of(known);
	shown->name = name_of(operation, call_operation, reply_operation, known);
	shown->flags = RTAP_OPERATION_COSTLY;
	write_hex(operation->id, first->shown.xid);
	shown->id = operation->id;
	if (asked) {
		shown->has_offset = asked->has_offset;
		shown->has_length = asked->has_length;
		shown->offset = asked->offset;
		shown->length = asked->length;
	}
	if (call)
		add_message(tracker, head, call, asked);
	if (reply)
		add_message(tracker, head, reply, answered);
	shown->request_frame = call ? call->shown.first_frame : 0;
	shown->response_frame = reply ? reply->shown.first_frame : 0;
	conclude_data(shown, asked, answered);
	if (reply)
		conclude_status(operation, &reply->shown, answered);
	conclude_times(shown, call ? &call->shown : NULL, reply ? &reply->shown : NULL);
	shown->has_repeats = has_repeats(first->connection);
	shown->complete = call && reply && call->shown.complete && reply->shown.complete;
	operation_add_number(head, "xid", first->shown.xid);
	if (known->program_known) {
		operation_add_number(head, "program", known->program);
		if (rtap_name_of(rpc_program_names, known->program))
			operation_add_text(head, "program_name", rtap_name_of(rpc_program_names, known->program));
		operation_add_number(head, "version", known->version);
		operation_add_number(head, "procedure", known->procedure);
	}
	if (call && call->shown.repeats)
		operation_add_number(head, "call_repeats", call->shown.repeats);
	operation->has_reply = reply;
	operation->was_rejected = reply && (reply->shown.rdma_error ||
					    (reply->shown.has_rpc_status && (!reply->shown.rpc_accepted || reply->shown.rpc_status)));
	head->complete = complete;
	head->concluded = true;
}

/*
 * Fills the operation of the call and its reply, without what their bodies show, when the first of them is reported. A call without a
 * reply is not outstanding, because it would be so forever.
 */
static void conclude_brief(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_operation *operation = (struct rpc_operation *)message->operation;
	struct rtap_operation *shown = &operation->head.shown;
	bool is_reply = message->shown.kind == RTAP_KIND_RPC_REPLY;
	const struct message *call = is_reply ? message->partner : message, *reply = is_reply ? message : message->partner;
	bool from_a = message->shown.from_a != is_reply;
	uint32_t *outstanding = &message->connection->outstanding[from_a];
	const struct rtap_message *first, *known;

	(void)tracker;
	if (!message->shown.is_rpc)
		return;
	if (!message->partner && message->shown.partner) {
		*outstanding -= is_reply && *outstanding;
		return;
	}
	first = call ? &call->shown : &reply->shown;
	known = first->program_known || !reply ? first : &reply->shown;
	/* members that are not set here stay 0 */
	shown->from_a = from_a;
	shown->layer = layer_of(known);
	shown->name = name_of(operation, NULL, NULL, known);
	shown->flags = RTAP_OPERATION_COSTLY;
	shown->request_frame = call ? first->first_frame : 0;
	shown->response_frame = reply ? reply->shown.first_frame : 0;
	shown->has_repeats = has_repeats(message->connection);
	shown->complete = call && reply && first->complete && reply->shown.complete;
	shown->has_status = shown->ok = shown->wanted = false;
	shown->status = NULL;
	shown->repeats = shown->time_lost_us = 0;
	shown->depth = 0;
	add_losses(shown, first);
	if (call && reply) {
		add_losses(shown, &reply->shown);
		shown->depth = *outstanding + 1;
		*outstanding += !is_reply;
	}
	if (reply)
		conclude_status(operation, &reply->shown, NULL);
	shown->first_data_ns = shown->last_data_ns = 0;
	conclude_times(shown, call ? first : NULL, reply ? &reply->shown : NULL);
	operation->head.concluded = true;
}

/* The operation is reported with the call. */
static void take_over_reply(struct rtap_tracker *tracker, struct rpc_operation *operation, struct message *reply)
{
	struct rpc_operation *answered = operation_of(reply);

	if (operation && answered && answered->kept[1]) {
		operation->kept[1] = answered->kept[1];
		answered->kept[1] = NULL;
		operation->head.memory += answered->head.memory;
		budget_charge(&tracker->budget, &tracker->messages, answered->head.memory);
	}
	operation_destroy(tracker, reply);
}

void rpc_operation_conclude(struct rtap_tracker *tracker, struct message *call, struct message *reply, bool called)
{
	struct rpc_operation *operation = operation_of(called ? call : reply);

	if (!rpc_operation_decodes(tracker))
		return;
	if (operation && !operation->head.concluded)
		fill(tracker, operation, called ? call : NULL, reply);
	if (called && reply)
		take_over_reply(tracker, operation, reply);
}
