# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""export --trace: every message and operation once, tracks without overlap, recoveries as in stats."""
import collections
import json
import os
import unittest
from decimal import Decimal

from cli import CliTest, TESTDATA, captures, read
from conversation import Scene
from wire_schedule import everything

NANOSECOND = Decimal("0.001") # in microseconds


class Trace(CliTest):
    def trace(self, *captures_):
        name = self.path("trace.json")
        done = self.run_program("export", "--trace", name, *captures_)
        self.assertEqual((done.returncode, done.stdout), (0, b""), captures_)
        with open(name, encoding="utf-8") as f:
            return json.load(f, parse_float=Decimal)

    def records(self, command, capture):
        return [json.loads(line) for line in self.run_program(command, "--json", capture).stdout.splitlines()]

    def check_form(self, events):
        """The Trace Event Format: the members that each phase needs; every process and track has one name."""
        needed = {"M": {"name", "pid", "args"}, "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"}, "b": {"name", "cat", "id", "pid", "ts"},
                  "e": {"name", "cat", "id", "pid", "ts"}, "i": {"name", "cat", "pid", "tid", "ts", "s"}}
        names = collections.Counter()
        for event in events:
            self.assertIn(event["ph"], needed, event)
            self.assertLessEqual(needed[event["ph"]], set(event), event)
            self.assertTrue(event["name"] and isinstance(event["name"], str), event)
            for key in ("pid", "tid"):
                self.assertTrue(type(event.get(key, 0)) is int and event.get(key, 0) >= 0, event)
            for key in ("ts", "dur"):
                self.assertTrue(isinstance(event.get(key, 0), (int, Decimal)) and event.get(key, 0) >= 0, event)
            if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
                self.assertTrue(event["args"]["name"])
                names[event["pid"], event["tid"] if event["name"] == "thread_name" else None] += 1
        self.assertEqual([one for one, times in names.items() if times > 1], [])
        for event in events:
            if event["ph"] != "M":
                self.assertIn((event["pid"], None), names, event)
            if event["ph"] in "Xi":
                self.assertIn((event["pid"], event["tid"]), names, event)

    def check_tracks(self, events):
        """Complete events of a track do not overlap, in written order; each begin event has an end event."""
        last, begun = {}, {}
        for event in events:
            track = event["pid"], event["tid"]
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                self.assertLessEqual(last.get(track, event["ts"]), event["ts"], event)
                last[track] = event["ts"] + event["dur"]
            elif event["ph"] == "b":
                self.assertNotIn(event["id"], begun)
                begun[event["id"]] = event
            elif event["ph"] == "e":
                first = begun.pop(event["id"])
                self.assertEqual((first["cat"], first["name"], first["pid"]), (event["cat"], event["name"], event["pid"]))
                self.assertGreaterEqual(event["ts"], first["ts"])
        self.assertEqual(begun, {})

    def check(self, capture):
        trace = self.trace(capture)
        events = trace["traceEvents"]
        begin = trace["otherData"]["begin_ns"] if events else 0
        self.check_form(events)
        self.check_tracks(events)
        shown = [event for event in events if event["ph"] in "Xb"]
        messages = [one for one in self.records("messages", capture) if not one["kind"].startswith("rpc_")]
        operations = self.records("operations", capture)
        for category, number, wanted in (("message", "message", messages), ("operation", "operation", operations)):
            found = {event["args"][number]: event for event in shown if event["cat"] == category}
            self.assertEqual(len(found), len([event for event in shown if event["cat"] == category]))
            self.assertEqual(sorted(found), [one[number] for one in wanted])
            for one in wanted:
                event = found[one[number]]
                self.assertEqual(json.loads(json.dumps(event["args"], default=float)), one)
                self.assertEqual(event["ts"], (one["time_ns"] - begin) * NANOSECOND)
                if event["ph"] == "X":
                    self.assertGreaterEqual(event["dur"], (one["time_end_ns"] - one["time_ns"]) * NANOSECOND)
                if "connection" in one:
                    self.assertEqual(event["pid"], one["connection"])
        return events

    def test_messages_and_operations_of_testdata(self):
        seen = collections.Counter()
        # times of absurd captures go back to before the first frame
        for capture in [one for one in captures() if not os.path.basename(one).startswith("absurd")][::3]:
            with self.subTest(capture):
                seen.update((event["ph"], event.get("cat")) for event in self.check(capture))
        self.assertGreater(seen["X", "message"], 1000)
        self.assertGreater(seen["X", "operation"], 200)

    def test_recoveries_take_the_time_that_stats_has(self):
        checked = 0
        for name in ("conn_loss-acked-more.pcap", "conn_rnr.pcap", "iwarp-nfs41-reorder.pcap.gz", "conn_read-restart-twice.pcap"):
            if not os.path.exists(os.path.join(TESTDATA, name)):
                continue
            checked += self.check_recoveries(os.path.join(TESTDATA, name))
        checked += self.check_recoveries(everything().write_pcapng(self.path("everything.pcapng"), 10 ** 10))
        self.assertGreater(checked, 2)

    def check_recoveries(self, capture):
        events = self.trace(capture)["traceEvents"]
        tracks = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
        lost = collections.Counter()
        for event in events:
            if event["ph"] == "X" and event["cat"] == "recovery":
                lost[event["pid"], tracks[event["pid"], event["tid"]][-3:], event["name"]] += int(event["dur"] / NANOSECOND)
        wanted = collections.Counter()
        for one in self.records("stats", capture):
            for direction in one.get("directions", []):
                for cause, recovery in direction["recoveries"].items():
                    wanted[one["connection"], direction["direction"], cause] += round(recovery["time_lost"] * 10 ** 9)
        self.assertEqual({key: value for key, value in lost.items() if value}, {key: value for key, value in wanted.items() if value})
        return len(lost)

    def test_pauses_of_ports(self):
        events = self.trace(everything().write_pcapng(self.path("everything.pcapng"), 10 ** 10))["traceEvents"]
        pauses = [event for event in events if event.get("cat") == "pause"]
        ports = {event["pid"] for event in events if event["ph"] == "M" and event["name"] == "process_name" and event["args"]["name"].startswith("port ")}
        self.assertTrue(pauses)
        self.assertEqual({event["pid"] for event in pauses}, ports)
        # IEEE 802.3, 31B.2: at most 65,535 times 512 bit times; here at 10 Gb/s
        begins = {event["id"]: event["ts"] for event in pauses if event["ph"] == "b"}
        longest = max(event["ts"] - begins[event["id"]] for event in pauses if event["ph"] == "e")
        self.assertTrue(0 < longest <= Decimal(65535 * 512) / 10000)

    def test_more_at_a_time_than_lanes(self):
        scene = Scene("many", "")
        talk = scene.connection()
        packets = [packet for _ in range(100) for packet in talk.send("a", 100)]
        scene.put(*packets, talk.ack(packets[-1]))
        scene.write(self.directory)
        events = self.check(self.path("conn_many.pcap"))
        kinds = collections.Counter(event["ph"] for event in events if event.get("cat") == "message")
        self.assertEqual((kinds["X"], kinds["b"], kinds["e"]), (64, 36, 36))

    def test_connections_have_names(self):
        capture = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
        names = {event["pid"]: event["args"]["name"] for event in self.trace(capture)["traceEvents"] if event["ph"] == "M" and event["name"] == "process_name"}
        for one in self.records("connections", capture):
            self.assertIn(one["a"]["addr"], names[one["connection"]])
            self.assertTrue(names[one["connection"]].startswith("connection %d: a " % one["connection"]))

    def test_datagrams_without_a_connection_have_a_name(self):
        capture = os.path.join(TESTDATA, "mad-ibsim-smp-perf.pcap.gz")
        events = self.trace(capture)["traceEvents"]
        named = [event["pid"] for event in events if event["ph"] == "M" and event["name"] == "process_name"]
        self.assertIn(0, {event["pid"] for event in events if event.get("cat") == "message"})
        self.assertEqual(named.count(0), 1)
        self.assertEqual({event["pid"] for event in events if event["ph"] != "M"} - set(named), set())

    def test_outputs_and_errors(self):
        capture = os.path.join(TESTDATA, "roce-rping-v4.pcap")
        name = self.path("trace.json")
        self.good("export", "--trace", name, capture)
        with open(name, "rb") as f:
            self.assertEqual(f.read(), self.good("export", "--trace", "-", capture))
        empty = self.path("empty.pcap", read(capture)[:24])
        self.assertEqual(json.loads(self.good("export", "--trace", "-", empty))["traceEvents"], [])
        for message, arguments in (("/dev/full: No space left on device", ("--trace", "/dev/full", capture)),
                                   ("--trace excludes -w, --files and --sqlite", ("--trace", name, "-w", "x", capture)),
                                   ("--trace: given twice", ("--trace", name, "--trace", name, capture)),
                                   ("is an input too", ("--trace", capture, capture)),
                                   ("No such file or directory", ("--trace", self.path("no/such"), capture))):
            with self.subTest(message):
                self.bad(message, "export", *arguments)


if __name__ == "__main__":
    unittest.main()
