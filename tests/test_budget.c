/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "reassembly/budget.h"

static struct budget budget;

static void give_all(struct budget_holder *holder, void *owner)
{
	(*(int *)owner)++;
	budget_give(&budget, holder, holder->bytes);
}

Test(budget, the_holder_unused_for_longest_goes_first)
{
	int evicted[3] = { 0 };
	struct budget_holder holders[3];

	budget_init(&budget, 100);
	for (int i = 0; i < 3; i++) {
		holders[i] = (struct budget_holder){ .evict = give_all, .owner = &evicted[i] };
		cr_assert(budget_take(&budget, &holders[i], 30));
	}
	budget_touch(&budget, &holders[0]);
	cr_assert(budget_take(&budget, &holders[2], 20));
	cr_expect_eq(evicted[0], 0);
	cr_expect_eq(evicted[1], 1);
	cr_expect_eq(evicted[2], 0);
	cr_expect_eq(budget.used, 80);
	cr_expect_eq(budget.evictions, 1);
	cr_expect_eq(budget.peak, 90);
}

Test(budget, a_holder_never_evicts_itself)
{
	int evicted = 0;
	struct budget_holder holder = { .evict = give_all, .owner = &evicted };

	budget_init(&budget, 100);
	cr_assert(budget_take(&budget, &holder, 60));
	cr_expect(!budget_take(&budget, &holder, 60));
	cr_expect_eq(evicted, 0);
	cr_expect_eq(budget.used, 60);
	cr_expect(!budget_take(&budget, &holder, UINT64_MAX));
}

Test(budget, what_stands_apart_counts_and_is_in_nobodys_way)
{
	int evicted = 0;
	struct budget_holder apart = { .apart = true }, soft = { .evict = give_all, .owner = &evicted };

	budget_init(&budget, 100);
	budget_charge(&budget, &apart, 40);
	cr_expect_null(budget.newest);
	cr_assert(budget_take(&budget, &soft, 30));
	budget_charge(&budget, &apart, 20);
	cr_expect(budget.newest == &soft && budget.oldest == &soft);
	cr_expect_eq(budget.used, 90);
	cr_expect(budget_relieve(&budget));
	cr_expect_eq(evicted, 1);
	cr_expect(!budget_relieve(&budget));
	budget_give(&budget, &apart, 60);
	cr_expect_eq(budget.used, 0);
}

Test(budget, what_cannot_be_given_up_stays)
{
	int evicted = 0;
	struct budget_holder firm = { 0 }, soft = { .evict = give_all, .owner = &evicted }, asking = { 0 };

	budget_init(&budget, 100);
	cr_assert(budget_take(&budget, &firm, 50));
	cr_assert(budget_take(&budget, &soft, 50));
	cr_assert(budget_take(&budget, &asking, 50));
	cr_expect_eq(evicted, 1);
	cr_expect(!budget_take(&budget, &asking, 1));
	budget_give(&budget, &firm, 50);
	cr_expect(budget_take(&budget, &asking, 50));
	cr_expect_eq(budget.oldest, &asking);
	cr_expect_eq(budget.newest, &asking);
}
