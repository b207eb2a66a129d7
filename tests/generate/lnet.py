# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""LNet over RDMA on one queue pair, in the layout of Lustre's o2iblnd-idl.h and lnet-idl.h. Each end has its byte order; LNet's header is little-endian."""
import struct

import handshake

PORT = 987
MAGIC, VERSION_1, VERSION = 0x0be91b91, 0x11, 0x12
CONNREQ, CONNACK, NOOP, IMMEDIATE, PUT_REQ, PUT_NAK, PUT_ACK, PUT_DONE, GET_REQ, GET_DONE = 0xc0, 0xc1, *range(0xd0, 0xd8)
ACK, PUT, GET, REPLY, HELLO = range(5)
O2IB = 5


def nid(address, network=0, kind=O2IB):
    return (kind << 16 | network) << 32 | int.from_bytes(bytes(map(int, address.split("."))), "big")


def checksum(data):
    total = 0
    for byte in data:
        total = ((total << 1 | total >> 31) + byte) & 0xffffffff
    return total or 1


class End:
    def __init__(self, talk, name, order, nid_, incarnation=0x5e7, sums=False):
        self.talk, self.name, self.order, self.nid, self.stamp, self.sums, self.version = talk, name, order, nid_, incarnation, sums, VERSION
        self.cookie, self.there = 0x1000 if name == "a" else 0x900000, None
        self.origin = self.target = None  # of messages that a router forwards

    def unit(self, kind, body=b"", credits=0):
        def pack(total):
            return struct.pack(self.order + "IHBBIIQQQQ", MAGIC, self.version, kind, credits, 48 + len(body), total, self.nid, self.stamp,
                               self.there.nid, self.there.stamp) + body
        return pack(checksum(pack(0))) if self.sums else pack(0)

    def send(self, kind, body=b"", credits=0):
        packets = self.talk.send(self.name, 0, data=self.unit(kind, body, credits))
        return packets + [self.talk.ack(packets[-1])]

    def header(self, kind, length, portal=26, match=0x1122334455667788, offset=0, handle=None):
        """handle: of the requester, repeated in ACK and REPLY. A PUT without one requests no ACK."""
        handle = struct.pack("<QQ", 0x5555aaaa5555, handle) if handle is not None else b"\xff" * 16
        front = struct.pack("<QQIIII", self.target or self.there.nid, self.origin or self.nid, 12345, 12345, kind, length if kind in (PUT, REPLY) else 0)
        if kind == ACK:
            part = handle + struct.pack("<QI", match, length)
        elif kind == PUT:
            part = handle + struct.pack("<QQII", match, 0xabcdef, portal, offset)
        elif kind == GET:
            part = handle + struct.pack("<QIII", match, portal, offset, length)
        elif kind == HELLO:
            part = struct.pack("<QI", self.stamp, 3)
        else:
            part = handle
        return front + part.ljust(40, b"\0")

    def new_cookie(self):
        self.cookie += 1
        return struct.pack(self.order + "Q", self.cookie)

    def descriptor(self, key, pieces):
        return struct.pack(self.order + "II", key, len(pieces)) + b"".join(struct.pack(self.order + "IQ", length, address) for address, length in pieces)

    def done(self, kind, cookie, status):
        return self.send(kind, cookie + struct.pack(self.order + "i", status))

    def noop(self, credits):
        return self.send(NOOP, credits=credits)

    def immediate(self, kind, data=b"", credits=0, **header):
        return self.send(IMMEDIATE, self.header(kind, header.pop("length", len(data)), **header) + data, credits)

    def moved(self, writer, key, pieces, data):
        packets, at = [], 0
        for address, length in pieces:
            packets += writer.talk.write(writer.name, 0, key, address, data=data[at:at + length])
            at += length
        return packets + [writer.talk.ack(packets[-1])]

    def put(self, data, pieces=None, key=0x77, status=0, kind=PUT, refused=None, handle=None):
        """[PUT_REQ, PUT_ACK, WRITEs, PUT_DONE], or [PUT_REQ, PUT_NAK]. handle: requests an ACK."""
        pieces = pieces or [(0x7f0000000000 + self.cookie * 0x100000, len(data))]
        mine, its = self.new_cookie(), self.there.new_cookie()
        rows = [self.send(PUT_REQ, self.header(kind, len(data), handle=handle) + mine, credits=2)]
        if refused is not None:
            return rows + [self.there.done(PUT_NAK, mine, refused)]
        rows.append(self.there.send(PUT_ACK, mine + its + self.there.descriptor(key, pieces)))
        return rows + [self.moved(self, key, pieces, data), self.done(PUT_DONE, its, status)]

    def get(self, data, pieces=None, key=0x88, status=None):
        """[GET_REQ, WRITEs, GET_DONE]"""
        pieces = pieces or [(0x7e0000000000 + self.cookie * 0x100000, len(data))]
        mine = self.new_cookie()
        rows = [self.send(GET_REQ, self.header(GET, len(data)) + mine + self.descriptor(key, pieces))]
        if status is None or status >= 0:
            rows.append(self.moved(self.there, key, pieces, data))
        return rows + [self.there.done(GET_DONE, mine, len(data) if status is None else status)]


def pair(talk, orders="<<", sums=False):
    a, b = End(talk, "a", orders[0], nid("10.0.0.2"), 0xa, sums), End(talk, "b", orders[1], nid("10.0.0.1", 1), 0xb, sums)
    a.there, b.there = b, a
    return a, b


def establish(talk, a, b, reject=None):
    """Communication management with the private data of both ends."""
    def parameters(end, kind):
        return end.unit(kind, struct.pack(end.order + "HHI", 8, 256, 4096))
    talk.request(private=parameters(a, CONNREQ))
    if reject is not None:
        talk.report("b", handshake.REJ, private=struct.pack(b.order + "IHBBQHHI", MAGIC, VERSION, reject, 0, b.stamp, 8, 256, 4096),
                    reason=handshake.CONSUMER_REJECT)
        return
    talk.reply(private=parameters(b, CONNACK))
    talk.ready()
