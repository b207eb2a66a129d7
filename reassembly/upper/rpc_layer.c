/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

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

/* A later packet shows the message of the header. */
static void show_follows(struct upper_work *work)
{
	if (!rpc_call_follows(work->tracker, work->connection, work->from_a, work->packet))
		return;
	work->context->rpc_follows = true;
	if (work->context->chunk.bytes)
		work->dissect(work);
	else
		packet_dissect_follows(work->packet, work->context);
}

/*
 * The program and procedure of a reply are those of its call; chunks can carry the message; and the packet that completes
 * read chunks shows the call.
 */
static bool take_packet(struct upper_work *work)
{
	struct frame_result *result = work->result;
	struct rtap_tracker *tracker = work->tracker;
	const struct connection *connection = work->connection;
	struct message *message = work->message;
	struct rtap_packet *packet = work->packet;
	struct rtap_context *context = work->context;
	struct rpc_call *read;
	bool again, is_known = false;

	show_bare(work);
	if (!packet->rpcrdma.present && !(message && message->region))
		return false;
	again = rpc_call_chunk(tracker, connection, work->from_a, message, packet, context, result, &read);
	if (packet->rpcrdma.present && (packet->rpc.is_reply || context->chunk.bytes) && !tracker->options.bare_replies)
		is_known = rpc_call_context(tracker, connection, work->from_a, packet, context);
	if (again) {
		work->dissect(work);
		rpc_call_read(packet, read);
	} else if (is_known) {
		packet_dissect_reply(packet, context);
	}
	if (message && packet->rpcrdma.present && (result->completed == message || result->cut == message) &&
	    message->shown.verb == RTAP_VERB_SEND) {
		rpc_call_send(tracker, message, packet, result);
		if (rpc_call_preceded(tracker, connection, work->from_a, packet, context, &read)) {
			work->dissect(work);
			rpc_call_read(packet, read);
		}
	}
	if (packet->rpcrdma.present)
		show_follows(work);
	return true;
}

static bool take_send(struct upper_work *work)
{
	struct rtap_tracker *tracker = work->tracker;
	struct connection *connection = work->connection;
	struct rpc_call *read;
	bool again, is_known = false;

	show_bare(work);
	if (!work->packet->rpcrdma.present)
		return false;
	again = rpc_call_chunk(tracker, connection, work->from_a, work->message, work->packet, work->context, work->result, &read) &&
		work->keep(work, &work->context->chunk);
	if (work->packet->rpc.is_reply || work->context->chunk.bytes)
		is_known = rpc_call_context(tracker, connection, work->from_a, work->packet, work->context);
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
	if (!rpc_call_chunk(work->tracker, work->connection, work->from_a, work->message, work->packet, work->context, work->result, &read) ||
	    !work->keep(work, &work->context->chunk))
		return false;
	work->dissect(work);
	rpc_call_read(work->packet, read);
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
	if (rpc_call_chunk(work->tracker, work->connection, work->from_a, NULL, work->packet, work->context, work->result, &read) &&
	    work->keep(work, &work->context->chunk))
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

void rpc_layer_report_exchanges(struct rtap_tracker *tracker, rpc_take_exchange *take, bool payload)
{
	rpc_state_of(tracker)->exchange = take;
	rpc_state_of(tracker)->payload = payload;
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
	.init = init,
	.ports = ports,
	.carried = RTAP_UPPER_RPCRDMA,
	.packet = take_packet,
	.send = take_send,
	.read = take_read,
	.ahead = show_ahead,
	.memory = &claim_memory,
	.settled = rpc_call_settled,
	.release = release,
	.detach = rpc_call_detach,
	.merged = rpc_call_move,
	.end = rpc_call_finish,
	.over = rpc_state_drop,
	.advance = rpc_answers_advance,
	.fini = fini,
	.socket = &rpc_socket,
};
