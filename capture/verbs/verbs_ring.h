/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receive buffers and their ownership.
 */
#ifndef CAPTURE_VERBS_VERBS_RING_H
#define CAPTURE_VERBS_VERBS_RING_H

#include "capture/verbs/verbs.h"

/* Allocates memory on NUMA node `node` if possible (-1: any). NULL: out of memory; errno is set. */
struct verbs_ring *verbs_ring_create(const struct verbs_sizes *sizes, bool huge_pages, int node);
void verbs_ring_set_key(struct verbs_ring *ring, uint32_t lkey);

/* Drops the owner's reference. NULL is ignored. */
void verbs_ring_release(struct verbs_ring *ring);

/* Takes a free block with one reference, or returns NULL. */
struct verbs_block *verbs_block_take(struct verbs_ring *ring);
void verbs_block_hold(struct verbs_block *block);
void verbs_block_release(struct verbs_block *block);

#endif
