/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completions of a queue as frames of a batch: matched, copied or borrowed, counted.
 */
#ifndef CAPTURE_VERBS_VERBS_POLL_H
#define CAPTURE_VERBS_VERBS_POLL_H

#include "capture/verbs/verbs.h"

/*
 * Takes completions of the queue until none is left (`drained`), the batch is closed, or one failed (`broken`). *count: their number;
 * frames that no rule matches, and dropped ones, are among them.
 */
enum rtap_status verbs_poll(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count, struct rtap_error *error)
	__attribute__((warn_unused_result));

#endif
