/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "network_model.h"

void network_add_fault(struct network *network, unsigned number, uint8_t kind, uint8_t argument, unsigned kinds)
{
	kind %= 16;
	if (!kind || kind >= kinds || network->fault_count == NETWORK_FAULTS)
		return;
	network->faults[network->fault_count].at = number;
	network->faults[network->fault_count].kind = kind;
	network->faults[network->fault_count++].argument = argument;
}

static void take_fault(const struct network *network, struct network_fate *fate)
{
	for (unsigned i = 0; i < network->fault_count; i++)
		if (network->faults[i].at == fate->number) {
			fate->fault = network->faults[i].kind;
			fate->argument = network->faults[i].argument;
		}
}

void network_decide(const struct network *network, struct network_fate *fate, unsigned number, unsigned side, bool is_copy)
{
	int64_t later;

	fate->number = number;
	fate->is_copy = is_copy;
	if (is_copy)
		fate->fault = NETWORK_NO_FAULT;
	else
		take_fault(network, fate);
	fate->is_captured = fate->fault != NETWORK_LOST_BEFORE && fate->fault != NETWORK_UNCAPTURED && number >= network->skipped;
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
}

int network_order(const void *left, const void *right)
{
	const struct network_fate *a = *(const struct network_fate *const *)left, *b = *(const struct network_fate *const *)right;

	if (a->captured_ns != b->captured_ns)
		return a->captured_ns < b->captured_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}
