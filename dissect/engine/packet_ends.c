/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include <string.h>

#include "dissect/engine/packet.h"
#include "dissect/engine/packet_ends.h"

static void set_address(struct rtap_end *end, const uint8_t *address, unsigned length)
{
	memcpy(end->address, address, length);
	end->address_length = (uint8_t)length;
}

static void set_lid(struct rtap_end *end, uint16_t lid)
{
	end->address[0] = (uint8_t)(lid >> 8);
	end->address[1] = (uint8_t)lid;
	end->address_length = 2;
}

void packet_ends(const struct rtap_packet *packet, struct rtap_end *source, struct rtap_end *destination)
{
	*source = *destination = (struct rtap_end){ 0 };
	if (packet->source_address) {
		set_address(source, packet->source_address, packet->address_length);
		set_address(destination, packet->destination_address, packet->address_length);
	} else if (packet->ib.has_lrh) {
		set_lid(source, packet->ib.slid);
		set_lid(destination, packet->ib.dlid);
	}
	destination->qpn = packet->ib.dest_qpn;
	destination->qpn_known = true;
	source->qpn = packet->ib.src_qpn;
	source->qpn_known = packet->ib.has_deth;
}
