/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/array.h"
#include "capture/worker_pool.h"
#include "cli/pipeline.h"
#include "dissect/engine/packet_snapshot.h"
#include "output/packet/printer.h"
#include "reassembly/tracker.h"

#define FIRST_ROOM (256u << 10)
#define CACHE_LINE 64
#define FRAMES_AHEAD 4     /* prefetch distance in frames: headers of a frame, */
#define FURTHER_AHEAD 12   /* the frame's descriptor, which holds their address, */
#define MOST_FETCHED 2048  /* bytes of a segment that the state will need; */
#define RECORDS_AHEAD 512  /* prefetch distance in bytes: records to be written, about the size of one, */
#define SNAPSHOT_AHEAD 1024  /* and dissected packets, about the size of one, 320 bytes */
/*
 * Memory of queued records of one batch, and of a thread's formatted output: a share of the memory limit. Beyond it, the records are
 * processed and the output is written before more is added.
 */
#define ROOM_SHARE 64
#define MAX_ROOM (4u << 20)

/*
 * With one thread: frames that are dissected one after the other, and whose packets are formatted one after the other. The code of dissection,
 * state and output does not fit into the instruction cache together.
 */
#define GROUP 32

/* For an address that may be past the end of an object, where pointer arithmetic is undefined. */
#define FETCH(start, offset) __builtin_prefetch((const void *)((uintptr_t)(start) + (offset)))

/* Consecutive records. */
struct records {
	SLIST_ENTRY(records) link; /* in the list of spare ones */
	uint8_t *bytes;
	size_t used, room;
};

/* A record of the output. */
struct record {
	enum {
		PACKET,      /* a packet snapshot */
		PACKET_TEXT, /* already formatted text */
		TEXT,        /* other text, already formatted */
		LATER,       /* for `write` */
	} kind;
	uint32_t length;     /* of the data that follow; rounded up to 8 in memory */
	union {
		size_t frame; /* packets: index in the batch */
		void (*write)(const void *what, struct line *line);
	};
};

static size_t rounded(size_t length)
{
	return (length + 7) & ~(size_t)7;
}

/* Data of a batch besides its frames; NULL: none. */
struct work {
	struct records *dissected; /* one packet per frame, in order */
	struct records *shown;     /* each a struct record with its data */
	bool shown_before;        /* a packet was printed before this batch, */
	int64_t before_ns;        /* at this time */
};

/* Equal members of all packets must not compete for the same lines of the data cache. */
struct slot {
	struct rtap_packet packet;
	uint8_t apart[CACHE_LINE];
};

/* Output state of a thread. */
struct formatter {
	struct pipeline *pipeline;
	struct printer *printer;
	struct format *format;
	const struct worker_pool_batch *batch; /* being written */
	struct printer own;
};

struct pipeline {
	struct pipeline_options options;
	bool defers;                    /* output is formatted by any thread, after its batch was taken */
	struct worker_pool *pool;
	struct worker_pool_batch *batch;       /* current */
	uint64_t read_bytes, total_bytes; /* of the source, */
	struct rtap_source_counters counters; /* up to the current batch */
	const struct rtap_frame *frames_end; /* of it */
	uint8_t *snapshot;              /* dissected packet of the next frame; NULL: not prepared */
	struct slot group[GROUP];       /* packets of the next frames */
	unsigned dissected, taken;      /* of the group */
	const struct rtap_packet *shown[GROUP]; /* packets of the group that are to be printed */
	unsigned shown_count;
	bool has_shown;
	int64_t shown_ns;               /* time of the last packet printed */
	size_t most_room;               /* bytes of records of a batch */
	atomic_int error;               /* errno of the first failed write */
	pthread_mutex_t lock;           /* protects the members below */
	SLIST_HEAD(, records) spare;    /* last used first: it is in a cache, and no more are touched than needed */
	struct formatter formatters[PIPELINE_THREADS]; /* the first belongs to the thread that owns the state */
};

unsigned pipeline_threads(unsigned allowed)
{
	return allowed < PIPELINE_THREADS ? allowed : PIPELINE_THREADS;
}

bool pipeline_defers(const struct pipeline *pipeline)
{
	return pipeline->defers;
}

/* Makes room for `length` more bytes. */
static bool reserve(struct records *records, size_t length)
{
	size_t wanted = records->used + length;
	uint8_t *bytes;

	if (records->room >= wanted)
		return true;
	bytes = array_grow(records->bytes, &records->room, wanted > FIRST_ROOM ? wanted : FIRST_ROOM, 1);
	if (bytes)
		records->bytes = bytes;
	return bytes;
}

static struct work *work_of(struct worker_pool_batch *batch)
{
	if (!batch->work)
		batch->work = calloc(1, sizeof(struct work));
	return batch->work;
}

/* An empty one. NULL: out of memory. */
static struct records *take_records(struct pipeline *pipeline)
{
	struct records *records;

	pthread_mutex_lock(&pipeline->lock);
	records = SLIST_FIRST(&pipeline->spare);
	if (records)
		SLIST_REMOVE_HEAD(&pipeline->spare, link);
	pthread_mutex_unlock(&pipeline->lock);
	if (!records)
		records = calloc(1, sizeof *records);
	if (records)
		records->used = 0;
	return records;
}

static void give_records(struct pipeline *pipeline, struct records **records)
{
	struct records *spare = *records;

	*records = NULL;
	if (!spare)
		return;
	pthread_mutex_lock(&pipeline->lock);
	SLIST_INSERT_HEAD(&pipeline->spare, spare, link);
	pthread_mutex_unlock(&pipeline->lock);
}

static void dispose(void *owner, void *done)
{
	struct work *work = done;

	give_records(owner, &work->dissected);
	give_records(owner, &work->shown);
	free(work);
}

static void read_batch(void *owner, struct worker_pool_batch *batch)
{
	struct pipeline *pipeline = owner;
	uint64_t total;

	batch->status = rtap_source_read_batch(pipeline->options.source, &batch->batch, &batch->error);
	rtap_source_counters(pipeline->options.source, &batch->counters, sizeof batch->counters);
	rtap_source_progress(pipeline->options.source, &batch->read_bytes, &total);
}

static void cut_frame(const struct pipeline *pipeline, struct rtap_frame *frame)
{
	uint32_t snap_length = pipeline->options.snap_length;

	if (snap_length && frame->captured_length > snap_length)
		frame->captured_length = snap_length;
}

/* False: out of memory; the frames are dissected when they are taken. */
static bool dissect_batch(void *owner, struct worker_pool_batch *batch)
{
	struct pipeline *pipeline = owner;
	struct work *work = work_of(batch);
	struct records *dissected = work ? take_records(pipeline) : NULL;
	struct rtap_packet packet;

	if (!dissected)
		return false;
	work->dissected = dissected;
	for (size_t i = 0; i < batch->batch->count; i++) {
		struct rtap_frame *frame = &batch->batch->frames[i];

		cut_frame(pipeline, frame);
		if (!reserve(dissected, SNAPSHOT_SIZE))
			return false;
		tracker_dissect_ahead(pipeline->options.tracker, frame, &packet);
		dissected->used += packet_snapshot_take(&packet, dissected->bytes + dissected->used);
	}
	return true;
}

/* 0, or the -errno of the first failed write. */
static int pipeline_error(const struct pipeline *pipeline)
{
	return -atomic_load(&pipeline->error);
}

/* Called before a formatter writes: earlier output must be written first, and nothing is written after a failed write. */
static int take_turn(void *owner)
{
	struct formatter *formatter = owner;

	worker_pool_wait_turn(formatter->pipeline->pool, formatter->batch);
	return pipeline_error(formatter->pipeline);
}

static bool has_to_wait(void *owner)
{
	struct formatter *formatter = owner;

	return !worker_pool_has_turn(formatter->pipeline->pool, formatter->batch);
}

static void note_error(struct pipeline *pipeline, int result)
{
	int none = 0;

	if (result)
		atomic_compare_exchange_strong(&pipeline->error, &none, -result);
}

static int write_record(struct formatter *formatter, const struct record *record, uint8_t *bytes)
{
	struct rtap_packet packet;

	switch (record->kind) {
	case PACKET:
		packet_snapshot_restore(bytes, &formatter->batch->batch->frames[record->frame], &packet);
		return printer_packet(formatter->printer, formatter->format, &packet);
	case PACKET_TEXT:
		if (formatter->format->shown)
			formatter->format->shown(formatter->format, formatter->batch->batch->frames[record->frame].time_ns);
		break;
	case TEXT:
		break;
	case LATER:
		return printer_write(formatter->printer, record->write, bytes);
	}
	return printer_text(formatter->printer, (const char *)bytes, record->length);
}

/* Formats the records of a batch. */
static void write_batch(void *owner, struct worker_pool_batch *batch, unsigned worker)
{
	struct pipeline *pipeline = owner;
	struct formatter *formatter = &pipeline->formatters[worker];
	struct work *work = batch->work;
	struct records *shown = work ? work->shown : NULL;
	int result = 0;

	if (!shown)
		return;
	formatter->batch = batch;
	if (formatter->format && work->shown_before && formatter->format->shown)
		formatter->format->shown(formatter->format, work->before_ns);
	for (size_t at = 0; at < shown->used && !result;) {
		struct record record;

		memcpy(&record, shown->bytes + at, sizeof record);
		at += sizeof record;
		result = write_record(formatter, &record, shown->bytes + at);
		at += rounded(record.length);
	}
	if (!result)
		result = printer_flush(formatter->printer);
	note_error(pipeline, result);
	give_records(pipeline, &work->shown);
}

static bool open_formatters(struct pipeline *pipeline)
{
	for (unsigned i = 0; pipeline->defers && i < pipeline->options.threads; i++) {
		struct formatter *formatter = &pipeline->formatters[i];

		*formatter = (struct formatter){ .pipeline = pipeline, .printer = &formatter->own };
		if (pipeline->options.formats)
			formatter->format = pipeline->options.formats[i];
		if (printer_init(&formatter->own, pipeline->options.printer->fd, pipeline->options.printer->every_packet))
			return false;
		formatter->own.before = take_turn;
		formatter->own.waits = has_to_wait;
		formatter->own.most_kept = pipeline->most_room;
		formatter->own.owner = formatter;
	}
	return true;
}

struct pipeline *pipeline_open(const struct pipeline_options *options)
{
	struct pipeline *pipeline = calloc(1, sizeof *pipeline);
	struct worker_pool_stages stages = { .owner = pipeline, .read = read_batch, .finish = write_batch, .dispose = dispose };

	if (!pipeline)
		return NULL;
	if (pthread_mutex_init(&pipeline->lock, NULL)) {
		free(pipeline);
		return NULL;
	}
	pipeline->options = *options;
	pipeline->defers = options->threads > 1;
	pipeline->most_room = MAX_ROOM;
	if (options->max_memory && options->max_memory / ROOM_SHARE < MAX_ROOM)
		pipeline->most_room = (size_t)(options->max_memory / ROOM_SHARE);
	rtap_source_progress(options->source, &pipeline->read_bytes, &pipeline->total_bytes);
	atomic_init(&pipeline->error, 0);
	if (pipeline->defers && options->tracker && options->ahead)
		stages.prepare = dissect_batch;
	/* earlier output must come first */
	if (pipeline->defers)
		note_error(pipeline, printer_flush(options->printer));
	if (open_formatters(pipeline))
		pipeline->pool = worker_pool_open(&stages, options->threads);
	if (pipeline->pool)
		return pipeline;
	pipeline_close(pipeline);
	return NULL;
}

enum rtap_status pipeline_read(struct pipeline *pipeline, struct rtap_batch **batch, struct rtap_error *error)
{
	struct worker_pool_batch *taken = worker_pool_take(pipeline->pool);

	pipeline->batch = taken;
	pipeline->read_bytes = taken->read_bytes;
	pipeline->counters = taken->counters;
	pipeline->snapshot = NULL;
	pipeline->dissected = pipeline->taken = 0;
	*batch = taken->batch;
	if (taken->status != RTAP_STATUS_OK) {
		*error = taken->error;
		return taken->status;
	}
	pipeline->frames_end = taken->batch->frames + taken->batch->count;
	if (taken->prepared)
		pipeline->snapshot = ((struct work *)taken->work)->dissected->bytes;
	return RTAP_STATUS_OK;
}

/* Prints the packets that pipeline_show() has kept. */
static void print_shown(struct pipeline *pipeline)
{
	for (unsigned i = 0; i < pipeline->shown_count && !pipeline_error(pipeline); i++)
		note_error(pipeline, printer_packet(pipeline->options.printer, pipeline->options.formats[0], pipeline->shown[i]));
	pipeline->shown_count = 0;
}

int pipeline_batch_done(struct pipeline *pipeline)
{
	struct work *work = pipeline->batch->work;

	print_shown(pipeline);
	if (work)
		give_records(pipeline, &work->dissected);
	worker_pool_give(pipeline->pool, pipeline->batch);
	pipeline->batch = NULL;
	return pipeline_error(pipeline);
}

static __attribute__((noinline)) void restore_next(struct pipeline *pipeline, const struct rtap_frame *frame, struct rtap_packet *packet)
{
	size_t left = (uintptr_t)pipeline->frames_end - (uintptr_t)frame; /* bytes */
	uint8_t *snapshot = pipeline->snapshot;

	/*
	 * Another thread has read and dissected the frame, so the data are in its cache: prefetch them while earlier frames are processed.
	 * Written out here because gcc removes a function or a loop that contains nothing but prefetches.
	 */
	FETCH(snapshot, SNAPSHOT_AHEAD);
	FETCH(snapshot, SNAPSHOT_AHEAD + CACHE_LINE);
	FETCH(snapshot, SNAPSHOT_AHEAD + 2 * CACHE_LINE);
	FETCH(snapshot, SNAPSHOT_AHEAD + 3 * CACHE_LINE);
	FETCH(snapshot, SNAPSHOT_AHEAD + 4 * CACHE_LINE);
	if (left > FURTHER_AHEAD * sizeof *frame)
		__builtin_prefetch(frame + FURTHER_AHEAD);
	if (left > FRAMES_AHEAD * sizeof *frame) {
		FETCH(frame[FRAMES_AHEAD].bytes, 0);
		FETCH(frame[FRAMES_AHEAD].bytes, CACHE_LINE);
		FETCH(frame[FRAMES_AHEAD].bytes, 2 * CACHE_LINE);
	}
	pipeline->snapshot += packet_snapshot_restore(snapshot, frame, packet);
	if (packet->tcp.present && !packet->fpdus.count)
		for (uint32_t at = 3 * CACHE_LINE; at < frame->captured_length && at < MOST_FETCHED; at += CACHE_LINE)
			__builtin_prefetch(frame->bytes + at);
}

/* Dissects the frame and some that follow it in the batch. */
static void dissect_group(struct pipeline *pipeline, struct rtap_frame *frame)
{
	size_t left = (size_t)(pipeline->frames_end - frame), count = pipeline->options.ahead ? GROUP : 1;

	print_shown(pipeline);
	pipeline->taken = 0;
	pipeline->dissected = (unsigned)(left < count ? left : count);
	for (unsigned i = 0; i < pipeline->dissected; i++) {
		cut_frame(pipeline, &frame[i]);
		tracker_dissect(pipeline->options.tracker, &frame[i], &pipeline->group[i].packet);
	}
}

struct rtap_packet *pipeline_dissect(struct pipeline *pipeline, struct rtap_frame *frame)
{
	if (pipeline->snapshot) {
		restore_next(pipeline, frame, &pipeline->group[0].packet);
		return &pipeline->group[0].packet;
	}
	if (pipeline->taken == pipeline->dissected)
		dissect_group(pipeline, frame);
	return &pipeline->group[pipeline->taken++].packet;
}

/* Appends a record with room for `length` bytes of data. NULL: out of memory. */
static uint8_t *add_record(struct records *shown, const struct record *record, size_t length)
{
	uint8_t *place;

	if (!reserve(shown, sizeof *record + rounded(length)))
		return NULL;
	place = shown->bytes + shown->used;
	/* the memory is in the cache of the thread that used it before */
	for (size_t at = RECORDS_AHEAD; at < 2 * RECORDS_AHEAD && at < shown->room - shown->used; at += CACHE_LINE)
		__builtin_prefetch(place + at, 1);
	memcpy(place, record, sizeof *record);
	return place + sizeof *record;
}

/* Sets the final length of the last record. */
static void end_record(struct records *shown, uint32_t length)
{
	memcpy(shown->bytes + shown->used + offsetof(struct record, length), &length, sizeof length);
	shown->used += sizeof(struct record) + rounded(length);
}

/* Returns when all output queued so far has been written. */
static void drain(struct pipeline *pipeline)
{
	worker_pool_drain(pipeline->pool);
	if (pipeline->batch && pipeline->batch->status == RTAP_STATUS_OK)
		write_batch(pipeline, pipeline->batch, 0);
}

/* Written by the thread's own printer after all earlier output. */
static void write_at_once(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), const void *what)
{
	struct formatter *formatter = &pipeline->formatters[0];
	int result;

	drain(pipeline);
	formatter->batch = pipeline->batch;
	result = printer_write(formatter->printer, write, what);
	note_error(pipeline, result ? result : printer_flush(formatter->printer));
}

/* The records of the current batch, or NULL. */
static struct records *records_to_fill(struct pipeline *pipeline)
{
	struct work *work = work_of(pipeline->batch);

	if (!work)
		return NULL;
	if (work->shown && work->shown->used > pipeline->most_room)
		drain(pipeline);
	if (!work->shown)
		work->shown = take_records(pipeline);
	if (work->shown && !work->shown->used) {
		work->shown_before = pipeline->has_shown;
		work->before_ns = pipeline->shown_ns;
	}
	return work->shown;
}

static void write_text(struct pipeline *pipeline, const struct record *record, void (*write)(const void *what, struct line *line),
		       const void *what)
{
	struct records *shown = records_to_fill(pipeline);

	for (size_t room = 4096; shown && room <= pipeline->most_room; room *= 2) {
		uint8_t *place = add_record(shown, record, room);
		struct line line;

		if (!place)
			break;
		line_init(&line, (char *)place, room);
		write(what, &line);
		if (!line.cut) {
			end_record(shown, (uint32_t)(line.next - (char *)place));
			return;
		}
	}
	write_at_once(pipeline, write, what);
}

int pipeline_write(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), const void *what)
{
	if (!pipeline->defers) {
		print_shown(pipeline);
		note_error(pipeline, printer_write(pipeline->options.printer, write, what));
		return pipeline_error(pipeline);
	}
	write_text(pipeline, &(struct record){ .kind = TEXT }, write, what);
	return pipeline_error(pipeline);
}

void *pipeline_write_later(struct pipeline *pipeline, void (*write)(const void *what, struct line *line), size_t size)
{
	struct records *shown = pipeline->defers ? records_to_fill(pipeline) : NULL;
	uint8_t *place = NULL;

	if (shown && size <= pipeline->most_room)
		place = add_record(shown, &(struct record){ .kind = LATER, .write = write }, size);
	if (place)
		end_record(shown, (uint32_t)size);
	return place;
}

/* A packet and its format. */
struct shown_packet {
	struct format *format;
	const struct rtap_packet *packet;
};

static void write_packet(const void *what, struct line *line)
{
	const struct shown_packet *shown = what;

	shown->format->packet(shown->format, shown->packet, line);
}

static void show_later(struct pipeline *pipeline, const struct rtap_packet *packet)
{
	struct format *format = pipeline->options.formats[pipeline->options.threads];
	struct record record = { .kind = PACKET, .frame = (size_t)(packet->frame - pipeline->batch->batch->frames) };
	size_t size = packet_snapshot_size(packet);
	struct records *shown = size ? records_to_fill(pipeline) : NULL;
	uint8_t *place = shown ? add_record(shown, &record, size) : NULL;

	if (place) {
		end_record(shown, (uint32_t)packet_snapshot_take(packet, place));
	} else {
		record.kind = PACKET_TEXT;
		if (pipeline->has_shown && format->shown)
			format->shown(format, pipeline->shown_ns);
		write_text(pipeline, &record, write_packet, &(struct shown_packet){ format, packet });
	}
	pipeline->has_shown = true;
	pipeline->shown_ns = packet->frame->time_ns;
}

int pipeline_show(struct pipeline *pipeline, const struct rtap_packet *packet)
{
	if (pipeline->defers) {
		show_later(pipeline, packet);
		return pipeline_error(pipeline);
	}
	pipeline->shown[pipeline->shown_count++] = packet;
	/* what it borrows from the state lasts until the next frame */
	if (packet_borrows(packet))
		print_shown(pipeline);
	return pipeline_error(pipeline);
}

int pipeline_sync(struct pipeline *pipeline)
{
	if (!pipeline)
		return 0;
	if (!pipeline->defers) {
		print_shown(pipeline);
		note_error(pipeline, printer_flush(pipeline->options.printer));
		return pipeline_error(pipeline);
	}
	drain(pipeline);
	return pipeline_error(pipeline);
}

void pipeline_end(struct pipeline *pipeline)
{
	if (pipeline_sync(pipeline) && pipeline->defers)
		pipeline->options.printer->error = atomic_load(&pipeline->error);
	worker_pool_close(pipeline->pool);
	pipeline->pool = NULL;
	pipeline->batch = NULL;
	pipeline->defers = false;
}

struct rtap_source_counters pipeline_progress(const struct pipeline *pipeline, uint64_t *read_bytes, uint64_t *total_bytes)
{
	*read_bytes = pipeline->read_bytes;
	*total_bytes = pipeline->total_bytes;
	return pipeline->counters;
}

void pipeline_close(struct pipeline *pipeline)
{
	struct records *spare;

	if (!pipeline)
		return;
	worker_pool_close(pipeline->pool);
	for (unsigned i = 0; i < pipeline->options.threads; i++)
		printer_fini(&pipeline->formatters[i].own);
	while ((spare = SLIST_FIRST(&pipeline->spare))) {
		SLIST_REMOVE_HEAD(&pipeline->spare, link);
		free(spare->bytes);
		free(spare);
	}
	pthread_mutex_destroy(&pipeline->lock);
	free(pipeline);
}
