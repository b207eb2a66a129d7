/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: a tracker that is given RoCEv2 packets between two queue pairs, and what it reported.
 */
#ifndef TESTS_ROCE_STREAM_KIT_H
#define TESTS_ROCE_STREAM_KIT_H

#include <criterion/criterion.h>

#include <rdmatap/tracker.h>

#include "tests/roce_kit.h"

#define A 0x0a000001u
#define B 0x0a000002u
#define QP_A 0x11u
#define QP_B 0x22u
#define MIB (UINT64_C(1) << 20)
#define MICROSECOND INT64_C(1000)

enum {
	SEND_FIRST = 0x00, SEND_MIDDLE = 0x01, SEND_LAST = 0x02, SEND_ONLY = 0x04, WRITE_FIRST = 0x06, WRITE_MIDDLE = 0x07, WRITE_LAST = 0x08,
	READ_REQUEST = 0x0c, READ_FIRST = 0x0d, READ_MIDDLE = 0x0e, READ_LAST = 0x0f, READ_ONLY = 0x10, ACK = 0x11,
	ATOMIC_ACK = 0x12, FETCH_ADD = 0x14, UD_SEND = 0x64,
};

static struct rtap_tracker *tracker;
static struct rtap_tracker_counters counters;
static struct rtap_packet packet;
static uint64_t frames;
static uint32_t snap_length; /* of the capture; 0: none */
static uint16_t point;
static int64_t now_ns;
static uint8_t payload[4096];

/* What was reported. */
static uint64_t reported, complete, connections, evicted_connections, by_cm, missing_evicted;
static struct rtap_message last, by_kind[RTAP_KIND_COUNT];
static struct rtap_connection first_connection;

static inline void note_message(void *owner, const struct rtap_message *message)
{
	(void)owner;
	reported++;
	complete += message->complete;
	for (uint32_t i = 0; i < message->missing_count; i++)
		missing_evicted += message->missing[i].reason == RTAP_MISSING_EVICTED;
	cr_assert_eq(message->number, reported);
	cr_assert(!message->complete || !message->missing_count);
	last = by_kind[message->kind] = *message;
}

static inline void note_connection(void *owner, const struct rtap_connection *connection)
{
	(void)owner;
	connections++;
	evicted_connections += connection->anomaly_counts[RTAP_CONNECTION_ANOMALY_EVICTED];
	by_cm += connection->learned_by_cm && connection->a.qpn_known && connection->b.qpn_known;
	if (connection->number == 1)
		first_connection = *connection;
}

static inline void begin(uint64_t max_memory, bool checksums)
{
	struct rtap_tracker_options options = {
		.size = sizeof options,
		.max_memory = max_memory, .checksums = checksums, .message = note_message, .connection = note_connection,
	};

	cr_assert_eq(rtap_tracker_open(&tracker, &options, NULL), RTAP_STATUS_OK);
	frames = reported = complete = connections = evicted_connections = by_cm = missing_evicted = 0;
	now_ns = INT64_C(1700000000000000000);
}

static inline void end(void)
{
	rtap_tracker_finish(tracker);
	rtap_tracker_counters(tracker, &counters, sizeof counters);
	rtap_tracker_close(tracker);
	cr_expect_eq(counters.messages, reported);
	cr_expect_eq(counters.connections, connections);
	cr_expect_eq(counters.incomplete_messages, reported - complete);
}

static inline void give_frame(const uint8_t *bytes, uint32_t length)
{
	struct rtap_frame frame = {
		.bytes = bytes, .captured_length = length, .wire_length = length, .link_type = RTAP_LINK_RAW, .number = ++frames, .time_ns = now_ns,
		.capture_point = point,
	};

	if (snap_length && length > snap_length)
		frame.captured_length = snap_length;
	rtap_tracker_frame(tracker, &frame, &packet);
	now_ns += MICROSECOND;
}

static inline void give_sealed(struct roce roce)
{
	static uint8_t frame[ROCE_MAX_FRAME];
	uint32_t length = roce_frame(frame, &roce);

	roce_seal(frame, length);
	give_frame(frame, length);
}

static inline void give(struct roce roce)
{
	static uint8_t frame[ROCE_MAX_FRAME];

	give_frame(frame, roce_frame(frame, &roce));
}

/* From a to b, or back. */
#define REQUEST(code, number, ...) \
	give((struct roce){ .source = A, .destination = B, .dest_qp = QP_B, .opcode = code, .psn = (number) & 0xffffff, __VA_ARGS__ })
#define REQUEST_SEALED(code, number, ...) \
	give_sealed((struct roce){ .source = A, .destination = B, .dest_qp = QP_B, .opcode = code, .psn = (number) & 0xffffff, __VA_ARGS__ })
#define RESPONSE(code, number, ...) \
	give((struct roce){ .source = B, .destination = A, .dest_qp = QP_A, .opcode = code, .psn = (number) & 0xffffff, __VA_ARGS__ })
#define BYTES(count) .payload = payload, .payload_length = (count)

#endif
