/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "capture/file/inflate_format.h"

/* Both libraries count in 32 bits. */
static uint32_t part_of(size_t length)
{
	return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
}

#ifdef HAVE_ISAL

static void *create(void)
{
	struct inflate_state *state = malloc(sizeof *state);

	if (!state)
		return NULL;
	isal_inflate_init(state);
	state->crc_flag = ISAL_GZIP;
	return state;
}

static const char *reason_of(int result)
{
	switch (result) {
	case ISAL_INVALID_BLOCK: return "invalid block";
	case ISAL_INVALID_SYMBOL: return "invalid symbol";
	case ISAL_INVALID_LOOKBACK: return "invalid distance";
	case ISAL_INVALID_WRAPPER: return "invalid header";
	case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM: return "wrong checksum";
	default: return NULL;
	}
}

static enum inflated run(void *inflater, struct inflation *inflation, const char **reason)
{
	struct inflate_state *state = inflater;
	uint32_t offered = part_of(inflation->stored_length), room = part_of(inflation->room);
	int result;

	state->next_in = (uint8_t *)(uintptr_t)inflation->stored;
	state->avail_in = offered;
	state->next_out = inflation->to;
	state->avail_out = room;
	result = isal_inflate(state);
#ifdef __x86_64__
	/* as in crc32c.c: ISA-L's AVX-512 code leaves SSE code after it slow */
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper");
#endif
	inflation->stored += offered - state->avail_in;
	inflation->stored_length -= offered - state->avail_in;
	inflation->to += room - state->avail_out;
	inflation->room -= room - state->avail_out;
	*reason = reason_of(result);
	if (result < 0)
		return INFLATE_CORRUPT;
	return state->block_state == ISAL_BLOCK_FINISH ? INFLATED_MEMBER : INFLATED;
}

static void restart(void *inflater)
{
	struct inflate_state *state = inflater;

	isal_inflate_reset(state);
	state->crc_flag = ISAL_GZIP;
}

static void destroy(void *inflater)
{
	free(inflater);
}

#else

#define GZIP_WINDOW (15 + 16) /* zlib: the largest window, gzip's header and trailer */

static void *create(void)
{
	z_stream *zlib = calloc(1, sizeof *zlib);

	if (zlib && inflateInit2(zlib, GZIP_WINDOW) != Z_OK) {
		free(zlib);
		return NULL;
	}
	return zlib;
}

static enum inflated run(void *inflater, struct inflation *inflation, const char **reason)
{
	z_stream *zlib = inflater;
	uint32_t offered = part_of(inflation->stored_length), room = part_of(inflation->room);
	int result;

	zlib->next_in = (uint8_t *)(uintptr_t)inflation->stored;
	zlib->avail_in = offered;
	zlib->next_out = inflation->to;
	zlib->avail_out = room;
	result = inflate(zlib, Z_NO_FLUSH);
	inflation->stored += offered - zlib->avail_in;
	inflation->stored_length -= offered - zlib->avail_in;
	inflation->to += room - zlib->avail_out;
	inflation->room -= room - zlib->avail_out;
	*reason = zlib->msg;
	switch (result) {
	case Z_STREAM_END: return INFLATED_MEMBER;
	case Z_OK:
	case Z_BUF_ERROR: return INFLATED;
	case Z_MEM_ERROR: return INFLATE_NO_MEMORY;
	default: return INFLATE_CORRUPT;
	}
}

static void restart(void *inflater)
{
	inflateReset(inflater);
}

static void destroy(void *inflater)
{
	inflateEnd(inflater);
	free(inflater);
}

#endif

const struct inflate_format inflate_gzip = { create, run, restart, destroy, NULL };
