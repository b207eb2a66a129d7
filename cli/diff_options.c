/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "cli/cli.h"
#include "cli/diff_options.h"
#include "cli/print_error.h"

bool diff_take(struct diff_options *diff, int letter, const char *value)
{
	static const struct option options[] = { DIFF_OPTIONS };
	struct rtap_error error;
	enum rtap_status status = RTAP_STATUS_OK;

	if (letter <= OPTION_DIFF || letter > OPTION_DIFF_LEVEL)
		return false;
	if (letter == OPTION_DIFF_STAT)
		diff->stat = true;
	else if (letter == OPTION_DIFF_UPDATE)
		diff->update = true;
	else if (letter == OPTION_DIFF_RULES)
		status = diff_rules_read(&diff->rules, value, &error);
	else
		for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
			if (options[i].val == letter)
				status = diff_rules_add(&diff->rules, options[i].name, value, &error);
	if (status != RTAP_STATUS_OK)
		print_error("%s", error.text);
	return status == RTAP_STATUS_OK;
}
