/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "output/check/assertion.h"
#include "output/check/rule.h"

/* Options of check only. Zero-initialised. */
struct check_options {
	bool list, sarif, tap;
	const char *junit;                /* file for JUnit XML; NULL: none */
	struct assertions assertions;
	bool severity_given, rules_given;
	enum check_severity severity;     /* rules of this severity or more */
	bool is_chosen[CHECK_RULE_COUNT]; /* with rules_given */
};

enum { OPTION_CHECK = 768, OPTION_CHECK_LIST, OPTION_CHECK_RULE, OPTION_CHECK_SEVERITY, OPTION_CHECK_SARIF, OPTION_CHECK_ASSERT,
	OPTION_CHECK_THAT, OPTION_CHECK_JUNIT, OPTION_CHECK_TAP, OPTION_CHECK_END };

#define CHECK_OPTIONS \
	{ "list", no_argument, NULL, OPTION_CHECK_LIST }, \
	{ "rule", required_argument, NULL, OPTION_CHECK_RULE }, \
	{ "severity", required_argument, NULL, OPTION_CHECK_SEVERITY }, \
	{ "sarif", no_argument, NULL, OPTION_CHECK_SARIF }, \
	{ "assert", required_argument, NULL, OPTION_CHECK_ASSERT }, \
	{ "that", required_argument, NULL, OPTION_CHECK_THAT }, \
	{ "junit", required_argument, NULL, OPTION_CHECK_JUNIT }, \
	{ "tap", no_argument, NULL, OPTION_CHECK_TAP }

/* Stores one of CHECK_OPTIONS. False: not one of them, or invalid; an invalid value is reported on standard error. */
bool check_option_take(struct check_options *check, int letter, const char *value);

/* Whether the options ask for this rule: with assertions, rules are checked only if options choose them. */
bool check_option_wants(const struct check_options *check, enum check_rule_number rule);

#endif
