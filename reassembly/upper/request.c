/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/message_settle.h"
#include "reassembly/connection.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/iwarp/ddp_half.h"
#include "reassembly/message_extent.h"
#include "reassembly/message_pair.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/time_windows.h"
#include "reassembly/upper.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"

#define MAX_OVERTAKING 32 /* most requests searched for READs and WRITEs captured before the request, or the response before them */

/* Most requests and messages examined to find one. */
#define MOST_EXAMINED 256

void request_init_all(struct requests *requests)
{
	for (int answered = 0; answered < 2; answered++)
		TAILQ_INIT(&requests->lists[answered].queue);
}

static void enter(struct request *request)
{
	struct request_list *list = &request->connection->requests.lists[request->is_answered];

	TAILQ_INSERT_TAIL(&list->queue, request, link);
	list->count++;
}

static void leave(struct request *request)
{
	struct request_list *list = &request->connection->requests.lists[request->is_answered];

	TAILQ_REMOVE(&list->queue, request, link);
	list->count--;
}

void request_begin(struct rtap_tracker *tracker, struct request *request, struct connection *connection, bool from_a)
{
	request->connection = connection;
	request->from_a = from_a;
	request->number = ++tracker->last_request;
	TAILQ_INIT(&request->claimed);
	connection_ask(tracker, connection);
	enter(request);
}

void request_seen(struct request *request, const struct message *send)
{
	request->is_seen = true;
	request->is_newest = !message_list_after(send);
	request->psn = send->low;
	request->first_frame = send->shown.first_frame;
	request->time_ns = send->shown.time_ns;
	request->unknown_responses = request->connection->requests.unknown_responses;
}

struct request *request_find(const struct connection *connection, uint64_t number)
{
	for (int i = 0; i < 2; i++) {
		struct request *request = TAILQ_LAST(&connection->requests.lists[i].queue, request_queue);

		for (unsigned examined = 0; request && examined < MOST_EXAMINED; request = TAILQ_PREV(request, request_queue, link), examined++)
			if (request->number == number)
				return request;
	}
	return NULL;
}

void request_want(const struct message *send)
{
	struct request *request = send->shown.verb == RTAP_VERB_SEND && send->request_number && !send->request ?
					  request_find(send->connection, send->request_number) : NULL;

	if (!request)
		return;
	request->data.wanted = true;
	if (request->message && request->message->operation)
		request->message->operation->shown.wanted = true;
}

void request_claim_send(struct message *send, const struct request *request)
{
	send->request_number = request->number;
	/* packets before its last one */
	if (send->shown.wanted)
		request_want(send);
}

/* The message of a request that has ended or of its response, which one side sent; NULL: it was reported. */
static struct message *find_shown(const struct connection *connection, uint64_t number, bool from_a)
{
	for (int side = 0; side < 2; side++) {
		struct message *message = TAILQ_FIRST(&connection->ddp->halves[side].unacknowledged);

		for (unsigned examined = 0; message && examined < MOST_EXAMINED; message = TAILQ_NEXT(message, link), examined++) {
			if (message->request_number != number || !message->is_upper)
				continue;
			if (message->shown.from_a == from_a)
				return message;
			if (message->partner)
				return message->partner;
		}
	}
	return NULL;
}

/* A response was retransmitted before it was acknowledged: only now is it certain that the requester has it. */
static void take_late(struct message *response, int64_t taken_ns)
{
	struct message *call = response->partner;
	struct operation *operation = call ? call->operation : NULL;

	response->taken_ns = taken_ns;
	if (!call)
		return;
	if (call->shown.kind == RTAP_KIND_RPC_CALL && call->shown.has_latency)
		call->shown.latency_ns = response->shown.latency_ns = taken_ns - call->shown.time_ns;
	if (!operation || !operation->concluded || !operation->shown.has_latency)
		return;
	operation->shown.latency_ns = taken_ns - operation->shown.time_ns;
	operation->shown.time_end_ns = taken_ns;
}

/* is_source: the message itself lost the time or had the repeats, and has counted them. */
static void add_late(struct message *message, const struct upper_loss *loss, bool is_source)
{
	struct operation *operation = message->operation;

	if (!is_source) {
		recovery_add_time(&message->shown.time_lost_us, loss->time_us);
		message->shown.lost_to |= (uint8_t)(loss->cause ? 1u << loss->cause : 0);
		recovery_add_count(&message->shown.resent, loss->repeats);
	}
	if (!operation && message->partner)
		operation = message->partner->operation;
	if (!operation || !operation->concluded)
		return;
	recovery_add_time(&operation->shown.time_lost_us, loss->time_us);
	operation->shown.repeats += loss->repeats;
}

/* The message that shows what a message of a request lost. `request`: NULL if it has ended. */
static struct message *shown_by(const struct message *message, const struct request *request, bool from_a, const struct upper_loss *loss)
{
	bool is_iwarp = message->connection->ddp;

	if (!request)
		return is_iwarp ? find_shown(message->connection, message->request_number, from_a) : NULL;
	if (from_a != request->from_a)
		return request->response_message || !loss->taken_ns ? request->response_message : request->response;
	/* A call that is sent again after its reply no longer delays it. */
	return loss->taken_ns || (!is_iwarp && loss->time_us && request->is_answered) ? NULL : request->message;
}

/*
 * A message that belongs to a request lost time or had repeats: adds that to the request, its message or that of its response, and their
 * operation. iWARP: also when the request has ended.
 */
void request_take_lost(struct rtap_tracker *tracker, const struct message *message, const struct upper_loss *loss)
{
	bool is_read = message->shown.verb == RTAP_VERB_READ, from_a = message->shown.from_a != is_read, is_iwarp = message->connection->ddp;
	/* a request or a response; a WRITE with immediate data can be one */
	bool is_send = message->shown.verb == RTAP_VERB_SEND || (message->request && (!message->region || loss->taken_ns));
	struct request *request;
	struct message *shown;

	(void)tracker;
	/* InfiniBand: a READ or WRITE has its region until it is settled or the request has ended. */
	if (!is_iwarp && !is_send && !message->region)
		return;
	request = message->region ? message->region->request : request_find(message->connection, message->request_number);
	if (request && !is_send) {
		struct request_lost *sum = is_read ? &request->read_lost : &request->write_lost;

		/* region_settle() will add them */
		if (message->region)
			return;
		recovery_add_time(&sum->time_us, loss->time_us);
		recovery_add_count(&sum->resent, loss->repeats);
		sum->to |= (uint8_t)(loss->cause ? 1u << loss->cause : 0);
		return;
	}
	if (request && !is_iwarp && from_a == request->from_a && request->is_answered)
		recovery_add_time(&request->late_us, loss->time_us);
	shown = shown_by(message, request, from_a, loss);
	if (!shown)
		return;
	if (loss->taken_ns)
		take_late(shown, loss->taken_ns);
	else
		add_late(shown, loss, shown == message);
}

void request_show_lost(struct rtap_message *shown, const struct rtap_message *send)
{
	shown->time_lost_us = send->time_lost_us;
	shown->resent = 0;
	recovery_add_count(&shown->resent, send->repeats);
	shown->lost_to = send->lost_to;
}

/* Assigns an existing READ or WRITE to the request. */
static void claim_late(struct rtap_tracker *tracker, struct message *message)
{
	region_claim(tracker, message);
	if (!message->region)
		return;
	if (message->region->is_read && message_read_is_over(message))
		region_note_arrival(tracker, message);
	if (assembly_is_whole(message))
		region_store(tracker, message);
}

/* Whether a READ or WRITE uses the request's memory. */
static bool names_memory_of(const struct request *request, const struct message *message)
{
	const struct rtap_message *shown = &message->shown;
	const struct region *region = region_at(request, shown->verb == RTAP_VERB_READ, shown->r_key, shown->virtual_address);

	return shown->has_key && region && region->begin <= shown->virtual_address;
}

/* Checks again which request a READ or WRITE belongs to. True: another one, or it is ambiguous. */
static bool changes_owner(struct rtap_tracker *tracker, struct message *message)
{
	struct region *before = message->region;
	uint64_t length = region_asked_by(message);
	bool is_other;

	before->asked -= length;
	is_other = region_find(tracker, message) != before;
	if (!is_other) {
		before->asked += length;
		return false;
	}
	region_empty(tracker, message);
	region_unclaim(message);
	claim_late(tracker, message);
	return true;
}

/* The removed data may have suppressed later copies by others: empties the regions and copies all data again. */
static void store_again(struct rtap_tracker *tracker, const struct request *request, struct message *last)
{
	struct message *message = last;

	for (int i = 0; message && i < MAX_OVERTAKING; message = message_list_before(message), i++)
		if (message->region && names_memory_of(request, message))
			region_empty(tracker, message);
	message = last;
	for (int i = 0; message && i < MAX_OVERTAKING; message = message_list_before(message), i++) {
		if (!message->region || !names_memory_of(request, message))
			continue;
		if (message->region->is_read && message_read_is_over(message))
			region_note_arrival(tracker, message);
		if (message->has_landed)
			region_store(tracker, message);
	}
}

/*
 * The capture point can reorder packets: the last requests of the responder may be about memory that became known only now,
 * or were assigned to another request with the same memory. Unassigned requests before a SEND of that side belong to another
 * request, as keys are used again. `last`: the newest one that can belong to the request or was assigned to it.
 */
static __attribute__((cold, noinline)) void claim_overtaking(struct rtap_tracker *tracker, const struct request *request,
							     struct message *last, bool in_order)
{
	struct message *message = last;
	const struct request *changed = NULL;
	bool is_before_send = false;

	for (int i = 0; message && i < MAX_OVERTAKING; message = message_list_before(message), i++) {
		bool is_after_response = request->is_answered && message->low > request->response_psn;

		if (message_may_respond(message) && message != request->response && !is_after_response) {
			if (in_order)
				return;
			is_before_send = true;
		}
		if (message->region) {
			struct request *owner = message->region->request;

			if (in_order || (request->is_seen && !names_memory_of(request, message)) || !changes_owner(tracker, message))
				continue;
			if (changed && changed != owner)
				store_again(tracker, changed, last);
			changed = owner;
			continue;
		}
		if (request->is_seen && !is_before_send && !is_after_response && request->time_ns - message->active_ns < GRACE_NS)
			claim_late(tracker, message);
	}
	if (changed)
		store_again(tracker, changed, last);
}

/* The requests on both sides of a response. If its request is unknown, those that were assigned to another request. */
static void claim_around_response(struct rtap_tracker *tracker, const struct request *request)
{
	struct message *last = request->response;

	for (int i = 0; message_list_after(last) && i < MAX_OVERTAKING / 2; i++)
		last = message_list_after(last);
	claim_overtaking(tracker, request, last, false);
}

/* The request arrived in that SEND. */
static void claim_around_request(struct rtap_tracker *tracker, const struct request *request, const struct message *send)
{
	const struct psn_stream *stream = &request->connection->streams[!request->from_a];
	bool in_order = request->connection->ddp || (!request->response && !stream->gaps.count && !message_list_after(send));

	if (request->response && !in_order)
		claim_around_response(tracker, request);
	else
		claim_overtaking(tracker, request, TAILQ_LAST(&stream->messages, message_list), in_order);
}

void request_claim_waiting(struct rtap_tracker *tracker, const struct psn_stream *stream)
{
	struct message *message;

	TAILQ_FOREACH(message, &stream->messages, link) {
		if (message->region)
			continue;
		region_claim(tracker, message);
		if (!message->region || message->shown.first_frame >= message->region->request->first_frame)
			continue;
		message->region->asked -= region_asked_by(message);
		region_unclaim(message);
	}
}

/* Decides again between several requests, because missing packets may have arrived. */
static void decide(struct rtap_tracker *tracker, struct message *message)
{
	const struct request *owner = message->region->request;
	struct message *last = message;

	if (!changes_owner(tracker, message))
		return;
	for (int i = 0; message_list_after(last) && i < MAX_OVERTAKING / 2; i++)
		last = message_list_after(last);
	store_again(tracker, owner, last);
}

void request_data_settled(struct rtap_tracker *tracker, struct message *message)
{
	const struct request *request = message->region->request;

	if (!message->connection->ddp && (request->is_contested || message->shown.first_frame < request->first_frame))
		decide(tracker, message);
	if (message->region)
		region_settle(tracker, message);
}

/* Whether the response to an unseen request can have been lost between READs and WRITEs before this request and the others. */
static bool may_be_preceded(const struct request *request)
{
	const struct psn_stream *stream = &request->connection->streams[!request->from_a];

	return request->early_psn && !request->connection->ddp && psn_lacks(stream, request->given_up[0], request->early_psn, request->begun_psn);
}

/*
 * Whether READs or WRITEs of more bytes than the responder moved for the request were assigned to it, and other requests, known or
 * not, were outstanding: some can belong to those.
 */
static bool is_overfull(const struct request *request)
{
	uint64_t asked[2] = { 0, 0 };

	if (request->connection->ddp || (!request->is_contested && request->unknown_responses == request->connection->requests.unknown_responses))
		return false;

	for (uint32_t i = 0; i < request->region_count; i++)
		asked[request->regions[i].is_read] += request->regions[i].asked;
	return asked[true] > request->read_length || (request->has_written && asked[false] > request->written);
}

void request_drop_doubtful(struct rtap_tracker *tracker, struct request *request)
{
	bool is_followed = request->in_doubt && !request->is_answered && region_may_be_followed(request);

	if (!is_followed && !may_be_preceded(request) && !is_overfull(request))
		return;
	for (uint32_t i = 0; i < request->region_count; i++) {
		struct coverage *data = &request->regions[i].data;

		request_charge(&tracker->budget, request, 0, coverage_memory(data));
		coverage_fini(data);
	}
}

void request_open(struct rtap_tracker *tracker, struct request *request, const struct message *send)
{
	region_open_all(tracker, request);
	claim_around_request(tracker, request, send);
}

void request_answered(struct request *request, struct message *send)
{
	request->response = send;
	send->request = request;
	leave(request);
	request->response_psn = send->low;
	if (request->has_regions)
		region_set_answered(request);
	request->is_answered = true;
	enter(request);
}

void request_reconsider(struct rtap_tracker *tracker, struct request *request, const struct message *send)
{
	/* The request was captured late, or data can belong to this request or to another. */
	if (!request->connection->ddp && (request->has_regions ? message_list_after(send) || request->is_contested
							       : message_list_after(send) && !request->is_seen))
		claim_around_response(tracker, request);
}

void request_operation(struct rtap_tracker *tracker, struct request *request, struct message *send, size_t size)
{
	if (!tracker->options.operation || send->operation)
		return;
	request->operation_size = size;
	request->message = send;
	send->request = request;
}

/* The bytes present in all regions, and the length of the regions, of READs or of WRITEs. */
static void request_data(const struct request *request, bool is_read, uint64_t *present, uint64_t *length)
{
	*present = *length = 0;
	for (uint32_t i = 0; i < request->region_count; i++) {
		if (request->regions[i].is_read != is_read)
			continue;
		*present += request->regions[i].data.total;
		*length += request->regions[i].end - request->regions[i].begin;
	}
}

void request_show_data(const struct request *request, struct operation *operation)
{
	const struct request_data *data = &request->data;

	operation->shown.wanted |= data->wanted;
	if (data->first_frame)
		operation_add_data(operation, data->first_frame, data->first_ns, data->last_frame, data->last_ns);
}

void *request_make_operation(struct rtap_tracker *tracker, struct request *request)
{
	struct message *send = request->message;
	struct operation *operation = send && request->operation_size ? operation_create(tracker, send, request->operation_size, NULL) : NULL;

	request->operation_size = 0;
	if (operation)
		request_show_data(request, operation);
	return operation;
}

static void add_send(struct rtap_tracker *tracker, struct operation *operation, const struct message *send, bool is_response)
{
	struct rtap_operation *shown = &operation->shown;

	enum rtap_operation_part part = is_response ? RTAP_OPERATION_PART_RESPONSE : RTAP_OPERATION_PART_REQUEST;
	struct missing_list list = { 0 };

	if (send->stream && !tracker->omits_details && !assembly_is_whole(send)) {
		message_missing_so_far(send, &list);
		tracker->counters.evictions += list.failed;
		operation_add_missing(tracker, operation, list.items, list.count, part);
		free(list.items);
	} else {
		operation_add_missing(tracker, operation, send->shown.missing, send->shown.missing_count, part);
	}
	recovery_add_time(&shown->time_lost_us, send->shown.time_lost_us);
	shown->repeats += send->shown.repeats;
	shown->wanted |= send->shown.wanted;
	if (send->shown.time_end_ns > shown->time_end_ns)
		shown->time_end_ns = send->shown.time_end_ns;
}

static int order_by_offset(const void *left, const void *right)
{
	const struct rtap_missing *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Adds the missing ranges of data that the response says, or implies, was moved: `length` bytes in all. False: none is missing. */
static bool add_missing_data(struct rtap_tracker *tracker, struct operation *operation, const struct request *request, bool is_read, uint64_t length)
{
	struct missing_list list = { .reason = RTAP_MISSING_NOT_CAPTURED };
	bool is_incomplete = false;

	for (uint32_t i = 0; i < request->region_count; i++) {
		const struct region *region = &request->regions[i];
		uint64_t expected = region->position < length ? length - region->position : 0, room = region->end - region->begin;

		if (region->is_read != is_read || !expected)
			continue;
		expected = expected < room ? expected : room;
		is_incomplete |= missing_list_has_hole(&region->data, expected);
		list.origin = 0 - region->position;
		if (!tracker->omits_details)
			missing_list_add_holes(&list, &region->data, &region->cut, 0, expected);
	}
	if (request->region_count > 1 && list.count > 1)
		qsort(list.items, list.count, sizeof *list.items, order_by_offset);
	tracker->counters.evictions += list.failed;
	operation_add_missing(tracker, operation, list.items, list.count, is_read ? RTAP_OPERATION_PART_READ : RTAP_OPERATION_PART_WRITE);
	free(list.items);
	return is_incomplete;
}

static void add_data(struct rtap_tracker *tracker, struct operation *operation, const struct request *request, bool is_read)
{
	const struct request_lost *lost = is_read ? &request->read_lost : &request->write_lost;
	struct rtap_operation *shown = &operation->shown;
	uint64_t present, named, length;

	request_data(request, is_read, &present, &named);
	length = !is_read && request->has_written ? request->written : named;
	if (request->has_moved && request->moved[is_read] < length)
		length = request->moved[is_read];
	shown->complete &= request->has_failed || present >= length;
	/* More bytes than were written can be present, and some of those written can be missing. */
	if (request->is_answered && !request->has_failed && (present < named || present < length))
		shown->complete &= !add_missing_data(tracker, operation, request, is_read, length);
	if (present)
		shown->carried = shown->carried ? RTAP_CARRIED_MIXED : is_read ? RTAP_CARRIED_READ : RTAP_CARRIED_WRITE;
	shown->data_bytes += present;
	recovery_add_time(&shown->time_lost_us, lost->time_us);
	shown->repeats += lost->resent;
}

bool request_is_whole(const struct message *send)
{
	return send->stream ? assembly_is_whole(send) : send->shown.complete;
}

void *request_conclude(struct rtap_tracker *tracker, struct request *request, struct message *response)
{
	struct message *send = request->message;
	struct operation *operation;
	struct rtap_operation *shown;

	if (!send || !request->operation_size)
		return NULL;
	region_count_claimed(request);
	operation = request_make_operation(tracker, request);
	if (!operation)
		return NULL;
	shown = &operation->shown;
	shown->from_a = request->from_a;
	shown->request_frame = send->shown.first_frame;
	shown->response_frame = response ? response->shown.first_frame : 0;
	shown->time_ns = shown->time_end_ns = send->shown.time_ns;
	add_send(tracker, operation, send, false);
	shown->time_lost_us -= request->late_us < shown->time_lost_us ? request->late_us : shown->time_lost_us;
	if (response) {
		/* The operation is reported with the numbers of both messages. */
		message_pair(send, response);
		add_send(tracker, operation, response, true);
		if (response->taken_ns > shown->time_end_ns)
			shown->time_end_ns = response->taken_ns;
		shown->latency_ns = (response->taken_ns > response->shown.time_end_ns ? response->taken_ns : response->shown.time_end_ns) - send->shown.time_ns;
		/* If they were captured in the wrong order, the latency is unknown. */
		shown->has_latency = shown->latency_ns >= 0;
	}
	shown->complete = response && request_is_whole(send) && request_is_whole(response);
	add_data(tracker, operation, request, true);
	add_data(tracker, operation, request, false);
	shown->has_data_bytes = response;
	shown->has_repeats = true;
	if (shown->last_data_frame && shown->last_data_ns > shown->time_end_ns)
		shown->time_end_ns = shown->last_data_ns;
	shown->first_data_ns -= shown->time_ns;
	shown->last_data_ns -= shown->time_ns;
	operation->concluded = true;
	return operation;
}

void request_settle_claimed(struct rtap_tracker *tracker, struct request *request)
{
	while (!TAILQ_EMPTY(&request->claimed))
		message_settle(tracker, TAILQ_FIRST(&request->claimed));
}

static void unclaim_all(struct request *request)
{
	while (!TAILQ_EMPTY(&request->claimed))
		region_unclaim(TAILQ_FIRST(&request->claimed));
}

void request_forget_memory(struct rtap_tracker *tracker, struct request *request)
{
	unclaim_all(request);
	if (request->has_regions)
		region_close_all(tracker, request);
	if (request->region_count)
		region_destroy_all(request);
	request->read_length = request->read_left = 0;
}

void request_end(struct rtap_tracker *tracker, struct request *request)
{
	struct message *messages[] = { request->response, request->message, request->response_message };

	unclaim_all(request);
	for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++)
		if (messages[i])
			message_release(tracker, messages[i]);
	request->response = request->message = request->response_message = NULL;
	if (request->has_regions)
		region_close_all(tracker, request);
	leave(request);
	budget_give(&tracker->budget, &request->entry, request->entry.bytes);
	if (request->region_count)
		region_destroy_all(request);
}

void request_move(struct rtap_tracker *tracker, struct request *request, struct connection *to, bool turned)
{
	if (request->has_regions)
		region_close_all(tracker, request);
	leave(request);
	request->connection = to;
	request->from_a ^= turned;
	enter(request);
	region_open_all(tracker, request);
}

const struct upper_memory request_memory = {
	.may_want = region_may_want, .claim = region_claim, .unclaim = region_unclaim, .data_settled = request_data_settled, .lost = request_take_lost,
};
