/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "output/packet/format.h"
#include "output/packet/printer.h"

/* Writes `length` bytes for a packet: 'a' for the first, 'b' for the second ... */
struct letters {
	struct format format;
	size_t length;
	unsigned packets;
};

static void write_letters(struct format *format, const struct rtap_packet *packet, struct line *line)
{
	struct letters *letters = (struct letters *)format;

	(void)packet;
	for (size_t i = 0; i < letters->length; i++)
		line_char(line, (char)('a' + letters->packets % 26));
	if (!line->cut)
		letters->packets++;
}

static void write_header(struct format *format, struct line *line)
{
	(void)format;
	line_text(line, "header\n");
}

static const struct rtap_packet any_packet;

/* Reads a file and compares it with the expected letters. */
static void expect_letters(int fd, size_t length, unsigned packets)
{
	size_t size = length * packets, got = 0;
	char *bytes = malloc(size + 1);
	ssize_t n;

	while ((n = read(fd, bytes + got, size + 1 - got)) > 0)
		got += (size_t)n;
	cr_assert_eq(got, size);
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(bytes[i], 'a' + (int)(i / length % 26), "byte %zu", i);
	free(bytes);
}

TestSuite(printer, .timeout = HANG_SECONDS);

Test(printer, packets_of_any_size_come_out_whole_and_in_order)
{
	static const struct {
		size_t length;
		unsigned packets;
	} cases[] = {
		{ 0, 3 }, { 1, 1000 }, { 4095, 200 }, { 4096, 200 }, { 4097, 200 }, { 262143, 3 }, { 262144, 3 }, { 262145, 3 }, { 5000000, 2 },
	};

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct letters letters = { .format.packet = write_letters, .length = cases[i].length };
		FILE *file = tmpfile();
		struct printer printer;

		cr_assert(file);
		cr_assert_eq(printer_init(&printer, fileno(file), i % 2), 0);
		for (unsigned j = 0; j < cases[i].packets; j++)
			cr_assert_eq(printer_packet(&printer, &letters.format, &any_packet), 0);
		cr_assert_eq(printer_flush(&printer), 0);
		printer_fini(&printer);
		lseek(fileno(file), 0, SEEK_SET);
		expect_letters(fileno(file), cases[i].length, cases[i].packets);
		fclose(file);
	}
}

/* Whose turn comes when it is said, or has to. */
struct turn {
	bool waits;
	unsigned waited;
};

static int wait_turn(void *owner)
{
	struct turn *turn = owner;

	turn->waited++;
	return 0;
}

static bool would_wait(void *owner)
{
	return ((struct turn *)owner)->waits;
}

Test(printer, rather_keeps_some_megabytes_than_waits)
{
	static const struct {
		bool waits;
		unsigned packets, waited;
	} cases[] = { { false, 20, 0 }, { false, 300, 1 }, { true, 300, 0 }, { true, 3000, 0 }, { true, 5000, 1 } };

	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct letters letters = { .format.packet = write_letters, .length = 1000 };
		struct turn turn = { .waits = cases[i].waits };
		FILE *file = tmpfile();
		struct printer printer;

		cr_assert(file);
		cr_assert_eq(printer_init(&printer, fileno(file), false), 0);
		printer.before = wait_turn;
		printer.waits = would_wait;
		printer.most_kept = 4u << 20;
		printer.owner = &turn;
		for (unsigned j = 0; j < cases[i].packets; j++)
			cr_assert_eq(printer_packet(&printer, &letters.format, &any_packet), 0);
		cr_expect_eq(turn.waited, cases[i].waited, "case %u: %u", i, turn.waited);
		cr_assert_eq(printer_flush(&printer), 0);
		printer_fini(&printer);
		lseek(fileno(file), 0, SEEK_SET);
		expect_letters(fileno(file), 1000, cases[i].packets);
		fclose(file);
	}
}

Test(printer, the_header_is_written_for_no_packet)
{
	struct letters with = { .format = { .packet = write_letters, .header = write_header } }, without = { .format.packet = write_letters };
	struct printer printer;
	char text[32];
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(printer_init(&printer, ends[1], false), 0);
	cr_assert_eq(printer_packet(&printer, &without.format, NULL), 0);
	cr_assert_eq(printer_packet(&printer, &with.format, NULL), 0);
	cr_assert_eq(printer_text(&printer, "text\n", 5), 0);
	cr_assert_eq(printer_flush(&printer), 0);
	cr_assert_eq(read(ends[0], text, sizeof text), 12);
	cr_expect(!memcmp(text, "header\ntext\n", 12));
	printer_fini(&printer);
}

Test(printer, every_packet_means_at_once)
{
	for (int every = 0; every < 2; every++) {
		struct letters letters = { .format.packet = write_letters, .length = 10 };
		struct printer printer;
		struct pollfd readable;
		int ends[2];

		cr_assert_eq(pipe(ends), 0);
		cr_assert_eq(printer_init(&printer, ends[1], every), 0);
		cr_assert_eq(printer_packet(&printer, &letters.format, &any_packet), 0);
		readable = (struct pollfd){ .fd = ends[0], .events = POLLIN };
		cr_expect_eq(poll(&readable, 1, 0), every);
		printer_fini(&printer);
	}
}

Test(printer, a_failed_write_is_reported_then_and_later)
{
	struct letters letters = { .format.packet = write_letters, .length = 10 };
	struct printer printer;
	int ends[2], full = open("/dev/full", O_WRONLY);

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	cr_assert_eq(printer_init(&printer, ends[1], false), 0);
	cr_expect_eq(printer_packet(&printer, &letters.format, &any_packet), 0, "it is in the buffer");
	cr_expect_eq(printer_flush(&printer), -EPIPE);
	cr_expect_eq(printer_flush(&printer), -EPIPE);
	printer_fini(&printer);
	if (full < 0)
		return;
	cr_assert_eq(printer_init(&printer, full, true), 0);
	cr_expect_eq(printer_packet(&printer, &letters.format, &any_packet), -ENOSPC);
	printer_fini(&printer);
}

/* A reader that reads little at a time, from a small non-blocking pipe. */
Test(printer, short_writes_lose_nothing)
{
	struct letters letters = { .format.packet = write_letters, .length = 100000 };
	struct printer printer;
	int ends[2], status;
	pid_t writer;

	cr_assert_eq(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	cr_assert_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	writer = fork();
	cr_assert_geq(writer, 0);
	if (!writer) {
		int failed = printer_init(&printer, ends[1], false);

		close(ends[0]);
		for (int i = 0; i < 5 && !failed; i++)
			failed = printer_packet(&printer, &letters.format, &any_packet);
		_exit(failed || printer_flush(&printer));
	}
	close(ends[1]);
	expect_letters(ends[0], letters.length, 5);
	cr_assert_eq(waitpid(writer, &status, 0), writer);
	cr_expect(WIFEXITED(status) && !WEXITSTATUS(status));
}
