# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Statistics and findings of storage: against records of applications, and against jobs with known problems (generate/storage_jobs.py)."""
import collections
import json
import os

import scsi
import storage_jobs
from cli import CliTest, TESTDATA

NVMEOF, SRP, ISER = (os.path.join(TESTDATA, "roce-%s.pcap.gz" % name) for name in ("nvmeof", "srp", "iser"))
RULES = {"operations_unanswered", "keep_alives_unanswered", "device_errors", "missed_keep_alives", "aborts", "aborted", "slow_device",
         "slow_network", "operation_errors", "operation_latency", "uneven_queues", "not_inline"}


class Statistics(CliTest):
    def stats(self, capture, *options):
        found = collections.defaultdict(list)
        for line in self.lines("stats", "--json", *options, capture):
            one = json.loads(line)
            found[one["type"]].append(one)
        return found

    def of_job(self, job, *options):
        return self.stats(job.save(self.path("job.pcap")), *options)

    def findings(self, job):
        """{rule: finding} of the rules about operations."""
        return {one["rule"]: one for one in self.of_job(job)["finding"] if one["rule"] in RULES}

    def operations(self, capture, *options):
        return [json.loads(line) for line in self.lines("operations", "--json", *options, capture)]


class Sums(Statistics):
    """The counts equal those of the operations that `operations` lists."""

    def check(self, capture):
        found, listed = self.stats(capture), self.operations(capture)
        self.assertTrue(listed)
        by_name = collections.defaultdict(list)
        for one in listed:
            by_name[one["layer"], one["name"]].append(one)
        rows = {(row["layer"], row["name"]): row for row in found["operation"]}
        self.assertEqual(set(rows), set(by_name))
        for key, row in rows.items():
            ones = by_name[key]
            latencies = sorted(one["latency"] for one in ones if "latency" in one and one["name"] != "Asynchronous Event Request")
            self.assertEqual(row["count"], len(ones), key)
            self.assertEqual(row["completed"], sum("response_frame" in one for one in ones), key)
            self.assertEqual(row["failed"], sum(one.get("ok") is False for one in ones), key)
            self.assertEqual(sum(row["data"].values()), sum(one.get("data_bytes", 0) for one in ones), key)
            self.assertEqual(row["repeats"], sum(one.get("repeats", 0) for one in ones), key)
            self.assertAlmostEqual(row["time_lost"], sum(one.get("time_lost", 0) for one in ones), 5)
            self.assertEqual(sum(size["count"] for size in row["sizes"]), sum(bool(one.get("length", one.get("data_bytes"))) for one in ones))
            statuses = collections.Counter(one["status"] for one in ones if one.get("ok") is False)
            self.assertEqual({one["status"]: one["count"] for one in row["statuses"]}, dict(statuses))
            self.assertEqual(row.get("latency", {}).get("count", 0), len(latencies), key)
            if latencies:
                self.assertEqual((row["latency"]["min"], row["latency"]["max"]), (latencies[0], latencies[-1]))
                self.assertEqual(row["latency"]["p50"], latencies[(len(latencies) + 1) // 2 - 1])
                self.assertIn(row["slowest_frame"], [one.get("request_frame") for one in ones if one.get("latency") == latencies[-1]])
        for key, column in (("object", "object"), ):
            counted = {row[key]: row["count"] for row in found[column]}
            self.assertEqual(counted, dict(collections.Counter(one[key] for one in listed if key in one)))
        requests = [side["requests"] for row in found["connection"] for side in row["directions"] if "requests" in side]
        self.assertEqual(sum(one["count"] for one in requests), len(listed))
        self.assertEqual(max(one.get("depth", 0) for one in requests), max(one.get("queue_depth", 0) for one in listed))

    def test_of_nvme(self):
        self.check(NVMEOF)

    def test_of_srp(self):
        self.check(SRP)

    def test_of_iser(self):
        self.check(ISER)

    def test_of_a_lossy_job(self):
        self.check(storage_jobs.slow_network().save(self.path("job.pcap")))

    def test_the_application_wrote_and_read_as_much(self):
        """testdata/README.md: five offsets, each written and read back, and the kernel's own reads of the disk."""
        rows = {row["name"]: row for row in self.stats(NVMEOF)["operation"]}
        self.assertEqual(rows["Write"]["bytes"], 4096 + 12288 + 16384 + 65536 + 262144)
        self.assertEqual(rows["Write"]["count"], 5)
        self.assertEqual(rows["Write"]["data"], {"inline": 4096 + 12288 + 16384, "read": 65536 + 262144})
        self.assertEqual([(size.get("up_to"), size["count"]) for size in rows["Write"]["sizes"]], [(4096, 1), (16384, 2), (65536, 1), (262144, 1)])

    def test_parts_of_the_time_are_those_of_the_schedule(self):
        row, = (row for row in self.of_job(storage_jobs.slow_device(5, 0.2))["operation"] if row["name"] == "Read")
        self.assertEqual(row["to_first_data"]["count"], 25)
        self.assertAlmostEqual(row["to_first_data"]["max"], 0.2, 3)
        self.assertLess(row["data_time"]["max"], 0.001)
        self.assertLess(row["to_response"]["max"], 0.001)
        row, = (row for row in self.of_job(storage_jobs.slow_response(4, 0.1))["operation"] if row["name"] == "Write")
        self.assertAlmostEqual(row["to_response"]["max"], 0.1, 3)

    def test_queues_are_distinguished(self):
        found = self.of_job(storage_jobs.uneven(300, 20))
        sides = [row["directions"][0]["requests"] for row in found["connection"]]
        self.assertEqual([(one.get("controller"), one.get("queue"), one["count"]) for one in sides],
                         [(None, None, 1), (1, 1, 301), (1, 2, 21), (1, 3, 21)])

    def test_memory_is_bounded_and_omitted_values_are_counted(self):
        job = storage_jobs.Job()
        for unit in range(300):
            cid, _, _ = job.io[0].next()
            job.put(job.io[0].send("a", storage_jobs.nvme.command(storage_jobs.nvme.FLUSH, cid, unit + 1)))
            job.put(job.io[0].answer(cid))
        path = job.save(self.path("job.pcap"))
        rows = self.stats(path)["object"]
        self.assertEqual(sum(row["count"] for row in rows), 302)
        self.assertFalse([row for row in rows if row.get("others")])
        found = self.stats(path, "--max-memory", "1M")
        self.assertEqual(sum(row["count"] for row in found["object"]), 302)
        others, = (row for row in found["object"] if row.get("others"))
        self.assertGreaterEqual(found["capture"][0]["operations_uncounted"], others["count"])


class Findings(Statistics):
    def test_none_in_a_clean_job(self):
        self.assertEqual(self.findings(storage_jobs.clean()), {})

    def test_none_in_clean_captures(self):
        for capture in (NVMEOF, SRP, ISER):
            self.assertEqual([one["rule"] for one in self.stats(capture)["finding"] if one["rule"] in RULES], [], capture)

    def test_slow_device(self):
        for job, count, longest in ((storage_jobs.slow_device(5, 0.2), 5, 0.2), (storage_jobs.slow_response(4, 0.1), 4, 0.1)):
            found = self.findings(job)
            one = found.pop("slow_device")
            self.assertEqual((one["count"], one["from"], one["to"], one["service"]), (count, "10.0.0.2", "10.0.0.1", "nvme"))
            self.assertAlmostEqual(one["longest_latency"], longest, 2)
            self.assertAlmostEqual(one["total_latency"], count * longest, 2)
            self.assertLessEqual(set(found), {"operation_latency"})
        self.assertNotIn("slow_device", self.findings(storage_jobs.slow_device(2)))

    def test_slow_network(self):
        found = self.findings(storage_jobs.slow_network(0.4))
        self.assertEqual(found["slow_network"]["count"], 1)
        self.assertAlmostEqual(found["slow_network"]["longest_latency"], 0.4, 2)
        self.assertNotIn("slow_device", found)

    def test_never_completed(self):
        found = self.findings(storage_jobs.never_completed(3, 2.5))
        self.assertEqual((set(found), found["operations_unanswered"]["count"]), ({"operations_unanswered"}, 3))
        self.assertEqual(self.findings(storage_jobs.never_completed(3, 0.9)), {})

    def test_missed_keep_alives(self):
        found = self.findings(storage_jobs.missed_keep_alive(9))
        self.assertEqual(set(found), {"missed_keep_alives"})
        one = found["missed_keep_alives"]
        self.assertEqual((one["count"], one["connection"], one["keep_alive_timeout"]), (1, 1, 5.0))
        self.assertAlmostEqual(one["longest_gap"], 9, 1)
        self.assertEqual(self.findings(storage_jobs.missed_keep_alive(4.5)), {})

    def test_keep_alive_without_a_response(self):
        self.assertEqual(set(self.findings(storage_jobs.keep_alive_unanswered())), {"keep_alives_unanswered"})

    def test_aborts(self):
        found = self.findings(storage_jobs.aborted(2))
        self.assertEqual({rule: one["count"] for rule, one in found.items() if rule in ("aborts", "aborted")}, {"aborts": 2, "aborted": 2})
        self.assertEqual((found["aborts"]["connection"], found["aborted"]["connection"]), (1, 2))
        self.assertLessEqual(set(found), {"aborts", "aborted"})

    def test_uneven_queues(self):
        one = self.findings(storage_jobs.uneven(300, 20))["uneven_queues"]
        self.assertEqual((one["connection"], one["count"], one["of"]), (2, 301, 343))
        self.assertNotIn("uneven_queues", self.findings(storage_jobs.uneven(50, 40)))

    def test_small_writes_without_data_in_the_capsule(self):
        found = self.findings(storage_jobs.not_inline(120))
        self.assertEqual((set(found), found["not_inline"]["count"], found["not_inline"]["of"]), ({"not_inline"}, 120, 121))

    def test_errors_of_the_medium(self):
        found = self.findings(storage_jobs.media_errors(2))
        self.assertEqual((set(found), found["device_errors"]["count"]), ({"device_errors"}, 2))

    def test_of_scsi(self):
        """The same causes over SRP and iSER; no findings without them."""
        for make in (scsi.Srp, scsi.Iser, lambda talk: scsi.Iser(talk, 512)):
            with self.subTest(make=make):
                self.assertEqual(self.findings(storage_jobs.scsi_job(make)), {})
                for options in ({"slow": 5}, {"late": 5}):
                    found = self.findings(storage_jobs.scsi_job(make, wait=0.2, **options))
                    one = found.pop("slow_device")
                    self.assertEqual((one["count"], one["from"], one["to"]), (5, "10.0.0.2", "10.0.0.1"))
                    self.assertAlmostEqual(one["longest_latency"], 0.2, 2)
                    self.assertLessEqual(set(found), {"operation_latency"})
                found = self.findings(storage_jobs.scsi_job(make, hung=3, silence=2.5))
                self.assertEqual((set(found), found["operations_unanswered"]["count"]), ({"operations_unanswered"}, 3))
                found = self.findings(storage_jobs.scsi_job(make, media=2))
                self.assertEqual((set(found), found["device_errors"]["count"]), ({"device_errors"}, 2))
                found = self.findings(storage_jobs.scsi_job(make, aborted=2))
                self.assertEqual({rule: one["count"] for rule, one in found.items() if rule in ("aborts", "aborted")}, {"aborts": 2, "aborted": 2})
                self.assertLessEqual(set(found), {"aborts", "aborted", "slow_device", "operation_latency"})

    def test_network_that_slows_down_scsi(self):
        for make in (scsi.Srp, scsi.Iser):
            with self.subTest(make=make):
                found = self.findings(storage_jobs.scsi_slow_network(make, 0.4))
                self.assertEqual(found["slow_network"]["count"], 1)
                self.assertAlmostEqual(found["slow_network"]["longest_latency"], 0.4, 2)
                self.assertNotIn("slow_device", found)
                self.assertEqual(self.findings(storage_jobs.scsi_slow_network(make, 0.01)), {})

    def test_uneven_channels_of_a_scsi_session(self):
        """Loads are (reads, seconds): only connections of one session are compared."""
        uneven = [(20, 0.0002), (300, 0.002), (20, 0.0002)]
        for make, logins in ((scsi.Srp, 0), (scsi.Iser, 3)):
            with self.subTest(make=make):
                job = storage_jobs.ScsiChannels(make, uneven)
                one = self.findings(job)["uneven_queues"]
                self.assertEqual((one["connection"], one["count"], one["of"]), (2, 300 + logins, 340 + 3 * logins))
                found = self.of_job(job)
                sides = [row["directions"][0]["requests"] for row in found["connection"]]
                # the channels of SRP have no numbers
                self.assertEqual([one.get("queue") for one in sides], [None] * 3 if make == scsi.Srp else [0, 1, 2])
                self.assertEqual(len({one["controller"] for one in sides}), 1)
                self.assertNotIn("uneven_queues", self.findings(storage_jobs.ScsiChannels(make, [(150, 0.002), (130, 0.0002)])))
                self.assertNotIn("uneven_queues", self.findings(storage_jobs.ScsiChannels(make, [(300, 0.0002), (20, 0.0002)])))
                self.assertNotIn("uneven_queues", self.findings(storage_jobs.ScsiChannels(make, uneven, sessions=True)))

    def test_small_writes_without_immediate_data(self):
        found = self.findings(storage_jobs.scsi_not_immediate(120))
        self.assertEqual((set(found), found["not_inline"]["count"], found["not_inline"]["of"]), ({"not_inline"}, 120, 121))

    def test_nop_without_a_response(self):
        self.assertEqual(set(self.findings(storage_jobs.nop_unanswered())), {"keep_alives_unanswered"})

    def test_text_shows_host_and_cause(self):
        path = storage_jobs.slow_device(5, 0.2).save(self.path("job.pcap"))
        text = self.run_program("stats", path).stdout.decode()
        self.assertIn("10.0.0.2 -> 10.0.0.1 nvme #2: 5 operations slowed down by the device", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 120)
        for rule in RULES:
            explained = self.run_program("stats", "--explain", rule).stdout.decode()
            self.assertIn("likely:", explained, rule)
