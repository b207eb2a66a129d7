# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Queue pair numbers that are used again, without communication management. Where each use begins at PSN 0, as the queue pairs of NCCL do, what a new one
writes, and the MSN of its acknowledgements, distinguish it from a retransmission, which repeats both; elsewhere, its PSN.
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


class OtherSequences(Reuse):
    """Each use begins at PSNs of its own, as most programs choose them: one far from where the sequence was, sooner than its sender could get there."""

    def run_uses(self, uses, pause):
        """uses: (number of a, of b, first PSN of a, of b) of each."""
        a, b, time, expected = Host(1), Host(2), 1000 * MS, []
        for number, (local, remote, *psns) in enumerate(uses):
            a.next_qp, b.next_qp = local - 1, remote - 1
            pair = nccl.Pair(a, b)
            pair.a.psn, pair.b.psn = psns
            for queue in (pair.a, pair.b):
                for _ in range(5):
                    time = pair.deliver(queue, queue.packets(0x10000 * (number + 1), 0x77, bytes(3000)), time)[2] + MS
            expected.append((local, remote))
            time += pause
        return a, expected

    def test_other_psns_show_a_new_use(self):
        dice = random.Random(1)
        for numbers in ([(0x101, 0x201)] * 3, [(0x101, 0x201), (0x101, 0x202), (0x101, 0x203)], [(0x101, 0x201), (0x102, 0x201), (0x103, 0x201)]):
            for pause in (100 * US, 10 * MS, 1000 * MS):
                first = dice.sample(range(0, 1 << 24, 1 << 18), 6)
                host, expected = self.run_uses([(*ends, *first[2 * i:2 * i + 2]) for i, ends in enumerate(numbers)], pause)
                with self.subTest(numbers=numbers, pause=pause):
                    found = self.records("connections", host)
                    self.assertEqual([(c["a"]["qpn"], c["b"]["qpn"], c["packets"], c["anomalies"]) for c in found],
                                     [(*ends, len(host.frames) // 3, {}) for ends in expected])
                    messages = self.records("messages", host)
                    self.assertEqual(len(messages), 30)
                    self.assertEqual([m["connection"] for m in messages], [c["connection"] for c in found for _ in range(10)])
                    self.assertTrue(all(m["complete"] and m["status"] == "good" and m["answered_in"] for m in messages))

    def test_a_sender_can_be_there_after_a_long_silence(self):
        host, _ = self.run_uses([(0x101, 0x201, 100, 1 << 20), (0x101, 0x201, 5 << 20, 9 << 20)], 3600 * 1000 * MS)
        found, = self.records("connections", host)
        self.assertEqual(found["anomalies"], {"resynchronised": 2})

    def test_a_sender_is_there_when_the_capture_lacks_what_it_sent(self):
        host = Host(1)
        pair, time = nccl.Pair(host, Host(2)), 1000 * MS
        for part in range(3):
            for _ in range(200):
                pair.deliver(pair.a, pair.a.packets(0x10000, 0x77, bytes(4096)), time)
                time += 4 * nccl.PACKET
            pair.a.psn += 100000
            pair.b.heard += 25000
            time += 100000 * nccl.PACKET
        found, = self.records("connections", host)
        self.assertEqual(found["anomalies"], {"resynchronised": 2})

    def test_the_path_mtu_is_not_that_of_the_use_before(self):
        """Or of what the capture lacks: a READ takes other numbers of PSNs."""
        host, peer = Host(1), Host(2)
        pair, time, data = nccl.Pair(host, peer), 1000 * MS, bytes(range(256)) * 16

        def read(time, psn, pmtu):
            pair.a.send(time, 0x0c, psn, struct.pack(">QII", 0x1000, 7, len(data)), b"", True)
            count = len(data) // pmtu
            for i in range(count):
                opcode = 0x10 if count == 1 else 0x0d if not i else 0x0f if i == count - 1 else 0x0e
                pair.b.send(time + 20 * US + i * US, opcode, psn + i, b"" if opcode == 0x0e else b"\x1f\0\0\1", data[i * pmtu:][:pmtu], False)
            return psn + count

        for use, (pmtu, psn) in enumerate(((512, 100), (4096, 1 << 20), (256, 1 << 22))):
            for i in range(3):
                psn = read(time + (3600 * use + i) * 1000 * MS, psn, pmtu)
        messages = self.records("messages", host)
        self.assertEqual([(m["complete"], m["length"], m["status"]) for m in messages], [(True, len(data), "good")] * 9)


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
