/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queue, queue pair, rules; bringing them back after a failure.
 */
#ifndef CAPTURE_VERBS_VERBS_QUEUE_H
#define CAPTURE_VERBS_VERBS_QUEUE_H

#include "capture/verbs/verbs.h"

/* verbs_queue.c */
enum rtap_status verbs_queue_open(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Destroys rules, so that no more frames come. The first failure is told. */
enum rtap_status verbs_queue_stop(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/* Destroys all that there is, whatever fails. */
void verbs_queue_close(struct verbs *verbs);

/* After a failure: everything is as after verbs_queue_open(), but for the counters. */
enum rtap_status verbs_queue_rebuild(struct verbs *verbs, struct rtap_error *error) __attribute__((warn_unused_result));

/*
 * The first block begins to be filled: another one takes its place in the queue. If none is free, because all are lent to
 * batches that wait to be read, the frames that come now are dropped and the block takes its own place; as it does when
 * frames are only counted or copied.
 */
void verbs_queue_choose_replacement(struct verbs *verbs, struct verbs_queue *queue);

/* Posts as many receives as have been filled since the last call. Due every VERBS_CHAIN of them, and at the end of a block. */
enum rtap_status verbs_queue_repost(struct verbs *verbs, struct verbs_queue *queue, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* What the queues and their memory are like, as live_operations.notes. */
void verbs_queue_notes(const struct verbs *verbs, void (*take)(void *owner, const char *text), void *owner);

#endif
