/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>

#include "reassembly/store/budget.h"

static struct budget budget;

static void give_all(struct budget_entry *entry, void *owner)
{
	(*(int *)owner)++;
	budget_give(&budget, entry, entry->bytes);
}

TestSuite(budget, .timeout = HANG_SECONDS);

Test(budget, the_entry_unused_for_longest_goes_first)
{
	int evicted[3] = { 0 };
	struct budget_entry entries[3];

	budget_init(&budget, 100);
	for (int i = 0; i < 3; i++) {
		entries[i] = (struct budget_entry){ .evict = give_all, .owner = &evicted[i] };
		cr_assert(budget_take(&budget, &entries[i], 30));
	}
	budget_touch(&budget, &entries[0]);
	cr_assert(budget_take(&budget, &entries[2], 20));
	cr_expect_eq(evicted[0], 0);
	cr_expect_eq(evicted[1], 1);
	cr_expect_eq(evicted[2], 0);
	cr_expect_eq(budget.used, 80);
	cr_expect_eq(budget.evictions, 1);
	cr_expect_eq(budget.peak, 90);
}

Test(budget, an_entry_never_evicts_itself)
{
	int evicted = 0;
	struct budget_entry entry = { .evict = give_all, .owner = &evicted };

	budget_init(&budget, 100);
	cr_assert(budget_take(&budget, &entry, 60));
	cr_expect(!budget_take(&budget, &entry, 60));
	cr_expect_eq(evicted, 0);
	cr_expect_eq(budget.used, 60);
	cr_expect(!budget_take(&budget, &entry, UINT64_MAX));
}

Test(budget, unlinked_entries_count_and_are_never_evicted)
{
	int evicted = 0;
	struct budget_entry apart = { .apart = true }, soft = { .evict = give_all, .owner = &evicted };

	budget_init(&budget, 100);
	budget_charge(&budget, &apart, 40);
	cr_expect(TAILQ_EMPTY(&budget.entries));
	cr_assert(budget_take(&budget, &soft, 30));
	budget_charge(&budget, &apart, 20);
	cr_expect(TAILQ_FIRST(&budget.entries) == &soft && !TAILQ_NEXT(&soft, link));
	cr_expect_eq(budget.used, 90);
	cr_expect(budget_relieve(&budget));
	cr_expect_eq(evicted, 1);
	cr_expect(!budget_relieve(&budget));
	budget_give(&budget, &apart, 60);
	cr_expect_eq(budget.used, 0);
}

Test(budget, entries_that_cannot_be_given_up_stay)
{
	int evicted = 0;
	struct budget_entry firm = { 0 }, soft = { .evict = give_all, .owner = &evicted }, asking = { 0 };

	budget_init(&budget, 100);
	cr_assert(budget_take(&budget, &firm, 50));
	cr_assert(budget_take(&budget, &soft, 50));
	cr_assert(budget_take(&budget, &asking, 50));
	cr_expect_eq(evicted, 1);
	cr_expect(!budget_take(&budget, &asking, 1));
	budget_give(&budget, &firm, 50);
	cr_expect(budget_take(&budget, &asking, 50));
	cr_expect_eq(TAILQ_FIRST(&budget.entries), &asking);
	cr_expect_null(TAILQ_NEXT(&asking, link));
}

#define SECOND INT64_C(1000000000)

static void discard(struct budget_entry *entry, void *owner)
{
	*(int *)owner += 10;
	budget_give(&budget, entry, entry->bytes);
}

static void keep_ten(struct budget_entry *entry, void *owner)
{
	*(int *)owner += 100;
	budget_give(&budget, entry, entry->bytes - 10);
}

/* Three entries that give_up is called for, in use from `now` on. */
static void three_from(int64_t now_ns, struct budget_entry entries[3], int counts[3])
{
	budget_init(&budget, 10000);
	budget_give_up_after(&budget, 60 * SECOND);
	budget_advance(&budget, now_ns);
	for (int i = 0; i < 3; i++) {
		entries[i] = (struct budget_entry){ .evict = give_all, .give_up = discard, .owner = &counts[i] };
		cr_assert(budget_take(&budget, &entries[i], 30));
	}
}

Test(budget, an_entry_is_given_up_when_it_was_not_used_for_the_time)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(5 * SECOND, entries, counts);
	budget_advance(&budget, 35 * SECOND);
	budget_touch(&budget, &entries[1]);
	budget_charge(&budget, &entries[2], 5);
	budget_advance(&budget, 65 * SECOND - 1);
	cr_expect(!counts[0] && !counts[1] && !counts[2]);
	budget_advance(&budget, 65 * SECOND);
	cr_expect(counts[0] == 10 && !counts[1] && !counts[2]);
	budget_advance(&budget, 95 * SECOND - 1);
	cr_expect(!counts[1] && !counts[2]);
	budget_advance(&budget, 95 * SECOND);
	cr_expect(counts[1] == 10 && counts[2] == 10);
	cr_expect_eq(budget.used, 0);
	cr_expect_eq(budget.evictions, 0);
	/* none for a long time, then another */
	budget_advance(&budget, 1000 * SECOND);
	budget_charge(&budget, &entries[0], 1);
	budget_advance(&budget, 1060 * SECOND - 1);
	cr_expect_eq(counts[0], 10);
	budget_advance(&budget, 1060 * SECOND);
	cr_expect_eq(counts[0], 20);
}

Test(budget, without_give_up_an_entry_rests_with_all_that_it_has)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(0, entries, counts);
	entries[1].give_up = NULL;
	budget_advance(&budget, 60 * SECOND);
	cr_expect(counts[0] == 10 && counts[1] == 0 && counts[2] == 10);
	cr_expect(budget.used == 30 && budget.idle_bytes == 30);
}

Test(budget, an_entry_that_keeps_something_rests_until_it_is_used)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(0, entries, counts);
	for (int i = 0; i < 3; i++)
		entries[i].give_up = keep_ten;
	budget_advance(&budget, 60 * SECOND);
	cr_expect(counts[0] == 100 && counts[1] == 100 && counts[2] == 100);
	cr_expect(budget.used == 30 && budget.idle_bytes == 30);
	budget_advance(&budget, 120 * SECOND);
	cr_expect_eq(counts[0], 100);
	/* used again, it has the whole time again; the others are the first to go */
	budget_charge(&budget, &entries[0], 5);
	cr_expect(budget.used == 35 && budget.idle_bytes == 20);
	cr_expect(budget_relieve(&budget));
	cr_expect(counts[1] == 101 && budget.idle_bytes == 10);
	budget_touch(&budget, &entries[2]);
	cr_expect(!budget.idle_bytes && !entries[2].is_idle);
	budget_give(&budget, &entries[2], 10);
	budget_advance(&budget, 180 * SECOND - 1);
	cr_expect_eq(counts[0], 100);
	budget_advance(&budget, 180 * SECOND);
	cr_expect(counts[0] == 200 && budget.idle_bytes == 10);
	budget_give(&budget, &entries[0], 10);
	cr_expect(!budget.used && !budget.idle_bytes && TAILQ_EMPTY(&budget.entries) && !budget.oldest_active);
}

static void exchange_all(struct budget_entry *entry, void *owner)
{
	(*(int *)owner)++;
	budget_charge(&budget, entry, 20);
	budget_touch(&budget, entry);
	budget_give(&budget, entry, 25);
}

Test(budget, memory_used_by_giving_up_is_no_use_of_the_entry)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(0, entries, counts);
	for (int i = 0; i < 3; i++)
		entries[i].give_up = exchange_all;
	budget_advance(&budget, 60 * SECOND);
	cr_expect(counts[0] == 1 && counts[1] == 1 && counts[2] == 1);
	cr_expect(budget.used == 75 && budget.idle_bytes == 75 && !budget.oldest_active);
	cr_expect(entries[0].is_idle && entries[1].is_idle && entries[2].is_idle);
	budget_charge(&budget, &entries[1], 1);
	cr_expect(!entries[1].is_idle && budget.idle_bytes == 50 && budget.oldest_active == &entries[1]);
}

Test(budget, resting_entries_have_their_own_limit)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(0, entries, counts);
	budget.idle_limit = 15;
	for (int i = 0; i < 3; i++)
		entries[i].give_up = keep_ten;
	budget_advance(&budget, 60 * SECOND);
	/* the two that are older went */
	cr_expect(counts[0] == 101 && counts[1] == 101 && counts[2] == 100);
	cr_expect_eq(budget.idle_bytes, 10);
}

static void become_larger(struct budget_entry *entry, void *owner)
{
	(*(int *)owner)++;
	budget_charge(&budget, entry, 100);
}

Test(budget, giving_up_stops_when_it_takes_more_than_the_limit)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(0, entries, counts);
	budget.limit = budget.used;
	for (int i = 0; i < 3; i++)
		entries[i].give_up = become_larger;
	for (int i = 0; i < 3; i++) {
		cr_expect(budget_advance(&budget, 60 * SECOND));
		cr_expect(counts[i] == 1 && (i == 2 || !counts[i + 1]));
		while (budget.used > budget.limit)
			cr_assert(budget_relieve(&budget));
		counts[i] = 1;
	}
	while (budget_advance(&budget, 60 * SECOND))
		;
	cr_expect(counts[0] == 1 && counts[1] == 1 && counts[2] == 1 && !budget.used);
}

Test(budget, a_clock_that_is_set_back_makes_nothing_older_or_younger)
{
	int counts[3] = { 0 };
	struct budget_entry entries[3];

	three_from(1000 * SECOND, entries, counts);
	budget_advance(&budget, 1030 * SECOND);
	budget_touch(&budget, &entries[2]);
	budget_advance(&budget, 0);
	budget_advance(&budget, 30 * SECOND - 1);
	cr_expect(!counts[0] && !counts[1] && !counts[2]);
	budget_advance(&budget, 30 * SECOND);
	cr_expect(counts[0] == 10 && counts[1] == 10 && !counts[2]);
	budget_advance(&budget, INT64_MIN);
	budget_advance(&budget, INT64_MAX);
	cr_expect_eq(counts[2], 10);
}
