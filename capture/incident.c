/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread.h"
#include "capture/file/series.h"
#include "capture/file/writer.h"
#include "capture/incident.h"

#define NS_A_SECOND 1000000000
#define LOOK_NS 1000000    /* interval at which an idle writer checks for more frames */
#define COMMENT_SIZE 1024

/* A file that is on the disk. */
struct kept_file {
	STAILQ_ENTRY(kept_file) link;
	uint64_t bytes;
	char name[];
};

struct incidents {
	struct frame_ring *ring;
	struct incident_options options;
	uint64_t begun, passed_over, passed_before; /* triggers ignored: in total; at the last incident */
	int64_t last_ns;       /* time of the last incident, as if no clock had been set back; valid with `begun` */
	STAILQ_HEAD(, kept_file) files;
	uint64_t file_bytes;
	/* The current incident; owned by the thread while it runs. */
	bool runs;
	pthread_t thread;
	struct rtap_writer *writer;
	struct incident_report report;
	atomic_bool drain;     /* all frames have been appended */
	atomic_bool done;      /* the thread has ended */
};

struct incidents *incidents_create(struct frame_ring *ring, const struct incident_options *options)
{
	struct incidents *incidents = calloc(1, sizeof *incidents);

	if (!incidents)
		return NULL;
	incidents->ring = ring;
	incidents->options = *options;
	STAILQ_INIT(&incidents->files);
	return incidents;
}

/* Writes what the ring has. END: all frames of the incident are written. */
static enum rtap_status write_present(struct incidents *incidents)
{
	struct incident_report *report = &incidents->report;
	struct rtap_frame frame;

	while (frame_ring_next(incidents->ring, &frame)) {
		int64_t time_ns = frame.time_ns + frame_ring_correction(incidents->ring);

		if (time_ns < report->begin_ns)
			continue;
		if (time_ns > report->end_ns)
			return RTAP_STATUS_END;
		if (rtap_writer_write(incidents->writer, &frame, &report->error))
			return RTAP_STATUS_FAILED;
		report->frames++;
		report->bytes = writer_size(incidents->writer);
		report->is_cut = incidents->options.most_bytes && report->bytes >= incidents->options.most_bytes;
		if (report->is_cut)
			return RTAP_STATUS_END;
	}
	return RTAP_STATUS_OK;
}

static void *write_incident(void *argument)
{
	struct incidents *incidents = argument;
	bool drained;

	thread_be_helper(0);
	do {
		drained = atomic_load(&incidents->drain);
		if (write_present(incidents))
			break;
		if (!drained)
			nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	} while (!drained);
	frame_ring_end(incidents->ring);
	atomic_store(&incidents->done, true);
	return NULL;
}

/* "2026-11-25 15:07:38.123456789 UTC" */
static void time_text(int64_t time_ns, char text[64])
{
	time_t seconds = (time_t)(time_ns / NS_A_SECOND);
	char whole[32];
	struct tm utc;

	if (time_ns < 0 || !gmtime_r(&seconds, &utc) || !strftime(whole, sizeof whole, "%Y-%m-%d %H:%M:%S", &utc))
		strcpy(whole, "?");
	snprintf(text, 64, "%s.%09d UTC", whole, (int)(time_ns % NS_A_SECOND));
}

static void make_comment(const struct incidents *incidents, int64_t time_ns, const char *why, char *comment)
{
	const struct incident_options *options = &incidents->options;
	struct frame_ring_state state = frame_ring_state(incidents->ring);
	char when[64], earliest[64];
	size_t length;

	time_text(time_ns, when);
	time_text(state.earliest_ns, earliest);
	length = (size_t)snprintf(comment, COMMENT_SIZE, "trigger: %.400s\ntime: %s; from %.3f s before to %.3f s after", why, when,
				  (double)options->before_ns / 1e9, (double)options->after_ns / 1e9);
	if (incidents->passed_over > incidents->passed_before)
		length += (size_t)snprintf(comment + length, COMMENT_SIZE - length, "\ntriggers passed over since the last incident: %" PRIu64,
					   incidents->passed_over - incidents->passed_before);
	if (state.frames && state.earliest_ns > time_ns - options->before_ns)
		snprintf(comment + length, COMMENT_SIZE - length, "\nfirst frame in memory: %s (%s)", earliest,
			 state.has_overwritten ? "earlier ones had been overwritten: give --ring more" : "the capture began then");
}

/* On a full disk a file can stay empty: it is no capture file, and nothing in it is lost. */
static void remove_if_empty(const char *name)
{
	struct stat found;

	if (!stat(name, &found) && S_ISREG(found.st_mode) && !found.st_size)
		(void)!unlink(name);
}

static enum rtap_status open_file(struct incidents *incidents, const char *comment, struct rtap_error *error)
{
	const struct incident_options *options = &incidents->options;
	const char *comments[] = { comment };
	enum rtap_status status;

	status = writer_open_like(&incidents->writer, incidents->report.name, options->name, options->link_type, false, options->source, error);
	if (status)
		return status;
	writer_set_comments(incidents->writer, comments, 1);
	if (options->has_group)
		status = writer_hand_over(incidents->writer, (uid_t)-1, options->group, error);
	if (!status && options->has_mode)
		status = writer_set_mode(incidents->writer, options->mode, error);
	/* the comment and the interfaces are written by this thread */
	return status ? status : rtap_writer_flush(incidents->writer, error);
}

enum rtap_status incidents_trigger(struct incidents *incidents, int64_t time_ns, const char *why, bool *begun, struct rtap_error *error)
{
	const struct incident_options *options = &incidents->options;
	struct frame_ring_state state = frame_ring_state(incidents->ring);
	struct incident_report *report = &incidents->report;
	char comment[COMMENT_SIZE];
	int result;

	*begun = false;
	if (incidents->runs || (incidents->begun && time_ns + state.set_back_ns - incidents->last_ns < options->distance_ns)) {
		incidents->passed_over++;
		return RTAP_STATUS_OK;
	}
	*report = (struct incident_report){ .begin_ns = time_ns - options->before_ns, .end_ns = time_ns + options->after_ns };
	report->is_late = state.has_overwritten && state.earliest_ns > report->begin_ns;
	incidents->last_ns = time_ns + state.set_back_ns;
	incidents->begun++;
	if (!series_numbered_name(options->name, incidents->begun, time_ns, report->name, sizeof report->name)) {
		rtap_error_set(error, RTAP_ERROR_INVALID, "%s: the name of a file made of this is too long", options->name);
		return RTAP_STATUS_FAILED;
	}
	make_comment(incidents, time_ns, why, comment);
	if (open_file(incidents, comment, error))
		goto failed;
	atomic_store(&incidents->drain, false);
	atomic_store(&incidents->done, false);
	frame_ring_begin(incidents->ring, report->begin_ns);
	result = thread_start(&incidents->thread, write_incident, incidents);
	if (result) {
		frame_ring_end(incidents->ring);
		rtap_error_set(error, error_code_of(result), "%s: the writing thread cannot be started: %s", report->name, strerror(result));
		goto failed;
	}
	incidents->passed_before = incidents->passed_over;
	*begun = incidents->runs = true;
	return RTAP_STATUS_OK;
failed:
	if (incidents->writer) {
		(void)!rtap_writer_close(incidents->writer, NULL);
		remove_if_empty(report->name);
	}
	incidents->writer = NULL;
	return RTAP_STATUS_FAILED;
}

/* Deletes the oldest files, but never the newest one. */
static void keep_file(struct incidents *incidents)
{
	struct incident_report *report = &incidents->report;
	struct kept_file *file = malloc(sizeof *file + strlen(report->name) + 1);

	/* without memory for its name the file is not deleted later */
	if (!file)
		return;
	strcpy(file->name, report->name);
	file->bytes = report->bytes;
	STAILQ_INSERT_TAIL(&incidents->files, file, link);
	incidents->file_bytes += file->bytes;
	while (incidents->options.most_bytes && incidents->file_bytes > incidents->options.most_bytes) {
		file = STAILQ_FIRST(&incidents->files);
		if (!STAILQ_NEXT(file, link))
			break;
		/* it may have been moved by another program */
		report->deleted += !unlink(file->name);
		incidents->file_bytes -= file->bytes;
		STAILQ_REMOVE_HEAD(&incidents->files, link);
		free(file);
	}
}

bool incidents_poll(struct incidents *incidents, int64_t now_ns, bool ends, struct incident_report *report)
{
	struct rtap_error error;

	if (!incidents->runs)
		return false;
	if (ends || now_ns > incidents->report.end_ns)
		atomic_store(&incidents->drain, true);
	if (!ends && !atomic_load(&incidents->done))
		return false;
	pthread_join(incidents->thread, NULL);
	incidents->runs = false;
	incidents->report.bytes = writer_size(incidents->writer);
	if (rtap_writer_close(incidents->writer, &error) && !incidents->report.error.text[0])
		incidents->report.error = error;
	incidents->writer = NULL;
	if (incidents->report.error.text[0])
		remove_if_empty(incidents->report.name);
	keep_file(incidents);
	*report = incidents->report;
	return true;
}

void incidents_pass_over(struct incidents *incidents, uint64_t count)
{
	incidents->passed_over += count;
}

void incidents_counts(const struct incidents *incidents, uint64_t *begun, uint64_t *passed_over)
{
	*begun = incidents->begun;
	*passed_over = incidents->passed_over;
}

void incidents_destroy(struct incidents *incidents)
{
	struct incident_report report;
	struct kept_file *file;

	if (!incidents)
		return;
	incidents_poll(incidents, INT64_MIN, true, &report);
	while ((file = STAILQ_FIRST(&incidents->files))) {
		STAILQ_REMOVE_HEAD(&incidents->files, link);
		free(file);
	}
	free(incidents);
}
