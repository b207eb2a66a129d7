/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "config.h"

#include "dissect/ethertype.h"
#include "dissect/protocol.h"

const struct rtap_name ethertype_names[] = {
	{ 0x0800, "IPv4" },
	{ 0x86dd, "IPv6" },
	{ 0x8915, "RoCE v1" },
	{ 0, NULL },
};

uint8_t ethertype_protocol(uint16_t type)
{
	switch (type) {
	case 0x0800: return PROTOCOL_IPV4;
	case 0x86dd: return PROTOCOL_IPV6;
	case 0x8915: return PROTOCOL_GRH;
	default: return PROTOCOL_PAYLOAD;
	}
}
