/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Command capsules.
 */
#ifndef DISSECT_NVME_NVME_COMMAND_H
#define DISSECT_NVME_NVME_COMMAND_H

#include "dissect/nvme/nvme.h"

/* Whether the bytes at the cursor are a command capsule: its format, its SGL, and reserved bytes that are zero. */
bool nvme_recognise(const struct cursor *payload);

/*
 * Whether the first five bytes are those of a command, which has an SGL. One with PRPs, or an invalid value, is a command that the controller
 * rejects (Base, 3.3.3.1), if the other bits are those of a command: programs that use the port of NVMe send anything.
 */
bool nvme_is_command(const uint8_t *bytes);

/* enum protocol_number of the part of a command, by its NVME_CODE. */
uint16_t nvme_part_of(uint32_t code);

/*
 * What is known of a command that was dissected without: replaces its part. Its queue cannot become unknown. False: it has to be dissected
 * again, for the data that follows.
 */
bool nvme_learn(struct rtap_packet *packet, const struct packet_request *known);

/* Appends " CID 0x0001", which a long line leaves out. */
void nvme_summary_cid(struct line *line, uint64_t cid);

#endif
