/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "output/check/assertion_form.h"
#include "output/packet/json.h"
#include "output/packet/object.h"

#define TAP_NAME_MOST 1024

enum result { PASSED, FAILED, SKIPPED };

static enum result result_of(const struct assertion *assertion)
{
	return assertion->failed ? FAILED : assertion->records ? PASSED : SKIPPED;
}

/* Well-formed UTF-8 without control characters; in XML, special characters are escaped. */
static void write_clean(struct line *line, const char *text, bool is_xml)
{
	static const char special[] = "<>&\"'";
	static const char *const names[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&apos;" };

	for (size_t left = strlen(text), length; left; text += length, left -= length) {
		const char *found = strchr(special, *text);

		length = *text >= ' ' && *text < 0x7f ? 1 : line_utf8_length((const uint8_t *)text, left);
		if (is_xml && found && *text)
			line_text(line, names[found - special]);
		else
			line_bytes(line, length ? text : "?", length ? length : 1);
		length = length ? length : 1;
	}
}

static void write_plain(struct line *line, const char *text)
{
	write_clean(line, text, false);
}

static void write_xml(struct line *line, const char *text)
{
	write_clean(line, text, true);
}

static void write_share(struct line *line, const struct assertion *assertion)
{
	line_dec(line, assertion->failed);
	line_text(line, " of ");
	line_count(line, assertion->records, "record", "records");
}

void assertion_text(const void *what, struct line *line)
{
	const struct assertion *assertion = what;

	switch (result_of(assertion)) {
	case PASSED:
		line_text(line, "ok: ");
		write_plain(line, assertion->text);
		line_text(line, " (");
		line_count(line, assertion->records, "record", "records");
		line_text(line, ")\n");
		return;
	case SKIPPED:
		line_text(line, "skipped: ");
		write_plain(line, assertion->text);
		line_text(line, " (no such record)\n");
		return;
	default:
		line_text(line, "FAILED: ");
		write_plain(line, assertion->text);
		line_text(line, " (");
		write_share(line, assertion);
		line_text(line, ")\n");
	}
	for (size_t i = 0; i < assertion->offender_count; i++) {
		line_text(line, "    ");
		write_plain(line, assertion->offenders[i].text);
		line_char(line, '\n');
	}
	if (assertion->failed > assertion->offender_count) {
		line_text(line, "    and ");
		line_dec(line, assertion->failed - assertion->offender_count);
		line_text(line, " more (--top N)\n");
	}
}

void assertion_json(const void *what, struct line *line)
{
	static const char *const results[] = { [PASSED] = "passed", [FAILED] = "failed", [SKIPPED] = "skipped" };
	const struct assertion *assertion = what;

	line_char(line, '{');
	object_key(line, "assertion");
	json_string(line, (const uint8_t *)assertion->text, strlen(assertion->text));
	object_text(line, "result", results[result_of(assertion)]);
	object_number(line, "records", assertion->records);
	object_number(line, "failed", assertion->failed);
	object_key(line, "offenders");
	line_char(line, '[');
	for (size_t i = 0; i < assertion->offender_count; i++) {
		if (i)
			line_char(line, ',');
		json_string(line, (const uint8_t *)assertion->offenders[i].text, strlen(assertion->offenders[i].text));
	}
	line_text(line, "]}\n");
}

static size_t count_rules(const struct violations *violations)
{
	size_t count = 0;

	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		count += violations->is_checked[i];
	return count;
}

/* A description: # begins a directive. */
static void write_tap_name(struct line *line, const char *text)
{
	const char *sign;

	for (char part[TAP_NAME_MOST]; (sign = strchr(text, '#')) != NULL; text = sign + 1) {
		snprintf(part, sizeof part, "%.*s", (int)(sign - text), text);
		write_plain(line, part);
		line_text(line, "\\#");
	}
	write_plain(line, text);
}

static void write_tap(struct line *line, size_t number, bool ok, const char *name)
{
	line_text(line, ok ? "ok " : "not ok ");
	line_dec(line, number);
	line_text(line, " - ");
	write_tap_name(line, name);
}

void check_results_tap(const void *what, struct line *line)
{
	const struct check_results *results = what;
	const struct assertions *assertions = results->assertions;
	size_t number = 0;

	line_text(line, "TAP version 13\n1..");
	line_dec(line, assertions->count + count_rules(results->violations));
	line_char(line, '\n');
	for (size_t i = 0; i < assertions->count; i++) {
		const struct assertion *assertion = &assertions->list[i];

		write_tap(line, ++number, !assertion->failed, assertion->text);
		line_text(line, result_of(assertion) == SKIPPED ? " # SKIP no such record\n" : "\n");
		for (size_t j = 0; j < assertion->offender_count; j++) {
			line_text(line, "# ");
			write_plain(line, assertion->offenders[j].text);
			line_char(line, '\n');
		}
	}
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
		if (!results->violations->is_checked[i])
			continue;
		write_tap(line, ++number, !results->violations->counts[i], check_rules[i].id);
		line_char(line, '\n');
		for (size_t j = 0; j < results->violations->count; j++) {
			const struct violation *violation = &results->violations->list[j];

			if (violation->rule != i)
				continue;
			line_text(line, "# ");
			line_text(line, violation->culprit);
			line_text(line, " frame ");
			line_dec(line, violation->frame);
			line_text(line, ": ");
			write_plain(line, violation->seen);
			line_char(line, '\n');
		}
	}
}

static void begin_case(struct line *line, const char *class, const char *name)
{
	line_text(line, "  <testcase classname=\"rdmatap.");
	line_text(line, class);
	line_text(line, "\" name=\"");
	write_xml(line, name);
	line_char(line, '"');
}

static void write_assertion_case(struct line *line, const struct assertion *assertion)
{
	begin_case(line, "assertion", assertion->text);
	if (result_of(assertion) == PASSED) {
		line_text(line, "/>\n");
		return;
	}
	if (result_of(assertion) == SKIPPED) {
		line_text(line, "><skipped message=\"no such record\"/></testcase>\n");
		return;
	}
	line_text(line, "><failure message=\"");
	write_share(line, assertion);
	line_text(line, "\">");
	for (size_t i = 0; i < assertion->offender_count; i++) {
		write_xml(line, assertion->offenders[i].text);
		line_char(line, '\n');
	}
	line_text(line, "</failure></testcase>\n");
}

static void write_rule_case(struct line *line, const struct violations *violations, unsigned number)
{
	const struct check_rule *rule = &check_rules[number];

	begin_case(line, "rule", rule->id);
	if (!violations->counts[number]) {
		line_text(line, "/>\n");
		return;
	}
	line_text(line, "><failure message=\"");
	line_count(line, violations->counts[number], "violation", "violations");
	line_text(line, "\">");
	write_xml(line, rule->section);
	line_text(line, ": ");
	write_xml(line, rule->demand);
	line_char(line, '\n');
	for (size_t i = 0; i < violations->count; i++) {
		if (violations->list[i].rule != number)
			continue;
		write_xml(line, violations->list[i].culprit);
		line_text(line, " frame ");
		line_dec(line, violations->list[i].frame);
		line_text(line, ": ");
		write_xml(line, violations->list[i].seen);
		line_char(line, '\n');
	}
	line_text(line, "</failure></testcase>\n");
}

void check_results_junit(const void *what, struct line *line)
{
	const struct check_results *results = what;
	const struct assertions *assertions = results->assertions;
	size_t failures = 0, skipped = 0;

	for (size_t i = 0; i < assertions->count; i++) {
		failures += result_of(&assertions->list[i]) == FAILED;
		skipped += result_of(&assertions->list[i]) == SKIPPED;
	}
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		failures += results->violations->counts[i] > 0;
	line_text(line, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"rdmatap check\" tests=\"");
	line_dec(line, assertions->count + count_rules(results->violations));
	line_text(line, "\" failures=\"");
	line_dec(line, failures);
	line_text(line, "\" errors=\"0\" skipped=\"");
	line_dec(line, skipped);
	line_text(line, "\">\n");
	for (size_t i = 0; i < assertions->count; i++)
		write_assertion_case(line, &assertions->list[i]);
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		if (results->violations->is_checked[i])
			write_rule_case(line, results->violations, i);
	line_text(line, " </testsuite>\n</testsuites>\n");
}
