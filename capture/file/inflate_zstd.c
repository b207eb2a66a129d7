/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A frame whose window is larger than 128 MiB is refused: libzstd's limit. */
#include "config.h"

#include <stdlib.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "capture/file/inflate_format.h"

struct zstd {
	ZSTD_DStream *stream;
	size_t step; /* bytes to the end of the block: data before an error is returned first */
};

static void restart(void *inflater)
{
	struct zstd *zstd = inflater;

	zstd->step = ZSTD_initDStream(zstd->stream);
}

static void *create(void)
{
	struct zstd *zstd = malloc(sizeof *zstd);

	if (!zstd)
		return NULL;
	zstd->stream = ZSTD_createDStream();
	if (zstd->stream) {
		restart(zstd);
		return zstd;
	}
	free(zstd);
	return NULL;
}

static enum inflated corrupt(size_t result, const char **reason)
{
	switch (ZSTD_getErrorCode(result)) {
	case ZSTD_error_memory_allocation: return INFLATE_NO_MEMORY;
	case ZSTD_error_frameParameter_windowTooLarge: *reason = "its window is larger than 128 MiB"; break;
	default: *reason = ZSTD_getErrorName(result);
	}
	return INFLATE_CORRUPT;
}

static enum inflated run(void *inflater, struct inflation *inflation, const char **reason)
{
	struct zstd *zstd = inflater;
	ZSTD_inBuffer in = { inflation->stored, inflation->stored_length < zstd->step ? inflation->stored_length : zstd->step, 0 };
	ZSTD_outBuffer out = { inflation->to, inflation->room, 0 };
	size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);

	if (ZSTD_isError(result))
		return corrupt(result, reason);
	inflation->stored += in.pos;
	inflation->stored_length -= in.pos;
	inflation->to += out.pos;
	inflation->room -= out.pos;
	zstd->step = result;
	return result ? INFLATED : INFLATED_MEMBER;
}

static void destroy(void *inflater)
{
	struct zstd *zstd = inflater;

	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

const struct inflate_format inflate_zstd = { create, run, restart, destroy, NULL };
