/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "dissect/dissect.h"
#include "reassembly/captured_copies.h"
#include "tests/roce_kit.h"

#define MILLISECOND INT64_C(1000000)
#define ICRC_LENGTH 4

static struct captured_copies *copies;
static uint64_t frames;

static void begin(void)
{
	copies = captured_copies_create(true);
	cr_assert_not_null(copies);
	frames = 0;
}

static void end(void)
{
	captured_copies_destroy(copies);
}

/* A SEND, as captured at a point without its last `cut` bytes. The IPv4 identification is the PSN's. */
static enum captured_copy take(uint16_t point, int64_t time_ns, uint32_t psn, uint8_t icrc, uint32_t cut)
{
	static const uint8_t bytes[64];
	uint8_t whole[ROCE_MAX_FRAME];
	struct roce roce = { .source = 0x0a000001, .destination = 0x0a000002, .opcode = 4, .dest_qp = 2, .psn = psn,
			     .payload = bytes, .payload_length = 64 };
	uint32_t length = roce_frame(whole, &roce);
	struct rtap_frame frame = { .bytes = whole, .captured_length = length - cut, .wire_length = length, .link_type = RTAP_LINK_RAW,
				    .number = ++frames, .time_ns = time_ns, .capture_point = point };
	struct rtap_packet packet;

	roce_put(whole + 4, psn, 2);
	roce_seal(whole, length);
	whole[length - 1] = (uint8_t)(whole[length - 1] ^ icrc);
	dissect_frame(&frame, NULL, &packet);
	return captured_copies_take(copies, &packet, NULL);
}

TestSuite(captured_copies, .init = begin, .fini = end, .timeout = HANG_SECONDS);

Test(captured_copies, a_packet_of_another_point_is_a_copy)
{
	cr_expect_eq(take(0, 0, 1, 0, 0), CAPTURED_FIRST);
	cr_expect_eq(take(1, 5 * MILLISECOND, 1, 0, 0), CAPTURED_ELSEWHERE);
	cr_expect_eq(take(2, 9 * MILLISECOND, 1, 0, 0), CAPTURED_ELSEWHERE);
	cr_expect_eq(take(1, 10 * MILLISECOND, 2, 0, 0), CAPTURED_FIRST);
	cr_expect_eq(captured_copies_summary(copies).packets, 2);
}

Test(captured_copies, packets_with_different_invariant_crcs_are_not_copies)
{
	cr_expect_eq(take(0, 0, 1, 0, 0), CAPTURED_FIRST);
	cr_expect_eq(take(1, MILLISECOND, 1, 0x55, 0), CAPTURED_FIRST);
	cr_expect_eq(take(2, MILLISECOND, 1, 0x55, 0), CAPTURED_ELSEWHERE);
	cr_expect_eq(captured_copies_summary(copies).packets, 1);
}

Test(captured_copies, a_crc_that_the_capture_truncated_differs_from_none)
{
	cr_expect_eq(take(0, 0, 1, 0, 0), CAPTURED_FIRST);
	cr_expect_eq(take(1, MILLISECOND, 1, 0, ICRC_LENGTH), CAPTURED_ELSEWHERE);
	cr_expect_eq(take(0, 2 * MILLISECOND, 2, 0, 1), CAPTURED_FIRST);
	cr_expect_eq(take(1, 3 * MILLISECOND, 2, 0x55, 0), CAPTURED_ELSEWHERE);
}

Test(captured_copies, the_same_point_has_it_twice_only_if_the_network_doubled_it)
{
	for (uint32_t psn = 1; psn < 10; psn++)
		cr_assert_eq(take(0, psn * MILLISECOND, psn, 0, 0), CAPTURED_FIRST);
	cr_expect_eq(take(0, 9 * MILLISECOND + 1000, 9, 0, 0), CAPTURED_DOUBLED);
	/* with another CRC it was sent again */
	cr_expect_eq(take(0, 9 * MILLISECOND + 2000, 9, 0x55, 0), CAPTURED_FIRST);
	cr_expect_eq(take(0, 900 * MILLISECOND, 8, 0, 0), CAPTURED_FIRST, "much later");
}
