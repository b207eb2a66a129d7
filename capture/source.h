/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <rdmatap/source.h>

/*
 * As rtap_source_open_files(), for files that stand in memory, which is borrowed for the source's life: for tests.
 * They are named "memory 1" and so on, read in blocks of `block_size` bytes (0: the usual ones) and arrive `step`
 * bytes at a time (0: at once).
 */
enum rtap_status source_open_memory(struct rtap_source **source, const struct rtap_span *files, size_t count,
				    size_t block_size, size_t step, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* By how much the clock of one of several files is ahead of another one's: its frames' times are put back by that. */
struct source_clock {
	size_t reference;     /* the other file: by its place among `names` */
	int64_t ahead_ns;
};

/* Called before the first read. */
void source_set_clock(struct rtap_source *source, size_t file, const struct source_clock *clock);

/* Its name, as messages have it. */
const char *source_file(const struct rtap_source *source, size_t file);

/* NULL: there are not so many files. */
const struct source_clock *source_clock(const struct rtap_source *source, size_t file);

#endif
