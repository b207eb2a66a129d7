/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/dissect.h"
#include "dissect/infiniband/ib.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/iwarp/iwarp_half.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_state.h"
#include "reassembly/upper/rpc_view.h"

/* Largest plausible version and type of RPC-over-RDMA on a connection whose setup, or whose messages, alone show that it carries it. */
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

/* Whether it carries nothing else, whatever a header says: the service of its setup, and private data (RFC 8797) or a message, showed RPC-over-RDMA. */
static bool is_only_rpcrdma(const struct connection *connection)
{
	return connection->shows_layer && upper_is_set_up(connection->layer, connection);
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
	/* of another use of the queue pairs, if its content shows another protocol */
	if (is_only_rpcrdma(work->connection) && packet->upper == RTAP_UPPER_UNKNOWN)
		return true;
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

void rpc_view_bare(struct upper_work *work)
{
	if (work->packet->rpcrdma.present || !is_bare_rpcrdma(work))
		return;
	work->context->upper = RTAP_UPPER_RPCRDMA;
	work->dissect(work);
}

bool rpc_view_call(struct upper_work *work, const struct rpc_call *call)
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

bool rpc_view_written_reply(struct upper_work *work, const struct rpc_call *call)
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

bool rpc_view_reply(struct upper_work *work)
{
	const struct rtap_rpcrdma_facts *rpcrdma = &work->packet->rpcrdma;

	return rpcrdma->present && rpcrdma->message_type == RDMA_NOMSG && rpcrdma->reply_chunk && !work->tracker->options.bare_replies &&
	       find_reply_in_chunk(work);
}

struct rpc_call *rpc_view_preceded(struct upper_work *work)
{
	struct rpc_call *call;

	if (!work->packet->rpcrdma.read_segments || work->packet->rpc.present)
		return NULL;
	call = rpc_call_find(work->tracker, work->connection, work->from_a, work->packet->rpcrdma.xid);
	return call && call->call.present && !call->request.read_left && rpc_view_call(work, call) ? call : NULL;
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

void rpc_view_chunk(struct upper_work *work, struct rpc_call *read)
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

void rpc_view_follows(struct upper_work *work)
{
	if (!is_followed(work))
		return;
	work->context->rpc_follows = true;
	if (work->context->chunk.bytes)
		work->dissect(work);
	else
		packet_dissect_follows(work->packet, work->context);
}

/* Sets the facts of the call that the reply in the packet answers in the context. False: unknown. */
static bool call_context(struct upper_work *work)
{
	uint32_t xid = work->packet->rpcrdma.xid;
	const struct rpc_call *call = rpc_call_find(work->tracker, work->connection, !work->from_a, xid);
	const struct rpc_answer *answer = call ? NULL : rpc_call_find_answer(work->connection, !work->from_a, xid);

	if (call && call->call.rpc.program_known)
		rpc_call_known(&call->call.rpc, call->call.rpc_frame, call->call.rpc_time_ns, work->context);
	else if (answer)
		rpc_call_known(&answer->rpc, answer->frame, answer->time_ns, work->context);
	return answer || (call && call->call.rpc.program_known);
}

bool rpc_view_knows_call(struct upper_work *work)
{
	return (work->packet->rpc.is_reply || work->context->chunk.bytes) && call_context(work);
}

_Static_assert(sizeof(struct rtap_rpc_facts) <= IWARP_FACTS, "a call shown ahead is kept with its facts");

void rpc_view_ahead(struct upper_work *work)
{
	struct iwarp_stream *stream = work->connection->iwarp;
	const struct rtap_rpc_facts *rpc = &work->packet->rpc;
	const struct iwarp_request *request;
	struct rtap_rpc_facts call;
	bool is_known;

	/* a reply in a chunk that was complete before the gap */
	if (rpc_view_reply(work) && work->keep(work, &work->context->chunk))
		work->dissect(work);
	if (!work->packet->rpcrdma.present)
		return;
	if (rpc->is_reply) {
		is_known = call_context(work);
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
