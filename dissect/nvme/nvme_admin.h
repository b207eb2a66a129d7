/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of admin commands.
 */
#ifndef DISSECT_NVME_NVME_ADMIN_H
#define DISSECT_NVME_NVME_ADMIN_H

#include <stdint.h>

/* enum protocol_number of the part of an admin command with this opcode. */
uint16_t nvme_admin_part(uint8_t opcode);

/* The subject of a command with that part, by the part's first byte: a structure, log page or feature. NULL: no name. */
const char *nvme_admin_subject(uint16_t part, uint8_t number);

#endif
