# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The flight recorder: the frames of an incident, and its cause."""
import os
import signal
import socket
import struct
import time

from cli import RPING, RPING_FRAMES, TESTDATA, read, records, wait_until
from live import LiveTest

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")


def blocks(path):
    """Of a file that may be being written: without a last one that is not whole yet."""
    data, at = read(path), 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if at + length > len(data):
            break
        yield kind, data[at + 8:at + length - 4]
        at += length


def packets(path):
    """[(time, bytes)]"""
    found = []
    for kind, body in blocks(path):
        if kind == 6:
            _, high, low, captured, _ = struct.unpack_from("<IIIII", body)
            found.append((high << 32 | low, body[20:20 + captured]))
    return found


def comment(path):
    body = next(blocks(path))[1]
    code, length = struct.unpack_from("<HH", body, 16)
    assert code == 1
    return body[20:20 + length].decode()


class Recorder(LiveTest):
    def record(self, *options, **more):
        return self.capturing("-i", "pcap:far", "-w", self.path("i.pcapng"), *options, **more)

    def incidents(self):
        return sorted(self.path(name) for name in os.listdir(self.directory) if name.startswith("i_"))

    def await_incidents(self, count):
        """Waits until `count` files are complete: they end with statistics."""
        wait_until(lambda: len(self.incidents()) >= count and all([kind for kind, _ in blocks(path)][-1:] == [5] for path in self.incidents()))

    def test_a_filter(self):
        process = self.record("--ring", "8M", "--trigger", "infiniband.aeth && infiniband.bth.psn == 1949592", "--before", "10s", "--after", "300ms")
        self.replay(RPING)
        self.await_incidents(1)
        self.replay(RPING)  # within --incident-distance
        _, errors = self.stop(process)
        path, = self.incidents()
        self.assertEqual(len(packets(path)), RPING_FRAMES)
        self.assertIn("trigger: infiniband.aeth && infiniband.bth.psn == 1949592: frame 5\n", comment(path))
        self.assertIn("1 trigger ignored", errors)
        self.assertIn("%s: %d packets" % (path, RPING_FRAMES), errors)

    def test_the_time_around_it(self):
        """Three copies half a second apart; the incident is about the second one."""
        process = self.record("--ring", "16M", "--before", "200ms", "--after", "200ms")
        for turn in range(3):
            if turn:
                time.sleep(0.5)
            self.replay(RPING)
            if turn == 1:
                process.send_signal(signal.SIGUSR2)
        self.await_incidents(1)
        process.send_signal(signal.SIGUSR2)
        time.sleep(0.3)
        _, errors = self.stop(process)
        self.assertIn("signal USR2 ignored: during an incident, or within --incident-distance", errors)
        self.assertIn("1 incident; 1 trigger ignored", errors)
        path, = self.incidents()
        self.assertEqual(len(packets(path)), RPING_FRAMES)
        self.assertIn("trigger: signal USR2\ntime: ", comment(path))
        self.assertIn("from 0.200 s before to 0.200 s after", comment(path))

    def test_latency_of_operations_a_rule_and_the_socket(self):
        control = self.path("socket")
        process = self.record("--ring", "8M,60s", "--trigger", "latency>400us", "--trigger", "latency>10s", "--control", control,
                              "--incident-distance", "1ns", "--after", "100ms")
        self.replay(NFS, "--speed", "1")
        self.await_incidents(1)

        def is_asked_for(sender):
            sender.sendto(b"trigger app \x1b[31m stalled\nx", control)
            time.sleep(0.3)
            self.await_incidents(1)
            return any("trigger: control socket: app ?[31m stalled\n" in comment(path) for path in self.incidents())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            # during an incident of a further latency it is passed over
            wait_until(lambda: is_asked_for(sender))
        _, errors = self.stop(process)
        self.assertIn("trigger: latency>400us: ", comment(self.incidents()[0]))
        self.assertNotIn("\x1b", errors)

    def test_a_rule_of_findings(self):
        process = self.record("--ring", "8M", "--trigger", "rnr_naks", "--after", "100ms")
        self.replay(os.path.join(TESTDATA, "conn_rnr.pcap"))
        self.await_incidents(1)
        self.stop(process)
        path, = self.incidents()
        self.assertIn("trigger: rnr_naks: 10.0.0.1 -> 10.0.0.2", comment(path))
        self.assertEqual(len(packets(path)), len(records(read(os.path.join(TESTDATA, "conn_rnr.pcap")))[1]))

    def test_a_limit_on_disk(self):
        process = self.record("--ring", "8M", "--before", "60s", "--after", "10ms", "--incident-distance", "1ns", "--incident-limit", "1M")
        made = set()
        for turn in range(5):
            self.replay(NFS)
            process.send_signal(signal.SIGUSR2)
            wait_until(lambda turn=turn: any("_%05d_" % (turn + 1) in path for path in self.incidents()))
            time.sleep(0.5)
            made.update(self.incidents())
        self.stop(process)
        self.assertEqual(len(made), 5)
        self.assertIn(len(self.incidents()), (1, 2))
        self.assertLessEqual(sum(map(os.path.getsize, self.incidents())), (1 << 20) + 4096)

    def test_the_end_of_the_capture_ends_an_incident(self):
        process = self.record("--ring", "8M", "--before", "10s", "--after", "60s")
        self.replay(RPING)
        process.send_signal(signal.SIGUSR2)
        wait_until(self.incidents)
        self.replay(RPING)
        self.stop(process)
        path, = self.incidents()
        self.assertEqual(len(packets(path)), 2 * RPING_FRAMES)

    def test_contradictory_options_are_rejected(self):
        name = self.path("x.pcapng")
        for options, message in ((("--trigger", "drops"), "require --ring"), (("--before", "3s"), "require --ring"),
                                 (("--incident-limit", "4M", "-w", name), "require --ring"), (("--ring", "8M"), "requires -i SOURCE and -w"),
                                 (("--ring", "x", "-w", name), "not a size"), (("--ring", "1M", "-w", name), "less than 8 MB"),
                                 (("--ring", "10", "-w", name), "a time has its unit: 30s"), (("--ring", "16M,10", "-w", name), "or both: 512M,30s"),
                                 (("--ring", "30s,1s", "-w", name), "or both: 512M,30s"),
                                 (("--ring", "8M", "-w", self.path("x.pcap")), "name them .pcapng"), (("--ring", "8M,1s", "-w", name), "--before is longer"),
                                 (("--ring", "8M", "-w", name, "-C", "1"), "--ring excludes"), (("--ring", "8M", "-w", name, "--trigger", "latency>x"), "not a time"),
                                 (("--ring", "8M", "-w", name, "--trigger", "foo.bar"), "neither drops"),
                                 (("--ring", "8M", "-w", name, "--control", "/" + "x" * 200), "longer than")):
            self.bad(message, "-i", "pcap:lo", *options)
