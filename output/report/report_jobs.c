/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Jobs of hosts that wait for each other's transfers: who delayed whom.
 */
#include "config.h"

#include <string.h>

#include "output/message/connections.h"
#include "output/report/html.h"
#include "output/report/report_tables.h"
#include "output/stats/stats_jobs.h"

#define HEADINGS(array) array, sizeof(array) / sizeof((array)[0])

static void host_cell(const struct stats_job_host *host, struct line *line)
{
	struct rtap_end end = { .address_length = host->address_length };

	memcpy(end.address, host->address, sizeof end.address);
	line_text(line, "<td>");
	end_address(&end, line);
	line_text(line, "</td>");
}

static void job_row(const struct stats_jobs *jobs, unsigned number, struct line *line)
{
	const struct stats_job *job = &jobs->jobs[number];

	line_text(line, "<tr>");
	html_cell_count(line, number + 1);
	html_cell_text(line, job->layer);
	html_cell_count(line, job->hosts);
	html_cell_text(line, stats_shape_name(job->shape));
	html_cell_count(line, job->waits.count);
	html_cell_count(line, job->waits.bytes);
	html_cell_time(line, true, stats_waits_span(&job->waits));
	for (int delay = 0; delay < STATS_DELAY_COUNT; delay++)
		html_cell_time(line, true, job->waits.delays[delay].time_ns);
	if (job->straggler >= 0)
		host_cell(&jobs->hosts[job->straggler], line);
	else
		html_cell_text(line, "none");
	line_text(line, "</tr>\n");
}

static void host_row(const struct stats_jobs *jobs, const struct stats_job_host *host, struct line *line)
{
	const struct stats_job *job = &jobs->jobs[host->job];
	bool is_straggler = job->straggler >= 0 && host == &jobs->hosts[job->straggler];

	line_text(line, "<tr>");
	html_cell_count(line, host->job + 1);
	host_cell(host, line);
	html_cell_count(line, host->received);
	html_cell_count(line, host->received_bytes);
	html_cell_count(line, host->sent);
	html_cell_count(line, host->sent_bytes);
	html_cell_time(line, true, host->kept_ns[STATS_DELAY_REQUESTER]);
	html_cell_time(line, true, host->kept_ns[STATS_DELAY_RESPONDER]);
	html_cell_time(line, true, host->own[STATS_DELAY_REQUESTER].time_ns);
	html_cell_time(line, true, host->own[STATS_DELAY_RESPONDER].time_ns);
	html_cell_text(line, !is_straggler ? "" : stats_job_host_is_certain(host) ? "straggler" : "likely straggler");
	line_text(line, "</tr>\n");
}

void report_jobs(const void *what, struct line *line)
{
	static const char *const job_headings[] = { "job|job", "layer|layer", "hosts|hosts", "shape|shape", "transfers|transfers", "data_bytes|bytes",
		"seconds|duration", "receiver_late.time_lost|receiver late", "sender_late.time_lost|sender late", "network.time_lost|network",
		"pause.time_lost|pause", "straggler|straggler" };
	static const char *const host_headings[] = { "job|job", "host|host", "received|received", "received_bytes|bytes received", "sent|sent",
		"sent_bytes|bytes sent", "late_as_receiver|receiver late", "late_as_sender|sender late", "receiver_own|as receiver by itself",
		"sender_own|as sender by itself", "is_straggler|straggler" };
	const struct report_page *page = what;
	struct stats_jobs jobs = { 0 };
	unsigned shown = 0;

	if (!stats_jobs_init(&jobs, page->stats)) {
		line_text(line, "<p class=\"note\">No memory for the table of jobs.</p>\n");
		return;
	}
	if (jobs.job_count) {
		line_text(line, "<section id=\"jobs\"><h2>Jobs</h2>\n<p>Hosts that send transfers to each other. A host that waits makes others wait: "
				"delays \"by itself\" are those in which it did not wait for others (doc/nccl.md). Times of transfers at the same time add "
				"up.</p>\n");
		html_table(line, "job-table", "Jobs", HEADINGS(job_headings));
		for (unsigned i = 0; i < jobs.job_count && i < REPORT_ROWS; i++)
			job_row(&jobs, i, line);
		html_table_end(line);
		html_table(line, "host-table", "Hosts of jobs", HEADINGS(host_headings));
		for (; shown < jobs.host_count && shown < REPORT_ROWS; shown++)
			host_row(&jobs, &jobs.hosts[shown], line);
		html_table_end(line);
		report_left_out(shown, jobs.host_count, "hosts", line);
		line_text(line, "</section>\n");
	}
	stats_jobs_fini(&jobs);
}
