/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture/batch.h"
#include "capture/file/file.h"
#include "capture/source_metadata.h"
#include "mpi/shared_file.h"
#include "mpi/walk.h"

#define BLOCK_SIZE (512u << 10)
#define PCAP_HEADER 24
#define FIRST_SEARCH (256u << 10)  /* bytes in which a record is looked for at first */
#define MOST_SEARCH (64u << 20)
#define MOST_DESCRIPTIONS (1u << 16)

/* What is open while records are read. */
struct reading {
	struct walk *walk;
	struct batch_pool *pool;
	struct source_metadata metadata;
	struct stream_span *spans;
	struct file *file;
	uint64_t from;
};

static void add_description(struct walk *walk, uint64_t begin, uint64_t length)
{
	struct descriptions *known = &walk->descriptions;
	struct stream_span *last = known->count ? &known->spans[known->count - 1] : NULL, *spans;

	if (last && begin < last->begin + last->length)
		return;
	if (last && begin == last->begin + last->length) {
		last->length += length;
		return;
	}
	spans = known->count < MOST_DESCRIPTIONS ? array_grow(known->spans, &known->room, known->count + 1, sizeof *spans) : NULL;
	if (!spans) {
		walk->has_failed = true;
		return;
	}
	known->spans = spans;
	spans[known->count++] = (struct stream_span){ begin, length };
}

static void note_description(void *owner, uint64_t offset, uint32_t length)
{
	struct reading *reading = owner;

	/* those in front are known */
	if (offset >= reading->from)
		add_description(reading->walk, offset, length);
}

static void close_reading(struct reading *reading)
{
	file_close(reading->file);
	source_metadata_fini(&reading->metadata);
	batch_pool_release(reading->pool);
	free(reading->spans);
}

/* Opens the bytes from `from` to `limit`, with the descriptions of the file in front. */
static bool open_reading(struct reading *reading, struct walk *walk, uint64_t from, uint64_t limit, struct rtap_error *error)
{
	size_t count = from ? walk->descriptions.count : 0;
	struct stream_spans spans = { .count = count + 1, .read_at = shared_file_read_at, .owner = walk->file };
	uint64_t in_front = 0;
	struct stream *stream;

	*reading = (struct reading){ .walk = walk,
				     .pool = batch_pool_create(BLOCK_SIZE),
				     .spans = malloc((count + 1) * sizeof *reading->spans),
				     .from = from };
	rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", walk->name);
	if (!reading->pool || !reading->spans)
		return false;
	for (size_t i = 0; i < count; i++) {
		reading->spans[i] = walk->descriptions.spans[i];
		in_front += reading->spans[i].length;
	}
	reading->spans[count] = (struct stream_span){ from, limit - from };
	spans.spans = reading->spans;
	if (stream_open_spans(&stream, &spans, error) ||
	    file_open(&reading->file, walk->name, stream, reading->pool, &reading->metadata, error))
		return false;
	reading->file->describes = note_description;
	reading->file->owner = reading;
	reading->file->offset += from - in_front;
	return true;
}

/* Adds the frames of a batch to the last part. */
static void take_batch(struct walk *walk, const struct rtap_batch *batch)
{
	walk->parts[walk->count - 1].frames += batch->count;
	walk->frames += batch->count;
	for (size_t i = 0; i < batch->count; i++)
		if (batch->frames[i].time_ns > walk->latest_ns)
			walk->latest_ns = batch->frames[i].time_ns;
}

static void end_part(struct walk *walk, uint64_t end)
{
	struct source_part *part = &walk->parts[walk->count - 1];

	part->length = end - part->begin;
	walk->end = end;
	if (!part->length)
		walk->count--;
}

static bool begin_part(struct walk *walk, uint64_t begin)
{
	struct source_part *parts = array_grow(walk->parts, &walk->room, walk->count + 1, sizeof *parts);

	if (!parts) {
		walk->has_failed = true;
		return false;
	}
	walk->parts = parts;
	parts[walk->count++] = (struct source_part){ .begin = begin, .first = walk->frames, .latest_ns = walk->latest_ns };
	return true;
}

/* Reads on until a batch ends at `until` or later. BROKEN: it ends before. */
static enum rtap_status read_parts(struct reading *reading, uint64_t until)
{
	struct walk *walk = reading->walk;
	struct file *file = reading->file;
	enum rtap_status status = RTAP_STATUS_OK;
	struct rtap_error error;

	if (!begin_part(walk, reading->from))
		return RTAP_STATUS_FAILED;
	while (!status && file->offset < until && !walk->has_failed) {
		struct batch *batch = batch_get(reading->pool);

		if (!batch)
			return RTAP_STATUS_FAILED;
		status = file_read(file, batch, &error);
		take_batch(walk, &batch->shared);
		rtap_batch_release(&batch->shared);
		if (!status && file->offset - walk->parts[walk->count - 1].begin >= walk->piece) {
			end_part(walk, file->offset);
			if (!begin_part(walk, file->offset))
				return RTAP_STATUS_FAILED;
		}
	}
	end_part(walk, file->offset);
	return status;
}

bool walk_begin(struct walk *walk)
{
	struct reading reading;
	struct rtap_error error;
	struct batch *batch = NULL;
	bool opened = open_reading(&reading, walk, 0, walk->size, &error);

	if (opened) {
		batch = batch_get(reading.pool);
		if (batch && !file_read(reading.file, batch, &error) && !stream_is_compressed(reading.file->stream)) {
			walk->search = (struct record_search){ .is_pcapng = reading.file->format == &pcapng_format, .swapped = reading.file->swapped };
			if (!walk->search.is_pcapng) {
				walk->search.fraction_limit = 1000000000 / reading.file->pcap.fraction_ns;
				add_description(walk, 0, PCAP_HEADER);
			}
		} else {
			opened = false;
		}
		if (batch)
			rtap_batch_release(&batch->shared);
	}
	close_reading(&reading);
	return opened && !walk->has_failed;
}

/* Reads up to `length` bytes; returns their number. */
static size_t read_bytes(const struct walk *walk, uint64_t from, uint8_t *bytes, size_t length)
{
	size_t got = 0;
	ssize_t count;

	while (got < length && (count = shared_file_read_at(walk->file, from + got, bytes + got, length - got)) > 0)
		got += (size_t)count;
	return got;
}

uint64_t walk_search(const struct walk *walk, uint64_t from, uint64_t limit)
{
	uint64_t found = UINT64_MAX;

	for (size_t length = FIRST_SEARCH; found == UINT64_MAX && length <= MOST_SEARCH; length *= 16) {
		size_t wanted = walk->size - from < length ? (size_t)(walk->size - from) : length, got, at;
		uint8_t *bytes = malloc(wanted + 1);

		if (!bytes)
			break;
		got = read_bytes(walk, from, bytes, wanted);
		at = record_search(&walk->search, bytes, got, from, from + got == walk->size);
		if (at != RECORD_SEARCH_NONE)
			found = from + at;
		free(bytes);
		if (wanted < length)
			break;
	}
	return found < limit ? found : UINT64_MAX;
}

void walk_describe(struct walk *walk, const struct stream_span *spans, size_t count)
{
	walk->descriptions.count = 0;
	for (size_t i = 0; i < count; i++)
		add_description(walk, spans[i].begin, spans[i].length);
}

void walk_records(struct walk *walk, uint64_t from, uint64_t limit)
{
	enum rtap_status status = RTAP_STATUS_OK;
	struct reading reading;
	struct rtap_error error;

	walk->count = 0;
	walk->frames = 0;
	walk->latest_ns = INT64_MIN;
	walk->end = from;
	walk->is_broken = false;
	while (!walk->has_failed && walk->end < limit && !walk->is_broken) {
		uint64_t begin = walk->end;
		/* a record may go beyond the limit: then it is no limit */
		uint64_t end = status ? walk->size : limit;

		status = open_reading(&reading, walk, begin, end, &error) ? read_parts(&reading, limit) : RTAP_STATUS_FAILED;
		close_reading(&reading);
		walk->has_failed |= status == RTAP_STATUS_FAILED;
		walk->is_broken = status == RTAP_STATUS_BROKEN && end == walk->size;
		if (status == RTAP_STATUS_END)
			break;
	}
}

void walk_explain(struct walk *walk, uint64_t frames, struct rtap_error *error)
{
	struct reading reading;
	struct batch *batch;

	if (open_reading(&reading, walk, walk->end, walk->size, error)) {
		reading.file->frame_count = frames;
		batch = batch_get(reading.pool);
		if (batch) {
			if (!file_read(reading.file, batch, error))
				rtap_error_set(error, RTAP_ERROR_FORMAT, "%s: changed while it was read", walk->name);
			rtap_batch_release(&batch->shared);
		}
	}
	close_reading(&reading);
}

void walk_fini(struct walk *walk)
{
	free(walk->descriptions.spans);
	free(walk->parts);
}
