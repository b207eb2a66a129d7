/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A copy of a message for message_text() and message_json(). The original borrows from state that changes afterwards.
 */
#ifndef OUTPUT_MESSAGE_MESSAGE_COPY_H
#define OUTPUT_MESSAGE_MESSAGE_COPY_H

#include <rdmatap/message.h>

/* Followed by holes and operations. */
struct message_copy {
	struct rtap_message message;
	struct rtap_end a, b;       /* these and the next two: printed values of its connection */
	uint64_t connection;
	uint8_t transport;
	_Alignas(8) uint8_t after[];
};

/* Size of a copy in bytes; 0: the message cannot be copied because it has a payload. */
size_t message_copy_size(const struct rtap_message *message);

/* Fills a copy of that size. */
void message_copy_fill(struct message_copy *copy, const struct rtap_message *message);

/* Restores the message, and of its connection the printed members. The message borrows from the copy and the connection. */
void message_copy_restore(const struct message_copy *copy, struct rtap_message *message, struct rtap_connection *connection);

#endif
