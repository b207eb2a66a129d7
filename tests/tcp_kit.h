/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: TCP segments as frames between 10.0.0.1 port 40000 (A) and 10.0.0.2 port 2049 (B).
 */
#ifndef TESTS_TCP_KIT_H
#define TESTS_TCP_KIT_H

#include "tests/frame_kit.h"

enum { FIN = RTAP_TCP_FLAG_FIN, SYN = RTAP_TCP_FLAG_SYN, RST = RTAP_TCP_FLAG_RST, ACK = RTAP_TCP_FLAG_ACK };

struct tcp_kit_segment {
	bool from_b;
	uint8_t flags;
	uint32_t seq, ack;
	const uint8_t *bytes;
	uint32_t length;
	uint32_t cut;           /* bytes of the data that the capture cut off */
	bool no_window;         /* the window is 0 */
	uint32_t sack_left, sack_right;
	uint16_t point;
	int64_t time_ns;
	uint16_t port;          /* of A; 0: 40000 */
};

static inline void tcp_kit_put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void tcp_kit_put32(uint8_t *at, uint32_t value)
{
	tcp_kit_put16(at, value >> 16);
	tcp_kit_put16(at + 2, value);
}

/* Makes and dissects the frame; kit_free() afterwards. Cut bytes need not be at `bytes`. */
static inline void tcp_kit_dissect(struct kit *kit, const struct tcp_kit_segment *segment, uint64_t number)
{
	static uint8_t frame[65536];
	uint32_t options = segment->sack_right != segment->sack_left ? 12 : 0, header = 40 + options;
	uint32_t there = segment->length - segment->cut, port = segment->port ? segment->port : 40000;

	memset(frame, 0, header);
	frame[0] = 0x45;
	tcp_kit_put16(frame + 2, header + segment->length);
	frame[8] = 64;
	frame[9] = 6;
	frame[12] = frame[16] = 10;
	frame[15] = segment->from_b ? 2 : 1;
	frame[19] = segment->from_b ? 1 : 2;
	tcp_kit_put16(frame + 20, segment->from_b ? 2049 : port);
	tcp_kit_put16(frame + 22, segment->from_b ? port : 2049);
	tcp_kit_put32(frame + 24, segment->seq);
	tcp_kit_put32(frame + 28, segment->ack);
	frame[32] = (uint8_t)((5 + options / 4) << 4);
	frame[33] = segment->flags;
	tcp_kit_put16(frame + 34, segment->no_window ? 0 : 512);
	if (options) {
		frame[40] = frame[41] = 1;
		frame[42] = 5;
		frame[43] = 10;
		tcp_kit_put32(frame + 44, segment->sack_left);
		tcp_kit_put32(frame + 48, segment->sack_right);
	}
	if (there)
		memcpy(frame + header, segment->bytes, there);
	kit_dissect(kit, RTAP_LINK_RAW, frame, header + there, header + segment->length, NULL);
	kit->frame.number = number;
	kit->frame.time_ns = segment->time_ns;
	kit->frame.capture_point = segment->point;
}

#endif
