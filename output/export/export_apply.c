/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "output/export/export_apply.h"
#include "output/export/export_image.h"

#define CHUNK 16384           /* bytes copied at once: a multiple of most block sizes */
#define MOST_COPIES 65536
#define MOST_DEPTH 32         /* copies of copies that a command is followed through */
#define COPIED_MEMORY (sizeof(struct copied) + 16)

/* A part of a copy whose source bytes were set by one command. */
struct copied_facts {
	const struct image *source;
	struct image *image;      /* the destination */
	uint64_t from, to, length;
	uint64_t source_frame;    /* of the command that set the source */
	uint64_t request_frame, response_frame; /* of the copy */
};

struct copied {
	TAILQ_ENTRY(copied) link;
	struct copied_facts facts;
};

static void put(const struct image_part *part, uint64_t begin, uint64_t end);

/* The bytes become unknown: commands on their source can no longer be followed. */
static void give_up_oldest(struct images *images)
{
	struct copied *copied = TAILQ_FIRST(&images->copies.list);
	const struct copied_facts facts = copied->facts;

	TAILQ_REMOVE(&images->copies.list, copied, link);
	images->copies.count--;
	images->memory -= COPIED_MEMORY;
	free(copied);
	apply_unknown(images, facts.image, facts.to, facts.to + facts.length, facts.response_frame, RTAP_MISSING_EVICTED);
}

/* The list is emptied first: what was copied from these bytes is given up, too. */
static void give_up_all(struct images *images)
{
	struct copied_list list = TAILQ_HEAD_INITIALIZER(list);
	struct copied *copied;

	TAILQ_CONCAT(&list, &images->copies.list, link);
	images->memory -= images->copies.count * COPIED_MEMORY;
	images->copies.count = 0;
	images->copies.given_up++;
	while ((copied = TAILQ_FIRST(&list))) {
		const struct copied_facts *facts = &copied->facts;

		TAILQ_REMOVE(&list, copied, link);
		apply_unknown(images, facts->image, facts->to, facts->to + facts->length, facts->response_frame, RTAP_MISSING_EVICTED);
		free(copied);
	}
}

static bool is_continued(const struct copied_facts *a, const struct copied_facts *b)
{
	return a->source == b->source && a->image == b->image && a->from + a->length == b->from && a->to + a->length == b->to &&
	       a->source_frame == b->source_frame && a->request_frame == b->request_frame && a->response_frame == b->response_frame;
}

static void add_copied(struct images *images, const struct copied_facts *facts)
{
	struct copied *after = TAILQ_LAST(&images->copies.list, copied_list), *copied;

	if (after && is_continued(&after->facts, facts)) {
		after->facts.length += facts->length;
		return;
	}
	while (images->copies.count && (images->copies.count >= MOST_COPIES || images->memory + COPIED_MEMORY > images->max_memory))
		give_up_oldest(images);
	copied = images->memory + COPIED_MEMORY <= images->max_memory ? malloc(sizeof *copied) : NULL;
	if (!copied) {
		apply_unknown(images, facts->image, facts->to, facts->to + facts->length, facts->response_frame, RTAP_MISSING_EVICTED);
		return;
	}
	copied->facts = *facts;
	after = TAILQ_LAST(&images->copies.list, copied_list);
	while (after && after->facts.response_frame > facts->response_frame && image_may_pass(images, 1))
		after = TAILQ_PREV(after, copied_list, link);
	if (after && after->facts.response_frame > facts->response_frame) {
		give_up_all(images);
		after = NULL;
	}
	images->memory += COPIED_MEMORY;
	images->copies.count++;
	if (after)
		TAILQ_INSERT_AFTER(&images->copies.list, after, copied, link);
	else
		TAILQ_INSERT_HEAD(&images->copies.list, copied, link);
}

/* The part as a part of the copy. `effect` receives the command with the place and the time of the copy. False: it cannot have changed it. */
static bool follow(const struct image_part *part, const struct copied_facts *copied, uint64_t length, struct block_effect *effect,
		   struct image_part *followed)
{
	bool is_read = part->effect->kind == BLOCK_READ;
	uint64_t frame = image_frame_of(part->effect);

	/* one that ended after the copy began can have seen a later command */
	if (is_read && (part->is_late || part->effect->response_frame > copied->request_frame || frame < copied->source->destroyed))
		return false;
	if (frame < copied->source_frame)
		return false;
	/* parts of one copy; but a read that ended later can have seen what it wrote over its source */
	if (part->effect->request_frame == copied->request_frame && part->effect->response_frame == copied->response_frame &&
	    copied->source->read_until <= copied->response_frame)
		return false;
	*effect = *part->effect;
	effect->offset += copied->to - copied->from; /* modulo 2^64: the range can begin before the part */
	effect->request_frame = effect->response_frame = copied->response_frame;
	*followed = *part;
	followed->image = copied->image;
	followed->effect = effect;
	followed->at += copied->to - copied->from;
	followed->depth++;
	if (effect->kind != BLOCK_COPIED)
		followed->kind = effect->kind;
	image_part_order(followed);
	if (is_read && followed->is_late)
		return false;
	/* both were under way, or what became of it before the copy is not known: of commands that destroy a unit only the last one is */
	if (frame > copied->request_frame || frame < copied->source->destroyed)
		effect->kind = followed->kind = BLOCK_SPOILED;
	/* nor whether the source was set later */
	if (part->is_late) {
		effect->kind = followed->kind = BLOCK_SPOILED;
		followed->reason = RTAP_MISSING_EVICTED;
	}
	if (followed->kind != BLOCK_SPOILED && followed->kind != BLOCK_ZEROED && !image_may_make(part->images, length)) {
		effect->kind = followed->kind = BLOCK_SPOILED;
		followed->reason = RTAP_MISSING_EVICTED;
	}
	return true;
}

static bool add_piece(struct images *images, struct copied *copied, uint64_t begin, uint64_t end)
{
	struct copied *piece;

	if (begin >= end)
		return true;
	piece = images->copies.count < MOST_COPIES && images->memory + COPIED_MEMORY <= images->max_memory ? malloc(sizeof *piece) : NULL;
	if (!piece)
		return false;
	*piece = *copied;
	piece->facts.from = begin;
	piece->facts.to += begin - copied->facts.from;
	piece->facts.length = end - begin;
	images->memory += COPIED_MEMORY;
	images->copies.count++;
	TAILQ_INSERT_BEFORE(copied, piece, link);
	return true;
}

/* A command set the source from `begin` to `end`; the rest of the part becomes others. False: no memory for these. */
static bool set_source(struct images *images, struct copied *copied, uint64_t begin, uint64_t end, uint64_t frame)
{
	struct copied_facts *facts = &copied->facts;

	if (frame == facts->source_frame)
		return true;
	if (!add_piece(images, copied, facts->from, begin) || !add_piece(images, copied, end, facts->from + facts->length))
		return false;
	facts->to += begin - facts->from;
	facts->from = begin;
	facts->length = end - begin;
	facts->source_frame = frame;
	return true;
}

static void follow_all(const struct image_part *part, uint64_t begin, uint64_t end)
{
	struct images *images = part->images;
	uint64_t captured = images->captured;
	struct copied *copied = TAILQ_LAST(&images->copies.list, copied_list);

	while (copied) {
		const struct copied_facts facts = copied->facts;
		uint64_t first = begin > facts.from ? begin : facts.from;
		uint64_t last = end < facts.from + facts.length ? end : facts.from + facts.length;
		struct block_effect effect;
		struct image_part followed;
		bool is_followed;

		if (facts.response_frame <= part->effect->request_frame)
			break;
		is_followed = facts.source == part->image && first < last && follow(part, &facts, last - first, &effect, &followed);
		if (!image_may_pass(images, 1) || part->depth >= MOST_DEPTH ||
		    (is_followed && !set_source(images, copied, first, last, image_frame_of(part->effect)))) {
			give_up_all(images);
			break;
		}
		if (is_followed)
			put(&followed, first - facts.from + facts.to, last - facts.from + facts.to);
		/* giving up may have emptied the list */
		copied = TAILQ_EMPTY(&images->copies.list) ? NULL : TAILQ_PREV(copied, copied_list, link);
	}
	images->captured = captured;
}

/* Applies the part to what was copied from its range. Where the data of a read is missing, the source was not set. */
static void put_copied(const struct image_part *part, uint64_t begin, uint64_t end)
{
	bool is_read = part->effect->kind == BLOCK_READ;

	for (uint64_t stop = end; begin < end && !TAILQ_EMPTY(&part->images->copies.list); begin = stop)
		if (!is_read || image_has_data(part, begin, end, &stop))
			follow_all(part, begin, stop);
}

static void put(const struct image_part *part, uint64_t begin, uint64_t end)
{
	image_put(part, begin, end);
	put_copied(part, begin, end);
}

/* A part of a copy that can still change: with a command on its source that is reported later. */
static void note_copy(const struct image_part *part, const struct image *source, uint64_t done, uint64_t length, uint64_t source_frame)
{
	const struct block_effect *effect = part->effect;

	if (source_frame <= effect->request_frame)
		add_copied(part->images, &(struct copied_facts){
			.source = source, .image = part->image, .from = effect->source + done, .to = effect->offset + done, .length = length,
			.source_frame = source_frame, .request_frame = effect->request_frame, .response_frame = effect->response_frame,
		});
}

/* What an earlier part of the same command copied to the range is overwritten: later commands on its source do not change it. */
static void forget_overwritten(struct images *images, const struct image *image, const struct block_effect *effect)
{
	struct copied *copied = TAILQ_LAST(&images->copies.list, copied_list), *before;

	for (; copied && copied->facts.response_frame >= effect->response_frame; copied = before) {
		const struct copied_facts *facts = &copied->facts;
		uint64_t begin = facts->to > effect->offset ? facts->to : effect->offset, end = effect->offset + effect->length;

		before = TAILQ_PREV(copied, copied_list, link);
		if (!image_may_pass(images, 1)) {
			give_up_all(images);
			return;
		}
		if (end > facts->to + facts->length)
			end = facts->to + facts->length;
		if (facts->image != image || facts->request_frame != effect->request_frame || facts->response_frame != effect->response_frame || begin >= end)
			continue;
		if (!add_piece(images, copied, facts->from, facts->from + (begin - facts->to)) ||
		    !add_piece(images, copied, facts->from + (end - facts->to), facts->from + facts->length)) {
			give_up_all(images);
			return;
		}
		TAILQ_REMOVE(&images->copies.list, copied, link);
		images->copies.count--;
		images->memory -= COPIED_MEMORY;
		free(copied);
	}
}

/* Copies the parts of a range that are known and were not changed meanwhile, up to the limit of work. `source`: NULL: all unknown. */
static void copy(struct image_part *part, const struct image *source)
{
	const struct block_effect *effect = part->effect;
	const struct copies *copies = &part->images->copies;
	uint64_t given_up, horizon = part->images->horizon;
	uint8_t bytes[CHUNK];

	forget_overwritten(part->images, part->image, effect);
	given_up = copies->given_up;
	if (effect->source > INT64_MAX || effect->length > INT64_MAX - effect->source) {
		/* no device has these blocks */
		part->kind = BLOCK_SPOILED;
		put(part, effect->offset, effect->offset + effect->length);
		return;
	}
	for (uint64_t done = 0, length; done < effect->length; done += length) {
		struct extent here = { .end = UINT64_MAX };
		uint64_t from = effect->source + done;

		part->kind = BLOCK_SPOILED;
		part->bytes = NULL;
		part->reason = RTAP_MISSING_NOT_CAPTURED;
		if (copies->given_up != given_up || part->images->horizon != horizon || !image_may_pass(part->images, 1)) {
			part->reason = RTAP_MISSING_EVICTED;
			put(part, effect->offset + done, effect->offset + effect->length);
			return;
		}
		if (source)
			here = extents_at(&source->extents, from);
		length = here.end - from < effect->length - done ? here.end - from : effect->length - done;
		if (here.facts.is_known && here.facts.until <= effect->request_frame && here.facts.state == RANGE_ZEROS) {
			part->kind = BLOCK_ZEROED;
		} else if (here.facts.is_known && here.facts.until <= effect->request_frame && here.facts.state == RANGE_DATA) {
			length = length < CHUNK ? length : CHUNK;
			if (!image_may_make(part->images, length)) {
				part->reason = RTAP_MISSING_EVICTED;
			} else if (disk_read(part->images->disk, source->entry, from, bytes, length)) {
				part->kind = BLOCK_WRITTEN;
				part->bytes = bytes;
				part->at = effect->offset + done;
			}
		}
		image_put(part, effect->offset + done, effect->offset + done + length);
		/* before what was copied from its range: the copy can overwrite its own source */
		if (source)
			note_copy(part, source, done, length, here.facts.frame);
		put_copied(part, effect->offset + done, effect->offset + done + length);
	}
}

/*
 * Bytes between the end of a file and a write beyond it are zeros. Sizes are applied before the data of earlier writes: the end was that of those
 * shown before the write.
 */
static void extend(struct images *images, struct image *image, const struct block_effect *effect)
{
	uint64_t frame = image_frame_of(effect), end = effect->offset + effect->length, before = image->end;
	unsigned reached = 0;

	for (unsigned i = 0; i < image->shown_count && image->shown[i].frame < frame; i++)
		before = image->shown[i].size;
	if (effect->offset > before)
		image_fill(images, image, before, effect->offset, RANGE_ZEROS);
	if (end <= image->end)
		return;
	image->end = end;
	while (reached < image->shown_count && image->shown[reached].size <= end)
		reached++;
	image->shown_count -= reached;
	memmove(image->shown, image->shown + reached, image->shown_count * sizeof *image->shown);
}

void apply_command(struct images *images, struct image *image, const struct block_effect *effect, const struct image *source)
{
	uint64_t end = effect->offset + effect->length, before = image->entry->size;
	struct image_part part = { .images = images, .image = image, .effect = effect, .kind = effect->kind, .reason = RTAP_MISSING_NOT_CAPTURED };

	if (end > before && !disk_resize(images->disk, image->entry, end))
		return;
	if (effect->response_frame > images->newest)
		images->newest = effect->response_frame;
	if (effect->kind == BLOCK_READ && effect->response_frame > image->read_until)
		image->read_until = effect->response_frame;
	/* a read beyond the end shows that the end was another one */
	if (effect->kind == BLOCK_READ)
		image->size_known &= end <= before;
	else if (image->size_known)
		extend(images, image, effect);
	image_part_order(&part);
	if (part.kind == BLOCK_COPIED)
		copy(&part, source);
	else
		put(&part, effect->offset, end);
}

void apply_to_end(struct images *images, struct image *image, const struct block_effect *effect)
{
	uint64_t size = image->entry->size, beyond = size > effect->offset ? size : effect->offset;
	struct image_part part = { .images = images, .image = image, .effect = effect, .kind = effect->kind, .reason = RTAP_MISSING_NOT_CAPTURED };
	struct extent after = extents_at(&image->extents, beyond);

	if (effect->response_frame > images->newest)
		images->newest = effect->response_frame;
	image_part_order(&part);
	put(&part, effect->offset, beyond);
	/* what another such command has set is changed, too */
	if (beyond >= INT64_MAX || (!effect->offset && !after.facts.is_known && after.end == UINT64_MAX))
		return;
	if (part.kind != BLOCK_ZEROED)
		part.kind = BLOCK_SPOILED;
	put(&part, beyond, INT64_MAX);
}

void apply_unknown(struct images *images, struct image *image, uint64_t begin, uint64_t end, uint64_t frame, enum rtap_missing_reason reason)
{
	struct block_effect effect = { .kind = BLOCK_SPOILED, .request_frame = frame, .response_frame = frame };
	struct image_part part = { .images = images, .image = image, .effect = &effect, .kind = BLOCK_SPOILED, .reason = reason };

	put(&part, begin, end < image->entry->size ? end : image->entry->size);
}

void apply_doubt(struct images *images, struct image *image, uint64_t begin, uint64_t end, uint64_t frame)
{
	struct block_effect effect = { .kind = BLOCK_SPOILED, .request_frame = frame, .response_frame = frame };
	struct image_part part = { .images = images, .image = image, .effect = &effect, .kind = BLOCK_SPOILED, .reason = RTAP_MISSING_NOT_CAPTURED };

	/* also beyond the known end: commands up to the end of the device have set that */
	end = end < INT64_MAX ? end : INT64_MAX;
	for (uint64_t at = begin, stop; at < end; at = stop) {
		struct extent here = extents_at(&image->extents, at);

		stop = here.end < end ? here.end : end;
		if (!image_may_pass(images, 1)) {
			extents_spoil(&image->extents, at, end, RANGE_MISSING + RTAP_MISSING_EVICTED);
			break;
		}
		if (here.facts.is_known)
			image_put(&part, at, stop);
	}
	follow_all(&part, begin, end);
}

void apply_fini(struct images *images)
{
	struct copied *copied;

	while ((copied = TAILQ_FIRST(&images->copies.list))) {
		TAILQ_REMOVE(&images->copies.list, copied, link);
		free(copied);
	}
}
