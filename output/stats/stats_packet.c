/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counting of packets.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "dissect/net/erf.h"
#include "dissect/infiniband/ib.h"
#include "dissect/infiniband/ib_opcode.h"
#include "output/stats/stats.h"
#include "output/stats/stats_count.h"
#include "output/stats/stats_packet.h"

/* Per direction. The connection counts the same without frames, and the packets that were never captured: psn_count_analysis(). */
static const uint8_t events_of_analysis[RTAP_PSN_COUNT] = {
	[RTAP_PSN_NONE] = STATS_EVENT_COUNT,
	[RTAP_PSN_IN_ORDER] = STATS_EVENT_COUNT,
	[RTAP_PSN_GAP] = STATS_GAP,
	[RTAP_PSN_OUT_OF_ORDER] = STATS_OUT_OF_ORDER,
	[RTAP_PSN_RETRANSMISSION] = STATS_RETRANSMISSION,
	[RTAP_PSN_DUPLICATE] = STATS_DUPLICATE,
	[RTAP_PSN_CAPTURED_TWICE] = STATS_CAPTURED_TWICE,
	[RTAP_PSN_UNEXPECTED] = STATS_UNEXPECTED,
	[RTAP_PSN_RESYNCHRONISED] = STATS_RESYNCHRONISED,
};

/* Anomalies of iWARP segments. Keep-alives and window probes are normal. */
static const uint8_t events_of_tcp[RTAP_TCP_ANALYSIS_COUNT] = {
	[RTAP_TCP_NONE] = STATS_EVENT_COUNT,
	[RTAP_TCP_NEW] = STATS_EVENT_COUNT,
	[RTAP_TCP_GAP] = STATS_GAP,
	[RTAP_TCP_OUT_OF_ORDER] = STATS_OUT_OF_ORDER,
	[RTAP_TCP_RETRANSMISSION] = STATS_RETRANSMISSION,
	[RTAP_TCP_OVERLAP] = STATS_RETRANSMISSION,
	[RTAP_TCP_CAPTURED_TWICE] = STATS_CAPTURED_TWICE,
	[RTAP_TCP_KEEP_ALIVE] = STATS_EVENT_COUNT,
	[RTAP_TCP_WINDOW_PROBE] = STATS_EVENT_COUNT,
	[RTAP_TCP_OUTSIDE] = STATS_RESYNCHRONISED,
};

#define SAME_PLACE(head, facts, member) _Static_assert(offsetof(struct head, member) == offsetof(struct facts, member), "it stands there")

SAME_PLACE(stats_flow_head, rtap_flow_facts, present);
SAME_PLACE(stats_flow_head, rtap_flow_facts, from_a);
SAME_PLACE(stats_flow_head, rtap_flow_facts, is_late);
SAME_PLACE(stats_flow_head, rtap_flow_facts, analysis);
SAME_PLACE(stats_flow_head, rtap_flow_facts, tcp_analysis);
SAME_PLACE(stats_flow_head, rtap_flow_facts, recovery);
SAME_PLACE(stats_flow_head, rtap_flow_facts, missing);
SAME_PLACE(stats_ib_head, rtap_ib_facts, has_bth);
SAME_PLACE(stats_ib_head, rtap_ib_facts, has_aeth);
SAME_PLACE(stats_ib_head, rtap_ib_facts, opcode);
SAME_PLACE(stats_ib_head, rtap_ib_facts, aeth_kind);
SAME_PLACE(stats_ib_head, rtap_ib_facts, aeth_value);

/* Counts rare properties out of line, so that the common path has no calls. Values of an ERF record are better than those of its file. */
static __attribute__((noinline)) void rare_facts(struct stats_packet_facts *facts, const struct rtap_packet *packet)
{
	struct erf_record record;

	if (packet->frame->link_type == RTAP_LINK_ERF && erf_record_of(packet, &record))
		facts->wire_bytes = record.wire_length;
	facts->class |= congestion_priority_of(packet);
}

void stats_packet_facts(struct stats_packet_facts *facts, const struct rtap_packet *packet)
{
	facts->frame = packet->frame->number;
	facts->time_ns = packet->frame->time_ns;
	facts->connection = packet->flow.connection;
	facts->wire_bytes = packet->frame->wire_length;
	facts->payload_bytes = packet->ib.has_bth ? packet->payload.wire : packet->tcp.payload.wire;
	memcpy(&facts->flow, &packet->flow, sizeof facts->flow);
	facts->time_lost_ns = packet->flow.time_lost_ns;
	facts->late_ns = packet->flow.late_ns;
	facts->late_packets = packet->flow.late_packets;
	memcpy(&facts->ib, &packet->ib, sizeof facts->ib);
	facts->tcp_recoveries = packet->flow.tcp_recoveries;
	facts->tcp_recovery_count = packet->flow.tcp_recovery_count;
	facts->bad_icrc = packet->ib.icrc_status == RTAP_CRC_BAD;
	facts->is_mad = packet->mad.present;
	facts->is_counted = false;
	facts->class = congestion_class_of(packet);
	if (packet->frame->link_type == RTAP_LINK_ERF || congestion_has_priority(packet))
		rare_facts(facts, packet);
}

/* The receiver reports congestion, marked by the network, to the sender. */
static void note_cnp(struct stats *stats, struct stats_direction *sender, struct stats_direction *marked, const struct stats_packet_facts *facts)
{
	congestion_note_cnp(stats, sender, marked, facts->frame, facts->time_ns);
	if (!marked->marked)
		return;
	marked->marked = false;
	if (!marked->reaction_ns)
		marked->reaction_ns = stats_allocate(stats, sizeof *marked->reaction_ns);
	if (marked->reaction_ns)
		stats_add_value(stats, marked->reaction_ns, (uint64_t)ns_elapsed(marked->marked_ns, facts->time_ns));
}

static void note_mark(struct stats *stats, struct stats_direction *direction, const struct stats_packet_facts *facts)
{
	stats_note_event(stats, direction, STATS_CE_MARK, facts->frame, facts->time_ns);
	if (direction->marked)
		return;
	direction->marked = true;
	direction->marked_ns = facts->time_ns;
}

/* A packet that can be marked: its sender reacts to CNPs. */
static __attribute__((noinline)) void note_ecn(struct stats *stats, struct stats_direction *direction, const struct stats_packet_facts *facts)
{
	if (facts->time_ns >= direction->window.end_ns)
		congestion_begin_window(direction, facts->time_ns, facts->wire_bytes);
	if (congestion_is_marked(facts->class))
		note_mark(stats, direction, facts);
}

static void note_acknowledgement(struct stats *stats, struct stats_direction *sender, struct stats_direction *asker,
				 const struct stats_packet_facts *facts)
{
	uint8_t code = facts->ib.aeth_value;
	uint64_t number = facts->frame;

	switch (facts->ib.aeth_kind) {
	case RTAP_AETH_ACK:
		asker->attempts = asker->rnr_naks = 0;
		if (!code)
			stats_note_event(stats, sender, STATS_NO_CREDIT, number, facts->time_ns);
		break;
	case RTAP_AETH_RNR_NAK:
		stats_note_event(stats, sender, STATS_RNR, number, facts->time_ns);
		sender->rnr_wait_us += ib_rnr_timer_us(code);
		stats_incidents(stats, asker)->rnr_until_ns = facts->time_ns + ib_rnr_timer_us(code) * INT64_C(1000);
		asker->rnr_naks = (uint8_t)(asker->rnr_naks + (asker->rnr_naks < UINT8_MAX));
		break;
	case RTAP_AETH_NAK:
		if (code >= RTAP_NAK_COUNT)
			break;
		stats_note_event(stats, sender, (enum stats_event)(STATS_NAK_SEQUENCE + code), number, facts->time_ns);
		break;
	default:
		break;
	}
}

static void note_retransmission_run(struct stats *stats, struct stats_direction *sender, const struct stats_packet_facts *facts)
{
	struct stats_incidents *incidents = stats_incidents(stats, sender);
	struct stats_burst *burst = &incidents->last_burst;

	sender->retransmission_runs++;
	if (!burst->occurrences.count || facts->time_ns < burst->begin_ns || ns_elapsed(burst->begin_ns, facts->time_ns) >= STATS_BURST_NS)
		*burst = (struct stats_burst){ .begin_ns = facts->time_ns };
	stats_count(&burst->occurrences, facts->frame, facts->time_ns);
	if (burst->occurrences.count > incidents->worst_burst.occurrences.count)
		incidents->worst_burst = *burst;
}

/* Records the time until a retransmission. */
static void note_wait(struct stats_recovery *recovery, int64_t wait_ns, uint8_t attempt)
{
	if (attempt > recovery->most_attempts)
		recovery->most_attempts = attempt;
	/* within 10 % */
	if (attempt > 1 && recovery->last_ns && wait_ns / 19 >= recovery->last_ns / 10 && wait_ns / 21 <= recovery->last_ns / 10)
		recovery->doubled++;
	recovery->last_ns = wait_ns;
	if (!wait_ns)
		return;
	if (!recovery->least_ns || wait_ns < recovery->least_ns)
		recovery->least_ns = wait_ns;
	if (wait_ns > recovery->most_ns)
		recovery->most_ns = wait_ns;
}

static void add_time_lost(struct stats_incidents *incidents, uint8_t cause, int64_t end_ns, int64_t lost_ns)
{
	incidents->recoveries[cause].time_lost_ns = ns_sum(incidents->recoveries[cause].time_lost_ns, lost_ns);
	if (lost_ns > 0)
		incidents->times_lost[incidents->time_lost_count++ % STATS_TIMES_LOST] = (struct stats_time_lost){ end_ns, lost_ns };
}

/* A recovery begins, or time was lost to one. `asker`: the end whose requests are retransmitted. */
static __attribute__((noinline)) void note_recovery(struct stats *stats, struct stats_direction *asker, const struct stats_packet_facts *facts)
{
	struct stats_incidents *incidents = stats_incidents(stats, asker);
	struct stats_recovery *recovery = &incidents->recoveries[facts->flow.recovery];

	add_time_lost(incidents, facts->flow.lost_to, facts->time_ns, facts->time_lost_ns);
	if (!facts->flow.recovery)
		return;
	stats_note_event(stats, asker, facts->flow.recovery == RTAP_RECOVERY_TIMEOUT ? STATS_AFTER_TIMEOUT :
			 facts->flow.recovery == RTAP_RECOVERY_IMPLIED_NAK ? STATS_AFTER_HOLE : STATS_AFTER_NAK, facts->frame, facts->time_ns);
	stats_count(&recovery->occurrences, facts->frame, facts->time_ns);
	recovery->late += facts->flow.is_late;
	if (facts->flow.recovery == RTAP_RECOVERY_RNR)
		incidents->rnr_until_ns = facts->time_ns;
	note_wait(recovery, facts->time_lost_ns, facts->flow.attempt);
	asker->attempts = facts->flow.attempt;
	note_retransmission_run(stats, asker, facts);
}

/* Counts runs of retransmitted iWARP segments. Segments without data are ignored. */
static void note_segment(struct stats *stats, struct stats_direction *sender, const struct stats_packet_facts *facts, bool again)
{
	if (!facts->payload_bytes)
		return;
	if (again && !sender->recovers)
		note_retransmission_run(stats, sender, facts);
	sender->recovers = again;
}

static __attribute__((noinline)) void note_tcp_recoveries(struct stats *stats, struct stats_connection *connection, const struct stats_packet_facts *facts)
{
	for (unsigned i = 0; i < facts->tcp_recovery_count; i++) {
		const struct rtap_tcp_recovery *found = &facts->tcp_recoveries[i];
		struct stats_incidents *incidents = stats_incidents(stats, stats_sent_by(connection, found->from_a));
		struct stats_recovery *recovery = &incidents->recoveries[found->cause];

		if (found->begins) {
			stats_count(&recovery->occurrences, found->frame, facts->time_ns);
		} else {
			add_time_lost(incidents, found->cause, found->end_ns, ns_elapsed(found->begin_ns, found->end_ns));
		}
		if (found->cause != RTAP_RECOVERY_ZERO_WINDOW)
			continue;
		incidents->closed = found->begins;
		incidents->closed_ns = found->begin_ns;
	}
}

static inline void count_class(struct stats *stats, struct stats_direction *sender, uint8_t kind, uint16_t class, uint64_t packets)
{
	if (class == sender->usual.class)
		sender->usual.packets[kind] += packets;
	else
		congestion_note(stats, sender, CONGESTION_KEY(kind, class), packets);
}

static void note_socket(struct stats *stats, struct stats_connection *connection, struct stats_direction *sender,
			const struct stats_packet_facts *facts, enum stats_event event)
{
	if (event != STATS_CAPTURED_TWICE)
		count_class(stats, sender, facts->payload_bytes ? CONGESTION_SEGMENT : CONGESTION_ACK, facts->class, 1);
	if (connection == &stats->others)
		return;
	note_segment(stats, sender, facts, event == STATS_RETRANSMISSION);
	if (facts->tcp_recovery_count)
		note_tcp_recoveries(stats, connection, facts);
}

/* STATS_EVENT_COUNT: no event. */
static enum stats_event event_of(const struct stats_packet_facts *facts)
{
	return facts->ib.has_bth ? events_of_analysis[facts->flow.analysis] : events_of_tcp[facts->flow.tcp_analysis];
}

static void note_payload(struct stats_direction *sender, const struct stats_packet_facts *facts, enum stats_event event)
{
	if (!facts->payload_bytes)
		return;
	sender->data_packets++;
	if (event == STATS_UNEXPECTED)
		return;
	sender->carried_bytes += facts->payload_bytes;
	if (facts->ib.has_bth)
		return;
	sender->is_tcp = true;
	/* an overlapping segment has some new bytes */
	if (event == STATS_RETRANSMISSION && facts->flow.tcp_analysis != RTAP_TCP_OVERLAP)
		return;
	sender->new_bytes += facts->payload_bytes;
	/* for iWARP, the bytes of messages */
	if (facts->flow.beside_rdma)
		sender->payload_bytes += facts->payload_bytes;
}

/* Requests have no entry. */
static const uint8_t kinds_of_class[] = {
	[IB_ACKNOWLEDGE] = CONGESTION_ACK,
	[IB_READ_RESPONSE] = CONGESTION_RESPONSE,
	[IB_ATOMIC_ACKNOWLEDGE] = CONGESTION_RESPONSE,
	[IB_CONGESTION] = CONGESTION_CNP, /* the last class */
};

_Static_assert(CONGESTION_REQUEST == 0, "requests have no row");

/* Evaluates the transport headers. False: invalid CRC, so they are unreliable. */
static inline bool note_transport(struct stats *stats, struct stats_direction *sender, struct stats_direction *other, bool in_order,
				  const struct stats_packet_facts *facts)
{
	const struct ib_opcode *opcode = &ib_opcodes[facts->ib.opcode];
	uint8_t kind = kinds_of_class[opcode->class];

	if (facts->bad_icrc) {
		stats_note_event(stats, sender, STATS_BAD_ICRC, facts->frame, facts->time_ns);
		return false;
	}
	if (CLASS_ECN(facts->class))
		note_ecn(stats, sender, facts);
	if (facts->flow.recovery | facts->flow.lost_to)
		note_recovery(stats, opcode->is_response ? other : sender, facts);
	if (kind == CONGESTION_CNP) {
		stats_note_event(stats, sender, STATS_CNP, facts->frame, facts->time_ns);
		if (in_order)
			note_cnp(stats, sender, other, facts);
	} else if (kind != CONGESTION_REQUEST) {
		if (facts->ib.has_aeth && facts->flow.analysis != RTAP_PSN_DUPLICATE)
			note_acknowledgement(stats, sender, other, facts);
	} else if (opcode->class == IB_READ_REQUEST && facts->flow.analysis == RTAP_PSN_RETRANSMISSION) {
		stats_note_event(stats, sender, STATS_READ_RESTART, facts->frame, facts->time_ns);
	}
	count_class(stats, sender, kind, facts->class, 1);
	return true;
}

static void note_interval(struct stats *stats, const struct stats_packet_facts *facts)
{
	struct stats_interval *interval = stats_interval(stats, facts->time_ns);

	if (!interval)
		return;
	interval->packets++;
	interval->bytes += facts->wire_bytes;
	interval->retransmissions += facts->flow.present && !facts->bad_icrc && event_of(facts) == STATS_RETRANSMISSION;
	if (!facts->ib.has_bth || facts->bad_icrc)
		return;
	interval->naks += facts->ib.has_aeth &&
			  (facts->ib.aeth_kind == RTAP_AETH_NAK || facts->ib.aeth_kind == RTAP_AETH_RNR_NAK);
	interval->cnps += ib_opcodes[facts->ib.opcode].class == IB_CONGESTION;
	interval->ce_marks += congestion_is_marked(facts->class);
}

static inline void note_flow(struct stats *stats, const struct stats_packet_facts *facts)
{
	struct stats_connection *connection = stats_find(stats, facts->connection);
	struct stats_direction *sender = stats_sent_by(connection, facts->flow.from_a);
	struct stats_direction *other = stats_sent_by(connection, !facts->flow.from_a);
	enum stats_event event = event_of(facts);

	/* it was counted when captured first */
	if (event == STATS_CAPTURED_TWICE) {
		stats_note_event(stats, sender, event, facts->frame, facts->time_ns);
		return;
	}
	if (!sender->packets++)
		sender->first_ns = sender->last_ns = facts->time_ns;
	else if (facts->time_ns > sender->last_ns)
		sender->last_ns = facts->time_ns;
	else if (facts->time_ns < sender->first_ns)
		sender->first_ns = facts->time_ns;
	sender->wire_bytes += facts->wire_bytes;
	if (facts->ib.has_bth) {
		if (!note_transport(stats, sender, other, connection != &stats->others, facts))
			return;
	} else {
		note_socket(stats, connection, sender, facts, event);
	}
	if (event != STATS_EVENT_COUNT)
		stats_note_event(stats, sender, event, facts->frame, facts->time_ns);
	if (event == STATS_OUT_OF_ORDER && facts->late_packets)
		stats_note_late(stats, sender, facts->late_packets, facts->late_ns);
	note_payload(sender, facts, event);
}

/* Keeps a packet of no known connection. */
static void keep_unassigned(struct stats *stats, const struct stats_packet_facts *facts)
{
	if (!stats->unassigned_packets)
		stats->unassigned_packets = stats_allocate(stats, STATS_UNASSIGNED_KEPT * sizeof *stats->unassigned_packets);
	if (stats->unassigned_packets)
		stats->unassigned_packets[facts->frame % STATS_UNASSIGNED_KEPT] = *facts;
}

/* Counts the events of a packet of no known connection, or subtracts them (`takes_back`). */
static void note_unassigned_events(struct stats *stats, const struct stats_packet_facts *facts, bool takes_back)
{
	bool is_there[STATS_EVENT_COUNT] = { false };
	uint8_t kind = facts->ib.aeth_kind, code = facts->ib.aeth_value;

	is_there[STATS_CE_MARK] = congestion_is_marked(facts->class);
	is_there[STATS_CNP] = ib_opcodes[facts->ib.opcode].class == IB_CONGESTION;
	is_there[STATS_NO_CREDIT] = facts->ib.has_aeth && kind == RTAP_AETH_ACK && !code;
	is_there[STATS_RNR] = facts->ib.has_aeth && kind == RTAP_AETH_RNR_NAK;
	if (facts->ib.has_aeth && kind == RTAP_AETH_NAK && code < RTAP_NAK_COUNT)
		is_there[STATS_NAK_SEQUENCE + code] = true;
	for (int i = 0; i < STATS_EVENT_COUNT; i++)
		if (is_there[i] && takes_back)
			stats->unassigned_events[i].count--;
		else if (is_there[i])
			stats_count(&stats->unassigned_events[i], facts->frame, facts->time_ns);
}

/* Packets of no known connection: responses without a request, congestion notifications, management. */
static void note_unassigned(struct stats *stats, const struct stats_packet_facts *facts)
{
	stats->unassigned += !facts->is_mad;
	if (facts->bad_icrc)
		return;
	note_unassigned_events(stats, facts, false);
	if (!facts->is_mad)
		keep_unassigned(stats, facts);
}

void stats_resolve(struct stats *stats, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct stats_packet_facts *facts = stats->unassigned_packets ? &stats->unassigned_packets[frame % STATS_UNASSIGNED_KEPT] : NULL;

	/* the current frame is counted when the tracker has processed it */
	if (!facts || !facts->frame || facts->frame != frame)
		return;
	note_unassigned_events(stats, facts, true);
	stats->unassigned--;
	memcpy(&facts->flow, flow, sizeof facts->flow);
	facts->connection = flow->connection;
	facts->time_lost_ns = flow->time_lost_ns;
	facts->late_ns = flow->late_ns;
	facts->late_packets = flow->late_packets;
	facts->is_counted = true;
	stats_count_packet(stats, facts);
	stats_find(stats, facts->connection)->is_renumbered = true;
	facts->frame = 0;
}

/* Counters common to all packets. */
static inline void count_packet(struct stats *stats, const struct stats_packet_facts *facts)
{
	if (!stats->packets++)
		stats->begin_ns = stats->first_ns = stats->last_ns = facts->time_ns;
	else if (facts->time_ns > stats->last_ns)
		stats->last_ns = facts->time_ns;
	else if (facts->time_ns < stats->first_ns)
		stats->first_ns = facts->time_ns;
	stats->now_ns = facts->time_ns;
	stats->wire_bytes += facts->wire_bytes;
	stats->rdma_packets += facts->ib.has_bth || (facts->flow.present && !facts->flow.beside_rdma);
	if (stats->interval_ns)
		note_interval(stats, facts);
	if (facts->bad_icrc)
		stats_count(&stats->bad_icrc, facts->frame, facts->time_ns);
}

enum stats_event stats_event_of_packet(const struct stats_packet_facts *facts)
{
	return event_of(facts);
}

enum congestion_kind stats_kind_of(const struct stats_packet_facts *facts)
{
	return kinds_of_class[ib_opcodes[facts->ib.opcode].class];
}

/* Counters common to all packets. */
static void count_packets(struct stats *stats, uint64_t packets, uint64_t wire_bytes, int64_t earliest_ns, int64_t latest_ns)
{
	if (!packets)
		return;
	stats_add_times(&stats->first_ns, &stats->last_ns, !stats->packets, earliest_ns, latest_ns);
	stats->packets += packets;
	stats->wire_bytes += wire_bytes;
}

static void add_packets(struct stats *stats, struct stats_direction *sender, const struct packet_sum *sum)
{
	stats_add_times(&sender->first_ns, &sender->last_ns, !sender->packets, sum->first_ns, sum->last_ns);
	sender->packets += sum->packets;
	sender->wire_bytes += sum->window_bytes;
	if (sum->window_bytes)
		congestion_begin_window(sender, sum->window_ns, sum->window_bytes);
	sender->wire_bytes += sum->wire_bytes - sum->window_bytes;
	for (uint8_t i = 0; i < sum->kind_count; i++)
		count_class(stats, sender, sum->order[i], sum->class, sum->kinds[sum->order[i]]);
	sender->data_packets += sum->data_packets;
	sender->carried_bytes += sum->carried_bytes;
}

void stats_add_sum(struct stats *stats, const struct packet_sum *sum)
{
	struct stats_direction *sender;

	count_packets(stats, sum->packets, sum->wire_bytes, sum->first_ns, sum->last_ns);
	count_packets(stats, sum->copies.count, sum->copied_bytes, sum->first_copy_ns, sum->last_copy_ns);
	if (!sum->connection)
		return;
	stats->rdma_packets += sum->packets + sum->copies.count;
	sender = stats_sent_by(stats_find(stats, sum->connection), sum->from_a);
	if (sum->copies.count)
		stats_occurrences_merge(stats_event(stats, sender, STATS_CAPTURED_TWICE), &sum->copies);
	if (sum->packets)
		add_packets(stats, sender, sum);
}

void stats_count_packet(struct stats *stats, const struct stats_packet_facts *facts)
{
	if (!facts->is_counted)
		count_packet(stats, facts);
	if (facts->flow.present)
		note_flow(stats, facts);
	else if (facts->ib.has_bth && facts->flow.analysis != RTAP_PSN_CAPTURED_TWICE)
		note_unassigned(stats, facts);
}

void stats_packet(struct stats *stats, const struct rtap_packet *packet)
{
	struct stats_packet_facts facts;

	stats_packet_facts(&facts, packet);
	stats_count_packet(stats, &facts);
}
