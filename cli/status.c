/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "capture/source.h"
#include "cli/cli.h"
#include "cli/print_error.h"
#include "cli/status.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

#define NS_A_SECOND INT64_C(1000000000)
#define LONGEST_SECONDS 86400
/* The reading thread prints the counts that SIGUSR1 asks for; if it has not done so after one or two of these intervals, it waits. */
#define LOOK_NS (NS_A_SECOND / 4)

struct status {
	struct status_options options;
	const struct rtap_source *source;
	size_t interface_count;
	atomic_uint_fast64_t packets, bytes; /* taken by the reading thread */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ends;
	bool ended; /* under the lock */
	/* of the thread; monotonic clock */
	int64_t begin_ns, last_ns;
	uint64_t last_packets, last_bytes;
};

/* Sums over the interfaces; known if each value is known. */
struct state {
	struct rtap_count by_device, by_system, here, used, size;
	uint64_t packets, packets_a_second, bytes_a_second;
	int64_t since_ns;
};

bool status_parse(struct status_options *options, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	options->as_json = !strcmp(end, ",json");
	if (end == text || (*end && !options->as_json) || !(seconds >= 0.1 && seconds <= LONGEST_SECONDS)) {
		print_error("--status %s: not a number of seconds from 0.1 to %d (5 or 5,json)", text, LONGEST_SECONDS);
		return false;
	}
	options->every_ns = (int64_t)(seconds * NS_A_SECOND);
	return true;
}

static void add(struct rtap_count *sum, bool known, uint64_t value)
{
	sum->known &= known;
	sum->value += value;
}

static uint64_t a_second(uint64_t number, int64_t duration_ns)
{
	return (uint64_t)((double)number * NS_A_SECOND / (double)duration_ns);
}

static void gather(struct status *status, int64_t now_ns, struct state *state)
{
	uint64_t packets = atomic_load(&status->packets), bytes = atomic_load(&status->bytes);

	*state = (struct state){
		.by_device.known = true, .by_system.known = true, .here.known = true, .used.known = true, .size.known = true,
		.packets = packets, .since_ns = now_ns - status->begin_ns,
		.packets_a_second = a_second(packets - status->last_packets, now_ns - status->last_ns),
		.bytes_a_second = a_second(bytes - status->last_bytes, now_ns - status->last_ns),
	};
	for (size_t i = 0; i < status->interface_count; i++) {
		struct rtap_interface counts;

		source_read_counts(status->source, i, &counts);
		add(&state->by_device, counts.has_dropped, counts.dropped);
		add(&state->by_system, counts.dropped_by_system.known, counts.dropped_by_system.value);
		add(&state->here, counts.dropped_here.known, counts.dropped_here.value);
		add(&state->used, counts.queue_used.known, counts.queue_used.value);
		add(&state->size, counts.queue_size.known, counts.queue_size.value);
	}
	status->last_packets = packets;
	status->last_bytes = bytes;
	status->last_ns = now_ns;
}

static void count_or_unknown(struct line *line, const char *before, struct rtap_count count)
{
	line_text(line, before);
	if (count.known)
		line_dec(line, count.value);
	else
		line_text(line, "unknown");
}

static void write_text(const struct state *state, struct line *line)
{
	units_time(state->since_ns, line);
	line_text(line, ": ");
	line_dec(line, state->packets);
	line_text(line, " packets, ");
	line_dec(line, state->packets_a_second);
	line_text(line, "/s, ");
	units_bit_rate(state->bytes_a_second, line);
	count_or_unknown(line, "; dropped: by the device ", state->by_device);
	count_or_unknown(line, ", by the kernel ", state->by_system);
	count_or_unknown(line, ", here ", state->here);
	if (state->used.known && !state->used.value)
		line_text(line, "; queue empty");
	else if (state->used.known && state->size.known && state->size.value) {
		line_text(line, "; queue ");
		units_percent(state->used.value, state->size.value, line);
		line_text(line, " full");
	}
}

static void json_count(struct line *line, const char *key, struct rtap_count count)
{
	if (count.known)
		object_number(line, key, count.value);
}

static void write_json(const struct state *state, struct line *line)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	line_char(line, '{');
	object_number(line, "time_ns", (uint64_t)now.tv_sec * NS_A_SECOND + (uint64_t)now.tv_nsec);
	object_number(line, "packets", state->packets);
	object_number(line, "packets_per_second", state->packets_a_second);
	object_number(line, "bytes_per_second", state->bytes_a_second);
	json_count(line, "dropped_by_device", state->by_device);
	json_count(line, "dropped_by_system", state->by_system);
	json_count(line, "dropped_here", state->here);
	json_count(line, "queue_used", state->used);
	json_count(line, "queue_size", state->size);
	line_char(line, '}');
}

/* Not by print_error(), which waits for standard output. */
static void print(struct status *status, int64_t now_ns)
{
	struct state state;
	struct line line;
	char text[512];

	gather(status, now_ns, &state);
	line_init(&line, text, sizeof text - 1);
	if (status->options.as_json) {
		write_json(&state, &line);
	} else {
		line_text(&line, "rdmatap: ");
		write_text(&state, &line);
	}
	*line.next = '\0';
	fprintf(stderr, "%s\n", text);
}

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_A_SECOND + now.tv_nsec;
}

/* False: it has ended. */
static bool wait_until(struct status *status, int64_t time_ns)
{
	const struct timespec time = { .tv_sec = (time_t)(time_ns / NS_A_SECOND), .tv_nsec = (long)(time_ns % NS_A_SECOND) };
	bool ended;

	pthread_mutex_lock(&status->lock);
	while (!status->ended && !pthread_cond_timedwait(&status->ends, &status->lock, &time))
		;
	ended = status->ended;
	pthread_mutex_unlock(&status->lock);
	return !ended;
}

static void *run(void *argument)
{
	struct status *status = argument;
	int64_t every_ns = status->options.every_ns, now_ns = status->begin_ns, due_ns = every_ns ? now_ns + every_ns : INT64_MAX;
	bool was_wanted = false;

	while (wait_until(status, due_ns - now_ns < LOOK_NS ? due_ns : now_ns + LOOK_NS)) {
		bool is_wanted = counts_wanted, is_overdue = is_wanted && was_wanted, is_due;

		now_ns = monotonic_ns();
		is_due = now_ns >= due_ns;
		if (is_overdue)
			counts_wanted = false;
		if (is_due || is_overdue)
			print(status, now_ns);
		/* intervals that were missed are not made up for */
		if (is_due)
			due_ns = now_ns - due_ns > every_ns ? now_ns + every_ns : due_ns + every_ns;
		was_wanted = is_wanted && !is_overdue;
	}
	return NULL;
}

static bool init_wait(struct status *status)
{
	pthread_condattr_t attributes;
	bool done;

	if (pthread_condattr_init(&attributes))
		return false;
	done = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) && !pthread_cond_init(&status->ends, &attributes);
	pthread_condattr_destroy(&attributes);
	if (done && pthread_mutex_init(&status->lock, NULL)) {
		pthread_cond_destroy(&status->ends);
		done = false;
	}
	return done;
}

struct status *status_start(const struct status_options *options, const struct rtap_source *source)
{
	struct status *status;

	status = calloc(1, sizeof *status);
	if (!status || !init_wait(status)) {
		free(status);
		print_error("--status and SIGUSR1: out of memory");
		return NULL;
	}
	status->options = *options;
	status->source = source;
	status->interface_count = rtap_source_interface_count(source);
	status->begin_ns = status->last_ns = monotonic_ns();
	if (!thread_start(&status->thread, run, status))
		return status;
	print_error("--status and SIGUSR1: no thread can be started");
	pthread_mutex_destroy(&status->lock);
	pthread_cond_destroy(&status->ends);
	free(status);
	return NULL;
}

void status_update(struct status *status)
{
	struct rtap_source_counters counters;

	if (!status)
		return;
	rtap_source_counters(status->source, &counters, sizeof counters);
	atomic_store(&status->packets, counters.frames);
	atomic_store(&status->bytes, counters.captured_bytes);
}

void status_stop(struct status *status)
{
	if (!status)
		return;
	pthread_mutex_lock(&status->lock);
	status->ended = true;
	pthread_cond_signal(&status->ends);
	pthread_mutex_unlock(&status->lock);
	pthread_join(status->thread, NULL);
	pthread_mutex_destroy(&status->lock);
	pthread_cond_destroy(&status->ends);
	free(status);
}
