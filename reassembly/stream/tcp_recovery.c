/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "base/nanoseconds.h"
#include "reassembly/stream/tcp_recovery.h"

/* Longest time for which segments reordered by the network are late. */
#define LATE_NS INT64_C(3000000)
/* After this time without an acknowledgement the cause was a timer, whatever was reported before: no implementation has a shorter RTO. */
#define TIMER_NS INT64_C(200000000)

/* A segment being processed. */
struct work {
	uint64_t frame;
	int64_t time_ns;
	const struct rtap_tcp_facts *tcp;
	struct tcp_recoveries *found;
	struct rtap_flow_facts *flow;
};

static bool is_after(uint32_t sequence, uint32_t other)
{
	return (int32_t)(sequence - other) > 0;
}

/* A selective acknowledgement of bytes after the acknowledged ones. A block below them reports a duplicate: RFC 2883. */
static bool has_sacks(const struct rtap_tcp_facts *tcp)
{
	for (unsigned i = 0; i < tcp->sack_count; i++)
		if (is_after(tcp->sack[i].left, tcp->acknowledgment))
			return true;
	return false;
}

static void begin(struct work *work, bool from_a, uint8_t cause)
{
	work->found->list[work->found->count++] = (struct rtap_tcp_recovery){
		.cause = cause, .from_a = from_a, .begins = true, .frame = work->frame, .begin_ns = work->time_ns, .end_ns = work->time_ns,
	};
}

static void end(struct work *work, bool from_a, uint8_t cause, uint64_t frame, int64_t begin_ns, int64_t end_ns)
{
	work->found->list[work->found->count++] = (struct rtap_tcp_recovery){
		.cause = cause, .from_a = from_a, .frame = frame, .begin_ns = begin_ns, .end_ns = end_ns,
	};
	work->flow->lost_to = cause;
	work->flow->time_lost_ns = ns_sum(work->flow->time_lost_ns, ns_elapsed(begin_ns, end_ns));
}

/* The last retransmission was useful. */
static void end_wait(struct work *work, struct tcp_recovery *sender, bool from_a)
{
	if (sender->waits)
		end(work, from_a, sender->cause, sender->begin_frame, sender->begin_ns, sender->again_ns);
	sender->waits = false;
}

/* A segment with bytes that were sent before, or that fill a hole. */
static void sent_again(struct work *work, struct tcp_recovery *sender, bool from_a)
{
	bool reported = sender->repeated_acks || sender->sacked;
	bool silent = ns_elapsed(sender->answered_ns, work->time_ns) >= TIMER_NS;

	/* late, but sent once */
	if (work->flow->tcp_analysis == RTAP_TCP_OUT_OF_ORDER && !reported && ns_elapsed(sender->new_ns, work->time_ns) <= LATE_NS) {
		uint64_t segments = sender->has_gap ? sender->segments - sender->gap_segments : 0;

		work->flow->late_packets = segments > UINT32_MAX ? UINT32_MAX : (uint32_t)segments;
		work->flow->late_ns = segments ? ns_elapsed(sender->gap_ns, work->time_ns) : 0;
		sender->segments++;
		return;
	}
	/* a timeout within a recovery, or after progress in it, begins a new one; a repeated timeout does not */
	if (!sender->recovers || (silent && sender->cause == RTAP_RECOVERY_FAST_RETRANSMIT) ||
	    (sender->progress_ns > sender->again_ns && ns_elapsed(sender->progress_ns, work->time_ns) >= TIMER_NS)) {
		end_wait(work, sender, from_a);
		sender->cause = reported && !silent ? RTAP_RECOVERY_FAST_RETRANSMIT : RTAP_RECOVERY_TCP_TIMEOUT;
		sender->begin_frame = work->frame;
		sender->begin_ns = sender->progress_ns;
		begin(work, from_a, sender->cause);
		work->flow->recovery = sender->cause;
		sender->waits = sender->recovers = true;
		/* excludes data sent later: RFC 6675, 5, RecoveryPoint */
		sender->recovery_end = sender->next;
	}
	sender->again_ns = work->time_ns;
}

static void sent(struct work *work, struct tcp_recovery *sender, bool from_a)
{
	uint32_t end = work->tcp->sequence + work->tcp->payload.wire;
	uint8_t analysis = work->flow->tcp_analysis;

	if (analysis == RTAP_TCP_KEEP_ALIVE || analysis == RTAP_TCP_WINDOW_PROBE || analysis == RTAP_TCP_OUTSIDE)
		return;
	if (sender->known && !is_after(end, sender->next)) {
		sent_again(work, sender, from_a);
		return;
	}
	if (analysis == RTAP_TCP_GAP) {
		sender->has_gap = true;
		sender->gap_segments = sender->segments;
		sender->gap_ns = work->time_ns;
	}
	sender->segments++;
	/* without outstanding data no time can be lost: it begins now */
	sender->known = true;
	sender->next = end;
	sender->progress_ns = sender->new_ns = work->time_ns;
}

static void window(struct work *work, struct tcp_recovery *sender, bool from_a)
{
	bool closed = !work->tcp->window && !(work->tcp->flags & (RTAP_TCP_FLAG_RST | RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_FIN));

	if (closed == sender->closed)
		return;
	sender->closed = closed;
	if (closed) {
		sender->closed_frame = work->frame;
		sender->closed_ns = work->time_ns;
		begin(work, from_a, RTAP_RECOVERY_ZERO_WINDOW);
	} else {
		end(work, from_a, RTAP_RECOVERY_ZERO_WINDOW, sender->closed_frame, sender->closed_ns, work->time_ns);
	}
}

/* Processes the acknowledgement of the data of end `from_a`. */
static void acknowledged(struct work *work, struct tcp_recovery *sender, bool from_a)
{
	const struct rtap_tcp_facts *tcp = work->tcp;
	uint32_t number = tcp->acknowledgment;
	bool sacks = has_sacks(tcp);

	if (!(tcp->flags & RTAP_TCP_FLAG_ACK))
		return;
	window(work, sender, from_a);
	sender->answered_ns = work->time_ns;
	if (sender->acknowledged_known && !is_after(number, sender->acknowledged)) {
		sender->repeated_acks += number == sender->acknowledged && !tcp->payload.wire && is_after(sender->next, number) && sacks;
		sender->sacked |= sacks && number == sender->acknowledged;
		return;
	}
	sender->acknowledged_known = true;
	sender->acknowledged = number;
	sender->repeated_acks = 0;
	sender->sacked = sacks;
	sender->progress_ns = work->time_ns;
	end_wait(work, sender, from_a);
	if (sender->recovers && !is_after(sender->recovery_end, number))
		sender->recovers = false;
}

void tcp_recovery_segment(struct tcp_recovery *sender, struct tcp_recovery *other, bool from_a, const struct rtap_packet *packet,
			  struct tcp_recoveries *found, struct rtap_flow_facts *flow)
{
	struct work work = { packet->frame->number, packet->frame->time_ns, &packet->tcp, found, flow };

	found->count = 0;
	if (packet->tcp.payload.wire)
		sent(&work, sender, from_a);
	if (flow->tcp_analysis != RTAP_TCP_OUTSIDE)
		acknowledged(&work, other, !from_a);
	if (!found->count)
		return;
	flow->tcp_recoveries = found->list;
	flow->tcp_recovery_count = found->count;
}
