# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Packets whose invariant CRC is wrong: corrupt ones among good ones, and senders that never set it."""
import json
import os
import random
import struct
import unittest

from cli import CliTest, TESTDATA, read, records

MIXED = os.path.join(TESTDATA, "roce-verbmix-rc-mtu256.pcap")
FILES = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
IGNORED, UNUSED = b"not counted as corrupt", b"bad_icrc: "
ETHERNET, IPV4, UDP, BTH = 14, 20, 8, 12


def is_roce(frame):
    return frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7"


def sender(frame):
    return frame[26:30]


def zeroed(frame):
    return frame[:-4] + bytes(4)


def flipped(frame):
    """Changes a byte in the middle of the payload, or in the extended header, but not the CRC."""
    at = max(ETHERNET + IPV4 + UDP + BTH, (len(frame) + ETHERNET + IPV4 + UDP + BTH - 4) // 2)
    return frame[:at] + bytes([frame[at] ^ 0x55]) + frame[at + 1:]


class Icrc(CliTest):
    def changed(self, path, change):
        """The capture with change(number, frame) applied to its RoCE frames."""
        header, frames = records(read(path))
        unit = 1 if header[:4] == b"\x4d\x3c\xb2\xa1" else 1000
        name = self.path("changed.pcap")
        with open(name, "wb") as f:
            f.write(header)
            for number, (at, data, wire) in enumerate(frames):
                data = change(number, data) if is_roce(data) else data
                f.write(struct.pack("<IIII", at // 10**9, at % 10**9 // unit, len(data), wire) + data)
        return name

    def messages(self, path, *options):
        return self.run_program("messages", "--checksum", "--json", *options, path)

    def whole(self, path, *options):
        rows = map(json.loads, self.messages(path, *options).stdout.splitlines())
        return {(m["kind"], m.get("psn"), m["length"], m["crc32"]) for m in rows if m["complete"] and "crc32" in m}

    def test_a_capture_without_any_right_crc_is_as_one_with_all(self):
        for path in (MIXED, FILES):
            good = self.messages(path)
            self.assertNotIn(UNUSED, good.stderr)
            self.assertNotIn(IGNORED, good.stderr)
            for change in (lambda n, f: zeroed(f), lambda n, f: f[:-4] + struct.pack("<I", n * 2654435761 % 2**32)):
                bad = self.messages(self.changed(path, change))
                self.assertEqual(bad.stdout.replace(b"changed.pcap", b""), good.stdout)
                self.assertEqual(bad.stderr.count(IGNORED), 1)
                self.assertNotIn(UNUSED, bad.stderr)
                self.assertNotIn(b"bad_icrc", bad.stderr)

    def test_one_sender_without_right_crcs_is_not_held_against(self):
        _, frames = records(read(MIXED))
        first = sender(next(data for _, data, _ in frames if is_roce(data)))
        bad = self.messages(self.changed(MIXED, lambda n, f: zeroed(f) if sender(f) == first else f))
        self.assertEqual(bad.stdout, self.messages(MIXED).stdout)
        self.assertIn(IGNORED, bad.stderr)

    def test_corrupt_packets_are_never_used(self):
        truth = self.whole(MIXED)
        seen = set()

        def first_of_each(number, frame):
            if sender(frame) in seen:
                return frame
            seen.add(sender(frame))
            return flipped(frame)

        for change in (first_of_each, lambda n, f: flipped(f) if n % 20 == 3 else f, lambda n, f: flipped(f) if n < 20 else f,
                       lambda n, f: flipped(f) if random.Random(n).random() < .3 else f):
            path = self.changed(MIXED, change)
            done = self.messages(path)
            self.assertIn(UNUSED, done.stderr)
            self.assertEqual(self.whole(path) - truth, set())
            self.assertNotEqual(self.whole(path, "--no-check-icrc") - truth, set())

    def test_exported_files_hold_no_corrupt_bytes(self):
        contents = {}
        for name, options in (("good", (FILES,)), ("bad", (self.changed(FILES, lambda n, f: flipped(f) if n % 50 == 7 else f),))):
            done = self.run_program("export", "--files", self.path(name), *options)
            holes = {}
            for line in done.stdout.decode().splitlines():
                path, offset, length, _ = line.split("\t")
                holes.setdefault(path, []).append((int(offset), int(length)))
            contents[name] = holes
        self.assertIn(UNUSED, done.stderr)
        compared = 0
        for folder, _, names in os.walk(self.path("bad")):
            for name in names:
                path = os.path.join(folder, name)
                other = os.path.join(self.path("good"), os.path.relpath(path, self.path("bad")))
                if not os.path.exists(other):
                    continue
                bad, good = bytearray(read(path)), bytearray(read(other))
                for offset, length in contents["bad"].get(os.path.relpath(path, self.path("bad")), ()):
                    bad[offset:offset + length] = good[offset:offset + length]
                self.assertEqual(bytes(bad), bytes(good[:len(bad)]), path)
                compared += 1
        self.assertGreater(compared, 0)

    def test_diff_verifies_them_too(self):
        zeros = self.changed(MIXED, lambda n, f: zeroed(f))
        self.assertEqual(self.run_program("diff", MIXED, zeros).returncode, 0)
        corrupt = self.path("corrupt.pcap")
        os.rename(self.changed(MIXED, lambda n, f: flipped(f) if n % 20 == 3 else f), corrupt)
        self.assertEqual(self.run_program("diff", MIXED, corrupt).returncode, 1)

    def test_statistics_of_senders_without_right_crcs_are_whole(self):
        zeros = self.changed(MIXED, lambda n, f: zeroed(f))
        self.assertEqual(self.run_program("stats", "--json", "--check-icrc", zeros).stdout.replace(zeros.encode(), b""),
                         self.run_program("stats", "--json", MIXED).stdout.replace(MIXED.encode(), b""))


if __name__ == "__main__":
    unittest.main()
