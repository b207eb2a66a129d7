/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LZ4
#include <lz4frame.h>
#endif

#include "capture/compressor.h"

/* Captures are compressed while they are made: the levels are those that take the least time for most of the effect. */
#define GZIP_LEVEL 1
#define GZIP_WINDOW (15 + 16) /* zlib: the largest window, gzip's header and trailer */
#define GZIP_MEMORY 8         /* zlib's default */
#define ZSTD_LEVEL 1
#define LZ4_STEP (64 * 1024)  /* bytes compressed at a time: their largest output fits COMPRESSOR_ROOM */

struct compressor {
	enum compression compression;
#ifdef HAVE_ISAL
	struct isal_zstream gzip;
	uint8_t *gzip_memory;
#else
	z_stream gzip;
#endif
#ifdef HAVE_ZSTD
	ZSTD_CCtx *zstd;
#endif
#ifdef HAVE_LZ4
	LZ4F_cctx *lz4;
	bool lz4_begun;
#endif
};

#ifdef HAVE_ISAL

static bool gzip_begin(struct compressor *compressor)
{
	struct isal_zstream *gzip = &compressor->gzip;

	compressor->gzip_memory = malloc(ISAL_DEF_LVL1_DEFAULT);
	isal_deflate_init(gzip);
	gzip->level = GZIP_LEVEL;
	gzip->level_buf = compressor->gzip_memory;
	gzip->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
	gzip->gzip_flag = IGZIP_GZIP;
	return compressor->gzip_memory;
}

static bool gzip_restart(struct compressor *compressor)
{
	isal_deflate_reset(&compressor->gzip);
	compressor->gzip.gzip_flag = IGZIP_GZIP;
	return true;
}

static int gzip_run(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to,
		    size_t room, size_t *made)
{
	struct isal_zstream *gzip = &compressor->gzip;

	gzip->next_in = (uint8_t *)(uintptr_t)*from;
	gzip->avail_in = (uint32_t)*left;
	gzip->next_out = to;
	gzip->avail_out = (uint32_t)room;
	gzip->end_of_stream = mode == COMPRESSOR_END;
	gzip->flush = mode == COMPRESSOR_FLUSH ? SYNC_FLUSH : NO_FLUSH;
	if (isal_deflate(gzip) != COMP_OK)
		return -1;
	*from += *left - gzip->avail_in;
	*left = gzip->avail_in;
	*made = room - gzip->avail_out;
	return mode == COMPRESSOR_END ? gzip->internal_state.state != ZSTATE_END : !gzip->avail_out;
}

static void gzip_end(struct compressor *compressor)
{
	free(compressor->gzip_memory);
}

#else

static bool gzip_begin(struct compressor *compressor)
{
	return deflateInit2(&compressor->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
}

static bool gzip_restart(struct compressor *compressor)
{
	return deflateReset(&compressor->gzip) == Z_OK;
}

static int gzip_run(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to,
		    size_t room, size_t *made)
{
	static const int modes[] = { [COMPRESSOR_BUFFER] = Z_NO_FLUSH, [COMPRESSOR_FLUSH] = Z_SYNC_FLUSH, [COMPRESSOR_END] = Z_FINISH };
	z_stream *gzip = &compressor->gzip;

	gzip->next_in = (uint8_t *)(uintptr_t)*from;
	gzip->avail_in = (uInt)*left;
	gzip->next_out = to;
	gzip->avail_out = (uInt)room;
	deflate(gzip, modes[mode]);
	*from += *left - gzip->avail_in;
	*left = gzip->avail_in;
	*made = room - gzip->avail_out;
	return !gzip->avail_out;
}

static void gzip_end(struct compressor *compressor)
{
	deflateEnd(&compressor->gzip);
}

#endif
#ifdef HAVE_ZSTD

static bool zstd_begin(struct compressor *compressor)
{
	compressor->zstd = ZSTD_createCCtx();
	return compressor->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(compressor->zstd, ZSTD_c_checksumFlag, 1)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(compressor->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL));
}

static bool zstd_restart(struct compressor *compressor)
{
	return !ZSTD_isError(ZSTD_CCtx_reset(compressor->zstd, ZSTD_reset_session_only));
}

static int zstd_run(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to,
		    size_t room, size_t *made)
{
	static const ZSTD_EndDirective modes[] = {
		[COMPRESSOR_BUFFER] = ZSTD_e_continue, [COMPRESSOR_FLUSH] = ZSTD_e_flush, [COMPRESSOR_END] = ZSTD_e_end,
	};
	ZSTD_inBuffer in = { *from, *left, 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t result = ZSTD_compressStream2(compressor->zstd, &out, &in, modes[mode]);

	*from += in.pos;
	*left -= in.pos;
	*made = out.pos;
	if (ZSTD_isError(result))
		return -1;
	return mode == COMPRESSOR_BUFFER ? *left > 0 : result > 0;
}

#endif
#ifdef HAVE_LZ4

static bool lz4_begin(struct compressor *compressor)
{
	return !LZ4F_isError(LZ4F_createCompressionContext(&compressor->lz4, LZ4F_VERSION));
}

/* A context used before finds other matches in the first block than a new one does: which worker had it must not matter. */
static bool lz4_restart(struct compressor *compressor)
{
	LZ4F_freeCompressionContext(compressor->lz4);
	compressor->lz4 = NULL;
	compressor->lz4_begun = false;
	return lz4_begin(compressor);
}

static void lz4_add(size_t result, size_t *made, bool *failed)
{
	*failed = *failed || LZ4F_isError(result);
	*made += *failed ? 0 : result;
}

static int lz4_run(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to,
		   size_t room, size_t *made)
{
	const LZ4F_preferences_t preferences = { .frameInfo = { .blockSizeID = LZ4F_max64KB,
								.contentChecksumFlag = LZ4F_contentChecksumEnabled } };
	size_t step = *left < LZ4_STEP ? *left : LZ4_STEP;
	bool failed = false;

	*made = 0;
	if (!compressor->lz4_begun) {
		lz4_add(LZ4F_compressBegin(compressor->lz4, to, room, &preferences), made, &failed);
		compressor->lz4_begun = true;
	}
	if (!failed && step)
		lz4_add(LZ4F_compressUpdate(compressor->lz4, to + *made, room - *made, *from, step, NULL), made, &failed);
	*from += step;
	*left -= step;
	if (!failed && !*left && mode == COMPRESSOR_FLUSH)
		lz4_add(LZ4F_flush(compressor->lz4, to + *made, room - *made, NULL), made, &failed);
	if (!failed && !*left && mode == COMPRESSOR_END)
		lz4_add(LZ4F_compressEnd(compressor->lz4, to + *made, room - *made, NULL), made, &failed);
	return failed ? -1 : *left > 0;
}

#endif

static const struct {
	bool (*begin)(struct compressor *compressor);
	bool (*restart)(struct compressor *compressor);
	int (*run)(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to, size_t room,
		   size_t *made);
} formats[] = {
	[COMPRESSION_GZIP] = { gzip_begin, gzip_restart, gzip_run },
#ifdef HAVE_ZSTD
	[COMPRESSION_ZSTD] = { zstd_begin, zstd_restart, zstd_run },
#endif
#ifdef HAVE_LZ4
	[COMPRESSION_LZ4] = { lz4_begin, lz4_restart, lz4_run },
#endif
};

struct compressor *compressor_create(enum compression compression)
{
	struct compressor *compressor = calloc(1, sizeof *compressor);

	if (!compressor)
		return NULL;
	compressor->compression = compression;
	if (formats[compression].begin(compressor))
		return compressor;
	compressor_destroy(compressor);
	return NULL;
}

int compressor_run(struct compressor *compressor, enum compressor_mode mode, const uint8_t **from, size_t *left, uint8_t *to,
		   size_t room, size_t *made)
{
	return formats[compressor->compression].run(compressor, mode, from, left, to, room, made);
}

bool compressor_restart(struct compressor *compressor)
{
	return formats[compressor->compression].restart(compressor);
}

void compressor_destroy(struct compressor *compressor)
{
	if (!compressor)
		return;
	if (compressor->compression == COMPRESSION_GZIP)
		gzip_end(compressor);
#ifdef HAVE_ZSTD
	ZSTD_freeCCtx(compressor->zstd);
#endif
#ifdef HAVE_LZ4
	LZ4F_freeCompressionContext(compressor->lz4);
#endif
	free(compressor);
}
