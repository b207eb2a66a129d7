/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State of NVMe queues, subsystems and namespaces.
 */
#ifndef REASSEMBLY_UPPER_NVME_STATE_H
#define REASSEMBLY_UPPER_NVME_STATE_H

#include "dissect/nvme/nvme.h"
#include "reassembly/upper/command.h"

#define NVME_CONNECT_LENGTH 1024
#define NVME_IDENTIFY_LENGTH 4096
#define NVME_LEAST_BLOCK 512

extern const struct upper_layer nvme_layer;

struct nvme_target;

/* A connection's state. */
struct nvme_queue {
	struct commands commands;
	bool has_id, has_controller;
	uint8_t kind;              /* enum nvme_space: NVME_SPACE_ADMIN, NVME_SPACE_IO, or unknown */
	uint16_t id, controller;
	struct nvme_target *target; /* the subsystem; NULL: unknown */
	uint32_t in_capsule;       /* largest in-capsule data of a command of the queue, in bytes */
	uint32_t keep_alive_ms;    /* of Connect; 0: unknown, or none */
};

/* For struct upper_layer. */
bool nvme_state_init(struct rtap_tracker *tracker);
void nvme_state_fini(struct rtap_tracker *tracker);

/* The queue's identifier became known. */
void nvme_queue_number(struct nvme_queue *queue, uint16_t id);

/* Learns the kind of the queue from an opcode that only admin queues, or only I/O queues have. */
void nvme_queue_guess(struct nvme_queue *queue, uint8_t opcode);

/* command_layer.learn. */
void nvme_queue_learn(void *to, const void *from);

/* The data of Connect, as far as it was captured: names of the subsystem and the host, controller. */
void nvme_learn_connect(struct rtap_tracker *tracker, struct nvme_queue *queue, struct rtap_span data);

/* The 4096 bytes of Identify Namespace. NVM, 4.1.5.1. */
void nvme_learn_namespace(struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, const uint8_t *data);

/*
 * Bytes of a logical block without metadata, of a namespace of the subsystem that the request is for; 0: unknown. `is_sure`: from Identify,
 * else from a command's length. `own`: what the length of the command itself shows, or 0. If the subsystem's name is unknown, it stands
 * for its address, which may be that of several: then only `own` is known after different sizes were noted.
 */
void nvme_note_block_size(struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, uint32_t size, bool is_sure);
uint32_t nvme_block_size(const struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, uint32_t own);

/* The 4096 bytes of Identify Controller. Base, 5.17.2.1. */
void nvme_learn_controller(struct nvme_queue *queue, const uint8_t *data);

/* Largest known in-capsule data of a command of an I/O queue, in bytes. */
uint32_t nvme_most_in_capsule(const struct nvme_queue *queue);

/* The NQN of the subsystem, with characters that are unsafe in terminals or file names escaped; NULL: unknown. */
const char *nvme_target_name(const struct nvme_queue *queue);

/* Writes the address of the responder to `text`. */
#define NVME_ADDRESS_TEXT 48
void nvme_target_address(const struct request *request, char text[NVME_ADDRESS_TEXT]);

/* The 4096 bytes of Identify Namespace of the Zoned Namespace Command Set, 4.1.5.1: they have the size of zones. */
void nvme_learn_zones(struct rtap_tracker *tracker, const struct request *request, uint32_t nsid, const uint8_t *data);

/* Blocks of a zone; 0: unknown. */
uint64_t nvme_zone_blocks(const struct rtap_tracker *tracker, const struct request *request, uint32_t nsid);

bool nvme_is_identify_namespace(uint32_t code, const uint8_t *command);
bool nvme_is_identify_controller(uint32_t code, const uint8_t *command);
bool nvme_is_identify_zones(uint32_t code, const uint8_t *command);

/* Whether a command's data describes queues or namespaces, so that its bytes are kept. */
bool nvme_wants_data(uint32_t code, const uint8_t *command);

#endif
