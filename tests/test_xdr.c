/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissect/rpc/xdr.h"
#include "dissect/rpc/xdr_walk.h"

static const uint8_t digits[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static struct xdr_extent bytes(unsigned from, unsigned length)
{
	return (struct xdr_extent){ XDR_BYTES, digits + from, from, length };
}

static struct xdr_extent elsewhere(uint64_t length)
{
	return (struct xdr_extent){ XDR_ELSEWHERE, NULL, 0, length };
}

static struct xdr_extent hole(uint64_t length)
{
	return (struct xdr_extent){ XDR_HOLE, NULL, 0, length };
}

TestSuite(xdr, .timeout = HANG_SECONDS);

Test(xdr, words_are_read_across_extents_and_around_empty_ones)
{
	struct xdr_extent extents[] = { bytes(0, 0), bytes(0, 3), bytes(3, 0), bytes(3, 2), bytes(5, 11), bytes(0, 0) };
	struct xdr xdr;
	uint32_t word;
	uint64_t quad;

	xdr_init(&xdr, extents, 6, 6);
	cr_assert_eq(xdr_u32(&xdr, &word), OK);
	cr_expect_eq(word, 0x00010203);
	cr_assert_eq(xdr_u64(&xdr, &quad), OK);
	cr_expect_eq(quad, UINT64_C(0x0405060708090a0b));
	cr_assert_eq(xdr_u32(&xdr, &word), OK);
	cr_expect_eq(word, 0x0c0d0e0f);
	cr_expect_eq(xdr_left(&xdr), 0);
	cr_expect_eq(xdr_u32(&xdr, &word), MALFORMED);
}

static const struct {
	const char *what;
	struct xdr_extent extents[3];
	unsigned count;
	uint64_t skip;
	enum result skipped, word;
} cases[] = {
	{ "enough", { { XDR_BYTES, digits, 0, 8 } }, 1, 4, OK, OK },
	{ "one byte too few", { { XDR_BYTES, digits, 0, 7 } }, 1, 4, OK, MALFORMED },
	{ "nothing left", { { XDR_BYTES, digits, 0, 4 } }, 1, 4, OK, MALFORMED },
	{ "too much to skip", { { XDR_BYTES, digits, 0, 4 } }, 1, 5, MALFORMED, OK },
	{ "no extents", { { 0 } }, 0, 0, OK, MALFORMED },
	{ "a hole skipped", { { XDR_BYTES, digits, 0, 4 }, { XDR_HOLE, NULL, 0, 8 }, { XDR_BYTES, digits, 0, 4 } }, 3, 12, OK, OK },
	{ "a word in a hole", { { XDR_BYTES, digits, 0, 4 }, { XDR_HOLE, NULL, 0, 8 }, { XDR_BYTES, digits, 0, 4 } }, 3, 4, OK, TRUNCATED },
	{ "a word half in a hole", { { XDR_BYTES, digits, 0, 4 }, { XDR_HOLE, NULL, 0, 8 }, { XDR_BYTES, digits, 0, 4 } }, 3, 2, OK, TRUNCATED },
	{ "a word out of a hole", { { XDR_BYTES, digits, 0, 4 }, { XDR_HOLE, NULL, 0, 8 }, { XDR_BYTES, digits, 0, 4 } }, 3, 10, OK, TRUNCATED },
	{ "a word elsewhere", { { XDR_ELSEWHERE, NULL, 0, 8 } }, 1, 0, OK, TRUNCATED },
	{ "a hole that is too short for a word", { { XDR_BYTES, digits, 0, 4 }, { XDR_HOLE, NULL, 0, 3 } }, 2, 4, OK, MALFORMED },
	{ "2^40 bytes elsewhere",
	  { { XDR_BYTES, digits, 0, 4 }, { XDR_ELSEWHERE, NULL, 0, UINT64_C(1) << 40 }, { XDR_BYTES, digits, 0, 4 } }, 3,
	  (UINT64_C(1) << 40) + 4, OK, OK },
};

Test(xdr, a_failed_read_has_a_reason_and_moves_nothing)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct xdr_extent extents[3];
		struct xdr xdr;
		uint32_t word = 1;
		uint64_t before;

		memcpy(extents, cases[i].extents, sizeof extents);
		xdr_init(&xdr, extents, cases[i].count, 3);
		cr_expect_eq(xdr_skip(&xdr, cases[i].skip), cases[i].skipped, "%s", cases[i].what);
		before = xdr.position;
		cr_expect_eq(before, cases[i].skipped == OK ? cases[i].skip : 0, "%s", cases[i].what);
		cr_expect_eq(xdr_u32(&xdr, &word), cases[i].word, "%s", cases[i].what);
		cr_expect_eq(xdr.position, before + (cases[i].word == OK ? 4 : 0), "%s", cases[i].what);
	}
}

Test(xdr, bytes_are_where_they_stand_or_copied_if_they_straddle)
{
	struct xdr_extent extents[] = { bytes(0, 5), bytes(5, 3), elsewhere(4), bytes(8, 8) };
	uint8_t copy[8];
	const uint8_t *found;
	struct xdr xdr;

	xdr_init(&xdr, extents, 4, 4);
	cr_assert_eq(xdr_take(&xdr, 4, copy, sizeof copy, &found), OK);
	cr_expect_eq(found, digits);
	cr_assert_eq(xdr_take(&xdr, 4, copy, sizeof copy, &found), OK);
	cr_expect_eq(found, copy);
	cr_expect_arr_eq(copy, digits + 4, 4);
	cr_assert_eq(xdr_take(&xdr, 6, copy, sizeof copy, &found), OK);
	cr_expect_null(found, "four of six are elsewhere");
	cr_expect_eq(xdr.position, 14);
	cr_assert_eq(xdr_take(&xdr, 0, copy, 0, &found), OK);
	cr_expect_not_null(found);
	cr_expect_eq(xdr_take(&xdr, 7, copy, sizeof copy, &found), MALFORMED);
	cr_expect_eq(xdr.position, 14);
	xdr_init(&xdr, extents, 2, 4);
	cr_assert_eq(xdr_take(&xdr, 8, copy, 7, &found), OK);
	cr_expect_null(found, "no room for the copy");
	cr_expect_eq(xdr.position, 8);
}

Test(xdr, a_narrowed_stream_ends_at_its_limit_and_goes_on_after)
{
	struct xdr_extent extents[] = { bytes(0, 6), bytes(6, 10) };
	struct xdr xdr;
	uint64_t outer, inner;
	uint32_t word;

	xdr_init(&xdr, extents, 2, 2);
	cr_expect_eq(xdr_narrow(&xdr, 17, &outer), MALFORMED);
	cr_assert_eq(xdr_narrow(&xdr, 10, &outer), OK);
	cr_expect_eq(xdr_narrow(&xdr, 11, &inner), MALFORMED);
	cr_assert_eq(xdr_narrow(&xdr, 6, &inner), OK);
	cr_assert_eq(xdr_u32(&xdr, &word), OK);
	cr_expect_eq(xdr_u32(&xdr, &word), MALFORMED);
	xdr_widen(&xdr, inner);
	cr_expect_eq(xdr.position, 6);
	cr_assert_eq(xdr_u32(&xdr, &word), OK);
	cr_expect_eq(word, 0x06070809);
	cr_expect_eq(xdr_left(&xdr), 0);
	xdr_widen(&xdr, outer);
	cr_expect_eq(xdr_left(&xdr), 6);
}

/* [.. length = 5] and the next item in a reduced stream: no bytes, no padding. RFC 8166, 3.4.5.2. */
static const uint8_t reduced[] = { 0, 0, 0, 5, 0xaa, 0xbb, 0xcc, 0xdd };

Test(xdr, a_spliced_chunk_and_its_padding_stand_where_the_stream_lacks_them)
{
	static const uint8_t chunk[] = "hello";
	const struct xdr_extent spliced[] = { { XDR_BYTES, chunk, 0, 5 }, xdr_padding(5) };
	struct xdr_extent extents[4] = { { XDR_BYTES, reduced, 100, sizeof reduced } };
	uint8_t copy[8];
	const uint8_t *found;
	struct xdr xdr;
	uint32_t length, word;

	xdr_init(&xdr, extents, 1, 4);
	cr_assert_eq(xdr_u32(&xdr, &length), OK);
	cr_assert(xdr_splice(&xdr, spliced, 2));
	cr_expect_eq(xdr.position, 4);
	cr_expect_eq(xdr_left(&xdr), 5 + 3 + 4);
	cr_assert_eq(xdr_take(&xdr, length, copy, sizeof copy, &found), OK);
	cr_expect_eq(found, chunk);
	cr_assert_eq(xdr_take(&xdr, 3, copy, sizeof copy, &found), OK);
	cr_expect_eq(found[0] | found[1] | found[2], 0);
	cr_assert_eq(xdr_u32(&xdr, &word), OK);
	cr_expect_eq(word, 0xaabbccdd);
	cr_expect_eq(extents[3].offset, 104, "the owner's offset goes along with the split");
	cr_expect_eq(xdr_left(&xdr), 0);
}

Test(xdr, extents_are_spliced_at_every_place_of_a_stream)
{
	for (unsigned place = 0; place <= sizeof digits; place++) {
		struct xdr_extent extents[6] = { bytes(0, 4), bytes(4, 12) };
		const struct xdr_extent inserted[] = { hole(2), bytes(0, 1) };
		struct xdr xdr;
		uint8_t copy[16];
		const uint8_t *found;

		xdr_init(&xdr, extents, 2, 6);
		cr_assert_eq(xdr_skip(&xdr, place), OK);
		cr_assert(xdr_splice(&xdr, inserted, 2), "at %u", place);
		cr_expect_eq(xdr_left(&xdr), sizeof digits - place + 3);
		cr_assert_eq(xdr_skip(&xdr, 3), OK);
		cr_assert_eq(xdr_take(&xdr, sizeof digits - place, copy, sizeof copy, &found), OK);
		cr_assert_not_null(found);
		cr_expect(!memcmp(found, digits + place, sizeof digits - place), "at %u", place);
	}
}

Test(xdr, without_room_nothing_is_spliced)
{
	struct xdr_extent extents[3] = { bytes(0, 8), bytes(8, 8) };
	const struct xdr_extent one = elsewhere(4);
	struct xdr xdr;

	xdr_init(&xdr, extents, 2, 3);
	cr_assert_eq(xdr_skip(&xdr, 4), OK);
	cr_expect_not(xdr_splice(&xdr, &one, 1), "a split needs one more");
	cr_expect_eq(xdr.total, 16);
	cr_assert_eq(xdr_skip(&xdr, 4), OK);
	cr_expect(xdr_splice(&xdr, &one, 1));
	cr_expect_eq(xdr.total, 20);
}

Test(xdr, padding_fills_up_to_a_word)
{
	static const uint32_t lengths[] = { 0, 1, 2, 3, 4, 65537, UINT32_MAX };
	static const uint32_t padding[] = { 0, 3, 2, 1, 0, 3, 1 };

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		cr_expect_eq(xdr_padding(lengths[i]).length, padding[i], "%u", lengths[i]);
}

/* Tables: every kind of item in one type. */
enum { ROW_WORD, ROW_QUAD, ROW_BOOL, ROW_TEXT, ROW_FIXED, ROW_COUNT, ROW_CHOICE, ROW_DATA, ROW_LENGTH, ROWS };

XDR_TYPE(element, NULL, XDR_U32(ROW_WORD));
XDR_TYPE(entry, "Entry", XDR_OPAQUE(ROW_TEXT, 4));
XDR_TYPE(arm, NULL, XDR_U64(ROW_QUAD));
static const struct xdr_union choice = { NULL, 2, { { 7, &arm }, { 8, &xdr_void } } };

static const struct xdr_item words_only[] = { XDR_U32(ROW_WORD), XDR_U64(ROW_QUAD), XDR_BOOL(ROW_BOOL), XDR_END };
static const struct xdr_item text_only[] = { XDR_OPAQUE(ROW_TEXT, 8), XDR_FIXED(ROW_FIXED, 6), XDR_END };
static const struct xdr_item list_only[] = { XDR_LIST(ROW_BOOL, entry), XDR_END };
static const struct xdr_item array_only[] = { XDR_ARRAY(ROW_COUNT, 0, element), XDR_END };
static const struct xdr_item bounded_array[] = { XDR_ARRAY(ROW_COUNT, 1, element), XDR_END };
static const struct xdr_item optional_only[] = { XDR_OPTIONAL(ROW_BOOL, element), XDR_END };
static const struct xdr_item choice_only[] = { XDR_SWITCH(ROW_CHOICE, choice), XDR_END };
static const struct xdr_item data_only[] = { XDR_DATA(ROW_DATA, ROW_LENGTH, XDR_DDP_READ), XDR_U32(ROW_WORD), XDR_END };

/* Records the reports: "row=value" and group labels. */
struct scribe {
	struct xdr_sink sink;
	char text[256];
	unsigned eligible;
	bool splice;
};

static void scribe_value(struct xdr_sink *sink, const struct xdr_value *reported)
{
	struct scribe *scribe = (struct scribe *)sink;
	size_t used = strlen(scribe->text);

	if (reported->data.bytes)
		snprintf(scribe->text + used, sizeof scribe->text - used, "%u=%.*s ", reported->row, (int)reported->data.length,
			 (const char *)reported->data.bytes);
	else
		snprintf(scribe->text + used, sizeof scribe->text - used, "%u=%llu ", reported->row, (unsigned long long)reported->number);
}

static void scribe_enter(struct xdr_sink *sink, const char *label, uint64_t offset)
{
	struct scribe *scribe = (struct scribe *)sink;

	(void)offset;
	strcat(scribe->text, label);
	strcat(scribe->text, "( ");
}

static void scribe_leave(struct xdr_sink *sink)
{
	strcat(((struct scribe *)sink)->text, ") ");
}

static void scribe_eligible(struct xdr_sink *sink, struct xdr *xdr, enum xdr_ddp ddp, uint64_t offset, uint32_t length)
{
	struct scribe *scribe = (struct scribe *)sink;
	const struct xdr_extent chunk[] = { { XDR_ELSEWHERE, NULL, 0, length }, xdr_padding(length) };

	cr_expect_eq(ddp, XDR_DDP_READ);
	cr_expect_eq(offset, 4);
	scribe->eligible++;
	if (scribe->splice)
		cr_expect(xdr_splice(xdr, chunk, 2));
}

static enum result walk(const struct xdr_item *items, const uint8_t *stream, size_t length, struct scribe *scribe)
{
	struct xdr_extent extents[4] = { { XDR_BYTES, stream, 0, length } };
	static struct xdr_walk walk;
	struct xdr xdr;

	scribe->sink.value = scribe_value;
	scribe->sink.enter = scribe_enter;
	scribe->sink.leave = scribe_leave;
	scribe->sink.eligible = scribe_eligible;
	xdr_init(&xdr, extents, 1, 4);
	walk = (struct xdr_walk){ .xdr = &xdr, .sink = &scribe->sink };
	return xdr_walk_items(&walk, items);
}

static const struct {
	const char *what;
	const struct xdr_item *items;
	const char *stream; /* in hexadecimal */
	enum result result;
	const char *reported;
} walks[] = {
	{ "words", words_only, "00000005 0000000100000000 00000001", OK, "0=5 1=4294967296 2=1 " },
	{ "a bool that is 2", words_only, "00000005 0000000100000000 00000002", MALFORMED, "0=5 1=4294967296 " },
	{ "a word missing", words_only, "00000005 0000000100000000", MALFORMED, "0=5 1=4294967296 " },
	{ "text and fixed bytes", text_only, "00000005 68656c6c6f000000 616263646566 0000", OK, "3=hello 4=abcdef " },
	{ "text without its padding", text_only, "00000005 68656c6c6f", MALFORMED, "3=hello " },
	{ "text beyond its bound", text_only, "00000009 68656c6c6f68656c6c6f6f6f", MALFORMED, "" },
	{ "text of 2^32 - 1 bytes", text_only, "ffffffff 68656c6c", MALFORMED, "" },
	{ "a list of two", list_only, "00000001 00000001 61000000 00000001 00000001 62000000 00000000", OK,
	  "2=1 Entry( 3=a ) 2=1 Entry( 3=b ) 2=0 " },
	{ "a list without end", list_only, "00000001 00000001 61000000", MALFORMED, "2=1 Entry( 3=a ) " },
	{ "an array of two", array_only, "00000002 00000007 00000008", OK, "5=2 0=7 0=8 " },
	{ "an array of 2^32 - 1", array_only, "ffffffff 00000007 00000008", MALFORMED, "" },
	{ "an array of one too many", array_only, "00000003 00000007 00000008", MALFORMED, "" },
	{ "an array beyond its bound", bounded_array, "00000002 00000007 00000008", MALFORMED, "" },
	{ "an option taken", optional_only, "00000001 00000009", OK, "2=1 0=9 " },
	{ "an option left", optional_only, "00000000", OK, "2=0 " },
	{ "an arm", choice_only, "00000007 0000000000000003", OK, "6=7 1=3 " },
	{ "a void arm", choice_only, "00000008", OK, "6=8 " },
	{ "no arm", choice_only, "00000009", MALFORMED, "" },
	{ "data", data_only, "00000003 61626300 00000001", OK, "8=3 7=abc 0=1 " },
	{ "no data", data_only, "00000000 00000001", OK, "8=0 7= 0=1 " },
};

static size_t from_hex(const char *text, uint8_t *stream)
{
	size_t length = 0;

	for (unsigned byte; *text; text += 2) {
		while (*text == ' ')
			text++;
		sscanf(text, "%2x", &byte);
		stream[length++] = (uint8_t)byte;
	}
	return length;
}

Test(xdr, tables_are_walked_item_by_item)
{
	for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
		struct scribe scribe = { .eligible = 0 };
		uint8_t stream[64];
		size_t length = from_hex(walks[i].stream, stream);

		cr_expect_eq(walk(walks[i].items, stream, length, &scribe), walks[i].result, "%s", walks[i].what);
		cr_expect_str_eq(scribe.text, walks[i].reported, "%s", walks[i].what);
	}
}

Test(xdr, data_is_offered_for_binding_unless_it_is_empty)
{
	static const uint8_t inside[] = { 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 1 }, empty[] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	static const uint8_t outside[] = { 0, 0, 0, 3, 0, 0, 0, 1 };
	struct scribe offered = { .splice = false }, bound = { .splice = true }, nothing = { .splice = true };

	cr_expect_eq(walk(data_only, inside, sizeof inside, &offered), OK);
	cr_expect_eq(offered.eligible, 1);
	cr_expect_eq(walk(data_only, outside, sizeof outside, &bound), OK);
	cr_expect_eq(bound.eligible, 1);
	cr_expect_str_eq(bound.text, "8=3 7=3 0=1 ", "bytes elsewhere are reported by their length alone");
	cr_expect_eq(walk(data_only, empty, sizeof empty, &nothing), OK);
	cr_expect_eq(nothing.eligible, 0);
}

Test(xdr, a_stopped_walk_ends_well)
{
	struct scribe scribe = { .sink.stop = true };

	cr_expect_eq(walk(words_only, digits, 4, &scribe), OK);
	cr_expect_str_eq(scribe.text, "");
}
