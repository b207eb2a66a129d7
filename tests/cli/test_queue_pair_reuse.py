# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Queue pair numbers that are used again, without communication management: each use begins at PSN 0, as the queue pairs of NCCL do. What a new one
writes, and the MSN of its acknowledgements, distinguish it from a retransmission, which repeats both.
"""
import json
import random
import struct

import nccl
from cli import CliTest
from nccl import MS, US, Communicator, Host

SIZES = (8192, 0, 1, 4096, 20000, 129, 1024)
SILENCE = 5000 * MS  # after this, an equal request is a new one too


class Reuse(CliTest):
    def records(self, command, *hosts):
        path = self.path("uses.pcap")
        hosts[0].write(path, hosts[1:])
        return [json.loads(line) for line in self.lines(command, "--json", path)]


class Jobs(Reuse):
    def run_job(self, hosts, start, buffers=0, keys=0, sizes=SIZES, qps=1, cut=False):
        """A job with the same queue pair numbers as the one before. cut: it is killed with a buffer announced and data on its way."""
        for host in hosts:
            host.next_qp = 0x100 * host.number
        link = Communicator(*hosts, qps=qps)
        for name in ("ring", "sizes", "buffers"):
            setattr(link, name, getattr(link, name) + buffers)
        for name in ("ring_key", "sizes_key", "key"):
            setattr(link, name, getattr(link, name) + keys)
        made, time = [], start
        for size in sizes:
            made.append(link.transfer(time, [size]))
            time = made[-1].ended + 100 * US
        if cut:
            pair, packets = link.data_of([20000], link.announce(time, [20000]))[0]
            for i, packet in enumerate(packets[:7]):
                pair.b.send(time + 20 * US + i * nccl.PACKET, *packet)
            time += 100 * US
        return made, time

    def expect(self, found, transfers):
        self.assertEqual([(int(o["id"]), o["data_bytes"], o["verdict"], o["qps"]) for o in found if o["complete"]],
                         [(t.index, t.size, t.verdict, t.qps) for t in transfers])

    def test_other_memory_shows_a_new_use_at_once(self):
        for qps in (1, 2, 4):
            for cut in (False, True):
                for buffers, keys in ((1 << 44, 0), (0, 1 << 24), (1 << 44, 1 << 24)):
                    with self.subTest(qps=qps, cut=cut, buffers=buffers, keys=keys):
                        hosts, made, time = (Host(1), Host(2)), [], 1000 * MS
                        for job in range(3):
                            more, time = self.run_job(hosts, time + MS, job * buffers, job * keys, SIZES[job:], qps, cut and job < 2)
                            made += more
                        for host in hosts:
                            found = self.records("operations", host)
                            self.expect(found, made)
                            self.assertEqual(len(found), len(made) + 2 * cut)
                        connections = self.records("connections", hosts[0])
                        self.assertEqual(len(connections), 3 * qps)
                        self.assertFalse(any(c.get("anomalies", {}).get("retransmission") for c in connections))

    def test_the_same_memory_after_a_silence(self):
        hosts = Host(1), Host(2)
        first, time = self.run_job(hosts, 1000 * MS)
        second, _ = self.run_job(hosts, time + SILENCE)
        self.expect(self.records("operations", hosts[0]), first + second)

    def test_the_same_memory_at_once_is_shown_by_the_acknowledgement(self):
        """The first announcement, which nothing distinguishes from a retransmission, has been counted as one; all others are those of the new job."""
        hosts = Host(1), Host(2)
        first, time = self.run_job(hosts, 1000 * MS)
        second, _ = self.run_job(hosts, time + 10 * MS)
        self.expect(self.records("operations", hosts[0]), first + second[1:])

    def test_a_restart_with_new_pairs_of_the_same_numbers(self):
        """Other ends are connected: packets of each use are of its own connection."""
        a, b = Host(1), Host(2)
        for use, numbers in enumerate(((0x201, 0x202), (0x202, 0x201))):
            for local, remote in zip((0x101, 0x102), numbers):
                a.next_qp, b.next_qp = local - 1, remote - 1
                pair, time = nccl.Pair(a, b), (1000 + 10 * use) * MS
                for queue in (pair.a, pair.b):
                    for i in range(5):
                        pair.deliver(queue, queue.packets(0x1000 * (use + 1), 0x77, bytes(64)), time + i * MS)
        found = self.records("connections", a)
        self.assertEqual(sorted(tuple(sorted((c["a"]["qpn"], c["b"]["qpn"]))) for c in found),
                         [(0x101, 0x201), (0x101, 0x202), (0x102, 0x201), (0x102, 0x202)])


class Retransmissions(Reuse):
    """The first request of a queue pair that comes again is not a new use of it, however late, unless something shows that it is one."""

    def expect_one(self, *hosts):
        found = self.records("connections", *hosts)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_without_its_acknowledgement(self):
        """All acknowledgements are lost after the capture point: the sender repeats its requests until it gives up."""
        for size in (64, 5000):
            a, b = Host(1), Host(2)
            pair = nccl.Pair(a, b)
            packets = [packet for i in range(20) for packet in pair.a.packets(0x10000 * i, 0x77, bytes(size))]
            for attempt in range(7):
                for i, packet in enumerate(packets):
                    time = (1000 + 540 * attempt) * MS + i * nccl.PACKET
                    pair.a.send(time, *packet)
                    if packet[4]:
                        heard = max(pair.b.heard, sum(p[4] for p in packets[:i + 1]))
                        pair.b.heard = heard
                        newest = packets[-1][1] if attempt else packet[1]
                        b.frames.append((time + nccl.DELAY + nccl.ACK, nccl.frame(b.address, a.address, pair.b.port, nccl.ACKNOWLEDGE, pair.a.local, newest,
                                                                                  struct.pack(">I", 0x1f << 24 | heard))))
            found = self.expect_one(b)
            self.assertEqual(found["anomalies"]["retransmission"], 6 * len(packets))

    def test_after_others_in_a_reordered_capture(self):
        """Any order within 40 us, of which no packet is a new use."""
        for seed in range(20):
            draw = random.Random(seed)
            a, b = Host(1), Host(2)
            pair = nccl.Pair(a, b)
            for i in range(12):
                pair.deliver(pair.a, pair.a.packets(0x10000 * i, 0x77, bytes(3000)), 1000 * MS + i * 20 * US, lost=draw.choice((None, 0)),
                             recovery=draw.choice(("nak", 2 * MS)))
            b.frames = [(time + draw.randrange(40) * US, data) for time, data in b.frames]
            self.expect_one(b)

    def test_after_all_24_bits(self):
        """PSN 0 comes again in the sequence."""
        a, b = Host(1), Host(2)
        pair = nccl.Pair(a, b)
        pair.a.psn, time = 0xfffffa, 1000 * MS
        for i in range(20):
            time = pair.deliver(pair.a, pair.a.packets(0x10000 * i, 0x77, bytes(64)), time, lost=0 if i == 6 else None, recovery=6000 * MS)[2] + MS
        self.expect_one(a)


if __name__ == "__main__":
    import unittest
    unittest.main()
