/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap check: whether packets obey the standards.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <rdmatap/tracker.h>

#include "cli/check.h"
#include "cli/check_records.h"
#include "cli/feed.h"
#include "cli/nothing_found.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "output/check/assertion_form.h"
#include "output/check/check_form.h"
#include "output/packet/printer.h"

/* Default of --top: violations listed per rule. */
#define LISTED 10
/* Fraction of --max-memory for the rules' state of connections. */
#define MEMORY_SHARE 8

struct checking {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct check check;
	struct check_records records;
};

static void take_message(void *owner, const struct rtap_message *message)
{
	struct checking *checking = owner;

	check_records_message(&checking->records, message);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct checking *checking = owner;

	check_records_operation(&checking->records, operation);
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct checking *checking = owner;

	check_records_resolve(&checking->records, frame, flow);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct checking *checking = owner;

	check_merge(&checking->check, from, into);
	check_records_merge(&checking->records, from, into, turned);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct checking *checking = owner;

	check_records_connection(&checking->records, connection);
	check_connection_over(&checking->check, connection->number);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct checking *checking = owner;
	const struct rtap_packet *packet = reader_packet(&checking->reader, frame);

	reader_count(&checking->reader, packet);
	nothing_found_note(&checking->reader, packet);
	check_packet(&checking->check, packet);
	check_records_packet(&checking->records, packet);
	feed_found(&checking->check.violations, frame->number);
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
	for (size_t i = 0; i < violations->count && !reader->unwritable && !aborted; i++) {
		record.violation = &violations->list[i];
		record.is_first = !i;
		if (options->check.sarif)
			reader_write(reader, violation_sarif, &record);
		else if (columns_are_made(&options->columns))
			reader_write_columns(reader, violation_json, &record);
		else
			reader_write(reader, violation_text, &record);
	}
	if (options->check.sarif)
		reader_write(reader, check_sarif_end, violations);
	else if (!columns_are_made(&options->columns))
		reader_write(reader, check_summary_text, &(struct check_summary){ .violations = violations, .packets = reader->packets.passed });
}

static void write_assertions(struct checking *checking)
{
	struct reader *reader = &checking->reader;
	const struct assertions *assertions = checking->records.assertions;

	for (size_t i = 0; i < assertions->count && !reader->unwritable && !aborted; i++)
		reader_write(reader, reader->options->columns.form == COLUMNS_JSON ? assertion_json : assertion_text, &assertions->list[i]);
}

static void write_junit(struct checking *checking, const struct check_results *results)
{
	struct reader *reader = &checking->reader;
	const char *name = reader->options->check.junit;
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), error = fd < 0 ? -errno : 0;
	struct printer printer;

	if (!error && !(error = printer_init(&printer, fd, false))) {
		error = printer_write(&printer, check_results_junit, results);
		if (!error)
			error = printer_flush(&printer);
		printer_fini(&printer);
	}
	if (fd >= 0 && close(fd) && !error)
		error = -errno;
	if (!error)
		return;
	print_error("%s: %s", name, strerror(-error));
	reader->status = EXIT_ERROR;
}

static void write_results(struct checking *checking)
{
	const struct options *options = checking->reader.options;
	const struct check_results results = { checking->records.assertions, &checking->check.violations };
	bool has_rules = !results.assertions->count || options->check.rules_given || options->check.severity_given;

	if (options->check.tap) {
		reader_write(&checking->reader, check_results_tap, &results);
	} else {
		write_assertions(checking);
		if (has_rules)
			write_violations(checking);
	}
	if (options->check.junit)
		write_junit(checking, &results);
}

static bool is_broken(const struct violations *violations, const struct assertions *assertions)
{
	for (size_t i = 0; i < assertions->count; i++)
		if (assertions->list[i].failed)
			return true;
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		if (violations->counts[i])
			return true;
	return false;
}

static void finish(struct checking *checking)
{
	struct reader *reader = &checking->reader;
	struct check *check = &checking->check;

	check_records_finish(&checking->records);
	feed_gather(reader, checking->tracker, &check->violations);
	violations_sort(&check->violations);
	if (!feed || !feed->is_silent)
		write_results(checking);
	reader_wrote(reader, printer_flush(&reader->printer));
	reader_report(reader, checking->tracker);
	nothing_found_report_rdma(reader);
	if (check->memory.evictions)
		print_error("the state of %" COUNT " was dropped for lack of memory: some rules were not checked there (raise --max-memory)",
			    COUNTED(check->memory.evictions, "connection", "connections"));
	if (check->violations.refused)
		print_error("out of memory: %" COUNT " not listed", COUNTED(check->violations.refused, "violation is", "violations are"));
	if (reader->status == EXIT_DONE && is_broken(&check->violations, checking->records.assertions))
		reader->status = EXIT_NO;
}

static int run(struct options *options)
{
	static struct checking checking;
	struct reader *reader = &checking.reader;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking, .max_memory = options->max_memory - 2 * (options->max_memory / MEMORY_SHARE), .give_up_ns = options->give_up_ns,
		.dissect = &options->dissect, .merged = take_merge, .connection = take_connection, .message = take_message,
		.operation = take_operation, .resolved = resolve, .bare_replies = true, .owner = &checking,
	};

	checking.records.assertions = &options->check.assertions;
	options->check.assertions.most = options->top ? options->top : LISTED;
	check_memory_init(&checking.check.memory, options->max_memory / MEMORY_SHARE);
	checking.check.violations.most = options->top ? options->top : LISTED;
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++)
		checking.check.violations.is_checked[i] = check_option_wants(&options->check, (enum check_rule_number)i);
	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (!check_records_open(&checking.records, options->max_memory / MEMORY_SHARE, &tracking) ||
		   rtap_tracker_open(&checking.tracker, &tracking, NULL)) {
		print_error("out of memory");
		reader->status = EXIT_ERROR;
	} else {
		reader_run(reader, checking.tracker, take, &checking);
		rtap_tracker_finish(checking.tracker);
		finish(&checking);
	}
	rtap_tracker_close(checking.tracker);
	check_records_close(&checking.records);
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

/* Returns false and prints an error if the output options exclude each other. */
static bool forms_fit(const struct options *options)
{
	bool is_made = columns_are_made(&options->columns);

	if (options->check.sarif + options->check.tap + is_made > 1)
		print_error("--sarif, --tap and --json, -T and -e exclude each other");
	else if (options->check.assertions.count && (options->check.sarif || options->columns.form == COLUMNS_CSV || options->columns.count))
		print_error("--sarif, -T csv and -e are for rules, not for --that and --assert (--json, --tap, --junit)");
	else
		return true;
	return false;
}

int command_check(int argc, char **argv)
{
	struct options options;
	int status = EXIT_ERROR;

	if (options_parse(&options, COMMAND_CHECK, argc, argv) && forms_fit(&options))
		status = options.check.list ? list(&options) : run(&options);
	options_fini(&options);
	return status;
}
