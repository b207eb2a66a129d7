# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap stats: numbers of captures whose truth is known from elsewhere: a schedule, a generator, a count by hand."""
import json
import os
import re
import unittest

import capfile
import nfs
from cli import captures, read, records
from conversation import Scene
from session import Session
from stats import CONGESTION, NAK_SEQUENCE, RNR, StatsTest, testdata


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
        self.assertEqual(capture["rejects"], [{"reason": 8, "reason_name": "invalid service ID", "count": 1, "first_frame": 4, "last_frame": 4}])
        self.assertIn("1 connection rejected with reason 8: invalid service ID (frame 4)", self.lines("stats", testdata("roce-rping-reject.pcap")))
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


if __name__ == "__main__":
    unittest.main()
