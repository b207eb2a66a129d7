/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where files are stored on disk: under their path once it is known, before under their handle. They move with their names.
 */
#ifndef OUTPUT_EXPORT_EXPORT_PLACE_H
#define OUTPUT_EXPORT_EXPORT_PLACE_H

#include "output/export/export_contents.h"

/* Follows the changes of the tree of names. */
void place_init(struct contents *contents);

/* The node's file, created if necessary under its path or its handle. NULL: the disk failed, or the entry is a directory. */
struct disk_entry *place_file(struct contents *contents, struct node *node);

#endif
