/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What runs a command in one of several processes: where its frames come from, and what is done with its results. rdmatap has none.
 */
#ifndef CLI_FEED_H
#define CLI_FEED_H

#include <stdbool.h>

#include <rdmatap/packet.h>
#include <rdmatap/tracker.h>

#include "capture/source.h"

struct congestion_pause;
struct joined;
struct reader;
struct stats;
struct transmission_sight;
struct violations;

struct feed {
	const struct source_feed *source;  /* of the frames that this process analyses */
	const struct source_clock *clocks; /* of the inputs; NULL: nothing is corrected */
	/*
	 * The next two are called before the tracker is opened and after it is finished. What the tracker reports is kept until then: only
	 * then are the numbers of messages, operations and connections known. NULL: it is reported at once.
	 */
	void (*keep)(void *owner, struct rtap_tracker_options *tracking);
	void (*deliver)(void *owner, struct reader *reader, const struct rtap_tracker *tracker);
	/* Statistics and join: called when all are open, before the first frame; one of the last two is NULL. NULL: need not. */
	void (*opened)(void *owner, struct rtap_tracker *tracker, struct stats *stats, struct joined *joined);
	/*
	 * Statistics and join: called before each frame is taken, instead of counting its packet or a pause, and at the end of the input before
	 * the tracker is finished. NULL: none of them.
	 */
	void (*begins)(void *owner, const struct rtap_frame *frame);
	void (*count)(void *owner, const struct rtap_packet *packet);
	void (*count_pause)(void *owner, const struct congestion_pause *pause);
	void (*join)(void *owner, const struct transmission_sight *sight);
	void (*ends)(void *owner);
	/* Called after each frame; NULL: need not. */
	void (*took)(void *owner, const struct rtap_tracker *tracker, const struct rtap_frame *frame);
	/* Check: called after each packet with the violations so far, and at the end, when one process gets those of all. NULL: none of both. */
	void (*found)(void *owner, const struct violations *violations, uint64_t frame);
	void (*gather)(void *owner, struct reader *reader, const struct rtap_tracker *tracker, struct violations *violations);
	unsigned threads;                  /* for reading ahead and dissecting; 1: the frames must be read by the thread that analyses them */
	bool is_delivered;                 /* set when deliver() or gather() is called */
	bool is_silent;                    /* another process prints what is known of the inputs of all */
	void *owner;
};

/* NULL: the inputs are read here, and results are shown as they come. */
extern struct feed *feed;

/* These do nothing without a feed. */
void feed_keep(struct rtap_tracker_options *tracking);
void feed_deliver(struct reader *reader, const struct rtap_tracker *tracker);
void feed_opened(struct rtap_tracker *tracker, struct stats *stats, struct joined *joined);
void feed_begins(const struct rtap_frame *frame);
void feed_ends(void);
/* False: there is no feed that counts. */
bool feed_counts(const struct rtap_packet *packet);
bool feed_counts_pause(const struct congestion_pause *pause);
bool feed_joins(const struct transmission_sight *sight);
void feed_took(const struct rtap_tracker *tracker, const struct rtap_frame *frame);
void feed_found(const struct violations *violations, uint64_t frame);
void feed_gather(struct reader *reader, const struct rtap_tracker *tracker, struct violations *violations);

#endif
