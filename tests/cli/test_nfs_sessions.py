# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Files of NFSv3 sessions against a model of the server (RFC 1813), which executes each call at some time between the call and its reply. Some replies
are not captured."""
import os
import random
import shutil
import unittest
import zlib

import nfs
from cli import CliTest, read
from nfs import ABSENT, HANDLE, VERIFIER, item, opaque, u64, words
from session import Session

SETATTR, READ, WRITE, CREATE = 2, 6, 7, 8
UNCHECKED, GUARDED = 0, 1
SEEDS = 40


def call(xid, procedure, body):
    return nfs._call(xid, nfs.PROGRAM, 3, procedure, body + nfs.Xdr(), [])


def answer(xid, procedure, body):
    return nfs._reply(xid, nfs.PROGRAM, 3, procedure, words(0) + body + nfs.Xdr(), [], "NFS3_OK")


class File:
    def __init__(self, number):
        self.number, self.data, self.changes, self.handle = number, bytearray(), 1, bytes([number]) * 16
        self.name = "%08x" % zlib.crc32(self.handle)

    def attributes(self):
        return words(1, 1, 0o644, 1, 0, 0) + u64(len(self.data)) + u64(4096) + u64(0) + u64(1) + u64(self.number) + 3 * words(self.changes, 0)

    def resize(self, size):
        del self.data[size:]
        self.data += bytes(size - len(self.data))
        self.changes += 1


class Call:
    """procedure; a WRITE has `data`, the others `size`; of a CREATE None: it sets no size"""

    def __init__(self, scene, file, procedure, offset=0, data=b"", size=None, is_lost=False):
        self.scene, self.file, self.procedure, self.offset, self.data, self.size, self.is_lost = scene, file, procedure, offset, data, size, is_lost
        self.body, xid = None, scene.session.new_xid()
        head = opaque(file.handle)
        new_size = ABSENT if size is None else words(1) + u64(size)
        body = {WRITE: lambda: head + u64(offset) + words(len(data), 2) + item(data), READ: lambda: head + u64(offset) + words(size),
                SETATTR: lambda: head + 3 * ABSENT + new_size + 3 * ABSENT,
                CREATE: lambda: opaque(HANDLE) + opaque(b"f%d" % file.number) + words(scene.mode) + 3 * ABSENT + new_size + 2 * ABSENT}[procedure]()
        self.asked = scene.session.call(scene.connection, call(xid, procedure, body))

    def execute(self, has_attributes):
        file, before = self.file, words(1) + u64(len(self.file.data)) + 2 * words(self.file.changes, 0)
        if self.procedure == WRITE:
            file.resize(max(len(file.data), self.offset + len(self.data)))
            file.data[self.offset:self.offset + len(self.data)] = self.data
        elif self.procedure != READ and self.size is not None:
            file.resize(self.size)
        after = file.attributes() if has_attributes else ABSENT
        wcc = (before if has_attributes else ABSENT) + after
        if self.procedure == WRITE:
            self.body = wcc + words(len(self.data), 2) + VERIFIER
        elif self.procedure == READ:
            got = bytes(file.data[self.offset:self.offset + self.size])
            self.body = after + words(len(got), int(self.offset + self.size >= len(file.data))) + item(got)
        else:
            self.body = wcc if self.procedure == SETATTR else words(1) + opaque(file.handle) + after + 2 * ABSENT

    def reply(self):
        session = self.scene.session
        reported = session.lay(self.asked, answer(self.asked.rpc.xid, self.procedure, self.body))
        packets = session.reply(reported)
        if not self.is_lost:
            session.put(*packets, self.scene.connection.ack(packets[-1]))

    def run(self):
        self.execute(False)
        self.reply()


class Sessions(CliTest):
    def setUp(self):
        super().setUp()
        self.begin()

    def begin(self):
        self.session, self.mode = Session("sessions", ""), GUARDED
        self.connection, self.files = self.session.peers(), [File(1), File(2)]
        for file in self.files:
            Call(self, file, CREATE).run()
        self.mode = UNCHECKED

    def found(self):
        """{name: (bytes, offsets that are missing)}"""
        path, folder, missing = self.path("sessions.pcap"), self.path("files"), {}
        self.session.write_capture(path)
        shutil.rmtree(folder, ignore_errors=True)
        for name, offset, length, _ in (line.split("\t") for line in self.lines("export", "--files", folder, path)):
            missing.setdefault(os.path.basename(name), set()).update(range(int(offset), int(offset) + int(length)))
        return {name: (read(os.path.join(place, name)), missing.get(name, set())) for place, _, names in os.walk(folder) for name in names}

    def check(self):
        found = self.found()
        for file in self.files:
            data, missing = found.get(file.name, (b"", ()))
            self.assertEqual([], [i for i, byte in enumerate(data) if i not in missing and bytes([byte]) != file.data[i:i + 1]])

    def play(self, dice, loss, has_order=True):
        """has_order: changes of a file that are answered are not outstanding together"""
        waiting, attributes = [], dice.choice((0, 0.5, 1))
        for _ in range(40):
            if dice.random() < 0.5 or not waiting:
                file, is_lost, kind = dice.choice(self.files), dice.random() < loss, dice.choice((WRITE, WRITE, WRITE, READ, READ, SETATTR, CREATE))
                if len(waiting) == 4 or (has_order and kind != READ and not is_lost and any(
                        each.file is file and each.procedure != READ and not each.is_lost for each in waiting)):
                    continue
                data = bytes(dice.randrange(1, 256) for _ in range(dice.choice((1, 50, 100, 200))))
                size = {READ: dice.choice((50, 100, 400)), SETATTR: dice.choice((0, 100, 250, 400)), CREATE: dice.choice((None, 0))}.get(kind)
                waiting.append(Call(self, file, kind, dice.randrange(300), data if kind == WRITE else b"", size, is_lost))
                continue
            each = dice.choice(waiting)
            if each.body is None:
                each.execute(dice.random() < attributes)
            else:
                waiting.remove(each)
                each.reply()
        for each in waiting:
            if each.body is None:
                each.execute(False)
            each.reply()

    def test_known_bytes_are_those_of_the_server(self):
        for seed in range(SEEDS):
            with self.subTest(seed):
                self.begin()
                self.play(random.Random(seed), loss=(0, 0.1, 0.3)[seed % 3])
                self.check()

    def test_changes_that_are_outstanding_together_have_no_order(self):
        for seed in range(SEEDS):
            with self.subTest(seed):
                self.begin()
                self.play(random.Random(seed), loss=(0, 0.1)[seed % 2], has_order=False)
                self.check()
        self.begin()
        file = self.files[0]
        together = [Call(self, file, WRITE, at, data) for at, data in ((0, b"1" * 100), (60, b"2" * 100), (90, b"1" * 5))]
        for each in reversed(together):
            each.execute(False)
        for each in together:
            each.reply()
        Call(self, file, WRITE, 70, b"3" * 10).run()
        data, missing = self.found()[file.name]
        self.assertEqual((data[:60], data[70:80], data[100:]), (b"1" * 60, b"3" * 10, b"2" * 60))
        self.assertEqual(sorted(missing), [*range(60, 70), *range(80, 100)])

    def after(self, *steps, pause=0):
        """A WRITE of 300 bytes 1; the first step without a reply, the others with one, and then the first one is executed."""
        self.begin()
        file = self.files[0]
        Call(self, file, WRITE, 0, b"1" * 300).run()
        late = Call(self, file, *steps[0], is_lost=True)
        for step in steps[1:]:
            self.session.pause(pause)
            Call(self, file, *step).run()
        late.execute(False)
        if not pause:
            self.check()
        data, missing = self.found()[file.name]
        return data, sorted(missing)

    def test_a_write_without_a_reply_can_be_executed_after_later_ones(self):
        self.assertEqual(self.after((WRITE, 100, b"2" * 50), (WRITE, 120, b"3" * 100))[1], list(range(100, 150)))
        # not a minute later
        self.assertEqual(self.after((WRITE, 100, b"2" * 50), (WRITE, 120, b"3" * 100), pause=61)[1], list(range(100, 120)))

    def test_a_read_shows_that_a_write_was_executed(self):
        self.begin()
        file = self.files[0]
        Call(self, file, WRITE, 0, b"1" * 300).run()
        lost = Call(self, file, WRITE, 100, b"2" * 50, is_lost=True)
        lost.run()
        Call(self, file, READ, 90, size=50).run()
        Call(self, file, WRITE, 130, b"3" * 50).run()
        data, missing = self.found()[file.name]
        self.assertEqual((data[:140], sorted(missing)), (b"1" * 100 + b"2" * 30 + b"3" * 10, list(range(140, 150))))

    def test_a_size_without_a_reply_can_be_set_after_later_writes(self):
        for procedure in (SETATTR, CREATE):
            with self.subTest(procedure):
                self.assertEqual(self.after((procedure, 0, b"", 0), (WRITE, 50, b"3" * 300))[1], list(range(350)))
        self.assertEqual(self.after((SETATTR, 0, b"", 100), (WRITE, 50, b"3" * 300))[1], list(range(100, 350)))

    def test_the_size_of_a_file_shows_that_it_was_set(self):
        for procedure in (SETATTR, CREATE):
            for has_attributes in (True, False):
                with self.subTest((procedure, has_attributes)):
                    self.begin()
                    file = self.files[0]
                    Call(self, file, WRITE, 0, b"1" * 300).run()
                    Call(self, file, procedure, size=0, is_lost=True).run()
                    # sent together; the first one's size before it, 0, and the second one's 50 show that the file was emptied
                    together = [Call(self, file, WRITE, 0, b"2" * 50), Call(self, file, WRITE, 50, b"3" * 300)]
                    for each in together:
                        each.execute(has_attributes)
                        each.reply()
                    Call(self, file, WRITE, 100, b"4" * 10).run()
                    self.check()
                    self.assertEqual(len(self.found()[file.name][1]), 0 if has_attributes else 350)

    def test_create_without_a_check_empties_the_file_that_is_there(self):
        file = self.files[0]
        Call(self, file, WRITE, 0, b"1" * 300).run()
        Call(self, file, CREATE).run()
        self.assertEqual(len(self.found()[file.name][0]), 300)
        Call(self, file, CREATE, size=0).run()
        self.assertEqual(self.found()[file.name], (b"", set()))
        Call(self, file, WRITE, 100, b"2" * 10).run()
        self.assertEqual(self.found()[file.name], (bytes(100) + b"2" * 10, set()))


if __name__ == "__main__":
    unittest.main()
