/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/counting.h"
#include "cli/option_values.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/triggers.h"
#include "output/packet/units.h"
#include "output/stats/finding_text.h"
#include "output/stats/findings.h"

#define WHY_SIZE 400
#define FINDINGS_NS INT64_C(1000000000) /* how often rules are applied */

static const char latency_word[] = "latency>";

/* One --trigger. */
struct trigger {
	const char *text;
	enum { TRIGGER_FILTER, TRIGGER_LATENCY, TRIGGER_DROPS, TRIGGER_FINDING } kind;
	struct rtap_filter *filter;
	int64_t latency_ns;
	const struct finding_rule *rule;
	uint64_t seen;       /* drops, or counts of the rule's findings, when it was examined last */
};

struct triggers {
	struct trigger list[MAX_TRIGGERS];
	size_t count;
	struct reader *reader;
	struct counting counting;
	bool examines;       /* frames */
	bool finds;          /* a rule is there */
	int64_t findings_ns; /* when the rules are to be applied next */
	struct findings findings;
	triggers_take *take;
	void *owner;
};

static void pull(struct triggers *triggers, int64_t at_ns, char *why)
{
	for (char *c = why; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	triggers->take(triggers->owner, at_ns, why);
}

/* "latency>10ms: operation nfs READ took 12.3 ms (frames 17 to 19)" */
static void pull_latency(struct triggers *triggers, const struct trigger *trigger, const char *what, const char *layer, const char *name,
			 int64_t latency_ns, int64_t at_ns, uint64_t first_frame, uint64_t last_frame)
{
	char why[WHY_SIZE], latency[48];
	struct line line;

	line_init(&line, latency, sizeof latency);
	units_time(latency_ns, &line);
	snprintf(why, sizeof why, "%.100s: %s %s%s%.60s took %.*s (frames %" PRIu64 " to %" PRIu64 ")", trigger->text, what, layer, *layer ? " " : "",
		 name, (int)(line.next - latency), latency, first_frame, last_frame);
	pull(triggers, at_ns, why);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct triggers *triggers = owner;

	for (size_t i = 0; operation->has_latency && i < triggers->count; i++)
		if (triggers->list[i].kind == TRIGGER_LATENCY && operation->latency_ns > triggers->list[i].latency_ns)
			pull_latency(triggers, &triggers->list[i], "operation", operation->layer, operation->name ? operation->name : "", operation->latency_ns,
				     operation->time_ns + operation->latency_ns, operation->request_frame, operation->response_frame);
}

/* RPCs are operations too. */
static void take_message(void *owner, const struct rtap_message *message)
{
	struct triggers *triggers = owner;

	for (size_t i = 0; message->has_latency && !message->is_rpc && i < triggers->count; i++)
		if (triggers->list[i].kind == TRIGGER_LATENCY && message->latency_ns > triggers->list[i].latency_ns)
			pull_latency(triggers, &triggers->list[i], "message", "", rtap_message_kind_name((enum rtap_message_kind)message->kind),
				     message->latency_ns, message->time_ns + message->latency_ns, message->first_frame, message->answered_in);
}

void triggers_frames(struct triggers *triggers, struct rtap_frame *frames, size_t count)
{
	struct rtap_packet packet;

	for (size_t i = 0; triggers->examines && i < count; i++) {
		counting_frame(&triggers->counting, &frames[i], &packet);
		for (size_t j = 0; j < triggers->count; j++) {
			const struct trigger *trigger = &triggers->list[j];
			char why[WHY_SIZE];

			if (trigger->kind != TRIGGER_FILTER || !rtap_filter_match(trigger->filter, &packet))
				continue;
			snprintf(why, sizeof why, "%.300s: frame %" PRIu64, trigger->text, frames[i].number);
			pull(triggers, frames[i].time_ns, why);
		}
	}
}

#define COUNT_TEXT 24

static const char *count_text(bool known, uint64_t count, char text[COUNT_TEXT])
{
	snprintf(text, COUNT_TEXT, known ? "%" PRIu64 : "unknown", count);
	return text;
}

static void look_for_drops(struct triggers *triggers, struct trigger *trigger, int64_t now_ns)
{
	uint64_t by_device = 0, by_system = 0, here = 0, all;
	bool device_known = true, system_known = true;
	char why[WHY_SIZE], device[COUNT_TEXT], system[COUNT_TEXT];

	for (size_t i = 0; i < rtap_source_interface_count(triggers->reader->source); i++) {
		const struct rtap_interface *interface = rtap_source_interface(triggers->reader->source, i);

		device_known &= interface->has_dropped;
		system_known &= interface->dropped_by_system.known;
		by_device += interface->has_dropped ? interface->dropped : 0;
		by_system += interface->dropped_by_system.known ? interface->dropped_by_system.value : 0;
		here += interface->dropped_here.known ? interface->dropped_here.value : 0;
	}
	all = by_device + by_system + here;
	if (all > trigger->seen) {
		snprintf(why, sizeof why, "drops: since the start by the device %s, by the kernel %s, here %" PRIu64,
			 count_text(device_known, by_device, device), count_text(system_known, by_system, system), here);
		pull(triggers, now_ns, why);
	}
	trigger->seen = all;
}

static void look_for_finding(struct triggers *triggers, struct trigger *trigger, int64_t now_ns)
{
	const struct finding *first = NULL;
	char why[WHY_SIZE];
	uint64_t count = 0;
	struct line line;

	for (unsigned i = 0; i < triggers->findings.count; i++) {
		const struct finding *finding = &triggers->findings.list[i];

		if (finding->rule != trigger->rule)
			continue;
		if (!first)
			first = finding;
		count += finding->count ? finding->count : 1;
	}
	if (count > trigger->seen) {
		line_init(&line, why, sizeof why);
		line_text(&line, trigger->text);
		line_text(&line, ": ");
		finding_text(triggers->counting.stats, first, &(struct finding_style){ .form = CLOCK_ABSOLUTE, .brief = true }, &line);
		if (line.next < why + sizeof why)
			*line.next = 0;
		why[sizeof why - 1] = 0;
		pull(triggers, now_ns, why);
	}
	trigger->seen = count;
}

void triggers_look(struct triggers *triggers, int64_t now_ns)
{
	bool due = triggers->finds && now_ns >= triggers->findings_ns;

	if (due) {
		triggers->findings_ns = now_ns + FINDINGS_NS;
		counting_refresh(&triggers->counting);
		findings_gather(&triggers->findings, triggers->counting.stats);
	}
	for (size_t i = 0; i < triggers->count; i++) {
		if (triggers->list[i].kind == TRIGGER_DROPS)
			look_for_drops(triggers, &triggers->list[i], now_ns);
		else if (due && triggers->list[i].kind == TRIGGER_FINDING)
			look_for_finding(triggers, &triggers->list[i], now_ns);
	}
}

static const struct finding_rule *find_rule(const char *name)
{
	for (unsigned i = 0; i < finding_rule_count; i++)
		if (!strcmp(finding_rules[i].name, name))
			return &finding_rules[i];
	return NULL;
}

static bool parse(struct trigger *trigger, const char *text)
{
	struct rtap_error error;

	trigger->text = text;
	trigger->rule = find_rule(text);
	if (!strcmp(text, "drops")) {
		trigger->kind = TRIGGER_DROPS;
	} else if (trigger->rule) {
		trigger->kind = TRIGGER_FINDING;
	} else if (!strncmp(text, latency_word, sizeof latency_word - 1)) {
		trigger->kind = TRIGGER_LATENCY;
		if (!option_time_parse(text + sizeof latency_word - 1, &trigger->latency_ns)) {
			print_error("--trigger %s: not a time such as latency>10ms", text);
			return false;
		}
	} else if (rtap_filter_open(&trigger->filter, text, &error)) {
		print_error("--trigger %s: neither drops, nor latency>TIME, nor a rule (rdmatap stats --explain list), nor a display filter: %s", text, error.text);
		return false;
	}
	return true;
}

struct triggers *triggers_open(const struct options *options, struct reader *reader, triggers_take *take, void *owner)
{
	const struct recorder_options *recorder = &options->recorder;
	struct triggers *triggers = calloc(1, sizeof *triggers);

	if (!triggers) {
		print_error("out of memory");
		return NULL;
	}
	triggers->reader = reader;
	triggers->take = take;
	triggers->owner = owner;
	triggers->counting = (struct counting){ .owner = triggers };
	for (; triggers->count < recorder->trigger_count; triggers->count++) {
		struct trigger *trigger = &triggers->list[triggers->count];

		if (!parse(trigger, recorder->triggers[triggers->count]))
			goto failed;
		triggers->examines |= trigger->kind != TRIGGER_DROPS;
		triggers->finds |= trigger->kind == TRIGGER_FINDING;
		if (trigger->kind != TRIGGER_LATENCY)
			continue;
		triggers->counting.all_operations = true;
		triggers->counting.operation = take_operation;
		triggers->counting.message = take_message;
	}
	if (triggers->examines && !counting_open(&triggers->counting, reader))
		goto failed;
	return triggers;
failed:
	triggers_close(triggers);
	return NULL;
}

struct rtap_tracker *triggers_tracker(struct triggers *triggers)
{
	return triggers->counting.tracker;
}

void triggers_close(struct triggers *triggers)
{
	if (!triggers)
		return;
	for (size_t i = 0; i < MAX_TRIGGERS; i++)
		rtap_filter_close(triggers->list[i].filter);
	counting_close(&triggers->counting);
	free(triggers);
}
