/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "dissect/dissect.h"
#include "dissect/infiniband/ib.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/frame_touch.h"
#include "reassembly/iwarp/iwarp_half.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/claim.h"
#include "reassembly/upper/rpc_items.h"
#include "reassembly/upper/rpc_layer.h"
#include "reassembly/upper/rpc_paths.h"
#include "reassembly/upper/rpc_socket.h"
#include "reassembly/upper/rpc_state.h"

/* Largest plausible version of RPC-over-RDMA on a connection that carries it. */
#define MOST_PLAUSIBLE_VERSION 255
#define MOST_PLAUSIBLE_TYPE 255

/*
 * Whether all SENDs of a connection are known to be RPC-over-RDMA: it was set up for that (RFC 8267, 8), or it carried such
 * messages and a handshake, or a call with its reply, confirms it.
 */
static bool is_rpcrdma(const struct connection *connection)
{
	const struct rpc_connection *state = rpc_state_of_connection(connection);

	return connection->shown.learned_by_cm || connection->shown.learned_by_mpa || (state && state->has_answered);
}

/*
 * RDMA_DONE and RDMA_ERROR are recognised only by their connection. The same holds for a message with truncated lists, and
 * for one of another version or an invalid type, which a responder refuses. RFC 5666, 4.2; RFC 8166, 4.2 and 4.5. The
 * version is the header's second word, the type the fourth, in all versions.
 */
static bool is_bare_rpcrdma(const struct upper_work *work)
{
	const struct rtap_packet *packet = work->packet;
	const struct rtap_payload *payload = &packet->payload;
	const struct rtap_span *whole = &work->context->message;
	struct rtap_span send = { packet->sources[payload->source].bytes + payload->offset, payload->captured };
	uint32_t version, type, wire = payload->wire;

	if (!work->is_known || !work->message || work->message->shown.verb != RTAP_VERB_SEND)
		return false;
	if (whole->bytes) {
		send = *whole;
		wire = work->context->message_wire ? work->context->message_wire : whole->length;
	} else if (!work->keep && ib_opcodes[packet->ib.opcode].place != IB_ONLY) {
		return false;
	}
	if (send.length < RPCRDMA_FIXED_LENGTH)
		return false;
	version = load32(send.bytes + 4);
	type = load32(send.bytes + 12);
	if (!version || version > MOST_PLAUSIBLE_VERSION || type > MOST_PLAUSIBLE_TYPE)
		return false;
	if (is_rpcrdma(work->connection))
		return true;
	if (version != RPCRDMA_VERSION_1 || type > RDMA_ERROR)
		return false;
	return send.length < wire || (wire <= RPCRDMA_MIN_LENGTH && (type == RDMA_DONE || type == RDMA_ERROR));
}

/* Dissects a SEND that only the connection identifies. */
static void show_bare(struct upper_work *work)
{
	if (work->packet->rpcrdma.present || !is_bare_rpcrdma(work))
		return;
	work->context->upper = RTAP_UPPER_RPCRDMA;
	work->dissect(work);
}

/*
 * The call that the packet's data or SEND made complete: inline or, for RDMA_NOMSG, its header and its read chunks, borrowed until the
 * next call. False: incomplete.
 */
static bool gather_call(struct upper_work *work, const struct rpc_call *call)
{
	const struct rpc_send *send = &call->call;
	struct coverage *whole = &rpc_state_of(work->tracker)->gathered;
	struct rtap_context *context = work->context;
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
	    !rpc_chunks_gather(&send->lists, &call->request, CHUNK_READ, send->lists.header_length, whole))
		return false;
	context->chunk = (struct rtap_span){ whole->bytes, (uint32_t)whole->total };
	return true;
}

/* Whether a WRITE captured after the SEND of its reply completes the reply. */
static bool write_completes(struct upper_work *work, const struct rpc_call *call)
{
	/* For a reply with write chunks, only its SEND shows what else is missing. */
	if (!call->reply.present || call->reply.message_type != RDMA_NOMSG || call->reply.lists.write_chunks ||
	    !rpc_call_gather_reply(work->tracker, call, &call->reply.lists, &work->context->chunk))
		return false;
	work->result->touched_upper = call->reply.shown;
	if (call->call.rpc.program_known)
		rpc_call_known(&call->call.rpc, call->call.rpc_frame, call->call.rpc_time_ns, work->context);
	return true;
}

/*
 * A READ that ended, or a WRITE that the packet completed: copies its data to the regions. Whether that completes a call or
 * reply. Data for which no packet is shown is copied when its message is settled: claim_settled().
 */
static bool __attribute__((noinline)) store_data(struct upper_work *work, struct message *message, struct rpc_call **read)
{
	struct rpc_call *call = rpc_call_of(message->region->request);
	bool is_read = message->region->is_read;

	if (region_take_data(work->tracker, message, work->result)) {
		work->result->touched_upper = call->call.shown;
		*read = call;
		return gather_call(work, call);
	}
	return !is_read && !work->tracker->options.bare_replies && write_completes(work, call);
}

/* The reply in a chunk whose SEND is the packet. */
static bool __attribute__((noinline)) find_reply_in_chunk(struct upper_work *work)
{
	uint32_t xid = work->packet->rpcrdma.xid;
	const struct rpc_call *call = rpc_call_find(work->tracker, work->connection, !work->from_a, xid);
	const struct rpc_answer *answer = call ? NULL : rpc_call_find_answer(work->connection, !work->from_a, xid);
	struct rpc_chunks lists = { 0 };
	const uint8_t *bytes;
	uint32_t captured, wire;
	bool found = false;

	if (call && rpc_call_locate(work->packet, &bytes, &captured, &wire) && rpc_chunks_read(&lists, bytes, captured, false))
		found = rpc_call_gather_reply(work->tracker, call, &lists, &work->context->chunk);
	rpc_chunks_fini(&lists);
	if (!answer || !answer->bytes)
		return found;
	work->context->chunk = (struct rtap_span){ answer->bytes, answer->length };
	return true;
}

/*
 * The RPC message that the packet completed outside of its SEND: a reply in a chunk, or a call, by the last READ response of
 * its read chunks. Stores the packet's data in the regions for that. `message`: that of the packet, NULL: none. Sets the RPC
 * message in the context, borrowed until the next call. `*read`: the call whose read chunks it completed; NULL: none. False: no
 * message, or incomplete.
 */
static bool complete_in_chunks(struct upper_work *work, struct message *message, struct rpc_call **read)
{
	const struct rtap_rpcrdma_facts *rpcrdma;

	*read = NULL;
	if (message && message->region)
		return upper_data_is_over(work->result, message) && store_data(work, message, read);
	rpcrdma = &work->packet->rpcrdma;
	return rpcrdma->present && rpcrdma->message_type == RDMA_NOMSG && rpcrdma->reply_chunk && !work->tracker->options.bare_replies &&
	       find_reply_in_chunk(work);
}

/* The call in chunks that were all captured before its SEND, which is the packet and has been taken; NULL: it is none. */
static struct rpc_call *find_preceded(struct upper_work *work)
{
	struct rpc_call *call;

	if (!work->packet->rpcrdma.read_segments || work->packet->rpc.present)
		return NULL;
	call = rpc_call_find(work->tracker, work->connection, work->from_a, work->packet->rpcrdma.xid);
	return call && call->call.present && !call->request.read_left && gather_call(work, call) ? call : NULL;
}

/* Whether the packet is the SEND of a call whose read chunks are incomplete: a later packet completes and shows the call. */
static bool is_followed(const struct upper_work *work)
{
	const struct rpc_call *call;

	if (!work->packet->rpcrdma.read_segments || work->packet->rpc.is_reply)
		return false;
	call = rpc_call_find(work->tracker, work->connection, work->from_a, work->packet->rpcrdma.xid);
	return call && call->request.read_left;
}

/* Dissects the packet again, with the RPC message in the context. A call in read chunks (`read`; NULL: none) keeps its facts for the reply. */
static void show_chunk(struct upper_work *work, struct rpc_call *read)
{
	const struct rtap_packet *packet;

	work->dissect(work);
	packet = work->packet;
	if (!read || !packet->rpc.present || packet->rpc.is_reply)
		return;
	read->call.rpc = packet->rpc;
	read->call.rpc_frame = packet->frame->number;
	read->call.rpc_time_ns = packet->frame->time_ns;
}

/* Notes in the packet that a later one shows the message of this header. */
static void show_follows(struct upper_work *work)
{
	if (!is_followed(work))
		return;
	work->context->rpc_follows = true;
	if (work->context->chunk.bytes)
		work->dissect(work);
	else
		packet_dissect_follows(work->packet, work->context);
}

/* Whether the call of a reply is known, whose program and procedure the reply has: sets them in the context. */
static bool know_call(struct upper_work *work)
{
	return (work->packet->rpc.is_reply || work->context->chunk.bytes) &&
	       rpc_call_context(work->tracker, work->connection, work->from_a, work->packet, work->context);
}

/* Chunks can carry the message, and the packet that completes read chunks shows the call. */
static bool take_packet(struct upper_work *work)
{
	struct frame_result *result = work->result;
	struct message *message = work->message;
	struct rtap_packet *packet = work->packet;
	struct rpc_call *read;
	bool again, is_known;

	show_bare(work);
	if (!packet->rpcrdma.present && !(message && message->region))
		return false;
	again = complete_in_chunks(work, message, &read);
	is_known = packet->rpcrdma.present && !work->tracker->options.bare_replies && know_call(work);
	if (again)
		show_chunk(work, read);
	else if (is_known)
		packet_dissect_reply(packet, work->context);
	if (!packet->rpcrdma.present)
		return true;
	if (message && (result->completed == message || result->cut == message) && message->shown.verb == RTAP_VERB_SEND) {
		rpc_call_send(work->tracker, message, packet, result);
		read = find_preceded(work);
		if (read)
			show_chunk(work, read);
	}
	show_follows(work);
	return true;
}

static bool take_send(struct upper_work *work)
{
	struct rtap_tracker *tracker = work->tracker;
	struct rpc_call *read;
	bool again, is_known;

	show_bare(work);
	if (!work->packet->rpcrdma.present)
		return false;
	again = complete_in_chunks(work, work->message, &read) && work->keep(work, &work->context->chunk);
	is_known = know_call(work);
	if (again)
		work->dissect(work);
	else if (is_known)
		packet_dissect_reply(work->packet, work->context);
	rpc_call_send(tracker, work->message, work->packet, work->result);
	if (work->result->touched_upper)
		frame_touch(tracker, work->result->touched_upper);
	show_follows(work);
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
	show_chunk(work, read);
	return true;
}

_Static_assert(sizeof(struct rtap_rpc_facts) <= IWARP_FACTS, "a call shown ahead is kept with its facts");

static void show_ahead(struct upper_work *work)
{
	struct iwarp_stream *stream = work->connection->iwarp;
	const struct rtap_rpc_facts *rpc = &work->packet->rpc;
	const struct iwarp_request *request;
	struct rtap_rpc_facts call;
	struct rpc_call *read;
	bool is_known;

	/* a reply in a chunk that was complete before the gap */
	if (complete_in_chunks(work, NULL, &read) && work->keep(work, &work->context->chunk))
		work->dissect(work);
	if (!work->packet->rpcrdma.present)
		return;
	if (rpc->is_reply) {
		is_known = rpc_call_context(work->tracker, work->connection, work->from_a, work->packet, work->context);
		if (!is_known && (request = iwarp_half_find_request(stream, !work->from_a, rpc->xid))) {
			memcpy(&call, request->facts, sizeof call);
			rpc_call_known(&call, request->frame, request->time_ns, work->context);
			is_known = true;
		}
		if (is_known)
			packet_dissect_reply(work->packet, work->context);
	} else if (rpc->program_known) {
		iwarp_half_note_request(stream, work->from_a, work->fpdu, rpc->xid, rpc, sizeof *rpc);
	}
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
	if (!rpc_state_of(tracker))
		return;
	rpc_calls_fini(tracker);
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
	.ahead = show_ahead,
	.memory = &claim_memory,
	.response_settled = rpc_call_response_settled,
	.release = release,
	.detach = rpc_call_detach,
	.merged = rpc_call_merged,
	.end = rpc_calls_end,
	.over = rpc_state_drop,
	.advance = rpc_answers_advance,
	.fini = fini,
	.socket = &rpc_socket,
	.shown = rpc_paths_packet,
};
