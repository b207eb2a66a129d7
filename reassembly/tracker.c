/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/management/cm.h"
#include "dissect/engine/crc32.h"
#include "dissect/dissect.h"
#include "dissect/flow.h"
#include "dissect/infiniband/ib.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/connection.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/iwarp/ddp_message.h"
#include "reassembly/frame_touch.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/infiniband/ib_message.h"
#include "reassembly/infiniband/ib_response.h"
#include "reassembly/infiniband/ib_settle.h"
#include "reassembly/infiniband/icrc_sender.h"
#include "reassembly/management/mad_message.h"
#include "reassembly/store/memory.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_queue.h"
#include "reassembly/infiniband/multicast.h"
#include "reassembly/infiniband/pairing.h"
#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/upper/rpc_socket.h"
#include "reassembly/tcp_content.h"
#include "reassembly/time_windows.h"
#include "reassembly/tracker.h"
#include "reassembly/upper/upper_layers.h"

#define CLOCK_SET_NS INT64_C(1000000000) /* frames of several interfaces are out of order by less than this */
#define USUAL_MEMORY (UINT64_C(512) << 20)
#define USUAL_GIVE_UP_NS (60 * UINT64_C(1000000000))

struct rtap_tracker *rtap_tracker_open(const struct rtap_tracker_options *options)
{
	struct rtap_tracker *tracker = memory_new_zeroed(1, sizeof *tracker);

	if (!tracker)
		return NULL;
	tracker->options = *options;
	tracker->layers = upper_layers;
	tracker->alone = options->context;
	tracker->alone.stop_at_tcp = true;
	tracker->now_ns = INT64_MIN;
	tracker->aside.due_ns = UINT64_MAX;
	budget_init(&tracker->budget, options->max_memory ? options->max_memory : USUAL_MEMORY);
	budget_give_up_after(&tracker->budget, options->give_up_ns ? options->give_up_ns : USUAL_GIVE_UP_NS);
	tracker->messages.apart = tracker->view.entry.apart = true;
	ip_fragments_init(&tracker->fragments, &tracker->budget);
	tracker->exchanges.budget = tracker->rmpp.budget = &tracker->budget;
	rpc_socket_init(tracker);
	tcp_content_init(tracker);
	if (options->checksums)
		tracker->keep |= COVERAGE_CRC;
	if (options->bytes) {
		tracker->keep |= COVERAGE_BYTES;
		tracker->carriers.copies.most = UINT64_MAX;
	}
	return tracker;
}

void tracker_report_exchanges(struct rtap_tracker *tracker, rpc_take_exchange *take, bool payload)
{
	tracker->exchange = take;
	tracker->payload = payload;
	rpc_socket_report_exchanges(tracker);
}

bool tracker_join_captures(struct rtap_tracker *tracker, bool at_the_same_time)
{
	tracker->copies = captured_copies_create(at_the_same_time);
	return tracker->copies;
}

struct captured_copies_summary tracker_joined(const struct rtap_tracker *tracker)
{
	return tracker->copies ? captured_copies_summary(tracker->copies) : (struct captured_copies_summary){ 0 };
}

static void set_address(struct rtap_end *end, const uint8_t *address, unsigned length)
{
	memcpy(end->address, address, length);
	end->address_length = (uint8_t)length;
}

static void set_lid(struct rtap_end *end, uint16_t lid)
{
	end->address[0] = (uint8_t)(lid >> 8);
	end->address[1] = (uint8_t)lid;
	end->address_length = 2;
}

/* Sender and receiver of the packet, with queue pairs as far as it shows them. */
static void ends_of(const struct rtap_packet *packet, struct rtap_end *source, struct rtap_end *destination)
{
	*source = *destination = (struct rtap_end){ 0 };
	if (packet->source_address) {
		set_address(source, packet->source_address, packet->address_length);
		set_address(destination, packet->destination_address, packet->address_length);
	} else if (packet->ib.has_lrh) {
		set_lid(source, packet->ib.slid);
		set_lid(destination, packet->ib.dlid);
	}
	destination->qpn = packet->ib.dest_qpn;
	destination->qpn_known = true;
	source->qpn = packet->ib.src_qpn;
	source->qpn_known = packet->ib.has_deth;
}

/* The result of flow_key_of() for the ends of a packet between connected queue pairs. */
static void flow_key_of_packet(const struct rtap_packet *packet, struct flow_key *key)
{
	struct rtap_end source, destination;

	if (packet->address_length == 4) {
		flow_key_set(key, packet->source_address, packet->destination_address, packet->ib.dest_qpn);
		return;
	}
	ends_of(packet, &source, &destination);
	*key = flow_key_of(&source, &destination, destination.qpn, 0, false);
}

static void fill_flow(struct rtap_packet *packet, const struct connection *connection, bool from_a)
{
	packet->flow.present = true;
	packet->flow.connection = connection->shown.number;
	packet->flow.from_a = from_a;
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
	ends_of(packet, &connection->shown.a, &connection->shown.b);
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
		.interface = packet->frame->interface,
		.psn = packet->ib.psn,
		.msn = packet->ib.msn,
		.captured = payload->captured,
		.wire = payload->wire,
		.opcode = packet->ib.opcode,
		.syndrome = packet->ib.syndrome,
		.aeth_kind = packet->ib.aeth_kind,
		.aeth_value = packet->ib.aeth_value,
		.id = packet->ip_id,
		.has_original = packet->ib.has_atomic,
		.bytes = (uint8_t *)(uintptr_t)packet->sources[payload->source].bytes + payload->offset,
	};
	if (tracker->keep & COVERAGE_CRC) {
		response->crc = crc32_of(0, response->bytes, response->captured);
		crc32_release();
	}
}

static bool is_half(const struct connection *connection)
{
	return !connection->flows[0] || !connection->flows[1];
}

static void response_packet(struct rtap_tracker *tracker, struct flow *flow, struct rtap_packet *packet)
{
	struct pending_response response;

	response_of(tracker, packet, &response);
	if (!flow->connection || is_half(flow->connection)) {
		/* A requester found now has already processed this response. */
		if (pairing_response(tracker, flow, &response) || flow->connection)
			fill_flow(packet, flow->connection, flow->from_a);
		return;
	}
	fill_flow(packet, flow->connection, flow->from_a);
	note_packet(flow->connection, packet, flow->from_a, false);
	if (ib_opcodes[packet->ib.opcode].class == IB_READ_RESPONSE)
		note_path(flow, packet, false);
	ib_response_packet(tracker, &flow->connection->streams[!flow->from_a], &response, &packet->flow);
	connection_account(tracker, flow->connection);
}

static void request_packet(struct rtap_tracker *tracker, struct flow *flow, struct rtap_packet *packet)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct connection *connection = flow->connection;

	if (!connection)
		connection = infer(tracker, flow, packet);
	if (!connection)
		return;
	fill_flow(packet, connection, flow->from_a);
	note_packet(connection, packet, flow->from_a, true);
	note_path(flow, packet, true);
	ib_message_request(tracker, &connection->streams[flow->from_a], packet);
	if (is_half(connection) && connection->shown.transport != RTAP_TRANSPORT_UC &&
	    (packet->ib.ack_request || opcode->place == IB_LAST || opcode->place == IB_ONLY))
		pairing_expect(tracker, connection, packet->ib.psn);
	if (flow->connection != connection) {
		connection = flow->connection;
		fill_flow(packet, connection, flow->from_a);
	}
	if (packet->rpcrdma.present)
		connection->upper = RTAP_UPPER_RPCRDMA;
	tracker->asked = connection;
	connection_account(tracker, connection);
}

/* Whether another interface captured the same datagram within a millisecond: it was sent once. */
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
		if (recent->hash == hash && recent->interface != frame->interface && frame->time_ns - recent->time_ns < TWICE_NS &&
		    recent->time_ns - frame->time_ns < TWICE_NS)
			return true;
		if (recent->time_ns < oldest->time_ns)
			oldest = recent;
	}
	*oldest = (struct recent_datagram){ hash, frame->time_ns, frame->interface };
	return false;
}

/* Datagrams contain both queue pairs. */
static __attribute__((noinline)) void datagram(struct rtap_tracker *tracker, struct rtap_packet *packet, const struct rtap_end *source,
					       const struct rtap_end *destination)
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
	ib_message_datagram(tracker, flow->connection, flow->from_a, packet, RTAP_KIND_UD);
	connection_account(tracker, flow->connection);
}

/* A CNP goes to the sender of too much data, so it has the direction of responses. */
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
static __attribute__((noinline)) bool judge_icrc(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet)
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
	if (icrc_sender_holds(tracker, packet))
		return true;
	tracker->counters.icrc_ignored++;
	tracker->icrc_ignored = true;
	return false;
}

/* Whether the packet's invariant CRC was checked and shows that it is corrupt. `flow`: NULL: unknown. */
static inline bool is_corrupt(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet)
{
	return packet->ib.icrc_status != RTAP_CRC_UNCHECKED && judge_icrc(tracker, flow, packet);
}

/*
 * The first packet of a flow: its port may show which flow is the connection's other direction, if service and PSN allow
 * that.
 */
static void pair_by_port(struct rtap_tracker *tracker, struct flow *flow, const struct rtap_packet *packet)
{
	struct flow *other;

	port_pairing_enter(tracker, flow, packet->source_port, false);
	other = port_pairing_partner(flow);
	if (!other || !other->connection || !is_half(other->connection) || other->connection->closed ||
	    other->connection->shown.transport != transport_of(packet->ib.opcode) || other->pending_count)
		return;
	if (!ib_opcodes[packet->ib.opcode].is_response || pairing_may_answer(other->connection, packet->ib.psn, packet->ib.opcode))
		pairing_join(tracker, flow, other->connection);
}

/* Assigns responses captured before the first request to the connection that their port shows. */
static __attribute__((cold, noinline)) void pair_pending_by_port(struct rtap_tracker *tracker, struct flow *flow)
{
	struct flow *other = port_pairing_partner(flow);

	if (!other || other->connection || !other->pending_count || !is_half(flow->connection))
		return;
	for (uint32_t i = 0; i < other->pending_count; i++)
		if (!pairing_may_answer(flow->connection, other->pending[i].psn, other->pending[i].opcode))
			return;
	pairing_join(tracker, other, flow->connection);
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
static __attribute__((cold, noinline)) struct flow *begin_flow(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct flow_key key;
	struct flow *flow;

	flow_key_of_packet(packet, &key);
	flow = flow_create(tracker, &key, flow_hash(&key));
	if (flow && packet->source_port)
		pair_by_port(tracker, flow, packet);
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

/* Connected queue pairs: RC, UC, XRC. */
static void connected(struct rtap_tracker *tracker, struct rtap_packet *packet)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	struct flow *flow = flow_of_packet(tracker, packet);
	bool is_new = !flow;

	if (is_corrupt(tracker, flow, packet)) {
		note_corrupt(tracker, flow, packet);
		return;
	}
	if (is_new)
		flow = begin_flow(tracker, packet);
	if (!flow)
		tracker->counters.evictions++;
	else if (opcode->class == IB_CONGESTION)
		congestion(tracker, flow, packet);
	else if (opcode->is_response)
		response_packet(tracker, flow, packet);
	else
		request_packet(tracker, flow, packet);
	if (is_new && flow && flow->connection && packet->source_port)
		pair_pending_by_port(tracker, flow);
}

/* The packet was captured before. */
static void __attribute__((noinline)) note_copy(struct rtap_tracker *tracker, struct rtap_packet *packet, enum captured_copy copy)
{
	struct rtap_end source, destination;
	struct flow_key key;
	struct flow *flow;
	enum rtap_connection_anomaly anomaly_counts = copy == CAPTURED_DOUBLED ? RTAP_CONNECTION_ANOMALY_DUPLICATE : RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE;

	if (packet->ib.has_deth) {
		ends_of(packet, &source, &destination);
		key = flow_key_of(&source, &destination, destination.qpn, source.qpn, true);
	} else {
		flow_key_of_packet(packet, &key);
	}
	flow = flow_find(tracker, &key, flow_hash(&key));
	packet->flow.analysis = copy == CAPTURED_DOUBLED ? RTAP_PSN_DUPLICATE : RTAP_PSN_CAPTURED_TWICE;
	if (flow && flow->connection) {
		fill_flow(packet, flow->connection, flow->from_a);
		flow->connection->shown.anomaly_counts[anomaly_counts]++;
	} else {
		tracker->counters.anomaly_counts[anomaly_counts]++;
	}
}

/* Datagrams. */
static __attribute__((noinline)) void unconnected(struct rtap_tracker *tracker, struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	ends_of(packet, &source, &destination);
	if (is_corrupt(tracker, NULL, packet)) {
		tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_ICRC]++;
		return;
	}
	if (packet->ib.dest_qpn > 1) {
		datagram(tracker, packet, &source, &destination);
		return;
	}
	if (is_captured_twice(tracker, packet, &source, &destination)) {
		packet->flow.analysis = RTAP_PSN_CAPTURED_TWICE;
		tracker->counters.anomaly_counts[RTAP_CONNECTION_ANOMALY_CAPTURED_TWICE]++;
		return;
	}
	mad_message_packet(tracker, packet, &source, &destination);
}

static void ib_packet(struct rtap_tracker *tracker, struct rtap_packet *packet, enum captured_copy copy)
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
		unconnected(tracker, packet);
	else
		connected(tracker, packet);
}

/* Memory is short: messages that wait for others to be reported go first if they use most of it. */
static __attribute__((cold, noinline)) void relieve(struct rtap_tracker *tracker)
{
	while (tracker->budget.used > tracker->budget.limit)
		if (tracker->first_waiting && tracker->messages.bytes > tracker->budget.limit / 2)
			messages_evict_first(tracker);
		else if (!budget_relieve(&tracker->budget))
			break;
}

/* A SEND of several packets that ended in this one: shows its upper protocols here, as far as bytes are present. */
static __attribute__((noinline)) void dissect_message(const struct message *message, struct rtap_context *context,
						      struct rtap_packet *packet)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	if (message->cut.count)
		context->message_wire = (uint32_t)message_known_length(message);
	context->message.bytes = message->coverage.bytes + (run->begin - message->coverage.origin);
	context->message.length = (uint32_t)(run->end - run->begin);
	context->upper = message->connection->upper;
	packet_dissect_payload(packet, context);
	if (packet->rpcrdma.present)
		message->connection->upper = RTAP_UPPER_RPCRDMA;
}

/* A finished SEND of several packets of which at least the first bytes are kept. */
static const struct message *message_to_show(const struct rtap_tracker *tracker)
{
	const struct message *message = tracker->completed ? tracker->completed : tracker->cut;

	if (!message || !message->coverage.bytes || message->shown.frames <= 1)
		return NULL;
	return tracker->completed || coverage_runs(&message->coverage)->begin == message_position(message) ? message : NULL;
}

/* The data of a management transfer is shown with the segment that completed it. */
static __attribute__((cold, noinline)) void dissect_transfer(struct rtap_tracker *tracker, struct rtap_context *context,
							     struct rtap_packet *packet)
{
	context->records = tracker->transfer.records;
	if (context->records.bytes)
		packet_dissect_records(packet, context);
}

/* REP and REJ do not contain the service. */
static __attribute__((cold, noinline)) void take_consumer(const struct rtap_tracker *tracker, struct rtap_context *context,
							  struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	if (packet->cm.attribute != CM_REP && packet->cm.attribute != CM_REJ)
		return;
	ends_of(packet, &source, &destination);
	context->cm_consumer = handshake_consumer(tracker, &packet->cm, &destination);
	if (context->cm_consumer != RTAP_CM_CONSUMER_UNKNOWN)
		packet_dissect_private(packet, context);
}

static void take_group_management(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	if (!rtap_packet_has(packet, PROTOCOL_IGMP) && !rtap_packet_has(packet, PROTOCOL_ICMPV6) && !rtap_packet_has(packet, PROTOCOL_MAD))
		return;
	ends_of(packet, &source, &destination);
	multicast_packet(tracker, packet, &source);
}

static void dissect_again(struct upper_work *work)
{
	packet_dissect_payload(work->packet, work->context);
}

/* Passes the current frame to its connection's upper layer. Repeats belong to no message. */
static __attribute__((noinline)) void take_upper(struct rtap_tracker *tracker, struct rtap_context *context,
						 struct rtap_packet *packet)
{
	struct message *message = tracker->touched;
	struct upper_work work = {
		.tracker = tracker, .connection = message ? message->connection : tracker->asked, .from_a = packet->flow.from_a,
		.message = message, .packet = packet, .context = context, .dissect = dissect_again,
	};

	upper_packet(&work);
}

/* RPC over UDP. */
static __attribute__((noinline)) void datagram_packet(struct rtap_tracker *tracker, struct rtap_context *context,
						      struct rtap_packet *packet)
{
	bool from_a;
	struct rpc_conversation *conversation = rpc_carriers_datagram(&tracker->carriers, packet, &from_a, context);

	if (!conversation)
		return;
	if (context->rpc_known)
		packet_dissect_udp(packet, context);
	rpc_socket_packet(tracker, conversation, from_a, NULL, packet);
}

/* Neither InfiniBand nor RoCE. */
static void socket_packet(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_context *context,
			  struct rtap_packet *packet)
{
	if (!packet->tcp.present)
		datagram_packet(tracker, context, packet);
	if (packet->flow.present)
		flow_add_layer(packet);
	if (tracker->first_touched || (tracker->view.ahead && tracker->view.number == frame->number && tracker->options.wanted))
		frame_touch_done(tracker, tracker->options.wanted(tracker->options.owner, packet));
}

/* Shows a segment by what its stream is known to carry. */
static void tcp_packet(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_context *context,
		       struct rtap_packet *packet)
{
	bool differs;

	iwarp_view_begin(&tracker->view, &tracker->budget, frame, packet);
	differs = tcp_content_packet(tracker, packet, context);
	context->stop_at_tcp = false;
	if (packet->tcp.payload.captured)
		iwarp_view_dissect(&tracker->view, context, packet);
	tracker->view.presumed = NULL;
	if (differs)
		tcp_stream_note_difference(packet);
}

void tracker_dissect(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	rtap_dissect(frame, &tracker->alone, packet);
}

void tracker_dissect_ahead(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	tracker_dissect(tracker, frame, packet);
	tcp_stream_digest(packet);
}

/* Removes the anomaly from the packet. */
static __attribute__((cold, noinline)) void ignore_icrc(struct rtap_packet *packet)
{
	uint8_t kept = 0;

	packet->ib.icrc_status = RTAP_CRC_OFF;
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		if (packet->anomalies[i].code != RTAP_ANOMALY_BAD_ICRC)
			packet->anomalies[kept++] = packet->anomalies[i];
	packet->anomalies_found -= packet->anomaly_count - kept;
	packet->anomaly_count = kept;
}

/* What is known of the current frame besides its bytes. Most frames need none of it. */
struct knowledge {
	struct rtap_context context;
	bool is_set;
};

static __attribute__((noinline)) void begin_knowledge(const struct rtap_tracker *tracker, struct knowledge *known)
{
	known->context = tracker->alone;
	known->is_set = true;
}

static inline struct rtap_context *context_of(const struct rtap_tracker *tracker, struct knowledge *known)
{
	if (!known->is_set)
		begin_knowledge(tracker, known);
	return &known->context;
}

/* Budget entries were given up. */
static __attribute__((cold, noinline)) void follow_given_up(struct rtap_tracker *tracker)
{
	/* Messages concluded so have nothing to do with the current frame. */
	frame_touch_done(tracker, false);
	messages_advance(tracker);
	connections_advance(tracker);
}

static void take_dissected(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	struct knowledge known;
	const struct message *message;
	enum captured_copy copy = CAPTURED_FIRST;

	/* What ends before this frame must not refer to the last one, which may have been freed. */
	if (tracker->view.frame.bytes)
		iwarp_view_end(&tracker->view, &tracker->budget);
	if (tracker->exchanges.first || tracker->exchanges.first_held)
		mad_exchange_advance(&tracker->exchanges, tracker->now_ns);
	if (tracker->rmpp.first || tracker->rmpp.first_whole)
		rmpp_advance(&tracker->rmpp, tracker->now_ns);
	tracker->completed = tracker->cut = tracker->touched = tracker->touched_rpc = NULL;
	messages_advance(tracker);
	connections_advance(tracker);
	if (unlikely(tracker->budget.used > tracker->budget.limit))
		relieve(tracker);
	/* Slightly out of order; or the clock of the capturing machine was set back. */
	if (frame->time_ns > tracker->now_ns || tracker->now_ns - frame->time_ns >= CLOCK_SET_NS)
		tracker->now_ns = frame->time_ns;
	if (budget_advance(&tracker->budget, tracker->now_ns))
		follow_given_up(tracker);
	known.is_set = false;
	/* The last fragment of a datagram shows all of it. */
	if (packet->fragment.present &&
	    ip_fragments_add(&tracker->fragments, packet, &context_of(tracker, &known)->datagram) == IP_FRAGMENTS_WHOLE)
		packet_dissect_datagram(packet, &known.context);
	if (tracker->copies)
		copy = captured_copies_take(tracker->copies, packet);
	/* Over InfiniBand, management uses datagrams. */
	if (!packet->ib.has_bth || packet->ib.has_deth)
		take_group_management(tracker, packet);
	tracker->tcp.is_copy = copy == CAPTURED_ELSEWHERE;
	if (packet->tcp.present)
		tcp_packet(tracker, frame, context_of(tracker, &known), packet);
	if (!packet->ib.has_bth) {
		socket_packet(tracker, frame, context_of(tracker, &known), packet);
		return;
	}
	tracker->asked = NULL;
	tracker->transfer.whole = tracker->icrc_ignored = false;
	ib_packet(tracker, packet, copy);
	if (tracker->transfer.whole)
		dissect_transfer(tracker, context_of(tracker, &known), packet);
	if (packet->cm.present)
		take_consumer(tracker, context_of(tracker, &known), packet);
	message = message_to_show(tracker);
	if (message)
		dissect_message(message, context_of(tracker, &known), packet);
	if (upper_may_need(tracker, packet))
		take_upper(tracker, context_of(tracker, &known), packet);
	flow_add_layer(packet);
	if (tracker->icrc_ignored)
		ignore_icrc(packet);
	if (tracker->touched && tracker->options.wanted && tracker->options.wanted(tracker->options.owner, packet)) {
		tracker->touched->shown.wanted = true;
		if (tracker->touched_rpc)
			tracker->touched_rpc->shown.wanted = true;
	}
}

void tracker_set_batch(struct rtap_tracker *tracker, const struct rtap_frame *frames, size_t count)
{
	tracker->batch = frames;
	tracker->batch_count = count;
}

void tracker_take(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	uint64_t failures = memory_failures();

	take_dissected(tracker, frame, packet);
	tracker->counters.refused += memory_failures() - failures;
}

void rtap_tracker_frame(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	tracker_dissect(tracker, frame, packet);
	tracker_take(tracker, frame, packet);
}

void rtap_tracker_finish(struct rtap_tracker *tracker)
{
	uint64_t failures = memory_failures();

	tracker->finishes = true;
	iwarp_view_end(&tracker->view, &tracker->budget);
	while (tracker->pending_flows) {
		pairing_stop_waiting(tracker, tracker->pending_flows);
		relieve(tracker);
	}
	tcp_content_flush(tracker);
	for (struct connection *connection = tracker->first_connection; connection; connection = connection->after) {
		for (int i = 0; i < 2; i++)
			ib_settle(tracker, &connection->streams[i], true);
		upper_end(tracker, connection);
		upper_over(tracker, connection);
	}
	rpc_carriers_flush(&tracker->carriers);
	mad_exchange_finish(&tracker->exchanges);
	messages_flush(tracker);
	connections_flush(tracker);
	tracker->counters.refused += memory_failures() - failures;
}

struct rtap_tracker_counters rtap_tracker_counters(const struct rtap_tracker *tracker)
{
	struct rtap_tracker_counters counters = tracker->counters;

	counters.fragmented_whole = tracker->fragments.completed;
	counters.fragmented_lost = tracker->fragments.timed_out + tracker->fragments.refused + tracker->fragments.evicted;
	counters.peak_memory = tracker->budget.peak;
	return counters;
}

void rtap_tracker_close(struct rtap_tracker *tracker)
{
	if (!tracker)
		return;
	/* Without rtap_tracker_finish() the rest is not reported. */
	tracker->options.message = NULL;
	tracker->options.connection = NULL;
	tracker->exchange = NULL;
	tracker->options.merged = NULL;
	iwarp_view_end(&tracker->view, &tracker->budget);
	tracker->options.resolved = NULL;
	tcp_content_fini(tracker);
	messages_fini(tracker);
	connections_fini(tracker);
	upper_fini(tracker);
	iwarp_view_fini(&tracker->view, &tracker->budget);
	handshake_fini(tracker);
	mad_exchange_fini(&tracker->exchanges);
	rmpp_fini(&tracker->rmpp);
	ip_fragments_fini(&tracker->fragments);
	coverage_fini(&tracker->gathered);
	captured_copies_destroy(tracker->copies);
	multicast_fini(tracker);
	icrc_senders_fini(tracker);
	rpc_carriers_fini(&tracker->carriers);
	free(tracker);
}
