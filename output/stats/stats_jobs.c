/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "output/stats/stats_count.h"
#include "output/stats/stats_jobs.h"
#include "output/stats/stats_work.h"

/* Neighbours of a host in two binary trees. */
#define TWO_TREES 6

const char *stats_shape_name(enum stats_shape shape)
{
	static const char *const names[] = {
#define STATS_SHAPE_NAME(identifier, name) name,
		STATS_SHAPES(STATS_SHAPE_NAME)
#undef STATS_SHAPE_NAME
	};

	return names[shape];
}

struct link {
	unsigned ends[2];           /* hosts: requester, responder */
	bool is_two_way;            /* a link in the opposite direction exists */
};

/* Jobs while they are being found. */
struct search {
	const struct stats_operation_tables *tables;
	struct stats_jobs *jobs;
	struct link *links;
	/* Of each host: */
	const char **layers;
	unsigned *labels;           /* the same for all hosts of a job */
};

static unsigned host_of(struct search *search, const struct stats_link *link, int end)
{
	struct stats_jobs *jobs = search->jobs;
	struct stats_job_host *host;

	for (unsigned i = 0; i < jobs->host_count; i++) {
		host = &jobs->hosts[i];
		if (host->address_length == link->address_length && !memcmp(host->address, link->addresses[end], sizeof host->address) &&
		    !strcmp(search->layers[i], link->layer))
			return i;
	}
	host = &jobs->hosts[jobs->host_count];
	host->address_length = link->address_length;
	memcpy(host->address, link->addresses[end], sizeof host->address);
	search->labels[jobs->host_count] = jobs->host_count;
	search->layers[jobs->host_count] = link->layer;
	return jobs->host_count++;
}

static void join(const struct search *search, const struct link *link)
{
	unsigned into = search->labels[link->ends[0]], from = search->labels[link->ends[1]];

	for (unsigned i = 0; i < search->jobs->host_count; i++)
		if (search->labels[i] == from)
			search->labels[i] = into;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void count_link(struct search *search, unsigned number)
{
	const struct stats_waits *waits = &search->tables->links[number]->waits;
	struct stats_job_host *hosts[2];

	for (int end = 0; end < 2; end++) {
		struct stats_job_host *host = hosts[end] = &search->jobs->hosts[search->links[number].ends[end]];

		host->kept_ns[end] = ns_sum(host->kept_ns[end], waits->delays[end].time_ns);
		stats_own_merge(&host->own[end], &waits->own[end]);
		host->own_ns = greater(host->own[0].time_ns, host->own[1].time_ns);
		host->delayed_ns = greater(host->own[0].delayed_ns, host->own[1].delayed_ns);
	}
	hosts[0]->senders++;
	hosts[0]->received += waits->count;
	hosts[0]->received_bytes += waits->bytes;
	hosts[0]->neighbours++;
	hosts[1]->receivers++;
	hosts[1]->neighbours += !search->links[number].is_two_way;
	hosts[1]->sent += waits->count;
	hosts[1]->sent_bytes += waits->bytes;
}

static bool has_opposite(const struct search *search, const struct link *link)
{
	for (unsigned i = 0; i < search->tables->link_count; i++)
		if (search->links[i].ends[0] == link->ends[1] && search->links[i].ends[1] == link->ends[0])
			return true;
	return false;
}

/* Counts from which the communication pattern is derived. */
struct degrees {
	unsigned hosts, links, two_way; /* links whose opposite exists, too */
	unsigned most;              /* neighbours of a host */
	bool is_line;               /* each host sends to one other at most, and receives from one at most */
};

static enum stats_shape shape_of(const struct degrees *degrees)
{
	unsigned hosts = degrees->hosts, edges = degrees->links - degrees->two_way / 2;
	bool is_symmetric = degrees->two_way == degrees->links;

	if (hosts == 2)
		return STATS_SHAPE_PAIR;
	if (degrees->is_line && !degrees->two_way)
		return degrees->links == hosts ? STATS_SHAPE_RING : STATS_SHAPE_RING_PART;
	if (is_symmetric && degrees->most == 2 && edges == hosts)
		return STATS_SHAPE_RING;
	if (is_symmetric && edges == hosts - 1)
		return STATS_SHAPE_TREE;
	if (is_symmetric && edges == hosts * (hosts - 1) / 2)
		return STATS_SHAPE_MESH;
	if (is_symmetric && degrees->most <= TWO_TREES && edges <= 2 * (hosts - 1))
		return STATS_SHAPE_TREES;
	return STATS_SHAPE_OTHER;
}

static void count_host(struct stats_job *job, struct degrees *degrees, const struct stats_jobs *jobs, unsigned number)
{
	const struct stats_job_host *host = &jobs->hosts[number];

	degrees->hosts++;
	degrees->is_line &= host->senders <= 1 && host->receivers <= 1;
	degrees->most = host->neighbours > degrees->most ? host->neighbours : degrees->most;
	job->own_ns = ns_sum(job->own_ns, host->own_ns);
	job->delayed_ns = ns_sum(job->delayed_ns, host->delayed_ns);
	if (job->straggler < 0 || host->own_ns > jobs->hosts[job->straggler].own_ns)
		job->straggler = (int)number;
}

static int64_t longest_of(const struct stats_job_host *host)
{
	return greater(host->own[0].longest_ns, host->own[1].longest_ns);
}

/* Whether all links of the job are those of one host other than this; or the hosts are a line, most likely a part of a ring, and this is an end. */
static bool is_partner(const struct stats_jobs *jobs, unsigned number, const struct stats_job *job, const struct degrees *degrees)
{
	if (degrees->most == 2 && jobs->hosts[number].neighbours == 1)
		return true;
	for (unsigned i = 0; i < jobs->host_count; i++)
		if (i != number && jobs->hosts[i].job == jobs->hosts[number].job && jobs->hosts[i].senders + jobs->hosts[i].receivers == job->links)
			return true;
	return false;
}

static void count_job(struct search *search, unsigned number)
{
	struct stats_jobs *jobs = search->jobs;
	struct stats_job *job = &jobs->jobs[number];
	struct degrees degrees = { .is_line = true };
	struct stats_job_host *most;
	int64_t pause_ns = 0;

	job->straggler = -1;
	for (unsigned i = 0; i < jobs->host_count; i++)
		if (jobs->hosts[i].job == number) {
			job->layer = search->layers[i];
			count_host(job, &degrees, jobs, i);
		}
	for (unsigned i = 0; i < search->tables->link_count; i++) {
		const struct stats_waits *waits = &search->tables->links[i]->waits;

		if (jobs->hosts[search->links[i].ends[0]].job != number)
			continue;
		degrees.links++;
		degrees.two_way += search->links[i].is_two_way;
		stats_waits_merge(&job->waits, waits);
		if (waits->delays[STATS_DELAY_ALL].time_ns > pause_ns)
			pause_ns = waits->delays[STATS_DELAY_ALL].time_ns;
	}
	job->waits.delays[STATS_DELAY_ALL].time_ns = pause_ns;
	job->hosts = degrees.hosts;
	job->links = degrees.links;
	job->shape = shape_of(&degrees);
	most = &jobs->hosts[job->straggler];
	most->is_partner = is_partner(jobs, (unsigned)job->straggler, job, &degrees);
	/* short ones are the usual work of each host, and add up */
	if (longest_of(most) < STATS_DELAYED_NS || (most->own_ns < job->own_ns / 2 && most->delayed_ns < job->delayed_ns / 2))
		job->straggler = -1;
}

/* Numbers jobs from 0 in the order of their first hosts. */
static void number_jobs(const struct search *search)
{
	struct stats_jobs *jobs = search->jobs;

	for (unsigned i = 0; i < jobs->host_count; i++) {
		unsigned first = 0;

		while (search->labels[first] != search->labels[i])
			first++;
		jobs->hosts[i].job = first == i ? jobs->job_count++ : jobs->hosts[first].job;
	}
}

static bool fill(struct search *search)
{
	struct stats_jobs *jobs = search->jobs;
	unsigned count = search->tables->link_count;

	for (unsigned i = 0; i < count; i++)
		for (int end = 0; end < 2; end++)
			search->links[i].ends[end] = host_of(search, search->tables->links[i], end);
	for (unsigned i = 0; i < count; i++) {
		join(search, &search->links[i]);
		search->links[i].is_two_way = has_opposite(search, &search->links[i]);
	}
	number_jobs(search);
	jobs->jobs = calloc(jobs->job_count, sizeof *jobs->jobs);
	if (!jobs->jobs)
		return false;
	for (unsigned i = 0; i < count; i++)
		count_link(search, i);
	for (unsigned i = 0; i < jobs->job_count; i++)
		count_job(search, i);
	return true;
}

bool stats_jobs_init(struct stats_jobs *jobs, const struct stats *stats)
{
	struct search search = { .tables = stats_work_tables(stats), .jobs = jobs };
	size_t links = search.tables->link_count;
	bool is_filled = !links;

	*jobs = (struct stats_jobs){ 0 };
	if (!links)
		return true;
	jobs->hosts = calloc(2 * links, sizeof *jobs->hosts);
	search.layers = calloc(2 * links, sizeof *search.layers);
	search.labels = calloc(2 * links, sizeof *search.labels);
	search.links = calloc(links, sizeof *search.links);
	if (jobs->hosts && search.layers && search.labels && search.links)
		is_filled = fill(&search);
	free(search.layers);
	free(search.labels);
	free(search.links);
	if (!is_filled)
		stats_jobs_fini(jobs);
	return is_filled;
}

void stats_jobs_fini(struct stats_jobs *jobs)
{
	free(jobs->jobs);
	free(jobs->hosts);
	*jobs = (struct stats_jobs){ 0 };
}

bool stats_job_host_is_certain(const struct stats_job_host *host)
{
	return !host->own[0].unknown && !host->own[1].unknown && !host->is_partner;
}
