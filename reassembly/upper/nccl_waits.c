/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <math.h>

#include "base/nanoseconds.h"
#include "reassembly/upper/nccl_waits.h"

#define LONGEST_NS 9e18
#define RATED_BYTES 4096 /* smaller transfers show no rate */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void learn(struct nccl_pace *pace, const struct nccl_times *times)
{
	int64_t ack_ns = ns_elapsed(times->last_ns, times->acknowledged_ns);
	uint64_t rate = times->bytes ? (uint64_t)ns_elapsed(times->first_ns, times->last_ns) * 1024 / times->bytes : 0;

	if (times->has_ack && !times->lost_ns && (!pace->has_ack || ack_ns < pace->least_ack_ns)) {
		pace->has_ack = true;
		pace->least_ack_ns = ack_ns;
	}
	if (times->bytes >= RATED_BYTES && (!pace->has_rate || rate < pace->least_rate)) {
		pace->has_rate = true;
		pace->least_rate = rate;
	}
}

/* The excess time of its data and acknowledgement over the best of the channel. */
static int64_t excess(const struct nccl_pace *pace, const struct nccl_times *times)
{
	int64_t sent_ns = ns_elapsed(times->first_ns, times->last_ns), expected_ns = 0, excess_ns = 0;

	if (pace->has_rate)
		expected_ns = (int64_t)fmin((double)pace->least_rate * (double)times->bytes / 1024, LONGEST_NS);
	/* without a rate, only recoveries show that the network was slow */
	if (!times->lacks_data && (pace->has_rate || times->bytes < RATED_BYTES))
		excess_ns = ns_elapsed(expected_ns, sent_ns);
	if (times->has_ack && pace->has_ack)
		excess_ns = ns_sum(excess_ns, ns_elapsed(pace->least_ack_ns, ns_elapsed(times->last_ns, times->acknowledged_ns)));
	return later(excess_ns, (int64_t)times->lost_ns);
}

static const char *verdict_of(const struct nccl_costs *costs)
{
	int64_t most = later(later(costs->receiver_ns, costs->sender_ns), costs->network_ns);

	/* nobody is late in a pause, so it hides no delay */
	if (most < NCCL_NOTABLE_NS)
		return costs->pause_ns < NCCL_NOTABLE_NS ? "none" : "pause";
	if (most == costs->network_ns)
		return "network";
	return most == costs->sender_ns ? "sender late" : "receiver late";
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Subtracts the pauses from a delay. */
static void take_pause(int64_t *delay_ns, int64_t paused_ns, struct nccl_costs *costs)
{
	paused_ns = least(paused_ns, *delay_ns);
	*delay_ns -= paused_ns;
	costs->pause_ns = ns_sum(costs->pause_ns, paused_ns);
}

/* Finds the parts of the delays that the hosts themselves caused. */
static void own(struct nccl_costs *costs, const struct nccl_times *times, int64_t end_ns, int64_t ready_ns)
{
	costs->knows_receiver_own = costs->knows_receiver && times->knows_free[0];
	costs->knows_sender_own = costs->knows_sender && times->knows_free[1];
	if (costs->knows_receiver_own)
		costs->receiver_own_ns = least(costs->receiver_ns, ns_elapsed(ns_sum(later(end_ns, times->free_ns[0]), times->free_paused_ns[0]), times->announced_ns));
	if (costs->knows_sender_own)
		costs->sender_own_ns = least(costs->sender_ns, ns_elapsed(ns_sum(later(ready_ns, times->free_ns[1]), times->free_paused_ns[1]), times->first_ns));
}

struct nccl_costs nccl_judge(struct nccl_pace *pace, const struct nccl_times *times)
{
	bool knows_end = pace->has_end ? !pace->lacks_data && times->index == pace->index + 1 : times->index <= 1;
	struct nccl_costs costs = { .knows_sender = !times->is_late, .knows_receiver = !times->is_late && pace->has_end && knows_end };
	int64_t ready_ns = pace->has_end ? later(times->announced_ns, pace->end_ns) : times->announced_ns, lost_ns, end_ns;

	if (costs.knows_receiver)
		costs.receiver_ns = ns_elapsed(pace->end_ns, times->announced_ns);
	if (!times->is_late)
		costs.sender_ns = ns_elapsed(ready_ns, times->first_ns);
	take_pause(&costs.receiver_ns, times->paused_ns[0], &costs);
	take_pause(&costs.sender_ns, times->paused_ns[1], &costs);
	learn(pace, times);
	costs.network_ns = excess(pace, times);
	/* a lost announcement had not reached the sender */
	lost_ns = (int64_t)times->announcement_lost_ns < costs.sender_ns ? (int64_t)times->announcement_lost_ns : costs.sender_ns;
	costs.sender_ns -= lost_ns;
	costs.network_ns = ns_sum(costs.network_ns, lost_ns);
	/* the sender was not ready when the announcement arrived, so it had not waited for it */
	if (costs.sender_ns >= NCCL_NOTABLE_NS) {
		costs.receiver_ns = 0;
		costs.knows_sender = knows_end && !times->lacks_data;
		costs.knows_receiver &= costs.knows_sender;
		costs.sender_ns = costs.knows_sender ? costs.sender_ns : 0;
	}
	own(&costs, times, pace->end_ns, ready_ns);
	costs.verdict = verdict_of(&costs);
	/* retransmitted data ends with its acknowledgement; least_ack_ns is 0 before it is known */
	end_ns = later(times->last_ns, times->again_ns);
	if (times->has_ack)
		end_ns = later(end_ns, times->acknowledged_ns - pace->least_ack_ns);
	pace->end_ns = pace->has_end ? later(pace->end_ns, end_ns) : end_ns;
	pace->has_end = true;
	pace->index = times->index;
	pace->lacks_data = times->lacks_data;
	return costs;
}
