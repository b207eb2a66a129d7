/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP and Ethernet in tunnels whose headers have no field that identifies their payload, recognised by their bytes.
 */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/net/ip.h"
#include "dissect/net/unmarked.h"

#define ETHERNET_LENGTH 14
#define ETHERNET_TYPE 96, 16
#define TAG_LENGTH 4
#define MOST_TAGS 2

/* Whether what follows an Ethertype begins as its protocol does. A protocol that is not dissected has no such sign. */
static bool begins_as(uint16_t type, const uint8_t *bytes, uint32_t length)
{
	unsigned version = length ? bytes[0] >> 4 : 0;

	switch (ethertype_protocol(type)) {
	case PROTOCOL_IPV4: return version == 4;
	case PROTOCOL_IPV6:
	case PROTOCOL_GRH: return version == 6;
	case PROTOCOL_PAYLOAD: return type >= ETHERTYPE_LEAST && rtap_name_of(ethertype_names, type);
	default: return true;
	}
}

bool unmarked_ethernet(const struct cursor *cursor, uint32_t offset)
{
	const uint8_t *bytes = cursor->next + offset;
	uint32_t left = cursor->captured;
	uint16_t type;

	if (left < offset + ETHERNET_LENGTH)
		return false;
	left -= offset + ETHERNET_LENGTH;
	type = (uint16_t)bits(bytes, ETHERNET_TYPE);
	bytes += ETHERNET_LENGTH;
	for (unsigned tags = 0; tags < MOST_TAGS && left >= TAG_LENGTH; tags++) {
		uint16_t protocol = ethertype_protocol(type);

		if (protocol != PROTOCOL_VLAN && protocol != PROTOCOL_SERVICE_VLAN)
			break;
		type = load16(bytes + 2);
		bytes += TAG_LENGTH;
		left -= TAG_LENGTH;
	}
	return begins_as(type, bytes, left);
}

/* Whether a first nibble of 4 is the version of an IPv4 header, whose checksum RFC 791 requires, and not part of a MAC address. */
static bool has_ipv4(const struct cursor *cursor)
{
	uint32_t length = (uint32_t)(cursor->next[0] & 0xf) * 4, sum = 0;

	if (length < IPV4_MIN_LENGTH || length > cursor->captured || bits(cursor->next, IPV4_LENGTH) > cursor->wire)
		return false;
	for (uint32_t i = 0; i < length; i += 2)
		sum += load16(cursor->next + i);
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

/* The same of 6: an IPv6 header has no checksum, but the length of all that follows. */
static bool has_ipv6(const struct cursor *cursor)
{
	return cursor->captured >= IPV6_LENGTH && bits(cursor->next, IPV6_PLEN) + IPV6_LENGTH == cursor->wire;
}

uint16_t unmarked_protocol(const struct cursor *cursor)
{
	bool ethernet = unmarked_ethernet(cursor, 0);

	switch (cursor->captured ? cursor->next[0] >> 4 : 0) {
	case 4:
		if (!ethernet || has_ipv4(cursor))
			return PROTOCOL_IPV4;
		break;
	case 6:
		if (!ethernet || has_ipv6(cursor))
			return PROTOCOL_IPV6;
		break;
	default:
		break;
	}
	return ethernet ? PROTOCOL_ETHERNET : PROTOCOL_PAYLOAD;
}
