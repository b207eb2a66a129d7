# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""An NVMe host and controller on one queue pair: capsules by the NVM Express specifications, and a disk in memory."""
import struct

BLOCK = 512
ADMIN, IO = 0, 1
FLUSH, WRITE, READ, COMPARE, WRITE_ZEROES, DSM, COPY, ZONE_SEND, ZONE_APPEND = 0x00, 0x01, 0x02, 0x05, 0x08, 0x09, 0x19, 0x79, 0x7d
IDENTIFY, ASYNC_EVENT, KEEP_ALIVE, FORMAT = 0x06, 0x0c, 0x18, 0x80
KEYED, INVALIDATE, OFFSET = 0x40, 0x4f, 0x01
NQN = b"nqn.2026-01.org.example:disk"


def keyed(address, length, key, kind=INVALIDATE):
    """Base 2.0, 4.1.2.1: a keyed SGL data block descriptor."""
    return struct.pack("<Q", address) + length.to_bytes(3, "little") + struct.pack("<IB", key, kind)


def in_capsule(length, offset=0):
    return struct.pack("<QI3xB", offset, length, OFFSET)


def segment(*descriptors, kind=0x31):
    """(SGL1, bytes in the capsule): a last segment of descriptors at an offset in the capsule. Base 2.0, 4.1.2.1."""
    return struct.pack("<QI3xB", 0, 16 * len(descriptors), kind), b"".join(descriptors)


def bit_bucket(length):
    return struct.pack("<8xI3xB", length, 0x10)


def command(opcode, cid, nsid=0, sgl=keyed(0, 0, 0, KEYED), dwords=(0,) * 6):
    """Base 2.0, 3.3.3.1: the submission queue entry."""
    entry = struct.pack("<BBHI8x8x", opcode, 0x40, cid, nsid) + sgl + struct.pack("<6I", *dwords)
    assert len(entry) == 64
    return entry


def blocks(opcode, cid, nsid, first, count, sgl=keyed(0, 0, 0, KEYED)):
    return command(opcode, cid, nsid, sgl, (first & 0xffffffff, first >> 32, count - 1, 0, 0, 0))


def connect(cid, queue, size=31, sgl=in_capsule(1024)):
    return struct.pack("<BBHB19x", 0x7f, 0x40, cid, 1) + sgl + struct.pack("<HHHBxI12x", 0, queue, size, 0, 0)


def connect_data(nqn=NQN, controller=0xffff, host=b"nqn.2026-01.org.example:host"):
    return bytes(range(16)) + struct.pack("<H", controller) + bytes(238) + nqn.ljust(256, b"\0") + host.ljust(256, b"\0") + bytes(256)


def response(cid, status=0, head=0, result=0, queue=0):
    """Base 2.0, 3.3.3.2. status: with type and retry bits, without the phase bit."""
    return struct.pack("<QHHHH", result, head, queue, cid, status << 1)


def ranges(*pairs):
    """NVM 1.0, 3.2.3: deallocated ranges, (first block, number of blocks)."""
    return b"".join(struct.pack("<IIQ", 0, count, first) for first, count in pairs)


class Disk:
    """The content of a namespace, as far as commands have shown it: {block: bytes}."""

    def __init__(self):
        self.blocks = {}

    def put(self, first, data):
        for at in range(0, len(data), BLOCK):
            self.blocks[first + at // BLOCK] = data[at:at + BLOCK]


class Host:
    """Commands of one queue on a connection of a scene; `a` is the host. Methods return packets in wire order."""

    def __init__(self, talk, queue=IO):
        self.talk, self.queue, self.cid, self.key, self.disk = talk, queue, 0, 0x1000, Disk()

    def next(self):
        self.cid += 1
        self.key += 0x100
        return self.cid, self.key, 0x7f0000000000 + self.cid * 0x100000

    def send(self, name, data, key=None):
        """A SEND and its acknowledgement."""
        packets = self.talk.send(name, 0, data=data, inv=key)
        return packets + [self.talk.ack(packets[-1])]

    def connect(self, controller=1, nqn=NQN):
        return (self.send("a", connect(self.cid, self.queue) + connect_data(nqn, controller)) +
                self.answer(self.cid, result=controller))

    def answer(self, cid, status=0, result=0, key=None):
        return self.send("b", response(cid, status, 0, result, self.queue), key)

    def write(self, first, data, status=0, inline=False, nsid=1):
        cid, key, address = self.next()
        count = len(data) // BLOCK
        self.disk.put(first, data)
        if inline:
            return self.send("a", blocks(WRITE, cid, nsid, first, count, in_capsule(len(data))) + data), [], self.answer(cid, status)
        send = self.send("a", blocks(WRITE, cid, nsid, first, count, keyed(address, len(data), key)))
        request, responses = self.talk.read("b", len(data), key, address, data)
        return send, [request] + responses, self.answer(cid, status, key=key)

    def read(self, first, data, status=0):
        cid, key, address = self.next()
        self.disk.put(first, data)
        send = self.send("a", blocks(READ, cid, 1, first, len(data) // BLOCK, keyed(address, len(data), key)))
        return send, self.talk.write("b", len(data), key, address, data=data), self.answer(cid, status, key=key)

    def scattered(self, opcode, first, data, lengths, buckets=(), kind=0x31):
        """A read or write whose memory is in pieces, moved in the opposite order; the pieces numbered in `buckets` are bit buckets."""
        cid, key, address = self.next()
        places = [sum(lengths[:i]) for i in range(len(lengths))]
        rows = [bit_bucket(size) if i in buckets else keyed(address + 0x10000 * i, size, key + i, KEYED) for i, size in enumerate(lengths)]
        sgl1, inside = segment(*rows, kind=kind)
        send, moved = self.send("a", blocks(opcode, cid, 1, first, len(data) // BLOCK, sgl1) + inside), []
        for i in reversed([i for i in range(len(lengths)) if i not in buckets]):
            part = data[places[i]:places[i] + lengths[i]]
            if opcode == READ:
                moved += self.talk.write("b", len(part), key + i, address + 0x10000 * i, data=part)
            else:
                request, responses = self.talk.read("b", len(part), key + i, address + 0x10000 * i, part)
                moved += [request] + responses
        return send, moved, self.answer(cid)

    def simple(self, opcode, first, count, status=0):
        cid, _, _ = self.next()
        return self.send("a", blocks(opcode, cid, 1, first, count)), [], self.answer(cid, status)

    def deallocate(self, *pairs):
        cid, _, _ = self.next()
        data = ranges(*pairs)
        entry = command(DSM, cid, 1, in_capsule(len(data)), (len(pairs) - 1, 4, 0, 0, 0, 0))
        return self.send("a", entry + data), [], self.answer(cid)

    def copy(self, to, *pairs, style=0, nsid=1, status=0):
        """NVM 1.1, 3.2.2: (first block, number of blocks), or with style 2 and 3 (first block, number, namespace)."""
        cid, _, _ = self.next()
        data = b"".join(struct.pack("<I4xQH", pair[2] if style > 1 else 0, pair[0], pair[1] - 1).ljust(40 if style & 1 else 32, b"\0") for pair in pairs)
        entry = command(COPY, cid, nsid, in_capsule(len(data)), (to & 0xffffffff, to >> 32, style << 8 | len(pairs) - 1, 0, 0, 0))
        return self.send("a", entry + data), [], self.answer(cid, status)

    def append(self, zone, at, data, status=0):
        """Zoned Namespace Command Set 1.1, 3.4.1: the completion has the first block that was written."""
        cid, key, address = self.next()
        send = self.send("a", blocks(ZONE_APPEND, cid, 1, zone, len(data) // BLOCK, keyed(address, len(data), key)))
        request, responses = self.talk.read("b", len(data), key, address, data)
        return send, [request] + responses, self.answer(cid, status, at, key=key)

    def zone(self, first, action, every=False):
        """Zone Management Send: ZNS 1.1, 3.4.3."""
        cid, _, _ = self.next()
        return self.send("a", command(ZONE_SEND, cid, 1, dwords=(first & 0xffffffff, first >> 32, 0, action | every << 8, 0, 0))), [], self.answer(cid)

    def plain(self, opcode, dword, nsid=0, status=0):
        """A command without data, by its dword 10."""
        cid, _, _ = self.next()
        return self.send("a", command(opcode, cid, nsid, dwords=(dword, 0, 0, 0, 0, 0))) + self.answer(cid, status)

    def admin(self, opcode, dwords, data, nsid=0, how="write", parts=1, status=0, result=0):
        """A command with data. how: "write" and "read" by RDMA, in so many messages, the last part first; "capsule"."""
        cid, key, address = self.next()
        sgl = in_capsule(len(data)) if how == "capsule" else keyed(address, len(data), key)
        packets = self.send("a", command(opcode, cid, nsid, sgl, dwords) + (data if how == "capsule" else b""))
        size = -(-len(data) // parts)
        for at in [] if how == "capsule" else reversed(range(0, len(data), size)):
            part = data[at:at + size]
            if how == "write":
                packets += self.talk.write("b", len(part), key, address + at, data=part)
            else:
                request, responses = self.talk.read("b", len(part), key, address + at, part)
                packets += [request] + responses
        return packets + self.answer(cid, status, result, key=None if how == "capsule" else key)
