/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that share the work on batches with whoever takes these in order: they read ahead of it, may prepare what it has not
 * come to yet, and finish what it has given back. Whoever takes lends a hand while it would have to wait.
 */
#ifndef CAPTURE_CREW_H
#define CAPTURE_CREW_H

#include <rdmatap/source.h>

struct crew;

/* A batch on its way, or why there is none. */
struct crew_batch {
	uint64_t order;           /* from 0, as read */
	enum rtap_status status;
	struct rtap_batch *batch; /* OK: with one reference, which is the crew's until taken_over is set */
	struct rtap_error error;  /* BROKEN, FAILED */
	uint64_t read_bytes;      /* how far reading had come by then */
	struct rtap_source_counters counters; /* likewise */
	bool prepared;            /* `prepare` said so */
	bool taken_over;          /* the batch is whoever took it's own */
	void *work;               /* of whoever uses the crew, for any batch at this place; NULL at first */
};

/* The stages of the work; each may be called by any of the threads. */
struct crew_stages {
	void *owner;
	/* Reads the next batch: one at a time, until END or FAILED. */
	void (*read)(void *owner, struct crew_batch *batch);
	/* Prepares a batch before it is taken; not called for each. False: it could not. NULL: there is nothing to prepare. */
	bool (*prepare)(void *owner, struct crew_batch *batch);
	/* Finishes a batch that was given back. `member`: from 0, of the thread that does it. NULL: nothing is left to be done. */
	void (*finish)(void *owner, struct crew_batch *batch, unsigned member);
	/* Frees what was put into batch->work. */
	void (*dispose)(void *owner, void *work);
};

#define CREW_MEMBERS 8

/* A crew of `members` threads, at least 2 and at most CREW_MEMBERS, the caller's included. NULL: there can be none. */
struct crew *crew_open(const struct crew_stages *stages, unsigned members);

/* The next batch, in order. After END or FAILED it is given again and again. To be given back before the next is taken. */
struct crew_batch *crew_take(struct crew *crew);
void crew_give(struct crew *crew, struct crew_batch *batch);

/* For `finish`: returns when all batches before this one are finished, so that what is written then is written in order. */
void crew_wait_turn(struct crew *crew, const struct crew_batch *batch);

/* Whether crew_wait_turn() would return at once. */
bool crew_has_turn(struct crew *crew, const struct crew_batch *batch);

/* Returns when all batches that were given back are finished. */
void crew_drain(struct crew *crew);

/* Drains, ends the threads, as soon as the batch that is being read is there, and drops what nobody took. NULL is ignored. */
void crew_close(struct crew *crew);

#endif
