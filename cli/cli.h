/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations shared by the program's files: exit statuses, options, subcommands.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rdmatap/error.h>
#include <rdmatap/filter.h>
#include <rdmatap/live.h>
#include <rdmatap/source.h>
#include <rdmatap/writer.h>

#include "cli/check_options.h"
#include "cli/diff_options.h"
#include "cli/live_options.h"
#include "base/thread.h"
#include "cli/status.h"
#include "cli/clocks.h"
#include "dissect/engine/line.h"
#include "dissect/engine/packet.h"
#include "output/compare/canon_policy.h"
#include "output/message/columns.h"
#include "output/packet/clock.h"
#include "output/packet/colour.h"
#include "output/packet/fields.h"
#include "output/stats/operation_groups.h"
#include "output/stats/stats_tables.h"

/* A count in an error, singular or plural: print_error("%" COUNT " too short", COUNTED(count, "frame is", "frames are")). */
#define COUNT PRIu64 " %s"
#define COUNTED(count, one, many) (uint64_t)(count), line_plural(count, one, many)

/* Exit statuses: success; a negative answer; wrong usage, or an input or output failed. */
#define EXIT_DONE 0
#define EXIT_NO 1
#define EXIT_ERROR 2

/* Default of --max-memory: bytes of state. */
#define DEFAULT_MEMORY (UINT64_C(512) << 20)

/* The command that a command line belongs to. */
enum command {
	COMMAND_VIEW, COMMAND_MESSAGES, COMMAND_CONNECTIONS, COMMAND_EXPORT, COMMAND_CANON, COMMAND_DIFF, COMMAND_REPLAY, COMMAND_STATS,
	COMMAND_REPORT, COMMAND_OPERATIONS, COMMAND_WHY, COMMAND_TOP, COMMAND_JOIN, COMMAND_CHECK,
};

/* What a command lists, if it is records of one kind. */
enum listed_kind { LISTED_NONE, LISTED_CONNECTIONS, LISTED_MESSAGES, LISTED_OPERATIONS };

/* Sort key of operations; UNSORTED: in the order in which they are found. */
enum operations_sort { OPERATIONS_UNSORTED, OPERATIONS_BY_TIME, OPERATIONS_BY_LATENCY, OPERATIONS_BY_BYTES, OPERATIONS_BY_COUNT };

enum view_form { VIEW_TEXT, VIEW_JSON, VIEW_FIELDS };

/* RTAP_UPPERS(UPPER_CHOICE): the names, each after a space. */
#define UPPER_CHOICE(identifier, name) " " name

#define MAX_DECODE_AS 64
#define MAX_FLOW_RULES 30
#define MAX_DEVICES 32
#define MAX_THREADS 256

/* Options of all commands. */
/* What rdmatap why explains; without a selector, the worst that the capture has. */
enum selector_kind { SELECT_WORST, SELECT_QP, SELECT_FRAME, SELECT_XID, SELECT_OPERATION, SELECT_CONNECTION };

struct selector {
	const char *text; /* as given, such as qp=0x12; NULL: none was */
	enum selector_kind kind;
	uint64_t number;
};

struct options {
	enum command command;
	const char **inputs;      /* -r, in order */
	size_t input_count;
	const char *device;       /* -i, the first one; NULL: read files */
	const char *devices[MAX_DEVICES]; /* all of them */
	size_t device_count;
	struct rtap_live_options live; /* except the capture filter and the snap length */
	struct rtap_verbs_options verbs;
	const char *flow_rules[MAX_FLOW_RULES]; /* --flow; verbs.flow_rules points here */
	const char *user;         /* -Z */
	bool extcap;              /* run by Wireshark, which treats output on standard error as a failure */
	bool list_devices;        /* -D */
	const char *write_name;   /* -w; for report: -o */
	struct rtap_series_options series; /* -C, -G, -W, -a, -b */
	struct file_options files;
	struct status_options status; /* --status */
	struct thread_placement writer; /* --cpu, --priority: of the thread that writes or prints */
	struct known_clocks clocks; /* --clock */
	struct recorder_options recorder;
	const char *openmetrics;  /* stats: file or address; NULL: none */
	bool print;               /* --print: print packets in addition to -w */
	bool keeps_times;         /* frames are written with their original time stamps */
	const char *capture_filter; /* -f, or the expression */
	char *expression;         /* the arguments after the options; NULL: none */
	const char *display_filter; /* -Y */
	uint64_t count;           /* -c; 0: all */
	uint32_t duration;        /* -a duration: seconds of a live capture; 0: unlimited */
	uint32_t snap_length;     /* -s; 0: all */
	bool tree, hex, quiet, line_buffered, verbose;
	bool progress;
	struct columns columns; /* of messages, operations, connections, stats, devices, fields */
	const char *record_type;  /* --type; NULL: records of all types */
	bool checksum, incomplete, rpc; /* messages */
	bool failed;              /* operations */
	enum operations_sort sort;
	enum operation_by by;     /* operations: statistics instead of a list */
	struct selector selector; /* why */
	uint64_t top;             /* operations: 0: all; stats: 0: the default */
	enum stats_sort stats_sort; /* stats */
	uint64_t connection;      /* stats: details of this connection; 0: none */
	bool all_connections;     /* stats: details of all */
	const char *explain;      /* stats: a rule, or list; NULL: none */
	int64_t slower_ns;        /* operations: 0: all */
	const char *layer;        /* operations: NULL: all */
	bool fill_holes;          /* export */
	const char *directory;    /* --files */
	const char *database;     /* --sqlite */
	const char *trace;        /* --trace */
	const char *iolog;        /* --blktrace */
	bool packets;             /* --packets: the database has all packets */
	enum canon_level level;   /* --level of canon and diff */
	const char **keep;        /* --keep of canon */
	size_t keep_count;
	struct diff_options diff; /* options of diff only */
	struct check_options check; /* options of check only */
	double speed;             /* replay, top: factor of the recorded speed */
	bool paced;               /* --speed was given */
	uint64_t rate;            /* replay: packets per second; 0: as recorded */
	bool at_once, checksums;  /* replay */
	int64_t interval_ns;      /* stats; 0: no time series */
	bool sampled;             /* packets are missing by design and are not counted as lost */
	uint64_t max_memory;      /* bytes */
	uint64_t give_up_ns;      /* 0: the default */
	unsigned threads;         /* upper limit; at least 1 */
	enum view_form form;
	enum clock_form clock;    /* -t */
	bool clock_given;
	enum colour_when colour;  /* --color */
	bool wide;                /* --wide: text is not shortened */
	struct fields_format fields;
	struct rtap_dissect_options dissect;
	bool no_check_icrc;
	struct rtap_decode_as decode_as[MAX_DECODE_AS];
};

/*
 * Set by SIGINT, SIGTERM and SIGHUP. `interrupted` ends reading; it is also set when reading has ended by itself. `aborted` ends the
 * output at the next message; it is set by the next signal, or when more than 0.5 s of processor time have passed since the first.
 */
extern volatile sig_atomic_t interrupted, aborted;

/* Set by SIGUSR1: print the counts so far. */
extern atomic_bool counts_wanted;

/* Set by SIGUSR2: the flight recorder writes its frames to a file. */
extern volatile sig_atomic_t incident_wanted;

/*
 * If the program still runs after a further fraction of a second of processor time, it exits with `aborted_status`, unless
 * `finishes_files` is set: it is writing files that would be left incomplete.
 */
extern volatile sig_atomic_t aborted_status, finishes_files;

#endif
