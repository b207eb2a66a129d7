/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "dissect/engine/line.h"
#include "output/stats/findings.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_operation.h"
#include "output/stats/findings_advice.h"
#include "output/stats/stats_packet.h"
#include "output/stats/stats_text.h"

#define DOCUMENT TESTDATA "/../doc/stats.md"

static const char *const scopes[] = { "capture", "connection", "direction", "RPC", "capture", "direction and kind", "requesting end",
				      "layer and name", "pair of hosts and layer" };

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

static struct stats_connection *connection(struct stats *stats, uint64_t number, uint64_t packets, uint64_t repeated)
{
	struct rtap_connection reported = { .number = number, .transport = RTAP_TRANSPORT_RC };
	struct stats_connection *made;

	stats_connection(stats, &reported);
	made = stats_find(stats, number);
	made->directions[0].packets = packets;
	for (uint64_t i = 0; i < repeated; i++)
		stats_note_event(stats, &made->directions[0], STATS_RETRANSMISSION, i + 1, 0);
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
	stats_note_event(stats, &connection(stats, 5, 1, 0)->directions[1], STATS_NAK_ACCESS, 7, 0);
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
		stats_note_event(stats, &connection(stats, i, 10, 0)->directions[0], STATS_NAK_ACCESS, i, 0);
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
static bool is_reported(const struct stats *stats, const struct findings *findings, const char *text)
{
	char reported[1000];
	struct line line;

	line_init(&line, reported, sizeof reported - 1);
	stats_text_notes(&(struct stats_record){ .stats = stats, .findings = findings }, &line);
	*line.next = 0;
	return strstr(reported, text) != NULL;
}

Test(findings, text_counts_one_in_the_singular)
{
	struct stats *stats = stats_create(&(struct stats_options){ .max_memory = 64 << 20 });
	struct findings *findings = calloc(1, sizeof *findings);

	stats->outside_intervals = 1;
	cr_expect(is_reported(stats, findings, "1 packet or message not counted in its interval, for want of memory\n"));
	stats->outside_intervals = 2;
	cr_expect(is_reported(stats, findings, "2 packets and messages not counted in their intervals, for want of memory\n"));
	free(findings);
	stats_destroy(stats);
}

/* Counts for the rules to look at: of the capture, one connection with its first direction, and one procedure. */
struct counts {
	struct stats *stats;
	struct stats_connection *connection;
	struct stats_direction *direction;
	struct stats_rpc *rpc;
};

static void begin_counts(struct counts *counts)
{
	counts->stats = stats_create(&(struct stats_options){ .max_memory = 1 << 20 });
	counts->connection = connection(counts->stats, 1, 0, 0);
	counts->direction = &counts->connection->directions[0];
	counts->rpc = stats_take(counts->stats, sizeof *counts->rpc);
	counts->stats->rpcs[counts->stats->rpc_count++] = counts->rpc;
}

/* Whether the rule has a finding of these counts, which are freed. */
static bool end_counts(struct counts *counts, const char *rule)
{
	struct findings *findings = calloc(1, sizeof *findings);
	bool found = false;

	findings_gather(findings, counts->stats);
	for (unsigned i = 0; i < findings->count; i++)
		found |= !strcmp(findings->list[i].rule->name, rule);
	free(findings);
	stats_destroy(counts->stats);
	return found;
}

/* What is counted in a direction, of packets that it sent, or that were sent to it. */
static void set_event(struct counts *counts, unsigned event, uint64_t count, uint64_t of)
{
	stats_event(counts->stats, counts->direction, event)->count = count;
	counts->direction->packets = of;
}

static void set_refused(struct counts *counts, unsigned event, uint64_t count, uint64_t of)
{
	stats_event(counts->stats, counts->direction, event)->count = count;
	counts->connection->directions[1].packets = of;
}

static void set_segments(struct counts *counts, unsigned event, uint64_t count, uint64_t of)
{
	counts->connection->shown.transport = RTAP_TRANSPORT_IWARP;
	set_event(counts, event, count, of);
}

static void set_terminates(struct counts *counts, unsigned kind, uint64_t count, uint64_t of)
{
	struct stats_operations *operations = stats_take(counts->stats, sizeof *operations);

	(void)of;
	operations->messages = count;
	counts->direction->operations[kind] = operations;
}

static void set_anomaly_count(struct counts *counts, unsigned anomaly_counts, uint64_t count, uint64_t of)
{
	counts->connection->shown.anomaly_counts[anomaly_counts] = count;
	counts->connection->shown.packets = of;
}

static void set_unreliable(struct counts *counts, unsigned anomaly_counts, uint64_t count, uint64_t of)
{
	counts->connection->shown.transport = RTAP_TRANSPORT_UC;
	set_anomaly_count(counts, anomaly_counts, count, of);
}

/* Some of it was asked for again. */
static void set_late(struct counts *counts, unsigned event, uint64_t count, uint64_t of)
{
	set_event(counts, event, count, of);
	stats_event(counts->stats, counts->direction, STATS_AFTER_NAK)->count = 1;
}

/* One credit, so that a call under way is as many as there are. */
static void set_calls(struct counts *counts, unsigned credits, uint64_t count, uint64_t of)
{
	(void)of;
	counts->direction->least_credits = credits;
	counts->direction->most_calls_in_flight = (uint32_t)count;
}

static void set_summed(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	(void)what;
	(void)of;
	counts->stats->summed = count;
}

static void set_burst(struct counts *counts, unsigned seconds, uint64_t count, uint64_t of)
{
	counts->direction->packets = 1;
	counts->direction->last_ns = seconds * INT64_C(1000000000);
	counts->direction->losses = of;
	stats_incidents(counts->stats, counts->direction)->worst_burst.occurrences.count = count;
}

static struct stats_recovery *recovery_of(struct counts *counts, unsigned cause)
{
	counts->direction->packets = 1;
	return &stats_incidents(counts->stats, counts->direction)->recoveries[cause];
}

static void set_recoveries(struct counts *counts, unsigned cause, uint64_t count, uint64_t of)
{
	(void)of;
	recovery_of(counts, cause)->occurrences.count = count;
}

/* In milliseconds. */
static void set_time_lost(struct counts *counts, unsigned cause, uint64_t count, uint64_t of)
{
	(void)of;
	recovery_of(counts, cause)->occurrences.count = 1;
	recovery_of(counts, cause)->time_lost_ns = (int64_t)count * 1000000;
}

static void set_attempts(struct counts *counts, unsigned retries, uint64_t count, uint64_t of)
{
	(void)of;
	recovery_of(counts, RTAP_RECOVERY_TIMEOUT)->occurrences.count = count;
	counts->direction->attempts = (uint8_t)count;
	counts->connection->shown.retries_known = retries > 0;
	counts->connection->shown.retry_count = (uint8_t)retries;
}

static void set_doubled(struct counts *counts, unsigned cause, uint64_t count, uint64_t of)
{
	(void)of;
	recovery_of(counts, cause)->doubled = (uint32_t)count;
}

#define SET_STATS(member) \
	static void set_##member(struct counts *counts, unsigned unused, uint64_t count, uint64_t of) \
	{ \
		(void)unused; \
		counts->stats->member.count = count; \
		counts->stats->rdma_packets = counts->stats->setup_ns.count = of; \
	}
SET_STATS(bad_icrc)
SET_STATS(cm_unanswered)
SET_STATS(cm_repeats)
SET_STATS(slow_setups)
SET_STATS(rejected)

#define SET_RPC(member) \
	static void set_##member(struct counts *counts, unsigned unused, uint64_t count, uint64_t of) \
	{ \
		(void)unused; \
		counts->rpc->member.count = count; \
		counts->rpc->calls = counts->rpc->replies = of; \
	}
SET_RPC(first_rejected)
SET_RPC(first_error)
SET_RPC(overdue)

#define MS UINT64_C(1000000)

/* Beside replies of a millisecond, `count` that took a second. */
static void set_slow_replies(struct counts *counts, unsigned others, uint64_t count, uint64_t of)
{
	(void)of;
	for (unsigned i = 0; i < others; i++)
		histogram_add(&counts->rpc->latency_ns, MS, NULL);
	for (uint64_t i = 0; i < count; i++)
		histogram_add(&counts->rpc->latency_ns, 1000 * MS, NULL);
}

/* Answered in a second where 1 ms is usual, in as many as are asked for. */
static void set_slow_operations(struct counts *counts, unsigned kind, uint64_t count, uint64_t of)
{
	struct stats_operations *operations = stats_take(counts->stats, sizeof *operations);

	(void)of;
	for (uint64_t i = 0; i < 10; i++)
		histogram_add(&operations->latency_ns, MS, NULL);
	for (uint64_t i = 0; i < count; i++)
		histogram_add(&operations->latency_ns, 1000 * MS, NULL);
	counts->direction->operations[kind] = operations;
}

static void set_recovery(struct counts *counts, unsigned cause, uint64_t count, uint64_t of)
{
	(void)of;
	recovery_of(counts, cause)->occurrences.count = count;
}

/* A class of `of` packets of one end and `count` of the other, which are fewer. */
static void set_classes(struct counts *counts, unsigned class, uint64_t count, uint64_t of)
{
	struct stats_direction *other = &counts->connection->directions[1];

	congestion_note(counts->stats, counts->direction, CONGESTION_KEY(CONGESTION_REQUEST, class));
	congestion_note(counts->stats, other, CONGESTION_KEY(CONGESTION_ACK, CLASS_HAS_DSCP));
	counts->direction->usual.packets[CONGESTION_REQUEST] = count;
	other->usual.packets[CONGESTION_ACK] = count + of;
}

static void set_storm(struct counts *counts, unsigned unused, uint64_t count, uint64_t of)
{
	(void)unused;
	(void)of;
	for (uint64_t i = 0; i < count; i++)
		congestion_note_cnp(counts->stats, counts->direction, &counts->connection->directions[1], i + 1, (int64_t)i * 100000);
}

static void set_ignored(struct counts *counts, unsigned unused, uint64_t count, uint64_t of)
{
	(void)unused;
	counts->direction->cnps = stats_take(counts->stats, sizeof *counts->direction->cnps);
	counts->direction->cnps->not_slower = count;
	counts->direction->cnps->measured = of;
}

/* Pauses of as many microseconds. */
static void set_pauses(struct counts *counts, unsigned priority, uint64_t count, uint64_t of)
{
	congestion_note_pause(counts->stats, &(struct congestion_pause){ .enabled = (uint16_t)(1 << priority) });
	counts->stats->last_ns = (int64_t)of * 1000;
	counts->stats->pauses->ports[0].paused_ns = count * 1000;
}

static void set_frames(struct counts *counts, unsigned unused, uint64_t count, uint64_t of)
{
	struct congestion_pause pause = { .enabled = 1 };

	(void)unused;
	(void)of;
	for (uint64_t i = 0; i < count; i++)
		congestion_note_pause(counts->stats, &pause);
}

static void set_loose(struct counts *counts, unsigned event, uint64_t count, uint64_t of)
{
	(void)of;
	counts->stats->loose[event].count = count;
}

static void set_sampled(struct counts *counts, unsigned unused, uint64_t count, uint64_t of)
{
	(void)unused;
	(void)of;
	counts->stats->options.sampled = true;
	set_anomaly_count(counts, RTAP_CONNECTION_ANOMALY_LOST, count, count);
	counts->direction->usual.packets[CONGESTION_REQUEST] = 1;
}

static struct stats_requests *requests_of(struct counts *counts)
{
	counts->direction->requests = stats_take(counts->stats, sizeof *counts->direction->requests);
	return counts->direction->requests;
}

/* `what`: where the occurrences are in struct stats_requests. */
static void set_requests(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct stats_requests *requests = requests_of(counts);

	((struct stats_occurrences *)((char *)requests + what))->count = count;
	requests->work.count = of;
	requests->inline_writes = of > count ? of - count : 0;
}

static struct rtap_operation an_operation(const struct counts *counts, struct rtap_connection *connection)
{
	(void)counts;
	*connection = (struct rtap_connection){ .number = 1, .a = { .address_length = 4 }, .b = { .address_length = 4 } };
	return (struct rtap_operation){ .connection = connection, .from_a = true, .layer = "layer", .name = "name", .request_frame = 1, .response_frame = 2,
					.complete = true, .has_latency = true, .latency_ns = MS };
}

static void set_failures(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connection;
	struct rtap_operation operation = an_operation(counts, &connection);

	(void)what;
	stats_operation(counts->stats, &operation);
	counts->stats->operations->names.rows[0]->failures.count = count;
	counts->stats->operations->names.rows[0]->work.count = of;
}

/* As many operations as slow as this after others. */
static void set_slow_ones(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connection;
	struct rtap_operation operation = an_operation(counts, &connection);

	(void)of;
	for (unsigned i = 0; i < 10; i++)
		stats_operation(counts->stats, &operation);
	operation.latency_ns = what * MS;
	for (uint64_t i = 0; i < count; i++)
		stats_operation(counts->stats, &operation);
}

/* Keep-alives 2 seconds apart, of a time-out of 5 seconds, and then gaps of 6. */
static void set_gaps(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connection;
	struct rtap_operation operation = an_operation(counts, &connection);

	(void)of;
	operation.flags = RTAP_OPERATION_KEEP_ALIVE;
	operation.keep_alive_ms = 5000;
	for (uint64_t i = 0; i < 3 + count; i++) {
		operation.time_ns += (i < 3 ? 2000 : (int64_t)what) * MS;
		operation.request_frame++;
		stats_operation(counts->stats, &operation);
	}
	counts->stats->last_ns = operation.time_ns;
}

/* Operations of `count` on one queue, and of 10 on another one. */
static void set_queues(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connections[2];

	(void)of;
	for (unsigned queue = 0; queue < 2; queue++) {
		struct rtap_operation operation = an_operation(counts, &connections[queue]);

		connections[queue].number = queue + 1;
		operation.has_queue = true;
		operation.queue = queue + 1;
		operation.latency_ns = queue ? MS : what * MS;
		for (uint64_t i = 0; i < (queue ? 10 : count); i++)
			stats_operation(counts->stats, &operation);
	}
}

/* What doc/stats.md says that each rule takes. */
static const struct threshold_case {
	const char *rule;
	void (*set)(struct counts *counts, unsigned what, uint64_t count, uint64_t of);
	unsigned what;
	uint64_t least;
	unsigned permille; /* 0: any part */
} threshold_cases[] = {
	{ "bad_icrc", set_bad_icrc, 0, 1, 0 },
	{ "remote_access_error", set_event, STATS_NAK_ACCESS, 1, 0 },
	{ "terminated", set_terminates, RTAP_KIND_TERMINATE, 1, 0 },
	{ "bad_fpdu_crc", set_anomaly_count, RTAP_CONNECTION_ANOMALY_BAD_FPDU_CRC, 1, 0 },
	{ "invalid_request", set_event, STATS_NAK_INVALID_REQUEST, 1, 0 },
	{ "operational_error", set_event, STATS_NAK_OPERATION, 1, 0 },
	{ "unanswered", set_event, STATS_UNANSWERED, 1, 0 },
	{ "retries_exhausted", set_attempts, 0, 7, 0 },
	{ "rnr_given_up", set_event, STATS_RNR_GIVEN_UP, 1, 0 },
	{ "rpc_rejected", set_first_rejected, 0, 1, 0 },
	{ "operations_unanswered", set_requests, offsetof(struct stats_requests, overdue), 1, 0 },
	{ "keep_alives_unanswered", set_requests, offsetof(struct stats_requests, keep_alives_overdue), 1, 0 },
	{ "device_errors", set_requests, offsetof(struct stats_requests, device_errors), 1, 0 },
	{ "connect_unanswered", set_cm_unanswered, 0, 1, 0 },
	{ "rejected", set_rejected, 0, 1, 0 },
	{ "cm_repeats", set_cm_repeats, 0, 1, 0 },
	{ "slow_setup", set_slow_setups, 0, 1, 0 },
	{ "missed_keep_alives", set_gaps, 6000, 1, 0 },
	{ "aborts", set_requests, offsetof(struct stats_requests, aborts), 1, 0 },
	{ "aborted", set_requests, offsetof(struct stats_requests, aborted), 1, 0 },
	{ "slow_device", set_requests, offsetof(struct stats_requests, slow_device.occurrences), 3, 0 },
	{ "slow_network", set_requests, offsetof(struct stats_requests, slow_network.occurrences), 1, 0 },
	{ "retransmissions", set_event, STATS_RETRANSMISSION, 10, 10 },
	{ "tcp_retransmissions", set_segments, STATS_RETRANSMISSION, 10, 10 },
	{ "timeouts", set_recoveries, RTAP_RECOVERY_TIMEOUT, 3, 0 },
	{ "rnr_waits", set_recoveries, RTAP_RECOVERY_RNR, 3, 0 },
	{ "nak_recoveries", set_recoveries, RTAP_RECOVERY_SEQUENCE_NAK, 3, 0 },
	{ "response_recoveries", set_recoveries, RTAP_RECOVERY_IMPLIED_NAK, 3, 0 },
	{ "tcp_timeouts", set_recovery, RTAP_RECOVERY_TCP_TIMEOUT, 3, 0 },
	{ "tcp_fast_retransmits", set_recovery, RTAP_RECOVERY_FAST_RETRANSMIT, 3, 0 },
	{ "zero_windows", set_recovery, RTAP_RECOVERY_ZERO_WINDOW, 1, 0 },
	{ "sequence_naks", set_refused, STATS_NAK_SEQUENCE, 5, 1 },
	{ "rnr_naks", set_refused, STATS_RNR, 3, 1 },
	{ "read_restarts", set_event, STATS_READ_RESTART, 3, 0 },
	{ "ce_without_cnp", set_event, STATS_CE_MARK, 10, 1 },
	{ "traffic_class", set_classes, CLASS_HAS_DSCP | 26 << 2, 10, 0 },
	{ "cnp_storm", set_storm, 0, 100, 0 },
	{ "cnp_ignored", set_ignored, 0, 3, 500 },
	{ "paused", set_pauses, 3, 1, 10 },
	{ "unreliable_loss", set_unreliable, RTAP_CONNECTION_ANOMALY_LOST, 1, 0 },
	{ "rpc_unanswered", set_overdue, 0, 1, 0 },
	{ "summed_connections", set_summed, 0, 1, 0 },
	{ "rpc_errors", set_first_error, 0, 10, 200 },
	{ "rpc_latency", set_slow_replies, 2, 1, 0 },
	{ "operation_errors", set_failures, 0, 10, 200 },
	{ "operation_latency", set_slow_ones, 51, 1, 0 },
	{ "uneven_queues", set_queues, 2, 100, 0 },
	{ "not_inline", set_requests, offsetof(struct stats_requests, not_inline), 100, 500 },
	{ "slow_operations", set_slow_operations, RTAP_KIND_READ, 1, 0 },
	{ "adaptive_retransmission", set_doubled, RTAP_RECOVERY_TIMEOUT, 2, 0 },
	{ "congestion", set_event, STATS_CE_MARK, 10, 10 },
	{ "cnps", set_event, STATS_CNP, 1, 0 },
	{ "loose_cnps", set_loose, STATS_CNP, 1, 0 },
	{ "pauses", set_frames, 0, 1, 0 },
	{ "sampled", set_sampled, 0, 1, 0 },
	{ "sprayed", set_anomaly_count, RTAP_CONNECTION_ANOMALY_PATH_CHANGE, 10, 10 },
	{ "out_of_order", set_late, STATS_OUT_OF_ORDER, 10, 10 },
	{ "rpc_credits", set_calls, 1, 1, 0 },
	{ "loss_cluster", set_burst, 10, 10, 500 },
	{ "capture_loss", set_anomaly_count, RTAP_CONNECTION_ANOMALY_LOST, 1, 0 },
};

/* Tries a count below the one that is taken, that one, and one above. */
static void expect_threshold(const struct threshold_case *wanted, uint64_t taken, uint64_t of)
{
	for (uint64_t count = taken - 1; count <= taken + 1; count++) {
		struct counts counts;

		begin_counts(&counts);
		wanted->set(&counts, wanted->what, count, of);
		cr_expect_eq(end_counts(&counts, wanted->rule), count >= taken, "%s: %lu of %lu", wanted->rule, (unsigned long)count,
			     (unsigned long)of);
	}
}

/* Recoveries are also found by the time that they took, and retries by the count that was agreed on. */
Test(findings, of_recoveries_take_time_or_count)
{
	static const struct threshold_case others[] = {
		{ "timeouts", set_time_lost, RTAP_RECOVERY_TIMEOUT, 100, 0 },
		{ "rnr_waits", set_time_lost, RTAP_RECOVERY_RNR, 100, 0 },
		{ "nak_recoveries", set_time_lost, RTAP_RECOVERY_SEQUENCE_NAK, 100, 0 },
		{ "response_recoveries", set_time_lost, RTAP_RECOVERY_IMPLIED_NAK, 100, 0 },
		{ "retries_exhausted", set_attempts, 2, 2, 0 },
	};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		expect_threshold(&others[i], others[i].least, 1);
}

static void expect_text(const struct finding *finding, const char *expected)
{
	char text[200];
	struct line line;

	line_init(&line, text, sizeof text - 1);
	finding_recovery_text(finding, &line);
	*line.next = 0;
	cr_expect_str_eq(text, expected);
}

Test(findings, of_recoveries_say_what_they_cost)
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
	expect_text(&finding, "655 ms of 100 s lost to 1 RNR NAK (the receiver had posted no receive)");
}

Test(findings, are_found_from_their_least_count_on)
{
	cr_expect_eq(sizeof threshold_cases / sizeof threshold_cases[0], finding_rule_count);
	for (unsigned i = 0; i < sizeof threshold_cases / sizeof threshold_cases[0]; i++) {
		const struct threshold_case *wanted = &threshold_cases[i];

		expect_threshold(wanted, wanted->least, 1);
		/* the most of which the least count is the part */
		if (wanted->permille)
			expect_threshold(wanted, wanted->least, wanted->least * 1000 / wanted->permille);
		else
			expect_threshold(wanted, wanted->least, 1000000);
	}
}

Test(findings, are_found_from_their_part_on)
{
	for (unsigned i = 0; i < sizeof threshold_cases / sizeof threshold_cases[0]; i++) {
		const struct threshold_case *wanted = &threshold_cases[i];

		if (!wanted->permille)
			continue;
		expect_threshold(wanted, 1000 * wanted->permille, 1000000);
		/* one more of all: the same count is less than the part */
		expect_threshold(wanted, 1000 * wanted->permille + 1, 1000001);
		expect_threshold(wanted, wanted->least + 1, wanted->least * 1000 / wanted->permille + 1);
	}
}

/* Whether a procedure is found with so many replies, of which the last took the longest. */
static bool finds_latency(unsigned replies, uint64_t usual_ns, uint64_t longest_ns)
{
	struct counts counts;

	begin_counts(&counts);
	for (unsigned i = 1; i < replies; i++)
		histogram_add(&counts.rpc->latency_ns, usual_ns, NULL);
	histogram_add(&counts.rpc->latency_ns, longest_ns, NULL);
	return end_counts(&counts, "rpc_latency");
}

Test(findings, of_latency_take_3_replies_and_50_ms_and_50_times_the_median)
{
	const uint64_t usual = 8650753;

	cr_expect_not(finds_latency(2, MS, 1000 * MS));
	cr_expect(finds_latency(3, MS, 1000 * MS));
	cr_expect(finds_latency(100, MS, 1000 * MS));
	cr_expect_not(finds_latency(3, 1000, 50 * MS - 1));
	cr_expect(finds_latency(3, 1000, 50 * MS));
	cr_expect(finds_latency(3, 1000, 50 * MS + 1));
	cr_expect_not(finds_latency(100, usual, 50 * usual - 1));
	cr_expect(finds_latency(100, usual, 50 * usual));
	cr_expect(finds_latency(100, usual, 50 * usual + 1));
}

Test(findings, of_clusters_take_ten_seconds)
{
	static const struct {
		int64_t elapsed_ns;
		bool found;
	} cases[] = { { INT64_C(10000000000) - 1, false }, { INT64_C(10000000000), true }, { INT64_C(10000000000) + 1, true } };

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct counts counts;

		begin_counts(&counts);
		set_burst(&counts, 0, 10, 10);
		counts.direction->first_ns = -5;
		counts.direction->last_ns = cases[i].elapsed_ns - 5;
		cr_expect_eq(end_counts(&counts, "loss_cluster"), cases[i].found, "%lld ns", (long long)cases[i].elapsed_ns);
	}
}

Test(findings, of_credits_take_as_many_calls_as_there_are)
{
	for (uint32_t calls = 31; calls <= 33; calls++) {
		struct counts counts;

		begin_counts(&counts);
		set_calls(&counts, 32, calls, 0);
		cr_expect_eq(end_counts(&counts, "rpc_credits"), calls >= 32, "%u", calls);
		/* credits that nobody granted are none to run out of */
		begin_counts(&counts);
		set_calls(&counts, 0, calls, 0);
		cr_expect_not(end_counts(&counts, "rpc_credits"));
	}
}

Test(findings, leave_out_what_another_sign_explains)
{
	struct counts counts;

	begin_counts(&counts);
	set_event(&counts, STATS_CE_MARK, 1000, 1000);
	stats_event(counts.stats, &counts.connection->directions[1], STATS_CNP)->count = 1;
	cr_expect_not(end_counts(&counts, "ce_without_cnp"));
	begin_counts(&counts);
	set_anomaly_count(&counts, RTAP_CONNECTION_ANOMALY_LOST, 5, 10);
	counts.connection->directions[1].refused = true;
	cr_expect_not(end_counts(&counts, "capture_loss"));
	begin_counts(&counts);
	set_unreliable(&counts, RTAP_CONNECTION_ANOMALY_LOST, 5, 10);
	cr_expect_not(end_counts(&counts, "capture_loss"));
}

#define SECOND INT64_C(1000000000)

/* A request, a call and an attempt to connect, begun at 0 and not answered until then; and one that took so long. */
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
	struct rtap_message call = { .connection = &asked, .from_a = true, .kind = RTAP_KIND_RPC_CALL, .is_rpc = true, .first_frame = 5 };

	begin_counts(counts);
	counts->stats->last_ns = time_ns;
	stats_message(counts->stats, &request);
	stats_message(counts->stats, &call);
	stats_connection(counts->stats, &asked);
	stats_connection(counts->stats, &made);
}

Test(findings, of_what_takes_long_take_a_second)
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
	struct stats_sight sight = { .connection = 1, .flow = { .present = true, .from_a = true }, .ib = { .has_bth = true, .opcode = 4 } };
	uint64_t losses;

	for (uint64_t i = 0; i < 2; i++) {
		sight.time_ns = (int64_t)i * apart_ns;
		sight.flow.analysis = RTAP_PSN_RETRANSMISSION;
		sight.flow.recovery = RTAP_RECOVERY_TIMEOUT;
		sight.frame++;
		stats_add_sight(stats, &sight);
		sight.flow.analysis = RTAP_PSN_IN_ORDER;
		sight.flow.recovery = RTAP_RECOVERY_NONE;
		sight.frame++;
		stats_add_sight(stats, &sight);
	}
	losses = stats_incidents_of(&stats_find(stats, 1)->directions[0])->worst_burst.occurrences.count;
	stats_destroy(stats);
	return losses;
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
		operation = an_operation(&counts, &connection);
		operation.response_frame = 0;
		operation.has_latency = false;
		operation.one_way = i == 1;
		operation.flags = i == 2 ? RTAP_OPERATION_WAITS : 0;
		counts.stats->last_ns = 2000 * MS;
		stats_operation(counts.stats, &operation);
		cr_expect_eq(counts.stats->operations->names.rows[0]->work.unanswered, !i);
		cr_expect_eq(end_counts(&counts, "operations_unanswered"), !i, "%u", i);
	}
}
