/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RDMATAP_TESTS_FUZZ_ACCOUNTS_H
#define RDMATAP_TESTS_FUZZ_ACCOUNTS_H

#include "reassembly/state.h"

#include "harness.h"

/* What a tracker's memory may be over its limit in the middle of a frame. */
#define SLACK (UINT64_C(1) << 20)

/* Accounts agree with each other: those in the order of use, those apart from it, and their sum. */
static inline void check_budget(const struct rtap_tracker *tracker)
{
	const struct budget *budget = &tracker->budget;
	uint64_t bytes = tracker->messages.bytes + tracker->view.entry.bytes + tracker->tcp.entry.bytes;

	REQUIRE(tracker->messages.apart && tracker->view.entry.apart && tracker->tcp.entry.apart);
	const struct budget_entry *entry;

	TAILQ_FOREACH(entry, &budget->entries, link) {
		REQUIRE(entry->bytes > 0 && !entry->apart);
		bytes += entry->bytes;
	}
	REQUIRE(bytes == budget->used);
	REQUIRE(budget->peak <= budget->limit + SLACK);
}

#endif
