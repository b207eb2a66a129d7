# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap stats: the command line, and numbers against those of messages, connections and -T fields."""
import collections
import json
import random
import unittest

import capfile
import worst_cases
from cli import RPING, captures
from stats import CONGESTION, StatsTest, readable, sound, testdata
from wire_schedule import US


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
        self.assertEqual(self.lines("stats", testdata("empty.pcap"))[-1], "Nothing to assess: no packets of RDMA or ONC RPC")

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


if __name__ == "__main__":
    unittest.main()
