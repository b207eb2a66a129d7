/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/flow.h"
#include "output/stats/congestion_form.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/stats/finding_text.h"
#include "output/stats/findings_advice.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_json_parts.h"
#include "output/stats/stats_operation_json.h"
#include "output/stats/stats_waits_json.h"
#include "output/stats/usage_form.h"

static void capture_events(const struct stats *stats, struct line *line)
{
	stats_json_object(line, "events");
	for (int i = 0; i < STATS_EVENT_COUNT; i++) {
		struct stats_occurrences sum = stats_sum(stats, (enum stats_event)i);

		stats_json_occurrences(stats_event_name((enum stats_event)i), &sum, line);
	}
	line_char(line, '}');
}

static void rejects(const struct stats *stats, struct line *line)
{
	object_key(line, "rejects");
	line_char(line, '[');
	for (unsigned i = 0; i < stats->reject_count; i++) {
		const char *name = reject_reason_name(stats->rejects[i].reason);

		stats_json_element(line, !i);
		object_number(line, "reason", stats->rejects[i].reason);
		if (name)
			object_text(line, "reason_name", name);
		stats_json_occurrences_members(&stats->rejects[i].occurrences, line);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void rates(uint64_t payload, uint64_t messages, int64_t elapsed_ns, struct line *line)
{
	if (stats_rate(payload, elapsed_ns))
		object_number(line, "goodput", stats_rate(payload, elapsed_ns));
	if (stats_rate(messages, elapsed_ns))
		object_number(line, "message_rate", stats_rate(messages, elapsed_ns));
}

static void capture(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats *stats = record->stats;

	stats_json_begin("capture", line);
	object_number(line, "packets", stats->packets);
	object_number(line, "bytes", stats->wire_bytes);
	if (stats->packets) {
		object_time(line, "time", stats->first_ns);
		object_time(line, "time_end", stats->last_ns);
	}
	object_seconds(line, "seconds", ns_elapsed(stats->first_ns, stats->last_ns));
	object_number(line, "rdma_packets", stats->rdma_packets);
	object_number(line, "unassigned_packets", stats->unassigned);
	object_number(line, "connections", stats->connections);
	object_number(line, "connections_summed", stats->summed);
	object_number(line, "messages", stats->messages);
	object_number(line, "incomplete_messages", stats->incomplete);
	object_number(line, "payload", stats_payload(stats));
	rates(stats_payload(stats), stats->messages, ns_elapsed(stats->first_ns, stats->last_ns), line);
	if (stats->uncounted_messages)
		object_number(line, "messages_uncounted", stats->uncounted_messages);
	if (stats->other_rpcs)
		object_number(line, "rpcs_uncounted", stats->other_rpcs);
	if (stats_work_tables(stats)->uncounted)
		object_number(line, "operations_uncounted", stats_work_tables(stats)->uncounted);
	if (stats->other_mads)
		object_number(line, "mads_uncounted", stats->other_mads);
	if (stats->values.unplaced)
		object_number(line, "values_uncounted", stats->values.unplaced);
	if (stats->values.refused)
		object_number(line, "distributions_uncounted", stats->values.refused);
	if (stats->unpatterned)
		object_number(line, "patterns_uncounted", stats->unpatterned);
	if (stats->outside_intervals)
		object_number(line, "intervals_uncounted", stats->outside_intervals);
	stats_json_occurrences("bad_icrc", &stats->bad_icrc, line);
	capture_events(stats, line);
	stats_json_distribution("setup", &stats->setup_ns, true, line);
	stats_json_occurrences("slow_setups", &stats->slow_setups, line);
	stats_json_occurrences("cm_repeats", &stats->cm_repeats, line);
	stats_json_occurrences("cm_unanswered", &stats->cm_unanswered, line);
	rejects(stats, line);
	congestion_ports_json(stats, line);
	object_number(line, "findings", record->findings->found);
	stats_json_end(line);
}

static void finding_ends(const struct stats *stats, const struct finding *found, struct line *line)
{
	const struct stats_connection *connection = finding_connection(stats, found);
	char service[80];
	struct line text;

	if (!connection)
		return;
	end_address_json("from", finding_end(stats, found, false), line);
	end_address_json("to", finding_end(stats, found, true), line);
	line_init(&text, service, sizeof service - 1);
	if (!finding_service(connection, &text))
		return;
	*text.next = 0;
	object_text(line, "service", service);
}

static void finding_recovery(const struct finding *found, struct line *line)
{
	object_seconds(line, "time_lost", found->recovery->time_lost_ns);
	object_seconds(line, "time_lost_of", found->of_ns);
	if (found->recovery->least_ns) {
		object_seconds(line, "spacing_min", found->recovery->least_ns);
		object_seconds(line, "spacing_max", found->recovery->most_ns);
	}
	if (found->recovery->late)
		object_number(line, "late", found->recovery->late);
	if (found->asked_ns)
		object_seconds(line, "asked", found->asked_ns);
}

/* The subject of a finding: a connection, a direction, a kind of message, a procedure or a request of a layer. */
static void finding_subject(const struct finding *found, struct line *line)
{
	if (found->connection)
		object_number(line, "connection", found->connection);
	if (found->direction >= 0)
		object_text(line, "direction", found->direction ? "b>a" : "a>b");
	if (found->kind < RTAP_KIND_COUNT)
		object_text(line, "kind", rtap_message_kind_name((enum rtap_message_kind)found->kind));
	if (found->rpc) {
		if (found->rpc->program_known)
			program_json(found->rpc->program, found->rpc->version, found->rpc->procedure, line);
		if (found->rpc->name)
			object_text(line, "name", found->rpc->name);
	}
	if (found->host_address_length) {
		object_text(line, "layer", found->layer);
		stats_waits_host("host", found->host_address, found->host_address_length, line);
		object_bool(line, "certain", found->is_certain);
	}
	if (found->work) {
		object_text(line, "layer", found->work->layer);
		object_key(line, "name");
		json_string(line, (const uint8_t *)found->work->name, strlen(found->work->name));
	}
}

static void text_of_advice(struct line *line, const char *key, const char *text)
{
	object_key(line, key);
	json_string(line, (const uint8_t *)text, strlen(text));
}

static void finding(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct finding *found = record->what;
	char text[300];
	struct line filter;

	line_init(&filter, text, sizeof text);
	stats_json_begin("finding", line);
	object_number(line, "rank", record->index + 1);
	object_text(line, "rule", found->rule->name);
	object_text(line, "weight", finding_weight_name((enum finding_weight)found->rule->weight));
	finding_subject(found, line);
	object_number(line, "count", found->count);
	if (found->of)
		object_number(line, "of", found->of);
	if (found->recovery)
		finding_recovery(found, line);
	if (found->retries) {
		object_number(line, "ack_timeout", found->retries->ack_timeout);
		object_number(line, "retry_count", found->retries->retry_count);
	}
	if (found->time_ns) {
		object_seconds(line, finding_times_of(found)->keys[0], found->time_ns);
		object_seconds(line, finding_times_of(found)->keys[1], found->usual_ns);
	}
	if (found->lost_ns)
		object_seconds(line, "time_lost", (int64_t)found->lost_ns);
	if (found->has_begin)
		object_time(line, "time", found->begin_ns);
	if (found->first_frame) {
		object_number(line, "first_frame", found->first_frame);
		object_number(line, "last_frame", found->last_frame);
	}
	object_text(line, "words", found->rule->words);
	text_of_advice(line, "cause", finding_advice_of(found->rule)->cause);
	text_of_advice(line, "next", finding_advice_of(found->rule)->next);
	finding_ends(record->stats, found, line);
	if (found->has_times) {
		object_time(line, "first_time", found->first_ns);
		object_time(line, "last_time", found->last_ns);
	}
	finding_filter(record->stats, found, &filter);
	object_key(line, "filter");
	json_string(line, (const uint8_t *)text, (size_t)(filter.next - text));
	stats_json_end(line);
}

static void operations(const struct stats_direction *direction, struct line *line)
{
	bool any = false;

	object_key(line, "operations");
	line_char(line, '[');
	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++) {
		const struct stats_operations *counted = direction->operations[kind];

		if (!counted)
			continue;
		stats_json_element(line, !any);
		any = true;
		object_text(line, "kind", rtap_message_kind_name((enum rtap_message_kind)kind));
		object_number(line, "messages", counted->messages);
		object_number(line, "bytes", counted->bytes);
		object_number(line, "incomplete", counted->incomplete);
		object_number(line, "unanswered", counted->unanswered);
		object_number(line, "refused", counted->refused);
		stats_json_distribution("size", &counted->size, false, line);
		stats_json_distribution("latency", &counted->latency_ns, true, line);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void tcp_recoveries(const struct stats *stats, const struct stats_direction *direction, struct line *line)
{
	for (int cause = RTAP_RECOVERY_FAST_RETRANSMIT; cause < RTAP_RECOVERY_COUNT; cause++) {
		const struct stats_occurrences *counted = &stats_incidents_of(direction)->recoveries[cause].occurrences;

		if (!counted->count)
			continue;
		stats_json_object(line, flow_recovery_name((uint8_t)cause));
		object_number(line, "count", counted->count);
		object_seconds(line, "time_lost", stats_lost_to(stats, direction, (enum rtap_recovery)cause));
		object_number(line, "first_frame", counted->first_frame);
		object_number(line, "last_frame", counted->last_frame);
		line_char(line, '}');
	}
}

static void recoveries(const struct stats *stats, const struct stats_direction *direction, struct line *line)
{
	const struct stats_recovery *counted = stats_incidents_of(direction)->recoveries;

	stats_json_object(line, "recoveries");
	for (int cause = RTAP_RECOVERY_NONE + 1; cause < RTAP_RECOVERY_FAST_RETRANSMIT; cause++) {
		if (!counted[cause].occurrences.count)
			continue;
		stats_json_object(line, flow_recovery_name((uint8_t)cause));
		stats_json_occurrences_members(&counted[cause].occurrences, line);
		object_seconds(line, "time_lost", counted[cause].time_lost_ns);
		if (counted[cause].least_ns) {
			object_seconds(line, "spacing_min", counted[cause].least_ns);
			object_seconds(line, "spacing_max", counted[cause].most_ns);
		}
		object_number(line, "attempts_max", counted[cause].most_attempts);
		if (counted[cause].late)
			object_number(line, "late", counted[cause].late);
		line_char(line, '}');
	}
	tcp_recoveries(stats, direction, line);
	line_char(line, '}');
	object_seconds(line, "time_lost", stats_time_lost(stats, direction));
}

static void reordering(const struct stats_reordering *counted, struct line *line)
{
	if (!counted->count)
		return;
	stats_json_object(line, "reordering");
	object_number(line, "count", counted->count);
	object_number(line, "packets_mean", (counted->packets + counted->count / 2) / counted->count);
	object_number(line, "packets_max", counted->most_packets);
	object_seconds(line, "time_mean", counted->sum_ns / (int64_t)counted->count);
	object_seconds(line, "time_max", counted->most_ns);
	line_char(line, '}');
}

static void one_direction(const struct stats *stats, const struct stats_direction *direction, const char *name, struct line *line)
{
	line_char(line, '{');
	object_text(line, "direction", name);
	object_number(line, "packets", direction->packets);
	object_number(line, "bytes", direction->wire_bytes);
	object_number(line, "data_packets", direction->data_packets);
	object_number(line, "payload", direction->payload_bytes);
	object_number(line, "repeated_bytes", stats_repeated(direction));
	object_number(line, "repeated_payload", stats_repeated(direction)); /* former name of repeated_bytes */
	object_seconds(line, "seconds", ns_elapsed(direction->first_ns, direction->last_ns));
	rates(direction->payload_bytes, stats_messages(direction), ns_elapsed(direction->first_ns, direction->last_ns), line);
	operations(direction, line);
	stats_json_object(line, "events");
	for (int i = 0; i < STATS_EVENT_COUNT; i++)
		stats_json_occurrences(stats_event_name((enum stats_event)i), stats_event_of(direction, (enum stats_event)i), line);
	line_char(line, '}');
	recoveries(stats, direction, line);
	reordering(&stats_incidents_of(direction)->reordering, line);
	if (direction->rnr_wait_us)
		object_seconds(line, "rnr_wait", (int64_t)direction->rnr_wait_us * 1000);
	congestion_json(direction, line);
	stats_json_distribution("cnp_reaction", direction->reaction_ns, true, line);
	if (direction->requests)
		stats_requests_json(direction->requests, line);
	if (direction->reads)
		object_number(line, "read_depth", direction->reads->most);
	if (direction->calls || direction->replies) {
		object_number(line, "rpc_calls", direction->calls);
		object_number(line, "rpc_replies", direction->replies);
		if (direction->most_calls_in_flight)
			object_number(line, "rpc_depth", direction->most_calls_in_flight);
	}
	if (direction->most_credits) {
		object_number(line, "rpc_credits_min", direction->least_credits);
		object_number(line, "rpc_credits_max", direction->most_credits);
	}
	line_char(line, '}');
}

static void one_end(const char *key, const struct rtap_end *one, struct line *line)
{
	stats_json_object(line, key);
	end_address_json("addr", one, line);
	if (one->port_known)
		object_number(line, "port", one->port);
	if (one->qpn_known)
		object_number(line, "qpn", one->qpn);
	line_char(line, '}');
}

static void connection(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_connection *counted = record->what;
	const struct stats_shown *shown = &counted->shown;

	stats_json_begin("connection", line);
	if (counted->reported) {
		object_number(line, "connection", shown->number);
		object_text(line, "transport", rtap_transport_name((enum rtap_transport)shown->transport));
		one_end("a", &shown->a, line);
		one_end("b", &shown->b, line);
		object_time(line, "time", shown->time_ns);
		object_time(line, "time_end", shown->time_end_ns);
	} else {
		object_number(line, "summed", record->stats->summed);
	}
	stats_json_object(line, "anomalies");
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		if (shown->anomaly_counts[i])
			object_number(line, rtap_connection_anomaly_name((enum rtap_connection_anomaly)i), shown->anomaly_counts[i]);
	line_char(line, '}');
	if (counted->usage)
		usage_json("usage", counted->usage, line);
	object_key(line, "directions");
	line_char(line, '[');
	one_direction(record->stats, &counted->directions[0], "a>b", line);
	line_char(line, ',');
	one_direction(record->stats, &counted->directions[1], "b>a", line);
	line_char(line, ']');
	stats_json_end(line);
}

static void statuses(const struct stats_rpc *row, struct line *line)
{
	object_key(line, "statuses");
	line_char(line, '[');
	for (unsigned i = 0; i < row->status_count; i++) {
		const struct stats_status *status = &row->statuses[i];

		stats_json_element(line, !i);
		if (status->name)
			object_text(line, "status", status->name);
		else
			object_number(line, "status_number", status->number);
		stats_json_occurrences_members(&status->occurrences, line);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void rpc(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_rpc *row = record->what;

	stats_json_begin("rpc", line);
	if (row->program_known)
		program_json(row->program, row->version, row->procedure, line);
	if (row->is_operation)
		object_number(line, "operation", row->operation);
	if (row->name)
		object_text(line, "name", row->name);
	object_number(line, "calls", row->calls);
	object_number(line, "replies", row->replies);
	object_number(line, "errors", row->errors);
	statuses(row, line);
	stats_json_distribution("latency", &row->latency_ns, true, line);
	if (!row->is_operation) {
		object_number(line, "rejected", row->rejected);
		object_number(line, "unanswered", row->unanswered);
		object_number(line, "repeats", row->repeats);
		object_number(line, "call_bytes", row->call_bytes);
		object_number(line, "reply_bytes", row->reply_bytes);
		object_number(line, "with_read_chunks", row->with_read_chunks);
		object_number(line, "with_write_chunks", row->with_write_chunks);
		object_number(line, "with_reply_chunk", row->with_reply_chunk);
	}
	stats_json_end(line);
}

static void mad(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_mad *counted = record->what;

	stats_json_begin("mad", line);
	object_number(line, "class", counted->management_class);
	if (counted->class_name)
		object_text(line, "class_name", counted->class_name);
	object_number(line, "method", counted->method);
	if (counted->method_name)
		object_text(line, "method_name", counted->method_name);
	object_number(line, "attribute", counted->attribute);
	if (counted->attribute_name)
		object_text(line, "attribute_name", counted->attribute_name);
	stats_json_occurrences_members(&counted->occurrences, line);
	object_number(line, "bytes", counted->bytes);
	object_number(line, "errors", counted->errors);
	stats_json_distribution("latency", &counted->latency_ns, true, line);
	stats_json_end(line);
}

static void interval(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats *stats = record->stats;
	const struct stats_interval *counted = record->what;

	stats_json_begin("interval", line);
	object_time(line, "time", (int64_t)((uint64_t)stats->begin_ns + record->index * (uint64_t)stats->interval_ns));
	object_seconds(line, "seconds", stats->interval_ns);
	object_number(line, "packets", counted->packets);
	object_number(line, "bytes", counted->bytes);
	object_number(line, "messages", counted->messages);
	object_number(line, "retransmissions", counted->retransmissions);
	object_number(line, "naks", counted->naks);
	object_number(line, "cnps", counted->cnps);
	object_number(line, "ce_marks", counted->ce_marks);
	stats_json_end(line);
}

const struct stats_form stats_json_form = {
	capture, finding, connection, stats_operation_json, stats_object_json, rpc, mad, interval, stats_job_json, stats_host_json,
};
