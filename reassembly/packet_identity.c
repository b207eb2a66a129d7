/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include <rdmatap/value.h>

#include "dissect/infiniband/ib.h"
#include "dissect/engine/protocol.h"
#include "reassembly/packet_identity.h"

/* FECN and BECN, which the network sets, are in the byte before the destination QP. */
#define BTH_VARIANT 4
#define TCP_CHECKSUM 16
#define TCP_OPTIONS 20
/* Used for packets in one direction only: networks take less time. */
#define NETWORK_NS 1000000

/* At most 8 bytes, in the low bits of the result. */
static uint64_t load(const uint8_t *bytes, unsigned length)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < length; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static void identify_ib(const struct rtap_packet *packet, struct packet_identity *identity)
{
	const struct rtap_ib_facts *ib = &packet->ib;
	const uint8_t *bytes = packet->sources[ib->source].bytes;
	uint32_t captured = packet->sources[ib->source].captured;

	identity->words[0] = load(bytes + ib->bth_offset, BTH_VARIANT) | (uint64_t)packet->payload.wire << 32;
	identity->words[1] = load(bytes + ib->bth_offset + BTH_VARIANT + 1, BTH_LENGTH - BTH_VARIANT - 1);
	identity->place = ib->psn ^ ib->dest_qpn;
	identity->has_icrc = ib->icrc_on_wire && captured >= ICRC_LENGTH && ib->icrc_offset <= captured - ICRC_LENGTH;
	identity->icrc = identity->has_icrc ? (uint32_t)load(bytes + ib->icrc_offset, ICRC_LENGTH) : 0;
}

/* The whole header except the checksum: with checksum offload the sender captures packets before it is computed. */
static bool identify_tcp(const struct rtap_packet *packet, struct packet_identity *identity)
{
	const struct rtap_layer *layer = rtap_packet_layer(packet, PROTOCOL_TCP, NULL);
	const uint8_t *header;
	uint64_t options = 0;

	if (!layer || layer->length < TCP_OPTIONS)
		return false;
	header = packet->sources[layer->source].bytes + layer->offset;
	for (uint32_t i = TCP_OPTIONS; i < layer->length; i++)
		options = (options ^ header[i]) * UINT64_C(0x100000001b3);
	identity->words[0] = load(header, 8);
	identity->words[1] = load(header + 8, TCP_CHECKSUM - 8);
	identity->words[2] = (uint64_t)packet->tcp.payload.wire << 32;
	identity->words[7] = options;
	identity->place = packet->tcp.sequence ^ packet->tcp.acknowledgment;
	return true;
}

bool packet_identify(const struct rtap_packet *packet, struct packet_identity *identity)
{
	unsigned length = packet->address_length;

	*identity = (struct packet_identity){ 0 };
	if (packet->ib.has_bth)
		identify_ib(packet, identity);
	else if (!packet->tcp.present || !identify_tcp(packet, identity))
		return false;
	identity->words[2] |= packet->ip_id;
	/* Both count up. */
	identity->place += packet->ip_id * UINT32_C(0x9e3779b1);
	if (length) {
		memcpy(identity->words + 3, packet->source_address, length);
		memcpy(identity->words + 5, packet->destination_address, length);
	}
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
