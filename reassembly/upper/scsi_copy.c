/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/protocol.h"
#include "reassembly/upper/scsi_copy.h"

/* Parameter lists, in bytes. SPC-4, 6.4.1 and 6.5.1. */
#define SHORT_HEADER 16
#define LONG_HEADER 48
/* Descriptors of copy sources and destinations: SPC-4, 6.4.5. Of block devices: the bytes of a block. */
#define DEVICE_LENGTH 32
#define DEVICE_TYPE 1             /* in the lowest five bits; 0: a block device */
#define DEVICE_BLOCK 28           /* in the lower three of four bytes */
/* Segment descriptors: SPC-4, 6.4.6. */
enum segment {
	BLOCK_TO_STREAM = 0x00, BLOCK_TO_BLOCK = 0x02, VERIFY_DEVICE = 0x07, BLOCK_TO_BLOCK_WITH_OFFSET = 0x0a, BLOCK_TO_STREAM_AND_HOLD = 0x0b,
};
#define SEGMENT_HEADER 4          /* bytes that its length does not count */
#define SEGMENT_SOURCE 4
#define SEGMENT_DESTINATION 6
#define BLOCKS_LENGTH 28          /* of BLOCK_TO_BLOCK */
#define BLOCKS_COUNT 10
#define BLOCKS_TO 20
#define COUNTS_DESTINATION 0x02   /* in byte 1: DC */
#define OFFSET_LENGTH 32          /* of BLOCK_TO_BLOCK_WITH_OFFSET */
#define OFFSET_BYTES 8
#define OFFSET_TO 20
#define OFFSET_IN_BLOCK 30
/* SBC-4, 5.58.2. */
#define TOKEN_RANGES_LENGTH 534
#define TOKEN_RANGES 536
#define TOKEN_RANGE 16

struct list {
	const uint8_t *devices, *segments;
	uint32_t device_count;
	uint64_t segment_bytes;
};

static void spoil(struct rtap_tracker *tracker, struct block_effect *effect)
{
	effect->kind = BLOCK_SPOILED;
	tracker->take_effect(tracker->options.owner, effect);
}

/* Nothing says what was changed. */
static void spoil_all(struct rtap_tracker *tracker, struct block_effect *effect)
{
	effect->offset = effect->length = 0;
	effect->to_end = true;
	spoil(tracker, effect);
}

static bool find_lists(const uint8_t *bytes, uint64_t length, bool is_long, struct list *list)
{
	uint32_t header = is_long ? LONG_HEADER : SHORT_HEADER, devices;

	if (!bytes || length < header)
		return false;
	devices = load16(bytes + (is_long ? 42 : 2));
	list->segment_bytes = is_long ? load16(bytes + 44) : load32(bytes + 8);
	list->device_count = devices / DEVICE_LENGTH;
	list->devices = bytes + header;
	list->segments = list->devices + devices;
	return devices <= length - header && list->segment_bytes <= length - header - devices;
}

/* Bytes of a block of the device; 0: unknown. */
static uint32_t block_of(const struct list *list, uint32_t index)
{
	const uint8_t *device = list->devices + (uint64_t)index * DEVICE_LENGTH;

	return index < list->device_count && !(device[DEVICE_TYPE] & 0x1f) ? load32(device + DEVICE_BLOCK) & 0xffffff : 0;
}

/* Where a segment of `length` bytes writes. False: it is not known. */
static bool place(const struct list *list, const uint8_t *segment, uint64_t length, struct block_effect *effect)
{
	uint32_t to = load16(segment + SEGMENT_DESTINATION), to_size = block_of(list, to), counted = to_size;
	uint64_t first, within = 0;

	effect->length = 0;
	switch (segment[0]) {
	case BLOCK_TO_STREAM: case BLOCK_TO_STREAM_AND_HOLD: case VERIFY_DEVICE: return true;
	case BLOCK_TO_BLOCK:
		if (length < BLOCKS_LENGTH)
			return false;
		if (!(segment[1] & COUNTS_DESTINATION))
			counted = block_of(list, load16(segment + SEGMENT_SOURCE));
		first = load64(segment + BLOCKS_TO);
		effect->length = (uint64_t)load16(segment + BLOCKS_COUNT) * counted;
		break;
	case BLOCK_TO_BLOCK_WITH_OFFSET:
		if (length < OFFSET_LENGTH)
			return false;
		first = load64(segment + OFFSET_TO);
		within = load16(segment + OFFSET_IN_BLOCK);
		effect->length = load32(segment + OFFSET_BYTES);
		break;
	default: return false;
	}
	if (!to_size || !counted || first > (UINT64_MAX - within) / to_size)
		return false;
	effect->offset = first * to_size + within;
	return true;
}

/* The devices are designated by identifiers: which unit of the target a destination is, or whether it is of this target, is not known. */
void scsi_copy_extended(struct rtap_tracker *tracker, const uint8_t *bytes, uint64_t length, bool is_long, struct block_effect *effect)
{
	struct list list;
	bool is_known = find_lists(bytes, length, is_long, &list);

	effect->unit = BLOCK_ALL_UNITS;
	for (uint64_t at = 0, size; is_known && at < list.segment_bytes; at += size) {
		const uint8_t *segment = list.segments + at;

		size = list.segment_bytes - at < 2 * SEGMENT_HEADER ? 0 : (uint64_t)load16(segment + 2) + SEGMENT_HEADER;
		is_known = size >= 2 * SEGMENT_HEADER && size <= list.segment_bytes - at && place(&list, segment, size, effect);
		if (is_known && effect->length)
			spoil(tracker, effect);
	}
	if (!is_known)
		spoil_all(tracker, effect);
}

void scsi_copy_token(struct rtap_tracker *tracker, const uint8_t *bytes, uint64_t length, uint32_t block_size, struct block_effect *effect)
{
	uint64_t end = bytes && length >= TOKEN_RANGES ? TOKEN_RANGES + (uint64_t)load16(bytes + TOKEN_RANGES_LENGTH) : 0;

	if (!end || end > length || !block_size) {
		spoil_all(tracker, effect);
		return;
	}
	for (uint64_t at = TOKEN_RANGES; at + TOKEN_RANGE <= end; at += TOKEN_RANGE) {
		uint64_t lba = load64(bytes + at);

		effect->length = (uint64_t)load32(bytes + at + 8) * block_size;
		if (!effect->length || lba > UINT64_MAX / block_size)
			continue;
		effect->offset = lba * block_size;
		spoil(tracker, effect);
	}
}
