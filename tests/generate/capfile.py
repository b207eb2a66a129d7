# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Minimal reader and writer of capture files: pcap and pcapng (reads gzip'd files too)."""
import gzip
import struct

NANO, MICRO = 0xa1b23c4d, 0xa1b2c3d4


def write_pcap(path, link_type, frames, order="<", nano=True, snap=262144, fcs_bytes=0):
    """frames: (time in ns, captured bytes, length on the wire)."""
    network = link_type | (fcs_bytes // 2 << 28 | 1 << 26 if fcs_bytes else 0)
    header = struct.Struct(order + "IIII").pack
    with open(path, "wb") as f:
        f.write(struct.pack(order + "IHHiIII", NANO if nano else MICRO, 2, 4, 0, 0, snap, network))
        for time, data, wire in frames:
            seconds, part = divmod(time, 1000000000)
            f.write(header(seconds, part if nano else part // 1000, len(data), wire) + data)


def pad4(data):
    return data + bytes(-len(data) % 4)


class Pcapng:
    """Builds one section after the other; order is '<' or '>'."""

    def __init__(self):
        self.data = bytearray()
        self.order = "<"

    def block(self, kind, body):
        length = 12 + len(pad4(body))
        self.data += struct.pack(self.order + "II", kind, length) + pad4(body) + struct.pack(self.order + "I", length)

    def options(self, options):
        """options: (code, bytes) in order."""
        body = b"".join(struct.pack(self.order + "HH", code, len(value)) + pad4(value) for code, value in options)
        return body + bytes(4) if options else b""

    def section(self, order="<", options=(), length=-1):
        self.order = order
        self.block(0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, length) + self.options(options))

    def interface(self, link_type, snap=0, options=()):
        self.block(1, struct.pack(self.order + "HHI", link_type, 0, snap) + self.options(options))

    def packet(self, interface, ticks, data, wire=None, options=()):
        self.block(6, struct.pack(self.order + "IIIII", interface, ticks >> 32, ticks & 0xffffffff, len(data),
                                  len(data) if wire is None else wire) + pad4(data) + self.options(options))

    def simple_packet(self, data, wire):
        self.block(3, struct.pack(self.order + "I", wire) + data)

    def old_packet(self, interface, ticks, data, wire, drops=0xffff, options=()):
        self.block(2, struct.pack(self.order + "HHIIII", interface, drops, ticks >> 32, ticks & 0xffffffff, len(data),
                                  wire) + pad4(data) + self.options(options))

    def statistics(self, interface, ticks, options):
        self.block(5, struct.pack(self.order + "III", interface, ticks >> 32, ticks & 0xffffffff) + self.options(options))

    def write(self, path):
        with open(path, "wb") as f:
            f.write(self.data)


def open_capture(path):
    with open(path, "rb") as f:
        packed = f.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if packed else open(path, "rb")


def read(path):
    """Yields (link type, captured bytes, length on the wire) of every frame."""
    for _, link, data, wire in timed(path):
        yield link, data, wire


def timed(path):
    """Yields (time in ns, link type, captured bytes, length on the wire) of every frame."""
    with open_capture(path) as f:
        data = f.read()
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        yield from timed_pcapng(data)
        return
    order = next((o for o in "<>" if struct.unpack(o + "I", data[:4])[0] in (NANO, MICRO)), None)
    if order is None:
        raise ValueError("%s: neither pcap nor pcapng" % path)
    unit = 1 if struct.unpack(order + "I", data[:4])[0] == NANO else 1000
    link = struct.unpack(order + "I", data[20:24])[0] & 0xffff
    header, at = struct.Struct(order + "IIII"), 24
    while at + 16 <= len(data):
        seconds, part, captured, wire = header.unpack_from(data, at)
        yield seconds * 10**9 + part * unit, link, data[at + 16:at + 16 + captured], wire
        at += 16 + captured


def resolution(options, order):
    """Ticks per second of an interface with these options: if_tsresol is 9."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(order + "HH", options, at)
        if code == 9:
            return 2**(options[at + 4] & 0x7f) if options[at + 4] & 0x80 else 10**options[at + 4]
        at += 4 + length + -length % 4
    return 10**6


def timed_pcapng(data):
    at, order, interfaces, time = 0, "<", [], 0
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order, interfaces = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">", []
        kind, length = struct.unpack_from(order + "II", data, at)
        if length < 12:
            raise ValueError("pcapng block of %d bytes at offset %d" % (length, at))
        if kind == 1:
            interfaces.append((struct.unpack_from(order + "H", data, at + 8)[0], resolution(data[at + 16:at + length - 4], order)))
        elif kind in (2, 6):
            interface, high, low, captured, wire = struct.unpack_from(order + ("IIIII" if kind == 6 else "HxxIIII"), data, at + 8)
            link, ticks = interfaces[interface]
            time = (high << 32 | low) * 10**9 // ticks
            yield time, link, data[at + 28:at + 28 + captured], wire
        elif kind == 3:
            wire = struct.unpack_from(order + "I", data, at + 8)[0]
            yield time, interfaces[0][0], data[at + 12:at + 12 + min(wire, length - 16)], wire
        at += length
