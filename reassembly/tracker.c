/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/struct_size.h"
#include "dissect/dissect.h"
#include "dissect/engine/clear.h"
#include "dissect/engine/packet_ends.h"
#include "dissect/flow.h"
#include "dissect/management/cm.h"
#include "reassembly/connection.h"
#include "reassembly/connection_lifecycle.h"
#include "reassembly/frame_touch.h"
#include "reassembly/ib_packet.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/expectation.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/infiniband/icrc_sender.h"
#include "reassembly/infiniband/multicast.h"
#include "reassembly/infiniband/pairing.h"
#include "reassembly/infiniband/port_pairing.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_queue.h"
#include "reassembly/message_settle.h"
#include "reassembly/operation.h"
#include "reassembly/tcp_content.h"
#include "reassembly/tracker.h"
#include "reassembly/upper.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/upper_layers.h"

#define CLOCK_SET_NS INT64_C(1000000000) /* frames of several interfaces are out of order by less than this */
#define USUAL_MEMORY (UINT64_C(512) << 20)
#define USUAL_GIVE_UP_NS (60 * UINT64_C(1000000000))

enum rtap_status rtap_tracker_open(struct rtap_tracker **opened, const struct rtap_tracker_options *given, struct rtap_error *error)
{
	const struct rtap_tracker_options *options;
	struct rtap_tracker *tracker;

	*opened = NULL;
	tracker = memory_new_zeroed(1, sizeof *tracker);
	if (!tracker) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	options = &tracker->options;
	if (struct_size_take(&tracker->options, sizeof tracker->options, given, error) ||
	    packet_context(options->dissect, &tracker->context, error)) {
		free(tracker);
		return RTAP_STATUS_FAILED;
	}
	tracker->reports = tracker->wants_data = options->message || options->operation;
	tracker->examines = options->wanted || options->operation;
	tracker->omits_details = options->cheap_operations;
	tracker->alone = tracker->context;
	tracker->alone.stop_at_tcp = true;
	TAILQ_INIT(&tracker->connections);
	TAILQ_INIT(&tracker->closing);
	TAILQ_INIT(&tracker->waiting);
	TAILQ_INIT(&tracker->spare);
	TAILQ_INIT(&tracker->ahead.list);
	TAILQ_INIT(&tracker->asking);
	expectation_init(tracker);
	port_pairing_init(tracker);
	tracker->now_ns = INT64_MIN;
	tracker->deferred.heap = (struct heap){ .before = message_is_due_before, .placed = message_set_deferred };
	tracker->deferred.due_ns = UINT64_MAX;
	budget_init(&tracker->budget, options->max_memory ? options->max_memory : USUAL_MEMORY);
	budget_give_up_after(&tracker->budget, options->give_up_ns ? options->give_up_ns : USUAL_GIVE_UP_NS);
	tracker->messages.apart = tracker->view.entry.apart = true;
	ip_fragments_init(&tracker->fragments, &tracker->budget);
	mad_exchange_init(&tracker->exchanges, &tracker->budget);
	rmpp_init(&tracker->rmpp, &tracker->budget);
	if (!upper_init(tracker, upper_layers)) {
		upper_fini(tracker);
		free(tracker);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
		return RTAP_STATUS_FAILED;
	}
	tcp_content_init(tracker);
	if (options->checksums)
		tracker->keep |= COVERAGE_CRC;
	if (options->bytes)
		tracker->keep |= COVERAGE_BYTES;
	*opened = tracker;
	return RTAP_STATUS_OK;
}

void tracker_report_blocks(struct rtap_tracker *tracker, block_take_effect *take, void *owner)
{
	tracker->take_effect = take;
	tracker->effect_owner = owner;
	tracker->wants_data = true;
}

void tracker_report_files(struct rtap_tracker *tracker, file_take_effect *take, void *owner)
{
	tracker->take_file_effect = take;
	tracker->file_effect_owner = owner;
	tracker->wants_data = true;
}

void tracker_set_replies(struct rtap_tracker *tracker, const struct rtap_reply *replies, size_t count)
{
	tracker->context.replies = tracker->alone.replies = replies;
	tracker->context.reply_count = tracker->alone.reply_count = count;
}

void tracker_show_files(struct rtap_tracker *tracker)
{
	tracker->shows_files = upper_shows_files(tracker);
}

void tracker_omit_details(struct rtap_tracker *tracker)
{
	tracker->omits_details = true;
}

void tracker_omit_data(struct rtap_tracker *tracker)
{
	tracker->wants_data = false;
}

bool tracker_join_captures(struct rtap_tracker *tracker, bool at_the_same_time)
{
	tracker->copies = captured_copies_create(at_the_same_time);
	return tracker->copies;
}

const struct packet_identity *tracker_identity(const struct rtap_tracker *tracker)
{
	return tracker->copies ? captured_copies_last(tracker->copies) : NULL;
}

struct captured_copies_summary tracker_joined(const struct rtap_tracker *tracker)
{
	return tracker->copies ? captured_copies_summary(tracker->copies) : (struct captured_copies_summary){ 0 };
}

/* Memory is short: reports messages that wait for others first if they use most of it. */
static __attribute__((cold, noinline)) void relieve(struct rtap_tracker *tracker)
{
	while (tracker->budget.used > tracker->budget.limit)
		if (!TAILQ_EMPTY(&tracker->waiting) && tracker->messages.bytes > tracker->budget.limit / 2)
			messages_evict_first(tracker);
		else if (!budget_relieve(&tracker->budget))
			break;
}

/* A SEND of several packets that ended in this one: shows its upper protocols here, as far as bytes are present. */
static __attribute__((noinline)) void dissect_message(struct rtap_tracker *tracker, const struct message *message,
						      struct rtap_context *context, struct rtap_packet *packet)
{
	const struct coverage_run *run = coverage_runs(&message->coverage);

	if (message->cut.count)
		context->message_wire = (uint32_t)message_known_length(message);
	context->message.bytes = message->coverage.bytes + (run->begin - message->coverage.origin);
	context->message.length = (uint32_t)(run->end - run->begin);
	context->upper = (uint8_t)upper_carried(tracker, message->connection);
	packet_dissect_payload(packet, context);
	upper_note(tracker, message->connection, (enum rtap_upper)packet->upper);
}

/* A finished SEND of several packets of which at least the first bytes are kept. */
static const struct message *message_to_show(const struct frame_result *result)
{
	const struct message *message = result->completed ? result->completed : result->cut;

	if (!message || !message->coverage.bytes || message->shown.frames <= 1)
		return NULL;
	return result->completed || coverage_runs(&message->coverage)->begin == message_position(message) ? message : NULL;
}

static void discard_shown(struct rtap_tracker *tracker)
{
	free(tracker->shown_bytes);
	tracker->shown_bytes = NULL;
}

/* A SEND is complete, and its layer has it: its bytes are needed only until the next frame, and not until it is final. */
static __attribute__((noinline)) void keep_shown(struct rtap_tracker *tracker, struct message *message)
{
	if (message && message->shown.verb == RTAP_VERB_SEND && message->coverage.bytes && !(tracker->keep & COVERAGE_BYTES))
		tracker->shown_bytes = assembly_take_bytes(tracker, message);
}

/* The data of a management transfer is shown with the segment that completed it. */
static __attribute__((cold, noinline)) void dissect_transfer(const struct frame_result *result, struct rtap_context *context,
							     struct rtap_packet *packet)
{
	context->records = result->records;
	packet_dissect_records(packet, context);
}

/* REP and REJ do not contain the service. */
static __attribute__((cold, noinline)) void take_consumer(const struct rtap_tracker *tracker, struct rtap_context *context,
							  struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	if (packet->cm.attribute != CM_REP && packet->cm.attribute != CM_REJ)
		return;
	packet_ends(packet, &source, &destination);
	context->cm_consumer = handshake_consumer(tracker, &packet->cm, &destination);
	if (context->cm_consumer != RTAP_CM_CONSUMER_UNKNOWN)
		packet_dissect_private(packet, context);
}

static void take_group_management(struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	if (!packet_has(packet, PROTOCOL_IGMP) && !packet_has(packet, PROTOCOL_ICMPV6) && !packet_has(packet, PROTOCOL_MAD))
		return;
	packet_ends(packet, &source, &destination);
	multicast_packet(tracker, packet, &source);
}

static void dissect_again(struct upper_work *work)
{
	packet_dissect_payload(work->packet, work->context);
}

/* Passes the current frame to its connection's upper layer. Repeats belong to no message. */
static __attribute__((noinline)) void take_upper(struct rtap_tracker *tracker, struct rtap_context *context,
						 struct rtap_packet *packet, struct frame_result *result)
{
	struct message *message = result->touched;
	struct upper_work work = {
		.tracker = tracker, .connection = message ? message->connection : result->asked, .from_a = packet->flow.from_a,
		.message = message, .packet = packet, .result = result, .context = context, .dissect = dissect_again,
	};

	if (!message || message->shown.verb != RTAP_VERB_WRITE || message->region)
		upper_packet(&work);
	else if (!(ib_opcodes[packet->ib.opcode].headers & IB_IMMDT && upper_packet(&work)) && upper_may_need_write(result, message))
		upper_write(&work);
}

static bool is_wanted(const struct rtap_tracker *tracker, const struct rtap_packet *packet)
{
	return tracker->options.wanted && tracker->options.wanted(tracker->options.owner, packet);
}

/* A packet of a message. */
static __attribute__((noinline)) void examine(struct rtap_tracker *tracker, const struct rtap_packet *packet,
					      const struct frame_result *result)
{
	if (!is_wanted(tracker, packet))
		return;
	result->touched->shown.wanted = true;
	request_want(result->touched);
	if (result->touched_upper)
		result->touched_upper->shown.wanted = true;
}

/* Neither InfiniBand nor RoCE. */
static void socket_packet(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_context *context,
			  struct rtap_packet *packet)
{
	if (!packet->tcp.present)
		upper_datagram(tracker, packet, context);
	if (packet->flow.present)
		flow_add_layer(packet);
	if (!SLIST_EMPTY(&tracker->touched) || (tracker->view.ahead && tracker->view.number == frame->number && tracker->options.wanted))
		frame_touch_done(tracker, is_wanted(tracker, packet));
}

/* Shows a segment by what its stream is known to carry. */
static void tcp_packet(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_context *context,
		       struct rtap_packet *packet, bool is_copy)
{
	bool differs;

	iwarp_view_begin(&tracker->view, &tracker->budget, frame, packet);
	differs = tcp_content_packet(tracker, packet, is_copy, context);
	context->stop_at_tcp = false;
	if (packet->tcp.payload.captured)
		iwarp_view_dissect(&tracker->view, context, packet);
	tracker->view.packet = NULL;
	if (differs)
		tcp_stream_note_difference(packet);
}

void tracker_dissect(const struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	dissect_frame(frame, &tracker->alone, packet);
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

/* Context for the current frame from the state. Most frames need none. */
struct knowledge {
	struct rtap_context context;
	bool is_set;
};

static __attribute__((noinline)) void begin_knowledge(const struct rtap_tracker *tracker, struct knowledge *known)
{
	call_memcpy(&known->context, &tracker->alone, sizeof known->context);
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
	relieve(tracker);
}

/* What is finished, or was given up, by the time of the last frame. */
static inline void report_due(struct rtap_tracker *tracker)
{
	if (tracker->shown_bytes)
		discard_shown(tracker);
	/* What ends before the next frame must not refer to the last one, which may have been freed. */
	if (tracker->view.frame.bytes)
		iwarp_view_end(&tracker->view, &tracker->budget);
	if (!TAILQ_EMPTY(&tracker->exchanges.list))
		mad_exchange_advance(&tracker->exchanges, tracker->now_ns);
	if (!TAILQ_EMPTY(&tracker->rmpp.partial) || !TAILQ_EMPTY(&tracker->rmpp.complete))
		rmpp_advance(&tracker->rmpp, tracker->now_ns);
	messages_advance(tracker);
	connections_advance(tracker);
	if (unlikely(tracker->budget.used > tracker->budget.limit))
		relieve(tracker);
}

static void take_dissected(struct rtap_tracker *tracker, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	struct frame_result result = { 0 };
	struct knowledge known;
	const struct message *message;
	enum captured_copy copy = CAPTURED_FIRST;

	report_due(tracker);
	/* Slightly out of order; or the clock of the capturing machine was set back. */
	if (frame->time_ns > tracker->now_ns || tracker->now_ns - frame->time_ns >= CLOCK_SET_NS)
		tracker->now_ns = frame->time_ns;
	while (budget_advance(&tracker->budget, tracker->now_ns))
		follow_given_up(tracker);
	known.is_set = false;
	/* The last fragment of a datagram shows all of it. */
	if (packet->fragment.present &&
	    ip_fragments_add(&tracker->fragments, packet, &context_of(tracker, &known)->datagram) == IP_FRAGMENTS_WHOLE)
		packet_dissect_datagram(packet, &known.context);
	if (tracker->copies)
		copy = captured_copies_take(tracker->copies, packet, tracker_batch_end(tracker, frame));
	/* Over InfiniBand, management uses datagrams. */
	if (!packet->ib.has_bth || packet->ib.has_deth)
		take_group_management(tracker, packet);
	if (packet->tcp.present)
		tcp_packet(tracker, frame, context_of(tracker, &known), packet, copy == CAPTURED_ELSEWHERE);
	if (!packet->ib.has_bth) {
		socket_packet(tracker, frame, context_of(tracker, &known), packet);
		return;
	}
	packet_restore_carrier(packet);
	ib_packet(tracker, packet, copy, &result);
	if (result.records.bytes)
		dissect_transfer(&result, context_of(tracker, &known), packet);
	if (packet->cm.present)
		take_consumer(tracker, context_of(tracker, &known), packet);
	message = message_to_show(&result);
	if (message)
		dissect_message(tracker, message, context_of(tracker, &known), packet);
	/* Before its data is passed on. */
	if (tracker->options.operation && result.touched && ib_opcodes[packet->ib.opcode].class == IB_READ_RESPONSE)
		operation_note_response(result.touched, frame->number, frame->time_ns);
	if (upper_may_need(&result, packet))
		take_upper(tracker, context_of(tracker, &known), packet, &result);
	flow_add_layer(packet);
	/* a whole message was dissected, with its IP header */
	packet_restore_carrier(packet);
	if (result.icrc_ignored)
		ignore_icrc(packet);
	if (result.touched && tracker->examines)
		examine(tracker, packet, &result);
	if (message)
		keep_shown(tracker, result.completed);
}

void tracker_set_patience(struct rtap_tracker *tracker, uint64_t patience_ns)
{
	tracker->patience_ns = patience_ns;
}

void tracker_set_any_order(struct rtap_tracker *tracker)
{
	tracker->any_order = true;
}

void tracker_show_connections(const struct rtap_tracker *tracker, void (*take)(void *owner, const struct rtap_connection *connection),
			      void *owner)
{
	const struct connection *connection;

	TAILQ_FOREACH(connection, &tracker->connections, link)
		take(owner, &connection->shown);
}

void tracker_pass_time(struct rtap_tracker *tracker, int64_t passed_ns)
{
	uint64_t failures = memory_failures();

	/* before the first frame the capture time is unknown */
	if (tracker->now_ns == INT64_MIN)
		return;
	tracker->now_ns += passed_ns;
	while (budget_advance(&tracker->budget, tracker->now_ns))
		follow_given_up(tracker);
	report_due(tracker);
	tracker->counters.refused += memory_failures() - failures;
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
	if (tracker->shows_files && packet->rpc.present)
		tracker->shows_files(tracker, packet);
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
	struct connection *connection;

	tracker->finishes = true;
	iwarp_view_end(&tracker->view, &tracker->budget);
	while (!LIST_EMPTY(&tracker->pending_flows)) {
		pairing_stop_waiting(tracker, LIST_FIRST(&tracker->pending_flows));
		relieve(tracker);
	}
	tcp_content_flush(tracker);
	TAILQ_FOREACH(connection, &tracker->connections, link) {
		for (int i = 0; i < 2; i++) {
			messages_settle(tracker, &connection->streams[i], true);
			/* while the other half is in the index */
			if (expectation_may_have_requests(tracker, &connection->streams[i]))
				gaps_settle(tracker, &connection->streams[i], UINT64_MAX);
		}
		upper_end(tracker, connection);
		upper_over(tracker, connection);
	}
	upper_sockets_flush(tracker);
	mad_exchange_finish(&tracker->exchanges);
	messages_flush(tracker);
	connections_flush(tracker);
	tracker->counters.refused += memory_failures() - failures;
}

void rtap_tracker_counters(const struct rtap_tracker *tracker, struct rtap_tracker_counters *result, size_t size)
{
	struct rtap_tracker_counters counters = tracker->counters;

	counters.fragmented_whole = tracker->fragments.completed;
	counters.fragmented_lost = tracker->fragments.timed_out + tracker->fragments.refused + tracker->fragments.evicted;
	counters.peak_memory = tracker->budget.peak;
	struct_size_give(result, size, &counters, sizeof counters);
}

uint64_t tracker_connections(const struct rtap_tracker *tracker)
{
	return tracker->counters.connections;
}

void rtap_tracker_close(struct rtap_tracker *tracker)
{
	if (!tracker)
		return;
	/* Without rtap_tracker_finish() the rest is not reported. */
	tracker->options.message = NULL;
	tracker->options.operation = NULL;
	tracker->reports = tracker->wants_data = false;
	tracker->options.connection = NULL;
	tracker->options.merged = NULL;
	iwarp_view_end(&tracker->view, &tracker->budget);
	tracker->options.resolved = NULL;
	discard_shown(tracker);
	tcp_content_fini(tracker);
	messages_fini(tracker);
	connections_fini(tracker);
	upper_fini(tracker);
	iwarp_view_fini(&tracker->view, &tracker->budget);
	handshake_fini(tracker);
	mad_exchange_fini(&tracker->exchanges);
	rmpp_fini(&tracker->rmpp);
	ip_fragments_fini(&tracker->fragments);
	captured_copies_destroy(tracker->copies);
	multicast_fini(tracker);
	icrc_senders_fini(tracker);
	spare_blocks_fini(&tracker->spare_operations);
	spare_blocks_fini(&tracker->spare_commands);
	free(tracker);
}
