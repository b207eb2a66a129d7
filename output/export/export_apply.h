/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands applied to images. A command that was completed before a copy can be reported after it: then the copied blocks change like
 * their source.
 */
#ifndef OUTPUT_EXPORT_EXPORT_APPLY_H
#define OUTPUT_EXPORT_EXPORT_APPLY_H

#include "output/export/export_images.h"

struct image;

/* Applies the command. `source`: of a copy; NULL: its contents are unknown. */
void apply_command(struct images *images, struct image *image, const struct block_effect *effect, const struct image *source);

/*
 * Applies a command up to the end of the device, whose known size is that of the image. Commands before it that are reported later, and go beyond
 * that size, change nothing there either; if it begins at 0, and nothing is known there, image.destroyed sees to that.
 */
void apply_to_end(struct images *images, struct image *image, const struct block_effect *effect);

/* Makes bytes unknown that no command after `frame` has set, and copies of them. */
void apply_unknown(struct images *images, struct image *image, uint64_t begin, uint64_t end, uint64_t frame, enum rtap_missing_reason reason);

/* The same where the image knows anything, and wherever copies can have it from. */
void apply_doubt(struct images *images, struct image *image, uint64_t begin, uint64_t end, uint64_t frame);

void apply_fini(struct images *images);

#endif
