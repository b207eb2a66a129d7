/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <zlib.h>

#include "capture/compressor.h"

#define MOST (1 << 20)

static const enum compression formats[] = {
	COMPRESSION_GZIP,
#ifdef HAVE_ZSTD
	COMPRESSION_ZSTD,
#endif
#ifdef HAVE_LZ4
	COMPRESSION_LZ4,
#endif
};

/* Repeats itself as packets do: records of 100 bytes, of which some differ. */
static void fill(uint8_t *bytes, size_t length, uint32_t seed)
{
	for (size_t i = 0; i < length; i++) {
		if (i % 100 == 0)
			seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(i % 100 < 20 ? seed >> i % 24 : i % 100);
	}
}

/* Length of the result. */
static size_t compress_all(struct compressor *compressor, const uint8_t *from, size_t length, uint8_t *to)
{
	size_t done = 0, made;
	int more;

	do {
		cr_assert_geq(MOST - done, (size_t)COMPRESSOR_ROOM);
		more = compressor_run(compressor, COMPRESSOR_END, &from, &length, to + done, MOST - done, &made);
		cr_assert_geq(more, 0);
		done += made;
	} while (more);
	return done;
}

static void expect_gzip_of(const uint8_t *file, size_t length, const uint8_t *content, size_t content_length)
{
	static uint8_t found[MOST];
	z_stream stream = { .next_in = (uint8_t *)(uintptr_t)file, .avail_in = (uInt)length, .next_out = found, .avail_out = sizeof found };

	cr_assert_eq(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
	cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	cr_assert_eq(stream.avail_in, 0);
	cr_assert_eq(stream.total_out, content_length);
	cr_assert(!memcmp(found, content, content_length));
	inflateEnd(&stream);
}

TestSuite(compressor, .timeout = HANG_SECONDS);

/*
 * Blocks of a file go to whichever thread is free: the file may not depend on which one that was. With ISA-L it can, in its form only: of two
 * new compressors, in 1 of some 100 processes, one saves a byte of a block by where its memory is.
 */
Test(compressor, one_that_was_used_compresses_as_a_new_one)
{
	static uint8_t first[200000], second[200000], by_new[MOST], by_used[MOST];

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		for (uint32_t seed = 0; seed < 20; seed++) {
			struct compressor *new = compressor_create(formats[i]), *used = compressor_create(formats[i]);
			size_t length, used_length;

			fill(first, sizeof first, seed);
			fill(second, sizeof second, seed + 100);
			length = compress_all(new, second, sizeof second, by_new);
			(void)compress_all(used, first, sizeof first, by_used);
			cr_assert(compressor_restart(used));
			used_length = compress_all(used, second, sizeof second, by_used);
			if (formats[i] == COMPRESSION_GZIP) {
				expect_gzip_of(by_new, length, second, sizeof second);
				expect_gzip_of(by_used, used_length, second, sizeof second);
			} else {
				cr_assert_eq(used_length, length, "format %zu, seed %u", i, seed);
				cr_assert(!memcmp(by_new, by_used, length), "format %zu, seed %u", i, seed);
			}
			compressor_destroy(new);
			compressor_destroy(used);
		}
}
