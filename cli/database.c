/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap export --sqlite: writes a capture as a database.
 */
#include "config.h"

#include <rdmatap/tracker.h>

#include "cli/database.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "dissect/engine/protocol.h"
#include "output/export/export_sqlite.h"
#include "output/stats/congestion.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"

#define INTERVAL_NS INT64_C(1000000000) /* without --interval */

struct database {
	struct reader reader;
	struct rtap_tracker *tracker;
	struct stats *stats;
	struct findings findings;
	struct export_sqlite *sqlite;
};

static void take_message(void *owner, const struct rtap_message *message)
{
	struct database *database = owner;

	stats_message(database->stats, message);
	export_sqlite_message(database->sqlite, message);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct database *database = owner;

	stats_connection(database->stats, connection);
	export_sqlite_connection(database->sqlite, connection);
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct database *database = owner;

	stats_operation(database->stats, operation);
	export_sqlite_operation(database->sqlite, operation);
}

static void merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct database *database = owner;

	stats_merge(database->stats, from, into, turned);
	export_sqlite_merge(database->sqlite, from, into, turned);
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct database *database = owner;

	stats_resolve(database->stats, frame, flow);
	export_sqlite_resolve(database->sqlite, frame, flow);
}

static void take(void *owner, struct rtap_frame *frame)
{
	struct database *database = owner;
	struct congestion_pause pause;
	const struct rtap_packet *packet = reader_packet(&database->reader, frame);

	stats_packet(database->stats, packet);
	if (packet_has(packet, PROTOCOL_MAC_CONTROL) && congestion_pause_of(packet, &pause)) {
		pause.bits_per_second = reader_link_speed(&database->reader, packet->frame);
		congestion_note_pause(database->stats, &pause);
	}
	export_sqlite_packet(database->sqlite, packet);
	reader_count(&database->reader, packet);
	if (export_sqlite_failed(database->sqlite))
		database->reader.stop = true;
}

static bool open_all(struct database *database, const struct options *options)
{
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory / 4 * 3, .give_up_ns = options->give_up_ns, .dissect = &options->dissect,
		.message = take_message, .connection = take_connection, .operation = take_operation, .merged = merge, .resolved = resolve,
		.owner = database,
	};
	struct rtap_error error;

	database->stats = stats_create(&(struct stats_options){
		.max_memory = options->max_memory / 4,
		.interval_ns = options->interval_ns ? options->interval_ns : INTERVAL_NS,
		.sampled = options->sampled,
	});
	if (!database->stats) {
		print_error("out of memory");
		database->reader.status = EXIT_ERROR;
		return false;
	}
	if (export_sqlite_open(&database->sqlite, options->database, options->packets, &error) == RTAP_STATUS_OK &&
	    rtap_tracker_open(&database->tracker, &tracking, &error) == RTAP_STATUS_OK)
		return true;
	reader_fail(&database->reader, &error);
	return false;
}

int database_run(const struct options *options)
{
	static struct database database;
	struct reader *reader = &database.reader;
	struct rtap_error error;

	if (!reader_open(reader, options)) {
		reader->status = interrupted ? EXIT_DONE : EXIT_ERROR;
	} else if (open_all(&database, options)) {
		finishes_files = 1;
		reader_run(reader, database.tracker, take, &database);
		rtap_tracker_finish(database.tracker);
		findings_gather(&database.findings, database.stats);
		export_sqlite_stats(database.sqlite, database.stats, &database.findings);
		reader_report(reader, database.tracker);
	}
	rtap_tracker_close(database.tracker);
	if (export_sqlite_close(database.sqlite, &error) != RTAP_STATUS_OK)
		reader_fail(reader, &error);
	stats_destroy(database.stats);
	reader_close(reader);
	return reader->status;
}
