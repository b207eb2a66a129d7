/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Input of fuzzers of requests over RoCE: records, each a packet between two of a few hosts. Byte 1 of a record says by whom
 * it is, and what becomes of it; byte 7 how far sequence numbers jump, or 255 for a long time before it.
 */
#ifndef RDMATAP_TESTS_FUZZ_REQUEST_RECORDS_H
#define RDMATAP_TESTS_FUZZ_REQUEST_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/tracker.h>

#include "tests/roce_kit.h"

#define RECORD_PAIRS 3
#define RECORD_SLACK ((UINT64_C(1) << 20) + (UINT64_C(1) << 16)) /* of the memory limit, as fuzz_conversation.c */

/* Byte 1; the others are the harness's. */
enum { RECORD_BY_SECOND = 1, RECORD_IS_CUT = 2, RECORD_COMES_TWICE = 4, RECORD_JUMPS = 8, RECORD_GOES_BACK = 16 };

struct records {
	struct rtap_tracker *tracker;
	uint64_t frames;
	uint32_t psn[RECORD_PAIRS][2];
	int64_t time_ns;
};

static inline struct records records_begin(void)
{
	return (struct records){ .psn = { { 100, 1000 }, { 200, 2000 }, { 300, 3000 } }, .time_ns = INT64_C(1700000000000000000) };
}

/* The PSN of the record's packet; answers have one of the other end's requests. */
static inline uint32_t records_psn(struct records *records, const uint8_t *record, unsigned pair, bool by_second, bool is_answer)
{
	uint32_t *psn = &records->psn[pair][by_second];

	if (record[1] & RECORD_JUMPS)
		*psn += 1 + (record[7] & 3u);
	return (is_answer ? records->psn[pair][!by_second] - 1 : record[1] & RECORD_GOES_BACK ? *psn - 1 - (record[7] & 3u) : (*psn)++) & 0xffffff;
}

/* Hosts of pair n are numbers n + 1 and n + 2: they are a ring. */
static inline void records_give(struct records *records, const uint8_t *record, struct roce roce, unsigned pair, bool by_second)
{
	static uint8_t whole[ROCE_MAX_FRAME];
	static struct rtap_packet packet;
	uint32_t hosts[2] = { 0x0a000001 + pair, 0x0a000001 + (pair + 1) % RECORD_PAIRS }, length, captured;

	roce.source = hosts[by_second];
	roce.destination = hosts[!by_second];
	roce.dest_qp = 2 * pair + (by_second ? 1 : 2);
	length = roce_frame(whole, &roce);
	roce_seal(whole, length);
	captured = record[1] & RECORD_IS_CUT ? length - length / 4 : length;
	for (int i = 0; i < (record[1] & RECORD_COMES_TWICE ? 2 : 1); i++) {
		records->frames++;
		records->time_ns += 1000 + (record[7] == 255 ? INT64_C(40000000000) : 0);
		rtap_tracker_frame(records->tracker, &(struct rtap_frame){ .bytes = whole, .captured_length = captured, .wire_length = length,
									     .link_type = RTAP_LINK_RAW, .number = records->frames,
									     .time_ns = records->time_ns }, &packet);
	}
}

#endif
