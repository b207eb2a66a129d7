/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/message/connections.h"
#include "output/packet/units.h"
#include "output/stats/stats_waits_text.h"
#include "output/stats/stats_work.h"

#define DELAY_COLUMNS { "receiver late", false, false }, { "sender late", false, false }, { "network", false, false }, { "pause", false, false }

static void host_text(const struct stats_job_host *host, struct line *line)
{
	struct rtap_end end = { .address_length = host->address_length };

	memcpy(end.address, host->address, sizeof end.address);
	end_address(&end, line);
}

/* "5.01 ms 12.3 %"; below 1 % without the share, empty if it is nothing. */
static void delay_cell(struct stats_table *table, int64_t time_ns, int64_t of_ns)
{
	struct line *line = stats_table_begin(table);

	if (time_ns > 0)
		units_time(time_ns, line);
	if (time_ns > 0 && time_ns >= of_ns / 100) {
		line_char(line, ' ');
		units_percent((uint64_t)time_ns, of_ns > 0 ? (uint64_t)of_ns : 1, line);
	}
	stats_table_end(table);
}

static int64_t times(int64_t time_ns, unsigned factor)
{
	return factor && time_ns > INT64_MAX / factor ? INT64_MAX : time_ns * factor;
}

static void straggler_cell(struct stats_table *table, const struct stats_jobs *jobs, const struct stats_job *job)
{
	struct line *line = stats_table_begin(table);

	if (job->straggler >= 0)
		host_text(&jobs->hosts[job->straggler], line);
	stats_table_end(table);
}

void stats_waits_jobs(const struct stats_jobs *jobs, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "job", false, false }, { "layer", true, false }, { "hosts", false, false }, { "shape", true, false }, { "transfers", false, false },
		{ "bytes", false, true }, { "time", false, false }, DELAY_COLUMNS, { "straggler", true, false }, { NULL, false, false },
	};

	stats_table_init(table, "Jobs", columns);
	for (unsigned i = 0; i < jobs->job_count; i++) {
		const struct stats_job *job = &jobs->jobs[i];
		int64_t span_ns = stats_waits_span(&job->waits);

		stats_table_number(table, i + 1);
		stats_table_text(table, job->layer);
		stats_table_number(table, job->hosts);
		stats_table_text(table, stats_shape_name(job->shape));
		stats_table_number(table, job->waits.count);
		stats_table_bytes(table, job->waits.bytes);
		stats_table_time(table, span_ns);
		for (int delay = 0; delay < STATS_DELAY_COUNT; delay++)
			delay_cell(table, job->waits.delays[delay].time_ns, delay == STATS_DELAY_ALL ? span_ns : times(span_ns, job->links));
		straggler_cell(table, jobs, job);
	}
}

/* The latest first. */
static int compare_hosts(const void *left, const void *right)
{
	const struct stats_job_host *a = *(const struct stats_job_host *const *)left, *b = *(const struct stats_job_host *const *)right;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->own_ns != b->own_ns)
		return a->own_ns > b->own_ns ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void host_row(struct stats_table *table, const struct stats_jobs *jobs, const struct stats_job_host *host)
{
	const struct stats_job *job = &jobs->jobs[host->job];
	struct line *line;

	stats_table_number(table, host->job + 1);
	host_text(host, stats_table_begin(table));
	stats_table_end(table);
	stats_table_number(table, host->received);
	stats_table_bytes(table, host->received_bytes);
	stats_table_number(table, host->sent);
	stats_table_bytes(table, host->sent_bytes);
	stats_table_time(table, host->kept_ns[STATS_DELAY_REQUESTER]);
	stats_table_time(table, host->kept_ns[STATS_DELAY_RESPONDER]);
	delay_cell(table, host->own_ns, stats_waits_span(&job->waits));
	line = stats_table_begin(table);
	if (job->straggler >= 0 && host == &jobs->hosts[job->straggler])
		line_text(line, stats_job_host_is_certain(host) ? "straggler" : "likely straggler");
	stats_table_end(table);
}

void stats_waits_hosts(const struct stats_jobs *jobs, uint64_t most, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "job", false, false }, { "host", true, false }, { "received", false, false }, { "bytes", false, false }, { "sent", false, false },
		{ "bytes", false, false }, { "receiver late", false, false }, { "sender late", false, false }, { "by itself", false, false },
		{ "", true, false }, { NULL, false, false },
	};
	const struct stats_job_host **sorted = jobs->host_count ? calloc(jobs->host_count, sizeof *sorted) : NULL;

	stats_table_init(table, "Hosts of jobs", columns);
	table->failed |= jobs->host_count && !sorted;
	for (unsigned i = 0; sorted && i < jobs->host_count; i++)
		sorted[i] = &jobs->hosts[i];
	if (sorted)
		qsort(sorted, jobs->host_count, sizeof *sorted, compare_hosts);
	for (unsigned i = 0; sorted && i < jobs->host_count && i < most; i++)
		host_row(table, jobs, sorted[i]);
	free(sorted);
}

struct waiting {
	uint64_t number;            /* of the connection */
	const struct stats_requests *requests;
	int64_t time_ns;            /* lost to anything but pauses */
};

static int compare_waiting(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns > b->time_ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static size_t gather(const struct stats *stats, struct waiting *list)
{
	size_t count = 0;

	for (uint64_t i = 0; i < stats->table_room; i++)
		for (int side = 0; stats->table[i] && side < 2; side++) {
			const struct stats_requests *requests = stats->table[i]->directions[side].requests;

			if (!requests || !requests->waits)
				continue;
			if (list) {
				list[count] = (struct waiting){ .number = i + 1, .requests = requests };
				for (int delay = 0; delay < STATS_DELAY_ALL; delay++)
					list[count].time_ns += requests->waits->delays[delay].time_ns / STATS_DELAY_ALL;
			}
			count++;
		}
	return count;
}

static void connection_row(struct stats_table *table, const struct waiting *waiting)
{
	const struct stats_waits *waits = waiting->requests->waits;
	const struct stats_delayed *longest = &waits->delays[0];
	int64_t span_ns = stats_waits_span(waits);

	stats_table_number(table, waiting->number);
	stats_table_text(table, waiting->requests->layer);
	stats_table_number(table, waits->count);
	stats_table_bytes(table, waits->bytes);
	for (int delay = 0; delay < STATS_DELAY_COUNT; delay++) {
		delay_cell(table, waits->delays[delay].time_ns, span_ns);
		if (delay != STATS_DELAY_ALL && waits->delays[delay].longest_ns > longest->longest_ns)
			longest = &waits->delays[delay];
	}
	stats_table_time(table, longest->longest_ns);
	stats_table_number(table, longest->longest_ns ? longest->longest_frame : 0);
}

void stats_waits_connections(const struct stats *stats, uint64_t most, struct stats_table *table)
{
	static const struct stats_table_column columns[] = {
		{ "#", false, false }, { "layer", true, false }, { "transfers", false, false }, { "bytes", false, false }, DELAY_COLUMNS,
		{ "longest", false, false }, { "in frame", false, false }, { NULL, false, false },
	};
	size_t count = gather(stats, NULL);
	struct waiting *list = count ? calloc(count, sizeof *list) : NULL;

	stats_table_init(table, "Delays by connection", columns);
	table->failed |= count && !list;
	if (!list)
		return;
	gather(stats, list);
	qsort(list, count, sizeof *list, compare_waiting);
	for (uint64_t i = 0; i < count && i < most; i++)
		connection_row(table, &list[i]);
	free(list);
}
