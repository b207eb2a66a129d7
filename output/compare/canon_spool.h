/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of many streams, kept in the order in which each stream got them. What is more than some KiB a stream, or more than
 * may be held in all, goes to a temporary file that has no name, so that it is gone with the program.
 */
#ifndef OUTPUT_COMPARE_CANON_SPOOL_H
#define OUTPUT_COMPARE_CANON_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a stream in the file. */
struct spool_extent {
	uint64_t offset, length; /* without padding: it goes to the file as it stands */
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
	uint64_t end;                 /* of the file, and what stands behind it: */
	char *tail;                   /* what is not written yet */
	size_t tail_used;
	size_t extent_memory;         /* bytes of all streams' extents */
	size_t held, most_held;       /* bytes of all streams' buffers, and how many there should be */
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

/* `most_held`: bytes of streams' buffers, beyond which they are written out. */
void spool_init(struct spool *spool, size_t most_held);
void spool_fini(struct spool *spool);

/* Adds a record. `order` is what records of several streams are merged by. 0 or -errno. */
int spool_add(struct spool *spool, struct spool_stream *stream, uint64_t order, const char *record, size_t length)
	__attribute__((warn_unused_result));

/* What the stream's buffer holds goes to the file, and the buffer's memory back. 0 or -errno. */
int spool_flush(struct spool *spool, struct spool_stream *stream) __attribute__((warn_unused_result));

/* Whether streams hold more than they should: the caller then flushes them. */
static inline bool spool_is_full(const struct spool *spool)
{
	return spool->held > spool->most_held;
}

/* Bytes of the caller's own, at spool->end before the call; and reading them. 0 or -errno. */
int spool_append(struct spool *spool, const void *bytes, size_t length) __attribute__((warn_unused_result));
int spool_read(const struct spool *spool, uint64_t offset, void *bytes, size_t length) __attribute__((warn_unused_result));

void spool_stream_fini(struct spool *spool, struct spool_stream *stream);

void spool_reader_init(struct spool_reader *reader, const struct spool *spool, const struct spool_stream *stream);
/* The next record into `order`, `record` and `length`, valid until the next call. 1; 0 at the end; -errno. */
int spool_reader_next(struct spool_reader *reader) __attribute__((warn_unused_result));
void spool_reader_fini(struct spool_reader *reader);

/* A temporary file without a name in $TMPDIR or /tmp. The descriptor, or -errno. */
int spool_temporary(void) __attribute__((warn_unused_result));

#endif
