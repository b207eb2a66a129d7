/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "output/compare/diff.h"
#include "output/compare/diff_align.h"

/* A conversation in one letter a message: small ones from the client, capitals from the server; a digit after it is the key. */
static size_t report(char *text, size_t room, const char *letters)
{
	size_t used = (size_t)snprintf(text, room,
				       "rdmatap-canon 1 level=messages\nconnection transport=RC client=a server=b\nsetup learned=cm\n");

	for (const char *at = letters; *at; at++) {
		char key[40] = "";

		if (at[1] >= '0' && at[1] <= '9')
			snprintf(key, sizeof key, " key=rkey#%c+0x%c", at[1], at[2] == '+' ? at[3] : '0');
		used += (size_t)snprintf(text + used, room - used, "message %c kind=send length=%d packets=1 xid=xid#%d%s\n",
					 *at >= 'a' ? '>' : '<', *at | 0x20, (int)(at - letters), key);
		if (key[0])
			at += at[2] == '+' ? 3 : 1;
	}
	used += (size_t)snprintf(text + used, room - used, "end connections=1\n");
	return used;
}

struct listing {
	struct diff_form form;
	char text[4096];
	size_t used;
};

/* "-5" "+3" "~2/2 key" ... */
static int list(struct diff_form *form, const struct diff_step *step)
{
	static const char signs[] = { [DIFF_CHANGED] = '~', [DIFF_REMOVED] = '-', [DIFF_ADDED] = '+', [DIFF_MOVED] = '>',
				      [DIFF_CONNECTION_REMOVED] = 'R', [DIFF_CONNECTION_ADDED] = 'A' };
	struct listing *listing = (struct listing *)form;

	if (step->kind == DIFF_SAME)
		return 0;
	listing->used += (size_t)snprintf(listing->text + listing->used, sizeof listing->text - listing->used, "%s%c%d/%d",
					  listing->used ? " " : "",
					  signs[step->kind], (int)step->a.number, (int)step->b.number);
	for (size_t i = 0; i < step->change_count; i++)
		listing->used += (size_t)snprintf(listing->text + listing->used, sizeof listing->text - listing->used, ":%.*s",
						  (int)step->changes[i].name_length, step->changes[i].name);
	return 0;
}

static void check_texts(const char *a_text, size_t a_length, const char *b_text, size_t b_length, const struct diff_rules *rules,
			const char *expected, const char *what)
{
	struct canon_treatments treatments = { .rules = rules };
	struct canon_file a, b;
	struct diff_totals totals;
	struct listing listing = { .form.step = list };
	struct rtap_error error = { .text = "" };

	cr_assert_eq(canon_file_read(&a, &(struct canon_text){ .name = "a", .text = a_text, .length = a_length, .map = true },
				     &treatments, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(canon_file_read(&b, &(struct canon_text){ .name = "b", .text = b_text, .length = b_length },
				     &treatments, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_assert_eq(diff_compare(&a, &b, &treatments, &listing.form, &totals), 0);
	cr_expect_str_eq(listing.text, expected, "%s: %s, not %s", what, listing.text, expected);
	cr_expect_eq(diff_differs(&totals), *expected != 0);
	canon_file_fini(&a);
	canon_file_fini(&b);
	canon_treatments_fini(&treatments);
}

static void check(const char *a_letters, const char *b_letters, const struct diff_rules *rules, const char *expected)
{
	static char a_text[1 << 18], b_text[1 << 18];
	char what[256];

	snprintf(what, sizeof what, "%s against %s", a_letters, b_letters);
	check_texts(a_text, report(a_text, sizeof a_text, a_letters), b_text, report(b_text, sizeof b_text, b_letters), rules, expected, what);
}

/* One message with these values, and one like it before and after. */
static size_t report_values(char *text, size_t room, const char *values)
{
	return (size_t)snprintf(text, room,
				"rdmatap-canon 1 level=messages\nconnection transport=RC client=a server=b\nmessage > kind=send w=1 x=2 y=3\n"
				"message > kind=send%s\nmessage > kind=send w=1 x=2 y=3\nend connections=1\n", values);
}

TestSuite(diff, .timeout = HANG_SECONDS);
TestSuite(diff_match, .timeout = HANG_SECONDS);
TestSuite(diff_rules, .timeout = HANG_SECONDS);

Test(diff, values_are_compared_by_their_names_in_any_order)
{
	static const struct {
		const char *a, *b, *expected;
	} cases[] = {
		{ " w=1 x=2 y=3", " w=1 x=2 y=3", "" },
		{ " w=1 x=2 y=3", " w=1 y=3 x=2", "" },
		{ " w=1 x=2 y=3", " y=3 x=2 w=1", "" },
		{ " w=1 x=2 y=3", " w=1 y=3", "~2/2:x" },
		{ " w=1 y=3", " w=1 x=2 y=3", "~2/2:x" },
		{ " w=1 x=2", " w=1 x=2 y=3", "~2/2:y" },
		{ " w=1 x=2 y=3", " w=1 x=2", "~2/2:y" },
		{ " w=1 x=2", " w=1 z=2", "~2/2:x:z" },
		{ " w=1 w=2", " w=2 w=1", "~2/2:w:w" },
		{ " w=1 x=2", " x=2 w=1 w=1", "~2/2:w" },
		{ " w=1 w=1 x=2", " x=2 w=1", "~2/2:w" },
		/* one is the beginning of the other */
		{ " w=12 x=2", " w=1 x=2", "~2/2:w" },
		{ " w=1 x=2", " w=12 x=2", "~2/2:w" },
		{ " w=1 x=23", " w=1 x=2", "~2/2:x" },
		{ " w=1 wx=2", " w=1 w=2", "~2/2:wx:w" },
		{ " w=1 w=2", " w=1 wx=2", "~2/2:w:wx" },
		{ " w= x=2", " w=1 x=2", "~2/2:w" },
		{ " w=1 x=", " w=1 x=", "" },
		/* words that are no values */
		{ " w=1 word x=2", " w=1 x=2", "" },
		{ " w=1 x=2", " w=1 w x=2 w", "" },
	};
	static const struct diff_rules rules = { .level = CANON_MESSAGES };
	char a[512], b[512], what[128];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(what, sizeof what, "\"%s\" against \"%s\"", cases[i].a, cases[i].b);
		check_texts(a, report_values(a, sizeof a, cases[i].a), b, report_values(b, sizeof b, cases[i].b), &rules, cases[i].expected, what);
	}
}

/* The hash of all that is compared of one message with this last value. */
static uint64_t key_of(const char *value, const char *after)
{
	char ignored[] = "ignored", *names[] = { ignored };
	const struct diff_rules rules = { .ignore = { names, 1 } };
	struct canon_treatments treatments = { .rules = &rules };
	struct canon_file file;
	struct rtap_error error;
	char text[512];
	size_t length = (size_t)snprintf(text, sizeof text, "rdmatap-canon 1 level=messages\nconnection transport=RC\n"
					 "message > kind=send x=%s%s\nend connections=1\n", value, after);
	uint64_t key;

	cr_assert_eq(canon_file_read(&file, &(struct canon_text){ .name = "text", .text = text, .length = length }, &treatments, &error),
		     RTAP_STATUS_OK, "%s", error.text);
	key = file.lines[CANON_MESSAGES].lines[0].keys[CANON_KEY_ALL];
	canon_file_fini(&file);
	canon_treatments_fini(&treatments);
	return key;
}

/* Short ones are hashed as one word, if so many bytes of the line are left. */
Test(diff, the_hash_of_a_value_does_not_depend_on_the_bytes_after_it)
{
	static const char digits[] = "0123456789abcdefghij";
	uint64_t keys[sizeof digits];

	for (size_t length = 0; length < sizeof digits; length++) {
		char value[sizeof digits];

		snprintf(value, sizeof value, "%.*s", (int)length, digits);
		keys[length] = key_of(value, "");
		cr_expect_eq(key_of(value, " ignored=1"), keys[length], "%s", value);
		cr_expect_eq(key_of(value, " ignored=12345678"), keys[length], "%s", value);
		for (size_t shorter = 0; shorter < length; shorter++)
			cr_expect_neq(keys[shorter], keys[length], "%zu and %zu bytes", shorter, length);
		if (length) {
			value[length - 1]++;
			cr_expect_neq(key_of(value, ""), keys[length], "%s", value);
			cr_expect_neq(key_of(value, " ignored=12345678"), keys[length], "%s", value);
		}
	}
}

Test(diff, names_each_difference_once)
{
	static const struct {
		const char *a, *b, *expected;
	} cases[] = {
		{ "", "", "" },
		{ "aBcD", "aBcD", "" },
		{ "aBcD", "aBD", "-3/0" },
		{ "aBD", "aBcD", "+0/3" },
		{ "aBcD", "aBccD", "+0/4" },
		{ "aaaa", "aaa", "-4/0" },
		{ "aBcD", "aBxD", "~3/3:length" },
		{ "", "ab", "+0/1 +0/2" },
		/* messages of two ends have no order, those of one end have */
		{ "aBcD", "BaDc", "" },
		{ "abcdef", "abdcef", ">3/4" },
		{ "aBcBaBcB", "aBcBaBBc", "" },
		/* a server that sends later, over several messages of the client */
		{ "aXbcdef", "abcdeXf", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(cases[i].a, cases[i].b, &(struct diff_rules){ .order = false }, cases[i].expected);
	check("aBcD", "BacD", &(struct diff_rules){ .order = true }, ">1/2");
}

Test(diff, names_stand_for_one_another)
{
	static const struct {
		const char *a, *b, *expected;
	} cases[] = {
		{ "a1b2c1", "a2b1c2", "" },
		{ "a1b2c1", "a1b2c2", "~3/3:key" },
		{ "a1b2c1", "a1b1c1", "~2/2:key ~3/3:key" },
		/* distances are from the first address seen, which may be another one */
		{ "a1+0b1+4c1+8", "a1+1b1+5c1+9", "" },
		{ "a1+0b1+4c1+8", "a1+0b1+5c1+8", "~2/2:key" },
		/* a message more with a key of its own */
		{ "a1b2c3", "a1x2b3c4", "+0/2" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(cases[i].a, cases[i].b, &(struct diff_rules){ .order = false }, cases[i].expected);
}

Test(diff, reports_by_addresses_which_of_equal_messages_is_lost)
{
	static const struct {
		const char *a, *b, *expected;
	} cases[] = {
		{ "a1+0a1+1a1+2a1+3a1+4", "a1+0a1+2a1+3a1+4", "-2/0" },
		{ "a1+0a1+2a1+3a1+4", "a1+0a1+1a1+2a1+3a1+4", "+0/2" },
		/* the first one with a key */
		{ "a1+0a1+1b1+2", "a1+0b1+1", "-1/0" },
		{ "a1a2a3b4", "a1a2b3", "-3/0" },
		/* each in its place */
		{ "a1+0a1+1a1+2a1+3a1+4a1+5a1+6", "a1+0a1+2a1+3a1+5a1+6", "-2/0 -5/0" },
		{ "a1+0b1+1a1+2b1+3a1+4b1+5", "a1+0b1+1a1+4b1+5", "-3/0 -4/0" },
		/* messages of the other end are in between */
		{ "a1+0Xa1+1Xa1+2Xa1+3X", "a1+0XXa1+2Xa1+3X", "-3/0" },
		/* no place is better than another */
		{ "aaaa", "aaa", "-4/0" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(cases[i].a, cases[i].b, &(struct diff_rules){ .order = false }, cases[i].expected);
}

/* The message after the lost one decides: by its kind it can be either, by its key only one. */
Test(diff, reports_by_addresses_which_is_lost_before_a_changed_message)
{
	static const char head[] = "rdmatap-canon 1 level=messages\nconnection transport=RC client=a server=b\n";
	static const char line[] = "message > kind=send length=9 key=rkey#1+0x%d%s\n";
	char a[1024], b[1024];

	for (int lost = 1; lost < 5; lost++) {
		size_t a_used = (size_t)snprintf(a, sizeof a, head), b_used = (size_t)snprintf(b, sizeof b, head);
		char expected[40];

		for (int i = 0; i < 6; i++) {
			a_used += (size_t)snprintf(a + a_used, sizeof a - a_used, line, i, "");
			if (i != lost)
				b_used += (size_t)snprintf(b + b_used, sizeof b - b_used, line, i, i == lost + 1 ? " status=gap" : "");
		}
		a_used += (size_t)snprintf(a + a_used, sizeof a - a_used, "end connections=1\n");
		b_used += (size_t)snprintf(b + b_used, sizeof b - b_used, "end connections=1\n");
		snprintf(expected, sizeof expected, "-%d/0 ~%d/%d:status", lost + 1, lost + 2, lost + 1);
		check_texts(a, a_used, b, b_used, &(struct diff_rules){ .order = false }, expected, "one lost");
	}
}

Test(diff, of_many_messages_the_few_that_differ_are_reported)
{
	static char a[3000], b[3000];

	for (size_t i = 0; i + 1 < 1500; i++)
		a[i] = "aBcDeFg"[i % 7];
	memcpy(b, a, sizeof b);
	b[700] = 'z';
	memmove(b + 901, b + 900, strlen(b + 900) + 1);
	b[900] = 'y';
	check(a, b, &(struct diff_rules){ .order = false }, "~701/701:length +0/901");
}

Test(diff_match, uncrosses_lines_that_are_the_same)
{
	/* keys 1 and 2; both of key 1 exist on both sides, in whatever order the alignment finds them */
	const struct canon_line a[] = { { .keys = { 1 }, .direction = '>' }, { .keys = { 2 }, .direction = '<', .lane = 1 },
					{ .keys = { 1 }, .direction = '>' } };
	const struct canon_line b[] = { { .keys = { 2 }, .direction = '<', .lane = 1 }, { .keys = { 1 }, .direction = '>' },
					{ .keys = { 1 }, .direction = '>' } };
	struct diff_matches matches;

	cr_assert_eq(diff_match(&matches, a, 3, b, 3, false, NULL), 0);
	cr_expect_eq(matches.of_a[0], 1);
	cr_expect_eq(matches.of_a[1], 0);
	cr_expect_eq(matches.of_a[2], 2);
	for (int i = 0; i < 3; i++)
		cr_expect_neq(matches.places[i], DIFF_ELSEWHERE);
	diff_matches_fini(&matches);
}

Test(diff_rules, are_read_one_by_one)
{
	struct diff_rules rules = { .order = false };
	struct rtap_error error;

	cr_expect_eq(diff_rules_add(&rules, "ignore", "nfs.tag", &error), RTAP_STATUS_OK);
	cr_expect_eq(diff_rules_add(&rules, "ignore", "rpcordma", &error), RTAP_STATUS_OK);
	cr_expect_not(diff_rules_compare(&rules, "nfs.tag", 7));
	cr_expect_not(diff_rules_compare(&rules, "rpcordma.flow_control", 21));
	cr_expect(diff_rules_compare(&rules, "rpcordmax", 9));
	cr_expect(diff_rules_compare(&rules, "length", 6));
	cr_expect_eq(diff_rules_add(&rules, "only", "length", &error), RTAP_STATUS_OK);
	cr_expect(diff_rules_compare(&rules, "length", 6));
	cr_expect_not(diff_rules_compare(&rules, "packets", 7));
	cr_expect_eq(diff_rules_add(&rules, "tolerance", "latency=12.5%", &error), RTAP_STATUS_OK);
	cr_assert(diff_rules_tolerance(&rules, "latency", 7));
	cr_expect_eq(diff_rules_tolerance(&rules, "latency", 7)->share, 0.125);
	cr_expect_null(diff_rules_tolerance(&rules, "length", 6));
	cr_expect_neq(diff_rules_add(&rules, "tolerance", "latency=-1", &error), RTAP_STATUS_OK);
	cr_expect_neq(diff_rules_add(&rules, "tolerance", "latency=nan", &error), RTAP_STATUS_OK);
	cr_expect_neq(diff_rules_add(&rules, "ignore", NULL, &error), RTAP_STATUS_OK);
	cr_expect_neq(diff_rules_add(&rules, "paint", "blue", &error), RTAP_STATUS_OK);
	diff_rules_fini(&rules);
}
