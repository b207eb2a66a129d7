/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/incident.h"
#include "tests/capture_kit.h"

#define MS INT64_C(1000000)
#define FRAMES 100

static char pattern[64];

/* A ring with one frame for each millisecond from 1 to FRAMES. */
static struct frame_ring *ring_with_frames(void)
{
	static const uint8_t bytes[60];
	struct frame_ring *ring = frame_ring_create(FRAME_RING_LEAST, 0);

	for (uint32_t i = 1; i <= FRAMES; i++) {
		struct rtap_frame frame = { .bytes = bytes, .captured_length = 60, .wire_length = 60, .link_type = RTAP_LINK_ETHERNET,
					    .time_ns = i * MS };

		frame_ring_append(ring, &frame, 1);
	}
	return ring;
}

static size_t file_count(glob_t *files)
{
	snprintf(pattern, sizeof pattern, "test_incident.%ld_*.pcapng", (long)getpid());
	return glob(pattern, 0, NULL, files) ? 0 : files->gl_pathc;
}

/* Bytes that a file can have from now on. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TestSuite(incident, .timeout = HANG_SECONDS);

/* What a file system without room does, a limit of the size of files does as well. */
Test(incident, a_full_disk_leaves_no_empty_file_and_later_incidents_are_written)
{
	struct frame_ring *ring = ring_with_frames();
	char name[64];
	struct incident_options options = { .name = name, .link_type = RTAP_LINK_ETHERNET, .before_ns = 10 * MS, .after_ns = 10 * MS };
	struct incidents *incidents;
	struct incident_report report;
	struct rtap_error error = { .text = "" };
	struct reading reading;
	const char *written;
	glob_t files;
	bool begun;

	snprintf(name, sizeof name, "test_incident.%ld.pcapng", (long)getpid());
	signal(SIGXFSZ, SIG_IGN);
	incidents = incidents_create(ring, &options);
	limit_files(0);
	cr_expect_eq(incidents_trigger(incidents, 50 * MS, "first", &begun, &error), RTAP_STATUS_FAILED);
	cr_expect_not(begun);
	cr_expect(strstr(error.text, "File too large"), "%s", error.text);
	cr_expect_eq(file_count(&files), 0);
	limit_files(RLIM_INFINITY);
	cr_assert_eq(incidents_trigger(incidents, 50 * MS, "second", &begun, &error), RTAP_STATUS_OK, "%s", error.text);
	cr_expect(begun);
	cr_assert(incidents_poll(incidents, 100 * MS, true, &report));
	cr_expect_str_empty(report.error.text);
	cr_expect_eq(report.frames, 21, "%lu", (unsigned long)report.frames);
	cr_assert_eq(file_count(&files), 1);
	cr_expect_str_eq(files.gl_pathv[0], report.name);
	written = report.name;
	reading = reading_of_files(&written, 1);
	cr_expect_eq(reading.count, 21);
	reading_free(&reading);
	unlink(report.name);
	globfree(&files);
	incidents_destroy(incidents);
	frame_ring_destroy(ring);
}
