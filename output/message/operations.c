/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "output/message/connections.h"
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
		object_text(line, "in", missing->in_response ? "response" : "request");
		object_number(line, "offset", missing->range.offset);
		if (missing->range.length_known)
			object_number(line, "length", missing->range.length);
		object_text(line, "reason", rtap_missing_reason_name((enum rtap_missing_reason)missing->range.reason));
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

/* " 1048576+65536" */
static void text_range(const struct rtap_operation *operation, struct line *line)
{
	if (!operation->has_offset)
		return;
	line_char(line, ' ');
	line_dec(line, operation->offset);
	if (!operation->has_length)
		return;
	line_char(line, '+');
	line_dec(line, operation->length);
}

/* ", 65.5 KB by write" */
static void text_data(const struct rtap_operation *operation, struct line *line)
{
	if (operation->carried == RTAP_CARRIED_NONE)
		return;
	line_text(line, ", ");
	if (operation->has_data_bytes) {
		units_bytes(operation->data_bytes, line);
		line_char(line, ' ');
	} else {
		line_text(line, "data ");
	}
	line_text(line, operation->carried == RTAP_CARRIED_INLINE || operation->carried == RTAP_CARRIED_MIXED ? "" : "by ");
	line_text(line, rtap_carried_name((enum rtap_carried)operation->carried));
}

static void text_status(const struct rtap_operation *operation, struct line *line)
{
	line_text(line, ", ");
	if (operation->has_status)
		line_text(line, operation->ok ? "ok" : operation->status ? operation->status : "failed");
	else
		line_text(line, operation->response_frame ? "status unknown" : "no response");
}

static void text_faults(const struct rtap_operation *operation, struct line *line)
{
	if (operation->repeats) {
		line_text(line, ", ");
		line_count(line, operation->repeats, "packet repeated", "packets repeated");
	}
	if (operation->time_lost_us) {
		line_text(line, ", ");
		units_time(operation->time_lost_us * INT64_C(1000), line);
		line_text(line, " lost to recovery");
	}
	if (!operation->request_frame)
		line_text(line, ", request not seen");
	else if (operation->response_frame && !operation->complete)
		line_text(line, ", incomplete");
}

void operation_text(const struct rtap_operation *operation, int64_t relative_ns, struct line *line)
{
	const struct rtap_connection *connection = operation->connection;

	line_dec(line, operation->number);
	line_char(line, ' ');
	line_seconds(line, operation->time_ns - relative_ns);
	line_char(line, ' ');
	end_address(operation->from_a ? &connection->a : &connection->b, line);
	line_text(line, " > ");
	end_address(operation->from_a ? &connection->b : &connection->a, line);
	line_text(line, ": ");
	line_text(line, operation->layer);
	line_char(line, ' ');
	line_text(line, operation->name ? operation->name : "unknown");
	if (operation->object) {
		line_char(line, ' ');
		line_escaped(line, (const uint8_t *)operation->object, strlen(operation->object));
	}
	text_range(operation, line);
	text_data(operation, line);
	if (operation->has_latency) {
		line_text(line, ", ");
		units_time(operation->latency_ns, line);
	}
	text_status(operation, line);
	text_faults(operation, line);
	line_char(line, '\n');
}
