# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every opcode and header of the InfiniBand transport, in every encapsulation of RoCE and InfiniBand."""
import ib
import net
from capture import Capture

# ERF time stamps: 32.32 fixed point of Capture's times is not exact, so whole seconds are used
ERF_START = 1700000000


EXTENDED = ("rdeth.eecnxt", "deth.q_key", "xrceth.srq", "reth.va", "atomiceth.swapdt", "aeth.syndrome",
            "atomicacketh.origremdt", "feth.plt", "immdt", "ieth")


def every_opcode():
    """All 256, reserved ones too, for which only the BTH is defined."""
    capture = Capture("roce-v2-opcodes", 1, "all 256 BTH opcodes over RoCE v2, IPv4")
    for opcode in range(256):
        frame = ethernet_v2(ib.transport(opcode, psn=opcode * 65793, destqp=0x100 + opcode))
        there = {name for name, _ in frame.facts}
        # FLUSH and ATOMIC WRITE may be defined for more services than this generator knows
        absent = {} if ib.layout(opcode) is None and opcode & 0x1f in (0x1c, 0x1d) else {
            "infiniband." + name: None for name in EXTENDED if "infiniband." + name not in there}
        capture.add(frame, **absent)
    return capture


def every_known():
    for opcode in range(256):
        if ib.layout(opcode):
            yield ib.transport(opcode, psn=0xffff00 + opcode, a=opcode & 1, se=opcode >> 1 & 1)


def variations():
    """Bits of the BTH, pads, and extreme values of every extended header."""
    for name in ("se", "m", "fecn", "becn", "a"):
        for opcode in (0x04, 0x11):
            yield ib.transport(opcode, **{name: 1})
    yield ib.transport(0x04, tver=15, reserved6=0x3f, reserved7=0x7f, p_key=0)
    yield ib.transport(0x04, reserved6=0x2a, reserved7=0x55, p_key=0x8001, fecn=1, becn=1, se=1, m=1, a=1)
    for length in (0, 1, 2, 3, 4, 5, 255, 256):
        for opcode in (0x04, 0x0a, 0x10, 0x64):
            yield ib.transport(opcode, payload=bytes(i * 7 & 255 for i in range(length)))
    for value in (0, 1, 0x7fffff, 0x800000, 0xffffff):
        yield ib.transport(0x17, psn=value, destqp=value, ieth="%08x" % value)
    for value in (0, 1, 0x7fffffff, 0x80000000, 0xffffffff):
        yield ib.transport(0x0b, va=value << 32 | value, r_key=value, dmalen=value, immdt="%08x" % value)
        yield ib.transport(0x13, va=value, r_key=value, swapdt=value << 32, cmpdt=value)
        yield ib.transport(0x12, origremdt=value << 32 | value, msn=value & 0xffffff)
        yield ib.transport(0x65, q_key=value, srcqp=value & 0xffffff, immdt="%08x" % value)
        yield ib.transport(0xa4, srq=value & 0xffffff, xrc_reserved=value & 0xff)
        yield ib.transport(0x4c, eecnxt=value & 0xffffff)
    for sel in range(4):
        for plt in (0, 1, 2, 3, 15):
            yield ib.transport(0x1c, sel=sel, plt=plt, feth_reserved=0 if plt < 15 else 0x3ffffff)


def syndromes():
    for syndrome in range(256):
        yield ib.transport(0x11, syndrome=syndrome, msn=syndrome * 65793)


def selection():
    """A sample of all packets, for encapsulations that are not tested with every opcode."""
    for opcode in (0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x11, 0x12, 0x13, 0x14, 0x15,
                   0x16, 0x17, 0x1c, 0x1d, 0x24, 0x2a, 0x40, 0x44, 0x4c, 0x4e, 0x50, 0x51, 0x53, 0x55, 0x64, 0x65,
                   0x80, 0x81, 0xa3, 0xac, 0xad, 0xae, 0xb1, 0xb3, 0xb7):
        yield ib.transport(opcode, psn=0x800000 | opcode, fecn=opcode & 1, becn=opcode >> 1 & 1, m=opcode >> 2 & 1)
    for length in (0, 1, 2, 3):
        yield ib.transport(0x04, payload=b"abc"[:length])
    for syndrome in (0x00, 0x1f, 0x20, 0x3f, 0x40, 0x60, 0x61, 0x62, 0x63, 0x64, 0x80, 0xff):
        yield ib.transport(0x11, syndrome=syndrome)


def over(capture, packets, dress):
    for packet in packets:
        capture.add(dress(packet))
    return capture


def ethernet_v2(packet, **ip):
    return net.ethernet(net.roce_v2(packet, **ip))


def bad_icrcs(capture, dress):
    for bits in (1, 1 << 31, 0xffffffff):
        capture.add(dress(ib.transport(0x04), bits))


GLOBAL = {"sgid": "fe80::2:c903:a:b", "dgid": "ff12:401b:ffff::ffff:ffff", "tclass": 0x5a, "flowlabel": 0xabcde, "hoplmt": 63}


def roce():
    yield every_opcode()
    yield over(Capture("roce-v2-variations", 1, "BTH bits, pads, extreme values of each extended header over RoCE v2"),
               variations(), ethernet_v2)
    yield over(Capture("roce-v2-syndromes", 1, "all 256 AETH syndromes"), syndromes(), ethernet_v2)
    capture = over(Capture("roce-v2-ipv6", 1, "every known opcode over RoCE v2, IPv6; bad ICRCs"), every_known(),
                   lambda p: ethernet_v2(p, version=6, tclass=0x6a, flow=0xfedcb))
    bad_icrcs(capture, lambda p, bits: ethernet_v2(p, version=6, bad=bits))
    bad_icrcs(capture, lambda p, bits: ethernet_v2(p, bad=bits))
    yield capture
    capture = over(Capture("roce-v1", 1, "opcodes and syndromes over RoCE v1 (GRH under 0x8915); bad ICRCs"), selection(),
                   lambda p: net.ethernet(ib.roce_v1(p, **GLOBAL)))
    bad_icrcs(capture, lambda p, bits: net.ethernet(ib.roce_v1(p, bad=bits)))
    yield capture


IPV4_UDP = {"src": "192.0.2.1", "dst": "192.0.2.2"}


def natives(dress=lambda p: p):
    """Native packets: local and global, raw, with bad CRCs, with LRH fields at their extremes."""
    for i, packet in enumerate(selection()):
        yield dress(ib.native(packet, route=GLOBAL if i & 1 else None, vl=i & 15, sl=i >> 1 & 15))
    for route in (None, GLOBAL):
        yield dress(ib.native(ib.transport(0x04), route, bad_icrc=1))
        yield dress(ib.native(ib.transport(0x04), route, bad_vcrc=0x8000))
        yield dress(ib.native(ib.transport(0x04), route, vl=15, sl=15, reserved2=3, reserved5=31, dlid=0xffff, slid=0))
    yield dress(ib.raw(net.ipv4(net.udp(ib.Piece(b"raw with an Ethertype"), 7, 9), **IPV4_UDP), ethertype=0x0800))
    yield dress(ib.raw(net.ipv6(net.udp(ib.Piece(b"raw IPv6"), 7, 9))))
    yield dress(ib.raw(ib.Piece(b"no such type"), ethertype=0x88b5))


def infiniband():
    capture = Capture("infiniband-lrh", 247, "native InfiniBand (LRH): local, global, raw; bad ICRC and VCRC")
    for piece in natives():
        capture.add(piece)
    yield capture
    capture = Capture("infiniband-no-vcrc", 247, "native InfiniBand captured without the VCRC")
    for i, packet in enumerate(selection()):
        capture.add(ib.native(packet, route=GLOBAL if i & 1 else None, with_vcrc=False),
                    **{"infiniband.variant.crc": None})
    yield capture


class Records:
    """Wraps packets into ERF records with rising time stamps, whole seconds apart."""

    def __init__(self):
        self.seconds = ERF_START

    def __call__(self, piece, type=21, **fields):
        self.seconds += 1
        return net.erf(piece, type, self.seconds << 32, **fields)


def endace():
    record = Records()
    capture = Capture("erf", 197, "ERF: InfiniBand (21) and Ethernet (2) records, with extension headers")
    for piece in natives(record):
        capture.add(piece)
    packet = ib.native(ib.transport(0x0b))
    for count in (1, 2, 7):
        capture.add(record(packet, extensions=[bytes([3 + i, 0, 0, 0, 0, 0, 0, i]) for i in range(count)], lctr=count))
    frame = net.ethernet(net.roce_v2(ib.transport(0x0a)), fcs=True)
    capture.add(record(frame, type=2, eth_offset=0))
    capture.add(record(frame, type=2, eth_offset=0, extensions=[bytes([3, 1, 2, 3, 4, 5, 6, 7])], flags=5))
    capture.add(record(net.ethernet(net.roce_v2(ib.transport(0x11)), minimum=60, fcs=True), type=2, eth_offset=0, flags=6))
    for row in capture.rows:
        del row["frame.len"], row["frame.cap_len"], row["frame.time_epoch"]  # of the record or of its packet: both are correct
    yield capture


def over_ipoib():
    capture = Capture("ipoib", 242, "IP over InfiniBand (LINKTYPE_IPOIB): UDP over IPv4 and IPv6, an unknown Ethertype")
    capture.add(net.ipoib(net.ipv4(net.udp(ib.Piece(b"over IPoIB"), 1000, 2000))))
    capture.add(net.ipoib(net.ipv6(net.udp(ib.Piece(b"over IPoIB"), 1000, 2000))))
    capture.add(net.ipoib(ib.Piece(bytes(20), (), 0x88b5)))
    yield capture


def captures():
    yield from roce()
    yield from infiniband()
    yield from endace()
    yield from over_ipoib()
