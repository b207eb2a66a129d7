# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Jobs of NCCL over RoCE v2: hosts, communicators with queue pairs, announcements and data, as its InfiniBand transport sends them.

An independent model that knows when each side is ready, and so the cause and the length of each transfer's delay. All times in nanoseconds.
"""
import functools
import struct
import zlib

import capfile
import crc

US, MS = 1000, 1000000
MTU = 1024
DELAY = 5 * US          # one way
PACKET = 200            # between two packets of a sender
ACK = 1 * US            # from a packet to its acknowledgement
SLOTS = 16              # announcements in the ring
MOST_RECEIVES = 8
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM, ACKNOWLEDGE = 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x11
NAK_SEQUENCE = 0x60
# name: (bytes of the size, keys, bytes of an entry)
LAYOUTS = {"old": (4, 1, 32), "two keys": (4, 2, 64), "four keys": (4, 4, 64), "wide": (8, 1, 64), "wide, two keys": (8, 2, 64),
           "wide, four keys": (8, 4, 48)}


def entry(layout, address, size, key, receives, tag, index):
    width, keys, length = LAYOUTS[layout]
    data = struct.pack("<Q", address) + size.to_bytes(width, "little") + struct.pack("<I", key) + bytes(4 * (keys - 1))
    data += struct.pack("<II", receives, tag)
    data += bytes(-len(data) % 8) + struct.pack("<Q", index)
    return data.ljust(length, b"\0")


@functools.lru_cache(maxsize=4096)
def headers(source, destination, port, length):
    """The headers before a BTH, and the CRC of what the invariant CRC covers of them. length: from the BTH to the end of the pad."""
    udp = struct.pack(">HHHH", port, 4791, 8 + length + 4, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 2, 20 + 8 + length + 4, 0, 0x4000, 64, 17, 0, bytes(source), bytes(destination))
    ip = ip[:10] + struct.pack(">H", crc.internet(ip)) + ip[12:]
    return bytes(12) + b"\x08\x00" + ip + udp, zlib.crc32(8 * crc.ONES + crc.mask_ipv4(ip) + udp[:6] + 2 * crc.ONES)


def frame(source, destination, port, opcode, qp, psn, extended=b"", payload=b"", ask=False):
    padding = -len(payload) % 4
    bth = struct.pack(">BBHII", opcode, 0x40 | padding << 4, 0xffff, qp, (ask << 31) | (psn & 0xffffff))
    body = bth + extended + payload + bytes(padding)
    head, state = headers(source, destination, port, len(body))
    return head + body + zlib.crc32(crc.mask_bth(body), state).to_bytes(4, "little")


class Host:
    def __init__(self, number):
        self.number, self.address = number, (10, 0, 0, number)
        self.frames = []
        self.next_qp = 0x100 * number

    def text(self):
        return ".".join(map(str, self.address))

    def qp(self):
        self.next_qp += 1
        return self.next_qp

    def write(self, path, others=()):
        """The capture at this host, or the captures at several of them in one."""
        frames = [f for host in (self,) + tuple(others) for f in host.frames]
        capfile.write_pcap(path, 1, [(time, data, len(data)) for time, data in sorted(frames, key=lambda f: f[0])])


class Queue:
    """One end of a connected pair: what it sends."""

    def __init__(self, host, peer, local, remote):
        self.host, self.peer, self.local, self.remote = host, peer, local, remote
        self.psn = 0
        self.heard = 0      # messages of the other end: MSN
        product = local * remote
        product ^= product >> 20
        product ^= product >> 40
        self.port = 0xc000 | ((product & 0x3fff) ^ (product >> 14 & 0x3f))

    def send(self, time, opcode, psn, extended=b"", payload=b"", ask=False, arrives=True):
        data = frame(self.host.address, self.peer.address, self.port, opcode, self.remote, psn, extended, payload, ask)
        self.host.frames.append((time, data))
        if arrives:
            self.peer.frames.append((time + DELAY, data))

    def packets(self, address, key, data, immediate=None):
        """A WRITE: [(opcode, psn, extended, payload, last)]."""
        parts = [data[at:at + MTU] for at in range(0, len(data), MTU)] or [b""]
        reth = struct.pack(">QII", address, key, len(data))
        tail = b"" if immediate is None else immediate
        packets = []
        for i, part in enumerate(parts):
            first, last = i == 0, i == len(parts) - 1
            if first and last:
                opcode = WRITE_ONLY if immediate is None else WRITE_ONLY_IMM
            elif last:
                opcode = WRITE_LAST if immediate is None else WRITE_LAST_IMM
            else:
                opcode = WRITE_FIRST if first else WRITE_MIDDLE
            packets.append((opcode, self.psn, (reth if first else b"") + (tail if last else b""), part, last))
            self.psn += 1
        return packets


class Pair:
    def __init__(self, a, b):
        local, remote = a.qp(), b.qp()
        self.a, self.b = Queue(a, b, local, remote), Queue(b, a, remote, local)

    def deliver(self, queue, packets, time, lost=None, recovery=None):
        """Sends packets and their acknowledgement. lost: number of one that does not arrive; recovery: "nak", or the timeout in ns.
        Returns the times when the last one was sent, when it arrived and when the acknowledgement arrived."""
        other = self.b if queue is self.a else self.a
        for i, packet in enumerate(packets):
            queue.send(time + i * PACKET, *packet, arrives=i != lost)
        last = time + (len(packets) - 1) * PACKET
        if lost is not None:
            if recovery == "nak":
                seen = time + (lost + 1) * PACKET + DELAY + ACK
                other.send(seen, ACKNOWLEDGE, packets[lost][1], struct.pack(">I", NAK_SEQUENCE << 24 | other.heard))
                again = max(seen + DELAY, last) + ACK
            else:
                again = last + recovery
            for i, packet in enumerate(packets[lost:]):
                queue.send(again + i * PACKET, *packet)
            last = again + (len(packets) - lost - 1) * PACKET
        other.heard += sum(1 for packet in packets if packet[4])
        other.send(last + DELAY + ACK, ACKNOWLEDGE, packets[-1][1], struct.pack(">I", 0x1f << 24 | other.heard))
        return last, last + DELAY, last + 2 * DELAY + ACK


class Transfer:
    """The model's values of a transfer."""

    def __init__(self, communicator, index, size, verdict, cost, qps):
        self.sender, self.receiver = communicator.sender, communicator.receiver
        self.index, self.size, self.verdict, self.cost, self.qps = index, size, verdict, cost, qps
        self.announced = self.begun = self.ended = self.arrived = None


class Communicator:
    """A communicator from one host to another; NCCL has one for each direction and channel."""

    def __init__(self, sender, receiver, layout="two keys", qps=1, big=False, adaptive=False, tag=None, spread=False):
        """spread: transfers take turns on the queue pairs, instead of each being divided among all of them."""
        self.sender, self.receiver, self.layout, self.big, self.adaptive, self.spread = sender, receiver, layout, big, adaptive, spread
        self.pairs = [Pair(receiver, sender) for _ in range(qps)]
        self.tag = sender.number if tag is None else tag
        self.index = 0
        self.ring, self.ring_key, self.sizes, self.sizes_key = 0x7f0000000000 + self.pairs[0].a.local * 0x100000, 0x9000 + self.pairs[0].a.local, \
            0x7e0000000000 + self.pairs[0].a.local * 0x100000, 0xa000 + self.pairs[0].a.local
        self.buffers, self.key = 0x7d0000000000 + self.pairs[0].a.local * 0x1000000, 0x5000 + self.pairs[0].a.local
        self.done = None    # when the data of the last transfer was sent

    def immediate(self, size):
        return struct.pack(">I" if self.big else "<I", size)

    def announce(self, time, sizes):
        self.index += 1
        slot = self.index % SLOTS
        entries = []
        addresses = []
        for i, size in enumerate(sizes):
            addresses.append(self.buffers + ((self.index * len(sizes) + i) % SLOTS) * 0x10000)
            entries.append(entry(self.layout, addresses[-1], max(size, 0x40000), self.key, len(sizes), self.tag + i, self.index))
        pair = self.pairs[0]
        data = b"".join(entries)
        pair.deliver(pair.a, pair.a.packets(self.ring + slot * MOST_RECEIVES * len(entries[0]), self.ring_key, data), time)
        return addresses

    def current_pairs(self):
        """The queue pairs of the current transfer."""
        return [self.pairs[self.index % len(self.pairs)]] if self.spread else self.pairs

    def data_of(self, sizes, addresses):
        """[(pair, packets)] of all queue pairs."""
        parts = []
        pairs = self.current_pairs()
        for number, pair in enumerate(pairs):
            packets = []
            pieces = []
            for size, address in zip(sizes, addresses):
                chunk = -(-(-(-size // len(pairs))) // 128) * 128
                begin = min(number * chunk, size)
                pieces.append((address + number * chunk, bytes(min(chunk, size - begin))))
            tail = len(sizes) > 1 or self.adaptive
            for i, (address, data) in enumerate(pieces):
                ends = not tail and i == len(pieces) - 1
                packets += pair.b.packets(address, self.key, data, self.immediate(sizes[0]) if ends else None)
            if len(sizes) > 1:
                packets += pair.b.packets(self.sizes, self.sizes_key, struct.pack("<%dI" % len(sizes), *sizes), self.immediate(0))
            elif tail:
                packets += pair.b.packets(0, 0, b"", self.immediate(sizes[0]))
            parts.append((pair, packets))
        return parts

    def transfer(self, time, sizes, sender_late=0, receiver_late=0, lost=None, recovery=None):
        """One transfer, in which both sides are ready at `time` unless they are late. Sizes of one or several receives."""
        return self.carry(time + receiver_late, max(time, time + receiver_late) + sender_late, sizes, lost, recovery)

    def carry(self, announced, ready, sizes, lost=None, recovery=None):
        """A transfer that is announced at one time, and for which the sender is ready at another."""
        addresses = self.announce(announced, sizes)
        begin = max(announced + DELAY, ready) + 2 * US
        ends, acks = [], []
        for pair, packets in self.data_of(sizes, addresses):
            end, _, ack = pair.deliver(pair.b, packets, begin, lost=lost, recovery=recovery)
            lost = None
            ends.append(end)
            acks.append(ack)
        expected = begin + PACKET * (max(1, sum(-(-size // MTU) for size in sizes)) - 1)
        cost = {"sender late": max(0, ready - announced), "receiver late": 0, "network": max(0, max(ends) - expected)}
        # doc/nccl.md: the sender can only have waited if its data follows at once
        if self.done is not None and cost["sender late"] < MS:
            cost["receiver late"] = max(0, announced - self.done)
        verdict = max(cost, key=cost.get)
        verdict = verdict if cost[verdict] >= MS else "none"
        made = Transfer(self, self.index, sum(sizes), verdict, cost.get(verdict, 0), len(self.current_pairs()))
        made.announced, made.begun, made.ended, made.arrived = announced, begin, max(acks), max(ends) + DELAY
        self.done, self.ended = max(ends), made.ended
        return made


class Job:
    """Transfers of a job with the model's truth: how long each host was late by itself, and how long the whole job paused."""

    def __init__(self, hosts):
        self.transfers, self.late, self.paused = [], {host: 0 for host in hosts}, 0

    def pause(self, time, ready):
        self.paused += time
        begin = max(ready.values())
        for host in ready:
            ready[host] = begin + time


class Announcements:
    """When buffers are announced: for a step, when the receiver was ready for the step `ahead` steps before it."""

    def __init__(self, ahead, start):
        self.ahead, self.start, self.times = ahead, start, {}

    def of(self, host, begun):
        times = self.times.setdefault(host, [])
        times.append(begun)
        return times[-1 - self.ahead] if len(times) > self.ahead else self.start


def ring(hosts, steps, size, start=1000 * MS, late=None, gap=50 * US, pauses=None, announce_early=False, lost=None, jitter=None, ahead=0, of=None, **how):
    """An AllReduce in a ring: in each step every host sends to the next one what it received in the step before. late: {(step, host): ns} a
    host begins a step later than it could. pauses: {step: ns} all of them. announce_early: buffers are announced before a host is late or pauses.
    lost: {(step, sender): timeout in ns}. jitter: {host: ns} by which a host is behind others after a pause. ahead: buffers are announced so many
    steps before. Returns the transfers; of: a Job
    that is filled."""
    of, late, pauses = of or Job(hosts), late or {}, pauses or {}
    links = [Communicator(host, hosts[(i + 1) % len(hosts)], **how) for i, host in enumerate(hosts)]
    ready, announcements = {host: start for host in hosts}, Announcements(ahead, start)
    for step in range(steps):
        early = dict(ready)
        if step in pauses:
            of.pause(pauses[step], ready)
            for host in hosts:
                ready[host] += (jitter or {}).get(host, 0)
        begun = {host: ready[host] + late.get((step, host), 0) for host in hosts}
        for host in hosts:
            of.late[host] += late.get((step, host), 0)
        for link in links:
            timeout = (lost or {}).get((step, link.sender))
            announced = early[link.receiver] if announce_early else announcements.of(link.receiver, begun[link.receiver])
            made = link.carry(announced, begun[link.sender], [size], **({"lost": 2, "recovery": timeout} if timeout else {}))
            made.step = step
            of.transfers.append(made)
            for host in (link.sender, link.receiver):
                ready[host] = max(ready[host], made.ended + gap)
    return of.transfers


def tree(hosts, steps, size, start=1000 * MS, gap=50 * US, late=None, pauses=None, lost=None, ahead=0, of=None, **how):
    """A binary tree, host 0 at the root: reduce to the root, then broadcast. All buffers of a step are announced when their host begins it; data
    is sent when what it depends on has arrived. late: {(step, host): ns}. pauses: {step: ns}. lost: {(step, sender): timeout in ns}, upwards. ahead:
    buffers are announced so many steps before."""
    of, late, pauses = of or Job(hosts), late or {}, pauses or {}
    parents = {child: (child - 1) // 2 for child in range(len(hosts) - 1, 0, -1)}
    up = {child: Communicator(hosts[child], hosts[parent], **how) for child, parent in parents.items()}
    down = {child: Communicator(hosts[parent], hosts[child], **how) for child, parent in parents.items()}
    ready, announcements = {host: start for host in hosts}, Announcements(ahead, start)
    for step in range(steps):
        if step in pauses:
            of.pause(pauses[step], ready)
        begun = {host: ready[host] + late.get((step, host), 0) for host in hosts}
        for host in hosts:
            of.late[host] += late.get((step, host), 0)
        arrived, announced = dict(begun), {host: announcements.of(host, begun[host]) for host in hosts}
        for child, parent in parents.items():
            timeout = (lost or {}).get((step, hosts[child]))
            made = up[child].carry(announced[hosts[parent]], arrived[hosts[child]], [size], **({"lost": 2, "recovery": timeout} if timeout else {}))
            made.step = step
            of.transfers.append(made)
            arrived[hosts[parent]] = max(arrived[hosts[parent]], made.arrived)
        for child, parent in reversed(parents.items()):
            made = down[child].carry(announced[hosts[child]], arrived[hosts[parent]], [size])
            made.step = step
            of.transfers.append(made)
            arrived[hosts[child]] = made.arrived
        # the next step begins when all data was acknowledged
        for link in list(up.values()) + list(down.values()):
            for host in (link.sender, link.receiver):
                ready[host] = max(ready[host], link.ended + gap)
    return of.transfers


def straggling_ring(path):
    """Writes a ring of four hosts, captured at all of them, with a straggler, a loss and a pause. Returns the path."""
    hosts = [Host(i + 1) for i in range(4)]
    ring(hosts, 12, 20000, late={(3, hosts[1]): 5 * MS}, lost={(6, hosts[2]): 8 * MS}, pauses={9: 20 * MS})
    hosts[0].write(path, hosts[1:])
    return path
