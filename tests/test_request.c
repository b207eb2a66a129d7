/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A minimal upper layer, "echo", for this test. A request names memory, WRITEs fill it, READs read it, a response ends
 * it. Only the packets below say what has to be reported.
 *
 * Request:  "ECHQ", id 4, key to be written 4, address 8, length 4, key to be read 4, address 8, length 4 (big endian)
 * Response: "ECHA", id 4, status 4, bytes written 4
 */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <rdmatap/tracker.h>

#include "base/memory.h"
#include "reassembly/operation.h"
#include "reassembly/upper.h"
#include "reassembly/upper/region.h"
#include "reassembly/upper/request.h"
#include "reassembly/upper/upper_layers.h"
#include "tests/roce_kit.h"

#define REQUEST_LENGTH 40
#define RESPONSE_LENGTH 16
#define MILLISECOND INT64_C(1000000)
#define MOST 16
#define MOST_MISSING 4
#define TEXT 16

/* The layer. */

struct echo {
	struct request request;
	struct rtap_tracker *tracker;
	uint32_t id, status;
};

struct echo_operation {
	struct operation head;
	char id[TEXT], status[TEXT];
};

static unsigned live_requests;

static void conclude(struct echo *echo, struct message *response)
{
	struct echo_operation *operation;
	struct rtap_operation *shown;

	request_drop_doubtful(echo->tracker, &echo->request);
	operation = request_conclude(echo->tracker, &echo->request, response);
	if (operation) {
		shown = &operation->head.shown;
		shown->layer = "echo";
		shown->name = "Echo";
		snprintf(operation->id, TEXT, "%" PRIu32, echo->id);
		shown->id = operation->id;
		shown->has_status = response;
		shown->ok = response && !echo->status;
		snprintf(operation->status, TEXT, "%" PRIu32, echo->status);
		shown->status = response ? operation->status : NULL;
		operation_add_number(&operation->head, "echo_id", echo->id);
	}
	request_end(echo->tracker, &echo->request);
	region_free_room(&echo->request);
	free(echo);
	live_requests--;
}

static void give_up(struct budget_entry *entry, void *owner)
{
	(void)owner;
	conclude((struct echo *)((char *)entry - offsetof(struct echo, request.entry)), NULL);
}

static uint32_t read32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint64_t read64(const uint8_t *bytes)
{
	return (uint64_t)read32(bytes) << 32 | read32(bytes + 4);
}

static bool begin_request(struct upper_work *work, const uint8_t *bytes)
{
	struct rtap_tracker *its = work->tracker;
	struct echo *echo = memory_new_zeroed(1, sizeof *echo);
	struct region_name names[2];
	uint32_t count = 0;

	if (!echo)
		return false;
	live_requests++;
	echo->tracker = its;
	echo->id = read32(bytes + 4);
	echo->request.entry = (struct budget_entry){ .evict = give_up, .give_up = give_up, .owner = its };
	budget_charge(&its->budget, &echo->request.entry, sizeof *echo);
	request_begin(its, &echo->request, work->connection, work->from_a);
	request_seen(&echo->request, work->message);
	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *at = bytes + 8 + 16 * i;
		uint64_t begin = read64(at + 4), length = read32(at + 12);

		if (length && length <= UINT64_MAX - begin)
			names[count++] = (struct region_name){ .begin = begin, .end = begin + length, .key = read32(at), .number = i, .is_read = i == 1 };
	}
	request_operation(its, &echo->request, work->message, sizeof(struct echo_operation));
	if (count && region_create_all(its, &echo->request, names, count))
		request_open(its, &echo->request, work->message);
	return true;
}

static bool take_response(struct upper_work *work, const uint8_t *bytes)
{
	struct request *request;

	TAILQ_FOREACH(request, &work->connection->requests.lists[false].queue, link) {
		struct echo *echo = (struct echo *)request;

		if (echo->id != read32(bytes + 4) || request->from_a == work->from_a)
			continue;
		echo->status = read32(bytes + 8);
		request->has_written = true;
		request->written = read32(bytes + 12);
		request->has_failed = echo->status;
		request_answered(request, work->message);
		request_reconsider(work->tracker, request, work->message);
		break;
	}
	return true;
}

static bool take_packet(struct upper_work *work)
{
	const struct rtap_payload *payload = &work->packet->payload;
	const uint8_t *bytes = work->packet->sources[payload->source].bytes + payload->offset;

	if (!work->message)
		return false;
	if (work->message->region) {
		region_take_data(work->tracker, work->message, work->result);
		return true;
	}
	if (payload->captured == REQUEST_LENGTH && !memcmp(bytes, "ECHQ", 4))
		return begin_request(work, bytes);
	return payload->captured == RESPONSE_LENGTH && !memcmp(bytes, "ECHA", 4) && take_response(work, bytes);
}

static void settled(struct rtap_tracker *its, struct message *message)
{
	(void)its;
	conclude((struct echo *)message->request, message);
}

static void move(struct rtap_tracker *its, struct connection *from, struct connection *to, bool turned)
{
	struct request *request;

	for (int answered = 0; answered < 2; answered++)
		while ((request = TAILQ_FIRST(&from->requests.lists[answered].queue)))
			request_move(its, request, to, turned);
	for (int side = 0; side < 2; side++)
		request_claim_waiting(its, &to->streams[side]);
}

static void end(struct rtap_tracker *its, struct connection *connection)
{
	struct request *request;

	(void)its;
	for (int answered = 0; answered < 2; answered++)
		while ((request = TAILQ_FIRST(&connection->requests.lists[answered].queue)))
			conclude((struct echo *)request, NULL);
}

static const struct upper_layer echo_layer = {
	.name = "echo", .packet = take_packet, .memory = &request_memory, .response_settled = settled, .merged = move, .end = end,
};

static const struct upper_layer *const layers[] = { &echo_layer, NULL };

/* What is reported. */

struct copy {
	struct rtap_operation shown;
	char layer[TEXT], name[TEXT], id[TEXT], status[TEXT];
	struct rtap_operation_missing missing[MOST_MISSING];
	uint64_t value;
};

static struct copy found[MOST];
static unsigned count, message_count;
static struct rtap_tracker *tracker;
static uint64_t frames;

static void take(void *owner, const struct rtap_operation *operation)
{
	struct copy *copy = &found[count];

	(void)owner;
	cr_assert_lt(count, MOST);
	*copy = (struct copy){ .shown = *operation, .value = operation->value_count ? operation->values[0].number : 0 };
	cr_assert_leq(operation->missing_count, MOST_MISSING);
	if (operation->missing_count)
		memcpy(copy->missing, operation->missing, operation->missing_count * sizeof *operation->missing);
	snprintf(copy->layer, TEXT, "%s", operation->layer);
	snprintf(copy->name, TEXT, "%s", operation->name);
	snprintf(copy->id, TEXT, "%s", operation->id);
	snprintf(copy->status, TEXT, "%s", operation->status ? operation->status : "-");
	count++;
}

static void count_message(void *owner, const struct rtap_message *message)
{
	(void)owner;
	cr_assert_eq(message->number, ++message_count);
}

/* The wire: two queue pairs, 1 with the requester. */

enum { SEND = 0x04, WRITE_FIRST = 0x06, WRITE_LAST = 0x08, WRITE_ONLY = 0x0a, READ = 0x0c, READ_RESPONSE = 0x10, ACK = 0x11 };

#define KEY 0x1234
#define READ_KEY 0x5678
#define ADDRESS UINT64_C(0x7f0000001000)
#define READ_ADDRESS UINT64_C(0x7f0000100000)

static uint8_t zeros[4096];

/* A frame whose last bytes were not captured. */
static void give_cut(bool from_server, struct roce roce, uint32_t cut)
{
	uint8_t whole[ROCE_MAX_FRAME];
	struct rtap_packet packet;
	uint32_t length;

	roce.source = from_server ? 0x0a000002 : 0x0a000001;
	roce.destination = from_server ? 0x0a000001 : 0x0a000002;
	roce.dest_qp = from_server ? 1 : 2;
	length = roce_frame(whole, &roce);
	roce_seal(whole, length);
	frames++;
	rtap_tracker_frame(tracker, &(struct rtap_frame){ .bytes = whole, .captured_length = length - cut, .wire_length = length,
							  .link_type = RTAP_LINK_RAW, .number = frames, .time_ns = (int64_t)frames * MILLISECOND }, &packet);
}

static void give(bool from_server, struct roce roce)
{
	give_cut(from_server, roce, 0);
}

static void request(uint32_t psn, uint32_t id, uint32_t write_length, uint32_t read_length)
{
	uint8_t bytes[REQUEST_LENGTH] = "ECHQ", *at = roce_put(bytes + 4, id, 4);

	at = roce_put(at, KEY, 4);
	at = roce_put(at, ADDRESS, 8);
	at = roce_put(at, write_length, 4);
	at = roce_put(at, READ_KEY, 4);
	at = roce_put(at, READ_ADDRESS, 8);
	roce_put(at, read_length, 4);
	give(false, (struct roce){ .opcode = SEND, .ack_request = true, .psn = psn, .payload = bytes, .payload_length = sizeof bytes });
	give(true, (struct roce){ .opcode = ACK, .psn = psn, .syndrome = 0x1f, .msn = psn });
}

static void response(uint32_t psn, uint32_t id, uint32_t status, uint32_t written)
{
	uint8_t bytes[RESPONSE_LENGTH] = "ECHA", *at = roce_put(bytes + 4, id, 4);

	at = roce_put(at, status, 4);
	roce_put(at, written, 4);
	give(true, (struct roce){ .opcode = SEND, .ack_request = true, .psn = psn, .payload = bytes, .payload_length = sizeof bytes });
	give(false, (struct roce){ .opcode = ACK, .psn = psn, .syndrome = 0x1f, .msn = psn });
}

static void write_only(uint32_t psn, uint32_t length)
{
	give(true, (struct roce){ .opcode = WRITE_ONLY, .psn = psn, .virtual_address = ADDRESS, .r_key = KEY, .dma_length = length,
				  .payload = zeros, .payload_length = length });
}

static void begin(void)
{
	const struct rtap_tracker_options options = {
		.size = sizeof options, .max_memory = UINT64_C(1) << 20, .operation = take, .message = count_message,
	};

	count = message_count = live_requests = 0;
	frames = 0;
	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	upper_fini(tracker);
	cr_assert(upper_init(tracker, layers));
}

static void finish(void)
{
	rtap_tracker_finish(tracker);
	cr_expect_eq(live_requests, 0);
	cr_expect_eq(tracker->messages.bytes, 0);
	rtap_tracker_close(tracker);
}

static void expect_missing(const struct rtap_operation_missing *missing, enum rtap_operation_part part, uint64_t offset, uint64_t length,
			   enum rtap_missing_reason reason)
{
	cr_expect_eq(missing->part, part);
	cr_expect_eq(missing->range.offset, offset, "%" PRIu64, missing->range.offset);
	cr_expect_eq(missing->range.length, length, "%" PRIu64, missing->range.length);
	cr_expect_eq(missing->range.reason, reason);
}

TestSuite(request, .init = begin, .timeout = HANG_SECONDS);

Test(request, a_layer_of_a_row_and_a_small_state_machine_reports_whole_operations)
{
	const struct rtap_operation *shown = &found[0].shown;

	request(100, 7, 3000, 512);                                                                   /* frames 1, 2 */
	give(true, (struct roce){ .opcode = READ, .psn = 200, .virtual_address = READ_ADDRESS, .r_key = READ_KEY, .dma_length = 512 }); /* 3 */
	give(false, (struct roce){ .opcode = READ_RESPONSE, .psn = 200, .syndrome = 0x1f, .payload = zeros, .payload_length = 512 }); /* 4 */
	give(true, (struct roce){ .opcode = WRITE_FIRST, .psn = 201, .virtual_address = ADDRESS, .r_key = KEY, .dma_length = 3000,
				  .payload = zeros, .payload_length = 2048 });                          /* 5 */
	give(true, (struct roce){ .opcode = WRITE_LAST, .psn = 202, .payload = zeros, .payload_length = 952 }); /* 6 */
	response(203, 7, 0, 3000);                                                                    /* 7, 8 */
	finish();
	cr_assert_eq(count, 1);
	cr_expect_str_eq(found[0].layer, "echo");
	cr_expect_str_eq(found[0].name, "Echo");
	cr_expect_str_eq(found[0].id, "7");
	cr_expect_str_eq(found[0].status, "0");
	cr_expect(shown->from_a && shown->has_status && shown->ok && shown->complete && shown->has_latency && shown->has_data_bytes);
	cr_expect_eq(shown->carried, RTAP_CARRIED_MIXED);
	cr_expect_eq(shown->data_bytes, 3512);
	cr_expect_eq(shown->request_frame, 1);
	cr_expect_eq(shown->first_data_frame, 4);
	cr_expect_eq(shown->last_data_frame, 6);
	cr_expect_eq(shown->response_frame, 7);
	cr_expect_eq(shown->latency_ns, 6 * MILLISECOND);
	cr_expect_eq(shown->first_data_ns, 3 * MILLISECOND);
	cr_expect_eq(shown->last_data_ns, 5 * MILLISECOND);
	cr_expect_eq(shown->time_end_ns, 7 * MILLISECOND);
	cr_expect_eq(shown->request_message, 1);
	cr_expect_eq(shown->response_message, 4);
	cr_expect_eq(shown->missing_count, 0);
	cr_expect_eq(found[0].value, 7);
	cr_expect_eq(message_count, 4);
}

Test(request, a_lost_packet_of_the_data_makes_an_operation_incomplete)
{
	request(100, 7, 3000, 0);
	give(true, (struct roce){ .opcode = WRITE_FIRST, .psn = 200, .virtual_address = ADDRESS, .r_key = KEY, .dma_length = 3000,
				  .payload = zeros, .payload_length = 2048 });
	response(202, 7, 0, 3000);
	finish();
	cr_assert_eq(count, 1);
	cr_expect_not(found[0].shown.complete);
	cr_expect(found[0].shown.ok);
	cr_expect_eq(found[0].shown.data_bytes, 2048);
	cr_assert_eq(found[0].shown.missing_count, 1);
	expect_missing(&found[0].missing[0], RTAP_OPERATION_PART_WRITE, 2048, 952, RTAP_MISSING_NOT_CAPTURED);
}

Test(request, data_that_the_capture_truncated_is_missing_for_that_reason)
{
	request(100, 7, 2000, 512);
	give(true, (struct roce){ .opcode = READ, .psn = 200, .virtual_address = READ_ADDRESS, .r_key = READ_KEY, .dma_length = 512 });
	give_cut(true, (struct roce){ .opcode = WRITE_ONLY, .psn = 201, .virtual_address = ADDRESS, .r_key = KEY, .dma_length = 2000,
				      .payload = zeros, .payload_length = 2000 }, 600);
	response(202, 7, 0, 2000);
	finish();
	cr_assert_eq(count, 1);
	cr_expect_not(found[0].shown.complete);
	cr_assert_eq(found[0].shown.missing_count, 2);
	expect_missing(&found[0].missing[0], RTAP_OPERATION_PART_READ, 0, 512, RTAP_MISSING_NOT_CAPTURED);
	/* the bytes that the invariant CRC has, and no padding */
	expect_missing(&found[0].missing[1], RTAP_OPERATION_PART_WRITE, 1404, 596, RTAP_MISSING_SNAPPED);
}

Test(request, data_of_a_failed_request_is_not_missing)
{
	request(100, 7, 3000, 0);
	response(202, 7, 3, 0);
	finish();
	cr_assert_eq(count, 1);
	cr_expect(found[0].shown.complete && !found[0].shown.ok);
	cr_expect_eq(found[0].shown.missing_count, 0);
}

Test(request, losses_of_data_that_was_captured_before_its_request_count_for_that_request)
{
	request(100, 1, 1000, 0);
	write_only(200, 1000);
	/* Before its request and the first one's response: it looks like the first one's. */
	write_only(202, 1000);
	write_only(202, 1000);
	response(201, 1, 0, 1000);
	request(101, 2, 1000, 0);
	response(203, 2, 0, 1000);
	finish();
	cr_assert_eq(count, 2);
	cr_expect_eq(found[0].shown.repeats, 0, "%" PRIu64, found[0].shown.repeats);
	cr_expect_eq(found[1].shown.repeats, 1, "%" PRIu64, found[1].shown.repeats);
	cr_expect_eq(found[0].shown.last_data_frame, 3);
	cr_expect_eq(found[1].shown.first_data_frame, 4);
	cr_expect(found[0].shown.complete && found[1].shown.complete);
}

Test(request, a_key_that_is_used_again_belongs_to_the_next_request)
{
	request(100, 1, 3000, 0);
	write_only(200, 1000);
	response(201, 1, 0, 1000);
	request(101, 2, 3000, 0);
	write_only(202, 2000);
	response(203, 2, 5, 2000);
	finish();
	cr_assert_eq(count, 2);
	cr_expect_eq(found[0].shown.data_bytes, 1000);
	cr_expect_eq(found[1].shown.data_bytes, 2000);
	cr_expect(found[0].shown.complete && found[1].shown.complete && found[0].shown.ok && !found[1].shown.ok);
	cr_expect_str_eq(found[1].status, "5");
}

Test(request, data_and_response_that_are_captured_before_the_request_belong_to_it)
{
	/* so that the connection and its layer are known */
	request(100, 1, 0, 0);
	response(200, 1, 0, 0);
	write_only(201, 1000);
	request(101, 2, 1000, 0);
	response(202, 2, 0, 1000);
	finish();
	cr_assert_eq(count, 2);
	cr_expect_eq(found[1].shown.data_bytes, 1000);
	cr_expect(found[1].shown.complete);
}

Test(request, without_a_response_it_ends_with_its_connection_and_unknown_status)
{
	request(100, 7, 3000, 0);
	write_only(200, 3000);
	finish();
	cr_assert_eq(count, 1);
	cr_expect(!found[0].shown.has_status && !found[0].shown.complete && !found[0].shown.has_latency);
	cr_expect_eq(found[0].shown.response_frame, 0);
	cr_expect_eq(found[0].shown.data_bytes, 3000);
	cr_expect_str_eq(found[0].status, "-");
}

Test(request, one_that_is_given_up_no_longer_delays_messages)
{
	request(100, 7, 0, 0);
	frames += 61000;
	/* another connection */
	for (int i = 0; i < 300; i++)
		give(false, (struct roce){ .opcode = WRITE_ONLY, .psn = (uint32_t)i, .dma_length = 0 });
	frames += 61000;
	give(false, (struct roce){ .opcode = ACK, .psn = 1 });
	cr_expect_eq(live_requests, 0);
	finish();
	cr_expect_eq(count, 1);
}

Test(request, closing_without_finishing_frees_all)
{
	request(100, 7, 3000, 512);
	write_only(200, 1000);
	rtap_tracker_close(tracker);
	cr_expect_eq(live_requests, 0);
	cr_expect_eq(count, 0);
}

Test(request, a_row_needs_neither_state_in_the_tracker_nor_in_the_connection)
{
	request(100, 7, 10, 0);
	cr_expect_null(tracker->upper_states[UPPER_COUNT]);
	cr_expect_str_eq(TAILQ_FIRST(&tracker->connections)->layer->name, "echo");
	finish();
}
