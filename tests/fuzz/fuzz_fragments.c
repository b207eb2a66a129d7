/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP datagrams out of any pieces. Every byte is a function of its place, so that what is put together can be checked.
 * Input: records of RECORD_LENGTH bytes, a piece each.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "dissect/engine/protocol.h"
#include "reassembly/stream/ip_fragments.h"

#include "harness.h"

#define RECORD_LENGTH 6
#define MOST_RECORDS 5000
#define LIMIT 200000

/* Byte 0. */
enum {
	MORE = 0x01,
	IPV6 = 0x02,
	CUT = 0x04,         /* the second half was not captured */
	OTHER_BYTES = 0x08, /* the bytes are not those of their place: from now on bytes cannot be checked */
	ODD = 0x10,         /* a length that is no multiple of eight */
	FAR = 0x20,         /* offset near the end of what is possible */
	LATER = 0x40,       /* half a minute later */
	IDS = 0x80,
};

static uint8_t byte_at(uint32_t at)
{
	return (uint8_t)(at * 2654435761u >> 24);
}

static void give(struct ip_fragments *fragments, const uint8_t *record, int64_t *time_ns, bool *has_other_bytes)
{
	static const uint8_t addresses[32] = { 10, 0, 0, 1, 10, 0, 0, 2 };
	bool ipv6 = record[0] & IPV6;
	uint32_t offset = (record[0] & FAR ? 57344u : 0u) + load16(record + 1) % 1024u * 8u;
	uint32_t length = load16(record + 3) % 256u * 8u + (record[0] & ODD ? record[5] % 8u : 0u);
	uint32_t captured = record[0] & CUT ? length / 2 : length;
	uint8_t *bytes = malloc(captured ? captured : 1);
	struct rtap_frame frame = { .time_ns = *time_ns += record[0] & LATER ? INT64_C(30000000000) : 1000 };
	struct rtap_packet packet = {
		.frame = &frame,
		.sources = { { bytes, captured, length } },
		.source_count = 1,
		.layer_count = 1,
		.layers = { { .protocol = ipv6 ? PROTOCOL_FRAGMENT : PROTOCOL_IPV4 } },
		.source_address = addresses,
		.destination_address = addresses + (ipv6 ? 16 : 4),
		.address_length = ipv6 ? 16 : 4,
		.fragment = {
			.present = true, .more = record[0] & MORE, .protocol = 17, .identification = record[0] & IDS ? record[5] : 0u,
			.header_length = 20, .datagram_offset = offset, .piece = { 0, 0, captured, length },
		},
	};
	struct rtap_datagram whole;

	REQUIRE(bytes);
	for (uint32_t i = 0; i < captured; i++)
		bytes[i] = (uint8_t)(byte_at(offset + i) + (record[0] & OTHER_BYTES ? 1 : 0));
	*has_other_bytes |= record[0] & OTHER_BYTES && captured;
	if (ip_fragments_add(fragments, &packet, &whole) == IP_FRAGMENTS_WHOLE) {
		REQUIRE(whole.bytes.length <= whole.wire && whole.wire <= 65535 && whole.header_length == 20 && whole.protocol == 17);
		for (uint32_t i = 0; i < whole.bytes.length && !*has_other_bytes; i++)
			REQUIRE(whole.bytes.bytes[i] == byte_at(i));
	}
	REQUIRE(fragments->budget->used <= LIMIT);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ip_fragments fragments;
	struct budget budget;
	bool has_other_bytes = false;
	int64_t time_ns = 0;

	budget_init(&budget, LIMIT);
	ip_fragments_init(&fragments, &budget);
	for (size_t i = 0; i < MOST_RECORDS && (i + 1) * RECORD_LENGTH <= size; i++)
		give(&fragments, data + i * RECORD_LENGTH, &time_ns, &has_other_bytes);
	ip_fragments_fini(&fragments);
	REQUIRE(!budget.used);
	return 0;
}
