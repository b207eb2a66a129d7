# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Recoveries by cause and the time lost to them, against schedules that are known."""
import json
import unittest

from cli import CliTest
from wire_schedule import MS, US, Loss, Schedule, Talk

DIRECTIONS = {"A": "a>b", "B": "b>a"}


class Case(CliTest):
    def stats(self, path):
        return [json.loads(line) for line in self.lines("stats", "--json", path)]

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
                shown = {one["psn"]: one for one in messages if one["connection"] == row["connection"] and "psn" in one and
                         one["direction"] == found["direction"]}
                for (requester, psn), causes in talk.messages.items():
                    if requester != sender:
                        continue
                    lost = sum(causes.values()) / 1e9
                    self.assertAlmostEqual(shown[psn].get("time_lost", 0), lost, delta=lost / 100, msg=(sender, psn, causes))

    def each(self, script, **options):
        """The script by senders that count their IP identifications, and by some that do not."""
        for counts_ids in (True, False):
            schedule = Schedule()
            talk = Talk(schedule, counts_ids=counts_ids, **options)
            # what comes first tells who talks with whom
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

    def test_packets_that_a_nak_asks_for(self):
        for seen in (False, True):
            for kind in ("write", "send"):
                self.both(lambda talk, sender: [talk.data(sender, kind, 8, [Loss(at, "sequence_nak", wait, seen)])
                                                for at, wait in ((0, 2 * MS), (3, 1 * MS), (6, 5 * MS))])

    def test_last_packets_and_acknowledgements_that_are_lost(self):
        """What was lost before the capture, and nothing after it, looks new when it is sent again; so it was lost after it."""
        for kind in ("write", "send"):
            self.both(lambda talk, sender: [talk.data(sender, kind, packets, [Loss(packets - 1, "timeout", wait, True)])
                                            for packets, wait in ((1, 600 * MS), (2, 2000 * MS), (9, 700 * MS))])
            self.both(lambda talk, sender: [talk.data(sender, kind, packets, [Loss(0, "timeout", wait, True)])
                                            for packets, wait in ((1, 600 * MS), (5, 700 * MS))])

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
        """IBTA vol. 1, 9.7.5.2.8: the timer's code is the least time to wait; 0 is 655.36 ms."""
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


if __name__ == "__main__":
    unittest.main()
