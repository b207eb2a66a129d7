/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Effects of NVMe commands on the blocks of namespaces.
 */
#ifndef REASSEMBLY_UPPER_NVME_EFFECT_H
#define REASSEMBLY_UPPER_NVME_EFFECT_H

#include "reassembly/upper/nvme_state.h"

/* A command that has ended. All is borrowed. */
struct nvme_ended {
	const struct nvme_queue *queue;
	const struct request *request;
	const uint8_t *bytes;     /* NVME_COMMAND_LENGTH */
	uint32_t code;            /* NVME_CODE */
	uint32_t block_size;      /* 0: unknown */
	bool has_status;          /* the two below are valid */
	uint16_t status;
	uint64_t result;
	uint64_t response_frame;  /* that of the command, if no response was seen */
	const struct coverage *data, *cut; /* its data, and the part that the capture truncated; NULL: none */
};

/* Passes its effect to tracker->take_effect, which is not NULL. */
void nvme_effect(struct rtap_tracker *tracker, const struct nvme_ended *ended);

#endif
