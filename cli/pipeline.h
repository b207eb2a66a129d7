/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several threads for one capture: they read ahead, dissect ahead, and write down packets behind the thread that takes the frames
 * in order and has the state. Packets that borrow much from the state are written down at once. What comes out is the same, byte for byte.
 */
#ifndef CLI_PIPELINE_H
#define CLI_PIPELINE_H

#include <rdmatap/source.h>
#include <rdmatap/tracker.h>

#include "output/packet/format.h"

struct pipeline;

/* At most: more have nothing to do, because one at a time has the state. */
#define PIPELINE_THREADS 8
#define PIPELINE_FORMATS (PIPELINE_THREADS + 1)

struct pipeline_options {
	struct rtap_source *source;         /* regular files; the pipeline's own until it is closed */
	const struct rtap_tracker *tracker; /* that frames are dissected for; NULL: pipeline_dissect() is not called */
	bool ahead;                         /* they are dissected before they are asked for, since all of them will be */
	uint32_t snap_length;               /* that frames are cut to before; 0: none */
	const struct printer *printer;      /* what is written goes where this one writes */
	struct format **formats;            /* of pipeline_show(): one more than threads, all the same; NULL: it is not called */
	uint64_t max_memory;                /* bytes that all state may take; 0: not limited */
	unsigned threads;                   /* as pipeline_threads() says */
};

/* How many threads there will be if so many are allowed. */
unsigned pipeline_threads(unsigned allowed);

/* NULL: there can be none. All that the options point to is borrowed. */
struct pipeline *pipeline_open(const struct pipeline_options *options);

/* As rtap_source_read_batch(). The batch belongs to the pipeline and lives until pipeline_batch_done(). */
enum rtap_status pipeline_read(struct pipeline *pipeline, struct rtap_batch **batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* After each pipeline_read(). */
void pipeline_batch_done(struct pipeline *pipeline);

/* Makes the packet that tracker_dissect() makes of a frame of the batch; frames come in their order, each once. */
void pipeline_dissect(struct pipeline *pipeline, const struct rtap_frame *frame, struct rtap_packet *packet);

/* Of the interface of a frame that was read, in bits a second; 0: not known. */
uint64_t pipeline_link_speed(struct pipeline *pipeline, uint32_t interface);

/* Has a packet of the batch written down. */
void pipeline_show(struct pipeline *pipeline, const struct rtap_packet *packet);

/* Has what `write` writes of `what` written, as printer_write() does: at once, though behind all that was shown so far. */
void pipeline_write(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), const void *what);

/*
 * The same of something that keeps: gives `size` bytes, aligned to 8, to be filled before the next call; `write` gets them later, in any
 * thread. NULL: there is no room, pipeline_write() must do.
 */
void *pipeline_write_later(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), size_t size);

/*
 * Gives `size` bytes, aligned to 8, that `act` is called with, by any thread, one at a time and in the order of these calls; before
 * pipeline_sync() or pipeline_close() returns, and before much more than 4 MiB wait in a batch. They may be filled for as long as
 * pipeline_room() gives them. NULL: there is no room; all that was to be done before has been.
 */
void *pipeline_do_later(struct pipeline *pipeline, void (*act)(void *owner, void *what), void *owner, size_t size);

/* What pipeline_do_later() gave last; NULL: it is not to be filled any more, because something came behind it or it has been done. */
void *pipeline_room(const struct pipeline *pipeline);

/* Returns when all that was shown and written so far is written out. */
void pipeline_sync(struct pipeline *pipeline);

/* 0, or the -errno that writing failed with; nothing was written since. */
int pipeline_error(const struct pipeline *pipeline);

/* How far reading had come at the batch read last, of how many bytes. */
struct rtap_source_counters pipeline_progress(const struct pipeline *pipeline, uint64_t *read_bytes, uint64_t *total_bytes);

/* Writes out what was shown, and ends the threads. The source can be read on, behind what they have read. NULL is ignored. */
void pipeline_close(struct pipeline *pipeline);

#endif
