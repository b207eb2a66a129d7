/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of several queues in the order of their times.
 */
#ifndef CAPTURE_VERBS_VERBS_MERGE_H
#define CAPTURE_VERBS_VERBS_MERGE_H

#include "capture/verbs/verbs.h"

/* Polls a queue into its own batch; *count: how many completions there were. */
typedef enum rtap_status verbs_poller(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count,
				      struct rtap_error *error);

/*
 * Polls all queues and appends to `batch` what no queue can hold an earlier frame than any more. *count: 0 if there were no
 * completions and no frame waits for others. If there are frames, one at least is appended.
 */
enum rtap_status verbs_merge(struct verbs *verbs, verbs_poller *poll, struct batch *batch, unsigned *count, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Frames that wait are given up. */
void verbs_merge_end(struct verbs *verbs);

#endif
