/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissect/engine/line.h"
#include "output/stats/findings_advice.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"
#include "output/stats/stats_text.h"
#include "tests/findings_kit.h"

#define DOCUMENT TESTDATA "/../doc/stats.md"

static const char *const scopes[] = { "capture", "connection", "direction", "RPC", "capture", "capture", "direction and kind", "requesting end",
				      "layer and name", "pair of hosts and layer", "job" };

/* The rule's row in doc/stats.md. */
static void row_of(const struct finding_rule *rule, char *row, size_t size)
{
	char part[80] = "-";

	if (rule->permille)
		snprintf(part, sizeof part, "%g %% of %s", rule->permille / 10.0, rule->of);
	snprintf(row, size, "| `%s` | %s | %s | %lu | %s | %s |\n", rule->name, finding_weight_name((enum finding_weight)rule->weight),
		 scopes[rule->scope], (unsigned long)rule->least, part, rule->words);
}

TestSuite(findings, .timeout = HANG_SECONDS);

Test(findings, have_their_rules_in_the_document_in_the_same_order)
{
	FILE *file = fopen(DOCUMENT, "r");
	char line[1000], row[1000];
	unsigned found = 0;
	bool in_table = false;

	cr_assert(file, DOCUMENT);
	while (fgets(line, sizeof line, file)) {
		in_table |= !strncmp(line, "| rule |", 8);
		if (!in_table || strncmp(line, "| `", 3))
			continue;
		cr_assert_lt(found, finding_rule_count, "no such rule: %s", line);
		row_of(&finding_rules[found++], row, sizeof row);
		cr_expect_str_eq(line, row);
	}
	fclose(file);
	while (found < finding_rule_count) {
		row_of(&finding_rules[found++], row, sizeof row);
		cr_expect(false, "not in %s: %s", DOCUMENT, row);
	}
}

Test(findings, have_thresholds_and_names_of_their_own)
{
	for (unsigned i = 0; i < finding_rule_count; i++) {
		cr_expect_geq(finding_rules[i].least, 1);
		cr_expect(!finding_rules[i].permille || finding_rules[i].of, "%s", finding_rules[i].name);
		for (unsigned other = 0; other < i; other++)
			cr_expect_str_neq(finding_rules[i].name, finding_rules[other].name);
	}
}

Test(findings, have_words_a_cause_and_advice)
{
	for (unsigned i = 0; i < finding_rule_count; i++) {
		const struct finding_advice *advice = finding_advice_of(&finding_rules[i]);

		cr_assert(advice, "%s", finding_rules[i].name);
		cr_expect(*advice->one && *advice->many && *advice->cause && *advice->next, "%s", advice->rule);
		cr_expect(*advice->filter || advice->scope, "%s", advice->rule);
		cr_expect_eq(advice->cause[strlen(advice->cause) - 1], '.', "%s", advice->rule);
		cr_expect(strchr(".?", advice->next[strlen(advice->next) - 1]), "%s", advice->rule);
		cr_expect(finding_rules[i].scope != FINDING_CAPTURE || advice->scope == ADVICE_FRAMES, "%s", advice->rule);
	}
}

Test(findings, take_count_and_part_and_are_ranked)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20 });
	struct findings *findings = calloc(1, sizeof *findings);

	count_connection(stats, 1, 100, 9);      /* too few */
	count_connection(stats, 2, 10000, 99);   /* too small a part */
	count_connection(stats, 3, 10000, 100);  /* just over */
	count_connection(stats, 4, 100, 50);     /* five times */
	stats_note_event(stats, &count_connection(stats, 5, 1, 0)->directions[1], STATS_NAK_ACCESS, 7, 0);
	findings_gather(findings, stats);
	cr_assert_eq(findings->count, 3);
	cr_assert_eq(findings->found, 3);
	cr_expect_str_eq(findings->list[0].rule->name, "remote_access_error");
	cr_expect_eq(findings->list[0].direction, 1);
	cr_expect_eq(findings->list[0].first_frame, 7);
	cr_expect_eq(findings->list[1].connection, 4);
	cr_expect_eq(findings->list[1].of, 100);
	cr_expect_eq(findings->list[2].connection, 3);
	cr_expect_eq(findings->list[2].rank, FINDING_RANK);
	free(findings);
	stats_destroy(stats);
}

Test(findings, keep_the_worst_and_count_all)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 64 << 20 });
	struct findings *findings = calloc(1, sizeof *findings);

	for (uint64_t i = 0; i < 3 * FINDINGS; i++)
		count_connection(stats, i + 1, 10000, 100 + i);
	findings_gather(findings, stats);
	cr_assert_eq(findings->count, FINDINGS);
	cr_assert_eq(findings->found, 3 * FINDINGS);
	cr_expect_eq(findings->list[0].connection, 3 * FINDINGS);
	for (unsigned i = 1; i < FINDINGS; i++)
		cr_expect_leq(findings->list[i].rank, findings->list[i - 1].rank);
	free(findings);
	stats_destroy(stats);
}

Test(findings, of_connections_beyond_memory_are_those_of_their_sum)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 4096 });
	struct findings *findings = calloc(1, sizeof *findings);

	for (uint64_t i = 1; i <= 1000; i++)
		stats_note_event(stats, &count_connection(stats, i, 10, 0)->directions[0], STATS_NAK_ACCESS, i, 0);
	findings_gather(findings, stats);
	cr_assert_leq(stats->memory, 4096);
	cr_assert_eq(stats->connections, 1000);
	cr_assert_gt(stats->summed, 900);
	cr_assert_eq(findings->list[0].count, stats->summed);
	cr_assert_eq(findings->list[0].connection, 0);
	free(findings);
	stats_destroy(stats);
}

/* Whether the text of the capture's record contains this. */
static bool is_reported(const struct stats *stats, const struct findings *findings, const char *text)
{
	char reported[1000];
	struct line line;

	line_init(&line, reported, sizeof reported - 1);
	stats_text_totals(&(struct stats_record){ .stats = stats, .findings = findings }, &line);
	*line.next = 0;
	return strstr(reported, text) != NULL;
}

Test(findings, text_counts_one_in_the_singular)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 64 << 20 });
	struct findings *findings = calloc(1, sizeof *findings);

	stats->outside_intervals = 1;
	cr_expect(is_reported(stats, findings, "1 packet or message not counted in its interval, for lack of memory\n"));
	stats->outside_intervals = 2;
	cr_expect(is_reported(stats, findings, "2 packets and messages not counted in their intervals, for lack of memory\n"));
	free(findings);
	stats_destroy(stats);
}

static void expect_text(const struct finding *finding, const char *expected)
{
	char text[200];
	struct line line;

	line_init(&line, text, sizeof text - 1);
	finding_recovery_text(finding, &line);
	finding_recovery_details(finding, &line);
	*line.next = 0;
	cr_expect_str_eq(text, expected);
}

Test(findings, of_recoveries_have_their_cost)
{
	struct stats_shown agreed = { .retries_known = true, .ack_timeout = 17, .retry_count = 7 };
	struct stats_recovery recovery = { .time_lost_ns = 3420 * MS, .least_ns = 537 * MS, .most_ns = 541 * MS };
	struct finding finding = { .recovery = &recovery, .cause = RTAP_RECOVERY_TIMEOUT, .count = 6, .of_ns = 6700 * MS, .retries = &agreed };

	expect_text(&finding, "3.42 s of 6.70 s lost to 6 timeouts, 537 ms apart; CM asked for 537 ms (Local ACK Timeout 17, retry count 7)");
	recovery.most_ns = 1074 * MS;
	finding.retries = NULL;
	expect_text(&finding, "3.42 s of 6.70 s lost to 6 timeouts, 537 ms to 1.07 s apart");
	recovery = (struct stats_recovery){ .time_lost_ns = 655360000 };
	finding = (struct finding){ .recovery = &recovery, .cause = RTAP_RECOVERY_RNR, .count = 1, .of_ns = 99999999999 };
	expect_text(&finding, "655 ms of 100 s lost to 1 RNR NAK");
}

#define SECOND INT64_C(1000000000)

/* A request, a call and a connection attempt, begun at 0 and still unanswered at this time; and one that took this time. */
static void take_at(struct counts *counts, int64_t time_ns)
{
	const struct rtap_life_event asks = { .name = "rdma_connect", .frame = 1, .unanswered = true };
	const struct rtap_life_event makes[] = {
		{ .name = "rdma_connect", .frame = 2 }, { .name = "established", .frame = 3, .time_ns = time_ns },
	};
	struct rtap_connection asked = { .number = 2, .transport = RTAP_TRANSPORT_RC, .life_count = 1, .life = &asks };
	struct rtap_connection made = { .number = 3, .transport = RTAP_TRANSPORT_RC, .life_count = 2, .life = makes };
	struct rtap_message request = {
		.connection = &asked, .from_a = true, .kind = RTAP_KIND_WRITE, .outcome = RTAP_OUTCOME_UNANSWERED, .first_frame = 4,
	};
	const struct rtap_message call = { .connection = &asked, .from_a = true, .kind = RTAP_KIND_RPC_CALL, .is_rpc = true, .first_frame = 5 };
	const struct rtap_operation operation = {
		.connection = &asked, .from_a = true, .layer = "rpc", .flags = RTAP_OPERATION_COSTLY, .request_frame = 5, .request = &call,
	};

	begin_counts(counts);
	counts->stats->now_ns = time_ns;
	stats_message(counts->stats, &request);
	stats_operation(counts->stats, &operation);
	stats_connection(counts->stats, &asked);
	stats_connection(counts->stats, &made);
}

Test(findings, of_long_operations_need_a_second)
{
	static const char *const rules[] = { "unanswered", "rpc_unanswered", "connect_unanswered", "slow_setup" };

	for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		for (int64_t time_ns = SECOND - 1; time_ns <= SECOND + 1; time_ns++) {
			struct counts counts;

			take_at(&counts, time_ns);
			cr_expect_eq(end_counts(&counts, rules[i]), time_ns >= SECOND, "%s: %lld ns", rules[i], (long long)time_ns);
		}
	}
}

/* How many losses are the most within a second, of two that are so far apart. */
static uint64_t losses_at_once(int64_t apart_ns)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20 });
	struct stats_packet_facts facts = { .connection = 1, .flow = { .present = true, .from_a = true }, .ib = { .has_bth = true, .opcode = 4 } };
	uint64_t losses;

	for (uint64_t i = 0; i < 2; i++) {
		facts.time_ns = (int64_t)i * apart_ns;
		facts.flow.analysis = RTAP_PSN_RETRANSMISSION;
		facts.flow.recovery = RTAP_RECOVERY_TIMEOUT;
		facts.frame++;
		stats_count_packet(stats, &facts);
		facts.flow.analysis = RTAP_PSN_IN_ORDER;
		facts.flow.recovery = RTAP_RECOVERY_NONE;
		facts.frame++;
		stats_count_packet(stats, &facts);
	}
	losses = stats_incidents_of(&stats_find(stats, 1)->directions[0])->worst_burst.occurrences.count;
	stats_destroy(stats);
	return losses;
}

/* Time stamps of a damaged capture can be centuries apart, more than once. */
Test(findings, times_lost_saturate)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20 });
	struct rtap_tcp_recovery ended = { .cause = RTAP_RECOVERY_ZERO_WINDOW, .from_a = true, .begin_ns = INT64_MIN, .end_ns = INT64_MAX };
	struct stats_packet_facts facts = {
		.connection = 1, .time_lost_ns = INT64_MAX, .late_ns = INT64_MAX, .late_packets = 1, .tcp_recoveries = &ended, .tcp_recovery_count = 1,
		.flow = { .present = true, .from_a = true, .analysis = RTAP_PSN_OUT_OF_ORDER, .lost_to = RTAP_RECOVERY_TIMEOUT },
		.ib = { .has_bth = true, .opcode = 4 },
	};
	const struct stats_direction *sender;

	for (int i = 0; i < 2; i++) {
		facts.frame++;
		facts.ib.has_bth = i;
		stats_count_packet(stats, &facts);
		stats_count_packet(stats, &facts);
	}
	sender = &stats_find(stats, 1)->directions[0];
	cr_expect_eq(stats_lost_to(stats, sender, RTAP_RECOVERY_TIMEOUT), INT64_MAX);
	cr_expect_eq(stats_lost_to(stats, sender, RTAP_RECOVERY_ZERO_WINDOW), INT64_MAX);
	cr_expect_eq(stats_time_lost(stats, sender), INT64_MAX);
	cr_expect_eq(stats_incidents_of(sender)->reordering.sum_ns, INT64_MAX);
	stats_destroy(stats);
}

Test(findings, of_clusters_count_within_less_than_a_second_of_the_first)
{
	cr_expect_eq(losses_at_once(SECOND - 1), 2);
	cr_expect_eq(losses_at_once(SECOND), 1);
	cr_expect_eq(losses_at_once(SECOND + 1), 1);
}

/* Requests without a response: missing, or not expected. */
Test(findings, of_missing_responses_need_an_operation_that_has_one)
{
	for (unsigned i = 0; i < 3; i++) {
		struct counts counts;
		struct rtap_connection connection;
		struct rtap_operation operation;

		begin_counts(&counts);
		operation = an_operation(&connection);
		operation.response_frame = 0;
		operation.has_latency = false;
		operation.one_way = i == 1;
		operation.flags = i == 2 ? RTAP_OPERATION_WAITS : 0;
		counts.stats->now_ns = 2000 * MS;
		stats_operation(counts.stats, &operation);
		cr_expect_eq(counts.stats->operations->names.rows[0]->work.unanswered, !i);
		cr_expect_eq(end_counts(&counts, "operations_unanswered"), !i, "%u", i);
	}
}
