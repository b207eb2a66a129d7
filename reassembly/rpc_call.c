/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/protocol.h"
#include "reassembly/memory.h"
#include "reassembly/message_queue.h"
#include "reassembly/rpc_answers.h"
#include "reassembly/rpc_call.h"
#include "reassembly/rpc_operations.h"
#include "reassembly/rpc_region.h"

#define RDMA_MSG 0
#define RDMA_NOMSG 1
#define RDMA_ERROR 4
#define UNCHUNKED_LENGTH 28
#define MAX_GATHERED (1u << 20) /* bytes of a message in chunks that the packet view shows */
#define MAX_OVERTAKING 32 /* READs and WRITEs captured before the call that they are about */
#define MOST_SPARE 1024 /* calls whose memory is kept for others */
#define MAX_CALLS 65536 /* of one connection; a server grants credits for far fewer */

struct call_key {
	const struct connection *connection;
	uint32_t xid;
	bool from_a;
};

static uint64_t hash_of(const struct call_key *key)
{
	uint64_t words[2] = { (uintptr_t)key->connection, (uint64_t)key->from_a << 32 | key->xid };

	return map_hash(words, 2);
}

static bool same_call(const void *value, const void *wanted)
{
	const struct rpc_call *call = value;
	const struct call_key *key = wanted;

	return call->connection == key->connection && call->xid == key->xid && call->from_a == key->from_a;
}

static struct rpc_call *find_hashed(const struct rtap_tracker *tracker, const struct call_key *key, uint64_t hash)
{
	return map_find(&tracker->calls, hash, same_call, key);
}

static struct rpc_call *find_call(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a, uint32_t xid)
{
	struct call_key key = { connection, xid, from_a };
	struct rpc_call *last = connection->last_call;

	/* where calls come one by one it is the last */
	if (!last || (last->mapped && last->xid == xid && last->from_a == from_a))
		return last;
	return find_hashed(tracker, &key, hash_of(&key));
}

static bool is_told(const struct rtap_tracker *tracker)
{
	return tracker->options.message || tracker->exchange;
}

static bool is_half(const struct connection *connection)
{
	return !connection->ddp && (!connection->flows[0] || !connection->flows[1]);
}

/* Whether the call that names memory can come after its data, or its side is not known yet. */
static bool may_come_later(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return is_told(tracker) && (is_half(connection) || connection->upper == RTAP_UPPER_RPCRDMA);
}

bool rpc_call_may_want(const struct rtap_tracker *tracker, const struct connection *connection)
{
	return tracker->regions.count || may_come_later(tracker, connection);
}

void rpc_call_claim(struct rtap_tracker *tracker, struct message *message)
{
	if (!message->shown.has_key)
		return;
	message->segment = tracker->regions.count ? rpc_region_find(tracker, message) : NULL;
	if (message->segment) {
		message->segment->call->claimed++;
		/* bytes are kept of all its packets or of none */
		message->bytes_wanted = message->segment->keep_bytes || message->coverage.bytes;
	} else if (may_come_later(tracker, message->connection)) {
		message->bytes_wanted = true;
	}
}

/*
 * The last requests of the answering side may be about memory that has become known only now: the point of capture can swap
 * packets. What is before a SEND of that side is another call's, and keys are used again.
 */
static void claim_overtaking(struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	struct message *message = stream->tail;

	for (int i = 0; message && message->shown.verb != RTAP_VERB_SEND && i < MAX_OVERTAKING; message = message->before, i++)
		if (!message->segment)
			rpc_call_claim(tracker, message);
}

/* Both ends are known now: what one has requested since the other called may be the call's. */
static void claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	for (struct message *message = stream->head; message; message = message->behind) {
		if (message->segment)
			continue;
		rpc_call_claim(tracker, message);
		if (message->segment && message->shown.first_frame < message->segment->call->call.first_frame) {
			message->segment->call->claimed--;
			message->segment = NULL;
		}
	}
}

static void free_spare(struct rpc_call *call)
{
	chunk_lists_fini(&call->call.lists);
	chunk_lists_fini(&call->reply.lists);
	free(call);
}

static void free_call(struct rtap_tracker *tracker, struct rpc_call *call)
{
	struct connection *connection = call->connection;

	if (call->mapped)
		map_remove(&tracker->calls, call->hash, call);
	for (uint32_t i = 0; i < call->call.lists.count; i++)
		if (call->call.lists.segments[i].hash)
			rpc_region_close(tracker, &call->call.lists.segments[i]);
	*(call->before ? &call->before->behind : &connection->first_call) = call->behind;
	*(call->behind ? &call->behind->before : &connection->last_call) = call->before;
	connection->calls--;
	budget_give(&tracker->budget, &connection->holder, call->memory < connection->holder.bytes ? call->memory : connection->holder.bytes);
	chunk_lists_empty(&call->call.lists);
	chunk_lists_empty(&call->reply.lists);
	if (call->call.bytes)
		free(call->call.bytes);
	if (call->reply.bytes)
		free(call->reply.bytes);
	if (tracker->spare_calls == MOST_SPARE) {
		free_spare(call);
		return;
	}
	call->behind = tracker->spare_call;
	tracker->spare_call = call;
	tracker->spare_calls++;
}

void rpc_calls_fini(struct rtap_tracker *tracker)
{
	while (tracker->spare_call) {
		struct rpc_call *call = tracker->spare_call;

		tracker->spare_call = call->behind;
		free_spare(call);
	}
	rpc_operations_fini(tracker);
}

/* Messages that were claimed for a call that goes lose their region. */
static void unclaim(struct rpc_call *call)
{
	for (int side = 0; side < 2 && call->claimed; side++)
		for (struct message *message = call->connection->streams[side].head; message; message = message->behind)
			if (message->segment && message->segment->call == call)
				message->segment = NULL;
}

static void end_call(struct rtap_tracker *tracker, struct rpc_call *call)
{
	if (is_told(tracker))
		rpc_exchange_conclude(tracker, call);
	unclaim(call);
	free_call(tracker, call);
}

static struct rpc_call *create_call(struct rtap_tracker *tracker, struct connection *connection, bool from_a, uint32_t xid)
{
	struct chunk_lists of_call = { 0 }, of_reply = { 0 };
	struct rpc_call *call;

	if (connection->calls >= MAX_CALLS) {
		tracker->counters.evictions++;
		end_call(tracker, connection->first_call);
	}
	call = tracker->spare_call;
	if (call) {
		tracker->spare_call = call->behind;
		tracker->spare_calls--;
		of_call = call->call.lists;
		of_reply = call->reply.lists;
	} else {
		call = memory_new(sizeof *call);
	}
	if (!call)
		return NULL;
	*call = (struct rpc_call){
		.connection = connection, .from_a = from_a, .xid = xid, .memory = sizeof *call, .call.lists = of_call, .reply.lists = of_reply,
	};
	budget_charge(&tracker->budget, &connection->holder, call->memory);
	call->before = connection->last_call;
	*(call->before ? &call->before->behind : &connection->first_call) = call;
	connection->last_call = call;
	connection->calls++;
	return call;
}

/* Where the RPC-over-RDMA message stands in the packet. */
static bool locate(const struct rtap_packet *packet, const uint8_t **bytes, uint32_t *captured, uint32_t *wire)
{
	/* nearly always it is the frame's payload */
	if (packet->source_count == 1) {
		*bytes = packet->sources[0].bytes + packet->payload.offset;
		*captured = packet->payload.captured;
		*wire = packet->payload.wire;
		return true;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];

		if (layer->protocol != PROTOCOL_RPCRDMA)
			continue;
		*bytes = layer_bytes(packet, layer);
		if (layer->source != packet->payload.source) {
			*captured = packet->sources[layer->source].captured - layer->offset;
			*wire = packet->sources[layer->source].wire - layer->offset;
		} else {
			*captured = packet->payload.captured;
			*wire = packet->payload.wire;
		}
		return true;
	}
	return false;
}

/* Whether the packet that shows the call or its reply can be another than this one, of which all is needed then. */
static bool is_shown_elsewhere(const struct rtap_packet *packet)
{
	return packet->rpcrdma.reply_chunk || packet->rpcrdma.read_segments;
}

/* Keeps what the call or reply is read from when it is concluded. */
static bool keep_send(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes)
{
	send->bytes = memory_new(send->captured + 1);
	if (!send->bytes)
		return false;
	memcpy(send->bytes, bytes, send->captured);
	call->memory += send->captured + 1;
	budget_charge(&tracker->budget, &call->connection->holder, send->captured + 1);
	return true;
}

/*
 * The dissection has found an RPC-over-RDMA header of no more than the fixed part and three empty lists (RFC 8166, 4.3). One that ends
 * with what was captured can have been cut there.
 */
static bool has_no_chunks(const struct rtap_packet *packet, uint32_t captured)
{
	return packet->rpcrdma.message_type == RDMA_MSG && packet->rpcrdma.length == UNCHUNKED_LENGTH && captured > UNCHUNKED_LENGTH;
}

static bool fill_send(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, const struct message *message,
		      const struct rtap_packet *packet, enum rtap_message_kind kind)
{
	const uint8_t *bytes;

	send->present = true;
	send->rpc = packet->rpc;
	send->rpc_frame = packet->frame->number;
	send->rpc_time_ns = packet->frame->time_ns;
	send->message_type = packet->rpcrdma.message_type;
	send->first_frame = message->shown.first_frame;
	send->last_frame = message->shown.last_frame;
	send->time_ns = message->shown.time_ns;
	send->time_end_ns = message->shown.time_end_ns;
	if (!is_told(tracker) && !is_shown_elsewhere(packet))
		return true;
	if (!locate(packet, &bytes, &send->captured, &send->wire))
		return false;
	if (has_no_chunks(packet, send->captured)) {
		send->lists.header_length = UNCHUNKED_LENGTH;
	} else if (packet->rpcrdma.message_type != RDMA_ERROR &&
	    !chunk_lists_read(&send->lists, bytes, send->captured, send->captured < send->wire)) {
		if (send->captured == send->wire)
			return false;
		send->data_length = chunk_lists_data(&send->lists);
		chunk_lists_empty(&send->lists);
		send->lists_cut = true;
		send->lists.header_length = send->captured;
	} else {
		send->data_length = chunk_lists_data(&send->lists);
	}
	send->is_read = rpc_exchange_is_plain(tracker, call, send);
	if (!send->is_read && !keep_send(tracker, call, send, bytes))
		return false;
	if (!is_told(tracker))
		return true;
	send->shown = message_create(tracker, call->connection, send->first_frame, send->time_ns);
	if (send->shown) {
		send->shown->shown.kind = (uint8_t)kind;
		send->shown->shown.verb = RTAP_VERB_SEND;
		send->shown->shown.from_a = message->shown.from_a;
		send->shown->shown.psn = message->shown.psn;
		send->shown->shown.credits = packet->rpcrdma.credits;
		send->shown->call = call;
		tracker->touched_rpc = send->shown;
		if (send->is_read)
			rpc_exchange_read(tracker, call, send, bytes);
	}
	return true;
}

/* Whether a call with the number of another is that one sent again. */
static bool is_same_procedure(const struct rtap_rpc_facts *call, const struct rtap_rpc_facts *other)
{
	return call->program_known && other->program_known && call->program == other->program && call->version == other->version &&
	       call->procedure == other->procedure;
}

/* Makes the regions of the call known that something has to be known of. */
static void open_regions(struct rtap_tracker *tracker, struct rpc_call *call)
{
	for (uint32_t i = 0; i < call->call.lists.count; i++) {
		struct chunk_segment *segment = &call->call.lists.segments[i];

		segment->call = call;
		/* what is part of the message's skeleton is needed to read it */
		segment->keep_bytes = tracker->keep & COVERAGE_BYTES || tracker->payload || segment->list == CHUNK_REPLY ||
				      (segment->list == CHUNK_READ && !segment->chunk);
		if (segment->list == CHUNK_READ)
			call->read_left += segment->length;
		if (segment->keep_bytes || segment->list == CHUNK_READ || is_told(tracker))
			rpc_region_open(tracker, segment);
	}
}

static void begin_call(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet)
{
	struct connection *connection = message->connection;
	bool from_a = message->shown.from_a;
	struct call_key key = { connection, packet->rpcrdma.xid, from_a };
	uint64_t hash = hash_of(&key);
	struct rpc_call *call = connection->last_call ? find_hashed(tracker, &key, hash) : NULL;
	const struct rpc_answer *answer = call ? NULL : rpc_answers_find(connection, from_a, packet->rpcrdma.xid);
	uint64_t repeats = answer && is_same_procedure(&packet->rpc, &answer->rpc) ? answer->calls + 1 : 0;

	if (call) {
		/* sent again, or its number is used again */
		repeats = !call->reply.present || is_same_procedure(&packet->rpc, &call->call.rpc) ? call->repeats + 1 : 0;
		map_remove(&tracker->calls, call->hash, call);
		call->mapped = false;
		if (!call->reply.present)
			end_call(tracker, call);
	}
	call = create_call(tracker, connection, from_a, packet->rpcrdma.xid);
	if (!call) {
		tracker->counters.evictions++;
		return;
	}
	call->repeats = repeats;
	call->hash = hash;
	call->mapped = map_add(&tracker->calls, call->hash, call);
	if (!fill_send(tracker, call, &call->call, message, packet, RTAP_KIND_RPC_CALL)) {
		end_call(tracker, call);
		return;
	}
	open_regions(tracker, call);
	if (call->call.lists.count)
		claim_overtaking(tracker, &connection->streams[!from_a]);
}

/* Gathers, from `at` on, the chunk of a kind as `lists` tell its lengths, whose regions are the call's. False: it has holes. */
static bool gather_chunk(struct rtap_tracker *tracker, const struct rpc_call *call, const struct chunk_lists *lists, enum chunk_list list,
			 uint64_t at)
{
	const struct psn_stream *stream = &call->connection->streams[!call->from_a];
	struct coverage *whole = &tracker->gathered;
	uint64_t end = at;

	for (uint32_t i = 0; i < lists->count; i++) {
		const struct chunk_segment *segment = &lists->segments[i], *source = segment;

		if (segment->list != list || segment->chunk)
			continue;
		for (uint32_t j = 0; j < call->call.lists.count && lists != &call->call.lists; j++)
			if (call->call.lists.segments[j].list == list && call->call.lists.segments[j].r_key == segment->r_key &&
			    call->call.lists.segments[j].offset == segment->offset)
				source = &call->call.lists.segments[j];
		if (segment->length > MAX_GATHERED - (end - at) || !rpc_region_gather(whole, end, source, stream))
			return false;
		end += segment->length;
	}
	return end > at && whole->count == 1 && !coverage_runs(whole)->begin && coverage_runs(whole)->end >= end;
}

static bool gather_reply(struct rtap_tracker *tracker, const struct rpc_call *call, const struct chunk_lists *lists,
			 struct rtap_span *whole)
{
	uint32_t length = 0;

	coverage_fini(&tracker->gathered);
	if (!gather_chunk(tracker, call, lists, CHUNK_REPLY, 0))
		return false;
	for (uint32_t i = 0; i < lists->count; i++)
		length += lists->segments[i].list == CHUNK_REPLY ? lists->segments[i].length : 0;
	*whole = (struct rtap_span){ tracker->gathered.bytes, length };
	return true;
}

/* The call behind its RPC-over-RDMA header, whose lists tell what it lacks. */
static bool gather_call(struct rtap_tracker *tracker, const struct rpc_call *call, struct rtap_context *context)
{
	const struct rpc_send *send = &call->call;
	struct coverage *whole = &tracker->gathered;
	uint64_t fresh;

	if (!send->bytes || send->captured < send->wire)
		return false;
	context->chunk_header = send->lists.header_length;
	if (send->message_type != RDMA_NOMSG) {
		context->chunk = (struct rtap_span){ send->bytes, send->captured };
		return true;
	}
	coverage_fini(whole);
	if (!coverage_add(whole, 0, send->bytes, send->lists.header_length, 0, COVERAGE_BYTES, &fresh) ||
	    !gather_chunk(tracker, call, &send->lists, CHUNK_READ, send->lists.header_length))
		return false;
	context->chunk = (struct rtap_span){ whole->bytes, (uint32_t)whole->total };
	return true;
}

/* Whether a READ has brought all that it asked for, or what the capture left of it. */
static bool is_over(const struct message *message)
{
	return message->shown.request_seen && message->has_last && message->coverage.total + message->cut.total >= message->shown.length;
}

/* Notes what a READ has brought of its call's chunks. True: now, and not before, they all have come. */
static bool note_arrival(struct rtap_tracker *tracker, const struct message *message)
{
	struct rpc_call *call = message->segment->call;
	uint64_t begin = message->shown.virtual_address, end = begin + message->shown.length, left = call->read_left;

	for (uint32_t i = 0; i < call->call.lists.count && call->read_left; i++) {
		struct chunk_segment *segment = &call->call.lists.segments[i];
		uint64_t from = begin > segment->offset ? begin - segment->offset : 0, to = segment->length, before, fresh;

		if (segment->list != CHUNK_READ || segment->r_key != message->shown.r_key || end <= segment->offset)
			continue;
		if (to > end - segment->offset)
			to = end - segment->offset;
		before = coverage_memory(&segment->arrived);
		if (from >= to || !coverage_add(&segment->arrived, from, NULL, to - from, 0, COVERAGE_ONLY, &fresh))
			continue;
		call->read_left -= fresh;
		call->memory += coverage_memory(&segment->arrived) - before;
		budget_charge(&tracker->budget, &call->connection->holder, coverage_memory(&segment->arrived) - before);
	}
	return left && !call->read_left;
}

/* WRITEs that were captured behind the SEND of their reply complete that. */
static bool __attribute__((noinline)) write_completes(struct rtap_tracker *tracker, const struct message *message,
						      struct rtap_context *context)
{
	const struct rpc_call *call = message->segment->call;

	/* what a reply lacks that has write chunks, too, only its SEND can tell */
	if (!call->reply.present || call->reply.message_type != RDMA_NOMSG || call->reply.lists.write_chunks ||
	    !gather_reply(tracker, call, &call->reply.lists, &context->chunk))
		return false;
	tracker->touched_rpc = call->reply.shown;
	if (call->call.rpc.program_known)
		rpc_call_known(&call->call.rpc, call->call.rpc_frame, call->call.rpc_time_ns, context);
	return true;
}

/* READ responses complete calls. */
static bool __attribute__((noinline)) read_completes(struct rtap_tracker *tracker, const struct message *message,
						      struct rtap_context *context)
{
	const struct rpc_call *call = message->segment->call;

	if (!note_arrival(tracker, message))
		return false;
	tracker->touched_rpc = call->call.shown;
	return gather_call(tracker, call, context);
}

static bool data_completes(struct rtap_tracker *tracker, const struct message *message, struct rtap_context *context)
{
	if (message->segment->list == CHUNK_READ)
		return is_over(message) && read_completes(tracker, message, context);
	return message->segment->list == CHUNK_REPLY && tracker->completed == message && !tracker->options.bare_replies &&
	       write_completes(tracker, message, context);
}

/* The reply that a chunk carried, of which the packet is the SEND. */
static bool __attribute__((noinline)) find_reply(struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
						 const struct rtap_packet *packet, struct rtap_context *context)
{
	const struct rpc_call *call = find_call(tracker, connection, !from_a, packet->rpcrdma.xid);
	const struct rpc_answer *answer = call ? NULL : rpc_answers_find(connection, !from_a, packet->rpcrdma.xid);
	struct chunk_lists lists = { 0 };
	const uint8_t *bytes;
	uint32_t captured, wire;
	bool found = false;

	if (call && locate(packet, &bytes, &captured, &wire) && chunk_lists_read(&lists, bytes, captured, false))
		found = gather_reply(tracker, call, &lists, &context->chunk);
	chunk_lists_fini(&lists);
	if (!answer || !answer->bytes)
		return found;
	context->chunk = (struct rtap_span){ answer->bytes, answer->length };
	return true;
}

bool rpc_call_chunk(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, const struct message *message,
		    const struct rtap_packet *packet, struct rtap_context *context)
{
	if (message && message->segment)
		return data_completes(tracker, message, context);
	return packet->rpcrdma.present && packet->rpcrdma.message_type == RDMA_NOMSG && packet->rpcrdma.reply_chunk &&
	       !tracker->options.bare_replies && find_reply(tracker, connection, from_a, packet, context);
}

/* A reply for which there is no call that waits: perhaps one was answered by it already. */
static void know_again(struct rtap_tracker *tracker, struct rpc_call *lone)
{
	struct rpc_call *call = find_call(tracker, lone->connection, lone->from_a, lone->xid);
	struct rpc_answer *answer = call ? NULL : rpc_answers_find(lone->connection, lone->from_a, lone->xid);

	if (call) {
		lone->call.rpc = call->call.rpc;
		lone->repeats = ++call->replies;
	} else if (answer) {
		lone->call.rpc = answer->rpc;
		lone->repeats = ++answer->replies;
	}
}

static void take_reply(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet)
{
	struct connection *connection = message->connection;
	struct rpc_call *call = find_call(tracker, connection, !message->shown.from_a, packet->rpcrdma.xid);

	if (!call || call->reply.present) {
		call = create_call(tracker, connection, !message->shown.from_a, packet->rpcrdma.xid);
		if (!call) {
			tracker->counters.evictions++;
			return;
		}
		know_again(tracker, call);
	}
	if (packet->rpcrdma.message_type == RDMA_ERROR)
		call->rdma_error = packet->rpcrdma.error_code;
	call->reply_psn = message->low;
	message->replies_to = call;
	if (!fill_send(tracker, call, &call->reply, message, packet, RTAP_KIND_RPC_REPLY)) {
		message->replies_to = NULL;
		end_call(tracker, call);
	}
}

/*
 * Which it is. Without an RPC header in the SEND, a read list makes it a call (RFC 8166, 4.3.1); a reply's lists name
 * what was written, and a known XID of the other side is answered.
 */
static bool is_reply(const struct rtap_tracker *tracker, const struct message *message, const struct rtap_packet *packet)
{
	if (packet->rpcrdma.message_type == RDMA_ERROR)
		return true;
	if (packet->rpc.present)
		return packet->rpc.is_reply;
	if (packet->rpcrdma.read_segments)
		return false;
	if (find_call(tracker, message->connection, !message->shown.from_a, packet->rpcrdma.xid))
		return true;
	/* of what the capture cut off within the lists, the header would have told */
	if (packet->payload.captured < packet->payload.wire || tracker->cut == message)
		return message->connection->shown.learned_by_cm && !message->shown.from_a;
	return packet->rpcrdma.reply_chunk;
}

void rpc_call_send(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet)
{
	if (packet->rpcrdma.message_type > RDMA_ERROR || packet->rpcrdma.message_type == 3)
		return; /* RDMA_DONE says nothing of a call */
	if (is_reply(tracker, message, packet))
		take_reply(tracker, message, packet);
	else
		begin_call(tracker, message, packet);
}

void rpc_call_known(const struct rtap_rpc_facts *call, uint64_t frame, int64_t time_ns, struct rtap_context *context)
{
	context->rpc_known = true;
	context->rpc_program = call->program;
	context->rpc_version = call->version;
	context->rpc_procedure = call->procedure;
	context->rpc_flavor = call->flavor;
	context->rpc_gss_procedure = call->gss_procedure;
	context->rpc_gss_service = call->gss_service;
	context->rpc_call_frame = frame;
	context->rpc_call_time_ns = time_ns;
}

void rpc_call_read(struct message *message, const struct rtap_packet *packet)
{
	struct rpc_send *send;

	if (!message->segment || !packet->rpc.present || packet->rpc.is_reply)
		return;
	send = &message->segment->call->call;
	send->rpc = packet->rpc;
	send->rpc_frame = packet->frame->number;
	send->rpc_time_ns = packet->frame->time_ns;
}

bool rpc_call_context(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet, struct rtap_context *context)
{
	const struct rpc_call *call = find_call(tracker, connection, !from_a, packet->rpcrdma.xid);
	const struct rpc_answer *answer = call ? NULL : rpc_answers_find(connection, !from_a, packet->rpcrdma.xid);

	if (call && call->call.rpc.program_known)
		rpc_call_known(&call->call.rpc, call->call.rpc_frame, call->call.rpc_time_ns, context);
	else if (answer)
		rpc_call_known(&answer->rpc, answer->frame, answer->time_ns, context);
	return answer || (call && call->call.rpc.program_known);
}

bool rpc_call_follows(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet)
{
	const struct rpc_call *call;

	if (!packet->rpcrdma.read_segments || packet->rpc.is_reply)
		return false;
	call = find_call(tracker, connection, from_a, packet->rpcrdma.xid);
	return call && call->read_left;
}

/* The reply may come again. */
static void remember(struct rtap_tracker *tracker, const struct rpc_call *call)
{
	struct rpc_answer answer = {
		.xid = call->xid, .from_a = call->from_a, .rpc = call->call.rpc, .frame = call->call.rpc_frame, .time_ns = call->call.rpc_time_ns,
		.calls = call->repeats, .replies = call->replies,
	};
	struct rtap_span whole;

	if (!call->call.present || !call->call.rpc.program_known)
		return;
	if (!tracker->options.bare_replies && call->reply.message_type == RDMA_NOMSG && call->reply.lists.reply_chunk &&
	    gather_reply(tracker, call, &call->reply.lists, &whole) &&
	    whole.length <= RPC_ANSWERS_BYTES / 4) {
		answer.bytes = memory_new(whole.length);
		answer.length = whole.length;
		if (answer.bytes)
			memcpy(answer.bytes, whole.bytes, whole.length);
	}
	rpc_answers_add(tracker, call->connection, &answer);
}

void rpc_call_settled(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_call *call = message->replies_to;

	if (message->segment)
		rpc_region_land(tracker, message);
	message->replies_to = NULL;
	if (!call)
		return;
	remember(tracker, call);
	end_call(tracker, call);
}

void rpc_call_detach(struct message *message)
{
	struct rpc_call *call = message->call;

	if (call->call.shown == message)
		call->call.shown = NULL;
	else
		call->reply.shown = NULL;
	message->call = NULL;
}

/* A reply that came before its connection was known joins its call. */
static void join_reply(struct rtap_tracker *tracker, struct rpc_call *orphan)
{
	struct connection *connection = orphan->connection;
	struct rpc_call *call = find_call(tracker, connection, orphan->from_a, orphan->xid);

	if (!call || call == orphan || call->reply.present || orphan->call.present)
		return;
	for (int side = 0; side < 2; side++)
		for (struct message *message = connection->streams[side].head; message; message = message->behind)
			if (message->replies_to == orphan)
				message->replies_to = call;
	chunk_lists_fini(&call->reply.lists);
	call->reply = orphan->reply;
	call->reply_psn = orphan->reply_psn;
	call->rdma_error = orphan->rdma_error;
	if (call->reply.shown)
		call->reply.shown->call = call;
	orphan->reply = (struct rpc_send){ 0 };
	call->memory += orphan->memory - sizeof *orphan;
	orphan->memory = sizeof *orphan;
	free_call(tracker, orphan);
}

static void move_call(struct rtap_tracker *tracker, struct rpc_call *call, struct connection *to, bool turned)
{
	struct connection *from = call->connection;
	struct call_key key;

	if (call->mapped)
		map_remove(&tracker->calls, call->hash, call);
	for (uint32_t i = 0; i < call->call.lists.count; i++)
		if (call->call.lists.segments[i].hash)
			rpc_region_close(tracker, &call->call.lists.segments[i]);
	*(call->before ? &call->before->behind : &from->first_call) = call->behind;
	*(call->behind ? &call->behind->before : &from->last_call) = call->before;
	from->calls--;
	budget_give(&tracker->budget, &from->holder, call->memory < from->holder.bytes ? call->memory : from->holder.bytes);
	budget_charge(&tracker->budget, &to->holder, call->memory);
	call->connection = to;
	call->from_a ^= turned;
	call->before = to->last_call;
	call->behind = NULL;
	*(call->before ? &call->before->behind : &to->first_call) = call;
	to->last_call = call;
	to->calls++;
	if (call->mapped) {
		key = (struct call_key){ to, call->xid, call->from_a };
		call->hash = hash_of(&key);
		call->mapped = map_add(&tracker->calls, call->hash, call);
	}
	for (uint32_t i = 0; i < call->call.lists.count; i++)
		if (call->call.lists.segments[i].hash)
			rpc_region_open(tracker, &call->call.lists.segments[i]);
}

void rpc_call_move(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct rpc_call *next;

	while (from->first_call)
		move_call(tracker, from->first_call, to, turned);
	rpc_answers_move(tracker, from, to, turned);
	/* either side's calls can be the ones that were known first */
	for (struct rpc_call *call = to->first_call; call; call = next) {
		next = call->behind;
		if (!call->call.present)
			join_reply(tracker, call);
	}
	for (int side = 0; side < 2; side++)
		claim_waiting(tracker, &to->streams[side]);
}

void rpc_call_finish(struct rtap_tracker *tracker, struct connection *connection)
{
	while (connection->first_call)
		end_call(tracker, connection->first_call);
	rpc_answers_fini(tracker, connection);
}
