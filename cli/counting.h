/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State and statistics of the frames of a reader.
 */
#ifndef CLI_COUNTING_H
#define CLI_COUNTING_H

#include <rdmatap/tracker.h>

#include "cli/reader.h"
#include "output/stats/stats.h"

struct counting {
	struct reader *reader;
	struct rtap_tracker *tracker;
	struct stats *stats;
	/* Called after the message or operation was counted; may be NULL. Set before counting_open(). */
	void (*message)(void *owner, const struct rtap_message *message);
	void (*operation)(void *owner, const struct rtap_operation *operation);
	/* A packet of connection `from` belongs to `into` from now on; after it was counted. May be NULL. */
	void (*merged)(void *owner, uint64_t from, uint64_t into, bool turned);
	void *owner;
	bool all_operations; /* also those of RPC, which take much longer; statistics do not need them */
	int64_t interval_ns; /* of the time series; 0: none */
};

/* False: failed; an error was printed. Call counting_close() in both cases. */
bool counting_open(struct counting *counting, struct reader *reader);

/* take() of a reader, whose owner begins with a struct counting: counts a frame. */
void counting_frame(void *owner, struct rtap_frame *frame);

/*
 * Like counting_frame() without the counters of the reader, for a packet that the tracker has processed. Any thread may call
 * it, one at a time.
 */
void counting_packet(struct counting *counting, const struct rtap_packet *packet);

/* Live: passes the ends and services of open connections to the statistics. */
void counting_refresh(struct counting *counting);

void counting_close(struct counting *counting);

#endif
