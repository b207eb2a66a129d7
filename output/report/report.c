/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selection of the connections with points, and conversion of their packets to points.
 */
#include "config.h"

#include <stdlib.h>

#include "dissect/infiniband/ib.h"
#include "dissect/net/erf.h"
#include "output/report/report.h"
#include "output/report/report_calls.h"
#include "output/report/report_internal.h"
#include "output/report/report_recoveries.h"

/* Number of time slices for the dots, the marks and the calls of a plot. */
#define DOT_SLICES 256
#define MARK_SLICES 64
#define CALL_SLICES 96

/*
 * Number of packets after which a connection without a trace is compared with those that have one: at powers of two, then at multiples
 * of this.
 */
#define LOOK_FROM 4
#define LOOK_EVERY 64

#define TRACE_MOST_BYTES (sizeof(struct report_trace) + 4 * CALL_SLICES * sizeof(struct report_call) + \
	2 * 4 * (REPORT_DOTS * DOT_SLICES + (REPORT_SERIES_COUNT - REPORT_DOTS) * MARK_SLICES) * sizeof(struct report_packet))

struct report *report_create(struct stats *stats, uint64_t max_memory)
{
	struct report *report = calloc(1, sizeof *report);
	uint64_t limit = max_memory / TRACE_MOST_BYTES;

	if (!report)
		return NULL;
	report->stats = stats;
	report->recoveries.size = sizeof(struct report_recovery);
	report->recoveries.slices = DOT_SLICES;
	report->trace_limit = limit < 1 ? 1 : limit > REPORT_TRACES ? REPORT_TRACES : (unsigned)limit;
	return report;
}

static struct report_trace *trace_create(uint64_t number, uint64_t first_frame, uint64_t missed)
{
	struct report_trace *trace = calloc(1, sizeof *trace);

	if (!trace)
		return NULL;
	trace->number = number;
	trace->first_frame = first_frame;
	trace->missed = missed;
	trace->calls.size = sizeof(struct report_call);
	trace->calls.slices = CALL_SLICES;
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < REPORT_SERIES_COUNT; i++) {
			trace->sequences[side].series[i].size = sizeof(struct report_packet);
			trace->sequences[side].series[i].slices = i < REPORT_DOTS ? DOT_SLICES : MARK_SLICES;
		}
	return trace;
}

static void trace_destroy(struct report_trace *trace)
{
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < REPORT_SERIES_COUNT; i++)
			report_points_clear(&trace->sequences[side].series[i]);
	report_points_clear(&trace->calls);
	free(trace);
}

/* Packets captured twice are not an anomaly of the connection. */
uint64_t report_weight(const struct stats_connection *connection)
{
	uint64_t bytes = 0, anomalies = 0;

	for (int i = 0; i < 2; i++) {
		bytes += connection->directions[i].wire_bytes;
		for (int event = 0; event < STATS_EVENT_COUNT; event++)
			if (event != STATS_CAPTURED_TWICE)
				anomalies += stats_event_of(&connection->directions[i], (enum stats_event)event)->count;
	}
	return bytes + anomalies * REPORT_ANOMALY_BYTES;
}

static unsigned lightest(const struct report *report, uint64_t *weight)
{
	unsigned found = 0;

	*weight = UINT64_MAX;
	for (unsigned i = 0; i < report->trace_count; i++) {
		uint64_t one = report_weight(stats_find(report->stats, report->traces[i]->number));

		if (one >= *weight)
			continue;
		*weight = one;
		found = i;
	}
	return found;
}

/* Creates a trace for a connection if there is room or its rank is twice that of one with a trace. */
static struct report_trace *trace_begin(struct report *report, const struct rtap_packet *packet)
{
	const struct stats_connection *connection = stats_find(report->stats, packet->flow.connection);
	uint64_t packets = connection->directions[0].packets + connection->directions[1].packets, weight;
	unsigned place = report->trace_count;
	struct report_trace *trace;

	if (connection == &report->stats->others)
		return NULL;
	if (place == report->trace_limit) {
		if (packets < LOOK_FROM || (packets % LOOK_EVERY && packets & (packets - 1)))
			return NULL;
		place = lightest(report, &weight);
		if (report_weight(connection) / 2 <= weight)
			return NULL;
	}
	trace = trace_create(packet->flow.connection, packet->frame->number, packets ? packets - 1 : 0);
	if (!trace) {
		report->refused++;
		return NULL;
	}
	if (place < report->trace_count)
		trace_destroy(report->traces[place]);
	else
		report->trace_count++;
	report->traces[place] = trace;
	return trace;
}

/* Distance of `number` from the beginning of the sequence, choosing the wrap-around of `bits` bits that is nearest to the last one. */
static int64_t place_of(struct report_sequence *sequence, uint32_t number, unsigned bits)
{
	uint32_t distance = (number - sequence->last) << (32 - bits);

	if (!sequence->begun) {
		sequence->begun = true;
		sequence->first = sequence->last = number;
		return 0;
	}
	return sequence->place + ((int32_t)distance >> (32 - bits));
}

static void add(struct report_sequence *sequence, enum report_series series, int64_t place, uint32_t number, const struct rtap_packet *packet)
{
	report_points_add(&sequence->series[series],
			  &(struct report_packet){ { packet->frame->time_ns, place }, packet->frame->number, number, packet->ib.opcode });
}

static enum report_series series_of(const struct rtap_packet *packet, enum report_series in_order)
{
	switch (packet->flow.analysis) {
	case RTAP_PSN_GAP: return REPORT_GAP;
	case RTAP_PSN_OUT_OF_ORDER: return REPORT_LATE;
	case RTAP_PSN_RETRANSMISSION: return REPORT_AGAIN;
	case RTAP_PSN_DUPLICATE: return REPORT_DUPLICATE;
	default: return in_order;
	}
}

static enum report_series series_of_acknowledgement(const struct rtap_packet *packet)
{
	switch (packet->ib.has_aeth ? packet->ib.aeth_kind : RTAP_AETH_ACK) {
	case RTAP_AETH_RNR_NAK: return REPORT_RNR;
	case RTAP_AETH_NAK: return REPORT_NAK;
	default: return series_of(packet, REPORT_ACKS);
	}
}

static void take_ib(struct report_trace *trace, const struct rtap_packet *packet)
{
	const struct ib_opcode *opcode = &ib_opcodes[packet->ib.opcode];
	enum ib_class class = (enum ib_class)opcode->class;
	bool answers = opcode->is_response || class == IB_CONGESTION;
	struct report_sequence *sequence = &trace->sequences[packet->flow.from_a == answers];
	uint32_t psn = packet->ib.psn;
	enum report_series series = REPORT_REQUESTS;
	int64_t place;

	if (packet->flow.analysis == RTAP_PSN_CAPTURED_TWICE || packet->ib.icrc_status == RTAP_CRC_BAD)
		return;
	if (class == IB_CONGESTION) {
		/* no PSN: place it at the last packet sent */
		add(sequence, REPORT_CNP, sequence->place, sequence->last, packet);
		return;
	}
	if (opcode->is_response && class != IB_ACKNOWLEDGE)
		series = REPORT_RESPONSES;
	/* the queue pair number is reused: continue at the position of the previous PSNs */
	if (packet->flow.analysis == RTAP_PSN_RESYNCHRONISED)
		sequence->last = psn;
	place = place_of(sequence, psn, 24);
	if (place > sequence->place || packet->flow.analysis == RTAP_PSN_RESYNCHRONISED) {
		sequence->place = place;
		sequence->last = psn;
	}
	add(sequence, class == IB_ACKNOWLEDGE ? series_of_acknowledgement(packet) : series_of(packet, series), place, psn, packet);
}

/* The mark of each kind of segment. Others are not drawn: they add nothing new, or another copy does. */
static const uint8_t series_of_tcp[RTAP_TCP_ANALYSIS_COUNT] = {
	[RTAP_TCP_NONE] = REPORT_SERIES_COUNT,
	[RTAP_TCP_NEW] = REPORT_REQUESTS,
	[RTAP_TCP_GAP] = REPORT_GAP,
	[RTAP_TCP_OUT_OF_ORDER] = REPORT_LATE,
	[RTAP_TCP_RETRANSMISSION] = REPORT_AGAIN,
	[RTAP_TCP_OVERLAP] = REPORT_AGAIN,
	[RTAP_TCP_CAPTURED_TWICE] = REPORT_SERIES_COUNT,
	[RTAP_TCP_KEEP_ALIVE] = REPORT_SERIES_COUNT,
	[RTAP_TCP_WINDOW_PROBE] = REPORT_SERIES_COUNT,
	[RTAP_TCP_OUTSIDE] = REPORT_REQUESTS,
};

static void take_tcp(struct report_trace *trace, const struct rtap_packet *packet)
{
	struct report_sequence *sent = &trace->sequences[!packet->flow.from_a], *acknowledged = &trace->sequences[packet->flow.from_a];
	enum report_series series = (enum report_series)series_of_tcp[packet->flow.tcp_analysis];
	const struct rtap_tcp_facts *tcp = &packet->tcp;
	int64_t place;

	if (series != REPORT_SERIES_COUNT) {
		/* apparently another stream: continue at the position of the first one */
		if (packet->flow.tcp_analysis == RTAP_TCP_OUTSIDE)
			sent->last = tcp->sequence;
		place = place_of(sent, tcp->sequence, 32);
		if (place > sent->place) {
			sent->place = place;
			sent->last = tcp->sequence;
		}
		add(sent, series, place, tcp->sequence, packet);
	}
	if (tcp->flags & RTAP_TCP_FLAG_ACK && acknowledged->begun)
		add(acknowledged, REPORT_ACKS, place_of(acknowledged, tcp->acknowledgment, 32), tcp->acknowledgment, packet);
}

void report_packet(struct report *report, const struct rtap_packet *packet)
{
	struct report_trace *trace = report->last;

	report_signal(report, packet);
	if (!packet->flow.present || (!packet->ib.has_bth && !packet->tcp.present))
		return;
	report_recovery(report, packet);
	if (!trace || trace->number != packet->flow.connection)
		trace = report_trace_of(report, packet->flow.connection);
	if (!trace)
		trace = trace_begin(report, packet);
	report->last = trace;
	if (!trace)
		return;
	if (packet->flow.analysis != RTAP_PSN_CAPTURED_TWICE && packet->flow.tcp_analysis != RTAP_TCP_CAPTURED_TWICE)
		report_throughput_add(&trace->throughput, packet->frame->time_ns, !packet->flow.from_a, erf_wire_length(packet));
	if (packet->ib.has_bth)
		take_ib(trace, packet);
	else
		take_tcp(trace, packet);
}

/* Points of `other` are relative to its own first number. */
static void sequence_merge(struct report_sequence *sequence, struct report_sequence *other)
{
	if (!sequence->begun) {
		sequence->begun = other->begun;
		sequence->first = other->first;
		sequence->last = other->last;
		sequence->place = other->place;
	} else if (other->begun) {
		int64_t shift = place_of(sequence, other->last, 24) - other->place;

		for (int i = 0; i < REPORT_SERIES_COUNT; i++)
			for (uint32_t point = 0; point < other->series[i].count; point++)
				((struct report_packet *)other->series[i].list)[point].spot.place += shift;
		if (other->place + shift > sequence->place) {
			sequence->place = other->place + shift;
			sequence->last = other->last;
		}
	}
	for (int i = 0; i < REPORT_SERIES_COUNT; i++)
		report_points_merge(&sequence->series[i], &other->series[i]);
}

void report_merge(struct report *report, uint64_t from, uint64_t into, bool turned)
{
	struct report_trace *other = report_trace_of(report, from), *trace = report_trace_of(report, into);

	for (uint32_t i = 0; i < report->recoveries.count; i++) {
		struct report_recovery *recovery = (struct report_recovery *)report->recoveries.list + i;

		if (recovery->connection != from)
			continue;
		recovery->connection = into;
		recovery->from_a ^= turned;
	}
	if (!other)
		return;
	report->last = NULL;
	if (!trace && !turned) {
		other->number = into;
		return;
	}
	if (!trace) {
		struct report_sequence swapped = other->sequences[0];

		struct report_throughput unturned = other->throughput;

		other->sequences[0] = other->sequences[1];
		other->sequences[1] = swapped;
		other->throughput = (struct report_throughput){ .width_ns = 0 };
		report_throughput_merge(&other->throughput, &unturned, true);
		other->number = into;
		return;
	}
	for (int i = 0; i < 2; i++)
		sequence_merge(&trace->sequences[i ^ turned], &other->sequences[i]);
	report_points_merge(&trace->calls, &other->calls);
	report_throughput_merge(&trace->throughput, &other->throughput, turned);
	if (other->first_frame < trace->first_frame)
		trace->first_frame = other->first_frame;
	trace->missed += other->missed;
	for (unsigned i = 0; i < report->trace_count; i++)
		if (report->traces[i] == other)
			report->traces[i] = report->traces[--report->trace_count];
	trace_destroy(other);
}

void report_destroy(struct report *report)
{
	if (!report)
		return;
	for (unsigned i = 0; i < report->trace_count; i++)
		trace_destroy(report->traces[i]);
	report_points_clear(&report->recoveries);
	free(report->signals);
	free(report);
}
