/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "network_model.h"

#define MOST_TICKS 60000
#define PAUSE_NS INT64_C(50000000)

void network_start(struct network *network, const uint8_t *header, unsigned latency, const unsigned *snaps)
{
	static const int64_t timeouts_ms[] = { 5, 17, 70, 300 };

	network->latency = latency;
	network->position = latency * (header[2] & 3) / 3;
	network->pace = 1 + (header[2] >> 2 & 3);
	network->lateness = 1;
	network->skipped = header[4];
	network->snap = header[5] & 4 ? snaps[header[5] & 3] : 0;
	network->fault_kinds = NETWORK_FAULT_KINDS;
	network->tick_ns = INT64_C(500) << (header[6] & 3);
	network->timeout_ns = timeouts_ms[header[6] >> 2 & 3] * 1000000;
	network->now_ns = NETWORK_START_NS;
}

/* ---- frames ---- */

static void take_fault(const struct network *network, struct network_fate *fate)
{
	for (unsigned i = 0; i < network->fault_count; i++)
		if (network->faults[i].at == fate->number) {
			fate->fault = network->faults[i].kind;
			fate->argument = network->faults[i].argument;
		}
}

bool network_send(struct network *network, struct network_fate *fate, unsigned side, bool is_copy)
{
	int64_t later;

	fate->number = network->frame_count;
	network->fates[network->frame_count++] = fate;
	fate->is_copy = is_copy;
	if (is_copy)
		fate->fault = NETWORK_NO_FAULT;
	else
		take_fault(network, fate);
	fate->is_captured = fate->fault != NETWORK_LOST_BEFORE && fate->fault != NETWORK_UNCAPTURED && fate->number >= network->skipped;
	fate->is_received = fate->fault != NETWORK_LOST_BEFORE && fate->fault != NETWORK_LOST_AFTER;
	fate->captured_ns = fate->received_ns = network->now_ns;
	fate->captured_ns += (int64_t)(side ? network->latency - network->position : network->position) * network->tick_ns;
	fate->received_ns += (int64_t)network->latency * network->tick_ns;
	later = (is_copy ? (int64_t)(fate->argument & 3) : (int64_t)(fate->argument + 1) * network->lateness) * network->tick_ns;
	if (is_copy || fate->fault == NETWORK_CAPTURED_LATE || fate->fault == NETWORK_DELAYED_BEFORE)
		fate->captured_ns += later;
	if (is_copy || fate->fault == NETWORK_DELAYED || fate->fault == NETWORK_DELAYED_BEFORE)
		fate->received_ns += later;
	fate->is_late = !is_copy && (fate->fault == NETWORK_CAPTURED_LATE || fate->fault == NETWORK_DELAYED_BEFORE);
	return fate->fault == NETWORK_COPIED && !network_is_full(network);
}

static bool is_under_way(const struct network_fate *fate)
{
	return fate->is_received && fate->received_ns >= 0;
}

/* Returns whether the network is empty. */
static bool deliver(struct network *network)
{
	bool is_empty = true;

	for (unsigned i = network->arrived; i < network->frame_count; i++) {
		struct network_fate *fate = network->fates[i];

		if (!is_under_way(fate))
			continue;
		if (fate->received_ns > network->now_ns) {
			is_empty = false;
			continue;
		}
		fate->received_ns = -1;
		network->sides->receive(network->model, i);
	}
	while (network->arrived < network->frame_count && !is_under_way(network->fates[network->arrived]))
		network->arrived++;
	return is_empty;
}

/* ---- time ---- */

static bool has_time(const struct network *network)
{
	return network->ticks < MOST_TICKS && !network_is_full(network);
}

/* Returns whether nothing happens any more before a timeout. */
static bool tick(struct network *network)
{
	unsigned before = network->frame_count;
	bool is_quiet = deliver(network);

	is_quiet &= network->sides->act(network->model);
	network->ticks++;
	network->now_ns += network->tick_ns;
	return is_quiet && before == network->frame_count;
}

static void run_to_end(struct network *network)
{
	while (has_time(network)) {
		int64_t next_ns;

		if (!tick(network))
			continue;
		next_ns = network->sides->timeout(network->model);
		if (next_ns == INT64_MAX)
			return;
		if (next_ns > network->now_ns)
			network->now_ns = next_ns;
	}
}

static void add_fault(struct network *network, unsigned ahead, uint8_t kind, uint8_t argument)
{
	unsigned number = network->frame_count + ahead;

	kind %= 16;
	if (!kind || kind >= network->fault_kinds || network->fault_count == NETWORK_FAULTS || number < network->spared)
		return;
	network->faults[network->fault_count].at = number;
	network->faults[network->fault_count].kind = kind;
	network->faults[network->fault_count++].argument = argument;
}

static void run_record(struct network *network, const uint8_t *record)
{
	uint8_t argument = record[6] >> 4;

	add_fault(network, record[5], record[6], argument);
	add_fault(network, record[5] + (record[7] >> 4), record[7], argument);
	for (unsigned i = record[4] & 63; i && network->ticks < MOST_TICKS; i--)
		tick(network);
	while (record[4] & 64 && has_time(network) && !tick(network))
		;
	if (record[4] & 128 && network->sides->timeout(network->model) == INT64_MAX)
		network->now_ns += PAUSE_NS;
}

void network_run(struct network *network, const uint8_t *input, size_t length)
{
	for (size_t at = NETWORK_HEADER; at + NETWORK_RECORD <= length; at += NETWORK_RECORD) {
		network->sides->post(network->model, input + at);
		run_record(network, input + at);
	}
	run_to_end(network);
}

/* ---- the capture ---- */

uint32_t network_captured_length(const struct network *network, const struct network_fate *fate, uint32_t headers, uint32_t length)
{
	if (fate->fault == NETWORK_CUT && length > headers + fate->argument * 24)
		length = headers + fate->argument * 24;
	return network->snap && length > network->snap ? network->snap : length;
}

bool network_is_captured(const struct network *network, bool lost_too)
{
	for (unsigned i = 0; i < network->frame_count; i++) {
		const struct network_fate *fate = network->fates[i];

		if ((!fate->is_captured && (fate->is_received || lost_too)) || fate->is_late || fate->fault == NETWORK_CUT)
			return false;
	}
	return !network->snap && !network->skipped && !network_is_full(network);
}

static int compare(const void *left, const void *right)
{
	const struct network_fate *a = *(const struct network_fate *const *)left, *b = *(const struct network_fate *const *)right;

	if (a->captured_ns != b->captured_ns)
		return a->captured_ns < b->captured_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

unsigned network_capture(const struct network *network, const struct network_fate *const **order)
{
	static const struct network_fate *captured[NETWORK_FRAMES];
	unsigned count = 0;

	for (unsigned i = 0; i < network->frame_count; i++)
		if (network->fates[i]->is_captured)
			captured[count++] = network->fates[i];
	qsort(captured, count, sizeof *captured, compare);
	*order = captured;
	return count;
}
