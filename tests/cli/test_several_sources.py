# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""-i A -i B: both ends of a veth see the same packets, the far one a little later; a second pair sees others."""
import json
import os
import struct
import subprocess

from cli import RPING, RPING_FRAMES, TESTDATA, TIMEOUT, PROGRAM, environment, read, wait_until
from live import INSIDE, LiveTest, NAMESPACE, ip
from test_recorder import blocks

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
NFS_FRAMES = 1049


def packets(path):
    """[(interface, time, bytes)]"""
    found = []
    for kind, body in blocks(path):
        if kind == 6:
            interface, high, low, captured, _ = struct.unpack_from("<IIIII", body)
            found.append((interface, high << 32 | low, body[20:20 + captured]))
    return found


class SeveralSources(LiveTest):
    def await_frames(self, path, count):
        wait_until(lambda: len(packets(path)) >= count)

    def test_the_same_packets_at_both_ends_are_interleaved_by_time(self):
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "pcap:near", "-i", "pcap:far", "-w", saved, gives_up_root=True)
        wait_until(lambda: len(os.listdir("/proc/%d/task" % process.pid)) == 4)  # one thread each, and the one of --status
        self.replay(NFS)
        self.await_frames(saved, 2 * NFS_FRAMES)
        _, errors = self.stop(process)
        found = packets(saved)
        self.assertEqual([time for _, time, _ in found], sorted(time for _, time, _ in found))
        both = [[(time, data) for interface, time, data in found if interface == i] for i in (0, 1)]
        self.assertEqual([data for _, data in both[0]], [data for _, data in both[1]])
        self.assertEqual(len(both[0]), NFS_FRAMES)
        self.assertEqual([(near, far) for (near, _), (far, _) in zip(*both) if far < near], [])
        # packets of both devices are interleaved
        self.assertGreater(sum(found[i][0] != found[i + 1][0] for i in range(len(found) - 1)), 10)
        for name in ("near", "far"):
            self.assertIn("pcap:%s: %d packets captured; received: %d;" % (name, NFS_FRAMES, NFS_FRAMES), errors)
        self.assertIn("%d packets captured from 2 sources" % (2 * NFS_FRAMES), errors)

    def test_interfaces_and_their_statistics(self):
        ip("link", "add", "near2", "type", "veth", "peer", "name", "far2")
        self.addCleanup(subprocess.run, ("ip", "-n", NAMESPACE, "link", "del", "near2"), stderr=subprocess.DEVNULL)
        for name in ("near2", "far2"):
            ip("link", "set", name, "mtu", "9000", "up")
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "pcap:far", "-i", "pcap:far2", "-w", saved, gives_up_root=True)
        self.replay(NFS)
        self.replay(RPING, interface="near2")
        self.await_frames(saved, NFS_FRAMES + RPING_FRAMES)
        self.stop(process)
        self.assertEqual([sum(one == i for one, _, _ in packets(saved)) for i in (0, 1)], [NFS_FRAMES, RPING_FRAMES])
        statistics = {}
        for kind, body in blocks(saved):
            if kind == 5:
                interface, = struct.unpack_from("<I", body)
                at = 12
                while at < len(body):
                    code, length = struct.unpack_from("<HH", body, at)
                    if code == 4:
                        statistics[interface], = struct.unpack_from("<Q", body, at + 4)
                    at += 4 + (length + 3) // 4 * 4
        self.assertEqual(statistics, {0: NFS_FRAMES, 1: RPING_FRAMES})

    def test_a_packet_that_both_have_is_counted_once(self):
        process = self.capturing("stats", "-i", "pcap:near", "-i", "pcap:far", "--json", gives_up_root=True)
        self.replay(NFS)
        output, _ = self.stop(process)
        capture, = [record for record in map(json.loads, output.splitlines()) if record["type"] == "capture"]
        alone = subprocess.run((PROGRAM, "stats", "--json", NFS), stdout=subprocess.PIPE, check=True, timeout=TIMEOUT, env=environment()).stdout
        wanted, = [record for record in map(json.loads, alone.splitlines()) if record["type"] == "capture"]
        for key in ("messages", "connections", "payload"):
            self.assertEqual(capture[key], wanted[key], key)

    def test_one_that_ends_leaves_the_other(self):
        ip("link", "add", "near2", "type", "veth", "peer", "name", "far2")
        self.addCleanup(subprocess.run, ("ip", "-n", NAMESPACE, "link", "del", "near2"), stderr=subprocess.DEVNULL)
        for name in ("near2", "far2"):
            ip("link", "set", name, "up")
        saved = self.path("x.pcapng")
        process = self.capturing("-i", "pcap:far2", "-i", "pcap:far", "-w", saved, gives_up_root=True)
        ip("link", "del", "near2")
        self.replay(NFS)
        self.await_frames(saved, NFS_FRAMES)
        _, errors = self.stop(process)
        self.assertIn("far2", errors)

    def test_one_that_is_not_there(self):
        done = subprocess.run(INSIDE + (PROGRAM, "-i", "pcap:far", "-i", "pcap:none", "-q"), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"none", done.stderr)
        self.bad("one device only", "replay", "-i", "a", "-i", "b", RPING)
