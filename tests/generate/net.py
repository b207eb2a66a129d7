# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Headers outside of InfiniBand packets: link layers, IP, UDP, tunnels. Each function names its standard."""
import functools
import struct

import crc
from ib import invariant
from piece import Piece, address, address_text, mac, put

ROCE_PORT = 4791


# IP

@functools.lru_cache(maxsize=4096)
def ipv4_header(length, proto, src="10.1.2.3", dst="10.4.5.6", dsfield=0, ident=0x1a2b, rb=0, df=1, mf=0, frag_offset=0,
                ttl=64, options=b"", hdr_len=None, total=None, version=4,
                bad_checksum=0):
    """RFC 791, for `length` bytes after it: bytes, facts. frag_offset is given in bytes; options fill whole words."""
    words = 5 + len(options) // 4
    total = words * 4 + length if total is None else total
    ihl = words if hdr_len is None else hdr_len // 4
    head = put((version, 4), (ihl, 4), (dsfield, 8), (total, 16), (ident, 16), (rb, 1), (df, 1), (mf, 1),
               (frag_offset // 8, 13), (ttl, 8), (proto, 8), (0, 16)) + address(src) + address(dst) + options
    checksum = crc.internet(head) ^ bad_checksum
    facts = [("version", version), ("hdr_len", ihl * 4), ("dsfield", dsfield), ("dsfield.dscp", dsfield >> 2),
             ("dsfield.ecn", dsfield & 3), ("len", total), ("id", ident), ("flags.df", df), ("flags.mf", mf),
             ("frag_offset", frag_offset // 8), ("ttl", ttl), ("proto", proto), ("checksum", checksum), ("src", src),
             ("dst", dst)]
    return head[:10] + checksum.to_bytes(2, "big") + head[12:], [("ip." + n, v) for n, v in facts]


def ipv4(piece, **fields):
    head, facts = ipv4_header(len(piece.data), piece.kind, **fields)
    return piece.around(head, facts, 0x0800)


def ipv6_header(length, nxt, src="fd00::1:203", dst="fd00::4:506", tclass=0, flow=0, hlim=64, plen=None, version=6):
    """RFC 8200: bytes, facts."""
    plen = length if plen is None else plen
    head = put((version, 4), (tclass, 8), (flow, 20), (plen, 16), (nxt, 8), (hlim, 8)) + address(src) + address(dst)
    facts = [("version", version), ("tclass", tclass), ("flow", flow), ("plen", plen), ("nxt", nxt), ("hlim", hlim),
             ("src", address_text(address(src))), ("dst", address_text(address(dst)))]
    return head, [("ipv6." + n, v) for n, v in facts]


def ipv6(piece, **fields):
    head, facts = ipv6_header(len(piece.data), piece.kind, **fields)
    return piece.around(head, facts, 0x86dd)


HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION = 0, 43, 44, 60


def ipv6_options(kind, nxt, padding=4):
    """Hop-by-hop or destination options with one PadN option (RFC 8200, 4.3, 4.6): bytes, facts."""
    body = bytes([1, padding]) + bytes(padding)
    head = bytes([nxt, (2 + len(body)) // 8 - 1]) + body
    name = "ipv6.hopopts" if kind == HOP_BY_HOP else "ipv6.dstopts"
    return head, [(name + ".nxt", nxt), (name + ".len", len(head) // 8 - 1)]


def ipv6_routing(nxt, hops=("fd00::77",), left=0):
    """Routing header in the layout of type 2 (RFC 6275, 6.4) with one address and no segments left: bytes, facts."""
    data = struct.pack(">BBBBI", nxt, 2 * len(hops), 2, left, 0) + b"".join(address(h) for h in hops)
    return data, [("ipv6.routing.nxt", nxt), ("ipv6.routing.len", 2 * len(hops)), ("ipv6.routing.type", 2),
                  ("ipv6.routing.segleft", left)]


def ipv6_fragment(nxt, offset, more, ident):
    """RFC 8200, 4.5: bytes, facts. offset in bytes."""
    data = put((nxt, 8), (0, 8), (offset // 8, 13), (0, 2), (more, 1), (ident, 32))
    return data, [("ipv6.fraghdr.nxt", nxt), ("ipv6.fraghdr.offset", offset // 8), ("ipv6.fraghdr.more", more),
                  ("ipv6.fraghdr.ident", ident)]


@functools.lru_cache(maxsize=4096)
def udp_header(length, srcport, dstport, checksum=0, udp_length=None):
    """RFC 768, for `length` bytes after it: bytes, facts."""
    total = 8 + length if udp_length is None else udp_length
    return (struct.pack(">HHHH", srcport, dstport, total, checksum),
            [("udp.srcport", srcport), ("udp.dstport", dstport), ("udp.length", total), ("udp.checksum", checksum)])


def udp(piece, srcport, dstport, checksum=0, length=None):
    head, facts = udp_header(len(piece.data), srcport, dstport, checksum, length)
    return piece.around(head, facts, 17)


# RoCE v2 (annex A17)

def roce_v2(packet, version=4, srcport=0xc123, checksum=0, bad=0, extensions=(), **ip):
    """IP, UDP, packet, ICRC. extensions: IPv6 extension headers, innermost last, each made by f(next header)."""
    head, udp_facts = udp_header(len(packet.data) + 4, srcport, ROCE_PORT, checksum)
    length = len(head) + len(packet.data) + 4
    if version == 4:
        network, facts = ipv4_header(length, 17, **ip)
    else:
        nxt, chain, chain_facts = 17, b"", []
        for make, number in reversed(extensions):
            data, more = make(nxt)
            nxt, chain, chain_facts = number, data + chain, more + chain_facts
        network, facts = ipv6_header(length + len(chain), nxt, **ip)
        network, facts = network + chain, facts + chain_facts
    want = crc.icrc_v2(network, head, packet.data)
    sent = (int.from_bytes(want, "big") ^ bad).to_bytes(4, "big")
    return Piece(network + head + packet.data + sent, facts + udp_facts + packet.facts + invariant(sent, want),
                 0x0800 if version == 4 else 0x86dd)


# Link layers

DST, SRC = "0c:42:a1:00:00:02", "0c:42:a1:00:00:01"


def ethernet(piece, dst=DST, src=SRC, type=None, minimum=0, fcs=False):
    """IEEE 802.3, with padding up to `minimum` bytes and an optional frame check sequence."""
    kind = piece.kind if type is None else type
    frame = (mac(dst) + mac(src) + kind.to_bytes(2, "big") + piece.data).ljust(minimum, b"\0")
    if fcs:
        frame += crc.ethernet_fcs(frame)
    return Piece(frame, [("eth.dst", dst), ("eth.src", src), ("eth.type", kind), *piece.facts])


def vlan(piece, vid, priority=0, dei=0, tpid=0x8100, etype=None):
    """One IEEE 802.1Q tag; tpid: its Ethertype (0x88a8: 802.1ad)."""
    etype = piece.kind if etype is None else etype
    data = put((priority, 3), (dei, 1), (vid, 12), (etype, 16))
    name = "ieee8021ad." if tpid == 0x88a8 else "vlan."
    facts = [(name + "priority", priority), (name + "dei", dei), (name + "id", vid)]
    if name == "vlan.":
        facts.append(("vlan.etype", etype))
    return piece.around(data, facts, tpid)


def mpls(piece, label, bottom=1, exp=0, ttl=64):
    """One label of RFC 3032; `piece`: another one, or what the label stack carries."""
    facts = [("mpls.label", label), ("mpls.exp", exp), ("mpls.bottom", bottom), ("mpls.ttl", ttl)]
    return piece.around(put((label, 20), (exp, 3), (bottom, 1), (ttl, 8)), facts, 0x8847)


def control_word(frame, sequence=0, reserved=0):
    """That of Ethernet over MPLS. RFC 4448, 4.6."""
    facts = [("pweth.cw.sequence_number", sequence)]
    return frame.around(put((0, 4), (reserved, 12), (sequence, 16)), facts, None)


def sll(piece, pkttype=0, hatype=1, address_bytes=mac(SRC)):
    """Linux cooked v1 (LINKTYPE_LINUX_SLL)."""
    data = struct.pack(">HHH", pkttype, hatype, len(address_bytes)) + address_bytes.ljust(8, b"\0")
    facts = [("sll.pkttype", pkttype), ("sll.hatype", hatype), ("sll.halen", len(address_bytes)), ("sll.src.eth", SRC),
             ("sll.etype", piece.kind)]
    return piece.around(data + piece.kind.to_bytes(2, "big"), facts, None)


def sll2(piece, pkttype=0, hatype=1, ifindex=7, address_bytes=mac(SRC)):
    """Linux cooked v2 (LINKTYPE_LINUX_SLL2)."""
    data = struct.pack(">HHIHBB", piece.kind, 0, ifindex, hatype, pkttype, len(address_bytes))
    facts = [("sll.etype", piece.kind), ("sll.ifindex", ifindex), ("sll.hatype", hatype), ("sll.pkttype", pkttype),
             ("sll.halen", len(address_bytes)), ("sll.src.eth", SRC)]
    return piece.around(data + address_bytes.ljust(8, b"\0"), facts, None)


def loopback(piece, family, order):
    """LINKTYPE_NULL: the address family in the capturing machine's byte order; LINKTYPE_LOOP: in network order."""
    return piece.around(struct.pack(order + "I", family), [], None)


def ipoib(piece, sgid="fe80::2:c903:1:2", dgid="fe80::2:c903:3:4", sqpn=0x48):
    """LINKTYPE_IPOIB: 40 bytes like a GRH with the source QPN in it, then Ethertype and reserved (RFC 4391, 6)."""
    data = put((6, 4), (0, 8), (0, 20), (0, 8), (sqpn, 24)) + address(sgid) + address(dgid)
    return piece.around(data + put((piece.kind, 16), (0, 16)), [("ipoib.type", piece.kind)], None)


def erf(piece, type, ts, flags=4, lctr=0, extensions=(), wlen=None, eth_offset=None, rlen=None):
    """Endace record (LINKTYPE_ERF). ts: 32.32 fixed point; extensions: 8 bytes each. Padded to 8 bytes."""
    kinds = b""
    for i, extension in enumerate(extensions):
        more = 0x80 if i + 1 < len(extensions) else 0
        kinds += bytes([extension[0] & 0x7f | more]) + extension[1:]
    body = kinds + (b"" if eth_offset is None else bytes([eth_offset, 0])) + piece.data
    length = 16 + len(body) + (-len(body) % 8)
    wire = len(piece.data) if wlen is None else wlen
    kind = type | (0x80 if extensions else 0)
    head = struct.pack("<Q", ts) + struct.pack(">BBHHH", kind, flags, length if rlen is None else rlen, lctr, wire)
    facts = [("erf.types.type", type), ("erf.flags.cap", flags & 3), ("erf.rlen", length), ("erf.lctr", lctr),
             ("erf.wlen", wire)]
    return Piece(head + body + bytes(-len(body) % 8), facts + piece.facts)


# Tunnels

def vxlan(frame, vni=0x123456, srcport=0xd000):
    """RFC 7348; `frame` is an Ethernet frame."""
    data = put((8, 8), (0, 24), (vni, 24), (0, 8))
    return udp(frame.around(data, [("vxlan.vni", vni)], None), srcport, 4789)


def geneve(piece, vni=0xabcdef, options=b"", proto=None, srcport=0xd001, oam=0, critical=0):
    """RFC 8926; carries a frame (proto 0x6558) or an IP packet. options: whole words."""
    proto = (piece.kind or 0x6558) if proto is None else proto
    data = put((0, 2), (len(options) // 4, 6), (oam, 1), (critical, 1), (0, 6), (proto, 16), (vni, 24), (0, 8)) + options
    facts = [("geneve.vni", vni), ("geneve.proto_type", proto)]
    return udp(piece.around(data, facts, None), srcport, 6081)


def gre(piece, key=None, sequence=None, checksum=False, proto=None):
    """RFC 2784 and 2890; proto 0x6558 carries an Ethernet frame."""
    proto = (piece.kind or 0x6558) if proto is None else proto
    head = put((int(checksum), 1), (0, 1), (int(key is not None), 1), (int(sequence is not None), 1), (0, 9), (0, 3),
               (proto, 16))
    rest = b"" if key is None else key.to_bytes(4, "big")
    rest += b"" if sequence is None else sequence.to_bytes(4, "big")
    facts = [("gre.proto", proto)]
    if checksum:
        total = crc.internet(head + bytes(4) + rest + piece.data)
        head += struct.pack(">HH", total, 0)
        facts.append(("gre.checksum", total))
    facts += [] if key is None else [("gre.key", key)]
    facts += [] if sequence is None else [("gre.sequence_number", sequence)]
    return piece.around(head + rest, facts, 47)


def vxlan_gpe(piece, next_protocol, vni=0x123456, srcport=0xd002, reserved=0):
    """draft-ietf-nvo3-vxlan-gpe-13, 3.1: VNI and next protocol valid."""
    data = put((reserved, 2), (0, 2), (1, 1), (1, 1), (0, 2), (0, 16), (next_protocol, 8), (vni, 24), (0, 8))
    facts = [("vxlan.ver", 0), ("vxlan.i_bit", 1), ("vxlan.p_bit", 1), ("vxlan.o_bit", 0), ("vxlan.next_proto", next_protocol),
             ("vxlan.vni", vni)]
    return udp(piece.around(data, facts, None), srcport, 4790)


def nsh(piece, next_protocol, form=1, context=bytes(range(16)), ttl=63, path=0x123456, index=255):
    """RFC 8300, section 2. form 1: four words of context; 2: metadata, whole words."""
    words = 2 + len(context) // 4
    data = put((0, 4), (ttl, 6), (words, 6), (form, 8), (next_protocol, 8), (path, 24), (index, 8)) + context
    facts = [("nsh.version", 0), ("nsh.ttl", ttl), ("nsh.length", words), ("nsh.mdtype", form), ("nsh.nextproto", next_protocol),
             ("nsh.spi", path), ("nsh.si", index)]
    if form == 1:
        facts += [("nsh.contextheader", context[i:i + 4].hex()) for i in range(0, len(context), 4)]
    return piece.around(data, facts, 0x894f)


def gtp(packet, sequence=None, number=None, extensions=(), message=255, teid=0x11223344, srcport=0xd004):
    """3GPP TS 29.281, 5.1. extensions: (type, content), whose length is 2 bytes less than whole words (5.2.1)."""
    flags = put((1, 3), (1, 1), (0, 1), (int(bool(extensions)), 1), (int(sequence is not None), 1), (int(number is not None), 1))
    following = [kind for kind, _ in extensions[1:]] + [0]
    rest, facts = b"", []
    if flags[0] & 7:
        rest = put((sequence or 0, 16), (number or 0, 8), (extensions[0][0] if extensions else 0, 8))
    for (_, content), after in zip(extensions, following):
        words = (len(content) + 2) // 4
        rest += bytes([words]) + content + bytes([after])
        facts.append(("gtp.ext_hdr.length", words))
    facts += [("gtp.ext_hdr.next", kind) for kind in [kind for kind, _ in extensions] + [0] * bool(extensions)]
    facts += [] if sequence is None else [("gtp.seq_number", sequence)]
    facts += [] if number is None else [("gtp.npdu_number", number)]
    length = len(rest) + len(packet.data)
    facts += [("gtp.flags", flags[0]), ("gtp.message", message), ("gtp.length", length), ("gtp.teid", teid)]
    return udp(packet.around(flags + struct.pack(">BHI", message, length, teid) + rest, facts, None), srcport, 2152)


# Between Ethernet and what it carries

def llc(piece, sap=0xaa, control=b"\x03", organization=0):
    """IEEE 802.2, 5.2; with SAP 0xaa SNAP (IEEE 802, 9.3): an organization and a type. Its kind is the length."""
    data = bytes([sap, sap]) + control
    facts = [("llc.dsap", sap), ("llc.ssap", sap), ("llc.control", int.from_bytes(control, "little"))]
    if sap == 0xaa:
        data += put((organization, 24), (piece.kind, 16))
        facts += [("llc.oui", organization), ("llc.type" if organization in (0, 0xf8) else "llc.pid", piece.kind)]
    return piece.around(data, facts, len(data) + len(piece.data))


def ethernet_802_3(piece, minimum=0):
    """A frame with a length, which its kind is."""
    frame = ethernet(piece, minimum=minimum)
    return Piece(frame.data, [f if f[0] != "eth.type" else ("eth.len", f[1]) for f in frame.facts[:3]] + frame.facts[3:])


PPP_NUMBERS = {0x0800: 0x21, 0x86dd: 0x57, 0x8847: 0x281}


def pppoe(piece, session=0x1234, compressed=False):
    """RFC 2516, section 4; the protocol of PPP in one byte if compressed (RFC 1661, 6.5)."""
    number = PPP_NUMBERS.get(piece.kind, 0xc021)
    inner = number.to_bytes(1 if compressed else 2, "big") + piece.data
    facts = [("pppoe.version", 1), ("pppoe.type", 1), ("pppoe.code", 0), ("pppoe.session_id", session),
             ("pppoe.payload_length", len(inner)), ("ppp.protocol", number)]
    return Piece(struct.pack(">BBHH", 0x11, 0, session, len(inner)) + inner, facts + piece.facts, 0x8864)


def service_instance(piece, isid, priority=0, drop=0, nca=0, reserved=0, dst=DST, src=SRC):
    """IEEE 802.1Q, 9.7."""
    data = put((priority, 3), (drop, 1), (nca, 1), (reserved, 3), (isid, 24)) + mac(dst) + mac(src) + piece.kind.to_bytes(2, "big")
    facts = [("priority", priority), ("drop", drop), ("nca", nca), ("res1", reserved >> 2), ("res2", reserved & 3), ("isid", isid),
             ("cdst", dst), ("csrc", src), ("etype", piece.kind)]
    return piece.around(data, [("ieee8021ah." + n, v) for n, v in facts], 0x88e7)


def vntag(piece, dst=5, src=7, direction=1, pointer=0, looped=0, reserved=0, version=0):
    """Cisco's VN-Tag."""
    data = put((direction, 1), (pointer, 1), (dst, 14), (looped, 1), (reserved, 1), (version, 2), (src, 12), (piece.kind, 16))
    facts = [("dir", direction), ("ptr", pointer), ("dst", dst), ("looped", looped), ("r", reserved), ("version", version), ("src", src),
             ("etype", piece.kind)]
    return piece.around(data, [("vntag." + n, v) for n, v in facts], 0x8926)


def etag(piece, channel=0x234, ingress=0x567, priority=0, dei=0, group=0, reserved=0, more=(0, 0)):
    """IEEE 802.1BR, 7.5."""
    data = put((priority, 3), (dei, 1), (ingress, 12), (reserved, 2), (group, 2), (channel, 12), (more[0], 8), (more[1], 8), (piece.kind, 16))
    facts = [("pcp", priority), ("dei", dei), ("iecid_base", ingress), ("resv", reserved), ("group", group), ("ecid_base", channel),
             ("iecid_ext", more[0]), ("ecid_ext", more[1]), ("etype", piece.kind)]
    return piece.around(data, [("etag." + n, v) for n, v in facts], 0x893f)


def hsr(piece, sequence, path=0):
    """IEC 62439-3, 5.7."""
    size = 6 + len(piece.data)
    facts = [("path", path), ("netid", path >> 1), ("laneid", path & 1), ("lsdu_size", size), ("sequence_nr", sequence), ("type", piece.kind)]
    return piece.around(put((path, 4), (size, 12), (sequence, 16), (piece.kind, 16)), [("hsr." + n, v) for n, v in facts], 0x892f)


def service_tags(piece, *tags):
    """Tags of IEEE 802.1ad in a row, from the outermost: (VLAN, priority, drop eligible). Wireshark names their VLANs in pairs."""
    data, facts = b"", []
    for i, (vid, priority, dei) in enumerate(tags):
        name = "cvid" if i % 2 else "svid" if i + 1 < len(tags) else "id"
        kind = 0x88a8 if i + 1 < len(tags) else piece.kind
        data += put((priority, 3), (dei, 1), (vid, 12), (kind, 16))
        facts += [("ieee8021ad.priority", priority), ("ieee8021ad.dei", dei), ("ieee8021ad." + name, vid)]
    return piece.around(data, facts, 0x88a8)


def macsec(piece, number, association=0, channel=None, end_station=0, broadcast=0, bits=0, short=False, icv=bytes(range(0xa0, 0xb0)), after=b""):
    """IEEE 802.1AE, clause 9. channel: system and port; bits: E and C; short: with the length of the secure data; after: the ICV."""
    data = piece.data if bits else piece.kind.to_bytes(2, "big") + piece.data
    control = end_station << 4 | int(channel is not None) << 3 | broadcast << 2 | bits
    length = len(data) if short else 0
    tag = put((control, 6), (association, 2), (length, 8), (number, 32))
    facts = [("TCI", control), ("TCI.V", 0), ("TCI.ES", end_station), ("TCI.SC", int(channel is not None)), ("TCI.SCB", broadcast),
             ("TCI.E", bits >> 1), ("TCI.C", bits & 1), ("AN", association), ("SL", length), ("PN", number)]
    if channel:
        tag += mac(channel[0]) + channel[1].to_bytes(2, "big")
        facts += [("SCI.system_identifier", channel[0]), ("SCI.port_identifier", channel[1])]
    facts += ([] if bits else [("etype", piece.kind)]) + ([("ICV", icv.hex())] if bits in (0, 3) else [])
    return Piece(tag + data + icv + after, [("macsec." + n, v) for n, v in facts] + piece.facts, 0x88e5)


def prp(frame, sequence, lan=10, tags=0, padding=0, after=b""):
    """IEC 62439-3, 4.2.7: the trailer of an Ethernet frame whose header has `tags` VLAN tags, which its size does not count."""
    size = len(frame.data) - 14 - 4 * tags + padding + 6
    facts = [("prp_sequence_nr", sequence), ("prp_lan", lan), ("prp_size", size), ("prp1_suffix", 0x88fb)]
    trailer = put((sequence, 16), (lan, 4), (size, 12), (0x88fb, 16))
    return Piece(frame.data + bytes(padding) + trailer + after, frame.facts + [("prp.trailer." + n, v) for n, v in facts])


def lisp(packet, nonce=None, status=None, versions=None, instance=None, echo=0, reserved=0, srcport=0xd005):
    """RFC 9300, 5.3."""
    flags = put((int(nonce is not None), 1), (int(status is not None), 1), (echo, 1), (int(versions is not None), 1), (int(instance is not None), 1),
                (reserved, 3))
    first = nonce if nonce is not None else (versions[0] << 12 | versions[1] if versions else 0)
    second = put((instance, 24), (status or 0, 8)) if instance is not None else put((status or 0, 32))
    facts = [("flags", flags[0]), ("flags.nonce", flags[0] >> 7), ("flags.res", reserved)]
    facts += [] if nonce is None else [("nonce", nonce)]
    facts += [("mapver", first), ("srcmapver", versions[0]), ("dstmapver", versions[1])] if versions and nonce is None else []
    facts += [] if instance is None else [("iid", instance)]
    facts += [] if status is None else [("lsb" if instance is None else "lsb8", status)]
    return udp(packet.around(flags + first.to_bytes(3, "big") + second, [("lisp-data." + n, v) for n, v in facts], None), srcport, 4341)


def ppi(piece, dlt, fields=b"", flags=0):
    """LINKTYPE_PPI. fields: whole ones, little-endian."""
    length = 8 + len(fields)
    facts = [("version", 0), ("flags", flags), ("flags.alignment", flags & 1), ("flags.reserved", flags >> 1), ("length", length), ("dlt", dlt)]
    return piece.around(struct.pack("<BBHI", 0, flags, length, dlt) + fields, [("ppi." + n, v) for n, v in facts], None)


def nflog(packet, family, attributes=(), order="<", resource=5, after=b""):
    """LINKTYPE_NFLOG: attributes (type, value, facts), then the packet as the last one; lengths and types in the capturing host's byte order."""
    data, facts = bytes([family, 0]) + resource.to_bytes(2, "big"), [("family", family), ("version", 0), ("res_id", resource)]
    for kind, value, more in attributes:
        data += struct.pack(order + "HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
        facts += [("tlv_length", 4 + len(value)), ("tlv_type", kind)] + list(more)
    facts += [("tlv_length", 4 + len(packet.data)), ("tlv_type", 9)]
    data += struct.pack(order + "HH", 4 + len(packet.data), 9) + packet.data + bytes(-len(packet.data) % 4)
    return Piece(data + after, [("nflog." + n, v) for n, v in facts] + packet.facts)


def trill(frame, egress=0x1234, ingress=0x5678, hops=63, multi=0, options=b""):
    """RFC 6325, section 3. options: whole words."""
    data = put((0, 4), (multi, 1), (len(options) // 4, 5), (hops, 6), (egress, 16), (ingress, 16)) + options
    facts = [("version", 0), ("reserved", 0), ("multi_dst", multi), ("op_len", len(options) // 4), ("hop_cnt", hops), ("egress_nick", egress),
             ("ingress_nick", ingress)] + ([("options", options.hex())] if options else [])
    return frame.around(data, [("trill." + n, v) for n, v in facts], 0x22f3)


def etherip(frame):
    """RFC 3378, section 3."""
    return frame.around(put((3, 4), (0, 12)), [("etherip.ver", 3), ("etherip.reserved", 0)], 97)
