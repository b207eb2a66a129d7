/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/array.h"
#include "dissect/engine/crc32.h"
#include "dissect/rpc/nfs.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_header.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_walk.h"
#include "dissect/rpc/rpcrdma.h"
#include "dissect/rpc/xdr_walk.h"
#include "base/memory.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/message_pair.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_conversation.h"
#include "reassembly/upper/rpc_exchange.h"
#include "reassembly/upper/rpc_items.h"
#include "reassembly/upper/rpc_operation.h"
#include "reassembly/upper/rpc_state.h"

/* Inserts write chunks into the results, and collects the operations. */
struct body_reader {
	struct xdr_sink sink;
	struct rtap_tracker *tracker;
	struct rtap_item *operations; /* `only`, or on the heap */
	struct rtap_item only;        /* most RPCs of most programs have only one */
	uint32_t operation_count, operation_room;
	const struct rpc_chunks *lists;    /* of the reply; NULL for a call */
	const struct request *request;     /* whose memory they name; NULL: they are empty */
	const struct rpc_send *send;
	struct rpc_noted *noted;           /* for the operation; NULL: not wanted */
	uint32_t next_chunk;
	uint32_t without_data;             /* earlier results that could have had data but had none */
	bool awaits_data;
	uint32_t status;
	bool has_status;
	bool in_chunk;                     /* a chunk was inserted for the last result with data */
	bool failed;                       /* a chunk could not be inserted */
	bool is_single;                    /* not a COMPOUND: the procedure is the only operation */
	const char *status_name;
};

/* The first one is reader->only (body_reader_init()), the next few use memory kept for reuse. */
static __attribute__((noinline)) bool make_operation_room(struct body_reader *reader)
{
	bool is_own = reader->operations == &reader->only;
	struct rtap_item *larger;
	uint32_t room = is_own ? 0 : reader->operation_room;

	larger = rpc_items_grow(reader->tracker, reader->operations, &room);
	if (!larger)
		return false;
	if (is_own)
		larger[0] = reader->only;
	reader->operations = larger;
	reader->operation_room = room;
	return true;
}

static void take_operation(struct xdr_sink *sink, uint32_t number, const char *name, uint64_t offset)
{
	struct body_reader *reader = (struct body_reader *)sink;
	struct rtap_item *operation;

	(void)offset;
	reader->without_data += reader->awaits_data;
	reader->awaits_data = number == NFS4_READ || number == NFS4_READLINK;
	if (reader->operation_count == reader->operation_room && !make_operation_room(reader))
		return;
	operation = &reader->operations[reader->operation_count++];
	operation->name = name;
	operation->status_name = NULL;
	operation->number = number;
	operation->status = 0;
	operation->has_status = false;
	if (reader->noted)
		rpc_operation_item(reader->noted, number, name);
	/* A call with one operation has nothing more to read. */
	else if (reader->is_single)
		sink->stop |= !reader->lists;
}

static void take_status(struct xdr_sink *sink, uint32_t status, const char *name)
{
	struct body_reader *reader = (struct body_reader *)sink;

	if (reader->operation_count) {
		struct rtap_item *last = &reader->operations[reader->operation_count - 1];

		last->has_status = true;
		last->status = status;
		last->status_name = name;
	}
	if (!reader->has_status || status) {
		reader->has_status = true;
		reader->status = status;
		reader->status_name = name;
	}
	/* Nor has its reply, unless chunks must be assigned to results. */
	if (reader->is_single && !reader->noted)
		sink->stop |= reader->lists && !reader->lists->write_chunks;
}

/*
 * Chunks match results in order. An empty returned chunk carried nothing: it belongs to an earlier result without data, else
 * to this one, which is inline then. The length of a used chunk is that of the result. RFC 8166, 3.4.6.2 and 4.3.2;
 * RFC 8267, 6.4.1.
 */
static void insert_chunk(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length)
{
	struct body_reader *reader = (struct body_reader *)sink;
	struct rpc_stream chunk = { 0 };
	uint32_t number;

	(void)ddp;
	(void)offset;
	reader->awaits_data = false;
	for (number = reader->next_chunk; number < reader->lists->write_chunks; number++) {
		uint64_t total = rpc_chunks_length(reader->lists, CHUNK_WRITE, number);

		if (total == length || (total > length && total == length + (-length & 3u)))
			break;
		if (total)
			return; /* of another result */
		if (!reader->without_data) {
			reader->next_chunk = number + 1;
			return;
		}
		reader->without_data--;
	}
	if (number == reader->lists->write_chunks)
		return;
	reader->next_chunk = number + 1;
	rpc_stream_add_chunk(&chunk, reader->lists, reader->request, CHUNK_WRITE, number);
	if (chunk.length == length)
		rpc_stream_add(&chunk, xdr_padding(length));
	reader->in_chunk = true;
	if (chunk.failed || !xdr_splice(xdr, chunk.extents, chunk.count))
		sink->stop = reader->failed = true;
	rpc_stream_fini(&chunk);
}

/* Whether data at this position of a call is in a read chunk. */
static bool is_in_read_chunk(const struct rpc_chunks *lists, uint64_t position)
{
	uint32_t first;

	return lists->count && (rpc_chunks_length(lists, CHUNK_READ, 0) ||
				rpc_chunks_find(lists, CHUNK_READ, (uint32_t)position, &first));
}

/* Data: inserts its chunk, and records for the operation the data in the message itself. */
static void note_data(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length)
{
	struct body_reader *reader = (struct body_reader *)sink;
	const struct rpc_chunks *lists = &reader->send->lists;

	reader->in_chunk = reader->lists ? lists->reply_chunk && rpc_chunks_length(lists, CHUNK_REPLY, 0) : is_in_read_chunk(lists, offset);
	if (reader->lists && reader->lists->write_chunks)
		insert_chunk(sink, xdr, ddp, offset, length);
	if (!reader->in_chunk)
		reader->noted->inline_bytes += length;
}

static void take_value(struct xdr_sink *sink, const struct xdr_value *value)
{
	rpc_operation_value(((struct body_reader *)sink)->noted, value);
}

/* For an operation, the arguments are read in detail. */
static __attribute__((noinline)) void note_body(struct body_reader *reader)
{
	reader->sink.eligible = note_data;
	if (reader->lists)
		return;
	reader->sink.value = take_value;
	reader->sink.unwanted = rpc_operation_unwanted(reader->noted);
	reader->sink.brief = false;
}

static void body_reader_init(struct body_reader *reader, struct rtap_tracker *tracker, const struct rtap_rpc_facts *facts)
{
	reader->tracker = tracker;
	reader->operations = &reader->only;
	reader->operation_room = 1;
	reader->sink.operation = take_operation;
	reader->sink.status = take_status;
	/* Without chunks there is nothing to insert. */
	reader->sink.eligible = reader->lists && reader->lists->write_chunks ? insert_chunk : NULL;
	reader->sink.unwanted = UINT64_MAX;
	reader->sink.brief = true;
	reader->is_single = !facts->is_callback && !(facts->program == RPC_PROGRAM_NFS && facts->version == 4);
	if (reader->noted)
		note_body(reader);
}

/* The holes of the stream, as reported with the message. */
static void list_missing(struct rpc_part *part, const struct xdr *xdr)
{
	struct rtap_missing *missing = NULL;
	uint32_t count = 0, room = 0;
	uint64_t offset = 0;

	for (uint32_t i = 0; i < xdr->count; offset += xdr->extents[i].length, i++) {
		const struct xdr_extent *extent = &xdr->extents[i];
		uint8_t reason = extent->offset & RPC_STREAM_CUT_OFF ? RTAP_MISSING_SNAPPED : RTAP_MISSING_NOT_CAPTURED;

		if (extent->kind != XDR_HOLE || !extent->length)
			continue;
		if (count && missing[count - 1].reason == reason && missing[count - 1].offset + missing[count - 1].length == offset) {
			missing[count - 1].length += extent->length;
			continue;
		}
		if (count == room) {
			struct rtap_missing *larger = array_reserve(missing, &room, count + 1, 8, UINT32_MAX, sizeof *larger);

			if (!larger)
				break;
			missing = larger;
		}
		missing[count++] = (struct rtap_missing){ offset, extent->length, true, reason };
	}
	part->missing = missing;
	part->missing_count = count;
}

static bool crc_of(const struct xdr *xdr, uint32_t *crc)
{
	*crc = 0;
	for (uint32_t i = 0; i < xdr->count; i++) {
		const struct xdr_extent *extent = &xdr->extents[i];

		if (extent->kind == XDR_BYTES)
			*crc = crc32_of(*crc, extent->bytes, extent->length);
		else if (extent->kind == XDR_ELSEWHERE && extent->offset)
			*crc = (uint32_t)crc32_combine64(*crc, (uint32_t)extent->offset, (z_off64_t)extent->length);
		else if (extent->length)
			return false;
	}
	crc32_release();
	return true;
}

/* A part being read: input and output of the walk. */
struct work {
	struct rpc_stream stream;
	struct xdr xdr;
	struct body_reader reader;
	struct rpc_part part;
	bool header_read;         /* completely: its status is known */
};

/* The packet that showed the message has read its header already, for a reply possibly without its call. */
static enum result read_header(struct work *work, const struct rtap_context *context)
{
	struct rtap_rpc_facts *facts = &work->part.facts;
	bool is_there = facts->header_length <= work->xdr.end - work->xdr.next;

	if (is_there && ((facts->present && facts->header_length && facts->program_known) || rpc_learn_call(facts, context)))
		return xdr_skip(&work->xdr, facts->header_length);
	return rpc_read_header(&work->xdr, context, facts);
}

/* Whether chunks without a matching result have bytes: their position in the stream is unknown. */
static bool has_unclaimed_data(const struct body_reader *reader)
{
	const struct rpc_chunks *lists = reader->lists;

	for (uint32_t i = 0; lists && i < lists->count; i++)
		if (lists->segments[i].list == CHUNK_WRITE && lists->segments[i].chunk >= reader->next_chunk && lists->segments[i].length)
			return true;
	return false;
}

/* After the walk over the body: records for the operation the data in chunks, and whether all results are known. */
static __attribute__((noinline)) void note_part(struct work *work, const struct rpc_send *send, const struct rpc_program *program, enum result result)
{
	struct rpc_noted *noted = work->reader.noted;
	const struct rtap_rpc_facts *facts = &work->part.facts;
	bool is_known = result == OK && facts->program_known && (facts->has_body ? program != NULL : !facts->is_private);

	rpc_operation_chunks(noted, &send->lists, work->reader.lists);
	noted->results_known = is_known;
	noted->data_known = !send->lists_cut && (is_known || noted->inline_bytes || noted->read_bytes || noted->call_bytes ||
						 noted->write_bytes || noted->reply_bytes);
}

/* `message`: to be filled from it; NULL: none. */
static void read_part(struct rtap_tracker *tracker, struct work *work, const struct rpc_send *send, const struct rtap_context *context,
		      bool from_a, struct message *message)
{
	struct rpc_part *part = &work->part;
	struct rpc_stream *stream = &work->stream;
	uint32_t used = stream->count, room = used + rpc_stream_extents(work->reader.lists, work->reader.request);
	const struct rpc_program *program = NULL;
	enum result result;

	*part = (struct rpc_part){
		.present = true, .from_a = from_a,
		.first_frame = send->first_frame, .last_frame = send->last_frame,
		.time_ns = send->time_ns, .time_end_ns = send->time_end_ns,
		.data_length = send->data_length,
		.read_chunks = send->lists.read_chunks, .write_chunks = send->lists.write_chunks, .reply_chunk = send->lists.reply_chunk,
		.facts = send->rpc,
	};
	if (room > stream->room && !rpc_stream_reserve(stream, room))
		return;
	xdr_init(&work->xdr, stream->extents, used, stream->room);
	/* In other versions it is unknown whether a message follows the fixed fields. */
	result = send->version > RPCRDMA_VERSION_1 ? MALFORMED : read_header(work, context);
	work->header_read = result == OK;
	work->reader.send = send;
	work->reader.noted = message ? rpc_operation_noted(message, &part->facts) : NULL;
	body_reader_init(&work->reader, tracker, &part->facts);
	if (result == OK && part->facts.has_body) {
		program = rpc_program_of_body(&part->facts);
		result = rpc_body_walk(program, &part->facts, &work->xdr, &work->reader.sink);
	}
	if (work->reader.noted)
		note_part(work, send, program, result);
	part->extents = work->xdr.extents;
	part->extent_count = work->xdr.count;
	part->length = work->xdr.total;
	list_missing(part, &work->xdr);
	part->is_laid_out = !stream->failed && !work->reader.failed && !has_unclaimed_data(&work->reader);
	part->complete = part->is_laid_out && !part->missing_count;
	if (work->reader.noted)
		rpc_operation_keep(tracker, message, part, result == OK);
}

/* Fills the message from the RPC header. */
static void show_header(struct rtap_message *shown, const struct rtap_rpc_facts *facts, const struct rpc_call *call)
{
	const struct request_lost *lost = shown->kind == RTAP_KIND_RPC_REPLY ? &call->request.write_lost : &call->request.read_lost;

	shown->is_rpc = true;
	shown->xid = call->xid;
	shown->program_known = facts->program_known;
	shown->program = facts->program;
	shown->version = facts->version;
	shown->procedure = facts->procedure;
	shown->rpc_accepted = facts->accepted;
	shown->rpc_status = facts->status;
	shown->repeats = call->repeats;
	recovery_add_time(&shown->time_lost_us, lost->time_us);
	shown->lost_to |= lost->to;
	recovery_add_count(&shown->resent, lost->resent);
	shown->length_known = true;
}

static void show_operations(struct message *message, const struct body_reader *reader)
{
	struct rtap_message *shown = &message->shown;

	shown->items = reader->operation_count ? reader->operations : NULL;
	if (shown->items == &reader->only) {
		message->item = reader->only;
		shown->items = &message->item;
	}
	shown->item_count = reader->operation_count;
	shown->has_status = reader->has_status;
	shown->status = reader->status;
	shown->status_name = reader->status_name;
}

/* Fills the message from a part. */
static void show_part(const struct rtap_tracker *tracker, struct message *message, const struct work *work, const struct rpc_call *call)
{
	struct rtap_message *shown = &message->shown;
	const struct rpc_part *part = &work->part;

	show_header(shown, &part->facts, call);
	show_operations(message, &work->reader);
	shown->read_chunks = part->read_chunks;
	shown->write_chunks = part->write_chunks;
	shown->reply_chunk = part->reply_chunk;
	shown->length = part->length;
	shown->complete = part->complete;
	shown->missing = part->missing;
	shown->missing_count = part->missing_count;
	shown->has_rpc_status = part->facts.is_reply && work->header_read;
	shown->last_frame = part->last_frame > shown->last_frame ? part->last_frame : shown->last_frame;
	shown->time_end_ns = part->time_end_ns;
	if (part->complete && tracker->keep & COVERAGE_CRC)
		shown->has_crc = crc_of(&work->xdr, &shown->crc32);
}

static void finish_part(struct rtap_tracker *tracker, struct message *message, struct work *work, const struct rpc_call *call)
{
	if (message) {
		show_part(tracker, message, work, call);
	} else {
		free((void *)(uintptr_t)work->part.missing);
		if (work->reader.operations && work->reader.operations != &work->reader.only)
			rpc_items_free(tracker, work->reader.operations, work->reader.operation_count);
	}
}

static void give_to_sinks(struct rtap_tracker *tracker, const struct rpc_call *call, const struct work *asked, const struct work *answered)
{
	const struct rtap_connection *connection = &call->request.connection->shown;
	struct rpc_exchange exchange = {
		.carrier = RPC_OVER_RDMA, .connection = connection, .stream = connection->number,
		.client = call->request.from_a ? connection->a : connection->b, .server = call->request.from_a ? connection->b : connection->a,
		.server_port = connection->has_service ? (uint16_t)connection->service_id : 0,
		.reverse = !call->request.from_a, .xid = call->xid, .call = asked->part, .reply = answered->part,
		.call_repeats = call->repeats, .rdma_error = call->rdma_error,
	};

	rpc_state_report(tracker, &exchange);
}

/* The reason for missing bytes is known for the whole; their number may be unknown. */
static void note_missing(struct rpc_part *part, const struct rpc_heard *heard)
{
	struct rtap_missing *missing = (struct rtap_missing *)(uintptr_t)part->missing;

	for (uint32_t i = 0; i < part->missing_count; i++) {
		missing[i].reason = heard->reason;
		/* Received bytes that were dropped do not count as missing if others never arrived. */
		if (heard->reason != RTAP_MISSING_EVICTED && missing[i].offset == heard->bytes.length && heard->seen < heard->length) {
			missing[i].length -= heard->seen - missing[i].offset;
			missing[i].offset = heard->seen;
		}
	}
	if (!heard->broken || part->missing_count)
		return;
	part->complete = part->is_laid_out = false;
	part->missing = missing = memory_new_zeroed(1, sizeof *missing);
	if (!missing)
		return;
	*missing = (struct rtap_missing){ .offset = part->length, .reason = heard->reason };
	part->missing_count = 1;
}

/* Keeps the bytes if they are wanted. */
static void keep_bytes(struct rtap_tracker *tracker, struct message *message, const struct rpc_heard *heard)
{
	struct coverage *data = &message->coverage;
	uint64_t fresh;

	if (!(tracker->keep & COVERAGE_BYTES) || !message->shown.complete || !heard->bytes.length)
		return;
	if (heard->bytes.length > tracker->budget.limit / 4 ||
	    !coverage_add(data, 0, heard->bytes.bytes, heard->bytes.length, 0, COVERAGE_BYTES, &fresh) || !data->bytes) {
		message->shown.bytes_evicted = true;
		return;
	}
	message->shown.bytes = (struct rtap_span){ data->bytes, heard->bytes.length };
	message->memory = coverage_memory(data);
	budget_charge(&tracker->budget, &tracker->messages, message->memory);
}

void rpc_exchange_show_plain(struct rtap_tracker *tracker, struct message *message, const struct rpc_heard *heard,
			     const struct rtap_rpc_facts *facts, const struct rpc_relation *relation)
{
	static const struct rpc_chunks none;
	struct xdr_extent borrowed[RPC_STREAM_BORROWED_EXTENTS];
	struct work work = { .stream = RPC_STREAM_BORROWED(borrowed), .reader.lists = facts->is_reply ? &none : NULL };
	const struct rpc_send send = {
		.bytes = (uint8_t *)(uintptr_t)heard->bytes.bytes, .captured = heard->bytes.length, .rpc = *facts,
		.first_frame = heard->first_frame, .last_frame = heard->last_frame,
		.time_ns = heard->time_ns, .time_end_ns = heard->time_end_ns,
	};
	/* Without RDMA nothing else is needed. */
	const struct rpc_call plain = { .xid = facts->xid, .repeats = relation->repeats };
	struct rtap_context context = { 0 };

	if (relation->call)
		rpc_set_call(&context, relation->call);
	rpc_stream_add_inline(&work.stream, &send, 0, heard->length > heard->bytes.length ? heard->length : heard->bytes.length);
	read_part(tracker, &work, &send, &context, message->shown.from_a, message);
	note_missing(&work.part, heard);
	show_part(tracker, message, &work, &plain);
	keep_bytes(tracker, message, heard);
	rpc_stream_fini(&work.stream);
}

/* Whether the header was read and the program of the body is known. */
static bool is_known(const struct rtap_rpc_facts *facts)
{
	return facts->present && facts->header_length && facts->program_known;
}

bool rpc_exchange_is_plain(const struct rtap_tracker *tracker, const struct rpc_call *call, const struct rpc_send *send)
{
	if (!tracker->reports || rpc_state_of(tracker)->sink_count || send->message_type != RDMA_MSG || send->lists_cut || send->captured < send->wire)
		return false;
	/* A call in read chunks only is known later. The write chunks of a reply show which data the call's regions have. */
	return is_known(&call->call.rpc) && (send == &call->call ? !send->lists.read_chunks : call->call.present && !send->lists.count);
}

/* A message whose extents must be walked. */
static void read_extents(struct rtap_tracker *tracker, const struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes)
{
	struct xdr_extent borrowed[RPC_STREAM_BORROWED_EXTENTS];
	struct work work = { .stream = RPC_STREAM_BORROWED(borrowed) };
	struct rtap_context context = { 0 };

	if (send == &call->reply) {
		work.reader.lists = &send->lists;
		rpc_set_call(&context, &call->call.rpc);
	}
	send->bytes = (uint8_t *)(uintptr_t)bytes;
	rpc_stream_add_inline(&work.stream, send, send->lists.header_length, send->wire);
	read_part(tracker, &work, send, &context, send->shown->shown.from_a, send->shown);
	send->bytes = NULL;
	show_part(tracker, send->shown, &work, call);
	rpc_stream_fini(&work.stream);
}

/* Completes the facts of its header from those of the call. False: the header must be read again. */
static bool know_header(const struct rpc_call *call, struct rpc_send *send)
{
	struct rtap_context context = { 0 };

	if (send->rpc.header_length > send->wire - send->lists.header_length)
		return false;
	if (is_known(&send->rpc))
		return true;
	rpc_set_call(&context, &call->call.rpc);
	return send == &call->reply && rpc_learn_call(&send->rpc, &context);
}

static void walk_operations(struct rtap_tracker *tracker, struct message *message, const struct rtap_rpc_facts *facts, const uint8_t *body,
			    uint64_t length)
{
	static const struct rpc_chunks none;
	struct xdr_extent extent = { XDR_BYTES, body, 0, length };
	struct body_reader reader = { .lists = facts->is_reply ? &none : NULL };
	struct xdr xdr;

	xdr_init(&xdr, &extent, 1, 1);
	body_reader_init(&reader, tracker, facts);
	/* Of an inconsistent body, what was read before the error counts. */
	rpc_body_walk(rpc_program_of_body(facts), facts, &xdr, &reader.sink);
	show_operations(message, &reader);
}

void rpc_exchange_read_plain(struct rtap_tracker *tracker, const struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes)
{
	struct message *message = send->shown;
	struct rtap_message *shown = &message->shown;
	const uint8_t *rpc = bytes + send->lists.header_length, *body;
	uint32_t length = send->wire - send->lists.header_length;

	if ((send == &call->reply && send->lists.write_chunks) || !know_header(call, send) || rpc_operation_decodes(tracker)) {
		read_extents(tracker, call, send, bytes);
		return;
	}
	body = rpc + send->rpc.header_length;
	show_header(shown, &send->rpc, call);
	switch (rpc_body_outline(rpc_program_of_body(&send->rpc), &send->rpc, body, (uint64_t)(rpc + length - body), &message->item)) {
	case RPC_OUTLINE_NONE:
		break;
	case RPC_OUTLINE_ONE:
		shown->items = &message->item;
		shown->item_count = 1;
		shown->has_status = message->item.has_status;
		shown->status = message->item.status;
		shown->status_name = message->item.status_name;
		break;
	case RPC_OUTLINE_WALK:
		walk_operations(tracker, message, &send->rpc, body, (uint64_t)(rpc + length - body));
		break;
	}
	shown->read_chunks = send->lists.read_chunks;
	shown->write_chunks = send->lists.write_chunks;
	shown->reply_chunk = send->lists.reply_chunk;
	shown->length = length;
	shown->complete = true;
	shown->has_rpc_status = send->rpc.is_reply;
	shown->last_frame = send->last_frame;
	shown->time_end_ns = send->time_end_ns;
	if (tracker->keep & COVERAGE_CRC) {
		shown->has_crc = true;
		shown->crc32 = crc32_of(0, rpc, length);
		crc32_release();
	}
}

/* Reads the stored call and reply: the usual way if their data lies in chunks. */
static void read_exchange(struct rtap_tracker *tracker, struct rpc_call *call)
{
	struct xdr_extent borrowed[2][RPC_STREAM_BORROWED_EXTENTS];
	struct work asked = { .stream = RPC_STREAM_BORROWED(borrowed[0]) }, answered = { .stream = RPC_STREAM_BORROWED(borrowed[1]) };
	struct rtap_context context = { 0 };

	if (call->call.present && call->call.bytes) {
		rpc_stream_build_call(&asked.stream, &call->call, &call->request);
		read_part(tracker, &asked, &call->call, &context, call->request.from_a, call->call.is_read ? NULL : call->call.shown);
	}
	if (call->reply.present && call->reply.bytes) {
		/*
		 * The reply shows what was written, but the capture truncated the call's list of where: the data is missing
		 * for that reason.
		 */
		call->reply.lists.not_captured = call->call.lists_cut;
		rpc_set_call(&context, call->call.present && !call->call.is_read ? &asked.part.facts : &call->call.rpc);
		if (!call->rdma_error) {
			if (call->reply.lists.reply_chunk && rpc_chunks_length(&call->reply.lists, CHUNK_REPLY, 0))
				rpc_stream_add_chunk(&answered.stream, &call->reply.lists, &call->request, CHUNK_REPLY, 0);
			else
				rpc_stream_add_inline(&answered.stream, &call->reply, call->reply.lists.header_length, call->reply.wire);
		}
		answered.reader.lists = &call->reply.lists;
		answered.reader.request = &call->request;
		read_part(tracker, &answered, &call->reply, &context, !call->request.from_a, call->reply.is_read ? NULL : call->reply.shown);
		if (!answered.part.facts.program_known && context.rpc_known) {
			/* its header was not captured */
			answered.part.facts.program_known = true;
			answered.part.facts.program = context.rpc_program;
			answered.part.facts.version = context.rpc_version;
			answered.part.facts.procedure = context.rpc_procedure;
		}
	}
	if (rpc_state_of(tracker)->sink_count && (asked.part.present || answered.part.present))
		give_to_sinks(tracker, call, &asked, &answered);
	finish_part(tracker, call->call.is_read ? NULL : call->call.shown, &asked, call);
	finish_part(tracker, call->reply.is_read ? NULL : call->reply.shown, &answered, call);
	rpc_stream_fini(&asked.stream);
	rpc_stream_fini(&answered.stream);
}

static void show_error(struct rtap_message *shown, const struct rpc_send *send, const struct rpc_call *call)
{
	shown->rdma_version = send->version;
	shown->rdma_error = call->rdma_error;
	shown->has_rdma_versions = call->has_versions;
	shown->rdma_version_low = call->version_low;
	shown->rdma_version_high = call->version_high;
}

void rpc_exchange_conclude(struct rtap_tracker *tracker, struct rpc_call *call)
{
	struct message *call_shown = call->call.shown, *reply_shown = call->reply.shown;
	int64_t end_ns;

	if (call->call.bytes || call->reply.bytes || (call_shown && !call->call.is_read) || (reply_shown && !call->reply.is_read))
		read_exchange(tracker, call);
	if (call_shown && reply_shown) {
		message_pair(call_shown, reply_shown);
		end_ns = reply_shown->taken_ns > call->reply.time_end_ns ? reply_shown->taken_ns : call->reply.time_end_ns;
		/* If the capture swapped them, the latency is unknown. */
		reply_shown->shown.has_latency = end_ns >= call->call.time_ns;
		reply_shown->shown.latency_ns = end_ns - call->call.time_ns;
		call_shown->shown.has_latency = reply_shown->shown.has_latency;
		call_shown->shown.latency_ns = reply_shown->shown.latency_ns;
	}
	/* Only now is the outcome of the call known. */
	if (call_shown) {
		show_error(&call_shown->shown, &call->call, call);
		message_release(tracker, call_shown);
	}
	if (reply_shown) {
		show_error(&reply_shown->shown, &call->reply, call);
		message_release(tracker, reply_shown);
	}
	if (call_shown && call_shown->operation && rpc_operation_decodes(tracker))
		request_show_data(&call->request, call_shown->operation);
	rpc_operation_conclude(tracker, call_shown, reply_shown, call->call.present);
}
