/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/messages.h"
#include "output/object.h"

/* Of a message in text: the rest is counted. */
#define SHOWN_HOLES 4

static void json_missing(const struct rtap_message *message, struct line *line)
{
	object_key(line, "missing");
	line_char(line, '[');
	for (uint32_t i = 0; i < message->missing_count; i++) {
		const struct rtap_missing *missing = &message->missing[i];

		if (i)
			line_char(line, ',');
		line_char(line, '{');
		object_number(line, "offset", missing->offset);
		if (missing->length_known)
			object_number(line, "length", missing->length);
		object_text(line, "reason", rtap_missing_reason_name((enum rtap_missing_reason)missing->reason));
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

/* What the verb alone has. */
static void json_verb(const struct rtap_message *message, struct line *line)
{
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

void message_json(const struct rtap_message *message, struct line *line)
{
	line_char(line, '{');
	object_number(line, "message", message->number);
	if (message->connection) {
		object_number(line, "connection", message->connection->number);
		object_text(line, "direction", message->from_a ? "a>b" : "b>a");
	}
	object_text(line, "kind", rtap_message_kind_name((enum rtap_message_kind)message->kind));
	object_text(line, "verb", rtap_verb_name((enum rtap_verb)message->verb));
	object_number(line, "first_frame", message->first_frame);
	object_number(line, "last_frame", message->last_frame);
	object_number(line, "frames", message->frames);
	object_time(line, "time", message->time_ns);
	object_time(line, "time_end", message->time_end_ns);
	object_number(line, "length", message->length);
	object_bool(line, "complete", message->complete);
	json_missing(message, line);
	object_number(line, "repeats", message->repeats);
	json_verb(message, line);
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

static void text_end(const struct rtap_end *end, struct line *line)
{
	end_address(end, line);
	if (end->qpn_known) {
		line_text(line, " qp ");
		line_hex(line, end->qpn, 6);
	}
}

/* What of a message is not there, as far as its packets tell where. */
static void text_hole(const struct rtap_message *message, uint32_t index, struct line *line)
{
	static const char *const reasons[RTAP_MISSING_COUNT] = {
		[RTAP_MISSING_NOT_CAPTURED] = " not captured",
		[RTAP_MISSING_SNAPPED] = " cut off by the capture",
		[RTAP_MISSING_EVICTED] = " given up for want of memory",
	};
	const struct rtap_missing *missing = &message->missing[index];

	if (missing->length_known) {
		line_dec(line, missing->length);
		line_text(line, missing->length == 1 ? " byte at " : " bytes at ");
		line_dec(line, missing->offset);
	} else if (index == 0 && missing->offset == 0) {
		line_text(line, "the beginning");
	} else {
		line_text(line, "the rest from ");
		line_dec(line, missing->offset);
	}
	line_text(line, reasons[missing->reason]);
}

static const char *why_incomplete(const struct rtap_message *message)
{
	if (message->missing_count)
		return ", incomplete: ";
	if (!message->request_seen)
		return ", incomplete: its request not captured";
	return message->kind == RTAP_KIND_FLUSH ? ", incomplete: its response not captured" :
						  ", incomplete: its packets do not add up to the length announced";
}

static void text_missing(const struct rtap_message *message, struct line *line)
{
	if (message->complete)
		return;
	line_text(line, why_incomplete(message));
	for (uint32_t i = 0; i < message->missing_count && i < SHOWN_HOLES; i++) {
		if (i)
			line_text(line, ", ");
		text_hole(message, i, line);
	}
	if (message->missing_count > SHOWN_HOLES) {
		line_text(line, " and ");
		line_dec(line, message->missing_count - SHOWN_HOLES);
		line_text(line, " more");
	}
}

static void text_operand(const char *label, uint64_t value, struct line *line)
{
	line_text(line, label);
	line_hex(line, value, 16);
}

static void text_operands(const struct rtap_message *message, struct line *line)
{
	bool swaps = message->verb == RTAP_VERB_COMPARE_SWAP;

	if (message->kind != RTAP_KIND_ATOMIC || message->verb == RTAP_VERB_ATOMIC_WRITE)
		return;
	if (message->request_seen) {
		if (swaps)
			text_operand(", compare ", message->compare, line);
		text_operand(swaps ? " swap " : ", add ", message->swap_or_add, line);
	}
	if (message->complete)
		text_operand(", was ", message->original, line);
}

static void text_details(const struct rtap_message *message, struct line *line)
{
	if (message->has_key) {
		line_text(line, ", r_key ");
		line_hex(line, message->r_key, 8);
		line_text(line, " va ");
		line_hex(line, message->virtual_address, 16);
	}
	text_operands(message, line);
	if (message->has_immediate) {
		line_text(line, ", immediate ");
		line_hex(line, message->immediate, 8);
	}
	if (message->has_invalidate) {
		line_text(line, ", invalidates ");
		line_hex(line, message->invalidated_r_key, 8);
	}
	if (message->outcome > RTAP_OUTCOME_GOOD || message->outcome == RTAP_OUTCOME_UNANSWERED) {
		line_text(line, ", ");
		line_text(line, rtap_outcome_name((enum rtap_outcome)message->outcome));
	}
	if (message->has_latency) {
		line_text(line, ", latency ");
		line_seconds(line, message->latency_ns);
		line_text(line, " s");
	}
	if (message->repeats) {
		line_text(line, ", repeated ");
		line_dec(line, message->repeats);
		line_text(line, message->repeats == 1 ? " time" : " times");
	}
}

/* Others can stand between them. */
static void text_frames(const struct rtap_message *message, struct line *line)
{
	line_text(line, " in ");
	if (message->frames < message->last_frame - message->first_frame + 1) {
		line_dec(line, message->frames);
		line_text(line, " of ");
	}
	line_text(line, message->first_frame == message->last_frame ? "frame " : "frames ");
	line_dec(line, message->first_frame);
	if (message->last_frame != message->first_frame) {
		line_char(line, '-');
		line_dec(line, message->last_frame);
	}
}

void message_text(const struct rtap_message *message, int64_t relative_ns, struct line *line)
{
	line_dec(line, message->number);
	line_char(line, ' ');
	line_seconds(line, message->time_ns - relative_ns);
	line_char(line, ' ');
	if (message->connection) {
		const struct rtap_connection *connection = message->connection;

		line_char(line, '#');
		line_dec(line, connection->number);
		line_char(line, ' ');
		text_end(message->from_a ? &connection->a : &connection->b, line);
		line_text(line, " > ");
		text_end(message->from_a ? &connection->b : &connection->a, line);
		line_text(line, ": ");
	}
	line_text(line, message->kind == RTAP_KIND_ATOMIC ? rtap_verb_name((enum rtap_verb)message->verb) :
							    rtap_message_kind_name((enum rtap_message_kind)message->kind));
	line_char(line, ' ');
	line_dec(line, message->length);
	line_text(line, message->length == 1 ? " byte" : " bytes");
	text_frames(message, line);
	text_details(message, line);
	if (message->has_crc) {
		line_text(line, ", crc32 ");
		line_hex_digits(line, message->crc32, 8);
	}
	text_missing(message, line);
	if (message->bytes_evicted)
		line_text(line, ", bytes not kept for want of memory");
	line_char(line, '\n');
}
