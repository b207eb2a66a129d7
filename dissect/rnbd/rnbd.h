/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RNBD, block devices over RTRS: messages. Numbers are little-endian, sectors have 512 bytes. Layouts: Linux, drivers/block/rnbd.
 */
#ifndef DISSECT_RNBD_RNBD_H
#define DISSECT_RNBD_RNBD_H

#include "dissect/engine/protocol.h"

enum rnbd_type { RNBD_SESS_INFO = 0, RNBD_SESS_INFO_RSP = 1, RNBD_OPEN = 2, RNBD_OPEN_RSP = 3, RNBD_IO = 4, RNBD_CLOSE = 5 };

enum rnbd_operation { RNBD_READ = 0, RNBD_WRITE = 1, RNBD_FLUSH = 2, RNBD_DISCARD = 3, RNBD_SECURE_ERASE = 4, RNBD_WRITE_ZEROES = 5 };

#define RNBD_SECTOR 512            /* bytes */
#define RNBD_TYPE 0, 16
#define RNBD_PADDING 16, 16
#define RNBD_SESS_INFO_LENGTH 36
#define RNBD_OPEN_LENGTH 264
#define RNBD_NAME_AT 6             /* bytes, of an open request */
#define RNBD_NAME_LENGTH 255
#define RNBD_OPEN_RSP_LENGTH 56
#define RNBD_OPEN_RSP_DEVICE 32, 32
#define RNBD_OPEN_RSP_SECTORS 64, 64
#define RNBD_IO_LENGTH 26          /* padding up to 32 may follow */
#define RNBD_IO_DEVICE 32, 32
#define RNBD_IO_SECTOR 64, 64
#define RNBD_IO_OPERATION 128, 8
#define RNBD_IO_FLAGS 136, 24
#define RNBD_IO_BYTES 160, 32
#define RNBD_CLOSE_LENGTH 8
#define RNBD_CLOSE_DEVICE 32, 32

/* The protocol of a message; PROTOCOL_NONE: unknown, or too short. */
uint16_t rnbd_protocol_of(const uint8_t *message, uint32_t length);

/* "READ"; WRITE SAME of old kernels is WRITE_ZEROES with data. NULL: unknown. */
const char *rnbd_operation_name(uint8_t operation, bool has_data);

/* Whether the message of a request is RNBD's and moves that much data. `is_read`: by RTRS's header. */
bool rnbd_agrees(const uint8_t *message, uint32_t length, bool is_read, uint64_t data_length);

#endif
