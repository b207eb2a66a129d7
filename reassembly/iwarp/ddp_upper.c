/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each Send is dissected once, for the upper layer and for the output: in the frame's packet, or in a packet of its own if
 * the frame does not show it, or not there yet.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/dissect.h"
#include "dissect/iwarp/fpdu.h"
#include "dissect/iwarp/iwarp.h"
#include "dissect/engine/protocol.h"
#include "dissect/iwarp/terminate.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/iwarp/ddp_upper.h"
#include "reassembly/iwarp/iwarp_half.h"
#include "base/memory.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper.h"

#define REFUSED_LOOKED_AT 256

/* A Send, or the data of a READ, while the layer examines it. */
struct alone {
	struct upper_work work;        /* for the layer; `context`: where the frame will find it if it is shown there */
	uint32_t shown;
	struct rtap_frame frame;       /* of a packet of its own; work.packet has this one too */
	struct frame_result result;
	struct rtap_context own_context;
	struct rtap_packet own;
	const struct rtap_frame *whole; /* of the frame's packet */
};

static struct alone *alone_of(struct upper_work *work)
{
	return (struct alone *)((char *)work - offsetof(struct alone, work));
}

static bool is_own(const struct alone *alone)
{
	return alone->work.packet == &alone->own;
}

/* Dissects the message that a READ or Write completed. */
static void dissect_chunk(struct alone *alone)
{
	const struct rtap_span *chunk = &alone->work.context->chunk;

	alone->frame.bytes = chunk->bytes;
	alone->frame.captured_length = alone->frame.wire_length = chunk->length;
	packet_dissect_chunk(&alone->frame, alone->work.context, &alone->own);
}

static void dissect(struct upper_work *work)
{
	struct alone *alone = alone_of(work);

	/* FPDUs that the frame has no room for are examined too */
	if (!is_own(alone) && !iwarp_view_dissect_fpdu(&work->tracker->view, alone->shown)) {
		iwarp_view_leave(&work->tracker->view, alone->shown + 1);
		work->packet->frame = alone->whole;
		work->packet = &alone->own;
	}
	if (!is_own(alone))
		return;
	if (work->message && work->message->shown.verb != RTAP_VERB_SEND)
		dissect_chunk(alone);
	else
		packet_dissect_send(&alone->frame, work->context, work->packet);
}

/* Dissects in the frame's packet from here on. */
static void enter(struct alone *alone, struct rtap_packet *packet)
{
	alone->whole = packet->frame;
	packet->frame = &alone->frame;
	alone->work.packet = packet;
}

/* Few READs and Writes complete something to show. */
static void dissect_data(struct upper_work *work)
{
	struct rtap_packet *packet = iwarp_view_enter(&work->tracker->view, &work->tracker->context, alone_of(work)->shown, false);

	if (packet)
		enter(alone_of(work), packet);
	work->dissect = dissect;
	dissect(work);
}

/* Copies bytes that are borrowed from a layer or message, for the lifetime of the frame. */
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

static bool keep(struct upper_work *work, struct rtap_span *bytes)
{
	return keep_copy(work->tracker, bytes);
}

/* `packet`: the frame's, entered; NULL: it has a packet of its own. */
static void begin(struct alone *alone, const struct ddp_work *work, struct message *message, const struct rtap_span *send, uint32_t wire,
		  struct rtap_packet *packet)
{
	struct iwarp_view *view = &work->tracker->view;

	alone->shown = work->shown;
	alone->frame = (struct rtap_frame){
		.bytes = send->bytes, .captured_length = send->length, .wire_length = wire,
		.link_type = RTAP_LINK_RAW, .number = work->fpdu->last_frame, .time_ns = work->fpdu->last_time_ns,
	};
	alone->result = (struct frame_result){ 0 };
	alone->work = (struct upper_work){
		.tracker = work->tracker, .connection = work->connection, .from_a = work->from_a, .message = message, .packet = &alone->own,
		.context = work->shown == IWARP_NOT_SHOWN ? &alone->own_context : &view->uppers[work->shown],
		.result = &alone->result, .dissect = dissect, .fpdu = work->fpdu, .keep = keep,
	};
	*alone->work.context = work->tracker->context;
	alone->work.context->upper = (uint8_t)upper_carried(work->tracker, work->connection);
	if (packet)
		enter(alone, packet);
}

/* Shows the FPDU in the frame with its content, if any. Reassembled bytes live as long as the frame. */
static void end(struct alone *alone, bool has_content)
{
	struct iwarp_view *view = &alone->work.tracker->view;

	if (has_content && alone->shown != IWARP_NOT_SHOWN)
		view->list[alone->shown].upper = alone->work.context;
	if (is_own(alone))
		return;
	iwarp_view_leave(view, alone->shown + (has_content || view->has_body));
	alone->work.packet->frame = alone->whole;
}

static bool is_send(struct ddp_work *work)
{
	uint32_t length;
	const uint8_t *head = fpdu_head(work->fpdu, &length);

	return work->fpdu->crc_status != RTAP_CRC_BAD && iwarp_read(head, length, work->fpdu->ulpdu_length, &work->facts) == OK &&
	       iwarp_is_send(work->facts.opcode) && !work->facts.tagged && !work->facts.qn;
}

/* The bytes of a Send in a single FPDU. */
static bool whole_send(const struct ddp_work *work, struct rtap_span *bytes)
{
	const struct rtap_iwarp_facts *facts = &work->facts;

	return facts->last && !facts->mo && facts->payload_length && fpdu_front(work->fpdu, facts->payload_offset, bytes);
}

/* The bytes of a Send of which this is the last segment. They live as long as the frame. */
static bool parted_send(const struct ddp_work *work, struct rtap_span *bytes)
{
	struct iwarp_stream *stream = work->connection->iwarp;
	struct send_ahead *ahead = &stream->halves[iwarp_side_of(stream, work->from_a)].ahead;
	const struct ddp_half *half = &work->connection->ddp->halves[work->from_a];
	struct iwarp_view *view = &work->tracker->view;
	bool is_kept;

	if (!send_ahead_add(ahead, work->fpdu, &work->facts, half->untagged[0], half->end))
		return false;
	*bytes = (struct rtap_span){ ahead->bytes, ahead->length };
	is_kept = work->shown != IWARP_NOT_SHOWN && ahead->length && iwarp_view_has_room(view, &work->tracker->budget, ahead->room) &&
		  iwarp_view_keep(view, &work->tracker->budget, ahead->bytes, ahead->room);
	if (is_kept)
		*ahead = (struct send_ahead){ 0 };
	else
		send_ahead_discard(ahead);
	return is_kept;
}

void ddp_upper_ahead(struct rtap_tracker *tracker, struct connection *connection, bool from_a, const struct rtap_fpdu *fpdu, uint32_t shown)
{
	struct ddp_work work = { tracker, connection, from_a, fpdu, 1, shown, { 0 } };
	struct rtap_span bytes;
	struct alone alone;
	bool is_whole;

	if (!is_send(&work))
		return;
	is_whole = whole_send(&work, &bytes);
	if (is_whole ? shown == IWARP_NOT_SHOWN : !parted_send(&work, &bytes))
		return;
	begin(&alone, &work, NULL, &bytes, is_whole ? work.facts.payload_length : bytes.length,
	      iwarp_view_enter(&tracker->view, &tracker->context, shown, false));
	if (!is_whole)
		alone.work.context->message = bytes;
	dissect(&alone.work);
	upper_ahead(&alone.work);
	end(&alone, true);
}

/* Transfers the bytes to the frame, or copies them if the message is returned with its bytes. */
static bool keep_message(struct rtap_tracker *tracker, struct message *message, struct rtap_span *bytes)
{
	struct coverage *data = &message->coverage;

	if (tracker->keep & COVERAGE_BYTES)
		return keep_copy(tracker, bytes);
	if (!iwarp_view_keep(&tracker->view, &tracker->budget, data->bytes, data->bytes_room))
		return false;
	data->bytes = NULL;
	data->bytes_room = 0;
	return true;
}

void ddp_upper_send(struct ddp_work *work, struct message *message, const struct rtap_span *bytes, bool put_together)
{
	struct iwarp_view *view = &work->tracker->view;
	uint32_t wire = put_together ? bytes->length : work->facts.payload_length;
	bool is_presumed = !put_together && bytes->length == wire && upper_carried(work->tracker, work->connection) == RTAP_UPPER_RPCRDMA &&
			   iwarp_view_is_presumed(view, work->shown, bytes);
	struct rtap_span whole = *bytes;
	struct alone alone;

	if (put_together && work->shown != IWARP_NOT_SHOWN && !keep_message(work->tracker, message, &whole))
		work->shown = IWARP_NOT_SHOWN;
	begin(&alone, work, message, bytes, wire, iwarp_view_enter(view, &work->tracker->context, work->shown, is_presumed));
	if (put_together && work->shown != IWARP_NOT_SHOWN)
		alone.work.context->message = whole;
	if (is_presumed)
		alone.work.packet->payload = (struct rtap_payload){ 0, (uint32_t)(bytes->bytes - alone.work.packet->sources[0].bytes), wire, wire };
	else
		dissect(&alone.work);
	upper_send(&alone.work);
	end(&alone, true);
}

void ddp_upper_data(struct ddp_work *work, struct message *message)
{
	struct alone alone;

	if (!message->region)
		return;
	begin(&alone, work, message, &(struct rtap_span){ NULL, 0 }, 0, NULL);
	alone.own.rpcrdma.present = alone.own.rpc.present = false;
	alone.work.dissect = dissect_data;
	end(&alone, upper_read(&alone.work));
}

/* The outcome of a request that is answered by such an error. RFC 5040, 4.8; RFC 5041, 7.1. */
static enum rtap_outcome outcome_of(const struct rtap_iwarp_facts *facts)
{
	if (facts->error_layer == 1)
		return facts->error_type == 1 ? RTAP_OUTCOME_REMOTE_ACCESS_ERROR : RTAP_OUTCOME_INVALID_REQUEST;
	return facts->error_layer == 0 && facts->error_type == 1 ? RTAP_OUTCOME_REMOTE_ACCESS_ERROR : RTAP_OUTCOME_REMOTE_OPERATIONAL_ERROR;
}

/* Reads the DDP header that a Terminate quotes. */
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
	/* The RDMAP header follows that of DDP, or is not quoted. */
	if (!terminate.ddp_at || at + terminate.ddp_at + terminate.ddp_length > length)
		return false;
	at += terminate.ddp_at;
	return iwarp_read(head + at, length - at, length - at, quoted) != TRUNCATED;
}

static bool is_quoted(const struct message *message, const struct rtap_iwarp_facts *facts)
{
	const struct rtap_message *shown = &message->shown;

	if (facts->tagged)
		return shown->kind == RTAP_KIND_WRITE && shown->r_key == facts->stag && facts->tagged_offset >= shown->virtual_address;
	/* soft-iWARP quotes a Read Request's DDP header with a wrong MSN. */
	if (facts->has_read)
		return shown->kind == RTAP_KIND_READ && shown->r_key == facts->source_stag && shown->virtual_address == facts->source_offset;
	if (facts->qn == 1)
		return (shown->kind == RTAP_KIND_READ || shown->kind == RTAP_KIND_ATOMIC) && shown->psn == facts->msn;
	return facts->qn == 0 && shown->kind == RTAP_KIND_SEND && shown->psn == facts->msn;
}

void ddp_upper_refuse(struct ddp_work *work)
{
	struct message *message = TAILQ_LAST(&work->tracker->waiting, message_list);
	struct rtap_iwarp_facts quoted = { 0 };

	if (!read_quoted(work, &quoted))
		return;
	for (uint32_t tried = 0; message && tried < REFUSED_LOOKED_AT; message = TAILQ_PREV(message, message_list, waiting), tried++) {
		if (message->connection != work->connection || message->shown.from_a == work->from_a || !is_quoted(message, &quoted))
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
