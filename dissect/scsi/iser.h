/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iSCSI Extensions for RDMA: a header of 28 bytes before each iSCSI PDU. RFC 7145, 9.2; iSCSI: RFC 7143, chapter 11. Numbers are big-endian.
 */
#ifndef DISSECT_SCSI_ISER_H
#define DISSECT_SCSI_ISER_H

#include "dissect/engine/protocol.h"

#define ISER_LENGTH 28
#define ISER_CONTROL 1           /* opcode: an iSCSI PDU follows */
#define ISER_HELLO 2
#define ISER_HELLO_REPLY 3
#define ISER_WRITE_VALID 0x08    /* flags in the first byte */
#define ISER_READ_VALID 0x04
#define ISER_WRITE_STAG 32, 32
#define ISER_WRITE_BASE 64, 64
#define ISER_READ_STAG 128, 32
#define ISER_READ_BASE 160, 64

#define ISCSI_LENGTH 48
#define ISCSI_OPCODE 2, 6
#define ISCSI_FROM_TARGET 0x20   /* bit of the opcode */
#define ISCSI_AHS_LENGTH 32, 8   /* in words of four bytes */
#define ISCSI_DATA_LENGTH 40, 24
#define ISCSI_LUN_AT 8           /* bytes */
#define ISCSI_ISID_AT 8          /* of a login */
#define ISCSI_ISID_LENGTH 6
#define ISCSI_CID 160, 16
#define ISCSI_LOGIN_CONTINUES 9, 1
#define ISCSI_TAG 128, 32
#define ISCSI_EXPECTED 160, 32   /* of a SCSI command: bytes of data */
#define ISCSI_FINAL 8, 1          /* of a SCSI command, and of Data-Out */
#define ISCSI_WRITES 10, 1        /* of a SCSI command */
#define ISCSI_DATA_OFFSET 320, 32 /* of Data-Out */
#define ISCSI_CDB_AT 32
#define ISCSI_STATUS_AT 3
#define ISCSI_READ_UNDERFLOW 12, 1 /* of a response, as the next ones: of data-in of a bidirectional command */
#define ISCSI_UNDERFLOW 14, 1
#define ISCSI_READ_RESIDUAL 320, 32
#define ISCSI_RESIDUAL 352, 32

enum iscsi_opcode {
	ISCSI_NOP_OUT = 0x00, ISCSI_COMMAND = 0x01, ISCSI_TASK_MANAGEMENT = 0x02, ISCSI_LOGIN = 0x03, ISCSI_TEXT = 0x04, ISCSI_DATA_OUT = 0x05,
	ISCSI_LOGOUT = 0x06, ISCSI_SNACK = 0x10, ISCSI_NOP_IN = 0x20, ISCSI_RESPONSE = 0x21, ISCSI_TASK_MANAGEMENT_RESPONSE = 0x22,
	ISCSI_LOGIN_RESPONSE = 0x23,
	ISCSI_TEXT_RESPONSE = 0x24, ISCSI_DATA_IN = 0x25, ISCSI_LOGOUT_RESPONSE = 0x26, ISCSI_R2T = 0x31, ISCSI_ASYNC = 0x32, ISCSI_REJECT = 0x3f,
};

#define ISCSI_NO_TAG UINT32_MAX  /* of a PDU that requests no response */
#define ISCSI_RESPONSE_AT 2      /* bytes: the result of task management and logout */
#define ISCSI_FUNCTION 9, 7
#define ISCSI_LOGIN_STATUS 288, 16
#define ISCSI_AHS_HEADER 4       /* bytes: length, type, one that the type uses */
#define ISCSI_EXTENDED_CDB 1     /* its type */
#define ISCSI_BIDIRECTIONAL 2    /* the length of the data that a bidirectional command reads */

/* Names of the opcodes of iSER. */
extern const struct rtap_name iser_names[];

/* Names of requests, task management by its function; NULL: not a request with a response. */
const char *iscsi_request_name(const uint8_t *pdu);

/* Names of the result of task management, logout, login; NULL: none. */
extern const struct rtap_name iscsi_task_result_names[], iscsi_logout_result_names[], iscsi_login_status_names[];

/* Names of the reasons of a Reject. */
extern const struct rtap_name iscsi_reject_names[];

/* Whether the bytes at the cursor are an iSER header and an iSCSI PDU whose lengths fill the SEND. */
bool iser_recognise(const struct cursor *payload);

#endif
