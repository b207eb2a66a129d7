/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/packet/json.h"
#include "output/packet/object.h"
#include "output/stats/stats_form.h"
#include "output/stats/stats_json_parts.h"
#include "output/stats/stats_operation_json.h"
#include "output/stats/stats_waits_json.h"

static const char *const part_keys[] = {
#define PART_KEY(identifier, key, name) key,
	STATS_PARTS(PART_KEY)
#undef PART_KEY
};

/* Untrusted text from packets. */
static void escaped_text(struct line *line, const char *key, const char *text)
{
	object_key(line, key);
	json_string(line, (const uint8_t *)text, strlen(text));
}

static void data(const struct stats_work *work, struct line *line)
{
	stats_json_object(line, "data");
	for (int i = 0; i < RTAP_CARRIED_COUNT; i++)
		if (work->data_bytes[i])
			object_number(line, rtap_carried_name((enum rtap_carried)i), work->data_bytes[i]);
	line_char(line, '}');
}

static void work_members(const struct stats_work *work, struct line *line)
{
	object_number(line, "count", work->count);
	object_number(line, "completed", work->completed);
	object_number(line, "unanswered", work->unanswered);
	object_number(line, "failed", work->failed);
	object_number(line, "incomplete", work->incomplete);
	object_number(line, "bytes", work->bytes);
	data(work, line);
	object_number(line, "repeats", work->repeats);
	object_seconds(line, "time_lost", (int64_t)(work->time_lost_us > INT64_MAX / 1000 ? INT64_MAX : work->time_lost_us * 1000));
	stats_json_distribution("latency", &work->latency_ns, true, line);
	if (!work->latency_ns.count)
		return;
	object_number(line, "slowest_frame", work->slowest_frame);
	object_number(line, "slowest_connection", work->slowest_connection);
}

static void statuses(const struct stats_work_row *row, struct line *line)
{
	const struct stats_work_status *status;

	object_key(line, "statuses");
	line_char(line, '[');
	SLIST_FOREACH(status, &row->statuses, link) {
		stats_json_element(line, status == SLIST_FIRST(&row->statuses));
		escaped_text(line, "status", status->name);
		stats_json_occurrences_members(&status->occurrences, line);
		line_char(line, '}');
	}
	line_char(line, ']');
	if (row->other_statuses)
		object_number(line, "statuses_uncounted", row->other_statuses);
}

static void sizes(const struct stats_work_row *row, struct line *line)
{
	bool any = false;

	object_key(line, "sizes");
	line_char(line, '[');
	for (int i = 0; i < STATS_SIZE_COUNT; i++) {
		const struct stats_sized *sized = row->sizes[i];

		if (!sized)
			continue;
		stats_json_element(line, !any);
		any = true;
		if (i != STATS_SIZE_MORE)
			object_number(line, "up_to", stats_work_size_limit((enum stats_size)i));
		object_number(line, "count", sized->count);
		object_number(line, "bytes", sized->bytes);
		stats_json_distribution("latency", &sized->latency_ns, true, line);
		line_char(line, '}');
	}
	line_char(line, ']');
}

static void row_begin(const char *type, const char *key, const struct stats_work_row *row, struct line *line)
{
	stats_json_begin(type, line);
	if (row->layer)
		object_text(line, "layer", row->layer);
	else
		object_bool(line, "others", true);
	if (*row->name)
		escaped_text(line, key, row->name);
	work_members(&row->work, line);
	stats_json_occurrences("overdue", &row->overdue, line);
}

void stats_operation_json(const void *what, struct line *line)
{
	const struct stats_record *record = what;
	const struct stats_work_row *row = record->what;

	row_begin("operation", "name", row, line);
	statuses(row, line);
	for (int i = 0; i < STATS_PART_COUNT; i++)
		stats_json_distribution(part_keys[i], &row->parts_ns[i], true, line);
	sizes(row, line);
	stats_json_end(line);
}

void stats_object_json(const void *what, struct line *line)
{
	const struct stats_record *record = what;

	row_begin("object", "object", record->what, line);
	stats_json_end(line);
}

void stats_requests_json(const struct stats_requests *requests, struct line *line)
{
	stats_json_object(line, "requests");
	object_text(line, "layer", requests->layer);
	if (requests->has_controller)
		object_number(line, "controller", requests->controller);
	if (requests->has_queue)
		object_number(line, "queue", requests->queue);
	work_members(&requests->work, line);
	if (requests->depth)
		object_number(line, "depth", requests->depth);
	if (requests->part_count) {
		object_number(line, "split_count", requests->part_count);
		object_seconds(line, "to_first_data_total", requests->part_ns[STATS_PART_BEFORE]);
		object_seconds(line, "data_time_total", requests->part_ns[STATS_PART_DATA]);
		object_seconds(line, "to_response_total", requests->part_ns[STATS_PART_AFTER]);
	}
	if (requests->waits)
		stats_waits_json(requests->waits, line);
	line_char(line, '}');
}
