/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inflating compressed files, which are a series of members: gzip members (with ISA-L if available, which takes 40 % of zlib's
 * time), or frames of Zstandard and LZ4.
 */
#ifndef CAPTURE_FILE_INFLATE_H
#define CAPTURE_FILE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/compression.h"

struct inflater;

/* Input and output of one step. All four members are advanced past the bytes consumed and produced. */
struct inflation {
	const uint8_t *stored;
	size_t stored_length;
	uint8_t *to;
	size_t room;
};

enum inflated {
	INFLATED,        /* progress; none if there is no more input or no room */
	INFLATED_MEMBER, /* the end of the member, with correct checksum and length where it has them */
	INFLATE_CORRUPT,
	INFLATE_NO_MEMORY,
};

/* Starts before a member's first byte. Only for formats that this build reads (compression_lacks()). NULL: out of memory. */
struct inflater *inflater_create(enum compression compression);

/* Continues to inflate. *reason, with CORRUPT: a description of the error, or NULL. */
enum inflated inflater_run(struct inflater *inflater, struct inflation *inflation, const char **reason);

/*
 * After the last byte of a member that is cut off: produces what is left of it; no progress: nothing more. Neither CORRUPT nor MEMBER.
 */
enum inflated inflater_finish(struct inflater *inflater, struct inflation *inflation);

/* Starts the next member. */
void inflater_restart(struct inflater *inflater);

/* NULL is ignored. */
void inflater_destroy(struct inflater *inflater);

#endif
