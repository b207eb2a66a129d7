/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flight recorder: keeps the latest frames in memory, and writes those around an incident to a file.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/incident.h"
#include "cli/control_socket.h"
#include "cli/frame_clock.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/recorder.h"
#include "cli/rotation_hook.h"
#include "cli/triggers.h"
#include "output/packet/units.h"

/* Frames up to the time of the last one may still arrive for this long. */
#define SLACK_NS INT64_C(300000000)

struct recorder {
	struct reader reader;
	const struct options *options;
	struct frame_ring *ring;
	struct incidents *incidents;
	struct triggers *triggers;
	struct control_socket control;
	struct rotation_hook hook;
	struct frame_clock clock;
	bool cannot_write; /* a failure was printed */
};

/* False: it is only counted. */
static bool begin(struct recorder *recorder, int64_t at_ns, const char *why)
{
	struct rtap_error error;
	bool begun;

	if (incidents_trigger(recorder->incidents, at_ns, why, &begun, &error)) {
		if (!recorder->cannot_write)
			reader_fail(&recorder->reader, &error);
		recorder->cannot_write = true;
		return true;
	}
	if (begun)
		print_error("incident: %s", why);
	return begun;
}

static void trigger(void *owner, int64_t at_ns, const char *why)
{
	struct recorder *recorder = owner;
	int64_t now = frame_clock_now(&recorder->clock);

	/* later: by a frame from before the clock was set back */
	begin(recorder, at_ns < now ? at_ns : now, why);
}

/* By the signal or the socket: reports that there will be no incident. */
static void trigger_asked(struct recorder *recorder, int64_t at_ns, const char *why)
{
	if (!begin(recorder, at_ns, why))
		print_error("%s ignored: during an incident, or within --incident-distance of the last one", why);
}

static void print_report(struct recorder *recorder, const struct incident_report *report)
{
	char size[48];
	struct line line;

	line_init(&line, size, sizeof size);
	units_bytes(report->bytes, &line);
	if (report->error.text[0])
		reader_fail(&recorder->reader, &report->error);
	print_error("%s: %" COUNT ", %.*s%s%s", report->name, COUNTED(report->frames, "packet", "packets"), (int)(line.next - size), size,
		    report->is_late ? "; earlier ones had been overwritten (give --ring more)" : "",
		    report->is_cut ? "; ended early by --incident-limit" : "");
	if (report->deleted)
		print_error("%" COUNT " deleted (--incident-limit)", COUNTED(report->deleted, "older file was", "older files were"));
	rotation_hook_closed(&recorder->hook, report->name, false);
}

/* Called after each batch, and periodically when none arrives. */
static void look(struct recorder *recorder)
{
	static struct incident_report report;
	char text[128], why[192];
	int64_t now = frame_clock_now(&recorder->clock);

	incidents_pass_over(recorder->incidents, triggers_look(recorder->triggers, now, trigger, recorder));
	if (incident_wanted) {
		incident_wanted = 0;
		trigger_asked(recorder, now, "signal USR2");
	}
	if (control_socket_take(&recorder->control, text, sizeof text)) {
		snprintf(why, sizeof why, "control socket%s%s", *text ? ": " : "", text);
		trigger_asked(recorder, now, why);
	}
	if (incidents_poll(recorder->incidents, now - SLACK_NS, false, &report))
		print_report(recorder, &report);
	rotation_hook_reap(&recorder->hook);
}

static void take_batch(void *owner, struct rtap_batch *batch, size_t count)
{
	struct recorder *recorder = owner;

	frame_ring_append_batch(recorder->ring, (struct batch *)batch, count);
	if (count)
		frame_clock_take(&recorder->clock, frame_ring_state(recorder->ring).latest_ns);
	if (!triggers_start(recorder->triggers)) {
		recorder->reader.status = EXIT_ERROR;
		recorder->reader.stop = true;
	}
	look(recorder);
}

static void idle(void *owner)
{
	look(owner);
}

static bool open_recorder(struct recorder *recorder)
{
	const struct options *options = recorder->options;
	const struct rtap_series_options *series = &options->series;
	const struct recorder_options *wanted = &options->recorder;
	struct incident_options incident = {
		.name = options->write_name, .source = recorder->reader.source,
		.link_type = rtap_source_interface(recorder->reader.source, 0)->link_type,
		.before_ns = wanted->before_ns, .after_ns = wanted->after_ns, .distance_ns = wanted->distance_ns, .most_bytes = wanted->limit,
		.has_mode = series->has_mode, .has_group = series->has_group, .mode = series->mode, .group = series->group,
	};

	if (wanted->control && !control_socket_open(&recorder->control, wanted->control))
		return false;
	if (!rotation_hook_open(&recorder->hook, &options->files))
		return false;
	recorder->ring = frame_ring_create(wanted->bytes, wanted->age_ns);
	recorder->incidents = recorder->ring ? incidents_create(recorder->ring, &incident) : NULL;
	if (!recorder->incidents) {
		print_error("out of memory");
		return false;
	}
	recorder->triggers = triggers_open(options, &recorder->reader, recorder->ring);
	/* files are created by the user that the program switches to */
	if (series->has_group && recorder->reader.account.changes)
		recorder->reader.account.group = series->group;
	privileges_protect_files(options->write_name);
	return recorder->triggers;
}

static void report_end(struct recorder *recorder)
{
	static struct incident_report report;
	struct frame_ring_state state;
	uint64_t begun, passed_over;

	triggers_finish(recorder->triggers);
	look(recorder);
	if (incidents_poll(recorder->incidents, INT64_MIN, true, &report))
		print_report(recorder, &report);
	incidents_counts(recorder->incidents, &begun, &passed_over);
	state = frame_ring_state(recorder->ring);
	print_error("%" COUNT "; %" COUNT " ignored (during another one, or within --incident-distance)", COUNTED(begun, "incident", "incidents"),
		    COUNTED(passed_over, "trigger", "triggers"));
	if (state.lost)
		print_error("%" COUNT " not kept: out of memory, or too long", COUNTED(state.lost, "packet was", "packets were"));
	if (triggers_missed(recorder->triggers))
		print_error("%" COUNT " not examined for triggers: they came too fast, and --ring is too short",
			    COUNTED(triggers_missed(recorder->triggers), "packet was", "packets were"));
	if (state.waits)
		print_error("%" COUNT " for the disk while an incident was written: it is too slow, or --ring too short; "
			    "what was dropped meanwhile is counted below",
			    COUNTED(state.waits, "wait", "waits"));
	reader_report(&recorder->reader, triggers_tracker(recorder->triggers));
}

int recorder_run(const struct options *options)
{
	static struct recorder recorder;
	struct reader *reader = &recorder.reader;

	recorder.options = options;
	recorder.control.fd = -1;
	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (!open_recorder(&recorder)) {
		reader->status = EXIT_ERROR;
	} else {
		finishes_files = true;
		reader->take_batch = take_batch;
		reader->idle = idle;
		reader_run(reader, NULL, NULL, &recorder);
		report_end(&recorder);
	}
	incidents_destroy(recorder.incidents);
	frame_ring_destroy(recorder.ring);
	triggers_close(recorder.triggers);
	control_socket_close(&recorder.control);
	rotation_hook_close(&recorder.hook);
	reader_close(reader);
	return reader->status;
}
