/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options of each command, for scripts/generate-completion and COMMAND --help: taken from the parser's tables and from the text of
 * --help.
 */
#include "config.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/devices.h"
#include "cli/fields.h"
#include "cli/help.h"
#include "cli/options.h"

static const struct described {
	const char *name, *meaning;
	enum command command; /* argument of options_letters(), if `letters` is NULL */
	const char *(*letters)(const struct option **long_options);
} commands[] = {
	{ "", "", COMMAND_VIEW, NULL },
	{ "canon", "write a capture as text that is the same from run to run", COMMAND_CANON, NULL },
	{ "check", "check packets against the rules of the standards", COMMAND_CHECK, NULL },
	{ "connections", "list connections with their setup and teardown", COMMAND_CONNECTIONS, NULL },
	{ "devices", "list RDMA devices and their end ports", COMMAND_VIEW, devices_letters },
	{ "diff", "compare two captures", COMMAND_DIFF, NULL },
	{ "export", "write RPC messages as RPC over TCP, the files that NFS read and wrote, or a database", COMMAND_EXPORT, NULL },
	{ "fields", "list the fields for filters and output", COMMAND_VIEW, fields_letters },
	{ "join", "report what was lost and delayed between capture points", COMMAND_JOIN, NULL },
	{ "messages", "list messages", COMMAND_MESSAGES, NULL },
	{ "operations", "list NFS and other operations: request, response and data together", COMMAND_OPERATIONS, NULL },
	{ "replay", "send the frames of a capture", COMMAND_REPLAY, NULL },
	{ "report", "write a page with tables and plots", COMMAND_REPORT, NULL },
	{ "stats", "print counts, latencies and findings", COMMAND_STATS, NULL },
	{ "top", "show connections on the terminal, live", COMMAND_TOP, NULL },
	{ "why", "explain why an operation was slow, or what happened on a connection", COMMAND_WHY, NULL },
};

static bool begins_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

/* Whether a line of --help is the heading of a command's own options; *is_its: the heading of this command. */
static bool is_own_heading(const char *line, const char *command, bool *is_its)
{
	const char *take = strstr(line, " take"), *end = strchr(line, '\n');
	const char *name = strstr(line, command);

	if (*line == ' ' || *line == '\n' || !take || take > end || begins_with(line, "usage"))
		return false;
	*is_its = *command && name && name < take;
	return true;
}

/* The row of --help for an option, in this command's part or else in a shared one; after its argument. NULL: none. */
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

/* The rest of the row after the argument's name, which is in capitals. */
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
	static const char *const arguments[] = {
		[no_argument] = "none", [required_argument] = "required", [optional_argument] = "optional",
	};
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

static const char *letters_of(const struct described *described, const struct option **long_options)
{
	return described->letters ? described->letters(long_options) : options_letters(described->command, long_options);
}

int completion_run(void)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		const struct option *long_options;
		const char *letters = letters_of(&commands[i], &long_options);

		if (*commands[i].name)
			printf("%s\t\t\t%s\n", commands[i].name, commands[i].meaning);
		print_options(commands[i].name, letters, long_options);
	}
	return EXIT_DONE;
}

/* Whether the option described by a row of --help is in the list. */
static bool is_taken(const char *row, const char *letters, const struct option *long_options)
{
	size_t length = strcspn(row + 4, " ,\n");

	if (row[3] != '-')
		return row[3] != ':' && strchr(letters, row[3]);
	for (; long_options->name; long_options++)
		if (strlen(long_options->name) == length && !strncmp(long_options->name, row + 4, length))
			return true;
	return false;
}

/* Whether find_meaning() returns this row for its option. */
static bool is_chosen(const char *command, const char *row)
{
	size_t length = strcspn(row + 2, " ,\n");
	char option[64];

	snprintf(option, sizeof option, "%.*s", (int)length, row + 2);
	return find_meaning(command, option) == row + 2 + length;
}

/* The rows of --help for a command's options, in order; from its own part or from shared ones. */
static void print_rows(const struct described *described, bool own)
{
	const struct option *long_options;
	const char *letters = letters_of(described, &long_options);
	bool is_own = false, is_its = false, prints = false;

	for (const char *line = options_help_text; *line; line = strchr(line, '\n') + 1) {
		if (*line == '\n')
			is_own = is_its = false;
		else if (is_own_heading(line, described->name, &is_its))
			is_own = true;
		if (begins_with(line, "  -"))
			prints = is_own == own && is_taken(line, letters, long_options) && is_chosen(described->name, line);
		else if (!begins_with(line, "   "))
			prints = false;
		if (prints)
			fwrite(line, 1, strcspn(line, "\n") + 1, stdout);
	}
}

bool command_help(const char *name)
{
	if (!strcmp(name, "ops"))
		name = "operations";
	for (size_t i = 1; i < sizeof commands / sizeof commands[0]; i++) {
		char usage[64];
		const char *line;

		if (strcmp(name, commands[i].name))
			continue;
		snprintf(usage, sizeof usage, "       rdmatap %s ", name);
		line = strstr(options_help_text, usage) + strlen("       ");
		printf("usage: %.*s\n\n%c%s. See rdmatap-%s(1).\n%s", (int)strcspn(line, "\n"), line,
		       commands[i].meaning[0] - 'a' + 'A', commands[i].meaning + 1, name,
		       "\n");
		print_rows(&commands[i], true);
		print_rows(&commands[i], false);
		return true;
	}
	return false;
}
