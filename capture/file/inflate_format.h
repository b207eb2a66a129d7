/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CAPTURE_FILE_INFLATE_FORMAT_H
#define CAPTURE_FILE_INFLATE_FORMAT_H

#include "capture/file/inflate.h"

/* A compression format; its functions do what those of struct inflater do, with the state from create(). */
struct inflate_format {
	void *(*create)(void);
	enum inflated (*run)(void *state, struct inflation *inflation, const char **reason);
	void (*restart)(void *state);
	void (*destroy)(void *state); /* not called with NULL */
	enum inflated (*finish)(void *state, struct inflation *inflation); /* NULL: nothing is left */
};

extern const struct inflate_format inflate_gzip, inflate_zstd, inflate_lz4;

#endif
