/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap messages and rdmatap connections: list messages and connections.
 */
#include "config.h"

#include <stddef.h>

#include <rdmatap/tracker.h>

#include "cli/connection_usage.h"
#include "cli/listing.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "output/message/connections.h"
#include "output/packet/hex.h"
#include "output/message/message_copy.h"
#include "output/message/messages.h"
#include "output/packet/printer.h"
#include "output/packet/colour.h"
#include "output/packet/text.h"
#include "output/stats/usage.h"
#include "output/stats/usage_form.h"

static void message_json_of(const void *what, struct line *line)
{
	message_json(what, line);
}

/* A connection and its usage; NULL: its layer is known, or it has none. */
struct used {
	const struct rtap_connection *connection;
	const struct usage *usage;
};

static void connection_json_of(const void *what, struct line *line)
{
	const struct used *used = what;

	connection_json_open(used->connection, line);
	if (used->usage)
		usage_json("usage", used->usage, line);
	line_bytes(line, "}\n", 2);
}

/* An item to write. */
struct text {
	const void *what;
	struct clock_listing times;
	bool hex, colour, wide;
};

static void write_coloured(const struct rtap_message *message, const struct text *text, struct line *line)
{
	enum colour mark = text->colour && (!message->complete || message->time_lost_us) ? COLOUR_LOSS : COLOUR_NONE;

	colour_begin(mark, line);
	message_text(message, &text->times, text->wide, line);
	colour_end(mark, line);
}

static void write_message_text(const void *what, struct line *line)
{
	const struct text *text = what;
	const struct rtap_message *message = text->what;

	write_coloured(message, text, line);
	if (text->hex && message->bytes.bytes)
		hex_write(message->bytes.bytes, message->bytes.length, line);
}

/* A copy of an item, formatted as text or as a record by a thread of the pipeline. */
struct kept {
	struct text text; /* of the copy */
	const struct columns *columns;
	struct message_copy copy;
};

static void write_kept(const void *what, struct line *line)
{
	const struct kept *kept = what;
	struct rtap_connection connection;
	struct rtap_message message;

	message_copy_restore(&kept->copy, &message, &connection);
	columns_write(kept->columns, message_json_of, &message, line);
}

static void write_kept_text(const void *what, struct line *line)
{
	const struct kept *kept = what;
	struct rtap_connection connection;
	struct rtap_message message;

	message_copy_restore(&kept->copy, &message, &connection);
	write_coloured(&message, &kept->text, line);
}

static bool write_later(struct listing *listing, const struct rtap_message *message)
{
	struct pipeline *pipeline = listing->reader.pipeline;
	size_t size = pipeline_defers(pipeline) ? message_copy_size(message) : 0;
	struct kept *kept;

	if (!size)
		return false;
	kept = pipeline_write_later(pipeline, columns_are_made(&listing->options->columns) ? write_kept : write_kept_text,
				    offsetof(struct kept, copy) + size);
	if (!kept)
		return false;
	kept->text = (struct text){ NULL, listing->times, false, listing->colour, listing->options->wide };
	kept->columns = &listing->options->columns;
	message_copy_fill(&kept->copy, message);
	return true;
}

static void write_connection_text(const void *what, struct line *line)
{
	const struct text *text = what;
	const struct used *used = text->what;

	connection_text(used->connection, &text->times, text->colour, text->wide, line);
	if (!used->usage || !usage_has_pattern(used->usage))
		return;
	line_text(line, "    pattern: ");
	usage_pattern_text(used->usage, line);
	line_char(line, '\n');
}

static void show_message(void *owner, const struct rtap_message *message)
{
	struct listing *listing = owner;
	struct reader *reader = &listing->reader;
	bool is_selected = reader_selects(reader, message->wanted, message_json_of, message);
	struct text text;

	reader->packets.records++;
	if (reader->unwritable || aborted || (listing->options->incomplete && message->complete) || (listing->options->rpc && !message->is_rpc) ||
	    !is_selected)
		return;
	reader->packets.listed++;
	text = (struct text){ message, listing->times, listing->options->hex, listing->colour, listing->options->wide };
	if (!write_later(listing, message)) {
		if (columns_are_made(&listing->options->columns))
			reader_write_columns(reader, message_json_of, message);
		else
			reader_write(reader, write_message_text, &text);
	}
	clock_listed(&listing->times, message->time_ns);
}

/* A list of connections. */
struct connection_listing {
	struct listing listing;
	struct connection_usages usages;
};

static void show_connection(void *owner, const struct rtap_connection *connection)
{
	struct connection_listing *connections = owner;
	struct listing *listing = &connections->listing;
	struct reader *reader = &listing->reader;
	struct rtap_connection sampled;
	struct used used = { connection, connection_usage_of(&connections->usages, connection) };
	struct text text = { &used, listing->times, false, listing->colour, listing->options->wide };

	reader->packets.records++;
	if (reader->unwritable || aborted)
		return;
	if (listing->options->sampled) {
		sampled = *connection;
		sampled.anomaly_counts[RTAP_CONNECTION_ANOMALY_NOT_CAPTURED] = 0;
		used.connection = &sampled;
	}
	if (reader_selects(reader, false, connection_json_of, &used)) {
		reader->packets.listed++;
		if (columns_are_made(&listing->options->columns))
			reader_write_columns(reader, connection_json_of, &used);
		else
			reader_write(reader, write_connection_text, &text);
		clock_listed(&listing->times, connection->time_ns);
	}
	connection_usage_end(&connections->usages, connection->number);
}

static void count_message(void *owner, const struct rtap_message *message)
{
	connection_usage_message(&((struct connection_listing *)owner)->usages, message);
}

static void merge_connections(void *owner, uint64_t from, uint64_t into, bool turned)
{
	connection_usage_merge(&((struct connection_listing *)owner)->usages, from, into, turned);
}

#define USAGE_SHARE 8          /* part of the memory for the usage of connections */

static int run(const struct options *options, enum command command)
{
	struct connection_listing connections = { .listing = { .options = options, .times.form = options->clock },
						  .usages.max_memory = options->max_memory / USAGE_SHARE };
	struct listing *listing = &connections.listing;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory - (command == COMMAND_CONNECTIONS ? options->max_memory / USAGE_SHARE : 0),
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.checksums = options->checksum || command == COMMAND_CONNECTIONS,
		.bytes = options->hex,
		.owner = &connections,
	};

	if (command == COMMAND_MESSAGES) {
		tracking.message = show_message;
	} else {
		tracking.connection = show_connection;
		tracking.message = count_message;
		tracking.merged = merge_connections;
		listing->omits_data = true;
	}
	if (listing_read(listing, &tracking))
		listing_finish(listing);
	if (connections.usages.uncounted)
		print_error("connections without a known layer lack their pattern, for lack of memory (raise --max-memory)");
	connection_usages_fini(&connections.usages);
	return listing_close(listing);
}

static int command_run(enum command command, int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, command, argc, argv) ? run(&options, command) : EXIT_ERROR;

	options_fini(&options);
	return status;
}

int command_messages(int argc, char **argv)
{
	return command_run(COMMAND_MESSAGES, argc, argv);
}

int command_connections(int argc, char **argv)
{
	return command_run(COMMAND_CONNECTIONS, argc, argv);
}
