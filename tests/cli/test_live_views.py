# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""messages, operations, connections, stats and report of live traffic: same output as for the file that was sent."""
import json
import os
import subprocess

from cli import PROGRAM, TESTDATA, environment, wait_until
from live import LiveTest

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")


def lines(path):
    with open(path) as f:
        return f.read().splitlines()


class LiveViews(LiveTest):
    def of_file(self, *arguments):
        return subprocess.run((PROGRAM,) + arguments + (NFS,), stdout=subprocess.PIPE, check=True, env=environment()).stdout.decode().splitlines()

    def started(self, *arguments):
        out = self.path("out")
        with open(out, "wb") as f:
            process = self.capturing(*arguments, "-i", "pcap:far", stdout=f)
        return process, out

    def test_records_appear_while_the_capture_runs(self):
        for command, keys in (("messages", ("kind", "length", "complete", "first_frame", "direction")),
                              ("operations", ("name", "status", "request_frame", "response_frame", "data_bytes"))):
            process, out = self.started(command, "--json")
            self.replay(NFS)
            wanted = sorted(str([record.get(key) for key in keys]) for record in map(json.loads, self.of_file(command, "--json")))
            wait_until(lambda: len(lines(out)) >= len(wanted))
            self.stop(process)
            self.assertEqual(sorted(str([record.get(key) for key in keys]) for record in map(json.loads, lines(out))), wanted)

    def test_connections_and_a_page_at_the_end(self):
        process, out = self.started("connections", "--json")
        self.replay(NFS)
        self.stop(process)
        ends = [[record.get(key) for key in ("type", "a", "b", "packets")] for record in map(json.loads, lines(out))]
        self.assertEqual(ends, [[record.get(key) for key in ("type", "a", "b", "packets")] for record in map(json.loads, self.of_file("connections", "--json"))])
        process = self.capturing("report", "-o", self.path("page.html"), "-i", "pcap:far")
        self.replay(NFS)
        _, errors = self.stop(process)
        self.assertIn("1049 packets captured", errors)
        with open(self.path("page.html")) as f:
            self.assertIn("NFS", f.read())

    def test_intervals_are_printed_when_complete(self):
        process, out = self.started("stats", "--interval", "0.5", "--json")
        self.replay(NFS)
        wait_until(lambda: sum(record["packets"] for record in map(json.loads, lines(out))) == 1049)
        self.assertEqual({record["type"] for record in map(json.loads, lines(out))}, {"interval"})
        self.stop(process)
        found = [json.loads(line) for line in lines(out)]
        intervals = [record for record in found if record["type"] == "interval"]
        self.assertEqual(len({record["time"] for record in intervals}), len(intervals))
        self.assertEqual(sum(record["packets"] for record in intervals), 1049)
        self.assertEqual([record["packets"] for record in found if record["type"] == "capture"], [1049])

    def test_text_of_intervals(self):
        process, out = self.started("stats", "--interval", "0.5")
        self.replay(NFS)
        wait_until(lambda: any(line.split()[1] == "1049" for line in lines(out)))
        self.assertEqual(lines(out)[0].split()[:4], ["time", "packets", "bytes", "rate"])
        self.stop(process)
        self.assertTrue(any(line.startswith("connections") for line in lines(out)))

    def test_options_of_captures(self):
        process = self.capturing("stats", "-i", "pcap:far", "-f", "tcp", "-a", "duration:1", "--json")
        self.replay(NFS)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        capture, = [record for record in map(json.loads, output.splitlines()) if record["type"] == "capture"]
        self.assertEqual(capture["packets"], int(self.of_file("stats", "-f", "tcp", "-e", "packets", "--type", "capture")[0]))
        self.bad("exclude each other", "messages", "-i", "lo", NFS)
        self.bad("-a filesize and files are for captures that are saved", "stats", "-i", "lo", "-a", "files:2")
