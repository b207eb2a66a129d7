# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iWARP with markers, which no kernel stack sends: before every word of an FPDU, with and without CRCs, captured from
the start and from the middle."""
import os
import struct
import zlib

import mpa
import net
from capture import Capture, write_truth
from piece import Piece

A, B, PORTS = "10.0.0.2", "10.0.0.1", (40000, 7174)
SYN, FIN, PSH, ACK = 2, 1, 8, 16
ISN = {"a": 0xfffffc00, "b": 1000}  # a's sequence numbers wrap
TEST_PAYLOAD = 21  # 2 + 18 + 21 bytes and a pad of 3: ten words, one with a byte and the pad, one of the CRC


def pattern(length, seed):
    return bytes((seed * 29 + i * 7) & 0xff for i in range(length))


class Conversation(Capture):
    """Segments between a and b, whose streams the caller divides."""

    def __init__(self, name, how, revision=1, crc=(0, 0), markers=(1, 1), seen_from=0):
        super().__init__(name, 1, how)
        self.revision, self.crc, self.markers, self.seen_from = revision, crc, markers, seen_from
        # the receiver requests markers; CRCs are used if either end requests them (RFC 5044, 7.1.1)
        self.streams = {"a": mpa.Stream(markers[1], any(crc)), "b": mpa.Stream(markers[0], any(crc))}
        self.sent = {"a": 0, "b": 0}
        self.first = {"a": None, "b": None}
        self.messages = []
        if not seen_from:
            self.connect()

    def segment(self, end, flags, data=b"", facts=()):
        other = "b" if end == "a" else "a"
        ports = PORTS if end == "a" else PORTS[::-1]
        head = struct.pack(">HHIIBBHHH", *ports, (ISN[end] + self.sent[end]) & 0xffffffff, (ISN[other] + self.sent[other]) & 0xffffffff,
                           0x50, flags, 512, 0, 0)
        self.sent[end] += len(data) + bool(flags & (SYN | FIN))
        tcp = Piece(head + data, [("tcp.srcport", ports[0]), ("tcp.len", len(data))] + list(facts), 6)
        self.add(net.ethernet(net.ipv4(tcp, src=A if end == "a" else B, dst=B if end == "a" else A)))
        return len(self.frames)

    def connect(self):
        self.segment("a", SYN)
        self.segment("b", SYN | ACK)
        self.segment("a", ACK)
        self.segment("a", PSH | ACK, mpa.setup(False, self.markers[0], self.crc[0], self.revision),
                     [("iwarp_mpa.marker_flag", self.markers[0]), ("iwarp_mpa.crc_flag", self.crc[0]), ("iwarp_mpa.rev", self.revision)])
        self.segment("b", PSH | ACK, mpa.setup(True, self.markers[1], self.crc[1], self.revision),
                     [("iwarp_mpa.marker_flag", self.markers[1]), ("iwarp_mpa.crc_flag", self.crc[1]), ("iwarp_mpa.rev", self.revision)])

    def flush(self, end, cuts=()):
        """Sends the new bytes in segments that end at these offsets of the stream."""
        stream, base = self.streams[end], self.first[end]
        begin = 0 if base is None else base
        for cut in [c for c in cuts if c > begin] + [len(stream.data)]:
            start = begin if begin or not self.seen_from else min(self.seen_from, cut)
            ended = [f for f in stream.fpdus if begin < f.end <= cut and (not self.seen_from or f.start >= self.seen_from)]
            number = self.segment(end, PSH | ACK, bytes(stream.data[start:cut]), [fact for f in ended for fact in f.facts] if not self.seen_from else ())
            for f in stream.fpdus:
                if f.start < cut and f.end > start:
                    f.message.setdefault("first_frame", number)
                    f.message["last_frame"] = number
            begin = cut
        self.first[end] = begin

    def finish(self):
        """Everything is acknowledged, in both directions."""
        self.segment("b", ACK)
        self.segment("a", ACK)
        return self

    def write(self, folder):
        self.rows = [{k: v for k, v in row.items() if k.startswith(("frame.number", "iwarp_"))} for row in self.rows]
        super().write(folder)
        said = []
        for end, stream in self.streams.items():
            for f in stream.fpdus:
                if f.start < self.seen_from:
                    continue
                payload, message = f.message["payload"], dict(f.message)
                del message["payload"]
                message.update(complete=True, length=len(payload), crc32="%08x" % zlib.crc32(payload), connection=1, status="good",
                               direction="a>b" if end == "a" else "b>a")
                said.append(message)
        said.sort(key=lambda m: (m["first_frame"]))
        path = os.path.join(folder, self.name)
        write_truth(path + ".messages.jsonl", said)
        write_truth(path + ".connections.jsonl", [{
            "connection": 1, "transport": "iwarp", "learned": "tcp" if self.seen_from else "mpa", "messages": len(said),
            "a": {"addr": A, "port": PORTS[0]}, "b": {"addr": B, "port": PORTS[1]}, "anomalies": {},
            "life": [] if self.seen_from else ["rdma_connect", "rdma_accept"]}])


def everywhere(capture):
    """FPDUs with a marker before every word in turn; preceding FPDUs shift the position."""
    stream = capture.streams["a"]
    place = 0
    while place < 12:
        # a Send of n bytes takes 24 bytes and n rounded up to a multiple of four, and a marker if it reaches one
        for n in range(0, 600, 4):
            length = 24 + n + (4 if stream.to_marker() < 24 + n else 0) + (4 if stream.to_marker() + 512 < 24 + n + 4 else 0)
            if (-(len(stream.data) + length)) % 512 == 4 * place:
                break
        stream.send(pattern(n, place)) if place % 3 else stream.write(0x1234, 4096 * place, pattern(n + 4, place))
        test = stream.send(pattern(TEST_PAYLOAD, place))
        if -test.start % 512 != 4 * place:
            raise ValueError("the marker is not in front of word %d" % place)
        # every other one is divided: within the marker, or within the ULPDU_Length after it
        cuts = [test.start] if place % 2 == 0 else [test.start, test.start + 4 * place + (1 if place % 4 == 1 else 5)]
        capture.flush("a", cuts)
        place += 1
    capture.streams["b"].send(pattern(700, 99))
    capture.streams["b"].send(pattern(30, 97))
    capture.streams["b"].write(0x4321, 512, pattern(9, 98))
    capture.streams["b"].send(pattern(31, 96))
    capture.flush("b")
    return capture.finish()


def captures():
    yield everywhere(Conversation("mpa_markers", "MPA revision 1 with markers, in front of each word of an FPDU; no CRCs"))
    yield everywhere(Conversation("mpa_markers-crc", "the same with revision 2, from one end only, with CRCs, which one end requested", revision=2, crc=(1, 0),
                                  markers=(0, 1)))
    yield everywhere(Conversation("mpa_markers-midstream", "markers and CRCs, seen from the middle of an FPDU on", crc=(1, 1), seen_from=37))
    yield everywhere(Conversation("mpa_markers-midstream-no-crc", "markers without CRCs, seen from the middle of an FPDU on", seen_from=37))
