/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a packet is known by wherever it was captured: its addresses, IP identification and length, and the header of its transport as far
 * as no network changes it. The payload need not have been captured.
 */
#ifndef REASSEMBLY_PACKET_IDENTITY_H
#define REASSEMBLY_PACKET_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include <rdmatap/packet.h>

#define PACKET_IDENTITY_WORDS 8

struct packet_identity {
	uint64_t words[PACKET_IDENTITY_WORDS];
	uint32_t place;      /* differs from packet to packet; the same in each run */
	uint32_t icrc;       /* in the order of the wire */
	bool has_icrc;       /* it was captured */
};

/* Of packets of InfiniBand, RoCE and TCP. False: of another one, or its headers were cut off. */
bool packet_identify(const struct rtap_packet *packet, struct packet_identity *identity);

/* By what an address' packets can be told from those of most others. */
static inline uint8_t packet_sender(const struct rtap_packet *packet)
{
	return packet->address_length ? packet->source_address[packet->address_length - 1] : 0;
}

/* Which of two ends sent it: 1 for the one with the higher address. */
bool packet_is_from_higher(const struct rtap_packet *packet);

/* Times from one file's copy of a packet to another file's. */
struct clock_range {
	bool is_known;
	int64_t least_ns, most_ns;
};

void clock_range_add(struct clock_range *range, int64_t time_ns);

/*
 * By how much the second file's clock is ahead, as far as packets in both directions allow: 0 if they allow that. `ranges`: by
 * packet_is_from_higher().
 */
int64_t clock_offset(const struct clock_range ranges[2]);

#endif
