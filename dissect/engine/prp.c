/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The redundancy control trailer of the Parallel Redundancy Protocol. IEC 62439-3, 4.2.7. Its suffix, its network and its length recognise it.
 */
#include "config.h"

#include "dissect/engine/prp.h"

#define PRP_SEQUENCE 0, 16
#define PRP_LAN 16, 4
#define PRP_SIZE 20, 12
#define PRP_SUFFIX 32, 16

#define LAN_A 10
#define LAN_B 11
#define SUFFIX 0x88fb
#define FCS_LENGTH 4

static const struct rtap_name lan_names[] = { { LAN_A, "A" }, { LAN_B, "B" }, { 0, NULL } };

static const struct rtap_field prp_fields[] = {
	{ "prp.trailer.prp_sequence_nr", "Sequence Number", PRP_SEQUENCE, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "prp.trailer.prp_lan", "Network", PRP_LAN, RTAP_DEC, 0, lan_names, NULL, NULL },
	{ "prp.trailer.prp_size", "Size", PRP_SIZE, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "prp.trailer.prp1_suffix", "Suffix", PRP_SUFFIX, RTAP_HEX, 0, NULL, NULL, NULL },
};

/* The size counts from the end of the Ethernet header, or of the VLAN tags after it, to the end of the trailer. */
static bool has_size(const struct rtap_packet *packet, uint32_t end, uint32_t size)
{
	const struct rtap_layer *layer = packet->layers + 1, *last = packet->layers + packet->layer_count;

	if (layer >= last || layer->protocol != PROTOCOL_ETHERNET)
		return false;
	do {
		if (layer->offset + layer->length + size == end)
			return true;
	} while (++layer < last && (layer->protocol == PROTOCOL_VLAN || layer->protocol == PROTOCOL_SERVICE_VLAN));
	return false;
}

static bool is_trailer(const struct parse *parse, uint32_t offset)
{
	const uint8_t *bytes = parse->source_bytes + offset;

	return bits(bytes, PRP_SUFFIX) == SUFFIX && (bits(bytes, PRP_LAN) == LAN_A || bits(bytes, PRP_LAN) == LAN_B) &&
	       has_size(parse->packet, offset + PRP_LENGTH, (uint32_t)bits(bytes, PRP_SIZE));
}

bool prp_find(const struct parse *parse, uint32_t begin, uint32_t end, uint32_t *offset)
{
	for (uint32_t after = 0; after <= FCS_LENGTH && end - begin >= PRP_LENGTH + after; after += FCS_LENGTH) {
		*offset = end - after - PRP_LENGTH;
		if (is_trailer(parse, *offset))
			return true;
	}
	return false;
}

const struct protocol prp_protocol = {
	.table = { "prp", "Redundancy Control Trailer", "IEC 62439-3, 4.2.7", PRP_LENGTH, FIELDS(prp_fields) },
	.scope = SCOPE_CAPTURE,
};
