/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parsing of the command lines of the stream view and of all commands that read captures.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/column_options.h"
#include "cli/decode_as.h"
#include "cli/foreign_options.h"
#include "cli/option_rules.h"
#include "cli/option_values.h"
#include "cli/options.h"
#include "cli/print_error.h"

enum long_option { OPTION_PRINT = 256, OPTION_CHECK_ICRC, OPTION_NO_CHECK_ICRC, OPTION_DECODE_AS, OPTION_NO_HEURISTICS, OPTION_PROGRESS,
	OPTION_MAX_MEMORY, OPTION_THREADS, OPTION_JSON, OPTION_CHECKSUM, OPTION_INCOMPLETE, OPTION_RPC, OPTION_FILL_HOLES, OPTION_FILES,
	OPTION_BUFFER_SIZE, OPTION_QUEUE_SIZE, OPTION_IMMEDIATE, OPTION_SPEED,
	OPTION_RATE, OPTION_AT_ONCE, OPTION_CHECKSUMS, OPTION_LEVEL, OPTION_KEEP, OPTION_FLOW, OPTION_FLOW_TYPE, OPTION_FLOW_PRIORITY,
	OPTION_FLOW_DONT_TRAP, OPTION_FLOW_OFFLOAD, OPTION_FORCE, OPTION_PEER, OPTION_JOIN, OPTION_VERBS,
	OPTION_MAD_CLASSES, OPTION_IS_SM, OPTION_INTERVAL, OPTION_GIVE_UP, OPTION_SAMPLED, OPTION_FAILED,
	OPTION_SORT, OPTION_BY, OPTION_TOP, OPTION_CLOCK, OPTION_SLOWER, OPTION_LAYER, OPTION_SQLITE,
	OPTION_PACKETS, OPTION_TRACE, OPTION_BLKTRACE, OPTION_TYPE, OPTION_STATS_SORT, OPTION_CONNECTION, OPTION_EXPLAIN, OPTION_COLOR, OPTION_WIDE };

#define MOST_GIVE_UP 1000000000 /* seconds */
#define BYTES_A_MEGABYTE 1000000 /* unit of -C, as in tcpdump */

#define COMMON_OPTIONS \
	{ "check-icrc", no_argument, NULL, OPTION_CHECK_ICRC }, \
	{ "no-check-icrc", no_argument, NULL, OPTION_NO_CHECK_ICRC }, \
	{ "decode-as", required_argument, NULL, OPTION_DECODE_AS }, \
	{ "no-heuristics", no_argument, NULL, OPTION_NO_HEURISTICS }, \
	{ "max-memory", required_argument, NULL, OPTION_MAX_MEMORY }, \
	{ "give-up", required_argument, NULL, OPTION_GIVE_UP }, \
	{ "threads", required_argument, NULL, OPTION_THREADS }, \
	{ "progress", no_argument, NULL, OPTION_PROGRESS }

/* Options of captures on a device, besides -i -Z -p and -a. */
#define LIVE_OPTIONS \
	{ "buffer-size", required_argument, NULL, OPTION_BUFFER_SIZE }, \
	{ "queue-size", required_argument, NULL, OPTION_QUEUE_SIZE }, \
	{ "immediate-mode", no_argument, NULL, OPTION_IMMEDIATE }, \
	{ "no-promiscuous-mode", no_argument, NULL, 'p' }, \
	{ "mad-classes", required_argument, NULL, OPTION_MAD_CLASSES }, \
	{ "is-sm", optional_argument, NULL, OPTION_IS_SM }, \
	{ "flow", required_argument, NULL, OPTION_FLOW }, \
	{ "flow-type", required_argument, NULL, OPTION_FLOW_TYPE }, \
	{ "flow-priority", required_argument, NULL, OPTION_FLOW_PRIORITY }, \
	{ "flow-dont-trap", no_argument, NULL, OPTION_FLOW_DONT_TRAP }, \
	{ "flow-offload", no_argument, NULL, OPTION_FLOW_OFFLOAD }, \
	{ "force", no_argument, NULL, OPTION_FORCE }, \
	{ "peer", required_argument, NULL, OPTION_PEER }, \
	{ "join", required_argument, NULL, OPTION_JOIN }, \
	{ "verbs", required_argument, NULL, OPTION_VERBS }, \
	{ "cpu", required_argument, NULL, OPTION_CPU }, \
	{ "priority", required_argument, NULL, OPTION_PRIORITY }, \
	{ "status", required_argument, NULL, OPTION_STATUS }

#define LIVE_LETTERS "i:Z:pa:"

static const struct option view_options[] = {
	COMMON_OPTIONS,
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "wide", no_argument, NULL, OPTION_WIDE },
	{ "print", no_argument, NULL, OPTION_PRINT },
	FILE_OPTIONS,
	RECORDER_OPTIONS,
	LIVE_OPTIONS,
	{ NULL, 0, NULL, 0 },
};

static const struct option messages_options[] = {
	COMMON_OPTIONS,
	LIVE_OPTIONS,
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "checksum", no_argument, NULL, OPTION_CHECKSUM },
	{ "incomplete", no_argument, NULL, OPTION_INCOMPLETE },
	{ "wide", no_argument, NULL, OPTION_WIDE },
	{ "rpc", no_argument, NULL, OPTION_RPC },
	{ NULL, 0, NULL, 0 },
};

static const struct option operations_options[] = {
	COMMON_OPTIONS,
	LIVE_OPTIONS,
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "wide", no_argument, NULL, OPTION_WIDE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "layer", required_argument, NULL, OPTION_LAYER },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "slower", required_argument, NULL, OPTION_SLOWER },
	{ "failed", no_argument, NULL, OPTION_FAILED },
	{ "incomplete", no_argument, NULL, OPTION_INCOMPLETE },
	{ "sort", required_argument, NULL, OPTION_SORT },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ NULL, 0, NULL, 0 },
};

static const struct option connections_options[] = {
	COMMON_OPTIONS,
	LIVE_OPTIONS,
	{ "wide", no_argument, NULL, OPTION_WIDE },
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "sampled", no_argument, NULL, OPTION_SAMPLED },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

static const struct option export_options[] = {
	COMMON_OPTIONS,
	{ "fill-holes", no_argument, NULL, OPTION_FILL_HOLES },
	{ "files", required_argument, NULL, OPTION_FILES },
	{ "sqlite", required_argument, NULL, OPTION_SQLITE },
	{ "trace", required_argument, NULL, OPTION_TRACE },
	{ "blktrace", required_argument, NULL, OPTION_BLKTRACE },
	{ "packets", no_argument, NULL, OPTION_PACKETS },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "sampled", no_argument, NULL, OPTION_SAMPLED },
	{ NULL, 0, NULL, 0 },
};

static const struct option canon_options[] = {
	COMMON_OPTIONS,
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "keep", required_argument, NULL, OPTION_KEEP },
	{ NULL, 0, NULL, 0 },
};

static const struct option diff_options[] = {
	COMMON_OPTIONS,
	DIFF_OPTIONS,
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "wide", no_argument, NULL, OPTION_WIDE },
	{ NULL, 0, NULL, 0 },
};

static const struct option replay_options[] = {
	{ "speed", required_argument, NULL, OPTION_SPEED },
	{ "rate", required_argument, NULL, OPTION_RATE },
	{ "at-once", no_argument, NULL, OPTION_AT_ONCE },
	{ "checksums", no_argument, NULL, OPTION_CHECKSUMS },
	{ NULL, 0, NULL, 0 },
};

static const struct option stats_options[] = {
	COMMON_OPTIONS,
	LIVE_OPTIONS,
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "openmetrics", required_argument, NULL, OPTION_OPENMETRICS },
	{ "sampled", no_argument, NULL, OPTION_SAMPLED },
	{ "type", required_argument, NULL, OPTION_TYPE },
	{ "sort", required_argument, NULL, OPTION_STATS_SORT },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "connection", required_argument, NULL, OPTION_CONNECTION },
	{ "explain", required_argument, NULL, OPTION_EXPLAIN },
	{ NULL, 0, NULL, 0 },
};

static const struct option top_options[] = {
	COMMON_OPTIONS,
	LIVE_OPTIONS,
	{ "speed", required_argument, NULL, OPTION_SPEED },
	{ NULL, 0, NULL, 0 },
};

static const struct option why_options[] = {
	COMMON_OPTIONS,
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

static const struct option join_options[] = {
	COMMON_OPTIONS,
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "clock", required_argument, NULL, OPTION_CLOCK },
	{ NULL, 0, NULL, 0 },
};

static const struct option check_options[] = {
	COMMON_OPTIONS, CHECK_OPTIONS,
	{ "json", no_argument, NULL, OPTION_JSON }, { "top", required_argument, NULL, OPTION_TOP }, { NULL, 0, NULL, 0 },
};

static const struct option report_options[] = {
	COMMON_OPTIONS,
	LIVE_OPTIONS,
	{ "sampled", no_argument, NULL, OPTION_SAMPLED },
	{ NULL, 0, NULL, 0 },
};

/* The options that each command accepts, and what it lists. */
static const struct {
	const char *letters;
	const struct option *long_options;
	bool takes_files;
	enum listed_kind lists;
} command_lines[] = {
	[COMMAND_VIEW] = { ":i:r:w:f:Y:c:s:VxqlnvT:e:E:t:C:G:W:Z:Dp" FILE_LETTERS, view_options, false, LISTED_NONE },
	[COMMAND_MESSAGES] = { ":r:f:Y:c:s:T:e:t:xlnv" LIVE_LETTERS, messages_options, true, LISTED_MESSAGES },
	[COMMAND_OPERATIONS] = { ":r:f:Y:c:s:T:e:t:lnv" LIVE_LETTERS, operations_options, true, LISTED_OPERATIONS },
	[COMMAND_CONNECTIONS] = { ":r:f:Y:c:s:T:e:t:lnv" LIVE_LETTERS, connections_options, true, LISTED_CONNECTIONS },
	[COMMAND_EXPORT] = { ":r:w:f:c:s:nv", export_options, true, LISTED_NONE },
	[COMMAND_CANON] = { ":r:f:c:s:T:e:nv", canon_options, true, LISTED_NONE },
	[COMMAND_DIFF] = { ":f:c:s:T:e:nv", diff_options, true, LISTED_NONE },
	[COMMAND_REPLAY] = { ":i:r:w:f:c:Z:", replay_options, true, LISTED_NONE },
	[COMMAND_STATS] = { ":r:f:c:s:T:e:t:lnv" LIVE_LETTERS, stats_options, true, LISTED_NONE },
	[COMMAND_REPORT] = { ":r:o:f:c:s:nv" LIVE_LETTERS, report_options, true, LISTED_NONE },
	[COMMAND_TOP] = { ":r:f:c:s:nv" LIVE_LETTERS, top_options, true, LISTED_NONE },
	[COMMAND_WHY] = { ":r:f:c:s:T:e:t:nv", why_options, true, LISTED_CONNECTIONS },
	[COMMAND_CHECK] = { ":r:f:c:s:T:e:lnv", check_options, true, LISTED_NONE },
	[COMMAND_JOIN] = { ":r:w:f:c:s:T:e:t:nv", join_options, true, LISTED_NONE },
};

const char *options_letters(enum command command, const struct option **long_options)
{
	*long_options = command_lines[command].long_options;
	return command_lines[command].letters;
}

enum listed_kind options_lists(enum command command)
{
	return command_lines[command].lists;
}

static bool add_input(struct options *options, const char *name)
{
	const char **larger = realloc(options->inputs, (options->input_count + 1) * sizeof *larger);

	if (!larger) {
		print_error("out of memory");
		return false;
	}
	options->inputs = larger;
	options->inputs[options->input_count++] = name;
	return true;
}

static bool level_option(const char *name, enum canon_level *level)
{
	if (!strcmp(name, "messages"))
		*level = CANON_MESSAGES;
	else if (!strcmp(name, "packets"))
		*level = CANON_PACKETS;
	else
		return print_error("--level %s: no such level (messages, packets)", name), false;
	return true;
}

bool options_keep(struct options *options, const char *name)
{
	const char **larger;

	if (!canon_name_known(name)) {
		print_error("--keep %s: no such field (rdmatap fields lists them, rdmatap-diff(1) those of canon)", name);
		return false;
	}
	larger = realloc(options->keep, (options->keep_count + 1) * sizeof *larger);
	if (!larger) {
		print_error("out of memory");
		return false;
	}
	options->keep = larger;
	options->keep[options->keep_count++] = name;
	return true;
}

static bool parse_form(struct options *options, const char *name)
{
	static const char *const names[] = { [VIEW_TEXT] = "text", [VIEW_JSON] = "json", [VIEW_FIELDS] = "fields" };

	if (!strcmp(name, "csv")) {
		fields_format_csv(&options->fields);
		options->form = VIEW_FIELDS;
		return true;
	}
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(name, names[i])) {
			options->form = (enum view_form)i;
			return true;
		}
	}
	print_error("-T %s: no such form (text, json, csv, fields)", name);
	return false;
}

static bool add_flow_rule(struct options *options)
{
	struct rtap_verbs_options *verbs = &options->verbs;

	if (verbs->flow_rule_count == MAX_FLOW_RULES) {
		print_error("--flow %s: more than %d of them", optarg, MAX_FLOW_RULES);
		return false;
	}
	verbs->flow_rules = options->flow_rules;
	options->flow_rules[verbs->flow_rule_count++] = optarg;
	return true;
}

static bool fields_option(enum rtap_status status, const struct rtap_error *error)
{
	if (status == RTAP_STATUS_OK)
		return true;
	print_error("%s", error->text);
	return false;
}

/* Capture and file rotation options that take an argument. */
static bool take_capture_value(struct options *options, int letter)
{
	uint64_t number;

	switch (letter) {
	case 'i':
		return live_option_add_device(options, optarg);
	case 'Z':
		return option_is_name("-Z", "user", optarg) && option_once("-Z", &options->user, "only one user is supported");
	case 'C':
		if (!option_number("-C", UINT64_MAX / BYTES_A_MEGABYTE, &number))
			return false;
		options->series.rotate_bytes = number * BYTES_A_MEGABYTE;
		return true;
	case 'G':
		if (!strcmp(optarg, "fields") || !strcmp(optarg, "protocols") || !strcmp(optarg, "values")) {
			print_error("-G %s: not supported (rdmatap fields has it)", optarg);
			return false;
		}
		return option_number("-G", INT32_MAX, &options->series.rotate_seconds);
	case 'W':
		if (!option_number("-W", INT32_MAX, &number))
			return false;
		options->series.rotate_files = (unsigned)number;
		return true;
	case OPTION_BUFFER_SIZE:
		return option_size("--buffer-size", 1 << 10, &options->live.buffer_bytes);
	case OPTION_QUEUE_SIZE:
		return option_size("--queue-size", 1 << 20, &options->live.queue_bytes);
	case OPTION_MAD_CLASSES:
		return option_once("--mad-classes", &options->live.mad_classes, "join them with commas");
	case OPTION_IS_SM:
		options->live.become_sm = true;
		options->live.wait_for_sm = optarg;
		if (!optarg || !strcmp(optarg, "wait"))
			return true;
		print_error("--is-sm=%s: not understood (--is-sm or --is-sm=wait)", optarg);
		return false;
	default:
		return false;
	}
}

/* Input, selection and output options that take an argument: the letters of tcpdump and tshark. */
static bool take_packet_value(struct options *options, int letter)
{
	struct rtap_error error;
	uint64_t number;

	if ((letter == 'T' || letter == 'e') && options->command != COMMAND_VIEW)
		return column_option_take(&options->columns, letter, optarg);
	switch (letter) {
	case 'r':
		return option_is_name("-r", "file", optarg) && add_input(options, optarg);
	case 'w':
		return option_is_name("-w", "file", optarg) && option_once("-w", &options->write_name, "only one output file is supported");
	case 'o':
		return option_is_name("-o", "file", optarg) && option_once("-o", &options->write_name, "only one page is supported");
	case 'f':
		return option_once("-f", &options->capture_filter, "join them with 'and'");
	case 'Y':
		return option_once("-Y", &options->display_filter, "join them with &&");
	case 'c':
		return option_number("-c", UINT64_MAX, &options->count);
	case 's':
		if (!option_number_parse(optarg, UINT32_MAX, &number)) {
			print_error("-s %s: not a number from 0 (all) to %" PRIu32, optarg, UINT32_MAX);
			return false;
		}
		options->snap_length = (uint32_t)number;
		return true;
	case 'T':
		return parse_form(options, optarg);
	case 'e':
		return fields_option(fields_format_add(&options->fields, optarg, &error), &error);
	case 'E':
		return fields_option(fields_format_option(&options->fields, optarg, &error), &error);
	case 't':
		if (clock_parse(foreign_time_form(optarg), &options->clock))
			return options->clock_given = true;
		print_error("-t %s: no such form (a, ad, d, dd, e, r, u, ud)", optarg);
		return false;
	default:
		return false;
	}
}

/* Options of raw-packet queue pairs that take an argument. */
static bool take_verbs_value(struct options *options, int letter)
{
	switch (letter) {
	case OPTION_FLOW:
		return add_flow_rule(options);
	case OPTION_FLOW_TYPE:
		return option_flow_type(&options->verbs.flow_type);
	case OPTION_FLOW_PRIORITY:
		return option_flow_priority(&options->verbs.flow_priority);
	case OPTION_PEER:
		return option_once("--peer", &options->verbs.peer, "only one host is supported; use --flow for several addresses");
	case OPTION_JOIN:
		return option_once("--join", &options->verbs.group, "only one group is supported");
	case OPTION_VERBS:
		return option_once("--verbs", &options->verbs.tuning, "join them with commas");
	default:
		return false;
	}
}

/* Options of statistics and lists that take an argument. */
static bool take_listing_value(struct options *options, int letter)
{
	switch (letter) {
	case OPTION_INTERVAL:
		return option_interval(&options->interval_ns);
	case OPTION_SORT:
		return option_sort(&options->sort);
	case OPTION_STATS_SORT:
		if (stats_sort_parse(optarg, &options->stats_sort))
			return true;
		print_error("--sort %s: no such order (bytes, time-lost, retransmissions, latency, packets)", optarg);
		return false;
	case OPTION_CONNECTION:
		options->all_connections = !strcmp(optarg, "all");
		if (options->all_connections)
			return true;
		if (option_number("--connection", UINT32_MAX, &options->connection))
			return true;
		return false;
	case OPTION_EXPLAIN:
		return option_once("--explain", &options->explain, "only one rule is supported");
	case OPTION_COLOR:
		if (colour_parse(optarg, &options->colour))
			return true;
		print_error("--color %s: not auto, always or never", optarg);
		return false;
	case OPTION_BY:
		return option_by(&options->by);
	case OPTION_CLOCK:
		return clocks_take(options, optarg);
	case OPTION_TOP:
		return option_number("--top", UINT32_MAX, &options->top);
	case OPTION_SLOWER:
		return option_time("--slower", optarg, &options->slower_ns);
	case OPTION_TYPE:
		return option_is_name("--type", "type", optarg) && option_once("--type", &options->record_type, "only one type is supported");
	case OPTION_LAYER:
		return option_layer(&options->layer);
	default:
		return false;
	}
}

/* Options that take an argument. */
static bool take_value(struct options *options, int letter)
{
	char spec[64];
	uint64_t number;

	switch (letter) {
	case OPTION_MAX_MEMORY:
		return option_size("--max-memory", 1 << 20, &options->max_memory);
	case OPTION_GIVE_UP:
		if (!option_number("--give-up", MOST_GIVE_UP, &number))
			return false;
		options->give_up_ns = number * 1000000000;
		return true;
	case OPTION_THREADS:
		if (!option_number("--threads", MAX_THREADS, &number))
			return false;
		options->threads = (unsigned)number;
		return true;
	case OPTION_SPEED:
		options->paced = true;
		return option_speed(&options->speed);
	case OPTION_RATE:
		return option_number("--rate", UINT32_MAX, &options->rate);
	case OPTION_FILES:
		return option_is_name("--files", "file", optarg) && option_once("--files", &options->directory, "only one directory is supported");
	case OPTION_SQLITE:
		return option_is_name("--sqlite", "database", optarg) && option_once("--sqlite", &options->database, "only one database is supported");
	case OPTION_TRACE:
		return option_is_name("--trace", "file", optarg) && option_once("--trace", &options->trace, "only one trace is supported");
	case OPTION_BLKTRACE:
		return option_is_name("--blktrace", "file", optarg) && option_once("--blktrace", &options->iolog, "only one log is supported");
	case OPTION_DECODE_AS:
		return decode_as_add(options, optarg);
	case 'd':
		return foreign_decode_as(optarg, spec, sizeof spec) && decode_as_add(options, spec);
	case OPTION_LEVEL:
		return level_option(optarg, &options->level);
	case OPTION_KEEP:
		return options_keep(options, optarg);
	default:
		return take_packet_value(options, letter) || take_capture_value(options, letter) ||
		       take_verbs_value(options, letter) || take_listing_value(options, letter) ||
		       diff_take(&options->diff, letter, optarg) || check_option_take(&options->check, letter, optarg);
	}
}

static bool take_flag(struct options *options, int letter)
{
	switch (letter) {
	case 'V': options->tree = true; return true;
	case 'x': options->hex = true; return true;
	case 'q': options->quiet = true; return true;
	case 'l': options->line_buffered = true; return true;
	case 'v': options->verbose = true; return true;
	case 'n': return true;
	case 'D': options->list_devices = true; return true;
	case 'p': options->live.not_promiscuous = true; return true;
	case OPTION_IMMEDIATE: options->live.immediate = true; return true;
	case OPTION_FLOW_DONT_TRAP: options->verbs.flow_dont_trap = true; return true;
	case OPTION_FLOW_OFFLOAD: options->verbs.flow_offload = true; return true;
	case OPTION_FORCE: options->verbs.force = true; return true;
	case OPTION_PRINT: options->print = true; return true;
	case OPTION_CHECK_ICRC: options->dissect.check_icrc = true; return true;
	case OPTION_NO_CHECK_ICRC: options->no_check_icrc = true; return true;
	case OPTION_NO_HEURISTICS: options->dissect.no_heuristics = true; return true;
	case OPTION_PROGRESS: options->progress = true; return true;
	case OPTION_JSON: options->columns.form = COLUMNS_JSON; return true;
	case OPTION_CHECKSUM: options->checksum = true; return true;
	case OPTION_RPC: options->rpc = true; return true;
	case OPTION_FAILED: options->failed = true; return true;
	case OPTION_INCOMPLETE: options->incomplete = true; return true;
	case OPTION_FILL_HOLES: options->fill_holes = true; return true;
	case OPTION_SAMPLED: options->sampled = true; return true;
	case OPTION_PACKETS: options->packets = true; return true;
	case OPTION_WIDE: options->wide = true; return true;
	case OPTION_AT_ONCE: options->at_once = true; return true;
	case OPTION_CHECKSUMS: options->checksums = true; return true;
	default: return false;
	}
}

/* Another command with this long option; NULL: none. */
static const char *command_with(const char *option)
{
	static const struct {
		enum command command;
		const char *name;
	} lists[] = { { COMMAND_OPERATIONS, "operations" }, { COMMAND_STATS, "stats" }, { COMMAND_MESSAGES, "messages" }, { COMMAND_EXPORT, "export" } };
	size_t length = strcspn(option, "=");

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
		for (const struct option *row = command_lines[lists[i].command].long_options; row->name; row++)
			if (strlen(row->name) == length && !strncmp(row->name, option, length))
				return lists[i].name;
	return NULL;
}

/* Print the option that getopt_long() rejected as given; for a short option only the letter is known. */
static void print_option_error(char *const *argv, int letter, enum command command)
{
	char short_option[] = { '-', (char)optopt, 0 };
	bool is_long = !optopt || optopt >= OPTION_PRINT;
	const char *other = is_long && letter != ':' ? command_with(argv[optind - 1] + 2) : NULL;

	if (foreign_refuse_form(is_long ? argv[optind - 1] : short_option, command))
		return;
	if (letter != ':' && (!is_long || (!optopt && command == COMMAND_VIEW)) && foreign_refuse(is_long ? argv[optind - 1] : short_option))
		return;
	if (other && !optopt) {
		print_error("%s: no such option (rdmatap %s has it)", argv[optind - 1], other);
		return;
	}
	foreign_print_option(is_long ? argv[optind - 1] : short_option, letter == ':', command == COMMAND_VIEW ? NULL : argv[0],
			     command_lines[command].long_options);
}

static bool take_files(struct options *options, enum command command, int argc, char **argv)
{
	if (!command_lines[command].takes_files && optind < argc)
		return foreign_take_expression(options, argc - optind, argv + optind);
	for (int i = optind; i < argc; i++) {
		if (command == COMMAND_WHY && option_is_selector(argv[i])) {
			if (!option_selector(argv[i], &options->selector))
				return false;
		} else if (!option_is_name("FILE", "file", argv[i]) || !add_input(options, argv[i])) {
			return false;
		}
	}
	return true;
}

/* Commands that write or compare data verify it by default; a database has the same packets as messages and stats. */
static bool checks_icrc(const struct options *options, enum command command)
{
	if (options->dissect.check_icrc || options->no_check_icrc)
		return options->dissect.check_icrc;
	if (command == COMMAND_EXPORT)
		return options->write_name || options->directory;
	if (command == COMMAND_MESSAGES)
		return options->checksum;
	return command == COMMAND_CANON || command == COMMAND_DIFF || command == COMMAND_CHECK;
}

static unsigned processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 1 ? (unsigned)count : 1;
}

bool options_parse(struct options *options, enum command command, int argc, char **argv)
{
	const char *own = command_lines[command].letters;
	char letters[64];
	int letter;

	*options = (struct options){ .command = command, .max_memory = DEFAULT_MEMORY, .speed = 1, .threads = processors() };
	if (command == COMMAND_VIEW || command == COMMAND_STATS || command == COMMAND_WHY)
		options->clock = CLOCK_ABSOLUTE;
	else
		options->clock = CLOCK_RELATIVE;
	options->recorder = (struct recorder_options)RECORDER_DEFAULTS;
	options->verbs.size = sizeof options->verbs;
	options->dissect = (struct rtap_dissect_options){ .size = sizeof options->dissect, .decode_as = options->decode_as };
	fields_format_init(&options->fields);
	opterr = 0;
	snprintf(letters, sizeof letters, "%s%s", own, command == COMMAND_VIEW ? FOREIGN_LETTERS : "");
	while ((letter = getopt_long(argc, argv, letters, command_lines[command].long_options, NULL)) != -1)
		if (letter == ':' || letter == '?') {
			print_option_error(argv, letter, command);
			return false;
		} else if (live_option_is(letter)) {
			if (!live_option_take(options, letter, optarg))
				return false;
		} else if (!take_flag(options, letter) && !take_value(options, letter) && !foreign_take(options, letter)) {
			return false;
		}
	if (!take_files(options, command, argc, argv) || !options_are_consistent(options, command) || !column_options_complete(options))
		return false;
	options->dissect.check_icrc = checks_icrc(options, command);
	/* --top without --sort lists the slowest */
	if (command == COMMAND_OPERATIONS && options->top && !options->sort && !options->by)
		options->sort = OPERATIONS_BY_LATENCY;
	if (options->sort && (options->clock == CLOCK_DELTA || options->clock == CLOCK_DELTA_SHOWN)) {
		print_error("-t d and -t dd: not with --sort and --top, which change the order of lines");
		return false;
	}
	options->keeps_times = command == COMMAND_VIEW && options->write_name;
	return true;
}

void options_fini(struct options *options)
{
	free(options->inputs);
	free(options->keep);
	free(options->expression);
	diff_rules_fini(&options->diff.rules);
	assertions_fini(&options->check.assertions);
	fields_format_fini(&options->fields);
}
