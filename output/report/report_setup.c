/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Setup and end of a connection as a ladder diagram: its two ends with their messages between them, time running down.
 */
#include "config.h"

#include <string.h>

#include "output/message/connections.h"
#include "output/report/html.h"
#include "output/report/html_axis.h"
#include "output/message/messages.h"
#include "output/report/report_internal.h"

#define END_A 215
#define END_B 880
#define RUNG_HEIGHT 34
#define TOP 48

/* TCP packets belong to a connection from this time before it to this time after it. */
#define TCP_BEFORE_NS INT64_C(60000000000)
#define TCP_AFTER_NS INT64_C(5000000000)

#define MOST_RUNGS 24

/* Most characters that fit between the ends at normal size. */
#define LONG_LABEL 96

struct rung {
	const struct report_signal *signal; /* NULL: not kept */
	const struct rtap_life_event *event; /* NULL: TCP only */
	uint64_t frame;
	int64_t time_ns;
	bool from_a;
	bool sender_known;
};

static bool is_end(const struct rtap_end *end, const uint8_t *address, uint8_t length)
{
	return length && end->address_length == length && !memcmp(end->address, address, length);
}

/* Whether the signal is between the connection's ends, in either direction; sets whether a sent it. False: of another connection. */
static bool is_of(const struct report_signal *signal, const struct stats_shown *shown, bool *from_a)
{
	if (is_end(&shown->a, signal->source, signal->address_length) && is_end(&shown->b, signal->destination, signal->address_length) &&
	    signal->source_port == shown->a.port && signal->destination_port == shown->b.port) {
		*from_a = true;
		return true;
	}
	*from_a = false;
	return is_end(&shown->b, signal->source, signal->address_length) && is_end(&shown->a, signal->destination, signal->address_length) &&
	       signal->source_port == shown->b.port && signal->destination_port == shown->a.port;
}

static const struct report_signal *signal_of(const struct report *report, uint64_t frame)
{
	unsigned low = 0, high = report->signal_count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (report->signals[middle].frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low < report->signal_count && report->signals[low].frame == frame ? &report->signals[low] : NULL;
}

static void insert(struct rung *rungs, unsigned *count, const struct rung *rung)
{
	unsigned place = *count;

	if (*count == MOST_RUNGS)
		return;
	for (; place && rungs[place - 1].frame > rung->frame; place--)
		rungs[place] = rungs[place - 1];
	rungs[place] = *rung;
	++*count;
}

static bool has_frame(const struct rung *rungs, unsigned count, uint64_t frame)
{
	for (unsigned i = 0; i < count; i++)
		if (rungs[i].frame == frame)
			return true;
	return false;
}

/* The direction of an event without a packet; unknown for events that either end can cause. */
static void guess_sender(struct rung *rung)
{
	rung->from_a = strcmp(rung->event->name, "rdma_accept") != 0;
	rung->sender_known = !rung->from_a || !strcmp(rung->event->name, "rdma_connect") || !strcmp(rung->event->name, "established");
}

static void find_sender(struct rung *rung, const struct stats_shown *shown)
{
	const uint8_t *source = rung->signal ? rung->signal->source : rung->event->by;
	uint8_t length = rung->signal ? rung->signal->address_length : rung->event->by_length;
	bool is_a = is_end(&shown->a, source, length), is_b = is_end(&shown->b, source, length);

	if (is_a != is_b) {
		rung->from_a = is_a;
		rung->sender_known = true;
	} else if (!rung->event->by_length) {
		guess_sender(rung);
	}
}

static unsigned gather(const struct report *report, const struct stats_shown *shown, struct rung *rungs)
{
	unsigned count = 0;

	for (uint8_t i = 0; i < shown->life_count; i++) {
		const struct rtap_life_event *event = &shown->life[i];
		struct rung rung = { signal_of(report, event->frame), event, event->frame, event->time_ns, false, false };

		find_sender(&rung, shown);
		insert(rungs, &count, &rung);
	}
	for (unsigned i = 0; shown->transport == RTAP_TRANSPORT_IWARP && i < report->signal_count; i++) {
		const struct report_signal *signal = &report->signals[i];
		struct rung rung = { signal, NULL, signal->frame, signal->time_ns, false, true };

		if (signal->is_tcp && is_of(signal, shown, &rung.from_a) && ns_elapsed(signal->time_ns, shown->time_ns) <= TCP_BEFORE_NS &&
		    ns_elapsed(shown->time_end_ns, signal->time_ns) <= TCP_AFTER_NS && !has_frame(rungs, count, signal->frame))
			insert(rungs, &count, &rung);
	}
	return count;
}

/* A line without an arrowhead: the sender is unknown or neither end. */
static void arrow(const struct rung *rung, double y, struct line *line)
{
	line_text(line, rung->sender_known ? "<path class=\"arrow\" marker-end=\"url(#arrow)\" d=\"M" : "<path class=\"arrow unknown\" d=\"M");
	html_pixel(line, rung->from_a ? END_A : END_B);
	line_char(line, ' ');
	html_pixel(line, y);
	line_char(line, 'H');
	html_pixel(line, rung->from_a ? END_B - 3 : END_A + 3);
	line_text(line, "\"/>");
}

static void draw_rung(const struct rung *rung, const struct rung *before, int64_t begin_ns, double y, struct line *line)
{
	html_label(line, "ty", END_A - 14, y + 4);
	line_text(line, "frame ");
	line_dec(line, rung->frame);
	line_text(line, ", ");
	html_offset(line, (int64_t)((uint64_t)rung->time_ns - (uint64_t)begin_ns));
	line_text(line, "</text>");
	if (before) {
		html_label(line, "small", END_B + 14, y + 4);
		html_duration(line, ns_elapsed(before->time_ns, rung->time_ns));
		line_text(line, " later</text>");
	}
	arrow(rung, y, line);
	line_text(line, rung->signal && rung->signal->label_length > LONG_LABEL ? "<g class=\"long\">" : "<g>");
	html_label(line, "tx", (END_A + END_B) / 2.0, y - 5);
	if (rung->signal)
		html_bytes(line, rung->signal->label, rung->signal->label_length);
	else
		html_text(line, rung->event->name);
	if (rung->event && rung->event->by_length) {
		struct rtap_end by = { .address_length = rung->event->by_length };

		memcpy(by.address, rung->event->by, sizeof by.address);
		line_text(line, " by ");
		end_address(&by, line);
	}
	line_text(line, "</text></g>\n");
}

/* Between setup and end: the data carried. */
static void draw_traffic(const struct stats_shown *shown, double y, struct line *line)
{
	line_text(line, "<path class=\"band\" d=\"M");
	html_pixel(line, END_A);
	line_char(line, ' ');
	html_pixel(line, y - 16);
	line_char(line, 'H');
	html_pixel(line, END_B);
	line_text(line, "v26H");
	html_pixel(line, END_A);
	line_text(line, "z\"/>");
	html_label(line, "tx", (END_A + END_B) / 2.0, y + 1);
	html_counted(line, shown->packets, "packet");
	line_text(line, ", ");
	html_counted(line, shown->messages, "message");
	line_text(line, ", ");
	html_counted(line, shown->bytes, "byte");
	line_text(line, " of payload</text>\n");
}

static bool is_teardown(const struct rung *rung)
{
	if (rung->event)
		return strstr(rung->event->name, "disconnect") || strstr(rung->event->name, "leave") || !strcmp(rung->event->name, "terminate");
	return strstr(rung->signal->label, "SYN") == NULL;
}

static void draw_end(const struct rtap_end *end, const char *name, double x, double bottom, struct line *line)
{
	html_label(line, "tx", x, 18);
	line_text(line, name);
	end_text(end, line);
	line_text(line, "</text><path class=\"end\" d=\"M");
	html_pixel(line, x);
	line_text(line, " 26V");
	html_pixel(line, bottom);
	line_text(line, "\"/>");
}

void report_setup(const void *what, struct line *line)
{
	const struct report_page *page = what;
	const struct stats_shown *shown = &page->connection->shown;
	struct rung rungs[MOST_RUNGS];
	unsigned count = gather(page->report, shown, rungs);
	bool traffic_drawn = !shown->packets;
	double y = TOP + 8;

	if (!count) {
		line_text(line, "<p class=\"note\">The capture does not contain the setup of this connection.</p>\n");
		return;
	}
	line_text(line, "<figure><figcaption><b>Setup and end</b></figcaption>\n<svg class=\"plot ladder\" viewBox=\"0 0 1000 ");
	html_pixel(line, TOP + (count + !traffic_drawn) * (double)RUNG_HEIGHT);
	line_text(line, "\" role=\"img\"><title>Sequence diagram of the connection</title>"
		  "<desc>Each arrow is a packet, with its frame number and its time since the capture began.</desc>\n");
	draw_end(&shown->a, "a ", END_A, TOP + (count + !traffic_drawn) * (double)RUNG_HEIGHT - 6, line);
	draw_end(&shown->b, "b ", END_B, TOP + (count + !traffic_drawn) * (double)RUNG_HEIGHT - 6, line);
	for (unsigned i = 0; i < count; i++) {
		if (!traffic_drawn && is_teardown(&rungs[i])) {
			draw_traffic(shown, y, line);
			traffic_drawn = true;
			y += RUNG_HEIGHT;
		}
		draw_rung(&rungs[i], i ? &rungs[i - 1] : NULL, page->stats->begin_ns, y, line);
		y += RUNG_HEIGHT;
	}
	if (!traffic_drawn)
		draw_traffic(shown, y, line);
	line_text(line, "</svg>");
	if (page->report->signals_seen > page->report->signal_count)
		line_text(line, "<p class=\"note\">Of later setups of this capture only the names are kept.</p>");
	line_text(line, "</figure>\n");
}
