/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of many streams, kept in order of arrival. Data beyond some KiB per stream, or beyond the total limit, go to an unnamed
 * temporary file, which disappears with the process.
 */
#ifndef OUTPUT_COMPARE_CANON_SPOOL_H
#define OUTPUT_COMPARE_CANON_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a stream in the file. */
struct spool_extent {
	uint64_t offset, length; /* no padding: written to the file in this form */
};

/* One stream. Zero-initialised: empty. */
struct spool_stream {
	char *buffer;                 /* data not in the file yet */
	size_t used, room;
	struct spool_extent *extents; /* data in the file, in order */
	size_t extent_count, extent_room;
};

struct spool {
	int fd;                       /* -1: not created yet */
	uint64_t end;                 /* of the file including the tail */
	char *tail;                   /* not written to the file yet */
	size_t tail_used;
	size_t extent_memory;         /* bytes of all streams' extents */
	size_t held, most_held;       /* bytes of all streams' buffers, and their limit */
};

/* Reads one stream from its beginning. */
struct spool_reader {
	const struct spool *spool;
	const struct spool_stream *stream;
	char *block;                  /* part of the current extent */
	size_t block_room, block_used, at, extent;
	uint64_t order;               /* of the last record read */
	char *record;
	size_t length;
};

/* `most_held`: bytes of streams' buffers before they are written out. */
void spool_init(struct spool *spool, size_t most_held);
void spool_fini(struct spool *spool);

/* Adds a record. Streams are merged by `order`. Returns 0 or -errno. */
int spool_add(struct spool *spool, struct spool_stream *stream, uint64_t order, const char *record, size_t length)
	__attribute__((warn_unused_result));

/* Writes the stream's buffer to the file and frees it. Returns 0 or -errno. */
int spool_flush(struct spool *spool, struct spool_stream *stream) __attribute__((warn_unused_result));

/* Whether the streams' buffers exceed their limit: the caller must then flush them. */
static inline bool spool_is_full(const struct spool *spool)
{
	return spool->held > spool->most_held;
}

/* Appends bytes at spool->end for the caller's own use, and reads them. Return 0 or -errno. */
int spool_append(struct spool *spool, const void *bytes, size_t length) __attribute__((warn_unused_result));
int spool_read(const struct spool *spool, uint64_t offset, void *bytes, size_t length) __attribute__((warn_unused_result));

void spool_stream_fini(struct spool *spool, struct spool_stream *stream);

void spool_reader_init(struct spool_reader *reader, const struct spool *spool, const struct spool_stream *stream);
/* Reads the next record into `order`, `record` and `length`, valid until the next call. Returns 1; 0 at the end; -errno. */
int spool_reader_next(struct spool_reader *reader) __attribute__((warn_unused_result));
void spool_reader_fini(struct spool_reader *reader);

/* Creates an unnamed temporary file in $TMPDIR or /tmp. Returns its descriptor or -errno. */
int spool_temporary(void) __attribute__((warn_unused_result));

#endif
