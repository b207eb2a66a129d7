/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/check/check_form.h"
#include "output/packet/json.h"
#include "output/packet/object.h"

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static void key_string(struct line *line, const char *key, const char *text)
{
	object_key(line, key);
	json_string(line, (const uint8_t *)text, strlen(text));
}

void violation_text(const void *what, struct line *line)
{
	const struct violation_record *record = what;
	const struct violation *violation = record->violation;
	const struct check_rule *rule = &check_rules[violation->rule];

	if (*violation->culprit) {
		line_text(line, violation->culprit);
		line_text(line, ": ");
	}
	line_text(line, "frame ");
	line_dec(line, violation->frame);
	line_text(line, ": ");
	line_text(line, check_severity_name(rule->severity));
	line_char(line, ' ');
	line_text(line, rule->id);
	line_text(line, ": ");
	line_text(line, violation->seen);
	line_char(line, '\n');
}

void violation_json(const void *what, struct line *line)
{
	const struct violation_record *record = what;
	const struct violation *violation = record->violation;
	const struct check_rule *rule = &check_rules[violation->rule];

	line_char(line, '{');
	object_text(line, "rule", rule->id);
	object_text(line, "severity", check_severity_name(rule->severity));
	object_text(line, "section", rule->section);
	object_text(line, "title", rule->title);
	object_text(line, "demand", rule->demand);
	object_number(line, "count", record->violations->counts[violation->rule]);
	object_number(line, "frame", violation->frame);
	object_time(line, "time", violation->time_ns);
	if (violation->connection)
		object_number(line, "connection", violation->connection);
	if (*violation->culprit)
		object_text(line, "culprit", violation->culprit);
	key_string(line, "seen", violation->seen);
	line_text(line, "}\n");
}

/* A relative reference: RFC 3986, 2.1 and 4.2. */
static void write_uri(struct line *line, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

	line_char(line, '"');
	for (; *name; name++)
		if (strchr(plain, *name)) {
			line_char(line, *name);
		} else {
			line_char(line, '%');
			line_hex_digits(line, (uint8_t)*name, 2);
		}
	line_char(line, '"');
}

void violation_sarif(const void *what, struct line *line)
{
	const struct violation_record *record = what;
	const struct violation *violation = record->violation;
	const struct check_rule *rule = &check_rules[violation->rule];
	char text[VIOLATION_CULPRIT + VIOLATION_SEEN + 64];
	struct line message;

	line_init(&message, text, sizeof text - 1);
	line_text(&message, violation->culprit);
	line_text(&message, *violation->culprit ? ", frame " : "frame ");
	line_dec(&message, violation->frame);
	line_text(&message, ": ");
	line_text(&message, violation->seen);
	*message.next = 0;
	line_text(line, record->is_first ? "\n{" : ",\n{");
	object_text(line, "ruleId", rule->id);
	object_number(line, "ruleIndex", violation->rule);
	object_text(line, "level", check_severity_name(rule->severity));
	line_text(line, ",\"message\":{");
	key_string(line, "text", text);
	line_text(line, "},\"locations\":[{");
	if (record->input) {
		line_text(line, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
		write_uri(line, record->input);
		line_text(line, "}},");
	}
	line_text(line, "\"logicalLocations\":[{\"fullyQualifiedName\":\"frame ");
	line_dec(line, violation->frame);
	line_text(line, "\"}]}],\"properties\":{");
	object_number(line, "frame", violation->frame);
	object_time(line, "time", violation->time_ns);
	if (violation->connection)
		object_number(line, "connection", violation->connection);
	object_number(line, "count", record->violations->counts[violation->rule]);
	line_text(line, "}}");
}

void check_sarif_begin(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "{\"$schema\":\"" SARIF_SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"rdmatap\","
		  "\"semanticVersion\":\"" PACKAGE_VERSION "\",\"rules\":[");
	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
		const struct check_rule *rule = &check_rules[i];

		line_text(line, i ? ",\n{" : "\n{");
		object_text(line, "id", rule->id);
		line_text(line, ",\"shortDescription\":{");
		object_text(line, "text", rule->title);
		line_text(line, "},\"fullDescription\":{\"text\":\"");
		line_text(line, rule->section);
		line_text(line, ": ");
		line_text(line, rule->demand);
		line_text(line, "\"},\"defaultConfiguration\":{");
		object_text(line, "level", check_severity_name(rule->severity));
		line_text(line, "}}");
	}
	line_text(line, "]}},\"results\":[");
}

void check_sarif_end(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "]}]}\n");
}

/* Writes title, section and requirement. */
static void rule_words(const struct check_rule *rule, struct line *line)
{
	line_text(line, ": ");
	line_text(line, rule->title);
	line_text(line, "\n    ");
	line_text(line, rule->section);
	line_text(line, ": ");
	line_text(line, rule->demand);
	line_char(line, '\n');
}

static void write_broken(const struct violations *violations, unsigned number, struct line *line)
{
	const struct check_rule *rule = &check_rules[number];

	line_text(line, check_severity_name(rule->severity));
	line_char(line, ' ');
	line_text(line, rule->id);
	line_text(line, ", ");
	line_count(line, violations->counts[number], "violation", "violations");
	if (violations->counts[number] > violations->kept[number]) {
		line_text(line, " (");
		line_dec(line, violations->kept[number]);
		line_text(line, " listed; --top N)");
	}
	rule_words(rule, line);
}

void check_summary_text(const void *what, struct line *line)
{
	const struct check_summary *summary = what;
	uint64_t rules = 0, broken = 0;

	for (unsigned i = 0; i < CHECK_RULE_COUNT; i++) {
		if (summary->violations->counts[i]) {
			if (!broken++)
				line_char(line, '\n');
			write_broken(summary->violations, i, line);
		}
		rules += summary->violations->is_checked[i];
	}
	if (broken)
		line_char(line, '\n');
	line_dec(line, broken);
	line_text(line, " of ");
	line_count(line, rules, "rule", "rules");
	line_text(line, " broken, in ");
	line_count(line, summary->packets, "packet", "packets");
	line_char(line, '\n');
}

void check_rule_text(const void *what, struct line *line)
{
	const struct check_rule *rule = what;

	line_text(line, rule->id);
	line_text(line, ", ");
	line_text(line, check_severity_name(rule->severity));
	rule_words(rule, line);
}

void check_rule_json(const void *what, struct line *line)
{
	const struct check_rule *rule = what;

	line_char(line, '{');
	object_text(line, "rule", rule->id);
	object_text(line, "severity", check_severity_name(rule->severity));
	object_text(line, "section", rule->section);
	object_text(line, "title", rule->title);
	object_text(line, "demand", rule->demand);
	line_text(line, "}\n");
}
