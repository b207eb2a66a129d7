/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop that all commands share: frames from the inputs, through -f, -s and -c, to whoever takes them.
 */
#ifndef CLI_READER_H
#define CLI_READER_H

#include "cli/cli.h"
#include "cli/pipeline.h"
#include "cli/progress.h"
#include "cli/diagnostics.h"
#include "output/packet/format.h"

struct reader {
	const struct options *options;
	struct rtap_source *source;
	struct rtap_bpf *bpf;       /* -f; NULL: all pass, or the live source has it */
	struct rtap_filter *filter; /* -Y; NULL: all pass */
	struct printer printer;     /* on standard output */
	struct format **formats;    /* of reader_show(), as struct pipeline_options has them; NULL: it is not called */
	struct rtap_tracker *tracker; /* while it runs; NULL: none */
	struct rtap_batch *batch;   /* that the frame is of that take() is called with; NULL: nobody may hold that */
	struct pipeline *pipeline;  /* NULL: one thread does all in turn */
	struct progress progress;
	struct packet_counters packets;
	void (*idle)(void *owner);  /* live: called when what has been written should be there for others; NULL: nothing to do */
	int64_t flush_ns;           /* live: when to flush, also if it is not idle; monotonic clock */
	/* Not NULL: takes the first `count` frames of a batch at once, in which they may be NULL, instead of take(). */
	void (*take_batch)(void *owner, struct rtap_batch *batch, size_t count);
	bool is_terminal;           /* standard output is */
	bool counts_only;           /* frames are counted, and nobody asks what is in them: take() is not called */
	bool stop;                  /* set by whoever has seen enough */
	bool unwritable;            /* standard output takes no more */
	bool interrupted;           /* an interrupt ended reading before the end */
	bool whole;                 /* all that was asked for was read, and nothing was wrong with it */
	int status;                 /* exit status so far */
	struct rtap_error failure;  /* the first one told; no text: none was */
};

/* Whether an output is an input too, which writing would destroy; an error is printed then. */
bool reader_would_overwrite(const struct options *options);

/* Opens all that the options name. False: an error is printed. close in both cases. */
bool reader_open(struct reader *reader, const struct options *options);

/*
 * Reads to the end, and hands each frame on. A live source is stopped by the first interrupt, and all that it has received
 * is still handed on. Errors of the inputs are printed. tracker: that reader_packet() is called for, of each
 * frame; NULL: it is not.
 */
void reader_run(struct reader *reader, struct rtap_tracker *tracker, void (*take)(void *owner, struct rtap_frame *frame), void *owner);

/* For `take`: rtap_tracker_frame(). */
void reader_packet(struct reader *reader, const struct rtap_frame *frame, struct rtap_packet *packet);

/* For `take`: the speed of the link that the frame was captured on, in bits a second; 0: not known. */
uint64_t reader_link_speed(struct reader *reader, const struct rtap_frame *frame);

/* For `take`: shows the packet. */
void reader_show(struct reader *reader, const struct rtap_packet *packet);

/* For `take`, and all that it calls: what printer_write() does. */
void reader_write(struct reader *reader, void (*write)(const void *what, struct line *line), const void *what);

/* Writes out what was shown so far, so that an error message stands after it. */
void reader_sync(struct reader *reader);

/* Prints the diagnostics of the run; with -v all counters. */
void reader_report(const struct reader *reader, const struct rtap_tracker *tracker);

/* The result of writing: 0, or the -errno that standard output failed with. */
void reader_wrote(struct reader *reader, int error);

/* A failure, told. */
void reader_fail(struct reader *reader, const struct rtap_error *error);

void reader_close(struct reader *reader);

#endif
