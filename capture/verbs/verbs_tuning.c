/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/verbs/verbs.h"
#include "capture/verbs/verbs_tuning.h"

#define USUAL_RATE_MS 2
#define USUAL_GBPS 25
#define MEAN_FRAME 512          /* bytes; average for computing the depth: RDMA traffic is part bulk data, part acknowledgements */
#define LEAST_DEPTH 1024        /* with the usual memory */
#define LEAST_DEPTH_OF_ALL 64
#define USUAL_FRAME 9280        /* a jumbo frame of 9216 bytes with its header and tags */
#define FRAME_BEYOND_MTU 26     /* Ethernet header, two VLAN tags, FCS */
#define USUAL_BLOCK 1024        /* as many as a batch holds */
#define SHRINKING_BLOCK 256     /* if receives may be left unposted, which is done in blocks */
#define LEAST_SPARE_BLOCKS 4
#define BITS_A_GIGABIT UINT64_C(1000000000)
#define CACHE_LINE 64u

enum shape { NUMBER, POWER, CHOICE };

struct word {
	const char *word;
	size_t place;       /* in struct verbs_tuning: of a uint32_t, or of a bool */
	enum shape shape;
	uint32_t least, most;
	const char *yes, *no; /* of a choice */
};

#define PLACE(member) offsetof(struct verbs_tuning, member)

static const struct word words[] = {
	{ "depth", PLACE(depth), NUMBER, 64, 1u << 20, NULL, NULL },
	{ "cqe", PLACE(cq_entries), NUMBER, 64, 1u << 22, NULL, NULL },
	{ "frame", PLACE(frame_bytes), NUMBER, 64, 65536, NULL, NULL },
	{ "block", PLACE(block), NUMBER, 16, BATCH_FRAMES, NULL, NULL },
	{ "vector", PLACE(vector), NUMBER, 0, 4095, NULL, NULL },
	{ "ms", PLACE(rate_ms), NUMBER, 1, 1000, NULL, NULL },
	{ "shrink", PLACE(shrink_ms), NUMBER, 1, 3600000, NULL, NULL },
	{ "least", PLACE(least), NUMBER, 64, 1u << 20, NULL, NULL },
	{ "queues", PLACE(queues), POWER, 1, VERBS_MOST_QUEUES, NULL, NULL },
	{ "hash", PLACE(hash_ipv6), CHOICE, 0, 0, "ipv6", "ipv4" },
	{ "poll", PLACE(busy), CHOICE, 0, 0, "busy", "event" },
	{ "events", PLACE(solicited), CHOICE, 0, 0, "solicited", "all" },
	{ "cq", PLACE(plain_cq), CHOICE, 0, 0, "plain", "extended" },
	{ "stamps", PLACE(no_stamps), CHOICE, 0, 0, "host", "device" },
	{ "pages", PLACE(huge_pages), CHOICE, 0, 0, "huge", "small" },
};

static bool set_word(struct verbs_tuning *tuning, const struct word *word, const char *value)
{
	uint8_t *place = (uint8_t *)tuning + word->place;
	unsigned long number;
	char *end;

	if (word->shape == CHOICE) {
		*(bool *)place = !strcmp(value, word->yes);
		return *(bool *)place || !strcmp(value, word->no);
	}
	number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || number < word->least || number > word->most)
		return false;
	if (word->shape == POWER && number & (number - 1))
		return false;
	*(uint32_t *)(void *)place = (uint32_t)number;
	return true;
}

static enum rtap_status refuse_value(const struct word *word, const char *value, struct rtap_error *error)
{
	if (word->shape == CHOICE)
		rtap_error_set(error, RTAP_ERROR_INVALID, "verbs tuning: %s=%s is neither %s nor %s", word->word, value, word->yes, word->no);
	else
		rtap_error_set(error, RTAP_ERROR_INVALID, "verbs tuning: %s=%s is not a %s from %u to %u", word->word, value,
			       word->shape == POWER ? "power of two" : "number", word->least, word->most);
	return RTAP_STATUS_FAILED;
}

static enum rtap_status take_word(struct verbs_tuning *tuning, char *text, struct rtap_error *error)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(words[i].word, text))
			continue;
		if (value && set_word(tuning, &words[i], value))
			return RTAP_STATUS_OK;
		return refuse_value(&words[i], value ? value : "", error);
	}
	rtap_error_set(error, RTAP_ERROR_INVALID,
		       "verbs tuning: %s is not known (depth, cqe, frame, block, vector, ms, shrink, least, queues, hash, poll, events, "
		       "cq, stamps, pages)", text);
	return RTAP_STATUS_FAILED;
}

enum rtap_status verbs_tuning_parse(struct verbs_tuning *tuning, const char *text, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;
	char *copy, *rest;

	memset(tuning, 0, sizeof *tuning);
	if (!text)
		return RTAP_STATUS_OK;
	copy = strdup(text);
	if (!copy) {
		rtap_error_set(error, RTAP_ERROR_MEMORY, "verbs tuning: out of memory");
		return RTAP_STATUS_FAILED;
	}
	for (char *word = strtok_r(copy, ",", &rest); word && !status; word = strtok_r(NULL, ",", &rest))
		status = take_word(tuning, word, error);
	free(copy);
	return status;
}

unsigned verbs_port_gbps(uint8_t width, uint8_t speed)
{
	static const struct {
		uint8_t code;
		unsigned lanes;
	} widths[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } };
	static const struct {
		uint8_t code;
		unsigned tenths; /* of Gb/s a lane */
	} speeds[] = { { 1, 25 }, { 2, 50 }, { 4, 100 }, { 8, 100 }, { 16, 140 }, { 32, 250 }, { 64, 500 }, { 128, 1000 } };
	unsigned lanes = 0, tenths = 0;

	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
		if (widths[i].code == width)
			lanes = widths[i].lanes;
	for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
		if (speeds[i].code == speed)
			tenths = speeds[i].tenths;
	return lanes * tenths / 10;
}

static uint32_t round_up(uint32_t number, uint32_t unit)
{
	return (number + unit - 1) / unit * unit;
}

static uint32_t power_of_two(uint64_t least, uint32_t most)
{
	uint32_t size = 1;

	while (size < least && size < most)
		size *= 2;
	return size;
}

static void derive_slots(struct verbs_sizes *sizes, const struct verbs_tuning *tuning, const struct verbs_limits *limits)
{
	uint32_t kept = limits->snap_length;

	sizes->frame_bytes = tuning->frame_bytes;
	if (!sizes->frame_bytes)
		sizes->frame_bytes = limits->mtu ? round_up(limits->mtu + FRAME_BEYOND_MTU, CACHE_LINE) : USUAL_FRAME;
	if (kept && limits->looks_at_headers && kept < FLOW_RULE_REACH)
		kept = FLOW_RULE_REACH;
	sizes->split = kept && kept < sizes->frame_bytes && limits->most_parts >= 2;
	sizes->slot_bytes = sizes->split ? kept : sizes->frame_bytes;
	sizes->stride = round_up(sizes->slot_bytes, CACHE_LINE);
}

/* Default memory: the bytes of the link in some time, limited by the memory that may be locked, but at least LIVE_LEAST_BUFFER. */
static uint64_t usual_memory(const struct verbs_limits *limits)
{
	uint64_t memory = live_buffer_bytes(limits->gbps * BITS_A_GIGABIT);

	if (limits->most_locked && memory > limits->most_locked)
		memory = limits->most_locked > LIVE_LEAST_BUFFER ? limits->most_locked : LIVE_LEAST_BUFFER;
	return memory;
}

/* Depth of each queue: two milliseconds at the port's rate, within the default memory. */
static uint32_t usual_depth(const struct verbs_sizes *sizes, const struct verbs_tuning *tuning, const struct verbs_limits *limits)
{
	uint64_t ms = tuning->rate_ms ? tuning->rate_ms : USUAL_RATE_MS, gbps = limits->gbps ? limits->gbps : USUAL_GBPS;
	uint64_t memory = limits->buffer_bytes ? limits->buffer_bytes : usual_memory(limits);
	uint32_t depth = power_of_two(gbps * 1000000 * ms / 8 / MEAN_FRAME / sizes->queues, limits->most_receives);

	if (depth < LEAST_DEPTH)
		depth = LEAST_DEPTH;
	while (depth > LEAST_DEPTH && (uint64_t)depth * sizes->queues * sizes->stride > memory / 2)
		depth /= 2;
	while (depth > limits->most_receives || depth > limits->most_cq_entries)
		depth /= 2;
	return depth;
}

/* Divides the depth into blocks. Returns the bytes of all queues with as few spare blocks as possible. */
static uint64_t divide(struct verbs_sizes *sizes, const struct verbs_tuning *tuning, uint32_t depth)
{
	uint32_t block = tuning->shrink_ms ? SHRINKING_BLOCK : USUAL_BLOCK;

	sizes->block = power_of_two(tuning->block ? tuning->block : block, BATCH_FRAMES);
	while (sizes->block > 16 && sizes->block * 4 > depth)
		sizes->block /= 2;
	sizes->depth = depth / sizes->block * sizes->block;
	return ((uint64_t)sizes->depth + LEAST_SPARE_BLOCKS * sizes->block) * sizes->queues * sizes->stride;
}

/* The depth and the blocks, in the memory allowed. */
static enum rtap_status derive_blocks(struct verbs_sizes *sizes, const struct verbs_tuning *tuning, const struct verbs_limits *limits,
				      struct rtap_error *error)
{
	uint32_t depth = tuning->depth ? tuning->depth : usual_depth(sizes, tuning, limits);
	uint64_t least = divide(sizes, tuning, depth), memory = usual_memory(limits);

	/* a requested depth also limits the memory: at most as many spare receives as posted ones, or 64 */
	if (limits->buffer_bytes)
		memory = limits->buffer_bytes;
	else if (tuning->depth)
		memory = least;
	for (; !tuning->depth && least > memory && depth > LEAST_DEPTH_OF_ALL; least = divide(sizes, tuning, depth))
		depth /= 2;
	if (!sizes->depth || sizes->depth > limits->most_receives) {
		rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
			       "a depth of %u receives is not possible: the device has at most %u (--verbs depth=N)",
			       sizes->depth, limits->most_receives);
		return RTAP_STATUS_FAILED;
	}
	if (least > memory) {
		rtap_error_set(error, RTAP_ERROR_INVALID,
			       "%u queue%s of %u receives of %u bytes, with spare ones, need %llu KB, and --buffer-size is %llu KB "
			       "(--buffer-size %lluK, or a smaller --verbs depth=N or frame=N, or -s)", sizes->queues, sizes->queues == 1 ? "" : "s",
			       sizes->depth, sizes->stride, (unsigned long long)((least + 1023) / 1024), (unsigned long long)(memory / 1024),
			       (unsigned long long)((least + 1023) / 1024));
		return RTAP_STATUS_FAILED;
	}
	sizes->blocks = (uint32_t)(memory / ((uint64_t)sizes->block * sizes->stride));
	return RTAP_STATUS_OK;
}

enum rtap_status verbs_sizes_derive(struct verbs_sizes *sizes, const struct verbs_tuning *tuning, const struct verbs_limits *limits,
				    struct rtap_error *error)
{
	memset(sizes, 0, sizeof *sizes);
	sizes->queues = tuning->queues ? tuning->queues : 1;
	derive_slots(sizes, tuning, limits);
	if (derive_blocks(sizes, tuning, limits, error))
		return RTAP_STATUS_FAILED;
	/* A queue pair that fails completes all its receives at once. One more is the failed one's. */
	sizes->cq_entries = tuning->cq_entries ? tuning->cq_entries : sizes->depth + 1;
	if (sizes->cq_entries > limits->most_cq_entries)
		sizes->cq_entries = limits->most_cq_entries;
	if (sizes->cq_entries >= sizes->depth)
		return RTAP_STATUS_OK;
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED,
		       "a completion queue of %u entries is too short for %u receives (the device has up to %u; --verbs cqe=N, depth=N)",
		       sizes->cq_entries, sizes->depth, limits->most_cq_entries);
	return RTAP_STATUS_FAILED;
}
