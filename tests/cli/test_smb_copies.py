# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Copies that an SMB server makes: FSCTL_SRV_COPYCHUNK_WRITE ([MS-SMB2] 2.2.31.1, 2.2.32.1) and FSCTL_DUPLICATE_EXTENTS_TO_FILE ([MS-FSCC] 2.3.8)."""
import random
import struct
import unittest

import smb
from test_smb import Smb

DUPLICATE, DUPLICATE_EX = 0x98344, 0x983e8
END = 20
SEEDS = 30


class Copies(Smb):
    def setUp(self):
        super().setUp()
        self.scene_, self.talk, self.client = self.scene(port=smb.PORT)
        self.put(self.client.set_up())
        self.ids = {}

    def put(self, sends):
        smb.put_all(self.scene_, self.talk, sends)

    def create(self, name, data=b"", size=0):
        """size: of a file that is there"""
        self.ids[name], sends = self.client.create(name, *((size, 1) if size else ()))
        self.put(sends)
        if data:
            self.put(self.client.write(self.ids[name], 0, data))

    def key(self, name, key):
        self.put(smb.resume_key(self.client, self.ids[name], key))

    def copy(self, name, key, *chunks, status=0):
        self.put(smb.copy(self.client, self.ids[name], key, *chunks, status=status))

    def found(self):
        self.path_ = self.capture(self.scene_)
        found, missing = self.files(self.path_)
        return {path.split("/")[-1]: data for path, data in found.items()}, [(path.split("/")[-1], *rest[:2]) for path, *rest in missing]

    def test_chunks_that_follow_one_another_are_the_bytes_of_the_source_then(self):
        data, key = random.Random(1).randbytes(3000), bytes(range(1, 25))
        self.create("f", data)
        self.create("g", b"g" * 500)
        self.key("f", key)
        self.copy("g", key, (100, 400, 1000), (1100, 1400, 1000), (2100, 2400, 300))
        self.put(self.client.write(self.ids["f"], 0, b"later" * 500))
        found, missing = self.found()
        self.assertEqual((found["g"], missing), (b"g" * 400 + data[100:2400], []))
        self.assertEqual([o.get("from") for o in self.operations(self.path_) if o["name"] == "IOCTL"], [None, "srv/share/f"])

    def test_within_a_file(self):
        data, key = random.Random(2).randbytes(300), bytes(range(24))
        self.create("f", data)
        self.key("f", key)
        self.copy("f", key, (0, 200, 200))
        self.assertEqual(self.found(), ({"f": data[:200] + data[:200]}, []))

    def test_what_is_not_known_of_the_source_is_missing(self):
        key = b"k" * 24
        self.create("f", size=300)
        self.put(self.client.read(self.ids["f"], 0, b"1" * 100))
        self.create("g")
        self.key("f", key)
        self.copy("g", key, (50, 0, 200))
        found, missing = self.found()
        self.assertEqual((found["g"][:50], [each for each in missing if each[0] == "g"]), (b"1" * 50, [("g", 50, 150)]))

    def test_extents_by_the_id_of_the_source(self):
        for code, before, after in ((DUPLICATE, b"", b""), (DUPLICATE_EX, struct.pack("<Q", 48), bytes(8))):
            self.setUp()
            data = random.Random(3).randbytes(400)
            self.create("f", data)
            self.create("g")
            self.put(smb.ioctl(self.client, code, self.ids["g"], before + self.ids["f"] + struct.pack("<QQQ", 100, 0, 300) + after))
            with self.subTest(code):
                self.assertEqual(self.found(), ({"f": data, "g": data[100:]}, []))

    def test_unknown_is_missing(self):
        """The key was not captured; the copy failed; the source was shortened, and extended with zeros, before it is final."""
        key = bytes(range(24))
        self.assertEqual(self.gap(key, (0, 0, 200), is_known=False), [("g", 0, 200)])
        self.assertEqual(self.gap(key, (0, 0, 200), status=smb.NOT_FOUND), [("g", 0, 100)])
        self.assertEqual(self.gap(key, (0, 0, 20), (30, 40, 20), is_known=False), [("g", 0, 20), ("g", 40, 20)])
        self.assertEqual(self.gap(key, (0, 0, 200), sizes=(10, 300)), [("g", 0, 200)])
        self.assertEqual(self.gap(key, (2**64 - 50, 0, 100)), [("g", 0, 100)])
        self.assertEqual(self.gap(key, (0, 0, 20), (30, 2**64 - 10, 20)), [("g", 0, 20)])

    def test_each_chunk_is_copied_on_its_own(self):
        data, key = random.Random(4).randbytes(300), bytes(range(24))
        self.create("f", data)
        self.create("g", b"g" * 100)
        self.key("f", key)
        # gaps in both files; not in their order; one over another, and beyond the end
        self.copy("g", key, (50, 60, 20), (0, 10, 30), (100, 20, 5), (200, 150, 50))
        expected = bytearray(b"g" * 100 + bytes(100))
        for begin, at, length in ((50, 60, 20), (0, 10, 30), (100, 20, 5), (200, 150, 50)):
            expected[at:at + length] = data[begin:begin + length]
        self.assertEqual(self.found(), ({"f": data, "g": bytes(expected)}, []))
        self.assertEqual([o.get("from") for o in self.operations(self.path_) if o["name"] == "IOCTL"], [None, "srv/share/f"])

    def gap(self, key, *chunks, status=0, is_known=True, sizes=()):
        self.setUp()
        self.create("f", b"1" * 300)
        self.create("g", b"2" * 100)
        if is_known:
            self.key("f", key)
        self.copy("g", key, *chunks, status=status)
        for size in sizes:
            self.put(self.client.exchange(smb.SET_INFO, smb.set_info(self.ids["f"], END, struct.pack("<Q", size)), struct.pack("<H", 2)))
        return [each for each in self.found()[1] if each[0] == "g"]

    def test_a_chunk_of_what_an_earlier_one_copied_is_missing(self):
        data, key = random.Random(5).randbytes(300), bytes(range(24))
        self.create("f", data)
        self.key("f", key)
        self.copy("f", key, (0, 100, 50), (100, 200, 60))
        found, missing = self.found()
        self.assertEqual((found["f"][:200], found["f"][250:260], missing), (data[:100] + data[:50] + data[150:200], data[150:160], [("f", 200, 50)]))

    def test_random_copies_between_files(self):
        """Each byte is that of a model, or missing; none is missing without new sizes and without zeros before a write beyond the end."""
        for seed in range(SEEDS):
            has_sizes = seed % 2
            self.setUp()
            data = self.play(random.Random(seed), has_sizes)
            found, missing = self.found()
            lost = {name: set() for name in data}
            for name, offset, length in missing:
                lost[name].update(range(offset, offset + length))
            with self.subTest(seed):
                for name, right in data.items():
                    self.assertEqual(len(found[name]), len(right))
                    self.assertEqual([], [i for i, byte in enumerate(right) if byte != found[name][i] and i not in lost[name]])
                self.assertTrue(has_sizes or not missing, missing)

    @staticmethod
    def chunks(dice, there, room, is_own):
        """Some chunks with gaps between them. is_own: of one file, in whose range for the source is none for the copy."""
        made = []
        for _ in range(dice.randrange(1, 6)):
            length = dice.randrange(1, min(60, there // 2))
            begin = dice.randrange((there // 2 if is_own else there) - length + 1)
            made.append((begin, dice.randrange(there // 2, there - length + 1) if is_own else dice.randrange(room - 60), length))
        return made

    def play(self, dice, has_sizes):
        data = {}
        for number, name in enumerate("fgh"):
            data[name] = bytearray(dice.randbytes(400).replace(b"\0", b"\1"))
            self.create(name, bytes(data[name]))
            self.key(name, bytes([number]) * 24)
        for _ in range(30):
            name, source, length = dice.choice("fgh"), dice.choice("fgh"), dice.randrange(1, 200)
            kind, at, size = dice.choice(("write", "inline", "copy", "copy", "size", "pause")), dice.randrange(len(data[name]) + (50 if has_sizes else 1)), dice.randrange(700)
            if kind in ("write", "inline"):
                new = dice.randbytes(length).replace(b"\0", b"\1")
                self.put(self.client.write(self.ids[name], at, new, inline=kind == "inline"))
            elif kind == "size" and has_sizes:
                self.put(self.client.exchange(smb.SET_INFO, smb.set_info(self.ids[name], END, struct.pack("<Q", size)), struct.pack("<H", 2)))
                data[name] = data[name][:size] + bytes(max(0, size - len(data[name])))
                continue
            elif kind == "copy" and length <= len(data[source]):
                begin = dice.randrange(len(data[source]) - length + 1)
                chunks = [(begin, at, length // 2), (begin + length // 2, at + length // 2, length - length // 2)]
                if dice.random() < 0.5 or source == name:
                    if min(len(data[source]), len(data[name])) < 130:
                        continue
                    chunks = self.chunks(dice, len(data[source]), len(data[name]) + (50 if has_sizes else 1), name == source)
                self.copy(name, bytes(["fgh".index(source)]) * 24, *chunks)
                for begin, at, length in chunks:
                    new = bytes(data[source][begin:begin + length])
                    data[name] += bytes(max(0, at - len(data[name])))
                    data[name][at:at + length] = new
                continue
            else:
                self.scene_.pause(dice.choice((0.001, 0.4, 2)))
                continue
            data[name] += bytes(max(0, at - len(data[name])))
            data[name][at:at + len(new)] = new
        return data


if __name__ == "__main__":
    unittest.main()
