/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LNet over RDMA (o2iblnd): PUT_REQ, PUT_ACK, WRITEs and PUT_DONE are one operation, as are GET_REQ, WRITEs and GET_DONE; they are matched
 * by cookies. A PUT that requests an ACK forms one operation with it, an immediate GET with its REPLY: these are messages that contain the
 * handle of the request, on any connection, and a long REPLY moves as a PUT does. The other immediate messages have no response. Lustre,
 * lnet/klnds/o2iblnd/o2iblnd_cb.c, lnet/lnet/lib-move.c.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dissect/dissect.h"
#include "dissect/engine/line.h"
#include "dissect/lnet/lnet.h"
#include "reassembly/infiniband/handshake.h"
#include "reassembly/operation.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/lnet_layer.h"
#include "reassembly/upper/upper_layers.h"

#define NUMBER_TEXT 24
#define OBJECT_TEXT (LNET_NID_TEXT + NUMBER_TEXT)
#define PUT_ACK_DESCRIPTOR_AT (LNET_LENGTH + 16)
#define GET_DESCRIPTOR_AT (LNET_LENGTH + LNET_HEADER_LENGTH + LNET_COOKIE_LENGTH)

struct lnet_operation {
	struct operation head;
	char id[NUMBER_TEXT], status[NUMBER_TEXT], match[NUMBER_TEXT], object[OBJECT_TEXT];
	/* of an immediate message */
	bool has_header;
	uint8_t header[LNET_HEADER_LENGTH];
	uint8_t credits;
};

/* Key of a request that awaits an ACK or a REPLY: the requester's handle and NID, and the address of one end. The newest one with a key has it. */
struct lnet_place {
	struct lnet_request *request; /* NULL: another one has the key, or it awaits nothing */
	uint64_t hash;
	uint64_t key[6];
};

struct lnet_request {
	struct command command;
	bool is_put, has_header;
	bool is_immediate;         /* answered by an ACK or a REPLY */
	bool is_sink;              /* of a PUT_ACK: its sender is the target of the operation */
	bool awaits_ack;           /* of a PUT by RDMA that is done: it has the operation */
	bool is_acknowledged;      /* PUT by RDMA: its ACK was captured before its data was final */
	struct lnet_request *other; /* of a PUT by RDMA, the requests of the PUT_ACK and of LNet's ACK name each other; NULL: ended, or none */
	bool lacks_request;        /* whose PUT_REQ was not captured */
	bool lacks_memory;         /* some of its memory: not all descriptors were captured */
	uint64_t named;            /* bytes of the rest */
	bool has_status;
	int32_t status;
	uint32_t taken;            /* of an ACK: bytes; with `is_acknowledged` too */
	uint64_t payload;          /* of a REPLY: bytes */
	uint8_t credits;
	uint8_t header[LNET_HEADER_LENGTH]; /* also of one that awaits an ACK */
	uint64_t cookie;           /* of the PUT_REQ or GET_REQ */
	struct lnet_place places[2]; /* where it is found by the address of its requester, and of the other end */
	uint64_t answer_frame;     /* of an ACK or a REPLY that is not `response`; 0: none */
	int64_t answer_ns;
	bool answer_wanted;
};

/* State in the tracker. */
struct lnet_waiting {
	struct map map;            /* of struct lnet_place */
};

/* A whole SEND. */
struct lnet_send {
	const uint8_t *header;
	uint32_t captured;
	bool is_little;
};

static struct lnet_request *lnet_of(struct command *command)
{
	return (struct lnet_request *)command;
}

/* "10.0.0.1@o2ib/26": the target node, and the portal. */
static void show_object(struct lnet_operation *operation, const uint8_t *header)
{
	uint64_t type = little_bits(header, LNET_HEADER_TYPE);
	char *text = operation->object, *next;

	operation->head.shown.object = text;
	lnet_nid_text(little_bits(header, LNET_HEADER_DESTINATION), text);
	if (type != LNET_PUT && type != LNET_GET)
		return;
	next = line_put(text + strlen(text), "/");
	*line_put_dec(next, type == LNET_PUT ? little_bits(header, LNET_PUT_PORTAL) : little_bits(header, LNET_GET_PORTAL)) = '\0';
}

/* Adds the fields of LNet's header. */
static void show_header(struct lnet_operation *operation, const uint8_t *header)
{
	struct rtap_operation *shown = &operation->head.shown;
	uint64_t type = little_bits(header, LNET_HEADER_TYPE);

	show_object(operation, header);
	shown->has_length = true;
	shown->length = type == LNET_GET ? little_bits(header, LNET_GET_LENGTH) : little_bits(header, LNET_HEADER_PAYLOAD);
	if (type == LNET_ACK)
		operation_add_number(&operation->head, "acknowledged_bytes", little_bits(header, LNET_ACK_TAKEN));
	if (type != LNET_PUT && type != LNET_GET)
		return;
	shown->has_offset = true;
	shown->offset = type == LNET_PUT ? little_bits(header, LNET_PUT_OFFSET) : little_bits(header, LNET_GET_OFFSET);
	operation_add_number(&operation->head, "portal", type == LNET_PUT ? little_bits(header, LNET_PUT_PORTAL) : little_bits(header, LNET_GET_PORTAL));
	*line_put_hex(line_put(operation->match, "0x"), little_bits(header, LNET_MATCH_BITS), 16) = '\0';
	operation_add_text(&operation->head, "match_bits", operation->match);
}

static void show_status(struct lnet_operation *operation, const struct lnet_request *request)
{
	struct rtap_operation *shown = &operation->head.shown;

	shown->has_status = request->has_status;
	if (!request->has_status)
		return;
	shown->ok = request->status >= 0;
	if (!shown->ok)
		*line_put_dec(line_put(operation->status, "error -"), (uint64_t)-(int64_t)request->status) = '\0';
	shown->status = shown->ok ? "success" : operation->status;
}

/* "PUT", "GET"; a reply's data moves as a PUT. */
static const char *name_of(const struct lnet_request *request)
{
	const char *name = request->has_header ? lnet_header_type_name((uint32_t)little_bits(request->header, LNET_HEADER_TYPE)) : NULL;

	return name ? name : request->is_put ? "PUT" : "GET";
}

static void show_inline(struct rtap_operation *shown, uint64_t bytes)
{
	shown->has_data_bytes = shown->complete;
	shown->data_bytes = shown->complete ? bytes : 0;
	shown->carried = shown->data_bytes ? RTAP_CARRIED_INLINE : RTAP_CARRIED_NONE;
}

/* An immediate PUT or GET, and its ACK or REPLY. */
static void show_immediate(struct lnet_operation *operation, const struct lnet_request *request)
{
	struct rtap_operation *shown = &operation->head.shown;
	uint64_t sent = little_bits(request->header, LNET_HEADER_PAYLOAD);

	shown->name = "IMMEDIATE";
	operation_add_text(&operation->head, "lnet_type", request->is_put ? "PUT" : "GET");
	shown->has_status = shown->ok = request->has_status;
	if (request->has_status)
		shown->status = request->is_put ? "acknowledged" : "replied";
	if (request->has_status && request->is_put)
		operation_add_number(&operation->head, "acknowledged_bytes", request->taken);
	show_inline(shown, request->is_put ? sent : request->payload);
}

/* The answer came by another connection, or by RDMA. */
static void show_answer(struct rtap_operation *shown, const struct lnet_request *request)
{
	if (!request->answer_frame)
		return;
	shown->response_frame = request->answer_frame;
	shown->latency_ns = request->answer_ns - shown->time_ns;
	shown->has_latency = shown->latency_ns >= 0;
	shown->time_end_ns = request->answer_ns > shown->time_end_ns ? request->answer_ns : shown->time_end_ns;
	shown->complete = request_is_whole(request->command.request.message);
	shown->wanted |= request->answer_wanted;
}

static void show_acknowledged(struct operation *operation, uint32_t taken, bool is_wanted)
{
	operation->shown.status = "acknowledged";
	operation->shown.wanted |= is_wanted;
	operation_add_number(operation, "acknowledged_bytes", taken);
}

static void conclude(struct rtap_tracker *tracker, struct command *generic, const struct message *response)
{
	struct lnet_request *request = lnet_of(generic);
	struct lnet_operation *operation = (struct lnet_operation *)generic->request.message->operation;
	struct rtap_operation *shown = &operation->head.shown;

	(void)response;
	shown->layer = "lnet";
	shown->name = name_of(request);
	*line_put_hex(line_put(operation->id, "0x"), request->cookie, 1) = '\0';
	shown->id = operation->id;
	shown->from_a ^= request->is_sink;
	if (request->lacks_request) {
		shown->response_frame = shown->request_frame;
		shown->request_frame = 0;
		shown->has_latency = false;
		shown->complete = false;
	}
	show_answer(shown, request);
	show_status(operation, request);
	if (request->lacks_memory && !generic->request.has_failed) {
		const struct rtap_missing rest = { .offset = request->named, .reason = RTAP_MISSING_SNAPPED };

		shown->complete = false;
		operation_add_missing(tracker, &operation->head, &rest, 1, RTAP_OPERATION_PART_WRITE);
	}
	if (request->has_header)
		show_header(operation, request->header);
	if (request->is_immediate)
		show_immediate(operation, request);
	if (request->credits)
		operation_add_number(&operation->head, "credits", request->credits);
	if (request->is_acknowledged)
		show_acknowledged(&operation->head, request->taken, request->answer_wanted);
}

static struct lnet_waiting *waiting_of(const struct rtap_tracker *tracker)
{
	return tracker->upper_states[UPPER_lnet];
}

static void leave_place(struct rtap_tracker *tracker, struct lnet_place *place)
{
	if (place->request)
		map_remove(&waiting_of(tracker)->map, place->hash, place);
	place->request = NULL;
}

static void release(struct rtap_tracker *tracker, struct command *generic)
{
	struct lnet_request *request = lnet_of(generic);

	for (unsigned i = 0; i < 2; i++)
		leave_place(tracker, &request->places[i]);
	if (request->other)
		request->other->other = NULL;
}

static void answered(struct command *to, const struct command *from)
{
	const struct lnet_request *alone = (const struct lnet_request *)from;
	struct lnet_request *request = lnet_of(to);

	request->has_status = alone->has_status;
	request->status = alone->status;
	to->request.has_moved = from->request.has_moved;
	to->request.moved[false] = from->request.moved[false];
}

static const struct command_layer commands = {
	.size = sizeof(struct lnet_request), .state_size = sizeof(struct commands), .conclude = conclude, .answered = answered, .release = release,
};

static void conclude_immediate(struct rtap_tracker *tracker, struct message *send)
{
	struct lnet_operation *operation = (struct lnet_operation *)send->operation;
	struct rtap_operation *shown = &operation->head.shown;

	shown->layer = "lnet";
	shown->name = "IMMEDIATE";
	shown->one_way = true;
	shown->from_a = send->shown.from_a;
	shown->request_frame = send->shown.first_frame;
	shown->time_ns = send->shown.time_ns;
	shown->time_end_ns = send->shown.time_end_ns;
	shown->wanted |= send->shown.wanted;
	shown->has_repeats = true;
	shown->repeats = send->shown.repeats;
	shown->time_lost_us = send->shown.time_lost_us;
	shown->complete = send->shown.complete;
	operation_add_missing(tracker, &operation->head, send->shown.missing, send->shown.missing_count, RTAP_OPERATION_PART_REQUEST);
	if (operation->has_header) {
		uint32_t type = (uint32_t)little_bits(operation->header, LNET_HEADER_TYPE);
		const char *name = lnet_header_type_name(type);

		show_header(operation, operation->header);
		if (name)
			operation_add_text(&operation->head, "lnet_type", name);
		if (type == LNET_PUT || type == LNET_REPLY)
			show_inline(shown, little_bits(operation->header, LNET_HEADER_PAYLOAD));
	}
	if (operation->credits)
		operation_add_number(&operation->head, "credits", operation->credits);
	operation->head.concluded = true;
}

/* Handles are counters, as cookies are: the first bit distinguishes them. */
static uint64_t handle_of(const uint8_t *header)
{
	uint64_t interface = little_bits(header, LNET_HANDLE_INTERFACE);

	return (little_bits(header, LNET_HANDLE_OBJECT) ^ interface << 32 ^ interface >> 32) | UINT64_C(1) << 63;
}

/* Whether an ACK or a REPLY is awaited by the request: that of a PUT whose operation has been reported is not. */
static bool is_asking(const struct lnet_request *request, uint64_t type)
{
	bool has_operation = request->other || request->command.request.message;

	return (request->is_immediate || (request->awaits_ack && has_operation)) && request->is_put == (type == LNET_ACK) &&
	       request->command.request.is_seen && !request->command.request.is_answered;
}

/* The place of the request with this header, whose requester has the NID, at one end of a connection. */
static struct lnet_place place_of(const uint8_t *header, uint64_t nid, const struct connection *connection, bool is_a, bool is_requester)
{
	const struct rtap_end *end = is_a ? &connection->shown.a : &connection->shown.b;
	struct lnet_place place = { .key = { little_bits(header, LNET_HANDLE_INTERFACE), little_bits(header, LNET_HANDLE_OBJECT), nid, is_requester } };
	uint8_t address[16] = { 0 };

	memcpy(address, end->address, end->address_length <= 16 ? end->address_length : 16);
	place.key[4] = load64(address);
	place.key[5] = load64(address + 8);
	place.hash = map_hash(place.key, 6);
	return place;
}

static bool is_place(const void *value, const void *wanted)
{
	return !memcmp(((const struct lnet_place *)value)->key, ((const struct lnet_place *)wanted)->key, sizeof ((struct lnet_place *)0)->key);
}

/* Its answer can come by any connection that shares an end with this one: a router's other side has a request of its own. */
static void await(struct rtap_tracker *tracker, struct lnet_request *request)
{
	const struct request *base = &request->command.request;
	struct map *map = &waiting_of(tracker)->map;

	for (unsigned i = 0; i < 2; i++) {
		struct lnet_place *place = &request->places[i], *older;

		*place = place_of(request->header, little_bits(request->header, LNET_HEADER_SOURCE), base->connection, i ? !base->from_a : base->from_a, !i);
		older = map_find(map, place->hash, is_place, place);
		if (older)
			leave_place(tracker, older);
		if (map_add(map, place->hash, place))
			place->request = request;
		else
			tracker->counters.evictions++;
	}
}

/* The request that awaits the ACK or REPLY in this SEND. NULL: unknown. */
static struct lnet_request *find_asking(const struct upper_work *work, const uint8_t *header)
{
	uint64_t type = little_bits(header, LNET_HEADER_TYPE), nid = little_bits(header, LNET_HEADER_DESTINATION);

	for (unsigned i = 0; i < 2 && (type == LNET_ACK || type == LNET_REPLY); i++) {
		const struct lnet_place wanted = place_of(header, nid, work->connection, i ? work->from_a : !work->from_a, !i);
		const struct lnet_place *place = map_find(&waiting_of(work->tracker)->map, wanted.hash, is_place, &wanted);

		if (place && is_asking(place->request, type))
			return place->request;
	}
	return NULL;
}

static bool wants_answer(const uint8_t *header)
{
	uint64_t type = little_bits(header, LNET_HEADER_TYPE);

	return type == LNET_GET ||
	       (type == LNET_PUT && (little_bits(header, LNET_HANDLE_INTERFACE) & little_bits(header, LNET_HANDLE_OBJECT)) != UINT64_MAX);
}

/* An immediate message that an ACK or a REPLY answers. */
static void take_asking(struct upper_work *work, const struct lnet_send *send, const uint8_t *header)
{
	struct lnet_request *request = (struct lnet_request *)command_begin(work, handle_of(header));

	if (!request)
		return;
	request->is_immediate = request->has_header = true;
	request->is_put = little_bits(header, LNET_HEADER_TYPE) == LNET_PUT;
	request->cookie = little_bits(header, LNET_HANDLE_OBJECT);
	request->credits = send->header[LNET_CREDITS_AT];
	memcpy(request->header, header, LNET_HEADER_LENGTH);
	await(work->tracker, request);
	request_operation(work->tracker, &request->command.request, work->message, sizeof(struct lnet_operation));
}

/* The sender of a PUT_DONE awaits an ACK, if its PUT_REQ requested one and has an operation. */
static void await_ack(struct upper_work *work, struct lnet_request *sink)
{
	uint64_t number = work->message->request_number;
	struct lnet_request *request;

	if (!sink->command.request.message || !sink->has_header || sink->status < 0 || !wants_answer(sink->header))
		return;
	request = (struct lnet_request *)command_begin(work, handle_of(sink->header));
	if (!request)
		return;
	work->message->request_number = number;
	request->awaits_ack = request->is_put = request->command.request.only_confirmed = true;
	request->other = sink;
	sink->other = request;
	memcpy(request->header, sink->header, LNET_HEADER_LENGTH);
	await(work->tracker, request);
}

/* An ACK of a PUT by RDMA adds to its operation, which is made when the data is final. */
static void acknowledge(struct lnet_request *request, const struct message *ack)
{
	struct lnet_request *sink = request->other;
	const struct message *send = request->command.request.message;

	if (sink) {
		sink->is_acknowledged = true;
		sink->taken = request->taken;
		sink->answer_wanted = ack->shown.wanted;
		request->other = sink->other = NULL;
	} else if (send && send->operation) {
		show_acknowledged(send->operation, request->taken, ack->shown.wanted);
	}
}

/* A request has ended; the operation of a PUT by RDMA is kept for its ACK. */
static void response_settled(struct rtap_tracker *tracker, struct message *message)
{
	struct lnet_request *request = lnet_of((struct command *)message->request);

	if (request->awaits_ack) {
		acknowledge(request, message);
	} else if (request->other) {
		request_drop_doubtful(tracker, &request->command.request);
		command_detach(message);
		command_pass(tracker, &request->command, &request->other->command);
		return;
	}
	command_settled(tracker, message);
}

/* An ACK or a REPLY of a message that was captured before it. False: it is neither. */
static bool take_answer(struct upper_work *work, const uint8_t *header)
{
	uint64_t type = little_bits(header, LNET_HEADER_TYPE);
	const struct lnet_request *asking = (const struct lnet_request *)command_find(work->connection, !work->from_a, handle_of(header));
	struct lnet_request *request;

	if ((type != LNET_ACK && type != LNET_REPLY) || !asking || !is_asking(asking, type))
		return false;
	request = (struct lnet_request *)command_answered(work, handle_of(header));
	if (!request)
		return true;
	request->has_status = true;
	request->taken = type == LNET_ACK ? (uint32_t)little_bits(header, LNET_ACK_TAKEN) : 0;
	request->payload = little_bits(header, LNET_HEADER_PAYLOAD);
	return true;
}

/* The same of a message that was captured on another connection, or (`is_by_rdma`) whose REPLY moves as a PUT does. False: it is neither. */
static bool take_other_answer(struct upper_work *work, const uint8_t *header, bool is_by_rdma)
{
	const struct rtap_message *shown = &work->message->shown;
	uint64_t type = little_bits(header, LNET_HEADER_TYPE);
	struct lnet_request *request = find_asking(work, header);

	if (!request)
		return false;
	request->has_status = true;
	request->taken = type == LNET_ACK ? (uint32_t)little_bits(header, LNET_ACK_TAKEN) : 0;
	request->payload = is_by_rdma ? 0 : little_bits(header, LNET_HEADER_PAYLOAD);
	request->answer_frame = shown->first_frame;
	request->answer_ns = shown->time_end_ns;
	request->answer_wanted = shown->wanted;
	if (request->awaits_ack)
		acknowledge(request, work->message);
	request->command.request.entry.give_up(&request->command.request.entry, work->tracker);
	return true;
}

static void take_immediate(struct upper_work *work, const struct lnet_send *send)
{
	const uint8_t *header = send->captured >= LNET_LENGTH + LNET_HEADER_LENGTH ? send->header + LNET_LENGTH : NULL;
	struct lnet_operation *operation;

	if (header && wants_answer(header)) {
		take_asking(work, send, header);
		return;
	}
	if ((header && (take_answer(work, header) || take_other_answer(work, header, false))) || !work->tracker->options.operation)
		return;
	operation = operation_create(work->tracker, work->message, sizeof *operation, conclude_immediate);
	if (!operation)
		return;
	operation->credits = send->header[LNET_CREDITS_AT];
	operation->has_header = header;
	if (header)
		memcpy(operation->header, header, LNET_HEADER_LENGTH);
}

/* Sets the memory of the descriptor at `at`, which WRITEs fill. */
static void name_memory(struct upper_work *work, struct lnet_request *request, const struct lnet_send *send, uint32_t at)
{
	struct region_name names[LNET_MOST_FRAGMENTS];
	const uint8_t *descriptor = send->header + at;
	uint32_t key, count = 0;
	uint64_t listed;

	request->lacks_memory = send->captured < at + LNET_DESCRIPTOR_LENGTH;
	if (request->lacks_memory)
		return;
	key = (uint32_t)lnet_bits(send->is_little, descriptor, 0, 32);
	listed = lnet_bits(send->is_little, descriptor, 32, 32);
	at += LNET_DESCRIPTOR_LENGTH;
	for (; count < listed && count < LNET_MOST_FRAGMENTS && at + LNET_FRAGMENT_LENGTH <= send->captured; at += LNET_FRAGMENT_LENGTH) {
		const uint8_t *fragment = send->header + at;
		uint64_t length = lnet_bits(send->is_little, fragment, 0, 32), address = lnet_bits(send->is_little, fragment, 32, 64);

		if (length && address + length > address)
			names[count] = (struct region_name){ .begin = address, .end = address + length, .key = key, .number = count };
		else
			break;
		count++;
		request->named += length;
	}
	request->lacks_memory = count < listed && at + LNET_FRAGMENT_LENGTH > send->captured;
	if (command_name(work, &request->command, names, count) && count)
		request_open(work->tracker, &request->command.request, work->message);
}

static void take_request(struct upper_work *work, const struct lnet_send *send, bool is_put)
{
	struct lnet_request *request;
	uint64_t cookie;

	if (send->captured < GET_DESCRIPTOR_AT)
		return;
	cookie = little_bits(send->header + LNET_LENGTH + LNET_HEADER_LENGTH, 0, 64);
	request = (struct lnet_request *)command_begin(work, cookie);
	if (!request)
		return;
	request->is_put = is_put;
	request->cookie = cookie;
	request->credits = send->header[LNET_CREDITS_AT];
	request->has_header = true;
	memcpy(request->header, send->header + LNET_LENGTH, LNET_HEADER_LENGTH);
	request_operation(work->tracker, &request->command.request, work->message, sizeof(struct lnet_operation));
	if (!is_put)
		name_memory(work, request, send, GET_DESCRIPTOR_AT);
	else
		take_other_answer(work, request->header, true);
}

/* The target of a PUT offers memory: the operation is that of the PUT_REQ, and ends with the PUT_DONE. */
static void take_put_ack(struct upper_work *work, const struct lnet_send *send)
{
	struct lnet_request *sink, *request;
	uint64_t cookie;

	if (send->captured < PUT_ACK_DESCRIPTOR_AT)
		return;
	cookie = little_bits(send->header + LNET_LENGTH, 0, 64);
	sink = (struct lnet_request *)command_begin(work, little_bits(send->header + LNET_LENGTH, 64, 64));
	if (!sink)
		return;
	sink->is_put = sink->is_sink = true;
	sink->cookie = cookie;
	request = (struct lnet_request *)command_find(work->connection, !work->from_a, cookie);
	sink->lacks_request = !request || !request->is_put || request->is_sink || !request->command.request.is_seen;
	if (sink->lacks_request) {
		request_operation(work->tracker, &sink->command.request, work->message, sizeof(struct lnet_operation));
	} else {
		sink->has_header = request->has_header;
		sink->credits = request->credits;
		memcpy(sink->header, request->header, LNET_HEADER_LENGTH);
		command_pass(work->tracker, &request->command, &sink->command);
		request_claim_send(work->message, &sink->command.request);
	}
	name_memory(work, sink, send, PUT_ACK_DESCRIPTOR_AT);
}

/* A completion whose request was not captured. */
static void show_alone(struct upper_work *work, const struct lnet_request *request)
{
	struct lnet_operation *operation = command_operation_alone(work, sizeof *operation);
	struct rtap_operation *shown;

	if (!operation)
		return;
	shown = &operation->head.shown;
	shown->layer = "lnet";
	shown->name = request->is_put ? "PUT" : "GET";
	*line_put_hex(line_put(operation->id, "0x"), request->cookie, 1) = '\0';
	shown->id = operation->id;
	show_status(operation, request);
	shown->from_a = work->from_a == request->is_sink;
}

static void take_completion(struct upper_work *work, const struct lnet_send *send, uint8_t type)
{
	struct lnet_request *request;
	uint64_t cookie;

	if (send->captured < LNET_LENGTH + 12)
		return;
	cookie = little_bits(send->header + LNET_LENGTH, 0, 64);
	request = (struct lnet_request *)command_answered(work, cookie);
	if (!request)
		return;
	request->has_status = true;
	request->status = (int32_t)lnet_bits(send->is_little, send->header + LNET_LENGTH, 64, 32);
	request->command.request.has_failed = request->status < 0;
	/* bytes: a reply can be shorter than the memory for it */
	if (type == LNET_GET_DONE && request->status >= 0) {
		request->command.request.has_moved = true;
		request->command.request.moved[false] = (uint64_t)request->status;
	}
	if (request->command.request.is_seen) {
		if (request->is_sink)
			await_ack(work, request);
		return;
	}
	request->cookie = cookie;
	request->is_put = type != LNET_GET_DONE;
	request->is_sink = type == LNET_PUT_DONE;
	show_alone(work, request);
}

static bool read_send(const struct rtap_packet *packet, struct lnet_send *send)
{
	const struct rtap_layer *layer = packet->layers, *end = packet->layers + packet->layer_count;

	while (layer < end && layer->protocol != PROTOCOL_LNET && layer->protocol != PROTOCOL_LNET_BE)
		layer++;
	if (layer == end || layer->length < LNET_LENGTH)
		return false;
	send->header = layer_bytes(packet, layer);
	send->is_little = layer->protocol == PROTOCOL_LNET;
	send->captured = layer_rest(packet, layer).captured;
	return true;
}

static bool take_packet(struct upper_work *work)
{
	struct lnet_send send;
	uint8_t type;

	if (work->message && work->message->region) {
		region_take_data(work->tracker, work->message, work->result);
		return true;
	}
	if ((work->packet->upper != RTAP_UPPER_LNET && !work->is_known) || (work->message && work->message->shown.verb != RTAP_VERB_SEND))
		return false;
	if (!command_state_make(work->tracker, work->connection, &commands))
		return false;
	if (work->packet->upper != RTAP_UPPER_LNET || work->keep) {
		work->context->upper = RTAP_UPPER_LNET;
		work->dissect(work);
	}
	if (!upper_is_new(work) || !read_send(work->packet, &send))
		return true;
	type = send.header[LNET_TYPE_AT];
	work->message->is_no_response = type != LNET_PUT_NAK && type != LNET_PUT_DONE && type != LNET_GET_DONE;
	switch (type) {
	case LNET_IMMEDIATE: take_immediate(work, &send); break;
	case LNET_PUT_REQ: take_request(work, &send, true); break;
	case LNET_GET_REQ: take_request(work, &send, false); break;
	case LNET_PUT_ACK: take_put_ack(work, &send); break;
	case LNET_PUT_NAK: case LNET_PUT_DONE: case LNET_GET_DONE: take_completion(work, &send, type); break;
	default: break;
	}
	return true;
}

static bool is_set_up(const struct connection *connection)
{
	return handshake_consumer_of(connection) == RTAP_CM_CONSUMER_LNET;
}

static bool init(struct rtap_tracker *tracker)
{
	tracker->upper_states[UPPER_lnet] = memory_new_zeroed(1, sizeof(struct lnet_waiting));
	return waiting_of(tracker);
}

static void fini(struct rtap_tracker *tracker)
{
	if (waiting_of(tracker))
		map_fini(&waiting_of(tracker)->map);
	free(waiting_of(tracker));
	tracker->upper_states[UPPER_lnet] = NULL;
}

const struct upper_layer lnet_layer = {
	.name = "lnet",
	.init = init,
	.carried = RTAP_UPPER_LNET,
	.is_set_up = is_set_up,
	.packet = take_packet,
	.memory = &request_memory,
	.response_settled = response_settled,
	.detach = command_detach,
	.merged = command_merged,
	.end = command_end,
	.over = command_over,
	.fini = fini,
};
