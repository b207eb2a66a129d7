/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/join/join_point.h"
#include "output/join/join_stall_form.h"
#include "output/join/join_verdict.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

/* The host that caused the pause; for the network, the packet's sender. */
static void put_host(const struct join_verdict *verdict, struct line *line)
{
	const struct transmission_flow *flow = &verdict->packet->direction->flow;

	if (flow->address_length)
		line_address(line, verdict->place == JOIN_RECEIVER ? flow->destination : flow->source, flow->address_length);
	else
		line_text(line, join_verdict_place_name(verdict->place));
}

/* The points between which a packet was lost or delayed; for a delayed packet, the first and the last. */
static void find_hop(const struct join_verdict *verdict, unsigned *from, unsigned *to)
{
	const struct join_direction *direction = verdict->packet->direction;

	*from = direction->path->points[direction->order[verdict->reason == JOIN_LOST ? verdict->hop : 0]];
	*to = direction->path->points[direction->order[verdict->reason == JOIN_LOST ? verdict->hop + 1 : direction->order_count - 1]];
}

void join_stall_json(const struct join_record *record, struct line *line)
{
	const struct join_stall *stall = record->stall;
	const struct join_verdict verdict = join_verdict_of(stall);
	const struct join_form *form = record->form;
	unsigned from, to;

	line_char(line, '{');
	object_text(line, "kind", "stall");
	object_number(line, "connection", stall->connection);
	object_time(line, "time", stall->before.time_ns);
	object_seconds(line, "duration", stall->duration_ns);
	object_text(line, "where", join_verdict_place_name(verdict.place));
	object_text(line, "reason", join_verdict_reason_name(verdict.reason));
	if (verdict.place == JOIN_NETWORK) {
		find_hop(&verdict, &from, &to);
		join_point_json_between(form, from, to, line);
	} else if (verdict.packet->direction->flow.address_length) {
		object_key(line, "host");
		line_char(line, '"');
		put_host(&verdict, line);
		line_char(line, '"');
	}
	object_number(line, "frame", verdict.packet->frame);
	join_point_json("point", form->names[verdict.packet->point], line);
	object_number(line, "frame_before", stall->before.frame);
	join_point_json("point_before", form->names[stall->before.point], line);
	object_number(line, "frame_after", stall->after.frame);
	join_point_json("point_after", form->names[stall->after.point], line);
	line_text(line, "}\n");
}

/* Sums by place. */
static void add_up(const struct join_form *form, uint64_t counts[JOIN_PLACES], int64_t times_ns[JOIN_PLACES])
{
	for (size_t i = 0; i < form->stall_count; i++) {
		enum join_place place = join_verdict_of(form->stalls[i]).place;

		counts[place]++;
		if (__builtin_add_overflow(times_ns[place], form->stalls[i]->duration_ns, &times_ns[place]))
			times_ns[place] = INT64_MAX;
	}
}

void join_stalls_json(const struct join_form *form, struct line *line)
{
	uint64_t unlisted = form->join->stalls.pauses - form->stall_count;
	uint64_t counts[JOIN_PLACES] = { 0 };
	int64_t times_ns[JOIN_PLACES] = { 0 };

	add_up(form, counts, times_ns);
	object_key(line, "stalls");
	line_char(line, '{');
	for (enum join_place place = 0; place < JOIN_PLACES; place++) {
		object_key(line, join_verdict_place_name(place));
		line_char(line, '{');
		object_number(line, "count", counts[place]);
		object_seconds(line, "time", times_ns[place]);
		line_char(line, '}');
	}
	if (unlisted)
		object_number(line, "unlisted", unlisted);
	line_char(line, '}');
}

void join_write_stalls(const void *what, struct line *line)
{
	const struct join_form *form = what;
	uint64_t unlisted = form->join->stalls.pauses - form->stall_count;
	uint64_t counts[JOIN_PLACES] = { 0 };
	int64_t times_ns[JOIN_PLACES] = { 0 };
	bool is_first = true;

	add_up(form, counts, times_ns);
	line_text(line, "\npauses of ");
	units_time(JOIN_STALL_NS, line);
	line_text(line, " or more, by where the time went: ");
	for (enum join_place place = 0; place < JOIN_PLACES; place++) {
		if (!counts[place])
			continue;
		line_text(line, is_first ? "" : ", ");
		is_first = false;
		line_text(line, join_verdict_place_name(place));
		line_char(line, ' ');
		line_dec(line, counts[place]);
		line_text(line, " (");
		units_time(times_ns[place], line);
		line_char(line, ')');
	}
	if (unlisted) {
		line_text(line, "; ");
		line_dec(line, unlisted);
		line_text(line, " shorter ones");
	}
	line_char(line, '\n');
}

static void put_frame(const char *before, const struct join_brief *packet, struct line *line)
{
	line_text(line, before);
	line_text(line, "frame ");
	join_point_frame(packet->point, packet->frame, line);
}

static void put_network(const struct join_stall *stall, const struct join_verdict *verdict, struct line *line)
{
	unsigned from, to;

	find_hop(verdict, &from, &to);
	line_text(line, "network ");
	line_dec(line, from + 1);
	line_text(line, " > ");
	line_dec(line, to + 1);
	put_frame(": ", verdict->packet, line);
	if (verdict->reason == JOIN_DELAYED) {
		line_text(line, " took ");
		units_time(verdict->packet->last_ns - verdict->packet->time_ns, line);
		return;
	}
	line_text(line, " was lost");
	put_frame("; ", &stall->after, line);
	line_text(line, stall->after.is_repeat ? " repeats what was sent" : " goes on");
}

void join_write_stall(const void *what, struct line *line)
{
	const struct join_record *record = what;
	const struct join_stall *stall = record->stall;
	const struct join_verdict verdict = join_verdict_of(stall);
	char time[CLOCK_MOST];

	line_text(line, "  ");
	line_bytes(line, time, (size_t)(clock_put_listed(time, &record->form->times, stall->before.time_ns) - time));
	line_text(line, "  ");
	units_time(stall->duration_ns, line);
	line_text(line, "  #");
	line_dec(line, stall->connection);
	line_char(line, ' ');
	if (verdict.place == JOIN_NETWORK) {
		put_network(stall, &verdict, line);
	} else {
		put_host(&verdict, line);
		if (verdict.reason == JOIN_UNANSWERED) {
			put_frame(": ", &stall->before, line);
			line_text(line, " arrived and was not answered");
			put_frame("; ", &stall->after, line);
			line_text(line, " repeats what was sent");
		} else {
			put_frame(verdict.place == JOIN_RECEIVER ? ": after receiving " : ": after sending ", &stall->before, line);
			put_frame(" sent nothing until ", &stall->after, line);
		}
	}
	line_char(line, '\n');
}
