# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Traffic classes, CNPs, pauses, sprayed and sampled connections, pairing by source port: against known schedules."""
import collections
import json
import glob
import os
import random
import struct
import unittest

import capfile
from cli import CliTest, TESTDATA, read, records
from wire_schedule import (ACK, CNP, MS, SEND_ONLY, UC_SEND_ONLY, US, WRITE_ONLY, Schedule, cm_rep, connect_request, pause, pfc, roce, roce_port,
                           with_closed_window, with_fast_retransmits, with_timeouts)

LOSS_RULES = {"capture_loss", "unreliable_loss", "unanswered", "rpc_unanswered", "connect_unanswered", "timeouts", "ce_without_cnp"}


class Case(CliTest):
    def stats(self, *arguments):
        found = collections.defaultdict(list)
        for line in self.lines("stats", "--json", *arguments):
            one = json.loads(line)
            found[one["type"]].append(one)
        return found

    def rules(self, *arguments):
        return {one["rule"]: one for one in reversed(self.stats(*arguments)["finding"])}

    def connections(self, *arguments):
        return [json.loads(line) for line in self.lines("connections", "--json", *arguments)]


class Congestion(Case):
    QPA, QPB = 0x11, 0x22

    def connection(self):
        """One RC connection whose ends are known from the first packets."""
        schedule, port = Schedule(), roce_port(self.QPA, self.QPB)
        schedule.at(0, roce("A", SEND_ONLY, self.QPB, 100, port, 8))
        schedule.at(1 * US, roce("B", ACK, self.QPA, 100, port))
        return schedule, port

    def test_classes_are_counted_by_direction_and_kind(self):
        schedule, port = self.connection()
        truth = collections.Counter({("a>b", "request", 0, 0, None): 1, ("b>a", "ack", 0, 0, None): 1})
        choice = random.Random(1)
        for i in range(400):
            dscp, ecn, pcp = choice.choice((0, 26, 26, 48)), choice.choice((0, 2, 2, 3)), choice.choice((None, None, 3, 7))
            schedule.at((10 + i) * US, roce("A", SEND_ONLY, self.QPB, 101 + i, port, 64, dscp, ecn, pcp))
            truth["a>b", "request", dscp, ecn, pcp] += 1
            dscp = choice.choice((0, 26))
            schedule.at((10 + i) * US + 500, roce("B", ACK, self.QPA, 101 + i, port, dscp=dscp))
            truth["b>a", "ack", dscp, 0, None] += 1
        for i in range(5):
            schedule.at((500 + i) * US, roce("B", CNP, self.QPA, 0, port, dscp=48, pcp=6))
            truth["b>a", "cnp", 48, 0, 6] += 1
        found = collections.Counter()
        for one in self.stats(schedule.write_pcap(self.path("classes.pcap")))["connection"][0]["directions"]:
            for row in one["dscp"]:
                found[one["direction"], row["kind"], row["dscp"], row["ecn"], row.get("pcp")] += row["packets"]
        self.assertEqual(found, truth)

    def test_ends_in_different_classes_are_found(self):
        for dscps, found in (((26, 0), True), ((26, 26), False), ((0, 0), False)):
            schedule, port = self.connection()
            for i in range(20):
                schedule.at((10 + i) * US, roce("A", SEND_ONLY, self.QPB, 101 + i, port, 64, dscps[0]))
                schedule.at((10 + i) * US + 500, roce("B", ACK, self.QPA, 101 + i, port, dscp=dscps[1]))
            rules = self.rules(schedule.write_pcap(self.path("ends.pcap")))
            self.assertEqual("traffic_class" in rules, found, dscps)
            if found:
                self.assertEqual(rules["traffic_class"]["count"], 20)

    def paced(self, cnps, pace):
        """A sends for 60 ms, one frame every pace(time) ns; B sends CNPs at these times."""
        schedule, port = self.connection()
        time, psn, sizes = 10 * US, 101, []
        while time < 60 * MS:
            frame = roce("A", WRITE_ONLY, self.QPB, psn, port, 1000, 26, 2, ack=False)
            schedule.at(time, frame)
            sizes.append((time, len(frame)))
            time, psn = time + pace(time), psn + 1
        for one in cnps:
            schedule.at(one, roce("B", CNP, self.QPA, 0, port, dscp=48))
        return schedule.write_pcap(self.path("paced.pcap")), sizes

    def rate(self, sizes, begin, end):
        return sum(size for time, size in sizes if begin <= time < end) * 10 ** 9 / (end - begin)

    def test_rate_before_and_after_a_cnp(self):
        cnps = [20 * MS + 1, 40 * MS + 1]
        path, sizes = self.paced(cnps, lambda time: 10 * US if time < 20 * MS else 40 * US if time < 40 * MS else 80 * US)
        found = self.stats(path)["connection"][0]["directions"][0]["cnp_rate"]
        self.assertEqual((found["count"], found["not_slower"]), (2, 0))
        before = sum(self.rate(sizes, cnp - 2 * MS, cnp) for cnp in cnps) / 2
        after = sum(self.rate(sizes, cnp, cnp + MS) for cnp in cnps) / 2
        self.assertAlmostEqual(found["before"] / before, 1, delta=0.03)
        self.assertAlmostEqual(found["after"] / after, 1, delta=0.03)
        rules = self.rules(path)
        self.assertEqual(rules["cnps"]["count"], 2)
        self.assertNotIn("cnp_ignored", rules)

    def test_cnps_without_effect_are_found(self):
        path, _ = self.paced([10 * MS * i + 1 for i in range(1, 5)], lambda time: 10 * US)
        found = self.rules(path)
        self.assertEqual((found["cnp_ignored"]["count"], found["cnp_ignored"]["of"]), (4, 4))

    def test_storms_are_found_by_their_worst_tenth_of_a_second(self):
        for gap, storm in ((500 * US, 119), (1100 * US, None)):
            path, _ = self.paced([1 * MS + i * gap for i in range(int(59 * MS / gap) + 1)], lambda time: 100 * US)
            found = self.rules(path)
            self.assertEqual(found.get("cnp_storm", {}).get("count"), storm and int(59 * MS / gap) + 1)

    def paused(self, events, speed, end):
        """Nanoseconds: the union of all pauses, one quantum after the other, by (port, priority)."""
        asked, total = collections.defaultdict(list), {}
        for time, port, times in events:
            for priority, quanta in times.items():
                asked[port, priority].append((time, quanta))
        for key, list_ in asked.items():
            total[key] = 0
            for i, (time, quanta) in enumerate(list_):
                until = min(time + quanta * 512 * 10 ** 9 // speed, list_[i + 1][0] if i + 1 < len(list_) else end)
                total[key] += until - time
        return total

    def test_pauses_by_port_and_priority(self):
        events = [(10 * MS, "B", {3: 65535}), (11 * MS, "B", {3: 65535, 4: 1000}), (12 * MS, "B", {3: 0}), (20 * MS, "A", {3: 20000}),
                  (22 * MS, "B", {None: 30000}), (22 * MS + 500 * US, "B", {None: 0}), (29 * MS, "B", {5: 65535})]
        schedule, port = self.connection()
        for time, sender, times in events:
            schedule.at(time, pause(sender, times[None]) if None in times else pfc(sender, times))
        schedule.at(30 * MS, roce("A", SEND_ONLY, self.QPB, 101, port, 8))
        names = {"A": "02:00:00:00:00:01", "B": "02:00:00:00:00:02"}
        for speed in (10 ** 10, 10 ** 11, None):
            path = schedule.write_pcapng(self.path("pause.pcapng"), speed)
            for threads in ("1", "2"):
                found = self.stats("--threads", threads, path)["capture"][0]["pauses"]
                rows = {(one["port"], one.get("priority")): one for one in found}
                truth = self.paused(events, speed or 1, 30 * MS)
                self.assertEqual(set(rows), {(names[port], priority) for port, priority in truth})
                for (port_name, priority), paused in truth.items():
                    row = rows[names[port_name], priority]
                    self.assertEqual(row["quanta"], sum(times.get(priority, 0) for _, who, times in events if who == port_name))
                    self.assertEqual("paused" in row, speed is not None)
                    if speed:
                        self.assertAlmostEqual(row["paused"], paused / 1e9, delta=5e-9)
        rules = self.rules(schedule.write_pcapng(self.path("pause.pcapng"), 10 ** 10))
        self.assertEqual(rules["pauses"]["count"], len(events))
        self.assertEqual(rules["paused"]["count"], max(self.paused(events, 10 ** 10, 30 * MS).values()) // 1000)


class Pairing(Case):
    def pairs(self, path):
        return {(one["a"]["qpn"], one["b"]["qpn"]) if one["a"]["addr"] == "10.9.0.1" else (one["b"]["qpn"], one["a"]["qpn"])
                for one in self.connections(path) if "qpn" in one["a"] and "qpn" in one["b"]}

    def talk(self, partners, port, opcode=SEND_ONLY, answered=False):
        """Both ends of every pair send requests with the same PSNs."""
        schedule, choice = Schedule(), random.Random(3)
        order = [(sender, a, b) for a, b in partners for sender in "AB"]
        choice.shuffle(order)
        time = 0
        for psn in range(4):
            for sender, a, b in order:
                time += US
                schedule.at(time, roce(sender, opcode, b if sender == "A" else a, psn, port(sender, a, b), 64))
            for sender, a, b in order if answered else ():
                time += US
                schedule.at(time, roce(sender, ACK, b if sender == "A" else a, psn, port(sender, a, b)))
        return schedule

    def test_queue_pairs_that_count_alike_are_paired_by_their_port(self):
        partners = [(0x100 + i, 0x200 + (i * 7) % 16) for i in range(16)]
        for opcode in (SEND_ONLY, UC_SEND_ONLY):
            schedule = self.talk(partners, lambda sender, a, b: roce_port(a, b), opcode)
            self.assertEqual(self.pairs(schedule.write_pcap(self.path("ports.pcap"))), set(partners))

    def test_the_second_flow_is_paired_at_its_first_packet(self):
        schedule = Schedule()
        schedule.at(1, roce("A", SEND_ONLY, 0x200, 7, roce_port(0x100, 0x200), 64))
        schedule.at(2, roce("B", SEND_ONLY, 0x100, 900, roce_port(0x100, 0x200), 64))
        self.assertEqual(self.pairs(schedule.write_pcap(self.path("two.pcap"))), {(0x100, 0x200)})

    def test_a_port_that_all_have_proves_nothing(self):
        partners = [(0x100 + i, 0x200 + (i * 7) % 16) for i in range(16)]
        for port in (lambda sender, a, b: 0xc000, lambda sender, a, b: 0xc000 | (a * 31 if sender == "A" else b * 17) & 0x3fff):
            found = self.pairs(self.talk(partners, port, answered=True).write_pcap(self.path("constant.pcap")))
            self.assertLessEqual(found, set(partners))

    def test_different_ports_do_not_prevent_pairing_by_psns(self):
        schedule, partners = Schedule(), [(0x100 + i, 0x200 + (i * 7) % 16) for i in range(16)]
        for i, (a, b) in enumerate(partners):
            for psn in range(10):
                time = (100 * psn + i) * US
                schedule.at(time, roce("A", SEND_ONLY, b, 1000 * i + psn, 0xc001 + a, 64))
                schedule.at(time + 500, roce("B", ACK, a, 1000 * i + psn, 0xd001 + b))
        self.assertEqual(self.pairs(schedule.write_pcap(self.path("psn.pcap"))), set(partners))

    def asked(self, labels, replies=()):
        """
        Connections that A requests, each with a Primary Flow Label; only the REPs in `replies` were captured. Both ends of every connection
        use the same PSNs and the source port of the label (Linux: rdma_flow_label_to_udp_sport()): IBTA vol. 1, 12.7.20 and A17.
        """
        schedule, time, partners = Schedule(), 0, []
        for i, label in enumerate(labels):
            a, b = 0x100 + i, 0x200 + (i * 7) % 16
            partners.append((a, b))
            schedule.at(10 * i * US, connect_request(i + 1, a, 0x10, label))
            if i in replies:
                schedule.at((10 * i + 5) * US, cm_rep("B", b, 0x10, i + 1))
        order = [(sender, i) for i in range(len(labels)) for sender in "AB"]
        random.Random(4).shuffle(order)
        for psn in range(0x10, 0x14):
            for sender, i in order:
                time += US
                port = 0xc000 | labels[i] & 0x3fff ^ labels[i] >> 14
                schedule.at(10 * MS + time, roce(sender, SEND_ONLY, partners[i][sender == "A"], psn, port, 64))
        return schedule.write_pcap(self.path("asked.pcap")), partners

    def test_requests_without_replies_are_paired_by_the_port_of_their_flow_label(self):
        # labels that differ only in the upper six or the lower fourteen bits
        labels = [0x00123 | i << 14 for i in range(8)] + [0x3f000 + 64 * i for i in range(8)]
        for replies in ((), (0, 5, 9)):
            path, partners = self.asked(labels, replies)
            self.assertEqual(self.pairs(path), set(partners), replies)
            connections = self.connections(path)
            self.assertEqual(len(connections), len(partners))
            for one in connections:
                self.assertEqual((one["learned"], one["a"]["addr"], one["packets"]), ("cm", "10.9.0.1", 8))

    def test_a_flow_label_that_several_have_proves_nothing(self):
        path, partners = self.asked([0x12345] * 4 + [0x54321 + i for i in range(4)])
        found = self.pairs(path)
        self.assertLessEqual(found, set(partners))
        self.assertLessEqual(set(partners[4:]), found)

    def test_thinned_captures_pair_no_others_than_whole_ones(self):
        for name in ("roce-perf-send-2qp.pcap", "roce-perf-mtu256.pcap"):
            path = os.path.join(TESTDATA, name)
            if not os.path.exists(path):
                continue
            def ends(file):
                return {frozenset(((one["a"]["addr"], one["a"]["qpn"]), (one["b"]["addr"], one["b"]["qpn"]))) for one in self.connections(file)
                        if "qpn" in one["a"] and "qpn" in one["b"]}
            truth = ends(path)
            with open(path, "rb") as f:
                data = f.read()
            for seed in range(10):
                thinned, at, choice = data[:24], 24, random.Random(seed)
                while at < len(data):
                    length = 16 + struct.unpack("<I", data[at + 8:at + 12])[0]
                    thinned += data[at:at + length] if choice.random() < 0.5 else b""
                    at += length
                with open(self.path("thinned.pcap"), "wb") as f:
                    f.write(thinned)
                self.assertLessEqual(ends(self.path("thinned.pcap")), truth, (name, seed))


class Order(Case):
    def swapped(self, ports, again=False):
        """Every fifth request arrives 50 us late, after the next two. again: at the end a NAK requests the last five again."""
        schedule, (a, b) = Schedule(), (0x31, 0x32)
        for i in range(500):
            time = i * 20 * US + (50 * US if i % 5 == 0 else 0)
            schedule.at(time, roce("A", SEND_ONLY, b, i, ports[i % len(ports)], 64))
        for i in range(500):
            if i < 495 or not again:
                schedule.at((i * 20 + 100) * US, roce("B", ACK, a, i, ports[0]))
        if again:
            schedule.at(20 * MS, roce("B", ACK, a, 495, ports[0], syndrome=0x60))
            for i in range(495, 500):
                frame = roce("A", SEND_ONLY, b, i, ports[0], 64)
                # another packet, by its identification
                schedule.at(20 * MS + i * US, frame[:18] + struct.pack(">H", i + 500) + frame[20:])
        return schedule.write_pcap(self.path("swapped.pcap"))

    def test_sprayed_connections_are_distinguished_from_reordered_ones(self):
        sprayed, reordered = self.swapped([0xc000 + i for i in range(4)]), None
        rules = self.rules(sprayed)
        self.assertEqual(rules["sprayed"]["count"], self.connections(sprayed)[0]["anomalies"]["path_changes"])
        self.assertNotIn("out_of_order", rules)
        # the schedule: requests in the order of their times, each with the port of its number
        order = sorted(range(500), key=lambda i: i * 20 + (50 if i % 5 == 0 else 0))
        self.assertEqual(rules["sprayed"]["count"], sum(order[i] % 4 != order[i - 1] % 4 for i in range(1, 500)))
        reordered = self.rules(self.swapped([0xc000], again=True))
        self.assertEqual(reordered["out_of_order"]["count"], 100)
        self.assertNotIn("sprayed", reordered)

    def test_late_packets_without_a_new_request_are_no_finding(self):
        path = self.swapped([0xc000])
        self.assertEqual(self.rules(path), {})
        directions = self.stats(path)["connection"][0]["directions"]
        # RFC 4737: the reordering extent and the late time offset of the schedule
        self.assertEqual(directions[0]["reordering"],
                         {"count": 100, "packets_mean": 2, "packets_max": 2, "time_mean": 0.00003, "time_max": 0.00003})
        self.assertNotIn("reordering", directions[1])
        late = self.lines("-r", path, "-Y", "rdmatap.psn.late_packets == 2 && rdmatap.psn.late_by == 0.00003", "-T", "fields", "-e",
                          "infiniband.bth.psn")
        self.assertEqual(late, [str(i) for i in range(0, 500, 5)])
        self.assertIn("reordered: 100 packets came after packets sent later, by 2 packets and 30.0 us on average", "\n".join(
            self.lines("stats", "--connection", "all", "-r", path)))


class Iwarp(Case):
    def frames(self):
        header, frames = records(read(os.path.join(TESTDATA, "iwarp-rping-v4-crc.pcap")))
        return [(time, data) for time, data, _ in frames]

    def lost(self, frames):
        """{(cause): (count, seconds)}, the sums of both directions."""
        schedule, found = Schedule(), collections.defaultdict(lambda: (0, 0.0))
        schedule.frames = frames
        for direction in self.stats(schedule.write_pcap(self.path("iwarp.pcap")))["connection"][0]["directions"]:
            for cause, one in direction["recoveries"].items():
                found[cause] = found[cause][0] + one["count"], found[cause][1] + one["time_lost"]
            self.assertAlmostEqual(direction["time_lost"], sum(one["time_lost"] for one in direction["recoveries"].values()), places=8)
        return dict(found)

    def test_time_lost_to_timeouts_is_that_of_the_schedule(self):
        self.assertEqual(self.lost(self.frames()), {})
        for count, wait in ((1, 300 * MS), (5, 250 * MS), (8, 3000 * MS)):
            found = self.lost(with_timeouts(self.frames(), count, wait))
            self.assertEqual(set(found), {"timeout"})
            self.assertEqual(found["timeout"][0], count)
            self.assertAlmostEqual(found["timeout"][1] / (count * wait / 1e9), 1, delta=0.01)

    def test_time_lost_to_fast_retransmits_is_that_of_the_schedule(self):
        for seen in (True, False):
            for wait in (5 * MS, 80 * MS):
                frames, count = with_fast_retransmits(self.frames(), 5, wait, seen)
                self.assertEqual(count, 5)
                found = self.lost(frames)
                self.assertEqual(set(found), {"fast_retransmit"})
                self.assertEqual(found["fast_retransmit"][0], 5)
                self.assertAlmostEqual(found["fast_retransmit"][1] / (5 * wait / 1e9), 1, delta=0.01)

    def test_time_of_closed_windows_is_that_of_the_schedule(self):
        found = self.lost(with_closed_window(self.frames(), 700 * MS))
        self.assertEqual(found["zero_window"][0], 1)
        self.assertAlmostEqual(found["zero_window"][1], 0.7, delta=0.007)


class Sampling(Case):
    CONNECTIONS, MESSAGES = 8, 2500

    def bulk(self, lose=lambda choice: False, answered=True):
        """WRITEs of one packet on several connections; a lost one is retransmitted after a NAK."""
        schedule, choice, time = Schedule(), random.Random(11), 0
        for psn in range(self.MESSAGES):
            for i in choice.sample(range(self.CONNECTIONS), self.CONNECTIONS):
                a, b = 0x100 + i, 0x200 + i
                port, time = roce_port(a, b), time + 2 * US
                if lose(choice):
                    schedule.at(time + 500, roce("B", ACK, a, psn, port, syndrome=0x60))
                    time += US
                schedule.at(time, roce("A", WRITE_ONLY, b, psn, port, 32))
                if answered and psn % 4 == 3:
                    schedule.at(time + 600, roce("B", ACK, a, psn, port))
        return schedule

    def test_sampled_captures_have_one_note_instead_of_loss(self):
        schedule, choice = self.bulk(), random.Random(5)
        for n in (2, 10, 100):
            for keep in (lambda index: index % n == n // 2, lambda index: choice.random() < 1 / n):
                rules = self.rules(schedule.write_pcap(self.path("sampled.pcap"), keep))
                self.assertIn("sampled", rules, n)
                self.assertFalse(LOSS_RULES & set(rules), n)
                # missing and captured packets are those that were sent
                self.assertAlmostEqual(rules["sampled"]["of"] / (self.CONNECTIONS * self.MESSAGES), 1, delta=0.1)
                self.assertAlmostEqual(rules["sampled"]["count"] / rules["sampled"]["of"], 1 - 1 / n, delta=0.2)

    def test_thin_samples_of_short_captures_are_recognised(self):
        choice = random.Random(9)
        for name, parts in (("roce-nfs3.pcap.gz", (20, 50, 100)), ("iwarp-nfs3-crctso.pcap.gz", (10, 20))):
            frames = list(capfile.timed(os.path.join(TESTDATA, name)))
            for n in parts:
                for keep in (lambda index: index % n == 0, lambda index: choice.random() < 1 / n):
                    path = self.path("thin.pcap")
                    capfile.write_pcap(path, 1, [(time, frame, wire) for index, (time, link, frame, wire) in enumerate(frames) if keep(index)])
                    rules = self.rules(path)
                    self.assertIn("sampled", rules, (name, n))
                    self.assertFalse(LOSS_RULES & set(rules), (name, n))

    def test_a_mirror_that_drops_few_is_recognised_too(self):
        choice = random.Random(6)
        rules = self.rules(self.bulk().write_pcap(self.path("mirror.pcap"), lambda index: choice.random() < 0.95))
        self.assertIn("sampled", rules)

    def test_whole_and_lossy_captures_are_not_sampled(self):
        self.assertNotIn("sampled", self.rules(self.bulk().write_pcap(self.path("whole.pcap"))))
        lossy = self.bulk(lambda choice: choice.random() < 0.02).write_pcap(self.path("lossy.pcap"))
        self.assertNotIn("sampled", self.rules(lossy))
        for path in sorted(glob.glob(os.path.join(TESTDATA, "*.pcap*")) + glob.glob(os.path.join(TESTDATA, "*.erf"))):
            if os.path.getsize(path) < 100000:
                self.assertNotIn("sampled", self.rules(path), path)

    def test_a_hole_in_time_or_in_one_connection_is_loss_of_the_capture(self):
        schedule = self.bulk()
        holes = {"time": lambda index: not 5000 <= index < 7000, "most": lambda index: not 300 <= index < 19000, "many": lambda index: not 5000 <= index < 9000 or index % 2}
        for name, keep in holes.items():
            rules = self.rules(schedule.write_pcap(self.path(name + ".pcap"), keep))
            self.assertIn("capture_loss", rules, name)
            self.assertNotIn("sampled", rules, name)
        one, choice = Schedule(), random.Random(8)
        one.frames = [(time, frame) for time, frame in schedule.frames if frame[42 + 5:42 + 8] != b"\0\x02\x03" or choice.random() < 0.5]
        rules = self.rules(one.write_pcap(self.path("one.pcap")))
        self.assertIn("capture_loss", rules)
        self.assertNotIn("sampled", rules)

    def test_sampled_option_hides_findings_of_loss(self):
        path = self.bulk().write_pcap(self.path("hole.pcap"), lambda index: not 5000 <= index < 7000)
        self.assertIn("capture_loss", self.rules(path))
        rules = self.rules("--sampled", path)
        self.assertFalse(LOSS_RULES & set(rules))
        self.assertTrue(any("lost" in one["anomalies"] for one in self.connections(path)))
        self.assertFalse(any("lost" in one["anomalies"] for one in self.connections("--sampled", path)))


if __name__ == "__main__":
    unittest.main()
