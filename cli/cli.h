/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the program share: its exit statuses, its options, its subcommands.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rdmatap/error.h>
#include <rdmatap/filter.h>
#include <rdmatap/live.h>
#include <rdmatap/packet.h>
#include <rdmatap/source.h>
#include <rdmatap/writer.h>

#include "cli/diff_options.h"
#include "dissect/engine/line.h"
#include "output/compare/canon_policy.h"
#include "output/packet/clock.h"
#include "output/packet/fields.h"

/* A count in an error, singular or plural: print_error("%" COUNT " too short", COUNTED(count, "frame is", "frames are")). */
#define COUNT PRIu64 " %s"
#define COUNTED(count, one, many) (uint64_t)(count), line_plural(count, one, many)

/* Exit statuses: done; a question was answered no; wrong usage, or an input or output that failed. */
#define EXIT_DONE 0
#define EXIT_NO 1
#define EXIT_TROUBLE 2

/* Memory that state may take if --max-memory does not say. */
#define DEFAULT_MEMORY (UINT64_C(512) << 20)

/* Whose command line it is. */
enum command {
	COMMAND_VIEW, COMMAND_MESSAGES, COMMAND_CONNECTIONS, COMMAND_EXPORT, COMMAND_CANON, COMMAND_DIFF, COMMAND_REPLAY, COMMAND_STATS,
	COMMAND_REPORT,
};

enum view_form { VIEW_TEXT, VIEW_JSON, VIEW_FIELDS };

#define MAX_DECODE_AS 64
#define MAX_FLOW_RULES 30
#define MAX_THREADS 256

/* The options of the stream view, and those that other commands share with it. */
struct options {
	const char **inputs;      /* -r, in order */
	size_t input_count;
	const char *device;       /* -i; NULL: files are read */
	struct rtap_live_options live; /* but for the capture filter and the snap length */
	const char *flow_rules[MAX_FLOW_RULES]; /* --flow; where live.verbs points to */
	const char *user;         /* -Z */
	bool extcap;              /* Wireshark captures, and takes what is said for trouble */
	bool list_devices;        /* -D */
	const char *write_name;   /* -w; of report -o */
	struct rtap_rotation rotation; /* -C, -G, -W */
	bool print;               /* --print: with -w, show too */
	bool keeps_times;         /* frames are written with the times that they have */
	const char *capture_filter; /* -f */
	const char *display_filter; /* -Y */
	uint64_t count;           /* -c; 0: all */
	uint32_t snap_length;     /* -s; 0: all */
	bool tree, hex, quiet, line_buffered, verbose;
	bool progress;
	bool json, checksum, incomplete, rpc; /* of messages and connections */
	bool fill_holes;          /* of export */
	const char *directory;    /* --files */
	enum canon_level level;   /* --level of canon and diff */
	const char **keep;        /* --keep of canon */
	size_t keep_count;
	struct diff_options diff; /* what diff alone takes */
	double speed;             /* of replay: times the recorded one */
	uint64_t rate;            /* of replay: packets a second; 0: as recorded */
	bool at_once, checksums;  /* of replay */
	int64_t interval_ns;      /* of stats; 0: no time series */
	bool sampled;             /* packets are missing by intent: no loss */
	uint64_t max_memory;      /* bytes */
	uint64_t give_up_ns;      /* 0: as usual */
	unsigned threads;         /* that may be used; at least 1 */
	enum view_form form;
	enum clock_form clock;
	struct fields_format fields;
	struct rtap_context context;
	bool no_check_icrc;
	struct rtap_decode_as decode_as[MAX_DECODE_AS];
};

/*
 * Set by SIGINT, SIGTERM and SIGHUP: interrupted ends reading, and is set when that has ended by itself; hurried, set by the next signal,
 * or more than half a second of processor time after the first, ends the output, at the next message.
 */
extern volatile sig_atomic_t interrupted, hurried;

/*
 * What still works when it has taken most of a second of processor time after that is ended with this status, unless it writes files that
 * would be left in pieces.
 */
extern volatile sig_atomic_t hurried_status, finishes_files;

#endif
