/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/rpc/rpc_programs.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_rpc.h"
#include "output/stats/stats_work.h"

struct stats_occurrences stats_sum(const struct stats *stats, enum stats_event event)
{
	struct stats_occurrences sum = stats->unassigned_events[event];

	for (int i = 0; i < 2; i++)
		stats_occurrences_merge(&sum, stats_event_of(&stats->others.directions[i], event));
	for (uint64_t i = 0; i < stats->table_room; i++)
		for (int direction = 0; stats->table[i] && direction < 2; direction++)
			stats_occurrences_merge(&sum, stats_event_of(&stats->table[i]->directions[direction], event));
	return sum;
}

uint64_t stats_anomaly_count(const struct stats *stats, enum rtap_connection_anomaly anomaly)
{
	uint64_t sum = stats->others.shown.anomaly_counts[anomaly];

	for (uint64_t i = 0; i < stats->table_room; i++)
		sum += stats->table[i] ? stats->table[i]->shown.anomaly_counts[anomaly] : 0;
	return sum;
}

bool stats_rpc_name(const struct stats_rpc *row, const char *separator, struct line *line)
{
	struct rtap_rpc_facts facts = { .program = row->program, .version = row->version, .procedure = row->procedure };

	if (!row->program_known)
		return false;
	rpc_line_program(&facts, line);
	line_char(line, ' ');
	rpc_line_procedure(&facts, line);
	if (!row->is_operation)
		return true;
	line_text(line, separator);
	if (row->name)
		line_text(line, row->name);
	else
		line_dec(line, row->operation);
	return true;
}

uint64_t stats_rate(uint64_t count, int64_t elapsed_ns)
{
	return elapsed_ns > 0 ? (uint64_t)((double)count * 1e9 / (double)elapsed_ns + 0.5) : 0;
}

uint64_t stats_goodput(const struct stats_direction *direction)
{
	return stats_rate(direction->payload_bytes, ns_elapsed(direction->first_ns, direction->last_ns));
}

uint64_t stats_messages(const struct stats_direction *direction)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++)
		sum += direction->operations[kind] ? direction->operations[kind]->messages : 0;
	return sum;
}

uint64_t stats_payload(const struct stats *stats)
{
	uint64_t sum = stats->others.directions[0].payload_bytes + stats->others.directions[1].payload_bytes;

	for (uint64_t i = 0; i < stats->table_room; i++)
		for (int direction = 0; stats->table[i] && direction < 2; direction++)
			sum += stats->table[i]->directions[direction].payload_bytes;
	return sum;
}

uint64_t stats_all_repeated(const struct stats *stats)
{
	uint64_t sum = stats_repeated(&stats->others.directions[0]) + stats_repeated(&stats->others.directions[1]);

	for (uint64_t i = 0; i < stats->table_room; i++)
		for (int direction = 0; stats->table[i] && direction < 2; direction++)
			sum += stats_repeated(&stats->table[i]->directions[direction]);
	return sum;
}

/* Destination of the records. */
struct reporter {
	struct stats_record record;
	stats_write *write;
	void *owner;
	bool stopped;
};

static void report(struct reporter *reporter, stats_form *form, const void *what)
{
	reporter->record.what = what;
	reporter->stopped = reporter->stopped || !reporter->write(reporter->owner, form, &reporter->record);
}

/* Each procedure followed by its operations. */
static void report_rpcs(struct reporter *reporter, const struct stats *stats, const struct stats_form *form)
{
	for (unsigned i = 0; i < stats->rpc_count; i++) {
		if (stats->rpcs[i]->is_operation)
			continue;
		report(reporter, form->rpc, stats->rpcs[i]);
		for (unsigned inner = 0; inner < stats->rpc_count; inner++)
			if (stats_rpc_is_part(stats->rpcs[inner], stats->rpcs[i]))
				report(reporter, form->rpc, stats->rpcs[inner]);
	}
}

/* Each job followed by its hosts. */
static void report_jobs(struct reporter *reporter, const struct stats_jobs *jobs, const struct stats_form *form)
{
	reporter->record.jobs = jobs;
	for (unsigned i = 0; i < jobs->job_count; i++) {
		reporter->record.index = i;
		report(reporter, form->job, &jobs->jobs[i]);
		for (unsigned host = 0; host < jobs->host_count; host++)
			if (jobs->hosts[host].job == i)
				report(reporter, form->host, &jobs->hosts[host]);
	}
}

static void report_rows(struct reporter *reporter, const struct stats_work_table *table, stats_form *form)
{
	for (size_t i = 0; i < table->count && !reporter->stopped; i++)
		report(reporter, form, table->rows[i]);
	if (table->others)
		report(reporter, form, table->others);
}

bool stats_write_all(const struct stats *stats, const struct findings *findings, const struct stats_form *form, stats_write *write, void *owner)
{
	static const struct stats_interval nothing;
	struct reporter reporter = { { .stats = stats, .findings = findings }, write, owner, false };
	struct stats_jobs jobs;
	bool has_jobs = stats_jobs_init(&jobs, stats);

	report(&reporter, form->capture, NULL);
	for (unsigned i = 0; i < findings->count; i++) {
		reporter.record.index = i;
		report(&reporter, form->finding, &findings->list[i]);
	}
	for (uint64_t i = 0; i < stats->table_room && !reporter.stopped; i++)
		if (stats->table[i] && stats->table[i]->reported)
			report(&reporter, form->connection, stats->table[i]);
	if (stats->summed || stats->uncounted_messages)
		report(&reporter, form->connection, &stats->others);
	report_rows(&reporter, &stats_work_tables(stats)->names, form->operation);
	report_rows(&reporter, &stats_work_tables(stats)->objects, form->object);
	report_jobs(&reporter, &jobs, form);
	report_rpcs(&reporter, stats, form);
	for (unsigned i = 0; i < stats->mad_count; i++)
		report(&reporter, form->mad, stats->mads[i]);
	for (uint64_t i = 0; i < stats->interval_count && !reporter.stopped; i++) {
		reporter.record.index = i;
		if (memcmp(&stats->intervals[i], &nothing, sizeof nothing))
			report(&reporter, form->interval, &stats->intervals[i]);
	}
	stats_jobs_fini(&jobs);
	return has_jobs;
}
