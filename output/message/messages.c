/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/flow.h"
#include "dissect/rpc/rpc_body.h"
#include "dissect/rpc/rpc_programs.h"
#include "dissect/rpc/rpc_status.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

/* Most of a message's missing ranges printed as text, and those in a long line; the rest is counted. */
#define SHOWN_HOLES 2
#define SHOWN_HOLES_LONG 1

void missing_json(const struct rtap_missing *missing, struct line *line)
{
	object_number(line, "offset", missing->offset);
	if (missing->length_known)
		object_number(line, "length", missing->length);
	object_text(line, "reason", rtap_missing_reason_name((enum rtap_missing_reason)missing->reason));
}

static void json_missing(const struct rtap_message *message, struct line *line)
{
	object_key(line, "missing");
	line_char(line, '[');
	for (uint32_t i = 0; i < message->missing_count; i++) {
		line_text(line, i ? ",{" : "{");
		missing_json(&message->missing[i], line);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void json_operands(const struct rtap_message *message, struct line *line)
{
	if (message->kind != RTAP_KIND_ATOMIC || message->verb == RTAP_VERB_ATOMIC_WRITE)
		return;
	if (message->request_seen) {
		object_hex(line, "swap_or_add", message->swap_or_add, 16);
		if (message->verb == RTAP_VERB_COMPARE_SWAP)
			object_hex(line, "compare", message->compare, 16);
	}
	if (message->complete)
		object_hex(line, "original", message->original, 16);
}

/* Members of verb messages only. */
static void json_verb(const struct rtap_message *message, struct line *line)
{
	if (message->has_msn)
		object_number(line, "msn", message->psn);
	else if (!message->connection || message->connection->transport != RTAP_TRANSPORT_IWARP)
		object_number(line, "psn", message->psn);
	if (message->has_key) {
		object_number(line, "r_key", message->r_key);
		object_hex(line, "virtual_address", message->virtual_address, 16);
	}
	if (message->has_immediate)
		object_number(line, "immediate", message->immediate);
	if (message->has_invalidate)
		object_number(line, "invalidated_r_key", message->invalidated_r_key);
	json_operands(message, line);
	if (message->outcome)
		object_text(line, "status", rtap_outcome_name((enum rtap_outcome)message->outcome));
	if (message->answered_in)
		object_number(line, "answered_in", message->answered_in);
	if (message->has_latency)
		object_seconds(line, "latency", message->latency_ns);
}

static void json_operations(const struct rtap_message *message, struct line *line)
{
	object_key(line, "operations");
	line_char(line, '[');
	for (uint32_t i = 0; i < message->item_count; i++) {
		const struct rtap_item *operation = &message->items[i];

		if (i)
			line_char(line, ',');
		line_char(line, '{');
		if (operation->name)
			object_text(line, "name", operation->name);
		else
			object_number(line, "number", operation->number);
		if (operation->has_status && operation->status_name)
			object_text(line, "status", operation->status_name);
		else if (operation->has_status)
			object_number(line, "status_number", operation->status);
		line_char(line, '}');
	}
	line_char(line, ']');
}

void program_json(uint32_t program, uint32_t version, uint32_t procedure, struct line *line)
{
	const char *name = rtap_name_of(rpc_program_names, program);

	object_number(line, "program", program);
	if (name)
		object_text(line, "program_name", name);
	object_number(line, "version", version);
	object_number(line, "procedure", procedure);
}

/* Members of RPC messages only. RFC 5531; RFC 8166. */
static void json_rpc(const struct rtap_message *message, struct line *line)
{
	bool is_reply = message->kind == RTAP_KIND_RPC_REPLY;

	object_number(line, "xid", message->xid);
	if (message->program_known)
		program_json(message->program, message->version, message->procedure, line);
	json_operations(message, line);
	if (is_reply && (message->has_rpc_status || message->rdma_error))
		object_text(line, "status", rpc_status_name(message));
	if (message->partner)
		object_number(line, is_reply ? "request" : "answer", message->partner);
	if (message->has_latency)
		object_seconds(line, "latency", message->latency_ns);
	if (message->rdma_version > 1)
		object_number(line, "rdma_version", message->rdma_version);
	if (is_reply && message->has_rdma_versions) {
		object_number(line, "rdma_version_low", message->rdma_version_low);
		object_number(line, "rdma_version_high", message->rdma_version_high);
	}
	object_number(line, "read_chunks", message->read_chunks);
	object_number(line, "write_chunks", message->write_chunks);
	object_bool(line, "reply_chunk", message->reply_chunk);
}

static void json_named(const char *key, const char *name, uint64_t value, unsigned digits, struct line *line)
{
	if (name) {
		object_text(line, key, name);
		return;
	}
	object_hex(line, key, value, digits);
}

/* Members of management datagrams only. IBTA vol. 1, 13.4. */
static void json_mad(const struct rtap_message *message, struct line *line)
{
	json_named("class", message->mad_class_name, message->mad_class, 2, line);
	json_named("method", message->mad_method_name, message->mad_method, 2, line);
	json_named("attribute", message->mad_attribute_name, message->mad_attribute, 4, line);
	object_hex(line, "transaction_id", message->transaction_id, 16);
	if (message->mad_status)
		json_named("mad_status", message->mad_status_name, message->mad_status, 4, line);
	if (message->rmpp_segment)
		object_number(line, "segment", message->rmpp_segment);
	if (message->segments) {
		object_number(line, "segments", message->segments);
		object_number(line, "segments_lost", message->segments_lost);
	}
	if (message->retry_of)
		object_number(line, "retry_of", message->retry_of);
	if (message->partner)
		object_number(line, message->mad_is_answer ? "request" : "answer", message->partner);
}

static void json_causes(const struct rtap_message *message, struct line *line)
{
	const char *before = "\"";

	object_key(line, "lost_to");
	line_char(line, '[');
	for (int cause = 0; cause < RTAP_RECOVERY_COUNT; cause++) {
		if (!(message->lost_to >> cause & 1))
			continue;
		line_text(line, before);
		line_text(line, flow_recovery_name((uint8_t)cause));
		line_char(line, '"');
		before = ",\"";
	}
	line_char(line, ']');
}

void message_json(const struct rtap_message *message, struct line *line)
{
	line_char(line, '{');
	object_number(line, "message", message->number);
	if (message->connection) {
		object_number(line, "connection", message->connection->number);
		object_text(line, "direction", message->from_a ? "a>b" : "b>a");
	}
	object_text(line, "kind", rtap_message_kind_name((enum rtap_message_kind)message->kind));
	if (!message->is_rpc)
		object_text(line, "verb", rtap_verb_name((enum rtap_verb)message->verb));
	object_number(line, "first_frame", message->first_frame);
	object_number(line, "last_frame", message->last_frame);
	if (!message->is_rpc)
		object_number(line, "frames", message->frames);
	object_time(line, "time", message->time_ns);
	object_time(line, "time_end", message->time_end_ns);
	object_number(line, "length", message->length);
	object_bool(line, "complete", message->complete);
	json_missing(message, line);
	object_number(line, "repeats", message->repeats);
	if (message->time_lost_us)
		object_seconds(line, "time_lost", message->time_lost_us * INT64_C(1000));
	if (message->lost_to)
		json_causes(message, line);
	if (message->resent)
		object_number(line, "resent", message->resent);
	if (message->is_rpc)
		json_rpc(message, line);
	else
		json_verb(message, line);
	if (message->is_mad)
		json_mad(message, line);
	if (message->has_crc) {
		object_key(line, "crc32");
		line_char(line, '"');
		line_hex_digits(line, message->crc32, 8);
		line_char(line, '"');
	}
	if (message->bytes.bytes && message->bytes.length) {
		object_key(line, "bytes");
		line_char(line, '"');
		line_hex_bytes(line, message->bytes.bytes, message->bytes.length, 0);
		line_char(line, '"');
	}
	if (message->bytes_evicted)
		object_bool(line, "bytes_evicted", true);
	line_bytes(line, "}\n", 2);
}

/* A missing range, as far as its position is known. */
static void text_hole(const struct rtap_message *message, uint32_t index, struct line *line)
{
	const struct rtap_missing *missing = &message->missing[index];

	if (missing->length_known) {
		line_dec(line, missing->length);
		line_text(line, " B at ");
		line_dec(line, missing->offset);
	} else if (index == 0 && missing->offset == 0) {
		line_text(line, "the beginning");
	} else {
		line_text(line, "the rest from ");
		line_dec(line, missing->offset);
	}
}

#define INCOMPLETE ", incomplete"

static const char *why_incomplete(const struct rtap_message *message)
{
	if (message->missing_count)
		return ": ";
	if (message->is_rpc)
		return ": the place of its chunks is not known";
	if (!message->request_seen)
		return ": its request not captured";
	return message->kind == RTAP_KIND_FLUSH ? ": its response not captured" : ": its packets do not add up to the length announced";
}

static void text_missing(const struct rtap_message *message, uint32_t most, struct line *line)
{
	static const char *const reasons[RTAP_MISSING_COUNT] = {
		[RTAP_MISSING_NOT_CAPTURED] = " not captured",
		[RTAP_MISSING_SNAPPED] = " (snapped)",
		[RTAP_MISSING_EVICTED] = " evicted for lack of memory",
	};
	uint32_t shown = message->missing_count < most ? message->missing_count : most;
	const char *why = why_incomplete(message);
	char *begin, *reason;

	line_text(line, INCOMPLETE);
	begin = line->next;
	line_text(line, why);
	for (uint32_t i = 0; i < shown; i++) {
		if (i)
			line_text(line, ", ");
		text_hole(message, i, line);
		/* of several with one reason at the last */
		if (i + 1 < shown && message->missing[i].reason == message->missing[i + 1].reason)
			continue;
		reason = line->next;
		line_text(line, reasons[message->missing[i].reason]);
		line_spare(line, reason, LINE_SPARE_LOWER);
	}
	if (message->missing_count > shown) {
		line_text(line, " and ");
		line_dec(line, message->missing_count - shown);
		line_text(line, " more");
	}
	line_spare(line, begin, LINE_SPARE_PACKET);
}

static char *put_operands(char *to, const struct rtap_message *message)
{
	bool swaps = message->verb == RTAP_VERB_COMPARE_SWAP;

	if (message->kind != RTAP_KIND_ATOMIC || message->verb == RTAP_VERB_ATOMIC_WRITE)
		return to;
	if (message->request_seen) {
		if (swaps)
			to = line_put_hex(line_put(to, ", compare 0x"), message->compare, 1);
		to = line_put_hex(line_put(to, swaps ? " swap 0x" : ", add 0x"), message->swap_or_add, 1);
	}
	return message->complete ? line_put_hex(line_put(to, ", was 0x"), message->original, 1) : to;
}

#define DURATION_MOST 40

/* "12.3 ms" */
static char *put_duration(char *to, int64_t ns)
{
	struct line line;

	if (ns < 0)
		return line_put(line_put_seconds(to, ns), " s");
	line_init(&line, to, DURATION_MOST);
	units_time(ns, &line);
	return line.next;
}

/* ", 540 ms lost (timeout)". `line` as for put_details(). */
static char *put_lost(char *to, const struct rtap_message *message, struct line *line)
{
	const char *before = " (";
	char *causes;

	to = causes = line_put(put_duration(line_put(to, ", "), message->time_lost_us * INT64_C(1000)), " lost");
	for (int cause = 0; cause < RTAP_RECOVERY_COUNT; cause++) {
		if (!(message->lost_to >> cause & 1))
			continue;
		to = line_put(line_put(to, before), flow_recovery_name((uint8_t)cause));
		before = ", ";
	}
	if (!message->lost_to)
		return to;
	to = line_put(to, ")");
	if (line)
		line_spare_within(line, causes, to, LINE_SPARE_DETAIL);
	return to;
}

/* `line`: in which it writes; NULL: elsewhere. */
static char *put_details(char *to, const struct rtap_message *message, struct line *line)
{
	char *begin = to;

	if (message->has_key) {
		to = line_put_hex(line_put(to, ", 0x"), message->r_key, 1);
		to = line_put_hex(line_put(to, "+0x"), message->virtual_address, 1);
		if (line)
			line_spare_within(line, begin, to, LINE_SPARE_MEMORY);
	}
	begin = to;
	to = put_operands(to, message);
	if (line && to > begin)
		line_spare_within(line, begin, to, LINE_SPARE_DETAIL);
	begin = to;
	if (message->has_immediate)
		to = line_put_hex(line_put(to, ", imm 0x"), message->immediate, 1);
	if (line && to > begin)
		line_spare_within(line, begin, to, LINE_SPARE_DETAIL);
	if (message->has_invalidate) {
		begin = to;
		to = line_put_hex(line_put(to, ", invalidates 0x"), message->invalidated_r_key, 1);
		if (line)
			line_spare_within(line, begin, to, LINE_SPARE_MEMORY);
	}
	if (message->outcome > RTAP_OUTCOME_GOOD || message->outcome == RTAP_OUTCOME_UNANSWERED)
		to = line_put(line_put(to, ", "), rtap_outcome_name((enum rtap_outcome)message->outcome));
	/* the latency of a call is printed with its reply */
	if (message->has_latency && !(message->kind == RTAP_KIND_RPC_CALL && message->partner))
		to = put_duration(line_put(to, ", "), message->latency_ns);
	if (message->time_lost_us)
		to = put_lost(to, message, line);
	begin = to;
	if (message->resent)
		to = line_put(line_put_dec(line_put(to, ", "), message->resent), " resent");
	if (message->repeats)
		to = line_put(line_put_dec(line_put(to, ", "), message->repeats), line_plural(message->repeats, " repeat", " repeats"));
	/* the time lost says more */
	if (line && to > begin && message->time_lost_us)
		line_spare_within(line, begin, to, LINE_SPARE_DETAIL);
	return message->has_crc ? line_put_hex(line_put(to, ", crc32 "), message->crc32, 8) : to;
}

/* For a message truncated before its first operation. */
static void text_procedure(const struct rtap_message *message, struct line *line)
{
	const struct rtap_rpc_facts facts = { .program = message->program, .version = message->version, .procedure = message->procedure };

	line_char(line, ' ');
	rpc_line_procedure(&facts, line);
}

/* `line` as for put_details(). */
static char *put_program(char *to, const struct rtap_message *message, struct line *line)
{
	const struct rpc_program *known;
	const char *name;
	char *begin = to;

	/* a reply has the number of its call */
	if (message->kind == RTAP_KIND_RPC_CALL || !message->partner)
		to = line_put_hex(line_put(to, " xid 0x"), message->xid, 8);
	if (line && message->partner && to > begin)
		line_spare_within(line, begin, to, LINE_SPARE_DETAIL);
	if (message->rdma_version > 1)
		to = line_put_dec(line_put(to, " RPC/RDMA version "), message->rdma_version);
	if (!message->program_known)
		return to;
	*to++ = ' ';
	known = rpc_program_find(message->program, message->version);
	if (known && known->text_length) {
		memcpy(to, known->text, sizeof known->text);
		return to + known->text_length;
	}
	name = rtap_name_of(rpc_program_names, message->program);
	to = name ? line_put(to, name) : line_put_dec(to, message->program);
	return line_put_dec(line_put(to, " v"), message->version);
}

/* `status`: of the whole, which is not repeated. */
static void text_operation(const struct rtap_item *operation, const char *status, struct line *line)
{
	line_char(line, ' ');
	if (operation->name)
		line_text(line, operation->name);
	else
		line_dec(line, operation->number);
	if (operation->has_status && operation->status && operation->status_name && (!status || strcmp(operation->status_name, status))) {
		line_char(line, '=');
		line_text(line, operation->status_name);
	}
}

/*
 * The program's operations. Of a COMPOUND those of the lowest tier, its purpose, as in the lines of packets, and what failed; all are in
 * the JSON object.
 */
static void text_operations(const struct rtap_message *message, struct line *line)
{
	const struct rpc_program *known = rpc_program_find(message->program, message->version);
	uint8_t (*tier_of)(uint32_t number) = known && known->tables ? known->tables->tier : NULL;
	uint8_t lowest = UINT8_MAX;

	for (uint32_t i = 0; tier_of && i < message->item_count; i++)
		if (tier_of(message->items[i].number) < lowest)
			lowest = tier_of(message->items[i].number);
	for (uint32_t i = 0; i < message->item_count; i++) {
		const struct rtap_item *item = &message->items[i];

		if (!tier_of || tier_of(item->number) == lowest || (item->has_status && item->status))
			text_operation(item, message->kind == RTAP_KIND_RPC_REPLY ? rpc_status_name(message) : NULL, line);
	}
}

/* The status, the reply, and the carrying messages. `line` as for put_details(). */
static char *put_answer(char *to, const struct rtap_message *message, struct line *line)
{
	bool is_reply = message->kind == RTAP_KIND_RPC_REPLY;
	char *begin = to;
	const char *name;

	if (is_reply && (message->has_rpc_status || message->rdma_error)) {
		bool is_ok = message->rpc_accepted && !message->rpc_status && message->has_status && !message->status && !message->rdma_error;

		name = is_ok ? "OK" : rpc_status_name(message);
		/* only an RDMA_ERROR has such a code */
		if (message->rdma_error && !strncmp(name, "RDMA_ERROR ERR_", strlen("RDMA_ERROR ERR_")))
			name += strlen("RDMA_ERROR ");
		to = line_put(line_put(to, " "), name);
		if (line && message->rpc_accepted && !message->rpc_status && !message->rdma_error && !message->status)
			line_spare_within(line, begin, to, LINE_SPARE_PACKET);
	}
	if (is_reply && message->has_rdma_versions)
		to = line_put_dec(line_put(line_put_dec(line_put(to, " versions "), message->rdma_version_low), " to "), message->rdma_version_high);
	return message->partner ? line_put_dec(line_put(to, is_reply ? ", call " : ", reply "), message->partner) : to;
}

/* Upper limit of the output of put_program() and put_answer(): six numbers with labels, or a name. */
#define RPC_MOST 256

/* " xid 0x12345678 NFS v3 READ" */
static void text_rpc(const struct rtap_message *message, struct line *line)
{
	char spare[RPC_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, put_program(begin, message, begin == line->next ? line : NULL));
	if (message->program_known && !message->item_count)
		text_procedure(message, line);
	text_operations(message, line);
	begin = line_begin(line, spare, sizeof spare);
	line_end(line, begin, put_answer(begin, message, begin == line->next ? line : NULL));
}

static void text_named(const char *name, uint64_t value, unsigned digits, struct line *line)
{
	line_char(line, ' ');
	if (name)
		line_text(line, name);
	else
		line_hex(line, value, digits);
}

/* " Subnet administration GetTableResp NodeRecord in 4 segments, 1 not seen, answers 1" */
static void text_mad(const struct rtap_message *message, struct line *line)
{
	static const char *const types[] = { "", "", " ACK", " STOP", " ABORT" };

	char *begin = line->next;

	text_named(message->mad_class_name, message->mad_class, 2, line);
	line_spare(line, begin, LINE_SPARE_LOWER);
	text_named(message->mad_method_name, message->mad_method, 2, line);
	text_named(message->mad_attribute_name, message->mad_attribute, 4, line);
	if (message->rmpp_type < sizeof types / sizeof types[0])
		line_text(line, types[message->rmpp_type]);
	if (message->rmpp_segment) {
		line_text(line, " segment ");
		line_dec(line, message->rmpp_segment);
	}
	if (message->segments) {
		line_text(line, " in ");
		line_dec(line, message->segments);
		line_text(line, message->segments == 1 ? " segment" : " segments");
	}
	if (message->segments_lost) {
		line_text(line, ", ");
		line_dec(line, message->segments_lost);
		line_text(line, " not seen");
	}
	if (message->mad_status) {
		line_text(line, ", status");
		text_named(message->mad_status_name, message->mad_status, 4, line);
	}
	if (message->retry_of) {
		line_text(line, ", retry of frame ");
		line_dec(line, message->retry_of);
	}
	if (message->partner) {
		char *partner = line->next;

		line_text(line, message->mad_is_answer ? ", request " : ", response ");
		line_dec(line, message->partner);
		line_spare(line, partner, LINE_SPARE_DETAIL);
	}
}

/* First and last frame; frames of other messages can be between them. `line` as for put_details(). */
static char *put_frames(char *to, const struct rtap_message *message, struct line *line)
{
	char *begin;

	begin = to = line_put(to, ", ");
	if (!message->is_rpc && message->frames < message->last_frame - message->first_frame + 1)
		to = line_put(line_put_dec(to, message->frames), " of ");
	if (line && to > begin)
		line_spare_within(line, begin, to, LINE_SPARE_PARTS);
	to = line_put_dec(line_put(to, message->first_frame == message->last_frame ? "frame " : "frames "), message->first_frame);
	if (message->last_frame != message->first_frame) {
		*to++ = '-';
		to = line_put_dec(to, message->last_frame);
	}
	return to;
}

/* Upper limit of the text before the RPC or MAD members: two ends, four numbers, and names. */
#define FRONT_MOST (2 * END_MOST + 160)

static const char *kind_text(const struct rtap_message *message)
{
	switch ((enum rtap_message_kind)message->kind) {
	case RTAP_KIND_RPC_CALL: return "call";
	case RTAP_KIND_RPC_REPLY: return "reply";
	case RTAP_KIND_ATOMIC: return rtap_verb_name((enum rtap_verb)message->verb);
	default: return rtap_message_kind_name((enum rtap_message_kind)message->kind);
	}
}

#define NUMBER_WIDTH 5
#define ENDS_WIDTH 30

static char *put_ends(char *to, const struct rtap_end *from, const struct rtap_end *other)
{
	char *begin = to;

	to = end_put_short(line_put(end_put_short(to, from), " > "), other);
	while (to < begin + ENDS_WIDTH)
		*to++ = ' ';
	return to;
}

/* "   12 0.001234 #3 10.0.0.1:800 > 10.0.0.2:20049 call" */
static char *put_front(char *to, const struct rtap_message *message, const struct clock_listing *times)
{
	const struct rtap_connection *connection = message->connection;

	uint64_t limit = 10;

	for (int width = 1; width < NUMBER_WIDTH; width++, limit *= 10)
		if (message->number < limit)
			*to++ = ' ';
	to = line_put_dec(to, message->number);
	*to++ = ' ';
	to = clock_put_listed(to, times, message->time_ns);
	*to++ = ' ';
	if (connection) {
		*to++ = '#';
		to = line_put_dec(to, connection->number);
		*to++ = ' ';
		to = put_ends(to, message->from_a ? &connection->a : &connection->b, message->from_a ? &connection->b : &connection->a);
		*to++ = ' ';
	}
	return line_put(to, kind_text(message));
}

/* Upper limit of the text after them: about ten numbers with labels. */
#define BACK_MOST 640

/* " 136 B, frame 7, 123 us" */
static char *put_back(char *to, const struct rtap_message *message, struct line *line)
{
	char *begin = to;

	if (message->is_rpc || message->is_mad)
		*to++ = ',';
	*to++ = ' ';
	to = line_put(line_put_dec(to, message->length), " B");
	/* the verb messages of an RPC have lengths too, and most datagrams the same one */
	if (line && (message->is_rpc || message->is_mad))
		line_spare_within(line, begin, to, LINE_SPARE_DETAIL);
	return put_details(put_frames(to, message, line), message, line);
}

/* `whole`: where the line begins. */
static void text_incomplete(const struct rtap_message *message, bool is_wide, const char *whole, struct line *line)
{
	char *begin = line->next;
	uint8_t spares = line->spare_count;

	text_missing(message, SHOWN_HOLES, line);
	if (is_wide || line->cut || line->next - whole <= LINE_COLUMNS || message->missing_count <= SHOWN_HOLES_LONG)
		return;
	line->next = begin;
	line->spare_count = spares;
	text_missing(message, SHOWN_HOLES_LONG, line);
}

void message_text(const struct rtap_message *message, const struct clock_listing *times, bool is_wide, struct line *line)
{
	char spare[BACK_MOST], *begin = line_begin(line, spare, FRONT_MOST);
	char *whole = line->next;

	line_end(line, begin, put_front(begin, message, times));
	line->after_ends = line->cut ? NULL : line->next - strlen(kind_text(message));
	if (message->is_rpc)
		text_rpc(message, line);
	if (message->is_mad)
		text_mad(message, line);
	begin = line_begin(line, spare, BACK_MOST);
	line_end(line, begin, put_back(begin, message, begin == line->next ? line : NULL));
	if (!message->complete)
		text_incomplete(message, is_wide, whole, line);
	if (message->bytes_evicted)
		line_text(line, ", bytes not kept for lack of memory");
	if (!is_wide)
		line_fit(line, whole);
	line->spare_count = 0;
	line_char(line, '\n');
}
