/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <zlib.h>

#include <rdmatap/tracker.h>

#include "tests/roce_kit.h"

#define CLIENT 0x0a000001u
#define SERVER 0x0a000002u
#define OTHER 0x0a000003u

enum { SEND_ONLY = 0x04, ACK = 0x11 };

static struct rtap_tracker *tracker;
static struct rtap_packet packet;
static uint64_t frames;
static struct rtap_connection reported[8];
static uint32_t count;

static void note(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	cr_assert_lt(count, 8);
	reported[count++] = *connection;
}

static void begin(void)
{
	cr_assert_eq(rtap_tracker_open(&tracker,
				       &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options),
								       .max_memory = UINT64_C(1) << 20,
								       .connection = note },
				       NULL),
		     RTAP_STATUS_OK);
}

static void end(void)
{
	rtap_tracker_finish(tracker);
	rtap_tracker_close(tracker);
}

TestSuite(pairing, .init = begin, .timeout = HANG_SECONDS);

static void give(struct roce roce)
{
	static uint8_t bytes[ROCE_MAX_FRAME];
	uint32_t length = roce_frame(bytes, &roce);
	struct rtap_frame frame = {
		.bytes = bytes, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW, .number = frames + 1,
		.time_ns = (int64_t)(frames + 1) * 1000,
	};

	frames++;
	rtap_tracker_frame(tracker, &frame, &packet);
}

static void ask(uint32_t server, uint32_t qp, uint32_t psn)
{
	give((struct roce){ .source = CLIENT, .destination = server, .dest_qp = qp, .opcode = SEND_ONLY, .psn = psn });
}

static void acknowledge(uint32_t server, uint32_t qp, uint32_t psn)
{
	give((struct roce){ .source = server, .destination = CLIENT, .dest_qp = qp, .opcode = ACK, .psn = psn, .syndrome = 0x1f, .msn = 1 });
}

/* The client's queue pair and the server's of a connection; 0: not known. */
static void expect_pair(uint32_t number, uint32_t client_qp, uint32_t server_qp)
{
	const struct rtap_connection *connection = &reported[number];

	cr_expect_eq(connection->a.qpn_known ? connection->a.qpn : 0, client_qp, "%u: a is %x", number, connection->a.qpn);
	cr_expect_eq(connection->b.qpn_known ? connection->b.qpn : 0, server_qp, "%u: b is %x", number, connection->b.qpn);
}

Test(pairing, a_response_is_its_servers)
{
	ask(SERVER, 0x22, 100);
	ask(OTHER, 0x33, 100);
	acknowledge(OTHER, 0x13, 100);
	cr_expect(packet.flow.present);
	acknowledge(SERVER, 0x12, 100);
	end();
	cr_assert_eq(count, 2);
	expect_pair(0, 0x12, 0x22);
	expect_pair(1, 0x13, 0x33);
}

Test(pairing, the_oldest_of_a_hundred_requests_can_be_the_one_that_is_answered)
{
	for (uint32_t psn = 100; psn < 200; psn++)
		ask(SERVER, 0x22, psn);
	acknowledge(SERVER, 0x12, 100);
	cr_expect(packet.flow.present);
	end();
	cr_assert_eq(count, 1);
	expect_pair(0, 0x12, 0x22);
}

Test(pairing, of_two_candidates_a_later_response_decides)
{
	ask(SERVER, 0x22, 100);
	ask(SERVER, 0x33, 100);
	acknowledge(SERVER, 0x12, 100);
	cr_expect(!packet.flow.present);
	ask(SERVER, 0x33, 101);
	acknowledge(SERVER, 0x12, 101);
	cr_expect(packet.flow.present);
	acknowledge(SERVER, 0x13, 100);
	end();
	cr_assert_eq(count, 2);
	expect_pair(0, 0x13, 0x22);
	expect_pair(1, 0x12, 0x33);
	/* the one that waited belongs to it too */
	cr_expect_eq(reported[1].first_frame, 2);
	cr_expect_eq(reported[1].packets, 4);
}

Test(pairing, all_responses_that_wait_must_be_answers)
{
	ask(SERVER, 0x22, 100);
	/* PSNs without a request, far above and far below */
	acknowledge(SERVER, 0x12, 500);
	acknowledge(SERVER, 0x12, 100);
	cr_expect(!packet.flow.present);
	acknowledge(SERVER, 0x13, 100 - 70000);
	acknowledge(SERVER, 0x13, 100);
	cr_expect(!packet.flow.present);
	end();
	cr_assert_eq(count, 3);
	expect_pair(0, 0, 0x22);
}

Test(pairing, each_side_can_be_the_first_to_speak)
{
	for (int turned = 0; turned < 2; turned++) {
		uint32_t first = turned ? CLIENT : SERVER, second = turned ? SERVER : CLIENT;

		count = 0;
		give((struct roce){ .source = first, .destination = second, .dest_qp = 0x12, .opcode = SEND_ONLY, .psn = 100 });
		give((struct roce){ .source = second, .destination = first, .dest_qp = 0x22, .opcode = SEND_ONLY, .psn = 900 });
		give((struct roce){ .source = second, .destination = first, .dest_qp = 0x22, .opcode = SEND_ONLY, .psn = 900 });
		give((struct roce){ .source = second, .destination = first, .dest_qp = 0x22, .opcode = ACK, .psn = 100, .syndrome = 0x1f });
		give((struct roce){ .source = first, .destination = second, .dest_qp = 0x12, .opcode = ACK, .psn = 900, .syndrome = 0x1f });
		end();
		cr_assert_eq(count, 1);
		/* a is who is called */
		expect_pair(0, 0x22, 0x12);
		cr_expect_eq(reported[0].a.psn, 100);
		cr_expect_eq(reported[0].b.psn, 900);
		cr_expect_eq(reported[0].messages, 2);
		cr_expect_eq(reported[0].packets, 5);
		cr_expect_eq(reported[0].anomaly_counts[RTAP_CONNECTION_ANOMALY_DUPLICATE], 1);
		begin();
	}
	end();
}

Test(pairing, a_response_captured_before_its_request_is_the_first_frame)
{
	acknowledge(SERVER, 0x12, 100);
	ask(SERVER, 0x22, 100);
	ask(SERVER, 0x22, 101);
	acknowledge(SERVER, 0x12, 101);
	end();
	cr_assert_eq(count, 1);
	expect_pair(0, 0x12, 0x22);
	cr_expect_eq(reported[0].first_frame, 1);
	cr_expect_eq(reported[0].packets, 4);
}
