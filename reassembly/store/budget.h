/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limit on memory that state may take, whatever the capture's size. What can be given up is a holder: holders stand
 * in the order of their last use, and the one unused for longest goes first: when memory is short, or when it was not
 * used for a time of the capture.
 */
#ifndef REASSEMBLY_STORE_BUDGET_H
#define REASSEMBLY_STORE_BUDGET_H

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
	/*
	 * The holder was not used for the budget's give_up_ns: concludes what it is for and gives back what it can, at best all.
	 * With what it keeps it rests: it is evicted before all others, also if resting holders have more than resting_limit. May free
	 * the holder. Called by budget_advance() only. NULL: nothing is to be concluded, and it rests with all that it has.
	 */
	void (*give_up)(struct budget_holder *holder, void *owner);
	void *owner;
	uint64_t used_ns;                    /* when it was used last, by the budget's clock */
	bool rests;                          /* it was given up, and not used since */
	bool apart;                          /* it is never given up, and stands in no order */
};

struct budget {
	uint64_t limit, used, peak; /* bytes */
	uint64_t evictions;         /* holders that had to go */
	struct budget_holder *oldest, *newest;
	struct budget_holder *awake; /* the oldest that does not rest */
	struct budget_holder *concluded; /* whose give_up is running: what it charges is no use of it; NULL: none, or it is gone */
	uint64_t resting, resting_limit; /* bytes */
	uint64_t give_up_ns;        /* holders that were not used for so long are given up */
	uint64_t clock_ns;          /* the capture's time that went by: it stands still while time stamps go back */
	uint64_t due_ns;            /* by this clock: before it there is none to give up */
	int64_t now_ns;             /* the last time stamp */
};

/* `limit` in bytes; a share of it is for resting holders. */
void budget_init(struct budget *budget, uint64_t limit);

/* From now on holders are given up that were not used for so long; 1 to INT64_MAX / 2. Before that none is for its age. */
void budget_give_up_after(struct budget *budget, uint64_t give_up_ns);

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

/* budget_advance() when a holder may be due. */
void budget_give_up_due(struct budget *budget);

/* Moves a holder that is in the order to its end. */
void budget_make_newest(struct budget *budget, struct budget_holder *holder);

static inline void budget_move_newest(struct budget *budget, struct budget_holder *holder)
{
	if (holder->rests || budget->newest != holder)
		budget_make_newest(budget, holder);
}

/* Time has come to `now_ns`: gives up the holders that were not used for give_up_ns. Returns whether some may have been. */
static inline bool budget_advance(struct budget *budget, int64_t now_ns)
{
	uint64_t passed = (uint64_t)now_ns - (uint64_t)budget->now_ns;

	/* nearly always little has passed; after a longer time all are due, too */
	if (passed < budget->give_up_ns)
		budget->clock_ns += passed;
	else if (now_ns > budget->now_ns)
		budget->clock_ns += budget->give_up_ns;
	budget->now_ns = now_ns;
	if ((int64_t)(budget->clock_ns - budget->due_ns) < 0)
		return false;
	budget_give_up_due(budget);
	return true;
}

/* Makes a holder the one used last. Nothing if it holds nothing. */
static inline void budget_touch(struct budget *budget, struct budget_holder *holder)
{
	if (!holder->bytes || holder->apart)
		return;
	holder->used_ns = budget->clock_ns;
	budget_move_newest(budget, holder);
}

/* Charges what a holder takes that has something already; it is no use of the holder, as of what is concluded for its age. */
static inline void budget_add(struct budget *budget, struct budget_holder *holder, uint64_t bytes)
{
	holder->bytes += bytes;
	if (holder->rests)
		budget->resting += bytes;
	budget->used += bytes;
	if (budget->used > budget->peak)
		budget->peak = budget->used;
}

/*
 * Takes `bytes` without asking, for owners that cannot give way in the middle of their work; they call budget_relieve()
 * behind it. What they take in between must be little.
 */
static inline void budget_charge(struct budget *budget, struct budget_holder *holder, uint64_t bytes)
{
	if (!bytes)
		return;
	holder->used_ns = budget->clock_ns;
	if (!holder->apart) {
		if (holder->bytes)
			budget_move_newest(budget, holder);
		else
			budget_link_newest(budget, holder);
	}
	budget_add(budget, holder, bytes);
}

/* Gives back `bytes`, at most what the holder has. With its last byte the holder leaves the order. */
static inline void budget_give(struct budget *budget, struct budget_holder *holder, uint64_t bytes)
{
	if (!bytes)
		return;
	assert(bytes <= holder->bytes);
	holder->bytes -= bytes;
	budget->used -= bytes;
	if (holder->rests)
		budget->resting -= bytes;
	if (!holder->bytes && !holder->apart)
		budget_unlink(budget, holder);
}

#endif
