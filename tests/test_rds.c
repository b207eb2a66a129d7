/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "dissect/rds/rds.h"
#include "tests/frame_kit.h"

#define SEND_ONLY 0x04
#define MOST (RDS_HEADER_LENGTH + 8192)

/* A header with these fields and its checksum by RFC 1071. */
struct sample {
	const char *what;
	uint64_t sequence, ack;
	uint32_t length;
	uint16_t source, destination;
	uint8_t flags, credit;
	uint8_t extensions[RDS_EXTENSIONS_LENGTH];
	uint32_t fragment;         /* bytes after it */
	bool is_rds;
};

static void put(uint8_t *to, uint64_t number, unsigned bytes)
{
	while (bytes-- > 0) {
		to[bytes] = (uint8_t)number;
		number >>= 8;
	}
}

static uint16_t checksum_of(const uint8_t *header)
{
	uint64_t sum = 0;

	for (int i = 0; i < RDS_HEADER_LENGTH / 2; i++)
		sum += (uint64_t)header[2 * i] << 8 | header[2 * i + 1];
	while (sum > 0xffff)
		sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t)~sum;
}

static uint32_t build(uint8_t *to, const struct sample *sample)
{
	memset(to, 0, RDS_HEADER_LENGTH + sample->fragment);
	put(to, sample->sequence, 8);
	put(to + 8, sample->ack, 8);
	put(to + 16, sample->length, 4);
	put(to + 20, sample->source, 2);
	put(to + 22, sample->destination, 2);
	to[24] = sample->flags;
	to[25] = sample->credit;
	memcpy(to + 32, sample->extensions, RDS_EXTENSIONS_LENGTH);
	put(to + 30, checksum_of(to), 2);
	return RDS_HEADER_LENGTH + sample->fragment;
}

static bool recognise(const uint8_t *bytes, uint32_t captured, uint32_t wire)
{
	return rds_recognise(&(struct cursor){ .next = bytes, .captured = captured, .wire = wire });
}

static const struct sample samples[] = {
	{ "a message", 1, 0, 4, 4001, 4000, RDS_ACK_REQUIRED, 0, { 0 }, 4, true },
	{ "all flags, the last sequence number", UINT64_MAX, UINT64_MAX, 4, 1, 65535, 0x3e, 255, { 0 }, 4, true },
	{ "an acknowledgement", 0, 7, 0, 0, 0, 0, 3, { 0 }, 0, true },
	{ "a part of a congestion map", 0, 7, 8192, 0, 0, RDS_CONGESTION_MAP, 0, { 0 }, 4096, true },
	{ "a whole congestion map", 0, 7, 8192, 0, 0, RDS_CONGESTION_MAP, 0, { 0 }, 8192, true },
	{ "a congestion map of another length", 0, 7, 4096, 0, 0, RDS_CONGESTION_MAP, 0, { 0 }, 4096, false },
	{ "a congestion map with ports", 0, 7, 8192, 1, 0, RDS_CONGESTION_MAP, 0, { 0 }, 4096, false },
	{ "the first fragment", 2, 0, 5000, 1, 2, 0, 0, { 0 }, 4096, true },
	{ "the last fragment", 2, 0, 5000, 1, 2, 0, 0, { 0 }, 904, true },
	{ "a fragment of no such size", 2, 0, 5000, 1, 2, 0, 0, { 0 }, 905, false },
	{ "longer than the message", 2, 0, 3, 1, 2, 0, 0, { 0 }, 4, false },
	{ "a ping", 3, 0, 0, 1, 0, 0, 0, { 5, 0, 8, 6, 1, 2, 3, 4, 8, 1 }, 0, true },
	{ "without a sequence number", 0, 0, 4, 1, 2, 0, 0, { 0 }, 4, false },
	{ "without ports", 4, 0, 0, 0, 0, 0, 0, { 0 }, 0, false },
	{ "a reserved flag", 1, 0, 4, 1, 2, 0x40, 0, { 0 }, 4, false },
	{ "the RDMA extensions", 1, 0, 4, 1, 2, 0, 0, { 2, 1, 2, 3, 4, 3, 1, 2, 3, 4, 5, 6, 7, 8 }, 4, true },
	{ "an extension that is too long", 1, 0, 4, 1, 2, 0, 0, { 3, 1, 2, 3, 4, 5, 6, 7, 8, 3, 1 }, 4, false },
	{ "an unknown extension", 1, 0, 4, 1, 2, 0, 0, { 9, 1 }, 4, false },
	{ "bytes after the extensions", 1, 0, 4, 1, 2, 0, 0, { 1, 0, 0, 3, 1, 0, 0, 7 }, 4, false },
};

TestSuite(rds, .timeout = HANG_SECONDS);

Test(rds, headers_are_recognised_by_checksum_and_consistency)
{
	static uint8_t bytes[MOST];

	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		uint32_t length = build(bytes, &samples[i]);

		cr_assert_eq(recognise(bytes, length, length), samples[i].is_rds, "%s", samples[i].what);
		cr_assert(rds_checksum_is_good(bytes), "%s", samples[i].what);
		for (uint32_t cut = 0; cut < RDS_HEADER_LENGTH; cut++)
			cr_assert_not(recognise(bytes, cut, length), "%s, cut at %u", samples[i].what, cut);
		for (unsigned bit = 0; bit < RDS_HEADER_LENGTH * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			cr_assert_not(recognise(bytes, length, length), "%s, bit %u inverted", samples[i].what, bit);
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

Test(rds, zeros_and_ones_are_not_rds)
{
	uint8_t bytes[RDS_HEADER_LENGTH] = { 0 };

	cr_assert_not(recognise(bytes, sizeof bytes, sizeof bytes));
	memset(bytes, 0xff, sizeof bytes);
	cr_assert_not(recognise(bytes, sizeof bytes, sizeof bytes));
}

Test(rds, extensions_are_found_in_any_order)
{
	const struct sample sample = { .extensions = { 6, 0, 0, 0, 9, 5, 0, 8, 2, 0xa, 0xb, 0xc, 0xd } };
	uint8_t header[RDS_HEADER_LENGTH];

	build(header, &sample);
	cr_assert_eq(bits(rds_extension(header, RDS_EXTENSION_GENERATION), 0, 32), 9);
	cr_assert_eq(bits(rds_extension(header, RDS_EXTENSION_PATHS), 0, 16), 8);
	cr_assert_eq(bits(rds_extension(header, RDS_EXTENSION_RDMA), 0, 32), 0x0a0b0c0d);
	cr_assert_null(rds_extension(header, RDS_EXTENSION_VERSION));
	cr_assert_null(rds_extension(header, RDS_EXTENSION_RDMA_DESTINATION));
}

Test(rds, every_cut_length_is_dissected)
{
	static uint8_t bytes[MOST], frame[MOST + 128]; /* LRH, BTH, then the SEND */
	uint32_t length = build(bytes, &samples[0]), whole;

	for (uint32_t cut = 0; cut <= length; cut++) {
		const struct rtap_context context = { .upper = RTAP_UPPER_RDS };
		struct kit kit;

		whole = kit_ib_frame(frame, SEND_ONLY, 0, bytes, length);
		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, 8 + 12 + cut, whole, &context);
		cr_assert_eq(kit.packet.upper, RTAP_UPPER_RDS);
		kit_free(&kit);
	}
	whole = kit_ib_frame(frame, SEND_ONLY, 0, bytes, 47);
	{
		const struct rtap_context context = { .upper = RTAP_UPPER_RDS };
		struct kit kit;

		kit_dissect(&kit, RTAP_LINK_INFINIBAND, frame, whole, whole, &context);
		cr_assert_eq(kit.packet.upper, RTAP_UPPER_UNKNOWN, "too short for the header");
		kit_free(&kit);
	}
}

Test(rds, congested_ports_are_counted)
{
	const uint8_t map[4] = { 0x01, 0x80, 0xff, 0x00 };

	cr_assert_eq(rds_congested_ports(map, 4), 10);
	cr_assert_eq(rds_congested_ports(map, 0), 0);
}
