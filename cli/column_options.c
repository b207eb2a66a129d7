/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/filter/filter_suggest.h"

#include "cli/column_options.h"
#include "cli/print_error.h"
#include "output/compare/canon_policy.h"

bool column_option_take(struct columns *columns, int letter, const char *argument)
{
	static const char *const forms[] = { [COLUMNS_TEXT] = "text", [COLUMNS_JSON] = "json", [COLUMNS_CSV] = "csv" };
	struct rtap_error error;

	if (letter == 'e') {
		if (columns_add(columns, argument, &error) == RTAP_STATUS_OK)
			return true;
		print_error("%s", error.text);
		return false;
	}
	for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		if (!strcmp(argument, forms[i])) {
			columns->form = (enum columns_form)i;
			return true;
		}
	}
	print_error("-T %s: no such form (text, json, csv)", argument);
	return false;
}

/* The values of canonical text are columns, too. */
static bool check_value(const char *name)
{
	const char *meant;

	if (canon_name_known(name))
		return true;
	meant = filter_suggest_in(name, canon_policy_own_name);
	print_error("-e %s: canon has no such column (%s%s%s)", name, meant ? "did you mean " : "rdmatap fields lists fields, -T csv other columns",
		    meant ? meant : "", meant ? "?" : "");
	return false;
}

bool column_options_check(const struct columns *columns, const char *command)
{
	struct rtap_error error;

	for (size_t i = 0; i < columns->count; i++) {
		if (columns_check(command, columns->names[i], &error) == RTAP_STATUS_OK)
			continue;
		if (strcmp(command, "canon"))
			print_error("%s", error.text);
		else if (check_value(columns->names[i]))
			continue;
		return false;
	}
	return true;
}
