/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ethernet. IEEE 802.3, 3.1.1.
 */
#include "config.h"

#include "dissect/ethertype.h"
#include "dissect/protocol.h"

#define ETH_LENGTH 14
#define ETH_DST 0, 48
#define ETH_SRC 48, 48
#define ETH_TYPE 96, 16

static const struct rtap_field ethernet_fields[] = {
	{ "eth.dst", "Destination", ETH_DST, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "eth.src", "Source", ETH_SRC, RTAP_ETHER, 0, NULL, NULL, NULL },
	{ "eth.type", "Type", ETH_TYPE, RTAP_HEX, 0, ethertype_names, NULL, NULL },
};

static enum result parse(struct parse *parse)
{
	const uint8_t *header;
	enum result result = parse_layer(parse, PROTOCOL_ETHERNET, ETH_LENGTH, &header);

	if (result == OK)
		parse->next = ethertype_protocol((uint16_t)bits(header, ETH_TYPE));
	return result;
}

const struct protocol ethernet_protocol = {
	.table = { "eth", "Ethernet", "IEEE 802.3, 3.1.1", ETH_LENGTH, FIELDS(ethernet_fields) },
	.parse = parse,
};
