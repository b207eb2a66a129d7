/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converting management datagrams (MADs) to InfiniBand packets in ERF records, and back. ib_umad delivers the datagram and an
 * address, from which the packet's headers are made.
 */
#ifndef CAPTURE_UMAD_MAD_FRAME_H
#define CAPTURE_UMAD_MAD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAD_LENGTH 256        /* of a MAD, IBTA vol. 1, 13.4.2 */
#define MAD_JUMBO_LENGTH 2048     /* maximum length of a MAD of base version 0x80 (Omni-Path) */
/* ERF, LRH, GRH, BTH, DETH, the datagram, both CRCs */
#define MAD_FRAME_LENGTH(mad) (16 + 8 + 40 + 12 + 8 + (mad) + 4 + 2)

/* Contents of a packet's headers, in host byte order. */
struct mad_envelope {
	uint16_t source_lid, destination_lid;
	uint32_t source_qpn, destination_qpn;
	uint32_t q_key;
	uint16_t p_key;
	uint8_t service_level;
	bool global;              /* has a GRH: the members below are valid */
	uint8_t source_gid[16], destination_gid[16];
	uint8_t traffic_class, hop_limit;
	uint32_t flow_label;
};

/* Returns whether MADs of the class have an RMPP header. */
bool mad_has_rmpp(uint8_t management_class);

/* Number of MADs of a received message on the wire: more than one if RMPP reassembled it. */
uint32_t mad_segment_count(const uint8_t *message, uint32_t length);

/*
 * Restores MAD number `index` (from 0) of a message as it was on the wire, with its RMPP header. Returns its length, at most
 * MAD_JUMBO_LENGTH; missing bytes are zero.
 */
uint32_t mad_segment(const uint8_t *message, uint32_t length, uint32_t index, uint8_t mad[MAD_JUMBO_LENGTH]);

/*
 * Writes an ERF record of an InfiniBand packet with the datagram and correct CRCs, of at most MAD_FRAME_LENGTH() bytes.
 * `mad_length` is a multiple of 4. Returns the record's length.
 */
uint32_t mad_frame_make(uint8_t *frame, const struct mad_envelope *envelope, const uint8_t *mad, uint32_t mad_length,
			uint32_t psn,
			 int64_t time_ns);

/*
 * Reads such a record from an untrusted source: UD SEND Only of a complete MAD to QP 0 or 1. Returns NULL, or a description of
 * the error. *mad points into the frame.
 */
const char *mad_frame_read(const uint8_t *frame, uint32_t length, struct mad_envelope *envelope, const uint8_t **mad,
			    uint32_t *mad_length);

#endif
