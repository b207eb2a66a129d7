/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/array.h"
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
	STAILQ_ENTRY(image) link;
	struct disk_entry *entry;
	char *unit;               /* its name or number, after `target` */
	struct ranges ranges;
	uint32_t next_recent, recent_count;
	size_t recent_room;
	struct recent *recent;
	bool is_file;
	bool size_known;          /* of a file: its end is entry->size */
	uint64_t hash;            /* of a file */
	char target[];            /* of a file: its path */
};

void images_init(struct images *images, struct disk *disk, uint64_t max_memory)
{
	*images = (struct images){ .disk = disk, .max_memory = max_memory, .paths = { .disk = disk, .max_memory = max_memory } };
	STAILQ_INIT(&images->all);
	STAILQ_INIT(&images->all_files);
}

/* The name of the unit, or its number in `text`. */
static const char *unit_of(const struct block_effect *effect, char text[NUMBER_TEXT])
{
	if (effect->name)
		return effect->name;
	snprintf(text, NUMBER_TEXT, "%" PRIu64, effect->unit);
	return text;
}

static struct image *find(const struct images *images, const struct block_effect *effect)
{
	char number[NUMBER_TEXT];
	const char *unit = unit_of(effect, number);
	struct image *image;

	STAILQ_FOREACH(image, &images->all, link)
		if (!strcmp(image->unit, unit) && !strcmp(image->target, effect->target))
			return image;
	return NULL;
}

/* The target's directory. */
static struct disk_entry *directory_of(struct images *images, const char *target)
{
	const struct image *image;

	STAILQ_FOREACH(image, &images->all, link)
		if (!strcmp(image->target, target))
			return image->entry->parent;
	if (!images->block)
		images->block = disk_make(images->disk, &images->disk->root, (const uint8_t *)"block", strlen("block"), true, '~');
	return images->block ? disk_make(images->disk, images->block, (const uint8_t *)target, strlen(target), true, '~') : NULL;
}

static struct image *create(struct images *images, const struct block_effect *effect)
{
	char number[NUMBER_TEXT];
	const char *unit = unit_of(effect, number);
	size_t length = strlen(effect->target) + 1, unit_length = strlen(unit), size = sizeof(struct image) + length + unit_length + sizeof ".img";
	struct disk_entry *directory;
	struct image *image = images->count < MOST_IMAGES && images->memory + size <= images->max_memory ? calloc(1, size) : NULL;

	if (!image) {
		images->refused++;
		return NULL;
	}
	memcpy(image->target, effect->target, length);
	image->unit = image->target + length;
	snprintf(image->unit, unit_length + sizeof ".img", "%s.img", unit);
	directory = directory_of(images, effect->target);
	image->entry = directory ? disk_make(images->disk, directory, (const uint8_t *)image->unit, strlen(image->unit), false, '~') : NULL;
	image->unit[unit_length] = '\0';
	if (!image->entry) {
		free(image);
		return NULL;
	}
	images->memory += size;
	images->count++;
	STAILQ_INSERT_TAIL(&images->all, image, link);
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
	struct recent *recent = array_grow(image->recent, &image->recent_room, image->next_recent + 1, sizeof *recent);

	if (!recent)
		return;
	image->recent = recent;
	image->recent[image->next_recent] = (struct recent){
		.begin = effect->offset, .end = effect->offset + effect->length, .request_frame = effect->request_frame,
		.response_frame = effect->response_frame, .is_write = effect->kind != BLOCK_READ,
	};
	image->next_recent = (image->next_recent + 1) % RECENT;
	if (image->recent_count < RECENT)
		image->recent_count++;
}

/* Applies the command to the image. */
static void apply(struct images *images, struct image *image, const struct block_effect *effect)
{
	uint64_t end = effect->offset + effect->length, before = image->entry->size;

	if (end > before && !disk_resize(images->disk, image->entry, end))
		return;
	/* what is between the end of a file and bytes written after it reads as zeros */
	if (image->size_known && effect->offset > before)
		set(images, image, before, effect->offset, RANGE_ZEROS, true);
	put_where_newest(&(struct part){ images, image, effect }, 0, effect->offset, end);
	remember(image, effect);
}

/* Whether the range can be in a file. */
static bool is_possible(struct images *images, const struct block_effect *effect)
{
	uint64_t end = effect->offset + effect->length;

	images->disk->too_far += end >= effect->offset && end > INT64_MAX;
	return end >= effect->offset && end <= INT64_MAX;
}

void images_take(struct images *images, const struct block_effect *effect)
{
	struct image *image;

	images->commands++;
	if (!effect->length) {
		images->unplaced++;
		return;
	}
	if (!is_possible(images, effect))
		return;
	image = find(images, effect);
	if (!image)
		image = create(images, effect);
	if (image)
		apply(images, image, effect);
}

static uint64_t hash_of_path(const char *path)
{
	size_t length = strlen(path);

	return map_hash((const uint64_t[]){ length, crc32_z(0, (const uint8_t *)path, length) }, 2);
}

static bool is_path(const void *value, const void *path)
{
	return !strcmp(((const struct image *)value)->target, path);
}

static struct image *find_file(const struct images *images, const char *path)
{
	return map_find(&images->files, hash_of_path(path), is_path, path);
}

static struct image *create_file(struct images *images, const char *path, struct disk_entry *entry)
{
	size_t length = strlen(path), size = sizeof(struct image) + length + 1;
	struct image *image = images->memory + size <= images->max_memory ? calloc(1, size) : NULL;

	if (image) {
		memcpy(image->target, path, length + 1);
		image->hash = hash_of_path(path);
		image->is_file = true;
		image->entry = entry ? entry : paths_make_file(&images->paths, path);
	}
	if (!image || !image->entry || !map_add(&images->files, image->hash, image)) {
		images->refused++;
		free(image);
		return NULL;
	}
	images->memory += size;
	STAILQ_INSERT_TAIL(&images->all_files, image, link);
	return image;
}

static void resize_file(struct images *images, struct image *image, uint64_t size)
{
	uint64_t before = image->entry->size;

	if (size > INT64_MAX) {
		images->disk->too_far++;
		return;
	}
	if (!disk_resize(images->disk, image->entry, size))
		return;
	if (size < before)
		ranges_cut(&image->ranges, size);
	else if (image->size_known)
		set(images, image, before, size, RANGE_ZEROS, false);
	image->size_known = true;
	/* what was done before is over */
	image->next_recent = image->recent_count = 0;
}

/* The file is at another path from here on; one that was there is no longer. */
static void rename_file(struct images *images, struct image *image, const char *path)
{
	struct image *replaced = find_file(images, path), *moved;
	struct disk_entry *entry = image->entry;

	if (image == replaced)
		return;
	if (replaced) {
		map_remove(&images->files, replaced->hash, replaced);
		if (!paths_move(&images->paths, replaced->entry, path))
			return;
	}
	moved = create_file(images, path, entry);
	if (!moved)
		return;
	map_remove(&images->files, image->hash, image);
	moved->ranges = image->ranges;
	moved->size_known = image->size_known;
	image->ranges = (struct ranges){ 0 };
	image->entry = NULL;
	if (!paths_move(&images->paths, entry, path))
		images->refused++;
}

void images_take_file(struct images *images, const struct file_effect *effect)
{
	struct image *image = find_file(images, effect->path);

	images->file_operations++;
	switch (effect->kind) {
	case FILE_DATA:
		if (!is_possible(images, &effect->bytes))
			return;
		image = image ? image : create_file(images, effect->path, NULL);
		if (image)
			apply(images, image, &effect->bytes);
		break;
	case FILE_RESIZED:
		image = image ? image : create_file(images, effect->path, NULL);
		if (image)
			resize_file(images, image, effect->size);
		break;
	case FILE_SIZE_SEEN:
		if (image && effect->size > image->entry->size && effect->size <= INT64_MAX)
			disk_resize(images->disk, image->entry, effect->size);
		break;
	case FILE_RENAMED:
		if (image)
			rename_file(images, image, effect->new_path);
		break;
	}
}

typedef int print_range(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length, enum rtap_missing_reason reason);

/* All bytes of a file up to its end that are not known, adjacent ones together. */
static int file_missing(const struct image *image, print_range *print, void *owner)
{
	struct range last = { 0 };
	int result = 0;

	for (uint64_t at = 0; image->entry && at < image->entry->size && !result;) {
		bool known;
		struct range range = ranges_at(&image->ranges, at, &known);

		if (!known)
			range.state = RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED;
		if (range.end > image->entry->size)
			range.end = image->entry->size;
		at = range.end;
		if (range.state == last.state && range.begin == last.end) {
			last.end = range.end;
			continue;
		}
		if (last.state >= RANGE_MISSING)
			result = print(owner, image->entry, last.begin, last.end - last.begin, (enum rtap_missing_reason)(last.state - RANGE_MISSING));
		last = range;
	}
	if (last.state >= RANGE_MISSING && !result)
		result = print(owner, image->entry, last.begin, last.end - last.begin, (enum rtap_missing_reason)(last.state - RANGE_MISSING));
	return result;
}

int images_missing(const struct images *images, int (*print)(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length,
							    enum rtap_missing_reason reason), void *owner)
{
	const struct image *image;
	int result = 0;

	STAILQ_FOREACH(image, &images->all, link)
		for (uint32_t i = 0; i < image->ranges.count && !result; i++) {
			const struct range *range = &image->ranges.at[i];

			if (range->state >= RANGE_MISSING)
				result = print(owner, image->entry, range->begin, range->end - range->begin,
					       (enum rtap_missing_reason)(range->state - RANGE_MISSING));
		}
	STAILQ_FOREACH(image, &images->all_files, link)
		if (!result)
			result = file_missing(image, print, owner);
	return result;
}

static void free_images(struct image_list *list)
{
	struct image *image;

	while ((image = STAILQ_FIRST(list))) {
		STAILQ_REMOVE_HEAD(list, link);
		ranges_fini(&image->ranges);
		free(image->recent);
		free(image);
	}
}

void images_fini(struct images *images)
{
	free_images(&images->all);
	free_images(&images->all_files);
	map_fini(&images->files);
	paths_fini(&images->paths);
}
