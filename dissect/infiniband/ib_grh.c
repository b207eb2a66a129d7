/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Global Route Header. IBTA vol. 1, 8.3. The layout is that of the IPv6 header.
 */
#include "config.h"

#include "dissect/infiniband/ib.h"
#include "dissect/net/ip.h"
#include "dissect/engine/ends.h"
#include "dissect/engine/parse.h"

/* Next header values. IBTA vol. 1, 8.3. */
#define NEXT_BTH 0x1b

static const struct rtap_name next_names[] = { { NEXT_BTH, "IBA Transport" }, { 0, NULL } };

static const struct rtap_field grh_fields[] = {
	{ "infiniband.grh.ipver", "IP Version", IPV6_VERSION, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.grh.tclass", "Traffic Class", IPV6_TCLASS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.grh.flowlabel", "Flow Label", IPV6_FLOW, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.grh.paylen", "Payload Length", IPV6_PLEN, RTAP_DEC, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.grh.nxthdr", "Next Header", IPV6_NEXT, RTAP_DEC, 0, next_names, NULL, NULL },
	{ "infiniband.grh.hoplmt", "Hop Limit", IPV6_HOPS, RTAP_DEC, 0, NULL, NULL, NULL },
	{ "infiniband.grh.sgid", "Source GID", IPV6_SRC, RTAP_IPV6, RTAP_IGNORED, NULL, NULL, NULL },
	{ "infiniband.grh.dgid", "Destination GID", IPV6_DST, RTAP_IPV6, RTAP_IGNORED, NULL, NULL, NULL },
};

static enum result parse(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	uint32_t start = parse_offset(parse);
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_GRH, GRH_LENGTH, &header);

	if (result != OK)
		return result;
	packet->ib.has_grh = true;
	packet->source_address = header + 8;
	packet->destination_address = header + 24;
	packet->address_length = 16;
	/* on a native link the CRC's rules start at the LRH, which is already noted */
	if (!packet->ib.has_lrh)
		packet->ib.crc_start_layer = (uint8_t)(packet->layer_count - 1);
	parse_narrow(parse, (uint32_t)bits(header, IPV6_PLEN), start);
	parse->next = bits(header, IPV6_NEXT) == NEXT_BTH ? PROTOCOL_BTH : PROTOCOL_PAYLOAD;
	return OK;
}

static void summary(const struct rtap_packet *packet, const struct rtap_layer *layer, struct line *line)
{
	const uint8_t *header = layer_bytes(packet, layer);

	if (layer->length < GRH_LENGTH)
		return;
	ends_summary(packet, layer, true, header + 8, 16, line);
}

const struct protocol grh_protocol = {
	.table = { "infiniband.grh", "Global Route Header", "IBTA vol. 1, 8.3", GRH_LENGTH, FIELDS(grh_fields) },
	.parse = parse,
	.summary = summary,
};
