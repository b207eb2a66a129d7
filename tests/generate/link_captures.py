# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RoCE v2 in every link layer, IP variant and tunnel; bytes after the packet must not change the position of its ICRC."""
import struct

import ib
import net
from capture import Capture
from piece import Piece

SEND, ACK = 0x04, 0x11


def send(psn=1, **fields):
    return ib.transport(SEND, psn=psn, **fields)


def tags():
    capture = Capture("vlan", 1, "802.1Q, 802.1ad and stacks of them; RoCE v1 and v2, an unknown Ethertype")
    for version in (4, 6):
        packet = net.roce_v2(send(), version=version)
        capture.add(net.ethernet(net.vlan(packet, 0x123, priority=5, dei=1)))
        capture.add(net.ethernet(net.vlan(packet, 0, priority=7)))
        capture.add(net.ethernet(net.vlan(packet, 4095)))
        capture.add(net.ethernet(net.vlan(net.vlan(packet, 10, 3), 20, 4, 1)))
        capture.add(net.ethernet(net.vlan(net.vlan(packet, 11), 21, tpid=0x88a8).forget("vlan.", "ieee8021ad.")))
        capture.add(net.ethernet(net.vlan(net.vlan(packet, 12, tpid=0x88a8), 22, tpid=0x88a8)
                                 .forget("vlan.", "ieee8021ad.")))
        deep = packet
        for i in range(8):
            deep = net.vlan(deep, 100 + i, priority=i)
        capture.add(net.ethernet(deep))
    capture.add(net.ethernet(net.vlan(ib.roce_v1(send()), 77)))
    capture.add(net.ethernet(net.vlan(Piece(bytes(40), (), 0x88b5), 78)))
    return capture


def cooked():
    for name, dress, link in (("sll", net.sll, 113), ("sll2", net.sll2, 276)):
        capture = Capture(name, link, "Linux cooked v%s: RoCE v2, RoCE v1, a tag, an unknown Ethertype" % (1 + (link == 276)))
        for kind in (0, 4):
            capture.add(dress(net.roce_v2(send()), pkttype=kind))
            capture.add(dress(net.roce_v2(send(), version=6), pkttype=kind))
        capture.add(dress(ib.roce_v1(send())))
        capture.add(dress(net.vlan(net.roce_v2(send()), 5)))
        capture.add(dress(Piece(bytes(20), (), 0x88b5)))
        yield capture


def loopbacks():
    capture = Capture("null", 0, "BSD loopback (NULL) in both byte orders, with each system's number for IPv6")
    for order in "<>":
        capture.add(net.loopback(net.roce_v2(send()), 2, order))
        for family in (24, 28, 30):
            capture.add(net.loopback(net.roce_v2(send(), version=6), family, order))
        capture.add(net.loopback(Piece(bytes(12)), 99, order))
    yield capture
    capture = Capture("loop", 108, "OpenBSD loopback (LOOP)")
    capture.add(net.loopback(net.roce_v2(send()), 2, ">"))
    capture.add(net.loopback(net.roce_v2(send(), version=6), 24, ">"))
    yield capture


def raw_ip():
    for name, link, versions in (("raw", 101, (4, 6)), ("raw-ipv4", 228, (4,)), ("raw-ipv6", 229, (6,))):
        capture = Capture(name, link, "link type %d: IP without a link layer" % link)
        for version in versions:
            capture.add(net.roce_v2(send(), version=version))
            capture.add(net.roce_v2(ib.transport(ACK), version=version))
        yield capture


def trailing():
    """Bytes after the packet: Ethernet minimum padding, a captured FCS, both, arbitrary trailers."""
    frames = []
    for version in (4, 6):
        for length in (0, 1, 33):
            for minimum, fcs in ((60, False), (0, True), (60, True), (100, True)):
                packet = net.roce_v2(send(payload=bytes(range(length))), version=version)
                frames.append(net.ethernet(packet, minimum=minimum, fcs=fcs))
    for minimum, fcs in ((90, False), (0, True)):
        frames.append(net.ethernet(ib.roce_v1(send(payload=b"x")), minimum=minimum, fcs=fcs))
    frames.append(net.ethernet(net.vlan(net.roce_v2(send(payload=b"")), 9), minimum=64, fcs=True))
    plain = Capture("trailers", 1, "Ethernet padding and FCS after RoCE packets")
    reported = Capture("trailers-fcs-declared", 1, "the frames with an FCS, in a pcap whose header declares it", fcs_bytes=4)
    for frame in frames:
        plain.add(frame)
    for frame in frames:
        if net.crc.ethernet_fcs(frame.data[:-4]) == frame.data[-4:]:
            reported.add(frame)
    # Misleading trailers: another valid ICRC, zeros
    packet = net.roce_v2(send(payload=b"trailer"))
    for after in (packet.data[-4:], bytes(4), bytes(1), packet.data):
        frame = net.ethernet(packet)
        plain.add(Piece(frame.data + after, frame.facts))
    return plain, reported


def ipv4_forms():
    capture = Capture("ipv4", 1, "IPv4 options, fragments, bad header checksum, flags, extreme values of tos and ttl")
    for options in (b"\x01\x01\x01\x00", b"\x94\x04\0\0", b"\x07\x27\x04" + bytes(37)):
        capture.add(net.ethernet(net.roce_v2(send(), options=options)).forget("infiniband.invariant.crc.status"))
    for fields in ({"dsfield": 255, "ttl": 0}, {"ttl": 255, "df": 0}, {"rb": 1}, {"ident": 0xffff}, {"ident": 0, "df": 0},
                   {"bad_checksum": 0x0101}, {"src": "0.0.0.0", "dst": "255.255.255.255"}):
        capture.add(net.ethernet(net.roce_v2(send(), **fields)))
    datagram = net.roce_v2(send(payload=bytes(i & 255 for i in range(200)))).data[20:]
    for first, last in ((0, 64), (64, 128), (128, len(datagram))):
        part = Piece(datagram[first:last], (), 17)
        fragment = net.ipv4(part, df=0, mf=int(last < len(datagram)), frag_offset=first)
        capture.add(net.ethernet(fragment), **({"infiniband.bth.opcode": None} if first == 64 else {}))
    for proto in (0, 6, 253, 255):
        capture.add(net.ethernet(net.ipv4(Piece(bytes(40), (), proto))), **{"infiniband.bth.opcode": None})
    return capture


def ipv6_forms():
    capture = Capture("ipv6", 1, "IPv6 extension headers singly and in chains, fragments; no next header, unknown ones")

    def hop(nxt):
        return net.ipv6_options(net.HOP_BY_HOP, nxt)

    def destination(nxt):
        return net.ipv6_options(net.DESTINATION, nxt, padding=12)

    single = {net.HOP_BY_HOP: hop, net.DESTINATION: destination, net.ROUTING: net.ipv6_routing}
    for chain in ((net.HOP_BY_HOP,), (net.DESTINATION,), (net.ROUTING,), (net.HOP_BY_HOP, net.ROUTING),
                  (net.HOP_BY_HOP, net.DESTINATION, net.ROUTING, net.DESTINATION)):
        packet = net.roce_v2(send(), version=6, extensions=[(single[kind], kind) for kind in chain])
        capture.add(net.ethernet(packet).forget("infiniband.invariant.crc.status"))
    whole = net.roce_v2(send(), version=6, extensions=[(lambda nxt: net.ipv6_fragment(nxt, 0, 0, 0x1234), net.FRAGMENT)])
    capture.add(net.ethernet(whole).forget("udp.", "infiniband."))  # an atomic fragment (RFC 6946)
    datagram = net.roce_v2(send(payload=bytes(i & 255 for i in range(200))), version=6).data[40:]
    for first, last in ((0, 64), (64, 128), (128, len(datagram))):
        head, facts = net.ipv6_fragment(17, first, int(last < len(datagram)), 0xfeedbeef)
        part = Piece(head + datagram[first:last], facts, net.FRAGMENT)
        capture.add(net.ethernet(net.ipv6(part)), **({"infiniband.bth.opcode": None} if first == 64 else {}))
    for nxt in (59, 6, 50, 253):
        capture.add(net.ethernet(net.ipv6(Piece(bytes(40), (), nxt))), **{"infiniband.bth.opcode": None})
    return capture


OPTION = struct.pack(">HBBI", 0x0102, 0x80, 1, 0xcafef00d)


def tunnels():
    capture = Capture("tunnels", 1, "RoCE v2 in VXLAN, GENEVE with options, GRE with key, sequence and checksum, nested")

    def add(piece):
        capture.add(piece.forget("ip.version", "ipv6.version"))  # Wireshark adds both fields for both headers

    for outer in (net.ipv4, net.ipv6):
        where = {"src": "172.16.0.1", "dst": "172.16.0.2"} if outer is net.ipv4 else {"src": "fd01::1", "dst": "fd01::2"}
        for version in (4, 6):
            inner = net.roce_v2(send(psn=version), version=version)
            frame = net.ethernet(inner, dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
            tagged = net.ethernet(net.vlan(inner, 42), dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
            add(net.ethernet(outer(net.vxlan(frame), **where)))
            add(net.ethernet(outer(net.vxlan(tagged, vni=0xffffff), **where)))
            add(net.ethernet(outer(net.geneve(frame), **where)))
            add(net.ethernet(outer(net.geneve(frame, options=OPTION + OPTION, critical=1, vni=1), **where)))
            add(net.ethernet(outer(net.geneve(frame, options=bytes(252)), **where)))
            add(net.ethernet(outer(net.geneve(inner), **where)))
            for form in ({}, {"key": 0x11223344}, {"sequence": 7}, {"checksum": True},
                         {"key": 1, "sequence": 0xffffffff, "checksum": True}):
                add(net.ethernet(outer(net.gre(inner, **form), **where)))
                add(net.ethernet(outer(net.gre(frame, **form), **where)))
            twice = net.ethernet(net.ipv4(net.vxlan(frame, vni=2)), dst="02:00:00:00:01:02")
            add(net.ethernet(outer(net.geneve(twice, vni=3), **where)))
    return capture


def pseudowire_frames(add):
    """Ethernet with RoCE over MPLS: RFC 4448, with one label and three, with and without control word."""
    for inner in (net.roce_v2(send(psn=4)), net.roce_v2(send(psn=6), version=6), net.vlan(net.roce_v2(send(psn=42)), 42),
                  net.vlan(net.vlan(net.roce_v2(send(psn=43), version=6), 43), 44, tpid=0x88a8), ib.roce_v1(send(psn=1))):
        frame = net.ethernet(inner)
        for carried in (frame, net.control_word(frame), net.control_word(frame, 1), net.control_word(frame, 0xffff)):
            for outer in (net.mpls(carried, 16), net.mpls(net.mpls(net.mpls(carried, 0xfffff, exp=7, ttl=1), 18, 0), 17, 0, 3, 255)):
                add(outer)


def pseudowires():
    capture = Capture("pseudowires", 1, "RoCE in Ethernet over MPLS, with and without control word; MPLS in GRE, IP and UDP")

    def add(piece):
        capture.add(piece.forget("ip.version", "ipv6.version"))

    pseudowire_frames(lambda piece: add(net.ethernet(piece)))
    pseudowire_frames(lambda piece: add(net.ethernet(net.vlan(piece, 7))))
    frame = net.control_word(net.ethernet(net.roce_v2(send(psn=5))), 5)
    for carried in (frame, net.roce_v2(send(psn=7)), net.roce_v2(send(psn=8), version=6)):
        stack = net.mpls(net.mpls(carried, 1000), 1001, 0)
        for outer in (net.ipv4, net.ipv6):
            where = {"src": "172.16.0.1", "dst": "172.16.0.2"} if outer is net.ipv4 else {"src": "fd01::1", "dst": "fd01::2"}
            add(net.ethernet(outer(net.gre(stack), **where)))
            add(net.ethernet(outer(stack.around(b"", (), 137), **where)))
            add(net.ethernet(outer(net.udp(stack, 0xd003, 6635), **where)))
    return capture


def pseudowire_addresses():
    """Without control word, the first four bits of a MAC address can be those of an IP version, of a control word or of a channel."""
    capture = Capture("pseudowire-addresses", 1, "RoCE in Ethernet over MPLS and GTP-U: MAC addresses that begin as IP headers and control words do")
    for first in (0x00, 0x02, 0x0e, 0x10, 0x24, 0x40, 0x44, 0x4c, 0x60, 0x64, 0x6e, 0xfe):
        for second in (0x00, 0x45):
            for inner in (net.roce_v2(send(psn=4)), net.vlan(net.roce_v2(send(psn=6), version=6), 42)):
                frame = net.ethernet(inner, dst="%02x:%02x:00:64:00:02" % (first, second), src="%02x:%02x:00:64:00:01" % (first, second))
                capture.add(net.ethernet(net.mpls(frame, 16)))
                capture.add(net.ethernet(net.mpls(net.control_word(frame, 1), 16)))
                capture.add(net.ethernet(net.ipv4(net.gtp(frame), src="172.16.0.1", dst="172.16.0.2")).forget("ip.version", "ipv6.version"))
    # IP whose addresses look like an Ethertype
    for source in ("8.0.69.1", "134.221.96.1", "129.0.0.1", "137.21.96.1"):
        capture.add(net.ethernet(net.mpls(net.roce_v2(send(psn=9), src=source), 20)))
    for source in ("fd00:0:800:4500::1", "fd00:0:86dd:6000::1", "fd00:0:8915:6000::1"):
        capture.add(net.ethernet(net.mpls(net.roce_v2(send(psn=9), version=6, src=source), 20)))
    return capture


def encapsulations():
    """Each header with IPv4, IPv6, RoCE v1 and a tag in it, the extremes of its numbers, and what it carries besides."""
    capture = Capture("encapsulations", 1, "RoCE in LLC/SNAP, PPPoE, 802.1ah, VN-Tag, E-Tag, HSR, TRILL, NSH, EtherIP, VXLAN-GPE, GTP-U, MACsec, PRP, LISP")

    def add(piece):
        capture.add(piece.forget("ip.version", "ipv6.version"))

    v4, v6 = net.roce_v2(send(psn=4)), net.roce_v2(send(psn=6), version=6)
    frame = net.ethernet(v4, dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    label = net.mpls(v4, 16)
    for inner in (v4, v6, net.vlan(v4, 42), ib.roce_v1(send(psn=1))):
        add(net.ethernet_802_3(net.llc(inner)))
        add(net.ethernet_802_3(net.llc(inner, organization=0xf8), minimum=120))
        add(net.ethernet(net.vlan(net.llc(inner), 5).forget("vlan.etype")))
        add(net.ethernet(net.service_instance(inner, 0)))
        add(net.ethernet(net.service_instance(inner, 0xffffff, 7, 1, 1, 7, "02:00:00:00:00:02", "02:00:00:00:00:01")))
        for fields in ({}, {"direction": 0, "dst": 0, "src": 0xfff}, {"dst": 0x3fff, "pointer": 1, "looped": 1, "reserved": 1, "version": 3}):
            add(net.ethernet(net.vntag(inner, **fields)))
        for fields in ({}, {"channel": 0xfff, "ingress": 0xfff, "priority": 7, "dei": 1, "group": 3, "reserved": 3, "more": (1, 255)}):
            add(net.ethernet(net.etag(inner, **fields)))
        for sequence, path in ((0, 0), (0xffff, 1), (1, 6), (2, 15)):
            add(net.ethernet(net.hsr(inner, sequence, path)))
    for inner in (v4, v6, label):
        add(net.ethernet(net.pppoe(inner)))
        add(net.ethernet(net.pppoe(inner, 0xffff), minimum=200))
        add(net.ethernet(net.vlan(net.pppoe(inner, 0), 5)))
    add(net.ethernet(net.pppoe(v4, compressed=True)))
    add(net.ethernet_802_3(net.llc(v4, sap=6)))
    for inner, number in ((v4, 1), (v6, 2), (frame, 3), (label, 5)):
        for form, context in ((1, bytes(range(16))), (2, b""), (2, b"\1\2\3\4\5\6\7\x08"), (2, b"\xff\xf6\x80\5abcde\0\0\0" + bytes(4))):
            service = net.nsh(inner, number, form, context, index=number)
            add(net.ethernet(service))
            add(net.ethernet(net.ipv4(net.vxlan_gpe(service, 4))))
        add(net.ethernet(net.nsh(net.nsh(inner, number), 4, ttl=0, path=0, index=0)))
        for outer in (net.ipv4, net.ipv6):
            where = {"src": "172.16.0.1", "dst": "172.16.0.2"} if outer is net.ipv4 else {"src": "fd01::1", "dst": "fd01::2"}
            add(net.ethernet(outer(net.vxlan_gpe(inner, number, vni=0xffffff * (number & 1)), **where)))
    for inner in (v4, v6):
        add(net.ethernet(net.ipv4(net.gre(Piece(b"\0" + (b"\x21" if inner is v4 else b"\x57") + inner.data, inner.facts), proto=0x880b))))
        for fields in ({}, {"sequence": 0xffff}, {"number": 255, "teid": 0xffffffff}, {"extensions": [(0x85, b"\0\5")]},
                       {"sequence": 1, "number": 2, "extensions": [(0xc0, b"\0\1"), (0x40, b"\x08\x68"), (0x20, bytes(10))], "teid": 0}):
            add(net.ethernet(net.ipv4(net.gtp(inner, **fields), src="172.16.0.1", dst="172.16.0.2")))
            add(net.ethernet(net.ipv6(net.gtp(inner, **fields), src="fd01::1", dst="fd01::2")))
    add(net.ethernet(net.ipv4(net.gtp(Piece(b""), sequence=7, message=1))))
    for fields in ({}, {"multi": 1, "hops": 0, "options": b"\1\2\3\4"}, {"options": bytes(range(124)), "egress": 0xffff, "ingress": 0}):
        add(net.ethernet(net.trill(frame, **fields)))
    for outer in (net.ipv4, net.ipv6):
        where = {"src": "172.16.0.1", "dst": "172.16.0.2"} if outer is net.ipv4 else {"src": "fd01::1", "dst": "fd01::2"}
        add(net.ethernet(outer(net.etherip(frame), **where)))
    secured(add, v4, v6)
    tag = (5, 1, 0), (4095, 7, 1), (0, 0, 0), (7, 3, 1)
    for count in (1, 2, 3, 4):
        add(net.ethernet(net.service_tags(v4, *tag[:count])))
        add(net.ethernet(net.service_tags(net.vlan(v6, 42), *tag[:count])))
        add(net.ethernet(net.service_tags(net.service_instance(v6, 1), *tag[:count])))
    for packet in (v4, v6):
        for fields in ({}, {"nonce": 0xffffff, "echo": 1, "reserved": 7}, {"status": 0xffffffff}, {"instance": 0xffffff, "status": 0xff},
                       {"versions": (0xfff, 1)}, {"instance": 0, "nonce": 0, "status": 0}):
            add(net.ethernet(net.ipv4(net.lisp(packet, **fields), src="172.16.0.1", dst="172.16.0.2")))
            add(net.ethernet(net.ipv6(net.lisp(packet, **fields), src="fd01::1", dst="fd01::2")))
        carried = net.ethernet(packet, dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
        for fields in ({}, {"extensions": [(0x85, b"\0\5")]}):
            add(net.ethernet(net.ipv4(net.gtp(carried, **fields), src="172.16.0.1", dst="172.16.0.2")))
    return capture


def secured(add, *packets):
    """MACsec without encryption and with it, and the trailers of two networks after frames with and without padding."""
    for packet in packets:
        for fields in ({}, {"channel": ("02:00:00:00:00:07", 1)}, {"association": 3, "end_station": 1, "broadcast": 1}):
            add(net.ethernet(net.macsec(packet, 0xffffffff, **fields)))
            add(net.ethernet(net.vlan(net.macsec(net.vlan(packet, 9), 0, **fields), 8)))
            add(net.ethernet(net.macsec(Piece(bytes(range(100))), 7, bits=3, **fields)))
        for lan, sequence in ((10, 0), (11, 0xffff)):
            add(net.prp(net.ethernet(packet), sequence, lan))
            add(net.prp(net.ethernet(net.vlan(packet, 5)), sequence, lan, tags=1))
            add(net.prp(net.ethernet(net.vlan(net.vlan(packet, 5), 6, tpid=0x88a8)), sequence, lan, tags=2, padding=33))
    for length in (2, 30, 45):
        for bits in (0, 3):
            add(net.ethernet(net.macsec(Piece(bytes(range(length)), (), 0x88b5), 8, bits=bits, short=True, after=bytes(20))))
    for bits in (1, 2):
        add(net.ethernet(net.macsec(Piece(bytes(range(100))), 9, bits=bits)))


def per_packet():
    v4, v6 = net.roce_v2(send(psn=4)), net.roce_v2(send(psn=6), version=6)
    capture = Capture("ppi", 192, "Per-Packet Information before Ethernet, IP and cooked frames")
    interface = struct.pack("<HHI", 8, 4, 3)
    for fields, flags in ((b"", 0), (interface, 0), (struct.pack("<HHII", 7, 8, 1, 0) + interface, 0), (struct.pack("<HH4x", 7, 4) + interface, 1)):
        for packet in (v4, v6):
            capture.add(net.ppi(net.ethernet(packet), 1, fields, flags))
            capture.add(net.ppi(packet, 101, fields, flags))
            capture.add(net.ppi(packet, 12, fields, flags))
            capture.add(net.ppi(net.sll(packet), 113, fields, flags))
    yield capture
    for name, order in (("nflog", "<"), ("nflog-big-endian", ">")):
        capture = Capture(name, 239, "packets logged by Netfilter, of a host with %s-endian numbers" % ("big" if order == ">" else "little"))
        for packet, family in ((v4, 2), (v6, 10)):
            head = (1, struct.pack(">HBB", packet.kind, 3, 0), [("protocol", packet.kind), ("hook", 3)])
            capture.add(net.nflog(packet, family, (), order))
            capture.add(net.nflog(packet, family, (head, (10, b"odd\0", [("prefix", "odd")]), (10, b"z\0", [("prefix", "z")])), order, resource=0xffff))
            capture.add(net.nflog(packet, family, (head, (4, b"\0\0\0\7", [("ifindex_indev", 7)]), (5, b"\0\0\0\x08", [("ifindex_outdev", 8)]),
                                                   (6, b"\0\0\1\0", [("ifindex_physindev", 256)]), (7, b"\0\0\0\1", [("ifindex_physoutdev", 1)]),
                                                   (11, bytes(4), [("uid", 0)]), (14, b"\0\0\3\xe8", [("gid", 1000)]), (2, b"abcd", []),
                                                   (3, bytes(16), [])), order))
            capture.add(net.nflog(packet, 7, (head,), order))
        capture.add(net.nflog(Piece(bytes(30)), 0, (), order))
        yield capture


def mac_control_frame(opcode, rest, *facts):
    piece = Piece(struct.pack(">H", opcode) + rest, [("macc.opcode", opcode), *facts], 0x8808)
    return net.ethernet(piece, dst="01:80:c2:00:00:01", minimum=60)


def mac_control():
    """IEEE 802.3, annex 31A: opcodes; 31B: PAUSE; 31D: priority-based flow control."""
    capture = Capture("mac-control", 1, "pause frames and priority flow control: each priority, extreme times, reserved bits; other opcodes")
    for quanta in (0, 1, 0x1234, 0xffff):
        capture.add(mac_control_frame(1, struct.pack(">H", quanta), ("macc.pause_time", quanta)))
    for vector, quanta in [(1 << i, [0xffff * (i == j) for j in range(8)]) for i in range(8)] + [
            (0, [0] * 8), (0xff, [0] * 8), (0xff, [0xffff] * 8), (0x18, [1, 2, 3, 0, 5, 6, 7, 8]), (0xa508, list(range(100, 900, 100)))]:
        facts = [("macc.cbfc.enbv", vector), ("macc.cbfc.enbv.reserved", vector >> 8)]
        facts += [("macc.cbfc.enbv.c%d" % i, vector >> i & 1) for i in range(8)]
        facts += [("macc.cbfc.pause_time.c%d" % i, time) for i, time in enumerate(quanta)]
        capture.add(mac_control_frame(0x101, struct.pack(">9H", vector, *quanta), *facts))
    for opcode in (0, 2, 3, 4, 5, 6, 0x102, 0xfffe, 0xffff):
        capture.add(mac_control_frame(opcode, bytes(44)), **{"macc.pause_time": None, "macc.cbfc.enbv": None})
    capture.add(net.ethernet(net.vlan(Piece(struct.pack(">HH", 1, 7), [("macc.opcode", 1), ("macc.pause_time", 7)], 0x8808), 5), minimum=60))
    return capture


def captures():
    yield tags()
    yield mac_control()
    yield from cooked()
    yield from loopbacks()
    yield from raw_ip()
    yield from trailing()
    yield ipv4_forms()
    yield ipv6_forms()
    yield tunnels()
    yield encapsulations()
    yield from per_packet()
    yield pseudowires()
    yield pseudowire_addresses()
