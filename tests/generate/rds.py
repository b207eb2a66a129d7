# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RDS over RDMA on one queue pair, in the layout of Linux's net/rds: a header of 48 bytes before each fragment."""
import struct

PORTS = (18634, 16385)
FRAGMENT = 4096
MAP, ACK_REQUIRED, RETRANSMITTED = 1, 2, 4
VERSION, RDMA, RDMA_DEST, RDMA_BYTES, NPATHS, GEN_NUM = 1, 2, 3, 4, 5, 6


def checksum(data):
    total = sum(struct.unpack(">24H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def header(sequence=0, ack=0, length=0, ports=(0, 0), flags=0, credit=0, extensions=b""):
    parts = struct.pack(">QQIHHBB4x", sequence, ack, length, *ports, flags, credit), extensions.ljust(16, b"\0")
    return parts[0] + struct.pack(">H", checksum(parts[0] + b"\0\0" + parts[1])) + parts[1]


class End:
    """The messages of one end; `ack`: the last sequence number received."""

    def __init__(self, talk, name, port, fragment=FRAGMENT):
        self.talk, self.name, self.port, self.fragment = talk, name, port, fragment
        self.sequence, self.received, self.there = 0, 0, None

    def sends(self, *bodies):
        """[packets of a SEND, with its acknowledgement]"""
        rows = []
        for body in bodies:
            packets = self.talk.send(self.name, 0, data=body)
            rows.append(packets + [self.talk.ack(packets[-1])])
        return rows

    def message(self, data, flags=0, credit=0, extensions=b"", ports=None, ack=None):
        """The SENDs of a message, one for each fragment."""
        self.sequence += 1
        self.there.received = self.sequence
        front = header(self.sequence, self.received if ack is None else ack, len(data), ports or (self.port, self.there.port), flags, credit, extensions)
        return self.sends(*(front + data[at:at + self.fragment] for at in range(0, max(1, len(data)), self.fragment)))

    def acknowledge(self, credit=0):
        return self.sends(header(ack=self.received, credit=credit))

    def congestion(self, *ports):
        bitmap = bytearray(8192)
        for port in ports:
            bitmap[port // 8] |= 1 << port % 8
        front = header(ack=self.received, length=len(bitmap), flags=MAP)
        return self.sends(*(front + bytes(bitmap[at:at + self.fragment]) for at in range(0, len(bitmap), self.fragment)))


def pair(talk, fragment=FRAGMENT):
    a, b = End(talk, "a", 4001, fragment), End(talk, "b", 4000, fragment)
    a.there, b.there = b, a
    return a, b
