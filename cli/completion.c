/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the command line takes, for scripts/generate-completion: options from the tables that they are parsed by, and the
 * words of --help.
 */
#include "config.h"

#include <string.h>

#include "cli/cli.h"


static const struct {
	const char *name, *meaning;
	enum command command; /* for options_letters(), unless is_devices or takes_none */
	bool is_devices, takes_none;
} commands[] = {
	{ "", "", COMMAND_VIEW, false, false },
	{ "canon", "write what was said as text that is the same from run to run", COMMAND_CANON, false, false },
	{ "connections", "list connections and their lives", COMMAND_CONNECTIONS, false, false },
	{ "devices", "list RDMA devices and their end ports", COMMAND_VIEW, true, false },
	{ "diff", "tell what differs between two captures", COMMAND_DIFF, false, false },
	{ "export", "write RPC over TCP, or the files that NFS read and wrote", COMMAND_EXPORT, false, false },
	{ "fields", "list what can be filtered and printed", COMMAND_VIEW, false, true },
	{ "messages", "list the messages that packets make", COMMAND_MESSAGES, false, false },
	{ "replay", "send the frames of a capture", COMMAND_REPLAY, false, false },
	{ "report", "write a page with tables and plots", COMMAND_REPORT, false, false },
	{ "stats", "count, measure latencies, say what looks wrong", COMMAND_STATS, false, false },
};

static bool begins_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

/* Whether a line of --help is the heading of a command's own options; *is_its: of this one's. */
static bool is_own_heading(const char *line, const char *command, bool *is_its)
{
	const char *take = strstr(line, " take"), *end = strchr(line, '\n');
	const char *name = strstr(line, command);

	if (*line == ' ' || *line == '\n' || !take || take > end || begins_with(line, "usage"))
		return false;
	*is_its = *command && name && name < take;
	return true;
}

/* The row of --help on an option, in this command's part or else in one for all; behind its argument. NULL: there is none. */
static const char *find_meaning(const char *command, const char *option)
{
	const char *meaning = NULL;
	bool is_own = false, is_its = false;

	for (const char *line = options_help_text; *line; line = strchr(line, '\n') + 1) {
		size_t length = strlen(option);

		if (*line == '\n')
			is_own = is_its = false;
		else if (is_own_heading(line, command, &is_its))
			is_own = true;
		if (!begins_with(line, "  -") || strncmp(line + 2, option, length) || (line[2 + length] != ' ' && line[2 + length] != ','))
			continue;
		if (is_own ? is_its : !meaning)
			meaning = line + 2 + length;
		if (is_its)
			break;
	}
	return meaning;
}

/* Behind the argument's name, which is in capitals, to the end of the row. */
static void print_meaning(const char *row)
{
	const char *end = strchr(row, '\n');

	while (*row == ' ')
		row++;
	/* a name in capitals, OPTION=VALUE, or the one letter N */
	if (row[0] >= 'A' && row[0] <= 'Z' && ((row[1] >= 'A' && row[1] <= 'Z') || begins_with(row, "N ")))
		row += strcspn(row, " \n");
	while (*row == ' ')
		row++;
	fwrite(row, 1, (size_t)(end - row), stdout);
}

static void print_option(const char *command, const char *option, const char *meant, int argument)
{
	static const char *const arguments[] = { [no_argument] = "none", [required_argument] = "required", [optional_argument] = "optional" };
	const char *row = find_meaning(command, option);

	if (!row && meant)
		row = find_meaning(command, meant);
	printf("%s\t%s\t%s\t", command, option, arguments[argument]);
	if (row)
		print_meaning(row);
	putchar('\n');
}

static void print_options(const char *command, const char *letters, const struct option *long_options)
{
	char option[64];

	for (const char *letter = letters + 1; *letter; letter++) {
		if (*letter == ':')
			continue;
		snprintf(option, sizeof option, "-%c", *letter);
		print_option(command, option, NULL, letter[1] == ':' ? required_argument : no_argument);
	}
	for (; long_options->name; long_options++) {
		char meant[] = { '-', (char)long_options->val, 0 };

		snprintf(option, sizeof option, "--%s", long_options->name);
		print_option(command, option, long_options->val < 256 ? meant : NULL, long_options->has_arg);
	}
}

int completion_run(void)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		const struct option *long_options;
		const char *letters;

		if (*commands[i].name)
			printf("%s\t\t\t%s\n", commands[i].name, commands[i].meaning);
		if (commands[i].takes_none)
			continue;
		letters = commands[i].is_devices ? devices_letters(&long_options) : options_letters(commands[i].command, &long_options);
		print_options(commands[i].name, letters, long_options);
	}
	return EXIT_DONE;
}
