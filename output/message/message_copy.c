/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "output/message/message_copy.h"

size_t message_copy_size(const struct rtap_message *message)
{
	if (message->bytes.bytes)
		return 0;
	return sizeof(struct message_copy) + message->missing_count * sizeof message->missing[0] +
	       message->item_count * sizeof message->items[0];
}

void message_copy_fill(struct message_copy *copy, const struct rtap_message *message)
{
	size_t missing = message->missing_count * sizeof message->missing[0];

	copy->message = *message;
	if (message->connection) {
		copy->a = message->connection->a;
		copy->b = message->connection->b;
		copy->connection = message->connection->number;
		copy->transport = message->connection->transport;
	}
	if (message->missing_count)
		memcpy(copy->after, message->missing, missing);
	if (message->item_count)
		memcpy(copy->after + missing, message->items, message->item_count * sizeof message->items[0]);
}

void message_copy_restore(const struct message_copy *copy, struct rtap_message *message, struct rtap_connection *connection)
{
	*message = copy->message;
	message->missing = (const void *)copy->after;
	message->items = (const void *)(copy->after + message->missing_count * sizeof message->missing[0]);
	if (!message->connection)
		return;
	connection->a = copy->a;
	connection->b = copy->b;
	connection->number = copy->connection;
	connection->transport = copy->transport;
	message->connection = connection;
}
