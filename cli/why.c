/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmatap why: the story of one connection, operation or packet. The files are read twice: first to find it, then to print it.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rdmatap/tracker.h>

#include "base/array.h"
#include "cli/options.h"
#include "cli/print_error.h"
#include "cli/reader.h"
#include "cli/spool.h"
#include "cli/why.h"
#include "dissect/engine/packet.h"
#include "output/packet/printer.h"
#include "output/stats/finding_text.h"
#include "output/stats/stats_packet.h"
#include "output/stats/why_text.h"

/* Events listed. */
#define EVENTS 100000
/* Merged connections whose numbers are kept. */
#define MERGES (1 << 20)
/* Numbers that packets of the connection had before it was recognised. */
#define ALIASES 64

enum selector { SELECT_WORST, SELECT_QP, SELECT_FRAME, SELECT_XID, SELECT_OPERATION, SELECT_CONNECTION };

static const char *const selector_names[] = { "", "qp=", "frame=", "xid=", "operation=", "connection=" };

struct merge {
	uint64_t from, into;
	bool turned;
};

struct alias {
	uint64_t number;
	bool turned;
};

struct telling {
	struct reader reader;
	struct rtap_tracker *tracker;
	const struct options *options;
	enum selector selector;
	uint64_t number;              /* of the selector */
	struct stats *stats;
	struct merge *merges;
	size_t merge_count, merge_room;
	uint64_t frame_connection;    /* with SELECT_FRAME: its number when the packet was processed; 0: none */
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
	struct telling *telling = owner;

	stats_message(telling->stats, message);
}

static void take_connection(void *owner, const struct rtap_connection *connection)
{
	struct telling *telling = owner;

	stats_connection(telling->stats, connection);
}

static void take_merge(void *owner, uint64_t from, uint64_t into, bool turned)
{
	struct telling *telling = owner;
	struct merge *merges;

	stats_merge(telling->stats, from, into, turned);
	if (telling->merge_count == MERGES)
		return;
	merges = array_grow(telling->merges, &telling->merge_room, telling->merge_count + 1, sizeof *merges);
	if (!merges)
		return;
	telling->merges = merges;
	telling->merges[telling->merge_count++] = (struct merge){ from, into, turned };
}

static void resolve(void *owner, uint64_t frame, const struct rtap_flow_facts *flow)
{
	struct telling *telling = owner;

	stats_resolve(telling->stats, frame, flow);
	if (telling->selector == SELECT_FRAME && frame == telling->number)
		telling->frame_connection = flow->connection;
}

/* Whether the selector names the operation, and how bad it is: the worst of several is taken. */
static bool is_named(const struct telling *telling, const struct rtap_operation *operation, uint64_t *rank)
{
	uint64_t last = operation->response_frame > operation->last_data_frame ? operation->response_frame : operation->last_data_frame;

	*rank = operation->time_lost_us ? UINT64_C(1) << 62 | operation->time_lost_us : operation->has_latency && operation->latency_ns > 0 ?
		(uint64_t)operation->latency_ns >> 2 : 0;
	switch (telling->selector) {
	case SELECT_WORST:
		return true;
	case SELECT_OPERATION:
		return operation->number == telling->number;
	case SELECT_XID:
		return operation->id && strtoull(operation->id, NULL, 0) == telling->number;
	case SELECT_FRAME:
		/* the shortest that it lies in */
		*rank = ~(last - operation->request_frame);
		return operation->connection->number == telling->frame_connection && operation->request_frame &&
		       operation->request_frame <= telling->number && last >= telling->number;
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
			subject->delays[subject->delay_count++] = (struct why_delay){ value->name, (int64_t)value->number };
	}
}

static void take_operation(void *owner, const struct rtap_operation *operation)
{
	struct telling *telling = owner;
	struct why_subject *subject = &telling->subject;
	uint64_t rank;

	if (!is_named(telling, operation, &rank) || (telling->found && rank <= telling->rank))
		return;
	telling->found = true;
	telling->rank = rank;
	*subject = (struct why_subject){
		.connection = operation->connection->number, .has_operation = true, .operation = operation->number,
		.request_frame = operation->request_frame, .response_frame = operation->response_frame, .from_a = operation->from_a,
		.has_latency = operation->has_latency, .latency_ns = operation->latency_ns, .one_way = operation->one_way,
		.first_frame = operation->request_frame ? operation->request_frame : operation->first_data_frame,
		.last_frame = operation->response_frame > operation->last_data_frame ? operation->response_frame : operation->last_data_frame,
	};
	snprintf(subject->name, sizeof subject->name, "%s %s%s%s", operation->layer, operation->name ? operation->name : "unknown",
		 operation->object ? " " : "", operation->object ? operation->object : "");
	take_delays(subject, operation);
	/* the answer that was lost after the capture is sent again later */
	subject->end_ns = operation->time_end_ns;
	if (operation->has_latency && operation->time_lost_us * INT64_C(1000) > operation->latency_ns)
		subject->end_ns += operation->time_lost_us * INT64_C(2000);
	/* without a response: to the end */
	if (!operation->response_frame && !operation->one_way)
		subject->last_frame = 0;
}

static void take_first(void *owner, struct rtap_frame *frame)
{
	struct telling *telling = owner;
	struct rtap_packet packet;

	reader_packet(&telling->reader, frame, &packet);
	stats_packet(telling->stats, &packet);
	if (telling->selector == SELECT_FRAME && frame->number == telling->number && packet.flow.present)
		telling->frame_connection = packet.flow.connection;
}

static void take_second(void *owner, struct rtap_frame *frame)
{
	struct telling *telling = owner;
	struct rtap_packet packet;

	reader_packet(&telling->reader, frame, &packet);
	reader_count(&telling->reader, &packet);
	for (size_t i = 0; packet.flow.present && i < telling->alias_count; i++)
		if (telling->aliases[i].number == packet.flow.connection)
			why_packet(telling->why, &packet, telling->aliases[i].turned);
}

/* The number that the connection has at the end. */
static uint64_t final_number(const struct telling *telling, uint64_t number)
{
	for (size_t i = 0; i < telling->merge_count; i++)
		if (telling->merges[i].from == number)
			number = telling->merges[i].into;
	return number;
}

static void find_aliases(struct telling *telling)
{
	telling->aliases[0] = (struct alias){ telling->subject.connection, false };
	telling->alias_count = 1;
	for (size_t i = telling->merge_count; i-- && telling->alias_count < ALIASES;)
		for (size_t known = 0; known < telling->alias_count; known++)
			if (telling->merges[i].into == telling->aliases[known].number) {
				telling->aliases[telling->alias_count++] = (struct alias){
					telling->merges[i].from, telling->merges[i].turned != telling->aliases[known].turned };
				break;
			}
}

static int64_t lost_ns(const struct stats *stats, const struct stats_connection *connection)
{
	return stats_time_lost(stats, &connection->directions[0]) + stats_time_lost(stats, &connection->directions[1]);
}

static bool is_candidate(const struct telling *telling, const struct stats_connection *connection)
{
	const struct stats_shown *shown = &connection->shown;

	if (telling->selector != SELECT_QP)
		return true;
	return (shown->a.qpn_known && shown->a.qpn == telling->number) || (shown->b.qpn_known && shown->b.qpn == telling->number);
}

/* Of the connections that the selector allows the one with most time lost, then with most bytes; 0: none. */
static uint64_t worst_connection(const struct telling *telling)
{
	const struct stats *stats = telling->stats;
	const struct stats_connection *worst = NULL;

	for (uint64_t i = 0; i < stats->table_room; i++) {
		const struct stats_connection *one = stats->table[i];
		uint64_t bytes, worst_bytes;

		if (!one || !one->reported || !is_candidate(telling, one))
			continue;
		bytes = one->directions[0].wire_bytes + one->directions[1].wire_bytes;
		worst_bytes = worst ? worst->directions[0].wire_bytes + worst->directions[1].wire_bytes : 0;
		if (!worst || lost_ns(stats, one) > lost_ns(stats, worst) || (lost_ns(stats, one) == lost_ns(stats, worst) && bytes > worst_bytes))
			worst = one;
	}
	return worst ? worst->shown.number : 0;
}

/* Decides what the story is about. False: there is no such thing; an error was printed. */
static bool choose(struct telling *telling)
{
	struct why_subject *subject = &telling->subject;
	const struct stats_connection *connection;
	uint64_t number = telling->found ? subject->connection : 0;
	struct line service;

	if (telling->selector == SELECT_CONNECTION)
		number = telling->number;
	else if (telling->selector == SELECT_FRAME && !telling->found)
		number = telling->frame_connection;
	else if (telling->selector == SELECT_QP || (telling->selector == SELECT_WORST && !telling->found))
		number = worst_connection(telling);
	if (telling->selector == SELECT_WORST && telling->found && telling->rank < UINT64_C(1) << 62) {
		/* no operation lost time; a connection may have */
		uint64_t worst = worst_connection(telling);

		if (worst && lost_ns(telling->stats, telling->stats->table[worst - 1]) > 0) {
			*subject = (struct why_subject){ .connection = worst };
			number = worst;
		}
	}
	number = final_number(telling, number);
	connection = number && number <= telling->stats->table_room ? telling->stats->table[number - 1] : NULL;
	if (!connection || !connection->reported) {
		if (telling->selector)
			print_error("%s%" PRIu64 ": not in the capture", selector_names[telling->selector], telling->number);
		else
			print_error("no connection in the capture");
		return false;
	}
	subject->connection = number;
	subject->a = connection->shown.a;
	subject->b = connection->shown.b;
	subject->usage = connection->usage;
	line_init(&service, subject->service, sizeof subject->service - 1);
	finding_service(connection, &service);
	*service.next = 0;
	find_aliases(telling);
	return true;
}

static void write_heading(const void *what, struct line *line)
{
	const struct telling *telling = what;

	why_heading(telling->why, &telling->style, line);
}

static void write_event(const void *what, struct line *line)
{
	const struct telling *telling = what;

	why_event(telling->why, telling->index, &telling->style, line);
}

/* The filter of the story's packets. */
static void put_filter(const struct telling *telling, struct line *line)
{
	line_text(line, telling->alias_count > 1 ? "rdmatap.connection in {" : "rdmatap.connection == ");
	for (size_t i = 0; i < telling->alias_count; i++) {
		line_text(line, i ? ", " : "");
		line_dec(line, telling->aliases[i].number);
	}
	line_text(line, telling->alias_count > 1 ? "}" : "");
	if (telling->subject.first_frame) {
		line_text(line, " && frame.number >= ");
		line_dec(line, telling->subject.first_frame);
	}
	if (telling->subject.last_frame) {
		line_text(line, " && frame.number <= ");
		line_dec(line, telling->subject.last_frame);
	}
}

static void write_verdict(const void *what, struct line *line)
{
	const struct telling *telling = what;

	why_verdict(telling->why, line);
	line_text(line, "Packets: -Y '");
	put_filter(telling, line);
	line_text(line, "'\n");
}

static void heading_json(const void *what, struct line *line)
{
	why_heading_json(((const struct telling *)what)->why, line);
}

static void event_json(const void *what, struct line *line)
{
	const struct telling *telling = what;

	why_event_json(telling->why, telling->index, line);
}

static void verdict_json(const void *what, struct line *line)
{
	why_verdict_json(((const struct telling *)what)->why, line);
}

static void write_heading_record(const void *what, struct line *line)
{
	const struct telling *telling = what;
	const struct columns *columns = &telling->options->columns;

	if (columns->form == COLUMNS_CSV)
		columns_write_header(columns, line);
	columns_write(columns, heading_json, telling, line);
}

static void write_event_record(const void *what, struct line *line)
{
	columns_write(&((const struct telling *)what)->options->columns, event_json, what, line);
}

static void write_verdict_record(const void *what, struct line *line)
{
	columns_write(&((const struct telling *)what)->options->columns, verdict_json, what, line);
}

static void write_story(struct telling *telling)
{
	struct reader *reader = &telling->reader;
	size_t events = why_finish(telling->why);
	bool records = columns_are_made(&telling->options->columns);

	telling->style = (struct why_style){
		.has_form = telling->options->clock_given, .form = telling->options->clock, .first_ns = telling->stats->first_ns,
		.colour = colour_is_wanted(telling->options->colour, reader->is_terminal),
	};
	reader_wrote(reader, printer_write(&reader->printer, records ? write_heading_record : write_heading, telling));
	for (; telling->index < events && !reader->unwritable && !hurried; telling->index++)
		reader_wrote(reader, printer_write(&reader->printer, records ? write_event_record : write_event, telling));
	reader_wrote(reader, printer_write(&reader->printer, records ? write_verdict_record : write_verdict, telling));
	reader_wrote(reader, printer_flush(&reader->printer));
}

/* Reads the files once. False: not to the end; the reader's status says why. */
static bool pass(struct telling *telling, const struct options *options, const struct rtap_tracker_options *tracking,
		 void (*take)(void *owner, struct rtap_frame *frame))
{
	telling->reader = (struct reader){ .status = EXIT_DONE };
	if (!reader_open(&telling->reader, options)) {
		telling->reader.status = interrupted ? EXIT_DONE : EXIT_ERROR;
		return false;
	}
	if (rtap_tracker_open(&telling->tracker, tracking, NULL)) {
		print_error("out of memory");
		telling->reader.status = EXIT_ERROR;
		return false;
	}
	reader_run(&telling->reader, telling->tracker, take, telling);
	rtap_tracker_finish(telling->tracker);
	return !telling->reader.interrupted && !hurried;
}

static int run(struct telling *telling, const struct options *options)
{
	struct options quietly = *options;
	struct rtap_tracker_options tracking = {
		.size = sizeof tracking,
		.max_memory = options->max_memory - options->max_memory / 8,
		.give_up_ns = options->give_up_ns,
		.dissect = &options->dissect,
		.message = take_message, .connection = take_connection, .merged = take_merge, .resolved = resolve, .operation = take_operation,
		.bare_replies = true,
		.owner = telling,
	};
	int status = EXIT_ERROR;

	quietly.progress = false;
	telling->stats = stats_create(&(struct stats_options){ .max_memory = options->max_memory / 16 });
	if (!telling->stats) {
		print_error("out of memory");
		return EXIT_ERROR;
	}
	if (!pass(telling, &quietly, &tracking, take_first) || !choose(telling)) {
		status = telling->reader.status == EXIT_DONE && hurried ? EXIT_DONE : EXIT_ERROR;
		goto out;
	}
	rtap_tracker_close(telling->tracker);
	telling->tracker = NULL;
	reader_close(&telling->reader);
	interrupted = 0;
	telling->why = why_create(&telling->subject, EVENTS);
	if (!telling->why) {
		print_error("out of memory");
		telling->reader = (struct reader){ .status = EXIT_ERROR };
		goto out;
	}
	tracking = (struct rtap_tracker_options){
		.size = sizeof tracking, .max_memory = tracking.max_memory, .give_up_ns = options->give_up_ns, .dissect = &options->dissect,
		.bare_replies = true, .owner = telling, .message = take_message,
	};
	/* a file that was there before can be gone */
	if (!pass(telling, options, &tracking, take_second) && !telling->tracker) {
		status = telling->reader.status;
		goto out;
	}
	write_story(telling);
	reader_report(&telling->reader, telling->tracker);
	status = telling->reader.status;
out:
	rtap_tracker_close(telling->tracker);
	reader_close(&telling->reader);
	return status;
}

/* Takes the selector out of the arguments. False: an error was printed. */
static bool take_selector(struct telling *telling, int *argc, char **argv)
{
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		enum selector selector = SELECT_WORST;
		char *end;

		for (int j = SELECT_QP; j <= SELECT_CONNECTION; j++)
			if (!strncmp(argv[i], selector_names[j], strlen(selector_names[j])))
				selector = (enum selector)j;
		if (!selector) {
			argv[kept++] = argv[i];
			continue;
		}
		if (telling->selector)
			return print_error("%s: only one of qp=, frame=, xid=, operation= and connection= is supported", argv[i]), false;
		telling->selector = selector;
		errno = 0;
		telling->number = strtoull(argv[i] + strlen(selector_names[selector]), &end, 0);
		if (errno || *end || end[-1] == '=' || strchr(argv[i], '-'))
			return print_error("%s: not a number", argv[i]), false;
	}
	argv[kept] = NULL;
	*argc = kept;
	return true;
}

int command_why(int argc, char **argv)
{
	static struct telling telling;
	struct options options = { 0 };
	int status = EXIT_ERROR;

	telling.options = &options;
	if (!take_selector(&telling, &argc, argv))
		return EXIT_ERROR;
	if (options_parse(&options, COMMAND_WHY, argc, argv) && spool_inputs(&options))
		status = run(&telling, &options);
	why_destroy(telling.why);
	stats_destroy(telling.stats);
	free(telling.merges);
	options_fini(&options);
	return status;
}
