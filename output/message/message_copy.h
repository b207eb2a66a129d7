/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A message kept for message_text() and message_json(): what is told of it is borrowed from state, which goes on.
 */
#ifndef OUTPUT_MESSAGE_MESSAGE_COPY_H
#define OUTPUT_MESSAGE_MESSAGE_COPY_H

#include <rdmatap/message.h>

/* Holes and operations stand behind it. */
struct message_copy {
	struct rtap_message message;
	struct rtap_end a, b;       /* of its connection, and what else is shown of that */
	uint64_t connection;
	uint8_t transport;
	_Alignas(8) uint8_t behind[];
};

/* Bytes of a copy; 0: it cannot be copied, because it has bytes of its own. */
size_t message_copy_size(const struct rtap_message *message);

/* Fills a copy of that size. */
void message_copy_fill(struct message_copy *copy, const struct rtap_message *message);

/* The message again, and of its connection what is shown of it. It borrows from the copy and the connection. */
void message_copy_restore(const struct message_copy *copy, struct rtap_message *message, struct rtap_connection *connection);

#endif
