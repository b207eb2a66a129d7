/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <fnmatch.h>

#include "cli/check_options.h"
#include "cli/option_values.h"
#include "cli/print_error.h"
#include "dissect/filter/filter_suggest.h"

static const char *rule_id(size_t index)
{
	return index < CHECK_RULE_COUNT ? check_rules[index].id : NULL;
}

/* Chooses the rules whose id matches the pattern. */
static bool choose(struct check_options *check, const char *pattern)
{
	const char *meant;
	bool found = false;

	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		if (!fnmatch(pattern, check_rules[i].id, 0))
			found = check->is_chosen[i] = true;
	check->rules_given = true;
	if (found)
		return true;
	meant = filter_suggest_in(pattern, rule_id);
	if (meant)
		print_error("--rule %s: no such rule (did you mean %s?)", pattern, meant);
	else
		print_error("--rule %s: no such rule (rdmatap check --list prints all)", pattern);
	return false;
}

static bool asserted(const char *option, enum rtap_status status, const struct rtap_error *error)
{
	if (status != RTAP_STATUS_OK)
		print_error("%s %s", option, error->text);
	return status == RTAP_STATUS_OK;
}

bool check_option_take(struct check_options *check, int letter, const char *value)
{
	struct rtap_error error;

	switch (letter) {
	case OPTION_CHECK_LIST: return check->list = true;
	case OPTION_CHECK_SARIF: return check->sarif = true;
	case OPTION_CHECK_TAP: return check->tap = true;
	case OPTION_CHECK_ASSERT: return asserted("--assert", assertions_read(&check->assertions, value, &error), &error);
	case OPTION_CHECK_THAT: return asserted("--that", assertions_add(&check->assertions, value, &error), &error);
	case OPTION_CHECK_JUNIT:
		return option_is_name("--junit", "file", value) &&
		       option_once("--junit", &check->junit, "only one file is supported");
	case OPTION_CHECK_RULE: return choose(check, value);
	case OPTION_CHECK_SEVERITY:
		check->severity_given = true;
		if (check_severity_of(value, &check->severity))
			return true;
		print_error("--severity %s: not note, warning or error", value);
		return false;
	default: return false;
	}
}

bool check_option_wants(const struct check_options *check, enum check_rule_number rule)
{
	enum check_severity least = check->severity_given ? check->severity : CHECK_WARNING;

	if ((check->rules_given && !check->is_chosen[rule]) || (check->assertions.count && !check->rules_given && !check->severity_given))
		return false;
	/* --rule overrides the default of --severity */
	return (check->rules_given && !check->severity_given) || check_rules[rule].severity >= least;
}
