# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""
iWARP in captures that differ from what was sent. Directions of a connection, one later than the other, as mirror ports do: even the MPA Reply then
follows the FPDUs that it allowed. Held against the same frames in the order in which they were sent. And frames that were not captured: what is
legal stays so.
"""
import collections
import json
import random
import unittest

import capfile
import nvme
from cli import CliTest
from iwarp_scene import A, Connection

TIME, STEP = 1_700_000_000_000_000_000, 10_000
SOURCE = slice(26, 30)       # of IPv4
COMMANDS = 40
LATE = (3, 12, 40)           # frames by which the responder's are late
CID = ("nvme.cmd.cid", "nvme.fabrics.cmd.cid")
OPERATION = ("direction", "layer", "name", "object", "id", "offset", "length", "status", "carried", "data_bytes", "complete")
MESSAGE = ("kind", "direction", "length", "complete", "frames")


def is_from_a(frame):
    return frame[SOURCE] == bytes(map(int, A.split(".")))


class IwarpSkew(CliTest):
    def session(self, rng, **how):
        """Frames of an I/O queue: Connect and Writes with their data in the capsule take several segments."""
        talk = Connection(4420, segment=500, **how)
        host = nvme.Host(talk, 1)
        talk.put(*host.connect())
        for i in range(COMMANDS):
            data = rng.randbytes(nvme.BLOCK * rng.randint(1, 4))
            for packets in rng.choice((lambda: host.write(i * 8, data, inline=True), lambda: host.write(i * 8, data), lambda: host.read(i * 8, data)))():
                talk.put(*packets)
        return talk.frames

    def capture(self, frames, late):
        rows = sorted((TIME + i * STEP + (0 if is_from_a(frame) else late * STEP + 1), frame) for i, frame in enumerate(frames))
        path = self.path("late.pcap")
        capfile.write_pcap(path, 1, [(time, frame, len(frame)) for time, frame in rows])
        return path

    def reported(self, command, keys, path):
        rows = [json.loads(line) for line in self.lines(command, "--json", path)]
        return collections.Counter(str([row.get(key) for key in keys]) for row in rows)

    def commands(self, path):
        """{TCP payload: identifiers of the commands that its frame shows}"""
        shown = collections.defaultdict(list)
        for line in self.lines("-r", path, "-Y", " || ".join(CID), "-T", "json"):
            row = json.loads(line)
            shown[row["tcp.seq_raw"]] += [row[name] for name in CID if name in row]
        return shown

    def names(self, path):
        """Names of the commands after those that were sent before anything of the controller was captured: their queue is known."""
        rows = [json.loads(line) for line in self.lines("-r", path, "-Y", "nvme.cmd.cid", "-T", "json")]
        return {row["nvme.cmd.cid"]: row["nvme.cmd.opc_name"] for row in rows[10:]}

    def results(self, path):
        return self.reported("operations", OPERATION, path), self.commands(path), self.reported("messages", MESSAGE, path)

    def test_messages_and_commands_do_not_depend_on_the_order(self):
        rng = random.Random(5044)
        for how in ({}, {"crc": True}, {"together": 700}):
            frames = self.session(rng, **how)
            path = self.capture(frames, 0)
            expected, names = self.results(path), self.names(path)
            self.assertEqual(sum(expected[0].values()), COMMANDS + 1)
            self.assertEqual(sum(len(row) for row in expected[1].values()), COMMANDS + 1)
            for late in LATE:
                with self.subTest(late=late, how=how):
                    path = self.capture(frames, late)
                    self.assertEqual(self.results(path), expected)
                    self.assertEqual(self.names(path), names)

    def test_no_rule_is_broken_by_a_segment_that_was_not_captured(self):
        """Of FPDUs after a gap, those not aligned with segments are shown only when it is given up. Two identifiers are used in turn."""
        rng, talk = random.Random(1448), Connection(4420, together=1448)
        host = nvme.Host(talk, 1)
        talk.put(*host.connect())
        for i in range(COMMANDS):
            host.cid = 7 + i % 2
            send, data, answer = host.read(i * 8, bytes(nvme.BLOCK * 3))
            talk.put(*send)
            for packets in data, answer:
                for end, method, arguments in packets:
                    if method != "ack":
                        getattr(talk.streams[end], method)(*arguments)
                if rng.random() < 0.5 or packets is answer:
                    talk.flush("b")
        whole = len(talk.frames)
        for lost in [None] + [i for i in range(8, whole) if not is_from_a(talk.frames[i])]:
            frames = [frame for i, frame in enumerate(talk.frames) if i != lost]
            done = self.run_program("check", "--json", self.capture(frames, 0))
            self.assertEqual((done.returncode, done.stdout), (0, b""), lost)


if __name__ == "__main__":
    unittest.main()
