/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/engine/clear.h"
#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/iwarp/ddp_half.h"
#include "base/memory.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/rpc_answers.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/claim.h"
#include "reassembly/upper/rpc_names.h"
#include "reassembly/upper/rpc_operation.h"
#include "reassembly/upper/rpc_send.h"
#include "reassembly/upper/rpc_state.h"

#define MAX_GATHERED (1u << 20) /* most bytes of a message in chunks that the packet view shows */
/* Of a call and its slot in the map. */
#define CALL_MEMORY (sizeof(struct rpc_call) + 3 * sizeof(struct map_slot))
/*
 * Most waiting calls per connection: twice the credits that either end requested or granted, within these bounds. RFC 8166,
 * 3.3.1: a requester has no more outstanding calls than granted credits.
 */
#define LEAST_CALLS 128
#define MOST_CALLS 16384

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

	return call->request.connection == key->connection && call->xid == key->xid && call->request.from_a == key->from_a;
}

static struct rpc_call *find_hashed(const struct rtap_tracker *tracker, const struct call_key *key, uint64_t hash)
{
	return map_find(&rpc_state_of(tracker)->calls, hash, same_call, key);
}

static struct rpc_call *find_call(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a, uint32_t xid)
{
	struct call_key key = { connection, xid, from_a };
	const struct request_list *lists = connection->requests.lists;
	struct rpc_call *last = rpc_call_of(TAILQ_LAST(&lists[false].queue, request_queue));

	/* Where calls arrive one by one it is the last. */
	if (last && last->mapped && last->xid == xid && last->request.from_a == from_a)
		return last;
	if (!last && TAILQ_EMPTY(&lists[true].queue))
		return NULL;
	return find_hashed(tracker, &key, hash_of(&key));
}

static struct rpc_answer *find_answer(const struct connection *connection, bool from_a, uint32_t xid)
{
	const struct rpc_connection *state = rpc_state_of_connection(connection);

	return state ? rpc_answers_find(state, from_a, xid) : NULL;
}

static void free_call(struct rtap_tracker *tracker, struct rpc_call *call)
{
	if (call->mapped)
		map_remove(&rpc_state_of(tracker)->calls, call->hash, call);
	request_end(tracker, &call->request);
	request_fini(&call->request);
	chunk_lists_fini(&call->call.lists);
	chunk_lists_fini(&call->reply.lists);
	free(call->call.bytes);
	free(call->reply.bytes);
	free(call);
}

void rpc_calls_fini(struct rtap_tracker *tracker)
{
	struct rpc_state *state = rpc_state_of(tracker);

	rpc_names_fini(tracker);
	coverage_fini(&state->gathered);
	map_fini(&state->calls);
}

static void end_call(struct rtap_tracker *tracker, struct rpc_call *call)
{
	request_drop_doubtful(tracker, &call->request);
	claim_count(&call->request);
	if (tracker->wants_data)
		rpc_exchange_conclude(tracker, call);
	free_call(tracker, call);
}

/* Adds `length` bytes of a region from offset `from` on to `whole`, at `position`. False: some are missing. */
static bool add_part(struct coverage *whole, uint64_t position, const struct region *region, uint64_t from, uint64_t length)
{
	const struct coverage_run *run = coverage_runs(&region->data) + coverage_find(&region->data, from);
	uint64_t fresh;

	return run < coverage_runs(&region->data) + region->data.count && region->data.bytes && run->begin <= from && run->end >= from + length &&
	       coverage_add(whole, position, region->data.bytes + (from - region->data.origin), length, 0, COVERAGE_BYTES, &fresh);
}

/* Appends a chunk at `at`. Its lengths are those in `lists`, its regions those of the call. False: it has holes. */
static bool gather_chunk(struct rtap_tracker *tracker, const struct rpc_call *call, const struct chunk_lists *lists, enum chunk_list list,
			 uint64_t at)
{
	struct coverage *whole = &rpc_state_of(tracker)->gathered;
	uint32_t first, count = chunk_lists_find(lists, list, 0, &first);
	uint64_t end = at;

	for (uint32_t i = first; i < first + count; i++) {
		const struct chunk_segment *segment = &lists->segments[i];
		const struct region *region = chunk_lists_region_of(&call->request, segment);

		if (!segment->length)
			continue;
		if (!region || end - at + segment->length > MAX_GATHERED ||
		    !add_part(whole, end, region, segment->offset - region->begin, segment->length))
			return false;
		end += segment->length;
	}
	return end > at && whole->count == 1 && !coverage_runs(whole)->begin && coverage_runs(whole)->end >= end;
}

static bool gather_reply(struct rtap_tracker *tracker, const struct rpc_call *call, const struct chunk_lists *lists,
			 struct rtap_span *whole)
{
	coverage_fini(&rpc_state_of(tracker)->gathered);
	if (!gather_chunk(tracker, call, lists, CHUNK_REPLY, 0))
		return false;
	*whole = (struct rtap_span){ rpc_state_of(tracker)->gathered.bytes, (uint32_t)chunk_lists_length(lists, CHUNK_REPLY, 0) };
	return true;
}

/* The call or its reply may be repeated, or the reply may still arrive. */
static void remember(struct rtap_tracker *tracker, const struct rpc_call *call)
{
	struct rpc_answer answer = {
		.xid = call->xid, .from_a = call->request.from_a, .rpc = call->call.rpc, .frame = call->call.rpc_frame, .time_ns = call->call.rpc_time_ns,
		.calls = call->repeats, .replies = call->replies, .answered = call->reply.present,
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
	rpc_answers_add(tracker, rpc_state_of_connection(call->request.connection), &answer);
}

/* Ends the call incomplete. What arrives of it later is recognised by what is remembered. */
static __attribute__((cold, noinline)) void give_up(struct rtap_tracker *tracker, struct rpc_call *call)
{
	/* No more data of the call is expected. */
	remember(tracker, call);
	end_call(tracker, call);
}

static struct rpc_call *call_of_entry(struct budget_entry *entry)
{
	return (struct rpc_call *)((char *)entry - offsetof(struct rpc_call, request.entry));
}

static void evict(struct budget_entry *entry, void *owner)
{
	struct rtap_tracker *tracker = owner;

	tracker->counters.evictions++;
	give_up(tracker, call_of_entry(entry));
}

/* Nothing was seen of the call for a long time. */
static void give_up_silent(struct budget_entry *entry, void *owner)
{
	give_up(owner, call_of_entry(entry));
}

static uint32_t most_calls(const struct connection *connection)
{
	uint32_t credits = rpc_state_of_connection(connection)->credits;

	if (credits >= MOST_CALLS / 2)
		return MOST_CALLS;
	return credits > LEAST_CALLS / 2 ? 2 * credits : LEAST_CALLS;
}

static struct rpc_call *create_call(struct rtap_tracker *tracker, struct connection *connection, bool from_a, uint32_t xid)
{
	const struct request_list *waiting = &connection->requests.lists[false];
	struct rpc_call *call;

	/* The reply to the oldest call was lost: without it there is no credit for another call. */
	while (waiting->count >= most_calls(connection))
		give_up(tracker, rpc_call_of(TAILQ_FIRST(&waiting->queue)));
	call = memory_new(sizeof *call);
	if (!call)
		return NULL;
	clear_bytes(call, sizeof *call);
	call->xid = xid;
	call->request.entry = (struct budget_entry){ .evict = evict, .give_up = give_up_silent, .owner = tracker };
	budget_charge(&tracker->budget, &call->request.entry, CALL_MEMORY);
	request_begin(tracker, &call->request, connection, from_a);
	return call;
}

/* Whether a call with the XID of another is its retransmission. */
static bool is_same_procedure(const struct rtap_rpc_facts *call, const struct rtap_rpc_facts *other)
{
	return call->program_known && other->program_known && call->program == other->program && call->version == other->version &&
	       call->procedure == other->procedure;
}

static bool name_memory(struct rtap_tracker *tracker, struct rpc_call *call)
{
	struct chunk_lists *lists = &call->call.lists;

	if (!chunk_lists_name(tracker, lists, &call->request))
		return false;
	budget_charge(&tracker->budget, &call->request.entry, chunk_lists_memory(lists));
	for (uint32_t i = 0; i < lists->count; i++) {
		const struct chunk_segment *segment = &lists->segments[i];

		/* Parts of the message itself are needed to read it. */
		segment->region->keep_bytes |= segment->list == CHUNK_REPLY || (segment->list == CHUNK_READ && !segment->chunk);
		segment->region->keep_bytes |= tracker->keep & COVERAGE_BYTES || rpc_state_of(tracker)->payload;
	}
	return true;
}

/* The reply was captured before its call, which was unknown then. */
static bool has_overtaken(const struct rpc_call *lone)
{
	return !lone->call.present && lone->request.response && !lone->call.rpc.program_known;
}

/* A call without its content. */
static struct rpc_call *enter_call(struct rtap_tracker *tracker, const struct message *message, const struct rtap_packet *packet)
{
	struct connection *connection = message->connection;
	const struct request_list *lists = connection->requests.lists;
	struct call_key key = { connection, packet->rpcrdma.xid, message->shown.from_a };
	uint64_t hash = hash_of(&key);
	struct rpc_call *call = lists[false].count || lists[true].count ? find_hashed(tracker, &key, hash) : NULL;
	const struct rpc_answer *answer = call ? NULL : find_answer(connection, key.from_a, key.xid);
	uint64_t repeats = answer && is_same_procedure(&packet->rpc, &answer->rpc) ? answer->calls + 1 : 0;

	if (call && has_overtaken(call))
		return call;
	if (call) {
		/* A retransmission, or the XID is used again. */
		repeats = !call->reply.present || is_same_procedure(&packet->rpc, &call->call.rpc) ? call->repeats + 1 : 0;
		map_remove(&rpc_state_of(tracker)->calls, call->hash, call);
		call->mapped = false;
		if (!call->reply.present)
			end_call(tracker, call);
	}
	call = create_call(tracker, connection, key.from_a, key.xid);
	if (!call)
		return NULL;
	call->repeats = repeats;
	call->hash = hash;
	call->mapped = map_add(&rpc_state_of(tracker)->calls, call->hash, call);
	return call;
}

static void begin_call(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result)
{
	struct rpc_call *call = enter_call(tracker, message, packet);

	if (call)
		request_seen(&call->request, message);
	if (!call || !rpc_send_fill(tracker, call, &call->call, message, packet, RTAP_KIND_RPC_CALL, result) ||
	    (call->call.lists.count && !name_memory(tracker, call))) {
		tracker->counters.evictions++;
		if (call)
			end_call(tracker, call);
		return;
	}
	if (call->call.lists.count)
		request_open(tracker, &call->request, message);
}

/* Gathers the call: inline or, for RDMA_NOMSG, the header and its read chunks. False: incomplete. */
static bool gather_call(struct rtap_tracker *tracker, const struct rpc_call *call, struct rtap_context *context)
{
	const struct rpc_send *send = &call->call;
	struct coverage *whole = &rpc_state_of(tracker)->gathered;
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

/* Whether a WRITE captured after the SEND of its reply completes the reply. */
static bool write_completes(struct rtap_tracker *tracker, const struct rpc_call *call, struct rtap_context *context,
			    struct frame_result *result)
{
	/* For a reply with write chunks, only its SEND shows what else is missing. */
	if (!call->reply.present || call->reply.message_type != RDMA_NOMSG || call->reply.lists.write_chunks ||
	    !gather_reply(tracker, call, &call->reply.lists, &context->chunk))
		return false;
	result->touched_upper = call->reply.shown;
	if (call->call.rpc.program_known)
		rpc_call_known(&call->call.rpc, call->call.rpc_frame, call->call.rpc_time_ns, context);
	return true;
}

/*
 * A READ that ended, or a WRITE that the packet completed: copies its data to the regions, which can complete a call or
 * reply.
 */
static bool __attribute__((noinline)) data_completes(struct rtap_tracker *tracker, struct message *message, struct rtap_context *context,
						     struct frame_result *result, struct rpc_call **read)
{
	struct rpc_call *call = rpc_call_of(message->region->request);
	bool is_read = message->region->is_read;

	if (claim_data(tracker, message, result)) {
		result->touched_upper = call->call.shown;
		*read = call;
		return gather_call(tracker, call, context);
	}
	return !is_read && !tracker->options.bare_replies && write_completes(tracker, call, context, result);
}

/* The reply in a chunk whose SEND is the packet. */
static bool __attribute__((noinline)) find_reply(struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
						 const struct rtap_packet *packet, struct rtap_context *context)
{
	const struct rpc_call *call = find_call(tracker, connection, !from_a, packet->rpcrdma.xid);
	const struct rpc_answer *answer = call ? NULL : find_answer(connection, !from_a, packet->rpcrdma.xid);
	struct chunk_lists lists = { 0 };
	const uint8_t *bytes;
	uint32_t captured, wire;
	bool found = false;

	if (call && rpc_send_locate(packet, &bytes, &captured, &wire) && chunk_lists_read(&lists, bytes, captured, false))
		found = gather_reply(tracker, call, &lists, &context->chunk);
	chunk_lists_fini(&lists);
	if (!answer || !answer->bytes)
		return found;
	context->chunk = (struct rtap_span){ answer->bytes, answer->length };
	return true;
}

bool rpc_call_chunk(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, struct message *message,
		    const struct rtap_packet *packet, struct rtap_context *context, struct frame_result *result, struct rpc_call **read)
{
	*read = NULL;
	if (message && message->region)
		return upper_data_is_over(result, message) && data_completes(tracker, message, context, result, read);
	return packet->rpcrdma.present && packet->rpcrdma.message_type == RDMA_NOMSG && packet->rpcrdma.reply_chunk &&
	       !tracker->options.bare_replies && find_reply(tracker, connection, from_a, packet, context);
}

bool rpc_call_preceded(struct rtap_tracker *tracker, const struct connection *connection, bool from_a, const struct rtap_packet *packet,
		       struct rtap_context *context, struct rpc_call **read)
{
	struct rpc_call *call;

	if (!packet->rpcrdma.read_segments || packet->rpc.present)
		return false;
	call = find_call(tracker, connection, from_a, packet->rpcrdma.xid);
	if (!call || !call->call.present || call->request.read_left || !gather_call(tracker, call, context))
		return false;
	*read = call;
	return true;
}

/* A reply without a waiting call: it may be the repeat of an earlier one. */
static __attribute__((cold, noinline)) void know_again(struct rtap_tracker *tracker, struct rpc_call *lone)
{
	struct rpc_call *call = find_call(tracker, lone->request.connection, lone->request.from_a, lone->xid);
	struct rpc_answer *answer = call ? NULL : find_answer(lone->request.connection, lone->request.from_a, lone->xid);

	if (call) {
		lone->call.rpc = call->call.rpc;
		lone->repeats = ++call->replies;
	} else if (answer) {
		lone->call.rpc = answer->rpc;
		/* A call that was given up had no reply yet. */
		lone->repeats = answer->answered ? ++answer->replies : 0;
		answer->answered = true;
	}
}

/* A reply to an unknown or already answered call. */
static __attribute__((cold, noinline)) struct rpc_call *enter_reply(struct rtap_tracker *tracker, const struct message *message,
								    uint32_t xid, bool has_call)
{
	struct rpc_call *call = create_call(tracker, message->connection, !message->shown.from_a, xid);
	struct call_key key = { message->connection, xid, !message->shown.from_a };

	if (!call)
		return NULL;
	know_again(tracker, call);
	if (has_call || call->call.rpc.program_known)
		return call;
	message->connection->requests.unknown_responses++;
	/* the call may still arrive */
	call->hash = hash_of(&key);
	call->mapped = map_add(&rpc_state_of(tracker)->calls, call->hash, call);
	return call;
}

/* The call was refused. For its version, records those supported. RFC 8166, 4.5. */
static __attribute__((cold, noinline)) void note_error(struct rpc_call *call, const struct rtap_packet *packet)
{
	const uint8_t *bytes;
	uint32_t captured, wire;

	call->rdma_error = packet->rpcrdma.error_code;
	if (call->rdma_error != ERR_VERS || !rpc_send_locate(packet, &bytes, &captured, &wire) || captured < RPCRDMA_FIXED_LENGTH + 12)
		return;
	call->has_versions = true;
	call->version_low = load32(bytes + RPCRDMA_FIXED_LENGTH + 4);
	call->version_high = load32(bytes + RPCRDMA_FIXED_LENGTH + 8);
}

/* Records from the lists of the reply what the responder wrote. */
static void note_written(struct rpc_call *call)
{
	const struct chunk_lists *lists = &call->reply.lists;

	call->request.has_written = lists->count;
	for (uint32_t i = 0; i < lists->count; i++)
		call->request.written += lists->segments[i].list == CHUNK_READ ? 0 : lists->segments[i].length;
}

static void take_reply(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result)
{
	struct rpc_call *call = find_call(tracker, message->connection, !message->shown.from_a, packet->rpcrdma.xid);

	if (!call || call->reply.present)
		call = enter_reply(tracker, message, packet->rpcrdma.xid, call != NULL);
	if (!call) {
		tracker->counters.evictions++;
		return;
	}
	if (packet->rpcrdma.message_type == RDMA_ERROR)
		note_error(call, packet);
	rpc_state_of_connection(message->connection)->has_answered |= call->call.present;
	request_answered(&call->request, message);
	if (!rpc_send_fill(tracker, call, &call->reply, message, packet, RTAP_KIND_RPC_REPLY, result)) {
		tracker->counters.evictions++;
		end_call(tracker, call);
		return;
	}
	note_written(call);
	budget_charge(&tracker->budget, &call->request.entry, call->reply.lists.count ? chunk_lists_memory(&call->reply.lists) : 0);
	request_reconsider(tracker, &call->request, message);
}

/*
 * Whether it is a reply. Without an RPC header in the SEND, a read list makes it a call (RFC 8166, 4.3.1); the lists of a
 * reply name what was written, and a known XID of the other side is answered.
 */
static bool is_reply(const struct rtap_tracker *tracker, const struct message *message, const struct rtap_packet *packet,
		     const struct frame_result *result)
{
	if (packet->rpcrdma.message_type == RDMA_ERROR)
		return true;
	if (packet->rpc.present)
		return packet->rpc.is_reply;
	if (packet->rpcrdma.read_segments)
		return false;
	if (find_call(tracker, message->connection, !message->shown.from_a, packet->rpcrdma.xid))
		return true;
	/* Truncated lists do not show it: with a captured setup, messages of end b are taken for replies. */
	if (packet->payload.captured < packet->payload.wire || result->cut == message)
		return message->connection->shown.learned_by_cm && !message->shown.from_a;
	return packet->rpcrdma.reply_chunk;
}

/* Whether the chunk lists are invalid: the memory that they name and the start of the call are unknown. */
static bool has_bad_lists(const struct rtap_packet *packet)
{
	for (unsigned i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].code == RTAP_ANOMALY_BAD_CHUNK_LIST)
			return true;
	return false;
}

/* RFC 8166, 3.5.3: the message of RDMA_NOMSG is in chunks. */
static bool has_nothing(const struct rtap_packet *packet)
{
	const struct rtap_rpcrdma_facts *facts = &packet->rpcrdma;

	return facts->message_type == RDMA_NOMSG && facts->length == RPCRDMA_MIN_LENGTH && !facts->read_segments && !facts->write_chunks &&
	       !facts->reply_chunk;
}

void rpc_call_send(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result)
{
	struct rpc_connection *state = rpc_state_make(tracker, message->connection);

	if (!state)
		return;
	if (packet->rpcrdma.credits > state->credits)
		state->credits = packet->rpcrdma.credits;
	if (packet->rpcrdma.message_type > RDMA_ERROR || packet->rpcrdma.message_type == RDMA_DONE)
		return; /* not about a call */
	if (has_bad_lists(packet) || has_nothing(packet))
		return;
	if (is_reply(tracker, message, packet, result))
		take_reply(tracker, message, packet, result);
	else
		begin_call(tracker, message, packet, result);
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

void rpc_call_read(const struct rtap_packet *packet, struct rpc_call *read)
{
	struct rpc_send *send;

	if (!read || !packet->rpc.present || packet->rpc.is_reply)
		return;
	send = &read->call;
	send->rpc = packet->rpc;
	send->rpc_frame = packet->frame->number;
	send->rpc_time_ns = packet->frame->time_ns;
}

bool rpc_call_context(const struct rtap_tracker *tracker, const struct connection *connection, bool from_a,
		      const struct rtap_packet *packet, struct rtap_context *context)
{
	const struct rpc_call *call = find_call(tracker, connection, !from_a, packet->rpcrdma.xid);
	const struct rpc_answer *answer = call ? NULL : find_answer(connection, !from_a, packet->rpcrdma.xid);

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
	return call && call->request.read_left;
}

void rpc_call_settled(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_call *call = rpc_call_of(message->request);

	if (call->reply.shown)
		claim_show_lost(&call->reply.shown->shown, &message->shown);
	remember(tracker, call);
	end_call(tracker, call);
}

void rpc_call_detach(struct message *message)
{
	struct rpc_call *call = rpc_call_of(message->request);

	if (call->call.shown == message)
		call->call.shown = NULL;
	else
		call->reply.shown = NULL;
}

/* A reply that arrived before its connection was known joins its call. */
static void join_reply(struct rtap_tracker *tracker, struct rpc_call *orphan)
{
	struct rpc_call *call = find_call(tracker, orphan->request.connection, orphan->request.from_a, orphan->xid);

	if (!call || call == orphan || call->reply.present || orphan->call.present || !orphan->request.response)
		return;
	chunk_lists_fini(&call->reply.lists);
	call->reply = orphan->reply;
	note_written(call);
	call->rdma_error = orphan->rdma_error;
	call->has_versions = orphan->has_versions;
	call->version_low = orphan->version_low;
	call->version_high = orphan->version_high;
	if (call->reply.shown)
		call->reply.shown->request = &call->request;
	call->request.response_message = call->reply.shown;
	orphan->reply = (struct rpc_send){ 0 };
	request_charge(&tracker->budget, &call->request, orphan->request.entry.bytes - CALL_MEMORY, 0);
	budget_give(&tracker->budget, &orphan->request.entry, orphan->request.entry.bytes - CALL_MEMORY);
	request_answered(&call->request, orphan->request.response);
	orphan->request.response = NULL;
	free_call(tracker, orphan);
}

static void move_call(struct rtap_tracker *tracker, struct rpc_call *call, struct connection *to, bool turned)
{
	struct call_key key = { to, call->xid, call->request.from_a != turned };
	struct rpc_call *other;

	if (call->mapped)
		map_remove(&rpc_state_of(tracker)->calls, call->hash, call);
	request_move(tracker, &call->request, to, turned);
	if (!call->mapped)
		return;
	/* The call may have become known after its reply: looks it up. */
	call->hash = hash_of(&key);
	other = find_hashed(tracker, &key, call->hash);
	if (other && call->call.present) {
		map_remove(&rpc_state_of(tracker)->calls, other->hash, other);
		other->mapped = false;
	}
	call->mapped = (!other || call->call.present) && map_add(&rpc_state_of(tracker)->calls, call->hash, call);
}

static void merge_state(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct rpc_connection *old = rpc_state_of_connection(from), *state = old ? rpc_state_make(tracker, to) : NULL;
	struct request *request;

	if (!state)
		rpc_call_finish(tracker, from);
	for (int answered = 0; answered < 2; answered++)
		while ((request = TAILQ_FIRST(&from->requests.lists[answered].queue)))
			move_call(tracker, rpc_call_of(request), to, turned);
	to->requests.unknown_responses += from->requests.unknown_responses;
	if (state) {
		state->has_answered |= old->has_answered;
		if (old->credits > state->credits)
			state->credits = old->credits;
		rpc_answers_move(tracker, old, state, turned);
	}
	rpc_state_drop(tracker, from);
}

void rpc_call_move(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct request *request, *next;

	merge_state(tracker, from, to, turned);
	/* The calls of either side can be the ones known first. */
	for (request = TAILQ_FIRST(&to->requests.lists[true].queue); request; request = next) {
		next = TAILQ_NEXT(request, link);
		if (!request->is_seen)
			join_reply(tracker, rpc_call_of(request));
	}
	for (int side = 0; side < 2; side++)
		claim_waiting(tracker, &to->streams[side]);
}

void rpc_call_finish(struct rtap_tracker *tracker, struct connection *connection)
{
	struct request *request;

	for (int answered = 1; answered >= 0; answered--)
		while ((request = TAILQ_FIRST(&connection->requests.lists[answered].queue)))
			end_call(tracker, rpc_call_of(request));
}
