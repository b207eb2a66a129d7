/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <lz4frame.h>

#include "capture/file/inflate_format.h"

#define FIRST_STEP 7 /* the shortest header of a frame */

struct lz4 {
	LZ4F_dctx *context;
	size_t step; /* bytes to the end of the block: data before an error is returned first */
};

static void *create(void)
{
	struct lz4 *lz4 = malloc(sizeof *lz4);

	if (!lz4)
		return NULL;
	lz4->step = FIRST_STEP;
	if (!LZ4F_isError(LZ4F_createDecompressionContext(&lz4->context, LZ4F_VERSION)))
		return lz4;
	free(lz4);
	return NULL;
}

static enum inflated run(void *inflater, struct inflation *inflation, const char **reason)
{
	static const char prefix[] = "ERROR_";
	struct lz4 *lz4 = inflater;
	size_t consumed = inflation->stored_length < lz4->step ? inflation->stored_length : lz4->step, made = inflation->room;
	size_t result = LZ4F_decompress(lz4->context, inflation->to, &made, inflation->stored, &consumed, NULL);

	if (LZ4F_isError(result)) {
		*reason = LZ4F_getErrorName(result);
		if (!strncmp(*reason, prefix, sizeof prefix - 1))
			*reason += sizeof prefix - 1;
		return strcmp(*reason, "allocation_failed") ? INFLATE_CORRUPT : INFLATE_NO_MEMORY;
	}
	inflation->stored += consumed;
	inflation->stored_length -= consumed;
	inflation->to += made;
	inflation->room -= made;
	lz4->step = result;
	return result ? INFLATED : INFLATED_MEMBER;
}

static void restart(void *inflater)
{
	struct lz4 *lz4 = inflater;

	LZ4F_resetDecompressionContext(lz4->context);
	lz4->step = FIRST_STEP;
}

static void destroy(void *inflater)
{
	struct lz4 *lz4 = inflater;

	LZ4F_freeDecompressionContext(lz4->context);
	free(lz4);
}

const struct inflate_format inflate_lz4 = { create, run, restart, destroy };
