/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_SINK_H
#define CAPTURE_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include <rdmatap/error.h>

/* Where the bytes of a capture file go. After a failure everything more is given up. */
struct sink;

/* Creates the file `name`; "-" is standard output. Compressed: as gzip (RFC 1952). FAILED: *sink is NULL. */
enum rtap_status sink_open(struct sink **sink, const char *name, bool compressed, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* The name for messages. */
const char *sink_name(const struct sink *sink);

/* Takes bytes; they may stay in a buffer. */
enum rtap_status sink_write(struct sink *sink, const void *bytes, size_t length, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Makes all bytes taken reach the file. */
enum rtap_status sink_flush(struct sink *sink, struct rtap_error *error) __attribute__((warn_unused_result));

/* Flushes, closes and frees. A failure that has been told is not told again. NULL is OK. */
enum rtap_status sink_close(struct sink *sink, struct rtap_error *error) __attribute__((warn_unused_result));

#endif
