/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

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
static size_t compress(struct compressor *compressor, const uint8_t *from, size_t length, uint8_t *to)
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

TestSuite(compressor, .timeout = HANG_SECONDS);

/* Blocks of a file go to whichever thread is free: the file may not depend on which one that was. */
Test(compressor, one_that_was_used_compresses_as_a_new_one)
{
	static uint8_t first[200000], second[200000], by_new[MOST], by_used[MOST];

	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		for (uint32_t seed = 0; seed < 20; seed++) {
			struct compressor *new = compressor_create(formats[i]), *used = compressor_create(formats[i]);
			size_t length;

			fill(first, sizeof first, seed);
			fill(second, sizeof second, seed + 100);
			length = compress(new, second, sizeof second, by_new);
			(void)compress(used, first, sizeof first, by_used);
			cr_assert(compressor_restart(used));
			cr_assert_eq(compress(used, second, sizeof second, by_used), length, "format %zu, seed %u", i, seed);
			cr_assert(!memcmp(by_new, by_used, length), "format %zu, seed %u", i, seed);
			compressor_destroy(new);
			compressor_destroy(used);
		}
}
