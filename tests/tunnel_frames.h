/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of tunnels.
 */
#ifndef TESTS_TUNNEL_FRAMES_H
#define TESTS_TUNNEL_FRAMES_H

#include "tests/network_frame.h"

static const struct network_frame tunnel_frames[] = {
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
};

#endif
