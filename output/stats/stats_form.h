/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics and findings as text and as JSON objects (doc/json.md).
 */
#ifndef OUTPUT_STATS_STATS_FORM_H
#define OUTPUT_STATS_STATS_FORM_H

#include "dissect/engine/line.h"
#include "output/stats/findings.h"
#include "output/stats/stats.h"

/* What one record tells of. */
struct stats_record {
	const struct stats *stats;
	const struct findings *findings;
	const void *what; /* stats_connection, stats_rpc, stats_mad, stats_interval, finding */
	uint64_t index;   /* of the interval; of the finding, from 0 */
};

/* Writes a record with its newline; by printer_write(), of a struct stats_record. */
typedef void stats_form(const void *record, struct line *line);

/* How each kind of record is written. */
struct stats_form {
	stats_form *capture, *finding, *connection, *rpc, *mad, *interval;
};

extern const struct stats_form stats_text_form, stats_json_form;

/* Has a record written; false: no more are wanted. */
typedef bool stats_write(void *owner, stats_form *form, const struct stats_record *record);

/* Writes all records: of the capture, the findings, connections, RPCs, management datagrams, intervals. */
void stats_tell(const struct stats *stats, const struct findings *findings, const struct stats_form *form, stats_write *write, void *owner);

/* The count of one event over all connections and both directions. */
struct stats_tally stats_sum(const struct stats *stats, enum stats_event event);

/* Of one trouble, over all connections. */
uint64_t stats_trouble(const struct stats *stats, enum rtap_trouble trouble);

/* "NFSv3 READ"; an operation's name, or its number, behind `separator`. False, and nothing is written: the program is not known. */
bool stats_rpc_name(const struct stats_rpc *row, const char *separator, struct line *line);

/* Payload without repetitions in bytes a second; 0: no time went by. */
uint64_t stats_goodput(const struct stats_direction *direction);

/* So many in that time, a second; 0 if there was none. */
uint64_t stats_rate(uint64_t count, int64_t elapsed_ns);

/* What the end asked for, but RPCs: messages. */
uint64_t stats_messages(const struct stats_direction *direction);

/* Of all directions, without what was repeated. */
uint64_t stats_payload(const struct stats *stats);

#endif
