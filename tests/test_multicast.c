/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <zlib.h>

#include <rdmatap/tracker.h>

#include "tests/roce_kit.h"

#define HOST 0x0a000001u
#define SENDER 0x0a000002u
#define DATAGRAM 0x64

static struct rtap_tracker *tracker;
static uint64_t frames;
static struct rtap_connection reported;
static struct rtap_life_event reported_life[RTAP_MAX_LIFE_EVENTS];
static uint32_t connections;

static void note(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	connections++;
	reported = *connection;
	for (uint32_t i = 0; i < reported.life_count; i++)
		reported_life[i] = connection->life[i];
	reported.life = reported_life;
}

static void begin(void)
{
	connections = 0;
	cr_assert_eq(rtap_tracker_open(&tracker,
				       &(struct rtap_tracker_options){ .size = sizeof(struct rtap_tracker_options),
								       .max_memory = UINT64_C(64) << 20,
								       .connection = note },
				       NULL),
		     RTAP_STATUS_OK);
}

static void end(void)
{
	rtap_tracker_finish(tracker);
	rtap_tracker_close(tracker);
}

static void give(const uint8_t *bytes, uint32_t length)
{
	struct rtap_packet packet;
	struct rtap_frame frame = {
		.bytes = bytes, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW, .number = frames + 1,
		.time_ns = (int64_t)(frames + 1) * 1000,
	};

	frames++;
	rtap_tracker_frame(tracker, &frame, &packet);
}

static void give_ipv4(uint8_t protocol, const uint8_t *payload, uint32_t length)
{
	uint8_t frame[200] = { 0x45 };

	roce_put(frame + 2, 20 + length, 2);
	frame[8] = 1;
	frame[9] = protocol;
	roce_put(frame + 12, HOST, 4);
	roce_put(frame + 16, 0xe0000016, 4);
	memcpy(frame + 20, payload, length);
	give(frame, 20 + length);
}

/* An IPv6 header, from fe80::1. */
static uint8_t *put_ipv6(uint8_t *frame, uint8_t next, uint32_t length, const uint8_t *destination)
{
	memset(frame, 0, 40);
	frame[0] = 0x60;
	roce_put(frame + 4, length, 2);
	frame[6] = next;
	frame[7] = 1;
	frame[8] = 0xfe;
	frame[9] = 0x80;
	frame[23] = 1;
	memcpy(frame + 24, destination, 16);
	return frame + 40;
}

static void send_to(uint32_t group)
{
	uint8_t frame[ROCE_MAX_FRAME];

	give(frame, roce_frame(frame, &(struct roce){ .source = SENDER, .destination = group, .opcode = DATAGRAM,
						      .dest_qp = 0xffffff, .src_qp = 0x33 }));
}

/* To a group or a queue pair of IPv6. */
static void send_ipv6(const uint8_t *group, uint32_t qp, const uint8_t *payload, uint32_t length)
{
	uint8_t frame[ROCE_MAX_FRAME + 20], ipv4[ROCE_MAX_FRAME];
	struct roce roce = { .opcode = DATAGRAM, .dest_qp = qp, .src_qp = 0x33, .payload = payload, .payload_length = length };
	uint32_t whole = roce_frame(ipv4, &roce);

	memcpy(put_ipv6(frame, 17, whole - 20, group), ipv4 + 20, whole - 20);
	give(frame, whole + 20);
}

/* "j" and "l" for each that joined and left. */
static void expect_life(const char *what, const char *life)
{
	char found[RTAP_MAX_LIFE_EVENTS + 1] = "";

	end();
	cr_assert_eq(connections, 1, "%s", what);
	for (uint32_t i = 0; i < reported.life_count; i++)
		found[i] = reported.life[i].name[5];
	cr_expect_str_eq(found, life, "%s: %s", what, found);
}

#define GROUP 224, 1, 2, 3
#define GROUP_NUMBER 0xe0010203u
#define NOBODY 224, 9, 9, 9
#define SOURCE 10, 9, 9, 9

static const struct {
	const char *what, *life;
	uint32_t to, length;
	uint8_t report[48];
} reports[] = {
	{ "version 1", "j", GROUP_NUMBER, 8, { 0x12, 0, 0, 0, GROUP } },
	{ "version 2", "j", GROUP_NUMBER, 8, { 0x16, 0, 0, 0, GROUP } },
	{ "version 2, leave", "l", GROUP_NUMBER, 8, { 0x17, 0, 0, 0, GROUP } },
	{ "query", "", GROUP_NUMBER, 8, { 0x11, 0, 0, 0, GROUP } },
	{ "another group", "", GROUP_NUMBER, 8, { 0x16, 0, 0, 0, NOBODY } },
	{ "no group", "", 0x0a090909, 8, { 0x16, 0, 0, 0, SOURCE } },
	{ "version 3, exclude none", "j", GROUP_NUMBER, 16, { 0x22, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, GROUP } },
	{ "version 3, excludes", "j", GROUP_NUMBER, 16, { 0x22, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, GROUP } },
	{ "version 3, include none", "l", GROUP_NUMBER, 16, { 0x22, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, GROUP } },
	{ "version 3, include one", "", GROUP_NUMBER, 20, { 0x22, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 1, GROUP, SOURCE } },
	{ "version 3, after one with sources and auxiliary data", "j", GROUP_NUMBER, 32,
	  { 0x22, 0, 0, 0, 0, 0, 0, 2, 4, 1, 0, 1, NOBODY, SOURCE, 0, 0, 0, 0, 4, 0, 0, 0, GROUP } },
	{ "cut off", "", GROUP_NUMBER, 7, { 0x16, 0, 0, 0, GROUP } },
};

TestSuite(multicast, .timeout = HANG_SECONDS);

Test(multicast, reports_of_igmp_report_who_joined_and_left)
{
	for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
		begin();
		give_ipv4(2, reports[i].report, reports[i].length);
		send_to(reports[i].to);
		expect_life(reports[i].what, reports[i].life);
	}
}

Test(multicast, only_changes_are_reported_also_while_the_connection_lasts)
{
	begin();
	send_to(GROUP_NUMBER);
	for (int i = 0; i < 3; i++)
		give_ipv4(2, reports[1].report, 8);
	give_ipv4(2, reports[2].report, 8);
	give_ipv4(2, reports[1].report, 8);
	send_to(GROUP_NUMBER);
	expect_life("changes", "jlj");
	cr_expect_eq(reported.life[0].by_length, 4);
	cr_expect_eq(reported.life[0].by[3], 1);
}

Test(multicast, reports_of_ipv6_and_of_the_subnet_administration_report_it_too)
{
	static const uint8_t group[16] = { 0xff, 0x12, [15] = 9 }, everybody[16] = { 0xff, 2, [15] = 22 };
	const struct { const char *what, *life; uint8_t type, record; } cases[] = {
		{ "report", "j", 131, 0 }, { "done", "l", 132, 0 }, { "query", "", 130, 0 },
		{ "version 2, exclude none", "j", 143, 4 }, { "version 2, include none", "l", 143, 3 }, { "version 2, include", "", 143, 1 },
	};
	const struct { const char *what, *life; uint8_t class, method, attribute; } mads[] = {
		{ "set", "j", 3, 2, 0x38 }, { "delete", "l", 3, 0x15, 0x38 }, { "get", "", 3, 1, 0x38 }, { "another class", "", 4, 2, 0x38 },
		{ "another attribute", "", 3, 2, 0x35 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t frame[100], *at = put_ipv6(frame, 58, cases[i].record ? 28 : 24, everybody);

		memset(at, 0, 28);
		at[0] = cases[i].type;
		at[7] = cases[i].record ? 1 : 0;
		at[8] = cases[i].record;
		memcpy(at + (cases[i].record ? 12 : 8), group, 16);
		begin();
		give(frame, cases[i].record ? 68 : 64);
		send_ipv6(group, 0xffffff, NULL, 0);
		expect_life(cases[i].what, cases[i].life);
	}
	for (size_t i = 0; i < sizeof mads / sizeof mads[0]; i++) {
		uint8_t mad[ROCE_MAD_LENGTH] = { 1, mads[i].class, 2, mads[i].method, [17] = mads[i].attribute };

		memcpy(mad + 56, group, 16);
		begin();
		send_ipv6(everybody, 1, mad, sizeof mad);
		send_ipv6(group, 0xffffff, NULL, 0);
		expect_life(mads[i].what, mads[i].life);
	}
}

Test(multicast, groups_are_limited_and_connections_leave_them)
{
	uint8_t report[8] = { 0x16 };

	begin();
	for (uint32_t i = 0; i < 5000; i++) {
		roce_put(report + 4, 0xe1000000 + i, 4);
		give_ipv4(2, report, sizeof report);
	}
	send_to(0xe1000000 + 4999);
	expect_life("one too many", "");
	begin();
	roce_put(report + 4, 0xe1000000 + 4000, 4);
	give_ipv4(2, report, sizeof report);
	send_to(0xe1000000 + 4000);
	expect_life("one of few", "j");
}
