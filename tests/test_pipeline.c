/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "cli/pipeline.h"
#include "output/packet/printer.h"

/* Of many small things, and of few large ones. */
#define SMALL sizeof(struct task)
#define LARGE (1u << 20)

/* A pipeline of two threads at the first batch of a capture: its records are used exclusively until the batch is done. */
struct bench {
	struct rtap_source *source;
	struct printer printer;
	struct pipeline *pipeline;
	unsigned done;
};

/* What is written later: it finds its number, from 0. */
struct task {
	struct bench *bench;
	uint64_t number;
};

static void do_task(const void *what, struct line *line)
{
	const struct task *task = what;

	(void)line;
	cr_assert_eq(task->bench->done, task->number);
	task->bench->done++;
}

static void do_later(struct bench *bench, uint64_t number, size_t size)
{
	struct task *room = pipeline_write_later(bench->pipeline, do_task, size);

	cr_assert(room);
	cr_assert_eq((uintptr_t)room % _Alignof(struct task), 0);
	memset(room, 0xff, size);
	*room = (struct task){ bench, number };
}

static void begin_within(struct bench *bench, const char *output, uint64_t max_memory)
{
	const char *const names[] = { TESTDATA "/iwarp-nfs3-crctso.pcap.gz" };
	int fd = open(output, O_WRONLY);
	struct rtap_batch *batch;
	struct rtap_error error;

	*bench = (struct bench){ 0 };
	cr_assert(fd >= 0);
	cr_assert_eq(rtap_source_open_files(&bench->source, names, 1, &error), RTAP_STATUS_OK);
	cr_assert_eq(printer_init(&bench->printer, fd, false), 0);
	bench->pipeline = pipeline_open(&(struct pipeline_options){
		.source = bench->source, .printer = &bench->printer, .max_memory = max_memory, .threads = 2 });
	cr_assert(bench->pipeline);
	cr_assert_eq(pipeline_read(bench->pipeline, &batch, &error), RTAP_STATUS_OK);
}

static void begin(struct bench *bench, const char *output)
{
	begin_within(bench, output, 0);
}

static void end(struct bench *bench)
{
	pipeline_batch_done(bench->pipeline);
	pipeline_close(bench->pipeline);
	close(bench->printer.fd);
	printer_fini(&bench->printer);
	rtap_source_close(bench->source);
}

TestSuite(pipeline, .timeout = HANG_SECONDS);

Test(pipeline, does_things_before_they_hold_much_memory)
{
	struct bench bench;

	begin(&bench, "/dev/null");
	for (unsigned i = 0; i < 16; i++) {
		do_later(&bench, i, i < 8 ? SMALL : LARGE);
		cr_assert(i >= 8 || !bench.done, "%u things were done", bench.done);
	}
	cr_assert(bench.done >= 8 && bench.done < 16, "%u things were done", bench.done);
	pipeline_sync(bench.pipeline);
	cr_assert_eq(bench.done, 16);
	end(&bench);
}

Test(pipeline, holds_a_small_share_of_a_small_limit)
{
	struct bench bench;

	begin_within(&bench, "/dev/null", 64 * 4096);
	for (unsigned i = 0; i < 16; i++)
		do_later(&bench, i, 1000);
	cr_assert(bench.done >= 8 && bench.done < 16, "%u things were done", bench.done);
	cr_assert_null(pipeline_write_later(bench.pipeline, do_task, 4097));
	pipeline_sync(bench.pipeline);
	cr_assert_eq(bench.done, 16);
	end(&bench);
}

/* More than a printer buffers. */
static void write_much(const void *what, struct line *line)
{
	static const char text[1000];

	(void)what;
	for (unsigned i = 0; i < 1000; i++)
		line_bytes(line, text, sizeof text);
}

Test(pipeline, reports_a_failed_write_and_writes_nothing_after_it)
{
	struct bench bench;

	begin(&bench, "/dev/full");
	for (unsigned i = 0; i < 3; i++)
		pipeline_write(bench.pipeline, write_much, NULL);
	do_later(&bench, 0, SMALL);
	cr_assert_eq(bench.done, 0);
	cr_assert_eq(pipeline_sync(bench.pipeline), -ENOSPC);
	cr_assert_eq(bench.done, 0);
	end(&bench);
}

Test(pipeline, rejects_records_beyond_its_size)
{
	struct bench bench;

	begin(&bench, "/dev/null");
	do_later(&bench, 0, SMALL);
	cr_assert_null(pipeline_write_later(bench.pipeline, do_task, 5 << 20));
	pipeline_sync(bench.pipeline);
	cr_assert_eq(bench.done, 1);
	end(&bench);
}
