# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap join: against the log of a relay that dropped packets between two machines, and against a model of a path with three points."""
import collections
import csv
import io
import json
import os
import random
import unittest

import capfile
import fleet
from cli import NANO, RPING, TESTDATA, CliTest, read, records

SECOND = 10**9
ENDS = os.path.join(TESTDATA, "ends")


class Join(CliTest):
    def objects(self, *arguments):
        found = [json.loads(line) for line in self.lines("join", "--json", *arguments)]
        self.stalls = [one for one in found if one["kind"] == "stall"]
        directions = len(found) - len(self.stalls) - 1
        self.assertEqual([one["kind"] for one in found], ["direction"] * directions + ["stall"] * len(self.stalls) + ["summary"])
        for one in found[:directions]:
            # a packet reached the last point, or was lost, or nobody knows
            self.assertEqual(one["packets"], one["seen"][-1] + one["lost_packets"] + one.get("not_judged", 0))
        return found[:directions], found[-1]

    def test_each_run_finds_the_same(self):
        """Thousands of packets that the other file has two minutes later, more than are kept: which ones were kept was random."""
        frame = bytearray(next(data for _, data, _ in records(read(RPING))[1] if data[42:43] == b"\x04"))
        files = []
        for number, later in enumerate((0, 120)):
            made = []
            for i in range(3000):
                frame[51:54] = (i * 7919 % 2**24).to_bytes(3, "big")
                made.append(((1700000000 + later) * 10**9 + i * 10**6, bytes(frame), len(frame)))
            files.append(self.path("%d.pcap" % number))
            capfile.write_pcap(files[-1], 1, made)
        runs = {self.run_program("join", "--json", "--clock", "same", "--max-memory", "1M", *files).stdout for _ in range(6)}
        self.assertEqual(len(runs), 1)


class Relay(Join):
    """The log has a line for each packet that the relay dropped: time, direction, kind, length, then its identification."""

    def logged(self, name):
        lost = []
        with open(os.path.join(ENDS, name + ".relay"), encoding="ascii") as log:
            for line in log:
                words = line.split()
                self.assertEqual(words[2], "lost")
                of = dict(zip(words[5::2], words[6::2])) if words[5] == "op" else dict(zip(words[6::2], words[7::2]))
                if "psn" in of:
                    lost.append((words[1], int(of["qp"]), int(of["psn"]), int(words[4])))
                else:
                    lost.append((words[1], int(of["dport"]), int(of["seq"]), int(words[4])))
        return collections.Counter(lost)

    def check(self, name, server):
        files = [os.path.join(ENDS, "%s.%s.pcap.gz" % (name, end)) for end in "AB"]
        directions, summary = self.objects(*files)
        lost = collections.Counter()
        for one in directions:
            way = "A>B" if one["source"]["addr"] == server else "B>A"
            destination = one["destination"]
            self.assertEqual(one["points"], files if way == "A>B" else files[::-1])
            self.assertEqual((one["not_captured"], one["doubled"]), (0, 0))
            self.assertEqual(one["seen"][0], one["packets"])
            self.assertEqual(one["seen"][1], one["packets"] - one["lost_packets"])
            if "delay" in one:
                self.assertTrue(0 <= one["delay"]["min"] <= one["delay"]["p50"] <= one["delay"]["p99"] <= one["delay"]["max"])
            for stretch in one["lost"]:
                self.assertEqual(stretch["between"], one["points"])
                self.assertEqual(stretch["count"], len(stretch["frames"]))
                self.assertEqual({frame["point"] for frame in stretch["frames"]}, {stretch["between"][0]})
                content = [frame for _, frame, _ in records(read(stretch["between"][0]))[1]]
                for frame in stretch["frames"]:
                    found = content[frame["frame"] - 1]  # IPv4 without options: the PSN of the BTH, or TCP's sequence number
                    self.assertEqual(int.from_bytes(found[51:54] if "psn" in frame else found[38:42], "big"), frame.get("psn", frame.get("seq")))
                    lost[way, destination.get("qpn", destination.get("port")), frame.get("psn", frame.get("seq")), frame["length"]] += 1
        self.assertEqual(lost, self.logged(name))
        for between in summary["lost"]:
            way = "A>B" if between["between"] == files else "B>A"
            self.assertEqual(between["count"], sum(count for one, count in lost.items() if one[0] == way))
        return files, summary

    def test_the_packets_lost_are_those_of_the_relay(self):
        self.check("roce-loss", "10.0.0.1")

    def test_so_are_those_of_iwarp(self):
        self.check("iwarp-loss", "10.0.0.1")

    def test_steps_of_a_clock_come_back(self):
        """Packets took up to 20 ms here, and there are seconds without any."""
        for name in "roce-loss", "iwarp-loss":
            paths = [os.path.join(ENDS, "%s.%s.pcap.gz" % (name, end)) for end in "AB"]
            unchanged = self.objects(*paths)[1]["files"][1]["clock"]
            frames = list(capfile.timed(paths[1]))
            begin, end = frames[0][0], frames[-1][0]
            for at, step, ppm in ((0.5, SECOND, 0), (0.5, -SECOND // 100, 0), (0.3, SECOND // 100, 150), (0.8, SECOND // 2, -100)):
                changed = self.path("set.pcap")
                capfile.write_pcap(changed, frames[0][1], [
                    (time + (time - begin) * ppm // 10**6 + (step if time > begin + (end - begin) * at else 0), data, wire)
                    for time, _, data, wire in frames])
                clock = self.objects(paths[0], changed)[1]["files"][1]["clock"]
                with self.subTest(name, at=at, step=step):
                    self.assertEqual(clock["steps"], 1)
                    self.assertLess(clock["uncertainty"], 0.0025)
                    self.assertAlmostEqual(clock["offset"], unchanged["offset"], delta=clock["uncertainty"] + unchanged["uncertainty"])

    def test_a_copy_is_not_another_point(self):
        """The same file by another name is an error; a copy, also of a part, is reported."""
        first, other = (os.path.join(ENDS, "roce-loss.%s.pcap.gz" % end) for end in "AB")
        hard, symbolic, copied, part = (self.path(name) for name in ("original.pcap", "symbolic.pcap", "copied.pcap", "part.pcap"))
        frames = [(time, data, wire) for time, _, data, wire in capfile.timed(first)]
        capfile.write_pcap(copied, 1, frames)
        capfile.write_pcap(part, 1, frames[1000:2000])
        os.link(copied, hard)
        os.symlink(first, symbolic)
        for one, same in (copied, hard), (first, symbolic):
            for command in ("join",), ("report", "-o", "-"):
                self.assertEqual(self.bad("%s and %s are the same file" % (one, same), *command, one, other, same), b"")
        for one, packets in (copied, len(frames)), (part, 1000):
            error = self.run_program("join", first, one).stderr.decode()
            self.assertIn("%s and %s have the same packets with the same times (%d of them)" % (first, one, packets), error)
        self.assertNotIn("the same times", self.run_program("join", first, other).stderr.decode())

    def test_the_text_lists_them(self):
        files = [os.path.join(ENDS, "roce-loss.%s.pcap.gz" % end) for end in "AB"]
        lines = self.lines("join", "--top", "100", *files)
        self.assertIn("lost from 1 to 2: 31 of 3224 packets (0.96 %)", lines)
        self.assertIn("lost from 2 to 1: 37 of 3947 packets (0.94 %)", lines)
        self.assertEqual(sum(line.startswith(("  1 > 2 frame ", "  2 > 1 frame ")) for line in lines), 68)
        self.assertLessEqual(max(len(line) for line in lines), 120)
        self.assertIn("  and 58 more (--top N, --json)", self.lines("join", "--top", "10", *files))

    def test_the_table_begins_with_the_directions_that_lost_the_most(self):
        def end(one):
            return "%s:%s" % (one["addr"], one["port"] if "port" in one else hex(one["qpn"])) if "port" in one or "qpn" in one else one["addr"]

        for name in ("roce-loss", "iwarp-loss"):
            files = [os.path.join(ENDS, "%s.%s.pcap.gz" % (name, side)) for side in "AB"]
            directions = [one for one in self.objects(*files)[0] if len(one["points"]) > 1]
            directions.sort(key=lambda one: (-one["lost_packets"], -one["packets"]))
            for top in (1, 4, len(directions) - 1):
                lines = self.lines("join", "--top", str(top), *files)
                at = lines.index("between points, with one-way delays, the first %d of %d directions by packets lost (--top N)" % (top, len(directions)))
                rows = lines[at + 2:lines.index("", at)]
                self.assertEqual(len(rows), top)
                for row, one in zip(rows, directions):
                    self.assertIn(" %s > %s " % (end(one["source"]), end(one["destination"])), row)
            for options in (("--top", str(len(directions))), ("--top", "4294967295")):
                self.assertIn("between points, with one-way delays", self.lines("join", *options, *files))


def address(number):
    return bytes((10, 0, 0, number))


class Path(Join):
    """Packets of a capture as captured at three points of their path: at host 10.0.0.1, at a switch, and at host 10.0.0.2."""

    def model(self, seed, loss=0.0, double=0.0, hold=0.0, mark=0.0, numbered=True, delay=20000, pauses=None):
        """pauses: {number of a packet: (delay in ns of it and all later ones, time of the previous packet on the first segment of the path)}."""
        chance = random.Random(seed)
        points, truth = ([], [], []), collections.Counter()
        start = 1700000000 * SECOND
        content = [one for one in records(read(os.path.join(TESTDATA, "roce-nfs3.pcap.gz")))[1] if one[1][12:14] == b"\x08\x00"]
        for number, (_, frame, length) in enumerate(content):
            start += (pauses or {}).get(number, (0,))[0]
            time = start + number * 100000
            frame = frame[:18] + ((number if numbered else 0) & 0xffff).to_bytes(2, "big") + frame[20:]
            way = (0, 1, 2) if frame[26:30] == address(1) else (2, 1, 0)
            points[way[0]].append((time, frame, length))
            # near the ends of the captures it is unknown whether a packet was lost
            faulty = 100 < number < len(content) - 100
            for before, point in zip(way, way[1:]):
                if faulty and chance.random() < loss:
                    truth["lost", before, point] += 1
                    break
                time += delay + chance.randrange(delay)
                if before == way[0]:
                    time += (pauses or {}).get(number + 1, (0, 0))[1]
                if faulty and chance.random() < hold:
                    time += 5 * 100000
                    truth["held"] += 1
                if chance.random() < mark and frame[15] & 3 != 3:
                    frame = frame[:15] + bytes((frame[15] | 3,)) + frame[16:]
                    truth["marked"] += 1
                points[point].append((time, frame, length))
                if point == 1 and chance.random() < double:
                    points[point].append((time + 7000, frame, length))
                    truth["doubled"] += 1
        return [sorted(one, key=lambda captured: captured[0]) for one in points], truth

    def write(self, points, clocks=((0, 0),) * 3):
        """clocks: (offset, drift as a share of the time)."""
        files = []
        for number, (captured, (ahead, drift)) in enumerate(zip(points, clocks)):
            first = captured[0][0]
            files.append(self.path("point%d.pcap" % number))
            capfile.write_pcap(files[-1], 1, [(time + ahead + int((time - first) * drift), frame, length) for time, frame, length in captured])
        return files

    def counts(self, files, directions):
        found = collections.Counter()
        for one in directions:
            for name in ("doubled", "marked"):
                found[name] += one[{"marked": "ce_marked"}.get(name, name)]
            for stretch in one["lost"]:
                found[("lost",) + tuple(files.index(name) for name in stretch["between"])] += stretch["count"]
        return found

    def check(self, seed, clocks=((0, 0),) * 3, **faults):
        points, truth = self.model(seed, **faults)
        files = self.write(points, clocks)
        directions, summary = self.objects(*files)
        self.assertEqual(+self.counts(files, directions), +truth)
        for one in directions:
            self.assertEqual(one["points"], files if one["source"]["addr"] == "10.0.0.1" else files[::-1])
            self.assertEqual(one["not_captured"], 0)
        return files, directions, summary

    def test_nothing_is_lost_on_a_good_path(self):
        self.check(1)

    def test_losses_are_counted_where_they_were(self):
        for seed in range(5):
            self.check(seed, loss=0.03)

    def test_losses_before_all_hosts_pause(self):
        """The other point has no packet after the lost one until the pause is over."""
        self.check(29, loss=0.2, pauses={number: (3 * SECOND, 0) for number in range(120, 900, 7)})

    def test_losses_of_senders_that_number_no_packets(self):
        for seed in range(5):
            self.check(seed, loss=0.02, numbered=False)

    def test_doubled_and_marked_packets(self):
        self.check(6, double=0.05)
        self.check(7, mark=0.1)
        self.check(8, loss=0.02, double=0.02, mark=0.02)

    def test_packets_that_are_held_back_are_reordered_and_not_lost(self):
        """A packet delayed by 500 us is late if another one of its flow was sent in this time: most are, because one is sent every 100 us."""
        points, truth = self.model(9, hold=0.05)
        files = self.write(points)
        directions, _ = self.objects(*files)
        self.assertEqual(+self.counts(files, directions), collections.Counter())
        reordered = sum(one["reordered"] for one in directions)
        self.assertEqual(reordered, self.late(points))
        self.assertGreater(reordered, truth["held"] // 2)

    def late(self, points):
        """RFC 4737: packets that arrive after one of their flow that was sent later, counted on the segment of the path that delays them."""
        late, flows = 0, lambda frame: (frame[26:34], frame[34:38] if frame[23] == 6 else frame[46:50])
        for way in ((0, 1, 2), (2, 1, 0)):
            sent = collections.defaultdict(list)
            source = address(1) if way[0] == 0 else address(2)
            for _, frame, _ in points[way[0]]:
                if frame[26:30] == source:
                    sent[flows(frame)].append(frame[18:20])
            was_late = set()
            for point in way[1:]:
                newest = collections.defaultdict(lambda: -1)
                now_late = set()
                for _, frame, _ in points[point]:
                    if frame[26:30] == source:
                        place = sent[flows(frame)].index(frame[18:20])
                        if place < newest[flows(frame)]:
                            now_late.add((flows(frame), place))
                        newest[flows(frame)] = max(place, newest[flows(frame)])
                late += len(now_late - was_late)
                was_late = now_late
        return late

    def test_clocks_come_back_within_the_uncertainty_stated(self):
        for seed, clocks in enumerate((((0, 0), (123456789, 0), (-3 * SECOND, 0)), ((0, 0), (-250000000, 30e-6), (40 * SECOND, -80e-6)))):
            files, directions, summary = self.check(seed, clocks, loss=0.01)
            for point, (ahead, drift) in list(zip(summary["files"], clocks))[1:]:
                clock = point["clock"]
                self.assertEqual(clock["reference"], files[0])
                self.assertLess(clock["uncertainty"], 0.001)
                # at both clocks' first packets; the samples may be at other times
                self.assertAlmostEqual(clock["offset"], ahead / SECOND, delta=clock["uncertainty"] + 2e-6)
            for one in directions:
                self.assertGreaterEqual(one["delay"]["min"], 0)

    def test_a_packet_that_a_point_missed_is_not_lost(self):
        points, _ = self.model(10)
        del points[1][150:170]
        directions, _ = self.objects(*self.write(points))
        self.assertEqual(sum(one["not_captured"] for one in directions), 20)
        self.assertEqual(sum(one["lost_packets"] for one in directions), 0)

    def test_points_that_capture_packets_in_another_form(self):
        """One point has VLAN tags, another one the first 96 bytes."""
        points, truth = self.model(12, loss=0.02)
        points[1] = [(time, frame[:12] + b"\x81\x00\x00\x64" + frame[12:], length + 4) for time, frame, length in points[1]]
        points[2] = [(time, frame[:96], length) for time, frame, length in points[2]]
        files = self.write(points)
        directions, _ = self.objects(*files)
        self.assertEqual(+self.counts(files, directions), +truth)
        self.assertEqual(sum(one["not_captured"] for one in directions), 0)

    def test_a_mirror_port_that_captures_each_packet_twice(self):
        points, truth = self.model(13, loss=0.02)
        count = len(points[0])
        points[0] = [copy for time, frame, length in points[0] for copy in ((time, frame, length), (time + 700, frame, length))]
        files = self.write(points)
        found = self.counts(files, self.objects(*files)[0])
        self.assertEqual(found.pop("doubled"), count)
        self.assertEqual(+found, +truth)

    def test_packets_beyond_the_other_capture_are_not_lost(self):
        points, _ = self.model(11)
        begin, end = points[1][200][0], points[1][-200][0]
        points[1] = [one for one in points[1] if begin <= one[0] <= end]
        points[2] = [one for one in points[2] if one[0] <= end]
        directions, _ = self.objects(*self.write(points))
        self.assertEqual(sum(one["lost_packets"] + one["not_captured"] for one in directions), 0)
        self.assertTrue(sum(one.get("not_judged", 0) for one in directions))

    def test_pauses_are_where_they_were(self):
        """The next sender was late, or the previous packet was delayed."""
        content = [frame for _, frame, _ in records(read(os.path.join(TESTDATA, "roce-nfs3.pcap.gz")))[1] if frame[12:14] == b"\x08\x00"]
        source = [".".join(map(str, frame[26:30])) for frame in content]
        same = next(n for n in range(200, 300) if source[n] == source[n - 1])
        turned = next(n for n in range(same + 20, 400) if source[n] != source[n - 1])
        slow = next(n for n in range(turned + 20, 500) if source[n] != source[n - 1])
        points, _ = self.model(7, pauses={same: (40 * 10**6, 0), turned: (60 * 10**6, 0), slow: (80 * 10**6, 75 * 10**6)})
        files = self.write(points, ((0, 0), (3 * SECOND, 0), (-SECOND, 0)))
        directions, summary = self.objects(*files)
        way = files if source[slow - 1] == "10.0.0.1" else files[::-1]
        # the other packets of the capture cause their own pauses, of 20 ms
        self.assertEqual([(one["where"], one["reason"], one.get("host"), one.get("between"), round(one["duration"], 2))
                          for one in self.stalls if one["duration"] > 0.03],
                         [("network", "delayed", None, [way[0], way[-1]], 0.08), ("receiver", "late", source[turned], None, 0.06),
                          ("sender", "late", source[same], None, 0.04)])
        self.assertEqual({place: found["count"] for place, found in summary["stalls"].items()},
                         {place: sum(one["where"] == place for one in self.stalls) for place in ("network", "receiver", "sender")})
        # the delay shows in its interval, and nowhere else
        slowest = max((row for one in directions for row in one["delay_over_time"]), key=lambda row: row["max"])
        self.assertAlmostEqual(slowest["max"], 0.075, delta=0.001)
        interval = next(one["delay_interval"] for one in directions if slowest in one["delay_over_time"])
        self.assertTrue(0 <= self.stalls[0]["time_ns"] / 1e9 - slowest["time_ns"] / 1e9 < interval)
        self.assertEqual(sum(row["max"] > 0.01 for one in directions for row in one["delay_over_time"]), 1)
        for one in directions:
            self.assertEqual(sum(row["count"] for row in one["delay_over_time"]), one["delay"]["count"])

    def test_a_pause_after_a_loss_is_the_networks(self):
        for name in ("roce-loss", "iwarp-loss"):
            files = [os.path.join(ENDS, "%s.%s.pcap.gz" % (name, end)) for end in "AB"]
            directions, summary = self.objects(*files)
            lost = {(frame["point"], frame["frame"]) for one in directions for stretch in one["lost"] for frame in stretch["frames"]}
            found = [one for one in self.stalls if one["reason"] == "lost"]
            self.assertTrue(found)
            for one in found:
                self.assertIn((one["point"], one["frame"]), lost)
                self.assertEqual(one["where"], "network")
                if one["point"] == one["point_after"]:
                    self.assertLessEqual(one["frame"], one["frame_after"])
            for one in self.stalls:
                self.assertGreaterEqual(one["duration"], 0.01)
            self.assertEqual(sum(found["count"] for place, found in summary["stalls"].items()), len(self.stalls))

    def test_a_second_copy_of_a_retransmission_is_not_the_lost_packet(self):
        """Both are the same bytes, because the sender numbers no packets."""
        flow, points = fleet.Flow(1, 2, 0x77, 50000), ([], [], [])
        sent = [(number * 100000, number) for number in range(1000)] + [(number * 100000 + 8 * 10**6, number) for number in (300, 500, 700)]
        for time, number in sorted(sent):
            flow.ip_id = 0xffff
            frame = flow.frame(4, number, b"", bytes(64))
            first = time == number * 100000
            lost_after = {300: 0, 500: 1}.get(number, 2) if first else 2
            for point in range(lost_after + 1):
                points[point].append((10**18 + time + point * 20000, frame, len(frame)))
                if not first and point == 1:
                    points[point].append((10**18 + time + point * 20000 + 2000, frame, len(frame)))
        files = self.write([sorted(one, key=lambda captured: captured[0]) for one in points])
        (direction,), _ = self.objects("--clock", "same", *files)
        found = [(one["between"], one["count"], [frame["psn"] for frame in one["frames"]]) for one in direction["lost"]]
        self.assertEqual(found, [(files[:2], 1, [300]), (files[1:], 1, [500])])
        self.assertEqual((direction["doubled"], direction["not_captured"]), (3, 0))

    def test_clocks_that_are_known_are_not_searched(self):
        points, _ = self.model(8)
        ahead = (0, 3 * SECOND, -SECOND // 4)
        files = self.write(points, [(one, 0) for one in ahead])
        known = sum((["--clock", "%s=%.9f" % (file, one / SECOND)] for file, one in list(zip(files, ahead))[1:]), [])
        directions, summary = self.objects(*known, *files)
        self.assertEqual([one["clock"]["offset"] for one in summary["files"][1:]], [3, -0.25])
        self.assertEqual([one["lost_packets"] for one in directions], [0] * len(directions))
        for one in directions:
            self.assertTrue(0.00004 <= one["delay"]["min"] <= one["delay"]["max"] <= 0.00008, one["delay"])
        # the drift is relative to the first packet of the file
        drifting = self.write(points, ((0, 0), (0, 0), (SECOND, 50e-6)))
        directions, _ = self.objects("--clock", drifting[2] + "=1,50", *drifting)
        for one in directions:
            self.assertTrue(0.00003 <= one["delay"]["min"] <= one["delay"]["max"] <= 0.00009, one["delay"])
        good = self.write(points)
        self.assertEqual([one["lost_packets"] for one in self.objects("--clock", "same", *good)[0]], [0] * len(directions))
        for wrong in ("other.pcap=1", good[1], good[1] + "=", good[1] + "=x", good[1] + "=1,", good[1] + "=nan"):
            done = self.run_program("join", "--clock", wrong, *good)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn(b"rdmatap: --clock ", done.stderr)

    def test_the_merged_file_has_each_packet_once(self):
        points, _ = self.model(12, loss=0.02, double=0.01)
        files = self.write(points, ((0, 0), (SECOND, 0), (-SECOND, 0)))
        merged = self.path("merged.pcapng")
        directions, _ = self.objects("-w", merged, *files)
        stats = [json.loads(line) for line in self.lines("stats", "--json", merged)]
        self.assertEqual(stats[0]["packets"], sum(one["packets"] for one in directions))
        sent = [json.loads(line) for line in self.lines("stats", "--json", self.sent(points))]
        self.assertEqual(stats[0]["packets"], sent[0]["packets"])
        self.assertEqual(self.kinds(merged), self.kinds(self.sent(points)), "as without a loss")

    def kinds(self, path):
        return collections.Counter((one["kind"], one.get("length"), one["complete"])
                                   for one in map(json.loads, self.lines("messages", "--json", path)))

    def sent(self, points):
        """The packets that the senders sent, by the correct clock."""
        frames = [one for number, captured in ((0, points[0]), (2, points[2])) for one in captured
                  if one[1][26:30] == address(1 if number == 0 else 2)]
        path = self.path("sent.pcap")
        capfile.write_pcap(path, 1, sorted(frames, key=lambda one: one[0]))
        return path


class Fleet(Join):
    HOSTS = 24

    def test_more_points_than_a_packet_passes(self):
        directory = self.path("fleet")
        truth = fleet.write(directory, self.HOSTS, 40000)
        captures = sorted(os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(".pcap"))
        for count in self.HOSTS, self.HOSTS // 2:
            directions, summary = self.objects(*captures[:count])
            lost = collections.Counter()
            for one in directions:
                lost[frozenset((one["source"]["addr"], one["destination"]["addr"]))] += one["lost_packets"]
                # the other points, which captured none of these packets, did not miss them either
                self.assertEqual(sum(len(hop["frames"]) for hop in one["lost"]), one["lost_packets"])
                self.assertNotIn("frames_unlisted", one)
                self.assertLessEqual(len(one["points"]), 2)
            for one in truth["connections"]:
                is_joined = all(int(one[end].split(".")[2]) < count for end in "ab")
                self.assertEqual(lost[frozenset((one["a"], one["b"]))], one["lost"] if is_joined else 0)
            self.assertGreater(sum(lost.values()), 0)
            self.assertEqual(sum(one["count"] for one in summary["lost"]), sum(lost.values()))
            # clocks of hosts that share no packets are compared through the hosts between them
            for file, ahead_ns in list(zip(summary["files"], truth["offsets_ns"]))[1:]:
                self.assertLess(file["clock"]["uncertainty"], 0.005)
                self.assertAlmostEqual(file["clock"]["offset"], (ahead_ns - truth["offsets_ns"][0]) / SECOND,
                                       delta=file["clock"]["uncertainty"] + 1e-5)


class Usage(Join):
    def test_one_file_is_nothing_to_join(self):
        self.bad("nothing to join (name a capture file of each point)", "join", RPING)

    def test_files_without_a_common_packet(self):
        directions, summary = self.objects(RPING, NANO)
        self.assertEqual(sum(one["lost_packets"] for one in directions), 0)
        self.assertTrue(all("clock" not in point for point in summary["files"]))

    def test_columns(self):
        files = [os.path.join(ENDS, "roce-loss.%s.pcap.gz" % end) for end in "AB"]
        rows = list(csv.DictReader(io.StringIO("\n".join(self.lines("join", "-T", "csv", *files)))))
        self.assertEqual(sum(int(row["lost_packets"]) for row in rows), 68)
        rows = self.lines("join", "-e", "connection", "-e", "lost_packets", "-e", "delay.min", *files)
        self.assertEqual(len(rows[0].split("\t")), 3)


if __name__ == "__main__":
    unittest.main()
