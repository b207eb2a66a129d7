# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
Which two queue pairs are connected, without communication management. Queue pairs of a job that share the traffic have equal PSNs, so the PSN of an
acknowledgement can be that of several requests; their UDP source ports are a function of both numbers.
"""
import json
import random

import capfile
import nccl
from cli import CliTest
from nccl import MS, US, Communicator, Host


class Pairing(CliTest):
    def job(self, dice, count=8):
        """Communicators that send at the same time: their hosts and queue pairs."""
        hosts = Host(1), Host(2)
        links = [Communicator(*(hosts if number % 2 else hosts[::-1]), qps=dice.choice((1, 2))) for number in range(count)]
        time = 1000 * MS
        for _ in range(12):
            time = max(link.transfer(time + dice.randrange(3000), [16384]).ended for link in links) + dice.choice((0, 2, 20)) * US
        return hosts, {frozenset((pair.a.local, pair.b.local)) for link in links for pair in link.pairs}

    def test_a_capture_that_begins_anywhere(self):
        """The first packets fit several queue pairs. Without a look at the ports of later ones, 5 of these captures had two exchanged pairs."""
        for seed in range(60):
            dice = random.Random(seed)
            hosts, pairs = self.job(dice)
            frames = sorted(dice.choice(hosts).frames, key=lambda frame: frame[0])
            path = self.path("middle.pcap")
            capfile.write_pcap(path, 1, [(time, data, len(data)) for time, data in frames[dice.randrange(len(frames) // 2):]])
            found = [json.loads(line) for line in self.lines("connections", "--json", path)]
            with self.subTest(seed=seed):
                self.assertEqual({frozenset((c["a"].get("qpn"), c["b"].get("qpn"))) for c in found}, pairs)
                self.assertEqual(len(found), len(pairs))

    def test_a_queue_pair_that_reads_from_its_own_host_is_no_evidence(self):
        """As NCCL does to flush memory. Its two ports are equal: it does not show that ports differ."""
        host, peer = Host(1), Host(2)
        first, second, third = (nccl.Pair(host, peer) for _ in range(3))
        own = [host.qp(), host.qp()]
        first.deliver(first.a, first.a.packets(0x1000, 7, bytes(64)), 1000 * MS)
        for time, opcode, destination, extended in ((1, 0x0c, own[1], bytes(16)), (2, 0x10, own[0], b"\x1f\0\0\1")):
            host.frames.append((1000 * MS + 20 * US + time * US, nccl.frame(host.address, host.address, 0xc123, opcode, destination, 0, extended, b"")))
        # the acknowledgements of one queue pair and the requests of another were captured first
        second.deliver(second.a, second.a.packets(0x2000, 7, bytes(64)), 1001 * MS)
        host.frames = [frame for frame in host.frames if frame[0] != 1001 * MS]
        third.deliver(third.a, third.a.packets(0x3000, 7, bytes(64)), 1001 * MS + 15 * US)
        for pair in (second, third):
            pair.deliver(pair.a, pair.a.packets(0x4000, 7, bytes(64)), 1002 * MS)
        path = self.path("own.pcap")
        host.write(path)
        found = {frozenset((c["a"].get("qpn"), c["b"].get("qpn"))) for c in map(json.loads, self.lines("connections", "--json", path))}
        self.assertLessEqual({frozenset((pair.a.local, pair.b.local)) for pair in (first, second, third)}, found)


if __name__ == "__main__":
    import unittest
    unittest.main()
