/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The identity of a packet, independent of where it was captured: its addresses, IP identification and length, and the
 * fields of its transport header that networks do not change. Does not need the payload.
 */
#ifndef REASSEMBLY_PACKET_IDENTITY_H
#define REASSEMBLY_PACKET_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "dissect/engine/packet.h"

struct packet_identity {
	uint64_t hash;       /* of the values that no hop may change; differs for each run, see map_hash() */
	uint32_t place;      /* packet_place() */
	uint32_t fixed;      /* of the same values as the hash, and the same in each run */
	uint32_t icrc;
	bool has_icrc;       /* `icrc` was captured */
};

/* For packets of InfiniBand, RoCE and TCP. False: another protocol, or truncated headers. */
bool packet_identify(const struct rtap_packet *packet, struct packet_identity *identity);

/* Selects a hash bucket; the same in each run. For packets with BTH or TCP, whose sequence numbers and IP identification both count up. */
static inline uint32_t packet_place(const struct rtap_packet *packet)
{
	uint32_t place = packet->ib.has_bth ? packet->ib.psn ^ packet->ib.dest_qpn : packet->tcp.sequence ^ packet->tcp.acknowledgment;

	return place + packet->ip_id * UINT32_C(0x9e3779b1);
}

/* A byte of the source address that distinguishes most senders. */
static inline uint8_t packet_sender(const struct rtap_packet *packet)
{
	return packet->address_length ? packet->source_address[packet->address_length - 1] : 0;
}

/* Which end sent the packet: 1 for the end with the higher address. */
bool packet_is_from_higher(const struct rtap_packet *packet);

/* Time differences between the copies of packets in two files. */
struct clock_range {
	bool is_known;
	int64_t least_ns, most_ns;
};

void clock_range_add(struct clock_range *range, int64_t time_ns);

/*
 * By how much the second file's clock is ahead, as far as packets in both directions constrain it: 0 if possible. `ranges`:
 * indexed by packet_is_from_higher().
 */
int64_t clock_offset(const struct clock_range ranges[2]);

#endif
