/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of I/O commands.
 */
#ifndef DISSECT_NVME_NVME_IO_H
#define DISSECT_NVME_NVME_IO_H

#include <stdint.h>

/* enum protocol_number of the part of an I/O command with this opcode. */
uint16_t nvme_io_part(uint8_t opcode);

#endif
