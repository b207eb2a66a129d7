/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A packet's fields as a tree.
 */
#ifndef OUTPUT_PACKET_TREE_H
#define OUTPUT_PACKET_TREE_H

#include "output/packet/text.h"

/* Cache of rows and row prefixes; NULL: out of memory. */
struct tree_memory *tree_memory_create(void);
void tree_memory_destroy(struct tree_memory *memory);

/* Appends all layers, groups and fields, one row each. `memory` may be NULL: nothing is cached. */
void tree_write(struct tree_memory *memory, const struct rtap_packet *packet, struct line *line);

#endif
