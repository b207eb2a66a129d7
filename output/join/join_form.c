/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dissect/infiniband/ib.h"
#include "output/join/join_form.h"
#include "output/join/join_point.h"
#include "output/join/join_stall_form.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

/* Most stretches between two points of which those without losses are printed, too. */
#define STRETCHES 64

static bool lost_where(const struct join *join, const struct join_direction *direction, const struct transmission *transmission, unsigned *hop)
{
	return join_lost_at(direction, transmission->seen, join_active(join, transmission), hop);
}

/* The slot of a point; JOIN_POINTS: it has none. */
static unsigned slot_of(const struct transmission_path *path, unsigned point)
{
	for (unsigned slot = 0; slot < path->count; slot++)
		if (path->points[slot] == point)
			return slot;
	return JOIN_POINTS;
}

static int64_t least_delay(const struct join *join, unsigned from, unsigned to)
{
	int64_t least = -1;

	for (size_t i = 0; i < join->direction_count; i++) {
		unsigned from_slot = slot_of(join->directions[i]->path, from), to_slot = slot_of(join->directions[i]->path, to);
		const struct histogram *delays;

		if (from_slot == JOIN_POINTS || to_slot == JOIN_POINTS)
			continue;
		delays = join->directions[i]->delays[from_slot][to_slot];
		if (delays && delays->count && (least < 0 || delays->least < (uint64_t)least))
			least = (int64_t)delays->least;
	}
	return least;
}

/*
 * Upper limit of the error of a point's clock, whose reference is known: at least half of the shortest round trip between the two; of points
 * that share no packets, the sum of those of the clocks between. -1: unknown, for lack of packets in both directions.
 */
static int64_t join_uncertainty_ns(const struct join_form *form, unsigned point)
{
	const struct join_clock *clock = &form->clocks[point];
	int64_t there = least_delay(form->join, point, clock->reference), back = least_delay(form->join, clock->reference, point);
	int64_t half_ns = (there + back + 1) / 2;

	/* through other points: known only where the packets between all of them went in both directions */
	if (there < 0 && back < 0 && clock->uncertainty_ns)
		return clock->uncertainty_ns;
	if (there < 0 || back < 0)
		return -1;
	return half_ns > clock->uncertainty_ns ? half_ns : clock->uncertainty_ns;
}

static const char *opcode_of(const struct transmission *transmission)
{
	return transmission->flow.is_tcp ? NULL : rtap_name_of(ib_opcode_names, transmission->opcode);
}

/* JSON */

static void json_lost_packet(const struct join_form *form, const struct transmission *lost, struct line *line)
{
	unsigned first = (unsigned)__builtin_ctz(lost->seen);

	/* the last point that captured it */
	for (unsigned slot = first; slot < lost->path->count; slot++)
		if (lost->seen >> slot & 1 && lost->times_ns[slot] > lost->times_ns[first])
			first = slot;
	line_char(line, '{');
	object_number(line, lost->flow.is_tcp ? "seq" : "psn", lost->sequence);
	if (opcode_of(lost))
		object_text(line, "opcode", opcode_of(lost));
	object_number(line, "frame", lost->frames[first]);
	join_point_json("point", form->names[lost->path->points[first]], line);
	object_time(line, "time", lost->times_ns[first]);
	object_number(line, "length", lost->length);
	line_char(line, '}');
}

static void json_lost_packets(const struct join_record *record, unsigned hop, struct line *line)
{
	const struct join_direction *direction = record->direction;
	bool is_first = true;

	object_key(line, "frames");
	line_char(line, '[');
	for (size_t i = 0; i < direction->missed_count; i++) {
		unsigned lost_at;

		if (!lost_where(record->form->join, direction, &direction->missed[i], &lost_at) || lost_at != hop)
			continue;
		if (!is_first)
			line_char(line, ',');
		is_first = false;
		json_lost_packet(record->form, &direction->missed[i], line);
	}
	line_char(line, ']');
}

static void json_delay(const char *key, const struct histogram *delays, struct line *line)
{
	static const unsigned permilles[] = { 500, 990 };
	uint64_t values[2];

	histogram_percentiles(delays, permilles, 2, values);
	object_key(line, key);
	line_char(line, '{');
	object_number(line, "count", delays->count);
	object_seconds(line, "min", (int64_t)delays->least);
	object_seconds(line, "p50", (int64_t)values[0]);
	object_seconds(line, "p99", (int64_t)values[1]);
	object_seconds(line, "max", (int64_t)delays->largest);
	line_char(line, '}');
}

static void json_over_time(const struct join_delays *delays, struct line *line)
{
	unsigned listed = 0;

	object_seconds(line, "delay_interval", delays->interval_ns);
	object_key(line, "delay_over_time");
	line_char(line, '[');
	for (unsigned i = 0; i < JOIN_INTERVALS; i++) {
		const struct join_interval *interval = &delays->intervals[i];

		if (!interval->count)
			continue;
		line_text(line, listed++ ? ",{" : "{");
		object_time(line, "time", delays->begin_ns + (int64_t)i * delays->interval_ns);
		object_number(line, "count", interval->count);
		object_seconds(line, "min", (int64_t)interval->least);
		object_seconds(line, "mean", (int64_t)(interval->sum / interval->count));
		object_seconds(line, "max", (int64_t)interval->largest);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void json_end(const char *key, const uint8_t *address, uint8_t length, const char *number_key, bool has_number, uint32_t number,
		     struct line *line)
{
	object_key(line, key);
	line_char(line, '{');
	if (length) {
		object_key(line, "addr");
		line_char(line, '"');
		line_address(line, address, length);
		line_char(line, '"');
	}
	if (has_number)
		object_number(line, number_key, number);
	line_char(line, '}');
}

static void json_ends(const struct join_direction *direction, struct line *line)
{
	const struct transmission_flow *flow = &direction->flow;
	const char *key = flow->is_tcp ? "port" : "qpn";

	json_end("source", flow->source, flow->address_length, key, flow->is_tcp || direction->has_source_qpn,
		 flow->is_tcp ? flow->destination_id >> 16 : direction->source_qpn, line);
	json_end("destination", flow->destination, flow->address_length, key, true,
		 flow->is_tcp ? flow->destination_id & 0xffff : flow->destination_id, line);
}

static void json_points(const struct join_record *record, struct line *line)
{
	const struct join_direction *direction = record->direction;

	object_key(line, "points");
	for (unsigned i = 0; i < direction->order_count; i++) {
		const char *name = record->form->names[direction->path->points[direction->order[i]]];

		line_char(line, i ? ',' : '[');
		json_string(line, (const uint8_t *)name, strlen(name));
	}
	line_char(line, ']');
	object_key(line, "seen");
	for (unsigned i = 0; i < direction->order_count; i++) {
		line_char(line, i ? ',' : '[');
		line_dec(line, direction->seen[direction->order[i]]);
	}
	line_char(line, ']');
}

static void json_hops(const struct join_record *record, struct line *line)
{
	const struct join_direction *direction = record->direction;
	uint64_t doubled = direction->doubled[direction->order[0]], reordered = 0, marked = 0, uncaptured = 0, lost = 0, unjudged = direction->ungrouped;
	uint64_t unlisted = join_unlisted(record->form->join, direction);
	unsigned listed = 0;

	object_key(line, "lost");
	line_char(line, '[');
	for (unsigned i = 0; i + 1 < direction->order_count; i++) {
		struct join_hop hop = join_hop_of(direction, i);

		doubled += hop.doubled;
		reordered += hop.reordered;
		marked += hop.marked;
		uncaptured += hop.uncaptured;
		lost += hop.lost;
		unjudged += hop.unjudged;
		if (!hop.lost)
			continue;
		line_text(line, listed++ ? ",{" : "{");
		join_point_json_between(record->form, hop.from, hop.to, line);
		object_number(line, "count", hop.lost);
		object_number(line, "bytes", hop.lost_bytes);
		json_lost_packets(record, i, line);
		line_char(line, '}');
	}
	line_char(line, ']');
	object_number(line, "lost_packets", lost);
	object_number(line, "not_captured", uncaptured);
	object_number(line, "doubled", doubled);
	object_number(line, "reordered", reordered);
	object_number(line, "ce_marked", marked);
	object_number(line, "resent_after_arrival", join_resent_after_arrival(direction));
	if (unlisted)
		object_number(line, "frames_unlisted", unlisted);
	if (unjudged)
		object_number(line, "not_judged", unjudged);
	if (direction->mistimed)
		object_number(line, "mistimed", direction->mistimed);
}

static void json_direction(const struct join_record *record, struct line *line)
{
	const struct join_direction *direction = record->direction;
	const struct histogram *delays;

	line_char(line, '{');
	object_text(line, "kind", "direction");
	if (direction->connection) {
		object_number(line, "connection", direction->connection);
		object_text(line, "direction", direction->from_a ? "a>b" : "b>a");
	}
	json_ends(direction, line);
	object_number(line, "packets", direction->packets);
	object_number(line, "bytes", direction->bytes);
	json_points(record, line);
	json_hops(record, line);
	delays = direction->delays[direction->order[0]][direction->order[direction->order_count - 1]];
	if (delays && delays->count)
		json_delay("delay", delays, line);
	if (direction->over_time)
		json_over_time(direction->over_time, line);
	line_text(line, "}\n");
}

static void json_point(const struct join_form *form, unsigned point, struct line *line)
{
	const struct join_point *noted = &form->join->points[point];
	const struct join_clock *clock = &form->clocks[point];
	int64_t uncertainty_ns = clock->is_known ? join_uncertainty_ns(form, point) : -1;

	line_char(line, '{');
	join_point_json("name", form->names[point], line);
	object_number(line, "packets", noted->packets);
	object_number(line, "not_recognised", noted->unknown);
	if (clock->is_known) {
		object_key(line, "clock");
		line_char(line, '{');
		join_point_json("reference", form->names[clock->reference], line);
		object_seconds(line, "offset", clock->offset_ns);
		object_key(line, "drift");
		line_seconds(line, (int64_t)llround(clock->drift * 1e9));
		object_number(line, "steps", clock->steps);
		if (clock->unclear)
			object_number(line, "unclear", clock->unclear);
		if (clock->confirmed_from)
			object_number(line, "confirmed_from", clock->confirmed_from);
		if (clock->confirmed_to)
			object_number(line, "confirmed_to", clock->confirmed_to);
		if (uncertainty_ns >= 0)
			object_seconds(line, "uncertainty", uncertainty_ns);
		line_char(line, '}');
	}
	line_char(line, '}');
}

static int compare_stretches(const void *left, const void *right)
{
	const struct join_stretch *one = left, *other = right;

	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	return one->to != other->to ? one->to < other->to ? -1 : 1 : 0;
}

bool join_add_up(struct join_form *form)
{
	const struct join *join = form->join;
	struct join_stretch *stretches;
	size_t hops = 0, count = 0;

	for (size_t i = 0; i < join->direction_count; i++)
		hops += join->directions[i]->order_count;
	form->stretches = stretches = calloc(hops + 1, sizeof *stretches);
	form->lacks_stretches = !stretches;
	if (!stretches)
		return false;
	hops = 0;
	for (size_t i = 0; i < join->direction_count; i++)
		for (unsigned at = 0; at + 1 < join->directions[i]->order_count; at++) {
			struct join_hop hop = join_hop_of(join->directions[i], at);

			if (hop.captured)
				stretches[hops++] = (struct join_stretch){ hop.from, hop.to, hop.captured, hop.lost, hop.unjudged };
		}
	qsort(stretches, hops, sizeof *stretches, compare_stretches);
	for (size_t i = 0; i < hops; i++) {
		if (!count || compare_stretches(&stretches[count - 1], &stretches[i])) {
			stretches[count++] = stretches[i];
			continue;
		}
		stretches[count - 1].packets += stretches[i].packets;
		stretches[count - 1].lost += stretches[i].lost;
		stretches[count - 1].unjudged += stretches[i].unjudged;
	}
	form->stretch_count = count;
	return true;
}

static void json_stretches(const struct join_form *form, struct line *line)
{
	object_key(line, "lost");
	line_char(line, '[');
	for (size_t i = 0; i < form->stretch_count; i++) {
		line_text(line, i ? ",{" : "{");
		join_point_json_between(form, form->stretches[i].from, form->stretches[i].to, line);
		object_number(line, "packets", form->stretches[i].packets);
		object_number(line, "count", form->stretches[i].lost);
		if (form->stretches[i].unjudged)
			object_number(line, "not_judged", form->stretches[i].unjudged);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void json_summary(const struct join_form *form, struct line *line)
{
	line_char(line, '{');
	object_text(line, "kind", "summary");
	object_key(line, "files");
	for (unsigned i = 0; i < form->point_count; i++) {
		line_char(line, i ? ',' : '[');
		json_point(form, i, line);
	}
	line_text(line, form->point_count ? "]" : "[]");
	if (!form->lacks_stretches)
		json_stretches(form, line);
	join_stalls_json(form, line);
	if (form->join->uncounted)
		object_number(line, "uncounted", form->join->uncounted);
	line_text(line, "}\n");
}

void join_json(const void *what, struct line *line)
{
	const struct join_record *record = what;

	if (record->direction)
		json_direction(record, line);
	else if (record->stall)
		join_stall_json(record, line);
	else
		json_summary(record->form, line);
}

/* Text */

static void text_name(const char *name, struct line *line)
{
	line_escaped(line, (const uint8_t *)name, strlen(name));
}

static void text_lead(const struct join_form *form, unsigned point, struct line *line)
{
	const struct join_clock *clock = &form->clocks[point];
	int64_t uncertainty_ns = join_uncertainty_ns(form, point);
	char text[64];

	units_time(clock->offset_ns < 0 ? -clock->offset_ns : clock->offset_ns, line);
	line_text(line, clock->offset_ns < 0 ? " behind " : " ahead of ");
	line_dec(line, clock->reference + 1);
	if (uncertainty_ns >= 0) {
		line_text(line, " (within ");
		units_time(uncertainty_ns, line);
		line_char(line, ')');
	}
	snprintf(text, sizeof text, ", gains %.1f ppm", clock->drift * 1e6);
	if (clock->drift != 0)
		line_text(line, text);
}

static void text_clock(const struct join_form *form, unsigned point, struct line *line)
{
	const struct join_clock *clock = &form->clocks[point];
	bool is_reference = clock->reference == point;

	line_text(line, ", clock ");
	if (!is_reference)
		text_lead(form, point, line);
	if (clock->steps) {
		line_text(line, is_reference ? "set " : ", set ");
		line_count(line, clock->steps, "time", "times");
	}
	if (clock->unclear) {
		line_text(line, " (unclear for ");
		line_count(line, clock->unclear, "packet", "packets");
		line_char(line, ')');
	}
}

/* The uncertainty is true for these frames. */
static void text_confirmed(const struct join_clock *clock, struct line *line)
{
	if (clock->confirmed_from > clock->confirmed_to) {
		line_text(line, "    not confirmed: the clock may have been set anywhere\n");
	} else {
		line_text(line, "    confirmed for frames ");
		line_dec(line, clock->confirmed_from);
		line_text(line, " to ");
		line_dec(line, clock->confirmed_to);
		line_text(line, "; near the ends of the file, the clock may have been set unnoticed\n");
	}
}

static void text_stretch(const struct join_stretch *stretch, struct line *line)
{
	line_dec(line, stretch->lost);
	line_text(line, " of ");
	line_count(line, stretch->packets, "packet", "packets");
	if (stretch->lost) {
		line_text(line, " (");
		units_percent(stretch->lost, stretch->packets, line);
		line_char(line, ')');
	}
	if (stretch->unjudged) {
		line_text(line, ", unknown for ");
		line_count(line, stretch->unjudged, "packet", "packets");
		line_text(line, ", as no later point was capturing");
	}
	line_char(line, '\n');
}

/* Of many stretches, those that lost packets; the others are summed up. */
static void text_stretches(const struct join_form *form, struct line *line)
{
	size_t count = form->stretch_count, others = 0;
	const struct join_stretch *stretches = form->stretches;
	struct join_stretch sum = { .packets = 0 };

	for (size_t i = 0; i < count; i++) {
		if (count > STRETCHES && !stretches[i].lost) {
			others++;
			sum.packets += stretches[i].packets;
			sum.unjudged += stretches[i].unjudged;
			continue;
		}
		line_text(line, "lost from ");
		line_dec(line, stretches[i].from + 1);
		line_text(line, " to ");
		line_dec(line, stretches[i].to + 1);
		line_text(line, ": ");
		text_stretch(&stretches[i], line);
	}
	if (others) {
		line_text(line, "lost on ");
		line_count(line, others, "other stretch", "other stretches");
		line_text(line, ": ");
		text_stretch(&sum, line);
	}
}

void join_write_points(const void *what, struct line *line)
{
	const struct join_form *form = what;

	line_text(line, "points\n");
	for (unsigned i = 0; i < form->point_count; i++) {
		line_text(line, "  ");
		line_dec(line, i + 1);
		line_char(line, ' ');
		text_name(form->names[i], line);
		line_text(line, ": ");
		line_count(line, form->join->points[i].packets, "packet", "packets");
		if (form->clocks[i].is_known)
			text_clock(form, i, line);
		line_char(line, '\n');
		if (form->clocks[i].confirmed_from)
			text_confirmed(&form->clocks[i], line);
	}
	text_stretches(form, line);
}

static void text_end(const uint8_t *address, uint8_t length, bool is_tcp, bool has_number, uint32_t number, struct line *line)
{
	if (length == 16)
		line_char(line, '[');
	if (length)
		line_address(line, address, length);
	if (length == 16)
		line_char(line, ']');
	if (!has_number)
		return;
	line_char(line, ':');
	if (is_tcp)
		line_dec(line, number);
	else
		line_hex(line, number, 1);
}

void join_ends_text(const struct join_direction *direction, struct line *line)
{
	const struct transmission_flow *flow = &direction->flow;

	text_end(flow->source, flow->address_length, flow->is_tcp, flow->is_tcp || direction->has_source_qpn,
		 flow->is_tcp ? flow->destination_id >> 16 : direction->source_qpn, line);
	line_text(line, " > ");
	text_end(flow->destination, flow->address_length, flow->is_tcp, true, flow->is_tcp ? flow->destination_id & 0xffff : flow->destination_id,
		 line);
}

static const struct stats_table_column columns[] = {
	{ "connection", true, false }, { "from > to", true, false }, { "points", true, false }, { "packets", false, false },
	{ "lost", false, false }, { "lost %", false, true }, { "not captured", false, true }, { "resent, arrived", false, true },
	{ "doubled", false, false }, { "reordered", false, false }, { "CE", false, false }, { "min", false, false }, { "p50", false, true },
	{ "p99", false, false }, { "max", false, true }, { NULL, false, false },
};

static void table_row(struct stats_table *table, const struct join_direction *direction, unsigned index)
{
	static const unsigned permilles[] = { 500, 990 };
	struct join_hop hop = join_hop_of(direction, index);
	uint64_t values[2] = { 0, 0 };
	struct line *line;

	if (hop.delay_ns)
		histogram_percentiles(hop.delay_ns, permilles, 2, values);
	line = stats_table_begin(table);
	if (direction->connection) {
		line_char(line, '#');
		line_dec(line, direction->connection);
	}
	stats_table_end(table);
	join_ends_text(direction, stats_table_begin(table));
	stats_table_end(table);
	line = stats_table_begin(table);
	line_dec(line, hop.from + 1);
	line_text(line, " > ");
	line_dec(line, hop.to + 1);
	stats_table_end(table);
	stats_table_number(table, direction->packets);
	stats_table_number(table, hop.lost);
	line = stats_table_begin(table);
	if (hop.lost)
		units_percent(hop.lost, direction->packets, line);
	stats_table_end(table);
	stats_table_number(table, hop.uncaptured);
	stats_table_number(table, index + 2 == direction->order_count ? join_resent_after_arrival(direction) : 0);
	stats_table_number(table, hop.doubled);
	stats_table_number(table, hop.reordered);
	stats_table_number(table, hop.marked);
	stats_table_time(table, hop.delay_ns ? (int64_t)hop.delay_ns->least : 0);
	stats_table_time(table, (int64_t)values[0]);
	stats_table_time(table, (int64_t)values[1]);
	stats_table_time(table, hop.delay_ns ? (int64_t)hop.delay_ns->largest : 0);
}

static uint64_t lost_of(const struct join_direction *direction)
{
	uint64_t lost = 0;

	for (unsigned at = 0; at + 1 < direction->order_count; at++)
		lost += join_hop_of(direction, at).lost;
	return lost;
}

/* A direction, to be sorted. */
struct ranked {
	const struct join_direction *direction;
	uint64_t lost;
	size_t index;
};

/* Those that lost the most packets come first, then those with the most packets. */
static int compare_ranks(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->lost != b->lost)
		return a->lost < b->lost ? 1 : -1;
	if (a->direction->packets != b->direction->packets)
		return a->direction->packets < b->direction->packets ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void table_rows(struct stats_table *table, const struct join_direction *direction)
{
	for (unsigned at = 0; at + 1 < direction->order_count; at++)
		table_row(table, direction, at);
}

void join_table(struct stats_table *table, const struct join_form *form, size_t most, char title[JOIN_TITLE])
{
	const struct join *join = form->join;
	struct ranked *ranked = NULL;
	size_t count = 0;

	for (size_t i = 0; i < join->direction_count; i++)
		count += join->directions[i]->order_count > 1;
	if (count > most)
		ranked = malloc(count * sizeof *ranked);
	if (!ranked) {
		stats_table_init(table, "between points, with one-way delays", columns);
		for (size_t i = 0; i < join->direction_count; i++)
			table_rows(table, join->directions[i]);
		return;
	}
	snprintf(title, JOIN_TITLE, "between points, with one-way delays, the first %zu of %zu directions by packets lost (--top N)", most, count);
	stats_table_init(table, title, columns);
	count = 0;
	for (size_t i = 0; i < join->direction_count; i++)
		if (join->directions[i]->order_count > 1)
			ranked[count++] = (struct ranked){ join->directions[i], lost_of(join->directions[i]), i };
	qsort(ranked, count, sizeof *ranked, compare_ranks);
	for (size_t i = 0; i < most; i++)
		table_rows(table, ranked[i].direction);
	free(ranked);
}

void join_write_lost(const void *what, struct line *line)
{
	const struct join_record *record = what;
	const struct join_direction *direction = record->direction;
	const struct transmission *lost = record->lost;
	unsigned from = direction->order[record->hop], to = direction->order[record->hop + 1];
	char time[CLOCK_MOST];

	line_text(line, "  ");
	line_dec(line, direction->path->points[from] + 1);
	line_text(line, " > ");
	line_dec(line, direction->path->points[to] + 1);
	line_text(line, " frame ");
	join_point_frame(direction->path->points[from], lost->frames[from], line);
	line_char(line, ' ');
	line_bytes(line, time, (size_t)(clock_put_listed(time, &record->form->times, lost->times_ns[from]) - time));
	line_char(line, ' ');
	join_ends_text(direction, line);
	line_char(line, ' ');
	if (opcode_of(lost)) {
		line_text(line, opcode_of(lost));
		line_char(line, ' ');
	}
	line_text(line, lost->flow.is_tcp ? "seq " : "psn ");
	line_dec(line, lost->sequence);
	line_text(line, " len ");
	line_dec(line, lost->length);
	line_char(line, '\n');
}
