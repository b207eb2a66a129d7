/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reassembly/upper/nccl_job.h"
#include "reassembly/upper/nccl_waits.h"

/* Maximum number of hosts: their memory (200 KB) is not charged to the budget. */
#define MOST_HOSTS 512
#define MOST_LINKS 2048

static uint64_t hash_of_end(const struct rtap_end *end)
{
	uint64_t words[3] = { end->address_length };

	memcpy(&words[1], end->address, sizeof end->address);
	return map_hash(words, 3);
}

static bool is_host(const void *value, const void *key)
{
	const struct nccl_host *host = value;
	const struct rtap_end *end = key;

	return host->address_length == end->address_length && !memcmp(host->address, end->address, sizeof host->address);
}

/* The host, new and alone in a job if it was not seen before. NULL: no address, too many hosts, or out of memory. */
static struct nccl_host *host_of(struct nccl_jobs *jobs, const struct rtap_end *end)
{
	uint64_t hash = hash_of_end(end);
	struct nccl_host *host = end->address_length ? map_find(&jobs->hosts, hash, is_host, end) : NULL;
	struct nccl_job *job;

	if (host || !end->address_length || jobs->host_count == MOST_HOSTS)
		return host;
	host = memory_new_zeroed(1, sizeof *host);
	job = memory_new_zeroed(1, sizeof *job);
	if (!host || !job || !map_add(&jobs->hosts, hash, host)) {
		free(host);
		free(job);
		return NULL;
	}
	memcpy(host->address, end->address, sizeof host->address);
	host->address_length = end->address_length;
	host->job = job;
	STAILQ_INIT(&job->hosts);
	STAILQ_INIT(&job->links);
	STAILQ_INSERT_TAIL(&job->hosts, host, link);
	LIST_INSERT_HEAD(&jobs->list, job, link);
	jobs->host_count++;
	return host;
}

/* Joins the jobs of two hosts. The silences of the smaller one are discarded. */
static void join(struct nccl_job *into, struct nccl_job *from)
{
	struct nccl_host *host;

	STAILQ_FOREACH(host, &from->hosts, link)
		host->job = into;
	STAILQ_CONCAT(&into->hosts, &from->hosts);
	STAILQ_CONCAT(&into->links, &from->links);
	into->outstanding += from->outstanding;
	into->moving += from->moving;
	if (from->has_event && (!into->has_event || from->event_ns > into->event_ns))
		into->event_ns = from->event_ns;
	into->has_event |= from->has_event;
	LIST_REMOVE(from, link);
	free(from);
}

struct pair {
	const struct nccl_host *sender, *receiver;
};

static bool is_link(const void *value, const void *key)
{
	const struct nccl_link *link = value;
	const struct pair *pair = key;

	return link->sender == pair->sender && link->receiver == pair->receiver;
}

static struct nccl_link *link_of(struct nccl_jobs *jobs, struct nccl_host *sender, struct nccl_host *receiver)
{
	struct pair pair = { sender, receiver };
	uint64_t hash = map_hash((uint64_t[]){ (uintptr_t)sender, (uintptr_t)receiver }, 2);
	struct nccl_link *link = map_find(&jobs->links, hash, is_link, &pair);

	if (link || jobs->link_count == MOST_LINKS)
		return link;
	link = memory_new_zeroed(1, sizeof *link);
	if (!link || !map_add(&jobs->links, hash, link)) {
		free(link);
		return NULL;
	}
	if (sender->job != receiver->job)
		join(sender->job->silence_count < receiver->job->silence_count ? receiver->job : sender->job,
		     sender->job->silence_count < receiver->job->silence_count ? sender->job : receiver->job);
	jobs->link_count++;
	link->sender = sender;
	link->receiver = receiver;
	STAILQ_INSERT_TAIL(&sender->job->links, link, link);
	return link;
}

static struct nccl_silence *last_silence(struct nccl_job *job)
{
	return job->silence_count ? &job->silences[(job->silence_count - 1) % NCCL_SILENCES] : NULL;
}

/*
 * A silence without outstanding transfers is a pause if the whole job stopped at one point, or if most links continue at the same time. Otherwise
 * the host that announces next is late. With a single link this is undecidable.
 */
static void decide(struct nccl_job *job)
{
	struct nccl_silence *silence = last_silence(job);
	struct nccl_link *link;

	if (!silence || silence->is_decided)
		return;
	silence->is_decided = true;
	silence->is_pause = silence->links > 1 && (silence->is_balanced || (silence->announced > 1 && 2 * silence->announced >= silence->links));
	if (silence->is_pause)
		STAILQ_FOREACH(link, &job->links, link)
			link->ended -= link->ended_before;
}

static struct nccl_silence *silence_begin(struct nccl_jobs *jobs, struct nccl_job *job, int64_t time_ns)
{
	struct nccl_silence *silence, *before;
	struct nccl_link *link;
	int64_t before_ns;

	decide(job);
	STAILQ_FOREACH(link, &job->links, link)
		link->ended_before = link->ended;
	before = last_silence(job);
	before_ns = before ? before->before_ns + (before->is_pause ? before->length_ns : 0) : 0;
	silence = &job->silences[job->silence_count++ % NCCL_SILENCES];
	*silence = (struct nccl_silence){ .number = ++jobs->silence_number, .length_ns = time_ns - job->event_ns, .before_ns = before_ns };
	return silence;
}

static bool was_silent(const struct nccl_job *job, int64_t time_ns)
{
	return job->has_event && !job->moving && time_ns - job->event_ns >= NCCL_NOTABLE_NS;
}

static void note_event(struct nccl_job *job, int64_t time_ns)
{
	if (!job->has_event || time_ns > job->event_ns)
		job->event_ns = time_ns;
	job->has_event = true;
}

/* Links with transfers since the last pause, and whether all of them had as many. */
static void compare_links(const struct nccl_job *job, struct nccl_silence *silence)
{
	const struct nccl_link *link;
	uint64_t ended = 0;

	silence->is_balanced = true;
	STAILQ_FOREACH(link, &job->links, link) {
		if (!link->ended)
			continue;
		silence->links++;
		silence->is_balanced &= !ended || link->ended == ended;
		ended = link->ended;
	}
}

/* Whether a buffer is announced to it, and it has received data since its last data began. */
static bool can_send(const struct nccl_host *host)
{
	return host->to_send && host->has_input && host->input_ns >= host->output_ns;
}

/* Whether each sending host could continue. */
static bool all_can_send(const struct nccl_job *job)
{
	const struct nccl_host *host;
	uint32_t able = 0;

	STAILQ_FOREACH(host, &job->hosts, link) {
		if (!host->has_output)
			continue;
		if (!can_send(host))
			return false;
		able++;
	}
	return able > 1;
}

/*
 * Whether all links stopped after as many transfers, with buffers announced on each, and two hosts or more could continue, or are not known to
 * wait: behind a single late host, links differ.
 */
static bool is_at_one_point(const struct nccl_job *job)
{
	const struct nccl_link *link = STAILQ_FIRST(&job->links);
	uint64_t ended = link ? link->ended : 0;
	const struct nccl_host *host;
	uint32_t able = 0;

	STAILQ_FOREACH(link, &job->links, link)
		if (!link->ended || link->ended != ended || !link->to_send)
			return false;
	STAILQ_FOREACH(host, &job->hosts, link)
		able += host->to_send && (!host->has_input || can_send(host));
	return able > 1;
}

/* An event that ends a silence: the job paused if all of it had stopped although buffers were announced. */
static void note_stop(struct nccl_jobs *jobs, struct nccl_job *job, int64_t time_ns)
{
	struct nccl_silence *silence;

	if (!was_silent(job, time_ns) || !(all_can_send(job) || is_at_one_point(job)))
		return;
	silence = silence_begin(jobs, job, time_ns);
	silence->is_balanced = true;
	silence->links = 2;
	decide(job);
}

void nccl_job_announced(struct nccl_jobs *jobs, struct nccl_progress *progress, const struct rtap_end *sender, const struct rtap_end *receiver,
			int64_t time_ns)
{
	struct nccl_host *hosts[2] = { host_of(jobs, sender), host_of(jobs, receiver) };
	struct nccl_link *link = hosts[0] && hosts[1] && hosts[0] != hosts[1] ? link_of(jobs, hosts[0], hosts[1]) : NULL;
	struct nccl_silence *silence;
	struct nccl_job *job;

	if (!link || progress->phase != NCCL_UNCOUNTED)
		return;
	job = link->sender->job;
	if (was_silent(job, time_ns) && !job->outstanding)
		compare_links(job, silence_begin(jobs, job, time_ns));
	else
		note_stop(jobs, job, time_ns);
	silence = last_silence(job);
	if (silence && !silence->is_decided && link->announced_after != silence->number) {
		link->announced_after = silence->number;
		silence->announced++;
	}
	*progress = (struct nccl_progress){ .link = link, .phase = NCCL_ANNOUNCED, .announced_after = silence ? silence->number : 0 };
	progress->knows_receiver = hosts[1]->has_input || hosts[1]->has_sent;
	progress->receiver_free_ns = hosts[1]->has_input && (!hosts[1]->has_sent || hosts[1]->input_ns > hosts[1]->sent_ns) ? hosts[1]->input_ns :
		hosts[1]->sent_ns;
	job->outstanding++;
	hosts[0]->to_send++;
	link->to_send++;
	note_event(job, time_ns);
}

void nccl_job_begun(struct nccl_jobs *jobs, struct nccl_progress *progress, int64_t time_ns)
{
	struct nccl_host *sender;
	struct nccl_silence *silence;
	struct nccl_job *job;

	if (progress->phase != NCCL_ANNOUNCED)
		return;
	sender = progress->link->sender;
	job = sender->job;
	note_stop(jobs, job, time_ns);
	silence = last_silence(job);
	progress->phase = NCCL_BEGUN;
	progress->begun_after = silence ? silence->number : 0;
	progress->knows_sender = sender->has_input;
	progress->sender_free_ns = sender->input_ns;
	sender->to_send--;
	progress->link->to_send--;
	if (!sender->has_output || time_ns > sender->output_ns)
		sender->output_ns = time_ns;
	sender->has_output = true;
	job->moving++;
	note_event(job, time_ns);
}

static void note_arrival(const struct nccl_link *link, int64_t time_ns)
{
	if (!link->receiver->has_input || time_ns > link->receiver->input_ns)
		link->receiver->input_ns = time_ns;
	if (!link->sender->has_sent || time_ns > link->sender->sent_ns)
		link->sender->sent_ns = time_ns;
	link->receiver->has_input = link->sender->has_sent = true;
	note_event(link->sender->job, time_ns);
}

void nccl_job_ended(struct nccl_progress *progress, uint64_t transfers, int64_t time_ns)
{
	struct nccl_link *link = progress->link;
	struct nccl_job *job;

	if (!link || progress->phase == NCCL_ENDED)
		return;
	job = link->sender->job;
	job->outstanding--;
	if (progress->phase == NCCL_BEGUN)
		job->moving--;
	else {
		link->sender->to_send--;
		link->to_send--;
	}
	progress->phase = NCCL_ENDED;
	if (!transfers)
		return;
	/* later announcements can be caused by this one */
	decide(job);
	link->ended += transfers;
	note_arrival(link, time_ns);
}

void nccl_job_arrived(const struct nccl_progress *progress, int64_t time_ns)
{
	if (progress->link && progress->phase == NCCL_ENDED)
		note_arrival(progress->link, time_ns);
}

/* Sum of the pauses up to a silence. False: too long ago. */
static bool paused_until(const struct nccl_job *job, uint64_t number, int64_t *paused_ns)
{
	uint64_t kept = job->silence_count < NCCL_SILENCES ? job->silence_count : NCCL_SILENCES;

	*paused_ns = 0;
	for (uint64_t i = 0; i < kept; i++) {
		const struct nccl_silence *silence = &job->silences[(job->silence_count - 1 - i) % NCCL_SILENCES];

		if (silence->number > number)
			continue;
		*paused_ns = silence->before_ns + (silence->is_pause ? silence->length_ns : 0);
		return true;
	}
	return kept == job->silence_count;
}

int64_t nccl_job_paused(const struct nccl_progress *progress, uint64_t from, uint64_t to)
{
	const struct nccl_job *job = progress->link ? progress->link->sender->job : NULL;
	int64_t before_ns, until_ns;

	if (!job || from >= to)
		return 0;
	return paused_until(job, from, &before_ns) && paused_until(job, to, &until_ns) && until_ns > before_ns ? until_ns - before_ns : 0;
}

static void free_job(struct nccl_job *job)
{
	struct nccl_host *host;
	struct nccl_link *link;

	while ((host = STAILQ_FIRST(&job->hosts))) {
		STAILQ_REMOVE_HEAD(&job->hosts, link);
		free(host);
	}
	while ((link = STAILQ_FIRST(&job->links))) {
		STAILQ_REMOVE_HEAD(&job->links, link);
		free(link);
	}
	free(job);
}

void nccl_jobs_fini(struct nccl_jobs *jobs)
{
	struct nccl_job *job;

	while ((job = LIST_FIRST(&jobs->list))) {
		LIST_REMOVE(job, link);
		free_job(job);
	}
	map_fini(&jobs->hosts);
	map_fini(&jobs->links);
}
