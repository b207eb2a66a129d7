# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap stats: numbers against those of messages, connections and -T fields, and each rule of the findings."""
import collections
import decimal
import json
import os
import random
import re
import shlex
import subprocess
import unittest

import capfile
import nccl
import smb
import storage_jobs
from cli import CliTest, PROGRAM, RPING, TESTDATA, TESTS, captures, read, records
from conversation import Scene
from session import Session
from wire_schedule import CNP, MS, US, Schedule, pfc, rnr_to_the_end, roce, slow_writes, talk, with_closed_window, with_fast_retransmits, with_timeouts
import nfs
import worst_cases

NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS, NAK_OPERATION, RNR = 0x60, 0x61, 0x62, 0x63, 0x2c
CONGESTION = ("128", "129")
PERCENTILES = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}


def testdata(name):
    return os.path.join(TESTDATA, name)


def sound():
    """Captures whose fields have one value each, and their truth."""
    return [name for name in captures() if not os.path.basename(name).startswith(("absurd", "tunnels"))]


def nearest_rank(values, permille):
    return sorted(values)[max(1, -(-len(values) * permille // 1000)) - 1]


def readable(seconds):
    """A time as in text output: three significant digits and a unit."""
    value, unit = decimal.Decimal(round(seconds * 10**9)), "ns"
    for larger in ("us", "ms", "s"):
        if value >= decimal.Decimal("999.5"):
            value, unit = value / 1000, larger
    places = 2 if value < decimal.Decimal("9.995") else 1 if value < decimal.Decimal("99.95") else 0
    return "%s %s" % (value.quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_UP), unit)


class StatsTest(CliTest):
    printed = {}  # lines by arguments, of captures of testdata, which several tests read

    def objects(self, command, *arguments):
        if not arguments[-1].startswith(TESTDATA):
            return [json.loads(line) for line in self.lines(command, "--json", *arguments)]
        key = (command, *arguments)
        if key not in self.printed:
            self.printed[key] = self.lines(command, "--json", *arguments)
        return [json.loads(line) for line in self.printed[key]]

    def fields(self, capture, *names):
        """Values of these fields, one row per packet."""
        arguments = [word for name in names for word in ("-e", name)]
        return [line.split("\t") for line in self.lines("-r", capture, "-T", "fields", *arguments)]

    def stats(self, *arguments):
        """The records by type."""
        found = collections.defaultdict(list)
        for one in self.objects("stats", *arguments):
            found[one["type"]].append(one)
        return found

    def rules(self, *arguments):
        return {one["rule"]: one for one in reversed(self.stats(*arguments)["finding"])}

    def written(self, scene):
        """A new capture of the scene."""
        path = self.path("%s-%d.pcap" % (scene.name, len(os.listdir(self.directory))))
        scene.write_capture(path)
        return path

    def half_open(self):
        scene = Scene("half-open", "")
        for i in range(3000):
            half = scene.connection(a=("10.1.%d.%d" % divmod(i, 256), 0x100, 5), b=("10.0.0.9", 0x1000 + i, 5))
            scene.put(half.send("a", 200)[0])
        return self.written(scene)

    def check_distribution(self, found, values, what):
        """Exact except for percentiles, which have the documented error."""
        if not values:
            self.assertIsNone(found, what)
            return
        self.assertEqual(found["count"], len(values), what)
        self.assertAlmostEqual(found["min"], min(values), 9, what)
        self.assertAlmostEqual(found["max"], max(values), 9, what)
        for key, permille in PERCENTILES.items():
            exact = nearest_rank(values, permille)
            error = exact / 64 if len(values) > 4096 else 0
            self.assertLessEqual(abs(found[key] - exact), error + 2e-9, (what, key))


class Usage(StatsTest):
    def test_wrong_command_lines_are_refused(self):
        for message, arguments in (
                ("nothing to read (name a capture file", ()),
                ("-x: no such option", ("-x", RPING)),
                ("-w: no such option", ("-w", "x", RPING)),
                ("--interval: needs an argument", (RPING, "--interval")),
                ("--interval 0: not a number of seconds", ("--interval", "0", RPING)),
                ("--interval nan: not a number of seconds", ("--interval", "nan", RPING)),
                ("--interval 1s: not a number of seconds", ("--interval", "1s", RPING)),
                ("--interval -1: not a number of seconds", ("--interval", "-1", RPING)),
                ("--interval 2e9: not a number of seconds", ("--interval", "2e9", RPING))):
            with self.subTest(arguments):
                self.assertEqual(self.bad(message, "stats", *arguments), b"")

    def test_an_empty_capture_has_nothing_but_zeros(self):
        found = self.stats("--interval", "1", testdata("empty.pcap"))
        self.assertEqual(list(found), ["capture"])
        self.assertEqual([found["capture"][0][key] for key in ("packets", "bytes", "connections", "messages", "findings")], [0] * 5)
        self.assertEqual(self.lines("stats", testdata("empty.pcap"))[-1], "No problems found")

    def test_the_readable_part_of_a_damaged_file_is_counted(self):
        with open(RPING, "rb") as f:
            broken = self.path("cut.pcap", f.read()[:-5])
        found = json.loads(self.bad("frame 101: at byte ", "stats", "--json", broken).splitlines()[0])
        self.assertEqual(found["packets"], 100)

    def test_write_errors_are_reported(self):
        with open("/dev/full", "wb") as full:
            self.bad("standard output: ", "stats", RPING, stdout=full)


class Numbers(StatsTest):
    def test_operations_are_those_of_messages(self):
        for capture in captures():
            reported = collections.defaultdict(list)
            for m in self.objects("messages", capture):
                if "verb" in m and "connection" in m:
                    reported[m["connection"], m["direction"], m["kind"]].append(m)
            found = self.stats(capture)
            self.assertEqual(found["capture"][0]["messages"], sum(1 for m in self.objects("messages", capture) if not m["kind"].startswith("rpc")))
            counted = {(c["connection"], d["direction"], o["kind"]): o for c in found["connection"] for d in c["directions"]
                       for o in d["operations"]}
            self.assertEqual(set(counted), set(reported), capture)
            for key, operations in counted.items():
                messages, what = reported[key], (capture, key)
                self.assertEqual(operations["messages"], len(messages), what)
                self.assertEqual(operations["bytes"], sum(m["length"] for m in messages), what)
                self.assertEqual(operations["incomplete"], sum(not m["complete"] for m in messages), what)
                self.assertEqual(operations["unanswered"], sum(m.get("status") == "unanswered" for m in messages), what)
                self.assertEqual(operations["refused"], sum(m.get("status", "good") not in ("good", "unanswered") for m in messages), what)
                if all(m["complete"] for m in messages):
                    self.check_distribution(operations.get("size"), [m["length"] for m in messages], what)
                    self.check_distribution(operations.get("latency"),
                                            [m["latency"] for m in messages if "latency" in m and m.get("status") == "good"], what)

    def test_rpcs_are_those_of_messages(self):
        for capture in captures():
            calls, replies, parts = (collections.defaultdict(list) for _ in range(3))
            for m in self.objects("messages", "--rpc", capture):
                key = (m.get("program"), m.get("version"), m.get("procedure"))
                (calls if m["kind"] == "rpc_call" else replies)[key].append(m)
                for operation in m["operations"]:
                    parts[key + (operation.get("name"),)].append((m, operation))
            rows = self.stats(capture)["rpc"]
            procedures = {(r.get("program"), r.get("version"), r.get("procedure")): r for r in rows if "operation" not in r}
            self.assertEqual(set(procedures), set(calls) | set(replies), capture)
            for key, row in procedures.items():
                what = (capture, key)
                self.assertEqual(row["calls"], len(calls[key]), what)
                self.assertEqual(row["replies"], len(replies[key]), what)
                self.assertEqual(row["unanswered"], sum("answer" not in m for m in calls[key]), what)
                self.assertEqual(row["call_bytes"], sum(m["length"] for m in calls[key]), what)
                self.assertEqual(row["reply_bytes"], sum(m["length"] for m in replies[key]), what)
                self.assertEqual(row["repeats"], sum(m["repeats"] for m in calls[key]), what)
                for name, chunks in (("with_read_chunks", "read_chunks"), ("with_write_chunks", "write_chunks"),
                                     ("with_reply_chunk", "reply_chunk")):
                    self.assertEqual(row[name], sum(bool(m[chunks]) for m in calls[key]), what)
                self.check_distribution(row.get("latency"), [m["latency"] for m in replies[key] if "latency" in m], what)
                good = ("SUCCESS", "NFS3_OK", "NFS4_OK", "OK", "MNT3_OK", "granted", "NLM4_GRANTED", None)
                wrong = [m["status"] for m in replies[key] if m.get("status") not in good]
                named = collections.Counter({s["status"]: s["count"] for s in row["statuses"] if "status" in s})
                self.assertEqual(named - collections.Counter(wrong), collections.Counter(), what)
            for row in rows:
                if "operation" not in row:
                    continue
                reported = parts[row["program"], row["version"], row["procedure"], row.get("name")]
                self.assertEqual(row["calls"], sum(m["kind"] == "rpc_call" for m, _ in reported), (capture, row))
                self.assertEqual(row["replies"], sum(m["kind"] == "rpc_reply" for m, _ in reported), (capture, row))

    def test_packets_and_bytes_of_each_direction_are_those_that_fields_give(self):
        for capture in sound():
            rows = self.fields(capture, "frame.len", "rdmatap.connection", "rdmatap.from_a", "rdmatap.psn.analysis")
            found = self.stats(capture)
            self.assertEqual(found["capture"][0]["packets"], len(rows), capture)
            self.assertEqual(found["capture"][0]["bytes"], sum(int(row[0]) for row in rows), capture)
            reported = collections.Counter()
            # a packet that was captured twice is counted once
            for length, connection, from_a, analysis in rows:
                if connection and analysis != "captured_twice":
                    reported["packets"] += 1
                    reported["bytes"] += int(length)
                    reported[connection, from_a] += 1
            directions = [(str(c["connection"]), "1" if d["direction"] == "a>b" else "0", d) for c in found["connection"]
                          for d in c["directions"]]
            # packets that precede the recognition of their connection have no connection field
            late = sum(d["packets"] for _, _, d in directions) - reported["packets"]
            self.assertGreaterEqual(late, 0, capture)
            if late:
                whole = found["capture"][0]
                self.assertEqual(sum(d["packets"] for _, _, d in directions) + whole["unassigned_packets"],
                                 whole["rdma_packets"] - sum(m["count"] for m in found["mad"]), capture)
                continue
            self.assertEqual(sum(d["bytes"] for _, _, d in directions), reported["bytes"], capture)
            # halves that were merged later have two connection numbers in the packets' fields
            if {row[1] for row in rows if row[1]} == {number for number, _, d in directions if d["packets"]}:
                for number, from_a, d in directions:
                    self.assertEqual(d["packets"], reported[number, from_a], (capture, number, from_a))

    def damaged(self):
        """Captures with packets missing, doubled or reordered at random."""
        made = []
        for name in ("roce-nfs3.pcap.gz", "roce-nfs40-mtu256.pcap.gz", "iwarp-nfs3-crctso.pcap.gz", "iwarp-rcopy.pcap.gz"):
            choice, frames = random.Random(name), list(capfile.timed(testdata(name)))
            for damage in ("drop", "double", "swap"):
                kept = []
                for time, link, data, wire in frames:
                    hit = choice.random() < 0.01
                    if not hit or damage != "drop":
                        kept.append((time, data, wire))
                    if hit and damage == "double":
                        kept.append((time + 100, data, wire))
                    elif hit and damage == "swap" and len(kept) > 1:
                        kept[-2:] = [(kept[-2][0],) + kept[-1][1:], (kept[-1][0],) + kept[-2][1:]]
                made.append(self.path("%s-%s.pcap" % (name.split(".")[0], damage)))
                capfile.write_pcap(made[-1], 1, kept)
        return made

    def test_payload_is_the_sum_over_messages_of_the_bytes_that_are_there(self):
        compared = collections.Counter()
        for capture in captures() + self.damaged():
            there = collections.Counter()
            for m in self.objects("messages", capture):
                if m["kind"] not in ("send", "write", "read", "ud", "terminate") and m.get("verb") != "atomic_write" or "connection" not in m:
                    continue
                lacks = sum(part.get("length", 0) for part in m["missing"] if part["reason"] != "snapped")
                sender = m["direction"] if m["kind"] != "read" else {"a>b": "b>a", "b>a": "a>b"}[m["direction"]]
                there[m["connection"], sender] += m["length"] - lacks
            for c in self.stats(capture)["connection"]:
                if c.get("transport") in ("RC", "UC", "UD", "XRC", "iwarp"):
                    for d in c["directions"]:
                        self.assertEqual(d["payload"], there[c["connection"], d["direction"]], (capture, c["connection"], d["direction"]))
                        compared[c["transport"] == "iwarp"] += d["payload"] > 0
        self.assertGreater(compared[False], 100)
        self.assertGreater(compared[True], 20)

    def test_halves_that_are_one_connection_are_counted_together(self):
        for name in ("conn_no-cm.pcap", "conn_no-cm-crossing.pcap"):
            found = self.stats(testdata(name))
            for c, reported in zip(found["connection"], self.objects("connections", testdata(name))):
                self.assertEqual(c["connection"], reported["connection"])
                self.assertLessEqual(sum(d["packets"] for d in c["directions"]), reported["packets"])
            self.assertEqual(sum(d["packets"] for c in found["connection"] for d in c["directions"]) +
                             found["capture"][0]["unassigned_packets"], found["capture"][0]["rdma_packets"] - sum(m["count"] for m in found["mad"]))

    def test_events_are_those_that_fields_give(self):
        names = {"retransmission": "retransmissions", "duplicate": "duplicates", "out_of_order": "out_of_order", "gap": "gaps",
                 "captured_twice": "captured_twice", "unexpected_response": "unexpected_responses", "resynchronised": "resynchronised"}
        naks = ["nak_sequence", "nak_invalid_request", "nak_access", "nak_operation", "nak_invalid_rd"]
        for capture in sound():
            reported = collections.defaultdict(list)
            rows = self.fields(capture, "frame.number", "rdmatap.connection", "rdmatap.psn.analysis", "infiniband.bth.opcode",
                               "infiniband.aeth.syndrome.opcode", "infiniband.aeth.syndrome.error_code", "infiniband.aeth.syndrome.credit_count")
            for number, connection, analysis, opcode, kind, code, credit in rows:
                if not opcode:
                    continue
                if connection and analysis in names:
                    reported[names[analysis]].append(int(number))
                if analysis == "captured_twice":
                    continue
                if opcode in CONGESTION:
                    reported["cnps"].append(int(number))
                if credit == "0":
                    reported["no_credit"].append(int(number))
                if kind == "1":
                    reported["rnr_naks"].append(int(number))
                if kind == "3" and int(code) < len(naks):
                    reported[naks[int(code)]].append(int(number))
            found = self.stats(capture)
            if any(c.get("transport") == "iwarp" for c in found["connection"]):
                continue # no field shows the label of a segment
            events = found["capture"][0]["events"]
            late = sum(d["packets"] for c in found["connection"] for d in c["directions"]) - sum(bool(row[1]) for row in rows)
            for name in ([] if late else list(names.values())) + naks + ["rnr_naks", "cnps", "no_credit"]:
                wanted = {"count": len(reported[name]), "first_frame": reported[name][0], "last_frame": reported[name][-1]} if reported[name] else None
                self.assertEqual(events.get(name), wanted, (capture, name))

    def test_management_datagrams_are_those_that_fields_give(self):
        for capture in ("mad-ibsim-smp-perf.pcap.gz", "roce-rping-v4.pcap", "roce-rping-reject.pcap"):
            rows = self.fields(testdata(capture), "infiniband.mad.mgmtclass", "infiniband.mad.method", "infiniband.mad.attributeid")
            reported = collections.Counter(tuple(int(value, 0) for value in row) for row in rows if row[0])
            found = {(m["class"], m["method"], m["attribute"]): m["count"] for m in self.stats(testdata(capture))["mad"]}
            self.assertEqual(found, dict(reported), capture)

    def test_text_shows_the_values_of_json(self):
        text = "\n".join(self.lines("stats", testdata("roce-nfs3-long.pcap")))
        found = self.stats(testdata("roce-nfs3-long.pcap"))
        self.assertRegex(text, r"(?m)^packets +%(packets)d, 23\.6 KB, 61\.3 %% RDMA" % found["capture"][0])
        for row in found["rpc"]:
            self.assertRegex(text, r"(?m)^  \w+ v\d+ +%s +%d +%s" % (row["name"], row["calls"], readable(row["latency"]["p50"])))


class Known(StatsTest):
    """Generated captures with known numbers."""

    def test_payload_and_goodput(self):
        scene = Scene("payload", "")
        talk = scene.connection(port=20049).establish()
        one, two = talk.send("a", 1000), talk.send("a", 24)
        scene.put(*one, talk.ack(one[-1]))
        scene.pause(1)
        scene.put(*two, talk.ack(two[-1]))
        scene.pause(1)
        scene.put(*two, talk.ack(two[-1]))
        there, back = self.stats(self.written(scene))["connection"][0]["directions"]
        self.assertEqual((there["packets"], there["data_packets"], there["payload"], there["repeated_payload"]), (6, 6, 1024, 24))
        self.assertEqual((back["packets"], back["payload"]), (3, 0))
        self.assertAlmostEqual(there["goodput"], 1024 / there["seconds"], delta=1)
        self.assertNotIn("goodput", back)
        self.assertEqual(there["message_rate"], round(2 / there["seconds"]))
        whole = self.stats(self.written(scene))["capture"][0]
        self.assertEqual((whole["payload"], whole["message_rate"]), (1024, round(whole["messages"] / whole["seconds"])))
        self.assertAlmostEqual(whole["goodput"], 1024 / whole["seconds"], delta=1)
        self.assertIn("payload      1.02 KB, 4.10 kb/s, and 24 B repeated", self.lines("stats", self.written(scene)))

    def test_acknowledgements_without_credit(self):
        """The code is 0: no credit; 31: the field is not used. IBTA vol. 1, table 45."""
        scene = Scene("credit", "")
        talk = scene.connection(port=20049).establish()
        for code in (1, 0, 31, 0, 30):
            packets = talk.send("a", 100)
            scene.put(*packets, talk.ack(packets[-1], code))
        capture = self.written(scene)
        found = self.stats(capture)
        events = [d["events"].get("no_credit") for d in found["connection"][0]["directions"]]
        self.assertEqual((events[0], events[1]["count"]), (None, 2))
        self.assertEqual(found["capture"][0]["events"]["no_credit"], events[1])
        reported = "no_credit 2 (frames %(first_frame)d-%(last_frame)d)" % events[1]
        self.assertEqual([line.strip() for line in self.lines("stats", "--connection", "all", capture) if "no_credit" in line], [reported, reported])

    def test_reads_under_way(self):
        scene = Scene("reads", "")
        talk = scene.connection(port=20049).establish()
        reads = [talk.read("a", 100) for _ in range(7)]
        scene.put(*[request for request, _ in reads[:5]])
        scene.put(*[r for _, responses in reads[:4] for r in responses])
        scene.put(*[request for request, _ in reads[5:]])
        scene.put(*[r for _, responses in reads[4:] for r in responses])
        there, back = self.stats(self.written(scene))["connection"][0]["directions"]
        self.assertEqual(there["read_depth"], 5)
        self.assertNotIn("read_depth", back)

    def test_calls_under_way_and_credits(self):
        session = Session("calls", "")
        talk = session.peers()
        calls = [session.call(talk, nfs.read3(session.new_xid(), 10)) for _ in range(3)]
        for call in calls:
            session.answer(call, nfs.read3_reply(call.rpc.xid, b"x" * 10))
        there, back = self.stats(self.written(session))["connection"][0]["directions"]
        self.assertEqual([there[key] for key in ("rpc_calls", "rpc_replies", "rpc_depth", "rpc_credits_min", "rpc_credits_max")],
                         [3, 3, 3, 128, 128])
        self.assertNotIn("rpc_calls", back)

    def test_errors_grant_credits_too(self):
        granting = self.stats(testdata("rpc_error.pcap"))["connection"][0]["directions"][1]
        self.assertEqual((granting["rpc_calls"], granting["rpc_credits_min"], granting["rpc_credits_max"]), (1, 128, 128))

    def test_reaction_to_congestion(self):
        scene = Scene("congestion", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(3):
            packets = talk.send("a", 100) + talk.send("a", 100)
            scene.put(*packets, dsfield=3)
            scene.put(talk.notification("b"), talk.ack(packets[-1]))
        for dsfield in (0, 1, 2):
            scene.put(*talk.send("a", 10), dsfield=dsfield)
        there, back = self.stats(self.written(scene))["connection"][0]["directions"]
        self.assertEqual(there["events"]["ce_marks"]["count"], 6)
        self.assertEqual(back["events"]["cnps"]["count"], 3)
        self.assertEqual((there["cnp_reaction"]["count"], there["cnp_reaction"]["p50"]), (3, 0.00002))
        self.assertNotIn("cnp_reaction", back)

    def test_time_lost_is_that_of_the_schedule(self):
        """Retransmitted after 0.5 s, and twice after another 0.5 s; a READ with a response 20 ms after it was missed; a SEND after RNR."""
        scene = Scene("schedule", "")
        talk = scene.connection(port=20049).establish()
        def lost(cause):
            there = self.stats(path)["connection"][0]["directions"][0]
            return there["recoveries"][cause]["count"], there["recoveries"][cause]["time_lost"]
        packets = talk.send("a", 100)
        scene.put(*packets)
        for _ in range(3):
            scene.pause(0.5)
            scene.put(*packets)
        scene.put(talk.ack(packets[-1]))
        request, responses = talk.read("a", 1000)
        again, rest = talk.read_again(request, responses, 2)
        scene.put(request, responses[0], responses[1], responses[3], again)
        scene.pause(0.02)
        scene.put(*rest)
        packets = talk.send("a", 100)
        scene.put(*packets, talk.ack(packets[0], RNR))
        scene.pause(0.7)
        scene.put(*packets, talk.ack(packets[-1]))
        path = self.written(scene)
        for cause, count, seconds in (("timeout", 3, 1.5), ("implied_nak", 1, 0.02), ("rnr", 1, 0.7)):
            found = lost(cause)
            self.assertEqual(found[0], count, cause)
            self.assertAlmostEqual(found[1], seconds, delta=seconds / 100, msg=cause)

    def test_why_requests_were_sent_again(self):
        scene = Scene("again", "")
        talk = scene.connection(port=20049).establish()
        packets = talk.send("a", 700)
        scene.put(packets[0], packets[2], talk.ack(packets[1], NAK_SEQUENCE), *packets[1:], talk.ack(packets[-1]))
        late = talk.send("a", 100)
        scene.put(talk.ack(late[0], NAK_SEQUENCE), *late, talk.ack(late[-1]))
        other = talk.send("a", 700)
        for _ in range(3):
            scene.put(*other)
            scene.pause(0.1)
        scene.put(talk.ack(other[-1]))
        there = self.stats(self.written(scene))["connection"][0]["directions"][0]["events"]
        self.assertEqual(there["recoveries_after_nak"]["count"], 1)
        # its second and third transmission
        self.assertEqual(there["recoveries_after_timeout"]["count"], 2)

    def test_responses_to_a_restarted_read_are_retransmissions(self):
        scene = Scene("restart", "")
        talk = scene.connection(port=20049).establish()
        request, responses = talk.read("a", 1000)
        scene.put(request, responses[0], responses[1], responses[3])
        again, rest = talk.read_again(request, responses, 2)
        scene.put(again, *rest)
        request, responses = talk.read("a", 300)
        scene.put(request, *responses, request, *responses)
        there, back = self.stats(self.written(scene))["connection"][0]["directions"]
        counts = [{name: event["count"] for name, event in d["events"].items()} for d in (there, back)]
        self.assertEqual(counts, [{"retransmissions": 1, "duplicates": 1, "recoveries_after_missing_response": 1, "read_restarts": 1},
                                  {"gaps": 1, "retransmissions": 2, "duplicates": 2}])

    def test_latencies_by_hand(self):
        """conn_cm.pcap has a packet every 10 us: SENDs of 2 and 3 packets, a WRITE of 3, all followed by an acknowledgement; a READ with 4 responses."""
        there, back = self.stats(testdata("conn_cm.pcap"))["connection"][0]["directions"]
        latencies = {(d["direction"], o["kind"]): (o["latency"]["count"], o["latency"]["min"], o["latency"]["mean"], o["latency"]["max"])
                     for d in (there, back) for o in d["operations"]}
        self.assertEqual(latencies, {("a>b", "send"): (2, 0.00002, 0.000025, 0.00003), ("b>a", "send"): (2, 0.00002, 0.000025, 0.00003),
                                     ("a>b", "write"): (1, 0.00003, 0.00003, 0.00003), ("a>b", "read"): (1, 0.00004, 0.00004, 0.00004)})

    def test_losses_and_repeats_of_the_generator_are_counted(self):
        counted = 0
        for capture in captures():
            truth = re.sub(r"\.pcap(ng)?$", ".connections.jsonl", capture)
            if not os.path.basename(capture).startswith("conn_") or not os.path.exists(truth):
                continue
            options = re.sub(r"\.connections\.jsonl$", ".options", truth)
            found = self.stats(*(read(options).decode().split() if os.path.exists(options) else []), capture)["connection"]
            with open(truth, encoding="utf-8") as lines:
                for reported in map(json.loads, lines):
                    known = {name: count for name, count in reported.get("anomalies", {}).items()
                             if isinstance(count, int) and "|" not in name and name != "differing_repeat"}
                    # stats keeps no payload to distinguish those; merged halves and unknown values have no number here
                    for one in (one for one in found if one.get("connection") == reported.get("connection")):
                        self.assertEqual({name: one["anomalies"].get(name, 0) for name in known}, known, (capture, reported))
                        counted += len(known)
                        if "retransmission" in known:
                            self.assertEqual(sum(d["events"].get("retransmissions", {"count": 0})["count"] for d in one["directions"]),
                                             known["retransmission"], capture)
        self.assertGreater(counted, 20)

    def test_set_up_times_and_rejects(self):
        capture = self.stats(testdata("conn_cm.pcap"))["capture"][0]
        self.assertEqual((capture["setup"]["count"], capture["setup"]["max"]), (1, 0.00002))
        capture = self.stats(testdata("roce-rping-reject.pcap"))["capture"][0]
        self.assertEqual(capture["rejects"], [{"reason": 8, "reason_name": "nobody listens there", "count": 1, "first_frame": 4, "last_frame": 4}])
        self.assertIn("1 connection rejected with reason 8: nobody listens there (frame 4)", self.lines("stats", testdata("roce-rping-reject.pcap")))
        # MPA gives no reason: RFC 5044, 7.1.1
        frames = records(read(testdata("iwarp-rping-v4-crc.pcap")))[1]
        at, = [i for i, (_, data, _) in enumerate(frames) if b"MPA ID Rep Frame" in data]
        time, reply, wire = frames[at]
        flags = reply.index(b"MPA ID Rep Frame") + 16
        frames[at] = time, reply[:flags] + bytes([reply[flags] | 0x20]) + reply[flags + 1:], wire
        rejected = self.path("rejected.pcap")
        capfile.write_pcap(rejected, 1, frames[:at + 1])
        self.assertIn("1 connection rejected (frame %d)" % (at + 1), self.lines("stats", rejected))

    def test_intervals_add_up_to_the_capture(self):
        for capture in ("roce-nfs3-long.pcap", "conn_go-back-n.pcap", "roce-cnp.pcap"):
            for seconds in ("1", "0.01", "1000000", "0.000001"):
                found = self.stats("--interval", seconds, testdata(capture))
                total, intervals = found["capture"][0], found["interval"]
                for key in ("packets", "bytes", "messages"):
                    self.assertEqual(sum(i[key] for i in intervals), total[key], (capture, seconds, key))
                self.assertEqual(sum(i["retransmissions"] for i in intervals), total["events"].get("retransmissions", {"count": 0})["count"])
                cnps = [row for row in self.fields(testdata(capture), "infiniband.bth.opcode") if row[0] in CONGESTION]
                self.assertEqual(sum(i["cnps"] for i in intervals), len(cnps))
                self.assertEqual(len({i["seconds"] for i in intervals}), 1)
                times = intervals[0]["seconds"] / float(seconds)
                self.assertEqual(round(times) & (round(times) - 1), 0, "twice as long, as often as it takes")
                self.assertLess((float(intervals[-1]["time"]) - float(intervals[0]["time"])) / intervals[0]["seconds"], 100000)
                self.assertEqual(intervals[0]["time"], total["time"])
                reported = [line for line in self.lines("stats", "--interval", seconds, testdata(capture)) if line.startswith("intervals of ")]
                self.assertEqual(reported, ["intervals of %.9f s, as there would be more than 100000 of those asked for" % intervals[0]["seconds"]]
                                 if round(times) > 1 else [])


class Memory(StatsTest):
    def test_connections_beyond_memory_are_counted_together(self):
        path = self.half_open()
        found = self.stats("--max-memory", "1M", path)
        capture, last = found["capture"][0], found["connection"][-1]
        self.assertEqual((capture["packets"], capture["connections"], capture["messages"]), (3000, 3000, 3000))
        self.assertGreater(capture["connections_summed"], 2000)
        self.assertEqual((last["summed"], last["directions"][0]["packets"]), (capture["connections_summed"],) * 2)
        self.assertEqual(sum(c["directions"][0]["packets"] for c in found["connection"]), 3000)
        self.assertEqual(sum(o["messages"] for c in found["connection"] for d in c["directions"] for o in d["operations"]), 3000)
        self.assertEqual((last["directions"][0]["operations"][0]["messages"], len(found["connection"][0]["directions"][0]["operations"])),
                         (capture["connections_summed"] + capture.get("messages_uncounted", 0), 1))
        self.assertEqual([f["count"] for f in found["finding"] if f["rule"] == "summed_connections"], [capture["connections_summed"]])
        found = self.stats(path)
        capture = found["capture"][0]
        self.assertEqual((capture["connections_summed"], capture.get("messages_uncounted", 0), len(found["connection"])), (0, 0, 3000))

    @staticmethod
    def pairs_of_all_verbs(count):
        """(time, frame, length): between each two queue pairs SENDs of both ends and WRITEs, of several sizes and latencies, each acknowledged."""
        at = worst_cases.START_NS
        for i in range(count):
            qpn = {worst_cases.CLIENT: 0x1000 + i, worst_cases.SERVER: 0x800000 + i}
            psn = {worst_cases.CLIENT: 7 * i, worst_cases.SERVER: 7 * i}
            for sender, opcode, length in ((worst_cases.CLIENT, worst_cases.SEND_ONLY, 100 + i % 3), (worst_cases.SERVER, worst_cases.SEND_ONLY, 200),
                                           (worst_cases.CLIENT, worst_cases.WRITE_ONLY, 300)) * 2:
                receiver, pad = worst_cases.CLIENT + worst_cases.SERVER - sender, -length % 4
                body = (worst_cases.reth(0x1000, 7, length) if opcode == worst_cases.WRITE_ONLY else b"") + bytes(length + pad)
                packet = worst_cases.roce(sender, opcode, psn[sender], body, qpn=qpn[receiver], pad=pad, ask=True)
                yield at, packet, len(packet)
                at += 10 * US * (1 + i % 5)
                packet = worst_cases.roce(receiver, worst_cases.ACK, psn[sender], worst_cases.aeth(1 + psn[sender] - 7 * i), qpn=qpn[sender])
                yield at, packet, len(packet)
                at += US
                psn[sender] += 1

    def test_five_thousand_connections_have_counters_of_their_own_by_default(self):
        path = self.path("many.pcap")
        capfile.write_pcap(path, 1, self.pairs_of_all_verbs(5000))
        found = self.stats(path)
        capture = found["capture"][0]
        self.assertEqual((capture["connections"], capture["connections_summed"], len(found["connection"])), (5000, 0, 5000))
        self.assertNotIn("messages_uncounted", capture)
        self.assertNotIn("values_uncounted", capture)
        self.assertTrue(all(o["latency"]["count"] for c in found["connection"] for d in c["directions"] for o in d["operations"]))


class Findings(StatsTest):
    def documented(self):
        with open(os.path.join(os.path.dirname(TESTDATA), "doc", "stats.md"), encoding="utf-8") as lines:
            return re.findall(r"^\| `(\w+)` \| (?:error|warning|note) \|", lines.read(), re.M)

    def again(self, count, pause):
        scene = Scene("repeats", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            packets = talk.send("a", 100)
            scene.put(*packets)
            scene.pause(pause)
            scene.put(*packets, talk.ack(packets[-1]))
        return self.written(scene)

    def refused(self, syndrome, count):
        scene = Scene("refused", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            packets = talk.send("a", 100)
            scene.put(talk.ack(packets[0], syndrome), *packets, talk.ack(packets[-1]))
        return self.written(scene)

    def sent_again_after(self, syndrome, count):
        """Each SEND is retransmitted immediately after a NAK."""
        scene = Scene("after", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            packets = talk.send("a", 100)
            scene.put(*packets, talk.ack(packets[0], syndrome), *packets, talk.ack(packets[-1]))
        return self.written(scene)

    def lacking(self, count):
        """READs restarted at once because a response is missing."""
        scene = Scene("lacking", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            request, responses = talk.read("a", 1000)
            again, rest = talk.read_again(request, responses, 2)
            scene.put(request, responses[0], responses[1], responses[3], again, *rest)
        return self.written(scene)

    def tried(self, *pauses):
        """A SEND that is retransmitted after each of these times and never acknowledged."""
        scene = Scene("tried", "")
        talk = scene.connection(port=20049).establish()
        packets = talk.send("a", 100)
        scene.put(*packets)
        for pause in pauses:
            scene.pause(pause)
            scene.put(*packets)
        return self.written(scene)

    def restarted(self, count):
        scene = Scene("restarts", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            request, responses = talk.read("a", 1000)
            again, rest = talk.read_again(request, responses, 2)
            scene.put(request, *responses[:2])
            scene.pause(0.1)
            scene.put(again, *rest)
        return self.written(scene)

    def marked(self, count, answered):
        scene = Scene("marks", "")
        talk = scene.connection(port=20049).establish()
        for _ in range(count):
            packets = talk.send("a", 100)
            scene.put(*packets, dsfield=3)
            scene.put(*([talk.notification("b")] if answered else []), talk.ack(packets[-1]))
        return self.written(scene)

    def silent(self, seconds):
        scene = Scene("silent", "")
        talk = scene.connection(port=20049).establish()
        other = scene.connection(a=("10.0.0.2", 0x12, 0x100), b=("10.0.0.1", 0x23, 0x900), port=20049).establish()
        scene.put(*talk.send("a", 100))
        scene.pause(seconds)
        packets = other.send("a", 100)
        scene.put(*packets, other.ack(packets[-1]))
        return self.written(scene)

    def session(self, calls=1, status=0, slow=0, answered=True, under_way=0):
        session = Session("rpcs", "")
        talk = session.peers()
        for i in range(calls):
            call = session.call(talk, nfs.read3(session.new_xid(), 10))
            session.pause(slow if i == calls - 1 else 0)
            session.answer(call, nfs.reply3(session.xid, nfs.READ3, nfs.ABSENT, status) if status else nfs.read3_reply(session.xid, b"x" * 10))
        waiting = [session.call(talk, nfs.read3(session.new_xid(), 10)) for _ in range(under_way)]
        for call in waiting:
            session.answer(call, nfs.read3_reply(call.rpc.xid, b"x" * 10))
        if not answered:
            packets = session.call(talk, nfs.read3(session.new_xid(), 10)) and session.last_said
            session.put(talk.ack(packets[-1]))
            session.pause(2)
            packets = talk.send("a", 10)
            session.put(*packets, talk.ack(packets[-1]))
        return self.written(session)

    def swapped(self, count):
        """At the end one is requested again."""
        scene = Scene("swaps", "")
        talk = scene.connection(port=20049).establish()
        scene.put(*talk.send("a", 10))
        for _ in range(count):
            one, two = talk.send("a", 10), talk.send("a", 10)
            scene.put(*two, *one, talk.ack(two[-1]))
        packets = talk.send("a", 10)
        scene.put(*packets, talk.ack(packets[0], NAK_SEQUENCE), *packets, talk.ack(packets[-1]))
        return self.written(scene)

    def clustered(self, close, apart, pause=0.006):
        scene = Scene("bursts", "")
        talk = scene.connection(port=20049).establish()
        for seconds in apart * [1.4] + close * [pause]:
            packets = talk.send("a", 100)
            scene.put(*packets)
            scene.pause(0.01)
            scene.put(*packets, talk.ack(packets[0]))
            scene.pause(seconds)
        return self.written(scene)

    def set_up(self, until_reply, until_ready, again=False, accepted=True):
        scene = Scene("set-up", "")
        talk = scene.connection(port=20049)
        talk.request()
        scene.pause(until_reply)
        if again:
            talk.request(again=True)
        if accepted:
            talk.reply()
            scene.pause(until_ready)
            talk.ready()
        else:
            scene.put(*scene.connection(a=("10.0.0.5", 0x12, 0x100)).send("a", 10))
        return self.written(scene)

    def iwarp(self, change):
        """An rping over iWARP whose frames `change` alters: it takes and returns (time, bytes)."""
        header, frames = records(read(testdata("iwarp-rping-v4-crc.pcap")))
        path = self.path("iwarp-%d.pcap" % len(os.listdir(self.directory)))
        capfile.write_pcap(path, 1, [(time, data, len(data)) for time, data in change([(time, data) for time, data, _ in frames])])
        return path

    def segments_again(self, count):
        """`count` data segments of the client are retransmitted half a second later."""
        def change(frames):
            asked = [(time, data) for time, data in frames if len(data) > 100 and data[26:30] == frames[2][1][26:30]][-count:]
            return frames + [(frames[-1][0] + i * 10**6 + 5 * 10**8, data) for i, (_, data) in enumerate(asked)]
        return self.iwarp(change)

    def damaged_fpdus(self, place):
        """Changes a byte of the last of the longest segments: -10 is data of its FPDU, 19 is in the IP header."""
        def change(frames):
            longest = max(range(len(frames)), key=lambda i: (len(frames[i][1]), i))
            time, data = frames[longest]
            frames[longest] = time, data[:place] + bytes([data[place] ^ 1]) + data[place:][1:]
            return frames
        return self.iwarp(change)

    def scheduled(self, schedule, keep=lambda index: True, speed=None):
        path = self.path("schedule-%d.pcap" % len(os.listdir(self.directory)))
        return schedule.write_pcapng(path, speed) if speed else schedule.write_pcap(path, keep)

    def held_up(self, quanta):
        """A pause of so many microseconds in 10 ms."""
        schedule = talk(501)
        schedule.at(1 * MS, pfc("B", {3: quanta}))
        return self.scheduled(schedule, speed=512 * 10 ** 6)

    def lone_cnps(self):
        """So many queue pairs that the packets of the first ones are not credited when their connections are recognised."""
        schedule = Schedule()
        for i in range(1100):
            schedule.at(i, roce("B", CNP, 0x1000 + i, 0))
        return schedule

    def jobs(self, *jobs):
        return [job.save(self.path("job%d.pcap" % number)) for number, job in enumerate(jobs)]

    def scenes(self, *scenes):
        paths = [self.path("scene%d.pcap" % number) for number in range(len(scenes))]
        for path, scene in zip(paths, scenes):
            scene.write_capture(path)
        return paths

    def ring(self, late=0, lost=0):
        """NCCL: a host is late in one step, or a packet is lost and retransmitted after a timeout."""
        hosts = [nccl.Host(i + 1) for i in range(4)]
        nccl.ring(hosts, 8, 20000, late={(3, hosts[1]): late}, lost={(3, hosts[1]): lost} if lost else None)
        path = self.path("ring%d.pcap" % (late + lost))
        hosts[0].write(path, hosts[1:])
        return path

    def closed_window(self, times):
        return self.iwarp(lambda frames: with_closed_window(frames, 10 * MS) if times else frames)

    def test_each_rule_has_findings_only_above_its_threshold(self):
        made = {
            "bad_icrc": lambda: ((testdata("conn_bad-icrc.pcap"), "--check-icrc"), (testdata("conn_bad-icrc.pcap"),)),
            "remote_access_error": lambda: (self.refused(NAK_ACCESS, 1), self.refused(NAK_OPERATION, 1)),
            "terminated": lambda: (testdata("iwarp-verbmix-err-badread-crc.pcap"), testdata("iwarp-rping-v4-crc.pcap")),
            "invalid_request": lambda: (self.refused(NAK_INVALID, 1), self.refused(NAK_ACCESS, 1)),
            "operational_error": lambda: (self.refused(NAK_OPERATION, 1), self.refused(NAK_INVALID, 1)),
            "unanswered": lambda: (self.silent(1.1), self.silent(0.9)),
            "rpc_rejected": lambda: (testdata("rpc_error.pcap"), self.session()),
            "connect_unanswered": lambda: (self.set_up(1.1, 0, accepted=False), self.set_up(0.9, 0, accepted=False)),
            "cm_repeats": lambda: (self.set_up(0.5, 0, again=True), self.set_up(0.5, 0)),
            "slow_setup": lambda: (self.set_up(0.5, 0.5), self.set_up(0.5, 0.49)),
            "tcp_retransmissions": lambda: (self.segments_again(10), self.segments_again(9)),
            "bad_fpdu_crc": lambda: (self.damaged_fpdus(-10), self.damaged_fpdus(19)),
            "loss_cluster": lambda: (self.clustered(10, 8), self.clustered(9, 8)),
            "rejected": lambda: (testdata("roce-rping-reject.pcap"), RPING),
            "retransmissions": lambda: (self.again(10, 0.1), self.again(9, 0.1)),
            "timeouts": lambda: (self.again(3, 0.02), self.again(2, 0.02)),
            "rnr_waits": lambda: (self.sent_again_after(RNR, 3), self.sent_again_after(RNR, 2)),
            "nak_recoveries": lambda: (self.sent_again_after(NAK_SEQUENCE, 3), self.sent_again_after(NAK_SEQUENCE, 2)),
            "response_recoveries": lambda: (self.lacking(3), self.lacking(2)),
            "retries_exhausted": lambda: (self.tried(*[0.02] * 7), self.tried(*[0.02] * 6)),
            "rnr_given_up": lambda: (self.scheduled(rnr_to_the_end(1100 * MS)), self.scheduled(rnr_to_the_end(900 * MS))),
            "adaptive_retransmission": lambda: (self.tried(0.02, 0.04, 0.08), self.tried(0.02, 0.04, 0.05)),
            "sequence_naks": lambda: (self.refused(NAK_SEQUENCE, 5), self.refused(NAK_SEQUENCE, 4)),
            "rnr_naks": lambda: (self.refused(RNR, 3), self.refused(RNR, 2)),
            "read_restarts": lambda: (self.restarted(3), self.restarted(2)),
            "ce_without_cnp": lambda: (self.marked(10, False), self.marked(10, True)),
            "unreliable_loss": lambda: (testdata("conn_uc.pcap"), testdata("roce-perf-send-uc.pcap")),
            "rpc_unanswered": lambda: (self.session(answered=False), self.session()),
            "summed_connections": lambda: ((self.half_open(), "--max-memory", "1M"), self.half_open()),
            "rpc_errors": lambda: (self.session(10, 5), self.session(9, 5)),
            "rpc_latency": lambda: (self.session(3, 0, 0.051), self.session(3, 0, 0.049)),
            "congestion": lambda: (self.marked(10, True), self.marked(9, True)),
            "out_of_order": lambda: (self.swapped(10), self.swapped(9)),
            "rpc_credits": lambda: (self.session(under_way=128), self.session(under_way=127)),
            "traffic_class": lambda: (self.scheduled(talk(10, dscps=(26, 0))), self.scheduled(talk(9, dscps=(26, 0)))),
            "cnps": lambda: (self.scheduled(talk(9, cnps=[100])), self.scheduled(talk(9))),
            "loose_cnps": lambda: (self.scheduled(self.lone_cnps()), self.scheduled(talk(9, cnps=[100 * US]))),
            "cnp_storm": lambda: (self.scheduled(talk(9, cnps=[MS + i * MS for i in range(100)])),
                                  self.scheduled(talk(9, cnps=[MS + i * MS for i in range(99)]))),
            "cnp_ignored": lambda: (self.scheduled(talk(1000, ecn=2, cnps=[5 * MS * i + 1 for i in (1, 2, 3)])),
                                    self.scheduled(talk(1000, ecn=2, cnps=[5 * MS * i + 1 for i in (1, 2)]))),
            "pauses": lambda: (self.held_up(0), self.scheduled(talk(9))),
            "paused": lambda: (self.held_up(101), self.held_up(99)),
            "sampled": lambda: ((self.scheduled(talk(100), lambda index: index % 20 != 10), "--sampled"),
                                self.scheduled(talk(100), lambda index: index % 20 != 10)),
            "sprayed": lambda: (self.scheduled(talk(11, ports=(0xc001, 0xc002))), self.scheduled(talk(10, ports=(0xc001, 0xc002)))),
            "tcp_timeouts": lambda: (self.iwarp(lambda frames: with_timeouts(frames, 3, 300 * MS, True)),
                                     self.iwarp(lambda frames: with_timeouts(frames, 2, 300 * MS, True))),
            "tcp_fast_retransmits": lambda: (self.iwarp(lambda frames: with_fast_retransmits(frames, 3, 5 * MS, True)[0]),
                                             self.iwarp(lambda frames: with_fast_retransmits(frames, 2, 5 * MS, True)[0])),
            "slow_operations": lambda: (self.scheduled(slow_writes([MS] * 3 + [50 * MS])), self.scheduled(slow_writes([MS] * 3 + [49 * MS]))),
            "zero_windows": lambda: (self.closed_window(1), self.closed_window(0)),
            "operations_unanswered": lambda: self.jobs(storage_jobs.never_completed(1, 1.1), storage_jobs.never_completed(1, 0.9)),
            "keep_alives_unanswered": lambda: self.jobs(storage_jobs.keep_alive_unanswered(), storage_jobs.clean(10)),
            "device_errors": lambda: self.jobs(storage_jobs.media_errors(1), storage_jobs.clean(10)),
            "missed_keep_alives": lambda: self.jobs(storage_jobs.missed_keep_alive(5.1), storage_jobs.missed_keep_alive(4.9)),
            "aborts": lambda: self.jobs(storage_jobs.aborted(1), storage_jobs.clean(10)),
            "aborted": lambda: self.jobs(storage_jobs.aborted(1), storage_jobs.media_errors(1)),
            "slow_device": lambda: self.jobs(storage_jobs.slow_device(3, 0.051), storage_jobs.slow_device(2, 0.051)),
            "slow_network": lambda: self.jobs(storage_jobs.slow_network(0.051), storage_jobs.slow_network(0.049)),
            "operation_errors": lambda: self.jobs(storage_jobs.media_errors(10), storage_jobs.media_errors(9)),
            "operation_latency": lambda: self.jobs(storage_jobs.slow_device(1, 0.051), storage_jobs.slow_device(1, 0.049)),
            "uneven_queues": lambda: self.jobs(storage_jobs.uneven(99), storage_jobs.uneven(98)),
            "not_inline": lambda: self.jobs(storage_jobs.not_inline(100), storage_jobs.not_inline(99)),
            "straggler": lambda: (self.ring(late=2 * MS), self.ring(late=MS * 9 // 10)),
            "network_delays": lambda: (self.ring(lost=2 * MS), self.ring()),
            "receiver_late": lambda: (self.ring(late=2 * MS), self.ring()),
            "sender_late": lambda: (self.ring(late=2 * MS), self.ring()),
            "reconnects": lambda: self.scenes(smb.reconnected(False), smb.reconnected(True)),
            "credit_waits": lambda: self.scenes(smb.starved(0.0011), smb.starved(0.0007)),
            "last_credits": lambda: self.scenes(smb.echoes(14, False), smb.echoes(14, True)),
            "capture_loss": lambda: (testdata("conn_loss-acked.pcap"), testdata("conn_cm.pcap")),
        }
        self.assertEqual(set(self.documented()), set(made))
        for rule, make in made.items():
            for path, is_found in zip(make(), (True, False)):
                with self.subTest(rule, found=is_found):
                    arguments = path if isinstance(path, tuple) else (path,)
                    self.assertEqual(rule in self.rules(*arguments), is_found, arguments)

    def test_losses_cluster_only_where_there_was_time_and_most_are_close(self):
        for close, apart, pause, is_found in ((12, 8, 0.006, True), (20, 0, 0.006, False), (10, 10, 0.006, True), (10, 11, 0.006, False),
                                              (12, 8, 0.12, False), (12, 3, 0.006, False)):
            self.assertEqual("loss_cluster" in self.rules(self.clustered(close, apart, pause)), is_found, (close, apart, pause))
        found = self.rules(testdata("conn_loss-cluster.pcap"))["loss_cluster"]
        self.assertEqual([found[key] for key in ("count", "of", "direction", "first_frame", "last_frame", "time")],
                         [12, 20, "a>b", 29, 62, "1700000011.290280000"])
        self.assertIn("12 losses within one second, 60.0 % of 20 (22:13:31.290 to 31.466) [loss_cluster]",
                      " ".join(self.good("stats", testdata("conn_loss-cluster.pcap"), env={"TZ": "UTC"}).decode().split()))

    def test_connections_that_are_late_are_reported(self):
        found = self.stats(testdata("conn_cm-late.pcap"))["capture"][0]
        self.assertEqual([(found[key]["count"], found[key]["first_frame"], found[key]["last_frame"])
                          for key in ("cm_repeats", "cm_unanswered", "slow_setups")], [(4, 1, 31), (1, 29, 29), (1, 1, 1)])

    def test_segments_sent_again_stand_with_who_sent_them(self):
        there, back = self.stats(self.segments_again(9))["connection"][0]["directions"]
        self.assertEqual(there["events"]["retransmissions"]["count"], 9)
        self.assertGreater(there["repeated_payload"], 9 * 16)
        self.assertEqual((back["events"], back["repeated_payload"]), ({}, 0))

    def test_clean_captures_have_no_findings(self):
        for name in ("roce-rping-v4", "roce-rping-v6", "roce-rping-vlan", "roce-rcopy", "roce-perf-atomic-cs", "roce-perf-send-uc",
                     "roce-verbmix-rc-mtu256", "roce-nfs3-long", "roce-ucmatose", "conn_cm", "conn_v6", "conn_verbs", "conn_lengths",
                     "conn_many-reads", "conn_wrap", "iwarp-rping-v4", "iwarp-rping-v4-crc"):
            self.assertEqual(self.stats(testdata(name + ".pcap"))["finding"], [], name)

    def test_findings_stand_in_the_order_of_their_weight_and_are_numbered(self):
        for capture in captures():
            found = self.stats(capture)
            weights = [("error", "warning", "note").index(one["weight"]) for one in found["finding"]]
            self.assertEqual(weights, sorted(weights))
            self.assertEqual([one["rank"] for one in found["finding"]], list(range(1, len(weights) + 1)))
            self.assertEqual(found["capture"][0]["findings"], len(weights))

    def test_text_shows_the_ends(self):
        text = self.lines("stats", testdata("conn_naks.pcap"))
        self.assertTrue([line for line in text if re.match(
            r"  1\. 10\.0\.0\.1 -> 10\.0\.0\.2 #1: 1 NAK, remote access error \([:.\d]+\) \[remote_access_error\]",
            line)], text)
        self.assertEqual(text.index(" errors"), [line.startswith("  1. ") for line in text].index(True) - 1)

    def test_those_of_most_time_lost_stand_first(self):
        for capture in captures():
            for weight in ("error", "warning", "note"):
                lost = [one.get("time_lost", 0) for one in self.stats(capture)["finding"] if one["weight"] == weight]
                self.assertEqual(lost, sorted(lost, reverse=True), capture)

    def test_their_filters_match_their_packets(self):
        tried = collections.Counter()
        for capture in captures():
            for options in (), ("--check-icrc",):
                for one in self.stats(*options, capture)["finding"]:
                    frames = [int(line) for line in self.lines("-r", capture, "-T", "fields", "-e", "frame.number", "-Y", one["filter"], *options)]
                    self.assertTrue(frames, (capture, one))
                    if "first_frame" in one:
                        self.assertIn(one["first_frame"], frames, (capture, one))
                        self.assertIn(one["last_frame"], frames, (capture, one))
                    tried[one["rule"]] += 1
        self.assertGreater(len(tried), 25)

    def test_the_commands_of_text_print_packets(self):
        """The command as parsed by a shell, for file names that need quotes."""
        with open(testdata("conn_naks.pcap"), "rb") as f:
            content = f.read()
        for name in ("naks.pcap", "with blank.pcap", "it's.pcap", "two\nlines'.pcap", "-dash", "a$(b)`c`.pcap"):
            path = os.path.join(self.directory, name)
            with open(path, "wb") as f:
                f.write(content)
            text = self.good("stats", "-r", path, "--explain", "all").decode().replace(" \\\n      ", "")
            commands = [line.strip() for line in text.splitlines() if line.startswith("     rdmatap ")]
            self.assertEqual(len(commands), 9)
            for command in commands:
                shell = subprocess.run(["bash", "-c", command.replace("rdmatap", shlex.quote(PROGRAM), 1)], capture_output=True)
                self.assertEqual((shell.returncode, shell.stderr), (0, b""), command)
                self.assertTrue(shell.stdout, command)

    def test_every_rule_is_explained(self):
        text = self.good("stats", "--explain", "list").decode()
        with open(os.path.join(TESTS, "..", "doc", "stats.md")) as f:
            rules = re.findall(r"^\| `(\w+)` \| (\w+)", f.read().partition("| rule |")[2], re.M)
        self.assertGreater(len(rules), 40)
        self.assertEqual(re.findall(r"^(\w+) \((\w+)\)$", text, re.M), rules)
        one = self.good("stats", "--explain", "timeouts").decode()
        self.assertIn(one, text)
        for word in ("IBTA vol. 1, 9.7.6.1.3", "Local ACK Timeout", "raised:   from 1"):
            self.assertIn(word, one)
        self.bad("--explain nothing: no such rule (--explain all prints all)", "stats", "--explain", "nothing")
        self.bad("--explain prints text (findings in JSON and CSV have cause, next and filter)", "stats", "--explain", "all", "--json", testdata("conn_naks.pcap"))

    def test_the_findings_of_a_rule_have_cause_and_filter(self):
        for capture in map(testdata, ("conn_naks.pcap", "roce-nfs3-write-lost.pcap.gz", "conn_rnr.pcap", "conn_loss-cluster.pcap")):
            found = collections.Counter(one["rule"] for one in self.stats(capture)["finding"])
            text = self.good("stats", "--explain", "all", capture).decode()
            named = collections.Counter(re.findall(r"^  +\d+\. (?:.*\n     )?.*\[(\w+)\]$", text, re.M))
            self.assertEqual(named, found, capture)
            self.assertEqual(text.count("\n     rdmatap "), sum(found.values()), capture)
            for rule, count in list(found.items())[:2]:
                one = self.good("stats", "--explain", rule, capture).decode()
                self.assertTrue(one.startswith(rule + " ("), one)
                self.assertEqual(one.count("\n     rdmatap "), count, one)
        self.assertIn("No findings of this rule", self.good("stats", "--explain", "bad_icrc", testdata("conn_naks.pcap")).decode())


class Tables(StatsTest):
    def tables(self, *arguments):
        """The tables of the text: title to rows of cells by heading. Cells are separated by two blanks."""
        found, rows = {}, None
        lines = self.lines("stats", *arguments)
        for before, line in zip([""] + lines, lines):
            if line.startswith("  ") and rows is not None:
                rows.append(line)
            else:
                rows = None
            if not before and line:
                rows = found[line] = []
        return found

    def test_lines_fit_the_terminal(self):
        for capture in captures():
            for options in ((), ("--connection", "all", "--interval", "1"), ("--sort", "latency", "--top", "1000"), ("--explain", "all")):
                for line in self.lines("stats", *options, capture):
                    self.assertTrue(len(line) <= 120 or (options and line.startswith("       -Y ")), (capture, line))

    def test_numbers_are_aligned_to_the_right(self):
        for capture in captures():
            for title, rows in self.tables(capture).items():
                for row in rows[1:] if "onnections" in title or "pairs" in title else ():
                    heading = rows[0]
                    for name in ("packets", "bytes", "payload", "retrans."):
                        end = heading.find(name) + len(name)
                        if name in heading and row[end - 1:end].strip():
                            self.assertEqual(row[end:end + 2].strip(), "", (capture, row))

    def test_zero_values_are_omitted(self):
        for capture in captures():
            for line in self.lines("stats", capture):
                if line.startswith("  ") and not re.match(r"   ? ?\d+\. |     |  Likely", line):
                    self.assertIsNone(re.search(r"(?<![\w.:])(?<!lid )0 (?:[KMG]?B|[munk]?s|%|[kMG]?b/s)?(?: |$)", line), (capture, line))

    def test_connections_are_those_of_json_in_the_requested_order(self):
        def lost(row):
            return round(sum(direction["time_lost"] for direction in row["directions"]), 9)

        def sent_again(row):
            return sum(direction["events"].get("retransmissions", {"count": 0})["count"] for direction in row["directions"])

        keys = {"bytes": lambda row: sum(d["bytes"] for d in row["directions"]), "packets": lambda row: sum(d["packets"] for d in row["directions"]),
                "time-lost": lost, "retransmissions": sent_again}
        for capture in ("roce-nfs3-long.pcap", "conn_naks.pcap", "read-responses-lost.pcap.gz", "roce-v2-opcodes.pcap"):
            rows = [row for row in self.stats(testdata(capture))["connection"] if "connection" in row]
            for name, key in keys.items():
                expected = [row["connection"] for row in sorted(rows, key=lambda row: (-key(row), row["connection"]))]
                for top in (1, 3, 1000):
                    tables = self.tables("--sort", name, "--top", str(top), testdata(capture))
                    found, = [table for title, table in tables.items() if title.startswith("Connections by ")]
                    self.assertEqual([int(line.split()[0]) for line in found[1:]], expected[:top], (capture, name))

    def test_a_connection_is_shown_in_full(self):
        text = self.lines("stats", "--connection", "3", testdata("roce-nfs3-long.pcap"))
        self.assertEqual([line for line in text if line.startswith("#")], ["#3 RC a 10.0.0.2 qp 0x000011, b 10.0.0.1 qp 0x000011, NFS v3"])
        self.assertIn("    17 RPC calls, 17 answered, at most 1 under way; credits granted 64-64", text)
        everything = self.lines("stats", "--connection", "all", testdata("roce-nfs3-long.pcap"))
        self.assertEqual([line[:2] for line in everything if line.startswith("#")], ["#%d" % number for number in range(1, 7)])
        self.assertEqual(everything[:8], self.lines("stats", testdata("roce-nfs3-long.pcap"))[:8])
        self.bad("--connection 9: no such connection", "stats", "--connection", "9", testdata("roce-nfs3-long.pcap"))
        for form in (("--json",), ("-T", "csv", "--type", "connection"), ("-e", "packets", "--type", "connection")):
            self.bad("--top, --sort and --connection are for text", "stats", *form, "--top", "3", RPING)
        self.bad("--sort size: no such order", "stats", "--sort", "size", RPING)


if __name__ == "__main__":
    unittest.main()
