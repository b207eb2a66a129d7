/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/engine/ethertype.h"
#include "dissect/net/ethernet.h"
#include "dissect/net/ip.h"
#include "dissect/net/plain_frame.h"
#include "dissect/net/udp.h"

#define BIT(protocol) (UINT64_C(1) << (protocol))

_Static_assert(PROTOCOL_UDP < 64, "these protocols are in the first word of the set");

static inline struct rtap_layer layer_of(uint16_t protocol, uint32_t offset, uint32_t length)
{
	return (struct rtap_layer){ protocol, 0, false, offset, length };
}

/* After the IPv4 header: the UDP header, if it is that of RoCEv2. */
static inline void begin_roce(struct parse *parse, uint32_t offset)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *header = parse->cursor.next;

	if (parse->cursor.captured < UDP_LENGTH || bits(header, UDP_DST) != PORT_ROCE_V2 || bits(header, UDP_LEN) != parse->cursor.wire)
		return;
	packet->layers[packet->layer_count++] = layer_of(PROTOCOL_UDP, offset, UDP_LENGTH);
	packet->protocols[0] |= BIT(PROTOCOL_UDP);
	packet->source_port = (uint16_t)bits(header, UDP_SRC);
	packet->destination_port = PORT_ROCE_V2;
	parse->cursor = (struct cursor){ header + UDP_LENGTH, parse->cursor.captured - UDP_LENGTH, parse->cursor.wire - UDP_LENGTH };
	packet->payload = (struct rtap_payload){ 0, offset + UDP_LENGTH, parse->cursor.captured, parse->cursor.wire };
	parse->next = PROTOCOL_BTH;
}

void plain_frame_begin(struct parse *parse)
{
	struct rtap_packet *packet = parse->packet;
	const uint8_t *frame = parse->cursor.next, *header = frame + ETH_LENGTH;
	const uint32_t begin = ETH_LENGTH + IPV4_MIN_LENGTH, captured = parse->cursor.captured, wire = parse->cursor.wire;

	if (captured < begin || ethertype_protocol((uint16_t)bits(frame, ETH_TYPE)) != PROTOCOL_IPV4 || header[0] != IPV4_PLAIN ||
	    bits(header, IPV4_MF_AND_FRAGMENT) || bits(header, IPV4_LENGTH) != wire - ETH_LENGTH)
		return;
	packet->layers[1] = layer_of(PROTOCOL_ETHERNET, 0, ETH_LENGTH);
	packet->layers[2] = layer_of(PROTOCOL_IPV4, ETH_LENGTH, IPV4_MIN_LENGTH);
	packet->layer_count = 3;
	packet->protocols[0] |= BIT(PROTOCOL_ETHERNET) | BIT(PROTOCOL_IPV4);
	packet->source_address = header + 12;
	packet->destination_address = header + 16;
	packet->address_length = 4;
	packet->ib.crc_start_layer = 2;
	packet->ip_id = (uint16_t)bits(header, IPV4_ID);
	packet->traffic_class = (uint8_t)bits(header, IPV4_TOS);
	parse->narrowed = true;
	parse->cursor = (struct cursor){ frame + begin, captured - begin, wire - begin };
	parse->next = ip_protocol((uint8_t)bits(header, IPV4_PROTOCOL));
	if (parse->next == PROTOCOL_UDP)
		begin_roce(parse, begin);
}
