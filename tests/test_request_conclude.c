/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What request_conclude() reports of an operation, for requests drawn at random, against a model of bytes: the data of a request is one
 * array for its READs and one for its WRITEs, in the order in which it names memory. A byte was captured, truncated or never seen.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rdmatap/tracker.h>

#include "reassembly/connection_lifecycle.h"
#include "reassembly/message_queue.h"
#include "reassembly/operation.h"
#include "reassembly/state.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"

#define ROUNDS 30000
#define MOST_RANGES 4
#define MOST_BYTES 200 /* of READs, of WRITEs */
#define ROOM 40        /* of addresses for each range */

enum seen { ABSENT, PRESENT, SNAPPED };

static struct rtap_tracker *tracker;
static struct connection *connection;
static uint32_t chance = 1;
static unsigned incomplete, complete, shorter;

static uint32_t below(uint32_t limit)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % limit;
}

static void ignore(void *owner, const struct rtap_operation *operation)
{
	(void)owner;
	(void)operation;
}

static void begin(void)
{
	const struct rtap_tracker_options options = { .size = sizeof options, .operation = ignore };

	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	connection = connection_create(tracker, 1, 0);
	cr_assert_not_null(connection);
}

static void finish(void)
{
	rtap_tracker_close(tracker);
}

TestSuite(request_conclude, .init = begin, .fini = finish, .timeout = HANG_SECONDS);

/* The data of one kind, in the order of the request. */
struct data {
	enum seen seen[MOST_BYTES];
	uint64_t length;
};

struct model {
	struct request request;
	struct region_name names[MOST_RANGES];
	unsigned count;
	struct data data[2];     /* of WRITEs, of READs */
	struct message *send, *response;
	struct rtap_missing send_missing, response_missing;
};

/* Ranges of memory that do not overlap, in any order of keys and addresses. */
static void name_memory(struct model *model)
{
	uint32_t places[MOST_RANGES] = { 0, 1, 2, 3 };

	model->count = below(MOST_RANGES + 1);
	for (unsigned i = 0; i < model->count; i++) {
		uint32_t other = i + below(MOST_RANGES - i), place = places[other], from = below(2) ? 0 : below(ROOM - 1);
		uint32_t length = below(3) ? ROOM - from : 1 + below(ROOM - from);

		places[other] = places[i];
		model->names[i] = (struct region_name){ .begin = 0x1000 + place % 2 * ROOM + from, .end = 0x1000 + place % 2 * ROOM + from + length,
							.key = 7 + place / 2, .number = i, .is_read = below(3) == 0 };
		model->data[model->names[i].is_read].length += length;
	}
	cr_assert(region_create_all(tracker, &model->request, model->names, model->count));
}

/* Where the data of a name begins in the model. */
static uint64_t position_of(const struct model *model, const struct region_name *name)
{
	uint64_t position = 0;

	for (unsigned i = 0; i < model->count; i++)
		if (model->names[i].number < name->number && model->names[i].is_read == name->is_read)
			position += model->names[i].end - model->names[i].begin;
	return position;
}

static void move_bytes(struct model *model)
{
	const struct region_name *name = &model->names[below(model->count)];
	uint64_t length = name->end - name->begin, from = below(2) ? 0 : below((uint32_t)length),
		 count = below(2) ? length - from : below((uint32_t)(length - from) + 1);
	bool is_truncated = below(4) == 0;
	uint64_t at = name->begin + from - name->region->begin, fresh;

	if (!count)
		return;
	cr_assert(coverage_add(is_truncated ? &name->region->cut : &name->region->data, at, NULL, count, 0, COVERAGE_ONLY, &fresh));
	for (uint64_t i = position_of(model, name) + from; i < position_of(model, name) + from + count; i++) {
		enum seen *seen = &model->data[name->is_read].seen[i];

		*seen = is_truncated && *seen != PRESENT ? SNAPPED : PRESENT;
	}
}

static struct message *make_send(uint64_t frame, struct rtap_missing *missing)
{
	struct message *send = message_create(tracker, connection, frame, 1000 + below(1000));

	cr_assert_not_null(send);
	send->shown.time_end_ns = send->shown.time_ns + below(500);
	send->shown.complete = below(4) != 0;
	send->shown.time_lost_us = below(3) ? below(100) : UINT32_MAX - below(100);
	send->shown.repeats = below(4);
	send->shown.wanted = below(2);
	*missing = (struct rtap_missing){ below(1000), 1 + below(1000), true, RTAP_MISSING_SNAPPED };
	if (!send->shown.complete) {
		send->shown.missing = missing;
		send->shown.missing_count = 1;
	}
	return send;
}

static void expect_range(const struct rtap_operation *shown, uint32_t *at, enum rtap_operation_part part, struct rtap_missing range)
{
	const struct rtap_operation_missing *found = &shown->missing[*at];

	cr_assert_lt(*at, shown->missing_count);
	cr_assert_eq(found->part, part);
	cr_assert_eq(found->range.offset, range.offset, "%" PRIu64 ", not %" PRIu64, found->range.offset, range.offset);
	cr_assert_eq(found->range.length, range.length, "%" PRIu64 ", not %" PRIu64, found->range.length, range.length);
	cr_assert_eq(found->range.reason, range.reason);
	++*at;
}

/* The missing ranges of a part have each byte that was not captured once, in order, with its reason. Returns whether none is missing. */
static bool expect_data(const struct model *model, bool is_read, uint64_t length, const struct rtap_operation *shown, uint32_t *at, bool listed)
{
	const uint8_t part = is_read ? RTAP_OPERATION_PART_READ : RTAP_OPERATION_PART_WRITE;
	const struct data *data = &model->data[is_read];
	uint64_t next = 0, missing = 0, found = 0;

	for (uint64_t i = 0; i < length; i++)
		missing += data->seen[i] != PRESENT;
	for (; *at < shown->missing_count && shown->missing[*at].part == part; ++*at) {
		const struct rtap_missing *range = &shown->missing[*at].range;

		cr_assert(range->length && range->length_known && range->offset >= next && range->offset + range->length <= length);
		next = range->offset + range->length;
		found += range->length;
		for (uint64_t i = range->offset; i < next; i++)
			cr_assert_eq(range->reason, data->seen[i] == SNAPPED ? RTAP_MISSING_SNAPPED : RTAP_MISSING_NOT_CAPTURED);
	}
	cr_assert_eq(found, listed ? missing : 0, "%" PRIu64 " of %" PRIu64 " missing bytes", found, missing);
	return !missing;
}

static uint64_t captured(const struct data *data)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < data->length; i++)
		sum += data->seen[i] == PRESENT;
	return sum;
}

static uint32_t sum_of_times(const struct model *model)
{
	uint64_t sum = (uint64_t)model->send->shown.time_lost_us + (model->response ? model->response->shown.time_lost_us : 0) +
		       model->request.read_lost.time_us + model->request.write_lost.time_us;

	return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

static void expect(const struct model *model, const struct rtap_operation *shown, int64_t last_data_ns)
{
	const struct rtap_message *send = &model->send->shown, *response = model->response ? &model->response->shown : NULL;
	const struct request *request = &model->request;
	uint64_t reads = captured(&model->data[true]), writes = captured(&model->data[false]);
	uint64_t written = request->has_written ? request->written : model->data[false].length;
	int64_t end = send->time_end_ns > last_data_ns ? send->time_end_ns : last_data_ns;
	bool is_complete = response && send->complete && response->complete, listed = response && !request->has_failed;
	uint32_t at = 0;

	cr_assert_eq(shown->from_a, request->from_a);
	cr_assert_eq(shown->request_frame, send->first_frame);
	cr_assert_eq(shown->response_frame, response ? response->first_frame : 0);
	cr_assert_eq(shown->time_ns, send->time_ns);
	cr_assert_eq(shown->has_latency, response && response->time_end_ns >= send->time_ns);
	cr_assert(!shown->has_latency || shown->latency_ns == response->time_end_ns - send->time_ns);
	cr_assert_eq(shown->time_end_ns, response && response->time_end_ns > end ? response->time_end_ns : end);
	cr_assert(!last_data_ns || shown->last_data_ns == last_data_ns - send->time_ns);
	cr_assert(!last_data_ns || shown->first_data_ns == last_data_ns - 1 - send->time_ns);
	cr_assert_eq(shown->wanted, send->wanted || (response && response->wanted));
	cr_assert_eq(shown->time_lost_us, sum_of_times(model));
	cr_assert_eq(shown->repeats, send->repeats + (response ? response->repeats : 0) + request->read_lost.resent + request->write_lost.resent);
	cr_assert(shown->has_repeats && shown->has_data_bytes == (response != NULL));
	cr_assert_eq(shown->data_bytes, reads + writes);
	cr_assert_eq(shown->carried, reads && writes ? RTAP_CARRIED_MIXED : reads ? RTAP_CARRIED_READ : writes ? RTAP_CARRIED_WRITE : RTAP_CARRIED_NONE);
	if (!send->complete)
		expect_range(shown, &at, RTAP_OPERATION_PART_REQUEST, model->send_missing);
	if (response && !response->complete)
		expect_range(shown, &at, RTAP_OPERATION_PART_RESPONSE, model->response_missing);
	is_complete &= expect_data(model, true, model->data[true].length, shown, &at, listed) || request->has_failed;
	is_complete &= expect_data(model, false, written, shown, &at, listed) || request->has_failed;
	cr_assert_eq(shown->missing_count, at);
	cr_assert_eq(shown->complete, is_complete);
	complete += is_complete;
	incomplete += at != 0;
	shorter += request->has_written && written < model->data[false].length;
}

/* Returns the time of the last data. */
static int64_t begin_request(struct model *model)
{
	int64_t last_data_ns = below(2) ? 1000 + below(2500) : 0;

	request_begin(tracker, &model->request, connection, below(2));
	model->send = make_send(1 + below(100), &model->send_missing);
	request_seen(&model->request, model->send);
	request_operation(tracker, &model->request, model->send, sizeof(struct operation));
	if (last_data_ns)
		operation_note_data(&model->request.data, 150, last_data_ns - 1, 160, last_data_ns);
	name_memory(model);
	for (unsigned i = below(8); model->count && i--;)
		move_bytes(model);
	model->request.read_lost = (struct request_lost){ .time_us = below(100), .resent = (uint16_t)below(3) };
	model->request.write_lost = (struct request_lost){ .time_us = below(100), .resent = (uint16_t)below(3) };
	return last_data_ns;
}

static void answer(struct model *model)
{
	struct request *request = &model->request;

	model->response = make_send(200 + below(100), &model->response_missing);
	request_answered(request, model->response);
	request->has_failed = below(6) == 0;
	request->has_written = below(2);
	request->written = below(2) ? model->data[false].length : below((uint32_t)model->data[false].length + 1);
}

static void expect_ended(const struct model *model)
{
	cr_assert_null(model->send->request);
	cr_assert(!model->response || (!model->response->request && model->response->is_response));
	cr_assert_eq(model->send->partner, model->response);
	cr_assert(!model->response || model->response->partner == model->send);
	cr_assert_eq(model->request.region_count, 0);
	for (int answered = 0; answered < 2; answered++)
		cr_assert(TAILQ_EMPTY(&connection->requests.lists[answered].queue) && !connection->requests.lists[answered].count);
}

Test(request_conclude, any_data_and_answer_are_reported_as_a_model_of_bytes_says)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		static struct model model;
		struct rtap_operation *shown, before;
		int64_t last_data_ns;

		model = (struct model){ .request.entry = { .owner = tracker } };
		last_data_ns = begin_request(&model);
		if (below(5))
			answer(&model);
		cr_assert_eq(request_conclude(tracker, &model.request, model.response), model.send->operation);
		shown = &model.send->operation->shown;
		expect(&model, shown, last_data_ns);
		/* once */
		before = *shown;
		cr_assert_null(request_conclude(tracker, &model.request, model.response));
		cr_assert_eq(memcmp(&before, shown, sizeof before), 0);
		request_end(tracker, &model.request);
		region_free_room(&model.request);
		expect_ended(&model);
		model.send->shown.missing = NULL;
		message_drop(tracker, model.send);
		if (model.response) {
			model.response->shown.missing = NULL;
			message_drop(tracker, model.response);
		}
	}
	cr_expect_gt(complete, ROUNDS / 10);
	cr_expect_gt(incomplete, ROUNDS / 4);
	cr_expect_gt(shorter, ROUNDS / 10);
}
