# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures that violate the rules of iWARP, like check_captures.py for InfiniBand. `a` is the initiator."""
import struct

import capfile
import iwarp_scene
import mpa
from check_captures import breaks
from iwarp_scene import ACK, PSH, READ_REQUEST, READ_RESPONSE, SEND, SINK, SYN, WRITE

NONE = 0x3fff


def setup(reply, flags=0, revision=1, private=b"", length=None):
    """RFC 5044, 7.1.1."""
    return struct.pack(">16sBBH", b"MPA ID Rep Frame" if reply else b"MPA ID Req Frame", flags, revision,
                       len(private) if length is None else length) + private


def depths(ird=16, ord_=16, model=0, kinds=0):
    """RFC 6581, 9: A and B are the high bits of the first word, C and D of the second. kinds: B 4, C 2, D 1."""
    return struct.pack(">HH", model << 15 | (kinds >> 2 & 1) << 14 | ird, (kinds >> 1 & 1) << 15 | (kinds & 1) << 14 | ord_)


class Iwarp(iwarp_scene.Connection):
    def __init__(self, request=None, reply=None, crc=False):
        super().__init__(7174, crc=crc, setup=False)
        crc_flag = 0x40 if crc else 0
        for end, flags, data in (("a", SYN, b""), ("b", SYN | ACK, b""), ("a", ACK, b""), ("a", PSH | ACK, request or setup(False, crc_flag)),
                                 ("b", PSH | ACK, reply or setup(True, crc_flag))):
            self.frame(end, flags, data)

    def emit(self, end, head, payload=b"", change=None):
        """An FPDU; `change` alters its bytes."""
        stream = self.streams[end]
        fpdu = stream.add(head, payload, [], {})
        data = bytearray(stream.data[fpdu.start:fpdu.end])
        if change:
            change(data)
        self.frame(end, PSH | ACK, bytes(data))

    def untagged(self, end, opcode=SEND, queue=0, msn=1, offset=0, payload=b"hello", last=1, stag=0, ddp=1, rdmap=0x40, change=None):
        self.emit(end, struct.pack(">BBIIII", last << 6 | ddp, rdmap | opcode, stag, queue, msn, offset), payload, change)

    def tagged(self, end, opcode=WRITE, stag=0x5000, to=0, payload=b"data", last=1):
        self.emit(end, struct.pack(">BBIQ", 0x80 | last << 6 | 1, 0x40 | opcode, stag, to), payload)

    def request(self, end="a", msn=1, length=64):
        self.untagged(end, READ_REQUEST, 1, msn, payload=struct.pack(">IQIIQ", SINK, 0, length, 0x77, 0))

    def warm(self):
        self.untagged("a")
        self.untagged("b")
        return self


def flow(*ids, **options):
    return breaks(*ids, talk=Iwarp, **options)


@flow("mpa-crc", crc=True)
def crc(t):
    t.warm().untagged("a", msn=2, change=lambda data: data.__setitem__(-1, data[-1] ^ 1))


@flow("mpa-pad")
def pad(t):
    t.warm().untagged("a", msn=2, change=lambda data: data.__setitem__(-5, 1))


@flow("mpa-length")
def length(t):
    t.warm()
    stream = t.streams["a"]
    fpdu = stream.add(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, 2, 0), bytes(65000), [], {})
    data = bytes(stream.data[fpdu.start:fpdu.end])
    for at in range(0, len(data), 1440):
        t.frame("a", ACK, data[at:at + 1440])


@flow("mpa-private-length", request=setup(False, private=bytes(516)))
def private_length(t):
    t.warm()


@flow("mpa-revision", reply=setup(True, revision=2))
def revision(t):
    t.warm()


@flow("mpa-reserved", request=setup(False, flags=0x04))
def reserved(t):
    t.warm()


@flow("mpa-enhanced", request=setup(False, 0x10, 2, depths()), reply=setup(True, 0, 2))
def enhanced(t):
    t.warm()


@flow("mpa-model", request=setup(False, 0x10, 2, depths()), reply=setup(True, 0x10, 2, depths(model=1, kinds=4)))
def model(t):
    t.untagged("a", payload=b"")


@flow("mpa-depth", request=setup(False, 0x10, 2, depths(ird=4)), reply=setup(True, 0x10, 2, depths(ord_=5)))
def depth(t):
    t.warm()


@flow("mpa-ready", request=setup(False, 0x10, 2, depths(model=1, kinds=7)), reply=setup(True, 0x10, 2, depths(model=1, kinds=2)))
def ready(t):
    t.untagged("a")


@flow("mpa-first")
def first(t):
    t.untagged("b")
    t.untagged("a")


@flow("ddp-version")
def ddp_version(t):
    t.warm().untagged("a", msn=2, ddp=2)


@flow("ddp-reserved")
def ddp_reserved(t):
    t.warm().untagged("a", msn=2, ddp=5)


@flow("ddp-msn-start")
def msn_start(t):
    t.untagged("a", msn=7)


@flow("ddp-msn")
def msn(t):
    t.warm().untagged("a", msn=3)


@flow("ddp-offset")
def offset(t):
    t.warm().untagged("a", msn=2, payload=bytes(100), last=0)
    t.untagged("a", msn=2, offset=90)


@flow("ddp-tagged")
def tagged(t):
    t.warm().tagged("a", last=0)
    t.tagged("a", to=8)


@flow("ddp-last")
def last(t):
    t.warm().untagged("a", msn=2, last=0)
    t.untagged("a", msn=3)


@flow("rdmap-version")
def rdmap_version(t):
    t.warm().untagged("a", msn=2, rdmap=0x80)


@flow("rdmap-reserved")
def rdmap_reserved(t):
    t.warm().untagged("a", msn=2, rdmap=0x50)


@flow("rdmap-opcode")
def opcode(t):
    t.warm().untagged("a", opcode=13, msn=2)


@flow("rdmap-queue")
def queue(t):
    t.warm().untagged("a", queue=1, msn=2)


@flow("rdmap-stag")
def stag(t):
    t.warm().untagged("a", msn=2, stag=5)


@flow("rdmap-single")
def single(t):
    t.warm().untagged("a", READ_REQUEST, 1, 1, payload=struct.pack(">IQIIQ", SINK, 0, 64, 0x77, 0) + bytes(4))


@flow("rdmap-unrequested")
def unrequested(t):
    t.warm().tagged("b", READ_RESPONSE, SINK)


@flow("rdmap-read-depth", request=setup(False, 0x10, 2, depths()), reply=setup(True, 0x10, 2, depths(ird=2)))
def read_depth(t):
    t.warm()
    for number in range(3):
        t.request(msn=number + 1)


def terminate(t, *control):
    t.untagged("b", 7, 2, 1, payload=bytes(control))


@flow("rdmap-terminate-layout")
def terminate_layout(t):
    """Layer 2 (LLP), type 0, code 7 in the low bits."""
    terminate(t.warm(), 0x10, 0x01, 0x07, 0, 0, 28 + 18, *bytes([0x41, 0x41]), *bytes(16), *bytes(28))


@flow("rdmap-terminate-code")
def terminate_code(t):
    terminate(t.warm(), 0x11, 0x55, 0x00, 0)


@flow("rdmap-terminated")
def terminated(t):
    terminate(t.warm(), 0x01, 0x02, 0x00, 0)
    t.untagged("b", msn=2)


class Marked(Iwarp):
    """Markers of an old stack: CRCs do not count for the interval, and FPDUPTR is little-endian."""

    def __init__(self):
        super().__init__(request=setup(False, 0xc0), reply=setup(True, 0xc0))
        self.counted = 0

    def marked(self, ulpdu):
        words = struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(2 + len(ulpdu)) % 4)
        data, length_at = bytearray(), 0
        for at in range(0, len(words), 4):
            if self.counted % mpa.INTERVAL == 0:
                data += struct.pack("<HH", 0, len(data) - length_at if at else 0)
                self.counted += 4
            if not at:
                length_at = len(data)
            data += words[at:at + 4]
            self.counted += 4
        return bytes(data) + struct.pack("<I", mpa.crc32c(data))


@breaks("mpa-marker", talk=Marked)
def marker(t):
    for number in range(6):
        t.frame("a", PSH | ACK, t.marked(struct.pack(">BBIIII", 0x41, 0x43, 0, 0, number + 1, 0) + bytes(700)))
