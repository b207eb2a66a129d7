/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NVMe over Fabrics, RDMA transport: capsules. All numbers are little-endian. NVM Express Base Specification 2.0 (below: Base), NVM
 * Command Set Specification 1.0 (below: NVM), NVMe over Fabrics 1.1.
 */
#ifndef DISSECT_NVME_NVME_H
#define DISSECT_NVME_NVME_H

#include "dissect/engine/protocol.h"

#define NVME_COMMAND_LENGTH 64
#define NVME_RESPONSE_LENGTH 16

#define NVME_PORT 4420
#define NVME_PORT_DISCOVERY 8009

/* Where a command's parts are; bits, as in field tables. */
#define NVME_OPCODE 0, 8
#define NVME_CID 16, 16
#define NVME_NSID 32, 32
#define NVME_SGL_ADDRESS 192, 64
#define NVME_SGL_LENGTH 256, 24
#define NVME_SGL_KEY 280, 32
#define NVME_SGL_LONG_LENGTH 256, 32
#define NVME_SGL_SUBTYPE 312, 4
#define NVME_SGL_TYPE 316, 4
#define NVME_SGL_DESCRIPTOR 16 /* bytes */
#define NVME_SLBA 320, 64
#define NVME_NLB 384, 16
#define NVME_FCTYPE 32, 8
#define NVME_RANGES 320, 8      /* Dataset Management */
#define NVME_DEALLOCATES 354, 1
#define NVME_RANGE_LENGTH 16    /* bytes */

/* The same of a response, and of its status. */
#define NVME_SQHD 64, 16
#define NVME_SQID 80, 16
#define NVME_RESPONSE_CID 96, 16
#define NVME_PHASE 112, 1        /* 0: there are no phases over Fabrics */
#define NVME_STATUS 113, 15
#define NVME_STATUS_CODE(status) ((status) & 0x7ff) /* with its type */
#define NVME_STATUS_DNR 0x4000u

enum nvme_sgl_type { NVME_SGL_DATA = 0, NVME_SGL_BIT_BUCKET = 1, NVME_SGL_SEGMENT = 2, NVME_SGL_LAST_SEGMENT = 3,
	NVME_SGL_KEYED = 4, NVME_SGL_TRANSPORT = 5 };
enum nvme_sgl_subtype { NVME_SGL_IS_ADDRESS = 0, NVME_SGL_IS_OFFSET = 1, NVME_SGL_INVALIDATES = 0xf };

enum nvme_admin_opcode {
	NVME_GET_LOG_PAGE = 0x02, NVME_IDENTIFY = 0x06, NVME_ABORT = 0x08, NVME_SET_FEATURES = 0x09, NVME_GET_FEATURES = 0x0a,
	NVME_ASYNC_EVENT = 0x0c, NVME_NAMESPACE_MANAGEMENT = 0x0d, NVME_KEEP_ALIVE = 0x18, NVME_FORMAT = 0x80, NVME_SANITIZE = 0x84,
};

enum nvme_io_opcode {
	NVME_FLUSH = 0x00, NVME_WRITE = 0x01, NVME_READ = 0x02, NVME_WRITE_UNCORRECTABLE = 0x04, NVME_COMPARE = 0x05, NVME_WRITE_ZEROES = 0x08,
	NVME_DATASET_MANAGEMENT = 0x09, NVME_VERIFY = 0x0c, NVME_RESERVATION_REGISTER = 0x0d, NVME_RESERVATION_REPORT = 0x0e,
	NVME_RESERVATION_ACQUIRE = 0x11, NVME_RESERVATION_RELEASE = 0x15, NVME_CANCEL = 0x18, NVME_COPY = 0x19, NVME_ZONE_SEND = 0x79,
	NVME_ZONE_RECEIVE = 0x7a,
	NVME_ZONE_APPEND = 0x7d,
};

#define NVME_FABRICS 0x7f

enum nvme_fabrics_type {
	NVME_PROPERTY_SET = 0x00, NVME_CONNECT = 0x01, NVME_PROPERTY_GET = 0x04, NVME_AUTHENTICATION_SEND = 0x05,
	NVME_AUTHENTICATION_RECEIVE = 0x06, NVME_DISCONNECT = 0x08,
};

/*
 * Identification of a command: the opcode, or of Fabrics commands the type, in a space of its own. struct packet_request has it as `code`, with the
 * offset of a property as `detail`.
 */
enum nvme_space { NVME_SPACE_UNKNOWN, NVME_SPACE_ADMIN, NVME_SPACE_IO, NVME_SPACE_FABRICS };
#define NVME_CODE(space, opcode) ((uint32_t)(space) << 8 | (uint32_t)(opcode))
#define NVME_CODE_SPACE(code) ((enum nvme_space)((code) >> 8))

/* Whether a command moves data from the host to the controller; from the controller to the host. By the opcode: Base, 3.3.3.1. */
static inline bool nvme_is_to_controller(uint8_t opcode)
{
	return opcode & 1;
}

static inline bool nvme_is_to_host(uint8_t opcode)
{
	return (opcode & 3) == 2;
}

/* Fabrics commands have the direction in their type. */
static inline uint8_t nvme_direction_of(const uint8_t *command)
{
	return command[0] == NVME_FABRICS ? command[4] : command[0];
}

/* The data of Connect: Base, 6.3. */
#define NVME_CONNECT_CNTLID 128, 16
#define NVME_CONNECT_SUBNQN 256 /* bytes */
#define NVME_CONNECT_HOSTNQN 512
#define NVME_NQN_LENGTH 256

/* Rows of numbers without more than a name. `place`: the offset and width in bits. */
#define NVME_ROW(name, label, place, show, names) { name, label, place, show, RTAP_LITTLE, names, NULL, NULL }
#define NVME_WHOLE(name, label, place) { name, label, place, RTAP_HEX, RTAP_LITTLE | RTAP_PARTS, NULL, NULL, NULL }
/* A place: the dword, counted from the layer's first, its first bit and the width. */
#define NVME_AT(dword, bit, width) (dword) * 32 + (bit), width

#endif
