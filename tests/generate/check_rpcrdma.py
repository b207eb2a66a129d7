# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures that violate the rules of RPC-over-RDMA, like check_captures.py for InfiniBand. `a` is the NFS client."""
import struct

import check_iwarp
import iwarp_scene
import rpcrdma
from check_captures import RULES, Talk, breaks
from rpcrdma import ERROR, MSG, NOMSG

NFS, GETATTR, READ, WRITE = 100003, 1, 6, 7
KEY, ADDRESS = 0x1234, 0x7f0000000000


def private(flags=1, send=3, receive=3, version=1):
    """RFC 8797, section 4."""
    return struct.pack(">IBBBB", 0xf6ab0e18, version, flags, send, receive)


class Calls:
    """Calls of a and replies of b, over a connection with say()."""
    xid = 0x100

    def call(self, kind=MSG, procedure=GETATTR, xid=None, credits=32, version=1, arguments=b"", rpc_xid=None, sender="a", **lists):
        """A call's SEND. Returns its XID."""
        self.xid += 1
        xid = self.xid if xid is None else xid
        rpc = rpcrdma.call(xid if rpc_xid is None else rpc_xid, NFS, 3, procedure, arguments=arguments).data
        body = rpcrdma.lists(**lists)[0] + (rpc if kind in (MSG, 2) else b"")
        self.say(sender, rpcrdma.header(xid, kind, body, credits=credits, version=version).data)
        return xid

    def reply(self, xid, kind=MSG, credits=32, inv=None, results=b"", **lists):
        body = rpcrdma.lists(**lists)[0] + (rpcrdma.accepted(xid, results=results).data if kind == MSG else b"")
        self.say("b", rpcrdma.header(xid, kind, body, credits=credits).data, inv=inv)

    def both(self, **options):
        self.reply(self.call(**options))

    def warm(self):
        for _ in range(2):
            self.both()
        return self

    def error(self, sender, xid, *words, version=1):
        self.say(sender, rpcrdma.header(xid, ERROR, rpcrdma.words(*words), version=version).data)


class Nfs(Calls, Talk):
    def __init__(self, a=private(), b=private(), **options):
        super().__init__(private=(a, b), port=20049, **options)

    def write(self, sender, key, data):
        self.put(sender, 0xa, data, r_key=key, va=ADDRESS, dmalen=len(data))


class NfsIwarp(Calls, iwarp_scene.Connection):
    """The same on iWARP. together: as in iwarp_scene.Connection."""

    def __init__(self, a=private(), b=private(), together=0):
        super().__init__(20049, setup=False, together=together)
        for end, flags, data in (("a", iwarp_scene.SYN, b""), ("b", iwarp_scene.SYN | iwarp_scene.ACK, b""), ("a", iwarp_scene.ACK, b""),
                                 ("a", iwarp_scene.PSH | iwarp_scene.ACK, check_iwarp.setup(False, private=a)),
                                 ("b", iwarp_scene.PSH | iwarp_scene.ACK, check_iwarp.setup(True, private=b))):
            self.frame(end, flags, data)

    def say(self, sender, data, inv=None):
        self.put((sender, "say", (data, inv)))

    def write(self, sender, key, data):
        self.put((sender, "tagged", (iwarp_scene.WRITE, key, ADDRESS, data)))


def make_iwarp(rule, path, **more):
    """Writes the capture that violates a rule of RPC-over-RDMA, on iWARP. Returns the ids of the rules that it violates."""
    function, ids, options = RULES[rule]
    talk = NfsIwarp(**{name: value for name, value in options.items() if name != "talk"}, **more)
    function(talk)
    talk.write_capture(path)
    return ids


def rpc(*ids, **options):
    return breaks(*ids, talk=Nfs, **options)


@rpc("rpcrdma-version")
def version(t):
    t.warm().call(version=2)


@rpc("rpcrdma-type")
def message_type(t):
    t.warm().say("a", rpcrdma.header(0x200, 7, rpcrdma.lists()[0]).data)


@rpc("rpcrdma-reserved-type")
def reserved_type(t):
    t.warm().say("a", rpcrdma.header(0x101, 3).data)


@rpc("rpcrdma-chunk-list")
def chunk_list(t):
    t.warm().say("a", rpcrdma.header(0x200, MSG, struct.pack(">III", 5, 0, 0) + bytes(12)).data)


@rpc("rpcrdma-xid")
def xid(t):
    t.warm().call(rpc_xid=0x999)


@rpc("rpcrdma-grant-zero")
def grant_zero(t):
    t.warm().reply(t.call(), credits=0)


@rpc("rpcrdma-credits")
def credits(t):
    t.warm().reply(t.call(), credits=2)
    t.reply(t.call(), credits=2)
    for xid in [t.call() for _ in range(3)]:
        t.reply(xid, credits=2)


@rpc("rpcrdma-inline", a=private(receive=0), b=private(receive=0))
def inline(t):
    t.warm().call(arguments=bytes(1100))


@rpc("rpcrdma-position")
def position(t):
    t.warm().call(procedure=WRITE, reads=[(41, KEY, 100, ADDRESS)])


@rpc("rpcrdma-position-zero")
def position_zero(t):
    t.warm().call(procedure=WRITE, reads=[(0, KEY, 100, ADDRESS)])


@rpc("rpcrdma-long-pad")
def long_pad(t):
    t.warm().call(kind=NOMSG, reads=[(0, KEY, 5001, ADDRESS)])


def write3(count, length):
    """Arguments of NFSv3 WRITE up to its data: handle, offset, count, stable, and the length of the data. RFC 1813, 3.3.7."""
    return rpcrdma.opaque(b"handle__") + struct.pack(">QIII", 0, count, 0, length)


def read3(length):
    """Results of NFSv3 READ up to its data: NFS3_OK, no attributes, count, EOF, and the length of the data. RFC 1813, 3.3.6."""
    return rpcrdma.words(0, 0, length, 1, length)


# After the RPC call header: XID, CALL, RPC version, program, version, procedure, and two empty opaques for credential and verifier
DATA = 40 + len(write3(0, 0))


@rpc("rpcrdma-read-roundup")
def read_roundup(t):
    t.warm()
    for length in 1001, 1004:  # both are right
        t.both(procedure=WRITE, arguments=write3(1001, 1001), reads=[(DATA, KEY, length - 4, ADDRESS), (DATA, KEY, 4, ADDRESS)])
    t.call(procedure=WRITE, arguments=write3(1001, 1001), reads=[(DATA, KEY, 1002, ADDRESS)])


@rpc("rpcrdma-write-roundup")
def write_roundup(t):
    t.warm()
    for length in 1001, 1004:
        t.reply(t.call(procedure=READ, writes=[[(KEY, 4096, ADDRESS)]]), results=read3(1001), writes=[[(KEY, length, ADDRESS)]])


@rpc("rpcrdma-payload-pad")
def payload_pad(t):
    t.warm().call(procedure=WRITE, arguments=write3(1002, 1002) + bytes(2), reads=[(DATA, KEY, 1002, ADDRESS)])


@rpc("rpcrdma-reverse-early")
def reverse_early(t):
    t.call(sender="b", xid=1)
    t.warm().reply(t.call())
    t.call(sender="b", xid=2)


@rpc("rpcrdma-nomsg-empty")
def nomsg_empty(t):
    t.warm().call(kind=NOMSG)


@rpc("rpcrdma-reply-read")
def reply_read(t):
    t.warm().reply(t.call(), reads=[(40, KEY, 100, ADDRESS)])


@rpc("rpcrdma-write-copy")
def write_copy(t):
    t.warm().reply(t.call(procedure=6, writes=[[(KEY, 1000, ADDRESS)]]), writes=[[(KEY, 1001, ADDRESS)]])


@rpc("rpcrdma-reply-copy")
def reply_copy(t):
    t.warm().reply(t.call(), kind=NOMSG, reply=[(KEY, 1000, ADDRESS)])


@rpc("rpcrdma-duplicate-xid")
def duplicate_xid(t):
    t.warm().call(xid=t.call())


@rpc("rpcrdma-reply-twice")
def reply_twice(t):
    xid = t.warm().call()
    t.reply(xid)
    t.reply(xid)


@rpc("rpcrdma-invalidate", b=private(flags=0))
def invalidate(t):
    t.warm().reply(t.call(procedure=6, writes=[[(KEY, 1000, ADDRESS)]]), writes=[[(KEY, 0, ADDRESS)]], inv=KEY)


@rpc("rpcrdma-invalidate-key")
def invalidate_key(t):
    t.warm().reply(t.call(procedure=6, writes=[[(KEY, 1000, ADDRESS)]]), writes=[[(KEY, 0, ADDRESS)]], inv=KEY + 1)


@rpc("rpcrdma-key-reused")
def key_reused(t):
    t.warm().reply(t.call(procedure=6, writes=[[(KEY, 1000, ADDRESS)]]), writes=[[(KEY, 0, ADDRESS)]], inv=KEY)
    t.write("b", KEY, b"data")


@rpc("rpcrdma-private", a=private(flags=3))
def private_flags(t):
    t.warm()


@rpc("rpcrdma-error-code")
def error_code(t):
    t.warm().error("b", t.call(), 7)


@rpc("rpcrdma-error-versions")
def error_versions(t):
    t.warm().error("b", t.call(), 1, 3, 2)


@rpc("rpcrdma-error-sender")
def error_sender(t):
    xid = t.warm().call()
    t.reply(xid)
    t.error("a", xid, 2)


@rpc("rpcrdma-nfs-chunk")
def nfs_chunk(t):
    t.warm().call(procedure=GETATTR, reads=[(40, KEY, 100, ADDRESS)])
