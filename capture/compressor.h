/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_COMPRESSOR_H
#define CAPTURE_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/compression.h"

#define COMPRESSOR_ROOM (256 * 1024) /* least room for the output of a step */

struct compressor;

enum compressor_mode {
	COMPRESSOR_BUFFER, /* output may be buffered */
	COMPRESSOR_FLUSH,  /* all bytes so far become readable in the output */
	COMPRESSOR_END,    /* end of the stream */
};

/* NULL: out of memory. */
struct compressor *compressor_create(enum compression compression);

/*
 * Compresses bytes from *from, of which there are *left; both are advanced. Writes at most `room` (COMPRESSOR_ROOM or more)
 * bytes to `to`; *made is their number. Returns 1: call again with the same mode and more room; 0: done; -1: out of memory.
 */
int compressor_run(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to,
		   size_t room, size_t *made);

/* After COMPRESSOR_END: begins another gzip member, Zstandard frame or LZ4 frame. False: it cannot. */
bool compressor_restart(struct compressor *compressor) __attribute__((warn_unused_result));

/* NULL is ignored. */
void compressor_destroy(struct compressor *compressor);

#endif
