/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A running device: a thread that only receives, and a bounded queue to the reader.
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "base/error.h"
#include "base/thread.h"
#include "capture/live.h"
#include "capture/live/live_queue.h"
#include "capture/live/live_signal.h"

#define NS_A_MS 1000000
#define NS_A_SECOND 1000000000

#define HELD_MS 5              /* maximum time that a readable batch waits for more frames */
#define STATISTICS_NS NS_A_SECOND
/*
 * Waking the reader costs as much as receiving a hundred frames. While frames arrive continuously it is woken only for this many
 * batches or bytes, which still fit a processor's cache, or when the first batch has waited this long.
 */
#define WAKE_BATCHES 64
#define WAKE_BYTES (1u << 20)
#define WAKE_NS NS_A_MS
/* A reader sleeps this long, plus the timer slack, while frames arrive continuously: it costs the receiving thread nothing. */
#define NAP_NS 50000
#define COUNTING_NAP_NS NS_A_MS /* after frames without memory, which cannot fill the queue nor a cache */
#define LAG_NS NS_A_SECOND
#define DRAIN_MOST_NS NS_A_SECOND /* limit for a device that does not stop delivering frames */

/* An entry waiting to be read: frames or a message. */
struct item {
	STAILQ_ENTRY(item) link;
	struct batch *batch;    /* NULL: the status and the error */
	uint64_t bytes;
	enum rtap_status status;
	struct rtap_error error;
};

/* Differences of the time of arrival and the time stamp: the least ones of this interval and of the one before. */
struct lag {
	int64_t begun_ns; /* of the interval; monotonic clock */
	int64_t least_ns, before_ns;
};

struct live {
	struct live_device *device;
	char *name;
	struct batch_pool *pool; /* borrowed, like the metadata */
	struct source_metadata *metadata;
	uint32_t interface;      /* in the metadata */
	struct rtap_bpf *bpf;    /* NULL: the device filters, or there is no filter */
	uint32_t snap_length;    /* frames are cut to it after the filter; 0: the device cuts them, or they are whole */
	unsigned wake_ms;
	struct live_signal *signal; /* NULL: none */
	uint64_t queue_bytes;
	struct thread_placement placement;
	pthread_t thread;
	bool started;
	bool noted;              /* the device's notes have been reported */
	const struct batch_block *charged; /* the receive thread's: the last block charged to the queue */
	struct numbering numbering; /* the reader's */
	long nap_ns;             /* the reader's */
	unsigned unheard;        /* the receive thread's: items handed over since the reader was woken last */
	uint64_t unheard_bytes;
	int64_t unheard_ns;      /* when the first of them was */
	struct lag lag;          /* the receive thread's */
	atomic_uint_fast64_t since_statistics; /* frames received since `statistics` */
	_Atomic int64_t least_lag_ns; /* of `lag`; INT64_MAX: not known */
	atomic_bool stop, abandon;
	/* Under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	STAILQ_HEAD(, item) queue;
	uint64_t queued_bytes;
	bool ended;              /* the thread hands over no more */
	bool reader_waits, reader_naps;
	bool streams;            /* frames were arriving continuously when the reader was last notified */
	uint64_t dropped_here;
	struct live_statistics statistics;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_A_SECOND + now.tv_nsec;
}

/* Of frames in borrowed buffers. */
static uint64_t captured_bytes(const struct batch *batch)
{
	uint64_t bytes = 0;

	if (batch->counts_only)
		return 0;
	for (size_t i = 0; i < batch->shared.count; i++)
		bytes += batch->frames[i].captured_length;
	return bytes;
}

/*
 * Memory that the queue would hold for the batch. Consecutive batches may share a
 * block, which counts with the first.
 */
static uint64_t batch_bytes(struct live *live, const struct batch *batch)
{
	uint64_t bytes = offsetof(struct batch, frames) + (batch->shared.frames ? batch->shared.count * sizeof batch->frames[0] : 0);

	if (batch->block && batch->block != live->charged)
		bytes += batch->block->size;
	return batch->block ? bytes : bytes + captured_bytes(batch);
}

static void item_free(struct item *item)
{
	if (item->batch)
		rtap_batch_release(&item->batch->shared);
	free(item);
}

static void append(struct live *live, struct item *item)
{
	STAILQ_INSERT_TAIL(&live->queue, item, link);
	live->queued_bytes += item->bytes;
	if (item->batch)
		live->unheard_bytes += item->bytes;
	if (!live->unheard++)
		live->unheard_ns = now_ns();
}

/* Call with the lock held. */
static void wake(struct live *live, bool streams)
{
	live->unheard = 0;
	live->unheard_bytes = 0;
	live->streams = streams;
	if (live->reader_waits)
		pthread_cond_signal(&live->arrived);
	if (live->signal)
		live_signal_raise(live->signal);
}

/* Queues the batch, or counts its frames as dropped. */
static void hand_over(struct live *live, struct batch *batch)
{
	struct item *item = calloc(1, sizeof *item);
	uint64_t bytes = batch_bytes(live, batch);

	pthread_mutex_lock(&live->lock);
	if (item && (STAILQ_EMPTY(&live->queue) || live->queued_bytes + bytes <= live->queue_bytes)) {
		item->batch = batch;
		item->bytes = bytes;
		live->charged = batch->block;
		append(live, item);
		batch = NULL;
	} else {
		live->dropped_here += batch->shared.count;
	}
	pthread_mutex_unlock(&live->lock);
	if (batch) {
		rtap_batch_release(&batch->shared);
		free(item);
	}
}

/* A message; its memory counts as well, so that a failing device cannot fill it. */
static void hand_over_error(struct live *live, enum rtap_status status, const struct rtap_error *error)
{
	struct item *item = calloc(1, sizeof *item);

	if (!item)
		return;
	item->status = status;
	item->error = *error;
	item->bytes = sizeof *item;
	pthread_mutex_lock(&live->lock);
	if (status == RTAP_STATUS_FAILED || live->queued_bytes <= live->queue_bytes) {
		append(live, item);
		wake(live, false);
		item = NULL;
	}
	pthread_mutex_unlock(&live->lock);
	free(item);
}

static void end(struct live *live)
{
	pthread_mutex_lock(&live->lock);
	live->ended = true;
	wake(live, false);
	pthread_mutex_unlock(&live->lock);
}

/* Notifies the reader of new entries, if due. */
static void wake_reader(struct live *live, bool at_once)
{
	bool due;

	if (!live->unheard)
		return;
	pthread_mutex_lock(&live->lock);
	due = at_once || (!live->reader_naps && (live->unheard >= WAKE_BATCHES || live->unheard_bytes >= WAKE_BYTES ||
						 now_ns() - live->unheard_ns >= WAKE_NS));
	if (live->unheard && due)
		wake(live, !at_once);
	pthread_mutex_unlock(&live->lock);
}

static bool is_queue_empty(struct live *live)
{
	bool empty;

	pthread_mutex_lock(&live->lock);
	empty = STAILQ_EMPTY(&live->queue);
	pthread_mutex_unlock(&live->lock);
	return empty;
}

static void update_statistics(struct live *live)
{
	struct live_statistics statistics = { .received = { .known = false } };

	if (!live->device->operations->statistics)
		return;
	live->device->operations->statistics(live->device, &statistics);
	pthread_mutex_lock(&live->lock);
	live->statistics = statistics;
	atomic_store(&live->since_statistics, 0);
	pthread_mutex_unlock(&live->lock);
}

/* Removes the frames from `first` on that do not pass. */
static enum rtap_status filter(struct live *live, struct batch *batch, size_t first, struct rtap_error *error)
{
	size_t kept = first;

	for (size_t i = first; i < batch->shared.count; i++) {
		bool match;

		if (rtap_bpf_match(live->bpf, &batch->frames[i], &match, error))
			return RTAP_STATUS_FAILED;
		if (match)
			batch->frames[kept++] = batch->frames[i];
	}
	batch->shared.count = kept;
	return RTAP_STATUS_OK;
}

static void cut(const struct live *live, struct batch *batch, size_t first)
{
	for (size_t i = first; live->snap_length && i < batch->shared.count; i++)
		if (batch->frames[i].captured_length > live->snap_length)
			batch->frames[i].captured_length = live->snap_length;
}

/* State of one iteration of the receive thread. */
struct turn {
	struct batch *batch; /* being filled; NULL: none */
	int64_t statistics_ns; /* when they are due */
	int64_t drain_end_ns;  /* 0: not stopped */
	bool quiet;            /* the last receive returned no frames */
};

/* The latest frame has waited the least. */
static void measure_lag(struct live *live, const struct batch *batch)
{
	struct lag *lag = &live->lag;
	int64_t now = now_ns(), lag_ns;
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	lag_ns = (int64_t)wall.tv_sec * NS_A_SECOND + wall.tv_nsec - batch->frames[batch->shared.count - 1].time_ns;
	if (now - lag->begun_ns >= LAG_NS) {
		lag->before_ns = now - lag->begun_ns < 2 * LAG_NS ? lag->least_ns : INT64_MAX;
		lag->least_ns = INT64_MAX;
		lag->begun_ns = now;
	}
	if (lag_ns < lag->least_ns)
		lag->least_ns = lag_ns;
	atomic_store_explicit(&live->least_lag_ns, lag->least_ns < lag->before_ns ? lag->least_ns : lag->before_ns, memory_order_relaxed);
}

/* Receives once, into turn->batch. */
static enum rtap_status receive_once(struct live *live, struct turn *turn, unsigned timeout_ms, struct rtap_error *error)
{
	size_t before = turn->batch->shared.count;
	enum rtap_status status = live->device->operations->receive(live->device, turn->batch, timeout_ms, error);

	atomic_fetch_add(&live->since_statistics, turn->batch->shared.count - before);
	/* a message comes without frames, but more frames may be waiting */
	if (live->signal && live->device->has_own_clock && turn->batch->shared.count > before)
		measure_lag(live, turn->batch);
	turn->quiet = !status && turn->batch->shared.count == before && !turn->batch->closed;
	if (live->bpf && status != RTAP_STATUS_FAILED && filter(live, turn->batch, before, error))
		return RTAP_STATUS_FAILED;
	cut(live, turn->batch, before);
	if (!turn->batch->counts_only && turn->batch->shared.count == BATCH_FRAMES)
		turn->batch->closed = true;
	return status;
}

static void pass_on(struct live *live, struct turn *turn)
{
	if (!turn->batch)
		return;
	if (turn->batch->shared.count)
		hand_over(live, turn->batch);
	else
		rtap_batch_release(&turn->batch->shared);
	turn->batch = NULL;
}

static unsigned time_out(const struct live *live, const struct turn *turn)
{
	if (turn->drain_end_ns)
		return live->device->drain_ms;
	/* check without waiting whether more have arrived */
	if (live->unheard)
		return 0;
	return turn->batch->shared.count ? HELD_MS : LIVE_TICK_MS;
}

/* One turn. OK: there will be another. */
static enum rtap_status take_turn(struct live *live, struct turn *turn, struct rtap_error *error)
{
	enum rtap_status status;
	int64_t now = now_ns();

	if (!turn->batch)
		turn->batch = batch_get(live->pool);
	if (!turn->batch) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", live->name);
		return RTAP_STATUS_FAILED;
	}
	if (atomic_load(&live->stop) && !turn->drain_end_ns) {
		turn->drain_end_ns = now + DRAIN_MOST_NS;
		if (live->device->operations->stop)
			live->device->operations->stop(live->device);
	}
	status = receive_once(live, turn, time_out(live, turn), error);
	/* while the reader is busy with other batches, this one is filled further; HELD_MS after the last one it is passed on */
	if (turn->batch->closed || (turn->batch->shared.count && is_queue_empty(live)))
		pass_on(live, turn);
	if (status == RTAP_STATUS_BROKEN) {
		pass_on(live, turn);
		hand_over_error(live, status, error);
		status = RTAP_STATUS_OK;
	}
	wake_reader(live, turn->quiet || turn->drain_end_ns);
	if (now >= turn->statistics_ns) {
		update_statistics(live);
		turn->statistics_ns = now + STATISTICS_NS;
	}
	if (!status && turn->drain_end_ns && (turn->quiet || now >= turn->drain_end_ns || atomic_load(&live->abandon)))
		status = RTAP_STATUS_END;
	return status;
}

/* The thread runs all the same. */
static void place_thread(struct live *live)
{
	int result = thread_place(&live->placement);
	struct rtap_error error;

	if (!result)
		return;
	rtap_error_set(&error, error_code_of(result), "%s: the receiving thread cannot be given its processor or priority: %s",
		       live->name, strerror(result));
	hand_over_error(live, RTAP_STATUS_BROKEN, &error);
}

static void *run(void *argument)
{
	struct live *live = argument;
	struct turn turn = { .batch = NULL };
	enum rtap_status status;
	struct rtap_error error;

	place_thread(live);
	do
		status = take_turn(live, &turn, &error);
	while (!status);
	pass_on(live, &turn);
	update_statistics(live);
	if (status == RTAP_STATUS_FAILED)
		hand_over_error(live, status, &error);
	end(live);
	return NULL;
}

static enum rtap_status start(struct live *live, struct rtap_error *error)
{
	int result = thread_start(&live->thread, run, live);

	live->started = !result;
	if (!result)
		return RTAP_STATUS_OK;
	rtap_error_set(error, error_code_of(result), "%s: the receiving thread cannot be started: %s", live->name, strerror(result));
	return RTAP_STATUS_FAILED;
}

/* Under the lock. */
static void report_statistics(const struct live *live, struct rtap_interface *interface)
{
	interface->has_received = live->statistics.received.known;
	/* the device's count is up to a second old; what came since is at least this */
	interface->received = live->statistics.received.value + atomic_load(&live->since_statistics);
	interface->has_dropped = live->statistics.dropped_by_device.known;
	interface->dropped = live->statistics.dropped_by_device.value;
	interface->dropped_by_system = live->statistics.dropped_by_system;
	interface->dropped_here = (struct rtap_count){ true, live->dropped_here };
	interface->queue_used = (struct rtap_count){ true, live->queued_bytes };
	interface->queue_size = (struct rtap_count){ true, live->queue_bytes };
}

static void take_note(void *owner, const char *text)
{
	struct live *live = owner;

	/* Losing a note for lack of memory is harmless. */
	(void)!source_metadata_add_note(live->metadata, live->name, (const uint8_t *)text, strlen(text));
}

/* The receive thread has ended, and with it its use of the device. */
static void take_notes(struct live *live)
{
	if (!live->noted && live->device->operations->notes)
		live->device->operations->notes(live->device, take_note, live);
	live->noted = true;
}

/*
 * Called with the lock held, which it releases meanwhile. While frames arrive continuously, a reader with nothing to do looks again after a
 * nap: waking it would take the receive thread about ten microseconds, and polling would take a processor.
 */
static void nap(struct live *live)
{
	live->reader_naps = true;
	pthread_mutex_unlock(&live->lock);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = live->nap_ns }, NULL);
	pthread_mutex_lock(&live->lock);
	live->reader_naps = false;
}

/* The next item, waiting for it; NULL: none came in time, or none will. */
static struct item *take_item(struct live *live, bool waits, bool *ended)
{
	int64_t wake_ns = now_ns() + (int64_t)live->wake_ms * NS_A_MS;
	const struct timespec wake = { .tv_sec = wake_ns / NS_A_SECOND, .tv_nsec = wake_ns % NS_A_SECOND };
	struct item *item;
	int result = 0;

	pthread_mutex_lock(&live->lock);
	if (waits && STAILQ_EMPTY(&live->queue) && !live->ended && live->streams)
		nap(live);
	live->reader_waits = waits;
	while (waits && STAILQ_EMPTY(&live->queue) && !live->ended && !result)
		result = live->wake_ms ? pthread_cond_timedwait(&live->arrived, &live->lock, &wake) :
			 pthread_cond_wait(&live->arrived, &live->lock);
	live->reader_waits = false;
	item = STAILQ_FIRST(&live->queue);
	*ended = live->ended;
	if (item) {
		STAILQ_REMOVE_HEAD(&live->queue, link);
		live->queued_bytes -= item->bytes;
		live->nap_ns = item->batch && item->batch->counts_only ? COUNTING_NAP_NS : NAP_NS;
	}
	report_statistics(live, source_metadata_interface(live->metadata, live->interface));
	pthread_mutex_unlock(&live->lock);
	return item;
}

void live_read_counts(struct live *live, struct rtap_interface *counts)
{
	pthread_mutex_lock(&live->lock);
	report_statistics(live, counts);
	pthread_mutex_unlock(&live->lock);
}

static void number(struct live *live, struct batch *batch)
{
	if (batch->counts_only || batch->records)
		numbering_count(&live->numbering, batch->shared.count, batch->counted_bytes, batch->counted_cut);
	else
		numbering_take(&live->numbering, &batch->shared, live->metadata->time_digits);
	source_metadata_interface(live->metadata, live->interface)->captured = live->numbering.frames;
	source_metadata_set_counters(live->metadata, &live->numbering);
}

static enum rtap_status read_next(struct live *live, bool waits, struct batch **batch, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct item *item;
	bool ended;

	*batch = NULL;
	if (!live->started && start(live, error))
		return RTAP_STATUS_FAILED;
	item = take_item(live, waits, &ended);
	if (live->device->operations->at_read)
		live->device->operations->at_read(live->device);
	if (!item && ended) {
		take_notes(live);
		return RTAP_STATUS_END;
	}
	if (item) {
		*batch = item->batch;
		if (item->batch)
			number(live, item->batch);
		status = item->status;
		if (status && error)
			*error = item->error;
		free(item);
	}
	return status;
}

enum rtap_status live_read_present(struct live *live, struct batch **batch, struct rtap_error *error)
{
	return read_next(live, false, batch, error);
}

enum rtap_status live_read(struct live *live, struct batch **batch, struct rtap_error *error)
{
	enum rtap_status status = read_next(live, true, batch, error);

	if (status || *batch)
		return status;
	*batch = batch_get(live->pool);
	if (*batch)
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", live->name);
	return RTAP_STATUS_FAILED;
}

void live_set_signal(struct live *live, struct live_signal *signal)
{
	live->signal = signal;
}

uint32_t live_interface(const struct live *live)
{
	return live->interface;
}

const char *live_name(const struct live *live)
{
	return live->name;
}

bool live_lag(struct live *live, int64_t *lag_ns)
{
	*lag_ns = atomic_load_explicit(&live->least_lag_ns, memory_order_relaxed);
	return *lag_ns != INT64_MAX;
}

bool live_is_filled(struct live *live, unsigned part)
{
	bool filled;

	pthread_mutex_lock(&live->lock);
	filled = live->queued_bytes >= live->queue_bytes / part;
	pthread_mutex_unlock(&live->lock);
	return filled;
}

void live_stop(struct live *live)
{
	atomic_store(&live->stop, true);
}

bool live_needs_privileges(const struct live *live)
{
	return live->device->needs_privileges;
}

static void device_close(struct live_device *device)
{
	batch_block_release(device->block);
	device->block = NULL;
	device->operations->close(device);
}

void live_close(struct live *live)
{
	struct item *item;

	if (!live)
		return;
	atomic_store(&live->abandon, true);
	atomic_store(&live->stop, true);
	if (live->started)
		pthread_join(live->thread, NULL);
	while ((item = STAILQ_FIRST(&live->queue))) {
		STAILQ_REMOVE_HEAD(&live->queue, link);
		item_free(item);
	}
	device_close(live->device);
	rtap_bpf_close(live->bpf);
	pthread_cond_destroy(&live->arrived);
	pthread_mutex_destroy(&live->lock);
	free(live->name);
	free(live);
}

/* Fails now if the filter has no meaning on the device's link type, rather than at its first frame. */
static enum rtap_status compile_filter(struct live *live, const char *text, struct rtap_error *error)
{
	const struct rtap_frame empty = { .bytes = (const uint8_t *)"", .link_type = live->device->interface.link_type };
	enum rtap_status status;
	bool match;

	if (!text || live->device->filters)
		return RTAP_STATUS_OK;
	status = rtap_bpf_open(&live->bpf, text, error);
	return status ? status : rtap_bpf_match(live->bpf, &empty, &match, error);
}

static bool init_wait(struct live *live)
{
	pthread_condattr_t attributes;
	bool done;

	if (pthread_condattr_init(&attributes))
		return false;
	done = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) && !pthread_cond_init(&live->arrived, &attributes);
	pthread_condattr_destroy(&attributes);
	if (done && pthread_mutex_init(&live->lock, NULL)) {
		pthread_cond_destroy(&live->arrived);
		done = false;
	}
	return done;
}

enum rtap_status live_run(struct live **live, struct live_device *device, const char *name, const struct rtap_live_options *options,
			  struct batch_pool *pool, struct source_metadata *metadata, struct rtap_error *error)
{
	struct live *opened = calloc(1, sizeof *opened);

	*live = NULL;
	if (!opened || !init_wait(opened)) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		device_close(device);
		free(opened);
		return RTAP_STATUS_FAILED;
	}
	opened->device = device;
	opened->pool = pool;
	opened->metadata = metadata;
	STAILQ_INIT(&opened->queue);
	atomic_init(&opened->least_lag_ns, INT64_MAX);
	opened->wake_ms = options->wake_ms;
	opened->queue_bytes = options->queue_bytes ? options->queue_bytes : live_buffer_bytes(device->interface.bits_per_second);
	opened->placement = (struct thread_placement){ options->has_cpus, options->first_cpu, options->last_cpu, options->priority };
	opened->name = strdup(name);
	if (!opened->name) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		goto failed;
	}
	device->interface.file = opened->name;
	if (options->capture_filter && options->snap_length && !device->filters) {
		device->interface.snap_length = options->snap_length;
		opened->snap_length = options->snap_length;
	}
	if (!source_metadata_add_interface(metadata, &device->interface, &opened->interface)) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		goto failed;
	}
	if (compile_filter(opened, options->capture_filter, error))
		goto failed;
	*live = opened;
	return RTAP_STATUS_OK;
failed:
	live_close(opened);
	return RTAP_STATUS_FAILED;
}

/* Whether options of raw-packet queue pairs are set: other kinds would silently ignore them and capture everything. */
static bool is_verbs_asked(const struct rtap_verbs_options *verbs)
{
	return verbs->force || verbs->flow_type || verbs->flow_rule_count || verbs->flow_priority || verbs->flow_dont_trap ||
	       verbs->flow_offload || verbs->peer || verbs->group || verbs->tuning;
}

/* Checks the filter before the device is opened, so that errors have one form for all devices. */
static enum rtap_status check_filter(const char *text, struct rtap_error *error)
{
	struct rtap_bpf *bpf;
	enum rtap_status status = rtap_bpf_open(&bpf, text, error);

	rtap_bpf_close(bpf);
	return status;
}

enum rtap_status live_open(struct live **live, const char *name, const struct rtap_live_options *options, struct batch_pool *pool,
			   struct source_metadata *metadata, struct rtap_error *error)
{
	struct rtap_live_options device_options = *options;
	const struct live_kind *kind;
	struct live_device *device;
	enum rtap_status status;
	const char *rest;
	char *full;

	*live = NULL;
	if (live_find(name, &kind, &rest, error))
		return RTAP_STATUS_FAILED;
	if (kind != &live_verbs && is_verbs_asked(options->verbs)) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "%s: is of kind %s, and flow rules, peer, group, force and tuning are for RDMA devices (-i verbs:DEVICE)",
			       name, kind->name);
		return RTAP_STATUS_FAILED;
	}
	if (options->capture_filter && check_filter(options->capture_filter, error))
		return RTAP_STATUS_FAILED;
	/* A filter applied here sees whole frames. */
	if (options->capture_filter && kind != &live_pcap)
		device_options.snap_length = 0;
	if (kind->open(&device, rest, &device_options, error))
		return RTAP_STATUS_FAILED;
	if (asprintf(&full, "%s:%s", kind->name, *rest ? rest : device->interface.name) < 0) {
		device_close(device);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	status = live_run(live, device, full, options, pool, metadata, error);
	free(full);
	return status;
}
