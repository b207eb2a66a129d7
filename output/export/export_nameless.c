/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_apply.h"
#include "output/export/export_image.h"
#include "output/export/export_nameless.h"

#define MOST_EXTENTS 16384    /* of changes: 1.3 MB */
#define CHUNK 16384           /* bytes compared at once */
#define PATH_TEXT 1024        /* of longer ones, changes are of all units of the address */
#define MOST_ADDRESS 256

/* The number of the address; NAMELESS_ADDRESSES: too many. */
static unsigned number_of(struct nameless *nameless, const char *address)
{
	unsigned number = 0;

	while (number < nameless->address_count && strcmp(nameless->addresses[number], address))
		number++;
	if (number == nameless->address_count && number < NAMELESS_ADDRESSES && strlen(address) < MOST_ADDRESS &&
	    (nameless->addresses[number] = strdup(address)))
		nameless->address_count++;
	return number < nameless->address_count ? number : NAMELESS_ADDRESSES;
}

/* `end`: follows the path: "" or "/". */
static void path_of(char path[PATH_TEXT], const char *address, const char *unit, const char *end)
{
	bool fits = strlen(address) + strlen(unit) + 3 < PATH_TEXT;

	snprintf(path, PATH_TEXT, "%s%s%s%s", address, fits ? "/" : "", fits ? unit : "", end);
}

/* False also if they are too many to compare. */
static bool are_equal(struct images *images, const struct image *one, const struct image *other, uint64_t begin, uint64_t end)
{
	uint8_t bytes[2][CHUNK];

	if (!image_may_make(images, end - begin))
		return false;
	for (size_t length; begin < end; begin += length) {
		length = end - begin < CHUNK ? (size_t)(end - begin) : CHUNK;
		if (!disk_read(images->disk, one->entry, begin, bytes[0], length) || !disk_read(images->disk, other->entry, begin, bytes[1], length) ||
		    memcmp(bytes[0], bytes[1], length))
			return false;
	}
	return true;
}

/* What the image by address knew before commands on the named one is unknown, unless both have the same bytes. */
static void compare(struct images *images, struct image *image, const struct image *named, uint64_t begin, uint64_t end)
{
	uint64_t size = image->entry->size < named->entry->size ? image->entry->size : named->entry->size;

	size = size < end ? size : end;
	for (uint64_t at = begin, stop; at < size; at = stop) {
		struct extent here = extents_at(&image->extents, at), other = extents_at(&named->extents, at);
		bool is_older = here.facts.frame < other.facts.frame || (images->horizon && here.facts.frame <= images->horizon);

		stop = here.end < other.end ? here.end : other.end;
		stop = stop < size ? stop : size;
		if (!image_may_pass(images, 1)) {
			extents_spoil(&image->extents, at, size, RANGE_MISSING + RTAP_MISSING_EVICTED);
			return;
		}
		if (here.facts.is_known && other.facts.is_known && here.facts.state < RANGE_MISSING && is_older &&
		    (here.facts.state != RANGE_ZEROS || other.facts.state != RANGE_ZEROS) &&
		    (other.facts.state >= RANGE_MISSING || !are_equal(images, image, named, at, stop)))
			apply_doubt(images, image, at, stop, other.facts.frame > here.facts.frame ? other.facts.frame : here.facts.frame);
	}
}

/* Whether one of them is an image by address that can be of the same device as the other. */
static bool is_related(const struct image *image, const struct image *named)
{
	return image->is_nameless && !named->is_nameless && image->addresses & named->addresses && !strcmp(image->unit, named->unit);
}

void nameless_apply(struct images *images, struct image *image, struct image *source, const struct block_effect *effect)
{
	struct image *other;

	if (!images->nameless.images || effect->kind == BLOCK_READ)
		return;
	STAILQ_FOREACH(other, &images->all, link) {
		if (is_related(other, image))
			compare(images, other, image, effect->offset, effect->offset + effect->length);
		else if (source && is_related(source, other))
			compare(images, source, other, effect->source, effect->source + effect->length);
	}
}

void nameless_take(struct images *images, const struct block_effect *effect)
{
	struct nameless *nameless = &images->nameless;
	struct unseen_changes *changes = effect->is_nameless ? &nameless->changes : &nameless->unplaced;
	/* where a command on blocks of unknown size went is not known */
	bool is_whole = effect->unit == BLOCK_ALL_UNITS || !effect->length || effect->offset > UINT64_MAX - effect->length;
	uint64_t begin = is_whole && !effect->to_end ? 0 : effect->offset, end = is_whole || effect->to_end ? UINT64_MAX : effect->offset + effect->length;
	uint64_t room = images->memory < images->max_memory ? images->max_memory - images->memory : 0;
	char path[PATH_TEXT] = "", text[IMAGE_UNIT_TEXT];
	struct image *image;
	unsigned number;

	/* others on targets with a name are in their images */
	if (effect->kind == BLOCK_READ || (!effect->is_nameless && !is_whole))
		return;
	number = number_of(nameless, effect->address);
	if (number < NAMELESS_ADDRESSES && effect->unit == BLOCK_ALL_UNITS)
		snprintf(path, sizeof path, "%s", effect->address);
	else if (number < NAMELESS_ADDRESSES)
		path_of(path, effect->address, image_unit(effect, text), "");
	changes->most_extents = MOST_EXTENTS;
	images->memory += unseen_add(changes, path, 0, effect->response_frame, begin, end, room);
	STAILQ_FOREACH(image, &images->all, link)
		if (image->is_nameless != effect->is_nameless && image->addresses >> number & 1 &&
		    (effect->unit == BLOCK_ALL_UNITS || !strcmp(image->unit, image_unit(effect, text))))
			apply_doubt(images, image, begin, end, effect->response_frame);
}

void nameless_know(struct images *images, struct image *image, const struct block_effect *effect)
{
	image->addresses |= UINT64_C(1) << number_of(&images->nameless, effect->address);
	if (effect->is_nameless && !image->is_nameless) {
		image->is_nameless = true;
		images->nameless.images++;
	}
}

/* The changes of a range after `frame`. */
static void take_later(struct images *images, struct image *image, const struct unseen *unseen, uint64_t begin, uint64_t end, uint64_t frame)
{
	struct extent here;

	if (unseen->frame > frame)
		apply_doubt(images, image, begin, end, unseen->frame);
	for (uint64_t at = begin; at < end; at = here.end) {
		if (!image_may_pass(images, 1)) {
			extents_spoil(&image->extents, at, end, RANGE_MISSING + RTAP_MISSING_EVICTED);
			break;
		}
		here = extents_at(&unseen->ranges, at);
		if (here.facts.is_known && here.facts.frame > frame)
			apply_doubt(images, image, at, here.end < end ? here.end : end, here.facts.frame);
	}
}

void nameless_doubt(struct images *images, struct image *image, const struct block_effect *effect)
{
	struct nameless *nameless = &images->nameless;
	struct unseen_changes *changes = image->is_nameless ? &nameless->unplaced : &nameless->changes;
	uint64_t end = effect->offset + effect->length, frame = image_frame_of(effect);
	const struct unseen *unseen;
	char path[PATH_TEXT];

	if (!changes->ranges)
		return;
	take_later(images, image, &changes->any, effect->offset, end, frame);
	path_of(path, effect->address, image->unit, "/");
	SLIST_FOREACH(unseen, &changes->list, link)
		if (unseen_is_of(unseen, path, 0))
			take_later(images, image, unseen, effect->offset, end, frame);
}

static void take(struct images *images, struct image *image, const struct unseen *unseen)
{
	struct extent here;

	if (unseen->frame)
		apply_doubt(images, image, 0, UINT64_MAX, unseen->frame);
	for (uint64_t at = 0; at < image->entry->size; at = here.end) {
		here = extents_at(&unseen->ranges, at);
		if (here.facts.is_known)
			apply_doubt(images, image, here.begin, here.end, here.facts.frame);
	}
}

static void compare_all(struct images *images)
{
	struct image *image, *named;

	STAILQ_FOREACH(image, &images->all, link)
		STAILQ_FOREACH(named, &images->all, link)
			if (is_related(image, named))
				compare(images, image, named, 0, UINT64_MAX);
}

void nameless_finish(struct images *images)
{
	const struct nameless *nameless = &images->nameless;
	const struct unseen *unseen;
	struct image *image;
	char path[PATH_TEXT];

	compare_all(images);
	STAILQ_FOREACH(image, &images->all, link) {
		const struct unseen_changes *changes = image->is_nameless ? &nameless->unplaced : &nameless->changes;

		if (!image->addresses || !changes->ranges)
			continue;
		take(images, image, &changes->any);
		for (unsigned i = 0; i < nameless->address_count; i++) {
			if (!(image->addresses >> i & 1))
				continue;
			path_of(path, nameless->addresses[i], image->unit, "/");
			SLIST_FOREACH(unseen, &changes->list, link)
				if (unseen_is_of(unseen, path, 0))
					take(images, image, unseen);
		}
	}
}

void nameless_fini(struct nameless *nameless)
{
	for (unsigned i = 0; i < nameless->address_count; i++)
		free(nameless->addresses[i]);
	unseen_fini(&nameless->changes);
	unseen_fini(&nameless->unplaced);
}
