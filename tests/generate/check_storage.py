# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures that violate the rules of NVMe over Fabrics, SRP, iSCSI over iSER and SMB Direct, like check_captures.py for InfiniBand."""
import struct

import nvme
import scsi
import smb
from check_captures import Talk, breaks


class Nvme(Talk):
    """An I/O queue of four entries. NVMe over Fabrics 1.1, 7.3.6."""

    def __init__(self):
        super().__init__(private=(struct.pack("<HHHH24x", 0, 1, 4, 3), struct.pack("<HH28x", 0, 4)), port=4420)

    def warm(self):
        self.say("a", nvme.connect(0, 1, 3) + nvme.connect_data())
        self.respond(0)
        return self

    def flush(self, cid, opcode=nvme.FLUSH, **options):
        self.say("a", nvme.command(opcode, cid, 1, **options))

    def respond(self, cid, head=0):
        self.say("b", nvme.response(cid, head=head))


def on_nvme(*ids):
    return breaks(*ids, talk=Nvme)


@on_nvme("nvme-sgl")
def sgl(t):
    t.warm().flush(1, nvme.READ, sgl=nvme.keyed(0, 512, 5, 0x45))


@on_nvme("nvme-cid")
def cid(t):
    t.warm().flush(1)
    t.flush(1)
    t.respond(1)
    t.respond(1)


@on_nvme("nvme-response")
def response(t):
    t.warm().flush(1)
    t.respond(1)
    t.respond(2)
    for number in range(3, 7):
        t.flush(number)
        t.respond(number)


@on_nvme("nvme-head")
def head(t):
    t.warm().flush(1)
    t.respond(1, head=4)


@on_nvme("nvme-queue")
def queue(t):
    t.warm()
    for number in range(5):
        t.flush(number)
    for number in range(5):
        t.respond(number)


@on_nvme("nvme-connect")
def connect(t):
    t.flush(1)


class Srp(Talk):
    """A login that grants two requests. SRP, 6.2 and 6.3."""

    def __init__(self):
        login = struct.pack(">QHBBI16s16sH6x", 1, 6, 0, 0, 8260, bytes(range(16)), bytes(range(16, 32)), 0)
        super().__init__(private=(login, struct.pack(">B3xIQIIH", 0xc0, 2, 1, 8260, 8260, 6).ljust(52, b"\0")), port=5000)
        self.srp = scsi.Srp(self.c)

    def command(self, tag):
        self.srp.tag = tag
        self.say("a", self.srp.command(0, scsi.cdb6(0, 0, 0)))

    def respond(self, tag):
        self.srp.tag = tag
        self.scene.put(*self.srp.answer())


def on_srp(*ids):
    return breaks(*ids, talk=Srp)


@on_srp("srp-credits")
def srp_credits(t):
    for tag in range(3):
        t.command(tag)
    t.respond(0)


@on_srp("srp-tag")
def srp_tag(t):
    t.command(7)
    t.command(7)
    t.respond(7)
    t.respond(7)


@on_srp("srp-response")
def srp_response(t):
    t.command(7)
    t.respond(7)
    t.respond(8)
    for tag in range(9, 13):
        t.command(tag)
        t.respond(tag)


class Iser(Talk):
    def __init__(self):
        super().__init__(private=(struct.pack(">I", 0x40000000), struct.pack(">I", 0x40000000)), port=3260)

        self.iser = scsi.Iser(self.c)

    def pdu(self, end, opcode, words):
        """words: the seven from byte 20."""
        self.scene.put(*self.iser.pdu(opcode, words=words, end=end, tag=1))

    def command(self, number):
        self.pdu("a", 1, (0, number, 0, 0, 0, 0, 0))

    def respond(self, most):
        self.pdu("b", 0x21, (0, 1, 1, most, 0, 0, 0))


def on_iser(*ids):
    return breaks(*ids, talk=Iser)


@on_iser("iscsi-window")
def window(t):
    t.command(5)
    t.respond(6)
    t.command(7)
    t.respond(7)


@on_iser("iscsi-order")
def order(t):
    t.command(5)
    t.command(5)


class Smb(Talk):
    """A negotiation that grants the client two credits, receives of 1024 bytes, messages of 4096."""

    def __init__(self, receive=1024):
        super().__init__(port=445)
        self.say("a", smb.negotiate(receive=receive, fragmented=131072))
        self.say("b", smb.negotiated(granted=2, receive=1024, fragmented=131072))

    def warm(self):
        self.transfer("a", granted=10)
        self.transfer("b", granted=10)
        return self

    def transfer(self, end, data=None, **options):
        message = smb.header(13, 1) + struct.pack("<HH", 4, 0)
        self.say(end, smb.transfer(message if data is None else data, **options))


def on_smb(*ids):
    return breaks(*ids, talk=Smb)


@on_smb("smbd-credits")
def smb_credits(t):
    for _ in range(3):
        t.transfer("a")
    t.transfer("b")


@on_smb("smbd-requested")
def requested(t):
    t.warm().transfer("a", requested=0)


@on_smb("smbd-remaining")
def remaining(t):
    t.warm().transfer("a", remaining=1000)
    t.transfer("a", bytes(100), remaining=1000)


@breaks("smbd-negotiation", talk=Smb, receive=127)
def negotiation(t):
    """Nothing more."""


@on_smb("smbd-offset")
def offset(t):
    t.warm().transfer("a", offset=20)
    t.transfer("a", offset=28)
    t.transfer("a", offset=60004)
    t.transfer("a", length=1000)


@on_smb("smbd-size")
def size(t):
    t.warm().transfer("a", smb.header(13, 1) + struct.pack("<HH", 4, 0) + bytes(1000))


@on_smb("smbd-fragmented")
def fragmented(t):
    t.warm().transfer("a", remaining=131072)
