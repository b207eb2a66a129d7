/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/dissect.h"
#include "dissect/engine/packet.h"
#include "mpi/unit.h"

#define ETHERNET_LENGTH 14
#define IPV4_LENGTH 20
#define UDP_LENGTH 8
#define TYPE_IPV4 0x0800
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define PORT_ROCE 4791

/* The finaliser of MurmurHash3: every bit of the value changes half of the bits of the result. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
	value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return value ^ value >> 33;
}

static uint64_t hash_end(const uint8_t *address, unsigned length)
{
	uint64_t words[2] = { 0, 0 };

	memcpy(words, address, length);
	return mix(words[0] + mix(words[1] + length));
}

static uint64_t hash_ends(const uint8_t *source, const uint8_t *destination, unsigned length, uint64_t hosts[2])
{
	uint64_t unit;

	hosts[0] = hash_end(source, length);
	hosts[1] = hash_end(destination, length);
	unit = mix(hosts[0] + hosts[1]);
	return unit ? unit : 1;
}

static unsigned number_at(const uint8_t *bytes)
{
	return (unsigned)bytes[0] << 8 | bytes[1];
}

/* The addresses of TCP and RoCE v2 over IPv4, most packets, without a dissection: nothing in them has other addresses. NULL: another one. */
static const uint8_t *usual_addresses(const struct rtap_frame *frame)
{
	const uint8_t *ip = frame->bytes + ETHERNET_LENGTH;

	if (frame->link_type != RTAP_LINK_ETHERNET || frame->captured_length < ETHERNET_LENGTH + IPV4_LENGTH + UDP_LENGTH ||
	    number_at(frame->bytes + ETHERNET_LENGTH - 2) != TYPE_IPV4 || ip[0] != 0x45 || (number_at(ip + 6) & 0x3fff))
		return NULL;
	if (ip[9] == PROTOCOL_TCP || (ip[9] == PROTOCOL_UDP && number_at(ip + IPV4_LENGTH + 2) == PORT_ROCE))
		return ip + 12;
	return NULL;
}

uint64_t unit_of(const struct rtap_frame *frame, uint64_t hosts[2])
{
	const uint8_t *addresses = usual_addresses(frame);
	struct rtap_packet packet;

	if (addresses)
		return hash_ends(addresses, addresses + 4, 4, hosts);
	dissect_frame(frame, NULL, &packet);
	hosts[0] = hosts[1] = 0;
	return packet.source_address && packet.destination_address ?
	       hash_ends(packet.source_address, packet.destination_address, packet.address_length, hosts) : 0;
}
