# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Generates much RPC-over-RDMA traffic between two queue pairs quickly, to measure the work and memory of state."""
import functools
import struct
import zlib

import rpcrdma

PMTU = 4096
NFS = 100003
SEND, WRITE, READ_RESPONSE = (0, 1, 2, 4), (6, 7, 8, 10), (13, 14, 15, 16)
READ_REQUEST, ACK = 12, 17
ETHERNET = bytes.fromhex("0200000000020200000000010800")
BTH = struct.Struct(">BBHII")


@functools.lru_cache(maxsize=4096)
def headers(port, side, length):
    """The headers before a BTH, and the CRC of what the invariant CRC covers of them. length: from the BTH to the end of the pad."""
    here, there = (0x0a000002, 0x0a000001) if side == 0 else (0x0a000001, 0x0a000002)
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 28 + length + 4, 0, 0x4000, 64, 17, 0, here, there)
    udp = struct.pack(">HHHH", 49152 + port, 4791, 8 + length + 4, 0)
    masked = b"\xff" * 8 + ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:] + udp[:6] + b"\xff\xff"
    return ETHERNET + ip + udp, zlib.crc32(masked)


class Traffic:
    """Writes frames to a pcap as they are made. Connections are counted from 0; side 0 calls, side 1 answers."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        self.time, self.psn, self.step = 1700000000 * 10**9, {}, 10000

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.file.close()

    def packet(self, connection, side, opcode, psn, rest):
        pad = -len(rest) % 4
        head, state = headers(connection % 1000, side, BTH.size + len(rest) + pad)
        qpn, psn = 0x100 * (connection + 1) + side, psn & 0xffffff | 0x80000000
        rest += bytes(pad)
        # IBTA vol. 1, 7.8.1: byte 4 of the BTH counts as ones
        state = zlib.crc32(rest, zlib.crc32(BTH.pack(opcode, 0x40 | pad << 4, 0xffff, qpn | 0xff000000, psn), state))
        frame = head + BTH.pack(opcode, 0x40 | pad << 4, 0xffff, qpn, psn) + rest + state.to_bytes(4, "little")
        self.file.write(struct.pack("<IIII", self.time // 10**9, self.time % 10**9, len(frame), len(frame)) + frame)
        self.time += self.step

    def next_psn(self, connection, side, count):
        psn = self.psn.get((connection, side), 0x100)
        self.psn[connection, side] = psn + count
        return psn

    def message(self, connection, side, opcodes, psn, head, data):
        count = max(1, -(-len(data) // PMTU))
        for i in range(count):
            place = 3 if count == 1 else 0 if i == 0 else 2 if i == count - 1 else 1
            self.packet(connection, side, opcodes[place], psn + i,
                        (head if i == 0 else b"") + (b"\x00\x00\x00\x01" if opcodes is READ_RESPONSE and place != 1 else b"")
                        + data[i * PMTU:(i + 1) * PMTU])

    def send(self, data, connection=0, side=0):
        self.message(connection, side, SEND, self.next_psn(connection, side, max(1, -(-len(data) // PMTU))), b"", data)

    def write(self, key, address, data, connection=0, side=1):
        self.message(connection, side, WRITE, self.next_psn(connection, side, max(1, -(-len(data) // PMTU))),
                     struct.pack(">QII", address, key, len(data)), data)

    def read(self, key, address, data, connection=0, side=1):
        """A READ by `side` with its responses."""
        psn = self.next_psn(connection, side, max(1, -(-len(data) // PMTU)))
        self.packet(connection, side, READ_REQUEST, psn, struct.pack(">QII", address, key, len(data)))
        self.message(connection, 1 - side, READ_RESPONSE, psn, b"", data)

    def ack(self, connection=0, side=1):
        """Acknowledges all requests of the other side."""
        self.packet(connection, side, ACK, self.psn.get((connection, 1 - side), 0x101) - 1, struct.pack(">I", 1))


def call(xid, procedure=6, arguments=b"", version=3, **chunks):
    head = rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists(**chunks)[0]).data
    return head + rpcrdma.call(xid, NFS, version, procedure, arguments=arguments).data


def reply(xid, results=b"", **chunks):
    return rpcrdma.header(xid, rpcrdma.MSG, rpcrdma.lists(**chunks)[0]).data + rpcrdma.accepted(xid, results=results).data


def call_read3(xid, writes):
    return call(xid, 6, rpcrdma.opaque(bytes(8)) + rpcrdma.words(0, 0, 1000), writes=writes)


def read3_reply(xid, length, writes):
    """Success, no attributes, count, EOF, and the length of the data in a write chunk."""
    return reply(xid, rpcrdma.words(0, 0, length, 1, length), writes=writes)


def call_write3(xid, length, reads):
    """The data is in the read chunk."""
    return call(xid, 7, rpcrdma.opaque(bytes(8)) + rpcrdma.words(0, 0, length, 2, length), reads=reads)


ANY_XID = 0xabad1dea


def with_xid(message, xid):
    """A prepared message, with ANY_XID in both headers, for another call."""
    parts = message.split(ANY_XID.to_bytes(4, "big"))
    assert len(parts) == 3
    return xid.to_bytes(4, "big").join(parts)


WRITE3_POSITION = 40 + 4 + 8 + 8 + 4 + 4 + 4  # of the data: header, handle, offset, count, stable, length
