/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receive buffers and who has them.
 */
#ifndef CAPTURE_VERBS_VERBS_RING_H
#define CAPTURE_VERBS_VERBS_RING_H

#include "capture/verbs/verbs.h"

/* Memory of NUMA node `node` if there is such (-1: of any). NULL: memory is out; errno is set. */
struct verbs_ring *verbs_ring_create(const struct verbs_sizes *sizes, bool huge_pages, int node);
void verbs_ring_set_key(struct verbs_ring *ring, uint32_t lkey);

/* The owner's reference goes. NULL is ignored. */
void verbs_ring_release(struct verbs_ring *ring);

/* A free block with one reference, or NULL. */
struct verbs_block *verbs_block_take(struct verbs_ring *ring);
void verbs_block_hold(struct verbs_block *block);
void verbs_block_release(struct verbs_block *block);

#endif
