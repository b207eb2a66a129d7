/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of all ranks, each given to the rank that analyses it, in the order and with the numbers that one process reading all files would
 * give them. Works in rounds: each rank reads some frames, those that no rank can precede any more are numbered, and move.
 */
#ifndef MPI_EXCHANGE_H
#define MPI_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"

struct exchange;
struct split;

struct exchange_options {
	const char *const *names;  /* of all files, the same on all ranks; borrowed */
	size_t count;
	const unsigned *readers;   /* rank that reads each file; borrowed */
	struct split *const *splits; /* of each file; NULL: it is read whole; borrowed */
	const struct source_clock *clocks; /* of all files; NULL: nothing is corrected; borrowed */
	bool gathers;              /* rank 0 analyses all frames */
	bool apart;                /* as for placement_create() */
	unsigned counting;         /* ditto */
	uint64_t max_memory;       /* bytes of frames of this rank that wait for others */
	int64_t gap_ns;            /* at least this much time between two frames of all is a gap; 0: none is noted */
};

/* A gap before a frame of any rank. */
struct exchange_gap {
	uint64_t frame;            /* its number */
	int64_t before_ns;         /* time of the frame before it */
	int64_t time_ns;
};

/* What a rank read and sent. */
struct exchange_counters {
	uint64_t rounds;
	uint64_t read_frames, read_bytes;  /* of its files */
	uint64_t taken_frames, taken_bytes; /* that it analysed */
	uint64_t sent_frames, sent_bytes;  /* to other ranks */
	double reading_s, numbering_s, moving_s; /* time in these */
};

/* Bytes of frames that a rank reads in a round. gathers, max_memory: as in the options. */
uint64_t exchange_window(bool gathers, uint64_t max_memory);

/* NULL: out of memory. Files are opened by exchange_open_files(). */
struct exchange *exchange_create(const struct exchange_options *options);

/*
 * Collective: opens the files of this rank and places what they have. Where that fails, which is printed, it goes on with none,
 * and exchange_has_failed().
 */
void exchange_open_files(struct exchange *exchange);

/* The feed of a source of the frames of this rank. */
const struct source_feed *exchange_feed(struct exchange *exchange);

/*
 * In each round, on all ranks: `meet` is called where the ranks meet, when all frames of the rounds before have been taken and the next ones
 * have been read; `go_on` after they have moved, before they are taken. Nothing that a rank does in between lets others wait.
 */
void exchange_call_in_rounds(struct exchange *exchange, void (*meet)(void *owner), void (*go_on)(void *owner), void *owner);

/* Time of the last frame that was numbered. */
int64_t exchange_last_ns(const struct exchange *exchange);

/* The next gap of the frames of the last round, before the frame `until`. NULL: none. Each is returned once. */
const struct exchange_gap *exchange_next_gap(struct exchange *exchange, uint64_t until);

/* Takes part in all rounds that are left, without the frames. */
void exchange_serve(struct exchange *exchange);

/* An input ended early or broke, or the exchange itself failed. */
bool exchange_has_failed(const struct exchange *exchange);

struct exchange_counters exchange_counters(const struct exchange *exchange);

/* NULL is ignored. */
void exchange_destroy(struct exchange *exchange);

#endif
