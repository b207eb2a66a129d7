/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "capture/devices/device_verbs.h"
#include "capture/live/live_device.h"
#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_clock.h"
#include "capture/verbs/verbs_context.h"
#include "capture/verbs/verbs_event.h"
#include "capture/verbs/verbs_flow.h"
#include "capture/verbs/verbs_merge.h"
#include "capture/verbs/verbs_queue.h"
#include "capture/verbs/verbs_ring.h"
#include "capture/verbs/verbs_route.h"
#include "capture/verbs/verbs_sender.h"
#include "capture/verbs/verbs_shrink.h"
#include "capture/verbs/verbs_tuning.h"
#include "capture/file/writer.h"

#define NS_A_MS INT64_C(1000000)
#define NS_A_SECOND INT64_C(1000000000)

#define LOOK_NS (10 * NS_A_MS)      /* interval of checks for events while frames arrive continuously */
#define REPORT_NS NS_A_SECOND         /* minimum interval between reports of failed receives */
#define MOST_DISORDERS 5              /* of one kind of completion queue */
#define DISORDER_WAIT_MS 5            /* before the first repair; doubled before each further one */
#define CLOCK_NS NS_A_SECOND        /* interval of reading the device's clock */
#define DROPS_NS NS_A_SECOND        /* minimum interval between reads of the drop counter, which may need a firmware query */
#define DRAIN_MS 10                 /* wait for frames in flight when the rules are removed */
#define CPU_CACHES "/sys/devices/system/cpu/cpu0/cache"
#define SPIN_NS 20000               /* polled on before an event is waited for: arming and waking takes about as long */

/* Time */

/* Reads both clocks; uses the fastest of three readings. */
static void read_clock(struct verbs *verbs)
{
	int64_t best = INT64_MAX, wall_ns = 0;
	uint64_t ticks = 0;

	for (int i = 0; i < 3; i++) {
		struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
		int64_t before = verbs_now_ns(CLOCK_REALTIME), after;

		if (ibv_query_rt_values_ex(verbs->context, &values) || !(values.comp_mask & IBV_VALUES_MASK_RAW_CLOCK))
			continue;
		after = verbs_now_ns(CLOCK_REALTIME);
		if (after < before || after - before >= best)
			continue;
		best = after - before;
		wall_ns = before + best / 2;
		ticks = (uint64_t)values.raw_clock.tv_sec * (uint64_t)NS_A_SECOND + (uint64_t)values.raw_clock.tv_nsec;
	}
	if (best != INT64_MAX)
		verbs_clock_read(&verbs->clock, ticks, wall_ns);
	else if (!verbs->clock.read_ns)
		verbs->clock.mask = 0; /* time stamps that cannot be converted to times are useless */
}

/* Receiving */

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

static enum rtap_status poll_queue(struct verbs *verbs, struct verbs_queue *queue, struct batch *batch, unsigned *count,
				   struct rtap_error *error)
{
	enum rtap_status status = queue->cq_ex ? poll_extended(verbs, queue, batch, count, error) : poll_plain(verbs, queue, batch, count, error);

	if (queue->shrinking.calm_ns)
		verbs_shrink_note(&queue->shrinking, (uint64_t)queue->posted_count * verbs->sizes.block, *count, queue->drained);
	return status;
}

static enum rtap_status poll_all(struct verbs *verbs, struct batch *batch, unsigned *count, struct rtap_error *error)
{
	if (verbs->queue_count > 1)
		return verbs_merge(verbs, poll_queue, batch, count, error);
	return poll_queue(verbs, verbs->queues, batch, count, error);
}

static enum rtap_status arm(struct verbs *verbs, struct rtap_error *error)
{
	int result = 0;

	for (unsigned i = 0; i < verbs->queue_count && !result; i++)
		result = ibv_req_notify_cq(verbs->queues[i].cq, verbs->tuning.solicited);
	return result ? verbs_fail(verbs, error, "completion events cannot be requested", result, NULL) : RTAP_STATUS_OK;
}

/* Polls, arms, polls again (a completion may have come in between, and raises no event), waits, polls. */
static enum rtap_status wait_and_poll(struct verbs *verbs, struct batch *batch, unsigned timeout_ms, struct rtap_error *error)
{
	int64_t begin = verbs_now_ns(CLOCK_MONOTONIC), spin = verbs->tuning.busy ? timeout_ms * NS_A_MS : SPIN_NS;
	enum rtap_status status;
	unsigned count;

	do
		status = poll_all(verbs, batch, &count, error);
	while (!status && !count && !verbs->broken && !batch->closed && verbs_now_ns(CLOCK_MONOTONIC) - begin < spin);
	if (status || count || verbs->broken || batch->closed || verbs->tuning.busy || !timeout_ms)
		return status;
	status = arm(verbs, error);
	if (!status)
		status = poll_all(verbs, batch, &count, error);
	if (status || count || batch->closed || verbs->broken)
		return status;
	status = verbs_event_wait(verbs, timeout_ms, error);
	return status ? status : poll_all(verbs, batch, &count, error);
}

static enum rtap_status look_after(struct verbs *verbs, struct rtap_error *error)
{
	int64_t now = verbs_now_ns(CLOCK_MONOTONIC_COARSE);

	if (verbs->stamps == VERBS_STAMPS_RAW && verbs_now_ns(CLOCK_REALTIME) - verbs->clock.read_ns >= CLOCK_NS)
		read_clock(verbs);
	return now - verbs->looked_ns >= LOOK_NS ? verbs_event_look(verbs, error) : RTAP_STATUS_OK;
}

static enum rtap_status report_events(struct verbs *verbs, struct rtap_error *error)
{
	verbs->has_news = false;
	rtap_error_set(error, RTAP_ERROR_EVENT, "%s: %s", verbs->name, verbs->news);
	return RTAP_STATUS_BROKEN;
}

/* Take the successful completions before the failure, in this queue and in others, before rebuilding them. */
static bool has_left_nothing(const struct verbs *verbs)
{
	for (unsigned i = 0; i < verbs->queue_count; i++)
		if (!verbs->queues[i].broken && !verbs->queues[i].drained)
			return false;
	return true;
}

/* Receives completed out of order, so their frames may be wrong too. */
static enum rtap_status repair_disorder(struct verbs *verbs, struct rtap_error *error)
{
	verbs->is_disordered = false;
	if (++verbs->disorders < MOST_DISORDERS) {
		verbs_report(verbs, "receives completed out of order; the queue is reset");
		poll(NULL, 0, DISORDER_WAIT_MS << verbs->disorders);
	} else if (verbs->queues[0].cq_ex) {
		verbs_report(verbs,
			     "receives completed out of order %u times: the plain completion queue is used from now on (--verbs cq=plain)",
			     verbs->disorders);
		verbs->tuning.plain_cq = verbs->cq_broken = true;
		verbs->disorders = 0;
	} else {
		return verbs_fail(verbs, error, "receives complete out of order, with the plain completion queue too", EIO,
				  "this driver cannot be used; pcap:IFACE captures on its network interface");
	}
	return RTAP_STATUS_OK;
}

static enum rtap_status repair(struct verbs *verbs, struct rtap_error *error)
{
	if (verbs->is_disordered && repair_disorder(verbs, error))
		return RTAP_STATUS_FAILED;
	return verbs_queue_rebuild(verbs, error);
}

static enum rtap_status verbs_receive(struct live_device *device, struct batch *batch, unsigned timeout_ms, struct rtap_error *error)
{
	struct verbs *verbs = (struct verbs *)device;
	enum rtap_status status = look_after(verbs, error);

	if (verbs->counts_only && !batch->counts_only)
		live_count_only(batch);
	if (!status && !verbs->has_news)
		status = wait_and_poll(verbs, batch, verbs->broken ? 0 : timeout_ms, error);
	if (!status && verbs->broken && !verbs->stopped && !batch->closed && has_left_nothing(verbs))
		status = repair(verbs, error);
	if (!status && verbs->has_news)
		return report_events(verbs, error);
	return status;
}

static void verbs_stop(struct live_device *device)
{
	struct verbs *verbs = (struct verbs *)device;
	struct rtap_error error;

	verbs->stopped = true;
	if (verbs_queue_stop(verbs, &error))
		verbs_report(verbs, "%.*s", (int)sizeof verbs->news - 1, error.text + strlen(verbs->name) + 2);
	else if (verbs->failed > verbs->reported_failed || verbs->rebuilds)
		verbs_report(verbs, "%llu receives failed, and the queue was reset %llu times; frames that arrived in the meantime are lost",
			   (unsigned long long)verbs->failed, (unsigned long long)verbs->rebuilds);
}

static void verbs_statistics(struct live_device *device, struct live_statistics *statistics)
{
	struct verbs *verbs = (struct verbs *)device;
	int64_t now = verbs_now_ns(CLOCK_MONOTONIC);
	uint64_t passed = 0, dropped = 0;

	if (verbs->stopped || now - verbs->drops_read_ns >= DROPS_NS) {
		verbs_read_drops(verbs);
		verbs->drops_read_ns = now;
	}
	for (unsigned i = 0; i < verbs->queue_count; i++) {
		passed += verbs->queues[i].passed;
		dropped += verbs->queues[i].dropped;
	}
	/* frames that arrive while a queue is rebuilt are not counted by any counter */
	statistics->dropped_by_device = (struct rtap_count){ verbs->has_device_drops, verbs->device_drops };
	statistics->dropped_by_system = (struct rtap_count){ !verbs->rebuilds, dropped + verbs->failed };
	statistics->received = (struct rtap_count){ !verbs->rebuilds, passed + dropped + verbs->failed };
	if (verbs->has_device_drops)
		statistics->received.value += verbs->device_drops;
}

static void verbs_close(struct live_device *device)
{
	struct verbs *verbs = (struct verbs *)device;

	verbs_route_close(verbs->route);
	if (verbs->context) {
		verbs_queue_close(verbs);
		(void)!ibv_close_device(verbs->context);
	}
	free(verbs);
}

static void verbs_notes(struct live_device *device, void (*take)(void *owner, const char *text), void *owner)
{
	verbs_route_notes(((struct verbs *)device)->route, take, owner);
	verbs_flow_notes((struct verbs *)device, take, owner);
	verbs_queue_notes((struct verbs *)device, take, owner);
}

static const struct live_operations operations = { verbs_receive, verbs_stop, verbs_statistics, verbs_event_hand_on,
						   verbs_notes, verbs_close };

/* Opening */

static enum rtap_status derive_sizes(struct verbs *verbs, const struct rtap_live_options *options, struct rtap_error *error)
{
	const struct ibv_device_attr *device = &verbs->device.orig_attr;
	const struct verbs_limits limits = {
		.most_receives = (uint32_t)device->max_qp_wr,
		.most_cq_entries = (uint32_t)device->max_cqe,
		.most_parts = (uint32_t)device->max_sge,
		.gbps = verbs_port_gbps(verbs->port_attr.active_width, verbs->port_attr.active_speed),
		.mtu = verbs_netdev_mtu(verbs),
		.buffer_bytes = options->buffer_bytes,
		.snap_length = options->snap_length,
		.looks_at_headers = verbs->matches_here,
		.most_locked = verbs_most_locked(),
	};
	struct rtap_error reason;

	if (!verbs_sizes_derive(&verbs->sizes, &verbs->tuning, &limits, &reason))
		return RTAP_STATUS_OK;
	rtap_error_set(error, reason.code, "%s: %s", verbs->name, reason.text);
	return RTAP_STATUS_FAILED;
}

static void describe(struct verbs *verbs)
{
	static const char *const stamps[] = { "host", "device", "device" };
	static const char *const types[] = { "sniffer", "normal rules", "all", "multicast" };

	char spread[48] = "";

	if (verbs->queue_count > 1)
		snprintf(spread, sizeof spread, "%u queues (by IPv%d and UDP port), ", verbs->queue_count, verbs->tuning.hash_ipv6 ? 6 : 4);
	snprintf(verbs->description, sizeof verbs->description,
		 "raw-packet QP, %s%s, %s%s CQ, %u receives of %u bytes, time stamps by the %s",
		 types[verbs->flow_type], verbs->matches_here ? " with rules matched in software" : "", spread,
		 verbs->queues[0].cq_ex ? "extended" : "plain", verbs->sizes.depth, verbs->sizes.frame_bytes, stamps[verbs->stamps]);
	verbs->live.operations = &operations;
	verbs->live.interface.name = verbs->name + strlen("verbs:");
	verbs->live.interface.description = verbs->description;
	verbs->live.interface.filter = "";
	verbs->live.interface.link_type = RTAP_LINK_ETHERNET;
	verbs->live.interface.snap_length = verbs->snap_length;
	verbs->live.interface.time_digits = 9;
	verbs->live.interface.bits_per_second =
		verbs_port_gbps(verbs->port_attr.active_width, verbs->port_attr.active_speed) * UINT64_C(1000000000);
	verbs->live.has_own_clock = verbs->stamps == VERBS_STAMPS_WALL;
	verbs->live.needs_privileges = true;
	verbs->live.drain_ms = DRAIN_MS;
}

static enum rtap_status open_all(struct verbs *verbs, const char *name, const struct rtap_live_options *options, struct rtap_error *error)
{
	enum rtap_status status = verbs_tuning_parse(&verbs->tuning, options->verbs->tuning, error);
	char found[IBV_SYSFS_NAME_MAX + 8];
	bool as_received;

	if (!status && (options->verbs->peer || options->verbs->group)) {
		status = verbs_route_open(&verbs->route, options->verbs, verbs->rules, &verbs->rule_count, name, found,
					  sizeof found, error);
		name = found;
	}
	if (!status)
		status = verbs_flow_choose(verbs, options->verbs, options->capture_filter, error);
	if (!status)
		status = verbs_context_open(verbs, name, options, error);
	if (!status)
		status = derive_sizes(verbs, options, error);
	if (status)
		return status;
	verbs->snap_length = options->snap_length;
	verbs->devices = options->verbs->devices;
	/* frames of several queues are sorted by time, and a filter examines them */
	as_received = !options->capture_filter && verbs->sizes.queues == 1;
	verbs->counts_only = options->counts_only && as_received && !verbs->matches_here;
	verbs->makes_records = options->written_as && as_received && !verbs->counts_only;
	verbs->keeps = options->kept;
	if (verbs->tuning.shrink_ms)
		verbs->cache_bytes = verbs_cache_bytes(CPU_CACHES);
	if (verbs->makes_records)
		verbs->record_form = record_form_of(options->written_as);
	verbs_clock_init(&verbs->clock, verbs->device.completion_timestamp_mask, verbs->device.hca_core_clock);
	if (verbs->clock.mask && !verbs->tuning.no_stamps)
		read_clock(verbs);
	return verbs_queue_open(verbs, error);
}

static enum rtap_status verbs_open(struct live_device **device, const char *name, const struct rtap_live_options *options,
				   struct rtap_error *error)
{
	struct verbs *verbs = calloc(1, sizeof *verbs);
	enum rtap_status status;

	*device = NULL;
	if (!verbs) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "verbs:%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	status = open_all(verbs, name, options, error);
	if (status) {
		verbs_close(&verbs->live);
		return status;
	}
	describe(verbs);
	*device = &verbs->live;
	return RTAP_STATUS_OK;
}

/* The kind */

static bool knows(const char *name)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	size_t length = strcspn(name, "/");
	bool found = false;

	for (size_t i = 0; devices && devices[i] && !found; i++)
		found = !strncmp(ibv_get_device_name(devices[i]), name, length) && !ibv_get_device_name(devices[i])[length];
	if (devices)
		ibv_free_device_list(devices);
	return found;
}

static bool is_without_raw_packet(struct ibv_context *context)
{
	int result = device_verbs_try_raw_packet(context);

	return result && result != EPERM && result != EACCES && result != ENOMEM;
}

static void list_port(struct ibv_context *context, uint8_t port, void (*take)(void *owner, struct rtap_live_entry *entry), void *owner)
{
	char name[IBV_SYSFS_NAME_MAX + 8], description[64], netdev[IF_NAMESIZE], obstacle[128];
	struct rtap_live_entry entry = { .name = name, .description = description, .state = "", .obstacle = "",
					 .link_type = RTAP_LINK_ETHERNET };
	struct ibv_port_attr attr;

	if (ibv_query_port(context, port, &attr))
		return;
	snprintf(name, sizeof name, "%s/%u", ibv_get_device_name(context->device), port);
	snprintf(description, sizeof description, "RDMA device, %u Gb/s", verbs_port_gbps(attr.active_width, attr.active_speed));
	entry.state = attr.state == IBV_PORT_ACTIVE ? "active" : attr.state == IBV_PORT_DOWN ? "down" : "not active";
	if (attr.link_layer == IBV_LINK_LAYER_INFINIBAND) {
		entry.obstacle = "its link is InfiniBand, and raw-packet QPs carry Ethernet only";
		entry.link_type = UINT32_MAX;
	} else if (is_without_raw_packet(context)) {
		if (!verbs_netdev(context, port, netdev))
			strcpy(netdev, "IFACE");
		snprintf(obstacle, sizeof obstacle, "it has no raw-packet queue pairs (pcap:%s captures on its network interface)", netdev);
		entry.obstacle = obstacle;
	} else if (attr.state != IBV_PORT_ACTIVE) {
		entry.obstacle = "the port is not active (--force captures anyway)";
	}
	take(owner, &entry);
}

static void list_device(struct ibv_device *device, void (*take)(void *owner, struct rtap_live_entry *entry), void *owner)
{
	struct rtap_live_entry entry = { .name = ibv_get_device_name(device), .description = "RDMA device", .state = "",
					 .obstacle = "it cannot be opened", .link_type = RTAP_LINK_ETHERNET };
	struct ibv_context *context = ibv_open_device(device);
	struct ibv_device_attr attr;

	if (!context) {
		take(owner, &entry);
		return;
	}
	if (ibv_query_device(context, &attr))
		attr.phys_port_cnt = 1;
	for (unsigned port = 1; port <= attr.phys_port_cnt; port++)
		list_port(context, (uint8_t)port, take, owner);
	/* Ignore a failure to close: the device was only queried. */
	(void)!ibv_close_device(context);
}

static enum rtap_status list(void (*take)(void *owner, struct rtap_live_entry *entry), void *owner, struct rtap_error *error)
{
	struct ibv_device **devices;

	errno = 0;
	devices = ibv_get_device_list(NULL);
	if (!devices) {
		/* ENOSYS: the kernel has no RDMA support, which is a result, not an error */
		if (errno == ENOSYS)
			return RTAP_STATUS_OK;
		rtap_error_set(error, error_code_of(errno), "verbs: RDMA devices cannot be listed: %s", strerror(errno));
		return RTAP_STATUS_FAILED;
	}
	for (size_t i = 0; devices[i]; i++)
		list_device(devices[i], take, owner);
	ibv_free_device_list(devices);
	return RTAP_STATUS_OK;
}

const struct live_kind live_verbs = { .name = "verbs", .unnamed = true, .knows = knows, .open = verbs_open, .list = list,
				      .open_sender = verbs_sender_open };
