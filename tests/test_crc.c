/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CRCs, against frames whose CRC other implementations computed (testdata/README.md says which).
 */
#include "config.h"

#include <criterion/criterion.h>

#include <zlib.h>

#include <rdmatap/source.h>

#include "dissect/dissect.h"
#include "dissect/engine/crc32.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_crc.h"
#include "tests/frame_kit.h"

/* A soft-RoCE frame: Ethernet, IPv4, UDP, BTH, 44 bytes of headers before the BTH's end at 54; from roce-rping-v4.pcap. */
#define ETH 14
#define IPV4 20
#define UDP 8

static enum rtap_crc_status status_of(uint32_t link_type, const uint8_t *bytes, uint32_t captured, uint32_t wire)
{
	enum rtap_crc_status status;
	struct kit kit;

	kit_dissect(&kit, link_type, bytes, captured, wire, NULL);
	status = ib_check_icrc(&kit.packet);
	kit_free(&kit);
	return status;
}

/* Reads the first frame of a capture that has a BTH with an opcode; the batch keeps it. */
static struct rtap_batch *first_with_opcode(const char *name, uint8_t opcode, const struct rtap_frame **found)
{
	struct rtap_source *source;
	struct rtap_error error;
	struct rtap_batch *batch;

	*found = NULL;
	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK, "%s", error.text);
	while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; i < batch->count; i++) {
			struct rtap_packet packet;

			dissect_frame(&batch->frames[i], NULL, &packet);
			if (!packet.ib.has_bth || packet.ib.opcode != opcode)
				continue;
			*found = &batch->frames[i];
			rtap_source_close(source);
			return batch;
		}
		rtap_batch_release(batch);
	}
	rtap_source_close(source);
	return NULL;
}

/* Whether the invariant CRC of RoCEv2 leaves a bit of the frame out. IBTA vol. 1, A17.3.3. */
static bool is_masked(uint32_t byte, unsigned bit, bool ipv6)
{
	uint32_t network = ETH, udp = network + (ipv6 ? 40 : IPV4), bth = udp + UDP;

	if (byte < network)
		return true;
	if (ipv6 && byte == network)
		return bit < 4; /* upper half of the traffic class */
	if (ipv6 && ((byte > network && byte < network + 4) || byte == network + 7))
		return true;
	if (!ipv6 && (byte == network + 1 || byte == network + 8 || byte == network + 10 || byte == network + 11))
		return true;
	if (byte == udp + 6 || byte == udp + 7)
		return true;
	return byte == bth + 4;
}

/* Bits that change the kind of the packet, not only its CRC: lengths, protocols, versions, ports, the opcode. */
static bool changes_layout(uint32_t byte, bool ipv6)
{
	uint32_t network = ETH, udp = network + (ipv6 ? 40 : IPV4), bth = udp + UDP;

	if (byte == 12 || byte == 13 || byte == bth)
		return true;
	if (byte == udp + 2 || byte == udp + 3 || byte == udp + 4 || byte == udp + 5)
		return true;
	if (ipv6)
		return byte == network || (byte >= network + 4 && byte <= network + 6);
	return byte == network || byte == network + 2 || byte == network + 3 || byte == network + 6 || byte == network + 7 ||
	       byte == network + 9;
}

static void flip_every_bit(const char *name, bool ipv6)
{
	const struct rtap_frame *frame;
	struct rtap_batch *batch = first_with_opcode(name, 0x04, &frame);
	uint8_t bytes[2048];

	cr_assert(batch && frame->captured_length == frame->wire_length && frame->wire_length <= sizeof bytes);
	memcpy(bytes, frame->bytes, frame->captured_length);
	cr_assert_eq(status_of(RTAP_LINK_ETHERNET, bytes, frame->wire_length, frame->wire_length), RTAP_CRC_GOOD);
	for (uint32_t byte = 0; byte < frame->wire_length; byte++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			if (changes_layout(byte, ipv6))
				continue;
			bytes[byte] ^= (uint8_t)(1 << bit);
			cr_expect_eq(status_of(RTAP_LINK_ETHERNET, bytes, frame->wire_length, frame->wire_length),
				     is_masked(byte, bit, ipv6) ? RTAP_CRC_GOOD : RTAP_CRC_BAD, "%s: byte %u bit %u", name, byte, bit);
			bytes[byte] ^= (uint8_t)(1 << bit);
		}
	}
	rtap_batch_release(batch);
}

TestSuite(crc, .timeout = HANG_SECONDS);

Test(crc, any_covered_bit_of_a_rocev2_ipv4_frame_makes_it_bad_and_no_masked_one)
{
	flip_every_bit(TESTDATA "/roce-rping-v4.pcap", false);
}

Test(crc, any_covered_bit_of_a_rocev2_ipv6_frame_makes_it_bad_and_no_masked_one)
{
	flip_every_bit(TESTDATA "/roce-rping-v6.pcap", true);
}

Test(crc, a_cut_frame_is_unverifiable_not_bad)
{
	const struct rtap_frame *frame;
	struct rtap_batch *batch = first_with_opcode(TESTDATA "/roce-rping-v4.pcap", 0x04, &frame);

	cr_assert(batch);
	for (uint32_t captured = 0; captured < frame->wire_length; captured++)
		cr_expect_eq(status_of(RTAP_LINK_ETHERNET, frame->bytes, captured, frame->wire_length), RTAP_CRC_UNVERIFIABLE);
	rtap_batch_release(batch);
}

Test(crc, bytes_after_the_packet_are_not_taken_for_the_crc)
{
	const struct rtap_frame *frame;
	struct rtap_batch *batch = first_with_opcode(TESTDATA "/roce-rping-v4.pcap", 0x04, &frame);
	uint8_t bytes[2048] = { 0 };

	cr_assert(batch && frame->wire_length + 10 < sizeof bytes);
	memcpy(bytes, frame->bytes, frame->wire_length);
	for (uint32_t more = 0; more < 10; more++)
		cr_expect_eq(status_of(RTAP_LINK_ETHERNET, bytes, frame->wire_length + more, frame->wire_length + more), RTAP_CRC_GOOD);
	rtap_batch_release(batch);
}

/* A valid frame, with CRC verification enabled in the context: the anomaly and the fact. */
Test(crc, a_checked_bad_frame_has_the_anomaly)
{
	const struct rtap_context context = { .check_icrc = true };
	const struct rtap_frame *frame;
	struct rtap_batch *batch = first_with_opcode(TESTDATA "/roce-rping-v4.pcap", 0x04, &frame);
	uint8_t bytes[2048];

	cr_assert(batch && frame->wire_length <= sizeof bytes);
	memcpy(bytes, frame->bytes, frame->wire_length);
	for (unsigned bad = 0; bad < 2; bad++) {
		struct kit kit;

		bytes[frame->wire_length - 1] ^= (uint8_t)bad;
		kit_dissect(&kit, RTAP_LINK_ETHERNET, bytes, frame->wire_length, frame->wire_length, &context);
		cr_expect_eq(kit_has_anomaly(&kit, RTAP_ANOMALY_BAD_ICRC), bad);
		cr_expect_eq(kit.packet.ib.icrc_status, bad ? RTAP_CRC_BAD : RTAP_CRC_GOOD);
		kit_free(&kit);
	}
	rtap_batch_release(batch);
}

/* Bytes at the end of their heap block, so that a sanitizer detects reads beyond them. */
static void expect_as_zlib(const uint8_t *noise, size_t length, unsigned offset, uint32_t before)
{
	uint8_t *bytes = malloc(offset + length + 1);

	memcpy(bytes + offset, noise, length);
	bytes = realloc(bytes, offset + length ? offset + length : 1);
	cr_assert_eq(crc32_of(before, bytes + offset, length), crc32_z(before, bytes + offset, length), "length %zu at %u", length, offset);
	free(bytes);
}

Test(crc, of_any_length_and_alignment_is_as_zlib_has_it)
{
	uint8_t noise[9000];
	uint32_t state = 1;

	for (size_t i = 0; i < sizeof noise; i++) {
		state = state * 1664525 + 1013904223;
		noise[i] = (uint8_t)(state >> 24);
	}
	for (size_t length = 0; length <= 700; length++)
		for (unsigned offset = 0; offset < 16; offset++)
			expect_as_zlib(noise + offset, length, offset, offset % 3 ? state * offset : 0);
	for (size_t length = 701; length <= sizeof noise; length += 13)
		expect_as_zlib(noise, length, (unsigned)length % 16, 0);
	crc32_release();
}
