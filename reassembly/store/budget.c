/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/store/budget.h"

#define RESTING_SHARE 128 /* divisor of the limit */

void budget_init(struct budget *budget, uint64_t limit)
{
	*budget = (struct budget){ .limit = limit, .idle_limit = limit / RESTING_SHARE, .now_ns = INT64_MAX };
	TAILQ_INIT(&budget->entries);
	budget_give_up_after(budget, INT64_MAX / 2);
}

void budget_give_up_after(struct budget *budget, uint64_t give_up_ns)
{
	budget->give_up_ns = give_up_ns;
	budget->due_ns = budget->clock_ns + give_up_ns;
}

void budget_unlink(struct budget *budget, struct budget_entry *entry)
{
	if (entry->is_idle)
		budget->idle_bytes -= entry->bytes;
	entry->is_idle = false;
	if (budget->concluded == entry)
		budget->concluded = NULL;
	if (budget->oldest_active == entry)
		budget->oldest_active = TAILQ_NEXT(entry, link);
	TAILQ_REMOVE(&budget->entries, entry, link);
}

void budget_link_newest(struct budget *budget, struct budget_entry *entry)
{
	TAILQ_INSERT_TAIL(&budget->entries, entry, link);
	if (!budget->oldest_active)
		budget->oldest_active = entry;
}

void budget_make_newest(struct budget *budget, struct budget_entry *entry)
{
	if (entry->is_idle) {
		if (entry == budget->concluded)
			return;
		budget_unlink(budget, entry);
		budget_link_newest(budget, entry);
	}
	if (!TAILQ_NEXT(entry, link))
		return;
	if (budget->oldest_active == entry)
		budget->oldest_active = TAILQ_NEXT(entry, link);
	TAILQ_REMOVE(&budget->entries, entry, link);
	TAILQ_INSERT_TAIL(&budget->entries, entry, link);
}

/* The oldest entry that can be evicted, except the one that asks. */
static struct budget_entry *victim(const struct budget *budget, const struct budget_entry *asking)
{
	struct budget_entry *entry;

	TAILQ_FOREACH(entry, &budget->entries, link)
		if (entry != asking && entry->evict)
			break;
	return entry;
}

static bool evict_oldest(struct budget *budget, const struct budget_entry *asking)
{
	struct budget_entry *oldest = victim(budget, asking);

	if (!oldest)
		return false;
	budget->evictions++;
	/* The loss may be reported with more memory than was returned; but the entry has left the order. */
	oldest->evict(oldest, oldest->owner);
	return true;
}

bool budget_relieve(struct budget *budget)
{
	return evict_oldest(budget, NULL);
}

void budget_give_up_due(struct budget *budget)
{
	struct budget_entry *entry;

	while ((entry = budget->oldest_active) && budget->clock_ns - entry->used_ns >= budget->give_up_ns) {
		entry->is_idle = true;
		budget->idle_bytes += entry->bytes;
		budget->oldest_active = TAILQ_NEXT(entry, link);
		budget->concluded = entry;
		if (entry->give_up)
			entry->give_up(entry, entry->owner);
		budget->concluded = NULL;
		/* What was concluded takes memory too. The rest stays due. */
		if (budget->used > budget->limit)
			return;
	}
	while (budget->idle_bytes > budget->idle_limit && (entry = TAILQ_FIRST(&budget->entries))->is_idle && entry->evict)
		entry->evict(entry, entry->owner);
	/* Evicting idle entries can free others, including the one due next. */
	budget->due_ns = (budget->oldest_active ? budget->oldest_active->used_ns : budget->clock_ns) + budget->give_up_ns;
}

bool budget_take(struct budget *budget, struct budget_entry *entry, uint64_t bytes)
{
	if (bytes > budget->limit)
		return false;
	while (budget->used > budget->limit - bytes)
		if (!evict_oldest(budget, entry))
			return false;
	budget_charge(budget, entry, bytes);
	return true;
}
