/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queue, queue pair, rules; recovering them after a failure.
 */
#ifndef CAPTURE_VERBS_VERBS_QUEUE_H
#define CAPTURE_VERBS_VERBS_QUEUE_H

#include "capture/verbs/verbs.h"

/* verbs_queue.c */
enum rtap_status verbs_queue_open(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Destroys the rules, so that no more frames arrive. Reports the first failure. */
enum rtap_status verbs_queue_stop(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Destroys all objects, ignoring failures. */
void verbs_queue_close(struct verbs *verbs);

/* After a failure: restores the state after verbs_queue_open(), except for the counters. */
enum rtap_status verbs_queue_rebuild(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * At the start of filling the first block, chooses the block that replaces it in the queue. If none is free, because batches
 * waiting to be read have borrowed all, arriving frames are dropped and the block replaces itself, as it does if frames are only
 * counted or copied.
 */
void verbs_queue_choose_replacement(struct verbs *verbs, struct verbs_queue *queue);

/* Posts as many receives as were filled since the last call. Call it after each VERBS_CHAIN of them and at the end of a block. */
enum rtap_status verbs_queue_repost(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Reports properties of the queues and their memory, as live_operations.notes. */
void verbs_queue_notes(const struct verbs *verbs, void (*take)(void *owner, const char *text), void *owner);

#endif
