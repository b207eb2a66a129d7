/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "capture/file/file.h"
#include "capture/file/pcapng.h"
#include "capture/file/record_search.h"

#define CHAIN 16                /* plausible records in a row */
#define LEAST_CHAIN 3           /* if the bytes end after them */
#define RECORD_LENGTH 16        /* pcap. draft-ietf-opsawg-pcap, 5 */
#define RECORD_FRACTION 4
#define RECORD_CAPTURED 8
#define RECORD_WIRE 12
#define MOST_SECONDS 86400      /* between records */
#define LAST_TYPE 0x20          /* of the block types that are assigned in a row; draft-ietf-opsawg-pcapng, 10.1 */
#define LEAST_FRAME 8           /* captured bytes: zeros are no chain of records */

static uint32_t number_at(const struct record_search *search, const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof value);
	return search->swapped ? __builtin_bswap32(value) : value;
}

/* Length of a plausible record of pcap, with its header; 0: it is none. *seconds: of the one before, and then its own; -1: none before. */
static size_t pcap_length(const struct record_search *search, const uint8_t *record, int64_t *seconds)
{
	uint32_t captured = number_at(search, record + RECORD_CAPTURED), wire = number_at(search, record + RECORD_WIRE);
	int64_t before = *seconds, own = number_at(search, record);

	if (captured < LEAST_FRAME || captured > FILE_MAX_CAPTURED || captured > wire || wire > FILE_MAX_CAPTURED ||
	    number_at(search, record + RECORD_FRACTION) >= search->fraction_limit)
		return 0;
	if (before >= 0 && (own < before - MOST_SECONDS || own > before + MOST_SECONDS))
		return 0;
	*seconds = own;
	return RECORD_LENGTH + captured;
}

static bool is_block_type(uint32_t type)
{
	return (type && type <= LAST_TYPE) || type == PCAPNG_SECTION || type == PCAPNG_CUSTOM || type == PCAPNG_CUSTOM_LOCAL;
}

/* Length of a plausible block of pcapng, as far as it is among the bytes; 0: it is none. */
static size_t pcapng_length(const struct record_search *search, const uint8_t *block, size_t left)
{
	uint32_t length = number_at(search, block + 4), type = number_at(search, block);

	if (!is_block_type(type) || length < PCAPNG_BLOCK_LEAST || length % 4 || length > PCAPNG_BLOCK_MOST)
		return 0;
	if (length <= left && number_at(search, block + length - 4) != length)
		return 0;
	if (type == PCAPNG_PACKET && length < PCAPNG_BLOCK_LEAST + PCAPNG_PACKET_LENGTH)
		return 0;
	if (type == PCAPNG_PACKET && left >= PCAPNG_BLOCK_HEADER + PCAPNG_PACKET_LENGTH &&
	    number_at(search, block + PCAPNG_BLOCK_HEADER + PCAPNG_PACKET_CAPTURED) > length - PCAPNG_BLOCK_LEAST - PCAPNG_PACKET_LENGTH)
		return 0;
	return length;
}

static bool begins_chain(const struct record_search *search, const uint8_t *bytes, size_t length, bool is_end)
{
	const size_t least = search->is_pcapng ? PCAPNG_BLOCK_LEAST : RECORD_LENGTH;
	int64_t seconds = -1;
	unsigned count = 0;

	while (count < CHAIN && length >= least) {
		size_t next = search->is_pcapng ? pcapng_length(search, bytes, length) : pcap_length(search, bytes, &seconds);

		if (!next || (next > length && is_end))
			return false;
		count++;
		if (next > length)
			return count >= LEAST_CHAIN;
		bytes += next;
		length -= next;
	}
	/* a file that ends with its last record needs no more of them */
	return count == CHAIN || (is_end ? count && !length : count >= LEAST_CHAIN);
}

size_t record_search(const struct record_search *search, const uint8_t *bytes, size_t length, uint64_t offset, bool is_end)
{
	/* all blocks have lengths that are multiples of 4 */
	const size_t step = search->is_pcapng ? 4 : 1, least = search->is_pcapng ? PCAPNG_BLOCK_LEAST : RECORD_LENGTH;

	for (size_t at = (step - (size_t)(offset % step)) % step; at + least <= length; at += step)
		if (begins_chain(search, bytes + at, length - at, is_end))
			return at;
	return RECORD_SEARCH_NONE;
}
