/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_FILE_STREAM_H
#define CAPTURE_FILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmatap/error.h>

/* The bytes of one input, inflated if its content is compressed (capture/compression.h). */
struct stream;

/*
 * Opens the file `name`; "-" is standard input. Nothing is read yet. FAILED: *stream is NULL; *reason does not include
 * the file's name.
 */
enum rtap_status stream_open(struct stream **stream, const char *name, struct rtap_error *reason)
	__attribute__((warn_unused_result));

/*
 * Reads from memory, which is borrowed for the stream's lifetime, `step` stored bytes at a time (0: as many as fit), like a
 * pipe.
 */
enum rtap_status stream_open_memory(struct stream **stream, const uint8_t *bytes, size_t size, size_t step,
				    struct rtap_error *reason) __attribute__((warn_unused_result));

/* Bytes of a file. */
struct stream_span {
	uint64_t begin, length;
};

/* Parts of a file that are read as if they were one after another. They, and the owner, are borrowed for the stream's lifetime. */
struct stream_spans {
	const struct stream_span *spans;
	size_t count;
	/* Reads at most `room` bytes (at least 1) at an offset of the file: their number, 0 at the end of the file, or a negative errno. */
	ssize_t (*read_at)(void *owner, uint64_t offset, uint8_t *to, size_t room);
	void *owner;
};

enum rtap_status stream_open_spans(struct stream **stream, const struct stream_spans *spans, struct rtap_error *reason)
	__attribute__((warn_unused_result));

/*
 * Reads at least one and at most `room` bytes (`room` is not 0), without waiting for more than have arrived; *got is their
 * number. OK with *got 0: a signal handler, installed without SA_RESTART, interrupted the wait. END: end of input. BROKEN:
 * an error in the input, after all bytes before it were returned; *reason does not include the file's name.
 */
enum rtap_status stream_read(struct stream *stream, uint8_t *to, size_t room, size_t *got, struct rtap_error *reason)
	__attribute__((warn_unused_result));

/* Returns whether the content is compressed. Valid after a successful read. */
bool stream_is_compressed(const struct stream *stream);

/* Bytes read so far, as stored, and in total; the total is 0 if unknown. */
uint64_t stream_bytes_read(const struct stream *stream);
uint64_t stream_bytes_total(const struct stream *stream);

/* Closes and frees. NULL is ignored. */
void stream_close(struct stream *stream);

#endif
