/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Good frames of every link, network and tunnel header. The values of their fields are what tshark 4.0 prints of the
 * same bytes.
 */
#ifndef TESTS_NETWORK_FRAMES_H
#define TESTS_NETWORK_FRAMES_H

#include <rdmatap/frame.h>

struct network_frame {
	const char *name;
	uint32_t link_type;
	uint32_t headers;    /* bytes without which some header is not whole; 0: not to be tried */
	const char *bytes;   /* hexadecimal */
	const char *summary; /* the one-line text */
	const char *fields;  /* "name=value", all occurrences joined by commas; nothing after "=": the field is not there */
};

static const struct network_frame network_frames[] = {
	{
		"udp", RTAP_LINK_ETHERNET, 42,
		"02000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"eth.dst=02:00:00:00:00:02 eth.src=02:00:00:00:00:01 eth.type=0x0800 ip.version=4 ip.hdr_len=20"
		" ip.dsfield=0x00 ip.len=32 ip.id=0x1234 ip.flags=0x00 ip.flags.df=0 ip.flags.mf=0 ip.frag_offset=0"
		" ip.ttl=64 ip.proto=17 ip.checksum=0x5497 ip.src=10.0.0.1 ip.dst=10.0.0.2 udp.srcport=1000 udp.dstport=9"
		" udp.length=12 udp.checksum=0x0000 data.data=64617461",
	},
	{
		"802.1q", RTAP_LINK_ETHERNET, 46,
		"0200000000020200000000018100a00508004500002012340000401154970a0000010a00000203e80009000c00006461"
		"7461",
		"vlan 5 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"eth.type=0x8100 vlan.priority=5 vlan.dei=0 vlan.id=5 vlan.etype=0x0800 ip.src=10.0.0.1",
	},
	{
		"802.1ad over 802.1q", RTAP_LINK_ETHERNET, 50,
		"02000000000202000000000188a830058100e00708004500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"vlan 5 vlan 7 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"eth.type=0x88a8 ieee8021ad.priority=1 ieee8021ad.dei=1 ieee8021ad.id=5 vlan.priority=7 vlan.dei=0"
		" vlan.id=7 vlan.etype=0x0800 ip.src=10.0.0.1",
	},
	{
		"802.3 length", RTAP_LINK_ETHERNET, 17,
		"020000000002020000000001000742420364617461000000000000000000000000000000000000000000000000000000"
		"000000000000000000000000",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 LLC 0x42 (Spanning tree) len 4",
		"eth.len=7 eth.type=",
	},
	{
		"length in a tag", RTAP_LINK_ETHERNET, 21,
		"020000000002020000000001810000050007424203646174610000000000000000000000000000000000000000000000"
		"00000000000000000000000000000000",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 vlan 5 LLC 0x42 (Spanning tree) len 4",
		"eth.type=0x8100 vlan.id=5 vlan.len=7 vlan.etype=",
	},
	{
		"invalid type", RTAP_LINK_ETHERNET, 14,
		"02000000000202000000000105dd64617461",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 ethertype 0x05dd len 4",
		"eth.type= eth.len= eth.invalid_lentype=0x05dd",
	},
	{
		"unknown type", RTAP_LINK_ETHERNET, 14,
		"02000000000202000000000188cc64617461",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 ethertype 0x88cc (LLDP) len 4",
		"eth.src=02:00:00:00:00:01 eth.type=0x88cc data.len=4",
	},
	{
		"padding", RTAP_LINK_ETHERNET, 42,
		"02000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c0000646174610000"
		"000000000000000000000000",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ip.len=32 udp.length=12 data.len=4",
	},
	{
		"mpls", RTAP_LINK_ETHERNET, 0,
		"020000000002020000000001884700010a40000203ff4500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"mpls 16 mpls 32 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"mpls.label=16,32 mpls.exp=5,1 mpls.bottom=0,1 mpls.ttl=64,255 ip.src=10.0.0.1",
	},
	{
		"cooked", RTAP_LINK_LINUX_SLL, 44,
		"000400010006020000000001000008004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"sll.pkttype=4 sll.hatype=1 sll.halen=6 sll.src.eth=02:00:00:00:00:01 sll.src.ipv4= sll.src.other="
		" sll.unused=0000 sll.etype=0x0800 sll.ltype= sll.gretype= sll.ifindex= ip.src=10.0.0.1",
	},
	{
		"cooked, long address", RTAP_LINK_LINUX_SLL, 64,
		"000000200014010203040506070886dd6ab12345000c1140fd000000000000000000000000000001fd00000000000000"
		"000000000000000203e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"sll.pkttype=0 sll.hatype=32 sll.halen=20 sll.src.eth= sll.src.ipv4= sll.src.other=0102030405060708"
		" sll.unused= sll.etype=0x86dd sll.ltype= sll.gretype= sll.ifindex= ipv6.src=fd00::1",
	},
	{
		"cooked, GRE", RTAP_LINK_LINUX_SLL, 44,
		"0000030a00040a0000010000ffff08004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"sll.pkttype=0 sll.hatype=778 sll.halen=4 sll.src.eth= sll.src.ipv4=10.0.0.1 sll.src.other="
		" sll.unused=0000ffff sll.etype= sll.ltype= sll.gretype=0x0800 sll.ifindex= ip.src=10.0.0.1",
	},
	{
		"cooked, LLC", RTAP_LINK_LINUX_SLL, 20,
		"000000010006020000000001abcd000464617461",
		"02:00:00:00:00:01 LLC 0x64",
		"sll.pkttype=0 sll.hatype=1 sll.halen=6 sll.src.eth=02:00:00:00:00:01 sll.src.ipv4= sll.src.other="
		" sll.unused=abcd sll.etype= sll.ltype=0x0004 sll.gretype= sll.ifindex=",
	},
	{
		"cooked v2", RTAP_LINK_LINUX_SLL2, 48,
		"08000000000000070001000602000000000100004500002012340000401154970a0000010a00000203e80009000c0000"
		"64617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"sll.pkttype=0 sll.hatype=1 sll.halen=6 sll.src.eth=02:00:00:00:00:01 sll.src.ipv4= sll.src.other="
		" sll.unused=0000 sll.etype=0x0800 sll.ltype= sll.gretype= sll.ifindex=7 ip.src=10.0.0.1",
	},
	{
		"cooked v2, no address", RTAP_LINK_LINUX_SLL2, 68,
		"86dd000000000007fffe030000000000000000006ab12345000c1140fd000000000000000000000000000001fd000000"
		"00000000000000000000000203e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"sll.pkttype=3 sll.hatype=65534 sll.halen=0 sll.src.eth= sll.src.ipv4= sll.src.other="
		" sll.unused=0000000000000000 sll.etype=0x86dd sll.ltype= sll.gretype= sll.ifindex=7 ipv6.src=fd00::1",
	},
	{
		"loopback little-endian", RTAP_LINK_NULL, 32,
		"020000004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"null.family=2 ip.src=10.0.0.1",
	},
	{
		"loopback big-endian", RTAP_LINK_NULL, 32,
		"000000024500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"null.family=2 ip.src=10.0.0.1",
	},
	{
		"loopback IPv6 18000000", RTAP_LINK_NULL, 52,
		"180000006ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009"
		"000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"null.family=24 ipv6.src=fd00::1",
	},
	{
		"loopback IPv6 1c000000", RTAP_LINK_NULL, 52,
		"1c0000006ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009"
		"000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"null.family=28 ipv6.src=fd00::1",
	},
	{
		"loopback IPv6 1e000000", RTAP_LINK_NULL, 52,
		"1e0000006ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009"
		"000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"null.family=30 ipv6.src=fd00::1",
	},
	{
		"loopback IPv6 0000001e", RTAP_LINK_NULL, 52,
		"0000001e6ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009"
		"000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"null.family=30 ipv6.src=fd00::1",
	},
	{
		"OpenBSD loopback", RTAP_LINK_LOOP, 32,
		"000000024500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"null.family=2 ip.src=10.0.0.1",
	},
	{
		"raw IPv4", RTAP_LINK_RAW, 28,
		"4500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ip.src=10.0.0.1 udp.dstport=9",
	},
	{
		"raw IPv6", RTAP_LINK_RAW, 48,
		"6ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009000c0000"
		"64617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.version=6 ipv6.tclass=0x000000ab ipv6.tclass.dscp=42 ipv6.tclass.ecn=3 ipv6.flow=0x012345"
		" ipv6.plen=12 ipv6.nxt=17 ipv6.hlim=64 ipv6.src=fd00::1 ipv6.dst=fd00::2 ip.version=6",
	},
	{
		"link type IPv4", RTAP_LINK_IPV4, 28,
		"4500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ip.src=10.0.0.1",
	},
	{
		"link type IPv6", RTAP_LINK_IPV6, 48,
		"6ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009000c0000"
		"64617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.src=fd00::1",
	},
	{
		"IPoIB with GRH", RTAP_LINK_IPOIB, 72,
		"6ab1234500001140fd000000000000000000000000000001fd0000000000000000000000000000020800000045000020"
		"12340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ipoib.grh.ipver=6 ipoib.grh.tclass=171 ipoib.grh.flowlabel=74565 ipoib.grh.sqpn=0x001140"
		" ipoib.grh.sgid=fd00::1 ipoib.dgid=fd00::2 ipoib.daddr.qpn= ipoib.type=0x0800 ipoib.reserved=0x0000"
		" ip.src=10.0.0.1",
	},
	{
		"IPoIB with an address", RTAP_LINK_IPOIB, 92,
		"000000000000000000000000000000000000000000001234fe80000000000000000202c90300000286dd00006ab12345"
		"000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipoib.grh.ipver= ipoib.daddr.qpn=0x001234 ipoib.dgid=fe80::2:2c9:300:2 ipoib.type=0x86dd"
		" ipv6.src=fd00::1",
	},
	{
		"IPoIB ARP", RTAP_LINK_IPOIB, 100,
		"000000000000000000000000000000000000000000000000000000000000000000000000000000000806000000200800"
		"140400010000004afe80000000000000000202c9030000010a0000010000004afe80000000000000000202c903000002"
		"0a000002",
		"ARP who-has 10.0.0.2 tell 10.0.0.1",
		"arp.hw.type=32 arp.proto.type=0x0800 arp.hw.size=20 arp.proto.size=4 arp.opcode=1"
		" arp.src.hw=0000004afe80000000000000000202c903000001 arp.src.hw_mac= arp.src.proto="
		" arp.src.proto_ipv4=10.0.0.1 arp.dst.hw=0000004afe80000000000000000202c903000002 arp.dst.hw_mac="
		" arp.dst.proto= arp.dst.proto_ipv4=10.0.0.2",
	},
	{
		"ERF Ethernet", RTAP_LINK_ERF, 60,
		"0100008000f153650204004400030032000002000000000202000000000108004500002012340000401154970a000001"
		"0a00000203e80009000c000064617461deadbeef",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erf.ts=0x6553f10080000001 erf.types=0x02 erf.types.type=2 erf.types.ext_header=0 erf.flags=0x04"
		" erf.flags.cap=0 erf.flags.vlen=1 erf.flags.trunc=0 erf.flags.rxe=0 erf.flags.dse=0 erf.flags.res=0x00"
		" erf.rlen=68 erf.lctr=3 erf.wlen=50 erf.ehdr.types= erf.eth.off=0 erf.eth.pad=0x00 frame.len=50"
		" frame.cap_len=50 eth.src=02:00:00:00:00:01 ip.src=10.0.0.1",
	},
	{
		"ERF with extensions", RTAP_LINK_ERF, 76,
		"0100008000f1536582fd00500003002e8e00000000000001050000000000000200000200000000020200000000010800"
		"4500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erf.ts=0x6553f10080000001 erf.types=0x82 erf.types.type=2 erf.types.ext_header=1 erf.flags=0xfd"
		" erf.flags.cap=1 erf.flags.vlen=1 erf.flags.trunc=1 erf.flags.rxe=1 erf.flags.dse=1 erf.flags.res=0x03"
		" erf.rlen=80 erf.lctr=3 erf.wlen=46 erf.ehdr.types=14,5 erf.eth.off=0 erf.eth.pad=0x00 frame.len=46"
		" frame.cap_len=46 ip.src=10.0.0.1",
	},
	{
		"ERF IPv4", RTAP_LINK_ERF, 44,
		"0100008000f1536516040030000300204500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erf.ts=0x6553f10080000001 erf.types=0x16 erf.types.type=22 erf.types.ext_header=0 erf.flags=0x04"
		" erf.flags.cap=0 erf.flags.vlen=1 erf.flags.trunc=0 erf.flags.rxe=0 erf.flags.dse=0 erf.flags.res=0x00"
		" erf.rlen=48 erf.lctr=3 erf.wlen=32 erf.ehdr.types= erf.eth.off= erf.eth.pad= frame.len=32"
		" frame.cap_len=32 ip.src=10.0.0.1",
	},
	{
		"ERF colored", RTAP_LINK_ERF, 60,
		"0100008000f153650b0400400003002e000002000000000202000000000108004500002012340000401154970a000001"
		"0a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erf.ts=0x6553f10080000001 erf.types=0x0b erf.types.type=11 erf.types.ext_header=0 erf.flags=0x04"
		" erf.flags.cap=0 erf.flags.vlen=1 erf.flags.trunc=0 erf.flags.rxe=0 erf.flags.dse=0 erf.flags.res=0x00"
		" erf.rlen=64 erf.lctr= erf.wlen=46 erf.ehdr.types= erf.eth.off=0 erf.eth.pad=0x00 frame.len=46"
		" frame.cap_len=46 erf.color=0x0003 ip.src=10.0.0.1",
	},
	{
		"ERF meta", RTAP_LINK_ERF, 16,
		"0100008000f153651b0400140003000464617461",
		"ERF Meta len 4",
		"erf.ts=0x6553f10080000001 erf.types=0x1b erf.types.type=27 erf.types.ext_header=0 erf.flags=0x04"
		" erf.flags.cap=0 erf.flags.vlen=1 erf.flags.trunc=0 erf.flags.rxe=0 erf.flags.dse=0 erf.flags.res=0x00"
		" erf.rlen=20 erf.lctr=3 erf.wlen=4 erf.ehdr.types= erf.eth.off= erf.eth.pad= frame.len=4 frame.cap_len=4"
		"",
	},
	{
		"ARP", RTAP_LINK_ETHERNET, 42,
		"020000000002020000000001080600010800060400010200000000010a0000010000000000000a000002000000000000"
		"000000000000000000000000",
		"ARP who-has 10.0.0.2 tell 10.0.0.1",
		"arp.hw.type=1 arp.proto.type=0x0800 arp.hw.size=6 arp.proto.size=4 arp.opcode=1 arp.src.hw="
		" arp.src.hw_mac=02:00:00:00:00:01 arp.src.proto= arp.src.proto_ipv4=10.0.0.1 arp.dst.hw="
		" arp.dst.hw_mac=00:00:00:00:00:00 arp.dst.proto= arp.dst.proto_ipv4=10.0.0.2",
	},
	{
		"ARP reply", RTAP_LINK_ETHERNET, 42,
		"020000000002020000000001080600010800060400020200000000010a0000010200000000020a000002",
		"ARP 10.0.0.1 is-at 02:00:00:00:00:01",
		"arp.hw.type=1 arp.proto.type=0x0800 arp.hw.size=6 arp.proto.size=4 arp.opcode=2 arp.src.hw="
		" arp.src.hw_mac=02:00:00:00:00:01 arp.src.proto= arp.src.proto_ipv4=10.0.0.1 arp.dst.hw="
		" arp.dst.hw_mac=02:00:00:00:00:02 arp.dst.proto= arp.dst.proto_ipv4=10.0.0.2",
	},
	{
		"ARP for IPv6", RTAP_LINK_ETHERNET, 66,
		"0200000000020200000000010806000186dd06100001020000000001fd00000000000000000000000000000100000000"
		"0000fd000000000000000000000000000002",
		"ARP who-has fd000000000000000000000000000002 tell fd000000000000000000000000000001",
		"arp.hw.type=1 arp.proto.type=0x86dd arp.hw.size=6 arp.proto.size=16 arp.opcode=1 arp.src.hw="
		" arp.src.hw_mac=02:00:00:00:00:01 arp.src.proto=fd000000000000000000000000000001 arp.src.proto_ipv4="
		" arp.dst.hw= arp.dst.hw_mac=00:00:00:00:00:00 arp.dst.proto=fd000000000000000000000000000002"
		" arp.dst.proto_ipv4=",
	},
	{
		"IPv4 options", RTAP_LINK_RAW, 36,
		"47000028123400004011bd890a0000010a000002010194040000000003e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ip.hdr_len=28 ip.opt.type=1,1,148,0 ip.opt.len=4 udp.dstport=9",
	},
	{
		"IPv4 first fragment", RTAP_LINK_RAW, 20,
		"4500002412342000401134930a0000010a00000264617461646174616461746164617461",
		"10.0.0.1 > 10.0.0.2             fragment id 0x1234 offset 0 len 16",
		"ip.flags=0x01 ip.flags.mf=1 ip.frag_offset=0 udp.srcport= data.len=16",
	},
	{
		"IPv4 last fragment", RTAP_LINK_RAW, 20,
		"4500002412340003401154900a0000010a00000264617461646174616461746164617461",
		"10.0.0.1 > 10.0.0.2             fragment id 0x1234 offset 24 len 16",
		"ip.flags.mf=0 ip.frag_offset=3 udp.srcport= data.len=16",
	},
	{
		"IPv4 offloaded length", RTAP_LINK_RAW, 28,
		"4500000012340000401154b70a0000010a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ip.len=32 udp.dstport=9",
	},
	{
		"IPv4 with AH", RTAP_LINK_RAW, 52,
		"45000038123400004033545d0a0000010a000002110400000000000100000002112233445566778899aabbcc03e80009"
		"000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      AH UDP len 12",
		"ah.next_header=17 ah.length=4 ah.reserved=0000 ah.spi=0x00000001 ah.sequence=2"
		" ah.icv=112233445566778899aabbcc udp.dstport=9",
	},
	{
		"IPv4 with ESP", RTAP_LINK_RAW, 20,
		"45000018123400004032547e0a0000010a00000264617461",
		"10.0.0.1 > 10.0.0.2             ESP len 4",
		"ip.proto=50 udp.srcport=",
	},
	{
		"IPv6 hop-by-hop options", RTAP_LINK_RAW, 56,
		"6ab1234500140040fd000000000000000000000000000001fd0000000000000000000000000000021100050200000100"
		"03e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.hopopts.nxt=17 ipv6.hopopts.len=0 ipv6.hopopts.len_oct=8 ipv6.opt.type=0x05,0x01"
		" ipv6.opt.length=2,0 udp.dstport=9",
	},
	{
		"IPv6 destination options", RTAP_LINK_RAW, 64,
		"6ab12345001c3c40fd000000000000000000000000000001fd0000000000000000000000000000021101000104000000"
		"000103000000000003e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.dstopts.nxt=17 ipv6.dstopts.len=1 ipv6.dstopts.len_oct=16 ipv6.opt.type=0x00,0x01,0x01,0x00,0x00"
		" ipv6.opt.length=4,3 udp.dstport=9",
	},
	{
		"IPv6 source route", RTAP_LINK_RAW, 72,
		"6ab1234500242b40fd000000000000000000000000000001fd0000000000000000000000000000021102000100000000"
		"fd0000000000000000000000000000ff03e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.routing.nxt=17 ipv6.routing.len=2 ipv6.routing.len_oct=24 ipv6.routing.type=0"
		" ipv6.routing.segleft=1 udp.dstport=9",
	},
	{
		"IPv6 segment routing", RTAP_LINK_RAW, 88,
		"6ab1234500342b40fd000000000000000000000000000001fd0000000000000000000000000000021104040101000007"
		"fd0000000000000000000000000000fefd0000000000000000000000000000ff03e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.routing.type=4 ipv6.routing.segleft=1 ipv6.routing.srh.last_entry=1 ipv6.routing.srh.flags=0x00"
		" ipv6.routing.srh.tag=0007 ipv6.routing.srh.addr=fd00::fe,fd00::ff udp.dstport=9",
	},
	{
		"IPv6 fragment", RTAP_LINK_RAW, 48,
		"6ab12345000c2c40fd000000000000000000000000000001fd0000000000000000000000000000021100000f11223344"
		"64617461",
		"fd00::1 > fd00::2               fragment id 0x11223344 offset 8 len 4",
		"ipv6.fraghdr.nxt=17 ipv6.fraghdr.reserved_octet=0x00 ipv6.fraghdr.offset=1 ipv6.fraghdr.reserved_bits=3"
		" ipv6.fraghdr.more=1 ipv6.fraghdr.ident=0x11223344 udp.srcport=",
	},
	{
		"IPv6 atomic fragment", RTAP_LINK_RAW, 56,
		"6ab1234500142c40fd000000000000000000000000000001fd0000000000000000000000000000021100000011223344"
		"03e80009000c000064617461",
		"[fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ipv6.fraghdr.offset=0 ipv6.fraghdr.more=0 udp.dstport=9",
	},
	{
		"IPv6 no next header", RTAP_LINK_RAW, 40,
		"6ab1234500003b40fd000000000000000000000000000001fd00000000000000000000000000000264617461",
		"fd00::1 > fd00::2               No next header",
		"ipv6.nxt=59 data.len=",
	},
	{
		"IPv4 in IPv4", RTAP_LINK_RAW, 48,
		"4500003412340000400454900a0000010a0000024500002012340000401154970a0000010a00000203e80009000c0000"
		"64617461",
		"10.0.0.1 > 10.0.0.2             IP tunnel 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ip.src=10.0.0.1,10.0.0.1 ip.len=52,32 udp.dstport=9",
	},
	{
		"IPv6 in IPv4", RTAP_LINK_RAW, 68,
		"4500004812340000402954570a0000010a0000026ab12345000c1140fd000000000000000000000000000001fd000000"
		"00000000000000000000000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             IP tunnel [fd00::1]:1000 > [fd00::2]:9    UDP len 12",
		"ip.src=10.0.0.1 ipv6.src=fd00::1 udp.dstport=9",
	},
	{
		"TCP SYN with options", RTAP_LINK_ETHERNET, 74,
		"02000000000202000000000108004500004012340000400654820a0000010a00000203e808011122334455667788a012"
		"0200abcd0003020405b40402080a00000001000000020103030764617461",
		"10.0.0.1:1000 > 10.0.0.2:2049   TCP [S.] seq 287454020 ack 1432778632 win 512 len 4",
		"tcp.srcport=1000 tcp.dstport=2049 tcp.seq_raw=287454020 tcp.ack_raw=1432778632 tcp.hdr_len=40"
		" tcp.flags=0x0012 tcp.flags.res=0 tcp.flags.ae=0 tcp.flags.cwr=0 tcp.flags.ece=0 tcp.flags.urg=0"
		" tcp.flags.ack=1 tcp.flags.push=0 tcp.flags.reset=0 tcp.flags.syn=1 tcp.flags.fin=0"
		" tcp.window_size_value=512 tcp.checksum=0xabcd tcp.urgent_pointer=3 tcp.len=4"
		" tcp.options=020405b40402080a000000010000000201030307 tcp.option_kind=2,4,8,1,3 tcp.option_len=4,2,10,3"
		" tcp.options.mss_val=1460 tcp.options.wscale.shift=7 tcp.options.timestamp.tsval=1"
		" tcp.options.timestamp.tsecr=2 tcp.options.sack_le= tcp.options.sack_re=",
	},
	{
		"TCP flags and SACK", RTAP_LINK_ETHERNET, 66,
		"020000000002020000000001080045000038123400004006548a0a0000010a00000203e8080111223344556677888fff"
		"0200abcd00030101050a000000010000000264617461",
		"10.0.0.1:1000 > 10.0.0.2:2049   TCP [FSRP.UEW] seq 287454020 ack 1432778632 win 512 len 4",
		"tcp.srcport=1000 tcp.dstport=2049 tcp.seq_raw=287454020 tcp.ack_raw=1432778632 tcp.hdr_len=32"
		" tcp.flags=0x0fff tcp.flags.res=1 tcp.flags.ae=1 tcp.flags.cwr=1 tcp.flags.ece=1 tcp.flags.urg=1"
		" tcp.flags.ack=1 tcp.flags.push=1 tcp.flags.reset=1 tcp.flags.syn=1 tcp.flags.fin=1"
		" tcp.window_size_value=512 tcp.checksum=0xabcd tcp.urgent_pointer=3 tcp.len=4"
		" tcp.options=0101050a0000000100000002 tcp.option_kind=1,1,5 tcp.option_len=10 tcp.options.mss_val="
		" tcp.options.wscale.shift= tcp.options.timestamp.tsval= tcp.options.timestamp.tsecr="
		" tcp.options.sack_le=1 tcp.options.sack_re=2",
	},
	{
		"TCP over IPv6", RTAP_LINK_ETHERNET, 74,
		"02000000000202000000000186dd6ab1234500180640fd000000000000000000000000000001fd000000000000000000"
		"00000000000203e80801112233445566778850180200abcd0003646174610000",
		"[fd00::1]:1000 > [fd00::2]:2049 TCP [P.] seq 287454020 ack 1432778632 win 512 len 4",
		"tcp.srcport=1000 tcp.dstport=2049 tcp.seq_raw=287454020 tcp.ack_raw=1432778632 tcp.hdr_len=20"
		" tcp.flags=0x0018 tcp.flags.res=0 tcp.flags.ae=0 tcp.flags.cwr=0 tcp.flags.ece=0 tcp.flags.urg=0"
		" tcp.flags.ack=1 tcp.flags.push=1 tcp.flags.reset=0 tcp.flags.syn=0 tcp.flags.fin=0"
		" tcp.window_size_value=512 tcp.checksum=0xabcd tcp.urgent_pointer=3 tcp.len=4 tcp.options="
		" tcp.option_kind= tcp.option_len= tcp.options.mss_val= tcp.options.wscale.shift="
		" tcp.options.timestamp.tsval= tcp.options.timestamp.tsecr= tcp.options.sack_le= tcp.options.sack_re=",
	},
	{
		"TCP without payload", RTAP_LINK_ETHERNET, 54,
		"020000000002020000000001080045000028123400004006549a0a0000010a00000203e8080111223344556677885011"
		"0200abcd0003000000000000",
		"10.0.0.1:1000 > 10.0.0.2:2049   TCP [F.] seq 287454020 ack 1432778632 win 512 len 0",
		"tcp.srcport=1000 tcp.dstport=2049 tcp.seq_raw=287454020 tcp.ack_raw=1432778632 tcp.hdr_len=20"
		" tcp.flags=0x0011 tcp.flags.res=0 tcp.flags.ae=0 tcp.flags.cwr=0 tcp.flags.ece=0 tcp.flags.urg=0"
		" tcp.flags.ack=1 tcp.flags.push=0 tcp.flags.reset=0 tcp.flags.syn=0 tcp.flags.fin=1"
		" tcp.window_size_value=512 tcp.checksum=0xabcd tcp.urgent_pointer=3 tcp.len=0 tcp.options="
		" tcp.option_kind= tcp.option_len= tcp.options.mss_val= tcp.options.wscale.shift="
		" tcp.options.timestamp.tsval= tcp.options.timestamp.tsecr= tcp.options.sack_le= tcp.options.sack_re=",
	},
	{
		"ICMP echo", RTAP_LINK_RAW, 28,
		"4500002012340000400154a70a0000010a0000020800f7ff0001000264617461",
		"10.0.0.1 > 10.0.0.2             ICMP echo request id 1 seq 2",
		"icmp.type=8 icmp.code=0 icmp.checksum=0xf7ff icmp.ident=1 icmp.seq=2 icmp.mtu= icmp.unused="
		" icmp.redir_gw=",
	},
	{
		"ICMP fragmentation needed", RTAP_LINK_RAW, 28,
		"4500003c123400004001548b0a0000010a00000203040000000005004500002012340000401154970a0000010a000002"
		"03e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             ICMP fragmentation needed mtu 1280 for 10.0.0.1 > 10.0.0.2             UDP 1000 > 9 len 12",
		"icmp.type=3 icmp.code=4 icmp.checksum=0x0000 icmp.ident= icmp.seq= icmp.mtu=1280 icmp.unused=0000"
		" icmp.redir_gw= ip.src=10.0.0.1,10.0.0.1 udp.srcport=1000",
	},
	{
		"ICMP port unreachable, 8 bytes quoted", RTAP_LINK_RAW, 28,
		"45000038123400004001548f0a0000010a00000203030000000000004500002c12340000400654960a0000010a000002"
		"03e8080111223344",
		"10.0.0.1 > 10.0.0.2             ICMP port unreachable for 10.0.0.1 > 10.0.0.2             TCP 1000 > 2049",
		"icmp.type=3 icmp.code=3 icmp.checksum=0x0000 icmp.ident= icmp.seq= icmp.mtu= icmp.unused=00000000"
		" icmp.redir_gw= ip.src=10.0.0.1,10.0.0.1",
	},
	{
		"ICMP redirect", RTAP_LINK_RAW, 28,
		"4500003c123400004001548b0a0000010a000002050100000a0000094500002012340000401154970a0000010a000002"
		"03e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             ICMP redirect for 10.0.0.1 > 10.0.0.2             UDP 1000 > 9 len 12",
		"icmp.type=5 icmp.code=1 icmp.checksum=0x0000 icmp.ident= icmp.seq= icmp.mtu= icmp.unused="
		" icmp.redir_gw=10.0.0.9 ip.src=10.0.0.1,10.0.0.1",
	},
	{
		"ICMPv6 packet too big", RTAP_LINK_RAW, 48,
		"6ab12345003c3a40fd000000000000000000000000000001fd0000000000000000000000000000020200000000000500"
		"6ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009000c0000"
		"64617461",
		"fd00::1 > fd00::2               ICMPv6 packet too big mtu 1280 for fd00::1 > fd00::2               UDP 1000 > 9 len 12",
		"icmpv6.type=2 icmpv6.code=0 icmpv6.checksum=0x0000 icmpv6.mtu=1280 icmpv6.echo.identifier="
		" icmpv6.echo.sequence_number= icmpv6.nd.ns.target_address= icmpv6.nd.na.target_address= icmpv6.reserved="
		" ipv6.src=fd00::1,fd00::1 udp.srcport=1000",
	},
	{
		"ICMPv6 port unreachable", RTAP_LINK_RAW, 48,
		"6ab12345003c3a40fd000000000000000000000000000001fd0000000000000000000000000000020104000000000000"
		"6ab12345000c1140fd000000000000000000000000000001fd00000000000000000000000000000203e80009000c0000"
		"64617461",
		"fd00::1 > fd00::2               ICMPv6 port unreachable for fd00::1 > fd00::2               UDP 1000 > 9 len 12",
		"icmpv6.type=1 icmpv6.code=4 icmpv6.checksum=0x0000 icmpv6.mtu= icmpv6.echo.identifier="
		" icmpv6.echo.sequence_number= icmpv6.nd.ns.target_address= icmpv6.nd.na.target_address="
		" icmpv6.reserved=00000000 ipv6.src=fd00::1,fd00::1 udp.srcport=1000",
	},
	{
		"ICMPv6 echo", RTAP_LINK_RAW, 48,
		"6ab12345000c3a40fd000000000000000000000000000001fd0000000000000000000000000000028000000000010002"
		"64617461",
		"fd00::1 > fd00::2               ICMPv6 echo request id 1 seq 2",
		"icmpv6.type=128 icmpv6.code=0 icmpv6.checksum=0x0000 icmpv6.mtu= icmpv6.echo.identifier=0x0001"
		" icmpv6.echo.sequence_number=2 icmpv6.nd.ns.target_address= icmpv6.nd.na.target_address="
		" icmpv6.reserved=",
	},
	{
		"ICMPv6 neighbor solicitation", RTAP_LINK_RAW, 64,
		"6ab1234500183a40fd000000000000000000000000000001fd0000000000000000000000000000028700000000000000"
		"fd000000000000000000000000000002",
		"fd00::1 > fd00::2               ICMPv6 neighbor solicitation fd00::2",
		"icmpv6.type=135 icmpv6.code=0 icmpv6.checksum=0x0000 icmpv6.mtu= icmpv6.echo.identifier="
		" icmpv6.echo.sequence_number= icmpv6.nd.ns.target_address=fd00::2 icmpv6.nd.na.target_address="
		" icmpv6.reserved=00000000",
	},
	{
		"ICMPv6 neighbor advertisement", RTAP_LINK_RAW, 64,
		"6ab1234500183a40fd000000000000000000000000000001fd0000000000000000000000000000028800000060000000"
		"fd000000000000000000000000000002",
		"fd00::1 > fd00::2               ICMPv6 neighbor advertisement fd00::2",
		"icmpv6.type=136 icmpv6.code=0 icmpv6.checksum=0x0000 icmpv6.mtu= icmpv6.echo.identifier="
		" icmpv6.echo.sequence_number= icmpv6.nd.ns.target_address= icmpv6.nd.na.target_address=fd00::2"
		" icmpv6.reserved=",
	},
	{
		"IGMP report", RTAP_LINK_RAW, 28,
		"4500001c12340000400254aa0a0000010a00000216000904e0000016",
		"10.0.0.1 > 10.0.0.2             IGMP report v2 224.0.0.22",
		"igmp.type=0x16 igmp.max_resp=0 igmp.checksum=0x0904 igmp.maddr=224.0.0.22",
	},
	{
		"VXLAN", RTAP_LINK_ETHERNET, 92,
		"02000000000202000000000108004500005212340000401154650a0000010a00000203e812b5003e0000080000000000"
		"050002000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             VXLAN vni 5 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"vxlan.flags=0x0800 vxlan.flag_g=0 vxlan.flag_i=1 vxlan.flag_d=0 vxlan.flag_a=0 vxlan.gbp=0 vxlan.vni=5"
		" vxlan.reserved8=0 eth.src=02:00:00:00:00:01,02:00:00:00:00:01 ip.src=10.0.0.1,10.0.0.1"
		" udp.dstport=4789,9",
	},
	{
		"VXLAN with policy", RTAP_LINK_ETHERNET, 112,
		"02000000000202000000000186dd6ab12345003e1140fd000000000000000000000000000001fd000000000000000000"
		"00000000000203e812b5003e0000884812341234567f0200000000020200000000010800450000201234000040115497"
		"0a0000010a00000203e80009000c000064617461",
		"fd00::1 > fd00::2               VXLAN vni 1193046 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"vxlan.flags=0x8848 vxlan.flag_g=1 vxlan.flag_i=1 vxlan.flag_d=1 vxlan.flag_a=1 vxlan.gbp=4660"
		" vxlan.vni=1193046 vxlan.reserved8=127 eth.src=02:00:00:00:00:01,02:00:00:00:00:01 ip.src=10.0.0.1"
		" udp.dstport=4789,9",
	},
	{
		"GENEVE", RTAP_LINK_ETHERNET, 92,
		"02000000000202000000000108004500005212340000401154650a0000010a00000203e817c1003e0000000065580000"
		"050002000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             GENEVE vni 5 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"geneve.version=0 geneve.flags=0x00 geneve.flags.oam=0 geneve.flags.critical=0 geneve.flags.reserved=0"
		" geneve.proto_type=0x6558 geneve.vni=0x000005 geneve.reserved=0x00 geneve.options= geneve.option.class="
		" geneve.option.type= geneve.option.type.critical= geneve.option.flags.reserved= geneve.option.length=0"
		" geneve.option= geneve.option.unknown.data= eth.src=02:00:00:00:00:01,02:00:00:00:00:01"
		" ip.src=10.0.0.1,10.0.0.1 udp.dstport=6081,9",
	},
	{
		"GENEVE with options", RTAP_LINK_ETHERNET, 94,
		"02000000000202000000000108004500005412340000401154630a0000010a00000203e817c10040000004ff08001234"
		"56ff010183e15566778801020301666677774500002012340000401154970a0000010a00000203e80009000c00006461"
		"7461",
		"10.0.0.1 > 10.0.0.2             GENEVE vni 1193046 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"geneve.version=0 geneve.flags=0xff geneve.flags.oam=1 geneve.flags.critical=1 geneve.flags.reserved=1"
		" geneve.proto_type=0x0800 geneve.vni=0x123456 geneve.reserved=0xff"
		" geneve.options=010183e1556677880102030166667777 geneve.option.class=0x0101,0x0102"
		" geneve.option.type=0x83,0x03 geneve.option.type.critical=1,0 geneve.option.flags.reserved=1,0"
		" geneve.option.length=16,8,8 geneve.option=010183e155667788,0102030166667777"
		" geneve.option.unknown.data=55667788,66667777 eth.src=02:00:00:00:00:01 ip.src=10.0.0.1,10.0.0.1"
		" udp.dstport=6081,9",
	},
	{
		"GRE", RTAP_LINK_RAW, 52,
		"4500003812340000402f54610a0000010a000002000008004500002012340000401154970a0000010a00000203e80009"
		"000c000064617461",
		"10.0.0.1 > 10.0.0.2             GRE 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gre.flags_and_version=0x0000 gre.flags.checksum=0 gre.flags.routing=0 gre.flags.key=0"
		" gre.flags.sequence_number=0 gre.flags.strict_source_route=0 gre.flags.recursion_control=0"
		" gre.flags.reserved=0 gre.flags.version=0 gre.proto=0x0800 gre.checksum= gre.offset= gre.key="
		" gre.sequence_number= eth.src= ip.src=10.0.0.1,10.0.0.1",
	},
	{
		"GRE with all words", RTAP_LINK_RAW, 78,
		"4500005212340000402f54470a0000010a000002b0006558123400000000000700000009020000000002020000000001"
		"08004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             GRE 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gre.flags_and_version=0xb000 gre.flags.checksum=1 gre.flags.routing=0 gre.flags.key=1"
		" gre.flags.sequence_number=1 gre.flags.strict_source_route=0 gre.flags.recursion_control=0"
		" gre.flags.reserved=0 gre.flags.version=0 gre.proto=0x6558 gre.checksum=0x1234 gre.offset=0"
		" gre.key=0x00000007 gre.sequence_number=9 eth.src=02:00:00:00:00:01 ip.src=10.0.0.1,10.0.0.1",
	},
	{
		"ERSPAN I", RTAP_LINK_RAW, 66,
		"4500004612340000402f54530a0000010a000002000088be020000000002020000000001080045000020123400004011"
		"54970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             GRE 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gre.flags_and_version=0x0000 gre.flags.checksum=0 gre.flags.routing=0 gre.flags.key=0"
		" gre.flags.sequence_number=0 gre.flags.strict_source_route=0 gre.flags.recursion_control=0"
		" gre.flags.reserved=0 gre.flags.version=0 gre.proto=0x88be gre.checksum= gre.offset= gre.key="
		" gre.sequence_number= eth.src=02:00:00:00:00:01 ip.src=10.0.0.1,10.0.0.1",
	},
	{
		"ERSPAN II", RTAP_LINK_RAW, 78,
		"4500005212340000402f54470a0000010a000002100088be0000000110053c0100100007020000000002020000000001"
		"08004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             ERSPAN session 1 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erspan.version=1 erspan.vlan=5 erspan.cos=1 erspan.encap=3 erspan.bso= erspan.truncated=1"
		" erspan.spanid=1 erspan.reserved=1 erspan.index=7 erspan.timestamp= erspan.sgt= erspan.p= erspan.ft="
		" erspan.hw= erspan.direction= erspan.gra= erspan.o= erspan.platid= eth.src=02:00:00:00:00:01",
	},
	{
		"ERSPAN III", RTAP_LINK_RAW, 82,
		"4500005612340000402f54430a0000010a000002100022eb0000000120052401000000070005802c0200000000020200"
		"0000000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             ERSPAN session 1 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erspan.version=2 erspan.vlan=5 erspan.cos=1 erspan.encap= erspan.bso=0 erspan.truncated=1"
		" erspan.spanid=1 erspan.reserved= erspan.index= erspan.timestamp=7 erspan.sgt=5 erspan.p=1 erspan.ft=0"
		" erspan.hw=2 erspan.direction=1 erspan.gra=2 erspan.o=0 erspan.platid= eth.src=02:00:00:00:00:01",
	},
	{
		"ERSPAN III with platform", RTAP_LINK_RAW, 90,
		"4500005e12340000402f543b0a0000010a000002100022eb000000012005240100000007000580010c00000100000002"
		"02000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"10.0.0.1 > 10.0.0.2             ERSPAN session 1 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"erspan.version=2 erspan.vlan=5 erspan.cos=1 erspan.encap= erspan.bso=0 erspan.truncated=1"
		" erspan.spanid=1 erspan.reserved= erspan.index= erspan.timestamp=7 erspan.sgt=5 erspan.p=1 erspan.ft=0"
		" erspan.hw=0 erspan.direction=0 erspan.gra=0 erspan.o=1 erspan.platid=3 eth.src=02:00:00:00:00:01",
	},
	{
		"LLC with SNAP", RTAP_LINK_ETHERNET, 50,
		"0200000000020200000000010028aaaa0300000008004500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"eth.len=40 llc.dsap=0xaa llc.ssap=0xaa llc.control=0x0003 llc.control.ftype=0x03 llc.oui=0x000000"
		" llc.type=0x0800 ip.src=10.0.0.1",
	},
	{
		"SNAP of another organization", RTAP_LINK_ETHERNET, 22,
		"020000000002020000000001000caaaa0300000c200064617461",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 SNAP 0x00000c protocol 0x2000 len 4",
		"eth.len=12 llc.dsap=0xaa llc.oui=0x00000c",
	},
	{
		"LLC of NetBIOS, information", RTAP_LINK_ETHERNET, 18,
		"0200000000020200000000010008f0f0102164617461",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 LLC 0xf0 (NetBIOS) len 4",
		"llc.dsap=0xf0 llc.dsap.sap=120 llc.dsap.ig=0 llc.ssap=0xf0 llc.ssap.sap=120 llc.ssap.cr=0"
		" llc.control=0x2110 llc.control.ftype=0x00",
	},
	{
		"PPP over Ethernet", RTAP_LINK_ETHERNET, 50,
		"020000000002020000000001886411001234002200214500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"PPPoE 0x1234 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"pppoe.version=1 pppoe.type=1 pppoe.code=0x00 pppoe.session_id=0x1234 pppoe.payload_length=34"
		" ppp.protocol=0x0021 ip.src=10.0.0.1",
	},
	{
		"PPP over Ethernet, compressed protocol", RTAP_LINK_ETHERNET, 49,
		"0200000000020200000000018864110012340021214500002012340000401154970a0000010a00000203e80009000c00"
		"0064617461",
		"PPPoE 0x1234 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"pppoe.payload_length=33 ppp.protocol=0x0021 ip.src=10.0.0.1",
	},
	{
		"PPP over Ethernet, LCP", RTAP_LINK_ETHERNET, 22,
		"020000000002020000000001886411001234000ac0210901000801020304",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 PPPoE 0x1234 LCP len 8",
		"pppoe.payload_length=10 ppp.protocol=0xc021",
	},
	{
		"802.1ah", RTAP_LINK_ETHERNET, 60,
		"02000000000202000000000188e7b212345602000000000202000000000108004500002012340000401154970a000001"
		"0a00000203e80009000c000064617461",
		"i-sid 1193046 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ieee8021ah.priority=5 ieee8021ah.drop=1 ieee8021ah.nca=0 ieee8021ah.res1=0 ieee8021ah.res2=2"
		" ieee8021ah.isid=1193046 ieee8021ah.cdst=02:00:00:00:00:02 ieee8021ah.csrc=02:00:00:00:00:01"
		" ieee8021ah.etype=0x0800 ip.src=10.0.0.1",
	},
	{
		"VN-Tag", RTAP_LINK_ETHERNET, 48,
		"0200000000020200000000018926c005a00708004500002012340000401154970a0000010a00000203e80009000c0000"
		"64617461",
		"vif 5 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"vntag.dir=1 vntag.ptr=1 vntag.dst=5 vntag.looped=1 vntag.r=0 vntag.version=2 vntag.src=7"
		" vntag.etype=0x0800 ip.src=10.0.0.1",
	},
	{
		"E-Tag", RTAP_LINK_ETHERNET, 50,
		"020000000002020000000001893f75672234010208004500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"e-cid base 564 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"etag.pcp=3 etag.dei=1 etag.iecid_base=0x0567 etag.resv=0 etag.group=2 etag.ecid_base=0x0234"
		" etag.iecid_ext=0x01 etag.ecid_ext=0x02 etag.etype=0x0800 ip.src=10.0.0.1",
	},
	{
		"HSR", RTAP_LINK_ETHERNET, 48,
		"020000000002020000000001892f3026123408004500002012340000401154970a0000010a00000203e80009000c0000"
		"64617461",
		"hsr seq 4660 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"hsr.path=3 hsr.netid=1 hsr.laneid=1 hsr.lsdu_size=38 hsr.sequence_nr=4660 hsr.type=0x0800"
		" ip.src=10.0.0.1",
	},
	{
		"TRILL with options", RTAP_LINK_ETHERNET, 66,
		"02000000000202000000000122f3087f1234567801020304020000000002020000000001080045000020123400004011"
		"54970a0000010a00000203e80009000c000064617461",
		"trill 22136 > 4660 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"trill.version=0 trill.reserved=0 trill.multi_dst=1 trill.op_len=1 trill.hop_cnt=63"
		" trill.egress_nick=4660 trill.ingress_nick=22136 trill.options=01020304 ip.src=10.0.0.1",
	},
	{
		"NSH with fixed context", RTAP_LINK_ETHERNET, 66,
		"020000000002020000000001894f0fc60101123456ff000102030405060708090a0b0c0d0e0f45000020123400004011"
		"54970a0000010a00000203e80009000c000064617461",
		"NSH 1193046/255 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"nsh.version=0 nsh.Obit=0 nsh.CBit=0 nsh.ttl=63 nsh.length=6 nsh.mdtype=1 nsh.nextproto=1"
		" nsh.spi=1193046 nsh.si=255 nsh.contextheader=00010203,04050607,08090a0b,0c0d0e0f ip.src=10.0.0.1",
	},
	{
		"NSH with variable context", RTAP_LINK_ETHERNET, 80,
		"020000000002020000000001894f0fc60203123456ff010203040506070800018202aabb000002000000000202000000"
		"000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"NSH 1193046/255 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"nsh.length=6 nsh.mdtype=2 nsh.nextproto=3 ip.src=10.0.0.1",
	},
	{
		"EtherIP", RTAP_LINK_ETHERNET, 78,
		"0200000000020200000000010800450000441a2b40004061c80aac100001ac1000023000020000000002020000000001"
		"08004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         EtherIP 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"etherip.ver=3 etherip.reserved=0x0000 ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"VXLAN-GPE with IP", RTAP_LINK_ETHERNET, 78,
		"0200000000020200000000010800450000441a2b40004011c85aac100001ac100002d00212b6003000000c0000011234"
		"56004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         VXLAN-GPE vni 1193046 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"vxlan.flags=0x0c vxlan.ver=0 vxlan.i_bit=1 vxlan.p_bit=1 vxlan.o_bit=0 vxlan.reserved_16=0"
		" vxlan.next_proto=1 vxlan.vni=1193046 vxlan.reserved8=0 ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"VXLAN-GPE with NSH", RTAP_LINK_ETHERNET, 100,
		"02000000000202000000000108004500005a1a2b40004011c844ac100001ac100002d00212b6004600000c0000041234"
		"56000fc20203123456ff02000000000202000000000108004500002012340000401154970a0000010a00000203e80009"
		"000c000064617461",
		"172.16.0.1 > 172.16.0.2         VXLAN-GPE vni 1193046 NSH 1193046/255 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"vxlan.next_proto=4 nsh.nextproto=3 ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"GTP-U", RTAP_LINK_ETHERNET, 78,
		"0200000000020200000000010800450000441a2b40004011c85aac100001ac100002d00408680030000030ff00201122"
		"33444500002012340000401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         GTP-U teid 0x11223344 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gtp.flags=0x30 gtp.flags.version=1 gtp.flags.payload=1 gtp.flags.reserved=0 gtp.flags.e=0"
		" gtp.flags.s=0 gtp.flags.pn=0 gtp.message=0xff gtp.length=32 gtp.teid=0x11223344"
		" ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"GTP-U with extension headers", RTAP_LINK_ETHERNET, 90,
		"0200000000020200000000010800450000501a2b40004011c84eac100001ac100002d0040868003c000037ff002c1122"
		"3344000102c001000185010005004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         GTP-U teid 0x11223344 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gtp.flags=0x37 gtp.seq_number=0x0001 gtp.npdu_number=0x02 gtp.ext_hdr.length=1,1"
		" gtp.ext_hdr.next=0xc0,0x85,0x00 gtp.length=44 ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"GTP-U echo", RTAP_LINK_ETHERNET, 54,
		"0200000000020200000000010800450000281a2b40004011c876ac100001ac100002d004086800140000320100041122"
		"334400070000",
		"172.16.0.1 > 172.16.0.2         GTP-U teid 0x11223344 Echo request",
		"gtp.message=0x01 gtp.length=4 gtp.seq_number=0x0007",
	},
	{
		"PPP in GRE", RTAP_LINK_ETHERNET, 68,
		"02000000000202000000000108004500003a1a2b4000402fc846ac100001ac1000020000880b00214500002012340000"
		"401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         GRE 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gre.proto=0x880b ppp.protocol=0x0021 ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"802.1ad twice", RTAP_LINK_ETHERNET, 50,
		"02000000000202000000000188a8300588a8600708004500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"vlan 5 vlan 7 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ieee8021ad.priority=1,3 ieee8021ad.dei=1,0 ieee8021ad.svid=5 ieee8021ad.cvid=7 ieee8021ad.id="
		" ip.src=10.0.0.1",
	},
	{
		"MACsec", RTAP_LINK_ETHERNET, 58,
		"02000000000202000000000188e5210000000007020000000007000108004500002012340000401154970a0000010a00"
		"000203e80009000c000064617461a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"MACsec pn 7 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"macsec.TCI=0x08 macsec.TCI.SC=1 macsec.TCI.E=0 macsec.TCI.C=0 macsec.AN=0x01 macsec.SL=0"
		" macsec.PN=7 macsec.SCI.system_identifier=02:00:00:00:00:07 macsec.SCI.port_identifier=1"
		" macsec.etype=0x0800 macsec.ICV=a0a1a2a3a4a5a6a7a8a9aaabacadaeaf ip.src=10.0.0.1",
	},
	{
		"MACsec without a channel, with a length", RTAP_LINK_ETHERNET, 0,
		"02000000000202000000000188e500220000000808004500002012340000401154970a0000010a00000203e80009000c"
		"000064617461a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"MACsec pn 8 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"macsec.TCI=0x00 macsec.SL=34 macsec.PN=8 macsec.etype=0x0800"
		" macsec.ICV=a0a1a2a3a4a5a6a7a8a9aaabacadaeaf ip.src=10.0.0.1",
	},
	{
		"MACsec encrypted", RTAP_LINK_ETHERNET, 20,
		"02000000000202000000000188e50c0000000009000102030405060708090a0b0c0d0e0f101112131415161718191a1b"
		"1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3ba0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
		"02:00:00:00:00:01 > 02:00:00:00:00:02 MACsec encrypted pn 9 len 60",
		"macsec.TCI=0x03 macsec.TCI.E=1 macsec.TCI.C=1 macsec.PN=9 macsec.etype="
		" macsec.ICV=a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
	},
	{
		"LISP", RTAP_LINK_ETHERNET, 78,
		"0200000000020200000000010800450000441a2b00004011085bac100001ac100002d00510f500300000c8112233abcd"
		"ef014500002012340000401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         LISP iid 11259375 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"lisp-data.flags=0xc8 lisp-data.nonce=1122867 lisp-data.iid=11259375 lisp-data.lsb8=0x01"
		" lisp-data.lsb= ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"Ethernet in GTP-U", RTAP_LINK_ETHERNET, 0,
		"0200000000020200000000010800450000521a2b00004011084dac100001ac100002d0040868003e000030ff002e1122"
		"334402000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c000064617461",
		"172.16.0.1 > 172.16.0.2         GTP-U teid 0x11223344 10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"gtp.teid=0x11223344 eth.src=02:00:00:00:00:01,02:00:00:00:00:01 ip.src=172.16.0.1,10.0.0.1",
	},
	{
		"PPI", RTAP_LINK_PPI, 50,
		"000008000100000002000000000202000000000108004500002012340000401154970a0000010a00000203e80009000c"
		"000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"ppi.version=0 ppi.flags=0x00 ppi.length=8 ppi.dlt=1 eth.src=02:00:00:00:00:01 ip.src=10.0.0.1",
	},
	{
		"NFLOG", RTAP_LINK_NFLOG, 0,
		"02000005080001000800030008000a006c6f670008000b0000000000240009004500002012340000401154970a000001"
		"0a00000203e80009000c000064617461",
		"10.0.0.1:1000 > 10.0.0.2:9      UDP len 12",
		"nflog.family=2 nflog.version=0 nflog.res_id=5 nflog.tlv_length=8,8,8,36 nflog.tlv_type=1,10,11,9"
		" nflog.protocol=0x0800 nflog.hook=3 nflog.prefix=log nflog.uid=0 ip.src=10.0.0.1",
	},
};

#endif
