# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap why: events against schedules of packets lost on either side of the capture point, and verdicts."""
import collections
import json
import os
import re
import subprocess
import unittest

import capfile
import nccl
from cli import CliTest, RPING, TESTDATA, TESTS, captures, read, records
from wire_schedule import MS, Loss, Schedule, Talk, with_timeouts

# The place of the loss by the schedule's `seen`, for each cause.
PLACES = {("sequence_nak", True): "after_capture", ("sequence_nak", False): "before_capture", ("implied_nak", True): "after_capture",
          ("implied_nak", False): "before_capture", ("rnr", True): "receiver", ("timeout", True): "no_answer", ("timeout", False): "before_capture"}


def testdata(name):
    return os.path.join(TESTDATA, name)


class WhyTest(CliTest):
    def why(self, *arguments):
        """Subject, events and verdict."""
        found = collections.defaultdict(list)
        for line in self.lines("why", "--json", *arguments):
            one = json.loads(line)
            found[one["type"]].append(one)
        self.assertEqual((len(found["subject"]), len(found["verdict"])), (1, 1), arguments)
        return found["subject"][0], found["event"], found["verdict"][0]

    def of(self, script):
        schedule = Schedule()
        talk = Talk(schedule)
        for sender in "AB":
            talk.data(sender, "send", 1)
        script(talk)
        for sender in "AB":
            talk.data(sender, "send", 1)
        self.capture = schedule.write_pcap(self.path("talk.pcap"))
        return self.why(self.capture, "connection=1")


class Losses(WhyTest):
    def check(self, sender, kind, packets, losses):
        def script(talk):
            talk.data(sender, kind, 4)
            self.first = (talk.read if kind == "read" else lambda *a: talk.data(a[0], kind, *a[1:]))(sender, packets, losses)
            talk.data(sender, "send", 2)
        if kind == "read":
            subject, events, verdict = self.of(lambda talk: setattr(self, "first", talk.read(sender, packets, losses)))
        else:
            subject, events, verdict = self.of(script)
        recoveries = [event for event in events if event["event"] == "recovery"]
        self.assertEqual([(one["cause"], one["psn"], one["lost"]) for one in recoveries],
                         [(loss.cause, self.first + loss.at & 0xffffff, PLACES[loss.cause, loss.seen]) for loss in losses], events)
        ends = {"10.9.0.1": "A", "10.9.0.2": "B"}
        for one in recoveries:
            self.assertEqual(ends[subject[one["direction"][0]]], sender)
        self.assertAlmostEqual(verdict["time_lost"], sum(loss.wait for loss in losses) / 1e9, delta=verdict["time_lost"] / 100)
        return verdict

    def test_of_requests_are_placed_before_or_after_the_capture(self):
        for sender in "AB":
            for kind in "send", "write":
                for seen in False, True:
                    for at in 0, 3, 6:
                        verdict = self.check(sender, kind, 8, [Loss(at, "sequence_nak", 9 * MS, seen)])
                        self.assertEqual(verdict["cause"], "network")
                        self.assertIn("lost %s the capture" % ("after" if seen else "before"), verdict["text"])

    def test_of_retransmissions_are_placed_where_the_retransmission_was_lost(self):
        """The first copy passed the capture point, but the receiver discarded it: packets before it were missing."""
        for seen in False, True:
            self.check("A", "write", 12, [Loss(2, "sequence_nak", 9 * MS, False), Loss(5, "sequence_nak", 9 * MS, seen)])
            self.check("A", "write", 12, [Loss(2, "sequence_nak", 9 * MS, True), Loss(5, "sequence_nak", 9 * MS, seen)])

    def test_of_responses_are_placed(self):
        for seen in False, True:
            for at in 1, 4:
                self.check("A", "read", 8, [Loss(at, "implied_nak", 9 * MS, seen)])

    def test_without_a_response_this_is_reported(self):
        for at in 0, 3:
            self.check("A", "write", 4, [Loss(at, "timeout", 540 * MS, True)])

    def test_to_receivers_that_are_not_ready_are_theirs(self):
        def script(talk):
            talk.data("A", "send", 1, [Loss(0, "rnr", 20 * MS, True)], timer=14)
        _, events, verdict = self.of(script)
        self.assertEqual([one["lost"] for one in events if one["event"] == "recovery"], ["receiver"])
        self.assertEqual(len([one for one in events if one["event"] == "rnr_nak"]), 1)
        self.assertEqual(verdict["cause"], "receiver")
        self.assertIn("not the network", verdict["text"])

    def test_of_nothing_are_none(self):
        _, events, verdict = self.of(lambda talk: talk.data("A", "write", 50))
        self.assertEqual((verdict["cause"], verdict["time_lost"], verdict["recoveries"]), ("none", 0, 0))
        self.assertEqual([event["event"] for event in events], ["packets"])
        self.assertEqual(self.lines("why", self.capture)[-2:], ["Verdict: Nothing was lost or sent again, and no NAK was seen.",
                                                                "Packets: -Y 'rdmatap.connection == 1'"])

    def test_of_tcp_are_those_of_the_schedule(self):
        path = self.path("tcp.pcap")
        frames = [(time, data) for time, data, _ in records(read(testdata("iwarp-rping-v4-crc.pcap")))[1]]
        capfile.write_pcap(path, 1, [(time, data, len(data)) for time, data in with_timeouts(frames, 2, 300 * MS)])
        _, events, verdict = self.why(path)
        self.assertEqual([one["cause"] for one in events if one["event"] == "recovery"], ["timeout"] * 2)
        self.assertAlmostEqual(verdict["time_lost"], 0.6, delta=0.01)
        self.assertEqual(verdict["cause"], "network")


class Subjects(WhyTest):
    def test_a_late_reply_is_the_servers(self):
        subject, _, verdict = self.why(testdata("roce-nfs41-long.pcap"))
        slowest = max((json.loads(line) for line in self.lines("operations", "--json", testdata("roce-nfs41-long.pcap"))), key=lambda one: one["latency"])
        self.assertEqual((subject["operation"], subject["latency"]), (slowest["operation"], slowest["latency"]))
        self.assertEqual(verdict["cause"], "server")
        self.assertIn("likely", verdict["text"])
        self.assertGreater(verdict["longest_silence"], slowest["latency"] * 0.9)

    def test_one_operation_is_found_in_every_way(self):
        for capture in "roce-nfs3-long.pcap", "roce-nfs41-long.pcap", "rpc_read-chunks.pcap":
            for line in self.lines("operations", "--json", testdata(capture)):
                one = json.loads(line)
                if "response_frame" not in one or "request_frame" not in one:
                    continue
                subject, events, _ = self.why(testdata(capture), "operation=%d" % one["operation"])
                self.assertEqual((subject["operation"], subject["connection"]), (one["operation"], one["connection"]))
                self.assertEqual(events[0]["first_frame"], one["request_frame"])
                self.assertEqual(max(event["last_frame"] for event in events), max(one["response_frame"], one.get("last_data_frame", 0)))
                again = self.why("xid=%d" % one["xid"], testdata(capture))[0]
                self.assertEqual(again["name"], subject["name"])

    def test_a_frame_belongs_to_its_operation(self):
        one, = [one for one in map(json.loads, self.lines("operations", "--json", testdata("rpc_read-chunks.pcap")))][:1]
        self.assertEqual(self.why(testdata("rpc_read-chunks.pcap"), "frame=%d" % one["response_frame"])[0]["operation"], one["operation"])

    def test_a_packet_of_communication_management_belongs_to_its_connection(self):
        seen = 0
        for one in map(json.loads, self.lines("connections", "--json", RPING)):
            for event in one["life"]:
                self.assertEqual(self.why(RPING, "frame=%d" % event["frame"])[0]["connection"], one["connection"])
                seen += 1
        self.assertGreater(seen, 2)

    def test_a_queue_pair_names_its_connection(self):
        for line in self.lines("connections", "--json", testdata("conn_naks.pcap")):
            one = json.loads(line)
            for qpn in one["a"]["qpn"], one["b"]["qpn"]:
                self.assertEqual(self.why(testdata("conn_naks.pcap"), "qp=%#x" % qpn)[0]["connection"], one["connection"])

    def test_a_nak_that_ends_the_connection_is_no_loss(self):
        _, events, verdict = self.why(testdata("conn_naks.pcap"), "connection=1")
        self.assertEqual(events[-1]["nak"], "remote access error")
        self.assertEqual((verdict["cause"], verdict["text"].split()[0]), ("refused", "10.0.0.1"))

    def test_every_packet_is_in_one_event(self):
        for capture in captures():
            if os.path.basename(capture).startswith(("absurd", "tunnels", "pseudowire", "erf", "infiniband", "icrc", "conn_captured")):
                continue
            rows = [line.split("\t") for line in self.lines("-r", capture, "-T", "fields", "-e", "frame.number", "-e", "rdmatap.connection")]
            numbers = collections.Counter(row[1] for row in rows if row[1])
            whole = {str(one["connection"]) for one in map(json.loads, self.lines("connections", "--json", capture))}
            for number, packets in list(numbers.items())[:3]:
                # half of the packets of others precede the recognition
                if set(numbers) - whole:
                    continue
                _, events, verdict = self.why(capture, "connection=" + number)
                self.assertEqual(sum(one.get("packets", 0) for one in events), packets, capture)
                self.assertEqual(verdict["packets"], packets)

    def test_the_filter_is_of_its_packets(self):
        for capture in "roce-nfs3-write-lost.pcap.gz", "conn_rnr.pcap", "roce-nfs41-long.pcap":
            path = testdata(capture)
            filter_text, = re.findall(r"^Packets: -Y '(.*)'$", "\n".join(self.lines("why", path)), re.M)
            frames = [int(line) for line in self.lines("-r", path, "-T", "fields", "-e", "frame.number", "-Y", filter_text)]
            events = [json.loads(line) for line in self.lines("why", "--json", path)]
            shown = [one["first_frame"] for one in events if one["type"] == "event" and one["event"] != "silence"]
            self.assertTrue(shown and set(shown) <= set(frames), capture)

    def test_times_of_a_capture_in_another_order(self):
        """The last packet is the first in time: the time of the operation is that up to the latest one."""
        capture = testdata("send-that-waited.pcap")
        heading, *events, _ = [json.loads(line) for line in self.lines("why", "--json", capture, "operation=3")]
        times = dict(line.split("\t") for line in self.lines("-r", capture, "-T", "fields", "-e", "frame.number", "-e", "frame.time_epoch"))
        frames = [one["first_frame"] for one in events if one["event"] != "silence"]
        self.assertLess(times[str(frames[-1])], times[str(frames[0])])
        elapsed = max(float(times[str(frame)]) for frame in frames) - float(times[str(frames[0])])
        text = " ".join(line.strip() for line in self.lines("why", capture, "operation=3")[:2])
        self.assertTrue(text.endswith(" in %.2f ms" % (elapsed * 1e3)), text)
        for one in events:
            self.assertLessEqual(one["time"], one.get("time_end", one["time"]))

    def test_the_service_is_that_of_stats(self):
        """A connection that carries operations has their layer, not its port."""
        for name in ("roce-nvmeof.pcap.gz", "iwarp-nvmeof.pcap.gz", "roce-srp.pcap.gz", "roce-iser.pcap.gz", "roce-rnbd.pcap.gz",
                     "roce-smbdirect.pcap.gz", "conn_lnet.pcap", "roce-rds.pcap", "nccl-ring.pcap", "roce-nfs3.pcap.gz", "roce-rping-v4.pcap"):
            layers = {}
            for one in map(json.loads, self.lines("stats", "--json", testdata(name))):
                if one["type"] == "connection":
                    layers[one["connection"]] = [way["requests"]["layer"] for way in one["directions"] if "requests" in way]
            self.assertTrue(layers, name)
            for number, layer in layers.items():
                service = self.why(testdata(name), "connection=%d" % number)[0].get("service", "")
                self.assertEqual([service][:len(layer)], layer[:1], name)
                self.assertEqual(service in ("nvme", "srp", "iser", "rnbd", "smb", "lnet", "rds", "nccl"), bool(layer), name)

    def test_packets_before_their_connection_was_known_are_counted(self):
        """Of acknowledgements alone, a connection is known late; NAKs among the earlier ones cannot be listed."""
        path, unlisted = self.path("acks.pcap"), 0
        self.run_program("-r", os.path.join(TESTDATA, "ends", "roce-loss.A.pcap.gz"), "-Y", "infiniband.bth.opcode == 17", "-w", path)
        labels = collections.Counter(self.lines("-r", path, "-T", "fields", "-e", "rdmatap.connection"))
        for connection in (json.loads(line) for line in self.lines("connections", "--json", path)):
            number = str(connection["connection"])
            words = " ".join(line.strip() for line in self.lines("why", path, "connection=" + number))
            found = re.search(r"But (\d+) earlier packets? of the connection", words)
            earlier = connection["packets"] - labels[number]
            unlisted += earlier > 0
            self.assertNotIn("None of its packets", words)
            if found or "Nothing was lost" in words:
                self.assertEqual(int(found[1]) if found else 0, earlier, words)
        self.assertGreater(unlisted, 0)

    def test_unknown_subjects_are_rejected(self):
        for selector in "connection=9", "qp=0x77", "frame=100000", "xid=0x1", "operation=77":
            self.bad(re.sub("0x", "", selector).split("=")[0] + "=", "why", RPING, selector)
        self.bad("qp=0x77: not in the capture", "why", RPING, "qp=0x77")
        self.bad("connection=x: not a number", "why", RPING, "connection=x")
        self.bad("connection=: not a number", "why", RPING, "connection=")
        self.bad("frame=3: only one of", "why", RPING, "qp=2", "frame=3")
        self.bad("frame=1: part of no connection", "why", testdata("mad-attributes.pcap"), "frame=1")
        with open(RPING, "rb") as f:
            piped = self.run_program("why", "-", stdin=f)
        self.assertEqual((piped.returncode, piped.stdout), (0, self.run_program("why", RPING).stdout))

    def test_the_argument_of_an_option_is_no_selector(self):
        decoding = "--decode-as", "qp=18,rpcrdma"
        self.assertEqual(self.good("why", *decoding, RPING, "connection=1"), self.good("why", RPING, "connection=1"))
        self.assertEqual(self.good("why", RPING, *decoding), self.good("why", RPING))
        odd = self.path("qp=2", read(RPING))
        self.assertEqual(self.good("why", "-r", os.path.basename(odd), cwd=self.directory), self.good("why", RPING))

    def test_pipes_are_copied(self):
        """From standard input and from a FIFO, plain and compressed, and together with a file."""
        capture = os.path.join(TESTDATA, "roce-nfs3-write-lost.pcap.gz")
        expected = self.run_program("why", capture, "xid=0x%08x" % self.xid_of(capture)).stdout
        self.assertTrue(expected)
        with subprocess.Popen(["cat", capture], stdout=subprocess.PIPE) as cat:
            done = self.run_program("why", "-", "xid=0x%08x" % self.xid_of(capture), stdin=cat.stdout)
        self.assertEqual((done.returncode, done.stdout), (0, expected))
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        with subprocess.Popen(["cp", capture, fifo]):
            done = self.run_program("why", fifo, "xid=0x%08x" % self.xid_of(capture))
        self.assertEqual((done.returncode, done.stdout), (0, expected))
        self.bad("copying it to read it twice", "why", "-", stdin=subprocess.DEVNULL, env={"TMPDIR": self.path("none")})

    def xid_of(self, capture):
        return max((json.loads(line) for line in self.lines("operations", "--json", capture)), key=lambda one: one.get("latency", 0))["xid"]


class Form(WhyTest):
    def test_lines_fit_the_terminal(self):
        for capture in captures():
            done = self.run_program("why", capture)
            for line in done.stdout.decode().splitlines():
                self.assertLessEqual(len(line), 120, capture)
            self.assertEqual(bool(done.stdout), b"no connections: " not in done.stderr, (capture, done.stderr))

    def test_keys_are_documented(self):
        with open(os.path.join(TESTS, "..", "doc", "json.md")) as f:
            documented = set(re.findall(r"^\| `(\w+)` \|", f.read().partition("`rdmatap why --json FILE...`")[2].partition("\n## ")[0], re.M))
        found = set()
        for arguments in [(capture,) for capture in captures()] + [(nccl.straggling_ring(self.path("ring.pcap")), "operation=30")]:
            for line in self.run_program("why", "--json", *arguments).stdout.splitlines():
                found |= set(json.loads(line))
        self.assertEqual(found - documented, set())
        self.assertEqual(documented - found, {"events_unlisted"})


if __name__ == "__main__":
    unittest.main()
