# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RPC-over-RDMA in SENDs over RoCE v2: messages that must be recognised and SENDs that only resemble them."""
import random
import struct

import ib
import net
import rpcrdma as r
from capture import Capture
from piece import Piece

CLIENT, SERVER = {"src": "10.1.2.3", "dst": "10.4.5.6"}, {"src": "10.4.5.6", "dst": "10.1.2.3"}
SERVER_QP, CLIENT_QP = 0x12, 0x34


class Talk:
    """Adds messages to a capture as SENDs of a queue pair, PSN by PSN in each direction."""

    def __init__(self, capture):
        self.capture = capture
        self.psn = {True: 1000, False: 0xfffff0}

    def send(self, message, to_server=True, opcode=0x04, **more):
        fields = {"destqp": SERVER_QP if to_server else CLIENT_QP, "psn": self.psn[to_server], "a": 1}
        self.psn[to_server] = self.psn[to_server] + 1 & 0xffffff
        packet = ib.transport(opcode, payload=message.data, facts=message.facts, **fields)
        ip = CLIENT if to_server else SERVER
        self.capture.add(net.ethernet(net.roce_v2(packet, **ip)), **more)

    def answer(self, message, **fields):
        self.send(message, to_server=False, **fields)


SEG = (0xaabb0001, 4096, 0x7f0000001000)
SEGMENTS = [(0xaabb0000 + i, 1000 * i + 1, 0xffff000000000000 + (i << 12)) for i in range(5)]


def headers():
    """Chunk lists of every shape."""
    talk = Talk(Capture("rpcrdma-headers", 1, "RPC-over-RDMA v1: MSG, NOMSG, MSGP; read, write, reply chunks of every shape"))
    xid = 0x10000000

    def nfs_call(procedure=6):
        return r.call(xid, 100003, 3, procedure, r.auth_sys(), arguments=bytes(40))

    shapes = [
        {}, {"reads": [(0,) + SEG]}, {"reads": [(104,) + s for s in SEGMENTS]},
        {"reads": [(0,) + SEGMENTS[0], (0,) + SEGMENTS[1], (84,) + SEGMENTS[2], (124,) + SEGMENTS[3]]},
        {"writes": [[SEG]]}, {"writes": [SEGMENTS]}, {"writes": [SEGMENTS[:2], [], SEGMENTS[2:]]}, {"writes": [[]]},
        {"reply": [SEG]}, {"reply": SEGMENTS}, {"reply": []},
        {"reads": [(0,) + SEG], "writes": [SEGMENTS[:3], [SEG]], "reply": SEGMENTS[3:]},
        {"reads": [(4,) + SEG], "reply": [(0xffffffff, 0xffffffff, 0xffffffffffffffff)]},
        {"writes": [[(0, 0, 0)]], "reply": [(1, 0, 1), (2, 0, 2)]},
    ]
    for shape in shapes:
        xid += 1
        talk.send(r.message(nfs_call(), **shape))
        replied = {k: v for k, v in shape.items() if k != "reads"}
        talk.answer(r.message(r.accepted(xid, results=bytes(24)), credits=64, **replied))
    for shape in shapes[1:4] + shapes[8:10] + shapes[11:12]:
        xid += 1
        talk.send(r.no_message(xid, **shape))
        talk.answer(r.no_message(xid, credits=64, reply=SEGMENTS[:2]))
        talk.answer(r.no_message(xid, credits=64, writes=[SEGMENTS[:2]], reply=[SEG]))
    for align, thresh in ((1024, 4096), (0, 0)):
        xid += 1
        talk.send(r.message(nfs_call(), msgp=(align, thresh)))
    for invalidated in (0, 0xaabb0001, 0xffffffff):
        xid += 1
        message = r.message(r.accepted(xid), credits=1, writes=[[SEG]])
        fields = {"destqp": CLIENT_QP, "psn": talk.psn[False], "ieth": "%08x" % invalidated}
        talk.psn[False] = talk.psn[False] + 1 & 0xffffff
        packet = ib.transport(0x17, payload=message.data, facts=message.facts, **fields)
        talk.capture.add(net.ethernet(net.roce_v2(packet, **SERVER)))
    return talk.capture


PROGRAMS = (
    (100000, 2, (0, 1, 2, 3, 4, 5)), (100000, 3, (0, 3, 4, 9)), (100000, 4, (0, 3, 12)),
    (100005, 1, (0, 1)), (100005, 3, (0, 1, 2, 3, 4, 5)), (100003, 2, (0, 6)), (100003, 3, tuple(range(22))),
    (100003, 4, (0, 1)), (100227, 2, (0, 1)), (100227, 3, (0, 1, 2)), (100021, 3, (20, 21)),
    (100021, 4, (0, 1, 2, 3, 4, 5, 10, 16)), (100024, 1, (0, 1, 2, 3, 4, 5)), (399999, 7, (255,)),
)


def calls():
    """Procedures of the programs around NFS, credentials, and every kind of reply."""
    talk = Talk(Capture("rpcrdma-rpc", 1, "RPC calls and replies over RPC-over-RDMA: programs, credentials, accept and reject "
                        "status, reverse direction"))
    xid = 0x20000000
    for program, version, procedures in PROGRAMS:
        for procedure in procedures:
            xid += 1
            talk.send(r.message(r.call(xid, program, version, procedure, r.auth_sys())))
    creds = (r.auth(r.NONE), r.auth_sys(machine="", gids=()), r.auth_sys(machine="x" * 255, gids=tuple(range(16))),
             r.auth_sys(uid=0, gid=0, gids=(0,)), r.auth_sys(uid=0xffffffff, gid=0xffffffff, gids=(0xfffffffe,)))
    for cred in creds:
        xid += 1
        talk.send(r.message(r.call(xid, 100003, 3, 1, cred, arguments=r.opaque(bytes(32)))))
        talk.answer(r.message(r.accepted(xid, results=bytes(88)), credits=64))
    for cred in (r.auth_gss(), r.auth_gss(procedure=3, context=b""), r.auth(r.SHORT, b"short"), r.auth(390000, b"\1\2\3\4")):
        xid += 1
        talk.send(r.message(r.call(xid, 100003, 3, 0, cred, r.auth(cred[1][0][1], bytes(16)))))
        talk.answer(r.message(r.accepted(xid, verf=r.auth(cred[1][0][1], bytes(12)))))
    for status in range(6):
        xid += 1
        talk.answer(r.message(r.accepted(xid, status, r.words(2, 4) if status == 2 else b"")))
    xid += 1
    talk.answer(r.message(r.denied(xid, 0, 2, 2)))
    for why in (0, 1, 2, 3, 4, 5, 6, 7, 13, 14):
        xid += 1
        talk.answer(r.message(r.denied(xid, 1, why)))
    for procedure in (0, 1):  # callbacks: the server calls, the client answers (RFC 8167)
        xid += 1
        talk.answer(r.message(r.call(xid, 0x40000000, 1, procedure, r.auth_sys()), credits=2))
        talk.send(r.message(r.accepted(xid), credits=16))
    return talk.capture


ABSENT = {"rpcordma.xid": None, "rpc.xid": None}


def near_misses():
    """SENDs that resemble RPC-over-RDMA."""
    talk = Talk(Capture("rpcrdma-near-misses", 1, "SENDs that must not be recognised as RPC-over-RDMA: wrong XID or version, "
                        "lists too long, too short, random"))
    good = r.message(r.call(0x31337, 100003, 3, 0, r.auth_sys()))

    def miss(data):
        talk.send(Piece(data), **ABSENT)

    talk.send(good)
    miss(r.message(r.call(0x31337, 100003, 3, 0, r.auth_sys()), xid=0x31338).data)
    for version in (0, 2, 0x100, 0xffffffff):
        miss(r.message(r.call(0x31337, 100003, 3, 0), version=version).data)
    for kind in (5, 6, 0x100, 0xffffffff):
        miss(good.data[:12] + r.words(kind) + good.data[16:])
    for length in (0, 4, 12, 16, 20, 24, 27):
        miss(good.data[:length])
    start = r.words(0x31337, 1, 128, r.MSG)
    miss(start + 10 * (r.words(1, 0) + r.segment(*SEG)[0]))          # a read list without end
    miss(start + r.words(2, 0) + good.data[24:])                     # an optional that is neither 0 nor 1
    for claimed in (0xffffffff, 0x80000000, 0x10000000, 0x0fffffff, 1000):
        miss(start + r.words(0, 1, claimed) + 3 * r.segment(*SEG)[0] + bytes(16))
        miss(start + r.words(0, 0, 1, claimed) + 3 * r.segment(*SEG)[0] + bytes(16))
    miss(start + r.words(0, 0, 0))                                   # MSG with nothing after its lists
    talk.send(Piece(start + r.words(0, 0, 0, 0x31337)))              # only the XID after them: both are correct
    talk.send(Piece(start + r.words(0, 0, 0, 0x31337, 2, 2, 100003, 3, 0)))  # neither call nor reply: likewise
    miss(r.words(0x31337, 1, 128, r.NOMSG, 0, 0, 0))                 # NOMSG without any list (RFC 8166, 4.5.2)
    miss(r.words(0x31337, 1, 128, r.NOMSG, 7, 0, 0) + bytes(64))
    miss(bytes(64))
    miss(b"\xff" * 64)
    miss(b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
    source = random.Random(8166)
    for length in (28, 64, 200, 1000):
        miss(bytes(source.randrange(256) for _ in range(length)))
    # correct version and type, the rest random: recognised only if the XID agrees by chance
    for kind in (r.MSG, r.NOMSG):
        miss(struct.pack(">IIII", source.randrange(1 << 32), 1, 32, kind) + bytes(source.randrange(256) for _ in range(80)))
    # other operations never carry it
    for opcode in (0x0a, 0x10, 0x64, 0x24):
        packet = ib.transport(opcode, payload=good.data, destqp=SERVER_QP)
        talk.capture.add(net.ethernet(net.roce_v2(packet, **CLIENT)), **(ABSENT if opcode in (0x0a, 0x10) else {}))
    return talk.capture


def declared():
    """Messages that need a declaration (--decode-as) or a known connection: see NAME.options."""
    talk = Talk(Capture("rpcrdma-declared", 1, "RDMA_DONE and RDMA_ERROR, recognised when the queue pairs are declared "
                        "by --decode-as (rpcrdma-declared.options)",
                        options="--decode-as qp=%#x,rpcrdma --decode-as qp=%#x,rpcrdma" % (SERVER_QP, CLIENT_QP)))
    talk.send(r.done(0x41))
    talk.answer(r.error_chunk(0x42, credits=64))
    talk.answer(r.error_version(0x43, 1, 1))
    talk.answer(r.error_version(0x44, 1, 2, version=3))
    talk.answer(r.error_version(0x45, 0, 0xffffffff))
    talk.send(r.error_chunk(0x46))
    talk.send(r.no_message(0x47, reads=[(0,) + SEG]))
    talk.send(r.message(r.call(0x48, 100003, 3, 0)))
    return talk.capture


def captures():
    yield headers()
    yield calls()
    yield near_misses()
    yield declared()
