/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several running devices as one: their frames in the order of their time stamps.
 */
#ifndef CAPTURE_LIVE_LIVE_MERGE_H
#define CAPTURE_LIVE_LIVE_MERGE_H

#include "capture/live/live_queue.h"

struct live_merge;

/* As live_open(), for several names. Each device has a receive thread and a queue of its own. */
enum rtap_status live_merge_open(struct live_merge **merge, const char *const *names, size_t count, const struct rtap_live_options *options,
				 struct batch_pool *pool, struct source_metadata *metadata, struct rtap_error *error)
	__attribute__((warn_unused_result));

/*
 * As live_read(). A frame is delivered when every other device has a later one, after a maximum wait, or when the
 * queue of its device fills. The failure of one device is BROKEN, that of the last one FAILED.
 */
enum rtap_status live_merge_read(struct live_merge *merge, struct batch **batch, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* As source_read_counts(). */
void live_merge_read_counts(const struct live_merge *merge, size_t index, struct rtap_interface *counts);

void live_merge_stop(struct live_merge *merge);
bool live_merge_needs_privileges(const struct live_merge *merge);

/* As live_close(), for all. NULL is ignored. */
void live_merge_close(struct live_merge *merge);

#endif
