/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap check: whether packets obey the standards.
 */
#include "config.h"

#include <rdmatap/tracker.h>

#include "cli/check.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "output/check/check_form.h"
#include "output/packet/printer.h"

/* Violations of each rule that are listed, without --top. */
#define LISTED 10
/* Share of --max-memory for what the rules remember of connections. */
#define MEMORY_SHARE 8

struct checking {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct check check;
};

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct checking *checking = owner;

	(void)turned;
	check_merge(&checking->check, from, into);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct checking *checking = owner;

	check_connection_over(&checking->check, connection->number);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct checking *checking = owner;
	struct rtap_packet packet;

	reader_packet(&checking->reader, frame, &packet);
	reader_count(&checking->reader, &packet);
	check_packet(&checking->check, &packet);
}

struct made {
	const struct columns *columns;
	const struct violation_record *record;
};

static void write_made(const void *what, struct line *line)
{
	const struct made *made = what;

	columns_write(made->columns, violation_json, made->record, line);
}

static void write_violations(struct checking *checking)
{
	struct reader *reader = &checking->reader;
	const struct options *options = reader->options;
	const struct violations *violations = &checking->check.violations;
	struct violation_record record = { .violations = violations, .input = options->input_count == 1 ? options->inputs[0] : NULL };

	if (options->check.sarif)
		reader_write(reader, check_sarif_begin, violations);
	else if (options->columns.form == COLUMNS_CSV)
		reader_write(reader, columns_write_header, &options->columns);
	for (size_t i = 0; i < violations->count && !reader->unwritable && !hurried; i++) {
		record.violation = &violations->list[i];
		record.is_first = !i;
		if (options->check.sarif)
			reader_write(reader, violation_sarif, &record);
		else if (columns_are_made(&options->columns))
			reader_write(reader, write_made, &(struct made){ &options->columns, &record });
		else
			reader_write(reader, violation_text, &record);
	}
	if (options->check.sarif)
		reader_write(reader, check_sarif_end, violations);
	else if (!columns_are_made(&options->columns))
		reader_write(reader, check_summary_text, &(struct check_summary){ .violations = violations, .packets = reader->packets.passed });
}

static bool is_broken(const struct violations *violations)
{
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		if (violations->counts[i])
			return true;
	return false;
}

static void finish(struct checking *checking)
{
	struct reader *reader = &checking->reader;
	struct check *check = &checking->check;

	violations_sort(&check->violations);
	write_violations(checking);
	reader_wrote(reader, printer_flush(&reader->printer));
	reader_report(reader, checking->tracker);
	if (check->memory.evictions)
		print_error("the state of %" COUNT " was dropped for want of memory: some rules were not checked there (--max-memory)",
			    COUNTED(check->memory.evictions, "connection", "connections"));
	if (check->violations.refused)
		print_error("out of memory: %" COUNT " not listed", COUNTED(check->violations.refused, "violation is", "violations are"));
	if (reader->status == EXIT_DONE && is_broken(&check->violations))
		reader->status = EXIT_NO;
}

static int run(const struct options *options)
{
	static struct checking checking;
	struct reader *reader = &checking.reader;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking, .max_memory = options->max_memory - options->max_memory / MEMORY_SHARE, .give_up_ns = options->give_up_ns,
		.dissect = &options->dissect, .merged = take_merge, .connection = take_connection, .owner = &checking,
	};

	checking.check.memory.max_memory = options->max_memory / MEMORY_SHARE;
	checking.check.violations.most = options->top ? options->top : LISTED;
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		checking.check.violations.is_checked[i] = check_option_wants(&options->check, (enum check_rule_number)i);
	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (rtap_tracker_open(&checking.tracker, &tracking, NULL)) {
		print_error("out of memory");
		reader->status = EXIT_ERROR;
	} else {
		reader_run(reader, checking.tracker, take, &checking);
		rtap_tracker_finish(checking.tracker);
		finish(&checking);
	}
	rtap_tracker_close(checking.tracker);
	check_fini(&checking.check);
	reader_close(reader);
	return reader->status;
}

static int list(const struct options *options)
{
	char text[1024];
	struct line line;

	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
		if ((options->check.rules_given || options->check.severity_given) && !check_option_wants(&options->check, (enum check_rule_number)i))
			continue;
		line_init(&line, text, sizeof text);
		(options->columns.form == COLUMNS_JSON ? check_rule_json : check_rule_text)(&check_rules[i], &line);
		fwrite(text, 1, (size_t)(line.next - text), stdout);
	}
	return EXIT_DONE;
}

int command_check(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;

	if (options_parse(&options, COMMAND_CHECK, argc, argv))
		status = options.check.list ? list(&options) : run(&options);
	options_fini(&options);
	return status;
}
