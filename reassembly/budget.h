/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limit on memory that state may take, whatever the capture's size. What can be given up is a holder: holders stand
 * in the order of their last use, and the one unused for longest goes first.
 */
#ifndef REASSEMBLY_BUDGET_H
#define REASSEMBLY_BUDGET_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Something that takes memory and can be given up. Embed it; all zero is a holder of nothing. */
struct budget_holder {
	struct budget_holder *older, *newer; /* both NULL and not the budget's only holder: holds nothing */
	uint64_t bytes;
	/* Frees what the holder holds, by budget_give() for all of its bytes; may free the holder itself. NULL: never called. */
	void (*evict)(struct budget_holder *holder, void *owner);
	void *owner;
	bool apart;                          /* it is never given up, and stands in no order */
};

struct budget {
	uint64_t limit, used, peak; /* bytes */
	uint64_t evictions;         /* holders that had to go */
	struct budget_holder *oldest, *newest;
};

/* `limit` in bytes. */
void budget_init(struct budget *budget, uint64_t limit);

/*
 * Asks for `bytes` on behalf of a holder and makes it the one used last. Others are evicted until they fit. False, and
 * nothing is taken: they do not fit even alone. The caller allocates, and gives back if that fails.
 */
bool budget_take(struct budget *budget, struct budget_holder *holder, uint64_t bytes) __attribute__((warn_unused_result));

/* Evicts the holder used longest ago. False: none can be. */
bool budget_relieve(struct budget *budget);

/* For the functions below, which are called several times for each frame: puts a holder into the order as the newest, takes it out. */
void budget_link_newest(struct budget *budget, struct budget_holder *holder);
void budget_unlink(struct budget *budget, struct budget_holder *holder);

/* Makes a holder the one used last. Nothing if it holds nothing. */
static inline void budget_touch(struct budget *budget, struct budget_holder *holder)
{
	if (!holder->bytes || budget->newest == holder || holder->apart)
		return;
	budget_unlink(budget, holder);
	budget_link_newest(budget, holder);
}

/*
 * Takes `bytes` without asking, for owners that cannot give way in the middle of their work; they call budget_relieve()
 * behind it. What they take in between must be little.
 */
static inline void budget_charge(struct budget *budget, struct budget_holder *holder, uint64_t bytes)
{
	if (!bytes)
		return;
	if (!holder->apart && budget->newest != holder) {
		if (holder->bytes)
			budget_unlink(budget, holder);
		budget_link_newest(budget, holder);
	}
	holder->bytes += bytes;
	budget->used += bytes;
	if (budget->used > budget->peak)
		budget->peak = budget->used;
}

/* Gives back `bytes`, at most what the holder has. With its last byte the holder leaves the order. */
static inline void budget_give(struct budget *budget, struct budget_holder *holder, uint64_t bytes)
{
	if (!bytes)
		return;
	assert(bytes <= holder->bytes);
	holder->bytes -= bytes;
	budget->used -= bytes;
	if (!holder->bytes && !holder->apart)
		budget_unlink(budget, holder);
}

#endif
