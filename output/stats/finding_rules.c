/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules of findings.h, and what most of them count. */
#include "config.h"

#include <stddef.h>

#include "output/stats/findings.h"
#include "output/stats/findings_operation.h"
#include "output/stats/findings_take.h"
#include "output/stats/findings_waits.h"

/* Minimum duration in which losses were possible before a cluster within one second is reported. */
#define CLUSTER_NS INT64_C(10000000000)

/* NAKs and CNPs are compared with the packets of the other end. */
static void look_refused(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	findings_take(finding, stats_event_of(&connection->directions[finding->direction], finding->rule->counts.event));
	finding->of = connection->directions[!finding->direction].packets;
}

static void look_marked(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	if (!connection->reported || stats_event_of(&connection->directions[!finding->direction], STATS_CNP)->count)
		return;
	findings_take(finding, stats_event_of(&connection->directions[finding->direction], STATS_CE_MARK));
	finding->of = connection->directions[finding->direction].packets;
}

static bool is_reliable(const struct stats_connection *connection)
{
	return connection->reported && (connection->shown.transport == RTAP_TRANSPORT_RC || connection->shown.transport == RTAP_TRANSPORT_XRC);
}

static void look_lost(const struct stats_connection *connection, struct finding *finding)
{
	finding->count = connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED];
	finding->of = connection->shown.packets + finding->count;
}

/* A reliable service retransmits lost packets; so packets never captured were lost by the capture, unless the receiver may lack them. */
static void look_not_captured(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	if (is_reliable(connection)) {
		look_lost(connection, finding);
		finding->count -= connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED_UNACKNOWLEDGED];
	}
}

static void look_unreliable(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	if (connection->reported && connection->shown.transport == RTAP_TRANSPORT_UC)
		look_lost(connection, finding);
}

static void look_terminated(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_operations *terminates = connection->directions[finding->direction].operations[RTAP_KIND_TERMINATE];

	(void)stats;
	finding->count = terminates ? terminates->messages : 0;
}

static void look_bad_fpdus(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	finding->count = connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_BAD_FPDU_CRC];
}

static bool is_iwarp(const struct stats_connection *connection)
{
	return connection->reported && connection->shown.transport == RTAP_TRANSPORT_IWARP;
}

static void look_repeats(const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_direction *direction = &connection->directions[finding->direction];

	findings_take(finding, stats_event_of(direction, STATS_RETRANSMISSION));
	finding->of = direction->packets;
}

static void look_retransmissions(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	if (!is_iwarp(connection))
		look_repeats(connection, finding);
}

static void look_segments(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	if (is_iwarp(connection))
		look_repeats(connection, finding);
}

/* Within less than CLUSTER_NS, losses close together are not significant. */
static void look_cluster(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_direction *direction = &connection->directions[finding->direction];
	const struct stats_burst *burst = &stats_incidents_of(direction)->worst_burst;

	(void)stats;
	if (!direction->packets || ns_elapsed(direction->first_ns, direction->last_ns) < CLUSTER_NS)
		return;
	findings_take(finding, &burst->occurrences);
	finding->of = direction->retransmission_runs;
	finding->has_begin = true;
	finding->begin_ns = burst->begin_ns;
}

/* Time lost that is reported regardless of the number of recoveries. */
#define LOST_NS INT64_C(100000000)
/* Number of recoveries that is reported regardless of the time lost. */
#define RECOVERIES 3
/* The usual retry count if the negotiated one is unknown. IBTA vol. 1, 12.7.38: three bits. */
#define USUAL_RETRIES 7

static void look_recovery(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	enum rtap_recovery cause = (enum rtap_recovery)finding->rule->counts.cause;
	const struct stats_direction *direction = &connection->directions[finding->direction];
	const struct stats_recovery *recovery = &stats_incidents_of(direction)->recoveries[cause];
	const struct stats_direction *other = &connection->directions[!finding->direction];
	int64_t first_ns = direction->first_ns, last_ns = direction->last_ns;

	(void)stats;
	if (recovery->occurrences.count < RECOVERIES && recovery->time_lost_ns < LOST_NS)
		return;
	if (other->packets) {
		first_ns = other->first_ns < first_ns ? other->first_ns : first_ns;
		last_ns = other->last_ns > last_ns ? other->last_ns : last_ns;
	}
	findings_take(finding, &recovery->occurrences);
	finding->recovery = recovery;
	finding->cause = (uint8_t)cause;
	finding->of_ns = ns_elapsed(first_ns, last_ns);
	if (cause == RTAP_RECOVERY_RNR)
		finding->asked_ns = (int64_t)other->rnr_wait_us * 1000;
	if (cause == RTAP_RECOVERY_TIMEOUT && connection->shown.retries_known)
		finding->retries = &connection->shown;
}

/* The last activity of an end was to retransmit the same packet as often as permitted. */
static void look_retries(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_direction *direction = &connection->directions[finding->direction];
	const struct stats_incidents *incidents = stats_incidents_of(direction);
	unsigned retries = connection->shown.retries_known ? connection->shown.retry_count : USUAL_RETRIES;

	(void)stats;
	if (!connection->reported || !retries || direction->attempts < retries || !incidents->recoveries[RTAP_RECOVERY_TIMEOUT].occurrences.count)
		return;
	findings_take(finding, &incidents->recoveries[RTAP_RECOVERY_TIMEOUT].occurrences);
	finding->count = direction->attempts;
	finding->first_frame = finding->last_frame;
	finding->first_ns = finding->last_ns;
}

static void look_adaptive(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_recovery *recovery = &stats_incidents_of(&connection->directions[finding->direction])->recoveries[RTAP_RECOVERY_TIMEOUT];

	(void)stats;
	findings_take(finding, &recovery->occurrences);
	finding->count = recovery->doubled;
}

/* Packets on several paths overtake each other: fewer path changes are paths that were abandoned. */
static void look_sprayed(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)stats;
	finding->count = connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_PATH_CHANGE];
	finding->of = connection->shown.packets;
}

#define SPRAYED_LEAST 10
#define SPRAYED_PERMILLE 10

/* Only what the other end requested again: late packets that are accepted are harmless. */
static void look_reordered(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_direction *direction = &connection->directions[finding->direction];
	const struct stats_direction *other = &connection->directions[!finding->direction];
	uint64_t changes = connection->shown.anomaly_counts[RTAP_CONNECTION_ANOMALY_PATH_CHANGE];

	(void)stats;
	if (!stats_event_of(direction, STATS_AFTER_NAK)->count && !stats_event_of(other, STATS_AFTER_HOLE)->count &&
	    !(direction->is_tcp && stats_event_of(direction, STATS_RETRANSMISSION)->count))
		return;
	if (changes >= SPRAYED_LEAST && changes >= connection->shown.packets / 1000 * SPRAYED_PERMILLE)
		return;
	findings_take(finding, stats_event_of(direction, STATS_OUT_OF_ORDER));
	finding->of = direction->packets;
}

/* The class with fewer packets, of two. */
static void look_classes(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	uint16_t class[2] = { 0, 0 }, known;
	uint64_t packets[2];

	(void)stats;
	for (int i = 0; i < 2; i++)
		packets[i] = congestion_main_class(&connection->directions[i], &class[i]);
	known = class[0] & class[1] & (CLASS_HAS_DSCP | CLASS_HAS_PCP);
	if (!connection->reported || !((known & CLASS_HAS_DSCP && CLASS_DSCP(class[0]) != CLASS_DSCP(class[1])) ||
				   (known & CLASS_HAS_PCP && CLASS_PCP(class[0]) != CLASS_PCP(class[1]))))
		return;
	finding->count = packets[0] < packets[1] ? packets[0] : packets[1];
	finding->of = packets[0] + packets[1];
}

static void look_storm(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct congestion_cnps *cnps = connection->directions[finding->direction].cnps;

	(void)stats;
	if (!cnps || !cnps->worst_storm.count)
		return;
	finding->count = cnps->worst_storm.count;
	finding->first_frame = cnps->worst_storm.first_frame;
	finding->last_frame = cnps->worst_storm.last_frame;
	finding->has_begin = true;
	finding->begin_ns = cnps->worst_storm.begin_ns;
}

static void look_ignored(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct congestion_cnps *cnps = connection->directions[finding->direction].cnps;

	(void)stats;
	if (!cnps)
		return;
	finding->count = cnps->not_slower;
	finding->of = cnps->measured;
	finding->first_frame = cnps->first_frame;
	finding->last_frame = cnps->last_frame;
}

/* Problems of one connection can be too small a part of the sum to be found. */
static void look_summed(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)connection;
	finding->count = stats->summed;
	finding->of = stats->connections;
}

static void look_pauses(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	(void)connection;
	if (!stats->pauses)
		return;
	finding->count = stats->pauses->frames;
	finding->first_frame = stats->pauses->first_frame;
	finding->last_frame = stats->pauses->last_frame;
}

/* The port and priority with the longest pause. */
static void look_paused(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	uint64_t longest_ns = 0;

	(void)connection;
	for (unsigned i = 0; stats->pauses && i < stats->pauses->count; i++) {
		const struct congestion_port *port = &stats->pauses->ports[i];
		uint64_t paused_ns = congestion_paused_ns(port, stats->last_ns);

		if (paused_ns <= longest_ns)
			continue;
		longest_ns = paused_ns;
		finding->first_frame = port->first_frame;
		finding->last_frame = port->last_frame;
	}
	finding->count = longest_ns / 1000;
	finding->of = (uint64_t)ns_elapsed(stats->first_ns, stats->last_ns) / 1000;
}

static void look_tcp_recovery(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	enum rtap_recovery cause = (enum rtap_recovery)finding->rule->counts.cause;
	const struct stats_direction *direction = &connection->directions[finding->direction];
	const struct stats_occurrences *occurrences = &stats_incidents_of(direction)->recoveries[cause].occurrences;
	int64_t lost_ns = stats_lost_to(stats, direction, cause);

	if (cause != RTAP_RECOVERY_ZERO_WINDOW && occurrences->count < RECOVERIES && lost_ns < LOST_NS)
		return;
	findings_take(finding, occurrences);
	finding->lost_ns = (uint64_t)lost_ns;
}

static void look_credits(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_direction *direction = &connection->directions[finding->direction];

	(void)stats;
	if (direction->least_credits && direction->most_calls_in_flight >= direction->least_credits)
		finding->count = direction->most_calls_in_flight;
}

static void look_rpc_latency(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_rpc *row = finding->rpc;

	(void)stats;
	(void)connection;
	if (!row->is_operation && findings_take_latency(&row->latency_ns, row->slowest_frame, finding))
		finding->connection = row->slowest_connection;
}

/* Connections with operations of an upper layer are checked by operation_latency instead. */
static void look_latency(const struct stats *stats, const struct stats_connection *connection, struct finding *finding)
{
	const struct stats_operations *operations = connection->directions[finding->direction].operations[finding->kind];

	(void)stats;
	if (!connection->directions[0].calls && !connection->directions[1].calls && !connection->directions[0].requests &&
	    !connection->directions[1].requests)
		findings_take_latency(&operations->latency_ns, operations->slowest_frame, finding);
}

static const struct finding_times gap_times = { { "longest", "the timeout" }, { "longest_gap", "keep_alive_timeout" } };
static const struct finding_times slow_times = { { "longest", "together" }, { "longest_latency", "total_latency" } };
static const struct finding_times own_times = { { "longest", "all hosts" }, { "longest_delay", "own_delays" } };
static const struct finding_times delay_times = { { "longest", "within" }, { "longest_delay", "within" } };
static const struct finding_times mean_times = { { "mean latency", "that of the others" }, { "mean_latency", "mean_latency_others" } };

/* struct finding_counts: only `look` counts; an event; an event, or nothing, with the cause that `look` is about; occurrences, alone or as a part. */
#define NOTHING { NO_EVENT, 0, 0, 0 }
#define EVENT(event) { event, 0, 0, 0 }
#define EVENT_CAUSE(event, cause) { event, cause, 0, 0 }
#define CAUSE(cause) { NO_EVENT, cause, 0, 0 }
#define OCCURRENCES(type, member) { NO_EVENT, 0, 1 + offsetof(struct type, member), 0 }
#define PART(type, member, whole) { NO_EVENT, 0, 1 + offsetof(struct type, member), 1 + offsetof(struct type, whole) }

const struct finding_rule finding_rules[] = {
	{ "bad_icrc", FINDING_ERROR, FINDING_CAPTURE, PART(stats, bad_icrc, rdma_packets), 1, 0,
	  "packets with a wrong invariant CRC", "packets of RDMA", NULL, NULL },
	{ "remote_access_error", FINDING_ERROR, FINDING_DIRECTION, EVENT(STATS_NAK_ACCESS), 1, 0,
	  "NAKs, remote access error (a key, an address or a permission that this end did not grant)", NULL, NULL, NULL },
	{ "terminated", FINDING_ERROR, FINDING_DIRECTION, NOTHING, 1, 0,
	  "Terminates of iWARP (this end closed the connection because of an error)", NULL, look_terminated, NULL },
	{ "bad_fpdu_crc", FINDING_ERROR, FINDING_CONNECTION, NOTHING, 1, 0,
	  "FPDUs of iWARP with a wrong CRC", NULL, look_bad_fpdus, NULL },
	{ "invalid_request", FINDING_ERROR, FINDING_DIRECTION, EVENT(STATS_NAK_INVALID_REQUEST), 1, 0,
	  "NAKs, invalid request (an operation or a length that this end does not accept)", NULL, NULL, NULL },
	{ "operational_error", FINDING_ERROR, FINDING_DIRECTION, EVENT(STATS_NAK_OPERATION), 1, 0,
	  "NAKs, remote operational error (this end could not carry out a request)", NULL, NULL, NULL },
	{ "unanswered", FINDING_ERROR, FINDING_DIRECTION, EVENT(STATS_UNANSWERED), 1, 0,
	  "requests without an answer for a second or more", NULL, NULL, NULL },
	{ "retries_exhausted", FINDING_ERROR, FINDING_DIRECTION, EVENT(STATS_AFTER_TIMEOUT), 1, 0,
	  "retries of the same request without an answer, up to the end (the retry count is used up)", NULL, look_retries, NULL },
	{ "rnr_given_up", FINDING_ERROR, FINDING_DIRECTION, EVENT(STATS_RNR_GIVEN_UP), 1, 0,
	  "requests given up after RNR NAKs (the other end had posted no receive)", NULL, NULL, NULL },
	{ "rpc_rejected", FINDING_ERROR, FINDING_RPC, PART(stats_rpc, first_rejected, replies), 1, 0,
	  "calls rejected by RPC or RPC-over-RDMA", "replies", NULL, NULL },
	{ "operations_unanswered", FINDING_ERROR, FINDING_REQUESTS, PART(stats_requests, overdue, work.count), 1, 0,
	  "operations without a response for a second or more", "operations", NULL, NULL },
	{ "keep_alives_unanswered", FINDING_ERROR, FINDING_REQUESTS, OCCURRENCES(stats_requests, keep_alives_overdue), 1, 0,
	  "keep-alives without a response for a second or more", NULL, NULL, NULL },
	{ "device_errors", FINDING_ERROR, FINDING_REQUESTS, PART(stats_requests, device_errors, work.count), 1, 0,
	  "operations that failed with an error of the device or the medium", "operations", NULL, NULL },
	{ "connect_unanswered", FINDING_ERROR, FINDING_CAPTURE, OCCURRENCES(stats, cm_unanswered), 1, 0,
	  "connection attempts without an answer for a second or more", NULL, NULL, NULL },
	{ "one_direction", FINDING_WARNING, FINDING_ONE_WAY, NOTHING, 1, 0,
	  "connections captured in one direction only: missing answers are not reported", "connections", NULL, NULL },
	{ "rejected", FINDING_WARNING, FINDING_CAPTURE, OCCURRENCES(stats, rejected), 1, 0,
	  "rejected connection attempts", NULL, NULL, NULL },
	{ "cm_repeats", FINDING_WARNING, FINDING_CAPTURE, OCCURRENCES(stats, cm_repeats), 1, 0,
	  "repeated REQs, REPs and DREQs of communication management (responses were lost or late)", NULL, NULL, NULL },
	{ "slow_setup", FINDING_WARNING, FINDING_CAPTURE, PART(stats, slow_setups, setup_ns.count), 1, 0,
	  "connections with a setup time (REQ to RTU) of a second or more", "connections set up", NULL, NULL },
	{ "missed_keep_alives", FINDING_WARNING, FINDING_GROUP, NOTHING, 1, 0,
	  "times without any request for longer than the keep-alive timeout", NULL, findings_operation_missed, &gap_times },
	{ "aborts", FINDING_WARNING, FINDING_REQUESTS, OCCURRENCES(stats_requests, aborts), 1, 0,
	  "requests to abort operations or to reset (the requester's timer expired)", NULL, NULL, NULL },
	{ "aborted", FINDING_WARNING, FINDING_REQUESTS, PART(stats_requests, aborted, work.count), 1, 0,
	  "operations that were aborted", "operations", NULL, NULL },
	{ "slow_device", FINDING_WARNING, FINDING_REQUESTS, NOTHING, 3, 0,
	  "operations of 50 ms or more, at least half of it before the first or after the last data: the device", "operations",
	  findings_operation_slow_device, &slow_times },
	{ "slow_network", FINDING_WARNING, FINDING_REQUESTS, NOTHING, 1, 0,
	  "operations of 50 ms or more, at least half of it lost to recoveries: the network", "operations", findings_operation_slow_network, &slow_times },
	{ "retransmissions", FINDING_WARNING, FINDING_DIRECTION, NOTHING, 10, 10,
	  "retransmitted packets", "packets", look_retransmissions, NULL },
	{ "tcp_retransmissions", FINDING_WARNING, FINDING_DIRECTION, NOTHING, 10, 10,
	  "retransmitted TCP segments of iWARP", "packets", look_segments, NULL },
	{ "timeouts", FINDING_WARNING, FINDING_DIRECTION, EVENT_CAUSE(STATS_AFTER_TIMEOUT, RTAP_RECOVERY_TIMEOUT), 1, 0,
	  "retransmission timeouts", NULL, look_recovery, NULL },
	{ "rnr_waits", FINDING_WARNING, FINDING_DIRECTION, EVENT_CAUSE(STATS_AFTER_NAK, RTAP_RECOVERY_RNR), 1, 0,
	  "RNR waits (the other end had posted no receive)", NULL, look_recovery, NULL },
	{ "nak_recoveries", FINDING_WARNING, FINDING_DIRECTION, EVENT_CAUSE(STATS_AFTER_NAK, RTAP_RECOVERY_SEQUENCE_NAK), 1, 0,
	  "recoveries from loss reported by a sequence NAK", NULL, look_recovery, NULL },
	{ "response_recoveries", FINDING_WARNING, FINDING_DIRECTION, EVENT_CAUSE(STATS_AFTER_HOLE, RTAP_RECOVERY_IMPLIED_NAK), 1, 0,
	  "recoveries from lost READ responses", NULL, look_recovery, NULL },
	{ "tcp_timeouts", FINDING_WARNING, FINDING_DIRECTION, CAUSE(RTAP_RECOVERY_TCP_TIMEOUT), 1, 0,
	  "retransmission timeouts of TCP under iWARP", NULL, look_tcp_recovery, NULL },
	{ "tcp_fast_retransmits", FINDING_WARNING, FINDING_DIRECTION, CAUSE(RTAP_RECOVERY_FAST_RETRANSMIT), 1, 0,
	  "fast retransmits of TCP under iWARP (the receiver reported segments missing)", NULL, look_tcp_recovery, NULL },
	{ "zero_windows", FINDING_WARNING, FINDING_DIRECTION, CAUSE(RTAP_RECOVERY_ZERO_WINDOW), 1, 0,
	  "zero windows of TCP under iWARP (the other end did not read)", NULL, look_tcp_recovery, NULL },
	{ "sequence_naks", FINDING_WARNING, FINDING_DIRECTION, EVENT(STATS_NAK_SEQUENCE), 5, 1,
	  "NAKs, PSN sequence error (packets to this end were lost or arrived out of order)", "packets to it", look_refused, NULL },
	{ "rnr_naks", FINDING_WARNING, FINDING_DIRECTION, EVENT(STATS_RNR), 3, 1,
	  "RNR NAKs (this end had posted no receive)", "packets to it", look_refused, NULL },
	{ "read_restarts", FINDING_WARNING, FINDING_DIRECTION, EVENT(STATS_READ_RESTART), 3, 0,
	  "retransmitted READ requests (responses were lost or late)", NULL, NULL, NULL },
	{ "ce_without_cnp", FINDING_WARNING, FINDING_DIRECTION, EVENT(STATS_CE_MARK), 10, 1,
	  "packets marked by ECN without a CNP to their sender", "packets", look_marked, NULL },
	{ "traffic_class", FINDING_WARNING, FINDING_CONNECTION, NOTHING, 10, 0,
	  "packets of an end whose traffic class (DSCP, VLAN priority) differs from the other end's", "packets", look_classes, NULL },
	{ "cnp_storm", FINDING_WARNING, FINDING_DIRECTION, NOTHING, 100, 0,
	  "CNPs within 0.1 s (the other end cannot increase its rate between them)", NULL, look_storm, NULL },
	{ "cnp_ignored", FINDING_WARNING, FINDING_DIRECTION, NOTHING, 3, 500,
	  "CNPs after which this end did not reduce its rate", "CNPs with a rate before and after", look_ignored, NULL },
	{ "paused", FINDING_WARNING, FINDING_CAPTURE, NOTHING, 1, 10,
	  "microseconds for which one port and priority paused its neighbour", "microseconds", look_paused, NULL },
	{ "unreliable_loss", FINDING_WARNING, FINDING_CONNECTION, NOTHING, 1, 0,
	  "packets of an unreliable connection that are missing (lost by the network or by the capture)", "packets", look_unreliable, NULL },
	{ "rpc_unanswered", FINDING_WARNING, FINDING_RPC, PART(stats_rpc, overdue, calls), 1, 0,
	  "calls without a reply for a second or more", "calls", NULL, NULL },
	{ "straggler", FINDING_WARNING, FINDING_JOB, NOTHING, 1, 0,
	  "transfers that a host of a job delayed while it waited for nothing itself", "transfers", findings_waits_straggler, &own_times },
	{ "network_delays", FINDING_WARNING, FINDING_REQUESTS, CAUSE(STATS_DELAY_NETWORK), 1, 0,
	  "transfers delayed by the network", "transfers", findings_waits_delay, &delay_times },
	{ "reconnects", FINDING_WARNING, FINDING_GROUP, NOTHING, 1, 0,
	  "connections set up within a minute after another one ended with requests that had no response", NULL, findings_operation_reconnects, NULL },
	{ "credit_waits", FINDING_WARNING, FINDING_REQUESTS, NOTHING, 1, 0,
	  "requests that waited for credits of the other end", "requests", findings_operation_credit_waits, &delay_times },
	{ "last_credits", FINDING_NOTE, FINDING_REQUESTS, PART(stats_requests, last_credits, work.count), 10, 100,
	  "requests after which no credit was left", "requests", NULL, NULL },
	{ "receiver_late", FINDING_NOTE, FINDING_REQUESTS, CAUSE(STATS_DELAY_REQUESTER), 1, 0,
	  "transfers that waited for their receiver", "transfers", findings_waits_delay, &delay_times },
	{ "sender_late", FINDING_NOTE, FINDING_REQUESTS, CAUSE(STATS_DELAY_RESPONDER), 1, 0,
	  "transfers that waited for their sender", "transfers", findings_waits_delay, &delay_times },
	{ "summed_connections", FINDING_WARNING, FINDING_CAPTURE, NOTHING, 1, 0,
	  "connections counted together for lack of memory: only problems of their sum are found (raise --max-memory)", "connections", look_summed, NULL },
	{ "rpc_errors", FINDING_NOTE, FINDING_RPC, PART(stats_rpc, first_error, replies), 10, 200,
	  "replies with an error", "replies", NULL, NULL },
	{ "rpc_latency", FINDING_NOTE, FINDING_RPC, NOTHING, 1, 0,
	  "replies with a latency far above the median", NULL, look_rpc_latency, NULL },
	{ "operation_errors", FINDING_NOTE, FINDING_WORK, PART(stats_work_row, failures, work.count), 10, 200,
	  "operations with an error", "operations", NULL, NULL },
	{ "operation_latency", FINDING_NOTE, FINDING_WORK, NOTHING, 1, 0,
	  "operations with a latency far above the median", NULL, findings_operation_latency, NULL },
	{ "uneven_queues", FINDING_NOTE, FINDING_GROUP, NOTHING, 100, 0,
	  "operations of one queue, far more and slower than those of the other queues of its controller or session", "operations of these queues",
	  findings_operation_uneven, &mean_times },
	{ "not_inline", FINDING_NOTE, FINDING_REQUESTS, NOTHING, 100, 500,
	  "small writes whose data was read by RDMA though requests can carry as much", "small writes", findings_operation_not_inline, NULL },
	{ "slow_operations", FINDING_NOTE, FINDING_KIND, NOTHING, 1, 0,
	  "operations with a latency far above the median", NULL, look_latency, NULL },
	{ "adaptive_retransmission", FINDING_NOTE, FINDING_DIRECTION, EVENT(STATS_AFTER_TIMEOUT), 2, 0,
	  "timeouts twice as long as the previous one (adaptive retransmission)", NULL, look_adaptive, NULL },
	{ "congestion", FINDING_NOTE, FINDING_DIRECTION, EVENT(STATS_CE_MARK), 10, 10,
	  "packets marked by ECN (long queues on their path)", "packets", NULL, NULL },
	{ "cnps", FINDING_NOTE, FINDING_DIRECTION, EVENT(STATS_CNP), 1, 0,
	  "CNPs (packets to this end met congestion)", NULL, NULL, NULL },
	{ "loose_cnps", FINDING_NOTE, FINDING_CAPTURE, OCCURRENCES(stats, unassigned_events[STATS_CNP]), 1, 0,
	  "CNPs of no known connection", NULL, NULL, NULL },
	{ "pauses", FINDING_NOTE, FINDING_CAPTURE, NOTHING, 1, 0,
	  "PAUSE and PFC frames (a receiver paused its neighbour)", NULL, look_pauses, NULL },
	{ "sampled", FINDING_NOTE, FINDING_SAMPLING, NOTHING, 1, 0,
	  "packets missing evenly, though received: the capture is a sample, and loss is not reported", "packets", NULL, NULL },
	{ "sprayed", FINDING_NOTE, FINDING_CONNECTION, NOTHING, SPRAYED_LEAST, SPRAYED_PERMILLE,
	  "changes of the UDP source port (sprayed over several paths, so packets out of order are expected)", "packets", look_sprayed, NULL },
	{ "out_of_order", FINDING_NOTE, FINDING_DIRECTION, NOTHING, 10, 10,
	  "packets out of order, some of which were requested again", "packets", look_reordered, NULL },
	{ "rpc_credits", FINDING_NOTE, FINDING_DIRECTION, NOTHING, 1, 0,
	  "outstanding calls, as many as credits granted", NULL, look_credits, NULL },
	{ "loss_cluster", FINDING_NOTE, FINDING_DIRECTION, NOTHING, 10, 500,
	  "losses within one second (runs of retransmitted packets or segments)", "losses", look_cluster, NULL },
	{ "capture_loss", FINDING_NOTE, FINDING_CONNECTION, NOTHING, 1, 0,
	  "packets missed by the capture (not lost by the network: not retransmitted)", "packets", look_not_captured, NULL },
};

const unsigned finding_rule_count = sizeof finding_rules / sizeof finding_rules[0];
