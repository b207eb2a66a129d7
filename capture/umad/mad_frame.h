/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams (MADs) as InfiniBand packets in ERF records, and back. A program that talks to ib_umad gets the datagram
 * and an address; the headers of the packet are made from that address.
 */
#ifndef CAPTURE_UMAD_MAD_FRAME_H
#define CAPTURE_UMAD_MAD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAD_LENGTH 256        /* of a MAD, IBTA vol. 1, 13.4.2 */
#define MAD_JUMBO_LENGTH 2048     /* of one of base version 0x80 (Omni-Path) at the most */
/* ERF, LRH, GRH, BTH, DETH, the datagram, both CRCs */
#define MAD_FRAME_LENGTH(mad) (16 + 8 + 40 + 12 + 8 + (mad) + 4 + 2)

/* What a packet's headers say, in host byte order. */
struct mad_envelope {
	uint16_t source_lid, destination_lid;
	uint32_t source_qpn, destination_qpn;
	uint32_t q_key;
	uint16_t p_key;
	uint8_t service_level;
	bool global;              /* has a GRH, of which: */
	uint8_t source_gid[16], destination_gid[16];
	uint8_t traffic_class, hop_limit;
	uint32_t flow_label;
};

/* Whether the class's MADs have an RMPP header. */
bool mad_has_rmpp(uint8_t management_class);

/* How many MADs a received message was on the wire: more than one if RMPP put it together. */
uint32_t mad_segment_count(const uint8_t *message, uint32_t length);

/*
 * The `index`-th MAD (from 0) of a message as it was on the wire, with its RMPP header. Returns its length, at most
 * MAD_JUMBO_LENGTH; what the message lacks of a MAD is zeros.
 */
uint32_t mad_segment(const uint8_t *message, uint32_t length, uint32_t index, uint8_t mad[MAD_JUMBO_LENGTH]);

/*
 * Writes an ERF record of an InfiniBand packet with the datagram in it, with right CRCs, of at most MAD_FRAME_LENGTH()
 * bytes. `mad_length` is a multiple of 4. Returns its length.
 */
uint32_t mad_frame_make(uint8_t *frame, const struct mad_envelope *envelope, const uint8_t *mad, uint32_t mad_length,
			uint32_t psn,
			 int64_t time_ns);

/*
 * Reads such a record, from wherever it comes: UD SEND Only to queue pair 0 or 1 of a whole MAD. Returns NULL, or what is
 * wrong with it. *mad points into the frame.
 */
const char *mad_frame_read(const uint8_t *frame, uint32_t length, struct mad_envelope *envelope, const uint8_t **mad,
			    uint32_t *mad_length);

#endif
