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

/* The values of canonical text are columns too. */
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

const char *column_options_command(enum command command)
{
	static const char *const names[] = {
		[COMMAND_MESSAGES] = "messages", [COMMAND_OPERATIONS] = "operations", [COMMAND_CONNECTIONS] = "connections",
		[COMMAND_STATS] = "stats", [COMMAND_JOIN] = "join", [COMMAND_CHECK] = "check",
		[COMMAND_CANON] = "canon", [COMMAND_DIFF] = "diff", [COMMAND_WHY] = "why",
	};

	return command < sizeof names / sizeof names[0] && names[command] ? names[command] : "";
}

/* Adds the columns of the text output. */
static bool add_line(struct fields_format *fields)
{
	struct rtap_error error;

	if (fields_format_add_line(fields, &error) == RTAP_STATUS_OK)
		return true;
	print_error("%s", error.text);
	return false;
}

bool column_options_complete(struct options *options)
{
	const char *command = column_options_command(options->command);

	options->columns.skips_empty = options->command == COMMAND_CANON || options->command == COMMAND_DIFF || options->command == COMMAND_WHY;
	if (options->form == VIEW_FIELDS && options->fields.is_csv && !options->fields.column_count)
		return add_line(&options->fields);
	if (!*command)
		return true;
	if (!options->by && options->sort == OPERATIONS_BY_COUNT) {
		print_error("--sort count requires --by");
		return false;
	}
	if (options->by)
		command = "operations --by KEY";
	if (!column_options_check(&options->columns, command))
		return false;
	if (options->record_type && !columns_are_made(&options->columns)) {
		print_error("--type requires -T json, -T csv or -e");
		return false;
	}
	if (options->command == COMMAND_STATS && !options->record_type) {
		if (options->columns.form != COLUMNS_CSV)
			return true;
		print_error("-T csv requires --type, because records differ (capture, finding, connection, operation, object, job, host, rpc, mad, interval)");
		return false;
	}
	if (columns_complete(&options->columns, command, options->record_type))
		return true;
	print_error("--type %s: no such type (capture, finding, connection, operation, object, job, host, rpc, mad, interval)", options->record_type);
	return false;
}
