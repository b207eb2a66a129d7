/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/option_rules.h"
#include "cli/print_error.h"

static bool is_capture_asked(const struct rtap_live_options *live)
{
	return live->buffer_bytes || live->queue_bytes || live->immediate || live->not_promiscuous || live->mad_classes || live->become_sm;
}

static bool is_verbs_asked(const struct rtap_verbs_options *verbs)
{
	return verbs->force || verbs->flow_type || verbs->flow_rule_count || verbs->flow_priority || verbs->flow_dont_trap ||
	       verbs->flow_offload || verbs->peer || verbs->group || verbs->tuning;
}

/* A name without a kind can be that of an RDMA device. */
static bool may_be_verbs(const char *device)
{
	return device && (!strchr(device, ':') || !strncmp(device, "verbs:", 6));
}

static bool check_replay(const struct options *options)
{
	if (!options->device)
		print_error("no device to send on (name one with -i; rdmatap -D lists them)");
	else if (options->device_count > 1)
		print_error("-i %s: frames are sent on one device only", options->devices[1]);
	else if (!options->input_count)
		print_error("nothing to send (name a capture file)");
	else if ((options->speed != 1) + (options->rate != 0) + options->at_once > 1)
		print_error("--speed, --rate and --at-once exclude each other");
	else if (options->write_name && !strcmp(options->write_name, "-"))
		print_error("-w -: standard output has the counts of the replay (name a file)");
	else
		return true;
	return false;
}

static bool check_export(const struct options *options, enum command command)
{
	if (command == COMMAND_EXPORT && !options->write_name && !options->directory && !options->database &&
		 !options->trace && !options->iolog)
		print_error("nothing to write (name a file with -w, a directory with --files, a database with --sqlite, a trace with --trace, a log "
			    "with --blktrace)");
	else if (options->iolog && (options->write_name || options->directory || options->database || options->trace))
		print_error("--blktrace excludes -w, --files, --sqlite and --trace (run rdmatap export for each)");
	else if (options->trace && (options->write_name || options->directory || options->database))
		print_error("--trace excludes -w, --files and --sqlite (run rdmatap export for each)");
	else if (options->database && (options->write_name || options->directory))
		print_error("--sqlite excludes -w and --files (run rdmatap export for each)");
	else if (command == COMMAND_EXPORT && !options->database && (options->packets || options->interval_ns || options->sampled))
		print_error("--packets, --interval and --sampled require --sqlite");
	else
		return true;
	return false;
}

bool options_are_consistent(const struct options *options, enum command command)
{
	const struct rtap_series_options *series = &options->series;
	bool rotates = series->rotate_bytes || series->rotate_seconds || series->rotate_frames;

	if (options->list_devices || options->explain || options->check.list)
		return true;
	if (command == COMMAND_REPLAY)
		return check_replay(options);
	if (!options->device && (options->user || is_capture_asked(&options->live)))
		print_error("-Z, -p, --buffer-size, --queue-size, --immediate-mode, --mad-classes and --is-sm require -i");
	else if (!options->device && options->duration)
		print_error("-a duration requires -i");
	else if (is_verbs_asked(&options->verbs) && !may_be_verbs(options->device))
		print_error("--flow, --flow-type, --flow-priority, --flow-dont-trap, --flow-offload, --peer, --join, --force and --verbs "
			 "require -i verbs:DEVICE");
	else if (!options->input_count && !options->device)
		print_error("nothing to read (name a capture file; see rdmatap --help)");
	else if (options->input_count && options->device)
		print_error("-i and -r exclude each other");
	else if ((options->verbs.flow_priority || options->verbs.flow_dont_trap) && options->verbs.flow_type == RTAP_FLOW_SNIFFER)
		print_error("--flow-priority and --flow-dont-trap require --flow-type normal, all or mc");
	else if (options->verbs.flow_offload && !options->capture_filter)
		print_error("--flow-offload requires -f, the filter to offload");
	else if ((rotates || series->rotate_files) && !options->write_name)
		print_error("-b, -C, -G and -W require -w");
	else if (!live_options_check(options))
		return false;
	else if (series->rotate_files && !rotates)
		print_error("-W requires -C or -G");
	else if (rotates && !strcmp(options->write_name, "-"))
		print_error("-w -: standard output cannot be rotated (no -C, -G)");
	else if (!check_export(options, command))
		return false;
	else if (command == COMMAND_STATS && columns_are_made(&options->columns) &&
		 (options->top || options->stats_sort || options->connection || options->all_connections))
		print_error("--top, --sort and --connection are for text without -e (-T json, -T csv and -e print everything)");
	else if (command == COMMAND_REPORT && !options->write_name)
		print_error("nothing to write (name the page with -o, such as -o report.html; -o - is standard output)");
	else if (options->dissect.check_icrc && options->no_check_icrc)
		print_error("--check-icrc and --no-check-icrc exclude each other");
	else if (options->fill_holes && !options->write_name)
		print_error("--fill-holes requires -w");
	else if (options->directory && options->write_name && !strcmp(options->write_name, "-"))
		print_error("-w - and --files would both write to standard output");
	else if (options->form == VIEW_FIELDS && !options->fields.is_csv && !options->fields.column_count)
		print_error("-T fields requires at least one -e FIELD (rdmatap fields lists them)");
	else if (options->form == VIEW_TEXT && options->fields.column_count)
		print_error("-e requires -T fields, -T csv or -T json");
	else if (options->fields.is_csv && options->fields.quote)
		print_error("-E quote is not for -T csv, which quotes where it is needed");
	else if (options->write_name && !strcmp(options->write_name, "-") && (options->print || options->quiet))
		print_error("-w - and %s would both write to standard output", options->print ? "--print" : "-q");
	else
		return true;
	return false;
}
