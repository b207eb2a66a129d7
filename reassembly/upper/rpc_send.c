/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpcrdma.h"
#include "reassembly/connection.h"
#include "reassembly/iwarp/ddp_half.h"
#include "base/memory.h"
#include "reassembly/message_queue.h"
#include "reassembly/upper/claim.h"
#include "reassembly/upper/rpc_exchange.h"
#include "reassembly/upper/rpc_operation.h"
#include "reassembly/upper/rpc_send.h"

bool rpc_send_locate(const struct rtap_packet *packet, const uint8_t **bytes, uint32_t *captured, uint32_t *wire)
{
	/* Usually it is the frame's payload. */
	if (packet->source_count == 1) {
		*bytes = packet->sources[0].bytes + packet->payload.offset;
		*captured = packet->payload.captured;
		*wire = packet->payload.wire;
		return true;
	}
	for (uint8_t i = 0; i < packet->layer_count; i++) {
		const struct rtap_layer *layer = &packet->layers[i];

		if (layer->protocol != PROTOCOL_RPCRDMA)
			continue;
		*bytes = layer_bytes(packet, layer);
		if (layer->source != packet->payload.source) {
			*captured = packet->sources[layer->source].captured - layer->offset;
			*wire = packet->sources[layer->source].wire - layer->offset;
		} else {
			*captured = packet->payload.captured;
			*wire = packet->payload.wire;
		}
		return true;
	}
	return false;
}

/* Whether another packet than this one may show the call or its reply and needs all of it. */
static bool is_shown_elsewhere(const struct rtap_packet *packet)
{
	return packet->rpcrdma.reply_chunk || packet->rpcrdma.read_segments;
}

/* Keeps what the call or reply is read from when it is concluded. */
static bool keep_send(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, const uint8_t *bytes)
{
	send->bytes = memory_new(send->captured + 1);
	if (!send->bytes)
		return false;
	memcpy(send->bytes, bytes, send->captured);
	budget_charge(&tracker->budget, &call->request.entry, send->captured + 1);
	return true;
}

/*
 * Whether the dissection found an RPC-over-RDMA header with only the fixed part and three empty lists (RFC 8166, 4.3). A
 * header that ends with the captured bytes may be truncated.
 */
static bool has_no_chunks(const struct rtap_packet *packet, uint32_t captured)
{
	return packet->rpcrdma.message_type == RDMA_MSG && packet->rpcrdma.length == RPCRDMA_MIN_LENGTH && captured > RPCRDMA_MIN_LENGTH;
}

bool rpc_send_fill(struct rtap_tracker *tracker, struct rpc_call *call, struct rpc_send *send, struct message *message,
		   const struct rtap_packet *packet, enum rtap_message_kind kind, struct frame_result *result)
{
	const uint8_t *bytes;

	send->present = true;
	send->rpc = packet->rpc;
	send->rpc_frame = packet->frame->number;
	send->rpc_time_ns = packet->frame->time_ns;
	send->message_type = packet->rpcrdma.message_type;
	send->version = packet->rpcrdma.version;
	send->first_frame = message->shown.first_frame;
	send->last_frame = message->shown.last_frame;
	send->time_ns = message->shown.time_ns;
	send->time_end_ns = message->shown.time_end_ns;
	if (!tracker->wants_data && !is_shown_elsewhere(packet) && !connection_has_one_flow(call->request.connection))
		return true;
	if (!rpc_send_locate(packet, &bytes, &send->captured, &send->wire))
		return false;
	if (packet->rpcrdma.version != RPCRDMA_VERSION_1 && packet->rpcrdma.message_type != RDMA_ERROR) {
		/* The layout of what follows is unknown. */
		send->lists.header_length = RPCRDMA_FIXED_LENGTH;
	} else if (has_no_chunks(packet, send->captured)) {
		send->lists.header_length = RPCRDMA_MIN_LENGTH;
	} else if (packet->rpcrdma.message_type != RDMA_ERROR &&
	    !chunk_lists_read(&send->lists, bytes, send->captured, send->captured < send->wire)) {
		if (send->captured == send->wire)
			return false;
		send->data_length = chunk_lists_data(&send->lists);
		chunk_lists_empty(&send->lists);
		send->lists_cut = true;
		send->lists.header_length = send->captured;
	} else {
		send->data_length = chunk_lists_data(&send->lists);
	}
	send->is_read = rpc_exchange_is_plain(tracker, call, send);
	if (!send->is_read && !keep_send(tracker, call, send, bytes))
		return false;
	if (!tracker->wants_data)
		return true;
	send->shown = message_create(tracker, call->request.connection, send->first_frame, send->time_ns);
	if (send->shown) {
		send->shown->shown.kind = (uint8_t)kind;
		send->shown->shown.verb = RTAP_VERB_SEND;
		send->shown->is_upper = true;
		send->shown->is_response = kind == RTAP_KIND_RPC_REPLY;
		send->shown->shown.from_a = message->shown.from_a;
		send->shown->shown.psn = message->shown.psn;
		claim_show_lost(&send->shown->shown, &message->shown);
		send->shown->shown.credits = packet->rpcrdma.credits;
		send->shown->request = &call->request;
		send->shown->request_number = message->request_number = call->request.number;
		if (call->request.connection->ddp)
			ddp_half_hold(tracker, send->shown);
		*(send == &call->call ? &call->request.message : &call->request.response_message) = send->shown;
		if (rpc_operation_wanted(tracker))
			rpc_operation_begin(tracker, send->shown, send == &call->reply && call->call.present);
		result->touched_upper = send->shown;
		if (send->is_read)
			rpc_exchange_read(tracker, call, send, bytes);
	}
	return true;
}
