/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"

static char memory[256];

static void begin(struct line *line)
{
	line_init(line, memory, sizeof memory - 1);
}

static const char *end(struct line *line)
{
	*line->next = 0;
	return memory;
}

TestSuite(line, .timeout = HANG_SECONDS);

Test(line, numbers_are_written_as_printf_writes_them)
{
	static const uint64_t numbers[] = { 0, 1, 9, 10, 99, 100, 101, 999, 1000, 65535, 65536, 0xffffff, 1234567890, UINT32_MAX,
					    UINT64_C(4294967296), UINT64_C(9999999999999999999), UINT64_MAX };

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		char expected[64];
		struct line line;

		snprintf(expected, sizeof expected, "%" PRIu64 " 0x%" PRIx64 " 0x%08" PRIx64, numbers[i], numbers[i], numbers[i]);
		begin(&line);
		line_dec(&line, numbers[i]);
		line_char(&line, ' ');
		line_hex(&line, numbers[i], 1);
		line_char(&line, ' ');
		line_hex(&line, numbers[i], 8);
		cr_expect_str_eq(end(&line), expected);
	}
}

/* Each line of a length in turn, up to one more than the whole: the result is the beginning of the whole, marked as truncated. */
static void expect_cuts(void (*write)(struct line *line, const void *what), const void *what, const char *expected)
{
	size_t length = strlen(expected);

	for (size_t size = 0; size <= length + LINE_SHORT; size++) {
		size_t fits = size < length ? size : length;
		char *block = malloc(size ? size : 1);
		struct line line;

		line_init(&line, block, size);
		write(&line, what);
		cr_expect_eq(line.cut, size < length, "%s in %zu", expected, size);
		cr_expect_eq((size_t)(line.next - block), fits, "%s in %zu", expected, size);
		cr_expect_eq(memcmp(block, expected, fits), 0, "%s in %zu", expected, size);
		free(block);
	}
}

static void write_dec(struct line *line, const void *what)
{
	line_dec(line, *(const uint64_t *)what);
}

static void write_hex(struct line *line, const void *what)
{
	line_hex(line, *(const uint64_t *)what, 1);
}

static void write_padded(struct line *line, const void *what)
{
	line_dec_padded(line, *(const uint64_t *)what, 20);
}

static void write_seconds(struct line *line, const void *what)
{
	line_seconds(line, *(const int64_t *)what);
}

static void expect_number(uint64_t number)
{
	char expected[64];
	uint64_t magnitude = (int64_t)number < 0 ? -number : number;

	snprintf(expected, sizeof expected, "%" PRIu64, number);
	expect_cuts(write_dec, &number, expected);
	snprintf(expected, sizeof expected, "0x%" PRIx64, number);
	expect_cuts(write_hex, &number, expected);
	snprintf(expected, sizeof expected, "%020" PRIu64, number);
	expect_cuts(write_padded, &number, expected);
	snprintf(expected, sizeof expected, "%s%" PRIu64 ".%09" PRIu64, (int64_t)number < 0 ? "-" : "", magnitude / 1000000000,
		 magnitude % 1000000000);
	expect_cuts(write_seconds, &number, expected);
}

Test(line, numbers_at_the_edge_of_each_width_are_whole_or_cut)
{
	uint64_t power = 1;

	for (unsigned bits = 0; bits < 64; bits++)
		for (uint64_t near = 0; near < 3; near++)
			expect_number((UINT64_C(1) << bits) - 1 + near);
	for (unsigned digits = 0; digits < 20; digits++, power *= 10)
		for (uint64_t near = 0; near < 3; near++)
			expect_number(power - 1 + near);
	expect_number(UINT64_MAX);
	for (uint64_t number = 0; number < 11000; number++) {
		char expected[16];
		struct line line;

		snprintf(expected, sizeof expected, "%" PRIu64, number);
		begin(&line);
		line_dec(&line, number);
		cr_assert_str_eq(end(&line), expected);
	}
}

Test(line, hexadecimal_digits_have_a_minimum_and_are_at_most_sixteen)
{
	for (unsigned digits = 0; digits <= 20; digits++)
		for (unsigned bits = 0; bits < 64; bits++) {
			uint64_t number = UINT64_C(1) << bits;
			char expected[32];
			struct line line;

			snprintf(expected, sizeof expected, "%0*" PRIx64, (int)(digits > 16 ? 16 : digits), number);
			begin(&line);
			line_hex_digits(&line, number, digits);
			cr_assert_str_eq(end(&line), expected);
		}
}

Test(line, one_is_counted_as_one)
{
	static const struct {
		uint64_t count;
		const char *text;
	} cases[] = { { 0, "0 replies" }, { 1, "1 reply" }, { 2, "2 replies" }, { UINT64_C(4294967297), "4294967297 replies" } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct line line;

		begin(&line);
		line_count(&line, cases[i].count, "reply", "replies");
		cr_expect_str_eq(end(&line), cases[i].text);
	}
}

Test(line, seconds_have_nine_decimals_and_a_sign)
{
	static const struct {
		int64_t nanoseconds;
		const char *text;
	} cases[] = {
		{ 0, "0.000000000" }, { 1, "0.000000001" }, { -1, "-0.000000001" }, { 1795187507431651000, "1795187507.431651000" },
		{ -1500000000, "-1.500000000" }, { INT64_MAX, "9223372036.854775807" }, { INT64_MIN, "-9223372036.854775808" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct line line;

		begin(&line);
		line_seconds(&line, cases[i].nanoseconds);
		cr_expect_str_eq(end(&line), cases[i].text);
	}
}

Test(line, ipv6_addresses_follow_rfc_5952_and_are_read_back)
{
	static const char *const addresses[] = {
		"::", "::1", "1::", "fe80::1", "fd00:77::2", "1:2:3:4:5:6:7:8", "1:0:0:4:5:6:7:8", "1:0:3:4:5:6:7:8", "2001:db8::1:0:0:1",
		"2001:0:0:1::1", "::ffff:10.0.0.1", "ff12:401b:ffff::ffff:ffff", "a:b:c:d:e:f:0:0",
	};
	static const char *const expected[] = {
		"::", "::1", "1::", "fe80::1", "fd00:77::2", "1:2:3:4:5:6:7:8", "1::4:5:6:7:8", "1:0:3:4:5:6:7:8", "2001:db8::1:0:0:1",
		"2001:0:0:1::1", "::ffff:10.0.0.1", "ff12:401b:ffff::ffff:ffff", "a:b:c:d:e:f::",
	};

	for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
		uint8_t bytes[16];
		struct line line;

		cr_assert_eq(inet_pton(AF_INET6, addresses[i], bytes), 1);
		begin(&line);
		line_ipv6(&line, bytes);
		cr_expect_str_eq(end(&line), expected[i]);
	}
}

/* Every set of zero groups, mapped prefixes among them. */
Test(line, ipv6_addresses_are_those_of_the_c_library)
{
	for (unsigned i = 0; i < 512; i++) {
		char expected[INET6_ADDRSTRLEN];
		uint8_t bytes[16] = { 0 };
		struct line line;

		for (unsigned group = 0; group < 8; group++)
			if (i >> group & 1)
				bytes[2 * group + 1] = (uint8_t)(group + 1);
		if (i & 256)
			bytes[10] = bytes[11] = 0xff;
		cr_assert_not_null(inet_ntop(AF_INET6, bytes, expected, sizeof expected));
		begin(&line);
		line_ipv6(&line, bytes);
		cr_expect_str_eq(end(&line), expected);
	}
}

Test(line, ipv4_addresses_have_no_leading_zeros)
{
	static const uint8_t bytes[4] = { 255, 0, 10, 109 };
	struct line line;

	begin(&line);
	line_ipv4(&line, bytes);
	cr_expect_str_eq(end(&line), "255.0.10.109");
}

Test(line, text_of_unknown_origin_cannot_steer_a_terminal)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *text;
	} cases[] = {
		{ "plain", 5, "plain" },
		{ "a\"b\\c", 5, "a\\\"b\\\\c" },
		{ "\033[2J", 4, "\\x1b[2J" },
		{ "a\0b", 3, "a\\x00b" },
		{ "\n\t\r", 3, "\\n\\t\\r" },
		{ "Gr\xc3\xbc\xc3\x9f" "e", 7, "Gr\xc3\xbc\xc3\x9f" "e" },
		{ "\xc2\x9b", 2, "\\xc2\\x9b" },             /* U+009B, a control */
		{ "\xe2\x80\xae", 3, "\\xe2\\x80\\xae" },     /* U+202E turns the reading direction */
		{ "\xc0\xaf", 2, "\\xc0\\xaf" },              /* overlong */
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80" },     /* surrogate */
		{ "\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "\xe2\x82", 2, "\\xe2\\x82" },              /* cut */
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct line line;

		begin(&line);
		line_escaped(&line, (const uint8_t *)cases[i].bytes, cases[i].length);
		cr_expect_str_eq(end(&line), cases[i].text);
	}
}

struct piece {
	const uint8_t *bytes;
	size_t length;
};

static void write_escaped(struct line *line, const void *what)
{
	const struct piece *piece = what;

	line_escaped(line, piece->bytes, piece->length);
}

/* One byte that is no plain one at each place of texts of each length, which are looked through eight bytes at a time. */
Test(line, escaped_characters_are_found_at_every_position)
{
	static const struct {
		const char *byte, *text;
	} cases[] = {
		{ "\"", "\\\"" }, { "\\", "\\\\" }, { "\n", "\\n" }, { "\x1f", "\\x1f" }, { "\x7f", "\\x7f" }, { "\x80", "\\x80" }, { "\xff", "\\xff" },
		{ " ", " " }, { "!", "!" }, { "#", "#" }, { "[", "[" }, { "]", "]" }, { "~", "~" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (size_t length = 1; length <= 18; length++)
			for (size_t at = 0; at < length; at++) {
				uint8_t *bytes = malloc(length);
				char expected[64];

				memset(bytes, 'a', length);
				bytes[at] = (uint8_t)cases[i].byte[0];
				snprintf(expected, sizeof expected, "%.*s%s%.*s", (int)at, "aaaaaaaaaaaaaaaaaa", cases[i].text,
					 (int)(length - at - 1), "aaaaaaaaaaaaaaaaaa");
				expect_cuts(write_escaped, &(struct piece){ bytes, length }, expected);
				cr_expect_eq(line_plain_length(bytes, length), cases[i].text[1] ? at : length, "%s", expected);
				free(bytes);
			}
	expect_cuts(write_escaped, &(struct piece){ (const uint8_t *)"", 0 }, "");
}

Test(line, every_byte_is_plain_or_is_not)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		uint8_t bytes[16];
		bool is_plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';

		memset(bytes, (int)byte, sizeof bytes);
		cr_expect_eq(line_plain_length(bytes, sizeof bytes), is_plain ? sizeof bytes : 0, "0x%02x", byte);
		memset(bytes, 'a', 8);
		cr_expect_eq(line_plain_length(bytes, sizeof bytes), is_plain ? sizeof bytes : 8, "0x%02x", byte);
	}
}

static void write_some(struct line *line)
{
	static const uint8_t bytes[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

	line_dec(line, UINT64_MAX);
	line_hex(line, UINT64_MAX, 16);
	line_ipv4(line, bytes);
	line_ipv6(line, bytes);
	line_hex_bytes(line, bytes, sizeof bytes, ':');
	line_escaped(line, bytes, sizeof bytes);
}

Test(line, truncated_text_is_marked)
{
	struct line whole;
	size_t length;

	line_init(&whole, memory, sizeof memory);
	write_some(&whole);
	length = (size_t)(whole.next - memory);
	cr_assert_not(whole.cut);
	for (size_t size = 0; size <= length; size++) {
		char *block = malloc(size ? size : 1);
		struct line line;

		line_init(&line, block, size);
		write_some(&line);
		cr_expect_leq((size_t)(line.next - block), size);
		cr_expect_eq(line.cut, size < length, "size %zu", size);
		cr_expect_eq(memcmp(block, memory, (size_t)(line.next - block)), 0);
		free(block);
	}
}

Test(line, values_are_printed_as_their_field_is_shown)
{
	static const uint8_t bytes[8] = { 0x02, 0, 0, 0xaa, 0, 1, 0xfe, 0xff };
	static const struct {
		struct rtap_field field;
		struct rtap_value value;
		const char *text;
	} cases[] = {
		{ { .show = RTAP_HEX, .bit_width = 24 }, { .number = 0x55 }, "0x000055" },
		{ { .show = RTAP_HEX, .bit_width = 4 }, { .number = 0xf }, "0x0f" },
		{ { .show = RTAP_HEX64, .bit_width = 32 }, { .number = 0x80010000 }, "0x0000000080010000" },
		{ { .show = RTAP_DEC, .bit_width = 24 }, { .number = 13825297 }, "13825297" },
		{ { .show = RTAP_BOOL, .bit_width = 1 }, { .number = 1 }, "1" },
		{ { .show = RTAP_ETHER, .bit_width = 48 }, { .data = { bytes, 6 } }, "02:00:00:aa:00:01" },
		{ { .show = RTAP_EUI64, .bit_width = 64 }, { .data = { bytes, 8 } }, "02:00:00:aa:00:01:fe:ff" },
		{ { .show = RTAP_BYTES, .bit_width = 32 }, { .data = { bytes, 4 } }, "020000aa" },
		{ { .show = RTAP_SECONDS }, { .number = (uint64_t)-1 }, "-0.000000001" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct line line;

		begin(&line);
		line_value(&line, &cases[i].field, &cases[i].value);
		cr_expect_str_eq(end(&line), cases[i].text);
	}
}

/* "before NAME after", shortened as a line is. */
static const char *shortened(const char *before, const char *name, const char *after)
{
	static char room[1024];
	struct line line;

	line_init(&line, room, sizeof room - 1);
	line_text(&line, before);
	line_name(&line, (const uint8_t *)name, strlen(name));
	line_text(&line, after);
	line_name_shorten(&line, line_name_excess(&line, room));
	*line.next = 0;
	return room;
}

#define TEN_A "aaaaaaaaaa"
#define TEN_B "bbbbbbbbbb"
#define HUNDRED TEN_A TEN_A TEN_A TEN_A TEN_A TEN_B TEN_B TEN_B TEN_B TEN_B

Test(line, the_middle_of_a_name_is_left_out_where_the_line_is_too_long)
{
	/* 120 columns are not too many */
	cr_expect_str_eq(shortened(TEN_A, HUNDRED, TEN_B), TEN_A HUNDRED TEN_B);
	/* 130: 90 are left of the name, a third of them (without the dots) from its begin */
	cr_expect_str_eq(shortened(TEN_A, HUNDRED, TEN_B TEN_B),
			 TEN_A TEN_A TEN_A "aaaaaaaaa...aaaaaaaa" TEN_B TEN_B TEN_B TEN_B TEN_B TEN_B TEN_B);
	/* not below 24 columns, whatever the rest is */
	cr_expect_str_eq(shortened(HUNDRED, HUNDRED, HUNDRED), HUNDRED "aaaaaaa...bbbbbbbbbbbbbb" HUNDRED);
	cr_expect_str_eq(shortened(HUNDRED, "aaaaaaaaaabbbbbbbbbbcccc", HUNDRED), HUNDRED "aaaaaaaaaabbbbbbbbbbcccc" HUNDRED);
}

Test(line, the_longest_of_two_names_is_shortened_first)
{
	static char room[1024];
	struct line line;

	line_init(&line, room, sizeof room - 1);
	line_name(&line, (const uint8_t *)HUNDRED, 100);
	line_text(&line, " -> ");
	line_name(&line, (const uint8_t *)HUNDRED HUNDRED, 200);
	line_text(&line, " ok");
	line_name_shorten(&line, line_name_excess(&line, room));
	*line.next = 0;
	/* the second one to 24 columns, the first one to what is left: 120 - 4 - 24 - 3 */
	cr_expect_eq(line.next - room, 120);
	cr_expect(!strncmp(room + 89, " -> aaaaaaa...bbbbbbbbbbbbbb ok", 32), "%s", room);
	cr_expect(strstr(room, "...") < room + 89);
}

Test(line, of_a_name_whose_end_was_taken_back_the_rest_is_shortened)
{
	static char room[1024];
	struct line line;

	line_init(&line, room, sizeof room - 1);
	line_text(&line, HUNDRED);
	line_name(&line, (const uint8_t *)HUNDRED HUNDRED, 200);
	line.next -= 100;
	line_name_shorten(&line, line_name_excess(&line, room));
	*line.next = 0;
	cr_expect_str_eq(room, HUNDRED "aaaaaaa...bbbbbbbbbbbbbb");
}

Test(line, a_name_is_not_shortened_within_a_character_or_an_escape)
{
	for (int shift = 0; shift < 8; shift++) {
		char name[512] = "";

		for (int i = 0; i < shift; i++)
			strcat(name, "x");
		for (int i = 0; i < 30; i++)
			strcat(name, i % 2 ? "\xc3\xa9" : "\x1b");
		const char *text = shortened(TEN_A, name, HUNDRED), *at = strstr(text, "...");

		cr_assert(at);
		/* what is left is characters and escapes as they were */
		for (at = text; *at; at++) {
			if (*at == '\\')
				cr_expect(!strncmp(at, "\\x1b", 4), "%s", text);
			if (*at == '\xc3')
				cr_expect_eq(at[1], '\xa9', "%s", text);
		}
		cr_expect_null(strstr(text, "...\xa9"), "%s", text);
		cr_expect_null(strstr(text, "...b\xc3"), "%s", text);
		cr_expect_null(strstr(text, "...1b"), "%s", text);
		cr_expect_null(strstr(text, "...x1b"), "%s", text);
	}
}

#define ENDS "10.0.0.1 > 10.0.0.2     "
#define COLUMNS_A "operation       1"

static char fitted[1024];

static void begin_fitted(struct line *line)
{
	line_init(line, fitted, sizeof fitted - 1);
	line_text(line, ENDS);
	line->after_ends = line->next;
	line_text(line, COLUMNS_A);
}

static void add_spare(struct line *line, const char *text, enum line_spare kind)
{
	char *from = line->next;

	line_text(line, text);
	line_spare(line, from, kind);
}

static const char *fit(struct line *line)
{
	line_fit(line, fitted);
	*line->next = 0;
	return fitted;
}

/* Three spares of ten columns each, in a line that has `more` columns above the limit. */
static const char *three_spares(size_t more)
{
	struct line line;
	size_t missing;

	begin_fitted(&line);
	add_spare(&line, " memory...", LINE_SPARE_MEMORY);
	add_spare(&line, " lower....", LINE_SPARE_LOWER);
	add_spare(&line, " parts....", LINE_SPARE_PARTS);
	line_text(&line, ": ");
	missing = LINE_COLUMNS + more - (size_t)(line.next - fitted);
	for (size_t i = 0; i < missing; i++)
		line_char(&line, (char)('a' + i % 26));
	return fit(&line);
}

Test(line, a_line_that_is_too_long_leaves_out_what_it_can)
{
	cr_expect(strstr(three_spares(0), ENDS COLUMNS_A " memory... lower.... parts....: a"), "%s", fitted);
	cr_expect_eq(strlen(fitted), 120);
	/* the first kinds first, and no more of them than necessary */
	for (size_t more = 1; more <= 10; more++)
		cr_expect(strstr(three_spares(more), ENDS COLUMNS_A " memory... parts....: a"), "%s", fitted);
	cr_expect_eq(strlen(fitted), 120);
	cr_expect(strstr(three_spares(11), ENDS COLUMNS_A " memory...: a"), "%s", fitted);
	cr_expect(strstr(three_spares(20), ENDS COLUMNS_A " memory...: a"), "%s", fitted);
	cr_expect(strstr(three_spares(21), ENDS COLUMNS_A ": a"), "%s", fitted);
	cr_expect(strstr(three_spares(30), ENDS COLUMNS_A ": a"), "%s", fitted);
	/* the padding at last: first that after the ends */
	cr_expect(strstr(three_spares(34), "10.0.0.1 > 10.0.0.2 " COLUMNS_A ": a"), "%s", fitted);
	cr_expect_eq(strlen(fitted), 120);
	cr_expect(strstr(three_spares(35), "10.0.0.1 > 10.0.0.2 operation 1: a"), "%s", fitted);
	cr_expect_eq(strlen(fitted), 120 + 35 - 30 - 4 - 6);
}

#define OVERLAPPED ENDS COLUMNS_A ": 0123456789 "

Test(line, what_is_left_out_of_a_line_can_overlap_and_precede_names)
{
	struct line line;
	char *outer, *inner;

	begin_fitted(&line);
	outer = line.next;
	line_text(&line, " outer ");
	inner = line.next;
	line_text(&line, "inner");
	line_spare(&line, inner, LINE_SPARE_MEMORY);
	line_text(&line, " outer");
	line_spare(&line, outer, LINE_SPARE_LOWER);
	add_spare(&line, " next", LINE_SPARE_MEMORY);
	line_text(&line, ": 0123456789 ");
	line_name(&line, (const uint8_t *)HUNDRED HUNDRED, 200);
	line_text(&line, " END");
	cr_expect_eq(strlen(fit(&line)), 120);
	cr_expect(!strncmp(fitted, OVERLAPPED, strlen(OVERLAPPED)), "%s", fitted);
	cr_expect_str_eq(fitted + 120 - 8, "bbbb END");
	/* of the name a third is before the dots */
	cr_expect_eq(strstr(fitted, "...") - fitted, strlen(OVERLAPPED) + (120 - strlen(OVERLAPPED) - strlen("... END")) / 3, "%s", fitted);
}

#define OPERATION "SEND Only"
#define MORE "captured_twice] [malformed"

/* Outer ends, an operation and two notes, before an upper layer or not, in a line that has `more` columns above the limit. */
static const char *operation_line(bool has_upper, size_t more)
{
	struct line line;
	char *begin;

	line_init(&line, fitted, sizeof fitted - 1);
	line_text(&line, "12 ");
	add_spare(&line, ENDS, LINE_SPARE_OUTER);
	line_text(&line, "10.0.0.3 > 10.0.0.4 ");
	line.after_ends = line.next;
	add_spare(&line, OPERATION, LINE_SPARE_OPERATION);
	line_text(&line, has_upper ? ": " : " ");
	for (size_t left = LINE_COLUMNS + more - (size_t)(line.next - fitted) - strlen(" [" MORE "]"); left; left--)
		line_char(&line, 'x');
	line_text(&line, " [");
	begin = line.next;
	line_text(&line, MORE);
	line_spare(&line, begin, LINE_SPARE_MORE);
	line_char(&line, ']');
	return fit(&line);
}

Test(line, at_last_a_line_leaves_out_the_operation_outer_ends_and_further_notes)
{
	const size_t outer = strlen(ENDS), operation = strlen(OPERATION ": "), notes = strlen(MORE) - strlen("...");

	cr_expect(strstr(operation_line(true, 1), "12 " ENDS "10.0.0.3 > 10.0.0.4 x"), "%s", fitted);
	cr_expect_eq(strlen(fitted), LINE_COLUMNS + 1 - operation);
	/* without an upper layer it says what the packet is */
	cr_expect(strstr(operation_line(false, 1), "12 10.0.0.3 > 10.0.0.4 " OPERATION " x"), "%s", fitted);
	cr_expect_eq(strlen(fitted), LINE_COLUMNS + 1 - outer);
	cr_expect(strstr(operation_line(true, operation + outer), " [" MORE "]"), "%s", fitted);
	cr_expect(strstr(operation_line(true, operation + outer + 1), "12 10.0.0.3 > 10.0.0.4 x"), "%s", fitted);
	cr_expect(strstr(fitted, "x [...]"), "%s", fitted);
	cr_expect_eq(strlen(fitted), LINE_COLUMNS + 1 - notes);
}

Test(line, the_middle_of_a_line_of_twice_the_columns_is_cut_between_words)
{
	struct line line;

	begin_fitted(&line);
	for (int i = 0; i < 60; i++)
		line_text(&line, "vlan 1 ");
	line_text(&line, "END");
	fit(&line);
	cr_expect_leq(strlen(fitted), LINE_COLUMNS, "%s", fitted);
	cr_expect(strstr(fitted, " ... "), "%s", fitted);
	cr_expect(!strncmp(fitted, "10.0.0.1 > 10.0.0.2 ", 20) && strstr(fitted, "vlan 1 END"), "%s", fitted);
}

Test(line, numbers_of_packets_are_left_out_where_padding_is_too_little)
{
	/* columns taken out: padding of 4 and of 2, both at once each; a length of 3; a number of 4 with its padding */
	static const size_t taken[] = { 0, 4, 4, 4, 4, 6, 6, 7, 9, 9, 11, 11, 11, 11 };

	for (size_t more = 0; more < sizeof taken / sizeof taken[0]; more++) {
		struct line line;
		char *length, *number;

		line_init(&line, fitted, sizeof fitted - 1);
		line_text(&line, ENDS);
		line.after_ends = line.next;
		line_text(&line, "op");
		number = line.next;
		line_text(&line, "   5");
		length = line.next;
		line_text(&line, " 12");
		line_spare_within(&line, length, line.next, LINE_SPARE_PACKET);
		line_spare_within(&line, number, length, LINE_SPARE_PACKET);
		line_text(&line, ": ");
		for (size_t missing = LINE_COLUMNS + more - (size_t)(line.next - fitted); missing; missing--)
			line_char(&line, 'x');
		fit(&line);
		cr_expect_eq(strlen(fitted), LINE_COLUMNS + more - taken[more], "%zu: %s", more, fitted);
		cr_expect_eq(!!strstr(fitted, "op 5 12: "), more == 5 || more == 6, "%zu: %s", more, fitted);
		cr_expect_eq(!!strstr(fitted, " 12: "), more <= 6, "%zu: %s", more, fitted);
		cr_expect_eq(!!strstr(fitted, " 5: "), more > 6 && more <= 9, "%zu: %s", more, fitted);
		cr_expect_eq(!!strstr(fitted, "op: "), more > 9, "%zu: %s", more, fitted);
	}
}

Test(line, of_spares_of_one_kind_the_first_are_left_out)
{
	struct line line;

	begin_fitted(&line);
	add_spare(&line, " one......", LINE_SPARE_PARTS);
	add_spare(&line, " two......", LINE_SPARE_PARTS);
	line_text(&line, ": ");
	line_text(&line, HUNDRED);
	for (size_t columns = (size_t)(line.next - fitted); columns > LINE_COLUMNS + 10; columns--)
		line.next--;
	cr_expect(strstr(fit(&line), COLUMNS_A " two......: a"), "%s", fitted);
}

Test(line, padding_after_the_ends_is_found_where_text_before_them_is_left_out)
{
	struct line line;

	line_init(&line, fitted, sizeof fitted - 1);
	add_spare(&line, "lid 1:0x1 > 2:0x2 ", LINE_SPARE_LOWER);
	line_text(&line, ENDS);
	line.after_ends = line.next;
	line_text(&line, COLUMNS_A ": " HUNDRED);
	cr_expect_str_eq(fit(&line), "10.0.0.1 > 10.0.0.2 operation 1: " HUNDRED);
}

Test(line, spaces_after_the_columns_remain)
{
	static const char *const after[] = { ": ", " [", " #" };

	for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
		struct line line;

		begin_fitted(&line);
		line_text(&line, after[i]);
		line_text(&line, "a  b" HUNDRED);
		cr_expect(strstr(fit(&line), "10.0.0.2 operation 1"), "%s", fitted);
		cr_expect(strstr(fitted, "a  b"), "%s", fitted);
	}
}
