/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Images of files that paths name.
 */
#ifndef OUTPUT_EXPORT_EXPORT_IMAGE_FILES_H
#define OUTPUT_EXPORT_EXPORT_IMAGE_FILES_H

#include "output/export/export_images.h"
#include "reassembly/file_effect.h"

/* Applies an operation on a file. */
void images_take_file(struct images *images, const struct file_effect *effect);

/* The contents of a file before the last change of any bytes of unknown files are unknown. */
void image_take_unseen(struct images *images, struct image *image);

/* The same of the ranges that changed. */
void image_take_unseen_ranges(struct images *images, struct image *image, const struct unseen *unseen);

#endif
