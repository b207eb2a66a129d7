/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The display filter: any bytes as its text, compiled, and run over a few packets.
 * Input: the filter's text, up to its first zero byte.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/filter.h>

#include "harness.h"
#include "dissect/dissect.h"
#include "dissect/engine/packet.h"
#include "output/message/record_filter.h"

/* RoCE v2 over IPv4: RC Acknowledge. */
static const uint8_t acknowledge[] = {
	0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01, 0x08, 0x00,
	0x45, 0x02, 0x00, 0x30, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 10, 1, 2, 3, 10, 1, 2, 4,
	0xc0, 0x01, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00,
	0x11, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x10, 0x1f, 0x00, 0x00, 0x07,
	0xde, 0xad, 0xbe, 0xef,
};

/* RoCE v1: RC SEND Only with an RPC-over-RDMA message of two read segments. */
static const uint8_t send[] = {
	0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x02, 0x89, 0x15,
	0x60, 0x00, 0x00, 0x00, 0x00, 0x60, 0x1b, 0x40,
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02,
	0x04, 0xc0, 0xff, 0xff, 0x00, 0x00, 0x00, 0x13, 0x80, 0xff, 0xff, 0xff,
	0x11, 0x22, 0x33, 0x44, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0, 0, 1,
	0, 0, 0, 1, 0, 0, 0, 0, 0x00, 0x00, 0xab, 0x01, 0, 0, 0x10, 0x00, 0, 0, 0, 1, 0, 0, 0, 0,
	0, 0, 0, 1, 0, 0, 0, 0, 0x00, 0x00, 0xab, 0x02, 0, 0, 0x02, 0x00, 0, 0, 0, 1, 0, 0, 0x10, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0xde, 0xad, 0xbe, 0xef,
};

static const struct rtap_frame frames[] = {
	{ .bytes = acknowledge, .captured_length = sizeof acknowledge, .wire_length = sizeof acknowledge,
	  .link_type = RTAP_LINK_ETHERNET, .number = 1, .time_ns = 1700000000123456789 },
	{ .bytes = send, .captured_length = sizeof send, .wire_length = sizeof send, .link_type = RTAP_LINK_ETHERNET,
	  .number = 2 },
	{ .bytes = send, .captured_length = 40, .wire_length = sizeof send, .link_type = RTAP_LINK_ETHERNET, .number = 3 },
};

static void match(const struct rtap_filter *filter)
{
	static const struct rtap_context context = { .upper = RTAP_UPPER_RPCRDMA };

	for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
		struct rtap_packet packet;

		dissect_frame(&frames[i], &context, &packet);
		if (rtap_filter_match(filter, &packet) != rtap_filter_match(filter, &packet))
			abort();
	}
}

/* An operation, with what its keys can have. */
static void write_record(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "{\"operation\":7,\"layer\":\"nfs\",\"name\":\"READ\",\"object\":\"/a \\\"b\\\" \\u001b\\u202e\",\"offset\":18446744073709551615,"
			"\"ok\":false,\"time\":\"-1.500000000\",\"time_ns\":-1500000000,\"latency\":0.012345678,\"complete\":true,\"missing\":"
			"[{\"in\":\"request\",\"offset\":1},{\"in\":\"response\",\"offset\":2,\"length\":3,\"reason\":\"snapped\"}]}\n");
}

/* The same text as the filter of a command with records. */
static void match_records(const char *command, const char *text)
{
	struct record_filter filter = { 0 };
	struct rtap_error error = { .text = "" };

	if (record_filter_open(&filter, command, text, &error) == RTAP_STATUS_OK) {
		match(filter.filter);
		if (record_filter_match(&filter, write_record, NULL) != record_filter_match(&filter, write_record, NULL))
			abort();
	} else if (error.column < 1 || error.column > strlen(text) + 1 || strncmp(error.text, "column ", 7) != 0) {
		abort();
	}
	record_filter_close(&filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtap_filter *filter;
	struct rtap_error error = { .text = "" };
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (rtap_filter_open(&filter, text, &error) == RTAP_STATUS_OK)
		match(filter);
	else if (filter || error.column < 1 || error.column > strlen(text) + 1 || strncmp(error.text, "column ", 7) != 0)
		abort();
	rtap_filter_close(filter);
	match_records("operations", text);
	match_records("connections", text);
	free(text);
	return 0;
}
