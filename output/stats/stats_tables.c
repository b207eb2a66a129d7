/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "dissect/rpc/rpc_programs.h"
#include "output/message/connections.h"
#include "output/stats/finding_text.h"
#include "output/stats/stats_operation_text.h"
#include "output/stats/stats_rpc.h"
#include "output/stats/stats_waits_text.h"
#include "output/stats/usage_form.h"
#include "output/stats/stats_table.h"
#include "output/stats/stats_tables.h"

/* Statuses listed with a procedure. */
#define STATUSES 2

/* Destination of the rows. */
struct writing {
	const struct stats *stats;
	uint64_t most;
	stats_write *write;
	void *owner;
	bool stopped;
	bool failed;         /* out of memory */
};

static void write_row(const void *what, struct line *line)
{
	const struct stats_record *record = what;

	stats_table_write(record->what, line);
}

static void put(struct writing *writing, stats_form *form, const void *what)
{
	struct stats_record record = { .stats = writing->stats, .what = what };

	writing->stopped = writing->stopped || !writing->write(writing->owner, form, &record);
}

/* Writes the table, with its title, and frees it. */
static void finish(struct writing *writing, struct stats_table *table)
{
	size_t rows = stats_table_finish(table);

	writing->failed |= table->failed;
	for (size_t i = 0; rows && i < rows + 2 && !writing->stopped; i++)
		put(writing, write_row, &(struct stats_table_row){ table, i });
	stats_table_fini(table);
}

/* A connection, or a pair of hosts. */
struct entry {
	const struct stats_connection *connection; /* of a pair: one of its connections */
	uint64_t connections, packets, bytes, payload, retransmissions, naks, cnps;
	int64_t lost_ns, longest_ns, elapsed_ns;
	uint64_t key;
};

static uint64_t event(const struct stats_connection *connection, enum stats_event event)
{
	return stats_event_of(&connection->directions[0], event)->count + stats_event_of(&connection->directions[1], event)->count;
}

static int64_t longest_latency(const struct stats_direction *direction)
{
	uint64_t longest = 0;

	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++) {
		const struct stats_operations *operations = direction->operations[kind];

		if (operations && operations->latency_ns.count && operations->latency_ns.largest > longest)
			longest = operations->latency_ns.largest;
	}
	return ns_signed(longest);
}

static struct entry entry_of(const struct stats *stats, const struct stats_connection *connection)
{
	struct entry entry = { .connection = connection, .connections = 1 };

	for (int i = 0; i < 2; i++) {
		const struct stats_direction *direction = &connection->directions[i];
		int64_t longest_ns = longest_latency(direction);

		entry.packets += direction->packets;
		entry.bytes += direction->wire_bytes;
		entry.payload += direction->payload_bytes;
		entry.lost_ns = ns_sum(entry.lost_ns, stats_time_lost(stats, direction));
		if (longest_ns > entry.longest_ns)
			entry.longest_ns = longest_ns;
	}
	entry.retransmissions = event(connection, STATS_RETRANSMISSION);
	entry.cnps = event(connection, STATS_CNP);
	for (int code = STATS_NAK_SEQUENCE; code <= STATS_RNR; code++)
		entry.naks += event(connection, (enum stats_event)code);
	entry.elapsed_ns = ns_elapsed(connection->shown.time_ns, connection->shown.time_end_ns);
	return entry;
}

static uint64_t key_of(const struct entry *entry, enum stats_sort sort)
{
	switch (sort) {
	case STATS_SORT_TIME_LOST: return (uint64_t)(entry->lost_ns > 0 ? entry->lost_ns : 0);
	case STATS_SORT_RETRANSMISSIONS: return entry->retransmissions;
	case STATS_SORT_LATENCY: return (uint64_t)entry->longest_ns;
	case STATS_SORT_PACKETS: return entry->packets;
	default: return entry->bytes;
	}
}

/* Highest key first, then in the order of the connections. */
static int compare_keys(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	uint64_t number = a->connection->shown.number, other = b->connection->shown.number;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (number > other) - (number < other);
}

static void sort_entries(struct entry *entries, uint64_t count, enum stats_sort sort)
{
	for (uint64_t i = 0; i < count; i++)
		entries[i].key = key_of(&entries[i], sort);
	qsort(entries, count, sizeof *entries, compare_keys);
}

static void numbers(struct stats_table *table, const struct entry *entry)
{
	stats_table_number(table, entry->packets);
	stats_table_bytes(table, entry->bytes);
	stats_table_bytes(table, entry->payload);
	stats_table_rate(table, stats_rate(entry->payload, entry->elapsed_ns));
	stats_table_time(table, entry->lost_ns);
	stats_table_number(table, entry->retransmissions);
	stats_table_number(table, entry->naks);
	stats_table_number(table, entry->cnps);
	stats_table_time(table, entry->longest_ns);
}

#define NUMBER_COLUMNS \
	{ "packets", false, false }, { "bytes", false, false }, { "payload", false, true }, { "rate", false, true }, \
	{ "time lost", false, false }, { "retrans.", false, false }, { "NAKs", false, true }, { "CNPs", false, true }, \
	{ "max. lat.", false, true }

static void title(struct stats_table *table, char *text, size_t size, const char *what, uint64_t shown, uint64_t all)
{
	struct line line;

	line_init(&line, text, size - 1);
	line_text(&line, what);
	if (shown < all) {
		line_text(&line, ", the first ");
		line_dec(&line, shown);
		line_text(&line, " of ");
		line_dec(&line, all);
	}
	*line.next = 0;
	table->title = text;
}

/* "10.0.0.1 qp 0x12": short, for two fit into a line with the numbers. */
static void end_cell(struct stats_table *table, const struct rtap_end *end)
{
	struct line *line = stats_table_begin(table);

	end_address(end, line);
	if (end->port_known) {
		line_text(line, " port ");
		line_dec(line, end->port);
	}
	if (end->qpn_known) {
		line_text(line, " qp ");
		line_hex(line, end->qpn, 1);
	}
	stats_table_end(table);
}

static void connection_table(struct writing *writing, const struct entry *entries, uint64_t count, const char *name)
{
	static const struct stats_table_column columns[] = {
		{ "#", false, false }, { "type", true, true }, { "service", true, true }, NUMBER_COLUMNS, { "a", true, false }, { "b", true, false },
		{ NULL, false, false },
	};
	struct stats_table table;
	char text[80];

	stats_table_init(&table, NULL, columns);
	title(&table, text, sizeof text, name, count < writing->most ? count : writing->most, count);
	for (uint64_t i = 0; i < count && i < writing->most; i++) {
		const struct stats_shown *shown = &entries[i].connection->shown;

		stats_table_number(&table, shown->number);
		stats_table_text(&table, rtap_transport_name((enum rtap_transport)shown->transport));
		finding_service(entries[i].connection, stats_table_begin(&table));
		stats_table_end(&table);
		numbers(&table, &entries[i]);
		end_cell(&table, &shown->a);
		end_cell(&table, &shown->b);
	}
	finish(writing, &table);
}

/* Number of entries whose key is not 0. */
static uint64_t with_key(const struct entry *entries, uint64_t count)
{
	while (count && !entries[count - 1].key)
		count--;
	return count;
}

static const char *const sort_names[] = { "",
#define STATS_SORT_NAME(identifier, name, title) name,
	STATS_SORTS(STATS_SORT_NAME)
#undef STATS_SORT_NAME
};

static const char *const sort_titles[] = { "",
#define STATS_SORT_TITLE(identifier, name, title) title,
	STATS_SORTS(STATS_SORT_TITLE)
#undef STATS_SORT_TITLE
};

bool stats_sort_parse(const char *name, enum stats_sort *sort)
{
	for (int i = STATS_SORT_DEFAULT + 1; i < STATS_SORT_COUNT; i++) {
		if (!strcmp(name, sort_names[i])) {
			*sort = (enum stats_sort)i;
			return true;
		}
	}
	return false;
}

/* Without --sort: the second and third table only if not all of their rows are in the first. */
static void connection_tables(struct writing *writing, struct entry *entries, uint64_t count, enum stats_sort sort)
{
	enum stats_sort first = sort ? sort : STATS_SORT_BYTES;

	sort_entries(entries, count, first);
	connection_table(writing, entries, count, sort_titles[first]);
	for (int i = STATS_SORT_TIME_LOST; !sort && count > writing->most && i <= STATS_SORT_RETRANSMISSIONS; i++) {
		sort_entries(entries, count, (enum stats_sort)i);
		connection_table(writing, entries, with_key(entries, count), sort_titles[i]);
	}
}

static int compare_addresses(const struct rtap_end *a, const struct rtap_end *b)
{
	if (a->address_length != b->address_length)
		return a->address_length < b->address_length ? -1 : 1;
	return memcmp(a->address, b->address, a->address_length);
}

/* The end with the smaller (`last`: larger) address. */
static const struct rtap_end *end_of(const struct entry *entry, bool last)
{
	const struct stats_shown *shown = &entry->connection->shown;

	return (compare_addresses(&shown->a, &shown->b) > 0) != last ? &shown->b : &shown->a;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int first = compare_addresses(end_of(a, false), end_of(b, false));

	return first ? first : compare_addresses(end_of(a, true), end_of(b, true));
}

static void add_entry(struct entry *sum, const struct entry *other, int64_t *begin_ns, int64_t *end_ns)
{
	const struct stats_shown *shown = &other->connection->shown;

	sum->connections++;
	sum->packets += other->packets;
	sum->bytes += other->bytes;
	sum->payload += other->payload;
	sum->retransmissions += other->retransmissions;
	sum->naks += other->naks;
	sum->cnps += other->cnps;
	sum->lost_ns = ns_sum(sum->lost_ns, other->lost_ns);
	if (other->longest_ns > sum->longest_ns)
		sum->longest_ns = other->longest_ns;
	if (shown->time_ns < *begin_ns)
		*begin_ns = shown->time_ns;
	if (shown->time_end_ns > *end_ns)
		*end_ns = shown->time_end_ns;
	sum->elapsed_ns = ns_elapsed(*begin_ns, *end_ns);
}

/* Replaces the connections by their host pairs; returns the number of these. */
static uint64_t join_pairs(struct entry *entries, uint64_t count)
{
	uint64_t pairs = 0;
	int64_t begin_ns = 0, end_ns = 0;

	qsort(entries, count, sizeof *entries, compare_pairs);
	for (uint64_t i = 0; i < count; i++) {
		if (pairs && !compare_pairs(&entries[pairs - 1], &entries[i])) {
			add_entry(&entries[pairs - 1], &entries[i], &begin_ns, &end_ns);
			continue;
		}
		entries[pairs++] = entries[i];
		begin_ns = entries[i].connection->shown.time_ns;
		end_ns = entries[i].connection->shown.time_end_ns;
	}
	return pairs;
}

static void pair_table(struct writing *writing, struct entry *entries, uint64_t count, enum stats_sort sort)
{
	static const struct stats_table_column columns[] = {
		{ "connections", false, false }, NUMBER_COLUMNS, { "hosts", true, false }, { "", true, false }, { NULL, false, false },
	};
	struct stats_table table;
	char text[80];

	count = join_pairs(entries, count);
	sort_entries(entries, count, sort ? sort : STATS_SORT_BYTES);
	stats_table_init(&table, NULL, columns);
	title(&table, text, sizeof text, "Host pairs", count < writing->most ? count : writing->most, count);
	for (uint64_t i = 0; i < count && i < writing->most; i++) {
		stats_table_number(&table, entries[i].connections);
		numbers(&table, &entries[i]);
		end_address(end_of(&entries[i], false), stats_table_begin(&table));
		stats_table_end(&table);
		end_address(end_of(&entries[i], true), stats_table_begin(&table));
		stats_table_end(&table);
	}
	finish(writing, &table);
}

/* False: out of memory. */
static bool connections(struct writing *writing, enum stats_sort sort)
{
	const struct stats *stats = writing->stats;
	struct entry *entries = NULL;
	uint64_t count = 0;

	for (uint64_t i = 0; i < stats->table_room; i++)
		count += stats->table[i] && stats->table[i]->reported;
	if (!count)
		return true;
	entries = calloc(count, sizeof *entries);
	if (!entries)
		return false;
	count = 0;
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i] && stats->table[i]->reported)
			entries[count++] = entry_of(stats, stats->table[i]);
	connection_tables(writing, entries, count, sort);
	if (count > 1)
		pair_table(writing, entries, count, sort);
	free(entries);
	return true;
}

/* RDMA operations of one kind, over all connections. */
static void kind_row(struct writing *writing, struct stats_table *table, enum rtap_message_kind kind)
{
	struct histogram_memory memory = { .most = UINT64_MAX, .most_by_values = UINT64_MAX };
	struct stats_operations sum = { .messages = 0 };

	for (uint64_t i = 0; i <= writing->stats->table_room; i++) {
		const struct stats_connection *connection = i < writing->stats->table_room ? writing->stats->table[i] : &writing->stats->others;

		for (int side = 0; connection && side < 2; side++) {
			const struct stats_operations *operations = connection->directions[side].operations[kind];

			if (!operations)
				continue;
			sum.messages += operations->messages;
			sum.incomplete += operations->incomplete;
			sum.unanswered += operations->unanswered;
			sum.refused += operations->refused;
			sum.bytes += operations->bytes;
			histogram_merge(&sum.latency_ns, &operations->latency_ns, &memory);
		}
	}
	if (sum.messages) {
		stats_table_text(table, "RDMA");
		stats_table_text(table, rtap_message_kind_name(kind));
		stats_table_number(table, sum.messages);
		stats_table_number(table, sum.incomplete);
		stats_table_number(table, sum.unanswered);
		stats_table_number(table, sum.refused);
		stats_operation_latencies(table, &sum.latency_ns);
		stats_table_bytes(table, sum.bytes);
		stats_table_number(table, 0);
		stats_table_text(table, NULL);
	}
	writing->failed |= memory.refused || memory.unplaced;
	histogram_fini(&sum.latency_ns, &memory);
}

/* "NFS3ERR_NOENT 12, NFS3ERR_IO 1", the first ones. */
static void statuses(const struct stats_rpc *row, struct line *line)
{
	for (unsigned i = 0; i < row->status_count && i < STATUSES; i++) {
		const struct stats_status *status = &row->statuses[i];

		line_text(line, i ? ", " : "");
		if (status->name)
			line_text(line, status->name);
		else
			line_dec(line, status->number);
		line_char(line, ' ');
		line_dec(line, status->occurrences.count);
	}
}

static void rpc_row(struct stats_table *table, const struct stats_rpc *row)
{
	struct rtap_rpc_facts facts = { .program = row->program, .version = row->version, .procedure = row->procedure };
	struct line *line = stats_table_begin(table);

	if (row->program_known)
		rpc_line_program(&facts, line);
	else
		line_text(line, "RPC");
	stats_table_end(table);
	line = stats_table_begin(table);
	if (row->is_operation) {
		line_text(line, "  ");
		if (row->name)
			line_text(line, row->name);
		else
			line_dec(line, row->operation);
	} else if (row->program_known) {
		rpc_line_procedure(&facts, line);
	} else {
		line_text(line, "unknown");
	}
	stats_table_end(table);
	stats_table_number(table, row->calls > row->replies ? row->calls : row->replies);
	stats_table_number(table, 0);
	stats_table_number(table, row->unanswered);
	stats_table_number(table, row->errors);
	stats_operation_latencies(table, &row->latency_ns);
	stats_table_bytes(table, row->call_bytes + row->reply_bytes);
	stats_table_number(table, row->repeats);
	statuses(row, stats_table_begin(table));
	stats_table_end(table);
}

static void operations(struct writing *writing)
{
	static const struct stats_table_column columns[] = {
		{ "layer", true, false }, { "operation", true, false }, { "count", false, false }, { "incomplete", false, true },
		{ "unanswered", false, false }, { "errors", false, false }, { "p50", false, false }, { "p99", false, false },
		{ "max.", false, false }, { "bytes", false, false }, { "repeats", false, true }, { "statuses", true, true }, { NULL, false, false },
	};
	const struct stats *stats = writing->stats;
	struct stats_table table;

	stats_table_init(&table, "Operations", columns);
	for (int kind = 0; kind < RTAP_KIND_COUNT; kind++)
		kind_row(writing, &table, (enum rtap_message_kind)kind);
	for (unsigned i = 0; i < stats->rpc_count; i++) {
		if (stats->rpcs[i]->is_operation)
			continue;
		rpc_row(&table, stats->rpcs[i]);
		for (unsigned inner = 0; inner < stats->rpc_count; inner++)
			if (stats_rpc_is_part(stats->rpcs[inner], stats->rpcs[i]))
				rpc_row(&table, stats->rpcs[inner]);
	}
	stats_operation_rows(stats, &table);
	finish(writing, &table);
	stats_operation_parts(stats, &table);
	finish(writing, &table);
	stats_operation_sizes(stats, &table);
	finish(writing, &table);
	stats_operation_objects(stats, writing->most, &table);
	finish(writing, &table);
	stats_operation_connections(stats, writing->most, &table);
	finish(writing, &table);
}

static int compare_usage(const void *left, const void *right)
{
	const struct stats_connection *a = *(const struct stats_connection *const *)left, *b = *(const struct stats_connection *const *)right;

	if (a->usage->messages != b->usage->messages)
		return a->usage->messages > b->usage->messages ? -1 : 1;
	return (a->shown.number > b->shown.number) - (a->shown.number < b->shown.number);
}

static void usage_row(struct stats_table *table, const struct stats_connection *connection)
{
	struct usage_outlier outliers[USAGE_OUTLIERS];
	unsigned count = usage_outliers(connection->usage, outliers);

	stats_table_number(table, connection->shown.number);
	stats_table_number(table, connection->usage->messages);
	usage_pattern_text(connection->usage, stats_table_begin(table));
	stats_table_end(table);
	stats_table_time(table, count ? outliers[0].time_ns : 0);
	stats_table_number(table, count ? outliers[0].frame : 0);
	stats_table_text(table, count ? outliers[0].cause : NULL);
}

/* Connections without a known layer, those with most messages first. */
static void uses(struct writing *writing)
{
	static const struct stats_table_column columns[] = {
		{ "#", false, false }, { "messages", false, false }, { "pattern", true, false }, { "slowest", false, false }, { "frame", false, false },
		{ "cause", true, true }, { NULL, false, false },
	};
	const struct stats *stats = writing->stats;
	const struct stats_connection **sorted = stats->table_room ? calloc(stats->table_room, sizeof *sorted) : NULL;
	struct stats_table table;
	size_t count = 0;

	writing->failed |= stats->table_room && !sorted;
	stats_table_init(&table, "Connections without a known layer", columns);
	for (uint64_t i = 0; sorted && i < stats->table_room; i++)
		if (stats->table[i] && stats->table[i]->reported && stats->table[i]->usage && usage_has_pattern(stats->table[i]->usage))
			sorted[count++] = stats->table[i];
	if (sorted)
		qsort(sorted, count, sizeof *sorted, compare_usage);
	for (size_t i = 0; i < count && i < writing->most; i++)
		usage_row(&table, sorted[i]);
	finish(writing, &table);
	free(sorted);
}

static void delays(struct writing *writing)
{
	struct stats_jobs jobs;
	struct stats_table table;

	if (!stats_jobs_init(&jobs, writing->stats)) {
		writing->failed = true;
		return;
	}
	stats_waits_jobs(&jobs, &table);
	finish(writing, &table);
	stats_waits_hosts(&jobs, writing->most, &table);
	finish(writing, &table);
	stats_waits_connections(writing->stats, writing->most, &table);
	finish(writing, &table);
	stats_jobs_fini(&jobs);
}

static void name_cell(struct stats_table *table, const char *text, uint64_t number, unsigned digits)
{
	struct line *line = stats_table_begin(table);

	if (text)
		line_text(line, text);
	else
		line_hex(line, number, digits);
	stats_table_end(table);
}

static void mads(struct writing *writing)
{
	static const struct stats_table_column columns[] = {
		{ "class", true, false }, { "method", true, false }, { "attribute", true, false }, { "count", false, false }, { "errors", false, false },
		{ "p50", false, true }, { "p99", false, true }, { "max.", false, false }, { "first frame", false, true }, { NULL, false, false },
	};
	struct stats_table table;

	stats_table_init(&table, "Management datagrams", columns);
	for (unsigned i = 0; i < writing->stats->mad_count; i++) {
		const struct stats_mad *mad = writing->stats->mads[i];

		name_cell(&table, mad->class_name, mad->management_class, 2);
		name_cell(&table, mad->method_name, mad->method, 2);
		name_cell(&table, mad->attribute_name, mad->attribute, 4);
		stats_table_number(&table, mad->occurrences.count);
		stats_table_number(&table, mad->errors);
		stats_operation_latencies(&table, &mad->latency_ns);
		stats_table_number(&table, mad->occurrences.first_frame);
	}
	finish(writing, &table);
}

static void intervals(struct writing *writing)
{
	static const struct stats_table_column columns[] = {
		{ "from", false, false }, { "packets", false, false }, { "bytes", false, false }, { "rate", false, false }, { "messages", false, false },
		{ "retrans.", false, false }, { "NAKs", false, false }, { "CE marks", false, false }, { "CNPs", false, false }, { NULL, false, false },
	};
	static const struct stats_interval nothing;
	const struct stats *stats = writing->stats;
	struct stats_table table;

	stats_table_init(&table, "Intervals", columns);
	for (uint64_t i = 0; i < stats->interval_count; i++) {
		const struct stats_interval *interval = &stats->intervals[i];

		if (!memcmp(interval, &nothing, sizeof nothing))
			continue;
		line_seconds(stats_table_begin(&table), (int64_t)(i * (uint64_t)stats->interval_ns));
		line_text(&table.line, " s");
		stats_table_end(&table);
		stats_table_number(&table, interval->packets);
		stats_table_bytes(&table, interval->bytes);
		stats_table_rate(&table, stats_rate(interval->bytes, stats->interval_ns));
		stats_table_number(&table, interval->messages);
		stats_table_number(&table, interval->retransmissions);
		stats_table_number(&table, interval->naks);
		stats_table_number(&table, interval->ce_marks);
		stats_table_number(&table, interval->cnps);
	}
	finish(writing, &table);
}

bool stats_tables_write(const struct stats *stats, enum stats_sort sort, uint64_t most, stats_write *write, void *owner, bool *failed)
{
	struct writing writing = { stats, most, write, owner, false, false };

	if (!connections(&writing, sort))
		writing.failed = true;
	operations(&writing);
	delays(&writing);
	uses(&writing);
	mads(&writing);
	intervals(&writing);
	*failed = writing.failed;
	return !writing.stopped;
}
