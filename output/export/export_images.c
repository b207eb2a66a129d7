/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_images.h"
#include "output/export/export_ranges.h"
#include "reassembly/store/coverage.h"

#define RECENT 256            /* commands that are remembered, to order those whose responses were processed in another order */
#define NUMBER_TEXT 32
#define MOST_IMAGES 1024      /* they are searched one by one */

/* A command that changed or showed a range. */
struct recent {
	uint64_t begin, end, request_frame, response_frame;
	bool is_write;
};

struct image {
	struct image *next;
	struct disk_entry *entry;
	uint64_t unit;
	struct ranges ranges;
	uint32_t next_recent, recent_count;
	struct recent recent[RECENT];
	char target[];
};

static struct image *find(const struct images *images, const struct block_effect *effect)
{
	for (struct image *image = images->first; image; image = image->next)
		if (image->unit == effect->unit && !strcmp(image->target, effect->target))
			return image;
	return NULL;
}

/* The target's directory. */
static struct disk_entry *directory_of(struct images *images, const char *target)
{
	for (const struct image *image = images->first; image; image = image->next)
		if (!strcmp(image->target, target))
			return image->entry->parent;
	if (!images->block)
		images->block = disk_make(images->disk, &images->disk->root, (const uint8_t *)"block", strlen("block"), true, '~');
	return images->block ? disk_make(images->disk, images->block, (const uint8_t *)target, strlen(target), true, '~') : NULL;
}

static struct image *create(struct images *images, const struct block_effect *effect)
{
	size_t length = strlen(effect->target), size = sizeof(struct image) + length + 1;
	struct disk_entry *directory;
	struct image *image = images->count < MOST_IMAGES && images->memory + size <= images->max_memory ? calloc(1, size) : NULL;
	char name[NUMBER_TEXT];

	if (!image) {
		images->refused++;
		return NULL;
	}
	snprintf(name, sizeof name, "%" PRIu64 ".img", effect->unit);
	directory = directory_of(images, effect->target);
	image->entry = directory ? disk_make(images->disk, directory, (const uint8_t *)name, strlen(name), false, '~') : NULL;
	if (!image->entry) {
		free(image);
		return NULL;
	}
	images->memory += size;
	images->count++;
	image->unit = effect->unit;
	memcpy(image->target, effect->target, length + 1);
	*(images->last ? &images->last->next : &images->first) = image;
	images->last = image;
	return image;
}

static void set(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state, bool only_unknown)
{
	if (begin >= end)
		return;
	if (!(only_unknown ? ranges_fill : ranges_set)(&image->ranges, begin, end, state)) {
		images->unreported++;
		if (!only_unknown)
			ranges_spoil(&image->ranges, begin, end, RANGE_MISSING + RTAP_MISSING_EVICTED);
	}
}

/* What is done with a part of a command's range. */
struct part {
	struct images *images;
	struct image *image;
	const struct block_effect *effect;
};

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

static void put_data(const struct part *part, uint64_t begin, uint64_t end)
{
	const struct block_effect *effect = part->effect;
	bool is_read = effect->kind == BLOCK_READ;

	while (begin < end) {
		uint64_t at = begin - effect->offset, after, cut_after;
		const uint8_t *bytes, *unused;

		if (is_present(effect->data, at, end - effect->offset, &after, &bytes) && bytes) {
			if (!disk_write(part->images->disk, part->image->entry, begin, bytes, after - at))
				return;
			set(part->images, part->image, begin, effect->offset + after, RANGE_DATA, false);
		} else {
			bool is_cut = is_present(effect->cut, at, after, &cut_after, &unused);

			after = cut_after;
			set(part->images, part->image, begin, effect->offset + after,
			    RANGE_MISSING + (is_cut ? RTAP_MISSING_SNAPPED : RTAP_MISSING_NOT_CAPTURED), is_read);
		}
		begin = effect->offset + after;
	}
}

static void put(const struct part *part, uint64_t begin, uint64_t end)
{
	switch (part->effect->kind) {
	case BLOCK_READ:
	case BLOCK_WRITTEN:
		put_data(part, begin, end);
		break;
	case BLOCK_ZEROED:
		if (disk_punch(part->images->disk, part->image->entry, begin, end - begin))
			set(part->images, part->image, begin, end, RANGE_ZEROS, false);
		break;
	case BLOCK_SPOILED:
		set(part->images, part->image, begin, end, RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED, false);
		break;
	}
}

/* Whether the later command `recent` decides about bytes that both have. */
static bool decides(const struct recent *recent, const struct block_effect *effect)
{
	/* a read may show what was there before a write that was under way */
	if (effect->kind == BLOCK_READ)
		return recent->is_write && recent->response_frame > effect->request_frame;
	return recent->is_write ? recent->response_frame > effect->response_frame : recent->request_frame > effect->response_frame;
}

/* Applies the command where none of the recent ones from `index` on decides. At most RECENT levels. */
static void put_where_newest(const struct part *part, uint32_t index, uint64_t begin, uint64_t end)
{
	const struct image *image = part->image;

	for (; begin < end && index < image->recent_count; index++) {
		const struct recent *recent = &image->recent[index];

		if (recent->begin >= end || recent->end <= begin || !decides(recent, part->effect))
			continue;
		if (recent->begin > begin)
			put_where_newest(part, index + 1, begin, recent->begin);
		begin = recent->end;
	}
	if (begin < end)
		put(part, begin, end);
}

static void remember(struct image *image, const struct block_effect *effect)
{
	image->recent[image->next_recent] = (struct recent){
		.begin = effect->offset, .end = effect->offset + effect->length, .request_frame = effect->request_frame,
		.response_frame = effect->response_frame, .is_write = effect->kind != BLOCK_READ,
	};
	image->next_recent = (image->next_recent + 1) % RECENT;
	if (image->recent_count < RECENT)
		image->recent_count++;
}

void images_take(struct images *images, const struct block_effect *effect)
{
	uint64_t end = effect->offset + effect->length;
	struct image *image;

	images->commands++;
	if (!effect->length) {
		images->unplaced++;
		return;
	}
	if (end < effect->offset)
		return;
	if (end > INT64_MAX) {
		images->disk->too_far++;
		return;
	}
	image = find(images, effect);
	if (!image)
		image = create(images, effect);
	if (!image || (end > image->entry->size && !disk_resize(images->disk, image->entry, end)))
		return;
	put_where_newest(&(struct part){ images, image, effect }, 0, effect->offset, end);
	remember(image, effect);
}

int images_missing(const struct images *images, int (*print)(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length,
							    enum rtap_missing_reason reason), void *owner)
{
	int result = 0;

	for (const struct image *image = images->first; image; image = image->next)
		for (uint32_t i = 0; i < image->ranges.count && !result; i++) {
			const struct range *range = &image->ranges.at[i];

			if (range->state >= RANGE_MISSING)
				result = print(owner, image->entry, range->begin, range->end - range->begin,
					       (enum rtap_missing_reason)(range->state - RANGE_MISSING));
		}
	return result;
}

void images_fini(struct images *images)
{
	struct image *next;

	for (struct image *image = images->first; image; image = next) {
		next = image->next;
		ranges_fini(&image->ranges);
		free(image);
	}
	images->first = images->last = NULL;
}
