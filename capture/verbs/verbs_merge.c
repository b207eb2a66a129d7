/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merges frames of several queues in time order. Each queue fills a batch of its own, to which the delivered batch points. A frame is
 * delivered when all queues have been polled after it: earlier frames have then been found, or are queued after frames of their queue
 * that are not polled yet. So only the device's clock is used.
 */
#include "config.h"

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_merge.h"

/* Maximum wait for a queue that lags without delivering frames, because they are dropped or match no rule. */
#define PATIENCE 16

static bool has_waiting(const struct verbs_queue *queue)
{
	return queue->batch && queue->merged < queue->batch->shared.count;
}

static const struct rtap_frame *next_of(const struct verbs_queue *queue)
{
	return &queue->batch->frames[queue->merged];
}

static void discard(struct verbs_queue *queue)
{
	if (queue->batch)
		rtap_batch_release(&queue->batch->shared);
	queue->batch = NULL;
	queue->merged = 0;
	queue->kept = false;
}

void verbs_merge_end(struct verbs *verbs)
{
	for (unsigned i = 0; i < verbs->queue_count; i++)
		discard(&verbs->queues[i]);
}

static enum rtap_status out_of_memory(const struct verbs *verbs, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", verbs->name);
	return RTAP_STATUS_FAILED;
}

/* Polls each queue once. *count: completions. */
static enum rtap_status poll_round(struct verbs *verbs, verbs_poller *poll, struct batch_pool *pool, unsigned *count,
				   struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	*count = 0;
	for (unsigned i = 0; i < verbs->queue_count && !status; i++) {
		struct verbs_queue *queue = &verbs->queues[i];
		unsigned polled;

		if (queue->batch && queue->batch->closed && !has_waiting(queue))
			discard(queue);
		if (!queue->batch)
			queue->batch = batch_get(pool);
		if (!queue->batch)
			return out_of_memory(verbs, error);
		if (queue->batch->closed || queue->broken)
			continue;
		status = poll(verbs, queue, queue->batch, &polled, error);
		*count += polled;
	}
	return status;
}

/* At least its next frame's time: a clock that was set back must not hold that for ever. */
static int64_t newest_of(const struct verbs_queue *queue)
{
	return has_waiting(queue) && next_of(queue)->time_ns > queue->last_ns ? next_of(queue)->time_ns : queue->last_ns;
}

/* The time up to which no queue holds a frame that has not been polled. */
static int64_t limit_of(const struct verbs *verbs, bool patient)
{
	int64_t limit = verbs->merge_ns;

	for (unsigned i = 0; i < verbs->queue_count; i++) {
		const struct verbs_queue *queue = &verbs->queues[i];

		if (!queue->drained && !queue->broken && (patient || has_waiting(queue)) && newest_of(queue) < limit)
			limit = newest_of(queue);
	}
	return limit;
}

static bool keep(struct batch *batch, struct verbs_queue *queue)
{
	queue->kept = queue->kept || batch_keep(batch, &queue->batch->shared);
	return queue->kept;
}

/* The queue whose next frame is the earliest; *until: up to when it stays so. NULL: none has one up to the limit. */
static struct verbs_queue *earliest(struct verbs *verbs, int64_t limit, int64_t *until)
{
	struct verbs_queue *first = NULL;
	int64_t first_ns = INT64_MAX;

	*until = limit;
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		struct verbs_queue *queue = &verbs->queues[i];
		int64_t time_ns;

		if (!has_waiting(queue))
			continue;
		time_ns = next_of(queue)->time_ns;
		if (!first || time_ns < first_ns) {
			if (first && first_ns < *until)
				*until = first_ns;
			first = queue;
			first_ns = time_ns;
		} else if (time_ns < *until) {
			*until = time_ns;
		}
	}
	return first_ns <= limit ? first : NULL;
}

static enum rtap_status hand_on(struct verbs *verbs, struct batch *batch, int64_t limit, struct rtap_error *error)
{
	struct verbs_queue *queue;
	int64_t until;

	while (!batch->closed && (queue = earliest(verbs, limit, &until))) {
		if (!keep(batch, queue))
			return out_of_memory(verbs, error);
		do {
			batch->frames[batch->shared.count++] = *next_of(queue);
			queue->merged++;
			batch->closed = batch->shared.count == BATCH_FRAMES;
		} while (!batch->closed && has_waiting(queue) && next_of(queue)->time_ns <= until);
	}
	return RTAP_STATUS_OK;
}

static bool is_any_waiting(const struct verbs *verbs)
{
	for (unsigned i = 0; i < verbs->queue_count; i++)
		if (has_waiting(&verbs->queues[i]))
			return true;
	return false;
}

static void end_round(struct verbs *verbs)
{
	for (unsigned i = 0; i < verbs->queue_count; i++)
		if (newest_of(&verbs->queues[i]) > verbs->merge_ns)
			verbs->merge_ns = newest_of(&verbs->queues[i]);
}

enum rtap_status verbs_merge(struct verbs *verbs, verbs_poller *poll, struct batch *batch, unsigned *count, struct rtap_error *error)
{
	size_t before = batch->shared.count;
	enum rtap_status status;

	/* A batch emptied by the filter still holds its references. */
	if (!before && batch->held_count) {
		batch->closed = true;
		*count = 0;
		return RTAP_STATUS_OK;
	}
	for (unsigned i = 0; i < verbs->queue_count && !before; i++)
		verbs->queues[i].kept = false;
	for (unsigned round = 0;; round++) {
		status = poll_round(verbs, poll, batch->pool, count, error);
		if (!status)
			status = hand_on(verbs, batch, limit_of(verbs, round < PATIENCE), error);
		end_round(verbs);
		if (status || batch->shared.count > before || !is_any_waiting(verbs))
			break;
	}
	/* No other round will be. */
	if (status)
		(void)!hand_on(verbs, batch, INT64_MAX, NULL);
	*count += is_any_waiting(verbs);
	return status;
}
