/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_apply.h"
#include "output/export/export_image.h"
#include "output/export/export_image_files.h"
#include "output/export/export_nameless.h"

#define MOST_IMAGES 1024      /* lookup is linear */

/* Commands of other connections that completed before can be reported after it, also the first ones of a unit. */
struct destroyed {
	SLIST_ENTRY(destroyed) link;
	uint64_t unit;            /* or BLOCK_ALL_UNITS */
	uint64_t frame;           /* of the last response */
	char target[];
};

void images_init(struct images *images, struct disk *disk, uint64_t max_memory)
{
	*images = (struct images){ .disk = disk, .max_memory = max_memory };
	paths_init(&images->paths, disk, max_memory);
	STAILQ_INIT(&images->all);
	STAILQ_INIT(&images->all_files);
	TAILQ_INIT(&images->copies.list);
}

static struct image *find(const struct images *images, const struct block_effect *effect)
{
	char number[IMAGE_UNIT_TEXT];
	const char *unit = image_unit(effect, number);
	struct image *image;

	STAILQ_FOREACH(image, &images->all, link)
		if (!strcmp(image->unit, unit) && !strcmp(image->target, effect->target))
			return image;
	return NULL;
}

/* Whether the image is of the unit; `name`: NULL: it has only its number. */
static bool is_of(const struct image *image, const char *target, uint64_t unit, const char *name)
{
	char number[IMAGE_UNIT_TEXT];

	return !strcmp(image->target, target) &&
	       (unit == BLOCK_ALL_UNITS || !strcmp(image->unit, image_unit(&(struct block_effect){ .unit = unit, .name = name }, number)));
}

static struct destroyed *find_destroyed(const struct images *images, const struct block_effect *effect)
{
	struct destroyed *destroyed;

	SLIST_FOREACH(destroyed, &images->destroyed, link)
		if (destroyed->unit == effect->unit && !strcmp(destroyed->target, effect->target))
			return destroyed;
	return NULL;
}

/* Remembers that the command left nothing known of a whole unit, or of all. */
static void note_destroyed(struct images *images, const struct block_effect *effect)
{
	struct destroyed *destroyed = find_destroyed(images, effect);
	size_t length = strlen(effect->target) + 1, size = sizeof *destroyed + length;

	if (!destroyed) {
		destroyed = images->destroyed_count < MOST_IMAGES && images->memory + size <= images->max_memory ? calloc(1, size) : NULL;
		if (!destroyed) {
			images->refused++;
			return;
		}
		memcpy(destroyed->target, effect->target, length);
		destroyed->unit = effect->unit;
		images->memory += size;
		images->destroyed_count++;
		SLIST_INSERT_HEAD(&images->destroyed, destroyed, link);
	}
	if (effect->response_frame > destroyed->frame)
		destroyed->frame = effect->response_frame;
}

/* Sets the frame before which nothing is known of the image. */
static void take_destroyed(const struct images *images, struct image *image)
{
	const struct destroyed *destroyed;

	SLIST_FOREACH(destroyed, &images->destroyed, link)
		if (destroyed->frame > image->destroyed && is_of(image, destroyed->target, destroyed->unit, NULL))
			image->destroyed = destroyed->frame;
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
	char number[IMAGE_UNIT_TEXT];
	const char *unit = image_unit(effect, number);
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
	take_destroyed(images, image);
	images->memory += size;
	images->count++;
	STAILQ_INSERT_TAIL(&images->all, image, link);
	return image;
}

/* Applies a command up to the end of a device, or to all known units of the target. */
static void take_known(struct images *images, const struct block_effect *effect)
{
	bool is_whole = effect->to_end && !effect->offset, is_known = false;
	struct image *image;

	if (is_whole)
		note_destroyed(images, effect);
	STAILQ_FOREACH(image, &images->all, link) {
		if (!is_of(image, effect->target, effect->unit, effect->name))
			continue;
		is_known = true;
		take_destroyed(images, image);
		if (effect->to_end)
			apply_to_end(images, image, effect);
		else if (effect->length && image_is_possible(images, effect))
			apply_command(images, image, effect, NULL);
	}
	/* of a unit that is not known yet, only whole units are remembered */
	if (!is_whole && (!is_known || effect->unit == BLOCK_ALL_UNITS))
		note_destroyed(images, effect);
}

void images_take(struct images *images, const struct block_effect *effect)
{
	struct block_effect from = *effect;
	struct image *image, *source;

	if (effect->kind == BLOCK_UNSEEN) {
		images->commandless++;
		return;
	}
	images->commands++;
	if (effect->address)
		nameless_take(images, effect);
	if (effect->to_end || effect->unit == BLOCK_ALL_UNITS) {
		take_known(images, effect);
		return;
	}
	if (!effect->length) {
		images->unplaced++;
		return;
	}
	if (!image_is_possible(images, effect))
		return;
	image = find(images, effect);
	if (!image)
		image = create(images, effect);
	from.unit = effect->source_unit;
	source = effect->kind == BLOCK_COPIED ? find(images, &from) : NULL;
	if (image && effect->address)
		nameless_know(images, image, effect);
	if (image && effect->is_nameless)
		nameless_apply(images, image, source, effect);
	if (image)
		apply_command(images, image, effect, source);
	if (image && effect->address)
		nameless_doubt(images, image, effect);
	if (image && effect->address && !effect->is_nameless)
		nameless_apply(images, image, source, effect);
}

typedef int print_range(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length, enum rtap_missing_reason reason);

/*
 * The missing bytes of an image; adjacent ranges with one reason are merged. For a file, all unknown bytes up to its end; for a device, those that
 * commands read or wrote.
 */
static int missing_of(const struct image *image, print_range *print, void *owner)
{
	struct extent last = { .end = 0 };
	int result = 0;

	for (uint64_t at = 0; image->entry && at < image->entry->size && !result;) {
		struct extent here = extents_at(&image->extents, at);

		if (here.end > image->entry->size)
			here.end = image->entry->size;
		if (!here.facts.is_known)
			here.facts.state = image->is_file ? RANGE_MISSING + RTAP_MISSING_NOT_CAPTURED : RANGE_DATA;
		at = here.end;
		if (here.facts.state == last.facts.state && here.begin == last.end) {
			last.end = here.end;
			continue;
		}
		if (last.facts.state >= RANGE_MISSING)
			result = print(owner, image->entry, last.begin, last.end - last.begin,
				       (enum rtap_missing_reason)(last.facts.state - RANGE_MISSING));
		last = here;
	}
	if (last.facts.state >= RANGE_MISSING && !result)
		result = print(owner, image->entry, last.begin, last.end - last.begin, (enum rtap_missing_reason)(last.facts.state - RANGE_MISSING));
	return result;
}

int images_missing(struct images *images, int (*print)(void *owner, const struct disk_entry *entry, uint64_t offset, uint64_t length,
							    enum rtap_missing_reason reason), void *owner)
{
	const struct unseen *unseen;
	struct image *image;
	int result = 0;

	nameless_finish(images);
	STAILQ_FOREACH(image, &images->all, link)
		if (!result)
			result = missing_of(image, print, owner);
	STAILQ_FOREACH(image, &images->all_files, link) {
		image_take_unseen(images, image);
		image_take_unseen_ranges(images, image, &images->unseen.any);
		SLIST_FOREACH(unseen, &images->unseen.list, link)
			image_take_unseen_ranges(images, image, unseen);
		if (!result)
			result = missing_of(image, print, owner);
	}
	return result;
}

static void free_images(struct image_list *list)
{
	struct image *image;

	while ((image = STAILQ_FIRST(list))) {
		STAILQ_REMOVE_HEAD(list, link);
		extents_fini(&image->extents);
		free(image);
	}
}

void images_fini(struct images *images)
{
	struct destroyed *destroyed;

	free_images(&images->all);
	free_images(&images->all_files);
	while ((destroyed = SLIST_FIRST(&images->destroyed))) {
		SLIST_REMOVE_HEAD(&images->destroyed, link);
		free(destroyed);
	}
	apply_fini(images);
	nameless_fini(&images->nameless);
	unseen_fini(&images->unseen);
	paths_fini(&images->paths);
}
