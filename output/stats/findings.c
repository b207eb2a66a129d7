/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/line.h"
#include "output/packet/units.h"
#include "output/stats/findings.h"
#include "output/stats/findings_take.h"

const char *finding_weight_name(enum finding_weight weight)
{
	static const char *const names[] = {
#define FINDING_WEIGHT_NAME(identifier, name) name,
		FINDING_WEIGHTS(FINDING_WEIGHT_NAME)
#undef FINDING_WEIGHT_NAME
	};

	return names[weight];
}

void finding_recovery_text(const struct finding *found, struct line *line)
{
	static const char *const causes[RTAP_RECOVERY_COUNT][2] = {
		[RTAP_RECOVERY_SEQUENCE_NAK] = { "sequence NAK", "sequence NAKs" },
		[RTAP_RECOVERY_IMPLIED_NAK] = { "READ restart", "READ restarts" },
		[RTAP_RECOVERY_RNR] = { "RNR NAK", "RNR NAKs" },
		[RTAP_RECOVERY_TIMEOUT] = { "timeout", "timeouts" },
	};
	const struct stats_recovery *recovery = found->recovery;

	units_time(recovery->time_lost_ns, line);
	line_text(line, " of ");
	units_time(found->of_ns, line);
	line_text(line, " lost to ");
	line_count(line, found->count, causes[found->cause][0], causes[found->cause][1]);
}

void finding_recovery_details(const struct finding *found, struct line *line)
{
	const struct stats_recovery *recovery = found->recovery;

	if (found->cause == RTAP_RECOVERY_TIMEOUT && recovery->least_ns) {
		line_text(line, found->count > 1 ? ", " : ", after ");
		units_time(recovery->least_ns, line);
		if (recovery->most_ns - recovery->least_ns > recovery->least_ns / 20) {
			line_text(line, " to ");
			units_time(recovery->most_ns, line);
		}
		line_text(line, found->count > 1 ? " apart" : "");
	}
	if (found->asked_ns) {
		line_text(line, "; RNR timers asked for ");
		units_time(found->asked_ns, line);
	}
	if (recovery->late) {
		line_text(line, "; ");
		line_dec(line, recovery->late);
		line_text(line, " began more than 4 ms after the NAK, and may be timeouts if it was lost");
	}
	if (!found->retries)
		return;
	line_text(line, "; CM asked for ");
	if (found->retries->ack_timeout)
		units_time(INT64_C(4096) << (found->retries->ack_timeout & 31), line);
	else
		line_text(line, "none");
	line_text(line, " (Local ACK Timeout ");
	line_dec(line, found->retries->ack_timeout);
	line_text(line, ", retry count ");
	line_dec(line, found->retries->retry_count);
	line_char(line, ')');
}

uint64_t finding_time_lost(const struct finding *found)
{
	return found->recovery ? (uint64_t)found->recovery->time_lost_ns : found->lost_ns;
}

/* Time lost; of slow messages and operations, how much longer than usual the slowest took. */
static uint64_t cost_ns(const struct finding *found)
{
	uint64_t lost_ns = finding_time_lost(found);

	return !lost_ns && !found->rule->times && found->time_ns > found->usual_ns ? (uint64_t)(found->time_ns - found->usual_ns) : lost_ns;
}

static bool is_worse(const struct finding *a, const struct finding *b)
{
	if (a->rule->weight != b->rule->weight)
		return a->rule->weight < b->rule->weight;
	if (cost_ns(a) != cost_ns(b))
		return cost_ns(a) > cost_ns(b);
	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (a->rule != b->rule)
		return a->rule < b->rule;
	return a->connection != b->connection ? a->connection < b->connection : a->direction < b->direction;
}

/* The threshold of the rule for a finding of this size. */
static uint64_t threshold(const struct finding_rule *rule, const struct finding *finding)
{
	uint64_t part = finding->of / 1000 * rule->permille + (finding->of % 1000 * rule->permille + 999) / 1000;

	return part > rule->least ? part : rule->least;
}

static void enter(struct findings *findings, const struct finding *finding)
{
	unsigned place = findings->count;

	findings->found++;
	while (place && is_worse(finding, &findings->list[place - 1]))
		place--;
	if (place == FINDINGS)
		return;
	findings->count += findings->count < FINDINGS;
	memmove(&findings->list[place + 1], &findings->list[place], (findings->count - place - 1) * sizeof *finding);
	findings->list[place] = *finding;
}

static void look_sampled(const struct sampling *sampling, struct finding *finding)
{
	if (!sampling->found)
		return;
	finding->count = sampling->missing;
	finding->of = sampling->packets;
	finding->first_frame = sampling->first_frame;
	finding->last_frame = sampling->last_frame;
}

static void look_one_way(const struct sampling *sampling, struct finding *finding)
{
	finding->count = sampling->is_one_way ? sampling->one_way : 0;
	finding->of = sampling->connections;
}

static void take_occurrences(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct finding_counts *counts = &finding->rule->counts;
	const void *object = finding->rule->scope == FINDING_RPC ? (const void *)finding->rpc :
			     finding->rule->scope == FINDING_WORK ? (const void *)finding->work :
			     finding->rule->scope == FINDING_REQUESTS ? (const void *)connection->directions[finding->direction].requests : stats;

	findings_take(finding, (const void *)((const char *)object + counts->occurrences - 1));
	if (counts->total)
		finding->of = *(const uint64_t *)(const void *)((const char *)object + counts->total - 1);
}

/* `subject`: a finding with its connection, direction and other subjects. */
static void look_at(struct findings *findings, const struct stats *stats, const struct finding_rule *rule,
		    const struct stats_connection *connection, const struct finding *subject)
{
	struct finding finding = *subject;
	int direction = subject->direction;
	uint64_t takes;

	finding.rule = rule;
	if (connection)
		finding.connection = connection->shown.number;
	if (rule->scope == FINDING_SAMPLING) {
		look_sampled(&findings->sampling, &finding);
	} else if (rule->scope == FINDING_ONE_WAY) {
		look_one_way(&findings->sampling, &finding);
	} else if (rule->look) {
		rule->look(stats, connection, &finding);
	} else if (rule->counts.occurrences) {
		take_occurrences(stats, connection, &finding);
	} else {
		findings_take(&finding, stats_event_of(&connection->directions[direction], rule->counts.event));
		finding.of = rule->of ? connection->directions[direction].packets : 0;
	}
	if (finding.count < rule->least || sampling_hides(&findings->sampling, rule->name))
		return;
	takes = threshold(rule, &finding);
	if (finding.count < takes)
		return;
	finding.rank = finding.count > UINT64_MAX / FINDING_RANK ? UINT64_MAX : finding.count * FINDING_RANK / takes;
	enter(findings, &finding);
}

static void look(struct findings *findings, const struct stats *stats, const struct finding_rule *rule,
		 const struct stats_connection *connection, int direction, const struct stats_rpc *rpc)
{
	look_at(findings, stats, rule, connection, &(struct finding){ .direction = direction, .rpc = rpc, .kind = RTAP_KIND_COUNT });
}

static void look_at_connection(struct findings *findings, const struct stats *stats, const struct stats_connection *connection)
{
	for (unsigned i = 0; i < finding_rule_count; i++) {
		const struct finding_rule *rule = &finding_rules[i];

		if (rule->scope == FINDING_CONNECTION)
			look(findings, stats, rule, connection, -1, NULL);
		/* most connections have none of the events of most rules */
		for (int direction = 0; rule->scope == FINDING_DIRECTION && direction < 2; direction++)
			if (rule->counts.event == NO_EVENT || connection->directions[direction].events || connection->directions[direction].incidents)
				look(findings, stats, rule, connection, direction, NULL);
		for (int direction = 0; rule->scope == FINDING_REQUESTS && direction < 2; direction++)
			if (connection->directions[direction].requests)
				look(findings, stats, rule, connection, direction, NULL);
		for (int kind = 0; rule->scope == FINDING_KIND && kind < 2 * RTAP_KIND_COUNT; kind++)
			if (connection->directions[kind / RTAP_KIND_COUNT].operations[kind % RTAP_KIND_COUNT])
				look_at(findings, stats, rule, connection,
					&(struct finding){ .direction = kind / RTAP_KIND_COUNT, .kind = (uint8_t)(kind % RTAP_KIND_COUNT) });
	}
}

void findings_gather(struct findings *findings, const struct stats *stats)
{
	const struct stats_operation_tables *tables = stats_work_tables(stats);
	struct stats_jobs jobs;

	/* without memory there are no findings of jobs */
	if (!stats_jobs_init(&jobs, stats))
		jobs = (struct stats_jobs){ 0 };
	findings->count = 0;
	findings->found = 0;
	sampling_look(&findings->sampling, stats);
	for (unsigned i = 0; i < finding_rule_count; i++) {
		if (finding_rules[i].scope == FINDING_CAPTURE || finding_rules[i].scope == FINDING_SAMPLING || finding_rules[i].scope == FINDING_ONE_WAY)
			look(findings, stats, &finding_rules[i], NULL, -1, NULL);
		for (unsigned row = 0; finding_rules[i].scope == FINDING_RPC && row < stats->rpc_count; row++)
			look(findings, stats, &finding_rules[i], NULL, -1, stats->rpcs[row]);
		for (size_t row = 0; finding_rules[i].scope == FINDING_WORK && row < tables->names.count; row++)
			look_at(findings, stats, &finding_rules[i], NULL,
				&(struct finding){ .direction = -1, .work = tables->names.rows[row], .kind = RTAP_KIND_COUNT });
		for (unsigned job = 0; finding_rules[i].scope == FINDING_JOB && job < jobs.job_count; job++)
			look_at(findings, stats, &finding_rules[i], NULL,
				&(struct finding){ .direction = -1, .job = &jobs.jobs[job], .layer = jobs.jobs[job].layer, .kind = RTAP_KIND_COUNT,
						   .host = jobs.jobs[job].straggler < 0 ? NULL : &jobs.hosts[jobs.jobs[job].straggler] });
		for (unsigned group = 0; finding_rules[i].scope == FINDING_GROUP && group < tables->group_count; group++)
			look_at(findings, stats, &finding_rules[i], NULL,
				&(struct finding){ .direction = -1, .group = tables->groups[group], .kind = RTAP_KIND_COUNT });
	}
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i])
			look_at_connection(findings, stats, stats->table[i]);
	look_at_connection(findings, stats, &stats->others);
	stats_jobs_fini(&jobs);
}
