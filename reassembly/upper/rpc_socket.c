/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/dissect.h"
#include "dissect/management/cm.h"
#include "reassembly/connection.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/frame_touch.h"
#include "reassembly/message_pair.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/rpc_call.h"
#include "reassembly/upper/rpc_conversation.h"
#include "reassembly/upper/rpc_operation.h"
#include "reassembly/upper/rpc_socket.h"
#include "reassembly/upper/rpc_state.h"

static void fill_end(struct rtap_end *end, const struct rpc_conversation *conversation, bool side)
{
	*end = conversation->ends[side];
	end->port = conversation->ports[side];
	end->port_known = true;
}

static uint64_t connect(void *owner, struct rpc_conversation *conversation, bool a, uint64_t frame, int64_t time_ns)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = connection_create(tracker, frame, time_ns);
	bool is_tcp = conversation->carrier == RPC_OVER_TCP;

	if (!connection) {
		tracker->counters.evictions++;
		return 0;
	}
	connection->shown.transport = is_tcp ? RTAP_TRANSPORT_TCP : RTAP_TRANSPORT_UDP;
	fill_end(&connection->shown.a, conversation, a);
	fill_end(&connection->shown.b, conversation, !a);
	connection->shown.has_service = true;
	connection->shown.service_id = is_tcp ? CM_TCP_SERVICE(connection->shown.b.port) : CM_UDP_SERVICE(connection->shown.b.port);
	connection->upper_stream = conversation;
	connection->layer = upper_of_socket(tracker, &rpc_socket);
	conversation->connection = connection;
	conversation->turned = !a;
	connection_account(tracker, connection);
	return connection->shown.number;
}

static void disconnect(void *owner, struct rpc_conversation *conversation)
{
	struct connection *connection = conversation->connection;

	connection->upper_stream = NULL;
	conversation->connection = NULL;
	connection_close(owner, connection);
}

/* The message is freed before the end of the frame. */
static void drop_place(void *owner, struct message *message)
{
	struct rtap_tracker *tracker = owner;

	frame_touch_discard(tracker, message);
	message_drop(tracker, message);
}

/* Queues an incomplete message: messages that begin later are reported after it. */
static void hold_place(void *owner, struct rpc_direction *direction, uint64_t frame, int64_t time_ns)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = direction->conversation->connection;

	if (direction->place && (!frame || direction->place->shown.first_frame != frame))
		drop_place(tracker, direction->place);
	if (!frame || !connection || !tracker->reports)
		return;
	if (!direction->place)
		direction->place = message_create(tracker, connection, frame, time_ns);
	if (!direction->place)
		return;
	direction->place->reference = &direction->place;
	direction->place->reserves = true;
	frame_touch(tracker, direction->place);
}

/* The reply at this place waits for its call. */
static void reserve(void *owner, struct rpc_conversation *conversation, uint64_t frame, int64_t time_ns, struct message **slot)
{
	struct rtap_tracker *tracker = owner;

	if (!conversation->connection || !tracker->reports)
		return;
	*slot = message_create(tracker, conversation->connection, frame, time_ns);
	if (!*slot)
		return;
	(*slot)->reference = slot;
	(*slot)->reserves = true;
	frame_touch(tracker, *slot);
}

/* The message that reserved the place, if any; else a new one. */
static struct message *take_place(struct rtap_tracker *tracker, struct rpc_conversation *conversation, bool from_a,
				  const struct rpc_heard *heard, const struct rpc_relation *relation)
{
	struct message **place = relation->place ? relation->place : conversation->directions ? &conversation->directions[from_a].place : NULL;
	struct message *message = place ? *place : NULL;

	if (message && message->shown.first_frame == heard->first_frame) {
		message->reference = NULL;
		message->reserves = false;
		*place = NULL;
		return message;
	}
	return message_create(tracker, conversation->connection, heard->first_frame, heard->time_ns);
}

static struct message *take_message(void *owner, struct rpc_conversation *conversation, bool from_a, const struct rpc_heard *heard,
				    const struct rtap_rpc_facts *facts, const struct rpc_relation *relation)
{
	struct rtap_tracker *tracker = owner;
	struct connection *connection = conversation->connection;
	struct message *message;

	if (!connection)
		return NULL;
	connection->shown.messages++;
	connection->shown.bytes += heard->seen;
	if (!tracker->reports)
		return NULL;
	message = take_place(tracker, conversation, from_a, heard, relation);
	if (!message)
		return NULL;
	message->shown.kind = facts->is_reply ? RTAP_KIND_RPC_REPLY : RTAP_KIND_RPC_CALL;
	message->shown.verb = RTAP_VERB_SEND;
	message->is_response = facts->is_reply;
	message->shown.from_a = from_a != conversation->turned;
	if (!relation->repeats || !rpc_operation_decodes(tracker))
		rpc_operation_begin(tracker, message, relation->call);
	rpc_exchange_show_plain(tracker, message, heard, facts, relation);
	frame_touch(tracker, message);
	message->reference = relation->slot;
	if (relation->slot)
		*relation->slot = message;
	return message;
}

static void pair(void *owner, struct message *call, struct message *reply, uint64_t repeats)
{
	*call->reference = NULL;
	call->reference = NULL;
	call->shown.repeats = repeats;
	if (reply) {
		message_pair(call, reply);
		/* If the capture swapped them, the latency is unknown. */
		call->shown.has_latency = reply->shown.has_latency = reply->shown.time_end_ns >= call->shown.time_ns;
		call->shown.latency_ns = reply->shown.latency_ns = reply->shown.time_end_ns - call->shown.time_ns;
	}
	rpc_operation_conclude(owner, call, reply, true);
}

static void take_exchange(void *owner, const struct rpc_exchange *exchange)
{
	struct rtap_tracker *tracker = owner;

	/* Not while the tracker is being closed. */
	if (tracker->wants_data)
		rpc_state_report(tracker, exchange);
}

void rpc_socket_init(struct rtap_tracker *tracker)
{
	struct rpc_carriers *carriers = &rpc_state_of(tracker)->carriers;
	const struct rpc_carriers_user user = {
		.owner = tracker, .connect = connect, .disconnect = disconnect, .place = hold_place, .reserve = reserve, .release = drop_place,
		.message = take_message, .pair = pair,
	};

	rpc_carriers_init(carriers, &tracker->budget, &user, tracker->context.no_heuristics);
	if (tracker->options.bytes)
		carriers->copies.most = UINT64_MAX;
}

void rpc_socket_report_exchanges(struct rtap_tracker *tracker)
{
	struct rpc_carriers *carriers = &rpc_state_of(tracker)->carriers;

	carriers->user.exchange = take_exchange;
	carriers->copies.most = UINT64_MAX;
}

/* A packet of a conversation: counts it for its connection and sets the packet's connection. `facts`: of a TCP segment, or NULL. */
static void note_packet(struct rtap_tracker *tracker, struct rpc_conversation *conversation, bool from_a,
			const struct tcp_segment_facts *facts, struct rtap_packet *packet)
{
	struct connection *connection = conversation->connection;

	if (!connection)
		return;
	connection_note(tracker, connection, packet, facts);
	packet->flow.present = packet->flow.beside_rdma = true;
	packet->flow.connection = connection->shown.number;
	packet->flow.from_a = from_a != conversation->turned;
	/* Otherwise the RPC messages count, not the segments. */
	if (facts && facts->analysis == RTAP_TCP_CAPTURED_TWICE)
		packet->flow.tcp_analysis = facts->analysis;
}

static void *begin(struct rtap_tracker *tracker, const struct tcp_connection *connection, const struct rtap_frame *frame)
{
	return rpc_carriers_begin(&rpc_state_of(tracker)->carriers, connection, frame);
}

static void life(void *stream, bool from_a, enum tcp_life life)
{
	rpc_carriers_life(stream, from_a, life);
}

static void take_bytes(void *stream, bool from_a, const struct tcp_bytes *bytes)
{
	rpc_carriers_bytes(stream, from_a, bytes);
}

static void take_hole(void *stream, bool from_a, const struct tcp_hole *hole)
{
	const struct rpc_conversation *conversation = stream;
	enum rtap_connection_anomaly anomaly = hole->reason == TCP_HOLE_SNAPPED ? RTAP_CONNECTION_ANOMALY_CUT : RTAP_CONNECTION_ANOMALY_NOT_CAPTURED;

	rpc_carriers_hole(stream, from_a, hole);
	if (conversation->connection)
		conversation->connection->shown.anomaly_counts[anomaly]++;
}

static enum upper_verdict verdict(const void *stream)
{
	static const enum upper_verdict verdicts[] = { [RPC_PERHAPS] = UPPER_PERHAPS, [RPC_YES] = UPPER_YES, [RPC_NO] = UPPER_NO };

	return verdicts[rpc_carriers_verdict(stream)];
}

static void take_segment(struct rtap_tracker *tracker, void *stream, const struct tcp_segment_facts *facts, struct rtap_packet *packet,
			 struct rtap_context *context)
{
	note_packet(tracker, stream, facts->from_a, facts, packet);
	rpc_carriers_context(stream, facts->from_a, packet, context);
}

static void end(void *stream)
{
	rpc_carriers_end(stream);
}

static bool take_datagram(struct rtap_tracker *tracker, struct rtap_packet *packet, struct rtap_context *context)
{
	bool from_a;
	struct rpc_conversation *conversation = rpc_carriers_datagram(&rpc_state_of(tracker)->carriers, packet, &from_a, context);

	if (!conversation)
		return false;
	if (context->rpc_known)
		packet_dissect_udp(packet, context);
	note_packet(tracker, conversation, from_a, NULL, packet);
	return true;
}

static void give_up(struct connection *connection)
{
	rpc_conversation_give_up(connection->upper_stream);
}

static void discard(struct connection *connection)
{
	rpc_conversation_discard(connection->upper_stream);
}

static void flush(struct rtap_tracker *tracker)
{
	rpc_carriers_flush(&rpc_state_of(tracker)->carriers);
}

void rpc_socket_fini(struct rtap_tracker *tracker)
{
	rpc_carriers_fini(&rpc_state_of(tracker)->carriers);
}

const struct upper_socket rpc_socket = {
	.begin = begin, .life = life, .bytes = take_bytes, .hole = take_hole, .verdict = verdict, .segment = take_segment,
	.end = end, .datagram = take_datagram, .give_up = give_up, .discard = discard, .flush = flush,
};
