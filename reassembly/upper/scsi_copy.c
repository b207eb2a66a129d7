/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/protocol.h"
#include "reassembly/upper/scsi_copy.h"

/* Parameter lists, in bytes. SPC-4, 6.4.1 and 6.5.1. */
#define SHORT_HEADER 16
#define LONG_HEADER 48
/* Descriptors of copy sources and destinations: SPC-4, 6.4.5. Of block devices: the bytes of a block. */
#define DEVICE_LENGTH 32
#define DEVICE_BY_DESIGNATOR 0xe4
#define DEVICE_DESIGNATOR 4
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
#define SEGMENT_FROM 12           /* of both kinds of segments below: the first block of the source */
#define BLOCKS_TO 20
#define COUNTS_DESTINATION 0x02   /* in byte 1: DC */
#define OFFSET_LENGTH 32          /* of BLOCK_TO_BLOCK_WITH_OFFSET */
#define OFFSET_BYTES 8
#define OFFSET_TO 20
#define OFFSET_IN_SOURCE 28
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
	tracker->take_effect(tracker->effect_owner, effect);
}

/* It is unknown which blocks were changed. */
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

/* The unit of a device; *unit is unchanged if it is unknown. */
static bool find_unit(const struct list *list, uint32_t index, const struct scsi_copy *copy, const char *target, uint64_t *unit)
{
	const uint8_t *device = list->devices + (uint64_t)index * DEVICE_LENGTH;

	return index < list->device_count && device[0] == DEVICE_BY_DESIGNATOR && scsi_units_find(copy->units, target, device + DEVICE_DESIGNATOR, unit);
}

/* The position of `within` bytes after a block. False: unknown. */
static bool bytes_at(uint64_t block, uint32_t size, uint64_t within, uint64_t *offset)
{
	if (!size || block > (UINT64_MAX - within) / size)
		return false;
	*offset = block * size + within;
	return true;
}

/* Where a segment of `length` bytes writes, and what. False: it is not known where. */
static bool place(const struct list *list, const uint8_t *segment, uint64_t length, const struct scsi_copy *copy, struct block_effect *effect)
{
	uint32_t from = load16(segment + SEGMENT_SOURCE), to = load16(segment + SEGMENT_DESTINATION);
	uint32_t from_size = block_of(list, from), to_size = block_of(list, to), counted;
	uint64_t from_within = 0, within = 0;
	bool is_copied;

	effect->length = 0;
	effect->unit = BLOCK_ALL_UNITS;
	switch (segment[0]) {
	case BLOCK_TO_STREAM: case BLOCK_TO_STREAM_AND_HOLD: case VERIFY_DEVICE: return true;
	case BLOCK_TO_BLOCK:
		counted = segment[1] & COUNTS_DESTINATION ? to_size : from_size;
		if (length < BLOCKS_LENGTH || !counted)
			return false;
		effect->length = (uint64_t)load16(segment + BLOCKS_COUNT) * counted;
		break;
	case BLOCK_TO_BLOCK_WITH_OFFSET:
		if (length < OFFSET_LENGTH)
			return false;
		from_within = load16(segment + OFFSET_IN_SOURCE);
		within = load16(segment + OFFSET_IN_BLOCK);
		effect->length = load32(segment + OFFSET_BYTES);
		break;
	default: return false;
	}
	/* parts of blocks are padded, or go on in the next segment: SPC-4, 6.4.6.2 */
	is_copied = copy->is_good && bytes_at(load64(segment + SEGMENT_FROM), from_size, from_within, &effect->source) && from_size == to_size &&
		    find_unit(list, from, copy, effect->target, &effect->source_unit);
	is_copied &= find_unit(list, to, copy, effect->target, &effect->unit);
	effect->kind = is_copied ? BLOCK_COPIED : BLOCK_SPOILED;
	_Static_assert(BLOCKS_TO == OFFSET_TO, "both kinds of segments have the destination at the same place");
	return bytes_at(load64(segment + BLOCKS_TO), to_size, within, &effect->offset);
}

/* A device whose designator is not known can be any unit of the target. */
void scsi_copy_extended(struct rtap_tracker *tracker, const struct scsi_copy *copy, struct block_effect *effect)
{
	struct list list;
	bool is_known = find_lists(copy->bytes, copy->length, copy->is_long, &list);

	for (uint64_t at = 0, size; is_known && at < list.segment_bytes; at += size) {
		const uint8_t *segment = list.segments + at;

		size = list.segment_bytes - at < 2 * SEGMENT_HEADER ? 0 : (uint64_t)load16(segment + 2) + SEGMENT_HEADER;
		is_known = size >= 2 * SEGMENT_HEADER && size <= list.segment_bytes - at && place(&list, segment, size, copy, effect);
		if (is_known && effect->length)
			tracker->take_effect(tracker->effect_owner, effect);
	}
	if (is_known)
		return;
	effect->unit = BLOCK_ALL_UNITS;
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
