/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include "capture/frame_ring.h"
#include "cli/cli.h"
#include "cli/foreign_options.h"
#include "cli/live_options.h"
#include "cli/metrics_server.h"
#include "cli/option_values.h"
#include "cli/placement.h"
#include "cli/print_error.h"

#define BYTES_A_KILOBYTE 1000 /* unit of filesize:, as in dumpcap */
#define MOST_COMMENT 65535    /* bytes of an option in pcapng */

/* Where the number of KEY:NUMBER goes. */
struct condition {
	const char *key;
	uint64_t most, unit;
	uint64_t *number;
	uint32_t *small_number; /* instead of `number` */
};

/* Parses one KEY:NUMBER, which ends at a comma or at the end of the text. */
static bool take_condition(const struct condition *conditions, size_t count, const char *text, size_t length)
{
	char copy[64];
	char *colon;
	uint64_t number;

	if (length >= sizeof copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = 0;
	colon = strchr(copy, ':');
	if (!colon)
		return false;
	*colon = 0;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(copy, conditions[i].key) || !option_number_parse(colon + 1, conditions[i].most, &number) || !number)
			continue;
		if (conditions[i].number)
			*conditions[i].number = number * conditions[i].unit;
		else
			*conditions[i].small_number = (uint32_t)number;
		return true;
	}
	return false;
}

static bool take_stop(struct options *options, const char *value)
{
	const struct condition conditions[] = {
		{ "duration", UINT32_MAX, 1, NULL, &options->duration },
		{ "filesize", UINT64_MAX / BYTES_A_KILOBYTE, BYTES_A_KILOBYTE, &options->series.stop_bytes, NULL },
		{ "files", UINT64_MAX, 1, &options->series.stop_files, NULL },
		{ "packets", UINT64_MAX, 1, &options->count, NULL },
	};

	for (const char *part = value; ; part++) {
		size_t length = strcspn(part, ",");

		if (!take_condition(conditions, sizeof conditions / sizeof conditions[0], part, length)) {
			print_error("-a %s: not understood (duration:SECONDS, filesize:KILOBYTES, files:NUMBER or packets:NUMBER, separated by commas)",
				    value);
			return false;
		}
		part += length;
		if (!*part)
			return true;
	}
}

static bool take_rotation(struct options *options, const char *value)
{
	struct rtap_series_options *series = &options->series;
	uint64_t interval = 0;
	const struct condition conditions[] = {
		{ "duration", INT32_MAX, 1, &series->rotate_seconds, NULL },
		{ "interval", INT32_MAX, 1, &interval, NULL },
		{ "filesize", UINT64_MAX / BYTES_A_KILOBYTE, BYTES_A_KILOBYTE, &series->rotate_bytes, NULL },
		{ "files", INT32_MAX, 1, NULL, &series->rotate_files },
		{ "packets", UINT64_MAX, 1, &series->rotate_frames, NULL },
	};

	series->numbered = true;
	if (!strncmp(value, "printname:", strlen("printname:")) && value[strlen("printname:")]) {
		options->files.names = value + strlen("printname:");
		return true;
	}
	for (const char *part = value; ; part++) {
		size_t length = strcspn(part, ",");

		if (!take_condition(conditions, sizeof conditions / sizeof conditions[0], part, length)) {
			print_error("-b %s: not understood (duration:SECONDS, interval:SECONDS, filesize:KILOBYTES, files:NUMBER, packets:NUMBER, "
				    "separated by commas, or printname:FILE)", value);
			return false;
		}
		if (interval) {
			series->rotate_seconds = interval;
			series->at_multiples = true;
		}
		part += length;
		if (!*part)
			return true;
	}
}

static bool take_mode(struct options *options, const char *value)
{
	char *end;
	unsigned long mode = strtoul(value, &end, 8);

	if (*value < '0' || *value > '7' || *end || mode > 0777) {
		print_error("--file-mode %s: not an octal number such as 0640", value);
		return false;
	}
	options->series.has_mode = true;
	options->series.mode = (mode_t)mode;
	return true;
}

static bool take_group(struct options *options, const char *value)
{
	const struct group *found;
	uint64_t number;

	errno = 0;
	found = getgrnam(value);
	if (!found && !option_number_parse(value, UINT32_MAX - 1, &number)) {
		print_error("--file-group %s: %s", value, errno ? strerror(errno) : "there is no such group");
		return false;
	}
	options->series.has_group = true;
	options->series.group = found ? found->gr_gid : (gid_t)number;
	return true;
}

static bool take_comment(struct options *options, const char *value)
{
	if (strlen(value) > MOST_COMMENT)
		return print_error("--capture-comment: longer than the %d bytes that pcapng can hold", MOST_COMMENT), false;
	if (options->series.comment_count == MAX_CAPTURE_COMMENTS)
		return print_error("--capture-comment: more than %d of them", MAX_CAPTURE_COMMENTS), false;
	options->series.comments = options->files.comments;
	options->files.comments[options->series.comment_count++] = value;
	return true;
}

/* Parses SIZE, SECONDS with the unit, or both. */
static bool take_ring(struct recorder_options *recorder, const char *value)
{
	bool has_size = false, has_time = false;

	recorder->given = true;
	for (const char *part = value; ; part++) {
		size_t length = strcspn(part, ",");
		char copy[32];
		bool is_time;

		if (!length || length >= sizeof copy)
			break;
		memcpy(copy, part, length);
		copy[length] = 0;
		is_time = copy[length - 1] == 's';
		if ((is_time ? has_time : has_size) ||
		    (is_time ? !option_time_parse(copy, &recorder->age_ns) : !option_size_parse(copy, &recorder->bytes)))
			break;
		has_time |= is_time;
		has_size |= !is_time;
		part += length;
		if (*part)
			continue;
		if (!has_size || recorder->bytes >= FRAME_RING_LEAST)
			return true;
		print_error("--ring %s: less than %" PRIu64 " MB (a time has its unit: 30s)", value, FRAME_RING_LEAST >> 20);
		return false;
	}
	print_error("--ring %s: not a size such as 512M, a time such as 30s, or both: 512M,30s", value);
	return false;
}

static bool add_trigger(struct recorder_options *recorder, const char *value)
{
	if (recorder->trigger_count == MAX_TRIGGERS) {
		print_error("--trigger %s: more than %d of them", value, MAX_TRIGGERS);
		return false;
	}
	recorder->triggers[recorder->trigger_count++] = value;
	return true;
}

static bool take_recorder_option(struct recorder_options *recorder, int letter, const char *value)
{
	recorder->needs_ring |= letter != OPTION_RING;
	switch (letter) {
	case OPTION_RING: return take_ring(recorder, value);
	case OPTION_TRIGGER: return add_trigger(recorder, value);
	case OPTION_BEFORE: return option_time("--before", value, &recorder->before_ns);
	case OPTION_AFTER: return option_time("--after", value, &recorder->after_ns);
	case OPTION_DISTANCE: return option_time("--incident-distance", value, &recorder->distance_ns);
	case OPTION_CONTROL:
		return option_is_name("--control", "socket", value) &&
		       option_once("--control", &recorder->control, "only one socket is supported");
	case OPTION_LIMIT:
		if (option_size_parse(value, &recorder->limit) && recorder->limit >= 1 << 20)
			return true;
		print_error("--incident-limit %s: not a size of 1M or more", value);
		return false;
	default: return false;
	}
}

bool live_option_add_device(struct options *options, const char *name)
{
	if (!option_is_name("-i", "source", name))
		return false;
	if (options->device_count == MAX_DEVICES) {
		print_error("-i %s: more than %d of them", name, MAX_DEVICES);
		return false;
	}
	options->devices[options->device_count++] = name;
	options->device = options->devices[0];
	return true;
}

bool live_option_is(int letter)
{
	return (letter < 256 && letter != ':' && strchr(FILE_LETTERS, letter)) || (letter > OPTION_LIVE && letter < OPTION_LIVE_END);
}

bool live_option_take(struct options *options, int letter, const char *value)
{
	switch (letter) {
	case 'a': return take_stop(options, value);
	case 'b': return take_rotation(options, value);
	case 'g': options->series.has_mode = true; options->series.mode = 0640; return true;
	case 'z': return option_is_name("-z", "program", value) && option_once("-z", &options->files.postrotate, "only one program is supported");
	case OPTION_OPENMETRICS:
		return option_is_name("--openmetrics", "file or address", value) &&
		       option_once("--openmetrics", &options->openmetrics, "only one place is supported");
	case OPTION_FILE_MODE: return take_mode(options, value);
	case OPTION_FILE_GROUP: return take_group(options, value);
	case OPTION_STATUS: return status_parse(&options->status, value);
	case OPTION_CPU: return placement_take_cpus(&options->live, &options->writer, value);
	case OPTION_PRIORITY: return placement_take_priorities(&options->live, &options->writer, value);
	case OPTION_CAPTURE_COMMENT: return take_comment(options, value);
	default: return take_recorder_option(&options->recorder, letter, value);
	}
}

static bool is_pcapng(const char *name)
{
	const char *suffix = strstr(name, ".pcapng");

	return suffix && (!suffix[7] || suffix[7] == '.');
}

static bool check_recorder(const struct options *options, bool rotates)
{
	const struct recorder_options *recorder = &options->recorder;

	if (!recorder->given && recorder->needs_ring)
		print_error("--trigger, --before, --after, --incident-distance, --incident-limit and --control require --ring");
	else if (!recorder->given)
		return true;
	else if (!options->device || !options->write_name)
		print_error("--ring requires -i SOURCE and -w FILE.pcapng, the name of the files of incidents");
	else if (!is_pcapng(options->write_name))
		print_error("--ring: incident files have a comment with the reason: name them .pcapng");
	else if (rotates || options->series.stop_bytes || options->print || options->display_filter || options->quiet)
		print_error("--ring excludes -C, -G, -b, -a filesize, --print, -q and -Y (--trigger FILTER begins an incident)");
	else if (recorder->age_ns && recorder->before_ns > recorder->age_ns)
		print_error("--before is longer than what --ring keeps");
	else
		return true;
	return false;
}

bool live_options_check(const struct options *options)
{
	const struct rtap_series_options *series = &options->series;
	bool rotates = series->rotate_bytes || series->rotate_seconds || series->rotate_frames;

	if (!check_recorder(options, rotates))
		return false;
	if (options->openmetrics && metrics_server_is_address(options->openmetrics) && !options->device) {
		print_error("--openmetrics %s: requires -i (for a capture file, name a file)", options->openmetrics);
		return false;
	}
	if (options->files.postrotate && !rotates && !options->recorder.given && (!options->device || strchr(options->files.postrotate, ',')))
		return foreign_refuse_statistics(options->files.postrotate);
	if ((options->live.has_cpus || options->live.priority || options->writer.priority) && !options->device)
		print_error("--cpu and --priority require -i");
	else if (options->status.every_ns && !options->device)
		print_error("--status requires -i");
	else if (options->command != COMMAND_VIEW && (series->stop_bytes || series->stop_files))
		print_error("-a filesize and files are for captures that are saved (rdmatap -i SOURCE -w FILE)");
	else if ((series->stop_bytes || series->stop_files || series->numbered || series->has_mode || series->has_group ||
		  series->comment_count) &&
		 !options->write_name)
		print_error("-a filesize and files, -b, -g, --file-mode, --file-group and --capture-comment require -w");
	else if (series->numbered && !rotates && !options->recorder.given)
		print_error("-b files and printname require -b duration, interval, filesize or packets");
	else if (series->stop_files && !rotates)
		print_error("-a files requires -C, -G or -b");
	else if (options->files.postrotate && !rotates && !options->recorder.given)
		print_error("-z requires -C, -G, -b or --ring");
	else if (series->comment_count && !is_pcapng(options->write_name))
		print_error("--capture-comment: only pcapng files have comments (name the file .pcapng)");
	else
		return true;
	return false;
}
