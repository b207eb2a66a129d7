# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A pcapng file with every kind of block that a reader must process or skip."""
import struct

import capfile
import ib
import net
from capture import epoch, write_truth
from piece import Piece, truth

SECOND = 10**9
START = 1700000000 * SECOND
COMMENT, NAME, DESCRIPTION, FILTER, RESOLUTION, OFFSET, FCS = 1, 2, 3, 11, 9, 14, 13


class Mixed:
    name, suffix = "sections", ".pcapng"
    how = ("pcapng: two sections of different byte order, link types and time resolutions, comments, statistics, "
           "all packet blocks, unknown blocks")

    def __init__(self):
        self.file, self.rows = capfile.Pcapng(), []

    def report(self, piece, time=None, cut=None, wire=None, **more):
        row = truth(piece, len(self.rows) + 1, cut, **more)
        if wire is not None:
            row["frame.len"] = wire
        if time is not None:
            row["frame.time_epoch"] = epoch(time)
        self.rows.append(row)

    def unknown(self):
        self.file.block(0x0caf, b"a block that no one knows")
        self.file.block(0x80000001, b"a block for private use")
        self.file.block(0x0caf, b"")

    def first(self):
        f = self.file
        f.section("<", [(COMMENT, b"crafted by tests/generate"), (2, b"no hardware"), (3, b"no system"), (4, b"make-captures"),
                        (COMMENT, "a second comment: \u00b5s".encode())])
        f.interface(1, 262144, [(NAME, b"nano0"), (DESCRIPTION, b"nanoseconds"), (RESOLUTION, b"\x09"),
                                (FILTER, b"\0udp port 4791")])
        f.interface(247, 0, [(NAME, b"ib0")])                                      # microseconds by default
        f.interface(113, 0, [(NAME, b"binary0"), (RESOLUTION, b"\x94"),            # 2^-20 s, with an offset
                             (OFFSET, struct.pack("<q", 1700000000)), (COMMENT, b"time counts from an offset")])
        f.interface(1, 0, [(RESOLUTION, b"\x00")])                                 # whole seconds
        f.interface(1, 0, [(RESOLUTION, b"\x0c"), (OFFSET, struct.pack("<q", 1700000000))])  # picoseconds
        f.block(4, struct.pack("<HH", 1, 15) + bytes([10, 1, 2, 3]) + b"client.tld\0\0" + bytes(4))  # names
        frame = net.ethernet(net.roce_v2(ib.transport(0x04, psn=1)))
        f.packet(0, START + 123456789, frame.data, options=[(COMMENT, b"first"), (COMMENT, b"twice"), (2, bytes(4))])
        self.report(frame, START + 123456789, **{"frame.comment": ["first", "twice"]})
        self.unknown()
        native = ib.native(ib.transport(0x0a, psn=2))
        f.packet(1, START // 1000 + 200001, native.data)
        self.report(native, START + 200001000)
        cooked = net.sll(net.roce_v2(ib.transport(0x11, psn=3)))
        f.packet(2, (1 << 20) // 4, cooked.data)
        self.report(cooked, START + SECOND // 4)
        f.packet(3, START // SECOND, frame.data)
        self.report(frame, START)
        f.packet(4, 300000007 * 1000 + 5, frame.data)
        self.report(frame, START + 300000007)
        f.statistics(0, START + SECOND, [(COMMENT, b"counts"), (2, struct.pack("<II", 1, 0)), (4, struct.pack("<Q", 1000)),
                                         (5, struct.pack("<Q", 17))])
        f.statistics(1, START // 1000, [])
        f.simple_packet(frame.data, len(frame.data))
        self.report(frame)
        f.old_packet(0, START + 400000000, frame.data, len(frame.data))
        self.report(frame, START + 400000000)
        cut = Piece(frame.data, frame.facts[:3])
        f.packet(0, START + 500000000, frame.data[:21], len(frame.data))
        self.report(cut, START + 500000000, cut=21, wire=len(frame.data))
        f.packet(0, START + 600000000, b"")
        self.report(Piece(b""), START + 600000000)

    def second(self):
        f = self.file
        f.section(">", [(COMMENT, b"the other byte order")])
        f.interface(276, 64, [(NAME, b"any"), (RESOLUTION, b"\x06"), (FCS, b"\0")])
        cooked = net.sll2(net.roce_v2(ib.transport(0x64, psn=4), version=6))
        f.packet(0, START // 1000 + 700000, cooked.data)
        self.report(cooked, START + 700000000)
        self.unknown()
        f.simple_packet(cooked.data[:64], len(cooked.data))
        self.report(Piece(cooked.data, cooked.facts[:2]), cut=64, wire=len(cooked.data))
        f.interface(1, 0, [(NAME, b"late")])  # an interface described between packets
        frame = net.ethernet(ib.roce_v1(ib.transport(0x17, psn=5)))
        f.packet(1, START // 1000 + 800000, frame.data)
        self.report(frame, START + 800000000)
        f.statistics(0, START // 1000, [(4, struct.pack(">Q", 5)), (5, struct.pack(">Q", 0))])

    def write(self, folder):
        self.first()
        self.second()
        self.file.write("%s/%s.pcapng" % (folder, self.name))
        write_truth("%s/%s.expected.jsonl" % (folder, self.name), self.rows)


class Custom:
    name, suffix = "custom-blocks", ".pcapng"
    how = "pcapng: custom blocks (0x0BAD, 0x40000BAD) between packets; they are no frames"

    def write(self, folder):
        file, rows = capfile.Pcapng(), []
        file.section()
        file.interface(1, 0, [(RESOLUTION, b"\x09")])
        frame = net.ethernet(net.roce_v2(ib.transport(0x04)))
        for number, kind in enumerate((0x0bad, 0x40000bad), 1):
            file.block(kind, struct.pack("<I", 32473) + b"custom")  # RFC 5612's number for examples
            file.packet(0, START + number, frame.data, options=[(2988, struct.pack("<I", 32473) + b"text")])
            rows.append(truth(frame, number))
            rows[-1]["frame.time_epoch"] = epoch(START + number)
        file.write("%s/%s.pcapng" % (folder, self.name))
        write_truth("%s/%s.expected.jsonl" % (folder, self.name), rows)


def captures():
    yield Mixed()
    yield Custom()
