/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/line_fit.h"
#include "dissect/engine/line_name.h"
#include "output/message/connections.h"
#include "output/message/messages.h"
#include "output/message/operations.h"
#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/packet/units.h"

/* Text from the capture. */
static void json_text(const char *key, const char *text, struct line *line)
{
	if (!text)
		return;
	object_key(line, key);
	json_string(line, (const uint8_t *)text, strlen(text));
}

static void json_frame(const char *key, uint64_t frame, struct line *line)
{
	if (frame)
		object_number(line, key, frame);
}

static void json_missing(const struct rtap_operation *operation, struct line *line)
{
	object_key(line, "missing");
	line_char(line, '[');
	for (uint32_t i = 0; i < operation->missing_count; i++) {
		const struct rtap_operation_missing *missing = &operation->missing[i];

		line_text(line, i ? ",{" : "{");
		object_text(line, "in", rtap_operation_part_name((enum rtap_operation_part)missing->part));
		missing_json(&missing->range, line);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void json_value(const struct rtap_named_value *value, struct line *line)
{
	switch ((enum rtap_value_type)value->type) {
	case RTAP_VALUE_NUMBER:
		object_number(line, value->name, value->number);
		break;
	case RTAP_VALUE_TEXT:
		json_text(value->name, value->text, line);
		break;
	case RTAP_VALUE_BOOL:
		object_bool(line, value->name, value->number);
		break;
	case RTAP_VALUE_TIME:
		object_seconds(line, value->name, (int64_t)value->number);
		break;
	}
}

static void json_result(const struct rtap_operation *operation, struct line *line)
{
	if (operation->has_status && operation->status)
		object_text(line, "status", operation->status);
	if (operation->has_status)
		object_bool(line, "ok", operation->ok);
	json_frame("request_frame", operation->request_frame, line);
	json_frame("response_frame", operation->response_frame, line);
	json_frame("first_data_frame", operation->first_data_frame, line);
	json_frame("last_data_frame", operation->last_data_frame, line);
	object_time(line, "time", operation->time_ns);
	object_time(line, "time_end", operation->time_end_ns);
	if (operation->has_latency)
		object_seconds(line, "latency", operation->latency_ns);
	if (operation->request_frame && operation->first_data_frame) {
		object_seconds(line, "first_data", operation->first_data_ns);
		object_seconds(line, "last_data", operation->last_data_ns);
	}
	object_text(line, "carried", rtap_carried_name((enum rtap_carried)operation->carried));
	if (operation->carrier)
		object_text(line, "carrier", operation->carrier);
	if (operation->has_data_bytes)
		object_number(line, "data_bytes", operation->data_bytes);
	if (operation->has_repeats)
		object_number(line, "repeats", operation->repeats);
	if (operation->one_way)
		object_bool(line, "one_way", true);
	if (operation->time_lost_us)
		object_seconds(line, "time_lost", operation->time_lost_us * INT64_C(1000));
	object_bool(line, "complete", operation->complete);
	json_missing(operation, line);
}

void operation_json(const struct rtap_operation *operation, struct line *line)
{
	line_char(line, '{');
	object_number(line, "operation", operation->number);
	object_number(line, "connection", operation->connection->number);
	object_text(line, "direction", operation->from_a ? "a>b" : "b>a");
	object_text(line, "layer", operation->layer);
	json_text("name", operation->name, line);
	json_text("object", operation->object, line);
	json_text("id", operation->id, line);
	if (operation->has_offset)
		object_number(line, "offset", operation->offset);
	if (operation->has_length)
		object_number(line, "length", operation->length);
	json_result(operation, line);
	json_frame("request_message", operation->request_message, line);
	json_frame("response_message", operation->response_message, line);
	for (uint32_t i = 0; i < operation->value_count; i++)
		json_value(&operation->values[i], line);
	line_bytes(line, "}\n", 2);
}

/* Minimum widths of columns, at most PAD_MOST; longer values move the rest of the line. */
enum { NUMBER_WIDTH = 5, ENDS_WIDTH = 19, NAME_WIDTH = 14, TIME_WIDTH = 7, BYTES_WIDTH = 7, CARRIER_WIDTH = 6 };
#define PAD_MOST 24
/* Bytes written up to the ends of the connection, and after the name; numbers are UNITS_MOST bytes at most. */
#define HEAD_MOST (PAD_MOST + UNITS_MOST + CLOCK_MOST + 2 * LINE_IP_MOST + sizeof " > " + 2 + PAD_MOST)
#define DATA_MOST (2 * (PAD_MOST + UNITS_MOST) + 2)

/* Pads a column that begins at `begin`. */
static char *put_pad(char *begin, char *to, unsigned width)
{
	memset(to, ' ', PAD_MOST);
	return to < begin + width ? begin + width : to;
}

/* A number, of UNITS_MOST bytes at most, at the right of its column. */
static char *put_right(char *to, const char *number, const char *end, unsigned width)
{
	size_t length = (size_t)(end - number), pad = length < width ? width - length : 0;

	memset(to, ' ', PAD_MOST);
	memcpy(to + pad, number, UNITS_MOST);
	return to + pad + length;
}

/* Fills a column that begins at `begin`, after its text. */
static void fill_after(struct line *line, const char *begin, unsigned width)
{
	static const char spaces[PAD_MOST + 1] = "                        ";
	size_t used = (size_t)(line->next - begin);

	if (used < width)
		line_short(line, spaces, width - used);
}

/* "    1 0.001234567 10.0.0.1 > 10.0.0.2   " */
static void text_head(const struct rtap_operation *operation, const struct clock_listing *times, struct line *line)
{
	const struct rtap_connection *connection = operation->connection;
	const struct rtap_end *requester = operation->from_a ? &connection->a : &connection->b;
	const struct rtap_end *responder = operation->from_a ? &connection->b : &connection->a;
	char spare[HEAD_MOST], *begin = line_begin(line, spare, sizeof spare), *to, *ends, number[UNITS_MOST];

	to = put_right(begin, number, line_put_dec(number, operation->number), NUMBER_WIDTH);
	*to++ = ' ';
	to = clock_put_listed(to, times, operation->time_ns);
	*to++ = ' ';
	ends = to;
	to = line_put_address(to, requester->address, requester->address_length);
	to = line_put(to, " > ");
	to = line_put_address(to, responder->address, responder->address_length);
	line_end(line, begin, put_pad(ends, to, ENDS_WIDTH));
}

/* "nfs READ" */
static void text_name(const struct rtap_operation *operation, struct line *line)
{
	const char *begin;

	line_text(line, operation->layer);
	line_char(line, ' ');
	begin = line->next;
	line_text(line, operation->name ? operation->name : "unknown");
	fill_after(line, begin, NAME_WIDTH);
}

/* " 1.23 ms 65.5 KB" */
static char *put_amounts(char *to, const struct rtap_operation *operation)
{
	char number[UNITS_MOST], *begin = to;

	to = operation->has_latency ? put_right(to, number, units_put_time(number, operation->latency_ns), TIME_WIDTH) : put_pad(begin, to, TIME_WIDTH);
	*to++ = ' ';
	if (operation->carried != RTAP_CARRIED_NONE && operation->has_data_bytes)
		return put_right(to, number, units_put_bytes(number, operation->data_bytes), BYTES_WIDTH);
	return put_pad(to, to, BYTES_WIDTH);
}

/* "65.5 KB write", with the latency before it. */
static void text_data(const struct rtap_operation *operation, struct line *line)
{
	char spare[DATA_MOST], *begin = line_begin(line, spare, sizeof spare);

	line_end(line, begin, put_amounts(begin, operation));
	begin = line->next;
	line_char(line, ' ');
	/* of "write chunk" the first word */
	if (operation->carrier)
		line_bytes(line, operation->carrier, strcspn(operation->carrier, " "));
	else if (operation->carried != RTAP_CARRIED_NONE)
		line_text(line, rtap_carried_name((enum rtap_carried)operation->carried));
	fill_after(line, begin, 1 + CARRIER_WIDTH);
	line_spare(line, begin, LINE_SPARE_PACKET);
}

/* " -> /dir/file"; " <- /dir/source"; " FileEndOfFileInformation size 4096" */
static void text_change(const struct rtap_named_value *value, struct line *line)
{
	char *begin = line->next;

	bool is_to = value->type == RTAP_VALUE_TEXT && !strcmp(value->name, "to");

	if (is_to || (value->type == RTAP_VALUE_TEXT && !strcmp(value->name, "from"))) {
		line_text(line, is_to ? " -> " : " <- ");
		line_name(line, (const uint8_t *)value->text, strlen(value->text));
	} else if (value->type == RTAP_VALUE_TEXT && (!strcmp(value->name, "info") || !strcmp(value->name, "control"))) {
		line_char(line, ' ');
		line_text(line, value->text);
		line_spare(line, begin, LINE_SPARE_DETAIL);
	} else if (value->type == RTAP_VALUE_NUMBER && !strcmp(value->name, "size")) {
		line_text(line, " size ");
		line_dec(line, value->number);
	}
}

/* " /dir/file 1048576+65536" */
static void text_object(const struct rtap_operation *operation, struct line *line)
{
	if (operation->object) {
		line_char(line, ' ');
		line_name(line, (const uint8_t *)operation->object, strlen(operation->object));
	}
	for (uint32_t i = 0; i < operation->value_count; i++)
		text_change(&operation->values[i], line);
	if (!operation->has_offset)
		return;
	line_char(line, ' ');
	line_dec(line, operation->offset);
	if (!operation->has_length)
		return;
	line_char(line, '+');
	line_dec(line, operation->length);
}

static void text_status(const struct rtap_operation *operation, struct line *line)
{
	char *begin = line->next;
	const char *detail;

	if (operation->one_way)
		return;
	line_char(line, ' ');
	if (operation->has_status)
		line_text(line, operation->ok ? "ok" : operation->status ? operation->status : "failed");
	else
		line_text(line, operation->response_frame ? "status unknown" : "no response");
	if (operation->has_status && operation->ok)
		line_spare(line, begin, LINE_SPARE_PACKET);
	/* "ILLEGAL REQUEST: invalid field in CDB" */
	else if (operation->status && (detail = strchr(operation->status, ':')))
		line_spare(line, line->next - strlen(detail), LINE_SPARE_DETAIL);
}

static void text_faults(const struct rtap_operation *operation, struct line *line)
{
	if (operation->repeats) {
		line_text(line, ", ");
		line_count(line, operation->repeats, "repeat", "repeats");
	}
	if (operation->time_lost_us) {
		line_text(line, ", ");
		units_time(operation->time_lost_us * INT64_C(1000), line);
		line_text(line, " lost");
	}
	if (!operation->request_frame)
		line_text(line, ", request not seen");
	else if ((operation->response_frame || operation->one_way) && !operation->complete)
		line_text(line, ", incomplete");
}

/* ", receiver late 5.01 ms": the layer's verdict with the largest of the delays. */
static void text_verdict(const struct rtap_operation *operation, struct line *line)
{
	const char *verdict = NULL;
	uint64_t most_ns = 0;

	for (uint32_t i = 0; i < operation->value_count; i++) {
		const struct rtap_named_value *value = &operation->values[i];

		if (value->type == RTAP_VALUE_TEXT && !strcmp(value->name, "verdict"))
			verdict = value->text;
		else if (value->type == RTAP_VALUE_TIME && value->wait != RTAP_WAIT_NONE && value->number > most_ns)
			most_ns = value->number;
	}
	if (!verdict || !strcmp(verdict, "none"))
		return;
	line_text(line, ", ");
	line_text(line, verdict);
	line_char(line, ' ');
	units_time((int64_t)most_ns, line);
}

void operation_text(const struct rtap_operation *operation, const struct clock_listing *times, bool is_wide, struct line *line)
{
	char *begin = line->next;

	text_head(operation, times, line);
	line->after_ends = line->next;
	line_char(line, ' ');
	text_name(operation, line);
	line_char(line, ' ');
	text_data(operation, line);
	line->columns_end = line->next;
	text_object(operation, line);
	text_status(operation, line);
	text_faults(operation, line);
	text_verdict(operation, line);
	if (!is_wide)
		line_fit(line, begin);
	line->spare_count = line->name_count = 0;
	line->columns_end = NULL;
	line_char(line, '\n');
}
