# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Hostile and large captures: twice the input takes about twice the work, and memory stays within its limit."""
import itertools
import os
import shutil
import tempfile
import unittest

import cli
import doubling
import load
import rpcrdma
from load import Traffic
from starter import Starter

KEY, ADDRESS, PIECE = 0x1234, 0x7f0000000000, 64
TOO_MUCH = 3     # times the work for twice the input
TOO_LITTLE = 0.03 # seconds of processor time that are too short to compare
TRIES = 3


def pieces(count, key=lambda i: KEY, address=lambda i: ADDRESS + i * PIECE):
    return [(key(i), PIECE, address(i)) for i in range(count)]


def reads_of(segments):
    return [(load.WRITE3_POSITION, *segment) for segment in segments]


def one_direction(t, count, key=lambda i: KEY):
    """Calls whose replies are not captured."""
    for i in range(count):
        t.send(load.call_read3(i + 1, [[(key(i), 1000, ADDRESS)]]))


def one_direction_other_keys(t, count):
    one_direction(t, count, lambda i: KEY + i)


def answered(t, count):
    """Calls with replies, all with one key and address."""
    for i in range(count):
        chunk = [[(KEY, 1000, ADDRESS)]]
        t.send(load.call_read3(i + 1, chunk))
        t.ack()
        t.write(KEY, ADDRESS, bytes(1000))
        t.send(load.read3_reply(i + 1, 1000, chunk), side=1)
        t.ack(side=0)


def unanswered_reads(t, count):
    """Calls without replies that name the same memory, and READs of it."""
    for i in range(count):
        t.send(load.call_write3(i + 1, 64, reads_of(pieces(1))))
        t.ack()
        t.read(KEY, ADDRESS, bytes(64))


def with_segments(segments, data=True):
    def make(t, count):
        """Calls with `count` segments in the read chunk."""
        chunk = segments(count)
        call = load.call_write3(load.ANY_XID, PIECE * count, reads_of(chunk))
        for xid in range(1, 5):
            t.send(load.with_xid(call, xid))
            t.ack()
            for key, length, address in chunk if data else ():
                t.read(key, address, bytes(length))
            t.send(load.reply(xid, rpcrdma.words(0, 0, 0, PIECE * count, 2, 0, 0)), side=1)
            t.ack(side=0)
    return make


def positions(t, count):
    """Read chunks with decreasing Positions in the list."""
    reads = [(4 * i, KEY, 4, ADDRESS + 4 * i) for i in range(count, 0, -1)]
    call = load.call(load.ANY_XID, 7, bytes(8 * count), reads=reads)
    for xid in range(1, 21):
        t.send(load.with_xid(call, xid))
        t.ack()
        t.send(load.reply(xid), side=1)


def write_chunks(t, count):
    """Calls with many write chunks, which are written out of order."""
    chunks = [[piece] for piece in pieces(count)]
    call = load.call(load.ANY_XID, 1, bytes(8), version=4, writes=chunks)
    reply = load.reply(load.ANY_XID, rpcrdma.words(0, 0, 0), writes=chunks[::-1])
    for xid in range(1, 21):
        t.send(load.with_xid(call, xid))
        t.ack()
        t.send(load.with_xid(reply, xid), side=1)
        t.ack(side=0)


def operations(t, count):
    """A COMPOUND of so many PUTROOTFH, answered."""
    for xid in range(1, 21):
        t.send(load.call(xid, 1, rpcrdma.words(0, 0, count) + rpcrdma.words(24) * count, version=4))
        t.ack()
        t.send(load.reply(xid, rpcrdma.words(0, 0, count) + rpcrdma.words(24, 0) * count), side=1)
        t.ack(side=0)


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.starter = Starter()
        cls.addClassCleanup(cls.starter.close)

    def run_program(self, *arguments):
        """Seconds of processor time, peak memory in MiB."""
        seconds, resident, status, errors = self.starter.run(*arguments)
        self.assertEqual(status, 0, (arguments, errors))
        return seconds, resident

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def capture(self, make, count):
        path = os.path.join(self.folder, "%d.pcap" % count)
        with Traffic(path) as t:
            make(t, count)
        return path


class Work(Load):
    def twice(self, make, count):
        count //= doubling.SHARE
        paths = [self.capture(make, n) for n in (count, 2 * count)]
        for options in (("messages", "--checksum"), ("-x", "-r"), ("stats",)):
            for attempt in range(TRIES):
                once, twice = (self.run_program(*options, path)[0] for path in paths)
                if twice < TOO_MUCH * max(once, TOO_LITTLE):
                    break
            else:
                self.fail("%s %s: %.2f s of %d, %.2f s of %d" % (make.__name__, options, once, count, twice, 2 * count))

    def test_calls_of_one_key_in_one_direction(self):
        self.twice(one_direction, 6000)

    def test_calls_of_other_keys_in_one_direction(self):
        self.twice(one_direction_other_keys, 6000)

    def test_calls_of_one_key_answered(self):
        self.twice(answered, 2000)

    def test_calls_of_one_memory_not_answered_but_read(self):
        self.twice(unanswered_reads, 3000)

    def test_segments_of_one_key(self):
        self.twice(with_segments(pieces), 2000)

    def test_unread_segments_of_one_key(self):
        self.twice(with_segments(pieces, data=False), 2000)

    def test_segments_of_other_keys(self):
        self.twice(with_segments(lambda n: pieces(n, key=lambda i: KEY + i)), 2000)

    def test_segments_of_one_address(self):
        self.twice(with_segments(lambda n: pieces(n, address=lambda i: ADDRESS)), 2000)

    def test_segments_that_overlap(self):
        self.twice(with_segments(lambda n: pieces(n, address=lambda i: ADDRESS + i * PIECE // 2)), 2000)

    def test_positions(self):
        self.twice(positions, 2000)

    def test_write_chunks(self):
        self.twice(write_chunks, 2000)

    def test_operations(self):
        self.twice(operations, 8000)


def unanswered_lists(t, count):
    """Calls with long lists and without replies, on several connections."""
    call = load.call(load.ANY_XID, 7, bytes(8), reads=reads_of(pieces(2000, key=lambda n: KEY + n)))
    for i in range(count):
        t.send(load.with_xid(call, i + 1), connection=i % 7)


def unanswered_data(t, count):
    """Calls without replies, whose data is read."""
    for i in range(count):
        t.send(load.call_write3(i + 1, 60000, reads_of([(KEY + i, 60000, ADDRESS)])), connection=i % 7)
        t.ack(connection=i % 7)
        t.read(KEY + i, ADDRESS, bytes(60000), connection=i % 7)


def scattered_data(t, count):
    """Scattered bytes of large segments."""
    for i in range(count):
        t.send(load.call_write3(i + 1, 1 << 31, reads_of([(KEY + i, 1 << 31, ADDRESS)])), connection=i % 7)
        t.ack(connection=i % 7)
        for at in range(0, 1 << 31, 1 << 27):
            t.read(KEY + i, ADDRESS + at, bytes(4), connection=i % 7)


def long_answers(t, count):
    """COMPOUNDs of many operations; the first has no reply and delays the others."""
    t.send(load.call_read3(1 << 20, []))
    t.ack()
    for xid in range(1, count):
        t.send(load.call(xid, 1, rpcrdma.words(0, 0, 4000) + rpcrdma.words(24) * 4000, version=4))
        t.ack()
        t.send(load.reply(xid, rpcrdma.words(0, 0, 4000) + rpcrdma.words(24, 0) * 4000), side=1)
        t.ack(side=0)


class Memory(Load):
    """Resident memory, independent of the program's counts. One thread: output that other threads format is not part of the limit."""
    LIMITS = (1, 64)
    BESIDE = 20

    @unittest.skipIf(cli.has_sanitizers(), "sanitizers take memory of their own")
    def keeps_limit(self, make, count, *commands):
        path = self.capture(make, count)
        for command, limit in itertools.product(commands, self.LIMITS):
            shutil.rmtree(os.path.join(self.folder, "files"), ignore_errors=True)
            _, most = self.run_program(*command, "--threads", "1", "--max-memory", "%dM" % limit, path)
            with self.subTest(command=command, limit=limit):
                self.assertLess(most, limit + self.BESIDE)

    def test_lists_of_calls_that_are_not_answered(self):
        self.keeps_limit(unanswered_lists, 600, ("messages",), ("stats",))

    def test_data_of_calls_that_are_not_answered(self):
        self.keeps_limit(unanswered_data, 1500, ("messages", "--checksum"), ("export", "--files", os.path.join(self.folder, "files")))

    def test_data_here_and_there(self):
        self.keeps_limit(scattered_data, 200, ("export", "--files", os.path.join(self.folder, "files")))

    def test_operations(self):
        self.keeps_limit(long_answers, 1000, ("messages",))


if __name__ == "__main__":
    unittest.main()
