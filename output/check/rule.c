/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/check/rule.h"

const struct check_rule check_rules[CHECK_RULE_COUNT] = {
#define CHECK_RULE_ROW(identifier, id, severity, section, title, demand) { id, CHECK_##severity, section, title, demand },
	CHECK_RULES(CHECK_RULE_ROW)
#undef CHECK_RULE_ROW
};

static const char *const severity_names[] = { [CHECK_NOTE] = "note", [CHECK_WARNING] = "warning", [CHECK_ERROR] = "error" };

const char *check_severity_name(enum check_severity severity)
{
	return severity < CHECK_SEVERITIES ? severity_names[severity] : "unknown";
}

bool check_severity_of(const char *name, enum check_severity *severity)
{
	for (unsigned i = 0; i < CHECK_SEVERITIES; i++)
		if (!strcmp(name, severity_names[i])) {
			*severity = (enum check_severity)i;
			return true;
		}
	return false;
}
