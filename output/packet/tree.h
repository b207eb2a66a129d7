/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A packet's fields as a tree.
 */
#ifndef OUTPUT_PACKET_TREE_H
#define OUTPUT_PACKET_TREE_H

#include "output/packet/text.h"

/* Memory for rows and their beginnings; NULL if there is none. */
struct tree_memory *tree_memory_create(void);
void tree_memory_destroy(struct tree_memory *memory);

/* All layers, groups and fields, a row each. Without `memory`, which may be NULL, each row is made anew. */
void tree_write(struct tree_memory *memory, const struct rtap_packet *packet, struct line *line);

#endif
