/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap top: connections of a device or a file, on a terminal.
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/counting.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/top.h"
#include "cli/top_model.h"
#include "cli/top_screen.h"
#include "output/packet/units.h"

#define REFRESH_NS INT64_C(1000000000)
#define LOOK_FRAMES 256 /* of a file: keys are polled after this many frames */
#define LOOK_MS 50
#define STATUS_SIZE 256

struct top {
	struct reader reader;
	struct counting counting;
	struct top_model model;
	struct top_screen screen;
	int64_t due_ns;         /* of the next refresh; monotonic clock */
	/* For a file with --speed. */
	int64_t begun_ns;       /* monotonic clock; 0: no frame was taken */
	int64_t first_ns, frame_ns; /* times of the first and the last frame */
	unsigned frames;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const char *count_text(bool known, uint64_t count, char text[24])
{
	snprintf(text, 24, known ? "%" PRIu64 : "?", count);
	return text;
}

/* Writes the drops by device, kernel and program ("?": unknown), and the fill level of the queues. */
static void put_sources(const struct rtap_source *source, char *text, size_t size)
{
	uint64_t device = 0, kernel = 0, here = 0, used = 0, whole = 0;
	bool device_known = true, kernel_known = true;
	char device_text[24], kernel_text[24];

	for (size_t i = 0; i < rtap_source_interface_count(source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);

		device_known &= interface->has_dropped;
		device += interface->has_dropped ? interface->dropped : 0;
		kernel_known &= interface->dropped_by_system.known;
		kernel += interface->dropped_by_system.known ? interface->dropped_by_system.value : 0;
		here += interface->dropped_here.known ? interface->dropped_here.value : 0;
		used += interface->queue_used.known ? interface->queue_used.value : 0;
		whole += interface->queue_size.known ? interface->queue_size.value : 0;
	}
	snprintf(text, size, " dropped: device %s, kernel %s, here %" PRIu64 "; queue %" PRIu64 " %%;",
		 count_text(device_known, device, device_text), count_text(kernel_known, kernel, kernel_text), here,
		 whole ? used * 100 / whole : 0);
}

static void make_status(const struct top *top, char status[STATUS_SIZE])
{
	const struct options *options = top->reader.options;
	const struct stats *stats = top->counting.stats;
	const char *name = options->device ? options->device : options->inputs[0], *slash = options->device ? NULL : strrchr(name, '/');
	uint64_t rate = 0, packets = 0;
	char text[48];
	struct line line;
	int length;

	name = slash ? slash + 1 : name;
	for (size_t i = 0; i < top->model.before_count; i++) {
		rate += top->model.before[i].rate;
		packets += top->model.before[i].packet_rate;
	}
	line_init(&line, text, sizeof text - 1);
	units_bit_rate(rate, &line);
	*line.next = 0;
	/* the drops first: a narrow terminal cuts the rest off */
	length = snprintf(status, STATUS_SIZE, "%.40s:", name);
	if (options->device)
		put_sources(top->reader.source, status + length, STATUS_SIZE - (size_t)length);
	length = (int)strlen(status);
	snprintf(status + length, STATUS_SIZE - (size_t)length, " %" COUNT ", %" COUNT "; %" PRIu64 " pkt/s, %s",
		 COUNTED(stats->packets, "packet", "packets"), COUNTED(top->model.connections, "connection", "connections"),
		 packets, text);
	for (char *c = status; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void draw(struct top *top)
{
	char status[STATUS_SIZE];

	make_status(top, status);
	top_screen_draw(&top->screen, &top->model, status);
}

/* The time for rates: for a file, that of the frames. */
static int64_t display_ns(const struct top *top)
{
	return top->reader.options->device ? now_ns() : top->counting.stats->last_ns;
}

static void refresh_model(struct top *top)
{
	counting_refresh(&top->counting);
	top_model_refresh(&top->model, top->counting.stats, display_ns(top));
}

/* Processes keys, and refreshes the screen if that is due or a key requires it. */
static void look(struct top *top, bool at_once)
{
	int64_t now = now_ns();
	bool changed;

	if (!top_screen_take_keys(&top->screen, &top->model, &changed)) {
		top->reader.stop = true;
		interrupted = 1;
		return;
	}
	if (!changed && !at_once && now < top->due_ns)
		return;
	/* rates need an interval between refreshes */
	if ((!top->screen.paused && now >= top->due_ns) || at_once || !top->model.before_ns) {
		refresh_model(top);
		top->due_ns = now + REFRESH_NS;
	} else if (changed) {
		top_model_arrange(&top->model);
	}
	draw(top);
}

static void idle(void *owner)
{
	look(owner, false);
}

/* With --speed: waits until the frame is due. */
static void await_frame(struct top *top, int64_t time_ns)
{
	double speed = top->reader.options->speed;

	while (!interrupted && !top->reader.stop) {
		int64_t due = top->begun_ns + (int64_t)((double)(time_ns - top->first_ns) / speed), now = now_ns();

		if (now >= due)
			return;
		look(top, false);
		poll(&(struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN }, 1, due - now > LOOK_MS * 1000000 ? LOOK_MS : (int)((due - now) / 1000000));
	}
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct top *top = owner;
	const struct options *options = top->reader.options;

	if (!options->device && !top->begun_ns) {
		top->begun_ns = now_ns();
		top->first_ns = frame->time_ns;
	}
	if (!options->device && options->paced)
		await_frame(top, frame->time_ns);
	counting_frame(&top->counting, frame);
	if (!options->device && ++top->frames % LOOK_FRAMES == 0)
		look(top, false);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	top_model_operation(&((struct top *)owner)->model, operation);
}

static void take_message(void *owner, const struct rtap_message *message)
{
	top_model_message(&((struct top *)owner)->model, message);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	(void)turned;
	top_model_merge(&((struct top *)owner)->model, from, into);
}

/* At the end of a file: shows the final state until the user leaves. */
static void stay(struct top *top)
{
	look(top, true);
	while (!top->reader.stop && !aborted) {
		poll(&(struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN }, 1, LOOK_MS);
		look(top, false);
	}
}

static int run(const struct options *options)
{
	static struct top top;
	struct reader *reader = &top.reader;

	top.counting = (struct counting){
		.message = take_message, .operation = take_operation, .merged = take_merge, .owner = &top, .all_operations = true,
	};
	if (!top_model_init(&top.model)) {
		print_error("out of memory");
		return EXIT_ERROR;
	}
	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (!counting_open(&top.counting, reader) || !top_screen_open(&top.screen)) {
		reader->status = EXIT_ERROR;
	} else {
		reader->idle = idle;
		reader_run(reader, top.counting.tracker, take, &top);
		rtap_tracker_finish(top.counting.tracker);
		if (!options->device && !reader->stop && !reader->interrupted)
			stay(&top);
		top_screen_close(&top.screen);
		reader_report(reader, top.counting.tracker);
	}
	top_screen_close(&top.screen);
	counting_close(&top.counting);
	top_model_fini(&top.model);
	reader_close(reader);
	return reader->status;
}

int command_top(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, COMMAND_TOP, argc, argv) ? run(&options) : EXIT_ERROR;

	options_fini(&options);
	return status;
}
