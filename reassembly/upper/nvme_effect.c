/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "reassembly/block_effect.h"
#include "reassembly/upper/nvme_effect.h"

/* Copy: NVM, 3.2.2; descriptor formats 2 and 3, of NVM 1.1, name the namespace. */
#define COPY_RANGES NVME_AT(12, 0, 8)
#define COPY_FORMAT NVME_AT(12, 8, 4)
#define COPY_SHORT 32             /* bytes of a descriptor of formats 0 and 2 */
#define COPY_LONG 40
#define COPY_NSID 0, 32
#define COPY_SLBA 64, 64
#define COPY_BLOCKS 128, 16       /* less 1 */
#define ZONE_ACTION NVME_AT(13, 0, 8)
#define ZONE_ALL NVME_AT(13, 8, 1)
#define ZONE_RESET 0x04
/* Namespace Management and Sanitize: Base, 5.23 and 5.24. */
#define NAMESPACE_SELECT NVME_AT(10, 0, 4)
#define SANITIZE_ACTION NVME_AT(10, 0, 3)
enum { NAMESPACE_DELETE = 1, SANITIZE_BLOCK_ERASE = 2, SANITIZE_CRYPTO_ERASE = 4 };

/* The blocks of a failed or unanswered command are unknown if the controller may have begun it. Base, 4.2.3. */
static bool may_have_begun(const struct nvme_ended *ended)
{
	uint16_t code = NVME_STATUS_CODE(ended->status);

	/* transfer error, power loss, internal error, aborted; aborted by preemption; interrupted, transient transport error */
	return !ended->has_status || code >> 8 >= 2 || (code >= 0x04 && code <= 0x08) || code == 0x1b || code == 0x21 || code == 0x22;
}

static bool is_good(const struct nvme_ended *ended)
{
	return ended->has_status && !NVME_STATUS_CODE(ended->status);
}

static void give(struct rtap_tracker *tracker, const struct block_effect *effect)
{
	tracker->take_effect(tracker->effect_owner, effect);
}

/* Sets the range. Without a size of blocks, or beyond what a device can have, it stays empty. */
static void place(struct block_effect *effect, uint64_t first, uint64_t blocks, uint32_t block_size)
{
	effect->offset = effect->length = 0;
	if (!block_size || first > UINT64_MAX / block_size || blocks > UINT64_MAX / block_size)
		return;
	effect->offset = first * block_size;
	effect->length = blocks * block_size;
}

/* The other ranges were not captured: from there on all blocks are unknown. */
static void spoil_from(struct rtap_tracker *tracker, struct block_effect *effect, uint64_t first, uint32_t block_size)
{
	place(effect, first, 0, block_size);
	effect->kind = BLOCK_SPOILED;
	effect->to_end = block_size;
	give(tracker, effect);
}

/* Deallocated ranges: 16 bytes each. NVM, 3.2.3. */
static void deallocate(struct rtap_tracker *tracker, const struct nvme_ended *ended, struct block_effect *effect, uint32_t block_size)
{
	uint32_t count = (uint32_t)little_bits(ended->bytes, NVME_RANGES) + 1, i;
	uint64_t length = 0;
	const uint8_t *bytes = coverage_first_bytes(ended->data, &length);

	effect->kind = is_good(ended) ? BLOCK_ZEROED : BLOCK_SPOILED;
	for (i = 0; bytes && i < count && (i + 1) * NVME_RANGE_LENGTH <= length; i++) {
		const uint8_t *range = bytes + i * NVME_RANGE_LENGTH;

		place(effect, little_bits(range, 64, 64), little_bits(range, 32, 32), block_size);
		if (effect->length || !block_size)
			give(tracker, effect);
	}
	if (i < count)
		spoil_from(tracker, effect, 0, block_size);
}

/* Source ranges, which go one after another to the destination. */
static void copy(struct rtap_tracker *tracker, const struct nvme_ended *ended, struct block_effect *effect, uint32_t block_size)
{
	uint32_t count = (uint32_t)little_bits(ended->bytes, COPY_RANGES) + 1, format = (uint32_t)little_bits(ended->bytes, COPY_FORMAT);
	uint32_t size = format & 1 ? COPY_LONG : COPY_SHORT, i;
	uint64_t length = 0, to = little_bits(ended->bytes, NVME_SLBA);
	const uint8_t *bytes = coverage_first_bytes(ended->data, &length);

	/* the layout of other formats is not known */
	for (i = 0; bytes && format <= 3 && block_size && i < count && (i + 1) * size <= length; i++) {
		const uint8_t *range = bytes + i * size;
		uint64_t blocks = little_bits(range, COPY_BLOCKS) + 1, from = little_bits(range, COPY_SLBA);
		bool is_other = format >= 2 && little_bits(range, COPY_NSID) != effect->unit;

		place(effect, to, blocks, block_size);
		effect->kind = is_good(ended) && from <= UINT64_MAX / block_size ? BLOCK_COPIED : BLOCK_SPOILED;
		effect->source = effect->kind == BLOCK_COPIED ? from * block_size : 0;
		effect->source_unit = is_other ? little_bits(range, COPY_NSID) : effect->unit;
		give(tracker, effect);
		to += blocks;
	}
	if (i < count)
		spoil_from(tracker, effect, to, block_size);
}

/* A zone that is reset is deallocated. Zoned Namespace Command Set 1.1, 3.4.3. */
static void reset_zone(struct rtap_tracker *tracker, const struct nvme_ended *ended, struct block_effect *effect, uint32_t block_size)
{
	bool is_all = little_bits(ended->bytes, ZONE_ALL);

	if (little_bits(ended->bytes, ZONE_ACTION) != ZONE_RESET)
		return;
	effect->kind = is_good(ended) ? BLOCK_ZEROED : BLOCK_SPOILED;
	place(effect, is_all ? 0 : little_bits(ended->bytes, NVME_SLBA),
	      is_all ? 0 : nvme_zone_blocks(tracker, ended->request, (uint32_t)effect->unit), block_size);
	effect->to_end = is_all;
	give(tracker, effect);
}

/* Whether a command of the admin queue leaves undefined block contents. Base, 5.14, 5.15, 5.24. */
static bool destroys(const struct nvme_ended *ended)
{
	switch (ended->code) {
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_FORMAT): return true;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_NAMESPACE_MANAGEMENT): return little_bits(ended->bytes, NAMESPACE_SELECT) == NAMESPACE_DELETE;
	case NVME_CODE(NVME_SPACE_ADMIN, NVME_SANITIZE): return little_bits(ended->bytes, SANITIZE_ACTION) >= SANITIZE_BLOCK_ERASE &&
								little_bits(ended->bytes, SANITIZE_ACTION) <= SANITIZE_CRYPTO_ERASE;
	default: return false;
	}
}

/*
 * Format NVM and the deletion of a namespace concern one namespace or all. Sanitize concerns all of the subsystem and continues after its
 * response, but no command reads or writes meanwhile.
 */
static void destroy(struct rtap_tracker *tracker, const struct nvme_ended *ended, struct block_effect *effect)
{
	if (!destroys(ended))
		return;
	if (effect->unit == UINT32_MAX || ended->code == NVME_CODE(NVME_SPACE_ADMIN, NVME_SANITIZE))
		effect->unit = BLOCK_ALL_UNITS;
	effect->kind = BLOCK_SPOILED;
	effect->to_end = true;
	give(tracker, effect);
}

/* How a command that succeeded changed the blocks that it names. */
static enum block_effect_kind kind_of(uint8_t opcode)
{
	switch (opcode) {
	case NVME_READ: case NVME_COMPARE: return BLOCK_READ;
	case NVME_WRITE: case NVME_ZONE_APPEND: return BLOCK_WRITTEN;
	case NVME_WRITE_ZEROES: return BLOCK_ZEROED;
	default: return BLOCK_SPOILED;
	}
}

/* Commands with a range of blocks. */
static void take_blocks(struct rtap_tracker *tracker, const struct nvme_ended *ended, struct block_effect *effect, uint32_t block_size)
{
	uint8_t opcode = ended->bytes[0];

	if (opcode == NVME_VERIFY || (!is_good(ended) && kind_of(opcode) == BLOCK_READ))
		return;
	effect->kind = is_good(ended) ? kind_of(opcode) : BLOCK_SPOILED;
	effect->data = ended->data;
	effect->cut = ended->cut;
	/* where the data of Zone Append went is in its response: Zoned Namespace Command Set 1.1, 3.4.1 */
	if (opcode != NVME_ZONE_APPEND)
		place(effect, little_bits(ended->bytes, NVME_SLBA), little_bits(ended->bytes, NVME_NLB) + 1, block_size);
	else if (is_good(ended))
		place(effect, ended->result, little_bits(ended->bytes, NVME_NLB) + 1, block_size);
	give(tracker, effect);
}

void nvme_effect(struct rtap_tracker *tracker, const struct nvme_ended *ended)
{
	uint32_t nsid = (uint32_t)little_bits(ended->bytes, NVME_NSID), block_size = ended->block_size;
	const char *name = nvme_target_name(ended->queue);
	char address[NVME_ADDRESS_TEXT];
	struct block_effect effect = {
		.target = name ? name : address, .address = address, .is_nameless = !name, .unit = nsid, .source_unit = nsid,
		.request_frame = ended->request->first_frame, .response_frame = ended->response_frame, .time_ns = ended->request->time_ns,
	};

	if (!is_good(ended) && !may_have_begun(ended))
		return;
	nvme_target_address(ended->request, address);
	if (NVME_CODE_SPACE(ended->code) != NVME_SPACE_IO) {
		destroy(tracker, ended, &effect);
		return;
	}
	switch (ended->bytes[0]) {
	case NVME_DATASET_MANAGEMENT:
		if (little_bits(ended->bytes, NVME_DEALLOCATES))
			deallocate(tracker, ended, &effect, block_size);
		break;
	case NVME_COPY: copy(tracker, ended, &effect, block_size); break;
	case NVME_ZONE_SEND: reset_zone(tracker, ended, &effect, block_size); break;
	case NVME_READ: case NVME_WRITE: case NVME_COMPARE: case NVME_WRITE_ZEROES: case NVME_WRITE_UNCORRECTABLE: case NVME_VERIFY: case NVME_ZONE_APPEND:
		take_blocks(tracker, ended, &effect, block_size);
		break;
	default: break;
	}
}
