/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <rdmatap/value.h>

#include "base/map.h"
#include "dissect/engine/cursor.h"
#include "dissect/engine/protocol.h"
#include "dissect/infiniband/ib.h"
#include "reassembly/packet_identity.h"

/* FECN and BECN, which the network sets, are in the byte before the destination QP. */
#define BTH_VARIANT 4
#define TCP_OPTIONS 20
/* Used for packets in one direction only: networks take less time. */
#define NETWORK_NS 1000000

/* The values that are compared: the transport header, the IP identification and length, the addresses, the options of TCP. */
enum { HEADER, LENGTH_AND_ID = 2, SOURCE, DESTINATION = 5, OPTIONS = 7, WORDS };

static void identify_ib(const struct rtap_packet *packet, uint64_t words[WORDS], struct packet_identity *identity)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const uint8_t *bytes = packet->sources[ib->source].bytes, *bth = bytes + ib->bth_offset;
	uint32_t captured = packet->sources[ib->source].captured;

	words[HEADER] = (uint64_t)load32(bth) << 32 | load32(bth + BTH_VARIANT + 1);
	words[HEADER + 1] = load32(bth + BTH_LENGTH - 4);
	words[LENGTH_AND_ID] = (uint64_t)packet->payload.wire << 32;
	identity->has_icrc = ib->icrc_on_wire && captured >= ICRC_LENGTH && ib->icrc_offset <= captured - ICRC_LENGTH;
	identity->icrc = identity->has_icrc ? load32(bytes + ib->icrc_offset) : 0;
}

/* The whole header except the checksum: with checksum offload the sender captures packets before it is computed. */
static bool identify_tcp(const struct rtap_packet *packet, uint64_t words[WORDS])
{
	const struct rtap_layer *layer = rtap_packet_layer(packet, PROTOCOL_TCP, NULL);
	const uint8_t *header;

	if (!layer || layer->length < TCP_OPTIONS)
		return false;
	header = packet->sources[layer->source].bytes + layer->offset;
	words[HEADER] = load64(header);
	words[HEADER + 1] = load64(header + 8);
	words[LENGTH_AND_ID] = (uint64_t)packet->tcp.payload.wire << 32;
	for (uint32_t i = TCP_OPTIONS; i < layer->length; i++)
		words[OPTIONS] = (words[OPTIONS] ^ header[i]) * UINT64_C(0x100000001b3);
	return true;
}

static uint32_t fixed_hash(const uint64_t words[WORDS])
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

bool packet_identify(const struct rtap_packet *packet, struct packet_identity *identity)
{
	uint64_t words[WORDS] = { 0 };

	*identity = (struct packet_identity){ .place = packet_place(packet) };
	if (packet->ib.has_bth)
		identify_ib(packet, words, identity);
	else if (!packet->tcp.present || !identify_tcp(packet, words))
		return false;
	words[LENGTH_AND_ID] |= packet->ip_id;
	if (packet->address_length == 4) {
		words[SOURCE] = load32(packet->source_address);
		words[DESTINATION] = load32(packet->destination_address);
	} else if (packet->address_length) {
		memcpy(words + SOURCE, packet->source_address, packet->address_length);
		memcpy(words + DESTINATION, packet->destination_address, packet->address_length);
	}
	identity->hash = map_hash(words, WORDS);
	identity->fixed = fixed_hash(words);
	return true;
}

bool packet_is_from_higher(const struct rtap_packet *packet)
{
	unsigned length = packet->address_length;

	return length && memcmp(packet->source_address, packet->destination_address, length) > 0;
}

void clock_range_add(struct clock_range *range, int64_t time_ns)
{
	if (!range->is_known || time_ns < range->least_ns)
		range->least_ns = time_ns;
	if (!range->is_known || time_ns > range->most_ns)
		range->most_ns = time_ns;
	range->is_known = true;
}

int64_t clock_offset(const struct clock_range ranges[2])
{
	const struct clock_range *one = &ranges[0], *other = &ranges[1];
	int64_t later, sooner;

	if (!one->is_known || !other->is_known) {
		int64_t offset_ns = one->is_known ? one->least_ns : other->least_ns;

		return offset_ns > -NETWORK_NS && offset_ns < NETWORK_NS ? 0 : offset_ns;
	}
	/*
	 * In one direction the second copy is later by the offset plus the transit time, in the other by the transit time
	 * minus the offset.
	 */
	later = one->least_ns > other->least_ns ? one->least_ns : other->least_ns;
	sooner = one->least_ns > other->least_ns ? other->most_ns : one->most_ns;
	if (sooner <= 0 && later >= 0)
		return 0;
	return sooner / 2 + later / 2;
}
