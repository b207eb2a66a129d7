/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LNet over RDMA (o2iblnd): each SEND, and the private data of communication management, begins with a header in the sender's byte order,
 * which its magic number shows. LNet's own header within is little-endian. Lustre, lnet/klnds/o2iblnd/o2iblnd-idl.h, lnet-idl.h.
 */
#ifndef DISSECT_LNET_LNET_H
#define DISSECT_LNET_LNET_H

#include "dissect/engine/protocol.h"

#define LNET_PORT 987          /* of Lustre's o2iblnd, over the RDMA CM */
#define LNET_MAGIC 0x0be91b91
#define LNET_LENGTH 48
#define LNET_TYPE_AT 6
#define LNET_CREDITS_AT 7
#define LNET_NOB 64, 32
#define LNET_CHECKSUM 96, 32
#define LNET_SOURCE 128, 64
#define LNET_DESTINATION 256, 64

enum lnet_type {
	LNET_CONNREQ = 0xc0, LNET_CONNACK, LNET_NOOP = 0xd0, LNET_IMMEDIATE, LNET_PUT_REQ, LNET_PUT_NAK, LNET_PUT_ACK, LNET_PUT_DONE, LNET_GET_REQ,
	LNET_GET_DONE,
};

/* LNet's header: the part that all have, then one that depends on the type. */
#define LNET_HEADER_LENGTH 72
#define LNET_COMMON_LENGTH 32
#define LNET_HEADER_DESTINATION 0, 64
#define LNET_HEADER_SOURCE 64, 64
#define LNET_HEADER_TYPE 192, 32
#define LNET_HEADER_PAYLOAD 224, 32

enum lnet_header_type { LNET_ACK, LNET_PUT, LNET_GET, LNET_REPLY, LNET_HELLO };

/* PUT, GET and ACK: bits from the start of the header. */
#define LNET_MATCH_BITS 384, 64
#define LNET_PUT_PORTAL 512, 32
#define LNET_PUT_OFFSET 544, 32
#define LNET_GET_PORTAL 448, 32
#define LNET_GET_OFFSET 480, 32
#define LNET_GET_LENGTH 512, 32
#define LNET_ACK_TAKEN 448, 32

/* PUT, GET: the requester's handle, which ACK and REPLY name; all ones: no ACK is wanted. */
#define LNET_HANDLE_AT 32
#define LNET_HANDLE_LENGTH 16
#define LNET_HANDLE_INTERFACE 256, 64
#define LNET_HANDLE_OBJECT 320, 64

#define LNET_COOKIE_LENGTH 8
#define LNET_DESCRIPTOR_LENGTH 8
#define LNET_FRAGMENT_LENGTH 12
#define LNET_MOST_FRAGMENTS 257 /* IBLND_MAX_RDMA_FRAGS, and one */

/* Text of a network identifier: "10.0.0.1@o2ib". */
#define LNET_NID_TEXT 32
void lnet_nid_text(uint64_t nid, char text[LNET_NID_TEXT]);

/* A value in the order of the header that it follows. */
static inline uint64_t lnet_bits(bool is_little, const uint8_t *bytes, unsigned offset, unsigned width)
{
	return is_little ? little_bits(bytes, offset, width) : bits(bytes, offset, width);
}

const char *lnet_header_type_name(uint32_t type);

/* Whether a SEND is one of LNet, by its content: magic number, version and type, and a length that is its own. */
bool lnet_recognise(const struct cursor *payload);

/* Whether private data is a connection request of LNet. */
bool lnet_is_request(const uint8_t *bytes, uint32_t length);

/* The protocol of private data that accepts or requests (`is_reject`: rejects) a connection; PROTOCOL_NONE: none of LNet. */
uint16_t lnet_private_protocol(const uint8_t *bytes, uint32_t length, bool is_reject);

#endif
