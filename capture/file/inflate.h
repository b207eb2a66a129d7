/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inflating gzip members (RFC 1952): by ISA-L where it is there, which takes 40 % of zlib's time.
 */
#ifndef CAPTURE_FILE_INFLATE_H
#define CAPTURE_FILE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflater;

/* One step: from here to there. The four are moved on by what was used and made. */
struct inflation {
	const uint8_t *stored;
	size_t stored_length;
	uint8_t *to;
	size_t room;
};

enum inflated {
	INFLATED,        /* some; nothing at all if there are no more bytes to inflate or no room */
	INFLATED_MEMBER, /* to the member's end, and its checksum and length are right */
	INFLATE_CORRUPT,
	INFLATE_NO_MEMORY,
};

/* NULL: memory is out. It stands before a member's first byte. */
struct inflater *inflater_create(void);

/* Inflates on. *reason, of CORRUPT: what is wrong, or NULL. */
enum inflated inflater_run(struct inflater *inflater, struct inflation *inflation, const char **reason);

/* Another member begins. */
void inflater_restart(struct inflater *inflater);

/* NULL is ignored. */
void inflater_destroy(struct inflater *inflater);

#endif
