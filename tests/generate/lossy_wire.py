# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A requester and a responder of a reliable connection, and a network between them that loses and doubles packets, with a tap in it.

IBTA vol. 1: 9.7.5.1 (the responder: expected PSN, NAK, duplicates), 9.7.5.2.8 (after a missing response the rest of the READ is requested again),
9.7.6.1.3 (time-out). Independent of the program and of tests/model_retransmission.py, which both read the capture.
"""
import heapq
import random
import struct
import zlib

import capfile

PMTU, WAY = 256, 5000  # bytes; nanoseconds from an end to the tap
SEND, WRITE, READ_RESPONSE = (0, 1, 2, 4), (6, 7, 8, 10), (13, 14, 15, 16)
READ, ACK, TIMEOUT = 12, 17, 600 * 10**6
SEQUENCE_ERROR = 0x60


class Wire:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.counts_ids, self.loss, self.twice = self.rng.random() < 0.6, self.rng.choice((0.01, 0.03, 0.08)), self.rng.choice((0, 0.02))
        self.events, self.order, self.now, self.frames, self.ids = [], 0, 1700000000 * 10**9, [], [100, 60000]
        self.sent = []         # by PSN from the first: (opcode, head, payload, READ's (first, length, address))
        self.psn0 = self.rng.choice((0x10, 0xfffff0))
        self.plan(self.rng.randint(10, 40))
        self.next = self.done = self.high = 0     # requester: next PSN to send, acknowledged up to, sent up to
        self.expected, self.msn, self.nak_sent = 0, 0, False
        self.lacking, self.generation = None, 0
        self.at(0, self.go)
        while self.events and len(self.frames) < 600:
            self.now, _, what, arguments = heapq.heappop(self.events)
            what(*arguments)

    def plan(self, count):
        """The PSNs of all requests: a READ has those of its responses."""
        for _ in range(count):
            kind, size = self.rng.choice("swrr"), self.rng.randint(1, 5 * PMTU)
            parts = -(-size // PMTU)
            first = len(self.sent)
            for i in range(parts):
                place = 3 if parts == 1 else 0 if not i else 2 if i == parts - 1 else 1
                here = min(PMTU, size - i * PMTU)
                if kind == "r":
                    self.sent.append((READ, b"", self.rng.randbytes(here), (first, size, 0x100000 * first + 0x1000, place)))
                else:
                    opcodes = SEND if kind == "s" else WRITE
                    head = struct.pack(">QII", 0x100000 * first, 7, size) if kind == "w" and place in (0, 3) else b""
                    self.sent.append((opcodes[place], head, self.rng.randbytes(here), None))

    def at(self, delay, what, *arguments):
        self.order += 1
        heapq.heappush(self.events, (self.now + delay, self.order, what, arguments))

    def packet(self, side, opcode, psn, rest, then, *arguments):
        """Sends a packet to the tap and on to the other end, which calls `then`."""
        self.ids[side] = self.ids[side] + 1 & 0xffff
        pad = -len(rest) % 4
        transport = struct.pack(">BBHII", opcode, 0x40 | pad << 4, 0xffff, 0x11 + side, (psn + self.psn0 & 0xffffff) | 1 << 31) + rest + bytes(pad)
        length = 32 + len(transport)
        here, there = (0x0a000001 + side, 0x0a000002 - side)
        ip = struct.pack(">BBHHHBBHII", 0x45, 0, length, self.ids[side] if self.counts_ids else 0, 0x4000, 64, 17, 0, here, there)
        udp = struct.pack(">HHHH", 49152, 4791, length - 20, 0)
        masked = b"\xff" * 8 + ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:] + udp[:6] + b"\xff\xff"
        data = bytes.fromhex("0200000000020200000000010800") + ip + udp + transport + \
            struct.pack("<I", zlib.crc32(masked + transport[:4] + b"\xff" + transport[5:]))
        early = self.rng.random() < self.loss / 2
        if early:
            return
        for copy in range(1 + (self.rng.random() < self.twice)):
            self.at(WAY + 300 * copy, self.captured, data, self.rng.random() < self.loss / 2, then, arguments)

    def captured(self, data, is_lost, then, arguments):
        self.frames.append((self.now, data, len(data)))
        if not is_lost:
            self.at(WAY, then, *arguments)

    # the requester

    def go(self):
        """Sends as much as the window allows, one packet per microsecond."""
        self.generation += 1
        delay = 0
        while self.next < len(self.sent) and self.next < self.done + 24:
            self.at(delay, self.request, self.next)
            delay += 1000
            read = self.sent[self.next][3]
            self.next = read[0] + -(-read[1] // PMTU) if read else self.next + 1
        if self.done < len(self.sent):
            self.at(delay + TIMEOUT, self.expire, self.generation, self.done)

    def request(self, psn):
        opcode, head, payload, read = self.sent[psn]
        if read:
            skipped = (psn - read[0]) * PMTU
            rest = struct.pack(">QII", read[2] + skipped, 9, read[1] - skipped)
        else:
            rest = head + payload
        self.packet(0, opcode, psn, rest, self.receive, psn)

    def expire(self, generation, done):
        if self.done == done and generation == self.generation:
            self.again(self.done)

    def again(self, psn):
        self.next = psn
        self.go()

    def answered(self, psn, is_nak, is_response, message_end):
        """Takes responses in order; one after a missing one causes a new request for it."""
        if is_nak:
            self.advance(psn)
            if psn >= self.done:
                self.again(self.done)
            return
        first = next((q for q in range(self.done, psn + (not is_response)) if self.sent[q][3]), None)
        if first is not None and (not is_response or first < psn):
            self.advance(first)
            if self.lacking != first:
                self.lacking = first
                self.again(first)
            return
        self.advance(psn + 1)

    def advance(self, psn):
        if psn <= self.done:
            return
        self.done = psn
        if self.lacking is not None and psn > self.lacking:
            self.lacking = None
        if self.next < psn:
            self.next = psn
        self.go()

    # the responder

    def receive(self, psn):
        if psn > self.expected:
            if not self.nak_sent:
                self.nak_sent = True
                self.packet(1, ACK, self.expected, struct.pack(">I", SEQUENCE_ERROR << 24 | self.msn), self.answered, self.expected, True, False, False)
            return
        opcode, _, _, read = self.sent[psn]
        is_new = psn == self.expected
        if is_new:
            self.nak_sent = False
        if read:
            end = read[0] + -(-read[1] // PMTU)
            if is_new:
                self.msn += 1
                self.expected = end
            for q in range(psn, end):
                place = 3 if end - psn == 1 else 0 if q == psn else 2 if q == end - 1 else 1
                aeth = b"" if place == 1 else struct.pack(">I", 0x1f << 24 | self.msn)
                self.at((q - psn) * 800, self.packet, 1, READ_RESPONSE[place], q, aeth + self.sent[q][2], self.answered, q, False, True, False)
            return
        is_last = opcode in (2, 4, 8, 10)
        if is_new:
            self.expected += 1
            self.msn += is_last
        if is_last or not is_new:
            self.packet(1, ACK, self.expected - 1, struct.pack(">I", 0x1f << 24 | self.msn), self.answered, self.expected - 1, False, False, True)


def write(path, seed):
    capfile.write_pcap(path, 1, Wire(seed).frames)
