# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures with growing state: resident memory, by the system's count, exceeds --max-memory only slightly."""
import os
import struct
import subprocess
import unittest

import growing
from cli import CliTest, PROGRAM, RPING, has_sanitizers
from load import SEND, Traffic
from starter import Starter

LIMIT_MB, ALLOWED_MB = 4, 12
# What grows: so many frames, the limit, and what is allowed beyond it
COUNT, SMALL_LIMIT_MB, SMALL_ALLOWED_MB = 15000, 2, 9
# Frames, microseconds between them, resident MB that the commands do not exceed
STOPPED = (("pairs", 25000, 20000, 37), ("half_open_messages", 25000, 40000, 37), ("calls_of_stopped_writes", 50000, 2500, 40),
           ("stopped_sends", 50000, 2000, 40), ("stopped_records", 50000, 2200, 40))
COMMANDS = (("-r",), ("messages", "--json", "-r"), ("connections", "-r"), ("stats", "-r"), ("canon", "-r"), ("canon", "--level", "packets", "-r"),
            ("export", "--files", "DIRECTORY", "-r"), ("report", "-o", "PAGE", "-r"))
REFUSED = b"not enough memory to sort the connections (raise --max-memory"


@unittest.skipIf(has_sanitizers(), "sanitizers take memory of their own")
class Memory(CliTest):
    @classmethod
    def setUpClass(cls):
        cls.starter = Starter()
        cls.addClassCleanup(cls.starter.close)
        # the kernel maps more or less of the program's file around a page, by what is in its cache: half a megabyte from run to run
        cls.own_mb = max(cls.resident_mb("messages", RPING)[0] for _ in range(8))

    def capture(self, kind, count=COUNT, step_us=1):
        path = self.path("%s.pcap" % kind)
        growing.write(path, kind, count, step_us)
        return path

    @classmethod
    def resident_mb(cls, *arguments):
        """Peak memory of a run, its exit status, and its standard error."""
        return cls.starter.run(*arguments)[1:]

    def assert_within(self, limit_mb, resident, what, allowed_mb=ALLOWED_MB):
        """allowed_mb is for code, tables and buffers of constant size beyond those of a run over a small capture."""
        self.assertLess(resident, self.own_mb + limit_mb + allowed_mb, what)

    def test_a_small_capture_takes_little(self):
        self.assertLess(self.own_mb, 16)

    def page_faults(self, messages):
        """Of a run over so many SENDs of 64 KB on each of 8 connections, whose packets alternate."""
        path, packets = self.path("sends.pcap"), 64
        with Traffic(path) as traffic:
            for psn in range(messages * packets):
                at = psn % packets
                for connection in range(8):
                    traffic.packet(connection, 0, SEND[0 if not at else 2 if at == packets - 1 else 1], psn, bytes(1024))
        child = subprocess.Popen([PROGRAM, "stats", "--threads", "1", path], stdout=subprocess.DEVNULL)
        _, child.returncode, usage = os.wait4(child.pid, 0)
        self.assertEqual(child.returncode, 0)
        return usage.ru_minflt

    def test_reassembled_messages_take_no_new_pages(self):
        """A message has 16 pages. When its memory is freed, the next one gets it."""
        self.assertLess(self.page_faults(60) - self.page_faults(20), 1000)

    def test_two_hundred_thousand_queue_pairs_are_put_in_order(self):
        path = self.capture("queue_pairs", 200000)
        resident, status, _ = self.resident_mb("canon", "--max-memory", "16M", path)
        self.assertEqual(status, 0)
        self.assert_within(16, resident, "canon")

    def test_interfaces_and_comments_without_end(self):
        """The largest permitted number of interfaces, and names and comments that exceed the memory limit."""
        def block(kind, body):
            length = struct.pack("<I", 12 + len(body))
            return struct.pack("<I", kind) + length + body + length

        def option(code, value):
            return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

        section = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
        interface = struct.pack("<HHI", 1, 0, 0)
        many = (block(1, interface + option(2, b"%0100d" % i)) for i in range(65536))
        long = (block(1, interface + option(2, b"%060000d" % i) + option(1, bytes(60000)) + option(11, b"\0" + bytes(60000))) for i in range(300))
        for name, blocks in (("many", many), ("long", long)):
            path = self.path(name)
            with open(path, "wb") as f:
                f.write(section)
                f.writelines(blocks)
            for command in (("stats", "-r"), ("-r",)) if name == "many" else (("-v", "-r"),):
                resident, status, errors = self.resident_mb(*command, path, "--max-memory", "%dM" % LIMIT_MB)
                self.assertEqual(status, 0)
                self.assert_within(LIMIT_MB, resident, (name, command))
        for dropped in (b"names, descriptions and filters of more interfaces", b"more comments"):
            self.assertTrue(dropped + b" follow that are not kept\n" in errors, dropped)

    def test_connections_that_stop_take_no_memory(self):
        """About 25 new connections a second, for 100 to 1,000 s of the capture."""
        for kind, count, step_us, most_mb in STOPPED:
            path = self.capture(kind, count, step_us)
            for command in ("-r",), ("messages", "-r"), ("stats", "-r"):
                resident, status, _ = self.resident_mb(*command, path)
                self.assertEqual(status, 0)
                self.assertLess(resident, most_mb, (kind, command))

    def test_finished_messages_do_not_wait_for_unfinished_ones_if_their_order_does_not_matter(self):
        """100,000 SENDs within 50 s after a READ without a response: nothing is kept of any SEND."""
        path = self.capture("messages_after_one", 100000, step_us=500)
        for command in "-r", "stats":
            resident, status, _ = self.resident_mb(command, path)
            self.assertEqual(status, 0)
            self.assert_within(0, resident, command)


def grows(kind):
    def test(self):
        path = self.capture(kind)
        for command in COMMANDS:
            arguments = [{"DIRECTORY": self.path("out"), "PAGE": self.path("page.html")}.get(word, word) for word in command]
            resident, status, errors = self.resident_mb(*arguments, path, "--max-memory", "%dM" % SMALL_LIMIT_MB)
            if command[0] == "canon" and status == 2:
                self.assertIn(REFUSED, errors)
            else:
                self.assertEqual(status, 0, (command, errors))
            self.assert_within(SMALL_LIMIT_MB, resident, command, SMALL_ALLOWED_MB)
    return test


for made in growing.ALL:
    setattr(Memory, "test_grows_with_" + made.__name__, grows(made.__name__))
