/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dissect/rpc/nfs4.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_status.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/store/memory.h"
#include "reassembly/upper/rpc_operation.h"

#define HASH_TEXT 11    /* "0x12345678" */
#define NUMBER_TEXT 24
#define TO_THE_END UINT64_MAX /* length of LOCK and others: RFC 8881, 18.10.3 */

struct rpc_operation {
	struct operation head;
	struct rpc_noted noted;
	char id[HASH_TEXT], name[NUMBER_TEXT], status[NUMBER_TEXT];
};

static struct rpc_operation *operation_of(const struct message *message)
{
	return message ? (struct rpc_operation *)message->operation : NULL;
}

static void conclude_alone(struct rtap_tracker *tracker, struct message *message)
{
	bool is_reply = message->shown.kind == RTAP_KIND_RPC_REPLY;

	rpc_operation_conclude(tracker, is_reply ? NULL : message, is_reply ? message : NULL, !is_reply);
}

void rpc_operation_begin(struct rtap_tracker *tracker, struct message *message, bool known_call)
{
	if (tracker->options.operation && !message->operation)
		operation_create(tracker, message, sizeof(struct rpc_operation), known_call ? NULL : conclude_alone);
}

struct rpc_noted *rpc_operation_noted(struct message *message, const struct rtap_rpc_facts *facts)
{
	struct rpc_operation *operation = operation_of(message);

	if (!operation)
		return NULL;
	operation->noted = (struct rpc_noted){
		.is_nfs = facts->is_callback || (facts->program_known && facts->program == RPC_PROGRAM_NFS),
		.is_compound = facts->program_known && facts->program == RPC_PROGRAM_NFS && facts->version == 4,
		.is_callback = facts->is_callback,
	};
	return &operation->noted;
}

static const struct rpc_handle unknown_handle, root_handle = { .is_root = true };

/* How an operation of a COMPOUND changes the current and the saved handle. RFC 8881, 16.2.3.1. */
static void follow_handles(struct rpc_noted *noted, uint32_t number)
{
	switch (number) {
	case NFS4_PUTROOTFH:
		noted->current = root_handle;
		break;
	case NFS4_SAVEFH:
		noted->saved = noted->current;
		break;
	case NFS4_RESTOREFH:
		noted->current = noted->saved;
		break;
	case NFS4_PUTFH: /* its value follows */
	case NFS4_PUTPUBFH:
	case NFS4_LOOKUP:
	case NFS4_LOOKUPP:
	case NFS4_OPEN:
	case NFS4_OPENATTR:
	case NFS4_CREATE:
		noted->current = unknown_handle;
		break;
	}
}

void rpc_operation_item(struct rpc_noted *noted, uint32_t number, const char *name)
{
	uint8_t tier = noted->is_compound ? nfs4_tier(number) : noted->is_callback && number == NFS_CB_SEQUENCE;

	/* PUTROOTFH says what the others work on. */
	noted->is_main = !noted->has_item || tier < noted->tier ||
			 (noted->is_compound && tier == noted->tier && (noted->number == NFS4_PUTROOTFH || noted->number == NFS4_PUTPUBFH));
	if (noted->is_main) {
		noted->has_item = true;
		noted->tier = tier;
		noted->number = number;
		noted->name = name;
		/* RENAME moves a name of the saved directory. */
		noted->handle = noted->is_compound ? number == NFS4_RENAME ? noted->saved : noted->current : unknown_handle;
		noted->has_offset = noted->has_length = noted->has_file = false;
	}
	if (noted->is_compound)
		follow_handles(noted, number);
}

static void note_file(struct rpc_noted *noted, const struct xdr_value *value)
{
	if (noted->has_file || !value->data.bytes || value->data.length > sizeof noted->file)
		return;
	memcpy(noted->file, value->data.bytes, value->data.length);
	noted->file_length = value->data.length;
	noted->has_file = true;
}

static void note_handle(struct rpc_noted *noted, const struct xdr_value *value)
{
	const struct rpc_handle handle = { .hash = (uint32_t)value->number, .known = true };

	if (noted->is_compound)
		noted->current = handle;
	/* RENAME and LINK of NFSv3 have two. */
	else if (noted->is_main && !noted->handle.known)
		noted->handle = handle;
}

void rpc_operation_value(struct rpc_noted *noted, const struct xdr_value *value)
{
	if (value->row == NFS_FH_HASH)
		note_handle(noted, value);
	if (!noted->is_nfs || !noted->is_main || value->tag == NFS_TAG_TO)
		return;
	switch (value->row) {
	case NFS_NAME:
	case NFS_COMPONENT:
		note_file(noted, value);
		break;
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

uint64_t rpc_operation_unwanted(void)
{
	static const uint16_t rows[] = {
		NFS_FH_HASH, NFS_NAME, NFS_COMPONENT, NFS_OFFSET3, NFS_OFFSET4, NFS_COUNT3, NFS_COUNT4, NFS_LENGTH4, NFS_WRITE_LENGTH,
	};
	uint64_t wanted = 0;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		wanted |= UINT64_C(1) << rows[i] % 64;
	return ~wanted;
}

void rpc_operation_chunks(struct rpc_noted *noted, const struct chunk_lists *lists, bool is_reply)
{
	for (uint32_t i = 0; i < lists->count; i++) {
		if (lists->segments[i].list == CHUNK_READ)
			noted->read_bytes += lists->segments[i].length;
		else if (is_reply)
			noted->write_bytes += lists->segments[i].length;
	}
}

/* "0x12345678", "0x12345678/name", "/name", or NULL. */
static char *make_object(const struct rpc_noted *noted)
{
	size_t room = HASH_TEXT + 1 + (noted->has_file ? noted->file_length : 0) + 1;
	char *object;
	int used = 0;

	if (!noted->handle.known && !noted->handle.is_root && !noted->has_file)
		return NULL;
	object = memory_new(room);
	if (!object)
		return NULL;
	if (noted->handle.known)
		used = snprintf(object, room, "0x%08" PRIx32, noted->handle.hash);
	if (noted->has_file || noted->handle.is_root)
		object[used++] = '/';
	if (noted->has_file)
		memcpy(object + used, noted->file, noted->file_length);
	object[(size_t)used + (noted->has_file ? noted->file_length : 0)] = 0;
	return object;
}

static const char *name_of(struct rpc_operation *owner, const struct rpc_operation *call, const struct rpc_operation *reply,
			   const struct rtap_message *message)
{
	const struct rpc_operation *from = call && call->noted.has_item ? call : reply && reply->noted.has_item ? reply : NULL;
	const struct rpc_program *program = message->program_known ? rpc_program_find(message->program, message->version) : NULL;
	const char *name = from ? from->noted.name : program ? rpc_program_procedure(program, message->procedure) : NULL;

	if (name || !(from || message->program_known))
		return name;
	snprintf(owner->name, sizeof owner->name, "%" PRIu32, from ? from->noted.number : message->procedure);
	return owner->name;
}

/* How the data moved, and how much. */
static void conclude_data(struct rtap_operation *shown, const struct rpc_noted *call, const struct rpc_noted *reply)
{
	uint64_t bytes[RTAP_CARRIED_COUNT] = { 0 };
	unsigned kinds = 0;

	bytes[RTAP_CARRIED_INLINE] = (call ? call->inline_bytes : 0) + (reply ? reply->inline_bytes : 0);
	bytes[RTAP_CARRIED_READ] = call ? call->read_bytes : 0;
	bytes[RTAP_CARRIED_WRITE] = reply ? reply->write_bytes : 0;
	for (unsigned i = 0; i < RTAP_CARRIED_COUNT; i++) {
		if (!bytes[i])
			continue;
		shown->carried = (uint8_t)(kinds++ ? RTAP_CARRIED_MIXED : i);
		shown->data_bytes += bytes[i];
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
	shown->first_data_ns -= shown->time_ns;
	shown->last_data_ns -= shown->time_ns;
}

static void add_message(struct rtap_tracker *tracker, struct operation *operation, const struct message *message, const struct rpc_noted *noted)
{
	const struct rtap_message *shown = &message->shown;

	if (noted && noted->inline_bytes)
		operation_add_data(operation, shown->first_frame, shown->time_ns, shown->last_frame, shown->time_end_ns);
	operation_add_missing(tracker, operation, shown, shown->kind == RTAP_KIND_RPC_REPLY);
	operation->shown.repeats += shown->resent;
	recovery_add_time(&operation->shown.time_lost_us, shown->time_lost_us);
	operation->shown.wanted |= shown->wanted;
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
	uint8_t transport = first->connection->shown.transport;

	shown->from_a = call ? call->shown.from_a : !reply->shown.from_a;
	shown->layer = (asked && asked->is_nfs) || (answered && answered->is_nfs) ||
		       (known->program_known && known->program == RPC_PROGRAM_NFS) ? "nfs" : "rpc";
	shown->name = name_of(operation, call_operation, reply_operation, known);
	snprintf(operation->id, sizeof operation->id, "0x%08" PRIx32, first->shown.xid);
	shown->id = operation->id;
	if (asked) {
		head->object = make_object(asked);
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
	shown->has_repeats = transport != RTAP_TRANSPORT_TCP && transport != RTAP_TRANSPORT_UDP;
	shown->complete = call && reply && call->shown.complete && reply->shown.complete;
	operation_add_number(head, "xid", first->shown.xid);
	if (known->program_known) {
		operation_add_number(head, "program", known->program);
		operation_add_number(head, "version", known->version);
		operation_add_number(head, "procedure", known->procedure);
	}
	if (call && call->shown.repeats)
		operation_add_number(head, "call_repeats", call->shown.repeats);
	head->concluded = true;
}

void rpc_operation_conclude(struct rtap_tracker *tracker, struct message *call, struct message *reply, bool called)
{
	struct rpc_operation *operation = operation_of(called ? call : reply);

	if (operation && !operation->head.concluded)
		fill(tracker, operation, called ? call : NULL, reply);
	/* Reported with the call. */
	if (called && reply)
		operation_destroy(tracker, reply);
}
