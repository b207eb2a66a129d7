/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Triggers of the flight recorder, which begin an incident: --trigger FILTER, FINDING, latency>TIME, drops.
 */
#ifndef CLI_TRIGGERS_H
#define CLI_TRIGGERS_H

#include "cli/cli.h"

struct frame_ring;
struct reader;
struct triggers;

/* `at_ns`: by the frames' clock. `why`: borrowed for the call, printable ASCII. */
typedef void triggers_take(void *owner, int64_t at_ns, const char *why);

/* NULL: failed; an error was printed. The reader, which is open, and the ring are borrowed. */
struct triggers *triggers_open(const struct options *options, struct reader *reader, struct frame_ring *ring);

/*
 * Starts a thread that examines the frames of the ring; capturing does not wait for it. Frames that are overwritten before
 * they are examined are counted. Call after privileges are dropped; further calls are ignored. False: failed; an error was
 * printed.
 */
bool triggers_start(struct triggers *triggers);

/*
 * Examines counters, and passes what was found since the last call to `take`. `now_ns`: by the frames' clock. Returns how
 * many further triggers there were.
 */
uint64_t triggers_look(struct triggers *triggers, int64_t now_ns, triggers_take *take, void *owner);

/* No more frames will be appended: returns when all have been examined, and their anomalies are counted by the reader. */
void triggers_finish(struct triggers *triggers);

/* After triggers_finish(): the state that the frames went through (NULL: none were examined), and how many were overwritten before. */
struct rtap_tracker *triggers_tracker(struct triggers *triggers);
uint64_t triggers_missed(const struct triggers *triggers);

/* NULL is ignored. */
void triggers_close(struct triggers *triggers);

#endif
