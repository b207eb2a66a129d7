/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merging frames of several queues in time order.
 */
#ifndef CAPTURE_VERBS_VERBS_MERGE_H
#define CAPTURE_VERBS_VERBS_MERGE_H

#include "capture/verbs/verbs.h"

/* Polls a queue into its own batch; *count: number of completions. */
typedef enum rtap_status verbs_poller(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count,
				      struct rtap_error *error);

/*
 * Polls all queues and appends to `batch` the frames before which no queue can have an earlier one. *count is 0 if there were no
 * completions and no frames are waiting. If there are frames, at least one is appended.
 */
enum rtap_status verbs_merge(struct verbs *verbs, verbs_poller *poll, struct batch *batch, unsigned *count, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Discards waiting frames. */
void verbs_merge_end(struct verbs *verbs);

#endif
