/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LZ4 frames. The library inflates whole blocks only, which have up to 4 MiB; of one that the end of the file cuts off, this file inflates
 * what there is. So it follows the frame's structure and keeps the block that is incomplete, and with linked blocks the bytes that it refers to.
 * LZ4 Frame Format Description 1.6.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <lz4.h>
#include <lz4frame.h>

#include "base/array.h"
#include "capture/file/inflate_format.h"

#define HEADER_LEAST 7       /* bytes of the shortest header of a frame */
#define HEADER_SIZED 5       /* those from which its length is known */
#define SKIPPABLE_HEADER 8   /* bytes of that of a skippable frame, which other headers do not have */
#define FLAGS_AT 4           /* of the header */
#define FLAG_INDEPENDENT 0x20
#define FLAG_BLOCK_CHECKSUM 0x10
#define SIZE_LENGTH 4        /* bytes of the size before a block */
#define SIZE_STORED 0x80000000u /* in the size: the block is not compressed */
#define CHECKSUM_LENGTH 4
#define WINDOW 65536         /* bytes before it that a linked block refers to */
#define OFFSET_LENGTH 2      /* bytes of the offset of a match */
#define FILL 14              /* literals, the most whose number fits into a token */
#define LENGTH_GOES_ON 0xff  /* a byte of a length that others follow */

/* What the next bytes of a frame are. UNIT_REST: skippable, or after the last block. */
enum unit { UNIT_HEADER, UNIT_SIZE, UNIT_BLOCK, UNIT_REST };

struct lz4 {
	LZ4F_dctx *context;
	size_t step;             /* bytes to the end of the block: data before an error is returned first */
	enum unit unit;
	size_t unit_length;
	uint32_t block_size;     /* bytes of the block without its checksum */
	size_t block_most;       /* bytes that a block has inflated, at most */
	bool is_linked, has_checksums;
	uint8_t *kept;           /* the unit so far */
	size_t kept_count, kept_room;
	uint8_t *past;           /* is_linked: up to 2 * WINDOW bytes inflated last; NULL: none yet */
	size_t past_count;
	uint8_t *rest;           /* what was inflated of the block that is cut off; NULL: nothing */
	size_t rest_begin, rest_end;
	bool is_finished;
};

static void begin_frame(struct lz4 *lz4)
{
	lz4->step = HEADER_LEAST;
	lz4->unit = UNIT_HEADER;
	lz4->unit_length = HEADER_SIZED;
	lz4->kept_count = lz4->past_count = 0;
}

static void *create(void)
{
	struct lz4 *lz4 = calloc(1, sizeof *lz4);

	if (!lz4)
		return NULL;
	begin_frame(lz4);
	if (!LZ4F_isError(LZ4F_createDecompressionContext(&lz4->context, LZ4F_VERSION)))
		return lz4;
	free(lz4);
	return NULL;
}

static uint32_t little32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void begin_unit(struct lz4 *lz4, enum unit unit, size_t length)
{
	lz4->unit = unit;
	lz4->unit_length = length;
	lz4->kept_count = 0;
}

static void end_header(struct lz4 *lz4, const uint8_t *bytes)
{
	static const size_t most[] = { 64 << 10, 256 << 10, 1 << 20, 4 << 20 }; /* of the numbers 4 to 7 */
	unsigned number = bytes[FLAGS_AT + 1] >> 4 & 7;

	lz4->is_linked = !(bytes[FLAGS_AT] & FLAG_INDEPENDENT);
	lz4->has_checksums = bytes[FLAGS_AT] & FLAG_BLOCK_CHECKSUM;
	lz4->block_most = number >= 4 ? most[number - 4] : 0;
	begin_unit(lz4, UNIT_SIZE, SIZE_LENGTH);
}

/* The unit is complete. LZ4F checks the values. */
static void end_unit(struct lz4 *lz4, const uint8_t *bytes)
{
	size_t length;

	switch (lz4->unit) {
	case UNIT_HEADER:
		length = LZ4F_headerSize(bytes, lz4->unit_length);
		if (LZ4F_isError(length) || length == SKIPPABLE_HEADER) {
			begin_unit(lz4, UNIT_REST, 0);
		} else if (lz4->unit_length < length) {
			lz4->unit_length = length;
		} else {
			end_header(lz4, bytes);
		}
		break;
	case UNIT_SIZE:
		lz4->block_size = little32(bytes);
		if (lz4->block_size)
			begin_unit(lz4, UNIT_BLOCK, (lz4->block_size & ~SIZE_STORED) + (lz4->has_checksums ? CHECKSUM_LENGTH : 0u));
		else
			begin_unit(lz4, UNIT_REST, 0);
		break;
	default:
		begin_unit(lz4, UNIT_SIZE, SIZE_LENGTH);
		break;
	}
}

/* False: out of memory. */
static bool keep(struct lz4 *lz4, const uint8_t *bytes, size_t length)
{
	uint8_t *kept;

	if (!length)
		return true;
	kept = array_grow(lz4->kept, &lz4->kept_room, lz4->kept_count + length, 1);

	if (!kept)
		return false;
	lz4->kept = kept;
	memcpy(kept + lz4->kept_count, bytes, length);
	lz4->kept_count += length;
	return true;
}

/* Follows what the library has consumed. Keeps no block that arrives at once. False: out of memory. */
static bool follow(struct lz4 *lz4, const uint8_t *bytes, size_t length)
{
	while (length && lz4->unit != UNIT_REST) {
		size_t lacks = lz4->unit_length - lz4->kept_count, taken = length < lacks ? length : lacks;

		if (lz4->unit == UNIT_BLOCK && taken == lz4->unit_length)
			end_unit(lz4, bytes);
		else if (!keep(lz4, bytes, taken))
			return false;
		else if (taken == lacks)
			end_unit(lz4, lz4->kept);
		bytes += taken;
		length -= taken;
	}
	return true;
}

/* Keeps what later blocks can refer to. False: out of memory. */
static bool note_made(struct lz4 *lz4, const uint8_t *bytes, size_t length)
{
	if (!lz4->is_linked || !length)
		return true;
	if (!lz4->past)
		lz4->past = malloc(2 * WINDOW);
	if (!lz4->past)
		return false;
	if (length > WINDOW) {
		bytes += length - WINDOW;
		length = WINDOW;
	}
	if (length > 2 * WINDOW - lz4->past_count) {
		memmove(lz4->past, lz4->past + lz4->past_count - WINDOW, WINDOW);
		lz4->past_count = WINDOW;
	}
	memcpy(lz4->past + lz4->past_count, bytes, length);
	lz4->past_count += length;
	return true;
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
	if (!follow(lz4, inflation->stored, consumed) || !note_made(lz4, inflation->to, made))
		return INFLATE_NO_MEMORY;
	inflation->stored += consumed;
	inflation->stored_length -= consumed;
	inflation->to += made;
	inflation->room -= made;
	lz4->step = result;
	return result ? INFLATED : INFLATED_MEMBER;
}

/* Takes a length, which goes on after `nibble` if that is 15. LZ4 Block Format Description. False: it is cut off. */
static bool take_length(const uint8_t *bytes, size_t count, size_t *at, unsigned nibble, size_t *length)
{
	uint8_t more = LENGTH_GOES_ON;

	*length = nibble;
	if (nibble < 15)
		return true;
	for (; more == LENGTH_GOES_ON; *length += more) {
		if (*at == count)
			return false;
		more = bytes[(*at)++];
	}
	return true;
}

/* What there is of a block that is cut off: its last whole match, and the literals after it. */
struct cut_block {
	size_t match_end;
	size_t literals, literal_count;
};

static struct cut_block find_end(const uint8_t *bytes, size_t count)
{
	struct cut_block cut = { 0 };
	size_t at = 0, length;

	while (at < count) {
		unsigned token = bytes[at++];

		if (!take_length(bytes, count, &at, token >> 4, &length))
			break;
		cut.literals = at;
		cut.literal_count = length < count - at ? length : count - at;
		at += cut.literal_count;
		if (count - at < OFFSET_LENGTH)
			break;
		at += OFFSET_LENGTH;
		if (!take_length(bytes, count, &at, token & 15, &length))
			break;
		cut = (struct cut_block){ .match_end = at };
	}
	return cut;
}

/* Inflates a block up to the end of a match into `rest`; the library wants literals after that. False: out of memory. */
static bool inflate_matches(struct lz4 *lz4, size_t end)
{
	size_t past = lz4->past_count < WINDOW ? lz4->past_count : WINDOW;
	const char *window = lz4->past ? (const char *)lz4->past + lz4->past_count - past : NULL;
	char *block = calloc(1, end + 1 + FILL);
	int room = (int)lz4->block_most + FILL, made;

	if (!block)
		return false;
	memcpy(block, lz4->kept, end);
	block[end] = (char)(FILL << 4);
	made = LZ4_decompress_safe_partial_usingDict(block, (char *)lz4->rest, (int)end + 1 + FILL, room, room, window, (int)past);
	free(block);
	lz4->rest_end = made > FILL ? (size_t)made - FILL : 0;
	return true;
}

/* Inflates a block that is cut off as far as possible. False: out of memory. */
static bool inflate_rest(struct lz4 *lz4)
{
	struct cut_block cut;

	if (lz4->unit != UNIT_BLOCK || lz4->block_size & SIZE_STORED)
		return true;
	cut = find_end(lz4->kept, lz4->kept_count < lz4->block_size ? lz4->kept_count : lz4->block_size);
	lz4->rest = malloc(lz4->block_most + FILL);
	if (!lz4->rest || (cut.match_end && !inflate_matches(lz4, cut.match_end)))
		return false;
	/* of a corrupt block nothing can be used */
	if ((cut.match_end && !lz4->rest_end) || cut.literal_count > lz4->block_most + FILL - lz4->rest_end)
		return true;
	if (cut.literal_count)
		memcpy(lz4->rest + lz4->rest_end, lz4->kept + cut.literals, cut.literal_count);
	lz4->rest_end += cut.literal_count;
	return true;
}

static enum inflated finish(void *inflater, struct inflation *inflation)
{
	struct lz4 *lz4 = inflater;
	size_t length;

	if (!lz4->is_finished && !inflate_rest(lz4))
		return INFLATE_NO_MEMORY;
	lz4->is_finished = true;
	length = lz4->rest_end - lz4->rest_begin;
	if (length > inflation->room)
		length = inflation->room;
	if (length)
		memcpy(inflation->to, lz4->rest + lz4->rest_begin, length);
	lz4->rest_begin += length;
	inflation->to += length;
	inflation->room -= length;
	return INFLATED;
}

static void restart(void *inflater)
{
	struct lz4 *lz4 = inflater;

	LZ4F_resetDecompressionContext(lz4->context);
	begin_frame(lz4);
}

static void destroy(void *inflater)
{
	struct lz4 *lz4 = inflater;

	LZ4F_freeDecompressionContext(lz4->context);
	free(lz4->kept);
	free(lz4->past);
	free(lz4->rest);
	free(lz4);
}

const struct inflate_format inflate_lz4 = { create, run, restart, destroy, finish };
