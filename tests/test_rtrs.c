/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RTRS: which bytes are a request, a response, private data. Layouts as Linux has them: drivers/infiniband/ulp/rtrs, drivers/block/rnbd.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/engine/cursor.h"
#include "dissect/rnbd/rnbd.h"
#include "dissect/rnbd/rtrs.h"
#include "dissect/rnbd/rtrs_private.h"

static void little(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

#define DATA 512
#define USER 32
#define WRITE_TOTAL (DATA + USER + 4)
#define READ_TOTAL (USER + 8 + 16)

static void make_io(uint8_t *at, unsigned operation, uint32_t bytes)
{
	memset(at, 0, USER);
	little(at, 4, 2);
	little(at + 8, 77, 8);
	little(at + 16, operation, 4);
	little(at + 20, bytes, 4);
}

static void make_write(uint8_t *request)
{
	memset(request, 0x5a, DATA);
	make_io(request + DATA, 1, DATA);
	little(request + DATA + USER, 2, 2);
	little(request + DATA + USER + 2, USER, 2);
}

static void make_read(uint8_t *request)
{
	make_io(request, 0, DATA);
	little(request + USER, 3, 2);
	little(request + USER + 2, USER, 2);
	little(request + USER + 4, 1, 2);
	little(request + USER + 6, 1, 2);
	little(request + USER + 8, 0x7f0000001000, 8);
	little(request + USER + 16, 0x1234, 4);
	little(request + USER + 20, DATA, 4);
}

TestSuite(rtrs, .timeout = HANG_SECONDS);

Test(rtrs, the_queue_depth_determines_the_bits_of_a_position)
{
	static const struct { uint32_t depth; unsigned bits; } rows[] = {
		{ 0, 0 }, { 1, 28 }, { 2, 27 }, { 3, 26 }, { 4, 26 }, { 5, 25 }, { 128, 21 }, { 511, 19 }, { 512, 19 }, { 513, 18 }, { 65535, 12 },
		{ 65536, 12 }, { 65537, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		cr_expect_eq(rtrs_place_bits(rows[i].depth), rows[i].bits, "%u", rows[i].depth);
}

Test(rtrs, a_write_is_found_from_its_end)
{
	uint8_t whole[WRITE_TOTAL];
	struct rtrs_request request;

	make_write(whole);
	for (uint32_t length = 0; length <= WRITE_TOTAL; length++) {
		uint8_t *tail = malloc(length + 1); /* exact, for sanitizers */
		bool found;

		memcpy(tail, whole + WRITE_TOTAL - length, length);
		tail = realloc(tail, length ? length : 1);
		found = rtrs_find_request(tail, length, WRITE_TOTAL, 3u << 19 | (DATA + USER), &request);
		cr_expect_eq(found, length >= 4, "%u", length);
		if (found) {
			cr_expect_eq(request.type, RTRS_WRITE);
			cr_expect_eq(request.data_length, DATA);
			cr_expect_eq(request.user != NULL, length >= USER + 4);
			cr_expect_eq(rtrs_request_proves_itself(&request, WRITE_TOTAL), length >= USER + 4);
		}
		free(tail);
	}
	/* the first packet was not captured: the message says how much data there is */
	cr_expect(rtrs_find_request(whole + DATA, USER + 4, 0, DATA + USER, &request));
	cr_expect_eq(request.data_length, DATA);
	cr_expect_not(rtrs_request_proves_itself(&request, 0));
}

Test(rtrs, a_read_names_memory)
{
	uint8_t whole[READ_TOTAL];
	struct rtrs_request request;

	make_read(whole);
	cr_assert(rtrs_find_request(whole, READ_TOTAL, READ_TOTAL, DATA + USER, &request));
	cr_expect_eq(request.type, RTRS_READ);
	cr_expect_eq(request.descriptor_count, 1);
	cr_expect_eq(request.data_length, DATA);
	cr_expect_eq(request.user, whole);
	cr_expect(rtrs_request_proves_itself(&request, READ_TOTAL));
	for (uint32_t length = 0; length < READ_TOTAL; length++)
		cr_expect_not(rtrs_find_request(whole + READ_TOTAL - length, length, READ_TOTAL, DATA + USER, &request), "%u", length);
}

/* Each byte of the headers and the immediate data counts. */
Test(rtrs, a_request_with_one_wrong_byte_proves_nothing)
{
	uint8_t whole[WRITE_TOTAL], read[READ_TOTAL];
	static const uint8_t at_write[] = { DATA - DATA, 1, 2, 3, 16, 20, 21, USER, USER + 1, USER + 2, USER + 3 };
	static const uint8_t at_read[] = { 0, 1, 2, 3, 16, 20, 21, USER, USER + 1, USER + 2, USER + 3, USER + 4, USER + 6, USER + 7, USER + 20, USER + 21 };
	struct rtrs_request request;

	for (size_t i = 0; i < sizeof at_write; i++) {
		make_write(whole);
		whole[DATA + at_write[i]] ^= 0x44;
		cr_expect_not(rtrs_find_request(whole, WRITE_TOTAL, WRITE_TOTAL, DATA + USER, &request) && rtrs_request_proves_itself(&request, WRITE_TOTAL),
			      "%u", at_write[i]);
	}
	for (size_t i = 0; i < sizeof at_read; i++) {
		make_read(read);
		read[at_read[i]] ^= 0x44;
		cr_expect_not(rtrs_find_request(read, READ_TOTAL, READ_TOTAL, DATA + USER, &request) && rtrs_request_proves_itself(&request, READ_TOTAL),
			      "%u", at_read[i]);
	}
	make_write(whole);
	for (unsigned bit = 0; bit < 12; bit++)
		cr_expect_not(rtrs_find_request(whole, WRITE_TOTAL, WRITE_TOTAL, (DATA + USER) ^ 1u << bit, &request), "%u", bit);
	for (unsigned type = 1; type < 16; type++)
		cr_expect_not(rtrs_find_request(whole, WRITE_TOTAL, WRITE_TOTAL, type << 28 | (DATA + USER), &request), "%u", type);
}

Test(rtrs, operations_move_the_data_that_they_say)
{
	static const struct { unsigned operation; uint32_t bytes; bool is_read; uint64_t data; bool agrees; } rows[] = {
		{ 0, 512, true, 512, true }, { 0, 512, false, 512, false }, { 0, 0, true, 0, false }, { 1, 512, false, 512, true },
		{ 1, 512, true, 512, false }, { 1, 512, false, 511, false }, { 2, 0, true, 0, true }, { 2, 0, false, 0, true }, { 2, 512, true, 512, false },
		{ 3, 4096, false, 0, true }, { 3, 4096, false, 512, false }, { 4, 4096, false, 0, true }, { 5, 4096, false, 0, true },
		{ 5, 4096, false, 512, true }, { 6, 512, false, 512, false }, { 0xf01, 512, false, 512, true }, { 0x1001, 512, false, 512, false },
	};
	uint8_t message[USER];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		make_io(message, rows[i].operation, rows[i].bytes);
		cr_expect_eq(rnbd_agrees(message, USER, rows[i].is_read, rows[i].data), rows[i].agrees, "row %zu", i);
	}
}

static bool is_recognised(const uint8_t *bytes, uint32_t captured, uint32_t wire)
{
	return rtrs_recognise(&(struct cursor){ bytes, captured, wire });
}

Test(rtrs, information_is_recognised_by_all_of_it)
{
	uint8_t request[272] = { 0 }, response[8 + 2 * 16] = { 1, 0, 2 };

	memcpy(request + 2, "clt", 3);
	cr_expect(is_recognised(request, 272, 272));
	cr_expect_not(is_recognised(request, 271, 272));
	cr_expect_not(is_recognised(request, 271, 271));
	request[271] = 1;
	cr_expect_not(is_recognised(request, 272, 272));
	request[271] = 0;
	request[2] = 0;
	cr_expect_not(is_recognised(request, 272, 272));
	for (unsigned i = 0; i < 2; i++) {
		little(response + 8 + i * 16, 0x7f0000000000 + i * 0x20000, 8);
		little(response + 16 + i * 16, 0x1000 + i, 4);
		little(response + 20 + i * 16, 0x20000, 4);
	}
	cr_expect(is_recognised(response, sizeof response, sizeof response));
	cr_expect_not(is_recognised(response, sizeof response, sizeof response + 16));
	response[20] ^= 1;
	cr_expect_not(is_recognised(response, sizeof response, sizeof response));
}

Test(rtrs, a_key_response_names_the_buffer_of_its_immediate_data)
{
	const uint8_t response[8] = { 4, 0, 7, 0, 1, 2, 3, 4 };

	cr_expect(rtrs_is_rkey_response(response, 8, 0x10000007));
	cr_expect(rtrs_is_rkey_response(response, 8, 0x20280007)); /* errno 5 */
	cr_expect_not(rtrs_is_rkey_response(response, 8, 0x10000006));
	cr_expect_not(rtrs_is_rkey_response(response, 8, 0x00000007));
	cr_expect_not(rtrs_is_rkey_response(response, 7, 0x10000007));
	cr_expect_eq(rtrs_response_errno(0x20280007), 5);
	cr_expect_str_eq(rtrs_private_errno_name(5), "EIO");
	cr_expect_null(rtrs_private_errno_name(511));
}

Test(rtrs, private_data_without_a_known_port_needs_more_than_the_magic_number)
{
	uint8_t bytes[56] = { 0, 0, 0xbd, 0x1b, 0, 2, 0, 0, 2, 0 };

	memset(bytes + 12, 1, 32);
	cr_expect(rtrs_private_recognise(bytes, 56, true));
	cr_expect(rtrs_private_recognise(bytes, 56, false));
	cr_expect_not(rtrs_private_recognise(bytes, 55, true));
	bytes[55] = 1;
	cr_expect(rtrs_private_recognise(bytes, 56, true));
	cr_expect_not(rtrs_private_recognise(bytes, 56, false));
	bytes[55] = 0;
	bytes[6] = 2;
	cr_expect_not(rtrs_private_recognise(bytes, 56, false));
	bytes[2] = 0;
	cr_expect_not(rtrs_private_recognise(bytes, 56, true));
}
