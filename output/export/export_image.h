/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One image of a device or a file: its extents, and how commands change it. Private to export_image*.c and export_images.c.
 */
#ifndef OUTPUT_EXPORT_EXPORT_IMAGE_H
#define OUTPUT_EXPORT_EXPORT_IMAGE_H

#include "output/export/export_extents.h"
#include "output/export/export_images.h"
#include "output/export/export_ranges.h"

#define IMAGE_CUTS 8

/* A size that a response in `frame` set or showed. */
struct image_cut {
	uint64_t frame, size;
};

struct image {
	STAILQ_ENTRY(image) link;
	struct disk_entry *entry;
	char *unit;               /* its name or number, after `target` */
	struct extents extents;
	/* Of a file: sizes that were set, by frame and by size. What was written before is not beyond them, so an earlier one that left more is not needed. */
	struct image_cut cuts[IMAGE_CUTS];
	unsigned cut_count;
	/* Of a file, with size_known: its end according to what was applied, and larger sizes that were shown since, by frame and by size. */
	uint64_t end;
	struct image_cut shown[IMAGE_CUTS];
	unsigned shown_count;
	uint64_t destroyed;       /* the effect of commands before this frame is unknown */
	uint64_t read_until;      /* the last response of a read */
	uint64_t addresses;       /* of its target: a bit for each of nameless.addresses, and one for all others */
	bool is_nameless;         /* `target` is an address */
	bool is_file;
	bool size_known;          /* of a file: its end is entry->size; with shown_count, what makes it so is not known yet */
	bool is_of_id;            /* of a file: its path is not known */
	uint64_t unseen;          /* of a file, with size_known: requests that were missing before, and changes of unknown files */
	uint64_t first;           /* of a file: the request with which the image began */
	uint64_t opened;          /* of a file: no request was missing between this frame and `first`; 0: nor before it */
	uint64_t disk_id;         /* of a file: on the server's disk; 0: unknown */
	uint64_t born;            /* of a file: the response that created it; 0: unknown */
	char target[];            /* of a file: its first path */
};

/* The name of the unit, or its number in `text`. */
#define IMAGE_UNIT_TEXT 32
const char *image_unit(const struct block_effect *effect, char text[IMAGE_UNIT_TEXT]);

/* The frame that decides the order of the command. */
uint64_t image_frame_of(const struct block_effect *effect);

/* Sets the state of bytes from `frame` on. Without memory for it, all that is known of them is missing. */
void image_set(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state, uint64_t frame);

/* Sets the state only where it is unknown. */
void image_fill(struct images *images, struct image *image, uint64_t begin, uint64_t end, unsigned state);

/* Forgets what is known of the bytes from `size` on. */
void image_cut(struct images *images, struct image *image, uint64_t size);

/* Whether the range can be in a file; if not, it is counted. */
bool image_is_possible(struct images *images, const struct block_effect *effect);

/* An action on a part of a command's range. */
struct image_part {
	struct images *images;
	struct image *image;
	const struct block_effect *effect;
	enum block_effect_kind kind; /* of the effect; for a part of a copy, the state of the source */
	bool is_late;             /* its order is no longer known */
	const uint8_t *bytes;     /* of a copy: of the range from `at` on; NULL: the effect has the data */
	uint64_t at;
	enum rtap_missing_reason reason; /* SPOILED */
	unsigned depth;           /* copies between the command and the image */
};

/* Sets `is_late`, and whether the order of the command permits its kind. */
void image_part_order(struct image_part *part);

/* Whether the data of the command has the byte at `begin`; *stop: the end of the bytes like it, at most `end`. */
bool image_has_data(const struct image_part *part, uint64_t begin, uint64_t end, uint64_t *stop);

/* Applies the part where nothing newer is known. */
void image_put(const struct image_part *part, uint64_t begin, uint64_t end);

/* Whether the limit of work allows `count` steps more that a command did not cause alone. */
bool image_may_pass(struct images *images, uint64_t count);

/* Whether the limit allows `length` more bytes that were not captured. */
bool image_may_make(struct images *images, uint64_t length);

#endif
