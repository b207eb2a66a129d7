/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "reassembly/iwarp/iwarp_view.h"

#define LIMIT (UINT64_C(1) << 20)

static struct iwarp_view view;
static struct budget budget;
static struct rtap_packet packet;
#define FRAME_LENGTH 200

static uint8_t bytes[FRAME_LENGTH + 1]; /* the last one is after the frame */
static const struct rtap_frame frame = { .bytes = bytes, .captured_length = FRAME_LENGTH, .wire_length = FRAME_LENGTH, .number = 7 };
/* The view compares its streams only. */
static const struct iwarp_stream *const stream = (const struct iwarp_stream *)bytes, *const other = (const struct iwarp_stream *)(bytes + 1);

static void begin(void)
{
	view = (struct iwarp_view){ .entry.apart = true };
	budget_init(&budget, LIMIT);
	packet.tcp.payload.captured = FRAME_LENGTH;
	iwarp_view_begin(&view, &budget, &frame, &packet);
}

static void end(void)
{
	iwarp_view_fini(&view, &budget);
	cr_expect_eq(budget.used, 0, "%llu bytes are still charged", (unsigned long long)budget.used);
}

static uint32_t add(const struct iwarp_stream *of, const uint8_t *at, uint32_t length, bool kept)
{
	const struct rtap_fpdu fpdu = { .bytes = { at, length } };

	return iwarp_view_add(&view, &budget, of, &fpdu, kept);
}

TestSuite(iwarp_view, .init = begin, .fini = end, .timeout = HANG_SECONDS);

Test(iwarp_view, the_end_of_a_frame_discards_all_of_it)
{
	void *memory = malloc(100);
	uint64_t fillings, used;

	cr_assert_eq(add(stream, bytes, 100, false), 0);
	cr_assert_eq(add(stream, bytes + 100, 100, false), 1);
	used = budget.used;
	fillings = view.fillings;
	cr_assert(iwarp_view_keep(&view, &budget, memory, 100));
	view.ahead = (struct tcp_connection *)bytes;
	view.dissected = 1;
	iwarp_view_end(&view, &budget);
	cr_expect_null(view.stream);
	cr_expect_null(view.ahead);
	cr_expect_null(view.packet);
	cr_expect_null(view.frame.bytes);
	cr_expect_eq(view.count, 0);
	cr_expect_eq(view.number, 0);
	cr_expect_eq(view.dissected, 0);
	cr_expect_eq(view.kept_count, 0);
	cr_expect_gt(view.fillings, fillings, "FPDUs that wait do not take a later frame's for theirs");
	cr_expect_leq(budget.used, used + 16 * sizeof(void *), "memory kept for the frame is free");
	cr_expect_not(view.is_stale);
}

Test(iwarp_view, fpdus_have_the_numbers_of_their_order_and_those_of_another_stream_replace_them)
{
	struct rtap_context context = { 0 };

	for (uint32_t i = 0; i < 40; i++)
		cr_assert_eq(add(stream, bytes + i, 10, false), i);
	iwarp_view_context(&view, stream, &context);
	cr_expect(context.is_iwarp && context.fpdu_count == 40 && context.fpdus[39].bytes.bytes == bytes + 39);
	cr_assert_eq(add(other, bytes, 10, false), 0);
	context = (struct rtap_context){ 0 };
	iwarp_view_context(&view, stream, &context);
	cr_expect(context.is_iwarp && !context.fpdu_count);
	iwarp_view_discard(&view, stream);
	cr_expect_eq(view.count, 1, "another stream's");
	iwarp_view_discard(&view, other);
	cr_expect_eq(view.count, 0);
}

Test(iwarp_view, bytes_that_are_not_in_the_frame_are_copied_unless_they_are_kept)
{
	uint8_t elsewhere[50] = { 1, 2, 3 };

	cr_assert_eq(add(stream, bytes + 150, 50, false), 0);
	cr_assert_eq(add(stream, bytes + 151, 50, false), 1, "it ends after the frame");
	cr_assert_eq(add(stream, elsewhere, 50, false), 2);
	cr_assert_eq(add(stream, elsewhere, 50, true), 3);
	cr_expect_eq(view.list[0].bytes.bytes, bytes + 150);
	cr_expect_neq(view.list[1].bytes.bytes, bytes + 151);
	cr_expect_neq(view.list[2].bytes.bytes, elsewhere);
	cr_expect_arr_eq(view.list[2].bytes.bytes, elsewhere, 50);
	cr_expect_eq(view.list[3].bytes.bytes, elsewhere);
}

Test(iwarp_view, layers_beyond_the_limit_are_not_shown)
{
	uint8_t *elsewhere = calloc(1, LIMIT);

	cr_assert_not_null(elsewhere);
	cr_expect_not(iwarp_view_has_room(&view, &budget, LIMIT + 1));
	cr_expect(iwarp_view_has_room(&view, &budget, 1000));
	cr_assert_eq(add(stream, elsewhere, 1000, false), 0);
	cr_expect_eq(add(stream, elsewhere, LIMIT, false), IWARP_NOT_SHOWN);
	cr_expect_eq(view.count, 1);
	free(elsewhere);
}

/* FPDUs that are processed in another order than they are shown. */
Test(iwarp_view, an_fpdu_before_those_that_the_packet_shows_makes_it_stale)
{
	const struct rtap_context context = { 0 };

	cr_assert_eq(add(stream, bytes, 50, false), 0);
	cr_assert_eq(add(stream, bytes + 50, 50, false), 1);
	cr_expect_null(iwarp_view_enter(&view, &context, IWARP_NOT_SHOWN, false));
	cr_expect_not(view.is_stale);
	view.dissected = 2;
	cr_expect_null(iwarp_view_enter(&view, &context, 1, false));
	cr_expect(view.is_stale);
	iwarp_view_begin(&view, &budget, &frame, &packet);
	cr_expect_not(view.is_stale);
}

Test(iwarp_view, the_packet_of_a_segment_without_data_shows_nothing)
{
	packet.tcp.payload.captured = 0;
	iwarp_view_begin(&view, &budget, &frame, &packet);
	cr_assert_eq(add(stream, bytes, 100, false), 0);
	cr_expect_null(iwarp_view_enter(&view, &(struct rtap_context){ 0 }, 0, false));
}
