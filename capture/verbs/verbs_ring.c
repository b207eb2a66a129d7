/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_ring.h"

#define HUGE_PAGE ((size_t)2 << 20)

static void ring_free(struct verbs_ring *ring)
{
	for (uint32_t i = 0; ring->blocks && i < ring->sizes.blocks; i++) {
		free(ring->blocks[i].requests);
		free(ring->blocks[i].parts);
	}
	free(ring->blocks);
	if (ring->memory)
		munmap(ring->memory, ring->memory_bytes);
	pthread_mutex_destroy(&ring->lock);
	free(ring);
}

void verbs_ring_release(struct verbs_ring *ring)
{
	if (ring && atomic_fetch_sub_explicit(&ring->references, 1, memory_order_acq_rel) == 1)
		ring_free(ring);
}

static void give_back(struct batch_buffer *borrowed)
{
	verbs_block_release((struct verbs_block *)((uint8_t *)borrowed - offsetof(struct verbs_block, borrowed)));
}

void verbs_block_hold(struct verbs_block *block)
{
	atomic_fetch_add_explicit(&block->references, 1, memory_order_relaxed);
}

void verbs_block_release(struct verbs_block *block)
{
	struct verbs_ring *ring = block->ring;

	if (atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_lock(&ring->lock);
	/* LIFO: the memory of the block used last may still be in a cache. */
	SLIST_INSERT_HEAD(&ring->free, block, link);
	pthread_mutex_unlock(&ring->lock);
	verbs_ring_release(ring);
}

struct verbs_block *verbs_block_take(struct verbs_ring *ring)
{
	struct verbs_block *block;

	pthread_mutex_lock(&ring->lock);
	block = SLIST_FIRST(&ring->free);
	if (block)
		SLIST_REMOVE_HEAD(&ring->free, link);
	pthread_mutex_unlock(&ring->lock);
	if (!block)
		return NULL;
	atomic_store_explicit(&block->references, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&ring->references, 1, memory_order_relaxed);
	return block;
}

static bool block_init(struct verbs_ring *ring, uint32_t index)
{
	struct verbs_block *block = &ring->blocks[index];
	const struct verbs_sizes *sizes = &ring->sizes;
	uint32_t parts = sizes->split ? 2 : 1;
	uint8_t *unseen = ring->memory + (size_t)sizes->blocks * sizes->block * sizes->stride;

	block->borrowed.give_back = give_back;
	block->ring = ring;
	block->index = index;
	block->memory = ring->memory + (size_t)index * sizes->block * sizes->stride;
	block->requests = calloc(sizes->block, sizeof block->requests[0]);
	block->parts = calloc((size_t)sizes->block * parts, sizeof block->parts[0]);
	if (!block->requests || !block->parts)
		return false;
	for (uint32_t i = 0; i < sizes->block; i++) {
		struct ibv_sge *part = &block->parts[i * parts];

		part->addr = (uintptr_t)(block->memory + (size_t)i * sizes->stride);
		part->length = sizes->slot_bytes;
		if (sizes->split) {
			part[1].addr = (uintptr_t)unseen;
			part[1].length = sizes->frame_bytes - sizes->slot_bytes;
		}
		block->requests[i].wr_id = (uint64_t)index * sizes->block + i;
		block->requests[i].sg_list = part;
		block->requests[i].num_sge = (int)parts;
		block->requests[i].next = i + 1 < sizes->block ? &block->requests[i + 1] : NULL;
	}
	SLIST_INSERT_HEAD(&ring->free, block, link);
	return true;
}

/* Reserved huge pages if enough are free, otherwise small ones with madvise(2) for huge ones. */
static void map_memory(struct verbs_ring *ring, bool huge_pages)
{
	size_t whole = (ring->memory_bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	void *memory = MAP_FAILED;

	if (huge_pages)
		memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (memory != MAP_FAILED) {
		ring->memory_bytes = whole;
		ring->pages = VERBS_PAGES_HUGE;
	} else {
		memory = mmap(NULL, ring->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory != MAP_FAILED && huge_pages && !madvise(memory, ring->memory_bytes, MADV_HUGEPAGE))
			ring->pages = VERBS_PAGES_ADVISED;
	}
	ring->memory = memory == MAP_FAILED ? NULL : memory;
}

/* Preferred only: other memory is better than none. Uses the system call, because libnuma is not required. */
static void place_memory(struct verbs_ring *ring, int node)
{
	unsigned long nodes[16] = { 0 };
	const unsigned bits = 8 * sizeof nodes[0];

	if (node < 0 || (unsigned)node >= bits * 16)
		return;
	nodes[(unsigned)node / bits] = 1ul << (unsigned)node % bits;
	ring->on_node = !syscall(SYS_mbind, ring->memory, ring->memory_bytes, MPOL_PREFERRED, nodes, 8 * sizeof nodes + 1, 0);
}

struct verbs_ring *verbs_ring_create(const struct verbs_sizes *sizes, bool huge_pages, int node)
{
	struct verbs_ring *ring = calloc(1, sizeof *ring);

	if (!ring)
		return NULL;
	if (pthread_mutex_init(&ring->lock, NULL)) {
		free(ring);
		return NULL;
	}
	atomic_init(&ring->references, 1);
	ring->sizes = *sizes;
	ring->memory_bytes = (size_t)sizes->blocks * sizes->block * sizes->stride + (sizes->split ? sizes->frame_bytes : 0);
	map_memory(ring, huge_pages);
	if (ring->memory)
		place_memory(ring, node);
	ring->blocks = calloc(sizes->blocks, sizeof ring->blocks[0]);
	/* from the last to the first, so that they are used in the order of their addresses */
	for (uint32_t i = sizes->blocks; i-- && ring->memory && ring->blocks;) {
		if (block_init(ring, i))
			continue;
		verbs_ring_release(ring);
		errno = ENOMEM;
		return NULL;
	}
	if (ring->memory && ring->blocks)
		return ring;
	verbs_ring_release(ring);
	errno = ENOMEM;
	return NULL;
}

void verbs_ring_set_key(struct verbs_ring *ring, uint32_t lkey)
{
	uint32_t parts = ring->sizes.split ? 2 : 1;

	for (uint32_t i = 0; i < ring->sizes.blocks; i++)
		for (uint32_t part = 0; part < ring->sizes.block * parts; part++)
			ring->blocks[i].parts[part].lkey = lkey;
}
