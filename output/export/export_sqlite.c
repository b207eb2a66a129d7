/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/export/export_sqlite.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "dissect/flow.h"
#include "dissect/infiniband/ib.h"
#include "dissect/net/erf.h"
#include "dissect/rpc/rpc_status.h"
#include "output/export/export_sqlite_views.h"
#include "output/message/connections.h"
#include "output/packet/text.h"
#include "output/stats/finding_text.h"
#include "output/stats/stats_form.h"

#define TEXT_ROOM 32768 /* of the texts of a row; longer ones are cut */
#define SQL_ROOM 4096
#define MOST_COLUMNS 64

enum table { CONNECTIONS, MESSAGES, OPERATIONS, RECOVERIES, FINDINGS_TABLE, INTERVALS, PACKETS, TABLES };

/* The order is that in which rows are bound. */
static const char *const columns[TABLES][MOST_COLUMNS] = {
	[CONNECTIONS] = {
		"connection INTEGER PRIMARY KEY", "transport TEXT", "a_address TEXT", "a_port INTEGER", "a_qpn INTEGER", "b_address TEXT",
		"b_port INTEGER", "b_qpn INTEGER", "service_id TEXT", "learned_by_cm INTEGER", "path_mtu INTEGER", "first_frame INTEGER",
		"last_frame INTEGER", "time_ns INTEGER", "time_end_ns INTEGER", "packets INTEGER", "messages INTEGER", "bytes INTEGER",
#define COLUMN(identifier, name) name " INTEGER",
		RTAP_CONNECTION_ANOMALIES(COLUMN)
#undef COLUMN
	},
	[MESSAGES] = {
		"message INTEGER PRIMARY KEY", "connection INTEGER", "direction TEXT", "kind TEXT", "verb TEXT", "status TEXT",
		"complete INTEGER", "first_frame INTEGER", "last_frame INTEGER", "answered_in INTEGER", "frames INTEGER", "repeats INTEGER",
		"time_ns INTEGER", "time_end_ns INTEGER", "length INTEGER", "missing_ranges INTEGER", "latency_ns INTEGER",
		"time_lost_ns INTEGER", "psn INTEGER", "msn INTEGER", "r_key INTEGER", "virtual_address TEXT", "xid INTEGER",
		"program INTEGER", "version INTEGER", "procedure INTEGER", "partner INTEGER", "crc32 INTEGER",
	},
	[OPERATIONS] = {
		"operation INTEGER PRIMARY KEY", "connection INTEGER", "direction TEXT", "layer TEXT", "name TEXT", "object TEXT", "id TEXT",
		"offset INTEGER", "length INTEGER", "status TEXT", "ok INTEGER", "complete INTEGER", "carried TEXT", "data_bytes INTEGER",
		"repeats INTEGER", "time_lost_ns INTEGER", "time_ns INTEGER", "time_end_ns INTEGER", "latency_ns INTEGER",
		"first_data_ns INTEGER", "last_data_ns INTEGER", "request_frame INTEGER", "response_frame INTEGER",
		"first_data_frame INTEGER", "last_data_frame INTEGER", "request_message INTEGER", "response_message INTEGER",
		"missing_ranges INTEGER", "one_way INTEGER",
	},
	[RECOVERIES] = {
		"connection INTEGER", "direction TEXT", "cause TEXT", "count INTEGER", "time_lost_ns INTEGER", "first_frame INTEGER",
		"last_frame INTEGER",
	},
	[FINDINGS_TABLE] = {
		"finding INTEGER PRIMARY KEY", "weight TEXT", "rule TEXT", "connection INTEGER", "direction TEXT", "count INTEGER",
		"time_lost_ns INTEGER", "first_frame INTEGER", "last_frame INTEGER", "text TEXT",
	},
	[INTERVALS] = {
		"time_ns INTEGER PRIMARY KEY", "duration_ns INTEGER", "packets INTEGER", "bytes INTEGER", "messages INTEGER",
		"retransmissions INTEGER", "naks INTEGER", "ce_marks INTEGER", "cnps INTEGER",
	},
	[PACKETS] = {
		"frame INTEGER PRIMARY KEY", "time_ns INTEGER", "length INTEGER", "connection INTEGER", "direction TEXT", "opcode INTEGER",
		"opcode_name TEXT", "psn INTEGER", "destination_qpn INTEGER", "analysis TEXT", "info TEXT",
	},
};

static const char *const table_names[TABLES] = { "connections", "messages", "operations", "recoveries", "findings", "intervals", "packets" };

/*
 * The value bound to a column. SQLite keeps bindings for the following rows, so equal values are not bound again: binding is a
 * third of the cost of a row.
 */
struct bound {
	enum { BOUND_NULL, BOUND_NUMBER, BOUND_NAME, BOUND_TEXT } kind;
	union {
		uint64_t number;
		const char *name; /* constant */
	};
};

struct export_sqlite {
	sqlite3 *database;
	sqlite3_stmt *inserts[TABLES];
	sqlite3_stmt *merge, *resolve;
	sqlite3_stmt *row;   /* being bound */
	int column;          /* of the last one bound, from 1 */
	struct bound *bound; /* by column of the row */
	struct bound rows[TABLES][MOST_COLUMNS + 1], others[MOST_COLUMNS + 1];
	bool packets, failed;
	char reason[256];
	struct text_format text;
	char texts[TEXT_ROOM]; /* bound to the row: SQLite does not copy them */
	size_t used;
	bool merges;         /* connections were merged */
	char *name;
};

static void note_failure(struct export_sqlite *sqlite)
{
	if (!sqlite->failed)
		snprintf(sqlite->reason, sizeof sqlite->reason, "%s", sqlite3_errmsg(sqlite->database));
	sqlite->failed = true;
}

static void run_sql(struct export_sqlite *sqlite, const char *sql)
{
	if (!sqlite->failed && sqlite3_exec(sqlite->database, sql, NULL, NULL, NULL) != SQLITE_OK)
		note_failure(sqlite);
}

static void prepare(struct export_sqlite *sqlite, const char *sql, sqlite3_stmt **statement)
{
	if (!sqlite->failed && sqlite3_prepare_v2(sqlite->database, sql, -1, statement, NULL) != SQLITE_OK)
		note_failure(sqlite);
}

static void create_table(struct export_sqlite *sqlite, enum table table)
{
	char create[SQL_ROOM], insert[SQL_ROOM];
	int at, in;

	at = snprintf(create, sizeof create, "CREATE TABLE %s (", table_names[table]);
	in = snprintf(insert, sizeof insert, "INSERT INTO %s VALUES (", table_names[table]);
	for (int i = 0; columns[table][i]; i++) {
		at += snprintf(create + at, sizeof create - (size_t)at, "%s%s", i ? ", " : "", columns[table][i]);
		in += snprintf(insert + in, sizeof insert - (size_t)in, i ? ", ?" : "?");
	}
	snprintf(create + at, sizeof create - (size_t)at, ")");
	snprintf(insert + in, sizeof insert - (size_t)in, ")");
	run_sql(sqlite, create);
	prepare(sqlite, insert, &sqlite->inserts[table]);
}

static enum rtap_status refuse(const struct export_sqlite *sqlite, struct rtap_error *error)
{
	rtap_error_set(error, RTAP_ERROR_SYSTEM, "%s: the database cannot be written: %s", sqlite->name, sqlite->reason);
	return RTAP_STATUS_FAILED;
}

static void destroy(struct export_sqlite *sqlite)
{
	for (int i = 0; i < TABLES; i++)
		sqlite3_finalize(sqlite->inserts[i]);
	sqlite3_finalize(sqlite->merge);
	sqlite3_finalize(sqlite->resolve);
	sqlite3_close(sqlite->database);
	text_format_fini(&sqlite->text);
	free(sqlite->name);
	free(sqlite);
}

/* False: an existing file is not a regular file, or cannot be removed. */
static bool remove_old(struct export_sqlite *sqlite)
{
	struct stat old;

	if (lstat(sqlite->name, &old))
		return true;
	if (!S_ISREG(old.st_mode))
		snprintf(sqlite->reason, sizeof sqlite->reason, "there is something that is not a regular file");
	else if (unlink(sqlite->name))
		snprintf(sqlite->reason, sizeof sqlite->reason, "%s", strerror(errno));
	else
		return true;
	return false;
}

enum rtap_status export_sqlite_open(struct export_sqlite **sqlite, const char *name, bool packets, struct rtap_error *error)
{
	struct export_sqlite *opened = calloc(1, sizeof *opened);

	*sqlite = NULL;
	if (!opened || !(opened->name = strdup(name))) {
		free(opened);
		rtap_error_set(error, RTAP_ERROR_MEMORY, "%s: out of memory", name);
		return RTAP_STATUS_FAILED;
	}
	/* one thread uses the database; memory statistics are not needed */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	text_format_init(&opened->text);
	opened->text.wide = true;
	opened->packets = packets;
	if (!remove_old(opened)) {
		opened->failed = true;
	} else if (sqlite3_open_v2(name, &opened->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK) {
		note_failure(opened);
	}
	/* An incomplete database is useless, so no journal is needed. */
	run_sql(opened, "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN");
	for (int i = 0; i < TABLES && !opened->failed; i++)
		create_table(opened, (enum table)i);
	run_sql(opened, "CREATE TEMP TABLE merges (step INTEGER PRIMARY KEY, merged INTEGER, into_connection INTEGER, turned INTEGER)");
	prepare(opened, "INSERT INTO merges VALUES (NULL, ?, ?, ?)", &opened->merge);
	prepare(opened, "UPDATE packets SET connection = ?, direction = ?, analysis = ? WHERE frame = ?", &opened->resolve);
	if (!opened->failed) {
		*sqlite = opened;
		return RTAP_STATUS_OK;
	}
	refuse(opened, error);
	destroy(opened);
	return RTAP_STATUS_FAILED;
}

static void begin_row(struct export_sqlite *sqlite, enum table table)
{
	sqlite->row = sqlite->inserts[table];
	sqlite->bound = sqlite->rows[table];
	sqlite->column = 0;
	sqlite->used = 0;
}

static void end_row(struct export_sqlite *sqlite)
{
	if (sqlite3_step(sqlite->row) != SQLITE_DONE)
		note_failure(sqlite);
	sqlite3_reset(sqlite->row);
}

/* A statement other than the INSERT of a table: every column is bound. */
static void begin_other(struct export_sqlite *sqlite, sqlite3_stmt *statement)
{
	sqlite->row = statement;
	sqlite->bound = sqlite->others;
	sqlite->column = 0;
	for (int i = 0; i <= MOST_COLUMNS; i++)
		sqlite->others[i].kind = BOUND_TEXT;
}

static void put(struct export_sqlite *sqlite, uint64_t number)
{
	struct bound *bound = &sqlite->bound[++sqlite->column];

	if (bound->kind == BOUND_NUMBER && bound->number == number)
		return;
	*bound = (struct bound){ BOUND_NUMBER, { .number = number } };
	sqlite3_bind_int64(sqlite->row, sqlite->column, (sqlite3_int64)number);
}

/* NULL in the database means unknown or none. */
static void put_null(struct export_sqlite *sqlite)
{
	struct bound *bound = &sqlite->bound[++sqlite->column];

	if (bound->kind == BOUND_NULL)
		return;
	bound->kind = BOUND_NULL;
	sqlite3_bind_null(sqlite->row, sqlite->column);
}

static void put_if(struct export_sqlite *sqlite, bool known, uint64_t number)
{
	if (known)
		put(sqlite, number);
	else
		put_null(sqlite);
}

/* A constant; NULL: unknown or none. */
static void put_name(struct export_sqlite *sqlite, const char *name)
{
	struct bound *bound;

	if (!name) {
		put_null(sqlite);
		return;
	}
	bound = &sqlite->bound[++sqlite->column];
	if (bound->kind == BOUND_NAME && bound->name == name)
		return;
	*bound = (struct bound){ BOUND_NAME, { .name = name } };
	sqlite3_bind_text(sqlite->row, sqlite->column, name, -1, SQLITE_STATIC);
}

/* A text of the row is written between these. */
static void begin_text(struct export_sqlite *sqlite, struct line *line)
{
	line_init(line, sqlite->texts + sqlite->used, sizeof sqlite->texts - sqlite->used);
}

static void end_text_cell(struct export_sqlite *sqlite, const struct line *line)
{
	const char *begin = sqlite->texts + sqlite->used;
	size_t length = (size_t)(line->next - begin);

	sqlite->bound[++sqlite->column].kind = BOUND_TEXT;
	sqlite3_bind_text(sqlite->row, sqlite->column, begin, (int)length, SQLITE_STATIC);
	sqlite->used += length;
}

/*
 * Text from the wire. What is no valid UTF-8 or unsafe on a terminal is escaped; quotes and backslashes mean nothing in a bound value, and
 * stay, so that names are those of the other outputs.
 */
static void put_wire_text(struct export_sqlite *sqlite, const char *text)
{
	struct line line;

	if (!text) {
		put_null(sqlite);
		return;
	}
	begin_text(sqlite, &line);
	while (*text) {
		size_t length = strcspn(text, "\"\\");

		line_escaped(&line, (const uint8_t *)text, length);
		text += length;
		if (*text)
			line_char(&line, *text++);
	}
	end_text_cell(sqlite, &line);
}

static void put_hex(struct export_sqlite *sqlite, bool known, uint64_t number)
{
	struct line line;

	if (!known) {
		put_null(sqlite);
		return;
	}
	begin_text(sqlite, &line);
	line_hex(&line, number, 16);
	end_text_cell(sqlite, &line);
}

static void put_connection(struct export_sqlite *sqlite, const struct rtap_connection *connection, bool from_a)
{
	put_if(sqlite, connection, connection ? connection->number : 0);
	put_name(sqlite, connection ? (from_a ? "a>b" : "b>a") : NULL);
}

static void put_end(struct export_sqlite *sqlite, const struct rtap_end *end)
{
	struct line line;

	if (end->address_length) {
		begin_text(sqlite, &line);
		end_address(end, &line);
		end_text_cell(sqlite, &line);
	} else {
		put_null(sqlite);
	}
	put_if(sqlite, end->port_known, end->port);
	put_if(sqlite, end->qpn_known, end->qpn);
}

void export_sqlite_connection(struct export_sqlite *sqlite, const struct rtap_connection *connection)
{
	/* the bytes of other repeats are not compared: rtap_tracker_options.checksums */
	bool is_tcp = connection->transport == RTAP_TRANSPORT_IWARP || connection->transport == RTAP_TRANSPORT_TCP;

	if (sqlite->failed)
		return;
	begin_row(sqlite, CONNECTIONS);
	put(sqlite, connection->number);
	put_name(sqlite, rtap_transport_name((enum rtap_transport)connection->transport));
	put_end(sqlite, &connection->a);
	put_end(sqlite, &connection->b);
	put_hex(sqlite, connection->has_service, connection->service_id);
	put(sqlite, connection->learned_by_cm);
	put_if(sqlite, connection->path_mtu, connection->path_mtu);
	put(sqlite, connection->first_frame);
	put(sqlite, connection->last_frame);
	put(sqlite, (uint64_t)connection->time_ns);
	put(sqlite, (uint64_t)connection->time_end_ns);
	put(sqlite, connection->packets);
	put(sqlite, connection->messages);
	put(sqlite, connection->bytes);
	for (int i = 0; i < RTAP_CONNECTION_ANOMALY_COUNT; i++)
		put_if(sqlite, is_tcp || i != RTAP_CONNECTION_ANOMALY_DIFFERING_REPEAT, connection->anomaly_counts[i]);
	end_row(sqlite);
}

static const char *status_of(const struct rtap_message *message)
{
	if (message->kind == RTAP_KIND_RPC_REPLY && (message->has_rpc_status || message->rdma_error))
		return rpc_status_name(message);
	return message->outcome ? rtap_outcome_name((enum rtap_outcome)message->outcome) : NULL;
}

void export_sqlite_message(struct export_sqlite *sqlite, const struct rtap_message *message)
{
	bool iwarp = message->connection && message->connection->transport == RTAP_TRANSPORT_IWARP;

	if (sqlite->failed)
		return;
	begin_row(sqlite, MESSAGES);
	put(sqlite, message->number);
	put_connection(sqlite, message->connection, message->from_a);
	put_name(sqlite, rtap_message_kind_name((enum rtap_message_kind)message->kind));
	put_name(sqlite, message->is_rpc ? NULL : rtap_verb_name((enum rtap_verb)message->verb));
	put_name(sqlite, status_of(message));
	put(sqlite, message->complete);
	put(sqlite, message->first_frame);
	put(sqlite, message->last_frame);
	put_if(sqlite, message->answered_in, message->answered_in);
	put_if(sqlite, !message->is_rpc, message->frames);
	put(sqlite, message->repeats);
	put(sqlite, (uint64_t)message->time_ns);
	put(sqlite, (uint64_t)message->time_end_ns);
	put_if(sqlite, message->length_known, message->length);
	put(sqlite, message->missing_count);
	put_if(sqlite, message->has_latency, (uint64_t)message->latency_ns);
	put(sqlite, (uint64_t)message->time_lost_us * 1000);
	put_if(sqlite, !message->is_rpc && !iwarp, message->psn);
	put_if(sqlite, message->has_msn, message->psn);
	put_if(sqlite, message->has_key, message->r_key);
	put_hex(sqlite, message->has_key, message->virtual_address);
	put_if(sqlite, message->is_rpc, message->xid);
	put_if(sqlite, message->is_rpc && message->program_known, message->program);
	put_if(sqlite, message->is_rpc && message->program_known, message->version);
	put_if(sqlite, message->is_rpc && message->program_known, message->procedure);
	put_if(sqlite, message->partner, message->partner);
	put_if(sqlite, message->has_crc, message->crc32);
	end_row(sqlite);
}

void export_sqlite_operation(struct export_sqlite *sqlite, const struct rtap_operation *operation)
{
	if (sqlite->failed)
		return;
	begin_row(sqlite, OPERATIONS);
	put(sqlite, operation->number);
	put_connection(sqlite, operation->connection, operation->from_a);
	put_name(sqlite, operation->layer);
	put_wire_text(sqlite, operation->name);
	put_wire_text(sqlite, operation->object);
	put_wire_text(sqlite, operation->id);
	put_if(sqlite, operation->has_offset, operation->offset);
	put_if(sqlite, operation->has_length, operation->length);
	put_wire_text(sqlite, operation->status);
	put_if(sqlite, operation->has_status, operation->ok);
	put(sqlite, operation->complete);
	put_name(sqlite, rtap_carried_name((enum rtap_carried)operation->carried));
	put_if(sqlite, operation->has_data_bytes, operation->data_bytes);
	put_if(sqlite, operation->has_repeats, operation->repeats);
	put(sqlite, (uint64_t)operation->time_lost_us * 1000);
	put(sqlite, (uint64_t)operation->time_ns);
	put(sqlite, (uint64_t)operation->time_end_ns);
	put_if(sqlite, operation->has_latency, (uint64_t)operation->latency_ns);
	put_if(sqlite, operation->request_frame && operation->first_data_frame, (uint64_t)operation->first_data_ns);
	put_if(sqlite, operation->request_frame && operation->last_data_frame, (uint64_t)operation->last_data_ns);
	put_if(sqlite, operation->request_frame, operation->request_frame);
	put_if(sqlite, operation->response_frame, operation->response_frame);
	put_if(sqlite, operation->first_data_frame, operation->first_data_frame);
	put_if(sqlite, operation->last_data_frame, operation->last_data_frame);
	put_if(sqlite, operation->request_message, operation->request_message);
	put_if(sqlite, operation->response_message, operation->response_message);
	put(sqlite, operation->missing_count);
	put(sqlite, operation->one_way);
	end_row(sqlite);
}

void export_sqlite_packet(struct export_sqlite *sqlite, const struct rtap_packet *packet)
{
	const struct rtap_flow_facts *flow = &packet->flow;
	struct line line;

	if (sqlite->failed || !sqlite->packets)
		return;
	begin_row(sqlite, PACKETS);
	put(sqlite, packet->frame->number);
	put(sqlite, (uint64_t)packet->frame->time_ns);
	put(sqlite, erf_wire_length(packet));
	put_if(sqlite, flow->present, flow->connection);
	put_name(sqlite, flow->present ? (flow->from_a ? "a>b" : "b>a") : NULL);
	put_if(sqlite, packet->ib.has_bth, packet->ib.opcode);
	put_name(sqlite, packet->ib.has_bth ? ib_opcodes[packet->ib.opcode].name : NULL);
	put_if(sqlite, packet->ib.has_bth, packet->ib.psn);
	put_if(sqlite, packet->ib.has_bth, packet->ib.dest_qpn);
	put_name(sqlite, flow->present ? flow_analysis_name(flow->analysis) : NULL);
	begin_text(sqlite, &line);
	text_line(&sqlite->text, packet, &line);
	end_text_cell(sqlite, &line);
	end_row(sqlite);
}

void export_sqlite_merge(struct export_sqlite *sqlite, uint64_t from, uint64_t into, bool turned)
{
	if (sqlite->failed)
		return;
	begin_other(sqlite, sqlite->merge);
	sqlite->merges = true;
	put(sqlite, from);
	put(sqlite, into);
	put(sqlite, turned);
	end_row(sqlite);
}

void export_sqlite_resolve(struct export_sqlite *sqlite, uint64_t frame, const struct rtap_flow_facts *flow)
{
	if (sqlite->failed || !sqlite->packets)
		return;
	begin_other(sqlite, sqlite->resolve);
	put(sqlite, flow->connection);
	put_name(sqlite, flow->from_a ? "a>b" : "b>a");
	put_name(sqlite, flow_analysis_name(flow->analysis));
	put(sqlite, frame);
	end_row(sqlite);
}

/*
 * Assigns the rows of merged connections to the remaining ones: resolves the last merges first, so that each finds the final number of its
 * target; then makes one pass over each table.
 */
static void apply_merges(struct export_sqlite *sqlite)
{
	static const enum table with_connection[] = { MESSAGES, OPERATIONS, PACKETS };
	sqlite3_stmt *next = NULL, *add = NULL;
	char sql[SQL_ROOM];

	if (!sqlite->merges)
		return;
	run_sql(sqlite, "CREATE TEMP TABLE moved (merged INTEGER PRIMARY KEY, into_connection INTEGER, turned INTEGER)");
	prepare(sqlite, "SELECT merged, into_connection, turned FROM merges ORDER BY step DESC", &next);
	prepare(sqlite, "INSERT OR REPLACE INTO moved SELECT ?1, coalesce(m.into_connection, ?2), ?3 <> coalesce(m.turned, 0)"
			" FROM (SELECT ?2 AS target) LEFT JOIN moved m ON m.merged = target", &add);
	while (!sqlite->failed && sqlite3_step(next) == SQLITE_ROW) {
		for (int i = 0; i < 3; i++)
			sqlite3_bind_int64(add, i + 1, sqlite3_column_int64(next, i));
		sqlite->row = add;
		end_row(sqlite);
	}
	sqlite3_finalize(next);
	sqlite3_finalize(add);
	for (size_t i = 0; i < sizeof with_connection / sizeof with_connection[0]; i++) {
		snprintf(sql, sizeof sql,
			 "UPDATE %s SET connection = m.into_connection, direction = CASE WHEN m.turned AND direction = 'a>b' THEN 'b>a'"
			 " WHEN m.turned AND direction = 'b>a' THEN 'a>b' ELSE direction END FROM moved m WHERE connection = m.merged",
			 table_names[with_connection[i]]);
		run_sql(sqlite, sql);
	}
}

/* `number` 0: connections that are counted together */
static void add_recoveries(struct export_sqlite *sqlite, const struct stats *stats, const struct stats_connection *connection, uint64_t number)
{
	for (int i = 0; i < 2 * RTAP_RECOVERY_COUNT && !sqlite->failed; i++) {
		const struct stats_direction *direction = &connection->directions[i / RTAP_RECOVERY_COUNT];
		enum rtap_recovery cause = (enum rtap_recovery)(i % RTAP_RECOVERY_COUNT);
		const struct stats_occurrences *counted = &stats_incidents_of(direction)->recoveries[cause].occurrences;

		if (!counted->count)
			continue;
		begin_row(sqlite, RECOVERIES);
		put_if(sqlite, number, number);
		put_name(sqlite, i < RTAP_RECOVERY_COUNT ? "a>b" : "b>a");
		put_name(sqlite, flow_recovery_name((uint8_t)cause));
		put(sqlite, counted->count);
		put(sqlite, (uint64_t)stats_lost_to(stats, direction, cause));
		put_if(sqlite, counted->first_frame, counted->first_frame);
		put_if(sqlite, counted->last_frame, counted->last_frame);
		end_row(sqlite);
	}
}

static void add_finding(struct export_sqlite *sqlite, const struct stats_record *record, const struct finding *found)
{
	struct line line;

	begin_row(sqlite, FINDINGS_TABLE);
	put(sqlite, record->index + 1);
	put_name(sqlite, finding_weight_name((enum finding_weight)found->rule->weight));
	put_name(sqlite, found->rule->name);
	put_if(sqlite, found->connection, found->connection);
	put_name(sqlite, found->direction < 0 ? NULL : found->direction ? "b>a" : "a>b");
	put(sqlite, found->count);
	put_if(sqlite, finding_time_lost(found), finding_time_lost(found));
	put_if(sqlite, found->first_frame, found->first_frame);
	put_if(sqlite, found->last_frame, found->last_frame);
	begin_text(sqlite, &line);
	finding_text(record->stats, found, &(struct finding_style){ .form = CLOCK_ABSOLUTE }, &line);
	end_text_cell(sqlite, &line);
	end_row(sqlite);
}

static void add_interval(struct export_sqlite *sqlite, const struct stats *stats, uint64_t index)
{
	const struct stats_interval *interval = &stats->intervals[index];

	begin_row(sqlite, INTERVALS);
	put(sqlite, (uint64_t)stats->begin_ns + index * (uint64_t)stats->interval_ns);
	put(sqlite, (uint64_t)stats->interval_ns);
	put(sqlite, interval->packets);
	put(sqlite, interval->bytes);
	put(sqlite, interval->messages);
	put(sqlite, interval->retransmissions);
	put(sqlite, interval->naks);
	put(sqlite, interval->ce_marks);
	put(sqlite, interval->cnps);
	end_row(sqlite);
}

void export_sqlite_stats(struct export_sqlite *sqlite, const struct stats *stats, const struct findings *findings)
{
	for (uint64_t i = 0; i < stats->table_room; i++)
		if (stats->table[i] && stats->table[i]->reported)
			add_recoveries(sqlite, stats, stats->table[i], i + 1);
	if (stats->summed)
		add_recoveries(sqlite, stats, &stats->others, 0);
	for (unsigned i = 0; i < findings->count && !sqlite->failed; i++)
		add_finding(sqlite, &(struct stats_record){ .stats = stats, .findings = findings, .what = &findings->list[i], .index = i },
			    &findings->list[i]);
	for (uint64_t i = 0; i < stats->interval_count && !sqlite->failed; i++)
		if (stats->intervals[i].packets || stats->intervals[i].messages)
			add_interval(sqlite, stats, i);
}

bool export_sqlite_failed(const struct export_sqlite *sqlite)
{
	return sqlite->failed;
}

enum rtap_status export_sqlite_close(struct export_sqlite *sqlite, struct rtap_error *error)
{
	enum rtap_status status = RTAP_STATUS_OK;

	if (!sqlite)
		return status;
	apply_merges(sqlite);
	run_sql(sqlite, export_sqlite_views);
	run_sql(sqlite, "COMMIT");
	if (sqlite->failed)
		status = refuse(sqlite, error);
	destroy(sqlite);
	return status;
}

#else

enum rtap_status export_sqlite_open(struct export_sqlite **sqlite, const char *name, bool packets, struct rtap_error *error)
{
	(void)packets;
	*sqlite = NULL;
	rtap_error_set(error, RTAP_ERROR_UNSUPPORTED, "%s: this build writes no databases: it was built without libsqlite3", name);
	return RTAP_STATUS_FAILED;
}

/* The functions below are only called with an open database. */
void export_sqlite_packet(struct export_sqlite *sqlite, const struct rtap_packet *packet) { (void)sqlite, (void)packet; }
void export_sqlite_message(struct export_sqlite *sqlite, const struct rtap_message *message) { (void)sqlite, (void)message; }
void export_sqlite_connection(struct export_sqlite *sqlite, const struct rtap_connection *connection) { (void)sqlite, (void)connection; }
void export_sqlite_operation(struct export_sqlite *sqlite, const struct rtap_operation *operation) { (void)sqlite, (void)operation; }
void export_sqlite_merge(struct export_sqlite *sqlite, uint64_t from, uint64_t into, bool turned)
{
	(void)sqlite, (void)from, (void)into, (void)turned;
}
void export_sqlite_resolve(struct export_sqlite *sqlite, uint64_t frame, const struct rtap_flow_facts *flow)
{
	(void)sqlite, (void)frame, (void)flow;
}
void export_sqlite_stats(struct export_sqlite *sqlite, const struct stats *stats, const struct findings *findings)
{
	(void)sqlite, (void)stats, (void)findings;
}
bool export_sqlite_failed(const struct export_sqlite *sqlite) { (void)sqlite; return false; }
enum rtap_status export_sqlite_close(struct export_sqlite *sqlite, struct rtap_error *error) { (void)sqlite, (void)error; return RTAP_STATUS_OK; }

#endif
