/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts that users write: flow rules, rules files of comparisons, options of -T fields, GUIDs, assertions.
 * Input: byte 0 chooses which; the text, up to its first zero byte; for a flow rule, the frame that it is held against.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdmatap/device.h>

#include "capture/verbs/flow_rule.h"
#include "output/check/assertion.h"
#include "output/check/assertion_form.h"
#include "output/packet/clock.h"
#include "output/compare/diff_rules.h"
#include "output/packet/fields.h"

#include "harness.h"
#include "text_checks.h"

enum text_kind { FLOW_RULE, DIFF_RULES, FIELDS, OTHER, ASSERTION, TEXT_KINDS };

/* An error says something, and ends. */
static void check_error(const struct rtap_error *error)
{
	REQUIRE(*error->text && memchr(error->text, 0, sizeof error->text));
}

static void try_flow_rule(const char *text, const uint8_t *frame, size_t length)
{
	struct flow_rule rule, again;
	struct rtap_error error = { .text = "" };

	if (flow_rule_parse(&rule, text, &error) != RTAP_STATUS_OK) {
		check_error(&error);
		return;
	}
	REQUIRE(!strcmp(rule.text, text));
	REQUIRE(flow_rule_parse(&again, rule.text, &error) == RTAP_STATUS_OK);
	REQUIRE(!memcmp(&rule.outer, &again.outer, sizeof rule.outer) && !memcmp(&rule.inner, &again.inner, sizeof rule.inner));
	for (unsigned i = 0; i < FLOW_FIELDS; i++)
		for (unsigned j = 0; j < flow_field_width(i); j++)
			REQUIRE(!(rule.outer.values[i].value[j] & ~rule.outer.values[i].mask[j]));
	REQUIRE(flow_rule_matches(&rule, frame, (uint32_t)length) ==
		flow_rule_matches(&rule, frame, length < FLOW_RULE_REACH ? (uint32_t)length : FLOW_RULE_REACH));
}

static void try_diff_rules(const char *text)
{
	static int file = -1;
	struct diff_rules rules = { .level = CANON_MESSAGES };
	struct rtap_error error = { .text = "" };
	char path[64];

	if (file < 0)
		file = memfd_create("rules", MFD_CLOEXEC);
	REQUIRE(file >= 0 && !ftruncate(file, 0) && pwrite(file, text, strlen(text), 0) == (ssize_t)strlen(text));
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (diff_rules_read(&rules, path, &error) != RTAP_STATUS_OK)
		check_error(&error);
	diff_rules_compare(&rules, "rpc.xid", 7);
	diff_rules_tolerance(&rules, "latency", 7);
	diff_rules_fini(&rules);
}

static void try_fields(const char *text)
{
	struct fields_format fields;
	struct rtap_error error = { .text = "" };

	fields_format_init(&fields);
	if (fields_format_option(&fields, text, &error) != RTAP_STATUS_OK)
		check_error(&error);
	error.text[0] = 0;
	if (fields_format_add(&fields, text, &error) != RTAP_STATUS_OK)
		check_error(&error);
	fields_format_fini(&fields);
}

/* A record of each kind, with names that must be escaped, and longer than what is kept of them. */
static void write_record(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "{\"operation\":7,\"layer\":\"nfs\",\"key\":\"nfs READ\",\"name\":\"READ\",\"object\":\"/a \\\"b\\\" \\u001b\\u202e");
	for (unsigned i = 0; i < 40; i++)
		line_text(line, "\xc3\xa9\\\\");
	line_text(line, "\",\"length\":18446744073709551615,\"failed\":1,\"latency\":0.012345678,\"latency_p99\":1.5,\"anomalies\":{\"lost\":3},"
			"\"directions\":[{\"packets\":9,\"seconds\":2.5,\"time_lost\":0.5,\"dscp\":[{\"dscp\":26}]},{\"packets\":0}]}\n");
}

static void try_assertion(const char *text)
{
	struct assertions assertions = { .most = 2 };
	struct rtap_error error = { .text = "" };
	static char room[1 << 16];
	struct line line;

	if (assertions_add(&assertions, text, &error) != RTAP_STATUS_OK) {
		check_error(&error);
		REQUIRE(!assertions.count);
	}
	for (unsigned kind = 0; assertions.count && kind < RECORD_KIND_COUNT; kind++)
		assertions_take(&assertions, (enum record_kind)kind, write_record, NULL);
	for (size_t i = 0; i < assertions.count; i++) {
		REQUIRE(assertions.list[i].records <= 1 && assertions.list[i].failed <= assertions.list[i].records);
		line_init(&line, room, sizeof room);
		assertion_text(&assertions.list[i], &line);
		check_lines(room, (size_t)(line.next - room), false, false);
		line_init(&line, room, sizeof room);
		assertion_json(&assertions.list[i], &line);
		check_lines(room, (size_t)(line.next - room), true, false);
	}
	assertions_fini(&assertions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum clock_form form;
	uint64_t guid;
	uint8_t *copy;
	char *text;
	size_t length;

	if (!size)
		return 0;
	/* a block of just this size: reading outside of it is seen */
	text = strndup((const char *)data + 1, size - 1);
	REQUIRE(text != NULL);
	length = size - 1 > strlen(text) ? size - 2 - strlen(text) : 0;
	copy = malloc(length + !length);
	REQUIRE(copy != NULL);
	memcpy(copy, data + size - length, length);
	switch (data[0] % TEXT_KINDS) {
	case FLOW_RULE:
		try_flow_rule(text, copy, length);
		break;
	case DIFF_RULES:
		try_diff_rules(text);
		break;
	case FIELDS:
		try_fields(text);
		break;
	case ASSERTION:
		try_assertion(text);
		break;
	default:
		if (rtap_guid_parse(text, &guid))
			REQUIRE(strlen(text) >= 3);
		if (clock_parse(text, &form))
			REQUIRE(strlen(text) <= 2);
	}
	free(copy);
	free(text);
	return 0;
}
