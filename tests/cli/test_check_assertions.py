# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rdmatap check --that and --assert: verdicts against the --json output of the other commands."""
import json
import os
import re
import unittest
import xml.etree.ElementTree

import check_captures
from cli import CliTest, TESTDATA

NFS = os.path.join(TESTDATA, "roce-nfs3.pcap.gz")
NAKS = os.path.join(TESTDATA, "conn_naks.pcap")
LOSSY = os.path.join(TESTDATA, "ends", "roce-loss.A.pcap.gz")


class Assertions(CliTest):
    def result(self, capture, *assertions, status=None):
        """The objects of --json."""
        arguments = [word for one in assertions for word in ("--that", one)]
        done = self.run_program("check", "--json", "--top", "1000", *arguments, capture)
        found = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual([one["assertion"] for one in found], list(assertions), done.stderr)
        self.assertEqual(done.returncode, 1 if any(one["result"] == "failed" for one in found) else 0)
        for one in found:
            self.assertEqual((one["result"] == "failed", len(one["offenders"])), (one["failed"] > 0, one["failed"]))
        return found

    def records(self, command, capture=NFS):
        return [json.loads(line) for line in self.lines(*command, "--json", capture)]

    def test_operations(self):
        operations = self.records(["operations"])
        for limit in (0.001, 0.005, 1):
            wrong = [o for o in operations if o["name"] == "READ" and o.get("latency", 0) >= limit]
            one, = self.result(NFS, 'operation.latency < %gms where operation.name == "READ"' % (limit * 1000))
            self.assertEqual((one["failed"], one["records"]), (len(wrong), sum(o["name"] == "READ" for o in operations)))
            for record, text in zip(wrong, one["offenders"]):
                self.assertTrue(text.startswith("operation %d, " % record["operation"]), text)

    def test_groups_of_operations(self):
        for group in self.records(["operations", "--by", "name"]):
            layer, name = group["key"].split(" ", 1)
            if "latency_p99" not in group or not re.fullmatch(r"\w+", name):
                continue
            for limit, wanted in ((group["latency_p99"] * 0.99, "failed"), (group["latency_p99"] * 1.01, "passed")):
                one, two = self.result(NFS, "operations.%s.%s.latency.p99 <= %.9f" % (layer, name, limit),
                                       "operations.%s.%s.failed >= 0 && operations.%s.%s.latency.p99 <= %.9f" % (layer, name, layer, name, limit))
                self.assertEqual((one["result"], one["records"]), (wanted, 1), one)
                self.assertEqual((two["result"], two["records"]), (wanted, 1), two)
        failed = sum(group["failed"] > 0 for group in self.records(["operations", "--by", "name"]))
        self.assertGreater(failed, 0)
        for text in ("operations.*.*.failed == 0", "operations.nfs.*.failed == 0"):
            self.assertEqual(self.result(NFS, text)[0]["failed"], failed)

    def test_short_names(self):
        for capture in (NFS, NAKS, LOSSY):
            connections = [one for one in self.records(["stats"], capture) if one["type"] == "connection"]
            for name, keys in (("loss", "lost"), ("retransmissions", "retransmission"), ("naks", "nak_")):
                one, = self.result(capture, name + " == 0")
                self.assertEqual(one["failed"], sum(any(key.startswith(keys) for key in c["anomalies"]) for c in connections), (capture, name))
                self.assertEqual(one["records"], len(connections))

    def test_anomalies_that_did_not_occur_are_zero(self):
        for capture in (NFS, NAKS, LOSSY):
            connections = [one for one in self.records(["stats"], capture) if one["type"] == "connection"]
            for name, keys in (("loss", "lost"), ("retransmissions", "retransmission"), ("naks", "nak_"), ("cnps", "cnp")):
                without = sum(not any(key.startswith(keys) for key in c["anomalies"]) for c in connections)
                for text in (name + " > 0", name + " != 0", name + " >= 1"):
                    self.assertEqual(self.result(capture, text)[0]["failed"], without, (capture, text))
                self.assertEqual(self.result(capture, name + " >= 0")[0]["failed"], 0)
        one, = self.result(NFS, "connection.packets > 0 && connection.anomalies.cnp > 0")
        self.assertEqual((one["failed"], one["records"]), (len(self.records(["connections"])),) * 2)

    def test_time_lost_is_a_share_of_each_direction(self):
        connections = [one for one in self.records(["stats"], LOSSY) if one["type"] == "connection"]
        shares = [max(d["time_lost"] / d["seconds"] if d["seconds"] else 0 for d in c["directions"]) for c in connections]
        whole = [sum(d["time_lost"] for d in c["directions"]) / sum(d["seconds"] for d in c["directions"]) for c in connections]
        self.assertGreater(max(shares), 1.2 * max(whole))
        for limit in (0, max(whole) * 1.1, max(shares) * 0.99, max(shares) * 1.01):
            one, = self.result(LOSSY, "time_lost <= %.6f%%" % (limit * 100))
            self.assertEqual(one["failed"], sum(share > limit for share in shares))
            if one["failed"] == 1:
                self.assertTrue(one["offenders"][0].endswith(", share %.3g %%" % (100 * max(shares))), one)

    def test_shares(self):
        connections = [one for one in self.records(["stats"], LOSSY) if one["type"] == "connection"]
        shares = [c["anomalies"].get("retransmission", 0) / sum(d["packets"] for d in c["directions"]) for c in connections]
        self.assertGreater(max(shares), 0)
        for limit in (0, max(shares) * 0.9, max(shares) * 1.1):
            one, = self.result(LOSSY, "retransmissions <= %.6f%%" % (limit * 100))
            self.assertEqual(one["failed"], sum(share > limit for share in shares))

    def test_where(self):
        classes = [c for c in self.records(["stats"]) if c["type"] == "connection" and
                   any(k.get("dscp") == 0 for d in c["directions"] for k in d.get("dscp", []))]
        self.assertEqual([self.result(NFS, "naks == 0 where dscp == %d" % dscp)[0]["records"] for dscp in (0, 26)], [len(classes), 0])
        self.assertEqual(self.result(NFS, "naks == 0 where dscp == 26")[0]["result"], "skipped")
        one, = self.result(NFS, 'message.length <= 100 && message.frames == 1 where message.kind == "send"')
        wrong = [m for m in self.records(["messages"]) if m["kind"] == "send" and (m["length"] > 100 or m["frames"] != 1)]
        self.assertEqual(one["failed"], len(wrong))

    def test_records_without_the_key_pass(self):
        one, = self.result(NFS, "connection.anomalies.cnp == 0")
        self.assertEqual((one["result"], one["failed"]), ("passed", 0))

    def test_errors_suggest_the_intended_name(self):
        for text, message in (
                ("operation.latensy < 5ms", "did you mean operation.latency?"), ("los == 0", "did you mean loss?"),
                ("operations.nfs.READ.latency.p98 < 1s", "did you mean operations.latency_p99?"), ("loss = 0", "expected KEY OPERATOR VALUE"),
                ("loss ==", "no value"), ("", "expected KEY"), ("naks < 1%", "a percentage is supported of"), ("loss < x%", "not a percentage"),
                ("operation.latency < 5xs", "give seconds"), ("loss == 0 && operation.latency < 1s", "keys of different records"),
                ("loss == 0 where los > 1", "los"), ("operations.nfs.RE*.failed == 0", "a whole name only"), ("x" * 2000 + " == 1", "too long"),
                ("loss < 1% && rnr == 0", "a comparison of its own"),
                # what would mean something else than it says
                ("message.length < 100 || message.length > 200", "joined by &&"), ("operation.latency < 5ms and operation.retries == 0", "joined by &&"),
                ("message.length < 100 != 1", "joined by &&"), ("loss == 0 where dscp == 26) || (dscp == 0", '")" without'),
                ("operations.nfs.READ.failed == 0 && operations.*.*.failed == 0", "different operations"),
                ("operations.nfs.READ.failed == 0 && operations.failed == 0", "different operations")):
            self.bad(message, "check", "--that", text, NFS)
        # not the columns of what it is translated to
        for text in ("loss < -1", "loss == 0 where los > 1"):
            self.assertRegex(self.run_program("check", "--that", text, NFS).stderr.decode(), r'\Ardmatap: --that %s: "' % text)

    def test_file(self):
        path = self.path("assertions", b"# of the team\n\nloss == 0   # none\n operations.nfs.READ.failed == 0\r\n")
        lines = self.lines("check", "--assert", path, NFS)
        self.assertEqual([re.sub(r" \(.*", "", line) for line in lines], ["ok: loss == 0", "ok: operations.nfs.READ.failed == 0"])
        self.bad(":2: ", "check", "--assert", self.path("wrong", b"loss == 0\nlos == 0\n"), NFS)
        self.bad("No such file", "check", "--assert", path + ".no", NFS)

    def test_no_line_of_a_file_is_lost(self):
        long = self.path("long", b"# " + b"x" * 5000 + b"\n" + b" " * 3000 + b"loss == 0" + b" " * 3000 + b"# last, without newline")
        self.assertEqual(self.lines("check", "--assert", long, NFS), ["ok: loss == 0 (8 records)"])
        self.bad(":2: a byte of value 0", "check", "--assert", self.path("zero", b"loss == 0\n\0naks == 0\n"), NFS)
        for content in b"", b"\n \n", b"# loss == 0\n":
            self.bad("empty: no assertion", "check", "--assert", self.path("empty", content), NFS)


class Forms(CliTest):
    WORDS = ("--that", "loss == 0", "--that", 'message.length < 100 where message.kind == "send"', "--that", "naks == 0 where dscp == 26")

    def test_tap(self):
        done = self.run_program("check", "--tap", *self.WORDS, NFS)
        lines = done.stdout.decode().splitlines()
        self.assertEqual((done.returncode, lines[:3]), (1, ["TAP version 13", "1..3", "ok 1 - loss == 0"]))
        results = [line for line in lines[2:] if not line.startswith("#")]
        self.assertEqual(results[1:], ['not ok 2 - message.length < 100 where message.kind == "send"',
                                       "ok 3 - naks == 0 where dscp == 26 # SKIP no such record"])

    def test_junit(self):
        path = self.path("junit.xml")
        self.assertEqual(self.run_program("check", "--junit", path, *self.WORDS, NFS).returncode, 1)
        suite, = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual({key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")},
                         {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"})
        cases = [(case.get("classname"), case.get("name"), [child.tag for child in case]) for case in suite]
        self.assertEqual(cases, [("rdmatap.assertion", self.WORDS[1], []), ("rdmatap.assertion", self.WORDS[3], ["failure"]),
                                 ("rdmatap.assertion", self.WORDS[5], ["skipped"])])

    def test_rules_too(self):
        capture, path = self.path("broken.pcap"), self.path("junit.xml")
        check_captures.make("ib-opcode-sequence", capture)
        self.assertEqual(self.run_program("check", "--that", "naks == 0", capture).returncode, 0)
        self.assertEqual(self.run_program("check", "--that", "naks == 0", "--rule", "ib-*", "--junit", path, capture).returncode, 1)
        broken = [case.get("name") for case in xml.etree.ElementTree.parse(path).iter("testcase") if len(case)]
        self.assertEqual(broken, ["ib-opcode-sequence"])
        lines = self.run_program("check", "--tap", capture).stdout.decode().splitlines()
        self.assertEqual([line.split(" - ")[1] for line in lines if line.startswith("not ok")], ["ib-opcode-sequence"])
        self.assertEqual(lines[1], "1..%d" % sum(line.startswith(("ok", "not ok")) for line in lines))

    def test_forms_that_exclude_each_other(self):
        self.bad("exclude each other", "check", "--sarif", "--tap", NFS)
        self.bad("exclude each other", "check", "--json", "--tap", NFS)
        self.bad("are for rules", "check", "--sarif", "--that", "loss == 0", NFS)
        self.bad("are for rules", "check", "-e", "rule", "--that", "loss == 0", NFS)

    def test_a_file_that_cannot_be_written(self):
        self.bad("No such file", "check", "--junit", self.path("no/junit.xml"), "--that", "loss == 0", NFS)


if __name__ == "__main__":
    unittest.main()
