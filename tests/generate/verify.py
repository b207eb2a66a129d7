# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Finds the invariant and variant CRC in captured frames from the length fields, and checks them.

It supports only Ethernet with tags, Linux cooked, raw IP, ERF, RoCE v1 and v2, native InfiniBand.
"""
import struct

import crc

GOOD, BAD, CUT = "good", "bad", "unverifiable"


def transport_crc(make, data, transport, end, cut):
    if end < transport + 12 + 4 or end > len(data):
        return CUT if cut else None
    return GOOD if make(data[transport:end - 4]) == data[end - 4:end] else BAD


def network(data, at, ethertype, cut):
    """ICRC status of the RoCE packet whose network header begins at `at`, or None."""
    if ethertype == 0x8915 and len(data) >= at + 52:
        end = at + 40 + struct.unpack_from(">H", data, at + 4)[0]
        return transport_crc(lambda t: crc.icrc_global(data[at:at + 40], t), data, at + 40, end, cut)
    if ethertype == 0x0800 and len(data) >= at + 20:
        udp = at + (data[at] & 15) * 4
        if data[at + 9] != 17 or struct.unpack_from(">H", data, at + 6)[0] & 0x3fff:
            return None
    elif ethertype == 0x86dd and len(data) >= at + 40:
        udp = at + 40
        if data[at + 6] != 17:
            return None
    else:
        return None
    if len(data) < udp + 8 or data[udp + 2:udp + 4] != b"\x12\xb7":
        return None
    end = udp + struct.unpack_from(">H", data, udp + 4)[0]
    return transport_crc(lambda t: crc.icrc_v2(data[at:udp], data[udp:udp + 8], t), data, udp + 8, end, cut)


def ethernet(data, at, cut):
    """`at`: just after the first Ethertype."""
    while data[at - 2:at] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    return network(data, at, int.from_bytes(data[at - 2:at], "big"), cut)


def native(data, cut):
    """(ICRC status, VCRC status) of a packet that begins with an LRH."""
    lnh, end = data[1] & 3, (struct.unpack_from(">H", data, 4)[0] & 0x7ff) * 4
    if lnh == 2:
        icrc = transport_crc(lambda t: crc.icrc_local(data[:8], t), data, 8, end, cut)
    elif lnh == 3 and data[14] == 0x1b:
        icrc = transport_crc(lambda t: crc.icrc_global(data[8:48], t), data, 48, end, cut)
    else:
        icrc = None
    if len(data) < end + 2:
        return icrc, CUT if cut else None
    return icrc, GOOD if crc.vcrc(data[:end]) == data[end:end + 2] else BAD


def frame(link, data, wire):
    """(ICRC status or None, VCRC status or None) of a captured frame."""
    cut = len(data) < wire
    if link == 1:
        return ethernet(data, 14, cut), None
    if link == 113:
        return network(data, 16, int.from_bytes(data[14:16], "big"), cut), None
    if link == 276:
        return network(data, 20, int.from_bytes(data[0:2], "big"), cut), None
    if link == 101:
        return network(data, 0, 0x86dd if data[0] >> 4 == 6 else 0x0800, cut), None
    if link == 247:
        return native(data, cut)
    if link == 197 and data[8] & 0x7f in (2, 21):
        at, more, cut = 16, data[8] & 0x80, len(data) < int.from_bytes(data[10:12], "big")
        while more:
            more, at = data[at] & 0x80, at + 8
        return native(data[at:], cut) if data[8] & 0x7f == 21 else (ethernet(data, at + 16, cut), None)
    return None, None
