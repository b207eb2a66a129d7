/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A copy of an operation for operation_text() and operation_json(). The original borrows from state that changes afterwards.
 */
#ifndef OUTPUT_MESSAGE_OPERATION_COPY_H
#define OUTPUT_MESSAGE_OPERATION_COPY_H

#include <rdmatap/operation.h>

/* Followed by missing bytes, values and texts. */
struct operation_copy {
	struct rtap_operation operation;
	struct rtap_connection connection; /* without its events */
	_Alignas(8) uint8_t after[];
};

/* Size of a copy in bytes. */
size_t operation_copy_size(const struct rtap_operation *operation);

/* Fills a copy of that size. */
void operation_copy_fill(struct operation_copy *copy, const struct rtap_operation *operation);

/* Makes the copy's operation borrow from the copy, wherever that is now. Returns the operation. */
struct rtap_operation *operation_copy_restore(struct operation_copy *copy);

#endif
