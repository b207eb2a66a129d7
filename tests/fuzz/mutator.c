/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <rdmatap/source.h>

#include "capture/source.h"
#include "dissect/engine/crc32c.h"

#include "harness.h"
#include "mutator.h"

#define MOST_FRAMES 4096
#define LARGEST_FRAME 16384
#define FILE_HEADER 24
#define RECORD_HEADER 16
#define ROCE_PORT 4791
#define SECOND INT64_C(1000000000)

/* Of IP. */
enum { TCP = 6, UDP = 17 };

/* Where things stand in a frame; 0: it has none of that. */
struct layout {
	uint32_t ip, transport, end; /* of IP; what follows its header; the end by IP's length */
	bool six;
	uint16_t protocol;
	uint32_t bth, payload;       /* payload: of TCP or UDP, or what follows the extended headers of a RoCE packet */
	uint32_t reth, aeth;
};

static const uint32_t interesting[] = {
	0, 1, 2, 3, 4, 5, 7, 8, 16, 24, 28, 32, 64, 127, 128, 255, 256, 1023, 1024, 4096, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7ffffffc, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff,
};

static const uint8_t opcodes[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x1c, 0x1d,
	0x20, 0x24, 0x26, 0x27, 0x28, 0x64, 0x65, 0x81, 0xa0, 0xa4, 0xa6, 0xac, 0xb0,
};

/* Sebastiano Vigna's splitmix64. */
static uint64_t next_random(struct mutant *mutant)
{
	uint64_t z = mutant->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t mutant_below(struct mutant *mutant, uint32_t limit)
{
	return (uint32_t)((next_random(mutant) >> 32) * limit >> 32);
}

static bool one_in(struct mutant *mutant, uint32_t chances)
{
	return mutant_below(mutant, chances) == 0;
}

static uint32_t get(const uint8_t *at, unsigned bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void put(uint8_t *at, uint32_t value, unsigned bytes)
{
	while (bytes--)
		*at++ = (uint8_t)(value >> 8 * bytes);
}

/* A number near another one, or one that is often special. */
static uint32_t other_number(struct mutant *mutant, uint32_t value)
{
	switch (mutant_below(mutant, 4)) {
	case 0:
		return interesting[mutant_below(mutant, sizeof interesting / sizeof *interesting)];
	case 1:
		return (uint32_t)next_random(mutant);
	case 2:
		return value ^ UINT32_C(1) << mutant_below(mutant, 32);
	default:
		return value + mutant_below(mutant, 9) - 4;
	}
}

/* Frames */

static struct mutant_frame *add(struct mutant *mutant)
{
	if (mutant->count == MOST_FRAMES)
		return NULL;
	if (mutant->count == mutant->room) {
		mutant->room = mutant->room ? 2 * mutant->room : 64;
		mutant->frames = realloc(mutant->frames, mutant->room * sizeof *mutant->frames);
		REQUIRE(mutant->frames != NULL);
	}
	mutant->frames[mutant->count] = (struct mutant_frame){ 0 };
	return &mutant->frames[mutant->count++];
}

/* `original` may be one of them. */
static bool add_copy(struct mutant *mutant, const struct mutant_frame *original)
{
	struct mutant_frame copy = *original, *frame = add(mutant);
	const uint8_t *bytes = copy.bytes;

	if (!frame)
		return false;
	copy.bytes = malloc(copy.captured + 1);
	REQUIRE(copy.bytes != NULL);
	memcpy(copy.bytes, bytes, copy.captured);
	*frame = copy;
	return true;
}

void mutant_copy(struct mutant *mutant, const struct mutant *from, size_t first, size_t count)
{
	mutant->link_type = from->link_type;
	for (size_t i = first; i < from->count && count && add_copy(mutant, &from->frames[i]); i++)
		count--;
}

static void move(struct mutant *mutant, size_t from, size_t to)
{
	struct mutant_frame frame = mutant->frames[from];

	if (from < to)
		memmove(&mutant->frames[from], &mutant->frames[from + 1], (to - from) * sizeof frame);
	else
		memmove(&mutant->frames[to + 1], &mutant->frames[to], (from - to) * sizeof frame);
	mutant->frames[to] = frame;
}

static void drop(struct mutant *mutant, size_t at)
{
	move(mutant, at, mutant->count - 1);
	free(mutant->frames[--mutant->count].bytes);
}

size_t mutant_read(struct mutant *mutant, const uint8_t *file, size_t length)
{
	struct rtap_span input = { file, (uint32_t)length };
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_error error;
	enum rtap_status status;

	if (source_open_memory(&source, &input, 1, 0, 0, &error) != RTAP_STATUS_OK)
		return 0;
	while ((status = rtap_source_read_batch(source, &batch, &error)) != RTAP_STATUS_END) {
		if (status != RTAP_STATUS_OK)
			continue;
		for (size_t i = 0; i < batch->count; i++) {
			const struct rtap_frame *frame = &batch->frames[i];
			struct mutant_frame copy = { (uint8_t *)frame->bytes, frame->captured_length, frame->wire_length, frame->time_ns };

			if (!mutant->count)
				mutant->link_type = frame->link_type;
			if (frame->link_type == mutant->link_type && frame->captured_length <= LARGEST_FRAME)
				(void)add_copy(mutant, &copy);
		}
		rtap_batch_release(batch);
	}
	rtap_source_close(source);
	return mutant->count;
}

size_t mutant_write(const struct mutant *mutant, uint8_t *file, size_t room)
{
	uint32_t head[] = { 0xa1b23c4d, 0x00040002, 0, 0, 262144, mutant->link_type };
	size_t at = FILE_HEADER;

	if (room < FILE_HEADER)
		return 0;
	memcpy(file, head, FILE_HEADER);
	for (size_t i = 0; i < mutant->count; i++) {
		const struct mutant_frame *frame = &mutant->frames[i];
		uint64_t time = frame->time_ns > 0 ? (uint64_t)frame->time_ns : 0;
		uint32_t record[] = { (uint32_t)(time / SECOND), (uint32_t)(time % SECOND), frame->captured, frame->wire };

		if (room - at < RECORD_HEADER + frame->captured)
			break;
		memcpy(file + at, record, RECORD_HEADER);
		memcpy(file + at + RECORD_HEADER, frame->bytes, frame->captured);
		at += RECORD_HEADER + frame->captured;
	}
	return at;
}

void mutant_fini(struct mutant *mutant)
{
	for (size_t i = 0; i < mutant->count; i++)
		free(mutant->frames[i].bytes);
	free(mutant->frames);
	*mutant = (struct mutant){ 0 };
}

/* What is in a frame */

/* Length of the extended headers of a RoCE packet, by its opcode. */
static uint32_t extended_headers(uint8_t opcode, struct layout *layout)
{
	uint32_t at = layout->bth + 12, begin = at;

	switch (opcode >> 5) {
	case 3:
		at += 8;
		break;
	case 5:
		at += 4;
		break;
	default:
		break;
	}
	switch (opcode & 0x1f) {
	case 0x06: case 0x0a: case 0x0b: case 0x0c:
		layout->reth = at;
		at += 16;
		break;
	case 0x0d: case 0x0f: case 0x10: case 0x11:
		layout->aeth = at;
		at += 4;
		break;
	case 0x12:
		layout->aeth = at;
		at += 12;
		break;
	case 0x13: case 0x14:
		at += 28;
		break;
	default:
		break;
	}
	switch (opcode & 0x1f) {
	case 0x03: case 0x05: case 0x09: case 0x0b: case 0x16: case 0x17:
		at += 4;
		break;
	default:
		break;
	}
	return at - begin;
}

static bool find_layers(const struct mutant *mutant, const struct mutant_frame *frame, struct layout *layout)
{
	const uint8_t *bytes = frame->bytes;
	uint32_t at = 14, length = frame->captured;

	*layout = (struct layout){ 0 };
	if (mutant->link_type != RTAP_LINK_ETHERNET || length < 14)
		return false;
	while (at + 4 <= length && (get(bytes + at - 2, 2) == 0x8100 || get(bytes + at - 2, 2) == 0x88a8))
		at += 4;
	layout->ip = at;
	if (get(bytes + at - 2, 2) == 0x0800 && at + 20 <= length) {
		layout->protocol = bytes[at + 9];
		layout->transport = at + (bytes[at] & 15) * 4;
		layout->end = at + get(bytes + at + 2, 2);
		if (get(bytes + at + 6, 2) & 0x1fff)
			return false;
	} else if (get(bytes + at - 2, 2) == 0x86dd && at + 40 <= length) {
		layout->six = true;
		layout->protocol = bytes[at + 6];
		layout->transport = at + 40;
		layout->end = at + 40 + get(bytes + at + 4, 2);
	} else {
		return false;
	}
	if (layout->end > length || layout->transport < at + 20)
		return false;
	if (layout->protocol == TCP && layout->transport + 20 <= layout->end) {
		layout->payload = layout->transport + (bytes[layout->transport + 12] >> 4) * 4;
		return layout->payload >= layout->transport + 20 && layout->payload <= layout->end;
	}
	if (layout->protocol != UDP || layout->transport + 8 > layout->end)
		return false;
	layout->payload = layout->transport + 8;
	if (get(bytes + layout->transport + 2, 2) != ROCE_PORT || layout->end < layout->transport + 24)
		return true;
	layout->bth = layout->payload;
	layout->payload += 12 + extended_headers(bytes[layout->bth], layout);
	if (layout->payload + 4 > layout->end) {
		layout->payload = layout->bth + 12;
		layout->reth = layout->aeth = 0;
	}
	return true;
}

static uint16_t internet_checksum(uint32_t sum, const uint8_t *bytes, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* IBTA annex A17.3.3: what routers may change counts as ones. */
static void repair_icrc(uint8_t *bytes, const struct layout *layout)
{
	uint8_t masked[60 + 8 + 12 + 8];
	uint32_t head = layout->bth + 12 - layout->ip, icrc = layout->end - 4;
	uint8_t *ip = masked + 8;
	uLong crc;

	if (head + 8 > sizeof masked)
		return;
	memset(masked, 0xff, 8);
	memcpy(ip, bytes + layout->ip, head);
	if (layout->six) {
		ip[0] |= 0x0f;
		memset(ip + 1, 0xff, 3);
		ip[7] = 0xff;
	} else {
		ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
	}
	memset(ip + layout->transport + 6 - layout->ip, 0xff, 2);
	ip[layout->bth + 4 - layout->ip] = 0xff;
	crc = crc32_z(0, masked, head + 8);
	crc = crc32_z(crc, bytes + layout->bth + 12, icrc - layout->bth - 12);
	for (unsigned i = 0; i < 4; i++)
		bytes[icrc + i] = (uint8_t)(crc >> 8 * i);
}

/* CRCs of the FPDUs that follow each other from the payload's beginning, as long as there were any: markers are not known here. */
static void repair_fpdus(uint8_t *bytes, const struct layout *layout)
{
	uint32_t at = layout->payload;

	while (at + 8 <= layout->end) {
		uint32_t length = get(bytes + at, 2), whole = (length + 2 + 3) / 4 * 4, crc;

		if (length < 14 || at + whole + 4 > layout->end)
			return;
		crc = get(bytes + at + whole, 4) ? crc32c(bytes + at, whole) : 0;
		for (unsigned i = 0; i < 4; i++)
			bytes[at + whole + i] = (uint8_t)(crc >> 8 * i);
		at += whole + 4;
	}
}

/* Lengths are those of the frame as it is; it was not cut. */
static void repair(const struct mutant *mutant, struct mutant_frame *frame)
{
	struct layout layout;
	uint8_t *bytes = frame->bytes, *transport;
	uint32_t sum, length;

	if (!find_layers(mutant, frame, &layout))
		return;
	transport = bytes + layout.transport;
	length = layout.end - layout.transport;
	if (layout.bth)
		repair_icrc(bytes, &layout);
	else if (layout.protocol == TCP)
		repair_fpdus(bytes, &layout);
	if (!layout.six) {
		put(bytes + layout.ip + 10, 0, 2);
		put(bytes + layout.ip + 10, internet_checksum(0, bytes + layout.ip, layout.transport - layout.ip), 2);
	}
	sum = layout.protocol + length;
	for (uint32_t i = layout.six ? 8 : 12; i < (layout.six ? 40u : 20u); i += 2)
		sum += get(bytes + layout.ip + i, 2);
	if (layout.protocol == TCP) {
		put(transport + 16, 0, 2);
		put(transport + 16, internet_checksum(sum, transport, length), 2);
	} else if (get(transport + 6, 2)) {
		put(transport + 6, 0, 2);
		put(transport + 6, internet_checksum(sum, transport, length), 2);
	}
}

/* Makes what follows `at` longer or shorter, and the lengths of IP and UDP with it. */
static void resize(struct mutant_frame *frame, const struct layout *layout, uint32_t at, int32_t by)
{
	uint8_t *bytes;
	uint32_t end = layout->end;

	if ((by < 0 && end - at < (uint32_t)-by) || (by > 0 && frame->captured + (uint32_t)by > LARGEST_FRAME))
		return;
	bytes = realloc(frame->bytes, frame->captured + (uint32_t)(by > 0 ? by : 0) + 1);
	REQUIRE(bytes != NULL);
	frame->bytes = bytes;
	if (by > 0) {
		memmove(bytes + at + by, bytes + at, frame->captured - at);
		memset(bytes + at, 0x5a, (uint32_t)by);
	} else {
		memmove(bytes + at, bytes + at - by, frame->captured - at - (uint32_t)-by);
	}
	frame->captured += (uint32_t)by;
	frame->wire = frame->captured;
	if (layout->six)
		put(bytes + layout->ip + 4, get(bytes + layout->ip + 4, 2) + (uint32_t)by, 2);
	else
		put(bytes + layout->ip + 2, get(bytes + layout->ip + 2, 2) + (uint32_t)by, 2);
	if (layout->protocol == UDP)
		put(bytes + layout->transport + 4, get(bytes + layout->transport + 4, 2) + (uint32_t)by, 2);
}

/*
 * A random place of a number in a frame: of the transport's headers, or of the payload in words, near its beginning mostly.
 * Returns its width in bytes.
 */
static unsigned any_number(struct mutant *mutant, const struct layout *layout, uint32_t *at)
{
	static const struct {
		uint8_t offset, width;
	} in_bth[] = { { 0, 1 }, { 1, 1 }, { 4, 1 }, { 5, 3 }, { 5, 3 }, { 8, 1 }, { 9, 3 }, { 9, 3 }, { 9, 3 } };
	static const struct { uint8_t offset, width; } in_tcp[] = { { 0, 2 }, { 2, 2 }, { 4, 4 }, { 4, 4 }, { 8, 4 }, { 8, 4 }, { 13, 1 } };
	uint32_t words = (layout->end - layout->payload) / 4, i;

	if (words > 64 && !one_in(mutant, 4))
		words = 64;
	if (words && mutant_below(mutant, 2)) {
		*at = layout->payload + 4 * mutant_below(mutant, words);
		if (layout->protocol == TCP && one_in(mutant, 3))
			*at += 2;
		return one_in(mutant, 8) || *at + 4 > layout->end ? 1 : 4;
	}
	if (layout->reth && one_in(mutant, 2)) {
		*at = layout->reth + 4 * mutant_below(mutant, 4);
		return 4;
	}
	if (layout->aeth && one_in(mutant, 2)) {
		*at = layout->aeth + mutant_below(mutant, 2);
		return *at == layout->aeth ? 1 : 3;
	}
	if (layout->bth) {
		i = mutant_below(mutant, sizeof in_bth / sizeof *in_bth);
		*at = layout->bth + in_bth[i].offset;
		return in_bth[i].width;
	}
	if (layout->protocol == TCP) {
		i = mutant_below(mutant, sizeof in_tcp / sizeof *in_tcp);
		*at = layout->transport + in_tcp[i].offset;
		return in_tcp[i].width;
	}
	*at = layout->transport;
	return 2;
}

/* Changes of one frame */

static void change_number(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number];
	struct layout layout;
	unsigned width;
	uint32_t at;

	if (!find_layers(mutant, frame, &layout))
		return;
	width = any_number(mutant, &layout, &at);
	put(frame->bytes + at, other_number(mutant, get(frame->bytes + at, width)), width);
}

/* A number that another frame has at the same place: so two things share keys, queue pairs, numbers of messages. */
static void borrow_number(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number], *other = &mutant->frames[mutant_below(mutant, (uint32_t)mutant->count)];
	struct layout layout, others;
	uint32_t at, from;
	unsigned width;

	if (!find_layers(mutant, frame, &layout) || !find_layers(mutant, other, &others))
		return;
	width = any_number(mutant, &layout, &at);
	from = at >= layout.payload ? at - layout.payload + others.payload : layout.reth && at >= layout.reth ? at - layout.reth + others.reth :
		at - layout.transport + others.transport;
	if (from + width <= other->captured)
		memmove(frame->bytes + at, other->bytes + from, width);
}

static void change_byte(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number];

	if (frame->captured)
		frame->bytes[mutant_below(mutant, frame->captured)] = (uint8_t)next_random(mutant);
}

static void change_opcode(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number];
	struct layout layout;

	if (find_layers(mutant, frame, &layout) && layout.bth)
		frame->bytes[layout.bth] = opcodes[mutant_below(mutant, sizeof opcodes)];
}

/* The control bits of the FPDU at the payload's beginning: tagged, last, the RDMAP opcode. */
static void change_ddp(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number];
	struct layout layout;

	if (!find_layers(mutant, frame, &layout) || layout.protocol != TCP || layout.end < layout.payload + 4)
		return;
	if (one_in(mutant, 2))
		frame->bytes[layout.payload + 2] ^= (uint8_t)(0x40 << mutant_below(mutant, 2));
	else
		frame->bytes[layout.payload + 3] = (uint8_t)(0x40 | mutant_below(mutant, 12));
}

static void change_length(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number];
	struct layout layout;
	int32_t by = (int32_t)mutant_below(mutant, 65) * 4 - 128;
	uint32_t room;

	if (!find_layers(mutant, frame, &layout))
		return;
	room = layout.end - layout.payload - (layout.bth ? 4 : 0);
	if (layout.bth && layout.end < layout.payload + 4)
		return;
	if (one_in(mutant, 8))
		by = -(int32_t)room;
	if (by < 0 && (uint32_t)-by > room)
		by = -(int32_t)(room & ~3u);
	resize(frame, &layout, layout.end - (layout.bth ? 4 : 0) - (uint32_t)(by < 0 ? -by : 0), by);
}

static void cut(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number];

	frame->captured = mutant_below(mutant, frame->captured + 1);
}

/* Two segments of TCP, or two fragments of IPv4, instead of one frame; the second one first at times. */
static void split(struct mutant *mutant, size_t number)
{
	struct mutant_frame *frame = &mutant->frames[number], *second;
	struct layout layout;
	uint32_t at, rest;
	bool fragments;

	if (!find_layers(mutant, frame, &layout))
		return;
	fragments = !layout.six && layout.protocol == UDP;
	if (!fragments && layout.protocol != TCP)
		return;
	at = fragments ? layout.transport : layout.payload;
	if (layout.end < at + 16)
		return;
	at += mutant_below(mutant, layout.end - at);
	if (fragments)
		at -= (at - layout.transport) % 8;
	rest = layout.end - at;
	if (at == layout.transport || !add_copy(mutant, frame))
		return;
	frame = &mutant->frames[number];
	second = &mutant->frames[mutant->count - 1];
	if (fragments) {
		repair(mutant, frame);
		memcpy(second->bytes, frame->bytes, frame->captured);
		put(frame->bytes + layout.ip + 6, 0x2000, 2);
		put(second->bytes + layout.ip + 6, (at - layout.transport) / 8, 2);
		layout.protocol = 0;
		resize(frame, &layout, at, -(int32_t)rest);
		resize(second, &layout, layout.transport, -(int32_t)(at - layout.transport));
	} else {
		put(second->bytes + layout.transport + 4, get(frame->bytes + layout.transport + 4, 4) + at - layout.payload, 4);
		resize(frame, &layout, at, -(int32_t)rest);
		resize(second, &layout, layout.payload, -(int32_t)(at - layout.payload));
		repair(mutant, second);
	}
	move(mutant, mutant->count - 1, one_in(mutant, 3) ? number : number + 1);
}

/* Changes of order and time */

static void lose(struct mutant *mutant, size_t number)
{
	size_t count = one_in(mutant, 4) ? 1 + mutant_below(mutant, 16) : 1;

	while (count-- && number < mutant->count)
		drop(mutant, number);
}

static void repeat(struct mutant *mutant, size_t number)
{
	size_t count = one_in(mutant, 4) ? 1 + mutant_below(mutant, 16) : 1, to = number + mutant_below(mutant, one_in(mutant, 4) ? 256 : 16);

	while (count-- && number < mutant->count && add_copy(mutant, &mutant->frames[number])) {
		move(mutant, mutant->count - 1, to < mutant->count ? to : mutant->count - 1);
		number += to <= number ? 2 : 1;
		to++;
	}
}

static void reorder(struct mutant *mutant, size_t number)
{
	size_t to = number + 1 + mutant_below(mutant, one_in(mutant, 4) ? 64 : 4);

	move(mutant, number, to < mutant->count ? to : mutant->count - 1);
}

static void wait_a_while(struct mutant *mutant, size_t number)
{
	static const int64_t pauses[] = { SECOND / 1000, SECOND / 2, SECOND, SECOND * 2, SECOND * 3, SECOND * 59, SECOND * 61, SECOND * 300, -SECOND };
	int64_t pause = pauses[mutant_below(mutant, sizeof pauses / sizeof *pauses)] + (int64_t)mutant_below(mutant, 1000000);

	for (; number < mutant->count; number++)
		mutant->frames[number].time_ns += pause;
}

/* All frames of one sender are lost from here on. */
static void lose_direction(struct mutant *mutant, size_t number)
{
	struct layout layout, other;
	uint8_t address[4];

	if (!one_in(mutant, 4) || !find_layers(mutant, &mutant->frames[number], &layout))
		return;
	memcpy(address, mutant->frames[number].bytes + layout.ip + (layout.six ? 20 : 12), 4);
	for (size_t i = mutant->count; i-- > number;)
		if (find_layers(mutant, &mutant->frames[i], &other) && !memcmp(mutant->frames[i].bytes + other.ip + (other.six ? 20 : 12), address, 4))
			drop(mutant, i);
}

/* From here on, all that had one value of a number in the transport's headers has another frame's. */
static void alias(struct mutant *mutant, size_t number)
{
	struct mutant_frame *other = &mutant->frames[mutant_below(mutant, (uint32_t)mutant->count)];
	bool of_bth = one_in(mutant, 2), of_address = one_in(mutant, 4);
	struct layout layout, others;
	uint32_t old, new, offset, width;

	if (!find_layers(mutant, &mutant->frames[number], &layout) || !find_layers(mutant, other, &others) || layout.six != others.six)
		return;
	of_bth = of_bth && layout.bth && others.bth;
	offset = of_address ? (layout.six ? 20 : 12) : of_bth ? 13 : 0;
	width = of_address ? 4 : of_bth ? 3 : 2;
	old = get(mutant->frames[number].bytes + (of_address ? layout.ip : layout.transport) + offset, width);
	new = get(other->bytes + (of_address ? others.ip : others.transport) + offset, width);
	for (size_t i = number; i < mutant->count; i++) {
		struct mutant_frame *frame = &mutant->frames[i];

		if (!find_layers(mutant, frame, &others))
			continue;
		/* an address or a port is one of the source or of the destination */
		for (uint32_t side = 0; side < (of_bth && !of_address ? 1u : 2u); side++) {
			uint32_t step = of_address ? (others.six ? 16 : 4) : 2;
			uint8_t *at = frame->bytes + (of_address ? others.ip : others.transport) + offset + side * step;

			if ((!of_bth || others.bth) && get(at, width) == old && at + width <= frame->bytes + frame->captured) {
				put(at, new, width);
				repair(mutant, frame);
			}
		}
	}
}

/* The sequence of one direction goes on elsewhere. */
static void shift_sequence(struct mutant *mutant, size_t number)
{
	struct layout layout, other;
	uint32_t by = other_number(mutant, 0);

	if (!find_layers(mutant, &mutant->frames[number], &layout))
		return;
	for (size_t i = number; i < mutant->count; i++) {
		uint8_t *bytes = mutant->frames[i].bytes;

		if (!find_layers(mutant, &mutant->frames[i], &other) || other.protocol != layout.protocol || !other.bth != !layout.bth ||
		    memcmp(bytes + other.ip + 12, mutant->frames[number].bytes + layout.ip + 12, 8))
			continue;
		if (other.bth)
			put(bytes + other.bth + 9, get(bytes + other.bth + 9, 3) + by, 3);
		else if (other.protocol == TCP)
			put(bytes + other.transport + 4, get(bytes + other.transport + 4, 4) + by, 4);
		repair(mutant, &mutant->frames[i]);
	}
}

static const struct change {
	void (*change)(struct mutant *mutant, size_t number);
	uint8_t weight;
	bool repairs; /* it is of one frame, whose checksums are put right */
} changes_known[] = {
	{ change_number, 6, true }, { borrow_number, 6, true }, { change_byte, 1, true }, { change_opcode, 2, true }, { change_ddp, 2, true },
	{ change_length, 2, true }, { cut, 1, false }, { split, 2, false }, { lose, 4, false }, { repeat, 3, false }, { reorder, 4, false },
	{ wait_a_while, 2, false }, { lose_direction, 1, false }, { alias, 3, false }, { shift_sequence, 1, false },
};

#define CHANGES_KNOWN (sizeof changes_known / sizeof *changes_known)

void mutant_change(struct mutant *mutant, unsigned changes)
{
	uint32_t weights = 0;

	for (size_t i = 0; i < CHANGES_KNOWN; i++)
		weights += changes_known[i].weight;
	for (unsigned n = 0; n < changes && mutant->count; n++) {
		size_t number = mutant_below(mutant, (uint32_t)mutant->count);
		uint32_t weight = mutant_below(mutant, weights);
		const struct change *change = changes_known;

		while (weight >= change->weight)
			weight -= change++->weight;
		change->change(mutant, number);
		if (change->repairs && !one_in(mutant, 16))
			repair(mutant, &mutant->frames[number]);
	}
}

void mutant_splice(struct mutant *mutant, const struct mutant *other)
{
	size_t begin, count, at, first = mutant->count;
	int64_t later;

	if (!other->count || !mutant->count || other->link_type != mutant->link_type)
		return;
	begin = mutant_below(mutant, (uint32_t)other->count);
	count = 1 + mutant_below(mutant, 64);
	at = mutant_below(mutant, (uint32_t)mutant->count);
	later = mutant->frames[at].time_ns - other->frames[begin].time_ns;
	mutant_copy(mutant, other, begin, count);
	for (size_t i = first; i < mutant->count; i++)
		mutant->frames[i].time_ns += later;
	/* between the frames of the other one, or all at once */
	for (size_t i = first; i < mutant->count; i++) {
		move(mutant, i, at);
		at += 1 + (one_in(mutant, 2) ? mutant_below(mutant, 4) : 0);
		if (at > i)
			at = i;
	}
	for (unsigned n = mutant_below(mutant, 4); n; n--)
		alias(mutant, mutant_below(mutant, (uint32_t)mutant->count));
}
