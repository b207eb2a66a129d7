# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Connections of plain verbs over RoCE v2 with a known pattern: applications without an upper layer that rdmatap knows."""
import struct

from nccl import ACK, ACKNOWLEDGE, DELAY, MS, PACKET, US, Host, Pair

SEND_ONLY, SEND_ONLY_IMM, READ_REQUEST, READ_RESPONSE, COMPARE_SWAP, ATOMIC_ACKNOWLEDGE = 0x04, 0x05, 0x0c, 0x10, 0x13, 0x12


class Connection:
    """A connected pair of two hosts, captured at the first. Times in nanoseconds; each call returns the time when its response has arrived."""

    def __init__(self, number=1):
        self.a, self.b = Host(number), Host(number + 1)
        self.pair = Pair(self.a, self.b)

    def queue(self, from_a):
        return self.pair.a if from_a else self.pair.b

    def write_pcap(self, path):
        self.a.write(path)
        return path

    def answer(self, time, from_a, opcode, psn, extended=b"", payload=b""):
        other = self.queue(not from_a)
        other.heard += 1
        other.send(time, opcode, psn, struct.pack(">I", 0x1f << 24 | other.heard) + extended, payload)
        return time + DELAY

    def send(self, time, from_a, length, immediate=None, late=0):
        """late: the acknowledgement is."""
        queue = self.queue(from_a)
        extended = b"" if immediate is None else struct.pack(">I", immediate)
        queue.send(time, SEND_ONLY if immediate is None else SEND_ONLY_IMM, queue.psn, extended, bytes(length), True)
        queue.psn += 1
        return self.answer(time + DELAY + ACK + late, from_a, ACKNOWLEDGE, queue.psn - 1)

    def write(self, time, from_a, address, key, length, immediate=None, late=0, lost=None, recovery=None):
        queue = self.queue(from_a)
        data = None if immediate is None else struct.pack(">I", immediate)
        packets = queue.packets(address, key, bytes(length), data)
        return self.pair.deliver(queue, packets, time, lost=lost, recovery=recovery)[2] + late

    def read(self, time, from_a, address, key, length, late=0):
        queue = self.queue(from_a)
        queue.send(time, READ_REQUEST, queue.psn, struct.pack(">QII", address, key, length), b"", True)
        queue.psn += 1
        return self.answer(time + DELAY + ACK + late, from_a, READ_RESPONSE, queue.psn - 1, payload=bytes(length))

    def atomic(self, time, from_a, address, key):
        queue = self.queue(from_a)
        queue.send(time, COMPARE_SWAP, queue.psn, struct.pack(">QIQQ", address, key, 1, 0), b"", True)
        queue.psn += 1
        return self.answer(time + DELAY + ACK, from_a, ATOMIC_ACKNOWLEDGE, queue.psn - 1, struct.pack(">Q", 0))


START = 1000 * MS


def ping_pong(rounds, size, think=2 * US, late=None):
    """By SEND. late: {round: ns} that b takes longer to answer."""
    made, time = Connection(), START
    for i in range(rounds):
        time = made.send(time, True, size)
        time = made.send(time + think + (late or {}).get(i, 0), False, size) + think
    return made


def write_ping_pong(rounds, size):
    made, time = Connection(), START
    for i in range(rounds):
        time = made.write(time, True, 0x10000, 0x111, size) + 2 * US
        time = made.write(time, False, 0x20000, 0x222, size) + 2 * US
    return made


def requests(rounds, request, response, window=1):
    """Requests and responses by SEND, `window` of them at a time."""
    made, time = Connection(), START
    for i in range(0, rounds, window):
        for _ in range(window):
            time = made.send(time, True, request) + US
        for _ in range(window):
            time = made.send(time, False, response) + US
    return made


def stream(count, size, lost=None, recovery=8 * MS):
    """WRITEs to the next memory each. lost: number of the one of which a packet is lost."""
    made, time = Connection(), START
    for i in range(count):
        time = made.write(time, True, 0x100000 + i * size, 0x77, size, **({"lost": 0, "recovery": recovery} if i == lost else {})) + US
    return made


def read_stream(count, size):
    made, time = Connection(), START
    for i in range(count):
        time = made.read(time, True, 0x100000 + i * size, 0x77, size) + US
    return made


def notify(runs, writes, size):
    """WRITEs to two regions of b, and one with immediate data after each run of them."""
    made, time = Connection(), START
    for i in range(runs):
        for part in range(writes):
            time = made.write(time, True, 0x100000 + part * size, 0x77, size) + US
        time = made.write(time, True, 0x900000, 0x88, 16, immediate=i) + 10 * US
    return made


def poll(count, size=8, spacing=20 * US, late=None):
    """READs of the same memory. late: {number: ns}."""
    made, time = Connection(), START
    for i in range(count):
        time = made.read(time, False, 0x5000, 0x99, size, late=(late or {}).get(i, 0)) + spacing
    return made


def locks(count):
    made, time = Connection(), START
    for i in range(count):
        time = made.atomic(time, True, 0x6000, 0xaa) + 3 * US
    return made
