/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/object.h"
#include "output/packet/units.h"
#include "output/stats/stats_json_parts.h"
#include "output/stats/usage_form.h"

static const char *kind_name(uint8_t kind)
{
	return rtap_message_kind_name((enum rtap_message_kind)kind);
}

static void size(uint64_t bytes, struct line *line)
{
	if (bytes)
		units_bytes(bytes, line);
	else
		line_text(line, "empty");
}

/* ", 8 B" or ", empty to 4.10 KB". */
static void sizes(const struct usage_kind *kind, struct line *line)
{
	uint64_t common;

	if (!kind->count)
		return;
	line_text(line, ", ");
	if (kind->least != kind->most && usage_common_size(kind, &common)) {
		line_text(line, "mostly ");
		size(common, line);
		return;
	}
	size(kind->least, line);
	if (kind->least == kind->most)
		return;
	line_text(line, " to ");
	size(kind->most, line);
}

/* Whether the pattern has one end that requests. */
static bool has_direction(enum usage_pattern pattern)
{
	return pattern == USAGE_STREAM || pattern == USAGE_NOTIFY || pattern == USAGE_POLLING || pattern == USAGE_ATOMICS;
}

void usage_pattern_text(const struct usage *usage, struct line *line)
{
	uint8_t kind;
	bool from_a;
	enum usage_pattern pattern = usage_pattern(usage, &kind, &from_a);

	line_text(line, usage_pattern_name(pattern));
	if (pattern == USAGE_NOTIFY) {
		line_text(line, " (immediate data)");
	} else if (pattern != USAGE_ATOMICS && pattern != USAGE_MIXED) {
		line_text(line, " by ");
		line_text(line, kind_name(kind));
	}
	if (has_direction(pattern))
		line_text(line, from_a ? " of a" : " of b");
	if (pattern == USAGE_REQUESTS) {
		for (int end = 0; end < 2; end++) {
			line_text(line, end ? "; b" : " a");
			sizes(&usage->kinds[end][kind], line);
		}
		return;
	}
	sizes(&usage->kinds[!from_a][kind], line);
}

static void region_text(const struct usage *usage, int end, const struct usage_region *region, const char *indent, struct line *line)
{
	uint64_t all = 0;

	for (int i = 0; i < USAGE_REGIONS; i++)
		all += usage->regions[end][i].bytes;
	line_text(line, indent);
	line_text(line, end ? "memory of b: key " : "memory of a: key ");
	line_hex(line, region->key, 8);
	line_text(line, ", ");
	line_hex(line, region->begin, 1);
	line_text(line, " to ");
	line_hex(line, region->end, 1);
	line_text(line, " (");
	units_bytes(region->end - region->begin, line);
	line_text(line, "): ");
	line_count(line, region->messages, "message", "messages");
	line_text(line, ", ");
	units_bytes(region->bytes, line);
	if (all) {
		line_text(line, ", ");
		units_percent(region->bytes, all, line);
	}
	line_char(line, '\n');
}

static void outlier_text(const struct usage_outlier *outlier, const char *indent, struct line *line)
{
	line_text(line, indent);
	line_text(line, "slow: frame ");
	line_dec(line, outlier->frame);
	line_text(line, ", ");
	if (outlier->is_turn) {
		line_text(line, outlier->from_a ? "a after " : "b after ");
	} else {
		line_text(line, kind_name(outlier->kind));
		line_text(line, outlier->from_a ? " of a, " : " of b, ");
		units_bytes(outlier->length, line);
		line_text(line, ", took ");
	}
	units_time(outlier->time_ns, line);
	line_text(line, ", usually ");
	units_time(outlier->usual_ns, line);
	line_text(line, ": ");
	line_text(line, outlier->cause);
	line_char(line, '\n');
}

void usage_text(const struct usage *usage, const char *indent, struct line *line)
{
	struct usage_outlier outliers[USAGE_OUTLIERS];
	unsigned count = usage_outliers(usage, outliers);

	if (!usage_has_pattern(usage))
		return;
	line_text(line, indent);
	line_text(line, "pattern: ");
	usage_pattern_text(usage, line);
	line_char(line, '\n');
	for (int end = 0; end < 2; end++) {
		for (int i = 0; i < USAGE_REGIONS && usage->regions[end][i].messages; i++)
			region_text(usage, end, &usage->regions[end][i], indent, line);
		if (!usage->unlisted[end])
			continue;
		line_text(line, indent);
		line_text(line, end ? "memory of b: " : "memory of a: ");
		line_count(line, usage->unlisted[end], "message", "messages");
		line_text(line, " with further keys\n");
	}
	for (unsigned i = 0; i < count; i++)
		outlier_text(&outliers[i], indent, line);
}

static void kinds_json(const struct usage *usage, struct line *line)
{
	bool any = false;

	object_key(line, "messages");
	line_char(line, '[');
	for (int end = 0; end < 2; end++)
		for (uint8_t kind = 0; kind < USAGE_KINDS; kind++) {
			const struct usage_kind *counted = &usage->kinds[end][kind];
			uint64_t common;

			if (!counted->count)
				continue;
			stats_json_element(line, !any);
			any = true;
			object_text(line, "direction", end ? "b>a" : "a>b");
			object_text(line, "kind", kind_name(kind));
			object_number(line, "count", counted->count);
			object_number(line, "bytes", counted->bytes);
			object_number(line, "with_immediate", counted->immediates);
			object_number(line, "size_min", counted->least);
			object_number(line, "size_max", counted->most);
			if (usage_common_size(counted, &common))
				object_number(line, "size_common", common);
			line_char(line, '}');
		}
	line_char(line, ']');
}

static void regions_json(const struct usage *usage, struct line *line)
{
	bool any = false;

	object_key(line, "regions");
	line_char(line, '[');
	for (int end = 0; end < 2; end++)
		for (int i = 0; i < USAGE_REGIONS && usage->regions[end][i].messages; i++) {
			const struct usage_region *region = &usage->regions[end][i];

			stats_json_element(line, !any);
			any = true;
			object_text(line, "end", end ? "b" : "a");
			object_number(line, "r_key", region->key);
			object_hex(line, "begin", region->begin, 16);
			object_hex(line, "range_end", region->end, 16);
			object_number(line, "count", region->messages);
			object_number(line, "bytes", region->bytes);
			line_char(line, '}');
		}
	line_char(line, ']');
	if (usage->unlisted[0] + usage->unlisted[1])
		object_number(line, "regions_unlisted", usage->unlisted[0] + usage->unlisted[1]);
}

static void outliers_json(const struct usage *usage, struct line *line)
{
	struct usage_outlier outliers[USAGE_OUTLIERS];
	unsigned count = usage_outliers(usage, outliers);

	object_key(line, "outliers");
	line_char(line, '[');
	for (unsigned i = 0; i < count; i++) {
		stats_json_element(line, !i);
		object_number(line, "frame", outliers[i].frame);
		if (!outliers[i].is_turn) {
			object_text(line, "kind", kind_name(outliers[i].kind));
			object_number(line, "length", outliers[i].length);
		}
		object_text(line, "by", outliers[i].from_a ? "a" : "b");
		object_seconds(line, "seconds", outliers[i].time_ns);
		object_seconds(line, "usual", outliers[i].usual_ns);
		object_text(line, "cause", outliers[i].cause);
		line_char(line, '}');
	}
	line_char(line, ']');
}

void usage_json(const char *key, const struct usage *usage, struct line *line)
{
	uint8_t kind;
	bool from_a;
	enum usage_pattern pattern = usage_pattern(usage, &kind, &from_a);

	object_key(line, key);
	line_char(line, '{');
	object_text(line, "pattern", usage_pattern_name(pattern));
	object_text(line, "kind", kind_name(kind));
	if (has_direction(pattern))
		object_text(line, "direction", from_a ? "a>b" : "b>a");
	object_number(line, "turns", usage->turns);
	kinds_json(usage, line);
	regions_json(usage, line);
	outliers_json(usage, line);
	line_char(line, '}');
}
