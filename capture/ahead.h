/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that reads batches ahead of who takes them. Whatever it reads from is its own until ahead_close().
 */
#ifndef CAPTURE_AHEAD_H
#define CAPTURE_AHEAD_H

#include <rdmatap/source.h>

struct ahead;

/* A batch that was read, or why there is none, and how far reading had come by then. */
struct ahead_batch {
	enum rtap_status status;
	struct rtap_batch *batch; /* OK: with one reference */
	struct rtap_error error;  /* BROKEN, FAILED */
	uint64_t read_bytes;
};

/* Reads the next batch into *read. Called by the thread, until END or FAILED. */
typedef void ahead_reader(void *owner, struct ahead_batch *read);

/* Starts the thread. NULL: there can be none. */
struct ahead *ahead_open(ahead_reader *reader, void *owner);

/* Waits for the next one. After END or FAILED it is given again and again. */
void ahead_take(struct ahead *ahead, struct ahead_batch *taken);

/* Ends the thread, as soon as the batch that it is reading is there, and drops what nobody took. NULL is ignored. */
void ahead_close(struct ahead *ahead);

#endif
