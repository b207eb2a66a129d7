/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "output/findings.h"
#include "output/stats_form.h"

#define DOCUMENT TESTDATA "/../doc/stats.md"

static const char *const scopes[] = { "capture", "connection", "direction", "RPC" };

/* The rule's row in doc/stats.md. */
static void row_of(const struct finding_rule *rule, char *row, size_t size)
{
	char part[80] = "-";

	if (rule->permille)
		snprintf(part, sizeof part, "%g %% of %s", rule->permille / 10.0, rule->of);
	snprintf(row, size, "| `%s` | %s | %s | %lu | %s | %s |\n", rule->name, finding_weight_name((enum finding_weight)rule->weight),
		 scopes[rule->scope], (unsigned long)rule->least, part, rule->words);
}

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

static struct stats_connection *connection(struct stats *stats, uint64_t number, uint64_t packets, uint64_t repeated)
{
	struct rtap_connection told = { .number = number, .transport = RTAP_TRANSPORT_RC };
	struct stats_connection *made;

	stats_connection(stats, &told);
	made = stats_find(stats, number);
	made->directions[0].packets = packets;
	for (uint64_t i = 0; i < repeated; i++)
		stats_note_event(stats, &made->directions[0], STATS_RETRANSMISSION, i + 1);
	return made;
}

Test(findings, take_count_and_part_and_are_ranked)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20 });
	struct findings *findings = calloc(1, sizeof *findings);

	connection(stats, 1, 100, 9);      /* too few */
	connection(stats, 2, 10000, 99);   /* too small a part */
	connection(stats, 3, 10000, 100);  /* just over */
	connection(stats, 4, 100, 50);     /* five times */
	stats_note_event(stats, &connection(stats, 5, 1, 0)->directions[1], STATS_NAK_ACCESS, 7);
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
		connection(stats, i + 1, 10000, 100 + i);
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
		stats_note_event(stats, &connection(stats, i, 10, 0)->directions[0], STATS_NAK_ACCESS, i);
	findings_gather(findings, stats);
	cr_assert_leq(stats->memory, 4096);
	cr_assert_eq(stats->connections, 1000);
	cr_assert_gt(stats->summed, 900);
	cr_assert_eq(findings->list[0].count, stats->summed);
	cr_assert_eq(findings->list[0].connection, 0);
	free(findings);
	stats_destroy(stats);
}

/* Whether the capture's record in text says this. */
static bool is_told(const struct stats *stats, const struct findings *findings, const char *text)
{
	char told[1000];
	struct line line;

	line_init(&line, told, sizeof told - 1);
	stats_text_form.capture(&(struct stats_record){ .stats = stats, .findings = findings }, &line);
	*line.next = 0;
	return strstr(told, text) != NULL;
}

Test(findings, text_counts_one_in_the_singular)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 64 << 20 });
	struct findings *findings = calloc(1, sizeof *findings);

	stats->outside_intervals = 1;
	cr_expect(is_told(stats, findings, "\n1 packet or message not counted in its interval, for want of memory\n"));
	stats->outside_intervals = 2;
	cr_expect(is_told(stats, findings, "\n2 packets and messages not counted in their intervals, for want of memory\n"));
	free(findings);
	stats_destroy(stats);
}
