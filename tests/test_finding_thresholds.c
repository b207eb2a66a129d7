/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The minimum counts, shares and times of findings in doc/stats.md. */
#include "config.h"

#include <criterion/criterion.h>

#include "output/stats/congestion.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_operation.h"
#include "tests/findings_kit.h"

/* Counts of a direction, of packets that it sent, or that were sent to it. */
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
	struct stats_operations *operations = stats_allocate(counts->stats, sizeof *operations);

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

/* Some of it was requested again. */
static void set_late(struct counts *counts, unsigned event, uint64_t count, uint64_t of)
{
	set_event(counts, event, count, of);
	stats_event(counts->stats, counts->direction, STATS_AFTER_NAK)->count = 1;
}

/* One credit, so that one outstanding call uses all credits. */
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
	counts->direction->retransmission_runs = of;
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

/* Beside replies of a millisecond, `count` that took a second. */
static void set_slow_replies(struct counts *counts, unsigned others, uint64_t count, uint64_t of)
{
	(void)of;
	for (unsigned i = 0; i < others; i++)
		histogram_add(&counts->rpc->latency_ns, MS, NULL);
	for (uint64_t i = 0; i < count; i++)
		histogram_add(&counts->rpc->latency_ns, 1000 * MS, NULL);
}

/* `count` responses after a second where 1 ms is usual. */
static void set_slow_operations(struct counts *counts, unsigned kind, uint64_t count, uint64_t of)
{
	struct stats_operations *operations = stats_allocate(counts->stats, sizeof *operations);

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

	congestion_note(counts->stats, counts->direction, CONGESTION_KEY(CONGESTION_REQUEST, class), 1);
	congestion_note(counts->stats, other, CONGESTION_KEY(CONGESTION_ACK, CLASS_HAS_DSCP), 1);
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
	counts->direction->cnps = stats_allocate(counts->stats, sizeof *counts->direction->cnps);
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
	counts->stats->unassigned_events[event].count = count;
}

static void set_sampled(struct counts *counts, unsigned unused, uint64_t count, uint64_t of)
{
	(void)unused;
	(void)of;
	counts->stats->options.sampled = true;
	set_anomaly_count(counts, RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, count, count);
	counts->direction->usual.packets[CONGESTION_REQUEST] = 1;
}

/* 20 packets of one direction; of the other none, or one packet as well. */
static void set_one_way(struct counts *counts, unsigned unused, uint64_t count, uint64_t of)
{
	(void)unused;
	(void)of;
	counts->connection->shown.a.address_length = counts->connection->shown.b.address_length = 4;
	counts->connection->shown.b.address[3] = 1;
	counts->connection->directions[0].packets = 20;
	counts->connection->directions[1].packets = !count;
}

static struct stats_requests *requests_of(struct counts *counts)
{
	counts->direction->requests = stats_allocate(counts->stats, sizeof *counts->direction->requests);
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

static void set_credit_waits(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	set_requests(counts, offsetof(struct stats_requests, credit_waits.occurrences), count, of);
	counts->direction->requests->credit_waits.time_ns = what;
}

static void set_failures(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connection;
	struct rtap_operation operation = an_operation(&connection);

	(void)what;
	stats_operation(counts->stats, &operation);
	counts->stats->operations->names.rows[0]->failures.count = count;
	counts->stats->operations->names.rows[0]->work.count = of;
}

/* As many operations as slow as this after others. */
static void set_slow_ones(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connection;
	struct rtap_operation operation = an_operation(&connection);

	(void)of;
	for (unsigned i = 0; i < 10; i++)
		stats_operation(counts->stats, &operation);
	operation.latency_ns = what * MS;
	for (uint64_t i = 0; i < count; i++)
		stats_operation(counts->stats, &operation);
}

/* Keep-alives 2 seconds apart, of a timeout of 5 seconds, and then gaps of 6. */
static void set_gaps(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connection;
	struct rtap_operation operation = an_operation(&connection);

	(void)of;
	operation.flags = RTAP_OPERATION_KEEP_ALIVE;
	operation.keep_alive_ms = 5000;
	for (uint64_t i = 0; i < 3 + count; i++) {
		operation.time_ns += (i < 3 ? 2000 : (int64_t)what) * MS;
		operation.request_frame++;
		stats_operation(counts->stats, &operation);
	}
	counts->stats->now_ns = operation.time_ns;
}

/* Operations of `count` on one queue, and of 10 on another one. */
static void set_queues(struct counts *counts, unsigned what, uint64_t count, uint64_t of)
{
	struct rtap_connection connections[2];

	(void)of;
	for (unsigned queue = 0; queue < 2; queue++) {
		struct rtap_operation operation = an_operation(&connections[queue]);

		connections[queue].number = queue + 1;
		operation.has_controller = operation.has_queue = true;
		operation.queue = queue + 1;
		operation.latency_ns = queue ? MS : what * MS;
		for (uint64_t i = 0; i < (queue ? 10 : count); i++)
			stats_operation(counts->stats, &operation);
	}
}

/* The thresholds of each rule in doc/stats.md. */
static const struct threshold_case {
	const char *rule;
	void (*set)(struct counts *counts, unsigned what, uint64_t count, uint64_t of);
	unsigned what;
	uint64_t least;
	unsigned permille; /* 0: any part */
/* straggler, network_delays, receiver_late, sender_late, reconnects: tests/cli/test_nccl.py and test_smb_findings.py have captures with them. */
#define OF_JOBS 5

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
	{ "unreliable_loss", set_unreliable, RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, 1, 0 },
	{ "rpc_unanswered", set_overdue, 0, 1, 0 },
	{ "credit_waits", set_credit_waits, 1000000, 1, 0 },
	{ "last_credits", set_requests, offsetof(struct stats_requests, last_credits), 10, 100 },
	{ "summed_connections", set_summed, 0, 1, 0 },
	{ "one_direction", set_one_way, 0, 1, 0 },
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
	{ "capture_loss", set_anomaly_count, RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, 1, 0 },
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

TestSuite(finding_thresholds, .timeout = HANG_SECONDS);

/* Recoveries are also reported by the time lost, and retries by the negotiated count. */
Test(finding_thresholds, of_recoveries_take_time_or_count)
{
	static const struct threshold_case others[] = {
		{ "timeouts", set_time_lost, RTAP_RECOVERY_TIMEOUT, 100, 0 },
		{ "tcp_timeouts", set_time_lost, RTAP_RECOVERY_TCP_TIMEOUT, 100, 0 },
		{ "tcp_fast_retransmits", set_time_lost, RTAP_RECOVERY_FAST_RETRANSMIT, 100, 0 },
		{ "rnr_waits", set_time_lost, RTAP_RECOVERY_RNR, 100, 0 },
		{ "nak_recoveries", set_time_lost, RTAP_RECOVERY_SEQUENCE_NAK, 100, 0 },
		{ "response_recoveries", set_time_lost, RTAP_RECOVERY_IMPLIED_NAK, 100, 0 },
		{ "retries_exhausted", set_attempts, 2, 2, 0 },
	};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		expect_threshold(&others[i], others[i].least, 1);
}

Test(finding_thresholds, are_found_from_their_least_count_on)
{
	cr_expect_eq(sizeof threshold_cases / sizeof threshold_cases[0] + OF_JOBS, finding_rule_count);
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

Test(finding_thresholds, are_found_from_their_part_on)
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

/* Whether there is a finding about a procedure with this number of replies, of which the last took the longest. */
static bool finds_latency(unsigned replies, uint64_t usual_ns, uint64_t longest_ns)
{
	struct counts counts;

	begin_counts(&counts);
	for (unsigned i = 1; i < replies; i++)
		histogram_add(&counts.rpc->latency_ns, usual_ns, NULL);
	histogram_add(&counts.rpc->latency_ns, longest_ns, NULL);
	return end_counts(&counts, "rpc_latency");
}

Test(finding_thresholds, of_latency_take_3_replies_and_50_ms_and_50_times_the_median)
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

Test(finding_thresholds, of_clusters_take_ten_seconds)
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

Test(finding_thresholds, of_credits_take_as_many_calls_as_there_are)
{
	for (uint32_t calls = 31; calls <= 33; calls++) {
		struct counts counts;

		begin_counts(&counts);
		set_calls(&counts, 32, calls, 0);
		cr_expect_eq(end_counts(&counts, "rpc_credits"), calls >= 32, "%u", calls);
		/* without granted credits none can be exhausted */
		begin_counts(&counts);
		set_calls(&counts, 0, calls, 0);
		cr_expect_not(end_counts(&counts, "rpc_credits"));
	}
}

Test(finding_thresholds, omit_symptoms_that_another_finding_explains)
{
	struct counts counts;

	begin_counts(&counts);
	set_event(&counts, STATS_CE_MARK, 1000, 1000);
	stats_event(counts.stats, &counts.connection->directions[1], STATS_CNP)->count = 1;
	cr_expect_not(end_counts(&counts, "ce_without_cnp"));
	begin_counts(&counts);
	set_anomaly_count(&counts, RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, 5, 10);
	counts.connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED_UNACKNOWLEDGED] = 5;
	cr_expect_not(end_counts(&counts, "capture_loss"));
	begin_counts(&counts);
	set_unreliable(&counts, RTAP_CONNECTION_ANOMALY_NOT_CAPTURED, 5, 10);
	cr_expect_not(end_counts(&counts, "capture_loss"));
}
