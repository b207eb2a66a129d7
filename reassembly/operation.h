/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of upper layers (rdmatap/operation.h) until they are reported. A layer adds one to the message of a request, or of a response
 * whose request is unknown, and fills it when it is final. It is reported with that message, in the order of requests.
 */
#ifndef REASSEMBLY_OPERATION_H
#define REASSEMBLY_OPERATION_H

#include <rdmatap/operation.h>

#include "reassembly/state.h"

#define OPERATION_VALUES 10

/* The head of a layer's own struct. */
struct operation {
	struct rtap_operation shown;
	struct rtap_named_value values[OPERATION_VALUES];
	bool concluded;      /* `shown` is filled */
	/* Fills `shown` of a message that is reported earlier, for example because memory is short. NULL: it is not reported then. */
	void (*conclude)(struct rtap_tracker *tracker, struct message *message);
	/* Called right before it is reported, in the order of reports: may complete `shown`. NULL: nothing to do. */
	void (*complete)(struct rtap_tracker *tracker, struct operation *operation);
	/* Frees heap memory of the layer's struct. NULL: none. */
	void (*release)(struct operation *operation);
	char *object;        /* on the heap; shown.object. NULL: none, or the layer set shown.object to a part of its struct */
	size_t size;         /* of the layer's struct */
	uint64_t memory;     /* charged to the tracker's messages */
	bool is_shared;      /* by messages: `conclude` fills it for each report; it is not freed with a message */
	SLIST_ENTRY(operation) link; /* to another of the same message, reported after it */
};

/* Adds an operation in `size` bytes, zeroed, to a message that has none. NULL: out of memory, which is counted. */
void *operation_create(struct rtap_tracker *tracker, struct message *message, size_t size,
		       void (*conclude)(struct rtap_tracker *tracker, struct message *message));

/* Adds another operation to a message that has some: all are reported with it, in this order. NULL: likewise. */
void *operation_append(struct rtap_tracker *tracker, struct message *message, size_t size);

/* Frees the message's operations, if any, without a report. */
void operation_destroy(struct rtap_tracker *tracker, struct message *message);

/* Reports the message's operations. The message has its number. */
void operation_report(struct rtap_tracker *tracker, struct message *message);

/*
 * Sets shown.object to a text of `size` bytes that the caller writes: to `room`, a part of the layer's struct, if its `most` bytes suffice,
 * else to the heap. NULL: out of memory.
 */
char *operation_object_room(struct operation *operation, char *room, size_t most, size_t size);

/* Adds a value; at most OPERATION_VALUES. `name` and `text` are borrowed. */
void operation_add_number(struct operation *operation, const char *name, uint64_t number);
void operation_add_bool(struct operation *operation, const char *name, bool is_true);
void operation_add_text(struct operation *operation, const char *name, const char *text);

/* Adds a time that the operation lost to one side or to the network. */
void operation_add_wait(struct operation *operation, const char *name, int64_t time_ns, enum rtap_wait wait);

/* Data of the operation was in these frames. */
void operation_add_data(struct operation *operation, uint64_t first_frame, int64_t first_ns, uint64_t last_frame, int64_t last_ns);

/* The same for an operation of a request that is not made yet: request.h. */
void operation_note_data(struct request_data *data, uint64_t first_frame, int64_t first_ns, uint64_t last_frame, int64_t last_ns);

/* The same for a READ or WRITE: of a READ, the frames of its responses. */
void operation_note_transfer(struct request_data *data, const struct message *message);

/* A response to the message, if it is a READ, begins in that frame. */
void operation_note_response(struct message *message, uint64_t frame, int64_t time_ns);

/* Adds bytes that a part of it lacks. */
void operation_add_missing(struct rtap_tracker *tracker, struct operation *operation, const struct rtap_missing *missing, uint32_t count,
			   enum rtap_operation_part part);

#endif
