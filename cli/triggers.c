/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "capture/frame_ring.h"
#include "capture/source_metadata.h"
#include "cli/counting.h"
#include "cli/option_values.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/triggers.h"
#include "output/packet/units.h"
#include "output/stats/finding_text.h"
#include "output/stats/findings.h"
#include "reassembly/tracker.h"

#define WHY_SIZE 400
#define FRAMES_AT_ONCE 256
#define WAIT_MS 100
#define MOST_FIRED 64      /* triggers between two calls; further ones begin no incident */
#define NICENESS 10        /* of the examining thread: capturing and writing have priority */
#define FINDINGS_NS INT64_C(1000000000) /* interval at which rules are applied */

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

/* A trigger that was fired and not yet taken. */
struct fired {
	int64_t at_ns;
	char why[WHY_SIZE];
};

struct triggers {
	struct trigger list[MAX_TRIGGERS];
	size_t count;
	struct reader *reader;
	struct frame_ring *ring;
	bool examines;       /* frames */
	bool finds;          /* one of the triggers is a rule */
	/* used by the examining thread while it runs */
	pthread_t thread;
	bool runs;
	struct counting counting;
	struct numbering numbering;
	uint64_t anomalies[RTAP_ANOMALY_CODES];
	struct findings findings;
	int64_t findings_ns; /* when the rules are to be applied next */
	int64_t frame_ns, passed_ns; /* time of the latest frame; when the state knew the time last, monotonic clock */
	uint64_t missed;     /* frames overwritten before they were examined */
	atomic_bool ends;    /* all frames have been appended */
	/* Under the lock. */
	pthread_mutex_t lock;
	struct fired fired[MOST_FIRED], taken[MOST_FIRED]; /* `taken`: the reading thread's */
	size_t fired_count;
	uint64_t more;       /* fired beyond these */
};

static void fire(struct triggers *triggers, int64_t at_ns, char *why)
{
	for (char *c = why; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	pthread_mutex_lock(&triggers->lock);
	if (triggers->fired_count < MOST_FIRED) {
		struct fired *fired = &triggers->fired[triggers->fired_count++];

		fired->at_ns = at_ns;
		snprintf(fired->why, sizeof fired->why, "%s", why);
	} else {
		triggers->more++;
	}
	pthread_mutex_unlock(&triggers->lock);
}

/* "latency>10ms: operation nfs READ took 12.3 ms (frames 17 to 19)" */
static void fire_latency(struct triggers *triggers, const struct trigger *trigger, const char *what, const char *layer, const char *name,
			 int64_t latency_ns, int64_t at_ns, uint64_t first_frame, uint64_t last_frame)
{
	char why[WHY_SIZE], latency[48];
	struct line line;

	line_init(&line, latency, sizeof latency);
	units_time(latency_ns, &line);
	snprintf(why, sizeof why, "%.100s: %s %s%s%.60s took %.*s (frames %" PRIu64 " to %" PRIu64 ")", trigger->text, what, layer, *layer ? " " : "",
		 name, (int)(line.next - latency), latency, first_frame, last_frame);
	fire(triggers, at_ns, why);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct triggers *triggers = owner;

	for (size_t i = 0; operation->has_latency && i < triggers->count; i++)
		if (triggers->list[i].kind == TRIGGER_LATENCY && operation->latency_ns > triggers->list[i].latency_ns)
			fire_latency(triggers, &triggers->list[i], "operation", operation->layer, operation->name ? operation->name : "", operation->latency_ns,
				     operation->time_ns + operation->latency_ns, operation->request_frame, operation->response_frame);
}

/* RPCs are operations too. */
static void take_message(void *owner, const struct rtap_message *message)
{
	struct triggers *triggers = owner;

	for (size_t i = 0; message->has_latency && !message->is_rpc && i < triggers->count; i++)
		if (triggers->list[i].kind == TRIGGER_LATENCY && message->latency_ns > triggers->list[i].latency_ns)
			fire_latency(triggers, &triggers->list[i], "message", "", rtap_message_kind_name((enum rtap_message_kind)message->kind),
				     message->latency_ns, message->time_ns + message->latency_ns, message->first_frame, message->answered_in);
}

static void examine(struct triggers *triggers, struct rtap_frame *frames, size_t count)
{
	struct rtap_packet packet;

	if (!count)
		return;
	/* the ring does not keep differences of times */
	triggers->numbering.frames = frames[0].number - 1;
	numbering_take(&triggers->numbering, &(struct rtap_batch){ frames, count }, frames[0].time_digits);
	tracker_set_batch(triggers->counting.tracker, frames, count);
	for (size_t i = 0; i < count; i++) {
		rtap_tracker_frame(triggers->counting.tracker, &frames[i], &packet);
		counting_packet(&triggers->counting, &packet);
		for (uint8_t j = 0; j < packet.anomaly_count; j++)
			triggers->anomalies[packet.anomalies[j].code]++;
		if (frames[i].time_ns > triggers->frame_ns)
			triggers->frame_ns = frames[i].time_ns;
		for (size_t j = 0; j < triggers->count; j++) {
			const struct trigger *trigger = &triggers->list[j];
			char why[WHY_SIZE];

			if (trigger->kind != TRIGGER_FILTER || !rtap_filter_match(trigger->filter, &packet))
				continue;
			snprintf(why, sizeof why, "%.300s: frame %" PRIu64, trigger->text, frames[i].number);
			fire(triggers, frames[i].time_ns, why);
		}
	}
	tracker_set_batch(triggers->counting.tracker, NULL, 0);
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
		fire(triggers, now_ns, why);
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
		fire(triggers, now_ns, why);
	}
	trigger->seen = count;
}

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* `passed_ns`: since the latest frame. */
static void look_for_findings(struct triggers *triggers, int64_t passed_ns)
{
	int64_t now_ns = triggers->frame_ns + passed_ns;

	if (!triggers->finds || now_ns < triggers->findings_ns)
		return;
	triggers->findings_ns = now_ns + FINDINGS_NS;
	counting_refresh(&triggers->counting);
	findings_gather(&triggers->findings, triggers->counting.stats);
	for (size_t i = 0; i < triggers->count; i++)
		if (triggers->list[i].kind == TRIGGER_FINDING)
			look_for_finding(triggers, &triggers->list[i], now_ns);
}

static void *run(void *argument)
{
	struct triggers *triggers = argument;
	struct rtap_frame frames[FRAMES_AT_ONCE];
	int64_t latest_ns = monotonic_ns();
	uint64_t missed;
	size_t count;
	bool ends;

	thread_be_helper(NICENESS);
	do {
		int64_t now_ns;

		ends = atomic_load(&triggers->ends);
		count = frame_ring_follow(triggers->ring, frames, FRAMES_AT_ONCE, ends ? 0 : WAIT_MS, &missed);
		triggers->missed += missed;
		examine(triggers, frames, count);
		now_ns = monotonic_ns();
		if (count)
			latest_ns = now_ns;
		else if (triggers->passed_ns)
			tracker_pass_time(triggers->counting.tracker, now_ns - triggers->passed_ns);
		triggers->passed_ns = now_ns;
		look_for_findings(triggers, now_ns - latest_ns);
	} while (count || !ends);
	return NULL;
}

bool triggers_start(struct triggers *triggers)
{
	int result;

	if (!triggers->examines || triggers->runs)
		return true;
	result = thread_start(&triggers->thread, run, triggers);
	triggers->runs = !result;
	if (result)
		print_error("--trigger: the examining thread cannot be started: %s", strerror(result));
	return !result;
}

uint64_t triggers_look(struct triggers *triggers, int64_t now_ns, triggers_take *take, void *owner)
{
	size_t count;
	uint64_t more;

	for (size_t i = 0; i < triggers->count; i++)
		if (triggers->list[i].kind == TRIGGER_DROPS)
			look_for_drops(triggers, &triggers->list[i], now_ns);
	pthread_mutex_lock(&triggers->lock);
	count = triggers->fired_count;
	more = triggers->more;
	memcpy(triggers->taken, triggers->fired, count * sizeof triggers->fired[0]);
	triggers->fired_count = 0;
	triggers->more = 0;
	pthread_mutex_unlock(&triggers->lock);
	for (size_t i = 0; i < count; i++)
		take(owner, triggers->taken[i].at_ns, triggers->taken[i].why);
	return more;
}

void triggers_finish(struct triggers *triggers)
{
	if (!triggers->runs)
		return;
	atomic_store(&triggers->ends, true);
	pthread_join(triggers->thread, NULL);
	triggers->runs = false;
	for (size_t i = 0; i < RTAP_ANOMALY_CODES; i++)
		triggers->reader->packets.anomalies[i] += triggers->anomalies[i];
}

uint64_t triggers_missed(const struct triggers *triggers)
{
	return triggers->missed;
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

/* The state of a live view of the ring. */
static bool open_counting(struct triggers *triggers, struct reader *reader)
{
	if (!counting_open(&triggers->counting, reader))
		return false;
	tracker_set_patience(triggers->counting.tracker, READER_PATIENCE_NS);
	if (reader->options->device_count == 1 || tracker_join_captures(triggers->counting.tracker, true))
		return true;
	print_error("out of memory");
	return false;
}

struct triggers *triggers_open(const struct options *options, struct reader *reader, struct frame_ring *ring)
{
	const struct recorder_options *recorder = &options->recorder;
	struct triggers *triggers = calloc(1, sizeof *triggers);

	if (!triggers || pthread_mutex_init(&triggers->lock, NULL)) {
		free(triggers);
		print_error("out of memory");
		return NULL;
	}
	triggers->reader = reader;
	triggers->ring = ring;
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
	if (triggers->examines && !open_counting(triggers, reader))
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
	triggers_finish(triggers);
	for (size_t i = 0; i < MAX_TRIGGERS; i++)
		rtap_filter_close(triggers->list[i].filter);
	counting_close(&triggers->counting);
	pthread_mutex_destroy(&triggers->lock);
	free(triggers);
}
