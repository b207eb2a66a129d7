/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands on a target whose name is not known: its Connect or login was not captured. They have an image by the target's address. Their changes
 * can be of each target with this address: what an image by name knew before them is doubtful, and the other way round.
 */
#ifndef OUTPUT_EXPORT_EXPORT_NAMELESS_H
#define OUTPUT_EXPORT_EXPORT_NAMELESS_H

#include "output/export/export_images.h"

struct image;

/* A command with an address. */
void nameless_take(struct images *images, const struct block_effect *effect);

/* The image is that of the command. Call it before the command is applied. */
void nameless_know(struct images *images, struct image *image, const struct block_effect *effect);

/*
 * Compares images by name with those by address: call it after a command on the former, and before one on the latter. `source`: the image of the
 * source of a copy; NULL: none.
 */
void nameless_apply(struct images *images, struct image *image, struct image *source, const struct block_effect *effect);

/*
 * Makes what the command, which was applied, set to an image unknown where a change through the other kind of image is later: before
 * it is copied from there.
 */
void nameless_doubt(struct images *images, struct image *image, const struct block_effect *effect);

/* Call before the missing ranges are listed: makes bytes unknown. */
void nameless_finish(struct images *images);

void nameless_fini(struct nameless *nameless);

#endif
