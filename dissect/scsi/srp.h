/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SCSI RDMA Protocol: information units. Numbers are big-endian. SRP (INCITS 365), chapter 6; immediate data: Linux's extension.
 */
#ifndef DISSECT_SCSI_SRP_H
#define DISSECT_SCSI_SRP_H

#include "dissect/engine/protocol.h"

enum srp_opcode {
	SRP_TASK_MANAGEMENT = 0x01, SRP_COMMAND = 0x02, SRP_INITIATOR_LOGOUT = 0x03, SRP_CREDIT_RESPONSE = 0x41, SRP_AER_RESPONSE = 0x42,
	SRP_TARGET_LOGOUT = 0x80, SRP_CREDIT_REQUEST = 0x81, SRP_AER_REQUEST = 0x82, SRP_RESPONSE = 0xc1,
};

enum srp_format { SRP_NO_DATA = 0, SRP_DIRECT = 1, SRP_INDIRECT = 2, SRP_IMMEDIATE = 3 };

#define SRP_COMMAND_LENGTH 48
#define SRP_RESPONSE_LENGTH 36
#define SRP_DESCRIPTOR_LENGTH 16
#define SRP_TAG 64, 64
#define SRP_OUT_FORMAT 40, 4
#define SRP_IN_FORMAT 44, 4
#define SRP_OUT_COUNT 48, 8
#define SRP_IN_COUNT 56, 8
#define SRP_LUN_AT 20            /* bytes */
#define SRP_ADDITIONAL_CDB 248, 6
#define SRP_CDB_AT 32
#define SRP_STATUS_AT 19
#define SRP_FLAGS 144, 8
#define SRP_SENSE_LENGTH 224, 32
#define SRP_REASON_LENGTH 256, 32
#define SRP_HAS_REASON 0x01      /* of the flags: RSPVALID, SNSVALID, DOUNDER, DIUNDER */
#define SRP_HAS_SENSE 0x02
#define SRP_OUT_UNDERFLOW 0x08
#define SRP_IN_UNDERFLOW 0x20
#define SRP_OUT_RESIDUAL 160, 32
#define SRP_IN_RESIDUAL 192, 32

#define SRP_TASK_LENGTH 48
#define SRP_TASK_FUNCTION_AT 30
#define SRP_RESULT_AT 3          /* of the response data: the result of task management */

/* Names of task management functions, and of their results. */
extern const struct rtap_name srp_function_names[], srp_result_names[];

/* Whether the bytes at the cursor are a command whose descriptors fill it exactly. */
bool srp_recognise(const struct cursor *payload);

/* Bytes that one direction's descriptors take in a command; UINT32_MAX: not a format. */
uint32_t srp_descriptor_length(const uint8_t *command, bool is_out);

#endif
