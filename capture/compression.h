/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Formats of compressed files: gzip (RFC 1952), Zstandard (RFC 8878), LZ4 frames. Files read are recognised by content, files
 * written by name.
 */
#ifndef CAPTURE_COMPRESSION_H
#define CAPTURE_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD, COMPRESSION_LZ4 };

#define COMPRESSION_MAGIC 4 /* bytes needed to identify the format */

/* The format that begins with these bytes, of which there may be fewer than COMPRESSION_MAGIC. */
enum compression compression_of_bytes(const uint8_t *bytes, size_t length);

/* Whether a frame begins that a reader of Zstandard or LZ4 skips (RFC 8878, 3.1.2). */
bool compression_is_skippable(const uint8_t *bytes, size_t length);

/* The format selected by the suffix of a file name. *stem: length of the name without its suffix. */
enum compression compression_of_name(const char *name, size_t *stem);

/* The format's name in messages: "gzip". Not for COMPRESSION_NONE. */
const char *compression_name(enum compression compression);

/* NULL, or the library that this build lacks to read and write the format: "libzstd". */
const char *compression_lacks(enum compression compression);

#endif
