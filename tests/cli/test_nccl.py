# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""NCCL: transfers, sizes and causes of delays, against a model of hosts that knows when each side was ready (generate/nccl.py)."""
import json
import os
import random
import struct

import capfile
import nccl
from cli import CliTest, TESTDATA
from nccl import MS, Communicator, Host

SIZES = (8192, 0, 1, 4096, 40000, 128, 129, 0, 60000, 1024)
CLOSE = 0.0005 # seconds by which a capture at one end can differ from the model


class Nccl(CliTest):
    def operations(self, host, *others, options=()):
        path = self.path("job.pcap")
        host.write(path, others)
        return [json.loads(line) for line in self.lines("operations", "--json", *options, path)]

    def pair(self, **how):
        sender, receiver = Host(1), Host(2)
        return sender, receiver, Communicator(sender, receiver, **how)

    def expect(self, found, transfers):
        """The operations are the transfers: index, bytes, verdict, delays, queue pairs."""
        self.assertEqual([(o["layer"], o["name"], int(o["id"]), o["data_bytes"], o["verdict"], o["qps"], o["complete"], o["ok"]) for o in found],
                         [("nccl", "recv", t.index, t.size, t.verdict, t.qps, True, True) for t in transfers])
        costs = {"sender late": "sender_wait", "receiver late": "receiver_wait", "network": "network_time"}
        for o, t in zip(found, transfers):
            for verdict, key in costs.items():
                if t.verdict == verdict:
                    self.assertAlmostEqual(o[key], t.cost / 1e9, delta=CLOSE, msg="transfer %d: %s" % (t.index, o))
                elif key in o:
                    self.assertLess(o[key], 0.001, "transfer %d: %s" % (t.index, o))

    def run_job(self, link, sizes=SIZES, gap=100 * nccl.US, events=None):
        """Transfers one after the other. events: {number: arguments of Communicator.transfer()}"""
        made, time = [], 1000 * MS
        for number, size in enumerate(sizes):
            made.append(link.transfer(time, size if isinstance(size, list) else [size], **(events or {}).get(number, {})))
            time = made[-1].ended + gap
        return made


class Layouts(Nccl):
    def test_each_layout_is_inferred_from_later_packets(self):
        for layout in nccl.LAYOUTS:
            for big in (False, True):
                for qps in (1, 4):
                    with self.subTest(layout=layout, big=big, qps=qps):
                        sender, receiver, link = self.pair(layout=layout, big=big, qps=qps)
                        made = self.run_job(link)
                        self.expect(self.operations(sender), made)
                        self.expect(self.operations(receiver), made)

    def test_one_transfer_is_recognised(self):
        """Memory and immediate data of the same transfer are two signs."""
        for layout in nccl.LAYOUTS:
            for sizes in ([1000], [0], [1000, 2000], [0, 7, 4096]):
                for qps, adaptive in ((1, False), (2, False), (1, True)):
                    # two entries of 32 bytes are also one of 64: later announcements decide
                    if (sizes == [0] and (qps > 1 or adaptive)) or (layout == "old" and len(sizes) > 1):
                        continue
                    with self.subTest(layout=layout, sizes=sizes, qps=qps, adaptive=adaptive):
                        sender, receiver, link = self.pair(layout=layout, qps=qps, adaptive=adaptive)
                        made = self.run_job(link, [sizes])
                        self.expect(self.operations(receiver), made)

    def test_the_first_and_the_last_of_data_frames_with_one_time(self):
        """The queue pairs begin at the same time; the shorter part of the data is complete first."""
        sender, _, link = self.pair(qps=2)
        made = self.run_job(link, (4200, 8300, 4200))
        found = self.operations(sender)
        frames = sorted(sender.frames, key=lambda frame: frame[0])
        for o, t in zip(found, made):
            data = [number for number, (time, packet) in enumerate(frames, 1) if t.begun <= time <= t.ended and 6 <= packet[42] <= 11]
            last = frames[data[-1] - 1][0]
            self.assertEqual((o["first_data_frame"], o["last_data_frame"]), (data[0], max(n for n in data if frames[n - 1][0] == last)), t.index)

    def test_the_tail_of_adaptive_routing_belongs_to_its_transfer(self):
        for qps in (1, 2):
            sender, receiver, link = self.pair(adaptive=True, qps=qps)
            made = self.run_job(link)
            self.expect(self.operations(receiver), made)
            self.expect(self.operations(sender), made)

    def test_several_receives_are_one_transfer(self):
        for layout in nccl.LAYOUTS:
            with self.subTest(layout=layout):
                sender, receiver, link = self.pair(layout=layout)
                made = self.run_job(link, [[1000, 2000], [3000] * 8, [5, 0, 7], [1, 1]])
                found = self.operations(sender)
                self.expect(found, made)
                self.assertEqual([o["nreqs"] for o in found], [2, 8, 3, 2])
                self.assertEqual([o["tag"] for o in found], [1] * 4)

    def test_fields_are_those_of_the_announcement(self):
        for layout in nccl.LAYOUTS:
            sender, receiver, link = self.pair(layout=layout)
            made = self.run_job(link)
            path = self.path("job.pcap")
            receiver.write(path)
            packets = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "nccl.cts")]
            shown = [(int(p["nccl.cts.idx"]), p["nccl.cts.rkey"], p["nccl.cts.nreqs"], p["nccl.cts.tag"], p["nccl.cts.size"]) for p in packets]
            wanted = [(t.index, link.key, 1, 1, 0x40000) for t in made]
            # the first one is proven by later packets
            self.assertEqual(shown, wanted[-len(shown):])
            self.assertGreaterEqual(len(shown), len(wanted) - 2)
            data = [json.loads(line) for line in self.lines("-r", path, "-T", "json", "-Y", "nccl.data.size")]
            self.assertEqual([(int(p["nccl.data.idx"]), p["nccl.data.size"]) for p in data][-8:], [(t.index, t.size) for t in made][-8:])


class Verdicts(Nccl):
    def both(self, events, sizes=SIZES, **how):
        sender, receiver, link = self.pair(**how)
        made = self.run_job(link, sizes, events=events)
        for host in (sender, receiver):
            with self.subTest(at=host.text()):
                self.expect(self.operations(host), made)
        return made

    def test_a_late_sender(self):
        made = self.both({4: {"sender_late": 5 * MS}, 7: {"sender_late": 2 * MS}})
        self.assertEqual([t.verdict for t in made].count("sender late"), 2)

    def test_a_late_receiver(self):
        made = self.both({4: {"receiver_late": 5 * MS}, 6: {"receiver_late": 30 * MS}})
        self.assertEqual([t.verdict for t in made].count("receiver late"), 2)

    def test_a_packet_is_lost_and_sent_again_after_a_timeout(self):
        made = self.both({4: {"lost": 3, "recovery": 8 * MS}})
        self.assertEqual(made[4].verdict, "network")

    def test_a_lost_packet_that_a_nak_repairs_costs_little(self):
        sender, receiver, link = self.pair()
        made = self.run_job(link, events={4: {"lost": 3, "recovery": "nak"}})
        found = self.operations(sender)
        self.assertEqual([o["verdict"] for o in found], ["none"] * len(made))
        self.assertGreater(found[4]["network_time"], 2e-6)
        self.assertGreater(found[4]["repeats"], 0)
        self.assertEqual(max(found, key=lambda o: o["network_time"]), found[4])

    def test_verdicts_with_several_queue_pairs(self):
        self.both({3: {"sender_late": 5 * MS}, 5: {"receiver_late": 5 * MS}, 8: {"lost": 2, "recovery": 6 * MS}}, qps=4, layout="wide, four keys")


class Jobs(Nccl):
    def test_rings_at_each_host(self):
        hosts = [Host(i + 1) for i in range(4)]
        made = nccl.ring(hosts, 12, 20000, late={(5, hosts[2]): 5 * MS})
        for host in hosts:
            with self.subTest(at=host.text()):
                seen = [t for t in made if host in (t.sender, t.receiver)]
                found = self.operations(host)
                self.assertEqual(sorted((o["object"], int(o["id"]), o["data_bytes"], o["verdict"]) for o in found),
                                 sorted((o["object"], t.index, t.size, t.verdict) for o, t in zip(self.in_order(found), self.by_announcement(seen, host))))

    @staticmethod
    def in_order(found):
        return sorted(found, key=lambda o: (o["tag"], int(o["id"])))

    @staticmethod
    def by_announcement(transfers, host):
        return sorted(transfers, key=lambda t: (t.sender.number, t.index))

    def test_trees(self):
        hosts = [Host(i + 1) for i in range(7)]
        made = nccl.tree(hosts, 3, 5000)
        found = self.operations(hosts[0], *hosts[1:])
        self.assertEqual(len(found), len(made))
        self.assertEqual(sum(o["data_bytes"] for o in found), sum(t.size for t in made))
        self.assertTrue(all(o["complete"] and o["verdict"] == "none" for o in found))


class Causes(Nccl):
    """A delay is a host's own if the host did not wait itself; a pause of the whole job is not attributed to a host."""

    def job(self, make, count, steps=12, captured=None, **how):
        hosts = [Host(i + 1) for i in range(count)]
        job = nccl.Job(hosts)
        how = {key: {(step, hosts[host]): time for (step, host), time in value.items()} if key in ("late", "lost") else value for key, value in how.items()}
        make(hosts, steps, 20000, of=job, **how)
        seen = hosts if captured is None else [hosts[captured]]
        found = self.operations(seen[0], *seen[1:])
        self.assertEqual(len(found), sum(t.sender in seen or t.receiver in seen for t in job.transfers))
        self.assertTrue(all(o["complete"] for o in found))
        return hosts, job, found

    @staticmethod
    def own_delays(found, hosts):
        """By host: the longest delay of its own, in seconds."""
        own = {host: 0 for host in hosts}
        # the buffer's address contains the number of the receiver's first queue pair, which contains the host's number
        for o in found:
            receiver = hosts[(int(o["object"].split()[0], 16) - 0x7d0000000000) // 0x100000000 - 1]
            sender = hosts[o["tag"] - 1]
            own[receiver] = max(own[receiver], o.get("receiver_own", 0))
            own[sender] = max(own[sender], o.get("sender_own", 0))
        return own

    def expect_own(self, found, hosts, late):
        for host, own in self.own_delays(found, hosts).items():
            self.assertAlmostEqual(own, late.get(host, 0) / 1e9, delta=CLOSE, msg=host.text())

    def test_only_the_straggler_has_its_own_delay(self):
        for make, count in ((nccl.ring, 4), (nccl.ring, 6), (nccl.tree, 4), (nccl.tree, 7)):
            for straggler in range(count):
                with self.subTest(make=make.__name__, hosts=count, straggler=straggler + 1):
                    hosts, job, found = self.job(make, count, late={(5, straggler): 5 * MS})
                    self.assertGreater([o["verdict"] for o in found].count("sender late"), 1)
                    self.assertNotIn("pause", [o["verdict"] for o in found])
                    self.expect_own(found, hosts, job.late)

    def test_a_straggler_whose_buffers_were_announced_before(self):
        hosts, job, found = self.job(nccl.ring, 5, late={(5, 2): 5 * MS}, announce_early=True)
        self.assertNotIn("pause", [o["verdict"] for o in found])
        self.expect_own(found, hosts, job.late)

    def test_a_pause_of_the_whole_job_is_no_delay_of_a_host(self):
        for make, count in ((nccl.ring, 4), (nccl.ring, 6), (nccl.tree, 4), (nccl.tree, 7)):
            with self.subTest(make=make.__name__, hosts=count):
                hosts, job, found = self.job(make, count, pauses={4: 50 * MS, 8: 20 * MS})
                links = {o["connection"] for o in found}
                self.assertEqual([o["verdict"] for o in found if o["verdict"] != "none"], ["pause"] * 2 * len(links))
                self.assertAlmostEqual(sum(o["pause"] for o in found) / len(links), job.paused / 1e9, delta=2 * CLOSE)
                self.expect_own(found, hosts, {})

    def test_a_pause_with_buffers_announced_before_it(self):
        hosts, job, found = self.job(nccl.ring, 4, pauses={4: 50 * MS}, announce_early=True)
        self.assertEqual([o["verdict"] for o in found if o["verdict"] != "none"], ["pause"] * 4)
        self.expect_own(found, hosts, {})

    def test_a_pause_with_buffers_announced_steps_ahead(self):
        for make, count, captured in ((nccl.ring, 2, None), (nccl.ring, 4, None), (nccl.ring, 4, 0), (nccl.ring, 5, 3), (nccl.tree, 3, None), (nccl.tree, 3, 0),
                                      (nccl.tree, 7, None), (nccl.tree, 7, 1)):
            for ahead in (1, 7):
                with self.subTest(make=make.__name__, hosts=count, captured=captured, ahead=ahead):
                    hosts, job, found = self.job(make, count, 24, captured, pauses={10: 50 * MS, 18: 20 * MS}, ahead=ahead)
                    links = {o["connection"] for o in found}
                    self.assertEqual([o["verdict"] for o in found if o["verdict"] != "none"], ["pause"] * 2 * len(links))
                    self.assertAlmostEqual(sum(o["pause"] for o in found) / len(links), job.paused / 1e9, delta=2 * CLOSE)
                    self.expect_own(found, hosts, {})

    def test_a_pause_after_a_transfer_that_was_not_captured_whole(self):
        """Its acknowledgement shows that it is over. Only the delay of the one after it on the connection is unknown."""
        for make, count, captured in ((nccl.ring, 4, None), (nccl.ring, 4, 0), (nccl.tree, 7, None)):
            with self.subTest(make=make.__name__, captured=captured):
                hosts = [Host(i + 1) for i in range(count)]
                job = nccl.Job(hosts)
                make(hosts, 12, 20000, of=job, pauses={4: 50 * MS})
                seen = hosts if captured is None else [hosts[captured]]
                last = max((t for t in job.transfers if t.step == 3 and (t.sender in seen or t.receiver in seen)), key=lambda t: t.ended)
                lost = {f[1] for f in last.receiver.frames if last.begun < f[0] < last.ended and f[1][42] == 7 and f[1][26:30] == bytes(last.sender.address)}
                lost = min(lost)
                for host in hosts:
                    host.frames = [f for f in host.frames if f[1] != lost]
                found = self.operations(seen[0], *seen[1:])
                self.assertEqual([o["complete"] for o in found].count(False), 1)
                links = {o["connection"] for o in found}
                self.assertEqual([o["verdict"] for o in found if o["verdict"] != "none"], ["pause"] * (len(links) - 1))

    def test_a_straggler_whose_buffers_were_announced_steps_ahead(self):
        for make, count, captured in ((nccl.ring, 2, None), (nccl.ring, 4, None), (nccl.ring, 4, 1), (nccl.tree, 3, None), (nccl.tree, 3, 0), (nccl.tree, 7, None)):
            for ahead in (1, 7):
                for pauses in ({}, {10: 50 * MS}):
                    with self.subTest(make=make.__name__, hosts=count, captured=captured, ahead=ahead, pauses=pauses):
                        hosts, job, found = self.job(make, count, 24, captured, late={(13, 1): 5 * MS}, pauses=pauses, ahead=ahead)
                        self.expect_own(found, hosts, job.late)

    def test_the_last_host_after_a_pause_is_late(self):
        hosts, job, found = self.job(nccl.ring, 4, pauses={4: 50 * MS}, late={(4, 1): 6 * MS})
        self.expect_own(found, hosts, job.late)
        self.assertAlmostEqual(max(o["pause"] for o in found), 0.05, delta=CLOSE)

    def test_loss_makes_no_host_late(self):
        for make, count in ((nccl.ring, 5), (nccl.tree, 7)):
            with self.subTest(make=make.__name__):
                hosts, job, found = self.job(make, count, lost={(5, 2): 8 * MS})
                self.assertEqual([o["verdict"] for o in found].count("network"), 1)
                self.assertAlmostEqual(max(o["network_time"] for o in found), 0.008, delta=CLOSE)
                self.expect_own(found, hosts, {})

    def test_one_link_shows_no_pause_of_the_job(self):
        sender, receiver, link = self.pair()
        made = self.run_job(link, events={4: {"receiver_late": 30 * MS}})
        self.expect(self.operations(sender), made)


class Idle(Nccl):
    def test_a_connection_that_becomes_idle_keeps_no_memory(self):
        hosts = [Host(number) for number in (1, 2, 3)]
        first, second = (Communicator(hosts[0], host) for host in hosts[1:])
        time, made = 1000 * MS, []
        for link, count, gap in ((first, 3, MS), (second, 1000, 2 * MS)):
            for _ in range(count):
                made.append(link.transfer(time, [1024]))
                time = made[-1].ended + gap
        self.expect(self.operations(hosts[0], options=("--max-memory", "1M")), made)


class Statistics(Nccl):
    def records(self, hosts, *others, options=()):
        path = self.path("job.pcap")
        hosts.write(path, others)
        return [json.loads(line) for line in self.lines("stats", "--json", *options, path)]

    def job(self, make, count, steps=12, captured=None, **how):
        """The model's job, and the records of a capture at all hosts, or at the given ones."""
        hosts = [Host(i + 1) for i in range(count)]
        job = nccl.Job(hosts)
        how = {key: {(step, hosts[host]): time for (step, host), time in value.items()} if key in ("late", "lost") else value for key, value in how.items()}
        make(hosts, steps, 20000, of=job, **how)
        seen = [hosts[i] for i in captured] if captured else hosts
        return hosts, job, self.records(seen[0], *seen[1:])

    @staticmethod
    def of(records, kind):
        return [record for record in records if record["type"] == kind]

    def rules(self, records):
        return [record["rule"] for record in self.of(records, "finding")]

    def test_transfers_bytes_and_shape(self):
        for make, count, shape, links in ((nccl.ring, 4, "ring", 4), (nccl.ring, 7, "ring", 7), (nccl.tree, 4, "tree", 6), (nccl.tree, 7, "tree", 12)):
            with self.subTest(shape=shape, hosts=count):
                hosts, job, records = self.job(make, count)
                found, = self.of(records, "job")
                self.assertEqual([found[key] for key in ("layer", "hosts", "links", "shape", "transfers", "data_bytes")],
                                 ["nccl", count, links, shape, len(job.transfers), sum(t.size for t in job.transfers)])
                self.assertNotIn("straggler", found)
                self.assertEqual(self.rules(records), [])
                for record in self.of(records, "host"):
                    host, = (h for h in hosts if h.text() == record["host"])
                    self.assertEqual([record["received"], record["sent"]],
                                     [sum(t.receiver is host for t in job.transfers), sum(t.sender is host for t in job.transfers)])

    def test_one_host_of_a_ring_sees_a_part(self):
        hosts, job, records = self.job(nccl.ring, 5, captured=[2])
        found, = self.of(records, "job")
        self.assertEqual((found["hosts"], found["links"], found["shape"]), (3, 2, "part of a ring"))

    def test_two_jobs_are_two(self):
        first, second = [Host(i) for i in range(1, 5)], [Host(i) for i in range(5, 9)]
        nccl.ring(first, 8, 20000, late={(3, first[1]): 5 * MS})
        nccl.tree(second, 8, 20000, pauses={4: 30 * MS})
        records = self.records(first[0], *first[1:], *second)
        self.assertEqual(sorted((job["shape"], job.get("straggler")) for job in self.of(records, "job")), [("ring", "10.0.0.2"), ("tree", None)])
        self.assertAlmostEqual(max(job["pause"]["time_lost"] for job in self.of(records, "job")), 0.03, delta=CLOSE)

    def test_the_straggler_is_named(self):
        for make, count in ((nccl.ring, 4), (nccl.ring, 6), (nccl.tree, 7)):
            for straggler in range(count):
                with self.subTest(make=make.__name__, straggler=straggler + 1):
                    hosts, job, records = self.job(make, count, late={(5, straggler): 5 * MS, (9, straggler): 3 * MS})
                    found, = self.of(records, "job")
                    self.assertEqual((found["straggler"], found["straggler_certain"]), (hosts[straggler].text(), True))
                    finding = [record for record in self.of(records, "finding") if record["rule"] == "straggler"]
                    self.assertEqual([(record["host"], record["certain"]) for record in finding], [(hosts[straggler].text(), True)])
                    self.assertAlmostEqual(finding[0]["longest_delay"], 0.005, delta=CLOSE)
                    self.assertNotIn("network_delays", self.rules(records))

    def test_a_straggler_seen_by_one_host_is_not_certain(self):
        """A neighbour that waits for a host whose transfers were not captured seems to be late by itself."""
        for hosts, captured in ((3, 2), (4, 3), (7, 5)):
            with self.subTest(hosts=hosts):
                found, = self.of(self.job(nccl.tree, hosts, captured=[captured], late={(5, 1): 5 * MS, (9, 1): 3 * MS})[2], "job")
                self.assertFalse(found.get("straggler_certain", False), found)

    def test_short_waits_make_no_straggler(self):
        for make, count, captured in ((nccl.ring, 2, None), (nccl.ring, 7, [0]), (nccl.tree, 7, [3])):
            found, = self.of(self.job(make, count, steps=40, captured=captured, ahead=7)[2], "job")
            self.assertNotIn("straggler", found)

    def test_rings_and_trees_at_once(self):
        """Each host's capture, and that of all of them, has all of its transfers."""
        for seed in range(6):
            dice = random.Random(seed)
            hosts = [Host(i + 1) for i in range(dice.randrange(3, 9))]
            job, late = nccl.Job(hosts), {(step, hosts[1]): 4 * MS for step in (3, 5)} if seed % 2 else {}
            for make in (nccl.ring, nccl.tree, nccl.ring):
                make(hosts, 8, 20000, of=job, late=late, ahead=dice.choice((0, 1, 7)), layout=dice.choice(list(nccl.LAYOUTS)), qps=dice.choice((1, 2, 4)),
                     adaptive=dice.random() < 0.3, spread=dice.random() < 0.3, big=dice.random() < 0.5)
            for seen in [hosts] + [[host] for host in hosts]:
                with self.subTest(seed=seed, seen=[host.text() for host in seen]):
                    made = [t for t in job.transfers if t.sender in seen or t.receiver in seen]
                    records = self.records(seen[0], *seen[1:])
                    found, = self.of(records, "job")
                    self.assertEqual((found["links"], found["transfers"], found["data_bytes"]),
                                     (len({(t.sender, t.receiver) for t in made}), len(made), sum(t.size for t in made)))
                    self.assertEqual({record["host"]: (record["received"], record["sent"]) for record in self.of(records, "host")},
                                     {host.text(): (sum(t.receiver is host for t in made), sum(t.sender is host for t in made))
                                      for host in hosts if any(host in (t.sender, t.receiver) for t in made)})
                    if seen is hosts:
                        self.assertEqual(found.get("straggler"), hosts[1].text() if late else None)
                    self.assertTrue(late or self.rules(records) == [])

    def test_no_straggler_in_a_pause_or_in_loss(self):
        for make, count in ((nccl.ring, 4), (nccl.tree, 7)):
            hosts, job, records = self.job(make, count, pauses={4: 50 * MS})
            found, = self.of(records, "job")
            self.assertNotIn("straggler", found)
            self.assertAlmostEqual(found["pause"]["time_lost"], 0.05, delta=CLOSE)
            self.assertEqual(self.rules(records), [])
            hosts, job, records = self.job(make, count, lost={(5, 2): 8 * MS})
            self.assertNotIn("straggler", self.of(records, "job")[0])
            self.assertIn("network_delays", self.rules(records))
            self.assertNotIn("straggler", self.rules(records))

    def test_delays_of_a_connection(self):
        sender, receiver, link = self.pair()
        made = self.run_job(link, [20000] * 20, events={4: {"sender_late": 5 * MS}, 9: {"receiver_late": 7 * MS}, 12: {"lost": 3, "recovery": 9 * MS},
                                                        15: {"sender_late": 2 * MS}})
        records = self.records(receiver, sender)
        connection, = (record for record in self.of(records, "connection"))
        waits, = (direction["requests"]["waits"] for direction in connection["directions"] if "requests" in direction)
        self.assertEqual((waits["transfers"], waits["data_bytes"]), (len(made), sum(t.size for t in made)))
        for key, verdict in (("sender_late", "sender late"), ("receiver_late", "receiver late"), ("network", "network")):
            costs = [t.cost for t in made if t.verdict == verdict]
            self.assertEqual(waits[key]["delayed"], len(costs))
            self.assertAlmostEqual(waits[key]["longest"], max(costs) / 1e9, delta=CLOSE)
            self.assertAlmostEqual(waits[key]["time_lost"], sum(costs) / 1e9, delta=5 * CLOSE)
        self.assertLessEqual({"network_delays", "receiver_late", "sender_late"}, set(self.rules(records)))

    def test_why_has_the_delays_of_a_transfer(self):
        sender, receiver, link = self.pair()
        self.run_job(link, [20000] * 8, events={4: {"sender_late": 5 * MS}})
        path = self.path("job.pcap")
        receiver.write(path)
        late, = (o for o in map(json.loads, self.lines("operations", "--json", path)) if o["verdict"] == "sender late")
        subject = json.loads(self.lines("why", "--json", path, "operation=%d" % late["operation"])[0])
        self.assertEqual([subject.get(key) for key in ("verdict", "sender_wait", "receiver_wait", "network_time", "pause")],
                         [late[key] for key in ("verdict", "sender_wait", "receiver_wait", "network_time", "pause")])
        self.assertIn("sender late: sender wait 5.0", "\n".join(self.lines("why", path, "operation=%d" % late["operation"])))
        # without a selector it is the one to explain: the others are over at once
        verdict, = (line for line in self.lines("why", path) if line.startswith("Verdict: "))
        self.assertRegex(verdict, r"^Verdict: The data was late because 10\.0\.0\.1 began to send it only after 5\.0")
        self.assertEqual(json.loads(self.lines("why", "--json", path)[-1])["cause"], "server")

    def test_text_names_the_straggler(self):
        hosts = [Host(i + 1) for i in range(4)]
        nccl.ring(hosts, 12, 20000, late={(5, hosts[2]): 5 * MS})
        path = self.path("job.pcap")
        hosts[0].write(path, hosts[1:])
        lines = self.lines("stats", path)
        self.assertTrue(all(len(line) <= 120 for line in lines if "rdmatap -r" not in line))
        job = lines[lines.index("Jobs") + 2].split()
        self.assertEqual((job[2], job[3], job[-1]), ("4", "ring", "10.0.0.3"))
        self.assertIn("straggler", next(line for line in lines[lines.index("Hosts of jobs"):] if " 10.0.0.3 " in line))


class Incomplete(Nccl):
    def test_a_capture_that_begins_in_the_middle_has_the_rest(self):
        sender, receiver, link = self.pair()
        made = self.run_job(link, SIZES * 3)
        since = made[9].begun - 1
        receiver.frames = [f for f in receiver.frames if f[0] > since]
        found = self.operations(receiver)
        self.assertEqual([int(o["id"]) for o in found], [t.index for t in made[10:]])
        self.assertTrue(all(o["complete"] for o in found))

    def test_packets_of_one_queue_pair_that_were_not_captured_are_missing(self):
        sender, receiver, link = self.pair(qps=2)
        made = self.run_job(link, [40000] * 8)
        hidden = {link.pairs[1].a.port}
        receiver.frames = [f for f in receiver.frames if int.from_bytes(f[1][34:36], "big") not in hidden]
        found = self.operations(receiver)
        self.assertEqual([int(o["id"]) for o in found], [t.index for t in made])
        # the first half of each
        self.assertEqual({o["data_bytes"] for o in found}, {20096})
        self.assertFalse(any(o["complete"] for o in found))

    def test_a_first_packet_that_is_retransmitted_after_the_end(self):
        """The receiver's capture has the immediate data before the packet that names the memory."""
        for adaptive in (False, True):
            for recovery in ("nak", 8 * MS):
                sender, receiver, link = self.pair(adaptive=adaptive)
                made = self.run_job(link, [20000] * 6, events={4: {"lost": 0, "recovery": recovery}})
                found = self.operations(receiver)
                self.assertEqual([(int(o["id"]), o["data_bytes"], o["complete"]) for o in found], [(t.index, t.size, True) for t in made])

    def test_the_first_transfer_lacks_a_packet(self):
        """Its sizes were captured before anything proved that it is NCCL: without them it would pass for whole."""
        for lost in range(3):
            sender, receiver, link = self.pair()
            made = self.run_job(link, [[1000, 2000], *SIZES])
            data = [f for f in receiver.frames if made[0].begun <= f[0] and f[1][26:30] == bytes(sender.address) and f[1][42] != 0x11][:4]
            self.assertGreater(made[1].begun, data[-1][0])
            receiver.frames.remove(data[lost])
            first = self.operations(receiver)[0]
            self.assertEqual((int(first["id"]), first["complete"]), (made[0].index, False), first)

    def test_an_announcement_without_data_is_not_called_nccl(self):
        sender, receiver, link = self.pair()
        time = 1000 * MS
        for i in range(40):
            link.announce(time + i * MS, [1000])
        self.assertEqual(self.operations(receiver), [])

    def test_an_announcement_at_the_end_has_no_data(self):
        sender, receiver, link = self.pair()
        made = self.run_job(link)
        link.announce(made[-1].ended + MS, [1000])
        last = self.operations(receiver)[-1]
        self.assertEqual((int(last["id"]), last["complete"], "first_data_frame" in last), (len(made) + 1, False, False))


class Apart(Communicator):
    """Buffers that do not overlap and are used again late, as NCCL's."""

    def announce(self, time, sizes):
        self.index += 1
        addresses, entries = [], []
        for i, size in enumerate(sizes):
            self.used = getattr(self, "used", 0) + 1
            addresses.append(self.buffers + self.used % 32 * 0x40000)
            entries.append(nccl.entry(self.layout, addresses[-1], 0x40000, self.key, len(sizes), self.tag + i, self.index))
        pair = self.pairs[0]
        pair.deliver(pair.a, pair.a.packets(self.ring + self.index % nccl.SLOTS * nccl.MOST_RECEIVES * len(entries[0]), self.ring_key, b"".join(entries)), time)
        return addresses


class Placed(Apart):
    """Knows the place of each packet of data in its queue pair, and its addresses. Some announce no more than they send."""

    def announce(self, time, sizes):
        self.sent = getattr(self, "sent", {})
        self.index += 1
        addresses = [self.buffers + (i * 8 + self.index % 8) * 0x40000 for i in range(len(sizes))]
        entries = [nccl.entry(self.layout, address, size if self.key % 3 == 0 else 0x40000, self.key, len(sizes), self.tag + i, self.index)
                   for i, (size, address) in enumerate(zip(sizes, addresses))]
        pair = self.pairs[0]
        pair.deliver(pair.a, pair.a.packets(self.ring + self.index % nccl.SLOTS * nccl.MOST_RECEIVES * len(entries[0]), self.ring_key, b"".join(entries)), time)
        return addresses

    def data_of(self, sizes, addresses):
        parts = super().data_of(sizes, addresses)
        for pair, packets in parts:
            for opcode, psn, extended, payload, _ in packets:
                if len(extended) >= 16:
                    address, key = struct.unpack(">QI", extended[:12])
                self.sent[pair.b.remote, psn] = (self.key, self.index), address, len(payload) if key == self.key else 0
                address += len(payload)
        return parts


class Captured:
    """What frames show of transfers: bytes, which frames are of which one, queue pairs."""
    EXTENDED = {nccl.WRITE_FIRST: 16, nccl.WRITE_MIDDLE: 0, nccl.WRITE_LAST: 0, nccl.WRITE_LAST_IMM: 4, nccl.WRITE_ONLY: 16, nccl.WRITE_ONLY_IMM: 20}

    def __init__(self, frames, made):
        self.covered, self.frames, self.qps = {}, {}, {}
        senders = {bytes(transfer.sender.address): {} for transfer in made.values()}
        for transfer in made.values():
            senders[bytes(transfer.sender.address)].update(transfer.link.sent)
        for number, (_, data, _) in enumerate(frames, 1):
            pair, psn = int.from_bytes(data[47:50], "big"), int.from_bytes(data[51:54], "big")
            place = senders.get(data[26:30], {}).get((pair, psn)) if len(data) >= 54 and data[42] in self.EXTENDED else None
            if not place:
                continue
            key, address, length = place
            self.frames[number] = key
            self.qps.setdefault(key, set()).add(pair)
            present = min(length, max(0, len(data) - 54 - self.EXTENDED[data[42]]))
            self.covered.setdefault(key, set()).update(range(address, address + present))

    def bytes_of(self, transfer):
        return len(self.covered.get(transfer.key, ()))


# Before transfers were told apart by the places of their data, each had bytes, frames, queue pairs or a delay of another.
SEVERAL_DAMAGES = (1, 5, 9, 12, 22, 25, 26, 27, 37, 38, 41, 53, 54, 63, 66, 67, 73, 77, 80, 81, 84, 234, 265)


class Damaged(Nccl):
    """Transfers of random jobs, of which some packets were not captured whole."""

    def job(self, dice, kind=Apart):
        hosts = [Host(1), Host(2)]
        links = [kind(*dice.sample(hosts, 2), layout=dice.choice(list(nccl.LAYOUTS)), qps=dice.choice((1, 1, 2, 4)), big=dice.random() < 0.5,
                       adaptive=dice.random() < 0.3) for _ in range(dice.choice((1, 1, 2, 3)))]
        times, made = {link: 1000 * MS for link in links}, {}
        for _ in range(dice.choice((12, 20, 40))):
            link = dice.choice(links)
            sizes = [dice.choice((0, 1, 128, 129, 1024, 4096, 5000, 20000)) for _ in range(1 if dice.random() < 0.7 else dice.randrange(2, 9))]
            transfer = link.transfer(times[link], sizes)
            transfer.key, transfer.link = (link.key, transfer.index), link
            made[link.key, transfer.index] = transfer
            times[link] = transfer.ended + 100 * nccl.US
        return dice.choice(hosts), made

    def damage(self, frames, dice):
        kind, share = dice.choice(("drop", "cut", "snap")), dice.choice((0.01, 0.05, 0.2))
        if kind == "drop":
            return [frame for frame in frames if dice.random() >= share]
        most = dice.choice((64, 96, 128, 300))
        return [(time, data[:dice.randrange(30, len(data))] if kind == "cut" and dice.random() < share else data if kind == "cut" else data[:most], len(data))
                for time, data, *_ in frames]

    def test_no_transfer_has_bytes_of_another_or_is_whole_without_its_own(self):
        for seed in range(120):
            dice = random.Random(seed)
            host, made = self.job(dice)
            frames = [(time, data, len(data)) for time, data in sorted(host.frames, key=lambda frame: frame[0])]
            path = self.path("damaged.pcap")
            capfile.write_pcap(path, 1, self.damage(frames, dice))
            for line in self.lines("operations", "--json", path):
                o = json.loads(line)
                with self.subTest(seed=seed, id=o["id"], object=o["object"]):
                    self.assertEqual(o["layer"], "nccl")
                    transfer = made.pop((int(o["object"].split()[2], 16), int(o["id"])))
                    self.assertLessEqual(o["data_bytes"], transfer.size)
                    self.assertTrue(not o["complete"] or o["data_bytes"] == transfer.size, (o["data_bytes"], transfer.size))

    def damage_much(self, frames, dice):
        """Several kinds at once: frames lost, truncated, out of order by microseconds, doubled."""
        kinds, share = dice.choice((("drop",), ("swap",), ("drop", "cut", "swap", "double"))), dice.choice((0.01, 0.05, 0.2))
        if "drop" in kinds:
            frames = [frame for frame in frames if dice.random() >= share]
        if "cut" in kinds:
            frames = [(time, data[:dice.randrange(30, len(data))] if dice.random() < share else data, wire) for time, data, wire in frames]
        if "swap" in kinds:
            reach = dice.choice((2, 10, 40)) * nccl.US
            mixed = sorted(frames, key=lambda frame: frame[0] + dice.random() * reach)
            frames = [(time, data, wire) for (time, _, _), (_, data, wire) in zip(frames, mixed)]
        return [frame for frame in frames for _ in range(2 if "double" in kinds and dice.random() < 0.1 else 1)]

    def check_known(self, o, transfer, known):
        """Of an operation of a damaged capture: it has no bytes, frames or queue pairs of others, and a delay only if the transfer had it."""
        self.assertLessEqual(o["data_bytes"], known.bytes_of(transfer))
        self.assertTrue(not o["complete"] or o["data_bytes"] == transfer.size, (o["data_bytes"], transfer.size))
        for key in ("first_data_frame", "last_data_frame"):
            self.assertEqual(known.frames.get(o.get(key), transfer.key), transfer.key, key)
        self.assertLessEqual(o["qps"], len(known.qps.get(transfer.key, ())))
        self.assertIn(o.get("verdict", "none"), ("none", "pause", transfer.verdict))

    def check_damaged(self, seed, damage):
        dice = random.Random(seed)
        host, made = self.job(dice, Placed)
        frames = [(time, data, len(data)) for time, data in sorted(host.frames, key=lambda frame: frame[0])]
        frames = damage(frames, dice)
        path = self.path("damaged.pcap")
        capfile.write_pcap(path, 1, frames)
        known = Captured(frames, made)
        for line in self.lines("operations", "--json", path):
            o = json.loads(line)
            with self.subTest(seed=seed, id=o["id"], object=o["object"]):
                self.check_known(o, made.pop((int(o["object"].split()[2], 16), int(o["id"]))), known)

    def test_several_damages_at_once(self):
        for seed in SEVERAL_DAMAGES:
            self.check_damaged(seed, self.damage_much)

    def test_immediate_data_that_the_capture_truncated(self):
        """It ends a transfer nevertheless: the next WRITE is of another one."""
        ends = {nccl.WRITE_LAST_IMM: 54, nccl.WRITE_ONLY_IMM: 70}
        for seed in range(40):
            self.check_damaged(seed, lambda frames, dice: [(time, data[:ends[data[42]] + 2] if data[42] in ends and dice.random() < 0.3 else data, wire)
                                                           for time, data, wire in frames])

    @staticmethod
    def captured_late(host, link, since, late):
        """Its frames, with the announcements of the communicator after a time that much later."""
        announces = lambda time, data: time >= since and data[42] == nccl.WRITE_ONLY and data[26:30] == bytes(link.receiver.address)
        return sorted(((time + (late if announces(time, data) else 0), data) for time, data in host.frames), key=lambda frame: frame[0])

    def test_data_that_was_captured_before_its_announcement(self):
        """The capture reordered packets, has two clocks, or misses the first copy of each announcement: its time shows no delay."""
        for late in (40 * nccl.US, 3 * MS):
            for how in ({}, {"qps": 4}, {"qps": 3, "spread": True}, {"adaptive": True, "qps": 2}, {"layout": "wide, two keys", "big": True}):
                with self.subTest(late=late, **how):
                    sender, receiver = Host(1), Host(2)
                    link = Apart(sender, receiver, **how)
                    made = self.run_job(link, [*SIZES, [1000, 2000], [3000] * 8, [5, 0, 7], 20000], events={5: {"sender_late": 5 * MS}})
                    receiver.frames = self.captured_late(receiver, link, made[2].begun, late)
                    found = sorted(self.operations(receiver), key=lambda o: int(o["id"]))
                    self.assertEqual([(int(o["id"]), o["data_bytes"], o["qps"], o["complete"], "response_frame" in o) for o in found],
                                     [(t.index, t.size, t.qps, True, True) for t in made])
                    before = [o for o in found if o.get("first_data_frame", o["request_frame"]) < o["request_frame"]]
                    self.assertGreater(len(before), len(made) - 5)
                    for o in before:
                        self.assertEqual([key for key in ("sender_wait", "receiver_wait", "sender_own", "receiver_own") if key in o], [])
                        self.assertEqual(o["verdict"], "none")

    def test_parts_of_several_receives_in_any_order(self):
        """The parts after the end of a buffer, which are empty, are the only ones that show that nothing else was between."""
        for seed in range(24):
            dice = random.Random(seed)
            sender, receiver = Host(1), Host(2)
            link = Placed(sender, receiver, qps=dice.choice((2, 4)), adaptive=dice.random() < 0.3)
            link.key = 0x5100 // 3 * 3
            made = self.run_job(link, [[dice.choice((0, 1, 128, 129, 1024, 4096, 20000)) for _ in range(dice.randrange(4, 9))] for _ in range(10)])
            receiver.frames = [(time + (dice.randrange(40) * nccl.US if time > made[1].ended else 0), data) for time, data in receiver.frames]
            with self.subTest(seed=seed):
                self.assertEqual(sorted((int(o["id"]), o["data_bytes"], o["qps"], o["complete"]) for o in self.operations(receiver)),
                                 [(t.index, t.size, t.qps, True) for t in made])

    def test_data_whose_announcement_was_not_captured_belongs_to_no_later_one(self):
        """Buffers are used again: of the announcement that names them next, also if that was captured after its own data."""
        for late, kind in ((0, Apart), (0, Communicator), (40 * nccl.US, Apart)):
            for how in ({}, {"qps": 2}, {"qps": 2, "spread": True}):
                with self.subTest(late=late, kind=kind.__name__, **how):
                    sender, receiver = Host(1), Host(2)
                    link = kind(sender, receiver, **how)
                    made = self.run_job(link, [4096] * 40)
                    hidden = bytes(receiver.address), made[10].announced
                    receiver.frames = [frame for frame in self.captured_late(receiver, link, made[2].begun, late)
                                       if not (frame[1][26:30] == hidden[0] and frame[0] == hidden[1] + late and frame[1][42] == nccl.WRITE_ONLY)]
                    found = {int(o["id"]): o for o in self.operations(receiver)}
                    self.assertNotIn(made[10].index, found)
                    self.assertEqual(len(found), len(made) - 1)
                    for t in made:
                        o = found.get(t.index, {})
                        self.assertIn(o.get("data_bytes", 0), (0, t.size))
                        self.assertLessEqual(o.get("last_data_frame", 0) - o.get("first_data_frame", 0), 8)
                        # a queue pair with one transfer of several shows no index by itself: after a gap, none is known
                        self.assertTrue(t is made[10] or o["complete"] or (late and "spread" in how), o)

    def test_a_transfer_that_was_not_captured_makes_no_sender_late(self):
        """The one after it was announced early, and waited for it."""
        sender, receiver, link = self.pair()
        made = self.run_job(link, [4096] * 3)
        time = made[-1].ended
        announced = [(time + i * nccl.US, link.announce(time + i * nccl.US, [4096])) for i in range(3)]
        for i, (_, addresses) in enumerate(announced):
            for pair, packets in link.data_of([4096], addresses):
                pair.deliver(pair.b, packets, time + (i + 1) * 4 * MS)
        expected = ["none"] * 3 + ["sender late"] * 3
        self.assertEqual([o["verdict"] for o in self.operations(receiver)], expected)
        hidden = [frame for frame in receiver.frames if frame[1][42] in (nccl.WRITE_ONLY, *Captured.EXTENDED)
                  and frame[0] > time + 8 * MS and frame[0] < time + 9 * MS]
        receiver.frames = [frame for frame in receiver.frames if frame not in hidden]
        last = self.operations(receiver)[-1]
        self.assertEqual((last["verdict"], "sender_wait" in last, "receiver_wait" in last), ("none", False, False))

    def test_an_acknowledgement_that_was_not_captured_is_no_delay(self):
        """The next one acknowledges this transfer too."""
        sender, receiver, link = self.pair()
        made = self.run_job(link, [4096] * 6, events={4: {"sender_late": 5 * MS}})
        last = [frame for frame in receiver.frames if made[3].begun < frame[0] <= made[3].ended and frame[1][42] == nccl.ACKNOWLEDGE]
        receiver.frames.remove(last[-1])
        found = self.operations(receiver)
        self.assertEqual(found[3]["response_frame"], found[4]["response_frame"])
        self.assertEqual([o["verdict"] for o in found], ["none"] * 4 + ["sender late", "none"])


class Others(Nccl):
    def test_queue_pairs_with_data_only_are_of_nccl(self):
        """Their operations are those of the queue pair with the announcements: they are no plain WRITEs."""
        sender, receiver, link = self.pair(qps=4)
        self.run_job(link)
        path = self.path("data.pcap")
        sender.write(path)
        lines = list(self.lines("stats", path))
        first = lines.index("Connections by bytes") + 2
        self.assertEqual([line.split()[2] for line in lines[first:first + 4]], ["nccl"] * 4)
        self.assertNotIn("Connections without a known layer", lines)

    def test_without_heuristics_nothing_is_called_nccl(self):
        sender, receiver, link = self.pair()
        self.run_job(link)
        self.assertEqual(self.operations(sender, options=("--no-heuristics",)), [])

    @staticmethod
    def rendezvous(cookies):
        """Requests of another program: descriptors of memory into a ring, and data to it by WRITEs whose immediate data is the size."""
        client, server = Host(1), Host(2)
        pair = nccl.Pair(client, server)
        for number, cookie in enumerate(cookies):
            time, address = 1000 * MS + number * MS, 0x7d0000000000 + number % 8 * 0x10000
            descriptor = struct.pack("<QIIIIQ", address, 4096, 0x5001, 1, 7, cookie)
            pair.deliver(pair.a, pair.a.packets(0x7f0000000000 + number % 16 * 32, 0x9001, descriptor), time)
            pair.deliver(pair.b, pair.b.packets(address, 0x5001, bytes(4096), struct.pack("<I", 4096)), time + 100 * nccl.US)
        return client

    def test_descriptors_without_an_index_are_not_announcements(self):
        dice = random.Random(1)
        for count in (1, 2, 12):
            for cookies in ([dice.getrandbits(64) for _ in range(count)], [1000] * count, [5 + 8 * number for number in range(count)]):
                with self.subTest(cookies=cookies):
                    self.assertEqual(self.operations(self.rendezvous(cookies)), [])
            self.assertEqual(len(self.operations(self.rendezvous(range(1, 1 + count)))), count)

    def test_no_other_capture_is_called_nccl(self):
        for name in sorted(os.listdir(TESTDATA)):
            if name.endswith((".pcap", ".pcapng", ".pcap.gz")) and not name.startswith("nccl") and name.startswith(("roce", "iwarp", "perf", "ib", "rping", "nvme")):
                self.assertEqual(self.lines("operations", "--layer", "nccl", os.path.join(TESTDATA, name)), [], name)


if __name__ == "__main__":
    import unittest
    unittest.main()
