/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of captures that run for a long time: when to begin another file and when to end, and what happens to the files.
 */
#ifndef CLI_LIVE_OPTIONS_H
#define CLI_LIVE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_CAPTURE_COMMENTS 16

struct options;

struct file_options {
	const char *postrotate; /* -z: program that is run with the name of each file that rotation closed; NULL: none */
	const char *names;      /* -b printname: file to which the names of closed files are appended, - or stderr; NULL: none */
	const char *comments[MAX_CAPTURE_COMMENTS]; /* --capture-comment */
};

#define MAX_TRIGGERS 16

/* The flight recorder. */
struct recorder_options {
	bool given;             /* --ring */
	bool needs_ring;        /* another option of the recorder is given */
	uint64_t bytes;         /* of memory */
	int64_t age_ns;         /* of the oldest frame; 0: any */
	int64_t before_ns, after_ns, distance_ns;
	uint64_t limit;         /* bytes of all files */
	const char *triggers[MAX_TRIGGERS];
	size_t trigger_count;
	const char *control;    /* path of a socket; NULL: none */
};

#define RECORDER_DEFAULTS \
	{ .bytes = UINT64_C(256) << 20, .before_ns = INT64_C(5000000000), .after_ns = INT64_C(2000000000), \
	  .distance_ns = INT64_C(10000000000), .limit = UINT64_C(4) << 30 }

enum {
	OPTION_LIVE = 640, OPTION_FILE_MODE, OPTION_FILE_GROUP, OPTION_CAPTURE_COMMENT, OPTION_STATUS, OPTION_RING, OPTION_TRIGGER,
	OPTION_BEFORE, OPTION_AFTER, OPTION_DISTANCE, OPTION_LIMIT, OPTION_CONTROL, OPTION_OPENMETRICS, OPTION_CPU, OPTION_PRIORITY,
	OPTION_LIVE_END,
};

#define RECORDER_OPTIONS \
	{ "ring", required_argument, NULL, OPTION_RING }, \
	{ "trigger", required_argument, NULL, OPTION_TRIGGER }, \
	{ "before", required_argument, NULL, OPTION_BEFORE }, \
	{ "after", required_argument, NULL, OPTION_AFTER }, \
	{ "incident-distance", required_argument, NULL, OPTION_DISTANCE }, \
	{ "incident-limit", required_argument, NULL, OPTION_LIMIT }, \
	{ "control", required_argument, NULL, OPTION_CONTROL }

#define FILE_LETTERS "a:b:z:g"

#define FILE_OPTIONS \
	{ "autostop", required_argument, NULL, 'a' }, \
	{ "file-mode", required_argument, NULL, OPTION_FILE_MODE }, \
	{ "file-group", required_argument, NULL, OPTION_FILE_GROUP }, \
	{ "capture-comment", required_argument, NULL, OPTION_CAPTURE_COMMENT }

/* -i. False: invalid; an error was printed. */
bool live_option_add_device(struct options *options, const char *name);

/* Whether the option is one of FILE_LETTERS or FILE_OPTIONS, or --status. */
bool live_option_is(int letter);

/* Stores the option. False: invalid; an error was printed. */
bool live_option_take(struct options *options, int letter, const char *value);

/* False: the options contradict each other; an error was printed. */
bool live_options_check(const struct options *options);

#endif
