/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What iWARP's messages carry: RPC-over-RDMA. Each Send is dissected by itself, in a packet that has nothing else, for
 * what it says and for what its dissection in the frame will need.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/dissect.h"
#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/engine/protocol.h"
#include "dissect/iwarp/terminate.h"
#include "reassembly/ddp_internal.h"
#include "reassembly/frame_touch.h"
#include "reassembly/iwarp_half.h"
#include "reassembly/memory.h"
#include "reassembly/message_queue.h"
#include "reassembly/rpc_call.h"

#define REFUSED_LOOKED_AT 256

/* A Send in a packet of its own; or in the frame's, which has been dissected. */
struct alone {
	struct rtap_frame frame;
	struct rtap_context *upper, own_upper; /* where the frame will look for it, if it is shown there */
	struct rtap_packet *packet, own;
};

static void begin(struct alone *alone, const struct ddp_work *work, const struct rtap_span *send, uint32_t wire)
{
	alone->frame = (struct rtap_frame){
		.bytes = send->bytes, .captured_length = send->length, .wire_length = wire,
		.link_type = RTAP_LINK_RAW, .number = work->fpdu->last_frame, .time_ns = work->fpdu->last_time_ns,
	};
	alone->packet = &alone->own;
	alone->upper = work->shown == IWARP_NOT_SHOWN ? &alone->own_upper : &work->tracker->view.uppers[work->shown];
	*alone->upper = work->tracker->options.context;
	alone->upper->upper = work->connection->upper;
}

static void dissect(struct alone *alone)
{
	packet_dissect_send(&alone->frame, alone->upper, alone->packet);
}

/* The frame shows the same; what was put together for it lives as long as the frame. */
static void show(const struct ddp_work *work, const struct rtap_context *upper)
{
	if (work->shown != IWARP_NOT_SHOWN)
		work->tracker->view.list[work->shown].upper = upper;
}

/* The bytes of a Send that is in one FPDU. */
static bool whole_send(struct ddp_work *work, struct rtap_span *bytes)
{
	uint32_t length;
	const uint8_t *head = fpdu_head(work->fpdu, &length);
	const struct rtap_iwarp_facts *facts = &work->facts;

	return work->fpdu->crc_status != RTAP_CRC_BAD && iwarp_read(head, length, work->fpdu->ulpdu_length, &work->facts) == OK &&
	       iwarp_is_send(facts->opcode) && !facts->tagged && facts->last && !facts->mo && facts->payload_length &&
	       fpdu_front(work->fpdu, facts->payload_offset, bytes);
}

/* A chunk, or a message, is borrowed for a moment only: the frame gets a copy. */
static bool keep_copy(struct rtap_tracker *tracker, struct rtap_span *bytes)
{
	uint8_t *copy = memory_new(bytes->length + 1);

	if (!copy || !iwarp_view_keep(&tracker->view, &tracker->budget, copy, bytes->length + 1)) {
		free(copy);
		*bytes = (struct rtap_span){ NULL, 0 };
		return false;
	}
	bytes->bytes = memcpy(copy, bytes->bytes, bytes->length);
	return true;
}

void ddp_message_ahead(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		       uint32_t shown)
{
	struct ddp_work work = { tracker, connection, from_a, fpdu, 1, shown, { 0 } };
	const struct iwarp_call *call;
	const struct rtap_rpc_facts *rpc;
	struct rtap_span bytes;
	struct alone alone;

	if (!whole_send(&work, &bytes))
		return;
	begin(&alone, &work, &bytes, work.facts.payload_length);
	dissect(&alone);
	/* a reply that a chunk carried, all of which was there before the gap */
	if (rpc_call_chunk(tracker, connection, from_a, NULL, alone.packet, alone.upper) && keep_copy(tracker, &alone.upper->chunk))
		dissect(&alone);
	rpc = &alone.packet->rpc;
	if (alone.packet->rpcrdma.present && rpc->is_reply) {
		if (!rpc_call_context(tracker, connection, from_a, alone.packet, alone.upper) &&
		    (call = iwarp_half_find_call(connection->iwarp, !from_a, rpc->xid)))
			rpc_call_known(&call->rpc, call->frame, call->time_ns, alone.upper);
	} else if (alone.packet->rpcrdma.present && rpc->program_known) {
		iwarp_half_note_call(connection->iwarp, from_a, fpdu, rpc);
	}
	show(&work, alone.upper);
}

/* The bytes become the frame's; a copy of them if the message is to be returned with them. */
static bool keep_message(struct ddp_work *work, struct message *message, struct rtap_span *bytes)
{
	struct rtap_tracker *tracker = work->tracker;
	struct coverage *data = &message->coverage;

	if (tracker->keep & COVERAGE_BYTES)
		return keep_copy(tracker, bytes);
	if (!iwarp_view_keep(&tracker->view, &tracker->budget, data->bytes, data->bytes_room))
		return false;
	data->bytes = NULL;
	data->bytes_room = 0;
	return true;
}

/* A call is over when its reply is there: so is what it still waited for. */
static void end_claimed(struct ddp_work *work, const struct message *reply)
{
	struct rpc_call *call = reply->replies_to;

	while (call->claimed)
		message_settle(work->tracker, call->claimed);
}

/* As long as a packet has more than a Send, its payload is the segment's; what hears the Send is to see the Send's. */
static void enter_presumed(const struct rtap_span *send, struct alone *alone)
{
	struct rtap_packet *packet = alone->packet;

	packet->payload = (struct rtap_payload){ 0, (uint32_t)(send->bytes - packet->sources[0].bytes), send->length, send->length };
}

/* The Send is shown otherwise than was presumed. */
static void leave_presumed(const struct ddp_work *work, struct alone *alone)
{
	if (alone->packet != work->tracker->view.presumed)
		return;
	alone->packet->payload = alone->packet->tcp.payload;
	alone->packet = &alone->own;
}

static void take_rpc(struct ddp_work *work, struct message *message, struct alone *alone)
{
	struct rtap_tracker *tracker = work->tracker;
	bool again, is_known = false;

	work->connection->upper = RTAP_UPPER_RPCRDMA;
	again = rpc_call_chunk(tracker, work->connection, work->from_a, message, alone->packet, alone->upper) &&
		keep_copy(tracker, &alone->upper->chunk);
	if (alone->packet->rpc.is_reply || alone->upper->chunk.bytes)
		is_known = rpc_call_context(tracker, work->connection, work->from_a, alone->packet, alone->upper);
	if (again) {
		leave_presumed(work, alone);
		dissect(alone);
	} else if (is_known) {
		packet_dissect_reply(alone->packet, alone->upper);
	}
	tracker->touched_rpc = NULL;
	rpc_call_send(tracker, message, alone->packet);
	if (tracker->touched_rpc)
		frame_touch(tracker, tracker->touched_rpc);
	tracker->touched_rpc = NULL;
	alone->upper->rpc_follows = rpc_call_follows(tracker, work->connection, work->from_a, alone->packet);
	if (message->replies_to)
		end_claimed(work, message);
}

void ddp_hear_send(struct ddp_work *work, struct message *message, const struct rtap_span *bytes, bool put_together)
{
	struct iwarp_view *view = &work->tracker->view;
	uint32_t wire = put_together ? bytes->length : work->facts.payload_length;
	bool whole = work->shown != IWARP_NOT_SHOWN && !put_together && bytes->length == wire;
	struct rtap_packet *presumed = NULL;
	struct alone alone;

	begin(&alone, work, bytes, wire);
	if (whole && (presumed = work->connection->upper == RTAP_UPPER_RPCRDMA ? iwarp_view_presumed(view, work->fpdu, bytes) : NULL)) {
		alone.packet = presumed;
		enter_presumed(bytes, &alone);
	} else {
		/* the frame shows it as it is */
		if (whole)
			alone.packet = &view->send;
		dissect(&alone);
	}
	if (alone.packet->rpcrdma.present)
		take_rpc(work, message, &alone);
	if (put_together)
		alone.upper->message = *bytes;
	if (!put_together || keep_message(work, message, &alone.upper->message))
		show(work, alone.upper);
	view->sent = whole && alone.packet->rpcrdma.present && !alone.upper->rpc_follows && alone.packet->source_count == 1 ?
			     work->shown : IWARP_NOT_SHOWN;
	view->sent_presumed = alone.packet == presumed;
	if (presumed)
		presumed->payload = presumed->tcp.payload;
}

/* IPv4 and TCP headers without a payload. RFC 791, 3.1; RFC 9293, 3.1. */
static const uint8_t bare_segment[40] = { 0x45, [3] = 40, [8] = 64, [9] = 6, [32] = 0x50, [33] = 0x10 };

void ddp_hear_read(struct ddp_work *work, struct message *message)
{
	struct rtap_tracker *tracker = work->tracker;
	const struct rtap_span segment = { bare_segment, sizeof bare_segment };
	struct rtap_context context = tracker->options.context;
	struct rtap_fpdu fpdu;
	struct alone alone;

	if (!message->region)
		return;
	begin(&alone, work, &segment, segment.length);
	alone.packet->rpcrdma.present = false;
	if (!rpc_call_chunk(tracker, work->connection, work->from_a, message, alone.packet, alone.upper) || !keep_copy(tracker, &alone.upper->chunk))
		return;
	fpdu = *work->fpdu;
	fpdu.upper = alone.upper;
	context.is_iwarp = true;
	context.fpdus = &fpdu;
	context.fpdu_count = 1;
	rtap_dissect(&alone.frame, &context, alone.packet);
	rpc_call_read(tracker, alone.packet);
	show(work, alone.upper);
}

/* How a request ends that is answered by such an error. RFC 5040, 4.8; RFC 5041, 7.1. */
static enum rtap_outcome outcome_of(const struct rtap_iwarp_facts *facts)
{
	if (facts->error_layer == 1)
		return facts->error_type == 1 ? RTAP_OUTCOME_REMOTE_ACCESS_ERROR : RTAP_OUTCOME_INVALID_REQUEST;
	return facts->error_layer == 0 && facts->error_type == 1 ? RTAP_OUTCOME_REMOTE_ACCESS_ERROR : RTAP_OUTCOME_REMOTE_OPERATIONAL_ERROR;
}

/* The DDP header that a Terminate quotes. */
static bool read_quoted(const struct ddp_work *work, struct rtap_iwarp_facts *quoted)
{
	struct iwarp_terminate terminate;
	uint32_t length, at = DDP_UNTAGGED_LENGTH;
	const uint8_t *head = fpdu_head(work->fpdu, &length);

	if (!work->facts.has_terminate || length < at + 4)
		return false;
	iwarp_read_terminate(head + at, length - at - 4, work->fpdu->ulpdu_length - at - 4, &terminate);
	if (!terminate.ddp_included)
		return false;
	/* RDMAP's header follows DDP's, or is not quoted */
	if (!terminate.ddp_at || at + terminate.ddp_at + terminate.ddp_length > length)
		return false;
	at += terminate.ddp_at;
	return iwarp_read(head + at, length - at, length - at, quoted) != TRUNCATED;
}

static bool is_meant(const struct message *message, const struct rtap_iwarp_facts *facts)
{
	const struct rtap_message *shown = &message->shown;

	if (facts->tagged)
		return shown->kind == RTAP_KIND_WRITE && shown->r_key == facts->stag && facts->tagged_offset >= shown->virtual_address;
	/* soft-iWARP quotes a Read Request's DDP header with a wrong MSN */
	if (facts->has_read)
		return shown->kind == RTAP_KIND_READ && shown->r_key == facts->source_stag && shown->virtual_address == facts->source_offset;
	if (facts->qn == 1)
		return (shown->kind == RTAP_KIND_READ || shown->kind == RTAP_KIND_ATOMIC) && shown->psn == facts->msn;
	return facts->qn == 0 && shown->kind == RTAP_KIND_SEND && shown->psn == facts->msn;
}

void ddp_refuse(struct ddp_work *work)
{
	struct message *message = work->tracker->last_waiting;
	struct rtap_iwarp_facts quoted = { 0 };

	if (!read_quoted(work, &quoted))
		return;
	for (uint32_t tried = 0; message && tried < REFUSED_LOOKED_AT; message = message->waiting_before, tried++) {
		if (message->connection != work->connection || message->shown.from_a == work->from_a || message->shown.is_rpc || message->call ||
		    !is_meant(message, &quoted))
			continue;
		message->shown.outcome = (uint8_t)outcome_of(&work->facts);
		message->shown.answered_in = work->fpdu->last_frame;
		message->shown.has_latency = true;
		message->shown.latency_ns = work->fpdu->last_time_ns - message->shown.time_ns;
		if (message->stream)
			message_settle(work->tracker, message);
		return;
	}
}
