/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of packets give the same statistics as the packets. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "output/stats/packet_sums.h"
#include "output/stats/stats_packet.h"

#define PACKETS 60000
#define NEAR_NS INT64_C(150000)
#define ECT 2

struct both {
	struct stats *alone, *together;
	struct packet_sums *sums;
	uint64_t passed;
};

static void add_sum(void *owner, const struct packet_sum *sum)
{
	struct both *both = owner;

	stats_add_sum(both->together, sum);
	both->passed++;
}

static bool one_in(unsigned count)
{
	return rand() % (int)count == 0;
}

/* Mostly in order and unmarked. */
static struct stats_packet_facts any_packet(uint64_t frame, int64_t *time_ns, unsigned connections)
{
	/* SEND Only, READ Response Only, Acknowledge, CNP */
	static const uint8_t opcodes[] = { 4, 4, 4, 0x10, 0x11, 0x11, 0x11, 0x81 };
	static const uint8_t analyses[] = { RTAP_PSN_GAP, RTAP_PSN_RETRANSMISSION, RTAP_PSN_DUPLICATE, RTAP_PSN_OUT_OF_ORDER };
	static const uint16_t classes[] = { CLASS_HAS_DSCP | ECT, CLASS_HAS_DSCP | ECT, CLASS_HAS_DSCP, CLASS_HAS_DSCP | 26 << 2 | ECT };
	struct stats_packet_facts facts = { .frame = frame, .wire_bytes = 60 + (uint32_t)rand() % 1000, .flow = { .present = !one_in(40) } };

	*time_ns += one_in(500) ? 30 * NEAR_NS : one_in(50) ? -NEAR_NS : rand() % NEAR_NS;
	facts.time_ns = *time_ns;
	/* many numbers share a place, and those that come first are not the lowest */
	facts.connection = 1 + 4096 * ((uint64_t)rand() % connections) + (uint64_t)rand() % 2;
	facts.flow.from_a = one_in(2);
	facts.flow.analysis = one_in(3) ? RTAP_PSN_CAPTURED_TWICE : one_in(40) ? analyses[rand() % 4] : RTAP_PSN_IN_ORDER;
	facts.class = one_in(60) ? CLASS_HAS_DSCP | ECN_CE : classes[rand() % 4];
	facts.bad_icrc = one_in(200);
	facts.ib.has_bth = facts.flow.present || one_in(2);
	facts.ib.opcode = opcodes[rand() % (one_in(8) ? 8 : 7)];
	facts.ib.has_aeth = facts.ib.opcode == 0x10 || facts.ib.opcode == 0x11;
	facts.ib.aeth_kind = one_in(30) ? RTAP_AETH_NAK : one_in(30) ? RTAP_AETH_RNR_NAK : RTAP_AETH_ACK;
	facts.ib.aeth_value = facts.ib.aeth_kind == RTAP_AETH_ACK && !one_in(50) ? 31 : 0;
	facts.payload_bytes = facts.ib.opcode == 4 || facts.ib.opcode == 0x10 ? (uint32_t)rand() % 60 : 0;
	if (facts.flow.analysis == RTAP_PSN_RETRANSMISSION) {
		facts.flow.recovery = (uint8_t)(one_in(2) ? RTAP_RECOVERY_TIMEOUT : RTAP_RECOVERY_RNR);
		facts.flow.attempt = 1 + (uint8_t)(rand() % 3);
	}
	return facts;
}

static void same_events(const struct stats_direction *one, const struct stats_direction *other)
{
	for (int event = 0; event < STATS_EVENT_COUNT; event++) {
		const struct stats_occurrences *a = stats_event_of(one, (enum stats_event)event), *b = stats_event_of(other, (enum stats_event)event);

		cr_assert(!memcmp(a, b, sizeof *a), "%s: %llu, %llu", stats_event_name((enum stats_event)event), (unsigned long long)a->count,
			  (unsigned long long)b->count);
	}
}

static void same_classes(const struct stats_direction *one, const struct stats_direction *other)
{
	unsigned at[2] = { 0, 0 };
	struct congestion_row a, b;

	while (congestion_next(one, &at[0], &a)) {
		cr_assert(congestion_next(other, &at[1], &b));
		cr_assert_eq(a.key, b.key);
		cr_assert_eq(a.packets, b.packets);
	}
	cr_assert(!congestion_next(other, &at[1], &b));
}

#define SAME(member) cr_assert_eq(one->member, other->member, #member ": %lld, %lld", (long long)one->member, (long long)other->member)

static void same_direction(const struct stats_direction *one, const struct stats_direction *other)
{
	SAME(packets);
	SAME(wire_bytes);
	SAME(carried_bytes);
	SAME(data_packets);
	SAME(first_ns);
	SAME(last_ns);
	SAME(marked);
	SAME(attempts);
	SAME(rnr_naks);
	SAME(retransmission_runs);
	SAME(rnr_wait_us);
	cr_assert(!memcmp(&one->window, &other->window, sizeof one->window));
	same_events(one, other);
	same_classes(one, other);
	cr_assert_eq(!one->cnps, !other->cnps);
	if (one->cnps)
		cr_assert(!memcmp(one->cnps, other->cnps, sizeof *one->cnps));
	cr_assert_eq(!one->reaction_ns, !other->reaction_ns);
	if (one->reaction_ns)
		SAME(reaction_ns->count);
}

static void same(const struct stats *one, const struct stats *other)
{
	SAME(packets);
	SAME(wire_bytes);
	SAME(rdma_packets);
	SAME(first_ns);
	SAME(last_ns);
	SAME(unassigned);
	SAME(bad_icrc.count);
	for (uint64_t i = 0; i < one->table_room && i < other->table_room; i++) {
		cr_assert_eq(!one->table[i], !other->table[i]);
		for (int end = 0; one->table[i] && end < 2; end++)
			same_direction(&one->table[i]->directions[end], &other->table[i]->directions[end]);
	}
}

static uint64_t compare(unsigned seed, unsigned connections)
{
	const struct stats_options options = { .max_memory = 64 << 20 };
	struct both both = { .alone = stats_create(&options), .together = stats_create(&options) };
	int64_t time_ns = INT64_C(1700000000000000000);

	srand(seed);
	both.sums = packet_sums_create(add_sum, &both);
	for (uint64_t frame = 1; frame <= PACKETS; frame++) {
		struct stats_packet_facts facts = any_packet(frame, &time_ns, connections);

		stats_count_packet(both.alone, &facts);
		if (!packet_sums_take(both.sums, &facts)) {
			stats_count_packet(both.together, &facts);
			both.passed++;
		}
		if (one_in(5000))
			packet_sums_pass(both.sums);
		if (one_in(5000))
			packet_sums_interrupt(both.sums, facts.connection);
	}
	packet_sums_pass(both.sums);
	same(both.alone, both.together);
	packet_sums_destroy(both.sums);
	stats_destroy(both.alone);
	stats_destroy(both.together);
	return both.passed;
}

Test(packet_sums, give_the_statistics_of_their_packets)
{
	for (unsigned seed = 1; seed <= 6; seed++)
		cr_expect_lt(compare(seed, 1), PACKETS * 9 / 10);
}

Test(packet_sums, of_connections_that_share_a_place)
{
	for (unsigned seed = 1; seed <= 3; seed++)
		compare(seed, 3);
}

/* Of a stream without losses little is passed: one sum for each direction and window. */
Test(packet_sums, are_few_without_anomalies)
{
	const struct stats_options options = { .max_memory = 1 << 20 };
	struct both both = { .together = stats_create(&options) };
	struct stats_packet_facts facts = { .connection = 7, .wire_bytes = 1000, .class = CLASS_HAS_DSCP | ECT,
				     .flow = { .present = true, .from_a = true, .analysis = RTAP_PSN_IN_ORDER }, .ib = { .has_bth = true, .opcode = 4 } };

	both.sums = packet_sums_create(add_sum, &both);
	for (unsigned i = 0; i < 1000; i++, facts.frame++, facts.time_ns += CONGESTION_WINDOW_NS / 100)
		cr_assert(packet_sums_take(both.sums, &facts));
	packet_sums_pass(both.sums);
	cr_expect_eq(both.passed, 10);
	cr_expect_eq(both.together->packets, 1000);
	packet_sums_destroy(both.sums);
	stats_destroy(both.together);
}
