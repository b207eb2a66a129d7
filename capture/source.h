/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <rdmatap/source.h>

#include "base/clock_piece.h"
#include "capture/file/stream.h"

struct batch;
struct batch_pool;
struct kept_blocks;
struct source_metadata;

/* What delivers the frames of a source instead of files: numbered, with their time differences and the numbers of their interfaces. */
struct source_feed {
	/* As rtap_source_read_batch(). The batch is of `pool`; interfaces and counters are those of `metadata`. */
	enum rtap_status (*read)(void *owner, struct batch_pool *pool, struct source_metadata *metadata, struct batch **batch,
				 struct rtap_error *error);
	void *owner;
};

/* As rtap_source_open_files(), but the frames come from the feed, which is borrowed. The names are those of the inputs, for messages. */
enum rtap_status source_open_fed(struct rtap_source **source, const struct source_feed *feed, const char *const *names, size_t count,
				 struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Whole records of a file that follow each other. */
struct source_part {
	uint64_t begin, length; /* bytes of the file */
	uint64_t first, frames; /* frames of the file before it, and in it */
	int64_t latest_ns;      /* latest time of those before it, not corrected; INT64_MIN: there is none */
};

/* Some parts of a file. Borrowed for the source's lifetime. */
struct source_parts {
	const struct source_part *parts;
	size_t count;
	struct stream_spans stream; /* the parts, between them and around them what describes their frames: a file of its own */
};

/* Where in its parts a reader of their frames is. All zero: before the first. */
struct source_parts_place {
	size_t part;
	uint64_t frame;         /* in it */
};

/* Advances past a frame. Returns the part that it begins; NULL: none. */
const struct source_part *source_parts_next(const struct source_parts *parts, struct source_parts_place *place);

/* As rtap_source_open_files(), but of files with parts only these are read; parts[i] NULL: all of the file. */
enum rtap_status source_open_parts(struct rtap_source **source, const char *const *names,
				   const struct source_parts *const *parts, size_t count, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * As rtap_source_open_files(), for files in memory, which is borrowed for the source's lifetime: for tests.
 * They are named "memory 1" and so on, read in blocks of `block_size` bytes (0: the default) and arrive `step`
 * bytes at a time (0: all at once).
 */
enum rtap_status source_open_memory(struct rtap_source **source, const struct rtap_span *files, size_t count,
				    size_t block_size, size_t step, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* By how much the clock of one of several files is ahead of another one: that is subtracted from the times of its frames. */
struct source_clock {
	size_t reference;     /* index in `names` of the other file, or of this one, whose later times are corrected to follow its first ones */
	size_t count;         /* of `pieces`, by frames of this file; 0: nothing, and the first piece has only the uncertainty of that */
	struct clock_piece pieces[CLOCK_PIECES];
};

/* Call it before the first read. A file that is read in parts has one piece at most. */
void source_set_clock(struct rtap_source *source, size_t file, const struct source_clock *clock);

/* A time as the clock that was set for the file corrects it; of a clock of several pieces by the first one. */
int64_t source_corrected_ns(const struct rtap_source *source, size_t file, int64_t time_ns);

/*
 * Live sources: sets the counts of frames received and dropped, and of the queue, of an interface. Any thread may call it while another one
 * reads.
 */
void source_read_counts(const struct rtap_source *source, size_t interface, struct rtap_interface *counts);

/* Number of files. */
size_t source_file_count(const struct rtap_source *source);

/* The file's name for messages. */
const char *source_file(const struct rtap_source *source, size_t file);

/* Not a pipe. */
bool source_file_is_regular(const struct rtap_source *source, size_t file);

/* Whether all its frames were delivered, and no more are to be read. */
bool source_file_has_ended(const struct rtap_source *source, size_t file);

/* What pcapng files have that no copy of their frames can have, as of what was read. */
struct source_left_out {
	uint64_t blocks, options;
};
struct source_left_out source_left_out(const struct rtap_source *source);

/* Keeps what only copies of pcapng files need: blocks besides packets, further options of interfaces. Call it before the first read. */
void source_keep_blocks(struct rtap_source *source);

/* The blocks kept. Those before a frame that was delivered are complete. */
const struct kept_blocks *source_kept_blocks(const struct rtap_source *source);

/* Options of an interface that struct rtap_interface does not have. */
struct rtap_span source_interface_options(const struct rtap_source *source, uint32_t interface);

/* Says that END was returned for all frames that are wanted: another thread may have read further than these. */
void source_set_ended(struct rtap_source *source);
bool source_has_ended(const struct rtap_source *source);

/* NULL: no such file. */
const struct source_clock *source_clock(const struct rtap_source *source, size_t file);

#endif
