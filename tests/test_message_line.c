/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pieces of a line are written in place if the longest one fits, else to a buffer first: both lines are equal, and fit. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissect/engine/line.h"
#include "output/message/messages.h"

#define ROOM 2048

static const struct rtap_connection connection = {
	.number = UINT64_MAX,
	.a = { .address = { 0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44, 0x55, 0x55, 0x66, 0x66, 0x77, 0x77, 0x88, 0x88 },
	       .address_length = 16, .qpn_known = true, .port_known = true, .port = UINT16_MAX, .qpn = UINT32_MAX },
	.b = { .address = { 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10 },
	       .address_length = 16, .qpn_known = true, .port_known = true, .port = UINT16_MAX, .qpn = UINT32_MAX },
};

static const struct clock_listing relative = { .form = CLOCK_RELATIVE };

/* All parts of a line, with the largest numbers. */
static struct rtap_message longest(void)
{
	return (struct rtap_message){
		.number = UINT64_MAX, .connection = &connection, .has_immediate = true, .has_invalidate = true, .has_crc = true,
		.has_latency = true, .has_key = true, .complete = true, .length_known = true, .request_seen = true, .bytes_evicted = true,
		.first_frame = UINT64_MAX - 1, .last_frame = UINT64_MAX, .repeats = UINT64_MAX, .time_ns = INT64_MIN, .latency_ns = INT64_MIN,
		.length = UINT64_MAX, .r_key = UINT32_MAX, .invalidated_r_key = UINT32_MAX, .immediate = UINT64_MAX,
		.virtual_address = UINT64_MAX, .swap_or_add = UINT64_MAX, .compare = UINT64_MAX, .original = UINT64_MAX,
		.program_known = true, .reply_chunk = true, .has_rpc_status = true, .xid = UINT32_MAX, .program = UINT32_MAX,
		.version = UINT32_MAX, .procedure = UINT32_MAX, .rpc_status = UINT32_MAX, .rdma_error = UINT32_MAX, .read_chunks = UINT32_MAX,
		.write_chunks = UINT32_MAX, .partner = UINT64_MAX, .crc32 = UINT32_MAX,
	};
}

/* In blocks of just that room, where a byte too many is seen. */
static void check_rooms(const struct rtap_message *message)
{
	static char whole[ROOM];
	struct line line;
	size_t length;

	line_init(&line, whole, sizeof whole);
	message_text(message, &relative, true, &line);
	cr_assert(!line.cut);
	length = (size_t)(line.next - whole);
	for (size_t room = 0; room < length + 700; room++) {
		char *block = malloc(room + !room);

		cr_assert(block);
		line_init(&line, block, room);
		message_text(message, &relative, true, &line);
		cr_assert_eq(line.cut, room < length, "%zu of %zu bytes", room, length);
		cr_assert(line.cut || ((size_t)(line.next - block) == length && !memcmp(block, whole, length)), "%zu of %zu bytes", room, length);
		free(block);
	}
}

TestSuite(message_line, .timeout = HANG_SECONDS);

Test(message_line, is_the_same_in_any_room)
{
	struct rtap_message message = longest();

	for (unsigned kind = 0; kind < RTAP_KIND_COUNT; kind++)
		for (unsigned verb = 0; verb < RTAP_VERB_COUNT; verb++) {
			message.kind = (uint8_t)kind;
			message.verb = (uint8_t)verb;
			message.outcome = (uint8_t)((kind + verb) % RTAP_OUTCOME_COUNT);
			message.is_rpc = kind == RTAP_KIND_RPC_CALL || kind == RTAP_KIND_RPC_REPLY;
			check_rooms(&message);
		}
}

/* Programs with texts of their own, and those that have only a name. */
Test(message_line, holds_every_program)
{
	static const uint32_t programs[] = { 100000, 100003, 100005, 100021, 100024, 100227, 0x40000000, 7 };
	struct rtap_message message = longest();

	message.kind = RTAP_KIND_RPC_REPLY;
	message.is_rpc = true;
	message.outcome = RTAP_OUTCOME_UNANSWERED;
	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
		for (uint32_t version = 0; version < 6; version++) {
			message.program = programs[i];
			message.version = version == 5 ? UINT32_MAX : version;
			check_rooms(&message);
		}
}

Test(message_line, has_all_parts)
{
	static char text[ROOM];
	struct rtap_message message = longest();
	struct line line;

	message.kind = RTAP_KIND_ATOMIC;
	message.verb = RTAP_VERB_COMPARE_SWAP;
	message.outcome = RTAP_OUTCOME_UNANSWERED;
	message.frames = 1;
	line_init(&line, text, sizeof text);
	message_text(&message, &relative, true, &line);
	cr_assert_not_null(strstr(text, "#18446744073709551615 [fedc:ba98:7654:3210:fedc:ba98:7654:3210]:0xffffffff > "
					"[1111:2222:3333:4444:5555:6666:7777:8888]:0xffffffff compare_swap "), "%s", text);
	cr_assert_not_null(strstr(text, " 18446744073709551615 B, 1 of frames 18446744073709551614-18446744073709551615, "
					"0xffffffff+0xffffffffffffffff, compare 0xffffffffffffffff swap 0xffffffffffffffff, was 0xffffffffffffffff, "),
			   "%s", text);
	cr_assert_not_null(strstr(text, ", 18446744073709551615 repeats, crc32 ffffffff, bytes not kept for lack of memory"), "%s", text);
}
