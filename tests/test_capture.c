/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pcap/pcap.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/link_type.h"
#include "tests/capture_kit.h"

/* ---- libpcap as the reference, over real captures ---- */

static unsigned files_compared;

/* The file's bytes, inflated, as an unnamed file: libpcap does not know gzip. */
static FILE *inflated(const char *name)
{
	FILE *file = tmpfile();
	gzFile packed = gzopen(name, "rb");
	char buffer[65536];
	int count;

	cr_assert(file && packed);
	while ((count = gzread(packed, buffer, sizeof buffer)) > 0)
		cr_assert_eq(fwrite(buffer, 1, (size_t)count, file), (size_t)count);
	gzclose(packed);
	rewind(file);
	return file;
}

static void compare_frame(const char *name, const struct rtap_frame *frame, const struct pcap_pkthdr *header,
			  const u_char *bytes, int dlt)
{
	cr_assert_eq(frame->captured_length, header->caplen, "%s: frame %llu", name, (unsigned long long)frame->number);
	cr_assert_eq(frame->wire_length, header->len, "%s: frame %llu", name, (unsigned long long)frame->number);
	/* an ERF record brings a finer time of its own */
	if (frame->link_type != RTAP_LINK_ERF)
		cr_assert_eq(frame->time_ns, header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec, "%s: frame %llu", name,
			     (unsigned long long)frame->number);
	cr_assert_eq(link_type_to_dlt(frame->link_type), dlt, "%s: frame %llu", name, (unsigned long long)frame->number);
	cr_assert(!memcmp(frame->bytes, bytes, header->caplen), "%s: frame %llu", name, (unsigned long long)frame->number);
}

/* libpcap rejects pcapng files with several link types; the frames it read before must be equal. */
static void compare_with_libpcap(const char *name)
{
	struct reading reading = reading_of_files(&name, 1);
	char text[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(inflated(name), PCAP_TSTAMP_PRECISION_NANO, text);
	struct pcap_pkthdr *header;
	const u_char *bytes;
	size_t count = 0;
	int result;

	if (!pcap)
		goto out;
	cr_assert(reading.source, "libpcap reads it: %s", reading.error.text);
	while ((result = pcap_next_ex(pcap, &header, &bytes)) == 1) {
		cr_assert_lt(count, reading.count, "%s: libpcap finds more frames; %s", name, reading.error.text);
		compare_frame(name, &reading.frames[count++], header, bytes, pcap_datalink(pcap));
	}
	if (result == PCAP_ERROR_BREAK) {
		cr_assert_eq(count, reading.count, "%s", name);
		cr_assert_eq(reading.breaks, 0, "%s", reading.error.text);
	}
	files_compared++;
	pcap_close(pcap);
out:
	reading_free(&reading);
}

static int visit_file(const char *name, const struct stat *facts, int kind, struct FTW *place)
{
	(void)facts;
	(void)place;
	if (kind == FTW_F && (strstr(name, ".pcap") || strstr(name, ".cap")))
		compare_with_libpcap(name);
	return 0;
}

TestSuite(capture, .timeout = HANG_SECONDS);

Test(capture, reads_every_frame_of_testdata_as_libpcap_does)
{
	const char *more = getenv("RDMATAP_CAPTURES");
	char *folders = strdup(more ? more : ""), *rest = folders, *folder;

	cr_assert_eq(nftw(TESTDATA, visit_file, 16, FTW_PHYS), 0);
	cr_assert_geq(files_compared, 2);
	while ((folder = strsep(&rest, ":")))
		if (*folder)
			cr_assert_eq(nftw(folder, visit_file, 16, FTW_PHYS), 0);
	free(folders);
}

/* ---- blocks ---- */

/* Some frames of growing length, so that they cross the ends of blocks everywhere. */
static struct bytes sample_pcap(unsigned frames, uint32_t step)
{
	struct bytes file = { 0 };

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	for (unsigned i = 0; i < frames; i++)
		pcap_add_record(&file, 1700000000 + i, i, i * step, i * step + (i % 3), (uint8_t)i);
	return file;
}

Test(capture, gives_the_same_frames_whatever_the_block_size_and_however_the_bytes_arrive)
{
	static const size_t sizes[] = { 64, 65, 100, 127, 1000, 4096, 0 }, steps[] = { 1, 2, 3, 7, 16, 100, 0 };
	struct bytes plain = sample_pcap(60, 7), packed = bytes_gzip(&plain);
	struct reading all = reading_of_memory(&plain, 1, 0, 0);

	cr_assert_eq(all.count, 60);
	cr_assert_eq(all.counters.captured_bytes, 7 * 59 * 60 / 2);
	cr_assert_eq(all.counters.cut_frames, 40);
	cr_assert_eq(all.frames[59].number, 60);
	cr_assert_eq(all.frames[59].relative_ns, 59000059000);
	cr_assert_eq(all.frames[59].delta_ns, 1000001000);
	cr_assert_eq(all.frames[0].delta_ns, 0);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		for (size_t j = 0; j < sizeof steps / sizeof steps[0]; j++) {
			const struct bytes *files[] = { &plain, &packed };

			for (size_t k = 0; k < 2; k++) {
				struct reading part = reading_of_memory(files[k], 1, sizes[i], steps[j]);

				cr_assert_eq(part.count, 60, "blocks of %zu, steps of %zu", sizes[i], steps[j]);
				cr_assert_eq(part.breaks, 0);
				reading_expect_prefix(&part, &all);
				reading_free(&part);
			}
		}
	}
	reading_free(&all);
	bytes_free(&plain);
	bytes_free(&packed);
}

Test(capture, keeps_batches_valid_after_the_source_is_closed)
{
	struct bytes plain = sample_pcap(3000, 1);
	struct reading reading = reading_of_memory(&plain, 1, 5000, 0);

	rtap_source_close(reading.source);
	reading.source = NULL;
	cr_assert_eq(reading.count, 3000);
	for (size_t i = 0; i < reading.count; i++)
		for (uint32_t j = 0; j < reading.frames[i].captured_length; j++)
			cr_assert_eq(reading.frames[i].bytes[j], (uint8_t)(i + j));
	reading_free(&reading);
	bytes_free(&plain);
}

static void *hold_and_release(void *argument)
{
	struct rtap_batch *batch = argument;

	for (unsigned i = 0; i < 20000; i++)
		rtap_batch_release(rtap_batch_hold(batch));
	rtap_batch_release(batch);
	return NULL;
}

Test(capture, gives_the_same_frames_when_it_reads_ahead)
{
	const char *names[] = { TESTDATA "/roce-nfs3.pcap.gz", TESTDATA "/roce-rping-v4.pcap" };
	struct reading whole = reading_of_files(names, 2);
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_source_counters counters;
	struct rtap_error error;
	size_t count = 0;

	cr_assert_eq(rtap_source_open_files(&source, names, 2, &error), RTAP_STATUS_OK);
	cr_assert(rtap_source_read_ahead(source));
	cr_assert(rtap_source_read_ahead(source));
	while (rtap_source_read_batch(source, &batch, &error) == RTAP_STATUS_OK) {
		for (size_t i = 0; i < batch->count; i++, count++) {
			const struct rtap_frame *frame = &batch->frames[i], *same = &whole.frames[count];

			cr_assert_lt(count, whole.count);
			cr_assert_eq(frame->number, same->number);
			cr_assert_eq(frame->time_ns, same->time_ns);
			cr_assert_eq(frame->captured_length, same->captured_length);
			cr_assert_arr_eq(frame->bytes, same->bytes, frame->captured_length);
		}
		rtap_batch_release(batch);
	}
	cr_assert_eq(count, whole.count);
	rtap_source_counters(source, &counters, sizeof counters);
	cr_assert_eq(counters.frames, whole.count);
	rtap_source_close(source);
	reading_free(&whole);

	/* closed and stopped before its end */
	cr_assert_eq(rtap_source_open_files(&source, names, 2, &error), RTAP_STATUS_OK);
	cr_assert(rtap_source_read_ahead(source));
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_OK);
	rtap_source_stop(source);
	cr_assert_eq(batch->frames[0].number, 1);
	rtap_batch_release(batch);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_END);
	rtap_source_close(source);
}

Test(capture, counts_references_from_several_threads)
{
	struct bytes plain = sample_pcap(50, 1);
	struct reading reading = reading_of_memory(&plain, 1, 0, 0);
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, hold_and_release, rtap_batch_hold(reading.batches[0])), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(reading.batches[0]->frames[49].bytes[48], (uint8_t)(49 + 48));
	reading_free(&reading);
	bytes_free(&plain);
}

/* ---- merging ---- */

Test(capture, merges_files_by_time_and_keeps_the_order_of_files_at_equal_times)
{
	/* Seconds of each file's frames; the third is out of order in itself: its own order is kept. */
	static const uint32_t times[3][5] = { { 1, 3, 5, 7, 9 }, { 1, 2, 5, 5, 20 }, { 4, 2, 6, 5, 1 } };
	static const struct {
		uint8_t file, seconds;
	} expected[] = {
		{ 0, 1 }, { 1, 1 }, { 1, 2 }, { 0, 3 }, { 2, 4 }, { 2, 2 }, { 0, 5 }, { 1, 5 }, { 1, 5 }, { 2, 6 }, { 2, 5 },
		{ 2, 1 }, { 0, 7 }, { 0, 9 }, { 1, 20 },
	};
	static const size_t block_sizes[] = { 0, 64 };

	for (size_t b = 0; b < 2; b++) {
		struct bytes files[3] = { { 0 } };
		struct reading reading;

		for (size_t i = 0; i < 3; i++) {
			pcap_add_header(&files[i], 0xa1b2c3d4, 1);
			for (size_t j = 0; j < 5; j++)
				pcap_add_record(&files[i], times[i][j], 0, 20, 20, (uint8_t)(i * 16 + j));
		}
		reading = reading_of_memory(files, 3, block_sizes[b], 0);
		cr_assert_eq(reading.count, 15);
		for (size_t i = 0; i < 15; i++) {
			cr_assert_eq(reading.frames[i].interface, expected[i].file, "frame %zu", i + 1);
			cr_assert_eq(reading.frames[i].time_ns, expected[i].seconds * INT64_C(1000000000), "frame %zu", i + 1);
			cr_assert_eq(reading.frames[i].number, i + 1);
			cr_assert_eq(reading.frames[i].relative_ns, (expected[i].seconds - 1) * INT64_C(1000000000));
			cr_assert_eq(reading.frames[i].bytes[0] / 16, expected[i].file);
		}
		reading_free(&reading);
		for (size_t i = 0; i < 3; i++)
			bytes_free(&files[i]);
	}
}

Test(capture, goes_on_with_other_files_when_one_breaks)
{
	struct bytes files[3] = { sample_pcap(2000, 1), sample_pcap(2000, 1), sample_pcap(2000, 1) };
	struct reading reading;

	files[1].length = 24 + 100 * 16 + 99 * 100 / 2 + 5; /* five bytes into the 101st record */
	reading = reading_of_memory(files, 3, 0, 0);
	cr_assert_eq(reading.count, 4100);
	cr_assert_eq(reading.breaks, 1);
	cr_assert(strstr(reading.error.text, "memory 2: frame 101: at byte 6574"), "%s", reading.error.text);
	for (size_t i = 1; i < reading.count; i++)
		cr_assert_leq(reading.frames[i - 1].time_ns, reading.frames[i].time_ns);
	cr_assert_eq(rtap_source_interface_count(reading.source), 3);
	cr_assert_str_eq(rtap_source_interface(reading.source, 1)->file, "memory 2");
	reading_free(&reading);
	for (size_t i = 0; i < 3; i++)
		bytes_free(&files[i]);
}

Test(capture, keeps_times_so_near_that_their_differences_fit)
{
	struct bytes file = { 0 };
	const int64_t far[] = { INT64_MIN / 1000000000, INT64_MAX / 1000000000 };
	const uint8_t seconds = 0;
	struct reading reading;

	pcapng_add_section(&file);
	for (size_t i = 0; i < 2; i++) {
		size_t place = pcapng_begin(&file, 1);

		bytes_add_u64(&file, 1);
		pcapng_add_option(&file, 9, &seconds, 1);
		pcapng_add_option(&file, 14, &far[i], 8);
		pcapng_end(&file, place);
	}
	pcapng_add_packet(&file, 0, 0, 1, 1, 0);
	pcapng_add_packet(&file, 1, 0, 1, 1, 0);
	pcapng_add_packet(&file, 0, 0, 1, 1, 0);
	reading = reading_of_memory(&file, 1, 0, 0);
	cr_assert_eq(reading.count, 3, "%s", reading.error.text);
	cr_assert_eq(reading.counters.bad_times, 3);
	cr_assert_eq(reading.frames[1].relative_ns, INT64_MAX);
	cr_assert_eq(reading.frames[1].delta_ns, INT64_MAX);
	cr_assert_eq(reading.frames[2].relative_ns, 0);
	cr_assert_eq(reading.frames[2].delta_ns, -INT64_MAX);
	reading_free(&reading);
	bytes_free(&file);
}

/* ---- files that are none ---- */

static const char *in_folder(char *buffer, size_t room, const char *folder, const char *name)
{
	snprintf(buffer, room, "%s/%s", folder, name);
	return buffer;
}

static void write_file(const char *name, const void *data, size_t length)
{
	FILE *file = fopen(name, "wb");

	cr_assert(file);
	cr_assert_eq(fwrite(data, 1, length, file), length);
	cr_assert_eq(fclose(file), 0);
}

Test(capture, refuses_files_that_are_no_captures_with_name_and_reason)
{
	static const struct {
		const char *content;
		size_t length;
		const char *message;
	} cases[] = {
		{ "", 0, "is empty" },
		{ "\xd4\xc3", 2, "is not a capture file: it has 2 bytes only" },
		{ "\xd4\xc3\xb2\xa1\2\0\4\0", 8, "the file ends inside its header, after 8 bytes" },
		{ "Hello, world!\n", 14, "is not a capture file that rdmatap reads (pcap, pcapng): it begins with 48 65 6c 6c" },
		{ "\xd4\xc3\xb2\xa1\2\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 24, "version 2.2, as AIX writes them" },
		{ "\xd4\xc3\xb2\xa1\3\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 24, "version 3.4" },
		{ "\xd4\xc3\xb2\xa1\2\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 24, "version 2.5" },
		{ "\x34\xcd\xb2\xa1\2\0\4\0\0\0\0\0", 12, "Kuznetzov" },
		{ "\xa1\xb2\xcd\x34\2\0\4\0\0\0\0\0", 12, "Kuznetzov" },
		{ "\xa1\xb2\x34\xcd\2\0\4\0\0\0\0\0", 12, "Mesquita" },
		{ "\xa1\x2b\x3c\x4d\2\0\4\0\0\0\0\0", 12, "Navtel" },
		{ "\xac\1\0\x1c\2\0\4\0\0\0\0\0", 12, "IXIA's, hardware" },
		{ "\xab\1\0\x1c\2\0\4\0\0\0\0\0", 12, "IXIA's, software" },
		{ "snoop\0\0\0\0\0\0\2", 12, "snoop" },
		{ "\x28\xb5\x2f\xfd\0\0\0\0\0\0\0\0", 12, "zstd" },
		{ "\xfd" "7zXZ\0\0\0\0\0\0\0", 12, "xz" },
		{ "\x1f\x8b\x08", 3, "gzip data ends early, after 3 bytes" },
		{ "\x1f\x8b\x08\0\0\0\0\0\0\3\7\7\7\7\7\7\7", 17, "gzip data is corrupt" },
	};
	char folder[] = "/tmp/rdmatap-test-XXXXXX", name[64];
	const char *names[] = { name };

	cr_assert(mkdtemp(folder));
	in_folder(name, sizeof name, folder, "file");
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct reading reading;

		write_file(name, cases[i].content, cases[i].length);
		reading = reading_of_files(names, 1);
		cr_assert_null(reading.source, "case %zu", i);
		cr_assert(!strncmp(reading.error.text, name, strlen(name)), "%s", reading.error.text);
		cr_assert(strstr(reading.error.text, cases[i].message), "case %zu: %s", i, reading.error.text);
	}
	unlink(name);
	rmdir(folder);
}

Test(capture, reports_why_a_file_cannot_be_opened)
{
	static const struct {
		const char *name, *message;
	} cases[] = {
		{ "/nonexistent/file.pcap", "/nonexistent/file.pcap: No such file or directory" },
		{ "/tmp", "/tmp: is a directory" },
		{ "/dev/null", "/dev/null: is empty" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct reading reading = reading_of_files(&cases[i].name, 1);

		cr_assert_null(reading.source);
		cr_assert(!strncmp(reading.error.text, cases[i].message, strlen(cases[i].message)), "%s", reading.error.text);
	}
}

Test(capture, opens_none_when_one_of_several_files_cannot_be_opened)
{
	const char *names[] = { TESTDATA "/roce-rping-v4.pcap", "/nonexistent" };
	struct reading reading = reading_of_files(names, 2);

	cr_assert_null(reading.source);
	cr_assert(strstr(reading.error.text, "/nonexistent"));
}

Test(capture, reads_standard_input_once_only)
{
	const char *names[] = { "-", "-" };
	struct reading reading = reading_of_files(names, 2);

	cr_assert_null(reading.source);
	cr_assert(strstr(reading.error.text, "standard input"));
}

/* ---- pipes ---- */

static void open_pipe_as_input(int *write_end)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	if (ends[0] != STDIN_FILENO)
		close(ends[0]);
	*write_end = ends[1];
}

static void put(int fd, const struct bytes *bytes, size_t from, size_t to)
{
	cr_assert_eq(write(fd, bytes->data + from, to - from), (ssize_t)(to - from));
}

Test(capture, returns_data_from_a_pipe_without_waiting_for_more)
{
	struct bytes file = { 0 };
	const char *name = "-";
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_error error;
	uint64_t done, total;
	int fd;

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	for (unsigned i = 0; i < 4; i++)
		pcap_add_record(&file, i, 0, 10, 10, 0);
	open_pipe_as_input(&fd);
	put(fd, &file, 0, 24 + 2 * 26 + 7);
	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_OK);
	cr_assert_eq(batch->count, 2);
	rtap_batch_release(batch);
	put(fd, &file, 24 + 2 * 26 + 7, 24 + 3 * 26);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_OK);
	cr_assert_eq(batch->count, 1);
	cr_assert_eq(batch->frames[0].number, 3);
	rtap_batch_release(batch);
	put(fd, &file, 24 + 3 * 26, 24 + 3 * 26 + 20);
	close(fd);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_BROKEN);
	cr_assert(strstr(error.text, "standard input: frame 4: at byte 102: the file ends inside this record, 20 bytes"), "%s", error.text);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_END);
	rtap_source_progress(source, &done, &total);
	cr_assert_eq(done, 122);
	cr_assert_eq(total, 0);
	rtap_source_close(source);
	bytes_free(&file);
}

static void on_alarm(int signal_number)
{
	(void)signal_number;
}

Test(capture, ends_the_wait_for_a_pipe_when_a_signal_is_handled)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct bytes file = { 0 };
	const char *name = "-";
	struct rtap_source *source;
	struct rtap_batch *batch;
	struct rtap_error error;
	int fd;

	pcap_add_header(&file, 0xa1b2c3d4, 1);
	pcap_add_record(&file, 1, 0, 10, 10, 0);
	open_pipe_as_input(&fd);
	put(fd, &file, 0, 30);
	cr_assert_eq(rtap_source_open_files(&source, &name, 1, &error), RTAP_STATUS_OK);
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_END);
	put(fd, &file, 30, file.length);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_OK);
	cr_assert_eq(batch->count, 1);
	rtap_batch_release(batch);
	close(fd);
	cr_assert_eq(rtap_source_read_batch(source, &batch, &error), RTAP_STATUS_END);
	rtap_source_close(source);
	bytes_free(&file);
}

Test(capture, reports_progress_in_stored_bytes)
{
	const char *names[] = { TESTDATA "/roce-rping-v4.pcap", TESTDATA "/roce-pcapng-nano-snap80.pcapng" };
	struct reading reading = reading_of_files(names, 2);
	uint64_t done, total;

	cr_assert(reading.source, "%s", reading.error.text);
	rtap_source_progress(reading.source, &done, &total);
	cr_assert_gt(total, 0);
	cr_assert_eq(done, total);
	reading_free(&reading);
}
