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
from conversation import Connection, Packet, Scene, over_v1
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

    def test_partitions_show_which_requests_are_answered(self):
        """Requests of two connections with equal PSNs. Limited and full members of a partition answer each other: IBTA vol. 1, 10.9."""
        scene = Scene("partitions", "")
        talks = [Connection(scene, a=("10.0.0.2", 0x11 + number, 100), b=("10.0.0.1", 0x21 + number, 500)) for number in range(2)]
        for number in range(4):
            for talk, p_key in zip(talks, (0x8001, 0x8002)):
                scene.put(Packet(talk, "a", 4, 100 + number, data=b"data", p_key=p_key))
            for talk, p_key in zip(talks, (0x0001, 0x8002)):
                scene.put(Packet(talk, "b", 0x11, 100 + number, syndrome=0x1f, msn=number + 1, p_key=p_key))
        scene.write_capture(self.path("partitions.pcap"))
        found = [json.loads(line) for line in self.lines("connections", "--json", self.path("partitions.pcap"))]
        self.assertEqual(sorted(sorted((c["a"].get("qpn"), c["b"].get("qpn"))) for c in found), [[0x11, 0x21], [0x12, 0x22]])

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

    def test_data_that_another_queue_pair_announced_are_no_evidence(self):
        """A communicator announces on its first queue pair what it moves on all. Each sender has one UDP source port, so ports show nothing."""
        for spread in (False, True):
            hosts = Host(1), Host(2)
            link = Communicator(*hosts, qps=2, spread=spread)
            for pair in link.pairs:
                pair.a.port = pair.b.port = 0xc123
            time = 1000 * MS
            for _ in range(6):
                time = link.transfer(time + 2 * US, [16384]).ended
            pairs = {frozenset((pair.a.local, pair.b.local)) for pair in link.pairs}
            for host in hosts:
                # without the acknowledgements of announcements, which show the pair
                host.frames = [(at, data) for at, data in host.frames
                               if data[42] != nccl.ACKNOWLEDGE or int.from_bytes(data[47:50], "big") != link.pairs[0].a.local]
                path = self.path("announced.pcap")
                host.write(path)
                found = [(c["a"].get("qpn"), c["b"].get("qpn")) for c in map(json.loads, self.lines("connections", "--json", path))]
                with self.subTest(spread=spread, host=host.number):
                    self.assertLessEqual({frozenset(ends) for ends in found if None not in ends}, pairs)

    def test_the_kind_and_length_of_a_response_show_whose_it_is(self):
        """Queue pairs with equal PSNs, without ports: each request was sent before the first response."""
        scene = Scene("kinds", "")
        talks = [Connection(scene, a=("fe80::1", 0x10 + i, 0x100), b=("fe80::2", 0x20 + i, 0x100), dress=over_v1) for i in range(5)]
        requests, responses = [], []
        for i, talk in enumerate(talks):
            if i < 3:
                request, answers = talk.read("a", (7, 400, 100)[i])
            elif i < 4:
                request, answer = talk.atomic("a", 0x14, 0, 1, 2)
                answers = [answer]
            else:
                request, = talk.send("a", 100)
                answers = [talk.ack(request)]
            requests.append(request)
            responses.append(answers)
        scene.put(*requests, *(packet for answers in (responses[i] for i in (2, 4, 1, 3, 0)) for packet in answers))
        path = self.path("kinds.pcap")
        scene.write_capture(path)
        found = [json.loads(line) for line in self.lines("connections", "--json", path)]
        self.assertEqual([(c["a"].get("qpn"), c["b"].get("qpn")) for c in found], [(0x10 + i, 0x20 + i) for i in range(5)])
        messages = [json.loads(line) for line in self.lines("messages", "--json", path)]
        self.assertEqual([(m["complete"], m["status"]) for m in messages], [(True, "good")] * 5)

    def test_requests_of_queue_pairs_that_cannot_be_paired_were_captured(self):
        """Over RoCE v1, without ports, with equal PSNs; then only what one host or the other sent, or the acknowledgements and some requests."""
        kept = {"both": (lambda packet, i: True, []), "acknowledgements": (lambda packet, i: packet.sender == "b", [30, 30]),
                "requests": (lambda packet, i: packet.sender == "a", []),
                "without the last": (lambda packet, i: packet.sender == "b" or i < 28, []),
                "other requests": (lambda packet, i: packet.sender == "b" or i < 1, [30, 30])}
        for name, (is_kept, lost) in kept.items():
            scene = Scene("unpaired", "")
            talks = [Connection(scene, a=("fe80::1", 0x10 + i, 0x100), b=("fe80::2", 0x20 + i, 0x100), dress=over_v1) for i in range(2)]
            for i in range(30):
                sent = [talk.send("a", 100)[0] for talk in talks]
                scene.put(*(packet for packet in sent + [talk.ack(packet) for talk, packet in zip(talks, sent)] if is_kept(packet, i)))
            path = self.path("unpaired.pcap")
            scene.write_capture(path)
            found = [json.loads(line) for line in self.lines("connections", "--json", path)]
            with self.subTest(name):
                self.assertEqual([c["anomalies"]["lost"] for c in found if "lost" in c["anomalies"]], lost)
                rules = {json.loads(line)["rule"] for line in self.lines("stats", "--json", "--type", "finding", path)}
                self.assertEqual("capture_loss" in rules, bool(lost))


if __name__ == "__main__":
    import unittest
    unittest.main()
