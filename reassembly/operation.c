/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "dissect/engine/clear.h"
#include "reassembly/operation.h"

/* Does not clear the values, which are half of the struct: only value_count of them are valid. */
static struct operation *create(struct rtap_tracker *tracker, size_t size)
{
	struct operation *operation = spare_blocks_take(&tracker->spare_operations, size);

	if (!operation) {
		tracker->counters.evictions++;
		return NULL;
	}
	clear_bytes(operation, offsetof(struct operation, values));
	clear_bytes(&operation->concluded, size - offsetof(struct operation, concluded));
	operation->size = size;
	operation->memory = spare_blocks_room(size);
	budget_charge(&tracker->budget, &tracker->messages, operation->memory);
	return operation;
}

void *operation_create(struct rtap_tracker *tracker, struct message *message, size_t size,
		       void (*conclude)(struct rtap_tracker *tracker, struct message *message))
{
	struct operation *operation = create(tracker, size);

	if (operation)
		operation->conclude = conclude;
	message->operation = operation;
	return operation;
}

void *operation_append(struct rtap_tracker *tracker, struct message *message, size_t size)
{
	struct operation *last = message->operation, *added = create(tracker, size);

	while (SLIST_NEXT(last, link))
		last = SLIST_NEXT(last, link);
	if (added)
		SLIST_INSERT_AFTER(last, added, link);
	return added;
}

void operation_destroy(struct rtap_tracker *tracker, struct message *message)
{
	struct operation *next;

	if (message->operation && message->operation->is_shared)
		message->operation = NULL;
	for (struct operation *operation = message->operation; operation; operation = next) {
		next = SLIST_NEXT(operation, link);
		budget_give(&tracker->budget, &tracker->messages, operation->memory);
		if (operation->release)
			operation->release(operation);
		free(operation->object);
		free((void *)(uintptr_t)operation->shown.missing);
		spare_blocks_give(&tracker->spare_operations, operation, operation->size);
	}
	message->operation = NULL;
}

static void report(struct rtap_tracker *tracker, struct message *message, struct operation *operation)
{
	struct rtap_operation *shown = &operation->shown;
	struct rtap_message *own = &message->shown, *partner = message->partner ? &message->partner->shown : NULL;
	bool is_request = shown->request_frame && !message->is_response;

	shown->number = ++tracker->operation_number;
	shown->connection = &message->connection->shown;
	shown->wanted |= own->wanted || (partner && partner->wanted);
	shown->request = is_request ? own : partner;
	shown->response = is_request ? partner : own;
	if (partner) {
		partner->number = own->partner;
		partner->connection = &message->partner->connection->shown;
	}
	shown->request_message = is_request ? own->number : own->partner;
	shown->response_message = is_request ? own->partner : own->number;
	if (operation->complete)
		operation->complete(tracker, operation);
	shown->values = operation->values;
	if (operation->object)
		shown->object = operation->object;
	tracker->options.operation(tracker->options.owner, shown);
}

void operation_report(struct rtap_tracker *tracker, struct message *message)
{
	struct operation *operation = message->operation;

	if (operation->is_shared)
		operation->concluded = false;
	if (!operation->concluded && operation->conclude)
		operation->conclude(tracker, message);
	for (; operation && tracker->options.operation; operation = SLIST_NEXT(operation, link))
		if (operation->concluded)
			report(tracker, message, operation);
}

char *operation_object_room(struct operation *operation, char *room, size_t most, size_t size)
{
	if (size > most)
		room = operation->object = memory_new(size);
	operation->shown.object = room;
	return room;
}

static void add_value(struct operation *operation, const struct rtap_named_value *value)
{
	struct rtap_operation *shown = &operation->shown;

	if (shown->value_count < OPERATION_VALUES)
		operation->values[shown->value_count++] = *value;
}

void operation_add_number(struct operation *operation, const char *name, uint64_t number)
{
	add_value(operation, &(struct rtap_named_value){ .name = name, .number = number });
}

void operation_add_bool(struct operation *operation, const char *name, bool is_true)
{
	add_value(operation, &(struct rtap_named_value){ .name = name, .number = is_true, .type = RTAP_VALUE_BOOL });
}

void operation_add_text(struct operation *operation, const char *name, const char *text)
{
	add_value(operation, &(struct rtap_named_value){ .name = name, .text = text, .type = RTAP_VALUE_TEXT });
}

void operation_add_wait(struct operation *operation, const char *name, int64_t time_ns, enum rtap_wait wait)
{
	add_value(operation, &(struct rtap_named_value){ .name = name, .number = (uint64_t)time_ns, .type = RTAP_VALUE_TIME, .wait = (uint8_t)wait });
}

void operation_add_data(struct operation *operation, uint64_t first_frame, int64_t first_ns, uint64_t last_frame, int64_t last_ns)
{
	struct rtap_operation *shown = &operation->shown;

	if (!shown->first_data_frame || first_frame < shown->first_data_frame) {
		shown->first_data_frame = first_frame;
		shown->first_data_ns = first_ns;
	}
	if (last_frame > shown->last_data_frame) {
		shown->last_data_frame = last_frame;
		shown->last_data_ns = last_ns;
	}
}

void operation_note_data(struct request_data *data, uint64_t first_frame, int64_t first_ns, uint64_t last_frame, int64_t last_ns)
{
	if (!data->first_frame || first_frame < data->first_frame) {
		data->first_frame = first_frame;
		data->first_ns = first_ns;
	}
	if (last_frame > data->last_frame) {
		data->last_frame = last_frame;
		data->last_ns = last_ns;
	}
}

void operation_note_transfer(struct request_data *data, const struct message *message)
{
	const struct rtap_message *shown = &message->shown;

	data->wanted |= shown->wanted;
	if (shown->verb != RTAP_VERB_READ)
		operation_note_data(data, shown->first_frame, shown->time_ns, shown->last_frame, shown->time_end_ns);
	else if (message->data_frame)
		operation_note_data(data, message->data_frame, message->data_ns, shown->last_frame, shown->time_end_ns);
}

void operation_note_response(struct message *message, uint64_t frame, int64_t time_ns)
{
	if (message->shown.verb != RTAP_VERB_READ || (message->data_frame && message->data_frame <= frame))
		return;
	message->data_frame = frame;
	message->data_ns = time_ns;
}

void operation_add_missing(struct rtap_tracker *tracker, struct operation *operation, const struct rtap_missing *missing, uint32_t count,
			   enum rtap_operation_part part)
{
	struct rtap_operation *shown = &operation->shown;
	struct rtap_operation_missing *larger;

	if (!count || tracker->omits_details)
		return;
	larger = memory_resize((void *)(uintptr_t)shown->missing, (shown->missing_count + count) * sizeof *larger);
	if (!larger) {
		tracker->counters.evictions++;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		larger[shown->missing_count + i] = (struct rtap_operation_missing){ missing[i], (uint8_t)part };
	shown->missing = larger;
	shown->missing_count += count;
	operation->memory += count * sizeof *larger;
	budget_charge(&tracker->budget, &tracker->messages, count * sizeof *larger);
}
