/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* NCCL: layouts of announcements, and who held a transfer up, by tables written from doc/nccl.md. */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "dissect/nccl/nccl_cts.h"
#include "reassembly/upper/nccl_waits.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define ANY (-1)

static void put(uint8_t *at, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

/* As in a capture of NCCL 2.20: size of 4 bytes, two keys, index at 32. */
static void fill(uint8_t entry[64], uint64_t index)
{
	memset(entry, 0, 64);
	put(entry, 0x735781b30000, 8);
	put(entry + 8, 0x100000, 4);
	put(entry + 12, 0x588f, 4);
	put(entry + 20, 1, 4);
	put(entry + 24, 2, 4);
	put(entry + 32, index, 8);
}

TestSuite(nccl, .timeout = HANG_SECONDS);

Test(nccl, an_entry_is_read_by_its_layout)
{
	uint8_t bytes[64];
	struct nccl_entry entry;

	fill(bytes, 7);
	cr_expect_eq(nccl_plausible(NCCL_ALL_LAYOUTS, bytes, sizeof bytes), 1u << NCCL_S4K2);
	entry = nccl_read_entry(NCCL_S4K2, bytes);
	cr_expect_eq(entry.address, 0x735781b30000);
	cr_expect_eq(entry.size, 0x100000);
	cr_expect_eq(entry.keys[0], 0x588f);
	cr_expect_eq(entry.keys[1], 0);
	cr_expect_eq(entry.receives, 1);
	cr_expect_eq(entry.tag, 2);
	cr_expect_eq(entry.index, 7);
}

Test(nccl, entries_name_memory_and_agree_with_each_other)
{
	uint8_t bytes[9 * 64];

	for (uint32_t length = 0; length < 40; length++) {
		fill(bytes, 1);
		cr_expect_eq(nccl_plausible(NCCL_ALL_LAYOUTS, bytes, length) & 1u << NCCL_S4K2, 0, "%u bytes", length);
	}
	memset(bytes, 0, sizeof bytes);
	cr_expect_eq(nccl_plausible(NCCL_ALL_LAYOUTS, bytes, 64), 0);
	memset(bytes, 0xff, sizeof bytes);
	cr_expect_eq(nccl_plausible(NCCL_ALL_LAYOUTS, bytes, 64), 0);
	for (unsigned receives = 0; receives <= 9; receives++) {
		for (unsigned i = 0; i < 9; i++) {
			fill(bytes + 64 * i, 3);
			put(bytes + 64 * i + 20, receives, 4);
		}
		cr_expect_eq(nccl_plausible(NCCL_ALL_LAYOUTS, bytes, 64 * (receives ? receives : 1)) >> NCCL_S4K2 & 1, receives >= 1 && receives <= 8, "%u receives", receives);
	}
	for (unsigned i = 0; i < 2; i++) {
		fill(bytes + 64 * i, 3 + i);
		put(bytes + 64 * i + 20, 2, 4);
	}
	cr_expect_eq(nccl_plausible(NCCL_ALL_LAYOUTS, bytes, 128) & 1u << NCCL_S4K2, 0, "two indices");
}

/* Transfers of a channel: times in nanoseconds, and the delays. ANY: not checked; receiver: -2 if unknown. */
#define UNKNOWN (-2)

static const struct row {
	struct nccl_times times;
	int64_t sender, receiver, network;
	const char *verdict;
} rows[] = {
	/* the first transfer: nothing is known of the receiver before */
	{ { .index = 1, .bytes = 8192, .announced_ns = 0, .first_ns = 20 * US, .last_ns = 30 * US, .acknowledged_ns = 35 * US, .has_ack = true },
	  20 * US, UNKNOWN, 0, "none" },
	/* the sender comes 5 ms late */
	{ { .index = 2, .bytes = 8192, .announced_ns = 40 * US, .first_ns = 5040 * US, .last_ns = 5050 * US, .acknowledged_ns = 5055 * US, .has_ack = true },
	  5 * MS, 0, 0, "sender late" },
	/* the receiver comes 5 ms late */
	{ { .index = 3, .bytes = 8192, .announced_ns = 10050 * US, .first_ns = 10070 * US, .last_ns = 10080 * US,
	    .acknowledged_ns = 10085 * US, .has_ack = true },
	  20 * US, 5 * MS, 0, "receiver late" },
	/* announced before the end of the one before: only from then on the sender can begin */
	{ { .index = 4, .bytes = 8192, .announced_ns = 10060 * US, .first_ns = 10081 * US, .last_ns = 18081 * US,
	    .acknowledged_ns = 18086 * US, .has_ack = true,
	    .lost_ns = 7000000 },
	  1 * US, 0, 7990 * US, "network" },
	/* both: the sender was not ready either, and did not wait */
	{ { .index = 5, .bytes = 8192, .announced_ns = 30 * MS, .first_ns = 33 * MS, .last_ns = 33010 * US, .acknowledged_ns = 33015 * US, .has_ack = true },
	  3 * MS, 0, 0, "sender late" },
	/* one is missing */
	{ { .index = 7, .bytes = 8192, .announced_ns = 50 * MS, .first_ns = 50020 * US, .last_ns = 50030 * US,
	    .acknowledged_ns = 50035 * US, .has_ack = true },
	  20 * US, UNKNOWN, 0, "none" },
	/* the announcement was lost and sent again after 4 ms */
	{ { .index = 8, .bytes = 8192, .announced_ns = 50040 * US, .first_ns = 54060 * US, .last_ns = 54070 * US,
	    .acknowledged_ns = 54075 * US, .has_ack = true,
	    .announcement_lost_ns = 4000000 },
	  20 * US, ANY, 4 * MS, "network" },
	/* the last packet was sent again: the transfer ends with its acknowledgement */
	{ { .index = 9, .bytes = 8192, .announced_ns = 54080 * US, .first_ns = 54100 * US, .last_ns = 54110 * US,
	    .acknowledged_ns = 58115 * US, .has_ack = true },
	  20 * US, ANY, 4 * MS, "network" },
	{ { .index = 10, .bytes = 0, .announced_ns = 58116 * US, .first_ns = 58136 * US, .last_ns = 58136 * US,
	    .acknowledged_ns = 58141 * US, .has_ack = true },
	  20 * US, 6 * US, 0, "none" },
};

/* Its data was sent again: what that took is not how long an acknowledgement takes, and it ended with the last copy. */
Test(nccl, a_recovery_of_the_first_transfer_makes_no_receiver_late)
{
	struct nccl_times first = { .index = 1, .bytes = 8192, .announced_ns = 0, .first_ns = 20 * US, .last_ns = 30 * US, .acknowledged_ns = 8035 * US,
				    .has_ack = true, .lost_ns = 8000000 };
	struct nccl_times next = { .index = 2, .bytes = 8192, .announced_ns = 8040 * US, .first_ns = 8060 * US, .last_ns = 8070 * US };
	struct nccl_pace pace = { 0 };

	cr_expect_str_eq(nccl_judge(&pace, &first).verdict, "network");
	cr_expect_eq(nccl_judge(&pace, &next).receiver_ns, 5 * US);
	pace = (struct nccl_pace){ 0 };
	first.has_ack = false;
	first.again_ns = 8030 * US;
	nccl_judge(&pace, &first);
	cr_expect_eq(nccl_judge(&pace, &next).receiver_ns, 10 * US);
}

Test(nccl, what_was_not_captured_makes_nobody_late)
{
	const struct nccl_times first = { .index = 1, .bytes = 8192, .announced_ns = 0, .first_ns = 20 * US, .last_ns = 30 * US };
	const struct nccl_times late = { .index = 3, .bytes = 8192, .announced_ns = 10 * US, .first_ns = 5 * MS, .last_ns = 5010 * US };
	struct nccl_pace pace = { 0 };
	struct nccl_times times;
	struct nccl_costs costs;

	/* the transfer before is missing; it lacks data; this one does; nothing before is known; all is known */
	for (int i = 0; i < 5; i++) {
		pace = (struct nccl_pace){ 0 };
		times = first;
		times.lacks_data = i == 1;
		if (i != 3)
			nccl_judge(&pace, &times);
		times = late;
		times.index = i ? 2 : 3;
		times.lacks_data = i == 2;
		costs = nccl_judge(&pace, &times);
		cr_expect_eq(costs.knows_sender, i == 4, "%d", i);
		cr_expect_eq(costs.knows_receiver, i == 4, "%d", i);
		cr_expect_str_eq(costs.verdict, i == 4 ? "sender late" : "none", "%d: %s", i, costs.verdict);
	}
	/* a short time is a limit, whatever is missing */
	pace = (struct nccl_pace){ 0 };
	nccl_judge(&pace, &first);
	times = late;
	times.first_ns = 500 * US;
	cr_expect(nccl_judge(&pace, &times).knows_sender);
}

Test(nccl, a_pause_hides_no_delay_and_is_nobodys_own)
{
	const struct nccl_times first = { .index = 1, .bytes = 8192, .announced_ns = 0, .first_ns = 20 * US, .last_ns = 30 * US };
	/* 3 ms until the receiver is free, a pause of 30 ms, and then the sender is 5 ms late, or at once */
	struct nccl_times next = { .index = 2, .bytes = 8192, .announced_ns = 33030 * US, .first_ns = 38030 * US, .last_ns = 38040 * US,
				   .paused_ns = { 30 * MS, 0 }, .knows_free = { true, true }, .free_ns = { 3030 * US, 33030 * US },
				   .free_paused_ns = { 30 * MS, 0 } };
	struct nccl_pace pace = { 0 };
	struct nccl_costs costs;

	nccl_judge(&pace, &first);
	costs = nccl_judge(&pace, &next);
	cr_expect_str_eq(costs.verdict, "sender late");
	cr_expect_eq(costs.pause_ns, 30 * MS);
	cr_expect_eq(costs.sender_own_ns, 5 * MS);
	pace = (struct nccl_pace){ 0 };
	nccl_judge(&pace, &first);
	next.first_ns = 33040 * US;
	next.last_ns = 33050 * US;
	costs = nccl_judge(&pace, &next);
	cr_expect_str_eq(costs.verdict, "receiver late");
	cr_expect_eq(costs.receiver_ns, 3 * MS);
	cr_expect_eq(costs.receiver_own_ns, 0);
	pace = (struct nccl_pace){ 0 };
	nccl_judge(&pace, &first);
	next.paused_ns[0] = 33 * MS;
	cr_expect_str_eq(nccl_judge(&pace, &next).verdict, "pause");
}

Test(nccl, costs_are_those_of_the_definitions)
{
	struct nccl_pace pace = { 0 };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		struct nccl_costs costs = nccl_judge(&pace, &row->times);

		cr_expect_eq(costs.sender_ns, row->sender, "%zu: sender %lld", i, (long long)costs.sender_ns);
		cr_expect_eq(costs.network_ns, row->network, "%zu: network %lld", i, (long long)costs.network_ns);
		cr_expect_eq(costs.knows_receiver, row->receiver != UNKNOWN, "%zu", i);
		if (row->receiver >= 0)
			cr_expect_eq(costs.receiver_ns, row->receiver, "%zu: receiver %lld", i, (long long)costs.receiver_ns);
		cr_expect_str_eq(costs.verdict, row->verdict, "%zu: %s", i, costs.verdict);
	}
}
