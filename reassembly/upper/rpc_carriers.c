/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/protocol.h"
#include "dissect/rpc/rpc.h"
#include "dissect/infiniband/upper.h"
#include "reassembly/upper/rpc_carriers.h"
#include "reassembly/upper/rpc_conversation.h"

#define MOST_SEARCHED (1u << 20)
/*
 * For incomplete records without progress: divisor of the memory limit, and a minimum unless that exceeds a quarter of the
 * limit.
 */
#define COPIES_SHARE 128
#define LEAST_COPIES (UINT64_C(1) << 20)
#define RECORD_MARK 4 /* RFC 5531, section 11 */

struct rpc_conversation *rpc_carriers_begin(struct rpc_carriers *carriers, const struct tcp_connection *connection,
					    const struct rtap_frame *frame)
{
	struct rpc_conversation *conversation = rpc_conversation_create(carriers, RPC_OVER_TCP);

	if (!conversation)
		return NULL;
	conversation->tcp = connection;
	conversation->first_frame = frame->number;
	conversation->first_ns = frame->time_ns;
	for (int side = 0; side < 2; side++) {
		conversation->ends[side].address_length = connection->address_length;
		memcpy(conversation->ends[side].address, connection->addresses[side], connection->address_length);
		conversation->ports[side] = connection->ports[side];
	}
	return conversation;
}

void rpc_carriers_life(struct rpc_conversation *conversation, bool from_a, enum tcp_life life)
{
	if (life != TCP_LIFE_SYN && life != TCP_LIFE_SYN_ACK)
		return;
	conversation->begun[from_a] = true;
	conversation->opener_known = true;
	conversation->opened_by_a = from_a == (life == TCP_LIFE_SYN);
}

static void take_record(void *owner, const struct rpc_record *record)
{
	static const uint8_t reasons[] = {
		[TCP_HOLE_NOT_CAPTURED] = RTAP_MISSING_NOT_CAPTURED, [TCP_HOLE_SNAPPED] = RTAP_MISSING_SNAPPED,
		[TCP_HOLE_EVICTED] = RTAP_MISSING_EVICTED, [TCP_HOLE_LOST] = RTAP_MISSING_NOT_CAPTURED,
	};
	const struct rpc_direction *direction = owner;
	struct rpc_heard heard = {
		.bytes = record->bytes, .seen = record->seen, .length = record->length, .reason = RTAP_MISSING_NOT_CAPTURED,
		.first_frame = record->frames.first, .last_frame = record->frames.last,
		.time_ns = record->frames.first_ns, .time_end_ns = record->frames.last_ns,
		.cause = record->cause,
	};

	if (record->missing == RPC_RECORD_HOLE)
		heard.reason = reasons[record->hole];
	else if (record->missing == RPC_RECORD_TOO_LARGE || record->missing == RPC_RECORD_EVICTED)
		heard.reason = RTAP_MISSING_EVICTED;
	/* The length excludes a hole that contained a record mark. */
	heard.broken = record->missing != RPC_RECORD_WHOLE;
	rpc_conversation_hear(direction->conversation, direction->from_a, &heard);
}

static void start_reader(struct rpc_conversation *conversation, bool from_a, bool is_beginning)
{
	struct rpc_direction *direction = &conversation->directions[from_a];

	rpc_record_init(&direction->reader, conversation->carriers->budget, &conversation->carriers->copies,
			&(struct rpc_record_user){ direction, take_record }, is_beginning);
}

/* Whether the first bytes of a connection are present and are not an RPC message. */
static bool begins_otherwise(const struct rpc_conversation *conversation, bool from_a, const struct tcp_bytes *bytes)
{
	return conversation->begun[from_a] && !bytes->offset && !conversation->passed_over[!from_a] &&
	       rpc_record_guess(bytes->span.bytes, bytes->span.length, true) == RPC_RECORD_NO;
}

/* Decides by these bytes whether the stream carries RPC. If so, its readers begin with them. */
static bool recognise(struct rpc_conversation *conversation, bool from_a, const struct tcp_bytes *bytes)
{
	/* The record may continue in other segments. */
	struct cursor cursor = { bytes->span.bytes, bytes->span.length, UINT32_MAX };
	bool other_fresh = conversation->begun[!from_a] && !conversation->passed_over[!from_a];

	if (rpc_port(conversation->ports[0]) || rpc_port(conversation->ports[1])) {
		start_reader(conversation, from_a, conversation->begun[from_a]);
	} else if (!conversation->carriers->no_heuristics && rpc_recognise_record(&cursor, false)) {
		start_reader(conversation, from_a, true);
	} else {
		struct rpc_direction *direction = &conversation->directions[from_a];

		direction->searched += bytes->span.length;
		conversation->refused = conversation->carriers->no_heuristics || direction->searched > MOST_SEARCHED ||
					begins_otherwise(conversation, from_a, bytes);
		conversation->passed_over[from_a] = true;
		return false;
	}
	start_reader(conversation, !from_a, other_fresh);
	conversation->is_rpc = true;
	rpc_conversation_connect(conversation, from_a, conversation->first_frame, conversation->first_ns);
	return true;
}

/* Reserves the place of an incomplete record among the messages. */
static void hold_place(struct rpc_conversation *conversation, bool from_a)
{
	struct rpc_direction *direction = &conversation->directions[from_a];
	const struct rpc_carriers_user *user = &conversation->carriers->user;
	uint64_t frame = 0;
	int64_t time_ns = 0;

	if (user->place && (rpc_record_begun(&direction->reader, &frame, &time_ns) || direction->place))
		user->place(user->owner, direction, frame, time_ns);
}

void rpc_carriers_bytes(struct rpc_conversation *conversation, bool from_a, const struct tcp_bytes *bytes)
{
	if (conversation->refused || (!conversation->is_rpc && !recognise(conversation, from_a, bytes)))
		return;
	rpc_record_bytes(&conversation->directions[from_a].reader, bytes);
	rpc_conversation_take_early(conversation, from_a);
	hold_place(conversation, from_a);
}

enum rpc_verdict rpc_carriers_verdict(const struct rpc_conversation *conversation)
{
	return conversation->is_rpc ? RPC_YES : conversation->refused ? RPC_NO : RPC_PERHAPS;
}

void rpc_carriers_hole(struct rpc_conversation *conversation, bool from_a, const struct tcp_hole *hole)
{
	if (conversation->is_rpc)
		rpc_record_hole(&conversation->directions[from_a].reader, hole);
	else
		conversation->begun[from_a] = false;
	if (!conversation->is_rpc)
		return;
	rpc_conversation_take_early(conversation, from_a);
	hold_place(conversation, from_a);
}

void rpc_carriers_end(struct rpc_conversation *conversation)
{
	for (int side = 0; side < 2 && conversation->is_rpc; side++)
		rpc_record_end(&conversation->directions[side].reader);
	rpc_conversation_end(conversation);
}

void rpc_carriers_init(struct rpc_carriers *carriers, struct budget *budget, const struct rpc_carriers_user *user, bool no_heuristics)
{
	uint64_t share = budget->limit / COPIES_SHARE, least = budget->limit / 4 < LEAST_COPIES ? budget->limit / 4 : LEAST_COPIES;

	*carriers = (struct rpc_carriers){ .user = *user, .budget = budget, .no_heuristics = no_heuristics };
	rpc_record_copies_init(&carriers->copies, share > least ? share : least);
}

/* Whether the packet's payload is that of a datagram. */
static bool is_datagram(const struct rtap_packet *packet)
{
	for (uint8_t i = packet->layer_count; i-- > 0;) {
		uint16_t protocol = packet->layers[i].protocol;

		if (protocol == PROTOCOL_UDP)
			return packet->source_address && packet->payload.captured &&
			       (i + 1 == packet->layer_count || packet->layers[i + 1].protocol == PROTOCOL_RPC ||
				packet->layers[i + 1].protocol == PROTOCOL_PAYLOAD);
	}
	return false;
}

static bool is_reply(const uint8_t *bytes, uint32_t captured)
{
	return captured >= 8 && load32(bytes + 4) == 1;
}

static struct rpc_conversation *take_datagram(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a,
					      struct rtap_context *context)
{
	const struct rtap_payload *payload = &packet->payload;
	const uint8_t *bytes = packet->sources[payload->source].bytes + payload->offset;
	struct cursor cursor = { bytes, payload->captured, payload->wire };
	bool trusted = rpc_port(packet->source_port) || rpc_port(packet->destination_port);
	struct rpc_conversation *conversation = rpc_conversation_find(carriers, packet, from_a);
	const struct rpc_heard heard = {
		.bytes = { bytes, payload->captured }, .seen = payload->captured, .length = payload->wire, .reason = RTAP_MISSING_SNAPPED,
		.first_frame = packet->frame->number, .last_frame = packet->frame->number,
		.time_ns = packet->frame->time_ns, .time_end_ns = packet->frame->time_ns,
	};

	trusted |= conversation && payload->captured >= 4 && rpc_conversation_knows(conversation, !*from_a, load32(bytes));
	if ((!trusted && carriers->no_heuristics) || !rpc_recognise(&cursor, trusted))
		return NULL;
	if (!conversation)
		conversation = rpc_conversation_of_datagrams(carriers, packet, from_a);
	if (!conversation) {
		carriers->given_up++;
		return NULL;
	}
	if (is_reply(bytes, payload->captured))
		rpc_conversation_context(conversation, *from_a, load32(bytes), context);
	rpc_conversation_hear(conversation, *from_a, &heard);
	return conversation;
}

struct rpc_conversation *rpc_carriers_datagram(struct rpc_carriers *carriers, const struct rtap_packet *packet, bool *from_a,
					       struct rtap_context *context)
{
	return is_datagram(packet) ? take_datagram(carriers, packet, from_a, context) : NULL;
}

void rpc_carriers_context(const struct rpc_conversation *conversation, bool from_a, const struct rtap_packet *packet,
			  struct rtap_context *context)
{
	const struct rtap_payload *payload = &packet->tcp.payload;
	const uint8_t *record = packet->sources[payload->source].bytes + payload->offset + RECORD_MARK;

	if (payload->captured > RECORD_MARK && is_reply(record, payload->captured - RECORD_MARK))
		rpc_conversation_context(conversation, from_a, load32(record), context);
}

void rpc_carriers_flush(struct rpc_carriers *carriers)
{
	rpc_conversation_end_datagrams(carriers);
}

void rpc_carriers_fini(struct rpc_carriers *carriers)
{
	/* Frees the rest as at the end of the input, but without callbacks. */
	carriers->user.exchange = NULL;
	rpc_carriers_flush(carriers);
	map_fini(&carriers->calls);
	map_fini(&carriers->datagrams);
}
