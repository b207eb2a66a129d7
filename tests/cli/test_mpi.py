# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap-mpi: its output is that of one process over the same files, whatever the number of ranks."""
import json
import os
import random
import re
import shutil
import unittest

import capfile
import fleet
import lossy_wire
import nccl
from cli import TESTDATA
from mpirun import MpiTest

MIXED = [os.path.join(TESTDATA, name) for name in (
    "roce-nvmeof.pcap.gz", "roce-nfs3.pcap.gz", "iwarp-nfs41-midstream.pcap.gz", "roce-srp.pcap.gz", "roce-verbmix-rc-mtu256.pcap",
    "iwarp-smbdirect.pcap.gz", "roce-rds.pcap", "conn_cm-lives.pcap")]
SPLIT = ["iwarp-smbdirect.pcap.gz", "roce-rds.pcap", "conn_cm-lives.pcap"]
HOSTS, FRAMES = 8, 4000
NO_IDS = [seed for seed in range(1, 30) if not lossy_wire.Wire(seed).counts_ids][:6]


def split(path, count, prefix):
    """The frames of a capture in `count` files: in each of them in order, but no file has all of any stretch of time."""
    rng, files, names = random.Random(7), [[] for _ in range(count)], []
    for time, link, data, wire in capfile.timed(path):
        files[rng.randrange(count)].append((time, data, wire))
    for number, frames in enumerate(files):
        names.append("%s%d.pcap" % (prefix, number))
        capfile.write_pcap(names[-1], link, frames)
    return names


class FleetTest(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fleet = os.path.join(cls.directory.name, "fleet")
        cls.truth = fleet.write(cls.fleet, HOSTS, FRAMES)
        cls.captures = sorted(os.path.join(cls.fleet, name) for name in os.listdir(cls.fleet) if name.endswith(".pcap"))


class SameAsOneProcess(FleetTest):
    def test_messages_of_a_fleet_of_skewed_clocks(self):
        self.check((1, 3, 8), "messages", "--json", files=self.captures)

    def test_connections_of_a_fleet(self):
        self.check((4,), "connections", "--json", files=self.captures)

    def test_packets_of_several_files_are_reported_once(self):
        for command in "connections", "stats", "check":
            self.ranks(3, command, *self.captures)
            said = [line for line in self.error.splitlines() if "present in several files" in line]
            self.assertEqual(len(said), 1, said)
            self.assertIn(" %d packets were present" % sum(one["packets"] - one["lost"] for one in self.truth["connections"]), said[0])

    def test_operations_of_several_layers(self):
        self.check((3,), "operations", files=MIXED)

    def test_messages_of_several_layers(self):
        self.check((2,), "messages", files=MIXED)

    def test_captures_that_are_split(self):
        files = []
        for name in SPLIT:
            files += split(os.path.join(TESTDATA, name), 3, os.path.join(self.directory.name, name.partition(".")[0] + "-"))
        self.check((3,), "messages", "-T", "csv", "-Y", "frame.len > 100", files=files)
        self.check((3,), "connections", files=files)

    def test_requests_that_are_given_up_while_other_ranks_have_packets(self):
        """When a year passes, one process gives up the requests at the end of the first capture, because of packets of other hosts."""
        asked, second = self.path("asked.pcap"), self.path("second.pcap")
        frames = list(capfile.timed(os.path.join(TESTDATA, "roce-nfs3.pcap.gz")))
        begin = frames[0][0]
        capfile.write_pcap(asked, frames[0][1], [(10**18 + time - begin, data, wire) for time, _, data, wire in frames[:600]
                                                 if data[26:30] != bytes((10, 0, 0, 1))])
        frames = list(capfile.timed(self.captures[0]))
        capfile.write_pcap(second, frames[0][1], [(time, data, wire) for time, _, data, wire in frames])
        self.check((2, 3), "stats", "--json", files=[asked, second])

    def test_a_job_of_nccl(self):
        hosts = [nccl.Host(i + 1) for i in range(4)]
        nccl.ring(hosts, 12, 20000, late={(5, hosts[2]): 5 * nccl.MS})
        files = [self.path("nccl%d.pcap" % host.number) for host in hosts]
        for host, path in zip(hosts, files):
            host.write(path)
        # what a host waited for itself is found in the traffic of others
        self.assertIn(b'"sender_own"', b"".join(self.check((2, 4), "operations", "--json", files=files)))
        self.check((3,), "stats", "--json", files=files)
        self.assertNotEqual(self.ranks(3, "operations", "--json", "--apart", *files), self.one("operations", "--json", *files))

    def test_violations(self):
        for arguments in ("check", "--json"), ("check", "--top", "2"):
            self.check((2, 3), *arguments, files=MIXED, status=1)
        self.assertEqual(self.ranks(2, "check", *self.captures), self.one("check", *self.captures))
        self.check((2,), "check", "--that", "connection.packets == 1", files=MIXED[:2], status=1)

    def test_threads(self):
        self.check((2,), "messages", "--threads", "2", files=self.captures)
        self.check((2,), "check", "--threads=2", files=MIXED, status=1)
        self.check((2,), "stats", "--threads", "2", files=self.captures)

    def test_what_rank_0_analyses(self):
        self.check((2,), "operations", "--by", "name", files=MIXED)

    def test_capture_points(self):
        self.check((2, 3), "join", "--json", files=self.captures)
        for name in "roce-loss", "iwarp-loss":
            self.check((2,), "join", "--top", "1000", files=[os.path.join(TESTDATA, "ends", "%s.%s.pcap.gz" % (name, end)) for end in "AB"])
        written = []
        for name, run in ("merged.pcapng", self.one), ("of-ranks.pcapng", lambda *arguments: self.ranks(2, *arguments)):
            written.append(run("join", "-w", self.path(name), *self.captures))
            # the blocks that describe interfaces and their counters differ
            written.append(self.one("-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "infiniband.bth.psn", "-r", self.path(name)))
        self.assertEqual(written[:2], written[2:])

    def test_capture_points_with_too_few_packets_to_compare_their_clocks(self):
        frames = list(capfile.timed(os.path.join(TESTDATA, "roce-rping-v4.pcap")))[:5]
        files = [self.path("point%d.pcap" % point) for point in range(3)]
        for path in files:
            capfile.write_pcap(path, frames[0][1], [(time, data, wire) for time, _, data, wire in frames])
        for form in (), ("--json",):
            self.check((1, 2), "join", *form, files=files)
        self.assertNotIn(b"clock", self.ranks(2, "join", *files))

    def test_statistics(self):
        self.check((1, 3), "stats", files=self.captures)
        self.check((2,), "stats", "--json", files=MIXED)


    def test_series_of_files(self):
        """Without IP identifications, the capture point of a file decides whether a packet was captured twice or sent twice."""
        points = [[], []]
        for point, delay in ((0, 0), (1, 130)):
            for number, seed in enumerate(NO_IDS):
                for time, data, wire in lossy_wire.Wire(seed).frames:
                    # each wire has hosts of its own
                    data = data[:29] + bytes((2 * number + data[29] % 2,)) + data[30:33] + bytes((2 * number + data[33] % 2,)) + data[34:]
                    points[point].append((time + delay, data, wire))
            points[point].sort(key=lambda row: row[0])
        files = []
        for point, frames in enumerate(points):
            for begin in range(0, len(frames), 150 + 50 * point):
                files.append(self.path("node%d_%05d.pcap" % (point, begin // 50)))
                capfile.write_pcap(files[-1], 1, frames[begin:begin + 150 + 50 * point])
        series = [name for name in files if "node0" in name]
        found = [json.loads(line) for line in self.check((2, 3), "connections", "--json", files=series)]
        self.assertEqual(sum(one["packets"] for one in found), len(points[0]))
        self.assertGreater(sum(one["anomalies"].get("retransmission", 0) for one in found), 200)
        self.assertFalse([one for one in found if one["anomalies"].get("captured_twice")])
        self.check((3,), "connections", "--json", "--split=10K", files=series)
        both = [json.loads(line) for line in self.check((2, 3), "connections", "--json", files=files)]
        self.assertGreater(sum(one["anomalies"].get("captured_twice", 0) for one in both), len(points[1]) * 0.9)


class Counts(FleetTest):
    def test_what_the_generator_knows(self):
        found = {(one["a"]["addr"], one["b"]["addr"]): one for one in map(json.loads, self.ranks(2, "connections", "--json", self.fleet))}
        self.assertEqual(len(found), len(self.truth["connections"]))
        for one in self.truth["connections"]:
            connection = found[one["a"], one["b"]]
            # all but the lost ones were captured at both ends
            self.assertEqual((connection["packets"], connection["messages"], connection["anomalies"]["captured_twice"]),
                             (one["packets"], one["messages"], one["packets"] - one["lost"]))


class Placement(FleetTest):
    def test_hosts_that_share_packets_are_read_by_one_rank(self):
        """In a ring of 12 hosts of which each rank reads neighbours, only the frames of two of 12 connections have to move."""
        directory = self.path("ring")
        made = fleet.write(directory, 12, 24000)
        self.ranks(2, "connections", "--json", "--ranks", directory)
        sent = sum(int(count) for count in re.findall(r"sent (\d+) frames", self.error))
        self.assertLess(sent, made["frames"] / 8)


class Output(FleetTest):
    def written(self, count, *arguments):
        path = self.path("output")
        self.assertEqual(self.ranks(count, *arguments, "--output", path, *self.captures), [])
        with open(path, "rb") as f:
            return f.read().splitlines()

    def test_all_ranks_write_one_file(self):
        for arguments in ("messages", "--json"), ("connections",), ("messages", "-T", "csv"):
            found = self.written(3, *arguments)
            self.assertEqual(sorted(found), self.one(*arguments, *self.captures))
        # the last one has a header
        self.assertTrue(found[0].startswith(b"message,"), found[0])

    def test_rank_0_writes_other_output(self):
        self.assertEqual(sorted(self.written(2, "stats")), self.one("stats", *self.captures))
        self.assertEqual(sorted(self.written(1, "messages")), self.one("messages", *self.captures))

    def test_a_file_that_cannot_be_made(self):
        for command in "messages", "check":
            self.ranks(2, command, "--output", self.path("none/output"), *self.captures, status=2)
            self.assertEqual(self.error.count("No such file or directory"), 1)


    def test_an_input_is_not_overwritten(self):
        capture = self.path("input.pcap")
        shutil.copyfile(self.captures[0], capture)
        for command in "messages", "stats":
            self.ranks(2, command, "--output", capture, capture, self.captures[1], status=2)
            self.assertIn("is an input too", self.error)
            self.assertEqual(os.path.getsize(capture), os.path.getsize(self.captures[0]))


class Inputs(FleetTest):
    def test_a_file_that_cannot_be_read_is_left_out(self):
        missing = os.path.join(self.fleet, "missing.pcap")
        wanted = self.one("messages", *self.captures[:2])
        self.assertEqual(self.ranks(2, "messages", self.captures[0], missing, self.captures[1], status=1), wanted)
        self.assertIn(missing, self.error)

    def test_a_file_that_ends_early_does_not_end_the_job(self):
        cut = self.path("cut.pcap")
        with open(self.captures[1], "rb") as f, open(cut, "wb") as out:
            out.write(f.read()[:50_001])
        self.check((3,), "messages", "--json", files=[self.captures[0], cut, self.captures[2]], status=2)
        self.assertIn(cut + ": frame", self.error)

    def test_a_list_and_little_memory(self):
        names = os.path.join(self.directory.name, "captures.list")
        with open(names, "w", encoding="ascii") as out:
            out.write("\n".join(self.captures) + "\n")
        arguments = "messages", "--max-memory", "16M"
        self.assertEqual(self.ranks(2, *arguments, names), self.one(*arguments, *self.captures))

    def test_errors(self):
        self.ranks(1, "export", self.fleet, status=2)
        self.assertIn("rdmatap: export: no such command of rdmatap-mpi", self.error)
        self.ranks(2, "messages", "--no-such-option", self.fleet, status=2)
        self.assertEqual(self.error.count("no-such-option"), 1)
