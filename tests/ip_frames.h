/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of ARP, IP, TCP, ICMP and IGMP.
 */
#ifndef TESTS_IP_FRAMES_H
#define TESTS_IP_FRAMES_H

#include "tests/network_frame.h"

static const struct network_frame ip_frames[] = {
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
};

#endif
