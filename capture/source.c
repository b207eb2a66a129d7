/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/heap.h"
#include "base/struct_size.h"
#include "capture/batch.h"
#include "capture/capture_points.h"
#include "capture/worker_pool.h"
#include "capture/file/file.h"
#include "capture/file/pcapng.h"
#include "capture/kept_blocks.h"
#include "capture/source_metadata.h"
#include "capture/live.h"
#include "capture/live/live_merge.h"
#include "capture/live/live_queue.h"
#include "capture/source.h"
#include "capture/file/stream.h"
#include "capture/tick.h"

#define BLOCK_SIZE (512 * 1024)
#define BLOCK_SIZE_OF_MANY (128 * 1024) /* memory grows with the number of files */
#define MANY 8

/* One of the files of a source. */
struct input {
	char *name;           /* as messages have it; interfaces borrow it */
	struct file *file;    /* NULL: at its end */
	struct batch *batch;  /* read ahead for merging; NULL: none */
	size_t next;          /* frame in it */
	bool kept;            /* the batch being merged holds it */
	struct source_clock clock;
	bool is_regular;      /* a file, whose name says something about it */
	uint32_t interfaces;  /* merging: known so far */
	uint64_t frames;      /* read so far, if its clock is corrected */
	size_t piece;         /* of its clock, of the last of them */
	int64_t last_ns;      /* corrected time of that */
	uint64_t delivered;   /* merging: frames delivered */
	int64_t head_ns;      /* merging: the latest time of all of the file's frames up to `next` */
	const struct source_parts *parts; /* NULL: all of the file */
	struct source_parts_place place;
};

/* An interface of one of the files. */
struct merged_interface {
	uint32_t input, index;  /* index: of the interface in the file */
	uint16_t point;         /* if it has begun */
	bool has_begun;         /* a frame of it was delivered */
};

struct rtap_source {
	struct batch_pool *pool;
	struct source_metadata metadata;
	struct live *live;          /* NULL: files, or several devices */
	struct live_merge *lives;   /* several devices; NULL: none */
	const struct source_feed *feed; /* NULL: none */
	struct input *inputs;
	size_t count;
	struct merged_interface *interfaces; /* merging: of the files, by number */
	size_t interface_count, interface_room;
	struct capture_points points; /* merging */
	struct heap heads;          /* merging: inputs that have a frame, the earliest first */
	uint64_t bytes_read_before; /* of inputs that are closed */
	uint64_t bytes_total;       /* 0: not known */
	struct numbering numbering; /* of files */
	struct worker_pool *read_ahead; /* NULL: no reading ahead */
	uint64_t ahead_read;        /* bytes read for the batch taken last */
	bool stopped;
	bool has_ended;             /* source_set_ended() */
	struct rtap_batch *batch;   /* whose frames rtap_source_read_frame() returns; NULL: none */
	size_t next_frame;
};

static enum rtap_status out_of_memory(struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
	return RTAP_STATUS_FAILED;
}

static bool has_earlier_head(const void *one, const void *other)
{
	const struct input *a = one, *b = other;

	return a->head_ns != b->head_ns ? a->head_ns < b->head_ns : a < b;
}

static enum rtap_status source_create(struct rtap_source **source, size_t count, size_t block_size, struct rtap_error *error)
{
	struct rtap_source *created = calloc(1, sizeof *created);

	*source = NULL;
	if (!created)
		return out_of_memory(error);
	if (!block_size)
		block_size = count > MANY ? BLOCK_SIZE_OF_MANY : BLOCK_SIZE;
	created->pool = batch_pool_create(block_size);
	created->inputs = calloc(count ? count : 1, sizeof *created->inputs);
	created->heads.before = has_earlier_head;
	if (!created->pool || !created->inputs) {
		rtap_source_close(created);
		return out_of_memory(error);
	}
	*source = created;
	return RTAP_STATUS_OK;
}

/* Opens the next input on the stream, and takes ownership of the stream. */
static enum rtap_status add_input(struct rtap_source *source, const char *name, struct stream *stream, struct rtap_error *error)
{
	struct input *input = &source->inputs[source->count++];
	uint64_t total = stream_bytes_total(stream);

	if (source->count == 1)
		source->bytes_total = total;
	else if (source->bytes_total)
		source->bytes_total = total ? source->bytes_total + total : 0;
	input->is_regular = total || input->parts;
	input->head_ns = INT64_MIN;
	input->name = strdup(name);
	if (!input->name) {
		stream_close(stream);
		return out_of_memory(error);
	}
	return file_open(&input->file, input->name, stream, source->pool, &source->metadata, error);
}

/* parts NULL: all of it. */
static enum rtap_status add_named(struct rtap_source *source, const char *name, const struct source_parts *parts, struct rtap_error *error)
{
	const char *shown = strcmp(name, "-") ? name : "standard input";
	struct rtap_error reason;
	struct stream *stream;

	source->inputs[source->count].parts = parts;
	if (parts ? stream_open_spans(&stream, &parts->stream, &reason) : stream_open(&stream, name, &reason)) {
		rtap_error_set(error, reason.code, "%s: %s", shown, reason.text);
		return RTAP_STATUS_FAILED;
	}
	return add_input(source, shown, stream, error);
}

static enum rtap_status refuse_twice(const char *const *names, size_t count, struct rtap_error *error)
{
	size_t times = 0;

	for (size_t i = 0; i < count; i++)
		times += !strcmp(names[i], "-");
	if (times < 2)
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_INVALID, "standard input can be read only once (name - once)");
	return RTAP_STATUS_FAILED;
}

enum rtap_status rtap_source_open_files(struct rtap_source **source, const char *const *names, size_t count,
					struct rtap_error *error)
{
	return source_open_parts(source, names, NULL, count, error);
}

enum rtap_status source_open_parts(struct rtap_source **source, const char *const *names,
				   const struct source_parts *const *parts, size_t count, struct rtap_error *error)
{
	enum rtap_status status;

	*source = NULL;
	status = refuse_twice(names, count, error);
	if (status)
		return status;
	status = source_create(source, count, 0, error);
	for (size_t i = 0; i < count && !status; i++)
		status = add_named(*source, names[i], parts ? parts[i] : NULL, error);
	if (status) {
		rtap_source_close(*source);
		*source = NULL;
	}
	return status;
}

enum rtap_status source_open_fed(struct rtap_source **source, const struct source_feed *feed, const char *const *names, size_t count,
				 struct rtap_error *error)
{
	enum rtap_status status = source_create(source, count, 0, error);

	if (status)
		return status;
	(*source)->feed = feed;
	for (size_t i = 0; i < count; i++, (*source)->count++)
		if (!((*source)->inputs[i].name = strdup(names[i]))) {
			rtap_source_close(*source);
			*source = NULL;
			return out_of_memory(error);
		}
	return RTAP_STATUS_OK;
}

enum rtap_status rtap_source_open_lives(struct rtap_source **source, const char *const *names, size_t count,
					const struct rtap_live_options *given, struct rtap_error *error)
{
	struct rtap_verbs_options verbs;
	struct rtap_live_options options;
	enum rtap_status status = struct_size_take(&options, sizeof options, given, error);

	*source = NULL;
	if (!status)
		status = struct_size_take(&verbs, sizeof verbs, options.verbs, error);
	options.verbs = &verbs;
	if (!status)
		status = source_create(source, 0, 0, error);
	if (!status && count == 1)
		status = live_open(&(*source)->live, names[0], &options, (*source)->pool, &(*source)->metadata, error);
	else if (!status)
		status = live_merge_open(&(*source)->lives, names, count, &options, (*source)->pool, &(*source)->metadata, error);
	if (status) {
		rtap_source_close(*source);
		*source = NULL;
	}
	return status;
}

enum rtap_status rtap_source_open_live(struct rtap_source **source, const char *name, const struct rtap_live_options *options,
				       struct rtap_error *error)
{
	return rtap_source_open_lives(source, &name, 1, options, error);
}

static bool is_live(const struct rtap_source *source)
{
	return source->live || source->lives;
}

bool rtap_source_needs_privileges(const struct rtap_source *source)
{
	return source->lives ? live_merge_needs_privileges(source->lives) : source->live && live_needs_privileges(source->live);
}

enum rtap_status source_open_memory(struct rtap_source **source, const struct rtap_span *files, size_t count,
				    size_t block_size, size_t step, struct rtap_error *error)
{
	enum rtap_status status = source_create(source, count, block_size, error);

	for (size_t i = 0; i < count && !status; i++) {
		char name[32];
		struct stream *stream;

		snprintf(name, sizeof name, "memory %zu", i + 1);
		status = stream_open_memory(&stream, files[i].bytes, files[i].length, step, error);
		if (!status)
			status = add_input(*source, name, stream, error);
	}
	if (status) {
		rtap_source_close(*source);
		*source = NULL;
	}
	return status;
}

/* Publishes the blocks that precede the frame of the file after the first `frames`; `before`: frames of the source before them. */
static void publish_kept(struct rtap_source *source, struct input *input, uint64_t frames, uint64_t before)
{
	struct kept_block *kept;

	while ((kept = file_take_kept(input->file, frames))) {
		if (source->count > 1)
			kept->before = before;
		/* several files share a section, which has begun */
		if (kept->type == PCAPNG_SECTION && kept->length && source->count > 1 && input->delivered)
			source->metadata.kept.left_out++;
		kept_blocks_append(&source->metadata.kept, kept);
	}
}

/*
 * Reads frames of one input. END: it has no more and is closed. BROKEN as rtap_source_read_batch(). OK with *batch
 * NULL: a signal interrupted the wait.
 */
static enum rtap_status read_input(struct rtap_source *source, struct input *input, struct batch **batch,
				   struct rtap_error *error)
{
	struct batch *filled = batch_get(source->pool);
	enum rtap_status status;

	*batch = NULL;
	if (!filled)
		return out_of_memory(error);
	status = file_read(input->file, filled, error);
	if (!status && filled->shared.count) {
		if (source->count == 1)
			publish_kept(source, input, UINT64_MAX, 0);
		*batch = filled;
		return RTAP_STATUS_OK;
	}
	rtap_batch_release(&filled->shared);
	if (status == RTAP_STATUS_END) {
		publish_kept(source, input, UINT64_MAX, source->numbering.frames);
		source->bytes_read_before += stream_bytes_read(input->file->stream);
		file_close(input->file);
		input->file = NULL;
	}
	return status;
}

void source_set_clock(struct rtap_source *source, size_t file, const struct source_clock *clock)
{
	source->inputs[file].clock = *clock;
}

size_t source_file_count(const struct rtap_source *source)
{
	return source->count;
}

const char *source_file(const struct rtap_source *source, size_t file)
{
	return source->inputs[file].name;
}

bool source_file_is_regular(const struct rtap_source *source, size_t file)
{
	return source->inputs[file].is_regular;
}

bool source_file_has_ended(const struct rtap_source *source, size_t file)
{
	return !source->inputs[file].file && !source->inputs[file].batch;
}

const struct source_clock *source_clock(const struct rtap_source *source, size_t file)
{
	return file < source->count ? &source->inputs[file].clock : NULL;
}

/* Clamps to the range of frame times. */
static int64_t corrected(const struct clock_piece *piece, int64_t time_ns)
{
	int64_t ahead_ns = clock_piece_ahead_ns(piece, time_ns), corrected_ns;

	if (__builtin_sub_overflow(time_ns, ahead_ns, &corrected_ns) || corrected_ns < TICK_EARLIEST_NS || corrected_ns > TICK_LATEST_NS)
		return ahead_ns > 0 ? TICK_EARLIEST_NS : TICK_LATEST_NS;
	return corrected_ns;
}

int64_t source_corrected_ns(const struct rtap_source *source, size_t file, int64_t time_ns)
{
	const struct source_clock *clock = &source->inputs[file].clock;

	return clock->count ? corrected(&clock->pieces[0], time_ns) : time_ns;
}

const struct source_part *source_parts_next(const struct source_parts *parts, struct source_parts_place *place)
{
	const struct source_part *part = NULL;

	while (place->part < parts->count && place->frame == parts->parts[place->part].frames) {
		place->part++;
		place->frame = 0;
	}
	if (place->part < parts->count && !place->frame++)
		part = &parts->parts[place->part];
	return part;
}

/* If the frame at which the clock was set is unknown, chooses the one that keeps times most even. */
static bool begins_piece(const struct input *input, const struct clock_piece *next, int64_t time_ns)
{
	const struct clock_piece *piece = next - 1;

	if (input->frames >= next->first_frame || input->frames <= next->after_frame)
		return input->frames >= next->first_frame;
	return llabs(corrected(next, time_ns) - input->last_ns) < llabs(corrected(piece, time_ns) - input->last_ns);
}

static void correct_times(struct input *input)
{
	const struct source_clock *clock = &input->clock;

	for (size_t i = 0; i < input->batch->shared.count; i++) {
		int64_t *time_ns = &input->batch->frames[i].time_ns;

		input->frames++;
		while (input->piece + 1 < clock->count && begins_piece(input, &clock->pieces[input->piece + 1], *time_ns))
			input->piece++;
		*time_ns = input->last_ns = corrected(&clock->pieces[input->piece], *time_ns);
	}
}

/* A file whose time goes back keeps its place among the others: the frames after that are delivered at once. */
static void take_head(struct rtap_source *source, struct input *input)
{
	int64_t time_ns = input->batch->frames[input->next].time_ns;
	const struct source_part *part = input->parts ? source_parts_next(input->parts, &input->place) : NULL;

	if (part && part->latest_ns != INT64_MIN) {
		int64_t latest_ns = source_corrected_ns(source, (size_t)(input - source->inputs), part->latest_ns);

		if (latest_ns > input->head_ns)
			input->head_ns = latest_ns;
	}
	if (time_ns > input->head_ns)
		input->head_ns = time_ns;
}

/* Reads a batch of each input that has none and is not at its end. END: a signal interrupted the wait. */
static enum rtap_status read_heads(struct rtap_source *source, struct rtap_error *error)
{
	for (size_t i = 0; i < source->count; i++) {
		struct input *input = &source->inputs[i];
		enum rtap_status status;

		if (!input->file || input->batch)
			continue;
		input->next = 0;
		status = read_input(source, input, &input->batch, error);
		if (status == RTAP_STATUS_END)
			continue;
		if (status)
			return status;
		if (!input->batch)
			return RTAP_STATUS_END;
		if (input->clock.count)
			correct_times(input);
		if (!input->delivered) /* the sections of all files are known before the first frame */
			publish_kept(source, input, 0, source->numbering.frames);
		take_head(source, input);
		if (!heap_add(&source->heads, input))
			return out_of_memory(error);
	}
	return RTAP_STATUS_OK;
}

/*
 * Fills the batch with the earliest heads until it is full or one input has no head left: delivering the batch then avoids
 * waiting for that input and holding more than one batch of each.
 */
static enum rtap_status merge_heads(struct rtap_source *source, struct batch *batch)
{
	struct input *input;

	while ((input = heap_first(&source->heads)) && batch->shared.count < FILE_BATCH_FRAMES) {
		if (!input->kept && !batch_keep(batch, &input->batch->shared))
			return RTAP_STATUS_FAILED;
		input->kept = true;
		if (input->file->first_kept)
			publish_kept(source, input, input->delivered, source->numbering.frames + batch->shared.count);
		input->delivered++;
		batch->frames[batch->shared.count++] = input->batch->frames[input->next++];
		if (input->next == input->batch->shared.count) {
			heap_remove_first(&source->heads);
			rtap_batch_release(&input->batch->shared);
			input->batch = NULL;
			break;
		}
		take_head(source, input);
		heap_settle_first(&source->heads);
	}
	for (size_t i = 0; i < source->count; i++)
		source->inputs[i].kept = false;
	return RTAP_STATUS_OK;
}

static enum rtap_status read_merged(struct rtap_source *source, struct batch **batch, struct rtap_error *error)
{
	enum rtap_status status = read_heads(source, error);

	*batch = NULL;
	if (status)
		return status;
	if (!source->heads.count)
		return RTAP_STATUS_END;
	*batch = batch_get(source->pool);
	if (!*batch)
		return out_of_memory(error);
	if (merge_heads(source, *batch)) {
		rtap_batch_release(&(*batch)->shared);
		*batch = NULL;
		return out_of_memory(error);
	}
	return RTAP_STATUS_OK;
}

static bool add_interface(struct rtap_source *source, const char *file)
{
	struct merged_interface *interfaces = array_grow(source->interfaces, &source->interface_room, source->interface_count + 1, sizeof *interfaces);
	uint32_t input = 0;

	if (!interfaces)
		return false;
	while (input + 1 < source->count && source->inputs[input].name != file)
		input++;
	source->interfaces = interfaces;
	interfaces[source->interface_count++] = (struct merged_interface){ .input = input, .index = source->inputs[input].interfaces++ };
	return true;
}

static bool input_has_ended(const void *owner, size_t file_number)
{
	return source_file_has_ended(owner, file_number);
}

static void begin_interface(struct rtap_source *source, uint32_t number)
{
	struct merged_interface *interface = &source->interfaces[number];
	const struct input *input = &source->inputs[interface->input];
	const struct capture_part part = {
		.file = input->is_regular ? input->name : NULL, .file_number = interface->input, .index = interface->index,
		.kind = capture_part_kind(source_metadata_interface(&source->metadata, number)),
	};

	interface->has_begun = true;
	interface->point = capture_points_begin(&source->points, &part, number, input_has_ended, source);
}

/* Call it for each batch that was merged, before more is read: it needs to know which files had ended by then. */
static bool set_capture_points(struct rtap_source *source, struct rtap_batch *batch)
{
	while (source->interface_count < source->metadata.interface_count)
		if (!add_interface(source, source_metadata_interface(&source->metadata, source->interface_count)->file))
			return false;
	for (size_t i = 0; i < batch->count; i++) {
		uint32_t number = batch->frames[i].interface;

		if (!source->interfaces[number].has_begun)
			begin_interface(source, number);
		batch->frames[i].capture_point = source->interfaces[number].point;
	}
	return true;
}

static enum rtap_status read_batch(struct rtap_source *source, struct rtap_batch **batch, struct rtap_error *error)
{
	struct batch *filled = NULL;
	enum rtap_status status;

	*batch = NULL;
	if (source->feed)
		status = source->feed->read(source->feed->owner, source->pool, &source->metadata, &filled, error);
	else if (source->lives)
		status = live_merge_read(source->lives, &filled, error);
	else if (source->live)
		status = live_read(source->live, &filled, error);
	else if (source->count != 1 || source->inputs[0].clock.count)
		status = read_merged(source, &filled, error);
	else if (source->inputs[0].file)
		status = read_input(source, &source->inputs[0], &filled, error);
	else
		status = RTAP_STATUS_END;
	if (status)
		return status;
	if (!filled) /* interrupted */
		return RTAP_STATUS_END;
	/* for devices and feeds this was done before */
	if (!is_live(source) && !source->feed) {
		numbering_take(&source->numbering, &filled->shared, source->metadata.time_digits);
		source_metadata_set_counters(&source->metadata, &source->numbering);
	}
	if (source->count > 1 && !source->feed && !set_capture_points(source, &filled->shared)) {
		rtap_batch_release(&filled->shared);
		return out_of_memory(error);
	}
	*batch = &filled->shared;
	return RTAP_STATUS_OK;
}

static uint64_t read_bytes_of(const struct rtap_source *source)
{
	uint64_t bytes = source->bytes_read_before;

	for (size_t i = 0; i < source->count; i++)
		if (source->inputs[i].file)
			bytes += stream_bytes_read(source->inputs[i].file->stream);
	return bytes;
}

static void read_one_ahead(void *owner, struct worker_pool_batch *read)
{
	struct rtap_source *source = owner;

	read->status = read_batch(source, &read->batch, &read->error);
	read->read_bytes = read_bytes_of(source);
}

bool rtap_source_read_ahead(struct rtap_source *source)
{
	/* only of regular files are all sizes known */
	if (!source->read_ahead && source->bytes_total)
		source->read_ahead = worker_pool_open(&(struct worker_pool_stages){ .owner = source, .read = read_one_ahead }, 2);
	return source->read_ahead;
}

void rtap_source_stop(struct rtap_source *source)
{
	if (source->lives)
		live_merge_stop(source->lives);
	else if (source->live)
		live_stop(source->live);
	if (is_live(source))
		return;
	worker_pool_close(source->read_ahead);
	source->read_ahead = NULL;
	source->stopped = true;
}

static enum rtap_status take_read_ahead(struct rtap_source *source, struct rtap_batch **batch, struct rtap_error *error)
{
	struct worker_pool_batch *taken = worker_pool_take(source->read_ahead);
	enum rtap_status status = taken->status;

	*batch = taken->batch;
	source->ahead_read = taken->read_bytes;
	if (error && (status == RTAP_STATUS_BROKEN || status == RTAP_STATUS_FAILED))
		*error = taken->error;
	taken->taken_over = true;
	worker_pool_give(source->read_ahead, taken);
	return status;
}

enum rtap_status rtap_source_read_batch(struct rtap_source *source, struct rtap_batch **batch, struct rtap_error *error)
{
	*batch = NULL;
	if (source->stopped)
		return RTAP_STATUS_END;
	return source->read_ahead ? take_read_ahead(source, batch, error) : read_batch(source, batch, error);
}

enum rtap_status rtap_source_read_frame(struct rtap_source *source, const struct rtap_frame **frame, struct rtap_error *error)
{
	enum rtap_status status;

	*frame = NULL;
	if (!source->batch || source->next_frame == source->batch->count) {
		rtap_batch_release(source->batch);
		source->next_frame = 0;
		status = rtap_source_read_batch(source, &source->batch, error);
		if (status || !source->batch->count)
			return status;
	}
	*frame = &source->batch->frames[source->next_frame++];
	return RTAP_STATUS_OK;
}

size_t rtap_source_interface_count(const struct rtap_source *source)
{
	return source->metadata.interface_count;
}

const struct rtap_interface *rtap_source_interface(const struct rtap_source *source, size_t index)
{
	return index < source->metadata.interface_count ? source_metadata_interface(&source->metadata, index) : NULL;
}

size_t rtap_source_note_count(const struct rtap_source *source)
{
	return source->metadata.note_count;
}

const char *rtap_source_note(const struct rtap_source *source, size_t index)
{
	return index < source->metadata.note_count ? source->metadata.notes[index] : NULL;
}

void source_read_counts(const struct rtap_source *source, size_t interface, struct rtap_interface *counts)
{
	if (source->lives)
		live_merge_read_counts(source->lives, interface, counts);
	else
		live_read_counts(source->live, counts);
}

struct source_left_out source_left_out(const struct rtap_source *source)
{
	return (struct source_left_out){ .blocks = source->metadata.kept.left_out, .options = source->metadata.options_left_out };
}

void source_keep_blocks(struct rtap_source *source)
{
	source_metadata_keep_blocks(&source->metadata);
}

const struct kept_blocks *source_kept_blocks(const struct rtap_source *source)
{
	return &source->metadata.kept;
}

struct rtap_span source_interface_options(const struct rtap_source *source, uint32_t interface)
{
	return source_metadata_options(&source->metadata, interface);
}

void source_set_ended(struct rtap_source *source)
{
	source->has_ended = true;
}

bool source_has_ended(const struct rtap_source *source)
{
	return source->has_ended;
}

void rtap_source_counters(const struct rtap_source *source, struct rtap_source_counters *counters, size_t size)
{
	struct_size_give(counters, size, &source->metadata.counters, sizeof source->metadata.counters);
}

void rtap_source_progress(const struct rtap_source *source, uint64_t *read_bytes, uint64_t *total_bytes)
{
	*read_bytes = source->read_ahead ? source->ahead_read : read_bytes_of(source);
	*total_bytes = source->bytes_total;
}

void rtap_source_close(struct rtap_source *source)
{
	if (!source)
		return;
	rtap_batch_release(source->batch);
	worker_pool_close(source->read_ahead);
	for (size_t i = 0; i < source->count; i++) {
		if (source->inputs[i].batch)
			rtap_batch_release(&source->inputs[i].batch->shared);
		file_close(source->inputs[i].file);
		free(source->inputs[i].name);
	}
	free(source->inputs);
	heap_fini(&source->heads);
	free(source->interfaces);
	capture_points_fini(&source->points);
	live_close(source->live);
	live_merge_close(source->lives);
	source_metadata_fini(&source->metadata);
	batch_pool_release(source->pool);
	free(source);
}
