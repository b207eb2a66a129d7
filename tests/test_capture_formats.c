/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "capture/file/pcapng.h"
#include "capture/tick.h"
#include "tests/capture_kit.h"

/* ---- pcap ---- */

TestSuite(pcap, .timeout = HANG_SECONDS);

Test(pcap, reads_both_byte_orders_and_both_time_resolutions)
{
	static const struct {
		uint32_t magic;
		bool swapped;
		int64_t time_ns;
	} cases[] = {
		{ 0xa1b2c3d4, false, 1700000000000123000 }, { 0xa1b2c3d4, true, 1700000000000123000 },
		{ 0xa1b23c4d, false, 1700000000000000123 }, { 0xa1b23c4d, true, 1700000000000000123 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct bytes file = { .swapped = cases[i].swapped };
		struct reading reading;

		pcap_add_header(&file, cases[i].magic, 113);
		pcap_add_record(&file, 1700000000, 123, 60, 1500, 9);
		reading = reading_of_memory(&file, 1, 0, 0);
		cr_assert_eq(reading.count, 1, "%s", reading.error.text);
		cr_assert_eq(reading.frames[0].time_ns, cases[i].time_ns);
		cr_assert_eq(reading.frames[0].captured_length, 60);
		cr_assert_eq(reading.frames[0].wire_length, 1500);
		cr_assert_eq(reading.frames[0].link_type, 113);
		cr_assert_eq(reading.frames[0].bytes[59], 68);
		cr_assert_eq(reading.counters.cut_frames, 1);
		reading_free(&reading);
		bytes_free(&file);
	}
}

Test(pcap, takes_the_frame_check_sequence_from_the_link_type_field)
{
	static const struct {
		uint32_t field, link_type;
		uint8_t fcs_length;
	} cases[] = {
		{ 0x00000001, 1, 0 }, { 0x24000001, 1, 4 }, { 0x14000001, 1, 2 }, { 0xf0000001, 1, 0 }, { 0xf4000105, 0x105, 30 },
		{ 12, 101, 0 }, { 14, 101, 0 }, { 247, 247, 0 }, { 0x0000ffff, 0xffff, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct bytes file = { 0 };
		struct reading reading;
		const struct rtap_interface *interface;

		pcap_add_header(&file, 0xa1b2c3d4, cases[i].field);
		reading = reading_of_memory(&file, 1, 0, 0);
		cr_assert_eq(rtap_source_interface_count(reading.source), 1);
		interface = rtap_source_interface(reading.source, 0);
		cr_assert_eq(interface->link_type, cases[i].link_type);
		cr_assert_eq(interface->fcs_length, cases[i].fcs_length);
		cr_assert_eq(interface->snap_length, 262144);
		cr_assert_str_eq(interface->file, "memory 1");
		cr_assert_str_eq(interface->name, "");
		cr_assert_null(rtap_source_interface(reading.source, 1));
		reading_free(&reading);
		bytes_free(&file);
	}
}

Test(pcap, takes_a_wire_length_below_the_captured_one_for_the_captured_one)
{
	struct bytes file = { 0 };
	struct reading reading;

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	pcap_add_record(&file, 1, 0, 60, 59, 0);
	pcap_add_record(&file, 1, 0, 60, 60, 0);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.frames[0].wire_length, 60);
	cr_assert_eq(reading.counters.bad_lengths, 1);
	cr_assert_eq(reading.counters.cut_frames, 0);
	reading_free(&reading);
	bytes_free(&file);
}

Test(pcap, reads_version_2_3_with_the_lengths_either_way_round)
{
	struct bytes file = { 0 };
	struct reading reading;

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	file.data[6] = 3;
	pcap_add_record(&file, 1, 0, 10, 20, 0);
	pcap_add_record(&file, 1, 0, 10, 10, 0);
	memcpy(file.data + 24 + 8, (uint32_t[]){ 20, 10 }, 8);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 2);
	cr_assert_eq(reading.frames[0].captured_length, 10);
	cr_assert_eq(reading.frames[0].wire_length, 20);
	cr_assert_eq(reading.counters.bad_lengths, 0);
	reading_free(&reading);
	bytes_free(&file);
}

/* ---- pcapng ---- */

TestSuite(pcapng, .timeout = HANG_SECONDS);

Test(pcapng, reads_sections_of_both_byte_orders_with_interfaces_of_their_own)
{
	struct bytes file = { 0 };
	struct reading reading;

	for (unsigned i = 0; i < 4; i++) {
		file.swapped = i & 1;
		pcapng_add_section(&file);
		pcapng_add_interface(&file, 1, 0);
		pcapng_add_interface(&file, 247, 96);
		pcapng_add_packet(&file, 1, 1700000000000000 + i, 33, 40, (uint8_t)i);
		pcapng_add_packet(&file, 0, 1700000000000000 + i, 1, 1, (uint8_t)i);
	}
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 8, "%s", reading.error.text);
	cr_assert_eq(rtap_source_interface_count(reading.source), 8);
	for (unsigned i = 0; i < 4; i++) {
		const struct rtap_frame *frame = &reading.frames[2 * i];

		cr_assert_eq(frame[0].interface, 2 * i + 1);
		cr_assert_eq(frame[0].link_type, 247);
		cr_assert_eq(frame[0].captured_length, 33);
		cr_assert_eq(frame[0].wire_length, 40);
		cr_assert_eq(frame[0].time_ns, 1700000000000000000 + i * 1000);
		cr_assert_eq(frame[0].bytes[32], 32 + i);
		cr_assert_eq(frame[1].interface, 2 * i);
		cr_assert_eq(frame[1].link_type, 1);
		cr_assert_eq(rtap_source_interface(reading.source, 2 * i + 1)->snap_length, 96);
	}
	reading_free(&reading);
	bytes_free(&file);
}

#define RECEIVED UINT64_C(1000000000001)
#define DROPPED 77

/* A section, an interface, a packet and its interface's statistics, each with options. */
static void add_what_is_said(struct bytes *file)
{
	const uint8_t fcs = 4;
	size_t place;

	place = pcapng_begin(file, PCAPNG_SECTION);
	bytes_add_u32(file, PCAPNG_BYTE_ORDER);
	bytes_add_u32(file, 1);
	bytes_add_u64(file, UINT64_MAX);
	pcapng_add_option(file, 1, "of the section", 14);
	pcapng_add_option(file, 4, "someone", 7);
	pcapng_add_option(file, 0, NULL, 0);
	bytes_add(file, "junk", 4);
	pcapng_end(file, place);
	place = pcapng_begin(file, PCAPNG_INTERFACE);
	bytes_add_u64(file, 1);
	pcapng_add_option(file, 2, "mlx5_0", 6);
	pcapng_add_option(file, 3, "port 1", 6);
	pcapng_add_option(file, 1, "of the interface", 16);
	pcapng_add_option(file, 11, "\0udp port 4791", 14);
	pcapng_add_option(file, 13, &fcs, 1);
	pcapng_add_option(file, 9, "too long", 8);
	pcapng_end(file, place);
	place = pcapng_begin(file, PCAPNG_PACKET);
	bytes_add(file, (uint32_t[]){ 0, 0, 5, 3, 3 }, 20);
	bytes_add(file, "abc", 4);
	pcapng_add_option(file, 1, "first", 5);
	pcapng_add_option(file, 2, "\0\0\0\1", 4);
	pcapng_add_option(file, 1, "", 0);
	pcapng_add_option(file, 1, "third", 5);
	pcapng_end(file, place);
	place = pcapng_begin(file, PCAPNG_STATISTICS);
	bytes_add(file, (uint32_t[]){ 0, 0, 0 }, 12);
	pcapng_add_option(file, 4, &(uint64_t){ RECEIVED }, 8);
	pcapng_add_option(file, 5, &(uint64_t){ DROPPED }, 8);
	pcapng_end(file, place);
}

Test(pcapng, reports_options_of_sections_interfaces_and_packets)
{
	struct bytes file = { 0 };
	struct reading reading;
	const struct rtap_interface *interface;

	add_what_is_said(&file);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 1, "%s", reading.error.text);
	cr_assert_eq(reading.breaks, 0, "%s", reading.error.text);
	cr_assert_eq(rtap_source_note_count(reading.source), 2);
	cr_assert_str_eq(rtap_source_note(reading.source, 0), "memory 1: of the section");
	cr_assert_str_eq(rtap_source_note(reading.source, 1), "memory 1: of the interface");
	cr_assert_null(rtap_source_note(reading.source, 2));
	interface = rtap_source_interface(reading.source, 0);
	cr_assert_str_eq(interface->name, "mlx5_0");
	cr_assert_str_eq(interface->description, "port 1");
	cr_assert_str_eq(interface->filter, "udp port 4791");
	cr_assert_eq(interface->fcs_length, 4);
	cr_assert(interface->has_received && interface->has_dropped);
	cr_assert_eq(interface->received, RECEIVED);
	cr_assert_eq(interface->dropped, DROPPED);
	cr_assert_eq(reading.frames[0].time_ns, 5000);
	cr_assert_eq(reading.frames[0].comment_count, 3);
	cr_assert_eq(reading.frames[0].comments[0].length, 5);
	cr_assert(!memcmp(reading.frames[0].comments[0].bytes, "first", 5));
	cr_assert_eq(reading.frames[0].comments[1].length, 0);
	cr_assert(!memcmp(reading.frames[0].comments[2].bytes, "third", 5));
	reading_free(&reading);
	bytes_free(&file);
}

Test(pcapng, keeps_the_comments_of_many_frames_of_one_batch)
{
	struct bytes file = { 0 };
	struct reading reading;

	pcapng_add_section(&file);
	pcapng_add_interface(&file, 1, 0);
	for (unsigned i = 0; i < 500; i++) {
		size_t place = pcapng_begin(&file, PCAPNG_PACKET);

		bytes_add(&file, (uint32_t[]){ 0, 0, i, 0, 0 }, 20);
		for (unsigned j = 0; j < i % 100; j++)
			pcapng_add_option(&file, 1, (uint8_t[]){ (uint8_t)i, (uint8_t)j }, 2);
		pcapng_end(&file, place);
	}
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 500);
	for (unsigned i = 0; i < 500; i++) {
		cr_assert_eq(reading.frames[i].comment_count, i % 100);
		for (unsigned j = 0; j < i % 100; j++) {
			cr_assert_eq(reading.frames[i].comments[j].bytes[0], (uint8_t)i);
			cr_assert_eq(reading.frames[i].comments[j].bytes[1], (uint8_t)j);
		}
	}
	reading_free(&reading);
	bytes_free(&file);
}

Test(pcapng, reads_simple_and_obsolete_packet_blocks)
{
	struct bytes file = { 0 };
	struct reading reading;
	size_t place;

	for (unsigned i = 0; i < 2; i++) {
		file.swapped = i;
		pcapng_add_section(&file);
		pcapng_add_interface(&file, 1, 6);
		pcapng_add_interface(&file, 113, 0);
		place = pcapng_begin(&file, PCAPNG_SIMPLE_PACKET);
		bytes_add_u32(&file, 100); /* snapped to 6 */
		bytes_add(&file, "abcdef\0", 8);
		pcapng_end(&file, place);
		place = pcapng_begin(&file, PCAPNG_SIMPLE_PACKET);
		bytes_add_u32(&file, 5);
		bytes_add(&file, "ghijk\0\0", 8);
		pcapng_end(&file, place);
		place = pcapng_begin(&file, PCAPNG_OLD_PACKET);
		bytes_add_u16(&file, 1);
		bytes_add_u16(&file, 0xffff);
		bytes_add_u32(&file, 1);
		bytes_add_u32(&file, 2);
		bytes_add_u32(&file, 4);
		bytes_add_u32(&file, 5);
		bytes_add(&file, "lmno", 4);
		pcapng_end(&file, place);
	}
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 6, "%s", reading.error.text);
	for (unsigned i = 0; i < 6; i += 3) {
		const struct rtap_frame *frame = &reading.frames[i];

		cr_assert_eq(frame[0].captured_length, 6);
		cr_assert_eq(frame[0].wire_length, 100);
		cr_assert_eq(frame[0].time_ns, 0);
		cr_assert_eq(frame[1].captured_length, 5);
		cr_assert_eq(frame[1].wire_length, 5);
		cr_assert(!memcmp(frame[1].bytes, "ghijk", 5));
		cr_assert_eq(frame[2].link_type, 113);
		cr_assert_eq(frame[2].time_ns, ((INT64_C(1) << 32) + 2) * 1000);
		cr_assert_eq(frame[2].captured_length, 4);
		cr_assert(!memcmp(frame[2].bytes, "lmno", 4));
	}
	reading_free(&reading);
	bytes_free(&file);
}

Test(pcapng, skips_blocks_that_hold_no_packets_and_counts_those_that_are_not_known)
{
	static const struct {
		uint32_t type;
		bool known;
	} cases[] = {
		{ PCAPNG_NAMES, true }, { PCAPNG_JOURNAL, true }, { PCAPNG_SECRETS, true }, { PCAPNG_CUSTOM, true },
		{ PCAPNG_CUSTOM_LOCAL, true }, { 0, false }, { 7, false }, { 0x12345678, false }, { UINT32_MAX, false },
	};
	struct bytes file = { 0 };
	struct reading reading;
	uint64_t unknown = 0;

	pcapng_add_section(&file);
	pcapng_add_interface(&file, 1, 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t place = pcapng_begin(&file, cases[i].type);

		bytes_add(&file, "whatever", i % 3 * 4);
		pcapng_end(&file, place);
		unknown += !cases[i].known;
	}
	pcapng_add_packet(&file, 0, 1, 1, 1, 0);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 1, "%s", reading.error.text);
	cr_assert_eq(reading.counters.skipped_blocks, unknown);
	reading_free(&reading);
	bytes_free(&file);
}

/* The middle half of the 64-bit range: any difference fits. */
#define EARLIEST (-4611686018427387904)
#define LATEST 4611686018427387903

static const struct {
	uint8_t resolution;
	int64_t offset;
	uint64_t ticks;
	int64_t time_ns;
	bool held;
} conversions[] = {
	{ 0, 0, 1700000000, 1700000000000000000, false },
	{ 3, 0, 1700000000123, 1700000000123000000, false },
	{ 6, 0, 1700000000123456, 1700000000123456000, false },
	{ 9, 0, 1700000000123456789, 1700000000123456789, false },
	{ 12, 0, 1234567890123456789, 1234567890123456, false },
	{ 9, 0, LATEST, LATEST, false },
	{ 9, 0, (uint64_t)LATEST + 1, LATEST, true },
	{ 9, 0, INT64_MAX, LATEST, true },
	{ 9, 0, UINT64_MAX, LATEST, true },
	{ 9, -14000000000, UINT64_MAX, 4446744073709551615, false },
	{ 9, -4611686019, 572612096, EARLIEST, false },
	{ 9, -4611686019, 572612095, EARLIEST, true },
	{ 9, -4611686020, 999999999, EARLIEST, true },
	{ 0, 0, 4611686018, 4611686018000000000, false },
	{ 0, 0, 4611686019, LATEST, true },
	{ 0, 0, UINT64_MAX, LATEST, true },
	{ 0, -1, UINT64_MAX, LATEST, true },
	{ 0, INT64_MIN, UINT64_MAX, LATEST, true },
	{ 0, INT64_MIN, (uint64_t)INT64_MAX + 1 + 5, 5000000000, false },
	{ 0, INT64_MIN, 0, EARLIEST, true },
	{ 0, INT64_MIN, INT64_MAX, -1000000000, false },
	{ 0, INT64_MAX, UINT64_MAX, LATEST, true },
	{ 0, INT64_MAX, 1, LATEST, true },
	{ 0, INT64_MAX, 0, LATEST, true },
	{ 6, -1, 0, -1000000000, false },
	{ 6, 3600, 5, 3600000005000, false },
	{ 18, 0, 1000000000, 1, false },
	{ 19, 0, 10000000000000000000u, 1000000000, false },
	{ 19, 0, UINT64_MAX, 1844674407, false },
	{ 20, 0, UINT64_MAX, 184467440, false },
	{ 28, 0, UINT64_MAX, 1, false },
	{ 29, 0, UINT64_MAX, 0, false },
	{ 127, 7, UINT64_MAX, 7000000000, false },
	{ 0x80, 0, 9, 9000000000, false },
	{ 0x81, 0, 3, 1500000000, false },
	{ 0xa0, 0, 0x180000000, 1500000000, false },
	{ 0xa0, 0, 0x1ffffffff, 1999999999, false },
	{ 0xa1, 0, 0x3ffffffff, 1999999999, false },
	{ 0xbf, 0, UINT64_MAX, 1999999999, false },
	{ 0xc0, 0, (uint64_t)1 << 63, 500000000, false },
	{ 0xc0, 0, UINT64_MAX, 999999999, false },
	{ 0xdd, 0, UINT64_MAX, 1, false },
	{ 0xde, 0, UINT64_MAX, 0, false },
	{ 0xff, 0, UINT64_MAX, 0, false },
};

Test(pcapng, converts_times_of_every_resolution)
{
	for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
		struct tick tick;
		bool held;

		tick_init(&tick);
		tick_set_resolution(&tick, conversions[i].resolution);
		tick.offset_seconds = conversions[i].offset;
		cr_assert_eq(tick_to_ns(&tick, conversions[i].ticks, &held), conversions[i].time_ns, "case %zu: %lld", i,
			     (long long)tick_to_ns(&tick, conversions[i].ticks, &held));
		cr_assert_eq(held, conversions[i].held, "case %zu", i);
	}
}

Test(pcapng, counts_times_that_cannot_be_held)
{
	struct bytes file = { 0 };
	struct reading reading;
	size_t place;

	pcapng_add_section(&file);
	place = pcapng_begin(&file, PCAPNG_INTERFACE);
	bytes_add_u64(&file, 1);
	pcapng_add_option(&file, 9, "\0", 1);
	pcapng_end(&file, place);
	pcapng_add_packet(&file, 0, UINT64_MAX, 1, 1, 0);
	pcapng_add_packet(&file, 0, 1, 2, 1, 0);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 2);
	cr_assert_eq(reading.frames[0].time_ns, LATEST);
	cr_assert_eq(reading.counters.bad_times, 1);
	cr_assert_eq(reading.counters.bad_lengths, 1);
	reading_free(&reading);
	bytes_free(&file);
}

Test(pcapng, bounds_memory_for_a_file_of_comments)
{
	struct bytes file = { 0 };
	struct reading reading;
	size_t place = pcapng_begin(&file, PCAPNG_SECTION), notes;

	bytes_add_u32(&file, PCAPNG_BYTE_ORDER);
	bytes_add_u32(&file, 1);
	bytes_add_u64(&file, UINT64_MAX);
	for (unsigned i = 0; i < 10000; i++)
		pcapng_add_option(&file, 1, "x", 1);
	pcapng_end(&file, place);
	reading = reading_of_memory(&file, 1, 0, 0);
	notes = rtap_source_note_count(reading.source);
	cr_assert_eq(notes, 4097);
	cr_assert(strstr(rtap_source_note(reading.source, notes - 1), "not kept"));
	reading_free(&reading);
	bytes_free(&file);
}

/* ---- gzip ---- */

TestSuite(gzip, .timeout = HANG_SECONDS);

Test(gzip, reads_members_one_after_another_and_padding_after_them)
{
	struct bytes whole = { 0 }, file = { 0 };
	static const size_t steps[] = { 0, 1, 2 };

	pcap_add_header(&whole, 0xa1b2c3d4, 1);
	for (unsigned i = 0; i < 20; i++)
		pcap_add_record(&whole, i, 0, 100, 100, (uint8_t)i);
	for (size_t at = 0; at < whole.length; at += 333) {
		struct bytes part = { .data = whole.data + at, .length = whole.length - at < 333 ? whole.length - at : 333 };
		struct bytes packed = bytes_gzip(&part);

		bytes_add(&file, packed.data, packed.length);
		bytes_free(&packed);
	}
	for (unsigned i = 0; i < 200; i++)
		bytes_add(&file, "\0\0\0\0\0\0", 7);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct reading reading = reading_of_memory(&file, 1, 0, steps[i]);

		cr_assert_eq(reading.count, 20);
		cr_assert_eq(reading.breaks, 0, "%s", reading.error.text);
		reading_free(&reading);
	}
	bytes_add(&file, "x", 1);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct reading reading = reading_of_memory(&file, 1, 0, steps[i]);

		cr_assert_eq(reading.count, 20);
		cr_assert_eq(reading.breaks, 1);
		cr_assert(strstr(reading.error.text, "something else follows the gzip data"), "%s", reading.error.text);
		reading_free(&reading);
	}
	bytes_free(&file);
	bytes_free(&whole);
}

TestSuite(erf, .timeout = HANG_SECONDS);

Test(erf, the_time_of_an_erf_record_is_rounded_to_the_nearest_nanosecond)
{
	static const struct {
		uint8_t stamp[8];
		int64_t time_ns;
	} cases[] = {
		{ { 0 }, 0 },
		{ { 0, 0, 0, 0, 1, 0, 0, 0 }, 1000000000 },
		{ { 0, 0, 0, 0x80, 2, 0, 0, 0 }, 2500000000 },
		{ { 2, 0, 0, 0, 0, 0, 0, 0 }, 0 }, /* 0.466 ns */
		{ { 3, 0, 0, 0, 0, 0, 0, 0 }, 1 }, /* 0.698 ns */
		{ { 255, 255, 255, 255, 255, 255, 255, 255 }, 4294967296000000000 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		cr_expect_eq(tick_erf_to_ns(cases[i].stamp), cases[i].time_ns, "case %zu", i);
}
