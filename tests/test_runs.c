/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts of several rows that are kept together: that they are found again, and where they are split.
 */
#include "config.h"

#include <stdlib.h>

#include <criterion/criterion.h>

#include "dissect/engine/protocol.h"
#include "output/packet/runs.h"

static char memory[2 * RUN_TEXT];

static rtap_field_id id_of(const char *name)
{
	rtap_field_id id = 0;

	cr_assert_geq(rtap_field_find(name, &id, 1), 1, "%s", name);
	return id;
}

/* The run that a field is in, or NULL. */
static struct row_run *run_with(const struct runs *runs, rtap_field_id id)
{
	for (rtap_field_id first = id; first + 255 > id; first--) {
		if (runs->at[first] && runs->runs[runs->at[first] - 1].rows > id - first)
			return &runs->runs[runs->at[first] - 1];
		if (!first)
			break;
	}
	return NULL;
}

static struct row_run *run_of(const struct runs *runs, const char *name)
{
	return run_with(runs, id_of(name));
}

/* Shows a run of a header, as an output does: true if its text was kept. */
static bool show(struct runs *runs, struct row_run *run, const uint8_t *header, uint32_t length, uint16_t variant)
{
	const struct rtap_layer layer = { .length = length };
	const uint8_t *bytes = header + run->offset;
	struct run_text *text;
	uint64_t words[2];
	struct line line;

	if (!runs_at(runs, run->first, &layer))
		return false;
	line_init(&line, memory, sizeof memory);
	run_words(run, header, words);
	text = run_find(run, words);
	if (text && run_is(text, words, variant)) {
		run_copy(run, text, &line);
		cr_expect_eq(text->after, bytes[0]);
		cr_expect_eq(memcmp(memory, bytes, run->length), 0);
		return true;
	}
	line_bytes(&line, (const char *)bytes, run->length);
	runs_keep(runs, run, header, variant, bytes[0], memory, &line);
	return false;
}

TestSuite(runs, .timeout = HANG_SECONDS);

Test(runs, a_text_is_found_again_by_its_bytes_and_its_variant)
{
	uint8_t header[12] = { 4, 0x20 };
	struct runs runs;

	cr_assert(runs_init(&runs, NULL));
	cr_expect_not(show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header, 1));
	cr_expect(show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header, 1));
	cr_expect_not(show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header, 2));
	for (size_t i = 0; i < sizeof header; i++) {
		header[i] ^= 0x10;
		cr_expect_not(show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header, 1), "byte %zu", i);
		cr_expect(show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header, 1), "byte %zu", i);
	}
	/* of a header that is cut nothing is taken */
	cr_expect_not(show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header - 1, 1));
	runs_fini(&runs);
}

Test(runs, one_is_split_at_the_byte_that_changes_most)
{
	uint8_t header[12] = { 4 };
	struct runs runs;

	cr_assert(runs_init(&runs, NULL));
	cr_assert_eq(run_of(&runs, "infiniband.bth.psn"), run_of(&runs, "infiniband.bth.opcode"));
	for (unsigned psn = 0; psn < 100; psn++) {
		header[11] = (uint8_t)psn;
		header[5] = psn % 16 == 0;
		show(&runs, run_of(&runs, "infiniband.bth.opcode"), header, sizeof header, 1);
	}
	cr_expect_null(run_of(&runs, "infiniband.bth.psn"));
	cr_assert_not_null(run_of(&runs, "infiniband.bth.opcode"));
	cr_expect_eq(run_of(&runs, "infiniband.bth.opcode"), run_of(&runs, "infiniband.bth.reserved7"));
	cr_expect_eq(run_of(&runs, "infiniband.bth.opcode")->length, 9);
	runs_fini(&runs);
}

Test(runs, one_that_changes_everywhere_ends_as_none)
{
	uint8_t header[12];
	rtap_field_id opcode = id_of("infiniband.bth.opcode"), psn = id_of("infiniband.bth.psn");
	struct runs runs;
	uint32_t random = 1;

	cr_assert(runs_init(&runs, NULL));
	for (unsigned i = 0; i < 20000; i++) {
		for (size_t k = 0; k < sizeof header; k++) {
			random = random * 1664525 + 1013904223;
			header[k] = (uint8_t)(random >> 24);
		}
		for (rtap_field_id id = opcode; id <= psn; id++)
			if (runs.at[id])
				show(&runs, run_with(&runs, id), header, sizeof header, 1);
	}
	for (rtap_field_id id = opcode; id <= psn; id++)
		cr_expect_null(run_with(&runs, id), "%s", rtap_field_by_id(id)->name);
	cr_expect_leq(runs.count, rtap_field_count());
	runs_fini(&runs);
}

Test(runs, rows_that_depend_on_more_than_their_bytes_are_in_none)
{
	struct runs runs;

	cr_assert(runs_init(&runs, NULL));
	cr_expect_null(run_of(&runs, "frame.number"));
	cr_expect_null(run_of(&runs, "ip.len"));
	cr_expect_not_null(run_of(&runs, "ip.hdr_len"));
	for (size_t i = 0; i < runs.count; i++) {
		const struct rtap_field *field = rtap_field_by_id(runs.runs[i].first);

		for (uint8_t row = 0; row < runs.runs[i].rows; row++)
			cr_expect(!(field[row].flags & (RTAP_UNPLACED | RTAP_ON_DEMAND | RTAP_BULK)), "%s", field[row].name);
		cr_expect_leq(runs.runs[i].length, RUN_BYTES);
		cr_expect_eq(runs.runs[i].first / 64, (runs.runs[i].first + runs.runs[i].rows - 1) / 64);
	}
	runs_fini(&runs);
}

Test(runs, names_that_came_before_are_in_none_where_that_matters)
{
	rtap_field_id *first_ids = malloc(rtap_field_count() * sizeof *first_ids), id = id_of("infiniband.bth.p_key");
	struct runs runs;

	for (size_t i = 0; i < rtap_field_count(); i++)
		first_ids[i] = (rtap_field_id)i;
	first_ids[id] = 0;
	cr_assert(runs_init(&runs, first_ids));
	cr_expect_null(run_of(&runs, "infiniband.bth.p_key"));
	cr_expect_not_null(run_of(&runs, "infiniband.bth.opcode"));
	cr_expect_not_null(run_of(&runs, "infiniband.bth.psn"));
	runs_fini(&runs);
	free(first_ids);
}
