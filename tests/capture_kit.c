/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "capture/file/pcapng.h"
#include "capture/source.h"
#include "tests/capture_kit.h"

/* Small buffers have exactly the size of their content, so that sanitizers detect reads beyond it; large ones grow in few steps. */
static void reserve(struct bytes *bytes, size_t needed)
{
	if (needed <= bytes->room)
		return;
	bytes->room = needed <= 65536 ? 0 : needed + needed / 2;
	bytes->data = realloc(bytes->data, bytes->room ? bytes->room : needed);
	cr_assert(bytes->data);
}

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	reserve(bytes, bytes->length + length + 1);
	if (length)
		memcpy(bytes->data + bytes->length, data, length);
	bytes->length += length;
}

void bytes_add_u16(struct bytes *bytes, uint16_t number)
{
	if (bytes->swapped)
		number = __builtin_bswap16(number);
	bytes_add(bytes, &number, sizeof number);
}

void bytes_add_u32(struct bytes *bytes, uint32_t number)
{
	if (bytes->swapped)
		number = __builtin_bswap32(number);
	bytes_add(bytes, &number, sizeof number);
}

void bytes_add_u64(struct bytes *bytes, uint64_t number)
{
	if (bytes->swapped)
		number = __builtin_bswap64(number);
	bytes_add(bytes, &number, sizeof number);
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ 0 };
}

struct bytes bytes_of_file(const char *name)
{
	struct bytes bytes = { 0 };
	FILE *file = fopen(name, "rb");
	char buffer[65536];
	size_t count;

	cr_assert(file, "%s cannot be read", name);
	while ((count = fread(buffer, 1, sizeof buffer, file)))
		bytes_add(&bytes, buffer, count);
	fclose(file);
	return bytes;
}

struct bytes bytes_gzip(const struct bytes *bytes)
{
	struct bytes packed = { 0 };
	z_stream zlib = { .next_in = bytes->data, .avail_in = bytes->length };

	cr_assert_eq(deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	packed.length = deflateBound(&zlib, bytes->length);
	packed.data = malloc(packed.length + 1);
	zlib.next_out = packed.data;
	zlib.avail_out = packed.length;
	cr_assert_eq(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	packed.length -= zlib.avail_out;
	deflateEnd(&zlib);
	return packed;
}

static void add_counting(struct bytes *bytes, uint32_t length, uint8_t seed)
{
	uint8_t *data = malloc(length + 1);

	cr_assert(data);
	for (uint32_t i = 0; i < length; i++)
		data[i] = seed + i;
	bytes_add(bytes, data, length);
	free(data);
}

void pcap_add_header(struct bytes *bytes, uint32_t magic, uint32_t link_field)
{
	bytes_add_u32(bytes, magic);
	bytes_add_u16(bytes, 2);
	bytes_add_u16(bytes, 4);
	bytes_add_u64(bytes, 0);
	bytes_add_u32(bytes, 262144);
	bytes_add_u32(bytes, link_field);
}

void pcap_add_record(struct bytes *bytes, uint32_t seconds, uint32_t fraction, uint32_t captured, uint32_t wire, uint8_t seed)
{
	bytes_add_u32(bytes, seconds);
	bytes_add_u32(bytes, fraction);
	bytes_add_u32(bytes, captured);
	bytes_add_u32(bytes, wire);
	add_counting(bytes, captured, seed);
}

size_t pcapng_begin(struct bytes *bytes, uint32_t type)
{
	size_t place = bytes->length;

	bytes_add_u32(bytes, type);
	bytes_add_u32(bytes, 0);
	return place;
}

static void add_padding(struct bytes *bytes, size_t length)
{
	bytes_add(bytes, "\0\0\0", -length & 3);
}

void pcapng_add_option(struct bytes *bytes, uint16_t code, const void *value, uint16_t length)
{
	bytes_add_u16(bytes, code);
	bytes_add_u16(bytes, length);
	bytes_add(bytes, value, length);
	add_padding(bytes, length);
}

void pcapng_end(struct bytes *bytes, size_t place)
{
	uint32_t length = (uint32_t)(bytes->length - place + 4);

	bytes_add_u32(bytes, length);
	memcpy(bytes->data + place + 4, bytes->data + bytes->length - 4, 4);
}

void pcapng_add_section(struct bytes *bytes)
{
	size_t place = pcapng_begin(bytes, PCAPNG_SECTION);

	bytes_add_u32(bytes, PCAPNG_BYTE_ORDER);
	bytes_add_u16(bytes, 1);
	bytes_add_u16(bytes, 0);
	bytes_add_u64(bytes, UINT64_MAX);
	pcapng_end(bytes, place);
}

void pcapng_add_interface(struct bytes *bytes, uint16_t link_type, uint32_t snap_length)
{
	size_t place = pcapng_begin(bytes, PCAPNG_INTERFACE);

	bytes_add_u16(bytes, link_type);
	bytes_add_u16(bytes, 0);
	bytes_add_u32(bytes, snap_length);
	pcapng_end(bytes, place);
}

void pcapng_add_packet(struct bytes *bytes, uint32_t interface, uint64_t time, uint32_t captured, uint32_t wire, uint8_t seed)
{
	size_t place = pcapng_begin(bytes, PCAPNG_PACKET);

	bytes_add_u32(bytes, interface);
	bytes_add_u32(bytes, time >> 32);
	bytes_add_u32(bytes, (uint32_t)time);
	bytes_add_u32(bytes, captured);
	bytes_add_u32(bytes, wire);
	add_counting(bytes, captured, seed);
	add_padding(bytes, captured);
	pcapng_end(bytes, place);
}

static void add_batch(struct reading *reading, struct rtap_batch *batch)
{
	cr_assert_gt(batch->count, 0, "a batch without a frame");
	reading->batches = realloc(reading->batches, (reading->batch_count + 1) * sizeof *reading->batches);
	reading->frames = realloc(reading->frames, (reading->count + batch->count) * sizeof *reading->frames);
	cr_assert(reading->batches && reading->frames);
	reading->batches[reading->batch_count++] = batch;
	memcpy(reading->frames + reading->count, batch->frames, batch->count * sizeof *batch->frames);
	reading->count += batch->count;
}

static void read_all(struct reading *reading)
{
	enum rtap_status status;
	struct rtap_batch *batch;
	struct rtap_error error;

	while ((status = rtap_source_read_batch(reading->source, &batch, &error)) != RTAP_STATUS_END) {
		cr_assert_neq(status, RTAP_STATUS_FAILED, "%s", error.text);
		if (status == RTAP_STATUS_OK) {
			add_batch(reading, batch);
			continue;
		}
		cr_assert_null(batch);
		reading->error = error;
		reading->breaks++;
	}
	rtap_source_counters(reading->source, &reading->counters, sizeof reading->counters);
	cr_assert_eq(reading->counters.frames, reading->count);
}

struct reading reading_of_memory(const struct bytes *files, size_t count, size_t block_size, size_t step)
{
	struct reading reading = { 0 };
	struct rtap_span spans[16];

	cr_assert_leq(count, sizeof spans / sizeof spans[0]);
	for (size_t i = 0; i < count; i++)
		spans[i] = (struct rtap_span){ files[i].data, files[i].length };
	if (source_open_memory(&reading.source, spans, count, block_size, step, &reading.error)) {
		cr_assert_null(reading.source);
		return reading;
	}
	read_all(&reading);
	return reading;
}

struct reading reading_of_files(const char *const *names, size_t count)
{
	struct reading reading = { 0 };

	if (rtap_source_open_files(&reading.source, names, count, &reading.error)) {
		cr_assert_null(reading.source);
		return reading;
	}
	read_all(&reading);
	return reading;
}

void reading_free(struct reading *reading)
{
	for (size_t i = 0; i < reading->batch_count; i++)
		rtap_batch_release(reading->batches[i]);
	free(reading->batches);
	free(reading->frames);
	rtap_source_close(reading->source);
	*reading = (struct reading){ 0 };
}

void reading_expect_prefix(const struct reading *part, const struct reading *all)
{
	cr_assert_leq(part->count, all->count);
	for (size_t i = 0; i < part->count; i++) {
		const struct rtap_frame *a = &part->frames[i], *b = &all->frames[i];

		cr_assert_eq(a->captured_length, b->captured_length);
		cr_assert_eq(a->wire_length, b->wire_length);
		cr_assert_eq(a->link_type, b->link_type);
		cr_assert_eq(a->interface, b->interface);
		cr_assert_eq(a->number, b->number);
		cr_assert_eq(a->time_ns, b->time_ns);
		cr_assert_eq(a->relative_ns, b->relative_ns);
		cr_assert_eq(a->delta_ns, b->delta_ns);
		cr_assert_eq(a->comment_count, b->comment_count);
		cr_assert(!memcmp(a->bytes, b->bytes, a->captured_length), "bytes of frame %zu of %zu", i + 1, part->count);
	}
}
