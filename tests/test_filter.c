/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The display filter over dissected frames. test_filter_types.c tries every type and operator. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include <rdmatap/filter.h>
#include <rdmatap/visitor.h>

#include "dissect/dissect.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* RC Acknowledge of PSN 0x10, MSN 7, credits not used; the invariant CRC is wrong. */
static const uint8_t ack[] = {
	0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01, 0x08, 0x00,
	0x45, 0x02, 0x00, 0x30, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 10, 1, 2, 3, 10, 1, 2, 4,
	0xc0, 0x01, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00,
	0x11, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x10,
	0x1f, 0x00, 0x00, 0x07,
	0xde, 0xad, 0xbe, 0xef,
};

/* RC SEND Only with an RPC-over-RDMA call: two read segments at position 104 and one write chunk of one segment. */
static const uint8_t call[] = {
	0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x02, 0x86, 0xdd,
	0x60, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x11, 0x40,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02,
	0xc0, 0x02, 0x12, 0xb7, 0x00, 0xa0, 0x00, 0x00,
	0x04, 0xc0, 0xff, 0xff, 0x00, 0x00, 0x00, 0x13, 0x80, 0xff, 0xff, 0xff,
	/* XID, version 1, 32 credits, RDMA_MSG */
	0x11, 0x22, 0x33, 0x44, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 0,
	0, 0, 0, 1, 0, 0, 0, 104, 0x00, 0x00, 0xab, 0x01, 0, 0, 0x10, 0x00, 0, 0, 0, 1, 0, 0, 0, 0,
	0, 0, 0, 1, 0, 0, 0, 104, 0x00, 0x00, 0xab, 0x02, 0, 0, 0x02, 0x00, 0, 0, 0, 1, 0, 0, 0x10, 0,
	0, 0, 0, 0,
	0, 0, 0, 1, 0, 0, 0, 1, 0x00, 0x00, 0xab, 0x03, 0, 0, 0x80, 0x00, 0, 0, 0, 2, 0, 0, 0, 0,
	0, 0, 0, 0,
	0, 0, 0, 0,
	/* the same XID, call, version 2, NFS version 3, WRITE */
	0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x01, 0x86, 0xa3, 0, 0, 0, 3, 0, 0, 0, 7,
	0xde, 0xad, 0xbe, 0xef,
};

static const uint8_t other[] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0, 0x01, 0x88, 0xb5, 'h', 'e', 'l', 'l', 'o', 0, 0, 0,
};

enum which { ACK = 1, CALL = 2, OTHER = 4, ALL = 7 };

static const struct rtap_span comment = { (const uint8_t *)"seen at the server", 18 };

static const struct rtap_frame frames[] = {
	{ .bytes = ack, .captured_length = sizeof ack, .wire_length = sizeof ack, .link_type = RTAP_LINK_ETHERNET,
	  .number = 1, .time_ns = 1700000000123456789 },
	{ .bytes = call, .captured_length = sizeof call, .wire_length = sizeof call, .link_type = RTAP_LINK_ETHERNET,
	  .number = 2, .time_ns = 1700000000123457789, .relative_ns = 1000, .delta_ns = 1000, .comments = &comment,
	  .comment_count = 1 },
	{ .bytes = other, .captured_length = sizeof other, .wire_length = 64, .link_type = RTAP_LINK_ETHERNET,
	  .number = 3, .time_ns = 1700000000123456000, .relative_ns = -789, .delta_ns = -1789 },
};

/* Which of the frames pass. */
static unsigned passing(const char *text)
{
	static const struct rtap_context context = { .upper = RTAP_UPPER_RPCRDMA };
	struct rtap_filter *filter;
	struct rtap_error error = { .text = "" };
	unsigned passed = 0;

	cr_assert_eq(rtap_filter_open(&filter, text, &error), RTAP_STATUS_OK, "%s: %s", text, error.text);
	for (unsigned i = 0; i < LENGTH(frames); i++) {
		struct rtap_packet packet;

		dissect_frame(&frames[i], &context, &packet);
		if (rtap_filter_match(filter, &packet))
			passed |= 1u << i;
	}
	rtap_filter_close(filter);
	return passed;
}

struct match {
	const char *text;
	unsigned expected; /* enum which, or'ed */
};

static void check(const struct match *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned passed = passing(cases[i].text);

		cr_expect_eq(passed, cases[i].expected, "%s: %u, not %u", cases[i].text, passed, cases[i].expected);
	}
}

TestSuite(filter, .timeout = HANG_SECONDS);

Test(filter, finds_protocols_and_fields)
{
	static const struct match cases[] = {
		{ "", ALL }, { "frame", ALL }, { "eth", ALL }, { "ip", ACK }, { "ipv6", CALL }, { "udp", ACK | CALL },
		{ "infiniband", ACK | CALL }, { "infiniband.bth", ACK | CALL }, { "infiniband.aeth", ACK }, { "rpcordma", CALL },
		{ "ip.addr", ACK }, { "infiniband.aeth.msn", ACK }, { "infiniband.reth.va", 0 }, { "rpcordma.position", CALL },
		{ "frame.comment", CALL }, { "not infiniband", OTHER }, { "infiniband and not rpcordma", ACK },
		{ "infiniband.aeth.syndrome.credit_count", ACK }, { "infiniband.aeth.syndrome.timer", 0 },
		{ "infiniband.invariant.crc", ACK | CALL }, { "infiniband.lrh", 0 },
	};

	check(cases, LENGTH(cases));
}

Test(filter, compares_fields_of_fixed_place)
{
	static const struct match cases[] = {
		{ "infiniband.bth.opcode == 17", ACK }, { "infiniband.bth.opcode == 0x04", CALL },
		{ "infiniband.bth.opcode in {4, 17}", ACK | CALL }, { "infiniband.bth.psn == 0xffffff", CALL },
		{ "infiniband.bth.psn != 16777215", ACK }, { "infiniband.bth.psn >= 16", ACK | CALL }, { "infiniband.bth.a == 1", CALL },
		{ "infiniband.bth.a == false", ACK }, { "infiniband.bth.a", ACK | CALL }, { "infiniband.bth.destqp in {0x12..0x13}", ACK | CALL },
		{ "infiniband.bth.p_key & 0x7fff == 0x7fff", ACK | CALL }, { "infiniband.aeth.msn == 7", ACK },
		{ "ip.addr == 10.1.2.4", ACK }, { "ip.src == 10.1.2.4", 0 }, { "ip.addr == 10.0.0.0/8", ACK },
		{ "ip.addr != 10.1.2.4", 0 }, { "ipv6.addr == fd00::2", CALL }, { "ipv6.src == fd00::/8", CALL },
		{ "eth.src == 02:00:00:00:00:01", ACK | OTHER }, { "eth.addr == 02-00-00-00-00-02", ACK | CALL },
		{ "eth.dst[0] == ff", OTHER }, { "eth.type == 0x88b5", OTHER }, { "udp.port == 4791", ACK | CALL },
		{ "udp.srcport == 0xc001", ACK }, { "ip.hdr_len == 20", ACK }, { "ip.dsfield.ecn == 2", ACK },
		{ "frame[12:2] == 08:00", ACK }, { "frame contains \"hello\"", OTHER }, { "infiniband contains de:ad:be:ef", ACK | CALL },
		{ "ip.src == ip.dst", 0 }, { "ip.src != ip.dst", ACK }, { "ip.src[0:3] == ip.dst[0:3]", ACK },
	};

	check(cases, LENGTH(cases));
}

Test(filter, compares_names_of_values)
{
	static const struct match cases[] = {
		{ "infiniband.bth.opcode == \"RC SEND Only\"", CALL }, { "infiniband.bth.opcode == \"rc send only\"", CALL },
		{ "infiniband.bth.opcode != \"RC SEND Only\"", ACK }, { "infiniband.bth.opcode in {\"RC SEND Only\", 17}", ACK | CALL },
	};

	check(cases, LENGTH(cases));
}

Test(filter, compares_derived_values_and_values_found_by_a_visit)
{
	static const struct match cases[] = {
		{ "frame.number == 2", CALL }, { "frame.number in {1..2}", ACK | CALL }, { "frame.len == 64", OTHER },
		{ "frame.cap_len < 64", ACK | OTHER }, { "frame.time_epoch == 1700000000.123456789", ACK },
		{ "frame.time_epoch > 1700000000.123456", ACK | CALL }, { "frame.time_relative >= 0", ACK | CALL },
		{ "frame.time_delta < 0", OTHER }, { "frame.time_delta == -0.000001789", OTHER },
		{ "frame.comment contains \"server\"", CALL }, { "frame.comment == \"seen at the server\"", CALL },
		{ "rpcordma.xid == 0x11223344", CALL }, { "rpcordma.rdma_handle == 0xab02", CALL }, { "rpcordma.rdma_handle == 0xab03", CALL },
		{ "rpcordma.rdma_handle == 0xab04", 0 }, { "rpcordma.rdma_handle != 0xab02", 0 }, { "rpcordma.rdma_handle != 0xab04", CALL },
		{ "rpcordma.rdma_handle in {0xab00..0xab01}", CALL }, { "rpcordma.position == 104", CALL },
		{ "rpcordma.rdma_length > 0x7fff", CALL }, { "rpcordma.rdma_length > 0x8000", 0 },
		{ "rpcordma.rdma_offset == 0x100001000", CALL }, { "rpcordma.rdma_length == rpcordma.rdma_handle", 0 },
		{ "rpcordma.rdma_handle == rpcordma.rdma_handle", CALL },
		{ "infiniband.invariant.crc.status == \"bad\"", ACK | CALL }, { "infiniband.invariant.crc.status == \"good\"", 0 },
		{ "data.data contains \"hello\"", OTHER },
	};

	check(cases, LENGTH(cases));
}

Test(filter, suggests_the_field_that_was_meant)
{
	static const struct {
		const char *text, *message;
		unsigned column;
	} cases[] = {
		{ "infiniband.aeth and    infiniband.bth.pns == 1",
		  "column 24: \"infiniband.bth.pns\" is not a field (did you mean infiniband.bth.psn?)", 24 },
		{ "bth.psn == 1", "column 1: \"bth.psn\" is not a field (did you mean infiniband.bth.psn?)", 1 },
		{ "rpcrdma", "column 1: \"rpcrdma\" is not a field (did you mean rpcordma?)", 1 },
		{ "infiniband.bth.psn == 0x1000000",
		  "column 23: \"0x1000000\" is too large for \"infiniband.bth.psn\" (uint24), which has values from 0 to 16777215", 23 },
		{ "infiniband.bth.opcode == \"RC SEND Onyl\"",
		  "column 26: \"RC SEND Onyl\" is not the name of a value of \"infiniband.bth.opcode\" "
		  "(did you mean \"RC SEND Only\"?)", 26 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct rtap_filter *filter;
		struct rtap_error error = { .text = "" };

		cr_expect_eq(rtap_filter_open(&filter, cases[i].text, &error), RTAP_STATUS_FAILED);
		cr_expect_str_eq(error.text, cases[i].message);
		cr_expect_eq(error.column, cases[i].column);
	}
}

/* Also proves that fields of one name have values of one type. */
Test(filter, takes_every_field_with_a_value_of_its_type)
{
	static const char *const literals[] = {
		[RTAP_DEC] = "0", [RTAP_HEX] = "0", [RTAP_HEX8] = "0", [RTAP_HEX16] = "0", [RTAP_HEX24] = "0", [RTAP_HEX32] = "0",
		[RTAP_HEX64] = "0", [RTAP_BOOL] = "true", [RTAP_IPV4] = "10.0.0.1", [RTAP_IPV6] = "fd00::1",
		[RTAP_ETHER] = "02:00:00:00:00:01", [RTAP_EUI64] = "00:11:22:33:44:55:66:77", [RTAP_BYTES] = "00:01",
		[RTAP_TEXT] = "\"a\"", [RTAP_SECONDS] = "1.5",
	};

	cr_assert_gt(rtap_field_count(), 0);
	for (size_t id = 0; id < rtap_field_count(); id++) {
		const struct rtap_field *field = rtap_field_by_id((rtap_field_id)id);
		char text[256];

		passing(field->name);
		snprintf(text, sizeof text, "%s == %s", field->name, literals[field->show]);
		if (field->show != RTAP_NONE)
			passing(text);
	}
	for (size_t i = 0; i < rtap_protocol_count(); i++)
		passing(rtap_protocol_by_number((uint16_t)i)->name);
}
