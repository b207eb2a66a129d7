/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/export/export_apply.h"
#include "output/export/export_image.h"
#include "output/export/export_image_files.h"

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

/* Responses come in order. Of too many sizes the oldest two are taken for one. */
static void note_cut(struct image *image, uint64_t frame, uint64_t size)
{
	struct image_cut *cuts = image->cuts;

	while (image->cut_count && cuts[image->cut_count - 1].size >= size)
		image->cut_count--;
	if (image->cut_count == IMAGE_CUTS) {
		cuts[1].size = cuts[0].size;
		memmove(cuts, cuts + 1, (IMAGE_CUTS - 1) * sizeof *cuts);
		image->cut_count--;
	}
	cuts[image->cut_count++] = (struct image_cut){ frame, size };
}

/* Responses come in order; a size is larger than those before. Of too many the oldest two are taken for one. */
static void note_shown(struct image *image, uint64_t frame, uint64_t size)
{
	struct image_cut *shown = image->shown;

	if (image->shown_count == IMAGE_CUTS) {
		shown[0].size = shown[1].size;
		memmove(shown + 1, shown + 2, (IMAGE_CUTS - 2) * sizeof *shown);
		image->shown_count--;
	}
	shown[image->shown_count++] = (struct image_cut){ frame, size };
}

/* The size was set, after `before`. */
static void note_end(struct image *image, uint64_t frame, uint64_t before, uint64_t size)
{
	unsigned count = 0;

	if (!image->size_known || !image->shown_count || size <= image->end) {
		image->end = size;
		image->shown_count = 0;
		return;
	}
	while (count < image->shown_count && image->shown[count].size < size)
		count++;
	if (count < image->shown_count) {
		image->shown[count].size = size;
		image->shown_count = count + 1;
	} else if (size > before) {
		note_shown(image, frame, size);
	}
}

/* Where what was written before the frame ends. NULL: anywhere. */
static const struct image_cut *cut_of(const struct image *image, uint64_t frame)
{
	for (unsigned i = 0; i < image->cut_count; i++)
		if (frame < image->cuts[i].frame)
			return &image->cuts[i];
	return NULL;
}

/* Operations are reported when their data are complete: the size may have been set since. */
static void apply_to_file(struct images *images, struct image *image, const struct block_effect *effect, const struct image *source)
{
	struct block_effect bytes = *effect;
	const struct image_cut *cut = cut_of(image, image_frame_of(effect));

	bytes.to_end = false;
	if (cut && bytes.offset + bytes.length > cut->size)
		bytes.length = bytes.offset < cut->size ? cut->size - bytes.offset : 0;
	if (bytes.length)
		apply_command(images, image, &bytes, source);
}

/* A size was set before the last one that is known: zeros follow it up to the later end. */
static void resize_before(struct images *images, struct image *image, uint64_t size, uint64_t frame)
{
	const struct block_effect zeros = {
		.kind = BLOCK_ZEROED, .offset = size, .length = size < image->entry->size ? image->entry->size - size : 0, .request_frame = frame,
		.response_frame = frame,
	};

	apply_to_file(images, image, &zeros, NULL);
}

static void resize_file(struct images *images, struct image *image, uint64_t size, uint64_t frame)
{
	uint64_t before = image->entry->size;

	if (size > INT64_MAX) {
		images->disk->too_far++;
		return;
	}
	if (image->cut_count && frame < image->cuts[image->cut_count - 1].frame) {
		resize_before(images, image, size, frame);
		return;
	}
	if (!disk_resize(images->disk, image->entry, size))
		return;
	if (size < before)
		image_cut(images, image, size);
	else if (image->size_known)
		image_set(images, image, before, size, RANGE_ZEROS, 0);
	note_end(image, frame, before, size);
	image->size_known = true;
	note_cut(image, frame, size);
}

/* Up to where the file is known to extend. A smaller allocation ends it at a multiple of a size that is not known. */
static uint64_t least_end(const struct image *image)
{
	uint64_t cut = image->cut_count ? image->cuts[image->cut_count - 1].size : UINT64_MAX;

	return !image->size_known && cut < image->entry->size ? cut : image->entry->size;
}

/* The same of a change that did not go beyond the end of the file. */
static void apply_before_end(struct images *images, struct image *image, const struct block_effect *effect)
{
	struct block_effect bytes = *effect;
	uint64_t end = effect->to_end ? image->entry->size : least_end(image), left = end > effect->offset ? end - effect->offset : 0;
	const struct image_part beyond = {
		.images = images, .image = image, .effect = effect, .kind = BLOCK_SPOILED, .reason = RTAP_MISSING_NOT_CAPTURED,
	};

	/* its order can be forgotten, too */
	if (effect->response_frame > images->newest)
		images->newest = effect->response_frame;
	/* WRITEs before it can be reported later, and other changes after it were perhaps reported before */
	if (!effect->to_end && bytes.length > left)
		image_put(&beyond, effect->offset + left, effect->offset + effect->length);
	if (effect->to_end || bytes.length > left)
		bytes.length = left;
	apply_to_file(images, image, &bytes, NULL);
	if (!effect->to_end)
		return;
	image->size_known = false;
	if (!image->cut_count || effect->response_frame >= image->cuts[image->cut_count - 1].frame)
		note_cut(image, effect->response_frame, effect->offset);
}

/* Remembers a change of some file below the path, through the file id of the image `via` if that is known. */
static void note_unseen(struct images *images, const struct file_effect *effect)
{
	const struct image *via = effect->via ? find_file(images, effect->via) : NULL;
	const struct block_effect *bytes = &effect->bytes;
	uint64_t room = images->memory < images->max_memory ? images->max_memory - images->memory : 0;
	bool is_range = bytes->length && bytes->offset <= UINT64_MAX - bytes->length;
	uint64_t first = via ? via->first : effect->first;
	size_t memory = unseen_add(&images->unseen, effect->path, first, bytes->response_frame, is_range ? bytes->offset : 0,
				   is_range ? bytes->offset + bytes->length : UINT64_MAX, room);

	/* the CREATE that was not captured may have emptied the file: then there are zeros before what changed */
	if (is_range && bytes->offset && via && via->is_of_id && via->opened)
		memory += unseen_add(&images->unseen, effect->path, first, via->opened, 0, bytes->offset, room - memory);
	images->memory += memory;
}

/* A request was missing before the one of the effect. */
static void note_gap(struct images *images, const struct file_effect *effect)
{
	if (effect->unseen <= images->gaps)
		return;
	images->gaps = effect->unseen;
	images->gap_frame = effect->bytes.request_frame;
}

/* Nothing is known before the frame. */
static void destroy(struct images *images, struct image *image, uint64_t frame)
{
	image->destroyed = frame;
	image->size_known = false;
	apply_unknown(images, image, 0, UINT64_MAX, frame, RTAP_MISSING_NOT_CAPTURED);
}

/* The contents before the last change of any bytes are unknown. */
void image_take_unseen(struct images *images, struct image *image)
{
	uint64_t frame = images->unseen.any.frame;
	const struct unseen *unseen;

	SLIST_FOREACH(unseen, &images->unseen.list, link)
		if (unseen->frame > frame && !(unseen->first && image->is_of_id) && unseen_is_of(unseen, image->target, image->born))
			frame = unseen->frame;
	if (frame <= image->destroyed || !image->entry)
		return;
	destroy(images, image, frame);
}

/* The same of the ranges that changed. An image of a file id has what was read and written with this id. */
void image_take_unseen_ranges(struct images *images, struct image *image, const struct unseen *unseen)
{
	struct extent here;

	if (!image->entry || image->is_of_id || !unseen_is_of(unseen, image->target, image->born))
		return;
	for (uint64_t at = 0; at < image->entry->size; at = here.end) {
		here = extents_at(&unseen->ranges, at);
		if (here.facts.is_known)
			apply_unknown(images, image, here.begin, here.end, here.facts.frame, RTAP_MISSING_NOT_CAPTURED);
	}
}

/* The image of the file; `create`: a new one if there is none. */
static struct image *file_of(struct images *images, const struct file_effect *effect, bool create)
{
	uint64_t unseen = effect->unseen + images->unseen.ranges;
	struct image *image = find_file(images, effect->path);

	if (image) {
		image_take_unseen(images, image);
	} else if (create && (image = create_file(images, effect->path))) {
		image->first = effect->bytes.request_frame;
		image->is_of_id = effect->is_of_id;
		image->opened = images->gap_frame < image->first ? images->gap_frame : image->first;
		image->unseen = unseen;
		image->disk_id = effect->disk_id;
		if (effect->kind == FILE_DATA && effect->size <= INT64_MAX)
			disk_resize(images->disk, image->entry, effect->size);
	}
	if (image && image->unseen != unseen) {
		/* a missing request may have changed the size */
		image->size_known = false;
		image->unseen = unseen;
	}
	return image;
}

/* The file whose bytes were copied. NULL: they are unknown. */
static const struct image *source_of(struct images *images, const struct file_effect *effect)
{
	struct image *source = effect->bytes.kind == BLOCK_COPIED ? find_file(images, effect->source) : NULL;

	if (!source)
		return NULL;
	image_take_unseen(images, source);
	/* its size was set since: what is there now, as zeros, need not have been there */
	return source->cut_count && source->cuts[source->cut_count - 1].frame > effect->bytes.request_frame ? NULL : source;
}

/* A new file has the path: the one that had it was deleted. It keeps its contents while there is much memory left. */
static void keep_deleted(struct images *images, const char *path)
{
	const struct image *deleted = find_file(images, path);

	if (deleted && deleted->entry->size && images->memory < images->max_memory / 2 && !paths_move(&images->paths, "", path))
		images->refused++;
}

/* A file that was opened by its path in other cases, as its id on the disk proves, has that path now. */
static void take_case(struct images *images, const struct file_effect *effect)
{
	const struct path *path;
	const struct image *image;
	char *before;

	if (!effect->disk_id || effect->is_new || (effect->kind != FILE_RESIZED && effect->kind != FILE_SIZE_SEEN) || find_file(images, effect->path))
		return;
	path = (const struct path *)path_tree_find_folded(&images->paths.tree, effect->path);
	image = path ? path->file : NULL;
	before = image && image->disk_id == effect->disk_id ? path_tree_text(&path->node) : NULL;
	if (before && !paths_move(&images->paths, before, effect->path))
		images->refused++;
	free(before);
}

/* Whether the path was opened, and is not the file any more that had it: who renamed or replaced that was not captured. */
static bool is_other(const struct images *images, const struct file_effect *effect)
{
	const struct image *image = effect->disk_id && (effect->kind == FILE_RESIZED || effect->kind == FILE_SIZE_SEEN) ? find_file(images, effect->path) : NULL;

	return image && image->disk_id && image->disk_id != effect->disk_id;
}

void images_take_file(struct images *images, const struct file_effect *effect)
{
	/* what was written before a change without data can be reported later */
	bool has_bytes = effect->kind == FILE_DATA || effect->kind == FILE_RESIZED;
	struct image *image;

	images->file_operations++;
	note_gap(images, effect);
	if (effect->kind == FILE_UNSEEN) {
		note_unseen(images, effect);
		return;
	}
	if (effect->kind == FILE_DATA && !image_is_possible(images, &effect->bytes))
		return;
	take_case(images, effect);
	if ((effect->kind == FILE_RESIZED && effect->is_new) || is_other(images, effect))
		keep_deleted(images, effect->path);
	image = file_of(images, effect, has_bytes);
	if (effect->kind == FILE_RENAMED && !paths_move(&images->paths, effect->is_of_id ? "" : effect->path, effect->new_path))
		images->refused++;
	if (!image)
		return;
	/* there was no memory to keep the other one */
	if (is_other(images, effect))
		destroy(images, image, effect->bytes.response_frame);
	if (effect->kind == FILE_RESIZED || effect->kind == FILE_SIZE_SEEN)
		image->disk_id = effect->disk_id ? effect->disk_id : image->disk_id;
	switch (effect->kind) {
	case FILE_DATA:
		if (effect->is_bounded)
			apply_before_end(images, image, &effect->bytes);
		else
			apply_to_file(images, image, &effect->bytes, source_of(images, effect));
		break;
	case FILE_RESIZED:
		image->born = effect->is_new ? effect->bytes.response_frame : image->born;
		resize_file(images, image, effect->size, effect->bytes.response_frame);
		break;
	case FILE_SIZE_SEEN:
		if (effect->size > image->entry->size && effect->size <= INT64_MAX && disk_resize(images->disk, image->entry, effect->size))
			note_shown(image, effect->bytes.response_frame, effect->size);
		break;
	case FILE_RENAMED: case FILE_UNSEEN: break;
	}
}
