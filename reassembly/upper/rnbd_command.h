/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A request of RNBD or of RTRS: its state, its operation, and its effect on the device.
 */
#ifndef REASSEMBLY_UPPER_RNBD_COMMAND_H
#define REASSEMBLY_UPPER_RNBD_COMMAND_H

#include "reassembly/store/coverage.h"
#include "reassembly/upper/command.h"
#include "reassembly/upper/rnbd_session.h"

/* Identifiers of commands: the buffer's place in immediate data, or one of these. */
#define RNBD_ID_INFO (UINT64_C(1) << 32)
#define RNBD_ID_HEARTBEAT (UINT64_C(1) << 33)

enum rnbd_kind {
	RNBD_KIND_UNKNOWN, RNBD_KIND_INFO, RNBD_KIND_HEARTBEAT, RNBD_KIND_USER, RNBD_KIND_SESS_INFO, RNBD_KIND_OPEN, RNBD_KIND_CLOSE, RNBD_KIND_IO
};

/* A connection's state. */
struct rnbd_state {
	struct commands commands;
	struct rnbd_session *session; /* NULL: unknown */
	uint8_t place_bits;        /* learned from requests and responses; 0: unknown */
	uint64_t buffers;          /* numbers of all buffers of requests, shifted by `place_bits`, by bitwise OR */
};

/* Memory of the client, in the order of the data. */
struct rnbd_extent {
	uint64_t address;
	uint32_t length, key;
};

struct rnbd_command {
	struct command command;
	uint8_t kind;              /* enum rnbd_kind */
	uint8_t operation;         /* enum rnbd_operation */
	bool is_write;             /* the data is in the request */
	bool is_taken;             /* the data were copied to `carried` */
	bool has_status;
	uint16_t status;           /* error number; 0: success */
	uint32_t device_id, bytes, tail_length;
	uint64_t sector, data_length;
	const struct rnbd_device *device; /* NULL: unknown */
	char *name;                /* of the device to be opened; on the heap */
	struct coverage carried, cut; /* data in the request: which bytes were captured, and these if they are wanted */
	struct rnbd_extent *pieces;      /* on the heap */
	uint32_t piece_count;
};

extern const struct command_layer rnbd_command_layer;

/* The layer's struct of a command. */
static inline struct rnbd_command *rnbd_command_of(struct command *command)
{
	return (struct rnbd_command *)command;
}

/* Static; NULL: an unknown kind, or an unknown operation of an I/O. */
const char *rnbd_command_name(const struct rnbd_command *command);

/* Number of bits of immediate data for the buffer's offset: known, or the usual number. */
unsigned rnbd_command_place_bits(const struct rnbd_state *state);

/* A request's message waits for its end, also where no operations are wanted: its data is copied when it is settled. */
void rnbd_command_begin_operation(struct upper_work *work, struct rnbd_command *command);

/* Adds an operation for a response whose request was not captured. */
void rnbd_command_show_alone(struct upper_work *work, const struct rnbd_command *command);

/* Copies the data in the request from its message. */
void rnbd_command_take_data(struct rtap_tracker *tracker, struct rnbd_command *command, const struct message *message);

/* The response to an open request names the device. */
void rnbd_command_learn_device(struct rtap_tracker *tracker, struct rnbd_state *state, struct rnbd_command *command);

#endif
