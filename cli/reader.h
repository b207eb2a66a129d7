/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop shared by all commands: reads frames from the inputs, applies -f, -s and -c, and passes them to the command.
 */
#ifndef CLI_READER_H
#define CLI_READER_H

#include "cli/cli.h"
#include "cli/pipeline.h"
#include "cli/privileges.h"
#include "cli/progress.h"
#include "cli/diagnostics.h"
#include "dissect/filter/filter.h"
#include "output/message/record_filter.h"
#include "output/packet/format.h"
#include "reassembly/time_windows.h"

/* Live: a message delays later ones by at most this. What is lost of it is final by then, so that it is reported as in a file. */
#define READER_PATIENCE_NS (3 * NANOSECONDS)
_Static_assert(READER_PATIENCE_NS > HOLE_NS + GRACE_NS, "what is lost is final before");

struct reader {
	const struct options *options;
	struct rtap_source *source;
	struct account account;     /* under which a live capture continues */
	struct rtap_bpf *bpf;       /* -f; NULL: all pass, or the live source filters */
	struct rtap_filter *filter; /* -Y; NULL: all pass */
	struct printer printer;     /* standard output */
	struct record_filter records; /* owns `filter` */
	struct format **formats;    /* for reader_show(), as in struct pipeline_options; NULL: it is not called */
	struct rtap_tracker *tracker; /* during reader_run(); NULL: none */
	struct rtap_batch *batch;   /* owner of the frame passed to take() */
	struct pipeline *pipeline;  /* from reader_run() on */
	struct progress progress;
	struct packet_counters packets;
	struct state_counters state; /* of all processes, with has_state: those of several trackers */
	bool has_state;
	void (*idle)(void *owner);  /* live: called when output should become visible to other processes; NULL: nothing to do */
	int64_t passed_ns;          /* live: when the time was last passed to the tracker; monotonic clock */
	struct status *live_status; /* --status; NULL: none */
	int64_t flush_ns;           /* live: time of the next flush, even if not idle; monotonic clock */
	/* Not NULL: called instead of take(), for the first `count` frames of a batch; a frame may be NULL. */
	void (*take_batch)(void *owner, struct rtap_batch *batch, size_t count);
	uint64_t passing;           /* with reader_note_passing(): number of the first frame that passes -Y; 0: none */
	bool selected;              /* set by the command: -Y selected a record */
	bool is_terminal;           /* standard output is a terminal */
	bool counts_only;           /* frames are only counted: take() is not called */
	bool stop;                  /* set by the command to end reading */
	bool unwritable;            /* writing to standard output failed, or its reader closed it */
	bool interrupted;           /* an interrupt ended reading before the end */
	bool whole;                 /* everything requested was read without error */
	int status;                 /* exit status so far */
	struct rtap_error failure;  /* the first failure printed; empty text: none */
};

/* Returns true, and prints an error, if an output is also an input and would be overwritten. */
bool reader_would_overwrite(const struct options *options);

/*
 * Opens the inputs and outputs of the options. False: failed; an error was printed. Call reader_close() in both cases. Root privileges are
 * given up by reader_run(), except in the stream view, which opens files.
 */
bool reader_open(struct reader *reader, const struct options *options);

/*
 * Reads to the end and passes each frame to take(). The first interrupt stops a live source; frames it has already received are still
 * passed on. Errors of the inputs are printed. With `tracker` take() must call reader_packet() for each frame; NULL: take() must not
 * call it.
 */
void reader_run(struct reader *reader, struct rtap_tracker *tracker, void (*take)(void *owner, struct rtap_frame *frame), void *owner);

/* For use in take(): like rtap_tracker_frame(). The packet is valid until the next call. */
struct rtap_packet *reader_packet(struct reader *reader, struct rtap_frame *frame);

/* For commands in which -Y selects records by their packets, in take(), after reader_packet(): notes the first packet that passes. */
void reader_note_passing(struct reader *reader, const struct rtap_frame *frame, const struct rtap_packet *packet);

/*
 * Whether -Y selects a record: one of its packets passed the tests of packet fields (`wanted`), and its keys pass the others. `json` writes
 * it as a JSON object.
 */
bool reader_selects(struct reader *reader, bool wanted, void (*json)(const void *what, struct line *line), const void *what);

/* For use in take(): counts a packet that the command takes, and its anomalies. */
static inline void reader_count(struct reader *reader, const struct rtap_packet *packet)
{
	reader->packets.passed++;
	for (uint8_t i = 0; i < packet->anomaly_count; i++)
		reader->packets.anomalies[packet->anomalies[i].code]++;
}

/* For use in take() and take_batch(): these were the last frames to be taken, and are not taken, as the output has come to its end. */
void reader_untake(struct reader *reader, const struct rtap_frame *frames, uint64_t count);

/* For use in take(): speed of the frame's link in bits per second; 0: unknown. */
uint64_t reader_link_speed(struct reader *reader, const struct rtap_frame *frame);

/* For use in take(): prints the packet. */
void reader_show(struct reader *reader, const struct rtap_packet *packet);

/* For use in take() and its callees: like printer_write(). */
void reader_write(struct reader *reader, void (*write)(const void *what, struct line *line), const void *what);

/* The same for a record in the form that -T and -e ask for. `json`: writes its JSON object. */
void reader_write_columns(struct reader *reader, void (*json)(const void *record, struct line *line), const void *record);

/* Writes out pending output, so that an error message follows it. */
void reader_sync(struct reader *reader);

/* Prints the diagnostics of the run; with -v all counters. */
void reader_report(struct reader *reader, const struct rtap_tracker *tracker);

/* Records the result of a write to standard output: 0 or -errno. */
void reader_wrote(struct reader *reader, int error);

/* Prints and records a failure. */
void reader_fail(struct reader *reader, const struct rtap_error *error);

void reader_close(struct reader *reader);

#endif
