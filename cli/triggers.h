/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What begins an incident of the flight recorder: --trigger FILTER, FINDING, latency>TIME, drops.
 */
#ifndef CLI_TRIGGERS_H
#define CLI_TRIGGERS_H

#include "cli/cli.h"

struct reader;
struct triggers;

/* `at_ns`: by the frames' clock. `why`: borrowed for the call, printable ASCII. */
typedef void triggers_take(void *owner, int64_t at_ns, const char *why);

/* NULL: failed; an error was printed. The reader, which is open, is borrowed. */
struct triggers *triggers_open(const struct options *options, struct reader *reader, triggers_take *take, void *owner);

/* The state that the frames must go through, for reader_run(); NULL: frames are not examined. */
struct rtap_tracker *triggers_tracker(struct triggers *triggers);

/* Examines frames, in order. */
void triggers_frames(struct triggers *triggers, struct rtap_frame *frames, size_t count);

/* Examines counters and findings. `now_ns`: by the frames' clock. */
void triggers_look(struct triggers *triggers, int64_t now_ns);

/* NULL is ignored. */
void triggers_close(struct triggers *triggers);

#endif
