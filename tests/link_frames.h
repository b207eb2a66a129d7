/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of link types, Ethernet and its tags, LLC and PPP.
 */
#ifndef TESTS_LINK_FRAMES_H
#define TESTS_LINK_FRAMES_H

#include "tests/network_frame.h"

static const struct network_frame link_frames[] = {
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
