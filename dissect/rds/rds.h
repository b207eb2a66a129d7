/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reliable Datagram Sockets over RDMA: the header in front of each fragment of a message. Big-endian. Linux, net/rds/rds.h.
 */
#ifndef DISSECT_RDS_RDS_H
#define DISSECT_RDS_RDS_H

#include "dissect/engine/protocol.h"

#define RDS_HEADER_LENGTH 48
#define RDS_SEQUENCE 0, 64
#define RDS_ACK 64, 64
#define RDS_LENGTH 128, 32     /* of the whole message */
#define RDS_SOURCE_PORT 160, 16
#define RDS_DESTINATION_PORT 176, 16
#define RDS_FLAGS 192, 8
#define RDS_CREDIT 200, 8
#define RDS_PADDING 208, 32
#define RDS_CHECKSUM 240, 16
#define RDS_EXTENSIONS_AT 32
#define RDS_EXTENSIONS_LENGTH 16

enum rds_flag {
	RDS_CONGESTION_MAP = 0x01, RDS_ACK_REQUIRED = 0x02, RDS_RETRANSMITTED = 0x04, RDS_HEARTBEAT_PING = 0x08, RDS_HEARTBEAT_PONG = 0x10,
	RDS_EXTENDED = 0x20,
};

#define RDS_MAP_LENGTH 8192    /* a bit for each port */

/* The ports of RDS in service ids of communication management. */
#define RDS_PORT 18634
#define RDS_PORT_OLD 16385

enum rds_extension {
	RDS_EXTENSION_NONE, RDS_EXTENSION_VERSION, RDS_EXTENSION_RDMA, RDS_EXTENSION_RDMA_DESTINATION, RDS_EXTENSION_RDMA_BYTES, RDS_EXTENSION_PATHS,
	RDS_EXTENSION_GENERATION, RDS_EXTENSION_CAPABILITIES, RDS_EXTENSION_PORT_INDEX, RDS_EXTENSION_COUNT,
};

/* The content of an extension header of a whole header; NULL: it has none. */
const uint8_t *rds_extension(const uint8_t *header, enum rds_extension wanted);

/* Whether the Internet checksum (RFC 1071) over the header is right. */
bool rds_checksum_is_good(const uint8_t *header);

/* The first byte from `at` (at most `length`) in a part of a congestion map that is not 0; `length`: there is none. */
uint32_t rds_next_congested(const uint8_t *map, uint32_t length, uint32_t at);

/* Ports whose bits are set in a part of a congestion map. */
uint32_t rds_congested_ports(const uint8_t *map, uint32_t length);

/* Whether a SEND is one of RDS, by its content. */
bool rds_recognise(const struct cursor *payload);

#endif
