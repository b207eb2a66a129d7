/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A limit on the memory of all state, independent of the size of the capture. State that can be given up belongs to entries,
 * in order of last use. The entry unused for longest is given up first: when memory is short, or when it was not used for a
 * period of capture time.
 */
#ifndef REASSEMBLY_STORE_BUDGET_H
#define REASSEMBLY_STORE_BUDGET_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* State that takes memory and can be given up. Embed it. All zero: an empty entry. */
struct budget_entry {
	TAILQ_ENTRY(budget_entry) link;      /* in the order of last use, unless it is empty or `apart` */
	uint64_t bytes;
	/* Frees the state and returns all its bytes with budget_give(). May free the entry itself. NULL: never called. */
	void (*evict)(struct budget_entry *entry, void *owner);
	/*
	 * The entry was not used for the budget's give_up_ns: concludes its work and returns as much memory as possible.
	 * The entry is idle then: it is evicted before all others, also when idle entries exceed idle_limit. May free
	 * the entry. Called by budget_advance() only. NULL: nothing to conclude; the entry becomes idle and keeps its
	 * memory.
	 */
	void (*give_up)(struct budget_entry *entry, void *owner);
	void *owner;
	uint64_t used_ns;                    /* time of last use, by the budget's clock */
	bool is_idle;                        /* given up and not used since */
	bool apart;                          /* never given up and not in the order */
};

struct budget {
	uint64_t limit, used, peak; /* bytes */
	uint64_t evictions;         /* number of evicted entries */
	TAILQ_HEAD(budget_order, budget_entry) entries; /* the oldest first */
	struct budget_entry *oldest_active; /* oldest entry that is not idle */
	struct budget_entry *concluded; /* entry whose give_up is running: charges do not count as use; NULL: none, or freed */
	uint64_t idle_bytes, idle_limit; /* bytes */
	uint64_t give_up_ns;        /* entries not used for this long are given up */
	uint64_t clock_ns;          /* capture time that has passed; stands still while time stamps go backwards */
	uint64_t due_ns;            /* no entry is due before this time of clock_ns */
	int64_t now_ns;             /* last time stamp */
};

/* `limit` in bytes; idle entries may use a share of it. */
void budget_init(struct budget *budget, uint64_t limit);

/* Enables giving up entries not used for this time, 1 to INT64_MAX / 2. Before this call age is ignored. */
void budget_give_up_after(struct budget *budget, uint64_t give_up_ns);

/*
 * Charges `bytes` to an entry and makes it the newest. Evicts other entries until they fit. False: they do not fit even
 * alone, nothing is charged. The caller allocates, and returns the bytes if that fails.
 */
bool budget_take(struct budget *budget, struct budget_entry *entry, uint64_t bytes) __attribute__((warn_unused_result));

/* Evicts the oldest entry. False: no entry can be evicted. */
bool budget_relieve(struct budget *budget);

/* For the functions below, which run several times per frame: insert an entry as the newest; remove it. */
void budget_link_newest(struct budget *budget, struct budget_entry *entry);
void budget_unlink(struct budget *budget, struct budget_entry *entry);

/* Slow path of budget_advance(): an entry may be due. */
void budget_give_up_due(struct budget *budget);

/* Makes an entry in the order the newest. */
void budget_make_newest(struct budget *budget, struct budget_entry *entry);

static inline void budget_move_newest(struct budget *budget, struct budget_entry *entry)
{
	if (entry->is_idle || TAILQ_NEXT(entry, link))
		budget_make_newest(budget, entry);
}

/*
 * Advances to `now_ns` and gives up the entries not used for give_up_ns. Returns whether any may have been given up. Stops when the limit
 * is exceeded: the caller relieves the budget, and calls it until it returns false.
 */
static inline bool budget_advance(struct budget *budget, int64_t now_ns)
{
	uint64_t passed = (uint64_t)now_ns - (uint64_t)budget->now_ns;

	/* Usually little time has passed. After give_up_ns or more, all entries are due anyway. */
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

/* Makes an entry the newest. Does nothing if it is empty. */
static inline void budget_touch(struct budget *budget, struct budget_entry *entry)
{
	if (!entry->bytes || entry->apart)
		return;
	entry->used_ns = budget->clock_ns;
	budget_move_newest(budget, entry);
}

/* Charges an entry. Does not count as use, as when its state is concluded for its age. */
static inline void budget_add(struct budget *budget, struct budget_entry *entry, uint64_t bytes)
{
	if (bytes && !entry->bytes && !entry->apart)
		budget_link_newest(budget, entry);
	entry->bytes += bytes;
	if (entry->is_idle)
		budget->idle_bytes += bytes;
	budget->used += bytes;
	if (budget->used > budget->peak)
		budget->peak = budget->used;
}

/*
 * Charges `bytes` without a check, for owners that cannot be evicted in the middle of their work. They call budget_relieve()
 * afterwards. The amount in between must be small.
 */
static inline void budget_charge(struct budget *budget, struct budget_entry *entry, uint64_t bytes)
{
	if (!bytes)
		return;
	entry->used_ns = budget->clock_ns;
	if (entry->bytes && !entry->apart)
		budget_move_newest(budget, entry);
	budget_add(budget, entry, bytes);
}

/* Returns `bytes`, at most what the entry has. An empty entry leaves the order. */
static inline void budget_give(struct budget *budget, struct budget_entry *entry, uint64_t bytes)
{
	if (!bytes)
		return;
	assert(bytes <= entry->bytes);
	entry->bytes -= bytes;
	budget->used -= bytes;
	if (entry->is_idle)
		budget->idle_bytes -= bytes;
	if (!entry->bytes && !entry->apart)
		budget_unlink(budget, entry);
}

#endif
