/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "dissect/engine/crc32.h"
#include "reassembly/store/coverage.h"

#define FIRST_ROOM 8

static struct coverage_run *runs_of(struct coverage *coverage)
{
	return coverage->many ? coverage->many : &coverage->one;
}

/* CRC of bytes with CRC `crc` followed by `length` bytes with CRC `next`. */
static uint32_t crc_joined(struct coverage *coverage, uint32_t crc, uint32_t next, uint64_t length)
{
	if (length > UINT32_MAX)
		return (uint32_t)crc32_combine64(crc, next, (z_off64_t)length);
	/* Computing the operator costs more than using it, and most pieces have one length. */
	if (length != coverage->join_length) {
		coverage->join_length = (uint32_t)length;
		coverage->join_operator = (uint32_t)crc32_combine_gen64((z_off64_t)length);
	}
	return (uint32_t)crc32_combine_op(crc, next, coverage->join_operator);
}

uint32_t coverage_crc(const uint8_t *bytes, uint64_t length)
{
	uint32_t crc = crc32_of(0, bytes, length);

	crc32_release();
	return crc;
}

void coverage_join_crc(struct coverage *coverage, uint32_t next, uint64_t length)
{
	coverage->one.crc = crc_joined(coverage, coverage->one.crc, next, length);
}

/* Makes room for that many more. */
static bool reserve_runs(struct coverage *coverage, uint32_t more)
{
	struct coverage_run *larger;

	if (more <= (coverage->many ? coverage->room : 1) - coverage->count)
		return true;
	larger = array_reserve(coverage->many, &coverage->room, coverage->count + more, FIRST_ROOM, UINT32_MAX, sizeof *larger);
	if (!larger)
		return false;
	if (!coverage->many)
		larger[0] = coverage->one;
	coverage->many = larger;
	return true;
}

/* Grows by doubling, at either end: pieces in descending order do not move all bytes each time. */
uint64_t coverage_room_for(const struct coverage *coverage, uint64_t position, uint64_t length)
{
	uint64_t room = coverage->bytes_room, more;

	if (!coverage->bytes)
		return length;
	if (position < coverage->origin) {
		more = coverage->origin - position;
		if (more < room && room <= coverage->origin)
			more = room;
		return room + more;
	}
	more = position - coverage->origin + length;
	return more <= room ? room : more < room * 2 ? room * 2 : more;
}

void coverage_reserve(struct coverage *coverage, uint64_t position, size_t length)
{
	if (coverage->bytes || coverage->count || !length)
		return;
	coverage->bytes = memory_new(length);
	if (!coverage->bytes)
		return;
	coverage->origin = position;
	coverage->bytes_room = length;
}

static bool reserve_bytes(struct coverage *coverage, uint64_t position, uint64_t length)
{
	uint64_t room = coverage_room_for(coverage, position, length);
	uint8_t *larger;

	if (!coverage->bytes)
		coverage->origin = position;
	if (room == coverage->bytes_room)
		return true;
	if (room > SIZE_MAX / 4)
		return false;
	larger = memory_resize(coverage->bytes, (size_t)room);
	if (!larger)
		return false;
	if (position < coverage->origin) {
		size_t front = (size_t)room - coverage->bytes_room;

		memmove(larger + front, larger, coverage->bytes_room);
		coverage->origin -= front;
	}
	coverage->bytes = larger;
	coverage->bytes_room = (size_t)room;
	return position - coverage->origin + length <= room;
}

/* Index of the first run that ends at or after `position`. */
static uint32_t first_after(struct coverage *coverage, uint64_t position)
{
	struct coverage_run *runs = runs_of(coverage);
	uint32_t low = 0, high = coverage->count;

	/* Most bytes follow all others. */
	if (high && runs[high - 1].begin <= position)
		return runs[high - 1].end >= position ? high - 1 : high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (runs[middle].end < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t coverage_find_among(const struct coverage *coverage, uint64_t position)
{
	const struct coverage_run *runs = coverage_runs(coverage);
	uint32_t low = 0, high = coverage->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (runs[middle].end <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Appends to `run` a run that follows it directly. */
static void extend_run(struct coverage *coverage, struct coverage_run *run, const struct coverage_run *next)
{
	run->crc_known &= next->crc_known;
	if (run->crc_known)
		run->crc = crc_joined(coverage, run->crc, next->crc, next->end - next->begin);
	run->end = next->end;
}

/* Joins runs[at] with the next one if they touch. */
static void join_next(struct coverage *coverage, uint32_t at)
{
	struct coverage_run *runs = runs_of(coverage);

	if (at + 1 >= coverage->count || runs[at].end != runs[at + 1].begin)
		return;
	extend_run(coverage, &runs[at], &runs[at + 1]);
	memmove(runs + at + 1, runs + at + 2, (coverage->count - at - 2) * sizeof *runs);
	coverage->count--;
}

/* Inserts a run that overlaps no other. */
static bool insert_run(struct coverage *coverage, const struct coverage_run *run)
{
	uint32_t at = first_after(coverage, run->begin);
	struct coverage_run *runs = runs_of(coverage);

	if (at < coverage->count && runs[at].end == run->begin) {
		extend_run(coverage, &runs[at], run);
	} else {
		if (!reserve_runs(coverage, 1))
			return false;
		runs = runs_of(coverage);
		memmove(runs + at + 1, runs + at, (coverage->count - at) * sizeof *runs);
		runs[at] = *run;
		coverage->count++;
	}
	coverage->total += run->end - run->begin;
	join_next(coverage, at);
	return true;
}

/* Adds a piece that overlaps nothing. */
static bool add_piece(struct coverage *coverage, const struct coverage_run *run, const uint8_t *bytes, unsigned keep)
{
	if (keep & COVERAGE_BYTES && bytes && (coverage->bytes || !coverage->count)) {
		if (!reserve_bytes(coverage, run->begin, run->end - run->begin))
			return false;
		memcpy(coverage->bytes + (run->begin - coverage->origin), bytes, run->end - run->begin);
	} else if (coverage->bytes) {
		coverage_drop_bytes(coverage);
	}
	return insert_run(coverage, run);
}

/* Fast path of coverage_add() for bytes after all runs, which are not kept. False: not this case, or out of memory; nothing changed. */
static bool append_run(struct coverage *coverage, uint64_t position, uint64_t length, uint32_t crc, unsigned keep)
{
	struct coverage_run run = { position, position + length, crc, keep & COVERAGE_CRC }, *last;

	if (coverage->bytes || keep & COVERAGE_BYTES || !length || !coverage->count)
		return false;
	last = &runs_of(coverage)[coverage->count - 1];
	if (position == last->end)
		extend_run(coverage, last, &run);
	else if (position > last->end && reserve_runs(coverage, 1))
		coverage->many[coverage->count++] = run;
	else
		return false;
	coverage->total += length;
	return true;
}

bool coverage_add(struct coverage *coverage, uint64_t position, const uint8_t *bytes, uint64_t length, uint32_t crc, unsigned keep,
		  uint64_t *fresh)
{
	uint64_t end = position + length;

	*fresh = 0;
	if (end < position)
		return false;
	if (coverage_append(coverage, position, length, crc, keep) || append_run(coverage, position, length, crc, keep)) {
		*fresh = length;
		return true;
	}
	while (position < end) {
		uint32_t at = first_after(coverage, position);
		const struct coverage_run *runs = runs_of(coverage);
		struct coverage_run piece = { position, end, crc, keep & COVERAGE_CRC };
		uint64_t there = 0;

		if (at < coverage->count && runs[at].end == position)
			at++;
		if (at < coverage->count && runs[at].begin <= position) {
			there = (runs[at].end < end ? runs[at].end : end) - position;
		} else {
			if (at < coverage->count && runs[at].begin < end)
				piece.end = runs[at].begin;
			there = piece.end - position;
			if (piece.crc_known && there != length) {
				piece.crc_known = bytes != NULL;
				piece.crc = bytes ? coverage_crc(bytes, there) : 0;
			}
			if (!add_piece(coverage, &piece, bytes, keep))
				return false;
			*fresh += there;
		}
		bytes = bytes ? bytes + there : NULL;
		position += there;
	}
	return true;
}

/* Whether all runs of `other`, moved by `shift`, are after those of `coverage`. */
static bool is_after(const struct coverage *coverage, const struct coverage *other, uint64_t shift)
{
	uint64_t begin = coverage_runs(other)->begin + shift;

	return begin < coverage_end(other) + shift && (!coverage->count || coverage_end(coverage) < begin);
}

/* Fast path of coverage_copy() for that case, if neither has bytes. */
static bool append_all(struct coverage *coverage, const struct coverage *other, uint64_t shift, unsigned keep)
{
	const struct coverage_run *runs = coverage_runs(other);
	struct coverage_run *added;

	if (!reserve_runs(coverage, other->count))
		return false;
	added = runs_of(coverage) + coverage->count;
	for (uint32_t i = 0; i < other->count; i++)
		added[i] = (struct coverage_run){ runs[i].begin + shift, runs[i].end + shift, runs[i].crc, runs[i].crc_known && keep & COVERAGE_CRC };
	coverage->count += other->count;
	coverage->total += other->total;
	return true;
}

bool coverage_copy(struct coverage *coverage, const struct coverage *other, uint64_t begin, uint64_t end, uint64_t shift, unsigned keep)
{
	const struct coverage_run *runs = coverage_runs(other);

	if (other->count && !coverage->bytes && !(keep && other->bytes) && begin <= runs->begin && coverage_end(other) <= end &&
	    is_after(coverage, other, shift))
		return append_all(coverage, other, shift, keep);
	for (uint32_t i = coverage_find(other, begin); i < other->count && runs[i].begin < end; i++) {
		uint64_t from = runs[i].begin > begin ? runs[i].begin : begin, to = runs[i].end < end ? runs[i].end : end, fresh;
		bool is_whole = from == runs[i].begin && to == runs[i].end;
		const uint8_t *bytes = coverage_bytes(other, &runs[i]);
		uint32_t crc = runs[i].crc;
		unsigned of_run = keep;

		bytes = bytes ? bytes + (from - runs[i].begin) : NULL;
		if (!(is_whole && runs[i].crc_known) && bytes && keep & COVERAGE_CRC)
			crc = coverage_crc(bytes, to - from);
		else if (!(is_whole && runs[i].crc_known))
			of_run &= ~(unsigned)COVERAGE_CRC;
		if (!coverage_add(coverage, from + shift, bytes, to - from, crc, of_run, &fresh))
			return false;
	}
	return true;
}

bool coverage_join(struct coverage *coverage, struct coverage *other, uint64_t shift, unsigned keep)
{
	if (!coverage_copy(coverage, other, 0, UINT64_MAX, shift, keep))
		return false;
	coverage_fini(other);
	return true;
}

uint64_t coverage_remove(struct coverage *coverage, uint64_t begin, uint64_t end, unsigned keep)
{
	uint64_t before = coverage->total;
	struct coverage rest = { 0 };

	if (!coverage_copy(&rest, coverage, 0, begin, 0, keep) || !coverage_copy(&rest, coverage, end, UINT64_MAX, 0, keep))
		coverage_fini(&rest);
	coverage_fini(coverage);
	*coverage = rest;
	return before - rest.total;
}

void coverage_drop_bytes(struct coverage *coverage)
{
	free(coverage->bytes);
	coverage->bytes = NULL;
	coverage->bytes_room = 0;
}

void coverage_free(struct coverage *coverage)
{
	free(coverage->many);
	free(coverage->bytes);
	*coverage = (struct coverage){ 0 };
}
