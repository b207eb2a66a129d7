/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics and findings as records: JSON objects (doc/json.md). Text: stats_text.h.
 */
#ifndef OUTPUT_STATS_STATS_FORM_H
#define OUTPUT_STATS_STATS_FORM_H

#include "dissect/engine/line.h"
#include "output/stats/findings.h"
#include "output/stats/stats.h"

/* The subject of one record. */
struct stats_record {
	const struct stats *stats;
	const struct findings *findings;
	const void *what; /* stats_connection, stats_rpc, stats_mad, stats_interval, finding; tables of text: struct stats_row */
	uint64_t index;   /* of the interval, finding or job, from 0 */
	const struct stats_jobs *jobs; /* of a job or host */
};

/* Writes a record with its newline, for printer_write(); `record` is a struct stats_record. */
typedef void stats_form(const void *record, struct line *line);

/* Writers of each kind of record. */
struct stats_form {
	stats_form *capture, *finding, *connection, *operation, *object, *rpc, *mad, *interval, *job, *host;
};

extern const struct stats_form stats_json_form;

/* Outputs a record; returns false to stop. */
typedef bool stats_write(void *owner, stats_form *form, const struct stats_record *record);

/*
 * Outputs all records: capture, findings, connections, operations by name and by object, jobs and their hosts, RPCs, management datagrams,
 * intervals. False: some are missing for lack of memory.
 */
bool stats_write_all(const struct stats *stats, const struct findings *findings, const struct stats_form *form, stats_write *write, void *owner);

/* The count of one event over all connections and both directions. */
struct stats_occurrences stats_sum(const struct stats *stats, enum stats_event event);

/* One anomaly count, over all connections. */
uint64_t stats_anomaly_count(const struct stats *stats, enum rtap_connection_anomaly anomaly);

/* "NFSv3 READ", with `separator` before the name or number of an operation. False: unknown program; nothing is written. */
bool stats_rpc_name(const struct stats_rpc *row, const char *separator, struct line *line);

/* Payload without retransmissions, in bytes per second; 0: no time elapsed. */
uint64_t stats_goodput(const struct stats_direction *direction);

/* `count` per second; 0 if no time elapsed. */
uint64_t stats_rate(uint64_t count, int64_t elapsed_ns);

/* Number of messages that the end requested, without RPCs. */
uint64_t stats_messages(const struct stats_direction *direction);

/* Payload bytes of all directions, without retransmissions; and those repeated. */
uint64_t stats_payload(const struct stats *stats);
uint64_t stats_all_repeated(const struct stats *stats);

#endif
