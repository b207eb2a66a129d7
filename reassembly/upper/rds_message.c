/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dissect/engine/line.h"
#include "dissect/rds/rds.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/missing_list.h"
#include "reassembly/operation.h"
#include "reassembly/upper/rds_message.h"

#define PAGE 4096              /* all fragments but the last are whole pages */
#define ID_TEXT 24
#define OBJECT_TEXT 16
#define CRC_TEXT 12
#define MOST_PORTS 16          /* congested ports that are listed */

struct rds_operation {
	struct operation head;
	char id[ID_TEXT], crc[CRC_TEXT], object[OBJECT_TEXT];
	uint32_t congested_ports; /* of a map */
};

struct rds_place rds_place_of(const struct rds_side *side, const struct message *send)
{
	uint64_t near = side->next ? side->next : UINT64_C(1) << 32, msn = near + (uint64_t)(int32_t)(send->shown.psn - (uint32_t)near);

	return send->connection->ddp ? (struct rds_place){ msn, msn + 1 } :
				       (struct rds_place){ send->low, send->end ? send->end : send->high + 1 };
}

/* A fragment that is not the last one shows the size of all of them. */
static void learn_size(struct rds_side *side, const struct rds_place *place, const struct rds_fragment *fragment, uint32_t length)
{
	if (fragment->wire >= length || fragment->wire % PAGE || fragment->wire <= side->fragment)
		return;
	side->fragment = fragment->wire;
	side->step = place->end - place->begin;
}

static uint64_t last_position(const struct rds_message *message)
{
	uint64_t data = coverage_end(&message->data), cut = coverage_end(&message->cut);

	return data > cut ? data : cut;
}

/* The position of the fragment in the message. */
static uint64_t position_of(const struct rds_side *side, const struct rds_message *message, uint64_t begin)
{
	uint64_t step = side->step;

	if (!message->fragments)
		return RDS_ANCHOR;
	if (!step)
		return begin > message->anchor ? last_position(message) : RDS_ANCHOR - side->fragment;
	if (begin >= message->anchor)
		return RDS_ANCHOR + (begin - message->anchor) / step * side->fragment;
	return RDS_ANCHOR - (message->anchor - begin + step - 1) / step * side->fragment;
}

/* Whether it is the sender's first SEND: of the PSN that communication management gave, or of MSN 1 (RFC 5041, 5.3). */
static bool is_first(const struct upper_work *work)
{
	const struct rtap_connection *shown = &work->connection->shown;
	const struct rtap_end *end = work->from_a ? &shown->a : &shown->b;

	if (work->connection->ddp)
		return work->message->shown.psn == 1;
	return shown->learned_by_cm && end->psn_known && end->psn == (work->message->low & PSN_MASK);
}

/* Finds where the message begins: from the previous SEND, or from a last fragment. */
static void find_origin(const struct upper_work *work, const struct rds_side *side, struct rds_message *message, const struct rds_fragment *fragment,
			uint64_t begin, uint64_t position)
{
	uint64_t gap = begin - side->next;
	bool is_last = fragment->wire == message->length || fragment->wire % PAGE || fragment->wire < side->fragment;

	if (message->origin && !(message->is_estimated && is_last))
		return;
	message->is_estimated = false;
	if (is_last)
		message->origin = position + fragment->wire - message->length;
	else if (!message->fragments && (side->next ? begin == side->next : is_first(work)))
		message->origin = position;
	else if (!message->fragments && side->next && begin > side->next && side->step && message->sequence == side->next_sequence) {
		message->origin = position - gap / side->step * side->fragment;
		message->is_estimated = true;
	}
}

static bool cover(struct rtap_tracker *tracker, struct rds_message *message, uint64_t position, const struct rds_fragment *fragment)
{
	unsigned keep = (tracker->omits_details ? 0u : COVERAGE_CRC) | (message->is_map ? COVERAGE_BYTES : 0u);
	uint32_t captured = fragment->captured < fragment->wire ? fragment->captured : fragment->wire;
	uint32_t crc = keep & COVERAGE_CRC ? coverage_crc(fragment->bytes, captured) : 0;
	uint64_t fresh, memory;
	bool good = !captured || coverage_add(&message->data, position, fragment->bytes, captured, crc, keep, &fresh);

	if (good && captured < fragment->wire)
		good = coverage_add(&message->cut, position + captured, NULL, fragment->wire - captured, 0, COVERAGE_ONLY, &fresh);
	if (!good)
		tracker->counters.evictions++;
	memory = coverage_memory(&message->data) + coverage_memory(&message->cut);
	request_charge(&tracker->budget, &message->request, memory, message->memory);
	message->memory = memory;
	return good;
}

/* Whether the message with this fragment is at most as long as its header says. */
static bool fits(const struct rds_message *message, uint64_t position, uint32_t length)
{
	const struct coverage *data = message->data.count ? &message->data : &message->cut;
	uint64_t begin = message->origin ? message->origin : data->count ? coverage_runs(data)->begin : position;
	uint64_t end = last_position(message);

	begin = position < begin && !message->origin ? position : begin;
	end = position + length > end ? position + length : end;
	return position >= begin && end - begin <= message->length;
}

static void note_frames(struct rds_message *message, const struct rtap_message *send)
{
	if (!message->first_data_frame || send->first_frame < message->first_data_frame) {
		message->first_data_frame = send->first_frame;
		message->first_data_ns = send->time_ns;
	}
	if (send->last_frame > message->last_data_frame) {
		message->last_data_frame = send->last_frame;
		message->last_data_ns = send->time_end_ns;
	}
}

/* Fragments of a map follow each other: one after a message that followed the map is of another map. net/rds/send.c: rds_send_xmit(). */
static bool is_separated(const struct rds_side *side, const struct rds_message *message, uint64_t begin)
{
	return message->is_map && message->fragments && side->message_next > message->anchor && side->message_next <= begin;
}

bool rds_message_add(struct upper_work *work, struct rds_side *side, struct rds_message *message, const struct rds_fragment *fragment)
{
	const struct rds_place place = rds_place_of(side, work->message);
	uint64_t position;

	if (is_separated(side, message, place.begin))
		return false;
	learn_size(side, &place, fragment, message->length);
	position = position_of(side, message, place.begin);
	find_origin(work, side, message, fragment, place.begin, position);
	if (message->is_estimated && !fits(message, position, fragment->wire))
		message->origin = 0;
	if (!fits(message, position, fragment->wire))
		return false;
	if (!message->fragments)
		message->anchor = place.begin;
	message->fragments++;
	message->credits += (uint32_t)bits(fragment->header, RDS_CREDIT);
	if (fragment->wire) {
		note_frames(message, &work->message->shown);
		cover(work->tracker, message, position, fragment);
	}
	return true;
}

bool rds_message_is_whole(const struct rds_message *message)
{
	return message->data.total >= message->length;
}

void rds_message_operation(struct rtap_tracker *tracker, struct rds_message *message, struct message *send)
{
	request_operation(tracker, &message->request, send, sizeof(struct rds_operation));
}

static void show_missing(struct rtap_tracker *tracker, struct rds_operation *operation, const struct rds_message *message)
{
	const struct coverage *data = message->data.count ? &message->data : &message->cut;
	struct missing_list list = { .reason = RTAP_MISSING_NOT_CAPTURED };

	list.origin = message->origin ? message->origin : data->count ? coverage_runs(data)->begin : RDS_ANCHOR;
	missing_list_add_holes(&list, &message->data, &message->cut, list.origin, list.origin + message->length);
	tracker->counters.evictions += list.failed;
	operation_add_missing(tracker, &operation->head, list.items, list.count, RTAP_OPERATION_PART_REQUEST);
	free(list.items);
}

/* "4001>4000"; of a whole map: the first congested ports. */
static void show_object(struct rds_operation *operation, const struct rds_message *message)
{
	const struct coverage_run *run = coverage_runs(&message->data);
	const uint8_t *map = message->is_map && rds_message_is_whole(message) && message->data.count == 1 ? coverage_bytes(&message->data, run) : NULL;
	size_t room = MOST_PORTS * 6 + 5, length = 0;
	uint32_t listed = 0;
	char *text;

	if (message->is_map && !map)
		return;
	text = operation_object_room(&operation->head, operation->object, OBJECT_TEXT, map ? room : OBJECT_TEXT);
	if (!text)
		return;
	*text = '\0';
	if (!map) {
		*line_put_dec(line_put(line_put_dec(text, message->source_port), ">"), message->destination_port) = '\0';
		return;
	}
	for (uint32_t port = 0; port < message->data.total * 8 && listed <= MOST_PORTS; port++) {
		if (port % 8 == 0)
			port = 8 * rds_next_congested(map, (uint32_t)message->data.total, port / 8);
		if (port == message->data.total * 8)
			break;
		if (!(map[port / 8] >> port % 8 & 1))
			continue;
		if (listed++ == MOST_PORTS)
			snprintf(text + length, room - length, ",...");
		else
			length += (size_t)snprintf(text + length, room - length, listed > 1 ? ",%" PRIu32 : "%" PRIu32, port);
	}
	if (listed)
		operation->congested_ports = rds_congested_ports(map, (uint32_t)message->data.total);
	else
		strcpy(text, "no port");
}

static const char *name_of(const struct rds_message *message)
{
	if (message->is_map)
		return "congestion map";
	if (message->flags & RDS_HEARTBEAT_PING)
		return "heartbeat ping";
	if (message->flags & RDS_HEARTBEAT_PONG)
		return "heartbeat pong";
	/* net/rds/send.c: an empty message to port 0 asks for one from port 0 */
	if (!message->length && !message->destination_port)
		return "ping";
	return !message->length && !message->source_port ? "pong" : "message";
}

/*
 * Whether some message before it may have been sent that was not captured. One that was cancelled before it was sent has used a sequence number, and
 * so has one whose RDMA is not repeated after a reconnect: net/rds/send.c.
 */
static bool may_lack_messages(const struct rds_message *message)
{
	const struct connection *connection = message->request.connection;
	const struct psn_stream *stream = &connection->streams[message->request.from_a];

	if (!message->gap_begin || message->gap_begin > message->gap_end)
		return true;
	return !connection->ddp && psn_lacks(stream, message->gap_lost, message->gap_begin, message->gap_end);
}

static void show_values(struct rds_operation *operation, const struct rds_message *message)
{
	const struct coverage_run *run = coverage_runs(&message->data);

	operation_add_number(&operation->head, "fragments", message->fragments);
	if (rds_message_is_whole(message) && (!message->length || (message->data.count == 1 && run->crc_known))) {
		*line_put_hex(operation->crc, message->length ? run->crc : 0, 8) = '\0';
		operation_add_text(&operation->head, "crc32", operation->crc);
	}
	if (message->is_map) {
		if (operation->head.shown.object)
			operation_add_number(&operation->head, "congested_ports", operation->congested_ports);
		return;
	}
	if (message->credits)
		operation_add_number(&operation->head, "credits", message->credits);
	if (message->lost_before && may_lack_messages(message))
		operation_add_number(&operation->head, "messages_lost", message->lost_before);
	if (message->flags & RDS_RETRANSMITTED)
		operation_add_bool(&operation->head, "retransmitted", true);
	if (message->has_rdma_key) {
		operation_add_number(&operation->head, "rdma_key", message->rdma_key);
		operation_add_number(&operation->head, "rdma_bytes", message->rdma_bytes);
	}
	if (message->has_destination_key)
		operation_add_number(&operation->head, "rdma_destination_key", message->destination_key);
}

static void show_ack(struct rtap_operation *shown, const struct rds_message *message)
{
	if (!message->is_acked)
		return;
	shown->has_status = shown->ok = true;
	shown->status = "acknowledged";
	shown->response_frame = message->ack.frame;
	shown->latency_ns = message->ack.time_ns - shown->time_ns;
	shown->has_latency = message->ack.frame && shown->latency_ns >= 0;
	if (message->ack.frame && message->ack.time_ns > shown->time_end_ns)
		shown->time_end_ns = message->ack.time_ns;
}

static void show_data(struct rds_operation *operation, const struct rds_message *message)
{
	struct rtap_operation *shown = &operation->head.shown;

	if (message->first_rdma_frame)
		operation_add_data(&operation->head, message->first_rdma_frame, message->first_rdma_ns, message->last_rdma_frame, message->last_rdma_ns);
	if (message->first_data_frame)
		operation_add_data(&operation->head, message->first_data_frame, message->first_data_ns, message->last_data_frame, message->last_data_ns);
	if (shown->last_data_frame && shown->last_data_ns > shown->time_end_ns)
		shown->time_end_ns = shown->last_data_ns;
	shown->first_data_ns -= shown->time_ns;
	shown->last_data_ns -= shown->time_ns;
	shown->has_data_bytes = true;
	shown->data_bytes = message->data.total;
	if (message->was_read || message->was_written)
		shown->carried = message->data.total || (message->was_read && message->was_written) ? RTAP_CARRIED_MIXED :
				 message->was_read ? RTAP_CARRIED_READ : RTAP_CARRIED_WRITE;
	else if (message->data.total)
		shown->carried = RTAP_CARRIED_SEND;
}

/* Whether READs or WRITEs with its key may be missing: the sender posts them right before its SEND. */
static bool may_lack_rdma(const struct rds_message *message)
{
	const struct psn_stream *stream = &message->request.connection->streams[message->request.from_a];

	if (!message->has_rdma_key)
		return false;
	if (message->lacks_rdma || (!message->was_read && !message->was_written))
		return true;
	return !message->request.connection->ddp && psn_lacks(stream, message->rdma_lost, message->rdma_begin, message->rdma_end);
}

void rds_message_conclude(struct rtap_tracker *tracker, struct rds_message *message)
{
	const struct message *send = message->request.message;
	struct rds_operation *operation = request_make_operation(tracker, &message->request);
	struct rtap_operation *shown;

	if (!operation)
		return;
	shown = &operation->head.shown;
	shown->layer = "rds";
	shown->name = name_of(message);
	shown->from_a = message->request.from_a;
	shown->request_frame = send->shown.first_frame;
	shown->time_ns = send->shown.time_ns;
	shown->time_end_ns = send->shown.time_end_ns;
	/* the SEND of an earlier fragment was completed later, by a retransmission */
	if (message->first_data_frame && message->first_data_frame < shown->request_frame) {
		shown->request_frame = message->first_data_frame;
		shown->time_ns = message->first_data_ns;
	}
	shown->wanted |= send->shown.wanted;
	if (!message->is_map) {
		*line_put_dec(operation->id, message->sequence) = '\0';
		shown->id = operation->id;
	}
	shown->one_way = message->is_map;
	/* the other end acknowledges it with its next message, perhaps never */
	if (!message->is_acked && !message->is_asked)
		shown->flags |= RTAP_OPERATION_WAITS;
	shown->has_length = true;
	shown->length = message->length;
	shown->has_repeats = true;
	shown->repeats = send->shown.repeats + message->lost.resent;
	shown->time_lost_us = send->shown.time_lost_us;
	recovery_add_time(&shown->time_lost_us, message->lost.time_us);
	show_ack(shown, message);
	show_data(operation, message);
	show_object(operation, message);
	show_values(operation, message);
	show_missing(tracker, operation, message);
	shown->complete = rds_message_is_whole(message) && (message->is_map || message->is_acked) && !may_lack_rdma(message);
	operation->head.concluded = true;
}
