/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SINK_H
#define CAPTURE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdmatap/error.h>
#include <rdmatap/frame.h>

#include "capture/batch.h"
#include "capture/compression.h"

#define SINK_LEAST_LENT 512 /* minimum bytes written without a copy: copying fewer is cheaper */

/* Output of a capture file. After a failure all further bytes are discarded. */
struct sink;

/*
 * Creates the file `name`; "-" is standard output. A compressed file is compressed by several threads, unless it is flushed
 * often. FAILED: *sink is NULL.
 */
enum rtap_status sink_open(struct sink **sink, const char *name, enum compression compression, bool flushed_often, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* The name for messages. */
const char *sink_name(const struct sink *sink);

/* Size of the file including buffered bytes; of a compressed file, without the last bytes not yet compressed: always as many. */
uint64_t sink_size(const struct sink *sink);

/* Changes the owner of a regular file; the owner of other files is unchanged. */
enum rtap_status sink_hand_over(struct sink *sink, uid_t user, gid_t group, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Sets the mode of a regular file; that of other files is unchanged. */
enum rtap_status sink_set_mode(struct sink *sink, mode_t mode, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * Writes bytes, which may be buffered. Without flushes, an uncompressed file is written in blocks of 256 KiB at multiples of
 * that. FAILED: the file cannot be written; a regular, uncompressed file has been truncated after the last complete unit.
 */
enum rtap_status sink_write(struct sink *sink, const void *bytes, size_t length, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* The same, but long byte ranges are written without a copy: the batch with them is held until then. */
enum rtap_status sink_lend(struct sink *sink, const void *bytes, size_t length, struct rtap_batch *batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Returns whether `length` bytes of records can be written without a copy; if not, write them one by one. */
bool sink_takes_records(const struct sink *sink, size_t length);

/* Writes all records of a batch, each of them a unit, without a copy: the batch is held until they are written. */
enum rtap_status sink_lend_records(struct sink *sink, struct batch *batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Marks the end of a unit (a record, a block), after which the file is truncated if writing fails. */
void sink_mark(struct sink *sink);

/* Writes all buffered bytes to the file. */
enum rtap_status sink_flush(struct sink *sink, struct rtap_error *error) __attribute__((warn_unused_result));

/* Flushes, closes and frees. A failure already reported is not reported again. NULL is ignored: OK. */
enum rtap_status sink_close(struct sink *sink, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
