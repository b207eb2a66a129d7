# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures of the same packets at several points with different clocks: nothing is counted twice."""
import json
import os
import re
import sys

import capfile
import ib
from cli import TESTDATA, CliTest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import model_retransmission as model

SECOND = 10**9
# with losses, NAKs, restarts and repeats
CAPTURES = ("conn_read-restart-middle.pcap", "rpc_restarted.pcap", "conn_rnr.pcap", "conn_loss-and-duplicate.pcap",
            "rpc_loss-and-duplicate.pcap", "roce-nfs3.pcap.gz", "roce-verbmix-uc-mess.pcap.gz")
# also of TCP: with packets out of order, and truncated by a snap length
ENDS = ("roce-nfs3.pcap.gz", "roce-nfs3-v6.pcap.gz", "iwarp-nfs41-reorder.pcap.gz", "iwarp-nfs3-crctso.pcap.gz")
TRANSPORTS = ("RC", "UC", "UD", "iwarp", "TCP")


def numbered(frames):
    """IP identifications as hosts set them: each packet has its own, except copies made by the network."""
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
        """A capture with a clock that is ahead."""
        path = self.path(name)
        capfile.write_pcap(path, 1, [(time + offset, frame, length) for time, frame, length in frames])
        return path

    def counts(self, records):
        """By the ends of a connection and direction: values that must not change when packets are captured twice."""
        found = {}
        for row in records:
            if row["type"] == "connection" and row.get("transport") in TRANSPORTS:
                for direction in row["directions"]:
                    # unanswered requests depend on the length of the capture
                    events = {name: event["count"] for name, event in direction["events"].items() if name not in ("captured_twice", "unanswered")}
                    recoveries = {cause: one["count"] for cause, one in direction.get("recoveries", {}).items()}
                    found[row["connection"], direction["direction"]] = (direction["packets"], direction["payload"], direction["repeated_payload"],
                                                                        events, recoveries)
        return found

    def twice(self, *paths):
        arguments = [word for path in paths for word in ("-r", path)]
        return int(re.search(rb"(\d+) packets were present in several files", self.run_program("stats", *arguments).stderr).group(1))

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

    def test_copies_and_repeats_without_ip_identifications(self):
        """Of few packets; copies are in a file of the same time, repeats in the next one of a series."""
        sends = [ib.native(ib.transport(4, bytes(64), psn=100 + i, destqp=0x17)).data for i in range(20)]
        frames = [(SECOND + 10_000 * i, data, len(data)) for i, data in enumerate(sends)]
        later = [(3 * SECOND + 10_000 * i, data, length) for i, (_, data, length) in enumerate(frames)]
        paths = [self.path(name) for name in ("a.pcap", "b.pcap", "next.pcap")]
        for path, part in zip(paths, (frames, [(time + 700, data, length) for time, data, length in frames], later)):
            capfile.write_pcap(path, 247, part)
        for other, repeats in (paths[1], 0), (paths[2], 1):
            messages = [json.loads(line) for line in self.lines("messages", "--json", paths[0], other)]
            self.assertEqual([(one["psn"], one["repeats"]) for one in messages], [(100 + i, repeats) for i in range(20)], other)

    def test_bytes_that_one_file_lacks_are_taken_from_the_other(self):
        for name in ("roce-nfs3.pcap.gz", "roce-nfs3-v6.pcap.gz"):
            for length in (94, 120, 700):
                frames = [(time, frame, len(frame)) for number, time, interface, link, frame, whole in model.frames(os.path.join(TESTDATA, name))]
                whole = self.made("whole.pcap", frames, 1000)
                cut = self.made("cut.pcap", [(time, frame[:length], wire) for time, frame, wire in frames])
                files = [word for path in (cut, whole) for word in ("-r", path)]
                alone, both = ({(one["direction"], one["psn"], one["verb"]): one for one in map(json.loads, self.lines("messages", "--json", "--checksum", *words))
                                if "psn" in one and "verb" in one and one["kind"] != "mad"} for words in (["-r", whole], files))
                self.assertEqual({key: one.get("crc32") for key, one in both.items()}, {key: one.get("crc32") for key, one in alone.items()})
                self.assertTrue(all(one["complete"] and "crc32" in one for one in both.values()))

    def test_the_offset_of_the_clocks_is_reported_and_corrected(self):
        frames = list(numbered(model.frames(os.path.join(TESTDATA, "roce-nfs3.pcap.gz"))))
        one, other = self.made("one.pcap", frames), self.made("other.pcap", frames, SECOND // 5)
        done = self.run_program("stats", "-r", one, "-r", other)
        self.assertIn("other.pcap is 0.200000 s ahead of that of", done.stderr.decode())
        times = self.lines("-r", one, "-r", other, "-T", "fields", "-e", "frame.time_epoch")
        self.assertEqual(times[0::2], times[1::2])

    def ends(self, frames, clock, delay=100000, lost=37, cut=1 << 16):
        """Captures at both ends if the network loses every n-th frame of each direction: their files, and the number of lost frames."""
        addresses, files, count = [], ([], []), 0
        for time, frame, length in frames:
            sender = frame[26:30] if frame[12:14] == b"\x08\x00" else frame[22:38]
            if sender not in addresses:
                addresses.append(sender)
            sent_by = addresses.index(sender) % 2
            files[sent_by].append((time, frame, length))
            count += 1
            if count % lost:
                files[1 - sent_by].append((time + delay, frame, length))
        first = self.made("first.pcap", sorted(files[0], key=lambda row: row[0]))
        second = self.made("second.pcap", [(clock(time), frame[:cut], length) for time, frame, length in sorted(files[1], key=lambda row: row[0])])
        return first, second, count // lost

    def test_counts_of_two_ends_are_those_of_the_senders(self):
        for name in ENDS:
            frames = [(time, frame, length) for time, frame, length in numbered(model.frames(os.path.join(TESTDATA, name)))
                      if frame[12:14] in (b"\x08\x00", b"\x86\xdd")]
            # everything that was sent, by one clock
            alone = self.counts(self.objects(self.made("sent.pcap", frames)))
            self.assertGreater(sum(row[0] for row in alone.values()), 60)
            for offset, cut in ((SECOND // 5, 1 << 16), (-3600 * SECOND, 1 << 16), (SECOND // 5, 96)):
                first, second, lost = self.ends(frames, lambda time: time + offset, cut=cut)
                # truncation hides the beginnings of FPDUs, and so the payload of iWARP
                there = slice(2, None) if cut == 96 and name.startswith("iwarp") else slice(0, None)
                for paths in ((first, second), (second, first)):
                    found = self.counts(self.objects(*paths))
                    self.assertEqual({key: row[there] for key, row in found.items()}, {key: row[there] for key, row in alone.items()},
                                     (name, offset, cut))
                self.assertGreater(lost, 0)

    def test_counts_of_two_ends_whose_clocks_drift_and_are_set(self):
        """In captures of 100 s a drift of 200 ppm is 20 ms, and a packet takes 0.1 ms."""
        for name in ENDS:
            frames = self.lasting(100, name)
            alone = self.counts(self.objects(self.made("sent.pcap", frames)))
            begin, end = frames[0][0], frames[-1][0]
            for offset, ppm, at, step in ((3600 * SECOND, 200, 1, 0), (-3600 * SECOND, -200, 1, 0), (0, 50, 1, 0), (0, -200, 0.5, SECOND),
                                          (3600 * SECOND, 200, 0.3, -3600 * SECOND), (0, 0, 0.7, -SECOND // 100)):
                def clock(time):
                    return time + offset + (time - begin) * ppm // 10 ** 6 + (step if time > begin + (end - begin) * at else 0)
                first, second, lost = self.ends(frames, clock)
                with self.subTest(name, offset=offset, ppm=ppm, step=step):
                    # the times of the first file are kept, also where its clock was set back
                    for paths in ((first, second), (second, first))[:1 if step < -SECOND else 2]:
                        self.assertEqual(self.counts(self.objects(*paths)), alone)
                    reported = self.run_program("stats", "-r", first, "-r", second).stderr.decode()
                    drift = re.search(r"second.pcap is .* that of \S+first.pcap( and (gains|loses) (\d+\.\d) ppm)?( and was changed (\d+) times)?: its", reported)
                    if len(frames) < 500:
                        continue
                    measured = float(drift.group(3)) * (1 if drift.group(2) == "gains" else -1) if drift.group(1) else 0
                    self.assertAlmostEqual(measured, ppm, delta=5)
                    self.assertEqual(int(drift.group(5) or 0), step != 0)

    def lasting(self, seconds, name):
        frames = [(time, frame, length) for time, frame, length in numbered(model.frames(os.path.join(TESTDATA, name)))
                  if frame[12:14] in (b"\x08\x00", b"\x86\xdd")]
        begin, lasts = frames[0][0], frames[-1][0] - frames[0][0]
        return [(begin + (time - begin) * seconds * SECOND // lasts, frame, length) for time, frame, length in frames]

    def test_files_one_after_the_other_are_not_taken_for_the_same(self):
        frames = list(numbered(model.frames(os.path.join(TESTDATA, "roce-nfs3.pcap.gz"))))
        half = len(frames) // 2
        # the last packets of the first file are sent again at the beginning of the second one
        again = [(time + SECOND // 2, frame[:18] + (int.from_bytes(frame[18:20], "big") + 5000).to_bytes(2, "big") + frame[20:], length)
                 for time, frame, length in frames[half - 40:half]]
        one = self.made("one.pcap", frames[:half])
        other = self.made("other.pcap", again + [(time + SECOND, frame, length) for time, frame, length in frames[half:]])
        stderr = self.run_program("stats", "-r", one, "-r", other).stderr.decode()
        self.assertNotIn("clock", stderr)
        self.assertNotIn("several files", stderr)

    def test_frames_that_are_written_keep_their_times(self):
        frames = list(numbered(model.frames(os.path.join(TESTDATA, "roce-rping-v4.pcap"))))
        one, other, merged = self.made("one.pcap", frames), self.made("other.pcap", frames, SECOND // 5), self.path("merged.pcap")
        self.run_program("-r", one, "-r", other, "-w", merged)
        times = sorted([time for time, frame, length in frames] + [time + SECOND // 5 for time, frame, length in frames])
        self.assertEqual([time for time, link, frame, length in capfile.timed(merged)], times)
