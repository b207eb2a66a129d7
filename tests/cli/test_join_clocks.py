# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap join with clocks that are set near packets that are lost, against a model of two ends: every packet that the model lost is listed, or
packets are counted of which that is unknown; no other packet is listed; times of both files agree within the uncertainty stated.

As a program: test_join_clocks.py FIRST LAST runs the cases with these numbers (RDMATAP names the program)."""
import bisect
import collections
import json
import os
import random
import sys
import unittest

import capfile
import fleet
from cli import TESTDATA, CliTest

SECOND, MS = 10**9, 10**6
ENDS = os.path.join(TESTDATA, "ends")
BEGIN_NS = 1_700_000_000 * SECOND
EDGE_NS = 6 * MS  # nearer to the ends of a capture, no packet is counted as lost
CASES = 40
# packets that were on the way while clocks were set, few packets at one end, steps that look like a drift, clocks more wrong than packets take
HARD_CASES = 5072, 5103, 5233, 5387, 5435, 6017, 6121, 6195, 6273, 7376

Frame = collections.namedtuple("Frame", "time data length other")  # time in ns, by a perfect clock; other: that of its capture at the other end


def logged(name):
    """What the relay between two machines lost: (direction, QP or port, PSN or sequence number, length)."""
    lost = collections.Counter()
    with open(os.path.join(ENDS, name + ".relay"), encoding="ascii") as log:
        for line in log:
            words = line.split()
            of = dict(zip(words[5::2], words[6::2])) if words[5] == "op" else dict(zip(words[6::2], words[7::2]))
            lost[words[1], int(of.get("qp", of.get("dport"))), int(of.get("psn", of.get("seq"))), int(words[4])] += 1
    return lost


def name_of(data):
    """Of an Ethernet frame with IPv4 without options."""
    if data[23] == 17:
        return int.from_bytes(data[47:50], "big"), int.from_bytes(data[51:54], "big")
    return int.from_bytes(data[36:38], "big"), int.from_bytes(data[38:42], "big")


class Relayed:
    """Captures of two machines. Their clocks differ by an unknown time."""

    server, is_exact, uncounted = "10.0.0.1", False, 0

    def __init__(self, chance):
        name = chance.choice(("roce-loss", "iwarp-loss"))
        self.ends = [[Frame(time, data, length, None) for time, _, data, length in capfile.timed(os.path.join(ENDS, "%s.%s.pcap.gz" % (name, end)))]
                     for end in "AB"]
        self.lost = logged(name)
        self.lost_at = []
        for end, frames in enumerate(self.ends):
            other = self.ends[1 - end]
            for frame in frames:
                if frame.data[26:30] == bytes((10, 0, 0, 1 + end)) and (("A>B", "B>A")[end], *name_of(frame.data), frame.length) in self.lost:
                    time = frame.time
                    self.lost_at.append((time, time + other[0].time - frames[0].time) if end == 0 else (time + other[0].time - frames[0].time, time))


class Generated:
    """Two hosts that send to each other; the network loses, doubles and holds back packets."""

    server, is_exact = "10.1.1.1", True

    def __init__(self, chance):
        self.count, self.gap = chance.choice((400, 1500)), chance.choice((20_000, 200_000, 2_000_000))
        self.delay, self.jitter = chance.choice((5_000, 50_000, 1_000_000)), chance.choice((0.1, 1, 5))
        self.loss, self.double, self.hold = chance.choice((0.01, 0.03)), chance.choice((0, 0.02)), chance.choice((0, 0.02))
        self.share, self.numbered = chance.choice((0.5, 0.2)), chance.random() < 0.7
        self.ends, self.lost, self.lost_at = ([], []), collections.Counter(), []
        self.send(chance)
        for frames in self.ends:
            frames.sort(key=lambda frame: frame.time)
        begin, end = max(frames[0].time for frames in self.ends), min(frames[-1].time for frames in self.ends)
        self.uncounted = sum(not begin + EDGE_NS < time < end - EDGE_NS for time, _ in self.lost_at)

    def send(self, chance):
        flows, psns, time = (fleet.Flow(1, 2, 0x77, 50000), fleet.Flow(2, 1, 0x78, 50001)), [100, 5000], BEGIN_NS
        for number in range(self.count):
            # some pauses are longer than two packets of one transmission can be apart
            time += int(chance.expovariate(1 / self.gap)) + 1 + (chance.choice((30 * MS, 300 * MS, 3 * SECOND)) if chance.random() < 0.003 else 0)
            end = int(chance.random() > self.share)
            psns[end] += 1
            if not self.numbered:
                flows[end].ip_id = 0xffff
            data = flows[end].frame(4, psns[end], b"", bytes(64))
            arrives = time + self.delay + int(chance.expovariate(1 / (self.delay * self.jitter)))
            if chance.random() < self.hold:
                arrives += chance.randrange(MS, 20 * MS)
            if self.count // 20 < number < self.count * 19 // 20 and chance.random() < self.loss:
                self.ends[end].append(Frame(time, data, len(data), None))
                self.lost[("A>B", "B>A")[end], (0x77, 0x78)[end], psns[end], len(data)] += 1
                self.lost_at.append((time, time))
                continue
            self.ends[end].append(Frame(time, data, len(data), arrives))
            self.ends[1 - end].append(Frame(arrives, data, len(data), time))
            if chance.random() < self.double:
                again = arrives + chance.randrange(1000, 50000)
                self.ends[1 - end].append(Frame(again, data, len(data), time))


class Clock:
    def __init__(self, chance, frames, lost_at, is_set):
        self.begin, last = frames[0].time, frames[-1].time
        self.ahead = chance.choice((0, chance.randrange(-3 * SECOND, 3 * SECOND), chance.randrange(-3600 * SECOND, 3600 * SECOND)))
        self.ppm = chance.choice((0, chance.uniform(-100, 100)))
        self.steps = []
        for _ in range(is_set and chance.choice((1, 1, 2))):
            time = self.begin + int((last - self.begin) * chance.uniform(0.05, 0.95))
            if lost_at and chance.random() < 0.5:
                time = chance.choice(lost_at) + chance.randrange(-12 * MS, 12 * MS)
            size = chance.choice((2 * MS, 10 * MS, 100 * MS, SECOND, 5 * SECOND)) * chance.uniform(0.5, 1.5)
            self.steps.append((time, int(chance.choice((-1, 1)) * size)))

    def shows(self, time):
        return time + self.ahead + int((time - self.begin) * self.ppm / 10**6) + sum(step for at, step in self.steps if time >= at)


class JoinClocks(CliTest):
    def run_case(self, seed):
        """Returns what is wrong, or None."""
        chance = random.Random(seed)
        model = chance.choice((Relayed, Generated))(chance)
        is_set = chance.choice(((False, False), (True, False), (True, False), (False, True), (False, True), (True, True)))
        clocks = [Clock(chance, frames, [times[end] for times in model.lost_at], is_set[end]) for end, frames in enumerate(model.ends)]
        paths = [self.path("clocks-%s.pcap" % end) for end in "AB"]
        for path, clock, frames in zip(paths, clocks, model.ends):
            capfile.write_pcap(path, 1, [(clock.shows(frame.time), frame.data, frame.length) for frame in frames])
        rows = [json.loads(line) for line in self.lines("join", "--json", *paths)]
        directions, files = [one for one in rows if one["kind"] == "direction"], rows[-1]["files"]
        found = collections.Counter()
        for one in directions:
            way, path = ("A>B", paths) if one["source"]["addr"] == model.server else ("B>A", paths[::-1])
            found.update((way if stretch["between"] == path else None, one["destination"].get("qpn", one["destination"].get("port")),
                          frame.get("psn", frame.get("seq")), frame["length"]) for stretch in one["lost"] for frame in stretch["frames"])
        missing, unknown = sum((model.lost - found).values()), sum(one.get("not_judged", 0) + one.get("mistimed", 0) for one in directions)
        if found - model.lost:
            return "not lost: %s" % (found - model.lost)
        if missing > model.uncounted + unknown or (model.uncounted == 0 and missing and not unknown):
            return "%d missing, %d unknown" % (missing, unknown)
        return self.wrong_clock(model, clocks, paths, files) if model.is_exact and "clock" in files[1] else None

    def wrong_clock(self, model, clocks, paths, files):
        """Compares the corrected times of the second file with those that the first one had at the same time."""
        corrected = ([], [])
        for line in self.lines("-r", paths[0], "-r", paths[1], "-T", "fields", "-e", "frame.interface_id", "-e", "frame.time_epoch"):
            point, time = line.split("\t")
            corrected[int(point)].append(int(time.replace(".", "")))
        times, clock = [frame.time for frame in model.ends[0]], files[1]["clock"]

        def at(time):
            near = bisect.bisect_right(times, time)
            return [corrected[0][i] + (time - times[i]) * (1 + clocks[0].ppm / 10**6) for i in (near - 1, near) if 0 <= i < len(times)]

        wrong, most = 0, clock.get("uncertainty", 3600) * SECOND + 2000
        for number, (frame, time) in enumerate(zip(model.ends[1], corrected[1]), 1):
            # while a packet is on the way, a clock can be set
            possible = at(frame.time) + [time + frame.time - frame.other for time in at(frame.other or frame.time) if frame.other]
            if clock.get("confirmed_from", 0) <= number <= clock.get("confirmed_to", number) and min(abs(time - one) for one in possible) > most:
                wrong += 1
        unclear = sum(one.get("clock", {}).get("unclear", 0) for one in files)
        return "%d frames beyond %s" % (wrong, clock) if wrong > unclear else None

    def test_losses_next_to_steps_of_clocks(self):
        for seed in [*range(CASES), *HARD_CASES]:
            self.assertIsNone(self.run_case(seed), seed)

    def test_a_packet_lost_before_a_pause(self):
        """The pause is longer than copies of a packet may be apart, and no point captures anything between."""
        flow, ends = fleet.Flow(1, 2, 0x77, 50000), ([], [])
        for number in range(400):
            time = BEGIN_NS + number * MS + (5 * SECOND if number >= 200 else 0)
            data = flow.frame(4, number, b"", bytes(64))
            ends[0].append((time, data, len(data)))
            if number not in (197, 199):
                ends[1].append((time + 50_000, data, len(data)))
        paths = [self.path("pause-%s.pcap" % end) for end in "AB"]
        for path, frames in zip(paths, ends):
            capfile.write_pcap(path, 1, frames)
        rows = [json.loads(line) for line in self.lines("join", "--json", "--clock", "same", *paths)]
        self.assertEqual([frame["psn"] for stretch in rows[0]["lost"] for frame in stretch["frames"]], [197, 199])
        stall = next(one for one in rows if one["kind"] == "stall")
        self.assertEqual((stall["where"], stall["reason"], stall["frame"]), ("network", "lost", 200))
        # and the last ones: the other capture may have ended before
        capfile.write_pcap(paths[1], 1, ends[1][:-3])
        rows = [json.loads(line) for line in self.lines("join", "--json", "--clock", "same", *paths)]
        self.assertEqual((rows[0]["lost_packets"], rows[0]["not_judged"]), (2, 3))

    def test_times_that_do_not_fit(self):
        """With a wrong --clock, no packet is at both points at about the same time: all are counted, and none of them as lost."""
        flow, ends = fleet.Flow(1, 2, 0x77, 50000), ([], [])
        for number in range(300):
            data = flow.frame(4, number, b"", bytes(64))
            for end, delay in enumerate((0, 50_000)):
                ends[end].append((BEGIN_NS + number * 100 * MS + delay, data, len(data)))
        paths = [self.path("wrong-%s.pcap" % end) for end in "AB"]
        for path, frames in zip(paths, ends):
            capfile.write_pcap(path, 1, frames)
        done = self.run_program("join", "--json", "--clock", paths[1] + "=5", *paths)
        direction = json.loads(done.stdout.splitlines()[0])
        self.assertEqual((direction["packets"], direction["seen"], direction["lost_packets"], direction["mistimed"]), (300, [300, 300], 0, 300))
        self.assertIn("300 packets were captured at several points, but at times that do not fit together", done.stderr.decode())

    def test_files_with_more_packets_than_are_compared(self):
        """The second file's clock is set after so many, and again near the end; the table of packets has room for a third of them."""
        chance, flows = random.Random(7), (fleet.Flow(1, 2, 0x77, 50000), fleet.Flow(2, 1, 0x78, 50001))
        sent, steps = [], ((9_000, 300 * MS), (14_000, -200 * MS))
        for number in range(16_000):
            time, end = BEGIN_NS + number * 100_000, number % 2
            sent.append((end, time, time + 20_000 + chance.randrange(20_000), flows[end].frame(4, number, b"", bytes(64))))
        for files in (1, 2):  # the first file alone is long, or both
            paths = [self.path("%s.pcap" % end) for end in "ab"]
            for end, path in enumerate(paths):
                times = [(at[2] if at[0] != end else at[1], at[3], number) for number, at in enumerate(sent) if end < files or number >= 13_000]
                capfile.write_pcap(path, 1, [(time + (end and sum(by for after, by in steps if number >= after)), data, len(data))
                                             for time, data, number in sorted(times)])
            done = self.run_program("join", "--json", "--max-memory", "4M", *paths)
            records = [json.loads(line) for line in done.stdout.splitlines()]
            clock = records[-1]["files"][1]["clock"]
            self.assertEqual((clock["reference"], clock["steps"]), (paths[0], files))
            self.assertEqual([record["lost_packets"] for record in records if "lost_packets" in record], [0, 0])
            done = self.run_program("stats", "--max-memory", "4M", *paths)
            self.assertIn("%d packets were present in several files" % (16_000 if files == 2 else 3_000), done.stderr.decode())

    def test_the_clock_of_the_first_file_is_set(self):
        """Its later times go on as before."""
        frames = list(capfile.timed(os.path.join(ENDS, "roce-loss.A.pcap.gz")))
        middle = frames[len(frames) // 2][0]
        first, second = self.path("set.pcap"), os.path.join(ENDS, "roce-loss.B.pcap.gz")
        capfile.write_pcap(first, 1, [(time - (SECOND if time > middle else 0), data, length) for time, _, data, length in frames])
        done = self.run_program("join", "--json", first, second)
        clocks = [one["clock"] for one in json.loads(done.stdout.splitlines()[-1])["files"]]
        self.assertEqual([(clock["reference"], clock["steps"]) for clock in clocks], [(first, 1), (first, 0)])
        self.assertIn("the clock of %s was changed 1 times: its later time stamps were corrected accordingly" % first, done.stderr.decode())
        self.assertRegex("\n".join(self.lines("join", first, second)), r"1 \S+: 7134 packets, clock set 1 time")
        merged = [int(line.replace(".", "")) for line in self.lines("-r", first, "-r", second, "-Y", "frame.interface_id == 0", "-T", "fields",
                                                                     "-e", "frame.time_epoch")]
        uncertainty = clocks[1]["uncertainty"] * SECOND
        self.assertLess(max(abs(time - frame[0]) for time, frame in zip(merged, frames)), 2 * uncertainty)


def run_cases(first, last):
    test, wrong = JoinClocks(), 0
    test.setUp()
    for seed in range(first, last):
        found = test.run_case(seed)
        if found:
            wrong += 1
            print(seed, found, flush=True)
    test.doCleanups()
    print("%d of %d cases are wrong" % (wrong, last - first))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run_cases(int(sys.argv[1]), int(sys.argv[2]))
    else:
        unittest.main()
