# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Disk images from damaged captures: each byte was at its place at some time, or is listed as missing."""
import os
import random
import struct
import unittest

import nvme_disk
from cli import CliTest, TESTDATA, has_sanitizers, read, records

NAMES = ("roce-iser.pcap.gz", "roce-nvmeof.pcap.gz", "roce-rnbd.pcap.gz", "roce-srp.pcap.gz")
VERSIONS = 25
ROUNDS = 1 if has_sanitizers() else 3
BLOCK = 512


def dropped(frames, chance):
    share = chance.choice((0.005, 0.02, 0.1, 0.3))
    return [frame for frame in frames if chance.random() >= share]


def burst_dropped(frames, chance):
    at = chance.randrange(len(frames))
    return frames[:at] + frames[at + chance.choice((1, 2, 3, 5, 8, 20)):]


def truncated(frames, chance):
    share = chance.choice((0.05, 0.3))
    return [(at, data[:chance.randrange(30, len(data))] if len(data) > 60 and chance.random() < share else data, wire) for at, data, wire in frames]


def swapped(frames, chance):
    reach = chance.choice((2, 5, 20))
    places = sorted(range(len(frames)), key=lambda i: i + chance.random() * reach)
    return [(frames[i][0],) + frames[place][1:] for i, place in enumerate(places)]


def repeated(frames, chance):
    return [frame for frame in frames for _ in range(2 if chance.random() < 0.1 else 1)]


DAMAGES = (dropped, burst_dropped, truncated, swapped, repeated)


class DamagedImages(CliTest):
    def images(self, header, frames):
        """Contents of the images, their ranges that the file system holds, and those listed as missing, by name."""
        unit = 1 if header[:4] == b"\x4d\x3c\xb2\xa1" else 1000
        capture, folder = self.path("damaged.pcap", header + b"".join(
            struct.pack("<IIII", at // 10**9, at % 10**9 // unit, len(data), wire) + data for at, data, wire in frames)), self.path("images")
        done = self.run_program("export", "--files", folder, capture)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {}
        for place, _, files in os.walk(folder, topdown=False):
            for file in files:
                path = os.path.join(place, file)
                name = os.path.relpath(path, folder)
                missing = [tuple(map(int, row[1:3])) for row in (line.split("\t") for line in done.stdout.decode().splitlines()) if row[0] == name]
                found[name] = read(path), self.held(path), missing
                os.unlink(path)
            os.rmdir(place)
        return found

    @staticmethod
    def held(path):
        ranges, end = [], 0
        with open(path, "rb") as file:
            while True:
                try:
                    begin = os.lseek(file.fileno(), end, os.SEEK_DATA)
                except OSError:
                    return ranges
                end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
                ranges.append((begin, end))

    def wrong(self, image, versions):
        content, held, missing = image
        known = bytearray(len(content))
        for begin, end in held:
            known[begin:end] = b"\1" * (end - begin)
        for begin, length in missing:
            known[begin:begin + length] = bytes(len(known[begin:begin + length]))
        for begin in range(0, len(content), BLOCK):
            block = content[begin:begin + BLOCK]
            if not any(known[begin:begin + BLOCK]) or any(version[begin:begin + BLOCK] == block for version in versions):
                continue
            for i in range(begin, begin + len(block)):
                if known[i] and not any(version[i:i + 1] == content[i:i + 1] for version in versions):
                    return i
        return None

    def test_bytes_are_right_or_listed_as_missing(self):
        for name in NAMES:
            header, frames = records(read(os.path.join(TESTDATA, name)))
            versions = []
            for i in range(1, VERSIONS + 1):
                for content, _, _ in self.images(header, frames[:len(frames) * i // VERSIONS]).values():
                    if content not in versions:
                        versions.append(content)
            self.assertGreater(len(versions), 3, name)
            chance, compared = random.Random(name), 0
            for i in range(ROUNDS):
                for damage in DAMAGES:
                    for path, image in self.images(header, damage(frames, chance)).items():
                        compared += 1
                        self.assertIsNone(self.wrong(image, versions), "%s, %s, round %d: %s" % (name, damage.__name__, i, path))
            self.assertGreater(compared, ROUNDS, name)


class DamagedQueues(DamagedImages):
    """The images of several NVMe queues, by a model of the disk: generate/nvme_disk.py."""
    SEEDS = range(8 if has_sanitizers() else 20)
    test_bytes_are_right_or_listed_as_missing = None

    def blocks(self, images):
        """(path, (namespace, block), bytes, whether any of them are listed as missing)"""
        for path, (content, _, missing) in images.items():
            lost = {at // BLOCK for begin, length in missing for at in range(begin, begin + length)}
            for number in range(len(content) // BLOCK):
                yield path, (int(path.split("/")[-1].split(".")[0]), number), content[number * BLOCK:(number + 1) * BLOCK], number in lost

    def check_damaged(self, disk, header, original, frames, case):
        places = {frame[1]: place for place, frame in enumerate(original)}
        whole, compared = {places[data] for _, data, _ in frames if data in places}, 0
        for path, block, content, is_lost in self.blocks(self.images(header, frames)):
            values = [bytes(BLOCK)] if (values := disk.possible(block, whole)) == [None] else values
            compared += not is_lost
            # what a queue without name did is in another image, and this one has a hole
            is_elsewhere = not any(content) and not whole.issuperset(disk.setup)
            if not is_lost and not is_elsewhere and None not in values:
                self.assertLessEqual(set(content), {value[0] for value in values}, (case, path, block))
        return compared

    def test_bytes_are_those_of_a_model(self):
        for seed in self.SEEDS:
            disk, path = nvme_disk.Disk(seed), self.path("disk.pcap")
            disk.scene.write_capture(path)
            header, frames = records(read(path))
            found = {}
            for _, block, content, is_lost in self.blocks(self.images(header, frames)):
                found[block] = content
                if block in disk.changes and not disk.may_be_listed(block):
                    self.assertEqual((content[:2], set(content[2:]), is_lost), (disk.now(block)[:2], set(disk.now(block)[2:]), False), (seed, block))
            self.assertEqual({block for block in disk.changes if not disk.may_be_listed(block)} - set(found), set(), seed)
            chance, compared = random.Random(seed), 0
            for damage in (dropped, burst_dropped, truncated, repeated):  # not swapped: the last command is known by the order of frames
                compared += self.check_damaged(disk, header, frames, damage(frames, chance), (seed, damage.__name__))
            self.assertGreater(compared, 10, seed)


if __name__ == "__main__":
    unittest.main()
