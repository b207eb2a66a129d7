/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SINK_H
#define CAPTURE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmatap/error.h>
#include <rdmatap/frame.h>

/* Where the bytes of a capture file go. After a failure everything more is given up. */
struct sink;

/* Creates the file `name`; "-" is standard output. Compressed: as gzip (RFC 1952). FAILED: *sink is NULL. */
enum rtap_status sink_open(struct sink **sink, const char *name, bool compressed, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* The name for messages. */
const char *sink_name(const struct sink *sink);

/* Bytes that the file has or will have by those taken so far; of a compressed file those that are compressed already. */
uint64_t sink_size(const struct sink *sink);

/* Gives a regular file to somebody; anything else stays whose it is. */
enum rtap_status sink_hand_over(struct sink *sink, uid_t user, gid_t group, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * Takes bytes; they may stay in a buffer. Unless a flush comes between, an uncompressed file is written in pieces of
 * 256 KiB, each at a multiple of that. FAILED: the file cannot be written; a regular, uncompressed file has been cut behind
 * the last whole unit that it took.
 */
enum rtap_status sink_write(struct sink *sink, const void *bytes, size_t length, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* The same, but long pieces are written from where they are: the batch that has them is held until then. */
enum rtap_status sink_lend(struct sink *sink, const void *bytes, size_t length, struct rtap_batch *batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* What was taken so far ends a unit (a record, a block): a file that gets full is cut there. */
void sink_mark(struct sink *sink);

/* Makes all bytes taken reach the file. */
enum rtap_status sink_flush(struct sink *sink, struct rtap_error *error) __attribute__((warn_unused_result));

/* Flushes, closes and frees. A failure that has been told is not told again. NULL is OK. */
enum rtap_status sink_close(struct sink *sink, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
