#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""usage: fleet.py DIRECTORY HOSTS FRAMES [SEED]

A fleet: HOSTS captures in DIRECTORY with about FRAMES frames in all. Each host has a connection with the next one, in a ring, and writes
messages of four packets, which are acknowledged. Both ends captured each packet, by clocks that differ by up to two seconds and
20 ppm. Some packets are lost between the ends, and sent again after a NAK. DIRECTORY/truth.json has what each connection and each capture has.

The packets are made here, apart from the program: RoCE v2 with its invariant CRC."""
import collections
import json
import os
import random
import struct
import sys
import zlib

MESSAGE_PACKETS = 4
PAYLOAD = 256
DELAY_NS = 20_000
BEGIN_NS = 1_790_000_000 * 10**9
STEP_NS = 1_500
LOSS = 0.0005
FIRST, MIDDLE, LAST, ACK = 6, 7, 8, 17 # of RDMA WRITE; acknowledge
NAK_SEQUENCE = 0x60
NEIGHBOURS = (1,)


def address(host):
    return bytes([10, 1 + (host >> 8), host & 255, 1])


class Flow:
    """One direction of a connection: makes its frames."""

    def __init__(self, source, destination, qpn, port):
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 2, 0, 0, 0x4000, 64, 17, 0, address(source), address(destination))
        self.ethernet = b"\x02\x00\x00\x00" + address(destination)[1:3] + b"\x02\x00\x00\x00" + address(source)[1:3] + b"\x08\x00"
        self.ip, self.qpn, self.port, self.ip_id = ip, qpn, port, 0

    def frame(self, opcode, psn, extended, payload, asks=False):
        transport = struct.pack(">BBHII", opcode, 0x40, 0xffff, self.qpn, (asks << 31) | psn) + extended + payload
        udp_length = 8 + len(transport) + 4
        self.ip_id = (self.ip_id + 1) & 0xffff
        udp = struct.pack(">HHHH", self.port, 4791, udp_length, 0)
        head = struct.pack(">BBHHH", 0x45, 2, 20 + udp_length, self.ip_id, 0x4000)
        # IBTA vol. 1, annex 17: what changes on the way counts as ones
        masked = (b"\xff" * 8 + b"\x45\xff" + head[2:8] + b"\xff\x11\xff\xff" + self.ip[12:20] + udp[:6] + b"\xff\xff" +
                  transport[:4] + b"\xff" + transport[5:])
        words = head + b"\x40\x11\x00\x00" + self.ip[12:20]
        total = sum(struct.unpack(">10H", words))
        total = (total & 0xffff) + (total >> 16)
        total = ~((total & 0xffff) + (total >> 16)) & 0xffff
        return self.ethernet + words[:10] + struct.pack(">H", total) + words[12:] + udp + transport + struct.pack("<I", zlib.crc32(masked))


class Connection:
    def __init__(self, number, a, b, rng):
        self.a, self.b = a, b
        port = 49152 + (number * 97) % 16000
        self.requests = Flow(a, b, 0x1000 + number, port)
        self.responses = Flow(b, a, 0x8000 + number, port)
        self.psn, self.msn = rng.randrange(1 << 24), 0
        self.payload = rng.randbytes(PAYLOAD)
        self.packets = self.messages = self.lost = 0


class Fleet:
    def __init__(self, directory, hosts, seed):
        self.rng = random.Random(seed)
        self.hosts, self.directory = hosts, directory
        self.files = [open(os.path.join(directory, "host%03d.pcap" % host), "wb", buffering=1 << 20) for host in range(hosts)]
        self.offsets = [0] + [self.rng.randrange(-2 * 10**9, 2 * 10**9) for _ in range(hosts - 1)]
        self.drifts = [0] + [self.rng.uniform(-20e-6, 20e-6) for _ in range(hosts - 1)]
        self.captured = [0] * hosts
        self.arriving = collections.deque()
        self.now = BEGIN_NS
        self.frames = 0
        for file in self.files:
            file.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        pairs = sorted({tuple(sorted((host, (host + step) % hosts))) for host in range(hosts) for step in NEIGHBOURS if step % hosts})
        self.connections = [Connection(number, a, b, self.rng) for number, (a, b) in enumerate(pairs)]

    def capture(self, host, time_ns, frame):
        time_ns += self.offsets[host] + int((time_ns - BEGIN_NS) * self.drifts[host])
        self.files[host].write(struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9, len(frame), len(frame)) + frame)
        self.captured[host] += 1
        self.frames += 1

    def arrive(self):
        while self.arriving and self.arriving[0][0] <= self.now:
            time_ns, host, frame = self.arriving.popleft()
            self.capture(host, time_ns, frame)

    def send(self, connection, source, destination, frame, lost=False):
        self.now += STEP_NS
        self.arrive()
        self.capture(source, self.now, frame)
        connection.packets += 1
        if lost:
            connection.lost += 1
        else:
            self.arriving.append((self.now + DELAY_NS, destination, frame))

    def pause(self):
        self.now += DELAY_NS + STEP_NS
        self.arrive()

    def write(self, connection):
        flow, psn, length = connection.requests, connection.psn, MESSAGE_PACKETS * PAYLOAD
        reth = struct.pack(">QII", 0x7f0000000000 + connection.messages * length, 0x1234, length)
        packets = [(FIRST, reth), (MIDDLE, b""), (MIDDLE, b""), (LAST, b"")]
        missing = self.rng.randrange(MESSAGE_PACKETS - 1) if self.rng.random() < LOSS * MESSAGE_PACKETS else None
        for i, (opcode, extended) in enumerate(packets):
            frame = flow.frame(opcode, (psn + i) & 0xffffff, extended, connection.payload, i == MESSAGE_PACKETS - 1)
            self.send(connection, connection.a, connection.b, frame, i == missing)
        self.pause()
        if missing is not None:
            aeth = struct.pack(">I", NAK_SEQUENCE << 24 | connection.msn)
            self.send(connection, connection.b, connection.a, connection.responses.frame(ACK, (psn + missing) & 0xffffff, aeth, b""))
            self.pause()
            for i, (opcode, extended) in list(enumerate(packets))[missing:]:
                frame = flow.frame(opcode, (psn + i) & 0xffffff, extended, connection.payload, i == MESSAGE_PACKETS - 1)
                self.send(connection, connection.a, connection.b, frame)
            self.pause()
        connection.msn = (connection.msn + 1) & 0xffffff
        aeth = struct.pack(">I", 0x1f << 24 | connection.msn)
        self.send(connection, connection.b, connection.a,
                  connection.responses.frame(ACK, (psn + MESSAGE_PACKETS - 1) & 0xffffff, aeth, b""))
        connection.psn = (psn + MESSAGE_PACKETS) & 0xffffff
        connection.messages += 1

    def run(self, frames):
        while self.frames < frames:
            self.write(self.rng.choice(self.connections))
        self.pause()
        for file in self.files:
            file.close()
        truth = {
            "captured": self.captured, "frames": self.frames, "offsets_ns": self.offsets,
            "connections": [{"a": ".".join(map(str, address(one.a))), "b": ".".join(map(str, address(one.b))), "packets": one.packets,
                             "messages": one.messages, "lost": one.lost} for one in self.connections if one.messages],
        }
        with open(os.path.join(self.directory, "truth.json"), "w", encoding="ascii") as out:
            json.dump(truth, out)
        return truth


def write(directory, hosts, frames, seed=1):
    """Returns what the captures have, as in truth.json."""
    os.makedirs(directory, exist_ok=True)
    return Fleet(directory, hosts, seed).run(frames)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    write(sys.argv[1], *map(int, sys.argv[2:]))
