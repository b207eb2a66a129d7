# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A connection of iWARP with the methods of conversation.Connection that upper layers use, so that nvme.Host and scsi.Iser also generate
FPDUs. RFC 5044, 5041, 5040. Packets are made when they are put: streams are in order, and nothing is lost."""
import struct

import capfile
import mpa
import net
from piece import Piece

A, B = "10.0.0.2", "10.0.0.1"
SYN, PSH, ACK = 2, 8, 16
ISN = {"a": 1000, "b": 0xfffffc00}  # b's sequence numbers wrap
WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INVALIDATE = 0, 1, 2, 3, 4
LAST = 0x40
SINK = 0x5111


class Stream(mpa.Stream):
    """With all operations, in segments of at most `segment` bytes."""

    def __init__(self, crc=False, segment=1024):
        super().__init__(False, crc)
        self.segment, self.reads = segment, 1

    def untagged(self, opcode, queue, number, data, key=0):
        for at in range(0, max(len(data), 1), self.segment):
            part = data[at:at + self.segment]
            last = LAST if at + self.segment >= len(data) else 0
            self.add(struct.pack(">BBIIII", 1 | last, 0x40 | opcode, key, queue, number, at), part, [], {})

    def tagged(self, opcode, key, address, data):
        for at in range(0, len(data), self.segment):
            last = LAST if at + self.segment >= len(data) else 0
            self.add(struct.pack(">BBIQ", 0x81 | last, 0x40 | opcode, key, address + at), data[at:at + self.segment], [], {})

    def say(self, data, key):
        self.untagged(SEND_INVALIDATE if key else SEND, 0, self.msn, data, key or 0)
        self.msn += 1

    def ask(self, length, key, address):
        self.untagged(READ_REQUEST, 1, self.reads, struct.pack(">IQIIQ", SINK, 0, length, key, address))
        self.reads += 1


class Connection:
    """`a` connects to the port. together: bytes of a segment, which may hold several FPDUs or a part; 0: one FPDU per segment."""

    def __init__(self, port, crc=False, segment=1024, together=0, setup=True):
        self.ports, self.together = (40000, port), together
        self.streams = {"a": Stream(crc, segment), "b": Stream(crc, segment)}
        self.sent, self.out = {"a": 0, "b": 0}, {"a": 0, "b": 0}
        self.frames = []
        for end, flags, data in (("a", SYN, b""), ("b", SYN | ACK, b""), ("a", ACK, b""), ("a", PSH | ACK, mpa.setup(False, 0, crc, 1)),
                                 ("b", PSH | ACK, mpa.setup(True, 0, crc, 1))) if setup else ():
            self.frame(end, flags, data)

    def frame(self, end, flags, data=b""):
        other, ports = ("b", self.ports) if end == "a" else ("a", self.ports[::-1])
        head = struct.pack(">HHIIBBHHH", *ports, (ISN[end] + self.sent[end]) & 0xffffffff, (ISN[other] + self.sent[other]) & 0xffffffff,
                           0x50, flags, 512, 0, 0)
        self.sent[end] += len(data) + bool(flags & SYN)
        piece = net.ethernet(net.ipv4(Piece(head + data, [], 6), src=A if end == "a" else B, dst=B if end == "a" else A))
        self.frames.append(piece.data)

    def flush(self, end):
        data = bytes(self.streams[end].data[self.out[end]:])
        size = self.together or 1448
        for at in range(0, len(data), size):
            self.frame(end, PSH | ACK, data[at:at + size])
        self.out[end] += len(data)

    def put(self, *packets):
        for end, method, arguments in packets:
            if method == "ack":
                continue
            fpdus = len(self.streams[end].fpdus)
            getattr(self.streams[end], method)(*arguments)
            if self.together:
                self.flush(end)
                continue
            for fpdu in self.streams[end].fpdus[fpdus:]:
                self.frame(end, PSH | ACK, bytes(self.streams[end].data[fpdu.start:fpdu.end]))
            self.out[end] = len(self.streams[end].data)

    def send(self, end, _offset, data=b"", inv=None):
        return [(end, "say", (data, inv))]

    def ack(self, _packet):
        return ("a", "ack", ())

    def write(self, end, length, key, address, data=b""):
        assert len(data) == length
        return [(end, "tagged", (WRITE, key, address, data))]

    def read(self, end, length, key, address, data):
        assert len(data) == length
        other = "b" if end == "a" else "a"
        return (end, "ask", (length, key, address)), [(other, "tagged", (READ_RESPONSE, SINK, 0, data))]

    def write_capture(self, path):
        capfile.write_pcap(path, 1, [(1_700_000_000_000_000_000 + i * 10_000, frame, len(frame)) for i, frame in enumerate(self.frames)])
