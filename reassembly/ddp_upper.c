/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What iWARP's messages carry: RPC-over-RDMA. Each Send is dissected by itself, in a packet that has nothing else, for
 * what it says and for what its dissection in the frame will need.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/iwarp.h"
#include "dissect/protocol.h"
#include "reassembly/ddp_internal.h"
#include "reassembly/memory.h"
#include "reassembly/message_queue.h"
#include "reassembly/rpc_call.h"

#define REFUSED_LOOKED_AT 256

/* IPv4 and TCP headers without a payload. RFC 791, 3.1; RFC 9293, 3.1. */
static const uint8_t bare_segment[40] = { 0x45, [3] = 40, [8] = 64, [9] = 6, [32] = 0x50, [33] = 0x10 };

/* An FPDU in a packet of its own. */
struct alone {
	struct rtap_frame frame;
	struct rtap_fpdu fpdu;
	struct rtap_context context, upper;
	struct rtap_packet packet;
};

static void begin(struct alone *alone, const struct ddp_work *work)
{
	alone->frame = (struct rtap_frame){
		.bytes = bare_segment, .captured_length = sizeof bare_segment, .wire_length = sizeof bare_segment,
		.link_type = RTAP_LINK_RAW, .number = work->fpdu->last_frame, .time_ns = work->fpdu->last_time_ns,
	};
	alone->upper = work->tracker->options.context;
	alone->upper.upper = work->connection->upper;
	alone->fpdu = *work->fpdu;
	alone->fpdu.upper = &alone->upper;
	alone->context = work->tracker->options.context;
	alone->context.is_iwarp = true;
	alone->context.fpdus = &alone->fpdu;
	alone->context.fpdu_count = 1;
}

static void dissect(struct alone *alone)
{
	rtap_dissect(&alone->frame, &alone->context, &alone->packet);
}

/* The payload is the Send's bytes, which the RPC-over-RDMA layer begins. */
static void set_payload(struct rtap_packet *packet, uint32_t length, uint32_t wire)
{
	for (uint8_t i = 0; i < packet->layer_count; i++)
		if (packet->layers[i].protocol == PROTOCOL_RPCRDMA)
			packet->payload = (struct rtap_payload){ packet->layers[i].source, packet->layers[i].offset, length, wire };
}

/* The frame shows the same; what was put together for it lives as long as the frame. */
static void show(struct ddp_work *work, const struct alone *alone)
{
	if (!work->shown)
		return;
	work->shown->upper = alone->upper;
	work->shown->fpdu.upper = &work->shown->upper;
}

void ddp_message_ahead(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu,
		       struct iwarp_shown *shown)
{
	struct ddp_work work = { tracker, connection, from_a, fpdu, 1, shown, { 0 } };
	struct alone alone;

	begin(&alone, &work);
	dissect(&alone);
	if (alone.packet.rpcrdma.present && alone.packet.rpc.is_reply)
		(void)rpc_call_context(tracker, connection, from_a, &alone.packet, &alone.upper);
	show(&work, &alone);
}

/* The bytes become the frame's, unless the message is told with them. */
static bool keep_message(struct ddp_work *work, struct message *message)
{
	struct rtap_tracker *tracker = work->tracker;
	struct coverage *data = &message->coverage;

	if (tracker->keep & COVERAGE_BYTES)
		return true;
	if (!iwarp_view_keep(&tracker->view, &tracker->budget, data->bytes, data->bytes_room))
		return false;
	data->bytes = NULL;
	data->bytes_room = 0;
	return true;
}

/* A chunk is borrowed for a moment only: the frame gets a copy. */
static bool keep_chunk(struct rtap_tracker *tracker, struct rtap_context *upper)
{
	uint8_t *copy = memory_new(upper->chunk.length + 1);

	if (!copy || !iwarp_view_keep(&tracker->view, &tracker->budget, copy, upper->chunk.length + 1)) {
		free(copy);
		upper->chunk = (struct rtap_span){ NULL, 0 };
		return false;
	}
	upper->chunk.bytes = memcpy(copy, upper->chunk.bytes, upper->chunk.length);
	return true;
}

/* A call is over when its reply is there: so is what it still waited for. */
static void end_claimed(struct ddp_work *work, const struct message *reply)
{
	struct message *next;

	for (struct message *message = work->connection->streams[work->from_a].head; message; message = next) {
		next = message->behind;
		if (message != reply && message->segment && message->segment->call == reply->replies_to)
			message_settle(work->tracker, message);
	}
}

static void take_rpc(struct ddp_work *work, struct message *message, struct alone *alone, uint32_t length, uint32_t wire)
{
	struct rtap_tracker *tracker = work->tracker;
	bool again;

	work->connection->upper = RTAP_UPPER_RPCRDMA;
	set_payload(&alone->packet, length, wire);
	again = rpc_call_chunk(tracker, work->connection, work->from_a, message, &alone->packet, &alone->upper) &&
		keep_chunk(tracker, &alone->upper);
	if (alone->packet.rpc.is_reply || alone->upper.chunk.bytes)
		again |= rpc_call_context(tracker, work->connection, work->from_a, &alone->packet, &alone->upper);
	if (again) {
		dissect(alone);
		set_payload(&alone->packet, length, wire);
	}
	tracker->touched_rpc = NULL;
	rpc_call_send(tracker, message, &alone->packet);
	if (tracker->touched_rpc)
		ddp_touch(tracker, tracker->touched_rpc);
	tracker->touched_rpc = NULL;
	alone->upper.rpc_follows = rpc_call_follows(tracker, work->connection, work->from_a, &alone->packet);
	if (message->replies_to)
		end_claimed(work, message);
}

void ddp_hear_send(struct ddp_work *work, struct message *message, const struct rtap_span *bytes, bool put_together)
{
	struct alone alone;

	begin(&alone, work);
	if (put_together)
		alone.upper.message = *bytes;
	dissect(&alone);
	if (alone.packet.rpcrdma.present)
		take_rpc(work, message, &alone, bytes->length, put_together ? bytes->length : work->facts.payload_length);
	if (!put_together || keep_message(work, message))
		show(work, &alone);
}

void ddp_hear_read(struct ddp_work *work, struct message *message)
{
	struct rtap_tracker *tracker = work->tracker;
	struct alone alone;

	if (!message->segment)
		return;
	alone.packet.rpcrdma.present = false;
	begin(&alone, work);
	if (!rpc_call_chunk(tracker, work->connection, work->from_a, message, &alone.packet, &alone.upper) || !keep_chunk(tracker, &alone.upper))
		return;
	dissect(&alone);
	rpc_call_read(message, &alone.packet);
	show(work, &alone);
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
