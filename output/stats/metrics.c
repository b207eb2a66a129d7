/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/stats/finding_text.h"
#include "output/stats/metrics.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_work.h"

#define NS_A_SECOND 1000000000

/* Upper limits of the buckets of latencies: nanoseconds, and seconds as text. */
#define BUCKETS(X) \
	X(1000, "1e-06") X(2000, "2e-06") X(5000, "5e-06") X(10000, "1e-05") X(20000, "2e-05") X(50000, "5e-05") X(100000, "0.0001") \
	X(200000, "0.0002") X(500000, "0.0005") X(1000000, "0.001") X(2000000, "0.002") X(5000000, "0.005") X(10000000, "0.01") \
	X(20000000, "0.02") X(50000000, "0.05") X(100000000, "0.1") X(200000000, "0.2") X(500000000, "0.5") X(1000000000, "1.0") \
	X(2000000000, "2.0") X(5000000000, "5.0") X(10000000000, "10.0")

static const struct {
	uint64_t limit_ns;
	const char *text;
} buckets[] = {
#define BUCKET_ROW(limit, text) { UINT64_C(limit), text },
	BUCKETS(BUCKET_ROW)
#undef BUCKET_ROW
};

#define BUCKET_COUNT (sizeof buckets / sizeof buckets[0])

/* Counters of a direction between two hosts. X(identifier, name, help, unit: values a second or 1) */
#define PAIR_VALUES(X) \
	X(PACKETS, "rdmatap_packets", "Packets sent.", 1) \
	X(BYTES, "rdmatap_wire_bytes", "Bytes of packets sent, with all headers.", 1) \
	X(PAYLOAD, "rdmatap_payload_bytes", "Payload bytes sent, each byte of a message once.", 1) \
	X(MESSAGES, "rdmatap_messages", "Messages requested.", 1) \
	X(INCOMPLETE, "rdmatap_messages_incomplete", "Messages requested of which bytes were not captured.", 1) \
	X(RETRANSMISSIONS, "rdmatap_retransmissions", "Packets sent again.", 1) \
	X(NAKS, "rdmatap_naks", "NAKs sent, without RNR NAKs.", 1) \
	X(RNR_NAKS, "rdmatap_rnr_naks", "RNR NAKs sent.", 1) \
	X(CE_MARKS, "rdmatap_ce_marks", "Packets sent that arrived with a congestion mark.", 1) \
	X(CNPS, "rdmatap_cnps", "Congestion notification packets sent.", 1) \
	X(TIME_LOST, "rdmatap_time_lost_seconds", "Time lost to recoveries of what was sent.", NS_A_SECOND)

enum pair_value {
#define PAIR_ENUM(identifier, name, help, unit) PAIR_##identifier,
	PAIR_VALUES(PAIR_ENUM)
#undef PAIR_ENUM
	PAIR_VALUE_COUNT
};

static const struct {
	const char *name, *help;
	uint64_t unit;
} pair_values[] = {
#define PAIR_ROW(identifier, name, help, unit) { name, help, unit },
	PAIR_VALUES(PAIR_ROW)
#undef PAIR_ROW
};

/* After those of the pair, the values of its latencies: their number, their sum in nanoseconds, and how many are at most the limit of each bucket. */
enum { LATENCY_COUNT = PAIR_VALUE_COUNT, LATENCY_SUM, LATENCY_AT_MOST, VALUE_COUNT = LATENCY_AT_MOST + BUCKET_COUNT };

/* Counters of a direction, or of operations with one name. */
struct counted {
	uint64_t values[VALUE_COUNT];
};

#define LABELS 320

struct row {
	char labels[LABELS];       /* src="10.0.0.1",dst="10.0.0.2",service="NFS v3" */
	struct counted now, shown; /* operations: the current value of the statistics; the value written, which never decreases */
};

struct table {
	struct row *rows;
	size_t count, most;
	const char *others;        /* labels */
};

/* Values of a connection already counted: only increases are added, to its current labels. */
struct past {
	uint64_t number;           /* of the connection; 0: of the connections that the statistics count together */
	struct counted directions[2];
};

struct metrics {
	struct table pairs, operations;
	void *past;                /* a tree of struct past, by tsearch(): as many as the statistics have rows */
};

struct metrics *metrics_create(void)
{
	struct metrics *metrics = calloc(1, sizeof *metrics);

	if (!metrics)
		return NULL;
	metrics->pairs = (struct table){ .most = METRICS_PAIRS, .others = "src=\"other\",dst=\"other\",service=\"other\"" };
	metrics->operations = (struct table){ .most = METRICS_OPERATIONS, .others = "layer=\"other\",operation=\"other\"" };
	metrics->pairs.rows = calloc(METRICS_PAIRS + 1, sizeof *metrics->pairs.rows);
	metrics->operations.rows = calloc(METRICS_OPERATIONS + 1, sizeof *metrics->operations.rows);
	if (metrics->pairs.rows && metrics->operations.rows)
		return metrics;
	metrics_destroy(metrics);
	return NULL;
}

void metrics_destroy(struct metrics *metrics)
{
	if (!metrics)
		return;
	tdestroy(metrics->past, free);
	free(metrics->pairs.rows);
	free(metrics->operations.rows);
	free(metrics);
}

/* The row with these labels, or the row of all others, which is after the last one. */
static struct row *row_of(struct table *table, const char *labels)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->rows[i].labels, labels))
			return &table->rows[i];
	if (table->count < table->most && strcmp(labels, table->others)) {
		strcpy(table->rows[table->count].labels, labels);
		return &table->rows[table->count++];
	}
	strcpy(table->rows[table->most].labels, table->others);
	return &table->rows[table->most];
}

/* Appends NAME="VALUE" with a comma before it if it is not the first; printable ASCII only, with the format's escapes. */
static void add_label(char labels[LABELS], const char *name, const char *value, size_t length)
{
	size_t at = strlen(labels);

	at += (size_t)snprintf(labels + at, LABELS - at, "%s%s=\"", at ? "," : "", name);
	for (size_t i = 0; i < length && i < 64 && at + 4 < LABELS; i++) {
		if (value[i] == '\\' || value[i] == '"')
			labels[at++] = '\\';
		labels[at++] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '?';
	}
	snprintf(labels + at, LABELS - at, "\"");
}

static void add_end(char labels[LABELS], const char *name, const struct rtap_end *end)
{
	char text[64];
	struct line line;

	line_init(&line, text, sizeof text);
	line_address(&line, end->address, end->address_length);
	add_label(labels, name, text, (size_t)(line.next - text));
}

static void add_latencies(struct counted *counted, const struct histogram *histogram)
{
	if (!histogram->count)
		return;
	counted->values[LATENCY_COUNT] += histogram->count;
	counted->values[LATENCY_SUM] += histogram->sum;
	for (size_t i = 0; i < BUCKET_COUNT; i++)
		counted->values[LATENCY_AT_MOST + i] += histogram->count - histogram_above(histogram, buckets[i].limit_ns + 1);
}

static uint64_t count_of(const struct stats_direction *direction, enum stats_event event)
{
	return stats_event_of(direction, event)->count;
}

static void add_direction(struct counted *counted, const struct stats_direction *direction)
{
	uint64_t *values = counted->values;

	values[PAIR_PACKETS] += direction->packets;
	values[PAIR_BYTES] += direction->wire_bytes;
	values[PAIR_PAYLOAD] += direction->payload_bytes;
	values[PAIR_RETRANSMISSIONS] += count_of(direction, STATS_RETRANSMISSION);
	values[PAIR_NAKS] += count_of(direction, STATS_NAK_SEQUENCE) + count_of(direction, STATS_NAK_INVALID_REQUEST) +
			     count_of(direction, STATS_NAK_ACCESS) + count_of(direction, STATS_NAK_OPERATION) + count_of(direction, STATS_NAK_INVALID_RD);
	values[PAIR_RNR_NAKS] += count_of(direction, STATS_RNR);
	values[PAIR_CE_MARKS] += count_of(direction, STATS_CE_MARK);
	values[PAIR_CNPS] += count_of(direction, STATS_CNP);
	for (unsigned i = 0; direction->incidents && i < RTAP_RECOVERY_COUNT; i++)
		if (direction->incidents->recoveries[i].time_lost_ns > 0)
			values[PAIR_TIME_LOST] += (uint64_t)direction->incidents->recoveries[i].time_lost_ns;
	for (unsigned i = 0; i < RTAP_KIND_COUNT; i++) {
		const struct stats_operations *operations = direction->operations[i];

		if (!operations)
			continue;
		values[PAIR_MESSAGES] += operations->messages;
		values[PAIR_INCOMPLETE] += operations->incomplete;
		add_latencies(counted, &operations->latency_ns);
	}
}

static int compare_past(const void *one, const void *other)
{
	const struct past *a = one, *b = other;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* NULL: out of memory. */
static struct past *past_of(struct metrics *metrics, uint64_t number)
{
	struct past *const *found = tfind(&(struct past){ .number = number }, &metrics->past, compare_past);
	struct past *added;

	if (found)
		return *found;
	added = calloc(1, sizeof *added);
	if (added)
		added->number = number;
	if (added && tsearch(added, &metrics->past, compare_past))
		return added;
	free(added);
	return NULL;
}

void metrics_merge(struct metrics *metrics, uint64_t from, uint64_t into, bool turned)
{
	struct past *const *found = tfind(&(struct past){ .number = from }, &metrics->past, compare_past);
	struct past *past = found ? *found : NULL, *other = past ? past_of(metrics, into) : NULL;

	if (!other)
		return;
	for (int i = 0; i < 2; i++)
		for (size_t value = 0; value < VALUE_COUNT; value++)
			other->directions[turned ? !i : i].values[value] += past->directions[i].values[value];
	tdelete(past, &metrics->past, compare_past);
	free(past);
}

/* Adds the increase of a direction's counters to the row; adds nothing if out of memory. */
static void add_new_of(struct metrics *metrics, struct row *row, uint64_t number, int direction, const struct stats_direction *from)
{
	struct past *past = past_of(metrics, number);
	struct counted now = { .values = { 0 } };
	uint64_t *before;

	if (!past)
		return;
	before = past->directions[direction].values;
	add_direction(&now, from);
	for (size_t i = 0; i < VALUE_COUNT; i++) {
		if (now.values[i] <= before[i])
			continue;
		row->shown.values[i] += now.values[i] - before[i];
		before[i] = now.values[i];
	}
}

static void add_connection(struct metrics *metrics, const struct stats_connection *connection)
{
	const struct rtap_end *ends[] = { &connection->shown.a, &connection->shown.b };
	char service[64];
	struct line line;

	line_init(&line, service, sizeof service);
	if (!finding_service(connection, &line))
		line_text(&line, "unknown");
	for (int i = 0; i < 2; i++) {
		char labels[LABELS] = "";

		add_end(labels, "src", ends[i]);
		add_end(labels, "dst", ends[!i]);
		add_label(labels, "service", service, (size_t)(line.next - service));
		add_new_of(metrics, row_of(&metrics->pairs, labels), connection->shown.number, i, &connection->directions[i]);
	}
}

static struct row *operation_row(struct metrics *metrics, const char *layer, const char *name, size_t length)
{
	char labels[LABELS] = "";

	add_label(labels, "layer", layer, strlen(layer));
	add_label(labels, "operation", name, length);
	return row_of(&metrics->operations, labels);
}

static void add_work(struct metrics *metrics, const struct stats_work_row *row)
{
	const char *layer = row->layer ? row->layer : "other";
	const char *name = *row->name ? row->name : "unknown";
	struct counted *counted = &operation_row(metrics, layer, name, strlen(name))->now;

	counted->values[PAIR_MESSAGES] += row->work.count;
	counted->values[PAIR_INCOMPLETE] += row->work.failed;
	counted->values[PAIR_PAYLOAD] += row->work.bytes;
	add_latencies(counted, &row->work.latency_ns);
}

/* Calls of RPC; the operations of compounds are counted with their calls. */
static void add_rpc(struct metrics *metrics, const struct stats_rpc *rpc)
{
	char name[64];
	struct line line;
	struct counted *counted;

	if (rpc->is_operation)
		return;
	line_init(&line, name, sizeof name);
	if (!stats_rpc_name(rpc, " ", &line)) {
		line_text(&line, "program ");
		line_dec(&line, rpc->program);
		line_text(&line, " procedure ");
		line_dec(&line, rpc->procedure);
	}
	counted = &operation_row(metrics, "rpc", name, (size_t)(line.next - name))->now;
	counted->values[PAIR_MESSAGES] += rpc->calls;
	counted->values[PAIR_INCOMPLETE] += rpc->errors + rpc->rejected;
	counted->values[PAIR_PAYLOAD] += rpc->call_bytes + rpc->reply_bytes;
	add_latencies(counted, &rpc->latency_ns);
}

/* A value that decreased is written as before. */
static void raise_shown(struct table *table)
{
	for (size_t i = 0; i <= table->most; i++) {
		uint64_t *shown = table->rows[i].shown.values;
		const uint64_t *now = table->rows[i].now.values;

		for (size_t value = 0; value < VALUE_COUNT; value++)
			if (now[value] > shown[value])
				shown[value] = now[value];
	}
}

static void clear(struct table *table)
{
	for (size_t i = 0; i <= table->most; i++)
		table->rows[i].now = (struct counted){ .values = { 0 } };
}

void metrics_update(struct metrics *metrics, const struct stats *stats)
{
	const struct stats_operation_tables *work = stats_work_tables(stats);

	clear(&metrics->operations);
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i] && stats->table[i]->reported)
			add_connection(metrics, stats->table[i]);
	for (int i = 0; i < 2; i++)
		add_new_of(metrics, row_of(&metrics->pairs, metrics->pairs.others), 0, i, &stats->others.directions[i]);
	for (size_t i = 0; i < work->names.count; i++)
		add_work(metrics, work->names.rows[i]);
	if (work->names.others)
		add_work(metrics, work->names.others);
	for (unsigned i = 0; i < stats->rpc_count; i++)
		add_rpc(metrics, stats->rpcs[i]);
	raise_shown(&metrics->operations);
}

/* The lines before the samples of a metric; the older format has the suffix of counters in its name. */
static void write_head(FILE *file, enum metrics_format format, const char *name, const char *type, const char *help)
{
	const char *suffix = format == METRICS_PROMETHEUS && !strcmp(type, "counter") ? "_total" : "";

	fprintf(file, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix, type);
}

static bool is_empty(const struct row *row)
{
	return !row->shown.values[PAIR_PACKETS] && !row->shown.values[PAIR_MESSAGES];
}

/* One counter of each row. */
static void write_counter(FILE *file, enum metrics_format format, const struct table *table, const char *name, const char *help,
			  enum pair_value value, uint64_t unit)
{
	write_head(file, format, name, "counter", help);
	for (size_t i = 0; i <= table->most; i++) {
		const struct row *row = &table->rows[i];
		uint64_t count = row->shown.values[value];

		if (is_empty(row))
			continue;
		if (unit == 1)
			fprintf(file, "%s_total{%s} %" PRIu64 "\n", name, row->labels, count);
		else
			fprintf(file, "%s_total{%s} %" PRIu64 ".%09" PRIu64 "\n", name, row->labels, count / unit, count % unit);
	}
}

static void write_latencies(FILE *file, enum metrics_format format, const struct table *table, const char *name, const char *help)
{
	write_head(file, format, name, "histogram", help);
	for (size_t i = 0; i <= table->most; i++) {
		const struct row *row = &table->rows[i];
		const uint64_t *values = row->shown.values, count = values[LATENCY_COUNT], sum_ns = values[LATENCY_SUM];

		if (!count)
			continue;
		for (size_t j = 0; j < BUCKET_COUNT; j++)
			fprintf(file, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, row->labels, buckets[j].text, values[LATENCY_AT_MOST + j]);
		fprintf(file, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n%s_sum{%s} %" PRIu64 ".%09" PRIu64 "\n%s_count{%s} %" PRIu64 "\n", name,
			row->labels, count, name, row->labels, sum_ns / NS_A_SECOND, sum_ns % NS_A_SECOND, name, row->labels, count);
	}
}

static void pause_labels(const struct congestion_port *port, char labels[LABELS])
{
	char text[32];
	int length = snprintf(text, sizeof text, "%" PRIu32, port->interface);

	labels[0] = 0;
	add_label(labels, "interface", text, (size_t)length);
	length = snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", port->source[0], port->source[1], port->source[2], port->source[3],
			  port->source[4], port->source[5]);
	add_label(labels, "src", text, (size_t)length);
	length = port->priority == PAUSE_LINK ? snprintf(text, sizeof text, "all") : snprintf(text, sizeof text, "%u", port->priority);
	add_label(labels, "priority", text, (size_t)length);
}

static void write_pauses(FILE *file, enum metrics_format format, const struct stats *stats)
{
	unsigned count = stats->pauses ? stats->pauses->count : 0;
	char labels[LABELS];

	write_head(file, format, "rdmatap_pauses", "counter", "PAUSE and PFC frames that request a pause, by sender and priority.");
	for (unsigned i = 0; i < count; i++) {
		pause_labels(&stats->pauses->ports[i], labels);
		fprintf(file, "rdmatap_pauses_total{%s} %" PRIu64 "\n", labels, stats->pauses->ports[i].pauses);
	}
	write_head(file, format, "rdmatap_paused_seconds", "counter", "Time that these frames requested, where the rate of the link is known.");
	for (unsigned i = 0; i < count; i++) {
		uint64_t paused_ns = congestion_paused_ns(&stats->pauses->ports[i], stats->last_ns);

		pause_labels(&stats->pauses->ports[i], labels);
		fprintf(file, "rdmatap_paused_seconds_total{%s} %" PRIu64 ".%09" PRIu64 "\n", labels, paused_ns / NS_A_SECOND, paused_ns % NS_A_SECOND);
	}
}

static void interface_labels(const struct rtap_interface *interface, char labels[LABELS])
{
	labels[0] = 0;
	add_label(labels, "source", interface->file, strlen(interface->file));
}

/* Unknown values have no sample. */
static void write_capture(FILE *file, enum metrics_format format, const struct rtap_source *source)
{
	size_t count = rtap_source_interface_count(source);
	char labels[LABELS];

	write_head(file, format, "rdmatap_capture_frames", "counter", "Frames captured.");
	for (size_t i = 0; i < count; i++) {
		interface_labels(rtap_source_interface(source, i), labels);
		fprintf(file, "rdmatap_capture_frames_total{%s} %" PRIu64 "\n", labels, rtap_source_interface(source, i)->captured);
	}
	write_head(file, format, "rdmatap_capture_drops", "counter", "Frames that were not captured, by who dropped them; none if that is unknown.");
	for (size_t i = 0; i < count; i++) {
		const struct rtap_interface *interface = rtap_source_interface(source, i);

		interface_labels(interface, labels);
		if (interface->has_dropped)
			fprintf(file, "rdmatap_capture_drops_total{%s,by=\"device\"} %" PRIu64 "\n", labels, interface->dropped);
		if (interface->dropped_by_system.known)
			fprintf(file, "rdmatap_capture_drops_total{%s,by=\"kernel\"} %" PRIu64 "\n", labels, interface->dropped_by_system.value);
		if (interface->dropped_here.known)
			fprintf(file, "rdmatap_capture_drops_total{%s,by=\"queue\"} %" PRIu64 "\n", labels, interface->dropped_here.value);
	}
}

static void write_single(FILE *file, enum metrics_format format, const char *name, const char *type, const char *help, uint64_t value)
{
	write_head(file, format, name, type, help);
	fprintf(file, "%s%s %" PRIu64 "\n", name, strcmp(type, "counter") ? "" : "_total", value);
}

bool metrics_write(const struct metrics *metrics, enum metrics_format format, const struct stats *stats, const struct rtap_source *source,
		   const struct rtap_tracker_counters *counters, char **text, size_t *length)
{
	FILE *file = open_memstream(text, length);

	if (!file)
		return false;
	for (unsigned i = 0; i < PAIR_VALUE_COUNT; i++)
		write_counter(file, format, &metrics->pairs, pair_values[i].name, pair_values[i].help, (enum pair_value)i, pair_values[i].unit);
	write_latencies(file, format, &metrics->pairs, "rdmatap_message_latency_seconds", "Time from a request to its acknowledgement or last response.");
	write_counter(file, format, &metrics->operations, "rdmatap_operations", "Operations of upper layers.", PAIR_MESSAGES, 1);
	write_counter(file, format, &metrics->operations, "rdmatap_operation_errors", "Operations with an error as status.", PAIR_INCOMPLETE, 1);
	write_counter(file, format, &metrics->operations, "rdmatap_operation_bytes", "Bytes that operations worked on; of RPC: of calls and replies.",
		      PAIR_PAYLOAD, 1);
	write_latencies(file, format, &metrics->operations, "rdmatap_operation_latency_seconds", "Time from the request of an operation to its response.");
	write_pauses(file, format, stats);
	write_capture(file, format, source);
	write_single(file, format, "rdmatap_connections", "gauge", "Connections seen; two halves may turn out to be one.", counters->connections);
	write_single(file, format, "rdmatap_bad_icrc", "counter", "Packets with a wrong invariant CRC.", stats->bad_icrc.count);
	write_single(file, format, "rdmatap_state_evictions", "counter",
		     "Messages and connections given up for lack of memory (--max-memory).", counters->evictions);
	if (format == METRICS_OPENMETRICS)
		fprintf(file, "# EOF\n");
	if (!fclose(file))
		return true;
	free(*text);
	return false;
}
