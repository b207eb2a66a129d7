/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion statistics as text and as JSON.
 */
#include "config.h"

#include "output/stats/congestion_form.h"
#include "output/packet/object.h"
#include "output/stats/stats.h"

static const char *const ecn_names[] = { "Not-ECT", "ECT(1)", "ECT(0)", "CE" };

static void class_text(uint16_t class, struct line *line)
{
	if (class & CLASS_HAS_DSCP) {
		line_text(line, " DSCP ");
		line_dec(line, CLASS_DSCP(class));
		line_char(line, ' ');
		line_text(line, ecn_names[CLASS_ECN(class)]);
	}
	if (class & CLASS_HAS_PCP) {
		line_text(line, " PCP ");
		line_dec(line, CLASS_PCP(class));
	}
}

static bool has_classes(const struct stats_direction *direction)
{
	struct congestion_row row;

	for (unsigned at = 0; congestion_next(direction, &at, &row);)
		if (row.key & (CLASS_HAS_DSCP | CLASS_HAS_PCP))
			return true;
	return false;
}

static uint64_t other_classes(const struct stats_direction *direction)
{
	return direction->congestion ? direction->congestion->other : 0;
}

static uint64_t mean(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

static void classes_text(const struct stats_direction *direction, struct line *line)
{
	const char *before = "    ";
	struct congestion_row row;

	for (unsigned at = 0; congestion_next(direction, &at, &row);) {
		line_text(line, before);
		line_text(line, congestion_kind_name(CONGESTION_KIND(row.key)));
		class_text(CONGESTION_CLASS(row.key), line);
		line_text(line, ": ");
		line_count(line, row.packets, "packet", "packets");
		before = "; ";
	}
	if (other_classes(direction)) {
		line_text(line, "; other classes: ");
		line_count(line, other_classes(direction), "packet", "packets");
	}
	line_char(line, '\n');
}

void congestion_text(const struct stats_direction *direction, struct line *line)
{
	const struct congestion_cnps *cnps = direction->cnps;

	if (has_classes(direction) && !congestion_is_default(direction))
		classes_text(direction, line);
	if (!cnps || !cnps->measured)
		return;
	line_text(line, "    before and after ");
	line_count(line, cnps->measured, "CNP", "CNPs");
	line_text(line, " to it: ");
	line_dec(line, mean(cnps->before_sum, cnps->measured));
	line_text(line, " and ");
	line_dec(line, mean(cnps->after_sum, cnps->measured));
	line_text(line, " bytes/s\n");
}

static void classes_json(const struct stats_direction *direction, struct line *line)
{
	const char *before = "{";
	struct congestion_row row;

	object_key(line, "dscp");
	line_char(line, '[');
	for (unsigned at = 0; congestion_next(direction, &at, &row);) {
		line_text(line, before);
		object_text(line, "kind", congestion_kind_name(CONGESTION_KIND(row.key)));
		if (row.key & CLASS_HAS_DSCP) {
			object_number(line, "dscp", CLASS_DSCP(row.key));
			object_number(line, "ecn", CLASS_ECN(row.key));
		}
		if (row.key & CLASS_HAS_PCP)
			object_number(line, "pcp", CLASS_PCP(row.key));
		object_number(line, "packets", row.packets);
		line_char(line, '}');
		before = ",{";
	}
	line_char(line, ']');
	if (other_classes(direction))
		object_number(line, "dscp_other", other_classes(direction));
}

void congestion_json(const struct stats_direction *direction, struct line *line)
{
	const struct congestion_cnps *cnps = direction->cnps;

	if (has_classes(direction))
		classes_json(direction, line);
	if (!cnps || !cnps->measured)
		return;
	object_key(line, "cnp_rate");
	line_char(line, '{');
	object_number(line, "count", cnps->measured);
	object_number(line, "before", mean(cnps->before_sum, cnps->measured));
	object_number(line, "after", mean(cnps->after_sum, cnps->measured));
	object_number(line, "not_slower", cnps->not_slower);
	line_char(line, '}');
}

void congestion_ports_text(const struct stats *stats, struct line *line)
{
	for (unsigned i = 0; stats->pauses && i < stats->pauses->count; i++) {
		const struct congestion_port *port = &stats->pauses->ports[i];

		line_text(line, port->priority == PAUSE_LINK ? "PAUSE from " : "PFC from ");
		line_hex_bytes(line, port->source, sizeof port->source, ':');
		line_text(line, " on interface ");
		line_dec(line, port->interface);
		if (port->priority != PAUSE_LINK) {
			line_text(line, ", priority ");
			line_dec(line, port->priority);
		}
		line_text(line, ": ");
		line_count(line, port->frames, "frame", "frames");
		line_text(line, " (frames ");
		line_dec(line, port->first_frame);
		line_char(line, '-');
		line_dec(line, port->last_frame);
		line_text(line, "), ");
		line_count(line, port->pauses, "pause", "pauses");
		line_text(line, " of ");
		line_dec(line, port->quanta);
		line_text(line, " quanta");
		if (port->unknown_speed) {
			line_text(line, "; link speed not known");
		} else if (port->pauses) {
			line_text(line, "; paused for ");
			line_seconds(line, (int64_t)congestion_paused_ns(port, stats->last_ns));
			line_text(line, " s");
		}
		line_char(line, '\n');
	}
	if (stats->pauses && stats->pauses->other) {
		line_count(line, stats->pauses->other, "pause", "pauses");
		line_text(line, " by further ports\n");
	}
}

void congestion_ports_json(const struct stats *stats, struct line *line)
{
	if (!stats->pauses)
		return;
	object_key(line, "pauses");
	line_char(line, '[');
	for (unsigned i = 0; i < stats->pauses->count; i++) {
		const struct congestion_port *port = &stats->pauses->ports[i];

		line_text(line, i ? ",{" : "{");
		object_key(line, "port");
		line_char(line, '"');
		line_hex_bytes(line, port->source, sizeof port->source, ':');
		line_char(line, '"');
		object_number(line, "interface", port->interface);
		if (port->priority != PAUSE_LINK)
			object_number(line, "priority", port->priority);
		object_number(line, "frames", port->frames);
		object_number(line, "first_frame", port->first_frame);
		object_number(line, "last_frame", port->last_frame);
		object_number(line, "pauses", port->pauses);
		object_number(line, "quanta", port->quanta);
		if (!port->unknown_speed)
			object_seconds(line, "paused", (int64_t)congestion_paused_ns(port, stats->last_ns));
		line_char(line, '}');
	}
	line_char(line, ']');
	if (stats->pauses->other)
		object_number(line, "pauses_other", stats->pauses->other);
}
