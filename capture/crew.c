/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "capture/crew.h"

/*
 * Batches on their way at a time: some, so that nobody waits for another's hiccups; few, so that they stay in the
 * processors' caches. Of these so many are read and not taken: one for each thread to prepare, and some.
 */
#define PLACES 16
#define AHEAD(members) ((members) + 6)
#define FEW 2

/*
 * For so many batches to be finished or read a thread is woken by who takes them, because that takes as long as several frames do. Who
 * takes does them itself before it would wait, so that fewer are not forgotten.
 */
#define WORTH_WAKING 8

/* What has become of the batch at a place. */
enum stage { FREE, READ, PREPARING, TAKEN, GIVEN };

struct place {
	enum stage stage;
	bool tried;              /* to prepare it */
	bool finished;
	struct crew_batch batch;
};

struct crew {
	struct crew_stages stages;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct place places[PLACES]; /* of batch n: n % PLACES */
	/* How many batches came so far; each is at most the one before it. */
	uint64_t read, taken, given, begun, finished; /* begun: to be finished */
	bool reading, ended, stop;
	unsigned sleeping;
	unsigned members;
	struct member {
		struct crew *crew;
		unsigned number;
		pthread_t thread;
	} threads[CREW_MEMBERS];     /* the first is the caller's */
};

static struct place *place_of(struct crew *crew, uint64_t order)
{
	return &crew->places[order % PLACES];
}

static void wake(struct crew *crew)
{
	if (crew->sleeping)
		pthread_cond_broadcast(&crew->changed);
}

static void sleep_until_change(struct crew *crew)
{
	crew->sleeping++;
	pthread_cond_wait(&crew->changed, &crew->lock);
	crew->sleeping--;
}

static bool is_last(const struct crew_batch *batch)
{
	return batch->status == RTAP_STATUS_END || batch->status == RTAP_STATUS_FAILED;
}

/* All below are called with the lock held, and give it up while they work. */

static bool can_read(const struct crew *crew)
{
	return !crew->reading && !crew->ended && !crew->stop && crew->read - crew->finished < PLACES &&
	       crew->read - crew->taken < AHEAD(crew->members);
}

static void read_one(struct crew *crew)
{
	struct place *place = place_of(crew, crew->read);
	void *work = place->batch.work;

	crew->reading = true;
	pthread_mutex_unlock(&crew->lock);
	place->batch = (struct crew_batch){ .order = crew->read, .work = work };
	crew->stages.read(crew->stages.owner, &place->batch);
	pthread_mutex_lock(&crew->lock);
	place->stage = READ;
	place->tried = place->finished = false;
	crew->ended = is_last(&place->batch);
	crew->reading = false;
	crew->read++;
	wake(crew);
}

/* The first one that nobody prepares; but the next to be taken is left alone, because it may be taken at any time. */
static struct place *to_prepare(struct crew *crew)
{
	if (!crew->stages.prepare || crew->stop)
		return NULL;
	for (uint64_t i = crew->taken + 1; i < crew->read; i++) {
		struct place *place = place_of(crew, i);

		if (place->stage == READ && place->batch.status == RTAP_STATUS_OK && !place->tried)
			return place;
	}
	return NULL;
}

static void prepare_one(struct crew *crew, struct place *place)
{
	place->stage = PREPARING;
	pthread_mutex_unlock(&crew->lock);
	place->batch.prepared = crew->stages.prepare(crew->stages.owner, &place->batch);
	pthread_mutex_lock(&crew->lock);
	place->stage = READ;
	place->tried = true;
	wake(crew);
}

static void finish_one(struct crew *crew, unsigned member)
{
	struct place *place = place_of(crew, crew->begun++);

	pthread_mutex_unlock(&crew->lock);
	if (crew->stages.finish && place->batch.status == RTAP_STATUS_OK)
		crew->stages.finish(crew->stages.owner, &place->batch, member);
	if (!place->batch.taken_over)
		rtap_batch_release(place->batch.batch);
	pthread_mutex_lock(&crew->lock);
	place->finished = true;
	while (crew->finished < crew->begun && place_of(crew, crew->finished)->finished)
		place_of(crew, crew->finished++)->stage = FREE;
	wake(crew);
}

/*
 * Who takes batches will have to wait soon. Reading goes first then: only one thread at a time can read, which may take longest (of
 * compressed files), while finishing is done by whoever waits.
 */
static bool runs_dry(const struct crew *crew)
{
	return crew->read - crew->taken < FEW;
}

static void *run(void *argument)
{
	struct member *member = argument;
	struct crew *crew = member->crew;

	pthread_mutex_lock(&crew->lock);
	while (!crew->stop) {
		struct place *place;

		if (can_read(crew) && runs_dry(crew))
			read_one(crew);
		else if (crew->begun < crew->given)
			finish_one(crew, member->number);
		else if (can_read(crew))
			read_one(crew);
		else if ((place = to_prepare(crew)))
			prepare_one(crew, place);
		else
			sleep_until_change(crew);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Signals are for the program's own thread. */
static bool start(struct crew *crew, unsigned members)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&crew->lock);
	for (crew->members = 1; crew->members < members; crew->members++) {
		struct member *member = &crew->threads[crew->members];

		*member = (struct member){ .crew = crew, .number = crew->members };
		if (pthread_create(&member->thread, NULL, run, member))
			break;
	}
	pthread_mutex_unlock(&crew->lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return crew->members > 1;
}

struct crew *crew_open(const struct crew_stages *stages, unsigned members)
{
	struct crew *crew = calloc(1, sizeof *crew);

	if (!crew)
		return NULL;
	crew->stages = *stages;
	if (pthread_mutex_init(&crew->lock, NULL))
		goto no_lock;
	if (pthread_cond_init(&crew->changed, NULL))
		goto no_condition;
	if (start(crew, members < CREW_MEMBERS ? members : CREW_MEMBERS))
		return crew;
	pthread_cond_destroy(&crew->changed);
no_condition:
	pthread_mutex_destroy(&crew->lock);
no_lock:
	free(crew);
	return NULL;
}

struct crew_batch *crew_take(struct crew *crew)
{
	struct place *place;

	pthread_mutex_lock(&crew->lock);
	place = place_of(crew, crew->taken);
	/* it is not read, or being prepared */
	while (crew->taken == crew->read || place->stage != READ)
		if (crew->begun < crew->given)
			finish_one(crew, 0);
		else if (crew->taken == crew->read && can_read(crew))
			read_one(crew);
		else
			sleep_until_change(crew);
	if (!is_last(&place->batch)) {
		place->stage = TAKEN;
		crew->taken++;
	}
	pthread_mutex_unlock(&crew->lock);
	return &place->batch;
}

void crew_give(struct crew *crew, struct crew_batch *batch)
{
	if (is_last(batch))
		return;
	pthread_mutex_lock(&crew->lock);
	place_of(crew, batch->order)->stage = GIVEN;
	crew->given++;
	if (crew->given - crew->begun + AHEAD(crew->members) - (crew->read - crew->taken) >= WORTH_WAKING)
		wake(crew);
	pthread_mutex_unlock(&crew->lock);
}

void crew_wait_turn(struct crew *crew, const struct crew_batch *batch)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->finished < batch->order)
		sleep_until_change(crew);
	pthread_mutex_unlock(&crew->lock);
}

bool crew_has_turn(struct crew *crew, const struct crew_batch *batch)
{
	bool has;

	pthread_mutex_lock(&crew->lock);
	has = crew->finished >= batch->order;
	pthread_mutex_unlock(&crew->lock);
	return has;
}

void crew_drain(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->finished < crew->given)
		if (crew->begun < crew->given)
			finish_one(crew, 0);
		else
			sleep_until_change(crew);
	pthread_mutex_unlock(&crew->lock);
}

void crew_close(struct crew *crew)
{
	if (!crew)
		return;
	crew_drain(crew);
	pthread_mutex_lock(&crew->lock);
	crew->stop = true;
	wake(crew);
	pthread_mutex_unlock(&crew->lock);
	while (--crew->members)
		pthread_join(crew->threads[crew->members].thread, NULL);
	for (; crew->taken < crew->read; crew->taken++)
		rtap_batch_release(place_of(crew, crew->taken)->batch.batch);
	for (unsigned i = 0; i < PLACES; i++)
		if (crew->places[i].batch.work)
			crew->stages.dispose(crew->stages.owner, crew->places[i].batch.work);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
