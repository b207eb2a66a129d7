# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""RTRS and RNBD between a client and a server: private data, messages and immediate data in the layout of Linux's rtrs and rnbd.

A Session has connections; a request goes over one of them and returns its packets in groups: [request, data, response]. The caller passes
the data, so that a capture can lack, repeat or reorder any packet.
"""
import struct

import handshake

PORT, MAGIC, VERSION = 1234, 0x1bbd, 0x0200
SECTOR = 512
READ, WRITE, FLUSH, DISCARD, SECURE_ERASE, WRITE_ZEROES = range(6)
SYNC, FUA, PREFLUSH, NOUNMAP = 0x100, 0x200, 0x400, 0x800
EIO, ENOSPC = 5, 28
HEARTBEAT, HEARTBEAT_ACK = 0x80000000, 0x90000000


def request_private(cid, count, path, session, reconnects=0):
    return struct.pack("<BBHHHHH16s16sB11x", 0, 0, MAGIC, VERSION, cid, count, reconnects, path, session, cid == 0)


def response_private(depth, max_io=126976, errno=0, flags=2):
    return struct.pack("<HHhHIII36x", MAGIC, VERSION, -errno, depth, max_io, 4096, flags)


def place_bits(depth):
    return 28 - (depth - 1).bit_length()


def io(device, sector, operation, length, priority=0):
    """rnbd_msg_io, with the padding that its sender has."""
    return struct.pack("<HHIQIIH", 4, 0, device, sector, operation, length, priority).ljust(32, b"\0")


def open_request(name, mode=1):
    return struct.pack("<HHBB255s3x", 2, 0, mode, 0, name)


def open_response(device, sectors):
    return struct.pack("<HHIQIIIIIHHHHBB10x", 3, 0, device, sectors, 2560, 8388607, 8388607, 4096, 0, 512, 512, 128, 0, 0, 2)


class Session:
    """new_keys: the server invalidates its keys and answers by SENDs; else by WRITEs. with_data: the last WRITE of data is the response."""

    def __init__(self, talks, name=b"clt", depth=64, chunk=0x20000, new_keys=True, with_data=False, number=1):
        self.talks, self.name, self.depth, self.chunk, self.new_keys, self.with_data = talks, name, depth, chunk, new_keys, with_data
        self.bits = place_bits(depth)
        self.path, self.uuid = bytes([number]) * 16, bytes([0x80 + number]) * 16
        self.keys = [0xf000 + 0x100 * i for i in range(depth)]
        self.key = 0x50000

    def address(self, buffer):
        return 0xffff888100000000 + buffer * 0x40000

    def memory(self):
        """Memory of the client for the data of one request."""
        self.key += 1
        return self.key, 0xffff888200000000 + (self.key & 0xfff) * 0x21000

    def set_up(self, port=PORT, errno=None):
        """Communication management of all connections."""
        for cid, talk in enumerate(self.talks):
            talk.port, talk.learned = port, "cm"
            private = request_private(cid, len(self.talks), self.path, self.uuid)
            talk.scene.mad(talk, "a", handshake.REQ, handshake.req(talk.ids[0], talk.a.qpn, talk.b.start, port, talk.a.addr, talk.b.addr,
                                                                   private=private))
            if errno is not None:
                body = response_private(0, 0, errno, 0)
                talk.scene.mad(talk, "b", handshake.REJ, handshake.reported(handshake.REJ, body, remotecommid=talk.ids[0],
                                                                            reason=handshake.CONSUMER_REJECT))
                continue
            talk.scene.mad(talk, "b", handshake.REP, handshake.rep(talk.ids[1], talk.ids[0], talk.b.qpn, talk.a.start,
                                                                   private=response_private(self.depth)))
            talk.report("a", handshake.RTU)
        return self

    def with_ack(self, talk, packets):
        return packets + [talk.ack(packets[-1])]

    def info(self, cid=0):
        """[request, response]"""
        talk = self.talks[cid]
        rows = b"".join(struct.pack("<QII", self.address(i), self.keys[i], self.chunk) for i in range(self.depth))
        return [self.with_ack(talk, talk.send("a", 0, data=struct.pack("<H255s15x", 0, self.name))),
                self.with_ack(talk, talk.send("b", 0, data=struct.pack("<HH4x", 1, self.depth) + rows))]

    def respond(self, cid, buffer, errno=0, key=None):
        talk, packets = self.talks[cid], []
        kind = 2 if key is not None else 1
        immediate = kind << 28 | errno << 19 | buffer
        if key is not None:
            packets += talk.send("b", 0, data=b"", inv=key)
        if self.new_keys:
            self.keys[buffer] += 1
            packets += talk.send("b", 0, data=struct.pack("<HHI", 4, buffer, self.keys[buffer]), imm=immediate)
        else:
            packets += talk.write("b", 0, r_key=0, va=0, data=b"", imm=immediate)
        return self.with_ack(talk, packets)

    def out(self, user, data=b"", buffer=0, cid=1, errno=0):
        """A request with the data that the client writes: [request, [], response]."""
        talk = self.talks[cid]
        body = data + user + struct.pack("<HH", 2, len(user))
        immediate = buffer << self.bits | (len(data) + len(user))
        request = talk.write("a", len(body), r_key=self.keys[buffer], va=self.address(buffer), data=body, imm=immediate)
        return [self.with_ack(talk, request), [], self.respond(cid, buffer, errno)]

    def into(self, user, data=b"", buffer=0, cid=1, errno=0, parts=1):
        """A request of data from the server: [request, data, response]. parts: WRITEs that carry it."""
        talk, (key, address) = self.talks[cid], self.memory()
        body = user + struct.pack("<HHHH", 3, len(user), 1 if data else 0, bool(data))
        if data:
            body += struct.pack("<QII", address, key, len(data))
        immediate = buffer << self.bits | (len(data) + len(user))
        request = talk.write("a", len(body), r_key=self.keys[buffer], va=self.address(buffer) + len(data), data=body, imm=immediate)
        moved, step = [], -(-len(data) // parts) if data else 1
        pieces = [] if errno else [(at, data[at:at + step]) for at in range(0, len(data), step)]
        for number, (at, piece) in enumerate(pieces):
            if self.with_data and number == len(pieces) - 1:
                last = talk.write("b", len(piece), r_key=key, va=address + at, data=piece, imm=1 << 28 | buffer)
                return [self.with_ack(talk, request), moved, self.with_ack(talk, last)]
            moved += self.with_ack(talk, talk.write("b", len(piece), r_key=key, va=address + at, data=piece))
        return [self.with_ack(talk, request), moved, self.respond(cid, buffer, errno, key if data else None)]

    def session_info(self, buffer=0):
        message = struct.pack("<HHB31x", 0, 0, 2)
        return self.into(message, struct.pack("<HHB31x", 1, 0, 2), buffer, 0)

    def open(self, name, device, sectors=4096, buffer=0, errno=0):
        return self.into(open_request(name), open_response(device, sectors), buffer, 0, errno)

    def close(self, device, buffer=0):
        return self.out(struct.pack("<HHI", 5, 0, device), b"", buffer, 0)

    def write(self, sector, data, device=0, flags=SYNC, **options):
        return self.out(io(device, sector, WRITE | flags, len(data)), data, **options)

    def read(self, sector, data, device=0, flags=0, **options):
        return self.into(io(device, sector, READ | flags, len(data)), data, **options)

    def flush(self, device=0, **options):
        return self.into(io(device, (1 << 64) - 1, FLUSH, 0), **options)

    def simple(self, operation, sector, length, device=0, **options):
        """DISCARD, SECURE_ERASE, WRITE_ZEROES: no data."""
        return self.out(io(device, sector, operation, length), b"", **options)

    def heartbeat(self, name="a", cid=0, answered=True):
        talk = self.talks[cid]
        there = "b" if name == "a" else "a"
        packets = self.with_ack(talk, talk.write(name, 0, r_key=0, va=0, data=b"", imm=HEARTBEAT))
        return [packets, self.with_ack(talk, talk.write(there, 0, r_key=0, va=0, data=b"", imm=HEARTBEAT_ACK)) if answered else []]

    def begin(self, name=b"loop6", device=0):
        """Everything that precedes I/O."""
        return self.info() + self.session_info() + self.open(name, device)
