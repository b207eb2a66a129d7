/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "output/export/export_image.h"
#include "reassembly/store/coverage.h"

#define EXTENT_MEMORY (sizeof(struct extent) + 16)
#define CHUNK 16384           /* bytes generated at once: a multiple of most block sizes */
/*
 * Limits of generated data, because short commands (WRITE SAME, Copy) can produce much: a constant, plus a multiple of the
 * captured bytes. Data beyond are missing.
 */
#define MOST_MADE (UINT64_C(256) << 20)
#define MADE_FOR_CAPTURED 8
/* Work limit: extents of newer commands and copies that commands skip, per command, and an initial allowance. */
#define PASSED_BY_COMMAND 64
#define PASSED_ALWAYS 65536

const char *image_unit(const struct block_effect *effect, char text[IMAGE_UNIT_TEXT])
{
	if (effect->name)
		return effect->name;
	snprintf(text, IMAGE_UNIT_TEXT, "%" PRIu64, effect->unit);
	return text;
}

/* Frees memory by clearing frames. Earlier commands can no longer be ordered; their data are missing. */
static bool discard(struct images *images)
{
	uint64_t before = images->extents;
	struct image *image;

	if (images->added < before / 2)
		return false;
	images->added = images->extents = 0;
	images->horizon = images->newest;
	for (int is_file = 0; is_file < 2; is_file++)
		STAILQ_FOREACH(image, is_file ? &images->all_files : &images->all, link) {
			extents_discard(&image->extents);
			images->extents += image->extents.count;
		}
	images->memory -= (before - images->extents) * EXTENT_MEMORY;
	return images->extents < before;
}

static bool try_to_set(struct images *images, struct image *image, uint64_t begin, uint64_t end, const struct extent_facts *facts)
{
	uint64_t before = image->extents.count;
	uint64_t room = images->memory < images->max_memory ? (images->max_memory - images->memory) / EXTENT_MEMORY : 0;
	bool good = extents_set(&image->extents, begin, end, facts, before + room);

	images->added += image->extents.count > before ? image->extents.count - before : 0;
	images->extents += image->extents.count - before;
	images->memory += (image->extents.count - before) * EXTENT_MEMORY;
	return good;
}

static void set_facts(struct images *images, struct image *image, uint64_t begin, uint64_t end, const struct extent_facts *facts)
{
	if (begin >= end || try_to_set(images, image, begin, end, facts) || (discard(images) && try_to_set(images, image, begin, end, facts)))
		return;
	images->unreported++;
	extents_spoil(&image->extents, begin, end, RANGE_MISSING + RTAP_MISSING_EVICTED);
}

void image_set(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state, uint64_t frame)
{
	set_facts(images, image, begin, end, &(struct extent_facts){ .state = (uint8_t)state, .is_known = true, .frame = frame, .until = frame });
}

void image_fill(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state)
{
	while (begin < end) {
		struct extent here = extents_at(&image->extents, begin);
		uint64_t stop = here.end < end ? here.end : end;

		if (here.facts.is_known)
			images->passed++;
		else
			image_set(images, image, begin, stop, state, 0);
		begin = stop;
	}
}

uint64_t image_frame_of(const struct block_effect *effect)
{
	return effect->kind == BLOCK_READ ? effect->request_frame : effect->response_frame;
}

static void set_part(const struct image_part *part, uint64_t begin, uint64_t end, unsigned state)
{
	set_facts(part->images, part->image, begin, end, &(struct extent_facts){
		.state = (uint8_t)state, .is_known = true, .frame = image_frame_of(part->effect), .until = part->effect->response_frame,
	});
}

static void spoil(const struct image_part *part, uint64_t begin, uint64_t end, enum rtap_missing_reason reason)
{
	if (part->effect->kind == BLOCK_READ)
		image_fill(part->images, part->image, begin, end, RANGE_MISSING + reason);
	else
		set_part(part, begin, end, RANGE_MISSING + reason);
}

bool image_may_make(struct images *images, uint64_t length)
{
	if (images->made + length > MOST_MADE + MADE_FOR_CAPTURED * images->captured)
		return false;
	images->made += length;
	return true;
}

/* The run that contains a position of the data, or the gap up to the next; *end: where it ends, at most `limit`. */
static bool is_present(const struct coverage *data, uint64_t at, uint64_t limit, uint64_t *end, const uint8_t **bytes)
{
	uint32_t index = data ? coverage_find(data, at) : 0;
	const struct coverage_run *run = data && index < data->count ? &coverage_runs(data)[index] : NULL;
	bool present = run && run->begin <= at;

	*end = !run ? limit : present ? run->end : run->begin;
	if (*end > limit)
		*end = limit;
	*bytes = present ? coverage_bytes(data, run) : NULL;
	if (*bytes)
		*bytes += at - run->begin;
	return present;
}

bool image_has_data(const struct image_part *part, uint64_t begin, uint64_t end, uint64_t *stop)
{
	const uint8_t *bytes;
	uint64_t offset = part->effect->offset, after;
	bool present = is_present(part->effect->data, begin - offset, end - offset, &after, &bytes);

	*stop = offset + after;
	return present && bytes;
}

static bool put_bytes(const struct image_part *part, uint64_t begin, const uint8_t *bytes, uint64_t length)
{
	if (!disk_write(part->images->disk, part->image->entry, begin, bytes, length))
		return false;
	set_part(part, begin, begin + length, RANGE_DATA);
	return true;
}

static void put_data(const struct image_part *part, uint64_t begin, uint64_t end)
{
	const struct block_effect *effect = part->effect;

	while (begin < end) {
		uint64_t at = begin - effect->offset, after, cut_after;
		const uint8_t *bytes, *unused;

		if (is_present(effect->data, at, end - effect->offset, &after, &bytes) && bytes) {
			if (!put_bytes(part, begin, bytes, after - at))
				return;
			part->images->captured += after - at;
		} else {
			bool is_cut = is_present(effect->cut, at, after, &cut_after, &unused);

			after = cut_after;
			spoil(part, begin, effect->offset + after, is_cut ? RTAP_MISSING_SNAPPED : RTAP_MISSING_NOT_CAPTURED);
		}
		begin = effect->offset + after;
	}
}

/* Repeats the data of one block. */
static void put_repeated(const struct image_part *part, uint64_t begin, uint64_t end)
{
	const struct block_effect *effect = part->effect;
	const uint8_t *block;
	uint8_t made[CHUNK];
	uint64_t after;

	if (!effect->period || !is_present(effect->data, 0, effect->period, &after, &block) || !block || after < effect->period) {
		spoil(part, begin, end, RTAP_MISSING_NOT_CAPTURED);
		return;
	}
	if (!image_may_make(part->images, end - begin)) {
		spoil(part, begin, end, RTAP_MISSING_EVICTED);
		return;
	}
	for (uint64_t at = begin, length; at < end; at += length) {
		length = end - at < CHUNK ? end - at : CHUNK;
		for (uint64_t done = 0, here; done < length; done += here) {
			uint64_t in_block = (at + done - effect->offset) % effect->period;

			here = effect->period - in_block < length - done ? effect->period - in_block : length - done;
			memcpy(made + done, block + in_block, here);
		}
		if (!disk_write(part->images->disk, part->image->entry, at, made, length))
			return;
	}
	set_part(part, begin, end, RANGE_DATA);
}

static void put(const struct image_part *part, uint64_t begin, uint64_t end)
{
	switch (part->kind) {
	case BLOCK_READ:
	case BLOCK_WRITTEN:
		if (part->bytes)
			put_bytes(part, begin, part->bytes + (begin - part->at), end - begin);
		else
			put_data(part, begin, end);
		break;
	case BLOCK_REPEATED:
		put_repeated(part, begin, end);
		break;
	case BLOCK_ZEROED:
		if (disk_punch(part->images->disk, part->image->entry, begin, end - begin))
			set_part(part, begin, end, RANGE_ZEROS);
		break;
	case BLOCK_COPIED:
	case BLOCK_UNSEEN:
	case BLOCK_SPOILED:
		spoil(part, begin, end, part->reason);
		break;
	}
}

/*
 * Whether the state of the bytes was set by a later command. A read may return the contents before a concurrent write; of two reads
 * the later one is used.
 */
static bool is_newer(const struct image_part *part, const struct extent_facts *facts)
{
	if (part->is_late && part->effect->kind == BLOCK_READ)
		return facts->is_known;
	return facts->frame > image_frame_of(part->effect);
}

bool image_may_pass(struct images *images, uint64_t count)
{
	if (images->passed > PASSED_ALWAYS + PASSED_BY_COMMAND * (images->commands + images->file_operations)) {
		images->passed -= PASSED_BY_COMMAND;
		return false;
	}
	images->passed += count;
	return true;
}

/* For lack of memory the order of commands may have been forgotten since the part began: only the newest one can still change known bytes. */
static void become_late(struct image_part *part)
{
	if (part->is_late || part->kind == BLOCK_SPOILED || image_frame_of(part->effect) >= part->images->horizon)
		return;
	part->is_late = true;
	if (part->effect->kind == BLOCK_READ)
		return;
	part->kind = BLOCK_SPOILED;
	part->reason = RTAP_MISSING_EVICTED;
}

void image_put(const struct image_part *whole, uint64_t begin, uint64_t end)
{
	struct images *images = whole->images;
	struct image_part copy = *whole, *part = &copy;

	while (begin < end) {
		struct extent here = extents_at(&part->image->extents, begin);
		uint64_t stop = here.end;

		become_late(part);
		if (!image_may_pass(images, 0)) {
			image_set(images, part->image, begin, end, RANGE_MISSING + RTAP_MISSING_EVICTED, images->newest);
			return;
		}
		if (is_newer(part, &here.facts)) {
			images->passed++;
			begin = stop;
			continue;
		}
		while (stop < end) {
			here = extents_at(&part->image->extents, stop);
			if (is_newer(part, &here.facts))
				break;
			stop = here.end;
		}
		put(part, begin, stop < end ? stop : end);
		begin = stop;
	}
}

void image_part_order(struct image_part *part)
{
	uint64_t frame = image_frame_of(part->effect);

	part->is_late = part->images->horizon && frame <= part->images->horizon;
	if (frame < part->image->destroyed) {
		part->kind = BLOCK_SPOILED;
	} else if (part->is_late && part->effect->kind != BLOCK_READ) {
		part->kind = BLOCK_SPOILED;
		part->reason = RTAP_MISSING_EVICTED;
	}
}

bool image_is_possible(struct images *images, const struct block_effect *effect)
{
	uint64_t end = effect->offset + effect->length;

	images->disk->too_far += end >= effect->offset && end > INT64_MAX;
	return end >= effect->offset && end <= INT64_MAX;
}

void image_cut(struct images *images, struct image *image, uint64_t size)
{
	uint64_t before = image->extents.count;

	extents_cut(&image->extents, size);
	images->extents -= before - image->extents.count;
	images->memory -= (before - image->extents.count) * EXTENT_MEMORY;
}
