/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_FLOW_KIT_H
#define TESTS_FLOW_KIT_H

#include <stddef.h>
#include <stdint.h>

/* Frames with all headers that flow rules know, and rules with the frames that they match. */

#define FLOW_ETH_HEADER(type_high, type_low) 0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, type_high, type_low
#define FLOW_VLAN_HEADER(tag_high, tag_low, type_high, type_low) tag_high, tag_low, type_high, type_low
#define FLOW_IPV4_HEADER(flags, proto, last) 0x45, 0x68, 0, 60, 0, 1, flags, 0, 64, proto, 0, 0, 10, 0, 0, 1, 10, 0, 1, last
#define FLOW_IPV6_HEADER(next) 0x6a, 0xb1, 0x23, 0x45, 0, 20, next, 63, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, \
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2
#define FLOW_UDP_HEADER(port_high, port_low) 0xc0, 0x01, port_high, port_low, 0, 20, 0, 0
#define FLOW_TCP_HEADER(port_high, port_low) 0x80, 0x02, port_high, port_low, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0
#define FLOW_VXLAN_HEADER(vni) 8, 0, 0, 0, 0x01, 0x02, vni, 0
#define FLOW_PAYLOAD 1, 2, 3, 4, 5, 6, 7, 8

static const uint8_t flow_roce[] = { FLOW_ETH_HEADER(8, 0), FLOW_IPV4_HEADER(0x40, 17, 2), FLOW_UDP_HEADER(0x12, 0xb7), FLOW_PAYLOAD };
static const uint8_t flow_vlan[] = { FLOW_ETH_HEADER(0x81, 0), FLOW_VLAN_HEADER(0x60, 100, 8, 0), FLOW_IPV4_HEADER(0, 17, 3),
				     FLOW_UDP_HEADER(0x12, 0xb7), FLOW_PAYLOAD };
static const uint8_t flow_fragment[] = { FLOW_ETH_HEADER(8, 0), 0x45, 0, 0, 60, 0, 1, 0x20, 0xb9, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 1, 2,
					 FLOW_UDP_HEADER(0x12, 0xb7), FLOW_PAYLOAD };
static const uint8_t flow_tcp[] = { FLOW_ETH_HEADER(8, 0), FLOW_IPV4_HEADER(0x40, 6, 2), FLOW_TCP_HEADER(0x4e, 0x51) };
static const uint8_t flow_options[] = { FLOW_ETH_HEADER(8, 0), 0x46, 0, 0, 60, 0, 1, 0, 0, 1, 17, 0, 0, 10, 0, 0, 9, 10, 0, 1,
					2, 1, 1, 1, 0,
					FLOW_UDP_HEADER(0x12, 0xb7), FLOW_PAYLOAD };
static const uint8_t flow_six[] = { FLOW_ETH_HEADER(0x86, 0xdd), FLOW_IPV6_HEADER(17), FLOW_UDP_HEADER(0x12, 0xb7), FLOW_PAYLOAD };
static const uint8_t flow_roce1[] = { FLOW_ETH_HEADER(0x89, 0x15), FLOW_IPV6_HEADER(0x1b), FLOW_PAYLOAD };
static const uint8_t flow_vxlan[] = { FLOW_ETH_HEADER(8, 0), FLOW_IPV4_HEADER(0, 17, 4), FLOW_UDP_HEADER(0x12, 0xb5), FLOW_VXLAN_HEADER(3),
				      0x02, 0, 0, 0, 0, 8, 0x02, 0, 0, 0, 0, 7, 8, 0, FLOW_IPV4_HEADER(0, 6, 77), FLOW_TCP_HEADER(0, 80) };
static const uint8_t flow_gre[] = { FLOW_ETH_HEADER(8, 0), FLOW_IPV4_HEADER(0, 47, 5), 0x20, 0, 8, 0, 0, 0, 0x12, 0x34,
				    FLOW_IPV4_HEADER(0, 17, 88), FLOW_UDP_HEADER(0x12, 0xb7), FLOW_PAYLOAD };
static const uint8_t flow_arp[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0, 1, 8, 6, FLOW_PAYLOAD, FLOW_PAYLOAD };

static const struct {
	const char *name;
	const uint8_t *bytes;
	uint32_t length;
} flow_frames[] = {
	{ "roce", flow_roce, sizeof flow_roce }, { "vlan", flow_vlan, sizeof flow_vlan },
	{ "fragment", flow_fragment, sizeof flow_fragment }, { "tcp", flow_tcp, sizeof flow_tcp },
	{ "options", flow_options, sizeof flow_options }, { "six", flow_six, sizeof flow_six },
	{ "roce1", flow_roce1, sizeof flow_roce1 }, { "vxlan", flow_vxlan, sizeof flow_vxlan },
	{ "gre", flow_gre, sizeof flow_gre }, { "arp", flow_arp, sizeof flow_arp },
};

#define FLOW_FRAME_COUNT (sizeof flow_frames / sizeof flow_frames[0])

static const struct {
	const char *rule, *frames; /* names of those that match, in order */
} flow_matches[] = {
	{ "eth", "roce vlan fragment tcp options six roce1 vxlan gre arp " },
	{ "eth dst=02:00:00:00:00:02", "roce vlan fragment tcp options six roce1 vxlan gre " },
	{ "eth dst=ff:ff:ff:ff:ff:ff", "arp " },
	{ "eth dst=01:00:00:00:00:00/01:00:00:00:00:00", "arp " },
	{ "eth dst=01:00:00:00:00:00/8", "" },
	{ "eth src=02:00:00:00:00:ff/40", "roce vlan fragment tcp options six roce1 vxlan gre arp " },
	{ "eth src=02:00:00:00:00:02", "" },
	{ "eth type=0x8915", "roce1 " },
	{ "eth type=0x0800", "roce vlan fragment tcp options vxlan gre " },
	{ "eth type=0x8900/0xff00", "roce1 " },
	{ "eth vlan=100", "vlan " },
	{ "eth vlan=101", "" },
	{ "eth vlan=0x6000/0xe000", "vlan " },
	{ "eth vlan=0x4000/0xe000", "" },
	{ "ipv4", "roce vlan fragment tcp options vxlan gre " },
	{ "ipv4 src=10.0.0.1", "roce vlan fragment tcp vxlan gre " },
	{ "ipv4 src=10.0.0.0/24", "roce vlan fragment tcp options vxlan gre " },
	{ "ipv4 src=10.0.0.1/255.255.0.7", "roce vlan fragment tcp options vxlan gre " },
	{ "ipv4 dst=10.0.1.3/32", "vlan " },
	{ "ipv4 src=10.0.0.0/0", "roce vlan fragment tcp options vxlan gre " },
	{ "ipv4 proto=6", "tcp " },
	{ "ipv4 tos=0x68", "roce vlan tcp vxlan gre " },
	{ "ipv4 tos=0/3", "roce vlan fragment tcp options vxlan gre " },
	{ "ipv4 ttl=1", "options " },
	{ "ipv4 flags=2", "roce tcp " },
	{ "ipv4 flags=1/1", "fragment " },
	{ "ipv4 flags=0", "vlan options vxlan gre " },
	{ "ipv6", "six " },
	{ "ipv6 src=fe80::1 dst=fe80::2", "six " },
	{ "ipv6 src=fe80::/10", "six " },
	{ "ipv6 src=fe80::2", "" },
	{ "ipv6 label=0x12345", "six " },
	{ "ipv6 label=0x45/0xff", "six " },
	{ "ipv6 class=0xab", "six " },
	{ "ipv6 next=17 hops=63", "six " },
	{ "ipv6 hops=64", "" },
	{ "udp", "roce vlan options six vxlan " },
	{ "udp dst=4791", "roce vlan options six " },
	{ "udp src=0xc000/0xc000", "roce vlan options six vxlan " },
	{ "ipv4 udp dst=4791", "roce vlan options " },
	{ "ipv4 src=10.0.0.9 udp dst=4791", "options " },
	{ "tcp dst=20049", "tcp " },
	{ "tcp src=0x8002", "tcp " },
	{ "tcp dst=80", "" },
	{ "vxlan", "vxlan " },
	{ "udp vxlan vni=0x010203", "vxlan " },
	{ "vxlan vni=0x010204", "" },
	{ "vxlan vni=3/0xff", "vxlan " },
	{ "vxlan vni=0x010203 eth dst=02:00:00:00:00:08 ipv4 dst=10.0.1.77 tcp dst=80", "vxlan " },
	{ "vxlan tcp dst=81", "" },
	{ "ipv4 dst=10.0.1.4 vxlan ipv4 dst=10.0.1.77", "vxlan " },
	{ "ipv4 dst=10.0.1.77 vxlan", "" },
	{ "gre", "gre " },
	{ "gre key=0x1234", "gre " },
	{ "gre key=0x1235", "" },
	{ "gre proto=0x0800", "gre " },
	{ "gre proto=0x6558", "" },
	{ "ipv4 dst=10.0.1.5 gre key=0x34/0xff ipv4 dst=10.0.1.88 udp dst=4791", "gre " },
};

#define FLOW_MATCH_COUNT (sizeof flow_matches / sizeof flow_matches[0])

#endif
