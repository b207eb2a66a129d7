/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <rdmatap/source.h>

#include "base/clock_piece.h"

struct batch;
struct batch_pool;
struct source_metadata;

/* What delivers the frames of a source instead of files: numbered, with their time differences and the numbers of their interfaces. */
struct source_feed {
	/* As rtap_source_read_batch(). The batch is of `pool`; interfaces and counters are those of `metadata`. */
	enum rtap_status (*read)(void *owner, struct batch_pool *pool, struct source_metadata *metadata, struct batch **batch, struct rtap_error *error);
	void *owner;
};

/* As rtap_source_open_files(), but the frames come from the feed, which is borrowed. The names are those of the inputs, for messages. */
enum rtap_status source_open_fed(struct rtap_source **source, const struct source_feed *feed, const char *const *names, size_t count,
				 struct rtap_error *error)
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
	size_t reference;     /* index of the other file in `names` */
	size_t count;         /* of `pieces`, by frames of this file; 0: nothing */
	struct clock_piece pieces[CLOCK_PIECES];
};

/* Call it before the first read. */
void source_set_clock(struct rtap_source *source, size_t file, const struct source_clock *clock);

/* Number of files. */
size_t source_file_count(const struct rtap_source *source);

/* The file's name for messages. */
const char *source_file(const struct rtap_source *source, size_t file);

/* NULL: no such file. */
const struct source_clock *source_clock(const struct rtap_source *source, size_t file);

#endif
