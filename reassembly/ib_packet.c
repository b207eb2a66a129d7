/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Not in infiniband/: management datagrams go on to management/, which depends on infiniband/. */
#include "config.h"

#include <string.h>

#include "dissect/engine/crc32.h"
#include "dissect/engine/packet_ends.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_crc.h"
#include "reassembly/connection.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/ib_packet.h"
#include "reassembly/infiniband/alternate.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/infiniband/ib_message.h"
#include "reassembly/infiniband/ib_response.h"
#include "reassembly/infiniband/icrc_sender.h"
#include "reassembly/infiniband/multicast.h"
#include "reassembly/infiniband/pairing.h"
#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/reuse.h"
#include "reassembly/management/mad_message.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper.h"
#include "reassembly/content_pairing.h"

/* The result of flow_key_of() for the ends of a packet between connected queue pairs. */
static void flow_key_of_packet(const struct rtap_packet *packet, struct flow_key *key)
{
	struct rtap_end source, destination;

	if (packet->address_length == 4) {
		flow_key_set(key, packet->source_address, packet->destination_address, packet->ib.dest_qpn);
		return;
	}
	packet_ends(packet, &source, &destination);
	*key = flow_key_of(&source, &destination, destination.qpn, 0, false);
}

static void fill_flow(struct rtap_packet *packet, const struct connection *connection, bool from_a)
{
	const struct rtap_end *sender = from_a ? &connection->shown.a : &connection->shown.b;

	packet->flow.present = true;
	packet->flow.connection = connection->shown.number;
	packet->flow.from_a = from_a;
	packet->flow.has_source_qpn = sender->qpn_known;
	packet->flow.source_qpn = sender->qpn;
}

static inline void note_packet(struct connection *connection, const struct rtap_packet *packet, bool from_a, bool is_request)
{
	struct rtap_connection *shown = &connection->shown;
	struct rtap_end *sender = from_a ? &shown->a : &shown->b;

	shown->packets++;
	shown->last_frame = packet->frame->number;
	if (packet->frame->time_ns > shown->time_end_ns)
		shown->time_end_ns = packet->frame->time_ns;
	shown->anomaly_counts[RTAP_CONNECTION_ANOMALY_CUT] += packet->payload.captured < packet->payload.wire;
	if (!is_request)
		return;
	if (!sender->psn_known) {
		sender->psn_known = true;
		sender->psn = packet->ib.psn;
	}
	sender->last_psn = packet->ib.psn;
	sender->last_psn_known = true;
}

/* Acknowledgements and CNPs can take another path than data. */
static inline void note_path(struct flow *flow, const struct rtap_packet *packet, bool is_request)
{
	uint16_t *port = &flow->path_ports[is_request];

	if (*port == packet->source_port)
		return;
	flow->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_PATH_CHANGE] += *port != 0;
	*port = packet->source_port;
}

static enum rtap_transport transport_of(uint8_t opcode)
{
	switch (ib_service(opcode)) {
	case IB_UC: return RTAP_TRANSPORT_UC;
	case IB_UD: return RTAP_TRANSPORT_UD;
	case IB_XRC: return RTAP_TRANSPORT_XRC;
	default: return RTAP_TRANSPORT_RC;
	}
}

/* A connection without a captured handshake, started by packets of one end. */
static __attribute__((cold, noinline)) struct connection *infer(struct rtap_tracker *tracker, struct flow *flow,
								const struct rtap_packet *packet)
{
	struct connection *connection = connection_create(tracker, packet->frame->number, packet->frame->time_ns);

	if (!connection)
		return NULL;
	packet_ends(packet, &connection->shown.a, &connection->shown.b);
	connection->shown.transport = (uint8_t)transport_of(packet->ib.opcode);
	connection->streams[0].reliable = connection->streams[1].reliable = connection->shown.transport != RTAP_TRANSPORT_UC;
	flow_attach(flow, connection, true);
	connection_account(tracker, connection);
	return connection;
}

static void response_of(const struct rtap_tracker *tracker, const struct rtap_packet *packet, struct pending_response *response)
{
	const struct rtap_payload *payload = &packet->payload;

	*response = (struct pending_response){
		.frame = packet->frame->number,
		.time_ns = packet->frame->time_ns,
		.original = packet->ib.original,
		.point = packet->frame->capture_point,
		.psn = packet->ib.psn,
		.msn = packet->ib.msn,
		.captured = payload->captured,
		.wire = payload->wire,
		.opcode = packet->ib.opcode,
		.syndrome = packet->ib.syndrome,
		.aeth_kind = packet->ib.aeth_kind,
		.aeth_value = packet->ib.aeth_value,
		.id = packet->ip_id,
		.p_key = packet->ib.p_key,
		.has_original = packet->ib.has_atomic,
		.bytes = (uint8_t *)(uintptr_t)packet->sources[payload->source].bytes + payload->offset,
	};
	if (tracker->keep & COVERAGE_CRC) {
		response->crc = crc32_of(0, response->bytes, response->captured);
		crc32_release();
	}
}

static void response_packet(struct rtap_tracker *tracker, struct flow *flow, struct rtap_packet *packet, struct frame_result *result)
{
	struct pending_response response;

	response_of(tracker, packet, &response);
	if (!flow->connection || connection_is_half(flow->connection)) {
		/* A requester found now has already processed this response. */
		if (pairing_response(tracker, flow, &response, result) || flow->connection)
			fill_flow(packet, flow->connection, flow->from_a);
		return;
	}
	fill_flow(packet, flow->connection, flow->from_a);
	note_packet(flow->connection, packet, flow->from_a, false);
	if (ib_opcodes[packet->ib.opcode].class == IB_READ_RESPONSE)
		note_path(flow, packet, false);
	ib_response_packet(tracker, &flow->connection->streams[!flow->from_a], &response, &packet->flow, result);
	connection_account(tracker, flow->connection);
}

/* A request of the end that answers another connection's requests: returns the flow's connection, which may be that one now. */
static __attribute__((noinline)) struct connection *pair_by_content(struct rtap_tracker *tracker, struct flow *flow,
								    const struct rtap_packet *packet,
								    struct frame_result *result)
{
	struct connection *other = content_pairing_find(tracker, flow, packet);
	struct flow *there = other ? connection_known_flow(other) : NULL;

	if (!other || other->shown.transport != transport_of(packet->ib.opcode))
		return flow->connection;
	/* the flow that has responses is joined, for they are processed then */
	if (!there->pending_count)
		pairing_join(tracker, flow, other, result);
	else if (flow->connection || infer(tracker, flow, packet))
		pairing_join(tracker, there, flow->connection, result);
	return flow->connection;
}

static void request_packet(struct rtap_tracker *tracker, struct flow *flow, struct rtap_packet *packet, struct frame_result *result)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct connection *connection = flow->connection;

	if (!TAILQ_EMPTY(&tracker->asking) && (!connection || connection_is_half(connection)))
		connection = pair_by_content(tracker, flow, packet, result);
	if (!connection)
		connection = infer(tracker, flow, packet);
	if (!connection)
		return;
	fill_flow(packet, connection, flow->from_a);
	note_packet(connection, packet, flow->from_a, true);
	note_path(flow, packet, true);
	ib_message_request(tracker, &connection->streams[flow->from_a], packet, result);
	if (connection_is_half(connection) && connection->shown.transport != RTAP_TRANSPORT_UC &&
	    (packet->ib.ack_request || opcode->place == IB_LAST || opcode->place == IB_ONLY))
		pairing_expect(tracker, connection, &packet->ib, result);
	if (flow->connection != connection) {
		connection = flow->connection;
		fill_flow(packet, connection, flow->from_a);
	}
	upper_note(tracker, connection, (enum rtap_upper)packet->upper);
	result->asked = connection;
	connection_account(tracker, connection);
}

/* Whether another capture point has the same datagram within a millisecond: it was sent once. */
static bool is_captured_twice(struct rtap_tracker *tracker, const struct rtap_packet *packet, const struct rtap_end *source,
			      const struct rtap_end *destination)
{
	const struct rtap_payload *payload = &packet->payload;
	const struct rtap_frame *frame = packet->frame;
	struct flow_key key = flow_key_of(source, destination, destination->qpn, source->qpn, true);
	uint32_t crc = crc32_of(0, packet->sources[payload->source].bytes + payload->offset, payload->captured);
	uint64_t place = (uint64_t)crc << 32 | (uint64_t)packet->ib.psn << 8 | packet->ib.opcode;
	uint64_t hash = map_hash((uint64_t[2]){ flow_hash(&key), place }, 2) | 1;
	/* Not by the hash, which differs for each run: the choice of entries to replace would be random. */
	struct recent_datagram *set = tracker->recent_datagrams[(crc ^ packet->ib.psn ^ destination->qpn) % RECENT_DATAGRAM_SETS];
	struct recent_datagram *oldest = set;

	crc32_release();
	for (struct recent_datagram *recent = set; recent < set + RECENT_DATAGRAMS; recent++) {
		if (recent->hash == hash && recent->point != frame->capture_point && frame->time_ns - recent->time_ns < TWICE_NS &&
		    recent->time_ns - frame->time_ns < TWICE_NS)
			return true;
		if (recent->time_ns < oldest->time_ns)
			oldest = recent;
	}
	*oldest = (struct recent_datagram){ hash, frame->time_ns, frame->capture_point };
	return false;
}

/* Datagrams contain both queue pairs. */
static __attribute__((noinline)) void datagram(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rtap_end *source,
					       const struct rtap_end *destination, struct frame_result *result)
{
	struct flow_key key = flow_key_of(source, destination, destination->qpn, source->qpn, true);
	uint64_t hash = flow_hash(&key);
	struct flow *flow = flow_find(tracker, &key, hash);

	if (!flow)
		flow = flow_create(tracker, &key, hash);
	if (!flow)
		return;
	if (!flow->connection) {
		struct flow_key turned = flow_key_of(destination, source, source->qpn, destination->qpn, true);
		struct flow *other = flow_find(tracker, &turned, flow_hash(&turned));
		struct connection *connection = NULL;
		bool from_a = false;

		/* A queue pair can send to itself. */
		if (other && other != flow) {
			connection = other->connection;
			from_a = !other->from_a;
		}
		if (!connection)
			connection = handshake_resolved(tracker, source, destination, &from_a);
		if (connection)
			flow_attach(flow, connection, from_a);
		else if (!(connection = infer(tracker, flow, packet)))
			return;
		else if (handshake_service(tracker, destination, &connection->shown.service_id) ||
			 handshake_service(tracker, source, &connection->shown.service_id))
			connection->shown.has_service = connection->shown.learned_by_cm = true;
	}
	if (!flow->connection->shown.packets)
		multicast_follow(tracker, flow->connection, destination);
	fill_flow(packet, flow->connection, flow->from_a);
	note_packet(flow->connection, packet, flow->from_a, true);
	if (is_captured_twice(tracker, packet, source, destination)) {
		packet->flow.analysis = RTAP_PSN_CAPTURED_TWICE;
		flow->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE]++;
		return;
	}
	ib_message_datagram(tracker, flow->connection, flow->from_a, packet, RTAP_KIND_UD, result);
	connection_account(tracker, flow->connection);
}

/* A CNP goes to the sender of the data that met congestion, so it has the direction of responses. */
static __attribute__((cold, noinline)) void congestion(struct rtap_tracker *tracker, struct flow *flow, struct rtap_packet *packet)
{
	if (!flow || !flow->connection) {
		struct pending_response notice = { .frame = packet->frame->number, .time_ns = packet->frame->time_ns, .opcode = packet->ib.opcode };

		if (!flow || !pairing_keep(tracker, flow, &notice))
			tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_CNP]++;
		return;
	}
	fill_flow(packet, flow->connection, flow->from_a);
	note_packet(flow->connection, packet, flow->from_a, false);
	flow->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_CNP]++;
}

/* is_corrupt() of a packet whose invariant CRC was checked. */
static __attribute__((noinline)) bool judge_icrc(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet,
						 struct frame_result *result)
{
	if (packet->ib.icrc_status == RTAP_CRC_GOOD) {
		if (!flow || flow->icrc_good_on != packet->frame->interface + 1) {
			icrc_sender_note_good(tracker, packet);
			if (flow)
				flow->icrc_good_on = packet->frame->interface + 1;
		}
		return false;
	}
	if (packet->ib.icrc_status != RTAP_CRC_BAD)
		return false;
	if (icrc_sender_is_reliable(tracker, packet))
		return true;
	tracker->counters.icrc_ignored++;
	result->icrc_ignored = true;
	return false;
}

/* Whether the packet's invariant CRC was checked and shows that it is corrupt. `flow`: NULL: unknown. */
static inline bool is_corrupt(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet,
			      struct frame_result *result)
{
	return packet->ib.icrc_status != RTAP_CRC_UNCHECKED && judge_icrc(tracker, flow, packet, result);
}

/*
 * The port shows that the other direction of the flow's connection is another flow than the one that was chosen for its PSNs, which queue pairs with
 * equal traffic share. Separates the two, if one of them had responses only.
 */
static __attribute__((cold, noinline)) void undo_pair(struct rtap_tracker *tracker, const struct flow *flow)
{
	struct connection *connection = flow->connection;
	bool leaves = connection->streams[flow->from_a].started ? !flow->from_a : flow->from_a;
	struct flow *other = connection->flows[!flow->from_a];
	struct rtap_end *receiver = leaves ? &connection->shown.b : &connection->shown.a;

	if (connection->shown.learned_by_cm || connection->streams[leaves].started || !other->port || flow->port == other->port)
		return;
	tracker->ports_differ--;
	flow_destroy(tracker, connection->flows[leaves]);
	connection->flows[leaves] = NULL;
	receiver->qpn_known = false;
	receiver->qpn = 0;
}

/*
 * The first packet of a flow: its port may show which flow is the connection's other direction, if service and PSN allow
 * that.
 */
static void pair_by_port(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet, struct frame_result *result)
{
	struct flow *other;

	port_pairing_enter(tracker, flow, packet->source_port, false);
	other = port_pairing_partner(flow);
	if (other && other->connection && !connection_is_half(other->connection)) {
		undo_pair(tracker, other);
		other = port_pairing_partner(flow);
	}
	if (!other || !other->connection || !connection_is_half(other->connection) || other->connection->closed ||
	    other->connection->shown.transport != transport_of(packet->ib.opcode) || other->pending_count)
		return;
	if (!ib_opcodes[packet->ib.opcode].is_response || pairing_may_answer(other->connection, packet->ib.psn, packet->ib.opcode))
		pairing_join(tracker, flow, other->connection, result);
}

/* Assigns responses captured before the first request to the connection that their port shows. */
static __attribute__((cold, noinline)) void pair_pending_by_port(struct rtap_tracker *tracker, struct flow *flow,
								 struct frame_result *result)
{
	struct flow *other = port_pairing_partner(flow);

	if (!other || other->connection || !other->pending_count || !connection_is_half(flow->connection))
		return;
	for (uint32_t i = 0; i < other->pending_count; i++)
		if (!pairing_may_answer(flow->connection, other->pending[i].psn, other->pending[i].opcode))
			return;
	pairing_join(tracker, other, flow->connection, result);
}

static __attribute__((noinline)) struct flow *search_flow(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct flow_key key;

	flow_key_of_packet(packet, &key);
	return flow_find_recent(tracker, &key);
}

/* The flow of a packet between connected queue pairs; NULL: this is its first packet. */
static inline struct flow *flow_of_packet(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	if (packet->address_length == 4) {
		struct flow *flow = *flow_recent_place(tracker, load32(packet->source_address), packet->ib.dest_qpn);

		if (flow && flow_key_is(&flow->key, packet->source_address, packet->destination_address, packet->ib.dest_qpn))
			return flow;
	}
	return search_flow(tracker, packet);
}

/* NULL: out of memory. */
static __attribute__((cold, noinline)) struct flow *begin_flow(struct rtap_tracker *tracker, const struct rtap_packet *packet,
							       struct frame_result *result)
{
	struct flow_key key;
	struct flow *flow;

	flow_key_of_packet(packet, &key);
	flow = flow_create(tracker, &key, flow_hash(&key));
	if (flow && packet->source_port)
		pair_by_port(tracker, flow, packet, result);
	return flow;
}

static __attribute__((cold, noinline)) void note_corrupt(struct rtap_tracker *tracker, struct flow *flow, struct rtap_packet *packet)
{
	if (flow && flow->connection) {
		fill_flow(packet, flow->connection, flow->from_a);
		flow->connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_ICRC]++;
	} else {
		tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_ICRC]++;
	}
}

/* Whether the response, perhaps far from what the flow's connection requested, shows that it belongs to a new one. */
static bool answers_new_use(const struct rtap_tracker *tracker, const struct flow *flow, struct psn_stream *stream, const struct rtap_packet *packet)
{
	bool is_far = !stream->started || assembly_is_far(stream, psn_unwrap(stream, packet->ib.psn));
	struct pending_response response;

	if (!is_far && !stream->first.came_again)
		return false;
	response_of(tracker, packet, &response);
	return is_far ? pairing_is_for_another(tracker, flow, stream, &response) : reuse_is_shown_by_ack(stream, &response);
}

/* Whether the packet belongs to a new connection with the queue pair numbers of the flow's connection, which is retired. */
static __attribute__((cold, noinline)) bool begins_new_use(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet)
{
	bool is_response = ib_opcodes[packet->ib.opcode].is_response;
	struct psn_stream *stream = &flow->connection->streams[flow->from_a != is_response];

	if (!(is_response ? answers_new_use(tracker, flow, stream, packet) : reuse_is_shown_by(stream, packet)) ||
	    (ib_check_icrc(packet) == RTAP_CRC_BAD && icrc_sender_is_reliable(tracker, packet)))
		return false;
	connection_retire(tracker, flow->connection);
	return true;
}

/* Whether it is a packet by which begins_new_use() can be true. */
static inline bool may_begin_new_use(const struct flow *flow, const struct rtap_packet *packet)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	const struct psn_stream *stream;

	if (!flow || !flow->connection || opcode->class == IB_CONGESTION)
		return false;
	stream = &flow->connection->streams[flow->from_a != opcode->is_response];
	if (psn_is_distant(stream, packet->ib.psn))
		return true;
	return opcode->is_response ? stream->first.came_again : !packet->ib.psn;
}

/* Connected queue pairs: RC, UC, XRC. */
static void connected(struct rtap_tracker *tracker, struct rtap_packet *packet, struct frame_result *result)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct flow *flow = flow_of_packet(tracker, packet);
	bool is_new = !flow;

	if (is_corrupt(tracker, flow, packet, result)) {
		note_corrupt(tracker, flow, packet);
		return;
	}
	if (is_new && (flow = alternate_migrate(tracker, packet)))
		is_new = false;
	if (may_begin_new_use(flow, packet) && begins_new_use(tracker, flow, packet))
		is_new = true;
	if (is_new)
		flow = begin_flow(tracker, packet, result);
	if (!flow)
		tracker->counters.evictions++;
	else if (opcode->class == IB_CONGESTION)
		congestion(tracker, flow, packet);
	else if (opcode->is_response)
		response_packet(tracker, flow, packet, result);
	else
		request_packet(tracker, flow, packet, result);
	if (is_new && flow && flow->connection && packet->source_port)
		pair_pending_by_port(tracker, flow, result);
}

/* The packet was captured before. */
static void __attribute__((noinline)) note_copy(struct rtap_tracker *tracker, struct rtap_packet *packet, enum captured_copy copy)
{
	struct rtap_end source, destination;
	struct flow_key key;
	struct flow *flow;
	enum rtap_connection_anomaly anomaly = copy == CAPTURED_DOUBLED ? RTAP_CONNECTION_ANOMALY_DUPLICATE :
									  RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE;

	if (packet->ib.has_deth) {
		packet_ends(packet, &source, &destination);
		key = flow_key_of(&source, &destination, destination.qpn, source.qpn, true);
	} else {
		flow_key_of_packet(packet, &key);
	}
	flow = flow_find(tracker, &key, flow_hash(&key));
	packet->flow.analysis = copy == CAPTURED_DOUBLED ? RTAP_PSN_DUPLICATE : RTAP_PSN_CAPTURED_TWICE;
	if (flow && flow->connection) {
		fill_flow(packet, flow->connection, flow->from_a);
		flow->connection->shown.anomaly_counts[anomaly]++;
		if (!packet->ib.has_deth)
			ib_message_copy(tracker, &flow->connection->streams[flow->from_a != ib_opcodes[packet->ib.opcode].is_response], packet);
	} else {
		tracker->counters.anomaly_counts[anomaly]++;
	}
}

/* Datagrams. */
static __attribute__((noinline)) void unconnected(struct rtap_tracker *tracker, struct rtap_packet *packet, struct frame_result *result)
{
	struct rtap_end source, destination;

	packet_ends(packet, &source, &destination);
	if (is_corrupt(tracker, NULL, packet, result)) {
		tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_ICRC]++;
		return;
	}
	if (packet->ib.dest_qpn > 1) {
		datagram(tracker, packet, &source, &destination, result);
		return;
	}
	if (is_captured_twice(tracker, packet, &source, &destination)) {
		packet->flow.analysis = RTAP_PSN_CAPTURED_TWICE;
		tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE]++;
		return;
	}
	mad_message_packet(tracker, packet, &source, &destination, result);
}

void ib_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, enum captured_copy copy, struct frame_result *result)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];

	if (copy != CAPTURED_FIRST) {
		note_copy(tracker, packet, copy);
		return;
	}
	if (opcode->class == IB_RESERVED || ib_service(packet->ib.opcode) == IB_RD) {
		tracker->counters.unsupported++;
		return;
	}
	/* The sender, or the request that it answers, was truncated by the capture. */
	if ((opcode->headers & IB_DETH && !packet->ib.has_deth) || (opcode->headers & IB_AETH && !packet->ib.has_aeth))
		return;
	if (ib_service(packet->ib.opcode) == IB_UD)
		unconnected(tracker, packet, result);
	else
		connected(tracker, packet, result);
}
