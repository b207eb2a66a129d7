/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which bytes of a message are present: disjoint runs in order of position, each with the CRC-32 of its bytes if wanted and
 * known, and with the bytes if wanted. The first copy counts; later copies change nothing.
 *
 * Bytes are kept for all runs or for none: adding a piece without bytes drops all kept bytes, and no more are kept while
 * there are runs without. Read them with coverage_bytes().
 */
#ifndef REASSEMBLY_STORE_COVERAGE_H
#define REASSEMBLY_STORE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coverage_run {
	uint64_t begin, end; /* positions; end is after the last byte */
	uint32_t crc;        /* valid if crc_known is set */
	bool crc_known;
};

/* All zero: empty. Usually one run suffices and needs no allocation. */
struct coverage {
	struct coverage_run one;   /* used while `many` is NULL and count is 1 */
	struct coverage_run *many;
	uint32_t count, room;
	uint64_t total;            /* bytes covered */
	uint8_t *bytes;            /* of all runs, from position `origin` on; undefined in holes. NULL: not kept */
	uint64_t origin;
	size_t bytes_room;
	uint32_t join_length, join_operator; /* zlib's operator for appending pieces of this length */
};

enum coverage_keep { COVERAGE_ONLY = 0, COVERAGE_CRC = 1, COVERAGE_BYTES = 2 };

/*
 * Adds `length` bytes at `position`. `bytes` may be NULL: they are not kept. `crc` is their CRC-32 if `keep` (enum
 * coverage_keep, or'ed) requests it; if only a part is new, its CRC is known only with `bytes`. *fresh: number of new bytes.
 * False: out of memory or invalid position; earlier data is unchanged.
 */
bool coverage_add(struct coverage *coverage, uint64_t position, const uint8_t *bytes, uint64_t length, uint32_t crc,
		  unsigned keep, uint64_t *fresh) __attribute__((warn_unused_result));

/* CRC-32 of bytes. */
uint32_t coverage_crc(const uint8_t *bytes, uint64_t length);

/* Appends the CRC-32 `next` of `length` bytes to that of the only run. */
void coverage_join_crc(struct coverage *coverage, uint32_t next, uint64_t length);

/*
 * Fast path of coverage_add() for bytes that follow the only run, or are the first, and are not kept. False: not this case,
 * nothing changed.
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

/* Memory for `length` bytes from `position` on, to avoid growth step by step; only if nothing is covered yet. Without memory nothing changes. */
void coverage_reserve(struct coverage *coverage, uint64_t position, size_t length);

/* Bytes of payload memory after coverage_add() of these with COVERAGE_BYTES. */
uint64_t coverage_room_for(const struct coverage *coverage, uint64_t position, uint64_t length);

/*
 * Adds the bytes of `other` from `begin` to `end`, moved by `shift` (modulo 2^64). Where they overlap, existing bytes are
 * kept. False: as coverage_add().
 */
bool coverage_copy(struct coverage *coverage, const struct coverage *other, uint64_t begin, uint64_t end, uint64_t shift, unsigned keep)
	__attribute__((warn_unused_result));

/* coverage_copy() of all of `other`, which is emptied. */
bool coverage_join(struct coverage *coverage, struct coverage *other, uint64_t shift, unsigned keep) __attribute__((warn_unused_result));

/*
 * Removes the bytes from `begin` to `end`. Returns how many were removed; if out of memory, removes all. keep: as
 * coverage_add(). The CRC-32 of the rest of a run without bytes is unknown.
 */
uint64_t coverage_remove(struct coverage *coverage, uint64_t begin, uint64_t end, unsigned keep);

/* Drops the bytes; keeps runs and CRCs. */
void coverage_drop_bytes(struct coverage *coverage);

static inline const struct coverage_run *coverage_runs(const struct coverage *coverage)
{
	return coverage->many ? coverage->many : &coverage->one;
}

uint32_t coverage_find_among(const struct coverage *coverage, uint64_t position);

/* Index of the first run that ends after a position; `count`: none. */
static inline uint32_t coverage_find(const struct coverage *coverage, uint64_t position)
{
	if (coverage->count > 1)
		return coverage_find_among(coverage, position);
	return coverage->count && coverage_runs(coverage)->end <= position;
}

/* The bytes of a run; NULL: not kept. */
static inline const uint8_t *coverage_bytes(const struct coverage *coverage, const struct coverage_run *run)
{
	return coverage->bytes ? coverage->bytes + (run->begin - coverage->origin) : NULL;
}

/* The first bytes, up to the first gap. `coverage` NULL: none. *length: their number; 0: the first one is missing. NULL: none are kept. */
static inline const uint8_t *coverage_first_bytes(const struct coverage *coverage, uint64_t *length)
{
	const struct coverage_run *run = coverage && coverage->count ? coverage_runs(coverage) : NULL;

	*length = run && !run->begin ? run->end : 0;
	return *length ? coverage_bytes(coverage, run) : NULL;
}

/* Position after the last byte covered; 0: empty. */
static inline uint64_t coverage_end(const struct coverage *coverage)
{
	return coverage->count ? coverage_runs(coverage)[coverage->count - 1].end : 0;
}

/* Bytes allocated beyond the struct. */
static inline uint64_t coverage_memory(const struct coverage *coverage)
{
	return coverage->room * sizeof *coverage->many + coverage->bytes_room;
}

void coverage_free(struct coverage *coverage);

/* Empties it. Usually there is no memory to free. */
static inline void coverage_fini(struct coverage *coverage)
{
	if (coverage->many || coverage->bytes)
		coverage_free(coverage);
	coverage->count = 0;
	coverage->total = 0;
}

#endif
