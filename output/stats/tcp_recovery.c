/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/stats/stats.h"
#include "output/stats/stats_count.h"

/* Longest time for which segments reordered by the network are late. */
#define LATE_NS INT64_C(3000000)
/* After this time without an acknowledgement the cause was a timer, whatever was reported before: no implementation has a shorter RTO. */
#define TIMER_NS INT64_C(200000000)

const char *tcp_recovery_name(enum tcp_recovery_cause cause)
{
	static const char *const names[] = {
#define TCP_RECOVERY_NAME(identifier, name) name,
		TCP_RECOVERIES(TCP_RECOVERY_NAME)
#undef TCP_RECOVERY_NAME
	};

	return names[cause];
}

static void count(struct tcp_recovery *sender, enum tcp_recovery_cause cause, uint64_t frame)
{
	struct tcp_recovery_count *counted = &sender->counts[cause];

	if (!counted->count++)
		counted->first_frame = frame;
	counted->last_frame = frame;
}

static bool is_after(uint32_t sequence, uint32_t other)
{
	return (int32_t)(sequence - other) > 0;
}

/* The last retransmission was useful. */
static void take_time(struct tcp_recovery *sender, uint64_t frame)
{
	if (sender->waits) {
		sender->counts[sender->cause].lost_ns += (uint64_t)stats_elapsed(sender->begin_ns, sender->again_ns);
		sender->losses[0] = (struct tcp_loss){ frame, sender->begin_ns, sender->again_ns, sender->cause };
	}
	sender->waits = false;
}

/* A segment with bytes that were sent before, or that fill a hole. */
static void sent_again(struct stats *stats, struct stats_direction *direction, const struct stats_sight *sight)
{
	struct tcp_recovery *sender = direction->recovery;
	bool reported = sender->repeated_acks || sender->sacked;
	bool silent = stats_elapsed(sender->answered_ns, sight->time_ns) >= TIMER_NS;

	/* late, but sent once */
	if (sight->flow.tcp_analysis == RTAP_TCP_OUT_OF_ORDER && !reported && stats_elapsed(sender->new_ns, sight->time_ns) <= LATE_NS) {
		stats_note_late(stats, direction, sender->segments - sender->gap_segments, stats_elapsed(sender->gap_ns, sight->time_ns));
		sender->segments++;
		return;
	}
	/* a timeout within a recovery, or after progress in it, begins a new one; a repeated timeout does not */
	if (!sender->recovers || (silent && sender->cause == TCP_RECOVERY_FAST) ||
	    (sender->progress_ns > sender->again_ns && stats_elapsed(sender->progress_ns, sight->time_ns) >= TIMER_NS)) {
		take_time(sender, sight->frame);
		sender->cause = reported && !silent ? TCP_RECOVERY_FAST : TCP_RECOVERY_TIMEOUT;
		sender->begin_ns = sender->progress_ns;
		count(sender, (enum tcp_recovery_cause)sender->cause, sight->frame);
		sender->waits = sender->recovers = true;
		/* excludes data sent later: RFC 6675, 5, RecoveryPoint */
		sender->recovery_end = sender->next;
	}
	sender->again_ns = sight->time_ns;
}

static void sent(struct stats *stats, struct stats_direction *direction, const struct stats_sight *sight)
{
	struct tcp_recovery *sender = direction->recovery;
	uint32_t end = sight->tcp.sequence + sight->payload_bytes;

	if (sight->flow.tcp_analysis == RTAP_TCP_CAPTURED_TWICE || sight->flow.tcp_analysis == RTAP_TCP_KEEP_ALIVE ||
	    sight->flow.tcp_analysis == RTAP_TCP_WINDOW_PROBE || sight->flow.tcp_analysis == RTAP_TCP_OUTSIDE)
		return;
	if (sender->known && !is_after(end, sender->next)) {
		sent_again(stats, direction, sight);
		return;
	}
	if (sight->flow.tcp_analysis == RTAP_TCP_GAP) {
		sender->gap_segments = sender->segments;
		sender->gap_ns = sight->time_ns;
	}
	sender->segments++;
	/* without outstanding data no time can be lost: it begins now */
	sender->known = true;
	sender->next = end;
	sender->progress_ns = sender->new_ns = sight->time_ns;
}

static void window(struct tcp_recovery *sender, const struct stats_sight *sight)
{
	bool closed = !sight->tcp.window && !(sight->tcp.flags & (RTAP_TCP_FLAG_RST | RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_FIN));

	if (closed == sender->closed)
		return;
	sender->closed = closed;
	if (closed) {
		sender->closed_ns = sight->time_ns;
		count(sender, TCP_RECOVERY_ZERO_WINDOW, sight->frame);
	} else {
		sender->counts[TCP_RECOVERY_ZERO_WINDOW].lost_ns += (uint64_t)stats_elapsed(sender->closed_ns, sight->time_ns);
		sender->losses[1] = (struct tcp_loss){ sight->frame, sender->closed_ns, sight->time_ns, TCP_RECOVERY_ZERO_WINDOW };
	}
}

/* Processes the acknowledgement of the other end. */
static void acknowledged(struct tcp_recovery *sender, const struct stats_sight *sight)
{
	uint32_t number = sight->tcp.acknowledgment;

	if (!(sight->tcp.flags & RTAP_TCP_FLAG_ACK))
		return;
	window(sender, sight);
	sender->answered_ns = sight->time_ns;
	if (sender->acknowledged_known && !is_after(number, sender->acknowledged)) {
		sender->repeated_acks += number == sender->acknowledged && !sight->payload_bytes && is_after(sender->next, number) && sight->tcp.sacks;
		sender->sacked |= sight->tcp.sacks && number == sender->acknowledged;
		return;
	}
	sender->acknowledged_known = true;
	sender->acknowledged = number;
	sender->repeated_acks = 0;
	sender->sacked = sight->tcp.sacks;
	sender->progress_ns = sight->time_ns;
	take_time(sender, sight->frame);
	if (sender->recovers && !is_after(sender->recovery_end, number))
		sender->recovers = false;
}

void tcp_recovery_note(struct stats *stats, struct stats_connection *connection, const struct stats_sight *sight)
{
	for (int i = 0; i < 2; i++)
		if (!connection->directions[i].recovery) {
			connection->directions[i].recovery = stats_take(stats, sizeof *connection->directions[i].recovery, 0);
			if (!connection->directions[i].recovery) {
				stats->uncounted_messages++;
				return;
			}
		}
	if (sight->payload_bytes)
		sent(stats, &connection->directions[!sight->flow.from_a], sight);
	if (sight->flow.tcp_analysis != RTAP_TCP_CAPTURED_TWICE && sight->flow.tcp_analysis != RTAP_TCP_OUTSIDE)
		acknowledged(connection->directions[sight->flow.from_a].recovery, sight);
}

uint64_t tcp_recovery_lost_ns(const struct tcp_recovery *recovery, enum tcp_recovery_cause cause, int64_t last_ns)
{
	uint64_t lost_ns = recovery->counts[cause].lost_ns;

	return cause == TCP_RECOVERY_ZERO_WINDOW && recovery->closed ? lost_ns + (uint64_t)stats_elapsed(recovery->closed_ns, last_ns) : lost_ns;
}
