/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of many streams, kept in the order in which each stream got them. What is more than some KiB a stream, or 16 MiB in
 * all, goes to a temporary file that has no name, so that it is gone with the program.
 */
#ifndef OUTPUT_CANON_SPOOL_H
#define OUTPUT_CANON_SPOOL_H

#include <stddef.h>
#include <stdint.h>

/* A piece of a stream in the file. */
struct spool_extent {
	uint64_t offset;
	uint32_t length;
};

/* One stream. All zero is an empty one. */
struct spool_stream {
	char *buffer;                 /* what is not in the file yet */
	size_t used, room;
	struct spool_extent *extents; /* what is, in order */
	size_t extent_count, extent_room;
};

struct spool {
	int fd;                       /* -1: nothing was written yet */
	uint64_t end;                 /* of the file */
	size_t held;                  /* bytes of all streams' buffers */
};

/* Reads one stream from its beginning. */
struct spool_reader {
	const struct spool *spool;
	const struct spool_stream *stream;
	char *block;                  /* of the extent being read */
	size_t block_room, block_used, at, extent;
	uint64_t order;               /* of the record read last */
	char *record;
	size_t length;
};

void spool_init(struct spool *spool);
void spool_fini(struct spool *spool);

/* Adds a record. `order` is what records of several streams are merged by. 0 or -errno. */
int spool_add(struct spool *spool, struct spool_stream *stream, uint64_t order, const char *record, size_t length)
	__attribute__((warn_unused_result));
void spool_stream_fini(struct spool_stream *stream);

void spool_reader_init(struct spool_reader *reader, const struct spool *spool, const struct spool_stream *stream);
/* The next record into `order`, `record` and `length`, valid until the next call. 1; 0 at the end; -errno. */
int spool_reader_next(struct spool_reader *reader) __attribute__((warn_unused_result));
void spool_reader_fini(struct spool_reader *reader);

/* A temporary file without a name in $TMPDIR or /tmp. The descriptor, or -errno. */
int spool_temporary(void) __attribute__((warn_unused_result));

#endif
