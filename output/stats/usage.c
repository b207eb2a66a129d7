/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/stats/stats.h"
#include "output/stats/usage.h"

#define FEW 4                   /* fewer messages have no pattern */
/* An outlier takes this many times as long as usual, and this much longer. */
#define OUTLIER_TIMES 8
#define OUTLIER_NS INT64_C(50000)

const char *usage_pattern_name(enum usage_pattern pattern)
{
	static const char *const names[] = {
#define USAGE_PATTERN_NAME(identifier, name) name,
		USAGE_PATTERNS(USAGE_PATTERN_NAME)
#undef USAGE_PATTERN_NAME
	};

	return names[pattern];
}

/* The size of the majority, if there is one, is the candidate at the end: Boyer and Moore's vote. */
static void note_size(struct usage_kind *kind, uint64_t length)
{
	if (!kind->count || length < kind->least)
		kind->least = length;
	if (length > kind->most)
		kind->most = length;
	if (!kind->votes) {
		kind->common = length;
		kind->commons = 0;
	}
	kind->commons += length == kind->common;
	kind->votes = length == kind->common ? kind->votes + 1 : kind->votes - 1;
}

static void note_slow(struct usage *usage, const struct rtap_message *message)
{
	unsigned place = USAGE_SLOWEST;

	while (place && message->latency_ns > usage->slowest[place - 1].latency_ns)
		place--;
	if (place == USAGE_SLOWEST)
		return;
	memmove(&usage->slowest[place + 1], &usage->slowest[place], (USAGE_SLOWEST - place - 1) * sizeof *usage->slowest);
	usage->slowest[place] = (struct usage_slow){
		.frame = message->first_frame, .length = message->length, .latency_ns = message->latency_ns, .time_lost_us = message->time_lost_us,
		.kind = message->kind, .lost_to = message->lost_to, .from_a = message->from_a,
	};
}

static struct usage_region *region_of(struct usage *usage, bool of_a, uint32_t key)
{
	struct usage_region *regions = usage->regions[!of_a];

	for (int i = 0; i < USAGE_REGIONS; i++) {
		if (regions[i].messages && regions[i].key != key)
			continue;
		regions[i].key = key;
		return &regions[i];
	}
	return NULL;
}

static void note_memory(struct usage *usage, const struct rtap_message *message)
{
	uint64_t begin = message->virtual_address, end = begin + message->length;
	struct usage_region *region;

	/* without data no memory is accessed */
	if (!message->has_key || !message->length || end < begin)
		return;
	region = region_of(usage, !message->from_a, message->r_key);
	if (!region) {
		usage->unlisted[message->from_a]++;
		return;
	}
	if (!region->messages || begin < region->begin)
		region->begin = begin;
	if (!region->messages || end > region->end)
		region->end = end;
	region->messages++;
	region->bytes += message->length;
	if (usage->last_kind == message->kind && usage->last_from_a == message->from_a && usage->last_key == message->r_key)
		usage->polls += message->kind == RTAP_KIND_READ && begin == usage->last_address && message->length == usage->last_length &&
			message->time_ns >= usage->last_ns;
	usage->last_key = message->r_key;
	usage->last_address = begin;
	usage->last_length = message->length;
}

static void note_turn(struct usage *usage, const struct rtap_message *message)
{
	bool is_answer = usage->last_from_a != message->from_a;
	struct usage_turn *turn = is_answer ? &usage->answers[!message->from_a] : &usage->pauses[!message->from_a];
	int64_t time_ns = ns_elapsed(usage->last_ns, message->time_ns);

	usage->turns += is_answer;
	turn->count++;
	turn->sum_ns = ns_sum(turn->sum_ns, time_ns);
	if (time_ns <= turn->longest_ns)
		return;
	turn->longest_ns = time_ns;
	turn->longest_frame = message->first_frame;
}

void usage_message(struct usage *usage, const struct rtap_message *message)
{
	struct usage_kind *kind;

	if (message->kind >= USAGE_KINDS || message->is_rpc)
		return;
	if (usage->messages)
		note_turn(usage, message);
	kind = &usage->kinds[!message->from_a][message->kind];
	note_size(kind, message->length);
	kind->count++;
	kind->bytes += message->length;
	kind->immediates += message->has_immediate;
	usage->notified += message->has_immediate && usage->messages && message->kind <= RTAP_KIND_WRITE && usage->last_kind == RTAP_KIND_WRITE &&
		usage->last_from_a == message->from_a && !usage->last_had_immediate;
	if (message->has_latency && message->latency_ns >= 0) {
		kind->answered++;
		kind->latency_ns = ns_sum(kind->latency_ns, message->latency_ns);
		note_slow(usage, message);
	}
	note_memory(usage, message);
	usage->messages++;
	usage->last_from_a = message->from_a;
	usage->last_kind = message->kind;
	usage->last_had_immediate = message->has_immediate;
	/* a retransmitted packet arrived before the response */
	usage->last_ns = message->has_latency ? message->time_ns + message->latency_ns : message->time_end_ns;
}

static void turn_merge(struct usage_turn *into, const struct usage_turn *from)
{
	into->count += from->count;
	into->sum_ns = ns_sum(into->sum_ns, from->sum_ns);
	if (from->longest_ns <= into->longest_ns)
		return;
	into->longest_ns = from->longest_ns;
	into->longest_frame = from->longest_frame;
}

static void kind_merge(struct usage_kind *into, const struct usage_kind *from)
{
	if (from->count && (!into->count || from->least < into->least))
		into->least = from->least;
	if (from->most > into->most)
		into->most = from->most;
	if (from->commons > into->commons) {
		into->common = from->common;
		into->commons = from->commons;
		into->votes = from->votes;
	}
	into->count += from->count;
	into->immediates += from->immediates;
	into->bytes += from->bytes;
	into->answered += from->answered;
	into->latency_ns = ns_sum(into->latency_ns, from->latency_ns);
}

static void region_merge(struct usage *usage, bool of_a, const struct usage_region *from)
{
	struct usage_region *region = from->messages ? region_of(usage, of_a, from->key) : NULL;

	if (!region) {
		usage->unlisted[!of_a] += from->messages;
		return;
	}
	if (!region->messages || from->begin < region->begin)
		region->begin = from->begin;
	if (!region->messages || from->end > region->end)
		region->end = from->end;
	region->messages += from->messages;
	region->bytes += from->bytes;
}

void usage_merge(struct usage *usage, const struct usage *other, bool turned)
{
	usage->messages += other->messages;
	usage->turns += other->turns;
	usage->notified += other->notified;
	usage->polls += other->polls;
	for (int end = 0; end < 2; end++) {
		int into = end ^ turned;

		for (int kind = 0; kind < USAGE_KINDS; kind++)
			kind_merge(&usage->kinds[into][kind], &other->kinds[end][kind]);
		turn_merge(&usage->answers[into], &other->answers[end]);
		turn_merge(&usage->pauses[into], &other->pauses[end]);
		for (int i = 0; i < USAGE_REGIONS; i++)
			region_merge(usage, !into, &other->regions[end][i]);
		usage->unlisted[into] += other->unlisted[end];
	}
	for (int i = 0; i < USAGE_SLOWEST; i++) {
		const struct usage_slow *slow = &other->slowest[i];

		if (slow->frame)
			note_slow(usage, &(struct rtap_message){
				.first_frame = slow->frame, .length = slow->length, .latency_ns = slow->latency_ns, .time_lost_us = slow->time_lost_us,
				.kind = slow->kind, .lost_to = slow->lost_to, .from_a = slow->from_a != turned,
			});
	}
}

static void swap(void *a, void *b, size_t size)
{
	uint8_t spare[sizeof(((struct usage *)NULL)->kinds[0])];

	memcpy(spare, a, size);
	memcpy(a, b, size);
	memcpy(b, spare, size);
}

void usage_turn(struct usage *usage)
{
	swap(usage->kinds[0], usage->kinds[1], sizeof usage->kinds[0]);
	swap(usage->regions[0], usage->regions[1], sizeof usage->regions[0]);
	swap(&usage->answers[0], &usage->answers[1], sizeof usage->answers[0]);
	swap(&usage->pauses[0], &usage->pauses[1], sizeof usage->pauses[0]);
	swap(&usage->unlisted[0], &usage->unlisted[1], sizeof usage->unlisted[0]);
	for (int i = 0; i < USAGE_SLOWEST; i++)
		usage->slowest[i].from_a = !usage->slowest[i].from_a;
	usage->last_from_a = !usage->last_from_a;
}

bool usage_common_size(const struct usage_kind *kind, uint64_t *size)
{
	*size = kind->common;
	return kind->commons > kind->count / 2;
}

static uint64_t requested_by(const struct usage *usage, int end)
{
	uint64_t count = 0;

	for (int kind = 0; kind < USAGE_KINDS; kind++)
		count += usage->kinds[end][kind].count;
	return count;
}

/* At least this part in percent. */
static bool is_part(uint64_t count, uint64_t of, unsigned percent)
{
	return count >= of / 100 * percent + (of % 100 * percent + 99) / 100 && count;
}

static uint8_t main_kind(const struct usage *usage)
{
	uint8_t found = 0;

	for (uint8_t kind = 1; kind < USAGE_KINDS; kind++)
		if (usage->kinds[0][kind].count + usage->kinds[1][kind].count > usage->kinds[0][found].count + usage->kinds[1][found].count)
			found = kind;
	return found;
}

/* Both ends send messages of this kind, about as many, most of one size, and few others. */
static bool is_symmetric(const struct usage *usage, uint8_t kind)
{
	const struct usage_kind *a = &usage->kinds[0][kind], *b = &usage->kinds[1][kind];
	uint64_t size_a, size_b;

	return usage_common_size(a, &size_a) && usage_common_size(b, &size_b) && size_a == size_b && is_part(a->count, b->count, 80) &&
	       is_part(b->count, a->count, 80) && is_part(a->count + b->count, usage->messages, 80);
}

/* Each end sends about as many messages to the other's receives. */
static bool is_answered(const struct usage *usage)
{
	uint64_t sent[2];

	for (int end = 0; end < 2; end++)
		sent[end] = usage->kinds[end][RTAP_KIND_SEND].count + usage->kinds[end][RTAP_KIND_UD].count +
			usage->kinds[end][RTAP_KIND_WRITE].immediates;
	return is_part(sent[0], sent[1], 80) && is_part(sent[1], sent[0], 80) && is_part(sent[0] + sent[1], usage->messages, 20);
}

bool usage_has_pattern(const struct usage *usage)
{
	return usage->messages >= FEW;
}

enum usage_pattern usage_pattern(const struct usage *usage, uint8_t *kind, bool *from_a)
{
	uint64_t by[2] = { requested_by(usage, 0), requested_by(usage, 1) };
	int busier = by[1] > by[0];
	uint64_t all = usage->messages;
	const struct usage_kind *most;

	*kind = main_kind(usage);
	*from_a = !busier;
	most = &usage->kinds[busier][*kind];
	if (!usage_has_pattern(usage))
		return USAGE_FEW;
	if (*kind == RTAP_KIND_ATOMIC && is_part(most->count, all, 50))
		return USAGE_ATOMICS;
	if (*kind == RTAP_KIND_READ && is_part(most->count, all, 50) && is_part(usage->polls, most->count - 1, 80))
		return USAGE_POLLING;
	if (is_part(usage->turns, all - 1, 80) && is_symmetric(usage, *kind))
		return USAGE_PING_PONG;
	/* messages of one size that do not take turns are streams */
	if (is_answered(usage) && (is_part(usage->turns, all - 1, 60) || (usage->turns > 1 && !is_symmetric(usage, *kind))))
		return USAGE_REQUESTS;
	if (usage->kinds[busier][RTAP_KIND_WRITE].immediates + usage->notified && is_part(usage->kinds[busier][RTAP_KIND_WRITE].count, all, 50))
		return USAGE_NOTIFY;
	if (is_part(most->count, all, 90))
		return USAGE_STREAM;
	if (is_part(most->count + usage->kinds[!busier][*kind].count, all, 90) && is_part(by[!busier], all, 10))
		return USAGE_STREAMS;
	return USAGE_MIXED;
}

static const char *recovery_cause(uint8_t lost_to)
{
	static const struct {
		uint8_t recovery;
		const char *words;
	} causes[] = {
		{ RTAP_RECOVERY_RNR, "the receiver had posted no receive (RNR)" }, { RTAP_RECOVERY_TIMEOUT, "recovery after a timeout" },
		{ RTAP_RECOVERY_SEQUENCE_NAK, "recovery after a sequence NAK" }, { RTAP_RECOVERY_IMPLIED_NAK, "recovery after a lost READ response" },
	};

	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		if (lost_to >> causes[i].recovery & 1)
			return causes[i].words;
	return "recovery";
}

static const char *slow_cause(const struct usage_slow *slow, const struct usage_kind *kind)
{
	uint64_t mean = kind->count ? kind->bytes / kind->count : 0;

	if ((int64_t)slow->time_lost_us * 1000 >= slow->latency_ns / 2)
		return recovery_cause(slow->lost_to);
	if (slow->length / OUTLIER_TIMES >= mean && slow->length > mean)
		return "larger than the others";
	return "the responder or the path was slow: no recovery";
}

static bool is_outlier(int64_t time_ns, int64_t usual_ns)
{
	return time_ns / OUTLIER_TIMES >= usual_ns && time_ns - usual_ns >= OUTLIER_NS;
}

static void enter(struct usage_outlier *outliers, unsigned *count, const struct usage_outlier *outlier)
{
	unsigned place = *count;

	while (place && outlier->time_ns > outliers[place - 1].time_ns)
		place--;
	memmove(&outliers[place + 1], &outliers[place], (*count - place) * sizeof *outlier);
	outliers[place] = *outlier;
	++*count;
}

/* Mean latency of the requests that are not among the slowest. */
static int64_t usual_latency(const struct usage *usage, const struct usage_slow *slow)
{
	const struct usage_kind *kind = &usage->kinds[!slow->from_a][slow->kind];
	uint64_t count = kind->answered;
	int64_t sum_ns = kind->latency_ns;

	for (int i = 0; i < USAGE_SLOWEST && usage->slowest[i].frame; i++)
		if (usage->slowest[i].kind == slow->kind && usage->slowest[i].from_a == slow->from_a && count) {
			count--;
			sum_ns -= usage->slowest[i].latency_ns;
		}
	return count && sum_ns > 0 ? sum_ns / (int64_t)count : 0;
}

unsigned usage_outliers(const struct usage *usage, struct usage_outlier *outliers)
{
	unsigned count = 0;
	uint8_t kind;
	bool from_a;
	bool in_turn = usage_pattern(usage, &kind, &from_a) == USAGE_PING_PONG || usage_pattern(usage, &kind, &from_a) == USAGE_REQUESTS;

	for (int i = 0; i < USAGE_SLOWEST && usage->slowest[i].frame; i++) {
		const struct usage_slow *slow = &usage->slowest[i];
		int64_t usual_ns = usual_latency(usage, slow);

		if (usual_ns && is_outlier(slow->latency_ns, usual_ns))
			enter(outliers, &count, &(struct usage_outlier){
				.frame = slow->frame, .length = slow->length, .time_ns = slow->latency_ns, .usual_ns = usual_ns, .kind = slow->kind,
				.from_a = slow->from_a, .cause = slow_cause(slow, &usage->kinds[!slow->from_a][slow->kind]) });
	}
	for (int end = 0; end < 2; end++) {
		const struct usage_turn *turn = in_turn ? &usage->answers[end] : &usage->pauses[end];
		int64_t usual_ns = turn->count > 2 ? (turn->sum_ns - turn->longest_ns) / (int64_t)(turn->count - 1) : INT64_MAX;

		if (turn->count > 2 && is_outlier(turn->longest_ns, usual_ns))
			enter(outliers, &count, &(struct usage_outlier){
				.frame = turn->longest_frame, .time_ns = turn->longest_ns, .usual_ns = usual_ns, .kind = kind, .from_a = !end,
				.is_turn = true, .cause = in_turn ? "this end took long to answer" : "this end paused" });
	}
	return count;
}
