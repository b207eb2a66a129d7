# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Verdicts, delays and stragglers of random NCCL jobs, against a model in which every rank, slot and packet has its time (generate/nccl_steps.py)."""
import json

import nccl_steps
from cli import CliTest
from nccl import MS

JOBS = 24         # with delays; and a quarter of that without
UNCLEAR = MS // 2 # of a delay near the 1 ms that verdicts need, and between model and capture: round trips, computation
VERDICTS = {"sender": "sender late", "receiver": "receiver late", "network": "network"}
KEYS = {"sender": "sender_wait", "receiver": "receiver_wait", "network": "network_time"}


class Jobs(CliTest):
    def records(self, command, seen):
        path = self.path("job.pcap")
        seen[0].write(path, seen[1:])
        return [json.loads(line) for line in self.lines(command, "--json", path)]

    @staticmethod
    def expected(delay):
        """The verdict, or None if it is close."""
        most, second = sorted((delay[key] for key in VERDICTS), reverse=True)[:2]
        if any(abs(time - MS) < UNCLEAR for time in (most, delay["pause"])) or (most > MS and most - second < UNCLEAR):
            return None
        return VERDICTS[max(VERDICTS, key=delay.get)] if most > MS else "pause" if delay["pause"] > MS else "none"

    @staticmethod
    def is_hidden(link, index, seen):
        """The capture does not have the first copy of what was lost: an announcement, or the first packet of data. While an announcement is missing,
        data can be that of another one."""
        return (link.receiver not in seen and any(index in range(lost - 8, lost + 1) for lost in link.lost_announcements)) or \
            (link.sender not in seen and index in link.lost_first)

    @staticmethod
    def looks_paused(o, delay):
        """In a part of a job, another host's delay can look like a pause of all of it."""
        waits = sum(o.get(key, 0) for key in ("sender_wait", "receiver_wait", "pause")) * 1e9
        return o.get("pause", 0) * 1e9 > delay["pause"] + MS and abs(waits - sum(delay[key] for key in ("sender", "receiver", "pause"))) < UNCLEAR

    def check_operations(self, job, delays, seen):
        found = {(int(o["object"].split()[2], 16), int(o["id"])): o for o in self.records("operations", seen)}
        for (link, index), delay in delays.items():
            if not {link.sender, link.receiver} & set(seen):
                continue
            o = found.pop((link.key, index))
            if self.is_hidden(link, index, seen) or (len(seen) < len(job.hosts) and self.looks_paused(o, delay)):
                continue
            verdict = self.expected(delay)
            self.assertIn(verdict, (None, o["verdict"]), (index, delay, o))
            for key, name in KEYS.items():
                if verdict == VERDICTS[key]:
                    self.assertAlmostEqual(o[name] * 1e9, delay[key], delta=UNCLEAR, msg=(index, delay, o))
                elif name in o and delay[key] < UNCLEAR and (key != "receiver" or delay["sender"] < UNCLEAR):
                    self.assertLess(o[name] * 1e9, MS, (index, key, delay, o))
        self.assertEqual(found, {})

    def check_straggler(self, job, delays, seen):
        records = self.records("stats", seen)
        found, = (record for record in records if record["type"] == "job")
        host, share, longest = job.blame(delays)
        if longest < UNCLEAR:
            self.assertFalse(found.get("straggler_certain", False), found)
            self.assertTrue(len(seen) < len(job.hosts) or "straggler" not in found, found)
        elif longest > MS + UNCLEAR and share > .6 and len(seen) == len(job.hosts):
            self.assertEqual(found.get("straggler"), host.text())
        elif longest > MS + UNCLEAR and share > .6 and found.get("straggler_certain"):
            self.assertEqual(found["straggler"], host.text())
        return [record["rule"] for record in records if record["type"] == "finding"]

    def check(self, seed, delayed):
        job = nccl_steps.Job(seed, delayed)
        delays = job.delays()
        for seen in (job.hosts, [job.dice.choice(job.hosts)]) + ((job.dice.sample(job.hosts, 2),) if len(job.hosts) > 3 else ()):
            with self.subTest(seed=seed, seen=[host.text() for host in seen]):
                self.check_operations(job, delays, seen)
                rules = self.check_straggler(job, delays, seen)
                self.assertTrue(delayed or not {"straggler", "sender_late", "receiver_late", "network_delays"} & set(rules), rules)

    def test_delays_are_those_of_the_model(self):
        for seed in range(JOBS):
            self.check(seed, True)

    def test_jobs_without_delays_have_none(self):
        for seed in range(JOBS // 4):
            self.check(seed, False)
