/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "reassembly/message_settle.h"
#include "reassembly/connection.h"
#include "reassembly/infiniband/assembly.h"
#include "reassembly/infiniband/psn.h"
#include "reassembly/infiniband/recovery.h"
#include "reassembly/message_pair.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/upper/claim.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"

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
	request->psn = send->low;
	request->first_frame = send->shown.first_frame;
	request->time_ns = send->shown.time_ns;
	request->unknown_responses = request->connection->requests.unknown_responses;
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

void request_data(const struct request *request, bool is_read, uint64_t *present, uint64_t *length)
{
	*present = *length = 0;
	for (uint32_t i = 0; i < request->region_count; i++) {
		if (request->regions[i].is_read != is_read)
			continue;
		*present += request->regions[i].data.total;
		*length += request->regions[i].end - request->regions[i].begin;
	}
}
