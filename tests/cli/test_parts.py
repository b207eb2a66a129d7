# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Parts of captures: they begin and end anywhere, and frames are missing."""
import json
import os
import random
import struct
import unittest
from collections import Counter

from cli import CliTest, TESTDATA, captures, has_sanitizers, read, records

PARTS = 4 if has_sanitizers() else 8
LOST = 0.05
PCAPNG = b"\n\r\r\n"


def name_of(capture):
    return os.path.basename(capture)


def chosen(*beginnings):
    """Names and contents of captures in pcap format."""
    for capture in captures():
        content = read(capture) if name_of(capture).startswith(beginnings) else b""
        if content and content[:4] != PCAPNG:
            yield capture, content


class Parts(CliTest):
    def part(self, header, frames):
        unit = 1 if header[:4] == b"\x4d\x3c\xb2\xa1" else 1000
        return self.path("part.pcap", header + b"".join(
            struct.pack("<IIII", at // 10**9, at % 10**9 // unit, len(data), wire) + data for at, data, wire in frames))

    def test_segments_without_data(self):
        """FPDUs that become known with an acknowledgement, or with the end of another stream, are not in that frame."""
        for capture, content in chosen("iwarp-"):
            header, frames = records(content)
            chance = random.Random(name_of(capture))
            for i in range(PARTS):
                begin = chance.randrange(len(frames))
                kept = [frame for frame in frames[begin:] if chance.random() >= LOST]
                part = self.part(header, kept)
                done = self.run_program("-r", part, "-T", "fields", "-e", "frame.number", "-e", "tcp.len", "-e", "iwarp_mpa.ulpdulength")
                self.assertEqual(done.returncode, 0, "%s, part %d" % (capture, i))
                rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
                self.assertEqual([row for row in rows if row[1] == "0" and row[2]], [], "%s, part %d" % (capture, i))

    def replies(self, capture):
        done = self.run_program("messages", "--rpc", "--json", capture)
        self.assertEqual(done.returncode, 0, capture)
        found = (json.loads(line) for line in done.stdout.splitlines())
        return Counter(record["xid"] for record in found if record.get("kind") == "rpc_reply")

    def test_truncated_frames(self):
        """A reply of which a truncated and a whole copy were captured is one reply, with messages and without."""
        for name in ("roce-nfs3-long.pcap", "roce-nfs41-long.pcap", "roce-nfs42-long.pcap"):
            header, frames = records(read(os.path.join(TESTDATA, name)))
            chance = random.Random(name)
            for i in range(PARTS):
                # repeats of a whole packet follow it
                repeated = [frame for frame in frames for _ in range(2 if chance.random() < 0.2 else 1)]
                kept = [(at, data[:chance.randrange(60, len(data) + 1)] if len(data) > 60 and chance.random() < 0.5 else data, wire)
                        for at, data, wire in repeated]
                part = self.part(header, kept)
                self.assertEqual(self.run_program("-V", "-r", part).returncode, 0, "%s, part %d" % (name, i))
                more = self.replies(part) - self.replies(self.part(header, repeated))
                self.assertFalse(more, "%s, part %d" % (name, i))

    def broken(self, capture):
        done = self.run_program("check", "--json", capture)
        self.assertIn(done.returncode, (0, 1), capture)
        found = (json.loads(line) for line in done.stdout.splitlines())
        return Counter(record["rule"] for record in found if "rule" in record)

    def test_rules(self):
        """What is before a part or after it is unknown: a part breaks no rule that the whole capture keeps."""
        for capture, content in list(chosen("iwarp-", "roce-"))[::3 if has_sanitizers() else 1]:
            header, frames = records(content)
            chance = random.Random(name_of(capture))
            whole = self.broken(capture)
            for i in range(3):
                begin = chance.randrange(len(frames))
                end = chance.randrange(begin, len(frames)) + 1 if i % 2 else len(frames)
                more = self.broken(self.part(header, frames[begin:end])) - whole
                self.assertFalse(more, "%s, frames %d to %d: %s" % (capture, begin + 1, end, more))


if __name__ == "__main__":
    unittest.main()
