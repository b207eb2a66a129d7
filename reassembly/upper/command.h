/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands of storage protocols, shared by NVMe, iSER and SRP: a SEND with an identifier, and a SEND back with the same identifier. Handles
 * identifiers that are reused at once, commands and responses that were not captured, or out of order, and the end of a
 * connection. The layer's state of a connection (connection->upper_state) begins with struct commands, its own struct of a command with
 * struct command.
 */
#ifndef REASSEMBLY_UPPER_COMMAND_H
#define REASSEMBLY_UPPER_COMMAND_H

#include "base/map.h"
#include "reassembly/upper.h"
#include "reassembly/upper/request.h"

struct command {
	struct request request;   /* not is_seen: only the response was captured */
	uint64_t id;
	uint64_t hash;
	uint64_t place;           /* without is_seen: the requester's position in its stream when the response was captured */
	uint32_t depth;           /* commands that waited for their response when it was sent, with this one */
	bool is_mapped;           /* it is in the map, waiting for the response, or for the command */
};

struct command_layer {
	size_t size, state_size;  /* of the layer's structs */
	/* Fills the operation of command->request.message; request_conclude() is done. `response`: NULL: none was seen. */
	void (*conclude)(struct rtap_tracker *tracker, struct command *command, const struct message *response);
	/* The response of `from`, a command that was not captured, is that of `to`: copies what it says. NULL: nothing to do. */
	void (*answered)(struct command *to, const struct command *from);
	/* The command has ended: no more data will be added. NULL: nothing to do. */
	void (*ended)(struct rtap_tracker *tracker, struct command *command, const struct message *response);
	/* Frees heap memory of the layer's struct; NULL: none. */
	void (*release)(struct rtap_tracker *tracker, struct command *command);
	/* Copies facts about a connection that was merged into another to `to`. NULL: none. */
	void (*learn)(void *to, const void *from);
};

/* Initialise `layer`; all else zero: no commands. */
struct commands {
	const struct command_layer *layer;
	struct map waiting;       /* by identifier and side */
	uint32_t outstanding;     /* seen and not answered */
};

/* The connection's state, new if it has none. NULL: out of memory, which is counted. */
void *command_state_make(struct rtap_tracker *tracker, struct connection *connection, const struct command_layer *layer);

/*
 * A SEND with a command: a new struct command, or that of its response, which was captured first. An older command with the identifier has
 * ended without a response. NULL: out of memory, which is counted.
 */
struct command *command_begin(struct upper_work *work, uint64_t id);

/* Sets the memory that the command names; call once after command_begin(), also for none. False: out of memory. */
bool command_name(struct upper_work *work, struct command *command, struct region_name *names, uint32_t count) __attribute__((warn_unused_result));

/*
 * A SEND with a response: its command. Without is_seen: the command was not captured, or will be later. NULL: out of memory, which is
 * counted.
 */
struct command *command_answered(struct upper_work *work, uint64_t id);

/* The same for a command that is known and waits for it. */
void command_answer(struct upper_work *work, struct command *command);

/*
 * Copies the data of a range of memory that the command names to position `at` of `joined`, and what the capture truncated of it to `cut`. False:
 * out of memory.
 */
bool command_copy_data(const struct command *command, const struct region_name *range, uint64_t at, struct coverage *joined, struct coverage *cut)
	__attribute__((warn_unused_result));

/* Ends `from`: its SEND, with the operation, becomes that of `to`, which has none of its own. */
void command_pass(struct rtap_tracker *tracker, struct command *from, struct command *to);

/*
 * The first `length` bytes of a SEND of which packets are missing and that no layer has taken yet; NULL: there are not as many, or it is not such
 * a SEND.
 */
const uint8_t *command_front(const struct message *message, uint64_t length);

/*
 * A response with this identifier: the newest SEND of the requester, after a command with the identifier that is known, that lacks packets and has the
 * identifier in its first bytes, according to `is_it`. NULL: none.
 */
struct message *command_unfinished(const struct upper_work *work, uint64_t id, bool (*is_it)(const struct message *message, uint64_t id));

/* For a SEND of which packets are missing, whose command is taken as far as it is known: `response`: the SEND that answers it, or NULL. */
struct upper_work command_work(struct rtap_tracker *tracker, struct message *send, struct message *response);

/*
 * More packets of a SEND, whose command may have been taken from the first ones: calls `add` for the command, unless it has ended. False: the SEND
 * has none yet.
 */
bool command_add_packets(struct upper_work *work, void (*add)(struct upper_work *work, struct command *command));

/* The command in work->message has been opened: work->response is set as its response only then. */
void command_opened(const struct upper_work *work);

/* The command of a response, without changing anything. NULL: unknown. */
struct command *command_find(const struct connection *connection, bool requester_is_a, uint64_t id);

/* Its response was lost: the next one with its number is another's, and so are READs and WRITEs of its memory. */
void command_await_nothing(struct rtap_tracker *tracker, struct command *command);

/* The command of a response, or of a repeat of the last one. NULL: unknown. */
struct command *command_of_response(const struct upper_work *work, uint64_t id);

/*
 * The operation of a response whose command was not captured, in `size` bytes: it has its side, times and frame, the layer shows the rest.
 * NULL: operations are not reported, or out of memory, which is counted.
 */
void *command_operation_alone(struct upper_work *work, size_t size);

/* Callbacks of struct upper_layer. */
void command_settled(struct rtap_tracker *tracker, struct message *message);
void command_detach(struct message *message);
void command_merged(struct rtap_tracker *tracker, struct connection *from, struct connection *to, bool turned);
void command_end(struct rtap_tracker *tracker, struct connection *connection);
void command_over(struct rtap_tracker *tracker, struct connection *connection);

#endif
