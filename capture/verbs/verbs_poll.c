/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <time.h>

#include "capture/file/writer.h"
#include "capture/live/live_device.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_clock.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_event.h"
#include "capture/verbs/verbs_poll.h"
#include "capture/verbs/verbs_queue.h"
#include "capture/verbs/verbs_ring.h"
#include "capture/verbs/verbs_shrink.h"

#define REPORT_NS INT64_C(1000000000) /* minimum interval between reports of failed receives */

/* A work completion. */
struct completion {
	uint64_t wr_id;
	enum ibv_wc_status status;
	uint32_t length, vendor_error;
	int64_t time_ns;
};

/* Receives complete in the order in which they were posted. */
static inline uint64_t next_wr_id(const struct verbs *verbs, const struct verbs_queue *queue)
{
	return (uint64_t)queue->posted[queue->posted_begin]->index * verbs->sizes.block + queue->filled;
}

static bool matches(const struct verbs *verbs, const uint8_t *bytes, uint32_t length)
{
	for (size_t i = 0; i < verbs->rule_count; i++)
		if (flow_rule_matches(&verbs->rules[i], bytes, length))
			return true;
	return false;
}

/*
 * Counts frames up to the first completion that failed or is out of order, and returns their number. The sums are in registers, as
 * storing them for each frame takes longer than the rest.
 */
static unsigned count_frames(const struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, const struct completion *chain,
			     unsigned count)
{
	const uint32_t most = verbs->snap_length ? verbs->snap_length : UINT32_MAX;
	const uint64_t first = next_wr_id(verbs, queue);
	uint64_t bytes = 0, cut = 0;
	unsigned n;

	for (n = 0; n < count && chain[n].wr_id == first + n && chain[n].status == IBV_WC_SUCCESS; n++) {
		bytes += chain[n].length < most ? chain[n].length : most;
		cut += chain[n].length > most;
	}
	batch->shared.count += n;
	batch->counted_bytes += bytes;
	batch->counted_cut += cut;
	queue->block_bytes += bytes;
	queue->passed += n;
	queue->filled += n;
	return n;
}

/* Maximum memory for the copy of a frame. */
static size_t copy_room(const struct verbs *verbs)
{
	return verbs->makes_records ? record_room(verbs->sizes.slot_bytes) : verbs->sizes.slot_bytes;
}

/* Whether the batch already has copies, and therefore room for them. */
static bool has_copies(const struct verbs *verbs, const struct batch *batch)
{
	return verbs->makes_records ? batch->records != NULL : batch->shared.count && batch->block;
}

/* Whether a frame of any length can be copied. Without memory it is dropped. */
static bool has_room(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch)
{
	if (batch->shared.count && !has_copies(verbs, batch))
		batch->closed = true;
	if (batch->closed)
		return false;
	if (live_room(&verbs->live, batch, copy_room(verbs)))
		return true;
	queue->dropping = !batch->closed;
	return queue->dropping;
}

/* Whether a completion may be taken: its frame has a place in the batch, or will be dropped. If not, the batch is closed. */
static inline bool can_take(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch)
{
	if (!queue->replacement)
		verbs_queue_choose_replacement(verbs, queue);
	if (queue->dropping || verbs->counts_only)
		return true;
	if (queue->copies && batch->shared.count < BATCH_FRAMES) {
		if (has_copies(verbs, batch) && verbs->live.block->size - verbs->live.block_used >= copy_room(verbs))
			return true;
		return has_room(verbs, queue, batch);
	}
	if (batch->shared.count < BATCH_FRAMES && !has_copies(verbs, batch) &&
	    (!batch->borrowed || batch->borrowed == &queue->posted[queue->posted_begin]->borrowed))
		return true;
	batch->closed = true;
	return false;
}

static inline void add_frame(const struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, struct verbs_block *block,
			     uint32_t length, int64_t time_ns)
{
	const uint8_t *bytes = block->memory + (size_t)queue->filled * verbs->sizes.stride;
	uint32_t kept = length < verbs->sizes.slot_bytes ? length : verbs->sizes.slot_bytes;
	struct rtap_frame *frame = &batch->frames[batch->shared.count];

	if (verbs->matches_here && !matches(verbs, bytes, kept))
		return;
	if (!batch->borrowed) {
		verbs_block_hold(block);
		batch->borrowed = &block->borrowed;
	}
	if (verbs->snap_length && kept > verbs->snap_length)
		kept = verbs->snap_length;
	batch->shared.count++;
	queue->block_bytes += kept;
	queue->passed++;
	frame->bytes = bytes;
	frame->captured_length = kept;
	frame->wire_length = length;
	frame->link_type = RTAP_LINK_ETHERNET;
	frame->interface = 0;
	frame->time_ns = time_ns;
	frame->comments = NULL;
	frame->comment_count = 0;
	frame->options = NULL;
}

/* The device's next frames come into a receive buffer that has not left this processor's cache, and the writer looks at none. */
static inline void copy_frame(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, const struct verbs_block *block,
			      uint32_t length, int64_t time_ns)
{
	const uint8_t *bytes = block->memory + (size_t)queue->filled * verbs->sizes.stride;
	uint32_t kept = length < verbs->sizes.slot_bytes ? length : verbs->sizes.slot_bytes;
	uint8_t *record = verbs->live.block->bytes + verbs->live.block_used;
	size_t size;

	if (verbs->matches_here && !matches(verbs, bytes, kept))
		return;
	if (verbs->snap_length && kept > verbs->snap_length)
		kept = verbs->snap_length;
	if (!batch->records) {
		batch->records = record;
		batch->record_form = verbs->record_form;
		batch->record_bytes = 0;
		batch->latest_ns = time_ns;
		batch->has_set_back = false;
		batch->counted_bytes = batch->counted_cut = 0;
		batch->shared.frames = NULL;
	}
	size = record_make(verbs->record_form, record, bytes, kept, length, time_ns);
	verbs->live.block_used += size;
	batch->record_bytes += size;
	if (time_ns > batch->latest_ns)
		batch->latest_ns = time_ns;
	else if (__builtin_expect(time_ns <= batch->latest_ns - BATCH_SET_BACK_NS, 0))
		batch->has_set_back = true;
	batch->counted_bytes += kept;
	batch->counted_cut += kept < length;
	batch->shared.count++;
	queue->block_bytes += kept;
	queue->passed++;
}

/* Frees the receive buffer at once: the reader has all others. */
static void copy_out(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, const struct verbs_block *block, uint32_t length,
		     int64_t time_ns)
{
	const uint8_t *bytes = block->memory + (size_t)queue->filled * verbs->sizes.stride;
	uint32_t kept = length < verbs->sizes.slot_bytes ? length : verbs->sizes.slot_bytes;
	struct rtap_frame frame = { .bytes = bytes, .wire_length = length, .link_type = RTAP_LINK_ETHERNET, .time_ns = time_ns };

	if (verbs->matches_here && !matches(verbs, bytes, kept))
		return;
	frame.captured_length = verbs->snap_length && kept > verbs->snap_length ? verbs->snap_length : kept;
	if (live_append(&verbs->live, batch, &frame))
		queue->passed++;
	else
		queue->dropped++;
}

static __attribute__((cold)) void report_failure(struct verbs *verbs, enum ibv_wc_status status, uint32_t vendor_error)
{
	int64_t now = verbs_now_ns(CLOCK_MONOTONIC);

	if (verbs->reported_failed && now - verbs->reported_ns < REPORT_NS)
		return;
	verbs->reported_ns = now;
	verbs->reported_failed = verbs->failed;
	if (status == IBV_WC_LOC_LEN_ERR)
		verbs_report(verbs,
			   "a frame was longer than %u bytes and is lost (--verbs frame=N takes longer ones); %llu receives have failed",
			   verbs->sizes.frame_bytes, (unsigned long long)verbs->failed);
	else
		verbs_report(verbs, "a receive failed: %s (vendor error 0x%x); %llu have failed", ibv_wc_status_str(status), vendor_error,
			   (unsigned long long)verbs->failed);
}

/*
 * A failed completion. If the queue pair failed with it, the remaining completions are flushed receives without data. The state of
 * RSS work queues cannot be queried: flushed receives or an event indicate the failure.
 */
static __attribute__((cold, noinline)) void take_failure(struct verbs *verbs, struct verbs_queue *queue,
							 enum ibv_wc_status status, uint32_t vendor_error)
{
	if (status == IBV_WC_WR_FLUSH_ERR) {
		queue->broken = verbs->broken = true;
		return;
	}
	verbs->failed++;
	queue->failed++;
	if (!queue->wq && verbs_qp_has_failed(verbs))
		queue->broken = verbs->broken = true;
	report_failure(verbs, status, vendor_error);
}

/* Always inlined: a call for each frame costs as much as the function itself. */
static inline __attribute__((always_inline)) void take_completion(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch,
								  const struct completion *completion)
{
	struct verbs_block *block = queue->posted[queue->posted_begin];

	/* the device is faulty */
	if (__builtin_expect(completion->wr_id != next_wr_id(verbs, queue), 0)) {
		queue->broken = verbs->broken = verbs->is_disordered = true;
		verbs->failed++;
		queue->failed++;
		return;
	}
	if (__builtin_expect(completion->status != IBV_WC_SUCCESS, 0))
		take_failure(verbs, queue, completion->status, completion->vendor_error);
	else if (__builtin_expect(queue->dropping, 0))
		queue->dropped++;
	else if (queue->copies && !verbs->makes_records)
		copy_out(verbs, queue, batch, block, completion->length, completion->time_ns);
	else if (queue->copies)
		copy_frame(verbs, queue, batch, block, completion->length, completion->time_ns);
	else
		add_frame(verbs, queue, batch, block, completion->length, completion->time_ns);
	queue->filled++;
}

/*
 * Number of completions for which there certainly is room, as they cannot be put back, up to the next posting of receives. 0: the
 * batch is closed.
 */
static unsigned room_for(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch)
{
	size_t room = VERBS_CHAIN - (queue->filled - queue->replaced);

	if (!can_take(verbs, queue, batch))
		return 0;
	if (room > verbs->sizes.block - queue->filled)
		room = verbs->sizes.block - queue->filled;
	if (queue->dropping || verbs->counts_only)
		return (unsigned)room;
	if (room > BATCH_FRAMES - batch->shared.count)
		room = BATCH_FRAMES - batch->shared.count;
	if (queue->copies && room > (verbs->live.block->size - verbs->live.block_used) / copy_room(verbs))
		room = (verbs->live.block->size - verbs->live.block_used) / copy_room(verbs);
	return (unsigned)room;
}

/* Takes completions that were polled. A host's time stamp is read after that, so that it is not before the frame's arrival. */
static inline enum rtap_status take_chain(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, struct completion *chain,
					  unsigned count, bool is_stamped, struct rtap_error *error)
{
	int64_t now_ns = is_stamped || verbs->counts_only ? 0 : verbs_now_ns(CLOCK_REALTIME);

	for (unsigned i = 0; i < count && !queue->broken; i++) {
		if (verbs->counts_only)
			i += count_frames(verbs, queue, batch, chain + i, count - i);
		if (i == count)
			break;
		if (!is_stamped)
			chain[i].time_ns = now_ns;
		if (chain[i].time_ns)
			queue->last_ns = chain[i].time_ns;
		take_completion(verbs, queue, batch, &chain[i]);
	}
	if (queue->filled - queue->replaced < VERBS_CHAIN && queue->filled < verbs->sizes.block)
		return RTAP_STATUS_OK;
	return verbs_queue_repost(verbs, queue, error);
}

/* Reads the completion at hand. */
static inline void read_completion(const struct verbs *verbs, struct ibv_cq_ex *cq, struct completion *completion)
{
	completion->wr_id = cq->wr_id;
	completion->status = cq->status;
	completion->length = 0;
	completion->time_ns = 0;
	if (completion->status) {
		completion->vendor_error = ibv_wc_read_vendor_err(cq);
		return;
	}
	completion->length = ibv_wc_read_byte_len(cq);
	if (verbs->counts_only)
		return;
	if (verbs->stamps == VERBS_STAMPS_WALL)
		completion->time_ns = (int64_t)ibv_wc_read_completion_wallclock_ns(cq);
	else if (verbs->stamps == VERBS_STAMPS_RAW)
		completion->time_ns = verbs_clock_to_ns(&verbs->clock, ibv_wc_read_completion_ts(cq));
}

/* Takes completions until none is left, the batch is closed, or one failed. *count: their number. */
static enum rtap_status poll_extended(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count,
				      struct rtap_error *error)
{
	struct ibv_poll_cq_attr none = { .comp_mask = 0 };
	enum rtap_status status = RTAP_STATUS_OK;
	struct ibv_cq_ex *cq = queue->cq_ex;
	struct completion chain[VERBS_CHAIN];
	bool is_at_hand = true;
	unsigned most, got;
	int result;

	*count = 0;
	queue->drained = false;
	if (queue->broken || !can_take(verbs, queue, batch))
		return RTAP_STATUS_OK;
	result = ibv_start_poll(cq, &none);
	if (result == ENOENT)
		queue->drained = true;
	if (result)
		return result == ENOENT ? RTAP_STATUS_OK : verbs_fail(verbs, error, "the completion queue cannot be polled", result, NULL);
	while (!status && !queue->broken && !queue->drained && *count < 2 * BATCH_FRAMES && (most = room_for(verbs, queue, batch))) {
		for (got = 0; got < most; got++) {
			if (!is_at_hand && (queue->drained = ibv_next_poll(cq)))
				break;
			is_at_hand = false;
			read_completion(verbs, cq, &chain[got]);
		}
		status = take_chain(verbs, queue, batch, chain, got, verbs->stamps != VERBS_STAMPS_HERE, error);
		*count += got;
	}
	ibv_end_poll(cq);
	return status;
}

static enum rtap_status poll_plain(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count,
				   struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct completion chain[VERBS_CHAIN];
	struct ibv_wc wc[VERBS_CHAIN];
	unsigned most;
	int got = 1;

	*count = 0;
	while (!status && !queue->broken && *count < 2 * BATCH_FRAMES && (most = room_for(verbs, queue, batch))) {
		got = ibv_poll_cq(queue->cq, (int)most, wc);
		if (got <= 0)
			break;
		for (int i = 0; i < got; i++)
			chain[i] = (struct completion){ wc[i].wr_id, wc[i].status, wc[i].byte_len, wc[i].vendor_err, 0 };
		status = take_chain(verbs, queue, batch, chain, (unsigned)got, false, error);
		*count += (unsigned)got;
	}
	queue->drained = !got;
	if (got < 0)
		return verbs_fail(verbs, error, "the completion queue cannot be polled", errno, NULL);
	return status;
}

enum rtap_status verbs_poll(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count, struct rtap_error *error)
{
	enum rtap_status status = queue->cq_ex ? poll_extended(verbs, queue, batch, count, error) : poll_plain(verbs, queue, batch, count, error);

	if (queue->shrinking.calm_ns)
		verbs_shrink_note(&queue->shrinking, (uint64_t)queue->posted_count * verbs->sizes.block, *count, queue->drained);
	return status;
}
