# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""One bit of every byte flipped, and truncated frames, with the expected CRC status.

Flips that change the type of the packet (versions, lengths, types, the UDP destination port) are omitted:
there the status depends on where a program expects the CRC.
"""
import ib
import net
from capture import Capture
from piece import Piece

# Per header: {byte: bits} that the CRC does not cover; bits omitted from the test. All others are covered.
IPV4 = ({1: 0xff, 8: 0xff, 10: 0xff, 11: 0xff}, {0: 0xff, 2: 0xff, 3: 0xff, 6: 0x3f, 7: 0xff, 9: 0xff})
IPV6 = ({0: 0x0f, 1: 0xff, 2: 0xff, 3: 0xff, 7: 0xff}, {0: 0xf0, 4: 0xff, 5: 0xff, 6: 0xff})
UDP = ({6: 0xff, 7: 0xff}, {2: 0xff, 3: 0xff, 4: 0xff, 5: 0xff})
BTH = ({4: 0xff}, {})
ETHERNET = ({i: 0xff for i in range(12)}, {12: 0xff, 13: 0xff})
LRH_STRUCTURE = {0: 0x0f, 1: 0x03, 4: 0x07, 5: 0xff}
LRH_LOCAL = ({0: 0xf0}, LRH_STRUCTURE)
LRH_GLOBAL = ({i: 0xff for i in range(8)}, LRH_STRUCTURE)
REST, AFTER = ({}, {}), ({i: 0xff for i in range(8)}, {})


def bits_to_flip(offset, masked, structure):
    """All bits of a byte that has several kinds of bits, else one."""
    usable = [bit for bit in range(8) if not structure >> bit & 1]
    return usable if masked or len(usable) < 8 else [offset * 3 % 8]


def flips(frame, headers):
    """(frame with one bit flipped, whether the ICRC covers it); headers: (length, (masked, structure))."""
    offset = 0
    for length, (masked, structure) in headers:
        for i in range(length):
            for bit in bits_to_flip(offset, masked.get(i, 0) not in (0, 0xff), structure.get(i, 0)):
                data = bytearray(frame.data)
                data[offset] ^= 1 << bit
                yield data, not masked.get(i, 0) >> bit & 1
            offset += 1
    if offset != len(frame.data):
        raise ValueError("%d bytes described of %d" % (offset, len(frame.data)))


ICRC, VCRC = "infiniband.invariant.crc.status", "infiniband.variant.crc.status"


def flipped(name, link, how, frame, headers, vcrc_at=None):
    capture = Capture(name, link, how)
    capture.add(Piece(frame.data, [f for f in frame.facts if f[0] in (ICRC, VCRC)]))
    for data, covered in flips(frame, headers):
        facts = [(ICRC, "bad" if covered else "good")]
        capture.add(Piece(data, facts + ([(VCRC, "bad")] if vcrc_at is not None else [])))
    # Truncated after the BTH, but before the last byte of the CRC
    end = len(frame.data) if vcrc_at is None else vcrc_at
    bth_end = sum(length for length, _ in headers[:[rules for _, rules in headers].index(BTH) + 1])
    for cut in range(bth_end, end):
        facts = [(ICRC, "unverifiable")] + ([(VCRC, "unverifiable")] if vcrc_at is not None else [])
        capture.add(Piece(frame.data, facts), cut=cut)
    if vcrc_at is not None:
        capture.add(Piece(frame.data, [(VCRC, "unverifiable")]), cut=end)
        capture.add(Piece(frame.data, [(VCRC, "unverifiable")]), cut=end + 1)
    return capture


def captures():
    packet = ib.transport(0x0a, payload=b"payload and pad")
    body = (len(packet.data) - 12 + 4, REST)
    how = "one bit of every byte flipped, and truncation at every byte after the BTH: "
    yield flipped("icrc-v2-ipv4", 1, how + "RoCE v2, IPv4", net.ethernet(net.roce_v2(packet)),
                  [(14, ETHERNET), (20, IPV4), (8, UDP), (12, BTH), body])
    yield flipped("icrc-v2-ipv6", 1, how + "RoCE v2, IPv6", net.ethernet(net.roce_v2(packet, version=6, tclass=3, flow=5)),
                  [(14, ETHERNET), (40, IPV6), (8, UDP), (12, BTH), body])
    yield flipped("icrc-v1", 1, how + "RoCE v1", net.ethernet(ib.roce_v1(packet)),
                  [(14, ETHERNET), (40, IPV6), (12, BTH), body])
    local, routed = ib.native(packet), ib.native(packet, route={})
    yield flipped("icrc-local", 247, how + "InfiniBand without a GRH, with its VCRC", local,
                  [(8, LRH_LOCAL), (12, BTH), body, (2, AFTER)], len(local.data) - 2)
    yield flipped("icrc-global", 247, how + "InfiniBand with a GRH, with its VCRC", routed,
                  [(8, LRH_GLOBAL), (40, IPV6), (12, BTH), body, (2, AFTER)], len(routed.data) - 2)
