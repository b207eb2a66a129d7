/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "base/array.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "mpi/exchange.h"
#include "mpi/lines.h"
#include "mpi/order.h"
#include "mpi/parallel_file.h"
#include "mpi/ranks.h"
#include "mpi/records.h"
#include "mpi/totals.h"
#include "output/message/message_copy.h"
#include "output/message/operation_copy.h"
#include "output/packet/printer.h"
#include "reassembly/tracker.h"

#define ASIDE (UINT64_MAX / 2) /* added to numbers of connections */

struct records {
	struct exchange *exchange;
	const char *output;       /* file that all ranks write; NULL: rank 0 prints */
	FILE *spool;              /* copies, each after its size */
	struct rtap_tracker_options shows; /* the command's own callbacks */
	struct order messages, operations, connections;
	void *copy;               /* of the record that is read or written */
	size_t copy_room;
	bool failed;
};

bool records_can_keep(const struct options *options)
{
	return !options->by && !options->sort && !options->hex && options->clock != CLOCK_DELTA && options->clock != CLOCK_DELTA_SHOWN;
}

struct records *records_create(struct exchange *exchange, const char *output)
{
	struct records *records = ranks_get(1, sizeof *records);

	records->exchange = exchange;
	records->output = output;
	records->spool = tmpfile();
	if (records->spool)
		return records;
	print_error("temporary file: %s", strerror(errno));
	ranks_give_up("a rank has no room for what is listed (make room in /tmp)");
}

void records_destroy(struct records *records)
{
	if (!records)
		return;
	order_fini(&records->messages);
	order_fini(&records->operations);
	order_fini(&records->connections);
	fclose(records->spool);
	free(records->copy);
	free(records);
}

static void fail(struct records *records, const char *reason)
{
	if (!records->failed)
		print_error("%s: the list is not complete", reason);
	records->failed = true;
}

static void order(struct records *records, struct order *order, uint64_t key)
{
	if (!order_add(order, key))
		fail(records, "out of memory");
}

static void number(struct records *records, struct order *order)
{
	if (!order_number(order))
		fail(records, "out of memory");
}

static void *copy_of(struct records *records, size_t size)
{
	char *copy = array_grow(records->copy, &records->copy_room, size, 1);

	if (!copy)
		return NULL;
	records->copy = copy;
	return copy;
}

/* Appends the copy of a record. */
static void save(struct records *records, size_t size)
{
	if (fwrite(&size, sizeof size, 1, records->spool) != 1 || fwrite(records->copy, size, 1, records->spool) != 1)
		fail(records, strerror(errno));
}

static void keep_message(void *owner, const struct rtap_message *message)
{
	struct records *records = owner;
	size_t size = message_copy_size(message);

	order(records, &records->messages, message->first_frame);
	if (!records->shows.message)
		return;
	/* the list of connections counts them at once */
	if (records->shows.connection) {
		records->shows.message(records->shows.owner, message);
		return;
	}
	if (!size || !copy_of(records, size)) {
		fail(records, "out of memory");
		return;
	}
	message_copy_fill(records->copy, message);
	save(records, size);
}

static void keep_operation(void *owner, const struct rtap_operation *operation)
{
	struct records *records = owner;
	size_t size = operation_copy_size(operation);

	/* those of one message follow it */
	order(records, &records->operations, records->messages.count ? records->messages.keys[records->messages.count - 1] : 0);
	if (!copy_of(records, size)) {
		fail(records, "out of memory");
		return;
	}
	operation_copy_fill(records->copy, operation);
	save(records, size);
}

struct connection_copy {
	struct rtap_connection connection;
	struct rtap_life_event life[RTAP_MAX_LIFE_EVENTS];
};

static void keep_connection(void *owner, const struct rtap_connection *connection)
{
	struct records *records = owner;
	struct connection_copy *copy = copy_of(records, sizeof *copy);

	if (!copy) {
		fail(records, "out of memory");
		return;
	}
	copy->connection = *connection;
	if (connection->life_count)
		memcpy(copy->life, connection->life, connection->life_count * sizeof copy->life[0]);
	save(records, sizeof *copy);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct records *records = owner;

	records->shows.merged(records->shows.owner, from, into, turned);
}

static bool is_wanted(void *owner, const struct rtap_packet *packet)
{
	struct records *records = owner;

	return records->shows.wanted(records->shows.owner, packet);
}

static void keep(void *owner, struct rtap_tracker_options *tracking)
{
	struct records *records = owner;

	records->shows = *tracking;
	tracking->owner = records;
	tracking->message = keep_message;
	if (tracking->operation)
		tracking->operation = keep_operation;
	if (tracking->connection)
		tracking->connection = keep_connection;
	if (tracking->merged)
		tracking->merged = take_merge;
	if (tracking->wanted)
		tracking->wanted = is_wanted;
}

/* Notes the connections that were created since. */
static void note_connections(struct records *records, const struct rtap_tracker *tracker, uint64_t frame)
{
	while (records->connections.count < tracker_connections(tracker) && !records->failed)
		order(records, &records->connections, frame);
}

static void took(void *owner, const struct rtap_tracker *tracker, const struct rtap_frame *frame)
{
	note_connections(owner, tracker, frame->number);
}

static uint64_t show_message(struct records *records)
{
	struct message_copy *copy = records->copy;
	struct rtap_connection connection = { .number = 0 };
	struct rtap_message message;

	message_copy_restore(copy, &message, &connection);
	message.number = order_find(&records->messages, message.number);
	message.partner = order_find(&records->messages, message.partner);
	connection.number = order_find(&records->connections, connection.number);
	records->shows.message(records->shows.owner, &message);
	return message.number;
}

static uint64_t show_operation(struct records *records)
{
	struct operation_copy *copy = records->copy;
	struct rtap_operation *operation = operation_copy_restore(copy);

	operation->number = order_find(&records->operations, operation->number);
	operation->request_message = order_find(&records->messages, operation->request_message);
	operation->response_message = order_find(&records->messages, operation->response_message);
	copy->connection.number = order_find(&records->connections, copy->connection.number);
	records->shows.operation(records->shows.owner, operation);
	return operation->number;
}

static uint64_t show_connection(struct records *records)
{
	struct connection_copy *copy = records->copy;

	copy->connection.number = order_find(&records->connections, copy->connection.number);
	copy->connection.life = copy->life;
	records->shows.connection(records->shows.owner, &copy->connection);
	return copy->connection.number;
}

/* Shows the record in memory; returns its number. */
static uint64_t show(struct records *records)
{
	if (records->shows.connection)
		return show_connection(records);
	return records->shows.message ? show_message(records) : show_operation(records);
}

static bool load(struct records *records)
{
	size_t size;

	if (fread(&size, sizeof size, 1, records->spool) != 1)
		return false;
	return copy_of(records, size) && fread(records->copy, size, 1, records->spool) == 1;
}

/* A record in the spool. */
struct place {
	uint64_t number;
	long begin;
};

static int compare_places(const void *one, const void *other)
{
	const struct place *a = one, *b = other;

	return (a->number > b->number) - (a->number < b->number);
}

/* Connections are reported when they are over: finds them in the order of their numbers. NULL: none, or out of memory. */
static struct place *find_places(struct records *records, size_t *count)
{
	const struct connection_copy *copy;
	struct place *places = NULL, *larger;
	size_t room = 0;
	long begin = 0;

	for (*count = 0; load(records); begin = ftell(records->spool), ++*count) {
		larger = array_grow(places, &room, *count + 1, sizeof *places);
		if (!larger) {
			fail(records, "out of memory");
			break;
		}
		places = larger;
		copy = records->copy;
		places[*count] = (struct place){ order_find(&records->connections, copy->connection.number), begin };
	}
	if (places)
		qsort(places, *count, sizeof *places, compare_places);
	return places;
}

/* Where records go: one of both. */
struct outlet {
	struct lines *lines;
	struct parallel_file *file;
};

static void put(const struct outlet *outlet, uint64_t number, const char *text, size_t length)
{
	if (outlet->file)
		parallel_file_add(outlet->file, text, length);
	else
		lines_add(outlet->lines, number, text, length);
}

/* The command formats each record into the printer's buffer; from there it goes to its place among those of all ranks. */
static void show_all(struct records *records, struct reader *reader, const struct outlet *outlet)
{
	struct printer merged = reader->printer, own;
	struct place *places;
	size_t count = 0;

	if (printer_init(&own, -1, false)) {
		fail(records, "out of memory");
		return;
	}
	rewind(records->spool);
	places = records->shows.connection ? find_places(records, &count) : NULL;
	for (size_t i = 0; !records->failed && !aborted && (!records->shows.connection || i < count); i++) {
		uint64_t number;

		if (places && fseek(records->spool, places[i].begin, SEEK_SET))
			fail(records, strerror(errno));
		if (!load(records))
			break;

		merged = reader->printer;
		reader->printer = own;
		number = show(records);
		own = reader->printer;
		reader->printer = merged;
		if (own.used)
			put(outlet, number, own.buffer, own.used);
		own.used = 0;
	}
	free(places);
	printer_fini(&own);
}

/* Rank 0 prints all records. */
static void print_all(struct records *records, struct reader *reader)
{
	struct lines *lines = lines_open(reader);

	show_all(records, reader, &(struct outlet){ .lines = lines });
	lines_close(lines);
}

/* All ranks write theirs. */
static void write_all(struct records *records, struct reader *reader)
{
	struct parallel_file *file;

	/* what the command has printed so far, a header, goes to the beginning of the file */
	reader_wrote(reader, printer_flush(&reader->printer));
	file = parallel_file_open(records->output);
	if (!file) {
		records->failed = true;
		return;
	}
	show_all(records, reader, &(struct outlet){ .file = file });
	records->failed |= !parallel_file_close(file);
}

/* What the command has counted for each connection gets its final number. No number is that of two meanwhile: first all move aside. */
static void renumber_connections(struct records *records)
{
	uint64_t count = records->connections.count;

	for (uint64_t i = 1; records->shows.merged && i <= count; i++)
		records->shows.merged(records->shows.owner, i, i + ASIDE, false);
	for (uint64_t i = 1; records->shows.merged && i <= count; i++)
		records->shows.merged(records->shows.owner, i + ASIDE, order_find(&records->connections, i), false);
}

static void deliver(void *owner, struct reader *reader, const struct rtap_tracker *tracker)
{
	struct records *records = owner;

	exchange_serve(records->exchange);
	note_connections(records, tracker, INT64_MAX);
	number(records, &records->messages);
	number(records, &records->operations);
	number(records, &records->connections);
	renumber_connections(records);
	if (records->output)
		write_all(records, reader);
	else
		print_all(records, reader);
	totals_share(reader, tracker);
	if (records->failed)
		reader->status = EXIT_ERROR;
}

void records_set_feed(struct records *records, struct feed *set)
{
	set->keep = keep;
	set->deliver = deliver;
	set->took = took;
	set->owner = records;
}
