/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap why: explains one connection, operation or packet by its events. The files are read twice: first to find it, then to print it.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "base/array.h"
#include "cli/nothing_found.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/spool.h"
#include "cli/why.h"
#include "dissect/engine/packet.h"
#include "output/packet/printer.h"
#include "output/stats/finding_text.h"
#include "output/stats/stats_operation.h"
#include "output/stats/stats_packet.h"
#include "output/stats/why_text.h"

/* Limit of listed events. */
#define EVENTS 100000
/* Merged connections whose numbers are kept. */
#define MERGES (1 << 20)
/* Numbers that packets of the connection had before it was recognised. */
#define ALIASES 64

struct merge {
	uint64_t from, into;
	bool turned;
};

struct alias {
	uint64_t number;
	bool turned;
};

struct gathering {
	struct reader reader;
	struct rtap_tracker *tracker;
	const struct options *options;
	enum selector_kind selector;
	uint64_t number;              /* of the selector */
	struct stats *stats;
	struct merge *merges;
	size_t merge_count, merge_room;
	uint64_t frame_connection;    /* with SELECT_FRAME: its number when the packet was processed; 0: none */
	uint64_t last_frame;          /* of the capture */
	bool found;                   /* an operation that the selector names */
	uint64_t rank;                /* of that operation, to take the worst */
	struct why_subject subject;
	struct alias aliases[ALIASES];
	size_t alias_count;
	struct why *why;
	size_t index;                 /* of the event to be written */
	struct why_style style;
};

static void take_message(void *owner, const struct rtap_message *message)
{
	struct gathering *gathering = owner;

	stats_message(gathering->stats, message);
}

/* The second time, messages are reassembled only for the facts of their packets: the first time, they were counted. */
static void ignore_message(void *owner, const struct rtap_message *message)
{
	(void)owner;
	(void)message;
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct gathering *gathering = owner;

	stats_connection(gathering->stats, connection);
	/* a packet of communication management belongs to the connection that it made or ended */
	for (uint32_t i = 0; i < connection->life_count && gathering->selector == SELECT_FRAME; i++)
		if (connection->life[i].frame == gathering->number)
			gathering->frame_connection = connection->number;
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct gathering *gathering = owner;
	struct merge *merges;

	stats_merge(gathering->stats, from, into, turned);
	if (gathering->merge_count == MERGES)
		return;
	merges = array_grow(gathering->merges, &gathering->merge_room, gathering->merge_count + 1, sizeof *merges);
	if (!merges)
		return;
	gathering->merges = merges;
	gathering->merges[gathering->merge_count++] = (struct merge){ from, into, turned };
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct gathering *gathering = owner;

	stats_resolve(gathering->stats, frame, flow);
	if (gathering->selector == SELECT_FRAME && frame == gathering->number)
		gathering->frame_connection = flow->connection;
}

/* Ranks of operations that lost time to recoveries, and of those that their layer reports as held up. */
#define LOST (UINT64_C(1) << 62)
#define HELD_UP (UINT64_C(1) << 61)

/* The largest delay of an operation that its layer says was held up, unless everyone paused; 0: none, or unknown. */
static uint64_t held_up_ns(const struct rtap_operation *operation)
{
	bool is_held_up = false;
	uint64_t most_ns = 0, paused_ns = 0;

	for (uint32_t i = 0; i < operation->value_count; i++) {
		const struct rtap_named_value *value = &operation->values[i];

		if (value->type == RTAP_VALUE_TEXT && !strcmp(value->name, "verdict"))
			is_held_up = strcmp(value->text, "none") != 0;
		else if (value->type == RTAP_VALUE_TIME && value->wait == RTAP_WAIT_ALL)
			paused_ns = value->number;
		else if (value->type == RTAP_VALUE_TIME && value->wait != RTAP_WAIT_NONE && value->number > most_ns)
			most_ns = value->number;
	}
	return is_held_up && most_ns >= paused_ns ? most_ns : 0;
}

/* Whether the selector names the operation, and how bad it is: the worst of several is taken. */
static bool is_named(const struct gathering *gathering, const struct rtap_operation *operation, uint64_t *rank)
{
	uint64_t last = operation->response_frame > operation->last_data_frame ? operation->response_frame : operation->last_data_frame;

	*rank = operation->time_lost_us ? LOST | operation->time_lost_us : held_up_ns(operation) ? HELD_UP | held_up_ns(operation) >> 3 :
		operation->has_latency && operation->latency_ns > 0 ? (uint64_t)operation->latency_ns >> 3 : 0;
	switch (gathering->selector) {
	case SELECT_WORST:
		return true;
	case SELECT_OPERATION:
		return operation->number == gathering->number;
	case SELECT_XID:
		return operation->id && strtoull(operation->id, NULL, 0) == gathering->number;
	case SELECT_FRAME:
		/* the shortest operation that contains it */
		*rank = ~(last - operation->request_frame);
		return operation->connection->number == gathering->frame_connection && operation->request_frame &&
		       operation->request_frame <= gathering->number && last >= gathering->number;
	default:
		return false;
	}
}

static void take_delays(struct why_subject *subject, const struct rtap_operation *operation)
{
	for (uint32_t i = 0; i < operation->value_count; i++) {
		const struct rtap_named_value *value = &operation->values[i];

		if (value->type == RTAP_VALUE_TEXT && !strcmp(value->name, "verdict"))
			snprintf(subject->verdict, sizeof subject->verdict, "%s", value->text);
		else if (value->type == RTAP_VALUE_TIME && value->wait != RTAP_WAIT_NONE && subject->delay_count < WHY_DELAYS)
			subject->delays[subject->delay_count++] = (struct why_delay){ value->name, value->wait, (int64_t)value->number };
	}
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct gathering *gathering = owner;
	struct why_subject *subject = &gathering->subject;
	uint64_t rank;

	/* of other connections the use is shown, which is unknown once operations are counted */
	if (operation->flags & RTAP_OPERATION_COSTLY)
		stats_operation(gathering->stats, operation);
	else
		stats_operation_layer(gathering->stats, operation);
	if (!is_named(gathering, operation, &rank) || (gathering->found && rank <= gathering->rank))
		return;
	gathering->found = true;
	gathering->rank = rank;
	*subject = (struct why_subject){
		.connection = operation->connection->number, .has_operation = true, .layer = operation->layer, .operation = operation->number,
		.request_frame = operation->request_frame, .response_frame = operation->response_frame, .from_a = operation->from_a,
		.has_latency = operation->has_latency, .latency_ns = operation->latency_ns, .one_way = operation->one_way,
		.first_frame = operation->request_frame ? operation->request_frame : operation->first_data_frame,
		.last_frame = operation->response_frame > operation->last_data_frame ? operation->response_frame : operation->last_data_frame,
	};
	snprintf(subject->name, sizeof subject->name, "%s %s%s%s", operation->layer, operation->name ? operation->name : "unknown",
		 operation->object ? " " : "", operation->object ? operation->object : "");
	take_delays(subject, operation);
	/* after the last frame, the response may be retransmitted */
	subject->end_ns = operation->time_end_ns;
	subject->ack_timeout = operation->connection->retries_known ? operation->connection->ack_timeout : 0;
	/* without a response: to the end */
	if (!operation->response_frame && !operation->one_way)
		subject->last_frame = 0;
}

static void take_first(void *owner, struct rtap_frame *frame)
{
	struct gathering *gathering = owner;
	const struct rtap_packet *packet = reader_packet(&gathering->reader, frame);

	reader_count(&gathering->reader, packet);
	nothing_found_note(&gathering->reader, packet);
	stats_packet(gathering->stats, packet);
	gathering->last_frame = frame->number;
	if (gathering->selector == SELECT_FRAME && frame->number == gathering->number && packet->flow.present)
		gathering->frame_connection = packet->flow.connection;
}

static void take_second(void *owner, struct rtap_frame *frame)
{
	struct gathering *gathering = owner;
	const struct rtap_packet *packet = reader_packet(&gathering->reader, frame);

	reader_count(&gathering->reader, packet);
	for (size_t i = 0; packet->flow.present && i < gathering->alias_count; i++)
		if (gathering->aliases[i].number == packet->flow.connection)
			why_packet(gathering->why, packet, gathering->aliases[i].turned);
}

/* The number that the connection has at the end. */
static uint64_t final_number(const struct gathering *gathering, uint64_t number)
{
	for (size_t i = 0; i < gathering->merge_count; i++)
		if (gathering->merges[i].from == number)
			number = gathering->merges[i].into;
	return number;
}

static void find_aliases(struct gathering *gathering)
{
	gathering->aliases[0] = (struct alias){ gathering->subject.connection, false };
	gathering->alias_count = 1;
	for (size_t i = gathering->merge_count; i-- && gathering->alias_count < ALIASES;)
		for (size_t known = 0; known < gathering->alias_count; known++)
			if (gathering->merges[i].into == gathering->aliases[known].number) {
				gathering->aliases[gathering->alias_count++] = (struct alias){
					gathering->merges[i].from, gathering->merges[i].turned != gathering->aliases[known].turned };
				break;
			}
}

static int64_t lost_ns(const struct stats *stats, const struct stats_connection *connection)
{
	return ns_sum(stats_time_lost(stats, &connection->directions[0]), stats_time_lost(stats, &connection->directions[1]));
}

static bool is_candidate(const struct gathering *gathering, const struct stats_connection *connection)
{
	const struct stats_shown *shown = &connection->shown;

	if (gathering->selector != SELECT_QP)
		return true;
	return (shown->a.qpn_known && shown->a.qpn == gathering->number) || (shown->b.qpn_known && shown->b.qpn == gathering->number);
}

/* Of the selected connections, the one with the most time lost, then with the most bytes; 0: none. */
static uint64_t worst_connection(const struct gathering *gathering)
{
	const struct stats *stats = gathering->stats;
	const struct stats_connection *worst = NULL;

	for (uint64_t i = 0; i < stats->table_room; i++) {
		const struct stats_connection *one = stats->table[i];
		uint64_t bytes, worst_bytes;

		if (!one || !one->reported || !is_candidate(gathering, one))
			continue;
		bytes = one->directions[0].wire_bytes + one->directions[1].wire_bytes;
		worst_bytes = worst ? worst->directions[0].wire_bytes + worst->directions[1].wire_bytes : 0;
		if (!worst || lost_ns(stats, one) > lost_ns(stats, worst) || (lost_ns(stats, one) == lost_ns(stats, worst) && bytes > worst_bytes))
			worst = one;
	}
	return worst ? worst->shown.number : 0;
}

/* Chooses the connection, operation or packet to explain. False: not found; an error was printed. */
static bool choose(struct gathering *gathering)
{
	struct why_subject *subject = &gathering->subject;
	const struct stats_connection *connection;
	uint64_t number = gathering->found ? subject->connection : 0;
	struct line service;

	if (gathering->selector == SELECT_CONNECTION)
		number = gathering->number;
	else if (gathering->selector == SELECT_FRAME && !gathering->found)
		number = gathering->frame_connection;
	else if (gathering->selector == SELECT_QP || (gathering->selector == SELECT_WORST && !gathering->found))
		number = worst_connection(gathering);
	if (gathering->selector == SELECT_WORST && gathering->found && gathering->rank < HELD_UP) {
		/* no operation lost time or was held up; a connection may have lost some */
		uint64_t worst = worst_connection(gathering);

		if (worst && lost_ns(gathering->stats, gathering->stats->table[worst - 1]) > 0) {
			*subject = (struct why_subject){ .connection = worst };
			number = worst;
		}
	}
	number = final_number(gathering, number);
	connection = stats_known(gathering->stats, number);
	if (!connection || !connection->reported) {
		if (gathering->selector == SELECT_FRAME && gathering->number && gathering->number <= gathering->last_frame)
			print_error("frame=%" PRIu64 ": part of no connection (rdmatap -r FILE -V -Y 'frame.number == %" PRIu64 "' shows it)",
				    gathering->number, gathering->number);
		else if (gathering->selector)
			print_error("%s: not in the capture", gathering->options->selector.text);
		else
			nothing_found_report(&gathering->reader, gathering->tracker);
		return false;
	}
	subject->connection = number;
	subject->a = connection->shown.a;
	subject->b = connection->shown.b;
	subject->packets = subject->has_operation ? 0 : connection->shown.packets;
	subject->usage = connection->usage;
	line_init(&service, subject->service, sizeof subject->service - 1);
	if (subject->has_operation && !connection->program_known)
		line_text(&service, subject->layer);
	else
		finding_service(connection, &service);
	*service.next = 0;
	find_aliases(gathering);
	return true;
}

static void write_heading(const void *what, struct line *line)
{
	const struct gathering *gathering = what;

	why_heading(gathering->why, &gathering->style, line);
}

static void write_event(const void *what, struct line *line)
{
	const struct gathering *gathering = what;

	why_event(gathering->why, gathering->index, &gathering->style, line);
}

/* Writes the display filter of the packets shown. */
static void put_filter(const struct gathering *gathering, struct line *line)
{
	line_text(line, gathering->alias_count > 1 ? "rdmatap.connection in {" : "rdmatap.connection == ");
	for (size_t i = 0; i < gathering->alias_count; i++) {
		line_text(line, i ? ", " : "");
		line_dec(line, gathering->aliases[i].number);
	}
	line_text(line, gathering->alias_count > 1 ? "}" : "");
	if (gathering->subject.first_frame) {
		line_text(line, " && frame.number >= ");
		line_dec(line, gathering->subject.first_frame);
	}
	if (gathering->subject.last_frame) {
		line_text(line, " && frame.number <= ");
		line_dec(line, why_last_frame(gathering->why));
	}
}

static void write_verdict(const void *what, struct line *line)
{
	const struct gathering *gathering = what;

	why_verdict(gathering->why, line);
	line_text(line, "Packets: -Y '");
	put_filter(gathering, line);
	line_text(line, "'\n");
}

static void heading_json(const void *what, struct line *line)
{
	why_heading_json(((const struct gathering *)what)->why, line);
}

static void event_json(const void *what, struct line *line)
{
	const struct gathering *gathering = what;

	why_event_json(gathering->why, gathering->index, line);
}

static void verdict_json(const void *what, struct line *line)
{
	why_verdict_json(((const struct gathering *)what)->why, line);
}

static void write_part(struct gathering *gathering, void (*text)(const void *gathering, struct line *line),
		       void (*json)(const void *gathering, struct line *line))
{
	if (columns_are_made(&gathering->options->columns))
		reader_write_columns(&gathering->reader, json, gathering);
	else
		reader_write(&gathering->reader, text, gathering);
}

static void write_events(struct gathering *gathering)
{
	struct reader *reader = &gathering->reader;
	size_t events = why_event_count(gathering->why);

	gathering->style = (struct why_style){
		.has_form = gathering->options->clock_given, .form = gathering->options->clock, .first_ns = gathering->stats->first_ns,
		.colour = colour_is_wanted(gathering->options->colour, reader->is_terminal),
	};
	if (gathering->options->columns.form == COLUMNS_CSV)
		reader_write(reader, columns_write_header, &gathering->options->columns);
	write_part(gathering, write_heading, heading_json);
	for (; gathering->index < events && !reader->unwritable && !aborted; gathering->index++)
		write_part(gathering, write_event, event_json);
	write_part(gathering, write_verdict, verdict_json);
	reader_wrote(reader, printer_flush(&reader->printer));
}

/* Reads the files once. False: not to the end; the reader's status says why. */
static bool pass(struct gathering *gathering, const struct options *options, const struct rtap_tracker_options *tracking,
		 void (*take)(void *owner, struct rtap_frame *frame))
{
	gathering->reader = (struct reader){ .status = EXIT_DONE };
	if (!reader_open(&gathering->reader, options)) {
		gathering->reader.status = interrupted ? EXIT_DONE : EXIT_ERROR;
		return false;
	}
	if (rtap_tracker_open(&gathering->tracker, tracking, NULL)) {
		print_error("out of memory");
		gathering->reader.status = EXIT_ERROR;
		return false;
	}
	reader_run(&gathering->reader, gathering->tracker, take, gathering);
	rtap_tracker_finish(gathering->tracker);
	return !gathering->reader.interrupted && !aborted;
}

static int run(struct gathering *gathering, const struct options *options)
{
	struct options quietly = *options;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory - options->max_memory / 8,
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.message = take_message, .connection = take_connection, .merged = take_merge, .resolved = resolve, .operation = take_operation,
		.bare_replies = true,
		.owner = gathering,
	};
	int status = EXIT_ERROR;

	quietly.progress = false;
	gathering->stats = stats_create(&(struct stats_options){ .max_memory = options->max_memory / 16 });
	if (!gathering->stats) {
		print_error("out of memory");
		return EXIT_ERROR;
	}
	if (!pass(gathering, &quietly, &tracking, take_first) || !choose(gathering)) {
		status = gathering->reader.status == EXIT_DONE && (aborted || !gathering->selector) ? EXIT_DONE : EXIT_ERROR;
		goto out;
	}
	rtap_tracker_close(gathering->tracker);
	gathering->tracker = NULL;
	reader_close(&gathering->reader);
	interrupted = 0;
	gathering->why = why_create(&gathering->subject, EVENTS);
	if (!gathering->why) {
		print_error("out of memory");
		gathering->reader = (struct reader){ .status = EXIT_ERROR };
		goto out;
	}
	tracking = (struct rtap_tracker_options){
		.size = sizeof tracking, .max_memory = tracking.max_memory, .give_up_ns = options->give_up_ns, .dissect = &options->dissect,
		.bare_replies = true, .owner = gathering, .message = ignore_message,
	};
	/* a file that was there before can be gone */
	if (!pass(gathering, options, &tracking, take_second) && !gathering->tracker) {
		status = gathering->reader.status;
		goto out;
	}
	write_events(gathering);
	reader_report(&gathering->reader, gathering->tracker);
	status = gathering->reader.status;
out:
	rtap_tracker_close(gathering->tracker);
	reader_close(&gathering->reader);
	return status;
}

int command_why(int argc, char **argv)
{
	static struct gathering gathering;
	struct options options = { 0 };
	int status = EXIT_ERROR;

	gathering.options = &options;
	if (options_parse(&options, COMMAND_WHY, argc, argv) && spool_inputs(&options)) {
		gathering.selector = options.selector.kind;
		gathering.number = options.selector.number;
		status = run(&gathering, &options);
	}
	why_destroy(gathering.why);
	stats_destroy(gathering.stats);
	free(gathering.merges);
	options_fini(&options);
	gathering.options = NULL;
	return status;
}
