/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdmatap/writer.h>

#include "capture/batch.h"
#include "capture/file/writer.h"
#include "tests/capture_kit.h"

#define OPTIONS(...) (&(struct rtap_writer_options){ .size = sizeof(struct rtap_writer_options), __VA_ARGS__ })

static char folder[] = "/tmp/rdmatap-test-XXXXXX";
static char path[128];

static void make_folder(void)
{
	cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
	unlink(path);
	rmdir(folder);
}

TestSuite(writer, .init = make_folder, .fini = remove_folder, .timeout = HANG_SECONDS);

static const char *file_named(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static uint8_t content[70000];

/* Frames of many lengths with the values that a file must preserve. */
static struct rtap_frame sample_frame(uint32_t i)
{
	static const uint32_t lengths[] = { 0, 1, 2, 3, 4, 60, 1514, 65000 };
	uint32_t length = lengths[i % 8];

	for (size_t j = 0; !content[1] && j < sizeof content; j++)
		content[j] = (uint8_t)(j * 7);
	return (struct rtap_frame){
		.bytes = content + i % 256, .captured_length = length, .wire_length = length + i % 3 * 1000, .link_type = 1,
		.number = i + 1, .time_ns = 1700000000123456789 + (int64_t)i * 1000000007,
	};
}

static void write_samples(const char *name, uint32_t count)
{
	struct rtap_writer *writer;
	struct rtap_error error;

	cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK, "%s", error.text);
	for (uint32_t i = 0; i < count; i++) {
		struct rtap_frame frame = sample_frame(i);

		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK, "%s", error.text);
	}
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK, "%s", error.text);
}

Test(writer, writes_and_reads_back_every_format)
{
	static const struct {
		const char *name, *magic;
	} cases[] = {
		{ "a.pcap", "\x4d\x3c\xb2\xa1" }, { "a.pcap.gz", "\x1f\x8b\x08" }, { "a", "\x4d\x3c\xb2\xa1" },
		{ "a.pcapng", "\x0a\x0d\x0d\x0a" }, { "a.pcapng.gz", "\x1f\x8b\x08" }, { "pcapng.gz", "\x1f\x8b\x08" },
	};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		const char *name = file_named(cases[c].name);
		struct reading reading;
		struct bytes file;

		write_samples(name, 200);
		file = bytes_of_file(name);
		cr_assert(!memcmp(file.data, cases[c].magic, strlen(cases[c].magic)), "%s", name);
		bytes_free(&file);
		reading = reading_of_files(&name, 1);
		cr_assert_eq(reading.count, 200, "%s", reading.error.text);
		cr_assert_eq(reading.breaks, 0, "%s", reading.error.text);
		for (uint32_t i = 0; i < 200; i++) {
			struct rtap_frame frame = sample_frame(i);

			cr_assert_eq(reading.frames[i].captured_length, frame.captured_length);
			cr_assert_eq(reading.frames[i].wire_length, frame.wire_length);
			cr_assert_eq(reading.frames[i].time_ns, frame.time_ns);
			cr_assert_eq(reading.frames[i].link_type, 1);
			cr_assert(!memcmp(reading.frames[i].bytes, frame.bytes, frame.captured_length));
		}
		reading_free(&reading);
		unlink(name);
	}
}

/* A borrowed buffer that records whether it was given back. */
struct borrowed {
	struct batch_buffer buffer;
	bool is_back;
};

static void take_back(struct batch_buffer *buffer)
{
	((struct borrowed *)(void *)buffer)->is_back = true;
}

/* The file of borrowed frames equals the file of copied ones. */
Test(writer, lent_frames_make_the_same_file_and_are_given_back_when_written)
{
	static const char *const names[] = { "a.pcap", "a.pcapng", "a.pcap.gz" };
	struct batch_pool *pool = batch_pool_create(1);

	for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
		const char *name = file_named(names[c]);
		struct borrowed borrowed[100] = { { .is_back = false } };
		struct bytes copied, written;
		struct rtap_writer *writer;
		struct rtap_error error;
		uint32_t held = 0;

		write_samples(name, 800);
		copied = bytes_of_file(name);
		cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK);
		for (uint32_t i = 0; i < 800; i += 8) {
			struct batch *batch = batch_get(pool);

			borrowed[i / 8].buffer.give_back = take_back;
			batch->borrowed = &borrowed[i / 8].buffer;
			for (uint32_t j = i; j < i + 8; j++) {
				struct rtap_frame frame = sample_frame(j);

				cr_assert_eq(writer_write_of(writer, &frame, &batch->shared, &error), RTAP_STATUS_OK, "%s", error.text);
			}
			rtap_batch_release(&batch->shared);
			held += !borrowed[i / 8].is_back;
		}
		/* compressed data is copied */
		cr_assert_eq(held > 50, c < 2);
		cr_assert_eq(rtap_writer_flush(writer, &error), RTAP_STATUS_OK);
		for (uint32_t i = 0; i < 100; i++)
			cr_assert(borrowed[i].is_back);
		cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
		written = bytes_of_file(name);
		cr_assert(c == 2 || (written.length == copied.length && !memcmp(written.data, copied.data, copied.length)), "%s", name);
		bytes_free(&copied);
		bytes_free(&written);
		unlink(name);
	}
	batch_pool_release(pool);
}

/* A file size limit has the effect of a full disk. */
Test(writer, cuts_a_file_on_a_full_disk_after_its_last_whole_frame)
{
	static const rlim_t limits[] = { 1, 24, 25, 40, 100, 5000, 262143, 262144, 262145, 300001, 524288 + 3, 900000 };
	static const char *const names[] = { "a.pcap", "a.pcapng" };

	struct batch_pool *pool = batch_pool_create(1);
	struct batch *batch = batch_get(pool);

	signal(SIGXFSZ, SIG_IGN);
	for (size_t c = 0; c < 2 * sizeof limits / sizeof limits[0]; c++) {
		rlim_t limit = limits[c / 2];
		const char *name = file_named(names[c % 2]);
		struct rlimit before, full;
		struct rtap_writer *writer;
		struct reading reading;
		struct rtap_error error;
		enum rtap_status status = RTAP_STATUS_OK;
		struct stat found;
		uint32_t written = 0;

		cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
		full = (struct rlimit){ limit, before.rlim_max };
		cr_assert_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
		cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1, .unbuffered = c / 2 % 3 == 2), &error), RTAP_STATUS_OK);
		for (; written < 200 && !status; written++) {
			struct rtap_frame frame = sample_frame(written);

			/* by turns copied, and written from where they are */
			status = writer_write_of(writer, &frame, written / 8 % 2 ? &batch->shared : NULL, &error);
		}
		if (status)
			cr_assert(strstr(error.text, "File too large"), "%s", error.text);
		cr_assert_eq(rtap_writer_close(writer, &error), status ? RTAP_STATUS_OK : RTAP_STATUS_FAILED, "%s", error.text);
		cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
		cr_assert_eq(stat(name, &found), 0);
		cr_assert_leq((rlim_t)found.st_size, limit);
		if (limit >= 100) {
			reading = reading_of_files(&name, 1);
			cr_assert_eq(reading.breaks, 0, "%s", reading.error.text);
			cr_assert_lt(reading.count, 200);
			/* the next frame, and in pcapng its interface, would not have fitted */
			cr_assert_gt((rlim_t)found.st_size + sample_frame((uint32_t)reading.count).captured_length + 80, limit,
				     "%s %lu: %zu frames, %ld bytes", name, (unsigned long)limit, reading.count,
				     (long)found.st_size);
			reading_free(&reading);
		}
		unlink(name);
	}
	rtap_batch_release(&batch->shared);
	batch_pool_release(pool);
}

/* A compressed file cannot be truncated after a frame: it ends within the stream, and is read up to there. */
Test(writer, a_compressed_file_on_a_full_disk_is_read_as_far_as_it_goes)
{
	const char *name = file_named("a.pcap.gz");
	struct rlimit before, full;
	struct rtap_writer *writer;
	struct reading reading;
	struct rtap_error error;
	enum rtap_status status = RTAP_STATUS_OK;
	struct stat found;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	full = (struct rlimit){ 5000, before.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
	cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1, .unbuffered = true), &error), RTAP_STATUS_OK);
	for (uint32_t i = 0; i < 100000 && !status; i++) {
		struct rtap_frame frame = sample_frame(i % 200);

		status = rtap_writer_write(writer, &frame, &error);
	}
	cr_expect_eq(status, RTAP_STATUS_FAILED);
	cr_expect(strstr(error.text, "a.pcap.gz: cannot be written: File too large"), "%s", error.text);
	cr_expect_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	cr_assert_eq(stat(name, &found), 0);
	cr_expect_eq(found.st_size, 5000);
	reading = reading_of_files(&name, 1);
	cr_expect_eq(reading.breaks, 1);
	cr_expect(strstr(reading.error.text, "the gzip data ends early, after 5000 bytes"), "%s", reading.error.text);
	cr_expect_gt(reading.count, 0);
	for (uint32_t i = 0; i < reading.count; i++) {
		struct rtap_frame frame = sample_frame(i % 200);

		cr_assert_eq(reading.frames[i].captured_length, frame.captured_length);
		cr_assert(!memcmp(reading.frames[i].bytes, frame.bytes, frame.captured_length));
	}
	reading_free(&reading);
	unlink(name);
}

Test(writer, writes_files_that_libpcap_reads)
{
	static const char *const names[] = { "a.pcap", "a.pcapng" };

	for (size_t c = 0; c < 2; c++) {
		char text[PCAP_ERRBUF_SIZE];
		struct pcap_pkthdr *header;
		const u_char *bytes;
		pcap_t *pcap;

		write_samples(file_named(names[c]), 100);
		pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, text);
		cr_assert(pcap, "%s", text);
		for (uint32_t i = 0; i < 100; i++) {
			struct rtap_frame frame = sample_frame(i);

			cr_assert_eq(pcap_next_ex(pcap, &header, &bytes), 1, "%s", pcap_geterr(pcap));
			cr_assert_eq(header->caplen, frame.captured_length);
			cr_assert_eq(header->len, frame.wire_length);
			cr_assert_eq(header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec, frame.time_ns);
			cr_assert(!memcmp(bytes, frame.bytes, frame.captured_length));
		}
		cr_assert_eq(pcap_next_ex(pcap, &header, &bytes), PCAP_ERROR_BREAK);
		pcap_close(pcap);
		unlink(path);
	}
}

Test(writer, keeps_comments_interfaces_and_link_types_in_pcapng)
{
	static const struct {
		uint32_t interface, link_type, interface_read;
	} cases[] = { { 7, 1, 0 }, { 7, 247, 1 }, { 0, 1, 2 }, { 7, 1, 0 }, { 4000000000, 276, 3 }, { 7, 247, 1 } };
	static const struct rtap_span comments[] = {
		{ (const uint8_t *)"one", 3 }, { (const uint8_t *)"", 0 }, { (const uint8_t *)"three", 5 },
	};
	const char *name = file_named("a.pcapng");
	struct rtap_writer *writer;
	struct rtap_error error;
	struct reading reading;

	cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK);
	for (uint32_t i = 0; i < 6; i++) {
		struct rtap_frame frame = sample_frame(i);

		frame.interface = cases[i].interface;
		frame.link_type = cases[i].link_type;
		frame.comments = comments;
		frame.comment_count = i % 4;
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK, "%s", error.text);
	}
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
	reading = reading_of_files(&name, 1);
	cr_assert_eq(reading.count, 6, "%s", reading.error.text);
	cr_assert_eq(rtap_source_interface_count(reading.source), 4);
	for (uint32_t i = 0; i < 6; i++) {
		const struct rtap_frame *frame = &reading.frames[i];

		cr_assert_eq(frame->interface, cases[i].interface_read);
		cr_assert_eq(frame->link_type, cases[i].link_type);
		cr_assert_eq(frame->comment_count, i % 4);
		for (uint32_t j = 0; j < frame->comment_count; j++) {
			cr_assert_eq(frame->comments[j].length, comments[j].length);
			cr_assert(!memcmp(frame->comments[j].bytes, comments[j].bytes, comments[j].length));
		}
	}
	reading_free(&reading);
}

Test(writer, takes_one_link_type_a_pcap_file)
{
	struct rtap_frame frame = sample_frame(5);
	struct rtap_writer *writer;
	struct rtap_error error;
	const char *name = file_named("a.pcap");
	struct reading reading;

	frame.link_type = 247;
	cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK);
	cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK);
	frame.link_type = 1;
	cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_FAILED);
	cr_assert(strstr(error.text, name), "%s", error.text);
	cr_assert(strstr(error.text, "247 (INFINIBAND) and 1 (ETHERNET): one link type a file; name it .pcapng"), "%s", error.text);
	cr_assert_eq(error.code, RTAP_ERROR_UNSUPPORTED);
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
	reading = reading_of_files(&name, 1);
	cr_assert_eq(reading.count, 1);
	cr_assert_eq(reading.frames[0].link_type, 247);
	reading_free(&reading);
}

Test(writer, refuses_values_beyond_the_formats)
{
	static const char *const names[] = { "a.pcap", "a.pcapng" };
	struct rtap_writer *writer;
	struct rtap_error error;

	for (size_t i = 0; i < 2; i++) {
		struct rtap_frame frame = sample_frame(5);

		frame.link_type = 65536;
		cr_assert_eq(rtap_writer_open(&writer, file_named(names[i]), OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK);
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_FAILED);
		cr_assert(strstr(error.text, "link type 65536"), "%s", error.text);
		cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
		unlink(path);
	}
	for (size_t i = 0; i < 2; i++) {
		const struct rtap_span comment = { content, 65535 + (uint32_t)i };
		struct rtap_frame frame = sample_frame(5);

		frame.comments = &comment;
		frame.comment_count = 1;
		cr_assert_eq(rtap_writer_open(&writer, file_named("a.pcapng"), OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK);
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), i ? RTAP_STATUS_FAILED : RTAP_STATUS_OK);
		cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
		unlink(path);
	}
}

Test(writer, holds_times_at_the_nearest_that_the_file_can_hold)
{
	static const struct {
		const char *name;
		int64_t time_ns, time_read;
		uint64_t held;
	} cases[] = {
		{ "a.pcap", -1, 0, 1 }, { "a.pcap", 0, 0, 0 }, { "a.pcap", INT64_MIN, 0, 1 }, { "a.pcap", INT64_MAX, 4294967295999999999, 1 },
		{ "a.pcap", 4294967295999999999, 4294967295999999999, 0 }, { "a.pcap", 4294967296000000000, 4294967295999999999, 1 },
		{ "a.pcapng", -1, 0, 1 }, { "a.pcapng", 0, 0, 0 }, { "a.pcapng", INT64_MAX / 2, INT64_MAX / 2, 0 },
		/* later ones can be written, but reading holds them there */
		{ "a.pcapng", INT64_MAX, INT64_MAX / 2, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rtap_frame frame = sample_frame(5);
		const char *name = file_named(cases[i].name);
		struct rtap_writer *writer;
		struct rtap_error error;
		struct reading reading;

		frame.time_ns = cases[i].time_ns;
		cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1), &error), RTAP_STATUS_OK);
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK);
		cr_expect_eq(rtap_writer_clamped_times(writer), cases[i].held, "case %zu", i);
		cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
		reading = reading_of_files(&name, 1);
		cr_assert_eq(reading.frames[0].time_ns, cases[i].time_read, "case %zu", i);
		reading_free(&reading);
		unlink(name);
	}
}

Test(writer, counts_times_that_it_held_in_all_files_of_a_series)
{
	const struct rtap_series_options options = { .size = sizeof options, .rotate_bytes = 1, .link_type = 1 };
	struct rtap_frame frame = sample_frame(5);
	struct rtap_series *series;
	struct rtap_error error;

	cr_assert_eq(rtap_series_open(&series, file_named("a.pcap"), &options, &error), RTAP_STATUS_OK);
	for (uint64_t i = 0; i < 6; i++) {
		frame.time_ns = i % 2 ? -1 : 1;
		cr_assert_eq(rtap_series_write(series, &frame, &error), RTAP_STATUS_OK);
		cr_expect_eq(rtap_series_clamped_times(series), (i + 1) / 2);
	}
	cr_assert_eq(rtap_series_close(series, &error), RTAP_STATUS_OK);
	for (const char *const *name = (const char *const[]){ "a.pcap", "a.pcap1", "a.pcap2", "a.pcap3", "a.pcap4", "a.pcap5",
							      NULL }; *name; name++)
		cr_expect_eq(unlink(file_named(*name)), 0, "%s", *name);
}

Test(writer, writes_a_whole_file_without_a_frame)
{
	static const char *const names[] = { "a.pcap", "a.pcapng", "a.pcap.gz", "a.pcapng.gz" };

	for (size_t i = 0; i < 4; i++) {
		const char *name = file_named(names[i]);
		struct rtap_writer *writer;
		struct rtap_error error;
		struct reading reading;

		cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 247), &error), RTAP_STATUS_OK);
		cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
		reading = reading_of_files(&name, 1);
		cr_assert(reading.source, "%s", reading.error.text);
		cr_assert_eq(reading.count, 0);
		cr_assert_eq(reading.breaks, 0);
		if (strstr(name, "pcap") && !strstr(name, "pcapng"))
			cr_assert_eq(rtap_source_interface(reading.source, 0)->link_type, 247);
		reading_free(&reading);
		unlink(name);
	}
}

Test(writer, unbuffered_frames_are_in_the_file_at_once)
{
	static const char *const names[] = { "a.pcap", "a.pcapng", "a.pcap.gz" };

	for (size_t i = 0; i < 3; i++) {
		const char *name = file_named(names[i]);
		struct rtap_writer *writer;
		struct rtap_error error;

		cr_assert_eq(rtap_writer_open(&writer, name, OPTIONS(.link_type = 1, .unbuffered = true), &error), RTAP_STATUS_OK);
		for (uint32_t count = 1; count < 4; count++) {
			struct rtap_frame frame = sample_frame(5);
			struct reading reading;

			cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_OK);
			reading = reading_of_files(&name, 1);
			cr_assert_eq(reading.count, count, "%s", reading.error.text);
			reading_free(&reading);
		}
		cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
		unlink(name);
	}
}

Test(writer, reports_that_a_file_cannot_be_created)
{
	struct rtap_writer *writer;
	struct rtap_error error;

	cr_assert_eq(rtap_writer_open(&writer, "/nonexistent/a.pcap", OPTIONS(.link_type = 1), &error), RTAP_STATUS_FAILED);
	cr_assert_null(writer);
	cr_assert_str_eq(error.text, "/nonexistent/a.pcap: cannot be created: No such file or directory");
	cr_assert_eq(rtap_writer_close(NULL, &error), RTAP_STATUS_OK);
}

Test(writer, reports_once_that_the_disk_is_full)
{
	static const bool unbuffered[] = { true, false };

	for (size_t i = 0; i < 2; i++) {
		struct rtap_frame frame = sample_frame(5);
		struct rtap_writer *writer;
		struct rtap_error error;
		enum rtap_status expected = unbuffered[i] ? RTAP_STATUS_FAILED : RTAP_STATUS_OK;

		cr_assert_eq(rtap_writer_open(&writer, "/dev/full", OPTIONS(.link_type = 1, .unbuffered = unbuffered[i]), &error), RTAP_STATUS_OK);
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), expected);
		cr_assert_eq(rtap_writer_write(writer, &frame, &error), expected);
		if (!unbuffered[i])
			cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_FAILED);
		else
			cr_assert_eq(rtap_writer_close(writer, NULL), RTAP_STATUS_OK);
		cr_assert_str_eq(error.text, "/dev/full: cannot be written: No space left on device");
		cr_assert_eq(error.code, RTAP_ERROR_SYSTEM);
	}
}

Test(writer, distinguishes_a_closed_pipe_from_other_failures)
{
	struct rtap_frame frame = sample_frame(5);
	struct rtap_writer *writer;
	struct rtap_error error;
	int ends[2], output = dup(STDOUT_FILENO);

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	cr_assert_eq(rtap_writer_open(&writer, "-", OPTIONS(.link_type = 1, .unbuffered = true), &error), RTAP_STATUS_OK);
	cr_assert_eq(rtap_writer_write(writer, &frame, &error), RTAP_STATUS_FAILED);
	dup2(output, STDOUT_FILENO);
	close(output);
	cr_assert_eq(error.code, RTAP_ERROR_CLOSED);
	cr_assert(strstr(error.text, "standard output: cannot be written"), "%s", error.text);
	cr_assert_eq(rtap_writer_close(writer, &error), RTAP_STATUS_OK);
}
