/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/nvme/nvme.h"
#include "reassembly/upper/nvme_memory.h"

#define SGL1 24                /* bytes of the command before it */

struct descriptor {
	uint64_t address;
	uint32_t length, key;      /* key: of a keyed one */
	uint8_t type, subtype;
};

/* The places of SGL1 are those in the command. */
static struct descriptor descriptor_of(const uint8_t *bytes)
{
	const uint8_t *command = bytes - SGL1;
	struct descriptor found = {
		.address = little_bits(command, NVME_SGL_ADDRESS), .type = (uint8_t)little_bits(command, NVME_SGL_TYPE),
		.subtype = (uint8_t)little_bits(command, NVME_SGL_SUBTYPE), .key = (uint32_t)little_bits(command, NVME_SGL_KEY),
	};

	found.length = (uint32_t)(found.type == NVME_SGL_KEYED ? little_bits(command, NVME_SGL_LENGTH) : little_bits(command, NVME_SGL_LONG_LENGTH));
	return found;
}

/* Adds a descriptor's data, which follows that of the ones before it. */
static void add(const struct descriptor *descriptor, bool is_to_host, struct nvme_piece *pieces, uint32_t *count, uint64_t *length)
{
	if (descriptor->type == NVME_SGL_KEYED && descriptor->length && *count < NVME_MOST_PIECES)
		pieces[(*count)++] = (struct nvme_piece){ descriptor->address, *length, descriptor->length, descriptor->key };
	/* data to the controller has nothing for a bit bucket: Base, 4.1.2.1 */
	if (descriptor->type != NVME_SGL_BIT_BUCKET || is_to_host)
		*length += descriptor->length;
}

/* Whether descriptors in the capsule follow. */
static bool is_segment(const struct descriptor *descriptor)
{
	return (descriptor->type == NVME_SGL_SEGMENT || descriptor->type == NVME_SGL_LAST_SEGMENT) && descriptor->subtype == NVME_SGL_IS_OFFSET;
}

uint32_t nvme_memory_read(const uint8_t *command, struct rtap_span inside, struct nvme_piece *pieces, uint64_t *length, bool *is_partial)
{
	struct descriptor next = descriptor_of(command + SGL1), segment = next;
	bool is_to_host = nvme_is_to_host(nvme_direction_of(command)), is_alone = !is_segment(&next);
	uint32_t count = 0, left = NVME_MOST_PIECES;

	*length = 0;
	*is_partial = false;
	if (is_alone) {
		add(&next, is_to_host, pieces, &count, length);
		*is_partial = next.type != NVME_SGL_KEYED && next.length && (next.type != NVME_SGL_DATA || next.subtype != NVME_SGL_IS_OFFSET);
		return count;
	}
	/* the last descriptor of a segment can be that of the next one */
	while (is_segment(&segment)) {
		uint64_t at = segment.address, end = at + segment.length;

		segment.type = NVME_SGL_DATA;
		*is_partial |= end < at || end > inside.length || !left;
		for (; end <= inside.length && at < end && end - at >= NVME_SGL_DESCRIPTOR && left; at += NVME_SGL_DESCRIPTOR, left--) {
			next = descriptor_of(inside.bytes + at);
			if (end - at < 2 * NVME_SGL_DESCRIPTOR && is_segment(&next)) {
				segment = next;
				continue;
			}
			add(&next, is_to_host, pieces, &count, length);
			*is_partial |= next.type != NVME_SGL_KEYED && next.type != NVME_SGL_BIT_BUCKET && next.length;
		}
	}
	return count;
}

bool nvme_memory_join(const struct command *command, const struct nvme_piece *pieces, uint32_t count, struct coverage *data, struct coverage *cut)
{
	bool good = true;

	for (uint32_t i = 0; i < count && good; i++) {
		const struct region_name range = {
			.begin = pieces[i].address, .end = pieces[i].address + pieces[i].length, .key = pieces[i].key,
			.is_read = command->request.region_count && command->request.regions[0].is_read,
		};

		good = command_copy_data(command, &range, pieces[i].position, data, cut);
	}
	return good;
}
