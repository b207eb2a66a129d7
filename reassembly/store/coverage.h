/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which bytes of a message are there: disjoint runs in order of position, each with the CRC-32 of its bytes if that is
 * wanted and known, and the bytes themselves if those are. What came first counts; later copies change nothing.
 *
 * Bytes are kept of every run or of none: a piece added without its bytes drops those that are kept, and where runs have
 * none, none are kept any more. coverage_bytes() is how to read them.
 */
#ifndef REASSEMBLY_STORE_COVERAGE_H
#define REASSEMBLY_STORE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coverage_run {
	uint64_t begin, end; /* positions; end is behind the last byte */
	uint32_t crc;        /* valid with crc_known */
	bool crc_known;
};

/* All zero covers nothing. Nearly always there is one run, which needs no memory of its own. */
struct coverage {
	struct coverage_run one;   /* while `many` is NULL and count is 1 */
	struct coverage_run *many;
	uint32_t count, room;
	uint64_t total;            /* bytes covered */
	uint8_t *bytes;            /* of all runs, from position `origin` on; holes hold anything. NULL: not kept */
	uint64_t origin;
	size_t bytes_room;
	uint32_t join_length, join_operator; /* zlib's operator for appending pieces of that length */
};

enum coverage_keep { COVERAGE_ONLY = 0, COVERAGE_CRC = 1, COVERAGE_BYTES = 2 };

/*
 * Covers `length` bytes from `position`. `bytes` may be NULL: they are not kept then. `crc` is their CRC-32 if `keep` (enum coverage_keep,
 * or'ed) asks for it; of a part of them that alone is new it is known only with `bytes`. *fresh is how many of them were not there before.
 * False: memory is out or the position cannot be; what was added before stays.
 */
bool coverage_add(struct coverage *coverage, uint64_t position, const uint8_t *bytes, uint64_t length, uint32_t crc,
		  unsigned keep, uint64_t *fresh) __attribute__((warn_unused_result));

/* CRC-32 of bytes. */
uint32_t coverage_crc(const uint8_t *bytes, uint64_t length);

/* Appends the CRC-32 of `length` bytes that are `next` to that of the only run. */
void coverage_join_crc(struct coverage *coverage, uint32_t next, uint64_t length);

/*
 * As coverage_add(), of bytes that come right behind the only run, or are the first, as most do, and are not to be kept
 * themselves. False: it is another case, and nothing has changed.
 */
static inline bool coverage_append(struct coverage *coverage, uint64_t position, uint64_t length, uint32_t crc, unsigned keep)
{
	struct coverage_run *run = &coverage->one;

	if (coverage->many || coverage->bytes || keep & COVERAGE_BYTES || !length)
		return false;
	if (!coverage->count) {
		*run = (struct coverage_run){ position, position + length, crc, keep & COVERAGE_CRC };
		coverage->count = 1;
	} else if (run->end == position) {
		if (keep & COVERAGE_CRC)
			coverage_join_crc(coverage, crc, length);
		else
			run->crc_known = false;
		run->end += length;
	} else {
		return false;
	}
	coverage->total += length;
	return true;
}

/* How many bytes of memory coverage_add() with COVERAGE_BYTES will have for payload when it has added these. */
uint64_t coverage_room_for(const struct coverage *coverage, uint64_t position, uint64_t length);

/*
 * Adds what `other` has from `begin` up to `end`, `shift` (modulo 2^64) further on. Where the two overlap what is there stays. False: as
 * coverage_add().
 */
bool coverage_copy(struct coverage *coverage, const struct coverage *other, uint64_t begin, uint64_t end, uint64_t shift, unsigned keep)
	__attribute__((warn_unused_result));

/* coverage_copy() of all of `other`, which is empty then. */
bool coverage_join(struct coverage *coverage, struct coverage *other, uint64_t shift, unsigned keep) __attribute__((warn_unused_result));

/*
 * Covers nothing from `begin` up to `end` any more. Returns how many bytes that takes away: without memory all of them. keep: as
 * coverage_add(). The CRC-32 of what is left of a run whose bytes are not kept is not known.
 */
uint64_t coverage_remove(struct coverage *coverage, uint64_t begin, uint64_t end, unsigned keep);

/* Keeps only what is known of the bytes. */
void coverage_drop_bytes(struct coverage *coverage);

static inline const struct coverage_run *coverage_runs(const struct coverage *coverage)
{
	return coverage->many ? coverage->many : &coverage->one;
}

uint32_t coverage_find_among(const struct coverage *coverage, uint64_t position);

/* Index of the first run that ends behind a position; `count`: none does. */
static inline uint32_t coverage_find(const struct coverage *coverage, uint64_t position)
{
	if (coverage->count > 1)
		return coverage_find_among(coverage, position);
	return coverage->count && coverage_runs(coverage)->end <= position;
}

/* The bytes of one of its runs; NULL: not kept. */
static inline const uint8_t *coverage_bytes(const struct coverage *coverage, const struct coverage_run *run)
{
	return coverage->bytes ? coverage->bytes + (run->begin - coverage->origin) : NULL;
}

/* Position behind the last byte covered; 0: none is. */
static inline uint64_t coverage_end(const struct coverage *coverage)
{
	return coverage->count ? coverage_runs(coverage)[coverage->count - 1].end : 0;
}

/* Bytes of memory that it takes beyond its struct. */
static inline uint64_t coverage_memory(const struct coverage *coverage)
{
	return coverage->room * sizeof *coverage->many + coverage->bytes_room;
}

void coverage_free(struct coverage *coverage);

/* Covers nothing again. Most never took memory. */
static inline void coverage_fini(struct coverage *coverage)
{
	if (coverage->many || coverage->bytes)
		coverage_free(coverage);
	coverage->count = 0;
	coverage->total = 0;
}

#endif
