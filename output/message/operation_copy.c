/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/message/operation_copy.h"

/* The texts of an operation besides those of its values. */
#define TEXTS 6

static size_t missing_size(const struct rtap_operation *operation)
{
	return operation->missing_count * sizeof operation->missing[0];
}

static size_t values_size(const struct rtap_operation *operation)
{
	return operation->value_count * sizeof operation->values[0];
}

static void list_texts(struct rtap_operation *operation, const char **texts[TEXTS])
{
	texts[0] = &operation->layer;
	texts[1] = &operation->name;
	texts[2] = &operation->object;
	texts[3] = &operation->id;
	texts[4] = &operation->status;
	texts[5] = &operation->carrier;
}

static size_t text_size(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

size_t operation_copy_size(const struct rtap_operation *operation)
{
	struct rtap_operation texts_of = *operation;
	size_t size = sizeof(struct operation_copy) + missing_size(operation) + values_size(operation);
	const char **texts[TEXTS];

	list_texts(&texts_of, texts);
	for (unsigned i = 0; i < TEXTS; i++)
		size += text_size(*texts[i]);
	for (uint32_t i = 0; i < operation->value_count; i++)
		size += text_size(operation->values[i].type == RTAP_VALUE_TEXT ? operation->values[i].text : NULL);
	return size;
}

static char *put_text(char *place, const char *text)
{
	return text ? stpcpy(place, text) + 1 : place;
}

void operation_copy_fill(struct operation_copy *copy, const struct rtap_operation *operation)
{
	uint8_t *after = copy->after;
	const char **texts[TEXTS];
	char *place;

	copy->operation = *operation;
	copy->operation.request = copy->operation.response = NULL;
	copy->connection = *operation->connection;
	copy->connection.life = NULL;
	copy->connection.life_count = 0;
	if (operation->missing_count)
		memcpy(after, operation->missing, missing_size(operation));
	after += missing_size(operation);
	if (operation->value_count)
		memcpy(after, operation->values, values_size(operation));
	place = (char *)after + values_size(operation);
	list_texts(&copy->operation, texts);
	for (unsigned i = 0; i < TEXTS; i++)
		place = put_text(place, *texts[i]);
	for (uint32_t i = 0; i < operation->value_count; i++)
		place = put_text(place, operation->values[i].type == RTAP_VALUE_TEXT ? operation->values[i].text : NULL);
}

struct rtap_operation *operation_copy_restore(struct operation_copy *copy)
{
	struct rtap_operation *operation = &copy->operation;
	struct rtap_named_value *values = (void *)(copy->after + missing_size(operation));
	char *place = (char *)values + values_size(operation);
	const char **texts[TEXTS];

	operation->connection = &copy->connection;
	operation->missing = (const void *)copy->after;
	operation->values = values;
	list_texts(operation, texts);
	for (unsigned i = 0; i < TEXTS; i++) {
		if (!*texts[i])
			continue;
		*texts[i] = place;
		place += strlen(place) + 1;
	}
	for (uint32_t i = 0; i < operation->value_count; i++) {
		if (values[i].type != RTAP_VALUE_TEXT || !values[i].text)
			continue;
		values[i].text = place;
		place += strlen(place) + 1;
	}
	return operation;
}
