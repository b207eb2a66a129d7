# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap-mpi divides the records of one file among the ranks: its output, with the numbers of frames, is that of one process."""
import json
import os
import random
import re
import struct
import unittest

import capfile
import fleet
from cli import TESTDATA
from mpirun import MpiTest

ETHERNET = 1
BEGIN_NS = 1_790_000_000 * 10**9
RANKS = 2, 3, 4, 8
SPLIT = "--split=10K"


def writes(count, payload):
    """Frames of `count` RDMA WRITE messages of four packets, payload(number) in each, and their acknowledgements; between three hosts."""
    flows = [(fleet.Flow(0, 1 + i, 0x11 + i, 50000 + i), fleet.Flow(1 + i, 0, 0x21 + i, 50000 + i)) for i in range(2)]
    frames, psns = [], [7, 0xfffff0]
    for number in range(count):
        requests, responses = flows[number % 2]
        psn = psns[number % 2]
        reth = struct.pack(">QII", 0x10000 * number, 0x77, 4 * len(payload(number)))
        for i, (opcode, extended) in enumerate(((fleet.FIRST, reth), (fleet.MIDDLE, b""), (fleet.MIDDLE, b""), (fleet.LAST, b""))):
            frames.append(requests.frame(opcode, (psn + i) & 0xffffff, extended, payload(number), i == 3))
        frames.append(responses.frame(fleet.ACK, (psn + 3) & 0xffffff, struct.pack(">I", 0x1f << 24 | number // 2 + 1), b""))
        psns[number % 2] = (psn + 4) & 0xffffff
    return frames


def plain(number):
    return random.Random(number).randbytes(256)


def timed(frames, step_ns=10_000):
    return [(BEGIN_NS + number * step_ns, data, len(data)) for number, data in enumerate(frames)]


class SplitTest(MpiTest):
    def same(self, path, command="messages", ranks=(3,), status=0):
        return self.check(ranks, command, "--json", SPLIT, files=[path], status=status)

    def gone_over_again(self, path):
        """How many ranks of four had to go over their stretch again, and the number of those that read frames."""
        self.ranks(4, "messages", "--ranks", SPLIT, path)
        self.assertEqual(self.error.count("stretch"), 4, self.error)
        return self.error.count("read again"), len(re.findall("read [1-9][0-9]* frames", self.error))


class Pcap(SplitTest):
    def test_both_byte_orders_and_both_units_of_time(self):
        frames = timed(writes(800, plain))
        for order in "<>":
            path = self.path("order.pcap")
            capfile.write_pcap(path, ETHERNET, frames, order, order == ">")
            self.assertEqual(len(self.same(path)), 800)
            self.assertEqual(self.gone_over_again(path), (0, 4))

    def test_captures_of_applications(self):
        for name in "roce-nvmeof", "iwarp-smbdirect":
            path = self.path(name + ".pcap")
            with capfile.open_capture(os.path.join(TESTDATA, name + ".pcap.gz")) as packed, open(path, "wb") as out:
                out.write(packed.read())
            self.same(path, "operations", ranks=RANKS if name == "roce-nvmeof" else (3,))

    def test_every_rank_counts(self):
        path = self.path("counts.pcap")
        capfile.write_pcap(path, ETHERNET, timed(writes(500, plain)))
        self.check((3,), "stats", "--json", SPLIT, files=[path])
        # rank 0 analyses what all read
        self.check((3,), "messages", "-t", "d", SPLIT, files=[path])

    def test_payload_that_looks_like_records(self):
        # each payload is a chain of records that begins anywhere
        seconds = BEGIN_NS // 10**9
        record = struct.pack("<IIII", seconds, 5, 16, 16) + struct.pack("<IIII", seconds, 6, 16, 16)
        path = self.path("hostile.pcap")
        frames = writes(101, lambda number: ((number % 16) * b"\0" + 128 * record)[:4096])
        capfile.write_pcap(path, ETHERNET, timed(frames))
        self.assertEqual(len(self.same(path, ranks=(3, 8))), 101)
        self.assertGreater(self.gone_over_again(path)[0], 0)

    def test_a_capture_in_a_capture(self):
        inner = self.path("inner.pcap")
        capfile.write_pcap(inner, ETHERNET, timed([b"\xaa" * 60] * 50))
        with open(inner, "rb") as f:
            inside = (f.read() * 2)[:4096]
        path = self.path("outer.pcap")
        capfile.write_pcap(path, ETHERNET, timed(writes(60, lambda number: inside[number:] + inside[:number])))
        self.same(path)

    def test_time_that_goes_back(self):
        rng = random.Random(3)
        frames = [(time + rng.randrange(-40_000, 40_000), data, wire) for time, data, wire in timed(writes(600, plain))]
        # and a clock that is set back by a minute half-way
        half = len(frames) // 2
        frames[half:] = [(time - 60 * 10**9, data, wire) for time, data, wire in frames[half:]]
        path, other = self.path("back.pcap"), self.path("other.pcap")
        capfile.write_pcap(path, ETHERNET, frames)
        self.same(path)
        capfile.write_pcap(other, ETHERNET, [(time - 30 * 10**9, data, wire)
                                             for time, data, wire in timed(writes(50, lambda number: plain(-number)), 10**9)])
        self.check((3,), "messages", "--json", SPLIT, files=[path, other])

    def test_a_file_that_is_cut_or_broken(self):
        path = self.path("whole.pcap")
        capfile.write_pcap(path, ETHERNET, timed(writes(500, plain)))
        with open(path, "rb") as f:
            data = f.read()
        cut = self.path("cut.pcap")
        for damaged in data[:-100], data[:400_000] + b"\xff" * 50_000 + data[450_000:], data[:400_000] + bytes(1 << 20):
            with open(cut, "wb") as f:
                f.write(damaged)
            self.one("messages", cut, status=2)
            wanted = self.error
            self.same(cut, status=2)
            self.assertIn(wanted.splitlines()[0], self.error)


class Pcapng(SplitTest):
    def write(self, path, build):
        capture = capfile.Pcapng()
        build(capture)
        capture.write(path)

    def test_interfaces_at_the_beginning(self):
        def build(capture):
            capture.section(">")
            capture.interface(ETHERNET, options=[(2, b"first"), (9, b"\x09")])
            capture.interface(ETHERNET, options=[(2, b"second"), (9, b"\x09")])
            for number, (time, data, _) in enumerate(timed(writes(600, plain))):
                capture.packet(number % 2, time, data, options=[(1, b"comment")] if number % 7 == 0 else ())
            capture.statistics(0, BEGIN_NS, [(4, struct.pack(">Q", 4000)), (5, struct.pack(">Q", 3))])
        path = self.path("interfaces.pcapng")
        self.write(path, build)
        self.same(path)
        self.assertEqual(self.gone_over_again(path), (0, 4))
        self.check((3,), "stats", "--json", SPLIT, files=[path])

    def test_sections_and_interfaces_in_between(self):
        frames = timed(writes(800, plain))

        def build(capture):
            for part, order in enumerate("<><"):
                capture.section(order)
                capture.interface(ETHERNET, options=[(9, b"\x09")])
                for number, (time, data, _) in enumerate(frames[part * 1300:(part + 1) * 1300]):
                    if number == 700:
                        capture.interface(ETHERNET, options=[(9, b"\x06")])
                        capture.statistics(0, time, [(4, struct.pack(order + "Q", number))])
                    if number > 700:
                        capture.packet(1, time // 1000, data)
                    else:
                        capture.packet(0, time, data)
        path = self.path("sections.pcapng")
        self.write(path, build)
        self.same(path)

    def test_payload_that_looks_like_blocks(self):
        block = struct.pack("<II", 6, 48) + struct.pack("<IIIII", 0, 0, 0, 16, 16) + bytes(16) + struct.pack("<I", 48)

        def build(capture):
            capture.section("<")
            capture.interface(ETHERNET, options=[(9, b"\x09")])
            for time, data, _ in timed(writes(101, lambda number: (bytes(number % 48) + 90 * block)[:4096])):
                capture.packet(0, time, data)
        path = self.path("blocks.pcapng")
        self.write(path, build)
        self.assertEqual(len(self.same(path, ranks=(3, 8))), 101)
        self.assertGreater(self.gone_over_again(path)[0], 0)

    def test_compressed_captures_are_read_whole(self):
        path = os.path.join(TESTDATA, "iwarp-smbdirect.pcap.gz")
        self.same(path, ranks=(2,))
        self.ranks(2, "messages", "--ranks", SPLIT, path)
        self.assertNotIn("stretch", self.error)


class Usage(SplitTest):
    def test_sizes(self):
        for size in "0", "x", "":
            self.ranks(2, "messages", "--split", size, "nothing.pcap", status=2)
            self.assertIn("--split %s: not a size" % size, self.error)


if __name__ == "__main__":
    unittest.main()
