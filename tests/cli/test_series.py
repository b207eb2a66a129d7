# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A capture cut into files, as a ring buffer writes them, has the results of the uncut one, also beside those of another capture point."""
import collections
import os
import sys

import capfile
import lossy_wire
from cli import TESTDATA, CliTest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import model_retransmission as model

# with losses, NAKs, restarts and repeats
CAPTURES = ("conn_go-back-n.pcap", "conn_read-restart-middle.pcap", "conn_loss-and-duplicate.pcap", "rpc_restarted.pcap", "conn_rnr.pcap",
            "rpc_loss-and-duplicate.pcap", "roce-nfs3-v6.pcap.gz", "roce-verbmix-uc-mess.pcap.gz")
# wires without IP identifications, for which model and program agree (tests/check-retransmission)
SEEDS = [seed for seed in range(1, 60) if not lossy_wire.Wire(seed).counts_ids and
         seed not in (2, 12, 15, 19, 20, 22, 23, 26, 37, 38, 50, 54, 56)]
FIELDS = ("frame.interface_id", "frame.time_epoch", "infiniband.bth.psn", "rdmatap.psn.analysis")
NETWORK_NS = 130


def without_identification(frame):
    return frame[:18] + b"\0\0" + frame[20:] if frame[12:14] == b"\x08\x00" else frame


def apart(frames, divisor):
    """Faster, with different times, so that the order of the files does not matter."""
    made, begin = [], None
    for time, frame in frames:
        begin = begin or time
        made.append((max(made[-1][0] + 1 if made else 0, begin + (time - begin) // divisor), frame))
    return made


def squeezed(name, divisor, most=2500):
    """(nanoseconds, frame) of a capture without IP identifications, so fast that packets are retransmitted within a millisecond."""
    found = [(time, without_identification(frame)) for number, time, interface, link, frame, whole in model.frames(os.path.join(TESTDATA, name))]
    return apart(found[:most], divisor)


class Series(CliTest):
    def write(self, name, frames):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        capfile.write_pcap(path, 1, [(time, frame, len(frame)) for time, frame in frames])
        return path

    def cut(self, pattern, frames, count, first=0):
        """Files of `count` frames, the first of `first`."""
        starts = [0] + list(range(first or count, len(frames), count)) + [len(frames)]
        return [self.write(pattern % (i + 1), frames[begin:end]) for i, (begin, end) in enumerate(zip(starts, starts[1:]))]

    def rows(self, paths, *more):
        """(interface, time, PSN, label) of each frame."""
        arguments = [word for path in paths for word in ("-r", path)] + [word for field in FIELDS for word in ("-e", field)]
        return [tuple(line.split("\t")) for line in self.lines("-T", "fields", *arguments, *more)]

    def test_a_series(self):
        labels = collections.Counter()
        for name in CAPTURES:
            for divisor in (1, 100, 10000):
                frames = squeezed(name, divisor)
                whole = [row[1:] for row in self.rows([self.write("whole.pcap", frames)])]
                labels.update(row[2] for row in whole)
                for count in (max(3, len(frames) // 23), max(2, len(frames) // 7)):
                    paths = self.cut("part_%05d.pcap", frames, count)
                    for given in (paths, paths[::-1]):
                        self.assertEqual([row[1:] for row in self.rows(given)], whole, (name, divisor, count))
        self.assertGreater(labels["retransmission"], 100)
        self.assertFalse(labels["captured_twice"])

    def known(self, seed):
        """The frames of a wire, and the label of each by the model."""
        path, wire = self.path("wire.pcap"), lossy_wire.Wire(seed).frames
        # of another host: until frames of two files alternate, the program cannot know that they were captured at the same time
        time, frame, length = wire[0]
        before = [(time - ago, frame[:26] + bytes((10, 9, 9, ago // 1000)) + frame[30:], length) for ago in (9000, 8000)]
        frames = apart(((time, frame) for time, frame, length in before + wire), 1)
        capfile.write_pcap(path, 1, [(time, frame, len(frame)) for time, frame in frames])
        labels = {}
        for _, _, stream in model.streams(path):
            labels.update(stream.labels)
        frames = [(time, frame) for number, time, interface, link, frame, whole in model.frames(path)]
        return frames, [labels.get(i + 1, "") for i in range(len(frames))]

    def points(self, seed):
        """The frames of a wire, PSN and label of each, and those of a second point: behind a network that loses packets."""
        frames, known = self.known(seed)
        labels = [row[2:] for row in self.rows([self.path("wire.pcap")])]
        # those before the connection is recognised have none
        self.assertEqual([row[1] for row in labels], [row[1] and (wanted or "in_order") for row, wanted in zip(labels, known)], seed)
        return frames, labels, [(time + NETWORK_NS, frame) for i, (time, frame) in enumerate(frames) if i % 11]

    def compare(self, paths, labels, copies, what):
        """Without the copies, the PSNs and labels are those of the first point. In both orders of the files."""
        for given in (paths, paths[::-1]):
            rows = [row[2:] for row in self.rows(given)]
            self.assertEqual([row for row in rows if row[1] != "captured_twice"], labels, what)
            self.assertEqual(len(rows), len(labels) + copies, what)

    def test_series_of_two_points(self):
        found = collections.Counter()
        for seed in SEEDS:
            frames, labels, behind = self.points(seed)
            found.update(row[1] for row in labels)
            self.compare([self.write("a.pcap", frames), self.write("b.pcap", behind)], labels, len(behind), seed)
            for count, first in ((len(frames) // 5, 0), (len(frames) // 9, 1), (50, 49)):
                for one, other in (("a_%05d.pcap", "b_%05d.pcap"), ("node1_%05d.pcap", "node2_%05d.pcap"), ("1/cap%d", "2/cap%d")):
                    self.compare(self.cut(one, frames, count) + self.cut(other, behind, count, first), labels, len(behind), (seed, count, one))
        self.assertGreater(found["retransmission"], 1000)

    def test_a_series_of_files_with_two_interfaces(self):
        """Each file has both points, in changing order; both interfaces have no name in the last case."""
        for seed in SEEDS[:4]:
            frames, labels, behind = self.points(seed)
            merged = sorted([(time, frame, 0) for time, frame in frames] + [(time, frame, 1) for time, frame in behind])
            for count, swaps, names in ((len(merged) // 5, False, (b"eth0", b"eth1")), (97, True, (b"eth0", b"eth1")), (97, False, (b"", b""))):
                paths = []
                for begin in range(0, len(merged), count):
                    file = capfile.Pcapng()
                    file.section()
                    order = (1, 0) if swaps and begin // count % 2 else (0, 1)
                    for point in order:
                        file.interface(1, 0, [(2, names[point]), (9, b"\x09")] if names[point] else [(9, b"\x09")])
                    for time, frame, point in merged[begin:begin + count]:
                        file.packet(order.index(point), time, frame)
                    paths.append(self.path("ring_%05d.pcapng" % (begin // count)))
                    file.write(paths[-1])
                self.compare(paths, labels, len(behind), (seed, count, names))

    def test_which_files_are_a_series(self):
        """In those that are none, packets that follow each other within a millisecond were captured twice."""
        frames = squeezed("conn_go-back-n.pcap", 1)
        labels = [row[3] for row in self.rows([self.write("whole.pcap", frames)])]
        # up to a request
        frames = frames[:max(i + 1 for i, (time, frame) in enumerate(frames) if frame[42] < 4 and labels[i] == "in_order")]
        again = [(frames[-1][0] + 500000, frames[-1][1])]
        for one, other, label in (("cap1.pcap", "cap2.pcap", "duplicate"), ("cap.pcap", "cap.pcap1", "duplicate"),
                                  ("x/cap_00009_20260101235959.pcap", "x/cap_00010_20260102000000.pcap", "duplicate"),
                                  ("one.pcap", "two.pcap", "captured_twice"), ("cap1.pcap", "cap1.pcap.old", "captured_twice"),
                                  ("a/cap1.pcap", "b/cap2.pcap", "captured_twice")):
            paths = [self.write(one, frames), self.write(other, again)]
            for given in (paths, paths[::-1]):
                self.assertEqual(self.rows(given)[-1][3], label, (one, other))
        # a pipe has no name that says anything
        with open(paths[1], "rb") as pipe:
            rows = self.lines("-T", "fields", "-e", FIELDS[3], "-r", paths[0], "-r", "-", stdin=pipe)
        self.assertEqual(rows[-1], "captured_twice")
