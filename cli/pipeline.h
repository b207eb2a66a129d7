/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processing of a capture: reading, dissection, state, output. The caller's thread takes the frames in order and owns the state. With several
 * threads, the others read and dissect ahead of it and format packets after it; packets that borrow much from the state are formatted
 * immediately. With one thread, reading may block; a few frames of a batch at a time are dissected, and then formatted. The output is identical
 * in both cases.
 */
#ifndef CLI_PIPELINE_H
#define CLI_PIPELINE_H

#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "output/packet/format.h"

struct pipeline;

/* Largest useful number of threads: only one at a time can own the state. */
#define PIPELINE_THREADS 8
#define PIPELINE_FORMATS (PIPELINE_THREADS + 1)

struct pipeline_options {
	struct rtap_source *source;         /* with several threads: regular files; used only by the pipeline until it has ended */
	const struct rtap_tracker *tracker; /* dissects the frames; NULL: pipeline_dissect() is not called */
	bool ahead;                         /* dissect before pipeline_dissect() is called; it will be called for every frame */
	uint32_t snap_length;               /* frames are cut to this many bytes before dissection; 0: not cut */
	struct printer *printer;            /* writes the output; with several threads, their printers write to the same descriptor */
	struct format **formats;            /* for pipeline_show(): one, or with several threads one more than threads; NULL: it is not called */
	uint64_t max_memory;                /* bytes of all state; 0: unlimited */
	unsigned threads;                   /* from pipeline_threads() */
};

/* The number of threads that a pipeline uses if `allowed` are permitted. */
unsigned pipeline_threads(unsigned allowed);

/* Whether output is deferred to other threads. */
bool pipeline_defers(const struct pipeline *pipeline);

/* NULL: out of memory. Everything the options point to is borrowed. */
struct pipeline *pipeline_open(const struct pipeline_options *options);

/* Like rtap_source_read_batch(). The pipeline owns the batch; it is valid until pipeline_batch_done(). */
enum rtap_status pipeline_read(struct pipeline *pipeline, struct rtap_batch **batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Call after each pipeline_read(). Returns 0, or the -errno of the first failed deferred write. */
int pipeline_batch_done(struct pipeline *pipeline);

/*
 * Returns the same packet as tracker_dissect(). It is valid until the next call. Call it for the frames of the batch in order, once each; they
 * are cut to the snapshot length.
 */
struct rtap_packet *pipeline_dissect(struct pipeline *pipeline, struct rtap_frame *frame);

/*
 * Prints the packet from the last pipeline_dissect(), or keeps it to format it later: at the latest pipeline_batch_done() prints it or hands it to
 * another thread. This and the two functions below return 0, or the -errno of the first failed write, after which nothing is written.
 */
int pipeline_show(struct pipeline *pipeline, const struct rtap_packet *packet);

/* Like printer_write(): calls `write` immediately and places its output after all output queued so far. */
int pipeline_write(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), const void *what);

/*
 * Deferred pipeline_write(): returns `size` bytes, aligned to 8, that the caller fills before the next call; `write` is called with them
 * later, in any thread. NULL: no room, or nothing is deferred; use pipeline_write().
 */
void *pipeline_write_later(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), size_t size);

/* Returns when all output queued so far has been written. NULL is ignored. */
int pipeline_sync(struct pipeline *pipeline);

/* Counters and position in the input as of the last batch read. *total_bytes: size of the input; 0: unknown. */
struct rtap_source_counters pipeline_progress(const struct pipeline *pipeline, uint64_t *read_bytes, uint64_t *total_bytes);

/*
 * Writes out what is queued and ends the threads; the source continues after the last frame that they read. Output may follow, but nothing
 * can be read any more.
 */
void pipeline_end(struct pipeline *pipeline);

/* Frees, after pipeline_end() if it was called. NULL is ignored. */
void pipeline_close(struct pipeline *pipeline);

#endif
