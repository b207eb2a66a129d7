/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records and blocks are found from any byte on, and none where there is none.
 */
#include "config.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "capture/file/record_search.h"

#define RECORDS 40

TestSuite(record_search, .timeout = HANG_SECONDS);

static void put(uint8_t *to, uint32_t value, bool swapped)
{
	value = swapped ? __builtin_bswap32(value) : value;
	memcpy(to, &value, sizeof value);
}

/* Records of pcap with frames of 0xff, of 9, 10, 11 ... bytes. Returns their length; *begins: where each begins. */
static size_t build_pcap(uint8_t *bytes, size_t *begins, bool swapped)
{
	size_t used = 0;

	for (uint32_t i = 0; i < RECORDS; i++) {
		begins[i] = used;
		put(bytes + used, 1700000000 + i, swapped);
		put(bytes + used + 4, 999999, swapped);
		put(bytes + used + 8, 9 + i, swapped);
		put(bytes + used + 12, 100, swapped);
		memset(bytes + used + 16, 0xff, 9 + i);
		used += 16 + 9 + i;
	}
	return used;
}

/* Enhanced packet blocks with frames of 4, 8, 12 ... bytes. */
static size_t build_pcapng(uint8_t *bytes, size_t *begins, bool swapped)
{
	size_t used = 0;

	for (uint32_t i = 0; i < RECORDS; i++) {
		uint32_t captured = 4 + 4 * i, length = 32 + captured;

		begins[i] = used;
		memset(bytes + used, 0xff, length);
		put(bytes + used, 6, swapped);
		put(bytes + used + 4, length, swapped);
		put(bytes + used + 20, captured, swapped);
		put(bytes + used + 24, captured, swapped);
		put(bytes + used + length - 4, length, swapped);
		used += length;
	}
	return used;
}

static void check_all_offsets(const struct record_search *search, const uint8_t *bytes, size_t length, const size_t *begins)
{
	unsigned next = 0;

	for (size_t from = 0; from < length; from++) {
		size_t found = record_search(search, bytes + from, length - from, from, true);

		while (next < RECORDS && begins[next] < from)
			next++;
		if (next == RECORDS)
			cr_assert_eq(found, RECORD_SEARCH_NONE, "from %zu: %zu", from, found);
		else
			cr_assert_eq(found, begins[next] - from, "from %zu: %zu", from, found);
	}
}

Test(record_search, finds_the_next_record_from_every_byte)
{
	uint8_t bytes[1 << 14];
	size_t begins[RECORDS], length;

	for (int swapped = 0; swapped < 2; swapped++) {
		struct record_search pcap = { .swapped = swapped, .fraction_limit = 1000000 }, pcapng = { .is_pcapng = true, .swapped = swapped };

		length = build_pcap(bytes, begins, swapped);
		check_all_offsets(&pcap, bytes, length, begins);
		length = build_pcapng(bytes, begins, swapped);
		check_all_offsets(&pcapng, bytes, length, begins);
	}
}

Test(record_search, blocks_begin_at_multiples_of_four_of_the_file)
{
	const struct record_search search = { .is_pcapng = true };
	uint8_t bytes[1 << 14];
	size_t begins[RECORDS], length = build_pcapng(bytes, begins, false);

	cr_assert_eq(record_search(&search, bytes, length, 8, true), 0);
	cr_assert_eq(record_search(&search, bytes, length, 9, true), RECORD_SEARCH_NONE);
}

Test(record_search, finds_nothing_where_there_is_none)
{
	const struct record_search pcap = { .fraction_limit = 1000000 }, pcapng = { .is_pcapng = true };
	uint8_t bytes[4096];
	size_t begins[RECORDS];

	for (int value = 0; value < 256; value++) {
		memset(bytes, value, sizeof bytes);
		cr_assert_eq(record_search(&pcap, bytes, sizeof bytes, 0, false), RECORD_SEARCH_NONE);
		cr_assert_eq(record_search(&pcapng, bytes, sizeof bytes, 0, false), RECORD_SEARCH_NONE);
	}
	/* one record at the end of a longer file proves nothing */
	(void)build_pcap(bytes, begins, false);
	cr_assert_eq(record_search(&pcap, bytes, begins[1], 0, false), RECORD_SEARCH_NONE);
	cr_assert_eq(record_search(&pcap, bytes, begins[1], 0, true), 0);
	/* a part of a second that is none */
	put(bytes + 4, 1000000, false);
	cr_assert_eq(record_search(&pcap, bytes, begins[1], 0, true), RECORD_SEARCH_NONE);
}

/* Nothing after the bytes is read: they end in front of a page that cannot be. */
Test(record_search, reads_nothing_beyond_the_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), begins[RECORDS], length;
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), built[1 << 14];

	cr_assert_neq(pages, MAP_FAILED);
	cr_assert_eq(mprotect(pages + page, page, PROT_NONE), 0);
	for (int is_pcapng = 0; is_pcapng < 2; is_pcapng++) {
		struct record_search search = { .is_pcapng = is_pcapng, .fraction_limit = 1000000 };

		length = is_pcapng ? build_pcapng(built, begins, false) : build_pcap(built, begins, false);
		cr_assert_lt(begins[5], page);
		for (size_t end = 1; end < begins[5]; end++)
			for (size_t from = 0; from < end; from++) {
				memcpy(pages + page - (end - from), built + from, end - from);
				(void)record_search(&search, pages + page - (end - from), end - from, from, from % 2);
			}
	}
	cr_assert_gt(length, 0);
	munmap(pages, 2 * page);
}
