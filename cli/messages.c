/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap messages and rdmatap connections: list messages and connections.
 */
#include "config.h"

#include <stddef.h>

#include <rdmatap/tracker.h>

#include "cli/listing.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "output/message/connections.h"
#include "output/packet/hex.h"
#include "output/message/message_copy.h"
#include "output/message/messages.h"
#include "output/packet/printer.h"
#include "output/packet/colour.h"
#include "output/packet/text.h"

static void message_json_of(const void *what, struct line *line)
{
	message_json(what, line);
}

static void connection_json_of(const void *what, struct line *line)
{
	connection_json(what, line);
}

/* A message or connection as a record. */
struct record {
	const struct columns *columns;
	const void *what;
};

static void write_message(const void *what, struct line *line)
{
	const struct record *record = what;

	columns_write(record->columns, message_json_of, record->what, line);
}

static void write_connection(const void *what, struct line *line)
{
	const struct record *record = what;

	columns_write(record->columns, connection_json_of, record->what, line);
}

/* An item to write. */
struct text {
	const void *what;
	struct clock_listing times;
	bool hex, colour, wide;
};

static void write_coloured(const struct rtap_message *message, const struct text *text, struct line *line)
{
	enum colour mark = text->colour && !message->complete ? COLOUR_LOSS : COLOUR_NONE;

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

	connection_text(text->what, &text->times, text->colour, line);
}

static void show_message(void *owner, const struct rtap_message *message)
{
	struct listing *listing = owner;
	struct reader *reader = &listing->reader;
	bool is_selected = reader_selects(reader, message->wanted, message_json_of, message);
	struct text text;

	if (reader->unwritable || aborted || (listing->options->incomplete && message->complete) || (listing->options->rpc && !message->is_rpc) ||
	    !is_selected)
		return;
	text = (struct text){ message, listing->times, listing->options->hex, listing->colour, listing->options->wide };
	if (!write_later(listing, message)) {
		if (columns_are_made(&listing->options->columns))
			reader_write(reader, write_message, &(struct record){ &listing->options->columns, message });
		else
			reader_write(reader, write_message_text, &text);
	}
	clock_listed(&listing->times, message->time_ns);
}

static void show_connection(void *owner, const struct rtap_connection *connection)
{
	struct listing *listing = owner;
	struct reader *reader = &listing->reader;
	struct rtap_connection sampled;
	struct text text = { connection, listing->times, false, listing->colour, false };

	if (reader->unwritable || aborted)
		return;
	if (listing->options->sampled) {
		sampled = *connection;
		sampled.anomaly_counts[RTAP_CONNECTION_ANOMALY_LOST] = 0;
		text.what = &sampled;
	}
	if (!reader_selects(reader, false, connection_json_of, text.what))
		return;
	if (columns_are_made(&listing->options->columns))
		reader_write(reader, write_connection, &(struct record){ &listing->options->columns, text.what });
	else
		reader_write(reader, write_connection_text, &text);
	clock_listed(&listing->times, connection->time_ns);
}

static int run(const struct options *options, enum command command)
{
	struct listing listing = { .options = options, .times.form = options->clock };
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory,
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.checksums = options->checksum || command == COMMAND_CONNECTIONS,
		.bytes = options->hex,
		.owner = &listing,
	};

	if (command == COMMAND_MESSAGES)
		tracking.message = show_message;
	else
		tracking.connection = show_connection;
	if (listing_read(&listing, &tracking))
		listing_finish(&listing, "messages");
	return listing_close(&listing);
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
