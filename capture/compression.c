/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "capture/compression.h"

#ifdef HAVE_ZSTD
#define NO_ZSTD NULL
#else
#define NO_ZSTD "libzstd"
#endif
#ifdef HAVE_LZ4
#define NO_LZ4 NULL
#else
#define NO_LZ4 "liblz4"
#endif

static const struct format {
	const char *name, *suffix, *lacks;
	uint8_t magic[COMPRESSION_MAGIC], magic_length;
} formats[] = {
	[COMPRESSION_GZIP] = { "gzip", ".gz", NULL, { 0x1f, 0x8b, 8 }, 3 }, /* RFC 1952, 2.3.1: ID1, ID2, CM deflate */
	[COMPRESSION_ZSTD] = { "zstd", ".zst", NO_ZSTD, { 0x28, 0xb5, 0x2f, 0xfd }, 4 }, /* RFC 8878, 3.1.1 */
	[COMPRESSION_LZ4] = { "lz4", ".lz4", NO_LZ4, { 0x04, 0x22, 0x4d, 0x18 }, 4 },
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

bool compression_is_skippable(const uint8_t *bytes, size_t length)
{
	return length >= 4 && (bytes[0] & 0xf0) == 0x50 && bytes[1] == 0x2a && bytes[2] == 0x4d && bytes[3] == 0x18;
}

enum compression compression_of_bytes(const uint8_t *bytes, size_t length)
{
	for (size_t i = COMPRESSION_NONE + 1; i < FORMAT_COUNT; i++)
		if (length >= formats[i].magic_length && !memcmp(bytes, formats[i].magic, formats[i].magic_length))
			return (enum compression)i;
	/* Programs that compress in parallel begin with a skippable frame. */
	return compression_is_skippable(bytes, length) ? COMPRESSION_ZSTD : COMPRESSION_NONE;
}

enum compression compression_of_name(const char *name, size_t *stem)
{
	size_t length = strlen(name);

	for (size_t i = COMPRESSION_NONE + 1; i < FORMAT_COUNT; i++) {
		size_t suffix = strlen(formats[i].suffix);

		if (length >= suffix && !strcmp(name + length - suffix, formats[i].suffix)) {
			*stem = length - suffix;
			return (enum compression)i;
		}
	}
	*stem = length;
	return COMPRESSION_NONE;
}

const char *compression_name(enum compression compression)
{
	return formats[compression].name;
}

const char *compression_lacks(enum compression compression)
{
	return formats[compression].lacks;
}
