/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/store/budget.h"

#define RESTING_SHARE 128 /* divisor of the limit */

void budget_init(struct budget *budget, uint64_t limit)
{
	*budget = (struct budget){ .limit = limit, .resting_limit = limit / RESTING_SHARE, .now_ns = INT64_MAX };
	budget_give_up_after(budget, INT64_MAX / 2);
}

void budget_give_up_after(struct budget *budget, uint64_t give_up_ns)
{
	budget->give_up_ns = give_up_ns;
	budget->due_ns = budget->clock_ns + give_up_ns;
}

void budget_unlink(struct budget *budget, struct budget_holder *holder)
{
	if (holder->rests)
		budget->resting -= holder->bytes;
	holder->rests = false;
	if (budget->concluded == holder)
		budget->concluded = NULL;
	if (budget->awake == holder)
		budget->awake = holder->newer;
	*(holder->older ? &holder->older->newer : &budget->oldest) = holder->newer;
	*(holder->newer ? &holder->newer->older : &budget->newest) = holder->older;
	holder->older = holder->newer = NULL;
}

void budget_link_newest(struct budget *budget, struct budget_holder *holder)
{
	holder->older = budget->newest;
	*(budget->newest ? &budget->newest->newer : &budget->oldest) = holder;
	budget->newest = holder;
	if (!budget->awake)
		budget->awake = holder;
}

void budget_make_newest(struct budget *budget, struct budget_holder *holder)
{
	if (holder->rests) {
		if (holder == budget->concluded)
			return;
		budget_unlink(budget, holder);
		budget_link_newest(budget, holder);
	}
	if (budget->newest == holder)
		return;
	if (budget->awake == holder)
		budget->awake = holder->newer;
	*(holder->older ? &holder->older->newer : &budget->oldest) = holder->newer;
	holder->newer->older = holder->older;
	holder->older = budget->newest;
	holder->newer = NULL;
	budget->newest->newer = holder;
	budget->newest = holder;
}

/* The oldest holder that can be evicted, except the one that asks. */
static struct budget_holder *victim(const struct budget *budget, const struct budget_holder *asking)
{
	struct budget_holder *holder = budget->oldest;

	while (holder && (holder == asking || !holder->evict))
		holder = holder->newer;
	return holder;
}

static bool evict_oldest(struct budget *budget, const struct budget_holder *asking)
{
	struct budget_holder *oldest = victim(budget, asking);

	if (!oldest)
		return false;
	budget->evictions++;
	/* The loss may be reported with more memory than was returned; but the holder has left the order. */
	oldest->evict(oldest, oldest->owner);
	return true;
}

bool budget_relieve(struct budget *budget)
{
	return evict_oldest(budget, NULL);
}

void budget_give_up_due(struct budget *budget)
{
	struct budget_holder *holder;

	while ((holder = budget->awake) && budget->clock_ns - holder->used_ns >= budget->give_up_ns) {
		holder->rests = true;
		budget->resting += holder->bytes;
		budget->awake = holder->newer;
		budget->concluded = holder;
		if (holder->give_up)
			holder->give_up(holder, holder->owner);
		budget->concluded = NULL;
	}
	while (budget->resting > budget->resting_limit && budget->oldest->rests && budget->oldest->evict)
		budget->oldest->evict(budget->oldest, budget->oldest->owner);
	/* Evicting idle holders can free others, including the one due next. */
	budget->due_ns = (budget->awake ? budget->awake->used_ns : budget->clock_ns) + budget->give_up_ns;
}

bool budget_take(struct budget *budget, struct budget_holder *holder, uint64_t bytes)
{
	if (bytes > budget->limit)
		return false;
	while (budget->used > budget->limit - bytes)
		if (!evict_oldest(budget, holder))
			return false;
	budget_charge(budget, holder, bytes);
	return true;
}
