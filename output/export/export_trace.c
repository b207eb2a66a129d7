/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nanoseconds.h"
#include "dissect/flow.h"
#include "dissect/infiniband/ib.h"
#include "output/export/export_trace.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/message/operations.h"
#include "output/packet/object.h"
#include "output/packet/printer_file.h"

/* Kinds of tracks of a connection, in the order in which they are shown. */
enum track { TRACK_OPERATIONS, TRACK_MESSAGES, TRACK_RECOVERIES, TRACK_COUNT };

/* Events of one track must not overlap: overlapping events go to separate lanes. Beyond LANES at a time they become asynchronous events. */
#define LANES 64
#define SLOTS 512 /* number of connections whose lanes are kept; a power of two */

struct lanes {
	uint64_t connection; /* 0: messages without one */
	bool is_used;
	int64_t end_ns[TRACK_COUNT][2][LANES];
	uint8_t named[TRACK_COUNT][2]; /* number of lanes that have names */
};

struct export_trace {
	struct printer_file file;
	bool has_begun;
	bool names_rest;   /* the process of events without a connection has been named */
	int64_t begin_ns;
	int error;         /* -errno of the first failure; 0: none */
	uint64_t events;
	uint64_t asynchronous; /* number of asynchronous events, for their ids */
	struct lanes *slots;
};

/* An event to write: its members and how to write "args". */
struct event {
	const struct export_trace *trace;
	const char *prefix, *name, *category; /* the name is prefix, a space and name; without prefix: name */
	int64_t begin_ns, end_ns;
	uint64_t process;
	unsigned thread;
	uint64_t id;       /* of an asynchronous event; 0: complete event */
	void (*arguments)(const void *what, struct line *line);
	const void *what;
};

static void write_head(const void *what, struct line *line)
{
	const struct export_trace *trace = what;

	line_text(line, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
	object_time(line, "begin", trace->begin_ns);
	line_text(line, "},\"traceEvents\":[");
}

static void write_tail(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "\n]}\n");
}

static void put(struct export_trace *trace, void (*write)(const void *what, struct line *line), const void *what)
{
	if (!trace->error)
		trace->error = printer_write(&trace->file.printer, write, what);
}

/* "123.456": microseconds. */
static void object_microseconds(struct line *line, const char *key, int64_t nanoseconds)
{
	uint64_t size = nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds;

	object_key(line, key);
	if (nanoseconds < 0)
		line_char(line, '-');
	line_dec(line, size / 1000);
	line_char(line, '.');
	line_dec_padded(line, size % 1000, 3);
}

static void write_common(const struct event *event, const char *phase, struct line *line)
{
	line_text(line, event->trace->events ? ",\n{" : "\n{");
	object_text(line, "ph", phase);
	object_number(line, "pid", event->process);
	object_number(line, "tid", event->thread);
}

/* Negative if `time_ns` is earlier; saturates. */
static int64_t since(int64_t time_ns, int64_t begin_ns)
{
	int64_t difference;

	if (__builtin_sub_overflow(time_ns, begin_ns, &difference))
		return time_ns < begin_ns ? INT64_MIN + 1 : INT64_MAX;
	return difference;
}

static void write_named(const struct event *event, struct line *line)
{
	object_key(line, "name");
	line_char(line, '"');
	if (event->prefix) {
		line_text(line, event->prefix);
		line_char(line, ' ');
	}
	line_text(line, event->name);
	line_char(line, '"');
	object_text(line, "cat", event->category);
}

static void write_arguments(const struct event *event, struct line *line)
{
	if (!event->arguments)
		return;
	object_key(line, "args");
	event->arguments(event->what, line);
	if (!line->cut && line->next[-1] == '\n')
		line->next--;
}

static void write_event(const void *what, struct line *line)
{
	const struct event *event = what;
	int64_t begin_ns = since(event->begin_ns, event->trace->begin_ns);

	write_common(event, event->id ? "b" : "X", line);
	write_named(event, line);
	if (event->id)
		object_number(line, "id", event->id);
	object_microseconds(line, "ts", begin_ns);
	if (!event->id)
		object_microseconds(line, "dur", since(event->end_ns, event->begin_ns));
	write_arguments(event, line);
	line_char(line, '}');
	if (!event->id)
		return;
	line_text(line, ",\n{\"ph\":\"e\"");
	object_number(line, "pid", event->process);
	object_number(line, "tid", event->thread);
	write_named(event, line);
	object_number(line, "id", event->id);
	object_microseconds(line, "ts", since(event->end_ns, event->trace->begin_ns));
	line_char(line, '}');
}

/* Writes names of processes and threads: `name`, or if it is NULL the output of what(). */
static void write_metadata(const void *what, struct line *line)
{
	const struct event *event = what;

	write_common(event, "M", line);
	object_text(line, "name", event->category);
	object_key(line, "args");
	line_text(line, "{\"name\":\"");
	if (event->name)
		line_text(line, event->name);
	else
		event->arguments(event->what, line);
	line_text(line, "\"}}");
}

static void put_event(struct export_trace *trace, void (*write)(const void *what, struct line *line), struct event *event)
{
	event->trace = trace;
	put(trace, write, event);
	trace->events++;
}

static struct lanes *lanes_of(struct export_trace *trace, uint64_t connection)
{
	struct lanes *lanes = &trace->slots[connection & (SLOTS - 1)];

	if (lanes->is_used && lanes->connection == connection)
		return lanes;
	memset(lanes, 0, sizeof *lanes);
	lanes->connection = connection;
	lanes->is_used = true;
	for (int track = 0; track < TRACK_COUNT; track++)
		for (int lane = 0; lane < LANES; lane++)
			lanes->end_ns[track][0][lane] = lanes->end_ns[track][1][lane] = INT64_MIN;
	return lanes;
}

static void write_no_connection(const void *what, struct line *line)
{
	(void)what;
	line_text(line, "management datagrams");
}

static void name_lane(struct export_trace *trace, struct lanes *lanes, enum track track, bool from_a, unsigned lane, unsigned thread)
{
	static const char *const names[TRACK_COUNT][2] = {
		[TRACK_OPERATIONS] = { "operations b>a", "operations a>b" },
		[TRACK_MESSAGES] = { "messages b>a", "messages a>b" },
		[TRACK_RECOVERIES] = { "recoveries b>a", "recoveries a>b" },
	};

	if (lane < lanes->named[track][from_a])
		return;
	/* messages without a connection */
	if (!lanes->connection && !trace->names_rest) {
		trace->names_rest = true;
		put_event(trace, write_metadata, &(struct event){ .category = "process_name", .arguments = write_no_connection });
	}
	lanes->named[track][from_a]++;
	put_event(trace, write_metadata,
		  &(struct event){ .name = names[track][from_a], .category = "thread_name", .process = lanes->connection, .thread = thread });
}

/* Adds the event to the first lane that is free when it begins. */
static void put_on_track(struct export_trace *trace, enum track track, bool from_a, struct event *event)
{
	struct lanes *lanes = lanes_of(trace, event->process);
	int64_t *end_ns = lanes->end_ns[track][from_a];
	unsigned lane = 0;

	if (event->end_ns < event->begin_ns)
		event->end_ns = event->begin_ns;
	while (lane < LANES && end_ns[lane] > event->begin_ns)
		lane++;
	event->thread = ((unsigned)track * 2 + !from_a) * (LANES + 1) + lane + 1;
	if (lane < LANES)
		end_ns[lane] = event->end_ns;
	else
		event->id = ++trace->asynchronous;
	name_lane(trace, lanes, track, from_a, lane, event->thread);
	put_event(trace, write_event, event);
}

static void message_arguments(const void *what, struct line *line)
{
	message_json(what, line);
}

static void operation_arguments(const void *what, struct line *line)
{
	operation_json(what, line);
}

void export_trace_begin(struct export_trace *trace, int64_t time_ns)
{
	if (trace->has_begun)
		return;
	trace->has_begun = true;
	trace->begin_ns = time_ns;
	put(trace, write_head, trace);
}

void export_trace_message(struct export_trace *trace, const struct rtap_message *message)
{
	struct event event = {
		.name = message->kind == RTAP_KIND_UD || message->kind == RTAP_KIND_MAD ? rtap_message_kind_name((enum rtap_message_kind)message->kind) :
											 rtap_verb_name((enum rtap_verb)message->verb),
		.category = "message",
		.begin_ns = message->time_ns,
		.end_ns = message->time_end_ns,
		.process = message->connection ? message->connection->number : 0,
		.arguments = message_arguments,
		.what = message,
	};

	if (message->is_rpc)
		return;
	if (message->has_latency && ns_sum(message->time_ns, message->latency_ns) > event.end_ns)
		event.end_ns = ns_sum(message->time_ns, message->latency_ns);
	put_on_track(trace, TRACK_MESSAGES, message->from_a, &event);
}

void export_trace_operation(struct export_trace *trace, const struct rtap_operation *operation)
{
	struct event event = {
		.prefix = operation->layer,
		.name = operation->name ? operation->name : "unknown",
		.category = "operation",
		.begin_ns = operation->time_ns,
		.end_ns = operation->time_end_ns,
		.process = operation->connection->number,
		.arguments = operation_arguments,
		.what = operation,
	};

	put_on_track(trace, TRACK_OPERATIONS, operation->from_a, &event);
}

static void write_connection_name(const void *what, struct line *line)
{
	const struct rtap_connection *connection = what;

	line_text(line, "connection ");
	line_dec(line, connection->number);
	line_text(line, ": a ");
	end_text(&connection->a, line);
	line_text(line, ", b ");
	end_text(&connection->b, line);
}

void export_trace_connection(struct export_trace *trace, const struct rtap_connection *connection)
{
	put_event(trace, write_metadata,
		  &(struct event){ .category = "process_name", .process = connection->number, .arguments = write_connection_name,
							  .what = connection });
}

static void write_part_name(const void *what, struct line *line)
{
	const uint64_t *both = what;

	line_text(line, "connection ");
	line_dec(line, both[0]);
	line_text(line, ", a part of connection ");
	line_dec(line, both[1]);
}

void export_trace_merge(struct export_trace *trace, uint64_t from, uint64_t into)
{
	uint64_t both[2] = { from, into };

	put_event(trace, write_metadata, &(struct event){ .category = "process_name", .process = from, .arguments = write_part_name, .what = both });
}

static void frame_arguments(const void *what, struct line *line)
{
	const struct rtap_packet *packet = what;

	line_char(line, '{');
	object_number(line, "last_frame", packet->frame->number);
	line_char(line, '}');
}

static void put_recovery(struct export_trace *trace, const struct rtap_packet *packet, enum rtap_recovery cause, bool from_a,
			 int64_t begin_ns, int64_t end_ns)
{
	struct event event = { .name = flow_recovery_name((uint8_t)cause), .category = "recovery", .begin_ns = begin_ns, .end_ns = end_ns,
			       .process = packet->flow.connection,
			       .arguments = frame_arguments, .what = packet };

	/* the time lost is rounded, and unknown where a clock went back */
	if (begin_ns < trace->begin_ns)
		event.begin_ns = trace->begin_ns;
	put_on_track(trace, TRACK_RECOVERIES, from_a, &event);
}

void export_trace_packet(struct export_trace *trace, const struct rtap_packet *packet)
{
	const struct rtap_flow_facts *flow = &packet->flow;

	if (!flow->present)
		return;
	for (uint8_t i = 0; i < flow->tcp_recovery_count; i++) {
		const struct rtap_tcp_recovery *recovery = &flow->tcp_recoveries[i];

		if (!recovery->begins)
			put_recovery(trace, packet, (enum rtap_recovery)recovery->cause, recovery->from_a, recovery->begin_ns, recovery->end_ns);
	}
	if (flow->tcp_recovery_count || flow->time_lost_ns <= 0)
		return;
	/* the response that ends a recovery is sent by the other end than the retransmitted requests */
	put_recovery(trace, packet, (enum rtap_recovery)flow->lost_to, flow->from_a != ib_opcodes[packet->ib.opcode].is_response,
		     since(packet->frame->time_ns, flow->time_lost_ns), packet->frame->time_ns);
}

static void write_port_name(const void *what, struct line *line)
{
	const struct congestion_pause *pause = what;

	line_text(line, "port ");
	line_hex_bytes(line, pause->source, sizeof pause->source, ':');
}

/* The process of a port has the MAC address as its number, above those of connections. */
static uint64_t process_of_port(const struct congestion_pause *pause)
{
	uint64_t number = 0;

	for (size_t i = 0; i < sizeof pause->source; i++)
		number = number << 8 | pause->source[i];
	return number | UINT64_C(1) << 48;
}

static void pause_arguments(const void *what, struct line *line)
{
	const struct congestion_pause *pause = what;

	line_char(line, '{');
	object_number(line, "frame", pause->frame);
	line_char(line, '}');
}

/* A PAUSE of an unknown length has the length 0. */
static int64_t pause_length_ns(const struct congestion_pause *pause, unsigned priority)
{
	return pause->bits_per_second ? (int64_t)(pause->quanta[priority] * UINT64_C(512) * 1000000000 / pause->bits_per_second) : 0;
}

void export_trace_pause(struct export_trace *trace, const struct congestion_pause *pause)
{
	static const char *const names[PAUSE_PRIORITIES + 1] = {
		"pause of priority 0", "pause of priority 1", "pause of priority 2", "pause of priority 3", "pause of priority 4",
		"pause of priority 5", "pause of priority 6", "pause of priority 7", "pause",
	};
	uint64_t process = process_of_port(pause);
	struct lanes *lanes = lanes_of(trace, process);

	if (!lanes->named[0][0]++)
		put_event(trace, write_metadata,
			  &(struct event){ .category = "process_name", .process = process, .arguments = write_port_name, .what = pause });
	lanes->named[0][0] = 1;
	for (unsigned priority = 0; priority <= PAUSE_PRIORITIES; priority++) {
		if (!(pause->enabled >> priority & 1) || !pause->quanta[priority])
			continue;
		put_event(trace, write_event, &(struct event){
			.name = names[priority], .category = "pause", .begin_ns = pause->time_ns,
			.end_ns = ns_sum(pause->time_ns, pause_length_ns(pause, priority)),
			.process = process, .thread = priority + 1, .id = ++trace->asynchronous, .arguments = pause_arguments, .what = pause });
	}
}

bool export_trace_failed(const struct export_trace *trace)
{
	return trace->error;
}

enum rtap_status export_trace_open(struct export_trace **opened, const char *name, struct rtap_error *error)
{
	struct export_trace *trace = calloc(1, sizeof *trace);

	*opened = NULL;
	if (!trace || !(trace->slots = calloc(SLOTS, sizeof *trace->slots)))
		goto out_of_memory;
	if (printer_file_open(&trace->file, name, error) != RTAP_STATUS_OK)
		goto failed;
	*opened = trace;
	return RTAP_STATUS_OK;
out_of_memory:
	rtap_error_set(error, RTAP_ERROR_MEMORY, "out of memory");
failed:
	(void)!export_trace_close(trace, NULL);
	return RTAP_STATUS_FAILED;
}

enum rtap_status export_trace_close(struct export_trace *trace, struct rtap_error *error)
{
	enum rtap_status status;

	if (!trace)
		return RTAP_STATUS_OK;
	if (trace->file.name) {
		if (!trace->has_begun)
			export_trace_begin(trace, 0);
		put(trace, write_tail, NULL);
	}
	status = printer_file_close(&trace->file, trace->error, error);
	free(trace->slots);
	free(trace);
	return status;
}
