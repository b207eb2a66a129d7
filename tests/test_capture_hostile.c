/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/file/pcapng.h"
#include "tests/capture_kit.h"

static struct bytes small_pcap(void)
{
	struct bytes file = { 0 };

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	for (unsigned i = 0; i < 5; i++)
		pcap_add_record(&file, i, 0, 20 + i, 20 + i, (uint8_t)i);
	return file;
}

static struct bytes small_pcapng(void)
{
	struct bytes file = { 0 };
	size_t place;

	pcapng_add_section(&file);
	place = pcapng_begin(&file, PCAPNG_INTERFACE);
	bytes_add_u64(&file, 1);
	pcapng_add_option(&file, PCAPNG_IF_NAME, "eth0", 4);
	pcapng_add_option(&file, PCAPNG_IF_TSRESOL, "\x09", 1);
	pcapng_end(&file, place);
	pcapng_add_packet(&file, 0, 1, 9, 9, 1);
	place = pcapng_begin(&file, PCAPNG_SIMPLE_PACKET);
	bytes_add_u32(&file, 4);
	bytes_add(&file, "abcd", 4);
	pcapng_end(&file, place);
	file.swapped = true;
	pcapng_add_section(&file);
	pcapng_add_interface(&file, 247, 0);
	place = pcapng_begin(&file, PCAPNG_PACKET);
	for (unsigned i = 0; i < 5; i++)
		bytes_add_u32(&file, 0);
	pcapng_add_option(&file, PCAPNG_OPTION_COMMENT, "comment", 7);
	pcapng_end(&file, place);
	place = pcapng_begin(&file, PCAPNG_STATISTICS);
	bytes_add(&file, "\0\0\0\0\0\0\0\0\0\0\0", 12);
	pcapng_add_option(&file, PCAPNG_ISB_IFDROP, "\0\0\0\0\0\0\0\1", 8);
	pcapng_end(&file, place);
	return file;
}

/* Where units of the two files end. */
static bool ends_unit(const struct bytes *file, size_t at, bool pcapng)
{
	size_t place = pcapng ? 0 : 24;

	while (place < at) {
		uint32_t length;

		memcpy(&length, file->data + place + (pcapng ? 4 : 8), sizeof length);
		if (length > file->length)
			length = __builtin_bswap32(length);
		place += pcapng ? length : length + 16;
	}
	return place == at;
}

static void cut_everywhere(struct bytes (*make)(void), bool pcapng)
{
	static const size_t steps[] = { 0, 5 };
	struct bytes file = make();
	struct reading all = reading_of_memory(&file, 1, 0, 0);

	cr_assert_eq(all.breaks, 0, "%s", all.error.text);
	for (size_t length = 0; length < file.length; length++) {
		for (size_t i = 0; i < 2; i++) {
			/* An exact heap block, so that a sanitizer sees any read after it. */
			struct bytes part = { 0 };
			struct reading reading;
			char text[64];

			part.data = malloc(length);
			part.length = length;
			cr_assert(part.data || !length);
			if (length)
				memcpy(part.data, file.data, length);
			reading = reading_of_memory(&part, 1, 64, steps[i]);
			reading_expect_prefix(&reading, &all);
			if (length < (pcapng ? 4u : 24u)) {
				cr_assert_null(reading.source, "length %zu", length);
			} else if (ends_unit(&file, length, pcapng)) {
				cr_assert_eq(reading.breaks, 0, "length %zu: %s", length, reading.error.text);
			} else {
				cr_assert_eq(reading.breaks, 1, "length %zu", length);
				snprintf(text, sizeof text, "memory 1: frame %zu: at byte ", reading.count + 1);
				cr_assert(!strncmp(reading.error.text, text, strlen(text)), "%s", reading.error.text);
			}
			reading_free(&reading);
			bytes_free(&part);
		}
	}
	reading_free(&all);
	bytes_free(&file);
}

TestSuite(hostile, .timeout = HANG_SECONDS);

Test(hostile, pcap_truncated_anywhere_gives_all_complete_frames_and_the_position)
{
	cut_everywhere(small_pcap, false);
}

Test(hostile, pcapng_truncated_anywhere_gives_all_complete_frames_and_the_position)
{
	cut_everywhere(small_pcapng, true);
}

Test(hostile, gzip_truncated_anywhere_gives_all_inflated_data_and_an_error)
{
	struct bytes file = small_pcap(), packed = bytes_gzip(&file);
	struct reading all = reading_of_memory(&file, 1, 0, 0);

	for (size_t length = 3; length < packed.length; length++) {
		struct bytes part = { .data = packed.data, .length = length };
		struct reading reading = reading_of_memory(&part, 1, 0, 0);

		reading_expect_prefix(&reading, &all);
		cr_assert(!reading.source || reading.breaks == 1);
		cr_assert(strstr(reading.error.text, "gzip data ends early"), "%s", reading.error.text);
		reading_free(&reading);
	}
	reading_free(&all);
	bytes_free(&packed);
	bytes_free(&file);
}

Test(hostile, gzip_damaged_anywhere_gives_all_inflated_data_and_an_error)
{
	struct bytes file = { 0 }, packed;
	struct reading all;
	size_t most = 0;

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	for (unsigned i = 0; i < 2000; i++)
		pcap_add_record(&file, i * 2654435761u, i * 40503u, 30, 30, (uint8_t)(i * i));
	all = reading_of_memory(&file, 1, 0, 0);
	packed = bytes_gzip(&file);
	for (size_t at = 10; at < packed.length; at += packed.length / 50) {
		struct reading reading;

		packed.data[at] ^= 0x55;
		reading = reading_of_memory(&packed, 1, 0, 0);
		packed.data[at] ^= 0x55;
		/* Data inflated between the damage and its detection may be wrong. */
		cr_assert_leq(reading.breaks, 1);
		cr_assert(reading.error.text[0], "damage at byte %zu is not reported", at);
		most = reading.count > most ? reading.count : most;
		reading_free(&reading);
	}
	cr_assert_gt(most, 1000);
	packed.data[packed.length - 8] ^= 1; /* the checksum */
	{
		struct reading reading = reading_of_memory(&packed, 1, 0, 0);

		cr_assert_eq(reading.count, 2000);
		reading_expect_prefix(&reading, &all);
		cr_assert(strstr(reading.error.text, "the gzip data is corrupt near byte"), "%s", reading.error.text);
		reading_free(&reading);
	}
	reading_free(&all);
	bytes_free(&packed);
	bytes_free(&file);
}

static void flip_every_bit(struct bytes file)
{
	for (size_t bit = 0; bit < file.length * 8; bit++) {
		struct reading reading;

		file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		reading = reading_of_memory(&file, 1, 64, 0);
		cr_assert(reading.source || reading.error.text[0]);
		cr_assert_leq(reading.breaks, 1);
		for (size_t i = 0; i < reading.count; i++) {
			uint8_t sum = 0;

			cr_assert_leq(reading.frames[i].captured_length, reading.frames[i].wire_length);
			for (uint32_t j = 0; j < reading.frames[i].captured_length; j++)
				sum += reading.frames[i].bytes[j];
			(void)*(volatile uint8_t *)&sum;
		}
		reading_free(&reading);
		file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	bytes_free(&file);
}

Test(hostile, any_bit_flipped_in_a_pcap_is_survived)
{
	flip_every_bit(small_pcap());
}

Test(hostile, any_bit_flipped_in_a_pcapng_is_survived)
{
	flip_every_bit(small_pcapng());
}

Test(hostile, any_bit_flipped_in_a_gzip_is_survived)
{
	struct bytes file = small_pcapng();

	flip_every_bit(bytes_gzip(&file));
	bytes_free(&file);
}

Test(hostile, a_pcap_record_that_claims_absurdly_much_is_named_with_frame_and_offset)
{
	static const struct {
		uint32_t captured;
		const char *message;
	} cases[] = {
		{ 0xffffffff, "claims 4294967295 captured bytes" },
		{ 0x80000000, "claims 2147483648 captured bytes" },
		{ 0x01000001, "claims 16777217 captured bytes" },
		{ 0x01000000, "ends inside this record, 26 bytes after its start where 16777232 are needed" },
		{ 11, "ends inside this record, 26 bytes after its start where 27 are needed" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct bytes file = { 0 };
		struct reading reading;

		pcap_add_header(&file, 0xa1b2c3d4, 1);
		pcap_add_record(&file, 0, 0, 10, 10, 0);
		pcap_add_record(&file, 0, 0, 10, 10, 0);
		memcpy(file.data + 24 + 26 + 8, (uint32_t[]){ cases[i].captured, 0xffffffff }, 8);
		reading = reading_of_memory(&file, 1, 0, 0);
		cr_assert_eq(reading.count, 1);
		cr_assert_eq(reading.breaks, 1);
		cr_assert(strstr(reading.error.text, "memory 1: frame 2: at byte 50: "), "%s", reading.error.text);
		cr_assert(strstr(reading.error.text, cases[i].message), "%s", reading.error.text);
		reading_free(&reading);
		bytes_free(&file);
	}
}

Test(hostile, a_frame_of_16_mib_is_read_and_the_usual_blocks_come_back)
{
	static const size_t steps[] = { 0, 60000 };
	struct bytes file = { 0 };

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	for (unsigned i = 0; i < 100; i++) {
		uint32_t length = i == 50 ? 16 << 20 : i * 500;

		pcap_add_record(&file, 0, 0, length, length, (uint8_t)i);
	}
	for (size_t i = 0; i < 2; i++) {
		struct reading reading = reading_of_memory(&file, 1, 0, steps[i]);

		cr_assert_eq(reading.count, 100, "%s", reading.error.text);
		cr_assert_eq(reading.frames[50].captured_length, 16 << 20);
		cr_assert_eq(reading.frames[50].bytes[(16 << 20) - 1], 50 + 255 - 256);
		cr_assert_eq(reading.frames[99].bytes[49499], (uint8_t)(99 + 49499));
		reading_free(&reading);
	}
	bytes_free(&file);
}

/* A value that replaces a 32-bit number of small_pcapng()'s blocks, and the expected error. */
Test(hostile, a_broken_pcapng_block_is_named_with_frame_and_offset)
{
	static const struct {
		size_t offset;
		uint32_t value;
		size_t frames;
		const char *message;
	} cases[] = {
		/* the section header at 0: 28 bytes */
		{ 4, 0, 0, "frame 1: at byte 0: the block (type 0xa0d0d0a) claims a length of 0 bytes" },
		{ 4, 8, 0, "claims a length of 8 bytes" },
		{ 4, 27, 0, "claims a length of 27 bytes" },
		{ 4, 0xfffffffc, 0, "claims a length of 4294967292 bytes" },
		{ 4, 0x01000000, 0, "ends inside this block" },
		{ 8, 0x12345678, 0, "no byte-order magic" },
		{ 12, 2, 0, "of pcapng version 2.0" },
		{ 24, 32, 0, "two different lengths, 28 at its start and 32 at its end" },
		/* the interface at 28: 36 bytes, options from 44 */
		{ 32, 16, 0, "frame 1: at byte 28: the block (type 0x1) has two different lengths" },
		{ 44, 0xffff0002, 0, "frame 1: at byte 28: an option is longer than its block" },
		{ 52, 0x000d0009, 0, "an option is longer than its block" },
		{ 52, 0x00050009, 0, "an option is longer than its block" },
		{ 28, 0x1001, 0, "the packet is of interface 0, but the section has described 0" },
		/* the packet at 64: 44 bytes */
		{ 72, 1, 0, "frame 1: at byte 64: the packet is of interface 1, but the section has described 1" },
		{ 84, 13, 0, "the packet claims 13 captured bytes, but its block has room for 12" },
		{ 84, 0xffffffff, 0, "the packet claims 4294967295 captured bytes" },
		{ 64, PCAPNG_STATISTICS, 0, NULL },
		/* the simple packet at 108: 20 bytes */
		{ 116, 5, 1, "frame 2: at byte 108: the packet has 5 bytes, but its block has room for 4" },
		{ 116, 0xffffffff, 1, "frame 2: at byte 108: the packet has 4294967295 bytes" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct bytes file = small_pcapng();
		struct reading reading;

		memcpy(file.data + cases[i].offset, &cases[i].value, 4);
		reading = reading_of_memory(&file, 1, 0, 0);
		if (cases[i].message) {
			cr_assert_eq(reading.count, cases[i].frames, "case %zu", i);
			cr_assert_eq(reading.breaks, 1, "case %zu", i);
			cr_assert(strstr(reading.error.text, cases[i].message), "case %zu: %s", i, reading.error.text);
		}
		reading_free(&reading);
		bytes_free(&file);
	}
}

Test(hostile, blocks_shorter_than_their_fixed_part_are_broken)
{
	static const struct {
		uint32_t type;
		size_t least;
	} cases[] = {
		{ PCAPNG_INTERFACE, 8 }, { PCAPNG_PACKET, 20 }, { PCAPNG_OLD_PACKET, 20 }, { PCAPNG_SIMPLE_PACKET, 4 },
		{ PCAPNG_STATISTICS, 12 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (size_t length = 0; length <= cases[i].least; length += 4) {
			struct bytes file = { 0 };
			struct reading reading;
			size_t place;

			pcapng_add_section(&file);
			pcapng_add_interface(&file, 1, 0);
			place = pcapng_begin(&file, cases[i].type);
			bytes_add(&file, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", length);
			pcapng_end(&file, place);
			reading = reading_of_memory(&file, 1, 0, 0);
			cr_assert_eq(reading.breaks, length < cases[i].least, "type %u, %zu bytes", cases[i].type, length);
			cr_assert(!reading.breaks || strstr(reading.error.text, "too short"), "%s", reading.error.text);
			reading_free(&reading);
			bytes_free(&file);
		}
	}
}

Test(hostile, packets_before_any_interface_are_broken)
{
	static const uint32_t types[] = { PCAPNG_PACKET, PCAPNG_OLD_PACKET, PCAPNG_SIMPLE_PACKET, PCAPNG_STATISTICS };

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		struct bytes file = { 0 };
		struct reading reading;
		size_t place;

		pcapng_add_section(&file);
		place = pcapng_begin(&file, types[i]);
		bytes_add(&file, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
		pcapng_end(&file, place);
		reading = reading_of_memory(&file, 1, 0, 0);
		cr_assert_eq(reading.breaks, 1, "type %u", types[i]);
		cr_assert(strstr(reading.error.text, "described"), "%s", reading.error.text);
		reading_free(&reading);
		bytes_free(&file);
	}
}

Test(hostile, a_file_of_nothing_but_interfaces_is_bounded)
{
	struct bytes file = { 0 };
	struct reading reading;

	pcapng_add_section(&file);
	for (unsigned i = 0; i < 65537; i++)
		pcapng_add_interface(&file, 1, 0);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.breaks, 1);
	cr_expect(strstr(reading.error.text, "more than 65536 interfaces"), "%s", reading.error.text);
	cr_assert_eq(rtap_source_interface_count(reading.source), 65536);
	reading_free(&reading);
	bytes_free(&file);
}
