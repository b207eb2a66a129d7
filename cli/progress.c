/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

#define INTERVAL_NS 250000000
#define FIRST_NS 1000000000

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void progress_init(struct progress *progress, bool asked)
{
	*progress = (struct progress){ .shown_at_all = asked || (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)) };
	if (progress->shown_at_all)
		progress->next_ns = now_ns() + (asked ? 0 : FIRST_NS);
}

static void draw(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total)
{
	progress->drawn = true;
	if (total)
		fprintf(stderr, "\rrdmatap: %3" PRIu64 "%%, %" COUNT, done * 100 / total, COUNTED(frames, "packet", "packets"));
	else
		fprintf(stderr, "\rrdmatap: %" COUNT, COUNTED(frames, "packet", "packets"));
	fflush(stderr);
}

void progress_show(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total)
{
	int64_t now;

	if (!progress->shown_at_all)
		return;
	now = now_ns();
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + INTERVAL_NS;
	draw(progress, frames, done, total);
}

void progress_end(struct progress *progress, uint64_t frames, uint64_t done, uint64_t total)
{
	if (!progress->drawn)
		return;
	if (isatty(STDERR_FILENO)) {
		fputs("\r\033[K", stderr);
	} else {
		draw(progress, frames, done, total);
		fputc('\n', stderr);
	}
	fflush(stderr);
}
