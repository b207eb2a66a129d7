# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""InfiniBand packets of a capture, headers only, parsed independently of rdmatap and of the generator.

Supports RoCE v1 and v2 over Ethernet with tags, raw IP, Linux cooked, and native InfiniBand; no IP fragments.
"""
import collections
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "generate"))
import capfile

Packet = collections.namedtuple("Packet", "frame destination opcode destqp psn body snapped")
ROCE_PORT = 4791
NAMES = {0: "send", 1: "send", 2: "send", 3: "send", 4: "send", 5: "send", 0x16: "send", 0x17: "send",
         6: "write", 7: "write", 8: "write", 9: "write", 0xa: "write", 0xb: "write", 0xc: "read", 0x13: "atomic",
         0x14: "atomic", 0x1c: "flush", 0x1d: "atomic"}
FIRST, ONLY = (0, 6), (4, 5, 0x17, 0xa, 0xb)
RESPONSES = (0xd, 0xe, 0xf, 0x10, 0x12)
ETHERTYPE_AT = {1: 12, 113: 14, 276: 0}
HEADER = {1: 14, 113: 16, 276: 20}


def is_request(packet):
    return packet.opcode & 0xe0 != 0x80 and packet.opcode & 0x1f in NAMES


def is_response(packet):
    return packet.opcode & 0xe0 in (0, 0xa0) and packet.opcode & 0x1f in RESPONSES


def network(data, link):
    """(Ethertype, offset of the next header)"""
    if link == 101:
        return (0x86dd if data[:1] and data[0] >> 4 == 6 else 0x0800), 0
    if link not in HEADER or len(data) < HEADER[link]:
        return None, 0
    kind, at = struct.unpack_from(">H", data, ETHERTYPE_AT[link])[0], HEADER[link]
    while kind in (0x8100, 0x88a8) and len(data) >= at + 4:
        kind, at = struct.unpack_from(">H", data, at + 2)[0], at + 4
    return kind, at


def transport(data, link):
    """(destination, offset of the BTH, end of the packet with its ICRC) or None."""
    if link == 247 and len(data) >= 20:
        end = (struct.unpack_from(">H", data, 4)[0] & 0x7ff) * 4
        return (data[2:4], 8, end) if data[1] & 3 == 2 else (data[32:48], 48, end) if data[1] & 3 == 3 else None
    kind, at = network(data, link)
    if kind == 0x8915 and len(data) >= at + 52:
        return data[at + 24:at + 40], at + 40, at + 40 + struct.unpack_from(">H", data, at + 4)[0]
    if kind == 0x0800 and len(data) >= at + 20:
        udp, destination = at + (data[at] & 15) * 4, data[at + 16:at + 20]
        if data[at + 9] != 17 or struct.unpack_from(">H", data, at + 6)[0] & 0x3fff:
            return None
    elif kind == 0x86dd and len(data) >= at + 40 and data[at + 6] == 17:
        udp, destination = at + 40, data[at + 24:at + 40]
    else:
        return None
    if len(data) < udp + 20 or struct.unpack_from(">H", data, udp + 2)[0] != ROCE_PORT:
        return None
    return destination, udp + 8, udp + struct.unpack_from(">H", data, udp + 4)[0]


def packets(path):
    for number, (link, data, wire) in enumerate(capfile.read(path), 1):
        found = transport(data, link)
        if found is None or len(data) < found[1] + 12:
            continue
        destination, at, end = found
        yield Packet(number, destination, data[at], int.from_bytes(data[at + 5:at + 8], "big"),
                     int.from_bytes(data[at + 9:at + 12], "big"), data[at + 12:end - 4], len(data) < wire)


def path_mtu(found):
    """The payload length of a First or Middle among packets to one QP, or 4096 if there is none."""
    middles = [len(p.body) for p in found if p.opcode & 0x1f in (1, 7, 0xe) and p.opcode & 0xe0 != 0x80]
    return middles[0] if middles else 4096
