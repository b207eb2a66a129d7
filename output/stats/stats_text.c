/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/packet/clock.h"
#include "output/stats/congestion_form.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/stats/stats_form.h"

static void count(uint64_t number, const char *what, struct line *line)
{
	line_dec(line, number);
	line_char(line, ' ');
	line_text(line, what);
	if (number != 1)
		line_char(line, 's');
}

static void frames(const struct stats_occurrences *occurrences, struct line *line)
{
	line_text(line, occurrences->first_frame == occurrences->last_frame ? " (frame " : " (frames ");
	line_dec(line, occurrences->first_frame);
	if (occurrences->first_frame != occurrences->last_frame) {
		line_char(line, '-');
		line_dec(line, occurrences->last_frame);
	}
	line_char(line, ')');
}

static void value(uint64_t number, bool is_time, struct line *line)
{
	if (is_time)
		line_seconds(line, (int64_t)number);
	else
		line_dec(line, number);
}

static void labelled(const char *label, uint64_t number, struct line *line)
{
	line_text(line, label);
	line_dec(line, number);
}

/* Printed only if there is any. */
static void labelled_if(const char *label, uint64_t number, struct line *line)
{
	if (number)
		labelled(label, number, line);
}

static void distribution(const char *label, const struct histogram *histogram, bool is_time, struct line *line)
{
	static const char *const labels[] = { " p50 ", " p90 ", " p99 ", " p99.9 " };
	static const unsigned permilles[] = { 500, 900, 990, 999 };
	uint64_t percentiles[4];

	if (!histogram || !histogram->count)
		return;
	line_text(line, label);
	if (histogram->least == histogram->largest) {
		line_char(line, ' ');
		value(histogram->largest, is_time, line);
		line_text(line, is_time ? " s" : "");
		return;
	}
	histogram_percentiles(histogram, permilles, 4, percentiles);
	for (unsigned i = 0; i < 4; i++) {
		line_text(line, labels[i]);
		value(percentiles[i], is_time, line);
	}
	line_text(line, " max ");
	value(histogram->largest, is_time, line);
	if (is_time)
		line_text(line, " s");
}

static void event(enum stats_event event, const struct stats_occurrences *counted, const char *before, struct line *line)
{
	if (!counted->count)
		return;
	line_text(line, before);
	line_text(line, stats_event_name(event));
	line_char(line, ' ');
	line_dec(line, counted->count);
	frames(counted, line);
	line_char(line, '\n');
}

/* Of the whole capture. */
static void all_events(const struct stats *stats, struct line *line)
{
	for (int i = 0; i < STATS_EVENT_COUNT; i++) {
		struct stats_occurrences sum = stats_sum(stats, (enum stats_event)i);

		event((enum stats_event)i, &sum, "  ", line);
	}
}

static void rates(uint64_t payload, uint64_t messages, int64_t elapsed_ns, struct line *line)
{
	if (stats_rate(payload, elapsed_ns)) {
		labelled(", ", stats_rate(payload, elapsed_ns), line);
		line_text(line, " bytes/s");
	}
	if (stats_rate(messages, elapsed_ns)) {
		labelled(", ", stats_rate(messages, elapsed_ns), line);
		line_text(line, " messages/s");
	}
}

static void setups(const struct stats *stats, struct line *line)
{
	if (stats->setup_ns.count) {
		count(stats->setup_ns.count, "connection", line);
		line_text(line, " set up in");
		distribution("", &stats->setup_ns, true, line);
		line_char(line, '\n');
	}
	for (unsigned i = 0; i < stats->reject_count; i++) {
		count(stats->rejects[i].occurrences.count, "connection", line);
		line_text(line, " rejected");
		labelled_if(" with reason ", stats->rejects[i].reason, line);
		frames(&stats->rejects[i].occurrences, line);
		line_char(line, '\n');
	}
}

/* Data not counted for lack of memory. */
static void uncounted(const struct stats *stats, struct line *line)
{
	if (stats->uncounted_messages || stats->summed) {
		count(stats->summed, "connection", line);
		line_text(line, " counted together, with the operations or events of ");
		line_count(line, stats->uncounted_messages, "message or packet", "messages or packets");
		line_text(line, " of others, for want of memory (give more with --max-memory)\n");
	}
	if (stats->other_rpcs || stats->other_mads) {
		count(stats->other_rpcs, "RPC message", line);
		line_text(line, " and ");
		count(stats->other_mads, "management datagram", line);
		line_text(line, " of further kinds not counted by kind\n");
	}
	if (stats->values.unplaced) {
		count(stats->values.unplaced, "value", line);
		line_text(line, " (lengths or times) in no percentile, for want of memory\n");
	}
	if (stats->values.refused) {
		count(stats->values.refused, "distribution", line);
		line_text(line, " with percentiles that are not exact, for want of memory\n");
	}
	if (stats->longer_intervals) {
		line_text(line, "intervals of ");
		line_seconds(line, stats->interval_ns);
		labelled(" s, as there would be more than ", STATS_INTERVALS, line);
		line_text(line, " of those asked for\n");
	}
	if (stats->outside_intervals) {
		line_count(line, stats->outside_intervals, "packet or message", "packets and messages");
		line_text(line, " not counted in ");
		line_text(line, line_plural(stats->outside_intervals, "its interval", "their intervals"));
		line_text(line, ", for want of memory\n");
	}
}

static void capture(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats *stats = record->stats;
	uint64_t lost = stats_anomaly_count(stats, RTAP_CONNECTION_ANOMALY_LOST);

	count(stats->packets, "packet", line);
	line_text(line, ", ");
	count(stats->wire_bytes, "byte", line);
	line_text(line, " in ");
	line_seconds(line, stats_elapsed(stats->first_ns, stats->last_ns));
	labelled(" s; ", stats->rdma_packets, line);
	line_text(line, " of RDMA, ");
	count(stats->connections, "connection", line);
	line_text(line, ", ");
	count(stats->messages, "message", line);
	labelled(" (", stats->incomplete, line);
	line_text(line, " incomplete), payload ");
	count(stats_payload(stats), "byte", line);
	rates(stats_payload(stats), stats->messages, stats_elapsed(stats->first_ns, stats->last_ns), line);
	line_char(line, '\n');
	all_events(stats, line);
	if (stats->unassigned) {
		count(stats->unassigned, "packet", line);
		line_text(line, " of no connection that was known when they came\n");
	}
	if (lost) {
		count(lost, "PSN", line);
		line_text(line, " never captured\n");
	}
	congestion_ports_text(stats, line);
	setups(stats, line);
	uncounted(stats, line);
	if (record->findings->found) {
		count(record->findings->found, "finding", line);
		if (record->findings->found > record->findings->count)
			labelled(", the worst ", record->findings->count, line);
		line_text(line, ":\n");
	} else {
		line_text(line, "no findings\n");
	}
}

static void rpc_name(const struct stats_rpc *row, struct line *line)
{
	if (!stats_rpc_name(row, " ", line))
		line_text(line, "of unknown program");
}

static void percent(uint64_t part, uint64_t whole, struct line *line)
{
	uint64_t permille = (uint64_t)((double)part * 1000 / (double)whole);

	line_dec(line, permille / 10);
	line_char(line, '.');
	line_dec(line, permille % 10);
	line_text(line, " %");
}

static void finding(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct finding *found = record->what;

	labelled("  ", record->index + 1, line);
	line_text(line, ". ");
	line_text(line, finding_weight_name((enum finding_weight)found->rule->weight));
	line_text(line, ": ");
	if (found->connection) {
		labelled("connection ", found->connection, line);
		if (found->direction >= 0)
			line_text(line, found->direction ? " b>a" : " a>b");
		line_text(line, ": ");
	}
	if (found->rpc) {
		line_text(line, "RPC ");
		rpc_name(found->rpc, line);
		line_text(line, ": ");
	}
	if (found->kind < RTAP_KIND_COUNT) {
		line_text(line, rtap_message_kind_name((enum rtap_message_kind)found->kind));
		line_text(line, ": ");
	}
	if (found->recovery) {
		finding_recovery_text(found, line);
	} else {
		line_text(line, found->rule->words);
		labelled(": ", found->count, line);
	}
	if (found->of && found->rule->of) {
		line_text(line, ", ");
		percent(found->count, found->of, line);
		labelled(" of ", found->of, line);
		line_char(line, ' ');
		line_text(line, found->rule->of);
	}
	if (found->time_ns) {
		line_text(line, ", the longest ");
		line_seconds(line, found->time_ns);
		line_text(line, " s where ");
		line_seconds(line, found->usual_ns);
		line_text(line, " s is usual");
	}
	if (found->lost_ns) {
		line_text(line, ", ");
		line_seconds(line, (int64_t)found->lost_ns);
		line_text(line, " s lost");
	}
	if (found->has_begin) {
		struct clock clock = { .form = CLOCK_ABSOLUTE_DATE };

		line_text(line, ", from ");
		clock_write(&clock, &(struct rtap_frame){ .time_ns = found->begin_ns }, line);
		line_text(line, " on");
	}
	if (found->first_frame)
		frames(&(struct stats_occurrences){ 0, found->first_frame, found->last_frame }, line);
	line_text(line, " [");
	line_text(line, found->rule->name);
	line_text(line, "]\n");
}

static void operations(const struct stats_direction *direction, struct line *line)
{
	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++) {
		const struct stats_operations *counted = direction->operations[kind];

		if (!counted)
			continue;
		line_text(line, "    ");
		line_text(line, rtap_message_kind_name((enum rtap_message_kind)kind));
		line_text(line, ": ");
		count(counted->messages, "message", line);
		line_text(line, ", ");
		count(counted->bytes, "byte", line);
		labelled_if(", incomplete ", counted->incomplete, line);
		labelled_if(", unanswered ", counted->unanswered, line);
		labelled_if(", refused ", counted->refused, line);
		distribution("; size", &counted->size, false, line);
		distribution("; latency", &counted->latency_ns, true, line);
		line_char(line, '\n');
	}
}

static void requests(const struct stats_direction *direction, struct line *line)
{
	if (direction->reads) {
		labelled("    READs and atomics under way: at most ", direction->reads->most, line);
		line_char(line, '\n');
	}
	if (direction->calls || direction->replies) {
		line_text(line, "    ");
		count(direction->calls, "RPC call", line);
		labelled(", ", direction->replies, line);
		labelled(" answered, at most ", direction->most_calls_in_flight, line);
		line_text(line, " under way");
		if (direction->most_credits) {
			labelled("; credits granted ", direction->least_credits, line);
			line_char(line, '-');
			line_dec(line, direction->most_credits);
		}
		line_char(line, '\n');
	}
	if (direction->reaction_ns) {
		line_text(line, "    delay from CE mark to CNP:");
		distribution("", direction->reaction_ns, true, line);
		line_char(line, '\n');
	}
	if (direction->rnr_wait_us) {
		line_text(line, "    RNR NAKs asked to wait ");
		line_seconds(line, (int64_t)direction->rnr_wait_us * 1000);
		line_text(line, " s in all\n");
	}
}

/* The time until a retransmission. */
static void spacing(const struct stats_recovery *counted, struct line *line)
{
	if (!counted->least_ns)
		return;
	line_text(line, ", each after ");
	line_seconds(line, counted->least_ns);
	if (counted->most_ns > counted->least_ns) {
		line_text(line, " to ");
		line_seconds(line, counted->most_ns);
	}
	line_text(line, " s");
	if (counted->most_attempts > 1)
		labelled(", at most ", counted->most_attempts, line);
	line_text(line, counted->most_attempts > 1 ? " without progress" : "");
	labelled_if(", more than 4 ms after the NAK ", counted->late, line);
}

static void recoveries(const struct stats_direction *direction, struct line *line)
{
	const struct stats_recovery *counted = stats_incidents_of(direction)->recoveries;

	for (int cause = RTAP_RECOVERY_NONE + 1; cause < RTAP_RECOVERY_FAST_RETRANSMIT; cause++) {
		if (!counted[cause].occurrences.count)
			continue;
		line_text(line, "    ");
		line_count(line, counted[cause].occurrences.count, "recovery", "recoveries");
		line_text(line, " after ");
		line_text(line, stats_recovery_words((enum rtap_recovery)cause));
		frames(&counted[cause].occurrences, line);
		line_text(line, ", time lost ");
		line_seconds(line, counted[cause].time_lost_ns);
		line_text(line, " s");
		spacing(&counted[cause], line);
		line_char(line, '\n');
	}
}

static void reordering(const struct stats_reordering *counted, struct line *line)
{
	if (!counted->count)
		return;
	line_text(line, "    reordered: ");
	count(counted->count, "packet", line);
	line_text(line, " came after packets sent later, by ");
	line_dec(line, (counted->packets + counted->count / 2) / counted->count);
	line_text(line, " packets and ");
	line_seconds(line, counted->sum_ns / (int64_t)counted->count);
	line_text(line, " s on average, ");
	line_dec(line, counted->most_packets);
	line_text(line, " and ");
	line_seconds(line, counted->most_ns);
	line_text(line, " s at most\n");
}

/* TCP only. */
static void tcp_recoveries(const struct stats *stats, const struct stats_direction *direction, struct line *line)
{
	static const char *const labels[] = { "fast retransmits", "timeouts", "closed receive windows" };

	for (int cause = RTAP_RECOVERY_FAST_RETRANSMIT; cause < RTAP_RECOVERY_COUNT; cause++) {
		const struct stats_occurrences *counted = &stats_incidents_of(direction)->recoveries[cause].occurrences;

		if (!counted->count)
			continue;
		line_text(line, "    ");
		line_text(line, labels[cause - RTAP_RECOVERY_FAST_RETRANSMIT]);
		labelled(" ", counted->count, line);
		frames(&(struct stats_occurrences){ 0, counted->first_frame, counted->last_frame }, line);
		line_text(line, ", time lost ");
		line_seconds(line, stats_lost_to(stats, direction, (enum rtap_recovery)cause));
		line_text(line, " s\n");
	}
}

static void one_direction(const struct stats *stats, const struct stats_direction *direction, const char *name, struct line *line)
{
	line_text(line, "  ");
	line_text(line, name);
	line_text(line, ": ");
	count(direction->packets, "packet", line);
	line_text(line, ", ");
	count(direction->wire_bytes, "byte", line);
	line_text(line, ", payload ");
	count(direction->payload_bytes, "byte", line);
	if (stats_repeated(direction)) {
		labelled(" and ", stats_repeated(direction), line);
		line_text(line, " again");
	}
	if (direction->packets) {
		line_text(line, " in ");
		line_seconds(line, stats_elapsed(direction->first_ns, direction->last_ns));
		line_text(line, " s");
	}
	rates(direction->payload_bytes, stats_messages(direction), stats_elapsed(direction->first_ns, direction->last_ns), line);
	line_char(line, '\n');
	operations(direction, line);
	requests(direction, line);
	for (int i = 0; i < STATS_EVENT_COUNT; i++)
		event((enum stats_event)i, stats_event_of(direction, (enum stats_event)i), "    ", line);
	recoveries(direction, line);
	reordering(&stats_incidents_of(direction)->reordering, line);
	congestion_text(direction, line);
	tcp_recoveries(stats, direction, line);
}

static void connection(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_connection *counted = record->what;
	const struct stats_shown *shown = &counted->shown;

	if (counted->reported) {
		line_char(line, '#');
		line_dec(line, shown->number);
		line_char(line, ' ');
		line_text(line, rtap_transport_name((enum rtap_transport)shown->transport));
		line_text(line, " a ");
		end_text(&shown->a, line);
		line_text(line, ", b ");
		end_text(&shown->b, line);
	} else {
		count(record->stats->summed, "further connection", line);
	}
	anomaly_counts_text(shown->anomaly_counts, line);
	line_char(line, '\n');
	one_direction(record->stats, &counted->directions[0], "a>b", line);
	one_direction(record->stats, &counted->directions[1], "b>a", line);
}

static void rpc(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_rpc *row = record->what;

	line_text(line, row->is_operation ? "  RPC " : "RPC ");
	rpc_name(row, line);
	line_text(line, ": ");
	count(row->calls, "call", line);
	line_text(line, ", ");
	line_count(line, row->replies, "reply", "replies");
	if (!row->is_operation) {
		labelled(", ", row->call_bytes, line);
		labelled(" + ", row->reply_bytes, line);
		labelled(" bytes; with read chunks ", row->with_read_chunks, line);
		labelled(", write chunks ", row->with_write_chunks, line);
		labelled(", reply chunk ", row->with_reply_chunk, line);
		labelled_if("; sent again ", row->repeats, line);
		labelled_if("; unanswered ", row->unanswered, line);
		labelled_if("; refused by RPC ", row->rejected, line);
	}
	for (unsigned i = 0; i < row->status_count; i++) {
		const struct stats_status *status = &row->statuses[i];

		line_text(line, i ? ", " : "; ");
		if (status->name)
			line_text(line, status->name);
		else
			line_dec(line, status->number);
		line_char(line, ' ');
		line_dec(line, status->occurrences.count);
		frames(&status->occurrences, line);
	}
	distribution("; latency", &row->latency_ns, true, line);
	line_char(line, '\n');
}

static void name(const char *text, uint64_t number, unsigned digits, struct line *line)
{
	if (text)
		line_text(line, text);
	else
		line_hex(line, number, digits);
}

static void mad(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_mad *counted = record->what;

	line_text(line, "MAD ");
	name(counted->class_name, counted->management_class, 2, line);
	line_char(line, ' ');
	name(counted->method_name, counted->method, 2, line);
	line_char(line, ' ');
	name(counted->attribute_name, counted->attribute, 4, line);
	line_text(line, ": ");
	count(counted->occurrences.count, "datagram", line);
	frames(&counted->occurrences, line);
	labelled_if(", with an error ", counted->errors, line);
	distribution("; latency", &counted->latency_ns, true, line);
	line_char(line, '\n');
}

static void interval(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats *stats = record->stats;
	const struct stats_interval *counted = record->what;

	line_seconds(line, (int64_t)(record->index * (uint64_t)stats->interval_ns));
	line_text(line, ": ");
	count(counted->packets, "packet", line);
	line_text(line, ", ");
	count(counted->bytes, "byte", line);
	line_text(line, ", ");
	count(counted->messages, "message", line);
	labelled(", retransmissions ", counted->retransmissions, line);
	labelled(", NAKs ", counted->naks, line);
	labelled(", CE marks ", counted->ce_marks, line);
	labelled(", CNPs ", counted->cnps, line);
	line_char(line, '\n');
}

const struct stats_form stats_text_form = { capture, finding, connection, rpc, mad, interval };
