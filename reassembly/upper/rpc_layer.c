/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/engine/clear.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/connection.h"
#include "reassembly/frame_touch.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_items.h"
#include "reassembly/upper/rpc_layer.h"
#include "reassembly/upper/rpc_names.h"
#include "reassembly/upper/rpc_operation.h"
#include "reassembly/upper/rpc_paths.h"
#include "reassembly/upper/rpc_socket.h"
#include "reassembly/upper/rpc_state.h"
#include "reassembly/upper/rpc_view.h"

/* Of a call and its slot in the map. */
#define CALL_MEMORY (spare_blocks_room(sizeof(struct rpc_call)) + 3 * sizeof(struct map_slot))
/*
 * Most waiting calls per connection: twice the credits that either end requested or granted, within these bounds. RFC 8166,
 * 3.3.1: a requester has no more outstanding calls than granted credits.
 */
#define LEAST_CALLS 128
#define MOST_CALLS 16384

static void free_call(struct rtap_tracker *tracker, struct rpc_call *call)
{
	rpc_call_leave(tracker, call);
	request_end(tracker, &call->request);
	region_free_room(&call->request);
	rpc_chunks_fini(&call->call.lists);
	rpc_chunks_fini(&call->reply.lists);
	free(call->call.bytes);
	free(call->reply.bytes);
	spare_blocks_give(&tracker->spare_commands, call, sizeof *call);
}

static void end_call(struct rtap_tracker *tracker, struct rpc_call *call)
{
	request_drop_doubtful(tracker, &call->request);
	region_count_claimed(&call->request);
	if (tracker->wants_data)
		rpc_exchange_conclude(tracker, call);
	free_call(tracker, call);
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
	    rpc_call_gather_reply(tracker, call, &call->reply.lists, &whole) &&
	    whole.length <= RPC_ANSWERS_BYTES / 4) {
		answer.bytes = memory_new(whole.length);
		answer.length = whole.length;
		if (answer.bytes)
			memcpy(answer.bytes, whole.bytes, whole.length);
	}
	rpc_answers_add(tracker, rpc_state_of_connection(call->request.connection), &answer);
}

/* Ends the call as incomplete. Its later packets are recognised by what is remembered. */
static __attribute__((cold, noinline)) void end_incomplete(struct rtap_tracker *tracker, struct rpc_call *call)
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
	end_incomplete(tracker, call_of_entry(entry));
}

/* No packet of the call for a long time. */
static void give_up(struct budget_entry *entry, void *owner)
{
	end_incomplete(owner, call_of_entry(entry));
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
		end_incomplete(tracker, rpc_call_of(TAILQ_FIRST(&waiting->queue)));
	call = spare_blocks_take(&tracker->spare_commands, sizeof *call);
	if (!call)
		return NULL;
	clear_bytes(call, sizeof *call);
	call->xid = xid;
	call->request.entry = (struct budget_entry){ .evict = evict, .give_up = give_up, .owner = tracker };
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

/* Whether a call with the XID of a known one is its retransmission. A chunk can carry the header of either. */
static bool is_repeat(const struct rtap_rpc_facts *facts, const struct rpc_call *call)
{
	if (!call->reply.present && !(facts->program_known && call->call.rpc.program_known))
		return true;
	return is_same_procedure(facts, &call->call.rpc);
}

/* The reply was captured before its call, which was unknown then. */
static bool has_overtaken(const struct rpc_call *lone)
{
	return !lone->call.present && lone->request.response && !lone->call.rpc.program_known;
}

/* Creates a call without its content. */
static struct rpc_call *enter_call(struct rtap_tracker *tracker, const struct message *message, const struct rtap_packet *packet)
{
	struct connection *connection = message->connection;
	uint32_t xid = packet->rpcrdma.xid;
	bool from_a = message->shown.from_a;
	struct rpc_call *call = rpc_call_find(tracker, connection, from_a, xid);
	const struct rpc_answer *answer = call ? NULL : rpc_call_find_answer(connection, from_a, xid);
	uint64_t repeats = answer && is_same_procedure(&packet->rpc, &answer->rpc) ? answer->calls + 1 : 0;

	if (call && has_overtaken(call))
		return call;
	if (call) {
		/* A retransmission, or the XID is used again. */
		repeats = is_repeat(&packet->rpc, call) ? call->repeats + 1 : 0;
		rpc_call_leave(tracker, call);
		if (!call->reply.present)
			end_call(tracker, call);
	}
	call = create_call(tracker, connection, from_a, xid);
	if (!call)
		return NULL;
	call->repeats = repeats;
	rpc_call_enter(tracker, call);
	return call;
}

/* Whether another packet than this one may show the call or its reply and needs all of it. */
static bool is_shown_elsewhere(const struct rtap_packet *packet)
{
	return packet->rpcrdma.reply_chunk || packet->rpcrdma.read_segments;
}

/*
 * Whether the dissection found an RPC-over-RDMA header with only the fixed part and three empty lists (RFC 8166, 4.3). A
 * header that ends with the captured bytes may be truncated.
 */
static bool has_no_chunks(const struct rtap_packet *packet, uint32_t captured)
{
	return packet->rpcrdma.message_type == RDMA_MSG && packet->rpcrdma.length == RPCRDMA_MIN_LENGTH && captured > RPCRDMA_MIN_LENGTH;
}

/* Keeps what the call or reply is read from when it is concluded. */
static bool keep_send(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes)
{
	send->bytes = memory_new(send->captured + 1);
	if (!send->bytes)
		return false;
	memcpy(send->bytes, bytes, send->captured);
	budget_charge(&tracker->budget, &call->request.entry, send->captured + 1);
	return true;
}

/* Reads where the RPC message begins and its chunk lists. False: the lists are inconsistent, or out of memory. */
static bool read_rdma_header(struct rpc_send *send, const struct rtap_packet *packet, const uint8_t *bytes)
{
	bool is_cut = send->captured < send->wire;

	if (packet->rpcrdma.version != RPCRDMA_VERSION_1 && packet->rpcrdma.message_type != RDMA_ERROR) {
		/* The layout of what follows is unknown. */
		send->lists.header_length = RPCRDMA_FIXED_LENGTH;
		return true;
	}
	if (has_no_chunks(packet, send->captured)) {
		send->lists.header_length = RPCRDMA_MIN_LENGTH;
		return true;
	}
	if (packet->rpcrdma.message_type == RDMA_ERROR || rpc_chunks_read(&send->lists, bytes, send->captured, is_cut)) {
		send->data_length = rpc_chunks_data(&send->lists);
		return true;
	}
	if (!is_cut)
		return false;
	send->data_length = rpc_chunks_data(&send->lists);
	rpc_chunks_empty(&send->lists);
	send->lists_cut = true;
	send->lists.header_length = send->captured;
	return true;
}

/* The message of the call or reply, reported when the call is concluded. */
static void show_send(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, struct message *message,
		      const struct rtap_packet *packet, const uint8_t *bytes)
{
	struct message *shown = message_create(tracker, call->request.connection, send->first_frame, send->time_ns);
	bool is_reply = send == &call->reply;

	send->shown = shown;
	if (!shown)
		return;
	shown->shown.kind = is_reply ? RTAP_KIND_RPC_REPLY : RTAP_KIND_RPC_CALL;
	shown->shown.verb = RTAP_VERB_SEND;
	shown->is_upper = true;
	shown->is_response = is_reply;
	shown->shown.from_a = message->shown.from_a;
	shown->shown.psn = message->shown.psn;
	request_show_lost(&shown->shown, &message->shown);
	shown->shown.credits = packet->rpcrdma.credits;
	shown->request = &call->request;
	shown->request_number = call->request.number;
	if (call->request.connection->ddp)
		ddp_half_hold(tracker, shown);
	*(is_reply ? &call->request.response_message : &call->request.message) = shown;
	rpc_operation_begin(tracker, shown, is_reply && call->call.present);
	if (send->is_read)
		rpc_exchange_read_plain(tracker, call, send, bytes);
}

/* Fills the call's `send` from the packet with the complete SEND. False: its chunk lists cannot be read, or out of memory. */
static bool fill_send(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, struct message *message,
		      const struct rtap_packet *packet, struct frame_result *result)
{
	const uint8_t *bytes;

	message->request_number = call->request.number;
	send->present = true;
	send->rpc = packet->rpc;
	send->rpc_frame = packet->frame->number;
	send->rpc_time_ns = packet->frame->time_ns;
	send->message_type = packet->rpcrdma.message_type;
	send->version = packet->rpcrdma.version;
	send->first_frame = message->shown.first_frame;
	send->last_frame = message->shown.last_frame;
	send->time_ns = message->shown.time_ns;
	send->time_end_ns = message->shown.time_end_ns;
	if (!tracker->wants_data && !is_shown_elsewhere(packet) && !connection_has_one_flow(call->request.connection))
		return true;
	if (!rpc_call_locate(packet, &bytes, &send->captured, &send->wire) || !read_rdma_header(send, packet, bytes))
		return false;
	send->is_read = rpc_exchange_is_plain(tracker, call, send);
	if (!send->is_read && !keep_send(tracker, call, send, bytes))
		return false;
	if (!tracker->wants_data)
		return true;
	show_send(tracker, call, send, message, packet, bytes);
	if (send->shown)
		result->touched_upper = send->shown;
	return true;
}

static bool name_memory(struct rtap_tracker *tracker, struct rpc_call *call)
{
	const struct rpc_chunks *lists = &call->call.lists;
	bool are_all = tracker->keep & COVERAGE_BYTES || rpc_state_of(tracker)->payload;

	if (!rpc_chunks_announce(tracker, lists, &call->request))
		return false;
	budget_charge(&tracker->budget, &call->request.entry, rpc_chunks_memory(lists));
	for (uint32_t i = 0; i < lists->count; i++) {
		const struct chunk_segment *segment = &lists->segments[i];
		struct region *region = rpc_chunks_region_of(&call->request, segment);

		/* Parts of the message itself are needed to read it. */
		if (region)
			region->keep_bytes |= are_all || segment->list == CHUNK_REPLY || (segment->list == CHUNK_READ && !segment->chunk);
	}
	return true;
}

static void begin_call(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result)
{
	struct rpc_call *call = enter_call(tracker, message, packet);

	if (call)
		request_seen(&call->request, message);
	if (!call || !fill_send(tracker, call, &call->call, message, packet, result) ||
	    (call->call.lists.count && !name_memory(tracker, call))) {
		tracker->counters.evictions++;
		if (call)
			end_call(tracker, call);
		return;
	}
	if (call->call.lists.count)
		request_open(tracker, &call->request, message);
}

/* A reply without a waiting call: it may be the repeat of an earlier one. */
static __attribute__((cold, noinline)) void recognise_repeat(struct rtap_tracker *tracker, struct rpc_call *lone)
{
	struct rpc_call *call = rpc_call_find(tracker, lone->request.connection, lone->request.from_a, lone->xid);
	struct rpc_answer *answer = call ? NULL : rpc_call_find_answer(lone->request.connection, lone->request.from_a, lone->xid);

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

	if (!call)
		return NULL;
	recognise_repeat(tracker, call);
	if (has_call || call->call.rpc.program_known)
		return call;
	message->connection->requests.unknown_responses++;
	/* the call may still arrive */
	rpc_call_enter(tracker, call);
	return call;
}

/* The call was refused. For its version, records those supported. RFC 8166, 4.5. */
static __attribute__((cold, noinline)) void note_error(struct rpc_call *call, const struct rtap_packet *packet)
{
	const uint8_t *bytes;
	uint32_t captured, wire;

	call->rdma_error = packet->rpcrdma.error_code;
	if (call->rdma_error != ERR_VERS || !rpc_call_locate(packet, &bytes, &captured, &wire) || captured < RPCRDMA_FIXED_LENGTH + 12)
		return;
	call->has_versions = true;
	call->version_low = load32(bytes + RPCRDMA_FIXED_LENGTH + 4);
	call->version_high = load32(bytes + RPCRDMA_FIXED_LENGTH + 8);
}

/* Records from the lists of the reply what the responder wrote. */
static void note_written(struct rpc_call *call)
{
	const struct rpc_chunks *lists = &call->reply.lists;

	call->request.has_written = lists->count;
	for (uint32_t i = 0; i < lists->count; i++)
		call->request.written += lists->segments[i].list == CHUNK_READ ? 0 : lists->segments[i].length;
}

static void take_reply(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result)
{
	struct rpc_call *call = rpc_call_find(tracker, message->connection, !message->shown.from_a, packet->rpcrdma.xid);

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
	if (!fill_send(tracker, call, &call->reply, message, packet, result)) {
		tracker->counters.evictions++;
		end_call(tracker, call);
		return;
	}
	note_written(call);
	budget_charge(&tracker->budget, &call->request.entry, call->reply.lists.count ? rpc_chunks_memory(&call->reply.lists) : 0);
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
	if (rpc_call_find(tracker, message->connection, !message->shown.from_a, packet->rpcrdma.xid))
		return true;
	/* Truncated lists do not show whether it is a reply: if the setup was captured, messages of end b are taken for replies. */
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

static void take_message(struct rtap_tracker *tracker, struct message *message, const struct rtap_packet *packet, struct frame_result *result)
{
	struct rpc_connection *state = rpc_state_make(tracker, message->connection);

	/* it was complete except for what the capture truncated, and now a repeat is */
	if (!state || message->request_number)
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

/*
 * A READ that ended, or a WRITE that the packet completed: copies its data to the regions. Whether that completes a call or
 * reply. Data for which no packet is shown is copied when its message is settled: request_data_settled().
 */
static bool __attribute__((noinline)) store_data(struct upper_work *work, struct message *message, struct rpc_call **read)
{
	struct rpc_call *call = rpc_call_of(message->region->request);
	bool is_read = message->region->is_read;

	if (region_take_data(work->tracker, message, work->result)) {
		work->result->touched_upper = call->call.shown;
		*read = call;
		return rpc_view_call(work, call);
	}
	return !is_read && !work->tracker->options.bare_replies && rpc_view_written_reply(work, call);
}

/*
 * The RPC message that the packet completed outside of its SEND: a reply in a chunk, or a call, by the last READ response of
 * its read chunks. Stores the packet's data in the regions for that. `message`: that of the packet, NULL: none. Sets the RPC
 * message in the context, borrowed until the next call. `*read`: the call whose read chunks it completed; NULL: none. False: no
 * message, or incomplete.
 */
static bool complete_in_chunks(struct upper_work *work, struct message *message, struct rpc_call **read)
{
	*read = NULL;
	if (message && message->region)
		return upper_data_is_over(work->result, message) && store_data(work, message, read);
	return rpc_view_reply(work);
}

/* Chunks can carry the message, and the packet that completes read chunks shows the call. */
static bool take_packet(struct upper_work *work)
{
	struct frame_result *result = work->result;
	struct message *message = work->message;
	struct rtap_packet *packet = work->packet;
	struct rpc_call *read;
	bool again, is_known;

	rpc_view_bare(work);
	if (!packet->rpcrdma.present && !(message && message->region))
		return false;
	again = complete_in_chunks(work, message, &read);
	is_known = packet->rpcrdma.present && !work->tracker->options.bare_replies && rpc_view_knows_call(work);
	if (again)
		rpc_view_chunk(work, read);
	else if (is_known)
		packet_dissect_reply(packet, work->context);
	if (!packet->rpcrdma.present)
		return true;
	if (message && (result->completed == message || result->cut == message) && message->shown.verb == RTAP_VERB_SEND) {
		take_message(work->tracker, message, packet, result);
		read = rpc_view_preceded(work);
		if (read)
			rpc_view_chunk(work, read);
	}
	rpc_view_follows(work);
	return true;
}

static bool take_send(struct upper_work *work)
{
	struct rtap_tracker *tracker = work->tracker;
	struct rpc_call *read;
	bool again, is_known;

	rpc_view_bare(work);
	if (!work->packet->rpcrdma.present)
		return false;
	again = complete_in_chunks(work, work->message, &read) && work->keep(work, &work->context->chunk);
	is_known = rpc_view_knows_call(work);
	if (again)
		work->dissect(work);
	else if (is_known)
		packet_dissect_reply(work->packet, work->context);
	take_message(tracker, work->message, work->packet, work->result);
	if (work->result->touched_upper)
		frame_touch(tracker, work->result->touched_upper);
	rpc_view_follows(work);
	/* A call ends with its reply; so does what it still waited for. */
	if (work->message->request)
		request_settle_claimed(tracker, work->message->request);
	return true;
}

/* The last READ of a call's read chunks: reads and shows the call. */
static bool take_read(struct upper_work *work)
{
	struct rpc_call *read;

	if (work->message->shown.verb != RTAP_VERB_READ)
		return false;
	if (!complete_in_chunks(work, work->message, &read) || !work->keep(work, &work->context->chunk))
		return false;
	rpc_view_chunk(work, read);
	return true;
}

static void response_settled(struct rtap_tracker *tracker, struct message *message)
{
	struct rpc_call *call = rpc_call_of(message->request);

	if (call->reply.shown)
		request_show_lost(&call->reply.shown->shown, &message->shown);
	remember(tracker, call);
	end_call(tracker, call);
}

static void detach(struct message *message)
{
	struct rpc_call *call = rpc_call_of(message->request);

	if (call->call.shown == message)
		call->call.shown = NULL;
	else
		call->reply.shown = NULL;
}

static void end(struct rtap_tracker *tracker, struct connection *connection)
{
	struct request *request;

	for (int answered = 1; answered >= 0; answered--)
		while ((request = TAILQ_FIRST(&connection->requests.lists[answered].queue)))
			end_call(tracker, rpc_call_of(request));
}

/* A reply that arrived before its connection was known joins its call. */
static void join_reply(struct rtap_tracker *tracker, struct rpc_call *orphan)
{
	struct rpc_call *call = rpc_call_find(tracker, orphan->request.connection, orphan->request.from_a, orphan->xid);

	if (!call || call == orphan || call->reply.present || orphan->call.present || !orphan->request.response)
		return;
	rpc_chunks_fini(&call->reply.lists);
	call->reply = orphan->reply;
	note_written(call);
	call->rdma_error = orphan->rdma_error;
	call->has_versions = orphan->has_versions;
	call->version_low = orphan->version_low;
	call->version_high = orphan->version_high;
	if (call->reply.shown)
		call->reply.shown->request = &call->request;
	call->request.response_message = call->reply.shown;
	orphan->request.response_message = NULL;
	orphan->reply = (struct rpc_send){ 0 };
	request_charge(&tracker->budget, &call->request, orphan->request.entry.bytes - CALL_MEMORY, 0);
	budget_give(&tracker->budget, &orphan->request.entry, orphan->request.entry.bytes - CALL_MEMORY);
	request_answered(&call->request, orphan->request.response);
	orphan->request.response = NULL;
	free_call(tracker, orphan);
}

static void move_call(struct rtap_tracker *tracker, struct rpc_call *call, struct connection *to, bool turned)
{
	bool was_mapped = call->mapped;
	struct rpc_call *other;

	rpc_call_leave(tracker, call);
	request_move(tracker, &call->request, to, turned);
	if (!was_mapped)
		return;
	/* The call may have become known after its reply. */
	other = rpc_call_find(tracker, to, call->request.from_a, call->xid);
	if (other && !call->call.present)
		return;
	if (other)
		rpc_call_leave(tracker, other);
	rpc_call_enter(tracker, call);
}

static void merge_state(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct rpc_connection *old = rpc_state_of_connection(from), *state = old ? rpc_state_make(tracker, to) : NULL;
	struct request *request;

	if (!state)
		end(tracker, from);
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

static void merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned)
{
	struct request *request, *next;

	merge_state(tracker, from, to, turned);
	for (int side = 0; side < 2; side++)
		to->outstanding[side] += from->outstanding[side != turned];
	/* The calls of either end may have been known first. */
	for (request = TAILQ_FIRST(&to->requests.lists[true].queue); request; request = next) {
		next = TAILQ_NEXT(request, link);
		if (!request->is_seen)
			join_reply(tracker, rpc_call_of(request));
	}
	for (int side = 0; side < 2; side++)
		request_claim_waiting(tracker, &to->streams[side]);
}

static void release(struct rtap_tracker *tracker, struct message *message)
{
	rpc_items_free(tracker, message->shown.items, message->shown.item_count);
}

void rpc_layer_report_exchanges(struct rtap_tracker *tracker, rpc_take_exchange *take, void *owner, bool payload)
{
	struct rpc_state *state = rpc_state_of(tracker);

	assert(state->sink_count < RPC_MOST_SINKS);
	state->sinks[state->sink_count++] = (struct rpc_sink){ take, owner };
	state->payload |= payload;
	tracker->wants_data = true;
	rpc_socket_report_exchanges(tracker);
}

static bool init(struct rtap_tracker *tracker)
{
	if (!rpc_state_init(tracker))
		return false;
	rpc_socket_init(tracker);
	return true;
}

static void fini(struct rtap_tracker *tracker)
{
	struct rpc_state *state = rpc_state_of(tracker);

	if (!state)
		return;
	rpc_paths_fini(tracker);
	rpc_names_fini(tracker);
	coverage_fini(&state->gathered);
	map_fini(&state->calls);
	rpc_socket_fini(tracker);
	rpc_state_fini(tracker);
}

static const uint16_t ports[] = { RPCRDMA_PORT, 0 };

const struct upper_layer rpc_layer = {
	.name = "rpc",
	.beside = "nfs",
	.init = init,
	.ports = ports,
	.carried = RTAP_UPPER_RPCRDMA,
	.packet = take_packet,
	.send = take_send,
	.read = take_read,
	.ahead = rpc_view_ahead,
	.memory = &request_memory,
	.response_settled = response_settled,
	.release = release,
	.detach = detach,
	.merged = merged,
	.end = end,
	.over = rpc_state_drop,
	.advance = rpc_answers_advance,
	.fini = fini,
	.socket = &rpc_socket,
	.shown = rpc_paths_packet,
};
