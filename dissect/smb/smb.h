/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SMB 2 and 3 over SMB Direct. Numbers are little-endian; names are UTF-16. SMB Direct: [MS-SMBD]; SMB: [MS-SMB2]; status codes:
 * [MS-ERREF] 2.3; control codes: [MS-FSCC] 2.3.
 */
#ifndef DISSECT_SMB_SMB_H
#define DISSECT_SMB_SMB_H

#include "dissect/engine/protocol.h"

#define SMB_PORT 445
#define SMB_PORT_IWARP 5445

/* SMB Direct: [MS-SMBD] 2.2. Lengths in bytes, positions in bits. */
#define SMB_DIRECT_VERSION 0x0100
#define SMB_DIRECT_REQUEST_LENGTH 20
#define SMB_DIRECT_RESPONSE_LENGTH 32
#define SMB_DIRECT_LENGTH 20         /* of the header of a data transfer */
#define SMB_DIRECT_LEAST_OFFSET 24   /* of data, if there is any: [MS-SMBD] 3.1.5.1 */
#define SMB_DIRECT_REQUEST_CREDITS 48, 16
#define SMB_DIRECT_CREDITS_REQUESTED 0, 16
#define SMB_DIRECT_CREDITS_GRANTED 16, 16
#define SMB_DIRECT_FLAGS 32, 16
#define SMB_DIRECT_RESERVED 48, 16
#define SMB_DIRECT_REMAINING 64, 32
#define SMB_DIRECT_OFFSET 96, 32
#define SMB_DIRECT_DATA_LENGTH 128, 32
#define SMB_DIRECT_RESPONSE_GRANTED 80, 16

/* The first four bytes of an SMB message, most significant first. */
enum smb_id { SMB_ID = 0xfe534d42, SMB_ID_ENCRYPTED = 0xfd534d42, SMB_ID_COMPRESSED = 0xfc534d42 };

static inline bool smb_is_id(uint32_t id)
{
	return id == SMB_ID || id == SMB_ID_ENCRYPTED || id == SMB_ID_COMPRESSED;
}

/* The header of each command: [MS-SMB2] 2.2.1. */
#define SMB2_HEADER_LENGTH 64
#define SMB2_HEADER_SIZE 32, 16
#define SMB2_CREDIT_CHARGE 48, 16
#define SMB2_STATUS 64, 32
#define SMB2_COMMAND 96, 16
#define SMB2_CREDITS 112, 16
#define SMB2_FLAGS 128, 32
#define SMB2_NEXT 160, 32
#define SMB2_MESSAGE_ID 192, 64
#define SMB2_ASYNC_ID 256, 64
#define SMB2_TREE_ID 288, 32
#define SMB2_SESSION_ID 320, 64

#define SMB2_IS_RESPONSE 0x1u
#define SMB2_IS_ASYNC 0x2u
#define SMB2_IS_RELATED 0x4u
#define SMB2_IS_SIGNED 0x8u

#define SMB2_NO_MESSAGE_ID UINT64_MAX /* of a break that the server sends on its own */

enum smb2_command {
	SMB2_NEGOTIATE, SMB2_SESSION_SETUP, SMB2_LOGOFF, SMB2_TREE_CONNECT, SMB2_TREE_DISCONNECT, SMB2_CREATE, SMB2_CLOSE, SMB2_FLUSH, SMB2_READ,
	SMB2_WRITE, SMB2_LOCK, SMB2_IOCTL, SMB2_CANCEL, SMB2_ECHO, SMB2_QUERY_DIRECTORY, SMB2_CHANGE_NOTIFY, SMB2_QUERY_INFO, SMB2_SET_INFO,
	SMB2_OPLOCK_BREAK, SMB2_COMMAND_COUNT
};

enum smb_status {
	SMB_SUCCESS = 0, SMB_PENDING = 0x103, SMB_NOTIFY_ENUM_DIR = 0x10c, SMB_BUFFER_OVERFLOW = 0x80000005, SMB_NO_MORE_FILES = 0x80000006,
	SMB_MORE_PROCESSING_REQUIRED = 0xc0000016,
};

/* Bits 31 and 30 of a status are its severity: [MS-ERREF] 2.3. */
static inline bool smb_is_error(uint32_t status)
{
	return status >> 30 == 3;
}

/* Bodies, in bytes from the start of the body. */
#define SMB2_FILE_ID_LENGTH 16
#define SMB2_DESCRIPTOR_LENGTH 16    /* RDMA buffer descriptor: [MS-SMBD] 2.2.3.1 */
#define SMB2_SESSION_BINDING 1       /* flag of SESSION_SETUP: [MS-SMB2] 2.2.5 */
#define SMB2_LOCK_LENGTH 24

enum smb2_channel { SMB2_CHANNEL_NONE, SMB2_CHANNEL_RDMA_V1, SMB2_CHANNEL_RDMA_V1_INVALIDATE, SMB2_CHANNEL_RDMA_TRANSFORM };

enum smb2_info_class { SMB2_INFO_FILE = 1, SMB2_INFO_FILESYSTEM = 2, SMB2_INFO_SECURITY = 3, SMB2_INFO_QUOTA = 4 };
enum smb2_file_class { SMB2_FILE_RENAME = 10, SMB2_FILE_DISPOSITION = 13, SMB2_FILE_ALLOCATION = 19, SMB2_FILE_END_OF_FILE = 20,
		       SMB2_FILE_DISPOSITION_EX = 64, SMB2_FILE_RENAME_EX = 65 };

/* Control codes that change the contents of a file, and the one that names the source of a copy: [MS-FSCC] 2.3, [MS-SMB2] 2.2.31. */
enum smb2_control { SMB2_REQUEST_RESUME_KEY = 0x140078, SMB2_SET_ZERO_DATA = 0x980c8, SMB2_OFFLOAD_WRITE = 0x98268, SMB2_DUPLICATE_EXTENTS = 0x98344, SMB2_DUPLICATE_EXTENTS_EX = 0x983e8,
		    SMB2_COPYCHUNK = 0x1440f2, SMB2_COPYCHUNK_WRITE = 0x1480f2 };

extern const struct rtap_name smb2_command_names[], smb_status_names[], smb_control_names[];

#endif
