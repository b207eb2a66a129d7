/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A SQLite database of a capture: the tables connections, messages, operations, findings and intervals, on request packets, with
 * views for common questions (rdmatap-export(1)). Times are nanoseconds since 1970.
 */
#ifndef OUTPUT_EXPORT_EXPORT_SQLITE_H
#define OUTPUT_EXPORT_EXPORT_SQLITE_H

#include <stdbool.h>

#include <rdmatap/error.h>
#include <rdmatap/message.h>
#include <rdmatap/operation.h>

#include "dissect/engine/packet.h"
#include "output/stats/findings.h"

struct export_sqlite;

/*
 * Creates the database; an existing regular file is replaced. packets: also write a table of all packets. FAILED: *sqlite is NULL.
 */
enum rtap_status export_sqlite_open(struct export_sqlite **sqlite, const char *name, bool packets, struct rtap_error *error)
	__attribute__((warn_unused_result));

/* Add a row. After a failure, which export_sqlite_close() reports, nothing more is added. */
void export_sqlite_packet(struct export_sqlite *sqlite, const struct rtap_packet *packet);
void export_sqlite_message(struct export_sqlite *sqlite, const struct rtap_message *message);
void export_sqlite_connection(struct export_sqlite *sqlite, const struct rtap_connection *connection);
void export_sqlite_operation(struct export_sqlite *sqlite, const struct rtap_operation *operation);

/* Two connections are one: at the end, rows of `from` become rows of `into`. turned: in the other direction. */
void export_sqlite_merge(struct export_sqlite *sqlite, uint64_t from, uint64_t into, bool turned);

/* The connection of a packet that was added before it was known. */
void export_sqlite_resolve(struct export_sqlite *sqlite, uint64_t frame, const struct rtap_flow_facts *flow);

/* Adds findings and intervals. */
void export_sqlite_stats(struct export_sqlite *sqlite, const struct stats *stats, const struct findings *findings);

/* Whether a row could not be added. */
bool export_sqlite_failed(const struct export_sqlite *sqlite);

/* Creates indexes and views, commits, closes and frees. FAILED: the database is incomplete. NULL is ignored. */
enum rtap_status export_sqlite_close(struct export_sqlite *sqlite, struct rtap_error *error);

#endif
