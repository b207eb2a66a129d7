/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "reassembly/upper/nccl_job.h"
#include "reassembly/upper/nccl_waits.h"

/* Maximum number of hosts and channels: their memory (300 KB) is not charged to the budget. */
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
	LIST_INIT(&job->links);
	STAILQ_INSERT_TAIL(&job->hosts, host, link);
	LIST_INSERT_HEAD(&jobs->list, job, link);
	jobs->host_count++;
	return host;
}

/* Joins the jobs of two hosts. The silences of the smaller one are discarded. */
static void join(struct nccl_job *into, struct nccl_job *from)
{
	struct nccl_host *host;
	struct nccl_link *link;

	STAILQ_FOREACH(host, &from->hosts, link)
		host->job = into;
	STAILQ_CONCAT(&into->hosts, &from->hosts);
	while ((link = LIST_FIRST(&from->links))) {
		LIST_REMOVE(link, link);
		LIST_INSERT_HEAD(&into->links, link, link);
	}
	into->outstanding += from->outstanding;
	into->moving += from->moving;
	if (from->has_event && (!into->has_event || from->event_ns > into->event_ns))
		into->event_ns = from->event_ns;
	into->has_event |= from->has_event;
	LIST_REMOVE(from, link);
	free(from);
}

/* A new link. NULL: too many, or out of memory. */
static struct nccl_link *link_create(struct nccl_jobs *jobs, struct nccl_host *sender, struct nccl_host *receiver)
{
	struct nccl_link *link = jobs->link_count < MOST_LINKS ? memory_new_zeroed(1, sizeof *link) : NULL;

	if (!link)
		return NULL;
	if (sender->job != receiver->job)
		join(sender->job->silence_count < receiver->job->silence_count ? receiver->job : sender->job,
		     sender->job->silence_count < receiver->job->silence_count ? sender->job : receiver->job);
	jobs->link_count++;
	link->sender = sender;
	link->receiver = receiver;
	LIST_INSERT_HEAD(&sender->job->links, link, link);
	return link;
}

void nccl_job_leave(struct nccl_jobs *jobs, struct nccl_link *link)
{
	if (!link)
		return;
	LIST_REMOVE(link, link);
	jobs->link_count--;
	free(link);
}

static struct nccl_silence *last_silence(struct nccl_job *job)
{
	return job->silence_count ? &job->silences[(job->silence_count - 1) % NCCL_SILENCES] : NULL;
}

/*
 * A silence without outstanding transfers is a pause if the whole job stopped at one point, or if most hosts continue at the same time. Otherwise
 * the host that announces next is late. If only one host sends to another, this is undecidable.
 */
static void decide(struct nccl_job *job)
{
	struct nccl_silence *silence = last_silence(job);
	struct nccl_link *link;

	if (!silence || silence->is_decided)
		return;
	silence->is_decided = true;
	silence->is_pause = silence->is_shared && (silence->is_balanced || (silence->announced > 1 && 2 * silence->announced >= silence->receivers));
	if (silence->is_pause)
		LIST_FOREACH(link, &job->links, link)
			link->ended -= link->ended_before;
}

static struct nccl_silence *silence_begin(struct nccl_jobs *jobs, struct nccl_job *job, int64_t time_ns)
{
	struct nccl_silence *silence, *before;
	struct nccl_link *link;
	int64_t before_ns;

	decide(job);
	LIST_FOREACH(link, &job->links, link)
		link->ended_before = link->ended;
	before = last_silence(job);
	before_ns = before ? ns_sum(before->before_ns, before->is_pause ? before->length_ns : 0) : 0;
	silence = &job->silences[job->silence_count++ % NCCL_SILENCES];
	*silence = (struct nccl_silence){ .number = ++jobs->silence_number, .length_ns = ns_elapsed(job->event_ns, time_ns), .before_ns = before_ns };
	return silence;
}

static bool was_silent(const struct nccl_job *job, int64_t time_ns)
{
	return job->has_event && !job->moving && ns_elapsed(job->event_ns, time_ns) >= NCCL_NOTABLE_NS;
}

static void note_event(struct nccl_job *job, int64_t time_ns)
{
	if (!job->has_event || time_ns > job->event_ns)
		job->event_ns = time_ns;
	job->has_event = true;
}

static bool is_between_others(const struct nccl_link *link, const struct nccl_link *than)
{
	return link->sender != than->sender || link->receiver != than->receiver;
}

/* Channels with transfers since the last pause: their receivers, and whether all of them had as many. */
static void compare_links(struct nccl_job *job, struct nccl_silence *silence)
{
	const struct nccl_link *link, *first = NULL;

	silence->is_balanced = true;
	LIST_FOREACH(link, &job->links, link) {
		if (!link->ended)
			continue;
		if (link->receiver->counted_in != silence->number)
			silence->receivers++;
		link->receiver->counted_in = silence->number;
		first = first ? first : link;
		silence->is_balanced &= link->ended == first->ended;
		silence->is_shared |= is_between_others(link, first);
	}
}

/*
 * Whether its sender has received data since it last sent some on the channel: of another host than the receiver, if it receives from others, because
 * data goes on to other hosts in rings, and from one side to the other in trees.
 */
static bool has_input(const struct nccl_link *link)
{
	const struct nccl_host *host = link->sender;
	int64_t input_ns = host->input_from == link->receiver && host->has_other ? host->other_ns : host->input_ns;

	return host->has_input && (!link->has_output || input_ns >= link->output_ns);
}

/* Whether each sending host could continue with all data for which a buffer is announced, and these channels stopped after as many transfers. */
static bool all_can_send(const struct nccl_job *job)
{
	const struct nccl_link *link, *first = NULL;
	const struct nccl_host *host;
	bool is_shared = false;

	LIST_FOREACH(link, &job->links, link) {
		if (!link->to_send)
			continue;
		first = first ? first : link;
		if (!has_input(link) || link->ended != first->ended)
			return false;
		is_shared |= is_between_others(link, first);
	}
	STAILQ_FOREACH(host, &job->hosts, link)
		if (host->has_output && !host->to_send)
			return false;
	return is_shared;
}

/*
 * Whether all channels stopped after as many transfers, with buffers announced on each, and two hosts or more could continue, or are not known to
 * wait: behind a single late host, channels differ.
 */
static bool is_at_one_point(const struct nccl_job *job)
{
	const struct nccl_link *first = LIST_FIRST(&job->links), *link, *able = NULL;
	bool are_able = false;

	LIST_FOREACH(link, &job->links, link) {
		if (!link->ended || link->ended != first->ended || !link->to_send)
			return false;
		if (link->sender->has_input && !has_input(link))
			continue;
		able = able ? able : link;
		are_able |= link->sender != able->sender;
	}
	return are_able;
}

/* An event that ends a silence: the job paused if all of it had stopped although buffers were announced. */
static void note_stop(struct nccl_jobs *jobs, struct nccl_job *job, int64_t time_ns)
{
	struct nccl_silence *silence;

	if (!was_silent(job, time_ns) || !(all_can_send(job) || is_at_one_point(job)))
		return;
	silence = silence_begin(jobs, job, time_ns);
	silence->is_balanced = silence->is_shared = true;
	decide(job);
}

static uint64_t last_number(struct nccl_job *job)
{
	const struct nccl_silence *silence = last_silence(job);

	return silence ? silence->number : 0;
}

static void note_hold(struct nccl_job *job, const struct nccl_host *host, int64_t time_ns)
{
	struct nccl_hold hold = { .is_known = true, .host = host, .end_ns = time_ns, .after = last_number(job) };

	if (job->holds[0].is_known && job->holds[0].host != host)
		job->holds[1] = job->holds[0];
	job->holds[0] = hold;
}

/*
 * Since when a receiver that announces has not waited: its last transfer, in either direction, was over, and no other host held up the job, for which it
 * can have waited too.
 */
static void note_receiver(struct nccl_progress *progress, const struct nccl_host *receiver)
{
	bool by_input = receiver->has_input && (!receiver->has_sent || receiver->input_ns > receiver->sent_ns);

	progress->knows_receiver = receiver->has_input || receiver->has_sent;
	progress->receiver_free_ns = by_input ? receiver->input_ns : receiver->sent_ns;
	progress->receiver_free_after = by_input ? receiver->input_after : receiver->sent_after;
	for (int i = 0; i < NCCL_HOLDS; i++) {
		const struct nccl_hold *hold = &receiver->job->holds[i];

		if (!hold->is_known || hold->host == receiver || hold->end_ns <= progress->receiver_free_ns)
			continue;
		progress->receiver_free_ns = hold->end_ns;
		progress->receiver_free_after = hold->after;
	}
}

static void note_announced(struct nccl_job *job, struct nccl_host *receiver)
{
	struct nccl_silence *silence = last_silence(job);

	if (!silence || silence->is_decided || receiver->announced_after == silence->number)
		return;
	receiver->announced_after = silence->number;
	silence->announced++;
}

void nccl_job_announced(struct nccl_jobs *jobs, struct nccl_link **link, struct nccl_progress *progress, const struct rtap_end *sender,
			const struct rtap_end *receiver, int64_t time_ns)
{
	struct nccl_host *hosts[2] = { host_of(jobs, sender), host_of(jobs, receiver) };
	struct nccl_job *job;

	if (!*link && hosts[0] && hosts[1] && hosts[0] != hosts[1])
		*link = link_create(jobs, hosts[0], hosts[1]);
	if (!*link || progress->phase != NCCL_UNCOUNTED)
		return;
	job = (*link)->sender->job;
	if (was_silent(job, time_ns) && !job->outstanding)
		compare_links(job, silence_begin(jobs, job, time_ns));
	else
		note_stop(jobs, job, time_ns);
	note_announced(job, (*link)->receiver);
	*progress = (struct nccl_progress){ .link = *link, .phase = NCCL_ANNOUNCED, .announced_after = last_number(job), .announced_ns = time_ns };
	note_receiver(progress, (*link)->receiver);
	job->outstanding++;
	(*link)->sender->to_send++;
	(*link)->to_send++;
	note_event(job, time_ns);
}

/* How long the sender has had a buffer and its input, without the pauses. */
static int64_t held_since(const struct nccl_progress *progress, int64_t time_ns)
{
	const struct nccl_host *sender = progress->link->sender;
	int64_t since_ns = progress->announced_ns;
	uint64_t after = progress->announced_after;

	if (sender->input_ns > since_ns) {
		since_ns = sender->input_ns;
		after = sender->input_after;
	}
	if (sender->has_sent && sender->sent_ns > since_ns) {
		since_ns = sender->sent_ns;
		after = sender->sent_after;
	}
	return ns_elapsed(since_ns, time_ns) - nccl_job_paused(progress, after, progress->begun_after);
}

void nccl_job_begun(struct nccl_jobs *jobs, struct nccl_progress *progress, int64_t time_ns)
{
	struct nccl_host *sender;
	struct nccl_job *job;

	if (progress->phase != NCCL_ANNOUNCED)
		return;
	sender = progress->link->sender;
	job = sender->job;
	note_stop(jobs, job, time_ns);
	progress->phase = NCCL_BEGUN;
	progress->begun_after = last_number(job);
	progress->knows_sender = sender->has_input;
	progress->sender_free_ns = sender->input_ns;
	progress->sender_free_after = sender->input_after;
	if (sender->has_input && held_since(progress, time_ns) >= NCCL_NOTABLE_NS)
		note_hold(job, sender, time_ns);
	sender->to_send--;
	progress->link->to_send--;
	if (!sender->has_output || time_ns > sender->output_ns)
		sender->output_ns = time_ns;
	progress->link->output_ns = time_ns;
	sender->has_output = progress->link->has_output = true;
	job->moving++;
	note_event(job, time_ns);
}

static void note_input(struct nccl_host *host, const struct nccl_host *from, int64_t time_ns, uint64_t after)
{
	if (host->has_input && time_ns <= host->input_ns)
		return;
	if (host->has_input && host->input_from != from) {
		host->has_other = true;
		host->other_ns = host->input_ns;
	}
	host->has_input = true;
	host->input_from = from;
	host->input_ns = time_ns;
	host->input_after = after;
}

static void note_arrival(const struct nccl_link *link, int64_t time_ns)
{
	struct nccl_host *sender = link->sender;
	uint64_t after = last_number(sender->job);

	note_input(link->receiver, sender, time_ns, after);
	if (!sender->has_sent || time_ns > sender->sent_ns) {
		sender->sent_ns = time_ns;
		sender->sent_after = after;
	}
	sender->has_sent = true;
	note_event(sender->job, time_ns);
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

void nccl_job_lost(struct nccl_progress *progress, uint64_t lost_ns, int64_t time_ns)
{
	if (progress->link && lost_ns >= NCCL_NOTABLE_NS)
		note_hold(progress->link->sender->job, NULL, time_ns);
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
		*paused_ns = ns_sum(silence->before_ns, silence->is_pause ? silence->length_ns : 0);
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
	while ((link = LIST_FIRST(&job->links))) {
		LIST_REMOVE(link, link);
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
}
