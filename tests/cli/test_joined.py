# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures of the same packets at several places, whose clocks differ: nothing is counted twice."""
import json
import os
import re
import sys

import capfile
from cli import TESTDATA, CliTest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import model_retransmission as model

SECOND = 10**9
# with losses, NAKs, restarts and repeats
CAPTURES = ("conn_read-restart-middle.pcap", "rpc_restarted.pcap", "conn_rnr.pcap", "conn_loss-and-duplicate.pcap",
            "rpc_loss-and-duplicate.pcap", "roce-nfs3.pcap.gz", "roce-verbmix-uc-mess.pcap.gz")


def numbered(frames):
    """As machines send them: each packet has an identification of its own, but for copies of one that the network made."""
    counts, last = {}, {}
    for number, time, interface, link, frame, whole in frames:
        if frame[12:14] == b"\x08\x00":
            source, rest = frame[26:30], frame[20:]
            if rest != last.get(source, (None, 0, 0))[0] or time - last[source][1] > 10 ** 6:
                counts[source] = counts.get(source, 100) + 1
            last[source] = rest, time
            frame = frame[:18] + counts[source].to_bytes(2, "big") + frame[20:]
        yield time, frame, len(frame)


class Joined(CliTest):
    def objects(self, *paths):
        arguments = [word for path in paths for word in ("-r", path)]
        return [json.loads(line) for line in self.lines("stats", "--json", *arguments)]

    def made(self, name, frames, offset=0):
        """A capture by a clock that is ahead."""
        path = self.path(name)
        capfile.write_pcap(path, 1, [(time + offset, frame, length) for time, frame, length in frames])
        return path

    def counts(self, records):
        """By the ends of a connection and direction: what is not to change when its packets are there twice."""
        found = {}
        for row in records:
            if row["type"] == "connection" and row.get("transport") in ("RC", "UC", "UD"):
                for direction in row["directions"]:
                    # what nobody answered depends on how long the capture goes on
                    events = {name: event["count"] for name, event in direction["events"].items() if name not in ("captured_twice", "unanswered")}
                    found[row["connection"], direction["direction"]] = (direction["packets"], direction["payload"], direction["repeated_payload"],
                                                                        events)
        return found

    def twice(self, *paths):
        arguments = [word for path in paths for word in ("-r", path)]
        return int(re.search(rb"(\d+) packets were captured into several files", self.run_program("stats", *arguments).stderr).group(1))

    def test_counts_of_both_are_those_of_one(self):
        for name in CAPTURES:
            frames = list(numbered(model.frames(os.path.join(TESTDATA, name))))
            one = self.made("one.pcap", frames)
            alone = self.objects(one)
            for offset in (1000, SECOND // 5, -3 * SECOND, 3600 * SECOND):
                other = self.made("other.pcap", frames, offset)
                both = self.objects(one, other)
                self.assertEqual(self.counts(both), self.counts(alone), (name, offset))
                packets = sum(direction["packets"] for row in alone if row.get("transport") in ("RC", "UC", "UD") for direction in row["directions"])
                self.assertGreater(self.twice(one, other), packets * 0.9, (name, offset))

    def test_the_offset_of_the_clocks_is_reported(self):
        frames = list(numbered(model.frames(os.path.join(TESTDATA, "roce-nfs3.pcap.gz"))))
        one, other = self.made("one.pcap", frames), self.made("other.pcap", frames, SECOND // 5)
        done = self.run_program("stats", "-r", one, "-r", other)
        self.assertIn("is 0.200000 s ahead of that of interface 0", done.stderr.decode())

