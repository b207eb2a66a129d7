/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/print_error.h"
#include "cli/status.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

#define NS_A_SECOND INT64_C(1000000000)
#define LONGEST_SECONDS 86400

/* Sums over the interfaces; known if each value is known. */
struct state {
	struct rtap_count by_device, by_system, here, used, size;
	uint64_t packets, packets_a_second, bytes_a_second;
	int64_t since_ns;
};

bool status_parse(struct status *status, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	status->as_json = !strcmp(end, ",json");
	if (end == text || (*end && !status->as_json) || !(seconds >= 0.1 && seconds <= LONGEST_SECONDS)) {
		print_error("--status %s: not a number of seconds from 0.1 to %d (5 or 5,json)", text, LONGEST_SECONDS);
		return false;
	}
	status->every_ns = (int64_t)(seconds * NS_A_SECOND);
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

static void gather(const struct status *status, const struct rtap_source *source,
		   const struct rtap_source_counters *counters, int64_t now_ns, struct state *state)
{
	*state = (struct state){
		.by_device.known = true, .by_system.known = true, .here.known = true, .used.known = true, .size.known = true,
		.packets = counters->frames, .since_ns = now_ns - status->begin_ns,
		.packets_a_second = a_second(counters->frames - status->last.frames, now_ns - status->last_ns),
		.bytes_a_second = a_second(counters->captured_bytes - status->last.captured_bytes, now_ns - status->last_ns),
	};
	for (size_t i = 0; i < rtap_source_interface_count(source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);

		add(&state->by_device, interface->has_dropped, interface->dropped);
		add(&state->by_system, interface->dropped_by_system.known, interface->dropped_by_system.value);
		add(&state->here, interface->dropped_here.known, interface->dropped_here.value);
		add(&state->used, interface->queue_used.known, interface->queue_used.value);
		add(&state->size, interface->queue_size.known, interface->queue_size.value);
	}
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

void status_show(struct status *status, const struct rtap_source *source, int64_t now_ns)
{
	struct rtap_source_counters counters;
	struct state state;
	struct line line;
	char text[512];

	if (!status->every_ns)
		return;
	if (!status->begin_ns)
		status->begin_ns = status->last_ns = now_ns;
	if (now_ns - status->last_ns < status->every_ns)
		return;
	rtap_source_counters(source, &counters, sizeof counters);
	gather(status, source, &counters, now_ns, &state);
	status->last = counters;
	status->last_ns = now_ns;
	line_init(&line, text, sizeof text - 1);
	if (status->as_json)
		write_json(&state, &line);
	else
		write_text(&state, &line);
	*line.next = '\0';
	if (status->as_json)
		fprintf(stderr, "%s\n", text);
	else
		print_error("%s", text);
}
