# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Recoveries by cause and the time lost to them, against known schedules."""
import json
import random
import re
import unittest

from cli import CliTest
from wire_schedule import (ACK, ATOMIC_ACK, COMPARE_SWAP, MS, MTU, READ_FIRST, READ_LAST, READ_MIDDLE, READ_REQUEST, READ_RESPONSE_ONLY, SEND_ONLY,
                           US, WRITE_FIRST, WRITE_LAST, WRITE_MIDDLE, WRITE_ONLY, IwarpTalk, Loss, Schedule, Talk)

CAUSES = ("sequence_nak", "implied_nak", "rnr", "timeout")


class Case(CliTest):
    def stats(self, path):
        one, three = (self.lines("stats", "--json", "--threads", threads, path) for threads in "13")
        self.assertEqual(one, three)
        return [json.loads(line) for line in one]

    def findings(self, path):
        return {one["rule"]: one for one in reversed(self.stats(path)) if one["type"] == "finding"}


class Recoveries(Case):
    def compare(self, schedule, talks, unseen=lambda *loss: False):
        path = schedule.write_pcap(self.path("talk.pcap"))
        rows = [one for one in self.stats(path) if one["type"] == "connection"]
        self.assertEqual(len(rows), len(talks))
        messages = [json.loads(line) for line in self.lines("messages", "--json", path)]
        for row, talk in zip(rows, talks):
            names = {row["a"]["addr"]: "a", row["b"]["addr"]: "b"}
            for sender, address in (("A", "10.9.0.1"), ("B", "10.9.0.2")):
                found = row["directions"][names[address] == "b"]
                truth = {cause: there for (requester, cause), there in talk.lost.items() if requester == sender}
                self.assertEqual({cause: one["count"] for cause, one in found["recoveries"].items()},
                                 {cause: count for cause, (count, _) in truth.items()})
                for cause, (_, lost) in truth.items():
                    self.assertAlmostEqual(found["recoveries"][cause]["time_lost"] / (lost / 1e9), 1, delta=0.01, msg=cause)
                self.assertAlmostEqual(found["time_lost"], sum(one["time_lost"] for one in found["recoveries"].values()), places=8)
                shown = {one["psn"]: one for one in messages if one.get("connection") == row["connection"] and "psn" in one and
                         one["direction"] == found["direction"]}
                for (requester, psn), causes in talk.messages.items():
                    if requester != sender:
                        continue
                    lost = sum(causes.values()) / 1e9
                    self.assertAlmostEqual(shown[psn].get("time_lost", 0), lost, delta=lost / 100, msg=(sender, psn, causes))
                    self.assertEqual(shown[psn].get("lost_to", []), [cause for cause in CAUSES if cause in causes], (sender, psn))

    def each(self, script, **options):
        """The script, with senders that increment their IP identifications and senders that do not."""
        for counts_ids in (True, False):
            schedule = Schedule()
            talk = Talk(schedule, counts_ids=counts_ids, **options)
            # the first packets pair the two ends
            for sender in "AB":
                talk.data(sender, "send", 1)
            script(talk)
            for sender in "AB":
                talk.data(sender, "send", 1)
            with self.subTest(counts_ids=counts_ids):
                self.compare(schedule, [talk])

    def both(self, script, **options):
        """By either end."""
        for sender in "AB":
            with self.subTest(sender=sender):
                self.each(lambda talk: script(talk, sender), **options)

    def test_packets_that_a_nak_requests(self):
        for seen in (False, True):
            for kind in ("write", "send"):
                self.both(lambda talk, sender: [talk.data(sender, kind, 8, [Loss(at, "sequence_nak", wait, seen)])
                                                for at, wait in ((0, 2 * MS), (3, 1 * MS), (6, 5 * MS))])

    def test_last_packets_and_acknowledgements_that_are_lost(self):
        """A packet lost before the capture point would look new when retransmitted; so these were lost after it."""
        for kind in ("write", "send"):
            self.both(lambda talk, sender: [talk.data(sender, kind, packets, [Loss(packets - 1, "timeout", wait, True)])
                                            for packets, wait in ((1, 600 * MS), (2, 2000 * MS), (9, 700 * MS))])
            self.both(lambda talk, sender: [talk.data(sender, kind, packets, [Loss(0, "timeout", wait, True)])
                                            for packets, wait in ((1, 600 * MS), (5, 700 * MS))])

    def test_payload_of_which_only_the_retransmission_was_captured(self):
        """The receiver had the whole SEND or WRITE, but the requester missed the acknowledgement, and the capture one packet."""
        for kind in ("write", "send"):
            for wait in (300 * MS, 900 * MS, 1900 * MS):
                schedule = Schedule()
                talk = Talk(schedule)
                for sender in "AB":
                    talk.data(sender, "send", 1)
                captured = len(schedule.frames)
                psn = talk.data("A", kind, 5)
                talk.time, talk.psn["A"] = talk.time + wait, psn
                talk.data("A", kind, 5)
                path = schedule.write_pcap(self.path("missed.pcap"), lambda index: index != captured + 2)
                row = next(one for one in self.stats(path) if one["type"] == "connection")
                sent = row["directions"][row["a"]["addr"] != "10.9.0.1"]
                self.assertEqual((sent["payload"], sent["repeated_bytes"]), (6 * MTU, 4 * MTU), (kind, wait))

    def test_acknowledgements_that_are_lost_after_the_capture_point(self):
        """The requester sends again what was acknowledged in the capture, also what it sent long before the last acknowledgement."""
        for acknowledged in (10, 30, 40):
            schedule = Schedule()
            talk = Talk(schedule)
            for sender in "AB":
                talk.data(sender, "send", 1)
            begin, first = talk.time, talk.psn["A"]
            for number in range(40):
                talk.data("A", "send", 1, answered=False)
                if number + 1 == acknowledged:
                    talk.put("B", ACK, first + number)
            talk.time, talk.psn["A"] = begin + 600 * MS, first
            for _ in range(40):
                talk.data("A", "send", 1, answered=False)
            talk.put("B", ACK, first + 39)
            row = next(one for one in self.stats(schedule.write_pcap(self.path("acks.pcap"))) if one["type"] == "connection")
            sent = row["directions"][row["a"]["addr"] != "10.9.0.1"]
            self.assertEqual({cause: (one["count"], round(one["time_lost"], 2)) for cause, one in sent["recoveries"].items()}, {"timeout": (1, 0.6)}, acknowledged)

    def test_requests_of_reads_that_are_lost(self):
        self.both(lambda talk, sender: [talk.read(sender, packets, [Loss(0, "timeout", wait)] * times)
                                        for packets, times, wait in ((1, 1, 600 * MS), (8, 1, 800 * MS), (8, 3, 700 * MS))])

    def test_responses_of_reads_that_are_lost(self):
        for seen in (False, True):
            self.both(lambda talk, sender: [talk.read(sender, 8, [Loss(at, "implied_nak", wait, seen)])
                                            for at, wait in ((0, 3 * MS), (3, 2 * MS), (6, 20 * MS))])
            self.both(lambda talk, sender: [talk.read(sender, packets, [Loss(at, "timeout", 900 * MS, seen)])
                                            for packets, at in ((1, 0), (8, 7), (8, 2), (8, 0))])

    def test_atomics(self):
        for seen in (False, True):
            self.both(lambda talk, sender: [talk.atomic(sender, [Loss(0, "timeout", 900 * MS, seen)] * times) for times in (1, 3)])

    def test_receivers_that_are_not_ready(self):
        """IBTA vol. 1, 9.7.5.2.8: the timer's code is the minimum time to wait; 0 is 655.36 ms."""
        for code, least in ((0, 655360 * US), (1, 10 * US), (14, 1280 * US), (31, 491520 * US)):
            self.both(lambda talk, sender: talk.data(sender, "send", 2, [Loss(0, "rnr", least + 300 * US, True)] * 4, timer=code))

    def test_several_recoveries_in_one_message(self):
        for seen in (False, True):
            self.both(lambda talk, sender: talk.data(sender, "write", 20, [
                Loss(2, "sequence_nak", 2 * MS, seen), Loss(9, "sequence_nak", 3 * MS, seen), Loss(9, "timeout", 800 * MS, seen),
                Loss(15, "sequence_nak", 1 * MS, seen)]))
            self.both(lambda talk, sender: talk.read(sender, 20, [
                Loss(2, "implied_nak", 2 * MS, seen), Loss(9, "timeout", 800 * MS, seen), Loss(9, "timeout", 900 * MS, seen),
                Loss(15, "implied_nak", 1 * MS, seen), Loss(19, "timeout", 700 * MS, seen)]))

    def test_requests_of_several_messages_sent_again_from_the_lost_one_on(self):
        """Four WRITEs in flight, of which the second lacks a packet: the time lost counts once, for the first WRITE that is retransmitted."""
        schedule = Schedule()
        talk = Talk(schedule)
        for sender in "AB":
            talk.data(sender, "send", 1)
        begin = talk.time
        for seen, again in ((False, None), (True, 5 * MS), (True, 900 * MS)):
            talk.time = begin if again is None else max(begin + again, talk.time)
            for at in range(16) if again is None else range(5, 16):
                if at == 5 and again is None:
                    lost_at = talk.time
                if at != 5 or seen:
                    talk.put("A", (WRITE_FIRST, WRITE_MIDDLE, WRITE_MIDDLE, WRITE_LAST)[at % 4], talk.psn["A"] + at, 256, dma=1024)
                talk.time += US
            if again is None:
                talk.put("B", ACK, talk.psn["A"] + 5, syndrome=0x60)
            begin = begin if again is None else lost_at
        for i in range(4):
            talk.take("A", 4)
        talk.put("B", ACK, talk.psn["A"] - 1)
        first = (talk.psn["A"] - 12) & 0xffffff
        talk.messages["A", first].update(sequence_nak=5 * MS, timeout=895 * MS)
        talk.lost["A", "sequence_nak"][:] = 1, 5 * MS
        talk.lost["A", "timeout"][:] = 1, 895 * MS
        self.compare(schedule, [talk])

    def test_a_lost_response_after_which_many_others_come(self):
        """The first READ lacks its last response; the responses of the others, more packets than can be in flight at once, precede its restart."""
        schedule = Schedule()
        talk = Talk(schedule)
        for sender in "AB":
            talk.data(sender, "send", 1)
        for i in range(8):
            psn = talk.take("A", 20)
            talk.put("A", READ_REQUEST, psn, dma=20 * 256)
            talk.time += 400 * US
            for at in range(20 if i else 19):
                talk.put("B", (READ_FIRST if at == 0 else READ_LAST if at == 19 else READ_MIDDLE), psn + at, 256)
                talk.time += US
            last = last if i else talk.time - US
        talk.time = last + 12 * MS
        for i in range(8):
            talk.put("A", READ_REQUEST, psn + 20 * (i - 7) + (0 if i else 19), dma=(20 if i else 1) * 256, offset=0 if i else 19 * 256)
        talk.time += US
        talk.put("B", READ_RESPONSE_ONLY, psn - 140 + 19, 256)
        first = psn - 140
        talk.messages["A", first & 0xffffff].update(implied_nak=12 * MS)
        talk.lost["A", "implied_nak"][:] = 1, 12 * MS
        self.compare(schedule, [talk])

    def test_timers_distinguish_time_outs_from_naks(self):
        """NAKs lost after the capture point, with and without the timer from communication management."""
        for ack_timeout, wait in ((14, 80 * MS), (10, 5 * MS), (None, 600 * MS)):
            schedule = Schedule()
            talk = Talk(schedule)
            if ack_timeout:
                talk.connect(ack_timeout)
            for sender in "AB":
                talk.data(sender, "send", 1)
            talk.data("A", "write", 8, [Loss(3, "timeout", wait, False, True)] * 3)
            self.compare(schedule, [talk])

    def test_a_time_out_after_a_later_response_that_was_lost(self):
        """The restart of a READ is lost, and so is the response that shows it: the requester waits for its timer, 67 ms."""
        for kind in (READ_REQUEST, COMPARE_SWAP):
            schedule = Schedule()
            talk = Talk(schedule).connect(14)
            for sender in "AB":
                talk.data(sender, "send", 1)
            psn = talk.take("A", 2)
            for wait in (0, 50 * US, 67102 * US):
                talk.time += wait
                talk.put("A", kind, psn, dma=MTU)
                talk.put("A", SEND_ONLY, psn + 1, MTU, ack=True)
                talk.time += 10 * US
                if wait > MS:
                    talk.put("B", ATOMIC_ACK if kind == COMPARE_SWAP else READ_RESPONSE_ONLY, psn, 0 if kind == COMPARE_SWAP else MTU)
                talk.put("B", ACK, psn + 1)
            path = schedule.write_pcap(self.path("talk.pcap"))
            found = [one for one in self.stats(path) if one["type"] == "connection"][0]["directions"][0]["recoveries"]
            self.assertEqual({cause: one["count"] for cause, one in found.items()}, {"implied_nak": 1, "timeout": 1})
            self.assertAlmostEqual(found["timeout"]["time_lost"], 0.0671, delta=0.0001)

    def test_nothing_is_lost_where_nothing_was(self):
        self.both(lambda talk, sender: (talk.data(sender, "write", 20), talk.read(sender, 20), talk.atomic(sender)))

    def test_both_directions_and_several_connections_at_once(self):
        schedule, talks = Schedule(), []
        for i in range(6):
            talk = Talk(schedule, 0x100 + i, 0x200 + i, begin=i * 300)
            for sender in "ABAB":
                talk.data(sender, "send", 1)
            for n, sender in enumerate("ABBA" * 3):
                wait = (2 + n + i) * MS
                talk.data(sender, "write", 8, [Loss(n % 7, "sequence_nak", wait, bool(n & 1))])
                talk.read(sender, 8, [Loss(n % 7, "implied_nak", wait, bool(n & 1)), Loss(7, "timeout", 600 * MS + wait, bool(n & 1))])
                talk.data(sender, "send", 1, [Loss(0, "rnr", 2 * wait, True)], timer=14)
                talk.atomic(sender, [Loss(0, "timeout", 700 * MS)])
            talk.data("A", "send", 1)
            talks.append(talk)
        self.compare(schedule, talks)


class Tcp(Case):
    """Recoveries of TCP under iWARP, in statistics, messages and operations alike."""

    def compare(self, script):
        schedule = Schedule()
        talk = IwarpTalk(schedule)
        script(talk)
        for _ in range(3):
            talk.rpc()
        path = schedule.write_pcap(self.path("iwarp.pcap"))
        row, = (one for one in self.stats(path) if one["type"] == "connection")
        messages = [json.loads(line) for line in self.lines("messages", "--json", path)]
        operations = [json.loads(line) for line in self.lines("operations", "--json", path)]
        self.assertTrue(all(one["complete"] for one in messages if not one["kind"].startswith("rpc")))
        self.assertEqual(len(operations), talk.number)
        for sender, found in zip("AB", row["directions"]):
            self.assertEqual({cause: round(one["time_lost"], 6) for cause, one in found["recoveries"].items()},
                             {cause: lost / 1e9 for (who, cause), lost in talk.lost.items() if who == sender})
        self.assertAlmostEqual(sum(one.get("time_lost", 0) for one in messages if not one["kind"].startswith("rpc")),
                               sum(one["time_lost"] for one in row["directions"]), places=5)
        for number in range(1, talk.number + 1):
            lost = {part: talk.parts[number, part] / 1e9 for part in talk.PARTS}
            read, = (one for one in messages if one.get("r_key") == 0x100 + number)
            write, = (one for one in messages if one.get("r_key") == 0x200 + number)
            call, = (one for one in messages if one["kind"] == "rpc_call" and one["xid"] == 0x5000 + number)
            reply, = (one for one in messages if one["kind"] == "rpc_reply" and one["xid"] == 0x5000 + number)
            self.assertAlmostEqual(read.get("time_lost", 0), lost["request"] + lost["response"], places=6)
            self.assertAlmostEqual(write.get("time_lost", 0), lost["write"], places=6)
            self.assertAlmostEqual(call.get("time_lost", 0), lost["call"] + lost["request"] + lost["response"], places=6)
            self.assertAlmostEqual(reply.get("time_lost", 0), lost["write"] + lost["reply"], places=6)
            self.assertAlmostEqual(operations[number - 1].get("time_lost", 0), sum(lost.values()), places=6)
        return row, messages, operations

    def test_time_outs_of_each_message_of_an_rpc(self):
        for part, (_, segments) in IwarpTalk.PARTS.items():
            with self.subTest(part=part):
                loss = Loss(segments - 1, "timeout", 250 * MS, True)
                row, messages, operations = self.compare(lambda talk: (talk.rpc(), talk.rpc({part: loss}), talk.rpc()))
                self.assertEqual([one["repeats"] for one in operations], [0, 1] + [0] * 4)
                self.assertEqual(sum(one["repeats"] for one in messages if not one["kind"].startswith("rpc")), 1)

    def test_holes_that_the_receiver_reports(self):
        for part in ("response", "write"):
            for seen in (False, True):
                with self.subTest(part=part, seen=seen):
                    _, _, operations = self.compare(lambda talk: (talk.rpc(), talk.rpc({part: Loss(1, "fast_retransmit", 7 * MS, seen)})))
                    self.assertEqual(operations[1]["repeats"], int(seen))

    def test_windows_that_close_within_a_message(self):
        for part in ("response", "write"):
            with self.subTest(part=part):
                _, messages, _ = self.compare(lambda talk: (talk.rpc(), talk.rpc({part: Loss(2, "zero_window", 30 * MS)})))
                self.assertEqual({tuple(one["lost_to"]) for one in messages if "lost_to" in one}, {("zero_window",)})

    def test_several_losses_in_one_rpc(self):
        losses = {"call": Loss(0, "timeout", 300 * MS, True), "response": Loss(2, "fast_retransmit", 9 * MS, True),
                  "write": Loss(3, "timeout", 400 * MS, True), "reply": Loss(0, "timeout", 210 * MS, True)}
        row, messages, operations = self.compare(lambda talk: (talk.rpc(losses), talk.rpc(losses)))
        self.assertEqual(operations[0]["repeats"], 4)
        self.assertEqual(sorted(next(one for one in messages if one["kind"] == "rpc_call")["lost_to"]), ["fast_retransmit", "timeout"])

    def test_packets_that_begin_and_end_a_recovery(self):
        self.compare(lambda talk: talk.rpc({"write": Loss(1, "fast_retransmit", 7 * MS, True)}))
        rows = self.lines("-r", self.path("iwarp.pcap"), "-T", "fields", "-e", "rdmatap.recovery", "-e", "rdmatap.time_lost", "-Y",
                          "rdmatap.recovery or rdmatap.time_lost")
        self.assertEqual([row.split("\t") for row in rows], [["fast_retransmit", ""], ["", "0.007000000"]])


class Findings(Case):
    def of(self, script, ack_timeout=17, **options):
        schedule = Schedule()
        talk = Talk(schedule)
        if ack_timeout:
            talk.connect(ack_timeout, **options)
        for sender in "AB":
            talk.data(sender, "send", 1)
        script(talk)
        self.capture = schedule.write_pcap(self.path("talk.pcap"))
        return self.findings(self.capture)

    def text(self, rule):
        text = " ".join("\n".join(self.lines("stats", "--explain", "all", self.capture)).split())
        finding, = [found for found in re.findall(r"\d+\. .*? \[\w+\]", text) if found.endswith("[%s]" % rule)]
        return finding

    def test_time_outs_have_their_cost_and_the_negotiated_value(self):
        found = self.of(lambda talk: [talk.data("A", "write", 4, [Loss(0, "timeout", 540 * MS, True)]) for _ in range(6)])
        self.assertIn("3.24 s of 3.24 s lost to 6 timeouts, 540 ms apart; CM asked for 537 ms (Local ACK Timeout 17, retry count 7)",
                      self.text("timeouts"))
        self.assertEqual((found["timeouts"]["ack_timeout"], found["timeouts"]["retry_count"]), (17, 7))
        self.assertFalse({"adaptive_retransmission", "retries_exhausted"} & set(found))

    def test_spacing_that_doubles_is_adaptive(self):
        found = self.of(lambda talk: talk.data("A", "write", 4, [Loss(0, "timeout", wait * MS, True) for wait in (100, 200, 400, 800)]))
        self.assertEqual(found["adaptive_retransmission"]["count"], 3)
        self.assertIn("100 ms to 800 ms apart", self.text("timeouts"))

    def test_retries_are_used_up_when_as_many_as_cm_agreed_on_had_no_answer(self):
        for retries, used_up in ((6, False), (7, True)):
            found = self.of(lambda talk: talk.data("A", "write", 4, [Loss(0, "timeout", 540 * MS, True)] * retries, answered=False))
            self.assertEqual("retries_exhausted" in found, used_up)
        found = self.of(lambda talk: talk.data("A", "write", 4, [Loss(0, "timeout", 540 * MS, True)] * 2, answered=False), retry_count=2)
        self.assertEqual((found["retries_exhausted"]["count"], found["retries_exhausted"]["weight"]), (2, "error"))
        self.assertNotIn("retries_exhausted", self.of(lambda talk: talk.data("A", "write", 4, [Loss(0, "timeout", 540 * MS, True)] * 7)))

    def test_rnr_findings_have_the_requested_wait(self):
        """IBTA vol. 1, table 46: code 0 is 655.36 ms."""
        found = self.of(lambda talk: talk.data("A", "send", 1, [Loss(0, "rnr", 660 * MS, True)], timer=0))
        self.assertEqual((found["rnr_waits"]["weight"], found["rnr_waits"]["asked"]), ("warning", 0.65536))
        self.assertIn("660 ms of 660 ms lost to 1 RNR NAK; RNR timers asked for 655 ms", self.text("rnr_waits"))
        self.assertNotIn("rnr_given_up", found)

    def refused(self, talk, silence, closed=False):
        """Three retransmissions after RNR NAKs, a fourth NAK, then silence of this end."""
        psn = talk.data("A", "send", 1, [Loss(0, "rnr", 2 * MS, True)] * 3, answered=False, timer=14)
        talk.put("B", ACK, psn, syndrome=0x20 | 14)
        talk.time += silence
        if closed:
            talk.disconnect()
        talk.data("B", "write", 1)

    def test_a_send_is_given_up_for_rnr_only_if_the_capture_shows_that(self):
        self.assertNotIn("rnr_given_up", self.of(lambda talk: self.refused(talk, 500 * MS)))
        for options in ({"silence": 1100 * MS}, {"silence": 10 * MS, "closed": True}):
            found = self.of(lambda talk: self.refused(talk, **options))
            self.assertEqual((found["rnr_given_up"]["count"], found["rnr_given_up"]["weight"]), (1, "error"), options)
        for retries, given_up in ((3, True), (4, False)):
            found = self.of(lambda talk: self.refused(talk, 10 * MS), rnr_retry_count=retries)
            self.assertEqual("rnr_given_up" in found, given_up)

    def test_recoveries_long_after_their_nak_may_be_time_outs(self):
        found = self.of(lambda talk: [talk.data("A", "write", 8, [Loss(2, "sequence_nak", wait * MS)]) for wait in (1, 2, 3, 40, 50)])
        self.assertEqual((found["nak_recoveries"]["count"], found["nak_recoveries"]["late"]), (5, 2))
        self.assertIn("; 2 began more than 4 ms after the NAK, and may be timeouts if it was lost", self.text("nak_recoveries"))
        found = self.of(lambda talk: [talk.data("A", "write", 8, [Loss(2, "sequence_nak", 1 * MS)]) for _ in range(5)])
        self.assertNotIn("late", found["nak_recoveries"])


class Latencies(Case):
    def slow(self, latencies, operation):
        """Operations of A whose responses take so many nanoseconds."""
        schedule = Schedule()
        talk = Talk(schedule)
        for sender in "AB":
            talk.data(sender, "send", 1)
        for latency in latencies:
            psn = talk.take("A", 1)
            talk.put("A", {"write": WRITE_ONLY, "read": READ_REQUEST, "send": SEND_ONLY, "atomic": COMPARE_SWAP}[operation], psn,
                     0 if operation in ("read", "atomic") else 64, dma=64)
            talk.time += latency
            talk.put("B", {"read": READ_RESPONSE_ONLY, "atomic": ATOMIC_ACK}.get(operation, ACK), psn, 64 if operation == "read" else 0)
            talk.time += US
        return schedule.write_pcap(self.path("slow.pcap"))

    def test_slow_operations_are_found_with_few_samples(self):
        for operation in ("write", "read", "send", "atomic"):
            for latencies, count in (([1 * MS, 1 * MS, 51 * MS], 1), ([10 * US] * 4 + [49 * MS], 0), ([2 * MS] * 3 + [99 * MS], 0),
                                     ([2 * MS] * 3 + [100 * MS], 1), ([US] * 50 + [60 * MS] * 3, 3), ([1 * MS], 0)):
                found = [one for one in self.stats(self.slow(latencies, operation)) if one["type"] == "finding" and
                         one["rule"] == "slow_operations"]
                self.assertEqual([one["count"] for one in found], [count] * (count > 0), (operation, latencies))
                if found:
                    self.assertEqual((found[0]["kind"], found[0]["longest_latency"], found[0]["direction"]), (operation, max(latencies) / 1e9, "a>b"))
                    self.assertEqual(found[0]["first_frame"], 5 + 2 * latencies.index(max(latencies)))

    def test_percentiles_of_4096_values_are_members_of_the_data(self):
        choice = random.Random(7)
        for operation in ("write", "read"):
            latencies = [choice.randrange(1000, 10 ** 6) for _ in range(4096)]
            rows = [one for one in self.stats(self.slow(latencies, operation)) if one["type"] == "connection"]
            found, = [one for one in rows[0]["directions"][0]["operations"] if one["kind"] == operation]
            ordered = sorted(latencies)
            for key, permille in (("p50", 500), ("p90", 900), ("p99", 990), ("p999", 999)):
                self.assertEqual(round(found["latency"][key] * 1e9), ordered[-(-4096 * permille // 1000) - 1])


if __name__ == "__main__":
    unittest.main()
