/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "capture/file/inflate_format.h"

struct inflater {
	const struct inflate_format *format;
	void *state;
};

static const struct inflate_format *const formats[] = {
	[COMPRESSION_GZIP] = &inflate_gzip,
#ifdef HAVE_ZSTD
	[COMPRESSION_ZSTD] = &inflate_zstd,
#endif
#ifdef HAVE_LZ4
	[COMPRESSION_LZ4] = &inflate_lz4,
#endif
};

struct inflater *inflater_create(enum compression compression)
{
	struct inflater *inflater = malloc(sizeof *inflater);

	if (!inflater)
		return NULL;
	inflater->format = formats[compression];
	inflater->state = inflater->format->create();
	if (inflater->state)
		return inflater;
	free(inflater);
	return NULL;
}

enum inflated inflater_run(struct inflater *inflater, struct inflation *inflation, const char **reason)
{
	*reason = NULL;
	return inflater->format->run(inflater->state, inflation, reason);
}

enum inflated inflater_finish(struct inflater *inflater, struct inflation *inflation)
{
	return inflater->format->finish ? inflater->format->finish(inflater->state, inflation) : INFLATED;
}

void inflater_restart(struct inflater *inflater)
{
	inflater->format->restart(inflater->state);
}

void inflater_destroy(struct inflater *inflater)
{
	if (!inflater)
		return;
	inflater->format->destroy(inflater->state);
	free(inflater);
}
