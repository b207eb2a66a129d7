/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recording of RPCs, operations of other layers, and connection setups as they are reported. An RPC's call has the chunks, its reply the end time.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dissect/engine/packet_ends.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_status.h"
#include "dissect/management/cm.h"
#include "output/report/report_calls.h"
#include "output/report/report_internal.h"
#include "output/report/report_recoveries.h"

/* Operations that are in most compounds and do not characterise them. RFC 8881. */
static bool is_auxiliary(const char *name)
{
	static const char *const names[] = { "SEQUENCE", "PUTFH", "PUTROOTFH", "SAVEFH", "RESTOREFH", "GETFH", "GETATTR", "CB_SEQUENCE" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The name of a call's procedure: that of the first characteristic operation, else of the last one. NULL: it has none. */
static const char *name_of(const struct rtap_message *message)
{
	const char *name = NULL;

	for (uint32_t i = 0; i < message->item_count; i++) {
		if (!message->items[i].name)
			continue;
		name = message->items[i].name;
		if (!is_auxiliary(name))
			break;
	}
	return name;
}

static void label_rpc(const struct rtap_message *message, struct line *line)
{
	struct rtap_rpc_facts facts = { .program = message->program, .version = message->version, .procedure = message->procedure };
	const char *name = name_of(message);

	if (!message->program_known && !name) {
		line_text(line, "unknown program");
		return;
	}
	rpc_line_program(&facts, line);
	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else
		rpc_line_procedure(&facts, line);
}

/* `text` was cleared. */
static void copy_text(char *text, size_t room, const char *from)
{
	if (from)
		memcpy(text, from, strnlen(from, room - 1));
}

static struct report_call call_of(const struct rtap_message *message)
{
	struct report_call call = {
		.spot = { message->time_ns, -1 }, .frame = message->first_frame,
		.has_reads = message->read_chunks, .has_writes = message->write_chunks, .has_reply_chunk = message->reply_chunk,
	};
	struct line line;

	line_init(&line, call.kind, sizeof call.kind - 1);
	label_rpc(message, &line);
	line_init(&line, call.id, sizeof call.id - 1);
	line_text(&line, "xid 0x");
	line_hex_digits(&line, message->xid, 8);
	return call;
}

static void note_call(struct report *report, struct report_trace *trace, const struct rtap_message *message)
{
	struct report_call call = call_of(message);

	if (message->partner) {
		report->pending[message->number % REPORT_PENDING].call = call;
		report->pending[message->number % REPORT_PENDING].number = message->number;
		report->pending[message->number % REPORT_PENDING].lost_us = message->time_lost_us;
	} else {
		report_points_add(&trace->calls, &call);
	}
}

static void note_reply(struct report *report, struct report_trace *trace, const struct rtap_message *message)
{
	struct report_call call = call_of(message);
	uint64_t lost_us = message->time_lost_us;

	if (!message->has_latency || message->latency_ns < 0)
		return;
	call.frame = 0;
	call.spot.time_ns = (int64_t)((uint64_t)message->time_end_ns - (uint64_t)message->latency_ns);
	if (message->partner && report->pending[message->partner % REPORT_PENDING].number == message->partner) {
		call = report->pending[message->partner % REPORT_PENDING].call;
		lost_us += report->pending[message->partner % REPORT_PENDING].lost_us;
	}
	call.spot.place = message->latency_ns;
	call.reply_frame = message->first_frame;
	report_wait(report, &(struct report_recovery){
		.spot = { (int64_t)((uint64_t)call.spot.time_ns + (uint64_t)message->latency_ns), message->latency_ns },
		.frame = message->first_frame, .connection = message->connection->number, .from_a = !message->from_a, .cause = REPORT_WAIT,
	}, (int64_t)lost_us * 1000);
	if (message->rdma_error || (message->has_rpc_status && (!message->rpc_accepted || message->rpc_status))) {
		call.failed = true;
		copy_text(call.status, sizeof call.status, rpc_status_name(message));
	} else if (message->has_status && message->status) {
		call.failed = true;
		copy_text(call.status, sizeof call.status, message->status_name);
	}
	report_points_add(&trace->calls, &call);
}

void report_message(struct report *report, const struct rtap_message *message)
{
	struct report_trace *trace = message->is_rpc && message->connection ? report_trace_of(report, message->connection->number) : NULL;

	if (!trace)
		return;
	if (message->kind == RTAP_KIND_RPC_CALL)
		note_call(report, trace, message);
	else
		note_reply(report, trace, message);
}

/* Nanoseconds to the end of the response. An operation without one ends with its last frame; one that needed one: negative. */
static int64_t duration_of(const struct rtap_operation *operation)
{
	if (operation->has_latency)
		return operation->latency_ns < 0 ? -1 : operation->latency_ns;
	return operation->one_way ? ns_elapsed(operation->time_ns, operation->time_end_ns) : -1;
}

void report_calls_operation(struct report *report, const struct rtap_operation *operation)
{
	struct report_trace *trace = operation->connection ? report_trace_of(report, operation->connection->number) : NULL;
	struct report_call call = {
		.spot = { operation->time_ns, duration_of(operation) },
		.frame = operation->request_frame, .reply_frame = operation->response_frame,
		.failed = operation->has_status && !operation->ok,
		.has_reads = operation->carried == RTAP_CARRIED_READ, .has_writes = operation->carried == RTAP_CARRIED_WRITE,
	};
	struct line line;

	/* those with costly bodies are recorded with their messages; an event that did not happen is no missing response */
	if (!trace || operation->flags & RTAP_OPERATION_COSTLY || (operation->flags & RTAP_OPERATION_WAITS && !operation->has_latency))
		return;
	line_init(&line, call.kind, sizeof call.kind - 1);
	line_text(&line, operation->layer);
	line_char(&line, ' ');
	line_text(&line, operation->name);
	line_init(&line, call.id, sizeof call.id - 1);
	line_text(&line, operation->id ? "id " : "");
	line_text(&line, operation->id ? operation->id : "");
	if (call.failed)
		copy_text(call.status, sizeof call.status, operation->status);
	report_points_add(&trace->calls, &call);
}

/* The summary of a layer as in the one-line text, without the preceding comma. */
static void label_layer(const struct rtap_packet *packet, uint16_t protocol, struct line *line)
{
	const struct rtap_layer *layer = NULL;
	const char *begin = line->next;

	for (uint8_t i = 0; i < packet->layer_count && !layer; i++)
		if (packet->layers[i].protocol == protocol)
			layer = &packet->layers[i];
	if (!layer || !protocol_by_number(protocol)->summary)
		return;
	protocol_by_number(protocol)->summary(packet, layer, line);
	while (begin < line->next && (*begin == ':' || *begin == ',' || *begin == ' '))
		memmove((char *)begin, begin + 1, (size_t)(--line->next - begin));
}

static void label_tcp(uint8_t flags, struct line *line)
{
	line_text(line, flags & RTAP_TCP_FLAG_RST ? "TCP RST" : flags & RTAP_TCP_FLAG_SYN ? "TCP SYN" : "TCP FIN");
	if (flags & RTAP_TCP_FLAG_ACK && flags & RTAP_TCP_FLAG_SYN)
		line_text(line, ", ACK");
}

static void take_addresses(struct report_signal *signal, const struct rtap_packet *packet)
{
	struct rtap_end source, destination;

	packet_ends(packet, &source, &destination);
	signal->address_length = source.address_length;
	memcpy(signal->source, source.address, sizeof signal->source);
	memcpy(signal->destination, destination.address, sizeof signal->destination);
}

void report_signal(struct report *report, const struct rtap_packet *packet)
{
	uint8_t flags = packet->tcp.present && !packet->ib.has_bth ? packet->tcp.flags : 0;
	uint8_t ending = flags & (RTAP_TCP_FLAG_SYN | RTAP_TCP_FLAG_FIN | RTAP_TCP_FLAG_RST);
	bool terminates = packet->flow.present && packet->flow.completes && packet->flow.kind == RTAP_KIND_TERMINATE;
	struct report_signal *signal;
	struct line line;

	if (!packet->cm.present && !packet->mpa.present && !ending && !terminates)
		return;
	report->signals_seen++;
	if (!report->signals) {
		report->signals = calloc(REPORT_SIGNALS, sizeof *report->signals);
		report->refused += !report->signals;
	}
	if (!report->signals || report->signal_count == REPORT_SIGNALS)
		return;
	signal = &report->signals[report->signal_count++];
	signal->frame = packet->frame->number;
	signal->time_ns = packet->frame->time_ns;
	signal->is_tcp = !packet->cm.present;
	signal->source_port = packet->source_port;
	signal->destination_port = packet->destination_port;
	take_addresses(signal, packet);
	line_init(&line, signal->label, sizeof signal->label - 1);
	if (packet->cm.present) {
		label_layer(packet, cm_protocol(packet->cm.attribute), &line);
	} else if (packet->mpa.present) {
		label_layer(packet, packet->mpa.is_reply ? PROTOCOL_MPA_REPLY : PROTOCOL_MPA_REQUEST, &line);
	} else if (terminates) {
		label_layer(packet, PROTOCOL_RDMAP, &line);
	} else {
		label_tcp(packet->tcp.flags, &line);
	}
	signal->label_length = (uint8_t)(line.next - signal->label);
}
