/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_extents.h"
#include "output/export/export_images.h"
#include "output/export/export_ranges.h"
#include "reassembly/store/coverage.h"

#define NUMBER_TEXT 32
#define MOST_IMAGES 1024      /* lookup is linear */
#define EXTENT_MEMORY (sizeof(struct extent) + 16)
#define CHUNK 16384           /* bytes generated at once: a multiple of most block sizes */
/*
 * Limits of generated data, because short commands (WRITE SAME, Copy) can produce much: a constant, plus a multiple of the
 * captured bytes. Data beyond are missing.
 */
#define MOST_MADE (UINT64_C(256) << 20)
#define MADE_FOR_CAPTURED 8
/* Work limit: extents of newer commands that older commands skip, per command, and an initial allowance. */
#define PASSED_BY_COMMAND 64
#define PASSED_ALWAYS 65536

struct image {
	STAILQ_ENTRY(image) link;
	struct disk_entry *entry;
	char *unit;               /* its name or number, after `target` */
	struct extents extents;
	uint64_t resized;         /* of a file: frame of the response that set its size last; bytes that were written before end at cut_at */
	uint64_t cut_at;
	uint64_t destroyed;       /* the effect of commands before this frame is unknown */
	bool is_file;
	bool size_known;          /* of a file: its end is entry->size */
	bool is_of_id;            /* of a file: its path is not known */
	uint64_t unseen;          /* of a file, with size_known: requests that were missing before, and changes of unknown files */
	uint64_t first;           /* of a file: the request with which the image began */
	uint64_t born;            /* of a file: the response that created it; 0: unknown */
	char target[];            /* of a file: its first path */
};

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

/* Whether the image is of the unit; `name`: NULL: it has only its number. */
static bool is_of(const struct image *image, const char *target, uint64_t unit, const char *name)
{
	char number[NUMBER_TEXT];

	return !strcmp(image->target, target) &&
	       (unit == BLOCK_ALL_UNITS || !strcmp(image->unit, unit_of(&(struct block_effect){ .unit = unit, .name = name }, number)));
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
	take_destroyed(images, image);
	images->memory += size;
	images->count++;
	STAILQ_INSERT_TAIL(&images->all, image, link);
	return image;
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

static void set(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state, uint64_t frame)
{
	const struct extent_facts facts = { .state = (uint8_t)state, .is_known = true, .frame = frame };

	if (begin >= end || try_to_set(images, image, begin, end, &facts) || (discard(images) && try_to_set(images, image, begin, end, &facts)))
		return;
	images->unreported++;
	extents_spoil(&image->extents, begin, end, RANGE_MISSING + RTAP_MISSING_EVICTED);
}

/* Sets the state only where it is unknown. */
static void fill(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state)
{
	while (begin < end) {
		struct extent here = extents_at(&image->extents, begin);
		uint64_t stop = here.end < end ? here.end : end;

		if (here.facts.is_known)
			images->passed++;
		else
			set(images, image, begin, stop, state, 0);
		begin = stop;
	}
}

/* An action on a part of a command's range. */
struct part {
	struct images *images;
	struct image *image;
	const struct block_effect *effect;
	enum block_effect_kind kind; /* of the effect; for a part of a copy, the state of the source */
	bool is_late;             /* its order is no longer known */
	const uint8_t *bytes;     /* of a copy: of the range from `at` on; NULL: the effect has the data */
	uint64_t at;
	enum rtap_missing_reason reason; /* SPOILED */
};

static uint64_t frame_of(const struct block_effect *effect)
{
	return effect->kind == BLOCK_READ ? effect->request_frame : effect->response_frame;
}

static void set_part(const struct part *part, uint64_t begin, uint64_t end, unsigned state)
{
	set(part->images, part->image, begin, end, state, frame_of(part->effect));
}

static void spoil(const struct part *part, uint64_t begin, uint64_t end, enum rtap_missing_reason reason)
{
	if (part->effect->kind == BLOCK_READ)
		fill(part->images, part->image, begin, end, RANGE_MISSING + reason);
	else
		set_part(part, begin, end, RANGE_MISSING + reason);
}

/* Whether the limit allows `length` more bytes that were not captured. */
static bool may_make(struct images *images, uint64_t length)
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

static bool put_bytes(const struct part *part, uint64_t begin, const uint8_t *bytes, uint64_t length)
{
	if (!disk_write(part->images->disk, part->image->entry, begin, bytes, length))
		return false;
	set_part(part, begin, begin + length, RANGE_DATA);
	return true;
}

static void put_data(const struct part *part, uint64_t begin, uint64_t end)
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
static void put_repeated(const struct part *part, uint64_t begin, uint64_t end)
{
	const struct block_effect *effect = part->effect;
	const uint8_t *block;
	uint8_t made[CHUNK];
	uint64_t after;

	if (!effect->period || !is_present(effect->data, 0, effect->period, &after, &block) || !block || after < effect->period) {
		spoil(part, begin, end, RTAP_MISSING_NOT_CAPTURED);
		return;
	}
	if (!may_make(part->images, end - begin)) {
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

static void put(const struct part *part, uint64_t begin, uint64_t end)
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
	case BLOCK_SPOILED:
		spoil(part, begin, end, part->reason);
		break;
	}
}

/*
 * Whether the state of the bytes was set by a later command. A read may return the contents before a concurrent write; of two reads
 * the later one is used.
 */
static bool is_newer(const struct part *part, const struct extent_facts *facts)
{
	if (part->is_late && part->effect->kind == BLOCK_READ)
		return facts->is_known;
	return facts->frame > frame_of(part->effect);
}

/* Applies the part where nothing newer is known. */
static void put_where_newest(const struct part *part, uint64_t begin, uint64_t end)
{
	struct images *images = part->images;

	while (begin < end) {
		struct extent here = extents_at(&part->image->extents, begin);
		uint64_t stop = here.end;

		if (images->passed > PASSED_ALWAYS + PASSED_BY_COMMAND * (images->commands + images->file_operations)) {
			images->passed -= PASSED_BY_COMMAND;
			set(images, part->image, begin, end, RANGE_MISSING + RTAP_MISSING_EVICTED, images->newest);
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

/* Copies the parts of a range that are known and were not changed meanwhile. `source`: NULL: all unknown. */
static void copy(struct part *part, const struct image *source)
{
	const struct block_effect *effect = part->effect;
	uint8_t bytes[CHUNK];

	for (uint64_t done = 0, length; done < effect->length; done += length) {
		struct extent here = { .end = UINT64_MAX };
		uint64_t from = effect->source + done;

		if (source)
			here = extents_at(&source->extents, from);
		length = here.end - from < effect->length - done ? here.end - from : effect->length - done;
		part->kind = BLOCK_SPOILED;
		part->bytes = NULL;
		part->reason = RTAP_MISSING_NOT_CAPTURED;
		if (here.facts.is_known && here.facts.frame <= effect->request_frame && here.facts.state == RANGE_ZEROS) {
			part->kind = BLOCK_ZEROED;
		} else if (here.facts.is_known && here.facts.frame <= effect->request_frame && here.facts.state == RANGE_DATA) {
			length = length < CHUNK ? length : CHUNK;
			if (!may_make(part->images, length)) {
				part->reason = RTAP_MISSING_EVICTED;
			} else if (disk_read(part->images->disk, source->entry, from, bytes, length)) {
				part->kind = BLOCK_WRITTEN;
				part->bytes = bytes;
				part->at = effect->offset + done;
			}
		}
		put_where_newest(part, effect->offset + done, effect->offset + done + length);
	}
}

/* Applies the command to the image. `source`: of a copy. */
static void apply(struct images *images, struct image *image, const struct block_effect *effect, const struct image *source)
{
	uint64_t end = effect->offset + effect->length, before = image->entry->size;
	struct part part = { .images = images, .image = image, .effect = effect, .kind = effect->kind, .reason = RTAP_MISSING_NOT_CAPTURED,
			     .is_late = images->horizon && frame_of(effect) <= images->horizon };

	if (end > before && !disk_resize(images->disk, image->entry, end))
		return;
	if (effect->response_frame > images->newest)
		images->newest = effect->response_frame;
	/* bytes between the end of a file and a write beyond it are zeros; a read shows that the end was another one */
	if (image->size_known && effect->offset > before && effect->kind != BLOCK_READ)
		fill(images, image, before, effect->offset, RANGE_ZEROS);
	if (effect->kind == BLOCK_READ && end > before)
		image->size_known = false;
	if (frame_of(effect) < image->destroyed) {
		part.kind = BLOCK_SPOILED;
	} else if (part.is_late && effect->kind != BLOCK_READ) {
		part.kind = BLOCK_SPOILED;
		part.reason = RTAP_MISSING_EVICTED;
	}
	if (part.kind == BLOCK_COPIED)
		copy(&part, source);
	else
		put_where_newest(&part, effect->offset, end);
}

/* Whether the range can be in a file. */
static bool is_possible(struct images *images, const struct block_effect *effect)
{
	uint64_t end = effect->offset + effect->length;

	images->disk->too_far += end >= effect->offset && end > INT64_MAX;
	return end >= effect->offset && end <= INT64_MAX;
}

/* Applies a command up to the end of a device, whose known size is that of the image, or to all known units of the target. */
static void take_known(struct images *images, const struct block_effect *effect)
{
	struct image *image;

	if (effect->to_end && !effect->offset)
		note_destroyed(images, effect);
	STAILQ_FOREACH(image, &images->all, link) {
		struct block_effect known = *effect;

		if (!is_of(image, effect->target, effect->unit, effect->name))
			continue;
		take_destroyed(images, image);
		if (effect->to_end)
			known.length = image->entry->size > effect->offset ? image->entry->size - effect->offset : 0;
		if (known.length && is_possible(images, &known))
			apply(images, image, &known, NULL);
	}
}

void images_take(struct images *images, const struct block_effect *effect)
{
	struct block_effect source = *effect;
	struct image *image;

	images->commands++;
	if (effect->to_end || effect->unit == BLOCK_ALL_UNITS) {
		take_known(images, effect);
		return;
	}
	if (!effect->length) {
		images->unplaced++;
		return;
	}
	if (!is_possible(images, effect))
		return;
	image = find(images, effect);
	if (!image)
		image = create(images, effect);
	source.unit = effect->source_unit;
	if (image)
		apply(images, image, effect, effect->kind == BLOCK_COPIED ? find(images, &source) : NULL);
}

static struct image *find_file(const struct images *images, const char *path)
{
	const struct path *found = paths_find(&images->paths, path);

	return found ? found->file : NULL;
}

static struct image *create_file(struct images *images, const char *path)
{
	size_t length = strlen(path), size = sizeof(struct image) + length + 1;
	struct image *image = images->memory + size <= images->max_memory ? calloc(1, size) : NULL;
	struct path *place = image ? paths_make_file(&images->paths, path) : NULL;

	if (!place) {
		images->refused++;
		free(image);
		return NULL;
	}
	memcpy(image->target, path, length + 1);
	image->is_file = true;
	image->entry = place->entry;
	place->file = image;
	images->memory += size;
	STAILQ_INSERT_TAIL(&images->all_files, image, link);
	return image;
}

static void cut(struct images *images, struct image *image, uint64_t size)
{
	uint64_t before = image->extents.count;

	extents_cut(&image->extents, size);
	images->extents -= before - image->extents.count;
	images->memory -= (before - image->extents.count) * EXTENT_MEMORY;
}

static void resize_file(struct images *images, struct image *image, uint64_t size, uint64_t frame)
{
	uint64_t before = image->entry->size;

	if (size > INT64_MAX) {
		images->disk->too_far++;
		return;
	}
	if (frame < image->resized || !disk_resize(images->disk, image->entry, size))
		return;
	if (size < before)
		cut(images, image, size);
	else if (image->size_known)
		set(images, image, before, size, RANGE_ZEROS, 0);
	image->size_known = true;
	image->resized = frame;
	image->cut_at = size;
}

/* Operations are reported when their data are complete: the size may have been set since. */
static void apply_to_file(struct images *images, struct image *image, const struct block_effect *effect)
{
	struct block_effect bytes = *effect;

	if (frame_of(effect) < image->resized && bytes.offset + bytes.length > image->cut_at)
		bytes.length = bytes.offset < image->cut_at ? image->cut_at - bytes.offset : 0;
	if (bytes.length)
		apply(images, image, &bytes, NULL);
}

/* Remembers a change of some file below the path, through the file id of the image `via` if that is known. */
static void note_unseen(struct images *images, const struct file_effect *effect)
{
	const struct image *via = effect->via ? find_file(images, effect->via) : NULL;
	const struct block_effect *bytes = &effect->bytes;
	uint64_t room = images->memory < images->max_memory ? images->max_memory - images->memory : 0;
	bool is_range = bytes->length && bytes->offset <= UINT64_MAX - bytes->length;

	images->memory += unseen_add(&images->unseen, effect->path, via ? via->first : 0, bytes->response_frame, is_range ? bytes->offset : 0,
				     is_range ? bytes->offset + bytes->length : UINT64_MAX, room);
}

static void spoil_unseen(struct images *images, struct image *image, uint64_t begin, uint64_t end, uint64_t frame)
{
	struct block_effect effect = { .kind = BLOCK_SPOILED, .response_frame = frame };
	struct part part = { .images = images, .image = image, .effect = &effect, .kind = BLOCK_SPOILED, .reason = RTAP_MISSING_NOT_CAPTURED };

	put_where_newest(&part, begin, end < image->entry->size ? end : image->entry->size);
}

/* The contents before the last change of any bytes are unknown. */
static void take_unseen(struct images *images, struct image *image)
{
	uint64_t frame = images->unseen.any.frame;
	const struct unseen *unseen;

	SLIST_FOREACH(unseen, &images->unseen.list, link)
		if (unseen->frame > frame && !(unseen->first && image->is_of_id) && unseen_is_of(unseen, image->target, image->born))
			frame = unseen->frame;
	if (frame <= image->destroyed || !image->entry)
		return;
	image->destroyed = frame;
	image->size_known = false;
	spoil_unseen(images, image, 0, UINT64_MAX, frame);
}

/* The same of the ranges that changed. An image of a file id has what was read and written with this id. */
static void take_unseen_ranges(struct images *images, struct image *image, const struct unseen *unseen)
{
	struct extent here;

	if (!image->entry || image->is_of_id || !unseen_is_of(unseen, image->target, image->born))
		return;
	for (uint64_t at = 0; at < image->entry->size; at = here.end) {
		here = extents_at(&unseen->ranges, at);
		if (here.facts.is_known)
			spoil_unseen(images, image, here.begin, here.end, here.facts.frame);
	}
}

/* The image of the file; `create`: a new one if there is none. */
static struct image *file_of(struct images *images, const struct file_effect *effect, bool create)
{
	uint64_t unseen = effect->unseen + images->unseen.ranges;
	struct image *image = find_file(images, effect->path);

	if (image) {
		take_unseen(images, image);
	} else if (create && (image = create_file(images, effect->path))) {
		image->first = effect->bytes.request_frame;
		image->is_of_id = effect->is_of_id;
		image->unseen = unseen;
	}
	if (image && image->unseen != unseen) {
		/* a missing request may have changed the size */
		image->size_known = false;
		image->unseen = unseen;
	}
	return image;
}

/* A new file has the path: the one that had it was deleted. It keeps its contents while there is much memory left. */
static void keep_deleted(struct images *images, const char *path)
{
	const struct image *deleted = find_file(images, path);

	if (deleted && deleted->entry->size && images->memory < images->max_memory / 2 && !paths_move(&images->paths, "", path))
		images->refused++;
}

void images_take_file(struct images *images, const struct file_effect *effect)
{
	bool has_bytes = effect->kind == FILE_DATA || effect->kind == FILE_RESIZED;
	struct image *image;

	images->file_operations++;
	if (effect->kind == FILE_UNSEEN) {
		note_unseen(images, effect);
		return;
	}
	if (effect->kind == FILE_DATA && !is_possible(images, &effect->bytes))
		return;
	if (effect->kind == FILE_RESIZED && effect->is_new)
		keep_deleted(images, effect->path);
	image = file_of(images, effect, has_bytes);
	if (effect->kind == FILE_RENAMED && !paths_move(&images->paths, effect->is_of_id ? "" : effect->path, effect->new_path))
		images->refused++;
	if (!image)
		return;
	switch (effect->kind) {
	case FILE_DATA: apply_to_file(images, image, &effect->bytes); break;
	case FILE_RESIZED:
		image->born = effect->is_new ? effect->bytes.response_frame : image->born;
		resize_file(images, image, effect->size, effect->bytes.response_frame);
		break;
	case FILE_SIZE_SEEN:
		if (effect->size > image->entry->size && effect->size <= INT64_MAX)
			disk_resize(images->disk, image->entry, effect->size);
		break;
	case FILE_RENAMED: case FILE_UNSEEN: break;
	}
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

	STAILQ_FOREACH(image, &images->all, link)
		if (!result)
			result = missing_of(image, print, owner);
	STAILQ_FOREACH(image, &images->all_files, link) {
		take_unseen(images, image);
		take_unseen_ranges(images, image, &images->unseen.any);
		SLIST_FOREACH(unseen, &images->unseen.list, link)
			take_unseen_ranges(images, image, unseen);
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
	unseen_fini(&images->unseen);
	paths_fini(&images->paths);
}
