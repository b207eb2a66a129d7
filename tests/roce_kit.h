/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests: RoCEv2 packets over IPv4, as frames of link type RTAP_LINK_RAW.
 */
#ifndef TESTS_ROCE_KIT_H
#define TESTS_ROCE_KIT_H

#include <string.h>

#include <zlib.h>

#include "dissect/engine/packet.h"
#include "dissect/management/cm.h"
#include "dissect/infiniband/ib.h"

#define ROCE_MAX_FRAME (20 + 8 + 12 + 80 + 4096 + 8)
#define ROCE_MAD_LENGTH 256
#define ROCE_P_KEY_AT 30 /* in a frame */

struct roce {
	uint32_t source, destination; /* IPv4 addresses */
	uint8_t opcode;
	bool ack_request;
	uint32_t dest_qp, psn;
	uint32_t src_qp;              /* datagrams */
	uint64_t virtual_address;
	uint32_t r_key, dma_length;
	uint64_t swap_or_add, compare, original;
	uint8_t syndrome;
	uint32_t msn, immediate;
	const uint8_t *payload;
	uint32_t payload_length;
};

static inline uint8_t *roce_put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
	return at + bytes;
}

static inline uint8_t *roce_put_extended(uint8_t *at, const struct roce *roce)
{
	uint16_t headers = ib_opcodes[roce->opcode].headers;

	if (headers & IB_RDETH)
		at = roce_put(at, 1, 4);
	if (headers & IB_DETH) {
		at = roce_put(at, 0x80010000, 4);
		at = roce_put(at, roce->src_qp, 4);
	}
	if (headers & IB_XRCETH)
		at = roce_put(at, 0x123, 4);
	if (headers & IB_FETH)
		at = roce_put(at, 0x11, 4);
	if (headers & IB_RETH) {
		at = roce_put(at, roce->virtual_address, 8);
		at = roce_put(at, roce->r_key, 4);
		at = roce_put(at, roce->dma_length, 4);
	}
	if (headers & IB_ATOMICETH) {
		at = roce_put(at, roce->virtual_address, 8);
		at = roce_put(at, roce->r_key, 4);
		at = roce_put(at, roce->swap_or_add, 8);
		at = roce_put(at, roce->compare, 8);
	}
	if (headers & IB_AETH)
		at = roce_put(at, (uint32_t)roce->syndrome << 24 | (roce->msn & 0xffffff), 4);
	if (headers & IB_ATOMICACKETH)
		at = roce_put(at, roce->original, 8);
	if (headers & (IB_IMMDT | IB_IETH))
		at = roce_put(at, roce->immediate, 4);
	if (headers & IB_CNP_RESERVED) {
		memset(at, 0, 16);
		at += 16;
	}
	return at;
}

/* Puts the invariant CRC, zero until then, into a frame. Fields that routers may change count as ones. IBTA vol. 1, A17.3.3. */
static inline void roce_seal(uint8_t *frame, uint32_t length)
{
	static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint8_t head[40];
	uLong crc = crc32_z(0, ones, sizeof ones);

	memcpy(head, frame, sizeof head);
	head[1] = head[8] = head[10] = head[11] = head[26] = head[27] = head[32] = 0xff;
	crc = crc32_z(crc, head, sizeof head);
	crc = crc32_z(crc, frame + 40, length - 44);
	for (unsigned i = 0; i < 4; i++)
		frame[length - 4 + i] = (uint8_t)(crc >> 8 * i);
}

/* Makes the frame of a packet, at most ROCE_MAX_FRAME bytes, with an invariant CRC of zero; returns its length. */
static inline uint32_t roce_frame(uint8_t *frame, const struct roce *roce)
{
	uint8_t *at = frame + 40;
	uint32_t pad = (4 - roce->payload_length % 4) % 4, length;

	memset(frame, 0, 40);
	at = roce_put_extended(at, roce);
	if (roce->payload_length)
		memcpy(at, roce->payload, roce->payload_length);
	at += roce->payload_length;
	memset(at, 0, pad + 4);
	length = (uint32_t)(at - frame) + pad + 4;
	frame[0] = 0x45;
	roce_put(frame + 2, length, 2);
	frame[8] = 64;
	frame[9] = 17;
	roce_put(frame + 12, roce->source, 4);
	roce_put(frame + 16, roce->destination, 4);
	roce_put(frame + 20, 49152, 2);
	roce_put(frame + 22, 4791, 2);
	roce_put(frame + 24, length - 20, 2);
	frame[28] = roce->opcode;
	frame[29] = (uint8_t)(pad << 4);
	roce_put(frame + ROCE_P_KEY_AT, 0xffff, 2);
	roce_put(frame + 33, roce->dest_qp, 3);
	frame[36] = roce->ack_request ? 0x80 : 0;
	roce_put(frame + 37, roce->psn, 3);
	return length;
}

/* A message of communication management; values without a field in its kind are ignored. */
struct roce_cm {
	uint16_t attribute; /* enum cm_attribute */
	uint64_t transaction, service_id;
	uint32_t local_id, remote_id, qpn, psn;
	uint8_t transport, extended_transport, mtu_code, status;
	uint16_t reason;
};

static inline void roce_put_cm(uint8_t *mad, const struct roce_cm *cm)
{
	uint8_t *message = mad + 24;

	memset(mad, 0, ROCE_MAD_LENGTH);
	mad[0] = 1;
	mad[1] = 0x07;
	mad[2] = 2;
	mad[3] = 3;
	roce_put(mad + 8, cm->transaction, 8);
	roce_put(mad + 16, cm->attribute, 2);
	roce_put(message, cm->local_id, 4);
	switch (cm->attribute) {
	case CM_REQ:
		roce_put(message + 8, cm->service_id, 8);
		roce_put(message + 32, cm->qpn, 3);
		message[43] = (uint8_t)((cm->transport & 3) << 1);
		roce_put(message + 44, cm->psn, 3);
		message[50] = (uint8_t)(cm->mtu_code << 4);
		message[51] = cm->extended_transport & 7;
		break;
	case CM_REP:
		roce_put(message + 4, cm->remote_id, 4);
		roce_put(message + 12, cm->qpn, 3);
		roce_put(message + 16, cm->qpn, 3);
		roce_put(message + 20, cm->psn, 3);
		break;
	case CM_SIDR_REQ:
		roce_put(message + 8, cm->service_id, 8);
		break;
	case CM_SIDR_REP:
		message[4] = cm->status;
		roce_put(message + 8, cm->qpn, 3);
		roce_put(message + 12, cm->service_id, 8);
		break;
	case CM_REJ:
		roce_put(message + 10, cm->reason, 2);
		/* fall through */
	default:
		roce_put(message + 4, cm->remote_id, 4);
		break;
	}
}

/* Makes the frame of a message of communication management; returns its length. */
static inline uint32_t roce_cm_frame(uint8_t *frame, uint32_t source, uint32_t destination, const struct roce_cm *cm)
{
	uint8_t mad[ROCE_MAD_LENGTH];
	struct roce roce = { .source = source, .destination = destination, .opcode = 0x64, .dest_qp = 1, .src_qp = 1, .payload = mad,
			     .payload_length = sizeof mad };

	roce_put_cm(mad, cm);
	return roce_frame(frame, &roce);
}

#endif
